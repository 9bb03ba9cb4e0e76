/* The kernel of breadth-first search by a cluster of blocks (narrow.cu), unchanged, on
** CPU threads (cluster_lanes.h). Depths are compared with those of the CPU, with and
** without targets and limits.
**
** The memory of the blocks is small, so frontiers and rows return to the queue for the
** whole grid again and again. A loop here plays the levels of the whole grid. */
/* ctest: alone */
#define LANES_SHARED __thread
#include "cluster_lanes.h"
#include "graph/graph.h"

#define GG_BFS_CLUSTER      4
#define GG_BFS_NARROW_BLOCK 256
#define GG_BFS_NARROW_ROOM  64
#define GG_BFS_NARROW_IN    16
#define GG_BFS_NARROW_ROW   20

/* Attributes and types that nvcc knows or ignores. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wextra"
__thread uint4 shared[4096]; /* declared by the kernel */
#include "bfs/narrow.cu"

static_assert(sizeof(block_memory) <= sizeof shared, "shared memory");

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
}
#include "lanes_graphs.h"

static void run_kernel(const void *kernel, void *argument) {
    reinterpret_cast<void (*)(narrow)>(const_cast<void *>(kernel))(
        *static_cast<narrow *>(argument));
}

/* ---- a search ---- */

struct arrays {
    bfs_control control;
    std::vector<uint32_t> depth, visited, wanted;
    std::vector<uint2> queue;
};

static bool take_bit(std::vector<uint32_t> *bits, uint32_t v) {
    const bool taken = (*bits)[v / 32] >> v % 32 & 1;
    (*bits)[v / 32] |= 1u << v % 32;
    return !taken;
}

static void plant(const device_csr &g, uint32_t source,
                  const std::vector<uint32_t> &target, struct arrays *a) {
    const uint32_t arcs = (uint32_t)(g.end[source] - g.begin[source]);
    a->control = bfs_control();
    a->depth.assign(g.n, GPUGRAPH_NONE);
    a->queue.assign((size_t)g.n + 1, uint2{0, 0});
    a->visited.assign(g.n / 32 + 1, 0);
    a->wanted.assign(g.n / 32 + 1, 0);
    a->depth[source] = 0;
    take_bit(&a->visited, source);
    a->queue[0] = uint2{(uint32_t)g.begin[source], 0};
    for (uint32_t v : target)
        a->control.missing += take_bit(&a->wanted, v) && v != source;
    a->control.reached = 1;
    a->control.tail = arcs > 0;
    a->control.frontier = (bfs_size)arcs << 32 | (arcs > 0);
    const bool over = arcs == 0 || (!target.empty() && a->control.missing == 0);
    a->control.next = over ? BFS_OVER : BFS_NARROW;
}

/* Expands one level from the queue, as the whole grid would. */
static void one_level(const device_csr &g, const bfs_bounds &bounds, struct arrays *a) {
    bfs_control *c = &a->control;
    const uint32_t entries = (uint32_t)c->frontier;
    const uint32_t arcs = (uint32_t)(c->frontier >> 32), first = c->first;
    uint32_t before = 0;
    c->first = c->tail;
    for (uint32_t i = 0; i < entries; i++) {
        const uint2 row = a->queue[first + i];
        const uint32_t end = i + 1 < entries ? a->queue[first + i + 1].y : arcs;
        for (uint32_t k = 0; k < end - row.y; k++) {
            const uint32_t v = g.target[row.x + k];
            if (!take_bit(&a->visited, v))
                continue;
            const uint32_t its = (uint32_t)(g.end[v] - g.begin[v]);
            a->depth[v] = c->level + 1;
            c->missing -= bounds.targets && gg_bit(a->wanted.data(), v);
            c->reached++;
            if (its > 0)
                a->queue[c->tail++] = uint2{(uint32_t)g.begin[v], before};
            before += its;
        }
    }
    c->level++;
    c->frontier = (bfs_size)before << 32 | (c->tail - c->first);
    const bool over = before == 0 || (bounds.targets && c->missing == 0) ||
                      (bounds.limit > 0 && c->reached >= bounds.limit);
    c->next = over ? BFS_OVER : BFS_NARROW;
}

