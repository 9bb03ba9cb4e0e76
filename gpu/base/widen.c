/* Numbers of a byte or of half a byte become numbers of four bytes or of one, on several threads; the largest
** stands for none.
**
**     bytes     | 3 | 0 | 255 | 7 | ...
**     nibbles   | 0:3 | 7:15 | ...              the lower half is the first of two
**     to        | 3 | 0 | all ones | 7 | ...
**
** Up to eight bytes are written for each that is read. A store of an ordinary sort reads its line of memory
** before, and leaves it in the caches, which a long array passes through for nothing: stores that go past
** them halve what crosses the memory's bus. Several devices' threads share it.
**
**     pieces    | 0 ... | 1 ... | 2 ...          as they come from a device
**     portions  0 1 2 3 4 5 6 7 8 ...            of GG_THREAD_GRAIN entries, to whoever is free */
#include "base/run.h"
#include "tuning.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { NONE_BYTE = UINT8_MAX, NONE_NIBBLE = 15, RUN = 16, LINE = 64 /* bytes */ };

struct widening {
    uint32_t *to;
    uint8_t *bytes; /* in place of `to`, where that is NULL */
    const uint8_t *from;
    bool nibbles, past_caches;
};

static struct widening begin(void *to, const uint8_t *from,
                             const struct gg_widening *how) {
    const bool bytes = how->size == 1;
    return (struct widening){.to = bytes ? NULL : to,
                             .bytes = bytes ? to : NULL,
                             .from = from,
                             .nibbles = how->bits == 4,
                             .past_caches = how->past_caches};
}

/* ---- to four bytes ---- */

static void widen_bytes(uint32_t *restrict to, const uint8_t *restrict from,
                        uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        to[i] = from[i] == NONE_BYTE ? UINT32_MAX : from[i];
}

static inline uint32_t widen_nibble(uint32_t nibble) {
    return nibble == NONE_NIBBLE ? UINT32_MAX : nibble;
}

/* `count` bytes, two numbers each. */
static void widen_pairs(uint32_t *restrict to, const uint8_t *restrict from,
                        uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        to[2 * i] = widen_nibble(from[i] & NONE_NIBBLE);
        to[2 * i + 1] = widen_nibble(from[i] >> 4);
    }
}

static void widen_nibbles(uint32_t *to, const uint8_t *from, uint64_t low,
                          uint64_t high) {
    if (low < high && low % 2 == 1) {
        to[low] = widen_nibble(from[low / 2] >> 4);
        low++;
    }
    widen_pairs(to + low, from + low / 2, (high - low) / 2);
    if ((high - low) % 2 == 1)
        to[high - 1] = widen_nibble(from[high / 2] & NONE_NIBBLE);
}

/* ---- to one ---- */

static inline uint8_t byte_of(unsigned nibble) {
    return nibble == NONE_NIBBLE ? NONE_BYTE : (uint8_t)nibble;
}

/* `count` bytes, two numbers each. */
static void part_pairs(uint8_t *restrict to, const uint8_t *restrict from,
                       uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        to[2 * i] = byte_of(from[i] & NONE_NIBBLE);
        to[2 * i + 1] = byte_of(from[i] >> 4);
    }
}

static void part_nibbles(uint8_t *to, const uint8_t *from, uint64_t low, uint64_t high) {
    if (low < high && low % 2 == 1) {
        to[low] = byte_of(from[low / 2] >> 4);
        low++;
    }
    part_pairs(to + low, from + low / 2, (high - low) / 2);
    if ((high - low) % 2 == 1)
        to[high - 1] = byte_of(from[high / 2] & NONE_NIBBLE);
}

/* ---- either ---- */

