/* A batch of changes on its way into a graph: what gpugraph_update finds out before it
** changes anything.
**
**     update.c            the order of things: check, plan, commit
**     edges.c      which edges go, where new ones come to lie, are weights all that changes
**     gone.c       what those are that go
**     vertices.c   ends of added edges: known or new; vertices that vanish; tombstones
**     new_ids.c    ids of new vertices
**     retype.c     weights of another type
**     weights.c    weights, and how wide they have to be
**     rows.c       CSRs: which arcs go, where new ones come to lie
**     roomy.c      rows with room, whose arcs go and come where they are
**     gaps.c       a list of edges with gaps between them
**     simple.c     arcs of CSR_SIMPLE: an edge may hide behind another
**     patch*       the copy on a device: order of things, edges, tables
**     rewrite.cu   its rows that change (row_pool.h)
**     store_batch.c  the same for a store of its edges
**     tables.c     what callers ask of that store
**
** A new vertex gets the next number. A vertex that loses its last edge, and is not kept,
** vanishes: its number becomes a tombstone. Lone vertices need no edge. No vertex gets another
** number; compact.c, which does that, is no part of a batch. */
#ifndef GPUGRAPH_UPDATE_H
#define GPUGRAPH_UPDATE_H

#include "patch.h"
#include "store_batch.h"
#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /* Items of GG_THREAD_GRAIN in the time of one item whose memory was asked for
    ** ahead. */
    GG_FETCH_ITEMS = 8
};

/* One end of an added edge. */
typedef struct added_end {
    uint32_t now;   /* its number; that of a new vertex is the graph's n or more */
    uint32_t fresh; /* which of the new ones it is */
    bool is_new;
} added_end;

/* An edge of the batch, by one of its ends: 2 * i for the source of edge i, 2 * i + 1 for
** its target. Also the arc that leaves that end. */
typedef uint32_t end_ref;

/* An array's way from before to after. */
typedef struct array_move {
    void **array;    /* the graph's */
    void *to;        /* a new block; NULL: in place */
    size_t size;     /* of an element afterwards */
    const splice *s; /* where what stays goes */
    uint64_t count;  /* what is put in: put[i] at place[i] */
    const uint64_t *place;
    const void *put;
    enum { MOVE, WIDEN, NARROW, COUNT_UP } how; /* COUNT_UP: from edge numbers to ids */
} array_move;

/* What becomes of one CSR on the host. */
typedef struct row_plan {
    struct csr_slot *slot;
    enum {
        WEIGHTS,
        NUMBERS,
        IDS
    } column;           /* what weights are: edge numbers; ids less ... */
    int64_t first_id;   /* ... this */
    size_t weight_size; /* of an arc; 0: none */
    uint64_t removed, inserted;
    uint64_t *removed_at, *removed_row; /* of each removed arc: its place, its old row */
    uint64_t *inserted_at;              /* of each inserted arc: its new row */
    uint32_t *target;                   /* of inserted arcs: new numbers */
    void *weight;                       /* of inserted arcs: in the layout afterwards */
    /* New blocks; NULL: in place. */
    uint64_t *offset, *end;
    uint32_t *spare;
} row_plan;

enum { ROW_PLANS = CSR_KINDS + 3, ARRAY_MOVES = 5 };

/* Ids of the vertices that a batch brings: appended to the ids in order, or later ones. */
struct new_ids {
    enum { NO_IDS, IDS_IN_ORDER, TEXTS_IN_ORDER, LATER_IDS } how;
    /* Longer arrays, where those of the graph have no slack. */
    int64_t *integer;
    uint64_t *present;
    uint32_t *rank;
    uint64_t *text_offset;
    char *text_bytes;
    gpugraph_id *later;
    uint32_t *order;
    gpugraph_id *id; /* LATER_IDS: of each new vertex, in order of ids */
    uint32_t texts;  /* of them so many last ones have texts of their own here */
};

typedef struct update {
    gpugraph_graph *graph;
    const gpugraph_edges *added; /* never NULL */
    gpugraph_run *run;
    const gpugraph_changes *changes;
    const int64_t *removed_id;
    uint64_t removed_count, added_count;
    uint64_t lone_count; /* vertices of the batch that need no edge */
    bool reweights;      /* edges change their weights, and nothing else */
    /* edges */
    uint64_t *removed;  /* old edge numbers */
    uint32_t *gone_end; /* of these the old ends, by end_ref ... */
    uint64_t
        *gone_weight; /* ... and weights, as the graph has them; unset without weights */
    uint64_t *added_at;   /* old numbers of the edges that added ones come before */
    uint64_t *added_edge; /* new edge numbers of added ones */
    splice edges;
    bool plain; /* edge ids are 1 .. m afterwards */
    uint64_t degree_high;
    /* weights */
    uint64_t path_low, path_high;
    gpugraph_distance_type distance_type;
    void *weight; /* of added edges, in the layout afterwards */
    /* vertices */
    added_end *end; /* by end_ref; then the lone vertices */
    uint32_t *new_source, *new_target;
    uint32_t n; /* afterwards */
    uint32_t fresh, fresh_integers;
    int64_t *fresh_id; /* ascending: INTEGERs, then numbers of texts */
    uint64_t *vanished_at, vanished;
    struct tombstones tombstones; /* afterwards, if they change */
    bool tombstones_change;
    struct new_ids new_ids;
    /* arrays */
    row_plan rows[ROW_PLANS];
    int row_plans;
    bool drops[CSR_KINDS], drops_numbered,
        drops_arcs[2];   /* rows that are made anew on need */
    bool counts_in;      /* adjacency[OUT].in follows */
    uint32_t *longer_in; /* a longer array for it; NULL: it has slack */
    array_move moves[ARRAY_MOVES];
    int move_count;
    /* The edges' gaps, where they take the batch: not made, start as it is before. */
    struct edge_gaps gaps;
    bool gapped;
    double patch_ms; /* told as a phase of its own */
    /* room for 2 * the larger count, to sort in; and for the arcs that go, and come */
    uint64_t *key, *key_scratch;
    uint32_t *value_scratch;
    end_ref *going, *coming;
} update;

