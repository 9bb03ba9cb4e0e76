/* Functions of this folder for the folders above it: edges, rows, searches in progress. The struct of
** a graph: graph_data.h. Its copy on a device: copy.h, graph.cuh. */
#ifndef GPUGRAPH_GRAPH_H
#define GPUGRAPH_GRAPH_H

#include "graph_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of one stored weight, of one distance: 4 or 8. */
size_t gg_distance_size(gpugraph_distance_type type);

/* ---- several threads ---- */

/* Around every public call that searches: gg_begin, and one more that searches. The
** rows that it sees stay until gg_leave_graph, which returns run->status.
** (graph/gate.c) */
void gg_enter_graph(gpugraph_graph *graph, gpugraph_run *run);
gpugraph_status gg_leave_graph(gpugraph_graph *graph, const gpugraph_run *run);
/* Waits until this thread is the one that makes rows. *nested: it is already, and the
** host's interrupt handler searches; nothing has begun. False: the run must end. */
bool gg_begin_making(gpugraph_graph *graph, gpugraph_run *run, bool *nested);
void gg_end_making(gpugraph_graph *graph);

/* ---- edges that are on a device alone (graph/away.c) ---- */

static inline bool gg_is_away(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->away, __ATOMIC_ACQUIRE);
}
/* Brings them: before anything here looks at source, target or weight. Takes the
** devices' mutex. Returns run->status. */
gpugraph_status gg_bring_edges(gpugraph_graph *graph, gpugraph_run *run);
/* Makes these arrays the graph's, in one step for other searches; frees them if another thread was
** first. weight NULL: there are none, or the graph has them. */
void gg_edges_are_here(gpugraph_graph *graph, uint32_t *source, uint32_t *target,
                       void *weight);
/* gg_bring_edges for device-resident edges; gaps stay. */
gpugraph_status gg_bring_away(gpugraph_graph *graph, gpugraph_run *run);

/* ---- edges with gaps between them (graph/gaps.c) ---- */

static inline bool gg_has_gaps(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->gaps.made, __ATOMIC_ACQUIRE);
}
/* By that many threads at most; no pointer to an edge is out while there are gaps. */
void gg_close_gaps(gpugraph_graph *graph, int threads);
void gg_free_gaps(gpugraph_graph *graph);

/* For a caller that is alone with the graph, or reads edges without gaps: */
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
/* Around a look at a graph that may be searched, and has gaps: none is closed
** meanwhile. (graph/edge.c) */
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
** view.weight is set too (not for SIMPLE). sorted: rows ascending by target. A row is read
** from its begin to its end: after a change rows lie in any order, with slack between. */
gpugraph_status gg_rows(gpugraph_graph *graph, enum csr_kind kind, bool weighted,
                        bool sorted, gpugraph_run *run, csr *view);
bool gg_csr_made(const gpugraph_graph *graph, enum csr_kind kind);
/* Made, and with weights. */
bool gg_csr_weighted(const gpugraph_graph *graph, enum csr_kind kind);
/* Is every row ascending by target? */
bool gg_rows_sorted(gpugraph_run *run, const struct csr_slot *slot, uint32_t n);
/* Makes graph->derived.edge_rows (phase "csr") where they are not made: the rows of
** OUT in order of (target, edge number). */
gpugraph_status gg_edge_rows(gpugraph_graph *graph, gpugraph_run *run);
static inline bool gg_edge_rows_made(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->derived.edge_rows.made, __ATOMIC_ACQUIRE);
}
/* The numbers of the edges from v to `to`, ascending, by edge_rows that are made.
** (graph/edge_index.c) */
const void *gg_edges_between(const gpugraph_graph *graph, uint32_t v, uint32_t to,
                             uint64_t *count);
/* OUT or IN of all edges, sorted, into an empty slot; weights are column[e], of `size`
** bytes. After a failure the slot is empty. (graph/csr.c) */
gpugraph_status gg_edges_to_rows(gpugraph_graph *graph, gpugraph_direction side,
                                 const void *column, size_t size, gpugraph_run *run,
                                 struct csr_slot *slot);
void gg_release_slot(struct csr_slot *slot);
uint64_t gg_slot_bytes(const struct csr_slot *slot, uint32_t n, size_t weight_size);
/* Puts rows into place that others look at without a lock. */
void gg_publish_rows(struct csr_slot *rows, const struct csr_slot *made);
/* Gives the rows back that gg_edge_rows has made. */
void gg_free_edge_rows(gpugraph_graph *graph);

/* ---- graph/roomy.c ---- */

