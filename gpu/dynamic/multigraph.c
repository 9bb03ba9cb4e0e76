/* Multigraphs: create, free, and batches of edges.
**
**     insert    order -> groups -> pairs into the tables -> count new -> room -> link
**     delete    order -> groups -> count old -> room -> cut
**     query     one lane for each
**
** Everything that can fail comes before the last step, which cannot. A pair that was
** inserted for edges that never came has an empty chain: no edges. */
#include "multigraph.h"
#include "graph_data.h"

#include <string.h>

/* Items of a batch up to which the host sorts them by insertion, and needs no number
** before the last step: a sort on a device and the way back take 0.1 ms for any number of
** items. */
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

gpugraph_status gg_chain_end(gpugraph_multigraph *m, const char *name, double ms,
                             uint64_t items) {
    struct held *const kept[] = {&m->batch, &m->rows};
    for (int i = 0; i < 2; i++)
        if (kept[i]->bytes > KEPT_BATCH)
            gg_dynamic_drop(m->pairs, kept[i]);
    return gg_dynamic_end(m->pairs, name, ms, items);
}

/* All arrays of a batch except those of the dynamic graph. */
struct arrays {
    int64_t *id, *weight;
    struct chain_sort sort;
    uint8_t *found;
    uint32_t *ends; /* values of new pairs */
    bool grouped;   /* the host has grouped the items: into `groups` groups */
    uint64_t groups;
};

/* All that the host uploads for a batch of few items, in one block. */
struct sent {
    uint32_t *first, *pair_source, *pair_target, *order, *ends, *source, *target;
    int64_t *id, *weight;
};

static uint64_t carve_sent(char *block, uint64_t count, struct sent *s) {
    uint32_t **const columns[] = {&s->pair_source, &s->pair_target, &s->order,
                                  &s->ends,        &s->source,      &s->target};
    uint64_t used = 0;
    s->first = gg_chain_carve(block, &used, count + 1, sizeof *s->first);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        *columns[i] = gg_chain_carve(block, &used, count, sizeof(uint32_t));
    s->id = gg_chain_carve(block, &used, count, sizeof *s->id);
    s->weight = gg_chain_carve(block, &used, count, sizeof *s->weight);
    return used;
}

enum batch_kind { MANY, FEW, QUESTIONS };

static uint64_t carve_chain_batch(char *block, uint64_t count, enum batch_kind kind,
                                  struct arrays *a, struct sent *sent,
                                  struct chain_batch *c) {
    uint64_t used = 0, key = sizeof(uint64_t), item = sizeof(uint32_t);
    if (kind == FEW) {
        used = carve_sent(block, count, sent);
    } else {
        a->id = gg_chain_carve(block, &used, count, key);
        a->weight = gg_chain_carve(block, &used, count, key);
    }
    if (kind == QUESTIONS) {
        a->found = gg_chain_carve(block, &used, count, 1);
        return used;
    }
    if (kind == MANY) {
        for (int i = 0; i < 2; i++) {
            a->sort.key[i] = gg_chain_carve(block, &used, count, key);
            a->sort.item[i] = gg_chain_carve(block, &used, count, item);
        }
        c->first = gg_chain_carve(block, &used, count + 1, item);
        c->pair_source = gg_chain_carve(block, &used, count, item);
        c->pair_target = gg_chain_carve(block, &used, count, item);
    }
    c->need = gg_chain_carve(block, &used, count + 1, item);
    c->at = gg_chain_carve(block, &used, count + 1, key);
    return used;
}

/* Makes room for these arrays, and carves them. */
static bool take_chain_arrays(gpugraph_multigraph *m, uint64_t count,
                              enum batch_kind kind, struct arrays *a, struct sent *sent,
                              struct chain_batch *c) {
    if (!gg_dynamic_make_room(m->pairs, &m->batch,
                              carve_chain_batch(NULL, count, kind, a, sent, c)))
        return false;
    carve_chain_batch(m->batch.block, count, kind, a, sent, c);
    a->sort.by_id = a->grouped = false;
    c->count = count;
    return true;
}

