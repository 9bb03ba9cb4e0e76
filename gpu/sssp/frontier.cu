/* Shortest paths on the device, engine "frontier"; sssp.cu beside this has the call.
**
**     distance   0 ........ before ........ threshold .................. unreached
**                  final          near: relaxed now    far: piled up
**
**     slices     near vertices whose distance fell: the frontier
**        |  relax     an atomic minimum for each arc; who lowers a vertex first in this
**        |            round puts it into the list
**     found      vertices that fell, each once
**        |  update    below the threshold: into the next frontier; else onto the pile
**     far        each vertex at most once; an entry is stale when its vertex became near
**        |  split     when no near vertex is left: before = threshold, the threshold
**     slices          moves on by delta from the least far one, the pile is gone through
**
** Near and far after Davidson, Baxter, Garland, Owens (IPDPS 2014). Distances only fall
** and end as the least fixpoint, so they are the same to the bit as the CPU's. All three
** kernels of a round are queued many rounds ahead; what there is to do is decided by
** struct state on the device.
**
** A sum that leaves the range is dropped and noted; the rare search that notes one is
** settled by the CPU backend, which knows the sentence to say. */
#include "graph/frontier.cuh"
#include "sssp.cuh"

#include <stdio.h>

enum {
    WALK_BLOCKS = 8, /* for each multiprocessor */
    LIST_BLOCKS = 2
};

struct state {
    uint32_t frontier; /* slices of near vertices to be relaxed */
    uint32_t slices;   /* being collected */
    uint32_t found;
    uint32_t round;
    uint32_t far[2], side; /* entries of both piles, which one is in use */
    uint32_t ticket;
    uint32_t over, early; /* early: every target is final, or as many as the limit says */
    uint32_t dropped;     /* a sum was over `most` */
    uint32_t splits;
    unsigned long long before, threshold;
    unsigned long long far_min; /* at most the least distance in the pile */
    unsigned long long settled; /* vertices below `before`, when they were counted last */
    uint64_t served;
};

template <typename type> struct sssp {
    struct state *state;
    typename type::word *distance;
    uint32_t *fell; /* the round in which a vertex last came into the list */
    uint32_t *found, *far, *other_far;
    uint32_t *ends;  /* sources, then targets */
    uint8_t *in_far; /* the vertex has an entry in the pile */
    uint64_t *slice;
};

/* ---- kernels ---- */

/* One thread per source, repeats allowed. */
template <typename type>
static __global__ void seed(struct sssp<type> s, struct bounds<type> bounds) {
    uint64_t whole = gg_whole_warps(bounds.sources);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        bool live = i < bounds.sources && !bounds.none;
        uint32_t v = live ? s.ends[i] : 0;
        bool fresh = live && atomicExch(&s.distance[v], (typename type::word)0) != 0;
        uint32_t at = gg_reserve(&s.state->found, fresh);
        if (fresh)
            s.found[at] = v;
    }
    if (gg_thread() == 0) {
        s.state->threshold = bounds.delta;
        s.state->far_min = ~0ull;
        s.state->round = 1;
    }
}

/* The block walks a tile of the frontier's arcs: one thread per arc. */
template <typename type>
static __global__ void __launch_bounds__(GG_BLOCK)
    relax(device_csr g, struct sssp<type> s, struct bounds<type> bounds) {
    typedef typename type::word word;
    const typename type::weight *weight =
        static_cast<const typename type::weight *>(g.weight);
    struct state *state = s.state;
    const uint32_t round = state->round, frontier = state->frontier;
    gg_walk<word>(
        g, s.slice, frontier, [&](uint32_t u) { return gg_peek(&s.distance[u]); },
        [&](word from, uint64_t arc, bool live) {
            bool fresh = false;
            uint32_t v = 0;
            if (live) {
                v = g.target[arc];
                word sum = type::add(from, weight[arc]);
                if (sum > bounds.most) {
                    if (!bounds.tight)
                        state->dropped = 1;
                } else if (sum < gg_peek(&s.distance[v]) &&
                           sum < atomicMin(&s.distance[v], sum)) {
                    fresh = atomicExch(&s.fell[v], round) != round;
                }
            }
            uint32_t at = gg_reserve(&state->found, fresh);
            if (fresh)
                s.found[at] = v;
        });
}

static __device__ __forceinline__ void lower(unsigned long long *least,
                                             unsigned long long value) {
    if (value < gg_peek(least))
        atomicMin(least, value);
}

