/* Breadth-first search: the public function and the CPU backend.
**
**     queue     [ level 0 | level 1 | ... | frontier |  found now  |        ]  room for n
**                                         ^begin     ^end          ^tail
**     visited   a bit for each vertex, in words of 64; bits past n are set
**
** A level is expanded in one of three ways:
**   narrow      The frontier has few vertices (on roads always). The calling thread
**               expands level after level alone, without atomics or barriers.
**   top-down    Threads share the frontier. A vertex belongs to the thread that sets its
**               bit first.
**   bottom-up   Threads share the unvisited vertices. Each vertex looks for one visited
**               neighbour along the transpose and stops at the first. All earlier levels
**               are complete, so this neighbour can only be in the frontier, and the
**               bitmap of visited vertices also serves as the bitmap of the frontier. New
**               vertices go to a second bitmap, so that the first one does not change
**               (bottom_up.c).
**
** The choice between the last two follows Beamer, Asanovic and Patterson,
** "Direction-Optimizing Breadth-First Search" (SC 2012): levels are bottom-up as soon as
** the frontier has more than a share of the arcs that no level has looked at, until the
** frontier shrinks. The transpose has the arcs of the other direction. A search uses the
** transpose if an earlier search has made it. A later search of a graph makes it when a
** frontier explodes. */
#define _GNU_SOURCE
#include "bfs.h"
#include "work.h"
#include "sssp/sssp.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>

/* ---- ends ---- */

static bool at_the_end(struct bfs *b) {
    return b->begin == b->end || b->level >= b->search->max_depth || gg_bfs_satisfied(b);
}

/* The level is complete. The vertices that the level found become the frontier. */
static void next_level(struct bfs *b) {
    b->begin = b->end;
    b->end = b->tail;
    b->level++;
}

/* The number of arcs that leave the frontier. */
static uint64_t frontier_arcs(const struct bfs *b) {
    uint64_t arcs = 0;
    for (uint64_t i = b->begin; i < b->end; i++)
        arcs += b->forward.end[b->queue[i]] - b->forward.begin[b->queue[i]];
    return arcs;
}

/* ---- levels by one thread ---- */

/* Appends the new targets of a row to the queue. No processor could predict a branch on
** whether a vertex is new. So each target is written behind the end of the queue, and the
** end moves only past new vertices. Returns the new end. */
static inline uint64_t take_targets(const struct bfs *b, uint64_t arc, uint64_t stop,
                                    uint64_t tail) {
    const uint32_t *target = b->forward.target;
    uint64_t *visited = b->visited;
    uint32_t *queue = b->queue;
    for (; arc < stop; arc++) {
        uint32_t w = target[arc];
        uint64_t word = visited[w >> 6];
        visited[w >> 6] = word | (uint64_t)1 << (w & 63);
        queue[tail] = w;
        tail += ~word >> (w & 63) & 1;
    }
    return tail;
}

/* For a row that may have more arcs than may pass between two polls. */
static __attribute__((noinline)) uint64_t take_long_row(struct bfs *b, uint64_t arc,
                                                        uint64_t stop, uint64_t tail) {
    for (bool go = true; arc < stop && go;) {
        const uint64_t part = stop - arc > GG_POLL_ITEMS ? arc + GG_POLL_ITEMS : stop;
        tail = take_targets(b, arc, part, tail);
        go = !gg_worked(b->run, &b->since, part - arc);
        arc = part;
    }
    return tail;
}

/* Expands a part of the frontier. Returns false when the run must end. */
static bool expand_alone(struct bfs *b, uint64_t begin, uint64_t end) {
    const uint64_t *begin_of = b->forward.begin, *end_of = b->forward.end;
    const uint32_t *queue = b->queue;
    /* Arcs looked at; arcs that were polled for. */
    uint64_t tail = b->tail, seen = 0, polled = 0;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t arc = begin_of[queue[i]], stop = end_of[queue[i]];
        seen += stop - arc;
        if (seen < polled + GG_POLL_ITEMS) {
            tail = take_targets(b, arc, stop, tail);
            continue;
        }
        tail = take_long_row(b, arc, stop, tail);
        polled = seen;
        if (gg_stopping(b->run))
            break;
    }
    for (uint64_t i = b->tail; i < tail; i++)
        b->depth[queue[i]] = b->level + 1;
    b->arcs_seen += seen;
    b->found += tail - b->tail;
    b->tail = tail;
    return !gg_worked(b->run, &b->since, seen - polled) && !gg_stopping(b->run);
}

/* Expands levels as long as the frontier has few vertices and few arcs. Returns true when
** the search is over. */
static bool narrow_levels(struct bfs *b) {
    while (!at_the_end(b)) {
        if (b->end - b->begin > BFS_ALONE || frontier_arcs(b) > BFS_ALONE_ARCS)
            return false;
        if (!expand_alone(b, b->begin, b->end))
            return true;
        next_level(b);
    }
    return true;
}

