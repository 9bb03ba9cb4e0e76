/* Maximal independent sets against a greedy pass over a matrix of neighbours, and, on
** larger graphs, against the definition and the other methods. */
/* ctest: long */
#include "ids/ids.h"
#include "mis/mis.h"
#include "expect.h"
#include "suite.h"
#include "graphs.h"
#include "share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRIORITIES = 4 };

/* ---- the oracle ---- */

struct candidate {
    uint32_t vertex, degree, hash;
};

/* near[u * n + v]: an edge of any direction joins u and v. Loops do not count. */
static uint8_t *neighbours(const shape *s) {
    uint32_t n = s->vertices;
    uint8_t *near = calloc((size_t)n * n + 1, 1);
    ck_assert_ptr_nonnull(near);
    for (int64_t e = 0; e < s->edges; e++) {
        if (s->source[e] == s->target[e])
            continue;
        near[s->source[e] * n + s->target[e]] = 1;
        near[s->target[e] * n + s->source[e]] = 1;
    }
    return near;
}

static int by_vertex(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static int by_hash(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash)
                              : by_vertex(a, b);
}

static int by_degree(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    return x->degree != y->degree ? (x->degree > y->degree) - (x->degree < y->degree)
                                  : by_hash(a, b);
}

static int by_degree_id(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    return x->degree != y->degree ? (x->degree > y->degree) - (x->degree < y->degree)
                                  : by_vertex(a, b);
}

static void greedy(const shape *s, const uint32_t *hash, gpugraph_priority priority,
                   uint8_t *member) {
    static int (*const orders[])(const void *, const void *) = {by_degree, by_degree_id,
                                                                by_hash, by_vertex};
    uint32_t n = s->vertices;
    uint8_t *near = neighbours(s);
    struct candidate *list = calloc((size_t)n + 1, sizeof *list);
    for (uint32_t v = 0; v < n; v++) {
        list[v] = (struct candidate){.vertex = v, .hash = hash[v]};
        for (uint32_t u = 0; u < n; u++)
            list[v].degree += near[v * n + u];
    }
    qsort(list, n, sizeof *list, orders[priority]);
    memset(member, 0, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = list[i].vertex;
        bool free_of_members = true;
        for (uint32_t u = 0; u < n; u++)
            free_of_members = free_of_members && !(near[v * n + u] && member[u]);
        member[v] = free_of_members;
    }
    free(list);
    free(near);
}

/* No edge joins two members, and each other vertex has a member as neighbour. */
static void check_definition(const shape *s, const uint8_t *member) {
    uint8_t *covered = calloc((size_t)s->vertices + 1, 1);
    for (int64_t e = 0; e < s->edges; e++) {
        int64_t u = s->source[e], v = s->target[e];
        expect(u == v || !member[u] || !member[v], "%s: edge %lld joins two members",
               s->name, (long long)e);
        if (u != v) {
            covered[u] |= member[v];
            covered[v] |= member[u];
        }
    }
    for (uint32_t v = 0; v < s->vertices; v++)
        expect(member[v] + covered[v] == 1, "%s: vertex %u is %d and %d", s->name, v,
               member[v], covered[v]);
    free(covered);
}

/* ---- tests ---- */

static void search(gpugraph_graph *graph, gpugraph_priority priority, int64_t seed,
                   const gpugraph_method *method, int threads, uint8_t *member) {
    bool cuda = method && strcmp(method->backend, "cuda") == 0;
    gpugraph_run run = {.method = method ? method->name : NULL, .threads = threads};
    run.backend = cuda ? GPUGRAPH_CUDA : method ? GPUGRAPH_CPU : GPUGRAPH_AUTO;
    memset(member, 0x55, gpugraph_vertex_count(graph));
    gpugraph_mis(graph, priority, seed, &run, member);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    if (method) {
        ck_assert_str_eq(run.used_method, method->name);
        ck_assert_str_eq(run.used_backend, method->backend);
    }
}

/* Method number *i of mis, or a later one, that can run here. NULL past the last. */
static const gpugraph_method *usable_method(int *i) {
    const gpugraph_method *method;
    for (; (method = gpugraph_method_at(*i)) != NULL; ++*i)
        if (strcmp(method->function, "mis") == 0 &&
            (strcmp(method->backend, "cpu") == 0 || gpugraph_cuda_usable(NULL)))
            break;
    return method;
}

static void check_members(const shape *s, const char *what, const uint8_t *got,
                          const uint8_t *wanted) {
    for (uint32_t v = 0; v < s->vertices; v++)
        expect(got[v] == wanted[v], "%s, %s: vertex %u is %d, not %d", s->name, what, v,
               got[v], wanted[v]);
}

