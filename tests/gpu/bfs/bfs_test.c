/* Breadth-first search against a textbook queue, and its tree against the literal rule:
** for each method on each available backend, in all directions, with one thread and with
** two.
**
** A build with tiny queues lets a device's queues overflow. These tests pass with it,
** too: -DCMAKE_CUDA_FLAGS="-DGG_BFS_CLUSTER=16 -DGG_BFS_NARROW_BLOCK=512
** -DGG_BFS_NARROW_ROOM=16
**   -DGG_BFS_NARROW_IN=16 -DGG_BFS_NARROW_OUT=100 -DGG_BFS_NARROW_LEVELS=1
**   -DGG_BFS_NARROW_ROW=20" */
/* ctest: wide=0 long */
#include "graph_data.h"
#include "edge_numbers.h"
#include "expect.h"
#include "suite.h"
#include "graphs.h"
#include "sssp/sssp.h"
#include "share.h"

#include <stdlib.h>
#include <string.h>

/* The answer of the rules: the depth of each vertex, and the edge that leads to it. */
struct answer {
    uint32_t *depth, *edge;
};

static bool leads(const shape *s, int64_t e, gpugraph_direction direction, uint32_t u,
                  uint32_t v) {
    bool out = s->source[e] == u && s->target[e] == v;
    bool in = s->source[e] == v && s->target[e] == u;
    return (direction != GPUGRAPH_IN && out) || (direction != GPUGRAPH_OUT && in);
}

/* A tight edge from u to v. Keeps the smallest edge, because edges come in the order of
** numbers. */
static void offer(struct answer *a, int64_t e, uint32_t u, uint32_t v) {
    if (a->depth[u] != GPUGRAPH_NONE && a->depth[v] == a->depth[u] + 1 &&
        a->edge[v] == GPUGRAPH_NONE)
        a->edge[v] = (uint32_t)e;
}

/* Rows of neighbours, with each arc once for each edge that allows it. */
static void textbook(const shape *s, const gpugraph_search *search, struct answer *a) {
    uint32_t n = s->vertices, head = 0, tail = 0;
    int64_t arcs = 0, *next = malloc((size_t)(2 * s->edges + 1) * sizeof *next);
    int64_t *first = malloc((n + 1) * sizeof *first);
    uint32_t *end = malloc((size_t)(2 * s->edges + 1) * sizeof *end);
    uint32_t *queue = malloc((n + 1) * sizeof *queue);
    a->depth = malloc((n + 1) * sizeof *a->depth);
    a->edge = malloc((n + 1) * sizeof *a->edge);
    for (uint32_t v = 0; v < n; v++) {
        first[v] = -1;
        a->depth[v] = a->edge[v] = GPUGRAPH_NONE;
    }
    for (int64_t e = 0; e < s->edges; e++)
        for (int turned = 0; turned < 2; turned++) {
            if (search->direction == (turned ? GPUGRAPH_OUT : GPUGRAPH_IN))
                continue;
            int64_t from = turned ? s->target[e] : s->source[e];
            end[arcs] = (uint32_t)(turned ? s->source[e] : s->target[e]);
            next[arcs] = first[from];
            first[from] = arcs++;
        }
    for (uint32_t i = 0; i < search->source_count; i++) {
        if (a->depth[search->source[i]] == 0)
            continue;
        a->depth[search->source[i]] = 0;
        queue[tail++] = search->source[i];
    }
    while (head < tail) {
        uint32_t u = queue[head++];
        for (int64_t arc = first[u]; arc >= 0; arc = next[arc])
            if (a->depth[end[arc]] == GPUGRAPH_NONE) {
                a->depth[end[arc]] = a->depth[u] + 1;
                queue[tail++] = end[arc];
            }
    }
    for (int64_t e = 0; e < s->edges; e++) {
        if (search->direction != GPUGRAPH_IN)
            offer(a, e, (uint32_t)s->source[e], (uint32_t)s->target[e]);
        if (search->direction != GPUGRAPH_OUT)
            offer(a, e, (uint32_t)s->target[e], (uint32_t)s->source[e]);
    }
    free(next);
    free(first);
    free(end);
    free(queue);
}

