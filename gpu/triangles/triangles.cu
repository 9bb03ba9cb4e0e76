/* Counts the triangles of each vertex, and their total, on the device. triangles.c
** explains the terms and has the CPU backend.
**
**     ahead[v]          worker                              where
**     2 .. 4            a lane: each pair of vertices       rows in memory
**     5 .. 128          a warp                              table of the warp, on chip
**     more              blocks, 4096 neighbours each        table of the block, on chip
**
**          x --- w       x and v are neighbours. The one with more vertices ahead has the
**           \   /        table of these vertices; the row of the other one is looked up
**            v           there. So the shorter of the two rows is walked. A w that is
**                        found counts for its slot, for v and for x.
**
** A block also takes a vertex with few vertices ahead and many neighbours. A corner is
** updated in memory once for each table and once for each row, not once for each
** triangle.
**
** If directions count, `there` has two bits for each arc ahead: for an edge along it, and
** for an edge against it. Slots then also count the arcs beyond one for each triangle
** (triangles.c). */
#include "tables.cuh"

/* One thread for each edge. */
static __global__ void mark_directions(const __grid_constant__ counting c,
                                       struct device_edges edges) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        const uint32_t source = edges.source[e], target = edges.target[e];
        if (source == target)
            continue;
        const bool along =
            gg_ranks_higher(c.simple, target, simple_degree(c, source), source);
        const uint32_t low = along ? source : target, high = along ? target : source;
        const uint64_t arc =
            c.ahead.offset[low] + gg_place_in(c.ahead.target + c.ahead.offset[low],
                                              ahead_length(c.ahead, low), high);
        const uint32_t bit = (along ? 1u : 2u) << arc % FLAG_ARCS * 2;
        if (!(gg_peek(&c.there[arc / FLAG_ARCS]) & bit))
            atomicOr(&c.there[arc / FLAG_ARCS], bit);
    }
}

/* ---- a few ahead ---- */

/* Checks if arcs v -> x and v -> y belong to a triangle. */
template <bool along>
static __device__ __forceinline__ void look_at_pair(const counting &c, uint64_t vx,
                                                    uint64_t vy, uint32_t *own,
                                                    uint32_t *own_more) {
    const uint32_t x = c.ahead.target[vx], y = c.ahead.target[vy];
    const bool x_low = gg_ranks_higher(c.simple, y, simple_degree(c, x), x);
    const uint32_t low = x_low ? x : y, length = ahead_length(c.ahead, low);
    const uint64_t first = c.ahead.offset[low];
    const uint32_t place = gg_place_in(c.ahead.target + first, length, x_low ? y : x);
    if (place == length)
        return;
    ++*own;
    atomicAdd(&c.triangles[x], 1ull);
    atomicAdd(&c.triangles[y], 1ull);
    if (along) {
        *own_more += both_ways(c, first + place);
        if (both_ways(c, vy))
            atomicAdd(&c.more[x], 1ull);
        if (both_ways(c, vx))
            atomicAdd(&c.more[y], 1ull);
    }
}

/* Puts the vertices of a warp on the list for warps or for blocks, if a lane does not
** handle them. */
static __device__ __forceinline__ void put_on_list(const counting &c, uint32_t v,
                                                   uint32_t length, uint64_t degree) {
    const bool of_block = length > WARP_ROW || (length > FEW && degree > WARP_ARCS),
               of_warp = length > FEW && !of_block;
    const uint32_t at = gg_reserve(&c.state->warp_rows, of_warp);
    if (of_warp)
        c.warp_row[at] = v;
    if (!of_block)
        return;
    const uint32_t parts = (uint32_t)((degree + PART_ARCS - 1) / PART_ARCS),
                   first = atomicAdd(&c.state->block_parts, parts);
    for (uint32_t i = 0; i < parts; i++)
        c.block_part[first + i] = (uint64_t)v << 32 | i;
}

