/* Shortest paths and their trees against the oracle of sssp_oracle.h: every method on
** every available backend, three layouts of distances, all directions, one thread and
** two. */
/* ctest: wide=0 */
#include "graph_data.h"
#include "edge_numbers.h"
#include "sssp/sssp.h"
#include "share.h"
#include "sssp_oracle.h"
#include "suite.h"

/* ---- results of the library, in the oracle's terms ---- */

struct found {
    gpugraph_distance_type type;
    void *distance;
    uint32_t *edge;
};

static bool found_reached(const struct found *f, uint32_t v) {
    switch (f->type) {
    case GPUGRAPH_UINT32:
        return ((uint32_t *)f->distance)[v] != UINT32_MAX;
    case GPUGRAPH_UINT64:
        return ((uint64_t *)f->distance)[v] != UINT64_MAX;
    default:
        return ((double *)f->distance)[v] != INFINITY;
    }
}

static bool found_equals(const struct found *f, const struct answer *a, uint32_t v) {
    switch (f->type) {
    case GPUGRAPH_UINT32:
        return ((uint32_t *)f->distance)[v] == a->whole[v];
    case GPUGRAPH_UINT64:
        return ((uint64_t *)f->distance)[v] == a->whole[v];
    default:
        return memcmp((double *)f->distance + v, a->real + v, sizeof(double)) == 0;
    }
}

/* For comparing distances: ascends with them, infinite ones last. */
static bool is_nearer(const struct found *f, const struct answer *a, uint32_t u,
                      uint32_t v) {
    return f->type == GPUGRAPH_REAL ? a->real[u] < a->real[v] : a->whole[u] < a->whole[v];
}

/* True if the vertex is reachable, and its distance is in range. */
static bool in_range(const struct found *f, const struct answer *a, uint32_t v) {
    return f->type == GPUGRAPH_REAL ? a->real[v] < INFINITY : a->whole[v] <= INT64_MAX;
}

static bool in_bound(const struct found *f, const struct answer *a, uint32_t v,
                     const gpugraph_search *search) {
    if (!search->bounded)
        return true;
    return f->type == GPUGRAPH_REAL ? a->real[v] <= search->max_real_distance
                                    : a->whole[v] <= search->max_distance;
}

/* Reachable vertices, by the arcs without weights. */
static bool *reachable(const struct roads *r, const gpugraph_search *search) {
    bool *is = calloc(r->s.vertices + 1, sizeof *is), any = true;
    for (uint32_t i = 0; i < search->source_count; i++)
        is[search->source[i]] = true;
    while (any) {
        any = false;
        for (int64_t e = 0; e < r->s.edges; e++) {
            int64_t u = r->s.source[e], v = r->s.target[e];
            if (search->direction != GPUGRAPH_IN && is[u] && !is[v])
                any = is[v] = true;
            if (search->direction != GPUGRAPH_OUT && is[v] && !is[u])
                any = is[u] = true;
        }
    }
    return is;
}

/* True if the search must fail, because a wanted vertex is out of range. With a limit it
** may. */
static bool out_of_range(const struct roads *r, const struct found *f,
                         const struct answer *a, const gpugraph_search *search) {
    if (search->bounded)
        return false;
    bool *is = reachable(r, search), lost = false;
    for (uint32_t v = 0; v < r->s.vertices && search->target_count == 0; v++)
        lost |= is[v] && !in_range(f, a, v);
    for (uint32_t i = 0; i < search->target_count; i++)
        lost |= is[search->target[i]] && !in_range(f, a, search->target[i]);
    free(is);
    return lost;
}

/* The list under test has targets only. */
static bool targets_alone;

