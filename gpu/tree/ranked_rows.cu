/* Ranked rows on the device (ranked_rows.h): when they are made, how, and the trees by weight
** that come from them (ranked_rows_typed.h).
**
**     row      = target of each edge, or source     a stable radix sort of these and the
**     number   = 0 1 2 ...                          numbers of the edges
**        |
**     head, other, weight by arc; heads of each tile; their sums; vertex by rank
**
** OUT takes the side of targets, IN that of sources, BOTH first one, then the other: the smallest
** edge wins, whichever comes first. They are made once for a graph, for it costs as much as some
** trees save, and are given back when memory is short: the pass over the edges remains. One path
** is walked back along them, by `offset` (path/rows.cu). */
#include "graph/device_copy.cuh"
#include "base/limits.h"
#include "graph/in_order.cuh"
#include "distance.cuh"
#include "ranked_rows.cuh"
#include "graph/frontier.cuh"
#include "tuning.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#define NAMED(x)  x##_uint32
#define WORD      integer32::word
#define WEIGHT    integer32::weight
#define UNREACHED integer32::unreached()
#define SUM       integer32::add
#include "ranked_rows_typed.h"

#define NAMED(x)  x##_uint64
#define WORD      integer64::word
#define WEIGHT    integer64::weight
#define UNREACHED integer64::unreached()
#define SUM       integer64::add
#include "ranked_rows_typed.h"

#define NAMED(x)  x##_real
#define WORD      real::word
#define WEIGHT    real::weight
#define UNREACHED real::unreached()
#define SUM       real::add
#include "ranked_rows_typed.h"

enum { SEARCH_BYTES = 128 }; /* for each vertex, that a search needs beside the rows */

/* ---- kernels ---- */

/* One thread per entry. */
static __global__ void count_up(uint32_t *entry, uint64_t count) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        entry[i] = (uint32_t)i;
}

/* What lay_tiles reads: arcs in order, what they are of edges by number. */
template <typename weight> struct sorted_arcs {
    uint64_t arcs;
    const uint32_t *row, *number;
    const uint32_t *end; /* by edge: where it comes from */
    const weight *weight_of;
};

/* One warp to a tile; before[tile]: its own heads. */
template <typename weight>
static __global__ void __launch_bounds__(GG_BLOCK)
    lay_tiles(const __grid_constant__ sorted_arcs<weight> a, uint64_t tiles,
              uint32_t *head, uint32_t *before, uint32_t *other, weight *weights) {
    const uint64_t step = gg_threads_of_grid() / GG_WARP;
    for (uint64_t tile = gg_thread() / GG_WARP; tile < tiles; tile += step) {
        uint32_t heads = 0, mine = 0;
#pragma unroll 4
        for (uint32_t i = 0; i < GG_WARP; i++) {
            const uint64_t arc = tile * RANK_TILE + i * RANK_BITS + gg_lane();
            const bool is_arc = arc < a.arcs;
            const bool first = is_arc && (arc == 0 || a.row[arc - 1] != a.row[arc]);
            const uint32_t word = __ballot_sync(ALL_LANES, first);
            mine = gg_lane() == i ? word : mine;
            heads += set_bits(word);
            const uint32_t e = is_arc ? a.number[arc] : 0;
            if (weights)
                weights[arc] = is_arc ? a.weight_of[e] : 0;
            if (is_arc)
                other[arc] = a.end[e];
        }
        head[tile * GG_WARP + gg_lane()] = mine;
        if (gg_lane() == 0)
            before[tile] = heads;
    }
}

/* One thread per vertex, and one: the first arc that is not of a smaller one. */
static __global__ void find_rows(const uint32_t *row, uint64_t arcs, uint32_t n,
                                 uint64_t *offset) {
    for (uint64_t v = gg_thread(); v <= n; v += gg_threads_of_grid())
        offset[v] = gg_first_at_least(row, 0, arcs, (uint32_t)v);
}

