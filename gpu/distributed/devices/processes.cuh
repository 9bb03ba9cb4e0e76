/* Parts of processes (partition/device.cuh) as several devices of one process have a graph: the processes of a host map each
** other's device memory, and the kernels of several.cuh meet in it.
**
**     part p     window | desk | what kernels store into each other's memory |     of its own, mapped by all others
**                rows   | offset | number | ...                                    likewise: read where keys are alike
**                ends of arcs are places: of master i of part q  q * stride + i
**
** CUDA maps memory between processes by handles (cudaIpcGetMemHandle). Asked once for a part, at its first search;
** where it cannot be, or NCCL_P2P_DISABLE or GPUGRAPH_EXCHANGE says not to, searches go by rounds and messages.
** Parts are whole rows: of independent sets by source, of searches by depth by target with edges both ways, whose
** transpose is whole rows, too. */
#ifndef GPUGRAPH_SEVERAL_PARTS_CUH
#define GPUGRAPH_SEVERAL_PARTS_CUH

#include "distributed/partition/device.cuh"
#include "several.cuh"

struct part_shared {
    bool open;                    /* the rest is there */
    struct several_places places; /* no numbers: part->number has them */
    int parts;
    uint32_t me;
    uint64_t arcs;            /* of all parts */
    struct several_rows rows; /* the own ones, in the part's block */
    uint64_t window_bytes;
    void *window[SEVERAL_MOST]; /* of each part, as this process reaches it */
    void *block[SEVERAL_MOST];  /* of other parts' rows, likewise */
    const uint64_t *offset[SEVERAL_MOST], *number[SEVERAL_MOST]; /* in these, by local */
};

/* Opens it where that can be; window_bytes: what the search has there beside the desk. Then rows are in places.
** Collective, alike at all parts. False: by messages, or the run must end. */
bool gg_parts_share(struct cuda_job *job, gpugraph_part *p, uint64_t window_bytes);
/* Its rows have hubs from now on. */
bool gg_parts_hubs(struct cuda_job *job, gpugraph_part *p);
/* The window, to be carved; the desk is carved already. */
struct several_space gg_parts_window(const struct part_shared *s);
/* A view for that kernel, of as many blocks as fit; the desk is cleared, and once all parts are here a launch may follow. */
bool gg_parts_begin(struct cuda_job *job, gpugraph_part *p,
                    const struct cooperative_kernel *kernel, struct several_view *view);
/* Waits, and says which part did not come. argument: what the kernel has, its view in it. */
bool gg_parts_launch(struct cuda_job *job, gpugraph_part *p,
                     const struct cooperative_kernel *kernel,
                     const struct several_view *view, void *argument);

#endif
