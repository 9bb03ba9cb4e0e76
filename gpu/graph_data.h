/* The structs of a graph: its contents, and known facts about it. The public functions:
** gpugraph.h. Descriptors of algorithms: algorithm.h.
**
**     struct gpugraph_graph
**       edges      by edge number: source[m], target[m], weight[m]; the graph itself
**       id, ids    by vertex number: the arrays of ids, and a view of them
**       csr[4]     OUT, IN, BOTH, SIMPLE: made from the edges on first need
**       derived    other derived data on the host, made on first need
**       known      statistics, and facts that searches have found
**       gate       the running searches, and the thread that makes rows (graph/gate.c)
**       device     the graph's parts on devices, a list (device/parts.cuh)
**
** The rows in csr[] hold no edge numbers, since most queries never use them. If a query
** wants the edges of a tree, one pass over the edge list finds them: of several tight
** edges to a vertex, the first by number. */
#ifndef GPUGRAPH_GRAPH_DATA_H
#define GPUGRAPH_GRAPH_DATA_H

#include "gpugraph.h"
#include "brief_lock.h"
#include "base/limits.h"
#include "base/run.h"

GG_BEGIN_C

/* Compressed sparse rows; a view that owns nothing. The arcs of v are target[begin[v]] ..
** target[end[v] - 1], in unspecified order unless sorted. Packed rows follow one another:
** begin is offset, and end is offset + 1. */
typedef struct csr {
    uint32_t n;
    uint64_t m;
    const uint64_t *begin, *end; /* of each row */
    const uint32_t *target;      /* m entries; more in rows with slack */
    const void *weight; /* one per target, in the graph's weight layout; or NULL */
    bool sorted;        /* every row is ascending by target */
} csr;

/* True if each row ends where the next one begins. */
static inline bool gg_rows_packed(const csr *rows) {
    return rows->end == rows->begin + 1;
}

