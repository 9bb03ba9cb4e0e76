/* Graphs and searches, kept for as long as they are surely right.
**
**     graph_ref   "roads"          stamp of main     searches: bfs from 1, sssp from 7
**                 "SELECT a ..."   no stamp          searches: ...
**     binding     (scope, graph)   the running statement has seen this graph, and sees no
**                                  other under its name; holds the read transaction
**
** A graph is found by the texts that name it: first among the bindings of the caller's
** scope, then among the graphs with a stamp that agrees; else it is read. What no
** statement is bound to and has no stamp is freed at once; the rest as the cache limit
** asks. */
#include "follow/follow.h"
#include <string.h>

struct binding {
    struct binding *next;
    scope scope;
    graph_ref *graph;
    stamp *hold;  /* NULL where there is nothing to hold */
    char edges[]; /* the text that names the graph in the statement */
};

/* ---- graphs ---- */

/* Is the graph what its tables hold now? sqlite3_blob_write changes a TEXT in place, of which a
** transaction that writes shows nothing; it cannot change a number. */
static bool is_current(const graph_ref *g, const stamp *now) {
    return stamp_agrees(g->stamp, now) && !(g->has_text && stamp_writing(now));
}

static bool text_equal(const char *text, const char *other, int bytes) {
    if (!text || !other)
        return text == other;
    return strlen(text) == (size_t)bytes && memcmp(text, other, (size_t)bytes) == 0;
}

/* Of rows with two weights there are two graphs. */
static bool serves_direction(const graph_ref *g, const graph_request *request) {
    return !g->two_ways || g->undirected == request->undirected;
}

static bool graph_named(const graph_ref *g, const graph_request *request) {
    return serves_direction(g, request) &&
           text_equal(g->edges, request->edges, request->edges_bytes) &&
           text_equal(g->vertices, request->vertices, request->vertices_bytes) &&
           text_equal(g->params, request->params, request->params_bytes);
}

void graph_free(graph_ref *g) {
    while (g->searches) {
        search_ref *next = g->searches->next;
        search_free(g->searches);
        g->searches = next;
    }
    gpugraph_free(g->graph);
    edge_names_free(g->names);
    sqlite3_free(g->edges);
    sqlite3_free(g->vertices);
    sqlite3_free(g->params);
    gpugraph_free(g->half_rows);
    sqlite3_free(g->weight_error);
    stamp_free(g->stamp);
    sqlite3_free(g);
}

void graph_settle(connection *c, graph_ref *g) {
    if (!g->stamp && !g->followed && g->bindings == 0)
        g->dropped = true;
    if (!g->dropped || g->references > 0 || g->bindings > 0)
        return;
    graph_ref **at = &c->graphs;
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    graph_free(g);
}

void graph_drop(connection *c, graph_ref *g) {
    g->dropped = true;
    graph_settle(c, g);
}

/* To the front of the list: most recently used. */
static void graph_touch(connection *c, graph_ref *g) {
    graph_ref **at = &c->graphs;
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    g->next = c->graphs;
    c->graphs = g;
    g->used = ++c->clock;
}

void graph_release(connection *c, graph_ref *g) {
    if (!g)
        return;
    g->references--;
    graph_settle(c, g);
    cache_trim(c);
}

const char *graph_state(connection *c, graph_ref *g) {
    if (!g->stamp || g->dropped)
        return "this statement";
    stamp *now;
    bool current = stamp_retake(c, g->stamp, &now) == SQLITE_OK && is_current(g, now);
    stamp_free(now);
    return current ? "current" : "stale";
}

/* ---- bindings ---- */

static struct binding *binding_find(connection *c, const scope *s,
                                    const graph_request *request) {
    struct binding *b = c->bindings;
    while (b &&
           !(text_equal(b->edges, request->edges, request->edges_bytes) &&
             text_equal(b->graph->vertices, request->vertices, request->vertices_bytes) &&
             text_equal(b->graph->params, request->params, request->params_bytes) &&
             serves_direction(b->graph, request) && scope_equal(&b->scope, s)))
        b = b->next;
    return b;
}

