/* Compares depth-first search with a walk that looks through all edges at each step, and
** checks the properties of every search tree. */
/* ctest: wide=0 long */
#include "tree/tree.h"
#include "edge_numbers.h"
#include "expect.h"
#include "suite.h"
#include "share.h"
#include "graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 1000000 / SANITIZED_PART };

static const gpugraph_direction directions[] = {GPUGRAPH_OUT, GPUGRAPH_IN, GPUGRAPH_BOTH};

/* ---- trees ---- */

static uint32_t *entries(uint32_t n) {
    uint32_t *array = malloc(((size_t)n + 1) * sizeof(uint64_t));
    ck_assert_ptr_nonnull(array);
    memset(array, 0x55, ((size_t)n + 1) * sizeof(uint64_t));
    return array;
}

/* Tree edges with 32 bits. */
static uint32_t *edges_of(const gpugraph_dfs_tree *tree) {
    return tree->tree_edge;
}

static gpugraph_dfs_tree tree_new(uint32_t n) {
    return (gpugraph_dfs_tree){entries(n), entries(n), entries(n), entries(n),
                               entries(n)};
}

static void tree_free(gpugraph_dfs_tree *tree) {
    free(tree->depth);
    free(tree->parent);
    free(tree->tree_edge);
    free(tree->preorder);
    free(tree->postorder);
}

static void same(const char *what, const shape *s, const uint32_t *got,
                 const uint32_t *wanted) {
    for (uint32_t v = 0; v < s->vertices; v++)
        expect(got[v] == wanted[v], "%s: %s of vertex %u is %u, not %u", s->name, what, v,
               got[v], wanted[v]);
}

/* ---- the oracle ---- */

/* The vertex that edge e leads to from v, or GPUGRAPH_NONE. */
static uint32_t along(const shape *s, int64_t e, uint32_t v,
                      gpugraph_direction direction) {
    if (direction != GPUGRAPH_IN && s->source[e] == v)
        return (uint32_t)s->target[e];
    if (direction != GPUGRAPH_OUT && s->target[e] == v)
        return (uint32_t)s->source[e];
    return GPUGRAPH_NONE;
}

static uint32_t smallest_edge(const shape *s, uint32_t from, uint32_t to,
                              gpugraph_direction direction) {
    for (int64_t e = 0; e < s->edges; e++)
        if ((direction != GPUGRAPH_IN && s->source[e] == from && s->target[e] == to) ||
            (direction != GPUGRAPH_OUT && s->target[e] == from && s->source[e] == to))
            return (uint32_t)e;
    return GPUGRAPH_NONE;
}

/* Goes from the current vertex to its smallest neighbour without a depth, or back. */
static void walk(const shape *s, uint32_t root, gpugraph_direction direction,
                 const gpugraph_dfs_tree *tree, uint32_t *entered, uint32_t *finished) {
    tree->depth[root] = 0;
    tree->preorder[root] = (*entered)++;
    for (uint32_t at = root; at != GPUGRAPH_NONE;) {
        uint32_t next = GPUGRAPH_NONE;
        for (int64_t e = 0; e < s->edges; e++) {
            uint32_t to = along(s, e, at, direction);
            if (to < next && tree->depth[to] == GPUGRAPH_NONE)
                next = to;
        }
        if (next == GPUGRAPH_NONE) {
            tree->postorder[at] = (*finished)++;
            at = tree->parent[at];
            continue;
        }
        tree->depth[next] = tree->depth[at] + 1;
        tree->parent[next] = at;
        edges_of(tree)[next] = smallest_edge(s, at, next, direction);
        tree->preorder[next] = (*entered)++;
        at = next;
    }
}

static gpugraph_dfs_tree lexicographic(const shape *s, uint32_t source,
                                       gpugraph_direction direction) {
    gpugraph_dfs_tree tree = tree_new(s->vertices);
    uint32_t entered = 0, finished = 0;
    size_t bytes = s->vertices * sizeof(uint32_t);
    memset(tree.depth, 0xff, bytes);
    memset(tree.parent, 0xff, bytes);
    memset(tree.tree_edge, 0xff, bytes);
    memset(tree.preorder, 0xff, bytes);
    memset(tree.postorder, 0xff, bytes);
    if (source != GPUGRAPH_NONE)
        walk(s, source, direction, &tree, &entered, &finished);
    for (uint32_t v = 0; source == GPUGRAPH_NONE && v < s->vertices; v++)
        if (tree.depth[v] == GPUGRAPH_NONE)
            walk(s, v, direction, &tree, &entered, &finished);
    return tree;
}

