/* Lists of edges between trees. An edge gets on a list by its block's shared memory, so that blocks claim
** room for a thousand edges at a time. */
#include "spanning_forest.cuh"

enum {
    STAGED = 1536, /* edges that a block collects before it claims room in a list */
    TAKEN = 4      /* that a thread looks at in between, all at once */
};

/* ---- places ---- */

static __device__ __forceinline__ forest_place place_of(const forest &f, uint64_t e) {
    forest_place place = {0, e};
    if (f.kind == NARROW_WEIGHT)
        place.weight = ((const uint32_t *)f.edges.weight)[e];
    else if (f.kind == WHOLE_WEIGHT)
        place.weight = ((const uint64_t *)f.edges.weight)[e];
    else if (f.kind == REAL_WEIGHT)
        place.weight = (uint64_t)__double_as_longlong(
            ((const double *)f.edges.weight)[e] + 0.0); /* -0.0 + 0.0 is 0.0 */
    return place;
}

static __device__ __forceinline__ bool in_range(const forest &f, forest_place place) {
    return (f.first || gg_comes_before(f.low, place)) && !gg_comes_before(f.high, place);
}

template <bool packed> static __device__ __forceinline__ word key_of(forest_place place) {
    return packed ? (word)place.weight << 32 | place.edge : (word)place.weight;
}

/* Lanes that want it lower at[v] to key. Where many have the same v, as in a large tree, one does for
** all. All lanes of the warp call. */
static __device__ __forceinline__ void lower(word *at, uint32_t v, word key,
                                             bool wanted) {
    const unsigned mask = __ballot_sync(ALL_LANES, wanted);
    if (mask == 0)
        return;
    const int leader = __ffs(mask) - 1;
    const uint32_t common = __shfl_sync(ALL_LANES, v, leader);
    const unsigned alike = __ballot_sync(ALL_LANES, wanted && v == common);
    if (__popc(alike) > GG_WARP / 4) {
        const bool one = wanted && v == common;
        word least = one ? key : NOWHERE;
        for (int step = GG_WARP / 2; step > 0; step /= 2)
            least = min(least, __shfl_xor_sync(ALL_LANES, least, step));
        key = one ? least : key;
        wanted = wanted && (!one || (int)gg_lane() == leader);
    }
    if (wanted && gg_peek(&at[v]) > key)
        atomicMin(&at[v], key);
}

/* ---- lists ---- */

/* Edges on their way to a list, in the block's shared memory. */
struct staged_edges {
    uint32_t u[STAGED], v[STAGED];
    word key[STAGED];
    uint32_t count;
    word first; /* where they go */
};

template <bool packed>
static __device__ __forceinline__ void stage(staged_edges *s, word *staged_edge,
                                             uint32_t u, uint32_t v, word key, word edge,
                                             bool wanted) {
    const uint32_t at = gg_reserve(&s->count, wanted);
    if (!wanted)
        return;
    s->u[at] = u;
    s->v[at] = v;
    s->key[at] = key;
    if (!packed)
        staged_edge[at] = edge;
}

/* What has no room is counted all the same. All threads of the block call. */
template <bool packed>
static __device__ __forceinline__ void hand_over(staged_edges *s, const word *staged_edge,
                                                 const forest_list &list, word *listed,
                                                 uint64_t room) {
    __syncthreads();
    if (threadIdx.x == 0)
        s->first = atomicAdd(listed, (word)s->count);
    __syncthreads();
    const uint32_t count = s->count;
    for (uint32_t i = threadIdx.x; i < count; i += GG_BLOCK) {
        const word at = s->first + i;
        if (at >= room)
            break;
        list.u[at] = s->u[i];
        list.v[at] = s->v[i];
        list.key[at] = s->key[i];
        if (!packed)
            list.edge[at] = staged_edge[i];
    }
    __syncthreads();
    if (threadIdx.x == 0)
        s->count = 0;
    __syncthreads();
}

