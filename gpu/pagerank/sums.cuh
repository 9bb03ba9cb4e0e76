/* PageRank on the device: the arrays of a run, and sums over rows that do not depend on
** the order of additions. A lane, a crew of eight lanes or a warp adds the shares that
** arcs carry, as two doubles (split.h) or in fixed point (fixed.h). */
#ifndef GPUGRAPH_PAGERANK_SUMS_CUH
#define GPUGRAPH_PAGERANK_SUMS_CUH

#include "split.h"
#include "steps.h"
#include "graph/frontier.cuh"

/* Loads a share that no thread writes while the kernel runs. An includer may define
** another load. */
#ifndef RANK_SHARE
#define RANK_SHARE(at) __ldg(at)
#endif

enum {
    LANE_ROW = 8,    /* arcs up to which a lane takes a row */
    CREW = 8,        /* lanes that together take a row of up to EXACT arcs */
    HUB_ROW = 16384, /* blocks share a row of more arcs, in slices of this number */
    AT_ONCE = 4,     /* arcs that a lane loads together */
    ROW_BLOCKS = 16, /* for each multiprocessor */
    WARPS = GG_BLOCK / GG_WARP,
    UNASKED = 8 /* iterations that are queued without a look at the host's stop flag */
};

typedef unsigned long long word;

struct device_fixed { /* a gg_fixed; the carry of the low half goes to the high half */
    word low, high;
};

struct rank_state {
    device_fixed lost[2], change; /* lost: for share and for next_share */
    uint32_t hubs, slices;
};

struct hub_slice {
    uint64_t first, end; /* arcs */
    uint32_t hub;        /* its place in the list */
};

struct ranking {
    struct device_csr out, in;
    gpugraph_distance_type type;
    double damping;
    uint32_t places;
    bool weighted;
    struct rank_state *state;
    double *rank, *share, *next_share, *total;
    uint32_t turn; /* lost[turn] belongs to share, the other one to next_share */
    int16_t *exponent;
    const uint32_t *is_place; /* bit v; NULL: everywhere */
    uint32_t *source;
    uint32_t *hub; /* vertices with long rows */
    hub_slice *slice;
    device_fixed *arrived; /* for hubs, by their place in the list */
};

/* ---- sums ---- */

static __device__ __forceinline__ gg_fixed fixed_of(device_fixed f) {
    return (gg_fixed)f.high << 64 | f.low;
}

/* The carry of the low half goes to the high half. Additions to the halves may come in
** any order. */
static __device__ __forceinline__ void add_fixed(device_fixed *to, gg_fixed part) {
    const word low = (word)part, before = atomicAdd(&to->low, low);
    const word high = (word)(part >> 64) + (before + low < before);
    if (high)
        atomicAdd(&to->high, high);
}

/* The sum over `lanes` successive lanes, a power of two. All lanes of the warp call. */
static __device__ __forceinline__ gg_fixed sum_of_lanes(gg_fixed part, int lanes) {
    for (int step = lanes / 2; step > 0; step /= 2) {
        const word low = __shfl_xor_sync(ALL_LANES, (word)part, step),
                   high = __shfl_xor_sync(ALL_LANES, (word)(part >> 64), step);
        part += (gg_fixed)high << 64 | low;
    }
    return part;
}

/* All threads of the block call. */
static __device__ void add_of_block(device_fixed *to, gg_fixed part) {
    __shared__ device_fixed of_warp[GG_BLOCK / GG_WARP];
    part = sum_of_lanes(part, GG_WARP);
    __syncthreads(); /* the array may be in use by the previous call */
    if (gg_lane() == 0)
        of_warp[threadIdx.x / GG_WARP] = device_fixed{(word)part, (word)(part >> 64)};
    __syncthreads();
    if (threadIdx.x == 0) {
        gg_fixed sum = 0;
        for (int i = 0; i < GG_BLOCK / GG_WARP; i++)
            sum += fixed_of(of_warp[i]);
        if (sum)
            add_fixed(to, sum);
    }
}

static __device__ __forceinline__ double weight_of(const ranking &r, const void *weight,
                                                   uint64_t arc) {
    if (r.type == GPUGRAPH_UINT32)
        return ((const uint32_t *)weight)[arc];
    if (r.type == GPUGRAPH_UINT64)
        return (double)((const int64_t *)weight)[arc];
    return ((const double *)weight)[arc];
}

/* ---- sums over rows ---- */