/* ---- properties of every tree ---- */

/* The size of each subtree with its root, counted by a walk up from each vertex. */
static uint32_t *subtree_sizes(const shape *s, const gpugraph_dfs_tree *tree) {
    uint32_t *size = entries(s->vertices);
    memset(size, 0, s->vertices * sizeof *size);
    for (uint32_t v = 0; v < s->vertices; v++)
        if (tree->depth[v] != GPUGRAPH_NONE)
            for (uint32_t up = v; up != GPUGRAPH_NONE; up = tree->parent[up])
                size[up]++;
    return size;
}

static void check_permutation(const char *what, const shape *s, const uint32_t *depth,
                              const uint32_t *number, uint32_t reached) {
    uint8_t *seen = calloc((size_t)s->vertices + 1, 1);
    for (uint32_t v = 0; v < s->vertices; v++) {
        if (depth[v] == GPUGRAPH_NONE) {
            expect(number[v] == GPUGRAPH_NONE, "%s: %s of vertex %u, not reached",
                   s->name, what, v);
            continue;
        }
        expect(number[v] < reached && !seen[number[v]], "%s: %s of vertex %u", s->name,
               what, v);
        seen[number[v]] = 1;
    }
    free(seen);
}

/* Subtrees are nested intervals of preorder, and postorder is that of the same walk. */
static void check_numbers(const shape *s, const gpugraph_dfs_tree *tree,
                          uint32_t reached) {
    uint32_t *size = subtree_sizes(s, tree);
    check_permutation("preorder", s, tree->depth, tree->preorder, reached);
    check_permutation("postorder", s, tree->depth, tree->postorder, reached);
    for (uint32_t v = 0; v < s->vertices; v++) {
        uint32_t up = tree->parent[v];
        if (tree->depth[v] == GPUGRAPH_NONE)
            continue;
        expect(tree->postorder[v] == tree->preorder[v] - tree->depth[v] + size[v] - 1,
               "%s: postorder of vertex %u", s->name, v);
        if (up == GPUGRAPH_NONE)
            continue;
        expect(tree->preorder[v] > tree->preorder[up] &&
                   tree->preorder[v] + size[v] <= tree->preorder[up] + size[up],
               "%s: preorder of vertex %u", s->name, v);
    }
    free(size);
}

/* Checks that the tree has the vertices of the oracle's tree, and that an edge leads from
** the parent of each vertex, which is one step higher. A forest of undirected edges has
** as many trees as components. */
static void check_any_tree(const shape *s, uint32_t source, gpugraph_direction direction,
                           const gpugraph_dfs_tree *tree,
                           const gpugraph_dfs_tree *oracle) {
    uint32_t reached = 0, roots = 0, oracle_roots = 0;
    for (uint32_t v = 0; v < s->vertices; v++) {
        uint32_t up = tree->parent[v];
        expect((tree->depth[v] == GPUGRAPH_NONE) == (oracle->depth[v] == GPUGRAPH_NONE),
               "%s: vertex %u is %sreached", s->name, v,
               tree->depth[v] == GPUGRAPH_NONE ? "not " : "");
        reached += tree->depth[v] != GPUGRAPH_NONE;
        oracle_roots += oracle->depth[v] == 0;
        if (tree->depth[v] == 0 || tree->depth[v] == GPUGRAPH_NONE) {
            roots += tree->depth[v] == 0;
            expect(up == GPUGRAPH_NONE, "%s: parent of root %u", s->name, v);
            expect(edges_of(tree)[v] == GPUGRAPH_NONE, "%s: edge of root %u", s->name, v);
            continue;
        }
        expect(up < s->vertices, "%s: parent of vertex %u", s->name, v);
        expect(tree->depth[v] == tree->depth[up] + 1, "%s: depth of vertex %u", s->name,
               v);
        expect(edges_of(tree)[v] != GPUGRAPH_NONE &&
                   edges_of(tree)[v] == smallest_edge(s, up, v, direction),
               "%s: edge of vertex %u", s->name, v);
    }
    if (source != GPUGRAPH_NONE)
        ck_assert_uint_eq(tree->depth[source], 0);
    if (source != GPUGRAPH_NONE || direction == GPUGRAPH_BOTH)
        ck_assert_uint_eq(roots, oracle_roots);
    check_numbers(s, tree, reached);
}

