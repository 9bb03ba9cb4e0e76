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
    SEARCH_BYTES = 128,  /* bytes for each vertex of a search from both ends, about */
    PATH_HEAD = 2,       /* numbers before the edges of a walk: steps, last vertex */
    WALK_STEPS = 1 << 16 /* the longest walk on the device: about 65 ms */
};
static_assert((PATH_HEAD + WALK_STEPS) * sizeof(uint64_t) <= GG_STAGE_BYTES,
              "a stage holds a walk");

/* Walks up the tree, by one thread. room: the number of steps and the last vertex, then
** the edges from the target on, all as wide as the graph's edge numbers. */
template <typename number>
static __global__ void walk_up(device_edges edges, const void *tree, uint32_t target,
                               uint32_t source, void *room) {
    const number *tree_edge = static_cast<const number *>(tree);
    number *to = static_cast<number *>(room);
    uint32_t steps = 0, v = target;
    while (v != source && steps < WALK_STEPS) {
        number e = tree_edge[v];
        if (e == ~(number)0)
            break;
        to[PATH_HEAD + steps++] = e;
        v ^= edges.source[e] ^ edges.target[e]; /* its other end */
    }
    to[0] = steps;
    to[1] = v;
}

/* Walks up the tree. *open: the walk has not reached the source, and there is no path
** yet. Pinned memory has the same address on the device. */
static bool walk_tree(cuda_job *job, const path_task *t, const void *tree, bool *open) {
    const bool wide = job->graph->wide;
    const size_t size = gg_edge_size(wide);
    device_edges edges;
    void *room = job->device->stage[0]; /* free once all queued work is done */
    double started = gg_now_ms();
    const auto kernel = wide ? walk_up<uint64_t> : walk_up<uint32_t>;
    if (!gg_device_edges(job, false, &edges) || !gg_wait(job))
        return false;
    kernel<<<1, 1, 0, job->stream>>>(edges, tree, t->search->target[0],
                                     t->search->source[0], room);
    if (!gg_launched(job, "walk_up") || !gg_wait(job))
        return false;
    const uint32_t steps = (uint32_t)gg_edge_at(room, wide, 0);
    *open = (uint32_t)gg_edge_at(room, wide, 1) != t->search->source[0];
    if (*open)
        return true;
    memcpy(t->edge, static_cast<char *>(room) + PATH_HEAD * size, steps * size);
    gg_reverse_edges(job->graph, t->edge, steps);
    *t->count = steps;
    gg_phase(job->run, "walk", started, steps, "up the tree, on the device");
    return true;
}

/* Finds the path in the depths or distances of all vertices, by a tree that make_tree
** fills. *open: there is a path, and the walk has not found it. */
template <typename tree_maker>
static bool walk_back(cuda_job *job, const path_task *t, const void *value,
                      const void *tree, const tree_maker &make_tree, bool *open) {
    const gpugraph_distance_type type = gg_path_type(t->graph, t->weighted);
    const size_t size = gg_distance_size(type), at = size * t->search->target[0];
    uint64_t bits = 0;
    *open = false;
    if (!gg_fetch(job, &bits, static_cast<const char *>(value) + at, size))
        return false;
    return gg_word_at(type, &bits, 0) == GG_INFINITE ||
           (make_tree() && walk_tree(job, t, tree, open));
}

/* Makes the tree on the host, and walks up it. */
static bool walk_on_host(cuda_job *job, const path_task *t, const void *there) {
    gpugraph_graph *graph = t->graph;
    gpugraph_run *run = t->run;
    const size_t size = gg_distance_size(gg_path_type(graph, t->weighted));
    void *value = gg_alloc(run, graph->n, size);
    void *tree = gg_alloc(run, gg_tree_bytes(job, true), 1);
    if (value && tree && gg_job_download_edges(job) &&
        gg_download(job, value, there, graph->n * size)) {
        if (t->weighted)
            gg_distance_tree(graph, t->search, run, value, tree);
        else
            gg_depth_tree(graph, t->search, run, static_cast<uint32_t *>(value), tree);
        if (run->status == GPUGRAPH_OK)
            gg_walk_path(t, tree);
    }
    gg_release(value);
    gg_release(tree);
    return gg_going(job);
}

/* ---- by depth ---- */

/* If earlier searches have made regions, a search of the whole graph by regions is faster
** than levels up to the target: 11 and 18 ms on a road network of 24 million vertices. */
static bool search_by_depth(cuda_job *job, const gpugraph_search *search,
                            bfs_outcome *out) {
    gpugraph_search whole = *search;
    whole.target_count = 0;
    const bool regions = gg_method_is_auto(job->run) && gg_wants_regions(job, false) &&
                         gg_fits_regions(&whole);
    return gg_bfs_search(job, regions ? &whole : search, true, out);
}

