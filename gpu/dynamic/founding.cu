/* The first tables of a graph on a device. What a lane does: slab_founding.h. */
#include "block.cuh"
#include "graph/frontier.cuh"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

/* One lane per item. What comes in no order is known soon: later blocks do not begin. */
static __global__ void mark_rows(const __grid_constant__ slab_graph g,
                                 const __grid_constant__ dynamic_batch b) {
    const slab_first first = gg_first(&b, false);
    if (__syncthreads_or(device_load(&g.pool->report.unsorted)))
        return;
    bool ordered = true;
    for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid())
        ordered = slab_mark_row(&g, &first, i) && ordered;
    if (!ordered)
        device_store(&g.pool->report.unsorted, 1);
}

/* ---- where tables begin ---- */

struct sectors_in_tiles {
    slab_graph g;
    bool valued;
    __device__ uint32_t operator()(uint32_t v) const {
        return slab_tiled_sectors(slab_row_sectors(&g, v, valued));
    }
};

struct base_of { /* as words of the dictionary */
    __device__ uint64_t operator()(uint32_t v) const {
        return (uint64_t)v * (sizeof(slab_vertex) / sizeof(uint32_t));
    }
};

static cudaError_t lay_out(void *scratch, size_t *bytes, const slab_graph &g, bool valued,
                           cudaStream_t stream) {
    const thrust::counting_iterator<uint32_t> vertex(0);
    return cub::DeviceScan::ExclusiveSum(
        scratch, *bytes,
        thrust::make_transform_iterator(vertex, sectors_in_tiles{g, valued}),
        thrust::make_permutation_iterator(
            &g.vertex->base, thrust::make_transform_iterator(vertex, base_of{})),
        g.n, stream);
}

/* One lane per vertex. */
static __global__ void count_sectors(const __grid_constant__ slab_graph g, bool valued) {
    uint32_t tiled = 0, behind = 0;
    for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid()) {
        const uint32_t sectors = slab_row_sectors(&g, (uint32_t)v, valued);
        tiled += slab_tiled_sectors(sectors);
        behind += sectors - slab_tiled_sectors(sectors);
    }
    __syncwarp();
    gg_tally(&g.pool->report.sectors, tiled);
    gg_tally(&g.pool->report.long_sectors, behind);
}

static void launch_lay_out(gpugraph_dynamic *d) {
    struct cuda_job *job = d->job;
    struct workspace space = {NULL, 0};
    size_t bytes = 0;
    gg_note(job, lay_out(NULL, &bytes, d->slabs, d->valued, job->stream),
            "ask what a sum needs");
    gg_carve<unsigned char>(&space, bytes);
    if (!gg_workspace(job, &space))
        return;
    unsigned char *scratch = gg_carve<unsigned char>(&space, bytes);
    const unsigned grid = gg_grid(job, d->slabs.n, GG_DYNAMIC_FULL);
    gg_note(job, lay_out(scratch, &bytes, d->slabs, d->valued, job->stream),
            "lay out tables");
    count_sectors<<<grid, GG_BLOCK, 0, job->stream>>>(d->slabs, d->valued);
    job->working = false;
}

/* One lane per vertex. */
static __global__ void found(const __grid_constant__ slab_graph g,
                             const __grid_constant__ dynamic_batch b, bool valued) {
    const slab_first first = gg_first(&b, valued);
    uint32_t added = 0, far = 0;
    for (uint64_t v = gg_thread(); v < gg_whole_warps(g.n); v += gg_threads_of_grid()) {
        added += slab_found(&g, &first, v);
        far += v < g.n ? slab_far_of(slab_row_items(&g, (uint32_t)v)) : 0;
    }
    gg_tally(&g.pool->report.added, added);
    gg_tally(&g.pool->report.far, far);
}

/* ---- what is in them ---- */

/* One block per tile. */
template <bool valued>
static __global__ void __launch_bounds__(GG_BLOCK, GG_DYNAMIC_TILES)
    fill_tiles(const __grid_constant__ slab_graph g,
               const __grid_constant__ dynamic_batch b) {
    __shared__ alignas(16) uint32_t word[SLAB_TILE * SLAB_SIZE];
    __shared__ alignas(16) uint32_t filled[SLAB_TILE * SLAB_SECTORS];
    const slab_first first = gg_first(&b, valued);
    const slab_desk desk = {word, filled};
    const slab_site site = slab_site_of(&g, &first, blockIdx.x);
    slab_clear_tile(&desk, threadIdx.x, GG_BLOCK);
    __syncthreads();
    slab_place_items(&g, &first, &site, &desk, threadIdx.x, GG_BLOCK);
    __syncthreads();
    slab_write_out(&g, site.first, site.end - site.first, &desk, threadIdx.x, GG_BLOCK);
}

bool gg_dynamic_founding_step(gpugraph_dynamic *d, enum dynamic_step step,
                              const struct dynamic_batch &b) {
    struct cuda_job *job = d->job;
    const unsigned items = gg_grid(job, b.count, GG_DYNAMIC_GRID);
    const unsigned vertices = gg_grid(job, d->slabs.n, GG_DYNAMIC_GRID);
    switch (step) {
    case STEP_MARK_ROWS:
        mark_rows<<<items, GG_BLOCK, 0, job->stream>>>(d->slabs, b);
        return true;
    case STEP_LAY_OUT:
        launch_lay_out(d);
        return true;
    case STEP_FOUND:
        found<<<vertices, GG_BLOCK, 0, job->stream>>>(d->slabs, b, d->valued);
        return true;
    case STEP_FILL_TILES:
        if (b.tiles > 0 && d->valued)
            fill_tiles<true><<<b.tiles, GG_BLOCK, 0, job->stream>>>(d->slabs, b);
        else if (b.tiles > 0)
            fill_tiles<false><<<b.tiles, GG_BLOCK, 0, job->stream>>>(d->slabs, b);
        return true;
    default:
        return false;
    }
}
