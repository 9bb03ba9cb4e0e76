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

void part_keep_numbers(struct part_making *m) {
    m->part->number = m->numbers.value;
    m->part->locals = (uint32_t)m->numbers.count;
    m->numbers.value = NULL;
    gg_distinct_free(&m->numbers);
}

/* ---- masters ---- */

/* Numbers follow ids, and neighbours often have ids that are near: owning a few numbers in
** a row saves half the ghosts of a road network. With this many blocks the largest part
** still has at most some percent more than the mean. */
static void choose_blocks(gpugraph_part *p, uint64_t share) {
    while (p->block_bits < PART_BLOCK_BITS && share >> (p->block_bits + 1) >= PART_BLOCKS)
        p->block_bits++;
}

static uint64_t block_begin(const gpugraph_part *p, uint64_t block) {
    const uint64_t number = block << p->block_bits;
    return number < p->vertices ? number : p->vertices;
}

bool part_make_masters(struct part_making *m) {
    gpugraph_part *p = m->part;
    const uint64_t share = p->vertices / p->exchange->parts;
    if (share >= GPUGRAPH_NONE - 1) {
        gg_fail(m->run, GPUGRAPH_TOO_LARGE,
                "a part has more than 2^32 - 2 vertices: take more parts");
        return false;
    }
    choose_blocks(p, share);
    const uint64_t blocks = (p->vertices >> p->block_bits) + 1;
    bool go = gg_distinct_reserve(&m->numbers, m->run, share + share / 4);
    for (uint64_t b = 0; go && b < blocks && !gg_leave(m->run, b); b++)
        if (part_owner(p, b << p->block_bits) == p->exchange->part)
            for (uint64_t v = block_begin(p, b); go && v < block_begin(p, b + 1); v++)
                go = part_place_of(m, v) != GPUGRAPH_NONE;
    p->masters = (uint32_t)m->numbers.count;
    return go && !gg_stopping(m->run);
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
