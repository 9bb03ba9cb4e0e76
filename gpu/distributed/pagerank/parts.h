/* PageRank over parts while it is under way: what parts.c and several.cu share. */
#ifndef GPUGRAPH_PAGERANK_PARTS_H
#define GPUGRAPH_PAGERANK_PARTS_H

#include "distributed/partition/part.h"
#include "pagerank/split.h"
#include "pagerank/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct part_ranking {
    gpugraph_part *p;
    gpugraph_run *run;
    const gpugraph_part_ranks *how;
    double *rank; /* the caller's, of masters */
    /* of locals */
    double *share, *out; /* out: arcs */
    gg_fixed *sum;
    uint8_t *is_place; /* of masters; NULL: everywhere */
    uint64_t places;
    gg_fixed lost, change;
};

#ifdef __cplusplus
}
#endif
#endif