static bool find_by_depth(cuda_job *job, const path_task *t) {
    bfs_outcome out;
    bool open;
    return search_by_depth(job, t->search, &out) &&
           walk_back(
               job, t, out.depth, out.tree,
               [&] { return gg_bfs_tree(job, t->search, &out); }, &open) &&
           (!open || walk_on_host(job, t, out.depth));
}

/* ---- by weight ---- */

/* ties: see gg_sssp_tree. */
static bool walk_by_weight(cuda_job *job, const path_task *t, const sssp_search *s,
                           uint32_t *ties, bool *open) {
    return walk_back(
        job, t, s->distance, s->tree, [&] { return gg_sssp_tree(job, s, ties); }, open);
}

/* Searches from both ends, for the distances from the source of all vertices on shortest
** paths (sssp/persistent_ends.cuh). *open: the search from the source has to find the
** path, because there is no room, a sum is out of range, edges of a vertex on the path
** tie, or the path is long. */
static bool find_from_both_ends(cuda_job *job, const path_task *t, bool *open) {
    sssp_search s;
    *open = true;
    if (t->search->bounded || t->graph->n >= 0x80000000u)
        return true;
    if (!gg_sssp_begin(job, t->search, &s) ||
        !gg_sssp_transpose(job, t->search, (int64_t)s.g.n * SEARCH_BYTES, &s.back))
        return false;
    if (!s.back.begin)
        return true;
    gg_path_choose(&s.features, &s.parameters);
    job->run->used_method = "bidirectional";
    if (!gg_sssp_run(job, &s, true))
        return gg_do_without(job);
    if (!walk_by_weight(job, t, &s, NULL, open))
        return false;
    /* If no path was found, a sum out of range may be the reason. */
    *open = *open || (s.dropped && *t->count == GPUGRAPH_NONE);
    return true;
}

/* Searches from the source. *lost: a sum is out of range. */
static bool find_by_weight(cuda_job *job, const path_task *t, bool *lost) {
    sssp_search s;
    uint32_t ties;
    bool open;
    if (!gg_sssp_search(job, t->search, true, &s))
        return false;
    *lost = s.lost;
    return s.lost || (walk_by_weight(job, t, &s, &ties, &open) &&
                      (!open || walk_on_host(job, t, s.distance)));
}

/* ---- driver ---- */

/* Paths have the methods of the search, too. */
static const gg_method methods[] = {
    {.is = {"path", "bidirectional", "cuda",
            "by weight from both ends; keeps the transpose"}},
    {},
};

/* True if the run asks for the search from both ends, or if that pays. */
static bool wants_both_ends(cuda_job *job, const path_task *t) {
    sssp_search s;
    if (!gg_method_is_auto(job->run))
        return gg_find_method(&gg_path_cuda, job->run->method);
    return gg_searches(t->graph) > gg_limits.path_prepare_after &&
           !gg_knows(&t->graph->known.ways_tie) && !t->search->bounded &&
           gg_sssp_begin(job, t->search, &s) && !gg_path_is_thin(&s.features);
}

/* *open: the search from the source has to find the path. */
static bool try_both_ends(cuda_job *job, const path_task *t, bool *open) {
    if (!wants_both_ends(job, t))
        return gg_going(job);
    if (t->search->source[0] == t->search->target[0]) {
        *t->count = 0;
        *open = false;
        return true;
    }
    if (!find_from_both_ends(job, t, open))
        return false;
    gg_know(&t->graph->known.ways_tie, *open);
    return true;
}

static gpugraph_status find_path_on_device(const path_task *t) {
    gpugraph_run *run = t->run;
    const char *method = run->method;
    bool lost = false;
    gg_in_job(t->graph, run, [&](cuda_job *job) {
        bool open = true;
        if ((t->weighted && !try_both_ends(job, t, &open)) || !open)
            return;
        run->method = gg_find_method(&gg_path_cuda, method) ? NULL : method;
        if (t->weighted)
            find_by_weight(job, t, &lost);
        else
            find_by_depth(job, t);
        run->method = method;
    });
    if (run->status || !lost)
        return run->status;
    gg_sssp_lost(run);
    return gg_path_by_search(t);
}

extern "C" const algorithm_side gg_path_cuda = {
    .methods = methods,
    .call = GG_CALLS(path_entry, find_path_on_device),
    .bytes = gg_sssp_bytes,
};
