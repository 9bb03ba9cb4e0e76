/* Tree edges of a breadth-first search by transposed rows, where these lie on the device
** anyhow and all is in order; tree.cu beside this has the pass over all edges.
**
**     edges in order of (source, target), transposed rows ascending: among the edges that
**     may lead to a vertex the one from the smallest vertex has the smallest number
**
**     level d   top-down     every arc that leaves level d - 1 is offered to its end
**               bottom-up    every vertex of level d looks through its row for the first
**                            vertex of level d - 1, and stops there
**     then      parent -> edge number, by a search in the parent's row
**
** A pass over all edges gathers a byte for each of them. Bottom-up a vertex of a large level
** stops after a few arcs, since most lead to the level before; a level behind a small one is
** found top-down, by the few arcs of that one.
**
** Parents become edge numbers in their own place, so these are narrow: a graph with wide ones is
** too large for the searches that make transposed rows. */
#include "graph/device_copy.cuh"
#include "graph/in_order.cuh"
#include "pass.cuh"
#include "graph/graph.h"

enum {
    LEVELS = 64,      /* that a word has bits for; more levels leave little to save */
    NEAR = 4,         /* arcs of a row that a thread looks at together */
    SERIAL = 32,      /* and all in all, before blocks share the row */
    WALK = 8,         /* blocks for each multiprocessor that share rows */
    LIST = 8,         /* and that go over vertices */
    SEARCH_BYTES = 64 /* for each vertex, that a search needs beside the tree */
};
#define NO_LEVEL 255u

/* Where the tree's scratch goes. */
struct tree_space {
    struct tree_levels {
        unsigned long long arcs[LEVELS]; /* arcs that leave the vertices of a depth */
        uint32_t vertices[LEVELS];
        unsigned long long above; /* bit d: level d is found top-down */
        uint32_t slices, rest;
        int falls; /* looking for order */
    } * levels;
    uint8_t *level; /* of each vertex */
    uint64_t *slice;
};

/* ---- is all in order? ---- */

/* One thread per edge. */
static __global__ void count_falls(device_edges edges, int *falls) {
    int mine = 0;
    for (uint64_t e = 1 + gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t before = edges.source[e - 1], source = edges.source[e];
        mine += before > source ||
                (before == source && edges.target[e - 1] > edges.target[e]);
    }
    if (mine)
        atomicAdd(falls, 1);
}

/* One thread per arc, and one per row: steps down that are not from row to row. */
static __global__ void count_row_falls(device_csr rows, int *falls) {
    int mine = 0;
    for (uint64_t i = 1 + gg_thread(); i < rows.m; i += gg_threads_of_grid())
        mine += rows.target[i - 1] > rows.target[i];
    for (uint64_t v = gg_thread(); v < rows.n; v += gg_threads_of_grid()) {
        uint64_t at = rows.offset[v];
        bool first = at > 0 && at < rows.offset[v + 1];
        mine -= first && rows.target[at - 1] > rows.target[at];
    }
    if (mine)
        atomicAdd(falls, mine);
}

static bool note_order(struct cuda_job *job, const struct tree_space *s,
                       enum order *order) {
    int falls;
    if (!gg_fetch(job, &falls, &s->levels->falls, sizeof falls))
        return false;
    *order = falls ? ORDER_NONE : ORDER_ASCENDING;
    return gg_fill(job, &s->levels->falls, 0, sizeof falls);
}

/* Looks at edges and rows, once for a graph. *ordered: both are. */
static bool look_for_order(struct cuda_job *job, const struct device_edges *edges,
                           const struct device_csr *rows, enum csr_kind kind,
                           const struct tree_space *s, bool *ordered) {
    struct device_copy *copy = gg_device_copy_of(job->graph);
    enum order *of_edges = &copy->edge_order, *of_rows = &copy->rows[kind].order;
    double started = gg_now_ms();
    bool looks = false;
    gg_fill(job, &s->levels->falls, 0, sizeof s->levels->falls);
    if (*of_edges == ORDER_UNKNOWN) {
        count_falls<<<gg_grid(job, edges->m, 16), GG_BLOCK, 0, job->stream>>>(
            *edges, &s->levels->falls);
        looks = true;
        if (!gg_launched(job, "count_falls") || !note_order(job, s, of_edges))
            return false;
    }
    if (*of_edges == ORDER_ASCENDING && *of_rows == ORDER_UNKNOWN) {
        count_row_falls<<<gg_grid(job, rows->m, 16), GG_BLOCK, 0, job->stream>>>(
            *rows, &s->levels->falls);
        looks = true;
        if (!gg_launched(job, "count_row_falls") || !note_order(job, s, of_rows))
            return false;
    }
    if (looks)
        gg_phase(job->run, "prepare", started, (int64_t)edges->m,
                 "order of edges and rows");
    *ordered = *of_edges == ORDER_ASCENDING && *of_rows == ORDER_ASCENDING;
    return true;
}

