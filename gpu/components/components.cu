/* Weakly connected components on the device. components.c has the meaning. The steps for
** the list of edges:
**
**     plant_trees      component[v] = v
**     hook_first       points each vertex to its first neighbour if that is smaller.
**                      Threads may overwrite each other's hooks, because the lost edge is
**                      linked later like all other edges.
**     shorten_paths    points each vertex to its root or near it
**     link_second      joins the trees of vertices and of their second neighbours
**     shorten_paths
**     elect            finds the commonest root of some vertices
**     mark_outside     fills the bitmap of vertices outside the component of this root
**     link_rest        links the edges with an end outside
**     compress_trees   points each vertex to its root
**
** If there are few edges for each vertex, all edges are linked at once. If earlier
** searches have left rows of both directions, the steps read only the first two arcs of
** each row, and then the rows of vertices outside (Afforest; components.c). Edges that a
** warp must link wait until each lane has one. A link is a chain of dependent loads and
** takes as long for one lane as for all. No step waits for the host. */
#include "components.cuh"
#include "components.h"
#include "device/services.h"
#include "graph/device_copy.cuh"
#include "graph/frontier.cuh"

enum {
    GROUP = 4,     /* edges that a thread reads at once */
    LONG_ROW = 64, /* the lanes of a warp share a row with this many arcs */
    WARPS = GG_BLOCK / GG_WARP
};

/* ---- trees, hooked together as in components.c ---- */

static __device__ __forceinline__ uint32_t tree_parent(const uint32_t *component,
                                                       uint32_t v) {
    return *(const volatile uint32_t *)&component[v];
}

/* Returns the present or an earlier parent, from any cache. This is valid while no tree
** is hooked to another: ancestors stay ancestors, and roots stay roots. All paths of a
** large component end at one word. If loads bypassed the caches, the one place of this
** word in memory would have to serve all warps. */
static __device__ __forceinline__ uint32_t some_parent_of(const uint32_t *component,
                                                          uint32_t v) {
    uint32_t parent;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(parent) : "l"(component + v));
    return parent;
}

static __device__ __forceinline__ void point_to(uint32_t *component, uint32_t v,
                                                uint32_t ancestor) {
    *(volatile uint32_t *)&component[v] = ancestor;
}

/* As link_ends in components.c. */
static __device__ void link_ends(uint32_t *component, uint32_t u, uint32_t v) {
    uint32_t a = tree_parent(component, u), b = tree_parent(component, v);
    while (a != b) {
        const uint32_t high = max(a, b), low = min(a, b);
        uint32_t above = tree_parent(component, high);
        if (above == low)
            return;
        if (above == high) {
            above = atomicCAS(&component[high], high, low);
            if (above == high)
                return;
        }
        a = tree_parent(component, above);
        if (a != above) /* never changes a root: high is no root */
            point_to(component, high, a);
        b = low;
    }
}

/* Edges that a warp keeps until each lane has one. */
struct waiting {
    uint2 edge[2 * GG_WARP];
};

static __device__ __forceinline__ void
link_waiting(const component_arrays &a, const waiting *w, uint32_t first, uint32_t end) {
    if (first + gg_lane() < end) {
        const uint2 e = w->edge[first + gg_lane()];
        link_ends(a.component, e.x, e.y);
    }
    __syncwarp();
}

/* All lanes of the warp call, each with an edge or none. `count` is the same in all
** lanes. */
static __device__ __forceinline__ uint32_t wait_or_link(const component_arrays &a,
                                                        waiting *w, uint32_t count,
                                                        bool has_edge, uint32_t u,
                                                        uint32_t v) {
    const unsigned lanes = __ballot_sync(~0u, has_edge);
    if (lanes == 0)
        return count;
    if (has_edge)
        w->edge[count + __popc(lanes & ((1u << gg_lane()) - 1))] = make_uint2(u, v);
    __syncwarp();
    count += __popc(lanes);
    if (count < GG_WARP)
        return count;
    link_waiting(a, w, count - GG_WARP, count);
    return count - GG_WARP;
}

static __global__ void plant_trees(const __grid_constant__ component_arrays a) {
    for (uint64_t v = gg_thread(); v < a.n; v += gg_threads_of_grid())
        a.component[v] = (uint32_t)v;
}

