/* Operations of a device on whole vertices of a dynamic graph: clear them, copy their
** rows, count triangles. */
#include "batch_item.h"
#include "dynamic.cuh"
#include "base/row_of.h"
#include "slab_walk.h"

enum {
    SHORT_ROW = 2, /* sectors of a base that one lane copies to a row */
    /* Arcs of a launch that counts triangles: interrupts take effect between launches. */
    ARCS_A_LAUNCH = 4 << 20
};

/* ---- kernels: vertices of a batch ---- */

/* One warp per vertex. */
static __global__ void clear_vertices(slab_graph g, dynamic_batch b) {
    uint64_t warps = gg_threads_of_grid() / GG_WARP, removed = 0;
    for (uint64_t i = gg_thread() / GG_WARP; i < b.count; i += warps) {
        removed += slab_clear_vertex(&g, batch_vertex(&b, i));
        __syncwarp();
    }
    if (removed > 0)
        device_add_64(&g.pool->report.removed, removed);
}

/* ---- kernels: rows ---- */

static __global__ void count_row_lengths(slab_graph g, dynamic_batch b) {
    for (uint64_t i = gg_thread(); i <= b.count; i += gg_threads_of_grid()) {
        slab_vertex v = {0, 0, 0, 0};
        if (i < b.count)
            v = slab_vertex_of(&g, batch_vertex(&b, i));
        b.row_count[i] = v.used - v.dead;
    }
}

/* One lane per vertex with a short table; the whole warp copies the other vertices of its
** 32, one after another. */
template <bool valued> static __global__ void fill_rows(slab_graph g, dynamic_batch b) {
    uint64_t whole = (b.count + GG_WARP - 1) / GG_WARP * GG_WARP;
    uint32_t *value = b.name_rows ? NULL : b.row_value;
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        slab_vertex v = {0, 0, 0, 0};
        uint32_t number = 0;
        uint64_t at = 0, count = 0;
        if (i < b.count) {
            number = batch_vertex(&b, i);
            v = slab_vertex_of(&g, number);
            at = b.row_offset[i];
            count = b.row_offset[i + 1] - at;
        }
        bool is_short = v.sectors <= SHORT_ROW;
        if (is_short) {
            slab_copy_short_row(&g, v, valued, b.row_target, value, at);
            for (uint64_t j = 0; b.name_rows && j < count; j++)
                b.row_value[at + j] = number;
        }
        __syncwarp();
        uint32_t left = warp_ballot(!is_short);
        for (; left; left &= left - 1) {
            unsigned lane = lowest_bit(left);
            slab_vertex one = {warp_from(v.base, lane), warp_from(v.sectors, lane), 0, 0};
            uint64_t first = warp_from_64(at, lane), all = warp_from_64(count, lane);
            uint32_t name = warp_from(number, lane);
            slab_copy_row(&g, one, valued, b.row_target, value, first);
            for (uint64_t j = warp_lane(); b.name_rows && j < all; j += GG_WARP)
                b.row_value[first + j] = name;
        }
        __syncwarp();
    }
}

/* ---- kernels: triangles ---- */

/* One warp per vertex: moves the neighbours behind it (batch_ranks_before) to the front
** of the row, and counts them. */
static __global__ void list_ahead(slab_graph g, dynamic_batch b) {
    for (uint64_t i = gg_thread() / GG_WARP; i < g.n;
         i += gg_threads_of_grid() / GG_WARP) {
        uint64_t begin = b.row_offset[i], end = b.row_offset[i + 1];
        uint32_t ahead = 0;
        for (uint64_t at = begin; at < end; at += GG_WARP) {
            uint64_t mine = at + warp_lane();
            uint32_t u = mine < end ? b.row_target[mine] : 0;
            bool keep = mine < end && batch_ranks_before(&b, (uint32_t)i, u);
            uint32_t mask = warp_ballot(keep);
            if (keep)
                b.row_target[begin + ahead + set_bits(mask & ((1u << warp_lane()) - 1))] =
                    u;
            ahead += set_bits(mask);
            __syncwarp();
        }
        if (warp_lane() == 0)
            b.row_count[i] = ahead;
    }
}

