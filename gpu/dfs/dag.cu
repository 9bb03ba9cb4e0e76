/* The lexicographic depth-first tree, or forest, of a graph without cycles: the driver of
** dag.h.
**
**     one source     a search that is not ordered marks what can be reached
**     left           arcs into each vertex, from what is reached; loops do not count
**     rounds         one cooperative launch: every round walks the arcs of what the round
**                    before has settled, all blocks share them; first of the source, or of
**                    all that no arc leads to
**
** What is never settled lies on a cycle or behind one. Loops change no depth-first tree, so a
** graph with loops counts as acyclic. */
#include "dfs.cuh"
#include "dag.h"
#include "graph/frontier.cuh"

#include <cooperative_groups.h>

enum {
    COUNTS = 3,      /* read, appended to, cleared for the next round */
    STOP_ROUNDS = 64 /* between two looks at the host's flag */
};
static_assert(sizeof(struct dfs_control) >= 8 * sizeof(uint32_t),
              "room for a peel_state");

struct peel_state {
    uint32_t slices[COUNTS];
    uint32_t stop[2]; /* written in even rounds, and in odd ones */
    uint32_t reached, rounds;
};
static_assert(sizeof(struct peel_state) <= sizeof(struct dfs_control), "in its place");

struct peeling {
    device_csr g;
    dfs_dag dag;
    uint64_t *slice[2]; /* vertex << 32 | number: GG_DAG_SLICE of its arcs */
    struct peel_state *state;
    const uint32_t *visited; /* what arcs count from; NULL: all */
    uint32_t source, limit;
    const uint32_t *host_stop;
};

struct ways {
    bool forward, backward; /* how an edge may be travelled */
};

static __device__ __forceinline__ bool counts(const peeling &p, uint32_t from) {
    return !p.visited || (p.visited[from / 32] >> from % 32 & 1);
}

/* One thread per edge. */
static __global__ void count_arcs_in(device_edges edges, ways ways, peeling p) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (s == t)
            continue;
        if (ways.forward && counts(p, s))
            atomicAdd(&p.dag.left[t], 1u);
        if (ways.backward && counts(p, t))
            atomicAdd(&p.dag.left[s], 1u);
    }
}

/* The slices of v, where `wanted`, go behind *count. All lanes of the warp call, and write
** those of a long row together. */
static __device__ __forceinline__ void append(const peeling &p, uint32_t v, bool wanted,
                                              uint64_t *slice, uint32_t *count) {
    uint32_t mine = 0, total, first = 0;
    if (wanted)
        mine = (uint32_t)((p.g.offset[v + 1] - p.g.offset[v] + GG_DAG_SLICE - 1) /
                          GG_DAG_SLICE);
    uint32_t before = warp_sum_before(mine, &total);
    if (total == 0)
        return;
    if (gg_lane() == 0)
        first = atomicAdd(count, total);
    first = warp_from(first, 0) + before;
    if (mine > 0)
        slice[first] = (uint64_t)v << 32;
    for (uint32_t lanes = warp_ballot(mine > 1); lanes != 0; lanes &= lanes - 1) {
        unsigned lane = lowest_bit(lanes);
        uint32_t at = warp_from(first, lane), end = warp_from(mine, lane);
        uint64_t entry = (uint64_t)warp_from(v, lane) << 32;
        for (uint32_t i = 1 + gg_lane(); i < end; i += GG_WARP)
            slice[at + i] = entry | i;
    }
}

/* One thread per vertex: the source, or all without arcs into them. */
static __global__ void plant_first(peeling p) {
    uint64_t whole = gg_whole_warps(p.g.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        bool first = v < p.g.n && p.dag.left[v] == 0 && (p.dag.whole || v == p.source);
        if (first)
            dag_plant(&p.dag, (uint32_t)v);
        gg_reserve(&p.state->reached, first);
        append(p, (uint32_t)v, first, p.slice[0], &p.state->slices[0]);
    }
}

/* A warp's share of a round: some slices at a time, their arcs dealt out to the lanes.
** Returns how many vertices this lane has settled, which are appended to `next`. */
static __device__ __forceinline__ uint32_t walk(const peeling &p, const uint64_t *slice,
                                                uint32_t count, uint64_t *next,
                                                uint32_t *next_count) {
    uint64_t warps = gg_threads_of_grid() / GG_WARP, tile = count / warps + 1;
    uint32_t settled = 0;
    tile = tile < GG_WARP ? tile : GG_WARP;
    for (uint64_t at = gg_thread() / GG_WARP * tile; at < count; at += warps * tile) {
        uint64_t begin = 0, arcs = 0;
        uint32_t mine = 0, total;
        if (gg_lane() < tile && at + gg_lane() < count) {
            uint64_t entry = slice[at + gg_lane()];
            mine = (uint32_t)(entry >> 32);
            begin = p.g.offset[mine] + (entry & UINT32_MAX) * GG_DAG_SLICE;
            arcs = p.g.offset[mine + 1] - begin;
            arcs = arcs < GG_DAG_SLICE ? arcs : GG_DAG_SLICE;
        }
        uint32_t first = warp_sum_before((uint32_t)arcs, &total);
        for (uint32_t base = 0; base < total; base += GG_WARP) {
            uint32_t k = base + gg_lane();
            unsigned owner = paths_owner(first, k);
            uint32_t u = warp_from(mine, owner), before = warp_from(first, owner);
            uint64_t row = warp_from_64(begin, owner);
            bool live = k < total;
            uint32_t v = live ? p.g.target[row + (k - before)] : 0;
            bool last = live && dag_take_arc(&p.dag, u, v);
            settled += last;
            append(p, v, last, next, next_count);
        }
    }
    return settled;
}