/* Halves the path to the root while following it. If another thread has stored the root
** meanwhile, this thread replaces it by another ancestor. The path is then longer, but it
** still leads to the root. */
static __global__ void shorten_paths(const __grid_constant__ component_arrays a) {
    for (uint64_t v = gg_thread(); v < a.n; v += gg_threads_of_grid()) {
        const uint32_t first = tree_parent(a.component, (uint32_t)v);
        uint32_t at = (uint32_t)v, above = first, next;
        while ((next = some_parent_of(a.component, above)) != above) {
            point_to(a.component, at, next);
            at = above;
            above = next;
        }
        if (above != first)
            point_to(a.component, (uint32_t)v, above);
    }
}

static __global__ void compress_trees(const __grid_constant__ component_arrays a) {
    for (uint64_t v = gg_thread(); v < a.n; v += gg_threads_of_grid()) {
        const uint32_t first = tree_parent(a.component, (uint32_t)v);
        uint32_t root = first, above;
        while ((above = some_parent_of(a.component, root)) != root)
            root = above;
        if (root != first)
            point_to(a.component, (uint32_t)v, root);
    }
}

/* ---- the largest component ---- */

/* One block of COMPONENTS_VOTES threads. Each thread counts how many of the others have
** its root. */
static __global__ void elect(const __grid_constant__ component_arrays a) {
    __shared__ uint32_t root[COMPONENTS_VOTES];
    __shared__ unsigned long long best;
    const uint32_t i = threadIdx.x;
    const uint32_t v = (uint32_t)((uint64_t)a.n * i / COMPONENTS_VOTES);
    root[i] = a.component[v];
    if (i == 0)
        best = 0;
    __syncthreads();
    unsigned long long same = 0;
    for (uint32_t j = 0; j < COMPONENTS_VOTES; j++)
        same += root[j] == root[i];
    atomicMax(&best, same << 32 | root[i]);
    __syncthreads();
    if (i == 0)
        *a.largest = (uint32_t)best;
}

/* ---- the first neighbours ---- */

/* The position of an edge in its run, which is the consecutive edges with the same
** source: 0, 1, or 2 for all later positions. */
static __device__ __forceinline__ uint32_t place_in_run(const device_edges &edges,
                                                        uint64_t e, uint32_t u) {
    if (e < 1 || edges.source[e - 1] != u)
        return 0;
    return e < 2 || edges.source[e - 2] != u ? 1 : 2;
}

static __global__ void hook_first(device_edges edges,
                                  const __grid_constant__ component_arrays a) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        const uint32_t u = edges.source[e];
        if (place_in_run(edges, e, u) > 0)
            continue;
        const uint32_t v = edges.target[e];
        if (v < u)
            point_to(a.component, u, v);
    }
}

/* In an unsorted list each edge is a run. So the kernel also links a sample of the first
** edges of runs, from the whole list. */
static __global__ void __launch_bounds__(GG_BLOCK)
    link_second(device_edges edges, const __grid_constant__ component_arrays a) {
    __shared__ waiting of_warp[WARPS];
    waiting *w = &of_warp[threadIdx.x / GG_WARP];
    const uint64_t whole = gg_whole_warps(edges.m), stride = edges.m / a.n + 1;
    uint32_t count = 0;
    for (uint64_t e = gg_thread(); e < whole; e += gg_threads_of_grid()) {
        const uint32_t u = e < edges.m ? edges.source[e] : 0,
                       place = e < edges.m ? place_in_run(edges, e, u) : 2;
        const bool samples = place == 1 || (place == 0 && e % stride == 0);
        count = wait_or_link(a, w, count, samples, u, samples ? edges.target[e] : 0);
    }
    link_waiting(a, w, 0, count);
}

static __global__ void link_every(device_edges edges,
                                  const __grid_constant__ component_arrays a) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid())
        link_ends(a.component, edges.source[e], edges.target[e]);
}

/* Replaces plant_trees and hook_first. */
static __global__ void hook_first_arc(const __grid_constant__ device_csr rows,
                                      const __grid_constant__ component_arrays a) {
    for (uint64_t v = gg_thread(); v < a.n; v += gg_threads_of_grid()) {
        const uint64_t first = rows.begin[v];
        const uint32_t u = first < rows.end[v] ? rows.target[first] : (uint32_t)v;
        a.component[v] = min(u, (uint32_t)v);
    }
}

