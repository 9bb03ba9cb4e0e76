/* Makes the rows OUT, IN and BOTH on the device, from the edges on the device:
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

/* One thread per edge: counts its arcs. In BOTH a loop is one arc. */
static __global__ void count_arcs(device_edges edges, arc_ends make, uint32_t *count) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (make.forward)
            atomicAdd(&count[s], 1u);
        if (make.backward && !(make.forward && s == t))
            atomicAdd(&count[t], 1u);
    }
}

void gg_device_degrees(struct cuda_job *job, uint32_t *degree) {
    const uint32_t n = job->graph->n;
    struct device_edges edges;
    uint32_t *count;
    if (!gg_device_edges(job, false, &edges) ||
        !gg_take_arrays(job, [&](workspace *s) { count = gg_carve<uint32_t>(s, n); }))
        return;
    gg_fill(job, count, 0, n * sizeof *count);
    const unsigned grid = gg_grid(job, edges.m, 16);
    GG_LAUNCH(job, count_arcs, grid, edges, arcs_of(CSR_OUT), count);
    GG_LAUNCH(job, count_arcs, grid, edges, arcs_of(CSR_IN), count);
    gg_bring(job, degree, count, n, "degrees");
}

/* One thread per edge: writes its arcs. left[row]: arcs of the row still to write. */
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

/* Counts have 32 bits. Their sums have 64 bits, the type of the initial value. */
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

static bool build_by_counting(struct cuda_job *job, const struct row_sort *s,
                              struct device_rows *rows) {
    const uint32_t n = s->edges.n;
    const uint64_t scan_bytes = gg_offsets_scratch(n);
    uint32_t *count;
    unsigned char *scan;
    if (!gg_take_arrays(job, [&](struct workspace *space) {
            count = gg_carve<uint32_t>(space, (uint64_t)n + 1);
            scan = gg_carve<unsigned char>(space, scan_bytes);
        }))
        return false;
    gg_fill(job, count, 0, ((uint64_t)n + 1) * sizeof *count);
    if (!GG_LAUNCH(job, count_arcs, gg_grid(job, s->edges.m, 16), s->edges, s->make,
                   count) ||
        !gg_offsets(job, count, rows->offset, n, scan, scan_bytes))
        return false;
    scatter(job, &s->edges, s->make, rows, count);
    return gg_wait(job);
}

/* ---- choice of the method ---- */

struct edge_survey {
    unsigned long long loops;
    uint32_t falls; /* a row number is less than the previous one */
};

static __global__ void survey_edges(uint64_t m, const uint32_t *row, const uint32_t *ends,
                                    edge_survey *found) {
    unsigned long long loops = 0;
    bool falls = false;
    for (uint64_t e = gg_thread(); e < m; e += gg_threads_of_grid()) {
        loops += row[e] == ends[e];
        falls |= e > 0 && row[e - 1] > row[e];
    }
    if (loops)
        atomicAdd(&found->loops, loops);
    if (falls)
        found->falls = 1;
}

/* Tests if the edges are in the order of rows. Allocates the arrays of the rows. */
static bool take_rows(struct cuda_job *job, struct row_sort *s,
                      struct device_rows *rows) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    struct device_part *part = &copy->part;
    edge_survey found;
    if (!gg_fetch_result(job, &found, [&](edge_survey *there) {
            return GG_LAUNCH(job, survey_edges, gg_grid(job, s->edges.m, 16), s->edges.m,
                             s->row, s->ends, there);
        }))
        return false;
    s->in_order = !s->both && !found.falls;
    rows->arcs = s->arcs - (s->both ? found.loops : 0);
    rows->room = s->arcs;
    return take(job, part, &rows->offset, (uint64_t)s->edges.n + 1,
                sizeof *rows->offset) &&
           take(job, part, &rows->target, rows->room, sizeof *rows->target) &&
           (!s->weighted ||
            take(job, part, &rows->weight, rows->room, copy->weight_size));
}

bool gg_device_rows(struct cuda_job *job, enum csr_kind kind, bool weighted,
                    struct device_rows *rows, const char **how) {
    struct row_sort s = {};
    if (!gg_device_edges(job, weighted, &s.edges))
        return false;
    s.make = arcs_of(kind);
    s.both = kind == CSR_BOTH;
    s.weighted = weighted;
    s.arcs = s.both ? 2 * s.edges.m : s.edges.m;
    s.row = kind == CSR_IN ? s.edges.target : s.edges.source;
    s.ends = kind == CSR_IN ? s.edges.source : s.edges.target;
    if (!take_rows(job, &s, rows))
        return false;
    *how = s.in_order ? ", edges in order" : ", by sorting";
    const bool built = gg_rows_by_sorting(job, &s, rows);
    gg_drop_workspace(job); /* large after a sort; counting may need the memory */
    if (built || !gg_going(job))
        return built;
    *how = ", by counting";
    return build_by_counting(job, &s, rows);
}
