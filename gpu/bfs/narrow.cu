/* Breadth-first search on the device by one cluster of blocks: long graphs, whose frontiers
** are small, so that a level costs what its chain of dependent steps costs. bfs.cuh has the
** queue.
**
**     entry     row's first arc, arcs          in the shared memory of the block that has it
**       |   a warp to what one block has sent, some lanes to a row
**     target[]
**       |   together: claim its bit, and look its row up in case the claim is won
**     entry     sent to the blocks in turns, so that all have as much to do
**
** A level is two loads from device memory deep. Between levels there is no barrier of the
** cluster, which would wait for every store under way and empty the first-level cache:
** entries travel as asynchronous stores that the receiver's mbarrier counts. A block that
** has sent all of its own tells every other one how many those were, and goes on as soon as
** it has all of theirs.
**
** A block that runs out of room queues in device memory, and the whole grid goes on; so it
** does where the frontier has grown, or holds a long row. */
#include "narrow_fixed.cuh"
#include "narrow_rows.cuh"

/* What came from the queue and could not be served is there still. */
static __device__ void leave(const narrow &w, uint32_t depth, uint32_t levels,
                             uint32_t missing, bool over, uint32_t tail) {
    bfs_control *c = w.b.control;
    c->next = over ? BFS_OVER : BFS_WIDE;
    c->narrow_levels += levels;
    c->level = depth;
    c->missing = missing;
    if (levels > 0) {
        c->first = tail;
        c->frontier = gg_peek(&c->spill);
        c->tail = tail + (uint32_t)c->frontier;
    }
    c->spill = 0;
    c->turns++;
}

/* ---- the kernel ---- */

/* One cluster. look: by_rows, by_places. */
template <typename look>
static __global__ void __launch_bounds__(GG_BFS_NARROW_BLOCK, 1)
    narrow_levels(const __grid_constant__ narrow w) {
    typedef typename look::entry entry;
    extern __shared__ uint4 shared[];
    block_memory<entry> *m = reinterpret_cast<block_memory<entry> *>(shared);
    bfs_control *c = w.b.control;
    if (c->next != BFS_NARROW)
        return;
    const uint32_t blocks = gg_cluster_blocks();
    const place<entry> p = {m, blockIdx.x, 31u - __clz(blocks), c->tail,
                            w.b.visited[c->odd]};
    uint32_t depth = c->level, missing = c->missing, turn = 0;
    uint64_t reached = c->reached;
    uint32_t found = 0;
    bool over, leaves;
    if (threadIdx.x == 0)
        m->sent = m->hits = m->flags = 0;
    gg_open_mail(&m->mail, blocks);
    look::begin(w, p, c->first, c->frontier);
    for (;; turn++) {
        if (blockIdx.x == 0 && threadIdx.x == 0 && turn % GG_BFS_STOP_LEVELS == 0 &&
            *(const volatile uint32_t *)w.bounds.stop != 0)
            atomicOr(&m->flags, STOPS);
        finish(p, turn);
        gg_late();
        bool there = gg_receive(&m->mail, turn);
        part<entry> t = look::share(w, p, turn);
        typename look::batch b;
        look::ask(w, t, &b);
        summary s = sum_up(p, turn);
        missing -= s.hits;
        reached += turn > 0 ? s.total : 0;
        over = !there || s.total == 0 || depth >= w.bounds.max_depth ||
               (s.flags & STOPS) || (w.bounds.targets && missing == 0) ||
               (w.bounds.limit > 0 && reached >= w.bounds.limit);
        leaves = (s.flags & LEAVES) || s.total > w.shape.narrow_out;
        if (!there)
            atomicOr(&c->failed, 1u);
        if (over || leaves) {
            if (!over && turn > 0)
                look::leave(w, p, t);
            break;
        }
        depth++;
        found += look::look(w, p, t, &b, turn, depth);
    }
    found = __reduce_add_sync(ALL_LANES, found);
    if (gg_lane() == 0 && found > 0)
        atomicAdd(&c->reached, (unsigned long long)found);
    __threadfence();
    gg_close_mail();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        leave(w, depth, turn, missing, over, p.tail);
}

/* ---- launch ---- */

/* More than entries of by_places take: one kernel is asked for both. */
enum { MEMORY = sizeof(block_memory<uint2>) };
static_assert(sizeof(block_memory<uint32_t>) <= MEMORY, "it does");

static void configure(struct cuda_job *job, int blocks, unsigned threads,
                      cudaLaunchConfig_t *config, cudaLaunchAttribute *attribute) {
    *config = cudaLaunchConfig_t();
    config->gridDim = dim3((unsigned)blocks);
    config->blockDim = dim3(threads);
    config->dynamicSmemBytes = MEMORY;
    config->stream = job->stream;
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = (unsigned)blocks;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    config->attrs = attribute;
    config->numAttrs = blocks > 1 ? 1 : 0;
}

static void allow(struct cuda_job *job, const void *kernel, int blocks) {
    gg_note(
        job,
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, MEMORY),
        "give a kernel shared memory");
    if (blocks > 8)
        cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
}

/* The largest cluster that fits, a power of two; it is asked for once for each device. */
int gg_bfs_cluster(struct cuda_job *job) {
    static int known[GG_MAX_DEVICES];
    int *blocks = &known[job->device->ordinal], major = 0, clusters = 0;
    if (*blocks > 0)
        return *blocks;
    const void *kernel = (const void *)narrow_levels<by_rows>;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                           job->device->ordinal);
    *blocks = major >= 9 ? MOST_BLOCKS : 1;
    allow(job, kernel, *blocks);
    allow(job, (const void *)narrow_levels<by_places>, *blocks);
    for (; *blocks > 1; *blocks /= 2) {
        cudaLaunchConfig_t config;
        cudaLaunchAttribute attribute;
        configure(job, *blocks, GG_BFS_NARROW_BLOCK, &config, &attribute);
        if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess &&
            clusters > 0)
            break;
    }
    cudaGetLastError();
    return *blocks;
}

bool gg_bfs_narrow(struct cuda_job *job, const struct device_csr *g,
                   const uint32_t *fixed, const struct bfs_arrays *b,
                   struct bfs_bounds bounds, struct bfs_shape shape) {
    struct narrow w = {*g, fixed, *b, bounds, shape, g->m <= 4 * (uint64_t)g->n};
    const void *kernel = fixed ? (const void *)narrow_levels<by_places>
                               : (const void *)narrow_levels<by_rows>;
    unsigned threads =
        g->n < GG_BFS_NARROW_VERTICES ? GG_BFS_NARROW_SMALL_BLOCK : GG_BFS_NARROW_BLOCK;
    void *arguments[] = {&w};
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attribute;
    configure(job, gg_bfs_cluster(job), threads, &config, &attribute);
    if (gg_going(job))
        gg_note(job, cudaLaunchKernelExC(&config, kernel, arguments),
                "start the kernel narrow_levels");
    return gg_going(job);
}
