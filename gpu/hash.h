/* Two families of hashes.
**
**     placing    gg_placing(), gg_place_integer, gg_place_text, gg_place_number:
**                the place of a value in a table of this process. The seed is drawn once
**                for each process, so no user can choose colliding ids. A place is never
**                stored in a file, sent to another process, or part of an answer. A table
**                is read with the seed that it was made with.
**     fixed      gg_fixed_hash, gg_fixed_hash_text (ids/ids.h):
**                equal in every process. For priorities of independent sets, owners of
**                vertices, checksums, samples. Any user can find values that collide. */
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

/* Upper and lower bits are well mixed. With a single product, one seed in thirty would
** place ids at regular distances in a row of places. */
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

/* Mixes every bit into every other one, also in kernels. */
GG_ANYWHERE uint64_t gg_fixed_hash(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

#endif
