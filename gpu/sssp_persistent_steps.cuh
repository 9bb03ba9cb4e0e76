/* The two ways in which the engine "persistent" relaxes a list of vertices:
**
**     walk     many vertices, any degrees: a warp takes some rows and deals their arcs out
**              evenly to its lanes
**     local    few vertices of small degree: each block relaxes its share, and what falls
**              within the bucket by that, and so on, with no other block waited for
**
** Within a block each warp has a ring in shared memory, which all warps of the block write
** and it alone reads. There are no rounds: nobody waits for the slowest. An entry holds
** the distance beside the vertex, so that one that was overtaken is known as such, and the
** row, which is fetched together with the atomic minimum: so a step along a path costs two
** trips to memory, one for arcs and one for what they lead to. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_STEPS_CUH
#define GPUGRAPH_SSSP_PERSISTENT_STEPS_CUH

#include "sssp_persistent_ends.cuh"

/* What a list holds. */
enum contents {
    OF_ROUND,   /* vertices of the current bucket that fell */
    OF_BUCKET,  /* those of a bucket, stale ones among them */
    OF_SETTLED, /* those whose heavy arcs are due */
    OF_SLICES   /* parts of long rows */
};

struct input {
    enum contents contents;
    const uint32_t *vertex;
    uint32_t count;
    bool heavy; /* OF_SLICES: of OF_SETTLED */
};

/* ---- walk ---- */

/* A long row goes into the list of slices instead. */
template <typename type>
static __device__ void cut(const struct persistent<type> &p, const struct place<type> &at,
                           uint32_t v, uint64_t arcs) {
    uint32_t parts = (uint32_t)((arcs + (1u << p.slice_arcs) - 1) >> p.slice_arcs);
    uint32_t first = atomicAdd(&p.state->board.round[at.round % 3].slices, parts);
    for (uint32_t i = 0; i < parts; i++)
        p.slice[first + i] = (uint64_t)v << 32 | i;
}

/* Entry i of the input becomes a row of the tile; 0 arcs where it is stale or cut. */
template <typename type>
static __device__ uint32_t row_of(const struct persistent<type> &p,
                                  const struct place<type> &at,
                                  struct block_memory<type> &m, const struct input &in,
                                  uint32_t i, uint64_t *begin,
                                  typename type::word *from) {
    const uint32_t most = 1u << p.slice_arcs;
    if (in.contents == OF_SLICES) {
        uint64_t entry = __ldcg(&p.slice[i]);
        uint32_t v = (uint32_t)(entry >> 32);
        *from = gg_peek(&p.distance[v]);
        uint64_t end;
        row_at(p, v, begin, &end);
        *begin += (entry & UINT32_MAX) << p.slice_arcs;
        return end - *begin < most ? (uint32_t)(end - *begin) : most;
    }
    uint32_t v = __ldcg(&in.vertex[i]);
    uint64_t end;
    row_at(p, v, begin, &end);
    *from = gg_peek(&p.distance[v]);
    if (!is_wanted(p, m, v, *from))
        return 0;
    if (in.contents == OF_BUCKET) {
        if (bucket_of(at, *from) != at.bucket)
            return 0;
        settle(p, at, m, v);
    }
    if (end - *begin <= most)
        return (uint32_t)(end - *begin);
    cut(p, at, v, end - *begin);
    return 0;
}

/* Rows of a tile: one tile for each warp while that makes small ones, then several, for
** rows differ. */
static __device__ __forceinline__ uint32_t tile_of(const struct input &in) {
    uint32_t share = in.count / (gridDim.x * WARPS) + 1;
    if (in.contents == OF_SLICES || share == 1)
        return 1;
    return share <= 4            ? share
           : share / 4 < 4       ? 4
           : share / 4 < GG_WARP ? share / 4
                                 : GG_WARP;
}

/* v was lowered, from `before` to `now`. True: it is in the current bucket, and whoever claims it
** puts it into the next round's list. */
template <typename type>
static __device__ __forceinline__ bool
falls_in_bucket(const struct persistent<type> &p, const struct place<type> &at,
                struct block_memory<type> &m, uint32_t v, typename type::word now,
                typename type::word before) {
    uint32_t bucket = bucket_of(at, now);
    if (before == type::unreached())
        note_waiting(p, m, v, 1);
    if (bucket > at.bucket) {
        list_far(p, at, m, v, bucket, before);
        return false;
    }
    if (first_in_bucket(at, before))
        settle(p, at, m, v);
    return true;
}

