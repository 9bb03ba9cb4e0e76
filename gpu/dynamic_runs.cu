/* Sorted batches of insertions on a device: a lane for each run. What a lane does: slab_run.h. */
#include "dynamic_rehash.cuh"

/* Of long runs and tables that have become too small; all threads of the block come. */
static __device__ __forceinline__ void list_visit(const slab_graph &g,
                                                  const dynamic_batch &b,
                                                  const slab_visit &visit, bool grows,
                                                  block_share *share) {
    bool small = grows && visit.v.sectors <= SLAB_SMALL;
    if (__syncthreads_or(small)) {
        uint32_t *const list[1] = {&g.pool->growing[0]};
        uint32_t at[1];
        block_reserve<1>(list, {small}, at, share);
        if (small)
            g.growing[at[0]] = visit.from;
    }
    if (grows && !small)
        slab_list_growing(&g, visit.from, visit.v.sectors);
    if (visit.chunks)
        slab_list_chunks(&g, &visit, b.result);
}

/* One lane per run; the threads of a block take their pieces together. */
template <bool valued>
static __global__ void __launch_bounds__(GG_BLOCK, GG_DYNAMIC_RUNS)
    insert_runs(const __grid_constant__ slab_graph g,
                const __grid_constant__ dynamic_batch b) {
    __shared__ block_share share;
    const slab_sorted sorted = gg_sorted(&b, valued);
    uint32_t added = 0;
    for (uint64_t part = blockIdx.x * (uint64_t)GG_BLOCK; part < sorted.runs;
         part += gg_threads_of_grid()) {
        slab_visit visit = slab_no_visit();
        if (part + threadIdx.x < sorted.runs)
            visit = slab_begin_visit(&g, &sorted, (uint32_t)part + threadIdx.x);
        slab_look_ahead(&g, &sorted, &visit);
        uint32_t sectors = slab_go_visiting(&g, &sorted, &visit);
        while (__syncthreads_or(sectors > 0)) {
            uint32_t piece = take_bases(g, sectors, &share);
            if (sectors == 0)
                continue;
            slab_bring(&visit, sectors, piece);
            sectors = slab_go_visiting(&g, &sorted, &visit);
        }
        bool grows = slab_end_visit(&g, &visit, valued);
        list_visit(g, b, visit, grows, &share);
        added += visit.added;
    }
    __syncwarp();
    gg_tally(&g.pool->report.added, added);
}

bool gg_dynamic_run_step(gpugraph_dynamic *d, enum dynamic_step step,
                         const struct dynamic_batch &b) {
    struct cuda_job *job = d->job;
    unsigned grid = (unsigned)job->device->processors * GG_DYNAMIC_RUNS;
    if (step != STEP_INSERT_RUNS)
        return false;
    if (d->valued)
        insert_runs<true><<<grid, GG_BLOCK, 0, job->stream>>>(d->slabs, b);
    else
        insert_runs<false><<<grid, GG_BLOCK, 0, job->stream>>>(d->slabs, b);
    return true;
}
