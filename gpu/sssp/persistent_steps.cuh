/* Lists of vertices, and how the engine "persistent" relaxes a list of many vertices of
** any degree: a warp takes some rows and distributes their arcs evenly over its lanes.
** (persistent_local.cuh has the other way.) */
#ifndef GPUGRAPH_SSSP_PERSISTENT_STEPS_CUH
#define GPUGRAPH_SSSP_PERSISTENT_STEPS_CUH

#include "persistent_ends.cuh"

/* The contents of a list. */
enum contents {
    OF_ROUND,  /* vertices of the current bucket that fell */
    OF_BUCKET, /* vertices of a bucket, some of them stale */
    OF_SLICES  /* slices of long rows */
    /* in_parts: messages follow the vertices of OF_ROUND and OF_BUCKET */
};

struct input {
    enum contents contents;
    const uint32_t *vertex;
    uint32_t count;
};

/* ---- rows, of all arcs or of light ones ---- */

template <typename type> SSSP_STEP bool is_lightly(const place<type> &at) {
    return can_be_fixed<type>() && at.lightly;
}

template <typename type>
SSSP_STEP void arcs_of(const persistent<type> &p, const place<type> &at, uint32_t v,
                       uint64_t *begin, uint64_t *end) {
    if (is_lightly(at)) {
        *begin = gg_load_now(p.light.offset + v, true);
        *end = gg_load_now(p.light.offset + v + 1, true);
    } else {
        row_at(p, v, begin, end);
    }
}

/* ---- walk ---- */

/* The number of arcs for the tile. 0: the row is long, and its slices are listed. */
template <typename type>
SSSP_STEP uint32_t whole_or_cut(const persistent<type> &p, const place<type> &at,
                                uint32_t v, uint64_t arcs) {
    if (arcs <= 1u << p.slice_arcs)
        return (uint32_t)arcs;
    uint32_t parts = (uint32_t)((arcs + (1u << p.slice_arcs) - 1) >> p.slice_arcs);
    uint32_t first = atomicAdd(&p.state->board.round[at.round % 3].slices, parts);
    for (uint32_t i = 0; i < parts; i++)
        p.slice[first + i] = (uint64_t)v << 32 | i;
    return 0;
}

/* ---- over partitions ---- */

/* True if entry i of the round's input is a message. */
template <typename type>
SSSP_STEP bool is_letter(const block_memory<type> &m, const input &in, uint32_t i) {
    if constexpr (type::parts)
        return in.contents != OF_SLICES && i >= m.mail.listed;
    return false;
}

/* Reads a message. True: it lowers its vertex, which must be relaxed at that distance.
** If two messages lower a vertex, both are relaxed. */
template <typename type>
SSSP_STEP bool take_letter(const persistent<type> &p, const place<type> &at,
                           block_memory<type> &m, uint32_t i, uint32_t *v,
                           typename type::word *from) {
    if constexpr (type::parts) {
        uint32_t k = i - m.mail.listed, sender = 0;
        while (k >= m.mail.count[sender])
            k -= m.mail.count[sender++];
        const letter<type> *one =
            static_cast<const letter<type> *>(m.mail.letter[sender]) + k;
        *v = __ldcg(&one->place);
        *from = __ldcg(&one->distance);
        if (*from >= gg_peek(&p.distance[*v]))
            return false;
        const typename type::word before = atomicMin(&p.distance[*v], *from);
        if (*from >= before)
            return false;
        if (first_in_bucket(at, before))
            settle(p, m, *v);
        return true;
    }
    return false;
}

/* Lists v for a message to its owner, if v is in this bucket: its arcs are on another
** device. */
template <typename type>
SSSP_STEP void pass_on(const persistent<type> &p, const place<type> &at,
                       block_memory<type> &m, uint32_t v) {
    if (bucket_of(at, gg_peek(&p.distance[v])) == at.bucket && claim(p, at, v))
        put(p, at, m, OUT_LIST, v);
}

