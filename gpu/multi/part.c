/* The making of a part: shares of edges become rows.
**
**     share      source | target | weight | edge id        numbers of the whole graph
**        |  batches: each arc to the part that has it
**     arcs       source | target | weight | edge id        locals, ghosts in the order of their coming
**        |  ghosts are put in order, and owners told
**     rows
**
** A part never holds more of the edges than its own arcs, and one batch on its way. */
#include "part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 17 }; /* edges of a share that are sent at a time */

/* ---- places: number -> local, by open addressing ---- */

struct places {
    uint32_t *slot; /* local + 1; 0: free */
    uint64_t mask;
    uint32_t used;
};

struct making {
    gpugraph_part *part;
    const gpugraph_share *share;
    gpugraph_run *run;
    struct places places;
    uint64_t number_room;
    uint64_t arcs; /* that have come */
    uint32_t *source, *target;
    uint64_t *weight;
    int64_t *edge_id;
    bool weighted, with_ids;
    uint32_t stride; /* words of an arc in a message */
};

static bool make_places(struct making *m, uint64_t entries) {
    uint64_t slots = 64;
    while (slots < 2 * entries)
        slots *= 2;
    uint32_t *slot = gg_alloc_zero(m->run, slots, sizeof *slot);
    if (!slot)
        return false;
    const uint64_t mask = slots - 1;
    for (uint32_t i = 0; i < m->part->locals; i++) {
        uint64_t at = gg_mix(m->part->number[i]) & mask;
        while (slot[at])
            at = (at + 1) & mask;
        slot[at] = i + 1;
    }
    gg_release(m->places.slot);
    m->places = (struct places){slot, mask, m->part->locals};
    return true;
}

/* A number that is not there becomes the last local. GPUGRAPH_NONE: no memory, or too many. */
static uint32_t place_of(struct making *m, uint64_t number) {
    gpugraph_part *p = m->part;
    uint64_t at = gg_mix(number) & m->places.mask;
    for (; m->places.slot[at]; at = (at + 1) & m->places.mask)
        if (p->number[m->places.slot[at] - 1] == number)
            return m->places.slot[at] - 1;
    if (p->locals >= GPUGRAPH_NONE - 1) {
        gg_fail(m->run, GPUGRAPH_TOO_LARGE,
                "a part has more than 2^32 - 2 vertices and ghosts: take more parts");
        return GPUGRAPH_NONE;
    }
    if (!gg_make_room(m->run, (void **)&p->number, p->locals, &m->number_room,
                      sizeof *p->number))
        return GPUGRAPH_NONE;
    p->number[p->locals] = number;
    m->places.slot[at] = ++p->locals;
    if (2 * (uint64_t)++m->places.used > m->places.mask &&
        !make_places(m, 2 * (uint64_t)p->locals))
        return GPUGRAPH_NONE;
    return p->locals - 1;
}

/* ---- masters ---- */

/* Numbers follow ids, and neighbours often have ids that are near: owning a few numbers in a row saves
** half the ghosts of a road network. With this many blocks the largest part still has at most some
** percent more than the mean. */
static void choose_blocks(gpugraph_part *p) {
    const uint64_t share = p->vertices / p->exchange->parts;
    while (p->block_bits < GG_PART_BLOCK_BITS &&
           share >> (p->block_bits + 1) >= GG_PART_BLOCKS)
        p->block_bits++;
}

static uint64_t block_begin(const gpugraph_part *p, uint64_t block) {
    const uint64_t number = block << p->block_bits;
    return number < p->vertices ? number : p->vertices;
}

static bool block_is_here(const gpugraph_part *p, uint64_t block) {
    return part_owner(p, block << p->block_bits) == p->exchange->part;
}

