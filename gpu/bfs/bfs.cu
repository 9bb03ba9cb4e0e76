/* Breadth-first search on the device: the choice of a method, and the readable method
** "multi-kernel". bfs.c has the meaning and the CPU backend. The other methods are in
** levels.cu, wide.cu, narrow.cu and by_regions.cu.
**
**     found      vertices of the newest level, in the order in which they were found
**        |  update     cuts their rows into slices, counts, and decides whether to go on
**     slices     the frontier
**        |  explore    claims unvisited neighbours: depth NONE -> level
**     found      ...
**
** Two kernels alternate, as in the tutorial on multi-kernel programming (Rodinia's BFS):
** the end of a launch is the barrier between levels. The frontier is a queue and not a
** mask, so that a level costs its own arcs and not n. The state lies on the device, and
** the host reads it through pinned memory from time to time. The host queues several
** levels at a time. A level behind the last one finds its counter at 0 and does
** nothing. */
#include "bfs.h"
#include "bfs.cuh"
#include "device/services.h"
#include "sssp/reached.cuh"
#include "regions/regions.cuh"
#include "tree/tree.cuh"
#include "graph/graph.h"

#include <assert.h>
#include <string.h>

enum {
    WALK_BLOCKS = 8, /* blocks for each multiprocessor */
    LIST_BLOCKS = 2,
    /* The number of edges for each vertex below which no frontier explodes: roads,
    ** meshes. */
    EXPLODING_DEGREE = 8
};

struct state {
    uint32_t frontier; /* slices of the frontier; 0 once the search is over */
    uint32_t slices;   /* slices that are being collected */
    uint32_t found;    /* vertices in the list */
    uint32_t level;    /* the level of the vertices in the list */
    uint32_t missing;  /* targets not reached */
    uint32_t ticket;
    uint32_t levels; /* levels that had vertices */
    uint32_t over;
    uint64_t reached;
};

struct bfs {
    struct state *state;
    uint32_t *depth, *found;
    void *tree;       /* edge numbers */
    uint8_t *scratch; /* scratch memory for the tree */
    uint32_t *ends;   /* sources, then targets */
    uint32_t *wanted; /* bit v: v is a target that counts as missing */
    uint64_t *slice;
};

/* ---- kernels ---- */

/* One thread for each source. Sources may repeat. */
static __global__ void seed_sources(struct bfs b, uint32_t sources, uint32_t n) {
    uint64_t whole = gg_whole_warps(sources);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        uint32_t v = i < sources ? b.ends[i] : 0;
        bool fresh = i < sources && v < n &&
                     atomicCAS(&b.depth[v], GPUGRAPH_NONE, 0u) == GPUGRAPH_NONE;
        uint32_t at = gg_reserve(&b.state->found, fresh);
        if (fresh)
            b.found[at] = v;
    }
}

/* One thread for each target. Targets may repeat. */
static __global__ void mark_targets(struct bfs b, const uint32_t *target,
                                    uint32_t targets) {
    for (uint64_t i = gg_thread(); i < targets; i += gg_threads_of_grid()) {
        uint32_t v = target[i], bit = 1u << v % 32;
        if (!(atomicOr(&b.wanted[v / 32], bit) & bit))
            atomicAdd(&b.state->missing, 1u);
    }
}

/* The blocks share the arcs of the frontier: one thread for each arc. */
static __global__ void __launch_bounds__(GG_BLOCK) explore(device_csr g, struct bfs b) {
    const uint32_t level = b.state->level, frontier = b.state->frontier;
    gg_walk<uint32_t>(
        g, b.slice, frontier, [](uint32_t v) { return v; },
        [&](uint32_t, uint64_t arc, bool live) {
            uint32_t v = live ? g.target[arc] : 0;
            bool fresh = live && gg_peek(&b.depth[v]) == GPUGRAPH_NONE &&
                         atomicCAS(&b.depth[v], GPUGRAPH_NONE, level) == GPUGRAPH_NONE;
            uint32_t at = gg_reserve(&b.state->found, fresh);
            if (fresh)
                b.found[at] = v;
        });
}

/* Ends a level. Called by one thread. */
static __device__ void end_level(struct state *state, struct bfs_bounds bounds) {
    uint32_t found = gg_peek(&state->found), slices = gg_peek(&state->slices);
    uint32_t missing = gg_peek(&state->missing);
    state->reached += found;
    state->levels += found > 0;
    state->over =
        state->over || found == 0 || slices == 0 || state->level >= bounds.max_depth ||
        gg_stop_requested(bounds.stop, slices) || (bounds.targets && missing == 0) ||
        (bounds.limit > 0 && state->reached >= bounds.limit);
    state->frontier = state->over ? 0 : slices;
    state->slices = state->found = 0;
    state->level++;
}

