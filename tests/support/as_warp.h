/* The functions of a warp on the calling thread: by lanes that take turns if warp_lanes.h
** was included before, otherwise by the thread as a warp with one lane. */
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
