/* The results of a search, for one connection or for all that share a graph: see shared_search.c. */
#ifndef GPUGRAPH_SHARED_SEARCH_H
#define GPUGRAPH_SHARED_SEARCH_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Of a graph: the latest first. All zero: none. */
typedef struct shared_searches {
    struct shared_search *first;
} shared_searches;

typedef struct shared_search {
    struct shared_search *next;
    shared_searches *list; /* where other connections find it; NULL: nowhere */
    int users;             /* search_refs, of whatever connection */
    uint32_t process;      /* gg_this_process() of who has made it */
    int key_bytes;
    void *result;
    void (*free_result)(void *result);
    sqlite3_int64 bytes;
    char key[]; /* bytes that name function and settled arguments */
} shared_search;

bool shared_search_is_of(const shared_search *s, const void *key, int key_bytes);
/* The latest of that key, with a reference; NULL: none. */
shared_search *shared_search_find(shared_searches *list, const void *key, int key_bytes);
/* A search with one user. In a list (list may be NULL) it is found in place of an earlier one of its
** key. Takes the result over, also on failure (NULL: no memory). */
shared_search *shared_search_put(shared_searches *list, const void *key, int key_bytes,
                                 void *result, sqlite3_int64 bytes,
                                 void (*free_result)(void *));
/* Can nobody but the caller, its user, see the result? */
bool shared_search_is_private(const shared_search *search);
/* The last user frees it. */
void shared_search_release(shared_search *search);
/* None is found any more: the list goes. */
void shared_searches_close(shared_searches *list);

#endif
