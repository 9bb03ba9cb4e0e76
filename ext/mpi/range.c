/* Byte strings of all processes, sorted and numbered: the sample sort of numbers.h. */
#include "numbers.h"
#include "ids/ids.h"
#include "distributed/exchange/post.h"

#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

void strings_close(strings *s) {
    gg_release((void *)s->texts.offset);
    gg_release((void *)s->texts.bytes);
    gg_release(s->first);
}

/* Makes strings of received lengths and bytes. */
static bool take_strings(gpugraph_run *run, struct gg_records *lengths,
                         gg_messages *bytes, strings *received) {
    uint64_t *offset = gg_alloc(run, lengths->count + 1, sizeof *offset), at = 0;
    received->texts = (gpugraph_texts){
        .count = (int64_t)lengths->count, .offset = offset, .bytes = bytes->bytes};
    received->first = lengths->first;
    bytes->bytes = NULL;
    lengths->first = NULL;
    for (uint64_t i = 0; offset && i <= lengths->count; i++) {
        offset[i] = at;
        at += i < lengths->count ? lengths->word[i] : 0;
    }
    return offset != NULL;
}

bool strings_post(gpugraph_exchange *x, gpugraph_run *run, const gpugraph_texts *texts,
                  const uint32_t *which, const uint64_t *ends, strings *received) {
    uint64_t *length = gg_alloc(run, ends[x->parts], sizeof *length), at = 0;
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size);
    gg_messages out = {NULL, NULL}, in = {NULL, NULL};
    struct gg_records lengths = {0};
    *received = (strings){.first = NULL};
    for (uint32_t q = 0; length && size && q < x->parts; q++)
        for (uint64_t i = ends[q]; i < ends[q + 1]; i++) {
            gpugraph_text(texts, which ? which[i] : i, &length[i]);
            size[q] += length[i];
        }
    bool go = length && size && gg_messages_open(&out, x, run, size);
    for (uint64_t i = 0; go && i < ends[x->parts]; at += length[i++])
        if (length[i] > 0)
            memcpy(out.bytes + at, gpugraph_text(texts, which ? which[i] : i, &length[i]),
                   length[i]);
    go = go && gg_answer_records(x, run, length, ends, &lengths) &&
         gg_post(x, run, &out, &in) && take_strings(run, &lengths, &in, received);
    gg_messages_close(&out);
    gg_messages_close(&in);
    gg_records_close(&lengths);
    gg_release(length);
    gg_release(size);
    return go;
}

/* Returns the sorted order of the strings; NULL after a failure. */
static uint32_t *sort_strings(gpugraph_run *run, const gpugraph_texts *texts) {
    const uint64_t count = (uint64_t)texts->count;
    uint32_t *order = gg_alloc(run, count + 1, sizeof *order);
    if (count > UINT32_MAX)
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "a process cannot number %llu ids; use more processes",
                (unsigned long long)count);
    for (uint64_t t = 0; order && !run->status && t < count; t++)
        order[t] = (uint32_t)t;
    if (order && !run->status)
        gg_sort_texts(run, texts, order, count);
    if (run->status == GPUGRAPH_OK)
        return order;
    gg_release(order);
    return NULL;
}

/* ---- where ranges end ---- */

enum { SAMPLES = 64 }; /* of each process */

