/* One shortest path on the device; path.c beside this has the meaning and the CPU
** backend.
**
**     search from the source, ended at the target, or by weight from both ends
**        v
**     tree edges; one thread walks up from the target
**        v
**     the path alone comes back over the bus
**
** A step up the tree is two loads deep, about a microsecond for one thread, so a long
** path is left to the host, which is sent the tree. By weight the number of steps is not
** known before: the thread gives up after as many steps as sending the tree would take.
** If the device has left ties of distance (tree/distance.cu) and one of them ends the
** walk, the host settles them from the distances. */
#include "bfs/bfs.cuh"
#include "path.cuh"
#include "path.h"
#include "regions/regions.cuh"
#include "sssp/sssp.h"

/* One thread. number: as wide as the graph's edge numbers. room: steps, where they led;
** then the edges, from the target on. */
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

/* How many steps there is room for behind the head, in so many words. */
static uint64_t steps_of_room(const struct cuda_job *job, uint64_t words) {
    uint64_t numbers = words / (job->graph->wide ? 2 : 1);
    return numbers < PATH_HEAD ? 0 : numbers - PATH_HEAD;
}

template <typename number>
static bool launch_walk(struct cuda_job *job, const gpugraph_search *search,
                        const struct device_edges *edges, const void *tree, uint32_t most,
                        void *room, uint32_t walk[PATH_HEAD]) {
    number head[PATH_HEAD];
    walk_up<<<1, 1, 0, job->stream>>>(*edges, static_cast<const number *>(tree),
                                      search->target[0], search->source[0], most,
                                      static_cast<number *>(room));
    if (!gg_launched(job, "walk_up") || !gg_fetch(job, head, room, sizeof head))
        return false;
    walk[0] = (uint32_t)head[0];
    walk[1] = (uint32_t)head[1];
    return true;
}

/* What the caller gets. */
struct way_back {
    void *edge;
    uint32_t *count;
};

/* Brings the path back from `room`, where it lies from the target on. */
static bool bring_path_back(struct cuda_job *job, uint32_t steps, const void *room,
                            double started, const struct way_back *way) {
    const size_t size = gg_edge_size(job->graph->wide);
    const char *edges = static_cast<const char *>(room) + PATH_HEAD * size;
    if (!gg_download(job, way->edge, edges, steps * size))
        return false;
    gg_reverse_edges(job->graph, way->edge, steps);
    *way->count = steps;
    gg_phase(job->run, "walk", started, steps, "up the tree, on the device");
    return true;
}

