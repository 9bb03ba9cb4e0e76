/* Byte strings of all processes, sorted and numbered: the sample sort of numbers.h. A message has
** for each string its length, then its bytes. The first bytes of samples say where ranges end. */
#include "numbers.h"
#include "ids/ids.h"
#include "distributed/exchange/post.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64, HEAD = 56 }; /* samples of each process; bytes of a sample */

struct range_samples {
    uint64_t count;
    struct head {
        uint64_t length;
        char bytes[HEAD];
    } head[SAMPLES];
};

/* ---- where ranges end ---- */

static int compare_heads(const void *a, const void *b) {
    const struct head *x = a, *y = b;
    return gg_compare_texts(x->bytes, x->length, y->bytes, y->length);
}

static void take_range_samples(struct range_samples *s, const gpugraph_texts *strings,
                               const uint32_t *order) {
    const uint64_t count = (uint64_t)strings->count;
    s->count = count < SAMPLES ? count : SAMPLES;
    for (uint64_t i = 0; i < s->count; i++) {
        struct head *h = &s->head[i];
        const char *bytes =
            gpugraph_text(strings, order[count / s->count * i], &h->length);
        h->length = h->length < HEAD ? h->length : HEAD;
        memcpy(h->bytes, bytes, h->length);
    }
}

