/* Depth-first search on the device, method "many-paths": the workers of paths.h.
**
**     one warp     one worker, whose lanes follow one path each
**     one block    rings and hands of its workers, in shared memory
**     visited      a bit for each vertex
**     tree         parent and depth of a vertex in one word, so that a vertex costs one
**                  store; both are unpacked at the end */
#include "dfs.cuh"
#include "base/limits.h"
#include "graph/frontier.cuh"

enum {
    RING = 256, /* entries */
    ARCS = 512, /* arcs of a step */
    BATCH = 32, /* entries of a chunk */
    /* A ring with SHARE entries offers a chunk to other blocks, a ring with DEEP entries
    ** a further one. */
    SHARE = 8,
    DEEP = 128,
    DIRECT = 128, /* arcs of a step up to which no test precedes a claim */
    CAREFUL = 64, /* roots of a directed forest that are opened one after the other */
    /* Graphs with fewer arcs for each vertex are thin. Their steps are shorter: arcs of a
    ** step, blocks of a multiprocessor (road24m 19.0 ms, and 20.6 with three, H100),
    ** entries in the hands of a warp. */
    THIN_ROW = 8,
    ARCS_THIN = 128,
    BLOCKS_THIN = 2,
    HANDS_THIN = 12,
    /* Entries in the hands if rows are fixed: mesh16m 9.6 ms, and 11.5 to 11.8 with 12
    ** (H100). */
    HANDS_FIXED = 4
};

static_assert(PATHS_MORE == GG_FIXED_MORE, "fixed rows have this end mark");
static_assert(HANDS_FIXED * GG_FIXED_PLACES == warp_width, "one lane for each place");
static_assert(GG_FIXED_PLACES == PATHS_MOST_PLACES, "a lane holds a fixed row");

enum {
    BLOCK_WORKERS = GG_BLOCK / GG_WARP,
    ENTRY_WORDS = 2,
    SHARED = BLOCK_WORKERS * ENTRY_WORDS * (RING + GG_WARP) * sizeof(uint64_t),
    CHUNKS_A_WORKER = 4 + GG_PATHS_SPARES /* 4 for those in hand, offered or on the way */
};
static_assert((int)BATCH <= (int)GG_WARP, "a chunk fits the hands");
static_assert(DEEP >= 2 * BATCH - 1, "the pool has enough chunks");
static_assert(RING >= PATHS_GROUP + BATCH && GG_PATHS_LANE_ARCS >= 2,
              "a flush makes room");

enum kind { ANY_ROWS, FIXED_ROWS, ROWS_AHEAD };

/* One warp for each worker, until the search is over. blocks: for each multiprocessor. */
template <kind kind, int blocks>
static __global__ void __launch_bounds__(GG_BLOCK, blocks) paths_search(paths_crew crew) {
    extern __shared__ uint64_t entry[];
    __shared__ uint64_t word[BLOCK_WORKERS];
    __shared__ uint32_t busy, leave, taken;
    if (threadIdx.x < BLOCK_WORKERS)
        word[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        busy = BLOCK_WORKERS;
        leave = taken = 0;
    }
    __syncthreads();
    if (kind == ANY_ROWS)
        crew.fixed = NULL;
    if (kind != ANY_ROWS)
        crew.pulls = false;
    crew.ahead = kind == ROWS_AHEAD;
    if (kind == ROWS_AHEAD)
        crew.places = GG_FIXED_PLACES;
    paths_block block = {word,  entry,  entry + BLOCK_WORKERS * ENTRY_WORDS * RING,
                         &busy, &leave, &taken};
    paths_work(crew, block, blockIdx.x * BLOCK_WORKERS + threadIdx.x / GG_WARP);
}

/* One thread for each root. */
static __global__ void plant_paths(paths_crew crew) {
    for (uint64_t i = gg_thread(); i < crew.roots; i += gg_threads_of_grid()) {
        uint32_t v = crew.root[i];
        device_or(&crew.visited[v / 32], 1u << v % 32);
        crew.tree[v] = (uint64_t)DFS_NONE << 32;
    }
    if (gg_thread() == 0) {
        crew.control->busy = crew.blocks;
        crew.control->group = DFS_NONE;
    }
}

/* One thread for each vertex. */
static __global__ void unpack(paths_crew crew, uint32_t *depth, uint32_t *parent) {
    for (uint64_t v = gg_thread(); v < crew.n; v += gg_threads_of_grid()) {
        bool there = crew.visited[v / 32] >> v % 32 & 1;
        uint64_t word = there ? crew.tree[v] : ~0ull;
        depth[v] = (uint32_t)word;
        parent[v] = (uint32_t)(word >> 32);
    }
}

static const struct cooperative_kernel search_kernels[] = {
    {(const void *)paths_search<ANY_ROWS, GG_PATHS_BLOCKS>, "paths_search", GG_BLOCK,
     SHARED},
    {(const void *)paths_search<FIXED_ROWS, BLOCKS_THIN>, "paths_search", GG_BLOCK,
     SHARED},
    {(const void *)paths_search<ROWS_AHEAD, BLOCKS_THIN>, "paths_search", GG_BLOCK,
     SHARED}};

bool gg_dfs_is_thin(const struct device_csr *g) {
    return g->m / (g->n + 1) < THIN_ROW;
}