/* Makes entry i of the input a row of the tile. Returns 0 arcs if the entry is stale or
** the row was cut. */
template <typename type>
static __device__ uint32_t row_of(const persistent<type> &p, const place<type> &at,
                                  block_memory<type> &m, const input &in, uint32_t i,
                                  uint64_t *begin, typename type::word *from) {
    const uint32_t most = 1u << p.slice_arcs;
    uint32_t v;
    uint64_t end;
    if (in.contents == OF_SLICES) {
        uint64_t entry = __ldcg(&p.slice[i]);
        v = (uint32_t)(entry >> 32);
        *from = gg_peek(&p.distance[v]);
        arcs_of(p, at, v, begin, &end);
        *begin += (entry & UINT32_MAX) << p.slice_arcs;
        return end - *begin < most ? (uint32_t)(end - *begin) : most;
    }
    if (is_letter(m, in, i)) {
        if (!take_letter(p, at, m, i, &v, from))
            return 0;
        arcs_of(p, at, v, begin, &end);
        return whole_or_cut(p, at, v, end - *begin);
    }
    v = __ldcg(&in.vertex[i]);
    if (!is_here(p, v)) {
        pass_on(p, at, m, v);
        return 0;
    }
    arcs_of(p, at, v, begin, &end);
    *from = gg_peek(&p.distance[v]);
    if (!is_wanted(p, m, v, *from))
        return 0;
    if (in.contents == OF_BUCKET) {
        if (bucket_of(at, *from) != at.bucket)
            return 0;
        settle(p, m, v);
    }
    return whole_or_cut(p, at, v, end - *begin);
}

/* The rows of a tile. A warp gets one tile of up to four rows, or several tiles, because
** rows differ in length. */
SSSP_STEP uint32_t tile_of(const input &in) {
    uint32_t share = in.count / (gridDim.x * WARPS) + 1;
    if (in.contents == OF_SLICES || share == 1)
        return 1;
    return share <= 4            ? share
           : share / 4 < 4       ? 4
           : share / 4 < GG_WARP ? share / 4
                                 : GG_WARP;
}

/* v has fallen from `before` to `now`. True: it is in the current bucket, and the thread
** that claims it lists it for the next round. */
template <typename type>
SSSP_STEP bool falls_in_bucket(const persistent<type> &p, const place<type> &at,
                               block_memory<type> &m, uint32_t v, typename type::word now,
                               typename type::word before) {
    uint32_t bucket = bucket_of(at, now);
    if (before == type::unreached())
        note_waiting(p, m, v, 1);
    if (bucket > at.bucket) {
        list_far(p, at, m, v, bucket, before);
        return false;
    }
    if (first_in_bucket(at, before))
        settle(p, m, v);
    return true;
}

/* ---- arcs ---- */

/* Arcs of a lane. */
template <typename type> struct side_by_side {
    typename type::word sum[UNROLL];
    uint32_t target[UNROLL];
    bool live[UNROLL];
};

/* Loads up to UNROLL arcs of the tile for this thread. Loads of one kind are in flight
** together. */
template <typename type>
SSSP_STEP void load_arcs(const persistent<type> &p, const place<type> &at,
                         block_memory<type> &m, uint32_t base, uint32_t total,
                         side_by_side<type> *a) {
    typename type::weight weight[UNROLL];
    uint64_t arc[UNROLL];
    const tile<type> &t = m.tile[warp_of_block()];
    const bool light = is_lightly(at), late = is_bounded(at) && !light;
    uint32_t first = base + gg_lane() * UNROLL, row = 0;
    /* Finds the last row that begins at or before that arc of the tile. */
    for (uint32_t step = GG_WARP / 2; first < total && step > 0; step /= 2)
        if (t.first[row + step] <= first)
            row += step;
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        uint32_t k = first + (uint32_t)i;
        a->live[i] = k < total;
        while (a->live[i] && row + 1 < GG_WARP && t.first[row + 1] <= k)
            row++;
        arc[i] = a->live[i] ? t.begin[row] + (k - t.first[row]) : 0;
        a->sum[i] = t.from[row];
        a->target[i] = 0;
        if (a->live[i] && light) {
            const uint64_t both = __ldg(p.light.arc + arc[i]);
            weight[i] = (typename type::weight)(both >> 32);
            a->target[i] = (uint32_t)both;
        }
        if (a->live[i] && !light)
            weight[i] = weight_of(p, arc[i]);
        if (a->live[i] && !light && !late)
            a->target[i] = target_of(p, arc[i]);
    }
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        if (a->live[i]) {
            a->sum[i] = type::add(a->sum[i], weight[i]);
            a->live[i] =
                (!can_pull<type>() || a->sum[i] <= at.bound) && in_range(p, m, a->sum[i]);
        }
    }
    if (late) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            if (a->live[i])
                a->target[i] = target_of(p, arc[i]);
    }
}

