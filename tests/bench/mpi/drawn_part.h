/* Parts of R-MATs that are drawn on devices, without a table and without the making of parts that cores do: so
** that a search of a large one can be timed within seconds. */
#ifndef BENCH_DRAWN_PART_H
#define BENCH_DRAWN_PART_H

#include "distributed/partition/part.h"
#include "graph_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of a whole graph, in this process's memory: both ways, without loops or repeats, each ascending. */
struct drawn_rows {
    gpugraph_graph *graph;
    csr of;
};
/* Of gengraph.cuh's rmat:SCALE:FACTOR, whose edges that device draws. False: run says why. */
bool drawn_rows_open(struct drawn_rows *rows, int scale, uint64_t factor, int ordinal,
                     gpugraph_run *run);
void drawn_rows_close(struct drawn_rows *rows);

/* The exchange's part of these by source, as searches on devices need it. It has no edge ids, and its masters have
** no links. NULL: run says why. */
gpugraph_part *drawn_part(const struct drawn_rows *rows, gpugraph_exchange *x,
                          gpugraph_run *run);

#ifdef __cplusplus
}
#endif
#endif
