/* Lists of edges between trees.
**
**     edges         u0 v0 w0  u1 v1 w1  u2 v2 w2 ...     as many as a list has space for
**                      |  sift: one look at each, by the pivot or the large tree
**     list[1]       edges that may be wanted
**                      |  list_first_edges, list_later_edges: roots, weights, the order
**     list[0]       edges that are wanted
**
** Most edges fail at the first look. If the second look were in the same kernel, a warp
** would make it for only about three of its lanes. Edges reach a list through the shared
** memory of their block, so a block claims space for a thousand edges at a time. */
#include "spanning_forest.cuh"
#include "base/warp.h"

enum {
    STAGED = 1536, /* edges that a block collects before it claims space in a list */
    TAKEN = 4,     /* edges that a thread looks at together before it checks the space */
    FOUR = 4,      /* edges that a thread reads by one load */
    SIFTED = 8,    /* edges that a thread looks at together when most fail */
    WARPS = GG_BLOCK / GG_WARP
};

/* ---- keys ---- */

template <bool packed> static __device__ __forceinline__ word key_of(forest_place place) {
    return packed ? (word)place.weight << 32 | place.edge : (word)place.weight;
}

/* The caller lowers the key of a root to *key for each lane with `wanted`. If many lanes
** have the same root, as in a large tree, one lane does it for all. Returns whether this
** lane lowers a key. All lanes of the warp call. */
static __device__ __forceinline__ bool speaks(uint32_t root, word *key, bool wanted) {
    const unsigned mask = __ballot_sync(ALL_LANES, wanted);
    if (mask == 0)
        return false;
    const int leader = __ffs(mask) - 1;
    const uint32_t common = __shfl_sync(ALL_LANES, root, leader);
    const bool one = wanted && root == common;
    if (__popc(__ballot_sync(ALL_LANES, one)) <= GG_WARP / 4)
        return wanted;
    word least = one ? *key : NOWHERE;
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        least = min(least, __shfl_xor_sync(ALL_LANES, least, step));
    *key = one ? least : *key;
    return wanted && (!one || (int)gg_lane() == leader);
}

static __device__ __forceinline__ void lower_best(word *at, uint32_t root, word key,
                                                  bool wanted) {
    if (speaks(root, &key, wanted) && gg_peek(&at[root]) > key)
        atomicMin(&at[root], key);
}

/* An edge that may connect the trees of u and v. */
struct candidate {
    uint32_t u, v;
    word key, edge;
    bool wanted;
};

/* Lowers the keys of both roots of each candidate. All keys are loaded before the first
** is lowered. */
static __device__ __forceinline__ void lower_all(word *best,
                                                 const candidate (&c)[TAKEN]) {
    word key[TAKEN][2], now[TAKEN][2];
    bool lowers[TAKEN][2];
#pragma unroll
    for (uint32_t k = 0; k < TAKEN; k++) {
        key[k][0] = key[k][1] = c[k].key;
        lowers[k][0] = speaks(c[k].u, &key[k][0], c[k].wanted);
        lowers[k][1] = speaks(c[k].v, &key[k][1], c[k].wanted);
    }
#pragma unroll
    for (uint32_t k = 0; k < TAKEN; k++) {
        now[k][0] = lowers[k][0] ? gg_peek(&best[c[k].u]) : 0;
        now[k][1] = lowers[k][1] ? gg_peek(&best[c[k].v]) : 0;
    }
#pragma unroll
    for (uint32_t k = 0; k < TAKEN; k++) {
        if (now[k][0] > key[k][0])
            atomicMin(&best[c[k].u], key[k][0]);
        if (now[k][1] > key[k][1])
            atomicMin(&best[c[k].v], key[k][1]);
    }
}

/* ---- lists ---- */

/* Edges on their way to a list, in the shared memory of the block. */
struct staged_edges {
    uint32_t u[STAGED], v[STAGED];
    word key[STAGED];
    uint32_t count;
    word first; /* the position in the list */
};

template <bool packed>
static __device__ __forceinline__ void stage(staged_edges *s, word *staged_edge,
                                             const candidate &c) {
    const uint32_t at = gg_reserve(&s->count, c.wanted);
    if (!c.wanted)
        return;
    s->u[at] = c.u;
    s->v[at] = c.v;
    s->key[at] = c.key;
    if (!packed)
        staged_edge[at] = c.edge;
}