graph_ref *graph_seen(connection *c, const scope *s, const char *edges) {
    struct binding *b = c->bindings;
    while (b && !(strcmp(b->graph->edges, edges) == 0 && !b->graph->vertices &&
                  scope_equal(&b->scope, s)))
        b = b->next;
    return b ? b->graph : NULL;
}

/* Takes hold over, also on failure. */
static int bind(connection *c, const scope *s, const graph_request *request, graph_ref *g,
                stamp *hold) {
    struct binding *b =
        sqlite3_malloc64(sizeof *b + (sqlite3_uint64)request->edges_bytes + 1);
    if (!b) {
        stamp_free(hold);
        return SQLITE_NOMEM;
    }
    *b = (struct binding){.next = c->bindings, .scope = *s, .graph = g, .hold = hold};
    memcpy(b->edges, request->edges, (size_t)request->edges_bytes);
    b->edges[request->edges_bytes] = 0;
    c->bindings = b;
    g->bindings++;
    return SQLITE_OK;
}

static void unbind(connection *c, struct binding **at) {
    struct binding *b = *at;
    *at = b->next;
    b->graph->bindings--;
    stamp_free(b->hold);
    graph_settle(c, b->graph);
    sqlite3_free(b);
}

void cache_execution_ended(connection *c, unsigned long long serial) {
    struct binding **at = &c->bindings;
    while (*at) {
        bool ended = false;
        for (int i = 0; i < (*at)->scope.count; i++)
            ended |= (*at)->scope.entry[i].serial == serial;
        if (ended)
            unbind(c, at);
        else
            at = &(*at)->next;
    }
    cache_trim(c);
}

/* A new graph takes the place of kept ones of the same name. */
static void drop_others(connection *c, const graph_ref *g, const graph_request *request) {
    graph_ref *next;
    for (graph_ref *other = c->graphs; other; other = next) {
        next = other->next;
        if (other != g && other->stamp && graph_named(other, request))
            graph_drop(c, other);
    }
}

/* ---- finding the graph ---- */

static bool lacks_weights(const graph_ref *g, const graph_request *request) {
    return request->weight != WEIGHT_NO && g->weight_column && !g->has_weight &&
           !g->weight_error;
}

/* A kept graph whose tables are unchanged, with the read transaction to hold on to. */
static int find_kept(reading *r, graph_ref **found) {
    connection *c = r->c;
    graph_ref *next;
    for (graph_ref *g = c->graphs; g; g = next) {
        next = g->next;
        if (!g->stamp || g->dropped || !graph_named(g, r->request))
            continue;
        int rc = stamp_retake(c, g->stamp, &r->hold);
        if (rc == SQLITE_OK && is_current(g, r->hold)) {
            *found = g;
            return SQLITE_OK;
        }
        bool writing = r->hold && stamp_writing(r->hold);
        stamp_free(r->hold);
        r->hold = NULL;
        if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT || (rc & 0xff) == SQLITE_BUSY)
            return explain_lock(r, rc, g->edges);
        r->why = "the table has changed since its graph was read";
        if (!writing) /* else it may serve again, after a ROLLBACK */
            graph_drop(c, g);
    }
    return SQLITE_OK;
}

/* The statement has seen this graph without weights, and asks for them: they must come
** from the same rows. */
static int read_again(reading *r, struct binding *b) {
    stamp *now;
    int rc = stamp_retake(r->c, b->graph->stamp, &now);
    bool same = rc == SQLITE_OK && is_current(b->graph, now);
    stamp_free(now);
    if (rc)
        return explain_lock(r, rc, b->graph->edges);
    if (!same) {
        *r->error =
            sqlite3_mprintf("%s: the statement has read %s without weights, and this "
                            "connection has changed it since; run the statement again",
                            r->request->function, b->graph->edges);
        return *r->error ? SQLITE_ERROR : SQLITE_NOMEM;
    }
    graph_ref *made, *before = b->graph;
    r->why = "weights are needed too";
    rc = read_graph(r, &made);
    if (rc)
        return rc;
    b->graph = made;
    made->bindings++;
    before->bindings--;
    graph_settle(r->c, before);
    return SQLITE_OK;
}

