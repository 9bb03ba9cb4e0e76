/* Maximal independent set on the device: chooses a method, prepares the data that all
** methods need, and downloads the members. mis.c has the meaning and the CPU backend.
**
**     rows        CSR_SIMPLE, on the device or (out-of-core) pinned in host memory
**     hashes      computed by the kernels, or by the host if ids are not consecutive
**        |  one_launch.cu   one asynchronous kernel: "one-launch", and with balanced.h
**        |                  "one-launch-balanced" (one_launch_codes.cu); "out-of-core" is
**        v                  the balanced kernel with pinned rows
**     member[n]   downloaded
**
** "several", whose rows lie on several devices, is distributed/mis/several.cu.
**
** `auto` takes one-launch-balanced, but one-launch if rows are short, and out-of-core if
** the rows exceed the device's free memory or memory_limit. */
#include "mis.h"
#include "base/limits.h"
#include "ids/ids.h"
#include "mis.cuh"
#include "device/services.h"

/* ---- hashes ---- */

static bool hashed(gpugraph_priority priority) {
    return priority == GPUGRAPH_BY_DEGREE || priority == GPUGRAPH_BY_RANDOM;
}

/* Computes the hashes of the ids of all vertices, and uploads them to a block that the
** caller gives back. NULL: the run must end. Phase "hash". */
static uint32_t *upload_hashes(struct cuda_job *job, int64_t seed) {
    const double started = gg_now_ms();
    const uint32_t n = job->graph->n;
    const uint64_t bytes = (uint64_t)n * sizeof(uint32_t);
    uint32_t *hash = (uint32_t *)gg_alloc(job->run, n, sizeof *hash);
    uint32_t *block = hash ? (uint32_t *)gg_take(job, bytes) : NULL;
    if (block && (gg_hash_ids(job->graph, seed, job->run, hash) ||
                  !gg_upload(job, block, hash, bytes) || !gg_wait(job))) {
        gg_give(job, block, bytes);
        block = NULL;
    }
    gg_release(hash);
    if (block)
        gg_phase(job->run, "hash", started, n, "hashes of ids, by the CPU");
    return block;
}

/* Also sets hashes->stored if ids are not consecutive. Returns false when the run must
** end. */
static bool prepare_hashes(struct cuda_job *job, int64_t seed, struct id_hashes *hashes) {
    hashes->salt = gg_fixed_hash((uint64_t)seed + 0x9e3779b97f4a7c15u);
    hashes->first = (uint64_t)job->graph->ids.first_integer;
    if (!gg_going(job) || gg_ids_are_consecutive(job->graph))
        return gg_going(job);
    hashes->stored = upload_hashes(job, seed);
    return hashes->stored != NULL;
}

/* ---- choice and driver ---- */

static int64_t mis_device_bytes(const gpugraph_graph *graph, bool frugal) {
    const int64_t n = graph->n, hashes = gg_ids_are_consecutive(graph) ? 0 : 4 * n + 512;
    const int64_t own = hashes + (int64_t)gg_mis_one_launch_bytes(graph->n);
    const int64_t rows = gg_device_graph_lacks(graph, CSR_SIMPLE, false);
    const int64_t offsets = 8 * (n + 1); /* of pinned rows */
    return own + (frugal && offsets < rows ? offsets : rows);
}

struct mis_task {
    struct cuda_job *job;
    struct mis_graph *g;
    bool fits;      /* the rows fit the device */
    char more[100]; /* for the phase "search" */
};

/* The mean degree from which arcs are distributed evenly. With even distribution, roads
** (2.5) take 1.5 times as long, meshes (6) 0.8 times, and R-MATs (30) 0.25 times as long
** as without (H200). */
enum { BALANCED_DEGREE = 4 };

static bool is_balanced(const void *task) {
    const struct mis_task *t = (const struct mis_task *)task;
    return t->fits && t->g->m >= BALANCED_DEGREE * (uint64_t)t->g->n;
}

static bool is_sparse(const void *task) {
    return ((const struct mis_task *)task)->fits && !is_balanced(task);
}

