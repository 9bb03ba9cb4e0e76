/* Kept graphs and searches, for the code that finds, reads and follows graphs. */
#ifndef GPUGRAPH_CACHE_H
#define GPUGRAPH_CACHE_H

#include "kept.h"

/* A graph that is being found or read: its texts, and what they stand for in the
** database. */
typedef struct reading {
    connection *c;
    const graph_request *request;
    const scope *scope;
    edge_source edges_text, vertices_text;
    row_source edges, vertices;
    /* the followed graph that the texts name; NULL: none. `edges` is then the table that
    ** it follows */
    struct definition *follow;
    /* for rows with two weights: the other graph, if the statement must see both (rows
    ** that cannot be read again, or a followed graph) */
    graph_ref *twin;
    stamp *hold;
    double started_ms;
    const char *why; /* a static text for the timings */
    char **error;
} reading;

/* Writes the sentence for tables that cannot be read. Returns rc. */
int explain_lock(reading *r, int rc, const char *name);
/* Puts the function's name before an error's sentence, which it frees. A NULL sentence
** with SQLITE_ERROR means no memory. Returns rc. */
int explain_fault(reading *r, int rc, char *sentence);
/* Adds the phase "check": the time until reading begins or a kept graph is found. */
void check_done(reading *r);

/* True if the graph equals its tables. */
bool graph_is_current(const graph_ref *g, const stamp *now);
/* True if these texts name the graph. */
bool graph_named(const graph_ref *g, const graph_request *request);
/* True if both filters are one text, or both are NULL. */
bool same_filter(const char *filter, const char *other);
/* Moves the graph to the front of the list, as the most recently used one. */
void graph_touch(connection *c, graph_ref *g);
/* Drops the kept graphs that have the name of a new one. */
void graph_drop_others(connection *c, const graph_ref *g, const graph_request *request);

/* A graph that a running statement has seen. */
struct binding {
    struct binding *next;
    scope scope;
    graph_ref *graph;
    stamp *hold;  /* the read transactions; NULL: none */
    char edges[]; /* the text that names the graph in the statement */
};

struct binding *binding_find(connection *c, const scope *s, const graph_request *request);
/* Binds the graph to the scope. Takes over `hold`, also on failure. */
int graph_bind(connection *c, const scope *s, const graph_request *request, graph_ref *g,
               stamp *hold);

/* The graph of this name, for the request's direction, that a statement of the scope has
** seen under any text; NULL: none. */
graph_ref *graph_seen(connection *c, const scope *s, const char *edges,
                      const graph_request *request);
/* Makes a graph of these rows, still without edges and in no list. vertices may be NULL.
** Takes over `edges`, the text that names the graph (NULL: no memory). NULL: no
** memory. */
graph_ref *graph_frame(char *edges, const row_source *rows, const row_source *vertices,
                       gpugraph_direction direction, bool undirected);
/* Moves what was read into the graph. */
void graph_take(graph_ref *g, const loaded *got);
/* mixed_ids.c: SQLITE_ERROR with a sentence (sqlite3_free) if an id is a number in one
** column and a text in another one, and both columns declare types. */
int mixed_ids_check(connection *c, graph_ref *g, char **fault);
/* mixed_ids.c: checks the ids of edges that were added to the graph. */
void mixed_ids_added(graph_ref *g, const gpugraph_edges *added);
/* Frees the searches, and forgets whether ids are odd numerals. */
void graph_changed(graph_ref *g);
/* Copies the names and options of a graph, but not its edges. NULL: no memory. */
graph_ref *graph_frame_of(const graph_ref *from);
/* Copies a followed graph without its searches; the copy is in no list. After a failure
** the caller frees *made (graph_free), which may be NULL. */
int graph_copy(connection *c, const graph_ref *from, graph_ref **made);
/* Compacts the graph (gpugraph_compact). No caller may hold vertex numbers. */
int graph_compact(connection *c, graph_ref *g);
/* Puts the graph into the connection's list. graph_settle frees it unless it is followed
** or has a stamp or a binding. */
void graph_list(connection *c, graph_ref *g);
/* Frees the graph if nothing refers to it. */
void graph_settle(connection *c, graph_ref *g);
/* Hides the graph from searches of the list, and frees it as soon as nothing uses it. */
void graph_drop(connection *c, graph_ref *g);
/* Frees a graph that is in no list; NULL is allowed. */
void graph_free(graph_ref *g);
void searches_free(graph_ref *g);

#endif
