/* Memory of making rows: shares of the edges, scratch, the rows themselves; how much a member has held. */
#include "make.cuh"

uint64_t gg_several_chunk_arcs(const struct several_making *m) {
    return m->chunk * (m->forward && m->backward ? 2 : 1);
}

static void note_bytes(struct several_making *m, int p, int64_t more) {
    m->bytes[p] += (uint64_t)more;
    m->peak = m->bytes[p] > m->peak ? m->bytes[p] : m->peak;
}

static void *take_block(struct several_making *m, int p, uint64_t bytes) {
    void *block = gg_take(gg_several_on(m->team, p), bytes);
    note_bytes(m, p, block ? (int64_t)bytes : 0);
    return block;
}

bool gg_several_take_shares(struct several_making *m) {
    size_t weight = m->source->weight_bytes;
    m->stays = m->source->over_bus;
    for (int p = 0; p < m->team->parts; p++) {
        uint64_t bytes = m->share[p].count * (8 + weight);
        uint64_t room = (uint64_t)gg_device_room(gg_several_on(m->team, p));
        m->stays = m->stays && bytes <= room / 4 / (uint64_t)m->team->parts;
    }
    for (int p = 0; p < m->team->parts && gg_several_going(m->team); p++) {
        struct several_share *s = &m->share[p];
        s->room = m->stays ? s->count : m->chunk;
        s->source = (uint32_t *)take_block(m, p, s->room * 4);
        s->target = (uint32_t *)take_block(m, p, s->room * 4);
        s->weight = weight ? (unsigned char *)take_block(m, p, s->room * weight) : NULL;
    }
    return gg_several_going(m->team);
}

void gg_several_give_shares(struct several_making *m) {
    size_t weight = m->source->weight_bytes;
    for (int p = 0; p < m->team->parts; p++) {
        struct several_share *s = &m->share[p];
        struct cuda_job *job = gg_several_on(m->team, p);
        gg_give(job, s->source, s->room * 4);
        gg_give(job, s->target, s->room * 4);
        gg_give(job, s->weight, s->room * weight);
    }
}

static void carve_room(struct several_making *m, struct several_space *space,
                       bool whole) {
    size_t weight = m->source->weight_bytes;
    uint64_t out = gg_several_chunk_arcs(m) * (uint64_t)m->team->parts,
             arcs = m->range_arcs;
    m->a.bin = gg_several_carve<unsigned long long>(space, SEVERAL_BINS);
    m->a.count = gg_several_carve<uint32_t>(space, SEVERAL_MOST);
    m->a.one = gg_several_carve<uint64_t>(space, 1);
    if (!whole)
        return;
    m->a.out = gg_several_carve<uint64_t>(space, out);
    m->a.out_weight = gg_several_carve<unsigned char>(space, out * weight);
    m->a.key = gg_several_carve<uint64_t>(space, arcs);
    m->a.other = gg_several_carve<uint64_t>(space, arcs);
    m->a.weight = gg_several_carve<unsigned char>(space, arcs * weight);
    m->a.other_weight = gg_several_carve<unsigned char>(space, arcs * weight);
    m->a.cub = gg_several_carve<unsigned char>(space, m->cub_bytes);
}

bool gg_several_take_scratch(struct several_making *m, bool whole) {
    struct several_space space = {m->team->parts, {}, 0};
    carve_room(m, &space, whole);
    for (int p = 0; p < m->team->parts; p++)
        note_bytes(m, p, (int64_t)space.used);
    if (!gg_several_workspace(m->team, &space))
        return false;
    carve_room(m, &space, whole);
    for (int p = 0; p < m->team->parts; p++)
        note_bytes(m, p, -(int64_t)space.used);
    return true;
}

bool gg_several_take_rows(struct several_making *m) {
    size_t weight = m->source->weight_bytes;
    for (int p = 0; p < m->team->parts && gg_several_going(m->team); p++) {
        struct several_rows *rows = &m->parts->rows[p];
        uint64_t entries = (uint64_t)m->parts->places.stride + 1;
        rows->room = m->arcs[p];
        rows->offset = (uint64_t *)take_block(m, p, entries * 8);
        rows->target = (uint32_t *)take_block(m, p, rows->room * 4);
        if (weight)
            rows->weight = take_block(m, p, rows->room * weight);
    }
    return gg_several_going(m->team);
}

uint64_t gg_several_most_arcs(const struct several_parts *parts) {
    uint64_t most = 0;
    for (uint32_t p = 0; p < parts->places.parts; p++)
        most = parts->rows[p].arcs > most ? parts->rows[p].arcs : most;
    return most;
}

void gg_several_free_parts(struct several_team *team, struct several_parts *parts) {
    for (int p = 0; p < team->parts; p++) {
        struct several_rows *rows = &parts->rows[p];
        struct cuda_job *job = gg_several_on(team, p);
        gg_give(job, rows->offset, ((uint64_t)parts->places.stride + 1) * 8);
        gg_give(job, rows->target, rows->room * 4);
        gg_give(job, rows->weight, rows->room * parts->weight_bytes);
        gg_give(job, rows->hub, (uint64_t)parts->places.stride * 4);
        gg_give(job, rows->closed, (uint64_t)parts->places.stride / 8);
        gg_drop_light(&rows->light);
        *rows = several_rows();
    }
}
