/* Partitions in threads of one process, and their exchange.
**
**     partition 0    partition 1    partition 2
**     shows array    shows array    shows array      a pointer to the data that it sends
**     ---------------- barrier ----------------
**     copies its own share out of the others' arrays
**     ---------------- barrier ----------------      senders may overwrite their arrays
**
** A partition that fails records it in the hall, and all waiting partitions end. If the
** body of a partition has returned, partitions that wait for it fail, too. Partitions
** other than that of the calling thread learn in the hall whether the host stops the
** run. */
#include "part_threads.h"
#include "base/run.h"
#include "mutex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Turns that a thread waits awake before it sleeps: about 20 microseconds. */
enum { SPIN_TURNS = 600 };

enum { LOOK_MS = 10 }; /* between two questions to the host */

struct shown {
    const gpugraph_parcel *out;
    const void *mine;
};

struct seat {
    gpugraph_exchange exchange; /* must be first */
    struct shown shown;         /* what other partitions may read */
    struct hall *hall;
    gpugraph_run *run;
    gpugraph_run own; /* the run of every partition but 0 */
    gpugraph_run *counts_for;
};

struct hall {
    gg_mutex lock;
    gg_condition turn;
    uint32_t parts, arrived, ended;
    uint32_t looking; /* partitions that may read what others show */
    uint64_t shown;   /* the round since which they may read */
    uint64_t round;
    bool roomy;             /* each partition has a processor */
    gpugraph_status status; /* the first failure */
    char message[sizeof((gpugraph_run *)0)->message];
    gpugraph_part_body *body;
    void *job;
    struct seat seat[];
};

static struct seat *seat_of(gpugraph_exchange *x) {
    return (struct seat *)x;
}

/* ---- failures ---- */

/* The caller holds the lock. */
static void record_failure(struct hall *h, gpugraph_status status, const char *message) {
    if (h->status == GPUGRAPH_OK) {
        snprintf(h->message, sizeof h->message, "%s", message);
        __atomic_store_n(&h->status, status, __ATOMIC_RELAXED);
    }
    gg_condition_wake(&h->turn);
}

static void note_failure(struct hall *h, gpugraph_status status, const char *message) {
    gg_mutex_lock(&h->lock);
    record_failure(h, status, message);
    gg_mutex_unlock(&h->lock);
}

static void fail(gpugraph_exchange *x, const gpugraph_run *run) {
    note_failure(seat_of(x)->hall, run->status, run->message);
}

static int has_failed(void *seat) {
    struct hall *h = ((struct seat *)seat)->hall;
    return __atomic_load_n(&h->status, __ATOMIC_RELAXED) != GPUGRAPH_OK;
}

/* ---- barriers ---- */

static void wait_a_moment(struct hall *h) {
    const uint32_t seen = __atomic_load_n(&h->turn.woken, __ATOMIC_RELAXED);
    gg_mutex_unlock(&h->lock);
    gg_sleep_on(&h->turn.woken, seen, LOOK_MS);
    gg_mutex_lock(&h->lock);
}

/* Waits awake for some microseconds, since most barriers are short if every partition has
** a processor. It does not yield, which costs a time slice for each barrier on a busy
** machine. */
static void linger(const struct hall *h, uint64_t round) {
    for (int i = 0; i < SPIN_TURNS; i++) {
        if (__atomic_load_n(&h->round, __ATOMIC_ACQUIRE) != round)
            return;
#if defined __x86_64__ || defined __i386__
        __builtin_ia32_pause();
#endif
    }
}

/* A barrier. shows: afterwards all partitions read each other's memory, until each calls
** stop_looking. A partition that leaves waits for readers, since it frees what they
** read. */
static gpugraph_status meet_threads(struct seat *s, gpugraph_run *run, bool shows) {
    struct hall *h = s->hall;
    bool stop = false;
    gg_mutex_lock(&h->lock);
    const uint64_t round = h->round;
    if (++h->arrived == h->parts) {
        h->arrived = 0;
        if (shows && h->status == GPUGRAPH_OK) {
            h->looking = h->parts;
            h->shown = round + 1;
        }
        __atomic_store_n(&h->round, round + 1, __ATOMIC_RELEASE);
        gg_condition_wake(&h->turn);
    } else if (h->roomy) {
        gg_mutex_unlock(&h->lock);
        linger(h, round);
        gg_mutex_lock(&h->lock);
    }
    while (h->round == round && h->status == GPUGRAPH_OK && h->ended == 0 && !stop) {
        wait_a_moment(h);
        if (h->round == round && s->exchange.part == 0) {
            gg_mutex_unlock(&h->lock);
            stop = gg_poll(run);
            gg_mutex_lock(&h->lock);
        }
    }
    const bool met = h->round != round;
    if (stop && h->status == GPUGRAPH_OK)
        record_failure(h, gg_stopped(run), run->message);
    else if (!met)
        record_failure(h, GPUGRAPH_INVALID, "the parts do not make the same calls");
    if (h->status != GPUGRAPH_OK) {
        h->looking -= shows && h->shown == round + 1;
        while (h->looking > 0)
            wait_a_moment(h);
        gg_fail(run, h->status, "%s", h->message);
    }
    gg_mutex_unlock(&h->lock);
    s->exchange.waits++;
    return run->status;
}

