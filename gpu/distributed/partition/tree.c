/* Trees after a search over parts: the rule of gpugraph_sssp, by arcs that are where their sources' or
** targets' masters are.
**
**     tight      value[from] + weight = value[to]
**     strict     and value[from] < value[to]: the smallest edge id of these, where there is one
**     level      and value[from] = value[to]: by rounds from vertices that have a strict arc, or are
**                sources; the first round that reaches a vertex, and there the smallest edge id
**
** Where not all arcs into a vertex lie at its master, the candidate of a ghost is merged
** into that of its master. */
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

struct tree_making {
    gpugraph_part *p;
    gpugraph_run *run;
    const void *value;
    enum part_layout layout;
    struct candidate *best; /* of each local */
    uint32_t *round;        /* that has settled it; GPUGRAPH_NONE: none yet */
};

/* ---- strict arcs ---- */

/* The arc is a candidate. */
static void offer_arc(const struct tree_making *m, struct candidate *best, uint64_t arc) {
    const struct part_into *into = &m->p->into;
    if (best->parent == UINT64_MAX || into->edge_id[arc] < best->edge)
        *best = (struct candidate){into->edge_id[arc], m->p->number[into->source[arc]]};
}

static struct candidate strict_arc(const struct tree_making *m, uint32_t v,
                                   enum part_layout layout) {
    const struct part_into *into = &m->p->into;
    const uint64_t value = part_value(m->value, v, layout);
    struct candidate best = {0, UINT64_MAX};
    if (value != UINT64_MAX && value != 0)
        for (uint64_t a = into->offset[v]; a < into->offset[v + 1]; a++) {
            const uint64_t from = part_value(m->value, into->source[a], layout);
            if (from < value && part_sum_of(from, into->weight, a, layout) == value)
                offer_arc(m, &best, a);
        }
    return best;
}

static bool reduce_candidates(struct tree_making *m) {
    const struct part_field best = {m->best, sizeof *m->best, merge_candidates};
    return !gg_stopping(m->run) && (!part_writes_ghosts(m->p) ||
                                    gg_reduce(m->p, m->run, best, NULL) == GPUGRAPH_OK);
}

static bool strict_arcs(struct tree_making *m) {
    for (uint32_t v = 0; v < m->p->locals && !gg_leave(m->run, v); v++)
        m->best[v] = strict_arc(m, v, m->layout);
    return reduce_candidates(m);
}

/* ---- arcs of no length ---- */

static bool is_level(const struct tree_making *m, uint32_t from, const void *weight,
                     uint64_t arc, uint32_t to) {
    const uint64_t value = part_value(m->value, from, m->layout);
    return value == part_value(m->value, to, m->layout) &&
           part_sum_of(value, weight, arc, m->layout) == value;
}

/* Whom level arcs reach from a vertex of the round before. */
static void settle_row(struct part_rounds *r, uint32_t u) {
    const struct tree_making *m = r->search;
    const gpugraph_part *p = r->p;
    for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++) {
        const uint32_t v = p->target[a];
        if (m->round[v] == GPUGRAPH_NONE && is_level(m, u, p->weight, a, v)) {
            m->round[v] = m->round[u] + 1;
            part_note(&r->next, v);
        }
    }
}

static void settle_first(struct part_rounds *r, uint32_t *round, uint32_t v) {
    round[v] = 0;
    part_note(&r->now, v);
}

/* From sources and vertices that have a strict arc. Then all copies of a vertex know its round. */
static bool settle_rounds(struct tree_making *m, const uint32_t *source,
                          uint32_t sources) {
    struct part_rounds r;
    uint32_t rounds;
    bool go = part_rounds_open(&r, m->p, m->run);
    r.field = (struct part_field){m->round, sizeof *m->round, part_least_32};
    r.visit = settle_row;
    r.search = m;
    memset(m->round, 0xff, m->p->locals * sizeof *m->round);
    for (uint32_t i = 0; go && i < sources; i++)
        settle_first(&r, m->round, source[i]);
    for (uint32_t v = 0; go && v < m->p->masters; v++)
        if (m->best[v].parent != UINT64_MAX)
            settle_first(&r, m->round, v);
    go = go && part_go_rounds(&r, UINT32_MAX, &rounds) &&
         gg_broadcast(m->p, m->run, r.field, NULL) == GPUGRAPH_OK;
    part_rounds_close(&r);
    return go;
}