static void answer_free(struct answer *a) {
    free(a->depth);
    free(a->edge);
}

/* ---- what is found may be less than there is, by an early end, but never wrong ---- */

static uint32_t count_reached(const uint32_t *depth, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < n; v++)
        count += depth[v] != GPUGRAPH_NONE;
    return count;
}

/* The checked list has only targets. */
static bool targets_alone;

/* edge NULL: checks only depths. */
static void check_found(const shape *s, const gpugraph_search *search,
                        const struct answer *right, const uint32_t *depth,
                        const uint32_t *edge, const char *how) {
    uint32_t n = s->vertices, deepest = 0, nearest_missing = GPUGRAPH_NONE;
    bool whole = search->target_count == 0 && search->limit == 0;
    for (uint32_t v = 0; v < n; v++) {
        bool wanted = right->depth[v] <= search->max_depth;
        if (depth[v] == GPUGRAPH_NONE) {
            expect(!edge || edge[v] == GPUGRAPH_NONE, "%s, %s: an edge to nowhere",
                   s->name, how);
            if (wanted && right->depth[v] < nearest_missing)
                nearest_missing = right->depth[v];
            continue;
        }
        deepest = depth[v] > deepest ? depth[v] : deepest;
        expect(!targets_alone || search_wants(search, v), "%s, %s: %u is no target",
               s->name, how, v);
        expect(wanted && depth[v] == right->depth[v], "%s, %s: depth %u of %u, not %u",
               s->name, how, depth[v], v, right->depth[v]);
        expect(!edge || edge[v] == right->edge[v], "%s, %s: edge %u to %u, not %u",
               s->name, how, edge ? edge[v] : 0, v, right->edge[v]);
    }
    if (whole)
        expect(nearest_missing == GPUGRAPH_NONE, "%s, %s: one is missing", s->name, how);
    expect(nearest_missing >= deepest || targets_alone,
           "%s, %s: depth %u is there, but not all of %u", s->name, how, deepest,
           nearest_missing);
    for (uint32_t i = 0; i < search->target_count && search->limit == 0; i++)
        expect(depth[search->target[i]] == right->depth[search->target[i]] ||
                   right->depth[search->target[i]] > search->max_depth,
               "%s, %s: target %u is missing", s->name, how, search->target[i]);
    uint32_t found = count_reached(depth, n), all = count_reached(right->depth, n);
    if (search->limit > 0 && search->target_count == 0 &&
        search->max_depth == GPUGRAPH_NONE)
        expect(found >= (search->limit < all ? search->limit : all),
               "%s, %s: %u found, limit %u", s->name, how, found,
               (uint32_t)search->limit);
}

static void check_roots(const shape *s, gpugraph_graph *graph,
                        const gpugraph_search *search, const uint32_t *depth,
                        uint32_t *edge) {
    uint32_t *root = malloc((s->vertices + 1) * sizeof *root);
    gpugraph_run run = {0};
    widen_edges(graph, edge, s->vertices);
    ck_assert_int_eq(gpugraph_roots(graph, search, &run, edge, root), GPUGRAPH_OK);
    narrow_edges(graph, edge, s->vertices);
    for (uint32_t v = 0; v < s->vertices; v++) {
        if (edge[v] != GPUGRAPH_NONE) {
            uint32_t up = gpugraph_other_end(graph, edge[v], v);
            expect(leads(s, edge[v], search->direction, up, v) && root[v] == root[up] &&
                       depth[up] + 1 == depth[v],
                   "%s: the chain of %u", s->name, v);
        } else {
            expect(root[v] == (depth[v] == 0 ? v : GPUGRAPH_NONE), "%s: root %u of %u",
                   s->name, root[v], v);
        }
    }
    free(root);
}

