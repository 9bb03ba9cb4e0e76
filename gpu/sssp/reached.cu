/* Lists what a search has reached, in two passes over tiles of the values.
**
**     values     | . . 3 . | . . . . | 1 . . 4 |     tiles
**     counts         1          0         2          count_reached, to stage 0
**     places         0          -         1          the host, of tiles that have any
**     list           2                    8 11       list_reached, to stages 1 to 3
**
** The kernel writes the list to pinned memory, because it is short. */
#include "reached.cuh"
#include "base/words.h"
#include "device/block_sum.cuh"
#include "graph/device_copy.cuh"
#include "graph/graph.h"

#include <algorithm>
#include <string.h>

enum {
    EACH = 16, /* vertices listed by a thread */
    TILE = GG_BLOCK * EACH,
    MOST = 1 << 18,      /* the most entries of a list, so also of tiles with entries */
    PLACES_AT = 1 << 20, /* byte behind the vertices */
    BLOCKS = 8           /* for each multiprocessor */
};

/* A tile that is not empty, and the first entry of its vertices in the list. */
struct place {
    uint32_t tile, at;
};
static_assert(MOST * sizeof(uint32_t) <= PLACES_AT &&
                  PLACES_AT + MOST * sizeof(place) <= GG_STAGE_BYTES,
              "a stage has vertices and places");
static_assert(MOST * sizeof(uint64_t) <= GG_STAGE_BYTES, "another stage has a column");
static_assert(((uint64_t)1 << 32) / TILE * sizeof(uint32_t) <= GG_STAGE_BYTES,
              "the first stage has the counts of all tiles");

struct list {
    uint32_t *vertex;
    void *value;
    void *tree;
};

/* A block takes one tile after another. */
template <typename type>
static __global__ void __launch_bounds__(GG_BLOCK)
    count_reached(reached_values r, uint32_t n, uint32_t *count) {
    const type *value = (const type *)r.value;
    const uint32_t tiles = (uint32_t)(((uint64_t)n + TILE - 1) / TILE);
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        int sum = 0;
        for (uint32_t k = 0; k < EACH; k++) {
            const uint64_t v = (uint64_t)tile * TILE + k * GG_BLOCK + threadIdx.x;
            sum += __syncthreads_count(v < n && value[v] <= r.most);
        }
        if (threadIdx.x == 0)
            count[tile] = (uint32_t)sum;
    }
}

static __device__ __forceinline__ void put_edge(const reached_values &r, bool wide,
                                                const list &to, uint32_t at, uint64_t v) {
    if (r.tree && wide)
        ((uint64_t *)to.tree)[at] = ((const uint64_t *)r.tree)[v];
    else if (r.tree)
        ((uint32_t *)to.tree)[at] = ((const uint32_t *)r.tree)[v];
}

/* One block per tile. A thread lists neighbouring vertices. */
template <typename type>
static __global__ void __launch_bounds__(GG_BLOCK)
    list_reached(reached_values r, uint32_t n, bool wide, const place *places, list to) {
    __shared__ block_sums<uint32_t> sums;
    const type *value = (const type *)r.value;
    const place p = places[blockIdx.x];
    const uint64_t first = (uint64_t)p.tile * TILE + threadIdx.x * EACH;
    uint32_t mine = 0, all;
    for (uint32_t k = 0; k < EACH; k++)
        mine += first + k < n && value[first + k] <= r.most;
    uint32_t at = p.at + gg_sum_before(mine, &all, &sums);
    for (uint32_t k = 0; k < EACH && mine > 0; k++) {
        const uint64_t v = first + k;
        if (v >= n || value[v] > r.most)
            continue;
        to.vertex[at] = (uint32_t)v;
        ((type *)to.value)[at] = value[v];
        put_edge(r, wide, to, at, v);
        at++;
    }
}

/* ---- driver ---- */

/* Fills the places of tiles that are not empty. Returns the number of reached vertices;
** NONE: there are more than `room`. */
static uint32_t lay_places(const cuda_job *job, uint32_t room, place *places,
                           uint32_t *tiles) {
    const uint32_t *count = (const uint32_t *)job->device->stage[0];
    const uint64_t all = ((uint64_t)job->graph->n + TILE - 1) / TILE;
    uint32_t sum = 0;
    *tiles = 0;
    for (uint64_t tile = 0; tile < all; tile++) {
        if (count[tile] == 0)
            continue;
        if (count[tile] > room - sum)
            return GPUGRAPH_NONE;
        places[(*tiles)++] = place{(uint32_t)tile, sum};
        sum += count[tile];
    }
    return sum;
}

