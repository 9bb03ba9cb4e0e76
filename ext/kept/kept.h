/* Graphs and searches, kept as long as they are surely right.
**
**     connection.graphs -> graph_ref -> graph_ref -> ...      cache.c
**                          searches -> search_ref -> ...      search_cache.c */
#ifndef GPUGRAPH_KEPT_H
#define GPUGRAPH_KEPT_H

#include "shared_search.h"
#include "stamp.h"
#include "load/load.h"
#include "load/row_ids.h"

/* A finished search, kept with its graph. */
typedef struct search_ref {
    struct search_ref *next;
    shared_search *found; /* its key, and what the descriptor made */
    bool irreproducible; /* may be set after search_keep: another run may give other rows,
                         ** so it stays while a running statement may ask again */
    unsigned long long used;
    int references; /* cursors that read it */
} search_ref;

typedef struct graph_ref {
    struct graph_ref *next;
    gpugraph_graph *graph;
    struct shared_graph *shared; /* whose graph it is, other connections' too; or NULL */
    char *edges, *vertices, *params; /* the texts that name it; the others may be NULL */
    bool unnamed;                    /* its edges have no ids */
    /* half_rows: the rows of a followed graph that are no edges (follow/batch.c). row_ids: the row
    ** of each edge, if the library does not know the edge ids (load/row_ids.h). NULL: none. */
    gpugraph_graph *half_rows, *row_ids;
    bool has_weight;     /* weights were read */
    bool has_text;       /* something that was read may be a TEXT */
    bool weight_column;  /* the source has a weight column */
    bool weight_unclear; /* as in row_source */
    bool two_ways;       /* there is a reverse weight, and this is the graph ... */
    bool undirected;     /* ... for direction 'both', or the one for the others */
    char *weight_error; /* a bad weight that nobody needed yet: a sentence, no function */
    id_columns ids;
    bool
        ids_checked; /* no id is a number in one column and a text in another (mixed_ids.c) */
    gpugraph_direction direction; /* of searches that are given none */
    /* Is one of its vertices, or one of its edges' own ids, an odd numeral (base/value.h)? */
    enum odd_numerals { ODD_UNKNOWN, ODD_NONE, ODD_SOME } odd_vertices, odd_ids;
    bool followed; /* the mirror of a followed graph (follow/follow.c), which keeps it */
    struct stamp
        *stamp;   /* what the tables looked like when it was read (kept/stamp.c); NULL:
                         ** the graph belongs to the statements it is bound to */
    int bindings; /* running statements that have seen it */
    search_ref *searches;
    unsigned long long used;
    int references; /* cursors and runs that use it */
    bool dropped;   /* no longer found; freed at 0 references */
} graph_ref;

void graph_release(connection *c, graph_ref *ref);
/* A kept search of this graph, referenced, or NULL. */
search_ref *search_find(connection *c, graph_ref *graph, const void *key, int key_bytes);
/* Keeps a result (takes it over, also on failure: then NULL is returned and it is
** freed). Referenced. */
search_ref *search_keep(connection *c, graph_ref *graph, const void *key, int key_bytes,
                        void *result, sqlite3_int64 bytes, void (*free_result)(void *));
/* The search has found more. result: the one before, added to where it is, if it is private; else
** another one, which is taken over, also on failure, and which keeps the one before from going while
** somebody reads it. */
int search_grow(graph_ref *graph, search_ref *search, void *result, sqlite3_int64 bytes);
void search_release(connection *c, search_ref *search);
/* Frees what is over cache_limit, least recently used first; never what a running
** statement may need. */
void cache_trim(connection *c);
/* Called by scope_close: the execution has ended; what only it could see is freed. */
void cache_execution_ended(connection *c, unsigned long long serial);
/* Adds the bytes of the graph and of its searches, or of these alone. */
void graph_count_bytes(const graph_ref *graph, bool searches_alone, int64_t *host,
                       int64_t *device);
/* For gpugraph_graphs: "current", "stale" or "this statement". Reads no edges. */
const char *graph_state(connection *c, graph_ref *graph);
/* At the end of the connection: no statement runs any more; then, every graph that nobody else
** keeps. */
void cache_unbind(connection *c);
void cache_free(connection *c);

#endif
