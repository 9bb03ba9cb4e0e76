/* A team whose members are ranks: processes that have a partition on a device each (partition/device.cuh).
**
**     rank p     desk   | what kernels of all ranks tell each other |   its own memory, mapped by all others
**                space  | the workspace of a search |                 likewise
**                rows   | offset, number |                            likewise: read where keys are alike
**                ends of arcs are places: of master i of rank q  q * stride + i
**
** CUDA maps memory between processes by handles (cudaIpcGetMemHandle). The first search of a
** partition asks whether all ranks can do so. Otherwise, or where GPUGRAPH_EXCHANGE is not peer,
** kernels return where they would meet, and segments and letters go through the hosts. Rows of
** masters are whole: out of them in partitions by source, into them in partitions by target. */
#ifndef GPUGRAPH_DISTRIBUTED_RANKS_CUH
#define GPUGRAPH_DISTRIBUTED_RANKS_CUH

#include "distributed/partition/device.cuh"
#include "several.cuh"

struct
    shared_block { /* of each rank, as this process reaches it; without peers its own alone */
    void *at[SEVERAL_MOST];
    uint64_t bytes;
};

struct part_shared {
    uint32_t me;
    bool peers;                 /* kernels reach the memory of all ranks */
    struct several_parts parts; /* rows of this rank alone, in places */
    struct shared_block desk, space, rows;
    const uint64_t *offset[SEVERAL_MOST], *number[SEVERAL_MOST]; /* in rows, by master */
};

/* Opens the device of a partition, which has to be `wanted`, as the one member of this process in a team of
** all ranks. Collective. False: run->status says why, and there is nothing to close. */
bool gg_several_open_rank(struct several_team *team, gpugraph_part *p,
                          gpugraph_partition wanted, gpugraph_run *run);
/* The rows of the team's ranks. */
static inline struct part_shared *gg_several_rank(const struct several_team *team) {
    return team->rank->device->shared;
}

/* Of this process's member: what the functions of team.cu do for a team of ranks. */
bool gg_rank_workspace(struct several_team *team, struct several_space *space);
bool gg_rank_wait(struct several_team *team);
/* All ranks are here, and what they have queued is done. */
bool gg_rank_barrier(struct several_team *team);
bool gg_rank_combine(struct several_team *team, gpugraph_combination how, uint64_t *word,
                     uint32_t words);
bool gg_rank_gather_tallies(struct several_team *team,
                            struct several_tally tally[SEVERAL_MOST]);

#endif