/* One warp to a tile. */
static __global__ void list_vertices(const uint32_t *head, const uint32_t *before,
                                     uint64_t tiles, const uint32_t *row,
                                     uint32_t *vertex) {
    const uint64_t step = gg_threads_of_grid() / GG_WARP;
    for (uint64_t tile = gg_thread() / GG_WARP; tile < tiles; tile += step) {
        const rank_tile t = rank_tile_at(head, before, tile);
        rank_list_vertices(&t, tile, row, vertex);
    }
}

/* One thread per vertex and rank; then one warp to a tile. */
#define WALK_KERNELS(name, type)                                                         \
    static __global__ void __launch_bounds__(GG_BLOCK)                                   \
        rank_distances(const __grid_constant__ struct ranked_distances_##name j) {       \
        rank_distances_##name(&j, gg_thread(), gg_threads_of_grid());                    \
    }                                                                                    \
    static __global__ void __launch_bounds__(GG_BLOCK, GG_TREE_RANKS_BLOCKS)             \
        walk_ranks(const __grid_constant__ struct ranked_walk_##name j) {                \
        __shared__ struct rank_aside aside[GG_BLOCK / GG_WARP];                          \
        const uint64_t step = gg_threads_of_grid() / GG_WARP;                            \
        const type::word smallest = static_cast<type::word>(*j.smallest);                \
        for (uint64_t at = gg_thread() / GG_WARP; at < j.rows.tiles; at += step)         \
            rank_walk_tile_##name(&j, smallest, at, &aside[threadIdx.x / GG_WARP]);      \
    }
WALK_KERNELS(uint32, integer32)
WALK_KERNELS(uint64, integer64)
WALK_KERNELS(real, real)

/* ---- what is kept ---- */

/* Sides of edges: which end a tree edge leads to. */
enum ranked_side { RANKED_TARGETS, RANKED_SOURCES, RANKED_SIDES };

struct device_ranked { /* owns the arrays of ranked_rows.h, for one side */
    bool made;
    uint64_t arcs, tiles;
    uint32_t vertices; /* vertices that arcs lead to */
    uint32_t *head, *before, *vertex, *other, *number;
    uint64_t *offset; /* n + 1: where the arcs of each vertex begin */
    void *weight;     /* in whole tiles; NULL: the graph has none */
};

struct tree_habit { /* of trees by weight in one direction */
    uint32_t trees; /* so far, that ranked rows would have suited */
    double share;   /* of arcs that could be tight by weight and where they lead */
};

struct ranked_part {
    struct device_part part;
    uint32_t n;         /* of the sides that are made */
    size_t weight_size; /* 0: no weights */
    struct device_ranked side[RANKED_SIDES];
    struct tree_habit habit[3]; /* by gpugraph_direction */
};

static void free_side(struct ranked_part *ranked, struct device_ranked *r) {
    struct device_part *part = &ranked->part;
    give(part, r->head, r->tiles * GG_WARP, sizeof *r->head);
    give(part, r->before, r->tiles + 1, sizeof *r->before);
    give(part, r->vertex, r->vertices, sizeof *r->vertex);
    give(part, r->other, r->arcs, sizeof *r->other);
    give(part, r->number, r->arcs, sizeof *r->number);
    give(part, r->offset, ranked->n + 1ull, sizeof *r->offset);
    give(part, r->weight, r->tiles * RANK_TILE, ranked->weight_size);
    *r = device_ranked();
}

static void drop_ranked(gpugraph_graph *, struct device_part *part, unsigned) {
    struct ranked_part *ranked = (struct ranked_part *)part;
    for (int side = 0; side < RANKED_SIDES; side++)
        free_side(ranked, &ranked->side[side]);
    for (int direction = GPUGRAPH_OUT; direction <= GPUGRAPH_BOTH; direction++)
        ranked->habit[direction] = tree_habit();
}

static const struct device_part_kind ranked_kind = {
    sizeof(struct ranked_part),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS | PART_ON_ROOM, drop_ranked};

/* NULL: there are none. */
static struct ranked_part *ranked_of(const gpugraph_graph *graph) {
    return (struct ranked_part *)gg_device_part_of(graph, &ranked_kind);
}

