/* A batch changes the existing CSRs: it removes arcs and adds arcs.
**
**     removed arcs    sorted by (row, target, weight), found in their rows
**     added arcs      sorted by (row, target)
**
** A removed arc is found by target and weight. Equal arcs are interchangeable unless edge
** numbers distinguish them. Rows on the host change in place (`roomy.c`). A large batch
** drops them, and they are rebuilt on need. Rows on a device: rewrite.cu. */
#include "update.h"

typedef struct row_walk {
    update *u;
    row_plan *p;
    const struct csr_slot *slot;
    end_ref *going, *coming;
    uint64_t goings, comings;
    uint32_t *column;  /* targets of removed arcs */
    uint64_t *weight;  /* of removed arcs; 0 if the slot has no weights */
    uint32_t *matched; /* at the first of equal removed arcs: how many were found */
} row_walk;

static uint32_t going_row(const row_walk *w, uint64_t i) {
    return gg_removed_end(w->u, w->going[i]);
}

/* Bytes of a weight in the slot before the update. */
static size_t old_weight_size(const row_walk *w) {
    if (w->p->column == WEIGHTS)
        return gg_distance_size(w->u->graph->distance_type);
    return w->p->column == IDS ? sizeof(uint32_t) : gg_edge_size(w->u->graph->wide);
}

/* Compares removed arc i with (column, weight): negative, 0 or positive. */
static int compare_arc(const row_walk *w, uint64_t i, uint32_t column, uint64_t weight) {
    if (w->column[i] != column)
        return w->column[i] < column ? -1 : 1;
    return (w->weight[i] > weight) - (w->weight[i] < weight);
}

/* ---- lists of arcs ---- */

/* The weight of a removed arc in the slot's format. */
static uint64_t going_weight(const row_walk *w, end_ref ref) {
    if (!w->slot->weight)
        return 0;
    if (w->p->column == IDS)
        return (uint64_t)w->u->removed_id[ref / 2] - (uint64_t)w->p->first_id;
    return w->p->column == NUMBERS ? w->u->removed[ref / 2]
                                   : w->u->removed_weight[ref / 2];
}

/* Lists the arcs of the batch's edges in a kind of CSR: 2 * i leaves the source of edge
** i, 2 * i + 1 its target. */
static uint64_t list_arcs(end_ref *ref, uint64_t edges, enum csr_kind kind,
                          const update *u, bool removed) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < edges; i++) {
        end_ref from = (end_ref)(2 * i);
        bool loop = removed ? gg_removed_end(u, from) == gg_removed_end(u, from + 1)
                            : u->end[from].now == u->end[from + 1].now;
        if (kind != CSR_IN)
            ref[count++] = from;
        if (kind == CSR_IN || (kind == CSR_BOTH && !loop))
            ref[count++] = from + 1;
    }
    return count;
}

/* In CSR_SIMPLE each listed edge stands for both its arcs. */
static uint64_t both_arcs(end_ref *ref, uint64_t count) {
    for (uint64_t i = count; i-- > 0;) {
        ref[2 * i + 1] = ref[i] + 1;
        ref[2 * i] = ref[i];
    }
    return 2 * count;
}

static void list_all(row_walk *w, enum csr_kind kind) {
    update *u = w->u;
    if (kind == CSR_SIMPLE) {
        gg_update_simple(u, &w->goings, &w->comings);
        w->goings = both_arcs(u->going, w->goings);
        w->comings = both_arcs(u->coming, w->comings);
    } else {
        const bool none = u->reweights && (!w->slot->weight || w->p->column);
        w->goings = list_arcs(u->going, none ? 0 : u->removed_count, kind, u, true);
        w->comings = list_arcs(u->coming, none ? 0 : u->added_count, kind, u, false);
    }
}

