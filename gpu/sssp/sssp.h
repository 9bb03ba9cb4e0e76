/* Shortest paths from one source or many, on either side. */
#ifndef GPUGRAPH_SSSP_H
#define GPUGRAPH_SSSP_H

#include "algorithm.h"
#include "base/words.h"

/* On the CPU, of a whole graph and of a part: */
enum {
    GG_SSSP_SAMPLE = 256, /* weights that are looked at for the typical one */
    GG_SSSP_OFFERS = 64,  /* arcs that a thread finds before it lowers their targets */
    /* Vertices ahead at which arcs are asked of memory; twice that for what leads to
    ** them. */
    GG_SSSP_AHEAD = 4
};
/* Typical weights that a bucket is wide, divided by the arcs of the vertex at the end
** of an arc. */
#define GG_SSSP_DELTA 8.0

#ifdef __cplusplus
extern "C" {
#endif

typedef gpugraph_status sssp_entry(gpugraph_graph *, const gpugraph_search *,
                                   gpugraph_run *, void *distance, void *tree_edge);

extern const gg_algorithm gg_sssp;
extern const algorithm_side gg_sssp_cuda;
/* By several devices. (distributed/sssp) */
extern const algorithm_side gg_sssp_distributed;

/* On the CPU. */
gpugraph_status gg_cpu_sssp(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                            void *distance, void *tree_edge);

/* Rounds that are predicted of a search on a device. */
double gg_sssp_rounds(const gpugraph_graph *);

/* The vertices that a search reaches within its bound, in the caller's arrays. */
struct reached_list {
    uint32_t room;
    uint32_t *vertex; /* ascending */
    void *value;      /* depths, or distances of the graph's type */
    void *tree_edge;  /* as wide as gpugraph_edge_size says; NULL: not wanted */
    uint32_t count;   /* GPUGRAPH_NONE: there is no room, or no list can be made */
};
/* A list of what a search by weight or by depth reaches: on the CPU, or by the algorithm on
** a device. to->count: NONE where arrays are to be made. (list.c) */
void gg_list_reached(gpugraph_graph *, const gpugraph_search *, bool by_depth,
                     gpugraph_run *, const gg_algorithm *, struct reached_list *to);

/* Are targets all that ends the search, and so all that is asked for? */
static inline bool gg_is_for_targets(const gpugraph_search *search, bool bounded) {
    return !bounded && search->limit == 0 && search->target_count > 0;
}

/* The bound of a search by weight. */
struct sssp_bound {
    uint64_t most; /* no distance is larger: a word of base/words.h */
    bool tight;    /* it is the caller's bound, not the range of distances */
    bool none;     /* not even a source is near enough */
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

/* Are there weights, sources and a bound that can be? (sssp.c) */
gpugraph_status gg_check_sssp(const gpugraph_graph *, const gpugraph_search *,
                              gpugraph_run *);

#ifdef __cplusplus
}
#endif
#endif
