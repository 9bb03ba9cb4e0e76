/* Codes of vertices (codes.h) on a device: how they are chosen, loaded and stored. */
#ifndef GPUGRAPH_MIS_CODES_CUH
#define GPUGRAPH_MIS_CODES_CUH

#include "codes.h"
#include "device/block_sum.cuh"
#include "mis.cuh"

/* Vertices of the sample. Each block looks at all of them. (H100: rmat24 1.005 ms with
** 512, 1.012 with 2048; with words 1.377.) */
#define GG_MIS_SAMPLE 512

/* Loads the code of vertex v, or MIS_DROPPED for GPUGRAPH_NONE. mis_code_seen loads it
** through the first-level cache, which may hold an old code. */
#define MIS_LOAD_CODE(function, scope)                                                   \
    static __device__ __forceinline__ uint32_t function(const uint8_t *code,             \
                                                        uint32_t v) {                    \
        uint32_t value = MIS_DROPPED;                                                    \
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; "                            \
                     "@p ld.relaxed." scope ".global.s8 %0, [%1]; }"                     \
                     : "+r"(value)                                                       \
                     : "l"(code + v), "r"((uint32_t)(v != GPUGRAPH_NONE)));              \
        return value;                                                                    \
    }
MIS_LOAD_CODE(mis_code_seen, "cta")
MIS_LOAD_CODE(mis_code_now, "gpu")

/* Stores a code. mis_send_code stores into the copy of another device. */
#define MIS_STORE_CODE(function, scope)                                                  \
    static __device__ __forceinline__ void function(uint8_t *code, uint32_t v,           \
                                                    uint32_t value) {                    \
        asm volatile("st.relaxed." scope ".global.u8 [%0], %1;" ::"l"(code + v),         \
                     "r"(value)                                                          \
                     : "memory");                                                        \
    }
MIS_STORE_CODE(mis_put_code, "gpu")
MIS_STORE_CODE(mis_send_code, "sys")

static_assert(MIS_JOINED == 0, "members are codes of 0");

struct mis_code_share {
    block_sums<uint32_t> sums;
    uint32_t count[MIS_BINS];
    uint8_t edge[MIS_BINS + 1];
};
static_assert((int)MIS_BINS == (int)GG_BLOCK, "a thread for each bin");

/* One block: distributes the codes over the bins. Each thread has one bin. count: the
** vertices of the sample in this bin. */
static __device__ __forceinline__ void mis_share_codes(uint32_t count,
                                                       mis_code_share *share) {
    uint32_t all;
    const uint32_t before = gg_sum_before(count, &all, &share->sums);
    share->edge[threadIdx.x] = mis_edge(before, all);
    if (threadIdx.x == 0)
        share->edge[MIS_BINS] = MIS_CODES;
    __syncthreads();
}

/* One block. All blocks use the same sample. */
static __device__ void mis_choose_codes(const mis_graph &g, mis_code_share *share) {
    const uint32_t sample = g.n < GG_MIS_SAMPLE ? g.n : GG_MIS_SAMPLE;
    share->count[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < sample; i += GG_BLOCK) {
        const uint32_t row = (uint32_t)((uint64_t)i * g.n / sample);
        const uint64_t degree = g.end[row] - g.offset[row];
        if (degree > 0)
            atomicAdd(&share->count[mis_word(g, row, degree) >> 24], 1u);
    }
    __syncthreads();
    mis_share_codes(share->count[threadIdx.x], share);
}

/* Returns the codes of four rows, which begin at begin[0] and so on. rows: the number of
** rows, at most four. word(i, degree) is the word of row i. */
template <typename word_type>
static __device__ __forceinline__ uint32_t mis_four_codes(const uint8_t *edge,
                                                          const uint64_t *begin,
                                                          const uint64_t *end,
                                                          uint32_t rows,
                                                          const word_type &word) {
    uint64_t degree[4];
    uint32_t codes = 0;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
        degree[i] = i < rows ? __ldg(&end[i]) - __ldg(&begin[i]) : 0;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
        if (degree[i] > 0)
            codes |= (uint32_t)mis_code(edge, word(i, degree[i])) << 8 * i;
    return codes;
}

/* Fills member[] for the warp's own tiles, 16 vertices for each lane. Vertices of other
** warps may still be open. Both arrays have space for whole tiles. */
static __device__ __forceinline__ void
mis_members_of_codes(const uint8_t *code, uint8_t *member, uint64_t tiles) {
    const uint64_t warp = gg_thread() / GG_WARP, step = gg_threads_of_grid() / GG_WARP;
    const uint4 *from = (const uint4 *)code;
    uint4 *to = (uint4 *)member;
    for (uint64_t tile = warp + gg_lane() / 2 * step; tile < tiles;
         tile += GG_WARP / 2 * step) {
        const uint64_t i = tile * 2 + gg_lane() % 2;
        const uint4 codes = __ldcg(&from[i]);
        to[i] = make_uint4(__vseteq4(codes.x, 0), __vseteq4(codes.y, 0),
                           __vseteq4(codes.z, 0), __vseteq4(codes.w, 0));
    }
}

#endif