static void sort_all(row_walk *w) {
    update *u = w->u;
    if (w->slot->weight && w->p->column == WEIGHTS && w->goings > 1) {
        for (uint64_t i = 0; i < w->goings; i++)
            u->key[i] = going_weight(w, w->going[i]);
        gg_update_sort(u, w->going, w->goings);
    }
    for (uint64_t i = 0; i < w->goings; i++)
        u->key[i] = (uint64_t)going_row(w, i) << 32 | gg_removed_end(u, w->going[i] ^ 1);
    gg_update_sort(u, w->going, w->goings);
    for (uint64_t i = 0; i < w->goings; i++) {
        w->column[i] = (uint32_t)u->key[i];
        w->weight[i] = going_weight(w, w->going[i]);
    }
    for (uint64_t k = 0; k < w->comings; k++)
        u->key[k] =
            (uint64_t)u->end[w->coming[k]].now << 32 | u->end[w->coming[k] ^ 1].now;
    gg_update_sort(u, w->coming, w->comings);
}

/* ---- a walk ---- */

static bool take_arrays(row_walk *w) {
    gpugraph_run *run = w->u->run;
    row_plan *p = w->p;
    uint64_t go = w->goings, come = w->comings;
    w->column = gg_alloc(run, go, sizeof *w->column);
    w->weight = w->column ? gg_alloc(run, go, sizeof *w->weight) : NULL;
    w->matched = w->weight ? gg_alloc_zero(run, go, sizeof *w->matched) : NULL;
    p->removed_at = w->matched ? gg_alloc(run, go, sizeof *p->removed_at) : NULL;
    p->inserted_at = p->removed_at ? gg_alloc(run, come, sizeof *p->inserted_at) : NULL;
    p->target = p->inserted_at ? gg_alloc(run, come, sizeof *p->target) : NULL;
    p->weight = p->target ? gg_alloc(run, come, p->weight_size) : NULL;
    p->removed_row = p->weight ? gg_alloc(run, go, sizeof *p->removed_row) : NULL;
    return p->removed_row != NULL;
}

static void end_row_walk(row_walk *w) {
    gg_release(w->column);
    gg_release(w->weight);
    gg_release(w->matched);
}

/* Lists removed arcs, sorted by (row, target, weight), and added arcs, by (row, target),
** and allocates the plan's arrays for them. False: the run must end. */
static bool begin_row_walk(row_walk *w, enum csr_kind kind) {
    list_all(w, kind);
    if (gg_stopping(w->u->run) || !take_arrays(w))
        return false;
    sort_all(w);
    return !gg_stopping(w->u->run);
}

/* ---- removed arcs ---- */

/* Matches an arc (column, weight) to one of removed arcs low .. high - 1 that is left. */
static bool match(row_walk *w, uint64_t low, uint64_t high, uint32_t column,
                  uint64_t weight) {
    uint64_t end = high;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (compare_arc(w, middle, column, weight) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == end || compare_arc(w, low, column, weight) != 0)
        return false;
    uint64_t next = low + w->matched[low];
    if (next == end || compare_arc(w, next, column, weight) != 0)
        return false;
    w->matched[low]++;
    return true;
}

/* Finds removed arcs low .. high - 1 among arcs begin .. end - 1 of the slot. */
static void match_range(row_walk *w, uint64_t low, uint64_t high, uint64_t begin,
                        uint64_t end) {
    const struct csr_slot *slot = w->slot;
    size_t size = old_weight_size(w);
    uint64_t left = high - low;
    for (uint64_t k = begin; k < end && left && !gg_leave(w->u->run, k); k++) {
        uint64_t weight = slot->weight ? gg_weight_at(slot->weight, k, size) : 0;
        if (high - low == 1
                ? slot->target[k] != w->column[low] || weight != w->weight[low]
                : !match(w, low, high, slot->target[k], weight))
            continue;
        w->p->removed_at[w->p->removed++] = k;
        left--;
    }
    if (left)
        gg_fail(w->u->run, GPUGRAPH_INVALID,
                "the graph is damaged: edge %lld is not in its rows",
                (long long)w->u->removed_id[w->going[low] / 2]);
}

