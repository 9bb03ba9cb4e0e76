/* Makes rows of a graph on the device by a stable radix sort of its edges (drawing:
** device_rows.cu). A weight moves with its target. Edges that are already in the order of
** rows are copied. */
#include "device_copy.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/reverse_iterator.h>

struct arc_weight32 { /* the value of a sort by row, with weights */
    uint32_t target, weight;
};

struct arc_weight64 {
    uint32_t target, weight[2]; /* no padding: 12 bytes */
};

static __device__ __forceinline__ void pack_arc(uint32_t &arc, uint32_t target,
                                                const device_edges &, uint64_t) {
    arc = target;
}
static __device__ __forceinline__ void pack_arc(arc_weight32 &arc, uint32_t target,
                                                const device_edges &edges, uint64_t e) {
    arc = arc_weight32{target, static_cast<const uint32_t *>(edges.weight)[e]};
}
static __device__ __forceinline__ void pack_arc(arc_weight64 &arc, uint32_t target,
                                                const device_edges &edges, uint64_t e) {
    uint64_t weight = static_cast<const uint64_t *>(edges.weight)[e];
    arc = arc_weight64{target, {(uint32_t)weight, (uint32_t)(weight >> 32)}};
}
static __device__ __forceinline__ void unpack_weight(const uint32_t &, void *, uint64_t) {
}
static __device__ __forceinline__ void unpack_weight(const arc_weight32 &arc,
                                                     void *weight, uint64_t i) {
    static_cast<uint32_t *>(weight)[i] = arc.weight;
}
static __device__ __forceinline__ void unpack_weight(const arc_weight64 &arc,
                                                     void *weight, uint64_t i) {
    static_cast<uint64_t *>(weight)[i] = (uint64_t)arc.weight[1] << 32 | arc.weight[0];
}
static __device__ __forceinline__ uint32_t target_of(uint32_t arc) {
    return arc;
}
template <typename arc_type>
static __device__ __forceinline__ uint32_t target_of(const arc_type &arc) {
    return arc.target;
}

/* One thread per edge: writes row[e] and arc[e], and for BOTH the reversed arc at m + e.
** Reversed loops get row n, behind all rows. row NULL: the edges' column has the rows. */
template <typename arc_type>
static __global__ void lay_arcs(device_edges edges, arc_ends make, uint32_t *row,
                                arc_type *arc) {
    uint64_t back = make.forward ? edges.m : 0;
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (make.forward) {
            pack_arc(arc[e], t, edges, e);
            if (row)
                row[e] = s;
        }
        if (make.backward) {
            pack_arc(arc[back + e], s, edges, e);
            if (row)
                row[back + e] = make.forward && s == t ? edges.n : t;
        }
    }
}

/* One thread per arc, and one for the end: sets offset[r] to the begin of row r, if row r
** has arcs. */
static __global__ void find_starts(const uint32_t *row, uint64_t arcs, uint32_t n,
                                   uint64_t *offset) {
    for (uint64_t i = gg_thread(); i <= arcs; i += gg_threads_of_grid()) {
        uint32_t here = i < arcs ? row[i] : n;
        if (i == 0 || row[i - 1] != here)
            offset[here] = i;
    }
}

/* One thread per arc: separates its target and its weight. */
template <typename arc_type>
static __global__ void unpack_arcs(const arc_type *arc, uint64_t arcs, uint32_t *target,
                                   void *weight) {
    for (uint64_t i = gg_thread(); i < arcs; i += gg_threads_of_grid()) {
        arc_type one = arc[i];
        target[i] = target_of(one);
        unpack_weight(one, weight, i);
    }
}

template <typename arc_type> struct sort_scratch {
    uint32_t *row, *sorted_row; /* row: only for BOTH */
    arc_type *arc, *sorted_arc; /* only with weights; arc also for BOTH */
    unsigned char *cub;
    size_t cub_bytes;
};

/* An empty row begins where the next row begins. */
static cudaError_t close_gaps(void *scratch, size_t *bytes, uint64_t *offset, uint32_t n,
                              cudaStream_t stream) {
    auto last = thrust::make_reverse_iterator(offset + (uint64_t)n + 1);
    return cub::DeviceScan::InclusiveScan(
        scratch, *bytes, last, last, ::cuda::minimum<uint64_t>(), (int64_t)n + 1, stream);
}