/* One thread for each found vertex. Each belongs to the new level, which debug builds
** check. */
static __global__ void __launch_bounds__(GG_BLOCK)
    update(device_csr g, struct bfs b, struct bfs_bounds bounds) {
    struct state *state = b.state;
    const uint64_t found = state->found;
    [[maybe_unused]] const uint32_t level = state->level;
    const bool over = state->over;
    uint64_t whole = gg_whole_warps(found);
    for (uint64_t i = gg_thread(); i < whole && !over; i += gg_threads_of_grid()) {
        bool live = i < found;
        uint32_t v = live ? b.found[i] : 0;
        assert(!live || (v < g.n && b.depth[v] == level));
        if (live && bounds.targets && (b.wanted[v / 32] >> v % 32 & 1))
            atomicSub(&state->missing, 1u);
        gg_append_slices(g, v, live, b.slice, &state->slices);
    }
    if (gg_last_block(&state->ticket) && threadIdx.x == 0)
        end_level(state, bounds);
}

/* ---- driver ---- */

static void carve_bfs_kernels(struct workspace *space, const struct device_csr *g,
                              const gpugraph_search *search, uint64_t tree_bytes,
                              struct bfs *b) {
    uint64_t ends = (uint64_t)search->source_count + search->target_count;
    b->state = gg_carve<struct state>(space, 1);
    b->ends = gg_carve<uint32_t>(space, ends);
    b->wanted = gg_carve<uint32_t>(space, g->n / 32 + 1);
    b->depth = gg_carve<uint32_t>(space, g->n);
    b->found = gg_carve<uint32_t>(space, g->n);
    b->slice = gg_carve<uint64_t>(space, gg_slices_at_most(g->n, g->m));
    b->tree = gg_carve<uint8_t>(space, tree_bytes);
    b->scratch = gg_carve<uint8_t>(space, tree_bytes ? gg_depth_tree_scratch(g->n) : 0);
}

static bool start_bfs_kernels(struct cuda_job *job, const struct device_csr *g,
                              const gpugraph_search *search, struct bfs_bounds bounds,
                              struct bfs *b) {
    uint32_t sources = search->source_count, targets = search->target_count;
    gg_fill(job, b->state, 0, sizeof *b->state);
    gg_fill(job, b->wanted, 0, ((uint64_t)g->n / 32 + 1) * sizeof *b->wanted);
    gg_fill(job, b->depth, 0xff, (uint64_t)g->n * sizeof *b->depth);
    gg_upload(job, b->ends, search->source, (uint64_t)sources * sizeof *b->ends);
    gg_upload(job, b->ends + sources, search->target,
              (uint64_t)targets * sizeof *b->ends);
    if (!gg_going(job))
        return false;
    GG_LAUNCH(job, seed_sources, gg_grid(job, sources, LIST_BLOCKS), *b, sources, g->n);
    GG_LAUNCH(job, mark_targets, gg_grid(job, targets, LIST_BLOCKS), *b,
              b->ends + sources, targets);
    return GG_LAUNCH(job, update, gg_grid(job, sources, LIST_BLOCKS), *g, *b, bounds);
}

static bool run_levels(struct cuda_job *job, const struct device_csr *g,
                       struct bfs_bounds bounds, const struct bfs *b,
                       struct state *state) {
    unsigned walk = gg_grid(job, (uint64_t)g->n + g->m, WALK_BLOCKS);
    unsigned list = gg_grid(job, g->n, LIST_BLOCKS);
    auto queue_level = [&] {
        GG_LAUNCH(job, explore, walk, *g, *b);
        GG_LAUNCH(job, update, list, *g, *b, bounds);
    };
    return gg_run_rounds(job, state, b->state, sizeof *state, queue_level,
                         [&] { return state->over; });
}

