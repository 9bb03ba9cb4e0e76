/* Every function and method polls for an interrupt often enough, whatever the shape of the graph: between
** two polls it enters at most MOST_BLOCKS basic blocks (support/blocks.h).
**
** The clock leaps whenever it is read (--wrap, in CMakeLists.txt), so that no poll is left out for coming
** too soon after the one before it. One thread runs: the only one that polls. */
#include "blocks.h"
#include "expect.h"
#include "graphs.h"
#include "leaping_clock.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 1 << 19 };

typedef struct world {
    const char *name;
    gpugraph_graph *graph;
    uint32_t n;
    uint64_t m;
    uint32_t far; /* a vertex that 0 reaches, far away */
    gpugraph_direction direction;
    uint32_t *source; /* one in each component */
    uint32_t sources;
    uint32_t *all; /* 0 .. n - 1 */
    void *result[6];
} world;

/* ---- shapes ---- */

static shape tiny_components(void) {
    shape s = shape_empty(EDGES / 2 * 3);
    s.name = "tiny components";
    for (uint32_t v = 0; v < s.vertices; v += 3) {
        shape_add(&s, v, v + 1);
        shape_add(&s, v + 1, v + 2);
    }
    return s;
}

static shape random_edges(void) {
    shape s = shape_random_edges(EDGES / 4, EDGES, 7);
    for (int64_t i = 0; i < s.edges; i++) { /* without a cycle, connected */
        const int64_t a = s.source[i], b = s.target[i];
        s.source[i] = a < b ? a : b;
        s.target[i] = a == b ? (a == s.vertices - 1 ? a : a + 1) : a < b ? b : a;
        if (s.source[i] == s.target[i])
            s.source[i]--;
    }
    for (uint32_t v = 1; v < s.vertices; v++)
        shape_add(&s, v - 1, v);
    s.name = "random";
    return s;
}

/* A row of all edges: searched along them, nothing else is. */
static shape huge_row(void) {
    shape s = shape_star(EDGES);
    s.name = "huge row";
    return s;
}

static shape ladder(uint32_t vertices) {
    shape s = shape_path(vertices);
    for (uint32_t v = 1; v < vertices; v++)
        shape_add(&s, v - 1, v);
    s.name = "ladder";
    return s;
}

/* Few vertices, so that a loop that counts these hardly polls. */
static shape dense(void) {
    shape s = shape_complete(1024);
    s.name = "dense";
    return s;
}

enum { CHAIN, HUGE_ROW, RANDOM, GRID, TINY, DENSE, LADDER, SHAPES };

static shape shape_at(int i) {
    switch (i) {
    case CHAIN:
        return shape_path(EDGES + 1);
    case HUGE_ROW:
        return huge_row();
    case RANDOM:
        return random_edges();
    case GRID:
        return shape_grid(512, 512);
    case TINY:
        return tiny_components();
    case DENSE:
        return dense();
    default:
        return ladder(1 << 14);
    }
}

static int64_t *weights_of(const shape *s) {
    int64_t *weight = malloc((size_t)s->edges * sizeof *weight);
    uint64_t state = 11;
    ck_assert_ptr_nonnull(weight);
    for (int64_t i = 0; i < s->edges; i++)
        weight[i] = 1 + (int64_t)(shape_random(&state) % 9);
    return weight;
}

static world make_world(int i) {
    shape s = shape_at(i);
    int64_t *weight = weights_of(&s);
    world w = {.name = s.name,
               .graph = shape_weighed(&s, false, weight, NULL),
               .n = s.vertices,
               .m = (uint64_t)s.edges,
               .far = s.vertices - 1,
               .direction = i == HUGE_ROW ? GPUGRAPH_OUT : GPUGRAPH_BOTH,
               .sources = 1};
    if (i == TINY) {
        w.far = 2;
        w.sources = w.n / 3;
    }
    w.source = calloc(w.sources, sizeof *w.source);
    w.all = calloc(w.n, sizeof *w.all);
    for (uint32_t k = 0; k < w.sources; k++)
        w.source[k] = 3 * k;
    for (uint32_t v = 0; v < w.n; v++)
        w.all[v] = v;
    for (int k = 0; k < 6; k++)
        w.result[k] = malloc((size_t)w.n * 8 + (1 << 20));
    free(weight);
    shape_free(&s);
    return w;
}