static __device__ __forceinline__ gg_fixed brought(const ranking &r, uint64_t arc) {
    const uint32_t u = r.in.target[arc];
    return gg_fix(
        __dmul_rn(RANK_SHARE(&r.share[u]),
                  gg_relative_weight(weight_of(r, r.in.weight, arc), r.exponent[u])));
}

/* The sum of the shares of at most EXACT arcs: first, first + step, ... below end. */
static __device__ __forceinline__ split shares_of(const ranking &r, uint64_t first,
                                                  uint64_t end, uint32_t step) {
    split sum = {0, 0};
    for (uint64_t i = first; i < end; i += AT_ONCE * step) {
        uint32_t from[AT_ONCE];
        double share[AT_ONCE];
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++)
            from[k] = i + k * step < end ? r.in.target[i + k * step] : 0;
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++)
            share[k] = i + k * step < end ? RANK_SHARE(&r.share[from[k]]) : 0;
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++)
            split_add(&sum, share[k]);
    }
    return sum;
}

/* A sum over any number of arcs, in fixed point. */
static __device__ __forceinline__ gg_fixed part_of_row(const ranking &r, uint64_t first,
                                                       uint64_t end, uint32_t step) {
    gg_fixed sum = 0;
    if (r.weighted) {
        for (uint64_t i = first; i < end; i += step)
            sum += brought(r, i);
        return sum;
    }
    for (uint64_t i = first; i < end; i += (uint64_t)EXACT * step)
        sum += split_fixed(shares_of(r, i, min(end, i + (uint64_t)EXACT * step), step));
    return sum;
}

/* The sum of a short row, rounded once. */
static __device__ __forceinline__ double row_of_lane(const ranking &r, uint64_t first,
                                                     uint64_t end) {
    if (r.weighted)
        return gg_unfix(part_of_row(r, first, end, 1));
    const split sum = shares_of(r, first, end, 1);
    return sum.high + sum.low;
}

/* The sum of a row of at most EXACT arcs, by a crew. All lanes of the warp call. */
static __device__ __forceinline__ double row_of_crew(const ranking &r, uint64_t first,
                                                     uint64_t end) {
    const uint64_t mine = first + gg_lane() % CREW;
    if (r.weighted) {
        const gg_fixed sum = part_of_row(r, mine, end, CREW);
        __syncwarp();
        return gg_unfix(sum_of_lanes(sum, CREW));
    }
    split sum = shares_of(r, mine, end, CREW);
    __syncwarp();
    for (int step = CREW / 2; step > 0; step /= 2) {
        sum.high += __shfl_xor_sync(ALL_LANES, sum.high, step);
        sum.low += __shfl_xor_sync(ALL_LANES, sum.low, step);
    }
    return sum.high + sum.low;
}

struct warp_rows { /* the rows of a warp that crews take */
    uint8_t owner[GG_WARP];
    double arrived[GG_WARP];
};

/* Crews take the rows of these lanes, a few at a time. Returns the sum of the calling
** lane's row. */
static __device__ __forceinline__ double rows_of_crews(const ranking &r, warp_rows *w,
                                                       unsigned rows, uint64_t first,
                                                       uint64_t end) {
    const uint32_t count = (uint32_t)__popc(rows), lane = gg_lane();
    const bool has = rows >> lane & 1;
    if (has)
        w->owner[__popc(rows & ((1u << lane) - 1))] = (uint8_t)lane;
    __syncwarp();
    for (uint32_t i = lane / CREW; i - lane / CREW < count; i += GG_WARP / CREW) {
        const uint32_t owner = w->owner[i < count ? i : 0];
        const uint64_t from = __shfl_sync(ALL_LANES, first, owner),
                       to = __shfl_sync(ALL_LANES, end, owner);
        const double arrived = row_of_crew(r, from, i < count ? to : from);
        if (lane % CREW == 0 && i < count)
            w->arrived[owner] = arrived;
    }
    __syncwarp();
    return has ? w->arrived[lane] : 0;
}

