/* The results of a search, for one connection or for all that share a graph
** (shared_search.c). */
#ifndef GPUGRAPH_SHARED_SEARCH_H
#define GPUGRAPH_SHARED_SEARCH_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
