/* The workers of the device's method "many-paths" (gpu/dfs_paths.h), compiled for CPU
** threads: a thread is a warp one lane wide. Rings and chunks are tiny here, so that every
** path of flush, theft and offer is taken thousands of times; under
** GPUGRAPH_SANITIZE=thread the orderings are checked too. */
#include <sched.h>

static void jitter(void);
#define WARP_JITTER() jitter()
#include "dfs_paths.h"
#include "dfs_rows.h"

#include <pthread.h>
#include <time.h>

enum { MOST_WORKERS = 12, MOST_RING = 64 };

/* ---- a crew of threads ---- */

struct memory {
    struct paths_crew crew;
    struct dfs_control control;
    uint64_t word[MOST_WORKERS], entry[2 * MOST_WORKERS * MOST_RING];
    uint64_t hand[2 * MOST_WORKERS];
    uint32_t busy[MOST_WORKERS], leave[MOST_WORKERS];
    uint64_t cold[MOST_WORKERS], free[MOST_WORKERS], work[MOST_WORKERS];
    uint32_t host_stop;
};

static struct memory *crew_new(const struct rows *g, struct paths_shape shape,
                               uint32_t blocks, uint32_t block_workers) {
    struct memory *m = need(1, sizeof *m);
    struct paths_crew *crew = &m->crew;
    crew->offset = g->offset;
    crew->target = g->target;
    crew->n = g->n;
    crew->blocks = blocks;
    crew->block_workers = block_workers;
    crew->shape = shape;
    crew->control = &m->control;
    crew->cold = m->cold;
    crew->work = m->work;
    crew->host_stop = &m->host_stop;
    crew->visited = need(g->n / 32 + 1, sizeof(uint32_t));
    crew->tree = need(g->n, sizeof(uint64_t));
    crew->free = m->free;
    memset(m->cold, 0xff, sizeof m->cold);
    memset(m->free, 0xff, sizeof m->free);
    uint64_t entries = g->n + g->offset[g->n] / shape.arcs;
    crew->pool.chunks = (uint32_t)(entries / shape.batch) + 1 +
                        (4 + GG_PATHS_SPARES) * blocks * block_workers;
    crew->pool.batch = shape.batch;
    crew->pool.entry =
        need((size_t)crew->pool.chunks * shape.batch * 2, sizeof(uint64_t));
    crew->pool.next = need(crew->pool.chunks, sizeof(uint32_t));
    crew->pool.touched = &m->control.touched;
    m->control.busy = blocks;
    m->control.group = NOBODY;
    crew->limit = UINT32_MAX;
    for (uint32_t block = 0; block < blocks; block++)
        m->busy[block] = block_workers;
    return m;
}

static void plant(struct memory *m, const uint32_t *root, uint32_t roots) {
    m->crew.root = root;
    m->crew.roots = roots;
    for (uint32_t i = 0; i < roots; i++) {
        m->crew.visited[root[i] / 32] |= 1u << root[i] % 32;
        m->crew.tree[root[i]] = (uint64_t)NOBODY << 32;
    }
}

static void crew_free(struct memory *m) {
    free(m->crew.visited);
    free(m->crew.tree);
    free(m->crew.pool.entry);
    free(m->crew.pool.next);
    free(m);
}

struct thread {
    pthread_t id;
    struct memory *memory;
    pthread_barrier_t *start;
    uint32_t number;
};

static void *one_worker(void *argument) {
    struct thread *thread = argument;
    struct memory *m = thread->memory;
    uint32_t workers = m->crew.block_workers, block = thread->number / workers;
    struct paths_block view = {
        m->word + block * workers,
        m->entry + 2 * (size_t)block * workers * m->crew.shape.ring,
        m->hand + 2 * block * workers, m->busy + block, m->leave + block};
    pthread_barrier_wait(thread->start);
    paths_work(m->crew, view, thread->number, m->crew.dag.left != NULL);
    return NULL;
}

static void crew_run(struct memory *m, uint32_t stop_after_us) {
    struct thread thread[MOST_WORKERS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, m->crew.blocks * m->crew.block_workers);
    for (uint32_t i = 0; i < m->crew.blocks * m->crew.block_workers; i++) {
        thread[i].memory = m;
        thread[i].start = &start;
        thread[i].number = i;
        ck_assert_int_eq(pthread_create(&thread[i].id, NULL, one_worker, &thread[i]), 0);
    }
    if (stop_after_us) {
        struct timespec pause = {0, (long)stop_after_us * 1000};
        nanosleep(&pause, NULL);
        __atomic_store_n(&m->host_stop, 1, __ATOMIC_RELAXED);
    }
    for (uint32_t i = 0; i < m->crew.blocks * m->crew.block_workers; i++)
        pthread_join(thread[i].id, NULL);
    pthread_barrier_destroy(&start);
}

