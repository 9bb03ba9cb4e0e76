/* Topological order: the public function and the CPU backend.
**
**     left[v]      predecessors of v that have no level yet
**     level[v]     the pass of peeling that removes v (cores/peel.h)
**
** The thread that takes the last predecessor from a vertex sets its level, which is one
** more than the level that is being walked. All longest paths to the vertex are known
** then. The order of threads changes the order within a level of the queue, but no level.
** Positions are the order of levels.
**
** After Kahn (Communications of the ACM 5, 1962). */
#include "topological_order.h"
#include "base/claims.h"
#include "cores/peel.h"
#include "graph/graph.h"

enum {
    TOPOLOGICAL_LEVELS = 500, /* predicted, not measured */
    TOPOLOGICAL_THIN_LEVELS = 5000,
    CHUNK = 1 << 14 /* vertices that a thread takes at a time */
};

/* ---- the steps ---- */

static void take_free(void *peeling, uint64_t low, uint64_t high) {
    struct gg_peeling *p = peeling;
    struct gg_claims c;
    c.count = 0;
    for (uint64_t v = low; v < high && !gg_leave(p->run, v); v++) {
        p->level[v] = p->left[v] == 0 ? 0 : GPUGRAPH_NONE;
        if (p->left[v] == 0)
            gg_claim(&c, (uint32_t)v, p->queue, &p->tail);
    }
    gg_hand_claims_over(&c, p->queue, &p->tail);
}

/* ---- the driver ---- */

static gpugraph_status find_order_on_cpu(gpugraph_graph *graph, gpugraph_run *run,
                                         gpugraph_direction direction,
                                         struct order_levels *found) {
    struct gg_peeling p = {.run = run, .level = found->level};
    if (gg_rows(graph, (enum csr_kind)direction, false, false, run, &p.rows))
        return run->status;
    double start = 0;
    const uint64_t n = graph->n;
    p.threads = gg_threads(run, graph->m + n);
    p.left = gg_alloc(run, 2 * n, sizeof *p.left);
    if (p.left && !gg_count_degrees(graph, gg_opposite(direction), run, p.left)) {
        start = gg_now_ms();
        p.queue = p.left + n;
        gg_chunks(p.threads, n, CHUNK, take_free, &p);
        gg_peel_queue(&p);
    }
    gg_release(p.left);
    found->settled = (uint32_t)p.tail;
    found->levels = p.pass;
    return gg_search_phase(run, start, (int64_t)p.rows.m, "%d thread(s), %u levels",
                           p.threads, p.pass);
}

/* ---- the descriptor ---- */

static double levels_of(const gpugraph_graph *graph) {
    return gg_is_thin(graph) ? TOPOLOGICAL_THIN_LEVELS : TOPOLOGICAL_LEVELS;
}

const gg_algorithm gg_topological_order = {
    .name = "topological_order",
    .rows = CSR_OUT,
    .arcs = gg_arcs_twice,
    .steps = levels_of,
    /* One thread over 1.5 M unsorted edges; the device was not measured. */
    .cpu_ns = 9,
    .cuda_ns = 0.05,
    .step_us = 3,
    .side = {[GPUGRAPH_CPU] = GG_ONE_METHOD(
                 order_entry, find_order_on_cpu, "topological_order", "peel",
                 "threads remove vertices without predecessors, level by "
                 "level"),
             [GPUGRAPH_CUDA] = &gg_topological_order_cuda},
};

/* ---- positions ---- */

/* Places vertices by level. The vertices of a level keep their order. */
static void place_by_level(uint32_t n, const struct order_levels *found,
                           gpugraph_run *run, uint32_t *position) {
    const uint32_t *level = found->level;
    uint32_t *next = gg_alloc_zero(run, (uint64_t)found->levels + 1, sizeof *next);
    for (uint64_t v = 0; next && v < n && !gg_leave(run, v); v++)
        next[level[v] + 1]++;
    for (uint64_t i = 0; next && i < found->levels && !gg_leave(run, i); i++)
        next[i + 1] += next[i];
    for (uint64_t v = 0; next && v < n && !gg_leave(run, v); v++)
        position[v] = next[level[v]]++;
    gg_release(next);
    if (gg_stopping(run))
        gg_stopped(run);
}

/* ---- the public function ---- */

gpugraph_status gpugraph_topological_order(gpugraph_graph *graph,
                                           gpugraph_direction direction,
                                           gpugraph_run *run, uint32_t *level,
                                           uint32_t *position, gpugraph_cycle *cycle) {
    struct order_levels found = {.level = level};
    if (cycle)
        cycle->count = 0;
    gg_enter_graph(graph, run);
    if (direction != GPUGRAPH_OUT && direction != GPUGRAPH_IN)
        gg_fail(run, GPUGRAPH_INVALID,
                "a topological order follows edges in one direction, 'out' or 'in', not "
                "'both'");
    else if (gg_needs(run, level, graph->n, "level"))
        GG_RUN(order_entry, &gg_topological_order, NULL, graph, run,
               (graph, run, direction, &found));
    if (!run->status && found.settled < graph->n && !gg_bring_edges(graph, run))
        gg_report_cycle(graph, direction, level, run, cycle);
    else if (!run->status && position)
        place_by_level(graph->n, &found, run, position);
    return gg_leave_graph(graph, run);
}
