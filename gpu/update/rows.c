/* Plans the changes of a batch to the existing CSRs: removed and added arcs.
**
**     removed arcs    sorted by (row, target, weight), found in their rows
**     added arcs      sorted by (row, target)
**
** Target and weight identify a removed arc in its row. If several arcs have both, any of
** them may go, unless edge numbers distinguish them. Rows on the host change in place
** (`slack.c`). A large batch drops rows, which are rebuilt on need. Rows on a device:
** rewrite.cu. */
#include "update.h"

#include <string.h>

typedef struct row_walk {
    update *u;
    row_plan *p;
    uint64_t removed, added; /* numbers of u->removed_arc, u->added_arc */
    uint32_t *matched;       /* at the first of equal removed arcs: how many are found */
} row_walk;

/* ---- lists of arcs ---- */

/* Lists the arcs of edges in rows of a kind: arc 2 * i leaves the source of edge i, and
** arc 2 * i + 1 its target. */
static uint64_t list_arcs(const edge_ends *ends, uint64_t edges, enum csr_kind kind,
                          end_ref *arc) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < edges; i++) {
        const end_ref from = (end_ref)(2 * i);
        if (kind != CSR_IN)
            arc[count++] = from;
        if (kind == CSR_IN || (kind == CSR_BOTH && ends->source[i] != ends->target[i]))
            arc[count++] = from + 1;
    }
    return count;
}

/* For CSR_SIMPLE: replaces each listed edge by its two arcs. */
static uint64_t both_arcs(end_ref *arc, uint64_t count) {
    for (uint64_t i = count; i-- > 0;) {
        arc[2 * i + 1] = arc[i] + 1;
        arc[2 * i] = arc[i];
    }
    return 2 * count;
}

static void list_all(row_walk *w, enum csr_kind kind) {
    update *u = w->u;
    if (kind == CSR_SIMPLE) {
        gg_update_simple(u, &w->removed, &w->added);
        w->removed = both_arcs(u->removed_arc, w->removed);
        w->added = both_arcs(u->added_arc, w->added);
    } else if (!u->reweights || (w->p->slot->weight && w->p->column == WEIGHTS)) {
        w->removed = list_arcs(&u->removed_ends, u->removed_count, kind, u->removed_arc);
        w->added = list_arcs(&u->added_ends, u->added_count, kind, u->added_arc);
    }
}

/* Sorts arcs by row and target. u->key then holds row << 32 | target. */
static void sort_arcs(update *u, const edge_ends *ends, end_ref *arc, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        u->key[i] = (uint64_t)gg_end_at(ends, arc[i]) << 32 | gg_end_at(ends, arc[i] ^ 1);
    gg_update_sort(u, arc, count);
}

/* ---- added arcs ---- */

static void put_arc(const update *u, row_plan *p, end_ref arc) {
    const uint64_t i = p->inserted++, edge = arc / 2;
    p->inserted_at[i] = gg_end_at(&u->added_ends, arc);
    p->target[i] = gg_end_at(&u->added_ends, arc ^ 1);
    if (p->column == IDS)
        ((uint32_t *)p->weight)[i] =
            (uint32_t)((uint64_t)u->added->edge_id[edge] - (uint64_t)p->first_id);
    else if (p->column == NUMBERS)
        gg_put_edge(p->weight, u->graph->wide, i, u->added_edge[edge]);
    else if (p->weight_size > 0)
        memcpy((char *)p->weight + i * p->weight_size,
               (const char *)u->weight + edge * p->weight_size, p->weight_size);
}

static void put_added(row_walk *w) {
    update *u = w->u;
    row_plan *p = w->p;
    p->inserted_at = gg_alloc(u->run, w->added, sizeof *p->inserted_at);
    p->target = gg_alloc(u->run, w->added, sizeof *p->target);
    p->weight = gg_alloc(u->run, w->added, p->weight_size);
    sort_arcs(u, &u->added_ends, u->added_arc, w->added);
    for (uint64_t i = 0; i < w->added && !gg_stopping(u->run); i++)
        put_arc(u, p, u->added_arc[i]);
}

/* ---- removed arcs ---- */

/* The weight of removed arc i in the slot's format; 0 if the slot has no weights. */
static uint64_t removed_weight(const row_walk *w, uint64_t i) {
    const update *u = w->u;
    const uint64_t edge = u->removed_arc[i] / 2;
    if (!w->p->slot->weight)
        return 0;
    if (w->p->column == IDS)
        return (uint64_t)u->removed_id[edge] - (uint64_t)w->p->first_id;
    return w->p->column == NUMBERS ? u->removed[edge] : u->removed_weight[edge];
}

