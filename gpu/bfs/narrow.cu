/* Breadth-first search on the device by one cluster of blocks, for long graphs. Frontiers
** of long graphs are small, so a level takes as long as its chain of dependent steps.
** bfs.cuh has the queue.
**
**     entry     row's first arc, arcs          in the shared memory of its block
**       |   a warp takes entries from one block, with some lanes for each row
**     target[]
**       |   together: claim the bit, and load the row in case the claim succeeds
**     entry     sent to the blocks in turns, so that all blocks have equal work
**
** A level has two dependent loads from device memory. There is no barrier of the cluster
** between levels, because a barrier would wait for all pending stores and empty the
** first-level cache. Entries travel as asynchronous stores, which the mbarrier of the
** receiver counts. A block that has sent all of its entries sends their number to each
** other block. It goes on as soon as it has received all entries of the other blocks.
**
** The whole grid takes over if a block runs out of space and queues entries in device
** memory, if the frontier has grown, or if the frontier has a long row. */
#include "narrow.cuh"

/* Levels between two looks at the stop flag: about a millisecond. */
enum { STOP_LEVELS = 1024 };

/* ---- a level ---- */

/* One warp passes on the rows that its lanes have found. 0 arcs: no row. Rows go to the
** blocks in turns, or to the queue if there is no space. */
template <int count>
BFS_STEP void pass_on(const narrow &w, const place &p, uint32_t half,
                      const uint32_t (&begin)[count], const uint32_t (&arcs)[count]) {
    unsigned mask[count];
    uint32_t total = 0, at = 0;
    bool leaves = false;
#pragma unroll
    for (int i = 0; i < count; i++) {
        mask[i] = __ballot_sync(ALL_LANES, arcs[i] > 0);
        total += __popc(mask[i]);
    }
    if (total == 0)
        return;
    if (gg_lane() == 0)
        at = atomicAdd(&p.m->sent, total);
    at = __shfl_sync(ALL_LANES, at, 0);
#pragma unroll
    for (int i = 0; i < count; i++) {
        uint32_t mine = at + __popc(mask[i] & ((1u << gg_lane()) - 1));
        bool fits = arcs[i] > 0 && mine<ROOM, spills = arcs[i]> 0 && mine >= ROOM;
        leaves |= arcs[i] > GG_BFS_NARROW_ROW || spills;
        if (fits) {
            uint32_t lane = ROOM >> p.shift, slot = p.me * lane + (mine >> p.shift);
            uint32_t block = (p.me + mine) & ((1u << p.shift) - 1);
            gg_send(&p.m->mail, &p.m->entry[half][slot], block, half,
                    make_uint2(begin[i], arcs[i]));
        }
        if (p.tail != GPUGRAPH_NONE && __any_sync(ALL_LANES, spills)) {
            bfs_rows<1> rows = {{begin[i]}, {spills ? arcs[i] : 0}, 0, 0, 0};
            gg_add_up(&rows);
            gg_enqueue(w.b.queue + p.tail, &w.b.control->spill, rows);
        }
        at += __popc(mask[i]);
    }
    if (leaves)
        atomicOr(&p.m->flags, LEAVES);
}

/* One warp claims the targets v of its lanes. NONE: no target. Returns how many targets
** this thread has claimed. */
template <int count>
BFS_STEP uint32_t visit_targets(const narrow &w, const place &p,
                                const uint32_t (&v)[count], uint32_t half,
                                uint32_t depth) {
    /* The low words of offsets. */
    const uint32_t *row_begin = reinterpret_cast<const uint32_t *>(w.g.begin),
                   *row_end = reinterpret_cast<const uint32_t *>(w.g.end);
    uint32_t begin[count], arcs[count], before[count], found = 0;
    /* The loads of rows and the claims are all under way before the first wait. */
#pragma unroll
    for (int i = 0; i < count; i++) {
        begin[i] = gg_load_now(row_begin + 2 * (uint64_t)v[i], v[i] != GPUGRAPH_NONE);
        arcs[i] = gg_load_now(row_end + 2 * (uint64_t)v[i], v[i] != GPUGRAPH_NONE);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
        before[i] = UINT32_MAX;
        if (v[i] != GPUGRAPH_NONE)
            before[i] = atomicOr(&p.visited[v[i] / 32], 1u << v[i] % 32);
    }
#pragma unroll
    for (int i = 0; i < count; i++) {
        bool fresh = !(before[i] >> v[i] % 32 & 1);
        arcs[i] = fresh ? arcs[i] - begin[i] : 0;
        if (fresh) {
            found++;
            gg_fetch_ahead_far(&w.g.target[begin[i]]);
            w.b.depth[v[i]] = depth;
            if (w.bounds.targets && gg_bit(w.b.wanted, v[i]))
                atomicAdd(&p.m->hits, 1u);
        }
    }
    pass_on<count>(w, p, half, begin, arcs);
    return found;
}

