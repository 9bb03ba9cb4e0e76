/* R-MATs that are drawn on a device, as gengraph.cuh's rmat:SCALE:FACTOR, edge for edge: an edge is a function of its
** number, so that each device draws those that it needs. */
#ifndef BENCH_DRAWN_EDGES_CUH
#define BENCH_DRAWN_EDGES_CUH

#include "device/cuda.cuh"

static const uint64_t SEED = 12345;

static __device__ uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

static __device__ uint32_t scramble(uint32_t x, int bits) {
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (uint32_t round = 0; round < 4; round++) {
        x = (x * (0x9E3779B1u + 2u * round * 0x12345u)) & mask;
        x ^= x >> (bits / 2);
        x = (x + 0x7F4A7C15u * (round + 1)) & mask;
    }
    return x & mask;
}

/* One thread per edge. Weights, unless NULL: 1 .. 255. */
static __global__ void draw(uint64_t first, uint64_t count, int scale, uint32_t *source,
                            uint32_t *target, uint32_t *weight) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        uint32_t u = 0, v = 0;
        uint64_t hash = mix(SEED * 0x1000003ULL + first + i);
        for (int level = 0; level < scale; level++) {
            hash = mix(hash + level);
            float dice = (uint32_t)(hash >> 32) * 2.3283064365386963e-10f;
            bool right = (dice >= 0.57f && dice < 0.76f) || dice >= 0.95f;
            bool down = dice >= 0.76f;
            u = u * 2 + down;
            v = v * 2 + right;
        }
        source[i] = scramble(u, scale);
        target[i] = scramble(v, scale);
        if (weight)
            weight[i] = (uint32_t)(mix(hash) % 255) + 1;
    }
}

#endif
