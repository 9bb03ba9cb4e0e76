/* Rows for several devices, made from a list of edges that none of them has whole: make.cuh has
** the drawing.
**
**     pass 0           every member counts the arcs of its share, by bins of their rows
**     ranges           rows, for each owner, whose arcs it can sort at once
**     pass 1 .. r      for each range the edges are gone through again: arcs of rows in it go to
**                      their owners, which make the rows
**
** A share that came over the bus stays on the device from one pass to the next, where there is
** room. */
#include "make.cuh"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

/* ---- plan ---- */

static uint32_t bits_for(uint64_t values) {
    uint32_t bits = 1;
    while (bits < 64 && (uint64_t)1 << bits < values)
        bits++;
    return bits;
}

static void plan_bits(struct several_making *m) {
    const struct several_places *places = &m->parts->places;
    m->bits.place = bits_for(several_all_places(places));
    m->bits.row = bits_for(places->stride);
    m->bits.bins = SEVERAL_BINS / places->parts;
    m->bits.bin = 0;
    while ((uint64_t)m->bits.bins << m->bits.bin < places->stride)
        m->bits.bin++;
}

static void plan_shares(struct several_making *m) {
    int parts = m->team->parts;
    m->chunk = GG_SEVERAL_CHUNK / (uint64_t)parts;
    for (int p = 0; p < parts; p++) {
        struct several_share *s = &m->share[p];
        s->first = gg_slice(m->source->m, p, parts);
        s->count = gg_slice(m->source->m, p + 1, parts) - s->first;
        uint64_t chunks = (s->count + m->chunk - 1) / m->chunk;
        m->chunks = chunks > m->chunks ? chunks : m->chunks;
    }
    if (m->chunks <= 1)
        m->chunk = m->share[parts - 1].count + 1 < m->chunk
                       ? m->share[parts - 1].count + 1
                       : m->chunk;
}

/* ---- passes ---- */

static struct several_route route_of(const struct several_making *m) {
    struct several_route r = {};
    r.places = m->parts->places;
    r.bits = m->bits;
    r.forward = m->forward;
    r.backward = m->backward;
    r.simple = m->simple;
    return r;
}

/* Edges of the share's chunk: where they lie, filled if they are not yet. */
static bool edges_of(struct several_making *m, int p, uint64_t chunk,
                     struct route_edges *e) {
    const struct several_share *s = &m->share[p];
    size_t weight = m->source->weight_bytes;
    uint64_t from = chunk * m->chunk, at = m->stays ? from : 0;
    *e = route_edges();
    if (from >= s->count)
        return false;
    e->count = s->count - from < m->chunk ? s->count - from : m->chunk;
    e->source = s->source + at;
    e->target = s->target + at;
    e->weight = weight ? s->weight + at * weight : NULL;
    if (!m->filled)
        m->source->fill(gg_several_on(m->team, p), m->source->self, s->first + from,
                        e->count, s->source + at, s->target + at,
                        weight ? s->weight + at * weight : NULL);
    return gg_several_going(m->team);
}

/* Pass 0. */
static bool count_all(struct several_making *m) {
    const struct several_route r = route_of(m);
    int parts = m->team->parts;
    for (int p = 0; p < parts; p++)
        gg_fill(gg_several_on(m->team, p), m->a.bin.at[p], 0, SEVERAL_BINS * 8);
    for (uint64_t c = 0; c < m->chunks && gg_several_going(m->team); c++)
        for (int p = 0; p < parts; p++) {
            struct route_edges e;
            if (!edges_of(m, p, c, &e))
                continue;
            struct cuda_job *job = gg_several_on(m->team, p);
            gg_several_count(job, &r, &e, m->a.bin.at[p]);
        }
    m->filled = m->stays;
    for (int p = 0; p < parts && gg_several_going(m->team); p++) {
        uint64_t counted[SEVERAL_BINS];
        gg_fetch(gg_several_on(m->team, p), counted, m->a.bin.at[p], sizeof counted);
        for (uint32_t i = 0;
             i < m->bits.bins * (uint32_t)parts && gg_several_going(m->team); i++) {
            m->bin[i / m->bits.bins][i % m->bits.bins] += counted[i];
            m->arcs[i / m->bits.bins] += counted[i];
        }
    }
    return gg_several_going(m->team);
}

