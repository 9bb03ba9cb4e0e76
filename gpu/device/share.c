/* Distributes portions of work over members, one for each device (share.h). */
#include "share.h"
#include "services.h"

#include <stdio.h>
#include <string.h>

struct share_member {
    struct share *s;
    gpugraph_run own, *run; /* run: `own`, or the caller's for the first member */
    uint32_t low, high;     /* the latest portion */
    uint32_t done;          /* items */
    bool gave_up;           /* its latest portion is not done; the caller does it */
};

struct share {
    const struct shared_work *work;
    gpugraph_run *run; /* the caller's */
    uint32_t taken;    /* items */
    uint32_t going;    /* running threads; the caller sleeps on it */
    int members;
    struct share_member member[GG_MAX_DEVICES];
};

/* ---- portions ---- */

static bool take_portion(struct share_member *m) {
    const struct shared_work *w = m->s->work;
    uint32_t *taken = &m->s->taken;
    if (m->run->status || gg_stopping(m->s->run) ||
        __atomic_load_n(taken, __ATOMIC_RELAXED) >= w->items)
        return false;
    m->low = __atomic_fetch_add(taken, w->portion, __ATOMIC_RELAXED);
    m->high = w->items - m->low < w->portion ? w->items : m->low + w->portion;
    return m->low < w->items;
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

/* A member tests the caller's run: only the calling thread calls the host. */
static int caller_stops(void *member) {
    const struct share_member *m = member;
    return gg_stopping(m->s->run);
}

/* A failure of its device ends only this member, unless the caller requested all devices.
** Any other error ends all members. */
static void *work_beside(void *member) {
    struct share_member *m = member;
    struct share *s = m->s;
    gg_begin(&m->own);
    work_on(m);
    m->gave_up = gg_is_of_a_device(m->own.status) && !s->run->all_devices;
    if (m->own.status && !m->gave_up)
        __atomic_store_n(&s->run->stop, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&s->going, 1, __ATOMIC_RELEASE);
    gg_wake_all(&s->going);
    return NULL;
}

static void prepare_member(struct share *s, struct share_member *m, int ordinal) {
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

/* Starts the threads of the prepared members. If the system refuses a thread, the members
** started so far do the work. */
static void start_members(struct share *s, int prepared) {
    for (; s->members < prepared; s->members++) {
        __atomic_fetch_add(&s->going, 1, __ATOMIC_RELAXED);
        if (gg_start_thread(work_beside, &s->member[s->members], 0))
            continue;
        __atomic_fetch_sub(&s->going, 1, __ATOMIC_RELAXED);
        return;
    }
}

/* ---- the calling thread ---- */

static void wait_for_others(struct share *s) {
    uint32_t going;
    while ((going = __atomic_load_n(&s->going, __ATOMIC_ACQUIRE)) > 0) {
        gg_sleep_on(&s->going, going, GG_POLL_MS);
        if (gg_poll(s->run))
            gg_stopped(s->run);
    }
}

/* Replaces the caller's status INTERRUPTED by the error that stopped a member. */
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

/* The caller also processes the portions of members that gave up. */
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

/* If the first member did no item, the method comes from another member. */
static void count_devices(const struct share *s, gpugraph_run *run) {
    for (int i = s->members - 1; i > 0; i--) {
        const struct share_member *m = &s->member[i];
        if (m->done > 0 && s->member[0].done == 0)
            run->used_method = m->own.used_method;
        if (m->gave_up)
            continue;
        run->used_devices++;
        run->device_set |= (uint32_t)1 << m->own.device;
    }
}

static void report_shares(const struct share *s, double started) {
    char text[300] = "";
    size_t used = 0;
    for (int i = 0; i < s->members && used < sizeof text; i++) {
        const struct share_member *m = &s->member[i];
        const char *why = m->gave_up ? m->own.message : "";
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s%u on device %d%s%.*s", i ? ", " : "", m->done,
                                 m->run->device, m->gave_up ? ", which gave up: " : "",
                                 (int)strcspn(why, ";"), why);
    }
    gg_phase(s->run, "devices", started, s->work->items, "%u searches: %s",
             s->work->items, text);
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
    int prepared = 1;
    for (int i = 0; i < devices; i++)
        if (ordinal[i] != run->device)
            prepare_member(&s, &s.member[prepared++], ordinal[i]);
    start_members(&s, prepared);
    lead(&s);
    count_devices(&s, run);
    if (devices > 1 && !run->status)
        report_shares(&s, started);
    return run->status;
}
