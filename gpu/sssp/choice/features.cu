/* Features of a graph, by which `auto` chooses how to search for shortest paths. The
** device computes them, and they stay with its copy of the graph.
**
**     offsets of a CSR    --sum_degrees----->  sums of squares, the largest degree
**     weights by edge     --sample_weights-->  mean, deviation, median of FEATURE_SAMPLE
**     rows                --grow_balls------>  FEATURE_BALLS numbers of levels
**
** Balls lie around the start vertices of FEATURE_BALLS arcs. The number of levels in
** which a breadth-first search reaches FEATURE_BALL vertices distinguishes graphs with
** near neighbours from random graphs. Degrees do not. */
#include "device/parts.cuh"
#include "graph/frontier.cuh"
#include "sssp/sssp.cuh"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEATURE_SAMPLE = 512, /* weights, evenly spread over the edge list */
    FEATURE_BALLS = 16,
    FEATURE_BALL = 1024,
    FEATURE_BALL_TABLE = 4 * FEATURE_BALL, /* entries of the hash set of its vertices */
    FEATURE_BALL_LEVELS = 64, /* at most; also the value of a smaller component */
    FEATURE_BALL_ARCS = 4096  /* per row; more arcs mostly lead to known vertices */
};

struct degree_sums {
    unsigned long long square_low,
        square_high; /* sums of squares, in halves of 32 bits */
    unsigned long long most;
};

/* Results of the kernels. */
struct measured {
    degree_sums degree;
    double sample[FEATURE_SAMPLE];
    uint32_t levels[FEATURE_BALLS];
};

/* ---- kernels ---- */

/* One thread per vertex. */
static __global__ void sum_degrees(device_csr g, degree_sums *sums) {
    degree_sums mine = {0, 0, 0};
    for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid()) {
        unsigned long long degree = g.end[v] - g.begin[v];
        mine.square_low += degree * degree & UINT32_MAX;
        mine.square_high += degree * degree >> 32;
        mine.most = degree > mine.most ? degree : mine.most;
    }
    for (int step = GG_WARP / 2; step > 0; step /= 2) {
        mine.square_low += __shfl_down_sync(0xffffffffu, mine.square_low, step);
        mine.square_high += __shfl_down_sync(0xffffffffu, mine.square_high, step);
        unsigned long long other = __shfl_down_sync(0xffffffffu, mine.most, step);
        mine.most = other > mine.most ? other : mine.most;
    }
    if (threadIdx.x % GG_WARP == 0) {
        atomicAdd(&sums->square_low, mine.square_low);
        atomicAdd(&sums->square_high, mine.square_high);
        atomicMax(&sums->most, mine.most);
    }
}

/* One thread per weight. */
static __global__ void sample_weights(device_edges edges, gpugraph_distance_type type,
                                      uint64_t step, double *out) {
    const uint64_t e = threadIdx.x * step;
    if (e < edges.m)
        out[threadIdx.x] =
            type == GPUGRAPH_UINT32   ? (double)((const uint32_t *)edges.weight)[e]
            : type == GPUGRAPH_UINT64 ? (double)((const int64_t *)edges.weight)[e]
                                      : ((const double *)edges.weight)[e];
}

/* The edge whose start is the centre of ball i. */
static __device__ uint64_t ball_edge(uint64_t m, int i) {
    uint64_t part = m / (2 * FEATURE_BALLS), rest = m % (2 * FEATURE_BALLS);
    uint64_t odd = 2 * (uint64_t)i + 1;
    return odd * part + odd * rest / (2 * FEATURE_BALLS);
}

struct ball {
    uint32_t count; /* exceeds FEATURE_BALL if several threads add the last vertices */
    uint32_t member[FEATURE_BALL], table[FEATURE_BALL_TABLE];
};

/* Adds a vertex to the ball. A full ball takes no more, so the table never fills. */
static __device__ void add_to_ball(ball *b, uint32_t v) {
    uint32_t at = v * 2654435761u % FEATURE_BALL_TABLE;
    while (atomicAdd(&b->count, 0) < FEATURE_BALL) {
        uint32_t there = atomicCAS(&b->table[at], GPUGRAPH_NONE, v);
        if (there == v)
            return;
        if (there == GPUGRAPH_NONE) {
            uint32_t place = atomicAdd(&b->count, 1);
            if (place < FEATURE_BALL)
                b->member[place] = v;
            return;
        }
        at = (at + 1) % FEATURE_BALL_TABLE;
    }
}

/* Adds all neighbours of the vertices begin to end. One warp per row. */
static __device__ void add_neighbours(const device_csr &g, ball *b, uint32_t begin,
                                      uint32_t end) {
    for (uint32_t i = begin + threadIdx.x / GG_WARP; i < end; i += blockDim.x / GG_WARP) {
        uint64_t first = g.begin[b->member[i]], last = g.end[b->member[i]];
        if (last - first > FEATURE_BALL_ARCS)
            last = first + FEATURE_BALL_ARCS;
        for (uint64_t arc = first + gg_lane(); arc < last; arc += GG_WARP)
            add_to_ball(b, g.target[arc]);
    }
}

