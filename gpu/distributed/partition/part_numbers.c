/* Which numbers a part has: its masters, and the ghosts that arcs bring. */
#include "making.h"

enum {
    /* log2 of the numbers in a row that have one owner: New York over 4 partitions
    ** then has 0.6 ghosts for a vertex, not 1.6, and the largest partition 3 % above
    ** the mean. */
    PART_BLOCK_BITS = 5,
    PART_BLOCKS = 1024 /* blocks of a partition, at least; else blocks are smaller */
};

uint32_t part_place_of(struct part_making *m, uint64_t number) {
    const uint64_t place = gg_distinct_add(&m->numbers, m->run, number);
    if (place < GPUGRAPH_NONE - 1)
        return (uint32_t)place;
    if (place != UINT64_MAX)
        gg_fail(m->run, GPUGRAPH_TOO_LARGE,
                "a part has more than 2^32 - 2 vertices and ghosts: take more parts");
    return GPUGRAPH_NONE;
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
    bool go = gg_distinct_reserve(&m->numbers, m->run, count + count / 4);
    for (uint64_t b = 0; go && b < blocks && !gg_leave(m->run, b); b++) {
        const uint64_t end = block_is_here(p, b) ? block_begin(p, b + 1) : 0;
        for (uint64_t v = block_begin(p, b); go && v < end; v++)
            go = gg_distinct_add(&m->numbers, m->run, v) != UINT64_MAX;
    }
    p->masters = (uint32_t)count;
    return go && !gg_stopping(m->run);
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
