/* Shortest paths over a multi-level multi-queue: the life of a warp that relaxes arcs.
**
**     look -> read -> relax -> write -> look -> ...
**
** The warp looks at the manager's words, reads elements from the first level that has
** some, relaxes their arcs, and writes elements to their level.
**
** Distances only fall, by an atomic minimum. A lane that lowers a distance writes an
** element. An element is stale if its vertex has a smaller distance. A warp that reads a
** stale element drops it. So the result is the least fixpoint, with the same bits for
** every order. */
#ifndef GPUGRAPH_MLMQ_WORK_H
#define GPUGRAPH_MLMQ_WORK_H

#include "fifo.h"
#include "local.h"
#include "manage.h"

/* ---- the manager's words ---- */

/* Loads the manager's words, one by each lane; mlmq_take_control waits for them. */
WARP_FUNCTION void mlmq_load_control(struct mlmq_warp *w) {
    struct mlmq_control *control = w->m->control;
    uint32_t *line = &control->over;
    if (warp_lane() < 4)
        w->asked = device_load(line + warp_lane());
}

WARP_FUNCTION void mlmq_take_control(struct mlmq_warp *w) {
    struct mlmq_control *control = w->m->control;
    const bool wide = warp_width >= 4;
    w->over = warp_from(w->asked, 0);
    w->base = wide ? warp_from(w->asked, 1) : device_load(&control->base);
    w->bnum = wide ? warp_from(w->asked, 2) : device_load(&control->bnum);
    w->pile = wide ? warp_from(w->asked, 3) : device_load(&control->pile);
}

WARP_FUNCTION void mlmq_look(struct mlmq_warp *w) {
    mlmq_load_control(w);
    mlmq_take_control(w);
}

/* True if the warp may keep that distance to itself: it is in a bucket that may be
** read. */
WARP_FUNCTION bool mlmq_inside(const struct mlmq_warp *w, uint32_t distance) {
    return mlmq_key(w->m, distance) < w->base + w->bnum;
}

/* ---- write ---- */

/* Writes `out` to L2: whole batches, or everything. */
WARP_FUNCTION void mlmq_drain(struct mlmq_warp *w, bool all) {
    uint32_t least = all ? 1 : warp_width;
    while (w->out_count >= least) {
        uint32_t count = w->out_count < warp_width ? w->out_count : warp_width;
        struct mlmq_element e = {0, 0};
        bool valid = warp_lane() < count;
        warp_sync();
        w->out_count -= count;
        if (valid)
            e = w->shared->out[w->out_count + warp_lane()];
        mlmq_fifo_write(w, e, valid, mlmq_fifo_of(w, e.distance, valid));
    }
    if (all)
        w->urgent = false;
}

/* Writes the element of each lane with `valid`. Before the call at most 31 elements wait
** in `out`, which has room for these, for the new elements, and for all of L0 and L1. */
WARP_FUNCTION void mlmq_write(struct mlmq_warp *w, struct mlmq_element e, bool valid) {
    bool inside = valid && mlmq_inside(w, e.distance);
    mlmq_out(w, e, valid && !inside);
    mlmq_l0_write(w, e, inside);
    mlmq_drain(w, false);
}

WARP_FUNCTION void mlmq_win(struct mlmq_warp *w, struct mlmq_element e, bool won) {
    uint32_t lanes = warp_ballot(won), at = w->won_count + mlmq_rank(lanes);
    if (won)
        w->shared->won[at] = e;
    w->won_count += set_bits(lanes);
}

WARP_FUNCTION void mlmq_write_won(struct mlmq_warp *w) {
    uint32_t count = w->won_count;
    warp_sync();
    for (uint32_t i = 0; i < count; i += warp_width) {
        bool valid = i + warp_lane() < count;
        struct mlmq_element e = {0, 0};
        if (valid)
            e = w->shared->won[i + warp_lane()];
        mlmq_write(w, e, valid);
    }
    w->won_count = 0;
    warp_sync();
}

/* ---- read ---- */

