/* A list of edges that changes at random, as the model for graphs that are updated.
**
**     ends       numbers below `universe`; the kind decides the id of a number
**     edges      ascending by edge id; columns for gpugraph_create are made from them
**     batch      compares two states of the model: removed edges and added edges
**
** same_graph compares all arrays of two graphs except ids, whose look-ups it compares. */
#ifndef TEST_EDGE_MODEL_H
#define TEST_EDGE_MODEL_H

#include "gpugraph.h"

enum model_ids {
    MODEL_DENSE, /* 1, 2, 3 ... */
    MODEL_GAPS,  /* by bitmap */
    MODEL_WILD,  /* over the whole 64-bit range */
    MODEL_ENDS,  /* both ends of that range */
    MODEL_TEXTS, /* some with NUL, one empty */
    MODEL_MIXED, /* INTEGERs and TEXTs, 7 and '7' */
    MODEL_IDS
};
enum model_weights {
    MODEL_UNWEIGHTED,
    MODEL_SMALL,
    MODEL_TURNING, /* distances sometimes fit 32 bits */
    MODEL_HUGE,
    MODEL_REAL,
    MODEL_WEIGHTS
};

typedef struct model_edge {
    int64_t id;
    uint32_t source, target;
    int64_t weight;
    double real;
} model_edge;

typedef struct edge_model {
    enum model_ids ids;
    enum model_weights weights;
    uint32_t universe;
    uint64_t random;
    int64_t count, room;
    model_edge *edge;
} edge_model;

/* Edge ids 1 .. count. */
edge_model model_make(enum model_ids ids, enum model_weights weights, uint32_t universe,
                      int64_t count, uint64_t seed);
edge_model model_copy(const edge_model *model);
void model_free(edge_model *model);
uint64_t model_below(edge_model *model, uint64_t limit);
/* Inserts a random edge with this id, in order. The id must be new. */
void model_insert(edge_model *model, int64_t id);
void model_remove(edge_model *model, int64_t i);
/* Makes `changes` random changes: weights, ends, removed edges, edges added at the end or
** in a gap. */
void model_change(edge_model *model, int changes);

/* The columns of a list of edges. */
typedef struct model_columns {
    gpugraph_edges edges;
    int64_t *source, *target, *edge_id, *integer;
    int32_t *narrow[3]; /* edges.source, target and weight, if of 4 bytes */
    uint8_t *source_text, *target_text;
    double *real;
    uint64_t *text_offset;
    char *text_bytes;
} model_columns;
model_columns model_columns_of(const edge_model *model, const model_edge *edge,
                               int64_t count);
void model_columns_free(model_columns *columns);
/* gpugraph_create for the model. */
gpugraph_graph *model_graph(const edge_model *model, int threads);

typedef struct model_batch {
    gpugraph_changes changes;
    int64_t *removed;
    model_columns added;
} model_batch;
model_batch model_batch_of(const edge_model *before, const edge_model *after);
void model_batch_free(model_batch *batch);

/* Makes some of the graph's CSRs, chosen by the bits of `which`. */
enum { MODEL_SLOTS = 16 };
void model_make_slots(gpugraph_graph *graph, uint64_t which);

/* NULL, or the first error in the graph's texts: bytes, order, look-ups. */
const char *kept_texts_differ(const gpugraph_graph *graph);
/* True if the graph has tombstones or later vertices. */
bool model_is_loose(const gpugraph_graph *graph);
/* A new graph of the edges of `wanted`, with the vertex numbers of `got`, which are also
** INTEGER ids. NULL: the vertices differ. */
gpugraph_graph *model_in_numbers_of(const gpugraph_graph *got,
                                    const gpugraph_graph *wanted);
/* NULL, or the first difference. `wanted`, a new graph, gets the CSRs that `got` has.
** Vertices may have other numbers if `got` is loose. */
const char *same_graph(gpugraph_graph *got, gpugraph_graph *wanted);
/* Compares answers of breadth-first search, shortest paths and independent set. */
const char *same_answers(gpugraph_graph *got, gpugraph_graph *wanted, uint64_t dice);

#endif
