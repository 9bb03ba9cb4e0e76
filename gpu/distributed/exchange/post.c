/* Collective operations (post.h). Messages first swap sizes, then contents. */
#include "post.h"
#include "base/run.h"

#include <string.h>

static void combine_into(gpugraph_combination how, uint64_t *into, const uint64_t *from,
                         uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        const uint64_t a = into[i], b = from[i];
        if (how == GPUGRAPH_LEAST)
            into[i] = b < a ? b : a;
        else if (how == GPUGRAPH_MOST)
            into[i] = b > a ? b : a;
        else
            into[i] = a + b;
        if (how == GPUGRAPH_SUM_128 && i % 2 == 0) /* the carry */
            into[i + 1] += into[i] < a;
    }
}

gpugraph_status gg_swap_and_combine(gpugraph_exchange *x, gpugraph_run *run,
                                    const gpugraph_parcel *out, gpugraph_parcel *in,
                                    gpugraph_combination how, uint64_t *word,
                                    uint32_t words) {
    uint64_t *all = gg_alloc(run, (uint64_t)x->parts * words, sizeof *all);
    if (!all)
        x->calls->fail(x, run);
    else
        x->calls->swap_and_gather(x, run, out, in, word, words * sizeof *word, all);
    if (run->status == GPUGRAPH_OK && words > 0) {
        memcpy(word, all, words * sizeof *word);
        for (uint32_t q = 1; q < x->parts; q++)
            combine_into(how, word, all + (uint64_t)q * words, words);
    }
    gg_release(all);
    return run->status;
}

bool gg_messages_open(gg_messages *l, gpugraph_exchange *x, gpugraph_run *run,
                      const uint64_t *size) {
    *l = (gg_messages){NULL, gg_alloc(run, x->parts + 1, sizeof *l->offset)};
    if (!l->offset)
        return false;
    l->offset[0] = 0;
    for (uint32_t q = 0; q < x->parts; q++)
        l->offset[q + 1] = l->offset[q] + size[q];
    l->bytes = gg_alloc(run, l->offset[x->parts] + 8, 1);
    return l->bytes != NULL;
}

void gg_messages_close(gg_messages *l) {
    gg_release(l->bytes);
    gg_release(l->offset);
    *l = (gg_messages){NULL, NULL};
}

bool gg_swap_sizes(gpugraph_exchange *x, gpugraph_run *run, uint64_t *size) {
    const uint32_t parts = x->parts;
    gpugraph_parcel *parcel = gg_alloc(run, 2 * (uint64_t)parts, sizeof *parcel);
    uint64_t *received = gg_alloc(run, parts, sizeof *received);
    for (uint32_t q = 0; parcel && received && q < parts; q++) {
        parcel[q] = (gpugraph_parcel){&size[q], sizeof *size, sizeof *size};
        parcel[parts + q] = (gpugraph_parcel){&received[q], sizeof *received, 0};
    }
    if (parcel && received && gg_swap(x, run, parcel, parcel + parts) == GPUGRAPH_OK)
        memcpy(size, received, parts * sizeof *size);
    gg_release(parcel);
    gg_release(received);
    return run->status == GPUGRAPH_OK;
}

static void parcels_of(const gg_messages *l, uint32_t parts, gpugraph_parcel *parcel) {
    for (uint32_t q = 0; q < parts; q++) {
        const uint64_t bytes = l->offset[q + 1] - l->offset[q];
        parcel[q] = (gpugraph_parcel){l->bytes + l->offset[q], bytes, bytes};
    }
}

bool gg_post(gpugraph_exchange *x, gpugraph_run *run, const gg_messages *out,
             gg_messages *in) {
    gpugraph_parcel *parcel = gg_alloc(run, 2 * (uint64_t)x->parts, sizeof *parcel);
    uint64_t *size = gg_alloc(run, x->parts, sizeof *size);
    *in = (gg_messages){NULL, NULL};
    for (uint32_t q = 0; size && q < x->parts; q++)
        size[q] = out->offset[q + 1] - out->offset[q];
    if (parcel && size && gg_swap_sizes(x, run, size) &&
        gg_messages_open(in, x, run, size)) {
        parcels_of(out, x->parts, parcel);
        parcels_of(in, x->parts, parcel + x->parts);
        gg_swap(x, run, parcel, parcel + x->parts);
    }
    gg_release(parcel);
    gg_release(size);
    return gg_end_call(x, run);
}

/* ---- records ---- */

bool gg_post_records(gpugraph_exchange *x, gpugraph_run *run, uint32_t width,
                     const uint64_t *record, uint64_t count, const uint32_t *to,
                     struct gg_records *received) {
    const uint64_t bytes = width * sizeof *record;
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size);
    gg_messages out = {NULL, NULL}, in = {NULL, NULL};
    for (uint64_t i = 0; size && i < count; i++)
        size[to[i]] += bytes;
    bool go = size && gg_messages_open(&out, x, run, size);
    if (go)
        memcpy(size, out.offset, x->parts * sizeof *size);
    for (uint64_t i = 0; go && i < count; i++) {
        memcpy(out.bytes + size[to[i]], record + i * width, bytes);
        size[to[i]] += bytes;
    }
    go = go && gg_post(x, run, &out, &in);
    for (uint32_t q = 0; go && q <= x->parts; q++)
        in.offset[q] /= bytes;
    *received = (struct gg_records){(uint64_t *)in.bytes, go ? in.offset[x->parts] : 0,
                                    in.offset};
    gg_messages_close(&out);
    gg_release(size);
    return go;
}

bool gg_answer_records(gpugraph_exchange *x, gpugraph_run *run, const uint64_t *word,
                       const uint64_t *first, struct gg_records *received) {
    uint32_t *to = gg_alloc(run, first[x->parts], sizeof *to);
    for (uint32_t q = 0; to && q < x->parts; q++)
        for (uint64_t i = first[q]; i < first[q + 1]; i++)
            to[i] = q;
    *received = (struct gg_records){NULL, 0, NULL};
    const bool go = to && gg_post_records(x, run, 1, word, first[x->parts], to, received);
    gg_release(to);
    return go;
}

void gg_records_close(struct gg_records *r) {
    gg_release(r->word);
    gg_release(r->first);
}

/* ---- agreement ---- */

struct outcome {
    uint64_t status;
    char message[sizeof((gpugraph_run *)0)->message];
};

bool gg_all_agree(gpugraph_exchange *x, gpugraph_run *run) {
    gpugraph_run talk = {.status = GPUGRAPH_OK};
    struct outcome mine = {.status = (uint64_t)run->status};
    struct outcome *all = gg_alloc(&talk, x->parts, sizeof *all);
    memcpy(mine.message, run->message, sizeof mine.message);
    if (!all || gg_gather(x, &talk, &mine, sizeof mine, all) != GPUGRAPH_OK) {
        if (run->status == GPUGRAPH_OK)
            gg_fail(run, talk.status, "%s", talk.message);
        if (!all)
            x->calls->fail(x, run);
        gg_release(all);
        return false;
    }
    for (uint32_t q = 0; q < x->parts; q++)
        if (all[q].status != GPUGRAPH_OK) {
            x->agreed = true;
            run->status = (gpugraph_status)all[q].status;
            memcpy(run->message, all[q].message, sizeof run->message);
            break;
        }
    gg_release(all);
    return run->status == GPUGRAPH_OK;
}
