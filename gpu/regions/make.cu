/* Regions are made by a search from one vertex in GG_REGION_MEAN at once, each of which takes what it comes to
** first.
**
**     seed, grow     label[v], and the vertices in the order they were found
**     sort           by label, those of one in that order
**     cut            labels of more than GG_REGION_MOST vertices are several regions
**     count, fill    arcs, in the new order
**
** What no seed has come to is put together by its number. Which vertex goes to which region is left to chance;
** no distance depends on it. */
#include "regions.cuh"

#include "device/parts.cuh"
#include "graph/frontier.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

enum {
    MEAN = GG_REGION_MEAN,
    MOST = GG_REGION_MOST,
    LEFT_SHIFT = 14, /* numbers of a label of what is left */
    STEPS = 16,      /* queued together */
    MOST_STEPS = 1024
};
static_assert(MOST <= UINT16_MAX && GG_REGION_ARCS + 32 <= UINT16_MAX, "places fit");

struct region_scratch {
    uint32_t *label, *found, *key, *key_sorted, *order, *region_of;
    uint32_t *inner, *outer, *outer_before;  /* counts by rank, and their sums */
    uint32_t *size, *start, *pieces, *piece; /* of each label */
    uint32_t *first;                         /* of each region the rank it begins with */
    uint32_t *tail;                          /* behind each step of the search */
    uint32_t *most;
    unsigned char *cub;
    size_t cub_bytes;
};

/* ---- kernels ---- */

static __device__ __forceinline__ uint32_t scatter(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* One thread per vertex. */
static __global__ void seed(uint32_t n, region_scratch s) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        const bool is = scatter((uint32_t)v) % MEAN == 0;
        const uint32_t label = is ? atomicAdd(s.tail, 1u) : GPUGRAPH_NONE;
        s.label[v] = label;
        if (is)
            s.found[label] = (uint32_t)v;
    }
}

/* One thread. */
static __global__ void open_step(region_scratch s, uint32_t step) {
    s.tail[step + 1] = s.tail[step];
}

/* One thread per vertex found by the step before. */
static __global__ void grow(const __grid_constant__ device_csr g, region_scratch s,
                            uint32_t step) {
    const uint32_t first = step > 0 ? s.tail[step - 1] : 0, last = s.tail[step];
    for (uint64_t i = first + gg_thread(); i < last; i += gg_threads_of_grid()) {
        const uint32_t u = s.found[i], label = s.label[u];
        for (uint64_t arc = g.offset[u]; arc < g.offset[u + 1]; arc++) {
            const uint32_t v = g.target[arc];
            if (gg_peek(&s.label[v]) == GPUGRAPH_NONE &&
                atomicCAS(&s.label[v], GPUGRAPH_NONE, label) == GPUGRAPH_NONE)
                s.found[atomicAdd(&s.tail[step + 1], 1u)] = v;
        }
    }
}

/* One thread per vertex. */
static __global__ void gather_rest(uint32_t n, region_scratch s, uint32_t step,
                                   uint32_t seeds) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        if (s.label[v] == GPUGRAPH_NONE) {
            s.label[v] = seeds + ((uint32_t)v >> LEFT_SHIFT);
            s.found[atomicAdd(&s.tail[step], 1u)] = (uint32_t)v;
        }
}

/* One thread per vertex, as they were found. */
static __global__ void label_found(uint32_t n, region_scratch s) {
    for (uint64_t i = gg_thread(); i < n; i += gg_threads_of_grid()) {
        const uint32_t label = s.label[s.found[i]];
        s.key[i] = label;
        atomicAdd(&s.size[label], 1u);
    }
}

static __device__ __forceinline__ uint32_t pieces_of(uint32_t size) {
    return (size + MOST - 1) / MOST;
}

/* One thread per label, and one for the end. */
static __global__ void count_pieces(uint32_t labels, region_scratch s) {
    for (uint64_t i = gg_thread(); i <= labels; i += gg_threads_of_grid())
        s.pieces[i] = i < labels ? pieces_of(s.size[i]) : 0;
}

/* One thread per label, and one for the end. */
static __global__ void cut(uint32_t labels, uint32_t n, region_scratch s,
                           uint32_t *first) {
    for (uint64_t i = gg_thread(); i <= labels; i += gg_threads_of_grid()) {
        const uint32_t size = i < labels ? s.size[i] : 0, pieces = pieces_of(size);
        for (uint32_t k = 0; k < pieces; k++)
            first[s.piece[i] + k] = s.start[i] + (uint32_t)((uint64_t)size * k / pieces);
        if (i == labels)
            first[s.piece[i]] = n;
    }
}