/* Entries begin .. end - 1 ascend. Returns the first position among them with an entry of
** at least `least`; if there is none, end. */
static inline uint64_t gg_first_arc(const uint32_t *entry, uint64_t begin, uint64_t end,
                                    uint64_t least) {
    while (begin < end) {
        const uint64_t middle = begin + (end - begin) / 2;
        if (entry[middle] < least)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

enum csr_kind {
    CSR_OUT = 0, /* the first three are equal to gpugraph_direction */
    CSR_IN,
    CSR_BOTH,   /* every edge in both directions; a loop once */
    CSR_SIMPLE, /* undirected, no loops, no parallel arcs, sorted; never weighted */
    CSR_KINDS
};

/* Weights have the width of distances: uint32_t if every distance fits 32 bits, otherwise
** int64_t or double. Edge lists and CSRs use the same layout. */

struct csr_slot { /* owns the arrays of one kind of rows */
    /* The begin of each row: n entries, and one more in packed rows. */
    uint64_t *offset;
    /* If edges are sorted by source, OUT may share the graph's own array. */
    uint32_t *target;
    void *weight; /* made when a search first needs weights */
    uint64_t m;
    bool made, sorted;
    bool lent; /* a device reads target in host memory: see gg_rows_back */
    /* Rows with slack (drawing: `graph/slack.c`). NULL and 0 for packed rows. */
    uint64_t *end;
    uint32_t *spare; /* unused entries behind each row */
    /* Entries of target up to the last row's end; entries among them that no row uses. */
    uint64_t used, dead;
};

/* The arcs of each vertex with the ids of their edges (drawing: graph/adjacency.c). */
struct adjacency {
    struct csr_slot rows; /* sorted; weight: uint32_t, edge id - first_id */
    int64_t first_id;
};

/* Edges with gaps between them (drawing: graph/gaps.c). */
struct edge_gaps {
    uint64_t *start; /* number of the first edge of each block; then m */
    /* True if edge_id has the block's ids; otherwise the id is the position + 1. */
    uint8_t *listed;
    uint64_t blocks, block_room;
    uint64_t places; /* entries of each array */
    unsigned shift;  /* a block has 1 << shift entries */
    uint32_t *source, *target;
    void *weight;
    int64_t *edge_id;
    bool made, closing;
};

/* Searches of several threads on one graph: see graph/gate.c. */
struct graph_gate {
    gg_brief_lock lock; /* protects this struct and csr[] */
    uint32_t process;   /* gg_this_process() of the latest caller; 0: no caller yet */
    uint32_t searching; /* running calls */
    uint32_t making;    /* nested calls of the thread that makes rows */
    uintptr_t maker;    /* the thread that makes rows */
    /* The run to which this thread's memory is charged again after the making. */
    gpugraph_run *counted;
    struct retired_rows *retired; /* replaced rows that searches may still read */
};

/* The vertex numbers of deleted vertices. */
struct tombstones {
    uint32_t *vertex; /* ascending */
    uint64_t count;
};

/* Ids of inserted vertices, numbered behind the others (drawing: ids/later.c). */
struct later_ids {
    gpugraph_id *id; /* in order of arrival; each text is a block of its own */
    uint32_t *order; /* positions in `id`, in the order of ids */
    uint32_t count;
};

/* The arrays of the vertices' ids. */
struct graph_ids {
    int64_t *integer;
    uint64_t *text_offset;
    char *text_bytes;
    uint64_t *present; /* bit i: the INTEGER first_integer + i is an id; or NULL */
    uint32_t *rank;    /* set bits before each word of present */
    uint64_t span;     /* bits in present */
    struct tombstones tombstones;
    struct later_ids later;
    struct text_index *text_index; /* NULL before many look-ups (ids/find.c) */
    uint64_t texts_asked;
};

/* Data derived from a graph, and kept on the host. */
struct graph_derived {
    struct csr_slot edge_rows; /* OUT, sorted; weight: the edge number */
    /* [GPUGRAPH_OUT], and [GPUGRAPH_IN] with reversed arcs. */
    struct adjacency adjacency[2];
    /* Edges of each vertex, a loop counting twice. The first deletion counts them, later
    ** changes keep them. */
    uint32_t *degree;
    bool tables_settled; /* made on the device, or known to be impossible */
};

/* Facts about a graph besides its contents. */
struct graph_statistics {
    bool has_equal_edge_ids; /* two edges may have equal ids */
    /* Bounds on the sum over all vertices of the largest INTEGER weight of their edges;
    ** larger weights count as 2^32 - 1. If path_high is below 2^32 - 1, distances fit 32
    ** bits. */
    uint64_t path_low, path_high;
    uint64_t degree_high; /* no vertex has more edges; a loop counts twice */
    /* Facts that searches have found, by the functions below. */
    uint32_t searches; /* searches begun; preparation pays only after several */
    bool thin;         /* a depth-first search found that the graph is a few long paths */
    bool ways_tie;     /* a path by weight from both ends was ambiguous because of ties */
    /* Searches left that ask no device for a list: the last list was too long. */
    uint32_t lists_to_skip;
};

struct gpugraph_graph {
    struct graph_gate gate;
    uint32_t n;
    uint64_t m;
    bool wide; /* arrays of edge numbers are uint64_t, otherwise uint32_t */
    gpugraph_distance_type distance_type;
    gpugraph_edge_list edges; /* refers to the arrays below */
    uint32_t *source, *target;
    void *weight;
    /* True if source and target are device-resident, and NULL here (gg_bring_edges).
    ** Then weight may be device-resident, too. */
    bool device_resident;
    int64_t *edge_id;
    struct edge_gaps gaps; /* if made, replaces the four arrays above, which are NULL */
    gpugraph_ids ids;      /* refers to the arrays of id */
    struct graph_ids id;
    struct csr_slot csr[CSR_KINDS];
    struct graph_derived derived;
    struct graph_statistics known;
    int64_t host_bytes;
    struct device_graph *device; /* NULL until a device is used */
};

/* ---- edge numbers ---- Arrays of edge numbers have uint32_t entries if all numbers of
** the graph fit, which halves memory and transfers; otherwise uint64_t (wide). All ones:
** no edge. */

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

/* ---- facts that searches have found ---- */

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

GG_END_C
#endif
