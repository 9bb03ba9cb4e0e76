/* Kept graphs and searches, for those who find, read and follow graphs. */
#ifndef GPUGRAPH_CACHE_H
#define GPUGRAPH_CACHE_H

#include "kept.h"

/* One graph on its way: what its texts say, and what that is in the database. */
typedef struct reading {
    connection *c;
    const graph_request *request;
    const scope *scope;
    edge_source edges_text, vertices_text;
    row_source edges, vertices;
    struct definition *follow; /* the texts name a followed graph: this one. edges is the
                               ** table it follows */
    graph_ref *
        twin; /* of rows with two weights the other graph, where it goes with the one that was
               ** found: rows that cannot be read again, or that are followed */
    stamp *hold;
    double started_ms;
    const char *why; /* static: for the timings */
    char **error;
} reading;

/* The sentence for tables that cannot be looked at; returns rc. */
int explain_lock(reading *r, int rc, const char *name);
/* Puts the function's name before the sentence of an error, which it frees; NULL with SQLITE_ERROR: no
** memory. Returns rc. */
int explain_fault(reading *r, int rc, char *sentence);
/* Adds the phase "check": what came before rows were read, or instead. */
void check_done(reading *r);

/* Is the graph what its tables hold now? */
bool graph_is_current(const graph_ref *g, const stamp *now);
/* Do these texts name it? */
bool graph_named(const graph_ref *g, const graph_request *request);
/* To the front of the list: most recently used. */
void graph_touch(connection *c, graph_ref *g);
/* A new graph takes the place of kept ones of the same name. */
void graph_drop_others(connection *c, const graph_ref *g, const graph_request *request);

/* What a running statement has seen. */
struct binding {
    struct binding *next;
    scope scope;
    graph_ref *graph;
    stamp *hold;  /* NULL where there is nothing to hold */
    char edges[]; /* the text that names the graph in the statement */
};

struct binding *binding_find(connection *c, const scope *s, const graph_request *request);
/* Takes hold over, also on failure. */
int graph_bind(connection *c, const scope *s, const graph_request *request, graph_ref *g,
               stamp *hold);

/* The graph of this name, for the request's direction, that a statement of the scope has seen,
** whatever text has led there; NULL: none. */
graph_ref *graph_seen(connection *c, const scope *s, const char *edges,
                      const graph_request *request);
/* A graph of these rows that has no edges yet; vertices may be NULL. Takes over `edges`, the text that
** names it (NULL: no memory). In no list. NULL: no memory. */
graph_ref *graph_frame(char *edges, const row_source *rows, const row_source *vertices,
                       gpugraph_direction direction, bool undirected);
/* What was read becomes the graph's; names that it had go. */
void graph_take(graph_ref *g, const loaded *got);
/* SQLITE_ERROR with a sentence (sqlite3_free) where an id is a number in one column and a text in another
** one, though the columns declare types. (mixed_ids.c) */
int mixed_ids_check(connection *c, graph_ref *g, char **fault);
/* The graph has taken these edges in. */
void mixed_ids_added(graph_ref *g, const gpugraph_edges *added);
/* What was found out about the graph's edges holds no longer. (copy.c) */
void graph_changed(graph_ref *g);
/* A copy of a followed graph, its searches not: it is in no list. *made is given on failure, too, for graph_free, unless there
** was no memory for it. (copy.c) */
int graph_copy(connection *c, const graph_ref *from, graph_ref **made);
/* gpugraph_compact; nobody else may hold numbers of the graph's vertices. (copy.c) */
int graph_compact(connection *c, graph_ref *g);
/* In the list it is settled away unless it gets a stamp or a binding. */
void graph_list(connection *c, graph_ref *g);
/* Frees the graph if nobody is left who can reach it. */
void graph_settle(connection *c, graph_ref *g);
/* No longer found by anybody; freed as soon as nobody uses it. */
void graph_drop(connection *c, graph_ref *g);
/* Of a graph that is not in the list. */
void graph_free(graph_ref *g);
void searches_free(graph_ref *g);

#endif
