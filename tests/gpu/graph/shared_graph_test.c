/* Several threads search one graph at a time.
**
**     thread 0   bfs  sssp  path  dfs  mis ...      in its own order
**     thread 1   mis  triangles  bfs  sssp ...
**     answers    those of one thread, from a copy of the graph for each question
**
** Every kind of rows is made during other searches, weights and order are added to rows
** that other threads read, and rows are freed when no thread reads them. */
#define _GNU_SOURCE
#include "graphs.h"
#include "graph/graph.h"

#include "expect.h"
#include "graph/copy.h"
#include "share.h"
#include "suite.h"
#include "workers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, QUESTIONS = 15, GRAPHS = 24 };

typedef struct shared {
    gpugraph_graph *graph;
    uint64_t answer[QUESTIONS], seed;
    int wrong; /* 1 + a question */
} shared;

static uint64_t sum_of(const void *array, size_t bytes) {
    const unsigned char *at = array;
    uint64_t sum = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ at[i]) * 1099511628211u;
    return sum;
}

static uint64_t ask_breadth(gpugraph_graph *graph, gpugraph_direction direction,
                            gpugraph_run *run, char *room) {
    const uint32_t n = gpugraph_vertex_count(graph), from[] = {1 % n, n / 2};
    gpugraph_search search = {.source = from,
                              .source_count = 2,
                              .direction = direction,
                              .max_depth = GPUGRAPH_NONE};
    size_t depths = n * sizeof(uint32_t);
    gpugraph_bfs(graph, &search, run, (uint32_t *)room, room + depths);
    return sum_of(room, depths + n * gpugraph_edge_size(graph));
}

static uint64_t ask_weights(gpugraph_graph *graph, gpugraph_direction direction,
                            gpugraph_run *run, char *room) {
    const uint32_t n = gpugraph_vertex_count(graph), from = n / 3;
    gpugraph_search search = {.source = &from, .source_count = 1, .direction = direction};
    size_t distances = n * sizeof(uint64_t);
    memset(room, 0, distances);
    gpugraph_sssp(graph, &search, run, room, room + distances);
    return sum_of(room, distances + n * gpugraph_edge_size(graph));
}

static uint64_t ask_path(gpugraph_graph *graph, bool weighted, gpugraph_run *run,
                         char *room) {
    const uint32_t n = gpugraph_vertex_count(graph), from = n / 3, to = n - 1;
    gpugraph_search search = {.source = &from,
                              .source_count = 1,
                              .target = &to,
                              .target_count = 1,
                              .max_depth = GPUGRAPH_NONE};
    uint32_t count;
    gpugraph_path(graph, &search, weighted, run, room, &count);
    size_t bytes = count == GPUGRAPH_NONE ? 0 : count * gpugraph_edge_size(graph);
    return sum_of(room, bytes) + count;
}

static uint64_t ask_depth(gpugraph_graph *graph, gpugraph_run *run, char *room) {
    const size_t array = gpugraph_vertex_count(graph) * sizeof(uint32_t);
    gpugraph_dfs_tree tree = {.depth = (uint32_t *)room,
                              .parent = (uint32_t *)(room + array),
                              .preorder = (uint32_t *)(room + 2 * array)};
    gpugraph_dfs(graph, GPUGRAPH_NONE, true, GPUGRAPH_BOTH, run, &tree);
    return sum_of(room, 3 * array);
}

static uint64_t ask_edges(gpugraph_graph *graph, gpugraph_run *run) {
    const void *edge;
    uint64_t count, sum = 0;
    for (uint32_t v = 0; v < gpugraph_vertex_count(graph) && v < 50; v++) {
        gpugraph_edges_from(graph, v, run, &edge, &count);
        sum = sum * 31 + sum_of(edge, count * gpugraph_edge_size(graph));
    }
    return sum;
}

