/* The CUDA backend's table: its functions, its methods, what choose.c asks of it. Devices
** are found in device/devices.cu and opened in device/job.cu. */
#include "device/devices.cuh"
#include "ids/ids.h"
#include "update/patch.h"

#include <string.h>

/* ---- what choose.c asks ---- */

static int64_t held(const gpugraph_graph *graph) {
    return graph->device ? gg_device_graph_bytes(graph->device) : 0;
}

static void free_copy(gpugraph_graph *graph) {
    gg_device_graph_free(graph, false);
}

static void release(gpugraph_graph *graph) {
    if (!graph->device)
        return;
    if (gg_forked())
        gg_device_graph_free(graph, true);
    else
        gg_with_device_of(graph, free_copy);
}

/* A child of fork frees and changes pages of its own. */
static void rows_back(gpugraph_graph *graph) {
    if (!gg_forked())
        gg_with_device_of(graph, gg_drop_pinned);
}

static bool open_context(gpugraph_graph *graph, gpugraph_run *run) {
    struct cuda_job job;
    return gg_job_open(&job, graph, run) && gg_job_close(&job) == GPUGRAPH_OK;
}

/* The arrays of a run, as the algorithms carve them: an upper bound. */
static int64_t needs(const gpugraph_graph *graph, const char *function, bool frugal) {
    const int64_t n = (int64_t)graph->n + 1, m = (int64_t)graph->m, ends = 8192;
    const int64_t slices = 8 * n + m / 64, tree = graph->wide ? 8 * n : 4 * n;
    if (strcmp(function, "bfs") == 0)
        return gg_device_graph_lacks(graph, CSR_OUT, false) + slices + 11 * n + tree +
               ends;
    if (strcmp(function, "sssp") == 0)
        return gg_device_graph_lacks(graph, CSR_OUT, true) + slices +
               (frugal ? 30 : 62) * n + tree + ends;
    if (strcmp(function, "path") == 0)
        return gg_device_graph_lacks(graph, CSR_OUT, true) + 16 * m + slices + 130 * n +
               tree + ends;
    if (strcmp(function, "dfs") == 0)
        return gg_device_graph_lacks(graph, CSR_OUT, false) + 62 * n + tree + m + ends +
               (n < 200000 ? 100 * n : 20000000);
    if (strcmp(function, "mis") == 0)
        return gg_mis_needs(graph, frugal);
    if (strcmp(function, "triangles") == 0)
        return gg_device_graph_lacks(graph, CSR_SIMPLE, false) + 13 * n + 8 * m + ends;
    return gg_device_graph_lacks(graph, CSR_KINDS, false) + 4 * n + ends;
}

