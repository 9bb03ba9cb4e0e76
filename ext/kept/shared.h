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

enum shared_turn {
    SHARED_THERE, /* *shared is the graph, with a reference */
    SHARED_READ,  /* the caller reads it, and calls shared_publish or shared_give_up */
    SHARED_ALONE  /* the caller reads it for itself */
};

enum shared_weights {
    SHARED_WITHOUT,      /* they are not needed, and not read */
    SHARED_PERHAPS_WITH, /* they are not needed, and may come with the ids */
    SHARED_WITH_WEIGHTS
};

/* The graph of that name, with weights where they are needed. Waits while another connection
** reads it; nobody waits who reads one himself. SQLITE_OK or SQLITE_INTERRUPT. */
int shared_join(connection *c, const graph_name *name, enum shared_weights weights,
                enum shared_turn *turn, shared_graph **shared);
/* What was read is there for all, where it is the rows and nothing else: then true, and the graph
** is the shared one's. false: it stays the caller's, and `shared` is gone. */
bool shared_publish(shared_graph *shared, const loaded *read);
/* Of a graph of the caller's that is the rows of that name and nothing else. own says what it is; mine: it is
** shared already, under whatever name; NULL: it is not. Gives another one of that name, with a reference,
** where there is one; else the caller's, which is there for all under that name from now on. NULL: no
** memory, and nothing has changed. */
shared_graph *shared_meet(const graph_name *name, shared_graph *mine, const loaded *own);
/* The graph becomes the caller's own, to be changed and freed, where nobody else uses it: then true,
** and `shared` is gone. */
bool shared_withdraw(shared_graph *shared);
/* It could not be read. */
void shared_give_up(shared_graph *shared);

gpugraph_graph *shared_graph_of(const shared_graph *shared);
bool shared_has_weight(const shared_graph *shared);
bool shared_has_text(const shared_graph *shared);
/* Those that its connections have made of it. */
shared_searches *shared_searches_of(shared_graph *shared);
/* How many connections use it. */
int shared_users(const shared_graph *shared);
/* Is it of the parent of this process? A child of fork() takes no new use of it. */
bool shared_is_foreign(const shared_graph *shared);
void shared_release(shared_graph *shared);

#endif
