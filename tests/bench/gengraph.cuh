/* The benchmark graphs: three families, eight names, the same edges on every machine.
**
**     rmat20 rmat22 rmat24          2^20 .. 2^24 vertices, Graph500's probabilities, 16
**                                   edges drawn for each vertex, numbers scrambled
**     road1m road4m road24m         a square grid of side 1024, 2048, 4900 that keeps an
**                                   edge with p = .60 and a diagonal of a cell with
**                                   p = .05
**     mesh1m mesh16m                a triangulated square grid of side 1024, 4096,
**                                   numbers scrambled
**     rmat:26:16                    as rmat20, with that scale and number of edges drawn
**                                   for each vertex, as far as device memory suffices
**
** Symmetric, without loops or repeats, edges ascending by (source, target); the weight of
** {u, v} is 1 .. 255 by a hash of the pair. Sixteen sources are drawn from the largest
** component. A CUDA device makes the graph, and the host downloads it. */
#ifndef BENCH_GENGRAPH_CUH
#define BENCH_GENGRAPH_CUH

#include <stdint.h>

enum { BENCH_SOURCES = 16 };

struct bench_graph {
    uint32_t n;
    uint64_t m; /* directed edges */
    uint32_t *source, *target, *weight;
    uint64_t *offset; /* n + 1: where the edges of each source begin */
    uint32_t start[BENCH_SOURCES];
    uint32_t component; /* vertices of the largest component */
    uint32_t isolated;
};

/* Makes the graph of that name. Returns false if there is none. If CUDA or memory fails,
** ends the program with a line on stderr. */
bool bench_graph_make(const char *name, bench_graph *graph);
void bench_graph_free(bench_graph *graph);
const char *bench_graph_names(void);

#endif
