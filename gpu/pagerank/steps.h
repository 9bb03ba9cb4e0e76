/* The arithmetic of PageRank for all backends. Each expression exists once, so that all
** round alike.
**
**     out[u]       arcs of u; with weights their sum, in units of 2^(exponent of the
**                  largest)
**     share[u]     rank[u] / out[u], the rank that an arc (or a unit of weight) carries;
**                  0 without outgoing arcs
**     arrived      fixed-point sum over the arcs to v: of shares, or of shares times
**                  weights
**     rank[v]      jump(v) + damping * (arrived + lost(v))
**     lost         fixed-point sum of the ranks of vertices without outgoing arcs
**
** Jumps and lost rank go to all vertices equally, or only to the sources. Products and
** sums are rounded one by one: a fused multiply-add would round once where another
** machine rounds twice. */
#ifndef GPUGRAPH_PAGERANK_STEPS_H
#define GPUGRAPH_PAGERANK_STEPS_H

#include "fixed.h"

#ifdef __CUDA_ARCH__
#define RANK_ADD(a, b)      __dadd_rn(a, b)
#define RANK_MULTIPLY(a, b) __dmul_rn(a, b)
#define RANK_DIVIDE(a, b)   __ddiv_rn(a, b)
#else /* compiled with -ffp-contract=off */
#define RANK_ADD(a, b)      ((a) + (b))
#define RANK_MULTIPLY(a, b) ((a) * (b))
#define RANK_DIVIDE(a, b)   ((a) / (b))
#endif

/* The rank that jumps and lost rank add to a vertex, if jumps lead to it. */
typedef struct rank_gift {
    double jump, lost;
} rank_gift;

/* places: the number of vertices that jumps lead to. */
GG_ANYWHERE rank_gift gg_rank_gift(double damping, gg_fixed lost, uint64_t places) {
    rank_gift gift;
    gift.jump = RANK_DIVIDE(RANK_ADD(1.0, -damping), (double)places);
    gift.lost = RANK_DIVIDE(gg_unfix(lost), (double)places);
    return gift;
}

/* arrived: the sum, rounded once. */
GG_ANYWHERE double gg_rank_of(double damping, double arrived, rank_gift gift) {
    return RANK_ADD(gift.jump, RANK_MULTIPLY(damping, RANK_ADD(arrived, gift.lost)));
}

/* Returns the share of an arc: at most 1, apart from rounding. */
GG_ANYWHERE double gg_share(double rank, double out) {
    return out > 0 ? RANK_DIVIDE(rank, out) : 0;
}

GG_ANYWHERE gg_fixed gg_change(double now, double before) {
    return gg_fix(now > before ? RANK_ADD(now, -before) : RANK_ADD(before, -now));
}

/* ---- weights ----
** Weights of one vertex are relative to the power of two below the largest of them. So
** their sum fits fixed point whatever their size, and is rounded once. A weight below
** 2^-96 of that power counts as 0. */

GG_ANYWHERE int gg_weight_exponent(double largest) {
    return (int)(gg_real_word(largest) >> (DOUBLE_BITS - 1)) - DOUBLE_BIAS;
}

/* weight / 2^exponent, below 2. In two steps, because 2^-exponent alone may not be a
** double. */
GG_ANYWHERE double gg_relative_weight(double weight, int exponent) {
    const int half = exponent / 2;
    return RANK_MULTIPLY(RANK_MULTIPLY(weight, gg_power_of_two(-half)),
                         gg_power_of_two(half - exponent));
}

#endif