/* Finds removed arcs low .. high - 1 in row v. */
static void match_row(row_walk *w, uint32_t v, uint64_t low, uint64_t high) {
    uint64_t begin = w->slot->offset[v], end = gg_row_end(w->slot, v);
    if (!w->slot->sorted) {
        match_range(w, low, high, begin, end);
        return;
    }
    for (uint64_t i = low, next; i < high && !gg_stopping(w->u->run); i = next) {
        for (next = i + 1; next < high && w->column[next] == w->column[i];)
            next++;
        uint64_t first = gg_first_arc(w->slot->target, begin, end, w->column[i]);
        begin = gg_first_arc(w->slot->target, first, end, w->column[i] + (uint64_t)1);
        match_range(w, i, next, first, begin);
    }
}

/* ---- added arcs ---- */

static void put_arc(row_walk *w, end_ref ref, uint64_t at) {
    row_plan *p = w->p;
    uint64_t i = p->inserted++;
    p->inserted_at[i] = at;
    p->target[i] = w->u->end[ref ^ 1].now;
    if (p->column == IDS)
        ((uint32_t *)p->weight)[i] =
            (uint32_t)((uint64_t)w->u->added->edge_id[ref / 2] - (uint64_t)p->first_id);
    else if (p->column == NUMBERS)
        gg_put_edge(p->weight, w->u->graph->wide, i, w->u->added_edge[ref / 2]);
    else if (p->weight_size == sizeof(uint32_t))
        ((uint32_t *)p->weight)[i] = ((const uint32_t *)w->u->weight)[ref / 2];
    else if (p->weight_size)
        ((uint64_t *)p->weight)[i] = ((const uint64_t *)w->u->weight)[ref / 2];
}

/* ---- rows with slack ---- */

/* Assigns removed arcs and added arcs to their rows. */
static void fill_roomy_plan(row_walk *w) {
    enum { NEAR = GG_FETCH_AHEAD / 2 };
    row_plan *p = w->p;
    for (uint64_t i = 0, next; i < w->goings && !gg_stopping(w->u->run); i = next) {
        const uint32_t row = going_row(w, i);
        uint64_t first = p->removed;
        for (next = i + 1; next < w->goings && going_row(w, next) == row;)
            next++;
        if (i + GG_FETCH_AHEAD < w->goings)
            gg_fetch_row(w->slot, going_row(w, i + GG_FETCH_AHEAD));
        if (i + NEAR < w->goings)
            gg_fetch_arcs(w->slot, going_row(w, i + NEAR), old_weight_size(w));
        match_row(w, row, i, next);
        while (first < p->removed)
            p->removed_row[first++] = row;
    }
    for (uint64_t k = 0; k < w->comings && !gg_stopping(w->u->run); k++)
        put_arc(w, w->coming[k], w->u->end[w->coming[k]].now);
}

/* Upper bound on removed and added arcs. */
static uint64_t most_arcs(const update *u, enum csr_kind kind) {
    const uint64_t edges = u->removed_count + u->added_count;
    return kind >= CSR_BOTH ? 2 * edges : edges;
}

/* ---- a plan ---- */

/* Plans rows that change in place; p says what their weights are. */
static void plan_rows(update *u, enum csr_kind kind, row_plan *p) {
    struct csr_slot *slot = p->slot;
    row_walk w = {.u = u, .p = p, .slot = slot, .going = u->going, .coming = u->coming};
    if (slot->weight)
        p->weight_size = old_weight_size(&w);
    if (slot->lent)
        gg_rows_back(u->graph);
    if (begin_row_walk(&w, kind) &&
        !gg_give_room(u->run, slot, u->graph->n, old_weight_size(&w),
                      gg_room_of_coming(u, slot, w.coming, w.comings)))
        fill_roomy_plan(&w);
    if (!gg_stopping(u->run))
        gg_plan_room(u, p);
    end_row_walk(&w);
}

void gg_free_row_plan(row_plan *p) {
    void *blocks[] = {p->removed_at,  p->inserted_at, p->target, p->weight,
                      p->removed_row, p->offset,      p->end,    p->spare};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        gg_release(blocks[k]);
}

