/* Collective operations built on the one call of an exchange: swap parcels, gather and
** combine words, send messages of any size, agree on a failure. */
#ifndef GPUGRAPH_POST_H
#define GPUGRAPH_POST_H

#include "gpugraph_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gpugraph_combination {
    GPUGRAPH_SUM,     /* of words */
    GPUGRAPH_SUM_128, /* of pairs of words, the low one first */
    GPUGRAPH_LEAST,
    GPUGRAPH_MOST
} gpugraph_combination;

/* Collective: one half of swap_and_gather each. */
static inline gpugraph_status gg_swap(gpugraph_exchange *x, gpugraph_run *run,
                                      const gpugraph_parcel *out, gpugraph_parcel *in) {
    return x->calls->swap_and_gather(x, run, out, in, NULL, 0, NULL);
}
static inline gpugraph_status gg_gather(gpugraph_exchange *x, gpugraph_run *run,
                                        const void *mine, size_t bytes, void *all) {
    return x->calls->swap_and_gather(x, run, NULL, NULL, mine, bytes, all);
}
/* The end of a collective function: a failure here is told to the other parts. True:
** there is none. */
static inline bool gg_end_call(gpugraph_exchange *x, const gpugraph_run *run) {
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    return run->status == GPUGRAPH_OK;
}
/* Collective: word[i] of all parts combined becomes word[i] of each. Parcels are swapped
** with the same wait; out NULL: there are none. */
gpugraph_status gg_swap_and_combine(gpugraph_exchange *x, gpugraph_run *run,
                                    const gpugraph_parcel *out, gpugraph_parcel *in,
                                    gpugraph_combination how, uint64_t *word,
                                    uint32_t words);
static inline gpugraph_status gg_combine(gpugraph_exchange *x, gpugraph_run *run,
                                         gpugraph_combination how, uint64_t *word,
                                         uint32_t words) {
    return gg_swap_and_combine(x, run, NULL, NULL, how, word, words);
}

/* Bytes by part, one after the other: offset[q] .. offset[q + 1] - 1 go to, or come from, part q. */
typedef struct gg_messages {
    char *bytes;
    uint64_t *offset; /* parts + 1 */
} gg_messages;

/* Room for what goes to each part: size[q] bytes. False: the run has failed. */
bool gg_messages_open(gg_messages *l, gpugraph_exchange *x, gpugraph_run *run,
                      const uint64_t *size);
void gg_messages_close(gg_messages *l);
/* Collective. *in is opened. */
bool gg_post(gpugraph_exchange *x, gpugraph_run *run, const gg_messages *out,
             gg_messages *in);
/* Collective. size[q], which goes to part q, becomes what part q has for this one. */
bool gg_swap_sizes(gpugraph_exchange *x, gpugraph_run *run, uint64_t *size);

/* Records of words that have come. */
struct gg_records {
    uint64_t *word;
    uint64_t count;
    uint64_t *first; /* of those from part q: first[q] .. first[q + 1] - 1 */
};
/* Collective. record: `count` of `width` words each, record i to part to[i]. Records for
** one part keep their order. The caller closes what comes, also after a failure. */
bool gg_post_records(gpugraph_exchange *x, gpugraph_run *run, uint32_t width,
                     const uint64_t *record, uint64_t count, const uint32_t *to,
                     struct gg_records *received);
/* Collective. Words first[q] .. first[q + 1] - 1, one for each record that has come from
** part q, go back to q. */
bool gg_answer_records(gpugraph_exchange *x, gpugraph_run *run, const uint64_t *word,
                       const uint64_t *first, struct gg_records *received);
void gg_records_close(struct gg_records *r);

/* Collective: what failed at one part has failed at all of them, with the sentence of the
** first. True: there is no failure. Sets x->agreed where there is one. */
bool gg_all_agree(gpugraph_exchange *x, gpugraph_run *run);

#ifdef __cplusplus
}
#endif
#endif