/* ---- tests ---- */

static void search(gpugraph_graph *graph, uint32_t source, bool ordered,
                   gpugraph_direction direction, const char *method,
                   gpugraph_backend backend, int threads, const gpugraph_dfs_tree *tree) {
    gpugraph_run run = {.method = method, .backend = backend, .threads = threads};
    gpugraph_dfs(graph, source, ordered, direction, &run, tree);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    if (tree->tree_edge)
        narrow_edges(graph, tree->tree_edge, gpugraph_vertex_count(graph));
}

static void check_shape(const shape *s, uint32_t source, gpugraph_direction direction) {
    gpugraph_graph *graph = shape_graph(s);
    gpugraph_dfs_tree oracle = lexicographic(s, source, direction);
    gpugraph_dfs_tree tree = tree_new(s->vertices);
    search(graph, source, true, direction, NULL, GPUGRAPH_AUTO, 2, &tree);
    same("depth", s, tree.depth, oracle.depth);
    same("parent", s, tree.parent, oracle.parent);
    same("tree edge", s, tree.tree_edge, oracle.tree_edge);
    same("preorder", s, tree.preorder, oracle.preorder);
    same("postorder", s, tree.postorder, oracle.postorder);
    search(graph, source, true, direction, "serial", GPUGRAPH_CPU, 1,
           &(gpugraph_dfs_tree){.depth = tree.depth, .parent = tree.parent});
    same("parent", s, tree.parent, oracle.parent);
    gpugraph_run run = {0};
    gg_number_tree(graph, &run, oracle.parent, oracle.depth, tree.preorder,
                   tree.postorder);
    same("preorder", s, tree.preorder, oracle.preorder);
    same("postorder", s, tree.postorder, oracle.postorder);
    const gpugraph_method *method;
    for (int i = 0; (method = gpugraph_method_at(i)) != NULL; i++) {
        bool cuda = strcmp(method->backend, "cuda") == 0;
        if (strcmp(method->function, "dfs") != 0 || (cuda && !gpugraph_cuda_usable(NULL)))
            continue;
        for (int threads = 1; threads <= 4; threads *= 2) {
            search(graph, source, false, direction, method->name,
                   cuda ? GPUGRAPH_CUDA : GPUGRAPH_CPU, threads, &tree);
            check_any_tree(s, source, direction, &tree, &oracle);
        }
    }
    tree_free(&tree);
    tree_free(&oracle);
    gpugraph_free(graph);
}

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            for (int d = 0; d < 3 && !left_out_of(seed + (uint64_t)i, 3); d++) {
                check_shape(&s, GPUGRAPH_NONE, directions[d]);
                for (uint32_t v = 0; v < s.vertices; v += 1 + s.vertices / 3)
                    check_shape(&s, v, directions[d]);
            }
            shape_free(&s);
        }
}
END_TEST

/* Checks a graph that is large enough for several workers, edge by edge. */
static void check_large_by(const shape *s, uint32_t source, gpugraph_direction direction,
                           const char *method, gpugraph_backend backend, int threads) {
    uint32_t n = s->vertices, reached = 0, serial = 0;
    gpugraph_graph *graph = shape_graph(s);
    gpugraph_dfs_tree tree = tree_new(n);
    search(graph, source, true, direction, NULL, GPUGRAPH_CPU, 1, &tree);
    for (uint32_t v = 0; v < n; v++)
        serial += tree.depth[v] != GPUGRAPH_NONE;
    search(graph, source, false, direction, method, backend, threads, &tree);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t e = edges_of(&tree)[v], up = tree.parent[v];
        if (tree.depth[v] == GPUGRAPH_NONE)
            continue;
        reached++;
        if (tree.depth[v] == 0) {
            expect(source == GPUGRAPH_NONE || source == v, "%s: root %u", s->name, v);
            continue;
        }
        expect(tree.depth[v] == tree.depth[up] + 1, "%s: depth of %u", s->name, v);
        expect(along(s, e, up, direction) == v, "%s: edge of %u", s->name, v);
    }
    ck_assert_uint_eq(reached, serial);
    check_permutation("preorder", s, tree.depth, tree.preorder, reached);
    check_permutation("postorder", s, tree.depth, tree.postorder, reached);
    gpugraph_dfs_tree walked = tree_new(n);
    gpugraph_run run = {0};
    gg_number_tree(graph, &run, tree.parent, tree.depth, walked.preorder,
                   walked.postorder);
    same("preorder", s, tree.preorder, walked.preorder);
    same("postorder", s, tree.postorder, walked.postorder);
    tree_free(&walked);
    tree_free(&tree);
    gpugraph_free(graph);
}