static bool make_masters(struct making *m) {
    gpugraph_part *p = m->part;
    uint64_t count = 0;
    choose_blocks(p);
    const uint64_t blocks = (p->vertices >> p->block_bits) + 1;
    for (uint64_t b = 0; b < blocks && !gg_leave(m->run, b); b++)
        if (block_is_here(p, b))
            count += block_begin(p, b + 1) - block_begin(p, b);
    if (gg_stopping(m->run))
        return false;
    if (count >= GPUGRAPH_NONE - 1) {
        gg_fail(m->run, GPUGRAPH_TOO_LARGE,
                "a part has more than 2^32 - 2 vertices: take more parts");
        return false;
    }
    m->number_room = count + count / 4 + 16;
    p->number = gg_alloc(m->run, m->number_room, sizeof *p->number);
    if (!p->number)
        return false;
    for (uint64_t b = 0; b < blocks && !gg_leave(m->run, b); b++)
        if (block_is_here(p, b))
            for (uint64_t v = block_begin(p, b); v < block_begin(p, b + 1); v++)
                p->number[p->locals++] = v;
    p->masters = p->locals;
    return !gg_stopping(m->run) && make_places(m, count + count / 4);
}

uint32_t part_master_of(const gpugraph_part *p, uint64_t number) {
    uint32_t low = 0, high = p->masters;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->masters && p->number[low] == number ? low : GPUGRAPH_NONE;
}