template <typename arc_type>
static void carve_sort(struct workspace *space, const struct row_sort *s,
                       sort_scratch<arc_type> *scratch) {
    const uint64_t arcs = s->in_order ? 0 : s->arcs;
    size_t sort = 0, gaps = 0;
    const uint32_t *row = NULL;
    const arc_type *arc = NULL;
    cub::DeviceRadixSort::SortPairs(NULL, sort, row, (uint32_t *)NULL, arc,
                                    (arc_type *)NULL, (int64_t)arcs, 0, 32);
    close_gaps(NULL, &gaps, NULL, s->edges.n, NULL);
    scratch->cub_bytes = sort > gaps ? sort : gaps;
    scratch->row = gg_carve<uint32_t>(space, s->both ? arcs : 0);
    scratch->sorted_row = gg_carve<uint32_t>(space, arcs);
    scratch->arc = gg_carve<arc_type>(space, s->both || s->weighted ? arcs : 0);
    scratch->sorted_arc = gg_carve<arc_type>(space, s->weighted ? arcs : 0);
    scratch->cub = gg_carve<unsigned char>(space, scratch->cub_bytes);
}

/* Computes rows->offset from the sorted rows of all arcs. */
static void take_offsets(struct cuda_job *job, const uint32_t *row, uint64_t arcs,
                         struct device_rows *rows, void *cub, size_t cub_bytes) {
    uint32_t n = job->graph->n;
    gg_fill(job, rows->offset, 0xff, ((uint64_t)n + 1) * sizeof *rows->offset);
    if (GG_LAUNCH(job, find_starts, gg_grid(job, arcs + 1, 16), row, arcs, n,
                  rows->offset))
        gg_note(job, close_gaps(cub, &cub_bytes, rows->offset, n, job->stream),
                "find where rows begin");
}

/* Copies edges that are in the order of rows. */
static void copy_rows(struct cuda_job *job, const struct row_sort *s,
                      struct device_rows *rows, void *cub, size_t cub_bytes) {
    gg_copy_there(job, rows->target, s->ends, s->arcs * sizeof *rows->target);
    if (s->weighted)
        gg_copy_there(job, rows->weight, s->edges.weight,
                      s->arcs * gg_device_copy_of(job->graph)->weight_size);
    take_offsets(job, s->row, s->arcs, rows, cub, cub_bytes);
}

template <typename arc_type>
static void sort_rows(struct cuda_job *job, const struct row_sort *s,
                      struct device_rows *rows, const sort_scratch<arc_type> *scratch) {
    const uint32_t n = s->edges.n, largest = rows->arcs < s->arcs || n == 0 ? n : n - 1;
    const uint32_t *row = s->both ? scratch->row : s->row;
    const arc_type *arc = scratch->arc;
    arc_type *sorted_arc = scratch->sorted_arc;
    size_t bytes = scratch->cub_bytes;
    if (s->both || s->weighted)
        GG_LAUNCH(job, lay_arcs, gg_grid(job, s->edges.m, 16), s->edges, s->make,
                  s->both ? scratch->row : NULL, scratch->arc);
    else
        arc = reinterpret_cast<const arc_type *>(s->ends);
    if (!s->weighted)
        sorted_arc = reinterpret_cast<arc_type *>(rows->target);
    if (gg_going(job))
        gg_note(job,
                cub::DeviceRadixSort::SortPairs(
                    scratch->cub, bytes, row, scratch->sorted_row, arc, sorted_arc,
                    (int64_t)s->arcs, 0, gg_key_bits(largest), job->stream),
                "sort arcs");
    if (s->weighted && gg_going(job))
        GG_LAUNCH(job, unpack_arcs, gg_grid(job, rows->arcs, 16), sorted_arc, rows->arcs,
                  rows->target, rows->weight);
    take_offsets(job, scratch->sorted_row, rows->arcs, rows, scratch->cub,
                 scratch->cub_bytes);
}

/* Copies or sorts the edges. Returns false if memory is short or the job must end. */
template <typename arc_type>
static bool build_by_sorting(struct cuda_job *job, const struct row_sort *s,
                             struct device_rows *rows) {
    sort_scratch<arc_type> scratch;
    struct workspace space = {NULL, 0};
    carve_sort(&space, s, &scratch);
    if ((int64_t)space.used > gg_device_room(job) || !gg_workspace(job, &space))
        return false;
    carve_sort(&space, s, &scratch);
    if (s->in_order)
        copy_rows(job, s, rows, scratch.cub, scratch.cub_bytes);
    else
        sort_rows(job, s, rows, &scratch);
    return gg_wait(job);
}

bool gg_rows_by_sorting(struct cuda_job *job, const struct row_sort *s,
                        struct device_rows *rows) {
    if (!rows->weight)
        return build_by_sorting<uint32_t>(job, s, rows);
    return gg_device_copy_of(job->graph)->weight_size == 8
               ? build_by_sorting<arc_weight64>(job, s, rows)
               : build_by_sorting<arc_weight32>(job, s, rows);
}