static row_plan *add_plan(update *u, struct csr_slot *slot, int column) {
    row_plan *p = &u->rows[u->row_plans++];
    *p = (row_plan){.slot = slot, .column = column};
    return p;
}

/* True if arcs by ids can take the batch. Ids of added edges ascend. */
static bool arcs_follow(const update *u, const struct adjacency *a) {
    const int64_t *id = u->added->edge_id;
    uint64_t offset;
    return !u->changes->before && gg_takes_room(&a->rows, most_arcs(u, CSR_OUT)) &&
           (u->added_count == 0 || (gg_arc_id(a, id[0], &offset) &&
                                    gg_arc_id(a, id[u->added_count - 1], &offset)));
}

/* Plans the counts of entering edges, which belong to the arcs that leave. */
static void plan_in(update *u) {
    struct adjacency *out = &u->graph->derived.adjacency[GPUGRAPH_OUT];
    u->counts_in = out->in && !u->drops_arcs[GPUGRAPH_OUT];
    if (u->counts_in)
        u->longer_in = gg_longer(u, out->in, u->graph->n, u->n, sizeof *out->in);
}

static void plan_arcs(update *u) {
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN && !gg_stopping(u->run); side++) {
        struct adjacency *a = &u->graph->derived.adjacency[side];
        if (!gg_adjacency_made(u->graph, (gpugraph_direction)side))
            continue;
        u->drops_arcs[side] = !arcs_follow(u, a);
        if (u->drops_arcs[side])
            continue;
        row_plan *p = add_plan(u, &a->rows, IDS);
        p->first_id = a->first_id;
        plan_rows(u, (enum csr_kind)side, p);
    }
    plan_in(u);
}

void gg_update_rows(update *u) {
    gpugraph_graph *graph = u->graph;
    struct csr_slot *numbered = &graph->derived.edge_rows;
    const bool same_ends = gg_same_ends(u);
    for (int kind = 0; kind < CSR_KINDS && !gg_stopping(u->run); kind++) {
        struct csr_slot *slot = &graph->csr[kind];
        if (!slot->made || (same_ends && !slot->weight))
            continue;
        u->drops[kind] = !gg_takes_room(slot, most_arcs(u, (enum csr_kind)kind)) ||
                         (slot->weight && u->distance_type != graph->distance_type) ||
                         (kind == CSR_SIMPLE && !gg_adjacency_made(graph, GPUGRAPH_OUT));
        if (!u->drops[kind])
            plan_rows(u, (enum csr_kind)kind, add_plan(u, slot, WEIGHTS));
    }
    if (!same_ends)
        plan_arcs(u);
    if (!numbered->made || same_ends || gg_stopping(u->run))
        return;
    u->drops_numbered = gg_is_wide(u->edges.after) != graph->wide ||
                        !gg_takes_room(numbered, most_arcs(u, CSR_OUT));
    if (!u->drops_numbered)
        plan_rows(u, CSR_OUT, add_plan(u, numbered, NUMBERS));
    if (!u->drops_numbered && !gg_stopping(u->run))
        gg_splice_index(u->run, &u->edges, graph->wide);
}

/* ---- rows on a device ---- */

uint64_t gg_touched_rows(update *u, enum csr_kind kind, uint32_t *vertex) {
    const bool from = kind != CSR_IN, to = kind != CSR_OUT;
    uint64_t count = 0, left = 0;
    for (end_ref end = 0; end < 2 * u->removed_count; end++)
        if (end % 2 == 0 ? from : to)
            u->key[count++] = gg_removed_end(u, end);
    for (end_ref end = 0; end < 2 * u->added_count; end++)
        if (end % 2 == 0 ? from : to)
            u->key[count++] = u->end[end].now;
    gg_update_sort(u, u->going, count);
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || u->key[i] != u->key[i - 1])
            vertex[left++] = (uint32_t)u->key[i];
    return left;
}
