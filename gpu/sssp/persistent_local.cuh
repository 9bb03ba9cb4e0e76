/* How the engine "persistent" relaxes a list of few vertices of small degree. Each block
** relaxes its share, then the vertices that this has put into the bucket, and so on,
** without waiting for other blocks.
**
** Each warp has a ring in shared memory. All warps of the block write to it, and the warp
** alone reads it. There are no rounds, so no warp waits for the slowest one. An entry
** holds the vertex, its distance, and its row. The distance shows whether the entry is
** stale. The row is loaded at the same time as the atomic minimum. So a step along a path
** costs two trips to memory, one for arcs and one for their targets. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_LOCAL_CUH
#define GPUGRAPH_SSSP_PERSISTENT_LOCAL_CUH

#include "base/handed.cuh"
#include "persistent_steps.cuh"

/* Reads a word in shared memory that other warps change. */
SSSP_STEP uint32_t look(const uint32_t *at) {
    gg_late();
    return gg_handed_now(at);
}
SSSP_STEP void set(uint32_t *at, uint32_t value) {
    gg_late();
    gg_hand_now(at, value);
}

/* Puts a vertex that the block cannot keep into the list of the next round. */
template <typename type>
static __device__ void hand_on(const persistent<type> &p, const place<type> &at,
                               uint32_t v, bool is_long) {
    struct round *round = &p.state->board.round[at.round % 3];
    if (is_long)
        atomicOr(&round->flags, (uint32_t)LONG_ROWS);
    if (claim(p, at, v))
        list_at(p, next_list(at))[atomicAdd(&round->vertices, 1u)] = v;
}

/* ---- rows, read or fixed ---- */

template <typename type> SSSP_STEP bool is_fixed(const persistent<type> &p) {
    return can_be_fixed<type>() && p.fixed != NULL;
}

template <typename type>
SSSP_STEP const uint64_t *fixed_row(const persistent<type> &p, uint32_t v) {
    return p.fixed + ((uint64_t)v << p.group);
}

/* The row of v. A fixed row need not be read, and counts as a row of one arc. */
template <typename type>
SSSP_STEP void look_for_row(const persistent<type> &p, uint32_t v, uint64_t *begin,
                            uint64_t *end) {
    *begin = 0;
    *end = 1;
    if (!is_fixed(p))
        row_at(p, v, begin, end);
}

/* ---- rings ---- */

/* Puts v into the ring of a warp of the block. A vertex always goes to the same warp. */
template <typename type>
SSSP_STEP void keep(const persistent<type> &p, const place<type> &at,
                    block_memory<type> &m, uint32_t v, typename type::word from,
                    uint64_t begin, uint64_t end) {
    if (end - begin > LOCAL_ROW || look(&m.own.leaving)) {
        hand_on(p, at, v, end - begin > LOCAL_ROW);
        return;
    }
    const uint32_t ring = v * 0x9E3779B1u >> 16 & (WARPS - 1);
    if (atomicAdd(&m.own.used[ring], 1u) >= RING) {
        atomicSub(&m.own.used[ring], 1u);
        hand_on(p, at, v, false);
        return;
    }
    atomicAdd(&m.own.pending, 1u);
    uint32_t i = atomicAdd(&m.own.tail[ring], 1u) % RING;
    gg_hand(&m.own.from[ring][i], from);
    if (!is_fixed(p)) {
        gg_hand(&m.own.begin[ring][i], begin);
        gg_hand(&m.own.degree[ring][i], (uint32_t)(end - begin));
    }
    __threadfence_block();
    set(&m.own.vertex[ring][i], v);
}

/* Relaxes one arc, to v, of a vertex that was put into the ring at distance `from`. */
template <typename type>
SSSP_STEP void relax_own(const persistent<type> &p, const place<type> &at,
                         block_memory<type> &m, uint32_t v, typename type::weight weight,
                         typename type::word from) {
    typename type::word sum = type::add(from, weight);
    if (!in_range(p, m, sum) || !may_lead(p, m, v, sum))
        return;
    uint64_t begin, end;
    look_for_row(p, v, &begin, &end);
    typename type::word before = atomicMin(&p.distance[v], sum);
    if (sum >= before)
        return;
    note_path(p, m, v, sum);
    if (!falls_in_bucket(p, at, m, v, sum, before) || begin == end)
        return;
    if (is_fixed(p)) {
        gg_fetch_ahead(fixed_row(p, v));
    } else {
        gg_fetch_ahead(target_place(p, begin));
        gg_fetch_ahead(weight_place(p, begin));
    }
    keep(p, at, m, v, sum, begin, end);
}

/* Puts the block's share of the list into its rings. */
template <typename type>
static __device__ void take_share(const persistent<type> &p, const place<type> &at,
                                  block_memory<type> &m, const input &in) {
    uint32_t share = (in.count + gridDim.x - 1) / gridDim.x;
    uint64_t i = (uint64_t)blockIdx.x * share + threadIdx.x;
    if (threadIdx.x >= share || i >= in.count)
        return;
    uint32_t v = __ldcg(&in.vertex[i]);
    uint64_t begin, end;
    look_for_row(p, v, &begin, &end);
    typename type::word from = gg_peek(&p.distance[v]);
    if (in.contents == OF_BUCKET) {
        if (bucket_of(at, from) != at.bucket)
            return;
        settle(p, m, v);
    }
    keep(p, at, m, v, from, begin, end);
}

