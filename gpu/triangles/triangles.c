/* Finds each triangle of the undirected simple graph once, and counts the triangles of
** each vertex and the arcs between its neighbours: the public functions and the CPU
** backend.
**
**     rank       vertices by degree, equal degrees by number
**     ahead[v]   the neighbours of v that rank higher, by number
**     marked     for each thread, one bit for each vertex: the vertices in ahead[v]
**
**          u --- w       v has the lowest and w the highest rank: w is in ahead[v] and
**           \   /        in ahead[u], and u is in ahead[v]. So the triangle is found
**            v           once, when ahead[v] is compared with ahead[u], and may count
**                        for all corners.
**
**     own       for each thread: the triangles that it has found, by vertex. The numbers
**               have 32 bits and are added to the caller's array before they can
**               overflow.
**
** No vertex has more than sqrt(2 m) neighbours ahead, so hubs do not cost more than
** others. After Chiba and Nishizeki (SIAM J. Comput. 14, 1985) and Latapy (TCS 407,
** 2008). Two rows are compared by marking one and looking up the other. The marks of v
** serve all its rows, and no branch depends on a mark.
**
** If edges have directions, arcs among the neighbours are counted. v has one arc for each
** triangle, and a second one if u and w are joined in both directions. both[arc] is
** set if the ends of an arc ahead are joined in both directions. `twice` marks the
** vertices ahead of v that are joined to v in both directions. `more` counts second arcs
** as `own` counts triangles. */
#include "triangles.h"
#include "graph/graph.h"

#include <string.h>

enum { CHUNK = 64 }; /* vertices that a thread takes at a time */

/* ---- the search ---- */

struct counting {
    gpugraph_run *run;
    int threads;
    csr simple;
    uint64_t *offset; /* n + 1: rows of neighbours that rank higher */
    uint32_t *target;
    bool compares;       /* the present pass finds edges of both directions */
    csr out, in;         /* rows of both directions, unsorted; if directions count */
    uint8_t *both;       /* of each arc ahead; NULL: directions do not count */
    uint64_t *triangles; /* n; NULL: only `total` is wanted */
    uint64_t *arcs;      /* n; with both: arcs beyond one for each triangle */
    const gpugraph_triangle_counts *counts; /* the caller's arrays */
    uint64_t total, taken;                  /* taken: vertices that threads have taken */
};

/* ---- rows of neighbours that rank higher ---- */

static inline uint64_t simple_degree(const csr *g, uint32_t v) {
    return g->end[v] - g->begin[v];
}

/* target NULL: counts the neighbours ahead of v into offset[v + 1]. Otherwise writes
** them. */
static void look_ahead(void *counting, uint64_t low, uint64_t high) {
    struct counting *c = counting;
    for (uint64_t v = low; v < high && !gg_leave(c->run, v - low); v++) {
        const uint64_t degree = simple_degree(&c->simple, (uint32_t)v);
        uint32_t *to = c->target ? c->target + c->offset[v] : NULL;
        uint64_t count = 0;
        for (uint64_t i = c->simple.begin[v];
             i < c->simple.end[v] && !gg_leave(c->run, i); i++) {
            const uint32_t u = c->simple.target[i];
            const uint64_t other = simple_degree(&c->simple, u);
            if (other > degree || (other == degree && u > v)) {
                if (to)
                    to[count] = u;
                count++;
            }
        }
        if (!to)
            c->offset[v + 1] = count;
    }
}

static bool look_ahead_of_all(struct counting *c) {
    gg_chunks(c->threads, c->simple.n, CHUNK, look_ahead, c);
    return !gg_stopping(c->run);
}

static bool make_ahead(struct counting *c) {
    c->offset = gg_alloc(c->run, (uint64_t)c->simple.n + 1, sizeof *c->offset);
    if (!c->offset || !look_ahead_of_all(c))
        return false;
    c->offset[0] = 0;
    for (uint32_t v = 0; v < c->simple.n; v++)
        c->offset[v + 1] += c->offset[v];
    c->target = gg_alloc(c->run, c->offset[c->simple.n], sizeof *c->target);
    return c->target && look_ahead_of_all(c);
}