static __global__ void link_second_arc(const __grid_constant__ device_csr rows,
                                       const __grid_constant__ component_arrays a) {
    for (uint64_t v = gg_thread(); v < a.n; v += gg_threads_of_grid()) {
        const uint64_t second = rows.begin[v] + 1;
        if (second < rows.end[v])
            link_ends(a.component, (uint32_t)v, rows.target[second]);
    }
}

/* ---- vertices outside of the largest component ---- */

static __global__ void mark_outside(const __grid_constant__ component_arrays a) {
    const uint32_t largest = *a.largest;
    const uint64_t whole = gg_whole_warps(a.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const uint32_t word = __ballot_sync(~0u, v < a.n && a.component[v] != largest);
        if (v % GG_WARP == 0)
            a.outside[v / GG_WARP] = word;
    }
}

static __device__ __forceinline__ uint32_t is_outside(const component_arrays &a,
                                                      uint32_t v) {
    return a.outside[v / 32] >> v % 32 & 1;
}

/* ---- the rest ---- */

static __global__ void __launch_bounds__(GG_BLOCK)
    link_rest(device_edges edges, const __grid_constant__ component_arrays a) {
    __shared__ waiting of_warp[WARPS];
    waiting *w = &of_warp[threadIdx.x / GG_WARP];
    const uint64_t groups = edges.m / GROUP, whole = gg_whole_warps(groups);
    uint32_t count = 0;
    for (uint64_t g = gg_thread(); g < whole; g += gg_threads_of_grid()) {
        const bool live = g < groups;
        const uint4 none = make_uint4(0, 0, 0, 0),
                    from = live ? reinterpret_cast<const uint4 *>(edges.source)[g] : none,
                    to = live ? reinterpret_cast<const uint4 *>(edges.target)[g] : none;
        const uint32_t u[GROUP] = {from.x, from.y, from.z, from.w},
                       v[GROUP] = {to.x, to.y, to.z, to.w};
        uint32_t open[GROUP];
#pragma unroll
        for (int k = 0; k < GROUP; k++)
            open[k] = is_outside(a, u[k]) | is_outside(a, v[k]);
#pragma unroll
        for (int k = 0; k < GROUP; k++)
            count = wait_or_link(a, w, count, live && open[k], u[k], v[k]);
    }
    link_waiting(a, w, 0, count);
    const uint64_t e = groups * GROUP + gg_thread();
    if (e < edges.m)
        link_ends(a.component, edges.source[e], edges.target[e]);
}

/* Links the rows of vertices outside. A lane takes a short row, the whole warp a long
** row. */
static __global__ void link_outside_rows(const __grid_constant__ device_csr rows,
                                         const __grid_constant__ component_arrays a) {
    const uint32_t *target = rows.target;
    const uint64_t whole = gg_whole_warps(a.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool open = a.outside[v / GG_WARP] >> v % GG_WARP & 1;
        const uint64_t first = open ? rows.begin[v] : 0, end = open ? rows.end[v] : 0;
        unsigned large = __ballot_sync(~0u, end - first >= LONG_ROW);
        for (uint64_t i = first; end - first < LONG_ROW && i < end; i++)
            link_ends(a.component, (uint32_t)v, target[i]);
        for (; large; large &= large - 1) {
            const int owner = __ffs((int)large) - 1;
            const uint64_t low = __shfl_sync(~0u, first, owner),
                           high = __shfl_sync(~0u, end, owner);
            const uint32_t u = (uint32_t)(v - v % GG_WARP) + (uint32_t)owner;
            for (uint64_t i = low + v % GG_WARP; i < high; i += GG_WARP)
                link_ends(a.component, u, target[i]);
            __syncwarp();
        }
    }
}

/* ---- driver ---- */

static void carve_trees(struct workspace *space, uint32_t n, struct component_arrays *a) {
    a->n = n;
    a->component = gg_carve<uint32_t>(space, n);
    a->outside = gg_carve<uint32_t>(space, (n + (uint64_t)GG_WARP - 1) / GG_WARP);
    a->largest = gg_carve<uint32_t>(space, 1);
}

