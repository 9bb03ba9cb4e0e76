/* Light arcs: arcs up to a weight, by vertex. (light_arcs.cu) */
#ifndef GPUGRAPH_LIGHT_ARCS_CUH
#define GPUGRAPH_LIGHT_ARCS_CUH

#include "graph/graph.cuh"

struct light_rows {
    uint32_t most; /* the largest weight */
    bool asked;    /* a search has needed them since the last change */
    bool looked;   /* tried for that weight: no arcs means too many, or no memory */
    uint64_t places, arcs; /* entries of the arrays */
    uint32_t *offset;
    uint64_t *arc; /* weight << 32 | target */
};

/* Makes light arcs from 32-bit weights, if they are few and fit beside `own` bytes;
** otherwise arrays are NULL. False when the job must end. */
bool gg_make_light(struct cuda_job *job, const struct device_csr *g, uint32_t most,
                   int64_t own, struct light_rows *rows);
/* The rows' device must be current. */
void gg_drop_light(struct light_rows *rows);
uint64_t gg_light_bytes(const struct light_rows *rows);

#endif