static void check_large(const shape *s, uint32_t source, gpugraph_direction direction,
                        int threads) {
    check_large_by(s, source, direction, "work-stealing", GPUGRAPH_CPU, threads);
}

static void check_on_device(const shape *s, uint32_t source,
                            gpugraph_direction direction) {
    const gpugraph_method *method;
    for (int i = 0; (method = gpugraph_method_at(i)) != NULL; i++)
        if (strcmp(method->function, "dfs") == 0 && strcmp(method->backend, "cuda") == 0)
            check_large_by(s, source, direction, method->name, GPUGRAPH_CUDA, 1);
    const uint32_t usual = gg_limits.paths_ahead_degree,
                   never_and_always[] = {0, UINT32_MAX};
    for (int i = 0; i < 2; i++) {
        gg_limits.paths_ahead_degree = never_and_always[i];
        check_large_by(s, source, direction, "many-paths", GPUGRAPH_CUDA, 1);
    }
    gg_limits.paths_ahead_degree = usual;
}

enum { LARGE_SHAPES = 10 };

static shape large_shape(int i) {
    switch (i) {
    case 0:
        return shape_path(LARGE);
    case 1:
        return shape_star(LARGE);
    case 2:
        return shape_comb(LARGE / 4, 2);
    case 3:
        return shape_binary_tree(SANITIZED_PART > 1 ? 13 : 16);
    case 4:
        return shape_grid(300, 300 / SANITIZED_PART);
    case 5:
        return shape_rmat(SANITIZED_PART > 1 ? 12 : 15, 8, 7);
    case 6:
        return shape_empty(LARGE / 2);
    case 7:
        return shape_random_edges(LARGE / 8, LARGE / 8, 5);
    case 8:
        return shape_cycle(LARGE / 4);
    default:
        return shape_complete(400);
    }
}

START_TEST(large_shapes) {
    shape s = large_shape(_i);
    check_large(&s, 0, GPUGRAPH_OUT, 4);
    check_large(&s, s.vertices / 2, GPUGRAPH_BOTH, 2);
    check_large(&s, GPUGRAPH_NONE, GPUGRAPH_OUT, 2);
    check_large(&s, GPUGRAPH_NONE, GPUGRAPH_BOTH, 4);
    shape_free(&s);
}
END_TEST

/* The device also numbers these trees. A forest against directed arcs opens root after
** root, so there are few. */
START_TEST(on_device) {
    shape list[] = {
        shape_path(40000),    shape_star(LARGE),
        shape_comb(20000, 2), shape_binary_tree(15),
        shape_grid(250, 200), shape_rmat(15, 8, 7),
        shape_empty(40000),   shape_random_edges(50000, 50000, 5),
        shape_complete(400),
    };
    bool usable = gpugraph_cuda_usable(NULL);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (usable) {
            check_on_device(&list[i], 0, GPUGRAPH_BOTH);
            check_on_device(&list[i], list[i].vertices / 2, GPUGRAPH_OUT);
            check_on_device(&list[i], GPUGRAPH_NONE, GPUGRAPH_BOTH);
        }
        shape_free(&list[i]);
    }
    shape few = shape_rmat(9, 8, 2);
    if (usable)
        check_on_device(&few, GPUGRAPH_NONE, GPUGRAPH_OUT);
    shape_free(&few);
}
END_TEST

START_TEST(many_runs) {
    shape s = shape_rmat(10, 8, 3);
    for (int i = 0; i < 100; i++)
        if (!left_out_of((uint64_t)i, 7))
            check_large(&s, i % 2 ? GPUGRAPH_NONE : 1, directions[i % 3], 3);
    shape_free(&s);
}
END_TEST

