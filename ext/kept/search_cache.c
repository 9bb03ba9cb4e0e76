/* Searches kept with their graphs, and eviction over the cache limit.
**
**     graph_ref -> search_ref -> search_ref -> ...     most recently used first
**
** A repeatable search, which gives equal rows when it runs again, may be evicted as soon
** as no cursor reads it. A search that is not repeatable (an unordered DFS tree) stays
** while a running statement may ask for it again. The latest few stay as well, whatever
** the limit: a correlated subquery asks for them in every row.
**
** shared_search.c owns the results of searches. Connections that use one graph share
** them. */
#include "cache.h"
#include <string.h>

/* A longer list is not worth walking through. */
enum { KEPT_SEARCHES = 64 };

/* The number of different correlated subqueries over one graph that a statement may
** have. */
enum { LATEST_SEARCHES = 4 };

/* The list in which other connections find the graph's searches; NULL: there is none. */
static shared_searches *list_of(const graph_ref *graph) {
    return graph->shared && !shared_is_foreign(graph->shared)
               ? shared_searches_of(graph->shared)
               : NULL;
}

static void search_free(search_ref *s) {
    shared_search_release(s->found);
    sqlite3_free(s);
}

void searches_free(graph_ref *graph) {
    while (graph->searches) {
        search_ref *next = graph->searches->next;
        search_free(graph->searches);
        graph->searches = next;
    }
}

static void put_first(connection *c, graph_ref *graph, search_ref *s) {
    s->next = graph->searches;
    graph->searches = s;
    s->used = ++c->clock;
    s->references++;
}

static void search_drop(graph_ref *graph, search_ref *s) {
    search_ref **at = &graph->searches;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    search_free(s);
}

static bool may_forget(const graph_ref *graph, const search_ref *s) {
    return s->references == 0 && !(s->irreproducible && graph->bindings > 0);
}

/* The least recently used search that may be evicted; NULL: none. *count: their
** number. */
static search_ref *oldest_search(const graph_ref *graph, int *count) {
    search_ref *oldest = NULL;
    int place = 0, latest = graph->bindings > 0 ? LATEST_SEARCHES : 0;
    *count = 0;
    for (search_ref *s = graph->searches; s; s = s->next) {
        if (place++ >= latest && may_forget(graph, s)) {
            oldest = s;
            ++*count;
        }
    }
    return oldest;
}

static void keep_latest(graph_ref *graph) {
    search_ref *oldest;
    int count;
    while ((oldest = oldest_search(graph, &count)) != NULL && count > KEPT_SEARCHES)
        search_drop(graph, oldest);
}

/* Puts a search in front of the list. Takes over `found`; NULL: no memory, or nothing was
** found. */
static search_ref *search_add(connection *c, graph_ref *graph, shared_search *found) {
    search_ref *s = found ? sqlite3_malloc(sizeof *s) : NULL;
    if (!s) {
        if (found)
            shared_search_release(found);
        return NULL;
    }
    *s = (search_ref){.found = found};
    put_first(c, graph, s);
    keep_latest(graph);
    return s;
}

search_ref *search_find(connection *c, graph_ref *graph, const void *key, int key_bytes) {
    for (search_ref **at = &graph->searches; *at; at = &(*at)->next) {
        search_ref *s = *at;
        if (!shared_search_is_of(s->found, key, key_bytes))
            continue;
        *at = s->next;
        put_first(c, graph, s);
        return s;
    }
    shared_searches *list = list_of(graph);
    return list ? search_add(c, graph, shared_search_find(list, key, key_bytes)) : NULL;
}

search_ref *search_keep(connection *c, graph_ref *graph, const void *key, int key_bytes,
                        void *result, sqlite3_int64 bytes, void (*free_result)(void *)) {
    return search_add(
        c, graph,
        shared_search_put(list_of(graph), key, key_bytes, result, bytes, free_result));
}

int search_grow(graph_ref *graph, search_ref *search, void *result, sqlite3_int64 bytes) {
    shared_search *before = search->found;
    shared_search *found =
        shared_search_put(list_of(graph), before->key, before->key_bytes, result, bytes,
                          before->free_result);
    if (!found)
        return SQLITE_NOMEM;
    search->found = found;
    shared_search_release(before);
    return SQLITE_OK;
}

void search_release(connection *c, search_ref *search) {
    if (!search)
        return;
    search->references--;
    cache_trim(c);
}

void graph_count_bytes(const graph_ref *graph, bool searches_alone, int64_t *host,
                       int64_t *device) {
    const gpugraph_graph *of[] = {graph->graph, graph->half_rows, graph->row_ids};
    for (int k = 0; k < 3 && !searches_alone; k++) {
        int64_t here = 0, there = 0;
        if (of[k])
            gpugraph_memory(of[k], &here, &there);
        *host += here;
        *device += there;
    }
    for (const search_ref *s = graph->searches; s; s = s->next)
        *host += s->found->bytes;
}

static int64_t bytes_kept(const connection *c) {
    int64_t host = 0, device = 0;
    for (const graph_ref *g = c->graphs; g; g = g->next)
        graph_count_bytes(g, g->followed && !g->place, &host, &device);
    return host + device;
}

/* Frees the least recently used search or graph that may go. False: there is none. */
static bool forget_oldest(connection *c) {
    graph_ref *old_graph = NULL, *holder = NULL;
    search_ref *old_search = NULL;
    int count;
    for (graph_ref *g = c->graphs; g; g = g->next) {
        search_ref *s = oldest_search(g, &count);
        if (s && (!old_search || s->used < old_search->used)) {
            old_search = s;
            holder = g;
        }
        if ((!g->followed || (g->place && g->acquired)) && g->references == 0 &&
            g->bindings == 0 && (!old_graph || g->used < old_graph->used))
            old_graph = g;
    }
    if (old_search && (!old_graph || old_search->used < old_graph->used))
        search_drop(holder, old_search);
    else if (old_graph)
        graph_drop(c, old_graph);
    else
        return false;
    return true;
}

void cache_trim(connection *c) {
    while (bytes_kept(c) > c->config.cache_limit && forget_oldest(c))
        ;
}
