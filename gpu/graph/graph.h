/* Functions of this folder for the folders above it: edges, rows, running searches. The
** struct of a graph: graph_data.h. Its copy on a device: copy.h, graph.cuh. */
#ifndef GPUGRAPH_GRAPH_H
#define GPUGRAPH_GRAPH_H

#include "graph_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a stored weight or a distance: 4 or 8. */
size_t gg_distance_size(gpugraph_distance_type type);

/* ---- several threads ---- */

/* Every public call that searches begins with gg_enter_graph, which calls gg_begin and
** counts the search, and ends with gg_leave_graph, which returns run->status. Rows that
** the search gets stay valid until then. (graph/gate.c) */
void gg_enter_graph(gpugraph_graph *graph, gpugraph_run *run);
gpugraph_status gg_leave_graph(gpugraph_graph *graph, const gpugraph_run *run);
/* Waits until no other thread makes rows. Calls may be nested, since the host's interrupt
** handler may start another search. Returns false if the run must end. */
bool gg_begin_making(gpugraph_graph *graph, gpugraph_run *run);
void gg_end_making(gpugraph_graph *graph);

/* ---- device-resident edges (graph/device_resident.c) ---- */

static inline bool gg_is_device_resident(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->device_resident, __ATOMIC_ACQUIRE);
}
/* Downloads device-resident edges and closes gaps. Call it before any host code reads
** source, target or weight. Takes the device's turn. Returns run->status. */
gpugraph_status gg_bring_edges(gpugraph_graph *graph, gpugraph_run *run);
/* Gives these arrays to the graph, atomically for other searches; frees them if another
** thread was first. weight NULL: the graph has no weights, or has them already. */
void gg_publish_edges(gpugraph_graph *graph, uint32_t *source, uint32_t *target,
                      void *weight);
/* Like gg_bring_edges, but keeps gaps. */
gpugraph_status gg_download_edges(gpugraph_graph *graph, gpugraph_run *run);

/* ---- edges with gaps between them (graph/gaps.c) ---- */

static inline bool gg_has_gaps(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->gaps.made, __ATOMIC_ACQUIRE);
}
/* Closes the gaps with at most `threads` threads. While there are gaps, no caller holds a
** pointer to edges. */
void gg_close_gaps(gpugraph_graph *graph, int threads);
void gg_free_gaps(gpugraph_graph *graph);

