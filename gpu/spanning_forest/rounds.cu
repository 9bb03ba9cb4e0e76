/* Rounds: each tree takes the first edge that leaves it and is joined to the tree at the
** other end. */
#include "spanning_forest.cuh"

enum { JUMPS = 16 /* of one pass of shorten_next */ };

/* ---- trees ---- */

static __global__ void plant_forest(const __grid_constant__ forest f) {
    for (uint64_t v = gg_thread(); v < f.edges.n; v += gg_threads_of_grid()) {
        f.parent[v] = f.live[0][v] = (uint32_t)v;
        f.best[v] = NOWHERE;
        if (!f.packed)
            f.best_edge[v] = NOWHERE;
    }
    if (gg_thread() == 0) {
        f.state->live[0] = f.edges.n;
        f.state->unfinished = 0;
    }
}

/* The root of v, after at most one step for each round. No kernel that calls it changes a
** parent. */
static __device__ __forceinline__ uint32_t forest_root(const forest &f, uint32_t v) {
    uint32_t above;
    while ((above = f.parent[v]) != v)
        v = above;
    return v;
}

/* One thread for each live root. */
static __global__ void choose_edges(const __grid_constant__ forest f, int list,
                                    int live) {
    const uint32_t count = f.state->live[live];
    if (gg_thread() == 0) {
        f.state->listed[1 - list] = 0;
        f.state->live[1 - live] = 0;
        f.state->unfinished = 0;
    }
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = f.live[live][i];
        const word key = f.best[v];
        uint32_t to = v;
        if (key != NOWHERE) {
            const word edge = f.packed ? edge_of_key(f, key) : f.best_edge[v];
            const uint32_t a = forest_root(f, f.edges.source[edge]);
            const uint32_t other = a != v ? a : forest_root(f, f.edges.target[edge]);
            const bool both =
                f.best[other] == key && (f.packed || f.best_edge[other] == edge);
            to = both && v < other ? v : other;
            atomicOr(&f.chosen[edge / 32], 1u << edge % 32);
        }
        f.next[v] = to;
    }
}

/* Each thread changes only its own entry and follows at most JUMPS entries of `next`. Two
** passes together shorten a chain of JUMPS * JUMPS entries. */
static __global__ void shorten_next(const __grid_constant__ forest f, int live) {
    const uint32_t count = f.state->live[live];
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint32_t v = f.live[live][i];
        uint32_t to = gg_peek(&f.next[v]), above = to;
        for (int jump = 0; jump < JUMPS; jump++) {
            above = gg_peek(&f.next[to]);
            if (above == to)
                break;
            to = above;
        }
        *(volatile uint32_t *)&f.next[v] = to;
        if (gg_peek(&f.next[to]) != to)
            *(volatile uint32_t *)&f.state->unfinished = 1;
    }
}

/* Reserves places behind *count for the threads of the block that want one. All threads
** of the block call. */
static __device__ __forceinline__ uint32_t reserve_by_block(uint32_t *count,
                                                            bool wanted) {
    __shared__ uint32_t own, first;
    if (threadIdx.x == 0)
        own = 0;
    __syncthreads();
    const uint32_t at = gg_reserve(&own, wanted);
    __syncthreads();
    if (threadIdx.x == 0)
        first = own ? atomicAdd(count, own) : 0;
    __syncthreads();
    return first + at;
}

/* A root that no edge of the list leaves is not live until the next list, because no edge
** of this list leads to its tree. */
static __global__ void __launch_bounds__(GG_BLOCK)
    settle_roots(const __grid_constant__ forest f, int live) {
    const uint32_t count = f.state->live[live];
    for (uint64_t from = blockIdx.x * (uint64_t)GG_BLOCK; from < count;
         from += gridDim.x * (uint64_t)GG_BLOCK) {
        const uint64_t i = from + threadIdx.x;
        const uint32_t v = i < count ? f.live[live][i] : 0;
        const uint32_t to = i < count ? f.next[v] : 0;
        const bool stays = i < count && to == v && f.best[v] != NOWHERE;
        const uint32_t at = reserve_by_block(&f.state->live[1 - live], stays);
        if (stays) {
            f.live[1 - live][at] = v;
            f.best[v] = NOWHERE;
            if (!f.packed)
                f.best_edge[v] = NOWHERE;
        } else if (i < count) {
            f.parent[v] = to;
        }
        __syncthreads();
    }
}