/* ---- levels ---- */

/* The sum over a warp. */
static __device__ __forceinline__ unsigned long long
sum_arcs_of_warp(unsigned long long x) {
    for (int step = GG_WARP / 2; step > 0; step /= 2)
        x += __shfl_xor_sync(ALL_LANES, x, step);
    return x;
}

/* One thread per vertex: its byte, and what its level has. */
static __global__ void weigh_levels(const __grid_constant__ device_csr g,
                                    const uint32_t *depth, tree_space s) {
    __shared__ unsigned long long arcs[LEVELS];
    __shared__ uint32_t vertices[LEVELS];
    if (threadIdx.x < LEVELS)
        arcs[threadIdx.x] = vertices[threadIdx.x] = 0;
    __syncthreads();
    const uint64_t whole = gg_whole_warps(g.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        uint32_t d = v < g.n ? depth[v] : GPUGRAPH_NONE;
        bool reached = d != GPUGRAPH_NONE;
        if (v < g.n)
            s.level[v] = (uint8_t)(reached ? d : NO_LEVEL);
        uint64_t mine = reached ? g.offset[v + 1] - g.offset[v] : 0;
        for (unsigned left = __ballot_sync(ALL_LANES, reached); left;) {
            uint32_t here = __shfl_sync(ALL_LANES, d, __ffs(left) - 1);
            unsigned same = __ballot_sync(ALL_LANES, d == here);
            unsigned long long sum = sum_arcs_of_warp(d == here ? mine : 0);
            if (gg_lane() == 0) {
                atomicAdd(&arcs[here], sum);
                atomicAdd(&vertices[here], (uint32_t)__popc(same));
            }
            left &= ~same;
        }
    }
    __syncthreads();
    if (threadIdx.x < LEVELS && vertices[threadIdx.x]) {
        atomicAdd(&s.levels->arcs[threadIdx.x], arcs[threadIdx.x]);
        atomicAdd(&s.levels->vertices[threadIdx.x], vertices[threadIdx.x]);
    }
}

/* One thread: top-down, where that takes fewer looks than are expected until an arc comes
** from the level before. */
static __global__ void choose_sides(tree_space s, uint32_t n, uint64_t m) {
    struct tree_space::tree_levels *l = s.levels;
    unsigned long long above = 0;
    for (int d = 1; d < LEVELS; d++) {
        double arcs = (double)l->arcs[d - 1], row = (double)m / n;
        double looks = arcs > 0 && m / arcs < row ? m / arcs : row;
        if (l->vertices[d] && arcs < l->vertices[d] * looks)
            above |= 1ull << d;
    }
    l->above = above;
}

/* ---- parents ---- */

/* u is offered to v as its parent: the smallest one wins. */
static __device__ __forceinline__ void offer_parent(uint32_t *parent, uint32_t v,
                                                    uint32_t u) {
    if (u < gg_peek(&parent[v]))
        atomicMin(&parent[v], u);
}

/* One thread per vertex: slices of those whose arcs are to be offered. */
static __global__ void __launch_bounds__(GG_BLOCK)
    list_above(const __grid_constant__ device_csr g, tree_space s) {
    const unsigned long long above = s.levels->above;
    const uint64_t whole = gg_whole_warps(g.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        uint32_t d = v < g.n ? s.level[v] : NO_LEVEL;
        gg_append_slices(g, (uint32_t)v, d + 1 < LEVELS && above >> (d + 1) & 1, s.slice,
                         &s.levels->slices);
    }
}

/* A part of a row. */
struct part {
    uint32_t v;
    uint64_t begin, end;
};

