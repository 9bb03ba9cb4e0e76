/* Probes: searches in rounds around some vertices, of which features.h tells what for.
** features.c has the CPU's, which come to the same numbers:
**
**     open places --list--> place[], from[] --relax rows--> keys, more open places
**
** All that a round reads of a vertex is what its distance was when the round began, so
** neither the order of the threads nor that of arcs changes anything. Of a round that
** meets too many vertices nothing is counted.
*/
#include "sssp/sssp.cuh"
#include "features.h"

#define NOT_MET (~0ull)
enum { PROBE_BLOCK = 1024, ROW_LANES = 8 };

/* A set of vertices by their distances: the bits of a double that is not negative, which
** are in the order of the numbers, and 1. */
struct probe {
    uint32_t met, listed, settled, full;
    unsigned long long least; /* of those that are listed */
    uint32_t vertex[FEATURE_PROBE_TABLE];
    unsigned long long key[FEATURE_PROBE_TABLE], from[FEATURE_PROBE_MET];
    unsigned short place[FEATURE_PROBE_MET];
    unsigned char open[FEATURE_PROBE_TABLE], done[FEATURE_PROBE_TABLE];
};
static_assert(sizeof(struct probe) <= 48 << 10, "shared memory of a block");
static_assert(FEATURE_PROBE_TABLE >= FEATURE_PROBE_MET + PROBE_BLOCK,
              "each thread may add one vertex before it sees that the set is full");

static __device__ unsigned long long key_of(double distance) {
    return (unsigned long long)__double_as_longlong(distance) + 1;
}

static __device__ double distance_of(unsigned long long key) {
    return __longlong_as_double((long long)(key - 1));
}

static __device__ void reach(struct probe *b, uint32_t v, double distance) {
    uint32_t at = v * 2654435761u % FEATURE_PROBE_TABLE;
    for (int tries = 0; tries < FEATURE_PROBE_TABLE; tries++) {
        uint32_t there = atomicCAS(&b->vertex[at], GPUGRAPH_NONE, v);
        if (there == GPUGRAPH_NONE && atomicAdd(&b->met, 1u) >= FEATURE_PROBE_MET)
            atomicExch(&b->full, 1u);
        if (there == GPUGRAPH_NONE || there == v) {
            unsigned long long key = key_of(distance);
            if (atomicMin(&b->key[at], key) > key)
                b->open[at] = 1;
            return;
        }
        at = (at + 1) % FEATURE_PROBE_TABLE;
    }
}

/* One thread per place. */
static __device__ void list_open(struct probe *b) {
    for (uint32_t i = threadIdx.x; i < FEATURE_PROBE_TABLE; i += blockDim.x) {
        if (!b->open[i])
            continue;
        uint32_t at = atomicAdd(&b->listed, 1u);
        b->open[i] = 0;
        b->place[at] = (unsigned short)i;
        b->from[at] = b->key[i];
        atomicMin(&b->least, b->key[i]);
    }
}

/* ROW_LANES threads per row. */
template <typename type>
static __device__ void relax_listed(const device_csr &g, struct probe *b) {
    const type *weight = static_cast<const type *>(g.weight);
    for (uint32_t i = threadIdx.x / ROW_LANES; i < b->listed;
         i += blockDim.x / ROW_LANES) {
        uint32_t v = b->vertex[b->place[i]];
        uint64_t first = g.offset[v], degree = g.offset[v + 1] - first;
        double distance = distance_of(b->from[i]);
        int zeros = feature_near_zeros(degree);
        if (degree > FEATURE_NEAR_ROW)
            continue;
        for (uint64_t arc = threadIdx.x % ROW_LANES; arc < degree; arc += ROW_LANES) {
            uint32_t target = g.target[first + arc];
            double w = (double)weight[first + arc];
            if (atomicAdd(&b->full, 0u))
                return;
            if (feature_near_arc(v, target, w, zeros))
                reach(b, target, __dadd_rn(distance, w));
        }
    }
}

/* All threads of the block. Lists what the next round relaxes; false: nothing. */
static __device__ bool begin_round(struct probe *b, struct feature_probe *found) {
    __syncthreads(); /* all have read what changes now */
    if (threadIdx.x == 0) {
        b->listed = 0;
        b->least = NOT_MET;
    }
    __syncthreads();
    list_open(b);
    __syncthreads();
    if (b->listed > 0)
        found->least = distance_of(b->least);
    return b->listed > 0;
}

/* All threads of the block. Counts the round that was; false: it met too many. */
static __device__ bool end_round(struct probe *b, struct feature_probe *found) {
    __syncthreads();
    if (b->full)
        return false;
    for (uint32_t i = threadIdx.x; i < b->listed; i += blockDim.x)
        if (!b->done[b->place[i]]) {
            b->done[b->place[i]] = 1;
            atomicAdd(&b->settled, 1u);
        }
    found->met = b->met;
    found->relaxed += b->listed;
    return true;
}

/* One block per probe. */
template <typename type>
static __global__ void __launch_bounds__(PROBE_BLOCK)
    probes(device_csr g, const uint32_t *start, uint64_t m, struct feature_probe *out) {
    __shared__ struct probe b;
    struct feature_probe found = {0, 0, 0, 0};
    for (uint32_t i = threadIdx.x; i < FEATURE_PROBE_TABLE; i += blockDim.x) {
        b.vertex[i] = GPUGRAPH_NONE;
        b.key[i] = NOT_MET;
        b.open[i] = b.done[i] = 0;
    }
    if (threadIdx.x == 0)
        b.met = b.settled = b.full = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        reach(&b, start[feature_ball_edge(m, (int)blockIdx.x)], 0);
    for (int round = 0; round < FEATURE_PROBE_ROUNDS; round++) {
        if (!begin_round(&b, &found))
            break;
        relax_listed<type>(g, &b);
        if (!end_round(&b, &found))
            break;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        found.settled = b.settled;
        out[blockIdx.x] = found;
    }
}

void gg_device_probes(struct cuda_job *job, const struct device_csr *g,
                      const uint32_t *start, uint64_t m, struct feature_probe *out) {
    if (job->graph->distance_type == GPUGRAPH_UINT32)
        probes<uint32_t>
            <<<FEATURE_BALLS, PROBE_BLOCK, 0, job->stream>>>(*g, start, m, out);
    else if (job->graph->distance_type == GPUGRAPH_UINT64)
        probes<int64_t>
            <<<FEATURE_BALLS, PROBE_BLOCK, 0, job->stream>>>(*g, start, m, out);
    else
        probes<double><<<FEATURE_BALLS, PROBE_BLOCK, 0, job->stream>>>(*g, start, m, out);
    gg_launched(job, "probes");
}
