/* Making a partition: shares of edges become rows.
**
**     share      source | target | weight | edge id      numbers of the whole graph
**        |  batches: each arc goes to its partition, so that a process never holds more
**        |  than its share, its own arcs and one batch
**     arcs       source | target | weight | edge id      locals, ghosts in arrival order
**        |  ghosts are sorted, and their owners learn of them
**        |  counting sort by source
**     rows       offset, target, weight, edge id */
#include "part.h"
#include "base/distinct.h"

#include <math.h>
#include <string.h>

struct part_making {
    gpugraph_part *part;
    const gpugraph_share *share;
    gpugraph_run *run;
    struct gg_distinct ghosts; /* their numbers, in arrival order */
    bool weighted, with_ids;
    uint32_t stride; /* words of an arc in a message */
    /* A batch of arcs, and the partition of each. */
    uint64_t *record, listed;
    uint32_t *to;
    /* Arcs received so far. */
    uint64_t arcs;
    uint32_t *source, *target;
    uint64_t *weight;
    int64_t *edge_id;
};

/* ---- masters, which follow by arithmetic (places.h), and ghosts ---- */

enum {
    /* log2 of the numbers of a block in a small graph. Device code for independent sets
    ** reads four successive numbers. */
    SMALL_BLOCK_BITS = 2,
    /* Partitions of this many numbers or more have blocks of SEVERAL_BLOCK_BITS. New York
    ** over 4 partitions has 0.6 ghosts for each vertex with these blocks, and 1.6 with
    ** small blocks. */
    WHOLE_BLOCKS_FROM = 1 << 15
};

bool part_lay_out(gpugraph_part *p, gpugraph_run *run) {
    const uint64_t share = p->vertices / p->exchange->parts;
    if (share >= GPUGRAPH_NONE - 2 * SEVERAL_UNIT) {
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "a partition has more than 2^32 - 2 vertices; use more processes");
        return false;
    }
    several_lay_out(&p->places, p->vertices, p->exchange->parts,
                    share < WHOLE_BLOCKS_FROM ? SMALL_BLOCK_BITS : SEVERAL_BLOCK_BITS);
    p->masters = several_vertices(&p->places, p->exchange->part);
    return true;
}

/* The local with that number. An unknown number becomes the last ghost. GPUGRAPH_NONE
** after a failure. */
static uint32_t local_of(struct part_making *m, uint64_t number) {
    const uint32_t masters = m->part->masters, master = part_master_of(m->part, number);
    if (master != GPUGRAPH_NONE)
        return master;
    const uint64_t ghost = gg_distinct_add(&m->ghosts, m->run, number);
    if (ghost < GPUGRAPH_NONE - 1 - masters)
        return masters + (uint32_t)ghost;
    if (ghost != UINT64_MAX)
        gg_fail(
            m->run, GPUGRAPH_TOO_LARGE,
            "a partition has more than 2^32 - 2 vertices and ghosts; use more processes");
    return GPUGRAPH_NONE;
}

/* Replaces ghosts in arrival order by their locals. */
static void rename_ends(struct part_making *m, uint32_t *end, const uint32_t *local) {
    const uint32_t masters = m->part->masters;
    for (uint64_t a = 0; a < m->arcs && !gg_leave(m->run, a); a++)
        if (end[a] >= masters)
            end[a] = local[end[a] - masters];
}

/* Sorts the ghosts by place after all arcs have arrived. Sets the numbers of all
** locals. */
static bool order_ghosts(struct part_making *m) {
    gpugraph_part *p = m->part;
    const uint32_t ghosts = (uint32_t)m->ghosts.count;
    uint64_t *place = gg_alloc(m->run, ghosts, 2 * sizeof *place);
    uint32_t *old = gg_alloc(m->run, ghosts, 2 * sizeof *old);
    uint32_t *local = gg_alloc(m->run, ghosts, sizeof *local);
    p->locals = p->masters + ghosts;
    p->number = gg_alloc(m->run, p->locals, sizeof *p->number);
    bool go = place && old && local && p->number;
    for (uint32_t i = 0; go && i < ghosts; i++) {
        place[i] = part_place(p, m->ghosts.value[i]);
        old[i] = i;
    }
    go = go && gg_sort_pairs(m->run, false, ghosts, place, old, place + ghosts,
                             old + ghosts) == GPUGRAPH_OK;
    for (uint32_t v = 0; go && v < p->masters; v++)
        p->number[v] = several_number_of(&p->places, p->exchange->part, v);
    for (uint32_t i = 0; go && i < ghosts; i++) {
        local[old[i]] = p->masters + i;
        p->number[p->masters + i] = m->ghosts.value[old[i]];
    }
    if (go) {
        rename_ends(m, m->source, local);
        rename_ends(m, m->target, local);
    }
    gg_release(place);
    gg_release(old);
    gg_release(local);
    return go && !gg_stopping(m->run);
}

