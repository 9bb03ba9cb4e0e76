/* L2 of a multi-level multi-queue consists of FIFOs. L2DQ has a ring of FIFOs and two
** piles. L2V is L2DQ with a single bucket, in one FIFO.
**
**     position   0 1 2 3 | 4 5 6 7 | 8 9 ...       never reset, for each FIFO
**     segment      number 0    1        2          1 << shift positions
**     directory  [ 1|7 ]   [ 2|3 ]  [ 3|9 ]        number + 1 | segment of the pool
**     slots      distance << 32 | vertex, or MLMQ_EMPTY
**
** A writer takes positions (tail), looks up their segments, stores its elements, and then
** adds their number to `available`. A reader first takes elements from `available`, and
** then positions (head). So a reader only gets positions that a writer has taken, and no
** warp holds a place for future elements. The word of a slot tells whether it is written.
** A reader waits for it, which takes the time between two steps of a writer, and leaves
** MLMQ_EMPTY behind.
**
** The writer that takes the first position of a segment gets the segment from the pool. A
** segment returns to the pool when all its elements are finished (mlmq_settle), which
** orders the MLMQ_EMPTY stores before its next use. If the pool is empty the search ends.
** Entries and slots are relaxed words. A word contains a whole element. After a store of
** MLMQ_EMPTY, the account of the segment, the list of free segments and the directory
** entry are written, before the next store to that slot. Each of them is read before the
** next one is written.
**
** A warp may stop for any time between taking a position and looking up the entry. The
** entry stays: `floor` is the number of the first segment that is not finished, and a
** writer takes no position whose segment would need the entry of that segment or of a
** later one. A FIFO whose floor is that far behind has no room, as when the pool is
** empty.
**
** Buckets: key k waits in FIFO k % 32 while it is less than base + 32. An element with a
** larger key goes to one of the piles. When everything before the least key of that pile
** is finished, the piles change roles, and the elements of the open one are read first
** and written again. The base only moves past buckets whose account is balanced. An
** element is finished when its children are written. Children have no smaller keys, so no
** element comes too late. */
#ifndef GPUGRAPH_MLMQ_FIFO_H
#define GPUGRAPH_MLMQ_FIFO_H

#include "mlmq.h"

/* Takes the element out of a slot once it is written. False: the search is over. */
WARP_FUNCTION bool mlmq_slot_take(const struct mlmq *m, uint64_t at,
                                  struct mlmq_element *e) {
    uint32_t rounds = 0;
    uint64_t *place = &m->slot[at], word;
    while ((word = device_load_64(place)) == MLMQ_EMPTY)
        if (!mlmq_waits(m, &rounds, 1))
            return false;
    device_store_64(place, MLMQ_EMPTY);
    e->distance = (uint32_t)(word >> 32);
    e->vertex = (uint32_t)word;
    return true;
}

/* ---- segments: called by one lane ---- */

WARP_FUNCTION uint32_t mlmq_take_segment(const struct mlmq *m) {
    struct mlmq_control *control = m->control;
    if (device_load(&control->touched_segments) < m->segments) {
        uint32_t segment = device_take(&control->touched_segments, 1);
        if (segment < m->segments)
            return segment;
    }
    for (;;) {
        uint64_t word = device_acquire_64(&control->free_segments);
        uint32_t segment = (uint32_t)word;
        if (segment == MLMQ_NONE)
            return segment;
        uint64_t version = (word >> 32) + 1;
        uint64_t after = version << 32 | device_load(&m->next[segment]);
        if (device_cas_64(&control->free_segments, word, after))
            return segment;
    }
}

WARP_FUNCTION void mlmq_give_segment(const struct mlmq *m, uint32_t segment) {
    struct mlmq_control *control = m->control;
    uint64_t word, version;
    do {
        word = device_load_64(&control->free_segments);
        version = (word >> 32) + 1;
        device_store(&m->next[segment], (uint32_t)word);
    } while (!device_cas_64(&control->free_segments, word, version << 32 | segment));
}

WARP_FUNCTION uint64_t mlmq_entry(const struct mlmq *m, uint32_t fifo, uint32_t number) {
    return (uint64_t)fifo * m->directory_size + (number & (m->directory_size - 1));
}

WARP_FUNCTION uint64_t *mlmq_directory(const struct mlmq *m, uint32_t fifo,
                                       uint32_t number) {
    return &m->directory[mlmq_entry(m, fifo, number)];
}

