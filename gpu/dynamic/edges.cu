/* Batches of edges on a device: one lane per item. The operations of a lane:
** slab_table.h. */
#include "batch_item.h"
#include "block.cuh"
#include "rehash.cuh"

#include <cooperative_groups.h>

/* ---- kernels: one lane per item ---- */

/* Returns true if neighbouring lanes name the same vertex. Lanes of one vertex then share
** an addition. If few lanes share a vertex, their search costs more than it saves. */
static __device__ __forceinline__ bool are_gathered(unsigned here, uint32_t vertex) {
    return __any_sync(here, __shfl_up_sync(here, vertex, 1) == vertex && warp_lane() > 0);
}

/* One lane per insertion: counts it for its vertex, lists the vertex if it must grow, and
** checks the order of the batch. */
template <bool valued>
static __global__ void __launch_bounds__(GG_BLOCK)
    announce(const __grid_constant__ slab_graph g,
             const __grid_constant__ dynamic_batch b) {
    __shared__ block_share share;
    uint32_t far = 0;
    for (uint64_t part = blockIdx.x * (uint64_t)GG_BLOCK; part < b.count;
         part += gg_threads_of_grid()) {
        uint64_t i = part + threadIdx.x;
        uint32_t u = SLAB_NONE, sectors = 0, number;
        bool grows = false;
        if (i < b.count)
            u = b.source[i];
        bool gathered = are_gathered(0xffffffffu, u);
        if (i < b.count) {
            uint32_t next = i + 1 < b.count ? b.source[i + 1] : SLAB_NONE;
            number = gathered ? device_reserve(&g.incoming[u], 1)
                              : device_take(&g.incoming[u], 1);
            grows = slab_announce(&g, u, number, valued, &sectors);
            far += number >= SLAB_FAR;
            if (!b.unsorted &&
                (u > next || (u == next && b.target[i] >= b.target[i + 1])))
                if (!device_load(&g.pool->report.unsorted))
                    device_store(&g.pool->report.unsorted, 1);
        }
        bool small = grows && sectors <= SLAB_SMALL;
        if (__syncthreads_or(small)) {
            uint32_t *const list[1] = {&g.pool->growing[0]};
            uint32_t at[1];
            block_reserve<1>(list, {small}, at, &share);
            if (small)
                g.growing[at[0]] = u;
        }
        if (grows && !small)
            slab_list_growing(&g, u, sectors);
    }
    __syncwarp();
    gg_tally(&g.pool->report.far, far);
}

/* Counts new edges of a vertex; lanes that have added to the same vertex share one
** addition. */
static __device__ __forceinline__ void count_used(const slab_graph &g, uint32_t from) {
    const unsigned here = __activemask();
    unsigned same = 1u << warp_lane();
    if (are_gathered(here, from))
        same = __match_any_sync(here, from);
    if (lowest_bit(same) == warp_lane())
        atomicAdd(&g.vertex[from].used, (unsigned)__popc((int)same));
}

/* Completes an insertion by some lanes of a warp. */
static __device__ __forceinline__ uint32_t count_added(const slab_graph &g, uint32_t from,
                                                       uint32_t target,
                                                       slab_outcome outcome,
                                                       bool claims) {
    if (outcome == SLAB_ADDED) {
        count_used(g, from);
        return 1;
    }
    if (claims && outcome == SLAB_FOUND)
        slab_mark(&g, from, target);
    return 0;
}

/* One lane per insertion into tables that have room: all items of the batch, or those
** that had to wait. */
template <bool valued, bool later>
static __device__ __forceinline__ void insert_items(const slab_graph &g,
                                                    const dynamic_batch &b) {
    if (__syncthreads_or(device_load(&g.pool->report.full)))
        return; /* a vertex may have no table */
    const bool claims = !b.keep && (b.unsorted || g.pool->report.unsorted);
    const slab_manner manner = claims || b.keep ? SLAB_KEEP : SLAB_REPLACE;
    const uint64_t count = later ? g.pool->later : b.count;
    const uint64_t whole = (count + GG_WARP - 1) / GG_WARP * GG_WARP;
    uint32_t added = 0;
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        uint32_t from = 0;
        uint64_t pair = 0;
        slab_outcome outcome = SLAB_FULL;
        if (i < count) {
            const uint64_t item = later ? b.result[i] : i;
            from = b.source[item];
            pair = batch_pair(&b, item, valued);
            outcome = slab_put(&g, slab_vertex_now(&g, from), pair, valued, manner,
                               later ? SLAB_NOW : SLAB_LATELY);
        }
        __syncwarp();
        added += count_added(g, from, (uint32_t)pair, outcome, valued && claims);
        __syncwarp();
    }
    gg_tally(&g.pool->report.added, added);
}

