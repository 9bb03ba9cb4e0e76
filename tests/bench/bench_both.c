/* Compares two ways to make rows in both directions: from the edge list, as in
** gpu/graph/csr.c, and from the rows of OUT and IN, joined one by one.
**
**     bench_both [THREADS]
**
** Two graphs of 8.4 M edges: the R-MAT graph R20, and a grid with sources in order. Each
** way has a new graph in each of RUNS runs. Prints the least processor time of all
** threads, in milliseconds. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graph/graph.h"
#include "rmat.h"

enum { RUNS = 9, EDGES = 8 << R20_SCALE, WIDTH = 2048 };

static int threads = 1;

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void make_edges(bool grid, int64_t *source, int64_t *target) {
    static const int64_t step[4] = {1, -1, WIDTH, -WIDTH};
    uint64_t state = 1;
    for (int64_t i = 0; i < EDGES; i++) {
        struct edge e;
        if (grid)
            e.target = (e.source = i / 3 + WIDTH + 1) + step[next_random(&state) & 3];
        else
            e = rmat_edge(R20_SCALE, &state);
        source[i] = e.source;
        target[i] = e.target;
    }
}

/* Makes one kind of rows, and keeps the least milliseconds in *best. */
static csr make(gpugraph_graph *graph, enum csr_kind kind, double *best) {
    gpugraph_run run = {.threads = threads};
    csr view;
    double start = now_ms();
    if (gg_rows(graph, kind, false, false, &run, &view) != GPUGRAPH_OK)
        exit(1);
    double ms = now_ms() - start;
    *best = ms < *best ? ms : *best;
    return view;
}

struct joining {
    const csr *out, *in;
    uint64_t *offset;
    uint32_t *target;
};

static void count_rows(void *job, uint64_t low, uint64_t high) {
    const struct joining *j = job;
    for (uint64_t v = low; v < high; v++) {
        j->offset[v + 1] = j->out->end[v] - j->out->begin[v];
        for (uint64_t k = j->in->begin[v]; k < j->in->end[v]; k++)
            j->offset[v + 1] += j->in->target[k] != v;
    }
}

static void join_rows(void *job, uint64_t low, uint64_t high) {
    const struct joining *j = job;
    for (uint64_t v = low; v < high; v++) {
        uint64_t to = j->offset[v], count = j->out->end[v] - j->out->begin[v];
        memcpy(j->target + to, j->out->target + j->out->begin[v],
               count * sizeof *j->target);
        to += count;
        for (uint64_t k = j->in->begin[v]; k < j->in->end[v]; k++)
            if (j->in->target[k] != v)
                j->target[to++] = j->in->target[k];
    }
}

/* Joins each row of OUT with the row of IN, without IN's loops. Returns the arc count. */
static uint64_t join(const csr *out, const csr *in, double *best) {
    double start = now_ms();
    uint64_t *offset = malloc((out->n + 1ull) * sizeof *offset);
    struct joining j = {out, in, offset, NULL};
    offset[0] = 0;
    gg_chunks(threads, out->n, 1024, count_rows, &j);
    for (uint64_t v = 0; v < out->n; v++)
        offset[v + 1] += offset[v];
    uint64_t arcs = offset[out->n];
    j.target = malloc(arcs * sizeof *j.target);
    gg_chunks(threads, out->n, 1024, join_rows, &j);
    double ms = now_ms() - start;
    *best = ms < *best ? ms : *best;
    free(offset);
    free(j.target);
    return arcs;
}

static gpugraph_graph *create(const gpugraph_edges *edges) {
    gpugraph_run run = {.threads = threads};
    gpugraph_graph *graph;
    if (gpugraph_create(edges, &run, &graph) != GPUGRAPH_OK)
        exit(1);
    return graph;
}

int main(int argc, char **argv) {
    int64_t *source = malloc(EDGES * sizeof *source);
    int64_t *target = malloc(EDGES * sizeof *target);
    const gpugraph_edges edges = {
        .count = EDGES, .source = {.value = source}, .target = {.value = target}};
    threads = argc > 1 ? atoi(argv[1]) : 1;
    printf(
        "graph   edges to: out    in  both   | joined  | with in / both, alone / both\n");
    for (int grid = 0; grid < 2; grid++) {
        double out_ms = 1e9, in_ms = 1e9, both_ms = 1e9, joined_ms = 1e9;
        make_edges(grid, source, target);
        for (int i = 0; i < RUNS; i++) {
            gpugraph_graph *graph = create(&edges);
            csr both = make(graph, CSR_BOTH, &both_ms);
            uint64_t arcs = both.m;
            gpugraph_free(graph);
            graph = create(&edges);
            csr out = make(graph, CSR_OUT, &out_ms), in = make(graph, CSR_IN, &in_ms);
            if (join(&out, &in, &joined_ms) != arcs)
                return 1;
            gpugraph_free(graph);
        }
        printf("%-12s %7.0f %5.0f %5.0f   | %6.0f  | %6.2f  %6.2f\n",
               grid ? "grid" : "R20", out_ms, in_ms, both_ms, joined_ms,
               (in_ms + joined_ms) / both_ms, joined_ms / both_ms);
    }
    free(source);
    free(target);
    return 0;
}