/* The graph for a statement that has not seen it yet. */
static int find_or_read(reading *r, graph_ref **found) {
    *found = NULL;
    r->why = "no graph is kept under this name";
    int rc = find_kept(r, found);
    if (rc == SQLITE_OK && *found && lacks_weights(*found, r->request)) {
        *found = NULL;
        stamp_free(r->hold);
        r->hold = NULL;
        r->why = "the kept graph has no weights";
    }
    if (rc == SQLITE_OK && *found) {
        r->why = "the kept graph is current";
        check_done(r);
    } else if (rc == SQLITE_OK) {
        rc = followed_find(r, found);
        if (rc == SQLITE_OK && !*found)
            rc = read_graph(r, found);
    }
    if (rc)
        return rc;
    rc = bind(r->c, r->scope, r->request, *found, r->hold);
    r->hold = NULL;
    if (rc)
        graph_settle(r->c, *found);
    if (r->twin && rc == SQLITE_OK)
        rc = bind(r->c, r->scope, r->request, r->twin, NULL);
    if (r->twin && rc)
        graph_settle(r->c, r->twin);
    return rc;
}

static int find_graph(reading *r, graph_ref **found) {
    struct binding *b = binding_find(r->c, r->scope, r->request);
    if (!b && r->request->followed) {
        *found = graph_seen(r->c, r->scope, r->request->edges);
        if (!*found)
            *found = followed_graph(r->request->followed);
        return bind(r->c, r->scope, r->request, *found, NULL);
    }
    if (!b)
        return find_or_read(r, found);
    int rc = lacks_weights(b->graph, r->request) ? read_again(r, b) : SQLITE_OK;
    *found = b->graph;
    return rc;
}

/* Weights that are asked for and are not there. */
static int check_weights_of(reading *r, const graph_ref *g) {
    enum weight_need need = r->request->weight;
    bool must = need == WEIGHT_YES || g->weight_column ||
                (need == WEIGHT_IF_CLEAR && g->weight_unclear);
    if (need == WEIGHT_NO || !g->weight_error || !must)
        return SQLITE_OK;
    *r->error = sqlite3_mprintf("%s: %s", r->request->function, g->weight_error);
    return *r->error ? SQLITE_ERROR : SQLITE_NOMEM;
}

int graph_acquire(connection *c, const graph_request *request, graph_ref **ref,
                  char **error) {
    scope own = {0};
    *ref = NULL;
    *error = NULL;
    if (!request->scope && scope_open(c, &own, NULL))
        return SQLITE_NOMEM;
    reading r = {.c = c,
                 .request = request,
                 .scope = request->scope ? request->scope : &own,
                 .started_ms = now_ms(),
                 .error = error};
    graph_ref *g;
    wal_notes_take(&c->logs, c->db);
    int rc = find_graph(&r, &g);
    if (rc == SQLITE_OK)
        rc = check_weights_of(&r, g);
    if (rc == SQLITE_OK) {
        g->references++;
        graph_touch(c, g);
        if (g->stamp)
            drop_others(c, g, request);
        *ref = g;
    }
    reading_clear(&r);
    scope_close(c, &own);
    cache_trim(c);
    return rc;
}

void cache_free(connection *c) {
    while (c->bindings)
        unbind(c, &c->bindings);
    followed_free_all(c);
    while (c->graphs) {
        graph_ref *next = c->graphs->next;
        graph_free(c->graphs);
        c->graphs = next;
    }
}
