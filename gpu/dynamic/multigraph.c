/* Multigraphs: create, free, and batches of edges.
**
**     insert    order -> groups -> pairs into the tables -> count new -> room -> link
**     delete    order -> groups -> count old -> room -> cut
**     query     one lane for each
**
** Everything that can fail comes before the last step, which cannot fail. After a failure
** a new pair may have an empty chain: no edges. */
#include "multigraph.h"
#include "graph_data.h"

#include <string.h>

/* The host sorts up to this number of items by insertion, and needs no count from the
** device before the last step. A sort on a device and the download of a count take 0.1 ms
** for any number of items. */
enum { CHAIN_FEW = 256 };

/* Bytes of a batch's arrays that are kept for the next batch. */
#define KEPT_BATCH ((uint64_t)128 << 20)

#define MOST_SLOTS ((uint64_t)CHAIN_END - 1)

/* ---- create and free ---- */

gpugraph_status gg_multigraph_new(const gpugraph_dynamic_options *options,
                                  const dynamic_place *place, struct cuda_job *job,
                                  gpugraph_run *run, gpugraph_multigraph **graph) {
    gpugraph_dynamic_options of_pairs = *options;
    gpugraph_dynamic *pairs;
    *graph = NULL;
    of_pairs.valued = true;
    if (gg_dynamic_new(&of_pairs, place, job, run, &pairs))
        return run->status;
    gpugraph_multigraph *m = gg_alloc_zero(run, 1, sizeof *m);
    if (!m) {
        gpugraph_dynamic_free(pairs);
        return run->status;
    }
    m->pairs = pairs;
    m->place = place == &gg_cpu_dynamic ? &gg_cpu_chains : gg_cuda_chains;
    *graph = m;
    return GPUGRAPH_OK;
}

gpugraph_status gpugraph_multigraph_create(const gpugraph_dynamic_options *options,
                                           gpugraph_run *run,
                                           gpugraph_multigraph **graph) {
    gg_begin(run);
    if (!gg_needs(run, graph, 1, "graph"))
        return run->status;
    *graph = NULL;
    if (!gg_needs(run, options, 1, "options"))
        return run->status;
    const dynamic_place *place = gg_dynamic_place(run);
    return place ? gg_multigraph_new(options, place, NULL, run, graph) : run->status;
}

void gpugraph_multigraph_free(gpugraph_multigraph *m) {
    gpugraph_run run = {0};
    if (!m)
        return;
    if (m->of)
        m->of->mirror = NULL;
    gpugraph_dynamic *d = m->pairs;
    run.device = d->device;
    d->run = &run;
    d->place->open(d, &run);
    gg_dynamic_drop(d, &m->slot);
    gg_dynamic_drop(d, &m->free);
    gg_dynamic_drop(d, &m->batch);
    gg_dynamic_drop(d, &m->rows);
    d->place->close(d, &run);
    gpugraph_dynamic_free(d);
    gg_release(m);
}

uint64_t gpugraph_multigraph_edge_count(const gpugraph_multigraph *m) {
    return m->of ? m->of->edges : m->edges;
}

int64_t gpugraph_multigraph_bytes(const gpugraph_multigraph *m) {
    return gpugraph_dynamic_bytes(m->pairs) +
           (int64_t)(m->slot.bytes + m->free.bytes + m->batch.bytes + m->rows.bytes);
}

/* ---- a batch ---- */

struct chain_batch gg_chain_batch(const gpugraph_multigraph *m) {
    struct chain_batch c = {.slot = (m->of ? m->of : m)->slot.block,
                            .free = m->free.block,
                            .free_count = m->free_count,
                            .end = m->end};
    return c;
}

void *gg_chain_carve(char *block, uint64_t *used, uint64_t count, uint64_t size) {
    void *at = block ? block + *used : NULL;
    *used += (count * size + 255) / 256 * 256;
    return at;
}