/* Expands a wide level by the calling thread. */
static void wide_level_alone(struct bfs *b) {
    expand_alone(b, b->begin, b->end);
    next_level(b);
}

/* ---- top-down levels by several threads ---- */

/* Returns true if this thread is the first to reach the vertex. The plain load comes
** first, because most arcs lead to visited vertices and an atomic operation costs ten
** times as much. */
static inline bool claim_vertex(uint64_t *visited, uint32_t v) {
    uint64_t bit = (uint64_t)1 << (v & 63);
    uint64_t *word = &visited[v >> 6];
    if (__atomic_load_n(word, __ATOMIC_RELAXED) & bit)
        return false;
    return !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
}

/* Expands one vertex of the frontier. Returns false when the run must end. */
static bool expand_shared(struct bfs *b, uint32_t v, uint64_t *seen,
                          struct gg_claims *finds) {
    uint64_t arc = b->forward.begin[v], stop = b->forward.end[v];
    const uint32_t *target = b->forward.target;
    uint32_t level = b->level + 1;
    *seen += stop - arc;
    while (arc < stop) {
        uint64_t pause = stop - arc > GG_POLL_ITEMS ? arc + GG_POLL_ITEMS : stop;
        for (; arc < pause; arc++) {
            uint32_t w = target[arc];
            if (claim_vertex(b->visited, w)) {
                b->depth[w] = level;
                gg_claim(finds, w, b->queue, &b->tail);
            }
        }
        if (arc < stop && gg_pause(b->run))
            return false;
    }
    return true;
}

/* One thread expands vertices of the frontier, a few at a time. */
static void join_top_down(void *job, int member, int team) {
    struct bfs *b = job;
    struct gg_claims finds;
    finds.count = 0;
    uint64_t seen = 0, pause_at = GG_POLL_ITEMS;
    uint64_t i, last;
    bool stop = gg_stopping(b->run);
    (void)member, (void)team;
    while (!stop && gg_take_chunk(&b->taken, b->end, BFS_GRAB, &i, &last)) {
        for (; i < last && !stop; i++)
            stop = !expand_shared(b, b->queue[i], &seen, &finds);
        if (seen >= pause_at) {
            pause_at = seen + GG_POLL_ITEMS;
            stop = stop || gg_pause(b->run);
        }
    }
    gg_hand_claims_over(&finds, b->queue, &b->tail);
    __atomic_fetch_add(&b->arcs_seen, seen, __ATOMIC_RELAXED);
}

static void top_down_level(struct bfs *b) {
    b->taken = b->begin;
    gg_team(b->threads, join_top_down, b);
    b->found += b->tail - b->end;
    next_level(b);
}

/* ---- driver ---- */

static void wide_bfs_levels(struct bfs *b) {
    while (!narrow_levels(b) && !gg_poll(b->run)) {
        uint64_t arcs = frontier_arcs(b);
        if (gg_bfs_goes_bottom_up(b, arcs))
            gg_bfs_bottom_up(b);
        else if (b->threads > 1)
            top_down_level(b);
        else
            wide_level_alone(b);
    }
}

/* A search of a road network ends in the narrow levels and starts no threads. */
static void search_levels(struct bfs *b) {
    if (narrow_levels(b))
        return;
    b->threads = gg_threads(b->run, b->forward.m);
    wide_bfs_levels(b);
}

static void clear_depths(void *bfs, uint64_t low, uint64_t high) {
    uint32_t *depth = ((struct bfs *)bfs)->depth;
    for (uint64_t v = low; v < high; v++)
        depth[v] = GPUGRAPH_NONE;
}

static void start_bfs(struct bfs *b) {
    uint32_t n = b->forward.n, *depth = b->depth;
    gg_slices(gg_threads(b->run, n / GG_FILL_ITEMS), n, clear_depths, b);
    memset(b->visited, 0, b->words * sizeof *b->visited);
    if (n % 64)
        b->visited[b->words - 1] = ~(uint64_t)0 << n % 64;
    for (uint32_t i = 0;
         i < b->search->source_count && !gg_leave(b->run, i + (uint64_t)1); i++) {
        uint32_t s = b->search->source[i];
        if (depth[s] == GPUGRAPH_NONE) {
            depth[s] = 0;
            b->visited[s >> 6] |= (uint64_t)1 << (s & 63);
            b->queue[b->tail++] = s;
        }
    }
    b->end = b->found = b->tail;
    b->pending = b->search->target_count;
}

static bool run_both_sides(void *task) {
    struct bfs *b = task;
    b->may_reverse = true;
    search_levels(b);
    return !gg_stopping(b->run);
}

