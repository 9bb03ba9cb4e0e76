/* The kernel that searches by regions (regions/search.cuh) on CPU threads (cuda_lanes.h):
** depths and distances against the CPU's, of graphs divided into random regions. Blocks
** exchange regions and messages, and must end together. */
#define LANES_SHARED __thread
#include "cuda_lanes.h"
#include "graph/graph.h"

#define GG_REGION_BLOCK 64
/* Fewer than the vertices of some rounds here. */
#define GG_REGION_LIST 24

/* The warp layer on these lanes. */
#define WARP_LANES
#define WARP_FUNCTION static inline
enum { warp_width = 32 };
WARP_FUNCTION unsigned warp_lane(void) {
    return gg_lane();
}
WARP_FUNCTION uint32_t warp_ballot(bool value) {
    return __ballot_sync(ALL_LANES, value);
}
WARP_FUNCTION uint32_t warp_from(uint32_t value, unsigned lane) {
    return __shfl_sync(ALL_LANES, value, (int)lane);
}
WARP_FUNCTION unsigned warp_first(uint32_t lanes) {
    return (unsigned)__builtin_ctz(lanes);
}
WARP_FUNCTION uint32_t warp_max(uint32_t value) {
    return reduced(value, [](unsigned a, unsigned b) { return a > b ? a : b; });
}
WARP_FUNCTION void warp_pause(unsigned) {
    sched_yield();
}

/* Warnings that nvcc does not give. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wextra"
#include "regions/search.cuh"

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
}
#include "lanes_graphs.h"

static void run_kernel(const void *, void *) {}

/* ---- random regions of a graph ---- */

struct drawn {
    std::vector<uint32_t> rank, first, inner, outer, to, to_region;
    std::vector<uint16_t> from;
    std::vector<uint4> target, arc; /* loaded by whole words */
    std::vector<uint32_t> length;
    std::vector<region_place> place;
    device_regions view;
};

static uint16_t *targets(struct drawn *d) {
    return reinterpret_cast<uint16_t *>(d->target.data());
}

/* most: vertices of a region. */
static void draw(const device_csr &g, uint32_t most, uint64_t *seed, struct drawn *d) {
    std::vector<uint32_t> order(g.n), region(g.n);
    for (uint32_t v = 0; v < g.n; v++)
        order[v] = v;
    const bool mixed = shape_random(seed) % 2;
    for (uint32_t i = g.n; mixed && i > 1; i--)
        std::swap(order[i - 1], order[shape_random(seed) % i]);
    d->first.assign(1, 0);
    while (d->first.back() < g.n) {
        const uint32_t next = d->first.back() + 1 + (uint32_t)(shape_random(seed) % most);
        d->first.push_back(next < g.n ? next : g.n);
    }
    const uint32_t regions = (uint32_t)d->first.size() - 1;
    d->rank.assign(g.n, 0);
    for (uint32_t r = 0; r < regions; r++)
        for (uint32_t i = d->first[r]; i < d->first[r + 1]; i++) {
            region[i] = r;
            d->rank[order[i]] = i;
        }
    const uint32_t *weight = static_cast<const uint32_t *>(g.weight);
    d->target.assign(g.m / 8 + 2, uint4());
    d->arc.assign(g.m / 4 + 2, uint4());
    uint32_t *arcs = reinterpret_cast<uint32_t *>(d->arc.data());
    d->inner.assign(1, 0);
    d->outer.assign(1, 0);
    d->view = device_regions();
    for (uint32_t i = 0; i < g.n; i++) {
        const uint32_t r = region[i], begin = d->first[r];
        for (uint64_t a = g.begin[order[i]]; a < g.end[order[i]]; a++) {
            const uint32_t v = d->rank[g.target[a]];
            if (region[v] != r) {
                d->from.push_back((uint16_t)(i - begin));
                d->to.push_back(v);
                d->to_region.push_back(region[v]);
                d->length.push_back(weight ? weight[a] : 1);
                continue;
            }
            const uint32_t at = d->inner.size() > i + 1u ? d->inner[i + 1] : d->inner[i];
            targets(d)[at] = (uint16_t)(v - begin);
            arcs[at] = (weight ? weight[a] : 1) << REGION_PLACE_BITS | (v - begin);
            d->inner.resize(i + 2);
            d->inner[i + 1] = at + 1;
        }
        const uint32_t so_far = d->inner.back();
        d->inner.resize(i + 2, so_far);
        if (i + 1 == d->first[r + 1]) {
            d->outer.push_back((uint32_t)d->to.size());
            const uint32_t vertices = i + 1 - begin,
                           arcs = d->inner.back() - d->inner[begin];
            d->place.push_back({begin,
                                vertices,
                                d->inner[begin],
                                d->inner[begin] + arcs,
                                d->outer[r],
                                d->outer[r + 1],
                                {0, 0}});
            d->view.most_vertices = std::max(d->view.most_vertices, vertices);
            d->view.most_arcs = std::max(d->view.most_arcs, arcs);
        }
    }
    d->view.n = g.n;
    d->view.count = regions;
    d->view.rank = d->rank.data();
    d->view.place = d->place.data();
    d->view.inner = d->inner.data();
    d->view.target = targets(d);
    d->view.from = d->from.data();
    d->view.to = d->to.data();
    d->view.to_region = d->to_region.data();
    if (weight) {
        d->view.arc = arcs;
        d->view.length = d->length.data();
    }
}