/* For each of `count` items: who passes `worth`, should it be on the list by look(i, &u, &v, &key, &edge)?
** What `worth` reads is asked for together for some items; most fail there. Who is listed lowers both roots'
** best. */
template <bool packed, typename worth_looking, typename looking>
static __device__ __forceinline__ void make_list(const forest &f, const forest_list &list,
                                                 word *listed, uint64_t count,
                                                 worth_looking worth, looking look) {
    __shared__ staged_edges s;
    __shared__ word staged_edge[packed ? 1 : STAGED];
    const uint64_t tile = TAKEN * GG_BLOCK;
    if (threadIdx.x == 0)
        s.count = 0;
    __syncthreads();
    for (uint64_t from = blockIdx.x * tile; from < count; from += gridDim.x * tile) {
        bool passes[TAKEN];
#pragma unroll
        for (uint32_t k = 0; k < TAKEN; k++) {
            const uint64_t i = from + k * GG_BLOCK + threadIdx.x;
            passes[k] = worth(i < count ? i : count - 1) & (i < count);
        }
#pragma unroll
        for (uint32_t k = 0; k < TAKEN; k++) {
            const uint64_t i = from + k * GG_BLOCK + threadIdx.x;
            uint32_t u = 0, v = 0;
            word key = 0, edge = 0;
            if (__ballot_sync(ALL_LANES, passes[k]) == 0)
                continue;
            const bool wanted = passes[k] && look(i, &u, &v, &key, &edge);
            stage<packed>(&s, staged_edge, u, v, key, edge, wanted);
            lower(f.best, u, key, wanted);
            lower(f.best, v, key, wanted);
        }
        __syncthreads();
        const bool full = s.count > STAGED - tile;
        __syncthreads(); /* all have read it */
        if (full)
            hand_over<packed>(&s, staged_edge, list, listed, f.room);
    }
    hand_over<packed>(&s, staged_edge, list, listed, f.room);
}

/* Every vertex a tree. */
template <bool packed>
static __global__ void __launch_bounds__(GG_BLOCK)
    list_first_edges(const __grid_constant__ forest f) {
    make_list<packed>(
        f, f.list[0], &f.state->listed[0], f.edges.m,
        [&](uint64_t e) { return in_range(f, place_of(f, e)); },
        [&](uint64_t e, uint32_t *u, uint32_t *v, word *key, word *edge) {
            *u = f.edges.source[e];
            *v = f.edges.target[e];
            *key = key_of<packed>(place_of(f, e));
            *edge = e;
            return *u != *v;
        });
}

static __device__ __forceinline__ bool in_large_tree(const forest &f, uint32_t v) {
    return (f.large[v / 32] >> v % 32 & 1) != 0;
}

/* Every vertex points to its root. */
template <bool packed>
static __global__ void __launch_bounds__(GG_BLOCK)
    list_later_edges(const __grid_constant__ forest f) {
    make_list<packed>(
        f, f.list[0], &f.state->listed[0], f.edges.m,
        [&](uint64_t e) {
            const bool source = in_large_tree(f, f.edges.source[e]),
                       target = in_large_tree(f, f.edges.target[e]);
            return !(source & target);
        },
        [&](uint64_t e, uint32_t *u, uint32_t *v, word *key, word *edge) {
            const forest_place place = place_of(f, e);
            *u = f.parent[f.edges.source[e]];
            *v = f.parent[f.edges.target[e]];
            *key = key_of<packed>(place);
            *edge = e;
            return *u != *v && in_range(f, place);
        });
}

template <bool packed>
static __global__ void __launch_bounds__(GG_BLOCK)
    rename(const __grid_constant__ forest f, int from) {
    const forest_list old = f.list[from];
    make_list<packed>(
        f, f.list[1 - from], &f.state->listed[1 - from], f.state->listed[from],
        [&](uint64_t i) { return f.parent[old.u[i]] != f.parent[old.v[i]]; },
        [&](uint64_t i, uint32_t *u, uint32_t *v, word *key, word *edge) {
            *u = f.parent[old.u[i]];
            *v = f.parent[old.v[i]];
            *key = old.key[i];
            *edge = packed ? 0 : old.edge[i];
            return true;
        });
}

/* Of the edges with the smallest weight the one with the smallest number. */
static __global__ void settle_ties(const __grid_constant__ forest f, int from) {
    const forest_list list = f.list[from];
    const uint64_t count = f.state->listed[from], whole = gg_whole_warps(count);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        const bool there = i < count;
        const uint32_t u = there ? list.u[i] : 0, v = there ? list.v[i] : 0;
        const word key = there ? list.key[i] : 0, edge = there ? list.edge[i] : 0;
        lower(f.best_edge, u, edge, there && f.best[u] == key);
        lower(f.best_edge, v, edge, there && f.best[v] == key);
    }
}

static __global__ void forget_best(const __grid_constant__ forest f, int live) {
    const uint32_t count = f.state->live[live];
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        f.best[f.live[live][i]] = NOWHERE;
}

/* A thread per edge of the sample, which may be listed; else its place is NOWHERE. */
static __global__ void draw(const __grid_constant__ forest f, uint32_t count,
                            uint64_t salt) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        const uint64_t e = gg_mix(i + 1 + salt) % f.edges.m;
        const forest_place place = place_of(f, e), none = {NOWHERE, NOWHERE};
        const bool apart = f.parent[f.edges.source[e]] != f.parent[f.edges.target[e]];
        f.sample[i] = apart && (f.first || gg_comes_before(f.low, place)) ? place : none;
    }
}

