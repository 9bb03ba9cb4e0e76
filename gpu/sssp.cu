/* Shortest paths on the device, method "frontier"; sssp.c beside this has the meaning and
** the CPU backend.
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
#include "cuda.cuh"
#include "distance.cuh"
#include "frontier.cuh"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WALK_BLOCKS = 8, /* for each multiprocessor */
    LIST_BLOCKS = 2,
    WEIGHTS_LOOKED_AT = 512
};

/* Typical weights between two thresholds, divided by the average degree where that is
** over 1. */
#define DELTA_WEIGHTS 32.0

struct state {
    uint32_t frontier; /* slices of near vertices to be relaxed */
    uint32_t slices;   /* being collected */
    uint32_t found;
    uint32_t round;
    uint32_t far[2], side; /* entries of both piles, which one is in use */
    uint32_t ticket;
    uint32_t over, early; /* early: every target is final */
    uint32_t dropped;     /* a sum was over `most` */
    uint32_t splits;
    unsigned long long before, threshold;
    unsigned long long far_min; /* at most the least distance in the pile */
    uint64_t served;
};

template <typename type> struct sssp {
    struct state *state;
    typename type::word *distance;
    uint32_t *fell; /* the round in which a vertex last came into the list */
    uint32_t *found, *far, *other_far, *tree, *scratch;
    uint32_t *ends;  /* sources, then targets */
    uint8_t *in_far; /* the vertex has an entry in the pile */
    uint64_t *slice;
};

template <typename type> struct bounds {
    typename type::word most;  /* no distance is larger */
    typename type::word delta; /* between thresholds */
    bool tight;                /* `most` is the caller's bound, not the type's range */
    bool none;                 /* not even a source is near enough */
    uint32_t sources, targets;
    const uint32_t *stop; /* set by the host after an interrupt */
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

/* One thread per vertex: what is not final after an early end is not reached. */
template <typename type>
static __global__ void keep_final(typename type::word *distance, uint32_t n,
                                  unsigned long long before) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        if (distance[v] >= before)
            distance[v] = type::unreached();
}

/* One thread per vertex: nothing is reached. */
template <typename type>
static __global__ void forget(typename type::word *distance, uint32_t n) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        distance[v] = type::unreached();
}

/* ---- bounds ---- */

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the positive ones among some weights, spread over all; 0 without any. */
template <typename type> static double typical_weight(const gpugraph_graph *graph) {
    const typename type::weight *weight =
        static_cast<const typename type::weight *>(graph->weight);
    double sample[WEIGHTS_LOOKED_AT];
    uint64_t step = graph->m / WEIGHTS_LOOKED_AT + 1;
    size_t count = 0;
    for (uint64_t e = 0; e < graph->m; e += step)
        if (weight[e] > 0)
            sample[count++] = (double)weight[e];
    qsort(sample, count, sizeof *sample, compare_doubles);
    return count ? sample[count / 2] : 0;
}

static bounds<integer32> range_of(integer32, const gpugraph_search *search) {
    bounds<integer32> b = {UINT32_MAX - 1, 0, false, false, 0, 0, NULL};
    b.tight = search->bounded && search->max_distance < b.most;
    if (b.tight)
        b.most = (uint32_t)search->max_distance;
    return b;
}

static bounds<integer64> range_of(integer64, const gpugraph_search *search) {
    bounds<integer64> b = {INT64_MAX, 0, false, false, 0, 0, NULL};
    b.tight = search->bounded && search->max_distance < b.most;
    if (b.tight)
        b.most = search->max_distance;
    return b;
}

static bounds<real> range_of(real, const gpugraph_search *search) {
    bounds<real> b = {real::from_real(DBL_MAX), 0, false, false, 0, 0, NULL};
    b.tight = search->bounded && search->max_real_distance < DBL_MAX;
    b.none = b.tight && search->max_real_distance < 0;
    if (b.tight && search->max_real_distance > 0)
        b.most = real::from_real(search->max_real_distance);
    else if (b.tight)
        b.most = 0;
    return b;
}

