/* Shortest paths over a multi-level multi-queue: the life of a warp that relaxes arcs.
**
**     look -> read -> relax -> write -> look -> ...
**
** Distances only fall, by an atomic minimum, and whoever lowers one writes an element; an
** element whose distance is no longer its vertex's is dropped when it is read. So the end is
** the least fixpoint, whatever the order, and the same to the bit on every run. */
#ifndef GPUGRAPH_MLMQ_WORK_H
#define GPUGRAPH_MLMQ_WORK_H

#include "mlmq_fifo.h"
#include "mlmq_heap.h"
#include "mlmq_local.h"
#include "mlmq_manage.h"

/* ---- looking ---- */

/* Asks what the manager says, lanes side by side; mlmq_hear waits for the answer. */
WARP_FUNCTION void mlmq_ask_manager(struct mlmq_warp *w) {
    struct mlmq_control *control = w->m->control;
    uint32_t *line = &control->over;
    if (warp_lane() < 7)
        w->asked = device_load(line + warp_lane());
    w->asked_bound = device_load_64(&control->bound);
}

WARP_FUNCTION void mlmq_hear(struct mlmq_warp *w) {
    struct mlmq_control *control = w->m->control;
    w->bound = mlmq_word_from((mlmq_word)w->asked_bound, 0);
    w->over = warp_from(w->asked, 0);
    if (warp_width > 6) {
        w->base = warp_from(w->asked, 1);
        w->bnum = warp_from(w->asked, 2);
        w->pile = warp_from(w->asked, 3);
        w->exhausted = warp_from(w->asked, 6);
    } else {
        w->base = device_load(&control->base);
        w->bnum = device_load(&control->bnum);
        w->pile = device_load(&control->pile);
        w->exhausted = device_load(&control->exhausted);
    }
}

WARP_FUNCTION void mlmq_look(struct mlmq_warp *w) {
    mlmq_ask_manager(w);
    mlmq_hear(w);
}

/* May the warp keep that distance to itself? Not what is behind the buckets that are read;
** but anything where L2 has no room: so whatever is read then is relaxed, not spilled
** again. */
WARP_FUNCTION bool mlmq_inside(const struct mlmq_warp *w, mlmq_word distance) {
    return w->m->l2 != MLMQ_L2DQ || w->exhausted ||
           mlmq_key(w->m, distance) < w->base + w->bnum;
}

/* ---- write ---- */

WARP_FUNCTION void mlmq_l2_write(struct mlmq_warp *w, struct mlmq_element e, bool valid,
                                 bool heaps) {
    if (heaps)
        mlmq_heap_write(w, e, valid);
    else
        mlmq_spill(w, e,
                   mlmq_fifo_write(w, e, valid, mlmq_fifo_of(w, e.distance, valid)));
}

/* From `out` to L2: whole batches, or all. */
WARP_FUNCTION void mlmq_drain(struct mlmq_warp *w, bool all, bool heaps) {
    uint32_t least = all ? 1 : warp_width;
    while (w->out_count >= least) {
        uint32_t count = w->out_count < warp_width ? w->out_count : warp_width;
        struct mlmq_element e = {0, 0};
        bool valid = warp_lane() < count;
        warp_sync();
        w->out_count -= count;
        if (valid) {
            e.distance = w->shared->out_distance[w->out_count + warp_lane()];
            e.vertex = w->shared->out_vertex[w->out_count + warp_lane()];
        }
        mlmq_l2_write(w, e, valid, heaps);
    }
    if (all)
        w->urgent = false;
}

/* An element for each lane with `valid`. At most 31 wait in `out` before: with those not
** kept here, and all of L0 and L1, it has room. */
WARP_FUNCTION void mlmq_write(struct mlmq_warp *w, struct mlmq_element e, bool valid,
                              bool heaps) {
    bool inside = valid && mlmq_inside(w, e.distance);
    mlmq_out(w, e, valid && !inside);
    mlmq_l0_write(w, e, inside);
    mlmq_drain(w, false, heaps);
}

WARP_FUNCTION void mlmq_win(struct mlmq_warp *w, mlmq_word distance, uint32_t vertex,
                            bool won) {
    uint32_t lanes = warp_ballot(won), at = w->won_count + mlmq_rank(lanes);
    if (won) {
        w->shared->won_distance[at] = distance;
        w->shared->won_vertex[at] = vertex;
    }
    w->won_count += set_bits(lanes);
}

