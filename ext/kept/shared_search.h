/* Searches of a shared graph, which its connections share: see shared_search.c. */
#ifndef GPUGRAPH_SHARED_SEARCH_H
#define GPUGRAPH_SHARED_SEARCH_H

#include <sqlite3.h>
#include <stdint.h>

/* Of a graph: the latest first. All zero: none. */
typedef struct shared_searches {
    struct shared_search *first;
} shared_searches;

/* What was found, of a graph that never changes: so neither does it. */
typedef struct shared_search {
    struct shared_search *next;
    shared_searches *list; /* where it is found; NULL: nowhere */
    int users;             /* search_refs, of whatever connection */
    uint32_t process;      /* gg_this_process() of who has listed it */
    unsigned hash;         /* of the key */
    int key_bytes;
    void *result;
    void (*free_result)(void *result);
    sqlite3_int64 bytes;
    char key[];
} shared_search;

/* The latest of that key, with a reference; NULL: none. */
shared_search *shared_search_find(shared_searches *list, const void *key, int key_bytes,
                                  unsigned hash);
/* Lists what `like` says from its hash on, with one user; it is found in place of an earlier one of its
** key. NULL: no memory, and the result is the caller's still. */
shared_search *shared_search_put(shared_searches *list, const void *key,
                                 const shared_search *like);
/* The last user frees it. */
void shared_search_release(shared_search *search);
/* None is found any more: the list goes. */
void shared_searches_close(shared_searches *list);

#endif
