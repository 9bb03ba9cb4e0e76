/* The way of edges to the owners of their rows: arcs are counted, and put behind each other by owner. */
#include "make.cuh"

struct route_arc {
    uint32_t owner; /* NO_OWNER: there is no such arc */
    uint32_t row, target;
};
#define NO_OWNER UINT32_MAX

static __device__ __forceinline__ route_arc arc_of(const several_route &r, uint32_t from,
                                                   uint32_t to, bool there) {
    route_arc arc = {NO_OWNER, 0, 0};
    if (there) {
        uint32_t place = several_place(&r.places, from);
        arc.owner = several_owner(&r.places, place);
        arc.row = place - arc.owner * r.places.stride;
        arc.target = several_place(&r.places, to);
    }
    return arc;
}

/* Both arcs of edge e. A loop makes none in SIMPLE, and one where both ends make arcs. */
static __device__ __forceinline__ void
arcs_of_edge(const several_route &r, const route_edges &e, uint64_t i, route_arc arc[2]) {
    bool live = i < e.count;
    uint32_t s = live ? e.source[i] : 0, t = live ? e.target[i] : 0;
    bool loop = s == t;
    arc[0] = arc_of(r, s, t, live && r.forward && !(loop && r.simple));
    arc[1] = arc_of(r, t, s, live && r.backward && !(loop && r.forward));
}

/* One thread per edge. */
static __global__ void count_arcs(const __grid_constant__ several_route r, route_edges e,
                                  unsigned long long *bin) {
    __shared__ uint32_t counted[SEVERAL_BINS];
    for (uint32_t i = threadIdx.x; i < SEVERAL_BINS; i += blockDim.x)
        counted[i] = 0;
    __syncthreads();
    for (uint64_t i = gg_thread(); i < e.count; i += gg_threads_of_grid()) {
        route_arc arc[2];
        arcs_of_edge(r, e, i, arc);
        for (int k = 0; k < 2; k++)
            if (arc[k].owner != NO_OWNER)
                atomicAdd(
                    &counted[arc[k].owner * r.bits.bins + (arc[k].row >> r.bits.bin)],
                    1u);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < SEVERAL_BINS; i += blockDim.x)
        if (counted[i] > 0)
            atomicAdd(&bin[i], (unsigned long long)counted[i]);
}

/* A block for tiles of EACH edges a thread, whose arcs get places together. */
enum { EACH = 4 };
template <typename weight_type>
static __global__ void __launch_bounds__(GG_BLOCK)
    route_arcs(const __grid_constant__ several_route r, route_edges e, route_out out) {
    __shared__ uint32_t counted[SEVERAL_MOST], base[SEVERAL_MOST];
    const uint32_t lane = threadIdx.x % GG_WARP;
    const uint64_t tile = GG_BLOCK * EACH;
    for (uint64_t at = blockIdx.x * tile; at < e.count; at += gridDim.x * tile) {
        route_arc arc[2 * EACH];
        uint32_t place[2 * EACH];
        if (threadIdx.x < SEVERAL_MOST)
            counted[threadIdx.x] = 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 2 * EACH; k++) {
            if (k % 2 == 0)
                arcs_of_edge(r, e, at + k / 2 * GG_BLOCK + threadIdx.x, &arc[k]);
            if (arc[k].owner != NO_OWNER &&
                (arc[k].row < r.low[arc[k].owner] || arc[k].row >= r.high[arc[k].owner]))
                arc[k].owner = NO_OWNER;
            uint32_t same = __match_any_sync(0xffffffffu, arc[k].owner), first = 0;
            uint32_t leader = __ffs((int)same) - 1;
            if (lane == leader && arc[k].owner != NO_OWNER)
                first = atomicAdd(&counted[arc[k].owner], (uint32_t)__popc(same));
            place[k] = __shfl_sync(0xffffffffu, first, (int)leader) +
                       __popc(same & ((1u << lane) - 1));
        }
        __syncthreads();
        if (threadIdx.x < r.places.parts)
            base[threadIdx.x] = atomicAdd(&out.count[threadIdx.x], counted[threadIdx.x]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 2 * EACH; k++) {
            if (arc[k].owner == NO_OWNER)
                continue;
            uint64_t to = arc[k].owner * out.room + base[arc[k].owner] + place[k];
            out.key[to] = (uint64_t)arc[k].row << r.bits.place | arc[k].target;
            if (sizeof(weight_type) > 1)
                static_cast<weight_type *>(out.weight)[to] =
                    static_cast<const weight_type *>(
                        e.weight)[at + k / 2 * GG_BLOCK + threadIdx.x];
        }
        __syncthreads();
    }
}

bool gg_several_count(struct cuda_job *job, const struct several_route *r,
                      const struct route_edges *e, unsigned long long *bin) {
    count_arcs<<<gg_grid(job, e->count, 4), GG_BLOCK, 0, job->stream>>>(*r, *e, bin);
    return gg_launched(job, "count_arcs");
}

bool gg_several_route(struct cuda_job *job, const struct several_route *r,
                      const struct route_edges *e, const struct route_out *out,
                      size_t weight_bytes) {
    unsigned blocks = gg_grid(job, (e->count + EACH - 1) / EACH, 8);
    gg_fill(job, out->count, 0, SEVERAL_MOST * sizeof *out->count);
    if (!gg_going(job))
        return false;
    if (weight_bytes == 0)
        route_arcs<uint8_t><<<blocks, GG_BLOCK, 0, job->stream>>>(*r, *e, *out);
    else if (weight_bytes == 4)
        route_arcs<uint32_t><<<blocks, GG_BLOCK, 0, job->stream>>>(*r, *e, *out);
    else
        route_arcs<uint64_t><<<blocks, GG_BLOCK, 0, job->stream>>>(*r, *e, *out);
    return gg_launched(job, "route_arcs");
}
