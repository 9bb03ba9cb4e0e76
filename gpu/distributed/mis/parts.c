/* Maximal independent sets over partitions, by rounds as in Algorithm 3 of Nke et al.
** (cuMIS, ICS 2026):
**
**     judge       an open vertex drops if a neighbour has joined, waits if an earlier
**                 neighbour is open, and may join otherwise. If partitions share its row,
**                 their verdicts are reduced at its master
**     apply       masters join and drop
**     exchange    changes go to ghosts
**     agree       on the number of open vertices
**
** The set is that of the greedy pass, even if partitions see each other's changes late:
** a state changes once and is then final. An old state only makes a neighbour wait. */
#include "mis/mis.h"
#include "distributed/partition/part.h"

#include <string.h>

enum { DROPPED = 0, JOINED = 1, OPEN = 2 };          /* as in mis.c */
enum { MAY_JOIN = 0, MUST_WAIT = 1, MUST_DROP = 2 }; /* the maximum decides */

struct mis_part {
    gpugraph_part *p;
    gpugraph_run *run;
    uint64_t *key; /* of each local; numbers break ties */
    uint8_t *state, *verdict;
    uint32_t *open, open_count; /* open masters, and ghosts with rows */
    struct part_changes changed;
};

static bool is_earlier(const struct mis_part *m, uint32_t u, uint32_t v) {
    return m->key[u] != m->key[v] ? m->key[u] < m->key[v]
                                  : m->p->number[u] < m->p->number[v];
}

/* ---- a round ---- */

static uint8_t judge_parts(const struct mis_part *m, uint32_t v) {
    const gpugraph_part *p = m->p;
    uint8_t verdict = MAY_JOIN;
    for (uint64_t a = p->offset[v]; a < p->offset[v + 1]; a++) {
        const uint32_t u = p->target[a];
        if (m->state[u] == JOINED)
            return MUST_DROP;
        if (m->state[u] == OPEN && is_earlier(m, u, v))
            verdict = MUST_WAIT;
    }
    return verdict;
}

/* *undecided: masters that wait. */
static bool judge_then_apply(struct mis_part *m, uint64_t *undecided) {
    gpugraph_part *p = m->p;
    const struct part_field verdict = {m->verdict, sizeof *m->verdict, part_most_8};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->open_count && !gg_leave(m->run, i); i++) {
        const uint32_t v = m->open[i];
        if (m->state[v] != OPEN)
            continue;
        m->open[kept++] = v;
        m->verdict[v] = judge_parts(m, v);
        if (v >= p->masters && m->verdict[v] != MAY_JOIN)
            part_note(&m->changed, v);
    }
    m->open_count = kept;
    if (gg_stopping(m->run) ||
        (part_reads_ghosts(p) &&
         gg_reduce(p, m->run, verdict, &m->changed) != GPUGRAPH_OK))
        return false;
    part_forget(&m->changed);
    *undecided = 0;
    for (uint32_t i = 0; i < kept && m->open[i] < p->masters; i++) {
        const uint32_t v = m->open[i];
        if (m->verdict[v] == MUST_WAIT) {
            ++*undecided;
            continue;
        }
        m->state[v] = m->verdict[v] == MAY_JOIN ? JOINED : DROPPED;
        part_note(&m->changed, v);
    }
    return true;
}

static bool rounds_parts(struct mis_part *m, uint32_t *done) {
    gpugraph_part *p = m->p;
    const struct part_field state = {m->state, sizeof *m->state, NULL};
    uint64_t open = 1;
    for (*done = 0; open > 0; ++*done) {
        if (!judge_then_apply(m, &open) ||
            gg_broadcast_and_combine(p, m->run, state, &m->changed, GPUGRAPH_SUM, &open,
                                     1) != GPUGRAPH_OK)
            return false;
        part_forget(&m->changed);
    }
    return true;
}

/* ---- keys ---- */

