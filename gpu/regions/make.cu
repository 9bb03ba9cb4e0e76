/* Makes regions by one search from many seeds, one vertex in MEAN. Each seed takes the
** vertices that it reaches first.
**
**     seed, grow     label[v], and the vertices in the order in which they are found
**     sort           by label, then in that order
**     cut            a label of more than MOST vertices becomes several regions
**     count, fill    arcs, in the new order
**
** Vertices that no seed reaches are grouped by their numbers. The assignment of vertices
** to regions depends on timing, but distances do not. make.cuh has the kernels. */
#include "make.cuh"

#include "device/parts.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

/* ---- cached regions ---- */

struct region_rows {
    bool made, unsuitable;
    struct device_regions view;
    uint64_t inners, outers;
};

struct region_part {
    struct device_part part;
    /* Long searches by depth and by weight since the graph changed or regions were
    ** dropped. */
    uint32_t long_ways[2];
    struct region_rows rows[CSR_KINDS][2]; /* by depth, by weight */
};

static void drop_rows(struct region_part *kept, struct region_rows *r) {
    struct device_part *part = &kept->part;
    const uint64_t n = r->view.n, regions = r->view.count;
    give(part, r->view.rank, n, sizeof *r->view.rank);
    give(part, r->view.place, regions, sizeof *r->view.place);
    give(part, r->view.inner, n + 1, sizeof *r->view.inner);
    give(part, r->view.target, r->inners, sizeof *r->view.target);
    give(part, r->view.from, r->outers, sizeof *r->view.from);
    give(part, r->view.to, r->outers, sizeof *r->view.to);
    give(part, r->view.to_region, r->outers, sizeof *r->view.to_region);
    give(part, r->view.arc, r->inners, sizeof *r->view.arc);
    give(part, r->view.length, r->outers, sizeof *r->view.length);
    *r = region_rows();
}

/* A change of weights drops regions by weight only. */
static void drop_regions(gpugraph_graph *, struct device_part *part, unsigned gone) {
    struct region_part *kept = (struct region_part *)part;
    const bool weights_alone = gone == PART_ON_WEIGHTS;
    for (int by_weight = weights_alone ? 1 : 0; by_weight < 2; by_weight++) {
        for (int kind = 0; kind < CSR_KINDS; kind++)
            drop_rows(kept, &kept->rows[kind][by_weight]);
        kept->long_ways[by_weight] = 0;
    }
}

static const struct device_part_kind region_kind = {
    "regions", sizeof(struct region_part),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS | PART_ON_ROOM, drop_regions};

/* Mean degree up to which `auto` searches by regions: by depth, by weight. By weight
** regions save nothing on meshes (H200). */
static const uint64_t most_degree[2] = {8, 4};
/* Long searches before `auto` makes regions, which takes about as long as these searches
** would have saved. */
static const uint32_t long_ways_before[2] = {3, 6};

void gg_note_long_way(struct cuda_job *job, const struct device_csr *g, bool by_weight) {
    if (g->m > g->n * most_degree[by_weight])
        return;
    struct region_part *kept = (struct region_part *)gg_device_part(job, &region_kind);
    if (kept)
        kept->long_ways[by_weight]++;
}

bool gg_wants_regions(const struct cuda_job *job, bool by_weight) {
    const struct region_part *kept =
        (struct region_part *)gg_device_part_of(job->graph, &region_kind);
    return kept && kept->long_ways[by_weight] >= long_ways_before[by_weight];
}

/* ---- the driver ---- */

/* At most one arc in this many may leave its region. */
#define OUTER_SHARE 4

static uint32_t labels_at_most(uint32_t n, uint32_t seeds) {
    return seeds + (n >> LEFT_SHIFT) + 1;
}

static void carve_regions(struct workspace *space, uint32_t n, region_scratch *s) {
    const uint64_t labels = labels_at_most(n, n / (MEAN / 2) + 1024);
    uint32_t *none = NULL;
    size_t sort = 0, scan = 0;
    cub::DeviceRadixSort::SortPairs(NULL, sort, none, none, none, none, (int64_t)n);
    cub::DeviceScan::ExclusiveSum(NULL, scan, none, none, (int64_t)n + 1);
    s->cub_bytes = sort > scan ? sort : scan;
    s->label = gg_carve<uint32_t>(space, n);
    s->found = gg_carve<uint32_t>(space, n);
    s->key = gg_carve<uint32_t>(space, n);
    s->key_sorted = gg_carve<uint32_t>(space, n);
    s->order = gg_carve<uint32_t>(space, n);
    s->region_of = gg_carve<uint32_t>(space, n);
    s->inner = gg_carve<uint32_t>(space, (uint64_t)n + 1);
    s->outer = gg_carve<uint32_t>(space, (uint64_t)n + 1);
    s->outer_before = gg_carve<uint32_t>(space, (uint64_t)n + 1);
    s->size = gg_carve<uint32_t>(space, labels + 1);
    s->start = gg_carve<uint32_t>(space, labels + 1);
    s->pieces = gg_carve<uint32_t>(space, labels + 1);
    s->piece = gg_carve<uint32_t>(space, labels + 1);
    s->first = gg_carve<uint32_t>(space, labels + n / MOST + 1);
    s->tail = gg_carve<uint32_t>(space, MOST_STEPS + STEPS + 2);
    s->most = gg_carve<uint32_t>(space, 4);
    s->cub = gg_carve<unsigned char>(space, s->cub_bytes);
}

