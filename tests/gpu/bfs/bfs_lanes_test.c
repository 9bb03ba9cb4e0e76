/* The steps of the device's searches from many sources (gpu/bfs/lanes.h) on CPU threads: a
** thread is a warp one lane wide, or, with TEST_WIDE_WARPS, 32 lanes. A barrier
** stands for the end of a launch. Depths must be those of a textbook search from each source;
** under GPUGRAPH_SANITIZE=thread the orderings are checked too. */
#ifdef TEST_WIDE_WARPS
#include "warp_lanes.h"
#endif

static void jitter(void);
#define WARP_JITTER() jitter()
#include "bfs/lanes.h"

#include "as_warp.h"
#include "dfs_rows.h"
#include "suite.h"

#include <pthread.h>

enum { MOST_WARPS = 5 };

/* Warps of lanes are slow. */
#ifdef WARP_LANES
enum { VERTICES = 250, SEEDS = 20 };
#else
enum { VERTICES = 1200, SEEDS = 150 };
#endif

/* ---- the right answer ---- */

static void textbook(const struct rows *g, const uint32_t *source, uint32_t sources,
                     uint32_t *depth) {
    uint32_t *queue = need(g->n, sizeof *queue), head = 0, tail = 0;
    for (uint32_t v = 0; v < g->n; v++)
        depth[v] = NOBODY;
    for (uint32_t i = 0; i < sources; i++) {
        if (depth[source[i]] == 0)
            continue;
        depth[source[i]] = 0;
        queue[tail++] = source[i];
    }
    while (head < tail) {
        uint32_t u = queue[head++];
        for (uint64_t arc = g->offset[u]; arc < g->offset[u + 1]; arc++)
            if (depth[g->target[arc]] == NOBODY) {
                depth[g->target[arc]] = depth[u] + 1;
                queue[tail++] = g->target[arc];
            }
    }
    free(queue);
}

/* ---- a grid of threads ---- */

struct grid {
    struct lanes_search search;
    struct lanes_state state;
    uint32_t warps, host_stop;
    pthread_barrier_t launch_ends;
};

enum step { PLANT, SPREAD, SETTLE };

struct warp {
    pthread_t id;
    struct grid *grid;
    uint32_t number;
    enum step step;
};

static void one_lane(void *argument) {
    struct warp *w = argument;
    struct grid *g = w->grid;
    if (w->step == PLANT)
        lanes_plant(g->search, w->number, g->warps);
    else if (w->step == SPREAD)
        lanes_spread(g->search, w->number, g->warps);
    else
        lanes_settle(g->search, (uint64_t)w->number * warp_width + warp_lane(),
                     (uint64_t)g->warps * warp_width);
}

static void launch(struct warp *w, enum step step) {
    w->step = step;
    run_as_warp(one_lane, w);
    pthread_barrier_wait(&w->grid->launch_ends);
}

static void *one_warp(void *argument) {
    struct warp *w = argument;
    launch(w, PLANT);
    for (bool over = false; !over;) {
        launch(w, SETTLE);
        if (w->number == 0)
            lanes_turn(w->grid->search);
        pthread_barrier_wait(&w->grid->launch_ends);
        over = w->grid->state.over;
        launch(w, SPREAD); /* past the end it does nothing */
    }
    return NULL;
}

static struct grid *grid_new(const struct rows *g, const uint32_t *source,
                             uint32_t sources, bool together) {
    struct grid *grid = need(1, sizeof *grid);
    struct lanes_search *s = &grid->search;
    s->offset = g->offset;
    s->target = g->target;
    s->n = g->n;
    s->lanes = together ? 1 : sources;
    s->state = &grid->state;
    s->seen = need(g->n, sizeof(uint64_t));
    s->visit = need(g->n, sizeof(uint64_t));
    s->next = need(g->n, sizeof(uint64_t));
    s->list[0] = need(g->n, sizeof(uint32_t));
    s->list[1] = need(g->n, sizeof(uint32_t));
    s->row = 1 + sources % 5;
    for (int i = 0; i < 2; i++)
        s->slice[i] =
            need(lanes_slices_at_most(g->offset[g->n], s->row), sizeof(uint64_t));
    s->depth = need((size_t)s->lanes * g->n, sizeof(uint32_t));
    memset(s->depth, 0xff, (size_t)s->lanes * g->n * sizeof(uint32_t));
    s->source = source;
    s->sources = sources;
    s->together = together;
    s->max_depth = NOBODY;
    s->host_stop = &grid->host_stop;
    grid->state.level = NOBODY;
    grid->state.searching = ~(uint64_t)0;
    return grid;
}

static void grid_run(struct grid *grid, uint32_t warps) {
    struct warp warp[MOST_WARPS];
    grid->warps = warps;
    pthread_barrier_init(&grid->launch_ends, NULL, warps);
    for (uint32_t i = 0; i < warps; i++) {
        warp[i] = (struct warp){.grid = grid, .number = i};
        ck_assert_int_eq(pthread_create(&warp[i].id, NULL, one_warp, &warp[i]), 0);
    }
    for (uint32_t i = 0; i < warps; i++)
        pthread_join(warp[i].id, NULL);
    pthread_barrier_destroy(&grid->launch_ends);
}