/* Returns the number of levels that the cluster expanded. */
static uint32_t check(gpugraph_graph *graph, const char *name, uint32_t source,
                      gpugraph_direction direction, const std::vector<uint32_t> &target,
                      uint64_t limit) {
    const std::vector<uint32_t> right = depths_of(graph, source, direction);
    const device_csr g = rows_of(graph, gg_forward_kind(direction), false);
    gpugraph_run run = gpugraph_run();
    struct arrays a;
    uint32_t stop = 0;
    plant(g, source, target, &a);
    bfs_arrays b = bfs_arrays();
    b.control = &a.control;
    b.depth = a.depth.data();
    b.queue = a.queue.data();
    b.wanted = a.wanted.data();
    b.visited[0] = a.visited.data();
    cuda_device device = {1, 0, 0};
    cuda_job job = {&run, &device, NULL};
    const bfs_bounds bounds = {GPUGRAPH_NONE, !target.empty(), limit, &stop};
    const bfs_shape shape = {0, 40};
    while (a.control.next != BFS_OVER) {
        if (a.control.next == BFS_NARROW)
            gg_bfs_narrow(&job, &g, &b, bounds, shape);
        else
            one_level(g, bounds, &a);
        ck_assert_msg(a.control.failed == 0, "%s: a barrier was not reached at level %u",
                      name, a.control.level);
    }
    uint64_t reached = 0;
    for (uint32_t v = 0; v < graph->n; v++) {
        const bool early = !target.empty() || limit > 0;
        const bool late = early && a.depth[v] == GPUGRAPH_NONE;
        expect(a.depth[v] == right[v] || (late && right[v] > a.control.level),
               "%s from %u: %u is at %u, not %u", name, source, v, a.depth[v], right[v]);
        reached += a.depth[v] != GPUGRAPH_NONE;
    }
    expect(reached == a.control.reached, "%s from %u: %llu are reached, not %llu", name,
           source, (unsigned long long)reached, a.control.reached);
    for (uint32_t v : target)
        expect(limit > 0 || a.depth[v] == right[v], "%s: target %u", name, v);
    return a.control.narrow_levels;
}

/* ---- the cases ---- */

/* first: the number of the shape's first turn. The last turn always runs. */
static uint32_t check_shape(const shape *s, uint64_t seed, uint64_t first, int times) {
    gpugraph_graph *graph = shape_graph(s);
    uint32_t levels = 0;
    for (int i = 0; i < times; i++) {
        std::vector<uint32_t> target;
        const uint32_t source = (uint32_t)(shape_random(&seed) % s->vertices);
        for (uint64_t k = shape_random(&seed) % 4; k > 0; k--)
            target.push_back((uint32_t)(shape_random(&seed) % s->vertices));
        const uint64_t limit = i % 5 == 4 ? shape_random(&seed) % s->vertices + 1 : 0;
        if (i < times - 1 && left_out((uint64_t)i + first))
            continue;
        levels +=
            check(graph, s->name, source, (gpugraph_direction)(i % 3), target, limit);
    }
    gpugraph_free(graph);
    return levels;
}

START_TEST(random_graphs) {
    uint64_t seed = 4;
    uint32_t levels = 0;
    for (int i = 0; i < 40; i++) {
        uint32_t n = (uint32_t)(shape_random(&seed) % 300) + 1;
        shape s = shape_random_edges(n, (int64_t)(shape_random(&seed) % (4 * n)), seed);
        levels += check_shape(&s, seed, (uint64_t)i * 6, 6);
        shape_free(&s);
    }
    ck_assert_uint_gt(levels, 5);
}
END_TEST

START_TEST(shapes) {
    shape shapes[] = {shape_grid(13, 17),  shape_grid(30, 40), shape_rmat(9, 16, 5),
                      shape_path(150),     shape_star(500),    shape_comb(20, 15),
                      shape_rmat(10, 3, 9)};
    uint32_t levels = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        levels += check_shape(&shapes[i], i + 1, i * 8, 8);
        shape_free(&shapes[i]);
    }
    ck_assert_uint_gt(levels, 5);
}
END_TEST

const struct suite suite = {
    .name = "bfs_narrow_lanes",
    .groups = {{.name = "bfs_narrow_lanes",
                .timeout = 240,
                .cases = {{&random_graphs}, {&shapes}}}},
};