static inline uint64_t gg_row_end(const struct csr_slot *slot, uint64_t v) {
    return slot->end ? slot->end[v] : slot->offset[v + 1];
}
/* The first arc of begin .. end - 1, ascending by target, that is not below `target`. */
static inline uint64_t gg_first_arc(const uint32_t *targets, uint64_t begin, uint64_t end,
                                    uint64_t target) {
    while (begin < end) {
        const uint64_t middle = begin + (end - begin) / 2;
        if (targets[middle] < target)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}
/* Room for a row of so many arcs, and for some to come. */
static inline uint64_t gg_row_room(uint64_t arcs) {
    const uint64_t room = arcs + arcs / 2 + 2;
    return room < UINT32_MAX ? room : arcs;
}
/* Gives the rows room, and `more` places behind them all, in the slot's own arrays or
** new ones; those of weights are of weight_size. After a failure they are what they
** were, or packed. */
gpugraph_status gg_give_room(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                             size_t weight_size, uint64_t more);
/* Takes the room from between them. */
gpugraph_status gg_pack_rows(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                             size_t weight_size);

/* ---- graph/adjacency.c ---- */

/* Makes graph->derived.adjacency[side] (phase "csr") where it is not made, of a graph
** that keeps arcs. */
gpugraph_status gg_adjacency(gpugraph_graph *graph, gpugraph_direction side,
                             gpugraph_run *run);
static inline bool gg_adjacency_made(const gpugraph_graph *graph,
                                     gpugraph_direction side) {
    return __atomic_load_n(&graph->derived.adjacency[side].rows.made, __ATOMIC_ACQUIRE);
}
/* An id as arcs hold it. False: it is too far from the others. */
static inline bool gg_arc_id(const struct adjacency *a, int64_t id, uint64_t *offset) {
    *offset = (uint64_t)id - (uint64_t)a->first_id;
    return id >= a->first_id && *offset <= UINT32_MAX;
}
void gg_free_adjacency(gpugraph_graph *graph, gpugraph_direction side);

/* Gives OUT targets of its own, which may be changed, where they were the edges'. */
gpugraph_status gg_own_rows(gpugraph_graph *graph, gpugraph_run *run);
/* Before rows change, move or go: a device that reads them where they are (SIMPLE out of
** core) does so no longer. (copy.c) */
void gg_rows_back(gpugraph_graph *graph);
/* Parts of gpugraph_list_derived: rows; arcs by the ids of edges. */
void gg_list_rows(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                  void *listener);
void gg_list_arcs(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                  void *listener);
/* Gives back all rows made so far. */
void gg_free_csr(gpugraph_graph *graph);
/* Of one kind, by a caller that is alone with the graph. */
void gg_drop_rows(gpugraph_graph *graph, enum csr_kind kind);

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
/* degree[v], a loop counting twice in BOTH. (count_degrees.c) */
gpugraph_status gg_count_degrees(const gpugraph_graph *graph,
                                 gpugraph_direction direction, gpugraph_run *run,
                                 uint32_t *degree);
/* Sets degree_high, to the largest degree where as many edges more leave that in
** doubt; GPUGRAPH_TOO_LARGE where a vertex has more than gg_limits.most_degree
** already. (count_degrees.c) */
gpugraph_status gg_bound_degrees(gpugraph_graph *graph, uint64_t more, gpugraph_run *run);
/* Is the sum of m weights, none above the largest, below 2^64? */
static inline bool gg_sum_holds(uint64_t m, uint64_t largest) {
    return m == 0 || largest <= UINT64_MAX / m;
}
/* Edge `id` has a weight that is not allowed: GPUGRAPH_INVALID and a sentence. */
void gg_report_integer(gpugraph_run *run, int64_t id, int64_t weight);
void gg_report_real(gpugraph_run *run, int64_t id, double weight);
/* INTEGER weight i of edges that are given, of either width. */
static inline int64_t gg_integer_weight(const gpugraph_edges *edges, uint64_t i) {
    return edges->weight32 ? edges->weight32[i] : ((const int64_t *)edges->weight)[i];
}

/* ---- graph/search.c: what gpugraph_bfs and gpugraph_sssp share ---- */

/* GPUGRAPH_INVALID and a sentence for columns that cannot be read. (graph/graph.c) */
gpugraph_status gg_check_edges(const gpugraph_edges *edges, gpugraph_run *run);
/* gg_needs of `count` arrays of n entries. (graph/search.c) */
bool gg_needs_rows(gpugraph_run *run, const void *const *row, uint32_t count, uint32_t n,
                   const char *name);
/* Are vertices and direction of a search in range? GPUGRAPH_INVALID and a sentence if
** not. */
gpugraph_status gg_check_search(const gpugraph_graph *graph,
                                const gpugraph_search *search, gpugraph_run *run);
/* The CSR that a search walks, and the one that holds its transpose. */
enum csr_kind gg_forward_kind(gpugraph_direction direction);
enum csr_kind gg_reverse_kind(gpugraph_direction direction);
static inline gpugraph_direction gg_opposite(gpugraph_direction direction) {
    return direction == GPUGRAPH_BOTH  ? GPUGRAPH_BOTH
           : direction == GPUGRAPH_OUT ? GPUGRAPH_IN
                                       : GPUGRAPH_OUT;
}

#ifdef __cplusplus
}
#endif
#endif
