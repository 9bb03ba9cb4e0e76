/* The slabs of a dynamic graph in host memory, and its steps on CPU threads: each thread
** is a warp of one lane (base/warp.h). */
#include "batch_item.h"
#include "graph_data.h"

#include <string.h>

/* ---- memory and time ---- */

static bool open_cpu(gpugraph_dynamic *d, gpugraph_run *run) {
    (void)d;
    return run->status == GPUGRAPH_OK;
}

static void close_cpu(gpugraph_dynamic *d, gpugraph_run *run) {
    (void)d;
    (void)run;
}

static void *take_cpu(gpugraph_dynamic *d, uint64_t bytes) {
    return gg_alloc(d->run, bytes, 1);
}

static void give_cpu(gpugraph_dynamic *d, void *block, uint64_t bytes) {
    (void)d;
    (void)bytes;
    gg_release(block);
}

static void fill_cpu(gpugraph_dynamic *d, void *block, int byte, uint64_t bytes) {
    if (d->run->status == GPUGRAPH_OK && bytes > 0)
        memset(block, byte, bytes);
}

static void copy_cpu(gpugraph_dynamic *d, void *to, const void *from, uint64_t bytes) {
    if (d->run->status == GPUGRAPH_OK && bytes > 0)
        gg_copy(d->run, to, from, bytes);
}

static void mark_cpu(gpugraph_dynamic *d, int which) {
    d->mark_ms[which] = gg_now_ms();
}

static double elapsed_cpu(gpugraph_dynamic *d) {
    return d->mark_ms[1] - d->mark_ms[0];
}

/* ---- steps over the items of a batch ---- */

/* The counts of one thread. */
struct tally {
    uint64_t added, removed, sectors, triangles, far;
    uint64_t since; /* work since the latest poll (gg_worked) */
};

static bool in_order(const struct dynamic_batch *b, uint64_t i) {
    return i + 1 >= b->count || b->source[i] < b->source[i + 1] ||
           (b->source[i] == b->source[i + 1] && b->target[i] < b->target[i + 1]);
}

/* Searching or changing a table for an item is as much work as this many arcs. */
enum { ITEM_WORK = 8 };

static void announce_item(const gpugraph_dynamic *d, const struct dynamic_batch *b,
                          uint64_t i, struct tally *t) {
    uint32_t from = b->source[i], sectors;
    uint32_t before = device_reserve(&d->slabs.incoming[from], 1);
    if (slab_announce(&d->slabs, from, before, d->valued, &sectors))
        slab_list_growing(&d->slabs, from, sectors);
    t->far += before >= SLAB_FAR;
    if (!in_order(b, i))
        device_store(&d->slabs.pool->report.unsorted, 1);
}

/* Completes an insertion according to its outcome. */
static void finish_insertion(const gpugraph_dynamic *d, const struct dynamic_batch *b,
                             uint64_t i, enum slab_outcome outcome, bool claims,
                             struct tally *t) {
    const struct slab_graph *g = &d->slabs;
    uint32_t from = b->source[i];
    if (outcome == SLAB_ADDED) {
        device_take(&g->vertex[from].used, 1);
        t->added++;
    } else if (outcome == SLAB_FOUND && claims) {
        slab_mark(g, from, b->target[i]);
    } else if (outcome == SLAB_LATER) {
        b->result[device_take(&g->pool->later, 1)] = (uint32_t)i;
        if (slab_put_off(g, from))
            slab_list_growing(g, from, slab_vertex_now(g, from).sectors);
    }
}

static void insert_item(const gpugraph_dynamic *d, const struct dynamic_batch *b,
                        uint64_t i, struct tally *t) {
    const struct slab_graph *g = &d->slabs;
    uint64_t pair = batch_pair(b, i, d->valued);
    bool claims = !b->keep && (b->unsorted || device_load(&g->pool->report.unsorted));
    enum slab_outcome outcome =
        slab_put(g, slab_vertex_now(g, b->source[i]), pair, d->valued,
                 claims || b->keep ? SLAB_KEEP : SLAB_REPLACE, SLAB_NOW);
    finish_insertion(d, b, i, outcome, d->valued && claims, t);
}

static void attempt_item(const gpugraph_dynamic *d, const struct dynamic_batch *b,
                         uint64_t i, struct tally *t) {
    const struct slab_graph *g = &d->slabs;
    uint64_t pair = batch_pair(b, i, d->valued);
    struct slab_hand hand = slab_empty_hand(b->source[i]);
    enum slab_outcome outcome;
    while ((outcome = slab_attempt(g, pair, d->valued, &hand)) == SLAB_WANTS)
        if (!slab_take_in_hand(g, &hand))
            return;
    slab_give_back(g, &hand);
    finish_insertion(d, b, i, outcome, d->valued && !b->keep, t);
}