/* The number of smaller strings. order NULL: the texts are sorted. */
static uint64_t strings_before(const gpugraph_texts *texts, const uint32_t *order,
                               const char *bytes, uint64_t length) {
    uint64_t low = 0, high = (uint64_t)texts->count, own;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const char *at = gpugraph_text(texts, order ? order[middle] : middle, &own);
        if (gg_compare_texts(at, own, bytes, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Collective: sets ends[q], the first string for partition q, from samples of all
** processes. */
static bool split_ranges(gpugraph_exchange *x, gpugraph_run *run,
                         const gpugraph_texts *texts, const uint32_t *order,
                         uint64_t *ends) {
    const uint64_t count = (uint64_t)texts->count,
                   each = count < SAMPLES ? count : SAMPLES;
    strings all = {.first = NULL};
    uint32_t *which = gg_alloc(run, each * x->parts, sizeof *which), *sorted = NULL;
    for (uint64_t i = 0; which && i < each * x->parts; i++)
        which[i] = order[count / each * (i % each)];
    for (uint32_t q = 0; q <= x->parts; q++)
        ends[q] = each * q;
    if (which && strings_post(x, run, texts, which, ends, &all))
        sorted = sort_strings(run, &all.texts);
    const uint64_t samples = (uint64_t)all.texts.count;
    for (uint32_t q = 0; sorted && q <= x->parts; q++) {
        uint64_t length;
        ends[q] = q == 0 ? 0 : count;
        if (q == 0 || q == x->parts || samples == 0)
            continue;
        const char *bytes =
            gpugraph_text(&all.texts, sorted[samples * q / x->parts], &length);
        ends[q] = strings_before(texts, order, bytes, length);
    }
    gg_release(which);
    strings_close(&all);
    gg_release(sorted);
    return sorted != NULL;
}

/* ---- numbering ---- */

static gpugraph_texts strings_held(const range *r) {
    return (gpugraph_texts){
        .count = (int64_t)range_own(r), .offset = r->offset, .bytes = r->bytes};
}

/* Keeps each received string once, sorted. place[t]: the index of received string t. */
static bool keep_distinct(range *r, gpugraph_run *run, const gpugraph_texts *received,
                          const uint32_t *order, uint64_t *place, uint64_t *own) {
    const uint64_t count = (uint64_t)received->count;
    r->offset = gg_alloc(run, count + 1, sizeof *r->offset);
    r->bytes = gg_alloc(run, received->offset[count] + 1, 1);
    if (!r->offset || !r->bytes)
        return false;
    r->offset[0] = 0;
    *own = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length, before = 0;
        const char *bytes = gpugraph_text(received, order[i], &length), *last = NULL;
        if (i > 0)
            last = gpugraph_text(received, order[i - 1], &before);
        if (!last || gg_compare_texts(last, before, bytes, length) != 0) {
            const uint64_t at = r->offset[*own];
            memcpy(r->bytes + at, bytes, length);
            r->offset[++*own] = at + length;
        }
        place[order[i]] = *own - 1;
    }
    return true;
}

static bool count_ranges(range *r, gpugraph_run *run, uint64_t own) {
    gpugraph_exchange *x = r->exchange;
    uint64_t before = 0;
    r->first = gg_alloc(run, x->parts + 1, sizeof *r->first);
    if (!r->first || gg_gather(x, run, &own, sizeof own, r->first) != GPUGRAPH_OK)
        return false;
    for (uint32_t q = 0; q <= x->parts; q++) {
        const uint64_t here = q < x->parts ? r->first[q] : 0;
        r->first[q] = before;
        before += here;
    }
    return true;
}

/* Sends the number of each received string back to its sender. */
static bool number_strings(range *r, gpugraph_run *run, const strings *received,
                           struct gg_records *got) {
    gpugraph_exchange *x = r->exchange;
    const uint64_t count = (uint64_t)received->texts.count;
    uint64_t own = 0, *place = gg_alloc(run, count, sizeof *place);
    uint32_t *order = place ? sort_strings(run, &received->texts) : NULL;
    const bool good = order &&
                      keep_distinct(r, run, &received->texts, order, place, &own) &&
                      count_ranges(r, run, own);
    gg_release(order);
    for (uint64_t t = 0; good && t < count; t++)
        place[t] += r->first[x->part];
    const bool there = good && gg_answer_records(x, run, place, received->first, got);
    gg_release(place);
    return there;
}

bool range_make(range *r, gpugraph_exchange *x, gpugraph_run *run,
                const gpugraph_texts *texts, uint64_t *number) {
    const uint64_t count = (uint64_t)texts->count;
    strings received = {.first = NULL};
    struct gg_records got = {0};
    uint64_t *ends = gg_alloc(run, x->parts + 1, sizeof *ends);
    uint32_t *order = ends ? sort_strings(run, texts) : NULL;
    *r = (range){.exchange = x};
    if (order && split_ranges(x, run, texts, order, ends) &&
        strings_post(x, run, texts, order, ends, &received) &&
        number_strings(r, run, &received, &got))
        for (uint64_t i = 0; i < count; i++)
            number[order[i]] = got.word[i];
    gg_release(order);
    gg_release(ends);
    strings_close(&received);
    gg_records_close(&got);
    return gg_end_call(x, run);
}

void range_close(range *r) {
    gg_release(r->first);
    gg_release(r->offset);
    gg_release(r->bytes);
    *r = (range){.first = NULL};
}

uint64_t range_find(const range *r, const char *bytes, uint64_t length) {
    const gpugraph_texts own = strings_held(r);
    const uint64_t at = strings_before(&own, NULL, bytes, length);
    uint64_t found;
    if (at == (uint64_t)own.count)
        return UINT64_MAX;
    const char *there = gpugraph_text(&own, at, &found);
    return gg_compare_texts(there, found, bytes, length) == 0
               ? r->first[r->exchange->part] + at
               : UINT64_MAX;
}

/* ---- looking numbers up ---- */

static uint32_t part_of_number(const range *r, uint64_t number) {
    uint32_t q = 0;
    while (r->first[q + 1] <= number)
        q++;
    return q;
}

/* Collective: asks partition to[i] for the string of number[i]. */
static bool ask_range(const range *r, gpugraph_run *run, const uint64_t *number,
                      const uint32_t *to, uint64_t count, strings *received) {
    const gpugraph_texts own = strings_held(r);
    struct gg_records asked = {0};
    bool go = gg_post_records(r->exchange, run, 1, number, count, to, &asked);
    uint32_t *which = go ? gg_alloc(run, asked.count, sizeof *which) : NULL;
    for (uint64_t i = 0; which && i < asked.count; i++)
        which[i] = (uint32_t)(asked.word[i] - r->first[r->exchange->part]);
    go = which && strings_post(r->exchange, run, &own, which, asked.first, received);
    gg_release(which);
    gg_records_close(&asked);
    return go;
}

bool range_look_up(const range *r, gpugraph_run *run, const uint64_t *number,
                   uint64_t count, strings *found) {
    strings received = {.first = NULL};
    uint64_t asked = 0, at = 0, *ask = gg_alloc(run, count, sizeof *ask);
    uint64_t *offset = gg_alloc(run, count + 1, sizeof *offset);
    uint32_t *to = gg_alloc(run, count, sizeof *to);
    char *bytes = NULL;
    for (uint64_t i = 0; ask && to && i < count; i++)
        if (number[i] != UINT64_MAX) {
            to[asked] = part_of_number(r, number[i]);
            ask[asked++] = number[i];
        }
    if (ask && to && offset && ask_range(r, run, ask, to, asked, &received))
        bytes = gg_alloc(run, received.texts.offset[asked] + 1, 1);
    asked = 0;
    for (uint64_t i = 0, length; bytes && i < count; i++) {
        offset[i] = at;
        if (number[i] == UINT64_MAX)
            continue;
        const char *string =
            gpugraph_text(&received.texts, received.first[to[asked++]]++, &length);
        memcpy(bytes + at, string, length);
        at += length;
    }
    if (bytes)
        offset[count] = at;
    *found =
        (strings){.texts = {.count = (int64_t)count, .offset = offset, .bytes = bytes}};
    gg_release(ask);
    gg_release(to);
    strings_close(&received);
    return gg_end_call(r->exchange, run);
}
