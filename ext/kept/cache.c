/* Graphs and searches, kept as long as they surely equal a fresh read.
**
**     graph_ref   "roads"          stamp of main     searches: bfs from 1, sssp from 7
**                 "SELECT a ..."   no stamp          searches: ...
**     binding     (scope, graph)   a running statement has seen this graph and sees no
**                                  other one under its name; holds the read transaction
**
** A graph is found by the texts that name it: first among the bindings of the caller's
** scope, then among the graphs with a stamp that agrees; otherwise it is read. A graph
** that has no stamp, is not followed and is no subgraph is freed as soon as no statement
** is bound to it, all others when the cache limit requires it. */
#include "cache.h"
#include <stdlib.h>
#include <string.h>

/* ---- graphs ---- */

/* True if the graph equals its tables. sqlite3_blob_write changes a TEXT in place and
** leaves no trace in a write transaction; it cannot change a number. */
bool graph_is_current(const graph_ref *g, const stamp *now) {
    return stamp_agrees(g->stamp, now) && !(g->has_text && stamp_writing(now)) &&
           !(g->shared && shared_is_foreign(g->shared)) && !gpugraph_is_lost(g->graph);
}

static bool text_equal(const char *text, const char *other, int bytes) {
    if (!text || !other)
        return text == other;
    return strlen(text) == (size_t)bytes && memcmp(text, other, (size_t)bytes) == 0;
}

bool same_filter(const char *filter, const char *other) {
    return filter && other ? strcmp(filter, other) == 0 : filter == other;
}

/* Rows with two weights have two graphs. */
static bool serves_direction(const graph_ref *g, const graph_request *request) {
    const bool undirected =
        request->by_graph ? g->direction == GPUGRAPH_BOTH : request->undirected;
    return !g->two_ways || g->undirected == undirected;
}

/* edges: the text that names the graph. */
static bool named_by(const graph_ref *g, const char *edges,
                     const graph_request *request) {
    return serves_direction(g, request) &&
           text_equal(edges, request->edges, request->edges_bytes) &&
           text_equal(g->vertices, request->vertices, request->vertices_bytes) &&
           text_equal(g->params, request->params, request->params_bytes) &&
           same_filter(g->filter, request->filter);
}

bool graph_named(const graph_ref *g, const graph_request *request) {
    return named_by(g, g->edges, request);
}

graph_ref *graph_frame(char *edges, const row_source *rows, const row_source *vertices,
                       gpugraph_direction direction, bool undirected) {
    graph_ref *g = edges ? sqlite3_malloc(sizeof *g) : NULL;
    if (!g) {
        sqlite3_free(edges);
        return NULL;
    }
    memset(g, 0, sizeof *g);
    g->edges = edges;
    g->of_table = rows->kind == 't' || rows->kind == 'w';
    g->direction = direction;
    g->weight_column = rows->column[WEIGHT_COLUMN] != NULL;
    g->weight_unclear = rows->weight_unclear;
    g->two_ways = rows->column[REVERSE_COLUMN] != NULL;
    g->undirected = undirected;
    if (rows->filter)
        g->filter = sqlite3_mprintf("%s", rows->filter);
    if (!g->weight_column)
        g->weight_error = source_without_weight(rows);
    if (id_columns_find(rows, vertices, &g->ids) == SQLITE_OK &&
        (g->weight_column || g->weight_error) && !g->filter == !rows->filter)
        return g;
    graph_free(g);
    return NULL;
}

static unsigned long long next_state(void) {
    static unsigned long long latest;
    return __atomic_add_fetch(&latest, 1, __ATOMIC_RELAXED);
}

void graph_take(graph_ref *g, const loaded *got) {
    g->state = next_state();
    g->graph = got->graph;
    g->unnamed = got->unnamed;
    g->half_rows = got->half_rows;
    g->row_ids = got->row_ids;
    g->has_weight = got->has_weight;
    g->has_text = got->has_text;
    if (got->weight_error)
        g->weight_error = got->weight_error;
}

void graph_free(graph_ref *g) {
    if (!g)
        return;
    if (g->place)
        *g->place = NULL;
    searches_free(g);
    if (g->shared)
        shared_release(g->shared);
    else
        gpugraph_free(g->graph);
    sqlite3_free(g->edges);
    sqlite3_free(g->vertices);
    sqlite3_free(g->params);
    sqlite3_free(g->filter);
    free(g->members);
    gpugraph_free(g->half_rows);
    gpugraph_free(g->row_ids);
    sqlite3_free(g->weight_error);
    id_columns_clear(&g->ids);
    stamp_free(g->stamp);
    sqlite3_free(g);
}

static void unlink_graph(connection *c, const graph_ref *g) {
    graph_ref **at = &c->graphs;
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
}

void graph_settle(connection *c, graph_ref *g) {
    if (!g->stamp && !g->followed && !g->induced_from && g->bindings == 0)
        g->dropped = true;
    if (!g->dropped || g->references > 0 || g->bindings > 0)
        return;
    unlink_graph(c, g);
    graph_free(g);
}

void graph_drop(connection *c, graph_ref *g) {
    g->dropped = true;
    graph_settle(c, g);
}

void graph_touch(connection *c, graph_ref *g) {
    unlink_graph(c, g);
    graph_list(c, g);
}

void graph_release(connection *c, graph_ref *g) {
    if (!g)
        return;
    g->references--;
    graph_settle(c, g);
    cache_trim(c);
}

