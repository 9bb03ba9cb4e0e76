/* L0 and L1 of a multi-level multi-queue: the elements that a warp keeps for itself.
**
**     L0       an element in registers of each lane
**     L1       [ first ........ ]           FIFO; each `write_back`-th write empties it
**     out                                   on the way to L2, written 32 at a time
**
** Elements that do not fit go to `out`. They are urgent, because other warps could work
** on them. */
#ifndef GPUGRAPH_MLMQ_LOCAL_H
#define GPUGRAPH_MLMQ_LOCAL_H

#include "mlmq.h"

WARP_FUNCTION void mlmq_out(struct mlmq_warp *w, struct mlmq_element e, bool valid) {
    uint32_t lanes = warp_ballot(valid), at = w->out_count + mlmq_rank(lanes);
    if (valid)
        w->shared->out[at] = e;
    w->out_count += set_bits(lanes);
}

WARP_FUNCTION void mlmq_out_urgent(struct mlmq_warp *w, struct mlmq_element e,
                                   bool valid) {
    w->urgent |= warp_ballot(valid) != 0;
    mlmq_out(w, e, valid);
}

/* ---- L1 ---- */

/* The index in L1 of the element that is `behind` places behind the first one. */
WARP_FUNCTION uint32_t mlmq_l1_place(const struct mlmq_warp *w, uint32_t behind) {
    uint32_t at = w->l1_first + behind;
    return at < w->m->l1_capacity ? at : at - w->m->l1_capacity;
}

/* Moves all elements to `out`. */
WARP_FUNCTION void mlmq_l1_flush(struct mlmq_warp *w) {
    warp_sync();
    for (uint32_t i = 0; i < w->l1_count; i += warp_width) {
        bool valid = i + warp_lane() < w->l1_count;
        struct mlmq_element e = {0, 0};
        if (valid)
            e = w->shared->l1[mlmq_l1_place(w, i + warp_lane())];
        mlmq_out_urgent(w, e, valid);
    }
    w->l1_count = 0;
}

WARP_FUNCTION void mlmq_l1_write(struct mlmq_warp *w, struct mlmq_element e, bool valid) {
    uint32_t lanes = warp_ballot(valid), behind = w->l1_count + mlmq_rank(lanes);
    bool fits = valid && behind < w->m->l1_capacity;
    if (lanes == 0)
        return;
    if (fits)
        w->shared->l1[mlmq_l1_place(w, behind)] = e;
    w->l1_count += set_bits(warp_ballot(fits));
    mlmq_out_urgent(w, e, valid && !fits);
    w->writes++;
    if (w->m->write_back > 0 && w->writes % w->m->write_back == 0)
        mlmq_l1_flush(w);
}

/* Reads up to one element for each lane from lane `first` on. Returns their number. */
WARP_FUNCTION uint32_t mlmq_l1_read(struct mlmq_warp *w, struct mlmq_element *e,
                                    bool *valid, uint32_t first) {
    uint32_t room = warp_width - first;
    uint32_t count = w->l1_count < room ? w->l1_count : room, i = warp_lane() - first;
    if (count == 0)
        return 0;
    warp_sync();
    if (warp_lane() >= first && i < count) {
        *valid = true;
        *e = w->shared->l1[mlmq_l1_place(w, i)];
    }
    w->l1_first = mlmq_l1_place(w, count);
    w->l1_count -= count;
    warp_sync();
    return count;
}

/* ---- L0 ---- */

WARP_FUNCTION void mlmq_l0_write(struct mlmq_warp *w, struct mlmq_element e, bool valid) {
    if (!w->m->l0) {
        mlmq_l1_write(w, e, valid);
        return;
    }
    if (warp_ballot(valid && w->l0_full) != 0) {
        mlmq_l1_write(w, w->l0, w->l0_full);
        w->l0_full = false;
    }
    if (valid)
        w->l0 = e;
    w->l0_full |= valid;
}

/* Moves the elements of all lanes to the first lanes. Returns their number. */
WARP_FUNCTION uint32_t mlmq_l0_read(struct mlmq_warp *w, struct mlmq_element *e,
                                    bool *valid) {
    uint32_t lanes = warp_ballot(w->l0_full), count = set_bits(lanes);
    if (count == 0)
        return 0;
    struct mlmq_element *all = w->shared->won; /* it is empty here */
    if (w->l0_full)
        all[mlmq_rank(lanes)] = w->l0;
    w->l0_full = false;
    warp_sync();
    *valid = warp_lane() < count;
    if (*valid)
        *e = all[warp_lane()];
    warp_sync();
    return count;
}

#endif
