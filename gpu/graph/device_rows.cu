/* Makes OUT, IN and BOTH on the device, from the edges there:
**
**     edges        source  2 0 2 1      target  1 2 0 0        (IN: exchanged; BOTH: both
**                                                               directions, loops once)
**     by sorting   row     0 1 2 2      target  2 0 1 0        stable radix sort; a new
**                  offset  0 1 2 4                             row begins where the row
**                                                              number differs
**     by counting  count   1 1 2        an atomic addition for each arc, prefix sums, and
**                  offset  0 1 2 4      an addition for its position; order is arbitrary
**
** Sorting moves every arc a few times, in long streams. Counting moves every arc once, to
** a random position. Counting needs less memory, and is used if memory is too short for a
** sort. Edges in the order of their rows are copied (device_rows_sort.cu). */
#include "device_copy.cuh"

#include <cub/device/device_scan.cuh>

/* ---- by counting ---- */

/* One thread per edge. In BOTH a loop is one arc. */
static __global__ void count_arcs(device_edges edges, arc_ends make, uint32_t *count) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (make.forward)
            atomicAdd(&count[s], 1u);
        if (make.backward && !(make.forward && s == t))
            atomicAdd(&count[t], 1u);
    }
}

/* One thread per edge. left[row]: arcs of the row not placed yet. */
template <typename weight>
static __global__ void scatter_arcs(device_edges edges, arc_ends make,
                                    const uint64_t *offset, uint32_t *left,
                                    uint32_t *target, weight *row_weight) {
    const weight *edge_weight = static_cast<const weight *>(edges.weight);
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (make.forward) {
            uint64_t at = offset[s] + atomicSub(&left[s], 1u) - 1;
            target[at] = t;
            if (row_weight)
                row_weight[at] = edge_weight[e];
        }
        if (make.backward && !(make.forward && s == t)) {
            uint64_t at = offset[t] + atomicSub(&left[t], 1u) - 1;
            target[at] = s;
            if (row_weight)
                row_weight[at] = edge_weight[e];
        }
    }
}

/* Counts have 32 bits, their sums 64: the type of the initial value decides. */
static cudaError_t scan(void *scratch, size_t *bytes, const uint32_t *counts,
                        uint64_t *offset, uint32_t n, cudaStream_t stream) {
    return cub::DeviceScan::ExclusiveScan(scratch, *bytes, counts, offset,
                                          ::cuda::std::plus<uint64_t>(), (uint64_t)0,
                                          (int64_t)n + 1, stream);
}

uint64_t gg_offsets_scratch(uint32_t n) {
    size_t bytes = 0;
    scan(NULL, &bytes, NULL, NULL, n, NULL);
    return bytes;
}

bool gg_offsets(struct cuda_job *job, const uint32_t *counts, uint64_t *offset,
                uint32_t n, void *scratch, uint64_t scratch_bytes) {
    size_t bytes = scratch_bytes;
    if (gg_going(job))
        gg_note(job, scan(scratch, &bytes, counts, offset, n, job->stream),
                "add up row lengths");
    return gg_going(job);
}

static void scatter(struct cuda_job *job, const struct device_edges *edges,
                    struct arc_ends make, struct device_rows *rows, uint32_t *left) {
    unsigned grid = gg_grid(job, edges->m, 16);
    if (gg_device_copy_of(job->graph)->weight_size == 8)
        GG_LAUNCH(job, scatter_arcs, grid, *edges, make, rows->offset, left, rows->target,
                  (uint64_t *)rows->weight);
    else
        GG_LAUNCH(job, scatter_arcs, grid, *edges, make, rows->offset, left, rows->target,
                  (uint32_t *)rows->weight);
}

static bool build_by_counting(struct cuda_job *job, enum csr_kind kind, bool weighted,
                              const struct device_edges *edges,
                              struct device_rows *rows) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    const uint32_t n = copy->n;
    const uint64_t scan_bytes = gg_offsets_scratch(n);
    uint32_t *count;
    unsigned char *scan;
    if (!gg_take_arrays(job, [&](struct workspace *space) {
            count = gg_carve<uint32_t>(space, (uint64_t)n + 1);
            scan = gg_carve<unsigned char>(space, scan_bytes);
        }))
        return false;
    gg_fill(job, count, 0, ((uint64_t)n + 1) * sizeof *count);
    if (!GG_LAUNCH(job, count_arcs, gg_grid(job, edges->m, 16), *edges, arcs_of(kind),
                   count) ||
        !take(job, &copy->part, &rows->offset, (uint64_t)n + 1, sizeof *rows->offset) ||
        !gg_offsets(job, count, rows->offset, n, scan, scan_bytes) ||
        !gg_fetch(job, &rows->arcs, rows->offset + n, sizeof rows->arcs))
        return false;
    rows->room = rows->arcs;
    if (!take(job, &copy->part, &rows->target, rows->room, sizeof *rows->target) ||
        (weighted &&
         !take(job, &copy->part, &rows->weight, rows->room, copy->weight_size)))
        return false;
    scatter(job, edges, arcs_of(kind), rows, count);
    return gg_wait(job);
}

/* ---- choice of the method ---- */

bool gg_device_rows(struct cuda_job *job, enum csr_kind kind, bool weighted,
                    struct device_rows *rows, const char **how) {
    struct device_edges edges;
    if (!gg_device_edges(job, weighted, &edges))
        return false;
    bool built = gg_rows_by_sorting(job, kind, weighted, &edges, rows, how);
    gg_drop_workspace(job); /* large after a sort; counting may need the memory */
    if (built || !gg_going(job))
        return built;
    *how = ", by counting";
    return build_by_counting(job, kind, weighted, &edges, rows);
}
