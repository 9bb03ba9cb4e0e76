/* The kernels that make regions. make.cu has their order. */
#ifndef GPUGRAPH_REGIONS_MAKE_CUH
#define GPUGRAPH_REGIONS_MAKE_CUH

#include "graph/frontier.cuh"
#include "regions.cuh"

enum {
    MEAN = 1024,       /* mean vertices of a region */
    MOST = 2560,       /* most vertices of a region */
    MOST_ARCS = 24576, /* most inner arcs of a region, which shared memory has to hold */
    LEFT_SHIFT = 14,   /* v >> 14 labels a vertex v that no seed reaches */
    STEPS = 16,        /* steps of the search that are queued together */
    MOST_STEPS = 1024
};
static_assert(MOST < 1 << REGION_PLACE_BITS && MOST_ARCS + 32 <= UINT16_MAX,
              "places fit");

struct region_scratch {
    uint32_t *label, *found, *key, *key_sorted, *order, *region_of;
    uint32_t *inner, *outer, *outer_before;  /* counts by rank, and their sums */
    uint32_t *size, *start, *pieces, *piece; /* by label */
    uint32_t *first;                         /* by region: its first rank */
    uint32_t *tail;                          /* by step of the search: end of the list */
    uint32_t *most; /* most vertices and inner arcs of a region, heaviest weight */
    unsigned char *cub;
    size_t cub_bytes;
};

/* ---- kernels ---- */

static __device__ __forceinline__ uint32_t scatter(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* One thread per vertex. */
static __global__ void seed_regions(uint32_t n, region_scratch s) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid()) {
        const bool is = scatter((uint32_t)v) % MEAN == 0;
        const uint32_t label = is ? atomicAdd(s.tail, 1u) : GPUGRAPH_NONE;
        s.label[v] = label;
        if (is)
            s.found[label] = (uint32_t)v;
    }
}

/* One thread. */
static __global__ void open_step(region_scratch s, uint32_t step) {
    s.tail[step + 1] = s.tail[step];
}

/* One thread per vertex found by the step before. */
static __global__ void grow_regions(const __grid_constant__ device_csr g,
                                    region_scratch s, uint32_t step) {
    const uint32_t first = step > 0 ? s.tail[step - 1] : 0, last = s.tail[step];
    for (uint64_t i = first + gg_thread(); i < last; i += gg_threads_of_grid()) {
        const uint32_t u = s.found[i], label = s.label[u];
        for (uint64_t arc = g.begin[u]; arc < g.end[u]; arc++) {
            const uint32_t v = g.target[arc];
            if (gg_peek(&s.label[v]) == GPUGRAPH_NONE &&
                atomicCAS(&s.label[v], GPUGRAPH_NONE, label) == GPUGRAPH_NONE)
                s.found[atomicAdd(&s.tail[step + 1], 1u)] = v;
        }
    }
}

/* One thread per vertex. */
static __global__ void gather_rest(uint32_t n, region_scratch s, uint32_t step,
                                   uint32_t seeds) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        if (s.label[v] == GPUGRAPH_NONE) {
            s.label[v] = seeds + ((uint32_t)v >> LEFT_SHIFT);
            s.found[atomicAdd(&s.tail[step], 1u)] = (uint32_t)v;
        }
}

/* One thread per vertex, in the order of the search. */
static __global__ void label_found(uint32_t n, region_scratch s) {
    for (uint64_t i = gg_thread(); i < n; i += gg_threads_of_grid()) {
        const uint32_t label = s.label[s.found[i]];
        s.key[i] = label;
        atomicAdd(&s.size[label], 1u);
    }
}

static __device__ __forceinline__ uint32_t pieces_of(uint32_t size) {
    return (size + MOST - 1) / MOST;
}

/* One thread per label, and one for the end. */
static __global__ void count_pieces(uint32_t labels, region_scratch s) {
    for (uint64_t i = gg_thread(); i <= labels; i += gg_threads_of_grid())
        s.pieces[i] = i < labels ? pieces_of(s.size[i]) : 0;
}

