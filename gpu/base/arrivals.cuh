/* A counter at which the blocks of a grid wait for each other. */
#ifndef GPUGRAPH_ARRIVALS_CUH
#define GPUGRAPH_ARRIVALS_CUH

#include <stdint.h>

/* Counts this block. A block that sees the count sees what this block wrote before. */
static __device__ __forceinline__ void gg_arrive(uint32_t *at) {
    asm volatile("red.add.release.gpu.u32 [%0], 1;" ::"l"(at) : "memory");
}
static __device__ __forceinline__ uint32_t gg_arrivals(uint32_t *at) {
    uint32_t arrived;
    asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(arrived) : "l"(at) : "memory");
    return arrived;
}

/* Adds `news` to the word; returns what earlier blocks have added, and acquires their
** writes. */
static __device__ __forceinline__ uint64_t gg_arrive_with(unsigned long long *at,
                                                          uint64_t news) {
    uint64_t before;
    asm volatile("atom.add.acq_rel.gpu.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(at), "l"(news)
                 : "memory");
    return before;
}
static __device__ __forceinline__ uint64_t gg_arrivals(unsigned long long *at) {
    uint64_t arrived;
    asm volatile("ld.acquire.gpu.b64 %0, [%1];" : "=l"(arrived) : "l"(at) : "memory");
    return arrived;
}

#endif
