/* A warp of 32 lanes on a CPU thread. Include this file before gpu/base/warp.h. Each lane
** is a coroutine, and a warp_ function is a barrier of all lanes. The thread runs the
** lanes in turn, each to its next barrier. The test aborts if lanes wait at different
** functions, or if only some lanes have returned: a device would hang, or worse. A lane
** in warp_pause lets the other lanes and other threads run. */
#ifndef GPUGRAPH_TEST_WARP_LANES_H
#define GPUGRAPH_TEST_WARP_LANES_H

#define WARP_LANES
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { warp_width = 32, LANE_STACK = 64 << 10 };

struct lanes {
    ucontext_t thread, lane[warp_width];
    unsigned now;
    const char *meeting[warp_width]; /* NULL: between two barriers */
    uint64_t passed[warp_width];     /* the lane's value */
    uint64_t heard[warp_width];      /* the values of all lanes at the last barrier */
    bool done[warp_width];
    void (*work)(void *);
    void *argument;
    unsigned char *stack;
};

static __thread struct lanes *lanes;

/* Gives the thread to other lanes. Never inlined, because the compiler cannot see that
** swapcontext changes stacks. */
__attribute__((noinline)) static void lane_gives_way(void) {
    struct lanes *l = lanes;
    swapcontext(&l->lane[l->now], &l->thread);
}

static unsigned warp_lane(void) {
    return lanes->now;
}

/* Passes a value and waits for all lanes; lanes->heard then has the values of all. */
__attribute__((noinline)) static const uint64_t *lane_meets(const char *what,
                                                            uint64_t value) {
    struct lanes *l = lanes;
    l->meeting[l->now] = what;
    l->passed[l->now] = value;
    while (l->meeting[l->now])
        lane_gives_way();
    return l->heard;
}

static void lane_begins(void) {
    struct lanes *l = lanes;
    l->work(l->argument);
    l->done[l->now] = true;
    for (;;)
        lane_gives_way();
}

/* If all lanes have reached the same barrier, they go on. */
static void lanes_open_meeting(struct lanes *l) {
    for (unsigned i = 0; i < warp_width; i++) {
        if (!l->done[i] && !l->meeting[i])
            return; /* the lane is in warp_pause */
        if (l->done[i] != l->done[0] || l->meeting[i] != l->meeting[0]) {
            fprintf(stderr, "lane %u is at %s, lane 0 at %s\n", i,
                    l->done[i] ? "its end" : l->meeting[i],
                    l->done[0] ? "its end" : l->meeting[0]);
            abort();
        }
    }
    for (unsigned i = 0; i < warp_width; i++) {
        l->heard[i] = l->passed[i];
        l->meeting[i] = NULL;
    }
}

/* A separate function, since for a compiler getcontext returns twice. */
static void lane_prepare(struct lanes *l, unsigned i) {
    getcontext(&l->lane[i]);
    l->lane[i].uc_stack.ss_sp = l->stack + (size_t)i * LANE_STACK;
    l->lane[i].uc_stack.ss_size = LANE_STACK;
    makecontext(&l->lane[i], lane_begins, 0);
}

/* All lanes call work(argument). */
static void lanes_run(void (*work)(void *), void *argument) {
    struct lanes *l = calloc(1, sizeof *l);
    l->stack = malloc((size_t)warp_width * LANE_STACK);
    l->work = work;
    l->argument = argument;
    lanes = l;
    for (unsigned i = 0; i < warp_width; i++)
        lane_prepare(l, i);
    while (!l->done[0] || !l->done[warp_width - 1]) {
        for (l->now = 0; l->now < warp_width; l->now++)
            if (!l->done[l->now] && !l->meeting[l->now])
                swapcontext(&l->thread, &l->lane[l->now]);
        lanes_open_meeting(l);
    }
    free(l->stack);
    free(l);
}

#define WARP_FUNCTION static inline

WARP_FUNCTION void warp_sync(void) {
    lane_meets("warp_sync", 0);
}
WARP_FUNCTION uint32_t warp_ballot(bool value) {
    const uint64_t *heard = lane_meets("warp_ballot", value);
    uint32_t lanes_with = 0;
    for (unsigned i = 0; i < warp_width; i++)
        lanes_with |= (uint32_t)heard[i] << i;
    return lanes_with;
}
WARP_FUNCTION uint64_t warp_from_64(uint64_t value, unsigned lane) {
    return lane_meets("warp_from", value)[lane % warp_width];
}
WARP_FUNCTION uint32_t warp_from(uint32_t value, unsigned lane) {
    return (uint32_t)warp_from_64(value, lane);
}
WARP_FUNCTION uint32_t warp_sum_before(uint32_t value, uint32_t *total) {
    const uint64_t *heard = lane_meets("warp_sum_before", value);
    uint32_t before = 0, sum = 0;
    for (unsigned i = 0; i < warp_width; i++) {
        before += i < warp_lane() ? (uint32_t)heard[i] : 0;
        sum += (uint32_t)heard[i];
    }
    *total = sum;
    return before;
}
WARP_FUNCTION unsigned warp_first(uint32_t lanes_with) {
    return (unsigned)__builtin_ctz(lanes_with);
}
WARP_FUNCTION uint32_t warp_max(uint32_t value) {
    const uint64_t *heard = lane_meets("warp_max", value);
    for (unsigned i = 0; i < warp_width; i++)
        value = heard[i] > value ? (uint32_t)heard[i] : value;
    return value;
}
WARP_FUNCTION uint32_t warp_alike(uint32_t value) {
    const uint64_t *heard = lane_meets("warp_alike", value);
    uint32_t same = 0;
    for (unsigned i = 0; i < warp_width; i++)
        same |= (uint32_t)(heard[i] == value) << i;
    return same;
}
WARP_FUNCTION void warp_pause(unsigned nanoseconds) {
    (void)nanoseconds;
    if (warp_lane() == 0)
        sched_yield();
    lane_gives_way();
}
WARP_FUNCTION void warp_rest(unsigned rounds) {
    (void)rounds;
    warp_pause(0);
}

#endif