/* Lowers the targets of these arcs, and lists those that have fallen. */
template <typename type>
SSSP_STEP void lower(const persistent<type> &p, const place<type> &at,
                     block_memory<type> &m, side_by_side<type> *a) {
    typename type::word seen[UNROLL];
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        a->live[i] = a->live[i] && may_lead(p, m, a->target[i], a->sum[i]);
        seen[i] = a->live[i] ? gg_peek(&p.distance[a->target[i]]) : 0;
    }
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        a->live[i] = a->live[i] && a->sum[i] < seen[i];
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (a->live[i])
            seen[i] = atomicMin(&p.distance[a->target[i]], a->sum[i]);
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        a->live[i] = a->live[i] && a->sum[i] < seen[i];
        if (a->live[i])
            note_path(p, m, a->target[i], a->sum[i]);
    }
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        a->live[i] =
            a->live[i] && falls_in_bucket(p, at, m, a->target[i], a->sum[i], seen[i]);
    }
    /* The steps of claim(), for all of them together. */
    uint32_t listed[UNROLL];
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        listed[i] = a->live[i] ? gg_peek(&p.mark[a->target[i]]) : at.round;
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (listed[i] != at.round)
            listed[i] = atomicExch(&p.mark[a->target[i]], at.round);
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (listed[i] != at.round)
            put(p, at, m, is_here(p, a->target[i]) ? next_list(at) : (uint32_t)OUT_LIST,
                a->target[i]);
}

/* Makes the warp's tile of one row for each lane. Returns the number of its arcs. */
template <typename type>
SSSP_STEP uint32_t lay_tile(tile<type> &t, uint32_t arcs, uint64_t begin,
                            typename type::word from) {
    uint32_t sum = arcs; /* arcs of this lane and of the lanes before it */
    for (uint32_t step = 1; step < GG_WARP; step *= 2) {
        uint32_t other = __shfl_up_sync(ALL_LANES, sum, step);
        if (gg_lane() >= step)
            sum += other;
    }
    t.first[gg_lane()] = sum - arcs;
    t.begin[gg_lane()] = begin;
    t.from[gg_lane()] = from;
    __syncwarp();
    return __shfl_sync(ALL_LANES, sum, GG_WARP - 1);
}

/* Relaxes a list by the whole grid. Each warp takes one tile after another. */
template <typename type>
static __device__ void walk(const persistent<type> &p, const place<type> &at,
                            block_memory<type> &m, const input &in) {
    struct round *round = &p.state->board.round[at.round % 3];
    uint32_t *taken = in.contents == OF_SLICES ? &round->slices_taken : &round->taken;
    const uint32_t tile = tile_of(in), warps = gridDim.x * WARPS;
    const bool once = in.count <= (uint64_t)warps * tile;
    uint64_t first = (uint64_t)(warp_of_block() * gridDim.x + blockIdx.x) * tile;
    while (first < in.count) {
        uint32_t arcs = 0, next = 0;
        uint64_t i = first + gg_lane(), begin = 0;
        typename type::word from = 0;
        if (!once && gg_lane() == 0)
            next = atomicAdd(taken, tile);
        if (gg_lane() < tile && i < in.count)
            arcs = row_of(p, at, m, in, (uint32_t)i, &begin, &from);
        if (gg_lane() == 0)
            atomicAdd(&m.served,
                      tile < in.count - first ? tile : (uint32_t)(in.count - first));
        const uint32_t total = lay_tile(m.tile[warp_of_block()], arcs, begin, from);
        for (uint32_t base = 0; base < total; base += SWEEP) {
            side_by_side<type> a;
            make_room(p, at, m);
            load_arcs(p, at, m, base, total, &a);
            lower(p, at, m, &a);
        }
        make_room(p, at, m);
        first =
            once ? in.count : (uint64_t)warps * tile + __shfl_sync(ALL_LANES, next, 0);
    }
}

#endif
