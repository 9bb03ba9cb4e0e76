/* The last part of a tree of "many-paths" (gpu/dfs/paths_pull.h), after workers that
** leave early and alone, on CPU threads. A thread is a warp with one lane; with
** TEST_WIDE_WARPS, a warp with 32 lanes. */
#include "paths_crew.h"

#include "dfs/paths_pull.h"
#include "suite.h"

enum { PULLERS = 3 };

/* ---- passes as a device makes them ---- */

struct pulling {
    struct paths_pull p;
    struct pull_counts counts;
    uint32_t pass;
};

static struct pulling *pulling_new(const struct rows *turned, struct memory *m) {
    struct pulling *l = need(1, sizeof *l);
    l->p = (struct paths_pull){
        .begin = turned->offset,
        .end = turned->offset + 1,
        .target = turned->target,
        .n = turned->n,
        .most = turned->n,
        .visited = m->crew.visited,
        .tree = m->crew.tree,
        .fresh = need(turned->n / 32 + 1, sizeof(uint32_t)),
        .list = {need(turned->n, sizeof(uint32_t)), need(turned->n, sizeof(uint32_t))},
        .found = need(turned->n, sizeof(uint32_t)),
        .counts = &l->counts,
    };
    return l;
}

static void pulling_free(struct pulling *l) {
    free(l->p.fresh);
    free(l->p.list[0]);
    free(l->p.list[1]);
    free(l->p.found);
    free(l);
}

struct puller {
    struct pulling *l;
    uint32_t number;
};

static void one_pass(void *argument) {
    const struct puller *one = argument;
    struct pulling *l = one->l;
    if (l->pass == 0)
        pull_by_words(l->p, one->number, PULLERS);
    else
        pull_by_list(l->p, l->pass, one->number, PULLERS);
}

static void one_of_pullers(void *memory, uint32_t number) {
    struct puller one = {memory, number};
    run_as_warp(one_pass, &one);
}

/* Returns whether the tree is complete. *found: the vertices that were pulled. */
static bool pull_all(struct pulling *l, uint32_t *found) {
    for (l->pass = 0; l->pass < GG_PATHS_PULLS; l->pass++) {
        if (l->pass > 0 && !pull_goes_on(l->p, l->pass - 1))
            break;
        run_workers(PULLERS, one_of_pullers, l, NULL, 0);
        for (uint32_t i = 0; l->pass == 0 && i < l->p.n / 32 + 1; i++)
            pull_show_word(l->p, i);
        for (uint32_t i = 0; l->pass > 0 && i < l->counts.found[l->pass]; i++)
            pull_show_found(l->p, i);
    }
    return pull_is_whole(&l->counts, l->p.most, found);
}

static struct rows turn(const struct rows *g) {
    const uint32_t arcs = (uint32_t)g->offset[g->n];
    uint32_t *from = need(arcs, sizeof *from);
    for (uint32_t v = 0; v < g->n; v++)
        for (uint64_t arc = g->offset[v]; arc < g->offset[v + 1]; arc++)
            from[arc] = v;
    struct rows turned = rows_of(g->n, arcs, g->target, from, false);
    free(from);
    return turned;
}

static uint32_t entered(const struct rows *turned) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < turned->n; v++)
        count += turned->offset[v] < turned->offset[v + 1];
    return count;
}

/* ---- after the crew ---- */

