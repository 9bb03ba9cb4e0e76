/* The forest of a part's arcs over its locals, on its device: weak_parts.c merges those of all parts.
**
**     parent    of each local; at the end its tree's root: hooked as trees.cuh says, arc by arc */
#include "components/components.h"
#include "distributed/partition/device.cuh"
#include "components/trees.cuh"

/* The arcs of rows: a lane for each row, the whole warp for a long one. */
static __global__ void __launch_bounds__(GG_BLOCK)
    link_part(const __grid_constant__ device_csr rows, const __grid_constant__ arrays a) {
    const uint64_t whole = gg_whole_warps(a.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const uint64_t first = v < a.n ? rows.offset[v] : 0,
                       end = v < a.n ? rows.offset[v + 1] : 0;
        unsigned large = __ballot_sync(ALL_LANES, end - first >= LONG_ROW);
        for (uint64_t i = first; end - first < LONG_ROW && i < end; i++)
            link_ends(a.component, (uint32_t)v, rows.target[i]);
        __syncwarp();
        for (; large; large &= large - 1) {
            const int owner = __ffs((int)large) - 1;
            const uint64_t low = __shfl_sync(ALL_LANES, first, owner),
                           high = __shfl_sync(ALL_LANES, end, owner);
            const uint32_t u = (uint32_t)(v - gg_lane()) + (uint32_t)owner;
            for (uint64_t i = low + gg_lane(); i < high; i += GG_WARP)
                link_ends(a.component, u, rows.target[i]);
            __syncwarp();
        }
    }
}

static void make_forest(struct cuda_job *job, const struct part_device *d,
                        uint32_t **component) {
    struct workspace space = {NULL, 0};
    struct arrays a = {d->locals, NULL, NULL, NULL};
    const struct device_csr rows = {d->locals, d->arcs, d->offset, d->target, NULL};
    a.component = gg_carve<uint32_t>(&space, a.n);
    if (!gg_workspace(job, &space))
        return;
    a.component = gg_carve<uint32_t>(&space, a.n);
    const unsigned grid = gg_grid(job, (uint64_t)a.n + 1, 16);
    plant_trees<<<grid, GG_BLOCK, 0, job->stream>>>(a);
    link_part<<<grid, GG_BLOCK, 0, job->stream>>>(rows, a);
    compress_trees<<<grid, GG_BLOCK, 0, job->stream>>>(a);
    gg_launched(job, "compress_trees");
    *component = a.component;
}

/* Locals of the device, which have a gap, are the host's again. */
static void close_gap(const gpugraph_part *p, uint32_t *parent) {
    const uint32_t gap = p->device->first_ghost - p->masters;
    for (uint32_t v = 0; v < p->locals; v++)
        parent[v] -= parent[v] >= p->masters ? gap : 0;
}

gpugraph_status gg_cuda_part_forest(gpugraph_part *p, gpugraph_run *run,
                                    uint32_t *parent) {
    struct cuda_job job;
    uint32_t *component = NULL;
    if (!part_job_open(&job, p, run))
        return run->status;
    make_forest(&job, p->device, &component);
    if (gg_wait(&job) && part_bring_locals(&job, p, component, parent))
        close_gap(p, parent);
    return gg_job_close(&job);
}