/* One lane for each vertex checks the vertex's pairs, or puts the vertex on a list. */
template <bool along>
static __global__ void __launch_bounds__(GG_BLOCK)
    count_few(const __grid_constant__ counting c) {
    const uint64_t whole = gg_whole_warps(c.simple.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const uint32_t length = v < c.simple.n ? c.ahead.count[v] : 0;
        put_on_list(c, (uint32_t)v, length,
                    length > FEW ? simple_degree(c, (uint32_t)v) : 0);
        if (length >= 2 && length <= FEW) {
            const uint64_t first = c.ahead.offset[v];
            uint32_t own = 0, own_more = 0;
            for (uint32_t j = 1; j < length; j++)
                for (uint32_t i = 0; i < j; i++)
                    look_at_pair<along>(c, first + i, first + j, &own, &own_more);
            if (own > 0)
                atomicAdd(&c.triangles[v], (word)own);
            if (own_more > 0)
                atomicAdd(&c.more[v], (word)own_more);
        }
        __syncwarp();
    }
}

/* ---- kernels ---- */

template <bool along>
static __device__ __forceinline__ void count_by_warp(const counting &c, table t,
                                                     waiting_rows *w,
                                                     uint32_t *more_of_rows, uint32_t v) {
    const uint64_t first = c.ahead.offset[v], end = c.ahead.offset[v + 1];
    found own = {0, 0};
    t.bits = table_bits<along>((uint32_t)(end - first));
    fill_table<along>(c, t, first + gg_lane(), end, GG_WARP);
    __syncwarp();
    look_up_neighbours<along>(c, t, v, c.simple.begin[v], c.simple.end[v], GG_WARP, w,
                              more_of_rows, &own);
    __syncwarp();
    flush_table<along>(c, t, gg_lane(), GG_WARP);
    add_to_owner<along>(c, v, own);
    __syncwarp();
}

/* A warp takes vertices of its list, a few at a time. */
template <bool along>
static __global__ void __launch_bounds__(GG_BLOCK)
    count_warp_rows(const __grid_constant__ counting c) {
    constexpr uint32_t slots = spread<along> * WARP_ROW;
    __shared__ uint32_t key[WARPS][slots], count[WARPS][slots],
        more[along ? WARPS : 1][slots], more_of_rows[along ? WARPS : 1][GG_WARP];
    __shared__ waiting_rows waiting[WARPS];
    const uint32_t warp = threadIdx.x / GG_WARP, rows = c.state->warp_rows;
    const table t = {key[warp], count[warp], more[along ? warp : 0], 0, c.odd};
    empty(t, gg_lane(), slots, GG_WARP, along);
    __syncwarp();
    for (uint32_t turn = 1;; turn++) {
        uint32_t at = 0;
        if (gg_lane() == 0) {
            const bool stop =
                turn % UNASKED == 0 && *(const volatile uint32_t *)c.stop != 0;
            at = stop ? rows : atomicAdd(&c.state->warp_taken, (uint32_t)TAKEN);
        }
        at = __shfl_sync(ALL_LANES, at, 0);
        if (at >= rows)
            return;
        for (uint32_t i = at; i < rows && i < at + TAKEN; i++)
            count_by_warp<along>(c, t, &waiting[warp], more_of_rows[along ? warp : 0],
                                 c.warp_row[i]);
    }
}

/* Handles neighbours first .. end - 1 of v, with one part of ahead[v] in the table at a
** time. */
template <bool along>
static __device__ __forceinline__ void
count_by_block(const counting &c, table t, waiting_rows *w, uint32_t *more_of_rows,
               uint32_t v, uint64_t first, uint64_t end) {
    constexpr uint32_t entries = block_slots<along> / 2;
    const uint64_t ahead_end = c.ahead.offset[v + 1];
    found own = {0, 0};
    for (uint64_t part = c.ahead.offset[v]; part < ahead_end; part += entries) {
        const uint64_t part_end = min(ahead_end, part + entries);
        t.bits = table_bits<along>((uint32_t)(part_end - part));
        fill_table<along>(c, t, part + threadIdx.x, part_end, GG_BLOCK);
        __syncthreads();
        look_up_neighbours<along>(c, t, v, first + threadIdx.x / GG_WARP * GG_WARP, end,
                                  GG_BLOCK, w, more_of_rows, &own);
        __syncthreads();
        flush_table<along>(c, t, threadIdx.x, GG_BLOCK);
        __syncthreads();
    }
    add_to_owner<along>(c, v, own);
}

