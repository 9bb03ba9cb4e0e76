/* Regions that wait to be searched, in buckets by the least distance that they have
** received. Blocks take regions from the first bucket that is not empty.
**
**     base - BEHIND     base                            base + 59
**     [            |    bucket | bucket | ...               ]      a ring of BUCKETS
**     slots of a bucket   [ - | 17 | 4 | 90 | - ]                  head .. tail
**
** The order is approximate. A block that finds a bucket's region taken looks again. A
** distance before `base` goes to bucket `base`, a distance beyond the ring to its last
** bucket.
**
** A region is in one bucket, with one block, or idle. `news` counts the messages that the
** region has received since it was idle. The thread that changes `news` from 0 to 1 puts
** the region into a bucket. A block that has searched a region makes it idle, or puts it
** back into a bucket if messages have arrived since regions_look. `busy` counts regions
** that are not idle; at 0 the search is over.
**
** Only `news` and slots order messages before the block that reads them: they are
** exchanged with acquire and release. Counts are relaxed, because a fence would wait for
** everything that the block has written. */
#ifndef GPUGRAPH_REGIONS_QUEUE_H
#define GPUGRAPH_REGIONS_QUEUE_H

#include "base/warp.h"

enum {
    BUCKETS = 64,
    BEHIND = 4,        /* buckets before `base` that may still have regions */
    APART = 8,         /* words of a sector, so that counts do not share one */
    REGIONS_REST = 200 /* nanoseconds between two looks of an idle block */
};

enum regions_end { REGIONS_GO, REGIONS_OVER, REGIONS_STOPPED };

struct regions_board {
    uint32_t busy;
    uint32_t lost;      /* a sum left the range of distances */
    uint32_t base, top; /* numbers of buckets, which only grow */
    uint32_t apart[APART];
    uint32_t all_waiting, end; /* idle blocks poll these; enum regions_end */
    uint32_t still_apart[APART];
    uint32_t waiting[BUCKETS]; /* regions in slots; below 0 for a moment */
    uint32_t live[BUCKETS];    /* regions in slots or with a block */
    uint32_t head[BUCKETS][APART], tail[BUCKETS][APART];
    uint64_t visits, rounds;
};

struct regions_queue {
    struct regions_board *board;
    uint32_t *slot;         /* mask + 1 of each bucket; NO_REGION: empty */
    uint32_t *news, *least; /* by region: least distance received since it was taken */
    uint32_t mask, width;   /* mask of slots, width of a bucket */
};

#define NO_REGION UINT32_MAX

/* Puts a region into a bucket. One lane calls. The region is not idle, and no block has
** it. */
WARP_FUNCTION void regions_put(const struct regions_queue *q, uint32_t region,
                               uint32_t distance) {
    struct regions_board *b = q->board;
    const uint32_t base = device_load(&b->base), top = device_load(&b->top);
    const uint32_t last = base + BUCKETS - BEHIND - 1;
    uint32_t bucket = distance / q->width;
    bucket = bucket < base ? base : bucket > last ? last : bucket;
    if (top < bucket)
        device_max(&b->top, bucket);
    bucket %= BUCKETS;
    device_take(&b->live[bucket], 1);
    const uint32_t at = device_take(&b->tail[bucket][0], 1) & q->mask;
    uint32_t *slot = &q->slot[(uint64_t)bucket * (q->mask + 1) + at];
    while (!device_enter(slot, NO_REGION, region))
        ; /* the thread whose ticket had this slot before has not read it yet */
    device_take(&b->waiting[bucket], 1);
    device_take(&b->all_waiting, 1);
}

/* Tells a region that memory has a message for it. One lane calls. */
WARP_FUNCTION void regions_tell(const struct regions_queue *q, uint32_t region,
                                uint32_t distance) {
    device_min(&q->least[region], distance);
    if (device_add(&q->news[region], 1) == 0) {
        device_take(&q->board->busy, 1);
        regions_put(q, region, distance);
    }
}