static void check_found(const struct roads *r, const struct found *f,
                        const struct answer *a, const gpugraph_search *search,
                        const char *how) {
    const char *name = r->s.name;
    uint32_t n = r->s.vertices, missing = GPUGRAPH_NONE, farthest = GPUGRAPH_NONE;
    uint64_t count = 0, all = 0;
    for (uint32_t v = 0; v < n; v++) {
        bool wanted = in_range(f, a, v) && in_bound(f, a, v, search);
        all += wanted;
        if (!found_reached(f, v)) {
            expect(f->edge[v] == GPUGRAPH_NONE, "%s, %s: an edge to nowhere", name, how);
            if (wanted && (missing == GPUGRAPH_NONE || is_nearer(f, a, v, missing)))
                missing = v;
            continue;
        }
        count++;
        expect(!targets_alone || search_wants(search, v), "%s, %s: %u is no target", name,
               how, v);
        if (farthest == GPUGRAPH_NONE || is_nearer(f, a, farthest, v))
            farthest = v;
        expect(wanted && found_equals(f, a, v), "%s, %s: the distance of %u", name, how,
               v);
        expect(f->edge[v] == a->edge[v], "%s, %s: edge %u to %u, not %u", name, how,
               f->edge[v], v, a->edge[v]);
    }
    if (search->target_count == 0 && search->limit == 0)
        expect(missing == GPUGRAPH_NONE, "%s, %s: %u is missing", name, how, missing);
    if (search->target_count == 0 && search->limit > 0)
        expect(count >= (search->limit < all ? search->limit : all),
               "%s, %s: %u found, limit %u", name, how, (uint32_t)count,
               (uint32_t)search->limit);
    if (missing != GPUGRAPH_NONE && farthest != GPUGRAPH_NONE && !targets_alone)
        expect(!is_nearer(f, a, missing, farthest), "%s, %s: %u is there, %u is not",
               name, how, farthest, missing);
    for (uint32_t i = 0; i < search->target_count && search->limit == 0; i++) {
        uint32_t v = search->target[i];
        expect(found_reached(f, v) == (in_range(f, a, v) && in_bound(f, a, v, search)),
               "%s, %s: target %u", name, how, v);
    }
}

/* Spreads a list over arrays by vertex. Returns its length; GPUGRAPH_NONE: there is no
** list. */
static uint32_t check_list(const struct roads *r, const struct answer *a,
                           const gpugraph_search *search, uint32_t room, bool tree,
                           gpugraph_backend backend) {
    const uint32_t n = r->s.vertices;
    struct found f = {.type = gpugraph_distance_type_of(r->graph)};
    const size_t size = f.type == GPUGRAPH_UINT32 ? 4 : 8;
    uint32_t *vertex = malloc((room + 1) * sizeof *vertex), count;
    char *listed = malloc((room + 1) * size);
    uint32_t *listed_edge = malloc((room + 1) * sizeof(uint64_t));
    gpugraph_run run = {.backend = backend};
    gpugraph_sssp_list(r->graph, search, &run, room, vertex, listed,
                       tree ? listed_edge : NULL, &count);
    expect(run.status == GPUGRAPH_OK, "%s, a list: %s", r->s.name, run.message);
    f.distance = malloc((n + 1) * size);
    f.edge = malloc((n + 1) * sizeof *f.edge);
    memset(f.edge, 0xff, n * sizeof *f.edge);
    memset(f.distance, 0xff, n * size);
    for (uint32_t v = 0; v < n && f.type == GPUGRAPH_REAL; v++)
        ((double *)f.distance)[v] = INFINITY;
    if (tree && count != GPUGRAPH_NONE)
        narrow_edges(r->graph, listed_edge, count);
    for (uint32_t i = 0; i < count && count != GPUGRAPH_NONE; i++) {
        expect(i == 0 || vertex[i] > vertex[i - 1], "%s: not ascending", r->s.name);
        memcpy((char *)f.distance + vertex[i] * size, listed + i * size, size);
        f.edge[vertex[i]] = tree ? listed_edge[i] : a->edge[vertex[i]];
    }
    targets_alone = gg_is_for_targets(search, search->bounded);
    if (count != GPUGRAPH_NONE)
        check_found(r, &f, a, search, tree ? "a list with a tree" : "a list");
    targets_alone = false;
    free(f.distance);
    free(f.edge);
    free(vertex);
    free(listed);
    free(listed_edge);
    return count;
}

