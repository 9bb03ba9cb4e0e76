/* Dynamic graphs: create, free, and batches of edges.
**
**     insert  (gather) -> announce -> (sum bases) -> rehash -> insert -> claim -> settle
**       or    attempt -> (rehash -> insert later) -> claim -> settle
**     delete  delete
**     clean   list dead -> rehash
**
** If the arena is exhausted in the middle of a batch, the steps skip the rest and report
** this. Then the arena grows and the batch runs again. Repeated insertions do no harm. */
#include "dynamic.h"
#include "base/limits.h"
#include "graph_data.h"

#include <string.h>

/* The load of a new base, entries divided by places; the published value. */
#define SLAB_LOAD 0.7
/* Slack of a table of slabs that grows: additional entries for each entry that it
** needs. */
#define SLAB_SLACK 1.0
enum {
    /* A batch is attempted if the graph has SLAB_SURPRISE edges for each insertion. But
    ** it is announced if there is one insertion for SLAB_SPREAD vertices and one of these
    ** holds: SLAB_DENSE insertions for each vertex; SLAB_LARGE insertions; more than
    ** 1 / SLAB_SKEW of the latest announced batch followed many other items of the same
    ** vertex. */
    SLAB_SPREAD = 2,
    SLAB_SURPRISE = 4,
    SLAB_DENSE = 2,
    SLAB_LARGE = 1 << 22,
    SLAB_SKEW = 5
};

/* Bytes of a batch's arrays that are kept for the next batch. */
#define KEPT_SCRATCH ((uint64_t)128 << 20)

/* ---- create and free ---- */

bool gg_dynamic_open(gpugraph_dynamic *d, gpugraph_run *run) {
    d->run = run;
    d->ms = 0;
    gg_begin(run);
    run->used_backend = d->place == &gg_cpu_dynamic ? "cpu" : "cuda";
    if (!d->place->host && run->device != d->device) {
        gg_fail(run, GPUGRAPH_INVALID,
                "the dynamic graph is on CUDA device %d, but the run names device %d",
                d->device, run->device);
        return false;
    }
    return d->place->open(d, run);
}

gpugraph_status gg_dynamic_close(gpugraph_dynamic *d) {
    gpugraph_run *run = d->run;
    d->place->close(d, run);
    d->run = NULL;
    gg_dynamic_mend(d, run);
    return run->status;
}

/* Uses its own run, which has no interrupts and needs no memory. */
void gg_dynamic_mend(gpugraph_dynamic *d, const gpugraph_run *failed) {
    gpugraph_run run = {.device = d->device};
    struct dynamic_batch none = {0};
    bool lost = d->reporting && failed->status;
    d->reporting = false;
    if (!lost)
        return;
    d->run = &run;
    if (d->place->open(d, &run)) {
        gg_dynamic_step(d, STEP_SETTLE, &none);
        gg_dynamic_count(d);
    }
    d->place->close(d, &run);
    d->run = NULL;
}

const dynamic_place *gg_dynamic_place(gpugraph_run *run) {
    const char *why = "";
    if (run->backend == GPUGRAPH_CPU)
        return &gg_cpu_dynamic; /* without asking the driver, which takes time */
    if (gpugraph_cuda_usable(&why) && gg_cuda_dynamic)
        return gg_cuda_dynamic;
    if (run->backend == GPUGRAPH_AUTO)
        return &gg_cpu_dynamic;
    gg_fail(run, GPUGRAPH_NO_DEVICE,
            "no CUDA device can be used: %s; use backend 'cpu' or 'auto'", why);
    return NULL;
}

gpugraph_status gg_dynamic_new(const gpugraph_dynamic_options *options,
                               const dynamic_place *place, struct cuda_job *job,
                               gpugraph_run *run, gpugraph_dynamic **graph) {
    *graph = NULL;
    gg_begin(run);
    if (options->vertices > SLAB_MOST_VERTICES || options->load < 0 || options->load > 8)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "a dynamic graph has at most %u vertices (%u are requested) and a "
                       "load of 0 to 8 (%g)",
                       SLAB_MOST_VERTICES, options->vertices, options->load);
    gpugraph_dynamic *d = gg_alloc_zero(run, 1, sizeof *d);
    if (!d)
        return run->status;
    d->place = place;
    d->held = job != NULL;
    d->lent = job;
    d->device = run->device;
    d->valued = options->valued;
    d->slabs.salt = (uint32_t)gg_placing().salt;
    d->slabs.load = options->load > 0 ? (float)options->load : (float)SLAB_LOAD;
    d->slabs.n = options->vertices;
    if (gg_dynamic_open(d, run)) {
        gg_dynamic_enlarge(d, &d->tables.pool, sizeof(struct slab_pool), 0);
        gg_dynamic_grow_vertices(d, options->vertices > 0 ? options->vertices : 1);
        gg_dynamic_close(d);
    }
    d->run = NULL;
    if (run->status) {
        gpugraph_dynamic_free(d);
        return run->status;
    }
    *graph = d;
    return GPUGRAPH_OK;
}

