/* One shortest path on the device; path.c beside this has the meaning and the CPU backend.
**
**     search, ended at the target -> tree edges -> one thread walks up -> the path alone
**                                                  comes back over the bus
**
** A step up the tree is two loads deep, some microsecond by one thread, so a long way is
** left to the host, which is sent the tree. By weight the host walks too. */
#include "bfs.cuh"

/* One thread. path[0 .. steps - 1] in the order of travel; number: as wide as the graph's
** edge numbers. */
template <typename number>
static __global__ void walk_up(device_edges edges, const number *tree_edge, uint32_t v,
                               uint32_t steps, number *path) {
    while (steps > 0) {
        number e = tree_edge[v];
        path[--steps] = e;
        v ^= edges.source[e] ^ edges.target[e]; /* its other end */
    }
}

template <typename number>
static void launch_walk(struct cuda_job *job, const struct device_edges *edges,
                        const struct bfs_outcome *out, uint32_t target, uint32_t steps) {
    walk_up<<<1, 1, 0, job->stream>>>(*edges, static_cast<const number *>(out->tree),
                                      target, steps,
                                      reinterpret_cast<number *>(out->depth));
}

static bool walk_here(struct cuda_job *job, const struct bfs_outcome *out,
                      uint32_t target, uint32_t steps, void *edge, uint32_t *count) {
    struct device_edges edges;
    double started = gg_now_ms();
    if (!gg_device_edges(job, false, &edges))
        return false;
    /* The tree is made, so the depths' place is free. */
    if (job->graph->wide)
        launch_walk<uint64_t>(job, &edges, out, target, steps);
    else
        launch_walk<uint32_t>(job, &edges, out, target, steps);
    if (!gg_launched(job, "walk_up") ||
        !gg_download(job, edge, out->depth, steps * gg_edge_size(job->graph->wide)))
        return false;
    *count = steps;
    gg_phase(job->run, "walk", started, steps, "on the device");
    return true;
}

static bool walk_on_host(struct cuda_job *job, const struct bfs_outcome *out,
                         uint32_t target, void *edge, uint32_t *count) {
    const gpugraph_graph *graph = job->graph;
    double started = gg_now_ms();
    uint64_t bytes = gg_tree_bytes(job, true);
    void *tree = gg_alloc(job->run, bytes, 1);
    if (tree && gg_download(job, tree, out->tree, bytes))
        gg_walk_path(graph, tree, target, job->run, edge, count);
    gg_release(tree);
    if (gg_going(job))
        gg_phase(job->run, "walk", started, *count, "on the host: a long way");
    return gg_going(job);
}

static bool find_path(struct cuda_job *job, const gpugraph_search *search, void *edge,
                      uint32_t *count) {
    struct bfs_outcome out;
    uint32_t target = search->target[0], steps;
    if (!gg_bfs_search(job, search, true, &out) ||
        !gg_fetch(job, &steps, out.depth + target, sizeof steps))
        return false;
    *count = steps;
    if (steps == 0 || steps == GPUGRAPH_NONE)
        return true;
    if (!gg_bfs_tree(job, search, &out))
        return false;
    double bytes = (double)gg_tree_bytes(job, true);
    /* The way must fit where the depths were. */
    bool fits = steps <= job->graph->n / (job->graph->wide ? 2 : 1);
    bool here =
        fits && steps / (double)GG_PATH_STEPS_PER_MS < bytes / GG_PATH_BYTES_PER_MS + 1;
    return here ? walk_here(job, &out, target, steps, edge, count)
                : walk_on_host(job, &out, target, edge, count);
}

gpugraph_status gg_cuda_path(gpugraph_graph *graph, const gpugraph_search *search,
                             bool weighted, gpugraph_run *run, void *edge,
                             uint32_t *count) {
    struct cuda_job job;
    *count = GPUGRAPH_NONE;
    if (weighted)
        return gg_path_by_sssp(graph, &gg_cuda_backend, search, run, edge, count);
    if (!gg_job_open(&job, graph, run))
        return run->status;
    find_path(&job, search, edge, count);
    return gg_job_close(&job);
}