/* A device makes a list from its arrays. The list must equal these, if there is room. */
static void check_device_lists(const struct roads *r, const struct answer *a,
                               const gpugraph_search *search, bool lost, bool ties) {
    const bool asked = search->bounded || search->limit > 0 || search->target_count > 0;
    gg_limits.reached_least = 0;
    for (int tree = 0; tree < 2; tree++) {
        r->graph->known.lists_to_skip = 0;
        const uint32_t room = r->s.vertices + search->target_count;
        const uint32_t all = check_list(r, a, search, room, tree, GPUGRAPH_CUDA);
        expect(all == GPUGRAPH_NONE || asked, "%s: a device's list of all", r->s.name);
        expect(all != GPUGRAPH_NONE || !asked || lost || (tree && ties),
               "%s: no device's list", r->s.name);
        if (all == GPUGRAPH_NONE || all == 0 || search->limit > 0 ||
            search->target_count > 0)
            continue; /* there may be more entries, or fewer */
        expect(check_list(r, a, search, all, tree, GPUGRAPH_CUDA) == all,
               "%s: not %u in just the room", r->s.name, all);
        expect(check_list(r, a, search, all - 1, tree, GPUGRAPH_CUDA) == GPUGRAPH_NONE,
               "%s: %u in less than the room", r->s.name, all);
    }
    r->graph->known.lists_to_skip = 0;
}

/* Lists must be made where they can be, and not where they would be wrong. */
static void check_lists(const struct roads *r, const struct answer *a,
                        const gpugraph_search *search, bool lost) {
    const uint32_t room = r->s.vertices + (uint32_t)r->s.edges;
    bool sums = true,
         ties = false; /* sums are in range, and some tree edge has equal ends */
    const struct found f = {.type = gpugraph_distance_type_of(r->graph)};
    for (int64_t e = 0; e < r->s.edges && r->whole; e++)
        sums &= r->whole[e] < INT64_MAX >> 20;
    for (int64_t e = 0; e < r->s.edges && r->real; e++)
        sums &= r->real[e] < DBL_MAX * 0x1p-20;
    for (uint32_t v = 0; v < r->s.vertices; v++)
        ties |= a->steps[v] != GPUGRAPH_NONE && a->steps[v] > 0;
    if (gpugraph_cuda_usable(NULL))
        check_device_lists(r, a, search, lost || !sums, ties);
    gg_limits.path_prepare_after = 0;
    const gpugraph_backend by = GPUGRAPH_CPU;
    uint32_t count = check_list(r, a, search, room, false, by);
    if (gg_is_for_targets(search, search->bounded)) {
        expect(count == GPUGRAPH_NONE, "%s: the CPU's list of targets", r->s.name);
        return;
    }
    expect(count != GPUGRAPH_NONE || !sums, "%s: no list though there is room",
           r->s.name);
    expect(count == GPUGRAPH_NONE || !lost || search->limit > 0,
           "%s: a list, and the range is left", r->s.name);
    count = check_list(r, a, search, room, true, by);
    expect(count != GPUGRAPH_NONE || !sums || ties, "%s: no tree", r->s.name);
    check_list(r, a, search, 1 + (uint32_t)f.type, true, by);
    check_list(r, a, search, r->s.vertices / 2, false, by);
}

static void check_search(const struct roads *r, const gpugraph_search *search) {
    struct answer a = right_answer(r, search);
    struct found f = {.type = gpugraph_distance_type_of(r->graph)};
    f.distance = malloc((size_t)(r->s.vertices + 1) * 8);
    f.edge = malloc((size_t)(r->s.vertices + 1) * sizeof(uint64_t));
    bool lost = out_of_range(r, &f, &a, search);
    const gpugraph_method *method;
    for (int i = 0; (method = gpugraph_method_at(i)) != NULL; i++) {
        bool cuda = strcmp(method->backend, "cuda") == 0;
        if (strcmp(method->function, "sssp") != 0 ||
            (cuda && !gpugraph_cuda_usable(NULL)))
            continue;
        for (int threads = 1; threads <= 2; threads++) {
            gpugraph_run run = {.method = method->name,
                                .backend = cuda ? GPUGRAPH_CUDA : GPUGRAPH_CPU,
                                .threads = threads};
            gpugraph_sssp(r->graph, search, &run, f.distance, f.edge);
            if (lost && (run.status == GPUGRAPH_RANGE || search->limit == 0)) {
                expect(run.status == GPUGRAPH_RANGE, "%s, %s: status %d, %s", r->s.name,
                       method->name, (int)run.status, run.message);
                continue;
            }
            expect(run.status == GPUGRAPH_OK, "%s, %s: %s", r->s.name, method->name,
                   run.message);
            narrow_edges(r->graph, f.edge, r->s.vertices);
            check_found(r, &f, &a, search, method->name);
        }
    }
    check_lists(r, &a, search, lost);
    free(f.distance);
    free(f.edge);
    answer_free(&a);
}

