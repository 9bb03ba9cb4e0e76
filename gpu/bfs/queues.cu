/* Breadth-first search on the device by the queues of shortest paths (sssp/mlmq), the
** method "multi-queue": every arc counts 1, a bucket is a level.
**
**     depth     is a distance of 32 bits, lowered by an atomic minimum; so a vertex may be
**               found too deep first, and is found again. No level waits for the one before
**
** After Hu, Sun, Jiang, Wang, Lin, Zong, Sun, "Beyond a Single Queue", who search so by
** depth, too. */
#include "bfs.cuh"
#include "sssp/sssp.cuh"
#include "tree/tree.cuh"

static_assert(GPUGRAPH_NONE == UINT32_MAX, "a distance of 32 bits is a depth");

/* The search by depth as one by weight. */
static gpugraph_search by_weight(const gpugraph_search *search) {
    gpugraph_search wanted = *search;
    wanted.bounded = search->max_depth != GPUGRAPH_NONE;
    wanted.max_distance = search->max_depth;
    return wanted;
}

static void choose_queues(const struct device_csr *g, struct sssp_parameters *p) {
    struct sssp_features features = sssp_features();
    features.vertices = g->n;
    features.arcs = g->m;
    features.degree = g->n ? (double)g->m / g->n : 0;
    features.weight = 1;
    /* A bucket of one level, whatever the degree. */
    features.typical_weight = (features.degree > 1 ? features.degree : 1) / GG_MLMQ_DELTA;
    gg_sssp_choose(&features, SSSP_L1V_L2DQ, p);
}

static void carve_bfs_queues(const struct cuda_job *job, struct workspace *space,
                             struct sssp_search *s, bool tree, struct bfs_outcome *out) {
    uint64_t ends = (uint64_t)s->wanted->source_count + s->wanted->target_count;
    out->depth = gg_carve<uint32_t>(space, s->g.n);
    s->distance = out->depth;
    s->ends = gg_carve<uint32_t>(space, ends);
    out->tree = gg_carve<uint8_t>(space, gg_tree_bytes(job, tree));
    out->scratch = gg_carve<uint8_t>(space, tree ? gg_depth_tree_scratch(s->g.n) : 0);
}

bool gg_bfs_queues(struct cuda_job *job, const gpugraph_search *search, bool tree,
                   struct bfs_outcome *out) {
    const gpugraph_search wanted = by_weight(search);
    struct sssp_search s = sssp_search();
    struct workspace space = {NULL, 0};
    *out = bfs_outcome();
    out->deepest = GPUGRAPH_NONE - 1; /* it is not told */
    s.wanted = &wanted;
    s.by_depth = true;
    s.type = GPUGRAPH_UINT32;
    s.stop = job->device->device_stop;
    if (!gg_device_csr(job, gg_forward_kind(search->direction), false, &s.g))
        return false;
    choose_queues(&s.g, &s.parameters);
    double started = gg_now_ms();
    carve_bfs_queues(job, &space, &s, tree, out);
    space.used += gg_sssp_engine_bytes(job, &s);
    if (!gg_workspace(job, &space))
        return false;
    carve_bfs_queues(job, &space, &s, tree, out);
    if (!gg_sssp_engine(job, &s, &space))
        return false;
    gg_search_phase(job->run, started, (int64_t)s.served, s.more);
    return gg_going(job);
}
