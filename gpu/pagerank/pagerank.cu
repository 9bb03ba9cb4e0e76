/* PageRank on the device. pagerank.c has the meaning, steps.h the arithmetic.
**
**     sum_weights       once, with weights: total[u], exponent[u]
**     share_out         once: the first rank[u] and share[u], and the lost rank
**     pull_shares       A warp takes 32 rows. A lane takes a short row, eight lanes take
**                       a row of medium length, the whole warp takes a long row. Rows of
**                       hubs are left out.
**     pull_hub_shares   A block takes a slice of a hub's row and adds to arrived[hub].
**     end_hubs          computes the ranks of hubs
**
** A thread that has a new rank also writes its share for the next iteration. The two
** arrays of shares are read and written in turn. A lane loads AT_ONCE arcs, then their
** shares, before it adds.
**
** Sums are in fixed point: lanes, warps and blocks add in any order, and the total equals
** that of the host. Without weights a lane adds shares as two doubles each (split.h),
** which is exact, too. The host fetches the state after each iteration if there is a
** tolerance, otherwise after every UNASKED iterations and at the end. */
#include "pagerank.h"
#include "sums.cuh"
#include "device/services.h"
#include "graph/graph.h"

/* ---- kernels ---- */

static __global__ void mark_places(const __grid_constant__ ranking r, uint32_t *place) {
    for (uint64_t i = gg_thread(); i < r.places; i += gg_threads_of_grid())
        atomicOr(&place[r.source[i] / 32], 1u << r.source[i] % 32);
}

/* One warp for each vertex. */
static __global__ void sum_weights(const __grid_constant__ ranking r) {
    for (uint64_t u = gg_thread() / GG_WARP; u < r.out.n;
         u += gg_threads_of_grid() / GG_WARP) {
        const int exponent = sum_weights_of(r, u);
        if (gg_lane() == 0)
            r.exponent[u] = (int16_t)exponent;
    }
}

static __global__ void find_hubs(const __grid_constant__ ranking r) {
    const uint64_t whole = gg_whole_warps(r.in.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid())
        list_hub(r, v, v < r.in.n ? r.in.begin[v] : 0, v < r.in.n ? r.in.end[v] : 0);
}

static __global__ void __launch_bounds__(GG_BLOCK)
    share_out(const __grid_constant__ ranking r) {
    gg_fixed lost = 0;
    for (uint64_t u = gg_thread(); u < r.out.n; u += gg_threads_of_grid()) {
        const double rank = first_rank(r, (uint32_t)u);
        r.rank[u] = rank;
        r.share[u] = share_of(r, (uint32_t)u, r.out.end[u] - r.out.begin[u], rank, &lost);
    }
    add_of_block(&r.state->lost[r.turn], lost);
}

/* ---- new ranks ---- */

static __device__ __forceinline__ rank_gift gift_of(const ranking &r) {
    return gg_rank_gift(r.damping, fixed_of(r.state->lost[r.turn]), r.places);
}

static __global__ void __launch_bounds__(GG_BLOCK)
    pull_shares(const __grid_constant__ ranking r) {
    __shared__ warp_rows of_warp[WARPS];
    const rank_gift gift = gift_of(r);
    const uint64_t whole = gg_whole_warps(r.in.n);
    gg_fixed change = 0, lost = 0;
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool live = v < r.in.n;
        const uint64_t first = live ? r.in.begin[v] : 0, end = live ? r.in.end[v] : 0,
                       arcs = end - first;
        const uint64_t degree = live ? r.out.end[v] - r.out.begin[v] : 0;
        const double before = live ? r.rank[v] : 0;
        const double arrived = arrived_at(r, &of_warp[threadIdx.x / GG_WARP], first, end);
        if (live && arcs <= HUB_ROW)
            r.next_share[v] =
                new_share(r, (uint32_t)v, degree, before, arrived, gift, &change, &lost);
    }
    add_of_block(&r.state->change, change);
    add_of_block(&r.state->lost[r.turn ^ 1], lost);
}

static __global__ void __launch_bounds__(GG_BLOCK)
    pull_hub_shares(const __grid_constant__ ranking r) {
    for (uint32_t k = blockIdx.x; k < r.state->slices; k += gridDim.x) {
        const hub_slice s = r.slice[k];
        add_of_block(&r.arrived[s.hub],
                     part_of_row(r, s.first + threadIdx.x, s.end, GG_BLOCK));
    }
}

static __global__ void __launch_bounds__(GG_BLOCK)
    end_hubs(const __grid_constant__ ranking r) {
    const rank_gift gift = gift_of(r);
    gg_fixed change = 0, lost = 0;
    for (uint64_t h = gg_thread(); h < r.state->hubs; h += gg_threads_of_grid()) {
        const uint32_t v = r.hub[h];
        r.next_share[v] =
            new_share(r, v, r.out.end[v] - r.out.begin[v], r.rank[v],
                      gg_unfix(fixed_of(r.arrived[h])), gift, &change, &lost);
        r.arrived[h] = device_fixed{0, 0};
    }
    add_of_block(&r.state->change, change);
    add_of_block(&r.state->lost[r.turn ^ 1], lost);
}