/* Of an owner, from bin `from` on: the first bin that is beyond the range. */
static uint32_t range_end(const struct several_making *m, int owner, uint32_t from) {
    uint64_t arcs = 0;
    while (from < m->bits.bins && arcs + m->bin[owner][from] <= m->range_arcs)
        arcs += m->bin[owner][from++];
    return from;
}

/* How many arcs each member can sort at once, and how many ranges that makes. */
static bool plan_ranges(struct several_making *m) {
    size_t weight = m->source->weight_bytes;
    uint64_t most = 0, largest_bin = 0, per_arc = 2 * (8 + weight);
    int parts = m->team->parts;
    for (int p = 0; p < parts; p++) {
        most = m->arcs[p] > most ? m->arcs[p] : most;
        for (uint32_t i = 0; i < m->bits.bins; i++)
            largest_bin = m->bin[p][i] > largest_bin ? m->bin[p][i] : largest_bin;
    }
    uint64_t out = gg_several_chunk_arcs(m) * (uint64_t)parts * (8 + weight) + (1 << 20);
    m->range_arcs =
        most < gg_limits.several_sorted_arcs ? most : gg_limits.several_sorted_arcs;
    for (int p = 0; p < parts; p++) {
        uint64_t room = (uint64_t)gg_device_room(gg_several_on(m->team, p)), sharing = 0;
        for (int q = 0; q < parts; q++)
            sharing += m->team->member[q].lead == m->team->member[p].lead;
        room = room / sharing > out ? room / sharing - out : 0;
        uint64_t arcs = (room - room / 16) / per_arc;
        m->range_arcs = arcs < m->range_arcs ? arcs : m->range_arcs;
        if (m->range_arcs < largest_bin && arcs < largest_bin)
            gg_fail_device_memory(&m->team->member[p].run,
                                  (int64_t)(largest_bin * per_arc + out), (int64_t)room);
    }
    m->range_arcs = m->range_arcs < largest_bin ? largest_bin : m->range_arcs;
    m->cub_bytes = gg_several_sort_bytes(m->range_arcs, m->bits, weight);
    for (int p = 0; p < parts; p++) {
        uint32_t ranges = 0;
        for (uint32_t bin = 0; bin < m->bits.bins; ranges++)
            bin = range_end(m, p, bin);
        m->ranges = ranges > m->ranges ? ranges : m->ranges;
    }
    return gg_several_going(m->team);
}

static bool route_arcs(struct several_making *m, const struct several_route *r, int p,
                       const struct route_edges *e) {
    const struct route_out out = {m->a.out.at[p], m->a.out_weight.at[p],
                                  gg_several_chunk_arcs(m), m->a.count.at[p]};
    return gg_several_route(gg_several_on(m->team, p), r, e, &out,
                            m->source->weight_bytes);
}

/* What member p has sorted out goes to its owners, behind what they have. */
static bool send_arcs(struct several_making *m, int p, uint64_t *have) {
    struct cuda_job *job = gg_several_on(m->team, p);
    size_t weight = m->source->weight_bytes;
    uint64_t room = gg_several_chunk_arcs(m);
    uint32_t count[SEVERAL_MOST];
    if (!gg_fetch(job, count, m->a.count.at[p], sizeof count))
        return false;
    for (int q = 0; q < m->team->parts && gg_going(job); q++) {
        if (count[q] == 0)
            continue;
        if (have[q] + count[q] > m->range_arcs) {
            gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                    "the edges have changed while rows were made of them");
            break;
        }
        int to = m->team->member[q].run.device, from = job->device->ordinal;
        gg_note(job,
                cudaMemcpyPeerAsync(m->a.key.at[q] + have[q], to,
                                    m->a.out.at[p] + (uint64_t)q * room, from,
                                    count[q] * sizeof(uint64_t), job->stream),
                "send arcs to another device");
        if (weight && gg_going(job))
            gg_note(
                job,
                cudaMemcpyPeerAsync(m->a.weight.at[q] + have[q] * weight, to,
                                    m->a.out_weight.at[p] + (uint64_t)q * room * weight,
                                    from, count[q] * weight, job->stream),
                "send weights to another device");
        have[q] += count[q];
    }
    return gg_going(job);
}