/* ---- what a finished search promises ---- */

static void expect_done(const struct memory *m, const struct rows *g,
                        const uint32_t *owner) {
    uint32_t *depth = need(g->n, sizeof *depth), *parent = need(g->n, sizeof *parent);
    for (uint32_t v = 0; v < g->n; v++) {
        bool there = m->crew.visited[v / 32] >> v % 32 & 1;
        depth[v] = there ? (uint32_t)m->crew.tree[v] : NOBODY;
        parent[v] = there ? (uint32_t)(m->crew.tree[v] >> 32) : NOBODY;
    }
    uint32_t reached = expect_rows_tree(g, owner, depth, parent);
    expect(m->control.reached == reached, "%u counted, %u reached", m->control.reached,
           reached);
    expect(m->control.exhausted == 0, "the pool was exhausted");
    expect(m->control.busy == 0, "%u are busy at the end", m->control.busy);
    uint64_t looked = 0, arcs = 0;
    for (uint32_t i = 0; i < m->crew.blocks; i++) {
        expect(m->busy[i] == 0, "block %u is busy", i);
        expect(dfs_first(m->cold[i]) == DFS_NO_CHUNK, "list %u is not empty", i);
        looked += m->work[i];
    }
    for (uint32_t v = 0; v < g->n; v++)
        arcs += owner[v] == NOBODY ? 0 : g->offset[v + 1] - g->offset[v];
    expect(looked == arcs, "%llu of %llu arcs were looked at", (unsigned long long)looked,
           (unsigned long long)arcs);
    free(depth);
    free(parent);
}

static const struct paths_shape shapes[] = {{8, 1, 1, 1, 1, 1, 0, 1},
                                            {8, 1, 3, 1, 2, 4, 2, 10},
                                            {16, 1, 7, 1, 4, 8, 100, 1u << 30},
                                            {64, 1, 50, 1, 8, 60, 8, 1u << 30}};
static const uint32_t crews[][2] = {{1, 1}, {1, 4}, {4, 1}, {2, 3}, {3, 4}};

#define FOR_ALL_CREWS                                                                    \
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)                          \
        for (size_t c = 0; c < sizeof crews / sizeof *crews; c++)

/* From vertex 0. */
START_TEST(tree_of_one_source) {
    struct rows g = make((enum shape)_i, 6000, true);
    uint32_t *owner = need(g.n, sizeof *owner), source = 0, stolen = 0;
    memset(owner, 0xff, g.n * sizeof *owner);
    reach(&g, source, owner);
    FOR_ALL_CREWS {
        struct memory *m = crew_new(&g, shapes[s], crews[c][0], crews[c][1]);
        plant(m, &source, 1);
        crew_run(m, 0);
        expect_done(m, &g, owner);
        stolen += m->control.stolen;
        crew_free(m);
    }
    expect(_i == PATH || stolen > 0, "nobody ever stole");
    free(owner);
    rows_free(&g);
}
END_TEST

/* The root of every vertex, as its parents tell. */
static void follow_parents(const struct memory *m, uint32_t n, uint32_t *owner) {
    for (uint32_t v = 0; v < n; v++) {
        uint32_t up = v, steps = 0;
        expect(m->crew.visited[v / 32] >> v % 32 & 1, "vertex %u is not reached", v);
        while (m->crew.tree[up] >> 32 != NOBODY && steps++ < n)
            up = (uint32_t)(m->crew.tree[up] >> 32);
        expect(steps < n, "parents of vertex %u go round", v);
        owner[v] = up;
    }
}

/* Directed: root after root in order of number, as one serial pass would open them; or, once
** there are many, at will. */
START_TEST(forest) {
    struct rows g = make((enum shape)_i, 1500, false);
    uint32_t *owner = need(g.n, sizeof *owner);
    bool opened = false;
    FOR_ALL_CREWS {
        memset(owner, 0xff, g.n * sizeof *owner);
        for (uint32_t v = 0; v < g.n; v++)
            if (owner[v] == NOBODY)
                reach(&g, v, owner);
        struct memory *m = crew_new(&g, shapes[s], crews[c][0], crews[c][1]);
        m->crew.all_vertices = true;
        crew_run(m, 0);
        if (shapes[s].careful < g.n)
            follow_parents(m, g.n, owner);
        expect_done(m, &g, owner);
        opened |= m->control.group != NOBODY;
        crew_free(m);
    }
    expect(opened, "roots were never opened at will");
    free(owner);
    rows_free(&g);
}
END_TEST

