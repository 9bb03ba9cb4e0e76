/* The k shortest paths against all simple paths, which a plain walk lists: sums in the
** order of travel, sorted by sum and by list of edge numbers. */
#include "share.h"
#include "sssp_oracle.h"
#include "suite.h"
#include "tiny_graphs.h"

enum { MOST_STEPS = 12, MOST_PATHS = 4000 };

typedef struct listed {
    wide whole;
    double real;
    uint32_t count;
    uint64_t edge[MOST_STEPS];
} listed;

/* ---- all simple paths ---- */

typedef struct lister {
    const struct roads *r;
    gpugraph_direction direction;
    bool weighted;
    uint32_t target;
    uint64_t on_path;
    listed now, *path;
    uint32_t paths;
} lister;

static void walk(lister *l, uint32_t v);

static void step(lister *l, int64_t e, uint32_t from, uint32_t to, uint32_t v) {
    const listed before = l->now;
    if (from != v || from == to || (l->on_path >> to & 1))
        return;
    if (!l->weighted)
        l->now.whole++;
    else if (l->r->real)
        l->now.real += l->r->real[e];
    else
        l->now.whole += (uint64_t)l->r->whole[e];
    l->now.edge[l->now.count++] = (uint64_t)e;
    walk(l, to);
    l->now = before;
}

static void walk(lister *l, uint32_t v) {
    if (v == l->target) {
        expect(l->paths < MOST_PATHS, "too many paths");
        l->path[l->paths++] = l->now;
        return;
    }
    l->on_path |= (uint64_t)1 << v;
    for (int64_t e = 0; e < l->r->s.edges; e++) {
        uint32_t a = (uint32_t)l->r->s.source[e], b = (uint32_t)l->r->s.target[e];
        if (l->direction != GPUGRAPH_IN)
            step(l, e, a, b, v);
        if (l->direction != GPUGRAPH_OUT)
            step(l, e, b, a, v);
    }
    l->on_path &= ~((uint64_t)1 << v);
}

static int in_order(const void *a, const void *b) {
    const listed *x = a, *y = b;
    if (x->whole != y->whole)
        return x->whole < y->whole ? -1 : 1;
    if (x->real != y->real)
        return x->real < y->real ? -1 : 1;
    for (uint32_t i = 0; i < x->count && i < y->count; i++)
        if (x->edge[i] != y->edge[i])
            return x->edge[i] < y->edge[i] ? -1 : 1;
    return 0;
}

/* ---- checks ---- */

typedef struct expected {
    const lister *l;
    uint32_t next;
} expected;

static int compare(void *context, const uint64_t *edge, uint64_t count) {
    expected *x = context;
    const lister *l = x->l;
    expect(x->next < l->paths, "%s: a path beyond the last", l->r->s.name);
    const listed *want = &l->path[x->next++];
    bool same = count == want->count;
    for (uint64_t i = 0; same && i < count; i++)
        same = edge[i] == want->edge[i];
    expect(same, "%s: path %u of %u differs (%llu edges, not %u)", l->r->s.name, x->next,
           l->paths, (unsigned long long)count, want->count);
    return 0;
}

/* The number of paths in range. The others come last. */
static uint32_t in_range(const lister *l) {
    uint32_t count = 0;
    while (count < l->paths && l->path[count].whole <= INT64_MAX &&
           l->path[count].real <= DBL_MAX)
        count++;
    return count;
}

/* The first path is as long as gpu_sssp's: the two oracles must agree. */
static void check_first(const lister *l, uint32_t source) {
    gpugraph_search search = {
        .source = &source, .source_count = 1, .direction = l->direction};
    struct answer a = right_answer(l->r, &search);
    if (l->r->real)
        expect((l->paths ? l->path[0].real : INFINITY) == a.real[l->target], "%s: %g",
               l->r->s.name, a.real[l->target]);
    else
        expect((l->paths ? l->path[0].whole : FAR) == a.whole[l->target], "%s: %u paths",
               l->r->s.name, l->paths);
    answer_free(&a);
}

