/* Triangles of the undirected simple graph, each counted once: the public function and
** the CPU backend.
**
**     rank       vertices by degree, equal degrees by number
**     ahead[v]   the neighbours of v that rank higher, by number
**     marked     for each thread, one bit for each vertex: those in ahead[v]
**
**          u --- w       v lowest, w highest in rank: w is in ahead[v] and in ahead[u],
**           \   /        and u is in ahead[v]; so the triangle is found once, when
**            v           ahead[v] meets ahead[u]
**
** No vertex has more than sqrt(2 m) neighbours ahead, so hubs cost no more than others.
** After Chiba and Nishizeki (SIAM J. Comput. 14, 1985) and Latapy (TCS 407, 2008). Two
** rows meet by marking the one and looking up the other: the marks of v serve all its
** rows, and nothing branches on what they say. */
#include "ahead.h"
#include "triangles.h"
#include "tuning.h"

#include <stdio.h>

/* ---- counting ---- */

struct counting {
    struct ahead ahead;
    uint64_t triangles;
};

static uint64_t marked_among(const uint64_t *marked, const uint32_t *row,
                             const uint32_t *end) {
    uint64_t count = 0;
    for (; row < end; row++)
        count += marked[*row / 64] >> *row % 64 & 1;
    return count;
}

/* The triangles whose lowest vertex is v; no vertex is marked before or after. *work:
** entries since the last look at gg_pause. */
static uint64_t triangles_of(const struct ahead *a, uint32_t v, uint64_t *marked,
                             uint64_t *work) {
    const uint32_t *row = a->target + a->offset[v], *end = a->target + a->offset[v + 1];
    uint64_t count = 0;
    if (end - row < 2)
        return 0;
    for (const uint32_t *u = row; u < end; u++)
        marked[*u / 64] |= 1ull << *u % 64;
    for (const uint32_t *u = row; u < end; u++) {
        uint64_t first = a->offset[*u], last = a->offset[*u + 1];
        count += marked_among(marked, a->target + first, a->target + last);
        *work += last - first + 1;
        if (*work > GG_POLL_ITEMS) {
            *work = 0;
            if (gg_pause(a->run))
                break;
        }
    }
    for (const uint32_t *u = row; u < end; u++)
        marked[*u / 64] = 0;
    return count;
}

static void count_some(void *counting, int member, int team) {
    struct counting *c = counting;
    struct ahead *a = &c->ahead;
    uint64_t work = 0, count = 0;
    (void)member, (void)team;
    uint64_t *marked =
        gg_alloc_zero(a->run, (uint64_t)a->simple.n / 64 + 1, sizeof *marked);
    for (uint32_t v, end; marked && gg_take_vertices(a, &v, &end);)
        for (; v < end; v++)
            count += triangles_of(a, v, marked, &work);
    gg_release(marked);
    __atomic_fetch_add(&c->triangles, count, __ATOMIC_RELAXED);
}

static uint64_t count_all(struct counting *c) {
    c->ahead.taken = 0;
    gg_team(c->ahead.threads, count_some, c);
    return c->triangles;
}

static gpugraph_status count_on_cpu(gpugraph_graph *graph, gpugraph_run *run,
                                    uint64_t *count) {
    struct counting c = {.ahead = {.run = run}};
    struct ahead *a = &c.ahead;
    if (gg_rows(graph, CSR_SIMPLE, false, true, run, &a->simple) != GPUGRAPH_OK)
        return run->status;
    double start = gg_now_ms();
    a->threads = gg_threads(run, a->simple.m);
    *count = gg_make_ahead(a) ? count_all(&c) : 0;
    gg_free_ahead(a);
    if (gg_stopping(run))
        return gg_stopped(run);
    char more[60];
    snprintf(more, sizeof more, "%d thread%s", a->threads, a->threads == 1 ? "" : "s");
    gg_search_phase(run, start, (int64_t)(a->simple.m / 2), more);
    return GPUGRAPH_OK;
}

static double one_step(const gpugraph_graph *graph) {
    (void)graph;
    return 1;
}

/* ---- the descriptor ---- */

static const gpugraph_method methods[] = {
    {"triangles", "intersection", "cpu", "intersects sorted rows of neighbours"},
    {0},
};

static const struct triangles_calls cpu_calls = {.count = count_on_cpu};

static const algorithm_side cpu_side = {
    .methods = methods,
    .calls = &cpu_calls,
};

const gg_algorithm gg_triangles = {
    .name = "triangles",
    .brings_edges = true,
    .rows = CSR_SIMPLE,
    .arcs = gg_arcs_twice,
    .steps = one_step,
    .cpu_ns = GG_TRIANGLES_CPU_NS,
    .cuda_ns = GG_TRIANGLES_CUDA_NS,
    .step_us = GG_TRIANGLES_STEP_US,
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &gg_triangles_cuda},
};

static const struct triangles_calls *calls(gpugraph_backend on) {
    return gg_triangles.side[on]->calls;
}

/* ---- the public function ---- */

static gpugraph_status count_checked(gpugraph_graph *graph, gpugraph_run *run,
                                     uint64_t *count) {
    bool fallback;
    if (!gg_needs(run, count, 1, "count"))
        return run->status;
    gpugraph_backend on = gg_choose(graph, &gg_triangles, NULL, run, &fallback);
    if (!on)
        return run->status;
    calls(on)->count(graph, run, count);
    if (gg_fall_back(run, &gg_triangles, fallback))
        count_on_cpu(graph, run, count);
    return run->status;
}

gpugraph_status gpugraph_triangles(gpugraph_graph *graph, gpugraph_run *run,
                                   uint64_t *count) {
    gg_enter_graph(graph, run);
    count_checked(graph, run, count);
    return gg_leave_graph(graph, run);
}
