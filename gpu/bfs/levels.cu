/* Breadth-first search on the device, methods "persistent" and "direction-optimizing":
** the driver of the two kernels of bfs.cuh.
**
**     plant_sources                       depth 0, bit, queue
**     wide, narrow, wide, narrow, ...     the host queues some at a time, until control
**                                         says that the search is over
**
** The host does not look at levels. A search takes two launches, or a few more if its
** frontier grows and shrinks. */
#include "bfs.cuh"
#include "base/limits.h"
#include "graph/device_copy.cuh"
#include "regions/regions.cuh"
#include "tree/tree.cuh"
#include "graph/graph.h"

enum {
    LIST_BLOCKS = 2, /* blocks for each multiprocessor */
    /* The number of turns of both kernels that the host queues before it looks at
    ** control. The number doubles each time, up to MOST_TURNS. */
    FIRST_TURNS = 1,
    MOST_TURNS = 16,
    LONG_WAY = 1000 /* with this many narrow levels regions would have been faster */
};
static_assert(GG_BFS_NARROW_LEVELS >= 1, "the whole grid completes a level in each turn");
static_assert(sizeof(struct bfs_control) <= GG_MAILBOX, "control is fetched at once");

/* ---- kernels ---- */

/* One thread for each source. Sources may repeat. */
static __global__ void plant_sources(const __grid_constant__ device_csr g,
                                     const __grid_constant__ bfs_arrays b,
                                     uint32_t sources) {
    uint64_t whole = gg_whole_warps(sources);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        uint32_t v = i < sources ? b.ends[i] : 0;
        bool fresh =
            i < sources && atomicCAS(&b.depth[v], GPUGRAPH_NONE, 0u) == GPUGRAPH_NONE;
        if (fresh)
            atomicOr(&b.visited[0][v / 32], 1u << v % 32);
        unsigned mask = __ballot_sync(ALL_LANES, fresh);
        if (gg_lane() == 0 && mask)
            atomicAdd(&b.control->reached, (unsigned long long)__popc(mask));
        uint32_t row[1] = {fresh ? v : GPUGRAPH_NONE};
        bfs_rows<1> rows;
        gg_weigh(g, row, &rows);
        gg_enqueue(b.queue, &b.control->frontier, rows);
    }
}

/* One thread for each target. Targets may repeat. A source among the targets is already
** reached. */
static __global__ void mark_targets(const __grid_constant__ bfs_arrays b,
                                    const uint32_t *target, uint32_t targets) {
    for (uint64_t i = gg_thread(); i < targets; i += gg_threads_of_grid()) {
        uint32_t v = target[i], bit = 1u << v % 32;
        if (b.depth[v] != 0 && !(atomicOr(&b.wanted[v / 32], bit) & bit))
            atomicAdd(&b.control->missing, 1u);
    }
}

/* One thread: chooses the first kernel. */
static __global__ void open_control(const __grid_constant__ bfs_arrays b,
                                    const __grid_constant__ bfs_bounds bounds) {
    bfs_control *c = b.control;
    bool over = (uint32_t)c->frontier == 0 || bounds.max_depth == 0 ||
                (bounds.targets && c->missing == 0) ||
                (bounds.limit > 0 && c->reached >= bounds.limit);
    c->tail = (uint32_t)c->frontier;
    c->next = over ? BFS_OVER : BFS_WIDE;
}

/* ---- steps ---- */

static void carve_bfs_levels(workspace *space, const device_csr *g,
                             const gpugraph_search *search, bool below,
                             uint64_t tree_bytes, bfs_arrays *b) {
    uint64_t ends = (uint64_t)search->source_count + search->target_count;
    uint64_t words = gg_hub_words(g->n);
    b->control = gg_carve<struct bfs_control>(space, 1);
    b->ends = gg_carve<uint32_t>(space, ends);
    b->wanted = gg_carve<uint32_t>(space, search->target_count > 0 ? words : 0);
    b->visited[0] = gg_carve<uint32_t>(space, words);
    b->visited[1] = gg_carve<uint32_t>(space, below ? words : 0);
    b->depth = gg_carve<uint32_t>(space, g->n);
    b->queue = gg_carve<uint2>(space, g->n);
    b->rest[0] = gg_carve<uint32_t>(space, below ? g->n : 0);
    b->rest[1] = gg_carve<uint32_t>(space, below ? g->n : 0);
    b->tree = gg_carve<uint8_t>(space, tree_bytes);
    b->scratch = gg_carve<uint8_t>(space, tree_bytes ? gg_depth_tree_scratch(g->n) : 0);
}

static bool start_bfs_levels(cuda_job *job, const device_csr *g,
                             const gpugraph_search *search, bfs_bounds bounds,
                             const bfs_arrays *b) {
    uint32_t sources = search->source_count, targets = search->target_count;
    uint64_t bytes = gg_hub_words(g->n) * sizeof(uint32_t);
    gg_fill(job, b->control, 0, sizeof *b->control);
    gg_fill(job, b->depth, 0xff, (uint64_t)g->n * sizeof *b->depth);
    if (targets > 0)
        gg_fill(job, b->wanted, 0, bytes);
    if (!gg_fill(job, b->visited[0], 0, bytes))
        return false;
    GG_LAUNCH(job, plant_sources, gg_grid(job, sources, LIST_BLOCKS), *g, *b, sources);
    if (targets > 0)
        GG_LAUNCH(job, mark_targets, gg_grid(job, targets, LIST_BLOCKS), *b,
                  b->ends + sources, targets);
    open_control<<<1, 1, 0, job->stream>>>(*b, bounds);
    return gg_launched(job, "open_control");
}