static void check_pair(const struct roads *r, uint32_t source, uint32_t target,
                       gpugraph_direction direction, bool weighted) {
    static listed path[MOST_PATHS];
    lister l = {.r = r,
                .direction = direction,
                .weighted = weighted,
                .target = target,
                .path = path};
    walk(&l, source);
    qsort(path, l.paths, sizeof *path, in_order);
    if (weighted)
        check_first(&l, source);
    for (int on = GPUGRAPH_CPU; on <= GPUGRAPH_CUDA; on++) {
        const uint32_t ks[] = {1, 3, l.paths, l.paths + 5};
        if (on == GPUGRAPH_CUDA && !gpugraph_cuda_usable(NULL))
            continue;
        for (int i = 0; i < 4; i++) {
            gpugraph_run run = {.backend = (gpugraph_backend)on, .threads = 1 + i % 2};
            gpugraph_search search = {.source = &source,
                                      .source_count = 1,
                                      .target = &target,
                                      .target_count = 1,
                                      .direction = direction,
                                      .max_depth = GPUGRAPH_NONE};
            expected x = {.l = &l};
            gpugraph_paths(r->graph, &search, weighted, ks[i], &run, compare, &x);
            const uint32_t wanted = ks[i] < l.paths ? ks[i] : l.paths;
            if (wanted > in_range(&l)) {
                expect(run.status == GPUGRAPH_RANGE, "%s: %s", r->s.name, run.message);
                continue;
            }
            expect(run.status == GPUGRAPH_OK, "%s: %s", r->s.name, run.message);
            expect(x.next == wanted, "%s: %u paths for k = %u, there are %u", r->s.name,
                   x.next, ks[i], l.paths);
        }
    }
}

static void check_all_pairs(shape s, enum weights kind, uint64_t seed) {
    struct roads r = make_roads(s, kind, seed);
    for (uint32_t u = 0; u < s.vertices; u++)
        for (uint32_t v = 0; v < s.vertices; v++) {
            const gpugraph_direction direction = (gpugraph_direction)((u + v + seed) % 3);
            check_pair(&r, u, v, direction, true);
            if (kind == SMALL)
                check_pair(&r, u, v, direction, false);
        }
    roads_free(&r);
}

START_TEST(every_tiny_graph) {
    tiny_graphs all = {.step = 61, .doubled = true, .n = 1};
    for (shape s; next_tiny_graph(&all, &s);) {
        shape_shuffle(&s, all.bits);
        check_all_pairs(s,
                        (enum weights)(all.bits / (all.n == 4 ? all.step : 1) % WEIGHTS),
                        all.bits);
    }
}
END_TEST

/* All kinds of weights: zeros, sums that do not grow, and sums that leave the range. */
START_TEST(random_graphs) {
    for (uint64_t seed = 1; seed <= 12; seed++) {
        if (left_out(seed))
            continue;
        check_all_pairs(shape_random_edges(6, 14, seed), (enum weights)_i, seed);
        shape grid = shape_grid(3, 3);
        shape_renumber(&grid, seed);
        shape_shuffle(&grid, seed + 1);
        check_all_pairs(grid, (enum weights)_i, seed);
    }
}
END_TEST

static int count_one(void *count, const uint64_t *edge, uint64_t edges) {
    (void)edge, (void)edges;
    ++*(uint32_t *)count;
    return 0;
}

static int at_once(void *unused) {
    (void)unused;
    return 1;
}

/* A grid has more paths than can be listed, but the first ones come soon. */
START_TEST(many_ties) {
    struct roads r = make_roads(shape_grid(60, 60), ZERO, 1);
    uint32_t source = 0, target = 3599, count = 0;
    gpugraph_search search = {.source = &source,
                              .source_count = 1,
                              .target = &target,
                              .target_count = 1,
                              .max_depth = GPUGRAPH_NONE};
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    gpugraph_paths(r.graph, &search, false, 50, &run, count_one, &count);
    ck_assert_uint_eq(count, 50);
    gpugraph_paths(r.graph, &search, true, 5, &run, count_one, &count);
    ck_assert_uint_eq(count, 55);
    run.interrupted = at_once;
    ck_assert_int_eq(
        gpugraph_paths(r.graph, &search, true, 1000, &run, count_one, &count),
        GPUGRAPH_INTERRUPTED);
    run = (gpugraph_run){.method = "guess"};
    ck_assert_int_eq(gpugraph_paths(r.graph, &search, true, 1, &run, count_one, &count),
                     GPUGRAPH_INVALID);
    roads_free(&r);
}
END_TEST

const struct suite suite = {
    "paths",
    {{"paths", .timeout = 240,
      .cases = {{&every_tiny_graph}, {&random_graphs, WEIGHTS}, {&many_ties}}}},
};
