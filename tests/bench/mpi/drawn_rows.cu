/* The rows of a drawn graph, made by the host. */
#include "drawn_part.h"

#pragma nv_diag_suppress 177 /* unused functions of gengraph programs */
#include "drawn_parts.cuh"

extern "C" bool drawn_rows_open(struct drawn_rows *rows, int scale, uint64_t factor,
                                int ordinal, gpugraph_run *run) {
    *rows = drawn_rows();
    run->backend = GPUGRAPH_CUDA;
    run->device = ordinal;
    gg_begin(run);
    rows->graph = draw_graph(scale, factor, false, run);
    return rows->graph &&
           gg_rows(rows->graph, CSR_SIMPLE, false, true, run, &rows->of) == GPUGRAPH_OK;
}
