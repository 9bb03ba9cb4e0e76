/* Draws R-MATs on a device, each edge independently: for the benchmark graphs
** (gengraph.cu), and for graphs of which several devices draw their shares
** (drawn_parts.cuh). Both draw the same edges. */
#ifndef BENCH_DRAWN_RMAT_CUH
#define BENCH_DRAWN_RMAT_CUH

#include <stdint.h>

#define DRAWN_SEED 12345

/* splitmix64 */
static inline __host__ __device__ uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/* Permutes the numbers of `bits` bits: four rounds of an odd factor, a fold and an
** addition. */
static inline __device__ uint32_t scramble(uint32_t x, int bits) {
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (uint32_t round = 0; round < 4; round++) {
        x = (x * (0x9E3779B1u + 2u * round * 0x12345u)) & mask;
        x ^= x >> (bits / 2);
        x = (x + 0x7F4A7C15u * (round + 1)) & mask;
    }
    return x & mask;
}

/* The seed of the draws of edge or cell number i. */
static inline __device__ uint64_t draw_number(uint64_t i) {
    return mix(DRAWN_SEED * 0x1000003ULL + i);
}

/* Draws edge number i: a quadrant of the adjacency matrix for each bit. Returns the last
** random word. */
static inline __device__ uint64_t draw_rmat_edge(uint64_t i, int scale, uint32_t *source,
                                                 uint32_t *target) {
    uint32_t u = 0, v = 0;
    uint64_t hash = draw_number(i);
    for (int level = 0; level < scale; level++) {
        hash = mix(hash + level);
        float dice = (uint32_t)(hash >> 32) * 2.3283064365386963e-10f;
        bool right = (dice >= 0.57f && dice < 0.76f) || dice >= 0.95f;
        bool down = dice >= 0.76f;
        u = u * 2 + down;
        v = v * 2 + right;
    }
    *source = scramble(u, scale);
    *target = scramble(v, scale);
    return hash;
}

#endif
