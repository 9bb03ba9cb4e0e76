/* Depth-first search on the device: the driver of all methods. dfs.c has the meaning and
** the CPU backend, dfs.cuh the parts.
**
**     rows  ->  roots  ->  workers: warps that stay until the end  ->  edges
**
** A forest begins with a list of roots that no other root leads to:
**
**     undirected    the smallest vertex of each weak component
**     directed      each vertex that no arc leads to (such a vertex can only be a root),
**                   and the smallest vertex of each weak component without such a vertex
**
** The trees of these roots may grow at the same time. Vertices that directed arcs do not
** reach from these roots lie behind cycles that no arc leads to. The workers open further
** roots among these vertices.
**
** An ordered tree has no parallelism: method "serial" searches on the host. The host also
** searches graphs that are long and thin, on which a device is slow. */
#include "backend/model.h"
#include "components/components.cuh"
#include "dfs.h"
#include "dfs.cuh"
#include "graph/frontier.cuh"
#include "tree/tree.cuh"
#include "tree/tree.h"

#include <stdio.h>

enum {
    BLOCK_VERTICES = 512, /* vertices of a graph that are worth a block */
    /* Graphs with more arcs for each vertex get fixed rows: a mesh (6) takes 9.6 ms with
    ** fixed rows and 12.6 without (H100). Roads (2.5) get fixed rows, too, because their
    ** search loads rows ahead. */
    FIXED_DEGREE = 4,
    FIXED_DEGREE_AHEAD = 2
};
/* Milliseconds that a search by `auto` on the device may take beyond the predicted time
** of the CPU. */
#define PATIENCE_MS 5.0

unsigned gg_dfs_blocks(struct cuda_job *job, const struct cooperative_kernel *kernel,
                       int most) {
    int fit = gg_blocks_at_once(job, kernel);
    fit = fit < most ? fit : most;
    uint64_t blocks = (uint64_t)fit * (uint64_t)job->device->processors;
    uint64_t worth = job->graph->n / BLOCK_VERTICES + 1;
    blocks = blocks < worth ? blocks : worth;
    return (unsigned)blocks;
}

bool gg_dfs_launch(struct cuda_job *job, struct dfs_search *s,
                   const struct cooperative_kernel *kernel, void *argument,
                   const struct dfs_control *control) {
    void *arguments[] = {argument};
    if (!gg_launch_cooperative(job, kernel, s->blocks, arguments) ||
        !gg_fetch(job, &s->control, control, sizeof *control))
        return false;
    if (s->control.exhausted)
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                "a depth-first search has used all of its %u stack chunks, which is a "
                "fault of gpugraph: please report this graph",
                s->control.touched);
    return gg_going(job);
}

static void carve_dfs(struct cuda_job *job, struct workspace *space, bool tree,
                      struct dfs_search *s) {
    uint32_t n = s->g.n;
    space->used = 0;
    s->depth = gg_carve<uint32_t>(space, n);
    s->parent = gg_carve<uint32_t>(space, n);
    s->forest.root = gg_carve<uint32_t>(space, s->whole ? n : 1);
    s->forest.roots = gg_carve<uint32_t>(space, 1);
    /* Components are needed before the search, tree edges after it: they share an
    ** array. */
    bool by_vertex = s->whole || tree, wide = tree && job->graph->wide;
    s->forest.component =
        gg_carve<uint32_t>(space, by_vertex ? (uint64_t)n * (wide ? 2 : 1) : 0);
    s->forest.entered = gg_carve<uint32_t>(space, s->whole ? n / 32 + 1 : 0);
    s->forest.served = gg_carve<uint32_t>(space, s->whole ? n / 32 + 1 : 0);
    (s->many ? gg_dfs_paths_carve : gg_dfs_work_carve)(space, s);
}

/* ---- roots ---- */

/* One thread for each edge: marks the vertices that arcs lead to. Loops do not count. */
static __global__ void enter(device_edges edges, bool forward, uint32_t *entered) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e], v = forward ? t : s;
        uint32_t bit = 1u << v % 32;
        if (s != t && !(gg_peek(&entered[v / 32]) & bit))
            atomicOr(&entered[v / 32], bit);
    }
}

static __device__ __forceinline__ bool has_bit(const uint32_t *bits, uint64_t v) {
    return bits[v / 32] >> v % 32 & 1;
}

/* One thread for each vertex: marks the components with a vertex that no arc leads to. */
static __global__ void serve_components(dfs_forest f, uint32_t n) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        if (has_bit(f.entered, v))
            continue;
        uint32_t least = f.component[v], bit = 1u << least % 32;
        if (!(gg_peek(&f.served[least / 32]) & bit))
            atomicOr(&f.served[least / 32], bit);
    }
}

