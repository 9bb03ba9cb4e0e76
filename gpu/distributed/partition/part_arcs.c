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
    m->part->out[part].size += m->stride * sizeof(uint64_t);
}

static void put_arc(struct part_making *m, uint32_t part, uint64_t source,
                    uint64_t target, uint64_t e) {
    const gpugraph_share *s = m->share;
    gpugraph_parcel *to = &m->part->out[part];
    uint64_t *word = (uint64_t *)((char *)to->bytes + to->size);
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
    to->size += m->stride * sizeof(uint64_t);
}

bool part_tell_sizes(struct part_making *m, uint64_t *size) {
    gpugraph_part *p = m->part;
    const uint32_t parts = p->exchange->parts;
    gpugraph_parcel *out = gg_alloc(m->run, parts, 2 * sizeof *out);
    bool told = out != NULL;
    for (uint32_t q = 0; told && q < parts; q++) {
        out[q] = (gpugraph_parcel){&p->out[q].size, sizeof(uint64_t), sizeof(uint64_t)};
        out[parts + q] = (gpugraph_parcel){&size[q], sizeof(uint64_t), 0};
    }
    told = told &&
           p->exchange->calls->swap(p->exchange, m->run, out, out + parts) == GPUGRAPH_OK;
    gg_release(out);
    return told;
}

/* Arrays for all arcs that will come, and how many edges the longest share has. */
static bool make_room_for_arcs(struct part_making *m, uint64_t *size, uint64_t *longest) {
    gpugraph_part *p = m->part;
    uint64_t arcs = 0, count = m->share->count;
    for (uint32_t q = 0; q < p->exchange->parts; q++)
        p->out[q].size = 0;
    each_arc(m, 0, count, count_arc);
    m->next = gg_alloc(m->run, p->exchange->parts, sizeof *m->next);
    if (!m->next || gg_stopping(m->run) || !part_tell_sizes(m, size))
        return false;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        m->next[q] = arcs;
        arcs += size[q] / (m->stride * sizeof(uint64_t));
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
           p->exchange->calls->combine(p->exchange, m->run, GPUGRAPH_MOST, longest, 1) ==
               GPUGRAPH_OK;
}

/* Arcs from part q go behind those that have come from there, so that all lie by shares. */
static bool take_arcs(struct part_making *m, uint32_t q) {
    const gpugraph_parcel *from = &m->part->in[q];
    const uint64_t *word = from->bytes, *end = word + from->size / sizeof *word;
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
static bool send_batch(struct part_making *m, uint64_t low, uint64_t high,
                       uint64_t *size) {
    gpugraph_part *p = m->part;
    const uint32_t parts = p->exchange->parts;
    uint64_t out = 0, in = 0;
    for (uint32_t q = 0; q < parts; q++)
        p->out[q].size = 0;
    each_arc(m, low, high, count_arc);
    if (gg_stopping(m->run) || !part_tell_sizes(m, size))
        return false;
    for (uint32_t q = 0; q < parts; q++) {
        out += p->out[q].size;
        in += size[q];
    }
    if (!part_mail_room(p, m->run, out, in))
        return false;
    char *to = p->sent.block, *from = p->come.block;
    for (uint32_t q = 0; q < parts; q++) {
        const uint64_t sent = p->out[q].size;
        p->out[q] = (gpugraph_parcel){to, sent, 0};
        p->in[q] = (gpugraph_parcel){from, size[q], 0};
        to += sent;
        from += size[q];
    }
    each_arc(m, low, high, put_arc);
    if (gg_stopping(m->run) ||
        p->exchange->calls->swap(p->exchange, m->run, p->out, p->in) != GPUGRAPH_OK)
        return false;
    for (uint32_t q = 0; q < parts; q++)
        if (!take_arcs(m, q))
            return false;
    return true;
}

bool part_bring_arcs(struct part_making *m) {
    const uint64_t count = m->share->count;
    uint64_t *size = gg_alloc(m->run, m->part->exchange->parts, sizeof *size), longest;
    bool go = size && make_room_for_arcs(m, size, &longest);
    for (uint64_t low = 0; go && low < longest; low += BATCH) {
        const uint64_t from = low < count ? low : count;
        go = send_batch(m, from, count - from < BATCH ? count : from + BATCH, size);
    }
    gg_release(size);
    return go;
}
