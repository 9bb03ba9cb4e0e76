/* Arcs of a part become rows, and, where edges have ids, rows of the transpose.
**
**     arcs      source | target | weight | edge id
**       |  counting by source                      offset, target, weight
**       |  counting by target                      into: offset, source, weight, edge id
**
** INTEGER weights become 32 bits wide where no shortest path can pass that: each vertex adds at most
** the largest weight of its arcs to one. */
#include "making.h"

#include <string.h>

/* ---- simple rows ---- */

/* Each target once, ascending: the rows of the transpose are read in their order. */
static bool simplify_rows(struct part_making *m) {
    gpugraph_part *p = m->part;
    struct part_transpose t;
    uint64_t *end = gg_alloc(m->run, p->locals, sizeof *end), to = 0;
    bool go = part_transpose_open(p, m->run, &t) && end;
    if (go)
        memcpy(end, p->offset, p->locals * sizeof *end);
    for (uint32_t v = 0; go && v < p->locals && !gg_leave(m->run, v); v++)
        for (uint64_t k = t.offset[v]; k < t.offset[v + 1]; k++) {
            const uint32_t u = t.source[k];
            if (end[u] == p->offset[u] || p->target[end[u] - 1] != v)
                p->target[end[u]++] = v;
        }
    go = go && !gg_stopping(m->run);
    for (uint32_t v = 0; go && v < p->locals; v++) {
        const uint64_t begin = p->offset[v];
        p->offset[v] = to;
        memmove(p->target + to, p->target + begin, (end[v] - begin) * sizeof *p->target);
        to += end[v] - begin;
    }
    if (go)
        p->offset[p->locals] = p->arcs = to;
    part_transpose_close(&t);
    gg_release(end);
    return go;
}

/* ---- counting sort ---- */

/* next[v + 1]: where the first arc of v goes; locals + 2 entries. Becomes the offsets once all are put. */
static uint64_t *count_arcs_of_part_rows(struct part_making *m, const uint32_t *end) {
    const uint32_t locals = m->part->locals;
    uint64_t *next = gg_alloc_zero(m->run, (uint64_t)locals + 2, sizeof *next);
    for (uint64_t a = 0; next && a < m->arcs && !gg_leave(m->run, a); a++)
        next[end[a] + 2]++;
    for (uint32_t v = 0; next && v < locals && !gg_leave(m->run, v); v++)
        next[v + 2] += next[v + 1];
    return next;
}

/* Room for the weights of all arcs as the part has them. */
static void *weight_room(struct part_making *m) {
    return m->weight ? gg_alloc(m->run, m->arcs,
                                m->part->narrow ? sizeof(uint32_t) : sizeof(uint64_t))
                     : NULL;
}

static inline void put_weight(const struct part_making *m, void *weight, uint64_t to,
                              uint64_t arc) {
    if (m->part->narrow)
        ((uint32_t *)weight)[to] = (uint32_t)m->weight[arc];
    else
        memcpy((uint64_t *)weight + to, &m->weight[arc], sizeof *m->weight);
}

/* ---- the width of weights ---- */

/* At most what a shortest path can be long, and UINT32_MAX where that is less. */
static bool bound_paths(struct part_making *m, uint64_t *bound) {
    const gpugraph_part *p = m->part;
    uint64_t *largest = gg_alloc_zero(m->run, p->locals, sizeof *largest);
    *bound = 0;
    for (uint64_t a = 0; largest && a < m->arcs && !gg_leave(m->run, a); a++)
        if (m->weight[a] > largest[m->target[a]])
            largest[m->target[a]] = m->weight[a];
    for (uint32_t v = 0; largest && v < p->locals; v++)
        *bound += largest[v] < UINT32_MAX - *bound ? largest[v] : UINT32_MAX - *bound;
    gg_release(largest);
    return largest && !gg_stopping(m->run);
}

/* Collective. */
static bool choose_width(struct part_making *m) {
    gpugraph_part *p = m->part;
    uint64_t bound;
    if (p->weight_type != GPUGRAPH_INTEGER_WEIGHTS)
        return true;
    if (!bound_paths(m, &bound) || !part_sum(p, m->run, &bound))
        return false;
    p->narrow = bound < UINT32_MAX;
    return true;
}

/* ---- rows ---- */

static bool make_rows(struct part_making *m) {
    gpugraph_part *p = m->part;
    uint64_t *next = p->offset = count_arcs_of_part_rows(m, m->source);
    p->arcs = m->arcs;
    p->target = gg_alloc(m->run, m->arcs, sizeof *p->target);
    p->weight = weight_room(m);
    if (m->run->status != GPUGRAPH_OK)
        return false;
    for (uint64_t a = 0; a < m->arcs && !gg_leave(m->run, a); a++) {
        const uint64_t to = next[m->source[a] + 1]++;
        p->target[to] = m->target[a];
        if (p->weight)
            put_weight(m, p->weight, to, a);
    }
    return !gg_stopping(m->run) && (!p->simple || simplify_rows(m));
}

static bool make_transpose(struct part_making *m) {
    gpugraph_part *p = m->part;
    struct part_into *into = &p->into;
    if (!m->edge_id)
        return true;
    uint64_t *next = into->offset = count_arcs_of_part_rows(m, m->target);
    into->source = gg_alloc(m->run, m->arcs, sizeof *into->source);
    into->weight = weight_room(m);
    into->edge_id = gg_alloc(m->run, m->arcs, sizeof *into->edge_id);
    if (m->run->status != GPUGRAPH_OK)
        return false;
    for (uint64_t a = 0; a < m->arcs && !gg_leave(m->run, a); a++) {
        const uint64_t to = next[m->target[a] + 1]++;
        into->source[to] = m->source[a];
        into->edge_id[to] = m->edge_id[a];
        if (into->weight)
            put_weight(m, into->weight, to, a);
    }
    return !gg_stopping(m->run);
}

bool part_make_rows(struct part_making *m) {
    return choose_width(m) && make_rows(m) && make_transpose(m);
}
