/* The device's copy of a graph: the edge list, uploaded once, and the CSRs, built there.
**
**     host edges  --upload-->  source[m] target[m] weight[m]       by edge number
**                                |
**        OUT, IN, BOTH:          |  device_rows.cu
**        SIMPLE:                 |  key = row << bits | column for both arcs of an edge,
**                                v     sort, unique; a loop becomes the largest key
**                              offset[n + 1] target[arcs] weight[arcs]
**
** A CSR is made on first need and stays until the graph goes, or its device memory is
** asked back. Scratch lies in the workspace, which the search then uses anew. */
#include "device_copy.cuh"
#include "in_order.cuh"
#include "ids/ids.cuh"
#include "fixed_rows.cuh"
#include "graph.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

/* ---- memory ---- */

static void free_rows(struct device_copy *copy, struct device_rows *rows) {
    give(&copy->part, rows->offset, rows->offset_room, sizeof *rows->offset);
    give(&copy->part, rows->target, rows->room, sizeof *rows->target);
    give(&copy->part, rows->weight, rows->room, copy->weight_size);
    *rows = device_rows();
}

static void free_device_edges(struct device_copy *copy) {
    give(&copy->part, copy->source, copy->edge_room, sizeof *copy->source);
    give(&copy->part, copy->target, copy->edge_room, sizeof *copy->target);
    give(&copy->part, copy->weight, copy->edge_room, copy->weight_size);
    copy->source = copy->target = NULL;
    copy->weight = NULL;
    copy->edge_room = copy->m;
}

/* In SIMPLE an arc stays as long as any edge between its ends: unless that is known it is made anew. */
static void drop_copy(gpugraph_graph *, struct device_part *part, unsigned gone) {
    struct device_copy *copy = (struct device_copy *)part;
    if (!copy->keeps_simple)
        free_rows(copy, &copy->rows[CSR_SIMPLE]);
    copy->symmetry = SYMMETRY_UNKNOWN;
    copy->changed = !(gone & PART_ON_DEVICE);
    copy->rested = false;
    if (!(gone & PART_ON_DEVICE))
        return;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        free_rows(copy, &copy->rows[kind]);
    free_device_edges(copy);
}

static const struct device_part_kind copy_kind = {
    "edges and rows", sizeof(struct device_copy), PART_ON_EDGES, drop_copy};

struct device_copy *gg_device_copy_of(const gpugraph_graph *graph) {
    return (struct device_copy *)gg_device_part_of(graph, &copy_kind);
}

/* Ends that the mapping of ids has left become the copy's: nothing moves but pointers. */
static void take_ends_over(struct device_copy *copy, struct device_ends *ends) {
    if (!ends || !ends->target)
        return;
    copy->source = ends->source;
    copy->target = ends->target;
    copy->weight = ends->weight;
    add_bytes(&copy->part, ends->part.bytes);
    ends->source = ends->target = NULL;
    ends->weight = NULL;
    add_bytes(&ends->part, -ends->part.bytes);
}

/* NULL when the job must end. */
static struct device_copy *new_copy(struct cuda_job *job) {
    const gpugraph_graph *graph = job->graph;
    struct device_copy *copy = (struct device_copy *)gg_device_part(job, &copy_kind);
    if (copy) {
        copy->n = graph->n;
        copy->m = graph->m;
        copy->edge_room = graph->m;
        take_ends_over(copy, gg_device_ends(graph));
    }
    return copy;
}

struct device_copy *gg_device_copy(struct cuda_job *job) {
    const gpugraph_graph *graph = job->graph;
    struct device_copy *copy = gg_device_copy_of(graph);
    if (!copy)
        copy = new_copy(job);
    if (copy && gg_has_weights(graph))
        copy->weight_size = gg_distance_size(graph->distance_type);
    return copy;
}

bool gg_has_device_ends(const gpugraph_graph *graph) {
    const struct device_copy *copy = gg_device_copy_of(graph);
    const struct device_ends *ends = gg_device_ends(graph);
    return copy ? copy->target != NULL : ends && ends->target;
}

static uint64_t arcs_at_most(const gpugraph_graph *graph, int kind) {
    return kind == CSR_BOTH || kind == CSR_SIMPLE ? 2 * graph->m : graph->m;
}