/* One block per ball. */
static __global__ void grow_balls(device_csr g, const uint32_t *start, uint64_t m,
                                  uint32_t *levels) {
    __shared__ ball b;
    uint32_t begin = 0, found = FEATURE_BALL_LEVELS;
    for (uint32_t i = threadIdx.x; i < FEATURE_BALL_TABLE; i += blockDim.x)
        b.table[i] = GPUGRAPH_NONE;
    if (threadIdx.x == 0)
        b.count = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        add_to_ball(&b, start[ball_edge(m, (int)blockIdx.x)]);
    __syncthreads();
    for (uint32_t level = 1; level <= FEATURE_BALL_LEVELS; level++) {
        uint32_t end = b.count;
        __syncthreads();
        add_neighbours(g, &b, begin, end);
        __syncthreads();
        uint32_t count = b.count;
        if (count >= FEATURE_BALL)
            found = level;
        if (count >= FEATURE_BALL || count == end)
            break;
        begin = end;
    }
    if (threadIdx.x == 0)
        levels[blockIdx.x] = found;
}

/* ---- numbers ---- */

static double deviation_of(double mean, double mean_square) {
    double variance = mean_square - mean * mean;
    return variance > 0 ? sqrt(variance) : 0;
}

static void set_degrees(sssp_features *f, const device_csr *g,
                        const degree_sums *degrees) {
    double squares =
        (double)degrees->square_high * 4294967296.0 + (double)degrees->square_low;
    f->vertices = g->n;
    f->arcs = g->m;
    f->degree = g->n ? (double)g->m / (double)g->n : 0;
    f->degree_deviation = g->n ? deviation_of(f->degree, squares / (double)g->n) : 0;
    f->most_degree = (double)degrees->most;
}

static int compare_weights(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts `count` sampled weights. The typical weight is the median of the positive
** ones. */
static void set_weights(sssp_features *f, double *sample, size_t count) {
    double sum = 0, square = 0;
    size_t zeros = 0;
    qsort(sample, count, sizeof *sample, compare_weights);
    for (size_t i = 0; i < count; i++) {
        sum += sample[i];
        square += sample[i] * sample[i];
        zeros += !(sample[i] > 0);
    }
    f->weight = count ? sum / (double)count : 0;
    f->weight_deviation = count ? deviation_of(f->weight, square / (double)count) : 0;
    f->typical_weight = zeros < count ? sample[zeros + (count - zeros) / 2] : 0;
}

static double mean_depth(const uint32_t *levels) {
    double depths = 0;
    for (int i = 0; i < FEATURE_BALLS; i++)
        depths += log2((double)levels[i] + 1);
    return depths / FEATURE_BALLS;
}

/* ---- driver ---- */

static bool compute_features(cuda_job *job, enum csr_kind kind, const device_csr *g,
                             sssp_features *f) {
    device_edges edges;
    measured found, *there;
    if (!gg_device_edges(job, true, &edges) ||
        !gg_take_arrays(
            job, [&](workspace *space) { there = gg_carve<struct measured>(space, 1); }))
        return false;
    const uint64_t step = (edges.m + FEATURE_SAMPLE - 1) / FEATURE_SAMPLE;
    gg_fill(job, there, 0, sizeof *there);
    GG_LAUNCH(job, sum_degrees, gg_grid(job, g->n, 8), *g, &there->degree);
    sample_weights<<<1, FEATURE_SAMPLE, 0, job->stream>>>(
        edges, job->graph->distance_type, step, there->sample);
    gg_launched(job, "sample_weights");
    if (edges.m > 0)
        GG_LAUNCH(job, grow_balls, FEATURE_BALLS, *g,
                  kind == CSR_IN ? edges.target : edges.source, edges.m, there->levels);
    if (!gg_download(job, &found, there, sizeof found))
        return false;
    set_degrees(f, g, &found.degree);
    set_weights(f, found.sample, step ? (size_t)((edges.m + step - 1) / step) : 0);
    f->ball_depth = mean_depth(found.levels);
    return true;
}

struct features_part {
    device_part part;
    bool known[CSR_KINDS];
    unsigned batches; /* batches that have changed edges since */
    sssp_features of[CSR_KINDS];
};

/* Features only choose among methods with equal answers, so some batches may pass before
** they are computed again, which takes as long as a short search. */
static void drop_features(gpugraph_graph *, device_part *part, unsigned gone) {
    enum { BATCHES = 16 };
    features_part *kept = (features_part *)part;
    const bool little = !(gone & (PART_ON_VERTICES | PART_ON_DEVICE));
    if (little && ++kept->batches < BATCHES)
        return;
    memset(kept->known, 0, sizeof kept->known);
    kept->batches = 0;
}

static const device_part_kind features_kind = {
    "features of the choice of a method", sizeof(struct features_part),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS, drop_features};

bool gg_device_features(cuda_job *job, enum csr_kind kind, const device_csr *g,
                        sssp_features *f) {
    features_part *kept = (features_part *)gg_device_part(job, &features_kind);
    if (!kept)
        return false;
    if (!kept->known[kind]) {
        double started = gg_now_ms();
        if (!compute_features(job, kind, g, &kept->of[kind]))
            return false;
        kept->known[kind] = true;
        gg_phase(job->run, "features", started, (int64_t)g->m, "degrees, weights, balls");
    }
    *f = kept->of[kind];
    return true;
}
