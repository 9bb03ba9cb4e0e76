/* Small graphs as rows, and the vertices that a search of them reaches: for tests of the
** concurrent half of the device's depth-first searches. Include it once, in a test. */
#ifndef GPUGRAPH_TEST_DFS_ROWS_H
#define GPUGRAPH_TEST_DFS_ROWS_H

#include "expect.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

static void *need(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    ck_assert_ptr_nonnull(block);
    return block;
}

static uint32_t random_below(uint64_t *state, uint32_t limit) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % limit);
}

/* ---- graphs as rows ---- */

struct rows {
    uint32_t n;
    uint64_t *offset;
    uint32_t *target;
};

/* Makes rows of arcs (from[i], to[i]), and of reversed arcs if both is set. */
static struct rows rows_of(uint32_t n, uint32_t arcs, const uint32_t *from,
                           const uint32_t *to, bool both) {
    struct rows g = {n, need(n + 2, sizeof(uint64_t)),
                     need((size_t)arcs * 2, sizeof(uint32_t))};
    for (uint32_t i = 0; i < arcs; i++) {
        g.offset[from[i] + 2]++;
        g.offset[to[i] + 2] += both;
    }
    for (uint32_t v = 0; v <= n; v++)
        g.offset[v + 1] += g.offset[v];
    for (uint32_t i = 0; i < arcs; i++) {
        g.target[g.offset[from[i] + 1]++] = to[i];
        if (both)
            g.target[g.offset[to[i] + 1]++] = from[i];
    }
    return g;
}

static void rows_free(struct rows *g) {
    free(g->offset);
    free(g->target);
}

enum shape { PATH, STAR, COMB, BINARY, GRID, RANDOM, SPARSE, SHAPES };

static struct rows make_seeded(enum shape shape, uint32_t n, bool both, uint64_t seed) {
    uint32_t room = 4 * n, arcs = 0;
    uint32_t *from = need(room, sizeof *from), *to = need(room, sizeof *to);
    uint64_t state = seed;
    uint32_t side = 1;
    while (side * side < n)
        side++;
    for (uint32_t v = 1; v < n; v++) {
        if (shape == PATH || shape == STAR) {
            from[arcs] = shape == PATH ? v - 1 : 0;
            to[arcs++] = v;
        } else if (shape == COMB || shape == BINARY) {
            uint32_t half = n / 2;
            from[arcs] = shape == BINARY ? (v - 1) / 2 : v < half ? v - 1 : v - half;
            to[arcs++] = v;
        } else if (shape == GRID) {
            if (v % side) {
                from[arcs] = v - 1;
                to[arcs++] = v;
            }
            if (v >= side) {
                from[arcs] = v - side;
                to[arcs++] = v;
            }
        } else {
            for (int i = 0; i < (shape == RANDOM ? 4 : 1); i++) {
                from[arcs] = random_below(&state, n);
                to[arcs++] = random_below(&state, n);
            }
        }
    }
    struct rows g = rows_of(n, arcs, from, to, both);
    free(from);
    free(to);
    return g;
}

static inline struct rows make(enum shape shape, uint32_t n, bool both) {
    return make_seeded(shape, n, both, 7 + shape);
}

/* Makes rows without arcs, with one, with about as many as fixed rows hold, and with
** many; parallel arcs, loops, and arcs that lead back. */
static inline struct rows make_uneven(uint32_t n, uint64_t seed) {
    static const uint32_t degrees[] = {0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 7, 8, 9, 17, 100};
    enum { DEGREES = sizeof degrees / sizeof *degrees };
    const uint32_t room = (n + 1) * 200;
    uint32_t *from = need(room, sizeof *from), *to = need(room, sizeof *to), arcs = 0;
    uint64_t state = seed;
    const uint32_t near = 1 + random_below(&state, n); /* the reach of an arc */
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t degree = degrees[random_below(&state, DEGREES)];
        for (uint32_t i = 0; i < degree; i++) {
            const uint32_t like = random_below(&state, 8);
            uint32_t t = (v + random_below(&state, near)) % n;
            if (like == 0)
                t = v;
            else if (like == 1 && i > 0)
                t = to[arcs - 1];
            from[arcs] = v;
            to[arcs++] = t;
            if (like == 2) {
                from[arcs] = t;
                to[arcs++] = v;
            }
        }
    }
    struct rows g = rows_of(n, arcs, from, to, seed % 3 == 0);
    free(from);
    free(to);
    return g;
}

/* Finds serially the tree that root opens among vertices without an owner. */
static inline void reach(const struct rows *g, uint32_t root, uint32_t *owner) {
    uint32_t *stack = need(g->n, sizeof *stack), top = 0;
    owner[root] = root;
    stack[top++] = root;
    while (top > 0) {
        uint32_t u = stack[--top];
        for (uint64_t arc = g->offset[u]; arc < g->offset[u + 1]; arc++) {
            uint32_t v = g->target[arc];
            if (owner[v] == NOBODY) {
                owner[v] = root;
                stack[top++] = v;
            }
        }
    }
    free(stack);
}

/* Few cores run many workers: sometimes one yields in the middle of a change. */
static void jitter(void) {
    static __thread uint32_t turn;
    if (++turn % 13 == 0)
        sched_yield();
}

static inline bool has_arc(const struct rows *g, uint32_t u, uint32_t v) {
    for (uint64_t arc = g->offset[u]; arc < g->offset[u + 1]; arc++)
        if (g->target[arc] == v)
            return true;
    return false;
}

/* Checks a finished tree: owner[v] is the root that reaches v, or none. Returns the
** number of its vertices. */
static inline uint32_t expect_rows_tree(const struct rows *g, const uint32_t *owner,
                                        const uint32_t *depths, const uint32_t *parents) {
    uint32_t reached = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t depth = depths[v], parent = parents[v];
        reached += depth != NOBODY;
        expect((depth != NOBODY) == (owner[v] != NOBODY), "vertex %u: depth %u", v,
               depth);
        if (owner[v] == NOBODY || owner[v] == v) {
            expect(parent == NOBODY, "vertex %u has the parent %u", v, parent);
            expect(depth == (owner[v] == v ? 0 : NOBODY), "root %u: depth %u", v, depth);
            continue;
        }
        expect(parent < g->n && has_arc(g, parent, v), "no arc from %u to %u", parent, v);
        expect(depth == depths[parent] + 1, "vertex %u: depth %u", v, depth);
        expect(owner[parent] == owner[v], "vertex %u is in another tree than %u", v,
               parent);
    }
    return reached;
}

#endif
