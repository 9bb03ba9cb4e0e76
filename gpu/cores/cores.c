/* Core numbers: the public function and the CPU backend.
**
**     core[v]     the remaining neighbours of v; once v is removed, its core number
**     rest        the remaining vertices, ascending; for each k a copy without the
**                 removed vertices
**     queue       | removed for this k, pass 1 | pass 2 | ...
**
** For k = 0, 1, 2 ... each vertex with at most k remaining neighbours is removed, and
** then each vertex whose remaining degree drops to k by that. Their core number is k. A
** counter never stays below k: a thread that decrements it below k restores it. So a
** vertex is removed once, and its counter is the answer. If no vertex has k remaining
** neighbours, k goes on to the smallest remaining degree. All copies together have no
** more entries than the sum of all core numbers and 2 n, which is less than the arcs and
** 2 n.
**
** Peeling after Matula, Beck (J. ACM 30, 1983). By levels in parallel after Dasari,
** Ranjan, Zubair (ParK, BigData 2014) and Kabir, Madduri (PKC, 2017). */
#include "cores.h"
#include "base/claims.h"
#include "graph/graph.h"

enum {
    CORES_PASSES = 3000, /* predicted */
    CORES_THIN_PASSES = 300,
    CORES_WIDE = 4096 /* vertices from which on threads share a pass */
};

enum {
    CHUNK = 256,      /* vertices that a thread takes at a time */
    REST_CHUNK = 4096 /* remaining vertices that a thread takes at a time */
};

struct peeling {
    const gpugraph_graph *graph;
    gpugraph_run *run;
    csr rows;
    uint32_t *core, *queue, *rest, *next_rest;
    uint64_t first, last, tail;      /* in the queue; tail: by atomic addition */
    uint64_t rest_count, next_count; /* next_count: by atomic addition */
    uint64_t fewest;                 /* the smallest remaining degree, by gg_lower */
    uint64_t since;                  /* gg_worked of the calling thread */
    uint32_t k;
    int threads;
};

/* ---- the steps ---- */

static void count_neighbours(void *peeling, uint64_t low, uint64_t high) {
    struct peeling *p = peeling;
    uint64_t fewest = UINT64_MAX;
    for (uint64_t v = low; v < high && !gg_leave(p->run, v); v++) {
        p->core[v] = (uint32_t)(p->rows.end[v] - p->rows.begin[v]);
        p->rest[v] = (uint32_t)v;
        fewest = p->core[v] < fewest ? p->core[v] : fewest;
    }
    gg_lower(&p->fewest, fewest);
}

/* Moves vertices with k remaining neighbours to the queue, and keeps vertices with
** more. */
static void part_rest(void *peeling, uint64_t low, uint64_t high) {
    struct peeling *p = peeling;
    struct gg_claims gone, stays;
    uint64_t fewest = UINT64_MAX;
    gone.count = stays.count = 0;
    for (uint64_t i = low; i < high && !gg_leave(p->run, i); i++) {
        const uint32_t v = p->rest[i], left = p->core[v];
        if (left == p->k) {
            gg_claim(&gone, v, p->queue, &p->tail);
        } else if (left > p->k) {
            fewest = left < fewest ? left : fewest;
            gg_claim(&stays, v, p->next_rest, &p->next_count);
        }
    }
    gg_hand_claims_over(&gone, p->queue, &p->tail);
    gg_hand_claims_over(&stays, p->next_rest, &p->next_count);
    gg_lower(&p->fewest, fewest);
}