/* Edges beyond `room` are counted, but not stored. All threads of the block call. */
template <bool packed>
static __device__ __forceinline__ void
hand_edges_over(staged_edges *s, const word *staged_edge, const forest_list &list,
                word *listed, uint64_t room) {
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

/* Lists the wanted candidates among look(i) of `count` items. The loads of several items
** overlap. A listed edge lowers the best key of both roots. */
template <bool packed, typename looking>
static __device__ __forceinline__ void
make_edge_list(const forest &f, const forest_list &list, word *listed, uint64_t count,
               looking look) {
    __shared__ staged_edges s;
    __shared__ word staged_edge[packed ? 1 : STAGED];
    const uint64_t tile = TAKEN * GG_BLOCK;
    if (threadIdx.x == 0)
        s.count = 0;
    __syncthreads();
    for (uint64_t from = blockIdx.x * tile; from < count; from += gridDim.x * tile) {
        candidate c[TAKEN];
#pragma unroll
        for (uint32_t k = 0; k < TAKEN; k++) {
            const uint64_t i = from + k * GG_BLOCK + threadIdx.x;
            c[k] = look(i < count ? i : count - 1);
            c[k].wanted &= i < count;
        }
#pragma unroll
        for (uint32_t k = 0; k < TAKEN; k++)
            stage<packed>(&s, staged_edge, c[k]);
        lower_all(f.best, c);
        __syncthreads();
        const bool full = s.count > STAGED - tile;
        __syncthreads(); /* all threads have read it */
        if (full)
            hand_edges_over<packed>(&s, staged_edge, list, listed, f.room);
    }
    hand_edges_over<packed>(&s, staged_edge, list, listed, f.room);
}

/* Every vertex is a tree, and every edge between two vertices is listed. */
template <bool packed>
static __global__ void __launch_bounds__(GG_BLOCK)
    list_all_edges(const __grid_constant__ forest f) {
    make_edge_list<packed>(f, f.list[0], &f.state->listed[0], f.edges.m, [&](uint64_t e) {
        const uint32_t u = f.edges.source[e], v = f.edges.target[e];
        return candidate{u, v, key_of<packed>(edge_place(f, e)), e, u != v};
    });
}

template <bool packed>
static __global__ void __launch_bounds__(GG_BLOCK)
    rename(const __grid_constant__ forest f, int from) {
    const forest_list old = f.list[from];
    make_edge_list<packed>(
        f, f.list[1 - from], &f.state->listed[1 - from], f.state->listed[from],
        [&](uint64_t i) {
            const uint32_t u = f.parent[old.u[i]], v = f.parent[old.v[i]];
            return candidate{u, v, old.key[i], packed ? 0 : old.edge[i], u != v};
        });
}

/* ---- sifting ---- */

/* Loads four edges from `e` on, a multiple of four. Behind the last edge the last edge
** repeats. */
template <typename type>
static __device__ __forceinline__ void load_four(const type *array, uint64_t e,
                                                 uint64_t to, type *four) {
    enum { ITEMS = 16 / sizeof(type) };
    struct alignas(16) piece {
        type item[ITEMS];
    };
    if (e + FOUR <= to) {
#pragma unroll
        for (uint32_t i = 0; i < FOUR; i += ITEMS) {
            const piece read = *(const piece *)(array + e + i);
#pragma unroll
            for (uint32_t k = 0; k < ITEMS; k++)
                four[i + k] = read.item[k];
        }
    } else {
#pragma unroll
        for (uint32_t i = 0; i < FOUR; i++)
            four[i] = array[e + i < to ? e + i : to - 1];
    }
}

/* The edge number k of a thread whose first edge in the tile is e. */
static __device__ __forceinline__ uint64_t edge_at(uint64_t e, uint32_t k) {
    return e + k / FOUR * FOUR * GG_BLOCK + k % FOUR;
}

/* Looks at the edges from .. to - 1, where `from` is a multiple of four. look(e, own)
** sets own[k] for edge edge_at(e, k). put(k, e, at) stores each passing edge behind
** *count. All loads are issued before the threads of the block wait for each other. */
template <typename looking, typename putting>
static __device__ __forceinline__ void sift(uint64_t from, uint64_t to, word *count,
                                            looking look, putting put) {
    __shared__ uint32_t passing[WARPS];
    __shared__ word place[WARPS];
    const uint64_t tile = SIFTED * GG_BLOCK;
    const unsigned warp = threadIdx.x / GG_WARP;
    for (uint64_t first = from + blockIdx.x * tile; first < to;
         first += gridDim.x * tile) {
        unsigned passes[SIFTED], total = 0;
        const uint64_t e = first + threadIdx.x * FOUR;
        bool own[SIFTED];
        look(e, own);
#pragma unroll
        for (uint32_t k = 0; k < SIFTED; k++) {
            own[k] &= edge_at(e, k) < to;
            passes[k] = __ballot_sync(ALL_LANES, own[k]);
            total += (unsigned)__popc(passes[k]);
        }
        if (gg_lane() == 0)
            passing[warp] = total;
        __syncthreads();
        if (warp == 0) {
            uint32_t all;
            const uint32_t before =
                warp_sum_before(gg_lane() < WARPS ? passing[gg_lane()] : 0, &all);
            word behind = 0;
            if (gg_lane() == 0)
                behind = atomicAdd(count, (word)all);
            behind = warp_from_64(behind, 0);
            if (gg_lane() < WARPS)
                place[gg_lane()] = behind + before;
        }
        __syncthreads();
        word at = place[warp];
#pragma unroll
        for (uint32_t k = 0; k < SIFTED; k++) {
            if (own[k])
                put(k, edge_at(e, k),
                    at + (unsigned)__popc(passes[k] & ((1u << gg_lane()) - 1)));
            at += (unsigned)__popc(passes[k]);
        }
    }
}

/* By the pivot: keeps light edges. The kind of weights is a template parameter, because a
** choice for each edge would delay its load until the load before had ended. */
template <forest_weights kind, bool packed>
static __global__ void __launch_bounds__(GG_BLOCK)
    sift_first(const __grid_constant__ forest f, uint64_t from, uint64_t to) {
    typedef typename weight_type<kind>::type type;
    type weight[SIFTED];
    const forest_list list = f.list[1];
    const forest_place high = f.high;
    sift(
        from, to, &f.state->sifted,
        [&](uint64_t e, bool *passes) {
            if (kind != NO_WEIGHT)
#pragma unroll
                for (uint32_t k = 0; k < SIFTED; k += FOUR)
                    load_four((const type *)f.edges.weight, edge_at(e, k), to,
                              weight + k);
#pragma unroll
            for (uint32_t k = 0; k < SIFTED; k++)
                passes[k] =
                    !gg_comes_before(high, place_with<kind>(weight[k], edge_at(e, k)));
        },
        [&](uint32_t k, uint64_t e, word at) {
            list.key[at] = key_of<packed>(place_with<kind>(weight[k], e));
            if (!packed)
                list.edge[at] = e;
        });
}

static __device__ __forceinline__ uint32_t large_bits(const forest &f, uint32_t v) {
    return f.large[v / 32] >> v % 32;
}

/* By the large tree: keeps edges with an end outside. list[1].key has their numbers. */
static __global__ void __launch_bounds__(GG_BLOCK)
    sift_later(const __grid_constant__ forest f, uint64_t from, uint64_t to) {
    uint32_t u[SIFTED], v[SIFTED];
    const forest_list list = f.list[1];
    sift(
        from, to, &f.state->sifted,
        [&](uint64_t e, bool *passes) {
#pragma unroll
            for (uint32_t k = 0; k < SIFTED; k += FOUR) {
                load_four(f.edges.source, edge_at(e, k), to, u + k);
                load_four(f.edges.target, edge_at(e, k), to, v + k);
            }
#pragma unroll
            for (uint32_t k = 0; k < SIFTED; k++)
                passes[k] = !(large_bits(f, u[k]) & large_bits(f, v[k]) & 1);
        },
        [&](uint32_t k, uint64_t e, word at) {
            list.u[at] = u[k];
            list.v[at] = v[k];
            list.key[at] = e;
        });
}

/* Every vertex is a tree. */
template <bool packed>
static __global__ void __launch_bounds__(GG_BLOCK)
    list_first_edges(const __grid_constant__ forest f) {
    const forest_list list = f.list[1];
    make_edge_list<packed>(
        f, f.list[0], &f.state->listed[0], f.state->sifted, [&](uint64_t i) {
            const word key = list.key[i];
            const word e = packed ? edge_of_key(f, key) : list.edge[i];
            const uint32_t u = f.edges.source[e], v = f.edges.target[e];
            return candidate{u, v, key, e, u != v};
        });
}

/* Every vertex points to its root. */
template <forest_weights kind, bool packed>
static __global__ void __launch_bounds__(GG_BLOCK)
    list_later_edges(const __grid_constant__ forest f) {
    typedef typename weight_type<kind>::type type;
    const forest_list list = f.list[1];
    make_edge_list<
        packed>(f, f.list[0], &f.state->listed[0], f.state->sifted, [&](uint64_t i) {
        const word e = list.key[i];
        const forest_place place = place_with<kind>(
            kind == NO_WEIGHT ? type() : ((const type *)f.edges.weight)[e], e);
        const uint32_t u = f.parent[list.u[i]], v = f.parent[list.v[i]];
        return candidate{u, v, key_of<packed>(place), e, u != v && in_range(f, place)};
    });
}

/* Takes the edge with the smallest number of those with the smallest weight. */
static __global__ void settle_ties(const __grid_constant__ forest f, int from) {
    const forest_list list = f.list[from];
    const uint64_t count = f.state->listed[from], whole = gg_whole_warps(count);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        const bool there = i < count;
        const uint32_t u = there ? list.u[i] : 0, v = there ? list.v[i] : 0;
        const word key = there ? list.key[i] : 0, edge = there ? list.edge[i] : 0;
        lower_best(f.best_edge, u, edge, there && f.best[u] == key);
        lower_best(f.best_edge, v, edge, there && f.best[v] == key);
    }
}

