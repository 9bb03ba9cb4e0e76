/* A walk over the rows of one CSR together with the arcs that go and come: what is known of
** these before the walk, and who does which part of it.
**
**     rows.c           lists the arcs, sorts them, plans what becomes of the arrays
**     rows_walk.c      the walk: which arcs go, where new ones come to lie
**     rows_there.c     the same for rows on a device, which are asked instead */
#ifndef GPUGRAPH_UPDATE_ROWS_H
#define GPUGRAPH_UPDATE_ROWS_H

#include "update.h"

typedef struct row_walk {
    update *u;
    row_plan *p;
    const struct csr_slot *slot;
    end_ref *going, *coming;
    uint64_t goings, comings;
    uint32_t *column;  /* of arcs that go */
    uint64_t *weight;  /* of arcs that go; 0 where the slot has none */
    uint32_t *matched; /* of equal arcs that go, counted at the first: those found */
    /* of rows that lie elsewhere: places of going, in order; of coming, where rows end */
    uint64_t *going_at, *coming_at;
} row_walk;

/* Lists the arcs of the batch in that kind of CSR, sorted, and takes the arrays of walk and plan.
** False when the run must end. */
bool gg_begin_walk(row_walk *w, enum csr_kind kind);
/* Fills the plan. */
void gg_fill_row_plan(row_walk *w);
void gg_end_walk(row_walk *w);

static inline uint32_t gg_going_row(const row_walk *w, uint64_t i) {
    return gg_removed_end(w->u, w->going[i]);
}

static inline uint64_t gg_weight_at(const void *weight, uint64_t i, size_t size) {
    return size == sizeof(uint32_t) ? ((const uint32_t *)weight)[i]
                                    : ((const uint64_t *)weight)[i];
}

/* Bytes of a weight in the slot, before the update. */
static inline size_t gg_old_weight_size(const row_walk *w) {
    return w->p->numbers ? gg_edge_size(w->u->graph->wide)
                         : gg_distance_size(w->u->graph->distance_type);
}

/* Going arc i against (column, weight): below 0, 0, above 0. */
static inline int gg_compare_arc(const row_walk *w, uint64_t i, uint32_t column,
                                 uint64_t weight) {
    if (w->column[i] != column)
        return w->column[i] < column ? -1 : 1;
    return (w->weight[i] > weight) - (w->weight[i] < weight);
}

#endif
