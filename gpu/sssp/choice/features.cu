/* Features of a graph, by which "auto" chooses how to search for shortest paths. They
** are computed on the device and kept with its copy of the graph.
**
**     offsets of a CSR    --degrees-->  sums of squares, the largest degree
**     weights by edge     --sample--->  FEATURE_SAMPLE weights: mean, deviation, median
**     rows                --balls---->  FEATURE_BALLS numbers of levels
**                         --radii---->  FEATURE_BALLS distances
**
** Balls lie around the start vertices of FEATURE_BALLS arcs. The number of levels that
** a breadth-first search takes to meet FEATURE_BALL vertices tells a graph of near
** neighbours from a random one, which degrees do not. The radius is the distance of
** the FEATURE_NEAR-th nearest vertex, found by Dijkstra's algorithm, one vertex at a
** time. A bucket of that width holds about as many vertices. */
#include "device/parts.cuh"
#include "graph/frontier.cuh"
#include "sssp/sssp.cuh"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEATURE_SAMPLE = 512, /* weights, at even distances in the list of edges */
    FEATURE_BALLS = 16,
    FEATURE_BALL = 1024,
    FEATURE_BALL_TABLE = 4 * FEATURE_BALL, /* places of a set of its vertices */
    FEATURE_BALL_LEVELS = 64, /* at most; the value of a search that ends before */
    FEATURE_BALL_ARCS = 4096, /* of a row; more only repeat what was met */
    FEATURE_NEAR = 64,
    FEATURE_NEAR_ARCS = 32,   /* of a row, at most, and at least half, on average */
    FEATURE_NEAR_ROW = 1024,  /* a longer row is not walked */
    FEATURE_NEAR_MET = 1536,  /* a search that has met more vertices ends */
    FEATURE_NEAR_TABLE = 3584 /* places of a set of them */
};

struct degree_sums {
    unsigned long long square_low, square_high; /* of squares, by halves of 32 bits */
    unsigned long long most;
};

struct feature_space {
    struct degree_sums *degrees;
    double *sample;
    uint32_t *levels;
    double *radius;
};

/* ---- kernels ---- */

