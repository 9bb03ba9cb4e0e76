/* The simplest model of a dynamic graph, for tests of gpugraph_dynamic: a matrix of
** values. */
#ifndef GPUGRAPH_TEST_DYNAMIC_MODEL_H
#define GPUGRAPH_TEST_DYNAMIC_MODEL_H

#include "expect.h"
#include "gpugraph.h"
#include "luck.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 96, MOST_BATCH = 70000 };

#define ABSENT UINT32_MAX

struct model {
    uint32_t n;
    uint32_t value[SIDE][SIDE];
};

static inline void clear_model(struct model *m, uint32_t n) {
    m->n = n;
    memset(m->value, 0xff, sizeof m->value);
}

static inline uint64_t edges_of(const struct model *m) {
    uint64_t count = 0;
    for (uint32_t u = 0; u < SIDE; u++)
        for (uint32_t v = 0; v < SIDE; v++)
            count += m->value[u][v] != ABSENT;
    return count;
}

struct batch {
    uint32_t count, source[MOST_BATCH], target[MOST_BATCH], value[MOST_BATCH],
        answer[MOST_BATCH];
};

/* Random edges of vertices below n, with repeats, at most `most`. */
static inline void random_batch(struct batch *b, uint32_t n, uint32_t most) {
    uint32_t hub = draw(n);
    b->count = draw(1 + draw(most));
    bool skewed = draw(3) == 0, few = draw(4) == 0;
    for (uint32_t i = 0; i < b->count; i++) {
        b->source[i] = skewed && draw(4) ? hub : draw(n);
        b->target[i] = few ? draw(1 + n / 8) : draw(n);
        b->value[i] = draw(1000000);
    }
}

static int by_edge(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts edges and removes repeats, for the other method of insertion. */
static inline void sort_batch(struct batch *b) {
    static uint64_t key[MOST_BATCH];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->count; i++)
        key[i] = (uint64_t)b->source[i] << 32 | b->target[i];
    qsort(key, b->count, sizeof *key, by_edge);
    for (uint32_t i = 0; i < b->count; i++) {
        if (i > 0 && key[i] == key[i - 1])
            continue;
        b->source[kept] = (uint32_t)(key[i] >> 32);
        b->target[kept] = (uint32_t)key[i];
        kept++;
    }
    b->count = kept;
}

static inline void model_insert(struct model *m, const struct batch *b, bool valued) {
    for (uint32_t i = 0; i < b->count; i++)
        m->value[b->source[i]][b->target[i]] = valued ? b->value[i] : 0;
}

static inline void model_delete(struct model *m, const struct batch *b) {
    for (uint32_t i = 0; i < b->count; i++)
        m->value[b->source[i]][b->target[i]] = ABSENT;
}

static inline void model_delete_vertex(struct model *m, uint32_t v) {
    for (uint32_t u = 0; u < SIDE; u++)
        m->value[v][u] = m->value[u][v] = ABSENT;
}

static inline void turn_model(const struct model *m, struct model *to) {
    to->n = m->n;
    for (uint32_t u = 0; u < SIDE; u++)
        for (uint32_t v = 0; v < SIDE; v++)
            to->value[v][u] = m->value[u][v];
}

/* The batch with each edge reversed. */
static inline void turn_batch(const struct batch *b, struct batch *to) {
    to->count = b->count;
    memcpy(to->source, b->target, b->count * sizeof *b->target);
    memcpy(to->target, b->source, b->count * sizeof *b->source);
    memcpy(to->value, b->value, b->count * sizeof *b->value);
}

/* Checks the graph by gpugraph_dynamic_rows: no edge twice, and the right count of
** edges. */
static inline void read_model(gpugraph_dynamic *d, struct model *m, bool valued) {
    static uint64_t offset[SIDE + 1];
    static uint32_t target[SIDE * SIDE], value[SIDE * SIDE];
    gpugraph_run run = {.threads = 1};
    uint64_t count = gpugraph_dynamic_edge_count(d);
    clear_model(m, gpugraph_dynamic_vertex_count(d));
    expect(count <= SIDE * SIDE, "%llu edges", (unsigned long long)count);
    gpugraph_status status = gpugraph_dynamic_rows(d, &run, offset, target, value);
    expect(status == GPUGRAPH_OK, "rows: %s", run.message);
    expect(offset[m->n] == count, "%llu edges in rows, %llu counted",
           (unsigned long long)offset[m->n], (unsigned long long)count);
    for (uint32_t u = 0; u < m->n; u++)
        for (uint64_t i = offset[u]; i < offset[u + 1]; i++) {
            expect(target[i] < m->n, "a target of %u", target[i]);
            expect(m->value[u][target[i]] == ABSENT, "%u -> %u is there twice", u,
                   target[i]);
            m->value[u][target[i]] = valued ? value[i] : 0;
        }
}

/* The graph equals the model, edge by edge. */
static inline void check_rows(gpugraph_dynamic *d, const struct model *m, bool valued) {
    static struct model got;
    read_model(d, &got, valued);
    expect(got.n == m->n, "%u vertices, not %u", got.n, m->n);
    for (uint32_t u = 0; u < SIDE; u++)
        for (uint32_t v = 0; v < SIDE; v++)
            expect(got.value[u][v] == m->value[u][v], "%u -> %u is %u, not %u", u, v,
                   got.value[u][v], m->value[u][v]);
}

#endif
