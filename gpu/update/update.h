/* A batch of changes to a graph: all that gpugraph_update computes before it changes the
** graph.
**
**     update.c     the steps: check, plan, commit
**     edges.c      removed edges, numbers of added edges; detects changes of weights only
**     vertices.c   ends of added edges: known or new; vertices that vanish; tombstones
**     new_ids.c    ids of new vertices
**     weights.c    weights, their type and width
**     rows.c       CSRs: removed arcs, positions of added arcs
**     slack.c      rows with slack, which change in place
**     gaps.c       the list of edges with gaps
**     simple.c     arcs of CSR_SIMPLE, each of which represents all edges of a pair
**     patch*       the copy on a device: steps, edges, tables
**     rewrite.cu   rows that change on a device (row_pool.h)
**     tables.c     the slab tables: public functions, the batch for them
**     compact.c    compaction, outside of a batch
**
** A new vertex gets the next number. A vertex that loses its last edge, and is not kept,
** vanishes: its number becomes a tombstone. Lone vertices need no edge. A batch gives no
** vertex another number. */
#ifndef GPUGRAPH_UPDATE_H
#define GPUGRAPH_UPDATE_H

#include "patch.h"
#include "graph/graph.h"
#include "store/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An end of an edge of the batch, and the arc that leaves this end: 2 * i for the source
** of edge i, 2 * i + 1 for its target. */
typedef uint32_t end_ref;

/* The ends of the removed or the added edges of a batch. */
typedef struct edge_ends {
    uint32_t *source, *target;
} edge_ends;

static inline uint32_t gg_end_at(const edge_ends *ends, end_ref ref) {
    return (ref % 2 ? ends->target : ends->source)[ref / 2];
}

/* One array of edges that changes. */
typedef struct array_move {
    void **array;    /* the graph's array */
    void *to;        /* a new block; NULL: in place */
    size_t size;     /* bytes of an element after the batch */
    const void *put; /* the elements of added edges */
    /* COUNT_UP: the new array lists edge ids, which were 1 .. m. */
    enum { MOVE, CONVERT, CONVERT_TO_REAL, COUNT_UP } how;
} array_move;

/* The change of one CSR on the host. */
typedef struct row_plan {
    struct csr_slot *slot;
    enum { WEIGHTS, NUMBERS, IDS } column; /* the meaning of the slot's weights */
    int64_t first_id;                      /* IDS: a weight is an id minus first_id */
    const splice *renumbers;               /* NUMBERS: NULL if no number changes */
    size_t weight_size;                    /* bytes of an arc's weight; 0: no weights */
    uint64_t removed, inserted;
    uint64_t *removed_at, *removed_row; /* position and row of each removed arc */
    uint64_t *inserted_at;              /* the row of each inserted arc */
    uint32_t *target;                   /* of inserted arcs */
    void *weight;                       /* of inserted arcs, in the new layout */
    /* New blocks; NULL: in place. */
    uint64_t *offset, *end;
    uint32_t *spare;
} row_plan;

enum { ROW_PLANS = CSR_KINDS + 3, ARRAY_MOVES = 5 };

/* Ids of the new vertices: appended to the ids in order, or later ids. */
struct new_ids {
    enum { NO_IDS, IDS_IN_ORDER, TEXTS_IN_ORDER, LATER_IDS } how;
    /* Longer arrays, which replace the graph's arrays without slack. */
    int64_t *integer;
    uint64_t *present;
    uint32_t *rank;
    uint64_t *text_offset;
    char *text_bytes;
    gpugraph_id *later;
    uint32_t *order;
    struct later_ids copies; /* LATER_IDS: of each new vertex, in order of ids */
};