static __global__ void compress_forest(const __grid_constant__ forest f) {
    for (uint64_t v = gg_thread(); v < f.edges.n; v += gg_threads_of_grid()) {
        uint32_t root = gg_peek(&f.parent[v]), above;
        while ((above = gg_peek(&f.parent[root])) != root)
            root = above;
        *(volatile uint32_t *)&f.parent[v] = root;
    }
}

/* ---- between two lists ---- */

/* One block: finds the most frequent root among the sources of GG_BLOCK edges that a hash
** selects. */
static __global__ void __launch_bounds__(GG_BLOCK)
    find_large_tree(const __grid_constant__ forest f) {
    __shared__ uint32_t root[GG_BLOCK];
    __shared__ word most;
    const uint64_t e = gg_fixed_hash(threadIdx.x + 1) % f.edges.m;
    const uint32_t own = f.parent[f.edges.source[e]];
    uint32_t alike = 0;
    root[threadIdx.x] = own;
    if (threadIdx.x == 0)
        most = 0;
    __syncthreads();
    for (uint32_t i = 0; i < GG_BLOCK; i++)
        alike += root[i] == own;
    atomicMax(&most, (word)alike << 32 | own);
    __syncthreads();
    if (threadIdx.x == 0)
        f.state->large = (uint32_t)most;
}

/* Marks the vertices of the large tree and lists all roots. The vertices of a warp fill a
** word. */
static __global__ void __launch_bounds__(GG_BLOCK)
    gather_trees(const __grid_constant__ forest f, int live) {
    const uint32_t large = f.state->large;
    for (uint64_t from = blockIdx.x * (uint64_t)GG_BLOCK; from < f.edges.n;
         from += gridDim.x * (uint64_t)GG_BLOCK) {
        const uint64_t v = from + threadIdx.x;
        const uint32_t root = v < f.edges.n ? f.parent[v] : 0;
        const unsigned bits = __ballot_sync(ALL_LANES, v < f.edges.n && root == large);
        if (gg_lane() == 0 && v < f.edges.n)
            f.large[v / 32] = bits;
        const bool lives = v < f.edges.n && root == (uint32_t)v;
        const uint32_t at = reserve_by_block(&f.state->live[live], lives);
        if (lives)
            f.live[live][at] = (uint32_t)v;
        __syncthreads();
    }
}

/* ---- rounds ---- */

/* Repeats until each next[v] is a root: usually two passes. */
static bool shorten_all(struct forest_course *c) {
    const struct forest *f = c->f;
    const unsigned blocks = grid(c, c->state.live[c->live]);
    for (;;) {
        for (int pass = 0; pass < 2; pass++)
            GG_LAUNCH(c->job, shorten_next, blocks, *f, c->live);
        if (!look_at_state(c) || !c->state.unfinished)
            return gg_going(c->job);
        gg_fill(c->job, &f->state->unfinished, 0, sizeof f->state->unfinished);
    }
}

static void settle_all(struct forest_course *c) {
    const uint32_t live = c->state.live[c->live];
    GG_LAUNCH(c->job, settle_roots, grid(c, live), *c->f, c->live);
    c->live = 1 - c->live;
    c->state.live[c->live] = live; /* an upper bound, until the host looks again */
}

bool gg_join_trees(struct forest_course *c) {
    const struct forest *f = c->f;
    gg_break_ties(c);
    for (;; c->rounds++) {
        GG_LAUNCH(c->job, choose_edges, grid(c, c->state.live[c->live]), *f, c->list,
                  c->live);
        if (!shorten_all(c))
            return false;
        if (c->state.listed[c->list] == 0)
            break;
        settle_all(c);
        gg_rename_list(c);
    }
    return GG_LAUNCH(c->job, compress_forest, grid(c, f->edges.n), *f);
}

void gg_begin_trees(struct forest_course *c) {
    GG_LAUNCH(c->job, plant_forest, grid(c, c->f->edges.n), *c->f);
    c->state.live[0] = c->f->edges.n;
}

void gg_gather_trees(struct forest_course *c) {
    const struct forest *f = c->f;
    gg_fill(c->job, &f->state->live[c->live], 0, sizeof f->state->live[c->live]);
    GG_LAUNCH(c->job, find_large_tree, 1, *f);
    GG_LAUNCH(c->job, gather_trees, grid(c, f->edges.n), *f, c->live);
    look_at_state(c);
}
