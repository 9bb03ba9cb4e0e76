/* Predicts the times of searches, and corrects predictions by measured times. */
#include "model.h"
#include "device/cost.h"
#include "device/services.h"
#include "graph/copy.h"
#include "graph/graph.h"

#include <math.h>
#include <string.h>

/* Nanoseconds for one thread to make an arc of CSR_SIMPLE. */
#define COST_SIMPLE 18.0
/* Replaces GG_COST_SPEEDUP for thin graphs, whose frontiers are narrow. (Roads of 10 M
** edges by weight, on a shared machine: 160 to 240 ms with 28 threads; one thread, at
** 15 ns an arc, takes 150 ms.) */
#define COST_THIN_SPEEDUP 2.0
/* Milliseconds, predicted or measured, from which a time corrects predictions. */
#define LEARN_MS 0.5
/* Bytes that one thread uploads in a millisecond through a pinned buffer. */
#define UPLOAD_BYTES_PER_MS 5e6

enum { LIKES = 4, MOST_ALGORITHMS = 32 };

/* ---- the shape of a graph ---- */

/* Edges for each vertex below which a graph counts as thin: roads, chains. */
enum { THIN_DEGREE = 4 };

double gg_arcs_once(const gpugraph_graph *graph) {
    return (double)graph->m;
}

double gg_arcs_twice(const gpugraph_graph *graph) {
    return 2 * (double)graph->m;
}

bool gg_is_thin(const gpugraph_graph *graph) {
    return (double)graph->m < (double)graph->n * THIN_DEGREE;
}

/* ---- corrections ---- */

enum { MOST_LEARNED = 3000 }; /* a factor of 8 */

void gg_learn(struct learned *l, double ratio) {
    if (!(ratio > 0))
        return;
    double place = log2(ratio) * 1000;
    int32_t value = place > MOST_LEARNED    ? MOST_LEARNED
                    : place < -MOST_LEARNED ? -MOST_LEARNED
                                            : (int32_t)place;
    uint32_t at = __atomic_fetch_add(&l->reports, 1, __ATOMIC_RELAXED) % LEARNED_RATIOS;
    __atomic_store_n(&l->ratio[at], value, __ATOMIC_RELAXED);
}