/* Compares removed arc i with an arc of its row: negative, 0 or positive. */
static int compare_arc(const row_walk *w, uint64_t i, uint32_t target, uint64_t weight) {
    const uint32_t own = (uint32_t)w->u->key[i];
    if (own != target)
        return own < target ? -1 : 1;
    const uint64_t own_weight = removed_weight(w, i);
    return (own_weight > weight) - (own_weight < weight);
}

/* Matches an arc of a row to one of removed arcs low .. high - 1 that has no match. */
static bool match(row_walk *w, uint64_t low, uint64_t high, uint32_t target,
                  uint64_t weight) {
    const uint64_t end = high;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (compare_arc(w, middle, target, weight) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const uint64_t next = low < end ? low + w->matched[low] : end;
    if (next == end || compare_arc(w, next, target, weight) != 0)
        return false;
    w->matched[low]++;
    return true;
}

/* Finds removed arcs low .. high - 1 among arcs begin .. end - 1 of the slot. */
static void match_range(row_walk *w, uint64_t low, uint64_t high, uint64_t begin,
                        uint64_t end) {
    const struct csr_slot *slot = w->p->slot;
    const uint32_t first = (uint32_t)w->u->key[low], last = (uint32_t)w->u->key[high - 1];
    uint64_t left = high - low;
    for (uint64_t k = begin; k < end && left && !gg_leave(w->u->run, k); k++) {
        const uint32_t target = slot->target[k];
        if (target < first || target > last ||
            !match(w, low, high, target,
                   slot->weight ? gg_weight_at(slot->weight, k, w->p->weight_size) : 0))
            continue;
        w->p->removed_at[w->p->removed++] = k;
        left--;
    }
    if (left)
        gg_fail(w->u->run, GPUGRAPH_INVALID,
                "the graph is damaged: edge %lld is not in its rows",
                (long long)w->u->removed_id[w->u->removed_arc[low] / 2]);
}

/* Finds removed arcs low .. high - 1 in row v. */
static void match_row(row_walk *w, uint64_t v, uint64_t low, uint64_t high) {
    const struct csr_slot *slot = w->p->slot;
    const uint64_t *key = w->u->key;
    uint64_t begin = slot->offset[v], end = gg_row_end(slot, v);
    if (!slot->sorted) {
        match_range(w, low, high, begin, end);
        return;
    }
    for (uint64_t i = low, next; i < high && !gg_stopping(w->u->run); i = next) {
        for (next = i + 1; next < high && key[next] == key[i];)
            next++;
        uint64_t first = gg_first_arc(slot->target, begin, end, (uint32_t)key[i]);
        begin = gg_first_arc(slot->target, first, end, (uint32_t)key[i] + (uint64_t)1);
        match_range(w, i, next, first, begin);
    }
}

static void find_removed_arcs(row_walk *w) {
    update *u = w->u;
    row_plan *p = w->p;
    p->removed_at = gg_alloc(u->run, w->removed, sizeof *p->removed_at);
    p->removed_row = gg_alloc(u->run, w->removed, sizeof *p->removed_row);
    w->matched = gg_alloc_zero(u->run, w->removed, sizeof *w->matched);
    if (p->slot->weight && p->column == WEIGHTS) {
        for (uint64_t i = 0; i < w->removed; i++)
            u->key[i] = removed_weight(w, i);
        gg_update_sort(u, u->removed_arc, w->removed);
    }
    sort_arcs(u, &u->removed_ends, u->removed_arc, w->removed);
    for (uint64_t i = 0; i < w->removed && !gg_stopping(u->run); i++)
        p->removed_row[i] = u->key[i] >> 32;
    for (uint64_t i = 0, next; i < w->removed && !gg_stopping(u->run); i = next) {
        next = gg_same_row(p->removed_row, i, w->removed);
        gg_fetch_rows_after(p, p->removed_row, i, w->removed);
        match_row(w, p->removed_row[i], i, next);
    }
    gg_release(w->matched);
}

/* ---- a plan ---- */

/* Returns an upper bound on the number of removed and added arcs. */
static uint64_t most_arcs(const update *u, enum csr_kind kind) {
    const uint64_t edges = u->removed_count + u->added_count;
    return kind >= CSR_BOTH ? 2 * edges : edges;
}

/* Gives the rows slack for the added arcs. gg_give_slack may pack the rows, which removes
** all slack, so the need may grow. */
static gpugraph_status give_slack(update *u, row_plan *p, size_t weight_size) {
    uint64_t given, need = gg_slack_needed(u, p);
    do {
        given = need;
        if (gg_give_slack(u->run, p->slot, u->graph->n, weight_size, given))
            break;
        need = gg_slack_needed(u, p);
    } while (need > given);
    return u->run->status;
}

/* Plans the change of rows in place. weight_size: bytes of a weight in the slot. */
static void plan_rows(update *u, enum csr_kind kind, row_plan plan, size_t weight_size) {
    row_plan *p = &u->rows[u->row_plans++];
    struct csr_slot *slot = plan.slot;
    row_walk w = {.u = u, .p = p};
    *p = plan;
    p->weight_size = slot->weight ? weight_size : 0;
    if (slot->lent)
        gg_rows_back(u->graph);
    list_all(&w, kind);
    if (!gg_stopping(u->run))
        put_added(&w);
    if (!gg_stopping(u->run) && !give_slack(u, p, weight_size))
        find_removed_arcs(&w);
    gg_plan_row_ends(u, p);
}

void gg_free_row_plan(row_plan *p) {
    void *blocks[] = {p->removed_at,  p->inserted_at, p->target, p->weight,
                      p->removed_row, p->offset,      p->end,    p->spare};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        gg_release(blocks[k]);
}

/* True if rows with edge ids can change in place. The ids of added edges ascend. */
static bool arcs_follow(const update *u, const struct adjacency *a) {
    const int64_t *id = u->added->edge_id;
    uint64_t offset;
    return !u->changes->before && gg_changes_in_place(&a->rows, most_arcs(u, CSR_OUT)) &&
           (u->added_count == 0 || (gg_arc_id(a, id[0], &offset) &&
                                    gg_arc_id(a, id[u->added_count - 1], &offset)));
}

static void plan_arcs(update *u) {
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN && !gg_stopping(u->run); side++) {
        struct adjacency *a = &u->graph->derived.adjacency[side];
        if (!gg_adjacency_made(u->graph, (gpugraph_direction)side))
            continue;
        u->drops_arcs[side] = !arcs_follow(u, a);
        if (!u->drops_arcs[side])
            plan_rows(
                u, (enum csr_kind)side,
                (row_plan){.slot = &a->rows, .column = IDS, .first_id = a->first_id},
                sizeof(uint32_t));
    }
}