static void free_world(world *w) {
    gpugraph_free(w->graph);
    free(w->source);
    free(w->all);
    for (int k = 0; k < 6; k++)
        free(w->result[k]);
}

/* ---- calls ---- */

static gpugraph_search from_all_components(const world *w) {
    return (gpugraph_search){.source = w->source,
                             .source_count = w->sources,
                             .direction = w->direction,
                             .max_depth = GPUGRAPH_NONE};
}

static void ask_bfs(const world *w, gpugraph_run *run) {
    const gpugraph_search search = from_all_components(w);
    gpugraph_bfs(w->graph, &search, run, w->result[0], w->result[1]);
}

static void ask_sssp(const world *w, gpugraph_run *run) {
    const gpugraph_search search = from_all_components(w);
    gpugraph_sssp(w->graph, &search, run, w->result[0], w->result[1]);
}

static gpugraph_search to_far(const world *w) {
    return (gpugraph_search){.source = w->all,
                             .source_count = 1,
                             .target = &w->far,
                             .target_count = 1,
                             .max_depth = GPUGRAPH_NONE};
}

static void ask_path(const world *w, gpugraph_run *run) {
    const gpugraph_search search = to_far(w);
    uint32_t count;
    gpugraph_path(w->graph, &search, false, run, w->result[0], &count);
}

static void ask_path_by_weight(const world *w, gpugraph_run *run) {
    const gpugraph_search search = to_far(w);
    uint32_t count;
    gpugraph_path(w->graph, &search, true, run, w->result[0], &count);
}

static void ask_dfs(const world *w, gpugraph_run *run) {
    const gpugraph_dfs_tree tree = {w->result[0], w->result[1], w->result[2],
                                    w->result[3], w->result[4]};
    gpugraph_dfs(w->graph, GPUGRAPH_NONE, false, GPUGRAPH_OUT, run, &tree);
}

static void ask_ordered_dfs(const world *w, gpugraph_run *run) {
    const gpugraph_dfs_tree tree = {w->result[0], w->result[1], w->result[2],
                                    w->result[3], w->result[4]};
    gpugraph_dfs(w->graph, GPUGRAPH_NONE, true, GPUGRAPH_OUT, run, &tree);
}

static void ask_mis(const world *w, gpugraph_run *run) {
    gpugraph_mis(w->graph, GPUGRAPH_BY_DEGREE, 3, run, w->result[0]);
}

static void ask_triangles(const world *w, gpugraph_run *run) {
    uint64_t count;
    gpugraph_triangles(w->graph, run, &count);
}

static void ask_vertex_triangles(const world *w, gpugraph_run *run) {
    const gpugraph_triangle_counts counts = {w->result[0], w->result[1], w->result[2]};
    gpugraph_vertex_triangles(w->graph, GPUGRAPH_BOTH, run, &counts);
}

static void ask_directed_triangles(const world *w, gpugraph_run *run) {
    const gpugraph_triangle_counts counts = {w->result[0], w->result[1], w->result[2]};
    gpugraph_vertex_triangles(w->graph, GPUGRAPH_OUT, run, &counts);
}

static void ask_weak(const world *w, gpugraph_run *run) {
    gpugraph_components(w->graph, GPUGRAPH_WEAK, run, w->result[0]);
}

static void ask_strong(const world *w, gpugraph_run *run) {
    gpugraph_components(w->graph, GPUGRAPH_STRONG, run, w->result[0]);
}

enum { ITERATIONS = 4 };

static void ask_pagerank(const world *w, gpugraph_run *run) {
    const gpugraph_pagerank_options how = {
        .damping = 0.85, .iterations = ITERATIONS, .weighted = true};
    gpugraph_pagerank(w->graph, &how, run, w->result[0]);
}

static void ask_labels(const world *w, gpugraph_run *run) {
    gpugraph_label_propagation(w->graph, 1, GPUGRAPH_BOTH, run, w->result[0]);
}

static void ask_cores(const world *w, gpugraph_run *run) {
    gpugraph_cores(w->graph, run, w->result[0]);
}

static void ask_forest(const world *w, gpugraph_run *run) {
    uint32_t count;
    gpugraph_spanning_forest(w->graph, true, run, w->result[0], &count, w->result[1]);
}

static void ask_order(const world *w, gpugraph_run *run) {
    gpugraph_topological_order(w->graph, GPUGRAPH_OUT, run, w->result[0], w->result[1],
                               NULL);
}

