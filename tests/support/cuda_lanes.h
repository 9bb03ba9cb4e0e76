/* Runs unchanged cooperative kernels of the device sources on CPU threads. Include it
** before them, in place of device/cuda.cuh, graph/graph.cuh, graph/frontier.cuh and
** base/arrivals.cuh.
**
**     grid     a thread for each block, all at once
**     block    its lanes take turns on that thread, each with its own stack (ucontext)
**     barrier  __syncthreads, __syncwarp, shuffles, ballots: the thread goes on with the
**              next lane until all lanes of the block, or of the warp, have arrived
**
** Shared memory is thread-local. All lanes of a warp must take part in its warp-wide
** functions; other code runs lane by lane, so races within a block are not found, but
** races between blocks may be. */
#ifndef TEST_CUDA_LANES_H
#define TEST_CUDA_LANES_H

#include "graph/device_csr.h"
#include "graph/graph.h"
#include "platform.h"

#include <float.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#define GPUGRAPH_CUDA_CUH
#define GPUGRAPH_GRAPH_CUH
#define GPUGRAPH_FRONTIER_CUH
#define GPUGRAPH_ARRIVALS_CUH
#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
/* A kernel that declares shared memory extern needs `__thread`. */
#ifndef LANES_SHARED
#define LANES_SHARED static __thread
#endif
#define __shared__ LANES_SHARED
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define ALL_LANES        0xffffffffu

enum { GG_BLOCK = 256, GG_WARP = 32, GG_MAILBOX = 512, LARGE_ROUND = 8192 };

/* Dynamic shared memory, which kernels declare as `memory`; the launch gives its size. */
__thread __align__(16) unsigned char memory[65536];

/* ---- lanes ---- */

struct lanes_index {
    unsigned x;
};
static thread_local lanes_index threadIdx, blockIdx, gridDim, blockDim;

struct meeting {
    unsigned come, turn;
    int votes;
    uint64_t slot[GG_WARP];
};

struct lane {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool over;
};

struct block_of_lanes {
    std::vector<lane> lanes;
    std::vector<meeting> warp;
    meeting whole;
    ucontext_t home;
    std::function<void()> work;
};
static thread_local block_of_lanes *here;

enum { LANE_STACK = 65536 };

/* Continues with the next lane that has not ended; if all have, with the thread. */
static void next_lane() {
    const unsigned from = threadIdx.x, count = (unsigned)here->lanes.size();
    unsigned to = from;
    do
        to = (to + 1) % count;
    while (here->lanes[to].over && to != from);
    if (to == from) {
        if (here->lanes[from].over)
            setcontext(&here->home);
        return;
    }
    threadIdx.x = to;
    swapcontext(&here->lanes[from].context, &here->lanes[to].context);
    threadIdx.x = from;
}

static void run_lane() {
    here->work();
    here->lanes[threadIdx.x].over = true;
    next_lane();
}

static void run_block(unsigned block, unsigned blocks, unsigned threads,
                      std::function<void()> work) {
    block_of_lanes b;
    b.lanes.resize(threads);
    b.warp.resize(threads / GG_WARP);
    b.whole = meeting();
    b.work = work;
    here = &b;
    blockIdx.x = block;
    gridDim.x = blocks;
    blockDim.x = threads;
    for (lane &l : b.lanes) {
        l.stack.reset(new char[LANE_STACK]);
        l.over = false;
        getcontext(&l.context);
        l.context.uc_stack.ss_sp = l.stack.get();
        l.context.uc_stack.ss_size = LANE_STACK;
        l.context.uc_link = NULL;
        makecontext(&l.context, run_lane, 0);
    }
    threadIdx.x = 0;
    swapcontext(&b.home, &b.lanes[0].context);
}

static void run_grid(unsigned blocks, unsigned threads, std::function<void()> work) {
    std::vector<std::thread> crew;
    for (unsigned block = 0; block < blocks; block++)
        crew.emplace_back(run_block, block, blocks, threads, work);
    for (std::thread &one : crew)
        one.join();
}

/* ---- functions of a block or a warp ---- */

static void meet_at(meeting *m, unsigned all) {
    const unsigned turn = m->turn;
    if (++m->come == all) {
        m->come = 0;
        m->turn++;
        return;
    }
    while (m->turn == turn)
        next_lane();
}

