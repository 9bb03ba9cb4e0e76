/* The slabs of a dynamic graph on a device, and its steps as kernels: one lane per item of a
** batch; one lane, one warp or one block per vertex, by the size of its table. What a lane
** does: slab.h. What a batch is: dynamic.c. */
#include "cuda.cuh"
#include "dynamic.h"

#include <cub/block/block_scan.cuh>
#include <new>

enum {
    GRID_BLOCKS = 32, /* for each multiprocessor: some waves of lanes */
    FULL_BLOCKS = 8,  /* for each multiprocessor: as many as it holds at once */
    SHORT_ROW = 2     /* sectors of a base that one lane copies to a row */
};

/* ---- the place ---- */

static bool open_cuda(gpugraph_dynamic *d, gpugraph_run *run) {
    struct cuda_job *job = new (std::nothrow) cuda_job();
    if (!job) {
        gg_fail(run, GPUGRAPH_NO_MEMORY, "memory for a job is exhausted");
        return false;
    }
    if (!gg_job_open(job, NULL, run)) {
        delete job;
        return false;
    }
    d->job = job;
    return true;
}

static void close_cuda(gpugraph_dynamic *d, gpugraph_run *) {
    if (!d->job)
        return;
    gg_job_close(d->job);
    delete d->job;
    d->job = NULL;
}

static void *take_cuda(gpugraph_dynamic *d, uint64_t bytes) {
    return gg_take(d->job, bytes);
}

static void give_cuda(gpugraph_dynamic *d, void *block, uint64_t bytes) {
    if (!d->job)
        return; /* the device is gone, and its memory with it */
    cudaStreamSynchronize(d->job->stream);
    gg_give(d->job, block, bytes);
}

static void fill_cuda(gpugraph_dynamic *d, void *block, int byte, uint64_t bytes) {
    if (bytes > 0 && gg_going(d->job))
        gg_fill(d->job, block, byte, bytes);
}

static void copy_cuda(gpugraph_dynamic *d, void *to, const void *from, uint64_t bytes) {
    if (bytes > 0 && gg_going(d->job))
        gg_note(
            d->job,
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d->job->stream),
            "copy");
}

static void upload_cuda(gpugraph_dynamic *d, void *to, const void *from, uint64_t bytes) {
    if (bytes > 0 && gg_going(d->job))
        gg_upload(d->job, to, from, bytes);
}

static void download_cuda(gpugraph_dynamic *d, void *to, const void *from,
                          uint64_t bytes) {
    if (bytes == 0 || !gg_going(d->job))
        return;
    if (bytes <= GG_MAILBOX)
        gg_fetch(d->job, to, from, bytes);
    else
        gg_download(d->job, to, from, bytes);
}

static void mark_cuda(gpugraph_dynamic *d, int which) {
    if (gg_going(d->job))
        gg_note(d->job, cudaEventRecord(d->job->device->moment[which], d->job->stream),
                "mark the time");
}

static double elapsed_cuda(gpugraph_dynamic *d) {
    float ms = 0;
    cudaEvent_t *moment = d->job->device->moment;
    if (gg_going(d->job) && gg_wait(d->job))
        gg_note(d->job, cudaEventElapsedTime(&ms, moment[0], moment[1]), "take the time");
    return ms;
}

/* ---- kernels: one lane per item ---- */

/* Adds to a word what the lanes of each warp bring; all lanes come. */
static __device__ __forceinline__ void tally(uint64_t *at, uint32_t mine) {
    uint32_t sum = __reduce_add_sync(0xffffffffu, mine);
    if (sum > 0 && threadIdx.x % GG_WARP == 0)
        device_add_64(at, sum);
}

/* What all threads of a block ask of one word, in one addition: each gets its part. A word
** that every warp asks of by itself is a queue of thousands. */
struct block_share {
    cub::BlockScan<uint32_t, GG_BLOCK>::TempStorage scan;
    uint32_t first;
};
static __device__ __forceinline__ uint32_t block_reserve(uint32_t *at, uint32_t amount,
                                                         block_share *share) {
    uint32_t before, all;
    cub::BlockScan<uint32_t, GG_BLOCK>(share->scan).ExclusiveSum(amount, before, all);
    if (threadIdx.x == 0)
        share->first = all ? device_count(at, all) : 0;
    __syncthreads();
    uint32_t mine = share->first + before;
    __syncthreads();
    return mine;
}