/* ---- driver ---- */

/* arcs: an upper bound of the arcs. */
static void carve_ranking(struct workspace *space, uint32_t n, uint64_t arcs,
                          bool weighted, uint32_t sources, struct ranking *r,
                          uint32_t **place) {
    r->state = gg_carve<struct rank_state>(space, 1);
    r->rank = gg_carve<double>(space, n);
    r->share = gg_carve<double>(space, n);
    r->next_share = gg_carve<double>(space, n);
    r->total = gg_carve<double>(space, weighted ? n : 0);
    r->exponent = gg_carve<int16_t>(space, weighted ? n : 0);
    r->hub = gg_carve<uint32_t>(space, most_hubs(arcs, n));
    r->slice = gg_carve<hub_slice>(space, most_slices(arcs, n));
    r->arrived = gg_carve<device_fixed>(space, most_hubs(arcs, n));
    r->source = gg_carve<uint32_t>(space, sources);
    *place = gg_carve<uint32_t>(space, sources > 0 ? (uint64_t)n / 32 + 1 : 0);
}

/* Also computes the shares of the first ranks. */
static bool start_ranking(struct cuda_job *job, const gpugraph_pagerank_options *how,
                          struct ranking *r, uint32_t *place) {
    const uint32_t n = r->in.n, sources = how->source_count;
    const unsigned grid = gg_grid(job, n, ROW_BLOCKS);
    gg_fill(job, r->state, 0, sizeof *r->state);
    gg_fill(job, r->arrived, 0, most_hubs(r->in.m, n) * sizeof *r->arrived);
    if (sources > 0) {
        gg_fill(job, place, 0, ((uint64_t)n / 32 + 1) * sizeof *place);
        if (!gg_upload(job, r->source, how->source,
                       (uint64_t)sources * sizeof *r->source))
            return false;
        GG_LAUNCH(job, mark_places, gg_grid(job, sources, ROW_BLOCKS), *r, place);
        r->is_place = place;
    }
    GG_LAUNCH(job, find_hubs, grid, *r);
    if (r->weighted)
        GG_LAUNCH(job, sum_weights, gg_grid(job, (uint64_t)n * GG_WARP, ROW_BLOCKS), *r);
    return GG_LAUNCH(job, share_out, grid, *r);
}

static void queue_iteration(struct cuda_job *job, struct ranking *r,
                            const struct rank_state *state) {
    double *shares = r->share;
    gg_fill(job, &r->state->lost[r->turn ^ 1], 0, sizeof(device_fixed));
    gg_fill(job, &r->state->change, 0, sizeof(device_fixed));
    GG_LAUNCH(job, pull_shares, gg_grid(job, r->in.n, ROW_BLOCKS), *r);
    if (state->hubs > 0) {
        GG_LAUNCH(job, pull_hub_shares,
                  gg_grid(job, (uint64_t)state->slices * GG_BLOCK, ROW_BLOCKS), *r);
        GG_LAUNCH(job, end_hubs, gg_grid(job, state->hubs, 1), *r);
    }
    r->share = r->next_share;
    r->next_share = shares;
    r->turn ^= 1;
}

static bool iterate_ranks(struct cuda_job *job, const gpugraph_pagerank_options *how,
                          struct ranking *r, pagerank_end *end) {
    struct rank_state state;
    if (!gg_fetch(job, &state, r->state, sizeof state))
        return false;
    while (end->iterations < how->iterations && gg_going(job)) {
        queue_iteration(job, r, &state);
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
    uint32_t *place;
    if (!gg_device_csr(job, gg_forward_kind(gg_opposite(how->direction)), how->weighted,
                       &r.in) ||
        !gg_device_csr(job, gg_forward_kind(how->direction), how->weighted, &r.out))
        return;
    r.type = job->graph->distance_type;
    r.damping = how->damping;
    r.weighted = how->weighted;
    r.places = how->source_count > 0 ? how->source_count : r.in.n;
    const double started = gg_now_ms();
    auto carve = [&](workspace *s) {
        carve_ranking(s, r.in.n, r.in.m, how->weighted, how->source_count, &r, &place);
    };
    if (!gg_take_arrays(job, carve) || !start_ranking(job, how, &r, place) ||
        !iterate_ranks(job, how, &r, end) || !gg_wait(job))
        return;
    gg_search_phase(job->run, started, (int64_t)r.in.m, "%u iterations, last change %.3g",
                    end->iterations, end->change);
    gg_bring(job, rank, r.rank, r.in.n, "ranks");
}

/* Device bytes that a run needs, along the edges and without weights. */
static int64_t bytes_pagerank(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    struct ranking r;
    uint32_t *place;
    carve_ranking(&space, graph->n, 2 * graph->m, false, 0, &r, &place);
    return gg_device_graph_lacks(graph, CSR_IN, false) +
           gg_device_graph_lacks(graph, CSR_OUT, false) + (int64_t)space.used;
}

GG_CUDA_SIDE(gg_pagerank_cuda, pagerank_entry, rank_all, bytes_pagerank, "pagerank",
             "pull",
             "lanes, warps and blocks add up what incoming arcs bring, in fixed point")