int64_t gg_device_graph_lacks(const gpugraph_graph *graph, enum csr_kind kind,
                              bool weighted) {
    const struct device_copy *copy = gg_device_copy_of(graph);
    uint64_t weight = weighted ? gg_distance_size(graph->distance_type) : 0;
    uint64_t bytes = 0, m = graph->m;
    if (!gg_has_device_ends(graph))
        bytes += m * 8;
    const struct device_ends *ends = gg_device_ends(graph);
    if (!(copy ? copy->weight : ends ? ends->weight : NULL))
        bytes += m * weight;
    if (kind == CSR_KINDS)
        return (int64_t)bytes;
    const struct device_rows *rows = copy ? &copy->rows[kind] : NULL;
    if (!rows || !rows->made || (weighted && !rows->weight)) {
        uint64_t arcs = arcs_at_most(graph, kind);
        bytes += ((uint64_t)graph->n + 1) * 8 + arcs * (4 + weight);
        bytes += 65536;
        bytes += kind == CSR_SIMPLE ? arcs * 17 : (uint64_t)graph->n * 5;
    }
    return (int64_t)bytes;
}

/* ---- edges ---- */

static bool take_edges(struct cuda_job *job, struct device_copy *copy, bool ends,
                       bool weights) {
    return (!ends ||
            (take(job, &copy->part, &copy->source, copy->edge_room, sizeof(uint32_t)) &&
             take(job, &copy->part, &copy->target, copy->edge_room, sizeof(uint32_t)))) &&
           (!weights ||
            take(job, &copy->part, &copy->weight, copy->edge_room, copy->weight_size));
}

static bool send_edges(struct cuda_job *job, struct device_copy *copy, bool ends,
                       bool weights) {
    const gpugraph_edge_list *edges = &job->graph->edges;
    uint64_t bytes = copy->m * sizeof(uint32_t);
    return (!ends || (gg_upload(job, copy->source, edges->source, bytes) &&
                      gg_upload(job, copy->target, edges->target, bytes))) &&
           (!weights || gg_upload(job, copy->weight, job->graph->weight,
                                  copy->m * copy->weight_size)) &&
           gg_wait(job);
}

/* Half a copy would look like a whole one; but ends that were there may be nowhere else. */
static void give_back(gpugraph_graph *graph, struct device_copy *copy, bool ends) {
    if (ends) {
        gg_drop_device_parts(graph, PART_GROUNDS);
        return;
    }
    give(&copy->part, copy->weight, copy->edge_room, copy->weight_size);
    copy->weight = NULL;
}

/* What is lacking comes from the host, where edges have no gaps while they are sent. */
static bool bring_edges(struct cuda_job *job, bool weighted) {
    struct device_copy *copy = gg_going(job) ? gg_device_copy(job) : NULL;
    if (!copy)
        return false;
    double started = gg_now_ms();
    int64_t before = copy->part.bytes;
    bool ends = !copy->target, weights = weighted && !copy->weight;
    if (!ends && !weights)
        return true;
    gg_close_gaps(job->graph, gg_threads(job->run, copy->m));
    bool taken = take_edges(job, copy, ends, weights);
    double sent = gg_now_ms();
    if (!taken || !send_edges(job, copy, ends, weights)) {
        give_back(job->graph, copy, ends);
        return false;
    }
    gg_phase(job->run, "upload", started, (int64_t)copy->m,
             "%lld bytes to device %d, at %.1f GB/s",
             (long long)(copy->part.bytes - before), job->device->ordinal,
             (double)(copy->part.bytes - before) * 1e-6 / (gg_now_ms() - sent + 1e-3));
    return true;
}

bool gg_device_edges(struct cuda_job *job, bool weighted, struct device_edges *view) {
    if (!bring_edges(job, weighted))
        return false;
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    *view = device_edges{copy->n, copy->m, copy->source, copy->target,
                         weighted ? copy->weight : NULL};
    return true;
}

/* Where the edges are that are on the device alone. */
static bool find_edges(struct cuda_job *job, const uint32_t **source,
                       const uint32_t **target, const void **weight) {
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    const struct device_ends *ends = gg_device_ends(job->graph);
    if (copy ? !copy->target : !ends || !ends->target) {
        gg_fail(
            job->run, GPUGRAPH_DEVICE_FAILED,
            "the edges are no longer on the CUDA device that had them; ask again, and "
            "the table is read again");
        return false;
    }
    *source = copy ? copy->source : ends->source;
    *target = copy ? copy->target : ends->target;
    *weight = copy ? copy->weight : ends->weight;
    return true;
}