/* One lane per insertion: counts it for its vertex, and lists the vertex if it must grow; is
** the batch in order? */
template <bool valued>
static __global__ void __launch_bounds__(GG_BLOCK)
    announce(slab_graph g, dynamic_batch b) {
    __shared__ block_share share;
    for (uint64_t part = blockIdx.x * (uint64_t)GG_BLOCK; part < b.count;
         part += gg_threads_of_grid()) {
        uint64_t i = part + threadIdx.x;
        uint32_t u = SLAB_NONE, sectors = 0;
        bool grows = false;
        if (i < b.count) {
            u = b.source[i];
            uint32_t next = i + 1 < b.count ? b.source[i + 1] : SLAB_NONE;
            grows = slab_announce(&g, u, valued, &sectors);
            if (u > next || (u == next && b.target[i] >= b.target[i + 1]))
                if (!device_load(&g.pool->report.unsorted))
                    device_store(&g.pool->report.unsorted, 1);
        }
        bool small = grows && sectors <= SLAB_SMALL;
        if (__syncthreads_or(small)) {
            uint32_t at = block_reserve(&g.pool->growing[0], small, &share);
            if (small)
                g.growing[at] = u;
        }
        if (grows && !small)
            slab_list_growing(&g, u, sectors);
    }
}

/* Counts new edges of a vertex; lanes that have added to the same one do it once. */
static __device__ __forceinline__ void count_used(const slab_graph &g, uint32_t from) {
    uint32_t same = __match_any_sync(__activemask(), from);
    if (__ffs((int)same) - 1 == (int)warp_lane())
        atomicAdd(&g.vertex[from].used, (unsigned)__popc((int)same));
}

template <bool valued> static __global__ void insert(slab_graph g, dynamic_batch b) {
    if (device_load(&g.pool->report.full))
        return; /* a vertex may lack its table */
    const bool unsorted = g.pool->report.unsorted;
    const slab_manner manner = unsorted ? SLAB_KEEP : SLAB_REPLACE;
    uint64_t whole = (b.count + GG_WARP - 1) / GG_WARP * GG_WARP;
    uint32_t added = 0;
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        uint32_t from = 0, target = 0, sector;
        slab_outcome outcome = SLAB_FULL;
        if (i < b.count) {
            from = b.source[i];
            target = b.target[i];
            outcome = slab_insert(&g, slab_vertex_of(&g, from),
                                  slab_pair(target, valued ? b.value[i] : 0), valued,
                                  manner, &sector);
        }
        __syncwarp();
        if (outcome == SLAB_ADDED) {
            count_used(g, from);
            added++;
        } else if (valued && unsorted && outcome == SLAB_FOUND) {
            slab_mark(&g, from, target);
        }
        __syncwarp();
    }
    tally(&g.pool->report.added, added);
}

static __global__ void claim(slab_graph g, dynamic_batch b) {
    if (!g.pool->report.unsorted)
        return;
    for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid()) {
        uint32_t from = b.source[i], target = b.target[i];
        b.result[i] = slab_is_marked(&g, from, target)
                          ? slab_claim(&g, from, target, (uint32_t)i)
                          : SLAB_NONE;
    }
}

/* Also ends the phase: claims do not touch the lists. */
static __global__ void settle(slab_graph g, dynamic_batch b, bool valued) {
    if (valued && g.pool->report.unsorted)
        for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid())
            if (b.result[i] != SLAB_NONE)
                slab_settle_claim(&g, b.result[i], b.target[i], (uint32_t)i, b.value[i]);
    if (gg_thread() == 0)
        slab_end_phase(&g);
}

template <bool valued>
static __global__ void delete_edges(slab_graph g, dynamic_batch b) {
    uint32_t removed = 0;
    for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid()) {
        uint32_t from = b.source[i];
        if (!slab_delete(&g, from, b.target[i], valued))
            continue;
        atomicAdd(&g.vertex[from].dead, 1);
        removed++;
    }
    __syncwarp();
    tally(&g.pool->report.removed, removed);
}

template <bool valued> static __global__ void query(slab_graph g, dynamic_batch b) {
    for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid()) {
        uint32_t value;
        uint64_t at;
        bool found = slab_find(&g, b.source[i], b.target[i], valued, true, &value, &at);
        b.result[i] = found ? value : SLAB_NONE;
    }
}

