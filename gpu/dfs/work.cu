/* Depth-first search on the device, one path for each warp: the workers of crew.h, after
** Niu, Lu, Liu, Casas, DiggerBees (PPoPP 2026). Method "work-stealing" is the last of the
** paper's four versions: as many blocks as fit the device at once steal from one another.
**
**     one warp     one worker: its lanes look at 32 arcs side by side and take one child
**     one block    BLOCK_WORKERS workers, which stay until the end */
#include "dfs/dfs.cuh"
#include "graph/frontier.cuh"

/* The largest number of blocks. Benchmarks also build the paper's versions with one and
** with 33 blocks. */
#ifndef GG_DFS_MOST_BLOCKS
#define GG_DFS_MOST_BLOCKS UINT32_MAX
#endif

enum {
    BLOCK_WORKERS = GG_BLOCK / GG_WARP,
    BLOCKS = 4,          /* for each multiprocessor, at most */
    CHUNKS_A_WORKER = 3, /* in hand, spare, and on the way */
    RING = 64,           /* entries of a ring (the paper's HotRing): 512 bytes a warp */
    BATCH = 32,          /* entries of a chunk of a cold list (the paper's ColdSeg) */
    COLD = 1024,         /* chunks of a cold list that lie in an array: 4 KiB a warp */
    HOT_CUTOFF = 4,      /* the least entries of a ring from which thieves steal */
    COLD_CUTOFF = 32     /* the least entries of a cold list from which thieves steal */
};

/* One warp for each worker, until the search is over. */
static __global__ void __launch_bounds__(GG_BLOCK, BLOCKS) crew_works(dfs_crew crew) {
    __shared__ uint64_t word[BLOCK_WORKERS], entry[BLOCK_WORKERS * RING];
    __shared__ uint32_t busy;
    if (threadIdx.x < BLOCK_WORKERS)
        word[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        busy = BLOCK_WORKERS;
    __syncthreads();
    dfs_block block = {word, entry, &busy};
    dfs_work(crew, block, blockIdx.x * BLOCK_WORKERS + threadIdx.x / GG_WARP);
}

/* One thread for each root. */
static __global__ void plant_crew(dfs_crew crew) {
    for (uint64_t i = gg_thread(); i < crew.roots; i += gg_threads_of_grid())
        crew.depth[crew.root[i]] = 0;
    if (gg_thread() == 0) {
        crew.control->free = ~0ull; /* an empty list */
        crew.control->busy = crew.workers;
    }
}

static const struct cooperative_kernel crew_kernel = {(const void *)crew_works,
                                                      "crew_works", GG_BLOCK, 0};

void gg_dfs_work_size(struct cuda_job *job, struct dfs_search *s) {
    s->blocks = gg_dfs_blocks(job, &crew_kernel, BLOCKS);
    s->blocks = s->blocks < GG_DFS_MOST_BLOCKS ? s->blocks : GG_DFS_MOST_BLOCKS;
    s->crew.workers = s->blocks * BLOCK_WORKERS;
}

void gg_dfs_work_carve(struct workspace *space, struct dfs_search *s) {
    struct dfs_crew *crew = &s->crew;
    uint32_t chunks = s->g.n / BATCH + 1 + CHUNKS_A_WORKER * crew->workers;
    crew->control = gg_carve<struct dfs_control>(space, 1);
    crew->cold = gg_carve<uint64_t>(space, crew->workers);
    crew->under = gg_carve<uint64_t>(space, crew->workers);
    crew->cold_chunk = gg_carve<uint32_t>(space, (uint64_t)crew->workers * COLD);
    crew->pool.entry = gg_carve<uint64_t>(space, (uint64_t)chunks * BATCH);
    crew->pool.next = gg_carve<uint32_t>(space, chunks);
    crew->pool.chunks = chunks;
    crew->pool.batch = BATCH;
}

bool gg_dfs_work(struct cuda_job *job, struct dfs_search *s) {
    struct dfs_crew *crew = &s->crew;
    uint64_t bytes = (uint64_t)s->g.n * sizeof(uint32_t);
    crew->begin = s->g.begin;
    crew->end = s->g.end;
    crew->target = s->g.target;
    crew->depth = s->depth;
    crew->parent = s->parent;
    crew->n = s->g.n;
    crew->root = s->forest.root;
    crew->roots = s->roots;
    crew->all_vertices = s->whole && s->direction != GPUGRAPH_BOTH;
    crew->pool.free = &crew->control->free;
    crew->pool.touched = &crew->control->touched;
    crew->block_workers = BLOCK_WORKERS;
    crew->shape = dfs_shape{RING, BATCH, HOT_CUTOFF, COLD_CUTOFF, COLD};
    crew->host_stop = job->device->device_stop;
    gg_fill(job, crew->control, 0, sizeof *crew->control);
    gg_fill(job, crew->cold, 0, (uint64_t)crew->workers * sizeof *crew->cold);
    gg_fill(job, crew->under, 0xff, (uint64_t)crew->workers * sizeof *crew->cold);
    gg_fill(job, crew->depth, 0xff, bytes);
    gg_fill(job, crew->parent, 0xff, bytes);
    if (!gg_going(job))
        return false;
    return GG_LAUNCH(job, plant_crew, gg_grid(job, crew->roots, 16), *crew) &&
           gg_dfs_launch(job, s, &crew_kernel, crew, crew->control);
}
