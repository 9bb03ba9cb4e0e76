/* Portions of work, and who takes them. */
#include "share.h"
#include "mutex.h"
#include "services.h"

#include <stdio.h>
#include <string.h>

struct portion {
    uint32_t low, high;
};

struct share_member {
    struct share *s;
    gpugraph_run own, *run; /* run: its own or, of the first, the caller's */
    struct portion open;    /* under way, or left behind */
    bool is_open;
    uint32_t done; /* items */
    bool started, gave_up, ended_all;
};

struct share {
    const struct shared_work *work;
    gpugraph_run *run; /* the caller's */
    uint32_t taken;    /* items */
    int members;
    struct share_member member[GG_MAX_DEVICES];
    struct portion left[GG_MAX_DEVICES]; /* by those that gave up */
    int lefts;
    gg_mutex mutex;
    gg_condition one_ended;
    int going; /* threads, under the mutex */
};

/* ---- portions ---- */

/* What others have left is there once they are gone, for the first member alone. */
static bool next_portion(struct share *s, struct portion *next) {
    const struct shared_work *w = s->work;
    const uint64_t low = __atomic_load_n(&s->taken, __ATOMIC_RELAXED) < w->items
                             ? __atomic_fetch_add(&s->taken, w->portion, __ATOMIC_RELAXED)
                             : w->items;
    if (low < w->items) {
        next->low = (uint32_t)low;
        next->high =
            w->items - next->low < w->portion ? w->items : next->low + w->portion;
        return true;
    }
    if (s->lefts == 0)
        return false;
    *next = s->left[--s->lefts];
    return true;
}

static bool take_portion(struct share_member *m) {
    m->is_open =
        !m->run->status && !gg_stopping(m->s->run) && next_portion(m->s, &m->open);
    return m->is_open;
}

/* What is not done stays open after a failure. */
static void work_on(struct share_member *m) {
    const struct shared_work *w = m->s->work;
    while (take_portion(m)) {
        w->part(w->of, m->run, m->open.low, m->open.high);
        if (m->run->status)
            return;
        m->done += m->open.high - m->open.low;
    }
}

/* ---- the threads beside the calling one ---- */

/* For the calling thread alone asks the host. */
static int caller_stops(void *member) {
    const struct share_member *m = member;
    return gg_stopping(m->s->run);
}

/* Errors that are no device's end all; so do a device's where each of them was asked for. */
static void tell_failure(struct share_member *m) {
    gpugraph_run *run = m->s->run;
    if (m->own.status == GPUGRAPH_INTERRUPTED)
        return; /* after the caller's run */
    m->gave_up = gg_is_of_a_device(m->own.status) && !run->all_devices;
    m->ended_all = !m->gave_up;
    if (m->ended_all)
        __atomic_store_n(&run->stop, 1, __ATOMIC_RELAXED);
}

static void end(struct share *s) {
    gg_mutex_lock(&s->mutex);
    s->going--;
    gg_condition_wake(&s->one_ended);
    gg_mutex_unlock(&s->mutex);
}

static void *work_beside(void *member) {
    struct share_member *m = member;
    gg_begin(&m->own);
    work_on(m);
    if (m->own.status)
        tell_failure(m);
    end(m->s);
    return NULL;
}

static void prepare_share(struct share *s, int ordinal) {
    struct share_member *m = &s->member[s->members++];
    m->s = s;
    m->run = &m->own;
    m->own = *s->run;
    m->own.device = ordinal;
    m->own.devices = NULL;
    m->own.device_count = 0;
    m->own.interrupted = caller_stops;
    m->own.listener = m;
    m->own.phase = NULL;
    m->own.device_set = (uint32_t)1 << ordinal;
}

/* Where the system gives no thread, the others do its work. */
static void start_share(struct share *s) {
    s->going = s->members - 1;
    for (int i = 1; i < s->members; i++) {
        s->member[i].started = gg_start_thread(work_beside, &s->member[i], 0);
        if (!s->member[i].started)
            end(s);
    }
}

/* ---- the calling thread ---- */

static bool others_work(struct share *s) {
    gg_mutex_lock(&s->mutex);
    if (s->going > 0)
        gg_condition_wait(&s->one_ended, &s->mutex, GG_POLL_MS);
    const bool work = s->going > 0;
    gg_mutex_unlock(&s->mutex);
    return work;
}

static void wait_for_others(struct share *s) {
    while (others_work(s))
        if (gg_poll(s->run))
            gg_stopped(s->run);
}

/* What has ended the caller's run, which took it for an interrupt. */
static void hear_failures(struct share *s) {
    const bool own = s->run->status && s->run->status != GPUGRAPH_INTERRUPTED;
    for (int i = 1; i < s->members && !own; i++) {
        if (!s->member[i].ended_all)
            continue;
        gg_begin(s->run);
        gg_fail(s->run, s->member[i].own.status, "%s", s->member[i].own.message);
        break;
    }
}

static void gather_left(struct share *s) {
    for (int i = 1; i < s->members; i++) {
        const struct share_member *m = &s->member[i];
        if (m->gave_up && m->is_open)
            s->left[s->lefts++] = m->open;
    }
}

static void lead(struct share *s) {
    work_on(&s->member[0]);
    wait_for_others(s);
    hear_failures(s);
    gather_left(s);
    if (s->lefts > 0 && !s->run->status)
        work_on(&s->member[0]);
    if (!s->run->status && gg_stopping(s->run))
        gg_stopped(s->run);
}

static void tell(const struct share *s, double started) {
    char text[300] = "";
    size_t used = 0;
    for (int i = 0; i < s->members && used < sizeof text; i++) {
        const struct share_member *m = &s->member[i];
        const int ordinal = m->run->device;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u on device %d",
                                 i ? ", " : "", m->done, ordinal);
        if (m->gave_up && used < sizeof text)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, ", which gave up: %.*s",
                                 (int)strcspn(m->own.message, ";"), m->own.message);
    }
    gg_phase(s->run, "devices", started, s->work->items, "%u searches: %s",
             s->work->items, text);
}

/* The method that each search settles by itself is told by who has searched. */
static void hear_method(const struct share *s, gpugraph_run *run) {
    for (int i = 1; i < s->members && s->member[0].done == 0; i++)
        if (s->member[i].done > 0) {
            run->used_method = s->member[i].own.used_method;
            return;
        }
}

static void count_devices(const struct share *s, gpugraph_run *run) {
    for (int i = 0; i < s->members; i++) {
        const struct share_member *m = &s->member[i];
        if (i > 0 && (!m->started || m->gave_up))
            continue;
        run->used_devices += i > 0;
        run->device_set |= (uint32_t)1 << m->run->device;
    }
}

gpugraph_status gg_share_out(gpugraph_run *run, const struct shared_work *work) {
    struct share s = {.work = work, .run = run, .members = 1};
    const double started = gg_now_ms();
    int ordinal[GG_MAX_DEVICES];
    const int devices = gg_used_devices(run, ordinal);
    s.member[0].s = &s;
    s.member[0].run = run;
    run->used_devices = 1; /* as far as each search knows */
    run->device_set = (uint32_t)1 << run->device;
    for (int i = 0; i < devices; i++)
        if (ordinal[i] != run->device)
            prepare_share(&s, ordinal[i]);
    start_share(&s);
    lead(&s);
    hear_method(&s, run);
    count_devices(&s, run);
    if (devices > 1 && !run->status)
        tell(&s, started);
    return run->status;
}