/* ---- sending arcs ---- */

enum { BATCH = 1 << 16 }; /* edges of a share that are sent at once */

/* The partition that an arc belongs to. */
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

/* Lists the arcs of one batch of edges. False: the run must end. */
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

/* Collective. *arcs: arcs of this partition; *longest: edges of the longest share. */
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

static bool take_arcs(struct part_making *m, const struct gg_records *received) {
    const uint64_t *word = received->word;
    for (uint64_t i = 0; i < received->count; i++) {
        const uint64_t to = m->arcs;
        const uint32_t source = local_of(m, *word++), target = local_of(m, *word++);
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
    struct gg_records received = {0};
    const bool go = list_batch(m, low) &&
                    gg_post_records(m->part->exchange, m->run, m->stride, m->record,
                                    m->listed, m->to, &received) &&
                    take_arcs(m, &received);
    gg_records_close(&received);
    return go;
}

/* Sends the arcs of the share to their partitions. Receives the arcs of this one. */
static bool bring_arcs(struct part_making *m) {
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

/* ---- ghosts and their owners ---- */

/* Tells each owner which of its masters have ghosts here. */
static bool send_ghosts(struct part_making *m, struct gg_records *received) {
    gpugraph_part *p = m->part;
    uint32_t at = p->masters;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        p->peer[q].first_ghost = at;
        while (at < p->locals && part_owner(p, p->number[at]) == q)
            at++;
        p->peer[q].ghosts = at - p->peer[q].first_ghost;
    }
    return part_post(p, m->run, 1, p->number + p->masters, p->locals - p->masters,
                     received);
}

static bool take_ghosts(struct part_making *m, const struct gg_records *received) {
    gpugraph_part *p = m->part;
    uint64_t links = 0;
    p->first_link =
        gg_alloc_zero(m->run, (uint64_t)p->masters + 2, sizeof *p->first_link);
    if (!p->first_link)
        return false;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        struct part_peer *peer = &p->peer[q];
        const uint64_t *number = received->word + received->first[q];
        peer->masters = (uint32_t)(received->first[q + 1] - received->first[q]);
        peer->master = gg_alloc(m->run, peer->masters, sizeof *peer->master);
        if (!peer->master)
            return false;
        for (uint32_t i = 0; i < peer->masters && !gg_leave(m->run, i); i++) {
            peer->master[i] = part_master_of(p, number[i]);
            p->first_link[peer->master[i] + 2]++;
        }
        links += peer->masters;
    }
    p->link = gg_alloc(m->run, links, sizeof *p->link);
    if (!p->link)
        return false;
    for (uint32_t v = 0; v < p->masters && !gg_leave(m->run, v); v++)
        p->first_link[v + 2] += p->first_link[v + 1];
    for (uint32_t q = 0; q < p->exchange->parts; q++)
        for (uint32_t i = 0; i < p->peer[q].masters && !gg_leave(m->run, i); i++)
            p->link[p->first_link[p->peer[q].master[i] + 1]++] = (struct part_link){q, i};
    return !gg_stopping(m->run);
}

/* ---- rows ---- */

static bool make_rows(struct part_making *m) {
    gpugraph_part *p = m->part;
    /* next[v + 1] is the position of v's next arc; after the last arc, next[] holds the
    ** offsets. */
    uint64_t *next = p->offset =
        gg_alloc_zero(m->run, (uint64_t)p->locals + 2, sizeof *next);
    p->arcs = m->arcs;
    p->target = gg_alloc(m->run, m->arcs, sizeof *p->target);
    p->weight = m->weight ? gg_alloc(m->run, m->arcs, sizeof *m->weight) : NULL;
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
        if (p->weight)
            ((uint64_t *)p->weight)[to] = m->weight[a];
        if (p->edge_id)
            p->edge_id[to] = m->edge_id[a];
    }
    return !gg_stopping(m->run);
}

/* ---- the partition ---- */