/* Cooperative: all rounds. */
static __global__ void __launch_bounds__(GG_BLOCK) peel_in_rounds(peeling p) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    struct peel_state *state = p.state;
    uint32_t settled = 0, round = 0;
    for (;; round++) {
        uint32_t count = gg_peek(&state->slices[round % COUNTS]);
        uint32_t *next_count = &state->slices[(round + 1) % COUNTS];
        uint64_t *next = p.slice[(round + 1) % 2];
        if (count == 0 || round == p.limit)
            break;
        if (gg_thread() == 0) {
            state->slices[(round + 2) % COUNTS] = 0;
            if (round % STOP_ROUNDS == 0)
                state->stop[round / STOP_ROUNDS % 2] =
                    *(const volatile uint32_t *)p.host_stop;
        }
        settled += walk(p, p.slice[round % 2], count, next, next_count);
        grid.sync();
        gg_late();
        if (gg_peek(&state->stop[round / STOP_ROUNDS % 2]) != 0)
            break;
    }
    uint32_t in_warp = __reduce_add_sync(ALL_LANES, settled);
    if (gg_lane() == 0 && in_warp > 0)
        atomicAdd(&state->reached, in_warp);
    if (gg_thread() == 0)
        state->rounds = round;
}

static bool peel(struct cuda_job *job, struct dfs_search *s, struct peeling *p) {
    const struct cooperative_kernel kernel = {(const void *)peel_in_rounds,
                                              "peel_in_rounds", GG_BLOCK, 0};
    void *arguments[] = {p};
    int fit = gg_blocks_at_once(job, &kernel);
    fit = fit < GG_DAG_BLOCKS ? fit : GG_DAG_BLOCKS;
    plant_first<<<gg_grid(job, s->g.n, 16), GG_BLOCK, 0, job->stream>>>(*p);
    if (!gg_launched(job, "plant_first"))
        return false;
    unsigned blocks = (unsigned)(fit * job->device->processors);
    struct peel_state state;
    if (!gg_launch_cooperative(job, &kernel, blocks, arguments) ||
        !gg_fetch(job, &state, p->state, sizeof state))
        return false;
    s->control.reached = state.reached;
    s->control.late = state.rounds == p->limit;
    s->rounds = state.rounds;
    return true;
}

void gg_dfs_dag_carve(struct workspace *space, struct dfs_search *s) {
    uint64_t slices = s->g.n + s->g.m / GG_DAG_SLICE + 1;
    gg_dfs_paths_carve(space, s);
    for (int i = 0; i < 2; i++)
        s->slices[i] = gg_carve<uint64_t>(space, slices);
}

bool gg_dfs_dag(struct cuda_job *job, struct dfs_search *s) {
    struct device_edges edges;
    struct ways ways = {s->direction != GPUGRAPH_IN, s->direction != GPUGRAPH_OUT};
    struct peeling p = peeling();
    uint32_t n = s->g.n, reached = n;
    uint64_t bytes = (uint64_t)n * sizeof(uint32_t);
    if (!s->whole) {
        if (!gg_dfs_paths_mark(job, s))
            return false;
        reached = s->control.reached;
        p.visited = s->paths.visited;
        if (s->control.late)
            return true;
    }
    p.g = s->g;
    p.dag = dfs_dag{s->forest.component, s->parent, s->depth, s->paths.tree, s->whole};
    p.slice[0] = s->slices[0];
    p.slice[1] = s->slices[1];
    p.state = (struct peel_state *)s->paths.control;
    p.source = s->source;
    p.limit = s->limit;
    p.host_stop = job->device->device_stop;
    gg_fill(job, p.dag.left, 0, bytes);
    gg_fill(job, p.dag.best, 0xff, bytes);
    gg_fill(job, p.dag.depth, 0xff, bytes);
    gg_fill(job, p.state, 0, sizeof *p.state);
    if (!gg_device_edges(job, false, &edges))
        return false;
    count_arcs_in<<<gg_grid(job, edges.m, 16), GG_BLOCK, 0, job->stream>>>(edges, ways,
                                                                           p);
    if (!gg_launched(job, "count_arcs_in") || !peel(job, s, &p))
        return false;
    s->cyclic = !s->control.late && s->control.reached < reached;
    return true;
}
