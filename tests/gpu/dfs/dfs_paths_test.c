/* The workers of the device's method "many-paths" (gpu/dfs/paths.h), compiled for CPU
** threads: a thread is a warp one lane wide; with TEST_WIDE_WARPS, a warp of 32 lanes. Rings and chunks are
** tiny here, so that every path of flush, theft and offer is taken thousands of times; under
** GPUGRAPH_SANITIZE=thread the orderings are checked too. */
#ifdef TEST_WIDE_WARPS
#include "warp_lanes.h"
#endif
#include <sched.h>

static void jitter(void);
#define WARP_JITTER() jitter()
#include "dfs/paths.h"
#include "dfs_rows.h"
#include "suite.h"
#include "workers.h"

enum { MOST_WORKERS = 12, MOST_RING = 2 * PATHS_GROUP + 56 };

/* ---- a crew of threads ---- */

struct memory {
    struct paths_crew crew;
    struct dfs_control control;
    uint64_t word[MOST_WORKERS], entry[2 * MOST_WORKERS * MOST_RING];
    uint64_t hand[2 * MOST_WORKERS * warp_width];
    uint32_t busy[MOST_WORKERS], leave[MOST_WORKERS];
    uint64_t cold[MOST_WORKERS], free[MOST_WORKERS], work[MOST_WORKERS];
    uint32_t host_stop, *fixed;
};

/* As gpu/graph/device_fixed.cu makes them. Four words are asked for at once, of fewer places, too. */
static uint32_t *fix(const struct rows *g, uint32_t places) {
    uint32_t *fixed = need((size_t)g->n * places + PATHS_ASKED, sizeof *fixed);
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t k = 0; k < places; k++) {
            const uint64_t arcs = g->offset[v + 1] - g->offset[v];
            fixed[(size_t)v * places + k] = arcs > places && k == places - 1 ? PATHS_MORE
                                            : k < arcs ? g->target[g->offset[v] + k]
                                                       : NOBODY;
        }
    return fixed;
}

enum form { NO_ROWS, BY_PLACES, AHEAD, FORMS };

static struct memory *crew_new(const struct rows *g, struct paths_shape shape,
                               uint32_t blocks, uint32_t block_workers, enum form form) {
    struct memory *m = need(1, sizeof *m);
    struct paths_crew *crew = &m->crew;
    crew->offset = g->offset;
    crew->target = g->target;
    crew->n = g->n;
    crew->places = 2u << blocks % 3; /* 2, 4, 8 */
    crew->fixed = m->fixed = form == NO_ROWS ? NULL : fix(g, crew->places);
    crew->ahead = form == AHEAD;
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
    free(m->fixed);
    free(m->crew.pool.entry);
    free(m->crew.pool.next);
    free(m);
}

struct one {
    struct memory *m;
    uint32_t number;
};

static void one_lane(void *argument) {
    const struct one *one = argument;
    struct memory *m = one->m;
    uint32_t workers = m->crew.block_workers, block = one->number / workers;
    struct paths_block view = {m->word + block * workers,
                               m->entry +
                                   2 * (size_t)block * workers * m->crew.shape.ring,
                               m->hand + 2 * (size_t)block * workers * warp_width,
                               m->busy + block, m->leave + block};
    paths_work(m->crew, view, one->number);
}

static void one_of_crew(void *memory, uint32_t number) {
    struct one one = {memory, number};
#ifdef TEST_WIDE_WARPS
    lanes_run(one_lane, &one);
#else
    one_lane(&one);
#endif
}