WARP_FUNCTION uint32_t *mlmq_consumed(const struct mlmq *m, uint32_t fifo,
                                      uint32_t number) {
    return &m->consumed[mlmq_entry(m, fifo, number)];
}

/* Finds the segment of a position once its entry is written. False: the search is
** over. */
WARP_FUNCTION bool mlmq_find_segment(const struct mlmq *m, uint32_t fifo,
                                     uint32_t position, uint32_t *segment) {
    uint32_t number = position >> m->shift, rounds = 0;
    uint64_t entry;
    while ((entry = device_load_64(mlmq_directory(m, fifo, number))) >> 32 !=
           (uint64_t)number + 1)
        if (!mlmq_waits(m, &rounds, 2))
            return false;
    *segment = (uint32_t)entry;
    return true;
}

/* Moves the floor past all finished segments. The elements of an entry are counted over
** all its uses, so the count tells the uses apart. The lane that counts the last element
** of a segment calls, and reads the floor by an atomic addition: if two lanes finish
** neighbouring segments, the later one sees the other's count. */
WARP_FUNCTION void mlmq_move_floor(const struct mlmq *m, uint32_t fifo) {
    uint32_t *floor = &m->control->floor[fifo];
    for (;;) {
        uint32_t number = device_add(floor, 0);
        uint32_t uses = number / m->directory_size + 1;
        if (device_acquire(mlmq_consumed(m, fifo, number)) != uses << m->shift)
            return;
        device_enter(floor, number, number + 1);
    }
}

/* ---- write ---- */

/* True if positions of that FIFO may be taken, considering that all warps may be taking
** some now. */
WARP_FUNCTION bool mlmq_has_room(const struct mlmq *m, uint32_t fifo) {
    uint32_t tail = device_load(&m->control->tail[fifo]);
    uint32_t floor = device_load(&m->control->floor[fifo]);
    uint32_t open = ((tail + m->crowd) >> m->shift) - floor;
    return (open & UINT32_MAX >> m->shift) < m->directory_size;
}

WARP_FUNCTION uint64_t mlmq_slot_of(const struct mlmq *m, uint32_t segment,
                                    uint32_t position) {
    return ((uint64_t)segment << m->shift) + (position & ((1u << m->shift) - 1));
}

/* Writes the directory entry for the segment that begins at that position. Without a
** segment the search is over. */
WARP_FUNCTION void mlmq_begin_segment(const struct mlmq *m, uint32_t fifo,
                                      uint32_t position) {
    uint32_t number = position >> m->shift;
    uint32_t segment = mlmq_take_segment(m);
    if (segment == MLMQ_NONE)
        device_store(&m->control->over, MLMQ_FULL);
    else
        device_store_64(mlmq_directory(m, fifo, number),
                        ((uint64_t)number + 1) << 32 | segment);
}

/* Writes the element of each lane with `valid` to its FIFO. Without room the search is
** over. */
WARP_FUNCTION void mlmq_fifo_write(struct mlmq_warp *w, struct mlmq_element e, bool valid,
                                   uint32_t fifo) {
    const struct mlmq *m = w->m;
    struct mlmq_control *control = m->control;
    uint32_t room = 0, position = 0, segment = MLMQ_NONE;
    uint32_t group = warp_alike(valid ? fifo : MLMQ_NONE);
    unsigned leader = lowest_bit(group);
    bool leads = valid && warp_lane() == leader;
    if (leads)
        room = mlmq_has_room(m, fifo);
    if (leads && room)
        position = device_take(&control->tail[fifo], set_bits(group));
    else if (leads)
        device_store(&control->over, MLMQ_FULL);
    position = warp_from(position, leader) + mlmq_rank(group);
    bool placed = warp_from(room, leader) != 0 && valid;
    if (placed && (position & ((1u << m->shift) - 1)) == 0)
        mlmq_begin_segment(m, fifo, position);
    warp_sync();
    if (placed && mlmq_find_segment(m, fifo, position, &segment))
        device_store_64(&m->slot[mlmq_slot_of(m, segment, position)],
                        (uint64_t)e.distance << 32 | e.vertex);
    warp_sync();
    if (leads && room)
        device_take(&control->available[fifo], set_bits(group));
}