static bool make_keys_of_parts(struct mis_part *m, gpugraph_priority priority,
                               const uint32_t *hash) {
    gpugraph_part *p = m->p;
    uint32_t *degree = gg_alloc(m->run, p->locals, sizeof *degree);
    for (uint32_t v = 0; degree && v < p->locals && !gg_leave(m->run, v); v++)
        degree[v] = (uint32_t)(p->offset[v + 1] - p->offset[v]);
    const struct part_field degrees = {degree, sizeof *degree, part_sum_32},
                            keys = {m->key, sizeof *m->key, NULL};
    const bool go = degree && (!part_reads_ghosts(p) ||
                               gg_reduce(p, m->run, degrees, NULL) == GPUGRAPH_OK);
    for (uint32_t v = 0; go && v < p->masters && !gg_leave(m->run, v); v++) {
        const uint64_t high = (uint64_t)degree[v] << 32;
        m->key[v] = priority == GPUGRAPH_BY_DEGREE      ? high | hash[v]
                    : priority == GPUGRAPH_BY_DEGREE_ID ? high
                    : priority == GPUGRAPH_BY_RANDOM    ? hash[v]
                                                        : 0;
    }
    gg_release(degree);
    return go && gg_broadcast(p, m->run, keys, NULL) == GPUGRAPH_OK;
}

static void check_arguments(const gpugraph_part *p, gpugraph_priority priority,
                            const uint32_t *hash, gpugraph_run *run) {
    if (!p->simple)
        gg_fail(run, GPUGRAPH_INVALID, "independent sets need a simple partition");
    else if (priority < GPUGRAPH_BY_DEGREE || priority > GPUGRAPH_BY_ID)
        gg_fail(run, GPUGRAPH_INVALID, "there is no priority %d", (int)priority);
    else if (!hash && p->masters > 0 &&
             (priority == GPUGRAPH_BY_DEGREE || priority == GPUGRAPH_BY_RANDOM))
        gg_fail(run, GPUGRAPH_INVALID, "this priority needs a hash of each master");
}

static void find_on_cpu(gpugraph_part *p, gpugraph_priority priority,
                        const uint32_t *hash, gpugraph_run *run, uint8_t *member) {
    const double start = gg_now_ms();
    struct mis_part m = {.p = p, .run = run};
    uint32_t done = 0;
    m.key = gg_alloc(run, p->locals, sizeof *m.key);
    m.state = gg_alloc(run, p->locals, sizeof *m.state);
    m.open = gg_alloc(run, part_reads_ghosts(p) ? p->locals : p->masters, sizeof *m.open);
    m.verdict = gg_alloc(run, p->locals, sizeof *m.verdict);
    if (run->status == GPUGRAPH_OK && part_changes_open(p, run, &m.changed) &&
        make_keys_of_parts(&m, priority, hash)) {
        memset(m.state, OPEN, p->locals);
        for (uint32_t v = 0; v < p->locals && !gg_leave(run, v); v++)
            if (v < p->masters || p->offset[v + 1] > p->offset[v])
                m.open[m.open_count++] = v;
        if (rounds_parts(&m, &done)) {
            memcpy(member, m.state, p->masters);
            gg_phase(run, "search", start, (int64_t)p->arcs, "%u rounds over %u parts",
                     done, p->exchange->parts);
        }
    }
    part_changes_close(&m.changed);
    gg_release(m.key);
    gg_release(m.state);
    gg_release(m.verdict);
    gg_release(m.open);
}

gpugraph_status gpugraph_part_mis(gpugraph_part *p, gpugraph_priority priority,
                                  const uint32_t *hash, gpugraph_run *run,
                                  uint8_t *member) {
    gg_begin(run);
    check_arguments(p, priority, hash, run);
    gg_needs(run, member, p->masters, "member");
    if (run->status == GPUGRAPH_OK && p->device)
        gg_part_services.mis(p, priority, hash, run, member);
    else if (run->status == GPUGRAPH_OK)
        find_on_cpu(p, priority, hash, run, member);
    return part_end(p->exchange, run);
}