/* TURNS rows of a group of lanes, and PARTS targets of each row. */
struct rows_ahead {
    uint2 entry[TURNS];
    uint32_t v[TURNS][PARTS];
};

BFS_STEP void load_rows(const narrow &w, const part &t, uint32_t at, rows_ahead *b) {
    const uint32_t sub = gg_lane() & ((1u << t.lanes) - 1);
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
        uint32_t row = at + i * t.stride + (gg_lane() >> t.lanes);
        b->entry[i] = row < t.count ? t.entry[row] : make_uint2(0, 0);
    }
#pragma unroll
    for (int i = 0; i < TURNS; i++)
#pragma unroll
        for (int k = 0; k < PARTS; k++)
            b->v[i][k] = sub + (k << t.lanes) < b->entry[i].y
                             ? __ldg(&w.g.target[b->entry[i].x + sub + (k << t.lanes)])
                             : GPUGRAPH_NONE;
}

/* Expands the warp's part of a level. The first batch is already loaded. */
static __device__ uint32_t expand_rows(const narrow &w, const place &p, const part &t,
                                       rows_ahead *b, uint32_t turn, uint32_t depth) {
    const uint32_t lanes = 1u << t.lanes, sub = gg_lane() & (lanes - 1);
    const uint32_t half = (turn + 1) % 2;
    uint32_t found = 0;
    for (uint32_t at = t.at; at < t.count;) {
        const bool more = at + t.stride < t.count;
        const bool over =
            __any_sync(ALL_LANES, b->entry[0].y > lanes || b->entry[1].y > lanes);
        if (more && over) {
            const uint32_t v[4] = {b->v[0][0], b->v[0][1], b->v[1][0], b->v[1][1]};
            found += visit_targets<4>(w, p, v, half, depth);
        } else if (more || over) {
            const uint32_t v[2] = {b->v[0][0], more ? b->v[1][0] : b->v[0][1]};
            found += visit_targets<2>(w, p, v, half, depth);
        } else {
            const uint32_t v[1] = {b->v[0][0]};
            found += visit_targets<1>(w, p, v, half, depth);
        }
        if (over)
#pragma unroll
            for (int i = 0; i < TURNS && at + i * t.stride < t.count; i++)
                for (uint32_t j = sub + PARTS * lanes;
                     __any_sync(ALL_LANES, j < b->entry[i].y); j += lanes) {
                    uint32_t v[1] = {GPUGRAPH_NONE};
                    if (j < b->entry[i].y)
                        v[0] = __ldg(&w.g.target[b->entry[i].x + j]);
                    found += visit_targets<1>(w, p, v, half, depth);
                }
        at += TURNS * t.stride;
        if (at < t.count)
            load_rows(w, t, at, b);
    }
    return found;
}

/* ---- from the queue and back ---- */

/* Moves the frontier to the queue, for the whole grid. */
static __device__ void carry_out(const narrow &w, const place &p, const part &t) {
    const uint32_t warps = blockDim.x / GG_WARP >> p.shift;
    const uint32_t warp = threadIdx.x / GG_WARP >> p.shift;
    for (uint32_t i = warp * GG_WARP; i < t.count; i += warps * GG_WARP) {
        uint2 entry = i + gg_lane() < t.count ? t.entry[i + gg_lane()] : make_uint2(0, 0);
        bfs_rows<1> rows = {{entry.x}, {entry.y}, 0, 0, 0};
        gg_add_up(&rows);
        gg_enqueue(w.b.queue + p.tail, &w.b.control->spill, rows);
    }
}

