/* The sample sort of range.c for texts. A message has for each text its length, then its bytes. Where
** ranges end is told by the first bytes of samples alone. */
#include "texts.h"
#include "ids/ids.h"
#include "post.h"

#include <string.h>

enum { SAMPLES = 64, HEAD = 56 };

struct text_samples {
    uint64_t count;
    struct head {
        uint64_t length;
        char bytes[HEAD];
    } head[SAMPLES];
};

static uint64_t length_of(const gpugraph_texts *texts, uint64_t t) {
    uint64_t length;
    gpugraph_text(texts, t, &length);
    return length;
}
static const char *bytes_texts_of(const gpugraph_texts *texts, uint64_t t) {
    return texts->bytes + texts->offset[t];
}

/* ---- where ranges end ---- */

static int compare_heads(const struct head *a, const struct head *b) {
    return gg_compare_texts(a->bytes, a->length, b->bytes, b->length);
}

static void sort_heads(struct head *head, uint64_t count) {
    for (uint64_t i = 1; i < count; i++) { /* a few thousand, in runs that are sorted */
        const struct head moved = head[i];
        uint64_t at = i;
        for (; at > 0 && compare_heads(&moved, &head[at - 1]) < 0; at--)
            head[at] = head[at - 1];
        head[at] = moved;
    }
}

static void take_samples(struct text_samples *s, const gpugraph_texts *texts,
                         const uint32_t *order, uint64_t count) {
    s->count = count < SAMPLES ? count : SAMPLES;
    for (uint64_t i = 0; i < s->count; i++) {
        const uint32_t t = order[count / s->count * i];
        struct head *h = &s->head[i];
        h->length = length_of(texts, t) < HEAD ? length_of(texts, t) : HEAD;
        memcpy(h->bytes, bytes_texts_of(texts, t), h->length);
    }
}