/* One thread for each vertex: lists the roots. */
static __global__ void gather_roots(dfs_forest f, uint32_t n, bool directed) {
    uint64_t whole = gg_whole_warps(n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        bool root = v < n && f.component[v] == v;
        if (v < n && directed)
            root = !has_bit(f.entered, v) || (root && !has_bit(f.served, v));
        uint32_t at = gg_reserve(f.roots, root);
        if (root)
            f.root[at] = (uint32_t)v;
    }
}

/* Fills s->forest.entered and served. */
static void look_at_arcs(struct cuda_job *job, struct dfs_search *s,
                         const struct device_edges *edges) {
    uint64_t bytes = (s->g.n / 32 + 1) * sizeof(uint32_t);
    gg_fill(job, s->forest.entered, 0, bytes);
    gg_fill(job, s->forest.served, 0, bytes);
    GG_LAUNCH(job, enter, gg_grid(job, edges->m, 16), *edges,
              s->direction == GPUGRAPH_OUT, s->forest.entered);
    GG_LAUNCH(job, serve_components, gg_grid(job, s->g.n, 16), s->forest, s->g.n);
}

/* Fills s->forest and s->roots. */
static bool list_roots(struct cuda_job *job, struct dfs_search *s) {
    struct device_edges edges;
    uint32_t n = s->g.n;
    bool directed = s->direction != GPUGRAPH_BOTH;
    const struct component_arrays components = {n, s->forest.component, s->forest.served,
                                                s->forest.roots};
    if (!gg_device_edges(job, false, &edges) ||
        !gg_components_of_edges(job, &edges, &components))
        return false;
    if (directed)
        look_at_arcs(job, s, &edges);
    gg_fill(job, s->forest.roots, 0, sizeof *s->forest.roots);
    GG_LAUNCH(job, gather_roots, gg_grid(job, n, 16), s->forest, n, directed);
    return gg_fetch(job, &s->roots, s->forest.roots, sizeof s->roots);
}

static bool plan_roots(struct cuda_job *job, struct dfs_search *s) {
    if (s->whole)
        return list_roots(job, s);
    s->roots = 1;
    return gg_upload(job, s->forest.root, &s->source, sizeof s->source);
}

/* ---- driver ---- */

static bool bring_tree_back(struct cuda_job *job, const struct dfs_search *s,
                            const gpugraph_dfs_tree *tree) {
    uint64_t n = s->g.n, bytes = n * sizeof(uint32_t);
    uint32_t *edge = s->forest.component;
    if (tree->tree_edge) {
        double started = gg_now_ms();
        if (!gg_device_parent_edges(job, s->direction, s->parent, edge) || !gg_wait(job))
            return false;
        gg_phase(job->run, "parents", started, (int64_t)job->graph->m, "on the device");
    }
    double started = gg_now_ms();
    if (!gg_download(job, tree->depth, s->depth, bytes) ||
        (tree->parent && !gg_download(job, tree->parent, s->parent, bytes)) ||
        (tree->tree_edge &&
         !gg_download(job, tree->tree_edge, edge, gg_tree_bytes(job, true))))
        return false;
    gg_phase(job->run, "download", started, (int64_t)n, "depths%s%s",
             tree->parent ? ", parents" : "", tree->tree_edge ? ", tree edges" : "");
    return true;
}

/* Returns NULL, or why the host must search instead. */
static const char *search_dfs_graph(struct cuda_job *job, struct dfs_search *s,
                                    const gpugraph_dfs_tree *tree) {
    struct workspace space = {NULL, 0};
    const bool edges = tree->tree_edge != NULL;
    const enum csr_kind kind = (enum csr_kind)s->direction;
    if (!gg_device_csr(job, kind, false, &s->g) || (s->many && !gg_dfs_ask_pull(job, s)))
        return NULL;
    double started = gg_now_ms();
    (s->many ? gg_dfs_paths_size : gg_dfs_work_size)(job, s);
    carve_dfs(job, &space, edges, s);
    if ((s->many &&
         !gg_fix_rows(job, kind, &s->g,
                      gg_dfs_rows_ahead(&s->g) ? FIXED_DEGREE_AHEAD : FIXED_DEGREE,
                      (int64_t)space.used)) ||
        !gg_workspace(job, &space))
        return NULL;
    s->fixed = gg_fixed_rows(job->graph, kind);
    carve_dfs(job, &space, edges, s);
    if (s->many)
        gg_dfs_plan_pull(job, s);
    if (!plan_roots(job, s) || !(s->many ? gg_dfs_paths : gg_dfs_work)(job, s) ||
        !gg_wait(job))
        return NULL;
    if (s->control.late)
        return "the graph is long and thin: a device would take longer";
    gg_search_phase(job->run, started, s->control.reached,
                    "%u blocks, %u times work was stolen%s", s->blocks, s->control.stolen,
                    s->pulled ? ", the last part pulled" : "");
    bring_tree_back(job, s, tree);
    return NULL;
}