/* Uploads an array of the batch if batches need an upload; returns the array or its
** copy. */
static const int64_t *brought(gpugraph_dynamic *d, const int64_t *from, int64_t *copy,
                              uint64_t count) {
    if (d->place->host || !from)
        return from;
    d->place->upload(d, copy, from, count * sizeof *copy);
    return copy;
}

/* ---- few items: the host orders them while it has them ---- */

static bool comes_before(const uint32_t *source, const uint32_t *target,
                         const int64_t *id, uint32_t i, uint32_t j) {
    if (source[i] != source[j])
        return source[i] < source[j];
    if (target[i] != target[j])
        return target[i] < target[j];
    return id[i] < id[j];
}

/* Sorts by insertion from the end: batches are short, and mostly in order. */
static void order_few(const uint32_t *source, const uint32_t *target, const int64_t *id,
                      uint32_t count, uint32_t *order) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        while (at > 0 && comes_before(source, target, id, i, order[at - 1])) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

static uint64_t group_few(const struct sent *s, uint32_t count) {
    uint64_t groups = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t item = s->order[i], before = i > 0 ? s->order[i - 1] : item;
        if (i > 0 && s->source[before] == s->source[item] &&
            s->target[before] == s->target[item])
            continue;
        s->first[groups] = i;
        s->pair_source[groups] = s->source[item];
        s->pair_target[groups++] = s->target[item];
    }
    s->first[groups] = count;
    return groups;
}

static void send_few(gpugraph_multigraph *m, const uint32_t *source,
                     const uint32_t *target, const int64_t *id, const int64_t *weight,
                     struct arrays *a, const struct sent *there, struct chain_batch *c) {
    gpugraph_dynamic *d = m->pairs;
    struct sent here;
    const uint64_t count = c->count, bytes = carve_sent(NULL, count, &here);
    char *block = gg_alloc_zero(d->run, bytes, 1);
    if (!block)
        return;
    carve_sent(block, count, &here);
    memcpy(here.source, source, count * sizeof *source);
    memcpy(here.target, target, count * sizeof *target);
    memcpy(here.id, id, count * sizeof *id);
    if (weight)
        memcpy(here.weight, weight, count * sizeof *weight);
    memset(here.ends, 0xff, count * sizeof *here.ends);
    order_few(source, target, id, (uint32_t)count, here.order);
    a->groups = group_few(&here, (uint32_t)count);
    a->grouped = true;
    a->ends = there->ends;
    d->place->upload(d, there->first, block, bytes);
    gg_release(block);
    c->first = there->first;
    c->pair_source = there->pair_source;
    c->pair_target = there->pair_target;
    c->order = there->order;
    c->source = there->source;
    c->target = there->target;
    c->id = there->id;
    c->weight = weight ? there->weight : NULL;
}

/* Begins a batch. If it returns false, the caller closes the dynamic graph next. */
static bool begin_chain_batch(gpugraph_multigraph *m, gpugraph_run *run, uint64_t count,
                              const uint32_t *source, const uint32_t *target,
                              const int64_t *id, const int64_t *weight, bool answers,
                              struct dynamic_batch *b, struct arrays *a,
                              struct chain_batch *c) {
    gpugraph_dynamic *d = m->pairs;
    const bool few = !answers && count > 0 && count <= CHAIN_FEW;
    struct sent there;
    if (!(few ? gg_dynamic_begin_unsent(d, run, count, source, target, b)
              : gg_dynamic_begin(d, run, count, source, target, NULL, b)))
        return false;
    *c = gg_chain_batch(m);
    const enum batch_kind kind = answers ? QUESTIONS : few ? FEW : MANY;
    if (!take_chain_arrays(m, count, kind, a, &there, c))
        return false;
    if (few) {
        send_few(m, source, target, id, weight, a, &there, c);
        return gg_dynamic_going(d);
    }
    c->source = b->source;
    c->target = b->target;
    c->id = brought(d, id, a->id, count);
    c->weight = brought(d, weight, a->weight, count);
    for (uint64_t i = 1; i < count && !answers; i++)
        a->sort.by_id |= id[i - 1] > id[i];
    return gg_dynamic_going(d);
}