/* A block takes the parts of its list, one at a time. */
template <bool along>
static __global__ void __launch_bounds__(GG_BLOCK)
    count_block_parts(const __grid_constant__ counting c) {
    constexpr uint32_t slots = block_slots<along>;
    __shared__ uint32_t key[slots], count[slots], more[along ? slots : 1],
        more_of_rows[along ? WARPS : 1][GG_WARP], taken;
    __shared__ waiting_rows waiting[WARPS];
    const uint32_t parts = c.state->block_parts, warp = threadIdx.x / GG_WARP;
    const table t = {key, count, more, 0, c.odd};
    empty(t, threadIdx.x, slots, GG_BLOCK, along);
    for (uint32_t turn = 1;; turn++) {
        if (threadIdx.x == 0) {
            const bool stop =
                turn % UNASKED == 0 && *(const volatile uint32_t *)c.stop != 0;
            taken = stop ? parts : atomicAdd(&c.state->block_taken, 1u);
        }
        __syncthreads();
        const uint32_t at = taken;
        __syncthreads();
        if (at >= parts)
            return;
        const uint32_t v = (uint32_t)(c.block_part[at] >> 32);
        const uint64_t first =
            c.simple.begin[v] + (uint32_t)c.block_part[at] * (uint64_t)PART_ARCS;
        count_by_block<along>(c, t, &waiting[warp], more_of_rows[along ? warp : 0], v,
                              first, min(c.simple.end[v], first + PART_ARCS));
    }
}

/* One thread for each vertex. */
static __global__ void end_counts(const __grid_constant__ counting c) {
    for (uint64_t v = gg_thread(); v < c.simple.n; v += gg_threads_of_grid()) {
        const uint32_t degree = (uint32_t)simple_degree(c, (uint32_t)v);
        const uint64_t arcs = c.triangles[v] + (c.more ? c.more[v] : c.triangles[v]);
        c.degree[v] = degree;
        c.coefficient[v] = gg_clustering(arcs, degree);
    }
}

/* One thread for each vertex. */
static __global__ void add_corners(const __grid_constant__ counting c) {
    word sum = 0;
    for (uint64_t v = gg_thread(); v < c.simple.n; v += gg_threads_of_grid())
        sum += c.triangles[v];
    __syncwarp();
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(ALL_LANES, sum, step);
    if (gg_lane() == 0 && sum > 0)
        atomicAdd(&c.state->corners, sum);
}

/* ---- driver ---- */

/* Carves arrays for directions if they count. */
static void carve_counting(struct workspace *space, bool along, struct counting *c) {
    const uint64_t n = c->simple.n, arcs = c->simple.m, edges = arcs / 2;
    c->state = gg_carve<struct state>(space, 1);
    gg_carve_ahead(space, &c->simple, &c->ahead);
    c->warp_row = gg_carve<uint32_t>(space, edges / (FEW + 1));
    c->block_part =
        gg_carve<uint64_t>(space, arcs / (WARP_ROW + 1) + arcs / PART_ARCS + 1);
    c->triangles = gg_carve<word>(space, n);
    c->degree = gg_carve<uint32_t>(space, n);
    c->coefficient = gg_carve<double>(space, n);
    c->there = along ? gg_carve<uint32_t>(space, edges / FLAG_ARCS + 1) : NULL;
    c->more = along ? gg_carve<word>(space, n) : NULL;
}

static bool compare_directions(struct cuda_job *job, const struct counting *c,
                               const struct device_edges *edges) {
    gg_fill(job, c->there, 0, (c->simple.m / 2 / FLAG_ARCS + 1) * sizeof *c->there);
    return gg_fill(job, c->more, 0, c->simple.n * sizeof *c->more) &&
           GG_LAUNCH(job, mark_directions, gg_grid(job, edges->m, GRID_BLOCKS), *c,
                     *edges);
}

