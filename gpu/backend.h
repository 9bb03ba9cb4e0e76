/* The private map of gpu/: what a graph is inside, and what rooms offer each other. What every
** call needs is in base/run.h, what an algorithm is in algorithm.h. Public meaning and error rules:
** gpugraph.h.
**
**     struct gpugraph_graph
**       edges      by edge number: source[m], target[m], weight[m]     (the truth)
**       ids        by vertex number
**       csr[4]     OUT, IN, BOTH, SIMPLE: made from the edges on first need
**       gate       who searches it, who makes rows for it (graph/gate.c)
**       device     what lies on a device for it: a list of parts (device/parts.cuh)
**
** No CSR holds edge numbers: a tree is turned into edge numbers by one pass over the
** edge list (the first tight edge in order of number wins), so searches move no bytes
** that most queries never use. */
#ifndef GPUGRAPH_BACKEND_H
#define GPUGRAPH_BACKEND_H

#include "gpugraph.h"
#include "brief_lock.h"
#include "base/limits.h"
#include "base/run.h"
#include "tuning.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compressed sparse rows; a view that owns nothing. The arcs of v are
** target[begin[v]] .. target[end[v] - 1], in no promised order unless sorted. Packed rows follow one
** another: begin is offset, and end is offset + 1. */
typedef struct csr {
    uint32_t n;
    uint64_t m;
    const uint64_t *offset; /* n + 1; NULL where rows have room */
    const uint32_t *target; /* m, or, where rows have room, more */
    const void *weight;     /* as many, of the graph's weight layout, or NULL */
    bool sorted;            /* every row ascending by target */
    const uint64_t *begin, *end;
} csr;

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

/* The arcs of each vertex, with room to change: graph/adjacency.c draws it. */
struct adjacency_row {
    uint64_t begin; /* and ADJACENCY_LOOSE, where arcs are not in order yet */
    uint32_t count, room;
};

struct adjacency {
    struct adjacency_row *row;
    uint64_t rows; /* room for so many */
    uint64_t *arc; /* target << 32 | edge id - first_id */
    uint64_t used, room;
    int64_t first_id;
    uint32_t *in; /* with arcs that leave: edges that enter each vertex */
    bool made;
};

