/* Graphs and searches, kept as long as they surely equal a fresh read.
**
**     connection.graphs -> graph_ref -> graph_ref -> ...      cache.c
**                          searches -> search_ref -> ...      search_cache.c
**                          stamp                              stamp.c
**/
#ifndef GPUGRAPH_KEPT_H
#define GPUGRAPH_KEPT_H

#include "shared.h"
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
    /* the texts that name the graph; NULL: none, except for edges */
    char *edges, *vertices, *params, *filter;
    bool of_table; /* the edges are rows of a table, not of a view or query */
    bool unnamed;  /* the edges have no ids */
    /* half_rows: the rows of a followed graph that are no edges (follow/halves.c).
    ** row_ids: the row of each edge, if the library does not know the edge ids
    ** (load/row_ids.h). NULL: none. */
    gpugraph_graph *half_rows, *row_ids;
    bool has_weight;     /* weights were read */
    bool has_text;       /* a value that was read may be a TEXT */
    bool weight_column;  /* the source has a weight column */
    bool weight_unclear; /* as in row_source */
    bool two_ways;       /* the source has a reverse weight */
    /* with two_ways: this is the graph for direction 'both'; another graph serves 'in'
    ** and 'out' */
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
    /* The place where the mirror refers to the graph, for mirrors with a filter: the
    ** cache may free the graph, if it has been acquired since it was caught up, and sets
    ** the place to NULL. */
    struct graph_ref **place;
    bool acquired;
    /* A number for the state of the graph; a change gives another one. */
    unsigned long long state;
    /* acquire/induced.c: the subgraph that is induced by `members`, a bit for each vertex
    ** of the graph that was in the state `induced_from`. 0: a graph of its own. */
    unsigned long long induced_from;
    uint8_t *members;
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
** also on failure. The new result must keep the earlier one alive while other cursors
** read it. */
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

/* ---- stamp.c: whether a table has changed ---- */

/* The state of schemas, taken inside the read transactions that the stamp holds open. */
typedef struct stamp stamp;

/* Takes a stamp of the plain tables that hold edges and vertices (NULL: none). The read
** transactions stay open until stamp_settle. */
int stamp_take(connection *c, const row_source *edges, const row_source *vertices,
               stamp **made);
/* Takes a stamp of the schemas of an earlier stamp. */
int stamp_retake(connection *c, const stamp *earlier, stamp **made);
void stamp_settle(stamp *s);
void stamp_free(stamp *s); /* NULL is allowed */
/* True if the tables are unchanged since the kept stamp was taken. */
bool stamp_agrees(stamp *kept, const stamp *now);
/* True if a graph that is read under this stamp may outlive the statement. */
bool stamp_keepable(connection *c, const stamp *now);
/* stamp_keepable without its rule that no write transaction is open. */
bool stamp_trusted(connection *c, const stamp *now);
/* True if names stand for equal files and schemas in both stamps. */
bool stamp_same_names(const stamp *kept, const stamp *now);
/* Compares the states of the schema that the edges are in. SAME: no transaction has been
** committed since, and no write transaction is open. */
enum stamp_change { STAMP_SAME, STAMP_WRITTEN, STAMP_NEW_SCHEMA };
enum stamp_change stamp_compare(const stamp *kept, const stamp *now);
/* True if a read transaction is open, its state is still SAME and the table of edges may
** be read. Cheap, because the caller must know that the schema is unchanged. right: the
** statement that right_holds keeps. */
bool stamp_stands(connection *c, const stamp *kept, sqlite3_stmt **right);
/* True if a write transaction is open in a schema of the tables. */
bool stamp_writing(const stamp *now);
/* True if the open write transaction has surely written no row of the tables yet. It may
** have changed the schema: *schema_version is the version that the transaction sees. */
bool stamp_unwritten(const stamp *now, int *schema_version);

#endif