static void check_shape(const shape *s, int64_t seed) {
    gpugraph_graph *graph = shape_graph(s);
    gpugraph_run run = {0};
    uint32_t *hash = calloc((size_t)s->vertices + 1, sizeof *hash);
    uint8_t *wanted = calloc((size_t)s->vertices + 1, 1);
    uint8_t *member = calloc((size_t)s->vertices + 1, 1);
    ck_assert_int_eq(gg_hash_ids(graph, seed, &run, hash), GPUGRAPH_OK);
    for (int p = 0; p < PRIORITIES; p++) {
        greedy(s, hash, (gpugraph_priority)p, wanted);
        check_definition(s, wanted);
        search(graph, (gpugraph_priority)p, seed, NULL, 2, member);
        check_members(s, "auto", member, wanted);
        const gpugraph_method *method;
        for (int i = 0; (method = usable_method(&i)) != NULL; i++)
            for (int threads = 1; threads <= 4; threads *= 2) {
                gg_limits.mis_word_bytes =
                    threads == 2; /* on a device: bytes in place of words */
                search(graph, (gpugraph_priority)p, seed, method, threads, member);
                check_members(s, method->name, member, wanted);
            }
        gg_limits.mis_word_bytes = 0;
    }
    free(member);
    free(wanted);
    free(hash);
    gpugraph_free(graph);
}

START_TEST(small_shapes) {
    shape s;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int i = 0; shape_small(i, seed, &s); i++) {
            if (!left_out(seed + (uint64_t)i))
                check_shape(&s, (int64_t)seed - 2);
            shape_free(&s);
        }
}
END_TEST

START_TEST(large_shapes) {
    shape list[] = {
        shape_path(20000),     shape_star(100000),   shape_comb(20000, 3),
        shape_binary_tree(17), shape_grid(300, 300), shape_rmat(14, 12, 4),
        shape_complete(300),   shape_empty(70000),   shape_random_edges(50000, 120000, 8),
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        shape *s = &list[i];
        gpugraph_graph *graph = shape_graph(s);
        uint8_t *wanted = calloc(s->vertices, 1), *member = calloc(s->vertices, 1);
        for (int p = 0; p < PRIORITIES; p++) {
            const gpugraph_method *method;
            if (left_out(i * PRIORITIES + (size_t)p))
                continue;
            search(graph, (gpugraph_priority)p, 5, NULL, 1, wanted);
            check_definition(s, wanted);
            for (int m = 0; (method = usable_method(&m)) != NULL; m++)
                for (int threads = 1; threads <= 4; threads *= 2) {
                    search(graph, (gpugraph_priority)p, 5, method, threads, member);
                    check_members(s, method->name, member, wanted);
                }
        }
        free(wanted);
        free(member);
        gpugraph_free(graph);
        shape_free(s);
    }
}
END_TEST

/* Equal edges in another order, some of them twice or reversed. */
START_TEST(only_the_set_of_edges_counts) {
    shape s = shape_rmat(9, 4, 2), other = shape_rmat(9, 4, 2);
    for (int64_t e = 0; e < s.edges; e += 3)
        shape_add(&other, (uint32_t)s.target[e], (uint32_t)s.source[e]);
    for (int64_t e = 0; e < s.edges; e += 5)
        shape_add(&other, (uint32_t)s.source[e], (uint32_t)s.target[e]);
    shape_shuffle(&other, 6);
    gpugraph_graph *first = shape_graph(&s), *second = shape_graph(&other);
    uint8_t *wanted = calloc(s.vertices, 1), *member = calloc(s.vertices, 1);
    for (int p = 0; p < PRIORITIES; p++) {
        search(first, (gpugraph_priority)p, 1, NULL, 1, wanted);
        search(second, (gpugraph_priority)p, 1, NULL, 2, member);
        check_members(&s, "other edges", member, wanted);
    }
    free(wanted);
    free(member);
    gpugraph_free(first);
    gpugraph_free(second);
    shape_free(&s);
    shape_free(&other);
}
END_TEST