/* ---- the list of a range ---- */

/* Lists a part of the edges that surely fits list[1], from a multiple of four on. */
template <forest_weights kind, bool packed>
static void list_slice_edges(struct forest_course *c, uint64_t from, uint64_t to) {
    const struct forest *f = c->f;
    const unsigned sifting = grid(c, (to - from) / SIFTED),
                   listing = grid(c, (to - from) / TAKEN);
    gg_fill(c->job, &f->state->sifted, 0, sizeof f->state->sifted);
    if (f->first) {
        GG_LAUNCH(c->job, (sift_first<kind, packed>), sifting, *f, from, to);
        GG_LAUNCH(c->job, list_first_edges<packed>, listing, *f);
    } else {
        GG_LAUNCH(c->job, sift_later, sifting, *f, from, to);
        GG_LAUNCH(c->job, (list_later_edges<kind, packed>), listing, *f);
    }
}

/* By the kind of weights, and whether keys are packed. */
static void (*const list_slice[][2])(struct forest_course *, uint64_t, uint64_t) = {
    {NULL, list_slice_edges<NO_WEIGHT, true>},
    {list_slice_edges<NARROW_WEIGHT, false>, list_slice_edges<NARROW_WEIGHT, true>},
    {list_slice_edges<WHOLE_WEIGHT, false>, NULL},
    {list_slice_edges<REAL_WEIGHT, false>, NULL}};

