/* Distance matrices against Bellman and Ford's algorithm in arithmetic that cannot
** overflow, cell by cell and bit by bit: every method, backend and number of threads,
** every direction, with bounds, and with more sources than targets and fewer. */
#include "matrix/contraction.h"
#include "suite.h"
#include "tiny_graphs.h"
#include "share.h"
#include "sssp_oracle.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ENDS = 40 };

typedef struct ends {
    uint32_t source[MOST_ENDS], target[MOST_ENDS];
    gpugraph_search search;
} ends;

static void draw_ends(ends *e, uint32_t n, uint32_t sources, uint32_t targets,
                      uint64_t seed) {
    for (uint32_t i = 0; i < MOST_ENDS; i++) {
        e->source[i] = (uint32_t)(shape_random(&seed) % n);
        e->target[i] = (uint32_t)(shape_random(&seed) % n);
    }
    e->search = (gpugraph_search){.source = e->source,
                                  .source_count = sources,
                                  .target = e->target,
                                  .target_count = targets,
                                  .max_depth = GPUGRAPH_NONE};
}

/* ---- the right cells ---- */

/* As words of 64 bits, where all ones is no path. *lost: a cell leaves the range. */
static void right_cells(const struct roads *r, const gpugraph_search *s, uint64_t *cell,
                        bool *lost) {
    const gpugraph_distance_type type = gpugraph_distance_type_of(r->graph);
    *lost = false;
    for (uint32_t i = 0; i < s->source_count; i++) {
        gpugraph_search one = {
            .source = s->source + i, .source_count = 1, .direction = s->direction};
        struct answer a = right_answer(r, &one);
        for (uint32_t j = 0; j < s->target_count; j++) {
            const uint32_t v = s->target[j];
            uint64_t *to = &cell[i * s->target_count + j];
            *to = UINT64_MAX;
            if (type == GPUGRAPH_REAL) {
                const double most = s->bounded ? s->max_real_distance : DBL_MAX;
                if (a.real[v] <= most)
                    memcpy(to, &a.real[v], sizeof *to);
            } else if (a.whole[v] != FAR &&
                       (!s->bounded || a.whole[v] <= s->max_distance)) {
                *lost |= a.whole[v] > INT64_MAX;
                *to = (uint64_t)a.whole[v];
            }
        }
        answer_free(&a);
    }
}

/* In that arithmetic REAL sums out of range look like no path. */
static uint64_t word_of(gpugraph_distance_type type, const void *cell, uint64_t i) {
    uint64_t word;
    if (type == GPUGRAPH_UINT32) {
        uint32_t narrow = ((const uint32_t *)cell)[i];
        return narrow == UINT32_MAX ? UINT64_MAX : narrow;
    }
    memcpy(&word, (const uint64_t *)cell + i, sizeof word);
    if (type == GPUGRAPH_REAL && !(((const double *)cell)[i] <= DBL_MAX))
        return UINT64_MAX;
    return word;
}

/* ---- checks ---- */

static bool takes(const struct roads *r, const gpugraph_method *m, bool weighted) {
    return strcmp(m->name, "contraction") != 0 || !weighted ||
           gpugraph_distance_type_of(r->graph) == GPUGRAPH_UINT32;
}

static void check_by(const struct roads *r, const gpugraph_search *s, bool weighted,
                     const gpugraph_method *m, int threads, const uint64_t *right,
                     bool lost) {
    const gpugraph_distance_type type =
        weighted ? gpugraph_distance_type_of(r->graph) : GPUGRAPH_UINT32;
    const uint64_t cells = (uint64_t)s->source_count * s->target_count;
    uint64_t *cell = malloc(cells * sizeof *cell);
    gpugraph_run run = {.backend = strcmp(m->backend, "cuda") == 0 ? GPUGRAPH_CUDA
                                                                   : GPUGRAPH_CPU,
                        .method = m->name,
                        .threads = threads};
    memset(cell, 0xab, cells * sizeof *cell);
    gpugraph_matrix(r->graph, s, weighted, &run, cell);
    if (!takes(r, m, weighted)) {
        expect(run.status == GPUGRAPH_INVALID, "%s: %s", m->name, run.message);
    } else if (lost || (run.status == GPUGRAPH_RANGE && type == GPUGRAPH_REAL)) {
        expect(run.status == GPUGRAPH_RANGE, "%s, %s: %s", r->s.name, m->name,
               run.message);
    } else {
        expect(run.status == GPUGRAPH_OK, "%s, %s: %s", r->s.name, m->name, run.message);
        for (uint64_t i = 0; i < cells; i++)
            expect(word_of(type, cell, i) == right[i],
                   "%s, %s on %s, %d thread(s), %u x %u, cell %llu: %llx, not %llx",
                   r->s.name, m->name, m->backend, threads, s->source_count,
                   s->target_count, (unsigned long long)i,
                   (unsigned long long)word_of(type, cell, i),
                   (unsigned long long)right[i]);
    }
    free(cell);
}

