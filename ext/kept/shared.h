/* Graphs that several connections of a process use: see shared.c. */
#ifndef GPUGRAPH_SHARED_H
#define GPUGRAPH_SHARED_H

#include "pages/identity.h"
#include "load/load.h"
#include "shared_search.h"

/* What a graph was made from. */
typedef struct graph_name {
    page_identity rows;
    const char *source; /* "main.roads", as sentences have it */
    bool undirected;    /* of rows with two weights: the graph for direction 'both' */
} graph_name;

typedef struct shared_graph shared_graph;

/* Reads rows into *got. */
typedef int rows_loader(void *of, loaded *got);

/* The rows of that name as a graph: another connection's, or what `load` reads. *shared: whose graph
** got->graph is, with a reference; NULL: the caller's own. What was read is there for all where it is
** the rows and nothing else. Waits while another connection reads them; nobody waits who reads some
** himself. rows: what the timings call them. */
int shared_load(connection *c, const graph_name *name, const char *rows,
                rows_loader *load, void *of, loaded *got, shared_graph **shared);
/* Of a graph of the caller's that is the rows of that name and nothing else. own says what it is; mine: it is
** shared already, under whatever name; NULL: it is not. Gives another one of that name, with a reference,
** where there is one; else the caller's, which is there for all under that name from now on. NULL: no
** memory, and nothing has changed. */
shared_graph *shared_meet(const graph_name *name, shared_graph *mine, const loaded *own);
/* The graph becomes the caller's own, to be changed and freed, where nobody else uses it: then true,
** and `shared` is gone. */
bool shared_withdraw(shared_graph *shared);

/* The graph, which stays the shared one's, and what is known of it. */
loaded shared_loaded(const shared_graph *shared);
/* Those that its connections have made of it. */
shared_searches *shared_searches_of(shared_graph *shared);
/* How many connections use it. */
int shared_users(const shared_graph *shared);
/* Is it of the parent of this process? A child of fork() takes no new use of it. */
bool shared_is_foreign(const shared_graph *shared);
void shared_release(shared_graph *shared);

#endif
