/* The steps of a warp of a multi-level multi-queue between two vertices: it reads the
** manager's words, reads elements from the first level that has some, and writes elements
** to their level. */
#ifndef GPUGRAPH_MLMQ_READ_WRITE_H
#define GPUGRAPH_MLMQ_READ_WRITE_H

#include "fifo.h"
#include "local.h"
#include "manage.h"

/* ---- the manager's words ---- */

/* Loads the manager's words, one by each lane; mlmq_hear waits for them. */
WARP_FUNCTION void mlmq_ask_manager(struct mlmq_warp *w) {
    struct mlmq_control *control = w->m->control;
    uint32_t *line = &control->over;
    if (warp_lane() < 5)
        w->asked = device_load(line + warp_lane());
}

WARP_FUNCTION void mlmq_hear(struct mlmq_warp *w) {
    struct mlmq_control *control = w->m->control;
    w->over = warp_from(w->asked, 0);
    if (warp_width > 4) {
        w->base = warp_from(w->asked, 1);
        w->bnum = warp_from(w->asked, 2);
        w->pile = warp_from(w->asked, 3);
        w->exhausted = warp_from(w->asked, 4);
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

/* True if the warp may keep that distance to itself: it is in a bucket that may be read,
** or L2 has no room. In the second case a warp relaxes what it reads and does not spill
** it again. */
WARP_FUNCTION bool mlmq_inside(const struct mlmq_warp *w, uint32_t distance) {
    return w->exhausted || mlmq_key(w->m, distance) < w->base + w->bnum;
}

/* ---- write ---- */

WARP_FUNCTION void mlmq_l2_write(struct mlmq_warp *w, struct mlmq_element e, bool valid) {
    mlmq_spill(w, e, mlmq_fifo_write(w, e, valid, mlmq_fifo_of(w, e.distance, valid)));
}

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
        mlmq_l2_write(w, e, valid);
    }
    if (all)
        w->urgent = false;
}

/* Writes the element of each lane with `valid`. At most 31 elements wait in `out` before.
** It has room for these, for the new elements, and for all of L0 and L1. */
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

#endif
