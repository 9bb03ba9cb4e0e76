/* Tree edges of vertices all of whose tight edges come from their own distance, on the device: tree.c has
** the rules.
**
**     settled   bitmap: a source, or a vertex that has its tree edge
**     round k   each level edge from a settled vertex to an open one is offered to it: the smallest stays
**               who has one now is settled: k steps from those that were settled at first
**
** A round is one pass over the edges. Ways over level edges are short where weights of zero are rare; a
** long one is left to the host, which goes along it once. */
#include "distance.cuh"
#include "pass.cuh"

/* Each is a pass at the speed of the device's memory; the host goes over all edges twice, alone. */
enum { TIE_ROUNDS = 64 };

struct tie_scratch {
    uint32_t open;
    uint32_t unused[3]; /* bits begin at a multiple of 16 bytes */
    uint32_t settled[]; /* n bits */
};

static uint64_t scratch_bytes(uint32_t n) {
    return sizeof(struct tie_scratch) + ((uint64_t)n / 32 + 1) * sizeof(uint32_t);
}

uint64_t gg_distance_tree_scratch(const struct cuda_job *job) {
    return scratch_bytes(job->graph->n) / sizeof(uint32_t);
}

static __device__ __forceinline__ bool is_settled(const uint32_t *settled, uint32_t v) {
    return settled[v / 32] >> v % 32 & 1;
}

/* One thread per source. */
static __global__ void settle_sources(const uint32_t *source, uint32_t sources,
                                      struct tie_scratch *s) {
    for (uint64_t i = gg_thread(); i < sources; i += gg_threads_of_grid())
        atomicOr(&s->settled[source[i] / 32], 1u << source[i] % 32);
}

/* One lane per vertex, one warp per word: who has an edge is settled; how many that are reached are open. */
template <typename type, typename number>
static __global__ void settle_vertices(const typename type::word *distance, uint32_t n,
                                       const number *tree_edge, struct tie_scratch *s) {
    const uint64_t whole = ((uint64_t)n + GG_WARP - 1) / GG_WARP * GG_WARP;
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        const uint32_t before = s->settled[v / 32];
        const bool has_edge = v < n && tree_edge[v] != ~(number)0;
        const uint32_t word = before | __ballot_sync(ALL_LANES, has_edge);
        const bool open =
            v < n && !(word >> v % 32 & 1) && distance[v] != type::unreached();
        const uint32_t open_here = __popc(__ballot_sync(ALL_LANES, open));
        if (gg_lane() == 0 && word != before)
            s->settled[v / 32] = word;
        if (gg_lane() == 0 && open_here > 0)
            atomicAdd(&s->open, open_here);
    }
}

template <typename type, typename number> struct level_pass {
    device_edges edges;
    ways way;
    const typename type::word *distance;
    const uint32_t *settled;
    number *tree_edge;
};

/* One thread per edge. */
template <typename type, typename number>
static __global__ void
offer_level(const __grid_constant__ level_pass<type, number> pass) {
    const device_edges &edges = pass.edges;
    const auto *weights = static_cast<const typename type::weight *>(edges.weight);
    for (uint64_t at = gg_thread(); at < edges.m; at += gg_threads_of_grid()) {
        const uint32_t u = edges.source[at], v = edges.target[at];
        const bool from_u = is_settled(pass.settled, u),
                   from_v = is_settled(pass.settled, v);
        if (from_u == from_v || !(from_u ? pass.way.forward : pass.way.backward))
            continue;
        const typename type::word du = pass.distance[u], dv = pass.distance[v];
        if (du != dv || du == type::unreached() || type::add(du, weights[at]) != dv)
            continue;
        offer(pass.tree_edge, from_u ? v : u, (number)at);
    }
}

template <typename type, typename number>
static bool count_tied(struct cuda_job *job, const typename type::word *distance,
                       const number *tree_edge, struct tie_scratch *s, uint32_t *open) {
    const uint32_t n = job->graph->n;
    gg_fill(job, &s->open, 0, sizeof s->open);
    settle_vertices<type>
        <<<gg_grid(job, n, 16), GG_BLOCK, 0, job->stream>>>(distance, n, tree_edge, s);
    return gg_launched(job, "settle_vertices") &&
           gg_fetch(job, open, &s->open, sizeof *open);
}

template <typename type, typename number>
static bool settle_tied(struct cuda_job *job, const gpugraph_search *search,
                        const void *distance, const uint32_t *source, number *tree_edge,
                        int rounds, struct tie_scratch *s, uint32_t *ties) {
    level_pass<type, number> pass = {};
    uint32_t before, open;
    pass.way = ways_of(search->direction);
    pass.distance = static_cast<const typename type::word *>(distance);
    pass.settled = s->settled;
    pass.tree_edge = tree_edge;
    if (!gg_device_edges(job, true, &pass.edges) ||
        !gg_fill(job, s, 0, scratch_bytes(job->graph->n)))
        return false;
    settle_sources<<<gg_grid(job, search->source_count, 2), GG_BLOCK, 0, job->stream>>>(
        source, search->source_count, s);
    if (!gg_launched(job, "settle_sources") ||
        !count_tied<type>(job, pass.distance, tree_edge, s, &open))
        return false;
    before = open + 1;
    for (int round = 0; round < rounds && open > 0 && open < before; round++) {
        before = open;
        offer_level<type, number>
            <<<gg_grid(job, pass.edges.m, 16), GG_BLOCK, 0, job->stream>>>(pass);
        if (!gg_launched(job, "offer_level") ||
            !count_tied<type>(job, pass.distance, tree_edge, s, &open))
            return false;
    }
    *ties = open;
    return true;
}

template <typename type>
static bool settle_wide(struct cuda_job *job, const gpugraph_search *search,
                        const void *distance, const uint32_t *source, void *tree_edge,
                        int rounds, struct tie_scratch *s, uint32_t *ties) {
    return job->graph->wide
               ? settle_tied<type>(job, search, distance, source,
                                   static_cast<wide_number *>(tree_edge), rounds, s, ties)
               : settle_tied<type>(job, search, distance, source,
                                   static_cast<uint32_t *>(tree_edge), rounds, s, ties);
}

static bool settle_rounds(struct cuda_job *job, const gpugraph_search *search,
                          const void *distance, const uint32_t *source, void *tree_edge,
                          int rounds, uint32_t *ties, uint32_t *scratch) {
    struct tie_scratch *s = reinterpret_cast<struct tie_scratch *>(scratch);
    switch (job->graph->distance_type) {
    case GPUGRAPH_UINT32:
        return settle_wide<integer32>(job, search, distance, source, tree_edge, rounds, s,
                                      ties);
    case GPUGRAPH_UINT64:
        return settle_wide<integer64>(job, search, distance, source, tree_edge, rounds, s,
                                      ties);
    default:
        return settle_wide<real>(job, search, distance, source, tree_edge, rounds, s,
                                 ties);
    }
}

bool gg_device_count_ties(struct cuda_job *job, const gpugraph_search *search,
                          const void *distance, const uint32_t *source, void *tree_edge,
                          uint32_t *ties, uint32_t *scratch) {
    return settle_rounds(job, search, distance, source, tree_edge, 0, ties, scratch);
}

bool gg_device_settle_ties(struct cuda_job *job, const gpugraph_search *search,
                           const void *distance, const uint32_t *source, void *tree_edge,
                           uint32_t *ties, uint32_t *scratch) {
    return settle_rounds(job, search, distance, source, tree_edge, TIE_ROUNDS, ties,
                         scratch);
}
