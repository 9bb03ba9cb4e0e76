/* Breadth-first search on the device by one cluster of blocks: long graphs, whose frontiers
** are small, so that a level costs what its chain of dependent loads costs. bfs.cuh has the
** queue.
**
**     entry     row's first arc, arcs          in the shared memory of the block that found it
**       |   the cluster's entries are dealt out evenly, read across blocks; some lanes to a row
**     target[]
**       |   together: claim its bit, and look its row up in case the claim is won
**     entry     into the block's own other half
**       |   the blocks tell each other their counts; the cluster's barrier
**
** So a level is three loads deep: entry, target, bit or offset, the first of them on chip.
** The barrier of a cluster costs a third of the grid's. A block that runs out of room
** queues in device memory, and the whole grid goes on; so it does where the frontier has
** grown, or holds a long row. */
#include "bfs.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum {
    BLOCK = GG_BFS_NARROW_BLOCK,
    ROOM = GG_BFS_NARROW_ROOM,
    MOST_BLOCKS = GG_BFS_CLUSTER,
    TURNS = GG_BFS_NARROW_TURNS /* rows of a lane whose loads are on their way together */
};
static_assert((int)MOST_BLOCKS <= (int)GG_WARP, "a warp adds up the cluster's counts");

/* What a block tells the others at the end of a level: its entries and flags. */
#define LEAVES  (1u << 31) /* no room, or a long row */
#define STOPS   (1u << 30) /* the host was interrupted */
#define ENTRIES (STOPS - 1)

struct news {
    uint32_t word, hits; /* hits: targets found */
};

struct block_memory {
    uint2 entry[2][ROOM];
    struct news from[2][MOST_BLOCKS];
    uint32_t count; /* entries of the half being filled */
    uint32_t hits, flags;
};

struct narrow {
    device_csr g;
    bfs_arrays b;
    bfs_bounds bounds;
    bfs_shape shape;
};

/* ---- the cluster: one block where the architecture has none ---- */

static __device__ __forceinline__ unsigned blocks_of_cluster() {
#if __CUDA_ARCH__ >= 900
    return cg::this_cluster().num_blocks();
#else
    return 1;
#endif
}

static __device__ __forceinline__ void meet() {
#if __CUDA_ARCH__ >= 900
    cg::this_cluster().sync();
#else
    __syncthreads();
#endif
}

/* The same variable of another block. */
template <typename type>
static __device__ __forceinline__ type *of_block(type *mine, unsigned block) {
#if __CUDA_ARCH__ >= 900
    return cg::this_cluster().map_shared_rank(mine, block);
#else
    return mine;
#endif
}

/* ---- steps ---- */

/* The block's share of the frontier, from the queue. */
static __device__ void bring_in(const narrow &w, block_memory *m, uint32_t first,
                                bfs_size frontier) {
    const uint2 *queue = w.b.queue + first;
    const uint32_t entries = (uint32_t)frontier, arcs = (uint32_t)(frontier >> 32);
    uint32_t low = (uint32_t)((uint64_t)entries * blockIdx.x / gridDim.x);
    uint32_t high = (uint32_t)((uint64_t)entries * (blockIdx.x + 1) / gridDim.x);
    bool leaves = high - low > ROOM;
    for (uint32_t i = low + threadIdx.x; i < high && i - low < ROOM; i += BLOCK) {
        uint32_t end = i + 1 < entries ? queue[i + 1].y : arcs;
        m->entry[0][i - low] = make_uint2(queue[i].x, end - queue[i].y);
        leaves |= end - queue[i].y > GG_BFS_NARROW_ROW;
    }
    if (threadIdx.x == 0)
        m->flags = m->hits = 0;
    leaves = __syncthreads_or(leaves);
    if (threadIdx.x == 0) {
        m->flags = leaves ? LEAVES : 0;
        m->count = high - low;
    }
    meet(); /* nobody writes to a block that has not begun */
}

/* Tells all blocks what this one has; then nothing is left in its counters. */
static __device__ __forceinline__ void publish(block_memory *m, uint32_t turn) {
    __syncthreads();
    if (threadIdx.x < blocks_of_cluster()) {
        news mine = {m->count | m->flags, m->hits};
        *of_block(&m->from[turn % 2][blockIdx.x], threadIdx.x) = mine;
    }
    __syncwarp();
    if (threadIdx.x == 0)
        m->count = m->hits = m->flags = 0;
    meet();
}

