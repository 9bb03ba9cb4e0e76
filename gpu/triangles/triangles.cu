/* Triangles on the device, method "intersection"; triangles.c beside this has the meaning
** and the CPU backend.
**
**     ahead      of each vertex the neighbours of a higher rank (degree, then number),
**                ascending by number; tail[arc] is the vertex itself
**
**          u --- w       for every arc v -> u: the entries that ahead[v] and ahead[u]
**           \   /        have in common, the shorter row looked up in the longer
**            v
**
** A lane counts an arc with a short row by itself; for the others the whole warp works,
** one arc after the other. Launches take a limited number of arcs, so that an interrupt
** between them is felt. */
#include "triangles.h"
#include "ahead.cuh"

enum {
    GRID_BLOCKS = 16, /* for each multiprocessor */
    LANE_ROW = 8,     /* entries of a shorter row that one lane looks up alone */
    ARCS_A_LAUNCH = 4 << 20
};

typedef unsigned long long word;

/* ---- kernels ---- */

struct row {
    const uint32_t *entry;
    uint32_t length;
};

static __device__ __forceinline__ row row_of(const ahead &a, uint32_t v) {
    uint64_t begin = a.offset[v];
    return row{a.target + begin, (uint32_t)(a.offset[v + 1] - begin)};
}

/* Entries first, first + step, ... of the shorter row that the other one holds. */
static __device__ __forceinline__ uint32_t common(row shorter, row longer, uint32_t first,
                                                  uint32_t step) {
    uint32_t count = 0;
    for (uint32_t i = first; i < shorter.length; i += step)
        count +=
            gg_place_in(longer.entry, longer.length, shorter.entry[i]) < longer.length;
    return count;
}

static __device__ __forceinline__ void rows_of_arc(const ahead &a, uint64_t arc,
                                                   row *shorter, row *longer) {
    row of_tail = row_of(a, a.tail[arc]), of_head = row_of(a, a.target[arc]);
    bool tail_first = of_tail.length < of_head.length;
    *shorter = tail_first ? of_tail : of_head;
    *longer = tail_first ? of_head : of_tail;
}

/* One lane per arc while the shorter row is short, else one warp. */
static __global__ void __launch_bounds__(GG_BLOCK)
    count_common(ahead a, uint64_t begin, uint64_t end, word *triangles) {
    unsigned long long sum = 0;
    uint64_t whole = begin + gg_whole_warps(end - begin);
    for (uint64_t arc = begin + gg_thread(); arc < whole; arc += gg_threads_of_grid()) {
        row shorter = {NULL, 0}, longer = {NULL, 0};
        if (arc < end)
            rows_of_arc(a, arc, &shorter, &longer);
        bool wide = shorter.length > LANE_ROW;
        if (!wide)
            sum += common(shorter, longer, 0, 1);
        __syncwarp();
        unsigned left = __ballot_sync(ALL_LANES, wide);
        for (; left; left &= left - 1) {
            uint64_t shared = __shfl_sync(ALL_LANES, arc, __ffs(left) - 1);
            rows_of_arc(a, shared, &shorter, &longer);
            sum += common(shorter, longer, gg_lane(), GG_WARP);
        }
        __syncwarp();
    }
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(ALL_LANES, sum, step);
    if (gg_lane() == 0 && sum > 0)
        atomicAdd(triangles, sum);
}

/* ---- driver ---- */

static void carve(struct workspace *space, const struct device_csr *g, struct ahead *a,
                  word **triangles) {
    *triangles = gg_carve<word>(space, 1);
    gg_carve_ahead(space, g, true, a);
}

static bool count_all(struct cuda_job *job, uint64_t arcs, const struct ahead *a,
                      word *triangles) {
    for (uint64_t begin = 0; begin < arcs; begin += ARCS_A_LAUNCH) {
        uint64_t end = arcs - begin < ARCS_A_LAUNCH ? arcs : begin + ARCS_A_LAUNCH;
        count_common<<<gg_grid(job, end - begin, GRID_BLOCKS), GG_BLOCK, 0,
                       job->stream>>>(*a, begin, end, triangles);
        if (!gg_launched(job, "count_common") || !gg_wait(job))
            return false;
    }
    return gg_going(job);
}

static void search_graph(struct cuda_job *job, uint64_t *count) {
    struct device_csr g;
    struct workspace space = {NULL, 0};
    struct ahead a;
    word *triangles;
    if (!gg_device_csr(job, CSR_SIMPLE, false, &g))
        return;
    double started = gg_now_ms();
    carve(&space, &g, &a, &triangles);
    if (!gg_workspace(job, &space))
        return;
    carve(&space, &g, &a, &triangles);
    if (gg_fill(job, triangles, 0, sizeof *triangles) && gg_device_ahead(job, &g, &a) &&
        count_all(job, g.m / 2, &a, triangles) &&
        gg_fetch(job, count, triangles, sizeof *count))
        gg_search_phase(job->run, started, (int64_t)(g.m / 2), "");
}

static gpugraph_status count_on_device(gpugraph_graph *graph, gpugraph_run *run,
                                       uint64_t *count) {
    struct cuda_job job;
    *count = 0;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    search_graph(&job, count);
    return gg_job_close(&job);
}

/* What a run takes. */
static int64_t bytes(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    struct device_csr g = {graph->n, 2 * graph->m, NULL, NULL, NULL};
    struct ahead a;
    word *triangles;
    carve(&space, &g, &a, &triangles);
    return gg_device_graph_lacks(graph, CSR_SIMPLE, false) + (int64_t)space.used;
}

/* ---- the device's side ---- */

static const gpugraph_method methods[] = {
    {"triangles", "intersection", "cuda",
     "intersects the rows of higher-ranking neighbours, warps share long ones"},
    {"triangles", "edge-queries", "cuda",
     "asks a dynamic set of edges for the third of every two that meet"},
    {},
};

static const struct triangles_calls calls = {.count = count_on_device};

extern "C" const algorithm_side gg_triangles_cuda = {
    .methods = methods,
    .calls = &calls,
    .bytes = bytes,
};