/* ---- which edges ---- */

static bool list_in_range(struct forest_course *c) {
    const struct forest *f = c->f;
    const unsigned blocks = grid(c, f->edges.m / TAKEN);
    c->list = 0;
    c->lists++;
    gg_fill(c->job, &f->state->listed[0], 0, sizeof f->state->listed[0]);
    if (f->packed && f->first)
        list_first_edges<true><<<blocks, GG_BLOCK, 0, c->job->stream>>>(*f);
    else if (f->packed)
        list_later_edges<true><<<blocks, GG_BLOCK, 0, c->job->stream>>>(*f);
    else if (f->first)
        list_first_edges<false><<<blocks, GG_BLOCK, 0, c->job->stream>>>(*f);
    else
        list_later_edges<false><<<blocks, GG_BLOCK, 0, c->job->stream>>>(*f);
    gg_launched(c->job, "list_edges");
    return look(c);
}

/* About half of the range that there was; of one edge: that. */
static void halve_range(struct forest *f) {
    const struct forest_place low = f->first ? forest_place{0, 0} : f->low;
    struct forest_place *high = &f->high;
    if (high->edge > f->edges.m)
        high->edge = f->edges.m;
    if (high->weight - low.weight > 1)
        *high = {low.weight + (high->weight - low.weight) / 2, f->edges.m};
    else if (high->weight > low.weight && low.edge < f->edges.m)
        *high = {low.weight, f->edges.m};
    else if (high->weight > low.weight)
        high->edge /= 2;
    else
        high->edge = low.edge + (high->edge - low.edge) / 2;
}

/* The share of all edges that the next list is to have: a few for each vertex on the first one, then what there is
** room for, since a later list mostly has all that are left, and each list costs a look at all edges. A sample errs. */
static double share_to_list(const struct forest *f) {
    const double m = (double)f->edges.m;
    if (gg_first_share(f->edges.n, f->edges.m) >= 1)
        return 1;
    return f->first ? GG_FOREST_FIRST * (double)f->edges.n / m
                    : GG_FOREST_FILL * (double)f->room / m;
}

/* Of a sample, those that may be listed: so many edges of all are to be. Returns the place's number among
** them, and moves them to the front; all may come: *places is 0. */
static uint32_t choose_high(struct forest_course *c, struct forest_place *place,
                            uint32_t *places) {
    struct forest *f = c->f;
    const double share = share_to_list(f);
    const uint32_t count = gg_forest_limits.sample;
    uint32_t found = 0;
    f->high = {NOWHERE, NOWHERE};
    *places = 0;
    if (share >= 1)
        return 0;
    draw<<<grid(c, count), GG_BLOCK, 0, c->job->stream>>>(*f, count, c->lists * 4096ull);
    if (!gg_launched(c->job, "draw") ||
        !gg_download(c->job, place, f->sample, count * sizeof *place))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (place[i].edge != NOWHERE)
            place[found++] = place[i];
    *places = found;
    const uint32_t number = (uint32_t)(share * count);
    if (number < found)
        f->high = gg_place_at(place, found, number);
    return number < found ? number : found;
}

/* Lists that do not fit are made again of fewer edges. */
bool gg_make_next_list(struct forest_course *c) {
    struct forest *f = c->f;
    struct forest_place place[GG_FOREST_SAMPLE];
    uint32_t places, number = choose_high(c, place, &places);
    while (gg_going(c->job) && list_in_range(c) && c->state.listed[0] > f->room) {
        number /= 2;
        if (number > 0 && places > 0)
            f->high = gg_place_at(place, places, number);
        else
            halve_range(f);
        forget_best<<<grid(c, c->state.live[c->live]), GG_BLOCK, 0, c->job->stream>>>(
            *f, c->live);
        gg_launched(c->job, "forget_best");
    }
    return gg_going(c->job);
}

/* ---- lists that are there ---- */

void gg_break_ties(struct forest_course *c) {
    if (c->f->packed)
        return;
    settle_ties<<<grid(c, c->state.listed[c->list]), GG_BLOCK, 0, c->job->stream>>>(
        *c->f, c->list);
    gg_launched(c->job, "settle_ties");
}

void gg_rename_list(struct forest_course *c) {
    const uint64_t listed = c->state.listed[c->list];
    const unsigned blocks = grid(c, listed / TAKEN);
    if (c->f->packed)
        rename<true><<<blocks, GG_BLOCK, 0, c->job->stream>>>(*c->f, c->list);
    else
        rename<false><<<blocks, GG_BLOCK, 0, c->job->stream>>>(*c->f, c->list);
    gg_launched(c->job, "rename");
    c->list = 1 - c->list;
    c->state.listed[c->list] = listed; /* at most, until the host looks again */
    gg_break_ties(c);
}