/* ---- the cases ---- */

/* Bounds the search by a distance that occurs. */
static void bound_by(const struct roads *r, gpugraph_search *search, uint32_t v) {
    struct answer a = right_answer(r, search);
    search->bounded = true;
    search->max_distance = a.whole[v] <= INT64_MAX ? (uint64_t)a.whole[v] : INT64_MAX;
    search->max_real_distance = a.real[v];
    if (!r->real && search->max_distance == INT64_MAX)
        search->max_distance = 5;
    if (r->real && search->max_real_distance == INFINITY)
        search->max_real_distance = 5;
    answer_free(&a);
}

static void check_roads(shape s, enum weights kind, uint64_t seed) {
    struct roads r = make_roads(s, kind, seed);
    uint32_t n = s.vertices, source[3], target[2];
    for (int direction = GPUGRAPH_OUT; direction <= GPUGRAPH_BOTH; direction++) {
        for (int i = 0; i < 3; i++)
            source[i] = (uint32_t)(shape_random(&seed) % n);
        for (int i = 0; i < 2; i++)
            target[i] = (uint32_t)(shape_random(&seed) % n);
        gpugraph_search search = {.source = source,
                                  .source_count = 1,
                                  .direction = (gpugraph_direction)direction};
        check_search(&r, &search);
        search.source_count = 3;
        check_search(&r, &search);
        source[2] = source[0];
        search.limit = shape_random(&seed) % (n + 1) + 1;
        check_search(&r, &search);
        search.limit = 0;
        search.target = target;
        search.target_count = 1;
        check_search(&r, &search);
        search.target_count = 2;
        check_search(&r, &search);
        bound_by(&r, &search, target[0]);
        check_search(&r, &search);
        search.target_count = 0;
        check_search(&r, &search);
    }
    roads_free(&r);
}

START_TEST(small_shapes) {
    shape s;
    for (int kind = 0; kind < WEIGHTS; kind++)
        for (int i = 0; shape_small(i, (uint64_t)kind + 1, &s); i++) {
            if (s.vertices > 0 && s.edges < 400 && !left_out((uint64_t)(i + kind)))
                check_roads(s, (enum weights)kind, (uint64_t)i);
            else
                shape_free(&s);
        }
}
END_TEST

START_TEST(random_shapes) {
    uint64_t seed = 11;
    for (int i = 0; i < 600; i++) {
        uint32_t n = (uint32_t)(shape_random(&seed) % 30) + 1;
        int64_t edges = (int64_t)(shape_random(&seed) % (4 * n));
        if (!left_out((uint64_t)i))
            check_roads(shape_random_edges(n, edges, seed), (enum weights)(i % WEIGHTS),
                        seed);
    }
}
END_TEST

/* Graphs large enough for rounds shared by threads. */
START_TEST(large_shapes) {
    static const enum weights kinds[] = {SMALL, MOSTLY_ZERO, SPREAD, FRACTIONS, LOST};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        shape s =
            i % 2 ? shape_rmat(SANITIZED_PART > 1 ? 10 : 12, 16, i)
                  : shape_random_edges(12000 / SANITIZED_PART, 60000 / SANITIZED_PART, i);
        shape_shuffle(&s, i);
        struct roads r = make_roads(s, kinds[i], i);
        uint32_t source[] = {(uint32_t)s.source[0], (uint32_t)s.source[1]};
        gpugraph_search search = {.source = source,
                                  .source_count = 1 + (uint32_t)i % 2,
                                  .direction = (gpugraph_direction)(i % 3)};
        check_search(&r, &search);
        search.target = source + 1;
        search.target_count = 1;
        check_search(&r, &search);
        roads_free(&r);
    }
}
END_TEST