static void check(const struct roads *r, const gpugraph_search *s, bool weighted) {
    const gpugraph_method *m;
    uint64_t *right = malloc((size_t)s->source_count * s->target_count * sizeof *right);
    bool lost;
    right_cells(r, s, right, &lost);
    for (int i = 0; (m = gpugraph_method_at(i)) != NULL; i++) {
        const bool cuda = strcmp(m->backend, "cuda") == 0;
        if (strcmp(m->function, "matrix") != 0 || (cuda && !gpugraph_cuda_usable(NULL)))
            continue;
        for (int threads = 1; threads <= (cuda ? 1 : 3); threads += 2)
            check_by(r, s, weighted, m, threads, right, lost);
    }
    free(right);
}

/* By depth the right cells are those of weights of 1. */
static void check_depths(const struct roads *r, const gpugraph_search *s) {
    struct roads ones = *r;
    gpugraph_search deep = *s;
    ones.real = NULL;
    ones.whole = malloc((size_t)(r->s.edges + 1) * sizeof *ones.whole);
    for (int64_t e = 0; e < r->s.edges; e++)
        ones.whole[e] = 1;
    ones.graph = shape_weighed(&r->s, false, ones.whole, NULL);
    if (s->bounded) {
        deep.max_distance = 3;
        deep.max_depth = 3;
    }
    check(&ones, &deep, true);
    check(&ones, &deep, false);
    gpugraph_free(ones.graph);
    free(ones.whole);
}

static void check_shape(shape s, enum weights kind, uint64_t seed) {
    static const uint32_t sizes[][2] = {{1, 1}, {3, 7}, {9, 2}, {12, 12}};
    struct roads r = make_roads(s, kind, seed);
    ends e;
    for (int size = 0; size < 4; size++) {
        draw_ends(&e, s.vertices, sizes[size][0], sizes[size][1], seed + (uint64_t)size);
        e.search.direction = (gpugraph_direction)((seed + (uint64_t)size) % 3);
        check(&r, &e.search, true);
        e.search.bounded = true;
        e.search.max_distance = 12;
        e.search.max_real_distance = 2.5;
        check(&r, &e.search, true);
        if (kind == SMALL) {
            check_depths(&r, &e.search);
            e.search.bounded = false;
            check_depths(&r, &e.search);
        }
    }
    roads_free(&r);
}

START_TEST(every_tiny_graph) {
    tiny_graphs all = {.step = 97, .doubled = true, .n = 1};
    for (shape s; next_tiny_graph(&all, &s);) {
        ends e;
        struct roads r = make_roads(s, all.bits % 2 ? SMALL : LOST, all.bits);
        draw_ends(&e, all.n, all.n, all.n, all.bits);
        for (uint32_t v = 0; v < all.n; v++)
            e.source[v] = e.target[v] = v;
        e.search.direction = (gpugraph_direction)(all.bits % 3);
        check(&r, &e.search, true);
        roads_free(&r);
    }
}
END_TEST

START_TEST(small_shapes) {
    shape s;
    for (int i = 0; shape_small(i, (uint64_t)_i + 1, &s); i++) {
        if (s.vertices == 0 || left_out((uint64_t)i)) {
            shape_free(&s);
            continue;
        }
        check_shape(s, (enum weights)_i, (uint64_t)i);
    }
}
END_TEST

/* Long paths, arcs that contraction adds, and a core with many neighbours. */
START_TEST(grids_and_random_ones) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        if (seed > 1 && left_out(seed))
            continue;
        shape grid = shape_grid(17, 23);
        shape_renumber(&grid, seed);
        check_shape(grid, seed % 2 ? SMALL : FRACTIONS, seed);
        check_shape(shape_random_edges(120, 400, seed), MOSTLY_ZERO, seed);
        check_shape(shape_random_edges(300, 330, seed), SMALL, seed);
    }
}
END_TEST

/* ---- the choices of auto, which follow from counts of rows and contractions, not from a
** clock ---- */

enum { MOST_PLACES = 200 };