START_TEST(seeds) {
    shape s = shape_cycle(500);
    gpugraph_graph *graph = shape_graph(&s);
    uint8_t *one = calloc(s.vertices, 1), *two = calloc(s.vertices, 1);
    for (int p = 0; p < PRIORITIES; p++) {
        search(graph, (gpugraph_priority)p, 1, NULL, 1, one);
        search(graph, (gpugraph_priority)p, 2, NULL, 1, two);
        bool by_hash = p == GPUGRAPH_BY_DEGREE || p == GPUGRAPH_BY_RANDOM;
        ck_assert_int_eq(memcmp(one, two, s.vertices) != 0, by_hash);
    }
    free(one);
    free(two);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Two neighbours with equal degree and equal hash: the smaller id comes first. */
START_TEST(ties_of_hash) {
    enum { VERTICES = 400000, SEED = 11 }; /* about 18 pairs of equal hashes */
    shape s = shape_empty(VERTICES);
    gpugraph_graph *graph = shape_graph(&s);
    gpugraph_run run = {0};
    uint32_t *hash = calloc(VERTICES, sizeof *hash);
    uint64_t *pair = calloc(VERTICES, sizeof *pair);
    uint8_t *member = calloc(VERTICES, 1);
    ck_assert_int_eq(gg_hash_ids(graph, SEED, &run, hash), GPUGRAPH_OK);
    gpugraph_free(graph);
    for (uint32_t v = 0; v < VERTICES; v++)
        pair[v] = (uint64_t)hash[v] << 32 | v;
    qsort(pair, VERTICES, sizeof *pair, by_value);
    for (uint32_t i = 1; i < VERTICES; i++)
        if (pair[i] >> 32 == pair[i - 1] >> 32)
            shape_add(&s, (uint32_t)pair[i], (uint32_t)pair[i - 1]);
    ck_assert_int_gt(s.edges, 0);
    graph = shape_graph(&s);
    for (int p = 0; p < PRIORITIES; p++) {
        const gpugraph_method *method;
        for (int i = 0; (method = usable_method(&i)) != NULL; i++) {
            search(graph, (gpugraph_priority)p, SEED, method, 2, member);
            for (int64_t e = 0; e < s.edges; e++)
                expect(member[s.target[e]] && !member[s.source[e]], "%s: %lld and %lld",
                       method->name, (long long)s.target[e], (long long)s.source[e]);
        }
    }
    free(member);
    free(pair);
    free(hash);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* ---- rounds, and rows across the bus: the text of the phase "search" ---- */

static void keep_search(void *detail, const char *name, double ms, int64_t items,
                        const char *text) {
    (void)ms;
    (void)items;
    if (strcmp(name, "search") == 0)
        snprintf(detail, 400, "%s", text);
}

/* The number before " rounds" in the text. -1: there is none. */
static int rounds_told(const char *text) {
    const char *end = strstr(text, " rounds");
    const char *begin = end;
    while (begin && begin > text && begin[-1] >= '0' && begin[-1] <= '9')
        begin--;
    return end && begin < end ? atoi(begin) : -1;
}

/* Ties by hash: no long chains of vertices that wait for each other. */
START_TEST(rounds_of_a_long_path) {
    shape s = shape_path(10000000 / SANITIZED_PART);
    gpugraph_graph *graph = shape_graph(&s);
    uint8_t *wanted = calloc(s.vertices, 1), *member = calloc(s.vertices, 1);
    const gpugraph_method *method;
    bool first = true;
    for (int i = 0; (method = usable_method(&i)) != NULL; i++) {
        char text[400] = "";
        gpugraph_run run = {
            .method = method->name, .phase = keep_search, .listener = text};
        run.backend = strcmp(method->backend, "cuda") == 0 ? GPUGRAPH_CUDA : GPUGRAPH_CPU;
        gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, &run, member);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        int rounds = rounds_told(text);
        bool counted = strncmp(method->name, "rounds", 6) == 0;
        ck_assert_msg(!counted || (rounds > 0 && rounds < 64), "%s on %s: %s",
                      method->name, method->backend, text);
        if (first) {
            check_definition(&s, member);
            memcpy(wanted, member, s.vertices);
            first = false;
        }
        expect(memcmp(member, wanted, s.vertices) == 0, "%s on %s: another set",
               method->name, method->backend);
    }
    free(wanted);
    free(member);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

static gpugraph_graph *device_resident_graph(const shape *s) {
    int64_t *vertex = calloc(s->vertices, sizeof *vertex);
    gpugraph_edges edges = shape_edges(s, vertex);
    gpugraph_run run = {.backend = GPUGRAPH_CUDA};
    gpugraph_graph *graph;
    edges.stay = true;
    gpugraph_create(&edges, &run, &graph);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    free(vertex);
    return graph;
}

/* A graph that does not fit memory_limit stays in host memory, with the same set.
** Device-resident edges return to the host for it. */
START_TEST(larger_than_the_device) {
    if (!gpugraph_cuda_usable(NULL))
        return;
    enum { LIMIT = 8 << 20 };
    shape s = shape_rmat(15, 24, 3);
    gpugraph_graph *inside = shape_graph(&s), *outside = device_resident_graph(&s);
    uint8_t *wanted = calloc(s.vertices, 1), *member = calloc(s.vertices, 1);
    for (int p = 0; p < PRIORITIES; p++) {
        gpugraph_run run = {.backend = GPUGRAPH_CUDA, .memory_limit = LIMIT};
        memset(member, 0x55, s.vertices);
        gpugraph_mis(outside, (gpugraph_priority)p, 7, &run, member);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        ck_assert_str_eq(run.used_method, "out-of-core");
        int64_t host, device;
        gpugraph_memory(outside, &host, &device);
        ck_assert_int_lt(device, LIMIT);
        run = (gpugraph_run){.backend = GPUGRAPH_CPU};
        gpugraph_mis(inside, (gpugraph_priority)p, 7, &run, wanted);
        check_definition(&s, wanted);
        check_members(&s, "out of core", member, wanted);
    }
    gpugraph_run run = {.backend = GPUGRAPH_CUDA};
    gpugraph_mis(inside, GPUGRAPH_BY_ID, 7, &run, wanted);
    ck_assert_str_eq(run.used_method, "one-launch-balanced");
    check_members(&s, "in core", member, wanted);
    free(wanted);
    free(member);
    gpugraph_free(inside);
    gpugraph_free(outside);
    shape_free(&s);
}
END_TEST

/* Ids that are not consecutive, and texts: their hashes come from the host. */
START_TEST(scattered_ids) {
    shape s = shape_rmat(10, 6, 5);
    for (int64_t e = 0; e < s.edges; e++) {
        s.source[e] = s.source[e] * 1000003 - 77;
        s.target[e] = s.target[e] * 1000003 - 77;
    }
    gpugraph_edges edges = {
        .count = s.edges, .source.value = s.source, .target.value = s.target};
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    uint32_t n = gpugraph_vertex_count(graph);
    uint8_t *wanted = calloc(n, 1), *member = calloc(n, 1);
    static const gpugraph_method greedy_method = {"mis", "greedy", "cpu", ""};
    for (int i = 0; i < 2 * PRIORITIES; i++) {
        gpugraph_priority priority = (gpugraph_priority)(i / 2);
        int64_t seed = i % 2 ? INT64_MIN : 3;
        const gpugraph_method *method;
        search(graph, priority, seed, &greedy_method, 1, wanted);
        for (int m = 0; (method = usable_method(&m)) != NULL; m++) {
            search(graph, priority, seed, method, 2, member);
            expect(memcmp(member, wanted, n) == 0, "%s: another set", method->name);
        }
    }
    free(wanted);
    free(member);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

static int at_once(void *unused) {
    (void)unused;
    return 1;
}

START_TEST(arguments_and_interrupts) {
    shape s = shape_rmat(12, 8, 1);
    gpugraph_graph *graph = shape_graph(&s);
    uint8_t *member = calloc(s.vertices, 1);
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_mis(graph, (gpugraph_priority)4, 0, &run, member),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "priority"));
    run.method = "thorough";
    ck_assert_int_eq(gpugraph_mis(graph, GPUGRAPH_BY_ID, 0, &run, member),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "greedy"));
    static const char *const methods[] = {NULL, "greedy", "rounds"};
    for (int i = 0; i < 12; i++) {
        run = (gpugraph_run){.backend = GPUGRAPH_CPU, .method = methods[i % 3]};
        run.threads = 1 + i % 4;
        run.interrupted = at_once;
        gpugraph_priority priority = (gpugraph_priority)(i % PRIORITIES);
        ck_assert_int_eq(gpugraph_mis(graph, priority, 0, &run, member),
                         GPUGRAPH_INTERRUPTED);
        search(graph, priority, 0, NULL, 2, member);
        check_definition(&s, member);
    }
    free(member);
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    "mis",
    {{"small", .timeout = 250, .cases = {{&small_shapes}}},
     {"large", .timeout = 250, .cases = {{&large_shapes}}},
     {"mis", .timeout = 250,
      .cases = {{&only_the_set_of_edges_counts},
                {&seeds},
                {&ties_of_hash},
                {&rounds_of_a_long_path},
                {&larger_than_the_device},
                {&scattered_ids},
                {&arguments_and_interrupts}}}},
};