gpugraph_status gpugraph_dynamic_create(const gpugraph_dynamic_options *options,
                                        gpugraph_run *run, gpugraph_dynamic **graph) {
    gg_begin(run);
    if (!gg_needs(run, graph, 1, "graph"))
        return run->status;
    *graph = NULL;
    if (!gg_needs(run, options, 1, "options"))
        return run->status;
    const dynamic_place *place = gg_dynamic_place(run);
    return place ? gg_dynamic_new(options, place, NULL, run, graph) : run->status;
}

void gpugraph_dynamic_free(gpugraph_dynamic *d) {
    gpugraph_run run = {0};
    if (!d)
        return;
    run.device = d->device;
    d->run = &run;
    d->place->open(d, &run);
    struct held *const all[] = {&d->incoming, &d->growing, &d->huge, &d->scratch,
                                &d->rows};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gg_dynamic_drop(d, all[i]);
    gg_dynamic_drop_tables(d, &d->tables);
    d->place->close(d, &run);
    gg_release(d->vacant.bits);
    gg_release(d);
}

uint32_t gpugraph_dynamic_vertex_count(const gpugraph_dynamic *d) {
    return d->slabs.n;
}

uint64_t gpugraph_dynamic_edge_count(const gpugraph_dynamic *d) {
    return d->edges;
}

int64_t gpugraph_dynamic_bytes(const gpugraph_dynamic *d) {
    const struct dynamic_tables *t = &d->tables;
    uint64_t lists = t->list[0].bytes + t->list[1].bytes + t->list[2].bytes;
    return (int64_t)(t->arena.bytes + t->vertex.bytes + t->pool.bytes + lists +
                     d->incoming.bytes + d->growing.bytes + d->huge.bytes +
                     d->scratch.bytes + d->rows.bytes);
}

/* ---- batches ---- */

static bool vertices_fit(gpugraph_dynamic *d, uint64_t count, const uint32_t *vertex) {
    uint32_t largest = 0;
    for (uint64_t i = 0; i < count; i++) {
        largest = vertex[i] > largest ? vertex[i] : largest;
        if ((i + 1) % GG_POLL_ITEMS == 0)
            gg_pause(d->run); /* the first step then ends the batch */
    }
    if (count == 0 || largest < d->slabs.n)
        return true;
    gg_fail(d->run, GPUGRAPH_INVALID,
            "vertex %u is named, but the graph has %u: reserve it first", largest,
            d->slabs.n);
    return false;
}

void gg_dynamic_new_report(gpugraph_dynamic *d) {
    if (!gg_dynamic_going(d))
        return;
    d->place->fill(d, &d->slabs.pool->report, 0, sizeof d->slabs.pool->report);
    d->reporting = true;
}

struct slab_pool gg_dynamic_count(gpugraph_dynamic *d) {
    struct slab_pool pool = gg_dynamic_pool(d);
    if (gg_dynamic_going(d)) {
        d->edges += pool.report.added - pool.report.removed;
        d->reporting = false;
    }
    return pool;
}

/* Clears the counts of announced insertions and the filter. */
static void forget_announcements(gpugraph_dynamic *d) {
    d->place->fill(d, d->incoming.block, 0,
                   ((uint64_t)SLAB_FILTER_WORDS + d->slabs.n) * sizeof(uint32_t));
}

/* Opens the place, checks the batch and makes room in the scratch memory. */
static bool open_batch(gpugraph_dynamic *d, gpugraph_run *run, uint64_t count,
                       const uint32_t *source, const uint32_t *target, uint64_t bytes) {
    if (!gg_dynamic_open(d, run))
        return false;
    if (count > UINT32_MAX - 1)
        gg_fail(run, GPUGRAPH_TOO_LARGE, "a batch has at most %u items; this has %llu",
                UINT32_MAX - 1, (unsigned long long)count);
    return gg_dynamic_going(d) && (!source || vertices_fit(d, count, source)) &&
           (!target || vertices_fit(d, count, target)) &&
           gg_dynamic_make_room(d, &d->scratch, bytes);
}

bool gg_dynamic_begin_unsent(gpugraph_dynamic *d, gpugraph_run *run, uint64_t count,
                             const uint32_t *source, const uint32_t *target,
                             struct dynamic_batch *b) {
    *b = (struct dynamic_batch){.count = count};
    if (!open_batch(d, run, count, source, target, count * sizeof *b->result))
        return false;
    b->result = d->scratch.block;
    gg_dynamic_new_report(d);
    return gg_dynamic_going(d);
}

