/* The rows of a simple graph in order of degree, largest first, as the method "rounds"
** wants them: vertices that need a block, a warp or a thread lie together, and so do
** their words and rows.
**
**     code[v]      8 bits of degree, monotonic     one pass of a radix sort
**     number[r]    the vertex that row r is        rank[v]: its row
**     offset, target                               rows moved, arcs renumbered
**
** Not the priority is sorted but the degree alone, so that priorities that ignore degrees
** work as well; after Nke et al. (cuMIS, ICS 2026), section 3.2. */
#include "mis.cuh"
#include "groups.cuh"

#include <cub/device/device_radix_sort.cuh>

/* 255 for no neighbours, less for more: 5 bits of exponent, 3 of mantissa. */
static __device__ __forceinline__ uint8_t code_of(uint64_t degree) {
    if (degree < 2)
        return (uint8_t)(UINT8_MAX - degree);
    int top = 63 - __clzll((long long)degree);
    uint32_t code = (uint32_t)top << 3 | ((uint32_t)(degree << 3 >> top) & 7);
    return (uint8_t)(UINT8_MAX - code);
}

/* One thread per vertex. */
static __global__ void code_degrees(const uint64_t *offset, uint32_t n, uint8_t *code,
                                    uint32_t *number) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        code[v] = code_of(offset[v + 1] - offset[v]);
        number[v] = (uint32_t)v;
    }
}

/* One thread per row, and one for the end. end[]: see groups.cuh. */
static __global__ void rank_rows(const uint64_t *offset, uint32_t n,
                                 const uint32_t *number, uint32_t *rank, uint32_t *count,
                                 uint32_t *end) {
    for (uint64_t r = gg_thread(); r <= n; r += gg_threads_of_grid()) {
        uint32_t v = r < n ? number[r] : 0;
        uint64_t degree = r < n ? offset[v + 1] - offset[v] : 0;
        if (r < n)
            rank[v] = (uint32_t)r;
        count[r] = (uint32_t)degree;
        if (r == 0)
            continue;
        uint32_t before = number[r - 1];
        int last = mis_group_of(offset[before + 1] - offset[before]);
        int group = r < n ? mis_group_of(degree) : MIS_THREADS;
        for (int i = last; i < group; i++)
            end[i] = (uint32_t)r;
    }
}

/* A block, warp or thread per row. */
static __global__ void __launch_bounds__(GG_BLOCK)
    move_renumbered_rows(mis_graph g, mis_renumbered r, const uint32_t *number,
                         const uint32_t *end) {
    auto move = [&](auto lanes, uint32_t row) {
        const uint64_t from = g.offset[number[row]], to = r.offset[row];
        const uint32_t degree = (uint32_t)(r.offset[row + 1] - to);
        for (uint32_t i = threadIdx.x % lanes.value; i < degree; i += lanes.value)
            r.target[to + i] = r.rank[g.target[from + i]];
    };
    mis_for_group<GG_BLOCK>(0, end[MIS_BLOCKS], move);
    mis_for_group<GG_WARP>(end[MIS_BLOCKS], end[MIS_WARP_ROWS], move);
    mis_for_group<1>(end[MIS_WARP_ROWS], g.n, move);
}

void gg_mis_carve_renumbered(struct workspace *space, const struct mis_graph *g,
                             struct mis_renumbered *r) {
    size_t sort = 0, scan = gg_offsets_scratch(g->n);
    cub::DoubleBuffer<uint8_t> code((uint8_t *)NULL, (uint8_t *)NULL);
    cub::DoubleBuffer<uint32_t> number((uint32_t *)NULL, (uint32_t *)NULL);
    cub::DeviceRadixSort::SortPairs(NULL, sort, code, number, (int64_t)g->n);
    r->cub_bytes = sort > scan ? sort : scan;
    r->code = gg_carve<uint8_t>(space, g->n);
    r->other_code = gg_carve<uint8_t>(space, g->n);
    r->number = gg_carve<uint32_t>(space, g->n);
    r->other_number = gg_carve<uint32_t>(space, g->n);
    r->rank = gg_carve<uint32_t>(space, g->n);
    r->count = gg_carve<uint32_t>(space, (uint64_t)g->n + 1);
    r->offset = gg_carve<uint64_t>(space, (uint64_t)g->n + 1);
    r->target = gg_carve<uint32_t>(space, g->m);
    r->cub = gg_carve<unsigned char>(space, r->cub_bytes);
}

bool gg_mis_renumber(struct cuda_job *job, struct mis_graph *g, struct mis_renumbered *r,
                     uint32_t *end) {
    unsigned grid = gg_grid(job, (uint64_t)g->n + 1, 16);
    size_t bytes = r->cub_bytes;
    cub::DoubleBuffer<uint8_t> code(r->code, r->other_code);
    cub::DoubleBuffer<uint32_t> number(r->number, r->other_number);
    code_degrees<<<grid, GG_BLOCK, 0, job->stream>>>(g->offset, g->n, r->code, r->number);
    if (!gg_launched(job, "code_degrees") ||
        !gg_note(job,
                 cub::DeviceRadixSort::SortPairs(r->cub, bytes, code, number,
                                                 (int64_t)g->n, 0, 8, job->stream),
                 "sort degrees"))
        return false;
    rank_rows<<<grid, GG_BLOCK, 0, job->stream>>>(g->offset, g->n, number.Current(),
                                                  r->rank, r->count, end);
    if (!gg_launched(job, "rank_rows") ||
        !gg_offsets(job, r->count, r->offset, g->n, r->cub, r->cub_bytes))
        return false;
    move_renumbered_rows<<<gg_grid(job, (uint64_t)g->n + g->m, 8), GG_BLOCK, 0,
                           job->stream>>>(*g, *r, number.Current(), end);
    g->number = number.Current();
    g->offset = r->offset;
    g->target = r->target;
    return gg_launched(job, "move_renumbered_rows");
}
