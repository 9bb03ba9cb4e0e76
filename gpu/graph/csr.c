/* Makes compressed sparse rows from the edge list, by a counting sort in two passes. Each
** pass writes to so few positions at a time that they fit the cache:
**
**     list       edges as (row, column): OUT (source, target); IN (target, source);
**        |       BOTH: each edge in both directions, but a loop once
**        |  pass 1: each thread distributes its slice to ranges of rows
**        v
**     parts      | rows 0 .. 511 | rows 512 .. 1023 | ...    as row << 32 | column
**        |  pass 2: each part is sorted by row; threads take parts in turn
**        v
**     offset[n + 1], target[m], weight[m]
**
** The sort is stable. So two transposes sort the rows: each lists the arcs row by row as
** (target, row), and makes rows from this list. SIMPLE: csr_simple.c. */
#include "arc_sort.h"
#include "graph.h"

#include <string.h>

enum {
    /* Pass 2 writes within the cache. */
    CSR_PARTS = 2048,    /* the most parts of pass 1 */
    CSR_PART_ARCS = 4096 /* the least mean number of arcs in a part */
};

static inline void copy_weight(void *to, uint64_t i, const void *from, uint64_t k,
                               size_t size) {
    if (size == sizeof(uint32_t))
        ((uint32_t *)to)[i] = ((const uint32_t *)from)[k];
    else if (size)
        ((uint64_t *)to)[i] = ((const uint64_t *)from)[k];
}

/* ---- pass 1 ---- */

static void count_parts(void *arcs, uint64_t slice) {
    const arc_sort *s = arcs;
    const arc_list from = s->list; /* a copy, since stores might alias the list */
    uint64_t *count = s->start + slice * s->parts;
    uint64_t end = gg_slice(from.count, (int)slice + 1, s->threads);
    uint64_t i = gg_slice(from.count, (int)slice, s->threads);
    for (; i < end && !gg_leave(s->run, i); i++) {
        const uint32_t row = from.row[i], column = from.both ? from.column[i] : row;
        if (row != column || from.loops)
            count[row >> s->shift]++;
        if (row != column)
            count[column >> s->shift]++;
    }
}

static inline void write_arc_of_list(const arc_sort *s, const arc_list *from,
                                     uint64_t *start, uint32_t row, uint32_t column,
                                     uint64_t i) {
    const uint64_t place = start[row >> s->shift]++;
    s->arc[place] = (uint64_t)row << 32 | column;
    copy_weight(s->weight, place, from->weight, i, s->weight_size);
}

/* Writes both directions of an edge together, so most rows are nearly in order. */
static void write_parts(void *arcs, uint64_t slice) {
    const arc_sort *s = arcs;
    const arc_list from = s->list;
    uint64_t *start = s->start + slice * s->parts;
    uint64_t end = gg_slice(from.count, (int)slice + 1, s->threads);
    uint64_t i = gg_slice(from.count, (int)slice, s->threads);
    for (; i < end && !gg_leave(s->run, i); i++) {
        const uint32_t row = from.row[i], column = from.column[i];
        if (row != column || from.loops)
            write_arc_of_list(s, &from, start, row, column, i);
        if (from.both && row != column)
            write_arc_of_list(s, &from, start, column, row, i);
    }
}

/* ---- pass 2 ---- */

/* Counts in offset[row], turns counts into positions, and advances each position while
** writing: offset[row] becomes the end of the row, where the next row begins. */
static void sort_part(void *arcs, uint64_t part) {
    const arc_sort *s = arcs;
    struct csr_slot *slot = s->slot;
    uint64_t low = part << s->shift, high = (part + 1) << s->shift;
    uint64_t begin = s->begin[part], end = s->begin[part + 1];
    uint64_t *offset = slot->offset, place = begin;
    high = high < s->n ? high : s->n;
    if (low >= high || gg_pause(s->run))
        return;
    memset(offset + low, 0, sizeof *offset * (high - low));
    for (uint64_t i = begin; i < end && !gg_leave(s->run, i); i++)
        offset[s->arc[i] >> 32]++;
    for (uint64_t v = low; v < high; v++) {
        uint64_t count = offset[v];
        offset[v] = place;
        place += count;
    }
    for (uint64_t i = begin; i < end && !gg_leave(s->run, i); i++) {
        uint64_t to = offset[s->arc[i] >> 32]++;
        slot->target[to] = (uint32_t)s->arc[i];
        copy_weight(slot->weight, to, s->weight, i, s->weight_size);
    }
    for (uint64_t v = high - 1; v > low; v--)
        offset[v] = offset[v - 1];
    offset[low] = begin;
}