double gg_learned(const struct learned *l) {
    int32_t sorted[LEARNED_RATIOS];
    for (int i = 0; i < LEARNED_RATIOS; i++) {
        int32_t value = __atomic_load_n(&l->ratio[i], __ATOMIC_RELAXED);
        int k = i;
        for (; k > 0 && sorted[k - 1] > value; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = value;
    }
    const int median = LEARNED_RATIOS / 2;
    return exp2(sorted[median] / 1000.0);
}

static struct known {
    const gg_algorithm *algorithm; /* NULL: free */
    struct learned on[GPUGRAPH_CUDA + 1][LIKES];
} known[MOST_ALGORITHMS];

/* Returns an algorithm's entry, made on first need, or NULL if the table is full. */
static struct known *find_model(const gg_algorithm *a) {
    for (int i = 0; i < MOST_ALGORITHMS; i++) {
        const gg_algorithm *there = NULL;
        if (__atomic_compare_exchange_n(&known[i].algorithm, &there, a, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
            there == a)
            return &known[i];
    }
    return NULL;
}

int gg_like(const gpugraph_graph *graph, const gpugraph_search *search) {
    bool part = search && (search->target_count > 0 || search->bounded ||
                           search->limit > 0 || search->max_depth != GPUGRAPH_NONE);
    return 2 * part + gg_is_thin(graph);
}

void gg_report_time(const gg_algorithm *a, int like, gpugraph_backend on,
                    const struct prediction *predicted, double ms) {
    struct known *k = find_model(a);
    if (k && predicted->stays_ms == 0 &&
        (ms >= LEARN_MS || predicted->search_ms >= LEARN_MS))
        gg_learn(&k->on[on][like],
                 ms / predicted->search_ms * gg_learned(&k->on[on][like]));
}

void gg_unlearn(void) {
    memset(known, 0, sizeof known);
}

/* ---- predictions ---- */

uint64_t gg_missing_arcs(const gpugraph_graph *graph, const gg_algorithm *a) {
    if (a->rows == CSR_SIMPLE)
        return gg_csr_made(graph, CSR_SIMPLE) ? 0 : 2 * graph->m;
    const bool made = a->rows == CSR_KINDS || gg_csr_made(graph, CSR_OUT) ||
                      gg_csr_made(graph, CSR_IN) || gg_csr_made(graph, CSR_BOTH);
    return made ? 0 : graph->m;
}

/* Returns the time to make rows that the host lacks. */
static double rows_ms(const gpugraph_graph *graph, const gg_algorithm *a,
                      const gpugraph_run *run) {
    double row_ns = a->rows == CSR_SIMPLE ? COST_SIMPLE : GG_COST_CSR;
    double rows = row_ns * (double)gg_missing_arcs(graph, a);
    int threads = gg_threads(run, (uint64_t)a->arcs(graph));
    return rows / fmin(threads, GG_COST_ROWS_SPEEDUP) * 1e-6;
}

static struct prediction on_cpu(const gpugraph_graph *graph, const gg_algorithm *a,
                                const gpugraph_run *run) {
    double arcs = a->arcs(graph);
    double away =
        gg_is_device_resident(graph) ? (double)graph->m * 3 * sizeof(uint32_t) : 0;
    int threads = gg_threads(run, (uint64_t)arcs);
    double most = a->alone && a->alone(graph) ? 1
                  : gg_is_thin(graph)         ? COST_THIN_SPEEDUP
                                              : GG_COST_SPEEDUP;
    return (struct prediction){.search_ms = arcs * a->cpu_ns / fmin(threads, most) * 1e-6,
                               .stays_ms = rows_ms(graph, a, run) +
                                           away / GG_DOWNLOAD_BYTES_PER_MS};
}

/* Returns the bytes per millisecond of an upload by threads that fill pinned buffers. */
static double bus(const gpugraph_run *run, double bytes) {
    int threads = gg_threads(run, (uint64_t)(bytes / GG_FILL_ITEMS));
    return fmin(threads * UPLOAD_BYTES_PER_MS, GG_UPLOAD_MOST);
}

static bool partitions_are_there(const gpugraph_graph *graph, const gg_algorithm *a,
                                 const gpugraph_run *run) {
    if (!graph->device)
        return false;
    const int before = gg_copies.look_at(run->device);
    const bool there = a->several->several_ready(graph, run->used_devices);
    gg_copies.look_at(before);
    return there;
}

/* several: each device has a partition and a bus of its own; the host makes the rows. */
static struct prediction on_devices(const gpugraph_graph *graph, const gg_algorithm *a,
                                    const gpugraph_run *run, bool several) {
    const double arcs = a->arcs(graph) / (several ? run->used_devices : 1),
                 steps = a->steps ? a->steps(graph) : 1,
                 step_us = several ? a->several_step_us : a->step_us,
                 arc_ns = several ? a->several_ns : a->cuda_ns,
                 result = (double)graph->n * sizeof(uint64_t),
                 edges = (double)graph->m * 2 * sizeof(uint32_t);
    struct prediction p = {.search_ms = steps * step_us * 1e-3 + arcs * arc_ns * 1e-6 +
                                        result / bus(run, result)};
    if (several ? partitions_are_there(graph, a, run) : gg_copy_is_there(graph, run))
        return p;
    p.stays_ms = edges / bus(run, edges) +
                 arcs * (several ? GG_COST_SEVERAL : GG_COST_DEVICE) * 1e-6;
    if (several)
        p.stays_ms += rows_ms(graph, a, run);
    if (several && gg_is_device_resident(graph))
        p.stays_ms += edges / GG_DOWNLOAD_BYTES_PER_MS;
    return p;
}

struct prediction gg_predict(const gpugraph_graph *graph, const gg_algorithm *a,
                             const gpugraph_search *search, gpugraph_backend on,
                             const gpugraph_run *run) {
    struct prediction p = on == GPUGRAPH_CPU
                              ? on_cpu(graph, a, run)
                              : on_devices(graph, a, run, on == GG_SEVERAL);
    const struct known *k = find_model(a);
    const int like = gg_like(graph, search);
    p.search_ms *= search && a->times ? a->times(search) : 1;
    if (on == GPUGRAPH_CPU && search && a->second_ms) {
        const double second_ms = a->second_ms(graph, search);
        p.second = second_ms < p.search_ms;
        p.search_ms = fmin(p.search_ms, second_ms);
    }
    p.search_ms *= k ? gg_learned(&k->on[on][like]) : 1;
    if (on == GG_SEVERAL) /* the correction of one device applies, too */
        p.search_ms *= k ? gg_learned(&k->on[GPUGRAPH_CUDA][like]) : 1;
    return p;
}

struct stakes gg_predict_stakes(const gpugraph_graph *graph, const gg_algorithm *a,
                                const gpugraph_search *search, const gpugraph_run *run) {
    struct prediction cpu = gg_predict(graph, a, search, GPUGRAPH_CPU, run);
    struct prediction cuda = gg_predict(graph, a, search, GPUGRAPH_CUDA, run);
    return (struct stakes){.cpu = gg_all_ms(&cpu),
                           .cpu_stays = cpu.stays_ms,
                           .cuda = gg_all_ms(&cuda),
                           .cuda_stays = cuda.stays_ms,
                           .searches = gg_searches(graph)};
}