/* ---- a thread's arrays ---- */

struct finder {               /* a thread */
    uint64_t *marked, *twice; /* bit v, all 0 between two rows */
    /* n; no number is larger than `since`. own: NULL if only the total is wanted */
    uint32_t *own, *more;
    uint64_t since, work, total;
};

static inline bool bit(const uint64_t *bits, uint32_t v) {
    return bits[v / 64] >> v % 64 & 1;
}

static inline void set_bit(uint64_t *bits, uint32_t v) {
    bits[v / 64] |= (uint64_t)1 << v % 64;
}

static bool open_finder(struct counting *c, struct finder *f) {
    const uint64_t n = c->simple.n, words = n / 64 + 1;
    gpugraph_run *run = c->run;
    *f = (struct finder){.marked = gg_alloc_zero(run, words, sizeof *f->marked)};
    if (c->triangles)
        f->own = gg_alloc_zero(run, n + 1, sizeof *f->own);
    if (c->both) {
        f->twice = gg_alloc_zero(run, words, sizeof *f->twice);
        f->more = gg_alloc_zero(run, n + 1, sizeof *f->more);
    }
    return f->marked && (!c->triangles || f->own) && (!c->both || (f->twice && f->more));
}

/* own: NULL if these counts are not wanted. */
static void hand_corners_over(const struct counting *c, uint32_t *own, uint64_t *to) {
    for (uint64_t v = 0; own && v < c->simple.n && !gg_leave(c->run, v); v++) {
        if (own[v] > 0)
            __atomic_fetch_add(&to[v], own[v], __ATOMIC_RELAXED);
        own[v] = 0;
    }
}

static void hand_all_over(struct counting *c, struct finder *f) {
    hand_corners_over(c, f->own, c->triangles);
    hand_corners_over(c, f->more, c->arcs);
    f->since = 0;
}

/* ---- edges of both directions ---- */

static inline void mark_row(const struct counting *c, const csr *rows, uint32_t v,
                            uint64_t *bits, bool mark) {
    for (uint64_t i = rows->begin[v]; i < rows->end[v] && !gg_leave(c->run, i); i++) {
        if (mark)
            set_bit(bits, rows->target[i]);
        else
            bits[rows->target[i] / 64] = 0;
    }
}

/* Finds the vertices ahead of v that are joined to v in both directions. */
static void compare_directions(struct counting *c, uint32_t v, struct finder *f) {
    if (c->offset[v] == c->offset[v + 1])
        return;
    mark_row(c, &c->out, v, f->marked, true);
    mark_row(c, &c->in, v, f->twice, true);
    for (uint64_t i = c->offset[v]; i < c->offset[v + 1]; i++)
        c->both[i] = bit(f->marked, c->target[i]) && bit(f->twice, c->target[i]);
    mark_row(c, &c->out, v, f->marked, false);
    mark_row(c, &c->in, v, f->twice, false);
}

/* ---- counting ---- */

static uint64_t marked_among(const uint64_t *marked, const uint32_t *row,
                             const uint32_t *end) {
    uint64_t count = 0;
    for (; row < end; row++)
        count += bit(marked, *row);
    return count;
}

/* Counts the triangles of v, u and each vertex w of ahead[u], and returns their number.
** No branch depends on a mark. */
static uint64_t count_row(const uint32_t *row, const uint32_t *end, struct finder *f) {
    uint64_t found = 0;
    for (; row < end; row++) {
        const uint32_t hit = bit(f->marked, *row);
        f->own[*row] += hit;
        found += hit;
    }
    return found;
}

/* Counts as count_row does, if directions count. The arc from v to u has the number
** vu. */
static uint64_t count_row_along(const struct counting *c, uint32_t v, uint64_t vu,
                                struct finder *f) {
    const uint32_t u = c->target[vu];
    uint64_t found = 0, of_u = 0, of_v = 0;
    for (uint64_t uw = c->offset[u]; uw < c->offset[u + 1]; uw++) {
        const uint32_t w = c->target[uw];
        if (bit(f->marked, w)) {
            f->own[w]++;
            f->more[w] += c->both[vu];
            of_u += bit(f->twice, w);
            of_v += c->both[uw];
            found++;
        }
    }
    f->more[u] += (uint32_t)of_u;
    f->more[v] += (uint32_t)of_v;
    return found;
}

