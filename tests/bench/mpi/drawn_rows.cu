/* The rows of a drawn graph: made on one device as several devices' rows are, and brought here. */
#include "drawn_part.h"

#pragma nv_diag_suppress 177 /* of what is there for programs this takes the edges alone */
#include "drawn_parts.cuh"

struct drawing {
    int scale;
};

static bool fill_edges(struct cuda_job *job, void *self, uint64_t first, uint64_t count,
                       uint32_t *source, uint32_t *target, void *weight) {
    const struct drawing *d = (const struct drawing *)self;
    draw<<<gg_grid(job, count, 16), GG_BLOCK, 0, job->stream>>>(
        first, count, d->scale, source, target, (uint32_t *)weight);
    return gg_launched(job, "draw");
}

static bool bring_rows(struct several_team *team, const struct several_parts *parts,
                       struct drawn_rows *rows, gpugraph_run *run) {
    const uint64_t offsets = (uint64_t)rows->n + 1;
    struct cuda_job *job = gg_several_on(team, 0);
    rows->arcs = parts->arcs;
    rows->offset = (uint64_t *)gg_alloc(run, offsets, sizeof *rows->offset);
    rows->target = (uint32_t *)gg_alloc(run, rows->arcs, sizeof *rows->target);
    return rows->offset && rows->target &&
           gg_download(job, rows->offset, parts->rows[0].offset,
                       offsets * sizeof *rows->offset) &&
           gg_download(job, rows->target, parts->rows[0].target,
                       rows->arcs * sizeof *rows->target) &&
           gg_several_going(team);
}

extern "C" bool drawn_rows_open(struct drawn_rows *rows, int scale, uint64_t factor,
                                int ordinal, gpugraph_run *run) {
    struct drawing drawing = {scale};
    const struct several_source source = {
        1u << scale, factor << scale, fill_edges, &drawing, 0, false};
    struct several_team team;
    struct several_parts parts;
    *rows = drawn_rows();
    rows->n = source.n;
    run->backend = GPUGRAPH_CUDA;
    run->device = ordinal;
    gg_begin(run);
    if (!gg_several_open(&team, NULL, run, &ordinal, 1))
        return false;
    if (gg_several_make(&team, &source, CSR_SIMPLE, &parts, NULL)) {
        bring_rows(&team, &parts, rows, run);
        gg_several_free_parts(&team, &parts);
    }
    return gg_several_close(&team) == GPUGRAPH_OK;
}