/* Edges with gaps between them: graph/gaps.c draws it. */
struct edge_gaps {
    uint64_t *start; /* of each block the number of its first edge; and m */
    uint8_t *
        listed; /* of each block: edge_id has its ids, else they count up by places from 1 */
    uint64_t blocks, block_room;
    uint64_t places; /* in each array */
    unsigned shift;  /* a block has 1 << shift */
    uint32_t age;    /* gaps that were made anew have another one */
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

struct gpugraph_graph {
    struct graph_gate gate;
    uint32_t n;
    uint64_t m;
    bool wide;                /* arrays of its edge numbers are uint64_t, else uint32_t */
    gpugraph_edge_list edges; /* points into the arrays below */
    uint32_t *source, *target;
    void *weight;
    bool
        away; /* source and target are on a device alone, and here NULL: gg_is_away. So may weight be */
    int64_t *edge_id;
    struct edge_gaps gaps; /* made: the four above are NULL, and theirs are here */
    gpugraph_distance_type distance_type;
    gpugraph_ids ids; /* points into id_* */
    int64_t *id_integer;
    uint64_t *id_text_offset;
    char *id_text_bytes;
    uint32_t *id_text_length; /* NULL: texts lie in order; else ... */
    uint64_t id_text_used,
        id_text_live; /* ... bytes that are taken, and of these the texts' (ids/loose_texts.c) */
    uint64_t *id_present; /* bit i: the INTEGER first_integer + i is an id; or NULL */
    uint32_t *id_rank;    /* set bits before each word of id_present */
    uint64_t id_span;     /* bits in id_present */
    struct unused_numbers {
        uint32_t *vertex; /* ascending */
        uint64_t count;
    } unused; /* of vertices that have gone (update/unused.c) */
    uint64_t
        spread; /* and such as were laid out for ids to come between others (update/between.c) */
    int between; /* changes in which such ids moved all numbers, less those to be waited for */
    struct text_index
        *text_index; /* NULL until texts were looked for often. (ids/find_text.c) */
    uint64_t texts_asked;
    struct csr_slot csr[CSR_KINDS];
    struct csr_slot edge_rows; /* OUT, sorted, and for weight the edge number */
    struct adjacency
        adjacency[2]; /* GPUGRAPH_OUT; GPUGRAPH_IN, where each edge is an arc back */
    bool has_equal_edge_ids; /* may have */
    uint64_t integer_ends;   /* entries of source, target and vertex that were INTEGERs */
    /* INTEGER weights, those above 2^32 - 1 taken as that: bounds on the sum of each
    ** vertex's largest one. What is below 2^32 - 1 shows that distances are, too. */
    uint64_t path_low, path_high;
    uint64_t degree_high; /* no vertex has more edges, a loop counting twice */
    /* What searches have found out, by gg_know and gg_knows, gg_count_searches and
    ** gg_searches. */
    uint32_t searches; /* begun so far: later ones may afford more preparation */
    bool thin;      /* a depth-first search on a device has found it so: `auto` knows */
    bool ways_tie;  /* a path by weight from both ends was left open for that */
    bool long_ways; /* a depth has been met for which a byte is too little */
    int64_t
        regret_us; /* gg_regret_ms: that searches on the CPU have taken beyond a device's
                       ** on which the graph would have been (device/weigh.h) */
    uint32_t
        lists_to_skip; /* a device's list was too long: so many more are not asked for */
    int64_t missed_us; /* gg_missed_ms: and on one device beyond several's */
    int64_t host_bytes;
    bool tables_kept;            /* gpugraph_make_tables has been called */
    bool tables_settled;         /* made on the device, or not to be had there */
    struct device_graph *device; /* NULL until a device was used */
};

/* Bytes of one stored weight, of one distance: 4 or 8. */
size_t gg_distance_size(gpugraph_distance_type type);

/* ---- edge numbers ----
** An array of them is of uint32_t as long as all of a graph's numbers fit, which half of the
** memory and of the bus is worth, else of uint64_t (wide). All ones is no edge in both. */

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

/* ---- several threads ---- */

/* Around every public call that searches: gg_begin, and one more that searches. The rows that it
** sees stay until gg_leave_graph, which returns run->status. (graph/gate.c) */
void gg_enter_graph(gpugraph_graph *graph, gpugraph_run *run);
gpugraph_status gg_leave_graph(gpugraph_graph *graph, const gpugraph_run *run);
/* Waits until this thread is the one that makes rows. *nested: it is already, and the host's
** interrupt handler searches; nothing has begun. False: the run must end. */
bool gg_begin_making(gpugraph_graph *graph, gpugraph_run *run, bool *nested);
void gg_end_making(gpugraph_graph *graph);

static inline void gg_know(bool *fact, bool found) {
    if (found)
        __atomic_store_n(fact, true, __ATOMIC_RELAXED);
}
static inline bool gg_knows(const bool *fact) {
    return __atomic_load_n(fact, __ATOMIC_RELAXED);
}
static inline void gg_count_searches(gpugraph_graph *graph, uint32_t more) {
    __atomic_fetch_add(&graph->searches, more, __ATOMIC_RELAXED);
}
static inline double gg_regret_ms(const gpugraph_graph *graph) {
    return (double)__atomic_load_n(&graph->regret_us, __ATOMIC_RELAXED) * 1e-3;
}
static inline double gg_missed_ms(const gpugraph_graph *graph) {
    return (double)__atomic_load_n(&graph->missed_us, __ATOMIC_RELAXED) * 1e-3;
}
static inline void gg_set_missed(gpugraph_graph *graph, double ms) {
    __atomic_store_n(&graph->missed_us, (int64_t)((ms < 1e12 ? ms : 1e12) * 1e3),
                     __ATOMIC_RELAXED);
}
static inline void gg_set_regret(gpugraph_graph *graph, double ms) {
    __atomic_store_n(&graph->regret_us, (int64_t)((ms < 1e12 ? ms : 1e12) * 1e3),
                     __ATOMIC_RELAXED);
}
static inline uint32_t gg_searches(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->searches, __ATOMIC_RELAXED);
}

/* ---- edges that are on a device alone (graph/away.c) ---- */

