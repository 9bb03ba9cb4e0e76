/* Records of words to other parts, and questions about masters.
**
**     post    record[i] -> the part it is for           a swap of counts, then one of records
**     ask     number[i] -> its owner -> answer[master]  each number once, however often it is asked for
**     deliver number[i], value[i] -> its owner          value[i] becomes the master's
**     deal    value[i] of number first[part] + i -> its owner  masters ascend, and so do pieces: no number is sent */
#include "part.h"
#include "base/distinct.h"

#include <string.h>

void part_letters_close(struct part_letters *l) {
    gg_release(l->word);
    gg_release(l->first);
}

static uint32_t addressee(const gpugraph_part *p, uint32_t width, const uint64_t *record,
                          const uint32_t *to, uint64_t i) {
    return to ? to[i] : part_owner(p, record[i * width]);
}

bool part_post(gpugraph_part *p, gpugraph_run *run, uint32_t width,
               const uint64_t *record, uint64_t count, const uint32_t *to,
               struct part_letters *come) {
    const uint64_t bytes = width * sizeof *record;
    gpugraph_exchange *x = p->exchange;
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size);
    gg_letters out = {NULL, NULL}, in = {NULL, NULL};
    for (uint64_t i = 0; size && i < count; i++)
        size[addressee(p, width, record, to, i)] += bytes;
    bool go = size && gg_letters_open(&out, x, run, size);
    if (go)
        memcpy(size, out.offset, x->parts * sizeof *size);
    for (uint64_t i = 0; go && i < count; i++) {
        uint64_t *at = &size[addressee(p, width, record, to, i)];
        memcpy(out.bytes + *at, record + i * width, bytes);
        *at += bytes;
    }
    go = go && gg_post(x, run, &out, &in);
    for (uint32_t q = 0; go && q <= x->parts; q++)
        in.offset[q] /= bytes;
    *come = (struct part_letters){(uint64_t *)in.bytes, go ? in.offset[x->parts] : 0,
                                  in.offset};
    gg_letters_close(&out);
    gg_release(size);
    return go;
}

/* ---- questions ---- */

/* Distinct numbers of word, in the order of their first coming; word[i] becomes the place of its number
** among them. NULL after a failure. */
static uint64_t *distinct(gpugraph_run *run, uint64_t *word, uint64_t count,
                          uint64_t *found) {
    struct gg_distinct d = {0};
    bool go = gg_distinct_reserve(&d, run, count);
    for (uint64_t i = 0; go && i < count; i++) {
        word[i] = gg_distinct_add(&d, run, word[i]);
        if (gg_leave(run, i))
            go = gg_stopped(run) == GPUGRAPH_OK;
    }
    uint64_t *number = go ? d.value : NULL;
    *found = d.count;
    if (go)
        d.value = NULL;
    gg_distinct_free(&d);
    return number;
}

/* Each question is answered to the part that it came from, in the order of its questions. */
static bool answer_all(gpugraph_part *p, gpugraph_run *run, const uint64_t *answer,
                       struct part_letters *question, struct part_letters *come) {
    uint32_t *to = gg_alloc(run, question->count, sizeof *to);
    for (uint32_t q = 0; to && q < p->exchange->parts; q++)
        for (uint64_t i = question->first[q]; i < question->first[q + 1]; i++) {
            to[i] = q;
            question->word[i] = answer[part_master_of(p, question->word[i])];
        }
    const bool go = to && part_post(p, run, 1, question->word, question->count, to, come);
    gg_release(to);
    return go;
}

bool part_ask(gpugraph_part *p, gpugraph_run *run, const uint64_t *answer, uint64_t *word,
              uint64_t count) {
    struct part_letters question = {0}, come = {0};
    uint64_t asked, *number = distinct(run, word, count, &asked);
    bool go = number && part_post(p, run, 1, number, asked, NULL, &question) &&
              answer_all(p, run, answer, &question, &come);
    /* Answers of a part are in the order in which it was asked. */
    for (uint64_t i = 0; go && i < asked; i++)
        number[i] = come.word[come.first[part_owner(p, number[i])]++];
    for (uint64_t i = 0; go && i < count; i++)
        word[i] = number[word[i]];
    gg_release(number);
    part_letters_close(&question);
    part_letters_close(&come);
    return go;
}