template <bool valued>
static __global__ void insert(const __grid_constant__ slab_graph g,
                              const __grid_constant__ dynamic_batch b) {
    insert_items<valued, false>(g, b);
}

/* Lists items that wait, and their vertices; called by all threads of the block. */
static __device__ __forceinline__ void put_off(const slab_graph &g,
                                               const dynamic_batch &b, uint64_t item,
                                               bool waits, block_share *share) {
    if (!__syncthreads_or(waits))
        return;
    uint32_t *const list[2] = {&g.pool->later, &g.pool->growing[0]};
    uint32_t at[2], from = 0, sectors = 0;
    bool grows = false;
    if (waits) {
        from = b.source[item];
        grows = slab_put_off(&g, from);
        sectors = slab_vertex_now(&g, from).sectors;
    }
    bool small = grows && sectors <= SLAB_SMALL;
    block_reserve<2, GG_DYNAMIC_BLOCK>(list, {waits, small}, at, share);
    if (waits)
        b.result[at[0]] = (uint32_t)item;
    if (small)
        g.growing[at[1]] = from;
    if (grows && !small)
        slab_list_growing(&g, from, sectors);
}

template <bool valued, bool announced>
static __device__ __forceinline__ slab_outcome insert_one(const slab_graph &g,
                                                          uint32_t from, uint64_t pair,
                                                          slab_manner manner,
                                                          slab_hand *hand) {
    if (announced) /* its base has room, except for uneven hashes */
        return slab_insert(&g, slab_vertex_now(&g, from), pair, valued, manner,
                           SLAB_LATELY, hand);
    hand->from = from;
    return slab_attempt(&g, pair, valued, hand);
}

/* One lane per insertion. Lanes extend tables and, without announcement, create them.
** The threads of a block take pieces for this together. The block is small, because all
** its threads wait for the slowest. */
template <bool valued, bool announced>
static __global__ void __launch_bounds__(GG_DYNAMIC_BLOCK, GG_DYNAMIC_SMALL)
    attempt(const __grid_constant__ slab_graph g,
            const __grid_constant__ dynamic_batch b) {
    __shared__ block_share share;
    if (announced && __syncthreads_or(device_load(&g.pool->report.full)))
        return; /* a vertex may have no table */
    const bool claims = !b.keep && (b.unsorted || g.pool->report.unsorted);
    const slab_manner manner = claims || b.keep ? SLAB_KEEP : SLAB_REPLACE;
    slab_hand hand = slab_empty_hand(SLAB_NONE);
    uint32_t added = 0;
    for (uint64_t part = blockIdx.x * (uint64_t)GG_DYNAMIC_BLOCK; part < b.count;
         part += gg_threads_of_grid()) {
        uint64_t i = part + threadIdx.x, pair = 0;
        uint32_t from = 0;
        slab_outcome outcome = SLAB_FULL;
        bool open = i < b.count;
        if (open) {
            from = b.source[i];
            pair = batch_pair(&b, i, valued);
        }
        for (;;) {
            if (open)
                outcome = insert_one<valued, announced>(g, from, pair, manner, &hand);
            open = open && outcome == SLAB_WANTS;
            if (!__syncthreads_or(open))
                break;
            const uint32_t wanted = open ? 1u << hand.wanted : 0;
            uint32_t piece = block_take_bases<GG_DYNAMIC_BLOCK>(g, wanted, &share);
            if (!open)
                continue;
            slab_give_back(&g, &hand); /* a piece of another kind */
            hand.piece = piece;
            hand.kind = hand.wanted;
            if (piece == SLAB_NONE) {
                outcome = SLAB_FULL;
                open = false;
            }
        }
        __syncwarp();
        added += count_added(g, from, (uint32_t)pair, outcome, valued && claims);
        if (!announced)
            put_off(g, b, i, outcome == SLAB_LATER, &share);
    }
    slab_give_back(&g, &hand);
    __syncwarp();
    gg_tally(&g.pool->report.added, added);
}

