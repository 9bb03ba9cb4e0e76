/* How a warp of a multi-level multi-queue relaxes the arcs of the vertices it has read. */
#ifndef GPUGRAPH_MLMQ_RELAX_H
#define GPUGRAPH_MLMQ_RELAX_H

#include "read_write.h"

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
        if (live[i] && sum[i] > m->most) {
            live[i] = false;
            if (!m->tight)
                device_store(&m->control->dropped, 1);
        }
        old[i] = live[i] ? mlmq_load_distance(m, vertex[i]) : 0;
    }
    for (unsigned i = 0; i < MLMQ_UNROLL; i++) {
        live[i] = live[i] && sum[i] < old[i];
        old[i] = 0;
        if (live[i])
            old[i] = mlmq_lower_distance(m, vertex[i], sum[i]);
    }
    for (unsigned i = 0; i < MLMQ_UNROLL; i++)
        live[i] = sum[i] < old[i];
    for (unsigned i = 0; i < MLMQ_UNROLL; i++)
        if (warp_ballot(live[i]) != 0)
            mlmq_win(w, sum[i], vertex[i], live[i]);
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
    if (!ready || mlmq_word_from(now, 0) < job->from)
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
            if (job.end - job.at > m->hub_arcs)
                job.at =
                    mlmq_cut(w, warp_from(e.vertex, lane), job.from, job.at, job.end);
        }
        mlmq_relax_some(w, &job);
        job.at += MLMQ_UNROLL * warp_width;
        if (w->won_count > 0)
            mlmq_write_won(w);
    }
    mlmq_hear(w);
}

#endif