/* The first bucket that has regions; BUCKETS: none. One warp calls. */
WARP_FUNCTION uint32_t regions_first(const struct regions_queue *q) {
    uint32_t waiting[BUCKETS / warp_width];
    uint64_t some = 0;
    const uint32_t base = device_load(&q->board->base) - BEHIND;
    WARP_UNROLL
    for (uint32_t i = 0; i < BUCKETS / warp_width; i++)
        waiting[i] = device_load(&q->board->waiting[i * warp_width + warp_lane()]);
    WARP_UNROLL
    for (uint32_t i = 0; i < BUCKETS / warp_width; i++)
        some |= (uint64_t)warp_ballot((int32_t)waiting[i] > 0) << i * warp_width;
    const uint32_t first = warp_from(base, 0) % BUCKETS;
    if (some == 0)
        return BUCKETS;
    some = first > 0 ? some >> first | some << (BUCKETS - first) : some;
    const uint32_t low = (uint32_t)some, high = (uint32_t)(some >> 32);
    return (first + (low ? lowest_bit(low) : 32 + lowest_bit(high))) % BUCKETS;
}

/* Takes a region of that bucket; NO_REGION: other blocks have taken all. One lane
** calls. */
WARP_FUNCTION uint32_t regions_from(const struct regions_queue *q, uint32_t bucket) {
    struct regions_board *b = q->board;
    if ((int32_t)device_take(&b->waiting[bucket], UINT32_MAX) <= 0) {
        device_take(&b->waiting[bucket], 1);
        return NO_REGION;
    }
    device_take(&b->all_waiting, UINT32_MAX);
    const uint32_t at = device_take(&b->head[bucket][0], 1) & q->mask;
    uint32_t *slot = &q->slot[(uint64_t)bucket * (q->mask + 1) + at], region;
    /* In one step, because another thread's ticket may have this slot next. */
    while ((region = device_swap_acquire(slot, NO_REGION)) == NO_REGION)
        warp_pause(20);
    return region;
}

/* Takes a region, and sets the bucket that it was in; NO_REGION: the search is over. One
** warp calls. `stop`, read by host_load, is the host's word; NULL: another warp polls
** it. */
WARP_FUNCTION uint32_t regions_take(const struct regions_queue *q, const uint32_t *stop,
                                    uint32_t *bucket) {
    for (;;) {
        uint32_t region = NO_REGION, end = 0, some = 0;
        if (warp_lane() == 0) {
            if (stop && host_load(stop) != 0)
                device_store(&q->board->end, REGIONS_STOPPED);
            some = (int32_t)device_load(&q->board->all_waiting) > 0;
            end = device_load(&q->board->end);
        }
        if (warp_from(end, 0) != REGIONS_GO)
            return NO_REGION;
        if (warp_from(some, 0)) {
            *bucket = regions_first(q);
            if (*bucket < BUCKETS && warp_lane() == 0)
                region = regions_from(q, *bucket);
            region = warp_from(region, 0);
            if (region != NO_REGION)
                return region;
        }
        warp_pause(REGIONS_REST);
    }
}

/* Resets the least distance of a region, and returns `news`. One lane calls. */
WARP_FUNCTION uint32_t regions_look(const struct regions_queue *q, uint32_t region) {
    device_store(&q->least[region], UINT32_MAX);
    return device_acquire(&q->news[region]);
}

/* Makes a region idle, or puts it back if `news` is not `seen`. One lane calls. */
WARP_FUNCTION void regions_leave(const struct regions_queue *q, uint32_t region,
                                 uint32_t bucket, uint32_t seen) {
    struct regions_board *b = q->board;
    const bool idle = device_enter(&q->news[region], seen, 0);
    if (!idle)
        regions_put(q, region, device_load(&q->least[region]));
    if (device_take(&b->live[bucket], UINT32_MAX) == 1)
        for (;;) {
            uint32_t base = device_load(&b->base);
            if (base >= device_load(&b->top) ||
                device_load(&b->live[base % BUCKETS]) != 0)
                break;
            device_try(&b->base, &base, base + 1);
        }
    if (idle && device_take(&b->busy, UINT32_MAX) == 1)
        device_publish(&b->end, REGIONS_OVER);
}

#endif