/* ---- kernels: rehash ---- */

/* One lane per vertex: those with tombstones, or all that have or get a table. */
static __global__ void list_vertices(slab_graph g, bool all) {
    for (uint64_t i = gg_thread(); i < g.n; i += gg_threads_of_grid()) {
        slab_vertex v = slab_vertex_of(&g, (uint32_t)i);
        if (all ? v.used > v.dead || g.incoming[i] > 0 : v.dead > 0)
            slab_list_growing(&g, (uint32_t)i, v.sectors);
    }
}

/* Vertex number i of the three lists. */
static __device__ __forceinline__ uint32_t growing_vertex(const slab_graph &g,
                                                          uint64_t i) {
    uint64_t small = g.pool->growing[0], larger = g.pool->growing[1];
    return i < small            ? g.growing[i]
           : i - small < larger ? g.growing[g.n - 1 - (i - small)]
                                : g.huge[i - small - larger];
}

template <bool valued> static __global__ void sum_bases(slab_graph g) {
    const uint32_t *growing = g.pool->growing;
    uint64_t all = (uint64_t)growing[0] + growing[1] + growing[2], sum = 0;
    for (uint64_t i = gg_thread(); i < all; i += gg_threads_of_grid()) {
        uint32_t v = growing_vertex(g, i);
        sum += slab_wanted(&g, v, slab_vertex_of(&g, v), valued);
    }
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (warp_lane() == 0 && sum > 0)
        device_add_64(&g.pool->report.sectors, sum);
}

/* The vertex as it will be, but for its base. */
static __device__ __forceinline__ slab_vertex wanted(const slab_graph &g, uint32_t v,
                                                     const slab_vertex &from,
                                                     bool valued) {
    return slab_vertex{SLAB_NONE, slab_wanted(&g, v, from, valued), from.used - from.dead,
                       0};
}

/* Bases for all threads of a block; SLAB_NONE when the arena has ended. */
static __device__ __forceinline__ uint32_t take_bases(const slab_graph &g,
                                                      uint32_t sectors,
                                                      block_share *share) {
    uint32_t base = sectors == 0 ? 0 : SLAB_NONE; /* none is wanted */
    for (uint32_t kind = 0; kind < SLAB_LISTS; kind++) {
        uint32_t count = g.pool->count[kind];
        bool mine = sectors == 1u << kind;
        if (count == 0 || !__syncthreads_or(mine))
            continue;
        uint32_t at = block_reserve(&g.pool->taken[kind], mine, share);
        if (mine && at < count)
            base = g.list[kind][slab_ring(&g, kind, at)];
    }
    uint32_t rest = base == SLAB_NONE ? sectors : 0;
    if (!__syncthreads_or(rest > 0))
        return base;
    if (__syncthreads_or(device_load(&g.pool->report.full)))
        return base;
    uint32_t at = block_reserve(&g.pool->end, rest, share);
    if (rest == 0)
        return base;
    if (at <= g.capacity && g.capacity - at >= rest)
        return at;
    device_store(&g.pool->report.full, 1);
    return SLAB_NONE;
}

/* A team's share of a move to the new base, and what follows when all have done theirs. */
static __device__ __forceinline__ bool copy_to(const slab_graph &old, const slab_graph &g,
                                               const slab_vertex &from,
                                               const slab_vertex &to, uint32_t rank,
                                               uint32_t size, bool valued) {
    return to.base != SLAB_NONE && slab_copy_runs(&old, from, &g, to, rank, size, valued);
}

static __device__ __forceinline__ void finish_rehash(const slab_graph &old,
                                                     const slab_graph &g, uint32_t v,
                                                     const slab_vertex &from,
                                                     const slab_vertex &to, bool copied,
                                                     uint32_t rank, uint32_t size) {
    if (to.base == SLAB_NONE)
        return;
    if (!copied || old.word == g.word)
        slab_clear_runs(&g, copied ? from : to, rank, size);
    if (rank == 0 && copied)
        g.vertex[v] = to;
}

