/* Portions of work, and who takes them. */
#include "share.h"
#include "base/thread.h"
#include "services.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct member { /* a device */
    struct share *s;
    gpugraph_run run;   /* but for the first: its own */
    uint32_t low, high; /* of the portion under way, or left behind; equal: none */
    uint32_t done;      /* items */
    bool started, gave_up, ended_all;
};

struct share {
    const struct shared_work *work;
    gpugraph_run *run; /* the caller's */
    uint32_t taken;    /* items */
    int members;
    struct member member[GG_MAX_DEVICES];
    pthread_mutex_t mutex;
    pthread_cond_t one_ended;
    int going; /* threads, under the mutex */
};

static bool is_of_a_device(gpugraph_status status) {
    return status == GPUGRAPH_DEVICE_MEMORY || status == GPUGRAPH_NO_DEVICE ||
           status == GPUGRAPH_DEVICE_FAILED;
}

static bool take_portion(struct member *m) {
    const struct shared_work *w = m->s->work;
    const uint64_t low = __atomic_fetch_add(&m->s->taken, w->portion, __ATOMIC_RELAXED);
    if (low >= w->items)
        return false;
    m->low = (uint32_t)low;
    m->high = w->items - m->low < w->portion ? w->items : m->low + w->portion;
    return true;
}

/* What is left of the portion stays noted after a failure. */
static void do_portion(struct member *m, gpugraph_run *run) {
    m->s->work->part(m->s->work->of, run, m->low, m->high);
    if (run->status)
        return;
    m->done += m->high - m->low;
    m->low = m->high;
}

/* ---- the threads beside the calling one ---- */

/* For the calling thread alone asks the host. */
static int caller_stops(void *member) {
    const struct member *m = member;
    return gg_stopping(m->s->run);
}

/* Errors that are no device's end all; so do a device's where each of them was asked for. */
static void tell_failure(struct member *m) {
    gpugraph_run *run = m->s->run;
    if (m->run.status == GPUGRAPH_INTERRUPTED)
        return; /* after the caller's run */
    m->gave_up = is_of_a_device(m->run.status) && !run->all_devices;
    m->ended_all = !m->gave_up;
    if (m->ended_all)
        __atomic_store_n(&run->stop, 1, __ATOMIC_RELAXED);
}

static void end(struct share *s) {
    pthread_mutex_lock(&s->mutex);
    s->going--;
    pthread_cond_signal(&s->one_ended);
    pthread_mutex_unlock(&s->mutex);
}

static void *work_beside(void *member) {
    struct member *m = member;
    gg_begin(&m->run);
    while (!m->run.status && !gg_stopping(m->s->run) && take_portion(m))
        do_portion(m, &m->run);
    if (m->run.status)
        tell_failure(m);
    end(m->s);
    return NULL;
}

static void prepare(struct share *s, int ordinal) {
    struct member *m = &s->member[s->members++];
    m->s = s;
    m->run = *s->run;
    m->run.device = ordinal;
    m->run.devices = NULL;
    m->run.device_count = 0;
    m->run.interrupted = caller_stops;
    m->run.listener = m;
    m->run.phase = NULL;
    m->run.device_set = (uint32_t)1 << ordinal;
}

/* Where the system gives no thread, the others do its work. */
static void start(struct share *s) {
    s->going = s->members - 1;
    for (int i = 1; i < s->members; i++) {
        s->member[i].started = gg_start_thread(work_beside, &s->member[i], 0);
        if (!s->member[i].started)
            end(s);
    }
}

/* ---- the calling thread ---- */

static bool others_work(struct share *s) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(GG_POLL_MS * 1e6);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&s->mutex);
    if (s->going > 0)
        pthread_cond_timedwait(&s->one_ended, &s->mutex, &until);
    const bool work = s->going > 0;
    pthread_mutex_unlock(&s->mutex);
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
        gg_fail(s->run, s->member[i].run.status, "%s", s->member[i].run.message);
        break;
    }
}

static void lead(struct share *s) {
    struct member *own = &s->member[0];
    while (!gg_stopping(s->run) && take_portion(own))
        do_portion(own, s->run);
    wait_for_others(s);
    hear_failures(s);
    /* What others have left behind. */
    for (int i = 1; i < s->members && !s->run->status; i++) {
        if (!s->member[i].gave_up || s->member[i].low == s->member[i].high)
            continue;
        own->low = s->member[i].low;
        own->high = s->member[i].high;
        do_portion(own, s->run);
    }
    if (!s->run->status && gg_stopping(s->run))
        gg_stopped(s->run);
}

static void tell(const struct share *s, double started) {
    char text[300] = "";
    size_t used = 0;
    for (int i = 0; i < s->members && used < sizeof text; i++) {
        const struct member *m = &s->member[i];
        const int ordinal = i == 0 ? s->run->device : m->run.device;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u on device %d",
                                 i ? ", " : "", m->done, ordinal);
        if (m->gave_up && used < sizeof text)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, ", which gave up: %.*s",
                                 (int)strcspn(m->run.message, ";"), m->run.message);
    }
    gg_phase(s->run, "devices", started, s->work->items, "%u searches: %s",
             s->work->items, text);
}

/* The method that each search settles by itself is told by who has searched. */
static void hear_method(const struct share *s, gpugraph_run *run) {
    for (int i = 1; i < s->members && s->member[0].done == 0; i++)
        if (s->member[i].done > 0) {
            run->used_method = s->member[i].run.used_method;
            return;
        }
}

static void count_devices(const struct share *s, gpugraph_run *run) {
    for (int i = 0; i < s->members; i++) {
        const struct member *m = &s->member[i];
        if (i > 0 && (!m->started || m->gave_up))
            continue;
        run->used_devices += i > 0;
        run->device_set |= (uint32_t)1 << (i > 0 ? m->run.device : run->device);
    }
}

gpugraph_status gg_share_out(gpugraph_run *run, const struct shared_work *work) {
    struct share s = {.work = work,
                      .run = run,
                      .members = 1,
                      .mutex = PTHREAD_MUTEX_INITIALIZER,
                      .one_ended = PTHREAD_COND_INITIALIZER};
    const double started = gg_now_ms();
    int ordinal[GG_MAX_DEVICES];
    const int devices = gg_used_devices(run, ordinal);
    s.member[0].s = &s;
    run->used_devices = 1; /* as far as each search knows */
    run->device_set = (uint32_t)1 << run->device;
    for (int i = 0; i < devices; i++)
        if (ordinal[i] != run->device)
            prepare(&s, ordinal[i]);
    start(&s);
    lead(&s);
    hear_method(&s, run);
    count_devices(&s, run);
    if (devices > 1 && !run->status)
        tell(&s, started);
    pthread_cond_destroy(&s.one_ended);
    pthread_mutex_destroy(&s.mutex);
    return run->status;
}
