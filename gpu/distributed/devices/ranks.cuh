/* Partitions on devices. The rows of a partition go to a device of its process, and the
** partition becomes a rank of a team: the only member of that team in this process.
**
** Kernels of ranks do not reach each other's memory. They return at each barrier, and
** segments and messages go through the hosts. Rows of masters are complete: arcs out of
** them in partitions by source, arcs into them in partitions by target. */
#ifndef GPUGRAPH_DISTRIBUTED_RANKS_CUH
#define GPUGRAPH_DISTRIBUTED_RANKS_CUH

#include "distributed/partition/part.h"
#include "several.cuh"

struct part_device {
    int ordinal;
    struct several_parts parts; /* only of this rank */
};

/* Downloads pieces, sends them by the partition's exchange, and uploads what arrives. */
bool gg_rank_move(struct several_team *team, const struct several_piece *piece);

/* ---- searches, one in the folder of each algorithm ---- */

part_bfs gg_cuda_part_bfs;
part_mis gg_cuda_part_mis;
part_sssp gg_cuda_part_sssp;
part_pagerank gg_cuda_part_pagerank;

#endif
