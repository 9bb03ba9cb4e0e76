/* Compares a graph's copy on a device with the graph's edges, by sums of hashes in any
** order:
**
**     edges   of (number, source, target, weight), on the device and on the host
**     rows    of (row, target, weight): rows of a kind, and arcs that edges make in it;
**             SIMPLE is made again for this, since it has no arc twice
**
** The host's edges have no gaps during the comparison. */
#include "device_copy.cuh"
#include "graph.h"
#include "hash.h"

typedef unsigned long long hash_sum; /* the type of atomicAdd */

static __host__ __device__ uint64_t hash_arc(uint64_t a, uint64_t b, uint64_t weight) {
    return gg_fixed_hash(gg_fixed_hash(gg_fixed_hash(a) + b) + weight);
}

static __host__ __device__ uint64_t weight_at(const void *weight, size_t size,
                                              uint64_t i) {
    if (!weight)
        return 0;
    return size == sizeof(uint32_t) ? static_cast<const uint32_t *>(weight)[i]
                                    : static_cast<const uint64_t *>(weight)[i];
}

/* Sums the arcs that the edges make; if `make` has no direction, sums numbered edges. */
static __global__ void sum_arcs(device_edges edges, arc_ends make, size_t size,
                                hash_sum *sum) {
    hash_sum mine = 0;
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        const uint32_t s = edges.source[e], t = edges.target[e];
        const uint64_t weight = weight_at(edges.weight, size, e);
        mine += !make.forward && !make.backward
                    ? hash_arc(e, (uint64_t)s << 32 | t, weight)
                    : 0;
        mine += make.forward ? hash_arc(s, t, weight) : 0;
        mine += make.backward && !(make.forward && s == t) ? hash_arc(t, s, weight) : 0;
    }
    atomicAdd(sum, mine);
}

/* One warp per row. */
static __global__ void sum_rows(const __grid_constant__ device_csr rows, size_t size,
                                hash_sum *sum) {
    hash_sum mine = 0;
    for (uint64_t v = gg_thread() / GG_WARP; v < rows.n;
         v += gg_threads_of_grid() / GG_WARP)
        for (uint64_t k = rows.begin[v] + gg_thread() % GG_WARP; k < rows.end[v];
             k += GG_WARP)
            mine += hash_arc(v, rows.target[k], weight_at(rows.weight, size, k));
    atomicAdd(sum, mine);
}

static bool differs(struct cuda_job *job, const char *what) {
    gg_fail(job->run, GPUGRAPH_INVALID,
            "the %s of the copy on device %d differ from those of the graph", what,
            job->device->ordinal);
    return false;
}

static uint64_t sum_host_edges(const gpugraph_graph *graph, bool weighted) {
    const size_t size = gg_distance_size(graph->distance_type);
    uint64_t sum = 0;
    for (uint64_t e = 0; e < graph->m; e++)
        sum += hash_arc(e, (uint64_t)graph->source[e] << 32 | graph->target[e],
                        weight_at(weighted ? graph->weight : NULL, size, e));
    return sum;
}

static bool sum_of_edges(struct cuda_job *job, const struct device_copy *copy,
                         bool weighted, struct arc_ends make, hash_sum *sum) {
    const device_edges edges = {copy->n, copy->m, copy->source, copy->target,
                                weighted ? copy->weight : NULL};
    return gg_fetch_result(job, sum, [&](hash_sum *to) {
        return GG_LAUNCH(job, sum_arcs, gg_grid(job, edges.m, 8), edges, make,
                         copy->weight_size, to);
    });
}

static bool check_edges(struct cuda_job *job, const struct device_copy *copy) {
    hash_sum sum;
    if (copy->n != job->graph->n || copy->m != job->graph->m)
        return differs(job, "counts");
    return sum_of_edges(job, copy, true, arc_ends{false, false}, &sum) &&
           (sum == sum_host_edges(job->graph, copy->weight != NULL) ||
            differs(job, "edges"));
}

static bool sum_of_rows(struct cuda_job *job, const struct device_csr *rows, size_t size,
                        hash_sum *sum) {
    return gg_fetch_result(job, sum, [&](hash_sum *to) {
        return GG_LAUNCH(job, sum_rows, gg_grid(job, (uint64_t)rows->n * GG_WARP, 8),
                         *rows, size, to);
    });
}

/* Sums the arcs that the edges make in rows of this kind. Makes SIMPLE rows again. */
static bool sum_of_kind(struct cuda_job *job, struct device_copy *copy,
                        enum csr_kind kind, bool weighted, hash_sum *sum) {
    if (kind != CSR_SIMPLE)
        return sum_of_edges(job, copy, weighted, arcs_of(kind), sum);
    struct device_rows made = {};
    made.offset_room = (uint64_t)copy->n + 1;
    const bool done = gg_device_simple(job, &made);
    const device_csr view = gg_view_of_rows(copy, &made);
    const bool summed = done && sum_of_rows(job, &view, 0, sum);
    gg_free_device_rows(copy, &made);
    return summed;
}

static bool check_kind(struct cuda_job *job, struct device_copy *copy,
                       enum csr_kind kind) {
    static const char *const name[CSR_KINDS] = {"rows of out", "rows of in",
                                                "rows of both", "simple rows"};
    const struct device_rows *rows = &copy->rows[kind];
    const device_csr view = gg_view_of_rows(copy, rows);
    hash_sum have, want;
    return sum_of_rows(job, &view, copy->weight_size, &have) &&
           sum_of_kind(job, copy, kind, rows->weight != NULL, &want) &&
           (have == want || differs(job, name[kind]));
}

bool gg_check_device_copy(struct cuda_job *job) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    if (!copy || !copy->source || !gg_going(job))
        return gg_going(job);
    bool equal = check_edges(job, copy);
    for (int kind = CSR_OUT; kind < CSR_KINDS && equal; kind++)
        if (copy->rows[kind].made)
            equal = check_kind(job, copy, (enum csr_kind)kind);
    return equal;
}