/* One range: the edges are gone through, and every owner makes its rows. */
static bool make_range(struct several_making *m, struct several_route *r,
                       const uint64_t *before, uint64_t *made) {
    uint64_t have[SEVERAL_MOST] = {};
    int parts = m->team->parts;
    for (uint64_t c = 0; c < m->chunks && gg_several_going(m->team); c++) {
        bool there[SEVERAL_MOST];
        for (int p = 0; p < parts; p++) {
            struct route_edges e;
            there[p] = edges_of(m, p, c, &e) && route_arcs(m, r, p, &e);
        }
        for (int p = 0; p < parts && gg_several_going(m->team); p++)
            if (there[p])
                send_arcs(m, p, have);
    }
    if (!gg_several_wait(m->team))
        return false;
    for (int q = 0; q < parts && gg_several_going(m->team); q++) {
        const struct several_arcs a = {
            m->a.key.at[q], m->a.other.at[q], m->a.weight.at[q], m->a.other_weight.at[q],
            m->a.cub.at[q], m->cub_bytes,     m->a.one.at[q],    m->range_arcs};
        made[q] = 0;
        if (r->low[q] < r->high[q])
            gg_several_sort(gg_several_on(m->team, q), &a, have[q], m->bits, m->simple,
                            m->source->weight_bytes, r->low[q], r->high[q], before[q],
                            &m->parts->rows[q], &made[q]);
    }
    return gg_several_wait(m->team);
}

static uint32_t row_of_bin(const struct several_making *m, uint32_t bin) {
    uint64_t row = (uint64_t)bin << m->bits.bin;
    return row < m->parts->places.stride ? (uint32_t)row : m->parts->places.stride;
}

static bool make_all(struct several_making *m) {
    struct several_route r = route_of(m);
    uint64_t before[SEVERAL_MOST] = {}, made[SEVERAL_MOST];
    uint32_t bin[SEVERAL_MOST] = {};
    for (uint32_t range = 0; range < m->ranges; range++) {
        for (int q = 0; q < m->team->parts; q++) {
            uint32_t end = range_end(m, q, bin[q]);
            r.low[q] = row_of_bin(m, bin[q]);
            r.high[q] = row_of_bin(m, end);
            bin[q] = end;
        }
        if (!make_range(m, &r, before, made))
            return false;
        for (int q = 0; q < m->team->parts; q++)
            before[q] += made[q];
    }
    for (int q = 0; q < m->team->parts && gg_several_going(m->team); q++) {
        uint64_t longest = 0;
        struct several_rows *rows = &m->parts->rows[q];
        rows->arcs = before[q];
        m->parts->arcs += before[q];
        gg_several_longest(gg_several_on(m->team, q), rows, m->parts->places.stride,
                           m->a.one.at[q], &longest);
        if (longest > m->parts->most_arcs)
            m->parts->most_arcs = longest;
    }
    return gg_several_going(m->team);
}

/* ---- driver ---- */

static bool make(struct several_making *m) {
    m->bin = (uint64_t(*)[SEVERAL_BINS])gg_alloc_zero(
        m->team->run, (uint64_t)m->team->parts, sizeof *m->bin);
    bool made = m->bin && gg_several_take_shares(m) &&
                gg_several_take_scratch(m, false) && count_all(m) &&
                gg_several_take_rows(m) && plan_ranges(m) &&
                gg_several_take_scratch(m, true) && make_all(m);
    gg_several_give_shares(m);
    gg_release(m->bin);
    return made;
}

bool gg_several_make(struct several_team *team, const struct several_source *source,
                     enum csr_kind kind, struct several_parts *parts, uint64_t *peak) {
    struct several_making m = {};
    *parts = several_parts();
    m.team = team;
    m.source = source;
    m.parts = parts;
    m.simple = kind == CSR_SIMPLE;
    m.forward = kind != CSR_IN;
    m.backward = kind != CSR_OUT;
    parts->weight_bytes = source->weight_bytes;
    parts->kind = kind;
    if (!several_lay_out(&parts->places, source->n, (uint32_t)team->parts,
                         GG_SEVERAL_BLOCK_BITS)) {
        gg_fail(team->run, GPUGRAPH_TOO_LARGE,
                "%u vertices are too many for %d devices together", source->n,
                team->parts);
        return false;
    }
    for (int p = 0; p < team->parts; p++)
        parts->vertices[p] = several_vertices(&parts->places, (uint32_t)p);
    plan_bits(&m);
    plan_shares(&m);
    bool made = make(&m);
    if (!made)
        gg_several_free_parts(team, parts);
    if (peak)
        *peak = m.peak;
    return made;
}