static bool run_top_down(void *task) {
    struct bfs *b = task;
    search_levels(b);
    return !gg_stopping(b->run);
}

const gg_method gg_bfs_methods[] = {
    {.is = {"bfs", "direction-optimizing", "cpu",
            "level by level, top-down or, for large frontiers, bottom-up"},
     .may = gg_may_always,
     .run = run_both_sides},
    {.is = {"bfs", "top-down", "cpu", "level by level, always along the edges"},
     .run = run_top_down},
    [BFS_MULTI_SOURCE] =
        {.is = {"bfs", "multi-source", "cpu",
                "searches from up to 64 sources at once, with one bit for each"},
         .run = run_both_sides}, /* for one source */
    {.is = {0}},
};

gpugraph_status gg_cpu_bfs(gpugraph_graph *graph, const gpugraph_search *search,
                           gpugraph_run *run, uint32_t *depth, void *tree_edge) {
    struct bfs b = {.run = run, .search = search, .graph = graph, .depth = depth};
    const gg_method *method = gg_settle_method(run, gg_bfs_methods, &b);
    if (gg_rows(graph, gg_forward_kind(search->direction), false, false, run, &b.forward))
        return run->status;
    double started = gg_now_ms();
    b.words = ((uint64_t)graph->n + 63) / 64;
    /* Two bitmaps, then the queue. The queue has room for one more entry, because the
    ** last target is written even if it is not new. */
    uint64_t *workspace = gg_alloc(run, b.words * 16 + ((uint64_t)graph->n + 1) * 4, 1);
    if (!workspace)
        return run->status;
    b.visited = workspace;
    b.next = workspace + b.words;
    b.queue = (uint32_t *)(workspace + 2 * b.words);
    start_bfs(&b);
    (method ? method : gg_bfs_methods)->run(&b);
    gg_release(workspace);
    if (run->status)
        return run->status;
    if (gg_stopping(run))
        return gg_stopped(run);
    gg_search_phase(run, started + b.csr_ms, (int64_t)b.found,
                    "%u levels, %u of them bottom-up", b.level, b.bottom_up_levels);
    return tree_edge ? gg_depth_tree(graph, search, run, depth, tree_edge) : GPUGRAPH_OK;
}

/* A thin graph has twice as many levels as a square grid has rows. */
static double levels(const gpugraph_graph *graph) {
    return GG_FEW_LEVELS + (gg_is_thin(graph) ? 2 * sqrt(graph->n) : 0);
}

/* True if frontiers are so narrow that one thread expands them. */
static bool narrow(const gpugraph_graph *graph) {
    return gg_is_thin(graph) && sqrt(graph->n) < BFS_ALONE;
}

/* ---- the descriptor ---- */

static const algorithm_side cpu_side = {
    .methods = gg_bfs_methods,
    .call = GG_CALLS(bfs_entry, gg_cpu_bfs),
};

const gg_algorithm gg_bfs = {
    .name = "bfs",
    .brings_edges = true,
    .rows = CSR_OUT,
    .arcs = gg_arcs_once,
    .steps = levels,
    .alone = narrow,
    /* Measured with R-MATs of scale 16 and 20 and a grid, one thread and an H200. */
    .cpu_ns = 5,
    .cuda_ns = 0.013,
    .step_us = 3, /* a level: a barrier of all blocks */
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &gg_bfs_cuda},
    .several = &gg_bfs_distributed,
};

/* ---- the public functions ---- */

gpugraph_status gpugraph_bfs(gpugraph_graph *graph, const gpugraph_search *search,
                             gpugraph_run *run, uint32_t *depth, void *tree_edge) {
    gg_enter_graph(graph, run);
    if (!gg_check_search(graph, search, run) && gg_needs(run, depth, graph->n, "depth"))
        GG_RUN(bfs_entry, &gg_bfs, search, graph, run,
               (graph, search, run, depth, tree_edge));
    return gg_leave_graph(graph, run);
}

gpugraph_status gpugraph_bfs_list(gpugraph_graph *graph, const gpugraph_search *search,
                                  gpugraph_run *run, uint32_t room, uint32_t *vertex,
                                  uint32_t *depth, void *tree_edge, uint32_t *count) {
    struct reached_list to = {room, vertex, depth, tree_edge, GPUGRAPH_NONE};
    gg_enter_graph(graph, run);
    if (!gg_needs(run, count, 1, "count"))
        return gg_leave_graph(graph, run);
    if (!gg_check_search(graph, search, run) && gg_needs(run, vertex, room, "vertex") &&
        gg_needs(run, depth, room, "depth"))
        gg_list_reached(graph, search, true, run, &gg_bfs, &to);
    *count = to.count;
    return gg_leave_graph(graph, run);
}