static bool sum_up(struct cuda_job *job, const region_scratch *s, const uint32_t *counts,
                   uint32_t *before, uint64_t items) {
    size_t bytes = s->cub_bytes;
    return gg_note(job,
                   cub::DeviceScan::ExclusiveSum(s->cub, bytes, counts, before,
                                                 (int64_t)items, job->stream),
                   "sums of regions");
}

/* Labels and lists all vertices that a seed reaches. */
static bool grow_all_regions(struct cuda_job *job, const struct device_csr *g,
                             const region_scratch *s, uint32_t *seeds, uint32_t *step) {
    uint32_t before = 0, tail = 0;
    gg_fill(job, s->tail, 0, sizeof *s->tail);
    if (!GG_LAUNCH(job, seed_regions, gg_grid(job, g->n, 16), g->n, *s) ||
        !gg_fetch(job, seeds, s->tail, sizeof *seeds))
        return false;
    *step = 0;
    do {
        before = tail;
        for (int i = 0; i < STEPS; i++, ++*step) {
            open_step<<<1, 1, 0, job->stream>>>(*s, *step);
            GG_LAUNCH(job, grow_regions, gg_grid(job, g->n, 8), *g, *s, *step);
        }
        if (!gg_fetch(job, &tail, s->tail + *step, sizeof tail))
            return false;
    } while (tail != before && *step < MOST_STEPS);
    return true;
}

/* Divides the vertices into regions. Fills order, rank and first. */
static bool divide_vertices(struct cuda_job *job, const struct device_csr *g,
                            const region_scratch *s, struct region_part *kept,
                            struct region_rows *r, bool *suits) {
    uint32_t seeds = 0, step = 0, n = g->n;
    if (!grow_all_regions(job, g, s, &seeds, &step))
        return false;
    *suits = seeds <= n / (MEAN / 2) + 1024;
    if (!*suits)
        return true;
    const uint32_t labels = labels_at_most(n, seeds);
    int bits = 1;
    while (labels >> bits)
        bits++;
    size_t bytes = s->cub_bytes;
    gg_fill(job, s->size, 0, (labels + 1ull) * sizeof *s->size);
    GG_LAUNCH(job, gather_rest, gg_grid(job, n, 16), n, *s, step, seeds);
    GG_LAUNCH(job, label_found, gg_grid(job, n, 16), n, *s);
    gg_note(job,
            cub::DeviceRadixSort::SortPairs(s->cub, bytes, s->key, s->key_sorted,
                                            s->found, s->order, (int64_t)n, 0, bits,
                                            job->stream),
            "sort of regions");
    GG_LAUNCH(job, count_pieces, gg_grid(job, labels + 1ull, 16), labels, *s);
    if (!sum_up(job, s, s->size, s->start, labels + 1ull) ||
        !sum_up(job, s, s->pieces, s->piece, labels + 1ull) ||
        !gg_fetch(job, &r->view.count, s->piece + labels, sizeof r->view.count))
        return false;
    if (!take(job, &kept->part, &r->view.rank, n, sizeof *r->view.rank))
        return false;
    GG_LAUNCH(job, cut_labels, gg_grid(job, labels + 1ull, 16), labels, n, *s, s->first);
    return GG_LAUNCH(job, number_vertices,
                     gg_grid(job, (uint64_t)r->view.count * GG_BLOCK, 8), r->view.count,
                     s->first, *s, r->view.rank);
}