/* Up to UNROLL arcs of the tile by this thread, side by side. Loads of one kind are in
** flight together. */
template <typename type>
static __device__ __forceinline__ void
sweep(const struct persistent<type> &p, const struct place<type> &at,
      struct block_memory<type> &m, bool heavy, uint32_t base, uint32_t total) {
    typedef typename type::word word;
    typename type::weight weight[UNROLL];
    word sum[UNROLL], seen[UNROLL];
    uint64_t arc[UNROLL];
    uint32_t target[UNROLL];
    bool live[UNROLL];
    const struct tile<type> &t = m.tile[warp_of_block()];
    const bool apart = is_apart(p, m);
    uint32_t first = base + gg_lane() * UNROLL, row = 0;
    /* The last row that begins at or before that arc of the tile. */
    for (uint32_t step = GG_WARP / 2; first < total && step > 0; step /= 2)
        if (t.first[row + step] <= first)
            row += step;
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        uint32_t k = first + (uint32_t)i;
        live[i] = k < total;
        while (live[i] && row + 1 < GG_WARP && t.first[row + 1] <= k)
            row++;
        arc[i] = live[i] ? t.begin[row] + (k - t.first[row]) : 0;
        sum[i] = t.from[row];
        target[i] = 0;
        if (live[i])
            weight[i] = weight_of(p, arc[i]);
        if (live[i] && !apart)
            target[i] = target_of(p, arc[i]);
    }
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        if (live[i])
            count(&m.counts.weights);
        if (live[i] && apart) {
            live[i] = (type::add(0, weight[i]) > p.light) == heavy;
            if (live[i])
                target[i] = target_of(p, arc[i]);
        }
        if (live[i]) {
            sum[i] = type::add(sum[i], weight[i]);
            live[i] = in_range(p, m, sum[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        live[i] = live[i] && may_lead(p, m, target[i], sum[i]);
        seen[i] = live[i] ? gg_peek(&p.distance[target[i]]) : 0;
        if (live[i])
            count(&m.counts.tested);
    }
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        live[i] = live[i] && sum[i] < seen[i];
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (live[i])
            seen[i] = atomicMin(&p.distance[target[i]], sum[i]);
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        live[i] = live[i] && sum[i] < seen[i];
        if (live[i])
            note_way(p, m, target[i], sum[i]);
    }
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        if (live[i])
            count(&m.counts.lowered);
        live[i] = live[i] && falls_in_bucket(p, at, m, target[i], sum[i], seen[i]);
    }
    /* As claim() does, for all of them together. */
    uint32_t listed[UNROLL];
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        listed[i] = live[i] ? gg_peek(&p.mark[target[i]]) : at.round;
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (listed[i] != at.round)
            listed[i] = atomicExch(&p.mark[target[i]], at.round);
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (listed[i] != at.round)
            put(p, at, m, next_list(at), target[i]);
}

/* The whole grid, each warp tile after tile. */
template <typename type>
static __device__ void walk(const struct persistent<type> &p,
                            const struct place<type> &at, struct block_memory<type> &m,
                            const struct input &in) {
    const bool heavy = in.contents == OF_SETTLED || in.heavy;
    struct round *round = &p.state->board.round[at.round % 3];
    uint32_t *taken = in.contents == OF_SLICES ? &round->slices_taken : &round->taken;
    struct tile<type> &t = m.tile[warp_of_block()];
    const uint32_t tile = tile_of(in), warps = gridDim.x * WARPS;
    const bool once = in.count <= (uint64_t)warps * tile;
    uint64_t first = (uint64_t)(warp_of_block() * gridDim.x + blockIdx.x) * tile;
    if (first < in.count)
        note_active(p, at);
    while (first < in.count) {
        uint32_t arcs = 0, next = 0;
        uint64_t i = first + gg_lane(), begin = 0;
        typename type::word from = 0;
        if (!once && gg_lane() == 0)
            next = atomicAdd(taken, tile);
        if (gg_lane() < tile && i < in.count)
            arcs = row_of(p, at, m, in, (uint32_t)i, &begin, &from);
        uint32_t before = arcs; /* becomes the sum of this lane and those before it */
        for (uint32_t step = 1; step < GG_WARP; step *= 2) {
            uint32_t other = __shfl_up_sync(ALL_LANES, before, step);
            if (gg_lane() >= step)
                before += other;
        }
        uint32_t total = __shfl_sync(ALL_LANES, before, GG_WARP - 1);
        t.first[gg_lane()] = before - arcs;
        t.begin[gg_lane()] = begin;
        t.from[gg_lane()] = from;
        if (gg_lane() == 0)
            atomicAdd(&m.served,
                      tile < in.count - first ? tile : (uint32_t)(in.count - first));
        __syncwarp();
        for (uint32_t base = 0; base < total; base += UNROLL * GG_WARP) {
            make_room(p, at, m);
            sweep(p, at, m, heavy, base, total);
        }
        make_room(p, at, m);
        first =
            once ? in.count : (uint64_t)warps * tile + __shfl_sync(ALL_LANES, next, 0);
    }
}

/* ---- local ---- */

/* A word in shared memory that other warps change meanwhile. */
static __device__ __forceinline__ uint32_t look(const uint32_t *at) {
    return *(const volatile uint32_t *)at;
}
static __device__ __forceinline__ void set(uint32_t *at, uint32_t value) {
    *(volatile uint32_t *)at = value;
}