/* Finishes all elements that were read. L0 and L1 are empty, and `out` is written. */
WARP_FUNCTION void mlmq_settle(struct mlmq_warp *w) {
    if (w->taken == 0)
        return;
    warp_sync();
    mlmq_settle_segments(w);
    warp_sync();
    if (warp_lane() == 0)
        device_add(&w->m->control->done[w->account], w->taken);
    w->taken = 0;
}

/* Reads up to one element for each lane. 0: there are none now. */
WARP_FUNCTION uint32_t mlmq_read(struct mlmq_warp *w, struct mlmq_element *e,
                                 bool *valid) {
    *valid = false;
    uint32_t count = mlmq_l0_read(w, e, valid);
    count += mlmq_l1_read(w, e, valid, count);
    if (count > 0)
        return count;
    mlmq_drain(w, true);
    mlmq_settle(w);
    count = mlmq_fifo_read(w, e, valid);
    if (count == 0)
        return count;
    bool outside = *valid && !mlmq_inside(w, e->distance);
    mlmq_out(w, *e, outside);
    *valid &= !outside;
    return count;
}

/* ---- relaxing ---- */

/* Arcs that a warp relaxes together: all arcs of one vertex, or the arcs of all lanes'
** vertices of low degree, distributed evenly. */
struct mlmq_job {
    uint64_t at, end;  /* arcs, or numbers of arcs among all lanes' arcs */
    bool one;          /* the arcs of one vertex */
    uint32_t from;     /* its distance */
    uint32_t before;   /* by lane: arcs of the lanes before it */
    uint64_t first;    /* by lane: its first arc less `before` */
    uint32_t distance; /* by lane */
};

/* Arc number k of the job, and the distance at its start. */
WARP_FUNCTION uint64_t mlmq_arc(const struct mlmq_job *job, uint64_t k, uint32_t *from) {
    if (job->one) {
        *from = job->from;
        return k;
    }
    /* Finds the last lane whose arcs begin at or before k. */
    unsigned owner = 0;
    for (unsigned step = warp_width / 2; step > 0; step /= 2)
        if (warp_from(job->before, owner + step) <= k)
            owner += step;
    *from = warp_from(job->distance, owner);
    return warp_from_64(job->first, owner) + k;
}

/* Relaxes the next MLMQ_UNROLL arcs of each lane. All loads of a kind come before their
** first use. */
WARP_FUNCTION void mlmq_relax_some(struct mlmq_warp *w, const struct mlmq_job *job) {
    const struct mlmq *m = w->m;
    struct mlmq_element next[MLMQ_UNROLL]; /* targets, and the sums at them */
    uint32_t old[MLMQ_UNROLL];
    bool live[MLMQ_UNROLL];
    for (unsigned i = 0; i < MLMQ_UNROLL; i++) {
        uint64_t k = job->at + i * warp_width + warp_lane();
        uint32_t from;
        uint64_t arc = mlmq_arc(job, k, &from);
        live[i] = k < job->end;
        next[i] = (struct mlmq_element){0, 0};
        if (live[i]) {
            next[i].vertex = m->target[arc];
            next[i].distance = mlmq_sum(from, m->weight[arc]);
        }
    }
    for (unsigned i = 0; i < MLMQ_UNROLL; i++) {
        if (live[i] && next[i].distance > m->most) {
            live[i] = false;
            if (!m->tight)
                device_store(&m->control->dropped, 1);
        }
        old[i] = live[i] ? device_load(&m->distance[next[i].vertex]) : 0;
    }
    for (unsigned i = 0; i < MLMQ_UNROLL; i++) {
        live[i] = live[i] && next[i].distance < old[i];
        old[i] = 0;
        if (live[i])
            old[i] = device_min(&m->distance[next[i].vertex], next[i].distance);
    }
    for (unsigned i = 0; i < MLMQ_UNROLL; i++)
        live[i] = next[i].distance < old[i];
    for (unsigned i = 0; i < MLMQ_UNROLL; i++)
        if (warp_ballot(live[i]) != 0)
            mlmq_win(w, next[i], live[i]);
}

