/* Depth-first search on the device, method "work-stealing"; dfs.c beside this has the
** meaning and the CPU backend, dfs_crew.h the workers, dfs_deque.h what they steal from.
**
**     one warp     one worker: its lanes look at 32 arcs side by side, one child is taken
**     one block    BLOCK_WORKERS workers, whose rings lie in shared memory
**     the grid     as many blocks as fit the device at once; they stay until the end
**
** A forest begins with the smallest vertex of each connected component (found by
** union-find over the edges) as the list of roots: no arc leads from one component to
** another, so their trees grow at the same time and are those of one root after the
** other. Against directed arcs a component needs further roots, which the crew opens in
** order.
**
** An ordered tree has no parallelism in it: method "serial" searches on the host. */
#include "cuda.cuh"
#include "dfs_crew.h"
#include "frontier.cuh"

#include <stdio.h>

enum {
    BLOCK_WORKERS = GG_BLOCK / GG_WARP,
    RING = 64, /* entries of a ring: half a kilobyte of shared memory for each worker */
    BATCH = 32,
    WORTH = 4,            /* entries from which a ring is stolen from */
    PROCESSOR_BLOCKS = 4, /* for each multiprocessor, at most */
    BLOCK_VERTICES = 512, /* vertices for which one more block is worth starting */
    CHUNKS_A_WORKER = 3   /* in hand, spare, and on the way */
};

struct forest {
    uint32_t *component; /* towards the smallest vertex of v's component */
    uint32_t *root;
    uint32_t *roots; /* one number */
};

/* ---- kernels ---- */

/* One warp per worker, until the search is over. */
static __global__ void __launch_bounds__(GG_BLOCK, PROCESSOR_BLOCKS)
    crew_works(dfs_crew crew) {
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

/* One thread. */
static __global__ void set_control(dfs_crew crew) {
    crew.control->free = ~0ull; /* an empty list */
    crew.control->busy = crew.workers;
}

/* One thread. */
static __global__ void set_source(dfs_crew crew, uint32_t *root, uint32_t source) {
    crew.depth[source] = 0;
    root[0] = source;
}

/* One thread per vertex. */
static __global__ void part(uint32_t *component, uint32_t n) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        component[v] = (uint32_t)v;
}

/* The smallest vertex known of v's component. Links are shortened on the way: never that
** of a root, which a union may be changing. */
static __device__ uint32_t smallest(uint32_t *component, uint32_t v) {
    for (;;) {
        uint32_t up = gg_peek(&component[v]);
        if (up == v)
            return v;
        uint32_t above = gg_peek(&component[up]);
        if (above != up)
            device_store(&component[v], above);
        v = up;
    }
}

/* One thread per edge: the larger of two roots is linked below the smaller one. */
static __global__ void unite(device_edges edges, uint32_t *component) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t a = smallest(component, edges.source[e]);
        uint32_t b = smallest(component, edges.target[e]);
        while (a != b) {
            uint32_t larger = a > b ? a : b, lower = a > b ? b : a;
            uint32_t was = atomicCAS(&component[larger], larger, lower);
            if (was == larger)
                break;
            a = smallest(component, was);
            b = smallest(component, lower);
        }
    }
}

/* One thread per vertex: the smallest of each component is a root; those that have arcs
** come into the list. */
static __global__ void gather_roots(device_csr g, dfs_crew crew, forest f) {
    uint64_t whole = gg_whole_warps(g.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        bool root = v < g.n && f.component[v] == v;
        bool arcs = root && g.offset[v + 1] > g.offset[v];
        if (root)
            crew.depth[v] = 0;
        gg_reserve(&crew.control->reached, root && !arcs);
        uint32_t at = gg_reserve(f.roots, arcs);
        if (arcs)
            f.root[at] = (uint32_t)v;
    }
}

/* ---- driver ---- */

struct search {
    struct device_csr g;
    struct dfs_crew crew;
    struct forest forest;
    uint32_t *tree;
    bool whole; /* a forest over all vertices */
};