/* One block per region. */
static __global__ void number(uint32_t regions, const uint32_t *first, region_scratch s,
                              uint32_t *rank) {
    for (uint32_t r = blockIdx.x; r < regions; r += gridDim.x)
        for (uint32_t i = first[r] + threadIdx.x; i < first[r + 1]; i += blockDim.x) {
            s.region_of[i] = r;
            rank[s.order[i]] = i;
        }
}

/* One thread per rank, and one for the end. */
static __global__ void count_arcs(const __grid_constant__ device_csr g, region_scratch s,
                                  const uint32_t *rank) {
    for (uint64_t i = gg_thread(); i <= g.n; i += gg_threads_of_grid()) {
        uint32_t inner = 0, outer = 0;
        if (i < g.n) {
            const uint32_t u = s.order[i], region = s.region_of[i];
            for (uint64_t arc = g.offset[u]; arc < g.offset[u + 1]; arc++) {
                const bool within = s.region_of[rank[g.target[arc]]] == region;
                inner += within;
                outer += !within;
            }
        }
        s.inner[i] = inner;
        s.outer[i] = outer;
    }
}

/* One thread per region. */
static __global__ void describe(uint32_t regions, const uint32_t *first,
                                const uint32_t *inner, region_scratch s,
                                struct region_place *place) {
    for (uint64_t r = gg_thread(); r < regions; r += gg_threads_of_grid()) {
        const uint32_t begin = first[r], end = first[r + 1];
        const region_place p = {begin,      end - begin,           inner[begin],
                                inner[end], s.outer_before[begin], s.outer_before[end],
                                {0, 0}};
        place[r] = p;
        atomicMax(&s.most[0], p.vertices);
        atomicMax(&s.most[1], p.inner_end - p.inner);
    }
}

struct region_arcs { /* as device_regions has them, being filled */
    uint16_t *target, *from;
    uint32_t *to, *to_region;
};

/* One thread per rank. */
static __global__ void fill(const __grid_constant__ device_csr g, region_scratch s,
                            const uint32_t *rank, const uint32_t *first,
                            const uint32_t *inner, region_arcs out) {
    for (uint64_t i = gg_thread(); i < g.n; i += gg_threads_of_grid()) {
        const uint32_t u = s.order[i], region = s.region_of[i], begin = first[region];
        uint32_t in = inner[i], away = s.outer_before[i];
        for (uint64_t arc = g.offset[u]; arc < g.offset[u + 1]; arc++) {
            const uint32_t v = rank[g.target[arc]];
            if (s.region_of[v] == region) {
                out.target[in++] = (uint16_t)(v - begin);
                continue;
            }
            out.from[away] = (uint16_t)(i - begin);
            out.to[away] = v;
            out.to_region[away] = s.region_of[v];
            away++;
        }
    }
}

/* ---- what is kept ---- */

struct region_rows {
    bool made, unsuitable;
    struct device_regions view;
    uint32_t *rank, *inner;
    struct region_place *place;
    struct region_arcs arcs;
    uint64_t inners, outers;
};

struct region_part {
    struct device_part part;
    bool long_way;
    struct region_rows rows[CSR_KINDS];
};

static void drop_rows(struct region_part *kept, struct region_rows *r) {
    struct device_part *part = &kept->part;
    const uint64_t n = r->view.n, regions = r->view.count;
    give(part, r->rank, n, sizeof *r->rank);
    give(part, r->place, regions, sizeof *r->place);
    give(part, r->inner, n + 1, sizeof *r->inner);
    give(part, r->arcs.target, r->inners, sizeof *r->arcs.target);
    give(part, r->arcs.from, r->outers, sizeof *r->arcs.from);
    give(part, r->arcs.to, r->outers, sizeof *r->arcs.to);
    give(part, r->arcs.to_region, r->outers, sizeof *r->arcs.to_region);
    *r = region_rows();
}

static void drop_regions(gpugraph_graph *, struct device_part *part, unsigned gone) {
    struct region_part *kept = (struct region_part *)part;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        drop_rows(kept, &kept->rows[kind]);
    if (gone & (PART_ON_EDGES | PART_ON_VERTICES))
        kept->long_way = false;
}