static void crew_run(struct memory *m, uint32_t stop_after_us) {
    run_workers(m->crew.blocks * m->crew.block_workers, one_of_crew, m, &m->host_stop,
                stop_after_us);
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

#ifdef TEST_WIDE_WARPS
static const struct paths_shape shapes[] = {{256, 4, 64, 1, 1, 1, 0, 1},
                                            {256, 16, 128, 32, 8, 128, 128, 10},
                                            {256, 6, 96, 4, 2, 8, 1000, 1u << 30},
                                            {256, 32, 512, 16, 4, 60, 8, 1u << 30}};
static const uint32_t crews[][2] = {{1, 1}, {1, 3}, {2, 1}, {3, 2}};
/* One part in so many of a graph is made: each lane is switched to and from. */
enum { LESS = 10 };
#else
static const struct paths_shape shapes[] = {{8, 1, 1, 1, 1, 1, 0, 1},
                                            {8, 1, 3, 1, 2, 4, 2, 10},
                                            {16, 1, 7, 1, 4, 8, 100, 1u << 30},
                                            {64, 1, 50, 1, 8, 60, 8, 1u << 30}};
static const uint32_t crews[][2] = {{1, 1}, {1, 4}, {4, 1}, {2, 3}, {3, 4}};
enum { LESS = 1 };
#endif

#define FOR_ALL_CREWS                                                                    \
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)                          \
        for (size_t c = 0; c < sizeof crews / sizeof *crews; c++)

/* From vertex 0. */
START_TEST(tree_of_one_source) {
    struct rows g = make((enum shape)_i, 6000 / LESS, true);
    uint32_t *owner = need(g.n, sizeof *owner), source = 0, stolen = 0;
    memset(owner, 0xff, g.n * sizeof *owner);
    reach(&g, source, owner);
    FOR_ALL_CREWS {
        struct memory *m =
            crew_new(&g, shapes[s], crews[c][0], crews[c][1], (s + c) % FORMS);
        plant(m, &source, 1);
        crew_run(m, 0);
        expect_done(m, &g, owner);
        stolen += m->control.stolen;
        crew_free(m);
    }
    expect(LESS > 1 || _i == PATH || stolen > 0, "nobody ever stole");
    free(owner);
    rows_free(&g);
}
END_TEST

/* Small random graphs, each from a vertex of its own. */
START_TEST(many_seeds) {
    uint32_t stolen = 0;
    for (uint64_t seed = 1; seed <= 150 / LESS; seed++) {
        struct rows g = make_seeded(seed % 3 ? RANDOM : SPARSE, 300, seed % 2, seed);
        uint32_t *owner = need(g.n, sizeof *owner), source = (uint32_t)(seed * 131 % 300);
        memset(owner, 0xff, g.n * sizeof *owner);
        reach(&g, source, owner);
        struct memory *m =
            crew_new(&g, shapes[seed % 4], 1 + seed % 3, 1 + seed % 4, seed / 4 % FORMS);
        plant(m, &source, 1);
        crew_run(m, 0);
        expect_done(m, &g, owner);
        stolen += m->control.stolen;
        crew_free(m);
        free(owner);
        rows_free(&g);
    }
    expect(stolen > 0, "nobody ever stole");
}
END_TEST

/* The root of every vertex that owner has, or of all, as its parents tell. */
static void follow_parents(const struct memory *m, uint32_t n, uint32_t *owner,
                           bool all) {
    for (uint32_t v = 0; v < n; v++) {
        uint32_t up = v, steps = 0;
        if (!all && owner[v] == NOBODY)
            continue;
        expect(m->crew.visited[v / 32] >> v % 32 & 1, "vertex %u is not reached", v);
        while (m->crew.tree[up] >> 32 != NOBODY && steps++ < n)
            up = (uint32_t)(m->crew.tree[up] >> 32);
        expect(steps < n, "parents of vertex %u go round", v);
        owner[v] = up;
    }
}

