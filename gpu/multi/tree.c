/* Trees after a search over parts: the rule of gpugraph_sssp, by arcs that are where their sources' or
** targets' masters are.
**
**     tight      value[from] + weight = value[to]
**     strict     and value[from] < value[to]: the smallest edge id of these, where there is one
**     level      and value[from] = value[to]: by rounds from vertices that have a strict arc, or are
**                sources; the first round that reaches a vertex, and there the smallest edge id
**
** A candidate of a ghost is merged into its master's. */
#include "part.h"

#include <string.h>

struct candidate {
    int64_t edge;
    uint64_t parent; /* a number; UINT64_MAX: none */
};

static bool is_better(const struct candidate *a, const struct candidate *b) {
    return a->parent != UINT64_MAX && (b->parent == UINT64_MAX || a->edge < b->edge);
}

static bool merge_candidates(void *into, const void *from) {
    struct candidate a, b;
    memcpy(&a, into, sizeof a);
    memcpy(&b, from, sizeof b);
    const bool better = is_better(&b, &a);
    if (better)
        memcpy(into, &b, sizeof b);
    return better;
}

struct making {
    gpugraph_part *p;
    gpugraph_run *run;
    const uint64_t *value;
    bool weighted;
    struct candidate *best;
    uint32_t *round;               /* that has settled it; GPUGRAPH_NONE: none yet */
    struct part_changes now, next; /* settled last, found now */
};

static bool is_tight(const struct making *m, uint32_t from, uint64_t arc, uint32_t to) {
    const gpugraph_part *p = m->p;
    const uint64_t value = m->value[from];
    if (m->value[to] == UINT64_MAX || value > m->value[to])
        return false;
    if (!m->weighted)
        return value + 1 == m->value[to];
    if (p->weight_type == GPUGRAPH_INTEGER_WEIGHTS)
        return value + (uint64_t)((const int64_t *)p->weight)[arc] == m->value[to];
    double start, end;
    memcpy(&start, &value, sizeof start);
    memcpy(&end, &m->value[to], sizeof end);
    return start + ((const double *)p->weight)[arc] == end;
}

static void offer(struct making *m, uint32_t from, uint64_t arc, uint32_t to) {
    const struct candidate c = {m->p->edge_id[arc], m->p->number[from]};
    if (is_better(&c, &m->best[to]))
        m->best[to] = c;
}

static bool strict_arcs(struct making *m) {
    const gpugraph_part *p = m->p;
    for (uint32_t u = 0; u < p->locals && !gg_leave(m->run, u); u++)
        if (m->value[u] != UINT64_MAX)
            for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++) {
                const uint32_t v = p->target[a];
                if (m->value[u] < m->value[v] && is_tight(m, u, a, v))
                    offer(m, u, a, v);
            }
    return !gg_stopping(m->run) &&
           (!part_writes_ghosts(p) ||
            gg_reduce(m->p, m->run,
                      (struct part_field){m->best, sizeof *m->best, merge_candidates},
                      NULL) == GPUGRAPH_OK);
}

/* ---- arcs of no length ---- */

static void settle(struct making *m, uint32_t v, uint32_t round) {
    m->round[v] = round;
    part_note(&m->now, v);
}

/* Ghosts of what was settled last are told, also where no row begins at them: no candidate is offered to
** a vertex that is settled. */
static bool tell(struct making *m) {
    return gg_broadcast(m->p, m->run,
                        (struct part_field){m->round, sizeof *m->round, NULL},
                        &m->now) == GPUGRAPH_OK;
}

/* Candidates along level arcs from what was settled in the round before. */
static bool level_arcs(struct making *m) {
    const gpugraph_part *p = m->p;
    for (uint32_t i = 0; i < m->now.count && !gg_leave(m->run, i); i++) {
        const uint32_t u = m->now.list[i];
        for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++) {
            const uint32_t v = p->target[a];
            if (m->value[u] == m->value[v] && m->round[v] == GPUGRAPH_NONE &&
                is_tight(m, u, a, v)) {
                offer(m, u, a, v);
                part_note(&m->next, v);
            }
        }
    }
    return !gg_stopping(m->run) &&
           (!part_writes_ghosts(p) ||
            gg_reduce(m->p, m->run,
                      (struct part_field){m->best, sizeof *m->best, merge_candidates},
                      &m->next) == GPUGRAPH_OK);
}

