/* The queue of regions (gpu/regions/queue.h) on CPU threads, a thread for each block. A
** region must be with one block at a time, no message may be lost, and all blocks must
** end together. Rings have as few slots as possible, and blocks are late in the middle of
** a step, so that a ring wraps while one of them waits at a slot. */
static void jitter(void);
#define WARP_JITTER() jitter()
#include "regions/queue.h"

#include "graphs.h"
#include "share.h"
#include "suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_BLOCKS = 4, MOST_REGIONS = 6, WIDTH = 3, FARTHEST = 12 };

static _Thread_local uint64_t dice;

static void jitter(void) {
    const struct timespec late = {0, 200000};
    const uint64_t drawn = shape_random(&dice) % 256;
    if (drawn == 0)
        nanosleep(&late, NULL);
    else if (drawn < 16)
        sched_yield();
}

/* Regions send messages until none is left. */
struct regions_told {
    struct regions_queue queue;
    uint32_t regions;
    uint32_t left;   /* messages that blocks may still send; below 0 in the end */
    uint32_t shared; /* a region was with two blocks */
    uint32_t told[MOST_REGIONS];  /* by region: received and not yet seen */
    uint32_t held[MOST_REGIONS];  /* by region: with a block */
    uint32_t taken[MOST_REGIONS]; /* by region: received and seen, written by its block */
};

struct regions_block {
    pthread_t thread;
    struct regions_told *all;
    uint64_t dice;
};

static void tell_one(struct regions_told *all) {
    const uint32_t region = (uint32_t)(shape_random(&dice) % all->regions);
    device_take(&all->told[region], 1);
    regions_tell(&all->queue, region, (uint32_t)(shape_random(&dice) % FARTHEST));
}

static void *visit(void *argument) {
    struct regions_block *block = argument;
    struct regions_told *all = block->all;
    uint32_t bucket, region;
    dice = block->dice;
    while ((region = regions_take(&all->queue, NULL, &bucket)) != NO_REGION) {
        if (device_swap(&all->held[region], 1) != 0)
            device_store(&all->shared, 1);
        const uint32_t seen = regions_look(&all->queue, region);
        all->taken[region] += device_swap(&all->told[region], 0);
        for (uint64_t i = shape_random(&dice) % 3 + 1; i > 0; i--)
            if ((int32_t)device_take(&all->left, UINT32_MAX) > 0)
                tell_one(all);
        device_store(&all->held[region], 0);
        regions_leave(&all->queue, region, bucket, seen);
    }
    return NULL;
}

static void check_round(uint64_t seed) {
    const uint32_t blocks = (uint32_t)(shape_random(&seed) % MOST_BLOCKS) + 1,
                   regions = (uint32_t)(shape_random(&seed) % MOST_REGIONS) + 1,
                   first = (uint32_t)(shape_random(&seed) % 3) + 1,
                   more = (uint32_t)(shape_random(&seed) % 4000);
    uint32_t slots = 1;
    while (slots < regions + blocks)
        slots *= 2;
    struct regions_board board = {0};
    uint32_t news[MOST_REGIONS] = {0}, least[MOST_REGIONS];
    uint32_t *slot = malloc(sizeof *slot * slots * BUCKETS);
    for (uint32_t i = 0; i < slots * BUCKETS; i++)
        slot[i] = NO_REGION;
    for (uint32_t i = 0; i < MOST_REGIONS; i++)
        least[i] = UINT32_MAX;
    struct regions_told all = {
        .queue = {&board, slot, news, least, slots - 1, WIDTH},
        .regions = regions,
        .left = more,
    };
    dice = seed;
    for (uint32_t i = 0; i < first; i++)
        tell_one(&all);
    struct regions_block block[MOST_BLOCKS];
    for (uint32_t b = 0; b < blocks; b++) {
        block[b] = (struct regions_block){.all = &all, .dice = shape_random(&seed)};
        ck_assert_int_eq(pthread_create(&block[b].thread, NULL, visit, &block[b]), 0);
    }
    for (uint32_t b = 0; b < blocks; b++)
        pthread_join(block[b].thread, NULL);
    ck_assert_msg(!all.shared, "%u regions, %u blocks: two had one region", regions,
                  blocks);
    ck_assert_uint_eq(board.end, REGIONS_OVER);
    ck_assert_uint_eq(board.busy, 0);
    ck_assert_uint_eq(board.all_waiting, 0);
    uint32_t taken = 0;
    for (uint32_t r = 0; r < regions; r++) {
        ck_assert_uint_eq(all.told[r], 0);
        ck_assert_uint_eq(news[r], 0);
        taken += all.taken[r];
    }
    const uint32_t spent = (int32_t)all.left < 0 ? more : more - all.left;
    ck_assert_uint_eq(taken, first + spent);
    for (uint32_t i = 0; i < slots * BUCKETS; i++)
        ck_assert_uint_eq(slot[i], NO_REGION);
    for (uint32_t i = 0; i < BUCKETS; i++) {
        ck_assert_uint_eq(board.waiting[i], 0);
        ck_assert_uint_eq(board.live[i], 0);
    }
    free(slot);
}

START_TEST(one_block_at_a_time) {
    for (uint64_t seed = 1; seed <= 60; seed++)
        if (seed == 1 || !left_out(seed))
            check_round(seed);
}
END_TEST

const struct suite suite = {
    .name = "regions_queue",
    .groups = {{.name = "regions_queue",
                .timeout = 120,
                .cases = {{&one_block_at_a_time}}}},
};