/* Adds up need[0 .. items - 1] to at[0 .. items]. */
static void add_up_needs(gpugraph_dynamic *d, const struct chain_batch *c,
                         uint64_t items) {
    struct dynamic_batch sums = {
        .count = items, .row_count = c->need, .row_offset = c->at};
    if (gg_dynamic_going(d))
        d->place->offsets(d, &sums);
}

static uint64_t sum_of_needs(gpugraph_dynamic *d, const struct chain_batch *c,
                             uint64_t items) {
    uint64_t sum = 0;
    d->place->download(d, &sum, c->at + items, sizeof sum);
    return gg_dynamic_going(d) ? sum : 0;
}

uint64_t gg_chain_sum(gpugraph_multigraph *m, const struct chain_batch *c,
                      uint64_t items) {
    add_up_needs(m->pairs, c, items);
    return sum_of_needs(m->pairs, c, items);
}

gpugraph_status gg_chain_end(gpugraph_multigraph *m, const char *name, uint64_t items) {
    struct held *const kept[] = {&m->batch, &m->rows};
    for (int i = 0; i < 2; i++)
        if (kept[i]->bytes > KEPT_BATCH)
            gg_dynamic_drop(m->pairs, kept[i]);
    return gg_dynamic_end(m->pairs, name, items);
}

/* PLACED: changes that are already in the memory of the slabs. */
enum batch_kind { CHANGES, QUESTIONS, PLACED };

/* A batch and its arrays in the memory of the slabs. */
struct chain_work {
    struct dynamic_batch b;
    struct chain_batch c;
    uint32_t *source, *target; /* for copies of the batch's columns */
    int64_t *id, *weight;
    struct chain_sort sort;
    uint64_t sent;   /* bytes of the arrays that the host fills if items are few */
    bool few;        /* the host has ordered and grouped the items */
    uint64_t groups; /* if few: the number of groups */
};

static uint64_t carve_work(char *block, enum batch_kind kind, struct chain_work *w) {
    struct chain_batch *c = &w->c;
    uint64_t used = 0, count = c->count;
    if (kind != QUESTIONS) {
        c->first = gg_chain_carve(block, &used, count + 1, sizeof *c->first);
        c->pair_source = gg_chain_carve(block, &used, count, sizeof *c->pair_source);
        c->pair_target = gg_chain_carve(block, &used, count, sizeof *c->pair_target);
        for (int i = 0; i < 2; i++)
            w->sort.item[i] = gg_chain_carve(block, &used, count, sizeof(uint32_t));
    }
    if (kind != PLACED) {
        w->source = gg_chain_carve(block, &used, count, sizeof *w->source);
        w->target = gg_chain_carve(block, &used, count, sizeof *w->target);
        w->id = gg_chain_carve(block, &used, count, sizeof *w->id);
        w->weight = gg_chain_carve(block, &used, count, sizeof *w->weight);
    }
    w->sent = used;
    if (kind == QUESTIONS) {
        c->found = gg_chain_carve(block, &used, count, sizeof *c->found);
        return used;
    }
    for (int i = 0; i < 2; i++)
        w->sort.key[i] = gg_chain_carve(block, &used, count, sizeof(uint64_t));
    c->need = gg_chain_carve(block, &used, count + 1, sizeof *c->need);
    c->at = gg_chain_carve(block, &used, count + 1, sizeof *c->at);
    return used;
}

/* ---- few items: the host orders and groups them ---- */

static bool comes_before(const struct chain_batch *c, uint32_t i, uint32_t j) {
    if (c->source[i] != c->source[j])
        return c->source[i] < c->source[j];
    if (c->target[i] != c->target[j])
        return c->target[i] < c->target[j];
    return c->id[i] < c->id[j];
}

