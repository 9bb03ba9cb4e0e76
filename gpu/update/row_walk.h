/* The arcs that a batch takes out of the rows of one kind, and puts in: what rows.c and zones.c share. */
#ifndef GPUGRAPH_ROW_WALK_H
#define GPUGRAPH_ROW_WALK_H

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

/* Lists the arcs that go, sorted by (old row, old target, weight), and those that come, by (new row, new
** target), and takes the plan's arrays for them. False: the run must end. */
bool gg_begin_row_walk(row_walk *w, enum csr_kind kind);
void gg_end_row_walk(row_walk *w);
/* As questions to rows that lie elsewhere. */
void gg_list_goings(const row_walk *w, arc_question *going);

#endif
