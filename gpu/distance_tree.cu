/* Tree edges of a search by weight, by rows turned round: kernels and driver of what
** distance_tree.h has, and when rows are made for it.
**
** A search that goes both ways walks these rows itself. Otherwise they are made once for a
** graph, after some trees that would have had a use for them; as long as edges and rows only
** come by gpugraph_create they are in order wherever edges are. */
#include "device_graph.cuh"
#include "distance.cuh"
#include "frontier.cuh"

#define NAMED(x)   x##_uint32
#define WORD       integer32::word
#define WEIGHT     integer32::weight
#define UNREACHED  integer32::unreached()
#define SUM        integer32::add
#define FROM(d, i) warp_from(d, i)
#include "distance_tree_typed.h"

#define NAMED(x)   x##_uint64
#define WORD       integer64::word
#define WEIGHT     integer64::weight
#define UNREACHED  integer64::unreached()
#define SUM        integer64::add
#define FROM(d, i) warp_from_64(d, i)
#include "distance_tree_typed.h"

#define NAMED(x)   x##_real
#define WORD       real::word
#define WEIGHT     real::weight
#define UNREACHED  real::unreached()
#define SUM        real::add
#define FROM(d, i) warp_from_64(d, i)
#include "distance_tree_typed.h"

enum { SEARCH_BYTES = 128 }; /* for each vertex, that a search needs beside the rows */

/* ---- kernels ---- */

/* One warp to a chunk of places, round and round. */
#define WALK_KERNEL(name)                                                                \
    static __global__ void __launch_bounds__(GG_BLOCK, GG_TREE_BLOCKS)                   \
        walk_##name(const __grid_constant__ struct tree_walk_##name j, uint64_t places,  \
                    uint64_t chunk) {                                                    \
        __shared__ struct tree_aside_##name aside[GG_BLOCK / GG_WARP];                   \
        struct tree_aside_##name *mine = &aside[threadIdx.x / GG_WARP];                  \
        const uint64_t step = gg_threads_of_grid() / GG_WARP * chunk;                    \
        uint32_t count = 0;                                                              \
        for (uint64_t at = gg_thread() / GG_WARP * chunk; at < places; at += step)       \
            tree_walk_places_##name(&j, at, places - at < chunk ? places : at + chunk,   \
                                    mine, &count);                                       \
        tree_settle_##name(&j, mine, &count, 1);                                         \
    }
WALK_KERNEL(uint32)
WALK_KERNEL(uint64)
WALK_KERNEL(real)

/* One thread per vertex: the key of its arc becomes the number of the edge. */
static __global__ void number_arcs(const __grid_constant__ tree_rows rows,
                                   uint32_t *tree_edge) {
    for (uint64_t v = gg_thread(); v < rows.n; v += gg_threads_of_grid()) {
        const uint32_t key = tree_edge[v];
        if (key != GPUGRAPH_NONE)
            tree_edge[v] = (uint32_t)tree_edge_number(&rows, (uint32_t)v, key);
    }
}

/* One thread per vertex, and one for the end. */
static __global__ void find_edge_starts(device_edges edges, uint64_t *start) {
    for (uint64_t v = gg_thread(); v <= edges.n; v += gg_threads_of_grid())
        start[v] = tree_start(edges.source, edges.m, (uint32_t)v);
}

/* ---- what it takes ---- */

/* Are numbers narrow, and is the graph thick enough? */
static bool suits(const gpugraph_graph *graph, enum csr_kind kind) {
    uint64_t arcs = kind == CSR_BOTH ? 2 * graph->m : graph->m;
    return !graph->wide && arcs < TREE_MOST_ARCS &&
           (double)graph->m >= gg_tree_rows_limits.degree * (double)graph->n;
}

static bool usable(const struct device_rows *rows) {
    return rows->made && rows->weight && rows->by_number;
}

/* Is there room for so many bytes, and for the search afterwards? */
static bool fits(const struct cuda_job *job, uint64_t bytes) {
    return (int64_t)(bytes + (uint64_t)job->graph->n * SEARCH_BYTES) <
           gg_device_room(job);
}

/* What sorted rows take, and sorting them. */
static uint64_t rows_bytes(const gpugraph_graph *graph, enum csr_kind kind) {
    return (uint64_t)gg_device_graph_lacks(graph, kind, true) +
           graph->m * (20 + 3 * graph->device->weight_size);
}

/* Are the rows there, or is it time to make them? */
static bool wanted(struct cuda_job *job, enum csr_kind kind) {
    const gpugraph_graph *graph = job->graph;
    struct device_graph *copy = graph->device;
    const struct device_rows *rows = &copy->rows[kind];
    if (copy->edge_order == ORDER_NONE)
        return false;
    if (rows->made && rows->weight)
        return rows->by_number;
    return (uint64_t)graph->n * copy->weight_size >= gg_tree_rows_limits.bytes &&
           copy->trees[kind]++ >= gg_tree_rows_limits.after &&
           fits(job, rows_bytes(graph, kind));
}