/* What the phases of a call report. */
struct told {
    char contract[120], search[200];
    int64_t served;
};

static void keep_told(void *listener, const char *name, double ms, int64_t items,
                      const char *detail) {
    struct told *t = listener;
    (void)ms;
    if (strcmp(name, "contract") == 0)
        snprintf(t->contract, sizeof t->contract, "%s", detail);
    if (strcmp(name, "search") == 0) {
        snprintf(t->search, sizeof t->search, "%s", detail);
        t->served = items;
    }
}

/* All distances between places, in any direction, by one thread, by depth too. Every
** method must have the same cells. */
static struct told check_auto(gpugraph_graph *graph, const uint32_t *place,
                              uint32_t places, bool weighted, const char *takes) {
    static uint32_t cell[2][MOST_PLACES * MOST_PLACES];
    static const char *const others[] = {"rows", "contraction"};
    struct told t = {.served = 0}, ignored;
    gpugraph_search search = {.source = place,
                              .source_count = places,
                              .target = place,
                              .target_count = places,
                              .direction = GPUGRAPH_BOTH,
                              .max_depth = GPUGRAPH_NONE};
    gpugraph_run run = {
        .backend = GPUGRAPH_CPU, .threads = 1, .phase = keep_told, .listener = &t};
    gpugraph_matrix(graph, &search, weighted, &run, cell[0]);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    ck_assert_msg(strcmp(run.used_method, takes) == 0, "%u places: %s, not %s; %s; %s",
                  places, run.used_method, takes, t.contract, t.search);
    run.listener = &ignored;
    for (int i = 0; i < 2; i++) {
        run.method = others[i];
        gpugraph_matrix(graph, &search, weighted, &run, cell[1]);
        ck_assert_str_eq(run.used_method, others[i]);
        ck_assert_mem_eq(cell[0], cell[1], (size_t)places * places * sizeof *cell[0]);
    }
    return t;
}

static struct told check_auto_of(shape s, bool weighted, uint32_t places, uint32_t step,
                                 const char *takes) {
    struct roads r = make_roads(s, SMALL, 4);
    uint32_t place[MOST_PLACES];
    for (uint32_t i = 0; i < places; i++)
        place[i] = i * step % r.s.vertices;
    const struct told t = check_auto(r.graph, place, places, weighted, takes);
    roads_free(&r);
    return t;
}

static bool begins_with(const char *text, const char *head) {
    return strncmp(text, head, strlen(head)) == 0;
}

/* A contraction is not worthwhile for neighbouring places, however many, nor for a few
** that are far apart. It is for many. */
START_TEST(auto_of_chains_and_trees) {
    const bool weighted = _i;
    struct told t = check_auto_of(shape_path(20000), weighted, 50, 1, "rows");
    ck_assert_str_eq(t.contract, "");
    ck_assert_int_lt(t.served, 50 * 100);
    t = check_auto_of(shape_path(20000), weighted, 4, 4999, "rows");
    ck_assert_str_eq(t.contract, "");
    t = check_auto_of(shape_path(20000), weighted, 50, 399, "contraction");
    ck_assert_str_ne(t.contract, "");
    ck_assert_msg(begins_with(t.search, "contraction on cpu; 1 searches, "), "%s",
                  t.search);
    check_auto_of(shape_binary_tree(14), weighted, 50, 317, "contraction");
    check_auto_of(shape_comb(90, 40), weighted, 40, 83, "contraction");
}
END_TEST

/* A contraction of a grid costs more than rows. If it is begun, it must end before it
** reads as many arcs as they do. */
START_TEST(auto_of_grids) {
    struct told t = check_auto_of(shape_grid(60, 60), true, 40, 83, "rows");
    enum { SIDE = SANITIZED_PART > 1 ? 120 : 150 };
    t = check_auto_of(shape_grid(SIDE, SIDE), true, 200, 111, "rows");
    ck_assert_msg(begins_with(t.contract, "given up: "), "%s", t.contract);
    const double looked = atof(t.contract + strlen("given up: "));
    ck_assert_msg(looked > 0 && looked < 200 * SIDE * SIDE * 4, "%s", t.contract);
    t = check_auto_of(shape_rmat(12, 8, 3), true, 40, 83, "rows");
    ck_assert_str_eq(t.contract, "");
}
END_TEST