/* The graph that a subgraph was made from; NULL: it has changed or is not kept. */
static graph_ref *origin_of(const connection *c, const graph_ref *g) {
    graph_ref *from = c->graphs;
    while (from && (from->state != g->induced_from || from->dropped))
        from = from->next;
    return from;
}

const char *graph_state(connection *c, graph_ref *g) {
    if (g->induced_from) {
        graph_ref *from = origin_of(c, g);
        return !from ? "stale" : from->followed ? "current" : graph_state(c, from);
    }
    if (!g->stamp || g->dropped)
        return "this statement";
    stamp *now;
    bool current =
        stamp_retake(c, g->stamp, &now) == SQLITE_OK && graph_is_current(g, now);
    stamp_free(now);
    return current ? "current" : "stale";
}

/* ---- bindings ---- */

struct binding *binding_find(connection *c, const scope *s,
                             const graph_request *request) {
    struct binding *b = c->bindings;
    while (b && !(named_by(b->graph, b->edges, request) && scope_equal(&b->scope, s)))
        b = b->next;
    return b;
}

graph_ref *graph_seen(connection *c, const scope *s, const char *edges,
                      const graph_request *request) {
    struct binding *b = c->bindings;
    while (b && !(strcmp(b->graph->edges, edges) == 0 && !b->graph->vertices &&
                  same_filter(b->graph->filter, request->filter) &&
                  serves_direction(b->graph, request) && scope_equal(&b->scope, s)))
        b = b->next;
    return b ? b->graph : NULL;
}

int graph_bind(connection *c, const scope *s, const graph_request *request, graph_ref *g,
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

void graph_drop_others(connection *c, const graph_ref *g, const graph_request *request) {
    graph_ref *next;
    for (graph_ref *other = c->graphs; other; other = next) {
        next = other->next;
        if (other != g && other->stamp && graph_named(other, request))
            graph_drop(c, other);
    }
}

/* ---- for readings ---- */

int explain_lock(reading *r, int rc, const char *name) {
    if (rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT)
        *r->error = sqlite3_mprintf("%s: %s cannot be read: %s", r->request->function,
                                    name, sqlite3_errstr(rc));
    return rc;
}

int explain_fault(reading *r, int rc, char *sentence) {
    if (rc == SQLITE_OK || !sentence)
        return rc == SQLITE_ERROR ? SQLITE_NOMEM : rc;
    *r->error = sqlite3_mprintf("%s: %z", r->request->function, sentence);
    return *r->error ? rc : SQLITE_NOMEM;
}

void check_done(reading *r) {
    timings_add(&r->c->timings, "check", gg_now_ms() - r->started_ms, 0, r->why);
}

void graph_list(connection *c, graph_ref *g) {
    g->next = c->graphs;
    c->graphs = g;
    g->used = ++c->clock;
}

void cache_unbind(connection *c) {
    while (c->bindings)
        unbind(c, &c->bindings);
}

void cache_free(connection *c) {
    while (c->graphs) {
        graph_ref *next = c->graphs->next;
        graph_free(c->graphs);
        c->graphs = next;
    }
}

/* ---- for followed graphs, which change ---- */

void graph_changed(graph_ref *g) {
    g->state = next_state();
    g->odd_vertices = g->odd_ids = ODD_UNKNOWN;
    searches_free(g);
}

graph_ref *graph_frame_of(const graph_ref *from) {
    graph_ref *g = sqlite3_malloc(sizeof *g);
    if (!g)
        return NULL;
    *g = (graph_ref){.of_table = from->of_table,
                     .unnamed = from->unnamed,
                     .has_weight = from->has_weight,
                     .has_text = from->has_text,
                     .weight_column = from->weight_column,
                     .weight_unclear = from->weight_unclear,
                     .two_ways = from->two_ways,
                     .undirected = from->undirected,
                     .ids_checked = from->ids_checked,
                     .direction = from->direction,
                     .state = next_state(),
                     .edges = sqlite3_mprintf("%s", from->edges),
                     .filter = from->filter ? sqlite3_mprintf("%s", from->filter) : NULL};
    if (from->weight_error)
        g->weight_error = sqlite3_mprintf("%s", from->weight_error);
    if (id_columns_copy(&from->ids, &g->ids) == SQLITE_OK && g->edges &&
        !g->filter == !from->filter && !g->weight_error == !from->weight_error)
        return g;
    graph_free(g);
    return NULL;
}

static gpugraph_status clone(const gpugraph_graph *graph, gpugraph_run *run,
                             gpugraph_graph **made) {
    return graph ? gpugraph_clone(graph, run, made) : GPUGRAPH_OK;
}

int graph_copy(connection *c, const graph_ref *from, graph_ref **made) {
    gpugraph_run run;
    graph_ref *g = *made = graph_frame_of(from);
    if (!g)
        return SQLITE_NOMEM;
    connection_run(c, &run);
    gpugraph_status status = clone(from->graph, &run, &g->graph);
    if (status == GPUGRAPH_OK)
        status = clone(from->half_rows, &run, &g->half_rows);
    if (status == GPUGRAPH_OK)
        status = clone(from->row_ids, &run, &g->row_ids);
    return code_of_status(status);
}

int graph_compact(connection *c, graph_ref *g) {
    gpugraph_run run;
    connection_run(c, &run);
    gpugraph_status status = gpugraph_compact(g->graph, &run);
    if (status == GPUGRAPH_OK)
        graph_changed(g);
    return code_of_status(status);
}