/* ---- both passes ---- */

static void plan_parts(arc_sort *s, uint64_t arcs) {
    uint64_t most = arcs / CSR_PART_ARCS, last_row = s->n ? s->n - 1 : 0;
    most = most < 1 ? 1 : most > CSR_PARTS ? CSR_PARTS : most;
    s->threads = gg_threads(s->run, arcs);
    while ((last_row >> s->shift) + 1 > most)
        s->shift++;
    s->parts = (last_row >> s->shift) + 1;
}

bool gg_part_arcs(arc_sort *s) {
    gpugraph_run *run = s->run;
    plan_parts(s, s->list.count << s->list.both);
    const uint64_t threads = (uint64_t)s->threads;
    s->start = gg_alloc_zero(run, threads * s->parts, sizeof *s->start);
    s->begin = s->start ? gg_alloc(run, s->parts + 1, sizeof *s->begin) : NULL;
    if (!s->begin)
        return false;
    gg_parts(s->threads, threads, count_parts, s);
    gg_counts_to_starts(s->threads, s->parts, s->start, s->begin);
    const uint64_t arcs = s->begin[s->parts];
    s->arc = gg_stopping(run) ? NULL : gg_alloc(run, arcs, sizeof *s->arc);
    s->weight = s->arc && s->weight_size ? gg_alloc(run, arcs, s->weight_size) : NULL;
    if (!gg_stopping(run))
        gg_parts(s->threads, threads, write_parts, s);
    return !gg_stopping(run);
}

void gg_free_parts(arc_sort *s) {
    gg_release(s->start);
    gg_release(s->begin);
    gg_release(s->arc);
    gg_release(s->weight);
}

/* Makes rows from the list in the slot. The list may use the slot's arrays. */
static void sort_arcs(arc_sort *s, struct csr_slot *slot) {
    const bool parted = gg_part_arcs(s);
    const uint64_t arcs = parted ? s->begin[s->parts] : 0;
    slot->m = arcs;
    if (parted && !slot->offset)
        slot->offset = gg_alloc_slack(s->run, (uint64_t)s->n + 1, sizeof *slot->offset);
    if (!slot->target && !gg_stopping(s->run))
        slot->target = gg_alloc_slack(s->run, arcs, sizeof *slot->target);
    if (!slot->weight && s->weight_size && !gg_stopping(s->run))
        slot->weight = gg_alloc_slack(s->run, arcs, s->weight_size);
    if (!gg_stopping(s->run)) {
        s->slot = slot;
        gg_parts(s->threads, s->parts, sort_part, s);
        slot->offset[s->n] = arcs;
    }
    gg_free_parts(s);
}

/* ---- sorted rows ---- */

enum { ROWS = 1024 }; /* rows that a thread takes at a time */

typedef struct row_walk {
    gpugraph_run *run;
    const struct csr_slot *slot;
    uint32_t *row; /* row[k]: the row of arc k */
    bool falls;    /* a row is not in order */
    size_t weight_size;
} row_walk;

static void list_rows(void *walk, uint64_t low, uint64_t high) {
    const row_walk *w = walk;
    const struct csr_slot *slot = w->slot;
    gg_pause(w->run);
    for (uint64_t v = low; v < high && !gg_stopping(w->run); v++)
        for (uint64_t k = slot->offset[v];
             k < slot->offset[v + 1] && !gg_leave(w->run, k); k++)
            w->row[k] = (uint32_t)v;
}

static void transpose(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                      size_t weight_size) {
    uint32_t *row = gg_alloc(run, slot->m, sizeof *row);
    row_walk walk = {.run = run, .slot = slot, .row = row};
    if (row)
        gg_chunks(gg_threads(run, slot->m), n, ROWS, list_rows, &walk);
    if (!gg_stopping(run)) {
        arc_sort s = {.run = run,
                      .n = n,
                      .list = {slot->target, row, slot->weight, slot->m, false, true},
                      .weight_size = weight_size};
        sort_arcs(&s, slot);
    }
    gg_release(row);
}

