/* The kernel of breadth-first search by the whole grid (wide.cu), unchanged, on CPU
** threads (cuda_lanes.h). Depths are compared with those of the CPU, with and without
** targets, top-down and bottom-up, with hubs.
**
** Blocks are late by random times. A block that knows of the last target must not leave
** while other blocks wait for it. */
#include "cuda_lanes.h"
#include "graph/graph.h"

#define GG_BFS_WIDE_BLOCK 64
#define GG_BFS_MOST_LOOKS (1u << 18)

/* Attributes and types that nvcc knows or ignores. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wextra"
#include "bfs/wide.cu"

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
}
#include "lanes_graphs.h"

static void run_kernel(const void *, void *argument) {
    wide_levels(*static_cast<wide *>(argument));
}

static void set_bit(std::vector<uint4> *bits, uint32_t v) {
    reinterpret_cast<uint32_t *>(bits->data())[v / 32] |= 1u << v % 32;
}

/* ---- a search ---- */

struct arrays {
    bfs_control control;
    std::vector<uint32_t> depth, rest[2], hub;
    std::vector<uint4> visited[2], wanted, closed;
    std::vector<uint2> queue;
};

/* The data that prepare.cu makes: any neighbour can be a hub. */
static bfs_below below_of(const device_csr &rows, struct arrays *a) {
    a->hub.assign(rows.n, GPUGRAPH_NONE);
    a->closed.assign(rows.n / 128 + 1, uint4{0, 0, 0, 0});
    for (uint32_t v = 0; v < a->closed.size() * 128; v++)
        if (v < rows.n && rows.begin[v] < rows.end[v])
            a->hub[v] = rows.target[rows.begin[v]];
        else
            set_bit(&a->closed, v);
    return bfs_below{rows, a->hub.data(), reinterpret_cast<uint32_t *>(a->closed.data())};
}

enum look { ALONG, BY_HUBS, LOOKS };

static void plant(const device_csr &g, uint32_t source,
                  const std::vector<uint32_t> &target, struct arrays *a) {
    const uint32_t arcs = (uint32_t)(g.end[source] - g.begin[source]);
    const size_t words = g.n / 128 + 1;
    a->control = bfs_control();
    a->depth.assign(g.n, GPUGRAPH_NONE);
    a->queue.assign(g.n, uint2{0, 0});
    a->wanted.assign(words, uint4{0, 0, 0, 0});
    for (int i = 0; i < 2; i++) {
        a->rest[i].assign(g.n, 0);
        a->visited[i].assign(words, uint4{0, 0, 0, 0});
    }
    a->depth[source] = 0;
    set_bit(&a->visited[0], source);
    a->queue[0] = uint2{(uint32_t)g.begin[source], 0};
    for (uint32_t v : target) {
        uint32_t bit =
            reinterpret_cast<uint32_t *>(a->wanted.data())[v / 32] >> v % 32 & 1;
        a->control.missing += v != source && !bit;
        set_bit(&a->wanted, v);
    }
    a->control.reached = 1;
    a->control.tail = arcs > 0;
    a->control.frontier = (bfs_size)arcs << 32 | (arcs > 0);
    bool over = arcs == 0 || (!target.empty() && a->control.missing == 0);
    a->control.next = over ? BFS_OVER : BFS_WIDE;
}

static void check(gpugraph_graph *graph, const char *name, uint32_t source,
                  gpugraph_direction direction, const std::vector<uint32_t> &target,
                  int look) {
    const std::vector<uint32_t> right = depths_of(graph, source, direction);
    const device_csr g = rows_of(graph, gg_forward_kind(direction), false);
    gpugraph_run run = gpugraph_run();
    struct arrays a;
    uint32_t stop = 0;
    plant(g, source, target, &a);
    bfs_below below = bfs_below();
    if (look == BY_HUBS)
        below = below_of(rows_of(graph, gg_reverse_kind(direction), false), &a);
    bfs_arrays b = bfs_arrays();
    b.control = &a.control;
    b.depth = a.depth.data();
    b.queue = a.queue.data();
    b.wanted = reinterpret_cast<uint32_t *>(a.wanted.data());
    for (int i = 0; i < 2; i++) {
        b.visited[i] = reinterpret_cast<uint32_t *>(a.visited[i].data());
        b.rest[i] = a.rest[i].data();
    }
    cuda_device device = {3, 0, 0};
    cuda_job job = {&run, &device, NULL};
    const bfs_bounds bounds = {GPUGRAPH_NONE, !target.empty(), 0, &stop};
    const bfs_shape never_narrow = {0, 0};
    gg_bfs_wide(&job, &g, &below, &b, bounds, never_narrow);
    ck_assert_msg(a.control.failed == 0, "%s: a barrier was not reached at level %u",
                  name, a.control.level);
    ck_assert_uint_eq(a.control.next, BFS_OVER);
    for (uint32_t v = 0; v < graph->n; v++) {
        bool late = !target.empty() && a.depth[v] == GPUGRAPH_NONE;
        expect(a.depth[v] == right[v] || (late && right[v] > a.control.level),
               "%s from %u, look %d: %u is at %u, not %u", name, source, look, v,
               a.depth[v], right[v]);
    }
    for (uint32_t v : target)
        expect(a.depth[v] == right[v], "%s: target %u", name, v);
}

/* ---- the cases ---- */

/* first: the number of the shape's first turn. The last turn always runs. */
static void check_shape(const shape *s, uint64_t seed, uint64_t first, int times) {
    gpugraph_graph *graph = shape_graph(s);
    for (int i = 0; i < times; i++) {
        std::vector<uint32_t> target;
        uint32_t source = (uint32_t)(shape_random(&seed) % s->vertices);
        for (uint64_t k = shape_random(&seed) % 4; k > 0; k--)
            target.push_back((uint32_t)(shape_random(&seed) % s->vertices));
        if (i == times - 1 || !left_out((uint64_t)i + first))
            check(graph, s->name, source, (gpugraph_direction)(i % 3), target,
                  i / 3 % LOOKS);
    }
    gpugraph_free(graph);
}

START_TEST(random_graphs) {
    uint64_t seed = 9;
    for (int i = 0; i < 60; i++) {
        uint32_t n = (uint32_t)(shape_random(&seed) % 300) + 1;
        shape s = shape_random_edges(n, (int64_t)(shape_random(&seed) % (6 * n)), seed);
        check_shape(&s, seed, (uint64_t)i * 9, 9);
        shape_free(&s);
    }
}
END_TEST

START_TEST(shapes) {
    shape shapes[] = {shape_grid(13, 17), shape_rmat(9, 16, 5), shape_path(150),
                      shape_star(1500),   shape_comb(9, 5),     shape_rmat(10, 3, 9)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_shape(&shapes[i], i + 1, i * 18, 18);
        shape_free(&shapes[i]);
    }
}
END_TEST

const struct suite suite = {
    .name = "bfs_wide_lanes",
    .groups = {{.name = "bfs_wide_lanes",
                .timeout = 240,
                .cases = {{&random_graphs}, {&shapes}}}},
};
