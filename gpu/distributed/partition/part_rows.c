/* Arcs of a part become rows.
**
**     arcs      source | target | weight | edge id
**       |  counting by source
**     rows      offset, target, weight, edge id
**
** INTEGER weights become 32 bits wide where no shortest path can pass that: each vertex adds at most
** the largest weight of its arcs to one. */
#include "making.h"

#include <string.h>

/* ---- the transpose of rows ---- */

bool part_transpose_open(const gpugraph_part *p, gpugraph_run *run,
                         struct part_transpose *t) {
    uint64_t *next = gg_alloc_zero(run, (uint64_t)p->locals + 2, sizeof *next);
    *t = (struct part_transpose){.offset = next};
    t->source = gg_alloc(run, p->arcs, sizeof *t->source);
    if (run->status)
        return false;
    for (uint64_t a = 0; a < p->arcs; a++)
        next[p->target[a] + 2]++;
    for (uint32_t v = 0; v < p->locals; v++)
        next[v + 2] += next[v + 1];
    for (uint32_t u = 0; u < p->locals && !gg_leave(run, u); u++)
        for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++)
            t->source[next[p->target[a] + 1]++] = u;
    return !gg_stopping(run);
}

void part_transpose_close(struct part_transpose *t) {
    gg_release(t->offset);
    gg_release(t->source);
}

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
    const size_t bytes = p->narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    /* next[v + 1]: where the next arc of v goes. Becomes the offsets once all are put. */
    uint64_t *next = p->offset =
        gg_alloc_zero(m->run, (uint64_t)p->locals + 2, sizeof *next);
    p->arcs = m->arcs;
    p->target = gg_alloc(m->run, m->arcs, sizeof *p->target);
    p->weight = m->weight ? gg_alloc(m->run, m->arcs, bytes) : NULL;
    p->edge_id = m->edge_id ? gg_alloc(m->run, m->arcs, sizeof *p->edge_id) : NULL;
    if (m->run->status != GPUGRAPH_OK)
        return false;
    for (uint64_t a = 0; a < m->arcs && !gg_leave(m->run, a); a++)
        next[m->source[a] + 2]++;
    for (uint32_t v = 0; v < p->locals && !gg_leave(m->run, v); v++)
        next[v + 2] += next[v + 1];
    if (gg_stopping(m->run))
        return false;
    for (uint64_t a = 0; a < m->arcs && !gg_leave(m->run, a); a++) {
        const uint64_t to = next[m->source[a] + 1]++;
        p->target[to] = m->target[a];
        if (p->weight && p->narrow)
            ((uint32_t *)p->weight)[to] = (uint32_t)m->weight[a];
        else if (p->weight)
            ((uint64_t *)p->weight)[to] = m->weight[a];
        if (p->edge_id)
            p->edge_id[to] = m->edge_id[a];
    }
    return !gg_stopping(m->run);
}

bool part_make_rows(struct part_making *m) {
    return choose_width(m) && make_rows(m) && (!m->part->simple || simplify_rows(m));
}
