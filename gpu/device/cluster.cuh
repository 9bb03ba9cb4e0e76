/* Messages among the blocks of a cluster. A message is a pair of words that the sender
** stores in the receiver's shared memory; the receiver counts the bytes. On an
** architecture without clusters each block is a cluster.
**
**     gg_send             sends a pair by an asynchronous store
**     gg_announce_bytes   once in a turn, to every block: the number of bytes sent to it
**     gg_receive          waits for the announcements of all blocks, and for all bytes
**
** A cluster barrier would also work. But it waits for all memory operations and empties
** the first-level cache, which takes a microsecond in each turn. Turns use two mbarriers
** alternately, since a pair of the next turn may arrive while this block still waits for
** a pair of the present turn. Two turns after a block has read a message, another message
** may overwrite it. */
#ifndef GPUGRAPH_CLUSTER_CUH
#define GPUGRAPH_CLUSTER_CUH

#include <stdint.h>

/* The most polls for words that other blocks send within some microseconds. Only after a
** fault a thread polls so often. */
enum { CLUSTER_WAITS = 1 << 22 };

struct cluster_mail {              /* in shared memory */
    unsigned long long arrival[2]; /* mbarriers; turn t uses number t % 2 */
};

#if __CUDA_ARCH__ >= 900

static __device__ __forceinline__ uint32_t gg_shared_address(const void *at) {
    return (uint32_t)__cvta_generic_to_shared(at);
}

/* Returns the address of the same variable in another block's memory. */
static __device__ __forceinline__ uint32_t gg_address_in(const void *at, uint32_t block) {
    uint32_t remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(remote)
        : "r"(gg_shared_address(at)), "r"(block));
    return remote;
}

/* A cluster barrier. The header of cooperative groups has one, too, but costs the
** compiler two seconds. */
static __device__ __forceinline__ void gg_cluster_barrier() {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

static __device__ __forceinline__ void gg_open_mail(cluster_mail *mail, uint32_t blocks) {
    if (threadIdx.x < 2)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n"
                     "fence.mbarrier_init.release.cluster;" ::"r"(
                         gg_shared_address(&mail->arrival[threadIdx.x])),
                     "r"(blocks)
                     : "memory");
    gg_cluster_barrier();
}

/* Stores the pair in the other block's memory, where an mbarrier counts its bytes. */
static __device__ __forceinline__ void
gg_send(cluster_mail *mail, uint2 *at, uint32_t block, uint32_t half, uint2 pair) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
                 "[%0], {%1, %2}, [%3];" ::"r"(gg_address_in(at, block)),
                 "r"(pair.x), "r"(pair.y), "r"(gg_address_in(&mail->arrival[half], block))
                 : "memory");
}

/* Announces to `block` how many bytes this block sends to it in the turn. */
static __device__ __forceinline__ void
gg_announce_bytes(cluster_mail *mail, uint32_t block, uint32_t half, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%0], "
                 "%1;" ::"r"(gg_address_in(&mail->arrival[half], block)),
                 "r"(bytes)
                 : "memory");
}

/* Waits until all messages of the turn to this block have arrived. Returns false after
** CLUSTER_WAITS polls. */
static __device__ __forceinline__ bool gg_receive(cluster_mail *mail, uint32_t turn) {
    uint32_t there = 0;
    for (uint32_t looks = 0; !there && looks < CLUSTER_WAITS; looks++)
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(there)
                     : "r"(gg_shared_address(&mail->arrival[turn % 2])), "r"(turn / 2 & 1)
                     : "memory");
    return there;
}

static __device__ __forceinline__ uint32_t gg_cluster_blocks() {
    return __clusterSizeInBlocks();
}

#else

static __device__ __forceinline__ void gg_open_mail(cluster_mail *, uint32_t) {
    __syncthreads();
}
static __device__ __forceinline__ void gg_send(cluster_mail *, uint2 *at, uint32_t,
                                               uint32_t, uint2 pair) {
    *at = pair;
}
static __device__ __forceinline__ void gg_announce_bytes(cluster_mail *, uint32_t,
                                                         uint32_t, uint32_t) {}
static __device__ __forceinline__ bool gg_receive(cluster_mail *, uint32_t) {
    __syncthreads();
    return true;
}
static __device__ __forceinline__ uint32_t gg_cluster_blocks() {
    return 1;
}
static __device__ __forceinline__ void gg_cluster_barrier() {
    __syncthreads();
}

#endif

#endif
