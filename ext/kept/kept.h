/* Graphs and searches, kept as long as they surely equal a fresh read.
**
**     connection.graphs -> graph_ref -> graph_ref -> ...      cache.c
**                          searches -> search_ref -> ...      search_cache.c
**/
#ifndef GPUGRAPH_KEPT_H
#define GPUGRAPH_KEPT_H

#include "shared_search.h"
#include "stamp.h"
#include "load/load.h"
#include "load/row_ids.h"

/* A finished search, kept with its graph. */
typedef struct search_ref {
    struct search_ref *next;
    shared_search *found; /* the key, and the result that the descriptor made */
    /* may be set after search_keep: another run may give other rows, so the search stays
    ** while a running statement may ask again */
    bool irreproducible;
    unsigned long long used;
    int references; /* cursors that read the result */
} search_ref;

typedef struct graph_ref {
    struct graph_ref *next;
    gpugraph_graph *graph;
    /* the owner of the graph, which other connections use, too; or NULL */
    struct shared_graph *shared;
    /* the texts that name the graph; vertices and params may be NULL */
    char *edges, *vertices, *params;
    bool unnamed; /* the edges have no ids */
    /* half_rows: the rows of a followed graph that are no edges (follow/halves.c).
    ** row_ids: the row of each edge, if the library does not know the edge ids
    ** (load/row_ids.h). NULL: none. */
    gpugraph_graph *half_rows, *row_ids;
    bool has_weight;     /* weights were read */
    bool has_text;       /* a value that was read may be a TEXT */
    bool weight_column;  /* the source has a weight column */
    bool weight_unclear; /* as in row_source */
    bool two_ways;       /* the source has a reverse weight */
    /* with two_ways: this is the graph for direction 'both', not the one for the
    ** others */
    bool undirected;
    /* the sentence for a bad weight that no search has needed yet, without a function's
    ** name */
    char *weight_error;
    id_columns ids;
    /* no id is a number in one column and a text in another one (mixed_ids.c) */
    bool ids_checked;
    gpugraph_direction direction; /* the direction of searches that are given none */
    /* Whether a vertex, or an edge's own id, is an odd numeral (base/value.h). */
    enum odd_numerals { ODD_UNKNOWN, ODD_NONE, ODD_SOME } odd_vertices, odd_ids;
    bool followed; /* a mirror (follow/follow.c) keeps this graph */
    /* the state of the tables when the graph was read (kept/stamp.c); NULL: only the
    ** statements that are bound to the graph may see it */
    struct stamp *stamp;
    int bindings; /* running statements that have seen the graph */
    search_ref *searches;
    unsigned long long used;
    int references; /* cursors and runs that use the graph */
    bool dropped;   /* hidden from searches of the list; freed at 0 references */
} graph_ref;

void graph_release(connection *c, graph_ref *ref);
/* Finds a kept search of this graph and takes a reference; NULL: none. */
search_ref *search_find(connection *c, graph_ref *graph, const void *key, int key_bytes);
/* Keeps a result under a key and takes a reference. Takes over the result, also on
** failure: then it is freed, and NULL is returned. */
search_ref *search_keep(connection *c, graph_ref *graph, const void *key, int key_bytes,
                        void *result, sqlite3_int64 bytes, void (*free_result)(void *));
/* Replaces the result of a search by one that has found more. Takes over the new result,
** also on failure. The new result must keep the earlier one alive while others read
** it. */
int search_grow(graph_ref *graph, search_ref *search, void *result, sqlite3_int64 bytes);
void search_release(connection *c, search_ref *search);
/* Frees graphs and searches over cache_limit, least recently used first, but none that a
** running statement may need. */
void cache_trim(connection *c);
/* Called by scope_close when the execution has ended: frees the graphs that only this
** execution could see. */
void cache_execution_ended(connection *c, unsigned long long serial);
/* Adds the bytes of the graph and of its searches, or of the searches alone. */
void graph_count_bytes(const graph_ref *graph, bool searches_alone, int64_t *host,
                       int64_t *device);
/* For gpugraph_graphs: "current", "stale" or "this statement". Reads no edges. */
const char *graph_state(connection *c, graph_ref *graph);
/* At the end of the connection: cache_unbind removes all bindings, then cache_free frees
** every graph that no other owner keeps. */
void cache_unbind(connection *c);
void cache_free(connection *c);

#endif