/* The FIFO for a distance: a bucket, or the pile that takes new elements. */
WARP_FUNCTION uint32_t mlmq_fifo_of(const struct mlmq_warp *w, uint32_t distance,
                                    bool valid) {
    uint32_t key = mlmq_key(w->m, distance);
    key = key < w->base ? w->base : key;
    if (key - w->base < MLMQ_RING)
        return key % MLMQ_RING;
    uint32_t *least = &w->m->control->pile_least[w->pile];
    if (valid && key < device_load(least))
        device_min(least, key);
    return MLMQ_PILE + w->pile;
}

/* ---- read ---- */

/* The buckets that are not empty, from the base on: bit i is bucket base + i. */
WARP_FUNCTION uint32_t mlmq_filled(const struct mlmq_warp *w, uint32_t *mine) {
    uint32_t lanes = 0, turn = w->base % MLMQ_RING;
    for (uint32_t i = 0; i < MLMQ_RING; i += warp_width) {
        *mine = device_load(&w->m->control->available[i + warp_lane()]);
        lanes |= warp_ballot((int32_t)*mine > 0) << i;
    }
    return lanes >> turn | (turn ? lanes << (MLMQ_RING - turn) : 0);
}

/* Chooses a FIFO to read, or MLMQ_NONE: the open pile, or the first of the next bnum
** buckets. *count: its elements, about. */
WARP_FUNCTION uint32_t mlmq_fifo_choose(const struct mlmq_warp *w, uint32_t *count) {
    uint32_t *available = w->m->control->available, mine;
    uint32_t first = MLMQ_PILE + 1 - w->pile;
    *count = device_load(&available[first]);
    uint32_t lanes = mlmq_filled(w, &mine);
    *count = warp_from(*count, 0);
    if ((int32_t)*count > 0)
        return first;
    if (lanes == 0 || lowest_bit(lanes) >= w->bnum)
        return MLMQ_NONE;
    uint32_t fifo = (w->base + lowest_bit(lanes)) % MLMQ_RING;
    *count = warp_width == 1 ? 1 : warp_from(mine, fifo);
    return fifo;
}

/* Reads up to one element for each lane. Returns the number of positions taken; some of
** them may have no element. */
WARP_FUNCTION uint32_t mlmq_fifo_read(struct mlmq_warp *w, struct mlmq_element *e,
                                      bool *valid) {
    const struct mlmq *m = w->m;
    struct mlmq_control *control = m->control;
    uint32_t wanted = 0, fifo = mlmq_fifo_choose(w, &wanted), got = 0, position = 0;
    *valid = false;
    if (fifo == MLMQ_NONE)
        return 0;
    wanted = wanted < warp_width ? wanted : warp_width;
    if (warp_lane() == 0) {
        int32_t there = (int32_t)device_take(&control->available[fifo], 0u - wanted);
        got = there <= 0 ? 0 : (uint32_t)there < wanted ? (uint32_t)there : wanted;
        if (got < wanted)
            device_take(&control->available[fifo], wanted - got);
        if (got > 0)
            position = device_take(&control->head[fifo], got);
    }
    got = warp_from(got, 0);
    position = warp_from(position, 0) + warp_lane();
    uint32_t segment = MLMQ_NONE;
    if (warp_lane() < got && mlmq_find_segment(m, fifo, position, &segment))
        *valid = mlmq_slot_take(m, mlmq_slot_of(m, segment, position), e);
    w->segment = segment;
    w->segment_number = warp_lane() < got ? position >> m->shift : MLMQ_NONE;
    w->account = fifo;
    w->taken = got;
    warp_sync();
    return got;
}

/* Counts the lane's element as finished, and with it perhaps a segment. */
WARP_FUNCTION void mlmq_settle_segments(struct mlmq_warp *w) {
    const struct mlmq *m = w->m;
    uint32_t group = warp_alike(w->segment_number), count = set_bits(group);
    if (w->segment_number != MLMQ_NONE && warp_lane() == lowest_bit(group)) {
        uint32_t before =
            device_add(mlmq_consumed(m, w->account, w->segment_number), count);
        if (((before + count) & ((1u << m->shift) - 1)) == 0) {
            if (w->segment != MLMQ_NONE)
                mlmq_give_segment(m, w->segment);
            mlmq_move_floor(m, w->account);
        }
    }
    w->segment_number = MLMQ_NONE;
}

#endif
