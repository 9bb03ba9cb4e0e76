/* A small warp layer: the operations of concurrent structures that run on a device and,
** for tests, on CPU threads.
**
**                      device (nvcc)                    CPU threads (any C compiler)
**     warp_width       32 lanes that act together       1: a thread is a warp of its own
**     block_*          atomics among a block's warps    atomics of the compiler
**     device_*         atomics among all blocks         atomics of the compiler
**     system_*         among devices and the host       atomics of the compiler
**
** All lanes of a warp call the warp_ functions together. These atomics order other
** accesses: _add, _enter and _cas_64 acquire and release; _acquire and _acquire_64
** acquire; _publish, _publish_64 and _arrive_64 release. All others are relaxed: they
** order nothing but the word itself. _take is a relaxed _add, and _try is a relaxed
** _enter that leaves the found value in *expected. If one lane calls them for its warp,
** warp_sync orders them with the accesses of the other lanes. */
#ifndef GPUGRAPH_WARP_H
#define GPUGRAPH_WARP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__

#include "late.cuh"

#define WARP_FUNCTION static __device__ __forceinline__
enum { warp_width = 32 };

WARP_FUNCTION unsigned warp_lane(void) {
    return threadIdx.x % warp_width;
}
WARP_FUNCTION void warp_sync(void) {
    __syncwarp();
}
/* Bit i is the argument of lane i. */
WARP_FUNCTION uint32_t warp_ballot(bool value) {
    return __ballot_sync(0xffffffffu, value);
}
/* Returns the argument of that lane. */
WARP_FUNCTION uint32_t warp_from(uint32_t value, unsigned lane) {
    return __shfl_sync(0xffffffffu, value, (int)lane);
}
WARP_FUNCTION uint64_t warp_from_64(uint64_t value, unsigned lane) {
    return __shfl_sync(0xffffffffu, (unsigned long long)value, (int)lane);
}
/* Returns the sum of the arguments of the lanes before this one; *total: of all lanes. */
WARP_FUNCTION uint32_t warp_sum_before(uint32_t value, uint32_t *total) {
    uint32_t sum = value;
    for (unsigned step = 1; step < warp_width; step *= 2) {
        uint32_t other = __shfl_up_sync(0xffffffffu, sum, step);
        if (warp_lane() >= step)
            sum += other;
    }
    *total = warp_from(sum, warp_width - 1);
    return sum - value;
}
/* Returns the first lane whose bit is set; at least one is. */
WARP_FUNCTION unsigned warp_first(uint32_t lanes) {
    return (unsigned)__ffs((int)lanes) - 1;
}
/* Returns the largest argument. */
WARP_FUNCTION uint32_t warp_max(uint32_t value) {
    return __reduce_max_sync(0xffffffffu, value);
}
/* Bit i is set if lane i passed the same argument as this lane. */
WARP_FUNCTION uint32_t warp_alike(uint32_t value) {
    return __match_any_sync(0xffffffffu, value);
}
/* Waits between two looks for work that found none, up to some microseconds. */
WARP_FUNCTION void warp_rest(unsigned rounds) {
    __nanosleep(rounds < 6 ? 64u << rounds : 4096u);
}
WARP_FUNCTION void warp_pause(unsigned nanoseconds) {
    __nanosleep(nanoseconds);
}

/* Atomics as instructions with an explicit order and scope. <cuda/atomic> provides them
** too, but costs the compiler two seconds in each file that includes it. */
#define WARP_READ(word, r, instruction, late, function)                                  \
    WARP_FUNCTION word function(word *at) {                                              \
        word value;                                                                      \
        late;                                                                            \
        asm volatile(instruction : "=" r(value) : "l"(at) : "memory");                   \
        return value;                                                                    \
    }
#define WARP_WRITE(word, r, instruction, late, function)                                 \
    WARP_FUNCTION void function(word *at, word value) {                                  \
        late;                                                                            \
        asm volatile(instruction ::"l"(at), r(value) : "memory");                        \
    }
/* Returns the value before. */
#define WARP_CHANGE(word, r, instruction, late, function)                                \
    WARP_FUNCTION word function(word *at, word value) {                                  \
        word before;                                                                     \
        late;                                                                            \
        asm volatile(instruction " %0, [%1], %2;"                                        \
                     : "=" r(before)                                                     \
                     : "l"(at), r(value)                                                 \
                     : "memory");                                                        \
        return before;                                                                   \
    }
