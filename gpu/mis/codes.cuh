/* Codes of vertices (codes.h) on a device: how they are chosen, loaded and stored. */
#ifndef GPUGRAPH_MIS_CODES_CUH
#define GPUGRAPH_MIS_CODES_CUH

#include "codes.h"
#include "device/block_sum.cuh"
#include "mis.cuh"

/* Of vertex v, GPUGRAPH_NONE: MIS_DROPPED; out of a cache that is not kept up to date, or not. */
static __device__ __forceinline__ uint32_t mis_code_seen(const uint8_t *code,
                                                         uint32_t v) {
    uint32_t value = MIS_DROPPED;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; "
                 "@p ld.relaxed.cta.global.s8 %0, [%1]; }"
                 : "+r"(value)
                 : "l"(code + v), "r"((uint32_t)(v != GPUGRAPH_NONE)));
    return value;
}
static __device__ __forceinline__ uint32_t mis_code_now(const uint8_t *code, uint32_t v) {
    uint32_t value = MIS_DROPPED;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; "
                 "@p ld.relaxed.gpu.global.s8 %0, [%1]; }"
                 : "+r"(value)
                 : "l"(code + v), "r"((uint32_t)(v != GPUGRAPH_NONE)));
    return value;
}
static __device__ __forceinline__ void mis_put_code(uint8_t *code, uint32_t v,
                                                    uint32_t value) {
    asm volatile("st.relaxed.gpu.global.u8 [%0], %1;" ::"l"(code + v), "r"(value)
                 : "memory");
}
/* Into another device's copy. */
static __device__ __forceinline__ void mis_send_code(uint8_t *code, uint32_t v,
                                                     uint32_t value) {
    asm volatile("st.relaxed.sys.global.u8 [%0], %1;" ::"l"(code + v), "r"(value)
                 : "memory");
}

struct mis_code_share {
    block_sums<uint32_t> sums;
    uint32_t count[MIS_BINS];
    uint8_t edge[MIS_BINS + 1];
};
static_assert((int)MIS_BINS == (int)GG_BLOCK, "a thread for each bin");

/* One block: codes of bins, of which each thread has one, with so many vertices of the sample. */
static __device__ __forceinline__ void mis_share_codes(uint32_t count,
                                                       mis_code_share *share) {
    uint32_t all;
    const uint32_t before = gg_sum_before(count, &all, &share->sums);
    share->edge[threadIdx.x] = mis_edge(before, all);
    if (threadIdx.x == 0)
        share->edge[MIS_BINS] = MIS_CODES;
    __syncthreads();
}

/* One block, by a sample that is the same for all of them. */
static __device__ void mis_choose_codes(const mis_graph &g, mis_code_share *share) {
    const uint32_t sample = g.n < GG_MIS_SAMPLE ? g.n : GG_MIS_SAMPLE;
    share->count[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < sample; i += GG_BLOCK) {
        const uint32_t row = (uint32_t)((uint64_t)i * g.n / sample);
        const uint64_t degree = g.offset[row + 1] - g.offset[row];
        if (degree > 0)
            atomicAdd(&share->count[mis_word(g, row, degree) >> 24], 1u);
    }
    __syncthreads();
    mis_share_codes(share->count[threadIdx.x], share);
}

/* One thread per row. */
static __device__ __forceinline__ void mis_first_code(const mis_graph &g, uint32_t row,
                                                      const mis_code_share &share) {
    const uint64_t degree = g.offset[row + 1] - g.offset[row];
    g.code[row] = degree ? mis_code(share.edge, mis_word(g, row, degree)) : 0;
}

#endif
