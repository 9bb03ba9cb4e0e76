/* One shortest path on the device; path.c beside this has the meaning and the CPU backend.
**
**     search, ended at the target -> tree edges -> one thread walks up -> the path alone
**                                                  comes back over the bus
**
** A step up the tree is two loads deep, some microsecond by one thread, so a long way is
** left to the host, which is sent the tree. By weight the host walks too. */
#include "bfs.cuh"

/* One thread. path[0 .. steps - 1] in the order of travel. */
static __global__ void walk_up(device_edges edges, const uint32_t *tree_edge, uint32_t v,
                               uint32_t steps, uint32_t *path) {
    while (steps > 0) {
        uint32_t e = tree_edge[v];
        path[--steps] = e;
        v ^= edges.source[e] ^ edges.target[e]; /* its other end */
    }
}

static bool walk_here(struct cuda_job *job, const struct bfs_outcome *out,
                      uint32_t target, uint32_t steps, uint32_t *edge, uint32_t *count) {
    struct device_edges edges;
    double started = gg_now_ms();
    if (!gg_device_edges(job, false, &edges))
        return false;
    /* The tree is made, so the depths' place is free. */
    walk_up<<<1, 1, 0, job->stream>>>(edges, out->tree, target, steps, out->depth);
    if (!gg_launched(job, "walk_up") ||
        !gg_download(job, edge, out->depth, (uint64_t)steps * sizeof *edge))
        return false;
    *count = steps;
    gg_phase(job->run, "walk", started, steps, "on the device");
    return true;
}

static bool walk_on_host(struct cuda_job *job, const struct bfs_outcome *out,
                         uint32_t target, uint32_t *edge, uint32_t *count) {
    const gpugraph_graph *graph = job->graph;
    double started = gg_now_ms();
    uint64_t bytes = (uint64_t)graph->n * sizeof(uint32_t);
    uint32_t *tree = static_cast<uint32_t *>(gg_alloc(job->run, graph->n, sizeof *tree));
    if (tree && gg_download(job, tree, out->tree, bytes))
        gg_walk_path(graph, tree, target, job->run, edge, count);
    gg_release(tree);
    if (gg_going(job))
        gg_phase(job->run, "walk", started, *count, "on the host: a long way");
    return gg_going(job);
}

static bool find_path(struct cuda_job *job, const gpugraph_search *search, uint32_t *edge,
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
    double bytes = (double)job->graph->n * sizeof(uint32_t);
    bool here = steps / (double)GG_PATH_STEPS_PER_MS < bytes / GG_PATH_BYTES_PER_MS + 1;
    return here ? walk_here(job, &out, target, steps, edge, count)
                : walk_on_host(job, &out, target, edge, count);
}

gpugraph_status gg_cuda_path(gpugraph_graph *graph, const gpugraph_search *search,
                             bool weighted, gpugraph_run *run, uint32_t *edge,
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