/* The sum over the row of the calling lane; 0 for more than HUB_ROW arcs. All lanes of
** the warp call. A lane without a row passes an empty one. */
static __device__ __forceinline__ double arrived_at(const ranking &r, warp_rows *w,
                                                    uint64_t first, uint64_t end) {
    const uint64_t arcs = end - first;
    double arrived = arcs <= LANE_ROW ? row_of_lane(r, first, end) : 0;
    const unsigned some = __ballot_sync(ALL_LANES, arcs > LANE_ROW && arcs <= EXACT);
    unsigned rows = __ballot_sync(ALL_LANES, arcs > EXACT && arcs <= HUB_ROW);
    if (some)
        arrived += rows_of_crews(r, w, some, first, end);
    for (; rows; rows &= rows - 1) {
        const int owner = __ffs((int)rows) - 1;
        const uint64_t from = __shfl_sync(ALL_LANES, first, owner),
                       to = __shfl_sync(ALL_LANES, end, owner);
        const gg_fixed sum =
            sum_of_lanes(part_of_row(r, from + gg_lane(), to, GG_WARP), GG_WARP);
        if ((int)gg_lane() == owner)
            arrived = gg_unfix(sum);
    }
    return arrived;
}

/* ---- weights, hubs, shares: a warp or a lane for each vertex ---- */

/* Fills total[u], by the warp. Returns the exponent. */
static __device__ __forceinline__ int sum_weights_of(const ranking &r, uint64_t u) {
    const uint64_t first = r.out.begin[u] + gg_lane(), end = r.out.end[u];
    double largest = 0;
    for (uint64_t i = first; i < end; i += GG_WARP)
        largest = fmax(largest, weight_of(r, r.out.weight, i));
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        largest = fmax(largest, __shfl_xor_sync(ALL_LANES, largest, step));
    const int exponent = gg_weight_exponent(largest);
    gg_fixed sum = 0;
    for (uint64_t i = first; i < end && largest > 0; i += GG_WARP)
        sum += gg_fix(gg_relative_weight(weight_of(r, r.out.weight, i), exponent));
    sum = sum_of_lanes(sum, GG_WARP);
    if (gg_lane() == 0)
        r.total[u] = gg_unfix(sum);
    return exponent;
}

/* Lists v if it is a hub. All lanes of the warp call. A lane without a row passes an
** empty one. */
static __device__ __forceinline__ void list_hub(const ranking &r, uint64_t v,
                                                uint64_t first, uint64_t end) {
    const bool hub = end - first > HUB_ROW;
    const uint32_t at = gg_reserve(&r.state->hubs, hub);
    if (!hub)
        return;
    const uint32_t slices = (uint32_t)((end - first + HUB_ROW - 1) / HUB_ROW);
    r.hub[at] = (uint32_t)v;
    uint32_t k = atomicAdd(&r.state->slices, slices);
    for (uint64_t arc = first; arc < end; arc += HUB_ROW, k++)
        r.slice[k] = hub_slice{arc, min(end, arc + HUB_ROW), at};
}

/* The share of `rank` that each arc of u carries. The rank of a vertex without arcs is
** added to *lost. */
static __device__ __forceinline__ double
share_of(const ranking &r, uint32_t u, uint64_t degree, double rank, gg_fixed *lost) {
    const double out = r.weighted ? r.total[u] : (double)degree;
    const double share = gg_share(rank, out);
    if (!(out > 0))
        *lost += gg_fix(rank);
    return r.weighted ? share : split_cut(share);
}

static __device__ __forceinline__ bool is_place(const ranking &r, uint32_t v) {
    return !r.is_place || (r.is_place[v / 32] >> v % 32 & 1);
}

static __device__ __forceinline__ double first_rank(const ranking &r, uint32_t v) {
    return is_place(r, v) ? __ddiv_rn(1.0, (double)r.places) : 0;
}

/* Computes the new rank of v and returns its share. */
static __device__ __forceinline__ double new_share(const ranking &r, uint32_t v,
                                                   uint64_t degree, double before,
                                                   double arrived, rank_gift gift,
                                                   gg_fixed *change, gg_fixed *lost) {
    const rank_gift none = {0, 0};
    const double now = gg_rank_of(r.damping, arrived, is_place(r, v) ? gift : none);
    *change += gg_change(now, before);
    r.rank[v] = now;
    return share_of(r, v, degree, now, lost);
}

/* The row of a hub has more than HUB_ROW arcs. */
static inline uint64_t most_hubs(uint64_t arcs, uint64_t n) {
    const uint64_t most = arcs / HUB_ROW + 1;
    return most < n ? most : n;
}

/* Whole slices, and one more for each hub. */
static inline uint64_t most_slices(uint64_t arcs, uint64_t n) {
    return arcs / HUB_ROW + most_hubs(arcs, n);
}

#endif