/* Ends reading, with a barrier, after which each partition may overwrite its memory. */
static gpugraph_status stop_looking(struct seat *s, gpugraph_run *run) {
    gg_mutex_lock(&s->hall->lock);
    if (--s->hall->looking == 0)
        gg_condition_wake(&s->hall->turn);
    gg_mutex_unlock(&s->hall->lock);
    return meet_threads(s, run, false);
}

/* ---- the call ---- */

static void take_parcels(struct seat *s, gpugraph_run *run, const gpugraph_parcel *out,
                         gpugraph_parcel *in) {
    gpugraph_exchange *x = &s->exchange;
    for (uint32_t q = 0; q < x->parts; q++) {
        const gpugraph_parcel *from = s->hall->seat[q].shown.out + x->part;
        in[q].size = in[q].room ? from->size : 0;
        if (in[q].size > in[q].room)
            gg_fail(run, GPUGRAPH_INVALID, "part %u sends %llu bytes, %llu are expected",
                    q, (unsigned long long)from->size, (unsigned long long)in[q].room);
        else if (in[q].size > 0)
            memcpy(in[q].bytes, from->bytes, in[q].size);
        if (q != x->part) {
            x->received += in[q].size;
            x->sent += out[q].room ? out[q].size : 0;
        }
    }
}

static void take_gathered(struct seat *s, size_t bytes, void *all) {
    gpugraph_exchange *x = &s->exchange;
    for (uint32_t q = 0; q < x->parts; q++)
        memcpy((char *)all + q * bytes, s->hall->seat[q].shown.mine, bytes);
    x->sent += bytes;
    x->received += bytes * (x->parts - 1);
}

/* The lock of the barrier orders what is shown before it is read. */
static gpugraph_status swap_and_gather(gpugraph_exchange *x, gpugraph_run *run,
                                       const gpugraph_parcel *out, gpugraph_parcel *in,
                                       const void *mine, size_t bytes, void *all) {
    struct seat *s = seat_of(x);
    s->shown = (struct shown){out, mine};
    if (meet_threads(s, run, true) != GPUGRAPH_OK)
        return run->status;
    if (out)
        take_parcels(s, run, out, in);
    if (bytes)
        take_gathered(s, bytes, all);
    if (run->status != GPUGRAPH_OK)
        note_failure(s->hall, run->status, run->message);
    return stop_looking(s, run);
}

static const gpugraph_exchange_calls calls = {swap_and_gather, fail};

/* ---- bodies ---- */

static void leave_threads(struct seat *s, gpugraph_status status) {
    struct hall *h = s->hall;
    if (status != GPUGRAPH_OK)
        note_failure(h, status, s->run->message);
    gg_mutex_lock(&h->lock);
    h->ended++;
    gg_condition_wake(&h->turn);
    gg_mutex_unlock(&h->lock);
}

static void *serve_threads(void *seat) {
    struct seat *s = seat;
    gg_count_for(s->counts_for);
    gg_begin(s->run);
    leave_threads(s, s->hall->body(s->hall->job, &s->exchange, s->run));
    return NULL;
}

static void sit_down(struct hall *h, uint32_t part, gpugraph_run *run) {
    struct seat *s = &h->seat[part];
    s->hall = h;
    s->exchange.calls = &calls;
    s->exchange.part = part;
    s->exchange.parts = h->parts;
    s->own = (gpugraph_run){.backend = run->backend,
                            .method = run->method,
                            .threads = run->threads,
                            .device = run->device,
                            .memory_limit = run->memory_limit,
                            .interrupted = has_failed,
                            .listener = s};
    s->run = part ? &s->own : run;
    s->counts_for = gg_counts_for();
}

gpugraph_status gpugraph_in_parts(uint32_t parts, gpugraph_part_body *body, void *job,
                                  gpugraph_run *run) {
    gg_begin(run);
    if (parts == 0)
        return gg_fail(run, GPUGRAPH_INVALID, "there must be a part");
    if (!body)
        return gg_fail(run, GPUGRAPH_INVALID, "body is NULL");
    struct hall *h = gg_alloc_zero(run, 1, sizeof *h + parts * sizeof *h->seat);
    if (!h)
        return run->status;
    h->parts = parts;
    h->roomy = parts <= (uint32_t)gg_team_limit(0);
    h->body = body;
    h->job = job;
    for (uint32_t p = 0; p < parts; p++)
        sit_down(h, p, run);
    for (uint32_t p = 1; p < parts; p++)
        if (!gg_start_thread(serve_threads, &h->seat[p], 0)) {
            gg_fail(&h->seat[p].own, GPUGRAPH_NO_MEMORY,
                    "the system gives no thread for part %u of %u", p, parts);
            leave_threads(&h->seat[p], GPUGRAPH_NO_MEMORY);
        }
    leave_threads(&h->seat[0], body(job, &h->seat[0].exchange, run));
    gg_mutex_lock(&h->lock);
    while (h->ended < parts)
        gg_condition_wait(&h->turn, &h->lock);
    gg_mutex_unlock(&h->lock);
    if (h->status != GPUGRAPH_OK)
        gg_fail(run, h->status, "%s", h->message);
    gg_release(h);
    return run->status;
}
