/* Arcs of a part become rows, and, where edges have ids, rows of the transpose in the order of these.
**
**     arcs      source | target | weight | edge id          as shares have them
**       |  counting by source                               offset, target, weight
**       |  counting by target, each row then by edge id     into: offset, source, weight, edge id
**
** INTEGER weights become 32 bits wide where no shortest path can pass that: each vertex adds at most
** the largest weight of its arcs to one. */
#include "making.h"

#include <stdlib.h>
#include <string.h>

/* ---- simple rows ---- */

static int compare_locals(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* A row that qsort would sort for too long without a poll. */
static void sort_long_row(struct part_making *m, uint32_t *target, uint64_t count) {
    uint64_t *key = gg_alloc(m->run, 2 * count, sizeof *key);
    uint32_t *other = gg_alloc(m->run, count, sizeof *other);
    for (uint64_t i = 0; key && other && i < count && !gg_leave(m->run, i); i++)
        key[i] = target[i];
    if (key && other && !gg_stopping(m->run))
        gg_sort_pairs(m->run, count, key, target, key + count, other);
    gg_release(key);
    gg_release(other);
}

/* Each target once. False: the run must end. */
static bool simplify(struct part_making *m) {
    gpugraph_part *p = m->part;
    uint64_t to = 0, begin = 0, since = 0;
    for (uint32_t v = 0; v < p->locals; v++) {
        const uint64_t end = p->offset[v + 1], first = to, count = end - begin;
        if (gg_worked(m->run, &since, 8 * count + 1))
            return false;
        if (count > GG_POLL_ITEMS / 16)
            sort_long_row(m, p->target + begin, count);
        else
            qsort(p->target + begin, count, sizeof *p->target, compare_locals);
        if (m->run->status != GPUGRAPH_OK)
            return false;
        for (uint64_t a = begin; a < end; a++)
            if (to == first || p->target[to - 1] != p->target[a])
                p->target[to++] = p->target[a];
        p->offset[v + 1] = to;
        begin = end;
    }
    p->arcs = to;
    return true;
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
    return !gg_stopping(m->run) && (!p->simple || simplify(m));
}

struct arc_into {
    int64_t edge_id;
    uint64_t weight;
    uint32_t source;
};

static int compare_ids(const void *a, const void *b) {
    const int64_t x = ((const struct arc_into *)a)->edge_id,
                  y = ((const struct arc_into *)b)->edge_id;
    return x < y ? -1 : x > y;
}

static bool is_in_order(const int64_t *edge_id, uint64_t begin, uint64_t end) {
    for (uint64_t a = begin + 1; a < end; a++)
        if (edge_id[a] < edge_id[a - 1])
            return false;
    return true;
}

/* Arcs begin .. end - 1 of the transpose by edge id. */
static void sort_row(const gpugraph_part *p, uint64_t begin, uint64_t end,
                     struct arc_into *arc) {
    const struct part_into *into = &p->into;
    uint32_t *narrow = into->weight;
    uint64_t *whole = into->weight;
    for (uint64_t a = begin; a < end; a++)
        arc[a - begin] = (struct arc_into){into->edge_id[a],
                                           !into->weight ? 0
                                           : p->narrow   ? narrow[a]
                                                         : whole[a],
                                           into->source[a]};
    qsort(arc, end - begin, sizeof *arc, compare_ids);
    for (uint64_t a = begin; a < end; a++) {
        into->edge_id[a] = arc[a - begin].edge_id;
        into->source[a] = arc[a - begin].source;
        if (into->weight && p->narrow)
            narrow[a] = (uint32_t)arc[a - begin].weight;
        else if (into->weight)
            whole[a] = arc[a - begin].weight;
    }
}

/* Shares whose ids ascend leave every row in order; then nothing is sorted. */
static bool sort_rows(struct part_making *m) {
    const gpugraph_part *p = m->part;
    const uint64_t *offset = p->into.offset;
    uint64_t longest = 0;
    for (uint32_t v = 0; v < p->locals && !gg_leave(m->run, v); v++)
        if (offset[v + 1] - offset[v] > longest &&
            !is_in_order(p->into.edge_id, offset[v], offset[v + 1]))
            longest = offset[v + 1] - offset[v];
    if (longest == 0)
        return !gg_stopping(m->run);
    struct arc_into *arc = gg_alloc(m->run, longest, sizeof *arc);
    for (uint32_t v = 0; arc && v < p->locals && !gg_leave(m->run, v); v++)
        if (!is_in_order(p->into.edge_id, offset[v], offset[v + 1]))
            sort_row(p, offset[v], offset[v + 1], arc);
    gg_release(arc);
    return arc && !gg_stopping(m->run);
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
    return !gg_stopping(m->run) && sort_rows(m);
}

bool part_make_rows(struct part_making *m) {
    return choose_width(m) && make_rows(m) && make_transpose(m);
}