static uint64_t ask_count(gpugraph_graph *graph, gpugraph_run *run) {
    uint64_t triangles = 0;
    gpugraph_triangles(graph, run, &triangles);
    return triangles;
}

static uint64_t ask_set(gpugraph_graph *graph, gpugraph_run *run, char *room) {
    gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, run, (uint8_t *)room);
    return sum_of(room, gpugraph_vertex_count(graph));
}

static uint64_t ask_degrees(gpugraph_graph *graph, gpugraph_run *run, char *room) {
    gpugraph_degrees(graph, GPUGRAPH_IN, run, (uint32_t *)room);
    return sum_of(room, gpugraph_vertex_count(graph) * sizeof(uint32_t));
}

/* Depths and trees of many sources, which are searched together. */
static uint64_t ask_each(gpugraph_graph *graph, gpugraph_run *run) {
    enum { SOURCES = 70 };
    const uint32_t n = gpugraph_vertex_count(graph);
    const size_t array = n * gpugraph_edge_size(graph);
    char *memory = malloc(2 * SOURCES * array);
    uint32_t source[SOURCES], *depth[SOURCES];
    void *tree[SOURCES];
    gpugraph_search search = {
        .source = source, .source_count = SOURCES, .max_depth = GPUGRAPH_NONE};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SOURCES; i++) {
        source[i] = i * 5 % n;
        depth[i] = (uint32_t *)(memory + 2 * i * array);
        tree[i] = memory + (2 * i + 1) * array;
    }
    gpugraph_bfs_each(graph, &search, run, depth, tree);
    for (uint32_t i = 0; i < SOURCES && !run->status; i++)
        sum = sum * 31 + sum_of(depth[i], n * sizeof **depth) + sum_of(tree[i], array);
    free(memory);
    return sum;
}

static uint64_t ask(gpugraph_graph *graph, int question, gpugraph_run *run, char *room) {
    switch (question) {
    case 0:
    case 1:
    case 2:
        return ask_breadth(graph, (gpugraph_direction)question, run, room);
    case 3:
    case 4:
    case 5:
        return ask_weights(graph, (gpugraph_direction)(question - 3), run, room);
    case 6:
    case 7:
        return ask_path(graph, question == 7, run, room);
    case 8:
        return ask_depth(graph, run, room);
    case 9:
        return ask_set(graph, run, room);
    case 10:
        return ask_count(graph, run);
    case 11:
        return ask_edges(graph, run);
    case 12:
        return ask_degrees(graph, run, room);
    case 13:
        return ask_each(graph, run);
    default:
        run->method = "bidirectional";
        return ask_path(graph, true, run, room);
    }
}

static void ask_all(void *memory, uint32_t number) {
    shared *s = memory;
    uint64_t random = s->seed * THREADS + number;
    char *room = malloc(3 * 8 * (size_t)gpugraph_vertex_count(s->graph));
    for (int i = 0; i < 2 * QUESTIONS; i++) {
        int question = (int)(shape_random(&random) % QUESTIONS);
        gpugraph_run run = {.threads = number % 2 ? 2 : 1, .backend = GPUGRAPH_CPU};
        int64_t host, device;
        if (ask(s->graph, question, &run, room) != s->answer[question] || run.status)
            __atomic_store_n(&s->wrong, 1 + question, __ATOMIC_RELAXED);
        gpugraph_memory(s->graph, &host, &device);
    }
    free(room);
}

/* A skewed graph, or a grid, with weights. */
static gpugraph_graph *draw(uint64_t seed) {
    shape s = seed % 3 == 0   ? shape_grid(30 + (uint32_t)seed, 40)
              : seed % 3 == 1 ? shape_rmat(9, 8, seed)
                              : shape_random_edges(800, 4000, seed);
    int64_t *weight = malloc((size_t)s.edges * sizeof *weight);
    for (int64_t e = 0; e < s.edges; e++)
        weight[e] = (int64_t)(shape_random(&seed) % 20 + 1);
    gpugraph_graph *graph = shape_weighed(&s, false, weight, NULL);
    free(weight);
    shape_free(&s);
    return graph;
}