/* Returns the last block that starts at edge e or before; it is near block e >> shift.
** The caller must be the only user of the graph, or have called gg_begin_look. */
static inline uint64_t gg_gap_block(const struct edge_gaps *g, uint64_t e) {
    uint64_t low = e >> g->shift, step = 1, high = low; /* a block may have slack */
    while (high + 1 < g->blocks && g->start[high + 1] <= e) {
        low = high + 1;
        high = g->blocks - 1 - low > step ? low + step : g->blocks - 1;
        step *= 2;
        if (g->start[high] > e)
            break;
    }
    while (low < high) {
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
/* True if edge ids may differ from 1 .. m. */
static inline bool gg_lists_ids(const gpugraph_graph *graph) {
    return graph->gaps.made || graph->edge_id;
}
/* Both calls surround a read of edges while other threads may search: no thread closes
** gaps meanwhile. gg_begin_look returns `held`: true if there are gaps. (graph/edge.c) */
bool gg_begin_look(const gpugraph_graph *graph);
void gg_end_look(const gpugraph_graph *graph, bool held);
/* True if edge ids are 1 .. m. */
bool gg_plain_ids(const gpugraph_graph *graph);
/* Returns the first edge, not before edge `from`, whose id is at least `id`; or m. */
uint64_t gg_first_with_id(const gpugraph_graph *graph, uint64_t from, int64_t id);
/* The number of items whose memory is prefetched before the first item is read. A core
** can wait for about this number of cache lines at once. */
enum { GG_FETCH_AHEAD = 16 };
/* Prefetches the entry that gg_first_with_id will most likely read. */
void gg_fetch_id(const gpugraph_graph *graph, int64_t id);
bool gg_has_id(const gpugraph_graph *graph, uint64_t e, int64_t id);

static inline bool gg_has_weights(const gpugraph_graph *graph) {
    return graph->edges.weight_type != GPUGRAPH_UNWEIGHTED;
}

/* ---- rows ---- */

/* Sets *view to the rows of one kind, which the CPU makes on first need (phase "csr").
** weighted: also sets view.weight (not for SIMPLE). sorted: rows ascend by target. Read a
** row from its begin to its end: after a change rows have any order and slack. */
gpugraph_status gg_rows(gpugraph_graph *graph, enum csr_kind kind, bool weighted,
                        bool sorted, gpugraph_run *run, csr *view);
/* Sets *view to rows of this kind, without weights, if they exist; otherwise returns
** false. */
bool gg_existing_rows(const gpugraph_graph *graph, enum csr_kind kind, csr *view);
bool gg_csr_made(const gpugraph_graph *graph, enum csr_kind kind);
/* True if rows of this kind with weights exist. */
bool gg_csr_weighted(const gpugraph_graph *graph, enum csr_kind kind);
/* True if every row ascends by target. */
bool gg_rows_sorted(gpugraph_run *run, const struct csr_slot *slot, uint32_t n);
/* Makes graph->derived.edge_rows (phase "csr") if they are not made: the rows of OUT in
** order of (target, edge number). */
gpugraph_status gg_edge_rows(gpugraph_graph *graph, gpugraph_run *run);
static inline bool gg_edge_rows_made(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->derived.edge_rows.made, __ATOMIC_ACQUIRE);
}
/* Returns the numbers of the edges from v to `to`, ascending; edge_rows must exist.
** (graph/edge_index.c) */
const void *gg_edges_between(const gpugraph_graph *graph, uint32_t v, uint32_t to,
                             uint64_t *count);
/* A column with an entry for each edge. */
struct edge_column {
    const gpugraph_graph *graph;
    gpugraph_run *run;
    void (*fill)(void *column, uint64_t low, uint64_t high); /* entries of a slice */
    size_t size;                                             /* bytes of an entry */
    int64_t first_id;
    void *entry;
};
/* Makes OUT or IN of all edges in an empty slot, sorted, with the column as weights. The
** slot may have arrays after a failure. (graph/csr.c) */
gpugraph_status gg_edges_to_rows(gpugraph_graph *graph, gpugraph_direction side,
                                 const struct edge_column *column, gpugraph_run *run,
                                 struct csr_slot *slot);
/* Moves the rows `made` to `rows`, for threads that read `rows` without a lock. The
** caller has called gg_begin_making. */
void gg_publish_rows(struct csr_slot *rows, const struct csr_slot *made);
void gg_release_slot(struct csr_slot *slot);
uint64_t gg_slot_bytes(const struct csr_slot *slot, uint32_t n, size_t weight_size);

/* ---- rows with slack (graph/slack.c) ---- */

static inline uint64_t gg_row_end(const struct csr_slot *slot, uint64_t v) {
    return slot->end ? slot->end[v] : slot->offset[v + 1];
}
/* Gives the rows slack, and `more` entries behind the last row, in the same or in new
** arrays. weight_size: bytes of a weight. After an error rows are unchanged or packed. */
gpugraph_status gg_give_slack(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                              size_t weight_size, uint64_t more);
/* Removes the slack. */
gpugraph_status gg_pack_rows(gpugraph_run *run, struct csr_slot *slot, uint32_t n,
                             size_t weight_size);

/* ---- graph/adjacency.c ---- */

/* Makes graph->derived.adjacency[side] (phase "csr") if it is not made. The graph must
** keep arcs. */
gpugraph_status gg_adjacency(gpugraph_graph *graph, gpugraph_direction side,
                             gpugraph_run *run);
static inline bool gg_adjacency_made(const gpugraph_graph *graph,
                                     gpugraph_direction side) {
    return __atomic_load_n(&graph->derived.adjacency[side].rows.made, __ATOMIC_ACQUIRE);
}
/* Sets *offset to id - first_id. Returns false if this has more than 32 bits. */
static inline bool gg_arc_id(const struct adjacency *a, int64_t id, uint64_t *offset) {
    *offset = (uint64_t)id - (uint64_t)a->first_id;
    return id >= a->first_id && *offset <= UINT32_MAX;
}
void gg_free_adjacency(gpugraph_graph *graph, gpugraph_direction side);

/* Copies an array with slack. NULL if `from` is NULL, or the run must end. */
void *gg_copy_array(gpugraph_run *run, const void *from, uint64_t count, size_t size);
/* Gives OUT a copy of its targets if they are the edges' own array, so that a caller can
** change them. No search may run. */
gpugraph_status gg_own_rows(gpugraph_graph *graph, gpugraph_run *run);
/* Call it before rows change, move or are freed: a device may read SIMPLE rows in host
** memory, and must stop first. (copy.c) */
void gg_rows_back(gpugraph_graph *graph);
/* For gpugraph_list_derived: report rows, and arcs with edge ids. */
void gg_list_rows(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                  void *listener);
void gg_list_arcs(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                  void *listener);
/* Frees all rows. */
void gg_free_csr(gpugraph_graph *graph);
/* Frees one kind, for a caller that is the only user of the graph. */
void gg_drop_rows(gpugraph_graph *graph, enum csr_kind kind);

/* Rows that a search may still read after better rows replaced them. (graph/csr.c) */
struct retired_rows {
    struct retired_rows *next;
    struct csr_slot slot;
};
void gg_free_retired(gpugraph_graph *graph, struct retired_rows *list);

/* ---- graph/graph.c ---- */

/* Points graph->edges to the existing arrays, or only to the weights. */
void gg_point_edges(gpugraph_graph *graph, gpugraph_weight_type type);
void gg_point_weights(gpugraph_graph *graph);
/* Host bytes of edges and ids. */
int64_t gg_graph_bytes(const gpugraph_graph *graph);
/* Computes degree[v], also with gaps; in BOTH a loop counts twice. (count_degrees.c) */
gpugraph_status gg_count_degrees(const gpugraph_graph *graph,
                                 gpugraph_direction direction, gpugraph_run *run,
                                 uint32_t *degree);
/* Frees derived.degree. (count_degrees.c) */
void gg_free_degrees(gpugraph_graph *graph);
/* Sets degree_high to a bound if no degree can exceed gg_limits.most_degree after `more`
** further edges, otherwise to the largest degree. GPUGRAPH_TOO_LARGE if a vertex already
** exceeds the limit. (count_degrees.c) */
gpugraph_status gg_bound_degrees(gpugraph_graph *graph, uint64_t more, gpugraph_run *run);
/* Reports that edge `id` has an invalid weight: GPUGRAPH_INVALID. */
void gg_report_integer(gpugraph_run *run, int64_t id, int64_t weight);
void gg_report_real(gpugraph_run *run, int64_t id, double weight);
/* Returns INTEGER weight i of the given edges, whose column has 4 or 8 bytes an entry. */
static inline int64_t gg_integer_weight(const gpugraph_edges *edges, uint64_t i) {
    return edges->weight32 ? edges->weight32[i] : ((const int64_t *)edges->weight)[i];
}

/* ---- graph/search.c: shared by gpugraph_bfs and gpugraph_sssp ---- */

/* Reports columns that cannot be read as GPUGRAPH_INVALID. (graph/graph.c) */
gpugraph_status gg_check_edges(const gpugraph_edges *edges, gpugraph_run *run);
/* Reports vertices or a direction out of range as GPUGRAPH_INVALID. */
gpugraph_status gg_check_search(const gpugraph_graph *graph,
                                const gpugraph_search *search, gpugraph_run *run);
static inline gpugraph_direction gg_opposite(gpugraph_direction direction) {
    return direction == GPUGRAPH_BOTH  ? GPUGRAPH_BOTH
           : direction == GPUGRAPH_OUT ? GPUGRAPH_IN
                                       : GPUGRAPH_OUT;
}
/* Return the CSR that a search walks, and the CSR of its transpose. */
static inline enum csr_kind gg_forward_kind(gpugraph_direction direction) {
    return (enum csr_kind)direction;
}
static inline enum csr_kind gg_reverse_kind(gpugraph_direction direction) {
    return (enum csr_kind)gg_opposite(direction);
}

#ifdef __cplusplus
}
#endif
#endif