/* Blocks that fit at once, no more than the graph is worth. */
static unsigned crew_blocks(struct cuda_job *job) {
    int fit = 0;
    gg_note(job,
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, crew_works, GG_BLOCK, 0),
            "tell how many blocks fit");
    fit = fit < PROCESSOR_BLOCKS ? fit : PROCESSOR_BLOCKS;
    uint64_t blocks = (uint64_t)fit * (uint64_t)job->device->processors;
    uint64_t worth = job->graph->n / BLOCK_VERTICES + 1;
    blocks = blocks < worth ? blocks : worth;
    return blocks > 0 ? (unsigned)blocks : 1;
}

static void carve(struct workspace *space, bool tree, struct search *s) {
    struct dfs_crew *crew = &s->crew;
    uint32_t n = s->g.n, chunks = n / BATCH + 1 + CHUNKS_A_WORKER * crew->workers;
    crew->control = gg_carve<struct dfs_control>(space, 1);
    crew->depth = gg_carve<uint32_t>(space, n);
    crew->parent = gg_carve<uint32_t>(space, n);
    crew->cold = gg_carve<uint64_t>(space, crew->workers);
    crew->pool.entry = gg_carve<uint64_t>(space, (uint64_t)chunks * BATCH);
    crew->pool.next = gg_carve<uint32_t>(space, chunks);
    crew->pool.chunks = chunks;
    crew->pool.batch = BATCH;
    s->forest.root = gg_carve<uint32_t>(space, s->whole ? n : 1);
    s->forest.roots = gg_carve<uint32_t>(space, 1);
    /* Components are needed before the search, tree edges after it. */
    s->forest.component = gg_carve<uint32_t>(space, s->whole || tree ? n : 0);
    s->tree = s->forest.component;
}

static void set_crew(struct cuda_job *job, gpugraph_direction direction,
                     struct search *s) {
    struct dfs_crew *crew = &s->crew;
    crew->offset = s->g.offset;
    crew->target = s->g.target;
    crew->n = s->g.n;
    crew->root = s->forest.root;
    crew->roots = 1;
    crew->all_vertices = s->whole && direction != GPUGRAPH_BOTH;
    crew->pool.free = &crew->control->free;
    crew->pool.touched = &crew->control->touched;
    crew->block_workers = BLOCK_WORKERS;
    crew->shape = dfs_shape{RING, BATCH, WORTH};
    crew->host_stop = job->device->device_stop;
}

static bool find_roots(struct cuda_job *job, struct search *s) {
    struct device_edges edges;
    uint32_t n = s->g.n;
    gg_fill(job, s->forest.roots, 0, sizeof *s->forest.roots);
    if (!gg_device_edges(job, false, &edges))
        return false;
    unsigned grid = gg_grid(job, n, 16);
    part<<<grid, GG_BLOCK, 0, job->stream>>>(s->forest.component, n);
    gg_launched(job, "part");
    unite<<<gg_grid(job, edges.m, 16), GG_BLOCK, 0, job->stream>>>(edges,
                                                                   s->forest.component);
    gg_launched(job, "unite");
    gather_roots<<<grid, GG_BLOCK, 0, job->stream>>>(s->g, s->crew, s->forest);
    gg_launched(job, "gather_roots");
    return gg_fetch(job, &s->crew.roots, s->forest.roots, sizeof s->crew.roots);
}

static bool start(struct cuda_job *job, uint32_t source, struct search *s) {
    struct dfs_crew *crew = &s->crew;
    uint64_t bytes = (uint64_t)s->g.n * sizeof(uint32_t);
    gg_fill(job, crew->control, 0, sizeof *crew->control);
    gg_fill(job, crew->cold, 0xff, (uint64_t)crew->workers * sizeof *crew->cold);
    gg_fill(job, crew->depth, 0xff, bytes);
    gg_fill(job, crew->parent, 0xff, bytes);
    if (!gg_going(job))
        return false;
    set_control<<<1, 1, 0, job->stream>>>(*crew);
    if (!gg_launched(job, "set_control"))
        return false;
    if (s->whole)
        return find_roots(job, s);
    set_source<<<1, 1, 0, job->stream>>>(*crew, s->forest.root, source);
    return gg_launched(job, "set_source");
}