WARP_FUNCTION void mlmq_write_won(struct mlmq_warp *w, bool heaps) {
    uint32_t count = w->won_count;
    warp_sync();
    for (uint32_t i = 0; i < count; i += warp_width) {
        bool valid = i + warp_lane() < count;
        struct mlmq_element e = {0, 0};
        if (valid) {
            e.distance = w->shared->won_distance[i + warp_lane()];
            e.vertex = w->shared->won_vertex[i + warp_lane()];
        }
        mlmq_write(w, e, valid, heaps);
    }
    w->won_count = 0;
    warp_sync();
}

/* ---- read ---- */

/* L0 and L1 are empty: once `out` is written, all that was read is finished with. */
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

/* Up to one element for each lane; 0 where there is none now. */
WARP_FUNCTION uint32_t mlmq_read(struct mlmq_warp *w, struct mlmq_element *e, bool *valid,
                                 bool heaps) {
    *valid = false;
    w->task = false;
    uint32_t count = mlmq_l0_read(w, e, valid);
    count += mlmq_l1_read(w, e, valid, count);
    if (count > 0)
        return count;
    if (heaps && (count = mlmq_inbox_read(w, e, valid)) > 0)
        return count;
    mlmq_drain(w, true, heaps);
    mlmq_settle(w);
    count = heaps ? mlmq_heap_read(w, e, valid) : mlmq_fifo_read(w, e, valid);
    if (count == 0 || w->task)
        return count;
    if (w->m->l1 == MLMQ_L1FQ)
        w->threshold =
            mlmq_behind(mlmq_least(*valid ? e->distance : MLMQ_UNREACHED), w->m->filter);
    bool outside = *valid && !mlmq_inside(w, e->distance);
    mlmq_out(w, *e, outside);
    *valid &= !outside;
    return count;
}

/* ---- relax ---- */

/* What a warp relaxes together: all arcs of one vertex, or of all lanes' vertices with few,
** dealt out evenly. */
struct mlmq_job {
    uint64_t at, end;   /* arcs, or numbers of arcs among all */
    bool one;           /* of one vertex */
    mlmq_word from;     /* its distance */
    uint32_t before;    /* of the lane: arcs of the lanes before it */
    uint64_t first;     /* of the lane: its first arc less `before` */
    mlmq_word distance; /* of the lane */
};

/* The arc number k of the job, and the distance it starts from. */
WARP_FUNCTION uint64_t mlmq_arc(const struct mlmq_job *job, uint64_t k, mlmq_word *from) {
    if (job->one) {
        *from = job->from;
        return k;
    }
    /* The last lane whose arcs begin at or before k. */
    unsigned owner = 0;
    for (unsigned step = warp_width / 2; step > 0; step /= 2)
        if (warp_from(job->before, owner + step) <= k)
            owner += step;
    *from = mlmq_word_from(job->distance, owner);
    return warp_from_64(job->first, owner) + k;
}

/* The next MLMQ_UNROLL arcs of each lane: all loads of a kind before the first use. */
WARP_FUNCTION void mlmq_relax_some(struct mlmq_warp *w, const struct mlmq_job *job) {
    const struct mlmq *m = w->m;
    const mlmq_weight *weights = (const mlmq_weight *)m->weight;
    uint32_t vertex[MLMQ_UNROLL];
    mlmq_word sum[MLMQ_UNROLL], old[MLMQ_UNROLL];
    bool live[MLMQ_UNROLL];
    for (unsigned i = 0; i < MLMQ_UNROLL; i++) {
        uint64_t k = job->at + i * warp_width + warp_lane();
        mlmq_word from;
        uint64_t arc = mlmq_arc(job, k, &from);
        live[i] = k < job->end;
        vertex[i] = 0;
        sum[i] = 0;
        if (live[i]) {
            vertex[i] = m->target[arc];
            sum[i] = mlmq_sum(from, weights[arc]);
        }
    }
    for (unsigned i = 0; i < MLMQ_UNROLL; i++) {
        if (live[i] && sum[i] > w->bound) {
            live[i] = false;
            if (!m->tight && sum[i] > m->most)
                device_store(&m->control->dropped, 1);
        }
        old[i] = live[i] ? mlmq_load_distance(m, vertex[i]) : 0;
    }
    for (unsigned i = 0; i < MLMQ_UNROLL; i++) {
        live[i] = live[i] && sum[i] < old[i];
        if (live[i])
            live[i] = sum[i] < mlmq_lower_distance(m, vertex[i], sum[i]);
    }
    for (unsigned i = 0; i < MLMQ_UNROLL; i++)
        if (warp_ballot(live[i]) != 0)
            mlmq_win(w, sum[i], vertex[i], live[i]);
}

