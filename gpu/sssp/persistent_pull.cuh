/* How the engine "persistent" avoids most arcs of graphs with hubs. A bucket of many
** vertices sets a bound a little behind it. No sum beyond the bound is pushed. When all
** vertices up to the bound are settled, the other vertices pull.
**
**     distance   origin ... buckets ... bound |  all others
**                pushed: arcs whose sum       |  pull: their rows of the transpose, arcs
**                is within the bound          |  from settled vertices, once
**
** The hubs lie within the bound, and with them nine of ten arcs. Most of these arcs lead
** to a vertex that has a shorter path already. Only their weights are read, in order.
** Vertices that pull have few arcs, and begin new buckets behind the bound. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_PULL_CUH
#define GPUGRAPH_SSSP_PERSISTENT_PULL_CUH

#include "persistent_steps.cuh"

/* ---- the bound ---- */

/* Sets a bound before a round of many vertices. All vertices relaxed from then on are in
** that bucket or behind it, so an arc heavier than all light ones leads beyond the
** bound. */
template <typename type>
SSSP_STEP void set_bound(const persistent<type> &p, place<type> &at, uint32_t vertices) {
    if (!can_pull<type>() || p.reach <= 0 || at.pulled || is_bounded(at) ||
        vertices <= p.crowd)
        return;
    const double width = 1 / (double)at.per_bucket;
    const typename type::word begin =
        type::past(at.origin, at.bucket * width * NEARLY_A_BUCKET);
    at.bound = type::past(at.origin, (at.bucket + 1) * width + p.reach);
    if constexpr (can_be_fixed<type>())
        at.lightly = p.light.offset && at.bound - begin < p.light.most;
}

/* True if all vertices within the bound are settled once the buckets before `bucket` are
** empty. */
template <typename type>
SSSP_STEP bool is_past_bound(const place<type> &at, uint32_t bucket) {
    return is_bounded(at) && (at.bound < at.origin || bucket_of(at, at.bound) < bucket);
}

/* ---- rows of the transpose ---- */

SSSP_STEP uint32_t final_word(const uint32_t *at, bool wanted) {
    return gg_load_now(at, wanted);
}
SSSP_STEP uint64_t final_word(const unsigned long long *at, bool wanted) {
    return gg_load_now(reinterpret_cast<const uint64_t *>(at), wanted);
}

/* Pulls along up to UNROLL arcs of the tile for this thread. Distances up to the bound
** are final, and no other distance falls below it, so their loads may use any cache that
** a grid barrier has emptied. */
template <typename type>
SSSP_STEP void pull_arcs(const persistent<type> &p, block_memory<type> &m,
                         typename type::word bound, uint32_t base, uint32_t total) {
    typedef typename type::word word;
    tile<type> &t = m.tile[warp_of_block()];
    const uint32_t first = base + gg_lane() * UNROLL;
    typename type::weight weight[UNROLL];
    uint32_t row[UNROLL], source[UNROLL], at = 0;
    word from[UNROLL];
    for (uint32_t step = GG_WARP / 2; first < total && step > 0; step /= 2)
        if (t.first[at + step] <= first)
            at += step;
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        const uint32_t k = first + (uint32_t)i;
        const bool live = k < total;
        while (live && at + 1 < GG_WARP && t.first[at + 1] <= k)
            at++;
        row[i] = live ? at : GG_WARP;
        const uint64_t arc = live ? t.begin[at] + (k - t.first[at]) : 0;
        source[i] = gg_load_now(p.transpose.target + arc, live);
        weight[i] = gg_load_now(
            static_cast<const typename type::weight *>(p.transpose.weight) + arc, live);
    }
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        from[i] = final_word(&p.distance[source[i]], row[i] < GG_WARP);
#pragma unroll
    for (int i = 0; i < UNROLL; i++) {
        if (row[i] == GG_WARP || from[i] > bound)
            continue;
        const word sum = type::add(from[i], weight[i]);
        if (in_range(p, m, sum) && sum < *(volatile word *)&t.from[row[i]])
            atomicMin(&t.from[row[i]], sum);
    }
}

/* Pulls a tile of rows from `first` on, one for each lane. */
template <typename type>
SSSP_STEP void pull_tile(const persistent<type> &p, const place<type> &at,
                         block_memory<type> &m, typename type::word bound,
                         uint64_t first) {
    typedef typename type::word word;
    tile<type> &t = m.tile[warp_of_block()];
    const uint64_t row = first + gg_lane(), v = row + (type::parts ? p.first : 0);
    const word now = row < p.g.n ? gg_peek(&p.distance[v]) : 0;
    const bool open = now > bound;
    const uint64_t begin = gg_load_now(p.transpose.begin + row, open);
    const uint64_t end = gg_load_now(p.transpose.end + row, open);
    const uint32_t arcs = (uint32_t)(end - begin);
    const uint32_t total = lay_tile(t, arcs, begin, now);
    for (uint32_t base = 0; base < total; base += UNROLL * GG_WARP)
        pull_arcs(p, m, bound, base, total);
    __syncwarp();
    const word least = t.from[gg_lane()];
    if (open && least < now)
        atomicMin(&p.distance[v], least);
    if (open && least != type::unreached()) {
        const uint32_t bucket = bucket_of(at, least);
        put(p, at, m, bucket == REST ? REST_LIST + at.side : bucket, (uint32_t)v);
    }
    make_room(p, at, m);
}

/* Begins buckets at the bound, and removes the bound. */
template <typename type>
SSSP_STEP void pass_bound(const persistent<type> &p, place<type> &at) {
    at.origin = at.bound;
    at.per_bucket = p.per_bucket_after;
    at.bound = type::unreached();
    at.lightly = false;
    at.pulled = true;
    at.rest = 0;
}

/* Lets all vertices beyond the passed bound pull, and distributes them over buckets.
** False: a block was lost. */
template <typename type>
static __device__ bool pull(const persistent<type> &p, const place<type> &at,
                            block_memory<type> &m, uint32_t *barriers) {
    if (blockIdx.x == 0 && threadIdx.x <= REST + 1)
        p.state->board.count[threadIdx.x] = 0;
    if (!meet(p.state, barriers, m))
        return false;
    const uint64_t step = gg_threads_of_grid();
    for (uint64_t row = gg_thread() - gg_lane(); row < p.g.n; row += step)
        pull_tile(p, at, m, at.origin, row);
    unload_all(p, at, m);
    return meet(p.state, barriers, m);
}

#endif