/* Bytes of a side that has so many arcs; `vertices` of the n have some, or it is 0. */
static uint64_t side_bytes(uint64_t arcs, uint32_t n, uint64_t vertices,
                           size_t weight_size) {
    const uint64_t tiles = rank_tiles(arcs);
    const uint64_t weights = tiles * RANK_TILE;
    return block_bytes(tiles * GG_WARP, sizeof(uint32_t)) +
           block_bytes(tiles + 1, sizeof(uint32_t)) +
           block_bytes(vertices, sizeof(uint32_t)) +
           2 * block_bytes(arcs, sizeof(uint32_t)) +
           block_bytes(n + 1ull, sizeof(uint64_t)) +
           (weight_size > 0 ? block_bytes(weights, weight_size) : 0);
}

static bool has_side(const gpugraph_graph *graph, int side) {
    const struct ranked_part *ranked = ranked_of(graph);
    return ranked && ranked->side[side].made;
}

static bool wants(gpugraph_direction direction, int side) {
    return side == RANKED_TARGETS ? direction != GPUGRAPH_IN : direction != GPUGRAPH_OUT;
}

bool gg_has_ranked_rows(const struct cuda_job *job, gpugraph_direction direction) {
    const struct ranked_part *ranked = ranked_of(job->graph);
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    bool all = ranked && copy && !job->graph->wide;
    for (int side = 0; side < RANKED_SIDES; side++)
        all = all && (!wants(direction, side) ||
                      (ranked->side[side].made &&
                       (copy->weight_size == 0 || ranked->side[side].weight)));
    return all;
}

bool gg_ranked_rows_suit(const struct cuda_job *job, gpugraph_direction direction) {
    return gg_has_ranked_rows(job, direction) &&
           ranked_of(job->graph)->habit[direction].share <= gg_limits.tree_ranks.share;
}

int gg_device_arcs_to(const struct cuda_job *job, gpugraph_direction direction,
                      struct device_arcs_to kind[2]) {
    int kinds = 0;
    for (int side = 0; side < RANKED_SIDES; side++) {
        if (!gg_has_ranked_rows(job, direction) || !wants(direction, side))
            continue;
        const struct device_ranked *r = &ranked_of(job->graph)->side[side];
        kind[kinds++] = device_arcs_to{r->offset, r->other, r->number, r->weight};
    }
    return kinds;
}

void gg_note_tree(struct cuda_job *job, gpugraph_direction direction, double share) {
    struct ranked_part *ranked = (struct ranked_part *)gg_device_part(job, &ranked_kind);
    struct tree_habit *habit = ranked ? &ranked->habit[direction] : NULL;
    if (!habit)
        return;
    habit->share = share;
    if (habit->trees < UINT32_MAX && share <= gg_limits.tree_ranks.share)
        habit->trees++;
}

/* ---- making them ---- */

