/* Graphs for the benchmarks on the CPU, as columns of edges: made by name, or read.
**
**     rmat:SCALE:FACTOR   2^SCALE vertices, FACTOR directed edges for each, the
**                         probabilities of Graph500, scrambled numbers, weights 1 .. 255
**     grid:SIDE           SIDE * SIDE vertices, both ways to the four neighbours, weights
**                         1 .. 255
**     path:LENGTH         one long path
**     tree:VERTICES       a random tree, both ways along each edge, weights 1 .. 255;
**                         each labelled tree is equally likely (Aldous, SIAM J. Discrete
**                         Math. 3, 1990)
**     a file's name       DIMACS, with or without .gz or .xz: arcs `a SRC DST WEIGHT`; or
**                         lines `SRC DST`, weight 1 */
#ifndef GPUGRAPH_BENCH_GRAPHS_H
#define GPUGRAPH_BENCH_GRAPHS_H

#include "bench.h"
#include "gpugraph.h"

#include <string.h>

struct columns {
    int64_t count, room;
    int64_t *source, *target, *weight;
};

static void *need(void *block) {
    if (!block) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

static void add(struct columns *c, int64_t source, int64_t target, int64_t weight) {
    if (c->count == c->room) {
        c->room = c->room ? c->room * 2 : 1 << 16;
        size_t bytes = (size_t)c->room * sizeof *c->source;
        c->source = need(realloc(c->source, bytes));
        c->target = need(realloc(c->target, bytes));
        c->weight = need(realloc(c->weight, bytes));
    }
    c->source[c->count] = source;
    c->target[c->count] = target;
    c->weight[c->count++] = weight;
}

/* splitmix64 */
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static int64_t weight_of(uint64_t edge) {
    return (int64_t)(mix(edge * 3 + 1) % 255) + 1;
}

static void make_rmat(struct columns *c, int scale, int factor) {
    uint64_t n = (uint64_t)1 << scale, edges = n * (uint64_t)factor;
    for (uint64_t e = 0; e < edges; e++) {
        uint64_t u = 0, v = 0;
        for (int bit = 0; bit < scale; bit++) {
            uint64_t dice = mix(e * 64 + (uint64_t)bit) % 100;
            u = u << 1 | (dice >= 76);
            v = v << 1 | ((dice >= 57 && dice < 76) || dice >= 95);
        }
        /* An odd factor permutes the numbers below a power of two. */
        u = u * 0x9e3779b97f4a7c15u % n;
        v = v * 0x9e3779b97f4a7c15u % n;
        add(c, (int64_t)u, (int64_t)v, weight_of(e));
    }
}

static void add_both(struct columns *c, int64_t u, int64_t v) {
    int64_t weight = weight_of((uint64_t)c->count);
    add(c, u, v, weight);
    add(c, v, u, weight);
}

static void make_grid(struct columns *c, int64_t side) {
    for (int64_t v = 0; v < side * side; v++) {
        if (v % side + 1 < side)
            add_both(c, v, v + 1);
        if (v / side + 1 < side)
            add_both(c, v, v + side);
    }
}

/* The parent of a vertex is the vertex before it, or a random earlier one. */
static void make_tree(struct columns *c, int64_t n) {
    for (int64_t v = 1; v < n; v++) {
        int64_t drawn = (int64_t)(mix((uint64_t)v) % (uint64_t)n);
        add_both(c, drawn < v ? drawn : v - 1, v);
    }
}

static void read_file(struct columns *c, const char *path) {
    char command[1000], line[200];
    const char *end = strrchr(path, '.');
    snprintf(command, sizeof command, "%s '%s'",
             end && strcmp(end, ".xz") == 0 ? "xzcat" : "zcat -f", path);
    FILE *lines = popen(command, "r");
    while (lines && fgets(line, sizeof line, lines)) {
        long long u, v, weight = 1;
        if (sscanf(line, "a %lld %lld %lld", &u, &v, &weight) == 3 ||
            sscanf(line, "%lld %lld", &u, &v) == 2)
            add(c, u, v, weight);
    }
    if (lines)
        pclose(lines);
}

static inline void fill(struct columns *c, const char *name) {
    int scale, factor;
    long long side;
    if (sscanf(name, "rmat:%d:%d", &scale, &factor) == 2)
        make_rmat(c, scale, factor);
    else if (sscanf(name, "grid:%lld", &side) == 1)
        make_grid(c, side);
    else if (sscanf(name, "tree:%lld", &side) == 1)
        make_tree(c, side);
    else if (sscanf(name, "path:%lld", &side) == 1)
        for (int64_t v = 0; v + 1 < side; v++)
            add_both(c, v, v + 1);
    else
        read_file(c, name);
}

static inline void free_columns(struct columns *c) {
    free(c->source);
    free(c->target);
    free(c->weight);
}

/* Ends the program if a call failed. */
static inline void give_up_on_error(const gpugraph_run *run) {
    if (run->status != GPUGRAPH_OK) {
        fprintf(stderr, "%s\n", run->message);
        exit(1);
    }
}

/* Makes the graph of these edges, and frees them. */
static inline gpugraph_graph *graph_of(struct columns *c, gpugraph_run *run) {
    gpugraph_edges edges = {.count = c->count,
                            .source = {c->source, NULL},
                            .target = {c->target, NULL},
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = c->weight};
    gpugraph_graph *graph;
    gpugraph_create(&edges, run, &graph);
    give_up_on_error(run);
    free_columns(c);
    return graph;
}

/* Makes the graph of that name, with all its edges. */
static inline gpugraph_graph *make_graph(const char *name, gpugraph_run *run) {
    struct columns c = {0};
    fill(&c, name);
    if (c.count == 0) {
        fprintf(stderr, "no edges in %s\n", name);
        exit(2);
    }
    return graph_of(&c, run);
}

#endif
