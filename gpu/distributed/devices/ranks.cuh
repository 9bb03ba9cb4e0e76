/* Partitions on devices: the rows of a partition go to a device of its process, and
** the partition becomes a rank of a team of devices.
**
**     rank p     its own memory, mapped by all others:
**                desk   | what kernels of all ranks tell each other |
**                space  | the workspace of a search |
**                rows   | offset, target, weight |    offsets are read where keys are alike
**
** CUDA maps memory between processes by handles (cudaIpcGetMemHandle). When a
** partition is brought to its device, all ranks find out whether they can do so.
** Otherwise, or where GPUGRAPH_EXCHANGE is not peer, kernels return where they would
** meet, and segments and letters go through the hosts. Rows of masters are whole: out
** of them in partitions by source, into them in partitions by target. */
#ifndef GPUGRAPH_DISTRIBUTED_RANKS_CUH
#define GPUGRAPH_DISTRIBUTED_RANKS_CUH

#include "distributed/partition/part.h"
#include "several.cuh"

/* A block of each rank, as this process reaches it; without peers its own alone. */
struct shared_block {
    void *at[SEVERAL_MOST];
    uint64_t bytes;
};

struct part_device {
    int ordinal;
    uint32_t me;                /* this rank */
    bool peers;                 /* kernels reach the memory of all ranks */
    struct several_parts parts; /* rows of this rank alone */
    struct shared_block desk, space;
    struct shared_block rows; /* of the other ranks */
};

/* The offsets of that rank's rows, by master: they come first in the block. */
static inline const uint64_t *gg_rank_offsets(const struct part_device *d, int rank) {
    return (uint32_t)rank == d->me ? d->parts.rows[rank].offset
                                   : static_cast<const uint64_t *>(d->rows.at[rank]);
}

/* Opens the device of a partition, which has to be `wanted`, as the one member of this process in a team of
** all ranks. Collective. False: run->status says why, and there is nothing to close. */
bool gg_several_open_rank(struct several_team *team, gpugraph_part *p,
                          gpugraph_partition wanted, gpugraph_run *run);

/* Of this process's member: what the functions of team.cu do for a team of ranks. */
bool gg_rank_workspace(struct several_team *team, struct several_space *space);
bool gg_rank_wait(struct several_team *team);
/* Pieces go down to the host, through the exchange of the partition, and up again. */
bool gg_rank_move(struct several_team *team, const struct several_piece *piece);
/* All ranks are here, and what they have queued is done. */
bool gg_rank_barrier(struct several_team *team);

/* ---- searches, each in the folder of its algorithm ---- */

gpugraph_status gg_cuda_part_bfs(gpugraph_part *p, const gpugraph_search *search,
                                 gpugraph_run *run, uint32_t *depth);
gpugraph_status gg_cuda_part_mis(gpugraph_part *p, gpugraph_priority priority,
                                 const uint32_t *hash, gpugraph_run *run,
                                 uint8_t *member);
gpugraph_status gg_cuda_part_sssp(gpugraph_part *p, const gpugraph_search *search,
                                  gpugraph_run *run, void *distance, bool *lost);
gpugraph_status gg_cuda_part_pagerank(gpugraph_part *p,
                                      const gpugraph_pagerank_options *how,
                                      const double *out, const uint8_t *is_place,
                                      gpugraph_run *run, double *rank,
                                      uint32_t *iterations, double *change);

#endif