static __device__ __forceinline__ void claim_items(const slab_graph &g,
                                                   const dynamic_batch &b) {
    for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid())
        batch_claim(&g, &b, i);
}

/* Settles claims, and clears the filter. */
static __device__ __forceinline__ void settle_items(const slab_graph &g,
                                                    const dynamic_batch &b) {
    for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid())
        batch_settle(&g, &b, i);
    for (uint64_t i = gg_thread(); i < SLAB_FILTER_WORDS; i += gg_threads_of_grid())
        g.filter[i] = 0;
}

static __global__ void claim_entries(const __grid_constant__ slab_graph g,
                                     const __grid_constant__ dynamic_batch b) {
    if (g.pool->report.marked)
        claim_items(g, b);
}

/* Settles claims and ends the phase. One kernel can do both, because claims do not change
** the lists of free pieces. */
static __global__ void settle_claims(const __grid_constant__ slab_graph g,
                                     const __grid_constant__ dynamic_batch b,
                                     bool valued) {
    if (valued && g.pool->report.marked)
        settle_items(g, b);
    if (gg_thread() == 0)
        slab_end_phase(&g);
}

template <bool valued>
static __global__ void delete_edges(const __grid_constant__ slab_graph g,
                                    const __grid_constant__ dynamic_batch b) {
    uint32_t removed = 0;
    for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid())
        removed += batch_delete(&g, &b, i, valued);
    __syncwarp();
    gg_tally(&g.pool->report.removed, removed);
}

template <bool valued>
static __global__ void query(const __grid_constant__ slab_graph g,
                             const __grid_constant__ dynamic_batch b) {
    for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid())
        batch_query(&g, &b, i, valued);
}

/* ---- kernels: rehash ---- */

/* One lane per vertex: lists vertices with tombstones, or all vertices that have or get a
** table. */
static __global__ void list_vertices(const __grid_constant__ slab_graph g, bool all) {
    for (uint64_t i = gg_thread(); i < g.n; i += gg_threads_of_grid())
        batch_list(&g, (uint32_t)i, all);
}

template <bool valued>
static __global__ void sum_bases(const __grid_constant__ slab_graph g) {
    const uint32_t *growing = g.pool->growing;
    uint64_t all = (uint64_t)growing[0] + growing[1] + growing[2], sum = 0;
    for (uint64_t i = gg_thread(); i < all; i += gg_threads_of_grid()) {
        uint32_t v = slab_growing_vertex(&g, i);
        sum += slab_wanted(&g, v, slab_vertex_of(&g, v), valued);
    }
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (warp_lane() == 0 && sum > 0)
        device_add_64(&g.pool->report.sectors, sum);
}

template <bool valued>
static __global__ void __launch_bounds__(GG_BLOCK)
    rehash(const __grid_constant__ slab_graph old, const __grid_constant__ slab_graph g) {
    __shared__ rehash_share share;
    rehash_all<valued>(old, g, &share);
}

template <bool valued>
static __global__ void plan_moves(const __grid_constant__ slab_graph old,
                                  const __grid_constant__ slab_graph g) {
    plan_huge<valued>(old, g);
}

static __global__ void finish_moves(const __grid_constant__ slab_graph old,
                                    const __grid_constant__ slab_graph g) {
    finish_huge(old, g);
}

/* Rehashes all listed vertices, by the blocks of a cooperative launch. A count on which a
** branch depends does not change until all blocks have passed the next barrier. */
template <bool valued>
static __device__ __forceinline__ void rehash_together(const slab_graph &g,
                                                       rehash_share *share) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    bool huge = g.pool->growing[2] > 0;
    if (huge) {
        plan_huge<valued>(g, g);
        grid.sync();
        gg_late();
    }
    rehash_all<valued>(g, g, share);
    if (huge) {
        grid.sync();
        gg_late();
        finish_huge(g, g);
    }
}

/* Cooperative: all steps after the attempts of a batch. */
template <bool valued>
static __global__ void __launch_bounds__(GG_BLOCK, GG_DYNAMIC_REST)
    insert_rest(const __grid_constant__ slab_graph g,
                const __grid_constant__ dynamic_batch b) {
    __shared__ rehash_share share;
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    if (g.pool->later > 0) {
        rehash_together<valued>(g, &share);
        grid.sync();
        gg_late();
        insert_items<valued, true>(g, b);
        grid.sync();
        gg_late();
    }
    if (valued && g.pool->report.marked) {
        claim_items(g, b);
        grid.sync();
        gg_late();
        settle_items(g, b);
    }
    if (gg_thread() == 0)
        slab_end_phase(&g);
}

