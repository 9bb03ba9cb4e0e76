/* Partitions on devices: the rows of a partition go to a device of its process, and the
** partition becomes a rank of a team of devices, the only member in this process.
**
** Kernels of ranks do not reach each other's memory: they return at each barrier, and
** segments and messages go through the hosts. Rows of masters are whole: out of them in
** partitions by source, into them in partitions by target. */
#ifndef GPUGRAPH_DISTRIBUTED_RANKS_CUH
#define GPUGRAPH_DISTRIBUTED_RANKS_CUH

#include "distributed/partition/part.h"
#include "several.cuh"

struct part_device {
    int ordinal;
    struct several_parts parts; /* rows of this rank alone */
};

/* What the functions of team.cu and exchange.cu do for a team of ranks. */
bool gg_rank_wait(struct several_team *team);
/* Pieces go down to the host, through the exchange of the partition, and up again. */
bool gg_rank_move(struct several_team *team, const struct several_piece *piece);

/* ---- searches, each in the folder of its algorithm ---- */

part_bfs gg_cuda_part_bfs;
part_mis gg_cuda_part_mis;
part_sssp gg_cuda_part_sssp;
part_pagerank gg_cuda_part_pagerank;

#endif