static void look_at_rows(void *walk, uint64_t low, uint64_t high) {
    row_walk *w = walk;
    const struct csr_slot *slot = w->slot;
    bool falls = __atomic_load_n(&w->falls, __ATOMIC_RELAXED);
    gg_pause(w->run);
    for (uint64_t v = low; v < high && !falls; v++)
        for (uint64_t k = slot->offset[v] + 1;
             k < slot->offset[v + 1] && !falls && !gg_leave(w->run, k); k++)
            falls = slot->target[k - 1] > slot->target[k];
    if (falls)
        __atomic_store_n(&w->falls, true, __ATOMIC_RELAXED);
}

bool gg_rows_sorted(gpugraph_run *run, const struct csr_slot *slot, uint32_t n) {
    row_walk walk = {.run = run, .slot = slot};
    gg_chunks(gg_threads(run, slot->m), n, ROWS, look_at_rows, &walk);
    return !walk.falls;
}

enum {
    SHORT_ROW = 32,       /* arcs up to which insertion sort is faster than transposes */
    SHORT_ROWS_ONCE = 128 /* rows between two polls */
};

static void sort_short_row(const struct csr_slot *slot, uint64_t begin, uint64_t end,
                           size_t weight_size) {
    for (uint64_t i = begin + 1; i < end; i++) {
        const uint32_t target = slot->target[i];
        uint64_t weight = 0, k = i;
        copy_weight(&weight, 0, slot->weight, i, weight_size);
        for (; k > begin && slot->target[k - 1] > target; k--) {
            slot->target[k] = slot->target[k - 1];
            copy_weight(slot->weight, k, slot->weight, k - 1, weight_size);
        }
        slot->target[k] = target;
        copy_weight(slot->weight, k, &weight, 0, weight_size);
    }
}

static void sort_short_rows(void *walk, uint64_t low, uint64_t high) {
    row_walk *w = walk;
    const struct csr_slot *slot = w->slot;
    gg_pause(w->run);
    for (uint64_t v = low; v < high && !gg_stopping(w->run); v++)
        if (slot->offset[v + 1] - slot->offset[v] <= SHORT_ROW)
            sort_short_row(slot, slot->offset[v], slot->offset[v + 1], w->weight_size);
    look_at_rows(walk, low, high);
}

static void sort_rows_of_csr(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                             size_t weight_size, bool symmetric) {
    row_walk walk = {.run = run, .slot = slot, .weight_size = weight_size};
    gg_chunks(gg_threads(run, slot->m), n, SHORT_ROWS_ONCE, sort_short_rows, &walk);
    /* A symmetric CSR is its own transpose, so one transpose sorts it. */
    for (int i = symmetric; i < 2 && walk.falls && !gg_stopping(run); i++)
        transpose(run, slot, n, weight_size);
    slot->sorted = true;
}

/* ---- the kinds ---- */

