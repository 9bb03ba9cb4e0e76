/* The shortest paths between two vertices, in order: what the files of this folder share.
**
** paths.c has the public function and the list of deviations, spur.c the search for the
** best path of one deviation, paths.cu the device's side. */
#ifndef GPUGRAPH_PATHS_H
#define GPUGRAPH_PATHS_H

#include "algorithm.h"
#include "base/words.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gg_algorithm gg_paths;
extern const algorithm_side gg_paths_cuda;

typedef struct edge_list {
    uint64_t *item;
    uint64_t count, room;
} edge_list;

typedef struct spur_search {
    gpugraph_graph *graph;
    gpugraph_run *run;
    gpugraph_direction direction;
    gpugraph_distance_type type;
    csr rows;      /* along the search */
    csr transpose; /* IN, sorted, for edges that are travelled backwards */
    bool weighted;
    uint32_t target;
    const void *left;  /* distances to the target, of `type` */
    uint64_t rest;     /* lower bound of distances that `left` does not have; 0 is safe */
    double slack;      /* REAL: factor by which a sum in another order may be smaller */
    uint64_t *blocked; /* bit v: v is on the path before the spur */
    uint64_t *distance;
    uint32_t *parent;
    uint32_t *touched;
    uint64_t touched_count, touched_room;
    gg_heap heap;
    gg_heap out;         /* gg_edges_out: ends of edges, ordered by edge number */
    gg_waiting *certain; /* a known path to the target: vertices and distances */
    uint64_t certain_room;
    uint64_t since, settled; /* since: work since the last poll (gg_worked) */
} spur_search;

bool gg_spur_begin(spur_search *s);
void gg_spur_end(spur_search *s);
/* Counts edges, vertices or comparisons as work. False: the run must end. */
static inline bool gg_spur_goes_on(spur_search *s, uint64_t items) {
    return !gg_worked(s->run, &s->since, items);
}
/* Puts the edges that leave v, except loops, into s->out. */
bool gg_edges_out(spur_search *s, uint32_t v);
/* A lower bound of the length of a path whose distance at v is `distance`. */
uint64_t gg_at_least(const spur_search *s, uint32_t v, uint64_t distance);
/* Finds the best path from v, whose distance is `from`, to the target. The path has no
** blocked vertex except v, and its first edge is not banned. *found is its distance, or
** GG_INFINITE if there is no path; its edges are appended to *path. False: the run must
** end. */
bool gg_spur(spur_search *s, uint32_t v, uint64_t from, const edge_list *banned,
             uint64_t *found, edge_list *path);

/* The distance of a path whose sum leaves the range: larger than all others, but not
** infinite. */
#define GG_BEYOND (GG_INFINITE - 1)
static inline uint64_t gg_path_sum(gpugraph_distance_type type, uint64_t a, uint64_t b) {
    if (a == GG_INFINITE || b == GG_INFINITE)
        return GG_INFINITE;
    if (a == GG_BEYOND || b == GG_BEYOND)
        return GG_BEYOND;
    uint64_t sum = gg_word_sum(type, a, b);
    return sum == GG_INFINITE ? GG_BEYOND : sum;
}

/* The distance at the end of an edge that starts at `distance`. */
static inline uint64_t gg_past_edge(const spur_search *s, uint64_t distance,
                                    uint64_t edge) {
    return gg_path_sum(
        s->type, distance,
        gg_word_weight(s->type, s->weighted ? s->graph->weight : NULL, edge));
}

static inline bool gg_is_blocked(const spur_search *s, uint32_t v) {
    return s->blocked[v >> 6] >> (v & 63) & 1;
}
static inline void gg_block(spur_search *s, uint32_t v) {
    s->blocked[v >> 6] |= (uint64_t)1 << (v & 63);
}
static inline void gg_unblock(spur_search *s, uint32_t v) {
    s->blocked[v >> 6] &= ~((uint64_t)1 << (v & 63));
}
bool gg_add_edge(gpugraph_run *run, edge_list *list, uint64_t edge);
static inline bool gg_has_edge(const edge_list *list, uint64_t edge) {
    for (uint64_t i = 0; i < list->count; i++)
        if (list->item[i] == edge)
            return true;
    return false;
}

#ifdef __cplusplus
}
#endif
#endif
