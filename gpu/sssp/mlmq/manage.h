/* The manager of a multi-level multi-queue: one warp that relaxes nothing.
**
**     a round    reads the accounts, moves `base` and exchanges the piles, adjusts `bnum`
**     the end    all accounts are balanced, or the search was stopped or has failed
**
** Only the manager writes the words that mlmq_look reads. Other warps write `over` after
** a failure or an overflow. */
#ifndef GPUGRAPH_MLMQ_MANAGE_H
#define GPUGRAPH_MLMQ_MANAGE_H

#include "mlmq.h"

/* Rounds between two polls of the host's flag, which is across the bus, and of a worker's
** failure. */
#define MLMQ_ASK_HOST  128
#define MLMQ_ASK_GUARD 16

struct mlmq_manager {
    const struct mlmq *m;
    uint32_t base, pile, bnum;
    uint64_t busy; /* bit i: account i is not balanced */
};

/* Reads all `done`, then all tails: an account whose two words agree was balanced between
** the two reads. */
WARP_FUNCTION void mlmq_read_accounts(struct mlmq_manager *g) {
    struct mlmq_control *control = g->m->control;
    uint32_t done[MLMQ_ACCOUNTS / warp_width];
    for (unsigned i = 0; i < MLMQ_ACCOUNTS / warp_width; i++)
        done[i] = device_acquire(&control->done[i * warp_width + warp_lane()]);
    warp_sync();
    g->busy = 0;
    for (unsigned i = 0; i < MLMQ_ACCOUNTS / warp_width; i++) {
        uint32_t tail = device_load(&control->tail[i * warp_width + warp_lane()]);
        g->busy |= (uint64_t)warp_ballot(tail != done[i]) << i * warp_width;
    }
}

/* Moves the base past finished buckets. */
WARP_FUNCTION void mlmq_move_base(struct mlmq_manager *g) {
    struct mlmq_control *control = g->m->control;
    const uint64_t open = (uint64_t)1 << (MLMQ_PILE + 1 - g->pile);
    if (g->busy & (open | (uint64_t)1 << MLMQ_START))
        return;
    uint32_t ring = (uint32_t)g->busy, turn = g->base % MLMQ_RING;
    ring = ring >> turn | (turn ? ring << (MLMQ_RING - turn) : 0);
    uint32_t base = ring ? g->base + lowest_bit(ring) : MLMQ_KEY_MOST;
    bool flip = false;
    if (g->busy >> (MLMQ_PILE + g->pile) & 1) {
        uint32_t least = warp_from(device_load(&control->pile_least[g->pile]), 0);
        flip = ring == 0 || least <= base;
        base = flip ? least : base;
    } else if (ring == 0) {
        return;
    }
    if (base < g->base)
        base = g->base;
    if (flip)
        g->pile = 1 - g->pile;
    if ((flip || base != g->base) && warp_lane() == 0) {
        if (flip)
            device_store(&control->pile_least[g->pile], MLMQ_KEY_MOST);
        device_store(&control->base, base);
        device_publish(&control->pile, g->pile);
    }
    g->base = base;
}

/* Adjusts the number of buckets that are read, so that all warps have work: one more if
** these buckets are empty, one less if they are full. */
WARP_FUNCTION void mlmq_adjust_bnum(struct mlmq_manager *g) {
    struct mlmq_control *control = g->m->control;
    uint32_t sum = 0, bnum = g->bnum;
    for (uint32_t i = warp_lane(); i < bnum; i += warp_width) {
        int32_t here =
            (int32_t)device_load(&control->available[(g->base + i) % MLMQ_RING]);
        sum += here > 0 ? (uint32_t)here : 0;
    }
    warp_sum_before(sum, &sum);
    if (sum == 0 && bnum < g->m->bnum)
        bnum++;
    else if (sum > g->m->warps * warp_width && bnum > 1)
        bnum--;
    if (bnum != g->bnum && warp_lane() == 0)
        device_store(&control->bnum, bnum);
    g->bnum = bnum;
}

/* Ends the search, unless a warp has ended it. */
WARP_FUNCTION void mlmq_end(const struct mlmq *m, uint32_t how) {
    if (warp_lane() == 0)
        device_enter(&m->control->over, MLMQ_GOES_ON, how);
}

WARP_FUNCTION void mlmq_manage(const struct mlmq *m) {
    struct mlmq_control *control = m->control;
    struct mlmq_manager g = {m, device_load(&control->base), device_load(&control->pile),
                             device_load(&control->bnum), 0};
    uint64_t round = 0;
    for (;; round++) {
        uint32_t stop = 0;
        if (round % MLMQ_ASK_HOST == 0 && warp_lane() == 0)
            stop = host_load(m->host_stop);
        if (warp_from(stop, 0) != 0) {
            mlmq_end(m, MLMQ_STOPPED);
            break;
        }
        if (round % MLMQ_ASK_GUARD == 0 &&
            warp_from(device_load(&control->over), 0) != MLMQ_GOES_ON)
            break;
        mlmq_read_accounts(&g);
        if (g.busy == 0) {
            mlmq_end(m, MLMQ_DONE);
            break;
        }
        mlmq_move_base(&g);
        mlmq_adjust_bnum(&g);
        if (warp_width == 1)
            warp_pause(0);
    }
    if (warp_lane() == 0)
        device_store_64(&control->rounds, round);
}

#endif
