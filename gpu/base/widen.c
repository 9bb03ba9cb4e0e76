/* Numbers of a byte become numbers of four, on several threads; the largest byte stands for none.
**
**     from    | 3 | 0 | 255 | 7 | ...
**     to      | 3 | 0 | all ones | 7 | ...
**
** Four bytes are written for each that is read. A store of an ordinary sort reads its line of memory
** before, and leaves it in the caches, which a long array passes through for nothing: stores that go past
** them halve what crosses the memory's bus. Several devices' threads share it. */
#include "base/run.h"
#include "tuning.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { NONE_BYTE = UINT8_MAX, RUN = 16, LINE = 64 /* bytes */ };

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
/* A line. A byte of `none` is all ones where the number is none, and so are the bytes above it. */
static inline void widen_run(uint32_t *to, const uint8_t *from) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)from);
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

/* Whole lines alone go past the caches. Returns how many entries are done. */
static uint64_t widen_past_caches(uint32_t *to, const uint8_t *from, uint64_t count) {
    uint64_t i = -(uintptr_t)to % LINE / sizeof *to;
    i = i < count ? i : count;
    widen_plainly(to, from, i);
    for (; count - i >= RUN; i += RUN)
        widen_run(to + i, from + i);
    _mm_sfence();
    return i;
}
#else
static uint64_t widen_past_caches(uint32_t *to, const uint8_t *from, uint64_t count) {
    (void)to, (void)from, (void)count;
    return 0;
}
#endif

static void widen_slice(void *job, uint64_t low, uint64_t high) {
    const struct widening *w = job;
    if (w->past_caches)
        low += widen_past_caches(w->to + low, w->from + low, high - low);
    widen_plainly(w->to + low, w->from + low, high - low);
}

void gg_widen(const gpugraph_run *run, uint32_t *to, const uint8_t *from, uint64_t count,
              int threads, bool past_caches) {
    struct widening w = {to, from, past_caches};
    const int all = gg_threads(run, count);
    gg_slices(all < threads ? all : threads, count, widen_slice, &w);
}