/* A path of a million vertices, with one in each bucket, against its known distances. */
START_TEST(long_path) {
    enum { LENGTH = 1000000 / SANITIZED_PART };
    static const enum weights kinds[] = {ZERO, SPREAD, FRACTIONS};
    for (size_t i = 0; i < 3; i++) {
        struct roads r = make_roads(shape_path(LENGTH), kinds[i], 1);
        struct found f = {.type = gpugraph_distance_type_of(r.graph)};
        f.distance = malloc((size_t)LENGTH * 8);
        f.edge = malloc(LENGTH * sizeof(uint64_t));
        uint32_t source = 0;
        gpugraph_search search = {.source = &source, .source_count = 1};
        struct answer a = {malloc(LENGTH * sizeof(wide)), malloc(LENGTH * sizeof(double)),
                           NULL, NULL};
        a.whole[0] = 0;
        a.real[0] = 0;
        for (uint32_t v = 1; v < LENGTH; v++) {
            a.whole[v] = a.whole[v - 1] + (r.whole ? (uint64_t)r.whole[v - 1] : 0);
            a.real[v] = a.real[v - 1] + (r.real ? r.real[v - 1] : 0);
        }
        for (int k = 0; k < 2; k++) {
            gpugraph_run run = {.backend = GPUGRAPH_CPU,
                                .method = k ? "dijkstra" : "delta-stepping"};
            gpugraph_sssp(r.graph, &search, &run, f.distance, f.edge);
            ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
            narrow_edges(r.graph, f.edge, LENGTH);
            for (uint32_t v = 0; v < LENGTH; v++)
                expect(found_equals(&f, &a, v) && (v == 0 || f.edge[v] == v - 1),
                       "the end of edge %u", v);
        }
        answer_free(&a);
        free(f.distance);
        free(f.edge);
        roads_free(&r);
    }
}
END_TEST

/* The message names a vertex by its id, a text in quotes. */
START_TEST(range_names_a_text) {
    uint64_t offset[] = {0, 6};
    double weight[] = {DBL_MAX, DBL_MAX};
    int64_t source[] = {1, 2}, target[] = {2, 0};
    uint8_t target_is_text = 2; /* the second one */
    gpugraph_edges edges = {.count = 2,
                            .source = {.value = source},
                            .target = {.value = target, .is_text = &target_is_text},
                            .weight_type = GPUGRAPH_REAL_WEIGHTS,
                            .weight = weight,
                            .texts = {.count = 1, .offset = offset, .bytes = "harbor"}};
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_graph *graph;
    gpugraph_create(&edges, &run, &graph);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    uint32_t from = gpugraph_find_integer(graph, 1);
    double distance[3];
    gpugraph_search search = {.source = &from, .source_count = 1};
    ck_assert_int_eq(gpugraph_sssp(graph, &search, &run, distance, NULL), GPUGRAPH_RANGE);
    ck_assert_ptr_nonnull(strstr(run.message, "vertex 'harbor'"));
    gpugraph_free(graph);
}
END_TEST

START_TEST(range_names_an_integer) {
    int64_t source[] = {100, 200, 300}, target[] = {200, 300, 400};
    int64_t weight[] = {INT64_MAX, 0, 1};
    gpugraph_edges edges = {.count = 3,
                            .source = {.value = source},
                            .target = {.value = target},
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = weight};
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_graph *graph;
    gpugraph_create(&edges, &run, &graph);
    uint32_t from = 0, to = 2;
    uint64_t distance[4];
    gpugraph_search search = {.source = &from, .source_count = 1};
    ck_assert_int_eq(gpugraph_sssp(graph, &search, &run, distance, NULL), GPUGRAPH_RANGE);
    ck_assert_ptr_nonnull(strstr(run.message, "vertex 400"));
    search.target = &to;
    search.target_count = 1;
    ck_assert_int_eq(gpugraph_sssp(graph, &search, &run, distance, NULL), GPUGRAPH_OK);
    ck_assert(distance[2] == INT64_MAX);
    search.target_count = 0;
    search.bounded = true;
    search.max_distance = INT64_MAX;
    ck_assert_int_eq(gpugraph_sssp(graph, &search, &run, distance, NULL), GPUGRAPH_OK);
    ck_assert(distance[2] == INT64_MAX && distance[3] == UINT64_MAX);
    gpugraph_free(graph);
}
END_TEST