/* One lane per vertex. */
template <bool valued>
static __device__ __forceinline__ void
rehash_small(const slab_graph &old, const slab_graph &g, block_share *share) {
    uint32_t small = g.pool->growing[0];
    for (uint64_t part = blockIdx.x * (uint64_t)GG_BLOCK; part < small;
         part += gg_threads_of_grid()) {
        uint64_t i = part + threadIdx.x;
        slab_vertex from = {0, 0, 0, 0}, to = from;
        uint32_t v = i < small ? g.growing[i] : SLAB_NONE;
        if (v != SLAB_NONE) {
            from = slab_vertex_of(&old, v);
            to = wanted(g, v, from, valued);
        }
        to.base = take_bases(g, to.sectors, share);
        if (v == SLAB_NONE)
            continue;
        bool copied = copy_to(old, g, from, to, 0, 1, valued);
        finish_rehash(old, g, v, from, to, copied, 0, 1);
    }
}

/* One warp per vertex. */
template <bool valued>
static __device__ __forceinline__ void rehash_larger(const slab_graph &old,
                                                     const slab_graph &g) {
    for (uint64_t i = gg_thread() / GG_WARP; i < g.pool->growing[1];
         i += gg_threads_of_grid() / GG_WARP) {
        uint32_t v = g.growing[g.n - 1 - i];
        slab_vertex from = slab_vertex_of(&old, v), to = wanted(g, v, from, valued);
        if (warp_lane() == 0)
            to.base = slab_take_base(&g, to.sectors);
        to.base = warp_from(to.base, 0);
        bool copied = copy_to(old, g, from, to, warp_lane(), GG_WARP, valued);
        copied = __all_sync(0xffffffffu, copied);
        finish_rehash(old, g, v, from, to, copied, warp_lane(), GG_WARP);
        __syncwarp();
    }
}

/* One block per vertex. */
template <bool valued>
static __device__ __forceinline__ void
rehash_huge(const slab_graph &old, const slab_graph &g, block_share *share) {
    for (uint32_t i = blockIdx.x; i < g.pool->growing[2]; i += gridDim.x) {
        uint32_t v = g.huge[i];
        slab_vertex from = slab_vertex_of(&old, v), to = wanted(g, v, from, valued);
        if (threadIdx.x == 0)
            share->first = slab_take_base(&g, to.sectors);
        __syncthreads();
        to.base = share->first;
        bool copied = copy_to(old, g, from, to, threadIdx.x, blockDim.x, valued);
        copied = __syncthreads_and(copied);
        finish_rehash(old, g, v, from, to, copied, threadIdx.x, blockDim.x);
    }
}

template <bool valued>
static __global__ void __launch_bounds__(GG_BLOCK) rehash(slab_graph old, slab_graph g) {
    __shared__ block_share share;
    rehash_huge<valued>(old, g, &share);
    __syncthreads();
    rehash_small<valued>(old, g, &share);
    __syncwarp();
    rehash_larger<valued>(old, g);
}

/* ---- kernels: vertices of a batch ---- */

static __device__ __forceinline__ uint32_t vertex_of(const dynamic_batch &b, uint64_t i) {
    return b.vertex ? b.vertex[i] : (uint32_t)i;
}

/* One warp per vertex. */
static __global__ void clear_vertices(slab_graph g, dynamic_batch b) {
    uint64_t warps = gg_threads_of_grid() / GG_WARP, removed = 0;
    for (uint64_t i = gg_thread() / GG_WARP; i < b.count; i += warps) {
        uint32_t number = vertex_of(b, i);
        slab_vertex v = slab_vertex_of(&g, number);
        v.sectors = warp_from(v.sectors, 0);
        bool mine = false; /* not if it is named twice in the batch */
        if (warp_lane() == 0 && v.sectors > 0)
            mine = device_cas(&g.vertex[number].sectors, v.sectors, 0);
        if (!warp_ballot(mine))
            continue;
        slab_clear_runs(&g, v, warp_lane(), GG_WARP);
        __syncwarp();
        if (warp_lane() == 0) {
            removed += v.used - v.dead;
            g.vertex[number].used = g.vertex[number].dead = 0;
        }
    }
    if (removed > 0)
        device_add_64(&g.pool->report.removed, removed);
}

/* ---- kernels: rows ---- */

static __global__ void count_rows(slab_graph g, dynamic_batch b) {
    for (uint64_t i = gg_thread(); i <= b.count; i += gg_threads_of_grid()) {
        slab_vertex v = {0, 0, 0, 0};
        if (i < b.count)
            v = slab_vertex_of(&g, vertex_of(b, i));
        b.row_count[i] = v.used - v.dead;
    }
}

