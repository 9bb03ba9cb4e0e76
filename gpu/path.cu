/* One shortest path on the device; path.c beside this has the meaning and the CPU backend.
**
**     search, ended at the target -> tree edges -> one thread walks up -> the path alone
**                                                  comes back over the bus
**
** A step up the tree is two loads deep, some microsecond by one thread, so a long way is
** left to the host, which is sent the tree. By weight nobody knows how long the way is: the
** thread gives up after as many steps as that would take. Where it comes to a vertex whose
** edges all tie with it, the host, which settles ties, is sent the distances. */
#include "bfs.cuh"
#include "sssp.cuh"

enum { ROOM_HEAD = 2 }; /* steps done, where they led; then edges, from the target on */

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
        room[ROOM_HEAD + steps++] = e;
        v ^= edges.source[e] ^ edges.target[e]; /* its other end */
    }
    room[0] = steps;
    room[1] = v;
}

/* Steps that take no longer than sending the tree to the host. */
static uint32_t worthwhile_steps(const struct cuda_job *job) {
    double bytes = (double)gg_tree_bytes(job, true);
    return (uint32_t)((bytes / GG_PATH_BYTES_PER_MS + 1) * GG_PATH_STEPS_PER_MS);
}

/* How many steps there is room for behind the head, in so many words. */
static uint64_t steps_of_room(const struct cuda_job *job, uint64_t words) {
    uint64_t numbers = words / (job->graph->wide ? 2 : 1);
    return numbers < ROOM_HEAD ? 0 : numbers - ROOM_HEAD;
}

template <typename number>
static bool launch_walk(struct cuda_job *job, const gpugraph_search *search,
                        const struct device_edges *edges, const void *tree, uint32_t most,
                        void *room, uint32_t *steps, uint32_t *end) {
    number head[ROOM_HEAD];
    walk_up<<<1, 1, 0, job->stream>>>(*edges, static_cast<const number *>(tree),
                                      search->target[0], search->source[0], most,
                                      static_cast<number *>(room));
    if (!gg_launched(job, "walk_up") || !gg_fetch(job, head, room, sizeof head))
        return false;
    *steps = (uint32_t)head[0];
    *end = (uint32_t)head[1];
    return true;
}

/* At most `most` steps, for which, and the head, there is room. *end: where they led; at the
** source, edge and *count are the path. */
static bool walk_here(struct cuda_job *job, const gpugraph_search *search,
                      const void *tree, uint32_t most, void *room, void *edge,
                      uint32_t *count, uint32_t *end) {
    const size_t size = gg_edge_size(job->graph->wide);
    struct device_edges edges;
    uint32_t steps;
    double started = gg_now_ms();
    if (!gg_device_edges(job, false, &edges))
        return false;
    if (job->graph->wide
            ? !launch_walk<uint64_t>(job, search, &edges, tree, most, room, &steps, end)
            : !launch_walk<uint32_t>(job, search, &edges, tree, most, room, &steps, end))
        return false;
    if (*end != search->source[0])
        return true;
    const char *way = static_cast<const char *>(room) + ROOM_HEAD * size;
    if (!gg_download(job, edge, way, steps * size))
        return false;
    gg_turn_round(job->graph, edge, steps);
    *count = steps;
    gg_phase(job->run, "walk", started, *count, "on the device");
    return true;
}

static bool walk_on_host(struct cuda_job *job, const void *on_device, uint32_t target,
                         void *edge, uint32_t *count) {
    const gpugraph_graph *graph = job->graph;
    double started = gg_now_ms();
    uint64_t bytes = gg_tree_bytes(job, true);
    void *tree = gg_alloc(job->run, bytes, 1);
    if (tree && gg_download(job, tree, on_device, bytes))
        gg_walk_path(graph, tree, target, job->run, edge, count);
    gg_release(tree);
    if (gg_going(job))
        gg_phase(job->run, "walk", started, *count, "on the host: a long way");
    return gg_going(job);
}

/* ---- by depth ---- */