struct level {
    uint32_t end;   /* lane i: entries of the blocks up to i */
    uint32_t total; /* entries */
    uint32_t flags, hits;
};

/* One warp: the news of all blocks, the same for everybody. */
static __device__ __forceinline__ level read_news(const block_memory *m, uint32_t turn) {
    bool there = gg_lane() < blocks_of_cluster();
    news one = there ? m->from[turn % 2][gg_lane()] : news{0, 0};
    level l;
    l.end = gg_sum_to(one.word & ENTRIES);
    l.total = __shfl_sync(ALL_LANES, l.end, GG_WARP - 1);
    l.flags = __reduce_or_sync(ALL_LANES, one.word & ~ENTRIES);
    l.hits = __reduce_add_sync(ALL_LANES, one.hits);
    return l;
}

/* Entry number i of the cluster's, wherever it lies. All lanes call; {0, 0} past the
** last. */
static __device__ __forceinline__ uint2 entry_at(block_memory *m, const level &l,
                                                 uint32_t half, uint32_t i) {
    uint32_t block = 0;
    for (uint32_t step = MOST_BLOCKS / 2; step > 0; step /= 2)
        if (__shfl_sync(ALL_LANES, l.end, (int)(block + step - 1)) <= i)
            block += step;
    uint32_t before = __shfl_sync(ALL_LANES, l.end, (int)(block == 0 ? 0 : block - 1));
    if (i >= l.total)
        return make_uint2(0, 0);
    before = block == 0 ? 0 : before;
    return *of_block(&m->entry[half][i - before], block);
}

/* Rows that this warp has found go to the block's other half, or where that is full to the
** queue. */
static __device__ __forceinline__ void keep(const narrow &w, block_memory *m,
                                            uint32_t half, uint32_t tail, uint32_t begin,
                                            uint32_t arcs) {
    unsigned mask = __ballot_sync(ALL_LANES, arcs > 0);
    if (mask == 0)
        return;
    uint32_t at = 0;
    if (gg_lane() == 0)
        at = atomicAdd(&m->count, (uint32_t)__popc(mask));
    at = __shfl_sync(ALL_LANES, at, 0) + __popc(mask & ((1u << gg_lane()) - 1));
    bool fits = arcs > 0 && at<ROOM, spills = arcs> 0 && at >= ROOM;
    if (fits)
        m->entry[half][at] = make_uint2(begin, arcs);
    if (arcs > GG_BFS_NARROW_ROW || spills)
        atomicOr(&m->flags, LEAVES);
    if (__any_sync(ALL_LANES, spills)) {
        bfs_rows<1> rows = {{begin}, {spills ? arcs : 0}, 0, 0, 0};
        gg_add_up(&rows);
        gg_enqueue(w.b.queue + tail, &w.b.control->spill, rows);
    }
}

/* On its way to the second-level cache while the blocks meet. */
static __device__ __forceinline__ void prefetch(const uint32_t *at) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/* What a thread found last. The depths are stored while the next level waits for its
** targets: a store before a barrier is one that the barrier waits for. */
struct held {
    uint32_t v[TURNS], depth;
};

static __device__ __forceinline__ void let_go(const narrow &w, held *h) {
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
        if (h->v[i] != GPUGRAPH_NONE)
            w.b.depth[h->v[i]] = h->depth;
        h->v[i] = GPUGRAPH_NONE;
    }
}

/* The targets of several rows for each lane, all loads together; NONE: no arc. What is
** found is held. */
template <int count>
static __device__ __forceinline__ uint32_t visit(const narrow &w, block_memory *m,
                                                 const uint32_t (&v)[count],
                                                 uint32_t *visited, uint32_t half,
                                                 uint32_t tail, held *h) {
    uint32_t begin[count], arcs[count], found = 0;
#pragma unroll
    for (int i = 0; i < count; i++) {
        /* Asked for before the claim is decided: both take as long. */
        uint64_t from = 0, to = 0;
        if (v[i] != GPUGRAPH_NONE) {
            from = __ldg(&w.g.offset[v[i]]);
            to = __ldg(&w.g.offset[v[i] + 1]);
        }
        begin[i] = (uint32_t)from;
        arcs[i] = (uint32_t)(to - from);
    }
    bool fresh[count];
#pragma unroll
    for (int i = 0; i < count; i++)
        fresh[i] = v[i] != GPUGRAPH_NONE && gg_claim(visited, v[i]);
#pragma unroll
    for (int i = 0; i < count; i++) {
        if (fresh[i]) {
            found++;
            h->v[i] = v[i];
            prefetch(&w.g.target[begin[i]]);
            if (w.bounds.targets && gg_bit(w.b.wanted, v[i]))
                atomicAdd(&m->hits, 1u);
        }
        keep(w, m, half, tail, begin[i], fresh[i] ? arcs[i] : 0);
    }
    return found;
}

