/* Partitions of R-MATs that devices draw, without a table and without the usual
** construction, so that a search of a large graph takes seconds. */
#ifndef BENCH_DRAWN_PART_H
#define BENCH_DRAWN_PART_H

#include "distributed/partition/part.h"
#include "graph_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of a whole graph in this process's memory: both ways, without loops and
** repeats, sorted. */
struct drawn_rows {
    gpugraph_graph *graph;
    csr of;
};
/* Draws gengraph.cuh's rmat:SCALE:FACTOR on that device. Returns false on an error, with
** a message in `run`. */
bool drawn_rows_open(struct drawn_rows *rows, int scale, uint64_t factor, int ordinal,
                     gpugraph_run *run);
void drawn_rows_close(struct drawn_rows *rows);

/* Returns the partition by source of this exchange, as searches on devices need it. It
** has no edge ids, and its masters no links. Returns NULL on an error, with a message in
** `run`. */
gpugraph_part *drawn_part(const struct drawn_rows *rows, gpugraph_exchange *x,
                          gpugraph_run *run);

#ifdef __cplusplus
}
#endif
#endif