static bool is_too_large(const void *task) {
    return !((const struct mis_task *)task)->fits;
}

static bool run_one_launch(void *task) {
    struct mis_task *t = (struct mis_task *)task;
    return gg_mis_one_launch(t->job, t->g, false, t->more, sizeof t->more);
}

static bool run_balanced(void *task) {
    struct mis_task *t = (struct mis_task *)task;
    return gg_mis_one_launch(t->job, t->g, true, t->more, sizeof t->more);
}

enum { OUT_OF_CORE = 2 };
static const gg_method methods[] = {
    {.is = {"mis", "one-launch", "cuda",
            "one asynchronous kernel decides each vertex as soon as it can"},
     .may = is_sparse,
     .run = run_one_launch},
    {.is = {"mis", "one-launch-balanced", "cuda",
            "as one-launch; a warp distributes the arcs of 32 vertices evenly"},
     .may = is_balanced,
     .run = run_balanced},
    {.is = {"mis", "out-of-core", "cuda",
            "as one-launch-balanced, rows in host memory: for graphs larger than the "
            "device"},
     .may = is_too_large,
     .run = run_balanced},
    {},
};

/* The method decides where the rows lie. Sets g->m, by which `auto` chooses again. */
static bool prepare_mis_graph(struct cuda_job *job, const gg_method *method,
                              gpugraph_priority priority, int64_t seed,
                              struct mis_graph *g) {
    struct device_csr rows;
    const bool pinned = method == &methods[OUT_OF_CORE];
    if (!(pinned ? gg_pinned_csr(job, &rows)
                 : gg_device_csr(job, CSR_SIMPLE, false, &rows)))
        return false;
    g->n = rows.n;
    g->m = rows.m;
    g->offset = rows.begin;
    g->end = rows.end;
    g->target = rows.target;
    g->priority = priority;
    g->shift = rows.n > 1 ? __builtin_clz(rows.n - 1) : 0;
    const bool scattered = rows.m < GG_MIS_SHORT_ROW * (uint64_t)rows.n &&
                           rows.n * sizeof *g->word > job->device->cache_bytes;
    g->first_share = scattered ? GG_MIS_FIRST_SHARE : GG_MIS_SHARE;
    g->stop = job->device->device_stop;
    return !hashed(priority) || prepare_hashes(job, seed, &g->hashes);
}

static void report_mis(const struct mis_task *t, double started) {
    const struct mis_graph *g = t->g;
    gg_search_phase(t->job->run, started, g->n, "%s, %s, kernels %.4f ms", t->more,
                    !hashed(g->priority) ? "no hashes"
                    : g->hashes.stored   ? "hashes computed by the host"
                                         : "hashes computed by the kernels",
                    gg_marked_ms(t->job));
}

static void search_mis_graph(struct cuda_job *job, gpugraph_priority priority,
                             int64_t seed, uint8_t *member) {
    struct mis_graph g = mis_graph();
    struct mis_task task = {
        job, &g, mis_device_bytes(job->graph, false) <= gg_device_room(job), ""};
    const gg_method *method = gg_settle_method(job->run, methods, &task);
    if (prepare_mis_graph(job, method, priority, seed, &g)) {
        method = gg_settle_method(job->run, methods, &task);
        const double started = gg_now_ms();
        if (method->run(&task)) {
            report_mis(&task, started);
            gg_bring(job, member, g.member, g.n, "members");
        }
    }
    if (g.hashes.stored)
        gg_give(job, (void *)g.hashes.stored, (uint64_t)g.n * sizeof *g.hashes.stored);
}

static gpugraph_status find_mis_on_device(gpugraph_graph *graph,
                                          gpugraph_priority priority, int64_t seed,
                                          gpugraph_run *run, uint8_t *member) {
    return gg_in_job(graph, run, [&](struct cuda_job *job) {
        search_mis_graph(job, priority, seed, member);
    });
}

extern "C" const algorithm_side gg_mis_cuda = {
    .methods = methods,
    .call = GG_CALLS(mis_entry, find_mis_on_device),
    .bytes = mis_device_bytes,
};
