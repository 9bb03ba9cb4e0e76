/* PageRank on the device; pagerank.c has the meaning, steps.h the arithmetic.
**
**     sum_weights   once, with weights: total[u], exponent[u]
**     share_out     share[u], and the lost rank of all
**     pull          a warp takes 32 rows: the short ones a lane each, the long ones the whole warp,
**                   one after the other; hubs are left to
**     pull_hubs     a block for each slice of a hub's row, which adds to arrived[hub]
**     end_hubs      the hubs' ranks
**
** Sums are in fixed point: lanes, warps and blocks add in any order, and the total is the host's. The
** state is fetched after each iteration when there is a tolerance, else at the end. */
#include "pagerank.h"
#include "steps.h"
#include "graph/frontier.cuh"

#include <stdio.h>

enum {
    LONG_ROW = 64,   /* arcs from which a warp takes a row together */
    HUB_ROW = 16384, /* from which blocks share it; also a slice's arcs */
    ROW_BLOCKS = 16, /* for each multiprocessor */
    UNASKED = 8      /* iterations that are queued without a look at the host's stop */
};

typedef unsigned long long word;

struct device_fixed { /* of a gg_fixed; the carry of the low half goes to the high one */
    word low, high;
};

struct rank_state {
    device_fixed lost, change;
    uint32_t hubs;
};

struct ranking {
    struct device_csr out, in;
    gpugraph_distance_type type;
    double damping;
    uint32_t places;
    bool weighted;
    struct rank_state *state;
    double *rank, *share, *total;
    int16_t *exponent;
    const uint32_t *is_place; /* bit v; NULL: everywhere */
    uint32_t *source;
    uint32_t *hub;         /* vertices with long rows */
    device_fixed *arrived; /* at hubs, by their place in the list */
};

/* ---- sums ---- */

static __device__ __forceinline__ gg_fixed fixed_of(device_fixed f) {
    return (gg_fixed)f.high << 64 | f.low;
}

/* The high half gets what overflows the low one: additions of both halves come in any order. */
static __device__ __forceinline__ void add_fixed(device_fixed *to, gg_fixed part) {
    const word low = (word)part, before = atomicAdd(&to->low, low);
    const word high = (word)(part >> 64) + (before + low < before);
    if (high)
        atomicAdd(&to->high, high);
}

static __device__ __forceinline__ gg_fixed sum_of_warp(gg_fixed part) {
    for (int step = GG_WARP / 2; step > 0; step /= 2) {
        const word low = __shfl_xor_sync(ALL_LANES, (word)part, step),
                   high = __shfl_xor_sync(ALL_LANES, (word)(part >> 64), step);
        part += (gg_fixed)high << 64 | low;
    }
    return part;
}

/* All threads of the block. */
static __device__ void add_of_block(device_fixed *to, gg_fixed part) {
    __shared__ device_fixed of_warp[GG_BLOCK / GG_WARP];
    part = sum_of_warp(part);
    __syncthreads(); /* the array may be in use by the call before */
    if (gg_lane() == 0)
        of_warp[threadIdx.x / GG_WARP] = device_fixed{(word)part, (word)(part >> 64)};
    __syncthreads();
    if (threadIdx.x == 0) {
        gg_fixed sum = 0;
        for (int i = 0; i < GG_BLOCK / GG_WARP; i++)
            sum += fixed_of(of_warp[i]);
        if (sum)
            add_fixed(to, sum);
    }
}

/* ---- kernels ---- */

static __device__ __forceinline__ double weight_of(const ranking &r, const void *weight,
                                                   uint64_t arc) {
    if (r.type == GPUGRAPH_UINT32)
        return ((const uint32_t *)weight)[arc];
    if (r.type == GPUGRAPH_UINT64)
        return (double)((const int64_t *)weight)[arc];
    return ((const double *)weight)[arc];
}

static __device__ __forceinline__ bool is_place(const ranking &r, uint32_t v) {
    return !r.is_place || (r.is_place[v / 32] >> v % 32 & 1);
}

static __global__ void mark_places(const __grid_constant__ ranking r, uint32_t *place) {
    for (uint64_t i = gg_thread(); i < r.places; i += gg_threads_of_grid())
        atomicOr(&place[r.source[i] / 32], 1u << r.source[i] % 32);
}