/* Groups the items of each pair. Returns the number of groups. */
static uint64_t group(gpugraph_multigraph *m, const struct arrays *a,
                      struct chain_batch *c) {
    gpugraph_dynamic *d = m->pairs;
    if (c->count == 0)
        return 0;
    if (a->grouped)
        return gg_dynamic_going(d) ? a->groups : 0;
    m->place->order(d, &a->sort, c);
    m->place->step(d, CHAIN_MARK, c, c->count);
    uint64_t groups = gg_chain_sum(m, c, c->count);
    m->place->step(d, CHAIN_GROUP, c, c->count);
    return gg_dynamic_going(d) ? groups : 0;
}

/* Returns the time since the last mark by the place's own clock. */
static double lap(gpugraph_dynamic *d) {
    d->place->mark(d, 1);
    double ms = d->place->elapsed(d);
    d->place->mark(d, 0);
    return ms;
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
static double put_pairs(gpugraph_multigraph *m, const struct dynamic_batch *b,
                        const struct chain_batch *c, const struct arrays *a,
                        uint64_t groups) {
    gpugraph_dynamic *d = m->pairs;
    uint32_t *ends = a->grouped                    ? a->ends
                     : a->sort.item[0] == c->order ? a->sort.item[1]
                                                   : a->sort.item[0];
    struct dynamic_batch pairs = {.count = groups,
                                  .source = c->pair_source,
                                  .target = c->pair_target,
                                  .value = ends,
                                  .result = b->result,
                                  .keep = true,
                                  .ordered = true};
    const struct dynamic_batch given = pairs;
    if (!a->grouped)
        d->place->fill(d, ends, 0xff, groups * sizeof *ends);
    double ms = gg_dynamic_put(d, &pairs);
    return ms + gg_mirror_put(m, &given);
}

/* Returns the most slots that the groups need. Each of few items may be new: reserving
** room for all of them spares a wait for their number before the step that needs it. */
static uint64_t most_of(gpugraph_multigraph *m, const struct arrays *a,
                        const struct chain_batch *c, uint64_t groups) {
    return a->grouped ? c->count : sum_of_needs(m->pairs, c, groups);
}

static void link_new(gpugraph_multigraph *m, const struct arrays *a,
                     struct chain_batch *c, uint64_t groups) {
    gpugraph_dynamic *d = m->pairs;
    m->place->step(d, CHAIN_COUNT_NEW, c, groups);
    add_up_needs(d, c, groups);
    uint64_t fresh = most_of(m, a, c, groups);
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
    if (a->grouped) {
        fresh = sum_of_needs(d, c, groups);
        reused = fresh < m->free_count ? fresh : m->free_count;
    }
    m->edges += fresh;
    m->free_count -= reused;
    m->end += fresh - reused;
}

static void cut_old(gpugraph_multigraph *m, const struct arrays *a, struct chain_batch *c,
                    uint64_t groups) {
    gpugraph_dynamic *d = m->pairs;
    m->place->step(d, CHAIN_COUNT_OLD, c, groups);
    add_up_needs(d, c, groups);
    uint64_t deleted = most_of(m, a, c, groups);
    make_slot_room(d, &m->free, m->free_count + deleted, sizeof *c->free);
    if (!gg_dynamic_going(d))
        return;
    c->free = m->free.block;
    gg_mirror_name(m, c);
    m->place->step(d, CHAIN_CUT, c, groups);
    if (a->grouped)
        deleted = sum_of_needs(d, c, groups);
    m->edges -= deleted;
    m->free_count += deleted;
}

/* Applies a batch to the chains, in groups of items of one pair. */
static double change_chains(gpugraph_multigraph *m, bool inserts,
                            const struct dynamic_batch *b, const struct arrays *a,
                            struct chain_batch *c) {
    gpugraph_dynamic *d = m->pairs;
    d->place->mark(d, 0);
    uint64_t groups = group(m, a, c);
    double ms = lap(d);
    if (groups == 0 || !gg_mirror_open(m, d->run))
        return ms;
    if (inserts) {
        ms += put_pairs(m, b, c, a, groups);
        d->place->mark(d, 0);
        link_new(m, a, c, groups);
    } else {
        cut_old(m, a, c, groups);
        gg_dynamic_count(d);
    }
    ms += lap(d);
    gg_mirror_close(m);
    return ms;
}

gpugraph_status gpugraph_multigraph_insert(gpugraph_multigraph *m, uint64_t count,
                                           const uint32_t *source, const uint32_t *target,
                                           const int64_t *id, const int64_t *weight,
                                           gpugraph_run *run, uint64_t *added) {
    struct dynamic_batch b;
    struct chain_batch c;
    struct arrays a;
    uint64_t before = m->edges;
    if (!gg_needs_edges(run, count, source, target) || !gg_needs(run, id, count, "id"))
        return run->status;
    if (begin_chain_batch(m, run, count, source, target, id, weight, false, &b, &a, &c)) {
        gg_dynamic_occupy(m->pairs, count, source);
        gg_dynamic_occupy(m->pairs, count, target);
        gg_chain_end(m, "insert", change_chains(m, true, &b, &a, &c), count);
    } else {
        gg_dynamic_close(m->pairs);
    }
    if (added)
        *added = m->edges - before;
    return run->status;
}

gpugraph_status gg_multigraph_put(gpugraph_multigraph *m, const struct chain_edges *edges,
                                  gpugraph_run *run) {
    gpugraph_dynamic *d = m->pairs;
    const bool wide = edges->weight_size == sizeof(int64_t);
    struct dynamic_batch b;
    struct arrays a;
    struct chain_batch c;
    if (!gg_dynamic_begin_unsent(d, run, edges->count, NULL, NULL, &b))
        return gg_dynamic_close(d);
    c = gg_chain_batch(m);
    if (!take_chain_arrays(m, edges->count, MANY, &a, NULL, &c))
        return gg_dynamic_close(d);
    c.source = edges->source;
    c.target = edges->target;
    c.id = edges->id;
    c.weight = wide ? edges->weight : NULL;
    c.weight_32 = wide ? NULL : edges->weight;
    a.sort.by_id = edges->id != NULL;
    return gg_chain_end(m, "insert", change_chains(m, true, &b, &a, &c), edges->count);
}

gpugraph_status gpugraph_multigraph_delete(gpugraph_multigraph *m, uint64_t count,
                                           const uint32_t *source, const uint32_t *target,
                                           const int64_t *id, gpugraph_run *run,
                                           uint64_t *removed) {
    struct dynamic_batch b;
    struct chain_batch c;
    struct arrays a;
    uint64_t before = m->edges;
    if (!gg_needs_edges(run, count, source, target) || !gg_needs(run, id, count, "id"))
        return run->status;
    if (begin_chain_batch(m, run, count, source, target, id, NULL, false, &b, &a, &c))
        gg_chain_end(m, "delete", change_chains(m, false, &b, &a, &c), count);
    else
        gg_dynamic_close(m->pairs);
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
    struct dynamic_batch b;
    struct chain_batch c;
    struct arrays a;
    if (!gg_needs_edges(run, count, source, target) || !gg_needs(run, id, count, "id") ||
        !gg_needs(run, found, count, "found"))
        return run->status;
    if (!begin_chain_batch(m, run, count, source, target, id, NULL, true, &b, &a, &c))
        return gg_dynamic_close(d);
    c.found = a.found;
    c.answer = a.weight;
    d->place->mark(d, 0);
    m->place->step(d, CHAIN_QUERY, &c, count);
    double ms = lap(d);
    d->place->download(d, found, c.found, count);
    if (weight)
        d->place->download(d, weight, c.answer, count * sizeof *weight);
    return gg_chain_end(m, "query", ms, count);
}