static __device__ __forceinline__ part row_part_of(const device_csr &rows,
                                                   uint64_t slice) {
    part p = {(uint32_t)(slice >> 32), 0, 0};
    p.begin = rows.offset[p.v] + (slice & UINT32_MAX) * SLICE_ARCS;
    p.end = rows.offset[p.v + 1];
    if (p.end > p.begin + SLICE_ARCS)
        p.end = p.begin + SLICE_ARCS;
    return p;
}

/* One warp to a slice: there are few, and some are long. */
static __global__ void __launch_bounds__(GG_BLOCK)
    offer_above(const __grid_constant__ device_csr g, tree_space s, uint32_t *parent) {
    const uint64_t warps = gg_threads_of_grid() / GG_WARP;
    for (uint64_t i = gg_thread() / GG_WARP; i < s.levels->slices; i += warps) {
        const part p = row_part_of(g, s.slice[i]);
        const uint32_t next = s.level[p.v] + 1u;
#pragma unroll 4
        for (uint64_t arc = p.begin + gg_lane(); arc < p.end; arc += GG_WARP) {
            uint32_t w = g.target[arc];
            if (s.level[w] == next)
                offer_parent(parent, w, p.v);
        }
    }
}

/* The first vertex of level d - 1 in a part of a row, or NONE. */
static __device__ __forceinline__ uint32_t first_above(const device_csr &rows,
                                                       const uint8_t *level, uint32_t d,
                                                       uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; i += NEAR) {
        uint32_t u[NEAR], found = GPUGRAPH_NONE;
#pragma unroll
        for (int k = 0; k < NEAR; k++)
            u[k] = rows.target[i + k < end ? i + k : end - 1];
#pragma unroll
        for (int k = 0; k < NEAR; k++)
            if (level[u[k]] + 1u == d && u[k] < found)
                found = u[k];
        if (found != GPUGRAPH_NONE)
            return found;
    }
    return GPUGRAPH_NONE;
}

/* One thread per vertex: the beginning of its row. Slices of rows that need more. */
static __global__ void __launch_bounds__(GG_BLOCK)
    look_below(const __grid_constant__ device_csr rows, tree_space s, uint32_t *parent) {
    const unsigned long long above = s.levels->above;
    const uint64_t whole = gg_whole_warps(rows.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        uint32_t d = v < rows.n ? s.level[v] : 0;
        bool more = false;
        if (d != 0 && d != NO_LEVEL && !(above >> d & 1)) {
            uint64_t begin = rows.offset[v], end = rows.offset[v + 1];
            bool is_long = end - begin > SERIAL;
            uint32_t u =
                first_above(rows, s.level, d, begin, is_long ? begin + SERIAL : end);
            more = u == GPUGRAPH_NONE && is_long;
            if (u != GPUGRAPH_NONE)
                parent[v] = u;
        }
        gg_append_slices(rows, (uint32_t)v, more, s.slice, &s.levels->rest);
    }
}

/* One warp to a slice. */
static __global__ void __launch_bounds__(GG_BLOCK)
    look_further(const __grid_constant__ device_csr rows, tree_space s,
                 uint32_t *parent) {
    const uint64_t warps = gg_threads_of_grid() / GG_WARP;
    for (uint64_t i = gg_thread() / GG_WARP; i < s.levels->rest; i += warps) {
        const part p = row_part_of(rows, s.slice[i]);
        const uint32_t level = s.level[p.v];
#pragma unroll 4
        for (uint64_t arc = p.begin + gg_lane(); arc < p.end; arc += GG_WARP) {
            uint32_t u = rows.target[arc];
            if (u < gg_peek(&parent[p.v]) && s.level[u] + 1u == level)
                atomicMin(&parent[p.v], u);
        }
    }
}

/* One thread per vertex: its parent's number becomes that of the first edge between them.
** offset: of OUT, where edges in order of their sources begin. */
static __global__ void number_parents(device_edges edges, const uint64_t *offset,
                                      bool turned, uint32_t *tree_edge) {
    for (uint64_t v = gg_thread(); v < edges.n; v += gg_threads_of_grid()) {
        uint32_t u = tree_edge[v];
        if (u == GPUGRAPH_NONE)
            continue;
        uint32_t from = turned ? (uint32_t)v : u, to = turned ? u : (uint32_t)v;
        tree_edge[v] =
            (uint32_t)gg_first_at_least(edges.target, offset[from], offset[from + 1], to);
    }
}