/* ---- what is found, as a list ---- */

enum { MANY_EDGES = 20000 };

/* Space for all vertices, and for arcs that lead to the same vertex. */
static uint32_t ample_room(const shape *s) {
    return s->vertices + (uint32_t)s->edges;
}

/* Returns the length of the list. GPUGRAPH_NONE: the caller must ask for arrays. */
static uint32_t check_list(const shape *s, gpugraph_graph *graph,
                           const gpugraph_search *search, const struct answer *right,
                           uint32_t room, bool tree, gpugraph_backend backend) {
    const uint32_t n = s->vertices;
    uint32_t *vertex = malloc((room + 1) * sizeof *vertex), count;
    uint32_t *listed = malloc((room + 1) * sizeof *listed);
    uint32_t *listed_edge = malloc((room + 1) * sizeof(uint64_t));
    uint32_t *depth = malloc((n + 1) * sizeof *depth);
    uint32_t *edge = malloc((n + 1) * sizeof *edge);
    gpugraph_run run = {.backend = backend};
    vertex[room] = listed[room] = 77;
    gpugraph_bfs_list(graph, search, &run, room, vertex, listed,
                      tree ? listed_edge : NULL, &count);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    expect(vertex[room] == 77 && listed[room] == 77, "%s: beyond the room", s->name);
    if (count != GPUGRAPH_NONE) {
        expect(count <= room, "%s: %u listed, room for %u", s->name, count, room);
        memset(depth, 0xff, n * sizeof *depth);
        memset(edge, 0xff, n * sizeof *edge);
        if (tree)
            narrow_edges(graph, listed_edge, count);
        for (uint32_t i = 0; i < count; i++) {
            expect(i == 0 || vertex[i] > vertex[i - 1], "%s: not ascending", s->name);
            depth[vertex[i]] = listed[i];
            edge[vertex[i]] = tree ? listed_edge[i] : right->edge[vertex[i]];
        }
        targets_alone = gg_is_for_targets(search, search->max_depth != GPUGRAPH_NONE);
        check_found(s, search, right, depth, edge,
                    backend == GPUGRAPH_CUDA
                        ? tree ? "device's list, tree" : "device's list"
                    : tree ? "list, tree"
                           : "list");
        targets_alone = false;
    }
    free(vertex);
    free(listed);
    free(listed_edge);
    free(depth);
    free(edge);
    return count;
}

/* Lists by a device, which makes them from its arrays. So a list equals the arrays, if
** there is space for it. */
static void check_device_lists(const shape *s, gpugraph_graph *graph,
                               const gpugraph_search *search,
                               const struct answer *right) {
    const bool asked = search->max_depth != GPUGRAPH_NONE || search->limit > 0 ||
                       search->target_count > 0;
    gg_limits.reached_least = 0;
    for (int tree = 0; tree < 2; tree++) {
        const uint32_t room = s->vertices + search->target_count;
        const uint32_t all =
            check_list(s, graph, search, right, room, tree, GPUGRAPH_CUDA);
        expect((all == GPUGRAPH_NONE) == !asked, "%s: %u on the device's list", s->name,
               all);
        if (!asked || search->limit > 0 || search->target_count > 0 || all == 0)
            continue; /* ties may be listed or not, and targets more than once */
        const uint32_t exact =
            check_list(s, graph, search, right, all, tree, GPUGRAPH_CUDA);
        expect(exact == all, "%s: %u on the device's list, then %u", s->name, all, exact);
        const uint32_t less =
            check_list(s, graph, search, right, all - 1, tree, GPUGRAPH_CUDA);
        expect(less == GPUGRAPH_NONE, "%s: %u of %u listed", s->name, less, all);
        expect(graph->known.lists_to_skip > 0, "%s: a list that is too long is no habit",
               s->name);
        graph->known.lists_to_skip = 0;
    }
}