/* Removes the vertices of the queue from i to end: with `shared` a part of a pass,
** otherwise all vertices that drop to k, too. Returns how far it came, because the
** calling thread alone stops when helpers pay. */
static inline __attribute__((always_inline)) uint64_t
take_vertices(struct peeling *p, uint64_t i, uint64_t end, bool shared, uint64_t *since) {
    const uint32_t k = p->k;
    struct gg_claims c;
    c.count = 0;
    for (; i < end; i++) {
        const uint64_t row = p->rows.begin[p->queue[i]],
                       row_end = p->rows.end[p->queue[i]];
        if (gg_worked(p->run, since, row_end - row + 1))
            break;
        for (uint64_t a = row; a < row_end && !gg_leave(p->run, a); a++) {
            const uint32_t u = p->rows.target[a];
            uint32_t *left = &p->core[u];
            uint32_t before = __atomic_load_n(left, __ATOMIC_RELAXED);
            if (before <= k)
                continue;
            if (shared)
                before = __atomic_fetch_sub(left, 1, __ATOMIC_RELAXED);
            else
                *left = before - 1;
            if (before == k + 1 && shared)
                gg_claim(&c, u, p->queue, &p->tail);
            else if (before == k + 1)
                p->queue[end++] = u;
            else if (shared && before <= k)
                __atomic_fetch_add(left, 1, __ATOMIC_RELAXED);
        }
        if (!shared && p->threads > 1 && end - i > CORES_WIDE)
            break;
    }
    if (shared)
        gg_hand_claims_over(&c, p->queue, &p->tail);
    else
        p->tail = end;
    return i < end ? i + 1 : end;
}

static void take_shared_queue(void *peeling, uint64_t low, uint64_t high) {
    struct peeling *p = peeling;
    uint64_t since = GG_POLL_ITEMS; /* each of many chunks may have few arcs */
    take_vertices(p, p->first + low, p->first + high, true, &since);
}

/* Removes all vertices for this k. */
static void take_queue(struct peeling *p) {
    for (p->last = p->first; p->last < p->tail && !gg_stopping(p->run);) {
        p->first = p->last;
        if (p->threads > 1 && p->tail - p->first > CORES_WIDE) {
            p->last = p->tail;
            gg_chunks(p->threads, p->last - p->first, CHUNK, take_shared_queue, p);
        } else {
            p->last = take_vertices(p, p->first, p->tail, false, &p->since);
        }
    }
    p->first = p->last;
}

static void peel_all(struct peeling *p) {
    const uint64_t n = p->graph->n;
    p->fewest = UINT64_MAX;
    gg_chunks(p->threads, n, REST_CHUNK, count_neighbours, p);
    p->rest_count = n;
    while (p->tail < n && !gg_stopping(p->run)) {
        p->k = p->fewest == UINT64_MAX || p->fewest < p->k ? p->k : (uint32_t)p->fewest;
        p->next_count = 0;
        p->fewest = UINT64_MAX;
        const int threads = p->rest_count > CORES_WIDE ? p->threads : 1;
        gg_chunks(threads, p->rest_count, REST_CHUNK, part_rest, p);
        uint32_t *swapped = p->rest;
        p->rest = p->next_rest;
        p->next_rest = swapped;
        p->rest_count = p->next_count;
        if (p->tail > p->first) {
            take_queue(p);
            p->k++;
            p->fewest = UINT64_MAX; /* counters have changed since */
        }
    }
}

/* ---- the driver ---- */

static gpugraph_status find_cores_on_cpu(gpugraph_graph *graph, gpugraph_run *run,
                                         uint32_t *core) {
    struct peeling p = {.graph = graph, .run = run, .core = core};
    const uint32_t n = graph->n;
    if (gg_rows(graph, CSR_SIMPLE, false, false, run, &p.rows))
        return run->status;
    const double start = gg_now_ms();
    p.threads = gg_threads(run, p.rows.m + n);
    p.queue = gg_alloc(run, n, sizeof *p.queue);
    p.rest = gg_alloc(run, n, sizeof *p.rest);
    p.next_rest = gg_alloc(run, n, sizeof *p.next_rest);
    if (!gg_stopping(run))
        peel_all(&p);
    gg_release(p.queue);
    gg_release(p.rest);
    gg_release(p.next_rest);
    return gg_search_phase(run, start, (int64_t)p.rows.m, "%d thread(s)", p.threads);
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