static inline bool gg_is_away(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->away, __ATOMIC_ACQUIRE);
}
/* Brings them: before anything here looks at source, target or weight. Takes the devices' mutex.
** Returns run->status. */
gpugraph_status gg_bring_edges(gpugraph_graph *graph, gpugraph_run *run);
/* Makes these arrays the graph's, in one step for whoever else searches it; frees them where another
** thread was first. weight NULL: there are none, or they were here. */
void gg_edges_are_here(gpugraph_graph *graph, uint32_t *source, uint32_t *target,
                       void *weight);
/* The same where they are on a device alone; gaps stay. */
gpugraph_status gg_bring_away(gpugraph_graph *graph, gpugraph_run *run);

/* ---- edges with gaps between them (graph/gaps.c) ---- */

static inline bool gg_has_gaps(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->gaps.made, __ATOMIC_ACQUIRE);
}
/* By that many threads at most; no pointer to an edge is out while there are gaps. */
void gg_close_gaps(gpugraph_graph *graph, int threads);
void gg_free_gaps(gpugraph_graph *graph);

/* For whoever is alone with the graph, or looks at edges that have no gaps: */
static inline uint64_t gg_gap_block(const struct edge_gaps *g, uint64_t e) {
    uint64_t low = e >> g->shift, step = 1,
             high = low; /* blocks hold at most their places */
    while (high + 1 < g->blocks && g->start[high + 1] <= e) {
        low = high + 1;
        high = g->blocks - 1 - low > step ? low + step : g->blocks - 1;
        step *= 2;
        if (g->start[high] > e)
            break;
    }
    while (low < high) { /* the last one that starts at e or before */
        const uint64_t middle = high - (high - low) / 2;
        if (g->start[middle] <= e)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
static inline uint64_t gg_edge_place(const gpugraph_graph *graph, uint64_t e) {
    const struct edge_gaps *g = &graph->gaps;
    if (!g->made)
        return e;
    const uint64_t block = gg_gap_block(g, e);
    return (block << g->shift) + (e - g->start[block]);
}
static inline const uint32_t *gg_sources_of(const gpugraph_graph *graph) {
    return graph->gaps.made ? graph->gaps.source : graph->source;
}
static inline const uint32_t *gg_targets_of(const gpugraph_graph *graph) {
    return graph->gaps.made ? graph->gaps.target : graph->target;
}
static inline const void *gg_weights_of(const gpugraph_graph *graph) {
    return graph->gaps.made ? graph->gaps.weight : graph->weight;
}
static inline int64_t gg_edge_id(const gpugraph_graph *graph, uint64_t e) {
    const struct edge_gaps *g = &graph->gaps;
    if (!g->made)
        return graph->edge_id ? graph->edge_id[e] : (int64_t)e + 1;
    const uint64_t block = gg_gap_block(g, e);
    const uint64_t at = (block << g->shift) + (e - g->start[block]);
    return g->listed[block] ? g->edge_id[at] : (int64_t)at + 1;
}
/* May ids be anything but 1 .. m? */
static inline bool gg_lists_ids(const gpugraph_graph *graph) {
    return graph->gaps.made || graph->edge_id;
}
/* Around a look at a graph that may be searched, and has gaps: none is closed meanwhile. (graph/edge.c) */
void gg_begin_look(const gpugraph_graph *graph);
void gg_end_look(const gpugraph_graph *graph);
/* Ids are 1 .. m. */
bool gg_plain_ids(const gpugraph_graph *graph);
/* The first edge from `from` on whose id is not below `id`. */
uint64_t gg_first_with_id(const gpugraph_graph *graph, uint64_t from, int64_t id);
/* Items of a batch whose memory is asked for before the first of them is looked at: a
** core has about that many lines under way. */
enum { GG_FETCH_AHEAD = 16 };
/* Brings what gg_first_with_id will most likely look at into the caches. */
void gg_fetch_id(const gpugraph_graph *graph, int64_t id);
bool gg_has_id(const gpugraph_graph *graph, uint64_t e, int64_t id);

static inline bool gg_has_weights(const gpugraph_graph *graph) {
    return graph->edges.weight_type != GPUGRAPH_UNWEIGHTED;
}

/* ---- rows ---- */

/* Gets the view of one kind, made on first need on the CPU (phase "csr"). weighted:
** view.weight is set too (not for SIMPLE). sorted: rows ascending by target. Rows are packed. */
gpugraph_status gg_csr(gpugraph_graph *graph, enum csr_kind kind, bool weighted,
                       bool sorted, gpugraph_run *run, csr *view);
/* As gg_csr, for a caller that reads rows by begin and end: rows that have room keep it. */
gpugraph_status gg_rows(gpugraph_graph *graph, enum csr_kind kind, bool weighted,
                        bool sorted, gpugraph_run *run, csr *view);
bool gg_csr_made(const gpugraph_graph *graph, enum csr_kind kind);
/* Made, and with weights. */
bool gg_csr_weighted(const gpugraph_graph *graph, enum csr_kind kind);
/* Is every row ascending by target? */
bool gg_rows_sorted(gpugraph_run *run, const struct csr_slot *slot, uint32_t n);
/* Makes graph->edge_rows (phase "csr") where they are not made: the rows of OUT in order of
** (target, edge number). */
gpugraph_status gg_edge_rows(gpugraph_graph *graph, gpugraph_run *run);
static inline bool gg_edge_rows_made(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->edge_rows.made, __ATOMIC_ACQUIRE);
}
/* The smallest number of an edge from v to `to`, or NO_EDGE, by edge_rows that are made.
** (graph/edge_index.c) */
uint64_t gg_first_edge(const gpugraph_graph *graph, uint32_t v, uint32_t to);
/* All of them, ascending. */
const void *gg_edges_between(const gpugraph_graph *graph, uint32_t v, uint32_t to,
                             uint64_t *count);
/* Gives the rows back that gg_edge_rows has made. */
void gg_free_edge_rows(gpugraph_graph *graph);
/* ---- graph/roomy.c ---- */

static inline uint64_t gg_row_end(const struct csr_slot *slot, uint64_t v) {
    return slot->end ? slot->end[v] : slot->offset[v + 1];
}
/* Room for a row of so many arcs, and for some to come. */
static inline uint64_t gg_row_room(uint64_t arcs) {
    const uint64_t room = arcs + arcs / 2 + 2;
    return room < UINT32_MAX ? room : arcs;
}
/* Gives the rows room, and `more` places behind them all, in the slot's own arrays or new ones;
** those of weights are of weight_size. After a failure they are what they were, or packed. */
gpugraph_status gg_give_room(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                             size_t weight_size, uint64_t more);
/* Takes the room from between them. */
gpugraph_status gg_pack_rows(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                             size_t weight_size);

/* ---- graph/adjacency.c ---- */

#define ADJACENCY_LOOSE ((uint64_t)1 << 63)
/* Slack behind all rows: one arc in 4, and at least 65,536 arcs. A row of four that moves
** there takes nine, so a sixtieth of all edges may come before the array grows. Pages
** that are not written to take no memory. */
enum { GG_ADJACENCY_SPARE = 4, GG_ADJACENCY_LEAST = 65536 };
enum { ADJACENCY_SHORT = 32 }; /* a row of so many arcs is in order from the beginning */
/* Makes graph->adjacency[side] (phase "csr") where it is not made, of a graph that keeps arcs. */
gpugraph_status gg_adjacency(gpugraph_graph *graph, gpugraph_direction side,
                             gpugraph_run *run);
static inline bool gg_adjacency_made(const gpugraph_graph *graph,
                                     gpugraph_direction side) {
    return __atomic_load_n(&graph->adjacency[side].made, __ATOMIC_ACQUIRE);
}
/* An id as arcs hold it. False: it is too far from the others. */
static inline bool gg_arc_id(const struct adjacency *a, int64_t id, uint64_t *offset) {
    *offset = (uint64_t)id - (uint64_t)a->first_id;
    return id >= a->first_id && *offset <= UINT32_MAX;
}
/* The first of count ascending arcs that is not below `arc`. */
uint64_t gg_first_arc(const uint64_t *arcs, uint64_t count, uint64_t arc);
int64_t gg_adjacency_bytes(const gpugraph_graph *graph);
void gg_free_adjacency(gpugraph_graph *graph);

/* Gives OUT targets of its own, which may be changed, where they were the edges'. */
gpugraph_status gg_own_rows(gpugraph_graph *graph, gpugraph_run *run);
/* Before rows change, move or go: a device that reads them where they are (SIMPLE out of
** core) does so no longer. (copy.c) */
void gg_rows_back(gpugraph_graph *graph);
/* Host bytes of all kinds made so far; gives them back. */
int64_t gg_csr_bytes(const gpugraph_graph *graph);
void gg_free_csr(gpugraph_graph *graph);

/* Rows that better ones have taken the place of. (graph/csr.c) */
struct retired_rows {
    struct retired_rows *next;
    struct csr_slot slot;
};
void gg_free_retired(gpugraph_graph *graph, struct retired_rows *list);

/* ---- graph/graph.c ---- */

/* Points graph->edges to the arrays that there are. */
void gg_point_edges(gpugraph_graph *graph, gpugraph_weight_type type);
/* Host bytes of edges and ids. */
int64_t gg_graph_bytes(const gpugraph_graph *graph);
/* The sum of each vertex's largest INTEGER weight, those above 2^32 - 1 taken as that.
** (update/values.c) */
uint64_t gg_longest_path(const gpugraph_graph *graph, gpugraph_run *run);
/* degree[v], a loop counting twice in BOTH. (count_degrees.c) */
gpugraph_status gg_count_degrees(const gpugraph_graph *graph,
                                 gpugraph_direction direction, gpugraph_run *run,
                                 uint32_t *degree);
/* Sets degree_high, to the largest degree where as many edges more leave that in doubt;
** GPUGRAPH_TOO_LARGE where a vertex has more than gg_limits.most_degree already. (count_degrees.c) */
gpugraph_status gg_bound_degrees(gpugraph_graph *graph, uint64_t more, gpugraph_run *run);
/* Is the sum of m weights, none above the largest, below 2^64? */
static inline bool gg_sum_holds(uint64_t m, uint64_t largest) {
    return m == 0 || largest <= UINT64_MAX / m;
}
/* Edge `id` has a weight that is not allowed: GPUGRAPH_INVALID and a sentence. */
void gg_report_integer(gpugraph_run *run, int64_t id, int64_t weight);
void gg_report_real(gpugraph_run *run, int64_t id, double weight);

/* ---- update/rebuild.c ---- */

/* gpugraph_create of the graph's edges after the changes, whose weights are of `type`. */
gpugraph_status gg_rebuild(const gpugraph_graph *graph, const gpugraph_changes *changes,
                           gpugraph_weight_type type, gpugraph_run *run,
                           gpugraph_graph **rebuilt);

/* ---- graph/search.c: what gpugraph_bfs and gpugraph_sssp share ---- */

/* Are vertices and direction of a search in range? GPUGRAPH_INVALID and a sentence if
** not. */
/* GPUGRAPH_INVALID and a sentence for columns that cannot be read. (graph/graph.c) */
gpugraph_status gg_check_edges(const gpugraph_edges *edges, gpugraph_run *run);
/* gg_needs of `count` arrays of n entries. (graph/search.c) */
bool gg_needs_rows(gpugraph_run *run, const void *const *row, uint32_t count, uint32_t n,
                   const char *name);
gpugraph_status gg_check_search(const gpugraph_graph *graph,
                                const gpugraph_search *search, gpugraph_run *run);
/* The CSR that a search walks, and the one that holds its transpose. */
enum csr_kind gg_forward_kind(gpugraph_direction direction);
enum csr_kind gg_reverse_kind(gpugraph_direction direction);

/* ---- tree/tree.c: parents after a search ---- */

/* tree_edge[v] for depths or distances found by `search` (its direction and sources
** count): gpugraph.h states the rule. Phase "parents". */
gpugraph_status gg_depth_tree(gpugraph_graph *graph, const gpugraph_search *search,
                              gpugraph_run *run, const uint32_t *depth, void *tree_edge);
gpugraph_status gg_distance_tree(gpugraph_graph *graph, const gpugraph_search *search,
                                 gpugraph_run *run, const void *distance,
                                 void *tree_edge);
/* tree_edge[v]: the smallest edge number from parent[v] to v; parent[v] NONE: NONE. */
gpugraph_status gg_parent_edges(gpugraph_graph *graph, gpugraph_direction direction,
                                gpugraph_run *run, const uint32_t *parent,
                                void *tree_edge);

/* A path in doubles is compared with another whose weights were added in another order:
** the relative error of a sum of 2^32 doubles is below 2^-20, and at most four sums are
** compared. */
#define GG_PATH_ROUNDING (1 + 4.0 / 1048576)

/* ---- path/path.c ---- */

struct patch; /* update/patch.h */
struct patch_look;

/* The chain of tree edges from v up to its source, reversed into the order of travel.
** NONE is left in *count where the run must end first. */
void gg_walk_path(const gpugraph_graph *graph, const void *tree_edge, uint32_t v,
                  gpugraph_run *run, void *edge, uint32_t *count);
/* Turns an array of edge numbers round. */
void gg_reverse_edges(const gpugraph_graph *graph, void *edge, uint32_t count);
/* The path that gg_cpu_sssp, ended at the target, leads to. */
gpugraph_status gg_path_by_sssp(gpugraph_graph *graph, const gpugraph_search *search,
                                gpugraph_run *run, void *edge, uint32_t *count);

/* path/both_ends.c, path/by_weight.c: a path by depth, by weight, searched for from both ends.
** Would `auto` do so: is what that takes made, or is it time to make it? */
gpugraph_status gg_path_from_both_ends(gpugraph_graph *graph,
                                       const gpugraph_search *search, gpugraph_run *run,
                                       void *edge, uint32_t *count);
gpugraph_status gg_weighted_path_from_both_ends(gpugraph_graph *graph,
                                                const gpugraph_search *search,
                                                gpugraph_run *run, void *edge,
                                                uint32_t *count);
bool gg_path_prepared(const gpugraph_graph *graph, const gpugraph_search *search,
                      bool weighted);

/* ---- ids/ids.c ---- */

struct id_mapper;           /* ids/ids.h */
typedef struct id_mapping { /* how it went */
    bool on_device;         /* given: try there; then: it was done there */
    const char *note;       /* a static phrase for the phase */
    double moved_ms;        /* told already, as phases of their own */
} id_mapping;
/* Fills source, target, n and the ids of a new graph from id columns; gg_free_ids gives
** back what belongs to the ids. With edges->take_over their columns are gone afterwards,
** and NULL. On a device the numbers stay there too: they are the edges' ends, as long as
** nobody changes the order of edges. */
gpugraph_status gg_map_ids(gpugraph_graph *graph, gpugraph_edges *edges,
                           gpugraph_run *run, id_mapping *how);
void gg_free_ids(gpugraph_graph *graph);
/* gpugraph_find_integer and gpugraph_find_text, and of a vertex that has gone the number that it left.
** (ids/find.c, ids/find_text.c) */
uint32_t gg_number_of_integer(const gpugraph_graph *graph, int64_t id);
uint32_t gg_number_of_text(const gpugraph_graph *graph, const char *bytes, size_t length);
/* How many of texts in order come before that one. (ids/find_text.c) */
uint64_t gg_texts_below(const gpugraph_texts *texts, const char *bytes, uint64_t length);
/* *place: where the number is among the unused ones, if it is there. (ids/find.c) */
bool gg_find_unused(const gpugraph_graph *graph, uint32_t v, uint64_t *place);
/* The bitmap of to->id_integer (ids.integer_count of them), where gpugraph_create would
** make one for that many INTEGER ends; first_integer and id_span, too. (ids/find.c) */
void gg_index_integers(gpugraph_run *run, gpugraph_graph *to, uint64_t ends);
/* A bitmap numbers INTEGER ids where it has at most 8 bits for each id that occurs, and
** in any case up to 1,024 bits; hashing numbers the others. */
enum { GG_DIRECT_SPREAD = 8, GG_DIRECT_FREE = 1024 };
/* Are that many ends between INTEGERs first and last numbered by a bitmap? */
static inline bool gg_close_together(uint64_t ends, int64_t first, int64_t last) {
    uint64_t distance = (uint64_t)last - (uint64_t)first;
    return distance / GG_DIRECT_SPREAD < ends || distance < GG_DIRECT_FREE;
}
/* Set bits of x, without asking for a newer processor. */
static inline int gg_count_bits(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)(x * 0x0101010101010101u >> 56);
}
/* The vertex number of the INTEGER first_integer + place, which is in the bitmap. */
static inline uint32_t gg_id_rank(const gpugraph_graph *graph, uint64_t place) {
    uint64_t below = ((uint64_t)1 << (place % 64)) - 1;
    return graph->id_rank[place / 64] +
           (uint32_t)gg_count_bits(graph->id_present[place / 64] & below);
}
/* Entry i of a column, of either width: an INTEGER, or the number of a text. */
static inline int64_t gg_id_at(const gpugraph_id_column *ids, uint64_t i) {
    return ids->value32 ? ids->value32[i] : ids->value[i];
}
/* INTEGER weight i of edges that are given, of either width. */
static inline int64_t gg_integer_weight(const gpugraph_edges *edges, uint64_t i) {
    return edges->weight32 ? edges->weight32[i] : ((const int64_t *)edges->weight)[i];
}
/* Sorts `count` numbers of texts by the bytes of the texts, a prefix first. (ids/texts.c) */
gpugraph_status gg_sort_texts(gpugraph_run *run, const gpugraph_texts *texts,
                              uint32_t *number, uint64_t count);
