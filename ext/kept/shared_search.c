/* The results of searches. All connections that use one graph share one search.
**
**     connection 1   graph_ref   search_ref --\
**     connection 2   graph_ref   search_ref ---- shared_search   key -> result
**                       |                          ^
**                       `----- shared_graph ---- list, the latest first
**
** A key has the function and its arguments, with vertex numbers in place of ids. Equal
** keys of one graph have equal answers. A graph that is not shared (shared.c) has no such
** list. A result in a list never changes: a caller that needs another array
** (table_function/answer.c) makes a second result, which contains the first. A connection
** may release a search at any time, and the last user frees the search.
**
** The lock is held only while a list is read or changed. */
#include "shared.h"
#include "brief_lock.h"

#include <stdlib.h>
#include <string.h>

/* The most searches in a list, because each lookup compares keys under the lock. */
enum { LISTED = 64 };

static gg_brief_lock lock;

bool shared_search_is_of(const shared_search *s, const void *key, int key_bytes) {
    return s->key_bytes == key_bytes && memcmp(s->key, key, (size_t)key_bytes) == 0;
}

shared_search *shared_search_find(shared_searches *list, const void *key, int key_bytes) {
    gg_lock(&lock);
    shared_search *s = list->first;
    while (s && !shared_search_is_of(s, key, key_bytes))
        s = s->next;
    if (s)
        s->users++;
    gg_unlock(&lock);
    return s;
}

static void unlist(shared_search *s) {
    shared_search **at = &s->list->first;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->list = NULL;
}

/* Removes an earlier search with the latest key, and the oldest searches above LISTED. */
static void make_way(const shared_search *latest) {
    shared_search *next;
    int place = 0;
    for (shared_search *s = latest->next; s; s = next) {
        next = s->next;
        if (++place >= LISTED || shared_search_is_of(s, latest->key, latest->key_bytes))
            unlist(s);
    }
}

shared_search *shared_search_put(shared_searches *list, const void *key, int key_bytes,
                                 void *result, sqlite3_int64 bytes,
                                 void (*free_result)(void *)) {
    shared_search *s = malloc(sizeof *s + (size_t)key_bytes);
    if (!s) {
        free_result(result);
        return NULL;
    }
    *s = (shared_search){.list = list,
                         .users = 1,
                         .process = gg_this_process(),
                         .key_bytes = key_bytes,
                         .result = result,
                         .free_result = free_result,
                         .bytes = bytes};
    memcpy(s->key, key, (size_t)key_bytes);
    if (!list)
        return s;
    gg_lock(&lock);
    s->next = list->first;
    list->first = s;
    make_way(s);
    gg_unlock(&lock);
    return s;
}

/* A child of fork() does not change a list that it has inherited, because a thread of the
** parent may have been changing the list during the fork. */
void shared_search_release(shared_search *s) {
    gg_lock(&lock);
    const bool last = --s->users == 0;
    if (last && s->list && s->process == gg_this_process())
        unlist(s);
    gg_unlock(&lock);
    if (!last)
        return;
    s->free_result(s->result);
    free(s);
}

void shared_searches_close(shared_searches *list) {
    gg_lock(&lock);
    while (list->first)
        unlist(list->first);
    gg_unlock(&lock);
}