static inline bool gg_text_at(const gpugraph_id_column *column, uint64_t i) {
    return column->is_text && (column->is_text[i / 8] >> (i % 8) & 1);
}
/* The old number of an end of a removed edge. */
static inline uint32_t gg_removed_end(const update *u, end_ref ref) {
    return u->gone_end[ref];
}
static inline uint64_t gg_weight_at(const void *weight, uint64_t i, size_t size) {
    return size == sizeof(uint32_t) ? ((const uint32_t *)weight)[i]
                                    : ((const uint64_t *)weight)[i];
}
/* A line of memory that will be asked for a moment later. */
static inline void gg_fetch(const void *at) {
    __builtin_prefetch(at);
}

/* Where row v of the slot begins and ends; then its first arcs. */
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

/* Nothing but weights changes. */
static inline bool gg_same_ends(const update *u) {
    return u->reweights && u->fresh == 0 && u->vanished == 0;
}

/* Each finds out one part, in this order; a failure is in the run's status. */
void gg_update_edges(update *u);
/* Part of gg_update_edges: the ends and weights of u->removed. */
void gg_look_at_gone(update *u);
void gg_update_vertices(update *u);
/* Part of gg_update_vertices: the tombstones afterwards. */
void gg_update_tombstones(update *u);
/* Blocks for the ids of new vertices; and their commit. (new_ids.c) */
void gg_update_ids(update *u);
void gg_commit_ids(update *u);
void gg_free_new_ids(struct new_ids *ids);
/* gg_longer: a block for `after` entries with the `count` of this one; NULL where this one has
** slack for them, or there is no memory. gg_take_longer: puts it in the place of the array's,
** unless it is NULL. */
void *gg_longer(const update *u, void *block, uint64_t count, uint64_t after,
                size_t size);
void gg_take_longer(void **array, void **longer);
void gg_update_weights(update *u); /* needs the vertices, too */
void gg_update_rows(update *u);
/* The numbers of the vertices whose rows of that kind change, ascending, none twice; room
** for two of each edge that goes or comes. Returns how many. */
uint64_t gg_touched_rows(update *u, enum csr_kind kind, uint32_t *vertex);
void gg_free_row_plan(row_plan *p);

/* Do rows change in place when so many arcs go and come? */
bool gg_takes_room(const struct csr_slot *slot, uint64_t arcs);
/* Places at the end of the array that the coming arcs, sorted by rows, may take. */
uint64_t gg_room_of_coming(const update *u, const struct csr_slot *slot,
                           const end_ref *coming, uint64_t comings);
/* Blocks for the rows of new vertices. */
void gg_plan_room(update *u, row_plan *p);
void gg_commit_room(update *u, row_plan *p);

/* Do edges go and come in gaps between them? False: gaps have been closed, and arrays move. A failure is
** in the run's status. */
bool gg_plan_gaps(update *u);
void gg_commit_gaps(update *u);
void gg_free_gap_plan(update *u);

/* False if the graph has too many tombstones and later vertices. (vertices.c) */
bool gg_may_stay_loose(const gpugraph_graph *graph);
/* gpugraph_compact within another call. (compact.c) */
void gg_compact(gpugraph_graph *graph, gpugraph_run *run);

/* Everything that comes after gg_update_edges and before the commit, of a batch whose
** weights have the type of the graph's. */
void gg_update_prepare(update *u);
void gg_update_free(update *u);

/* Do the host's SIMPLE rows follow a batch? Where it is known which vertices edges join
** without a look at all of them. */
bool gg_patches_simple(const gpugraph_graph *graph);
/* The edges whose arcs leave CSR_SIMPLE, and those whose arcs enter it: their source ends
** go to u->going and u->coming. */
void gg_update_simple(update *u, uint64_t *going, uint64_t *coming);

/* Sorts `count` refs by the keys in u->key. */
void gg_update_sort(update *u, end_ref *ref, uint64_t count);

/* Plans the way of an array that will hold `after` elements. */
void gg_plan_move(update *u, array_move move);

/* The sum of each vertex's largest INTEGER weight, those above 2^32 - 1 taken as that.
** (update/weights.c) */
uint64_t gg_longest_path(const gpugraph_graph *graph, gpugraph_run *run);

/* Weights that have given way to those of another type, and what was known of them.
** (update/retype.c) */
typedef struct old_weights {
    void *weight;
    gpugraph_weight_type type;
    gpugraph_distance_type distance_type;
    uint64_t path_low, path_high;
} old_weights;
/* Gives the graph weights of that type. False: the run must end. */
bool gg_retype(gpugraph_graph *graph, gpugraph_weight_type type, gpugraph_run *run,
               old_weights *old);
/* Once the batch is done: drops the old weights, or, unless it has changed the graph, puts
** them back. */
void gg_settle_type(gpugraph_graph *graph, old_weights *old, bool changed);

#ifdef __cplusplus
}
#endif
#endif
