/* Views of a graph on a device for kernels and their drivers, made on first need; they
** own nothing.
**
**     gg_device_edges    source[m] target[m] weight[m]           by edge number
**     gg_device_csr      begin[n] end[n] target[arcs] weight[arcs]
**     gg_pinned_csr      like gg_device_csr, but targets are in host memory
**
** device_copy.cuh and device_pinned.cu own the arrays. */
#ifndef GPUGRAPH_GRAPH_CUH
#define GPUGRAPH_GRAPH_CUH

#include "device/cuda.cuh"
#include "device_csr.h"
#include "graph_data.h"

struct device_edges { /* by edge number */
    uint32_t n;
    uint64_t m;
    const uint32_t *source, *target;
    const void *weight; /* NULL unless asked for */
};

/* Both make the copy on first need: phases "upload" and "csr". CSR_SIMPLE is sorted. */
bool gg_device_edges(struct cuda_job *job, bool weighted, struct device_edges *view);
bool gg_device_csr(struct cuda_job *job, enum csr_kind kind, bool weighted,
                   struct device_csr *view);
/* Finds out if OUT equals IN: each arc has its reverse. The check runs once for a graph:
** phase "prepare". *found is NOT_SYMMETRIC, too, if edges are unordered or repeated, if
** memory is short, or if IN exists. It is SYMMETRY_UNKNOWN while OUT has slack: the check
** does not pay for a graph that changes between searches. (device_symmetry.cu) */
enum symmetry { SYMMETRY_UNKNOWN, NOT_SYMMETRIC, SYMMETRIC };
bool gg_device_symmetry(struct cuda_job *job, enum symmetry *found);
/* True if the check was made, and its answer is SYMMETRIC. */
bool gg_known_symmetric(const gpugraph_graph *graph);
/* gg_bring_edges for a caller that has a job open. */
bool gg_job_download_edges(struct cuda_job *job);
/* Device bytes that a CSR and the edges still need, with scratch. */
int64_t gg_device_graph_lacks(const gpugraph_graph *graph, enum csr_kind kind,
                              bool weighted);
/* Computes offset[0 .. n] as prefix sums of counts[0 .. n], whose last entry is 0. */
bool gg_offsets(struct cuda_job *job, const uint32_t *counts, uint64_t *offset,
                uint32_t n, void *scratch, uint64_t scratch_bytes);
uint64_t gg_offsets_scratch(uint32_t n);

/* copy_services.take_weights. (device_weights.cu) */
void gg_take_device_weights(gpugraph_graph *graph, struct gg_cells *cells,
                            gpugraph_run *run);

/* ---- device_pinned.cu ---- */

/* CSR_SIMPLE with its targets in pinned host memory, made by the CPU on first need:
** phases "csr" and "pin". Its offsets are on the device. */
bool gg_pinned_csr(struct cuda_job *job, struct device_csr *view);
/* True if the selected device (device/parts.cuh) reads this graph's rows in host
** memory. */
bool gg_has_pinned(const gpugraph_graph *graph);
/* Frees the pinned rows; the device must be current and idle. */
void gg_drop_pinned(gpugraph_graph *graph);

#endif