static bool rounds(struct making *m, const uint32_t *source, uint32_t sources) {
    const gpugraph_part *p = m->p;
    uint64_t open = 0;
    for (uint32_t v = 0; v < p->locals; v++)
        m->round[v] = GPUGRAPH_NONE;
    for (uint32_t i = 0; i < sources; i++)
        settle(m, source[i], 0);
    for (uint32_t v = 0; v < p->masters; v++)
        if (m->best[v].parent != UINT64_MAX)
            settle(m, v, 0);
        else
            open += m->value[v] != UINT64_MAX && m->round[v] == GPUGRAPH_NONE;
    for (uint32_t round = 1; part_sum(m->p, m->run, &open) && open > 0; round++) {
        if (!tell(m) || !level_arcs(m))
            return false;
        part_forget(&m->now);
        for (uint32_t i = 0; i < m->next.count; i++)
            if (m->next.list[i] < p->masters &&
                m->round[m->next.list[i]] == GPUGRAPH_NONE)
                settle(m, m->next.list[i], round);
        part_forget(&m->next);
        open = m->now.count; /* another round while one has found something */
    }
    return m->run->status == GPUGRAPH_OK;
}

/* ---- the whole ---- */

bool part_tree_is_possible(const gpugraph_part *p, gpugraph_run *run,
                           const gpugraph_part_tree *tree) {
    if (tree && (!p->edge_id || p->simple))
        gg_fail(run, GPUGRAPH_INVALID, "a tree is asked for, and shares had no edge ids");
    return run->status == GPUGRAPH_OK;
}

gpugraph_status part_tree(gpugraph_part *p, gpugraph_run *run, const uint64_t *value,
                          bool weighted, const uint32_t *source, uint32_t sources,
                          const gpugraph_part_tree *tree) {
    struct making m = {.p = p, .run = run, .value = value, .weighted = weighted};
    m.best = gg_alloc(run, p->locals, sizeof *m.best);
    m.round = weighted ? gg_alloc(run, p->locals, sizeof *m.round) : NULL;
    bool go = m.best && (!weighted || (m.round && part_changes_open(p, run, &m.now) &&
                                       part_changes_open(p, run, &m.next)));
    for (uint32_t v = 0; go && v < p->locals; v++)
        m.best[v].parent = UINT64_MAX;
    go = go && strict_arcs(&m) && (!weighted || rounds(&m, source, sources));
    if (go) {
        for (uint32_t i = 0; i < sources; i++)
            m.best[source[i]].parent = UINT64_MAX;
        for (uint32_t v = 0; v < p->masters; v++) {
            tree->parent[v] = m.best[v].parent;
            tree->edge[v] = m.best[v].edge;
        }
    }
    part_changes_close(&m.now);
    part_changes_close(&m.next);
    gg_release(m.best);
    gg_release(m.round);
    return run->status;
}

uint32_t *part_sources(const gpugraph_part *p, gpugraph_run *run, const uint64_t *source,
                       uint32_t count, uint32_t *found) {
    uint32_t *master = gg_alloc(run, count, sizeof *master);
    *found = 0;
    for (uint32_t i = 0; master && i < count; i++) {
        if (source[i] >= p->vertices) {
            gg_fail(run, GPUGRAPH_INVALID, "source %llu is no vertex",
                    (unsigned long long)source[i]);
            gg_release(master);
            return NULL;
        }
        const uint32_t v = part_owner(p, source[i]) == p->exchange->part
                               ? part_master_of(p, source[i])
                               : GPUGRAPH_NONE;
        bool known = v == GPUGRAPH_NONE;
        for (uint32_t k = 0; k < *found; k++)
            known |= master[k] == v;
        if (!known)
            master[(*found)++] = v;
    }
    return master;
}
