/* The arrays of a run, and the state that the host keeps. lists.cu, rounds.cu and
** spanning_forest.cu share them. spanning_forest.cu has the drawing. */
#ifndef GPUGRAPH_SPANNING_FOREST_CUH
#define GPUGRAPH_SPANNING_FOREST_CUH

#include "spanning_forest.h"
#include "graph/frontier.cuh"

#define NOWHERE (~0ull) /* a word of a place that does not exist */

typedef unsigned long long word; /* the type that atomic operations need */

struct forest_list {
    uint32_t *u, *v;
    word *key, *edge; /* edge: NULL if key is packed */
};

struct forest_state { /* [list], [live]: one is read, the other written */
    word listed[2];
    word sifted; /* edges on list[1] on their way to list[0] */
    uint32_t live[2], unfinished;
    uint32_t large; /* root of a tree with many vertices */
};

enum forest_weights { NO_WEIGHT, NARROW_WEIGHT, WHOLE_WEIGHT, REAL_WEIGHT };

struct forest {
    struct device_edges edges;
    enum forest_weights kind;
    bool packed, wide;
    uint64_t room; /* edges that fit a list */
    struct forest_list list[2];
    struct forest_state *state;
    struct forest_place *sample;
    uint32_t *parent, *next, *live[2], *chosen, *count,
        *large;             /* bit v: v is in the large tree */
    word *best, *best_edge; /* best_edge: NULL if best is packed */
    uint64_t *offset, groups, scan_bytes;
    unsigned char *scan;
    /* the range of edges that are listed */
    bool first; /* there was no list before */
    struct forest_place low, high;
};

/* The state that the host keeps. */
struct forest_course {
    struct cuda_job *job;
    struct forest *f;
    struct forest_state state;
    int list, live; /* the list and the live roots that are read next */
    uint32_t rounds, lists;
};

static inline unsigned grid(const struct forest_course *c, uint64_t items) {
    return gg_grid(c->job, items, 8);
}

static inline bool look_at_state(struct forest_course *c) {
    return gg_fetch(c->job, &c->state, c->f->state, sizeof c->state);
}

/* ---- places ---- */

/* The type of weights in memory. */
template <forest_weights kind> struct weight_type { typedef uint32_t type; };
template <> struct weight_type<WHOLE_WEIGHT> { typedef uint64_t type; };
template <> struct weight_type<REAL_WEIGHT> { typedef double type; };

template <forest_weights kind>
static __device__ __forceinline__ forest_place
place_with(typename weight_type<kind>::type weight, uint64_t e) {
    if (kind == NO_WEIGHT)
        return {0, e};
    if (kind == REAL_WEIGHT) /* -0.0 + 0.0 is 0.0 */
        return {(uint64_t)__double_as_longlong((double)weight + 0.0), e};
    return {(uint64_t)weight, e};
}

static __device__ __forceinline__ forest_place edge_place(const forest &f, uint64_t e) {
    if (f.kind == NARROW_WEIGHT)
        return place_with<NARROW_WEIGHT>(((const uint32_t *)f.edges.weight)[e], e);
    if (f.kind == WHOLE_WEIGHT)
        return place_with<WHOLE_WEIGHT>(((const uint64_t *)f.edges.weight)[e], e);
    if (f.kind == REAL_WEIGHT)
        return place_with<REAL_WEIGHT>(((const double *)f.edges.weight)[e], e);
    return place_with<NO_WEIGHT>(0, e);
}

/* The edge of a packed key. With weights the edge has the low 32 bits. */
static __device__ __forceinline__ word edge_of_key(const forest &f, word key) {
    return f.kind == NO_WEIGHT ? key : key & 0xffffffffu;
}

static __device__ __forceinline__ bool in_range(const forest &f, forest_place place) {
    return (f.first || gg_comes_before(f.low, place)) && !gg_comes_before(f.high, place);
}

/* ---- lists.cu ---- */

/* Puts the edges behind f->low up to f->high whose ends have different roots on list 0,
** as far as they fit. The state has their number. Returns false when the run must end. */
bool gg_list_in_range(struct forest_course *c);
/* Copies the list to the other list with the new roots of its ends. Lowers `best` of live
** roots. */
void gg_rename_list(struct forest_course *c);
/* Fills best_edge from the present list, if best is not packed. */
void gg_break_ties(struct forest_course *c);

/* ---- rounds.cu ---- */

/* Makes each vertex a tree. */
void gg_begin_trees(struct forest_course *c);
/* Between two lists: makes all roots live, and marks the vertices of the large tree. */
void gg_gather_trees(struct forest_course *c);
/* Joins trees by the present list until it is empty. Then each vertex points to its root.
** Returns false when the run must end. */
bool gg_join_trees(struct forest_course *c);

#endif