static inline void __syncthreads() {
    meet_at(&here->whole, blockDim.x);
}
static inline bool __syncthreads_or(int vote) {
    here->whole.votes |= vote;
    __syncthreads();
    const bool any = here->whole.votes != 0;
    __syncthreads();
    here->whole.votes = 0;
    __syncthreads();
    return any;
}
static inline unsigned gg_lane() {
    return threadIdx.x % GG_WARP;
}
static inline meeting *own_warp() {
    return &here->warp[threadIdx.x / GG_WARP];
}
static inline void __syncwarp() {
    meet_at(own_warp(), GG_WARP);
}

template <typename type> static type exchange(type mine, unsigned from) {
    meeting *m = own_warp();
    type theirs;
    static_assert(sizeof mine <= sizeof *m->slot, "a slot holds it");
    memcpy(&m->slot[gg_lane()], &mine, sizeof mine);
    __syncwarp();
    memcpy(&theirs, &m->slot[from], sizeof theirs);
    __syncwarp();
    return theirs;
}
template <typename type> static type __shfl_sync(unsigned, type mine, int from) {
    return exchange(mine, (unsigned)from % GG_WARP);
}
template <typename type> static type __shfl_up_sync(unsigned, type mine, unsigned step) {
    return exchange(mine, gg_lane() >= step ? gg_lane() - step : gg_lane());
}
template <typename type> static type __shfl_xor_sync(unsigned, type mine, int bits) {
    return exchange(mine, gg_lane() ^ (unsigned)bits);
}
static inline unsigned __ballot_sync(unsigned, bool vote) {
    meeting *m = own_warp();
    unsigned votes = 0;
    m->slot[gg_lane()] = vote;
    __syncwarp();
    for (unsigned lane = 0; lane < GG_WARP; lane++)
        votes |= (m->slot[lane] ? 1u : 0u) << lane;
    __syncwarp();
    return votes;
}

static inline bool __any_sync(unsigned lanes, bool vote) {
    return __ballot_sync(lanes, vote) != 0;
}
template <typename function> static unsigned reduced(unsigned mine, function combine) {
    meeting *m = own_warp();
    unsigned all = 0;
    m->slot[gg_lane()] = mine;
    __syncwarp();
    for (unsigned lane = 0; lane < GG_WARP; lane++)
        all = combine(all, (unsigned)m->slot[lane]);
    __syncwarp();
    return all;
}
static inline unsigned __reduce_add_sync(unsigned, unsigned mine) {
    return reduced(mine, [](unsigned a, unsigned b) { return a + b; });
}
static inline unsigned __reduce_or_sync(unsigned, unsigned mine) {
    return reduced(mine, [](unsigned a, unsigned b) { return a | b; });
}

/* ---- memory ---- */

struct uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
static inline uint2 make_uint2(unsigned x, unsigned y) {
    return uint2{x, y};
}
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return uint4{x, y, z, w};
}

