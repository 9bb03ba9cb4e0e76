/* Breadth-first search: the public function and the CPU backend.
**
**     queue     [ level 0 | level 1 | ... | frontier |  found now  |        ]  room for n
**                                         ^begin     ^end          ^tail
**     visited   a bit for each vertex, in words of 64; bits past n are set
**
** A level is expanded in one of three ways:
**   narrow      The frontier has few vertices (always, in road networks). The calling
**               thread expands level after level alone, without atomics or barriers.
**   top-down    Threads share the frontier. A vertex belongs to the thread that sets its
**               bit first.
**   bottom-up   Threads share the unvisited vertices. Each vertex looks for one visited
**               neighbour along the transpose and stops at the first. All earlier levels
**               are complete, so this neighbour can only be in the frontier, and the
**               bitmap of visited vertices also serves as the bitmap of the frontier. New
**               vertices go to a second bitmap, so that the first one does not change.
**
** The choice between the last two follows Beamer, Asanovic and Patterson,
** "Direction-Optimizing Breadth-First Search" (SC 2012). Bottom-up levels begin when the
** frontier has more than 1 / ALPHA of the arcs that no level has looked at. They end when
** the frontier is small and shrinks. The transpose has the arcs of the other direction.
** The first GG_BFS_REVERSE_AFTER searches of a graph are bottom-up only if the transpose
** exists. Later searches make the transpose when bottom-up levels begin. */
#include "bfs.h"
#include "base/claims.h"
#include "sssp/sssp.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>

enum {
    GRAB_WORDS = 16, /* words of the bitmap that a thread takes at a time */
    /* Beamer's thresholds: levels become bottom-up when the frontier has more than 1 /
    ** ALPHA of the arcs not looked at, and top-down again when the frontier has less than
    ** 1 / BETA of the vertices. */
    ALPHA = 15,
    BETA = 18
};

struct bfs {
    gpugraph_run *run;
    const gpugraph_search *search;
    gpugraph_graph *graph;
    csr forward, reverse;
    bool may_reverse, has_reverse;
    int threads;
    uint64_t taken; /* work of a step that threads have taken */
    uint32_t *depth;
    uint32_t *queue;
    uint64_t *visited, *next; /* next: the second bitmap of bottom-up levels */
    uint64_t words;
    uint64_t begin, end, tail; /* positions in the queue */
    uint64_t found;            /* vertices reached so far */
    uint64_t arcs_seen;        /* arcs that top-down and narrow levels looked at */
    uint64_t since;            /* counter of gg_worked, for the calling thread */
    uint32_t level;            /* the level of the frontier */
    uint32_t pending;          /* targets not reached yet: target[0 .. pending - 1] */
    uint32_t bottom_up_levels;
    double csr_ms; /* time of making the transpose within this search */
};

/* ---- ends ---- */

/* True if the search has found what it needs. A vertex is final as soon as it is
** found. */
static bool is_satisfied(struct bfs *b) {
    const gpugraph_search *search = b->search;
    while (b->pending > 0 && b->depth[search->target[b->pending - 1]] != GPUGRAPH_NONE)
        b->pending--;
    if (search->target_count > 0 && b->pending == 0)
        return true;
    return search->limit > 0 && b->found >= search->limit;
}

