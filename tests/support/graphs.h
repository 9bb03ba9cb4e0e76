/* Named graph shapes for tests, as the edge columns that gpugraph_create reads.
**
**     shape       ids 0 .. vertices - 1, all also given as vertices, so that an id is
**                 its vertex number; edge ids 1 .. edges, so that edge number e is
**                 source[e] -> target[e]
**
** Every shape is equal on every run: random parts come from a seed. */
#ifndef TEST_GRAPHS_H
#define TEST_GRAPHS_H

#include "gpugraph.h"

typedef struct shape {
    const char *name;
    uint32_t vertices;
    int64_t edges, room;
    int64_t *source, *target;
} shape;

/* The generator: SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t shape_random(uint64_t *state);

shape shape_empty(uint32_t vertices); /* no edges */
shape shape_path(uint32_t vertices);  /* 0 -> 1 -> 2 ... */
shape shape_cycle(uint32_t vertices);
shape shape_star(uint32_t leaves); /* 0 -> every leaf */
/* A spine 0 -> 1 -> ..., with a tooth of `tooth` vertices at each of its vertices. */
shape shape_comb(uint32_t spine, uint32_t tooth);
shape shape_binary_tree(uint32_t levels);          /* v -> 2 v + 1, v -> 2 v + 2 */
shape shape_grid(uint32_t rows, uint32_t columns); /* edges right and down */
shape shape_complete(uint32_t vertices);           /* u -> v for every u < v */
/* 2^scale vertices, edge_factor times as many edges, skewed as in Graph500. */
shape shape_rmat(uint32_t scale, uint32_t edge_factor, uint64_t seed);
/* Uniform random ends; small shapes also get loops and parallel edges. */
shape shape_random_edges(uint32_t vertices, int64_t edges, uint64_t seed);
/* Both shapes; the vertices of the second follow those of the first. Frees both. */
shape shape_beside(const char *name, shape first, shape second);
void shape_free(shape *s);

void shape_add(shape *s, uint32_t source, uint32_t target);
/* Renumbers the vertices by a random permutation. */
void shape_renumber(shape *s, uint64_t seed);
/* Puts the edges in a random order. */
void shape_shuffle(shape *s, uint64_t seed);

/* Sorts the edges by source, then by target. */
void shape_sort(shape *s);

/* Small shape number i of a list, some with loops, parallel edges, isolated vertices or
** renumbered vertices; false past the last. */
bool shape_small(int i, uint64_t seed, shape *s);

/* Input of gpugraph_create for a shape without weights. vertex: room for its vertices. */
gpugraph_edges shape_edges(const shape *s, int64_t *vertex);

/* The unweighted graph of a shape. Like the other functions, it aborts without memory. */
gpugraph_graph *shape_graph(const shape *s);

/* True if v is a target of the search. */
static inline bool search_wants(const gpugraph_search *search, uint32_t v) {
    uint32_t i = 0;
    while (i < search->target_count && search->target[i] != v)
        i++;
    return i < search->target_count;
}

/* The graph with a weight for each edge: integers, or REAL weights if `whole` is NULL.
** changes: the graph has only the ends of edges as vertices, and may be updated. */
gpugraph_graph *shape_weighed(const shape *s, bool changes, const int64_t *whole,
                              const double *real);

#endif
