/* Records of all processes, sorted and numbered: the sample sort of numbers.h. */
#include "numbers.h"
#include "post.h"
#include "base/run.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 256, DIGITS = 256 }; /* samples: of each process */

/* ---- sorting here ---- */

static int compare(const uint64_t *a, const uint64_t *b, int words) {
    for (int w = 0; w < words; w++)
        if (a[w] != b[w])
            return a[w] < b[w] ? -1 : 1;
    return 0;
}

/* One pass of a radix sort by a byte of a word. False: all have the same one. */
static bool sort_byte(const uint64_t *from, uint64_t *to, uint64_t count, int words,
                      int word, int byte) {
    uint64_t place[DIGITS] = {0}, before = 0;
    for (uint64_t i = 0; i < count; i++)
        place[from[i * words + word] >> 8 * byte & 255]++;
    for (int d = 0; d < DIGITS; d++) {
        const uint64_t here = place[d];
        if (here == count)
            return false;
        place[d] = before;
        before += here;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = place[from[i * words + word] >> 8 * byte & 255]++;
        memcpy(to + at * words, from + i * words, words * sizeof *to);
    }
    return true;
}

static bool sort_records(gpugraph_run *run, uint64_t *record, uint64_t count, int words) {
    uint64_t *scratch = gg_alloc(run, count * words, sizeof *scratch);
    uint64_t *from = record, *to = scratch;
    if (!scratch)
        return false;
    for (int word = words - 1; word >= 0 && count > 0; word--)
        for (int byte = 0; byte < 8; byte++)
            if (sort_byte(from, to, count, words, word, byte)) {
                uint64_t *swapped = from;
                from = to;
                to = swapped;
            }
    if (from != record)
        memcpy(record, from, count * words * sizeof *record);
    gg_release(scratch);
    return true;
}

static uint64_t make_distinct(uint64_t *record, uint64_t count, int words) {
    uint64_t kept = count > 0;
    for (uint64_t i = 1; i < count; i++)
        if (compare(record + i * words, record + (kept - 1) * words, words) != 0)
            memmove(record + kept++ * words, record + i * words, words * sizeof *record);
    return kept;
}