static bool search_by_kernels(struct cuda_job *job, const gpugraph_search *search,
                              bool tree, struct bfs_outcome *out) {
    struct device_csr g;
    struct bfs b;
    struct state state;
    struct bfs_bounds bounds = {search->max_depth, search->target_count > 0,
                                search->limit, job->device->device_stop};
    if (!gg_device_csr(job, gg_forward_kind(search->direction), false, &g))
        return false;
    double started = gg_now_ms();
    if (!gg_take_arrays(job, [&](workspace *space) {
            carve_bfs_kernels(space, &g, search, gg_tree_bytes(job, tree), &b);
        }))
        return false;
    if (!start_bfs_kernels(job, &g, search, bounds, &b) ||
        !run_levels(job, &g, bounds, &b, &state))
        return false;
    gg_search_phase(job->run, started, (int64_t)state.reached, "%u levels", state.levels);
    *out = bfs_outcome{b.depth, b.tree, state.levels, b.scratch};
    return gg_going(job);
}

/* True if the search fits the persistent kernels, which count arcs in 32 bits. */
static bool fits_levels(const gpugraph_graph *graph, const gpugraph_search *search) {
    uint64_t arcs = search->direction == GPUGRAPH_BOTH ? 2 * graph->m : graph->m;
    return arcs < UINT32_MAX - 65536;
}

/* Sets *itself to SYMMETRIC if the rows of the search are their own transpose. Also
** NOT_SYMMETRIC if the graph has so few edges that no frontier explodes. Returns false
** when the run must end. */
static bool is_own_transpose(struct cuda_job *job, const gpugraph_search *search,
                             enum symmetry *itself) {
    const gpugraph_graph *graph = job->graph;
    const bool both = search->direction == GPUGRAPH_BOTH;
    const uint64_t arcs = both ? 2 * graph->m : graph->m;
    const bool matters = arcs >= (uint64_t)graph->n * EXPLODING_DEGREE;
    *itself = matters && both ? SYMMETRIC : NOT_SYMMETRIC;
    if (!matters || search->direction != GPUGRAPH_OUT)
        return true;
    return gg_device_symmetry(job, itself) || gg_do_without(job);
}

struct bfs_task {
    struct cuda_job *job;
    const gpugraph_search *search;
    bool tree;
    struct bfs_outcome *out;
    bool levels, regions, below; /* properties of the search */
};

static bool may_persist(const void *task) {
    const struct bfs_task *t = (const struct bfs_task *)task;
    return t->levels && !t->regions && !t->below;
}

static bool may_go_bottom_up(const void *task) {
    const struct bfs_task *t = (const struct bfs_task *)task;
    return t->levels && !t->regions && t->below;
}

static bool may_take_regions(const void *task) {
    const struct bfs_task *t = (const struct bfs_task *)task;
    return t->levels && t->regions;
}

static bool needs_kernels(const void *task) {
    return !((const struct bfs_task *)task)->levels;
}

static bool run_persistent(void *task) {
    const struct bfs_task *t = (const struct bfs_task *)task;
    return gg_bfs_levels(t->job, t->search, false, t->tree, t->out);
}

static bool run_both_sides(void *task) {
    const struct bfs_task *t = (const struct bfs_task *)task;
    return gg_bfs_levels(t->job, t->search, true, t->tree, t->out);
}

static bool run_kernels(void *task) {
    const struct bfs_task *t = (const struct bfs_task *)task;
    return search_by_kernels(t->job, t->search, t->tree, t->out);
}

static bool run_regions(void *task) {
    const struct bfs_task *t = (const struct bfs_task *)task;
    return gg_bfs_regions(t->job, t->search, t->tree, t->out);
}

enum { MULTI_KERNEL = 2 };
static const gg_method methods[] = {
    {.is = {"bfs", "persistent", "cuda",
            "one kernel runs many levels, on the whole device or, if levels have few "
            "vertices, on one cluster"},
     .may = may_persist,
     .run = run_persistent},
    {.is = {"bfs", "direction-optimizing", "cuda",
            "as persistent, with bottom-up levels for large frontiers"},
     .may = may_go_bottom_up,
     .run = run_both_sides},
    {.is = {"bfs", "multi-kernel", "cuda",
            "level by level: one kernel explores the frontier, another makes the next"},
     .may = needs_kernels,
     .run = run_kernels},
    {.is = {"bfs", "regions", "cuda",
            "for graphs with long paths: a block searches a region in its shared "
            "memory"},
     .may = may_take_regions,
     .run = run_regions},
    {},
};