/* Counts and fills the arcs of the regions. */
static bool fill_arcs(struct cuda_job *job, const struct device_csr *g,
                      const region_scratch *s, struct region_part *kept,
                      struct region_rows *r, bool by_weight, bool *suits) {
    const uint64_t n = g->n;
    uint32_t most[3], ends[2];
    if (!take(job, &kept->part, &r->view.inner, n + 1, sizeof *r->view.inner) ||
        !take(job, &kept->part, &r->view.place, r->view.count, sizeof *r->view.place))
        return false;
    gg_fill(job, s->most, 0, sizeof most);
    GG_LAUNCH(job, count_arcs, gg_grid(job, n + 1, 16), *g, *s, r->view.rank, by_weight);
    sum_up(job, s, s->inner, r->view.inner, n + 1);
    sum_up(job, s, s->outer, s->outer_before, n + 1);
    if (!GG_LAUNCH(job, describe, gg_grid(job, r->view.count, 16), r->view.count,
                   s->first, r->view.inner, *s, r->view.place) ||
        !gg_fetch(job, most, s->most, sizeof most) ||
        !gg_fetch(job, &ends[0], r->view.inner + n, sizeof *ends) ||
        !gg_fetch(job, &ends[1], s->outer_before + n, sizeof *ends))
        return false;
    r->inners = ends[0] + 16ull; /* kernels read whole words beyond the last arc */
    r->outers = ends[1];
    r->view.most_vertices = most[0];
    r->view.most_arcs = most[1];
    /* The heaviest weight must fit into a word beside a place. */
    *suits = most[1] <= MOST_ARCS && ends[1] <= g->m / OUTER_SHARE &&
             most[2] >> (32 - REGION_PLACE_BITS) == 0 &&
             gg_regions_fit(job, &r->view, by_weight);
    if (!*suits)
        return true;
    if (!take(job, &kept->part, &r->view.from, r->outers, sizeof *r->view.from) ||
        !take(job, &kept->part, &r->view.to, r->outers, sizeof *r->view.to) ||
        !take(job, &kept->part, &r->view.to_region, r->outers,
              sizeof *r->view.to_region) ||
        (by_weight &&
         (!take(job, &kept->part, &r->view.arc, r->inners, sizeof *r->view.arc) ||
          !take(job, &kept->part, &r->view.length, r->outers, sizeof *r->view.length))) ||
        !take(job, &kept->part, &r->view.target, r->inners, sizeof *r->view.target))
        return false;
    return GG_LAUNCH(job, fill_regions, gg_grid(job, n, 16), *g, *s, r->view) &&
           gg_wait(job);
}

static bool make_region_rows(struct cuda_job *job, const struct device_csr *g,
                             struct region_part *kept, struct region_rows *r,
                             bool by_weight, bool *suits) {
    struct workspace space = {NULL, 0};
    region_scratch s;
    carve_regions(&space, g->n, &s);
    const uint64_t bytes = space.used;
    space = {static_cast<unsigned char *>(gg_take(job, bytes)), 0};
    if (!space.base)
        return false;
    carve_regions(&space, g->n, &s);
    r->view.n = g->n;
    const bool made = divide_vertices(job, g, &s, kept, r, suits) &&
                      (!*suits || fill_arcs(job, g, &s, kept, r, by_weight, suits));
    gg_give(job, space.base, bytes);
    return made;
}

/* Device bytes of regions, and of the arrays needed to make them. */
static int64_t region_bytes_of(const struct device_csr *g, bool by_weight) {
    struct workspace space = {NULL, 0};
    region_scratch s;
    carve_regions(&space, g->n, &s);
    const uint64_t arcs = g->m * 2 + g->m / OUTER_SHARE * 10 + (by_weight ? g->m * 5 : 0);
    return (int64_t)(space.used + g->n * 9ull + arcs + 65536);
}

bool gg_make_regions(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                     bool by_weight, int64_t own) {
    struct region_part *kept = (struct region_part *)gg_device_part(job, &region_kind);
    if (!kept)
        return false;
    struct region_rows *r = &kept->rows[kind][by_weight];
    if (r->made || r->unsuitable || g->n == 0 || g->m >= UINT32_MAX ||
        region_bytes_of(g, by_weight) + own > gg_device_room(job))
        return true;
    const double started = gg_now_ms();
    bool suits = true;
    drop_rows(kept, r);
    if (!make_region_rows(job, g, kept, r, by_weight, &suits)) {
        drop_rows(kept, r);
        return gg_do_without(job);
    }
    if (!suits)
        drop_rows(kept, r);
    r->made = suits;
    r->unsuitable = !suits;
    gg_phase(job->run, "prepare", started, r->view.count, "%s",
             suits ? "regions that a block searches, on the device"
                   : "no regions: too many arcs lead out of them, or are too heavy");
    return gg_going(job);
}

bool gg_regions(const gpugraph_graph *graph, enum csr_kind kind, bool by_weight,
                struct device_regions *regions) {
    const struct region_part *kept =
        (struct region_part *)gg_device_part_of(graph, &region_kind);
    if (!kept || !kept->rows[kind][by_weight].made)
        return false;
    *regions = kept->rows[kind][by_weight].view;
    return true;
}
