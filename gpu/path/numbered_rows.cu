/* Numbered rows on the device: arcs by the vertex that they lead to, with their edges'
** numbers. One path is walked back along them (rows.cu), and a search from both ends
** reads them as the transpose (both_ends.cu).
**
**     row      = target of each edge, or source     a stable radix sort of these and the
**     number   = 0 1 2 ...                          numbers of the edges
**        |
**     offset by vertex; other end, edge number and weight by arc
**
** OUT takes the side of targets, IN that of sources, BOTH both. They are made once for
** a graph, for that costs as much as some paths save, and are given back when memory
** is short. */
#include "path.cuh"
#include "device/parts.cuh"
#include "graph/device_copy.cuh"
#include "graph/frontier.cuh"
#include "graph/in_order.cuh"

#include <cub/device/device_radix_sort.cuh>

enum { SEARCH_BYTES = 128 }; /* for each vertex, that a search needs beside the rows */

/* ---- kernels ---- */

/* One thread per entry. */
static __global__ void count_up(uint32_t *entry, uint64_t count) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        entry[i] = (uint32_t)i;
}

/* One thread per arc, in order: what it has of its edge. */
template <typename weight>
static __global__ void gather_arcs(const uint32_t *number, uint64_t arcs,
                                   const uint32_t *end, const weight *weight_of,
                                   uint32_t *other, weight *weights) {
    for (uint64_t arc = gg_thread(); arc < arcs; arc += gg_threads_of_grid()) {
        const uint32_t e = number[arc];
        other[arc] = end[e];
        if (weights)
            weights[arc] = weight_of[e];
    }
}

/* One thread per vertex, and one: the first arc that is not of a smaller one. */
static __global__ void find_numbered_rows(const uint32_t *row, uint64_t arcs, uint32_t n,
                                          uint64_t *offset) {
    for (uint64_t v = gg_thread(); v <= n; v += gg_threads_of_grid())
        offset[v] = gg_first_at_least(row, 0, arcs, (uint32_t)v);
}

/* ---- what is kept ---- */

/* Sides of edges: the end that arcs lead to. */
enum numbered_side { BY_TARGET, BY_SOURCE, SIDES };

struct numbered_rows {
    bool made;
    uint64_t arcs;
    uint32_t *other, *number;
    uint64_t *offset; /* n + 1 */
    void *weight;     /* NULL: the graph has none */
};

struct numbered_part {
    struct device_part part;
    uint32_t n;         /* of the sides that are made */
    size_t weight_size; /* 0: no weights */
    struct numbered_rows side[SIDES];
};

static void free_side(struct numbered_part *kept, struct numbered_rows *r) {
    struct device_part *part = &kept->part;
    give(part, r->other, r->arcs, sizeof *r->other);
    give(part, r->number, r->arcs, sizeof *r->number);
    give(part, r->offset, kept->n + 1ull, sizeof *r->offset);
    give(part, r->weight, r->arcs, kept->weight_size);
    *r = numbered_rows();
}

static void drop_numbered(gpugraph_graph *, struct device_part *part, unsigned) {
    struct numbered_part *kept = (struct numbered_part *)part;
    for (int side = 0; side < SIDES; side++)
        free_side(kept, &kept->side[side]);
}

static const struct device_part_kind numbered_kind = {
    "rows with edge numbers", sizeof(struct numbered_part),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS | PART_ON_ROOM, drop_numbered};

/* The side, if it is there with the weights that the graph has. */
static const struct numbered_rows *side_of(const gpugraph_graph *graph, int side) {
    const struct numbered_part *kept =
        (struct numbered_part *)gg_device_part_of(graph, &numbered_kind);
    const struct device_copy *copy = gg_device_copy_of(graph);
    if (!kept || !copy || graph->wide || !kept->side[side].made ||
        (copy->weight_size > 0 && !kept->side[side].weight))
        return NULL;
    return &kept->side[side];
}

static bool wants(gpugraph_direction direction, int side) {
    return side == BY_TARGET ? direction != GPUGRAPH_IN : direction != GPUGRAPH_OUT;
}

int gg_device_arcs_to(const struct cuda_job *job, gpugraph_direction direction,
                      struct device_arcs_to kind[2]) {
    int kinds = 0;
    for (int side = 0; side < SIDES; side++) {
        const struct numbered_rows *r = side_of(job->graph, side);
        if (!wants(direction, side))
            continue;
        if (!r)
            return 0;
        kind[kinds++] = device_arcs_to{r->offset, r->other, r->number, r->weight};
    }
    return kinds;
}

/* ---- making them ---- */

struct sort_scratch {
    uint32_t *row, *counted;
    unsigned char *cub;
    size_t cub_bytes;
};

static cudaError_t sort_arcs(void *scratch, size_t *bytes, const uint32_t *row,
                             uint32_t *sorted_row, const uint32_t *number,
                             uint32_t *sorted_number, uint64_t arcs, uint32_t n,
                             cudaStream_t stream) {
    const int bits = n <= 1 ? 1 : 32 - __builtin_clz(n - 1);
    return cub::DeviceRadixSort::SortPairs(scratch, *bytes, row, sorted_row, number,
                                           sorted_number, (int64_t)arcs, 0, bits, stream);
}

