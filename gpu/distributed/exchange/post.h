/* Collective operations on top of gpugraph_exchange_calls: they swap parcels, combine
** words, send messages of any size, and agree on a failure. */
#ifndef GPUGRAPH_POST_H
#define GPUGRAPH_POST_H

#include "gpugraph_parts.h"
#include "language.h"

GG_BEGIN_C

typedef enum gpugraph_combination {
    GPUGRAPH_SUM,     /* of each word */
    GPUGRAPH_SUM_128, /* of pairs of words, the low one first */
    GPUGRAPH_LEAST,
    GPUGRAPH_MOST
} gpugraph_combination;

/* Collective. gg_swap only swaps parcels, and gg_gather only gathers bytes. */
static inline gpugraph_status gg_swap(gpugraph_exchange *x, gpugraph_run *run,
                                      const gpugraph_parcel *out, gpugraph_parcel *in) {
    return x->calls->swap_and_gather(x, run, out, in, NULL, 0, NULL);
}
static inline gpugraph_status gg_gather(gpugraph_exchange *x, gpugraph_run *run,
                                        const void *mine, size_t bytes, void *all) {
    return x->calls->swap_and_gather(x, run, NULL, NULL, mine, bytes, all);
}
/* Ends a collective function: reports a failure of this partition to the others. True if
** this partition has not failed. */
static inline bool gg_end_call(gpugraph_exchange *x, const gpugraph_run *run) {
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    return run->status == GPUGRAPH_OK;
}
/* Collective: combines word[i] of all partitions into word[i] of each, and swaps parcels
** with the same wait. out NULL: there are no parcels. */
gpugraph_status gg_swap_and_combine(gpugraph_exchange *x, gpugraph_run *run,
                                    const gpugraph_parcel *out, gpugraph_parcel *in,
                                    gpugraph_combination how, uint64_t *word,
                                    uint32_t words);
static inline gpugraph_status gg_combine(gpugraph_exchange *x, gpugraph_run *run,
                                         gpugraph_combination how, uint64_t *word,
                                         uint32_t words) {
    return gg_swap_and_combine(x, run, NULL, NULL, how, word, words);
}

/* Bytes by partition: offset[q] .. offset[q + 1] - 1 go to partition q, or come from
** it. */
typedef struct gg_messages {
    char *bytes;
    uint64_t *offset; /* parts + 1 */
} gg_messages;

/* Allocates size[q] bytes for each partition q. False: the run has failed. */
bool gg_messages_open(gg_messages *l, gpugraph_exchange *x, gpugraph_run *run,
                      const uint64_t *size);
void gg_messages_close(gg_messages *l);
/* Collective: sends `out`, and opens *in with the messages that the others sent. */
bool gg_post(gpugraph_exchange *x, gpugraph_run *run, const gg_messages *out,
             gg_messages *in);
/* Collective: sends size[q] to partition q, then size[q] becomes the size that q sent. */
bool gg_swap_sizes(gpugraph_exchange *x, gpugraph_run *run, uint64_t *size);

/* Records of words from other partitions. */
struct gg_records {
    uint64_t *word;
    uint64_t count;
    uint64_t *first; /* records first[q] .. first[q + 1] - 1 are from partition q */
};
/* Collective: sends record i of `count`, each of `width` words, to partition to[i].
** Records for one partition keep their order. The caller closes *received, also after a
** failure. */
bool gg_post_records(gpugraph_exchange *x, gpugraph_run *run, uint32_t width,
                     const uint64_t *record, uint64_t count, const uint32_t *to,
                     struct gg_records *received);
/* Collective: sends words first[q] .. first[q + 1] - 1, the answers to the records from
** partition q, back to q. */
bool gg_answer_records(gpugraph_exchange *x, gpugraph_run *run, const uint64_t *word,
                       const uint64_t *first, struct gg_records *received);
void gg_records_close(struct gg_records *r);

/* Collective: if any partition has failed, all fail with its message, and x->agreed is
** set. True if no partition has failed. */
bool gg_all_agree(gpugraph_exchange *x, gpugraph_run *run);

GG_END_C

#endif