/* As memcmp, a prefix first. */
int gg_compare_texts(const char *a, uint64_t a_length, const char *b, uint64_t b_length);

/* Of the TEXTs as they are: before they change it goes, or is told which numbers change, one at a
** time, and no two texts have one number in between. (ids/find_text.c) */
void gg_drop_text_index(gpugraph_graph *graph);
uint64_t gg_text_index_bytes(const gpugraph_graph *graph);
void gg_text_index_move(gpugraph_graph *graph, uint32_t from, uint32_t to);
void gg_text_index_remove(gpugraph_graph *graph, uint32_t t);
void gg_text_index_add(gpugraph_graph *graph, uint32_t t); /* after the text is there */

/* Bytes of all texts. */
uint64_t gg_text_bytes(const gpugraph_texts *texts);
/* Bytes of the graph's block of texts that are taken. (ids/loose_texts.c) */
uint64_t gg_text_bytes_used(const gpugraph_graph *graph);
/* Room behind the graph's texts for `length` bytes more, which are taken from then on; *at: where they begin. Texts
** keep their numbers, and need not lie in order any more. False, without a failure in run->status, also where one is
** longer than a text of SQLite may be. */
bool gg_take_text_room(gpugraph_graph *graph, uint64_t length, gpugraph_run *run,
                       uint64_t *at);
