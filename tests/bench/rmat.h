/* The R-MAT edges of bench_reader and bench_sql. R20: scale 20, eight edges a vertex,
** from state 1; its vertex 0 has the most. */
#ifndef BENCH_RMAT_H
#define BENCH_RMAT_H

#include <stdint.h>

enum { R20_SCALE = 20 };

struct edge {
    int64_t source, target, weight;
};

static inline uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static inline struct edge rmat_edge(int scale, uint64_t *state) {
    struct edge e = {0, 0, (int64_t)(next_random(state) % 255) + 1};
    for (int bit = 0; bit < scale; bit++) {
        uint64_t r = next_random(state) % 100;
        e.source = e.source << 1 | (r >= 76);
        e.target = e.target << 1 | ((r >= 57 && r < 76) || r >= 95);
    }
    /* An odd factor permutes the numbers below a power of two. */
    int64_t mask = ((int64_t)1 << scale) - 1;
    e.source = (int64_t)((uint64_t)e.source * 0x9e3779b97f4a7c15) & mask;
    e.target = (int64_t)((uint64_t)e.target * 0x9e3779b97f4a7c15) & mask;
    return e;
}

#endif
