/* A graph's contents, and what is known about a graph, as structs. Public meaning and
** error rules: gpugraph.h. What an algorithm is: algorithm.h.
**
**     struct gpugraph_graph
**       edges      by edge number: source[m], target[m], weight[m]     (the truth)
**       id, ids    by vertex number: what ids lie in, and a view of them
**       csr[4]     OUT, IN, BOTH, SIMPLE: made from the edges on first need
**       derived    made on need, and kept
**       known      statistics, and what searches have found out
**       gate       who searches it, who makes rows for it (graph/gate.c)
**       device     what lies on a device for it: a list of parts (device/parts.cuh)
**
** No CSR holds edge numbers: one pass over the edge list turns a tree into edge
** numbers (the first tight edge in order of number wins), so searches move no bytes
** that most queries never use. */
#ifndef GPUGRAPH_GRAPH_DATA_H
#define GPUGRAPH_GRAPH_DATA_H

#include "gpugraph.h"
#include "brief_lock.h"
#include "base/limits.h"
#include "base/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compressed sparse rows; a view that owns nothing. The arcs of v are target[begin[v]]
** .. target[end[v] - 1], in no promised order unless sorted. Packed rows follow one
** another: begin is offset, and end is offset + 1. */
typedef struct csr {
    uint32_t n;
    uint64_t m;
    const uint64_t *begin, *end; /* of each row */
    const uint32_t *target;      /* m, or, after a change, more */
    const void *weight;          /* as many, of the graph's weight layout, or NULL */
    bool sorted;                 /* every row ascending by target */
} csr;

/* Does each row end where the next one begins? */
static inline bool gg_rows_packed(const csr *rows) {
    return rows->end == rows->begin + 1;
}

enum csr_kind {
    CSR_OUT = 0, /* numbered as gpugraph_direction */
    CSR_IN,
    CSR_BOTH,   /* every edge twice; a loop once */
    CSR_SIMPLE, /* undirected, no loops, no parallel arcs, sorted; never weighted */
    CSR_KINDS
};

/* Weights are stored as narrow as the distances they make: uint32_t where every
** distance fits 32 bits, int64_t or double otherwise. The layout of edge list and CSR
** is the same. */

struct csr_slot {     /* owns the arrays of one kind */
    uint64_t *offset; /* n + 1; of rows with room n: where each begins */
    uint32_t
        *target;  /* of OUT, maybe the graph's own: edges in the order of their sources */
    void *weight; /* made on first weighted need */
    uint64_t m;
    bool made, sorted;
    bool lent; /* a device reads offset or target where they are: see gg_rows_back */
    /* Rows with room (graph/roomy.c draws them); of packed ones NULL and 0. */
    uint64_t *end;
    uint32_t *spare; /* places for arcs behind each row */
    uint64_t used,
        dead; /* entries of target up to the end of the last row; left behind */
};

/* The arcs of each vertex by the ids of their edges: graph/adjacency.c draws them. */
struct adjacency {
    struct csr_slot rows; /* sorted; weight: uint32_t, edge id - first_id */
    int64_t first_id;
    uint32_t *in; /* with arcs that leave: edges that enter each vertex */
};

/* Edges with gaps between them: graph/gaps.c draws it. */
struct edge_gaps {
    uint64_t *start; /* of each block the number of its first edge; and m */
    uint8_t *
        listed; /* of each block: edge_id has its ids, else they count up by places from 1 */
    uint64_t blocks, block_room;
    uint64_t places; /* in each array */
    unsigned shift;  /* a block has 1 << shift */
    uint32_t *source, *target;
    void *weight;
    int64_t *edge_id;
    bool made, closing;
};

/* Searches of several threads over one graph: see graph/gate.c. */
struct graph_gate {
    gg_brief_lock lock;    /* of this struct, and of csr[] as a whole */
    uint32_t process;      /* gg_this_process() of whoever came last; 0: nobody yet */
    uint32_t searching;    /* calls under way */
    bool making;           /* one of them makes rows, ... */
    uintptr_t maker;       /* ... in this thread, ... */
    gpugraph_run *counted; /* ... which counts for this run otherwise */
    struct retired_rows *retired; /* others may still walk them */
};

/* Numbers of vertices that have gone. */
struct tombstones {
    uint32_t *vertex; /* ascending */
    uint64_t count;
};

