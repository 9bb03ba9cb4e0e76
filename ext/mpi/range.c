/* Byte strings of all processes, sorted and numbered: the sample sort of numbers.h. A message has
** for each string its length, then its bytes. */
#include "numbers.h"
#include "ids/ids.h"
#include "distributed/exchange/post.h"

#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

/* Strings that have come, from part q first[q] .. first[q + 1] - 1; they may repeat. */
struct strings {
    gpugraph_texts texts;
    uint64_t *first;
};

static void close_strings(struct strings *s) {
    gg_release((void *)s->texts.offset);
    gg_release((void *)s->texts.bytes);
    gg_release(s->first);
}

static bool read_strings(gpugraph_run *run, const gg_letters *in, uint32_t parts,
                         struct strings *s) {
    const uint64_t size = in->offset[parts];
    uint64_t count = 0, length, to = 0, at = 0;
    s->first = gg_alloc(run, parts + 1, sizeof *s->first);
    for (uint32_t q = 0; s->first && q <= parts; q++) {
        for (; at < in->offset[q]; at += sizeof length + length, count++)
            memcpy(&length, in->bytes + at, sizeof length);
        s->first[q] = count;
    }
    uint64_t *offset = gg_alloc(run, count + 1, sizeof *offset);
    char *bytes = gg_alloc(run, size + 1, 1);
    s->texts =
        (gpugraph_texts){.count = (int64_t)count, .offset = offset, .bytes = bytes};
    if (run->status != GPUGRAPH_OK)
        return false;
    at = 0;
    for (uint64_t t = 0; t < count; t++, at += length, to += length) {
        memcpy(&length, in->bytes + at, sizeof length);
        at += sizeof length;
        offset[t] = to;
        memcpy(bytes + to, in->bytes + at, length);
    }
    offset[count] = to;
    return true;
}

/* Collective. Strings which[ends[q]] .. which[ends[q + 1] - 1] go to part q. */
static bool post_strings(gpugraph_exchange *x, gpugraph_run *run,
                         const gpugraph_texts *strings, const uint32_t *which,
                         const uint64_t *ends, struct strings *come) {
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size), length;
    gg_letters out = {NULL, NULL}, in = {NULL, NULL};
    for (uint32_t q = 0; size && q < x->parts; q++)
        for (uint64_t i = ends[q]; i < ends[q + 1]; i++) {
            gpugraph_text(strings, which[i], &length);
            size[q] += sizeof length + length;
        }
    bool go = size && gg_letters_open(&out, x, run, size);
    char *at = go ? out.bytes : NULL;
    for (uint64_t i = 0; go && i < ends[x->parts]; i++) {
        const char *bytes = gpugraph_text(strings, which[i], &length);
        at = put_string(at, bytes, length);
    }
    go = go && gg_post(x, run, &out, &in) && read_strings(run, &in, x->parts, come);
    gg_letters_close(&out);
    gg_letters_close(&in);
    gg_release(size);
    return go;
}

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

/* ---- where ranges end ---- */

enum { SAMPLES = 64 }; /* of each process */

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

/* Collective. ends[q]: where the strings for part q begin; parts + 1. All parts see the
** samples of all. */
static bool split_ranges(gpugraph_exchange *x, gpugraph_run *run,
                         const gpugraph_texts *strings, const uint32_t *order,
                         uint64_t *ends) {
    const uint64_t count = (uint64_t)strings->count,
                   each = count < SAMPLES ? count : SAMPLES;
    struct strings all = {.first = NULL};
    uint32_t *which = gg_alloc(run, each * x->parts, sizeof *which), *sorted = NULL;
    for (uint64_t i = 0; which && i < each * x->parts; i++)
        which[i] = order[count / each * (i % each)];
    for (uint32_t q = 0; q <= x->parts; q++)
        ends[q] = each * q;
    if (which && post_strings(x, run, strings, which, ends, &all))
        sorted = sort_strings(run, &all.texts);
    const uint64_t samples = (uint64_t)all.texts.count;
    for (uint32_t q = 0; sorted && q <= x->parts; q++) {
        uint64_t length;
        ends[q] = q == 0 ? 0 : count;
        if (q == 0 || q == x->parts || samples == 0)
            continue;
        const char *bytes =
            gpugraph_text(&all.texts, sorted[samples * q / x->parts], &length);
        ends[q] = strings_before(strings, order, bytes, length);
    }
    gg_release(which);
    close_strings(&all);
    gg_release(sorted);
    return sorted != NULL;
}

