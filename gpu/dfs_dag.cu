/* The lexicographic depth-first tree, or forest, of a graph without cycles: the driver of
** dfs_dag.h.
**
**     one source     a search that is not ordered marks what can be reached
**     left           arcs into each vertex, from what is reached; loops do not count
**     peel           from the source, or from all that no arc leads to, by the crew of
**                    dfs_paths.h; vertices that it does not reach lie behind a cycle
**
** Loops change no depth-first tree, so a graph with loops counts as acyclic. */
#include "dfs.cuh"
#include "frontier.cuh"

struct arcs_in {
    bool forward, backward;  /* how an edge may be travelled */
    const uint32_t *visited; /* what arcs count from; NULL: all */
};

static __device__ __forceinline__ bool counts(const arcs_in &in, uint32_t from) {
    return !in.visited || (in.visited[from / 32] >> from % 32 & 1);
}

/* One thread per edge. */
static __global__ void count_arcs_in(device_edges edges, arcs_in in, uint32_t *left) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (s == t)
            continue;
        if (in.forward && counts(in, s))
            atomicAdd(&left[t], 1u);
        if (in.backward && counts(in, t))
            atomicAdd(&left[s], 1u);
    }
}

/* One thread per vertex: those without arcs into them come into the list. */
static __global__ void gather_first(const uint32_t *left, dfs_forest f, uint32_t n) {
    uint64_t whole = gg_whole_warps(n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        bool first = v < n && left[v] == 0;
        uint32_t at = gg_reserve(f.roots, first);
        if (first)
            f.root[at] = (uint32_t)v;
    }
}

/* s->roots and the list; *blocked: an arc leads back to the source. */
static bool find_first(struct cuda_job *job, struct dfs_search *s, const uint32_t *left,
                       uint32_t *blocked) {
    *blocked = 0;
    if (!s->whole)
        return gg_fetch(job, blocked, left + s->source, sizeof *blocked);
    gg_fill(job, s->forest.roots, 0, sizeof *s->forest.roots);
    gather_first<<<gg_grid(job, s->g.n, 16), GG_BLOCK, 0, job->stream>>>(left, s->forest,
                                                                         s->g.n);
    return gg_launched(job, "gather_first") &&
           gg_fetch(job, &s->roots, s->forest.roots, sizeof s->roots);
}

bool gg_dfs_dag(struct cuda_job *job, struct dfs_search *s) {
    struct device_edges edges;
    struct arcs_in in = {s->direction != GPUGRAPH_IN, s->direction != GPUGRAPH_OUT, NULL};
    uint32_t *left = s->forest.component, n = s->g.n, blocked, reached = n;
    uint64_t bytes = (uint64_t)n * sizeof(uint32_t);
    if (!s->whole) {
        if (!gg_dfs_paths_run(job, s, false))
            return false;
        reached = s->control.reached;
        in.visited = s->paths.visited;
        if (s->control.late)
            return true;
    }
    if (!gg_device_edges(job, false, &edges) || !gg_fill(job, left, 0, bytes))
        return false;
    count_arcs_in<<<gg_grid(job, edges.m, 16), GG_BLOCK, 0, job->stream>>>(edges, in,
                                                                           left);
    if (!gg_launched(job, "count_arcs_in") || !find_first(job, s, left, &blocked))
        return false;
    s->cyclic = blocked > 0 || s->roots == 0;
    if (s->cyclic)
        return true;
    s->paths.dag = dfs_dag{left, s->parent, s->depth, s->paths.tree, s->whole};
    gg_fill(job, s->parent, 0xff, bytes);
    gg_fill(job, s->depth, 0xff, bytes);
    bool done = gg_dfs_paths_run(job, s, true);
    s->cyclic = done && !s->control.late && s->control.reached < reached;
    return done;
}
