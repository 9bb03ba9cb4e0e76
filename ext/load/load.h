/* Rows to a graph: loader.c reads them, row_ids.c keeps edge ids that the library does not
** know. */
#ifndef GPUGRAPH_LOAD_H
#define GPUGRAPH_LOAD_H

#include "source/request.h"
#include "source/source.h"

/* ---- loader.c: rows -> graph ---- */

typedef struct loaded {
    gpugraph_graph *graph;
    bool unnamed; /* edges have no ids */
    /* The rows of a followed graph that have a NULL end or are closed both ways. */
    gpugraph_graph *half_rows;
    /* The id and the row of each edge, if the library does not know the ids (row_ids.h). */
    gpugraph_graph *row_ids;
    bool has_weight;
    bool has_text;   /* something that was read may be a TEXT */
    bool from_pages; /* the page reader has read all of it */
    char *weight_error;
} loaded;

void loaded_clear(loaded *l);

enum weight_reading {
    READ_NO_WEIGHTS,
    TRY_WEIGHTS, /* a bad weight does not fail the load: weight_error tells it */
    READ_WEIGHTS
};

struct page_identity;
/* Inside the read transaction: the name of what graph_load would read of a plain table by pages,
** weights included where there are some. false: it has none, or would take longer to find than
** the rows take to read. (pages/identity.h) */
bool graph_identify(connection *c, const row_source *edges,
                    struct page_identity *identity);

/* Reads the rows and builds the graph, for the request's function, direction and backend;
** of two ways (load/two_ways.c) also the other one where that is not NULL. vertices may be NULL.
** Timings: "read" (detail: which reader and why), "map". */
int graph_load(connection *c, const graph_request *request, const row_source *edges,
               const row_source *vertices, enum weight_reading weights, loaded *result,
               loaded *other, char **error);
/* The aggregate function that takes rows in: gpugraph_collect. Registered by
** entry/extension.c. */
int loader_register(connection *c);

#endif
