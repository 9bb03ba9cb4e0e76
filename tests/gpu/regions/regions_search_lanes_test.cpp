/* The kernel that searches by regions (regions/search.cuh), as it stands, on CPU threads (cuda_lanes.h): depths
** against the CPU's, of graphs that are cut into regions at random. Blocks take regions from
** each other, tell each other of shorter ways, and end together. */
#define LANES_SHARED __thread
#include "cuda_lanes.h"

#include "tuning.h"

#undef GG_REGION_BLOCK
#define GG_REGION_BLOCK 64
/* Less than some rounds here have vertices. */
#undef GG_REGION_LIST
#define GG_REGION_LIST 24

/* The warp layer by these lanes. */
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

/* What nvcc does not mind, or has of its own. */
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

/* ---- regions of a graph, drawn ---- */

struct drawn {
    std::vector<uint32_t> rank, first, inner, outer, to, to_region;
    std::vector<uint16_t> from;
    std::vector<uint4> target; /* read by whole words */
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
    d->target.assign(g.m / 8 + 2, uint4());
    d->inner.assign(1, 0);
    d->outer.assign(1, 0);
    d->view = device_regions();
    for (uint32_t i = 0; i < g.n; i++) {
        const uint32_t r = region[i], begin = d->first[r];
        for (uint64_t a = g.offset[order[i]]; a < g.offset[order[i] + 1]; a++) {
            const uint32_t v = d->rank[g.target[a]];
            if (region[v] != r) {
                d->from.push_back((uint16_t)(i - begin));
                d->to.push_back(v);
                d->to_region.push_back(region[v]);
                continue;
            }
            const uint32_t at = d->inner.size() > i + 1u ? d->inner[i + 1] : d->inner[i];
            targets(d)[at] = (uint16_t)(v - begin);
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
}

/* ---- a search ---- */

static std::vector<uint32_t> search_drawn(const struct drawn &d,
                                          const std::vector<uint32_t> &source,
                                          uint32_t width, unsigned blocks) {
    const device_regions &r = d.view;
    uint32_t slots = 1;
    while (slots < r.count + blocks)
        slots *= 2;
    regions_board board = regions_board();
    regions_found found = regions_found();
    std::vector<uint32_t> slot((size_t)slots * BUCKETS, NO_REGION), news(r.count, 0),
        least(r.count, UINT32_MAX), distance(r.n, UINT32_MAX), told(r.n, UINT32_MAX);
    uint32_t stop = 0;
    region_search s = region_search();
    s.queue =
        regions_queue{&board, slot.data(), news.data(), least.data(), slots - 1, width};
    s.found = &found;
    s.stop = &stop;
    s.distance = distance.data();
    s.told = told.data();
    s.vertices = (r.most_vertices + 7) / 8 * 8;
    s.arcs = (r.most_arcs + 2 * 8 + 7) / 8 * 8;
    ck_assert_uint_le(shared_bytes(s.vertices, s.arcs), sizeof memory);
    run_grid(1, GG_WARP,
             [&] { gg_plant_regions(r, s, source.data(), (uint32_t)source.size()); });
    run_grid(blocks, GG_REGION_BLOCK, [&] { search_regions(r, s); });
    ck_assert_uint_eq(board.end, REGIONS_OVER);
    ck_assert_uint_eq(board.busy, 0);
    std::vector<uint32_t> by_vertex(r.n);
    for (uint32_t v = 0; v < r.n; v++)
        by_vertex[v] = distance[r.rank[v]];
    return by_vertex;
}

static std::vector<uint32_t> right_ones(gpugraph_graph *graph,
                                        const std::vector<uint32_t> &source,
                                        gpugraph_direction direction) {
    std::vector<uint32_t> right(graph->n);
    gpugraph_search search = search_from(source.data(), direction);
    search.source_count = (uint32_t)source.size();
    gpugraph_run run = gpugraph_run();
    run.backend = GPUGRAPH_CPU;
    gpugraph_bfs(graph, &search, &run, right.data(), NULL);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    return right;
}

static void check(gpugraph_graph *graph, const char *name, gpugraph_direction direction,
                  uint64_t *seed) {
    const device_csr g = rows_of(graph, gg_forward_kind(direction), false);
    std::vector<uint32_t> source;
    for (uint64_t k = shape_random(seed) % 3 + 1; k > 0; k--)
        source.push_back((uint32_t)(shape_random(seed) % graph->n));
    struct drawn d;
    draw(g, 1 + (uint32_t)(shape_random(seed) % (shape_random(seed) % 2 ? 300 : 90)),
         seed, &d);
    const uint32_t width = 1 + (uint32_t)(shape_random(seed) % 40);
    const std::vector<uint32_t> right = right_ones(graph, source, direction),
                                is = search_drawn(d, source, width, 3);
    for (uint32_t v = 0; v < graph->n; v++)
        expect(is[v] == right[v], "%s from %u: %u is at %u, not %u", name, source[0], v,
               is[v], right[v]);
}

/* ---- the cases ---- */

static void check_shape(const shape *s, uint64_t seed, uint64_t first, int times) {
    gpugraph_graph *graph = shape_graph(s);
    for (int i = 0; i < times; i++)
        if (i == times - 1 || !left_out((uint64_t)i + first))
            check(graph, s->name, (gpugraph_direction)(i % 3), &seed);
    gpugraph_free(graph);
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

const struct suite suite = {
    .name = "regions_search_lanes",
    .groups = {{.name = "regions_search_lanes",
                .timeout = 240,
                .cases = {{&random_graphs}, {&shapes}}}},
};
