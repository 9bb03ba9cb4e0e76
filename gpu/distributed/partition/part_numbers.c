/* Which numbers a part has: its masters, and the ghosts that arcs bring. */
#include "making.h"

enum {
    /* log2 of the numbers in a row that have one owner: New York over 4 partitions
    ** then has 0.6 ghosts for a vertex, not 1.6, and the largest partition 3 % above
    ** the mean. */
    PART_BLOCK_BITS = 5,
    PART_BLOCKS = 1024 /* blocks of a partition, at least; else blocks are smaller */
};

/* ---- places ---- */

static bool make_places(struct part_making *m, uint64_t entries) {
    uint64_t slots = 64;
    while (slots < 2 * entries)
        slots *= 2;
    uint32_t *slot = gg_alloc_zero(m->run, slots, sizeof *slot);
    if (!slot)
        return false;
    const uint64_t mask = slots - 1;
    const struct gg_placing placing = gg_placing();
    for (uint32_t i = 0; i < m->part->locals && !gg_leave(m->run, i); i++) {
        uint64_t at = gg_place_integer(placing, m->part->number[i]) & mask;
        while (slot[at])
            at = (at + 1) & mask;
        slot[at] = i + 1;
    }
    gg_release(m->places.slot);
    m->places = (struct part_places){slot, mask, m->part->locals, placing};
    return true;
}

uint32_t part_place_of(struct part_making *m, uint64_t number) {
    gpugraph_part *p = m->part;
    uint64_t at = gg_place_integer(m->places.placing, number) & m->places.mask;
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
    while (p->block_bits < PART_BLOCK_BITS && share >> (p->block_bits + 1) >= PART_BLOCKS)
        p->block_bits++;
}

static uint64_t block_begin(const gpugraph_part *p, uint64_t block) {
    const uint64_t number = block << p->block_bits;
    return number < p->vertices ? number : p->vertices;
}

static bool block_is_here(const gpugraph_part *p, uint64_t block) {
    return part_owner(p, block << p->block_bits) == p->exchange->part;
}

bool part_make_masters(struct part_making *m) {
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

uint32_t part_masters_below(const gpugraph_part *p, uint64_t number) {
    uint32_t low = 0, high = p->masters;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t part_master_of(const gpugraph_part *p, uint64_t number) {
    const uint32_t v = part_masters_below(p, number);
    return v < p->masters && p->number[v] == number ? v : GPUGRAPH_NONE;
}