void gg_update_rows(update *u) {
    gpugraph_graph *graph = u->graph;
    struct csr_slot *numbered = &graph->derived.edge_rows;
    const bool same_ends = gg_same_ends(u);
    for (int kind = 0; kind < CSR_KINDS && !gg_stopping(u->run); kind++) {
        struct csr_slot *slot = &graph->csr[kind];
        if (!slot->made || (same_ends && !slot->weight))
            continue;
        u->drops[kind] = !gg_changes_in_place(slot, most_arcs(u, (enum csr_kind)kind)) ||
                         (slot->weight && !gg_same_layout(u)) ||
                         (kind == CSR_SIMPLE && !gg_adjacency_made(graph, GPUGRAPH_OUT));
        if (!u->drops[kind])
            plan_rows(u, (enum csr_kind)kind, (row_plan){.slot = slot},
                      gg_distance_size(graph->distance_type));
    }
    if (!same_ends)
        plan_arcs(u);
    if (!numbered->made || same_ends || gg_stopping(u->run))
        return;
    u->drops_numbered = gg_is_wide(u->edges.after) != graph->wide ||
                        !gg_changes_in_place(numbered, most_arcs(u, CSR_OUT));
    if (u->drops_numbered)
        return;
    row_plan plan = {.slot = numbered, .column = NUMBERS};
    if (gg_renumbers(&u->edges) && !gg_splice_index(u->run, &u->edges))
        plan.renumbers = &u->edges;
    plan_rows(u, CSR_OUT, plan, gg_edge_size(graph->wide));
}

/* ---- rows on a device ---- */

/* Appends the vertices whose rows have arcs of these edges to u->key. */
static uint64_t list_rows(update *u, const edge_ends *ends, uint64_t edges,
                          enum csr_kind kind, uint64_t count) {
    for (uint64_t i = 0; i < edges; i++) {
        if (kind != CSR_IN)
            u->key[count++] = ends->source[i];
        if (kind != CSR_OUT)
            u->key[count++] = ends->target[i];
    }
    return count;
}

uint64_t gg_touched_rows(update *u, enum csr_kind kind, uint32_t *vertex) {
    uint64_t count = list_rows(u, &u->removed_ends, u->removed_count, kind, 0), left = 0;
    count = list_rows(u, &u->added_ends, u->added_count, kind, count);
    gg_update_sort(u, u->removed_arc, count);
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || u->key[i] != u->key[i - 1])
            vertex[left++] = (uint32_t)u->key[i];
    return left;
}