static bool at_the_end(struct bfs *b) {
    return b->begin == b->end || b->level >= b->search->max_depth || is_satisfied(b);
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

/* Appends the new targets of a row to the queue. A processor often mispredicts a branch
** on whether a vertex is new. So each target is written behind the end of the queue, and
** the end moves only past new vertices. Returns the new end. */
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

/* Does the work of take_targets, with a poll after at most GG_POLL_ITEMS arcs. */
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

/* Expands the frontier by the calling thread. Returns false when the run must end. */
static bool expand_alone(struct bfs *b) {
    const uint64_t *begin_of = b->forward.begin, *end_of = b->forward.end;
    const uint32_t *queue = b->queue;
    /* seen: arcs looked at; polled: the value of `seen` at the latest poll. */
    uint64_t tail = b->tail, seen = 0, polled = 0;
    for (uint64_t i = b->begin, end = b->end; i < end; i++) {
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
    next_level(b);
    return !gg_worked(b->run, &b->since, seen - polled) && !gg_stopping(b->run);
}

/* Expands levels as long as the frontier has few vertices and few arcs. Returns true when
** the search is over or the run must end. */
static bool narrow_levels(struct bfs *b) {
    while (!at_the_end(b)) {
        if (b->end - b->begin > BFS_ALONE || frontier_arcs(b) > BFS_ALONE_ARCS)
            return false;
        if (!expand_alone(b))
            return true;
    }
    return true;
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

/* ---- bottom-up levels by several threads ----
**
**     visited   does not change during a level: the vertices of all earlier levels
**     next      visited, and the vertices that this level finds; then the two are
**               swapped */

/* True if the next level is bottom-up. arcs: the number that leave the frontier. The
** function makes the transpose if this pays. */
static bool goes_bottom_up(struct bfs *b, uint64_t arcs) {
    if (!b->may_reverse || arcs <= (b->forward.m - b->arcs_seen) / ALPHA)
        return false;
    enum csr_kind kind = gg_reverse_kind(b->search->direction);
    if (!b->has_reverse) {
        bool made = gg_csr_made(b->graph, kind);
        if (!made && gg_searches(b->graph) <= GG_BFS_REVERSE_AFTER)
            return false;
        double started = gg_now_ms();
        if (gg_rows(b->graph, kind, false, false, b->run, &b->reverse))
            return false;
        b->csr_ms += gg_now_ms() - started;
        b->has_reverse = true;
    }
    return true;
}

/* Returns the unvisited vertices of one word of the bitmap that have a neighbour in the
** frontier. */
static uint64_t find_in_word(struct bfs *b, uint64_t word, uint64_t *seen) {
    const uint64_t *visited = b->visited, *begin = b->reverse.begin,
                   *end = b->reverse.end;
    const uint32_t *target = b->reverse.target;
    uint64_t fresh = 0;
    for (uint64_t left = ~visited[word]; left; left &= left - 1) {
        uint32_t v = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left);
        uint64_t arc = begin[v], stop = end[v];
        for (; arc < stop && !gg_leave(b->run, arc); arc++) {
            uint32_t u = target[arc];
            if (visited[u >> 6] >> (u & 63) & 1) {
                b->depth[v] = b->level + 1;
                fresh |= left & -left;
                break;
            }
        }
        *seen += arc - begin[v] + 1;
    }
    return fresh;
}

/* One thread takes words of the bitmap, a few at a time. */
static void join_bottom_up(void *job, int member, int team) {
    struct bfs *b = job;
    uint64_t found = 0, seen = 0, pause_at = GG_POLL_ITEMS, word, last;
    bool stop = gg_stopping(b->run);
    (void)member, (void)team;
    while (!stop && gg_take_chunk(&b->taken, b->words, GRAB_WORDS, &word, &last))
        for (; word < last && !stop; word++) {
            uint64_t fresh = find_in_word(b, word, &seen);
            b->next[word] = b->visited[word] | fresh;
            found += (uint64_t)__builtin_popcountll(fresh);
            if (seen >= pause_at) {
                pause_at = seen + GG_POLL_ITEMS;
                stop = gg_pause(b->run);
            }
        }
    __atomic_fetch_add(&b->found, found, __ATOMIC_RELAXED);
}

/* Returns the number of vertices that the level found. Does not update the queue. */
static uint64_t bottom_up_level(struct bfs *b) {
    uint64_t before = b->found;
    b->taken = 0;
    gg_team(b->threads, join_bottom_up, b);
    uint64_t *old = b->visited;
    b->visited = b->next;
    b->next = old;
    b->level++;
    b->bottom_up_levels++;
    return b->found - before;
}

/* Writes the frontier to the queue. The frontier is the difference of the two bitmaps
** after the latest bottom-up level. */
static void fill_queue(struct bfs *b) {
    uint64_t tail = 0;
    for (uint64_t word = 0; word < b->words; word++) {
        uint64_t fresh = b->visited[word] & ~b->next[word];
        for (; fresh; fresh &= fresh - 1)
            b->queue[tail++] = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(fresh);
    }
    b->begin = 0;
    b->end = b->tail = tail;
}

/* Runs bottom-up levels until the frontier is small and shrinks. */
static void bottom_up_levels(struct bfs *b) {
    uint64_t frontier = b->end - b->begin, before;
    do {
        before = frontier;
        frontier = bottom_up_level(b);
    } while (frontier > 0 && (frontier >= before || frontier > b->forward.n / BETA) &&
             b->level < b->search->max_depth && !is_satisfied(b) && !gg_poll(b->run));
    fill_queue(b);
}

/* ---- driver ---- */

/* A search of a road network ends in the narrow levels and starts no threads. */
static void search_levels(struct bfs *b) {
    while (!narrow_levels(b) && !gg_poll(b->run)) {
        b->threads = b->threads ? b->threads : gg_threads(b->run, b->forward.m);
        if (goes_bottom_up(b, frontier_arcs(b)))
            bottom_up_levels(b);
        else if (b->threads > 1)
            top_down_level(b);
        else
            expand_alone(b);
    }
}

static void clear_depths(void *bfs, uint64_t low, uint64_t high) {
    uint32_t *depth = ((struct bfs *)bfs)->depth;
    memset(depth + low, 0xff, (high - low) * sizeof *depth);
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

const gg_method gg_bfs_methods[] = {
    {.is = {"bfs", "direction-optimizing", "cpu",
            "level by level, top-down or, for large frontiers, bottom-up"},
     .may = gg_may_always},
    [BFS_TOP_DOWN] = {.is = {"bfs", "top-down", "cpu",
                             "level by level, always along the edges"}},
    [BFS_MULTI_SOURCE] =
        {.is = {"bfs", "multi-source", "cpu",
                "searches from up to 64 sources at once, with one bit for each"}},
    {.is = {0}},
};

gpugraph_status gg_cpu_bfs(gpugraph_graph *graph, const gpugraph_search *search,
                           gpugraph_run *run, uint32_t *depth, void *tree_edge) {
    const bool top_down =
        gg_settle_method(run, gg_bfs_methods, NULL) == &gg_bfs_methods[BFS_TOP_DOWN];
    struct bfs b = {.run = run,
                    .search = search,
                    .graph = graph,
                    .may_reverse = !top_down,
                    .depth = depth};
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
    search_levels(&b);
    gg_release(workspace);
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
    return gg_list_reached(graph, search, true, run, &gg_bfs,
                           (struct reached_list){room, vertex, depth, tree_edge, 0},
                           count);
}