/* One thread per label, and one for the end. */
static __global__ void cut_labels(uint32_t labels, uint32_t n, region_scratch s,
                                  uint32_t *first) {
    for (uint64_t i = gg_thread(); i <= labels; i += gg_threads_of_grid()) {
        const uint32_t size = i < labels ? s.size[i] : 0, pieces = pieces_of(size);
        for (uint32_t k = 0; k < pieces; k++)
            first[s.piece[i] + k] = s.start[i] + (uint32_t)((uint64_t)size * k / pieces);
        if (i == labels)
            first[s.piece[i]] = n;
    }
}

/* One block per region. */
static __global__ void number_vertices(uint32_t regions, const uint32_t *first,
                                       region_scratch s, uint32_t *rank) {
    for (uint32_t r = blockIdx.x; r < regions; r += gridDim.x)
        for (uint32_t i = first[r] + threadIdx.x; i < first[r + 1]; i += blockDim.x) {
            s.region_of[i] = r;
            rank[s.order[i]] = i;
        }
}

static __device__ __forceinline__ uint32_t weight_of(const device_csr &g, uint64_t arc) {
    return static_cast<const uint32_t *>(g.weight)[arc];
}

/* One thread per rank, and one for the end. */
static __global__ void count_arcs(const __grid_constant__ device_csr g, region_scratch s,
                                  const uint32_t *rank, bool by_weight) {
    uint32_t heaviest = 0;
    for (uint64_t i = gg_thread(); i <= g.n; i += gg_threads_of_grid()) {
        uint32_t inner = 0, outer = 0;
        if (i < g.n) {
            const uint32_t u = s.order[i], region = s.region_of[i];
            for (uint64_t arc = g.begin[u]; arc < g.end[u]; arc++) {
                if (g.target[arc] == u)
                    continue; /* a loop, or slack */
                const uint32_t weight = by_weight ? weight_of(g, arc) : 0;
                const bool within = s.region_of[rank[g.target[arc]]] == region;
                inner += within;
                outer += !within;
                heaviest = weight > heaviest ? weight : heaviest;
            }
        }
        s.inner[i] = inner;
        s.outer[i] = outer;
    }
    if (heaviest > gg_peek(&s.most[2]))
        atomicMax(&s.most[2], heaviest);
}

/* One thread per region. */
static __global__ void describe(uint32_t regions, const uint32_t *first,
                                const uint32_t *inner, region_scratch s,
                                struct region_place *place) {
    for (uint64_t r = gg_thread(); r < regions; r += gg_threads_of_grid()) {
        const uint32_t begin = first[r], end = first[r + 1];
        const region_place p = {begin,      end - begin,           inner[begin],
                                inner[end], s.outer_before[begin], s.outer_before[end],
                                {0, 0}};
        place[r] = p;
        atomicMax(&s.most[0], p.vertices);
        atomicMax(&s.most[1], p.inner_end - p.inner);
    }
}

/* One thread per rank. */
static __global__ void fill_regions(const __grid_constant__ device_csr g,
                                    region_scratch s, device_regions out) {
    for (uint64_t i = gg_thread(); i < g.n; i += gg_threads_of_grid()) {
        const uint32_t u = s.order[i], region = s.region_of[i], begin = s.first[region];
        uint32_t in = out.inner[i], away = s.outer_before[i];
        for (uint64_t arc = g.begin[u]; arc < g.end[u]; arc++) {
            if (g.target[arc] == u)
                continue;
            const uint32_t v = out.rank[g.target[arc]];
            const uint32_t weight = out.arc ? weight_of(g, arc) : 1;
            if (s.region_of[v] == region) {
                if (out.arc)
                    out.arc[in] = weight << REGION_PLACE_BITS | (v - begin);
                out.target[in++] = (uint16_t)(v - begin);
                continue;
            }
            if (out.arc)
                out.length[away] = weight;
            out.from[away] = (uint16_t)(i - begin);
            out.to[away] = v;
            out.to_region[away] = s.region_of[v];
            away++;
        }
    }
}

#endif