static uint64_t place_texts_of(const gpugraph_texts *texts, const uint32_t *order,
                               uint64_t count, const struct head *before) {
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint32_t t = order[middle];
        if (gg_compare_texts(bytes_texts_of(texts, t), length_of(texts, t), before->bytes,
                             before->length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool split(gpugraph_exchange *x, gpugraph_run *run, const gpugraph_texts *texts,
                  const uint32_t *order, uint64_t *ends) {
    const uint64_t count = (uint64_t)texts->count;
    struct text_samples *mine = gg_alloc_zero(run, 1, sizeof *mine);
    struct text_samples *all = gg_alloc(run, x->parts, sizeof *all);
    struct head *head = gg_alloc(run, SAMPLES * (uint64_t)x->parts, sizeof *head);
    uint64_t heads = 0;
    if (mine && all && head) {
        take_samples(mine, texts, order, count);
        x->calls->gather(x, run, mine, sizeof *mine, all);
    }
    for (uint32_t q = 0; run->status == GPUGRAPH_OK && q < x->parts; q++) {
        memcpy(head + heads, all[q].head, all[q].count * sizeof *head);
        heads += all[q].count;
    }
    if (run->status == GPUGRAPH_OK) {
        sort_heads(head, heads);
        ends[0] = 0;
        ends[x->parts] = count;
        for (uint32_t q = 1; q < x->parts; q++)
            ends[q] =
                heads ? place_texts_of(texts, order, count, &head[heads * q / x->parts])
                      : count;
    }
    gg_release(mine);
    gg_release(all);
    gg_release(head);
    return run->status == GPUGRAPH_OK;
}

/* ---- messages ---- */

static char *put_text(char *at, const char *bytes, uint64_t length) {
    memcpy(at, &length, sizeof length);
    memcpy(at + sizeof length, bytes, length);
    return at + sizeof length + length;
}

/* Texts order[ends[q]] .. order[ends[q + 1] - 1] go to part q. */
static bool write_texts(gpugraph_exchange *x, gpugraph_run *run,
                        const gpugraph_texts *texts, const uint32_t *order,
                        const uint64_t *ends, letters *out) {
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size);
    for (uint32_t q = 0; size && q < x->parts; q++)
        for (uint64_t i = ends[q]; i < ends[q + 1]; i++)
            size[q] += sizeof(uint64_t) + length_of(texts, order[i]);
    const bool there = size && letters_open(out, x, run, size);
    gg_release(size);
    if (!there)
        return false;
    char *at = out->bytes;
    for (uint64_t i = 0; i < ends[x->parts]; i++)
        at = put_text(at, bytes_texts_of(texts, order[i]), length_of(texts, order[i]));
    return true;
}

static uint64_t count_texts(const char *bytes, uint64_t size) {
    uint64_t count = 0, length;
    for (uint64_t at = 0; at < size; at += sizeof length + length, count++)
        memcpy(&length, bytes + at, sizeof length);
    return count;
}

/* What has come as texts, which may repeat. offset, bytes: blocks for gg_release. */
static bool read_texts(gpugraph_run *run, const letters *in, uint32_t parts,
                       uint64_t **offset, char **bytes, uint64_t *count) {
    const uint64_t size = in->offset[parts];
    *count = count_texts(in->bytes, size);
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

static bool same(const gpugraph_texts *texts, uint32_t a, uint32_t b) {
    return length_of(texts, a) == length_of(texts, b) &&
           memcmp(bytes_texts_of(texts, a), bytes_texts_of(texts, b),
                  length_of(texts, a)) == 0;
}

/* Keeps each text once, sorted; place[t]: of text t of those that have come. */
static bool keep_distinct(text_range *r, gpugraph_run *run, const gpugraph_texts *come,
                          uint32_t *order, uint64_t *place, uint64_t *own) {
    const uint64_t count = (uint64_t)come->count;
    r->offset = gg_alloc(run, count + 1, sizeof *r->offset);
    r->bytes = gg_alloc(run, come->offset[count] + 1, 1);
    if (!r->offset || !r->bytes)
        return false;
    r->offset[0] = 0;
    *own = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t t = order[i];
        if (i == 0 || !same(come, t, order[i - 1])) {
            const uint64_t at = r->offset[*own];
            memcpy(r->bytes + at, bytes_texts_of(come, t), length_of(come, t));
            r->offset[++*own] = at + length_of(come, t);
        }
        place[t] = *own - 1;
    }
    return true;
}

static bool count_ranges(text_range *r, gpugraph_run *run, uint64_t own) {
    gpugraph_exchange *x = r->exchange;
    uint64_t before = 0;
    r->first = gg_alloc(run, x->parts + 1, sizeof *r->first);
    if (!r->first || x->calls->gather(x, run, &own, sizeof own, r->first) != GPUGRAPH_OK)
        return false;
    for (uint32_t q = 0; q <= x->parts; q++) {
        const uint64_t here = q < x->parts ? r->first[q] : 0;
        r->first[q] = before;
        before += here;
    }
    return true;
}

static bool answer(text_range *r, gpugraph_run *run, const letters *in, letters *back) {
    gpugraph_exchange *x = r->exchange;
    gpugraph_texts come = {.count = 0};
    uint64_t *offset = NULL, count = 0, own = 0;
    char *bytes = NULL;
    bool good = read_texts(run, in, x->parts, &offset, &bytes, &count);
    uint32_t *order = good ? gg_alloc(run, count + 1, sizeof *order) : NULL;
    uint64_t *size = order ? gg_alloc(run, x->parts, sizeof *size) : NULL;
    for (uint32_t q = 0; size && q < x->parts; q++)
        size[q] = sizeof(uint64_t) * count_texts(in->bytes + in->offset[q],
                                                 in->offset[q + 1] - in->offset[q]);
    good = size && letters_open(back, x, run, size);
    for (uint64_t t = 0; good && t < count; t++)
        order[t] = (uint32_t)t;
    come = (gpugraph_texts){.count = (int64_t)count, .offset = offset, .bytes = bytes};
    uint64_t *place = good ? (uint64_t *)back->bytes : NULL;
    good = good && gg_sort_texts(run, &come, order, count) == GPUGRAPH_OK &&
           keep_distinct(r, run, &come, order, place, &own) && count_ranges(r, run, own);
    for (uint64_t t = 0; good && t < count; t++)
        place[t] += r->first[x->part];
    gg_release(offset);
    gg_release(bytes);
    gg_release(order);
    gg_release(size);
    return good;
}

bool text_range_make(text_range *r, gpugraph_exchange *x, gpugraph_run *run,
                     const gpugraph_texts *texts, uint64_t *number) {
    const uint64_t count = (uint64_t)texts->count;
    letters out = {NULL, NULL}, in = {NULL, NULL}, back = {NULL, NULL},
            got = {NULL, NULL};
    uint32_t *order = gg_alloc(run, count + 1, sizeof *order);
    uint64_t *ends = gg_alloc(run, x->parts + 1, sizeof *ends);
    *r = (text_range){.exchange = x};
    for (uint64_t t = 0; order && t < count; t++)
        order[t] = (uint32_t)t;
    if (order && ends && gg_sort_texts(run, texts, order, count) == GPUGRAPH_OK &&
        split(x, run, texts, order, ends) &&
        write_texts(x, run, texts, order, ends, &out) && post(x, run, &out, &in) &&
        answer(r, run, &in, &back) && post(x, run, &back, &got))
        for (uint64_t i = 0; i < count; i++)
            number[order[i]] = ((const uint64_t *)got.bytes)[i];
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    gg_release(order);
    gg_release(ends);
    letters_close(&out);
    letters_close(&in);
    letters_close(&back);
    letters_close(&got);
    return run->status == GPUGRAPH_OK;
}

void text_range_close(text_range *r) {
    gg_release(r->first);
    gg_release(r->offset);
    gg_release(r->bytes);
    *r = (text_range){.first = NULL};
}

/* ---- back ---- */

static uint32_t part_texts_of(const text_range *r, uint64_t number) {
    uint32_t q = 0;
    while (r->first[q + 1] <= number)
        q++;
    return q;
}

static bool ask(const text_range *r, gpugraph_run *run, const uint64_t *number,
                uint64_t count, uint64_t *place, letters *out) {
    const uint32_t parts = r->exchange->parts;
    uint64_t *size = gg_alloc_zero(run, parts, sizeof *size);
    for (uint64_t i = 0; size && i < count; i++)
        size[part_texts_of(r, number[i])] += sizeof *number;
    const bool there = size && letters_open(out, r->exchange, run, size);
    for (uint32_t q = 0; there && q < parts; q++)
        size[q] = out->offset[q] / sizeof *number;
    for (uint64_t i = 0; there && i < count; i++) {
        place[i] = size[part_texts_of(r, number[i])]++;
        ((uint64_t *)out->bytes)[place[i]] = number[i];
    }
    gg_release(size);
    return there;
}

static bool tell_texts(const text_range *r, gpugraph_run *run, const letters *in,
                       letters *back) {
    gpugraph_exchange *x = r->exchange;
    const uint64_t low = r->first[x->part];
    const uint64_t *asked = (const uint64_t *)in->bytes;
    const uint64_t *first = in->offset;
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size);
    for (uint32_t q = 0; size && q < x->parts; q++)
        for (uint64_t i = first[q] / 8; i < first[q + 1] / 8; i++)
            size[q] +=
                sizeof *size + r->offset[asked[i] - low + 1] - r->offset[asked[i] - low];
    const bool there = size && letters_open(back, x, run, size);
    gg_release(size);
    char *at = there ? back->bytes : NULL;
    for (uint64_t i = 0; there && i < first[x->parts] / 8; i++) {
        const uint64_t t = asked[i] - low;
        at = put_text(at, r->bytes + r->offset[t], r->offset[t + 1] - r->offset[t]);
    }
    return there;
}

/* The texts that have come, in the order of the questions' places, as they were asked for. */
static bool lay_texts_out(gpugraph_run *run, const letters *got, uint32_t parts,
                          const uint64_t *place, uint64_t count, uint64_t *length,
                          char **bytes) {
    uint64_t *offset = NULL, come = 0, to = 0;
    char *text = NULL;
    bool good = read_texts(run, got, parts, &offset, &text, &come);
    *bytes = good ? gg_alloc(run, got->offset[parts] + 1, 1) : NULL;
    for (uint64_t i = 0; *bytes && i < count; i++) {
        length[i] = offset[place[i] + 1] - offset[place[i]];
        memcpy(*bytes + to, text + offset[place[i]], length[i]);
        to += length[i];
    }
    gg_release(offset);
    gg_release(text);
    /* A text that was asked for twice has come twice: there is room. */
    return *bytes != NULL;
}

bool text_range_look_up(const text_range *r, gpugraph_run *run, const uint64_t *number,
                        uint64_t count, uint64_t *length, char **bytes) {
    gpugraph_exchange *x = r->exchange;
    letters out = {NULL, NULL}, in = {NULL, NULL}, back = {NULL, NULL},
            got = {NULL, NULL};
    uint64_t *place = gg_alloc(run, count + 1, sizeof *place);
    *bytes = NULL;
    if (place && ask(r, run, number, count, place, &out) && post(x, run, &out, &in) &&
        tell_texts(r, run, &in, &back) && post(x, run, &back, &got))
        lay_texts_out(run, &got, x->parts, place, count, length, bytes);
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    gg_release(place);
    letters_close(&out);
    letters_close(&in);
    letters_close(&back);
    letters_close(&got);
    return run->status == GPUGRAPH_OK;
}