static void check_lists(const shape *s, gpugraph_graph *graph,
                        const gpugraph_search *search, const struct answer *right) {
    const uint32_t few = 1 + (uint32_t)search->max_depth % 7;
    const gpugraph_backend by = GPUGRAPH_CPU;
    if (gpugraph_cuda_usable(NULL))
        check_device_lists(s, graph, search, right);
    gg_limits.path_prepare_after = 1; /* for trees of lists, too */
    uint32_t all = check_list(s, graph, search, right, ample_room(s), false, by);
    if (gg_is_for_targets(search, search->max_depth != GPUGRAPH_NONE)) {
        expect(all == GPUGRAPH_NONE, "%s: the CPU's list of targets", s->name);
        return;
    }
    expect(all != GPUGRAPH_NONE, "%s: no list though there is room", s->name);
    if (s->edges > MANY_EDGES) /* the rest does not depend on the size */
        return;
    all = check_list(s, graph, search, right, ample_room(s), true, by);
    expect(all != GPUGRAPH_NONE, "%s: no tree though the graph was searched", s->name);
    const uint32_t some = check_list(s, graph, search, right, few, true, by);
    expect(some == GPUGRAPH_NONE || some == all, "%s: %u listed, and %u", s->name, some,
           all);
    check_list(s, graph, search, right, s->vertices / 8, false, by);
}

/* One search by each available method. */
static void check_search(const shape *s, gpugraph_graph *graph,
                         const gpugraph_search *search) {
    uint32_t *depth = malloc((s->vertices + 1) * sizeof *depth);
    uint32_t *edge = malloc((s->vertices + 1) * sizeof(uint64_t));
    struct answer right;
    textbook(s, search, &right);
    const gpugraph_method *method;
    for (int i = 0; (method = gpugraph_method_at(i)) != NULL; i++) {
        bool cuda = strcmp(method->backend, "cuda") == 0;
        if (strcmp(method->function, "bfs") != 0 || (cuda && !gpugraph_cuda_usable(NULL)))
            continue;
        for (int threads = 1; threads <= (cuda ? 1 : 2); threads++) {
            gpugraph_run run = {.method = method->name,
                                .backend = cuda ? GPUGRAPH_CUDA : GPUGRAPH_CPU,
                                .threads = threads};
            gpugraph_bfs(graph, search, &run, depth, edge);
            ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
            narrow_edges(graph, edge, s->vertices);
            check_found(s, search, &right, depth, edge, method->name);
        }
    }
    check_roots(s, graph, search, depth, edge);
    check_lists(s, graph, search, &right);
    answer_free(&right);
    free(depth);
    free(edge);
}

/* A long path with a bunch of leaves now and then, both ways: frontiers are small for
** long, then have a long row. */
static shape broom(uint32_t length, uint32_t every, uint32_t leaves) {
    shape s = shape_path(length);
    s.name = "broom";
    for (uint32_t v = every; v < length; v += every)
        for (uint32_t i = 0; i < leaves; i++) {
            uint32_t leaf = s.vertices++;
            shape_add(&s, i % 2 ? v : leaf, i % 2 ? leaf : v);
        }
    return s;
}

/* ---- searches from many sources, each by itself ---- */

enum { MOST_SOURCES = 70 }; /* more than one batch */