/* Is some target not final? The whole block asks. */
template <typename type>
static __device__ bool targets_wait(struct sssp<type> s, struct bounds<type> bounds,
                                    unsigned long long threshold) {
    bool waits = bounds.targets == 0;
    for (uint32_t i = threadIdx.x; i < bounds.targets && !waits; i += GG_BLOCK)
        waits = s.distance[s.ends[bounds.sources + i]] >= threshold;
    return __syncthreads_or(waits);
}

/* The round is complete: by the last block. Where nothing near is left, the threshold
** moves on, or the search is over. */
template <typename type>
static __device__ void end_round(struct sssp<type> s, struct bounds<type> bounds) {
    struct state *state = s.state;
    const uint32_t slices = gg_peek(&state->slices);
    const uint32_t far = gg_peek(&state->far[state->side]);
    const unsigned long long threshold = state->threshold;
    bool idle = slices == 0, waits = true;
    __syncthreads(); /* all have read before one writes */
    if (idle)
        waits = targets_wait(s, bounds, threshold);
    if (threadIdx.x != 0)
        return;
    state->served += gg_peek(&state->found);
    state->frontier = slices;
    state->slices = state->found = 0;
    state->round++;
    state->over = gg_told_to_stop(bounds.stop, slices);
    if (!idle)
        return;
    state->before = threshold;
    state->over = far == 0 || !waits;
    state->early = far != 0 && !waits;
    unsigned long long least = gg_peek(&state->far_min);
    least = least > threshold ? least : threshold;
    state->threshold = gg_beyond<type>((typename type::word)least, bounds.delta);
    state->far_min = ~0ull;
}

/* One thread per vertex that fell. */
template <typename type>
static __global__ void __launch_bounds__(GG_BLOCK)
    update(device_csr g, struct sssp<type> s, struct bounds<type> bounds) {
    struct state *state = s.state;
    if (state->over)
        return;
    const uint64_t found = state->found;
    const uint32_t side = state->side;
    uint32_t *pile = side ? s.other_far : s.far;
    const unsigned long long threshold = state->threshold;
    uint64_t whole = gg_whole_warps(found);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        bool live = i < found;
        uint32_t v = live ? s.found[i] : 0;
        unsigned long long distance = s.distance[v];
        bool near = live && distance < threshold, fresh = false;
        if (live && !near) {
            lower(&state->far_min, distance);
            fresh = !s.in_far[v];
            s.in_far[v] = 1;
        }
        uint32_t at = gg_reserve(&state->far[side], fresh);
        if (fresh)
            pile[at] = v;
        gg_append_slices(g, v, near, s.slice, &state->slices);
    }
    if (gg_last_block(&state->ticket))
        end_round(s, bounds);
}

/* One thread per entry of the pile, when the threshold has moved. */
template <typename type>
static __global__ void __launch_bounds__(GG_BLOCK)
    split(device_csr g, struct sssp<type> s) {
    struct state *state = s.state;
    if (state->over || state->frontier != 0)
        return;
    const uint32_t side = state->side;
    const uint32_t *pile = side ? s.other_far : s.far;
    uint32_t *next_pile = side ? s.far : s.other_far;
    const uint64_t entries = state->far[side];
    const unsigned long long before = state->before, threshold = state->threshold;
    uint64_t whole = gg_whole_warps(entries);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        bool live = i < entries;
        uint32_t v = live ? pile[i] : 0;
        unsigned long long distance = s.distance[v];
        bool stays = live && distance >= threshold;
        bool near = live && distance >= before && !stays;
        if (stays)
            lower(&state->far_min, distance);
        else if (live)
            s.in_far[v] = 0;
        uint32_t at = gg_reserve(&state->far[1 - side], stays);
        if (stays)
            next_pile[at] = v;
        gg_append_slices(g, v, near, s.slice, &state->slices);
    }
    if (gg_last_block(&state->ticket) && threadIdx.x == 0) {
        state->frontier = gg_peek(&state->slices);
        state->slices = 0;
        state->far[side] = 0;
        state->side = 1 - side;
        state->splits++;
    }
}

/* One thread per vertex: how many are final. */
template <typename type>
static __global__ void count_final(struct sssp<type> s, uint32_t n) {
    const unsigned long long before = s.state->before;
    uint32_t mine = 0;
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        mine += s.distance[v] < before;
    mine = __reduce_add_sync(ALL_LANES, mine);
    if (gg_lane() == 0 && mine > 0)
        atomicAdd(&s.state->settled, (unsigned long long)mine);
}

/* ---- driver ---- */

