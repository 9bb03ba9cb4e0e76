/* Shortest paths by weight from one or several sources, on the CPU or a device. */
#ifndef GPUGRAPH_SSSP_H
#define GPUGRAPH_SSSP_H

#include "algorithm.h"
#include "base/words.h"

/* Constants of the CPU search, shared with the search over partitions
** (distributed/sssp): */
enum {
    GG_SSSP_SAMPLE = 256, /* weights sampled for the typical weight */
    GG_SSSP_OFFERS =
        64, /* improving arcs that a thread collects before it lowers their targets */
    /* Distance, in vertices of a chunk, at which arcs are prefetched. Offsets and
    ** distances are prefetched from twice as far. */
    GG_SSSP_AHEAD = 4
};
/* Bucket width in typical weights, to be divided by the mean degree at the end of an
** arc. */
#define GG_SSSP_DELTA 8.0

#ifdef __cplusplus
extern "C" {
#endif

typedef gpugraph_status sssp_entry(gpugraph_graph *, const gpugraph_search *,
                                   gpugraph_run *, void *distance, void *tree_edge);

extern const gg_algorithm gg_sssp;
extern const algorithm_side gg_sssp_cuda;
/* The side for several devices (distributed/sssp). */
extern const algorithm_side gg_sssp_distributed;

/* The CPU backend of gpugraph_sssp. */
gpugraph_status gg_cpu_sssp(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                            void *distance, void *tree_edge);

/* Device bytes of a search from the source; the estimate also serves for a path and for
** the shortest paths. (sssp.cu) */
int64_t gg_sssp_bytes(const gpugraph_graph *graph, bool frugal);
/* The predicted number of rounds of a search on a device. */
double gg_sssp_rounds(const gpugraph_graph *);

/* The vertices that a search reaches within its bound, in arrays of the caller. */
struct reached_list {
    uint32_t room;
    uint32_t *vertex; /* ascending */
    void *value;      /* depths (uint32_t), or distances of the graph's type */
    void *tree_edge;  /* as wide as gpugraph_edge_size says; NULL: not wanted */
    uint32_t count;   /* GPUGRAPH_NONE: the list is too long, or there is no list form */
};
/* gpugraph_sssp_list, and gpugraph_bfs_list if by_depth is true, by algorithm `a` on a
** device. (list.c) */
gpugraph_status gg_list_reached(gpugraph_graph *, const gpugraph_search *, bool by_depth,
                                gpugraph_run *, const gg_algorithm *a,
                                struct reached_list to, uint32_t *count);

/* True if the targets alone end the search, so that the caller asks for nothing else. */
static inline bool gg_is_for_targets(const gpugraph_search *search, bool bounded) {
    return !bounded && search->limit == 0 && search->target_count > 0;
}

/* The bound of a search by weight. */
struct sssp_bound {
    uint64_t most; /* largest distance, as a word of base/words.h */
    bool tight;    /* `most` is the caller's bound, not the range of distances */
    bool none;     /* the bound is negative: not even a source is within it */
};
static inline struct sssp_bound gg_sssp_bound(const gpugraph_search *search,
                                              gpugraph_distance_type type) {
    const bool is_real = type == GPUGRAPH_REAL;
    const bool none = is_real && search->bounded && search->max_real_distance < 0;
    const uint64_t range = type == GPUGRAPH_UINT32 ? UINT32_MAX - 1
                           : is_real               ? gg_real_word(DBL_MAX)
                                                   : INT64_MAX;
    const uint64_t wanted = none      ? 0
                            : is_real ? gg_real_word(search->max_real_distance + 0.0)
                                      : search->max_distance;
    const bool tight = search->bounded && wanted <= range;
    return (struct sssp_bound){tight ? wanted : range, tight, none};
}

/* Fails if the graph has no weights, or sources, targets or the bound are not valid.
** (sssp.c) */
gpugraph_status gg_check_sssp(const gpugraph_graph *, const gpugraph_search *,
                              gpugraph_run *);

#ifdef __cplusplus
}
#endif
#endif