/* Sorts by insertion from the end: batches are short, and mostly in order. */
static void order_few(const struct chain_batch *c, uint32_t *order) {
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t at = i;
        for (; at > 0 && comes_before(c, i, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static uint64_t group_few(const struct chain_batch *c) {
    uint64_t groups = 0;
    for (uint64_t i = 0; i < c->count; i++) {
        chain_mark(c, i);
        c->at[i] = groups;
        groups += c->need[i];
    }
    c->at[c->count] = groups;
    for (uint64_t i = 0; i < c->count; i++)
        chain_group(c, i);
    return groups;
}

/* Fills the arrays in a block of the host, and uploads them together. */
static void send_few(gpugraph_dynamic *d, const struct chain_batch *given,
                     struct chain_work *w) {
    struct chain_work here = {.c = *given};
    const uint64_t count = given->count, bytes = carve_work(NULL, CHANGES, &here);
    char *block = gg_alloc_zero(d->run, bytes, 1);
    if (!block)
        return;
    carve_work(block, CHANGES, &here);
    if (count > 0) { /* an empty batch has no arrays */
        memcpy(here.source, given->source, count * sizeof *here.source);
        memcpy(here.target, given->target, count * sizeof *here.target);
        memcpy(here.id, given->id, count * sizeof *here.id);
    }
    if (given->weight)
        memcpy(here.weight, given->weight, count * sizeof *here.weight);
    order_few(given, here.sort.item[0]);
    memset(here.sort.item[1], 0xff, count * sizeof(uint32_t));
    here.c.order = here.sort.item[0];
    w->groups = group_few(&here.c);
    d->place->upload(d, w->c.first, block, here.sent);
    gg_release(block);
    w->c.order = w->sort.item[0];
    w->c.source = w->source;
    w->c.target = w->target;
    w->c.id = w->id;
    w->c.weight = given->weight ? w->weight : NULL;
}

/* ---- a batch ---- */

/* Uploads a column of the batch if batches need an upload; returns the column or its
** copy. */
static const void *brought(gpugraph_dynamic *d, const void *from, void *copy,
                           uint64_t bytes) {
    if (d->place->host || !from)
        return from;
    d->place->upload(d, copy, from, bytes);
    return copy;
}

static void send_many(gpugraph_dynamic *d, const struct chain_batch *given,
                      enum batch_kind kind, struct chain_work *w) {
    const uint64_t count = given->count;
    struct chain_batch *c = &w->c;
    c->source = brought(d, given->source, w->source, count * sizeof *c->source);
    c->target = brought(d, given->target, w->target, count * sizeof *c->target);
    c->id = brought(d, given->id, w->id, count * sizeof *c->id);
    c->weight = brought(d, given->weight, w->weight, count * sizeof *c->weight);
    for (uint64_t i = 1; i < count && kind == CHANGES; i++)
        w->sort.by_id |= given->id[i - 1] > given->id[i];
}

/* Begins a batch. given: its count and its columns. If it returns false, the caller
** closes the dynamic graph next. */
static bool begin_work(gpugraph_multigraph *m, gpugraph_run *run,
                       const struct chain_batch *given, enum batch_kind kind,
                       struct chain_work *w) {
    gpugraph_dynamic *d = m->pairs;
    const bool placed = kind == PLACED;
    memset(w, 0, sizeof *w);
    if (!gg_dynamic_begin_unsent(d, run, given->count, placed ? NULL : given->source,
                                 placed ? NULL : given->target, &w->b))
        return false;
    w->c = gg_chain_batch(m);
    w->c.count = given->count;
    w->few = kind == CHANGES && given->count <= CHAIN_FEW;
    if (!gg_dynamic_make_room(d, &m->batch, carve_work(NULL, kind, w)))
        return false;
    carve_work(m->batch.block, kind, w);
    if (w->few) {
        send_few(d, given, w);
    } else if (!placed) {
        send_many(d, given, kind, w);
    } else {
        w->c.source = given->source;
        w->c.target = given->target;
        w->c.id = given->id;
        w->c.weight = given->weight;
        w->c.weight_32 = given->weight_32;
        w->sort.by_id = given->id != NULL;
    }
    return gg_dynamic_going(d);
}

/* Groups the items of each pair. Returns the number of groups. */
static uint64_t group(gpugraph_multigraph *m, struct chain_work *w) {
    gpugraph_dynamic *d = m->pairs;
    struct chain_batch *c = &w->c;
    if (c->count == 0 || w->few)
        return gg_dynamic_going(d) ? w->groups : 0;
    m->place->order(d, &w->sort, c);
    m->place->step(d, CHAIN_MARK, c, c->count);
    uint64_t groups = gg_chain_sum(m, c, c->count);
    m->place->step(d, CHAIN_GROUP, c, c->count);
    return gg_dynamic_going(d) ? groups : 0;
}

/* Enlarges a block to `count` entries of `entry` bytes. A block that has grown once grows
** by half. The first block gets a little slack: otherwise the first new edge would move
** all edges. */
static void make_slot_room(gpugraph_dynamic *d, struct held *h, uint64_t count,
                           uint64_t entry) {
    const uint64_t room = h->bytes / entry;
    const uint64_t grown = room > 0 ? room + room / 2 : count + count / GG_ROOM_SHARE;
    if (count > room)
        gg_dynamic_enlarge(d, h, (count > grown ? count : grown) * entry, 0);
}

/* ---- insert and delete ---- */

/* Inserts the groups' pairs; new pairs get empty chains. */
static void put_pairs(gpugraph_multigraph *m, const struct chain_work *w,
                      uint64_t groups) {
    gpugraph_dynamic *d = m->pairs;
    uint32_t *ends = w->sort.item[w->c.order == w->sort.item[0] ? 1 : 0];
    struct dynamic_batch pairs = {.count = groups,
                                  .source = w->c.pair_source,
                                  .target = w->c.pair_target,
                                  .value = ends,
                                  .result = w->b.result,
                                  .keep = true,
                                  .ordered = true};
    const struct dynamic_batch given = pairs;
    if (!w->few)
        d->place->fill(d, ends, 0xff, groups * sizeof *ends);
    gg_dynamic_put(d, &pairs);
    gg_mirror_put(m, &given);
}

/* Returns an upper bound of the slots that the groups need. Few items all count as new,
** because the host would have to wait for their exact number. */
static uint64_t most_of(gpugraph_multigraph *m, const struct chain_work *w,
                        uint64_t groups) {
    return w->few ? w->c.count : sum_of_needs(m->pairs, &w->c, groups);
}

static void link_new(gpugraph_multigraph *m, struct chain_work *w, uint64_t groups) {
    gpugraph_dynamic *d = m->pairs;
    struct chain_batch *c = &w->c;
    m->place->step(d, CHAIN_COUNT_NEW, c, groups);
    add_up_needs(d, c, groups);
    uint64_t fresh = most_of(m, w, groups);
    uint64_t reused = fresh < m->free_count ? fresh : m->free_count;
    uint64_t end = m->end + (fresh - reused);
    if (end > MOST_SLOTS)
        gg_fail(d->run, GPUGRAPH_TOO_LARGE,
                "a multigraph has at most %llu edges, and this would be %llu",
                (unsigned long long)MOST_SLOTS, (unsigned long long)(m->edges + fresh));
    make_slot_room(d, &m->slot, end, sizeof *c->slot);
    if (!gg_dynamic_going(d))
        return;
    c->slot = m->slot.block;
    gg_mirror_name(m, c);
    m->place->step(d, CHAIN_LINK, c, groups);
    if (w->few) {
        fresh = sum_of_needs(d, c, groups);
        reused = fresh < m->free_count ? fresh : m->free_count;
    }
    m->edges += fresh;
    m->free_count -= reused;
    m->end += fresh - reused;
}

static void cut_old(gpugraph_multigraph *m, struct chain_work *w, uint64_t groups) {
    gpugraph_dynamic *d = m->pairs;
    struct chain_batch *c = &w->c;
    m->place->step(d, CHAIN_COUNT_OLD, c, groups);
    add_up_needs(d, c, groups);
    uint64_t deleted = most_of(m, w, groups);
    make_slot_room(d, &m->free, m->free_count + deleted, sizeof *c->free);
    if (!gg_dynamic_going(d))
        return;
    c->free = m->free.block;
    gg_mirror_name(m, c);
    m->place->step(d, CHAIN_CUT, c, groups);
    if (w->few)
        deleted = sum_of_needs(d, c, groups);
    m->edges -= deleted;
    m->free_count += deleted;
}

/* Applies a batch to the chains, in groups of items of one pair. */
static gpugraph_status change_chains(gpugraph_multigraph *m, bool inserts,
                                     gpugraph_run *run, const struct chain_batch *given,
                                     enum batch_kind kind) {
    gpugraph_dynamic *d = m->pairs;
    struct chain_work w;
    if (!begin_work(m, run, given, kind, &w))
        return gg_dynamic_close(d);
    gg_dynamic_start(d);
    const uint64_t groups = group(m, &w);
    gg_dynamic_stop(d);
    if (groups > 0 && gg_mirror_open(m, run)) {
        if (inserts)
            put_pairs(m, &w, groups);
        gg_dynamic_start(d);
        if (inserts)
            link_new(m, &w, groups);
        else
            cut_old(m, &w, groups);
        if (!inserts)
            gg_dynamic_count(d);
        gg_dynamic_stop(d);
        gg_mirror_close(m);
    }
    return gg_chain_end(m, inserts ? "insert" : "delete", given->count);
}

gpugraph_status gpugraph_multigraph_insert(gpugraph_multigraph *m, uint64_t count,
                                           const uint32_t *source, const uint32_t *target,
                                           const int64_t *id, const int64_t *weight,
                                           gpugraph_run *run, uint64_t *added) {
    const struct chain_batch given = {
        .count = count, .source = source, .target = target, .id = id, .weight = weight};
    const uint64_t before = m->edges;
    if (gg_needs_edges(run, count, source, target) && gg_needs(run, id, count, "id"))
        change_chains(m, true, run, &given, CHANGES);
    if (added)
        *added = m->edges - before;
    return run->status;
}

gpugraph_status gg_multigraph_put(gpugraph_multigraph *m, const struct chain_edges *edges,
                                  gpugraph_run *run) {
    const bool wide = edges->weight_size == sizeof(int64_t);
    const struct chain_batch given = {.count = edges->count,
                                      .source = edges->source,
                                      .target = edges->target,
                                      .id = edges->id,
                                      .weight = wide ? edges->weight : NULL,
                                      .weight_32 = wide ? NULL : edges->weight};
    return change_chains(m, true, run, &given, PLACED);
}

gpugraph_status gpugraph_multigraph_delete(gpugraph_multigraph *m, uint64_t count,
                                           const uint32_t *source, const uint32_t *target,
                                           const int64_t *id, gpugraph_run *run,
                                           uint64_t *removed) {
    const struct chain_batch given = {
        .count = count, .source = source, .target = target, .id = id};
    const uint64_t before = m->edges;
    if (gg_needs_edges(run, count, source, target) && gg_needs(run, id, count, "id"))
        change_chains(m, false, run, &given, CHANGES);
    if (removed)
        *removed = before - m->edges;
    return run->status;
}

/* ---- query ---- */

gpugraph_status gpugraph_multigraph_query(gpugraph_multigraph *m, uint64_t count,
                                          const uint32_t *source, const uint32_t *target,
                                          const int64_t *id, gpugraph_run *run,
                                          bool *found, int64_t *weight) {
    gpugraph_dynamic *d = m->pairs;
    const struct chain_batch given = {
        .count = count, .source = source, .target = target, .id = id};
    struct chain_work w;
    if (!gg_needs_edges(run, count, source, target) || !gg_needs(run, id, count, "id") ||
        !gg_needs(run, found, count, "found"))
        return run->status;
    if (!begin_work(m, run, &given, QUESTIONS, &w))
        return gg_dynamic_close(d);
    w.c.answer = w.weight;
    gg_dynamic_start(d);
    m->place->step(d, CHAIN_QUERY, &w.c, count);
    gg_dynamic_stop(d);
    d->place->download(d, found, w.c.found, count);
    if (weight)
        d->place->download(d, weight, w.c.answer, count * sizeof *weight);
    return gg_chain_end(m, "query", count);
}
