/* Portions of work, and the members that take them. */
#include "share.h"
#include "mutex.h"
#include "services.h"

#include <stdio.h>
#include <string.h>

struct share_member {
    struct share *s;
    gpugraph_run own, *run; /* run: `own`, or the caller's for the first member */
    uint32_t low, high;     /* the latest portion */
    uint32_t done;          /* items */
    bool started;
    bool gave_up; /* its latest portion is not done, and is left to others */
};

struct share {
    const struct shared_work *work;
    gpugraph_run *run; /* the caller's */
    uint32_t taken;    /* items */
    int members;
    struct share_member member[GG_MAX_DEVICES];
    gg_mutex mutex;
    gg_condition one_ended;
    int going; /* running threads, under the mutex */
};

/* ---- portions ---- */

static bool take_portion(struct share_member *m) {
    const struct shared_work *w = m->s->work;
    uint32_t *taken = &m->s->taken;
    if (m->run->status || gg_stopping(m->s->run) ||
        __atomic_load_n(taken, __ATOMIC_RELAXED) >= w->items)
        return false;
    const uint32_t low = __atomic_fetch_add(taken, w->portion, __ATOMIC_RELAXED);
    if (low >= w->items)
        return false;
    m->low = low;
    m->high = w->items - low < w->portion ? w->items : low + w->portion;
    return true;
}

static void do_portion(struct share_member *m, uint32_t low, uint32_t high) {
    m->s->work->part(m->s->work->of, m->run, low, high);
    if (!m->run->status)
        m->done += high - low;
}

static void work_on(struct share_member *m) {
    while (take_portion(m))
        do_portion(m, m->low, m->high);
}

/* ---- the threads beside the calling one ---- */

/* Only the calling thread calls the host. */
static int caller_stops(void *member) {
    const struct share_member *m = member;
    return gg_stopping(m->s->run);
}

/* A failure of a device ends only this member, unless each device was requested. Any
** other error ends all members. */
static void note_failure(struct share_member *m) {
    gpugraph_run *run = m->s->run;
    m->gave_up = gg_is_of_a_device(m->own.status) && !run->all_devices;
    if (!m->gave_up)
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
        note_failure(m);
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

/* If the system provides no thread, other members do its work. */
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

/* The caller's run took the error that ended a member for an interrupt. */
static void pass_error_on(struct share *s) {
    const gpugraph_status status = s->run->status;
    for (int i = 1; i < s->members; i++) {
        const struct share_member *m = &s->member[i];
        if ((status && status != GPUGRAPH_INTERRUPTED) || !m->own.status || m->gave_up ||
            m->own.status == GPUGRAPH_INTERRUPTED)
            continue;
        gg_begin(s->run);
        gg_fail(s->run, m->own.status, "%s", m->own.message);
        return;
    }
}

/* The caller processes the portions that other members have left. */
static void lead(struct share *s) {
    struct share_member *first = &s->member[0];
    work_on(first);
    wait_for_others(s);
    pass_error_on(s);
    for (int i = 1; i < s->members && !gg_stopping(s->run); i++)
        if (s->member[i].gave_up)
            do_portion(first, s->member[i].low, s->member[i].high);
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

/* If the first member did nothing, the method comes from another member that searched. */
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
    run->used_devices = 1; /* each search runs on one device */
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