/* Entries low .. high - 1. */
static void widen_plainly(const struct widening *w, uint64_t low, uint64_t high) {
    if (w->to && w->nibbles)
        widen_nibbles(w->to, w->from, low, high);
    else if (w->to)
        widen_bytes(w->to + low, w->from + low, high - low);
    else if (w->nibbles)
        part_nibbles(w->bytes, w->from, low, high);
    else
        memcpy(w->bytes + low, w->from + low, high - low);
}

#ifdef __SSE2__
static inline __m128i bytes_at(const uint8_t *from, uint64_t i) {
    return _mm_loadu_si128((const __m128i *)(from + i));
}

/* From an odd one on they lie in nine bytes. */
static inline __m128i nibbles_at(const uint8_t *from, uint64_t i) {
    const __m128i most = _mm_set1_epi8(NONE_NIBBLE);
    uint64_t sixteen;
    memcpy(&sixteen, from + i / 2, sizeof sixteen);
    if (i % 2 == 1)
        sixteen = sixteen >> 4 | (uint64_t)from[i / 2 + 8] << 60;
    const __m128i two = _mm_loadl_epi64((const __m128i *)&sixteen);
    const __m128i each = _mm_unpacklo_epi8(_mm_and_si128(two, most),
                                           _mm_and_si128(_mm_srli_epi16(two, 4), most));
    return _mm_or_si128(each, _mm_cmpeq_epi8(each, most));
}

/* A line. A byte of `none` is all ones where the number is none, and so are the bytes above it. */
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

/* A line of bytes. */
static inline void copy_line(uint8_t *to, const uint8_t *from, uint64_t i, bool nibbles) {
    __m128i *line = (__m128i *)(to + i);
    for (int k = 0; k < LINE / RUN; k++, i += RUN)
        _mm_stream_si128(line + k, nibbles ? nibbles_at(from, i) : bytes_at(from, i));
}

/* Entries before the first whole line, which alone go past the caches. */
static uint64_t before_line(const struct widening *w, uint64_t low) {
    return w->to ? -(uintptr_t)(w->to + low) % LINE / sizeof *w->to
                 : -(uintptr_t)(w->bytes + low) % LINE;
}

/* Returns the first entry that is not done. */
static uint64_t widen_past_caches(const struct widening *w, uint64_t low, uint64_t high) {
    uint64_t i = low + before_line(w, low);
    i = i < high ? i : high;
    widen_plainly(w, low, i);
    if (w->to && w->nibbles)
        for (; high - i >= RUN; i += RUN)
            widen_run(w->to + i, nibbles_at(w->from, i));
    else if (w->to)
        for (; high - i >= RUN; i += RUN)
            widen_run(w->to + i, bytes_at(w->from, i));
    else if (w->nibbles)
        for (; high - i >= LINE; i += LINE)
            copy_line(w->bytes, w->from, i, true);
    else
        for (; high - i >= LINE; i += LINE)
            copy_line(w->bytes, w->from, i, false);
    _mm_sfence();
    return i;
}
#else
static uint64_t widen_past_caches(const struct widening *w, uint64_t low, uint64_t high) {
    (void)w, (void)high;
    return low;
}
#endif

static void widen_slice(void *job, uint64_t low, uint64_t high) {
    const struct widening *w = job;
    widen_plainly(w, w->past_caches ? widen_past_caches(w, low, high) : low, high);
}

void gg_widen(const gpugraph_run *run, void *to, const uint8_t *from, uint64_t count,
              const struct gg_widening *how) {
    struct widening w = begin(to, from, how);
    const int all = gg_threads(run, count);
    gg_slices(all < how->threads ? all : how->threads, count, widen_slice, &w);
}

/* ---- in pieces ---- */

enum { NEVER = -1 };

struct arrival {
    struct widening w; /* `from` apart */
    const struct gg_pieces *of;
    uint64_t count, taken; /* entries; portions */
    int pieces, come;      /* so many of them have; or NEVER */
};

static uint64_t portions_of(uint64_t entries) {
    return (entries + GG_THREAD_GRAIN - 1) / GG_THREAD_GRAIN;
}