/* One thread per vertex. */
static __global__ void degrees(device_csr g, struct degree_sums *sums) {
    struct degree_sums mine = {0, 0, 0};
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
template <typename type>
static __global__ void sample(const type *weight, uint64_t m, uint64_t step,
                              double *out) {
    if (threadIdx.x * step < m)
        out[threadIdx.x] = (double)weight[threadIdx.x * step];
}

/* The edge whose start is the middle of ball i. */
static __device__ uint64_t ball_edge(uint64_t m, int i) {
    uint64_t part = m / (2 * FEATURE_BALLS), rest = m % (2 * FEATURE_BALLS);
    uint64_t odd = 2 * (uint64_t)i + 1;
    return odd * part + odd * rest / (2 * FEATURE_BALLS);
}

struct ball {
    uint32_t count; /* goes past FEATURE_BALL where several threads meet the last ones */
    uint32_t met[FEATURE_BALL], table[FEATURE_BALL_TABLE];
};

/* Once FEATURE_BALL vertices are met nobody asks which: so the table never fills. */
static __device__ void meet_vertex(struct ball *b, uint32_t v) {
    uint32_t at = v * 2654435761u % FEATURE_BALL_TABLE;
    while (atomicAdd(&b->count, 0) < FEATURE_BALL) {
        uint32_t there = atomicCAS(&b->table[at], GPUGRAPH_NONE, v);
        if (there == v)
            return;
        if (there == GPUGRAPH_NONE) {
            uint32_t place = atomicAdd(&b->count, 1);
            if (place < FEATURE_BALL)
                b->met[place] = v;
            return;
        }
        at = (at + 1) % FEATURE_BALL_TABLE;
    }
}

/* One warp per row. All vertices of the next level. */
static __device__ void meet_neighbours(const device_csr &g, struct ball *b,
                                       uint32_t begin, uint32_t end) {
    for (uint32_t i = begin + threadIdx.x / GG_WARP; i < end; i += blockDim.x / GG_WARP) {
        uint64_t first = g.begin[b->met[i]], last = g.end[b->met[i]];
        if (last - first > FEATURE_BALL_ARCS)
            last = first + FEATURE_BALL_ARCS;
        for (uint64_t arc = first + gg_lane(); arc < last; arc += GG_WARP)
            meet_vertex(b, g.target[arc]);
    }
}

/* One block per ball. */
static __global__ void balls(device_csr g, const uint32_t *start, uint64_t m,
                             uint32_t *levels) {
    __shared__ struct ball b;
    uint32_t begin = 0, found = FEATURE_BALL_LEVELS;
    for (uint32_t i = threadIdx.x; i < FEATURE_BALL_TABLE; i += blockDim.x)
        b.table[i] = GPUGRAPH_NONE;
    if (threadIdx.x == 0)
        b.count = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        meet_vertex(&b, start[ball_edge(m, (int)blockIdx.x)]);
    __syncthreads();
    for (uint32_t level = 1; level <= FEATURE_BALL_LEVELS; level++) {
        uint32_t end = b.count;
        __syncthreads();
        meet_neighbours(g, &b, begin, end);
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

#define NOT_MET  (~0ull)
#define NO_PLACE UINT32_MAX

/* A set of vertices by their distances: the bits of a double that is not negative, which
** are in the order of the numbers, and 1. A settled vertex has 0, and keeps it. */
struct near_ball {
    uint32_t met, vertex[FEATURE_NEAR_TABLE];
    unsigned long long key[FEATURE_NEAR_TABLE];
    unsigned long long least; /* what nearest finds */
    uint32_t least_vertex, least_at;
};

static __device__ void reach_vertex(struct near_ball *b, uint32_t v, double distance) {
    unsigned long long key = (unsigned long long)__double_as_longlong(distance) + 1;
    uint32_t at = v * 2654435761u % FEATURE_NEAR_TABLE;
    for (int tries = 0; tries < FEATURE_NEAR_TABLE; tries++) {
        uint32_t there = atomicCAS(&b->vertex[at], GPUGRAPH_NONE, v);
        if (there == GPUGRAPH_NONE)
            atomicAdd(&b->met, 1u);
        if (there == GPUGRAPH_NONE || there == v) {
            atomicMin(&b->key[at], key);
            return;
        }
        at = (at + 1) % FEATURE_NEAR_TABLE;
    }
}

/* A row of `degree` arcs is thinned: an arc is walked if its hash has that many
** leading zeros. Arcs of a row are in any order, so the first ones would not do. */
static __device__ int near_zeros(uint64_t degree) {
    int zeros = 0;
    while (degree >> zeros > FEATURE_NEAR_ARCS)
        zeros++;
    return zeros;
}

/* Arcs of negative weights are not walked: no search takes them. */
static __device__ bool is_near_arc(uint32_t row, uint32_t target, double weight,
                                   int zeros) {
    uint32_t hash = (target + row * 0x9E3779B9u) * 2654435761u;
    return weight >= 0 && (zeros == 0 || hash >> (32 - zeros) == 0);
}

/* All threads of the block. The place of the nearest vertex that is not settled, by
** distance, then by vertex; NO_PLACE: there is none. Its key is b->least. */
static __device__ uint32_t nearest(struct near_ball *b) {
    unsigned long long least = NOT_MET;
    uint32_t vertex = GPUGRAPH_NONE, at = NO_PLACE;
    if (threadIdx.x == 0) {
        b->least = NOT_MET;
        b->least_vertex = GPUGRAPH_NONE;
        b->least_at = NO_PLACE;
    }
    for (uint32_t i = threadIdx.x; i < FEATURE_NEAR_TABLE; i += blockDim.x) {
        const unsigned long long key = b->key[i];
        if (key == 0 || key > least || (key == least && b->vertex[i] >= vertex))
            continue;
        least = key;
        vertex = b->vertex[i];
        at = i;
    }
    __syncthreads();
    atomicMin(&b->least, least);
    __syncthreads();
    if (at != NO_PLACE && least == b->least)
        atomicMin(&b->least_vertex, vertex);
    __syncthreads();
    if (at != NO_PLACE && least == b->least && vertex == b->least_vertex)
        b->least_at = at;
    __syncthreads();
    return b->least_at;
}

/* One thread per arc. */
template <typename type>
static __device__ void reach_neighbours(const device_csr &g, struct near_ball *b,
                                        uint32_t v, double distance) {
    const type *weight = static_cast<const type *>(g.weight);
    uint64_t first = g.begin[v], degree = g.end[v] - first;
    int zeros = near_zeros(degree);
    if (degree > FEATURE_NEAR_ROW)
        return;
    for (uint64_t arc = first + threadIdx.x; arc < first + degree; arc += blockDim.x) {
        uint32_t target = g.target[arc];
        double w = (double)weight[arc];
        if (is_near_arc(v, target, w, zeros))
            reach_vertex(b, target, __dadd_rn(distance, w));
    }
}

/* One block per ball. */
template <typename type>
static __global__ void radii(device_csr g, const uint32_t *start, uint64_t m,
                             double *radius) {
    __shared__ struct near_ball b;
    double found = -1;
    for (uint32_t i = threadIdx.x; i < FEATURE_NEAR_TABLE; i += blockDim.x) {
        b.vertex[i] = GPUGRAPH_NONE;
        b.key[i] = NOT_MET;
    }
    if (threadIdx.x == 0)
        b.met = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        reach_vertex(&b, start[ball_edge(m, (int)blockIdx.x)], 0);
    for (int count = 1; count <= FEATURE_NEAR; count++) {
        __syncthreads();
        const uint32_t at = nearest(&b), v = b.least_vertex;
        if (at == NO_PLACE)
            break;
        const double distance = __longlong_as_double((long long)(b.least - 1));
        if (count > 1)
            found = distance;
        if (b.met > FEATURE_NEAR_MET || count == FEATURE_NEAR)
            break;
        __syncthreads(); /* all have read what changes now */
        if (threadIdx.x == 0)
            b.key[at] = 0;
        __syncthreads();
        reach_neighbours<type>(g, &b, v, distance);
    }
    if (threadIdx.x == 0)
        radius[blockIdx.x] = found;
}

/* ---- driver ---- */

static void carve_features(struct workspace *space, struct feature_space *s) {
    s->degrees = gg_carve<struct degree_sums>(space, 1);
    s->sample = gg_carve<double>(space, FEATURE_SAMPLE);
    s->levels = gg_carve<uint32_t>(space, FEATURE_BALLS);
    s->radius = gg_carve<double>(space, FEATURE_BALLS);
}

template <typename type>
static void look_at_balls(struct cuda_job *job, enum csr_kind kind,
                          const struct device_csr *g, const struct device_edges *edges,
                          const struct feature_space *s) {
    const uint32_t *start = kind == CSR_IN ? edges->target : edges->source;
    gg_fill(job, s->levels, 0, FEATURE_BALLS * sizeof *s->levels);
    gg_fill(job, s->radius, 0xff, FEATURE_BALLS * sizeof *s->radius); /* not a number */
    if (edges->m == 0)
        return;
    balls<<<FEATURE_BALLS, GG_BLOCK, 0, job->stream>>>(*g, start, edges->m, s->levels);
    gg_launched(job, "balls");
    radii<type>
        <<<FEATURE_BALLS, GG_BLOCK, 0, job->stream>>>(*g, start, edges->m, s->radius);
    gg_launched(job, "radii");
}

/* Every so many-th weight of m is in the sample. */
static uint64_t sample_step(uint64_t m) {
    return m / FEATURE_SAMPLE + (m % FEATURE_SAMPLE != 0);
}

template <typename type>
static void look_at_features(struct cuda_job *job, enum csr_kind kind,
                             const struct device_csr *g, const struct device_edges *edges,
                             const struct feature_space *s) {
    sample<<<1, FEATURE_SAMPLE, 0, job->stream>>>(
        static_cast<const type *>(edges->weight), edges->m, sample_step(edges->m),
        s->sample);
    gg_launched(job, "sample");
    look_at_balls<type>(job, kind, g, edges, s);
}

/* ---- numbers ---- */

static double deviation_of(double mean, double mean_square) {
    double variance = mean_square - mean * mean;
    return variance > 0 ? sqrt(variance) : 0;
}

static void set_degrees(struct sssp_features *f, const struct device_csr *g,
                        const struct degree_sums *degrees) {
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

/* sample: `count` weights, which are sorted here. The typical weight is the median of the
** positive ones. */
static void set_weights(struct sssp_features *f, double *sample, size_t count) {
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

/* Means of logarithms: of levels, and of radii in typical weights. A search that found
** nothing but its source has no radius. */
static void set_balls(struct sssp_features *f, const uint32_t *levels,
                      const double *radius) {
    double depths = 0, radii = 0;
    int balls = 0;
    for (int i = 0; i < FEATURE_BALLS; i++) {
        double weights = f->typical_weight > 0 ? radius[i] / f->typical_weight : 0;
        depths += log2((double)levels[i] + 1);
        if (!(radius[i] >= 0))
            continue;
        radii += log2((weights < 1e12 ? weights : 1e12) + 1.0 / 1024);
        balls++;
    }
    f->ball_depth = depths / FEATURE_BALLS;
    f->ball_radius = balls > 0 ? radii / balls : 0;
}

static bool compute_features(struct cuda_job *job, enum csr_kind kind,
                             const struct device_csr *g, struct sssp_features *f) {
    struct workspace space = {NULL, 0};
    struct feature_space s;
    struct device_edges edges;
    struct degree_sums degree;
    double sampled[FEATURE_SAMPLE], radius[FEATURE_BALLS];
    uint32_t levels[FEATURE_BALLS];
    if (!gg_device_edges(job, true, &edges))
        return false;
    carve_features(&space, &s);
    if (!gg_workspace(job, &space))
        return false;
    carve_features(&space, &s);
    gg_fill(job, s.degrees, 0, sizeof *s.degrees);
    degrees<<<gg_grid(job, g->n, 8), GG_BLOCK, 0, job->stream>>>(*g, s.degrees);
    gg_launched(job, "degrees");
    if (job->graph->distance_type == GPUGRAPH_UINT32)
        look_at_features<uint32_t>(job, kind, g, &edges, &s);
    else if (job->graph->distance_type == GPUGRAPH_UINT64)
        look_at_features<int64_t>(job, kind, g, &edges, &s);
    else
        look_at_features<double>(job, kind, g, &edges, &s);
    const uint64_t step = sample_step(edges.m);
    const size_t count = step ? (size_t)((edges.m + step - 1) / step) : 0;
    if (!gg_fetch(job, &degree, s.degrees, sizeof degree) ||
        !gg_download(job, sampled, s.sample, count * sizeof *sampled) ||
        !gg_fetch(job, levels, s.levels, sizeof levels) ||
        !gg_fetch(job, radius, s.radius, sizeof radius))
        return false;
    set_degrees(f, g, &degree);
    set_weights(f, sampled, count);
    set_balls(f, levels, radius);
    return true;
}

struct features_part {
    struct device_part part;
    bool known[CSR_KINDS];
    unsigned batches; /* that have changed edges since */
    struct sssp_features of[CSR_KINDS];
};

/* They choose among ways to the same answer, so they may be those of the graph as it was some batches ago:
** to look anew takes as long as a short search. */
static void drop_features(gpugraph_graph *, struct device_part *part, unsigned gone) {
    enum { BATCHES = 16 };
    struct features_part *kept = (struct features_part *)part;
    const bool little = !(gone & (PART_ON_VERTICES | PART_ON_DEVICE));
    if (little && ++kept->batches < BATCHES)
        return;
    memset(kept->known, 0, sizeof kept->known);
    kept->batches = 0;
}

static const struct device_part_kind features_kind = {
    "features of the choice of a method", sizeof(struct features_part),
    PART_ON_EDGES | PART_ON_VERTICES | PART_ON_WEIGHTS, drop_features};

const struct sssp_features *gg_features_known(const gpugraph_graph *graph,
                                              enum csr_kind kind) {
    const struct features_part *kept =
        (struct features_part *)gg_device_part_of(graph, &features_kind);
    return kept && kept->known[kind] ? &kept->of[kind] : NULL;
}

bool gg_device_features(struct cuda_job *job, enum csr_kind kind,
                        const struct device_csr *g, struct sssp_features *f) {
    struct features_part *kept =
        (struct features_part *)gg_device_part(job, &features_kind);
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
