/* One shortest path on the device. path.c has the public function and the CPU backend.
**
**     search from the source, ended at the target, or by weight from both ends
**        v
**     tree edges; one thread walks up from the target, and writes to pinned memory
**        v
**     the path alone crosses the bus
**
** A step up the tree takes one thread about a microsecond. The host makes the tree from
** the distances if the path is long, or if the device has left ties of distance
** (tree/tree.cu) and one of them ends the walk. */
#include "base/limits.h"
#include "base/words.h"
#include "bfs/bfs.cuh"
#include "graph/graph.h"
#include "path.h"
#include "regions/regions.cuh"
#include "sssp/sssp.cuh"
#include "tree/tree.cuh"

enum {
    SEARCH_BYTES = 128,  /* a search from both ends, for each vertex, about */
    PATH_HEAD = 2,       /* numbers before the edges of a walk: steps, last vertex */
    WALK_STEPS = 1 << 16 /* a walk on the device: some 65 ms */
};
static_assert((PATH_HEAD + WALK_STEPS) * sizeof(uint64_t) <= GG_STAGE_BYTES,
              "a stage holds a walk");

/* Walks up the tree, by one thread. number: as wide as the graph's edge numbers. room:
** the number of steps and the last vertex, then the edges from the target on. */
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

struct path_task {
    struct cuda_job *job;
    const gpugraph_search *search;
    void *edge; /* the result, in the order of travel */
    uint32_t *count;
};

template <typename number>
static bool launch_walk(const struct path_task *t, const struct device_edges *edges,
                        const void *tree, void *room) {
    struct cuda_job *job = t->job;
    walk_up<<<1, 1, 0, job->stream>>>(*edges, static_cast<const number *>(tree),
                                      t->search->target[0], t->search->source[0],
                                      (uint32_t)WALK_STEPS, static_cast<number *>(room));
    return gg_launched(job, "walk_up") && gg_wait(job);
}

/* Walks up the tree. *done: the walk has reached the source, and the task has the path.
** Pinned memory has the same address on the device. */
static bool walk_tree(const struct path_task *t, const void *tree, bool *done) {
    struct cuda_job *job = t->job;
    const bool wide = job->graph->wide;
    struct device_edges edges;
    void *room = job->device->stage[0]; /* free once all queued work is done */
    double started = gg_now_ms();
    if (!gg_device_edges(job, false, &edges) || !gg_wait(job) ||
        !(wide ? launch_walk<uint64_t>(t, &edges, tree, room)
               : launch_walk<uint32_t>(t, &edges, tree, room)))
        return false;
    const uint32_t steps = (uint32_t)gg_edge_at(room, wide, 0);
    *done = (uint32_t)gg_edge_at(room, wide, 1) == t->search->source[0];
    if (!*done)
        return true;
    const size_t size = gg_edge_size(wide);
    memcpy(t->edge, static_cast<char *>(room) + PATH_HEAD * size, steps * size);
    gg_reverse_edges(job->graph, t->edge, steps);
    *t->count = steps;
    gg_phase(job->run, "walk", started, steps, "up the tree, on the device");
    return true;
}

/* Depths or distances of all vertices, on the device. */
struct path_values {
    const void *value;
    gpugraph_distance_type type;
    bool weighted;
};

static bool look_at_target(const struct path_task *t, const struct path_values *values,
                           bool *found) {
    const size_t size = gg_distance_size(values->type), at = size * t->search->target[0];
    uint64_t bits = 0;
    if (!gg_fetch(t->job, &bits, static_cast<const char *>(values->value) + at, size))
        return false;
    *found = gg_word_at(values->type, &bits, 0) != GG_INFINITE;
    return true;
}

/* Makes the tree on the host, and walks up it. */
static bool walk_on_host(const struct path_task *t, const struct path_values *values) {
    struct cuda_job *job = t->job;
    gpugraph_graph *graph = job->graph;
    gpugraph_run *run = job->run;
    const size_t size = gg_distance_size(values->type);
    void *value = gg_alloc(run, graph->n, size);
    void *tree = gg_alloc(run, gg_tree_bytes(job, true), 1);
    if (value && tree && gg_job_download_edges(job) &&
        gg_download(job, value, values->value, graph->n * size)) {
        if (values->weighted)
            gg_distance_tree(graph, t->search, run, value, tree);
        else
            gg_depth_tree(graph, t->search, run, static_cast<uint32_t *>(value), tree);
        if (run->status == GPUGRAPH_OK)
            gg_walk_path(graph, tree, t->search->target[0], run, t->edge, t->count);
    }
    gg_release(value);
    gg_release(tree);
    return gg_going(job);
}

/* ---- by depth ---- */

/* Regions that earlier searches have made search the whole graph in less time than levels
** take to reach the target: 11 ms and 18 on a road network of 24 million vertices. */
static bool search_by_depth(struct cuda_job *job, const gpugraph_search *search,
                            struct bfs_outcome *out) {
    gpugraph_search whole = *search;
    whole.target_count = 0;
    const bool regions = gg_method_is_auto(job->run) && gg_wants_regions(job, false) &&
                         gg_fits_regions(&whole);
    return gg_bfs_search(job, regions ? &whole : search, true, out);
}

static bool find_by_depth(const struct path_task *t) {
    struct bfs_outcome out;
    bool found, done;
    if (!search_by_depth(t->job, t->search, &out))
        return false;
    const struct path_values depths = {out.depth, GPUGRAPH_UINT32, false};
    if (!look_at_target(t, &depths, &found) || !found ||
        !gg_bfs_tree(t->job, t->search, &out) || !walk_tree(t, out.tree, &done))
        return gg_going(t->job);
    return done || walk_on_host(t, &depths);
}