static void ask_degrees(const world *w, gpugraph_run *run) {
    gpugraph_degrees(w->graph, GPUGRAPH_BOTH, run, w->result[0]);
}

/* Every path of the ladder has an edge for each of its steps. */
enum { PATHS = 100 };

static int take_path(void *context, const uint64_t *edge, uint64_t count) {
    (void)edge;
    *(uint64_t *)context += count;
    return 0;
}

static void paths_of(const world *w, bool weighted, gpugraph_run *run) {
    const gpugraph_search search = to_far(w);
    uint64_t steps = 0;
    gpugraph_paths(w->graph, &search, weighted, PATHS, run, take_path, &steps);
}

static void ask_paths(const world *w, gpugraph_run *run) {
    paths_of(w, false, run);
}

static void ask_paths_by_weight(const world *w, gpugraph_run *run) {
    paths_of(w, true, run);
}

/* Searches that end at once say nothing: from some vertices to one that is far from all of them. */
static uint32_t rows_of(const world *w) {
    const uint32_t rows = (1 << 21) / (uint32_t)w->m;
    return rows < 4 ? 4 : rows;
}

static void matrix_of(const world *w, bool weighted, gpugraph_run *run) {
    const gpugraph_search search = {.source = w->all,
                                    .source_count = rows_of(w),
                                    .target = w->all,
                                    .target_count = rows_of(w),
                                    .direction = GPUGRAPH_BOTH,
                                    .max_depth = GPUGRAPH_NONE};
    uint32_t *far = w->all + (w->n - rows_of(w));
    gpugraph_search apart = search;
    apart.target = far;
    void *cell = malloc((size_t)rows_of(w) * rows_of(w) * 8);
    gpugraph_matrix(w->graph, &apart, weighted, run, cell);
    free(cell);
}

static void ask_matrix(const world *w, gpugraph_run *run) {
    matrix_of(w, false, run);
}

static void ask_matrix_by_weight(const world *w, gpugraph_run *run) {
    matrix_of(w, true, run);
}

enum { EACH = 4 };

static void ask_each(const world *w, gpugraph_run *run) {
    gpugraph_search search = from_all_components(w);
    search.source = w->all;
    search.source_count = EACH;
    gpugraph_bfs_each(w->graph, &search, run, (uint32_t *const *)w->result, NULL);
}

static void ask_sssp_each(const world *w, gpugraph_run *run) {
    gpugraph_search search = from_all_components(w);
    search.source = w->all;
    search.source_count = EACH;
    gpugraph_sssp_each(w->graph, &search, run, w->result, NULL);
}

static void ask_roots(const world *w, gpugraph_run *run) {
    const gpugraph_search search = from_all_components(w);
    gpugraph_roots(w->graph, &search, run, w->result[1], w->result[2]);
}

static void ask_values_in_order(const world *w, gpugraph_run *run) {
    uint32_t count;
    gpugraph_order(GPUGRAPH_UINT32, w->result[0], w->n, run, w->result[2], &count);
}

static void ask_rest_of_tree(const world *w, gpugraph_run *run) {
    const gpugraph_dfs_tree tree = {w->result[0], w->result[1], w->result[2],
                                    w->result[3], w->result[4]};
    gpugraph_complete_tree(w->graph, GPUGRAPH_OUT, run, &tree);
}

static void ask_clone(const world *w, gpugraph_run *run) {
    gpugraph_graph *copy;
    gpugraph_clone(w->graph, run, &copy);
    gpugraph_free(copy);
}

typedef struct question {
    const char
        *function; /* as gpugraph_method_at says, or a name for what has no method */
    void (*ask)(const world *w, gpugraph_run *run);
} question;

static const question questions[] = {
    {"bfs", ask_bfs},
    {"sssp", ask_sssp},
    {"path", ask_path},
    {"path", ask_path_by_weight},
    {"dfs", ask_dfs},
    {"dfs", ask_ordered_dfs},
    {"complete tree", ask_rest_of_tree},
    {"mis", ask_mis},
    {"triangles", ask_triangles},
    {"vertex_triangles", ask_vertex_triangles},
    {"vertex_triangles", ask_directed_triangles},
    {"components", ask_weak},
    {"components", ask_strong},
    {"pagerank", ask_pagerank},
    {"label_propagation", ask_labels},
    {"cores", ask_cores},
    {"spanning_forest", ask_forest},
    {"topological_order", ask_order},
    {"degrees", ask_degrees},
    {"paths", ask_paths},
    {"paths", ask_paths_by_weight},
    {"matrix", ask_matrix},
    {"matrix", ask_matrix_by_weight},
    {"bfs each", ask_each},
    {"sssp each", ask_sssp_each},
    {"bfs", ask_bfs}, /* a tree for what follows */
    {"roots", ask_roots},
    {"order", ask_values_in_order},
    {"clone", ask_clone},
};

