/* Core numbers on the device. cores.c has the meaning.
**
**     count_neighbours    one thread for each vertex
**     peel_cores          one cooperative launch. For each k a pass over the remaining
**                         vertices, 32 for each warp, then rounds (cores/peel.cuh).
**
** A thread that decrements a counter below k restores it, as on the CPU. */
#include "cores.h"
#include "peel.cuh"

struct cores_state { /* [pass % PEEL_COUNTS]: read, made, cleared */
    uint32_t rest[PEEL_COUNTS], fewest[PEEL_COUNTS];
};

struct cores {
    struct peel_lists p;
    struct cores_state *state;
    uint32_t *core, *rest[2];
};

/* ---- kernels ---- */

static __global__ void count_neighbours(cores c) {
    uint32_t fewest = UINT32_MAX;
    for (uint64_t v = gg_thread(); v < c.p.rows.n; v += gg_threads_of_grid()) {
        c.core[v] = (uint32_t)(c.p.rows.end[v] - c.p.rows.begin[v]);
        c.rest[0][v] = (uint32_t)v;
        fewest = min(fewest, c.core[v]);
    }
    fewest = __reduce_min_sync(ALL_LANES, fewest);
    if (gg_lane() == 0)
        atomicMin(&c.state->fewest[0], fewest);
}

/* Moves vertices with k remaining neighbours to the list of the round, and keeps vertices
** with more. */
static __device__ __forceinline__ void
part_rest(const cores &c, uint32_t pass, uint32_t count, uint32_t k, uint32_t round) {
    struct cores_state *state = c.state;
    const slice_list list = {c.p.slice[round % 2],
                             &c.p.state->barrier[round % PEEL_COUNTS], nullptr, nullptr};
    const uint32_t *rest = c.rest[pass % 2];
    const uint64_t whole = gg_whole_warps(count);
    uint32_t fewest = UINT32_MAX;
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        const uint32_t v = i < count ? rest[i] : 0;
        const uint32_t left = i < count ? gg_peek(&c.core[v]) : 0;
        const bool stays = i < count && left > k;
        gg_peel_append(c.p, v, i < count && left == k, list);
        const uint32_t at = gg_reserve(&state->rest[(pass + 1) % PEEL_COUNTS], stays);
        if (stays) {
            c.rest[(pass + 1) % 2][at] = v;
            fewest = min(fewest, left);
        }
    }
    fewest = __reduce_min_sync(ALL_LANES, fewest);
    if (gg_lane() == 0 && fewest != UINT32_MAX)
        atomicMin(&state->fewest[(pass + 1) % PEEL_COUNTS], fewest);
}

/* Cooperative. If a pass removes no vertex, k grows so that the next pass removes one. */
static __global__ void __launch_bounds__(PEEL_BLOCK)
    peel_cores(const __grid_constant__ cores c) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    __shared__ near_lists near;
    struct cores_state *state = c.state;
    uint32_t k = gg_peek(&state->fewest[0]), round = 0, pass = 0;
    for (;; pass++) {
        const uint32_t count = gg_peek(&state->rest[pass % PEEL_COUNTS]);
        if (count == 0 || gg_peek(&c.p.state->stopped) != 0)
            break;
        if (gg_thread() == 0) {
            state->rest[(pass + 2) % PEEL_COUNTS] = 0;
            state->fewest[(pass + 2) % PEEL_COUNTS] = UINT32_MAX;
        }
        part_rest(c, pass, count, k, round);
        grid.sync();
        gg_late();
        if (slices_of(gg_peek(&c.p.state->barrier[round % PEEL_COUNTS])) == 0) {
            const uint32_t fewest = gg_peek(&state->fewest[(pass + 1) % PEEL_COUNTS]);
            grid.sync(); /* all threads have read the counts */
            k = max(k + 1, fewest);
            continue;
        }
        round = gg_peel(c.p, round, &near, arc_of_core{c.core, k});
        k++;
    }
    if (gg_thread() == 0)
        c.p.state->round = round;
}

/* ---- driver ---- */

static void carve_cores(struct workspace *space, uint64_t n, uint64_t arcs,
                        struct cores *c) {
    c->p.state = gg_carve<struct peel_state>(space, 1);
    c->p.room = n + arcs / PEEL_SLICE + 1;
    c->p.narrow = gg_limits.peel_narrow;
    c->state = gg_carve<struct cores_state>(space, 1);
    c->core = gg_carve<uint32_t>(space, n);
    for (int i = 0; i < 2; i++) {
        c->p.slice[i] = gg_carve<uint64_t>(space, c->p.room);
        c->rest[i] = gg_carve<uint32_t>(space, n);
    }
}

static void find_cores(struct cuda_job *job, uint32_t *core) {
    const struct cooperative_kernel kernel = {(const void *)peel_cores, "peel_cores",
                                              PEEL_BLOCK, 0};
    struct cores c = cores();
    struct peel_state state;
    void *arguments[] = {&c};
    if (!gg_device_csr(job, CSR_SIMPLE, false, &c.p.rows))
        return;
    const uint32_t n = c.p.rows.n;
    const struct cores_state first = {{n, 0, 0}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    double started = gg_now_ms();
    if (!gg_take_arrays(job, [&](workspace *s) { carve_cores(s, n, c.p.rows.m, &c); }))
        return;
    c.p.host_stop = job->device->device_stop;
    gg_fill(job, c.p.state, 0, sizeof *c.p.state);
    /* One block on each multiprocessor, because a barrier waits for all blocks. */
    if (!gg_upload(job, c.state, &first, sizeof first) ||
        !GG_LAUNCH(job, count_neighbours, gg_grid(job, n, 16), c) ||
        !gg_launch_cooperative(job, &kernel, (unsigned)job->device->processors,
                               arguments) ||
        !gg_fetch(job, &state, c.p.state, sizeof state))
        return;
    gg_search_phase(job->run, started, (int64_t)c.p.rows.m, "%u rounds", state.round);
    gg_bring(job, core, c.core, n, "core numbers");
}

/* Device bytes that a run needs, for the largest possible number of arcs. */
static int64_t bytes_cores(const gpugraph_graph *graph, bool) {
    struct workspace space = {NULL, 0};
    struct cores c = cores();
    carve_cores(&space, graph->n, 2 * graph->m, &c);
    return gg_device_graph_lacks(graph, CSR_SIMPLE, false) + (int64_t)space.used;
}

GG_CUDA_SIDE(gg_cores_cuda, cores_entry, find_cores, bytes_cores, "cores", "peel",
             "warps remove the vertices with the fewest neighbours, pass by pass")
