/* Label propagation on the device. labels.c has the meaning and the CPU backend.
**
**     arcs of a row     counter                               where
**     0 .. 8            a lane compares all labels            registers
**     9 .. 32           a warp, by votes                      registers
**     33 .. 384         a warp                                its table, on chip
**     385 .. 3072       a block                               its table, on chip
**     more: a hub       blocks, slices of 3072 arcs on chip   then the table of the hub
**
** A label that many lanes have at once is counted on chip, where equal additions cost
** little. hubs.cu has the hubs. */
#include "labels.cuh"

/* ---- rows of lanes and of warps ---- */

static __device__ __forceinline__ word best_of_few(const spreading &s, uint32_t v,
                                                   uint64_t first, uint32_t arcs) {
    uint32_t label[LANE_ROW];
    word best = 0;
#pragma unroll
    for (int i = 0; i < LANE_ROW; i++) {
        const uint32_t u = i < (int)arcs ? s.rows.target[first + i] : v;
        label[i] = u != v ? __ldg(&s.label[u]) : (uint32_t)NONE;
    }
#pragma unroll
    for (int i = 0; i < LANE_ROW; i++) {
        uint32_t same = 0;
#pragma unroll
        for (int j = 0; j < LANE_ROW; j++)
            same += label[j] == label[i];
        if (label[i] != (uint32_t)NONE)
            best = better(best, vote(label[i], same));
    }
    return best;
}

/* Counts a row of up to 32 arcs by all lanes: lanes with equal labels find each other. */
static __device__ __forceinline__ word best_by_votes(const spreading &s, uint32_t v,
                                                     uint64_t first, uint64_t end) {
    const uint64_t arc = first + gg_lane();
    const uint32_t u = arc < end ? s.rows.target[arc] : v;
    const uint32_t label = u != v ? __ldg(&s.label[u]) : (uint32_t)NONE;
    const unsigned same = __match_any_sync(ALL_LANES, label);
    return best_of_warp(label != (uint32_t)NONE ? vote(label, (uint32_t)__popc(same))
                                                : 0);
}

static __device__ __forceinline__ word best_by_warp(const spreading &s, uint32_t v,
                                                    uint64_t first, uint64_t end,
                                                    uint32_t *key, uint32_t *count) {
    const uint32_t bits = slot_bits(end - first, WARP_SLOTS);
    count_arc_labels(s, v, first + gg_lane(), end, GG_WARP, key, count, bits);
    __syncwarp();
    const word best = best_on_chip(key, count, gg_lane(), 1u << bits, GG_WARP);
    __syncwarp();
    return best_of_warp(best);
}

/* A warp takes 32 vertices. */
static __global__ void __launch_bounds__(GG_BLOCK)
    spread_rows(const __grid_constant__ spreading s) {
    __shared__ uint32_t key[WARPS][WARP_SLOTS], count[WARPS][WARP_SLOTS];
    const uint32_t warp = threadIdx.x / GG_WARP;
    for (uint32_t at = gg_lane(); at < WARP_SLOTS; at += GG_WARP) {
        key[warp][at] = (uint32_t)NONE;
        count[warp][at] = 0;
    }
    __syncwarp();
    const uint64_t whole = gg_whole_warps(s.rows.n);
    bool changed = false;
    for (uint64_t at = gg_thread(); at < whole; at += gg_threads_of_grid()) {
        const bool live = at < s.rows.n;
        const uint32_t v = (uint32_t)at;
        const uint64_t first = live ? s.rows.begin[at] : 0,
                       end = live ? s.rows.end[at] : 0, arcs = end - first;
        word best = 0;
        if (arcs > 0 && arcs <= LANE_ROW)
            best = best_of_few(s, v, first, (uint32_t)arcs);
        unsigned rows = __ballot_sync(ALL_LANES, arcs > LANE_ROW && arcs <= WARP_ROW);
        for (; rows; rows &= rows - 1) {
            const int owner = __ffs((int)rows) - 1;
            const uint64_t from = __shfl_sync(ALL_LANES, first, owner),
                           to = __shfl_sync(ALL_LANES, end, owner);
            const uint32_t of = __shfl_sync(ALL_LANES, v, owner);
            const word found =
                to - from <= GG_WARP
                    ? best_by_votes(s, of, from, to)
                    : best_by_warp(s, of, from, to, key[warp], count[warp]);
            if ((int)gg_lane() == owner)
                best = found;
        }
        if (live && arcs <= WARP_ROW)
            changed |= settle_label(s, v, best);
    }
    if (__any_sync(ALL_LANES, changed) && gg_lane() == 0)
        s.state->changed = 1;
}

/* ---- rows of blocks ---- */

