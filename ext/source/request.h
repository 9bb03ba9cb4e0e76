/* A graph that is asked for: by whom, by which texts, and what must be known of its edges. */
#ifndef GPUGRAPH_REQUEST_H
#define GPUGRAPH_REQUEST_H

#include "base/connection.h"

enum weight_need {
    WEIGHT_NO,
    WEIGHT_IF_ANY,   /* to be shown */
    WEIGHT_IF_CLEAR, /* the same, and an error where it is not clear which is meant */
    WEIGHT_YES
};

/* Which numbers of vertices the caller of a followed graph can handle. */
enum vertex_numbers {
    NUMBERS_COMPACT,  /* those of a new graph */
    NUMBERS_IN_ORDER, /* tombstones, too: numbers that no vertex has */
    NUMBERS_ANY       /* and later vertices, which are not in order of ids */
};

typedef struct graph_request {
    const char *function; /* for sentences: "gpu_bfs" */
    const char *edges;    /* UTF-8 text */
    int edges_bytes;
    const char *vertices; /* or NULL */
    int vertices_bytes;
    const char *params; /* of a query in edges; or NULL */
    int params_bytes;
    enum weight_need weight;
    bool undirected; /* direction is 'both' */
    bool edges_here; /* whoever asks changes, saves or lists the graph's edges */
    enum vertex_numbers numbers;
    bool by_graph; /* no direction is given: as a followed graph's definition has it */
    int backend;   /* gpugraph_backend, or -1: as configured; where ids are mapped */
    const scope *scope;        /* the cursor's; NULL: one for this call alone */
    struct followed *followed; /* a mirror that is known to be current; or NULL */
} graph_request;

#endif
