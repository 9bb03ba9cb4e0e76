/* One shortest path on the device; path.c beside this has the meaning and the CPU backend.
**
**     search from the source, ended at the target, or from both ends
**        |  rows with edge numbers are there:    a block walks back along them
**        |  there are none, or the way is long:  tree edges, one thread walks up
**        v
**     the path alone comes back over the bus
**
** A step up the tree is two loads deep, some microsecond by one thread, so a long way is
** left to the host, which is sent the tree. By weight nobody knows how long the way is: the
** thread gives up after as many steps as that would take. Where it comes to a vertex whose
** edges all tie with it, ties are settled; those over many steps by the host, which is sent the distances. */
#include "path.h"
#include "path.cuh"
#include "sssp/sssp.h"
#include "tree/tree.cuh"

/* One thread. number: as wide as the graph's edge numbers. */
template <typename number>
static __global__ void walk_up(device_edges edges, const number *tree_edge,
                               uint32_t target, uint32_t source, uint32_t most,
                               number *room) {
    uint32_t steps = 0, v = target;
    while (v != source && steps < most) {
        number e = tree_edge[v];
        if (e == ~(number)0)
            break;
        room[PATH_HEAD + steps++] = e;
        v ^= edges.source[e] ^ edges.target[e]; /* its other end */
    }
    room[0] = steps;
    room[1] = v;
}

/* Steps that take no longer than sending the tree to the host: a thread of the device
** takes 1,000 steps from a vertex to its parent in a millisecond, and 20 MB come back
** meanwhile. */
static uint32_t worthwhile_steps(const struct cuda_job *job) {
    double bytes = (double)gg_tree_bytes(job, true);
    return (uint32_t)((bytes / 2e7 + 1) * 1000);
}

/* Steps along rows that take no longer than making the tree: a block takes 500 of them
** in a millisecond, and the tree of 100 million edges is made meanwhile. */
static uint32_t worthwhile_row_steps(const struct cuda_job *job) {
    double tree_ms = (double)job->graph->m / 1e8;
    return (uint32_t)((tree_ms + 0.5) * 500);
}

/* How many steps there is room for behind the head, in so many words. */
static uint64_t steps_of_room(const struct cuda_job *job, uint64_t words) {
    uint64_t numbers = words / (job->graph->wide ? 2 : 1);
    return numbers < PATH_HEAD ? 0 : numbers - PATH_HEAD;
}

template <typename number>
static bool launch_walk(struct cuda_job *job, const gpugraph_search *search,
                        const struct device_edges *edges, const void *tree, uint32_t most,
                        void *room, struct path_walk *walk) {
    number head[PATH_HEAD];
    walk_up<<<1, 1, 0, job->stream>>>(*edges, static_cast<const number *>(tree),
                                      search->target[0], search->source[0], most,
                                      static_cast<number *>(room));
    if (!gg_launched(job, "walk_up") || !gg_fetch(job, head, room, sizeof head))
        return false;
    walk->steps = (uint32_t)head[0];
    walk->vertex = (uint32_t)head[1];
    return true;
}

/* What the caller gets. */
struct way_back {
    void *edge;
    uint32_t *count;
};

/* The walk has come to the source: its edges, which lie in `room`, are the path. */
static bool bring_path_back(struct cuda_job *job, const struct path_walk *walk,
                            const void *room, double started, const char *how,
                            const struct way_back *way) {
    const size_t size = gg_edge_size(job->graph->wide);
    const char *edges = static_cast<const char *>(room) + PATH_HEAD * size;
    if (!gg_download(job, way->edge, edges, walk->steps * size))
        return false;
    gg_reverse_edges(job->graph, way->edge, walk->steps);
    *way->count = walk->steps;
    gg_phase(job->run, "walk", started, walk->steps, "%s, on the device", how);
    return true;
}

/* At most `most` steps, for which, and the head, there is room. */
static bool walk_tree(struct cuda_job *job, const gpugraph_search *search,
                      const void *tree, uint32_t most, void *room,
                      const struct way_back *way, struct path_walk *walk) {
    struct device_edges edges;
    double started = gg_now_ms();
    if (!gg_device_edges(job, false, &edges))
        return false;
    if (job->graph->wide
            ? !launch_walk<uint64_t>(job, search, &edges, tree, most, room, walk)
            : !launch_walk<uint32_t>(job, search, &edges, tree, most, room, walk))
        return false;
    return walk->vertex != search->source[0] ||
           bring_path_back(job, walk, room, started, "up the tree", way);
}

/* Does the first of these edges leave that vertex? */
static bool begins_at(const gpugraph_graph *graph, const struct way_back *way,
                      uint32_t v) {
    if (*way->count == 0)
        return false;
    const gpugraph_edge edge =
        gpugraph_edge_of(graph, gg_edge_at(way->edge, graph->wide, 0));
    return edge.source == v || edge.target == v;
}

