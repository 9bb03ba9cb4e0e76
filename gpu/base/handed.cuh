/* Words in shared memory by which warps communicate without a barrier, and a build in
** which a race detector recognises them: GPUGRAPH_RACECHECK in CMake.
**
**     usual build       plain loads and stores; the caller orders them
**     racecheck build   exchanges, and additions of 0
**
** racecheck of compute-sanitizer treats read-modify-writes as atomic, but atomic loads
** and stores as plain accesses, which it reports. In a racecheck build it reports only
** races of other words. */
#ifndef GPUGRAPH_HANDED_CUH
#define GPUGRAPH_HANDED_CUH

#include <stdint.h>

template <typename type>
static __device__ __forceinline__ void gg_hand(type *at, type value) {
    static_assert(sizeof(type) == 4 || sizeof(type) == 8, "an atomic word");
#ifdef GPUGRAPH_RACECHECK
    if (sizeof(type) == 4)
        atomicExch((uint32_t *)at, (uint32_t)value);
    else
        atomicExch((unsigned long long *)at, (unsigned long long)value);
#else
    *at = value;
#endif
}

template <typename type> static __device__ __forceinline__ type gg_handed(type *at) {
    static_assert(sizeof(type) == 4 || sizeof(type) == 8, "an atomic word");
#ifdef GPUGRAPH_RACECHECK
    if (sizeof(type) == 4)
        return (type)atomicAdd((uint32_t *)at, 0u);
    return (type)atomicAdd((unsigned long long *)at, 0ull);
#else
    return *at;
#endif
}

/* Volatile accesses, for a word that is polled: each call is one access. */
static __device__ __forceinline__ void gg_hand_now(uint32_t *at, uint32_t value) {
#ifdef GPUGRAPH_RACECHECK
    gg_hand(at, value);
#else
    *(volatile uint32_t *)at = value;
#endif
}
static __device__ __forceinline__ uint32_t gg_handed_now(const uint32_t *at) {
#ifdef GPUGRAPH_RACECHECK
    return gg_handed((uint32_t *)at);
#else
    return *(const volatile uint32_t *)at;
#endif
}

#endif