static void carve_sort(struct workspace *space, uint32_t n, uint64_t arcs,
                       struct sort_scratch *s) {
    s->cub_bytes = 0;
    sort_arcs(NULL, &s->cub_bytes, NULL, NULL, NULL, NULL, arcs, n, NULL);
    s->row = gg_carve<uint32_t>(space, arcs);
    s->counted = gg_carve<uint32_t>(space, arcs);
    s->cub = gg_carve<unsigned char>(space, s->cub_bytes);
}

/* Is there room for all sides that lack, for making them, and for the search
** afterwards? */
static bool fits(const struct cuda_job *job, gpugraph_direction direction) {
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    const uint64_t side_bytes = 2 * block_bytes(copy->m, sizeof(uint32_t)) +
                                block_bytes(copy->n + 1ull, sizeof(uint64_t)) +
                                block_bytes(copy->m, copy->weight_size);
    struct workspace space = {NULL, 0};
    struct sort_scratch scratch;
    carve_sort(&space, copy->n, copy->m, &scratch);
    uint64_t bytes = space.used + (uint64_t)copy->n * SEARCH_BYTES;
    for (int side = 0; side < SIDES; side++)
        bytes += wants(direction, side) && !side_of(job->graph, side) ? side_bytes : 0;
    return (int64_t)bytes <
           gg_device_room(job) - gg_device_part_bytes(job->graph, PART_ON_ROOM);
}

template <typename weight>
static void gather_side(struct cuda_job *job, const struct device_edges *edges,
                        const uint32_t *end, const struct numbered_rows *r) {
    gather_arcs<<<gg_grid(job, r->arcs, 16), GG_BLOCK, 0, job->stream>>>(
        r->number, r->arcs, end, static_cast<const weight *>(edges->weight), r->other,
        static_cast<weight *>(r->weight));
    gg_launched(job, "gather_arcs");
}

static bool sort_side(struct cuda_job *job, const struct device_edges *edges, int side,
                      struct sort_scratch *s, struct numbered_rows *r) {
    const bool by_target = side == BY_TARGET;
    const uint32_t *end = by_target ? edges->source : edges->target;
    size_t bytes = s->cub_bytes;
    count_up<<<gg_grid(job, edges->m, 16), GG_BLOCK, 0, job->stream>>>(s->counted,
                                                                       edges->m);
    if (!gg_launched(job, "count_up") ||
        !gg_note(job,
                 sort_arcs(s->cub, &bytes, by_target ? edges->target : edges->source,
                           s->row, s->counted, r->number, edges->m, edges->n,
                           job->stream),
                 "sort arcs"))
        return false;
    if (gg_device_copy_of(job->graph)->weight_size == sizeof(uint64_t))
        gather_side<uint64_t>(job, edges, end, r);
    else
        gather_side<uint32_t>(job, edges, end, r);
    find_numbered_rows<<<gg_grid(job, edges->n + 1ull, 16), GG_BLOCK, 0, job->stream>>>(
        s->row, r->arcs, edges->n, r->offset);
    return gg_launched(job, "find_numbered_rows") && gg_wait(job);
}

static bool fill_side(struct cuda_job *job, const struct device_edges *edges, int side,
                      struct numbered_part *kept, struct numbered_rows *r) {
    struct device_part *part = &kept->part;
    struct workspace space = {NULL, 0};
    struct sort_scratch s;
    r->arcs = edges->m;
    carve_sort(&space, edges->n, edges->m, &s);
    if (!gg_workspace(job, &space))
        return false;
    carve_sort(&space, edges->n, edges->m, &s);
    return take(job, part, &r->other, r->arcs, sizeof *r->other) &&
           take(job, part, &r->number, r->arcs, sizeof *r->number) &&
           take(job, part, &r->offset, edges->n + 1ull, sizeof *r->offset) &&
           (!edges->weight || take(job, part, &r->weight, r->arcs, kept->weight_size)) &&
           sort_side(job, edges, side, &s, r);
}

static bool make_side(struct cuda_job *job, int side) {
    const size_t weight_size = gg_device_copy_of(job->graph)->weight_size;
    struct device_edges edges;
    struct numbered_rows r = numbered_rows(); /* in the part when it is whole */
    if (!gg_device_edges(job, weight_size > 0, &edges))
        return false;
    struct numbered_part *kept =
        (struct numbered_part *)gg_device_part(job, &numbered_kind);
    if (!kept)
        return false;
    free_side(kept, &kept->side[side]);
    kept->n = edges.n;
    kept->weight_size = weight_size;
    double started = gg_now_ms();
    r.made = fill_side(job, &edges, side, kept, &r);
    gg_drop_workspace(job); /* a sort's is large */
    if (!r.made || !gg_going(job)) {
        free_side(kept, &r);
        return false;
    }
    kept->side[side] = r;
    gg_phase(job->run, "prepare", started, (int64_t)r.arcs, "arcs by %s, with numbers",
             side == BY_TARGET ? "target, the transpose" : "source");
    return true;
}

/* What was taken for a side that failed is given back, but for the workspace. */
static bool do_without_side(struct cuda_job *job) {
    if (gg_do_without(job))
        gg_drop_workspace(job);
    return gg_going(job);
}

bool gg_make_numbered_rows(struct cuda_job *job, gpugraph_direction direction) {
    struct device_arcs_to unused[2];
    if (job->graph->wide || job->graph->m == 0 ||
        gg_device_arcs_to(job, direction, unused) > 0 || !fits(job, direction))
        return gg_going(job);
    for (int side = 0; side < SIDES; side++)
        if (wants(direction, side) && !side_of(job->graph, side) && !make_side(job, side))
            return do_without_side(job);
    return true;
}