static bool walk_on_host(struct cuda_job *job, const void *on_device, uint32_t target,
                         const struct way_back *way) {
    const gpugraph_graph *graph = job->graph;
    double started = gg_now_ms();
    uint64_t bytes = gg_tree_bytes(job, true);
    void *tree = gg_edges_home(job) ? gg_alloc(job->run, bytes, 1) : NULL;
    if (tree && gg_download(job, tree, on_device, bytes))
        gg_walk_path(graph, tree, target, job->run, way->edge, way->count);
    gg_release(tree);
    if (gg_going(job))
        gg_phase(job->run, "walk", started, *way->count, "on the host: a long way");
    return gg_going(job);
}

/* Along rows that are there, where the way has, or may have, few enough steps. *done: it has; *tie:
** all edges of a vertex on it tie with its own distance. */
static bool try_rows(struct cuda_job *job, const struct path_search *s,
                     const struct way_back *way, bool *done, bool *tie) {
    struct device_arcs_to unused[2];
    struct path_walk walk;
    double started = gg_now_ms();
    uint64_t room = steps_of_room(job, job->graph->n);
    uint32_t most = worthwhile_row_steps(job);
    *done = *tie = false;
    if (gg_device_arcs_to(job, s->wanted->direction, unused) == 0)
        return true;
    if (s->weighted ? gg_way_is_long(job, s->wanted->direction)
                    : s->steps > most || s->steps > room)
        return true;
    most = most < room ? most : (uint32_t)room;
    if (!gg_walk_back(job, s, most, gg_path_room(s), &walk))
        return false;
    *done = walk.vertex == s->wanted->source[0];
    *tie = !*done && walk.steps < most;
    return !*done ||
           bring_path_back(job, &walk, gg_path_room(s), started, "along rows", way);
}

bool gg_look_at_target(struct cuda_job *job, gpugraph_distance_type type,
                       const void *distance, struct path_search *s) {
    const size_t size = gg_distance_size(type);
    uint64_t bits = 0;
    if (!gg_fetch(job, &bits,
                  static_cast<const unsigned char *>(distance) +
                      size * s->wanted->target[0],
                  size))
        return false;
    s->found = bits != (type == GPUGRAPH_UINT32   ? UINT32_MAX
                        : type == GPUGRAPH_UINT64 ? UINT64_MAX
                                                  : real::unreached());
    s->steps = s->found ? (uint32_t)bits : 0;
    return true;
}

/* ---- by depth ---- */

static bool search_by_depth(struct cuda_job *job, const gpugraph_search *search,
                            struct path_search *s) {
    return gg_bfs_search(job, search, true, &s->by_depth) &&
           gg_look_at_target(job, GPUGRAPH_UINT32, s->by_depth.depth, s);
}

static bool walk_by_depth(struct cuda_job *job, const struct path_search *s,
                          const struct way_back *way) {
    const struct bfs_outcome *out = &s->by_depth;
    const uint32_t steps = s->steps;
    struct path_walk walk;
    if (!gg_bfs_tree(job, s->wanted, out))
        return false;
    /* The tree is made, so the depths' place is free. */
    if (steps < worthwhile_steps(job) && steps <= steps_of_room(job, job->graph->n))
        return walk_tree(job, s->wanted, out->tree, steps, out->depth, way, &walk);
    return walk_on_host(job, out->tree, s->wanted->target[0], way);
}

/* ---- by weight ---- */

/* The host makes the tree, for there are ties on the way. */
static bool settle_on_host(struct cuda_job *job, const gpugraph_search *search,
                           const struct sssp_outcome *out, const struct way_back *way) {
    gpugraph_graph *graph = job->graph;
    gpugraph_run *run = job->run;
    size_t size = gg_distance_size(graph->distance_type);
    void *distance = gg_alloc(run, graph->n, size);
    void *tree = gg_alloc(run, gg_tree_bytes(job, true), 1);
    if (distance && tree && gg_edges_home(job) &&
        gg_download(job, distance, out->distance, graph->n * size) &&
        gg_distance_tree(graph, search, run, distance, tree) == GPUGRAPH_OK)
        gg_walk_path(graph, tree, search->target[0], run, way->edge, way->count);
    gg_release(distance);
    gg_release(tree);
    return gg_going(job);
}

static bool search_by_weight(struct cuda_job *job, const gpugraph_search *search,
                             struct path_search *s) {
    return gg_sssp_search(job, search, true, &s->by_weight) &&
           (s->by_weight.lost ||
            gg_look_at_target(job, job->graph->distance_type, s->by_weight.distance, s));
}

