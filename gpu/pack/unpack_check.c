/* Checks a chunk of a packed graph: its checksum, and its numbers (enum packed_numbers).
** Adds up what later checks need to know of all numbers. */
#include "unpack.h"
#include "base/run.h"

static void add_to(uint64_t *sum, uint64_t more) {
    if (more)
        __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

/* Returns true if all vertices are below the limit. Also counts those that are INTEGER
** vertices. */
static bool vertices_good(reader *r, const packed_section *s, const uint32_t *v,
                          uint64_t count) {
    uint32_t top = 0, integers = (uint32_t)r->header.integer_count;
    uint32_t below = 0;
    for (uint64_t i = 0; i < count; i++) {
        top = v[i] > top ? v[i] : top;
        below += v[i] < integers;
    }
    add_to(&r->integer_ends, below);
    return top < s->limit;
}

static bool offsets_good(const packed_section *s, const uint64_t *offset, uint64_t first,
                         uint64_t count) {
    int falls = 0;
    for (uint64_t i = first ? 0 : 1; i < count; i++)
        falls |= offset[first + i - 1] > offset[first + i];
    if (first == 0 && offset[0] != 0)
        return false;
    return !falls && (first + count < s->count || offset[s->count - 1] == s->limit);
}

static bool rising(const int64_t *id, uint64_t first, uint64_t count, bool strictly) {
    int falls = 0;
    for (uint64_t i = first ? 0 : 1; i < count; i++)
        falls |= id[first + i - 1] > id[first + i] ||
                 (strictly && id[first + i - 1] == id[first + i]);
    return !falls;
}

static bool integers_good(reader *r, const void *weight, size_t size, uint64_t count) {
    uint64_t top = 0, sum = 0;
    int negative = 0;
    if (size == sizeof(uint32_t)) {
        const uint32_t *narrow = weight;
        uint32_t largest = 0;
        for (uint64_t i = 0; i < count; i++)
            largest = narrow[i] > largest ? narrow[i] : largest;
        for (uint64_t i = 0; i < count; i++)
            sum += narrow[i];
        top = largest;
        negative = top == UINT32_MAX;
    } else {
        const int64_t *wide = weight;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t here = wide[i] < UINT32_MAX ? (uint64_t)wide[i] : UINT32_MAX;
            negative |= wide[i] < 0;
            top = here > top ? here : top;
            sum += here;
        }
    }
    gg_raise(&r->largest, top);
    add_to(&r->total, sum);
    return !negative;
}

/* Returns true if no number is negative, infinite or NaN: the bits of those are larger
** than those of others. */
static bool reals_good(const uint64_t *bits, uint64_t count) {
    uint64_t top = 0;
    for (uint64_t i = 0; i < count; i++)
        top = bits[i] > top ? bits[i] : top;
    return top < 0x7ff0000000000000u;
}

/* Checks entries first .. first + count - 1 of a section. */
static bool numbers_good(reader *r, const packed_section *s, uint64_t first,
                         uint64_t count) {
    const char *at = (const char *)*s->array + first * s->size;
    switch (s->numbers) {
    case PACKED_VERTICES:
        return vertices_good(r, s, (const uint32_t *)at, count);
    case PACKED_OFFSETS:
        return offsets_good(s, *s->array, first, count);
    case PACKED_RISING:
    case PACKED_NOT_FALLING:
        return rising(*s->array, first, count, s->numbers == PACKED_RISING);
    case PACKED_WEIGHTS:
        if (r->header.weight_type == GPUGRAPH_REAL_WEIGHTS)
            return reals_good((const uint64_t *)at, count);
        return integers_good(r, at, s->size, count);
    case PACKED_BYTES:
        break;
    }
    return true;
}

void gg_unpack_check(void *section_check_pointer, uint64_t which) {
    section_check *c = section_check_pointer;
    const packed_section *s = c->section;
    uint64_t bytes = s->count * s->size, at = which * PACKED_CHUNK;
    uint64_t count = bytes - at < PACKED_CHUNK ? bytes - at : PACKED_CHUNK;
    if (gg_pause(c->r->run))
        return;
    c->sum[which] = gg_chunk_checksum((const char *)*s->array + at, count, which);
    if (!numbers_good(c->r, s, at / s->size, count / s->size))
        __atomic_store_n(&c->bad, true, __ATOMIC_RELAXED);
}
