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
#include "slices.cuh"
#include "device/services.h"
#include "sssp/reached.cuh"
#include "regions/regions.cuh"
#include "tree/tree.cuh"
#include "graph/graph.h"

#include <assert.h>

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
    uint32_t missing;  /* not 0: some target is not reached */
    uint32_t ticket;
    uint32_t levels; /* levels that had vertices */
    uint32_t over;
    uint64_t reached;
};

struct bfs {
    state *state;
    uint32_t *depth, *found;
    void *tree;       /* edge numbers */
    uint8_t *scratch; /* scratch memory for the tree */
    uint32_t *ends;   /* sources, then targets */
    uint32_t *target;
    uint32_t targets;
    uint64_t *slice;
};

/* ---- kernels ---- */

/* One thread for each source. Sources may repeat. */
static __global__ void seed_sources(bfs b, uint32_t sources, uint32_t n) {
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

/* The blocks share the arcs of the frontier: one thread for each arc. */
static __global__ void __launch_bounds__(GG_BLOCK) explore(device_csr g, bfs b) {
    const uint32_t level = b.state->level, frontier = b.state->frontier;
    walk_slices<uint32_t>(
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
static __device__ void end_level(state *state, bfs_bounds bounds) {
    uint32_t found = gg_peek(&state->found), slices = gg_peek(&state->slices);
    uint32_t missing = gg_peek(&state->missing);
    state->missing = 0;
    state->reached += found;
    state->levels += found > 0;
    state->over =
        state->over || found == 0 || slices == 0 || state->level >= bounds.max_depth ||
        stop_requested(bounds.stop, slices) || (bounds.targets && missing == 0) ||
        (bounds.limit > 0 && state->reached >= bounds.limit);
    state->frontier = state->over ? 0 : slices;
    state->slices = state->found = 0;
    state->level++;
}

/* One thread for each found vertex, and one for each target. Each found vertex belongs to
** the new level, which debug builds check. */
static __global__ void __launch_bounds__(GG_BLOCK)
    update(device_csr g, bfs b, bfs_bounds bounds) {
    state *state = b.state;
    const uint64_t found = state->found;
    [[maybe_unused]] const uint32_t level = state->level;
    const bool over = state->over;
    uint64_t whole = gg_whole_warps(found);
    for (uint64_t i = gg_thread(); i < whole && !over; i += gg_threads_of_grid()) {
        bool live = i < found;
        uint32_t v = live ? b.found[i] : 0;
        assert(!live || (v < g.n && b.depth[v] == level));
        append_slices(g, v, live, b.slice, &state->slices);
    }
    for (uint64_t i = gg_thread(); i < b.targets && !over; i += gg_threads_of_grid())
        if (b.depth[b.target[i]] == GPUGRAPH_NONE)
            atomicOr(&state->missing, 1u);
    if (gg_last_block(&state->ticket) && threadIdx.x == 0)
        end_level(state, bounds);
}

/* ---- driver ---- */

static void carve_bfs_kernels(workspace *space, const device_csr *g,
                              const gpugraph_search *search, uint64_t tree_bytes,
                              bfs *b) {
    b->targets = search->target_count;
    b->state = gg_carve<struct state>(space, 1);
    b->ends = gg_carve<uint32_t>(space, (uint64_t)search->source_count + b->targets);
    b->target = b->ends + search->source_count;
    b->depth = gg_carve<uint32_t>(space, g->n);
    b->found = gg_carve<uint32_t>(space, g->n);
    b->slice = gg_carve<uint64_t>(space, slices_at_most(g->n, g->m));
    b->tree = gg_carve<uint8_t>(space, tree_bytes);
    b->scratch = gg_carve<uint8_t>(space, tree_bytes ? gg_depth_tree_scratch(g->n) : 0);
}

static bool start_bfs_kernels(cuda_job *job, const device_csr *g,
                              const gpugraph_search *search, bfs_bounds bounds, bfs *b) {
    const uint32_t sources = search->source_count;
    gg_fill(job, b->state, 0, sizeof *b->state);
    gg_fill(job, b->depth, 0xff, (uint64_t)g->n * sizeof *b->depth);
    gg_upload(job, b->ends, search->source, (uint64_t)sources * sizeof *b->ends);
    gg_upload(job, b->target, search->target, (uint64_t)b->targets * sizeof *b->ends);
    if (!gg_going(job))
        return false;
    GG_LAUNCH(job, seed_sources, gg_grid(job, sources, LIST_BLOCKS), *b, sources, g->n);
    return GG_LAUNCH(job, update, gg_grid(job, sources, LIST_BLOCKS), *g, *b, bounds);
}

static bool search_by_kernels(cuda_job *job, const gpugraph_search *search, bool tree,
                              bfs_outcome *out) {
    device_csr g;
    bfs b;
    struct state state = {};
    bfs_bounds bounds = {search->max_depth, search->target_count > 0, search->limit,
                         job->device->device_stop};
    if (!gg_device_csr(job, gg_forward_kind(search->direction), false, &g))
        return false;
    double started = gg_now_ms();
    if (!gg_take_arrays(job,
                        [&](workspace *space) {
                            carve_bfs_kernels(space, &g, search, gg_tree_bytes(job, tree),
                                              &b);
                        }) ||
        !start_bfs_kernels(job, &g, search, bounds, &b))
        return false;
    const unsigned walk = gg_grid(job, (uint64_t)g.n + g.m, WALK_BLOCKS);
    const unsigned list = gg_grid(job, g.n, LIST_BLOCKS);
    auto queue_level = [&] {
        GG_LAUNCH(job, explore, walk, g, b);
        GG_LAUNCH(job, update, list, g, b, bounds);
    };
    if (!gg_run_rounds(job, &state, b.state, sizeof state, queue_level,
                       [&] { return state.over; }))
        return false;
    gg_search_phase(job->run, started, (int64_t)state.reached, "%u levels", state.levels);
    *out = bfs_outcome{b.depth, b.tree, state.levels, b.scratch};
    return gg_going(job);
}

static uint64_t arcs_of(const gpugraph_graph *graph, const gpugraph_search *search) {
    return search->direction == GPUGRAPH_BOTH ? 2 * graph->m : graph->m;
}

/* True if the search fits the persistent kernels, which count arcs in 32 bits. */
static bool fits_levels(const gpugraph_graph *graph, const gpugraph_search *search) {
    return arcs_of(graph, search) < UINT32_MAX - 65536;
}

/* Sets *itself to SYMMETRIC if the rows of the search are their own transpose. Sets it to
** NOT_SYMMETRIC without a check for direction IN, and if the graph has too few edges for
** a frontier to explode. Returns false when the run must end. */
static bool is_own_transpose(cuda_job *job, const gpugraph_search *search,
                             enum symmetry *itself) {
    const gpugraph_graph *graph = job->graph;
    const bool matters = arcs_of(graph, search) >= (uint64_t)graph->n * EXPLODING_DEGREE;
    *itself = matters && search->direction == GPUGRAPH_BOTH ? SYMMETRIC : NOT_SYMMETRIC;
    if (!matters || search->direction != GPUGRAPH_OUT)
        return true;
    return gg_device_symmetry(job, itself) || gg_do_without(job);
}

/* Positions in `methods`. */
enum { PERSISTENT, BOTH_SIDES, MULTI_KERNEL, REGIONS };
static const gg_method methods[] = {
    {.is = {"bfs", "persistent", "cuda",
            "one kernel runs many levels, on the whole device or, if levels have few "
            "vertices, on one cluster"}},
    {.is = {"bfs", "direction-optimizing", "cuda",
            "as persistent, with bottom-up levels for large frontiers"}},
    {.is = {"bfs", "multi-kernel", "cuda",
            "level by level: one kernel explores the frontier, another makes the next"}},
    {.is = {"bfs", "regions", "cuda",
            "for graphs with long paths: a block searches a region in its shared "
            "memory"}},
    {},
};

/* Chooses for `auto`. Bottom-up levels suit if the rows are their own transpose, or if an
** earlier search has found a frontier for which the transpose would have paid. Making a
** transpose does not pay for a single search. False: the run must end. */
static bool choose_bfs(cuda_job *job, const gpugraph_search *search, int *method) {
    const gpugraph_graph *graph = job->graph;
    enum symmetry itself = SYMMETRY_UNKNOWN;
    *method = PERSISTENT;
    if (gg_wants_regions(job, false) && gg_fits_regions(search)) {
        *method = REGIONS;
        return true;
    }
    if (!is_own_transpose(job, search, &itself))
        return false;
    if (itself == SYMMETRIC ||
        (itself == NOT_SYMMETRIC && gg_searches(graph) > GG_BFS_REVERSE_AFTER &&
         gg_bfs_explodes(graph, gg_forward_kind(search->direction))))
        *method = BOTH_SIDES;
    return true;
}

/* A search that does not fit one launch runs by multi-kernel, whatever method the caller
** names. */
bool gg_bfs_search(cuda_job *job, const gpugraph_search *search, bool tree,
                   bfs_outcome *out) {
    const gg_method *named = gg_find_method(&gg_bfs_cuda, job->run->used_method);
    int method = named ? (int)(named - methods) : PERSISTENT;
    if (!fits_levels(job->graph, search))
        method = MULTI_KERNEL;
    else if (gg_method_is_auto(job->run) && !choose_bfs(job, search, &method))
        return false;
    job->run->used_method = methods[method].is.name;
    return method == MULTI_KERNEL ? search_by_kernels(job, search, tree, out)
           : method == REGIONS
               ? gg_bfs_regions(job, search, tree, out)
               : gg_bfs_levels(job, search, method == BOTH_SIDES, tree, out);
}

bool gg_bfs_tree(cuda_job *job, const gpugraph_search *search, const bfs_outcome *out) {
    double started = gg_now_ms();
    if (!gg_device_depth_tree(job, search->direction, out->depth, out->deepest,
                              out->scratch, out->tree) ||
        !gg_wait(job))
        return false;
    gg_phase(job->run, "parents", started, (int64_t)job->graph->m, "on the device");
    return true;
}

static gpugraph_status search_bfs_on_device(gpugraph_graph *graph,
                                            const gpugraph_search *search,
                                            gpugraph_run *run, uint32_t *depth,
                                            void *tree_edge) {
    return gg_in_job(graph, run, [&](cuda_job *job) {
        bfs_outcome out;
        if (!gg_bfs_search(job, search, tree_edge != NULL, &out) ||
            (tree_edge && !gg_bfs_tree(job, search, &out)))
            return;
        const double started = gg_now_ms();
        if (gg_bfs_bring(job, depth, out.depth, graph->n, out.deepest) &&
            (!tree_edge ||
             gg_download(job, tree_edge, out.tree, gg_tree_bytes(job, true))))
            gg_phase(run, "download", started, graph->n, "depths%s",
                     tree_edge ? " and tree edges" : "");
    });
}

static gpugraph_status list_bfs_on_device(gpugraph_graph *graph,
                                          const gpugraph_search *search,
                                          gpugraph_run *run, reached_list *to) {
    return gg_in_job(graph, run, [&](cuda_job *job) {
        bfs_outcome out;
        if (!gg_bfs_search(job, search, to->tree_edge != NULL, &out) ||
            (to->tree_edge && !gg_bfs_tree(job, search, &out)))
            return;
        const bool bounded = search->max_depth != GPUGRAPH_NONE;
        const reached_values values = {out.depth, GPUGRAPH_UINT32,
                                       bounded ? search->max_depth : GPUGRAPH_NONE - 1,
                                       to->tree_edge ? out.tree : NULL};
        gg_bring_list(job, &values, search, bounded, to);
    });
}

/* Device bytes that a run needs. */
static int64_t bfs_device_bytes(const gpugraph_graph *graph, bool) {
    const cuda_job planned = planned_job(graph);
    return gg_device_graph_lacks(graph, CSR_OUT, false) +
           (int64_t)gg_bfs_levels_bytes(&planned, GG_PLANNED_ENDS);
}

extern "C" const algorithm_side gg_bfs_cuda = {
    .methods = methods,
    .call = GG_CALLS(bfs_entry, search_bfs_on_device),
    .bytes = bfs_device_bytes,
    .list = list_bfs_on_device,
};