/* From one source, several, or all: a tree, trees or a forest, in every form of rows. */
START_TEST(uneven_rows) {
    uint32_t stolen = 0, most = 0;
    for (uint64_t seed = 1; seed <= 90 / LESS; seed++) {
        uint64_t state = seed * 977;
        struct rows g = make_uneven(1 + random_below(&state, 700), seed);
        uint32_t *owner = need(g.n, sizeof *owner), root[2 * warp_width], roots = 0;
        const uint32_t wanted = seed % 4 == 0 ? 2 * warp_width : 1;
        memset(owner, 0xff, g.n * sizeof *owner);
        for (uint32_t i = 0; i < wanted; i++) {
            const uint32_t v = random_below(&state, g.n);
            if (owner[v] == NOBODY || wanted == 1) {
                reach(&g, v, owner);
                root[roots++] = v;
            }
        }
        for (uint32_t c = 0; c < 3; c++) {
            const bool all = seed % 4 == 1;
            uint32_t trees = 0;
            struct memory *m =
                crew_new(&g, shapes[(seed + c) % 4], 1 + c, 1 + seed % 4, (enum form)_i);
            m->crew.all_vertices = all;
            plant(m, root, roots);
            crew_run(m, 0);
            /* A root may lie on the way from another: then trees are whoever came first. */
            if (all || (roots > 1 && seed % 3))
                follow_parents(m, g.n, owner, all);
            expect_done(m, &g, owner);
            for (uint32_t v = 0; v < g.n; v++)
                trees += owner[v] == v;
            expect(all || trees == roots, "%u trees from %u roots", trees, roots);
            stolen += m->control.stolen;
            most = m->control.touched > most ? m->control.touched : most;
            crew_free(m);
        }
        free(owner);
        rows_free(&g);
    }
    expect(stolen > 0, "nobody ever stole");
    expect(most > 0, "no chunk was ever used");
}
END_TEST

/* Directed: root after root in order of number, as one serial pass would open them; or, once
** there are many, at will. */
START_TEST(forest) {
    struct rows g = make((enum shape)_i, 1500 / LESS, false);
    uint32_t *owner = need(g.n, sizeof *owner);
    bool opened = false;
    FOR_ALL_CREWS {
        memset(owner, 0xff, g.n * sizeof *owner);
        for (uint32_t v = 0; v < g.n; v++)
            if (owner[v] == NOBODY)
                reach(&g, v, owner);
        struct memory *m =
            crew_new(&g, shapes[s], crews[c][0], crews[c][1], (s + c) % FORMS);
        m->crew.all_vertices = true;
        crew_run(m, 0);
        if (shapes[s].careful < g.n)
            follow_parents(m, g.n, owner, true);
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
    struct rows g = make(SPARSE, 3000 / LESS, true);
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
        struct memory *m =
            crew_new(&g, shapes[s], crews[c][0], crews[c][1], (s + c) % FORMS);
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

/* A worker that has made too many steps ends the search for all. */
START_TEST(limit) {
    struct rows g = make(PATH, 20000 / LESS, true);
    uint32_t source = 0;
    struct memory *m = crew_new(&g, shapes[1], 2, 3, (enum form)_i);
    plant(m, &source, 1);
    m->crew.limit = 1000 / LESS;
    crew_run(m, 0);
    expect(m->control.late && m->control.reached < g.n, "it went on");
    crew_free(m);
    m = crew_new(&g, shapes[1], 2, 3, (enum form)_i);
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
    struct rows g = make(_i % 2 ? RANDOM : PATH, 200000 / LESS, true);
    uint32_t source = 0;
    struct memory *m = crew_new(&g, shapes[_i % 4], 2, 3, (enum form)(_i % FORMS));
    plant(m, &source, 1);
    m->crew.all_vertices = _i % 3 == 0;
    m->host_stop = _i == 0;
    crew_run(m, _i ? (uint32_t)_i * 300 : 0);
    expect(m->control.exhausted == 0, "the pool was exhausted");
    crew_free(m);
    rows_free(&g);
}
END_TEST

const struct suite suite = {
    "dfs_paths",
    {{"dfs_paths", .timeout = 250,
      .cases = {{&tree_of_one_source, SHAPES},
                {&many_seeds},
                {&forest, SHAPES},
                {&components_at_once},
                {&uneven_rows, FORMS},
                {&limit, FORMS},
                {&stop, 9}}}},
};
