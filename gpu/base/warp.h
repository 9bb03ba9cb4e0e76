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
** accesses: _add, _exchange, _exchange_64, _enter and _cas_64 acquire and release;
** _acquire, _acquire_64 and _swap_acquire acquire; _publish, _publish_64 and _arrive_64
** release. All others are relaxed: they order nothing but the word itself. _take is a
** relaxed _add, and _try is a relaxed _exchange. If one lane calls an atomic for its
** warp, warp_sync orders the atomic with the accesses of the other lanes. */
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
/* Returns the first lane whose bit is set; at least one bit must be set. */
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
/* Waits for up to 4 microseconds, before the caller looks for work again. */
WARP_FUNCTION void warp_rest(unsigned rounds) {
    __nanosleep(rounds < 6 ? 64u << rounds : 4096u);
}
WARP_FUNCTION void warp_pause(unsigned nanoseconds) {
    __nanosleep(nanoseconds);
}

/* Atomics are instructions with an explicit order and scope. <cuda/atomic> provides them
** too, but costs the compiler two seconds in each file that includes it. */
#define WARP_LATE         gg_late()
#define WARP_SCOPE_block  ".cta"
#define WARP_SCOPE_device ".gpu"
#define WARP_SCOPE_system ".sys"
#define WARP_REGISTER_32  "r"
#define WARP_REGISTER_64  "l"
/* A build for racecheck (handed.cuh) reads and writes by instructions that racecheck
** treats as atomic. */
#ifdef GPUGRAPH_RACECHECK
#define WARP_LOAD(order, scope, bits) "atom.add." order scope ".u" bits " %0, [%1], 0;"
#define WARP_STORE(order, scope, bits)                                                   \
    "{\n.reg .b" bits " old;\natom.exch." order scope ".b" bits " old, [%0], %1;\n}"
#else
#define WARP_LOAD(order, scope, bits)  "ld." order scope ".b" bits " %0, [%1];"
#define WARP_STORE(order, scope, bits) "st." order scope ".b" bits " [%0], %1;"
#endif

#define WARP_READ(function, scope, bits, order, late)                                    \
    WARP_FUNCTION uint##bits##_t function(uint##bits##_t *at) {                          \
        uint##bits##_t value;                                                            \
        late;                                                                            \
        asm volatile(WARP_LOAD(#order, WARP_SCOPE_##scope, #bits)                        \
                     : "=" WARP_REGISTER_##bits(value)                                   \
                     : "l"(at)                                                           \
                     : "memory");                                                        \
        return value;                                                                    \
    }
#define WARP_WRITE(function, scope, bits, order, late)                                   \
    WARP_FUNCTION void function(uint##bits##_t *at, uint##bits##_t value) {              \
        late;                                                                            \
        asm volatile(WARP_STORE(#order, WARP_SCOPE_##scope, #bits)                       \
                     :                                                                   \
                     : "l"(at), WARP_REGISTER_##bits(value)                              \
                     : "memory");                                                        \
    }
#define WARP_CHANGE(function, scope, bits, order, late, operation, type)                 \
    WARP_FUNCTION uint##bits##_t function(uint##bits##_t *at, uint##bits##_t value) {    \
        uint##bits##_t before;                                                           \
        late;                                                                            \
        asm volatile("atom." #operation "." #order WARP_SCOPE_##scope "." #type #bits    \
                                                                      " %0, [%1], %2;"   \
                     : "=" WARP_REGISTER_##bits(before)                                  \
                     : "l"(at), WARP_REGISTER_##bits(value)                              \
                     : "memory");                                                        \
        return before;                                                                   \
    }
#define WARP_LESSER(function, scope, bits)                                               \
    WARP_CHANGE(function, scope, bits, relaxed, WARP_NOW, min, u)
#define WARP_LARGER(function, scope, bits)                                               \
    WARP_CHANGE(function, scope, bits, relaxed, WARP_NOW, max, u)
#define WARP_EXCHANGE(function, scope, bits, order, failed)                              \
    WARP_FUNCTION bool function(uint##bits##_t *at, uint##bits##_t *expected,            \
                                uint##bits##_t value) {                                  \
        const uint##bits##_t wanted = *expected;                                         \
        uint##bits##_t before;                                                           \
        WARP_LATE;                                                                       \
        asm volatile(                                                                    \
            "atom.cas." #order WARP_SCOPE_##scope ".b" #bits " %0, [%1], %2, %3;"        \
            : "=" WARP_REGISTER_##bits(before)                                           \
            : "l"(at), WARP_REGISTER_##bits(wanted), WARP_REGISTER_##bits(value)         \
            : "memory");                                                                 \
        *expected = before;                                                              \
        return before == wanted;                                                         \
    }

/* Reads a word that the host may write while a kernel runs. */
WARP_FUNCTION uint32_t host_load(const uint32_t *at) {
    return *(const volatile uint32_t *)at;
}

#else

#include "platform.h"

/* A test may define this to delay its threads before an atomic operation. */
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

#define WARP_LATE          WARP_JITTER()
#define WARP_ORDER_relaxed __ATOMIC_RELAXED
#define WARP_ORDER_acquire __ATOMIC_ACQUIRE
#define WARP_ORDER_release __ATOMIC_RELEASE
#define WARP_ORDER_acq_rel __ATOMIC_ACQ_REL
#define WARP_DO_add        __atomic_fetch_add
#define WARP_DO_or         __atomic_fetch_or
#define WARP_DO_exch       __atomic_exchange_n

#define WARP_READ(function, scope, bits, order, late)                                    \
    WARP_FUNCTION uint##bits##_t function(uint##bits##_t *at) {                          \
        return __atomic_load_n(at, WARP_ORDER_##order);                                  \
    }