static const gpugraph_method methods[] = {
    {"bfs", "persistent", "cuda",
     "one kernel runs many levels: the whole device or, where few vertices are found at "
     "a time, one cluster"},
    {"bfs", "direction-optimizing", "cuda",
     "as persistent; large frontiers are found from the unvisited side"},
    {"bfs", "multi-kernel", "cuda",
     "level by level: one kernel explores the frontier, one makes the next"},
    {"bfs", "multi-source", "cuda",
     "searches from up to 64 sources at once, a bit each, level by level"},
    {"sssp", "frontier", "cuda",
     "relaxes a frontier of near vertices, far ones wait in a pile"},
    {"sssp", "persistent", "cuda",
     "delta-stepping in one launch; small rounds stay within a block"},
    {"sssp", "L1V-L2V", "cuda",
     "multi-level multi-queue: a FIFO of each warp over a FIFO of all"},
    {"sssp", "L1NF-L2V", "cuda",
     "multi-level multi-queue: near and far vectors of each warp over a FIFO of all"},
    {"sssp", "L1FQ-L2V", "cuda",
     "multi-level multi-queue: a filtered FIFO of each warp over a FIFO of all"},
    {"sssp", "L1SLF-L2V", "cuda",
     "multi-level multi-queue: shortest length first of each warp over a FIFO of all"},
    {"sssp", "L1V-L2DQ", "cuda",
     "multi-level multi-queue: a FIFO of each warp over buckets of all"},
    {"sssp", "L1NF-L2DQ", "cuda",
     "multi-level multi-queue: near and far vectors of each warp over buckets of all"},
    {"sssp", "L1FQ-L2DQ", "cuda",
     "multi-level multi-queue: a filtered FIFO of each warp over buckets of all"},
    {"sssp", "L1SLF-L2DQ", "cuda",
     "multi-level multi-queue: shortest length first of each warp over buckets of all"},
    {"sssp", "L1V-L2PQ", "cuda",
     "multi-level multi-queue: a FIFO of each warp over a batched heap of all"},
    {"sssp", "L1NF-L2PQ", "cuda",
     "multi-level multi-queue: near and far vectors of each warp over a batched heap of "
     "all"},
    {"sssp", "L1FQ-L2PQ", "cuda",
     "multi-level multi-queue: a filtered FIFO of each warp over a batched heap of all"},
    {"sssp", "L1SLF-L2PQ", "cuda",
     "multi-level multi-queue: shortest length first of each warp over a batched heap of "
     "all"},
    {"sssp", "L1V-L2MPQ", "cuda",
     "multi-level multi-queue: a FIFO of each warp over several batched heaps"},
    {"sssp", "L1NF-L2MPQ", "cuda",
     "multi-level multi-queue: near and far vectors of each warp over several batched "
     "heaps"},
    {"sssp", "L1FQ-L2MPQ", "cuda",
     "multi-level multi-queue: a filtered FIFO of each warp over several batched heaps"},
    {"sssp", "L1SLF-L2MPQ", "cuda",
     "multi-level multi-queue: shortest length first of each warp over several batched "
     "heaps"},
    {"path", "bidirectional", "cuda",
     "from both ends; keeps the transpose with edge numbers"},
    {"dfs", "many-paths", "cuda",
     "unordered; every warp follows 32 paths with its own stack, idle warps steal"},
    {"dfs", "work-stealing", "cuda",
     "unordered; every warp follows a path with its own stack, idle warps steal"},
    {"dfs", "block-stealing", "cuda",
     "as work-stealing, with some blocks alone: for comparison"},
    {"dfs", "two-level", "cuda", "as work-stealing, in one block: for comparison"},
    {"dfs", "one-level", "cuda",
     "as two-level, all of every stack in device memory: for comparison"},
    {"dfs", "dag-paths", "cuda",
     "the lexicographic tree where the graph is acyclic: compares ways to a vertex"},
    {"dfs", "serial", "cuda",
     "the lexicographic tree: no parallelism in it, so the host searches"},
    {"mis", "one-launch", "cuda",
     "asynchronous: one kernel decides all, every vertex as soon as it can"},
    {"mis", "one-launch-balanced", "cuda",
     "as one-launch, arcs of 32 vertices dealt out evenly to a warp"},
    {"mis", "rounds", "cuda",
     "synchronous rounds over rows sorted by degree: threads, warps and blocks"},
    {"mis", "rounds-warp", "cuda",
     "synchronous rounds, a warp for each vertex, rows as they are"},
    {"mis", "out-of-core", "cuda",
     "rows in pinned host memory, read over the bus: for graphs larger than the device"},
    {"triangles", "intersection", "cuda",
     "intersects the rows of higher-ranking neighbours, warps share long ones"},
    {"triangles", "edge-queries", "cuda",
     "asks a dynamic set of edges for the third of every two that meet"},
    {"degrees", "count", "cuda", "one atomic addition for each end of an edge"},
    {NULL, NULL, NULL, NULL}};

extern "C" {
const backend gg_cuda_backend = {"cuda",         gg_cuda_bfs,       gg_cuda_bfs_each,
                                 gg_cuda_sssp,   gg_cuda_path,      gg_cuda_dfs,
                                 gg_cuda_mis,    gg_cuda_triangles, gg_cuda_degrees,
                                 methods,        gg_usable,         gg_device_at,
                                 held,           release,           gg_context_open,
                                 needs,          open_context,      gg_cuda_map_ids,
                                 gg_cuda_follow, gg_cuda_look,      rows_back};
}
