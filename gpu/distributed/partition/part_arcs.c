/* Edges of shares on their way to the parts that have them as arcs, in batches: a part never holds more of
** the edges than its own arcs, and one batch. */
#include "making.h"

#include <string.h>

enum { BATCH = 1 << 17 }; /* edges of a share that are sent at a time */

/* The part that has the arc. */
static uint32_t part_of_arc(const gpugraph_part *p, uint64_t source, uint64_t target) {
    if (p->partition == GPUGRAPH_BY_SOURCE)
        return part_owner(p, source);
    if (p->partition == GPUGRAPH_BY_TARGET)
        return part_owner(p, target);
    const uint32_t row = part_owner(p, source) / p->columns;
    return row * p->columns + part_owner(p, target) % p->columns;
}

/* Calls take(m, part, source, target, edge) for the arcs of the share's edges low .. high - 1. */
static void each_arc(struct part_making *m, uint64_t low, uint64_t high,
                     void (*take)(struct part_making *, uint32_t, uint64_t, uint64_t,
                                  uint64_t)) {
    const gpugraph_share *s = m->share;
    const gpugraph_part *p = m->part;
    for (uint64_t e = low; e < high && !gg_leave(m->run, e); e++) {
        const uint64_t from = s->source[e], to = s->target[e];
        if (p->simple && from == to)
            continue;
        if (p->direction != GPUGRAPH_IN)
            take(m, part_of_arc(p, from, to), from, to, e);
        if (p->direction == GPUGRAPH_IN || (p->direction == GPUGRAPH_BOTH && from != to))
            take(m, part_of_arc(p, to, from), to, from, e);
    }
}

static void count_arc(struct part_making *m, uint32_t part, uint64_t source,
                      uint64_t target, uint64_t e) {
    (void)source, (void)target, (void)e;
    m->size[part] += m->stride * sizeof(uint64_t);
}

static void put_arc(struct part_making *m, uint32_t part, uint64_t source,
                    uint64_t target, uint64_t e) {
    const gpugraph_share *s = m->share;
    uint64_t *word = (uint64_t *)(m->out.bytes + m->size[part]);
    *word++ = source;
    *word++ = target;
    if (m->weighted && s->weight_type == GPUGRAPH_REAL_WEIGHTS) {
        const double weight = ((const double *)s->weight)[e] + 0.0; /* -0.0 is 0.0 */
        memcpy(word++, &weight, sizeof weight);
    } else if (m->weighted) {
        *word++ = (uint64_t)((const int64_t *)s->weight)[e];
    }
    if (m->with_ids)
        *word = (uint64_t)s->edge_id[e];
    m->size[part] += m->stride * sizeof(uint64_t);
}

/* Sets m->size: bytes of the arcs of these edges, for each part. */
static bool count_arcs(struct part_making *m, uint64_t low, uint64_t high) {
    memset(m->size, 0, m->part->exchange->parts * sizeof *m->size);
    each_arc(m, low, high, count_arc);
    return !gg_stopping(m->run);
}

/* Arrays for all arcs that will come, and how many edges the longest share has. */
static bool make_room_for_arcs(struct part_making *m, uint64_t *longest) {
    gpugraph_part *p = m->part;
    uint64_t arcs = 0, count = m->share->count;
    m->next = gg_alloc(m->run, p->exchange->parts, sizeof *m->next);
    if (!m->next || !count_arcs(m, 0, count) ||
        !gg_swap_sizes(p->exchange, m->run, m->size))
        return false;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        m->next[q] = arcs;
        arcs += m->size[q] / (m->stride * sizeof(uint64_t));
    }
    m->arcs = arcs;
    m->source = gg_alloc(m->run, arcs, sizeof *m->source);
    m->target = gg_alloc(m->run, arcs, sizeof *m->target);
    if (m->weighted)
        m->weight = gg_alloc(m->run, arcs, sizeof *m->weight);
    if (m->with_ids)
        m->edge_id = gg_alloc(m->run, arcs, sizeof *m->edge_id);
    *longest = count;
    return m->run->status == GPUGRAPH_OK &&
           gg_combine(p->exchange, m->run, GPUGRAPH_MOST, longest, 1) == GPUGRAPH_OK;
}

/* Arcs from part q go behind those that have come from there, so that all lie by shares. */
static bool take_arcs(struct part_making *m, const gg_letters *in, uint32_t q) {
    const uint64_t *word = (const uint64_t *)(in->bytes + in->offset[q]),
                   *end = (const uint64_t *)(in->bytes + in->offset[q + 1]);
    for (uint64_t to = m->next[q]; word < end; m->next[q] = ++to) {
        const uint32_t source = part_place_of(m, *word++),
                       target = part_place_of(m, *word++);
        if (source == GPUGRAPH_NONE || target == GPUGRAPH_NONE ||
            gg_leave(m->run, m->looked_at++))
            return false;
        m->source[to] = source;
        m->target[to] = target;
        if (m->weight)
            m->weight[to] = *word++;
        if (m->edge_id)
            m->edge_id[to] = (int64_t)*word++;
    }
    return true;
}

/* The edges low .. high - 1 of every share. */
static bool send_batch(struct part_making *m, uint64_t low, uint64_t high) {
    gpugraph_exchange *x = m->part->exchange;
    gg_letters in = {NULL, NULL};
    m->out = (gg_letters){NULL, NULL};
    bool go = count_arcs(m, low, high) && gg_letters_open(&m->out, x, m->run, m->size);
    if (go) {
        memcpy(m->size, m->out.offset, x->parts * sizeof *m->size);
        each_arc(m, low, high, put_arc);
        go = !gg_stopping(m->run) && gg_post(x, m->run, &m->out, &in);
    }
    for (uint32_t q = 0; go && q < x->parts; q++)
        go = take_arcs(m, &in, q);
    gg_letters_close(&m->out);
    gg_letters_close(&in);
    return go;
}

bool part_bring_arcs(struct part_making *m) {
    const uint64_t count = m->share->count;
    uint64_t longest;
    m->size = gg_alloc(m->run, m->part->exchange->parts, sizeof *m->size);
    bool go = m->size && make_room_for_arcs(m, &longest);
    for (uint64_t low = 0; go && low < longest; low += BATCH) {
        const uint64_t from = low < count ? low : count;
        go = send_batch(m, from, count - from < BATCH ? count : from + BATCH);
    }
    gg_release(m->size);
    return go;
}
