/* Renumbers rows of a graph whose vertices get other numbers (compact.c). Arcs keep their
** places in the pool, except those of a row that is no longer in order of targets.
**
**     map       0 - 2 1              number 1 is a tombstone
**     begin     0 3 5 5              row 3, of a later vertex, becomes row 1
**     begin     0 5 5
**     target    0 3 2                entries get their new numbers, and a sorted row is
**               0 1 2                sorted again */
#include "renumber.h"
#include "graph/graph.h"

#include <string.h>

/* ---- allocation ---- */

static void add_rows_to_renumber(struct renumbering *r, struct csr_slot *slot,
                                 size_t weight_size) {
    if (slot->made)
        r->rows[r->count++] =
            (struct renumbered_rows){.slot = slot, .weight_size = weight_size};
}

/* Gives the rows an array of ends, like their first change. */
static void prepare_rows(struct renumbering *r, struct renumbered_rows *rows) {
    const uint64_t room = r->after + r->after / GG_ROOM_SHARE + 1;
    if (gg_give_slack(r->run, rows->slot, r->before, rows->weight_size, 0))
        return;
    rows->offset = gg_alloc(r->run, room, sizeof *rows->offset);
    rows->end = rows->offset ? gg_alloc(r->run, room, sizeof *rows->end) : NULL;
    rows->spare = rows->end ? gg_alloc(r->run, room, sizeof *rows->spare) : NULL;
}

void gg_prepare_renumbering(struct renumbering *r) {
    gpugraph_graph *graph = r->graph;
    const struct adjacency *out = &graph->derived.adjacency[GPUGRAPH_OUT];
    if (gg_own_rows(graph, r->run))
        return;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        add_rows_to_renumber(r, &graph->csr[kind],
                             gg_distance_size(graph->distance_type));
    add_rows_to_renumber(r, &graph->derived.edge_rows, gg_edge_size(graph->wide));
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++)
        add_rows_to_renumber(r, &graph->derived.adjacency[side].rows, sizeof(uint32_t));
    for (int i = 0; i < r->count && !gg_stopping(r->run); i++)
        prepare_rows(r, &r->rows[i]);
    if (out->in && !gg_stopping(r->run))
        r->in = gg_alloc_roomy(r->run, r->after, sizeof *r->in);
}

void gg_free_renumbering(struct renumbering *r) {
    for (int i = 0; i < r->count; i++) {
        gg_release(r->rows[i].offset);
        gg_release(r->rows[i].end);
        gg_release(r->rows[i].spare);
    }
    gg_release(r->in);
}

/* ---- the commit ---- */

typedef struct row_pass {
    const struct renumbering *r;
    struct csr_slot *slot;
    size_t weight_size;
} row_pass;

/* Entries outside of rows may name a tombstone; they must name a vertex. */
static void renumber_targets(void *of, uint64_t low, uint64_t high) {
    const row_pass *p = of;
    uint32_t *target = p->slot->target;
    for (uint64_t k = low; k < high; k++) {
        const uint32_t now = p->r->map[target[k]];
        target[k] = now == GPUGRAPH_NONE ? 0 : now;
    }
}

/* Moves arc `from` forward to position `to`, before the arcs that it passes. */
static void move_arc(const row_pass *p, uint64_t from, uint64_t to) {
    uint32_t *target = p->slot->target;
    const uint32_t moved = target[from];
    memmove(target + to + 1, target + to, (from - to) * sizeof *target);
    target[to] = moved;
    if (!p->slot->weight)
        return;
    char *weight = p->slot->weight;
    char one[sizeof(uint64_t)];
    memcpy(one, weight + from * p->weight_size, p->weight_size);
    memmove(weight + (to + 1) * p->weight_size, weight + to * p->weight_size,
            (from - to) * p->weight_size);
    memcpy(weight + to * p->weight_size, one, p->weight_size);
}

/* Sorts rows, in which only the few arcs to later vertices are out of order. Arcs with
** equal targets keep their order. */
static void sort_some_rows(void *of, uint64_t low, uint64_t high) {
    const row_pass *p = of;
    const struct csr_slot *slot = p->slot;
    for (uint64_t v = low; v < high; v++)
        for (uint64_t k = slot->offset[v] + 1; k < slot->end[v]; k++)
            if (slot->target[k] < slot->target[k - 1])
                move_arc(p, k,
                         gg_first_arc(slot->target, slot->offset[v], k,
                                      slot->target[k] + (uint64_t)1));
}

/* Rows of tombstones are empty; their slack is dead. */
static void move_rows(const struct renumbering *r, struct renumbered_rows *rows) {
    struct csr_slot *slot = rows->slot;
    for (uint32_t v = 0; v < r->before; v++) {
        const uint32_t now = r->map[v];
        if (now == GPUGRAPH_NONE) {
            slot->dead += slot->spare[v];
            continue;
        }
        rows->offset[now] = slot->offset[v];
        rows->end[now] = slot->end[v];
        rows->spare[now] = slot->spare[v];
    }
    gg_release(slot->offset);
    gg_release(slot->end);
    gg_release(slot->spare);
    slot->offset = rows->offset;
    slot->end = rows->end;
    slot->spare = rows->spare;
    rows->offset = rows->end = NULL;
    rows->spare = NULL;
}

static void move_counts(struct renumbering *r) {
    struct adjacency *out = &r->graph->derived.adjacency[GPUGRAPH_OUT];
    for (uint32_t v = 0; v < r->before; v++)
        if (r->map[v] != GPUGRAPH_NONE)
            r->in[r->map[v]] = out->in[v];
    gg_release(out->in);
    out->in = r->in;
    r->in = NULL;
}

void gg_renumber_rows(struct renumbering *r) {
    for (int i = 0; i < r->count; i++) {
        struct renumbered_rows *rows = &r->rows[i];
        row_pass pass = {r, rows->slot, rows->weight_size};
        const int threads = gg_threads(r->run, rows->slot->used);
        gg_slices(threads, rows->slot->used, renumber_targets, &pass);
        move_rows(r, rows);
        if (r->after == 0) /* no entry can name a vertex */
            rows->slot->used = rows->slot->dead = 0;
        if (rows->slot->sorted)
            gg_slices(threads, r->after, sort_some_rows, &pass);
    }
    if (r->in)
        move_counts(r);
}