static inline void mark_ahead(const struct counting *c, uint32_t v, struct finder *f) {
    for (uint64_t i = c->offset[v]; i < c->offset[v + 1]; i++) {
        set_bit(f->marked, c->target[i]);
        if (c->both && c->both[i])
            set_bit(f->twice, c->target[i]);
    }
}

static inline void unmark_ahead(const struct counting *c, uint32_t v, struct finder *f) {
    for (uint64_t i = c->offset[v]; i < c->offset[v + 1]; i++) {
        f->marked[c->target[i] / 64] = 0;
        if (c->both)
            f->twice[c->target[i] / 64] = 0;
    }
}

/* Called after each row. No row finds more than 2^31 triangles (its length squared is at
** most 2 m). */
static bool pause_finder(struct counting *c, struct finder *f) {
    if (f->since > UINT32_MAX / 2)
        hand_all_over(c, f);
    if (f->work <= GG_POLL_ITEMS)
        return true;
    f->work = 0;
    return !gg_pause(c->run);
}

/* Counts the triangles whose lowest vertex is v. */
static void count_from(struct counting *c, uint32_t v, struct finder *f) {
    const uint64_t first = c->offset[v], end = c->offset[v + 1];
    if (end - first < 2)
        return;
    mark_ahead(c, v, f);
    for (uint64_t vu = first; vu < end; vu++) {
        const uint32_t u = c->target[vu];
        const uint32_t *row = c->target + c->offset[u];
        const uint64_t arcs = c->offset[u + 1] - c->offset[u];
        if (f->own) {
            const uint64_t found =
                c->both ? count_row_along(c, v, vu, f) : count_row(row, row + arcs, f);
            f->own[u] += (uint32_t)found;
            f->own[v] += (uint32_t)found;
            f->since += found;
        } else {
            f->total += marked_among(f->marked, row, row + arcs);
        }
        f->work += arcs + 1;
        if (!pause_finder(c, f))
            break;
    }
    unmark_ahead(c, v, f);
}

static void visit_some(void *counting, int member, int team) {
    struct counting *c = counting;
    struct finder f;
    (void)member, (void)team;
    bool go = open_finder(c, &f);
    for (uint64_t v, end; go && !gg_pause(c->run) &&
                          gg_take_chunk(&c->taken, c->simple.n, CHUNK, &v, &end);)
        for (; v < end; v++)
            if (c->compares)
                compare_directions(c, (uint32_t)v, &f);
            else
                count_from(c, (uint32_t)v, &f);
    if (go)
        hand_all_over(c, &f);
    __atomic_fetch_add(&c->total, f.total, __ATOMIC_RELAXED);
    gg_release(f.marked);
    gg_release(f.twice);
    gg_release(f.own);
    gg_release(f.more);
}

/* ---- the driver ---- */

static bool visit_all(struct counting *c, bool compares) {
    c->taken = 0;
    c->compares = compares;
    gg_team(c->threads, visit_some, c);
    return !gg_stopping(c->run);
}

static bool count_all_corners(struct counting *c, bool along) {
    const uint64_t n = c->simple.n;
    if (!make_ahead(c))
        return false;
    if (along) {
        c->arcs = gg_alloc_zero(c->run, n + 1, sizeof *c->arcs);
        c->both = gg_alloc_zero(c->run, c->offset[n] + 1, 1);
        if (!c->arcs || !c->both || !visit_all(c, true))
            return false;
    }
    return visit_all(c, false);
}

static void write_some_counts(void *counting, uint64_t low, uint64_t high) {
    const struct counting *c = counting;
    for (uint64_t v = low; v < high && !gg_leave(c->run, v); v++) {
        const uint32_t degree = (uint32_t)simple_degree(&c->simple, (uint32_t)v);
        const uint64_t arcs = c->triangles[v] + (c->arcs ? c->arcs[v] : c->triangles[v]);
        if (c->counts->degree)
            c->counts->degree[v] = degree;
        if (c->counts->coefficient)
            c->counts->coefficient[v] = gg_clustering(arcs, degree);
    }
}

