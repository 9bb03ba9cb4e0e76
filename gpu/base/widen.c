/* Converts numbers of one byte to numbers of four bytes on several threads. 255 means
** that there is no number.
**
**     bytes     | 3 | 0 | 255 | 7 | ...
**     to        | 3 | 0 | all ones | 7 | ...
**
** An ordinary store first reads its cache line and leaves the line in the caches, where a
** long array displaces other data. Stores that bypass the caches halve the memory
** traffic: 64 searches of rmat22 take 19.9 ms with them and 27.3 ms without (H100). */
#include "base/run.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    NONE_BYTE = UINT8_MAX,
    RUN = 16,  /* numbers that one step converts */
    LINE = 64, /* bytes of a cache line */
    /* The most threads. (64 searches of rmat22 on two devices with 8, 12 and 16 threads:
    ** 10.8, 10.3 and 9.9 ms.) */
    WIDENERS = 16,
    /* Numbers from which the stores of an array bypass the caches. (2^22 numbers, 8
    ** threads: 53 GB/s by ordinary stores, 158 GB/s otherwise.) Shorter arrays stay in
    ** the caches, where the caller reads them. */
    PAST_CACHES = 1 << 21
};

struct widening {
    uint32_t *to;
    const uint8_t *from;
    bool past_caches;
};

static void widen_plainly(uint32_t *restrict to, const uint8_t *restrict from,
                          uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        to[i] = from[i] == NONE_BYTE ? UINT32_MAX : from[i];
}

#ifdef __SSE2__
/* Converts 16 numbers. `none` has the upper three bytes of each result: all ones if there
** is no number, otherwise 0. */
static inline void widen_run(uint32_t *to, __m128i bytes) {
    const __m128i none = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(-1));
    const __m128i low = _mm_unpacklo_epi8(bytes, none),
                  low_none = _mm_unpacklo_epi8(none, none),
                  high = _mm_unpackhi_epi8(bytes, none),
                  high_none = _mm_unpackhi_epi8(none, none);
    __m128i *line = (__m128i *)to;
    _mm_stream_si128(line, _mm_unpacklo_epi16(low, low_none));
    _mm_stream_si128(line + 1, _mm_unpackhi_epi16(low, low_none));
    _mm_stream_si128(line + 2, _mm_unpacklo_epi16(high, high_none));
    _mm_stream_si128(line + 3, _mm_unpackhi_epi16(high, high_none));
}

/* Converts whole cache lines, which bypass the caches, and the entries before them.
** Returns the first entry still to convert. */
static uint64_t widen_lines(const struct widening *w, uint64_t low, uint64_t high) {
    uint64_t i = low + -(uintptr_t)(w->to + low) % LINE / sizeof *w->to;
    i = i < high ? i : high;
    widen_plainly(w->to + low, w->from + low, i - low);
    for (; high - i >= RUN; i += RUN)
        widen_run(w->to + i, _mm_loadu_si128((const __m128i *)(w->from + i)));
    _mm_sfence();
    return i;
}
#else
static uint64_t widen_lines(const struct widening *w, uint64_t low, uint64_t high) {
    (void)w, (void)high;
    return low;
}
#endif

static void widen_slice(void *job, uint64_t low, uint64_t high) {
    const struct widening *w = job;
    low = w->past_caches ? widen_lines(w, low, high) : low;
    widen_plainly(w->to + low, w->from + low, high - low);
}

void gg_widen(const gpugraph_run *run, uint32_t *to, const uint8_t *from, uint64_t count,
              uint64_t all) {
    struct widening w = {to, from, all >= PAST_CACHES};
    const int threads = gg_threads(run, count);
    gg_slices(threads < WIDENERS ? threads : WIDENERS, count, widen_slice, &w);
}
