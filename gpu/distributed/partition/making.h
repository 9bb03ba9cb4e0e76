/* A part while it is made: what part.c and the files part_*.c share. */
#ifndef GPUGRAPH_MULTI_MAKING_H
#define GPUGRAPH_MULTI_MAKING_H

#include "part.h"
#include "base/distinct.h"

struct part_making {
    gpugraph_part *part;
    const gpugraph_share *share;
    gpugraph_run *run;
    struct gg_distinct ghosts; /* their numbers, as they come */
    bool weighted, with_ids;
    uint32_t stride; /* words of an arc in a message */
    /* A batch of arcs, and the parts that have them. */
    uint64_t *record, listed;
    uint32_t *to;
    /* Arcs that have come. */
    uint64_t arcs;
    uint32_t *source, *target;
    uint64_t *weight;
    int64_t *edge_id;
};

/* ---- part_numbers.c ---- */

/* Decides who owns which numbers. False: the part would have too many. */
bool part_lay_out(gpugraph_part *p, gpugraph_run *run);
/* A number that is not there becomes the last local. GPUGRAPH_NONE: no memory, or too many. */
uint32_t part_local_of(struct part_making *m, uint64_t number);
/* All arcs are there: ghosts are put in the order of their places, and all locals get their numbers. */
bool part_order_ghosts(struct part_making *m);

/* ---- part_arcs.c ---- */

/* The share's edges go to the parts that have them, and those of this part come: source, target, weight,
** edge_id. */
bool part_bring_arcs(struct part_making *m);

/* ---- part_rows.c ---- */

/* Arcs become rows. */
bool part_make_rows(struct part_making *m);

#endif