/* Returns as many blocks as the device holds at once. They take entries of the lists
** until none is left. */
static unsigned blocks_of(struct cuda_job *job, void (*kernel)(counting),
                          uint64_t threads) {
    const struct cooperative_kernel k = {(const void *)kernel, "", GG_BLOCK, 0};
    return gg_grid(job, threads, gg_blocks_at_once(job, &k));
}

template <bool along>
static bool count_all_corners(struct cuda_job *job, const struct counting *c) {
    struct state state;
    if (!GG_LAUNCH(job, count_few<along>, gg_grid(job, c->simple.n, GRID_BLOCKS), *c) ||
        !gg_fetch(job, &state, c->state, sizeof state))
        return false;
    if (state.block_parts > 0)
        GG_LAUNCH(job, count_block_parts<along>,
                  blocks_of(job, count_block_parts<along>,
                            (uint64_t)state.block_parts * GG_BLOCK),
                  *c);
    if (state.warp_rows > 0)
        GG_LAUNCH(
            job, count_warp_rows<along>,
            blocks_of(job, count_warp_rows<along>, (uint64_t)state.warp_rows * GG_WARP),
            *c);
    return gg_going(job);
}

static bool count_corners(struct cuda_job *job, bool along, const struct counting *c,
                          const struct device_edges *edges) {
    gg_fill(job, c->state, 0, sizeof *c->state);
    gg_fill(job, c->triangles, 0, c->simple.n * sizeof *c->triangles);
    return gg_device_ahead(job, &c->simple, &c->ahead) &&
           (along ? compare_directions(job, c, edges) && count_all_corners<true>(job, c)
                  : count_all_corners<false>(job, c));
}

static bool bring_counts(struct cuda_job *job, void *to, const void *from, size_t size) {
    return !to || gg_download(job, to, from, (uint64_t)job->graph->n * size);
}

static void search_triangles(struct cuda_job *job, bool directed,
                             const gpugraph_triangle_counts *counts, uint64_t *total) {
    const bool along = directed && counts->coefficient;
    struct counting c = {};
    struct device_edges edges = {};
    struct state state;
    c.odd = (uint32_t)gg_placing().odd;
    c.stop = job->device->device_stop;
    if (!gg_device_csr(job, CSR_SIMPLE, false, &c.simple) ||
        (along && !gg_device_edges(job, false, &edges)) ||
        !gg_take_arrays(job, [&](workspace *s) { carve_counting(s, along, &c); }))
        return;
    double started = gg_now_ms();
    const unsigned grid = gg_grid(job, c.simple.n, GRID_BLOCKS);
    if (!count_corners(job, along, &c, &edges) ||
        !(total ? GG_LAUNCH(job, add_corners, grid, c)
                : GG_LAUNCH(job, end_counts, grid, c)) ||
        !gg_fetch(job, &state, c.state, sizeof state))
        return;
    gg_search_phase(job->run, started, (int64_t)(c.simple.m / 2), NULL);
    if (total) {
        *total = state.corners / 3;
        return;
    }
    started = gg_now_ms();
    if (bring_counts(job, counts->triangles, c.triangles, sizeof *c.triangles) &&
        bring_counts(job, counts->degree, c.degree, sizeof *c.degree) &&
        bring_counts(job, counts->coefficient, c.coefficient, sizeof *c.coefficient))
        gg_phase(job->run, "download", started, c.simple.n, "triangles of each vertex");
}

/* Device bytes that a run needs if directions do not count. */
static int64_t bytes_each(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    struct counting c = {};
    c.simple = {graph->n, 2 * graph->m, NULL, NULL, NULL};
    carve_counting(&space, false, &c);
    return gg_device_graph_lacks(graph, CSR_SIMPLE, false) + (int64_t)space.used;
}

GG_CUDA_SIDE(
    gg_vertex_triangles_cuda, triangles_entry, search_triangles, bytes_each,
    "vertex_triangles", "intersection",
    "warps and blocks look rows up in tables of higher-ranking neighbours, on chip")
GG_CUDA_SIDE(gg_triangles_cuda, triangles_entry, search_triangles, bytes_each,
             "triangles", "intersection", "adds up the triangles of each vertex")
