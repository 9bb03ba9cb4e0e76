/* Draws the undirected edges of the shapes of training_graphs.cuh. A shape is a family,
** two sizes a and b, and a share or mean p. The function of each family explains them
** (training_families.cu). */
#ifndef BENCH_TRAINING_FAMILIES_CUH
#define BENCH_TRAINING_FAMILIES_CUH

#include <stdint.h>

#include <vector>

struct dice {
    uint64_t state;
    /* splitmix64 */
    uint64_t next() {
        uint64_t x = state += 0x9E3779B97F4A7C15ULL;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31);
    }
    uint32_t below(uint64_t n) {
        return (uint32_t)((next() >> 32) * n >> 32);
    }
    double real() { /* 0 .. 1 */
        return (double)(next() >> 11) * 0x1p-53;
    }
};

struct edge {
    uint32_t u, v;
    double length; /* for GEOMETRIC; otherwise 0 */
};
typedef std::vector<edge> edges;

enum family {
    GRID,
    ROAD,
    MESH,
    CUBE,
    GEOMETRIC,
    RANDOM,
    RMAT,
    SMALL_WORLD,
    PREFERENTIAL,
    BIPARTITE,
    COMB,
    STARS,
    TREE,
    REGULAR,
    SHOOTS,
    LAYERS,
    COMMUNITIES,
    POWER
};

struct shape {
    enum family family;
    uint32_t a, b;
    double p;
};

const char *family_name(enum family family);
/* The edges may contain repeats and loops. Returns the number of vertices. */
uint32_t draw_edges(const shape &s, dice &d, edges &out);

#endif