/* ---- a search ---- */

template <bool by_weight>
static std::vector<uint32_t> search_drawn(const struct drawn &d,
                                          const std::vector<uint32_t> &source,
                                          uint32_t width, unsigned blocks, bool *lost) {
    const device_regions &r = d.view;
    uint32_t slots = 1;
    while (slots < r.count + blocks)
        slots *= 2;
    regions_board board = regions_board();
    regions_found found = regions_found();
    std::vector<uint32_t> slot((size_t)slots * BUCKETS, NO_REGION), news(r.count, 0),
        least(r.count, UINT32_MAX), distance(r.n, UINT32_MAX), received(r.n, UINT32_MAX);
    uint32_t stop = 0;
    region_search s = region_search();
    s.queue =
        regions_queue{&board, slot.data(), news.data(), least.data(), slots - 1, width};
    s.found = &found;
    s.stop = &stop;
    s.distance = distance.data();
    s.received = received.data();
    s.vertices = (r.most_vertices + 7) / 8 * 8;
    s.arcs = (r.most_arcs + 2 * 8 + 7) / 8 * 8;
    ck_assert_uint_le(shared_bytes<by_weight>(s.vertices, s.arcs), sizeof memory);
    run_grid(1, GG_WARP,
             [&] { gg_plant_regions(r, s, source.data(), (uint32_t)source.size()); });
    run_grid(blocks, GG_REGION_BLOCK, [&] { search_regions<by_weight>(r, s); });
    ck_assert_uint_eq(board.end, REGIONS_OVER);
    ck_assert_uint_eq(board.busy, 0);
    *lost = board.lost;
    std::vector<uint32_t> by_vertex(r.n);
    for (uint32_t v = 0; v < r.n; v++)
        by_vertex[v] = distance[r.rank[v]];
    return by_vertex;
}

static std::vector<uint32_t> right_ones(gpugraph_graph *graph,
                                        const std::vector<uint32_t> &source,
                                        gpugraph_direction direction, bool by_weight) {
    std::vector<uint32_t> right(graph->n);
    gpugraph_search search = search_from(source.data(), direction);
    search.source_count = (uint32_t)source.size();
    gpugraph_run run = gpugraph_run();
    run.backend = GPUGRAPH_CPU;
    if (by_weight)
        gpugraph_sssp(graph, &search, &run, right.data(), NULL);
    else
        gpugraph_bfs(graph, &search, &run, right.data(), NULL);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    return right;
}

