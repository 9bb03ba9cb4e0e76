/* A part while it is made: what part.c, part_numbers.c and part_arcs.c share. */
#ifndef GPUGRAPH_MULTI_MAKING_H
#define GPUGRAPH_MULTI_MAKING_H

#include "part.h"

/* Number -> local, by open addressing. */
struct part_places {
    uint32_t *slot; /* local + 1; 0: free */
    uint64_t mask;
    uint32_t used;
    struct gg_placing placing;
};

struct part_making {
    gpugraph_part *part;
    const gpugraph_share *share;
    gpugraph_run *run;
    struct part_places places;
    uint64_t number_room;
    uint64_t arcs;      /* that will have come */
    uint64_t looked_at; /* that have come */
    uint64_t *next;     /* where the next arc of each share goes: arcs lie by shares */
    uint32_t *source, *target;
    uint64_t *weight;
    int64_t *edge_id;
    bool weighted, with_ids;
    uint32_t stride; /* words of an arc in a message */
    gg_letters out;  /* a batch; and of each part bytes, or where the next arc goes */
    uint64_t *size;
};

/* ---- part_numbers.c ---- */

/* The numbers that this part owns become its masters. */
bool part_make_masters(struct part_making *m);
/* A number that is not there becomes the last local. GPUGRAPH_NONE: no memory, or too many. */
uint32_t part_place_of(struct part_making *m, uint64_t number);

/* ---- part_arcs.c ---- */

/* The share's edges go to the parts that have them, and those of this part come: source, target, weight,
** edge_id. */
bool part_bring_arcs(struct part_making *m);

/* ---- part_rows.c ---- */

/* Arcs become rows, and rows of the transpose where edges have ids. */
bool part_make_rows(struct part_making *m);

#endif