/* *open: edges of a vertex on the way tie, after a search from both ends; what that has left of
** other vertices may not fit together. */
static bool walk_by_weight(struct cuda_job *job, const struct path_search *s,
                           const struct way_back *way, bool *open) {
    const struct sssp_outcome *out = &s->by_weight;
    const gpugraph_search *search = s->wanted;
    const uint32_t source = search->source[0], target = search->target[0];
    struct path_walk walk;
    uint32_t ties;
    if (!gg_sssp_tree(job, search, out, &ties))
        return false;
    uint64_t room = steps_of_room(job, gg_distance_tree_scratch(job));
    uint32_t most = worthwhile_steps(job);
    most = most < room ? most : (uint32_t)room;
    if (!walk_tree(job, search, out->tree, most, out->scratch, way, &walk))
        return false;
    if (walk.vertex == source)
        return true;
    /* Does a tie end the walk, or are there only too many steps? */
    if (!s->both_ends && ties > 0) {
        const uint32_t before = ties;
        if (!gg_sssp_ties(job, search, out, &ties) ||
            (ties < before &&
             !walk_tree(job, search, out->tree, most, out->scratch, way, &walk)))
            return false;
        if (walk.vertex == source)
            return true;
    }
    if (!s->both_ends)
        return ties > 0 ? settle_on_host(job, search, out, way)
                        : walk_on_host(job, out->tree, target, way);
    if (walk.steps == most && !walk_on_host(job, out->tree, target, way))
        return false;
    *open =
        walk.steps < most || (gg_edges_home(job) && !begins_at(job->graph, way, source));
    if (*open)
        *way->count = GPUGRAPH_NONE;
    return true;
}

/* ---- driver ---- */

static bool search_from_source(struct cuda_job *job, const gpugraph_search *search,
                               bool weighted, struct path_search *s) {
    *s = path_search();
    s->wanted = search;
    s->weighted = weighted;
    return weighted ? search_by_weight(job, search, s) : search_by_depth(job, search, s);
}

static bool walk_path_back(struct cuda_job *job, const struct path_search *s,
                           const struct way_back *way, bool *open) {
    bool done = false, tie = false;
    *open = false;
    if (!s->found || s->by_weight.lost || !try_rows(job, s, way, &done, &tie) || done)
        return gg_going(job);
    *open = tie && s->both_ends;
    if (*open)
        return true;
    return s->weighted ? walk_by_weight(job, s, way, open) : walk_by_depth(job, s, way);
}

struct path_task {
    struct cuda_job *job;
    const gpugraph_search *search;
    bool weighted;
};

static bool both_ends_suit(const void *task) {
    const struct path_task *t = (const struct path_task *)task;
    return gg_both_ends_suit(t->job, t->search, t->weighted);
}

/* The other methods are those of the search. */
static const gg_method methods[] = {
    {.is = {"path", "bidirectional", "cuda",
            "from both ends; keeps the transpose with edge numbers"},
     .may = both_ends_suit},
    {},
};

/* From both ends, if that is asked for or pays; *open: it is left to the search from the source. */
static bool try_both_ends(struct cuda_job *job, const gpugraph_search *search,
                          bool weighted, const struct way_back *way, bool *open) {
    struct path_search s = path_search();
    const struct path_task task = {job, search, weighted};
    *open = !gg_settle_method(job->run, methods, &task);
    if (*open || !gg_going(job))
        return gg_going(job);
    if (search->source[0] == search->target[0]) {
        *way->count = 0;
        return true;
    }
    if (!gg_search_from_both_ends(job, search, weighted, &s, open) || *open ||
        !walk_path_back(job, &s, way, open))
        return false;
    gg_know(&job->graph->known.ways_tie, *open);
    return true;
}

static gpugraph_status find_path_on_device(gpugraph_graph *graph,
                                           const gpugraph_search *search, bool weighted,
                                           gpugraph_run *run, void *edge,
                                           uint32_t *count) {
    const struct way_back way = {edge, count};
    const char *method = run->method;
    struct cuda_job job;
    struct path_search s = path_search();
    bool open = true, unused;
    *count = GPUGRAPH_NONE;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    try_both_ends(&job, search, weighted, &way, &open);
    if (open && gg_going(&job)) {
        run->method = gg_find_method(&gg_path_cuda, method) ? NULL : method;
        if (search_from_source(&job, search, weighted, &s))
            walk_path_back(&job, &s, &way, &unused);
        run->method = method;
    }
    if (gg_job_close(&job) || !s.by_weight.lost)
        return run->status;
    gg_sssp_lost(run);
    return gg_path_by_sssp(graph, search, run, edge, count);
}

/* The bytes of a search from the source. A search from both ends is left out if there is no
** room for it. */
static int64_t path_bytes(const gpugraph_graph *graph, bool frugal) {
    return gg_sssp_cuda.bytes(graph, frugal);
}

/* ---- the device's side ---- */

extern "C" const algorithm_side gg_path_cuda = {
    .methods = methods,
    .call = GG_CALLS(path_entry, find_path_on_device),
    .bytes = path_bytes,
};