/* Ids of vertices behind those that lie in order of ids: ids/later.c draws them. */
struct later_ids {
    gpugraph_id *id; /* as they came; each text is a block of its own */
    uint32_t *order; /* places in id, in order of ids */
    uint32_t count;
};

/* What the vertices' ids lie in. */
struct graph_ids {
    int64_t *integer;
    uint64_t *text_offset;
    char *text_bytes;
    uint64_t *present; /* bit i: the INTEGER first_integer + i is an id; or NULL */
    uint32_t *rank;    /* set bits before each word of present */
    uint64_t span;     /* bits in present */
    struct tombstones tombstones;
    struct later_ids later;
    struct text_index *text_index; /* NULL until often needed (ids/find_text.c) */
    uint64_t texts_asked;
};

/* What is computed from a graph on need, and kept on the host. */
struct graph_derived {
    struct csr_slot edge_rows; /* OUT, sorted, and for weight the edge number */
    /* GPUGRAPH_OUT; GPUGRAPH_IN, where each edge is an arc back. */
    struct adjacency adjacency[2];
    bool tables_kept;    /* gpugraph_make_tables has been called */
    bool tables_settled; /* made on the device, or not to be had there */
};

/* What is known about a graph beside its contents. */
struct graph_statistics {
    bool has_equal_edge_ids; /* may have */
    /* INTEGER weights, those above 2^32 - 1 taken as that: bounds on the sum of each
    ** vertex's largest one. A bound below 2^32 - 1 shows that distances are, too. */
    uint64_t path_low, path_high;
    uint64_t degree_high; /* no vertex has more edges, a loop counting twice */
    /* What searches have found out, by gg_know and gg_knows, gg_count_searches and
    ** gg_searches. */
    uint32_t searches; /* begun so far: later ones may afford more preparation */
    bool thin;         /* a depth-first search on a device has found it so */
    bool ways_tie;     /* ties left a path by weight from both ends open */
    /* Searches for which no list is asked, because a device's list was too long. */
    uint32_t lists_to_skip;
};

struct gpugraph_graph {
    struct graph_gate gate;
    uint32_t n;
    uint64_t m;
    bool wide; /* arrays of its edge numbers are uint64_t, else uint32_t */
    gpugraph_distance_type distance_type;
    gpugraph_edge_list edges; /* points into the arrays below */
    uint32_t *source, *target;
    void *weight;
    /* source and target are on a device alone, and here NULL: gg_is_away. So may
    ** weight be. */
    bool away;
    int64_t *edge_id;
    struct edge_gaps gaps; /* made: the four above are NULL, and theirs are here */
    gpugraph_ids ids;      /* points into id */
    struct graph_ids id;
    struct csr_slot csr[CSR_KINDS];
    struct graph_derived derived;
    struct graph_statistics known;
    int64_t host_bytes;
    struct device_graph *device; /* NULL until a device was used */
};

/* ---- edge numbers ---- An array of them is of uint32_t as long as all of a graph's
** numbers fit, which half of the memory and of the bus is worth, else of uint64_t
** (wide). All ones is no edge in both. */

static inline bool gg_is_wide(uint64_t m) {
    return m > gg_limits.narrow_edges;
}
static inline size_t gg_edge_size(bool wide) {
    return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}
static inline uint64_t gg_edge_at(const void *edge, bool wide, uint64_t i) {
    if (wide)
        return ((const uint64_t *)edge)[i];
    uint32_t narrow = ((const uint32_t *)edge)[i];
    return narrow == UINT32_MAX ? GPUGRAPH_NO_EDGE : narrow;
}
static inline void gg_put_edge(void *edge, bool wide, uint64_t i, uint64_t e) {
    if (wide)
        ((uint64_t *)edge)[i] = e;
    else
        ((uint32_t *)edge)[i] = (uint32_t)e;
}

/* ---- what searches have found out ---- */

static inline void gg_know(bool *fact, bool found) {
    if (found)
        __atomic_store_n(fact, true, __ATOMIC_RELAXED);
}
static inline bool gg_knows(const bool *fact) {
    return __atomic_load_n(fact, __ATOMIC_RELAXED);
}
static inline void gg_count_searches(gpugraph_graph *graph, uint32_t more) {
    __atomic_fetch_add(&graph->known.searches, more, __ATOMIC_RELAXED);
}
static inline uint32_t gg_searches(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->known.searches, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif
#endif