/* The level arc with the smallest edge id from what was settled in the round before. */
static void find_level_arc(const struct tree_making *m, uint32_t v) {
    const struct part_into *into = &m->p->into;
    if (m->round[v] == 0 || m->round[v] == GPUGRAPH_NONE)
        return;
    for (uint64_t a = into->offset[v]; a < into->offset[v + 1]; a++) {
        const uint32_t u = into->source[a];
        if (m->round[u] == m->round[v] - 1 && is_level(m, u, into->weight, a, v))
            offer_arc(m, &m->best[v], a);
    }
}

static bool level_arcs(struct tree_making *m, const uint32_t *source, uint32_t sources) {
    m->round = gg_alloc(m->run, m->p->locals, sizeof *m->round);
    const bool go = m->round && settle_rounds(m, source, sources);
    for (uint32_t v = 0; go && v < m->p->locals && !gg_leave(m->run, v); v++)
        find_level_arc(m, v);
    gg_release(m->round);
    return go && reduce_candidates(m);
}

/* ---- the whole ---- */

bool part_tree_is_possible(const gpugraph_part *p, gpugraph_run *run,
                           const gpugraph_part_tree *tree) {
    if (tree && !p->into.offset)
        gg_fail(run, GPUGRAPH_INVALID, "a tree is asked for, and shares had no edge ids");
    if (tree) {
        gg_needs(run, tree->parent, p->masters, "tree.parent");
        gg_needs(run, tree->edge, p->masters, "tree.edge");
    }
    return run->status == GPUGRAPH_OK;
}

/* Does a vertex lack a strict arc that is reached and no source? Collective. */
static bool count_open(const struct tree_making *m, const uint32_t *source,
                       uint32_t sources, uint64_t *open) {
    *open = 0;
    for (uint32_t v = 0; v < m->p->masters; v++)
        *open += part_value(m->value, v, m->layout) != UINT64_MAX &&
                 m->best[v].parent == UINT64_MAX;
    for (uint32_t i = 0; i < sources; i++) /* at 0, where no strict arc ends */
        *open -= part_value(m->value, source[i], m->layout) != UINT64_MAX;
    return part_sum(m->p, m->run, open);
}

gpugraph_status part_tree(gpugraph_part *p, gpugraph_run *run, const void *value,
                          enum part_layout layout, const uint32_t *source,
                          uint32_t sources, const gpugraph_part_tree *tree) {
    struct tree_making m = {.p = p, .run = run, .value = value, .layout = layout};
    uint64_t open = 0;
    m.best = gg_alloc(run, p->locals, sizeof *m.best);
    bool go = m.best && strict_arcs(&m);
    if (go && layout != PART_LEVELS)
        go = count_open(&m, source, sources, &open) &&
             (open == 0 || level_arcs(&m, source, sources));
    for (uint32_t v = 0; go && v < p->masters; v++) {
        tree->parent[v] = m.best[v].parent;
        tree->edge[v] = m.best[v].edge;
    }
    for (uint32_t i = 0; go && i < sources; i++)
        tree->parent[source[i]] = UINT64_MAX;
    gg_release(m.best);
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
        const uint32_t v = part_master_of(p, source[i]);
        bool known = v == GPUGRAPH_NONE;
        for (uint32_t k = 0; k < *found; k++)
            known |= master[k] == v;
        if (!known)
            master[(*found)++] = v;
    }
    return master;
}