/* Walks up the tree, for as many steps as are worthwhile and fit `words` words. *done: the walk
** has reached the source, and *way has the path. */
static bool walk_tree(struct cuda_job *job, const gpugraph_search *search,
                      const void *tree, void *room, uint64_t words,
                      const struct way_back *way, bool *done) {
    const uint64_t fit = steps_of_room(job, words);
    const uint32_t worth = worthwhile_steps(job),
                   most = worth < fit ? worth : (uint32_t)fit;
    struct device_edges edges;
    uint32_t walk[PATH_HEAD]; /* steps, the last vertex */
    double started = gg_now_ms();
    if (!gg_device_edges(job, false, &edges) ||
        !(job->graph->wide
              ? launch_walk<uint64_t>(job, search, &edges, tree, most, room, walk)
              : launch_walk<uint32_t>(job, search, &edges, tree, most, room, walk)))
        return false;
    *done = walk[1] == search->source[0];
    return !*done || bring_path_back(job, walk[0], room, started, way);
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

/* *steps: the target's word, which is its depth by depth. */
static bool look_at_target(struct cuda_job *job, const gpugraph_search *search,
                           gpugraph_distance_type type, const void *distance, bool *found,
                           uint32_t *steps) {
    const size_t size = gg_distance_size(type);
    uint64_t bits = 0;
    if (!gg_fetch(job, &bits,
                  static_cast<const unsigned char *>(distance) + size * search->target[0],
                  size))
        return false;
    *found = bits != (type == GPUGRAPH_UINT32   ? UINT32_MAX
                      : type == GPUGRAPH_UINT64 ? UINT64_MAX
                                                : real::unreached());
    *steps = (uint32_t)bits;
    return true;
}

/* ---- by depth ---- */

/* Regions, where earlier searches have made them worthwhile, search the whole graph in
** less time than levels take to the target: 11 ms and 18 on a road network of 24 million
** vertices. */
static bool search_by_depth(struct cuda_job *job, const gpugraph_search *search,
                            struct bfs_outcome *out) {
    gpugraph_search whole = *search;
    whole.target_count = 0;
    const bool regions = gg_method_is_auto(job->run) && gg_wants_regions(job, false) &&
                         gg_fits_regions(&whole);
    return gg_bfs_search(job, regions ? &whole : search, true, out);
}

static bool find_by_depth(struct cuda_job *job, const gpugraph_search *search,
                          const struct way_back *way) {
    struct bfs_outcome out;
    uint32_t steps;
    bool found, done = false;
    if (!search_by_depth(job, search, &out) ||
        !look_at_target(job, search, GPUGRAPH_UINT32, out.depth, &found, &steps) ||
        !found || !gg_bfs_tree(job, search, &out))
        return gg_going(job);
    /* The tree is made, so the depths' place is free. */
    if (steps <= worthwhile_steps(job) &&
        !walk_tree(job, search, out.tree, out.depth, job->graph->n, way, &done))
        return false;
    return done || walk_on_host(job, out.tree, search->target[0], way);
}

/* ---- by weight ---- */

/* The host makes the tree, because ties on the path are left. */
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

/* From both ends. *open: the search from the source has to find the path, because edges
** of a vertex on it tie, or it is long. */
static bool find_from_both_ends(struct cuda_job *job, const gpugraph_search *search,
                                const struct way_back *way, bool *open) {
    struct sssp_outcome out;
    uint32_t unused;
    bool found, done;
    if (!gg_search_from_both_ends(job, search, &out, open) || *open ||
        !look_at_target(job, search, job->graph->distance_type, out.distance, &found,
                        &unused))
        return gg_going(job);
    *open = !found && out.lost;
    if (!found)
        return true;
    if (!gg_sssp_tree(job, search, &out, NULL) ||
        !walk_tree(job, search, out.tree, out.scratch, gg_path_scratch(job), way, &done))
        return false;
    *open = !done;
    return true;
}

/* From the source. *lost: a sum left the range. */
static bool find_by_weight(struct cuda_job *job, const gpugraph_search *search,
                           const struct way_back *way, bool *lost) {
    const uint64_t words = gg_distance_tree_scratch(job);
    struct sssp_outcome out;
    uint32_t unused, ties;
    bool found, done;
    if (!gg_sssp_search(job, search, true, &out))
        return false;
    *lost = out.lost;
    if (out.lost ||
        !look_at_target(job, search, job->graph->distance_type, out.distance, &found,
                        &unused) ||
        !found || !gg_sssp_tree(job, search, &out, &ties) ||
        !walk_tree(job, search, out.tree, out.scratch, words, way, &done) || done)
        return gg_going(job);
    /* A tie ends the walk, or there are too many steps. */
    return ties > 0 ? settle_on_host(job, search, &out, way)
                    : walk_on_host(job, out.tree, search->target[0], way);
}

/* ---- driver ---- */

struct path_task {
    struct cuda_job *job;
    const gpugraph_search *search;
};

static bool both_ends_suit(const void *task) {
    const struct path_task *t = (const struct path_task *)task;
    return gg_both_ends_suit(t->job, t->search);
}

/* The other methods are those of the search. */
static const gg_method methods[] = {
    {.is = {"path", "bidirectional", "cuda",
            "by weight from both ends; keeps the transpose"},
     .may = both_ends_suit},
    {},
};

/* From both ends, if that is asked for or pays; *open: the search from the source has to
** find the path. */
static bool try_both_ends(struct cuda_job *job, const gpugraph_search *search,
                          const struct way_back *way, bool *open) {
    const struct path_task task = {job, search};
    *open = !gg_settle_method(job->run, methods, &task);
    if (*open || !gg_going(job))
        return gg_going(job);
    if (search->source[0] == search->target[0]) {
        *way->count = 0;
        return true;
    }
    if (!find_from_both_ends(job, search, way, open))
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
    bool open = true, lost = false;
    *count = GPUGRAPH_NONE;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    if (weighted)
        try_both_ends(&job, search, &way, &open);
    if (open && gg_going(&job)) {
        run->method = gg_find_method(&gg_path_cuda, method) ? NULL : method;
        if (weighted)
            find_by_weight(&job, search, &way, &lost);
        else
            find_by_depth(&job, search, &way);
        run->method = method;
    }
    if (gg_job_close(&job) || !lost)
        return run->status;
    gg_sssp_lost(run);
    return gg_path_by_sssp(graph, search, run, edge, count);
}

/* The bytes of a search from the source. A search from both ends is left out if there is
** no room for it. */
static int64_t path_bytes(const gpugraph_graph *graph, bool frugal) {
    return gg_sssp_cuda.bytes(graph, frugal);
}

/* ---- the device's side ---- */

extern "C" const algorithm_side gg_path_cuda = {
    .methods = methods,
    .call = GG_CALLS(path_entry, find_path_on_device),
    .bytes = path_bytes,
};