template <typename type>
static bounds<type> bounds_of(const gpugraph_graph *graph,
                              const gpugraph_search *search) {
    bounds<type> b = range_of(type(), search);
    double degree = graph->n ? (double)graph->m / graph->n : 0;
    double delta =
        typical_weight<type>(graph) * DELTA_WEIGHTS / (degree > 1 ? degree : 1);
    b.delta = type::from_real(delta > 0 && delta < DBL_MAX ? delta : 1);
    if (b.delta == 0)
        b.delta = 1;
    b.sources = search->source_count;
    b.targets = search->target_count;
    return b;
}

/* ---- driver ---- */

template <typename type>
static void carve(struct workspace *space, const struct device_csr *g,
                  const gpugraph_search *search, bool tree, struct sssp<type> *s) {
    uint64_t ends = (uint64_t)search->source_count + search->target_count;
    s->state = gg_carve<struct state>(space, 1);
    s->distance = gg_carve<typename type::word>(space, g->n);
    s->slice = gg_carve<uint64_t>(space, gg_slices_at_most(g->n, g->m));
    s->fell = gg_carve<uint32_t>(space, g->n);
    s->found = gg_carve<uint32_t>(space, g->n);
    s->far = gg_carve<uint32_t>(space, g->n);
    s->other_far = gg_carve<uint32_t>(space, g->n);
    s->in_far = gg_carve<uint8_t>(space, g->n);
    s->ends = gg_carve<uint32_t>(space, ends);
    s->tree = gg_carve<uint32_t>(space, tree ? g->n : 0);
    s->scratch = gg_carve<uint32_t>(space, tree ? (uint64_t)g->n / 32 + 2 : 0);
}

template <typename type>
static bool start(struct cuda_job *job, const struct device_csr *g,
                  const gpugraph_search *search, struct bounds<type> bounds,
                  struct sssp<type> *s) {
    gg_fill(job, s->state, 0, sizeof *s->state);
    gg_fill(job, s->fell, 0, (uint64_t)g->n * sizeof *s->fell);
    gg_fill(job, s->in_far, 0, g->n);
    gg_upload(job, s->ends, search->source,
              (uint64_t)search->source_count * sizeof *s->ends);
    gg_upload(job, s->ends + search->source_count, search->target,
              (uint64_t)search->target_count * sizeof *s->ends);
    if (!gg_going(job))
        return false;
    forget<type><<<gg_grid(job, g->n, 16), GG_BLOCK, 0, job->stream>>>(s->distance, g->n);
    gg_launched(job, "forget");
    unsigned grid = gg_grid(job, bounds.sources, LIST_BLOCKS);
    seed<<<grid, GG_BLOCK, 0, job->stream>>>(*s, bounds);
    gg_launched(job, "seed");
    update<<<grid, GG_BLOCK, 0, job->stream>>>(*g, *s, bounds);
    return gg_launched(job, "update");
}

template <typename type>
static bool run_rounds(struct cuda_job *job, const struct device_csr *g,
                       struct bounds<type> bounds, const struct sssp<type> *s,
                       struct state *state) {
    unsigned walk = gg_grid(job, (uint64_t)g->n + g->m, WALK_BLOCKS);
    unsigned list = gg_grid(job, g->n, LIST_BLOCKS);
    int rounds = FIRST_ROUNDS;
    do {
        double began = gg_now_ms();
        for (int i = 0; i < rounds && gg_going(job); i++) {
            split<<<list, GG_BLOCK, 0, job->stream>>>(*g, *s);
            gg_launched(job, "split");
            relax<<<walk, GG_BLOCK, 0, job->stream>>>(*g, *s, bounds);
            gg_launched(job, "relax");
            update<<<list, GG_BLOCK, 0, job->stream>>>(*g, *s, bounds);
            gg_launched(job, "update");
        }
        if (!gg_fetch(job, state, s->state, sizeof *state))
            return false;
        rounds = gg_more_rounds(rounds, gg_now_ms() - began);
    } while (!state->over);
    return true;
}

