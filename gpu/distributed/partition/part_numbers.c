/* Which numbers a part has: its masters, which arithmetic tells (places.h), and the ghosts that arcs bring. */
#include "making.h"

enum {
    /* log2 of the numbers of a block in a small graph: the device code for independent sets reads
    ** four numbers in a row. */
    SMALL_BLOCK_BITS = 2,
    /* Numbers of a part from which on blocks are whole (SEVERAL_BLOCK_BITS): New York over 4
    ** partitions then has 0.6 ghosts for a vertex, not 1.6. */
    WHOLE_BLOCKS_FROM = 1 << 15
};

bool part_lay_out(gpugraph_part *p, gpugraph_run *run) {
    const uint64_t share = p->vertices / p->exchange->parts;
    if (share >= GPUGRAPH_NONE - SEVERAL_UNIT) {
        gg_fail(run, GPUGRAPH_TOO_LARGE,
                "a part has more than 2^32 - 2 vertices: take more parts");
        return false;
    }
    several_lay_out(&p->places, p->vertices, p->exchange->parts,
                    share < WHOLE_BLOCKS_FROM ? SMALL_BLOCK_BITS : SEVERAL_BLOCK_BITS);
    p->masters = several_vertices(&p->places, p->exchange->part);
    return true;
}

uint32_t part_local_of(struct part_making *m, uint64_t number) {
    const uint32_t masters = m->part->masters, master = part_master_of(m->part, number);
    if (master != GPUGRAPH_NONE)
        return master;
    const uint64_t ghost = gg_distinct_add(&m->ghosts, m->run, number);
    if (ghost < GPUGRAPH_NONE - 1 - masters)
        return masters + (uint32_t)ghost;
    if (ghost != UINT64_MAX)
        gg_fail(m->run, GPUGRAPH_TOO_LARGE,
                "a part has more than 2^32 - 2 vertices and ghosts: take more parts");
    return GPUGRAPH_NONE;
}

/* Ghosts that arcs name get their new places among the locals. */
static void rename_ends(struct part_making *m, uint32_t *end, const uint32_t *local) {
    const uint32_t masters = m->part->masters;
    for (uint64_t a = 0; a < m->arcs && !gg_leave(m->run, a); a++)
        if (end[a] >= masters)
            end[a] = local[end[a] - masters];
}

bool part_order_ghosts(struct part_making *m) {
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
    go = go && gg_sort_pairs(m->run, ghosts, place, old, place + ghosts, old + ghosts) ==
                   GPUGRAPH_OK;
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
