/* Rows of neighbours that rank higher, on the device (tables.cuh). Two passes over the
** rows count and write. A lane takes a short row. The warp takes the long rows of its
** lanes, one after the other. */
#include "tables.cuh"

enum {
    LANE_ROW = 16, /* arcs that a lane looks at alone */
    RESIDENT = 8   /* blocks at once that the threads of a multiprocessor allow */
};

static __device__ __forceinline__ uint32_t look_ahead_alone(const device_csr &g,
                                                            const ahead &a, uint32_t v,
                                                            uint64_t first, uint64_t end,
                                                            uint64_t place, bool fill) {
    uint32_t count = 0;
    for (uint64_t i = first; i < end; i++) {
        const uint32_t u = g.target[i];
        if (gg_ranks_higher(g, u, end - first, v)) {
            if (fill)
                a.target[place + count] = u;
            count++;
        }
    }
    return count;
}

static __device__ __forceinline__ uint32_t
look_ahead_together(const device_csr &g, const ahead &a, uint32_t v, uint64_t first,
                    uint64_t end, uint64_t place, bool fill) {
    uint32_t count = 0;
    for (uint64_t row = first; row < end; row += GG_WARP) {
        const uint64_t arc = row + gg_lane();
        const uint32_t u = arc < end ? g.target[arc] : 0;
        const bool keep = arc < end && gg_ranks_higher(g, u, end - first, v);
        const unsigned mask = __ballot_sync(ALL_LANES, keep);
        if (keep && fill)
            a.target[place + count + __popc(mask & ((1u << gg_lane()) - 1))] = u;
        count += __popc(mask);
    }
    return count;
}

/* Counts the neighbours with a higher rank (fill = false), or writes them in their
** order. */
static __global__ void __launch_bounds__(GG_BLOCK, RESIDENT)
    look_ahead(device_csr g, ahead a, bool fill) {
    const uint64_t whole = gg_whole_warps(g.n);
    for (uint64_t at = gg_thread(); at < whole; at += gg_threads_of_grid()) {
        const bool live = at < g.n;
        const uint32_t v = (uint32_t)at;
        const uint64_t first = live ? g.begin[at] : 0, end = live ? g.end[at] : 0,
                       place = live && fill ? a.offset[at] : 0;
        uint32_t count = 0;
        if (end - first <= LANE_ROW)
            count = look_ahead_alone(g, a, v, first, end, place, fill);
        __syncwarp();
        unsigned rows = __ballot_sync(ALL_LANES, end - first > LANE_ROW);
        for (; rows; rows &= rows - 1) {
            const int owner = __ffs((int)rows) - 1;
            const uint32_t found = look_ahead_together(
                g, a, __shfl_sync(ALL_LANES, v, owner),
                __shfl_sync(ALL_LANES, first, owner), __shfl_sync(ALL_LANES, end, owner),
                __shfl_sync(ALL_LANES, place, owner), fill);
            if ((int)gg_lane() == owner)
                count = found;
        }
        if (live && !fill)
            a.count[v] = count;
    }
}

void gg_carve_ahead(struct workspace *space, const struct device_csr *g,
                    struct ahead *a) {
    a->scan_bytes = gg_offsets_scratch(g->n);
    a->count = gg_carve<uint32_t>(space, (uint64_t)g->n + 1);
    a->offset = gg_carve<uint64_t>(space, (uint64_t)g->n + 1);
    a->scan = gg_carve<unsigned char>(space, a->scan_bytes);
    a->target = gg_carve<uint32_t>(space, g->m / 2); /* each edge points ahead once */
}

bool gg_device_ahead(struct cuda_job *job, const struct device_csr *g,
                     const struct ahead *a) {
    const unsigned grid = gg_grid(job, g->n, GRID_BLOCKS);
    return gg_fill(job, a->count + g->n, 0, sizeof *a->count) &&
           GG_LAUNCH(job, look_ahead, grid, *g, *a, false) &&
           gg_offsets(job, a->count, a->offset, g->n, a->scan, a->scan_bytes) &&
           GG_LAUNCH(job, look_ahead, grid, *g, *a, true);
}