size_t gg_distance_size(gpugraph_distance_type type) {
    return type == GPUGRAPH_UINT32 ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* Makes rows from the graph's edges in the slot, with these weights if size is not 0. */
static void fill_slot(const gpugraph_graph *graph, enum csr_kind kind, const void *weight,
                      size_t size, gpugraph_run *run, struct csr_slot *slot) {
    const bool in = kind == CSR_IN;
    arc_sort s = {.run = run,
                  .n = graph->n,
                  .list = {in ? graph->target : graph->source,
                           in ? graph->source : graph->target, weight, graph->m,
                           kind == CSR_BOTH, true},
                  .weight_size = size};
    sort_arcs(&s, slot);
}

void gg_release_slot(struct csr_slot *slot) {
    gg_release(slot->offset);
    gg_release(slot->end);
    gg_release(slot->spare);
    gg_release(slot->target);
    gg_release(slot->weight);
    *slot = (struct csr_slot){0};
}

/* Does not free targets of OUT that are the edges' own array (graph_data.h). */
static void release_rows(gpugraph_graph *graph, struct csr_slot *slot) {
    if (slot->lent)
        gg_rows_back(graph);
    if (slot->target == graph->target)
        slot->target = NULL;
    gg_release_slot(slot);
}

void gg_drop_rows(gpugraph_graph *graph, enum csr_kind kind) {
    release_rows(graph, &graph->csr[kind]);
}

void *gg_copy_array(gpugraph_run *run, const void *from, uint64_t count, size_t size) {
    void *to = from && !gg_poll(run) ? gg_alloc_slack(run, count, size) : NULL;
    if (to)
        gg_copy(run, to, from, count * size);
    return to;
}

gpugraph_status gg_own_rows(gpugraph_graph *graph, gpugraph_run *run) {
    struct csr_slot *out = &graph->csr[CSR_OUT];
    gg_free_retired(graph, graph->gate.retired); /* retired rows may share targets */
    graph->gate.retired = NULL;
    if (!out->target || out->target != graph->target)
        return run->status;
    uint32_t *target = gg_copy_array(run, out->target, out->m, sizeof *target);
    if (gg_stopping(run)) {
        gg_release(target);
        return gg_stopped(run);
    }
    out->target = target;
    return run->status;
}

typedef struct comparison {
    gpugraph_run *run;
    const gpugraph_graph *graph;
    const struct csr_slot *slot;
    bool differs;
} comparison;

static void compare_arcs(void *job, uint64_t low, uint64_t high) {
    comparison *c = job;
    const gpugraph_graph *graph = c->graph;
    bool differs = false;
    for (uint64_t e = low; e < high && !gg_leave(c->run, e); e++) {
        differs |= c->slot->target[e] != graph->target[e];
        differs |= e > 0 && graph->source[e - 1] > graph->source[e];
    }
    if (differs)
        __atomic_store_n(&c->differs, true, __ATOMIC_RELAXED);
}

/* True if arc k of OUT is edge k for every k, so that the target arrays are equal. */
static bool arcs_are_edges(gpugraph_run *run, const gpugraph_graph *graph,
                           const struct csr_slot *slot) {
    comparison c = {run, graph, slot, false};
    if (slot->target == graph->target)
        return true;
    gg_slices(gg_threads(run, graph->m), graph->m, compare_arcs, &c);
    return !c.differs;
}

/* Copies packed rows. If they have no weights, copies the weights of the edges. */
static void copy_rows_of(const gpugraph_graph *graph, const struct csr_slot *from,
                         size_t weight_size, bool own, gpugraph_run *run,
                         struct csr_slot *to) {
    const void *weight = from->weight ? from->weight : graph->weight;
    *to = (struct csr_slot){.m = from->m, .sorted = from->sorted};
    to->offset =
        gg_copy_array(run, from->offset, (uint64_t)graph->n + 1, sizeof *to->offset);
    to->target = from->target == graph->target && !own
                     ? from->target
                     : gg_copy_array(run, from->target, from->m, sizeof *to->target);
    if (weight_size)
        to->weight = gg_copy_array(run, weight, from->m, weight_size);
}

/* Makes rows of this kind in an empty slot. Copies the `old` rows if they lack only
** order, or weights that the edges have in the same order. After a failure the slot is
** empty. */
static void make_slot(gpugraph_graph *graph, enum csr_kind kind, bool weighted,
                      bool sorted, const struct csr_slot *old, gpugraph_run *run,
                      struct csr_slot *slot) {
    static const char *const names[] = {"out", "in, the transpose of out", "both",
                                        "simple"};
    const double start = gg_now_ms();
    const size_t weight_size = weighted ? gg_distance_size(graph->distance_type) : 0;
    const bool same_arcs = old->made && !old->end;
    if (same_arcs && (!weighted || old->weight ||
                      (kind == CSR_OUT && arcs_are_edges(run, graph, old))))
        copy_rows_of(graph, old, weight_size, sorted && !old->sorted, run, slot);
    else if (kind == CSR_SIMPLE)
        gg_simple_rows(graph, run, slot);
    else
        fill_slot(graph, kind, graph->weight, weight_size, run, slot);
    slot->sorted = slot->sorted || kind == CSR_SIMPLE;
    if (sorted && !slot->sorted && !gg_stopping(run))
        sort_rows_of_csr(run, slot, graph->n, weight_size, kind >= CSR_BOTH);
    if (gg_stopping(run)) {
        release_rows(graph, slot);
        gg_stopped(run);
        return;
    }
    slot->made = true;
    gg_phase(run, "csr", start, (int64_t)slot->m, "%s%s%s", names[kind],
             weight_size ? ", with weights" : "", slot->sorted ? ", rows sorted" : "");
}

/* ---- rows that several threads read ----
** Rows do not change while a search may read them. A thread makes better rows beside the
** existing ones, which stay until all searches have ended. */

static csr view_of(const gpugraph_graph *graph, const struct csr_slot *slot) {
    csr view = {.n = graph->n,
                .m = slot->m,
                .target = slot->target,
                .weight = slot->weight,
                .sorted = slot->sorted,
                .begin = slot->offset,
                .end = slot->end};
    if (slot->offset && !slot->end)
        view.end = slot->offset + 1;
    return view;
}

static void make_rows_of_csr(gpugraph_graph *graph, enum csr_kind kind, bool weighted,
                             bool sorted, gpugraph_run *run, csr *view) {
    const struct csr_slot old = graph->csr[kind]; /* only one thread makes rows */
    struct retired_rows *retired = gg_alloc(run, 1, sizeof *retired);
    struct csr_slot slot = {0};
    if (retired)
        make_slot(graph, kind, weighted || old.weight, sorted || old.sorted, &old, run,
                  &slot);
    if (slot.made) {
        gg_lock(&graph->gate.lock);
        /* If a nested call has made rows, they stay: a device may read them. */
        const struct csr_slot present = graph->csr[kind];
        const bool is_nested = present.offset != old.offset;
        if (!is_nested)
            graph->csr[kind] = slot;
        if (present.made) {
            retired->next = graph->gate.retired;
            retired->slot = is_nested ? slot : present;
            graph->gate.retired = retired;
            retired = NULL;
        }
        *view = view_of(graph, &slot);
        gg_unlock(&graph->gate.lock);
    }
    gg_release(retired);
}

void gg_free_retired(gpugraph_graph *graph, struct retired_rows *list) {
    while (list) {
        struct retired_rows *next = list->next;
        release_rows(graph, &list->slot);
        gg_release(list);
        list = next;
    }
}

/* Sets the view of existing rows. Returns false if the rows must be made. */
static bool look_csr(const gpugraph_graph *graph, enum csr_kind kind, bool weighted,
                     bool sorted, csr *view) {
    gg_brief_lock *lock = (gg_brief_lock *)&graph->gate.lock;
    gg_lock(lock);
    const struct csr_slot *slot = &graph->csr[kind];
    bool there = slot->made && !(weighted && !slot->weight) && !(sorted && !slot->sorted);
    *view = view_of(graph, slot);
    gg_unlock(lock);
    return there;
}

gpugraph_status gg_rows(gpugraph_graph *graph, enum csr_kind kind, bool weighted,
                        bool sorted, gpugraph_run *run, csr *view) {
    weighted = weighted && kind != CSR_SIMPLE && gg_has_weights(graph);
    sorted = sorted || kind == CSR_SIMPLE;
    if (look_csr(graph, kind, weighted, sorted, view) || gg_bring_edges(graph, run) ||
        !gg_begin_making(graph, run))
        return run->status;
    /* Another thread may have made the rows meanwhile. */
    if (!look_csr(graph, kind, weighted, sorted, view))
        make_rows_of_csr(graph, kind, weighted, sorted, run, view);
    gg_end_making(graph);
    return run->status;
}

bool gg_existing_rows(const gpugraph_graph *graph, enum csr_kind kind, csr *view) {
    return look_csr(graph, kind, false, false, view);
}

bool gg_csr_made(const gpugraph_graph *graph, enum csr_kind kind) {
    csr view;
    return gg_existing_rows(graph, kind, &view);
}

bool gg_csr_weighted(const gpugraph_graph *graph, enum csr_kind kind) {
    csr view;
    return look_csr(graph, kind, true, false, &view);
}

/* ---- rows with an entry for each edge ---- */

gpugraph_status gg_edges_to_rows(gpugraph_graph *graph, gpugraph_direction side,
                                 const struct edge_column *column, gpugraph_run *run,
                                 struct csr_slot *slot) {
    const uint64_t m = graph->m;
    struct edge_column c = *column;
    c.entry = gg_alloc(run, m, c.size);
    if (c.entry)
        gg_slices(gg_threads(run, m), m, c.fill, &c);
    if (!gg_stopping(run))
        fill_slot(graph, gg_forward_kind(side), c.entry, c.size, run, slot);
    if (!gg_stopping(run))
        sort_rows_of_csr(run, slot, graph->n, c.size, false);
    gg_release(c.entry);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}

void gg_publish_rows(struct csr_slot *rows, const struct csr_slot *made) {
    rows->offset = made->offset;
    rows->target = made->target;
    rows->weight = made->weight;
    rows->m = made->m;
    rows->sorted = true;
    __atomic_store_n(&rows->made, true, __ATOMIC_RELEASE);
}

static void number_edges(void *column, uint64_t low, uint64_t high) {
    const struct edge_column *c = column;
    for (uint64_t e = low; e < high && !gg_leave(c->run, e); e++)
        gg_put_edge(c->entry, c->graph->wide, e, e);
}

gpugraph_status gg_edge_rows(gpugraph_graph *graph, gpugraph_run *run) {
    struct csr_slot *rows = &graph->derived.edge_rows;
    const struct edge_column numbers = {.graph = graph,
                                        .run = run,
                                        .fill = number_edges,
                                        .size = gg_edge_size(graph->wide)};
    if (gg_edge_rows_made(graph) || gg_bring_edges(graph, run) ||
        !gg_begin_making(graph, run))
        return run->status;
    const double start = gg_now_ms();
    struct csr_slot made = {0};
    if (!rows->made && !gg_edges_to_rows(graph, GPUGRAPH_OUT, &numbers, run, &made) &&
        !rows->made) { /* no nested call has made them */
        gg_publish_rows(rows, &made);
        gg_phase(run, "csr", start, (int64_t)graph->m,
                 "out, with edge numbers, rows sorted");
    } else {
        gg_release_slot(&made);
    }
    gg_end_making(graph);
    return run->status;
}

uint64_t gg_slot_bytes(const struct csr_slot *slot, uint32_t n, size_t weight_size) {
    const uint64_t arcs = slot->end ? slot->used : slot->m;
    const uint64_t row =
        sizeof *slot->offset + (slot->end ? sizeof *slot->end + sizeof *slot->spare : 0);
    return ((uint64_t)n + 1) * row + arcs * ((slot->target ? sizeof *slot->target : 0) +
                                             (slot->weight ? weight_size : 0));
}

/* Does not count targets of OUT that are the edges' own array. */
static uint64_t slot_bytes(const gpugraph_graph *graph, const struct csr_slot *slot) {
    struct csr_slot own = *slot;
    if (slot->target == graph->target)
        own.target = NULL;
    return slot->made
               ? gg_slot_bytes(&own, graph->n, gg_distance_size(graph->distance_type))
               : 0;
}

void gg_list_rows(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                  void *listener) {
    static const char *const name[CSR_KINDS] = {"rows out", "rows in", "rows both",
                                                "rows simple"};
    gg_brief_lock *lock = (gg_brief_lock *)&graph->gate.lock;
    uint64_t bytes[CSR_KINDS], retired = 0;
    gg_lock(lock);
    for (int kind = 0; kind < CSR_KINDS; kind++)
        bytes[kind] = slot_bytes(graph, &graph->csr[kind]);
    for (const struct retired_rows *r = graph->gate.retired; r; r = r->next)
        retired += slot_bytes(graph, &r->slot);
    gg_unlock(lock);
    for (int kind = 0; kind < CSR_KINDS; kind++)
        hear(listener, name[kind], -1, (int64_t)bytes[kind]);
    hear(listener, "rows that running searches still read", -1, (int64_t)retired);
    if (gg_edge_rows_made(graph))
        hear(listener, "edge numbers by ends", -1,
             (int64_t)gg_slot_bytes(&graph->derived.edge_rows, graph->n,
                                    gg_edge_size(graph->wide)));
}

void gg_free_csr(gpugraph_graph *graph) {
    for (int kind = 0; kind < CSR_KINDS; kind++)
        release_rows(graph, &graph->csr[kind]);
    gg_free_retired(graph, graph->gate.retired);
    graph->gate.retired = NULL;
    gg_release_slot(&graph->derived.edge_rows);
    gg_free_adjacency(graph, GPUGRAPH_OUT);
    gg_free_adjacency(graph, GPUGRAPH_IN);
    gg_free_degrees(graph);
}