START_TEST(arguments) {
    shape s = shape_path(3);
    gpugraph_graph *graph = shape_graph(&s);
    gpugraph_dfs_tree tree = tree_new(3);
    gpugraph_run run = {0};
    ck_assert_int_eq(gpugraph_dfs(graph, 3, false, GPUGRAPH_OUT, &run, &tree),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "source"));
    ck_assert_int_eq(gpugraph_dfs(graph, 0, false, (gpugraph_direction)3, &run, &tree),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "direction"));
    ck_assert_int_eq(gpugraph_dfs(graph, 0, false, GPUGRAPH_OUT, &run,
                                  &(gpugraph_dfs_tree){.parent = tree.parent}),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "depth"));
    run.method = "work-stealing";
    ck_assert_int_eq(gpugraph_dfs(graph, 0, true, GPUGRAPH_OUT, &run, &tree),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "'serial'"));
    run.method = "deepest";
    ck_assert_int_eq(gpugraph_dfs(graph, 0, false, GPUGRAPH_OUT, &run, &tree),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "work-stealing"));
    run.method = "auto";
    ck_assert_int_eq(gpugraph_dfs(graph, 0, true, GPUGRAPH_OUT, &run, &tree),
                     GPUGRAPH_OK);
    ck_assert_str_eq(run.used_method, "serial");
    ck_assert_str_eq(run.used_backend, "cpu");
    ck_assert_str_eq(run.method, "auto");
    tree_free(&tree);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

struct listener {
    int calls, stop_at;
    char phases[200];
};

static int count_down(void *data) {
    struct listener *l = data;
    return ++l->calls >= l->stop_at;
}

static void note_phase(void *data, const char *name, double ms, int64_t items,
                       const char *detail) {
    struct listener *l = data;
    size_t at = strlen(l->phases);
    ck_assert(ms >= 0 && items >= 0 && detail);
    snprintf(l->phases + at, sizeof l->phases - at, "%s ", name);
}

START_TEST(interrupts) {
    shape s = shape_rmat(14, 16, 9);
    gpugraph_graph *graph = shape_graph(&s);
    gpugraph_dfs_tree tree = tree_new(s.vertices);
    search(graph, 0, true, GPUGRAPH_BOTH, NULL, GPUGRAPH_CPU, 1, &tree);
    for (int threads = 1; threads <= 4; threads++) {
        struct listener l = {.stop_at = 1};
        gpugraph_run run = {.backend = GPUGRAPH_CPU,
                            .threads = threads,
                            .interrupted = count_down,
                            .listener = &l};
        run.method = threads == 1 ? "serial" : "work-stealing";
        ck_assert_int_eq(
            gpugraph_dfs(graph, GPUGRAPH_NONE, false, GPUGRAPH_BOTH, &run, &tree),
            GPUGRAPH_INTERRUPTED);
        ck_assert_str_ne(run.message, "");
        search(graph, 0, false, GPUGRAPH_BOTH, NULL, GPUGRAPH_CPU, threads, &tree);
    }
    tree_free(&tree);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

START_TEST(phases) {
    shape s = shape_grid(5, 5);
    gpugraph_graph *graph = shape_graph(&s);
    gpugraph_dfs_tree tree = tree_new(s.vertices);
    struct listener l = {0};
    gpugraph_run run = {.method = "work-stealing",
                        .backend = GPUGRAPH_CPU,
                        .threads = 2,
                        .phase = note_phase,
                        .listener = &l};
    gpugraph_dfs(graph, 0, false, GPUGRAPH_BOTH, &run, &tree);
    ck_assert_str_eq(l.phases, "csr search parents numbers ");
    l.phases[0] = 0;
    run.method = NULL;
    gpugraph_dfs(graph, 0, true, GPUGRAPH_BOTH, &run,
                 &(gpugraph_dfs_tree){.depth = tree.depth});
    ck_assert_ptr_nonnull(strstr(l.phases, "search"));
    ck_assert_ptr_null(strstr(l.phases, "parents"));
    tree_free(&tree);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "dfs",
    {{"dfs", .timeout = 250,
      .cases = {{&small_shapes},
                {&large_shapes, LARGE_SHAPES},
                {&on_device},
                {&many_runs},
                {&arguments},
                {&interrupts},
                {&phases}}}},
};