bool gg_dynamic_begin(gpugraph_dynamic *d, gpugraph_run *run, uint64_t count,
                      const uint32_t *source, const uint32_t *target,
                      const uint32_t *value, struct dynamic_batch *b) {
    const uint32_t *from[3] = {source, target, value};
    const uint32_t **to[3] = {&b->source, &b->target, &b->value};
    uint64_t bytes = count * sizeof(uint32_t), unit = (bytes + 255) / 256 * 256;
    memset(b, 0, sizeof *b);
    if (!open_batch(d, run, count, source, target, 4 * unit))
        return false;
    double started = gg_now_ms();
    char *scratch = d->scratch.block;
    for (int i = 0; i < 3; i++, scratch += unit) {
        *to[i] = d->place->host || !from[i] ? from[i] : (uint32_t *)scratch;
        if (from[i] && !d->place->host)
            d->place->upload(d, scratch, from[i], bytes);
    }
    b->result = (uint32_t *)scratch;
    b->count = count;
    if (!d->place->host)
        gg_phase(run, "upload", started, (int64_t)count, "a batch");
    gg_dynamic_new_report(d);
    return gg_dynamic_going(d);
}

gpugraph_status gg_dynamic_end(gpugraph_dynamic *d, const char *name, uint64_t items) {
    gg_phase(d->run, name, gg_now_ms() - d->ms, (int64_t)items, "%s",
             d->valued ? "map" : "set");
    struct held *const scratch[] = {&d->scratch, &d->rows};
    for (int i = 0; i < 2; i++)
        if (scratch[i]->bytes > KEPT_SCRATCH)
            gg_dynamic_drop(d, scratch[i]);
    return gg_dynamic_close(d);
}

/* Returns true if the graph has many edges for each item of the batch. Most items then
** find room at once. */
static bool are_few(const gpugraph_dynamic *d, const struct dynamic_batch *b) {
    return b->count <= d->edges / SLAB_SURPRISE;
}

/* Returns true if the batch is so large that announcing it pays. */
static bool are_many(const gpugraph_dynamic *d, const struct dynamic_batch *b) {
    uint64_t many = gg_limits.announced_items > 0 ? gg_limits.announced_items
                                                  : d->place->announced_items;
    return b->count >= many && b->count >= d->slabs.n / SLAB_SPREAD;
}

/* Enlarges the arena for a batch, unless compaction is better. */
static void make_batch_room(gpugraph_dynamic *d, const struct dynamic_batch *b) {
    double started = gg_now_ms();
    uint32_t before = d->slabs.capacity;
    if (d->end == 0)
        return;
    gg_dynamic_make_lists(d);
    if ((are_few(d, b) || are_many(d, b)) && !gg_dynamic_has_room(d, b->count) &&
        d->free <= d->end / 2)
        gg_dynamic_grow_arena(d, d->end / 2 + 2 * b->count);
    if (d->slabs.capacity > before)
        gg_phase(d->run, "room", started, (int64_t)d->slabs.capacity,
                 "sectors of 32 bytes");
}

/* Returns true if the batch is attempted, because it is small for the graph. But a large
** batch is announced if vertices have several items each, in this batch or in the latest
** announced batch. Tables then grow, and lanes would wait for one another. */
static bool is_attempted(const gpugraph_dynamic *d, const struct dynamic_batch *b) {
    const bool crowded = d->skewed || gg_limits.announced_items > 0 ||
                         b->count >= SLAB_LARGE ||
                         b->count >= (uint64_t)SLAB_DENSE * d->slabs.n;
    return d->end > 0 && gg_dynamic_has_room(d, b->count) && are_few(d, b) &&
           !(are_many(d, b) && crowded);
}

static void insert_once(gpugraph_dynamic *d, struct dynamic_batch *b) {
    b->first = d->end == 0;
    b->attempted = is_attempted(d, b);
    b->unsorted |= b->attempted;
    if (!b->attempted && !b->unsorted && d->place->gather)
        d->place->gather(d, b);
    if (d->announced || !b->attempted)
        forget_announcements(d);
    d->announced = true;
    d->slabs.slack = d->end > 0 ? (float)SLAB_SLACK : 0;
    if (b->attempted) {
        b->old = d->slabs;
        gg_dynamic_step(d, STEP_ATTEMPT, b);
        gg_dynamic_step(d, STEP_REST, b);
    } else {
        gg_dynamic_step(d, STEP_ANNOUNCE, b);
        gg_dynamic_rehash(d, b, 4 * b->count);
        gg_dynamic_step(d, STEP_INSERT, b);
        if (d->valued)
            gg_dynamic_step(d, STEP_CLAIM, b);
        gg_dynamic_step(d, STEP_SETTLE, b);
    }
    d->slabs.slack = 0;
}