bool gg_dfs_rows_ahead(const struct device_csr *g) {
    return gg_dfs_is_thin(g) && g->m < (uint64_t)gg_limits.paths_ahead_degree * g->n;
}

void gg_dfs_paths_size(struct cuda_job *job, struct dfs_search *s) {
    const bool thin = gg_dfs_is_thin(&s->g);
    s->blocks = gg_dfs_blocks(job, &search_kernels[thin ? ROWS_AHEAD : ANY_ROWS],
                              thin ? BLOCKS_THIN : GG_PATHS_BLOCKS);
}

void gg_dfs_paths_carve(struct workspace *space, struct dfs_search *s) {
    struct paths_crew *crew = &s->paths;
    uint64_t entries = s->g.n + s->g.m / ARCS_THIN;
    crew->blocks = s->blocks;
    crew->block_workers = BLOCK_WORKERS;
    uint32_t chunks =
        (uint32_t)(entries / BATCH) + 1 + CHUNKS_A_WORKER * crew->blocks * BLOCK_WORKERS;
    crew->control = gg_carve<struct dfs_control>(space, 1);
    crew->visited = gg_carve<uint32_t>(space, s->g.n / 32 + 1);
    crew->tree = gg_carve<uint64_t>(space, s->g.n);
    crew->cold = gg_carve<uint64_t>(space, crew->blocks);
    crew->free = gg_carve<uint64_t>(space, crew->blocks);
    crew->pool.entry = gg_carve<uint64_t>(space, (uint64_t)chunks * BATCH * ENTRY_WORDS);
    crew->pool.next = gg_carve<uint32_t>(space, chunks);
    s->pull.fresh = gg_carve<uint32_t>(space, s->g.n / 32 + 1);
    s->pull.counts = gg_carve<struct pull_counts>(space, 1);
    crew->pool.chunks = chunks;
    crew->pool.batch = BATCH;
}

/* The number of vertices whose rows together have an arc for each lane. */
static uint32_t rows_for_lanes(const struct device_csr *g) {
    const uint64_t arcs = g->m / (g->n + 1) + 1; /* mean of a row, rounded up */
    return (uint32_t)(arcs < GG_FIXED_PLACES ? warp_width / arcs : (uint32_t)HANDS_FIXED);
}

/* With fixed rows of a thin graph, each lane looks at one place or arc in a step. */
static struct paths_shape shape_for(const struct device_csr *g, bool fixed, bool ahead) {
    struct paths_shape shape = {RING, GG_WARP, ARCS, BATCH, SHARE, DEEP, DIRECT, CAREFUL};
    if (gg_dfs_is_thin(g)) {
        shape.arcs = ARCS_THIN;
        shape.hands = HANDS_THIN;
        if (fixed)
            shape.hands = ahead ? rows_for_lanes(g) : (uint32_t)HANDS_FIXED;
    }
    return shape;
}

/* Searches from the roots until the tree is complete or the rest can be pulled. */
static bool search_by_paths(struct cuda_job *job, struct dfs_search *s) {
    struct paths_crew *crew = &s->paths;
    crew->begin = s->g.begin;
    crew->end = s->g.end;
    crew->target = s->g.target;
    crew->n = s->g.n;
    /* The kernels for fixed rows are compiled for the blocks of thin graphs. */
    crew->fixed = gg_dfs_is_thin(&s->g) ? s->fixed : NULL;
    crew->places = GG_FIXED_PLACES;
    crew->ahead = crew->fixed && gg_dfs_rows_ahead(&s->g);
    crew->root = s->forest.root;
    crew->roots = s->roots;
    crew->all_vertices = s->whole && s->direction != GPUGRAPH_BOTH;
    crew->pulls = s->pull.begin != NULL;
    crew->pool.touched = &crew->control->touched;
    crew->shape = shape_for(&s->g, crew->fixed != NULL, crew->ahead);
    crew->limit = s->limit;
    crew->host_stop = job->device->device_stop;
    gg_fill(job, crew->control, 0, sizeof *crew->control);
    gg_fill(job, crew->cold, 0xff, crew->blocks * sizeof *crew->cold);
    gg_fill(job, crew->free, 0xff, crew->blocks * sizeof *crew->free);
    gg_fill(job, crew->visited, 0, (crew->n / 32 + 1) * sizeof *crew->visited);
    if (!gg_going(job))
        return false;
    const kind kind = crew->ahead ? ROWS_AHEAD : crew->fixed ? FIXED_ROWS : ANY_ROWS;
    return GG_LAUNCH(job, plant_paths, gg_grid(job, crew->roots, 16), *crew) &&
           (!crew->pulls || gg_dfs_count_entered(job, s)) &&
           gg_dfs_launch(job, s, &search_kernels[kind], crew, crew->control);
}

/* Fills `visited`, `tree` and control. */
static bool find_tree_by_paths(struct cuda_job *job, struct dfs_search *s) {
    bool whole = true;
    if (!search_by_paths(job, s) || (s->control.left && !gg_dfs_pull(job, s, &whole)))
        return false;
    if (whole)
        return true;
    s->pull.begin = NULL;
    return search_by_paths(job, s);
}

bool gg_dfs_paths(struct cuda_job *job, struct dfs_search *s) {
    struct paths_crew *crew = &s->paths;
    if (!find_tree_by_paths(job, s))
        return false;
    return GG_LAUNCH(job, unpack, gg_grid(job, crew->n, 16), *crew, s->depth, s->parent);
}