/* One block for each row. */
static __global__ void __launch_bounds__(GG_BLOCK)
    spread_long_rows(const __grid_constant__ spreading s) {
    __shared__ block_table table;
    bool changed = false;
    empty_table(&table);
    for (uint32_t row = blockIdx.x; row < s.state->rows; row += gridDim.x) {
        const uint32_t v = s.row[row];
        const uint64_t first = s.rows.begin[v], end = s.rows.end[v];
        const uint32_t bits = slot_bits(end - first, BLOCK_SLOTS);
        count_arc_labels(s, v, first + threadIdx.x, end, GG_BLOCK, table.key, table.count,
                         bits);
        __syncthreads();
        const word best =
            best_of_block(&table, best_on_chip(table.key, table.count, threadIdx.x,
                                               1u << bits, GG_BLOCK));
        if (threadIdx.x == 0)
            changed |= settle_label(s, v, best);
    }
    if (changed)
        s.state->changed = 1;
}

/* ---- preparation ---- */

/* One thread for each vertex. */
static __global__ void label_themselves(const __grid_constant__ spreading s,
                                        uint32_t *label) {
    const uint64_t whole = gg_whole_warps(s.rows.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const bool live = v < s.rows.n;
        const uint64_t arcs = live ? s.rows.end[v] - s.rows.begin[v] : 0;
        const bool is_long = arcs > WARP_ROW && arcs <= SLICE, is_hub = arcs > SLICE;
        const uint32_t row = gg_reserve(&s.state->rows, is_long),
                       hub = gg_reserve(&s.state->hubs, is_hub);
        if (live)
            label[v] = (uint32_t)v;
        if (is_long)
            s.row[row] = (uint32_t)v;
        if (is_hub)
            s.hub[hub] = {arcs, 0, (uint32_t)v};
    }
}

/* Carves the arrays. s->label and s->next take turns. */
static void carve_spreading(struct workspace *space, struct spreading *s) {
    const uint32_t n = s->rows.n;
    s->state = gg_carve<struct state>(space, 1);
    s->label = gg_carve<uint32_t>(space, n);
    s->next = gg_carve<uint32_t>(space, n);
    s->row = gg_carve<uint32_t>(space, std::min<uint64_t>(n, s->rows.m / WARP_ROW));
    gg_carve_hubs(space, s);
}

/* ---- driver ---- */

static bool start_spreading(struct cuda_job *job, const struct spreading *s,
                            struct plan *p, struct state *state) {
    if (!gg_fill(job, s->state, 0, sizeof *s->state) ||
        !GG_LAUNCH(job, label_themselves, gg_grid(job, s->rows.n, ROW_BLOCKS), *s,
                   const_cast<uint32_t *>(s->label)) ||
        !gg_fetch(job, state, s->state, sizeof *state))
        return false;
    p->hubs = state->hubs;
    return gg_plan_hubs(job, s, p);
}

/* The long rows come first, so that short rows fill the gaps at their end. */
static void queue_iteration(struct cuda_job *job, const struct spreading *s,
                            const struct plan *p, uint32_t long_rows) {
    gg_fill(job, &s->state->changed, 0, sizeof s->state->changed);
    gg_queue_hubs(job, s, p);
    if (!gg_going(job))
        return;
    if (long_rows > 0)
        GG_LAUNCH(job, spread_long_rows,
                  gg_grid(job, (uint64_t)long_rows * GG_BLOCK, ROW_BLOCKS), *s);
    GG_LAUNCH(job, spread_rows, gg_grid(job, s->rows.n, ROW_BLOCKS), *s);
}

static uint32_t iterate_labels(struct cuda_job *job, uint32_t iterations,
                               struct spreading *s, const struct plan *p,
                               struct state state) {
    uint32_t done = 0;
    for (state.changed = 1; done < iterations && state.changed; done++) {
        queue_iteration(job, s, p, state.rows);
        if (!gg_fetch(job, &state, s->state, sizeof state))
            break;
        uint32_t *written = s->next;
        s->next = const_cast<uint32_t *>(s->label);
        s->label = written;
    }
    return done;
}

static void spread_all(struct cuda_job *job, uint32_t iterations,
                       gpugraph_direction direction, uint32_t *label) {
    struct spreading s = {};
    s.odd = (uint32_t)gg_placing().odd;
    struct plan plan = {};
    struct state state;
    if (!gg_device_csr(job, (enum csr_kind)direction, false, &s.rows) ||
        !gg_take_arrays(job, [&](workspace *space) { carve_spreading(space, &s); }))
        return;
    double started = gg_now_ms();
    uint32_t done = 0;
    if (start_spreading(job, &s, &plan, &state))
        done = iterate_labels(job, iterations, &s, &plan, state);
    if (gg_wait(job)) {
        gg_search_phase(job->run, started, (int64_t)s.rows.m, "%u iterations", done);
        gg_bring(job, label, s.label, s.rows.n, "labels");
    }
    gg_release(plan.batch);
}

/* Device bytes that a run needs, along both directions. */
static int64_t bytes_labels(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    struct spreading s = {};
    s.rows = {graph->n, 2 * graph->m, NULL, NULL, NULL};
    carve_spreading(&space, &s);
    return gg_device_graph_lacks(graph, CSR_BOTH, false) + (int64_t)space.used;
}

GG_CUDA_SIDE(gg_label_propagation_cuda, labels_entry, spread_all, bytes_labels,
             "label_propagation", "counting",
             "lanes, warps and blocks count the labels of rows on chip, hubs in tables")
