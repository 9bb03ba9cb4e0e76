/* What a warp does, on the calling thread: by lanes that take turns where warp_lanes.h came first, and else by the
** thread, which is a warp one lane wide. */
#ifndef GPUGRAPH_TEST_AS_WARP_H
#define GPUGRAPH_TEST_AS_WARP_H

static inline void run_as_warp(void (*work)(void *), void *argument) {
#ifdef WARP_LANES
    lanes_run(work, argument);
#else
    work(argument);
#endif
}

#endif