static gpugraph_graph *copy_of(const gpugraph_graph *graph) {
    gpugraph_run run = {0};
    gpugraph_graph *copy;
    ck_assert_int_eq(gpugraph_clone(graph, &run, &copy), GPUGRAPH_OK);
    return copy;
}

static void find_answers(shared *s) {
    char *room = malloc(3 * 8 * (size_t)gpugraph_vertex_count(s->graph));
    for (int q = 0; q < QUESTIONS; q++) {
        gpugraph_graph *alone = copy_of(s->graph);
        gpugraph_run run = {.threads = 1, .backend = GPUGRAPH_CPU};
        s->answer[q] = ask(alone, q, &run, room);
        expect(run.status == GPUGRAPH_OK, "question %d: %s", q, run.message);
        gpugraph_free(alone);
    }
    free(room);
}

START_TEST(several_threads) {
    shared s = {.graph = NULL, .seed = (uint64_t)_i + 1};
    if (left_out((uint64_t)_i))
        return;
    gpugraph_graph *first = draw(s.seed);
    s.graph = copy_of(first);
    find_answers(&s);
    run_workers(THREADS, ask_all, &s, NULL, 0);
    expect(!s.wrong, "seed %d: question %d has another answer", _i, s.wrong - 1);
    expect(!s.graph->gate.retired && s.graph->gate.searching == 0,
           "seed %d: rows are held for nobody", _i);
    gpugraph_free(s.graph);
    gpugraph_free(first);
}
END_TEST

/* ---- device-resident edges ---- */

/* A stub that holds the edges of one graph in place of a device. */
static struct {
    uint32_t *source, *target;
    void *weight;
    int brought;
    bool gone;
} elsewhere;

static void *copy_bytes(const void *from, uint64_t bytes) {
    return memcpy(malloc(bytes ? bytes : 1), from, bytes);
}

static bool are_there(const gpugraph_graph *graph, int device) {
    (void)graph;
    return device == 0;
}

static bool still_there(const gpugraph_graph *graph) {
    (void)graph;
    return !elsewhere.gone;
}

static void bring_from_there(gpugraph_graph *graph, gpugraph_run *run) {
    const uint64_t ends = graph->m * sizeof(uint32_t);
    (void)run;
    __atomic_fetch_add(&elsewhere.brought, 1, __ATOMIC_RELAXED);
    gg_publish_edges(
        graph, copy_bytes(elsewhere.source, ends), copy_bytes(elsewhere.target, ends),
        elsewhere.weight ? copy_bytes(elsewhere.weight,
                                      graph->m * gg_distance_size(graph->distance_type))
                         : NULL);
}

static const struct copy_services place = {
    .are_on = are_there, .reaches = still_there, .download = bring_from_there};

static void send_ends_away(gpugraph_graph *graph) {
    gg_limits.copies = &place;
    elsewhere.source = graph->source;
    elsewhere.target = graph->target;
    elsewhere.weight = NULL;
    elsewhere.brought = 0;
    elsewhere.gone = false;
    graph->edges.source = graph->source = NULL;
    graph->edges.target = graph->target = NULL;
    graph->host_bytes -= (int64_t)(2 * graph->m * sizeof(uint32_t));
    graph->device_resident = true;
}

static void send_away(gpugraph_graph *graph) {
    send_ends_away(graph);
    elsewhere.weight = graph->weight;
    graph->edges.weight32 = graph->weight = NULL;
    graph->host_bytes -= (int64_t)(graph->m * sizeof(uint32_t));
}

static void end_elsewhere(void) {
    free(elsewhere.source);
    free(elsewhere.target);
    free(elsewhere.weight);
    gg_limits.copies = &gg_copies;
}

