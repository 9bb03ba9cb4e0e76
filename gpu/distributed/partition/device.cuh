/* A partition's rows on a device of its process.
**
**     rows      offset, target     ends of arcs are places: of master i of rank q  q * stride + i
**
** A search makes the partition a rank of a team of devices (devices/ranks.cuh). */
#ifndef GPUGRAPH_MULTI_DEVICE_CUH
#define GPUGRAPH_MULTI_DEVICE_CUH

#include "device/cuda.cuh"
#include "part.h"

struct part_shared; /* devices/ranks.cuh */

struct part_device {
    int ordinal;
    /* Masters of the partition that has most, in whole units of PART_STRIDE: offsets reach as
    ** far. */
    uint32_t stride;
    uint64_t *offset; /* stride + 1, or locals + 1 where that is more */
    uint32_t *target;
    void *weight;     /* of each arc, as the partition's; NULL: it has none */
    uint64_t *number; /* of each local, where the partition is simple */
    void *block;
    uint64_t bytes;
    struct part_shared *shared; /* what makes it a rank of a team; NULL: no search yet */
    const char *way;            /* how data goes to other devices */
};

enum { PART_STRIDE = 2048 };

/* PageRank walks arcs into masters, which a partition by target has whole: its device has the
** rows of the transpose, without weights. */
static inline bool part_is_transposed(const gpugraph_part *p) {
    return p->partition == GPUGRAPH_BY_TARGET && !p->simple;
}

/* Blocks that other processes reach are whole pages of the device: nothing else lies in
** them. */
static inline uint64_t part_exported(uint64_t bytes) {
    const uint64_t page = (uint64_t)2 << 20;
    return (bytes + page - 1) / page * page;
}

/* ---- searches, each in the folder of its algorithm ---- */

gpugraph_status gg_cuda_part_bfs(gpugraph_part *p, const uint32_t *source,
                                 uint32_t sources, uint32_t max_depth, gpugraph_run *run,
                                 uint32_t *depth);
gpugraph_status gg_cuda_part_mis(gpugraph_part *p, gpugraph_priority priority,
                                 const uint32_t *hash, gpugraph_run *run,
                                 uint8_t *member);
gpugraph_status gg_cuda_part_sssp(struct sssp_part *s, const uint32_t *source,
                                  uint32_t sources);
gpugraph_status gg_cuda_part_pagerank(struct part_ranking *r, uint32_t *iterations,
                                      double *change);

/* ---- devices/ranks.cu ---- */

/* Gives back d->shared. The device is current. */
void gg_free_rank(struct part_device *d);

#endif