/* What of the rows is longer than the lanes to a row: none, on most graphs that come
** here. */
static __device__ uint32_t visit_rest(const narrow &w, block_memory *m, uint2 entry,
                                      uint32_t j, uint32_t width, uint32_t *visited,
                                      uint32_t half, uint32_t tail, held *h) {
    uint32_t found = 0;
    for (; __any_sync(ALL_LANES, j < entry.y); j += width) {
        uint32_t v[1] = {j < entry.y ? __ldg(&w.g.target[entry.x + j]) : GPUGRAPH_NONE};
        let_go(w, h);
        found += visit<1>(w, m, v, visited, half, tail, h);
    }
    return found;
}

/* The block's share of a level. Returns how many vertices this thread found. */
static __device__ __forceinline__ uint32_t expand(const narrow &w, block_memory *m,
                                                  const level &l, uint32_t turn,
                                                  uint32_t depth, uint32_t tail,
                                                  uint32_t *visited, held *h) {
    const uint32_t shift = w.shape.group, width = 1u << shift;
    const uint32_t stride = BLOCK >> shift, sub = gg_lane() & (width - 1);
    const uint32_t share = (l.total + blocks_of_cluster() - 1) / blocks_of_cluster();
    const uint32_t low = share * blockIdx.x;
    const uint32_t high = low + share < l.total ? low + share : l.total;
    uint32_t found = 0;
    uint32_t first = low + (threadIdx.x / GG_WARP << 5 >> shift);
    for (; first < high; first += TURNS * stride) {
        uint2 entry[TURNS];
        uint32_t v[TURNS];
#pragma unroll
        for (int i = 0; i < TURNS; i++) {
            uint32_t at = first + i * stride + (gg_lane() >> shift);
            entry[i] = make_uint2(0, 0);
            if (first + i * stride < high)
                entry[i] = entry_at(m, l, turn % 2, at < high ? at : GPUGRAPH_NONE);
        }
        let_go(w, h);
        h->depth = depth;
#pragma unroll
        for (int i = 0; i < TURNS; i++)
            v[i] =
                sub < entry[i].y ? __ldg(&w.g.target[entry[i].x + sub]) : GPUGRAPH_NONE;
        found += visit<TURNS>(w, m, v, visited, (turn + 1) % 2, tail, h);
#pragma unroll
        for (int i = 0; i < TURNS; i++)
            if (__any_sync(ALL_LANES, width < entry[i].y))
                found += visit_rest(w, m, entry[i], sub + width, width, visited,
                                    (turn + 1) % 2, tail, h);
    }
    return found;
}

/* The frontier goes to the queue, for the whole grid. */
static __device__ void carry_out(const narrow &w, block_memory *m, uint32_t half,
                                 uint32_t mine, uint32_t tail) {
    uint32_t there = mine < ROOM ? mine : ROOM;
    uint32_t whole = (there + GG_WARP - 1) / GG_WARP * GG_WARP;
    for (uint32_t i = threadIdx.x; i < whole; i += BLOCK) {
        uint2 entry = i < there ? m->entry[half][i] : make_uint2(0, 0);
        bfs_rows<1> rows = {{entry.x}, {entry.y}, 0, 0, 0};
        gg_add_up(&rows);
        gg_enqueue(w.b.queue + tail, &w.b.control->spill, rows);
    }
}

static __device__ void leave(const narrow &w, uint32_t depth, uint32_t levels,
                             uint32_t missing, bool over, uint32_t tail) {
    bfs_control *c = w.b.control;
    c->next = over ? BFS_OVER : BFS_WIDE;
    c->narrow_levels += levels;
    c->level = depth;
    c->missing = missing;
    c->first = tail;
    c->frontier = gg_peek(&c->spill);
    c->tail = tail + (uint32_t)c->frontier;
    c->spill = 0;
    c->turns++;
}

