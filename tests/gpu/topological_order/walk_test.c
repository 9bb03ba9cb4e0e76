/* The walk of a topological order on a device (gpu/topological_order/walk.h), compiled
** for CPU threads. A thread is a warp with one lane, so a slice is one arc and rows go on
** the list in many slices. walk_lanes_test is this file with warps of 32 lanes. Levels
** must equal those of a walk in the order of numbers. Vertices on a cycle or behind one
** keep predecessors. Each slot is given and taken once, and all warps end. */
static void jitter(void);
#define WARP_JITTER() jitter()
#ifdef TEST_WIDE_WARPS
#include "warp_lanes.h"
#endif
#include "topological_order/walk.h"
#include "as_warp.h"
#include "dfs_rows.h"
#include "share.h"
#include "suite.h"
#include "workers.h"

enum { MOST_WARPS = 12, VERTICES = 3000 };
static const uint32_t crews[] = {1, 2, 5, MOST_WARPS};

struct course {
    struct order_walk walk;
    struct ready_counts counts;
    uint32_t end, host_stop, own_end[MOST_WARPS + 1];
};

/* ---- warps of threads ---- */

struct warp {
    struct course *course;
    uint32_t number;
};

/* The last warp keeps watch. Warps share no memory here, so each has its own word. */
static void one_lane(void *warp) {
    const struct warp *own = warp;
    struct course *c = own->course;
    const uint32_t warps = c->walk.list.warps;
    if (own->number < warps) {
        walk_work(&c->walk, own->number, &c->own_end[own->number]);
    } else if (warp_lane() == 0) {
        walk_watch(&c->walk, true, &c->own_end[warps]);
        for (uint32_t i = 0; i < warps; i++)
            block_store(&c->own_end[i], c->own_end[warps]);
    }
}

static void one_warp(void *course, uint32_t number) {
    struct warp own = {course, number};
    run_as_warp(one_lane, &own);
}

/* Lists the vertices that are ready before the walk. */
static void plant(const struct rows *g, const struct order_walk *w) {
    for (uint32_t v = 0; v < g->n; v++)
        for (uint64_t k = g->offset[v];
             order_left(w->vertex[v]) == 0 && k < g->offset[v + 1]; k += READY_ARCS)
            ready_put(&w->list, ready_claim(&w->list, 1),
                      ready_slice(k, g->offset[v + 1]), 0);
}

static struct course *course_new(const struct rows *g, uint32_t warps) {
    struct course *c = need(1, sizeof *c);
    const uint64_t arcs = g->offset[g->n];
    c->walk.row_begin = g->offset;
    c->walk.row_end = g->offset + 1;
    c->walk.target = g->target;
    c->walk.vertex = need(g->n, sizeof *c->walk.vertex);
    c->walk.list.slot = need(arcs + g->n + warps, sizeof *c->walk.list.slot);
    c->walk.list.counts = &c->counts;
    c->walk.list.warps = warps;
    c->walk.end = &c->end;
    c->walk.host_stop = &c->host_stop;
    for (uint64_t k = 0; k < arcs; k++)
        c->walk.vertex[g->target[k]]++;
    plant(g, &c->walk);
    return c;
}

static void course_free(struct course *c) {
    free(c->walk.vertex);
    free(c->walk.list.slot);
    free(c);
}

/* Drops arcs that do not lead to a larger number. */
static void orient(struct rows *g) {
    uint64_t kept = 0, k = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        const uint64_t end = g->offset[v + 1];
        g->offset[v] = kept;
        for (; k < end; k++)
            if (g->target[k] > v)
                g->target[kept++] = g->target[k];
    }
    g->offset[g->n] = kept;
}

struct model {
    uint32_t left, level;
};

/* Finds levels, and counts the arcs of vertices that have one, by a queue. */
static uint64_t walk_in_order(const struct rows *g, struct model *vertex) {
    uint32_t *queue = need(g->n, sizeof *queue), tail = 0;
    uint64_t arcs = 0;
    for (uint64_t k = 0; k < g->offset[g->n]; k++)
        vertex[g->target[k]].left++;
    for (uint32_t v = 0; v < g->n; v++)
        if (vertex[v].left == 0)
            queue[tail++] = v;
    for (uint32_t i = 0; i < tail; i++)
        for (uint64_t k = g->offset[queue[i]]; k < g->offset[queue[i] + 1]; k++) {
            struct model *to = &vertex[g->target[k]];
            const uint32_t level = vertex[queue[i]].level + 1;
            arcs++;
            to->level = to->level < level ? level : to->level;
            if (--to->left == 0)
                queue[tail++] = g->target[k];
        }
    free(queue);
    return arcs;
}

static void expect_order(const struct rows *g, const struct course *c) {
    struct model *model = need(g->n, sizeof *model);
    const uint64_t arcs = walk_in_order(g, model);
    expect(c->end == WALK_IS_OVER, "the end is %u", c->end);
    for (uint32_t v = 0; v < g->n; v++) {
        const uint32_t left = order_left(c->walk.vertex[v]);
        const uint32_t level = order_level(c->walk.vertex[v]);
        expect(left == model[v].left, "vertex %u has %u left, not %u", v, left,
               model[v].left);
        expect(left > 0 || level == model[v].level, "vertex %u has level %u, not %u", v,
               level, model[v].level);
    }
    /* A warp may walk on with a slice of its own, which is on no list. */
    expect(c->counts.given[0] == c->counts.asked[0], "%u given, %u taken",
           (uint32_t)c->counts.given[0], (uint32_t)c->counts.asked[0]);
    expect(c->counts.given[0] <= arcs, "more slices than arcs were given");
    for (uint64_t i = 0; i < c->counts.given[0]; i++)
        expect(c->walk.list.slot[i].level != 0, "slot %u is empty", (uint32_t)i);
    free(model);
}

static void walk_with(const struct rows *g, uint32_t warps) {
    struct course *c = course_new(g, warps);
    run_workers(warps + 1, one_warp, c, &c->host_stop, 0);
    expect_order(g, c);
    course_free(c);
}

/* Shapes as they are, and without cycles. */
START_TEST(every_shape) {
    for (int acyclic = 0; acyclic <= 1; acyclic++) {
        struct rows g = make((enum shape)_i, VERTICES, false);
        if (acyclic)
            orient(&g);
        for (size_t i = 0; i < sizeof crews / sizeof *crews; i++)
            walk_with(&g, crews[i]);
        rows_free(&g);
    }
}
END_TEST

START_TEST(many_seeds) {
    for (uint64_t seed = 1; seed <= 60; seed++) {
        if (left_out(seed))
            continue;
        struct rows g = make_seeded(seed % 3 ? RANDOM : SPARSE, 200, seed % 2, seed);
        orient(&g);
        walk_with(&g, crews[seed % 4]);
        rows_free(&g);
    }
}
END_TEST

/* All warps end, however much work is left: here a warp waits for a slice that never
** comes. */
START_TEST(told_to_stop) {
    struct rows g = make(PATH, VERTICES, false);
    struct course *c = course_new(&g, 4);
    ready_claim(&c->walk.list, 1);
    c->host_stop = 1;
    run_workers(5, one_warp, c, &c->host_stop, 0);
    expect(c->end == WALK_IS_STOPPED, "the end is %u", c->end);
    course_free(c);
    rows_free(&g);
}
END_TEST

const struct suite suite = {
    "topological_order_walk",
    {{"walk", .timeout = 60,
      .cases = {{&every_shape, SHAPES}, {&many_seeds}, {&told_to_stop}}}},
};