static void triangles_of(const gpugraph_dynamic *d, const struct dynamic_batch *b,
                         uint32_t v, struct tally *t) {
    uint32_t *row = b->row_target + b->row_offset[v], ahead = 0, value;
    uint64_t length = b->row_offset[v + 1] - b->row_offset[v], at;
    for (uint64_t i = 0; i < length; i++)
        if (batch_ranks_before(b, v, row[i]))
            row[ahead++] = row[i];
    for (uint32_t i = 0; i < ahead && !gg_worked(d->run, &t->since, ITEM_WORK * length);
         i++)
        for (uint32_t j = i + 1; j < ahead; j++)
            t->triangles +=
                slab_find(&d->slabs, row[i], row[j], d->valued, SLAB_FROZEN, &value, &at);
}

/* ---- driver ---- */

static void fill_row(const gpugraph_dynamic *d, const struct dynamic_batch *b, uint64_t i,
                     struct tally *t) {
    uint32_t v = batch_vertex(b, i);
    uint32_t *value = b->name_rows ? NULL : b->row_value;
    slab_copy_short_row(&d->slabs, d->slabs.vertex[v], d->valued, b->row_target, value,
                        b->row_offset[i]);
    for (uint64_t at = b->row_offset[i]; b->name_rows && at < b->row_offset[i + 1]; at++)
        b->row_value[at] = v;
    gg_worked(d->run, &t->since, b->row_offset[i + 1] - b->row_offset[i]);
}

/* Rehashes a vertex, or a part of a huge one. */
static void rehash_item(const gpugraph_dynamic *d, const struct dynamic_batch *b,
                        uint32_t i) {
    const struct slab_graph *g = &d->slabs;
    uint32_t whole = g->pool->growing[0] + g->pool->growing[1];
    uint32_t word[SLAB_SIZE], filled[SLAB_SECTORS];
    const struct slab_desk desk = {word, filled};
    if (i < whole)
        slab_rehash(&b->old, g, slab_growing_vertex(g, i), 1, 1, &desk, d->valued);
    else
        slab_move_part(&b->old, g, i - whole, &desk, d->valued);
}

static void one_item(const gpugraph_dynamic *d, enum dynamic_step step,
                     const struct dynamic_batch *b, uint64_t i, struct tally *t) {
    const struct slab_graph *g = &d->slabs;
    uint32_t v = batch_vertex(b, i);
    switch (step) {
    case STEP_ANNOUNCE:
        announce_item(d, b, i, t);
        break;
    case STEP_LIST_DEAD:
    case STEP_LIST_ALL:
        batch_list(g, (uint32_t)i, step == STEP_LIST_ALL);
        break;
    case STEP_SUM_BASES:
        v = slab_growing_vertex(g, i);
        t->sectors += slab_wanted(g, v, g->vertex[v], d->valued);
        break;
    case STEP_REHASH:
        rehash_item(d, b, (uint32_t)i);
        break;
    case STEP_PLAN:
        slab_plan_move(&b->old, g, (uint32_t)i, d->valued);
        break;
    case STEP_FINISH:
        slab_finish_part(&b->old, g, (uint32_t)i);
        break;
    case STEP_INSERT:
        insert_item(d, b, i, t);
        break;
    case STEP_ATTEMPT:
        attempt_item(d, b, i, t);
        break;
    case STEP_INSERT_LATER:
        insert_item(d, b, b->result[i], t);
        break;
    case STEP_CLAIM:
        batch_claim(g, b, i);
        break;
    case STEP_SETTLE:
        batch_settle(g, b, i);
        break;
    case STEP_DELETE:
        t->removed += batch_delete(g, b, i, d->valued);
        break;
    case STEP_QUERY:
        batch_query(g, b, i, d->valued);
        break;
    case STEP_CLEAR:
        t->removed += slab_clear_vertex(g, v);
        break;
    case STEP_COUNT_ROWS:
        b->row_count[i] = g->vertex[v].used - g->vertex[v].dead;
        break;
    case STEP_FILL_ROWS:
        fill_row(d, b, i, t);
        break;
    case STEP_TRIANGLES:
        triangles_of(d, b, v, t);
        break;
    case STEP_REST:
        break;
    }
}