/* ---- the kernel ---- */

/* One cluster. */
static __global__ void __launch_bounds__(BLOCK, 1)
    narrow_levels(const __grid_constant__ narrow w) {
    extern __shared__ uint4 shared[];
    block_memory *m = reinterpret_cast<block_memory *>(shared);
    bfs_control *c = w.b.control;
    if (c->next != BFS_NARROW)
        return;
    const uint32_t tail = c->tail, start = c->level;
    uint32_t depth = start, missing = c->missing, *visited = w.b.visited[c->odd];
    uint64_t reached = c->reached, found = 0;
    held h;
    for (int i = 0; i < TURNS; i++)
        h.v[i] = GPUGRAPH_NONE;
    bring_in(w, m, c->first, c->frontier);
    bool over, leaves;
    uint32_t turn = 0;
    for (;; turn++) {
        if (blockIdx.x == 0 && threadIdx.x == 0 && turn % GG_BFS_STOP_LEVELS == 0 &&
            *(const volatile uint32_t *)w.bounds.stop != 0)
            atomicOr(&m->flags, STOPS);
        publish(m, turn);
        level l = read_news(m, turn);
        missing -= l.hits;
        reached += turn > 0 ? l.total : 0;
        over = l.total == 0 || depth >= w.bounds.max_depth || (l.flags & STOPS) ||
               (w.bounds.targets && missing == 0) ||
               (w.bounds.limit > 0 && reached >= w.bounds.limit);
        leaves = (l.flags & LEAVES) || l.total > w.shape.narrow_out;
        if (over || leaves)
            break;
        depth++;
        found += expand(w, m, l, turn, depth, tail, visited, &h);
    }
    let_go(w, &h);
    if (leaves && !over)
        carry_out(w, m, turn % 2, m->from[turn % 2][blockIdx.x].word & ENTRIES, tail);
    uint32_t sum = __reduce_add_sync(ALL_LANES, (uint32_t)found);
    if (gg_lane() == 0 && sum > 0)
        atomicAdd(&c->reached, (unsigned long long)sum);
    __threadfence();
    meet();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        leave(w, depth, turn, missing, over, tail);
}

/* ---- launch ---- */

static void configure(struct cuda_job *job, int blocks, cudaLaunchConfig_t *config,
                      cudaLaunchAttribute *attribute) {
    *config = cudaLaunchConfig_t();
    config->gridDim = dim3((unsigned)blocks);
    config->blockDim = dim3(BLOCK);
    config->dynamicSmemBytes = sizeof(block_memory);
    config->stream = job->stream;
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = (unsigned)blocks;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    config->attrs = attribute;
    config->numAttrs = blocks > 1 ? 1 : 0;
}

/* The largest cluster that fits, a power of two; it is asked for once for each device. */
int gg_bfs_cluster(struct cuda_job *job) {
    static int known[GG_MAX_DEVICES];
    int *blocks = &known[job->device->ordinal], major = 0, clusters = 0;
    if (*blocks > 0)
        return *blocks;
    const void *kernel = (const void *)narrow_levels;
    gg_note(job,
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 sizeof(block_memory)),
            "give a kernel shared memory");
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                           job->device->ordinal);
    *blocks = major >= 9 ? MOST_BLOCKS : 1;
    if (*blocks > 8)
        cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (; *blocks > 1; *blocks /= 2) {
        cudaLaunchConfig_t config;
        cudaLaunchAttribute attribute;
        configure(job, *blocks, &config, &attribute);
        if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess &&
            clusters > 0)
            break;
    }
    cudaGetLastError();
    return *blocks;
}

bool gg_bfs_narrow(struct cuda_job *job, const struct device_csr *g,
                   const struct bfs_arrays *b, struct bfs_bounds bounds,
                   struct bfs_shape shape) {
    struct narrow w = {*g, *b, bounds, shape};
    void *arguments[] = {&w};
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attribute;
    configure(job, gg_bfs_cluster(job), &config, &attribute);
    if (gg_going(job))
        gg_note(job, cudaLaunchKernelExC(&config, (const void *)narrow_levels, arguments),
                "start the kernel narrow_levels");
    return gg_going(job);
}