bool gg_edges_home(struct cuda_job *job) {
    gpugraph_graph *graph = job->graph;
    const uint32_t *from_source, *from_target;
    const void *from_weight;
    const uint64_t m = graph->m, size = gg_distance_size(graph->distance_type);
    const bool weighted = gg_has_weights(graph) && !graph->weight;
    const double started = gg_now_ms();
    if (!gg_is_away(graph) || !gg_going(job))
        return gg_going(job);
    if (!find_edges(job, &from_source, &from_target, &from_weight))
        return false;
    uint32_t *source = (uint32_t *)gg_alloc_roomy(job->run, m, sizeof *source);
    uint32_t *target = (uint32_t *)gg_alloc_roomy(job->run, m, sizeof *target);
    void *weight = weighted ? gg_alloc_roomy(job->run, m, size) : NULL;
    const bool came = gg_going(job) &&
                      gg_download(job, source, from_source, m * sizeof *source) &&
                      gg_download(job, target, from_target, m * sizeof *target) &&
                      (!weighted || gg_download(job, weight, from_weight, m * size));
    if (!came) {
        gg_release(source);
        gg_release(target);
        gg_release(weight);
        return false;
    }
    gg_edges_are_here(graph, source, target, weight);
    const uint64_t bytes = m * (2 * sizeof *source + (weighted ? size : 0));
    gg_phase(job->run, "download", started, (int64_t)m,
             "%llu bytes of edges, which are needed on the host, at %.1f GB/s",
             (unsigned long long)bytes,
             (double)bytes * 1e-6 / (gg_now_ms() - started + 1e-3));
    return true;
}

/* ---- sorted rows without loops and repeats: SIMPLE ---- */

#define NO_ARC UINT64_MAX

/* Bits that hold every row and one more number, so that NO_ARC stays the largest. */
static int bits_of_row(uint32_t n) {
    return n == 0 ? 1 : 32 - __builtin_clz(n);
}

/* One thread per edge: key[2 e] and key[2 e + 1]. */
static __global__ void make_keys(device_edges edges, int bits, uint64_t *key) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint64_t s = edges.source[e], t = edges.target[e];
        key[2 * e] = s == t ? NO_ARC : s << bits | t;
        key[2 * e + 1] = s == t ? NO_ARC : t << bits | s;
    }
}

/* One thread per row, and one for the end: the first key that is not before the row. */
static __global__ void find_rows_of_device_copy(const uint64_t *key, uint64_t count,
                                                int bits, uint32_t n, uint64_t *offset) {
    for (uint64_t row = gg_thread(); row <= n; row += gg_threads_of_grid())
        offset[row] = gg_first_at_least(key, 0, count, row << bits);
}

/* One thread per arc. */
static __global__ void take_columns(const uint64_t *key, uint64_t arcs, int bits,
                                    uint32_t *target) {
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (uint64_t i = gg_thread(); i < arcs; i += gg_threads_of_grid())
        target[i] = (uint32_t)(key[i] & mask);
}

struct key_scratch {
    uint64_t *key, *other, *unique; /* 2 m, 2 m, one number */
    unsigned char *cub;
    size_t cub_bytes;
};

static void carve_keys(struct workspace *space, uint64_t keys, int bits,
                       struct key_scratch *scratch) {
    size_t sort = 0, unique = 0;
    uint64_t *none = NULL;
    cub::DoubleBuffer<uint64_t> both(none, none);
    cub::DeviceRadixSort::SortKeys(NULL, sort, both, (int64_t)keys, 0, 2 * bits);
    cub::DeviceSelect::Unique(NULL, unique, none, none, none, (int64_t)keys);
    scratch->cub_bytes = sort > unique ? sort : unique;
    scratch->key = gg_carve<uint64_t>(space, keys);
    scratch->other = gg_carve<uint64_t>(space, keys);
    scratch->unique = gg_carve<uint64_t>(space, 1);
    scratch->cub = gg_carve<unsigned char>(space, scratch->cub_bytes);
}

