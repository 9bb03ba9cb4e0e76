/* Core numbers: the public function and the CPU backend.
**
**     core[v]     the remaining neighbours of v; after v is removed, its core number
**     rest        the remaining vertices, ascending; for each k a copy without the
**                 removed vertices
**
** For k = 0, 1, 2 ... each vertex with at most k remaining neighbours is removed. This
** lowers remaining degrees, and each vertex that drops to k is removed, too (peel.h). The
** core number of these vertices is k, and their counters stay at k. If no vertex has k
** remaining neighbours, k becomes the smallest remaining degree. All copies together have
** at most 2 n entries and the sum of all core numbers, which is less than all arcs.
**
** Peeling after Matula, Beck (J. ACM 30, 1983). By levels in parallel after Dasari,
** Ranjan, Zubair (ParK, BigData 2014) and Kabir, Madduri (PKC, 2017). */
#include "cores.h"
#include "peel.h"
#include "base/claims.h"
#include "graph/graph.h"

enum {
    CORES_PASSES = 3000, /* predicted */
    CORES_THIN_PASSES = 300,
    CHUNK = 4096 /* remaining vertices that a thread takes at a time */
};

struct cores {
    struct gg_peeling p; /* left: the caller's array */
    uint32_t *rest, *next_rest;
    uint64_t rest_count, next_count; /* next_count: by atomic addition */
    uint64_t fewest;                 /* the smallest remaining degree, by gg_lower */
};

/* ---- the steps ---- */

static void count_neighbours(void *cores, uint64_t low, uint64_t high) {
    struct cores *c = cores;
    const csr *rows = &c->p.rows;
    uint64_t fewest = UINT64_MAX;
    for (uint64_t v = low; v < high && !gg_leave(c->p.run, v); v++) {
        const uint32_t degree = (uint32_t)(rows->end[v] - rows->begin[v]);
        c->p.left[v] = degree;
        c->rest[v] = (uint32_t)v;
        fewest = degree < fewest ? degree : fewest;
    }
    gg_lower(&c->fewest, fewest);
}

/* Moves vertices with k remaining neighbours to the queue, and keeps vertices with
** more. */
static void part_rest(void *cores, uint64_t low, uint64_t high) {
    struct cores *c = cores;
    struct gg_peeling *p = &c->p;
    struct gg_claims gone, stays;
    uint64_t fewest = UINT64_MAX;
    gone.count = stays.count = 0;
    for (uint64_t i = low; i < high && !gg_leave(p->run, i); i++) {
        const uint32_t v = c->rest[i], left = p->left[v];
        if (left == p->k) {
            gg_claim(&gone, v, p->queue, &p->tail);
        } else if (left > p->k) {
            fewest = left < fewest ? left : fewest;
            gg_claim(&stays, v, c->next_rest, &c->next_count);
        }
    }
    gg_hand_claims_over(&gone, p->queue, &p->tail);
    gg_hand_claims_over(&stays, c->next_rest, &c->next_count);
    gg_lower(&c->fewest, fewest);
}

static void peel_all(struct cores *c) {
    struct gg_peeling *p = &c->p;
    const uint64_t n = p->rows.n;
    c->fewest = UINT64_MAX;
    gg_chunks(p->threads, n, CHUNK, count_neighbours, c);
    c->rest_count = n;
    while (p->tail < n && !gg_stopping(p->run)) {
        p->k = c->fewest == UINT64_MAX || c->fewest < p->k ? p->k : (uint32_t)c->fewest;
        c->next_count = 0;
        c->fewest = UINT64_MAX;
        const int threads = c->rest_count >= GG_PEEL_WIDE ? p->threads : 1;
        gg_chunks(threads, c->rest_count, CHUNK, part_rest, c);
        uint32_t *swapped = c->rest;
        c->rest = c->next_rest;
        c->next_rest = swapped;
        c->rest_count = c->next_count;
        if (p->tail > p->last) {
            gg_peel_queue(p);
            p->k++;
            c->fewest = UINT64_MAX; /* counters have changed since */
        }
    }
}

/* ---- the driver ---- */

static gpugraph_status find_cores_on_cpu(gpugraph_graph *graph, gpugraph_run *run,
                                         uint32_t *core) {
    struct cores c = {.p = {.run = run, .left = core}};
    const uint32_t n = graph->n;
    if (gg_rows(graph, CSR_SIMPLE, false, false, run, &c.p.rows))
        return run->status;
    const double start = gg_now_ms();
    c.p.threads = gg_threads(run, c.p.rows.m + n);
    uint32_t *lists = gg_alloc(run, 3 * (uint64_t)n, sizeof *lists);
    if (lists) {
        c.p.queue = lists;
        c.rest = lists + n;
        c.next_rest = lists + 2 * (uint64_t)n;
        peel_all(&c);
    }
    gg_release(lists);
    return gg_search_phase(run, start, (int64_t)c.p.rows.m, "%d thread(s)", c.p.threads);
}

/* ---- the descriptor ---- */

static double passes(const gpugraph_graph *graph) {
    return gg_is_thin(graph) ? CORES_THIN_PASSES : CORES_PASSES;
}

const gg_algorithm gg_cores = {
    .name = "cores",
    .rows = CSR_SIMPLE,
    .arcs = gg_arcs_twice,
    .steps = passes,
    /* One thread over 3 M unsorted edges; the device was not measured. */
    .cpu_ns = 14,
    .cuda_ns = 0.08,
    .step_us = 4,
    .side = {[GPUGRAPH_CPU] =
                 GG_ONE_METHOD(cores_entry, find_cores_on_cpu, "cores", "peel",
                               "threads remove the vertices with the fewest "
                               "neighbours, pass by pass"),
             [GPUGRAPH_CUDA] = &gg_cores_cuda},
};

/* ---- the public function ---- */

gpugraph_status gpugraph_cores(gpugraph_graph *graph, gpugraph_run *run, uint32_t *core) {
    gg_enter_graph(graph, run);
    if (gg_needs(run, core, graph->n, "core"))
        GG_RUN(cores_entry, &gg_cores, NULL, graph, run, (graph, run, core));
    return gg_leave_graph(graph, run);
}