/* The calling thread tells the others which pieces have come, and waits until `wanted` of them have. */
static bool look_for_pieces(struct arrival *a, int wanted) {
    int come = __atomic_load_n(&a->come, __ATOMIC_RELAXED);
    while (come != NEVER && come < a->pieces) {
        const bool wait = come < wanted;
        if (a->of->come(a->of->of, come, wait))
            come++;
        else if (wait)
            come = NEVER;
        else
            break;
        __atomic_store_n(&a->come, come, __ATOMIC_RELEASE);
    }
    return come != NEVER;
}

static bool await_pieces(struct arrival *a, int wanted) {
    int come;
    while ((come = __atomic_load_n(&a->come, __ATOMIC_ACQUIRE)) != NEVER && come < wanted)
        gg_yield();
    return come != NEVER;
}

static void widen_portion(const struct arrival *a, uint64_t piece, uint64_t low) {
    struct widening w = a->w;
    const uint64_t begin = piece * a->of->entries, left = a->count - begin;
    const uint64_t end = left < a->of->entries ? left : a->of->entries;
    w.to = w.to ? w.to + begin : NULL;
    w.bytes = w.bytes ? w.bytes + begin : NULL;
    w.from = a->of->from[piece];
    if (low < end)
        widen_slice(&w, low, end - low < GG_THREAD_GRAIN ? end : low + GG_THREAD_GRAIN);
}

/* Others may still wait for pieces when no portion is left, so the calling thread stays until all have come. */
static void widen_portions(void *job, int member, int team) {
    struct arrival *a = job;
    const uint64_t each = portions_of(a->of->entries), all = each * (uint64_t)a->pieces;
    uint64_t portion;
    (void)team;
    while ((portion = __atomic_fetch_add(&a->taken, 1, __ATOMIC_RELAXED)) < all) {
        const int wanted = (int)(portion / each) + 1;
        if (!(member == 0 ? look_for_pieces(a, wanted) : await_pieces(a, wanted)))
            break;
        widen_portion(a, portion / each, portion % each * GG_THREAD_GRAIN);
    }
    if (member == 0)
        look_for_pieces(a, a->pieces);
}

bool gg_widen_pieces(const gpugraph_run *run, void *to, uint64_t count,
                     const struct gg_pieces *pieces, const struct gg_widening *how) {
    const int all = gg_threads(run, count);
    struct arrival a = {.w = begin(to, NULL, how),
                        .of = pieces,
                        .count = count,
                        .pieces = (int)((count + pieces->entries - 1) / pieces->entries)};
    if (a.pieces > 0 && look_for_pieces(&a, 1))
        gg_team(all < how->threads ? all : how->threads, widen_portions, &a);
    return a.come != NEVER;
}

/* ---- back to one byte ---- */

struct narrowing {
    uint8_t *to;
    const uint32_t *from;
    bool lost; /* atomic */
};

/* The compiler makes vectors of this. */
static bool narrow_some(uint8_t *restrict to, const uint32_t *restrict from,
                        uint64_t count) {
    uint32_t lost = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t number = from[i];
        lost |= (uint32_t)(number >= NONE_BYTE) & (uint32_t)(number != UINT32_MAX);
        to[i] = (uint8_t)(number < NONE_BYTE ? number : NONE_BYTE);
    }
    return !lost;
}

static void narrow_slice(void *job, uint64_t low, uint64_t high) {
    struct narrowing *n = job;
    if (!narrow_some(n->to + low, n->from + low, high - low))
        __atomic_store_n(&n->lost, true, __ATOMIC_RELAXED);
}

bool gg_narrow_to_bytes(const gpugraph_run *run, uint8_t *to, const uint32_t *from,
                        uint64_t count) {
    struct narrowing n = {to, from, false};
    gg_slices(gg_threads(run, count), count, narrow_slice, &n);
    return !n.lost;
}
