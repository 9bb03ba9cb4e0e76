/* Weakly connected components on the device; components.c has the meaning and the steps, which are
** the same.
**
**     begin            component[v] = v
**     link_sample      a thread per edge of the sample
**     compress         a thread per vertex: its root
**     elect            the commonest root of some vertices
**     mark_outside     a ballot makes a word of the bitmap: 32 vertices, so that the ends of nearly
**                      all other edges are looked up in n / 8 bytes, which a cache holds
**     link_rest        a thread per edge
**     compress
**
** No step asks the host anything. */
#include "components.h"
#include "graph/graph.cuh"

struct arrays {
    uint32_t *component, *outside, *largest;
};

/* ---- kernels ---- */

static __device__ __forceinline__ uint32_t parent_of(const uint32_t *component,
                                                     uint32_t v) {
    return *(const volatile uint32_t *)&component[v];
}

/* As link_ends in components.c. */
static __device__ void link_ends(uint32_t *component, uint32_t u, uint32_t v) {
    uint32_t a = parent_of(component, u), b = parent_of(component, v);
    while (a != b) {
        const uint32_t high = max(a, b), low = min(a, b);
        uint32_t above = parent_of(component, high);
        if (above == low)
            return;
        if (above == high) {
            above = atomicCAS(&component[high], high, low);
            if (above == high)
                return;
        }
        a = parent_of(component, above);
        b = low;
    }
}

static __global__ void begin(uint32_t n, uint32_t *component) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        component[v] = (uint32_t)v;
}

static __global__ void link_sample(device_edges edges, uint64_t stride,
                                   uint32_t *component) {
    for (uint64_t e = gg_thread() * stride; e < edges.m;
         e += gg_threads_of_grid() * stride)
        link_ends(component, edges.source[e], edges.target[e]);
}

static __global__ void compress(uint32_t n, uint32_t *component) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        uint32_t root = parent_of(component, (uint32_t)v), above;
        while ((above = parent_of(component, root)) != root)
            root = above;
        component[v] = root;
    }
}

/* One block of COMPONENTS_VOTES threads: how many of the others have this one's root? */
static __global__ void elect(uint32_t n, arrays a) {
    __shared__ uint32_t root[COMPONENTS_VOTES];
    __shared__ unsigned long long best;
    const uint32_t i = threadIdx.x;
    const uint32_t v = (uint32_t)((uint64_t)n * i / COMPONENTS_VOTES);
    root[i] = a.component[v];
    if (i == 0)
        best = 0;
    __syncthreads();
    unsigned long long same = 0;
    for (uint32_t j = 0; j < COMPONENTS_VOTES; j++)
        same += root[j] == root[i];
    atomicMax(&best, same << 32 | root[i]);
    __syncthreads();
    if (i == 0)
        *a.largest = (uint32_t)best;
}

static __global__ void mark_outside(uint32_t n, arrays a) {
    const uint32_t largest = *a.largest;
    const uint64_t words = (n + (uint64_t)GG_WARP - 1) / GG_WARP;
    for (uint64_t v = gg_thread(); v < words * GG_WARP; v += gg_threads_of_grid()) {
        const uint32_t word = __ballot_sync(~0u, v < n && a.component[v] != largest);
        if (v % GG_WARP == 0)
            a.outside[v / GG_WARP] = word;
    }
}

static __device__ __forceinline__ uint32_t is_outside(const arrays &a, uint32_t v) {
    return a.outside[v / 32] >> v % 32 & 1;
}

static __global__ void link_rest(device_edges edges, arrays a) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        const uint32_t u = edges.source[e], v = edges.target[e];
        if (is_outside(a, u) | is_outside(a, v))
            link_ends(a.component, u, v);
    }
}

/* ---- driver ---- */

static void carve(struct workspace *space, uint32_t n, struct arrays *a) {
    a->component = gg_carve<uint32_t>(space, n);
    a->outside = gg_carve<uint32_t>(space, (n + (uint64_t)GG_WARP - 1) / GG_WARP);
    a->largest = gg_carve<uint32_t>(space, 1);
}

static void link_all(struct cuda_job *job, const struct device_edges *edges,
                     const struct arrays *a) {
    const uint64_t stride = edges->m / (COMPONENTS_SAMPLE * (uint64_t)edges->n) + 1;
    const unsigned by_vertex = gg_grid(job, edges->n, 16);
    begin<<<by_vertex, GG_BLOCK, 0, job->stream>>>(edges->n, a->component);
    link_sample<<<gg_grid(job, edges->m / stride + 1, 16), GG_BLOCK, 0, job->stream>>>(
        *edges, stride, a->component);
    compress<<<by_vertex, GG_BLOCK, 0, job->stream>>>(edges->n, a->component);
    gg_launched(job, "link_sample");
    if (stride == 1)
        return;
    elect<<<1, COMPONENTS_VOTES, 0, job->stream>>>(edges->n, *a);
    mark_outside<<<by_vertex, GG_BLOCK, 0, job->stream>>>(edges->n, *a);
    link_rest<<<gg_grid(job, edges->m, 16), GG_BLOCK, 0, job->stream>>>(*edges, *a);
    compress<<<by_vertex, GG_BLOCK, 0, job->stream>>>(edges->n, a->component);
    gg_launched(job, "link_rest");
}

static void find(struct cuda_job *job, uint32_t *component) {
    struct device_edges edges;
    struct workspace space = {NULL, 0};
    struct arrays a;
    if (!gg_device_edges(job, false, &edges) || edges.n == 0)
        return;
    double started = gg_now_ms();
    carve(&space, edges.n, &a);
    if (!gg_workspace(job, &space))
        return;
    carve(&space, edges.n, &a);
    link_all(job, &edges, &a);
    if (!gg_wait(job))
        return;
    gg_search_phase(job->run, started, (int64_t)edges.m, "");
    started = gg_now_ms();
    if (gg_download(job, component, a.component, (uint64_t)edges.n * sizeof *component))
        gg_phase(job->run, "download", started, edges.n, "components");
}

static gpugraph_status find_on_device(gpugraph_graph *graph, gpugraph_run *run,
                                      uint32_t *component) {
    struct cuda_job job;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    find(&job, component);
    return gg_job_close(&job);
}

/* What a run takes. */
static int64_t bytes(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    struct arrays a;
    carve(&space, graph->n, &a);
    return gg_device_graph_lacks(graph, CSR_KINDS, false) + (int64_t)space.used;
}

/* ---- the device's side ---- */

static const gpugraph_method methods[] = {
    {"components", "union-find", "cuda",
     "weak: threads hook roots of trees to smaller ones, a sample of the edges first"},
    {},
};

static const struct components_calls calls = {.find = find_on_device};

extern "C" const algorithm_side gg_components_cuda = {
    .methods = methods,
    .calls = &calls,
    .bytes = bytes,
};
