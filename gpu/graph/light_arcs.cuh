/* Light arcs: those up to a weight, of each vertex side by side. (device_light_arcs.cu) */
#ifndef GPUGRAPH_LIGHT_ARCS_CUH
#define GPUGRAPH_LIGHT_ARCS_CUH

#include "graph.cuh"

struct light_rows {
    uint32_t most; /* weight */
    bool asked;    /* by a search since the last change */
    bool looked;   /* for that weight: without arcs they were too many, or had no room */
    uint64_t places, arcs; /* entries of the arrays */
    uint32_t *offset;
    uint64_t *arc; /* weight << 32 | target */
};

/* From weights of 32 bits, where light arcs are few and there is room beside `own` bytes; otherwise arrays are
** NULL. False when the job must end. */
bool gg_make_light(struct cuda_job *job, const struct device_csr *g, uint32_t most,
                   int64_t own, struct light_rows *rows);
/* Their device is current. */
void gg_drop_light(struct light_rows *rows);
uint64_t gg_light_bytes(const struct light_rows *rows);

#endif