static bool path_by_depth(struct cuda_job *job, const gpugraph_search *search, void *edge,
                          uint32_t *count) {
    struct bfs_outcome out;
    uint32_t target = search->target[0], steps, end;
    if (!gg_bfs_search(job, search, true, &out) ||
        !gg_fetch(job, &steps, out.depth + target, sizeof steps))
        return false;
    *count = steps;
    if (steps == 0 || steps == GPUGRAPH_NONE)
        return true;
    if (!gg_bfs_tree(job, search, &out))
        return false;
    /* The tree is made, so the depths' place is free. */
    if (steps < worthwhile_steps(job) && steps <= steps_of_room(job, job->graph->n))
        return walk_here(job, search, out.tree, steps, out.depth, edge, count, &end);
    return walk_on_host(job, out.tree, target, edge, count);
}

/* ---- by weight ---- */

static bool is_reached(struct cuda_job *job, const struct sssp_outcome *out, uint32_t v,
                       bool *reached) {
    uint64_t bits = 0;
    size_t size = gg_distance_size(job->graph->distance_type);
    const unsigned char *distance = static_cast<const unsigned char *>(out->distance);
    if (!gg_fetch(job, &bits, distance + size * v, size))
        return false;
    *reached = job->graph->distance_type == GPUGRAPH_UINT32   ? bits != UINT32_MAX
               : job->graph->distance_type == GPUGRAPH_UINT64 ? bits != UINT64_MAX
                                                              : bits != real::unreached();
    return true;
}

/* The host makes the tree, for there are ties on the way. */
static bool settle_on_host(struct cuda_job *job, const gpugraph_search *search,
                           const struct sssp_outcome *out, void *edge, uint32_t *count) {
    gpugraph_graph *graph = job->graph;
    gpugraph_run *run = job->run;
    size_t size = gg_distance_size(graph->distance_type);
    void *distance = gg_alloc(run, graph->n, size);
    void *tree = gg_alloc(run, gg_tree_bytes(job, true), 1);
    if (distance && tree && gg_download(job, distance, out->distance, graph->n * size) &&
        gg_distance_tree(graph, search, run, distance, tree) == GPUGRAPH_OK)
        gg_walk_path(graph, tree, search->target[0], run, edge, count);
    gg_release(distance);
    gg_release(tree);
    return gg_going(job);
}

static bool path_by_weight(struct cuda_job *job, const gpugraph_search *search,
                           void *edge, uint32_t *count, bool *lost) {
    struct sssp_outcome out;
    uint32_t target = search->target[0], ties, end;
    bool reached;
    if (!gg_sssp_search(job, search, true, &out))
        return false;
    *lost = out.lost;
    if (out.lost || !is_reached(job, &out, target, &reached) || !reached)
        return gg_going(job);
    if (!gg_sssp_tree(job, search, &out, &ties))
        return false;
    uint64_t room = steps_of_room(job, gg_distance_tree_scratch(job, search->direction));
    uint32_t most = worthwhile_steps(job);
    most = most < room ? most : (uint32_t)room;
    if (!walk_here(job, search, out.tree, most, out.scratch, edge, count, &end))
        return false;
    if (end == search->source[0])
        return true;
    /* Does a tie end the walk, or are there only too many steps? */
    return ties > 0 ? settle_on_host(job, search, &out, edge, count)
                    : walk_on_host(job, out.tree, target, edge, count);
}

gpugraph_status gg_cuda_path(gpugraph_graph *graph, const gpugraph_search *search,
                             bool weighted, gpugraph_run *run, void *edge,
                             uint32_t *count) {
    struct cuda_job job;
    bool lost = false;
    *count = GPUGRAPH_NONE;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    if (weighted)
        path_by_weight(&job, search, edge, count, &lost);
    else
        path_by_depth(&job, search, edge, count);
    if (gg_job_close(&job) || !lost)
        return run->status;
    gg_sssp_lost(run);
    return gg_path_by_sssp(graph, search, run, edge, count);
}