struct side_scratch {
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

static cudaError_t add_up(void *scratch, size_t *bytes, uint32_t *count, uint64_t tiles,
                          cudaStream_t stream) {
    return cub::DeviceScan::ExclusiveSum(scratch, *bytes, count, count,
                                         (int64_t)tiles + 1, stream);
}

static void carve(struct workspace *space, uint32_t n, uint64_t arcs,
                  struct side_scratch *s) {
    size_t sort = 0, sums = 0;
    sort_arcs(NULL, &sort, NULL, NULL, NULL, NULL, arcs, n, NULL);
    add_up(NULL, &sums, NULL, rank_tiles(arcs), NULL);
    s->cub_bytes = sort > sums ? sort : sums;
    s->row = gg_carve<uint32_t>(space, arcs);
    s->counted = gg_carve<uint32_t>(space, arcs);
    s->cub = gg_carve<unsigned char>(space, s->cub_bytes);
}

/* Is there room for all sides that lack, for making them, and for the search afterwards? */
static bool fits(const struct cuda_job *job, gpugraph_direction direction) {
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    struct workspace space = {NULL, 0};
    struct side_scratch scratch;
    carve(&space, copy->n, copy->m, &scratch);
    uint64_t bytes = space.used + (uint64_t)copy->n * SEARCH_BYTES;
    for (int side = 0; side < RANKED_SIDES; side++)
        if (wants(direction, side) && !has_side(job->graph, side))
            bytes += side_bytes(copy->m, copy->n, copy->n, copy->weight_size);
    return (int64_t)bytes <
           gg_device_room(job) - gg_device_part_bytes(job->graph, PART_ON_ROOM);
}

/* Are trees in that direction asked for often, and do few arcs matter to them? */
static bool pays(const struct cuda_job *job, gpugraph_direction direction) {
    const struct tree_ranks_limits *limits = &gg_limits.tree_ranks;
    const struct ranked_part *ranked = ranked_of(job->graph);
    const struct tree_habit habit = ranked ? ranked->habit[direction] : tree_habit();
    return job->graph->m > 0 && job->graph->m >= limits->arcs &&
           habit.trees >= limits->after && habit.share <= limits->share;
}

template <typename weight>
static void lay(struct cuda_job *job, const struct device_edges *edges,
                const uint32_t *end, const struct side_scratch *s,
                struct device_ranked *r) {
    const sorted_arcs<weight> arcs = {r->arcs, s->row, r->number, end,
                                      static_cast<const weight *>(edges->weight)};
    lay_tiles<<<gg_grid(job, r->tiles * GG_WARP, 8), GG_BLOCK, 0, job->stream>>>(
        arcs, r->tiles, r->head, r->before, r->other, static_cast<weight *>(r->weight));
    gg_launched(job, "lay_tiles");
}

static bool sort_side(struct cuda_job *job, const struct device_edges *edges, int side,
                      struct side_scratch *s, struct device_ranked *r) {
    const bool by_target = side == RANKED_TARGETS;
    size_t bytes = s->cub_bytes;
    count_up<<<gg_grid(job, edges->m, 16), GG_BLOCK, 0, job->stream>>>(s->counted,
                                                                       edges->m);
    if (!gg_launched(job, "count_up") ||
        !gg_note(job,
                 sort_arcs(s->cub, &bytes, by_target ? edges->target : edges->source,
                           s->row, s->counted, r->number, edges->m, edges->n,
                           job->stream),
                 "sort arcs") ||
        !gg_fill(job, r->before, 0, (r->tiles + 1) * sizeof *r->before))
        return false;
    const uint32_t *end = by_target ? edges->source : edges->target;
    if (gg_device_copy_of(job->graph)->weight_size == sizeof(uint64_t))
        lay<uint64_t>(job, edges, end, s, r);
    else
        lay<uint32_t>(job, edges, end, s, r);
    find_rows<<<gg_grid(job, edges->n + 1ull, 16), GG_BLOCK, 0, job->stream>>>(
        s->row, r->arcs, edges->n, r->offset);
    gg_launched(job, "find_rows");
    bytes = s->cub_bytes;
    return gg_going(job) &&
           gg_note(job, add_up(s->cub, &bytes, r->before, r->tiles, job->stream),
                   "add up heads") &&
           gg_fetch(job, &r->vertices, r->before + r->tiles, sizeof r->vertices);
}

static bool fill_side(struct cuda_job *job, const struct device_edges *edges, int side,
                      struct ranked_part *ranked, struct device_ranked *r) {
    struct device_part *part = &ranked->part;
    struct workspace space = {NULL, 0};
    struct side_scratch s;
    r->arcs = edges->m;
    r->tiles = rank_tiles(edges->m);
    carve(&space, edges->n, edges->m, &s);
    if (!gg_workspace(job, &space))
        return false;
    carve(&space, edges->n, edges->m, &s);
    if (!take(job, part, &r->head, r->tiles * GG_WARP, sizeof *r->head) ||
        !take(job, part, &r->before, r->tiles + 1, sizeof *r->before) ||
        !take(job, part, &r->other, r->arcs, sizeof *r->other) ||
        !take(job, part, &r->number, r->arcs, sizeof *r->number) ||
        !take(job, part, &r->offset, edges->n + 1ull, sizeof *r->offset) ||
        (edges->weight &&
         !take(job, part, &r->weight, r->tiles * RANK_TILE, ranked->weight_size)) ||
        !sort_side(job, edges, side, &s, r))
        return false;
    if (r->vertices < edges->n) {
        if (!take(job, part, &r->vertex, r->vertices, sizeof *r->vertex))
            return false;
        list_vertices<<<gg_grid(job, r->tiles * GG_WARP, 8), GG_BLOCK, 0, job->stream>>>(
            r->head, r->before, r->tiles, s.row, r->vertex);
        gg_launched(job, "list_vertices");
    }
    return gg_wait(job);
}

static bool make_side(struct cuda_job *job, int side) {
    const size_t weight_size = gg_device_copy_of(job->graph)->weight_size;
    struct device_edges edges;
    struct device_ranked r = device_ranked(); /* in the part when it is whole */
    if (!gg_device_edges(job, weight_size > 0, &edges))
        return false;
    struct ranked_part *ranked = (struct ranked_part *)gg_device_part(job, &ranked_kind);
    if (!ranked)
        return false;
    ranked->n = edges.n;
    ranked->weight_size = weight_size;
    double started = gg_now_ms();
    r.made = fill_side(job, &edges, side, ranked, &r);
    gg_drop_workspace(job); /* a sort's is large */
    if (!r.made || !gg_going(job)) {
        free_side(ranked, &r);
        return false;
    }
    ranked->side[side] = r;
    gg_phase(job->run, "prepare", started, (int64_t)r.arcs, "arcs by %s, with ranks",
             side == RANKED_TARGETS ? "target, the transpose" : "source");
    return true;
}

/* What was taken for a side that failed is given back, but for the workspace. */
static bool do_without(struct cuda_job *job) {
    if (gg_do_without(job))
        gg_drop_workspace(job);
    return gg_going(job);
}

bool gg_make_ranked_rows(struct cuda_job *job, gpugraph_direction direction, bool path) {
    if (job->graph->wide || gg_has_ranked_rows(job, direction) ||
        !(path ? job->graph->m > 0 : pays(job, direction)) || !fits(job, direction))
        return gg_going(job);
    for (int side = 0; side < RANKED_SIDES; side++)
        if (wants(direction, side) && !has_side(job->graph, side) &&
            !make_side(job, side))
            return do_without(job);
    return true;
}

/* ---- trees ---- */

#define WALK(name, type)                                                                 \
    {                                                                                    \
        type::word *by_rank = static_cast<type::word *>(most);                           \
        const type::word *word = static_cast<const type::word *>(distance);              \
        const uint32_t n = job->graph->n;                                                \
        rank_distances<<<gg_grid(job, n, 16), GG_BLOCK, 0, job->stream>>>(               \
            ranked_distances_##name{n, r->vertices, r->vertex, word, by_rank,            \
                                    smallest});                                          \
        gg_launched(job, "rank_distances");                                              \
        walk_ranks<<<blocks, GG_BLOCK, 0, job->stream>>>(                                \
            ranked_walk_##name{rows, static_cast<const type::weight *>(r->weight),       \
                               by_rank, word, smallest, tree_edge});                     \
    }

static bool walk_side(struct cuda_job *job, const struct device_ranked *r,
                      const void *distance, void *most, uint64_t *smallest,
                      uint32_t *tree_edge) {
    const ranked_rows rows = {r->tiles,  r->head,  r->before,
                              r->vertex, r->other, r->number};
    const unsigned blocks = gg_grid(job, r->tiles * GG_WARP, GG_TREE_RANKS_BLOCKS);
    switch (job->graph->distance_type) {
    case GPUGRAPH_UINT32:
        WALK(uint32, integer32)
        break;
    case GPUGRAPH_UINT64:
        WALK(uint64, integer64)
        break;
    default:
        WALK(real, real)
    }
    return gg_launched(job, "walk_ranks");
}

bool gg_tree_by_ranks(struct cuda_job *job, gpugraph_direction direction,
                      const void *distance, void *most, uint64_t *smallest,
                      uint32_t *tree_edge) {
    for (int side = 0; side < RANKED_SIDES; side++)
        if (wants(direction, side) && !walk_side(job, &ranked_of(job->graph)->side[side],
                                                 distance, most, smallest, tree_edge))
            return false;
    return true;
}