/* Sorted distinct keys; *count of them, NO_ARC included where there was a loop. NULL when
** the job must end. */
static const uint64_t *sort_keys(struct cuda_job *job, struct key_scratch *scratch,
                                 uint64_t keys, int bits, uint64_t *count) {
    cub::DoubleBuffer<uint64_t> both(scratch->key, scratch->other);
    *count = 0;
    if (keys == 0)
        return scratch->key;
    size_t bytes = scratch->cub_bytes;
    gg_note(job,
            cub::DeviceRadixSort::SortKeys(scratch->cub, bytes, both, (int64_t)keys, 0,
                                           2 * bits, job->stream),
            "sort arcs");
    bytes = scratch->cub_bytes;
    if (gg_going(job))
        gg_note(job,
                cub::DeviceSelect::Unique(scratch->cub, bytes, both.Current(),
                                          both.Alternate(), scratch->unique,
                                          (int64_t)keys, job->stream),
                "drop repeated arcs");
    return gg_fetch(job, count, scratch->unique, sizeof *count) ? both.Alternate() : NULL;
}

static bool build_simple(struct cuda_job *job, struct device_rows *rows) {
    struct device_edges edges;
    struct workspace space = {NULL, 0};
    struct key_scratch scratch;
    struct device_part *part = &gg_device_copy_of(job->graph)->part;
    uint32_t n = job->graph->n;
    int bits = bits_of_row(n);
    uint64_t keys = 2 * job->graph->m, count;
    if (!gg_device_edges(job, false, &edges))
        return false;
    carve_keys(&space, keys, bits, &scratch);
    if (!gg_workspace(job, &space))
        return false;
    carve_keys(&space, keys, bits, &scratch);
    make_keys<<<gg_grid(job, edges.m, 16), GG_BLOCK, 0, job->stream>>>(edges, bits,
                                                                       scratch.key);
    if (!gg_launched(job, "make_keys") ||
        !take(job, part, &rows->offset, (uint64_t)n + 1, sizeof *rows->offset))
        return false;
    const uint64_t *key = sort_keys(job, &scratch, keys, bits, &count);
    if (!key)
        return false;
    find_rows_of_device_copy<<<gg_grid(job, (uint64_t)n + 1, 16), GG_BLOCK, 0,
                               job->stream>>>(key, count, bits, n, rows->offset);
    if (!gg_launched(job, "find_rows") ||
        !gg_fetch(job, &rows->arcs, rows->offset + n, sizeof rows->arcs))
        return false;
    rows->room = rows->arcs;
    if (!take(job, part, &rows->target, rows->room, sizeof *rows->target))
        return false;
    take_columns<<<gg_grid(job, rows->arcs, 16), GG_BLOCK, 0, job->stream>>>(
        key, rows->arcs, bits, rows->target);
    gg_launched(job, "take_columns");
    return gg_wait(job);
}

/* ---- any kind ---- */

static const char *const kind_name[CSR_KINDS] = {"out", "in, the transpose of out",
                                                 "both", "simple"};

static bool build(struct cuda_job *job, enum csr_kind kind, bool weighted) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    struct device_rows *rows = &copy->rows[kind];
    const char *how = "";
    double started = gg_now_ms();
    free_rows(copy, rows);
    gg_drop_fixed_rows(job->graph, kind); /* arcs may lie in another order */
    rows->offset_room = (uint64_t)copy->n + 1;
    bool built = kind == CSR_SIMPLE ? build_simple(job, rows)
                                    : gg_device_rows(job, kind, weighted, rows, &how);
    job->working = false;
    if (!built) {
        /* After a failed upload the copy is gone, and with it these rows. */
        if (gg_device_copy_of(job->graph))
            free_rows(copy, rows);
        return false;
    }
    rows->made = true;
    gg_phase(job->run, "csr", started, (int64_t)rows->arcs, "%s%s, on the device%s",
             kind_name[kind], weighted ? " with weights" : "", how);
    return true;
}

bool gg_device_csr(struct cuda_job *job, enum csr_kind kind, bool weighted,
                   struct device_csr *view) {
    if (!bring_edges(job, weighted))
        return false;
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    const struct device_rows *rows = &copy->rows[kind];
    if ((!rows->made || (weighted && !rows->weight)) && !build(job, kind, weighted))
        return false;
    *view = gg_packed_rows(copy->n, rows->arcs, rows->offset, rows->target,
                           weighted ? rows->weight : NULL);
    return true;
}