/* How many of the sorted records come before this one. */
static uint64_t place_range_of(const uint64_t *record, uint64_t count, int words,
                               const uint64_t *before) {
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (compare(record + middle * words, before, words) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- where ranges end ---- */

struct samples {
    uint64_t count, word[2 * SAMPLES];
};

static void take_samples(struct samples *s, const uint64_t *record, uint64_t count,
                         int words) {
    s->count = count < SAMPLES ? count : SAMPLES;
    for (uint64_t i = 0; i < s->count; i++)
        memcpy(s->word + i * words, record + count / s->count * i * words,
               words * sizeof *record);
}

/* split[q]: where the records for part q begin; parts + 1. */
static bool split(gpugraph_exchange *x, gpugraph_run *run, const uint64_t *record,
                  uint64_t count, int words, uint64_t *split) {
    struct samples *mine = gg_alloc_zero(run, 1, sizeof *mine);
    struct samples *all = gg_alloc(run, x->parts, sizeof *all);
    uint64_t *sample = gg_alloc(run, 2 * SAMPLES * (uint64_t)x->parts, sizeof *sample);
    uint64_t samples = 0;
    if (mine && all && sample) {
        take_samples(mine, record, count, words);
        x->calls->gather(x, run, mine, sizeof *mine, all);
    }
    for (uint32_t q = 0; run->status == GPUGRAPH_OK && q < x->parts; q++) {
        memcpy(sample + samples * words, all[q].word,
               all[q].count * words * sizeof *sample);
        samples += all[q].count;
    }
    if (run->status == GPUGRAPH_OK && sort_records(run, sample, samples, words)) {
        split[0] = 0;
        split[x->parts] = count;
        for (uint32_t q = 1; q < x->parts; q++)
            split[q] = samples ? place_range_of(record, count, words,
                                                sample + samples * q / x->parts * words)
                               : count;
    }
    gg_release(mine);
    gg_release(all);
    gg_release(sample);
    return run->status == GPUGRAPH_OK;
}

/* ---- numbering ---- */

/* Records of my range that have come, as they came; r->record is them sorted. */
static bool take_range(range *r, gpugraph_run *run, const letters *in, uint64_t *count) {
    const size_t bytes = in->offset[r->exchange->parts];
    *count = bytes / (r->words * sizeof *r->record);
    r->record = gg_alloc(run, *count * r->words + 1, sizeof *r->record);
    if (!r->record)
        return false;
    memcpy(r->record, in->bytes, bytes);
    if (!sort_records(run, r->record, *count, r->words))
        return false;
    *count = make_distinct(r->record, *count, r->words);
    return true;
}

static bool count_ranges(range *r, gpugraph_run *run, uint64_t own) {
    gpugraph_exchange *x = r->exchange;
    r->first = gg_alloc(run, x->parts + 1, sizeof *r->first);
    if (!r->first || x->calls->gather(x, run, &own, sizeof own, r->first) != GPUGRAPH_OK)
        return false;
    uint64_t before = 0;
    for (uint32_t q = 0; q <= x->parts; q++) {
        const uint64_t here = q < x->parts ? r->first[q] : 0;
        r->first[q] = before;
        before += here;
    }
    return true;
}

/* Each record's number, in the place of its first word; those of one part come sorted. */
static bool answer_range(const range *r, gpugraph_run *run, const letters *asked,
                         letters *back) {
    const gpugraph_exchange *x = r->exchange;
    const uint64_t low = r->first[x->part];
    const size_t size = r->words * sizeof(uint64_t);
    uint64_t *bytes = gg_alloc(run, x->parts, sizeof *bytes);
    for (uint32_t q = 0; bytes && q < x->parts; q++)
        bytes[q] = (asked->offset[q + 1] - asked->offset[q]) / size * sizeof(uint64_t);
    const bool there = bytes && letters_open(back, r->exchange, run, bytes);
    gg_release(bytes);
    for (uint32_t q = 0; there && q < x->parts; q++) {
        uint64_t at = 0;
        const uint64_t *record = (const uint64_t *)(asked->bytes + asked->offset[q]);
        uint64_t *number = (uint64_t *)(back->bytes + back->offset[q]);
        const uint64_t count = (asked->offset[q + 1] - asked->offset[q]) / size;
        for (uint64_t i = 0; i < count; i++) {
            while (compare(r->record + at * r->words, record + i * r->words, r->words) <
                   0)
                at++;
            number[i] = low + at;
        }
    }
    return there;
}

static bool send_sections(range *r, gpugraph_run *run, const uint64_t *record,
                          const uint64_t *split, letters *in) {
    const gpugraph_exchange *x = r->exchange;
    letters out = {(char *)(uintptr_t)record, gg_alloc(run, x->parts + 1, sizeof *split)};
    for (uint32_t q = 0; out.offset && q <= x->parts; q++)
        out.offset[q] = split[q] * r->words * sizeof *record;
    const bool sent = out.offset && post(r->exchange, run, &out, in);
    gg_release(out.offset);
    return sent;
}

bool range_make(range *r, gpugraph_exchange *x, gpugraph_run *run, int words,
                uint64_t *record, uint64_t *count, uint64_t *number) {
    letters in = {NULL, NULL}, back = {NULL, NULL}, got = {NULL, NULL};
    uint64_t own = 0, *ends = gg_alloc(run, x->parts + 1, sizeof *ends);
    *r = (range){.exchange = x, .words = words};
    if (ends && sort_records(run, record, *count, words)) {
        *count = make_distinct(record, *count, words);
        if (split(x, run, record, *count, words, ends) &&
            send_sections(r, run, record, ends, &in) && take_range(r, run, &in, &own) &&
            count_ranges(r, run, own) && answer_range(r, run, &in, &back)) {
            letters_close(&in);
            if (post(x, run, &back, &got))
                memcpy(number, got.bytes, *count * sizeof *number);
        }
    }
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    gg_release(ends);
    letters_close(&in);
    letters_close(&back);
    letters_close(&got);
    return run->status == GPUGRAPH_OK;
}

void range_close(range *r) {
    gg_release(r->first);
    gg_release(r->record);
    *r = (range){.words = 0};
}

/* ---- back ---- */

static uint32_t part_range_of(const range *r, uint64_t number) {
    uint32_t low = 0, high = r->exchange->parts;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (r->first[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Questions by part; place[i]: which of them is number[i]'s. */
static bool ask_range(const range *r, gpugraph_run *run, const uint64_t *number,
                      uint64_t count, uint64_t *place, letters *out) {
    const uint32_t parts = r->exchange->parts;
    uint64_t *size = gg_alloc_zero(run, parts, sizeof *size);
    for (uint64_t i = 0; size && i < count; i++)
        size[part_range_of(r, number[i])] += sizeof *number;
    bool there = size && letters_open(out, r->exchange, run, size);
    for (uint32_t q = 0; there && q < parts; q++)
        size[q] = out->offset[q] / sizeof *number;
    for (uint64_t i = 0; there && i < count; i++) {
        place[i] = size[part_range_of(r, number[i])]++;
        ((uint64_t *)out->bytes)[place[i]] = number[i];
    }
    gg_release(size);
    return there;
}

bool range_look_up(const range *r, gpugraph_run *run, const uint64_t *number,
                   uint64_t count, uint64_t *word) {
    gpugraph_exchange *x = r->exchange;
    letters out = {NULL, NULL}, in = {NULL, NULL}, back = {NULL, NULL};
    uint64_t *place = gg_alloc(run, count + 1, sizeof *place);
    if (place && ask_range(r, run, number, count, place, &out) &&
        post(x, run, &out, &in)) {
        uint64_t *asked = (uint64_t *)in.bytes;
        const uint64_t questions = in.offset[x->parts] / sizeof *asked;
        for (uint64_t i = 0; i < questions; i++)
            asked[i] = r->record[(asked[i] - r->first[x->part]) * r->words];
        if (post(x, run, &in, &back))
            for (uint64_t i = 0; i < count; i++)
                word[i] = ((const uint64_t *)back.bytes)[place[i]];
    }
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    gg_release(place);
    letters_close(&out);
    letters_close(&in);
    letters_close(&back);
    return run->status == GPUGRAPH_OK;
}