bool gg_list_in_range(struct forest_course *c) {
    const struct forest *f = c->f;
    const uint64_t m = f->edges.m, part = f->room / FOUR * FOUR;
    const bool all = f->first && f->high.weight == NOWHERE;
    c->list = 0;
    c->lists++;
    gg_fill(c->job, &f->state->listed[0], 0, sizeof f->state->listed[0]);
    if (all && f->packed)
        GG_LAUNCH(c->job, list_all_edges<true>, grid(c, m / TAKEN), *f);
    else if (all)
        GG_LAUNCH(c->job, list_all_edges<false>, grid(c, m / TAKEN), *f);
    for (uint64_t from = 0; !all && from < m && gg_going(c->job); from += part)
        list_slice[f->kind][f->packed](c, from, m - from < part ? m : from + part);
    return look_at_state(c);
}

/* ---- lists that are there ---- */

void gg_break_ties(struct forest_course *c) {
    if (c->f->packed)
        return;
    GG_LAUNCH(c->job, settle_ties, grid(c, c->state.listed[c->list]), *c->f, c->list);
}

void gg_rename_list(struct forest_course *c) {
    const uint64_t listed = c->state.listed[c->list];
    const unsigned blocks = grid(c, listed / TAKEN);
    if (c->f->packed)
        GG_LAUNCH(c->job, rename<true>, blocks, *c->f, c->list);
    else
        GG_LAUNCH(c->job, rename<false>, blocks, *c->f, c->list);
    c->list = 1 - c->list;
    c->state.listed[c->list] = listed; /* an upper bound, until the host looks again */
    gg_break_ties(c);
}