/* Queues turns of both kernels until the search is over. */
static bool take_turns(cuda_job *job, const device_csr *g, const bfs_below *below,
                       const bfs_arrays *b, bfs_bounds bounds, bfs_control *control) {
    const uint32_t blocks = (uint32_t)gg_bfs_cluster(job);
    const bfs_shape shape = {GG_BFS_NARROW_IN * blocks, GG_BFS_NARROW_OUT * blocks};
    int turns = FIRST_TURNS;
    do {
        for (int i = 0; i < turns; i++)
            if (!gg_bfs_wide(job, g, below, b, bounds, shape) ||
                !gg_bfs_narrow(job, g, b, bounds, shape))
                return false;
        if (!gg_mark(job, GG_ENDED) ||
            !gg_fetch(job, control, b->control, sizeof *control))
            return false;
        turns = turns < MOST_TURNS ? 2 * turns : turns;
    } while (control->next != BFS_OVER);
    if (control->failed & 1)
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                "the blocks of a breadth-first search did not all reach the barrier of "
                "level %u: please report this graph",
                control->level);
    else if (control->failed)
        gg_stopped(job->run);
    return gg_going(job);
}

static bool run_bfs_levels(cuda_job *job, const device_csr *g, const bfs_below *below,
                           const gpugraph_search *search, const bfs_arrays *b,
                           uint32_t *deepest) {
    bfs_bounds bounds = {search->max_depth, search->target_count > 0, search->limit,
                         job->device->device_stop};
    bfs_control control;
    const double started = gg_now_ms();
    gg_upload(job, b->ends, search->source,
              (uint64_t)search->source_count * sizeof *b->ends);
    gg_upload(job, b->ends + search->source_count, search->target,
              (uint64_t)search->target_count * sizeof *b->ends);
    gg_mark(job, GG_BEGAN);
    if (!start_bfs_levels(job, g, search, bounds, b) ||
        !take_turns(job, g, below, b, bounds, &control))
        return false;
    if (control.explodes && job->graph)
        gg_bfs_note_explosion(job, gg_forward_kind(search->direction));
    if (control.narrow_levels >= LONG_WAY && job->graph &&
        g->n >= gg_limits.region_vertices)
        gg_note_long_way(job, g, false);
    *deepest = control.level;
    gg_search_phase(
        job->run, started, (int64_t)control.reached,
        "%u levels, %u of them narrow, %u bottom-up, %u turns, kernels %.4f ms",
        control.level, control.narrow_levels, control.bottom_up, control.turns,
        gg_marked_ms(job));
    return gg_going(job);
}

/* True if bottom-up levels fit the memory. If an earlier search with bottom-up levels has
** left all data that this search needs, the function does not ask for the free memory:
** this is a system call, during which the device would wait. */
static bool has_room_below(cuda_job *job, const gpugraph_search *search,
                           const device_csr *g, bool tree) {
    const enum csr_kind transpose = gg_bfs_transpose(job->graph, search->direction);
    workspace space = {NULL, 0};
    bfs_arrays b = {};
    carve_bfs_levels(&space, g, search, true, 0, &b);
    if (!tree && space.used <= job->device->workspace_bytes &&
        gg_device_copy_of(job->graph)->rows[transpose].made &&
        gg_bfs_has_hubs(job->graph, transpose))
        return true;
    /* The transpose, hubs and bitmaps, and the search itself. */
    const int64_t n = (int64_t)g->n + 1024;
    return gg_device_graph_lacks(job->graph, transpose, false) + 28 * n + 3 * n / 8 +
               (int64_t)gg_tree_bytes(job, true) + 65536 <=
           gg_device_room(job);
}

bool gg_bfs_levels_by(cuda_job *job, const gpugraph_search *search, const device_csr *g,
                      const bfs_below *below, bool tree, bfs_outcome *out) {
    bfs_arrays b;
    const bool looks = below->rows.begin != NULL;
    const uint64_t tree_bytes = tree ? gg_tree_bytes(job, tree) : 0;
    if (!gg_take_arrays(job, [&](workspace *s) {
            carve_bfs_levels(s, g, search, looks, tree_bytes, &b);
        }))
        return false;
    *out = bfs_outcome{b.depth, b.tree, 0, b.scratch};
    return run_bfs_levels(job, g, below, search, &b, &out->deepest);
}

bool gg_bfs_levels(cuda_job *job, const gpugraph_search *search, bool below, bool tree,
                   bfs_outcome *out) {
    device_csr g;
    bfs_below transpose = bfs_below();
    const enum csr_kind kind = gg_forward_kind(search->direction);
    if (!gg_device_csr(job, kind, false, &g))
        return false;
    if (below && has_room_below(job, search, &g, tree) &&
        !gg_bfs_below(job, gg_bfs_transpose(job->graph, search->direction), &transpose)) {
        transpose = bfs_below();
        if (!gg_do_without(job))
            return false;
    }
    return gg_bfs_levels_by(job, search, &g, &transpose, tree, out);
}

uint64_t gg_bfs_levels_bytes(const cuda_job *job, uint32_t ends) {
    workspace space = {NULL, 0};
    device_csr g = {job->graph->n, job->graph->m};
    bfs_arrays b;
    gpugraph_search search = {};
    search.target_count = ends;
    carve_bfs_levels(&space, &g, &search, false, gg_tree_bytes(job, true), &b);
    return space.used;
}