/* With a limit: vertices are counted where they are first relaxed; they end there or nearer. */
WARP_FUNCTION void mlmq_count(const struct mlmq_warp *w, struct mlmq_element e,
                              bool valid) {
    uint32_t bit = 1u << e.vertex % 32;
    if (valid && (device_or(&w->m->counted[e.vertex / 32], bit) & bit) == 0)
        device_take(&w->m->binned[mlmq_bin(mlmq_key(w->m, e.distance))], 1);
}

/* Cuts a vertex with very many arcs into tasks. Returns the first arc that is left to this
** warp, for want of room. */
WARP_FUNCTION uint64_t mlmq_cut(struct mlmq_warp *w, uint32_t vertex, mlmq_word from,
                                uint64_t begin, uint64_t end) {
    const struct mlmq *m = w->m;
    const uint32_t hold = 1u << 30;
    uint32_t number = MLMQ_NONE, slices = (uint32_t)((end - begin - 1) / m->slice) + 1;
    if (warp_lane() == 0) {
        number = device_take(&m->control->hub_next, 1) % MLMQ_HUBS;
        struct mlmq_hub *hub = &m->hub[number];
        if (device_enter(&hub->taken, 0, 1)) {
            device_store_64(&hub->begin, begin);
            device_store_64(&hub->end, end);
            device_store_64(&hub->from, from);
            device_store(&hub->vertex, vertex);
            device_publish(&hub->left, hold);
        } else {
            number = MLMQ_NONE;
        }
    }
    number = warp_from(number, 0);
    if (number == MLMQ_NONE)
        return begin;
    uint32_t written = 0;
    for (uint32_t i = 0; i < slices; i += warp_width) {
        struct mlmq_element e = {number, i + warp_lane()};
        bool valid = i + warp_lane() < slices;
        uint32_t lost = warp_ballot(mlmq_fifo_write(w, e, valid, MLMQ_TASK));
        written += set_bits(warp_ballot(valid) & ~lost);
        if (lost) {
            slices = i + lowest_bit(lost);
            break;
        }
    }
    if (warp_lane() == 0) {
        struct mlmq_hub *hub = &m->hub[number];
        if (device_add(&hub->left, written - hold) == hold - written)
            device_publish(&hub->taken, 0);
    }
    uint64_t next = begin + slices * m->slice;
    return next < end ? next : end;
}

/* The arcs of a task; none where the hub has come nearer since. */
WARP_FUNCTION void mlmq_take_slice(const struct mlmq_warp *w, struct mlmq_element e,
                                   struct mlmq_job *job) {
    const struct mlmq *m = w->m;
    struct mlmq_hub *hub = &m->hub[warp_from((uint32_t)e.distance, 0)];
    uint64_t slice = warp_from(e.vertex, 0);
    uint32_t rounds = 0, ready = 0;
    if (warp_lane() == 0)
        while (!(ready = device_acquire(&hub->left)) && mlmq_waits(m, &rounds, 5))
            ;
    ready = warp_from(ready, 0);
    warp_sync();
    uint64_t end = warp_from_64(device_load_64(&hub->end), 0);
    job->one = true;
    job->at = warp_from_64(device_load_64(&hub->begin), 0) + slice * m->slice;
    job->end = job->at + m->slice < end ? job->at + m->slice : end;
    job->from = mlmq_word_from((mlmq_word)device_load_64(&hub->from), 0);
    mlmq_word now = mlmq_load_distance(m, device_load(&hub->vertex));
    if (!ready || mlmq_word_from(now, 0) < job->from || job->from > w->bound)
        job->end = job->at;
    warp_sync();
    if (warp_lane() == 0 && device_add(&hub->left, UINT32_MAX) == 1)
        device_publish(&hub->taken, 0);
}

/* Whose arcs are to be relaxed: looks at distances and rows. *heavies: lanes whose vertex is
** a job of its own; *begin, *end: its arcs. */
WARP_FUNCTION void mlmq_take_vertices(struct mlmq_warp *w, struct mlmq_element e,
                                      bool valid, struct mlmq_job *job, uint64_t *begin,
                                      uint64_t *end, uint32_t *heavies) {
    const struct mlmq *m = w->m;
    uint32_t total;
    if (valid) {
        mlmq_word now = mlmq_load_distance(m, e.vertex);
        *begin = m->offset[e.vertex];
        *end = m->offset[e.vertex + 1];
        valid = e.distance <= now && e.distance <= w->bound;
    }
    w->served += set_bits(warp_ballot(valid));
    if (m->counted)
        mlmq_count(w, e, valid);
    bool heavy = valid && *end - *begin > m->cooperative;
    *heavies = warp_ballot(heavy);
    job->before =
        warp_sum_before(valid && !heavy ? (uint32_t)(*end - *begin) : 0, &total);
    job->first = *begin - job->before;
    job->distance = e.distance;
    job->end = total;
}