/* Asks to stop after so many calls. */
static int when_asked(void *times) {
    return --*(int *)times < 0;
}

START_TEST(interrupt_leaves_a_usable_graph) {
    enum { LENGTH = SANITIZED_PART > 1 ? 500000 : 1500000 };
    struct roads r = make_roads(shape_path(LENGTH), SPREAD, 1);
    uint32_t source = 0, *edge = malloc(LENGTH * sizeof(uint64_t));
    uint64_t *distance = malloc(LENGTH * sizeof *distance);
    gpugraph_search search = {.source = &source, .source_count = 1};
    for (int times = 0; times < 4; times++) {
        int left = times;
        gpugraph_run run = {.interrupted = when_asked,
                            .listener = &left,
                            .backend = GPUGRAPH_CPU,
                            .method = times % 2 ? "dijkstra" : "delta-stepping"};
        gpugraph_sssp(r.graph, &search, &run, distance, edge);
        expect(run.status == GPUGRAPH_INTERRUPTED, "status %d after %d looks", run.status,
               times);
        ck_assert_str_eq(run.message, "interrupted");
    }
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_sssp(r.graph, &search, &run, distance, edge), GPUGRAPH_OK);
    ck_assert_uint_eq(gpugraph_edge_at(r.graph, edge, LENGTH - 1), LENGTH - 2);
    uint32_t *vertex = malloc(LENGTH * sizeof *vertex), count;
    for (int times = 0; times < 2; times++) {
        int left = times;
        gpugraph_run stopped = {
            .interrupted = when_asked, .listener = &left, .backend = GPUGRAPH_CPU};
        gpugraph_sssp_list(r.graph, &search, &stopped, LENGTH, vertex, distance, NULL,
                           &count);
        expect(stopped.status == GPUGRAPH_INTERRUPTED && count == GPUGRAPH_NONE,
               "a list: status %d after %d looks", stopped.status, times);
    }
    free(vertex);
    free(edge);
    free(distance);
    roads_free(&r);
}
END_TEST

START_TEST(wrong_arguments) {
    shape s = shape_path(5);
    gpugraph_graph *plain = shape_graph(&s);
    struct roads r = make_roads(s, FRACTIONS, 1);
    double distance[5];
    uint32_t source = 5;
    gpugraph_search search = {.source = &source, .source_count = 1};
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_sssp(plain, &search, &run, distance, NULL),
                     GPUGRAPH_INVALID);
    ck_assert_ptr_nonnull(strstr(run.message, "weights"));
    ck_assert_int_eq(gpugraph_sssp(r.graph, &search, &run, distance, NULL),
                     GPUGRAPH_INVALID);
    source = 0;
    search.bounded = true;
    search.max_real_distance = NAN;
    ck_assert_int_eq(gpugraph_sssp(r.graph, &search, &run, distance, NULL),
                     GPUGRAPH_INVALID);
    search.max_real_distance = -1;
    ck_assert_int_eq(gpugraph_sssp(r.graph, &search, &run, distance, NULL), GPUGRAPH_OK);
    ck_assert(distance[0] == INFINITY);
    gpugraph_free(plain);
    roads_free(&r);
}
END_TEST

const struct suite suite = {
    "sssp",
    {{"sssp", .timeout = 240,
      .cases = {{&large_shapes}, {&long_path}, {&interrupt_leaves_a_usable_graph}}},
     {"no thread", .tags = "serial", .timeout = 240,
      .cases = {{&small_shapes},
                {&random_shapes},
                {&range_names_an_integer},
                {&range_names_a_text},
                {&wrong_arguments}}}},
};