/* Both ways: the trees of all components grow at once. */
START_TEST(components_at_once) {
    struct rows g = make(SPARSE, 3000, true);
    uint32_t *owner = need(g.n, sizeof *owner), *root = need(g.n, sizeof *root);
    uint32_t roots = 0;
    memset(owner, 0xff, g.n * sizeof *owner);
    for (uint32_t v = 0; v < g.n; v++) {
        if (owner[v] == NOBODY) {
            reach(&g, v, owner);
            root[roots++] = v;
        }
    }
    FOR_ALL_CREWS {
        struct memory *m = crew_new(&g, shapes[s], crews[c][0], crews[c][1]);
        plant(m, root, roots);
        crew_run(m, 0);
        expect_done(m, &g, owner);
        crew_free(m);
    }
    free(root);
    free(owner);
    rows_free(&g);
}
END_TEST

/* ---- acyclic graphs, in order ---- */

/* Arcs lead one way through a random order of the vertices; some are loops, some parallel. */
static struct rows make_dag(enum shape shape, uint32_t n, uint64_t seed) {
    struct rows plain = make(shape, n, false);
    uint64_t arcs = plain.offset[n];
    uint32_t *rank = need(n, sizeof *rank), count = 0;
    uint32_t *from = need(2 * arcs + n, sizeof *from);
    uint32_t *to = need(2 * arcs + n, sizeof *to);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t other = random_below(&seed, v + 1);
        rank[v] = rank[other];
        rank[other] = v;
    }
    for (uint32_t v = 0; v < n; v++) {
        for (uint64_t arc = plain.offset[v]; arc < plain.offset[v + 1]; arc++) {
            uint32_t w = plain.target[arc];
            for (uint32_t i = 0; i < 1 + (random_below(&seed, 8) == 0); i++) {
                from[count] = rank[v < w ? v : w];
                to[count++] = rank[v < w ? w : v];
            }
        }
        if (random_below(&seed, 20) == 0) {
            from[count] = to[count] = v;
            count++;
        }
    }
    struct rows g = rows_of(n, count, from, to, false);
    free(from);
    free(to);
    free(rank);
    rows_free(&plain);
    return g;
}

/* A textbook's search, its recursion unrolled: from u on to its smallest open neighbour. */
static uint32_t walk(const struct rows *g, uint32_t root, uint32_t *depth,
                     uint32_t *parent) {
    uint32_t entered = 1;
    depth[root] = 0;
    for (uint32_t u = root; u != NOBODY;) {
        uint32_t next = NOBODY;
        for (uint64_t arc = g->offset[u]; arc < g->offset[u + 1]; arc++)
            if (depth[g->target[arc]] == NOBODY && g->target[arc] < next)
                next = g->target[arc];
        if (next == NOBODY) {
            u = parent[u];
            continue;
        }
        depth[next] = depth[u] + 1;
        parent[next] = u;
        entered++;
        u = next;
    }
    return entered;
}

/* Arcs into each vertex from what has a depth; loops left out. */
static uint32_t *arcs_into(const struct rows *g, const uint32_t *depth) {
    uint32_t *left = need(g->n, sizeof *left);
    for (uint32_t u = 0; u < g->n; u++)
        for (uint64_t arc = g->offset[u]; arc < g->offset[u + 1]; arc++)
            left[g->target[arc]] += g->target[arc] != u && depth[u] != NOBODY;
    return left;
}

static uint32_t *nobodies(uint32_t n) {
    uint32_t *array = need(n, sizeof *array);
    memset(array, 0xff, n * sizeof *array);
    return array;
}

/* Peels g by that crew; source NOBODY: a forest. wanted: depths of what can be reached. */
static struct memory *peel(const struct rows *g, uint32_t source, const uint32_t *wanted,
                           size_t s, size_t c) {
    struct memory *m = crew_new(g, shapes[s], crews[c][0], crews[c][1]);
    uint32_t *root = need(g->n, sizeof *root), roots = 0;
    m->crew.dag = (struct dfs_dag){arcs_into(g, wanted), nobodies(g->n), nobodies(g->n),
                                   m->crew.tree, source == NOBODY};
    for (uint32_t v = 0; v < g->n; v++)
        if (source == NOBODY ? m->crew.dag.left[v] == 0 : v == source)
            root[roots++] = v;
    for (uint32_t i = 0; i < roots; i++)
        dag_plant(&m->crew.dag, root[i]);
    m->crew.root = root;
    m->crew.roots = roots;
    crew_run(m, 0);
    expect(m->control.exhausted == 0, "the pool was exhausted");
    expect(m->control.busy == 0, "%u are busy at the end", m->control.busy);
    free(root);
    return m;
}

static void peel_free(struct memory *m) {
    free(m->crew.dag.left);
    free(m->crew.dag.best);
    free(m->crew.dag.depth);
    crew_free(m);
}

