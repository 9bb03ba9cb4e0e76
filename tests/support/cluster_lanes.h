/* The messages of a cluster's blocks (cluster.cuh) and the launch of a cluster, on CPU
** threads. Include it behind cuda_lanes.h, in place of cluster.cuh.
**
** A message is in flight until a block that waits for messages delivers it: pairs and
** announcements of all blocks in any order. An mbarrier has exact semantics: a phase ends
** when every block has announced and all announced bytes have arrived, and a waiting
** block asks for the parity of a phase. */
#ifndef TEST_CLUSTER_LANES_H
#define TEST_CLUSTER_LANES_H

#define GPUGRAPH_CLUSTER_CUH

#include "cuda_lanes.h"

#include <mutex>

enum { GG_MAX_DEVICES = 4, LANES_MOST_BLOCKS = 16 };

/* ---- mail ---- */

struct cluster_mail {
    unsigned long long unused;
};

struct letter {
    uint32_t block, half;
    uint32_t *at; /* NULL: an announcement of `bytes` bytes */
    uint32_t word[2];
    uint32_t bytes;
};
struct mbarrier {
    uint32_t announced, phase;
    /* announced and not received yet; negative: received and not announced yet */
    int64_t bytes;
};

static struct {
    std::mutex mutex;
    std::vector<letter> under_way;
    char *memory[LANES_MOST_BLOCKS]; /* address of each block's struct cluster_mail */
    mbarrier arrival[LANES_MOST_BLOCKS][2];
    uint32_t blocks, opened, closed;
    uint64_t luck;
} cluster;

static void deliver(const letter &l) {
    mbarrier *b = &cluster.arrival[l.block][l.half];
    if (l.at) {
        memcpy(l.at, l.word, l.bytes);
        b->bytes -= l.bytes;
    } else {
        b->announced++;
        b->bytes += l.bytes;
    }
    if (b->announced == cluster.blocks && b->bytes == 0) {
        b->announced = 0;
        b->phase++;
    }
}

/* Delivers some messages in flight, chosen at random. */
static void deliver_some() {
    for (int i = 0; i < 8 && !cluster.under_way.empty(); i++) {
        cluster.luck = cluster.luck * 6364136223846793005ull + 1442695040888963407ull;
        const size_t which = (size_t)(cluster.luck >> 33) % cluster.under_way.size();
        const letter l = cluster.under_way[which];
        cluster.under_way[which] = cluster.under_way.back();
        cluster.under_way.pop_back();
        deliver(l);
    }
}

/* A barrier of all blocks, which is used once. */
static void meet_blocks(uint32_t *come) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __atomic_fetch_add(come, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(come, __ATOMIC_ACQUIRE) < cluster.blocks)
            sched_yield();
    }
    __syncthreads();
}

static inline void gg_open_mail(cluster_mail *mail, uint32_t) {
    cluster.memory[blockIdx.x] = reinterpret_cast<char *>(mail);
    meet_blocks(&cluster.opened);
}
/* The address of the word in the other block. */
static inline uint32_t *word_in(cluster_mail *mail, void *at, uint32_t block) {
    const ptrdiff_t offset = static_cast<char *>(at) - reinterpret_cast<char *>(mail);
    return reinterpret_cast<uint32_t *>(cluster.memory[block] + offset);
}
static inline void gg_send(cluster_mail *mail, uint2 *at, uint32_t block, uint32_t half,
                           uint2 pair) {
    std::lock_guard<std::mutex> lock(cluster.mutex);
    cluster.under_way.push_back(
        {block, half, word_in(mail, at, block), {pair.x, pair.y}, 8});
}
static inline void gg_announce_bytes(cluster_mail *, uint32_t block, uint32_t half,
                                     uint32_t bytes) {
    std::lock_guard<std::mutex> lock(cluster.mutex);
    cluster.under_way.push_back({block, half, NULL, {0, 0}, bytes});
}
/* Other lanes of the block may still have to send messages. */
static inline bool gg_receive(cluster_mail *, uint32_t turn) {
    for (uint32_t looks = 0; looks < 1u << 22; looks++) {
        {
            std::lock_guard<std::mutex> lock(cluster.mutex);
            deliver_some();
            const mbarrier *b = &cluster.arrival[blockIdx.x][turn % 2];
            if ((b->phase & 1) != (turn / 2 & 1))
                return true;
        }
        next_lane();
        sched_yield();
    }
    return false;
}
static inline uint32_t gg_cluster_blocks() {
    return cluster.blocks;
}
static inline void gg_cluster_barrier() {
    meet_blocks(&cluster.closed);
}

/* ---- launch ---- */

struct dim3 {
    unsigned x, y, z;
    explicit dim3(unsigned count = 1) : x(count), y(1), z(1) {}
};
enum cudaError_t { cudaSuccess };
enum {
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaFuncAttributeNonPortableClusterSizeAllowed,
    cudaDevAttrComputeCapabilityMajor,
    cudaLaunchAttributeClusterDimension
};
struct cudaLaunchAttribute {
    int id;
    struct {
        dim3 clusterDim;
    } val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    void *stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};
static inline cudaError_t cudaFuncSetAttribute(const void *, int, int) {
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetAttribute(int *major, int, int) {
    *major = 9;
    return cudaSuccess;
}
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *,
                                                         const cudaLaunchConfig_t *) {
    *clusters = 1;
    return cudaSuccess;
}
static inline cudaError_t cudaGetLastError() {
    return cudaSuccess;
}
static inline bool gg_note(cuda_job *, cudaError_t, const char *) {
    return true;
}
static inline bool gg_going(cuda_job *) {
    return true;
}
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                              const void *kernel, void **arguments) {
    void *argument = arguments[0];
    cluster.under_way.clear();
    memset(cluster.arrival, 0, sizeof cluster.arrival);
    cluster.blocks = config->gridDim.x;
    cluster.opened = cluster.closed = 0;
    run_grid(config->gridDim.x, config->blockDim.x,
             [=] { run_kernel(kernel, argument); });
    return cudaSuccess;
}

#endif