/* How many strings come before this one. order NULL: they are sorted. */
static uint64_t strings_before(const gpugraph_texts *strings, const uint32_t *order,
                               const char *bytes, uint64_t length) {
    uint64_t low = 0, high = (uint64_t)strings->count, own;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const char *at = gpugraph_text(strings, order ? order[middle] : middle, &own);
        if (gg_compare_texts(at, own, bytes, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ends[q]: where the strings for part q begin; parts + 1. */
static bool split_ranges(gpugraph_exchange *x, gpugraph_run *run,
                         const gpugraph_texts *strings, const uint32_t *order,
                         uint64_t *ends) {
    struct range_samples *mine = gg_alloc_zero(run, 1, sizeof *mine);
    struct range_samples *all = gg_alloc(run, x->parts, sizeof *all);
    struct head *head = gg_alloc(run, SAMPLES * (uint64_t)x->parts, sizeof *head);
    uint64_t heads = 0;
    if (mine && all && head) {
        take_range_samples(mine, strings, order);
        gg_gather(x, run, mine, sizeof *mine, all);
    }
    for (uint32_t q = 0; run->status == GPUGRAPH_OK && q < x->parts; q++) {
        memcpy(head + heads, all[q].head, all[q].count * sizeof *head);
        heads += all[q].count;
    }
    if (run->status == GPUGRAPH_OK) {
        qsort(head, heads, sizeof *head, compare_heads);
        for (uint32_t q = 0; q <= x->parts; q++) {
            const struct head *h = &head[heads * q / x->parts];
            ends[q] = q == 0 ? 0
                      : q == x->parts || heads == 0
                          ? (uint64_t)strings->count
                          : strings_before(strings, order, h->bytes, h->length);
        }
    }
    gg_release(mine);
    gg_release(all);
    gg_release(head);
    return run->status == GPUGRAPH_OK;
}

/* ---- messages ---- */

/* Strings order[ends[q]] .. order[ends[q + 1] - 1] go to part q. */
static bool write_strings(gpugraph_exchange *x, gpugraph_run *run,
                          const gpugraph_texts *strings, const uint32_t *order,
                          const uint64_t *ends, gg_letters *out) {
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size), length;
    for (uint32_t q = 0; size && q < x->parts; q++)
        for (uint64_t i = ends[q]; i < ends[q + 1]; i++) {
            gpugraph_text(strings, order[i], &length);
            size[q] += sizeof length + length;
        }
    const bool there = size && gg_letters_open(out, x, run, size);
    char *at = there ? out->bytes : NULL;
    for (uint64_t i = 0; there && i < ends[x->parts]; i++) {
        const char *bytes = gpugraph_text(strings, order[i], &length);
        at = put_string(at, bytes, length);
    }
    gg_release(size);
    return there;
}

static uint64_t count_strings(const char *bytes, uint64_t size) {
    uint64_t count = 0, length;
    for (uint64_t at = 0; at < size; at += sizeof length + length, count++)
        memcpy(&length, bytes + at, sizeof length);
    return count;
}

/* Reads the received strings, which may repeat. offset, bytes: blocks for gg_release. */
static bool read_strings(gpugraph_run *run, const gg_letters *in, uint32_t parts,
                         uint64_t **offset, char **bytes, uint64_t *count) {
    const uint64_t size = in->offset[parts];
    *count = count_strings(in->bytes, size);
    *offset = gg_alloc(run, *count + 1, sizeof **offset);
    *bytes = gg_alloc(run, size + 1, 1);
    if (!*offset || !*bytes)
        return false;
    uint64_t at = 0, to = 0, length;
    for (uint64_t t = 0; t < *count; t++, at += length, to += length) {
        memcpy(&length, in->bytes + at, sizeof length);
        at += sizeof length;
        (*offset)[t] = to;
        memcpy(*bytes + to, in->bytes + at, length);
    }
    (*offset)[*count] = to;
    return true;
}

/* ---- numbering ---- */

/* 0, 1, ... in the order of the strings. NULL after a failure. */
static uint32_t *sort_strings(gpugraph_run *run, const gpugraph_texts *strings) {
    const uint64_t count = (uint64_t)strings->count;
    uint32_t *order = gg_alloc(run, count + 1, sizeof *order);
    if (count > UINT32_MAX)
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "%llu ids are more than a process can number: take more processes",
                (unsigned long long)count);
    for (uint64_t t = 0; order && !run->status && t < count; t++)
        order[t] = (uint32_t)t;
    if (order && !run->status)
        gg_sort_texts(run, strings, order, count);
    if (run->status == GPUGRAPH_OK)
        return order;
    gg_release(order);
    return NULL;
}

static gpugraph_texts strings_held(const range *r, uint64_t count) {
    return (gpugraph_texts){
        .count = (int64_t)count, .offset = r->offset, .bytes = r->bytes};
}

/* Keeps each string once, sorted; place[t]: of string t of those that have come. */
static bool keep_distinct(range *r, gpugraph_run *run, const gpugraph_texts *come,
                          const uint32_t *order, uint64_t *place, uint64_t *own) {
    const uint64_t count = (uint64_t)come->count;
    r->offset = gg_alloc(run, count + 1, sizeof *r->offset);
    r->bytes = gg_alloc(run, come->offset[count] + 1, 1);
    if (!r->offset || !r->bytes)
        return false;
    r->offset[0] = 0;
    *own = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length, before = 0;
        const char *bytes = gpugraph_text(come, order[i], &length), *last = NULL;
        if (i > 0)
            last = gpugraph_text(come, order[i - 1], &before);
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

/* The number of each string that has come goes back to where it came from. */
static bool number_strings(range *r, gpugraph_run *run, const gg_letters *in,
                           gg_letters *back) {
    gpugraph_exchange *x = r->exchange;
    uint64_t *offset = NULL, count = 0, own = 0;
    char *bytes = NULL;
    bool good = read_strings(run, in, x->parts, &offset, &bytes, &count);
    const gpugraph_texts come = {
        .count = (int64_t)count, .offset = offset, .bytes = bytes};
    uint32_t *order = good ? sort_strings(run, &come) : NULL;
    uint64_t *size = order ? gg_alloc(run, x->parts, sizeof *size) : NULL;
    for (uint32_t q = 0; size && q < x->parts; q++)
        size[q] = sizeof(uint64_t) * count_strings(in->bytes + in->offset[q],
                                                   in->offset[q + 1] - in->offset[q]);
    good = size && gg_letters_open(back, x, run, size);
    uint64_t *place = good ? (uint64_t *)back->bytes : NULL;
    good = good && keep_distinct(r, run, &come, order, place, &own) &&
           count_ranges(r, run, own);
    for (uint64_t t = 0; good && t < count; t++)
        place[t] += r->first[x->part];
    gg_release(offset);
    gg_release(bytes);
    gg_release(order);
    gg_release(size);
    return good;
}

/* Ends a collective function of a range, and tells the other processes of a failure here. True:
** there was none. */
static bool end_of_range(gpugraph_exchange *x, gpugraph_run *run) {
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    return run->status == GPUGRAPH_OK;
}

bool range_make(range *r, gpugraph_exchange *x, gpugraph_run *run,
                const gpugraph_texts *strings, uint64_t *number) {
    const uint64_t count = (uint64_t)strings->count;
    gg_letters out = {NULL, NULL}, in = {NULL, NULL}, back = {NULL, NULL},
               got = {NULL, NULL};
    uint64_t *ends = gg_alloc(run, x->parts + 1, sizeof *ends);
    uint32_t *order = ends ? sort_strings(run, strings) : NULL;
    *r = (range){.exchange = x};
    if (order && split_ranges(x, run, strings, order, ends) &&
        write_strings(x, run, strings, order, ends, &out) && gg_post(x, run, &out, &in) &&
        number_strings(r, run, &in, &back) && gg_post(x, run, &back, &got))
        for (uint64_t i = 0; i < count; i++)
            number[order[i]] = ((const uint64_t *)got.bytes)[i];
    gg_release(order);
    gg_release(ends);
    gg_letters_close(&out);
    gg_letters_close(&in);
    gg_letters_close(&back);
    gg_letters_close(&got);
    return end_of_range(x, run);
}

void range_close(range *r) {
    gg_release(r->first);
    gg_release(r->offset);
    gg_release(r->bytes);
    *r = (range){.first = NULL};
}

uint64_t range_find(const range *r, const char *bytes, uint64_t length) {
    const gpugraph_texts own = strings_held(r, range_own(r));
    const uint64_t at = strings_before(&own, NULL, bytes, length);
    uint64_t found;
    if (at == (uint64_t)own.count)
        return UINT64_MAX;
    const char *there = gpugraph_text(&own, at, &found);
    return gg_compare_texts(there, found, bytes, length) == 0
               ? r->first[r->exchange->part] + at
               : UINT64_MAX;
}

/* ---- back ---- */

static uint32_t part_of_number(const range *r, uint64_t number) {
    uint32_t q = 0;
    while (r->first[q + 1] <= number)
        q++;
    return q;
}

/* Questions by part; place[i]: which of them is number[i]'s. UINT64_MAX is not asked for. */
static bool ask_range(const range *r, gpugraph_run *run, const uint64_t *number,
                      uint64_t count, uint64_t *place, gg_letters *out) {
    const uint32_t parts = r->exchange->parts;
    uint64_t *size = gg_alloc_zero(run, parts, sizeof *size);
    for (uint64_t i = 0; size && i < count; i++)
        if (number[i] != UINT64_MAX)
            size[part_of_number(r, number[i])] += sizeof *number;
    const bool there = size && gg_letters_open(out, r->exchange, run, size);
    for (uint32_t q = 0; there && q < parts; q++)
        size[q] = out->offset[q] / sizeof *number;
    for (uint64_t i = 0; there && i < count; i++) {
        place[i] = UINT64_MAX;
        if (number[i] != UINT64_MAX) {
            place[i] = size[part_of_number(r, number[i])]++;
            ((uint64_t *)out->bytes)[place[i]] = number[i];
        }
    }
    gg_release(size);
    return there;
}

static bool tell_strings(const range *r, gpugraph_run *run, const gg_letters *in,
                         gg_letters *back) {
    gpugraph_exchange *x = r->exchange;
    const gpugraph_texts own = strings_held(r, range_own(r));
    const uint64_t low = r->first[x->part], *asked = (const uint64_t *)in->bytes,
                   *first = in->offset;
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size), length;
    for (uint32_t q = 0; size && q < x->parts; q++)
        for (uint64_t i = first[q] / 8; i < first[q + 1] / 8; i++) {
            gpugraph_text(&own, asked[i] - low, &length);
            size[q] += sizeof length + length;
        }
    const bool there = size && gg_letters_open(back, x, run, size);
    char *at = there ? back->bytes : NULL;
    for (uint64_t i = 0; there && i < first[x->parts] / 8; i++) {
        const char *bytes = gpugraph_text(&own, asked[i] - low, &length);
        at = put_string(at, bytes, length);
    }
    gg_release(size);
    return there;
}

/* The strings that have come, in the order in which they were asked for. */
static void lay_strings_out(gpugraph_run *run, const gg_letters *got, uint32_t parts,
                            const uint64_t *place, uint64_t count, uint64_t *length,
                            char **bytes) {
    uint64_t *offset = NULL, come = 0, to = 0;
    char *string = NULL;
    const bool good = read_strings(run, got, parts, &offset, &string, &come);
    /* A string that was asked for twice has come twice: there is room. */
    *bytes = good ? gg_alloc(run, got->offset[parts] + 1, 1) : NULL;
    for (uint64_t i = 0; *bytes && i < count; i++) {
        length[i] = 0;
        if (place[i] == UINT64_MAX)
            continue;
        length[i] = offset[place[i] + 1] - offset[place[i]];
        memcpy(*bytes + to, string + offset[place[i]], length[i]);
        to += length[i];
    }
    gg_release(offset);
    gg_release(string);
}

bool range_look_up(const range *r, gpugraph_run *run, const uint64_t *number,
                   uint64_t count, uint64_t *length, char **bytes) {
    gpugraph_exchange *x = r->exchange;
    gg_letters out = {NULL, NULL}, in = {NULL, NULL}, back = {NULL, NULL},
               got = {NULL, NULL};
    uint64_t *place = gg_alloc(run, count + 1, sizeof *place);
    *bytes = NULL;
    if (place && ask_range(r, run, number, count, place, &out) &&
        gg_post(x, run, &out, &in) && tell_strings(r, run, &in, &back) &&
        gg_post(x, run, &back, &got))
        lay_strings_out(run, &got, x->parts, place, count, length, bytes);
    gg_release(place);
    gg_letters_close(&out);
    gg_letters_close(&in);
    gg_letters_close(&back);
    gg_letters_close(&got);
    return end_of_range(x, run);
}