/* Finds out which methods suit the search. Bottom-up levels suit if the rows are their
** own transpose, or if an earlier search has met a frontier for which the transpose would
** have paid. Making a transpose does not pay for a single search. */
static bool look_at_graph(struct bfs_task *t) {
    struct cuda_job *job = t->job;
    const gpugraph_graph *graph = job->graph;
    const enum csr_kind kind = gg_forward_kind(t->search->direction);
    enum symmetry itself = SYMMETRY_UNKNOWN;
    t->levels = fits_levels(graph, t->search);
    if (!gg_method_is_auto(job->run) || !t->levels)
        return true;
    if (!is_own_transpose(job, t->search, &itself))
        return false;
    const bool explodes =
        gg_bfs_explodes(graph, kind) && gg_searches(graph) > GG_BFS_REVERSE_AFTER;
    t->below = itself == SYMMETRIC || (itself == NOT_SYMMETRIC && explodes);
    t->regions = gg_wants_regions(job, false) && gg_fits_regions(t->search);
    return true;
}

/* A search that does not fit one launch runs by multi-kernel, whatever method the caller
** names. */
static const gg_method *settle_bfs(const struct bfs_task *t) {
    gpugraph_run *run = t->job->run;
    const gg_method *m = gg_settle_method(run, methods, t);
    if (!t->levels)
        m = &methods[MULTI_KERNEL];
    else if (!m)
        m = methods;
    run->used_method = m->is.name;
    return m;
}

bool gg_bfs_search(struct cuda_job *job, const gpugraph_search *search, bool tree,
                   struct bfs_outcome *out) {
    struct bfs_task task = {job, search, tree, out};
    return look_at_graph(&task) && settle_bfs(&task)->run(&task);
}

bool gg_bfs_tree(struct cuda_job *job, const gpugraph_search *search,
                 const struct bfs_outcome *out) {
    double started = gg_now_ms();
    if (!gg_device_depth_tree(job, search->direction, out->depth, out->deepest,
                              out->scratch, out->tree) ||
        !gg_wait(job))
        return false;
    gg_phase(job->run, "parents", started, (int64_t)job->graph->m, "on the device");
    return true;
}

static void search_bfs_graph(struct cuda_job *job, const gpugraph_search *search,
                             uint32_t *depth, void *tree_edge) {
    struct bfs_outcome out;
    const uint64_t n = job->graph->n;
    if (!gg_bfs_search(job, search, tree_edge != NULL, &out) ||
        (tree_edge && !gg_bfs_tree(job, search, &out)))
        return;
    const double started = gg_now_ms();
    if (gg_bfs_bring(job, depth, out.depth, n, out.deepest) &&
        (!tree_edge || gg_download(job, tree_edge, out.tree, gg_tree_bytes(job, true))))
        gg_phase(job->run, "download", started, (int64_t)n, "depths%s",
                 tree_edge ? " and tree edges" : "");
}

static gpugraph_status search_bfs_on_device(gpugraph_graph *graph,
                                            const gpugraph_search *search,
                                            gpugraph_run *run, uint32_t *depth,
                                            void *tree_edge) {
    return gg_in_job(graph, run, [&](struct cuda_job *job) {
        search_bfs_graph(job, search, depth, tree_edge);
    });
}

static gpugraph_status list_bfs_on_device(gpugraph_graph *graph,
                                          const gpugraph_search *search,
                                          gpugraph_run *run, struct reached_list *to) {
    struct cuda_job job;
    struct bfs_outcome out;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    if (gg_bfs_search(&job, search, to->tree_edge != NULL, &out) &&
        (!to->tree_edge || gg_bfs_tree(&job, search, &out))) {
        const bool bounded = search->max_depth != GPUGRAPH_NONE;
        const struct reached_values values = {
            out.depth, GPUGRAPH_UINT32, bounded ? search->max_depth : GPUGRAPH_NONE - 1,
            to->tree_edge ? out.tree : NULL};
        gg_bring_list(&job, &values, search, bounded, to);
    }
    return gg_job_close(&job);
}

/* Device bytes that a run needs. */
static int64_t bfs_device_bytes(const gpugraph_graph *graph, bool) {
    const struct cuda_job planned = planned_job(graph);
    return gg_device_graph_lacks(graph, CSR_OUT, false) +
           (int64_t)gg_bfs_levels_bytes(&planned, GG_PLANNED_ENDS);
}

/* ---- the device's side ---- */

extern "C" const algorithm_side gg_bfs_cuda = {
    .methods = methods,
    .call = GG_CALLS(bfs_entry, search_bfs_on_device),
    .bytes = bfs_device_bytes,
    .list = list_bfs_on_device,
};