/* Text number `from` goes, those between move up or down by one, and number `to` is bytes at .. at +
** length - 1 of the block. For texts that need not lie in order. */
void gg_replace_text(gpugraph_graph *graph, uint32_t from, uint32_t to, uint64_t at,
                     uint32_t length);
/* They lie in order again, without bytes that are no text's. */
gpugraph_status gg_pack_texts(gpugraph_graph *graph, gpugraph_run *run);

/* Of a text's bytes, 64 bits. (ids/hash.c) */
uint64_t gg_fixed_hash_text(const char *bytes, uint64_t length, uint64_t seed);
/* hash[v] of id and seed for every vertex: of the id's value, not of its number, so
** that a vertex keeps its hash whatever else is in the graph. */
gpugraph_status gg_hash_ids(const gpugraph_graph *graph, int64_t seed, gpugraph_run *run,
                            uint32_t *hash);

/* ---- ids/where.c ---- */

/* Should the device number the ids of these edges? It is, where run->backend says so, or auto predicts
** that it is faster, and its context is open, or soon will be. Opens the context. */
bool gg_map_on_device(gpugraph_graph *graph, const gpugraph_edges *edges,
                      gpugraph_run *run);

/* The plan of a DFS tree: preorder and postorder numbers from parents, on the CPU
** (dfs/dfs.c). */
gpugraph_status gg_number_tree(const gpugraph_graph *graph, gpugraph_run *run,
                               const uint32_t *parent, const uint32_t *depth,
                               uint32_t *preorder, uint32_t *postorder);

#ifdef __cplusplus
}
#endif
#endif
