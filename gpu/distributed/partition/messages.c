/* Records for other partitions, and questions about masters.
**
**     post      record -> its partition                    sizes go first, then records
**     ask       number -> its owner -> answer of master    each distinct number once
**     deliver   number, value -> its owner                 the master gets the value */
#include "part.h"
#include "base/distinct.h"

#include <string.h>

bool part_post(gpugraph_part *p, gpugraph_run *run, uint32_t width,
               const uint64_t *record, uint64_t count, struct gg_records *received) {
    uint32_t *to = gg_alloc(run, count, sizeof *to);
    *received = (struct gg_records){NULL, 0, NULL};
    for (uint64_t i = 0; to && i < count; i++)
        to[i] = part_owner(p, record[i * width]);
    const bool go =
        to && gg_post_records(p->exchange, run, width, record, count, to, received);
    gg_release(to);
    return go;
}

/* ---- questions ---- */

bool part_ask(gpugraph_part *p, gpugraph_run *run, const uint64_t *answer, uint64_t *word,
              uint64_t count) {
    struct gg_records question = {0}, received = {0};
    struct gg_distinct asked = {0}; /* distinct numbers, in order of appearance */
    bool go = gg_distinct_reserve(&asked, run, count);
    for (uint64_t i = 0; go && i < count && !gg_leave(run, i); i++)
        word[i] = gg_distinct_add(&asked, run, word[i]);
    if (gg_stopping(run))
        gg_stopped(run);
    go = !run->status && part_post(p, run, 1, asked.value, asked.count, &question);
    for (uint64_t i = 0; go && i < question.count; i++)
        question.word[i] = answer[part_master_of(p, question.word[i])];
    go = go &&
         gg_answer_records(p->exchange, run, question.word, question.first, &received);
    /* Answers of an owner come in the order of its questions. */
    for (uint64_t i = 0; go && i < asked.count; i++)
        asked.value[i] = received.word[received.first[part_owner(p, asked.value[i])]++];
    for (uint64_t i = 0; go && i < count; i++)
        word[i] = asked.value[word[i]];
    gg_distinct_free(&asked);
    gg_records_close(&question);
    gg_records_close(&received);
    return go;
}

/* ---- values for masters ---- */

static void take_values(const gpugraph_part *p, gpugraph_run *run,
                        const struct gg_records *received, uint64_t *master) {
    for (uint64_t i = 0; i < received->count; i++) {
        const uint32_t v = part_master_of(p, received->word[2 * i]);
        if (v == GPUGRAPH_NONE) {
            gg_fail(run, GPUGRAPH_INVALID, "vertex %llu is not below the %llu vertices",
                    (unsigned long long)received->word[2 * i],
                    (unsigned long long)p->vertices);
            return;
        }
        master[v] = received->word[2 * i + 1];
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
    struct gg_records received = {0};
    uint64_t *pair = gg_alloc(run, count, 2 * sizeof *pair);
    for (uint64_t i = 0; pair && i < count; i++) {
        pair[2 * i] = number[i];
        pair[2 * i + 1] = value[i];
    }
    if (pair && part_post(p, run, 2, pair, count, &received))
        take_values(p, run, &received, master);
    gg_release(pair);
    gg_records_close(&received);
    return part_end(p->exchange, run);
}
