/* How a warp of a multi-level multi-queue relaxes the arcs of the vertices it has read. */
#ifndef GPUGRAPH_MLMQ_RELAX_H
#define GPUGRAPH_MLMQ_RELAX_H

#include "read_write.h"

/* What a warp relaxes together: all arcs of one vertex, or of all lanes' vertices with few,
** dealt out evenly. */
struct mlmq_job {
    uint64_t at, end;  /* arcs, or numbers of arcs among all */
    bool one;          /* of one vertex */
    uint32_t from;     /* its distance */
    uint32_t before;   /* of the lane: arcs of the lanes before it */
    uint64_t first;    /* of the lane: its first arc less `before` */
    uint32_t distance; /* of the lane */
};

/* The arc number k of the job, and the distance it starts from. */
WARP_FUNCTION uint64_t mlmq_arc(const struct mlmq_job *job, uint64_t k, uint32_t *from) {
    if (job->one) {
        *from = job->from;
        return k;
    }
    /* The last lane whose arcs begin at or before k. */
    unsigned owner = 0;
    for (unsigned step = warp_width / 2; step > 0; step /= 2)
        if (warp_from(job->before, owner + step) <= k)
            owner += step;
    *from = warp_from(job->distance, owner);
    return warp_from_64(job->first, owner) + k;
}

/* The next MLMQ_UNROLL arcs of each lane: all loads of a kind before the first use. */
WARP_FUNCTION void mlmq_relax_some(struct mlmq_warp *w, const struct mlmq_job *job) {
    const struct mlmq *m = w->m;
    struct mlmq_element next[MLMQ_UNROLL]; /* a target and the sum of the way there */
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
        old[i] = live[i] ? mlmq_load_distance(m, next[i].vertex) : 0;
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

/* Whose arcs are to be relaxed: looks at distances and rows. *heavies: lanes whose vertex is
** a job of its own; *begin, *end: its arcs. */
WARP_FUNCTION void mlmq_take_vertices(struct mlmq_warp *w, struct mlmq_element e,
                                      bool valid, struct mlmq_job *job, uint64_t *begin,
                                      uint64_t *end, uint32_t *heavies) {
    const struct mlmq *m = w->m;
    uint32_t total;
    if (valid) {
        uint32_t now = mlmq_load_distance(m, e.vertex);
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
    mlmq_ask_manager(w);
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
    mlmq_hear(w);
}

#endif