static __global__ void begin(const __grid_constant__ ranking r) {
    for (uint64_t v = gg_thread(); v < r.out.n; v += gg_threads_of_grid())
        r.rank[v] = is_place(r, (uint32_t)v) ? __ddiv_rn(1.0, (double)r.places) : 0;
}

/* A warp for each vertex. */
static __global__ void sum_weights(const __grid_constant__ ranking r) {
    for (uint64_t u = gg_thread() / GG_WARP; u < r.out.n;
         u += gg_threads_of_grid() / GG_WARP) {
        const uint64_t first = r.out.offset[u] + gg_lane(), end = r.out.offset[u + 1];
        double largest = 0;
        for (uint64_t i = first; i < end; i += GG_WARP)
            largest = fmax(largest, weight_of(r, r.out.weight, i));
        for (int step = GG_WARP / 2; step > 0; step /= 2)
            largest = fmax(largest, __shfl_xor_sync(ALL_LANES, largest, step));
        const int exponent = gg_weight_exponent(largest);
        gg_fixed sum = 0;
        for (uint64_t i = first; i < end && largest > 0; i += GG_WARP)
            sum += gg_fix(gg_relative_weight(weight_of(r, r.out.weight, i), exponent));
        sum = sum_of_warp(sum);
        if (gg_lane() == 0) {
            r.exponent[u] = (int16_t)exponent;
            r.total[u] = gg_unfix(sum);
        }
    }
}

static __global__ void find_hubs(const __grid_constant__ ranking r) {
    const uint64_t whole = gg_whole_warps(r.in.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool hub = v < r.in.n && r.in.offset[v + 1] - r.in.offset[v] > HUB_ROW;
        const uint32_t at = gg_reserve(&r.state->hubs, hub);
        if (hub)
            r.hub[at] = (uint32_t)v;
    }
}

static __global__ void __launch_bounds__(GG_BLOCK)
    share_out(const __grid_constant__ ranking r) {
    gg_fixed lost = 0;
    for (uint64_t u = gg_thread(); u < r.out.n; u += gg_threads_of_grid()) {
        const double out =
            r.weighted ? r.total[u] : (double)(r.out.offset[u + 1] - r.out.offset[u]);
        const double rank = r.rank[u];
        r.share[u] = gg_share(rank, out);
        if (!(out > 0))
            lost += gg_fix(rank);
    }
    add_of_block(&r.state->lost, lost);
}

static __device__ __forceinline__ gg_fixed brought(const ranking &r, uint64_t arc) {
    const uint32_t u = r.in.target[arc];
    const double share = __ldg(&r.share[u]);
    return gg_fix(
        r.weighted ? __dmul_rn(share, gg_relative_weight(weight_of(r, r.in.weight, arc),
                                                         r.exponent[u]))
                   : share);
}

/* v's new rank; returns what has changed. */
static __device__ __forceinline__ gg_fixed end_row(const ranking &r, uint32_t v,
                                                   gg_fixed arrived, rank_gift gift) {
    const rank_gift none = {0, 0};
    const double now = gg_new_rank(r.damping, arrived, is_place(r, v) ? gift : none);
    const gg_fixed change = gg_change(now, r.rank[v]);
    r.rank[v] = now;
    return change;
}

static __global__ void __launch_bounds__(GG_BLOCK)
    pull(const __grid_constant__ ranking r) {
    const rank_gift gift = gg_rank_gift(r.damping, fixed_of(r.state->lost), r.places);
    const uint64_t whole = gg_whole_warps(r.in.n);
    gg_fixed change = 0;
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool live = v < r.in.n;
        const uint64_t first = live ? r.in.offset[v] : 0,
                       end = live ? r.in.offset[v + 1] : 0, arcs = end - first;
        gg_fixed sum = 0;
        if (arcs < LONG_ROW)
            for (uint64_t i = first; i < end; i++)
                sum += brought(r, i);
        unsigned rows = __ballot_sync(ALL_LANES, arcs >= LONG_ROW && arcs <= HUB_ROW);
        for (; rows; rows &= rows - 1) {
            const int owner = __ffs((int)rows) - 1;
            const uint64_t from = __shfl_sync(ALL_LANES, first, owner),
                           to = __shfl_sync(ALL_LANES, end, owner);
            gg_fixed part = 0;
            for (uint64_t i = from + gg_lane(); i < to; i += GG_WARP)
                part += brought(r, i);
            part = sum_of_warp(part);
            if ((int)gg_lane() == owner)
                sum = part;
        }
        if (live && arcs <= HUB_ROW)
            change += end_row(r, (uint32_t)v, sum, gift);
    }
    add_of_block(&r.state->change, change);
}

