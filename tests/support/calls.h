/* Calls of all public functions, with arguments that make each work long on a graph. */
#ifndef TEST_CALLS_H
#define TEST_CALLS_H

#include "gpugraph.h"

#include <stdbool.h>
#include <stdint.h>

/* A graph with its arguments and with arrays for results. */
typedef struct world {
    const char *name;
    gpugraph_graph *graph;
    uint32_t n;
    uint64_t m;
    uint32_t far; /* a vertex that 0 reaches, far away */
    gpugraph_direction direction;
    uint32_t *source; /* one in each component */
    uint32_t sources;
    uint32_t *all; /* 0 .. n - 1 */
    void *result[6];
} world;

/* Makes the graph's arrays of vertices and results. The caller sets graph, n and m
** before, and name, far, direction and the sources itself. */
void world_fill(world *w);
/* Frees the graph, too. */
void world_free(world *w);

typedef struct question {
    const char
        /* as in gpugraph_method_at, or a name for a function without methods */
        *function;
    void (*ask)(const world *w, gpugraph_run *run);
} question;

extern const question questions[];
extern const int question_count;

#endif
