/* Searches kept with their graphs, and what happens when everything kept is over the
** limit.
**
**     graph_ref -> search_ref -> search_ref -> ...     most recently used first
**
** A search that would give the same rows again may be forgotten when nobody reads it; one
** that would not (an unordered DFS tree) stays while a running statement may ask for it
** again. So do the latest few, whatever the limit: a correlated subquery asks for them in
** every row.
**
** Where other connections use the graph, a search is theirs, too (shared_search.c). */
#include "cache.h"
#include "shared.h"
#include <string.h>

/* More of one graph are not worth looking through. */
enum { KEPT_SEARCHES = 64 };

/* As many as a statement has of different correlated subqueries over one graph. */
enum { LATEST_SEARCHES = 4 };

static unsigned hash_of(const void *key, int bytes) {
    const unsigned char *at = key;
    unsigned hash = 2166136261u; /* FNV-1a */
    for (int i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * 16777619u;
    return hash;
}

static bool is_shared(const graph_ref *graph) {
    return graph->shared && !shared_is_foreign(graph->shared);
}

static void result_free(search_ref *s) {
    if (s->shared)
        shared_search_release(s->shared);
    else
        s->free_result(s->result);
}

void search_free(search_ref *s) {
    result_free(s);
    sqlite3_free(s->key);
    sqlite3_free(s);
}

/* In front of the others; without a result yet. NULL: no memory. */
static search_ref *search_add(connection *c, graph_ref *graph, const void *key,
                              int key_bytes) {
    search_ref *s = sqlite3_malloc(sizeof *s);
    void *copy = sqlite3_malloc(key_bytes ? key_bytes : 1);
    if (!s || !copy) {
        sqlite3_free(s);
        sqlite3_free(copy);
        return NULL;
    }
    memcpy(copy, key, (size_t)key_bytes);
    *s = (search_ref){.next = graph->searches,
                      .key = copy,
                      .key_bytes = key_bytes,
                      .hash = hash_of(key, key_bytes),
                      .used = ++c->clock,
                      .references = 1};
    graph->searches = s;
    return s;
}

static void take_shared(search_ref *s, shared_search *shared) {
    s->shared = shared;
    s->result = shared->result;
    s->free_result = shared->free_result;
    s->bytes = shared->bytes;
}

/* The result goes to the other connections that use the graph. Without memory it stays this one's. */
static void share_search_cache(graph_ref *graph, search_ref *s) {
    const shared_search like = {.hash = s->hash,
                                .key_bytes = s->key_bytes,
                                .result = s->result,
                                .free_result = s->free_result,
                                .bytes = s->bytes};
    s->shared = is_shared(graph)
                    ? shared_search_put(shared_searches_of(graph->shared), s->key, &like)
                    : NULL;
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

/* The least recently used search that may go; NULL: none. *count: how many there are. */
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

/* Of another connection that uses the graph; NULL: none, or no memory. */
static search_ref *find_shared(connection *c, graph_ref *graph, const void *key,
                               int key_bytes, unsigned hash) {
    shared_search *shared =
        is_shared(graph)
            ? shared_search_find(shared_searches_of(graph->shared), key, key_bytes, hash)
            : NULL;
    search_ref *s = shared ? search_add(c, graph, key, key_bytes) : NULL;
    if (shared && !s)
        shared_search_release(shared);
    if (!s)
        return NULL;
    take_shared(s, shared);
    keep_latest(graph);
    return s;
}

search_ref *search_find(connection *c, graph_ref *graph, const void *key, int key_bytes) {
    unsigned hash = hash_of(key, key_bytes);
    for (search_ref **at = &graph->searches; *at; at = &(*at)->next) {
        search_ref *s = *at;
        if (s->hash != hash || s->key_bytes != key_bytes ||
            memcmp(s->key, key, (size_t)key_bytes) != 0)
            continue;
        *at = s->next;
        s->next = graph->searches;
        graph->searches = s;
        s->used = ++c->clock;
        s->references++;
        return s;
    }
    return find_shared(c, graph, key, key_bytes, hash);
}

search_ref *search_keep(connection *c, graph_ref *graph, const void *key, int key_bytes,
                        void *result, sqlite3_int64 bytes, void (*free_result)(void *)) {
    search_ref *s = search_add(c, graph, key, key_bytes);
    if (!s) {
        free_result(result);
        return NULL;
    }
    s->result = result;
    s->free_result = free_result;
    s->bytes = bytes;
    share_search_cache(graph, s);
    keep_latest(graph);
    return s;
}

void search_grow(graph_ref *graph, search_ref *search, void *result,
                 sqlite3_int64 bytes) {
    const search_ref before = *search;
    search->bytes = bytes;
    if (result == before.result)
        return;
    search->result = result;
    share_search_cache(graph, search);
    shared_search_release(before.shared);
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
        *host += s->bytes;
}

static int64_t bytes_kept(const connection *c) {
    int64_t host = 0, device = 0;
    for (const graph_ref *g = c->graphs; g; g = g->next)
        graph_count_bytes(g, g->followed, &host, &device);
    return host + device;
}

/* Frees the least recently used thing that nobody needs. false: there is none. */
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
        if (!g->followed && g->references == 0 && g->bindings == 0 &&
            (!old_graph || g->used < old_graph->used))
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