/* Relaxes the arcs of v behind its fixed ones, by the lanes of a group. */
template <typename type>
static __device__ void relax_left(const persistent<type> &p, const place<type> &at,
                                  block_memory<type> &m, uint32_t v,
                                  typename type::word from) {
    const uint32_t lanes = 1u << p.group, lane = gg_lane() & (lanes - 1);
    uint64_t begin, end;
    row_at(p, v, &begin, &end);
    for (uint64_t k = begin + lanes - 1 + lane; k < end; k += lanes) {
        const arc_ahead<type> arc = arc_now(p, k, true);
        relax_own(p, at, m, arc.target, arc.weight, from);
    }
}

/* Relaxes fixed arcs. `mine`: this lane's group has v, which was put into the ring at
** distance `from`. */
template <typename type>
SSSP_STEP void relax_fixed(const persistent<type> &p, const place<type> &at,
                           block_memory<type> &m, bool mine, uint32_t v,
                           typename type::word from) {
    const uint32_t lanes = 1u << p.group, lane = gg_lane() & (lanes - 1);
    const uint64_t arc = gg_load_now(fixed_row(p, v) + lane, mine);
    const typename type::word now = mine ? gg_peek(&p.distance[v]) : from + 1;
    mine = mine && now == from;
    const uint32_t target = (uint32_t)arc;
    const uint32_t last = __shfl_sync(ALL_LANES, target, (int)(gg_lane() | (lanes - 1)));
    if (mine && target < GG_FIXED_MORE)
        relax_own(p, at, m, target, (typename type::weight)(arc >> 32), from);
    if (mine && last == GG_FIXED_MORE)
        relax_left(p, at, m, v, from);
}

/* Relaxes a row that was read. */
template <typename type>
SSSP_STEP void relax_row(const persistent<type> &p, const place<type> &at,
                         block_memory<type> &m, bool mine, uint32_t v,
                         typename type::word from, uint64_t begin, uint32_t degree) {
    const uint32_t lanes = 1u << p.group, lane = gg_lane() & (lanes - 1);
    const uint32_t half = half_of(p, begin);
    typename type::word now = from;
    arc_ahead<type> arc = arc_now(p, begin + lane, mine && lane < degree);
    if (mine)
        now = gg_peek(&p.distance[v]);
    mine = mine && now == from && is_wanted(p, m, v, now);
    for (uint32_t k = lane; mine && k < degree; k += lanes) {
        if (k != lane)
            arc = arc_now(p, begin + k, true);
        relax_own(p, at, m, half + arc.target, arc.weight, from);
    }
}

/* Takes entries from the head of the warp's ring, one for each group of lanes. Returns
** their number. */
template <typename type>
SSSP_STEP uint32_t relax_batch(const persistent<type> &p, const place<type> &at,
                               block_memory<type> &m, uint32_t ring, uint32_t head) {
    const uint32_t lanes = 1u << p.group;
    const uint32_t lane = gg_lane() & (lanes - 1), group = gg_lane() >> p.group;
    const uint32_t i = (head + group) % RING;
    uint32_t v = look(&m.own.vertex[ring][i]);
    unsigned absent = __ballot_sync(ALL_LANES, v == GPUGRAPH_NONE);
    uint32_t there =
        absent ? (uint32_t)(__ffs((int)absent) - 1) >> p.group : GG_WARP >> p.group;
    if (there == 0)
        return 0;
    __threadfence_block();
    const bool mine = group < there;
    const typename type::word from = gg_handed(&m.own.from[ring][i]);
    uint64_t begin = 0;
    uint32_t degree = 0;
    if (!is_fixed(p)) {
        begin = gg_handed(&m.own.begin[ring][i]);
        degree = gg_handed(&m.own.degree[ring][i]);
    }
    __syncwarp();
    if (mine && lane == 0)
        set(&m.own.vertex[ring][i], GPUGRAPH_NONE);
    __threadfence_block();
    __syncwarp();
    if (gg_lane() == 0)
        atomicSub(&m.own.used[ring], there);
    if (is_fixed(p))
        relax_fixed(p, at, m, mine, v, from);
    else
        relax_row(p, at, m, mine, v, from, begin, degree);
    __syncwarp();
    if (gg_lane() == 0) {
        atomicAdd(&m.served, there);
        __threadfence_block();
        atomicSub(&m.own.pending, there);
    }
    return there;
}

/* Runs each block until its rings are empty, or for a number of batches. */
template <typename type>
static __device__ void local(const persistent<type> &p, const place<type> &at,
                             block_memory<type> &m, const input &in) {
    const uint32_t ring = threadIdx.x / GG_WARP;
    uint32_t head = 0, batches = 0, looks = 0;
    for (uint32_t i = gg_lane(); i < RING; i += GG_WARP)
        m.own.vertex[ring][i] = GPUGRAPH_NONE;
    if (gg_lane() == 0)
        m.own.used[ring] = m.own.tail[ring] = 0;
    if (threadIdx.x == 0)
        m.own.pending = m.own.leaving = 0;
    __syncthreads();
    take_share(p, at, m, in);
    __syncthreads();
    while (looks < LOCAL_LOOKS) {
        uint32_t there = relax_batch(p, at, m, ring, head);
        head += there;
        batches += there > 0;
        looks = there > 0 ? 0 : looks + 1;
        if (batches == LOCAL_BATCHES && gg_lane() == 0)
            set(&m.own.leaving, 1u);
        if (there > 0) {
            if (batches % 8 == 0)
                make_room(p, at, m);
            continue;
        }
        unsigned over = look(&m.own.pending) == 0;
        if (__shfl_sync(ALL_LANES, over, 0))
            break;
    }
    if (looks == LOCAL_LOOKS && gg_lane() == 0)
        p.state->failed = 1;
    __syncthreads();
}

#endif
