/* Features of a graph on the device, kept with its copy; features.c beside this computes
** the same numbers on the CPU.
**
**     offsets of a CSR    --degrees-->  sums of squares, the largest
**     weights by edge     --weights-->  FEATURE_PARTS sums  --groups-->  FEATURE_GROUPS
**                         --sample--->  FEATURE_SAMPLE weights
**     rows                --balls---->  FEATURE_BALLS numbers of levels
*/
#include "device_graph.cuh"
#include "frontier.cuh"
#include "sssp.cuh"
#include "sssp_features.h"

#include <string.h>

struct feature_space {
    struct degree_sums *degrees;
    struct weight_sums *part, *group;
    double *sample;
    uint32_t *levels;
};

/* ---- kernels ---- */

/* One thread per vertex. */
static __global__ void degrees(device_csr g, struct degree_sums *sums) {
    struct degree_sums mine = {0, 0, 0};
    for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid()) {
        unsigned long long degree = g.offset[v + 1] - g.offset[v];
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

static __device__ void add(struct weight_sums *to, double sum, double square,
                           double most) {
    to->sum = __dadd_rn(to->sum, sum);
    to->square = __dadd_rn(to->square, square);
    to->most = most > to->most ? most : to->most;
}

/* One thread per part. */
template <typename type>
static __global__ void weights(const type *weight, uint64_t m, uint64_t step,
                               struct weight_sums *part) {
    struct weight_sums mine = {0, 0, 0};
    for (uint64_t e = gg_thread() * step; e < m; e += FEATURE_PARTS * step) {
        double w = (double)weight[e];
        add(&mine, w, __dmul_rn(w, w), w);
    }
    part[gg_thread()] = mine;
}

/* One thread per group. */
static __global__ void groups(const struct weight_sums *part, struct weight_sums *group) {
    struct weight_sums mine = {0, 0, 0};
    for (int i = (int)threadIdx.x; i < FEATURE_PARTS; i += FEATURE_GROUPS)
        add(&mine, part[i].sum, part[i].square, part[i].most);
    group[threadIdx.x] = mine;
}

/* One thread per weight. */
template <typename type>
static __global__ void sample(const type *weight, uint64_t m, uint64_t step,
                              double *out) {
    if (threadIdx.x * step < m)
        out[threadIdx.x] = (double)weight[threadIdx.x * step];
}

struct ball {
    uint32_t count; /* goes past FEATURE_BALL where several threads meet the last ones */
    uint32_t met[FEATURE_BALL], table[FEATURE_BALL_TABLE];
};

/* Once FEATURE_BALL vertices are met nobody asks which: so the table never fills. */
static __device__ void meet(struct ball *b, uint32_t v) {
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
        uint64_t first = g.offset[b->met[i]], last = g.offset[b->met[i] + 1];
        if (last - first > FEATURE_BALL_ARCS)
            last = first + FEATURE_BALL_ARCS;
        for (uint64_t arc = first + gg_lane(); arc < last; arc += GG_WARP)
            meet(b, g.target[arc]);
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
        meet(&b, start[feature_ball_edge(m, (int)blockIdx.x)]);
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

/* ---- driver ---- */

static void carve(struct workspace *space, struct feature_space *s) {
    s->degrees = gg_carve<struct degree_sums>(space, 1);
    s->part = gg_carve<struct weight_sums>(space, FEATURE_PARTS);
    s->group = gg_carve<struct weight_sums>(space, FEATURE_GROUPS);
    s->sample = gg_carve<double>(space, FEATURE_SAMPLE);
    s->levels = gg_carve<uint32_t>(space, FEATURE_BALLS);
}

static void look_at_balls(struct cuda_job *job, enum csr_kind kind,
                          const struct device_csr *g, const struct device_edges *edges,
                          const struct feature_space *s) {
    const uint32_t *start = kind == CSR_IN ? edges->target : edges->source;
    gg_fill(job, s->levels, 0, FEATURE_BALLS * sizeof *s->levels);
    if (edges->m == 0)
        return;
    balls<<<FEATURE_BALLS, GG_BLOCK, 0, job->stream>>>(*g, start, edges->m, s->levels);
    gg_launched(job, "balls");
}

template <typename type>
static void look_at_weights(struct cuda_job *job, const struct device_edges *edges,
                            const struct feature_space *s) {
    static_assert(FEATURE_PARTS % GG_BLOCK == 0, "a thread for each part");
    const type *weight = static_cast<const type *>(edges->weight);
    weights<<<FEATURE_PARTS / GG_BLOCK, GG_BLOCK, 0, job->stream>>>(
        weight, edges->m, feature_step(edges->m, FEATURE_WEIGHTS), s->part);
    gg_launched(job, "weights");
    groups<<<1, FEATURE_GROUPS, 0, job->stream>>>(s->part, s->group);
    gg_launched(job, "groups");
    sample<<<1, FEATURE_SAMPLE, 0, job->stream>>>(
        weight, edges->m, feature_step(edges->m, FEATURE_SAMPLE), s->sample);
    gg_launched(job, "sample");
}

static bool compute(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                    struct sssp_features *f) {
    struct workspace space = {NULL, 0};
    struct feature_space s;
    struct device_edges edges;
    struct degree_sums degree;
    struct weight_sums group[FEATURE_GROUPS], all = {0, 0, 0};
    double sampled[FEATURE_SAMPLE];
    uint32_t levels[FEATURE_BALLS];
    if (!gg_device_edges(job, true, &edges))
        return false;
    carve(&space, &s);
    if (!gg_workspace(job, &space))
        return false;
    carve(&space, &s);
    gg_fill(job, s.degrees, 0, sizeof *s.degrees);
    degrees<<<gg_grid(job, g->n, 8), GG_BLOCK, 0, job->stream>>>(*g, s.degrees);
    gg_launched(job, "degrees");
    if (job->graph->distance_type == GPUGRAPH_UINT32)
        look_at_weights<uint32_t>(job, &edges, &s);
    else if (job->graph->distance_type == GPUGRAPH_UINT64)
        look_at_weights<int64_t>(job, &edges, &s);
    else
        look_at_weights<double>(job, &edges, &s);
    look_at_balls(job, kind, g, &edges, &s);
    uint64_t looks = feature_looks(edges.m, feature_step(edges.m, FEATURE_WEIGHTS));
    size_t count = (size_t)feature_looks(edges.m, feature_step(edges.m, FEATURE_SAMPLE));
    if (!gg_fetch(job, &degree, s.degrees, sizeof degree) ||
        !gg_download(job, group, s.group, sizeof group) ||
        !gg_download(job, sampled, s.sample, count * sizeof *sampled) ||
        !gg_fetch(job, levels, s.levels, sizeof levels))
        return false;
    for (int i = 0; i < FEATURE_GROUPS; i++) {
        all.sum += group[i].sum;
        all.square += group[i].square;
        all.most = group[i].most > all.most ? group[i].most : all.most;
    }
    finish_features(f, g->n, g->m, &degree, &all, looks, sampled, count);
    f->ball_depth = feature_ball_depth(levels);
    return true;
}

bool gg_device_features(struct cuda_job *job, enum csr_kind kind,
                        const struct device_csr *g, struct sssp_features *f) {
    struct device_graph *copy = gg_device_copy(job);
    if (!copy)
        return false;
    struct device_rows *rows = &copy->rows[kind];
    if (!rows->features_known) {
        double started = gg_now_ms();
        if (!compute(job, kind, g, &rows->features))
            return false;
        rows->features_known = true;
        gg_phase(job->run, "features", started, (int64_t)g->m, "degrees, weights, balls");
    }
    *f = rows->features;
    return true;
}