/* Lists all vertices within the bound. Waits for all queued work, so that all stages are
** free. Pinned memory has the same address on the device. */
template <typename type>
static bool bring_reached(cuda_job *job, const reached_values *values, reached_list *to) {
    unsigned char *const *stage = job->device->stage;
    const list list = {(uint32_t *)stage[1], stage[2], stage[3]};
    const uint32_t n = job->graph->n, room = std::min(to->room, (uint32_t)MOST);
    const bool wide = job->graph->wide;
    place *places = (place *)(stage[1] + PLACES_AT);
    uint32_t tiles;
    if (!gg_wait(job) ||
        !GG_LAUNCH(job, count_reached<type>, gg_grid(job, n / EACH + 1, BLOCKS), *values,
                   n, (uint32_t *)stage[0]) ||
        !gg_wait(job))
        return false;
    const uint32_t count = lay_places(job, room, places, &tiles);
    if (count == GPUGRAPH_NONE)
        return true;
    if (tiles > 0 &&
        (!GG_LAUNCH(job, list_reached<type>, tiles, *values, n, wide, places, list) ||
         !gg_wait(job)))
        return false;
    memcpy(to->vertex, list.vertex, count * sizeof *to->vertex);
    memcpy(to->value, list.value, count * sizeof(type));
    if (to->tree_edge)
        memcpy(to->tree_edge, list.tree, count * gg_edge_size(wide));
    to->count = count;
    return true;
}

/* ---- targets alone ---- */

/* One thread per target. */
template <typename type>
static __global__ void fetch_targets(reached_values r, bool wide, uint32_t targets,
                                     list to) {
    const type *value = (const type *)r.value;
    for (uint64_t i = gg_thread(); i < targets; i += gg_threads_of_grid()) {
        ((type *)to.value)[i] = value[to.vertex[i]];
        put_edge(r, wide, to, (uint32_t)i, to.vertex[i]);
    }
}

/* Lists the reached targets. */
template <typename type>
static bool bring_targets(cuda_job *job, const reached_values *values,
                          const gpugraph_search *search, reached_list *to) {
    unsigned char *const *stage = job->device->stage;
    const list list = {(uint32_t *)stage[1], stage[2], stage[3]};
    const bool wide = job->graph->wide;
    if (search->target_count > std::min(to->room, (uint32_t)MOST))
        return true;
    if (!gg_wait(job))
        return false;
    std::copy_n(search->target, search->target_count, list.vertex);
    std::sort(list.vertex, list.vertex + search->target_count);
    const uint32_t targets =
        (uint32_t)(std::unique(list.vertex, list.vertex + search->target_count) -
                   list.vertex);
    if (!GG_LAUNCH(job, fetch_targets<type>, gg_grid(job, targets, BLOCKS), *values, wide,
                   targets, list) ||
        !gg_wait(job))
        return false;
    to->count = 0;
    for (uint32_t i = 0; i < targets; i++) {
        const uint64_t word = gg_word_at(values->type, list.value, i);
        if (word == GG_INFINITE)
            continue;
        to->vertex[to->count] = list.vertex[i];
        gg_put_word(values->type, to->value, to->count, word);
        if (to->tree_edge)
            gg_put_edge(to->tree_edge, wide, to->count, gg_edge_at(list.tree, wide, i));
        to->count++;
    }
    return true;
}

template <typename type>
static bool bring_list(cuda_job *job, const reached_values *values,
                       const gpugraph_search *search, bool targets, reached_list *to) {
    return targets ? bring_targets<type>(job, values, search, to)
                   : bring_reached<type>(job, values, to);
}

bool gg_bring_list(cuda_job *job, const reached_values *values,
                   const gpugraph_search *search, bool bounded, reached_list *to) {
    const double started = gg_now_ms();
    const bool targets = gg_is_for_targets(search, bounded);
    const auto bring =
        values->type == GPUGRAPH_UINT32 ? bring_list<uint32_t> : bring_list<uint64_t>;
    to->count = GPUGRAPH_NONE;
    if (!bring(job, values, search, targets, to))
        return false;
    if (to->count != GPUGRAPH_NONE)
        gg_phase(job->run, "download", started, (int64_t)to->count, "%s%s",
                 targets ? "targets" : "a list",
                 to->tree_edge ? ", with tree edges" : "");
    return true;
}