/* ---- numbering ---- */

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
static bool number_strings(range *r, gpugraph_run *run, const struct strings *come,
                           struct gg_records *got) {
    gpugraph_exchange *x = r->exchange;
    const uint64_t count = (uint64_t)come->texts.count;
    uint64_t own = 0, *place = gg_alloc(run, count, sizeof *place);
    uint32_t *order = place ? sort_strings(run, &come->texts) : NULL;
    const bool good = order && keep_distinct(r, run, &come->texts, order, place, &own) &&
                      count_ranges(r, run, own);
    gg_release(order);
    for (uint64_t t = 0; good && t < count; t++)
        place[t] += r->first[x->part];
    const bool there = good && gg_answer_records(x, run, place, come->first, got);
    gg_release(place);
    return there;
}

bool range_make(range *r, gpugraph_exchange *x, gpugraph_run *run,
                const gpugraph_texts *strings, uint64_t *number) {
    const uint64_t count = (uint64_t)strings->count;
    struct strings come = {.first = NULL};
    struct gg_records got = {0};
    uint64_t *ends = gg_alloc(run, x->parts + 1, sizeof *ends);
    uint32_t *order = ends ? sort_strings(run, strings) : NULL;
    *r = (range){.exchange = x};
    if (order && split_ranges(x, run, strings, order, ends) &&
        post_strings(x, run, strings, order, ends, &come) &&
        number_strings(r, run, &come, &got))
        for (uint64_t i = 0; i < count; i++)
            number[order[i]] = got.word[i];
    gg_release(order);
    gg_release(ends);
    close_strings(&come);
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

/* Collective. The strings of these numbers, by the parts to[i] that have them. */
static bool ask_range(const range *r, gpugraph_run *run, const uint64_t *number,
                      const uint32_t *to, uint64_t count, struct strings *come) {
    const gpugraph_texts own = strings_held(r, range_own(r));
    struct gg_records asked = {0};
    bool go = gg_post_records(r->exchange, run, 1, number, count, to, &asked);
    uint32_t *which = go ? gg_alloc(run, asked.count, sizeof *which) : NULL;
    for (uint64_t i = 0; which && i < asked.count; i++)
        which[i] = (uint32_t)(asked.word[i] - r->first[r->exchange->part]);
    go = which && post_strings(r->exchange, run, &own, which, asked.first, come);
    gg_release(which);
    gg_records_close(&asked);
    return go;
}

bool range_look_up(const range *r, gpugraph_run *run, const uint64_t *number,
                   uint64_t count, uint64_t *length, char **bytes) {
    struct strings come = {.first = NULL};
    uint64_t asked = 0, at = 0, *ask = gg_alloc(run, count, sizeof *ask);
    uint32_t *to = gg_alloc(run, count, sizeof *to);
    for (uint64_t i = 0; ask && to && i < count; i++)
        if (number[i] != UINT64_MAX) {
            to[asked] = part_of_number(r, number[i]);
            ask[asked++] = number[i];
        }
    const bool go = ask && to && ask_range(r, run, ask, to, asked, &come);
    *bytes = go ? gg_alloc(run, come.texts.offset[asked] + 1, 1) : NULL;
    asked = 0;
    for (uint64_t i = 0; *bytes && i < count; at += length[i++]) {
        length[i] = 0;
        if (number[i] == UINT64_MAX)
            continue;
        const char *string =
            gpugraph_text(&come.texts, come.first[to[asked++]]++, &length[i]);
        memcpy(*bytes + at, string, length[i]);
    }
    gg_release(ask);
    gg_release(to);
    close_strings(&come);
    return gg_end_call(r->exchange, run);
}
