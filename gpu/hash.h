/* Two families of hashes.
**
**     placing    gg_placing(), gg_place_integer, gg_place_text, gg_place_number:
**                the slot of a value in a table of this process. Each process draws its
**                own seed, so no user can choose colliding ids. A placing hash is never
**                stored in a file, sent to another process, or part of an answer. A table
**                keeps the seed with which it was made.
**     fixed      gg_fixed_hash, gg_fixed_hash_text (ids/ids.h):
**                equal in every process, for priorities of independent sets, owners of
**                vertices, checksums and samples. A user can find values that collide. */
#ifndef GPUGRAPH_HASH_H
#define GPUGRAPH_HASH_H

#include "language.h"

#include <stdint.h>
#include <string.h>

/* ---- placing ---- */

/* Random numbers; `odd` is odd. */
struct gg_placing {
    uint64_t salt, odd;
};

GG_BEGIN_C
/* The numbers of this process and its children. (base/hash.c) */
struct gg_placing gg_placing(void);
GG_END_C

#define GG_PLACING_ROUND 0x9e3779b97f4a7c15u

/* Combines the halves of the product. */
static inline uint64_t gg_fold(uint64_t a, uint64_t b) {
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Mixes upper and lower bits well. With a single product, one seed in thirty would map
** ids at regular distances to adjacent slots. */
static inline uint64_t gg_place_integer(struct gg_placing p, uint64_t x) {
    return gg_fold(gg_fold(x ^ p.salt, p.odd), GG_PLACING_ROUND);
}

static inline uint64_t gg_place_text(struct gg_placing p, const char *bytes,
                                     uint64_t length) {
    uint64_t hash = p.salt ^ gg_fold(length + GG_PLACING_ROUND, GG_PLACING_ROUND), word;
    for (; length >= sizeof word; bytes += sizeof word, length -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = gg_fold(hash ^ word, p.odd) ^ GG_PLACING_ROUND;
    }
    word = 0;
    if (length > 0)
        memcpy(&word, bytes, length);
    return gg_fold(gg_fold(hash ^ word, p.odd), GG_PLACING_ROUND);
}

/* For a vertex number or a label, also in kernels: the upper bits are well mixed. The
** round after the first product spreads numbers at regular distances. */
GG_ANYWHERE uint32_t gg_place_number(uint32_t odd, uint32_t number) {
    number *= odd;
    number ^= number >> 15;
    return number * 0x7feb352du;
}

/* ---- fixed ---- */

/* Mixes every bit into every other bit, also in kernels. */
GG_ANYWHERE uint64_t gg_fixed_hash(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

#endif