/* Finds rows of both directions that earlier searches have left: those of CSR_BOTH, those
** of OUT in a symmetric graph, or those of OUT and of IN. Returns the number of kinds; 0:
** there are no such rows. */
static int rows_there(const gpugraph_graph *graph, struct device_csr rows[2]) {
    const struct device_copy *copy = gg_device_copy_of(graph);
    const struct device_rows *out = &copy->rows[CSR_OUT], *in = &copy->rows[CSR_IN],
                             *both = &copy->rows[CSR_BOTH];
    const bool one = both->made || (out->made && gg_known_symmetric(graph));
    if (!one && !(out->made && in->made))
        return 0;
    rows[0] = gg_view_of_rows(copy, both->made ? both : out);
    if (!one)
        rows[1] = gg_view_of_rows(copy, in);
    return one ? 1 : 2;
}

static void find_largest(struct cuda_job *job, const struct component_arrays *a) {
    const unsigned by_vertex = gg_grid(job, a->n, 16);
    elect<<<1, COMPONENTS_VOTES, 0, job->stream>>>(*a);
    GG_LAUNCH(job, mark_outside, by_vertex, *a);
}

static bool link_all_rows(struct cuda_job *job, const struct device_csr *rows, int kinds,
                          const struct component_arrays *a) {
    const unsigned by_vertex = gg_grid(job, a->n, 16);
    GG_LAUNCH(job, hook_first_arc, by_vertex, *rows, *a);
    GG_LAUNCH(job, shorten_paths, by_vertex, *a);
    GG_LAUNCH(job, link_second_arc, by_vertex, *rows, *a);
    GG_LAUNCH(job, shorten_paths, by_vertex, *a);
    find_largest(job, a);
    for (int kind = 0; kind < kinds; kind++)
        GG_LAUNCH(job, link_outside_rows, by_vertex, rows[kind], *a);
    return GG_LAUNCH(job, compress_trees, by_vertex, *a);
}

bool gg_components_of_edges(struct cuda_job *job, const struct device_edges *edges,
                            const struct component_arrays *a) {
    const unsigned by_vertex = gg_grid(job, a->n, 16),
                   by_edge = gg_grid(job, edges->m, 16);
    GG_LAUNCH(job, plant_trees, by_vertex, *a);
    if (edges->m / GG_COMPONENTS_ROW < a->n) {
        GG_LAUNCH(job, link_every, by_edge, *edges, *a);
    } else {
        GG_LAUNCH(job, hook_first, by_edge, *edges, *a);
        GG_LAUNCH(job, shorten_paths, by_vertex, *a);
        GG_LAUNCH(job, link_second, by_edge, *edges, *a);
        GG_LAUNCH(job, shorten_paths, by_vertex, *a);
        find_largest(job, a);
        GG_LAUNCH(job, link_rest, by_edge, *edges, *a);
    }
    return GG_LAUNCH(job, compress_trees, by_vertex, *a);
}

static void find_weak(struct cuda_job *job, uint32_t *component) {
    struct device_edges edges;
    struct component_arrays a;
    if (!gg_device_edges(job, false, &edges))
        return;
    struct device_csr rows[2];
    const int kinds = rows_there(job->graph, rows);
    const double started = gg_now_ms();
    if (!gg_take_arrays(job, [&](workspace *s) { carve_trees(s, edges.n, &a); }))
        return;
    if (!(kinds > 0 ? link_all_rows(job, rows, kinds, &a)
                    : gg_components_of_edges(job, &edges, &a)) ||
        !gg_wait(job))
        return;
    gg_search_phase(job->run, started, (int64_t)edges.m, "%s",
                    kinds > 0 ? "by rows of earlier searches" : "");
    gg_bring(job, component, a.component, edges.n, "components");
}

static int64_t bytes_components(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    struct component_arrays a;
    carve_trees(&space, graph->n, &a);
    return gg_device_graph_lacks(graph, CSR_KINDS, false) + (int64_t)space.used;
}

GG_CUDA_SIDE(gg_components_cuda, components_entry, find_weak, bytes_components,
             "components", "union-find",
             "weak: threads hook roots of trees to smaller ones, a sample of the edges "
             "first")