/* ---- values for masters ---- */

static void take_values(const gpugraph_part *p, gpugraph_run *run,
                        const struct part_letters *come, uint64_t *master) {
    for (uint64_t i = 0; i < come->count; i++) {
        const uint32_t v = part_master_of(p, come->word[2 * i]);
        if (v == GPUGRAPH_NONE) {
            gg_fail(
                run, GPUGRAPH_INVALID, "vertex %llu is beyond the %llu that there are",
                (unsigned long long)come->word[2 * i], (unsigned long long)p->vertices);
            return;
        }
        master[v] = come->word[2 * i + 1];
    }
}

gpugraph_status gpugraph_part_deliver(gpugraph_part *p, gpugraph_run *run, uint64_t count,
                                      const uint64_t *number, const uint64_t *value,
                                      uint64_t *master) {
    gg_begin(run);
    if (!gg_needs(run, number, count, "number") ||
        !gg_needs(run, value, count, "value") ||
        !gg_needs(run, master, p->masters, "master"))
        return part_end(p->exchange, run);
    struct part_letters come = {0};
    uint64_t *pair = gg_alloc(run, count, 2 * sizeof *pair);
    for (uint64_t i = 0; pair && i < count; i++) {
        pair[2 * i] = number[i];
        pair[2 * i + 1] = value[i];
    }
    if (pair && part_post(p, run, 2, pair, count, NULL, &come))
        take_values(p, run, &come, master);
    gg_release(pair);
    part_letters_close(&come);
    return part_end(p->exchange, run);
}

/* ---- values in the order of numbers ---- */

/* The end of the block of numbers, which have one owner, that v is in. */
static uint64_t block_end(const gpugraph_part *p, uint64_t v, uint64_t end) {
    const uint64_t next = ((v >> p->block_bits) + 1) << p->block_bits;
    return next < end ? next : end;
}

static bool deal(gpugraph_part *p, gpugraph_run *run, const uint64_t *first,
                 const uint32_t *value, uint32_t *master) {
    const uint32_t parts = p->exchange->parts, part = p->exchange->part;
    const uint64_t begin = first[part], end = first[part + 1];
    uint64_t at = 0, next;
    if (!part_mail_room(p, run, (end - begin) * sizeof *value, 0))
        return false;
    for (uint32_t q = 0; q < parts; q++) {
        const uint32_t low = part_masters_below(p, first[q]),
                       high = part_masters_below(p, first[q + 1]);
        p->in[q] = (gpugraph_parcel){master + low, (high - low) * sizeof *master, 0};
        p->out[q].size = 0;
    }
    for (uint64_t v = begin; v < end && !gg_leave(run, v); v = next) {
        next = block_end(p, v, end);
        p->out[part_owner(p, v)].size += (next - v) * sizeof *value;
    }
    for (uint32_t q = 0; q < parts; q++) {
        const uint64_t size = p->out[q].size;
        p->out[q] = (gpugraph_parcel){(char *)p->sent.block + at, size, 0};
        at += size;
    }
    for (uint64_t v = begin; v < end && !gg_leave(run, v); v = next) {
        gpugraph_parcel *to = &p->out[part_owner(p, v)];
        next = block_end(p, v, end);
        memcpy((char *)to->bytes + to->size, &value[v - begin],
               (next - v) * sizeof *value);
        to->size += (next - v) * sizeof *value;
    }
    return !gg_stopping(run) && gg_swap(p->exchange, run, p->out, p->in) == GPUGRAPH_OK;
}

gpugraph_status gpugraph_part_deal(gpugraph_part *p, gpugraph_run *run,
                                   const uint64_t *first, const uint32_t *value,
                                   uint32_t *master) {
    const uint32_t part = p->exchange->part;
    gg_begin(run);
    if (gg_needs(run, first, p->exchange->parts + (uint64_t)1, "first") &&
        gg_needs(run, value, first[part + 1] - first[part], "value") &&
        gg_needs(run, master, p->masters, "master"))
        deal(p, run, first, value, master);
    return part_end(p->exchange, run);
}
