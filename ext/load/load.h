/* Reads rows and builds a graph. loader.c reads the rows; row_ids.c keeps edge ids that
** the library cannot store. */
#ifndef GPUGRAPH_LOAD_H
#define GPUGRAPH_LOAD_H

#include "source/source.h"

/* ---- loader.c: rows -> graph ---- */

typedef struct loaded {
    gpugraph_graph *graph;
    bool unnamed; /* edges have no ids */
    /* in a followed graph, the rows with a NULL end or no open direction */
    gpugraph_graph *half_rows;
    /* rowids and ids of edges if the library cannot store the ids (row_ids.h) */
    gpugraph_graph *row_ids;
    bool has_weight;
    bool has_text;   /* an id or a weight may be a TEXT */
    bool from_pages; /* the page reader has read all rows */
    char *weight_error;
} loaded;

void loaded_clear(loaded *l);

enum weight_reading {
    READ_NO_WEIGHTS,
    TRY_WEIGHTS, /* a bad weight does not fail the load; weight_error has the sentence */
    READ_WEIGHTS
};

struct page_identity;
/* Computes a name for the state of a plain table and its weights (pages/identity.c), by
** which connections share a graph. Call it inside the read transaction. Returns false if
** the state has no name, or if the file is so small that reading is faster. */
bool graph_identify(connection *c, const row_source *edges,
                    struct page_identity *identity);

/* Reads the rows and builds the graph, for the function, direction and backend of the
** request.
**
** vertices and other may be NULL. With a reverse weight (two_ways.c) direction 'both' has
** another graph than 'out' and 'in'; *other becomes the one that was not requested.
** Records the timings "read" (its detail gives reader and reason), "free", and those of
** gpugraph_create. Returns an SQLITE_ code; *error: a sentence (sqlite3_free) or NULL. */
int graph_load(connection *c, const graph_request *request, const row_source *edges,
               const row_source *vertices, enum weight_reading weights, loaded *result,
               loaded *other, char **error);
/* Registers the aggregate function gpugraph_collect, which takes rows into the loader of
** the connection. */
int loader_register(connection *c);

/* ---- table_size.c: estimates without reading the table ---- */

/* The largest possible number of rows. 0: unknown, also after an error. */
int64_t table_rows_at_most(connection *c, const row_source *rows);

/* Gets the first and the last rowid; *any: there is a row. Returns an SQLITE_ code. */
int table_span(connection *c, const row_source *rows, sqlite3_int64 span[2], bool *any);

typedef struct table_sample {
    int64_t rows, vertices; /* estimates */
    bool counted;           /* the rowids are probably 1, 2, 3, ... */
} table_sample;
/* Takes a sample of a table with rowids or a primary key. Returns an SQLITE_ code. */
int table_take_sample(connection *c, const row_source *rows, table_sample *sample);

#endif