/* Reads the distances and rows of the lanes' vertices. *heavies: lanes whose vertex is a
** job of its own; *begin, *end: its arcs. */
WARP_FUNCTION void mlmq_take_vertices(struct mlmq_warp *w, struct mlmq_element e,
                                      bool valid, struct mlmq_job *job, uint64_t *begin,
                                      uint64_t *end, uint32_t *heavies) {
    const struct mlmq *m = w->m;
    uint32_t total;
    if (valid) {
        uint32_t now = device_load(&m->distance[e.vertex]);
        *begin = m->begin[e.vertex];
        *end = m->end[e.vertex];
        valid = e.distance <= now;
    }
    w->served += set_bits(warp_ballot(valid));
    bool heavy = valid && *end - *begin > m->cooperative;
    *heavies = warp_ballot(heavy);
    job->before =
        warp_sum_before(valid && !heavy ? (uint32_t)(*end - *begin) : 0, &total);
    job->first = *begin - job->before;
    job->distance = e.distance;
    job->end = total;
}

WARP_FUNCTION void mlmq_relax(struct mlmq_warp *w, struct mlmq_element e, bool valid) {
    uint64_t begin = 0, end = 0;
    uint32_t heavies = 0;
    struct mlmq_job job;
    memset(&job, 0, sizeof job);
    mlmq_load_control(w);
    mlmq_take_vertices(w, e, valid, &job, &begin, &end, &heavies);
    for (;;) {
        if (job.at >= job.end) {
            if (heavies == 0)
                break;
            unsigned lane = lowest_bit(heavies);
            heavies &= heavies - 1;
            job.one = true;
            job.at = warp_from_64(begin, lane);
            job.end = warp_from_64(end, lane);
            job.from = warp_from(e.distance, lane);
        }
        mlmq_relax_some(w, &job);
        job.at += MLMQ_UNROLL * warp_width;
        if (w->won_count > 0)
            mlmq_write_won(w);
    }
    mlmq_take_control(w);
}

/* ---- a warp ---- */

/* Writes the warp's share of the sources. */
WARP_FUNCTION void mlmq_begin(struct mlmq_warp *w, uint32_t worker) {
    const struct mlmq *m = w->m;
    const uint64_t step = (uint64_t)(m->warps - 1) * warp_width;
    for (uint64_t i = (uint64_t)worker * warp_width; i < m->sources; i += step) {
        struct mlmq_element e = {0, 0};
        bool valid = i + warp_lane() < m->sources;
        if (valid) {
            e.vertex = m->source[i + warp_lane()];
            valid = device_min(&m->distance[e.vertex], 0) > 0;
        }
        mlmq_out(w, e, valid);
        mlmq_drain(w, false);
    }
    w->account = MLMQ_START;
    w->taken = 1;
}

/* Runs a warp until the search is over. Warp 0 is the manager. */
WARP_FUNCTION void mlmq_run_warp(const struct mlmq *m, struct mlmq_shared *shared,
                                 uint32_t number) {
    if (number == 0) {
        mlmq_manage(m);
        return;
    }
    struct mlmq_warp w;
    struct mlmq_element e = {0, 0};
    uint32_t idle = 0;
    bool valid;
    memset(&w, 0, sizeof w);
    w.m = m;
    w.shared = shared;
    w.segment_number = MLMQ_NONE;
    mlmq_look(&w);
    mlmq_begin(&w, number - 1);
    while (w.over == MLMQ_GOES_ON) {
        if (mlmq_read(&w, &e, &valid) > 0) {
            idle = 0;
            mlmq_relax(&w, e, valid);
        } else {
            warp_pause(idle < 6 ? MLMQ_WAIT_NS << idle : MLMQ_WAIT_NS << 6);
            idle++;
            mlmq_look(&w);
        }
        if (w.urgent)
            mlmq_drain(&w, true);
    }
    if (warp_lane() == 0)
        device_add_64(&m->control->served, w.served);
}

#endif