/* Each lane has an arc v -> u to a later vertex. For one arc after the other, the warp
** queries the edges from u to the neighbours behind u in v's row. */
template <bool valued>
static __global__ void count_by_queries(slab_graph g, dynamic_batch b, uint64_t begin,
                                        uint64_t end) {
    uint64_t arcs = b.row_offset[g.n] < end ? b.row_offset[g.n] : end, sum = 0, at;
    uint64_t whole = (end + GG_WARP - 1) / GG_WARP * GG_WARP;
    for (uint64_t i = begin + gg_thread(); i < whole; i += gg_threads_of_grid()) {
        uint32_t rest = 0, u = 0, value;
        if (i < arcs) {
            uint32_t v = (uint32_t)row_of(b.row_offset, g.n, i), ahead = b.row_count[v];
            uint64_t place = i - b.row_offset[v];
            rest = place < ahead ? (uint32_t)(ahead - place - 1) : 0;
            u = b.row_target[i];
        }
        __syncwarp();
        uint32_t left = warp_ballot(rest > 0);
        for (; left; left &= left - 1) {
            unsigned lane = lowest_bit(left);
            uint32_t from = warp_from(u, lane), count = warp_from(rest, lane);
            uint64_t first = warp_from_64(i, lane) + 1;
            for (uint32_t j = warp_lane(); j < count; j += GG_WARP)
                sum += slab_find(&g, from, b.row_target[first + j], valued, SLAB_FROZEN,
                                 &value, &at);
            __syncwarp();
        }
    }
    if (sum > 0)
        device_add_64(&g.pool->report.triangles, sum);
}

/* ---- driver ---- */

template <bool valued>
static void count_all_triangles(gpugraph_dynamic *d, const dynamic_batch &b) {
    struct cuda_job *job = d->job;
    unsigned all = (unsigned)job->device->processors * GG_DYNAMIC_FULL;
    list_ahead<<<all, GG_BLOCK, 0, job->stream>>>(d->slabs, b);
    gg_launched(job, "list_ahead");
    for (uint64_t at = 0; at < d->edges && gg_wait(job); at += ARCS_A_LAUNCH) {
        uint64_t left = d->edges - at;
        uint64_t end = at + (left < ARCS_A_LAUNCH ? left : (uint64_t)ARCS_A_LAUNCH);
        count_by_queries<valued>
            <<<all * 4, GG_BLOCK, 0, job->stream>>>(d->slabs, b, at, end);
        gg_launched(job, "count_by_queries");
    }
}

template <bool valued>
static bool launch_row_step(gpugraph_dynamic *d, enum dynamic_step step,
                            const dynamic_batch &b) {
    struct cuda_job *job = d->job;
    cudaStream_t stream = job->stream;
    const slab_graph &g = d->slabs;
    unsigned items = gg_grid(job, b.count, GG_DYNAMIC_GRID);
    unsigned counts = gg_grid(job, b.count + 1, GG_DYNAMIC_GRID);
    unsigned all = (unsigned)job->device->processors * GG_DYNAMIC_FULL;
    switch (step) {
    case STEP_CLEAR:
        clear_vertices<<<all, GG_BLOCK, 0, stream>>>(g, b);
        return true;
    case STEP_COUNT_ROWS:
        count_row_lengths<<<counts, GG_BLOCK, 0, stream>>>(g, b);
        return true;
    case STEP_FILL_ROWS:
        fill_rows<valued><<<items, GG_BLOCK, 0, stream>>>(g, b);
        return true;
    case STEP_TRIANGLES:
        count_all_triangles<valued>(d, b);
        return true;
    default:
        return false;
    }
}

bool gg_dynamic_row_step(gpugraph_dynamic *d, enum dynamic_step step,
                         const struct dynamic_batch &b) {
    return d->valued ? launch_row_step<true>(d, step, b)
                     : launch_row_step<false>(d, step, b);
}