enum { QUESTIONS = sizeof questions / sizeof *questions };

/* ---- between two polls ---- */

/* Contracting a star takes a square of its edges: a call ends after that many polls. */
enum { MATRIX_POLLS = 500 };
static uint64_t polls, most_polls;

static int poll(void *unused) {
    (void)unused;
    blocks_end_gap();
    return ++polls == most_polls;
}

static void ask_one(const world *w, const question *q, const char *method,
                    const char *backend) {
    gpugraph_run run = {.threads = 1,
                        .method = method,
                        .backend =
                            strcmp(backend, "cpu") == 0 ? GPUGRAPH_CPU : GPUGRAPH_CUDA,
                        .interrupted = poll};
    polls = 0;
    most_polls = strcmp(q->function, "matrix") == 0 ? MATRIX_POLLS : 0;
    leaping = true;
    blocks_begin();
    q->ask(w, &run);
    const uint64_t longest = blocks_end();
    leaping = false;
    if (run.status == GPUGRAPH_INVALID) /* a method for another form of the function */
        return;
    expect(run.status == GPUGRAPH_OK || run.status == GPUGRAPH_INTERRUPTED,
           "%s, %s by %s: %s", w->name, q->function, method, run.message);
    expect(longest <= MOST_BLOCKS, "%s, %s by %s: %llu blocks without a poll", w->name,
           q->function, method, (unsigned long long)longest);
}

static bool present(const char *backend) {
    const char *backends = getenv("GPUGRAPH_TEST_BACKENDS");
    return strstr(backends ? backends : "cpu", backend) != NULL;
}

static void ask_by_all_methods(const world *w, const question *q) {
    const gpugraph_method *m;
    bool any = false;
    for (int i = 0; (m = gpugraph_method_at(i)); i++) {
        if (strcmp(m->function, q->function) != 0)
            continue;
        any = true;
        if (present(m->backend))
            ask_one(w, q, m->name, m->backend);
    }
    if (!any)
        ask_one(w, q, "auto", "cpu");
}

START_TEST(every_function_polls) {
    world w = make_world(_i);
    for (int i = 0; i < QUESTIONS; i++)
        ask_by_all_methods(&w, &questions[i]);
    free_world(&w);
}
END_TEST

/* ---- memory ---- */

/* Every limit that is too small ends the call, the next one that is not lets it through, and whatever the call
** has taken it has given back. */
static void raise_limits(const world *w, const question *q, const char *method) {
    for (int64_t limit = 1;; limit *= 4) {
        gpugraph_run run = {.threads = 2,
                            .method = method,
                            .backend = GPUGRAPH_CPU,
                            .host_memory_limit = limit};
        q->ask(w, &run);
        if (run.status == GPUGRAPH_INVALID)
            return;
        expect(run.status == GPUGRAPH_OK ||
                   (run.status == GPUGRAPH_HOST_MEMORY &&
                    strstr(run.message, "host_memory_limit is exhausted")),
               "%s, %s by %s, limit %lld: %s", w->name, q->function, method,
               (long long)limit, run.message);
        expect(run.host_memory == 0 && run.held == 0,
               "%s, %s by %s, limit %lld: %lld bytes are left", w->name, q->function,
               method, (long long)limit, (long long)run.held);
        if (run.status == GPUGRAPH_OK)
            return;
    }
}

START_TEST(every_function_keeps_to_a_limit) {
    const gpugraph_method *m;
    world w = make_world(DENSE);
    for (int k = 0; k < QUESTIONS; k++) {
        raise_limits(&w, &questions[k], "auto");
        for (int i = 0; (m = gpugraph_method_at(i)); i++)
            if (strcmp(m->function, questions[k].function) == 0 &&
                strcmp(m->backend, "cpu") == 0)
                raise_limits(&w, &questions[k], m->name);
    }
    free_world(&w);
}
END_TEST

const struct suite suite = {
    "polls",
    {{"polls", .timeout = 240,
      .cases = {{&every_function_polls, SHAPES}, {&every_function_keeps_to_a_limit}}}},
};