/* Blocks take slices of the hubs' rows, in turn. */
static __global__ void __launch_bounds__(GG_BLOCK)
    pull_hubs(const __grid_constant__ ranking r) {
    uint64_t slices = 0;
    for (uint32_t h = 0; h < r.state->hubs; h++) {
        const uint64_t first = r.in.offset[r.hub[h]], end = r.in.offset[r.hub[h] + 1];
        for (uint64_t at = first; at < end; at += HUB_ROW, slices++) {
            if (slices % gridDim.x != blockIdx.x)
                continue;
            const uint64_t to = at + HUB_ROW < end ? at + HUB_ROW : end;
            gg_fixed part = 0;
            for (uint64_t i = at + threadIdx.x; i < to; i += GG_BLOCK)
                part += brought(r, i);
            add_of_block(&r.arrived[h], part);
        }
    }
}

static __global__ void __launch_bounds__(GG_BLOCK)
    end_hubs(const __grid_constant__ ranking r) {
    const rank_gift gift = gg_rank_gift(r.damping, fixed_of(r.state->lost), r.places);
    gg_fixed change = 0;
    for (uint64_t h = gg_thread(); h < r.state->hubs; h += gg_threads_of_grid()) {
        change += end_row(r, r.hub[h], fixed_of(r.arrived[h]), gift);
        r.arrived[h] = device_fixed{0, 0};
    }
    add_of_block(&r.state->change, change);
}

/* ---- driver ---- */

/* A row is a hub's when it has more than HUB_ROW arcs. */
static uint64_t most_hubs(const gpugraph_graph *graph) {
    const uint64_t most = 2 * graph->m / HUB_ROW + 1;
    return most < graph->n ? most : graph->n;
}

static void carve(struct workspace *space, const gpugraph_graph *graph, bool weighted,
                  uint32_t sources, struct ranking *r, uint32_t **place) {
    const uint32_t n = graph->n;
    r->state = gg_carve<struct rank_state>(space, 1);
    r->rank = gg_carve<double>(space, n);
    r->share = gg_carve<double>(space, n);
    r->total = gg_carve<double>(space, weighted ? n : 0);
    r->exponent = gg_carve<int16_t>(space, weighted ? n : 0);
    r->hub = gg_carve<uint32_t>(space, most_hubs(graph));
    r->arrived = gg_carve<device_fixed>(space, most_hubs(graph));
    r->source = gg_carve<uint32_t>(space, sources);
    *place = gg_carve<uint32_t>(space, sources > 0 ? (uint64_t)n / 32 + 1 : 0);
}

static bool start(struct cuda_job *job, const gpugraph_pagerank_options *how,
                  struct ranking *r, uint32_t *place) {
    const uint32_t n = job->graph->n, sources = how->source_count;
    const unsigned grid = gg_grid(job, n, ROW_BLOCKS);
    gg_fill(job, r->state, 0, sizeof *r->state);
    gg_fill(job, r->arrived, 0, most_hubs(job->graph) * sizeof *r->arrived);
    if (sources > 0) {
        gg_fill(job, place, 0, ((uint64_t)n / 32 + 1) * sizeof *place);
        gg_upload(job, r->source, how->source, (uint64_t)sources * sizeof *r->source);
        if (!gg_going(job))
            return false;
        mark_places<<<gg_grid(job, sources, ROW_BLOCKS), GG_BLOCK, 0, job->stream>>>(
            *r, place);
        gg_launched(job, "mark_places");
        r->is_place = place;
    }
    begin<<<grid, GG_BLOCK, 0, job->stream>>>(*r);
    find_hubs<<<grid, GG_BLOCK, 0, job->stream>>>(*r);
    if (r->weighted)
        sum_weights<<<gg_grid(job, (uint64_t)n * GG_WARP, ROW_BLOCKS), GG_BLOCK, 0,
                      job->stream>>>(*r);
    return gg_launched(job, "begin");
}

