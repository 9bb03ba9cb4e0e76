/* Trees of a search over partitions, by the rule of gpugraph_sssp.
**
**     tight      value[from] + weight = value[to]
**     strict     and value[from] < value[to]: the arc with the smallest edge id wins
**     level      and value[from] = value[to]: rounds start from sources and from vertices
**                with a strict arc; the first round that reaches a vertex wins, and in it
**                the smallest edge id
**
** If some arcs lead to a ghost, its candidate is merged into the candidate of its
** master. */
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
    uint32_t *round;        /* round that settled the vertex; GPUGRAPH_NONE: none yet */
};

/* ---- strict arcs ---- */

/* Offers the arc out of u to its target as a candidate. */
static void offer_arc(const struct tree_making *m, uint32_t u, uint64_t arc) {
    const struct candidate one = {m->p->edge_id[arc], m->p->number[u]};
    merge_candidates(&m->best[m->p->target[arc]], &one);
}

static void offer_strict_arcs(const struct tree_making *m, uint32_t u,
                              enum part_layout layout) {
    const gpugraph_part *p = m->p;
    const uint64_t from = part_value(m->value, u, layout);
    for (uint64_t a = p->offset[u]; from != UINT64_MAX && a < p->offset[u + 1]; a++) {
        const uint64_t to = part_value(m->value, p->target[a], layout);
        if (from < to && part_sum_of(from, p->weight, a, layout) == to)
            offer_arc(m, u, a);
    }
}

static bool reduce_candidates(struct tree_making *m) {
    const struct part_field best = {m->best, sizeof *m->best, merge_candidates};
    return !gg_stopping(m->run) && (!part_writes_ghosts(m->p) ||
                                    gg_reduce(m->p, m->run, best, NULL) == GPUGRAPH_OK);
}

static bool strict_arcs(struct tree_making *m) {
    for (uint32_t v = 0; v < m->p->locals; v++)
        m->best[v] = (struct candidate){0, UINT64_MAX};
    for (uint32_t u = 0; u < m->p->locals && !gg_leave(m->run, u); u++)
        offer_strict_arcs(m, u, m->layout);
    return reduce_candidates(m);
}

/* ---- arcs without length ---- */

static bool is_level(const struct tree_making *m, uint32_t u, uint64_t arc) {
    const uint64_t value = part_value(m->value, u, m->layout);
    return value == part_value(m->value, m->p->target[arc], m->layout) &&
           part_sum_of(value, m->p->weight, arc, m->layout) == value;
}

/* The previous round settled u. Settles the targets of level arcs out of u. */
static void settle_row(struct part_rounds *r, uint32_t u) {
    const struct tree_making *m = r->search;
    const gpugraph_part *p = r->p;
    for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++) {
        const uint32_t v = p->target[a];
        if (m->round[v] == GPUGRAPH_NONE && is_level(m, u, a)) {
            m->round[v] = m->round[u] + 1;
            part_note(&r->next, v);
        }
    }
}

static void settle_first(struct part_rounds *r, uint32_t *round, uint32_t v) {
    round[v] = 0;
    part_note(&r->now, v);
}

/* Runs rounds from sources and from vertices with a strict arc. Afterwards all copies of
** a vertex have its round. */
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

/* Offers the level arcs out of u whose targets were settled one round after u. */
static void offer_level_arcs(const struct tree_making *m, uint32_t u) {
    const gpugraph_part *p = m->p;
    for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++)
        if (m->round[p->target[a]] == m->round[u] + 1 && is_level(m, u, a))
            offer_arc(m, u, a);
}

static bool level_arcs(struct tree_making *m, const uint32_t *source, uint32_t sources) {
    m->round = gg_alloc(m->run, m->p->locals, sizeof *m->round);
    const bool go = m->round && settle_rounds(m, source, sources);
    for (uint32_t u = 0; go && u < m->p->locals && !gg_leave(m->run, u); u++)
        if (m->round[u] != GPUGRAPH_NONE)
            offer_level_arcs(m, u);
    gg_release(m->round);
    return go && reduce_candidates(m);
}

/* ---- the tree ---- */

bool part_tree_is_possible(const gpugraph_part *p, gpugraph_run *run,
                           const gpugraph_part_tree *tree) {
    if (tree && !p->edge_id)
        gg_fail(run, GPUGRAPH_INVALID,
                "a tree needs edge ids, which the shares do not have");
    if (tree) {
        gg_needs(run, tree->parent, p->masters, "tree.parent");
        gg_needs(run, tree->edge, p->masters, "tree.edge");
    }
    return run->status == GPUGRAPH_OK;
}

/* Collective. Sets *open to the number of reached vertices, in all partitions, that are
** not sources and have no strict arc. */
static bool count_open(const struct tree_making *m, const uint32_t *source,
                       uint32_t sources, uint64_t *open) {
    *open = 0;
    for (uint32_t v = 0; v < m->p->masters; v++)
        *open += part_value(m->value, v, m->layout) != UINT64_MAX &&
                 m->best[v].parent == UINT64_MAX;
    for (uint32_t i = 0; i < sources;
         i++) /* a source is at 0, where no strict arc ends */
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