/* ---- arcs on their way ---- */

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
static void each_arc(struct making *m, uint64_t low, uint64_t high,
                     void (*take)(struct making *, uint32_t, uint64_t, uint64_t,
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

static void count_arc(struct making *m, uint32_t part, uint64_t source, uint64_t target,
                      uint64_t e) {
    (void)source, (void)target, (void)e;
    m->part->out[part].size += m->stride * sizeof(uint64_t);
}

static void put_arc(struct making *m, uint32_t part, uint64_t source, uint64_t target,
                    uint64_t e) {
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

/* Sizes of out become rooms of in at the others. */
static bool tell_sizes(struct making *m, uint64_t *size) {
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
static bool make_room_for_arcs(struct making *m, uint64_t *size, uint64_t *longest) {
    gpugraph_part *p = m->part;
    uint64_t bytes = 0, count = m->share->count;
    for (uint32_t q = 0; q < p->exchange->parts; q++)
        p->out[q].size = 0;
    each_arc(m, 0, count, count_arc);
    if (gg_stopping(m->run) || !tell_sizes(m, size))
        return false;
    for (uint32_t q = 0; q < p->exchange->parts; q++)
        bytes += size[q];
    const uint64_t arcs = bytes / (m->stride * sizeof(uint64_t));
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

static bool take_arcs(struct making *m, const uint64_t *word, uint64_t words) {
    for (const uint64_t *end = word + words; word < end; m->arcs++) {
        const uint32_t source = place_of(m, *word++), target = place_of(m, *word++);
        if (source == GPUGRAPH_NONE || target == GPUGRAPH_NONE ||
            gg_leave(m->run, m->arcs))
            return false;
        m->source[m->arcs] = source;
        m->target[m->arcs] = target;
        if (m->weight)
            m->weight[m->arcs] = *word++;
        if (m->edge_id)
            m->edge_id[m->arcs] = (int64_t)*word++;
    }
    return true;
}

/* The edges low .. high - 1 of every share. */
static bool send_batch(struct making *m, uint64_t low, uint64_t high, uint64_t *size) {
    gpugraph_part *p = m->part;
    const uint32_t parts = p->exchange->parts;
    uint64_t out = 0, in = 0;
    for (uint32_t q = 0; q < parts; q++)
        p->out[q].size = 0;
    each_arc(m, low, high, count_arc);
    if (gg_stopping(m->run) || !tell_sizes(m, size))
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
    return !gg_stopping(m->run) &&
           p->exchange->calls->swap(p->exchange, m->run, p->out, p->in) == GPUGRAPH_OK &&
           take_arcs(m, p->come.block, in / sizeof(uint64_t));
}

static bool bring_arcs(struct making *m) {
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

/* ---- ghosts in order ---- */

/* New places of the locals; ghosts move, masters stay. */
static bool order_ghosts(struct making *m) {
    gpugraph_part *p = m->part;
    const uint32_t ghosts = p->locals - p->masters;
    uint64_t *key = gg_alloc(m->run, ghosts, 2 * sizeof *key);
    uint32_t *old = gg_alloc(m->run, ghosts, 2 * sizeof *old);
    uint32_t *place = gg_alloc(m->run, ghosts, sizeof *place);
    bool go = key && old && place;
    for (int pass = 0; go && pass < 2; pass++) { /* by number, then by owner */
        for (uint32_t i = 0; i < ghosts; i++) {
            old[i] = pass ? old[i] : i;
            const uint64_t number = p->number[p->masters + old[i]];
            key[i] = pass ? part_owner(p, number) : number;
        }
        go = gg_sort_pairs(m->run, ghosts, key, old, key + ghosts, old + ghosts) ==
             GPUGRAPH_OK;
    }
    if (go) {
        for (uint32_t i = 0; i < ghosts; i++) {
            place[old[i]] = p->masters + i;
            key[i] = p->number[p->masters + old[i]];
        }
        memcpy(p->number + p->masters, key, ghosts * sizeof *key);
        for (uint64_t a = 0; a < m->arcs; a++) {
            if (m->source[a] >= p->masters)
                m->source[a] = place[m->source[a] - p->masters];
            if (m->target[a] >= p->masters)
                m->target[a] = place[m->target[a] - p->masters];
        }
    }
    gg_release(key);
    gg_release(old);
    gg_release(place);
    return go;
}

/* Each owner is told which of its masters have ghosts here. */
static bool tell_owners(struct making *m, uint64_t *size) {
    gpugraph_part *p = m->part;
    const uint32_t parts = p->exchange->parts;
    uint32_t at = p->masters;
    uint64_t come = 0;
    for (uint32_t q = 0; q < parts; q++) {
        p->peer[q].first_ghost = at;
        while (at < p->locals && part_owner(p, p->number[at]) == q)
            at++;
        p->peer[q].ghosts = at - p->peer[q].first_ghost;
        const uint64_t bytes = p->peer[q].ghosts * sizeof *p->number;
        p->out[q] = (gpugraph_parcel){p->number + p->peer[q].first_ghost, bytes, bytes};
    }
    if (!tell_sizes(m, size))
        return false;
    for (uint32_t q = 0; q < parts; q++)
        come += size[q];
    if (!part_mail_room(p, m->run, 0, come))
        return false;
    char *from = p->come.block;
    for (uint32_t q = 0; q < parts; from += size[q++])
        p->in[q] = (gpugraph_parcel){from, size[q], 0};
    return p->exchange->calls->swap(p->exchange, m->run, p->out, p->in) == GPUGRAPH_OK;
}

static bool take_ghosts(struct making *m) {
    gpugraph_part *p = m->part;
    uint64_t links = 0;
    p->first_link =
        gg_alloc_zero(m->run, (uint64_t)p->masters + 2, sizeof *p->first_link);
    if (!p->first_link)
        return false;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        struct part_peer *peer = &p->peer[q];
        const uint64_t *number = p->in[q].bytes;
        peer->masters = (uint32_t)(p->in[q].size / sizeof *number);
        peer->master = gg_alloc(m->run, peer->masters, sizeof *peer->master);
        if (!peer->master)
            return false;
        for (uint32_t i = 0; i < peer->masters; i++) {
            peer->master[i] = part_master_of(p, number[i]);
            p->first_link[peer->master[i] + 2]++;
        }
        links += peer->masters;
    }
    p->link = gg_alloc(m->run, links, sizeof *p->link);
    if (!p->link)
        return false;
    for (uint32_t v = 0; v < p->masters; v++)
        p->first_link[v + 2] += p->first_link[v + 1];
    for (uint32_t q = 0; q < p->exchange->parts; q++)
        for (uint32_t i = 0; i < p->peer[q].masters; i++)
            p->link[p->first_link[p->peer[q].master[i] + 1]++] = (struct part_link){q, i};
    return true;
}

/* ---- rows ---- */

static int compare_locals(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Each target once. */
static void simplify(gpugraph_part *p) {
    uint64_t to = 0, begin = 0;
    for (uint32_t v = 0; v < p->locals; v++) {
        const uint64_t end = p->offset[v + 1], first = to;
        qsort(p->target + begin, end - begin, sizeof *p->target, compare_locals);
        for (uint64_t a = begin; a < end; a++)
            if (to == first || p->target[to - 1] != p->target[a])
                p->target[to++] = p->target[a];
        p->offset[v + 1] = to;
        begin = end;
    }
    p->arcs = to;
}

static bool make_rows(struct making *m) {
    gpugraph_part *p = m->part;
    uint64_t *next = gg_alloc_zero(m->run, (uint64_t)p->locals + 2, sizeof *next);
    p->offset = next;
    p->arcs = m->arcs;
    p->target = gg_alloc(m->run, m->arcs, sizeof *p->target);
    if (m->weight)
        p->weight = gg_alloc(m->run, m->arcs, sizeof *m->weight);
    if (m->edge_id)
        p->edge_id = gg_alloc(m->run, m->arcs, sizeof *m->edge_id);
    if (m->run->status != GPUGRAPH_OK)
        return false;
    for (uint64_t a = 0; a < m->arcs; a++)
        next[m->source[a] + 2]++;
    for (uint32_t v = 0; v < p->locals; v++)
        next[v + 2] += next[v + 1];
    for (uint64_t a = 0; a < m->arcs && !gg_leave(m->run, a); a++) {
        const uint64_t to = next[m->source[a] + 1]++;
        p->target[to] = m->target[a];
        if (m->weight)
            memcpy((uint64_t *)p->weight + to, m->weight + a, sizeof *m->weight);
        if (m->edge_id)
            p->edge_id[to] = m->edge_id[a];
    }
    if (!gg_stopping(m->run) && p->simple)
        simplify(p);
    return !gg_stopping(m->run);
}

/* ---- the whole ---- */

static bool is_weight(const gpugraph_share *s, uint64_t e) {
    const double real =
        s->weight_type == GPUGRAPH_REAL_WEIGHTS ? ((const double *)s->weight)[e] : 0;
    return s->weight_type == GPUGRAPH_INTEGER_WEIGHTS
               ? ((const int64_t *)s->weight)[e] >= 0
               : real >= 0 && isfinite(real);
}

static bool check_share(struct making *m) {
    const gpugraph_share *s = m->share;
    for (uint64_t e = 0; e < s->count && m->weighted && !gg_leave(m->run, e); e++)
        if (!is_weight(s, e)) {
            gg_fail(m->run, GPUGRAPH_INVALID,
                    "edge %llu of a share has a weight that is negative or not finite",
                    (unsigned long long)e);
            return false;
        }
    for (uint64_t e = 0; e < s->count && !gg_leave(m->run, e); e++)
        if (s->source[e] >= s->vertices || s->target[e] >= s->vertices) {
            gg_fail(m->run, GPUGRAPH_INVALID,
                    "edge %llu of a share names a vertex beyond the %llu that there are",
                    (unsigned long long)e, (unsigned long long)s->vertices);
            return false;
        }
    if (m->part->simple && m->part->direction != GPUGRAPH_BOTH)
        gg_fail(m->run, GPUGRAPH_INVALID, "simple rows go both ways");
    return !gg_stopping(m->run);
}

static bool make(struct making *m) {
    gpugraph_part *p = m->part;
    const uint32_t parts = p->exchange->parts;
    p->peer = gg_alloc_zero(m->run, parts, sizeof *p->peer);
    p->out = gg_alloc_zero(m->run, parts, sizeof *p->out);
    p->in = gg_alloc_zero(m->run, parts, sizeof *p->in);
    uint64_t *size = gg_alloc(m->run, parts, sizeof *size);
    for (p->columns = 1; p->columns * p->columns < parts || parts % p->columns;)
        p->columns++; /* a grid at least as wide as it is high */
    bool go = size && p->peer && p->out && p->in && check_share(m) && make_masters(m) &&
              bring_arcs(m);
    gg_release(m->places.slot);
    go = go && order_ghosts(m) && tell_owners(m, size) && take_ghosts(m) && make_rows(m);
    gg_release(size);
    return go;
}

gpugraph_status gpugraph_part_create(gpugraph_exchange *exchange,
                                     const gpugraph_share *share,
                                     gpugraph_partition partition,
                                     gpugraph_direction direction, bool simple,
                                     gpugraph_run *run, gpugraph_part **part) {
    gg_begin(run);
    const double start = gg_now_ms();
    const bool weighted = !simple && share->weight_type != GPUGRAPH_UNWEIGHTED,
               with_ids = !simple && share->edge_id != NULL;
    struct making m = {.share = share,
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
        make(&m);
        gg_release(p->sent.block); /* longer than any message of a search */
        gg_release(p->come.block);
        p->sent = p->come = (struct part_mail){0};
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

void gpugraph_part_free(gpugraph_part *p) {
    if (!p)
        return;
    for (uint32_t q = 0; p->peer && q < p->exchange->parts; q++)
        gg_release(p->peer[q].master);
    void *blocks[] = {p->number,     p->offset,     p->target, p->weight, p->edge_id,
                      p->peer,       p->first_link, p->link,   p->out,    p->in,
                      p->sent.block, p->come.block, p};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
}

/* ---- what others ask of it ---- */

gpugraph_status part_end(gpugraph_exchange *x, gpugraph_run *run) {
    uint64_t nothing = 0;
    if (run->status == GPUGRAPH_OK && gg_stopping(run))
        gg_stopped(run);
    if (run->status == GPUGRAPH_OK)
        x->calls->combine(x, run, GPUGRAPH_SUM, &nothing, 1);
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    return run->status;
}

bool part_sum(gpugraph_part *p, gpugraph_run *run, uint64_t *word) {
    return p->exchange->calls->combine(p->exchange, run, GPUGRAPH_SUM, word, 1) ==
           GPUGRAPH_OK;
}

static bool mail_room(gpugraph_run *run, struct part_mail *mail, uint64_t bytes) {
    if (bytes <= mail->room)
        return true;
    gg_release(mail->block);
    mail->room = 0;
    mail->block = gg_alloc(run, bytes, 1);
    if (mail->block)
        mail->room = bytes;
    return mail->block != NULL;
}

bool part_mail_room(gpugraph_part *p, gpugraph_run *run, uint64_t out, uint64_t in) {
    return mail_room(run, &p->sent, out) && mail_room(run, &p->come, in);
}

uint32_t gpugraph_part_masters(const gpugraph_part *p) {
    return p->masters;
}
uint32_t gpugraph_part_ghosts(const gpugraph_part *p) {
    return p->locals - p->masters;
}
uint64_t gpugraph_part_arcs(const gpugraph_part *p) {
    return p->arcs;
}
const uint64_t *gpugraph_part_numbers(const gpugraph_part *p) {
    return p->number;
}
int64_t gpugraph_part_bytes(const gpugraph_part *p) {
    const uint64_t arc = sizeof *p->target + (p->weight ? 8 : 0) + (p->edge_id ? 8 : 0);
    uint64_t bytes = p->arcs * arc + (uint64_t)p->locals * 16 + (uint64_t)p->masters * 8;
    for (uint32_t q = 0; q < p->exchange->parts; q++)
        bytes += p->peer[q].masters * (sizeof *p->peer[q].master + sizeof *p->link);
    return (int64_t)(bytes + p->sent.room + p->come.room);
}