static uint64_t items_of(const gpugraph_dynamic *d, enum dynamic_step step,
                         const struct dynamic_batch *b) {
    const struct slab_pool *pool = d->slabs.pool;
    switch (step) {
    case STEP_SUM_BASES:
        return (uint64_t)pool->growing[0] + pool->growing[1] + pool->growing[2];
    case STEP_PLAN:
        return pool->growing[2];
    case STEP_REHASH:
        return (uint64_t)pool->growing[0] + pool->growing[1] + pool->parts;
    case STEP_FINISH:
        return pool->parts;
    case STEP_LIST_DEAD:
    case STEP_LIST_ALL:
        return d->slabs.n;
    case STEP_INSERT:
        return pool->report.full ? 0 : b->count; /* a vertex may have no table */
    case STEP_INSERT_LATER:
        return pool->report.full ? 0 : pool->later;
    case STEP_CLAIM:
    case STEP_SETTLE:
        return d->valued && pool->report.marked ? b->count : 0;
    default:
        return b->count;
    }
}

typedef struct step_job {
    gpugraph_dynamic *d;
    const struct dynamic_batch *b;
    enum dynamic_step step;
    bool settles;   /* the step completes earlier steps; interrupts do not stop it */
    uint64_t since; /* work since the latest poll (gg_worked) */
} step_job;

static void do_items(void *job, uint64_t low, uint64_t high) {
    step_job *s = job;
    gpugraph_run *run = s->d->run;
    struct slab_report *report = &s->d->slabs.pool->report;
    /* A chunk is short, so its work since the latest poll is passed to the next chunk, of
    ** any thread. */
    struct tally done = {.since = __atomic_exchange_n(&s->since, 0, __ATOMIC_RELAXED)};
    for (uint64_t i = low; i < high; i++) {
        if (!s->settles && (gg_stopping(run) || gg_worked(run, &done.since, ITEM_WORK)))
            break;
        one_item(s->d, s->step, s->b, i, &done);
    }
    device_add_64(&report->added, done.added);
    device_add_64(&report->removed, done.removed);
    device_add_64(&report->sectors, done.sectors);
    device_add_64(&report->triangles, done.triangles);
    device_add_64(&report->far, done.far);
    device_add_64(&s->since, done.since);
}

/* Called by one thread at the end of STEP_SETTLE. */
static void end_phase(const struct slab_graph *g) {
    if (g->pool->report.marked)
        memset(g->filter, 0, SLAB_FILTER_WORDS * sizeof *g->filter);
    slab_end_phase(g);
}

static void run_step(gpugraph_dynamic *d, enum dynamic_step step,
                     const struct dynamic_batch *b) {
    gpugraph_run *run = d->run;
    bool settles = step == STEP_FINISH || step == STEP_CLAIM || step == STEP_SETTLE;
    if (run->status && !settles)
        return;
    step_job job = {d, b, step, settles, GG_POLL_ITEMS};
    uint64_t items = items_of(d, step, b);
    gg_chunks(gg_threads(run, items * GG_SLAB_WORK), items, GG_SLAB_ITEMS, do_items,
              &job);
    if (step == STEP_SETTLE)
        end_phase(&d->slabs);
    if (gg_stopping(run) && run->status == GPUGRAPH_OK)
        gg_stopped(run);
}

static void step_cpu(gpugraph_dynamic *d, enum dynamic_step step,
                     const struct dynamic_batch *b) {
    static const enum dynamic_step rest[] = {STEP_PLAN,         STEP_REHASH, STEP_FINISH,
                                             STEP_INSERT_LATER, STEP_CLAIM,  STEP_SETTLE};
    for (size_t i = 0; step == STEP_REST && i < sizeof rest / sizeof *rest; i++)
        run_step(d, rest[i], b);
    if (step != STEP_REST)
        run_step(d, step, b);
}

static void offsets_cpu(gpugraph_dynamic *d, const struct dynamic_batch *b) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < b->count && !gg_leave(d->run, i); i++) {
        b->row_offset[i] = sum;
        sum += b->row_count[i];
    }
    b->row_offset[b->count] = sum;
    if (gg_stopping(d->run) && d->run->status == GPUGRAPH_OK)
        gg_stopped(d->run);
}

const dynamic_place gg_cpu_dynamic = {
    .open = open_cpu,
    .close = close_cpu,
    .take = take_cpu,
    .give = give_cpu,
    .fill = fill_cpu,
    .copy = copy_cpu,
    .upload = copy_cpu,
    .download = copy_cpu,
    .step = step_cpu,
    .offsets = offsets_cpu,
    .mark = mark_cpu,
    .elapsed = elapsed_cpu,
    .host = true,
    .announced_items = UINT64_MAX, /* threads do not wait for each other */
};