static void check_each_by(const shape *s, gpugraph_graph *graph,
                          const gpugraph_search *search, const struct answer *right,
                          gpugraph_run *run) {
    uint32_t *depth[MOST_SOURCES] = {NULL}, count = search->source_count;
    void *edge[MOST_SOURCES] = {NULL};
    uint32_t *bare = malloc((s->vertices + 1) * sizeof *bare);
    for (uint32_t i = 0; i < count; i++) {
        depth[i] = malloc((s->vertices + 1) * sizeof **depth);
        edge[i] = malloc((s->vertices + 1) * sizeof(uint64_t));
    }
    gpugraph_bfs_each(graph, search, run, depth, edge);
    ck_assert_msg(run->status == GPUGRAPH_OK, "%s", run->message);
    gpugraph_search single = *search;
    single.source_count = 1;
    for (uint32_t i = 0; i < count; i++) {
        single.source = search->source + i;
        narrow_edges(graph, edge[i], s->vertices);
        check_found(s, &single, &right[i], depth[i], edge[i], run->used_method);
    }
    memcpy(bare, depth[count - 1], s->vertices * sizeof *bare);
    gpugraph_bfs_each(graph, search, run, depth, NULL);
    ck_assert_msg(run->status == GPUGRAPH_OK, "%s", run->message);
    expect(search->limit > 0 ||
               memcmp(bare, depth[count - 1], s->vertices * sizeof *bare) == 0,
           "%s: other depths without trees", s->name);
    for (uint32_t i = 0; i < count; i++) {
        free(depth[i]);
        free(edge[i]);
    }
    free(bare);
}

/* Methods of a device, which search from one source after the other, get one shape in
** ten. */
static bool one_by_one;

static void check_each_search(const shape *s, gpugraph_graph *graph,
                              const gpugraph_search *search) {
    struct answer right[MOST_SOURCES];
    const gpugraph_method *method;
    for (uint32_t i = 0; i < search->source_count; i++) {
        gpugraph_search single = *search;
        single.source += i;
        single.source_count = 1;
        textbook(s, &single, &right[i]);
    }
    gpugraph_run automatic = {.backend = GPUGRAPH_CPU};
    check_each_by(s, graph, search, right, &automatic);
    for (int i = 0; (method = gpugraph_method_at(i)) != NULL; i++) {
        bool cuda = strcmp(method->backend, "cuda") == 0;
        if (strcmp(method->function, "bfs") != 0 || (cuda && !gpugraph_cuda_usable(NULL)))
            continue;
        if (cuda && !one_by_one)
            continue;
        gpugraph_run run = {.method = method->name,
                            .backend = cuda ? GPUGRAPH_CUDA : GPUGRAPH_CPU,
                            .threads = 1 + i % 2};
        check_each_by(s, graph, search, right, &run);
    }
    for (uint32_t i = 0; i < search->source_count; i++)
        answer_free(&right[i]);
}

/* Searches from up to `most` sources, some of them equal. */
static void check_each(const shape *s, uint32_t most, uint64_t seed) {
    gpugraph_graph *graph = shape_graph(s);
    uint32_t source[MOST_SOURCES], target[2];
    for (uint32_t i = 0; i < most; i++)
        source[i] =
            i % 7 == 3 ? source[i - 1] : (uint32_t)(shape_random(&seed) % s->vertices);
    for (int i = 0; i < 2; i++)
        target[i] = (uint32_t)(shape_random(&seed) % s->vertices);
    for (int direction = GPUGRAPH_OUT; direction <= GPUGRAPH_BOTH; direction++) {
        gpugraph_search search = {.source = source,
                                  .source_count = most,
                                  .direction = (gpugraph_direction)direction,
                                  .max_depth = GPUGRAPH_NONE};
        check_each_search(s, graph, &search);
        search.source_count = (uint32_t)(shape_random(&seed) % most) + 1;
        search.max_depth = (uint32_t)(shape_random(&seed) % 4);
        check_each_search(s, graph, &search);
        search.max_depth = GPUGRAPH_NONE;
        search.limit = shape_random(&seed) % (s->vertices + 1) + 1;
        check_each_search(s, graph, &search);
        search.limit = 0;
        search.target = target;
        search.target_count = 1 + (uint32_t)direction % 2;
        check_each_search(s, graph, &search);
    }
    gpugraph_free(graph);
}

START_TEST(each_of_many_sources) {
    uint64_t seed = 11;
    for (int i = 0; i < 100; i++) {
        uint32_t n = (uint32_t)(shape_random(&seed) % 90) + 1;
        shape s = shape_random_edges(n, (int64_t)(shape_random(&seed) % (6 * n)), seed);
        one_by_one = i % 10 == 0;
        if (!left_out((uint64_t)i))
            check_each(&s, MOST_SOURCES, seed);
        shape_free(&s);
    }
}
END_TEST