/* Tree edges, on the device but for ties, which *ties leaves to the host. */
template <typename type>
static bool bring_back(struct cuda_job *job, const gpugraph_search *search,
                       const struct sssp<type> *s, void *distance, uint32_t *tree_edge,
                       uint32_t *ties) {
    uint64_t n = job->graph->n;
    *ties = 0;
    if (tree_edge) {
        double started = gg_now_ms();
        if (!gg_device_distance_tree(job, search, s->distance, s->ends, s->tree, ties,
                                     s->scratch))
            return false;
        if (*ties == 0)
            gg_phase(job->run, "parents", started, job->graph->m, "on the device");
    }
    double started = gg_now_ms();
    bool edges = tree_edge && *ties == 0;
    if (!gg_download(job, distance, s->distance, n * sizeof *s->distance) ||
        (edges && !gg_download(job, tree_edge, s->tree, n * sizeof *tree_edge)))
        return false;
    gg_phase(job->run, "download", started, (int64_t)n, "distances%s",
             edges ? " and tree edges" : "");
    return true;
}

/* What is left to the host once the device is given back. */
struct leftover {
    bool search; /* a sum left the range */
    uint32_t ties;
};

template <typename type>
static void search_graph(struct cuda_job *job, const gpugraph_search *search,
                         void *distance, uint32_t *tree_edge, struct leftover *left) {
    struct device_csr g;
    struct workspace space = {NULL, 0};
    struct sssp<type> s;
    struct state state;
    struct bounds<type> bounds = bounds_of<type>(job->graph, search);
    bounds.stop = job->device->device_stop;
    if (!gg_device_csr(job, (enum csr_kind)gg_forward_kind(search->direction), true, &g))
        return;
    double started = gg_now_ms();
    carve(&space, &g, search, tree_edge != NULL, &s);
    if (!gg_workspace(job, &space))
        return;
    carve(&space, &g, search, tree_edge != NULL, &s);
    if (!start(job, &g, search, bounds, &s) || !run_rounds(job, &g, bounds, &s, &state))
        return;
    left->search = state.dropped && !state.early;
    if (left->search)
        return;
    if (state.early) {
        keep_final<type><<<gg_grid(job, g.n, 16), GG_BLOCK, 0, job->stream>>>(
            s.distance, g.n, state.before);
        gg_launched(job, "keep_final");
    }
    char more[100];
    snprintf(more, sizeof more, "%u rounds, %u thresholds", state.round - 1,
             state.splits + 1);
    gg_search_phase(job->run, started, (int64_t)state.served, more);
    bring_back(job, search, &s, distance, tree_edge, &left->ties);
}

gpugraph_status gg_cuda_sssp(gpugraph_graph *graph, const gpugraph_search *search,
                             gpugraph_run *run, void *distance, uint32_t *tree_edge) {
    struct cuda_job job;
    struct leftover left = {false, 0};
    if (!gg_job_open(&job, graph, run))
        return run->status;
    if (graph->distance_type == GPUGRAPH_UINT32)
        search_graph<integer32>(&job, search, distance, tree_edge, &left);
    else if (graph->distance_type == GPUGRAPH_UINT64)
        search_graph<integer64>(&job, search, distance, tree_edge, &left);
    else
        search_graph<real>(&job, search, distance, tree_edge, &left);
    if (gg_job_close(&job))
        return run->status;
    if (left.search) {
        run->used_backend = gg_cpu_backend.name;
        snprintf(run->why, sizeof run->why,
                 "a sum left the range of distances on the device: the host settles it");
        return gg_cpu_sssp(graph, search, run, distance, tree_edge);
    }
    if (left.ties > 0)
        return gg_distance_tree(graph, search, run, distance, tree_edge);
    return GPUGRAPH_OK;
}