static void grid_free(struct grid *grid) {
    free(grid->search.seen);
    free(grid->search.visit);
    free(grid->search.next);
    free(grid->search.list[0]);
    free(grid->search.list[1]);
    free(grid->search.slice[0]);
    free(grid->search.slice[1]);
    free(grid->search.depth);
    free(grid);
}

/* ---- tests ---- */

static void pick(const struct rows *g, uint64_t seed, uint32_t *source, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        source[i] = i % 7 == 3 ? source[i - 1] : random_below(&seed, g->n);
}

/* Ends early where a bound is given: then what is there must be right, and all of it that is
** promised. */
static void expect_depths(const struct grid *grid, const struct rows *g) {
    const struct lanes_search *s = &grid->search;
    uint32_t *right = need(g->n, sizeof *right);
    uint64_t reached = 0;
    for (uint32_t lane = 0; lane < s->lanes; lane++) {
        const uint32_t *depth = s->depth + (size_t)lane * g->n;
        uint32_t found = 0, all = 0, missing = NOBODY, deepest = 0;
        textbook(g, s->source + lane, s->together ? s->sources : 1, right);
        for (uint32_t v = 0; v < g->n; v++) {
            bool wanted = right[v] <= s->max_depth && right[v] != NOBODY;
            all += wanted;
            if (depth[v] != NOBODY) {
                expect(depth[v] == right[v], "lane %u: depth %u of %u, not %u", lane,
                       depth[v], v, right[v]);
                expect(wanted, "lane %u: %u is too deep", lane, v);
                deepest = depth[v] > deepest ? depth[v] : deepest;
                found++;
            } else if (wanted && right[v] < missing) {
                missing = right[v];
            }
        }
        expect(missing >= deepest, "lane %u: a nearer one than %u is missing", lane,
               deepest);
        if (s->limit)
            expect(found >= (s->limit < all ? s->limit : all), "lane %u: %u found", lane,
                   found);
        else if (s->targets == 0)
            expect(found == all, "lane %u: %u of %u found", lane, found, all);
        for (uint32_t i = 0; i < s->targets; i++)
            expect(depth[s->wanted[i]] == right[s->wanted[i]],
                   "lane %u: target %u is missing", lane, s->wanted[i]);
        reached += found;
    }
    expect(grid->state.reached == reached, "%llu counted, %llu reached",
           (unsigned long long)grid->state.reached, (unsigned long long)reached);
    for (uint32_t v = 0; v < g->n; v++)
        expect(grid->search.next[v] == 0 || grid->host_stop, "vertex %u is not settled",
               v);
    free(right);
}

START_TEST(every_shape) {
    uint32_t source[LANES_MOST];
    for (uint32_t count = 1; count <= LANES_MOST; count = count * 3 + 1) {
        struct rows g = make((enum shape)_i, VERTICES, count % 2);
        pick(&g, count, source, count);
        for (int together = 0; together < 2; together++) {
            struct grid *grid = grid_new(&g, source, count, together);
            grid_run(grid, 1 + count % MOST_WARPS);
            expect_depths(grid, &g);
            grid_free(grid);
        }
        rows_free(&g);
    }
    struct rows g = make((enum shape)_i, VERTICES / 4, true);
    pick(&g, 1, source, LANES_MOST);
    struct grid *grid = grid_new(&g, source, LANES_MOST, false);
    grid_run(grid, MOST_WARPS);
    expect_depths(grid, &g);
    grid_free(grid);
    rows_free(&g);
}
END_TEST

/* Bounds, limits and targets of small random graphs. */
START_TEST(early_ends) {
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct rows g = make_seeded(seed % 3 ? RANDOM : SPARSE, 150, seed % 2, seed);
        uint32_t source[LANES_MOST], target[2], count = 1 + (uint32_t)seed % LANES_MOST;
        pick(&g, seed, source, count);
        pick(&g, seed + 1000, target, 2);
        struct grid *grid = grid_new(&g, source, count, seed % 5 == 0);
        if (seed % 4 == 0)
            grid->search.max_depth = (uint32_t)seed % 7;
        else if (seed % 4 == 1)
            grid->search.limit = seed % 97 + 1;
        else if (seed % 4 == 2)
            grid->search.targets = 1 + (uint32_t)seed % 2;
        grid->search.wanted = target;
        grid_run(grid, 1 + (uint32_t)seed % MOST_WARPS);
        expect_depths(grid, &g);
        grid_free(grid);
        rows_free(&g);
    }
}
END_TEST

/* The host's flag ends the search after the level. */
START_TEST(stop) {
    struct rows g = make(PATH, 1000, true);
    uint32_t source = 0;
    struct grid *grid = grid_new(&g, &source, 1, false);
    grid->host_stop = 1;
    grid_run(grid, 3);
    expect(grid->state.over && grid->state.reached == 1, "it went on");
    grid_free(grid);
    rows_free(&g);
}
END_TEST

const struct suite suite = {
    "bfs_lanes",
    {{"bfs_lanes", .timeout = 250,
      .cases = {{&every_shape, SHAPES}, {&early_ends}, {&stop}}}},
};