/* For graphs with both directions, and for directed graphs by the transpose. */
START_TEST(rest_of_a_tree) {
    uint32_t left = 0, pulled = 0, lists = 0;
    for (uint64_t seed = 1; seed <= 120 / LESS; seed++) {
        uint64_t state = seed * 977;
        const uint32_t n = 1 + random_below(&state, 1500);
        struct rows g =
            seed % 2 ? make_seeded(seed % 4 == 1 ? RANDOM : SPARSE, n, seed % 3 > 0, seed)
                     : make_uneven(n, seed);
        struct rows turned = turn(&g);
        uint32_t *owner = need(n, sizeof *owner), source = random_below(&state, n);
        memset(owner, 0xff, n * sizeof *owner);
        reach(&g, source, owner);
        struct memory *m =
            crew_new(&g, shapes[seed % 4], 1 + seed % 3, 1 + seed % 4, NO_ROWS);
        struct pulling *l = pulling_new(&turned, m);
        uint32_t found = 0;
        m->crew.pulls = true;
        m->control.entered = entered(&turned);
        plant(m, &source, 1);
        crew_run(m, 0);
        if (m->control.left) {
            const bool whole = pull_all(l, &found);
            expect(whole, "seed %u: %u passes did not do", (unsigned)seed, l->pass);
            left++;
            pulled += found;
            lists += l->pass > 2;
        }
        const uint32_t reached = expect_crew_tree(m, &g, owner);
        expect(m->control.reached + found == reached, "%u and %u counted, %u reached",
               m->control.reached, found, reached);
        pulling_free(l);
        crew_free(m);
        free(owner);
        rows_free(&turned);
        rows_free(&g);
    }
    expect(left > 0 && pulled > 0 && lists > 0,
           "%u crews left, %u vertices were pulled, %u times by lists", left, pulled,
           lists);
}
END_TEST

/* ---- pulls alone ---- */

static void take_source(struct memory *m, uint32_t source) {
    plant(m, &source, 1);
    m->control.reached = 1;
}

/* Each pass finds one vertex: a path may not be longer than the number of passes. */
START_TEST(passes) {
    for (uint32_t n = GG_PATHS_PULLS - 2; n < GG_PATHS_PULLS + 4; n++) {
        struct rows g = make(PATH, n, true);
        struct memory *m = crew_new(&g, shapes[0], 1, 1, NO_ROWS);
        struct pulling *l = pulling_new(&g, m);
        uint32_t found;
        take_source(m, 0);
        const bool whole = pull_all(l, &found);
        expect(whole == (n <= GG_PATHS_PULLS + 1), "a path of %u: whole %d", n, whole);
        expect(!whole || found == n - 1, "%u of %u found", found, n);
        pulling_free(l);
        crew_free(m);
        rows_free(&g);
    }
}
END_TEST

/* A star in a component of its own. The row of its centre is as long as a search looks,
** or longer. Also the deepest of a few parents. */
START_TEST(long_rows) {
    for (uint32_t leaves = GG_PATHS_PULL_ROW; leaves < GG_PATHS_PULL_ROW + 20; leaves++) {
        const uint32_t n = leaves + 4, arcs = leaves + 4;
        uint32_t *from = need(arcs, sizeof *from), *to = need(arcs, sizeof *to), found;
        for (uint32_t i = 0; i < leaves; i++) {
            from[i] = 3;
            to[i] = 4 + i;
        }
        const uint32_t ends[4][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 0}};
        for (uint32_t i = 0; i < 4; i++) {
            from[leaves + i] = ends[i][0];
            to[leaves + i] = ends[i][1];
        }
        struct rows g = rows_of(n, arcs, from, to, true);
        struct memory *m = crew_new(&g, shapes[0], 1, 1, NO_ROWS);
        struct pulling *l = pulling_new(&g, m);
        take_source(m, 0);
        m->crew.visited[0] |= 2;
        m->crew.tree[1] = 1;
        const bool whole = pull_all(l, &found);
        expect(whole == (leaves <= GG_PATHS_PULL_ROW + 2 * PULL_ARCS),
               "%u leaves: whole %d", leaves, whole);
        expect(m->crew.tree[2] == (1ull << 32 | 2), "2 hangs by %u",
               (uint32_t)(m->crew.tree[2] >> 32));
        memset(&l->counts, 0, sizeof l->counts);
        l->p.most = leaves;
        expect(!pull_all(l, &found) && found == 0 && l->pass == 1,
               "%u vertices were left", l->counts.listed[0]);
        pulling_free(l);
        crew_free(m);
        rows_free(&g);
        free(from);
        free(to);
    }
}
END_TEST

const struct suite suite = {
    "dfs_pull",
    {{"dfs_pull", .timeout = 250, .cases = {{&rest_of_a_tree}, {&passes}, {&long_rows}}}},
};