/* Stores `value` if the word is `expected`; returns the value before. */
#define WARP_EXCHANGE(word, r, instruction, function)                                    \
    WARP_FUNCTION word function(word *at, word expected, word value) {                   \
        word before;                                                                     \
        gg_late();                                                                       \
        asm volatile(instruction " %0, [%1], %2, %3;"                                    \
                     : "=" r(before)                                                     \
                     : "l"(at), r(expected), r(value)                                    \
                     : "memory");                                                        \
        return before;                                                                   \
    }

/* In a build for racecheck (handed.cuh) the warps of a block read and write by operations
** that it treats as atomic. */
#ifdef GPUGRAPH_RACECHECK
#define WARP_LOAD_block(order, size) "atom.add." order ".cta.u" size " %0, [%1], 0;"
#define WARP_STORE_block(order, size)                                                    \
    "{\n.reg .b" size " old;\natom.exch." order ".cta.b" size " old, [%0], %1;\n}"
#else
#define WARP_LOAD_block(order, size)  "ld." order ".cta.b" size " %0, [%1];"
#define WARP_STORE_block(order, size) "st." order ".cta.b" size " [%0], %1;"
#endif
#define WARP_LOAD_device(order, size)  "ld." order ".gpu.b" size " %0, [%1];"
#define WARP_STORE_device(order, size) "st." order ".gpu.b" size " [%0], %1;"
#define WARP_LOAD_system(order, size)  "ld." order ".sys.b" size " %0, [%1];"
#define WARP_STORE_system(order, size) "st." order ".sys.b" size " [%0], %1;"