/* ---- driver ---- */

/* Launches as many blocks as the device holds at once. Their number depends on the shared
** memory of blocks. Few items get fewer blocks, as all blocks wait for each other. */
template <bool valued>
static void launch_rest(struct cuda_job *job, slab_graph g, dynamic_batch b) {
    const struct cuda_device *device = job->device;
    const struct cooperative_kernel kernel = {(const void *)insert_rest<valued>,
                                              "insert_rest", GG_BLOCK, 0};
    const size_t desks =
        device->shared_bytes / (sizeof(rehash_share) + device->shared_unused);
    const size_t most = b.count <= GG_BLOCK ? 1 : (size_t)GG_DYNAMIC_REST;
    const size_t blocks = desks < most ? desks : most;
    void *arguments[] = {&g, &b};
    gg_launch_cooperative(job, &kernel, (unsigned)(blocks * (size_t)device->processors),
                          arguments);
}

template <bool valued>
static bool launch_edge_step(gpugraph_dynamic *d, enum dynamic_step step,
                             const dynamic_batch &b) {
    struct cuda_job *job = d->job;
    cudaStream_t stream = job->stream;
    const slab_graph &g = d->slabs;
    unsigned items = gg_grid(job, b.count, GG_DYNAMIC_GRID);
    unsigned few = gg_grid(job, b.count, GG_DYNAMIC_ATTEMPT);
    unsigned small = few * (GG_BLOCK / GG_DYNAMIC_BLOCK);
    unsigned vertices = gg_grid(job, (uint64_t)g.n, GG_DYNAMIC_GRID);
    unsigned all = (unsigned)job->device->processors * GG_DYNAMIC_FULL;
    switch (step) {
    case STEP_ANNOUNCE:
        announce<valued><<<items, GG_BLOCK, 0, stream>>>(g, b);
        return true;
    case STEP_LIST_DEAD:
    case STEP_LIST_ALL:
        list_vertices<<<vertices, GG_BLOCK, 0, stream>>>(g, step == STEP_LIST_ALL);
        return true;
    case STEP_SUM_BASES:
        sum_bases<valued><<<all, GG_BLOCK, 0, stream>>>(g);
        return true;
    case STEP_PLAN:
        plan_moves<valued><<<all / GG_DYNAMIC_FULL, GG_BLOCK, 0, stream>>>(b.old, g);
        return true;
    case STEP_FINISH:
        finish_moves<<<all, GG_BLOCK, 0, stream>>>(b.old, g);
        return true;
    case STEP_REHASH:
        rehash<valued>
            <<<all / GG_DYNAMIC_FULL * GG_DYNAMIC_REST, GG_BLOCK, 0, stream>>>(b.old, g);
        return true;
    case STEP_INSERT:
        if (b.first) /* few chains, many items: no lane waits for its block */
            insert<valued><<<items, GG_BLOCK, 0, stream>>>(g, b);
        else
            attempt<valued, true><<<small, GG_DYNAMIC_BLOCK, 0, stream>>>(g, b);
        return true;
    case STEP_ATTEMPT:
        attempt<valued, false><<<small, GG_DYNAMIC_BLOCK, 0, stream>>>(g, b);
        return true;
    case STEP_REST:
        launch_rest<valued>(job, g, b);
        return true;
    case STEP_CLAIM:
        claim_entries<<<items, GG_BLOCK, 0, stream>>>(g, b);
        return true;
    case STEP_SETTLE:
        settle_claims<<<items, GG_BLOCK, 0, stream>>>(g, b, valued);
        return true;
    case STEP_DELETE:
        delete_edges<valued><<<items, GG_BLOCK, 0, stream>>>(g, b);
        return true;
    case STEP_QUERY:
        query<valued><<<items, GG_BLOCK, 0, stream>>>(g, b);
        return true;
    default:
        return false;
    }
}

bool gg_dynamic_edge_step(gpugraph_dynamic *d, enum dynamic_step step,
                          const struct dynamic_batch &b) {
    return d->valued ? launch_edge_step<true>(d, step, b)
                     : launch_edge_step<false>(d, step, b);
}