typedef struct update {
    gpugraph_graph *graph;
    const gpugraph_edges *added; /* never NULL */
    gpugraph_run *run;
    const gpugraph_changes *changes;
    const int64_t *removed_id;
    uint64_t removed_count, added_count;
    uint64_t lone_count; /* vertices of the batch that need no edge */
    bool reweights;      /* the batch changes weights only */
    /* Edges. */
    uint64_t *removed; /* edge numbers before the batch */
    edge_ends removed_ends, added_ends;
    uint64_t *removed_weight; /* in the old layout; unset without weights */
    /* Edge numbers before the batch: added edge i precedes added_at[i]. */
    uint64_t *added_at;
    uint64_t *added_edge; /* edge numbers of added edges after the batch */
    splice edges;
    bool plain; /* edge ids are 1 .. m after the batch */
    uint64_t degree_high;
    /* Weights. */
    uint64_t path_low, path_high;
    gpugraph_weight_type weight_type; /* after the batch */
    gpugraph_distance_type distance_type;
    void *weight; /* of added edges, in the new layout */
    /* Vertices. */
    uint32_t *named; /* the vertices that the batch names (vertices.c) */
    uint32_t n;      /* after the batch */
    uint32_t fresh, fresh_integers;
    int64_t *fresh_id; /* ascending: INTEGERs, then numbers of texts */
    uint64_t *vanished_at, vanished;
    struct tombstones tombstones; /* after the batch, if they change */
    bool tombstones_change;
    uint32_t *longer_degree; /* a longer array of degrees; NULL: it has slack */
    struct new_ids new_ids;
    /* Arrays. */
    row_plan rows[ROW_PLANS];
    int row_plans;
    bool drops[CSR_KINDS], drops_numbered, drops_arcs[2]; /* the batch drops these rows */
    array_move moves[ARRAY_MOVES];
    int move_count;
    /* A list with gaps for the commit to install; unset if the present list suffices. */
    struct edge_gaps gaps;
    bool gapped;
    double patch_ms; /* the time of phase "patch" */
    /* Scratch for sorting; refs of removed and of added arcs. */
    uint64_t *key, *key_scratch;
    uint32_t *value_scratch;
    end_ref *removed_arc, *added_arc;
} update;

static inline bool gg_text_at(const gpugraph_id_column *column, uint64_t i) {
    return column->is_text && (column->is_text[i / 8] >> (i % 8) & 1);
}
static inline uint64_t gg_weight_at(const void *weight, uint64_t i, size_t size) {
    return size == sizeof(uint32_t) ? ((const uint32_t *)weight)[i]
                                    : ((const uint64_t *)weight)[i];
}
/* Prefetches a line of memory. */
static inline void gg_fetch(const void *at) {
    __builtin_prefetch(at);
}

/* Prefetch the begin and the end of row v; the first and the last arcs of the row. */
static inline void gg_fetch_row(const struct csr_slot *slot, uint64_t v) {
    gg_fetch(&slot->offset[v]);
    if (slot->end) {
        gg_fetch(&slot->end[v]);
        gg_fetch(&slot->spare[v]);
    }
}
static inline void gg_fetch_arcs(const struct csr_slot *slot, uint64_t v,
                                 size_t weight_size) {
    const uint64_t begin = slot->offset[v], end = gg_row_end(slot, v);
    gg_fetch(&slot->target[begin]);
    gg_fetch(&slot->target[end]);
    if (slot->weight) {
        gg_fetch((const char *)slot->weight + begin * weight_size);
        gg_fetch((const char *)slot->weight + end * weight_size);
    }
}

/* Prefetches rows after row[i]: their begins, then their arcs. */
static inline void gg_fetch_rows_after(const row_plan *p, const uint64_t *row, uint64_t i,
                                       uint64_t count) {
    if (i + GG_FETCH_AHEAD < count)
        gg_fetch_row(p->slot, row[i + GG_FETCH_AHEAD]);
    if (i + GG_FETCH_AHEAD / 2 < count)
        gg_fetch_arcs(p->slot, row[i + GG_FETCH_AHEAD / 2], p->weight_size);
}