#define WARP_NOW (void)0
#define WARP_ATOMICS(name, scope)                                                        \
    WARP_READ(uint32_t, "r", WARP_LOAD_##name("relaxed", "32"), WARP_NOW, name##_load)   \
    WARP_READ(uint64_t, "l", WARP_LOAD_##name("relaxed", "64"), WARP_NOW,                \
              name##_load_64)                                                            \
    WARP_READ(uint32_t, "r", WARP_LOAD_##name("acquire", "32"), gg_late(),               \
              name##_acquire)                                                            \
    WARP_READ(uint64_t, "l", WARP_LOAD_##name("acquire", "64"), gg_late(),               \
              name##_acquire_64)                                                         \
    WARP_WRITE(uint32_t, "r", WARP_STORE_##name("relaxed", "32"), WARP_NOW,              \
               name##_store)                                                             \
    WARP_WRITE(uint64_t, "l", WARP_STORE_##name("relaxed", "64"), WARP_NOW,              \
               name##_store_64)                                                          \
    WARP_WRITE(uint32_t, "r", WARP_STORE_##name("release", "32"), gg_late(),             \
               name##_publish)                                                           \
    WARP_WRITE(uint64_t, "l", WARP_STORE_##name("release", "64"), gg_late(),             \
               name##_publish_64)                                                        \
    WARP_CHANGE(uint32_t, "r", "atom.add.relaxed." scope ".u32", gg_late(), name##_take) \
    WARP_CHANGE(uint32_t, "r", "atom.add.acq_rel." scope ".u32", gg_late(), name##_add)  \
    WARP_CHANGE(uint32_t, "r", "atom.exch.relaxed." scope ".b32", WARP_NOW, name##_swap) \
    WARP_CHANGE(uint32_t, "r", "atom.exch.acquire." scope ".b32", gg_late(),             \
                name##_swap_acquire)                                                     \
    WARP_CHANGE(uint32_t, "r", "atom.min.relaxed." scope ".u32", WARP_NOW, name##_min)   \
    WARP_CHANGE(uint32_t, "r", "atom.max.relaxed." scope ".u32", WARP_NOW, name##_max)   \
    WARP_CHANGE(uint32_t, "r", "atom.or.relaxed." scope ".b32", WARP_NOW, name##_or)     \
    WARP_CHANGE(uint64_t, "l", "atom.add.relaxed." scope ".u64", WARP_NOW,               \
                name##_add_64)                                                           \
    WARP_CHANGE(uint64_t, "l", "atom.add.release." scope ".u64", gg_late(),              \
                name##_arrive_64)                                                        \
    WARP_CHANGE(uint64_t, "l", "atom.max.relaxed." scope ".u64", WARP_NOW,               \
                name##_max_64)                                                           \
    WARP_EXCHANGE(uint32_t, "r", "atom.cas.relaxed." scope ".b32", name##_cas_relaxed)   \
    WARP_EXCHANGE(uint64_t, "l", "atom.cas.relaxed." scope ".b64",                       \
                  name##_cas_relaxed_64)                                                 \
    WARP_EXCHANGE(uint32_t, "r", "atom.cas.acq_rel." scope ".b32", name##_cas_ordered)   \
    WARP_EXCHANGE(uint64_t, "l", "atom.cas.acq_rel." scope ".b64",                       \
                  name##_cas_ordered_64)                                                 \
    WARP_FUNCTION bool name##_enter(uint32_t *at, uint32_t expected, uint32_t value) {   \
        return name##_cas_ordered(at, expected, value) == expected;                      \
    }                                                                                    \
    WARP_FUNCTION bool name##_cas_64(uint64_t *at, uint64_t expected, uint64_t value) {  \
        return name##_cas_ordered_64(at, expected, value) == expected;                   \
    }                                                                                    \
    WARP_FUNCTION bool name##_try(uint32_t *at, uint32_t *expected, uint32_t value) {    \
        const uint32_t wanted = *expected;                                               \
        *expected = name##_cas_relaxed(at, wanted, value);                               \
        return *expected == wanted;                                                      \
    }                                                                                    \
    WARP_FUNCTION bool name##_try_64(uint64_t *at, uint64_t *expected, uint64_t value) { \
        const uint64_t wanted = *expected;                                               \
        *expected = name##_cas_relaxed_64(at, wanted, value);                            \
        return *expected == wanted;                                                      \
    }
WARP_ATOMICS(block, "cta")
WARP_ATOMICS(device, "gpu")
WARP_ATOMICS(system, "sys")

/* device_take for each active lane; lanes with the same amount and the same word share
** one addition. */
WARP_FUNCTION uint32_t device_reserve(uint32_t *at, uint32_t amount) {
    if (amount >= 1u << 16) /* addresses have 48 bits */
        return device_take(at, amount);
    unsigned long long wish = (unsigned long long)at | (unsigned long long)amount << 48;
    uint32_t same = __match_any_sync(__activemask(), wish), lane = warp_lane(), first = 0;
    if (__ffs((int)same) - 1 == (int)lane)
        first = device_take(at, (uint32_t)__popc((int)same) * amount);
    first = __shfl_sync(same, first, __ffs((int)same) - 1);
    return first + (uint32_t)__popc((int)(same & ((1u << lane) - 1))) * amount;
}

/* Reads a word that the host may write while a kernel runs. */
WARP_FUNCTION uint32_t host_load(const uint32_t *at) {
    return *(const volatile uint32_t *)at;
}

#else

#include "platform.h"

/* A test may define this to disturb the order of its threads before they exchange. */
#ifndef WARP_JITTER
#define WARP_JITTER()
#endif

#ifndef WARP_LANES /* a test with warps of 32 lanes defines these itself */
#define WARP_FUNCTION static inline
enum { warp_width = 1 };

WARP_FUNCTION unsigned warp_lane(void) {
    return 0;
}
WARP_FUNCTION void warp_sync(void) {}
WARP_FUNCTION uint32_t warp_ballot(bool value) {
    return value;
}
WARP_FUNCTION uint32_t warp_from(uint32_t value, unsigned lane) {
    (void)lane;
    return value;
}
WARP_FUNCTION uint64_t warp_from_64(uint64_t value, unsigned lane) {
    (void)lane;
    return value;
}
WARP_FUNCTION uint32_t warp_sum_before(uint32_t value, uint32_t *total) {
    *total = value;
    return 0;
}
WARP_FUNCTION unsigned warp_first(uint32_t lanes) {
    (void)lanes;
    return 0;
}
WARP_FUNCTION uint32_t warp_max(uint32_t value) {
    return value;
}
WARP_FUNCTION uint32_t warp_alike(uint32_t value) {
    (void)value;
    return 1;
}
WARP_FUNCTION void warp_rest(unsigned rounds) {
    if (rounds > 4)
        gg_yield();
}
WARP_FUNCTION void warp_pause(unsigned nanoseconds) {
    (void)nanoseconds;
    gg_yield();
}
#endif

#define WARP_READ(word, order, function)                                                 \
    WARP_FUNCTION word function(word *at) {                                              \
        return __atomic_load_n(at, order);                                               \
    }
#define WARP_WRITE(word, jitter, order, function)                                        \
    WARP_FUNCTION void function(word *at, word value) {                                  \
        jitter;                                                                          \
        __atomic_store_n(at, value, order);                                              \
    }
#define WARP_CHANGE(word, operation, jitter, order, function)                            \
    WARP_FUNCTION word function(word *at, word value) {                                  \
        jitter;                                                                          \
        return __atomic_##operation(at, value, order);                                   \
    }
/* Stores `value` if it lies beyond the word. Returns the value before. */
#define WARP_EXTREME(word, beyond, function)                                             \
    WARP_FUNCTION word function(word *at, word value) {                                  \
        word old = __atomic_load_n(at, __ATOMIC_RELAXED);                                \
        while (value beyond old &&                                                       \
               !__atomic_compare_exchange_n(at, &old, value, true, __ATOMIC_RELAXED,     \
                                            __ATOMIC_RELAXED))                           \
            ;                                                                            \
        return old;                                                                      \
    }
#define WARP_EXCHANGE(word, argument, expected, order, failed, function)                 \
    WARP_FUNCTION bool function(word *at, word argument, word value) {                   \
        WARP_JITTER();                                                                   \
        return __atomic_compare_exchange_n(at, expected, value, false, order, failed);   \
    }

#define WARP_NOW (void)0
#define WARP_ATOMICS(name)                                                               \
    WARP_READ(uint32_t, __ATOMIC_RELAXED, name##_load)                                   \
    WARP_READ(uint64_t, __ATOMIC_RELAXED, name##_load_64)                                \
    WARP_READ(uint32_t, __ATOMIC_ACQUIRE, name##_acquire)                                \
    WARP_READ(uint64_t, __ATOMIC_ACQUIRE, name##_acquire_64)                             \
    WARP_WRITE(uint32_t, WARP_NOW, __ATOMIC_RELAXED, name##_store)                       \
    WARP_WRITE(uint64_t, WARP_NOW, __ATOMIC_RELAXED, name##_store_64)                    \
    WARP_WRITE(uint32_t, WARP_JITTER(), __ATOMIC_RELEASE, name##_publish)                \
    WARP_WRITE(uint64_t, WARP_JITTER(), __ATOMIC_RELEASE, name##_publish_64)             \
    WARP_CHANGE(uint32_t, exchange_n, WARP_NOW, __ATOMIC_RELAXED, name##_swap)           \
    WARP_CHANGE(uint32_t, exchange_n, WARP_JITTER(), __ATOMIC_ACQUIRE,                   \
                name##_swap_acquire)                                                     \
    WARP_CHANGE(uint32_t, fetch_add, WARP_NOW, __ATOMIC_ACQ_REL, name##_add)             \
    WARP_CHANGE(uint64_t, fetch_add, WARP_NOW, __ATOMIC_RELAXED, name##_add_64)          \
    WARP_CHANGE(uint64_t, fetch_add, WARP_JITTER(), __ATOMIC_RELEASE, name##_arrive_64)  \
    WARP_CHANGE(uint32_t, fetch_or, WARP_NOW, __ATOMIC_RELAXED, name##_or)               \
    WARP_EXTREME(uint32_t, <, name##_min)                                                \
    WARP_EXTREME(uint32_t, >, name##_max)                                                \
    WARP_EXTREME(uint64_t, >, name##_max_64)                                             \
    WARP_EXCHANGE(uint32_t, *expected, expected, __ATOMIC_RELAXED, __ATOMIC_RELAXED,     \
                  name##_try)                                                            \
    WARP_EXCHANGE(uint64_t, *expected, expected, __ATOMIC_RELAXED, __ATOMIC_RELAXED,     \
                  name##_try_64)                                                         \
    WARP_EXCHANGE(uint32_t, expected, &expected, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,     \
                  name##_enter)                                                          \
    WARP_EXCHANGE(uint64_t, expected, &expected, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,     \
                  name##_cas_64)                                                         \
    WARP_FUNCTION uint32_t name##_take(uint32_t *at, uint32_t value) {                   \
        WARP_JITTER();                                                                   \
        uint32_t before = __atomic_fetch_add(at, value, __ATOMIC_RELAXED);               \
        WARP_JITTER();                                                                   \
        return before;                                                                   \
    }
WARP_ATOMICS(block)
WARP_ATOMICS(device)
WARP_ATOMICS(system)

WARP_FUNCTION uint32_t device_reserve(uint32_t *at, uint32_t amount) {
    return device_take(at, amount);
}

WARP_FUNCTION uint32_t host_load(const uint32_t *at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

#endif

/* WARP_UNROLL stands before a loop whose arrays must be in registers, WARP_ROLLED before
** a loop that must not be unrolled. */
#ifdef __CUDACC__
#define WARP_UNROLL _Pragma("unroll")
#define WARP_ROLLED _Pragma("unroll 1")
#else
#define WARP_UNROLL
#define WARP_ROLLED
#endif

WARP_FUNCTION uint32_t set_bits(uint32_t value) {
#ifdef __CUDA_ARCH__
    return (uint32_t)__popc((int)value);
#else
    return (uint32_t)__builtin_popcount(value);
#endif
}

/* Returns the number of the lowest set bit of a value that is not 0. */
WARP_FUNCTION unsigned lowest_bit(uint32_t value) {
#ifdef __CUDA_ARCH__
    return (unsigned)__ffs((int)value) - 1;
#else
    return (unsigned)__builtin_ctz(value);
#endif
}

#endif