/* Asks each question alone, and all of them by several threads: a thread that needs edges
** downloads them, with their weights unless these are on the host. */
START_TEST(edges_from_elsewhere) {
    shared s = {.graph = NULL, .seed = (uint64_t)_i + 1};
    if (left_out((uint64_t)_i))
        return;
    gpugraph_graph *first = draw(s.seed);
    char *room = malloc(3 * 8 * (size_t)gpugraph_vertex_count(first));
    s.graph = copy_of(first);
    find_answers(&s);
    for (int q = 0; q <= QUESTIONS; q++) {
        gpugraph_graph *away = copy_of(first);
        gpugraph_run run = {.threads = 2, .backend = GPUGRAPH_CPU};
        const int64_t bytes = away->host_bytes;
        if (_i % 2)
            send_away(away);
        else
            send_ends_away(away);
        if (q < QUESTIONS)
            expect(ask(away, q, &run, room) == s.answer[q], "seed %d: question %d", _i,
                   q);
        else
            gpugraph_free(copy_of(away));
        expect(run.status == GPUGRAPH_OK && !away->device_resident &&
                   elsewhere.brought == 1 && away->host_bytes == bytes,
               "seed %d, question %d: edges came %d times; %s", _i, q, elsewhere.brought,
               run.message);
        gpugraph_free(away);
        end_elsewhere();
    }
    send_away(s.graph);
    run_workers(THREADS, ask_all, &s, NULL, 0);
    expect(!s.wrong, "seed %d: question %d has another answer", _i, s.wrong - 1);
    end_elsewhere();
    gpugraph_free(s.graph);
    gpugraph_free(first);
    free(room);
}
END_TEST