static void check_peel(const struct rows *g, uint32_t source, size_t s, size_t c) {
    uint32_t *depth = nobodies(g->n), *parent = nobodies(g->n), reached = 0;
    for (uint32_t v = source == NOBODY ? 0 : source; v < g->n; v++) {
        if (depth[v] == NOBODY)
            reached += walk(g, v, depth, parent);
        if (source != NOBODY)
            break;
    }
    struct memory *m = peel(g, source, depth, s, c);
    expect(m->control.reached == reached, "%u counted, %u reached", m->control.reached,
           reached);
    for (uint32_t v = 0; v < g->n; v++)
        expect(m->crew.dag.depth[v] == depth[v] && m->crew.dag.best[v] == parent[v],
               "vertex %u: depth %u, parent %u; wanted %u, %u", v, m->crew.dag.depth[v],
               m->crew.dag.best[v], depth[v], parent[v]);
    peel_free(m);
    free(depth);
    free(parent);
}

START_TEST(peel_in_order) {
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint32_t n = seed % 4 == 0 ? 2500 : 20 + 60 * (uint32_t)seed;
        struct rows g = make_dag((enum shape)_i, n, seed);
        FOR_ALL_CREWS {
            if ((s + c + seed) % 3 != 0)
                continue;
            check_peel(&g, NOBODY, s, c);
            check_peel(&g, (uint32_t)(seed * 7919 % n), s, c);
        }
        rows_free(&g);
    }
}
END_TEST

/* What lies on a cycle, or behind one, is never settled; the rest is. */
START_TEST(peel_around_cycles) {
    uint32_t from[] = {0, 1, 2, 3, 1, 4, 5}, to[] = {1, 2, 3, 2, 4, 4, 6};
    struct rows g = rows_of(7, 7, from, to, false);
    uint32_t all[7] = {0};
    FOR_ALL_CREWS {
        struct memory *m = peel(&g, NOBODY, all, s, c);
        ck_assert_uint_eq(m->control.reached, 5);
        expect(m->crew.dag.depth[2] == NOBODY && m->crew.dag.depth[3] == NOBODY,
               "a cycle was settled");
        expect(m->crew.dag.depth[4] == 2 && m->crew.dag.depth[6] == 1, "the rest");
        peel_free(m);
    }
    rows_free(&g);
}
END_TEST

/* Jumps lead as far as dag_leap says, whatever the depth. */
START_TEST(jumps) {
    enum { DEEP = 5000 };
    uint64_t *link = need(DEEP, sizeof *link);
    uint32_t *left = need(DEEP, sizeof *left), *best = nobodies(DEEP),
             *depth = nobodies(DEEP);
    struct dfs_dag dag = {left, best, depth, link, false};
    dag_plant(&dag, 0);
    for (uint32_t v = 1; v < DEEP; v++) {
        best[v] = v - 1;
        dag_settle(&dag, v);
        ck_assert_uint_eq(depth[v], v);
        ck_assert_uint_eq(dag_jump(link[v]), v - dag_leap(v));
        ck_assert_uint_eq(dag_lift(&dag, v, v, v / 3), v / 3);
    }
    free(link);
    free(left);
    free(best);
    free(depth);
}
END_TEST

/* A worker that has made too many steps ends the search for all. */
START_TEST(limit) {
    struct rows g = make(PATH, 20000, true);
    uint32_t source = 0;
    struct memory *m = crew_new(&g, shapes[1], 2, 3);
    plant(m, &source, 1);
    m->crew.limit = 1000;
    crew_run(m, 0);
    expect(m->control.late && m->control.reached < g.n, "it went on");
    crew_free(m);
    m = crew_new(&g, shapes[1], 2, 3);
    plant(m, &source, 1);
    m->crew.limit = 100000;
    crew_run(m, 0);
    expect(!m->control.late && m->control.reached == g.n, "it gave up");
    crew_free(m);
    rows_free(&g);
}
END_TEST

/* Whenever the host says so, all workers leave. */
START_TEST(stop) {
    struct rows g = make(_i % 2 ? RANDOM : PATH, 200000, true);
    uint32_t source = 0;
    struct memory *m = crew_new(&g, shapes[_i % 4], 2, 3);
    plant(m, &source, 1);
    m->crew.all_vertices = _i % 3 == 0;
    m->host_stop = _i == 0;
    crew_run(m, _i ? (uint32_t)_i * 300 : 0);
    expect(m->control.exhausted == 0, "the pool was exhausted");
    crew_free(m);
    rows_free(&g);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("dfs_paths");
    TCase *cases = tcase_create("dfs_paths");
    tcase_set_timeout(cases, 250);
    tcase_add_loop_test(cases, tree_of_one_source, 0, SHAPES);
    tcase_add_loop_test(cases, forest, 0, SHAPES);
    tcase_add_test(cases, components_at_once);
    tcase_add_loop_test(cases, peel_in_order, 0, SHAPES);
    tcase_add_test(cases, peel_around_cycles);
    tcase_add_test(cases, jumps);
    tcase_add_test(cases, limit);
    tcase_add_loop_test(cases, stop, 0, 6);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
