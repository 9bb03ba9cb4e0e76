/* A request for a graph: the function, the texts, and the demands on the graph. */
#ifndef GPUGRAPH_REQUEST_H
#define GPUGRAPH_REQUEST_H

#include "base/connection.h"

enum weight_need {
    WEIGHT_NO,
    WEIGHT_IF_ANY,   /* results show weights if there are some */
    WEIGHT_IF_CLEAR, /* results show weights; an unclear weight column is an error */
    WEIGHT_YES
};

/* The vertex numbers of a followed graph that the caller can handle. */
enum vertex_numbers {
    NUMBERS_COMPACT,  /* the numbers of a new graph */
    NUMBERS_IN_ORDER, /* some numbers may be tombstones */
    NUMBERS_ANY       /* also later vertices, which are not in order of ids */
};

typedef struct graph_request {
    const char *function; /* for sentences, for example "gpu_bfs" */
    const char *edges;    /* UTF-8 text */
    int edges_bytes;
    const char *vertices; /* NULL: none */
    int vertices_bytes;
    const char *params; /* for the query in edges; NULL: none */
    int params_bytes;
    enum weight_need weight;
    bool undirected; /* direction is 'both' */
    /* the caller needs the edges in host memory */
    bool edges_here;
    enum vertex_numbers numbers;
    /* no direction is given, so that of the followed graph applies */
    bool by_graph;
    int backend; /* a gpugraph_backend for mapping ids; -1: as configured */
    const scope
        *scope; /* the scope of the cursor; NULL: this call is a scope of its own */
    struct followed *followed; /* a mirror that is current, or NULL */
} graph_request;

/* query_params.c: binds the values of the JSON array `params` to the parameters of the
** query in `edges`; query NULL: `edges` is no query. If the result is SQLITE_ERROR,
** *fault (sqlite3_free) is a sentence without the function's name. */
int query_params_bind(sqlite3 *db, sqlite3_stmt *query, const graph_request *request,
                      char **fault);

#endif