static bool run_crew(struct cuda_job *job, struct search *s,
                     struct dfs_control *control) {
    void *arguments[] = {&s->crew};
    unsigned blocks = s->crew.workers / BLOCK_WORKERS;
    if (!gg_note(job,
                 cudaLaunchCooperativeKernel((const void *)crew_works, dim3(blocks),
                                             dim3(GG_BLOCK), arguments, 0, job->stream),
                 "start the kernel crew_works") ||
        !gg_fetch(job, control, s->crew.control, sizeof *control))
        return false;
    if (control->exhausted)
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                "a depth-first search used up its %u stack chunks, which cannot be: "
                "please report this graph",
                s->crew.pool.chunks);
    return gg_going(job);
}

static bool bring_back(struct cuda_job *job, gpugraph_direction direction,
                       const struct search *s, const gpugraph_dfs_tree *tree) {
    uint64_t n = s->g.n, bytes = n * sizeof(uint32_t);
    if (tree->tree_edge) {
        double started = gg_now_ms();
        if (!gg_device_parent_edges(job, direction, s->crew.parent, s->tree) ||
            !gg_wait(job))
            return false;
        gg_phase(job->run, "parents", started, job->graph->m, "on the device");
    }
    double started = gg_now_ms();
    if (!gg_download(job, tree->depth, s->crew.depth, bytes) ||
        (tree->parent && !gg_download(job, tree->parent, s->crew.parent, bytes)) ||
        (tree->tree_edge && !gg_download(job, tree->tree_edge, s->tree, bytes)))
        return false;
    gg_phase(job->run, "download", started, (int64_t)n, "depths%s%s",
             tree->parent ? ", parents" : "", tree->tree_edge ? ", tree edges" : "");
    return true;
}

static void search_graph(struct cuda_job *job, uint32_t source,
                         gpugraph_direction direction, const gpugraph_dfs_tree *tree) {
    struct search s = search();
    struct workspace space = {NULL, 0};
    struct dfs_control control;
    s.whole = source == GPUGRAPH_NONE;
    if (!gg_device_csr(job, (enum csr_kind)direction, false, &s.g))
        return;
    double started = gg_now_ms();
    s.crew.workers = crew_blocks(job) * BLOCK_WORKERS;
    carve(&space, tree->tree_edge != NULL, &s);
    if (!gg_workspace(job, &space))
        return;
    carve(&space, tree->tree_edge != NULL, &s);
    set_crew(job, direction, &s);
    if (!start(job, source, &s) || !run_crew(job, &s, &control))
        return;
    char more[100];
    snprintf(more, sizeof more, "%u workers, %u times work was stolen", s.crew.workers,
             control.stolen);
    gg_search_phase(job->run, started, control.reached, more);
    bring_back(job, direction, &s, tree);
}

static gpugraph_status search_on_host(gpugraph_graph *graph, uint32_t source,
                                      bool ordered, gpugraph_direction direction,
                                      gpugraph_run *run, const gpugraph_dfs_tree *tree) {
    run->used_backend = gg_cpu_backend.name;
    run->used_method = "serial";
    snprintf(run->why, sizeof run->why,
             "a serial search has no parallelism: the host does it for 'cuda' too");
    return gg_cpu_dfs(graph, source, ordered, direction, run, tree);
}

gpugraph_status gg_cuda_dfs(gpugraph_graph *graph, uint32_t source, bool ordered,
                            gpugraph_direction direction, gpugraph_run *run,
                            const gpugraph_dfs_tree *tree) {
    struct cuda_job job;
    gpugraph_dfs_tree wanted = *tree;
    uint32_t *own_parent = NULL;
    if (ordered || gg_method_is(run, "serial"))
        return search_on_host(graph, source, ordered, direction, run, tree);
    bool numbers = tree->preorder || tree->postorder;
    if (numbers && !wanted.parent) {
        wanted.parent = own_parent =
            (uint32_t *)gg_alloc(run, graph->n, sizeof(uint32_t));
        if (!own_parent)
            return run->status;
    }
    if (gg_job_open(&job, graph, run)) {
        search_graph(&job, source, direction, &wanted);
        gg_job_close(&job);
    }
    if (!run->status && numbers)
        gg_number_tree(graph, run, wanted.parent, wanted.depth, tree->preorder,
                       tree->postorder);
    gg_release(own_parent);
    return run->status;
}