/* The first places reach nothing, so the choice must be made again. */
START_TEST(auto_asks_again) {
    shape s = shape_beside("specks", shape_path(20000), shape_empty(10));
    struct roads r = make_roads(s, SMALL, 4);
    uint32_t place[60];
    for (uint32_t i = 0; i < 60; i++)
        place[i] = i < 10 ? 20000 + i : i * 331;
    struct told t = check_auto(r.graph, place, 60, true, "contraction");
    ck_assert_msg(begins_with(t.search, "contraction on cpu; 16 searches, "), "%s",
                  t.search);
    roads_free(&r);
}
END_TEST

/* Chains of parents of a chain and of a tree have about log n vertices, and lists have
** few arcs. */
static void check_depth(shape s, uint32_t most) {
    struct roads r = make_roads(s, SMALL, 4);
    const contraction_limit none = {INFINITY, UINT64_MAX};
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    const matrix m = {.graph = r.graph,
                      .run = &run,
                      .type = GPUGRAPH_UINT32,
                      .weighted = true,
                      .direction = GPUGRAPH_BOTH};
    contracted c;
    ck_assert(gg_contract(&m, &none, &c));
    for (uint32_t v = 0; v < r.s.vertices; v++) {
        ck_assert_uint_le(c.depth[v], most);
        ck_assert_uint_le(c.count[v], 2);
    }
    ck_assert_uint_le(c.work, 8 * (uint64_t)r.s.vertices);
    gg_free_contracted(&c);
    roads_free(&r);
}

START_TEST(chains_of_parents_are_short) {
    check_depth(shape_path(100000 / SANITIZED_PART), 40);
    check_depth(shape_cycle(100000 / SANITIZED_PART), 40);
    check_depth(shape_comb(300, 300 / SANITIZED_PART), 40);
    check_depth(shape_binary_tree(SANITIZED_PART > 1 ? 12 : 15), 40);
}
END_TEST

static int listener;

static int at_once(void *told) {
    ck_assert_ptr_eq(told, &listener);
    return 1;
}

START_TEST(arguments_and_interrupts) {
    struct roads r = make_roads(shape_grid(100, 100), SMALL, 4),
                 large = make_roads(shape_grid(300, 300), SMALL, 4);
    ends e;
    static uint32_t cell[MOST_ENDS * MOST_ENDS];
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .method = "guess"};
    draw_ends(&e, 10000, MOST_ENDS, MOST_ENDS, 3);
    ck_assert_int_eq(gpugraph_matrix(r.graph, &e.search, true, &run, cell),
                     GPUGRAPH_INVALID);
    run.method = NULL;
    e.search.target_count = 0;
    ck_assert_int_eq(gpugraph_matrix(r.graph, &e.search, true, &run, cell),
                     GPUGRAPH_INVALID);
    e.search.target_count = MOST_ENDS;
    e.target[7] = 10000;
    ck_assert_int_eq(gpugraph_matrix(r.graph, &e.search, true, &run, cell),
                     GPUGRAPH_INVALID);
    e.target[7] = 0;
    for (int i = 0; i < 4; i++) {
        run = (gpugraph_run){.backend = GPUGRAPH_CPU,
                             .threads = 2,
                             .method = i % 2 ? "rows" : "contraction",
                             .interrupted = at_once,
                             .listener = &listener};
        gpugraph_graph *graph = i % 2 ? large.graph : r.graph;
        ck_assert_int_eq(gpugraph_matrix(graph, &e.search, i < 2, &run, cell),
                         GPUGRAPH_INTERRUPTED);
        run.interrupted = NULL;
        ck_assert_int_eq(gpugraph_matrix(graph, &e.search, i < 2, &run, cell),
                         GPUGRAPH_OK);
    }
    roads_free(&r);
    roads_free(&large);
    shape path = shape_path(5);
    gpugraph_graph *plain = shape_graph(&path);
    e.search.source_count = e.search.target_count = 1;
    e.source[0] = e.target[0] = 0;
    run = (gpugraph_run){.backend = GPUGRAPH_CPU};
    ck_assert_int_eq(gpugraph_matrix(plain, &e.search, true, &run, cell),
                     GPUGRAPH_INVALID);
    gpugraph_free(plain);
    shape_free(&path);
}
END_TEST

const struct suite suite = {
    "matrix",
    {{"matrix", .timeout = 240,
      .cases = {{&every_tiny_graph},
                {&small_shapes, WEIGHTS},
                {&grids_and_random_ones},
                {&auto_of_chains_and_trees, 2},
                {&auto_of_grids},
                {&auto_asks_again},
                {&chains_of_parents_are_short},
                {&arguments_and_interrupts}}}},
};
