/* Shortest paths over a multi-level multi-queue: the life of a warp that relaxes arcs.
**
**     look -> read -> relax -> write -> look -> ...      (read_write.h, relax.h)
**
** Distances only fall, by an atomic minimum, and whoever lowers one writes an element; an
** element whose distance is no longer its vertex's is dropped when it is read. So the end is
** the least fixpoint, whatever the order, and the same to the bit on every run. */
#ifndef GPUGRAPH_MLMQ_WORK_H
#define GPUGRAPH_MLMQ_WORK_H

#include "relax.h"

/* ---- the sweep ---- */

/* Writes the marked vertices of one chunk of the bitmap, all but the last ones, which are to
** be relaxed now: however little room there is, every sweep gets on. 0: there is none. */
WARP_FUNCTION uint32_t mlmq_sweep(struct mlmq_warp *w, struct mlmq_element *e,
                                  bool *valid) {
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
            mlmq_win(w, *e, *valid);
            mlmq_write_won(w);
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

WARP_FUNCTION void mlmq_toil(struct mlmq_warp *w) {
    struct mlmq_element e = {0, 0};
    uint32_t vain = 0;
    bool valid;
    mlmq_look(w);
    while (w->over == MLMQ_GOES_ON) {
        if (mlmq_read(w, &e, &valid) > 0 || mlmq_sweep(w, &e, &valid) > 0) {
            vain = 0;
            mlmq_relax(w, e, valid);
        } else {
            warp_pause(vain < 6 ? MLMQ_WAIT_NS << vain : MLMQ_WAIT_NS << 6);
            vain++;
            mlmq_look(w);
        }
        if (w->urgent)
            mlmq_drain(w, true);
    }
    if (warp_lane() == 0)
        device_add_64(&w->m->control->served, w->served);
}

/* ---- both ---- */

/* The whole life of a warp, the manager's being number 0. */
WARP_FUNCTION void mlmq_live(const struct mlmq *m, struct mlmq_shared *shared,
                             uint32_t number) {
    if (number == 0) {
        mlmq_manage(m);
        return;
    }
    struct mlmq_warp w;
    memset(&w, 0, sizeof w);
    w.m = m;
    w.shared = shared;
    w.number = number - 1;
    w.segment_number = MLMQ_NONE;
    mlmq_toil(&w);
}

#endif