template <bool by_weight>
static void check(gpugraph_graph *graph, const char *name, gpugraph_direction direction,
                  uint64_t *seed) {
    const device_csr g = rows_of(graph, gg_forward_kind(direction), by_weight);
    std::vector<uint32_t> source;
    for (uint64_t k = shape_random(seed) % 3 + 1; k > 0; k--)
        source.push_back((uint32_t)(shape_random(seed) % graph->n));
    struct drawn d;
    bool lost;
    const uint32_t most = shape_random(seed) % 2 ? 300 : 90;
    draw(g, 1 + (uint32_t)(shape_random(seed) % most), seed, &d);
    const uint32_t width = 1 + (uint32_t)(shape_random(seed) % (by_weight ? 900 : 40));
    const std::vector<uint32_t> right = right_ones(graph, source, direction, by_weight),
                                is = search_drawn<by_weight>(d, source, width, 3, &lost);
    ck_assert(!lost);
    for (uint32_t v = 0; v < graph->n; v++)
        expect(is[v] == right[v], "%s from %u: %u is at %u, not %u", name, source[0], v,
               is[v], right[v]);
}

/* ---- the cases ---- */

static void check_shape(const shape *s, uint64_t seed, uint64_t first, int times) {
    std::vector<int64_t> weight(s->edges + 1);
    for (int64_t &w : weight)
        w = (int64_t)(shape_random(&seed) % 50);
    gpugraph_graph *graph = shape_graph(s),
                   *weighted = shape_weighed(s, false, weight.data(), NULL);
    for (int i = 0; i < times; i++)
        if (i == times - 1 || !left_out((uint64_t)i + first)) {
            check<false>(graph, s->name, (gpugraph_direction)(i % 3), &seed);
            check<true>(weighted, s->name, (gpugraph_direction)(i % 3), &seed);
        }
    gpugraph_free(graph);
    gpugraph_free(weighted);
}

START_TEST(random_graphs) {
    uint64_t seed = 31;
    for (int i = 0; i < 60; i++) {
        uint32_t n = (uint32_t)(shape_random(&seed) % 300) + 1;
        shape s = shape_random_edges(n, (int64_t)(shape_random(&seed) % (6 * n)), seed);
        check_shape(&s, seed, (uint64_t)i * 6, 6);
        shape_free(&s);
    }
}
END_TEST

START_TEST(shapes) {
    shape shapes[] = {shape_grid(23, 17), shape_path(400), shape_comb(19, 5),
                      shape_rmat(8, 3, 9)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_shape(&shapes[i], i + 1, i * 12, 12);
        shape_free(&shapes[i]);
    }
}
END_TEST

/* A path longer than 2^32. */
START_TEST(sums_that_leave_the_range) {
    enum { N = 5000, WEIGHT = (1 << 20) - 1 };
    std::vector<uint64_t> offset(N + 1);
    std::vector<uint32_t> target(N), weight(N, WEIGHT);
    for (uint32_t v = 0; v < N; v++) {
        offset[v] = v;
        target[v] = v + 1;
    }
    offset[N] = N - 1;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t first = i ? N - 4000 : 0; /* from there on it fits */
        const device_csr g =
            gg_packed_rows(N, N - 1, offset.data(), target.data(), weight.data());
        uint64_t seed = i;
        struct drawn d;
        bool lost;
        draw(g, 90, &seed, &d);
        const std::vector<uint32_t> is = search_drawn<true>(d, {first}, WEIGHT, 2, &lost);
        ck_assert(lost == (i == 0));
        if (!lost)
            ck_assert_uint_eq(is[N - 1], 3999u * WEIGHT);
    }
}
END_TEST

const struct suite suite = {
    .name = "regions_search_lanes",
    .groups = {{.name = "regions_search_lanes",
                .timeout = 240,
                .cases = {{&random_graphs}, {&shapes}, {&sums_that_leave_the_range}}}},
};
