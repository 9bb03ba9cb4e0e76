/* Sorted batches of insertions on a device: a lane for each run. What a lane does: slab_run.h.
**
**     insert_runs    warps that wait for nobody: what needs no new piece; the others are listed
**     extend_runs    these, from their beginning: the threads of a block take pieces together
*/
#include "block.cuh"
#include "graph/frontier.cuh"
#include "slab_run.h"

/* A place behind what the word holds, for each lane of a warp that wants one. */
static __device__ __forceinline__ uint32_t warp_reserve(uint32_t *word, bool wanted) {
    uint32_t all = warp_ballot(wanted), first = 0;
    if (all == 0)
        return 0;
    if (warp_lane() == 0)
        first = device_take(word, (uint32_t)__popc(all));
    return warp_from(first, 0) + (uint32_t)__popc(all & ((1u << warp_lane()) - 1));
}

/* Vertices to rehash, by the sizes of their tables. */
static __device__ __forceinline__ void list_growing(const slab_graph &g,
                                                    const slab_visit &visit, bool grows) {
    const uint32_t sectors = visit.v.sectors;
    uint32_t *growing = g.pool->growing;
    bool small = grows && sectors <= SLAB_SMALL, huge = grows && sectors >= SLAB_HUGE;
    bool larger = grows && !small && !huge;
    if (!warp_ballot(grows))
        return;
    uint32_t at = warp_reserve(&growing[0], small);
    if (small)
        g.growing[at] = visit.from;
    at = warp_reserve(&growing[1], larger);
    if (larger)
        g.growing[g.n - 1 - at] = visit.from;
    at = warp_reserve(&growing[2], huge);
    if (huge)
        g.huge[at].vertex = visit.from;
}

/* One lane per run; the list of runs that need pieces comes from the result's end. */
template <bool valued>
static __global__ void __launch_bounds__(GG_BLOCK, GG_DYNAMIC_RUNS)
    insert_runs(const __grid_constant__ slab_graph g,
                const __grid_constant__ dynamic_batch b) {
    const slab_sorted sorted = gg_sorted(&b, valued);
    const uint64_t whole = gg_whole_warps(sorted.runs);
    uint32_t added = 0, far = 0;
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        slab_visit visit = slab_no_visit();
        if (i < sorted.runs)
            visit = slab_begin_visit(&g, &sorted, (uint32_t)i);
        far += slab_far(&visit);
        slab_look_ahead(&g, &sorted, &visit);
        bool waits = slab_go_visiting(&g, &sorted, &visit) > 0;
        bool grows = slab_end_visit(&g, &visit, valued) && !waits;
        __syncwarp();
        list_growing(g, visit, grows);
        slab_list_chunks(&g, b.result, (uint32_t)visit.item, slab_chunks(&visit));
        uint32_t at = warp_reserve(&g.pool->visits, waits);
        if (waits)
            b.result[b.count - 1 - at] = (uint32_t)i;
        added += visit.added;
    }
    gg_tally(&g.pool->report.added, added);
    gg_tally(&g.pool->report.far, far);
}

/* One lane per run that waits. */
template <bool valued>
static __global__ void __launch_bounds__(GG_BLOCK, GG_DYNAMIC_RUNS)
    extend_runs(const __grid_constant__ slab_graph g,
                const __grid_constant__ dynamic_batch b) {
    __shared__ block_share share;
    const slab_sorted sorted = gg_sorted(&b, valued);
    const uint32_t runs = g.pool->visits;
    uint32_t added = 0;
    for (uint64_t part = blockIdx.x * (uint64_t)GG_BLOCK; part < runs;
         part += gg_threads_of_grid()) {
        slab_visit visit = slab_no_visit();
        uint64_t i = part + threadIdx.x;
        if (i < runs)
            visit = slab_begin_visit(&g, &sorted, b.result[b.count - 1 - i]);
        uint32_t sectors = slab_go_visiting(&g, &sorted, &visit);
        while (__syncthreads_or(sectors > 0)) {
            uint32_t piece = block_take_bases(g, sectors, &share);
            if (sectors == 0)
                continue;
            slab_bring(&visit, sectors, piece);
            sectors = slab_go_visiting(&g, &sorted, &visit);
        }
        bool grows = slab_end_visit(&g, &visit, valued);
        __syncwarp();
        list_growing(g, visit, grows);
        added += visit.added;
    }
    __syncwarp();
    gg_tally(&g.pool->report.added, added);
}

template <bool valued> static void launch(gpugraph_dynamic *d, const dynamic_batch &b) {
    struct cuda_job *job = d->job;
    unsigned grid = (unsigned)job->device->processors * GG_DYNAMIC_RUNS;
    insert_runs<valued><<<grid, GG_BLOCK, 0, job->stream>>>(d->slabs, b);
    extend_runs<valued><<<grid, GG_BLOCK, 0, job->stream>>>(d->slabs, b);
}

bool gg_dynamic_run_step(gpugraph_dynamic *d, enum dynamic_step step,
                         const struct dynamic_batch &b) {
    if (step != STEP_INSERT_RUNS)
        return false;
    d->valued ? launch<true>(d, b) : launch<false>(d, b);
    return true;
}