struct dfs_task {
    gpugraph_graph *graph;
    gpugraph_run *run;
    struct dfs_call *call;
};

static bool search_on_host(const struct dfs_task *t, const char *method,
                           const char *why) {
    gpugraph_run *run = t->run;
    run->used_backend = gg_backend_name[GPUGRAPH_CPU];
    run->used_devices = 0;
    run->device_set = 0;
    run->used_method = method;
    snprintf(run->why, sizeof run->why, "%s", why);
    return !gg_cpu_dfs(t->graph, run, t->call);
}

/* Returns the limit of steps of a worker. If the caller left the choice open, the limit
** is the predicted time of the CPU and a little more. A search that reaches the limit has
** too little parallelism. */
static uint32_t limit_of(const gpugraph_graph *graph, gpugraph_run *run) {
    if (run->backend != GPUGRAPH_AUTO || !gg_method_is_auto(run))
        return UINT32_MAX;
    const struct prediction cpu = gg_predict(graph, &gg_dfs, NULL, GPUGRAPH_CPU, run);
    const double steps = (gg_all_ms(&cpu) + PATIENCE_MS) * 1e3 / GG_DFS_STEP_US;
    return steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
}

static bool search_on_device_or_host(const struct dfs_task *t, bool many) {
    struct dfs_search s = dfs_search();
    s.many = many;
    s.source = t->call->source;
    s.direction = t->call->direction;
    s.whole = s.source == GPUGRAPH_NONE;
    s.limit = limit_of(t->graph, t->run);
    const char *why = NULL;
    gg_in_job(t->graph, t->run, [&](struct cuda_job *job) {
        why = search_dfs_graph(job, &s, &t->call->tree);
    });
    gg_know(&t->graph->known.thin, s.control.late != 0);
    if (why && !t->run->status)
        search_on_host(t, "work-stealing", why);
    return !t->run->status;
}

static bool is_unordered(const void *task) {
    return !((const struct dfs_task *)task)->call->ordered;
}

static bool run_many_paths(void *task) {
    return search_on_device_or_host((const struct dfs_task *)task, true);
}

static bool run_stealing(void *task) {
    return search_on_device_or_host((const struct dfs_task *)task, false);
}

static bool run_serial(void *task) {
    return search_on_host((const struct dfs_task *)task, "serial",
                          "a serial search has no parallelism: the host runs it for "
                          "'cuda', too");
}

static const gg_method methods[] = {
    {.is = {"dfs", "many-paths", "cuda",
            "unordered; every warp follows 32 paths with its own stack, idle warps "
            "steal"},
     .may = is_unordered,
     .run = run_many_paths},
    {.is = {"dfs", "work-stealing", "cuda",
            "unordered; every warp follows a path with its own stack, idle warps steal"},
     .run = run_stealing},
    {.is = {"dfs", "serial", "cuda",
            "the lexicographic tree; it has no parallelism, so the host searches"},
     .may = gg_may_always,
     .run = run_serial,
     .on_host = true},
    {},
};

static gpugraph_status search_dfs(gpugraph_graph *graph, gpugraph_run *run,
                                  struct dfs_call *call) {
    struct dfs_task task = {graph, run, call};
    gg_settle_method(run, methods, &task)->run(&task);
    return run->status;
}

/* Device bytes that a run needs. */
static int64_t dfs_device_bytes(const gpugraph_graph *graph, bool) {
    struct cuda_job planned = planned_job(graph);
    gpugraph_run run = {};
    struct workspace space = {NULL, 0};
    struct dfs_search s = dfs_search();
    s.g = device_csr{graph->n, graph->m};
    s.whole = true;
    s.many = true;
    planned.run = &run;
    s.blocks = GG_PATHS_BLOCKS * GG_PLANNED_PROCESSORS;
    if (s.blocks > graph->n / BLOCK_VERTICES + 1)
        s.blocks = graph->n / BLOCK_VERTICES + 1;
    carve_dfs(&planned, &space, true, &s);
    return gg_device_graph_lacks(graph, CSR_OUT, false) + (int64_t)space.used;
}

extern "C" const algorithm_side gg_dfs_cuda = {
    .methods = methods,
    .call = GG_CALLS(dfs_entry, search_dfs),
    .bytes = dfs_device_bytes,
};