/* One lane per vertex with a short table; the other vertices of its 32 one after another by
** the whole warp. */
template <bool valued> static __global__ void fill_rows(slab_graph g, dynamic_batch b) {
    uint64_t whole = (b.count + GG_WARP - 1) / GG_WARP * GG_WARP;
    uint32_t *value = b.name_rows ? NULL : b.row_value;
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        slab_vertex v = {0, 0, 0, 0};
        uint32_t number = 0;
        uint64_t at = 0, count = 0;
        if (i < b.count) {
            number = vertex_of(b, i);
            v = slab_vertex_of(&g, number);
            at = b.row_offset[i];
            count = b.row_offset[i + 1] - at;
        }
        bool is_short = v.sectors <= SHORT_ROW;
        if (is_short) {
            slab_copy_short_row(&g, v, valued, b.row_target, value, at);
            for (uint64_t j = 0; b.name_rows && j < count; j++)
                b.row_value[at + j] = number;
        }
        __syncwarp();
        uint32_t left = warp_ballot(!is_short);
        for (; left; left &= left - 1) {
            unsigned lane = lowest_bit(left);
            slab_vertex one = {warp_from(v.base, lane), warp_from(v.sectors, lane), 0, 0};
            uint64_t first = warp_from_64(at, lane), all = warp_from_64(count, lane);
            uint32_t name = warp_from(number, lane);
            slab_copy_row(&g, one, valued, b.row_target, value, first);
            for (uint64_t j = warp_lane(); b.name_rows && j < all; j += GG_WARP)
                b.row_value[first + j] = name;
        }
        __syncwarp();
    }
}

/* ---- kernels: triangles ---- */

static __device__ __forceinline__ bool ranks_before(const dynamic_batch &b, uint32_t u,
                                                    uint32_t v) {
    uint64_t of_u = b.row_offset[u + 1] - b.row_offset[u];
    uint64_t of_v = b.row_offset[v + 1] - b.row_offset[v];
    return of_u < of_v || (of_u == of_v && u < v);
}

/* One warp per vertex: neighbours of a higher degree to the front of the row; how many. */
static __global__ void look_ahead(slab_graph g, dynamic_batch b) {
    for (uint64_t i = gg_thread() / GG_WARP; i < g.n;
         i += gg_threads_of_grid() / GG_WARP) {
        uint64_t begin = b.row_offset[i], end = b.row_offset[i + 1];
        uint32_t ahead = 0;
        for (uint64_t at = begin; at < end; at += GG_WARP) {
            uint64_t mine = at + warp_lane();
            uint32_t u = mine < end ? b.row_target[mine] : 0;
            bool keep = mine < end && ranks_before(b, (uint32_t)i, u);
            uint32_t mask = warp_ballot(keep);
            if (keep)
                b.row_target[begin + ahead + set_bits(mask & ((1u << warp_lane()) - 1))] =
                    u;
            ahead += set_bits(mask);
            __syncwarp();
        }
        if (warp_lane() == 0)
            b.row_count[i] = ahead;
    }
}