template <typename type>
static void carve(struct workspace *space, const struct sssp_search *search,
                  struct sssp<type> *s) {
    uint64_t n = search->g.n;
    s->state = gg_carve<struct state>(space, 1);
    s->slice = gg_carve<uint64_t>(space, gg_slices_at_most(search->g.n, search->g.m));
    s->fell = gg_carve<uint32_t>(space, n);
    s->found = gg_carve<uint32_t>(space, n);
    s->far = gg_carve<uint32_t>(space, n);
    s->other_far = gg_carve<uint32_t>(space, n);
    s->in_far = gg_carve<uint8_t>(space, n);
    s->distance = static_cast<typename type::word *>(search->distance);
    s->ends = search->ends;
}

template <typename type>
static bool start(struct cuda_job *job, const struct device_csr *g,
                  struct bounds<type> bounds, struct sssp<type> *s) {
    gg_fill(job, s->state, 0, sizeof *s->state);
    gg_fill(job, s->fell, 0, (uint64_t)g->n * sizeof *s->fell);
    gg_fill(job, s->in_far, 0, g->n);
    if (!gg_going(job))
        return false;
    gg_forget<type>
        <<<gg_grid(job, g->n, 16), GG_BLOCK, 0, job->stream>>>(s->distance, g->n);
    gg_launched(job, "gg_forget");
    unsigned grid = gg_grid(job, bounds.sources, LIST_BLOCKS);
    seed<<<grid, GG_BLOCK, 0, job->stream>>>(*s, bounds);
    gg_launched(job, "seed");
    update<<<grid, GG_BLOCK, 0, job->stream>>>(*g, *s, bounds);
    return gg_launched(job, "update");
}

/* Ends a search with a limit: where the threshold has moved on since the last look, what is
** final is counted. */
template <typename type>
static void look_at_limit(struct cuda_job *job, const struct device_csr *g,
                          const struct sssp<type> *s, uint64_t limit,
                          unsigned long long *looked, struct state *state) {
    if (limit == 0 || state->over || state->before == *looked)
        return;
    *looked = state->before;
    gg_fill(job, &s->state->settled, 0, sizeof state->settled);
    count_final<<<gg_grid(job, g->n, 16), GG_BLOCK, 0, job->stream>>>(*s, g->n);
    if (gg_launched(job, "count_final") &&
        gg_fetch(job, &state->settled, &s->state->settled, sizeof state->settled))
        state->early = state->settled >= limit;
}

template <typename type>
static bool run_rounds(struct cuda_job *job, const struct device_csr *g,
                       struct bounds<type> bounds, uint64_t limit,
                       const struct sssp<type> *s, struct state *state) {
    unsigned long long looked = 0;
    unsigned walk = gg_grid(job, (uint64_t)g->n + g->m, WALK_BLOCKS);
    unsigned list = gg_grid(job, g->n, LIST_BLOCKS);
    auto queue_round = [&] {
        split<<<list, GG_BLOCK, 0, job->stream>>>(*g, *s);
        gg_launched(job, "split");
        relax<<<walk, GG_BLOCK, 0, job->stream>>>(*g, *s, bounds);
        gg_launched(job, "relax");
        update<<<list, GG_BLOCK, 0, job->stream>>>(*g, *s, bounds);
        gg_launched(job, "update");
    };
    return gg_run_rounds(job, state, s->state, sizeof *state, queue_round, [&] {
        look_at_limit(job, g, s, limit, &looked, state);
        return state->over || state->early;
    });
}

template <typename type>
static bool search_graph(struct cuda_job *job, struct sssp_search *search,
                         struct workspace *space) {
    struct sssp<type> s;
    struct state state;
    struct bounds<type> bounds = gg_bounds<type>(search);
    carve(space, search, &s);
    if (!start(job, &search->g, bounds, &s) ||
        !run_rounds(job, &search->g, bounds, search->wanted->limit, &s, &state))
        return false;
    search->dropped = state.dropped;
    search->early = state.early;
    search->final_below = state.before;
    search->served = state.served;
    snprintf(search->more, sizeof search->more, "%u rounds, %u thresholds",
             state.round - 1, state.splits + 1);
    return true;
}

uint64_t gg_sssp_frontier_bytes(const struct sssp_search *s) {
    struct workspace space = {NULL, 0};
    struct sssp<integer32> any;
    carve(&space, s, &any);
    return space.used;
}

bool gg_sssp_frontier(struct cuda_job *job, struct sssp_search *s,
                      struct workspace *space) {
    if (s->type == GPUGRAPH_UINT32)
        return search_graph<integer32>(job, s, space);
    if (s->type == GPUGRAPH_UINT64)
        return search_graph<integer64>(job, s, space);
    return search_graph<real>(job, s, space);
}