/* Loads the block's share of the frontier from the queue, as if this cluster had found
** it. */
static __device__ void bring_in(const narrow &w, const place &p, uint32_t first,
                                bfs_size frontier) {
    const uint2 *queue = w.b.queue + first;
    const uint32_t entries = (uint32_t)frontier, arcs = (uint32_t)(frontier >> 32);
    const uint32_t all = gridDim.x * blockDim.x;
    const place there = {p.m, p.me, p.shift, GPUGRAPH_NONE, p.visited};
    for (uint32_t i = p.me * blockDim.x; i < entries; i += all) {
        uint32_t at = i + threadIdx.x;
        uint32_t begin[1] = {0}, row[1] = {0};
        if (at < entries) {
            uint32_t end = at + 1 < entries ? queue[at + 1].y : arcs;
            begin[0] = queue[at].x;
            row[0] = end - queue[at].y;
        }
        pass_on<1>(w, there, 0, begin, row);
    }
}

/* A frontier that came from the queue and was not expanded is still in the queue. */
static __device__ void leave_cluster(const narrow &w, uint32_t depth, uint32_t levels,
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

/* Runs as one cluster. */
static __global__ void __launch_bounds__(GG_BFS_NARROW_BLOCK, 1)
    narrow_levels(const __grid_constant__ narrow w) {
    extern __shared__ uint4 shared[];
    block_memory *m = reinterpret_cast<block_memory *>(shared);
    bfs_control *c = w.b.control;
    if (c->next != BFS_NARROW)
        return;
    const uint32_t blocks = gg_cluster_blocks();
    const place p = {m, blockIdx.x, 31u - __clz(blocks), c->tail, w.b.visited[c->odd]};
    uint32_t depth = c->level, missing = c->missing, turn = 0;
    uint64_t reached = c->reached;
    uint32_t found = 0;
    bool over, leaves;
    if (threadIdx.x == 0)
        m->sent = m->hits = m->flags = 0;
    gg_open_mail(&m->mail, blocks);
    bring_in(w, p, c->first, c->frontier);
    for (;; turn++) {
        if (blockIdx.x == 0 && threadIdx.x == 0 && turn % STOP_LEVELS == 0 &&
            *(const volatile uint32_t *)w.bounds.stop != 0)
            atomicOr(&m->flags, STOPS);
        finish_sending(p, turn);
        gg_late();
        bool there = gg_receive(&m->mail, turn);
        part t = part_of_warp(p, turn, w.short_rows);
        rows_ahead b;
        load_rows(w, t, t.at, &b);
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
                carry_out(w, p, t);
            break;
        }
        depth++;
        found += expand_rows(w, p, t, &b, turn, depth);
    }
    found = __reduce_add_sync(ALL_LANES, found);
    if (gg_lane() == 0 && found > 0)
        atomicAdd(&c->reached, (unsigned long long)found);
    __threadfence();
    gg_cluster_barrier();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        leave_cluster(w, depth, turn, missing, over, p.tail);
}

/* ---- launch ---- */

enum { MEMORY = sizeof(block_memory) };

static void configure(cuda_job *job, int blocks, cudaLaunchConfig_t *config,
                      cudaLaunchAttribute *attribute) {
    *config = cudaLaunchConfig_t();
    config->gridDim = dim3((unsigned)blocks);
    config->blockDim = dim3(GG_BFS_NARROW_BLOCK);
    config->dynamicSmemBytes = MEMORY;
    config->stream = job->stream;
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = (unsigned)blocks;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    config->attrs = attribute;
    config->numAttrs = blocks > 1 ? 1 : 0;
}

/* Returns the number of blocks of the largest cluster that fits, a power of two. The
** driver is asked once for each device. */
int gg_bfs_cluster(cuda_job *job) {
    static int known[GG_MAX_DEVICES];
    int *blocks = &known[job->device->ordinal], major = 0, clusters = 0;
    if (*blocks > 0)
        return *blocks;
    const void *kernel = (const void *)narrow_levels;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                           job->device->ordinal);
    *blocks = major >= 9 ? MOST_BLOCKS : 1;
    gg_note(
        job,
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, MEMORY),
        "give a kernel shared memory");
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

bool gg_bfs_narrow(cuda_job *job, const device_csr *g, const bfs_arrays *b,
                   bfs_bounds bounds, bfs_shape shape) {
    narrow w = {*g, *b, bounds, shape, g->m <= 4 * (uint64_t)g->n};
    void *arguments[] = {&w};
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attribute;
    configure(job, gg_bfs_cluster(job), &config, &attribute);
    if (gg_going(job))
        gg_note(job, cudaLaunchKernelExC(&config, (const void *)narrow_levels, arguments),
                "start the kernel narrow_levels");
    return gg_going(job);
}
