/* Edges of shares on their way to the parts that have them as arcs, in batches: a part never holds more of
** the edges than its own arcs, and one batch. */
#include "making.h"

#include <string.h>

enum { BATCH = 1 << 16 }; /* edges of a share that are sent at a time */

/* The part that has the arc. */
static uint32_t part_of_arc(const gpugraph_part *p, uint64_t source, uint64_t target) {
    if (p->partition == GPUGRAPH_BY_SOURCE)
        return part_owner(p, source);
    if (p->partition == GPUGRAPH_BY_TARGET)
        return part_owner(p, target);
    const uint32_t row = part_owner(p, source) / p->columns;
    return row * p->columns + part_owner(p, target) % p->columns;
}

static void list_arc(struct part_making *m, uint64_t source, uint64_t target,
                     uint64_t e) {
    const gpugraph_share *s = m->share;
    uint64_t *word = m->record + m->listed * m->stride;
    m->to[m->listed++] = part_of_arc(m->part, source, target);
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
}

/* The arcs of a batch of the share's edges. False: the run must end. */
static bool list_batch(struct part_making *m, uint64_t low) {
    const gpugraph_share *s = m->share;
    const gpugraph_part *p = m->part;
    m->listed = 0;
    for (uint64_t e = low; e < s->count && e < low + BATCH; e++) {
        const uint64_t from = s->source[e], to = s->target[e];
        if (p->simple && from == to)
            continue;
        if (p->direction != GPUGRAPH_IN)
            list_arc(m, from, to, e);
        if (p->direction == GPUGRAPH_IN || (p->direction == GPUGRAPH_BOTH && from != to))
            list_arc(m, to, from, e);
    }
    return !gg_pause(m->run);
}

/* How many arcs will come, and how many edges the longest share has. */
static bool count_arcs(struct part_making *m, uint64_t *arcs, uint64_t *longest) {
    gpugraph_exchange *x = m->part->exchange;
    uint64_t *size = gg_alloc_zero(m->run, x->parts, sizeof *size);
    bool go = size != NULL;
    for (uint64_t low = 0; go && low < m->share->count; low += BATCH) {
        go = list_batch(m, low);
        for (uint64_t i = 0; i < m->listed; i++)
            size[m->to[i]]++;
    }
    go = go && gg_swap_sizes(x, m->run, size);
    *arcs = 0;
    for (uint32_t q = 0; go && q < x->parts; q++)
        *arcs += size[q];
    *longest = m->share->count;
    gg_release(size);
    return go && gg_combine(x, m->run, GPUGRAPH_MOST, longest, 1) == GPUGRAPH_OK;
}

static bool take_arcs(struct part_making *m, const struct gg_records *come) {
    const uint64_t *word = come->word;
    for (uint64_t i = 0; i < come->count; i++) {
        const uint64_t to = m->arcs;
        const uint32_t source = part_local_of(m, *word++),
                       target = part_local_of(m, *word++);
        if (source == GPUGRAPH_NONE || target == GPUGRAPH_NONE ||
            gg_leave(m->run, m->arcs++))
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

static bool send_batch(struct part_making *m, uint64_t low) {
    struct gg_records come = {0};
    const bool go = list_batch(m, low) &&
                    gg_post_records(m->part->exchange, m->run, m->stride, m->record,
                                    m->listed, m->to, &come) &&
                    take_arcs(m, &come);
    gg_records_close(&come);
    return go;
}

bool part_bring_arcs(struct part_making *m) {
    uint64_t arcs, longest;
    m->record = gg_alloc(m->run, 2 * BATCH * m->stride, sizeof *m->record);
    m->to = gg_alloc(m->run, 2 * BATCH, sizeof *m->to);
    bool go = m->record && m->to && count_arcs(m, &arcs, &longest);
    if (go) {
        m->source = gg_alloc(m->run, arcs, sizeof *m->source);
        m->target = gg_alloc(m->run, arcs, sizeof *m->target);
        m->weight = m->weighted ? gg_alloc(m->run, arcs, sizeof *m->weight) : NULL;
        m->edge_id = m->with_ids ? gg_alloc(m->run, arcs, sizeof *m->edge_id) : NULL;
        go = m->run->status == GPUGRAPH_OK;
    }
    for (uint64_t low = 0; go && low < longest; low += BATCH)
        go = send_batch(m, low);
    gg_release(m->record);
    gg_release(m->to);
    return go;
}