#define WARP_WRITE(function, scope, bits, order, late)                                   \
    WARP_FUNCTION void function(uint##bits##_t *at, uint##bits##_t value) {              \
        late;                                                                            \
        __atomic_store_n(at, value, WARP_ORDER_##order);                                 \
    }
#define WARP_CHANGE(function, scope, bits, order, late, operation, type)                 \
    WARP_FUNCTION uint##bits##_t function(uint##bits##_t *at, uint##bits##_t value) {    \
        late;                                                                            \
        value = WARP_DO_##operation(at, value, WARP_ORDER_##order);                      \
        late;                                                                            \
        return value;                                                                    \
    }
#define WARP_LESSER(function, scope, bits) WARP_EXTREME(function, bits, <)
#define WARP_LARGER(function, scope, bits) WARP_EXTREME(function, bits, >)
#define WARP_EXTREME(function, bits, beyond)                                             \
    WARP_FUNCTION uint##bits##_t function(uint##bits##_t *at, uint##bits##_t value) {    \
        uint##bits##_t old = __atomic_load_n(at, __ATOMIC_RELAXED);                      \
        while (value beyond old &&                                                       \
               !__atomic_compare_exchange_n(at, &old, value, true, __ATOMIC_RELAXED,     \
                                            __ATOMIC_RELAXED))                           \
            ;                                                                            \
        return old;                                                                      \
    }
#define WARP_EXCHANGE(function, scope, bits, order, failed)                              \
    WARP_FUNCTION bool function(uint##bits##_t *at, uint##bits##_t *expected,            \
                                uint##bits##_t value) {                                  \
        WARP_LATE;                                                                       \
        return __atomic_compare_exchange_n(at, expected, value, false,                   \
                                           WARP_ORDER_##order, WARP_ORDER_##failed);     \
    }

WARP_FUNCTION uint32_t host_load(const uint32_t *at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

#endif

/* WARP_CHANGE returns the word's old value. WARP_LESSER and WARP_LARGER store `value` if
** it is less or larger than the word. WARP_EXCHANGE stores `value` if the word is
** *expected, and sets *expected to the old value. WARP_LATE delays the thread in builds
** and tests that look for races. */
#define WARP_NOW (void)0
#define WARP_ATOMICS(scope)                                                              \
    WARP_READ(scope##_load, scope, 32, relaxed, WARP_NOW)                                \
    WARP_READ(scope##_load_64, scope, 64, relaxed, WARP_NOW)                             \
    WARP_READ(scope##_acquire, scope, 32, acquire, WARP_LATE)                            \
    WARP_READ(scope##_acquire_64, scope, 64, acquire, WARP_LATE)                         \
    WARP_WRITE(scope##_store, scope, 32, relaxed, WARP_NOW)                              \
    WARP_WRITE(scope##_store_64, scope, 64, relaxed, WARP_NOW)                           \
    WARP_WRITE(scope##_publish, scope, 32, release, WARP_LATE)                           \
    WARP_WRITE(scope##_publish_64, scope, 64, release, WARP_LATE)                        \
    WARP_CHANGE(scope##_take, scope, 32, relaxed, WARP_LATE, add, u)                     \
    WARP_CHANGE(scope##_add, scope, 32, acq_rel, WARP_LATE, add, u)                      \
    WARP_CHANGE(scope##_add_64, scope, 64, relaxed, WARP_NOW, add, u)                    \
    WARP_CHANGE(scope##_arrive_64, scope, 64, release, WARP_LATE, add, u)                \
    WARP_CHANGE(scope##_swap, scope, 32, relaxed, WARP_NOW, exch, b)                     \
    WARP_CHANGE(scope##_swap_acquire, scope, 32, acquire, WARP_LATE, exch, b)            \
    WARP_CHANGE(scope##_or, scope, 32, relaxed, WARP_NOW, or, b)                         \
    WARP_LESSER(scope##_min, scope, 32)                                                  \
    WARP_LARGER(scope##_max, scope, 32)                                                  \
    WARP_LARGER(scope##_max_64, scope, 64)                                               \
    WARP_EXCHANGE(scope##_try, scope, 32, relaxed, relaxed)                              \
    WARP_EXCHANGE(scope##_try_64, scope, 64, relaxed, relaxed)                           \
    WARP_EXCHANGE(scope##_exchange, scope, 32, acq_rel, acquire)                         \
    WARP_EXCHANGE(scope##_exchange_64, scope, 64, acq_rel, acquire)                      \
    WARP_FUNCTION bool scope##_enter(uint32_t *at, uint32_t expected, uint32_t value) {  \
        return scope##_exchange(at, &expected, value);                                   \
    }                                                                                    \
    WARP_FUNCTION bool scope##_cas_64(uint64_t *at, uint64_t expected, uint64_t value) { \
        return scope##_exchange_64(at, &expected, value);                                \
    }
WARP_ATOMICS(block)
WARP_ATOMICS(device)
WARP_ATOMICS(system)

/* Calls device_take for each active lane. On a device, lanes with equal amounts and words
** share one addition. */
WARP_FUNCTION uint32_t device_reserve(uint32_t *at, uint32_t amount) {
#ifdef __CUDACC__
    unsigned long long wish = (unsigned long long)at | (unsigned long long)amount << 48;
    if (amount < 1u << 16) { /* addresses have 48 bits */
        uint32_t same = __match_any_sync(__activemask(), wish), first = 0;
        const int leader = __ffs((int)same) - 1;
        if (leader == (int)warp_lane())
            first = device_take(at, (uint32_t)__popc((int)same) * amount);
        first = __shfl_sync(same, first, leader);
        same &= (1u << warp_lane()) - 1;
        return first + (uint32_t)__popc((int)same) * amount;
    }
#endif
    return device_take(at, amount);
}

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