WARP_FUNCTION void mlmq_relax(struct mlmq_warp *w, struct mlmq_element e, bool valid,
                              bool heaps) {
    const struct mlmq *m = w->m;
    uint64_t begin = 0, end = 0;
    uint32_t heavies = 0;
    struct mlmq_job job;
    memset(&job, 0, sizeof job);
    mlmq_ask_manager(w);
    if (w->task)
        mlmq_take_slice(w, e, &job);
    else
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
            job.from = mlmq_word_from(e.distance, lane);
            if (!heaps && job.end - job.at > m->hub_arcs)
                job.at =
                    mlmq_cut(w, warp_from(e.vertex, lane), job.from, job.at, job.end);
        }
        mlmq_relax_some(w, &job);
        job.at += MLMQ_UNROLL * warp_width;
        if (w->won_count > 0)
            mlmq_write_won(w, heaps);
    }
    mlmq_hear(w);
}

/* ---- the sweep ---- */

/* Writes the marked vertices of one chunk of the bitmap, all but the last ones, which are to
** be relaxed now: however little room there is, every sweep gets on. 0: there is none. */
WARP_FUNCTION uint32_t mlmq_sweep(struct mlmq_warp *w, struct mlmq_element *e,
                                  bool *valid, bool heaps) {
    const struct mlmq *m = w->m;
    uint32_t *next = &m->control->sweep_next, chunk = m->sweep_chunks;
    if (warp_lane() == 0 && device_load(next) < m->sweep_chunks)
        chunk = device_add(next, 1);
    chunk = warp_from(chunk, 0);
    *valid = false;
    if (chunk >= m->sweep_chunks)
        return 0;
    uint32_t word = chunk * MLMQ_SWEEP_WORDS, last = word + MLMQ_SWEEP_WORDS;
    last = last < m->words ? last : m->words;
    for (; word < last; word += warp_width) {
        uint32_t at = word + warp_lane(), bits = 0;
        if (at < last && device_load(&m->dirty[at]) != 0)
            bits = device_swap(&m->dirty[at], 0);
        while (warp_ballot(bits != 0) != 0) {
            mlmq_look(w); /* the base of this sweep, and whether there is room */
            mlmq_win(w, e->distance, e->vertex, *valid);
            mlmq_write_won(w, heaps);
            *valid = bits != 0;
            if (*valid) {
                e->vertex = at * 32 + lowest_bit(bits);
                e->distance = mlmq_load_distance(m, e->vertex);
            }
            bits &= bits - 1;
        }
    }
    w->account = MLMQ_SWEEP;
    w->taken = 1;
    return 1;
}

/* ---- a worker's life ---- */

WARP_FUNCTION void mlmq_toil(struct mlmq_warp *w, bool heaps) {
    struct mlmq_element e = {0, 0};
    uint32_t vain = 0;
    bool valid;
    mlmq_look(w);
    while (w->over == MLMQ_GOES_ON) {
        if (mlmq_read(w, &e, &valid, heaps) > 0 || mlmq_sweep(w, &e, &valid, heaps) > 0) {
            vain = 0;
            mlmq_relax(w, e, valid, heaps);
        } else {
            warp_pause(vain < 6 ? MLMQ_WAIT_NS << vain : MLMQ_WAIT_NS << 6);
            vain++;
            mlmq_look(w);
        }
        if (w->urgent)
            mlmq_drain(w, true, heaps);
    }
    if (warp_lane() == 0)
        device_add_64(&w->m->control->served, w->served);
}

/* ---- both ---- */

/* The whole life of a warp, the manager's being number 0. */
WARP_FUNCTION void mlmq_live(const struct mlmq *m, struct mlmq_shared *shared,
                             struct mlmq_heap_shared *heap, uint32_t number, bool heaps) {
    if (number == 0) {
        mlmq_manage(m);
        return;
    }
    struct mlmq_warp w;
    memset(&w, 0, sizeof w);
    w.m = m;
    w.shared = shared;
    w.heap = heap;
    w.number = number - 1;
    w.next_heap = w.number;
    w.segment_number = MLMQ_NONE;
    mlmq_toil(&w, heaps);
}

#endif