template <typename type> static type __ldg(const type *at) {
    return *at;
}
static inline uint32_t __ldcg(const uint32_t *at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}
static inline uint64_t __ldcg(const uint64_t *at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}
template <typename type> static type __ldcg(const type *at) {
    return *at;
}
template <typename type> static type gg_peek(const type *at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}
static inline void gg_late() {} /* gg_arrivals makes blocks late */
static inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_block() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
template <typename type, typename other> static type atomicAdd(type *at, other by) {
    return __atomic_fetch_add(at, (type)by, __ATOMIC_RELAXED);
}
template <typename type, typename other> static type atomicSub(type *at, other by) {
    return __atomic_fetch_sub(at, (type)by, __ATOMIC_RELAXED);
}
template <typename type, typename other> static type atomicOr(type *at, other bits) {
    return __atomic_fetch_or(at, (type)bits, __ATOMIC_RELAXED);
}
template <typename type, typename other> static type atomicAnd(type *at, other bits) {
    return __atomic_fetch_and(at, (type)bits, __ATOMIC_RELAXED);
}
template <typename type, typename other> static type atomicExch(type *at, other value) {
    return __atomic_exchange_n(at, (type)value, __ATOMIC_RELAXED);
}
template <typename type, typename other> static type atomicMin(type *at, other value) {
    type old = gg_peek(at);
    while ((type)value < old &&
           !__atomic_compare_exchange_n(at, &old, (type)value, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
    return old;
}
template <typename type, typename other> static type atomicMax(type *at, other value) {
    type old = gg_peek(at);
    while ((type)value > old &&
           !__atomic_compare_exchange_n(at, &old, (type)value, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
    return old;
}

/* A waiting thread yields to the threads of other blocks, and is sometimes delayed. */
template <typename type> static uint64_t lanes_arrivals(type *at) {
    static thread_local unsigned luck = blockIdx.x;
    const struct timespec late = {0, 30000};
    sched_yield();
    type value = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    luck = luck * 1664525u + 1013904223u;
    if (luck >> 29 == 0)
        nanosleep(&late, NULL);
    return value;
}
static inline uint32_t gg_arrivals(uint32_t *at) {
    return (uint32_t)lanes_arrivals(at);
}
static inline uint64_t gg_arrivals(unsigned long long *at) {
    return lanes_arrivals(at);
}
static inline void gg_arrive(uint32_t *at) {
    __atomic_fetch_add(at, 1, __ATOMIC_ACQ_REL);
}
static inline uint64_t gg_arrive_with(unsigned long long *at, uint64_t news) {
    return __atomic_fetch_add(at, news, __ATOMIC_ACQ_REL);
}

/* ---- arithmetic ---- */

static inline int __ffs(int word) {
    return __builtin_ffs(word);
}
static inline int __clz(unsigned word) {
    return word ? __builtin_clz(word) : 32;
}
static inline int __popc(unsigned word) {
    return __builtin_popcount(word);
}
static inline double __longlong_as_double(long long bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline long long __double_as_longlong(double value) {
    long long bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline double __dadd_rn(double a, double b) {
    return a + b;
}
static inline unsigned long long gg_nanoseconds() {
    return (unsigned long long)(gg_now_ms() * 1e6);
}
static inline void gg_fetch_ahead(const void *) {}
static inline void gg_fetch_ahead_far(const void *) {}
template <typename word> static inline word gg_load_now(const word *at, bool wanted) {
    return wanted ? *at : 0;
}
static inline uint64_t gg_whole_warps(uint64_t items) {
    return (items + GG_WARP - 1) / GG_WARP * GG_WARP;
}
static inline uint64_t gg_thread() {
    return blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
}
static inline uint64_t gg_threads_of_grid() {
    return gridDim.x * (uint64_t)blockDim.x;
}

/* ---- host functions ---- */

struct cuda_device {
    int processors, ordinal;
    uint64_t cache_bytes;
};
struct cuda_job {
    gpugraph_run *run;
    cuda_device *device;
    void *stream;
};
struct workspace {
    unsigned char *base; /* NULL: only sizes */
    uint64_t used;
};
template <typename type> static type *gg_carve(workspace *space, uint64_t count) {
    uint64_t at = space->used;
    space->used += (count * sizeof(type) + 255) / 256 * 256;
    return space->base ? reinterpret_cast<type *>(space->base + at) : nullptr;
}

struct cooperative_kernel {
    const void *kernel;
    const char *name;
    unsigned threads;
    size_t shared;
};
static inline int gg_blocks_at_once(cuda_job *, const cooperative_kernel *) {
    return 1;
}
/* Defined behind the kernels: runs the given kernel. */
static void run_kernel(const void *kernel, void *argument);
static inline bool gg_launch_cooperative(cuda_job *, const cooperative_kernel *k,
                                         unsigned blocks, void **arguments) {
    const void *kernel = k->kernel;
    void *argument = arguments[0];
    run_grid(blocks, k->threads, [=] { run_kernel(kernel, argument); });
    return true;
}

enum gg_moment { GG_BEGAN, GG_ENDED };
static inline bool gg_mark(cuda_job *, gg_moment) {
    return true;
}
static inline float gg_marked_ms(cuda_job *) {
    return 0;
}
static inline bool gg_wait(cuda_job *) {
    return true;
}
static inline bool gg_fill(cuda_job *, void *array, int byte, uint64_t bytes) {
    memset(array, byte, bytes);
    return true;
}
static inline bool gg_fetch(cuda_job *, void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
    return true;
}
static inline bool gg_download(cuda_job *, void *to, const void *from, uint64_t bytes) {
    memcpy(to, from, bytes);
    return true;
}

#endif
