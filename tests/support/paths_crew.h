/* The crew of gpu/dfs/paths.h on CPU threads: a thread is a warp with one lane; with
** TEST_WIDE_WARPS, a warp of 32 lanes. Rings and chunks are tiny, so that every path of
** flush, theft and offer occurs thousands of times. Include it once, in a test. */
#ifndef GPUGRAPH_TEST_PATHS_CREW_H
#define GPUGRAPH_TEST_PATHS_CREW_H

#ifdef TEST_WIDE_WARPS
#include "warp_lanes.h"
#endif
#include <sched.h>

static void jitter(void);
#define WARP_JITTER() jitter()
#include "dfs/paths.h"
#include "as_warp.h"
#include "dfs_rows.h"
#include "share.h"
#include "workers.h"

enum { MOST_WORKERS = 12, MOST_RING = 2 * PATHS_GROUP + 56 };

#ifdef TEST_WIDE_WARPS
static const struct paths_shape shapes[] = {{256, 4, 64, 1, 1, 1, 0, 1},
                                            {256, 16, 128, 32, 8, 128, 128, 10},
                                            {256, 6, 96, 4, 2, 8, 1000, 1u << 30},
                                            {256, 32, 512, 16, 4, 60, 8, 1u << 30}};
static const uint32_t crews[][2] = {{1, 1}, {1, 3}, {2, 1}, {3, 2}};
/* Factor by which graphs are smaller, since switching between lanes takes time. */
enum { LESS = 10 };
#else
static const struct paths_shape shapes[] = {{8, 1, 1, 1, 1, 1, 0, 1},
                                            {8, 1, 3, 1, 2, 4, 2, 10},
                                            {16, 1, 7, 1, 4, 8, 100, 1u << 30},
                                            {64, 1, 50, 1, 8, 60, 8, 1u << 30}};
static const uint32_t crews[][2] = {{1, 1}, {1, 4}, {4, 1}, {2, 3}, {3, 4}};
enum { LESS = SANITIZED_PART };
#endif

struct memory {
    struct paths_crew crew;
    struct dfs_control control;
    uint64_t word[MOST_WORKERS], entry[2 * MOST_WORKERS * MOST_RING];
    uint64_t hand[2 * MOST_WORKERS * warp_width];
    uint32_t busy[MOST_WORKERS], leave[MOST_WORKERS], taken[MOST_WORKERS];
    uint64_t cold[MOST_WORKERS], free[MOST_WORKERS];
    uint32_t host_stop, *fixed;
};

/* Makes fixed rows like gpu/graph/device_fixed.cu. Readers always load four words. */
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
    crew->begin = g->offset;
    crew->end = g->offset + 1;
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
                               m->busy + block,
                               m->leave + block,
                               m->taken + block};
    paths_work(m->crew, view, one->number);
}

static void one_of_crew(void *memory, uint32_t number) {
    struct one one = {memory, number};
    run_as_warp(one_lane, &one);
}

static void crew_run(struct memory *m, uint32_t stop_after_us) {
    run_workers(m->crew.blocks * m->crew.block_workers, one_of_crew, m, &m->host_stop,
                stop_after_us);
}

/* Checks the crew's tree like expect_rows_tree, by owners. */
static uint32_t expect_crew_tree(const struct memory *m, const struct rows *g,
                                 const uint32_t *owner) {
    uint32_t *depth = need(g->n, sizeof *depth), *parent = need(g->n, sizeof *parent);
    for (uint32_t v = 0; v < g->n; v++) {
        const bool there = m->crew.visited[v / 32] >> v % 32 & 1;
        depth[v] = there ? (uint32_t)m->crew.tree[v] : NOBODY;
        parent[v] = there ? (uint32_t)(m->crew.tree[v] >> 32) : NOBODY;
    }
    const uint32_t reached = expect_rows_tree(g, owner, depth, parent);
    free(depth);
    free(parent);
    return reached;
}

#endif