static bool look_for_edge_order(struct cuda_job *job) {
    struct workspace space = {NULL, 0};
    double started = gg_now_ms();
    bool looked = false;
    gg_carve<int>(&space, 1);
    if (job->graph->device->edge_order != ORDER_UNKNOWN)
        return gg_going(job);
    if (!gg_workspace(job, &space) ||
        !gg_order_of_edges(job, gg_carve<int>(&space, 1), &looked))
        return false;
    job->working = false;
    gg_phase(job->run, "prepare", started, (int64_t)job->graph->m, "order of edges");
    return true;
}

/* Where edges begin, of a search both ways; else the rows of OUT say so. */
static bool make_edge_starts(struct cuda_job *job) {
    struct device_graph *copy = job->graph->device;
    struct device_edges edges;
    double started = gg_now_ms();
    const uint64_t bytes = ((uint64_t)copy->n + 1) * sizeof *copy->edge_start;
    if (copy->edge_start || copy->rows[CSR_OUT].made || !fits(job, bytes))
        return gg_going(job);
    if (!gg_device_edges(job, false, &edges) ||
        !take(job, &copy->edge_start, (uint64_t)copy->n + 1, sizeof *copy->edge_start))
        return false;
    find_edge_starts<<<gg_grid(job, (uint64_t)copy->n + 1, 16), GG_BLOCK, 0,
                       job->stream>>>(edges, copy->edge_start);
    if (!gg_launched(job, "find_edge_starts") || !gg_wait(job)) {
        give(copy, copy->edge_start, (uint64_t)copy->n + 1, sizeof *copy->edge_start);
        copy->edge_start = NULL;
        return false;
    }
    gg_phase(job->run, "prepare", started, copy->n, "where edges begin");
    return true;
}

bool gg_prepare_distance_tree(struct cuda_job *job, gpugraph_direction direction) {
    const enum csr_kind kind = gg_reverse_kind(direction);
    struct device_csr rows;
    if (!suits(job->graph, kind) || !wanted(job, kind))
        return gg_going(job);
    if (!look_for_edge_order(job))
        return false;
    if (job->graph->device->edge_order != ORDER_ASCENDING)
        return true;
    return gg_device_csr(job, kind, true, &rows) &&
           (kind != CSR_BOTH || make_edge_starts(job));
}

/* ---- driver ---- */

/* Chunks of a few for each warp, where there is enough. */
static uint64_t chunk_of(uint64_t places, unsigned blocks) {
    uint64_t warps = (uint64_t)blocks * GG_BLOCK / GG_WARP;
    uint64_t chunk = places / (warps * GG_TREE_CHUNKS) + 1;
    return chunk < GG_TREE_CHUNK_LEAST  ? GG_TREE_CHUNK_LEAST
           : chunk > GG_TREE_CHUNK_MOST ? GG_TREE_CHUNK_MOST
                                        : chunk;
}

static bool walk(struct cuda_job *job, const tree_rows &r, const void *weight,
                 const void *distance, uint32_t *key) {
    const uint64_t places = tree_places(r.arcs, r.n);
    const unsigned blocks = gg_grid(job, places, GG_TREE_BLOCKS);
    const uint64_t chunk = chunk_of(places, blocks);
    switch (job->graph->distance_type) {
    case GPUGRAPH_UINT32:
        walk_uint32<<<blocks, GG_BLOCK, 0, job->stream>>>(
            {r, static_cast<const integer32::weight *>(weight),
             static_cast<const integer32::word *>(distance), key},
            places, chunk);
        break;
    case GPUGRAPH_UINT64:
        walk_uint64<<<blocks, GG_BLOCK, 0, job->stream>>>(
            {r, static_cast<const integer64::weight *>(weight),
             static_cast<const integer64::word *>(distance), key},
            places, chunk);
        break;
    default:
        walk_real<<<blocks, GG_BLOCK, 0, job->stream>>>(
            {r, static_cast<const real::weight *>(weight),
             static_cast<const real::word *>(distance), key},
            places, chunk);
    }
    return gg_launched(job, "walk rows");
}

bool gg_distance_tree_by_rows(struct cuda_job *job, gpugraph_direction direction,
                              const void *distance, uint32_t *tree_edge, bool *done) {
    const enum csr_kind kind = gg_reverse_kind(direction);
    const struct device_graph *copy = job->graph->device;
    const struct device_rows *rows = &copy->rows[kind], *out = &copy->rows[CSR_OUT];
    const uint64_t *start = out->made ? out->offset : copy->edge_start;
    struct device_edges edges;
    *done = false;
    if (!suits(job->graph, kind) || copy->edge_order != ORDER_ASCENDING ||
        !usable(rows) || !start)
        return gg_going(job);
    if (!gg_device_edges(job, false, &edges))
        return false;
    const tree_rows r = {copy->n,      (uint32_t)rows->arcs, kind != CSR_IN,
                         rows->offset, rows->target,         start,
                         edges.target};
    if (!walk(job, r, rows->weight, distance, tree_edge))
        return false;
    number_arcs<<<gg_grid(job, r.n, 16), GG_BLOCK, 0, job->stream>>>(r, tree_edge);
    *done = gg_launched(job, "number_arcs");
    return *done;
}
