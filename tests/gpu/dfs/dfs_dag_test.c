/* The lexicographic tree of an acyclic graph by rounds (gpu/dfs/dag.h), compiled for CPU
** threads: some of them share a round's vertices, with a barrier between rounds, as the blocks
** of a device do. */
#include <sched.h>

static void jitter(void);
#define WARP_JITTER() jitter()
#include "dfs/dag.h"
#include "suite.h"
#include "dfs_rows.h"

#include <pthread.h>

enum { THREADS = 4 };

/* ---- acyclic graphs ---- */

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

/* ---- rounds ---- */

struct peel {
    const struct rows *g;
    struct dfs_dag dag;
    uint32_t *list[2], count[2]; /* settled in the round before, in this one */
    uint32_t taken, reached;
    pthread_barrier_t barrier;
};

static void one_round(struct peel *p, uint32_t now) {
    uint32_t at;
    while ((at = device_add(&p->taken, 1)) < p->count[now]) {
        uint32_t u = p->list[now][at];
        for (uint64_t arc = p->g->offset[u]; arc < p->g->offset[u + 1]; arc++)
            if (dag_take_arc(&p->dag, u, p->g->target[arc]))
                p->list[!now][device_add(&p->count[!now], 1)] = p->g->target[arc];
    }
}

static void *peel_rounds(void *argument) {
    struct peel *p = argument;
    for (uint32_t now = 0;; now = !now) {
        if (p->count[now] == 0)
            return NULL;
        one_round(p, now);
        if (pthread_barrier_wait(&p->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            p->reached += p->count[now];
            p->count[now] = p->taken = 0;
        }
        pthread_barrier_wait(&p->barrier);
    }
}

/* Peels g; source NOBODY: a forest. wanted: depths of what can be reached. */
static struct peel *peel(const struct rows *g, uint32_t source, const uint32_t *wanted) {
    struct peel *p = need(1, sizeof *p);
    pthread_t thread[THREADS];
    p->g = g;
    p->dag = (struct dfs_dag){arcs_into(g, wanted), nobodies(g->n), nobodies(g->n),
                              need(g->n, sizeof(uint64_t)), source == NOBODY};
    for (uint32_t i = 0; i < 2; i++)
        p->list[i] = need(g->n, sizeof *p->list[i]);
    for (uint32_t v = 0; v < g->n; v++) {
        if (source == NOBODY ? p->dag.left[v] == 0 : v == source) {
            dag_plant(&p->dag, v);
            p->list[0][p->count[0]++] = v;
        }
    }
    pthread_barrier_init(&p->barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, peel_rounds, p), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&p->barrier);
    return p;
}

static void peel_free(struct peel *p) {
    free(p->dag.left);
    free(p->dag.best);
    free(p->dag.depth);
    free(p->dag.link);
    free(p->list[0]);
    free(p->list[1]);
    free(p);
}

static void check_peel(const struct rows *g, uint32_t source) {
    uint32_t *depth = nobodies(g->n), *parent = nobodies(g->n), reached = 0;
    for (uint32_t v = source == NOBODY ? 0 : source; v < g->n; v++) {
        if (depth[v] == NOBODY)
            reached += walk(g, v, depth, parent);
        if (source != NOBODY)
            break;
    }
    struct peel *p = peel(g, source, depth);
    expect(p->reached == reached, "%u counted, %u reached", p->reached, reached);
    for (uint32_t v = 0; v < g->n; v++)
        expect(p->dag.depth[v] == depth[v] && p->dag.best[v] == parent[v],
               "vertex %u: depth %u, parent %u; wanted %u, %u", v, p->dag.depth[v],
               p->dag.best[v], depth[v], parent[v]);
    peel_free(p);
    free(depth);
    free(parent);
}

START_TEST(peel_in_order) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint32_t n = seed % 4 == 0 ? 2500 : 20 + 60 * (uint32_t)seed;
        struct rows g = make_dag((enum shape)_i, n, seed);
        check_peel(&g, NOBODY);
        for (uint32_t source = 0; source < n; source += n / 5)
            check_peel(&g, source);
        rows_free(&g);
    }
}
END_TEST

/* What lies on a cycle, or behind one, is never settled; the rest is. */
START_TEST(peel_around_cycles) {
    uint32_t from[] = {0, 1, 2, 3, 1, 4, 5}, to[] = {1, 2, 3, 2, 4, 4, 6};
    struct rows g = rows_of(7, 7, from, to, false);
    uint32_t all[7] = {0};
    for (int i = 0; i < 20; i++) {
        struct peel *p = peel(&g, NOBODY, all);
        ck_assert_uint_eq(p->reached, 5);
        expect(p->dag.depth[2] == NOBODY && p->dag.depth[3] == NOBODY,
               "a cycle was settled");
        expect(p->dag.depth[4] == 2 && p->dag.depth[6] == 1, "the rest");
        peel_free(p);
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

const struct suite suite = {
    "dfs_dag",
    {{"dfs_dag", .timeout = 250,
      .cases = {{&peel_in_order, SHAPES}, {&peel_around_cycles}, {&jumps}}}},
};