void gg_dynamic_put(gpugraph_dynamic *d, struct dynamic_batch *b) {
    for (bool full = true; full && gg_dynamic_going(d);) {
        make_batch_room(d, b);
        gg_dynamic_start(d);
        insert_once(d, b);
        gg_dynamic_stop(d);
        struct slab_report report = gg_dynamic_count(d).report;
        full = report.full;
        if (!b->attempted) /* all items were examined */
            d->skewed = report.far > b->count / SLAB_SKEW;
        d->announced = !b->attempted || full || !gg_dynamic_going(d);
        if (full) {
            gg_dynamic_grow_arena(d, d->slabs.capacity / 2 + b->count / 2 + SLAB_SECTORS);
            gg_dynamic_new_report(d);
        }
    }
}

bool gg_needs_edges(gpugraph_run *run, uint64_t count, const uint32_t *source,
                    const uint32_t *target) {
    gg_begin(run);
    gg_needs(run, source, count, "source");
    return gg_needs(run, target, count, "target");
}

gpugraph_status gpugraph_dynamic_insert(gpugraph_dynamic *d, uint64_t count,
                                        const uint32_t *source, const uint32_t *target,
                                        const uint32_t *value, gpugraph_run *run,
                                        uint64_t *added) {
    struct dynamic_batch b;
    uint64_t before = d->edges;
    if (added)
        *added = 0;
    if (!gg_needs_edges(run, count, source, target) ||
        (d->valued && !gg_needs(run, value, count, "value")))
        return run->status;
    if (!gg_dynamic_begin(d, run, count, source, target, d->valued ? value : NULL, &b))
        return gg_dynamic_close(d);
    gg_dynamic_occupy(d, count, source);
    gg_dynamic_occupy(d, count, target);
    gg_dynamic_put(d, &b);
    gg_dynamic_end(d, "insert", count);
    if (added)
        *added = d->edges - before;
    return run->status;
}

gpugraph_status gpugraph_dynamic_delete(gpugraph_dynamic *d, uint64_t count,
                                        const uint32_t *source, const uint32_t *target,
                                        gpugraph_run *run, uint64_t *removed) {
    struct dynamic_batch b;
    uint64_t before = d->edges;
    if (removed)
        *removed = 0;
    if (!gg_needs_edges(run, count, source, target))
        return run->status;
    if (!gg_dynamic_begin(d, run, count, source, target, NULL, &b))
        return gg_dynamic_close(d);
    gg_dynamic_start(d);
    gg_dynamic_step(d, STEP_DELETE, &b);
    gg_dynamic_stop(d);
    gg_dynamic_count(d);
    gg_dynamic_end(d, "delete", count);
    if (removed)
        *removed = before - d->edges;
    return run->status;
}

gpugraph_status gpugraph_dynamic_query(gpugraph_dynamic *d, uint64_t count,
                                       const uint32_t *source, const uint32_t *target,
                                       gpugraph_run *run, uint32_t *value) {
    struct dynamic_batch b;
    if (!gg_needs_edges(run, count, source, target) ||
        !gg_needs(run, value, count, "value"))
        return run->status;
    if (!gg_dynamic_begin(d, run, count, source, target, NULL, &b))
        return gg_dynamic_close(d);
    gg_dynamic_start(d);
    gg_dynamic_step(d, STEP_QUERY, &b);
    gg_dynamic_stop(d);
    d->place->download(d, value, b.result, count * sizeof *value);
    return gg_dynamic_end(d, "query", count);
}

gpugraph_status gpugraph_dynamic_clean(gpugraph_dynamic *d, gpugraph_run *run) {
    struct dynamic_batch b = {0};
    if (!gg_dynamic_open(d, run))
        return gg_dynamic_close(d);
    gg_dynamic_make_lists(d);
    for (bool full = true; full && gg_dynamic_going(d);) {
        gg_dynamic_new_report(d);
        forget_announcements(d);
        gg_dynamic_start(d);
        gg_dynamic_step(d, STEP_LIST_DEAD, &b);
        gg_dynamic_rehash(d, &b, UINT64_MAX);
        gg_dynamic_step(d, STEP_SETTLE, &b);
        gg_dynamic_stop(d);
        full = gg_dynamic_pool(d).report.full;
        if (full)
            gg_dynamic_grow_arena(d, d->slabs.capacity / 2 + SLAB_SECTORS);
    }
    return gg_dynamic_end(d, "clean", d->slabs.n);
}