/* Returns the first arc behind arc i that is in another row, or the end. */
static inline uint64_t gg_same_row(const uint64_t *row, uint64_t i, uint64_t count) {
    uint64_t end = i + 1;
    while (end < count && row[end] == row[i])
        end++;
    return end;
}

/* True if the batch leaves all ends unchanged. */
static inline bool gg_same_ends(const update *u) {
    return u->reweights && u->fresh == 0 && u->vanished == 0;
}

/* True if the batch keeps the layout of weights. */
static inline bool gg_same_layout(const update *u) {
    return u->weight_type == u->graph->edges.weight_type &&
           u->distance_type == u->graph->distance_type;
}

/* The steps before the commit, in order, and two commits. A failure sets run->status. */
void gg_update_edges(update *u);
void gg_update_vertices(update *u);
void gg_commit_degrees(update *u);
/* Allocates blocks for the ids of new vertices; commits them. (new_ids.c) */
void gg_update_ids(update *u);
void gg_commit_ids(update *u);
void gg_free_new_ids(struct new_ids *ids);
/* gg_longer copies `count` entries into a block for `after` entries. NULL: the block has
** slack for them, or memory is short. gg_take_longer replaces the array by the longer
** block if that is not NULL. */
void *gg_longer(const update *u, void *block, uint64_t count, uint64_t after,
                size_t size);
void gg_take_longer(void **array, void **longer);
void gg_update_weights(update *u); /* needs the vertices */
void gg_update_rows(update *u);
/* Lists the vertices whose rows of that kind change, ascending, each once, and returns
** their number. vertex: two entries for each removed and each added edge. */
uint64_t gg_touched_rows(update *u, enum csr_kind kind, uint32_t *vertex);
void gg_free_row_plan(row_plan *p);

/* True if rows change in place when a batch removes and adds `arcs` arcs. (slack.c) */
bool gg_changes_in_place(const struct csr_slot *slot, uint64_t arcs);
/* Upper bound on the entries at the pool's end that rows need for the added arcs. */
uint64_t gg_slack_needed(const update *u, const row_plan *p);
/* Allocates longer arrays if there are new vertices. */
void gg_plan_row_ends(update *u, row_plan *p);
void gg_commit_rows(update *u, row_plan *p);

/* True if the gaps can take the batch. Otherwise closes the gaps, and arrays move. A
** failure sets the run's status. */
bool gg_plan_gaps(update *u);
void gg_commit_gaps(update *u);
void gg_free_gap_plan(update *u);

/* False if the graph must be compacted, because it has too many tombstones and later
** vertices. (vertices.c) */
bool gg_may_stay_loose(const gpugraph_graph *graph);
/* gpugraph_compact inside another call. (compact.c) */
void gg_compact(gpugraph_graph *graph, gpugraph_run *run);

/* The steps between gg_update_edges and the commit. */
void gg_update_prepare(update *u);
void gg_update_free(update *u);

/* Lists edges whose arcs leave CSR_SIMPLE, and edges whose arcs enter it: refs to their
** sources go to u->removed_arc and u->added_arc. Needs the arcs by ids. (simple.c) */
void gg_update_simple(update *u, uint64_t *removed, uint64_t *added);

/* gg_store_holds: a store (store/store.h) can hold that many vertices and edges.
** gg_store_follows: the store of the graph's edges can take the batch; otherwise rebuild
** the store. (tables.c) */
bool gg_store_holds(uint64_t vertices, uint64_t edges);
bool gg_store_follows(const update *u);
/* The prepared batch as arrays of the update, and come_weight, which the caller frees. */
gpugraph_status gg_store_changes(const update *u, store_changes *c);

/* Sorts `count` refs by the keys in u->key. */
void gg_update_sort(update *u, end_ref *ref, uint64_t count);

/* The sum of each vertex's largest INTEGER weight; larger weights count as 2^32 - 1.
** (weights.c) */
uint64_t gg_longest_path(const gpugraph_graph *graph, gpugraph_run *run);

#ifdef __cplusplus
}
#endif
#endif