enum { LARGE_EACH = 5 };

static shape large_each(int i) {
    switch (i) {
    case 0:
        return shape_rmat(12, 12, 5);
    case 1:
        return shape_grid(60, 100);
    case 2:
        return shape_random_edges(30000 / SANITIZED_PART, 200000 / SANITIZED_PART, 8);
    case 3:
        return broom(1500 / SANITIZED_PART, 40, 100);
    default:
        return shape_path(700);
    }
}

START_TEST(each_of_many_sources_of_large_shapes) {
    shape s = large_each(_i);
    one_by_one = true;
    shape_renumber(&s, (uint64_t)_i);
    shape_shuffle(&s, (uint64_t)_i);
    check_each(&s, 9, (uint64_t)_i);
    shape_free(&s);
}
END_TEST

/* ---- the cases ---- */

static void check_shape(const shape *s, uint64_t seed) {
    gpugraph_graph *graph = shape_graph(s);
    for (int direction = GPUGRAPH_OUT; direction <= GPUGRAPH_BOTH; direction++) {
        uint32_t source[3], target[2];
        for (int i = 0; i < 3; i++)
            source[i] = (uint32_t)(shape_random(&seed) % s->vertices);
        for (int i = 0; i < 2; i++)
            target[i] = (uint32_t)(shape_random(&seed) % s->vertices);
        gpugraph_search search = {.source = source,
                                  .source_count = 1,
                                  .direction = (gpugraph_direction)direction,
                                  .max_depth = GPUGRAPH_NONE};
        check_search(s, graph, &search);
        search.source_count = 3;
        check_search(s, graph, &search);
        source[2] = source[0];
        search.max_depth = (uint32_t)(shape_random(&seed) % 4);
        check_search(s, graph, &search);
        search.max_depth = GPUGRAPH_NONE;
        search.limit = shape_random(&seed) % (s->vertices + 1) + 1;
        check_search(s, graph, &search);
        search.limit = 0;
        search.target = target;
        search.target_count = 1;
        check_search(s, graph, &search);
        search.target_count = 2;
        search.max_depth = 5;
        check_search(s, graph, &search);
    }
    gpugraph_free(graph);
}

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            if (s.vertices > 0 && !left_out(seed + (uint64_t)i))
                check_shape(&s, seed);
            shape_free(&s);
        }
}
END_TEST

START_TEST(random_shapes) {
    uint64_t seed = 7;
    for (int i = 0; i < 300; i++) {
        uint32_t n = (uint32_t)(shape_random(&seed) % 70) + 1;
        shape s = shape_random_edges(n, (int64_t)(shape_random(&seed) % (3 * n)), seed);
        if (!left_out((uint64_t)i))
            check_shape(&s, seed);
        shape_free(&s);
    }
}
END_TEST

/* Large enough for several threads and for bottom-up levels. */
enum { LARGE_SHAPES = 7 };

static shape large_shape(int i) {
    switch (i) {
    case 0:
        return shape_grid(200, 300 / SANITIZED_PART);
    case 1:
        return shape_star(60000 / SANITIZED_PART);
    case 2:
        return shape_rmat(SANITIZED_PART > 1 ? 11 : 13, 12, 5);
    case 3:
        return shape_beside("grid and rmat", shape_grid(150, 150 / SANITIZED_PART),
                            shape_rmat(12, 16, 6));
    case 4:
        return broom(3000 / SANITIZED_PART, 40, 300);
    case 5:
        return shape_random_edges(30000 / SANITIZED_PART, 200000 / SANITIZED_PART, 8);
    default:
        return shape_comb(4000 / SANITIZED_PART, 25);
    }
}

