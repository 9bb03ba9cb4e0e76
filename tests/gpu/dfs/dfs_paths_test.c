/* The workers of the device's method "many-paths" (gpu/dfs/paths.h), compiled for CPU
** threads. A thread is a warp with one lane; with TEST_WIDE_WARPS, a warp with 32 lanes.
** Rings and chunks are tiny, so that each path of flush, theft and offer runs thousands
** of times. GPUGRAPH_SANITIZE=thread also checks memory orders. */
/* ctest: long */
#include "paths_crew.h"
#include "suite.h"

/* ---- promises of a finished search ---- */

static void expect_done(const struct memory *m, const struct rows *g,
                        const uint32_t *owner) {
    const uint32_t reached = expect_crew_tree(m, g, owner);
    expect(m->control.reached == reached, "%u counted, %u reached", m->control.reached,
           reached);
    expect(m->control.exhausted == 0, "the pool was exhausted");
    expect(m->control.busy == 0, "%u are busy at the end", m->control.busy);
    for (uint32_t i = 0; i < m->crew.blocks; i++) {
        expect(m->busy[i] == 0, "block %u is busy", i);
        expect(dfs_first(m->cold[i]) == DFS_NO_CHUNK, "list %u is not empty", i);
    }
}

#define FOR_ALL_CREWS                                                                    \
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)                          \
        for (size_t c = 0; c < sizeof crews / sizeof *crews; c++)                        \
            if (!left_out_of(s * (sizeof crews / sizeof *crews) + c + (size_t)_i, 3))

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

/* Small random graphs, each from another vertex. */
START_TEST(many_seeds) {
    uint32_t stolen = 0;
    for (uint64_t seed = 1; seed <= 150 / LESS; seed++) {
        if (left_out_of(seed, LESS > 1 ? 1 : 7))
            continue;
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

/* Follows parents to the root of each vertex that owner has, or of all vertices. */
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

/* From one source, several, or all: a tree, trees or a forest, in each form of rows. */
START_TEST(uneven_rows) {
    uint32_t stolen = 0, most = 0;
    for (uint64_t seed = 1; seed <= 90 / LESS; seed++) {
        if (left_out_of(seed, LESS > 1 ? 1 : 7))
            continue;
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
            /* A root may lie on the way from another root: then the trees depend on
            ** timing. */
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

/* Directed: root after root in the order of numbers, as one serial pass would open them;
** or at will, once there are many. */
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

/* All workers leave when the host says so, at any time. */
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