/* The row that arc number `arc` is in. */
static __device__ __forceinline__ uint32_t row_of(const dynamic_batch &b, uint32_t n,
                                                  uint64_t arc) {
    uint32_t low = 0, high = n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (b.row_offset[middle] <= arc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Each lane has an arc ahead, v -> u; the warp asks for the edges from u to what comes
** behind it in v's row, for one arc after the other. */
template <bool valued>
static __global__ void count_triangles(slab_graph g, dynamic_batch b) {
    uint64_t arcs = b.row_offset[g.n], sum = 0, at;
    uint64_t whole = (arcs + GG_WARP - 1) / GG_WARP * GG_WARP;
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        uint32_t rest = 0, u = 0, value;
        if (i < arcs) {
            uint32_t v = row_of(b, g.n, i), ahead = b.row_count[v];
            uint64_t place = i - b.row_offset[v];
            rest = place < ahead ? (uint32_t)(ahead - place - 1) : 0;
            u = b.row_target[i];
        }
        __syncwarp();
        uint32_t left = warp_ballot(rest > 0);
        for (; left; left &= left - 1) {
            unsigned lane = lowest_bit(left);
            uint32_t from = warp_from(u, lane), count = warp_from(rest, lane);
            uint64_t first = warp_from_64(i, lane) + 1;
            for (uint32_t j = warp_lane(); j < count; j += GG_WARP)
                sum += slab_find(&g, from, b.row_target[first + j], valued, true, &value,
                                 &at);
            __syncwarp();
        }
    }
    if (sum > 0)
        device_add_64(&g.pool->report.triangles, sum);
}

/* ---- driver ---- */

template <bool valued>
static void launch(gpugraph_dynamic *d, enum dynamic_step step, const dynamic_batch &b) {
    struct cuda_job *job = d->job;
    cudaStream_t stream = job->stream;
    const slab_graph &g = d->slabs;
    unsigned items = gg_grid(job, b.count, GRID_BLOCKS);
    unsigned vertices = gg_grid(job, (uint64_t)g.n, GRID_BLOCKS);
    unsigned all = (unsigned)job->device->processors * FULL_BLOCKS;
    switch (step) {
    case STEP_ANNOUNCE:
        announce<valued><<<items, GG_BLOCK, 0, stream>>>(g, b);
        break;
    case STEP_LIST_DEAD:
    case STEP_LIST_ALL:
        list_vertices<<<vertices, GG_BLOCK, 0, stream>>>(g, step == STEP_LIST_ALL);
        break;
    case STEP_SUM_BASES:
        sum_bases<valued><<<all, GG_BLOCK, 0, stream>>>(g);
        break;
    case STEP_REHASH:
        rehash<valued><<<all, GG_BLOCK, 0, stream>>>(b.old, g);
        break;
    case STEP_INSERT:
        insert<valued><<<items, GG_BLOCK, 0, stream>>>(g, b);
        break;
    case STEP_CLAIM:
        claim<<<items, GG_BLOCK, 0, stream>>>(g, b);
        break;
    case STEP_SETTLE:
        settle<<<items, GG_BLOCK, 0, stream>>>(g, b, valued);
        break;
    case STEP_END:
        settle<<<1, GG_BLOCK, 0, stream>>>(g, b, false);
        break;
    case STEP_DELETE:
        delete_edges<valued><<<items, GG_BLOCK, 0, stream>>>(g, b);
        break;
    case STEP_QUERY:
        query<valued><<<items, GG_BLOCK, 0, stream>>>(g, b);
        break;
    case STEP_CLEAR:
        clear_vertices<<<all, GG_BLOCK, 0, stream>>>(g, b);
        break;
    case STEP_COUNT_ROWS:
        count_rows<<<gg_grid(job, b.count + 1, GRID_BLOCKS), GG_BLOCK, 0, stream>>>(g, b);
        break;
    case STEP_FILL_ROWS:
        fill_rows<valued><<<items, GG_BLOCK, 0, stream>>>(g, b);
        break;
    case STEP_TRIANGLES:
        look_ahead<<<all, GG_BLOCK, 0, stream>>>(g, b);
        count_triangles<valued><<<all * 4, GG_BLOCK, 0, stream>>>(g, b);
        break;
    }
    gg_launched(job, "step of a dynamic graph");
}

static void step_cuda(gpugraph_dynamic *d, enum dynamic_step step,
                      const struct dynamic_batch *b) {
    if (!gg_going(d->job))
        return; /* steps are queued: STEP_SETTLE never comes later than its STEP_INSERT */
    if (d->valued)
        launch<true>(d, step, *b);
    else
        launch<false>(d, step, *b);
}

static void offsets_cuda(gpugraph_dynamic *d, const struct dynamic_batch *b) {
    struct workspace space = {NULL, 0};
    uint64_t bytes = gg_offsets_scratch((uint32_t)b->count);
    gg_carve<unsigned char>(&space, bytes);
    if (!gg_workspace(d->job, &space))
        return;
    unsigned char *scratch = gg_carve<unsigned char>(&space, bytes);
    gg_offsets(d->job, b->row_count, b->row_offset, (uint32_t)b->count, scratch, bytes);
    d->job->working = false;
}

static const dynamic_place place = {
    open_cuda, close_cuda,   take_cuda,     give_cuda, fill_cuda,
    copy_cuda, upload_cuda,  download_cuda, step_cuda, offsets_cuda,
    mark_cuda, elapsed_cuda, false,
};
extern "C" const dynamic_place *const gg_cuda_dynamic = &place;