static const struct device_part_kind region_kind = {
    sizeof(struct region_part), PART_ON_EDGES | PART_ON_VERTICES | PART_ON_ROOM,
    drop_regions};

void gg_note_long_way(struct cuda_job *job, const struct device_csr *g) {
    if (g->m > (uint64_t)g->n * GG_REGION_DEGREE)
        return;
    struct region_part *kept = (struct region_part *)gg_device_part(job, &region_kind);
    if (kept)
        kept->long_way = true;
}

bool gg_wants_regions(const struct cuda_job *job) {
    const struct region_part *kept =
        (struct region_part *)gg_device_part_of(job->graph, &region_kind);
    return kept && kept->long_way;
}

/* ---- the driver ---- */

static uint32_t labels_at_most(uint32_t n, uint32_t seeds) {
    return seeds + (n >> LEFT_SHIFT) + 1;
}

static void carve(struct workspace *space, uint32_t n, region_scratch *s) {
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

/* Labels and found vertices of all that a seed comes to. */
static bool grow_all(struct cuda_job *job, const struct device_csr *g,
                     const region_scratch *s, uint32_t *seeds, uint32_t *step) {
    uint32_t before = 0, tail = 0;
    gg_fill(job, s->tail, 0, sizeof *s->tail);
    seed<<<gg_grid(job, g->n, 16), GG_BLOCK, 0, job->stream>>>(g->n, *s);
    if (!gg_launched(job, "seed") || !gg_fetch(job, seeds, s->tail, sizeof *seeds))
        return false;
    *step = 0;
    do {
        before = tail;
        for (int i = 0; i < STEPS; i++, ++*step) {
            open_step<<<1, 1, 0, job->stream>>>(*s, *step);
            grow<<<gg_grid(job, g->n, 8), GG_BLOCK, 0, job->stream>>>(*g, *s, *step);
        }
        if (!gg_launched(job, "grow") ||
            !gg_fetch(job, &tail, s->tail + *step, sizeof tail))
            return false;
    } while (tail != before && *step < MOST_STEPS);
    return true;
}

/* Regions: order, rank, first. *labels: of this graph at most. */
static bool divide(struct cuda_job *job, const struct device_csr *g,
                   const region_scratch *s, struct region_part *kept,
                   struct region_rows *r, bool *suits) {
    uint32_t seeds = 0, step = 0, n = g->n;
    if (!grow_all(job, g, s, &seeds, &step))
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
    gather_rest<<<gg_grid(job, n, 16), GG_BLOCK, 0, job->stream>>>(n, *s, step, seeds);
    label_found<<<gg_grid(job, n, 16), GG_BLOCK, 0, job->stream>>>(n, *s);
    gg_launched(job, "label_found");
    gg_note(job,
            cub::DeviceRadixSort::SortPairs(s->cub, bytes, s->key, s->key_sorted,
                                            s->found, s->order, (int64_t)n, 0, bits,
                                            job->stream),
            "sort of regions");
    count_pieces<<<gg_grid(job, labels + 1ull, 16), GG_BLOCK, 0, job->stream>>>(labels,
                                                                                *s);
    gg_launched(job, "count_pieces");
    if (!sum_up(job, s, s->size, s->start, labels + 1ull) ||
        !sum_up(job, s, s->pieces, s->piece, labels + 1ull) ||
        !gg_fetch(job, &r->view.count, s->piece + labels, sizeof r->view.count))
        return false;
    if (!take(job, &kept->part, &r->rank, n, sizeof *r->rank))
        return false;
    cut<<<gg_grid(job, labels + 1ull, 16), GG_BLOCK, 0, job->stream>>>(labels, n, *s,
                                                                       s->first);
    gg_launched(job, "cut");
    number<<<gg_grid(job, (uint64_t)r->view.count * GG_BLOCK, 8), GG_BLOCK, 0,
             job->stream>>>(r->view.count, s->first, *s, r->rank);
    return gg_launched(job, "number");
}

/* Arcs, of regions that there are. */
static bool fill_arcs(struct cuda_job *job, const struct device_csr *g,
                      const region_scratch *s, struct region_part *kept,
                      struct region_rows *r, bool *suits) {
    const uint64_t n = g->n;
    uint32_t most[2], ends[2];
    if (!take(job, &kept->part, &r->inner, n + 1, sizeof *r->inner) ||
        !take(job, &kept->part, &r->place, r->view.count, sizeof *r->place))
        return false;
    gg_fill(job, s->most, 0, sizeof most);
    count_arcs<<<gg_grid(job, n + 1, 16), GG_BLOCK, 0, job->stream>>>(*g, *s, r->rank);
    gg_launched(job, "count_arcs");
    sum_up(job, s, s->inner, r->inner, n + 1);
    sum_up(job, s, s->outer, s->outer_before, n + 1);
    describe<<<gg_grid(job, r->view.count, 16), GG_BLOCK, 0, job->stream>>>(
        r->view.count, s->first, r->inner, *s, r->place);
    if (!gg_launched(job, "describe") || !gg_fetch(job, most, s->most, sizeof most) ||
        !gg_fetch(job, &ends[0], r->inner + n, sizeof *ends) ||
        !gg_fetch(job, &ends[1], s->outer_before + n, sizeof *ends))
        return false;
    r->inners = ends[0] + 16ull; /* whole words are read behind the last */
    r->outers = ends[1];
    r->view.most_vertices = most[0];
    r->view.most_arcs = most[1];
    *suits = most[1] <= GG_REGION_ARCS && ends[1] <= g->m / GG_REGION_OUTER;
    if (!*suits)
        return true;
    if (!take(job, &kept->part, &r->arcs.from, r->outers, sizeof *r->arcs.from) ||
        !take(job, &kept->part, &r->arcs.to, r->outers, sizeof *r->arcs.to) ||
        !take(job, &kept->part, &r->arcs.to_region, r->outers,
              sizeof *r->arcs.to_region) ||
        !take(job, &kept->part, &r->arcs.target, r->inners, sizeof *r->arcs.target))
        return false;
    fill<<<gg_grid(job, n, 16), GG_BLOCK, 0, job->stream>>>(*g, *s, r->rank, s->first,
                                                            r->inner, r->arcs);
    return gg_launched(job, "fill") && gg_wait(job);
}

static bool make(struct cuda_job *job, const struct device_csr *g,
                 struct region_part *kept, struct region_rows *r, bool *suits) {
    struct workspace space = {NULL, 0};
    region_scratch s;
    carve(&space, g->n, &s);
    const uint64_t bytes = space.used;
    space = {static_cast<unsigned char *>(gg_take(job, bytes)), 0};
    if (!space.base)
        return false;
    carve(&space, g->n, &s);
    r->view.n = g->n;
    const bool made = divide(job, g, &s, kept, r, suits) &&
                      (!*suits || fill_arcs(job, g, &s, kept, r, suits));
    gg_give(job, space.base, bytes);
    return made;
}

/* The view of what was made. */
static void show(struct region_rows *r) {
    struct device_regions *view = &r->view;
    view->rank = r->rank;
    view->place = r->place;
    view->inner = r->inner;
    view->target = r->arcs.target;
    view->from = r->arcs.from;
    view->to = r->arcs.to;
    view->to_region = r->arcs.to_region;
    r->made = true;
}

/* Device bytes of regions and of what they are made with. */
static int64_t bytes_of(const struct device_csr *g) {
    struct workspace space = {NULL, 0};
    region_scratch s;
    carve(&space, g->n, &s);
    const uint64_t arcs = g->m * 2 + g->m / GG_REGION_OUTER * 10;
    return (int64_t)(space.used + g->n * 9ull + arcs + 65536);
}

bool gg_make_regions(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                     int64_t own) {
    struct region_part *kept = (struct region_part *)gg_device_part(job, &region_kind);
    if (!kept)
        return false;
    struct region_rows *r = &kept->rows[kind];
    if (r->made || r->unsuitable || g->n == 0 || g->m >= UINT32_MAX ||
        bytes_of(g) + own > gg_device_room(job))
        return true;
    const double started = gg_now_ms();
    bool suits = true;
    if (!make(job, g, kept, r, &suits)) {
        drop_rows(kept, r);
        return gg_do_without(job);
    }
    if (suits)
        show(r);
    else
        drop_rows(kept, r);
    r->unsuitable = !suits;
    gg_phase(job->run, "prepare", started, r->view.count, "%s",
             suits ? "regions that a block searches, on the device"
                   : "no regions: arcs that lead out of them are too many");
    return gg_going(job);
}

bool gg_regions(const gpugraph_graph *graph, enum csr_kind kind,
                struct device_regions *regions) {
    const struct region_part *kept =
        (struct region_part *)gg_device_part_of(graph, &region_kind);
    if (!kept || !kept->rows[kind].made)
        return false;
    *regions = kept->rows[kind].view;
    return true;
}
