/* Graphs and searches that several connections of a process use. */
#ifndef GPUGRAPH_SHARED_H
#define GPUGRAPH_SHARED_H

#include "pages/reader.h"
#include "load/load.h"

/* ---- shared_search.c: results of searches, for one or more connections ---- */

/* The searches of a graph, latest first. All zero: none. */
typedef struct shared_searches {
    struct shared_search *first;
} shared_searches;

typedef struct shared_search {
    struct shared_search *next;
    /* the list in which other connections find the search; NULL: in none */
    shared_searches *list;
    int users;        /* search_refs of all connections */
    uint32_t process; /* gg_this_process() of the process that made the search */
    int key_bytes;
    void *result;
    void (*free_result)(void *result);
    sqlite3_int64 bytes;
    char key[]; /* the function and its settled arguments */
} shared_search;

bool shared_search_is_of(const shared_search *s, const void *key, int key_bytes);
/* The latest search with that key, with a reference; NULL: none. */
shared_search *shared_search_find(shared_searches *list, const void *key, int key_bytes);
/* Makes a search with one user. In a list (NULL: none) it replaces an earlier one with
** its key. Takes over the result, also on failure (NULL: no memory). */
shared_search *shared_search_put(shared_searches *list, const void *key, int key_bytes,
                                 void *result, sqlite3_int64 bytes,
                                 void (*free_result)(void *));
/* Gives up a reference; the last one frees the search. */
void shared_search_release(shared_search *search);
/* Empties the list before its owner frees it. */
void shared_searches_close(shared_searches *list);

/* ---- shared.c: graphs ---- */

/* The rows that a graph was made from. */
typedef struct graph_name {
    page_identity rows;
    const char *source; /* "main.roads", as in sentences */
    bool undirected;    /* for rows with two weights: the graph for direction 'both' */
    /* the graph of a followed table; its edges are on the host, those of another graph
    ** may be device-resident */
    bool followed;
} graph_name;

typedef struct shared_graph shared_graph;

/* Reads the rows into *got. */
typedef int rows_loader(void *of, loaded *got);

/* Gets the graph of the rows with this name: another connection's graph, or the result of
** `load`. *shared: the owner of got->graph, with a reference; NULL: the caller alone owns
** got->graph. A loaded graph is shared if it depends on nothing but the rows. Waits while
** another connection reads the rows, unless this thread is reading rows itself. */
int shared_load(connection *c, const graph_name *name, rows_loader *load, void *of,
                loaded *got, shared_graph **shared);
/* Offers the caller's graph, which equals the rows with this name. own: the graph; mine:
** its owner if it is shared already under any name, else NULL. If another graph has this
** name, returns that graph with a reference. Otherwise shares the caller's graph under
** this name and returns it. NULL: no memory, and nothing has changed. */
shared_graph *shared_offer(const graph_name *name, shared_graph *mine, const loaded *own);
/* If no other connection uses the graph, makes it the caller's own, frees `shared` and
** returns true. */
bool shared_withdraw(shared_graph *shared);

/* The graph, which `shared` still owns, and what is known about it. */
loaded shared_loaded(const shared_graph *shared);
/* The searches that connections have made in the graph. */
shared_searches *shared_searches_of(shared_graph *shared);
/* The number of connections that use the graph. */
int shared_users(const shared_graph *shared);
/* True if the parent of this process made the graph. A child of fork() does not start to
** use it. */
bool shared_is_foreign(const shared_graph *shared);
void shared_release(shared_graph *shared);

#endif