static gpugraph_status count_on_cpu(gpugraph_graph *graph, gpugraph_run *run,
                                    bool directed, const gpugraph_triangle_counts *counts,
                                    uint64_t *total) {
    const bool along = directed && counts->coefficient;
    struct counting c = {.run = run, .counts = counts};
    uint64_t *own = NULL;
    if (gg_rows(graph, CSR_SIMPLE, false, true, run, &c.simple) ||
        (along && (gg_rows(graph, CSR_OUT, false, false, run, &c.out) ||
                   gg_rows(graph, CSR_IN, false, false, run, &c.in))))
        return run->status;
    double start = gg_now_ms();
    c.threads = gg_threads(run, c.simple.m);
    const uint64_t n = c.simple.n;
    if (counts)
        c.triangles =
            counts->triangles ? counts->triangles : (own = gg_alloc(run, n, sizeof *own));
    if (c.triangles)
        memset(c.triangles, 0, n * sizeof *c.triangles);
    if (!run->status && count_all_corners(&c, along) && counts)
        gg_slices(c.threads, n, write_some_counts, &c);
    if (total)
        *total = c.total;
    gg_release(own);
    gg_release(c.offset);
    gg_release(c.target);
    gg_release(c.both);
    gg_release(c.arcs);
    return gg_search_phase(run, start, (int64_t)(c.simple.m / 2), "%d thread(s)",
                           c.threads);
}

/* ---- the descriptors ---- */

const gg_algorithm gg_vertex_triangles = {
    .name = "vertex_triangles",
    .brings_edges = true,
    .rows = CSR_SIMPLE,
    .arcs = gg_arcs_twice,
    /* R-MAT of scale 16 and 20, one thread and an H200. */
    .cpu_ns = 120,
    .cuda_ns = 0.4,
    .step_us = 100,
    .side = {[GPUGRAPH_CPU] = GG_ONE_METHOD(
                 triangles_entry, count_on_cpu, "vertex_triangles", "intersection",
                 "intersects rows of higher-ranking neighbours, and counts "
                 "for all three corners"),
             [GPUGRAPH_CUDA] = &gg_vertex_triangles_cuda},
};

const gg_algorithm gg_triangles = {
    .name = "triangles",
    .brings_edges = true,
    .rows = CSR_SIMPLE,
    .arcs = gg_arcs_twice,
    /* R-MAT of scale 16 and 20, one thread and an H200. */
    .cpu_ns = 80,
    .cuda_ns = 0.4,
    .step_us = 100,
    .side = {[GPUGRAPH_CPU] =
                 GG_ONE_METHOD(triangles_entry, count_on_cpu, "triangles", "intersection",
                               "intersects sorted rows of neighbours"),
             [GPUGRAPH_CUDA] = &gg_triangles_cuda},
};

/* ---- the public functions ---- */

gpugraph_status gpugraph_triangles(gpugraph_graph *graph, gpugraph_run *run,
                                   uint64_t *count) {
    gg_enter_graph(graph, run);
    if (gg_needs(run, count, 1, "count")) {
        *count = 0;
        GG_RUN(triangles_entry, &gg_triangles, NULL, graph, run,
               (graph, run, false, NULL, count));
    }
    return gg_leave_graph(graph, run);
}

gpugraph_status gpugraph_vertex_triangles(gpugraph_graph *graph,
                                          gpugraph_direction direction, gpugraph_run *run,
                                          const gpugraph_triangle_counts *counts) {
    const bool directed = direction != GPUGRAPH_BOTH;
    gg_enter_graph(graph, run);
    if (gg_check_direction(run, direction) && gg_needs(run, counts, 1, "counts"))
        GG_RUN(triangles_entry, &gg_vertex_triangles, NULL, graph, run,
               (graph, run, directed, counts, NULL));
    return gg_leave_graph(graph, run);
}