START_TEST(large_shapes) {
    shape s = large_shape(_i);
    shape_renumber(&s, (uint64_t)_i);
    shape_shuffle(&s, (uint64_t)_i);
    check_shape(&s, (uint64_t)_i);
    shape_free(&s);
}
END_TEST

/* A source, 2,000 vertices behind it, and 40 vertices with an arc from each of these. The
** first arcs of their rows come from the 1,000 vertices that lie behind them. */
static shape late_arcs(void) {
    enum { BACK = 1000, FRONT = 2000, MIDDLE = 40, SOURCE = BACK + FRONT + MIDDLE };
    shape s = shape_empty(SOURCE + 1);
    for (uint32_t v = BACK; v < BACK + FRONT; v++) {
        shape_add(&s, SOURCE, v);
        for (uint32_t w = BACK + FRONT; w < SOURCE; w++)
            shape_add(&s, v, w);
    }
    for (uint32_t v = 0; v < BACK; v++)
        for (uint32_t w = BACK + FRONT; w < SOURCE; w++) {
            shape_add(&s, v, w);
            shape_add(&s, w, v);
        }
    return s;
}

/* Edges in the order of their ends: a tree can then be read off the rows. */
START_TEST(edges_in_order) {
    shape shapes[] = {shape_rmat(12, 16, 3),
                      shape_rmat(9, 40, 4),
                      shape_star(3000),
                      shape_random_edges(60, 4000, 5),
                      shape_random_edges(9, 60, 6),
                      shape_complete(150),
                      broom(30, 40, 300)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shape_renumber(&shapes[i], i);
        shape_sort(&shapes[i]);
        check_shape(&shapes[i], i);
        shape_free(&shapes[i]);
    }
    shape late = late_arcs();
    shape_sort(&late);
    gpugraph_graph *graph = shape_graph(&late);
    uint32_t source = late.vertices - 1;
    gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    check_search(&late, graph, &search);
    gpugraph_free(graph);
    shape_free(&late);
}
END_TEST

/* A million levels: no step may cost more than its share of a level. */
START_TEST(long_path) {
    shape s = shape_path(1000000 / SANITIZED_PART);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t source = 0;
    gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    check_search(&s, graph, &search);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

static int always(void *listener) {
    (void)listener;
    return 1;
}

START_TEST(interrupt_leaves_a_usable_graph) {
    shape s = shape_rmat(14, 16, 1);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t *depth = malloc(s.vertices * sizeof *depth);
    uint32_t source = (uint32_t)s.source[0];
    gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    gpugraph_run run = {.interrupted = always, .backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_bfs(graph, &search, &run, depth, NULL),
                     GPUGRAPH_INTERRUPTED);
    run.method = "multi-source";
    ck_assert_int_eq(gpugraph_bfs_each(graph, &search, &run, &depth, NULL),
                     GPUGRAPH_INTERRUPTED);
    check_search(&s, graph, &search);
    run.method = NULL; /* rows exist: only the search counts */
    uint32_t *vertex = malloc(ample_room(&s) * sizeof *vertex), count = 0;
    uint32_t *listed = malloc(ample_room(&s) * sizeof *listed);
    ck_assert_int_eq(gpugraph_bfs_list(graph, &search, &run, ample_room(&s), vertex,
                                       listed, NULL, &count),
                     GPUGRAPH_INTERRUPTED);
    ck_assert_uint_eq(count, GPUGRAPH_NONE);
    check_search(&s, graph, &search);
    free(vertex);
    free(listed);
    free(depth);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

START_TEST(wrong_arguments) {
    shape s = shape_path(5);
    gpugraph_graph *graph = shape_graph(&s);
    uint32_t depth[5], source[] = {0, 5}, target = 7;
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_search search = {.source = source, .max_depth = GPUGRAPH_NONE};
    ck_assert_int_eq(gpugraph_bfs(graph, &search, &run, depth, NULL), GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "source_count"));
    uint32_t vertex[5], count;
    ck_assert_int_eq(
        gpugraph_bfs_list(graph, &search, &run, 5, vertex, depth, NULL, &count),
        GPUGRAPH_INVALID);
    ck_assert_int_eq(gpugraph_bfs_each(graph, &search, &run, NULL, NULL),
                     GPUGRAPH_INVALID);
    search.source_count = 2;
    ck_assert_int_eq(gpugraph_bfs(graph, &search, &run, depth, NULL), GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "source number 1 is vertex number 5"));
    search.source_count = 1;
    search.target = &target;
    search.target_count = 1;
    ck_assert_int_eq(gpugraph_bfs(graph, &search, &run, depth, NULL), GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "target number 0"));
    search.target_count = 0;
    search.direction = (gpugraph_direction)3;
    ck_assert_int_eq(gpugraph_bfs(graph, &search, &run, depth, NULL), GPUGRAPH_INVALID);
    search.direction = GPUGRAPH_OUT;
    run.method = "sideways";
    ck_assert_int_eq(gpugraph_bfs(graph, &search, &run, depth, NULL), GPUGRAPH_INVALID);
    run.method = NULL;
    ck_assert_int_eq(gpugraph_bfs(graph, &search, &run, depth, NULL), GPUGRAPH_OK);
    ck_assert_uint_eq(depth[4], 4);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* Three searches by the choice of "auto" on a device. If the graph is its own transpose,
