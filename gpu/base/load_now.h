/* A load that is asked for where it stands, so that it is on its way together with what follows:
** gg_load_now (device/cuda.cuh) for what a device and a test share. */
#ifndef GPUGRAPH_LOAD_NOW_H
#define GPUGRAPH_LOAD_NOW_H

#include "warp.h"

/* Of what nobody writes meanwhile. Where it is not wanted: 0. */
#ifdef __CUDACC__
WARP_FUNCTION uint32_t load_now(const uint32_t *at, bool wanted) {
    uint32_t value = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.nc.u32 %0, [%1]; }"
                 : "+r"(value)
                 : "l"(at), "r"((uint32_t)wanted));
    return value;
}
#else
WARP_FUNCTION uint32_t load_now(const uint32_t *at, bool wanted) {
    return wanted ? *at : 0;
}
#endif

#endif