/* Questions beyond those above. */
static uint64_t ask_more(gpugraph_graph *graph, int question, gpugraph_run *run,
                         char *room) {
    const uint32_t n = gpugraph_vertex_count(graph), from = 1 % n;
    gpugraph_search search = {
        .source = &from, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    uint32_t *component = (uint32_t *)room;
    if (question < 2) {
        gpugraph_components(graph, (gpugraph_component_kind)question, run, component);
        return sum_of(room, n * sizeof *component);
    }
    if (question == 2) {
        uint32_t *const depths[] = {component};
        void *const trees[] = {room + 8 * (size_t)n};
        gpugraph_bfs_each(graph, &search, run, depths, trees);
        return sum_of(trees[0], n * gpugraph_edge_size(graph));
    }
    gpugraph_bring_edges(graph, run);
    return sum_of(gpugraph_edges_of(graph)->source,
                  gpugraph_edge_count(graph) * sizeof(uint32_t));
}

START_TEST(other_questions) {
    gpugraph_graph *graph = draw(2);
    char *room = malloc(3 * 8 * (size_t)gpugraph_vertex_count(graph));
    for (int q = 0; q < 4; q++) {
        gpugraph_graph *away = copy_of(graph), *here = copy_of(graph);
        gpugraph_run run = {.threads = 2, .backend = GPUGRAPH_CPU};
        const uint64_t answer = ask_more(here, q, &run, room);
        send_away(away);
        ck_assert_uint_eq(ask_more(away, q, &run, room), answer);
        expect(run.status == GPUGRAPH_OK, "question %d: %s", q, run.message);
        gpugraph_free(away);
        gpugraph_free(here);
        end_elsewhere();
    }
    gpugraph_free(graph);
    free(room);
}
END_TEST

/* ---- edges with gaps between them ---- */

/* Removes edges that leave gaps, and without which no vertex vanishes. */
static gpugraph_graph *leave_gaps(gpugraph_graph *graph, int64_t each, unsigned shift) {
    const int64_t count = (int64_t)gpugraph_edge_count(graph) / each;
    int64_t *id = malloc((size_t)count * sizeof *id);
    gpugraph_run run = {.threads = 1};
    for (int64_t i = 0; i < count; i++)
        id[i] = gpugraph_edge_id_of(graph, (uint64_t)(i * each));
    gg_limits.room_arcs = 0;
    gg_limits.gap_shift = shift;
    const gpugraph_changes changes = {.removed = id, .removed_count = (uint64_t)count};
    ck_assert_int_eq(gpugraph_update(graph, &changes, &run), GPUGRAPH_OK);
    ck_assert(gg_has_gaps(graph));
    free(id);
    return graph;
}

static void look_at_each(void *memory, uint32_t number) {
    shared *s = memory;
    const uint64_t m = gpugraph_edge_count(s->graph);
    for (uint64_t i = 0; i < m; i++) {
        const uint64_t e = (i * 7 + number * m / THREADS) % m;
        const gpugraph_edge edge = gpugraph_edge_of(s->graph, e);
        if (gpugraph_find_edge(s->graph, edge.id) != e ||
            gpugraph_edge_id_of(s->graph, e) != edge.id)
            __atomic_store_n(&s->wrong, 1, __ATOMIC_RELAXED);
        if (number == 0 && i == m / 2)
            gpugraph_edges_of(s->graph);
    }
}

/* Asks each question alone, and all by several threads: a thread that reads all edges
** closes the gaps; one that reads an edge finds it before, meanwhile and afterwards. */
START_TEST(edges_with_gaps) {
    shared s = {.graph = NULL, .seed = (uint64_t)_i + 1};
    if (left_out((uint64_t)_i))
        return;
    gpugraph_graph *first = draw(s.seed);
    char *room = malloc(3 * 8 * (size_t)gpugraph_vertex_count(first));
    s.graph = leave_gaps(copy_of(first), 5, 4);
    find_answers(&s);
    gpugraph_free(s.graph);
    for (int q = 0; q < QUESTIONS; q++) {
        gpugraph_graph *graph = leave_gaps(copy_of(first), 5, 4);
        gpugraph_run run = {.threads = 2, .backend = GPUGRAPH_CPU};
        expect(ask(graph, q, &run, room) == s.answer[q], "seed %d: question %d", _i, q);
        gpugraph_free(graph);
    }
    s.graph = leave_gaps(copy_of(first), 5, 4);
    run_workers(THREADS, look_at_each, &s, NULL, 0);
    expect(!s.wrong, "seed %d: an edge is another", _i);
    gpugraph_free(s.graph);
    s.graph = leave_gaps(copy_of(first), 5, 4);
    run_workers(THREADS, ask_all, &s, NULL, 0);
    expect(!s.wrong, "seed %d: question %d has another answer", _i, s.wrong - 1);
    gpugraph_free(s.graph);
    gpugraph_free(first);
    free(room);
}
END_TEST

/* Edges that cannot be downloaded any more are an error, and no edge is read. */
START_TEST(edges_are_lost) {
    gpugraph_graph *graph = draw(2);
    gpugraph_run run = {.threads = 2, .backend = GPUGRAPH_CPU};
    char *room = malloc(3 * 8 * (size_t)gpugraph_vertex_count(graph));
    send_away(graph);
    ck_assert(!gpugraph_is_lost(graph));
    elsewhere.gone = true;
    ck_assert(gpugraph_is_lost(graph));
    for (int q = 0; q < QUESTIONS; q++) {
        run = (gpugraph_run){.threads = 2, .backend = GPUGRAPH_CPU};
        memset(room, 0, 3 * 8 * (size_t)gpugraph_vertex_count(graph));
        ask(graph, q, &run, room);
        expect(run.status == GPUGRAPH_DEVICE_FAILED &&
                   strstr(run.message, "repeat the query"),
               "question %d: %s", q, run.message);
    }
    gpugraph_free(graph);
    end_elsewhere();
    free(room);
}
END_TEST

/* ---- waiting threads ---- */

static int leave(void *asked) {
    ++*(int *)asked;
    return 1;
}

/* A thread makes rows and does not end: a thread that needs them waits, and can be
** interrupted. */
START_TEST(a_wait_is_interrupted) {
    gpugraph_graph *graph = draw(1);
    gpugraph_run maker = {0};
    char room[16 * 1024];
    int asked = 0;
    ck_assert(gg_begin_making(graph, &maker));
    graph->gate.maker++; /* another thread */
    gpugraph_run run = {
        .interrupted = leave, .listener = &asked, .backend = GPUGRAPH_CPU};
    ask_breadth(graph, GPUGRAPH_OUT, &run, room);
    ck_assert_int_eq(run.status, GPUGRAPH_INTERRUPTED);
    ck_assert_int_gt(asked, 0);
    gg_end_making(graph);
    run = (gpugraph_run){.backend = GPUGRAPH_CPU};
    ask_breadth(graph, GPUGRAPH_OUT, &run, room);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    gpugraph_free(graph);
}
END_TEST

/* This thread makes rows, and its interrupt handler searches the same graph. */
START_TEST(a_handler_searches) {
    gpugraph_graph *graph = draw(1), *alone = copy_of(graph);
    gpugraph_run maker = {0}, run = {.backend = GPUGRAPH_CPU};
    char room[16 * 1024];
    ck_assert(gg_begin_making(graph, &maker));
    uint64_t want = ask_breadth(alone, GPUGRAPH_BOTH, &run, room);
    ck_assert_uint_eq(ask_breadth(graph, GPUGRAPH_BOTH, &run, room), want);
    ck_assert(gg_csr_made(graph, CSR_BOTH) && !graph->gate.retired);
    ask_edges(graph, &run);
    ck_assert(run.status == GPUGRAPH_OK && gg_edge_rows_made(graph));
    gg_end_making(graph);
    ck_assert_uint_eq(ask_breadth(graph, GPUGRAPH_BOTH, &run, room), want);
    gpugraph_free(graph);
    gpugraph_free(alone);
}
END_TEST

/* A call that makes rows, and the interrupt handler that makes the same rows before. */
typedef struct nested_call {
    gpugraph_graph *graph;
    enum { ARCS_FROM, ARCS_INTO, EDGES, WEIGHTS, CALLS } call;
    bool nested;
} nested_call;

static uint64_t make_rows(const nested_call *c, gpugraph_run *run) {
    char room[16 * 1024];
    gpugraph_arcs arcs = {0};
    if (c->call == EDGES)
        return ask_edges(c->graph, run);
    if (c->call == WEIGHTS)
        return ask_weights(c->graph, GPUGRAPH_BOTH, run, room);
    if (c->call == ARCS_FROM)
        gpugraph_arcs_from(c->graph, 1, run, &arcs);
    else
        gpugraph_arcs_into(c->graph, 1, run, &arcs);
    return sum_of(arcs.target, arcs.count * sizeof *arcs.target);
}

static int make_the_same(void *listener) {
    nested_call *c = listener;
    if (c->graph->gate.making == 1 && !c->nested) {
        c->nested = true;
        gpugraph_run run = {.backend = GPUGRAPH_CPU};
        make_rows(c, &run);
    }
    return 0;
}

START_TEST(a_handler_makes_the_same_rows) {
    const int call = _i;
    nested_call c = {draw(1), call, false}, alone = {draw(1), call, false};
    gpugraph_run run = {.backend = GPUGRAPH_CPU}, plain = run;
    run.interrupted = make_the_same;
    run.listener = &c;
    const uint64_t want = make_rows(&alone, &plain);
    ck_assert_uint_eq(make_rows(&c, &run), want);
    ck_assert(c.nested);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    ck_assert_uint_eq(make_rows(&c, &plain), want);
    uint64_t edge;
    ck_assert_int_eq(gpugraph_check_arcs(c.graph, &plain, &edge), GPUGRAPH_OK);
    gpugraph_free(c.graph);
    gpugraph_free(alone.graph);
}
END_TEST

/* fork() in the middle of this: in the child no thread makes rows or holds the lock. */
START_TEST(a_child_waits_for_nobody) {
    gpugraph_graph *graph = draw(2);
    gpugraph_run maker = {0};
    char room[16 * 1024];
    gg_enter_graph(graph, &maker);
    ck_assert(gg_begin_making(graph, &maker));
    graph->gate.maker++;
    gg_lock(&graph->gate.lock);
    int status;
    pid_t child = fork();
    if (child == 0) {
        gpugraph_run run = {.backend = GPUGRAPH_CPU};
        alarm(20);
        ask_breadth(graph, GPUGRAPH_OUT, &run, room);
        bool rested = graph->gate.searching == 0;
        gpugraph_free(graph);
        _exit(run.status == GPUGRAPH_OK && rested ? 0 : 1);
    }
    gg_unlock(&graph->gate.lock);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    gg_end_making(graph);
    gg_leave_graph(graph, &maker);
    gpugraph_free(graph);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* its allocator may be locked at a fork */
static void close_or_fork(void *memory, uint32_t number) {
    shared *s = memory;
    if (number > 0) {
        gg_close_gaps(s->graph, 1);
        return;
    }
    const struct timespec pause = {0, (long)(s->seed % 16) * 300000};
    int status;
    nanosleep(&pause, NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        const gpugraph_edge_list *edges = gpugraph_edges_of(s->graph);
        const size_t bytes = gpugraph_edge_count(s->graph) * sizeof *edges->source;
        _exit(sum_of(edges->source, bytes) == s->answer[0] &&
                      sum_of(edges->target, bytes) == s->answer[1]
                  ? 0
                  : 1);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status))
        s->wrong = 1;
}

/* A child of fork() finds all edges, although another thread was closing gaps. */
START_TEST(a_child_finds_all_edges) {
    shape grid = shape_grid(1000, 1000);
    gpugraph_graph *first = shape_weighed(&grid, true, NULL, NULL);
    for (int turn = 0; turn < 16; turn++) {
        shared s = {.graph = leave_gaps(copy_of(first), 10000, 12),
                    .seed = (uint64_t)turn};
        gpugraph_graph *closed = copy_of(s.graph);
        const gpugraph_edge_list *edges = gpugraph_edges_of(closed);
        const size_t bytes = gpugraph_edge_count(closed) * sizeof *edges->source;
        s.answer[0] = sum_of(edges->source, bytes);
        s.answer[1] = sum_of(edges->target, bytes);
        gpugraph_free(s.graph);
        s.graph = leave_gaps(copy_of(first), 10000, 12);
        run_workers(2, close_or_fork, &s, NULL, 0);
        expect(!s.wrong, "turn %d: a child has other edges", turn);
        gpugraph_free(s.graph);
        gpugraph_free(closed);
    }
    gpugraph_free(first);
    shape_free(&grid);
}
END_TEST
#endif

const struct suite suite = {
    "shared graph",
    {{"threads", .timeout = 120,
      .cases = {{&several_threads, GRAPHS},
                {&edges_from_elsewhere, GRAPHS},
                {&edges_with_gaps, GRAPHS}}},
     {"elsewhere", .timeout = 60, .cases = {{&other_questions}, {&edges_are_lost}}},
     {"waiting", .timeout = 60,
      .cases = {{&a_wait_is_interrupted},
                {&a_handler_searches},
                {&a_handler_makes_the_same_rows, CALLS}}},
     {"fork", .tags = "serial", .timeout = 60, .cases = {{&a_child_waits_for_nobody}}},
     {"forks", .tags = "serial forks", .timeout = 60,
      .cases =
          {
#ifndef __SANITIZE_ADDRESS__
              {&a_child_finds_all_edges},
#endif
          }}},
};
