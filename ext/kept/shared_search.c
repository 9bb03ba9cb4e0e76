/* The results of searches. All connections that use one graph share one search.
**
**     connection 1   graph_ref   search_ref --\
**     connection 2   graph_ref   search_ref ---- shared_search   key -> result
**                       |                          ^
**                       `----- shared_graph ---- list, the latest first
**
** A key is the question, in numbers of the graph's vertices. Equal keys of one graph have
** equal answers. If one connection alone has a graph, its searches are in no list, and
** their results may grow in place. A listed result never changes: a caller that needs
** a further array (table_function/answer.c) makes another result that begins with it.
** Each connection may forget results at any time, and the last one frees them.
**
** The lock is held only while a list is read or changed. */
#include "shared.h"
#include "brief_lock.h"

#include <stdlib.h>
#include <string.h>

/* A longer list is not worth walking through, least of all with the lock held. */
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

/* Removes an earlier search with the new one's key, and the oldest beyond LISTED. */
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

/* A child of fork() leaves the lists that it finds alone, because a thread of its parent
** may have been changing them. */
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