/* A vertex that the block cannot keep goes into the list of the next round. */
template <typename type>
static __device__ void hand_on(const struct persistent<type> &p,
                               const struct place<type> &at, uint32_t v, bool is_long) {
    struct round *round = &p.state->board.round[at.round % 3];
    if (is_long)
        atomicOr(&round->flags, (uint32_t)LONG_ROWS);
    if (claim(p, at, v))
        list_at(p, next_list(at))[atomicAdd(&round->vertices, 1u)] = v;
}

/* Into the ring of one of the block's warps, always the same one for a vertex. */
template <typename type>
static __device__ __forceinline__ void
keep(const struct persistent<type> &p, const struct place<type> &at,
     struct block_memory<type> &m, uint32_t v, typename type::word from, uint64_t begin,
     uint64_t end) {
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
    m.own.from[ring][i] = from;
    m.own.begin[ring][i] = begin;
    m.own.degree[ring][i] = (uint32_t)(end - begin);
    __threadfence_block();
    set(&m.own.vertex[ring][i], v);
}

/* One arc, to v, of a vertex that was put into the ring at distance `from`. */
template <typename type>
static __device__ __forceinline__ void
relax_own(const struct persistent<type> &p, const struct place<type> &at,
          struct block_memory<type> &m, uint32_t v, typename type::weight weight,
          typename type::word from) {
    typename type::word sum = type::add(from, weight);
    if (!in_range(p, m, sum) || !may_lead(p, m, v, sum))
        return;
    uint64_t begin, end;
    row_at(p, v, &begin, &end);
    typename type::word before = atomicMin(&p.distance[v], sum);
    count(&m.counts.weights);
    count(&m.counts.tested);
    if (sum >= before)
        return;
    count(&m.counts.lowered);
    note_way(p, m, v, sum);
    if (before == type::unreached())
        note_waiting(p, m, v, 1);
    uint32_t bucket = bucket_of(at, sum);
    if (bucket > at.bucket) {
        list_far(p, at, m, v, bucket, before);
        return;
    }
    if (first_in_bucket(at, before))
        settle(p, at, m, v);
    if (begin == end)
        return;
    gg_fetch_ahead(target_place(p, begin));
    if (type::weighted)
        gg_fetch_ahead(weight_place(p, begin));
    keep(p, at, m, v, sum, begin, end);
}

/* The block's share of the list. */
template <typename type>
static __device__ void take_share(const struct persistent<type> &p,
                                  const struct place<type> &at,
                                  struct block_memory<type> &m, const struct input &in) {
    uint32_t share = (in.count + gridDim.x - 1) / gridDim.x;
    uint64_t i = (uint64_t)blockIdx.x * share + threadIdx.x;
    if (threadIdx.x >= share || i >= in.count)
        return;
    uint32_t v = __ldcg(&in.vertex[i]);
    uint64_t begin, end;
    row_at(p, v, &begin, &end);
    typename type::word from = gg_peek(&p.distance[v]);
    if (in.contents == OF_BUCKET) {
        if (bucket_of(at, from) != at.bucket)
            return;
        settle(p, at, m, v);
    }
    keep(p, at, m, v, from, begin, end);
}

/* Entries at the head of the warp's ring, as many as it has groups of lanes. Returns how
** many there were. */
template <typename type>
static __device__ __forceinline__ uint32_t relax_batch(const struct persistent<type> &p,
                                                       const struct place<type> &at,
                                                       struct block_memory<type> &m,
                                                       uint32_t ring, uint32_t head) {
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
    bool mine = group < there;
    typename type::word from = m.own.from[ring][i], now = from;
    uint64_t begin = m.own.begin[ring][i];
    uint32_t degree = m.own.degree[ring][i];
    __syncwarp();
    if (mine && lane == 0)
        set(&m.own.vertex[ring][i], GPUGRAPH_NONE);
    __threadfence_block();
    __syncwarp();
    if (gg_lane() == 0)
        atomicSub(&m.own.used[ring], there);
    const uint32_t half = half_of(p, begin);
    struct arc_ahead<type> arc = arc_now(p, begin + lane, mine && lane < degree);
    if (mine)
        now = gg_peek(&p.distance[v]);
    mine = mine && now == from && is_wanted(p, m, v, now);
    for (uint32_t k = lane; mine && k < degree; k += lanes) {
        if (k != lane)
            arc = arc_now(p, begin + k, true);
        relax_own(p, at, m, half + arc.target, arc.weight, from);
    }
    __syncwarp();
    if (gg_lane() == 0) {
        atomicAdd(&m.served, there);
        __threadfence_block();
        atomicSub(&m.own.pending, there);
    }
    return there;
}

/* Each block until its rings are empty, or for so many batches. */
template <typename type>
static __device__ void local(const struct persistent<type> &p,
                             const struct place<type> &at, struct block_memory<type> &m,
                             const struct input &in, uint32_t *steps) {
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
    *steps += batches;
    if (batches > 0)
        note_active(p, at);
    __syncthreads();
}

#endif
