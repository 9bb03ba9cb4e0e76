/* Declarations that the kernels of a dynamic graph and their driver share. */
#ifndef GPUGRAPH_DYNAMIC_CUH
#define GPUGRAPH_DYNAMIC_CUH

#include "device/cuda.cuh"
#include "dynamic.h"

enum {
    GG_DYNAMIC_GRID = 32,   /* blocks per multiprocessor: some waves of lanes */
    GG_DYNAMIC_FULL = 8,    /* as many as it holds at once */
    GG_DYNAMIC_ATTEMPT = 6, /* as many as it holds of kernels with 40 registers */
    GG_DYNAMIC_REST = 4, /* the most for a rehash, which needs 64 registers and desks */
    GG_DYNAMIC_BLOCK = 128, /* threads of a small block */
    /* Small blocks that a multiprocessor holds of kernels with 40 registers. */
    GG_DYNAMIC_SMALL = GG_DYNAMIC_ATTEMPT * GG_BLOCK / GG_DYNAMIC_BLOCK
};

/* Launch a step: edges.cu, rows.cu. They return false for a step of another file. */
bool gg_dynamic_edge_step(gpugraph_dynamic *d, enum dynamic_step step,
                          const struct dynamic_batch &b);
bool gg_dynamic_row_step(gpugraph_dynamic *d, enum dynamic_step step,
                         const struct dynamic_batch &b);

/* gather.cu */
void gg_dynamic_gather(gpugraph_dynamic *d, dynamic_batch *b);

#endif
