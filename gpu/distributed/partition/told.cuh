/* Bits of masters become bits of places: those of other parts' ghosts, side by side.
**
**     bits of masters    . 1 . . 1 1 . .         a word
**     told[q]            1 1 . . . 1 . 1         which of them are ghosts at part q
**     places             | 1 1 .                 their bits, from place first[q] on
**
** Where a word has nothing to tell, nothing else is read: less than a look at each place's master. */
#ifndef GPUGRAPH_MULTI_TOLD_CUH
#define GPUGRAPH_MULTI_TOLD_CUH

#include "graph/frontier.cuh"

struct part_told {
    const uint32_t *told, *first;
    const uint64_t *first_out; /* places of earlier parts */
    uint64_t words;            /* of masters */
    uint32_t parts;
};

/* Bits of a word that `told` has, side by side. */
static __device__ __forceinline__ uint64_t part_side_by_side(uint32_t bits,
                                                             uint32_t told) {
    uint64_t all = 0;
    for (; bits; bits &= bits - 1) {
        const uint32_t below = (bits & (0u - bits)) - 1;
        all |= (uint64_t)1 << __popc(told & below);
    }
    return all;
}

/* The bits of word i go to all parts' places. out: bitmaps of places, zeros before. */
static __device__ __forceinline__ void part_tell(const part_told &t, uint64_t i,
                                                 uint32_t bits, uint32_t *out) {
    for (uint32_t q = 0; bits && q < t.parts; q++) {
        const uint32_t told = t.told[q * t.words + i];
        if (!(bits & told))
            continue;
        const uint64_t place = t.first_out[q] + t.first[q * t.words + i],
                       all = part_side_by_side(bits & told, told) << place % 32;
        if ((uint32_t)all)
            atomicOr(&out[place / 32], (uint32_t)all);
        if (all >> 32)
            atomicOr(&out[place / 32 + 1], (uint32_t)(all >> 32));
    }
}

/* Word i of the locals that a peer's ghosts lie in, from the word that the first of them is in on: it is bit `shift`
** there. in: `words` words of their bits. */
static __device__ __forceinline__ uint32_t part_word_of_ghosts(const uint32_t *in,
                                                               uint64_t i, uint32_t words,
                                                               uint32_t shift) {
    const uint32_t high = i < words ? in[i] << shift : 0;
    return shift > 0 && i > 0 ? high | in[i - 1] >> (32 - shift) : high;
}

#endif