/* ---- by weight ---- */

/* Searches from both ends, for the distances from the source of all vertices on shortest
** paths (sssp/persistent_ends.cuh). *open: the search from the source has to find the
** path, because there is no room, or a sum left the range. */
static bool search_from_both_ends(struct cuda_job *job, const gpugraph_search *search,
                                  struct sssp_outcome *out, bool *open) {
    struct sssp_search s;
    *open = search->bounded || job->graph->n >= 0x80000000u;
    if (*open)
        return true;
    if (!gg_sssp_begin(job, search, &s) ||
        !gg_sssp_transpose(job, search, (int64_t)s.g.n * SEARCH_BYTES, &s.back))
        return false;
    *open = !s.back.begin;
    if (*open)
        return true;
    gg_path_choose(&s.features, &s.parameters);
    job->run->used_method = "bidirectional";
    const bool done = gg_sssp_run(job, &s, true, out);
    *open = !done || out->lost;
    return done || gg_do_without(job);
}

/* Finds the path in the distances of a search. *done: the walk has reached the source, or
** there is no path. ties: see gg_sssp_tree. */
static bool walk_by_weight(const struct path_task *t, const struct sssp_outcome *out,
                           uint32_t *ties, bool *done) {
    const struct path_values distances = {out->distance, t->job->graph->distance_type,
                                          true};
    bool found;
    if (!look_at_target(t, &distances, &found))
        return false;
    *done = !found;
    return !found ||
           (gg_sssp_tree(t->job, t->search, out, ties) && walk_tree(t, out->tree, done));
}

/* *open: the search from the source has to find the path, because search_from_both_ends
** has left it open, edges of a vertex on the path tie, or the path is long. */
static bool find_from_both_ends(const struct path_task *t, bool *open) {
    struct sssp_outcome out;
    bool done;
    if (!search_from_both_ends(t->job, t->search, &out, open) || *open)
        return gg_going(t->job);
    if (!walk_by_weight(t, &out, NULL, &done))
        return false;
    *open = !done;
    return true;
}

/* Searches from the source. *lost: a sum left the range. */
static bool find_by_weight(const struct path_task *t, bool *lost) {
    struct sssp_outcome out;
    uint32_t ties;
    bool done;
    if (!gg_sssp_search(t->job, t->search, true, &out))
        return false;
    *lost = out.lost;
    if (out.lost || !walk_by_weight(t, &out, &ties, &done))
        return gg_going(t->job);
    const struct path_values distances = {out.distance, t->job->graph->distance_type,
                                          true};
    return done || walk_on_host(t, &distances);
}

/* ---- driver ---- */

static bool both_ends_suit(const void *task) {
    struct cuda_job *job = ((const struct path_task *)task)->job;
    const gpugraph_search *search = ((const struct path_task *)task)->search;
    const gpugraph_graph *graph = job->graph;
    struct sssp_search s;
    return gg_method_is_auto(job->run) &&
           gg_searches(graph) > gg_limits.path_prepare_after &&
           !gg_knows(&graph->known.ways_tie) && !search->bounded &&
           gg_sssp_begin(job, search, &s) && !gg_path_is_thin(&s.features);
}

/* Paths have the methods of the search, too. */
static const gg_method methods[] = {
    {.is = {"path", "bidirectional", "cuda",
            "by weight from both ends; keeps the transpose"},
     .may = both_ends_suit},
    {},
};

/* Searches from both ends, if the run asks for that or it pays. *open: the search from
** the source has to find the path. */
static bool try_both_ends(const struct path_task *t, bool *open) {
    *open = !gg_settle_method(t->job->run, methods, t);
    if (*open || !gg_going(t->job))
        return gg_going(t->job);
    if (t->search->source[0] == t->search->target[0]) {
        *t->count = 0;
        return true;
    }
    if (!find_from_both_ends(t, open))
        return false;
    gg_know(&t->job->graph->known.ways_tie, *open);
    return true;
}

static gpugraph_status find_path_on_device(gpugraph_graph *graph,
                                           const gpugraph_search *search, bool weighted,
                                           gpugraph_run *run, void *edge,
                                           uint32_t *count) {
    const char *method = run->method;
    struct cuda_job job;
    const struct path_task task = {&job, search, edge, count};
    bool open = true, lost = false;
    *count = GPUGRAPH_NONE;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    if (weighted)
        try_both_ends(&task, &open);
    if (open && gg_going(&job)) {
        run->method = gg_find_method(&gg_path_cuda, method) ? NULL : method;
        if (weighted)
            find_by_weight(&task, &lost);
        else
            find_by_depth(&task);
        run->method = method;
    }
    if (gg_job_close(&job) || !lost)
        return run->status;
    gg_sssp_lost(run);
    return gg_path_by_search(graph, search, true, run, edge, count);
}

/* Device bytes of a search from the source. Without room for a search from both ends
** there is none. */
static int64_t path_bytes(const gpugraph_graph *graph, bool frugal) {
    return gg_sssp_cuda.bytes(graph, frugal);
}

/* ---- the device's side ---- */

extern "C" const algorithm_side gg_path_cuda = {
    .methods = methods,
    .call = GG_CALLS(path_entry, find_path_on_device),
    .bytes = path_bytes,
};