** even the first search is bottom-up. */
static void check_auto(const shape *s, gpugraph_direction direction, const char *first) {
    gpugraph_graph *graph = shape_graph(s);
    uint32_t *depth = malloc(s->vertices * sizeof *depth);
    uint32_t *edge = malloc(s->vertices * sizeof(uint64_t));
    for (uint32_t source = 0; source < 3; source++) {
        gpugraph_search search = {.source = &source,
                                  .source_count = 1,
                                  .direction = direction,
                                  .max_depth = GPUGRAPH_NONE};
        gpugraph_run run = {.backend = GPUGRAPH_CUDA};
        struct answer right;
        textbook(s, &search, &right);
        gpugraph_bfs(graph, &search, &run, depth, edge);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        narrow_edges(graph, edge, s->vertices);
        check_found(s, &search, &right, depth, edge, "auto");
        if (source == 0)
            ck_assert_str_eq(run.used_method, first);
        answer_free(&right);
    }
    free(depth);
    free(edge);
    gpugraph_free(graph);
}

/* Pairs by a hash, each both ways and in order. Then the same without one arc: such a
** graph must not be searched bottom-up by its own rows. */
START_TEST(own_transpose) {
    const uint32_t n = 600;
    if (!gpugraph_cuda_usable(NULL))
        return;
    for (uint32_t lost = 0; lost < 4; lost++) {
        shape s = shape_empty(n);
        bool whole = lost == 0;
        s.name = whole ? "both ways" : "one arc missing";
        for (uint32_t u = 0; u < n; u++) {
            for (uint32_t v = 0; v < n; v++) {
                uint64_t pair = u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
                if (u == v || shape_random(&pair) % 40 != 0)
                    continue;
                if (whole || v > u || u < lost * 100)
                    shape_add(&s, u, v);
                else
                    whole = true;
            }
        }
        check_auto(&s, GPUGRAPH_OUT, lost ? "persistent" : "direction-optimizing");
        check_auto(&s, GPUGRAPH_BOTH, "direction-optimizing");
        shape_free(&s);
    }
}
END_TEST

const struct suite suite = {
    "bfs",
    {{"bfs", .timeout = 240,
      .cases = {{&large_shapes, LARGE_SHAPES},
                {&edges_in_order},
                {&each_of_many_sources},
                {&each_of_many_sources_of_large_shapes, LARGE_EACH},
                {&long_path},
                {&own_transpose},
                {&interrupt_leaves_a_usable_graph}}},
     {"no thread", .tags = "serial", .timeout = 240,
      .cases = {{&small_shapes}, {&random_shapes}, {&wrong_arguments}}}},
};