/* ---- driver ---- */

static void carve_depth_rows(struct workspace *space, uint32_t n, uint64_t arcs,
                             struct tree_space *s) {
    s->levels = gg_carve<struct tree_space::tree_levels>(space, 1);
    s->level = gg_carve<uint8_t>(space, n);
    s->slice = gg_carve<uint64_t>(space, gg_slices_at_most(n, arcs));
}

static const struct device_rows *transposed_rows(const struct cuda_job *job,
                                                 gpugraph_direction direction) {
    const struct device_copy *copy = gg_device_copy_of(job->graph);
    if (!copy)
        return NULL;
    const struct device_rows *rows = &copy->rows[gg_reverse_kind(direction)];
    bool useful = direction != GPUGRAPH_BOTH && rows->made && !job->graph->wide &&
                  copy->edge_order != ORDER_NONE && rows->order != ORDER_NONE;
    return useful ? rows : NULL;
}

uint64_t gg_tree_rows_scratch(const struct cuda_job *job, gpugraph_direction direction) {
    const struct device_rows *rows = transposed_rows(job, direction);
    struct workspace space = {NULL, 0};
    struct tree_space s;
    if (!rows || !job->device) /* planned: what it takes at least */
        return 0;
    carve_depth_rows(&space, job->graph->n, rows->arcs, &s);
    int64_t beside = (int64_t)job->graph->n * SEARCH_BYTES;
    return (int64_t)space.used + beside < gg_device_room(job) ? space.used : 0;
}

static bool find_parents(struct cuda_job *job, const struct device_csr *g,
                         const struct device_csr *rows, const uint32_t *depth,
                         const struct tree_space *s, uint32_t *parent) {
    const unsigned list = gg_grid(job, g->n, LIST);
    const unsigned walk = gg_grid(job, g->m, WALK);
    weigh_levels<<<list, GG_BLOCK, 0, job->stream>>>(*g, depth, *s);
    gg_launched(job, "weigh_levels");
    choose_sides<<<1, 1, 0, job->stream>>>(*s, g->n, g->m);
    gg_launched(job, "choose_sides");
    list_above<<<list, GG_BLOCK, 0, job->stream>>>(*g, *s);
    gg_launched(job, "list_above");
    offer_above<<<walk, GG_BLOCK, 0, job->stream>>>(*g, *s, parent);
    gg_launched(job, "offer_above");
    look_below<<<list, GG_BLOCK, 0, job->stream>>>(*rows, *s, parent);
    gg_launched(job, "look_below");
    look_further<<<walk, GG_BLOCK, 0, job->stream>>>(*rows, *s, parent);
    return gg_launched(job, "look_further");
}

bool gg_tree_by_rows(struct cuda_job *job, gpugraph_direction direction,
                     const uint32_t *depth, uint32_t deepest, uint8_t *scratch,
                     uint64_t scratch_bytes, uint32_t *tree_edge, bool *done) {
    const enum csr_kind turned = gg_reverse_kind(direction);
    struct workspace space = {scratch, 0};
    struct tree_space s;
    struct device_edges edges;
    struct device_csr g, rows;
    *done = false;
    if (!transposed_rows(job, direction) || deepest >= LEVELS)
        return gg_going(job);
    if (!gg_device_edges(job, false, &edges) ||
        !gg_device_csr(job, gg_forward_kind(direction), false, &g) ||
        !gg_device_csr(job, turned, false, &rows))
        return false;
    carve_depth_rows(&space, g.n, rows.m, &s);
    if (space.used > scratch_bytes)
        return true;
    if (!look_for_order(job, &edges, &rows, turned, &s, done) || !*done)
        return gg_going(job);
    gg_fill(job, s.levels, 0, sizeof *s.levels);
    if (!gg_fill(job, tree_edge, 0xff, (uint64_t)g.n * sizeof *tree_edge) ||
        !find_parents(job, &g, &rows, depth, &s, tree_edge))
        return false;
    const uint64_t *offset = direction == GPUGRAPH_IN ? rows.offset : g.offset;
    number_parents<<<gg_grid(job, g.n, LIST), GG_BLOCK, 0, job->stream>>>(
        edges, offset, direction == GPUGRAPH_IN, tree_edge);
    return gg_launched(job, "number_parents");
}