static bool is_weight(const gpugraph_share *s, uint64_t e) {
    const double real =
        s->weight_type == GPUGRAPH_REAL_WEIGHTS ? ((const double *)s->weight)[e] : 0;
    return s->weight_type == GPUGRAPH_INTEGER_WEIGHTS
               ? ((const int64_t *)s->weight)[e] >= 0
               : real >= 0 && isfinite(real);
}

static bool check_share(struct part_making *m) {
    const gpugraph_share *s = m->share;
    if (!gg_check_weight_type(s->weight_type, m->run) ||
        !gg_needs(m->run, s->source, s->count, "share.source") ||
        !gg_needs(m->run, s->target, s->count, "share.target") ||
        (m->weighted && !gg_needs(m->run, s->weight, s->count, "share.weight")))
        return false;
    for (uint64_t e = 0; e < s->count && !m->run->status && !gg_leave(m->run, e); e++) {
        if (m->weighted && !is_weight(s, e))
            gg_fail(m->run, GPUGRAPH_INVALID,
                    "edge %llu of a share has a weight that is negative or not finite",
                    (unsigned long long)e);
        else if (s->source[e] >= s->vertices || s->target[e] >= s->vertices)
            gg_fail(m->run, GPUGRAPH_INVALID,
                    "an end of edge %llu of a share is not below the %llu vertices",
                    (unsigned long long)e, (unsigned long long)s->vertices);
    }
    if (m->part->simple && m->part->direction != GPUGRAPH_BOTH)
        gg_fail(m->run, GPUGRAPH_INVALID, "simple rows need the direction BOTH");
    return !gg_stopping(m->run);
}

static bool make_partition(struct part_making *m) {
    gpugraph_part *p = m->part;
    const uint32_t parts = p->exchange->parts;
    p->peer = gg_alloc_zero(m->run, parts, sizeof *p->peer);
    p->out = gg_alloc_zero(m->run, parts, sizeof *p->out);
    p->in = gg_alloc_zero(m->run, parts, sizeof *p->in);
    struct gg_records ghosts = {0};
    for (p->columns = 1; p->columns * p->columns < parts || parts % p->columns;)
        p->columns++; /* a grid at least as wide as it is high */
    if (p->partition == GPUGRAPH_GRID && p->columns == parts)
        p->partition = GPUGRAPH_BY_TARGET; /* the grid has one row */
    bool go = p->peer && p->out && p->in && check_share(m) && part_lay_out(p, m->run) &&
              bring_arcs(m) && order_ghosts(m) && send_ghosts(m, &ghosts) &&
              take_ghosts(m, &ghosts);
    gg_records_close(&ghosts);
    gg_distinct_free(&m->ghosts);
    return go && make_rows(m) && (!p->simple || part_simplify(p, m->run));
}

gpugraph_status gpugraph_part_create(gpugraph_exchange *exchange,
                                     const gpugraph_share *share,
                                     gpugraph_partition partition,
                                     gpugraph_direction direction, bool simple,
                                     gpugraph_run *run, gpugraph_part **part) {
    gg_begin(run);
    if (!gg_needs(run, exchange, 1, "exchange"))
        return run->status;
    if (!gg_needs(run, part, 1, "part") || !gg_needs(run, share, 1, "share"))
        return part_end(exchange, run);
    const double start = gg_now_ms();
    const bool weighted = !simple && share->weight_type != GPUGRAPH_UNWEIGHTED,
               with_ids = !simple && share->edge_id != NULL;
    struct part_making m = {.share = share,
                            .run = run,
                            .weighted = weighted,
                            .with_ids = with_ids,
                            .stride = 2 + weighted + with_ids};
    gpugraph_part *p = gg_alloc_zero(run, 1, sizeof *p);
    *part = NULL;
    if (p) {
        *p = (gpugraph_part){.exchange = exchange,
                             .partition = partition,
                             .direction = direction,
                             .simple = simple,
                             .vertices = share->vertices,
                             .weight_type =
                                 weighted ? share->weight_type : GPUGRAPH_UNWEIGHTED};
        m.part = p;
        make_partition(&m);
    }
    gg_release(m.source);
    gg_release(m.target);
    gg_release(m.weight);
    gg_release(m.edge_id);
    if (part_end(exchange, run) == GPUGRAPH_OK) {
        *part = p;
        gg_phase(run, "parts", start, (int64_t)p->arcs, "%u masters, %u ghosts",
                 p->masters, p->locals - p->masters);
    } else {
        gpugraph_part_free(p);
    }
    return run->status;
}