static void queue_iteration(struct cuda_job *job, const struct ranking *r,
                            uint32_t hubs) {
    const unsigned grid = gg_grid(job, job->graph->n, ROW_BLOCKS);
    gg_fill(job, &r->state->lost, 0, 2 * sizeof(device_fixed));
    share_out<<<grid, GG_BLOCK, 0, job->stream>>>(*r);
    pull<<<grid, GG_BLOCK, 0, job->stream>>>(*r);
    gg_launched(job, "pull");
    if (hubs == 0)
        return;
    pull_hubs<<<gg_grid(job, UINT32_MAX, 4), GG_BLOCK, 0, job->stream>>>(*r);
    end_hubs<<<gg_grid(job, hubs, 1), GG_BLOCK, 0, job->stream>>>(*r);
    gg_launched(job, "pull_hubs");
}

static bool iterate(struct cuda_job *job, const gpugraph_pagerank_options *how,
                    const struct ranking *r, pagerank_end *end) {
    struct rank_state state;
    if (!gg_fetch(job, &state, r->state, sizeof state))
        return false;
    while (end->iterations < how->iterations && gg_going(job)) {
        queue_iteration(job, r, state.hubs);
        end->iterations++;
        if (how->tolerance > 0 || end->iterations == how->iterations ||
            end->iterations % UNASKED == 0) {
            if (!gg_fetch(job, &state, r->state, sizeof state))
                return false;
            end->change = gg_unfix((gg_fixed)state.change.high << 64 | state.change.low);
            if (how->tolerance > 0 && end->change <= how->tolerance)
                break;
        }
    }
    return gg_going(job);
}

static void rank_all(struct cuda_job *job, const gpugraph_pagerank_options *how,
                     double *rank, pagerank_end *end) {
    struct ranking r = {};
    struct workspace space = {NULL, 0};
    const uint32_t n = job->graph->n;
    uint32_t *place;
    char more[80];
    if (!gg_device_csr(job, gg_rows_in(how->direction), how->weighted, &r.in) ||
        !gg_device_csr(job, gg_rows_out(how->direction), how->weighted, &r.out))
        return;
    r.type = job->graph->distance_type;
    r.damping = how->damping;
    r.weighted = how->weighted;
    r.places = how->source_count > 0 ? how->source_count : n;
    carve(&space, job->graph, how->weighted, how->source_count, &r, &place);
    if (!gg_workspace(job, &space))
        return;
    carve(&space, job->graph, how->weighted, how->source_count, &r, &place);
    double started = gg_now_ms();
    if (!start(job, how, &r, place) || !iterate(job, how, &r, end) || !gg_wait(job))
        return;
    snprintf(more, sizeof more, "%u iterations, last change %.3g", end->iterations,
             end->change);
    gg_search_phase(job->run, started, (int64_t)r.in.m, more);
    started = gg_now_ms();
    if (gg_download(job, rank, r.rank, (uint64_t)n * sizeof *rank))
        gg_phase(job->run, "download", started, n, "ranks");
}

static gpugraph_status rank_on_device(gpugraph_graph *graph,
                                      const gpugraph_pagerank_options *how,
                                      gpugraph_run *run, double *rank,
                                      pagerank_end *end) {
    struct cuda_job job;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    rank_all(&job, how, rank, end);
    return gg_job_close(&job);
}

/* What a run takes, along the edges and without weights. */
static int64_t bytes(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    struct ranking r;
    uint32_t *place;
    carve(&space, graph, false, 0, &r, &place);
    return gg_device_graph_lacks(graph, CSR_IN, false) +
           gg_device_graph_lacks(graph, CSR_OUT, false) + (int64_t)space.used;
}

/* ---- the device's side ---- */

static const gpugraph_method methods[] = {
    {"pagerank", "pull", "cuda",
     "lanes, warps and blocks add up what incoming arcs bring, in fixed point"},
    {},
};

static const struct pagerank_calls calls = {.rank = rank_on_device};

extern "C" const algorithm_side gg_pagerank_cuda = {
    .methods = methods,
    .calls = &calls,
    .bytes = bytes,
};
