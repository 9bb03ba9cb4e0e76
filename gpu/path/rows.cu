/* The way back from the target along rows of arcs that lead to a vertex, with edge numbers
** (numbered_rows.cu): no tree is needed for one path.
**
**     v    arcs to v, by edge number    ->    the first one that is tight    ->    where it is from
**
** One block: a step takes three trips to memory, some two microseconds, and a row of a million
** arcs is shared by all its threads. For long ways the pass that makes the whole tree, which has
** nothing to wait for, is sooner done. */
#include "path.cuh"

enum { WALK_BLOCK = 512, WALK_ARCS = 4 /* of a thread at a time */ };

struct rows_to { /* rows of one kind or two */
    struct device_arcs_to kind[2];
    int kinds;
};

#define NO_ARC (~0ull)

/* The whole block. *best, NO_ARC before: the smallest edge that is tight to v, over where it is
** from. */
template <typename type>
static __device__ void offer_tight_arcs(const rows_to &rows,
                                        const typename type::word *distance, uint32_t v,
                                        unsigned long long *best) {
    const typename type::word here = distance[v];
    for (int kind = 0; kind < rows.kinds; kind++) {
        const device_arcs_to &r = rows.kind[kind];
        const uint64_t end = r.offset[v + 1ull];
        bool found = false;
        for (uint64_t begin = r.offset[v]; begin < end && !found;
             begin += WALK_BLOCK * WALK_ARCS) {
            uint32_t other[WALK_ARCS];
            typename type::weight weight[WALK_ARCS];
            typename type::word before[WALK_ARCS];
            unsigned long long first = NO_ARC;
#pragma unroll
            for (int i = 0; i < WALK_ARCS; i++) {
                uint64_t arc = begin + threadIdx.x + (uint64_t)i * WALK_BLOCK;
                other[i] = arc < end ? r.other[arc] : v;
                weight[i] = arc < end ? type::weight_at(r.weight, arc) : 0;
            }
#pragma unroll
            for (int i = 0; i < WALK_ARCS; i++)
                before[i] = distance[other[i]];
#pragma unroll
            for (int i = WALK_ARCS - 1; i >= 0; i--) {
                uint64_t arc = begin + threadIdx.x + (uint64_t)i * WALK_BLOCK;
                if (before[i] < here && type::add(before[i], weight[i]) == here)
                    first = (unsigned long long)r.number[arc] << 32 | other[i];
            }
            if (first != NO_ARC)
                atomicMin(best, first);
            found = __syncthreads_or(first != NO_ARC);
        }
    }
}

/* One block. room: steps done, where they led; then edges, from the target on. */
template <typename type>
static __global__ void __launch_bounds__(WALK_BLOCK)
    walk_rows(const __grid_constant__ rows_to rows, const typename type::word *distance,
              uint32_t target, uint32_t source, uint32_t most, uint32_t *room) {
    __shared__ unsigned long long best[2]; /* in turn: one is read, one is cleared */
    uint32_t steps = 0, v = target;
    if (threadIdx.x < 2)
        best[threadIdx.x] = NO_ARC;
    __syncthreads();
    while (v != source && steps < most) {
        offer_tight_arcs<type>(rows, distance, v, &best[steps % 2]);
        __syncthreads();
        const unsigned long long arc = best[steps % 2];
        if (arc == NO_ARC)
            break;
        if (threadIdx.x == 0) {
            best[(steps + 1) % 2] = NO_ARC;
            room[PATH_HEAD + steps] = (uint32_t)(arc >> 32);
        }
        v = (uint32_t)arc;
        steps++;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        room[0] = steps;
        room[1] = v;
    }
}

template <typename type>
static bool launch_walk_rows(struct cuda_job *job, const struct path_search *s,
                             const struct rows_to *rows, uint32_t most, uint32_t *room) {
    walk_rows<type><<<1, WALK_BLOCK, 0, job->stream>>>(
        *rows, static_cast<const typename type::word *>(gg_path_distances(s)),
        s->wanted->target[0], s->wanted->source[0], most, room);
    return gg_launched(job, "walk_rows");
}

bool gg_walk_back(struct cuda_job *job, const struct path_search *s, uint32_t most,
                  void *room, struct path_walk *walk) {
    struct rows_to rows;
    uint32_t *narrow = static_cast<uint32_t *>(room), head[PATH_HEAD];
    bool launched;
    rows.kinds = gg_device_arcs_to(job, s->wanted->direction, rows.kind);
    if (!s->weighted)
        launched = launch_walk_rows<steps>(job, s, &rows, most, narrow);
    else if (job->graph->distance_type == GPUGRAPH_UINT32)
        launched = launch_walk_rows<integer32>(job, s, &rows, most, narrow);
    else if (job->graph->distance_type == GPUGRAPH_UINT64)
        launched = launch_walk_rows<integer64>(job, s, &rows, most, narrow);
    else
        launched = launch_walk_rows<real>(job, s, &rows, most, narrow);
    if (!launched || !gg_fetch(job, head, room, sizeof head))
        return false;
    walk->steps = head[0];
    walk->vertex = head[1];
    return true;
}
