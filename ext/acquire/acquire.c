/* Finds the graph that a statement must see: the graph that the statement has seen
** already, a kept graph that is current, the mirror of a followed graph, or a graph that
** is read now.
**
**     parse     'roads(a, b)'  ->  edge_source
**     resolve                  ->  row_source: main.roads, columns a, b
**     hold                     ->  read transactions of plain tables, and their stamp
**     resolve again                inside the transactions, which fix the schema
**     load                     ->  graph */
#include "acquire.h"
#include "induced.h"
#include "follow/follow.h"
#include "pages/wal_frames.h"
#include <string.h>

/* ---- a graph that is read now ---- */

static int copy_filter(const graph_request *q, edge_source *source) {
    sqlite3_free(source->filter);
    source->filter = q->filter ? sqlite3_mprintf("%s", q->filter) : NULL;
    return !source->filter == !q->filter ? SQLITE_OK : SQLITE_NOMEM;
}

static int parse_texts(reading *r) {
    const graph_request *q = r->request;
    char *sentence;
    int rc =
        edge_parse(q->edges, q->edges_bytes, EDGE_COLUMNS, &r->edges_text, &sentence);
    if (rc == SQLITE_OK && q->vertices)
        rc = edge_parse(q->vertices, q->vertices_bytes, 1, &r->vertices_text, &sentence);
    rc = explain_fault(r, rc, sentence);
    return rc ? rc : copy_filter(q, &r->edges_text);
}

/* Rows of a query, a view or a virtual table have no filter. */
static int check_filter(reading *r) {
    static const char *const what[] = {"a view", "a virtual table", "a graph table"};
    const char kinds[] = "vxg", *kind = strchr(kinds, r->edges.kind);
    if (!r->request->filter || r->edges.filter)
        return SQLITE_OK;
    return explain_fault(
        r, SQLITE_ERROR,
        r->edges.kind == 'q'
            ? sqlite3_mprintf("edge_filter is for tables and followed graphs, and edges "
                              "is a query; put the condition into the query")
            : sqlite3_mprintf("edge_filter is for tables and followed graphs, and %s is "
                              "%s; write a query with that condition as edges",
                              r->edges.name, what[kind - kinds]));
}

static int resolve_texts(reading *r) {
    const char *function = r->request->function;
    row_source_clear(&r->edges);
    row_source_clear(&r->vertices);
    int rc = source_resolve(r->c, function, "edges", r->scope, &r->edges_text, &r->edges,
                            r->error);
    if (rc == SQLITE_OK) {
        char *fault;
        const query_params params = {"edges", "params", r->request->params,
                                     r->request->params_bytes};
        rc = query_params_bind(r->c->db, r->edges.query, &params, &fault);
        rc = explain_fault(r, rc, fault);
    }
    if (rc == SQLITE_OK && r->edges.kind == 'g' && r->edges_text.columns == 0)
        rc = followed_redirect(r);
    rc = rc ? rc : check_filter(r);
    if (rc == SQLITE_OK && r->request->vertices)
        rc = source_resolve(r->c, function, "vertices", r->scope, &r->vertices_text,
                            &r->vertices, r->error);
    return rc;
}

static bool is_plain(const row_source *rows) {
    return rows->kind == 't' || rows->kind == 'w';
}

/* Opens the read transactions of plain tables, and resolves the names again inside the
** transactions. */
static int hold_tables(reading *r) {
    const row_source *vertices = r->request->vertices ? &r->vertices : NULL;
    if (!is_plain(&r->edges) || (vertices && !is_plain(vertices)))
        return SQLITE_OK;
    int rc = stamp_take(r->c, &r->edges, vertices, &r->hold);
    if (rc)
        return explain_lock(r, rc, r->edges.name);
    char *name = sqlite3_mprintf("%s", r->edges.name);
    if (!name)
        return SQLITE_NOMEM;
    rc = resolve_texts(r);
    bool moved =
        rc == SQLITE_OK && (strcmp(name, r->edges.name) != 0 || !is_plain(&r->edges) ||
                            (vertices && !is_plain(vertices)));
    sqlite3_free(name);
    if (rc == SQLITE_OK && !moved)
        r->edges.unwritten = stamp_unwritten(r->hold, &r->edges.schema_version);
    if (moved) { /* another process has changed the schema: do not keep the graph */
        stamp_free(r->hold);
        r->hold = NULL;
    }
    return rc;
}

static char *copy_text(const char *text, int bytes) {
    return text ? sqlite3_mprintf("%.*s", bytes, text) : NULL;
}

static bool is_undirected(const reading *r) {
    return r->request->by_graph && r->follow ? r->follow->direction == GPUGRAPH_BOTH
                                             : r->request->undirected;
}

/* Makes a graph without edges. It is not on the connection's list yet, because a query
** that is read as an edge source may itself acquire graphs. */
static graph_ref *new_graph(const reading *r) {
    const graph_request *q = r->request;
    graph_ref *g = graph_frame(
        copy_text(q->edges, q->edges_bytes), &r->edges, q->vertices ? &r->vertices : NULL,
        r->follow ? r->follow->direction : GPUGRAPH_OUT, is_undirected(r));
    if (!g)
        return NULL;
    g->vertices = copy_text(q->vertices, q->vertices_bytes);
    g->params = copy_text(q->params, q->params_bytes);
    if (!g->vertices == !q->vertices && !g->params == !q->params)
        return g;
    graph_free(g);
    return NULL;
}

/* Makes the stamp of a graph that may be kept. A graph without a stamp is not kept. */
static int stamp_graph(reading *r, graph_ref *g) {
    if (!r->hold || !stamp_keepable(r->c, r->hold))
        return SQLITE_OK;
    int rc = stamp_retake(r->c, r->hold, &g->stamp);
    if (rc == SQLITE_OK)
        stamp_settle(g->stamp);
    return rc;
}

/* The most nested reads of edge sources. The limit stops a view that reads itself. */
enum { MAX_READINGS = 6 };

static int keep_twin(reading *r, loaded *other) {
    graph_ref *twin = new_graph(r);
    if (!twin) {
        loaded_clear(other);
        return SQLITE_NOMEM;
    }
    graph_take(twin, other);
    twin->undirected = !is_undirected(r);
    graph_list(r->c, twin);
    r->twin = twin;
    return SQLITE_OK;
}

static int load_rows(reading *r, loaded *got, loaded *other) {
    if (r->c->readings >= MAX_READINGS)
        return explain_fault(r, SQLITE_ERROR,
                             sqlite3_mprintf("%s is read while %d other edge sources "
                                             "are being read: a view or query reads "
                                             "itself; make it read tables",
                                             r->edges.name, MAX_READINGS));
    graph_request request = *r->request;
    request.undirected = is_undirected(r);
    r->c->readings++;
    int rc =
        graph_load(r->c, &request, &r->edges, r->request->vertices ? &r->vertices : NULL,
                   r->request->weight == WEIGHT_NO ? TRY_WEIGHTS : READ_WEIGHTS, got,
                   other, r->error);
    r->c->readings--;
    return rc;
}

static int read_rows_into(reading *r, graph_ref *g) {
    const bool twin = !g->stamp && g->two_ways;
    loaded got, other;
    int rc = load_rows(r, &got, twin ? &other : NULL);
    if (rc)
        return rc;
    graph_take(g, &got);
    return twin ? keep_twin(r, &other) : SQLITE_OK;
}

/* ---- other connections' graphs ---- */

static int load_for_all(void *reading, loaded *got) {
    return load_rows(reading, got, NULL);
}

/* Loads the graph, or finds it among the graphs of other connections. The process shares
** a graph if the graph may be kept and its rows have a name (graph_identify). */
static int find_or_load(reading *r, graph_ref *g) {
    graph_name name = {.source = r->edges.name,
                       .undirected = r->request->undirected && g->two_ways};
    loaded got;
    if (!g->stamp || r->follow || r->request->vertices || r->request->filter ||
        !graph_identify(r->c, &r->edges, &name.rows))
        return read_rows_into(r, g);
    int rc = shared_load(r->c, &name, load_for_all, r, &got, &g->shared);
    if (rc == SQLITE_OK)
        graph_take(g, &got);
    return rc;
}

/* Fails if weights are needed and the graph has none. */
static int check_weights_of(reading *r, const graph_ref *g) {
    enum weight_need need = r->request->weight;
    bool unclear = need == WEIGHT_IF_CLEAR && g->weight_unclear;
    bool must = need == WEIGHT_YES || g->weight_column || unclear;
    if (need == WEIGHT_NO || !g->weight_error || !must)
        return SQLITE_OK;
    return fail_with(r->error, "%s: %s%s", r->request->function, g->weight_error,
                     unclear ? SOURCE_OR_NO_WEIGHT : "");
}

/* Reads the graph that the texts name, and adds no reference. The graph has a stamp if it
** may be kept. r->hold is the read transaction in which the graph was read, or NULL. */
static int read_graph(reading *r, graph_ref **made) {
    int rc = parse_texts(r);
    rc = rc ? rc : resolve_texts(r);
    rc = rc ? rc : hold_tables(r);
    if (rc)
        return rc;
    *made = NULL;
    if (r->follow) {
        rc = followed_catch_up(r, made);
        if (rc || *made)
            return rc;
    }
    graph_ref *g = new_graph(r);
    if (!g)
        return SQLITE_NOMEM;
    rc = check_weights_of(r, g); /* before rows are read */
    rc = rc ? rc : stamp_graph(r, g);
    check_done(r);
    rc = rc ? rc : find_or_load(r, g);
    if (rc) {
        graph_free(g);
        return rc;
    }
    graph_list(r->c, g);
    *made = g;
    return SQLITE_OK;
}

static void reading_clear(reading *r) {
    edge_source_clear(&r->edges_text);
    edge_source_clear(&r->vertices_text);
    row_source_clear(&r->edges);
    row_source_clear(&r->vertices);
    if (r->follow)
        definition_clear(r->follow);
    sqlite3_free(r->follow);
    stamp_free(r->hold);
}

/* ---- a kept graph ---- */

/* Finds a kept graph whose tables are unchanged. r->hold is then the read transaction. */
static int find_kept(reading *r, graph_ref **found) {
    connection *c = r->c;
    graph_ref *next;
    for (graph_ref *g = c->graphs; g; g = next) {
        next = g->next;
        if (!g->stamp || g->dropped || !graph_named(g, r->request))
            continue;
        int rc = stamp_retake(c, g->stamp, &r->hold);
        if (rc == SQLITE_OK && graph_is_current(g, r->hold)) {
            *found = g;
            return SQLITE_OK;
        }
        bool writing = r->hold && stamp_writing(r->hold);
        stamp_free(r->hold);
        r->hold = NULL;
        if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT || (rc & 0xff) == SQLITE_BUSY)
            return explain_lock(r, rc, g->edges);
        r->why = "the table has changed since its graph was read";
        if (!writing) /* a graph that is not current now may be so after a ROLLBACK */
            graph_drop(c, g);
    }
    return SQLITE_OK;
}

/* Binds the graph, and its twin if there is one, to the statement. */
static int bind_found(reading *r, graph_ref *found) {
    int rc = graph_bind(r->c, r->scope, r->request, found, r->hold);
    r->hold = NULL;
    if (rc)
        graph_settle(r->c, found);
    if (r->twin && rc == SQLITE_OK)
        rc = graph_bind(r->c, r->scope, r->request, r->twin, NULL);
    if (r->twin && rc)
        graph_settle(r->c, r->twin);
    return rc;
}

/* Finds the graph for a statement that has not seen it yet. */
static int find_or_read(reading *r, graph_ref **found) {
    *found = NULL;
    r->why = "no graph is kept under this name";
    int rc = find_kept(r, found);
    if (rc == SQLITE_OK && *found) {
        r->why = "the kept graph is current";
        check_done(r);
    } else if (rc == SQLITE_OK) {
        rc = followed_find(r, found);
        if (rc == SQLITE_OK && !*found)
            rc = read_graph(r, found);
    }
    return rc ? rc : bind_found(r, *found);
}

static int find_graph(reading *r, graph_ref **found) {
    struct binding *b = binding_find(r->c, r->scope, r->request);
    if (!b && r->request->followed) {
        *found = graph_seen(r->c, r->scope, r->request->edges, r->request);
        if (!*found) {
            *found = followed_graph(r->request->followed, r->request);
            r->twin = followed_other(r->request->followed, *found);
        }
        return bind_found(r, *found);
    }
    if (!b)
        return find_or_read(r, found);
    *found = b->graph;
    return SQLITE_OK;
}

static bool has_numbers(const gpugraph_graph *graph, enum vertex_numbers numbers) {
    const bool in_order = gpugraph_later_vertices(graph) == 0;
    return numbers == NUMBERS_ANY ||
           (in_order &&
            (numbers == NUMBERS_IN_ORDER || gpugraph_tombstones(graph, NULL) == 0));
}

/* Compacts a followed graph whose vertex numbers the caller cannot handle. If the graph
** has other users, compacts a copy, which the statement then uses. */
static int settle_numbers(reading *r, graph_ref **found) {
    graph_ref *g = *found, *made;
    if (has_numbers(g->graph, r->request->numbers))
        return SQLITE_OK;
    if (!g->shared && g->references == 0 && g->bindings == 1)
        return graph_compact(r->c, g);
    int rc = graph_copy(r->c, g, &made);
    rc = rc ? rc : graph_compact(r->c, made);
    if (rc) {
        graph_free(made);
        return rc;
    }
    graph_list(r->c, made);
    struct binding *b = binding_find(r->c, r->scope, r->request);
    b->graph = made;
    made->bindings++;
    g->bindings--;
    graph_settle(r->c, g);
    *found = made;
    return SQLITE_OK;
}

/* Fails if an id is a number in one column and a text in the other. */
static int check_ids_of(reading *r, graph_ref *g) {
    char *fault;
    int rc = mixed_ids_check(r->c, g, &fault);
    return explain_fault(r, rc, fault);
}

/* Copies device-resident edges to the host if the caller needs them there. */
static int bring_edges_of(reading *r, const graph_ref *g) {
    gpugraph_run run;
    if (!r->request->edges_here)
        return SQLITE_OK;
    connection_run(r->c, &run);
    gpugraph_bring_edges(g->graph, &run);
    return code_of_run(&run, r->request->function, r->error);
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
                 .started_ms = gg_now_ms(),
                 .error = error};
    graph_ref *g;
    wal_notes_take(&c->logs, c->db);
    connection_note(c);
    int rc = find_graph(&r, &g);
    rc = rc ? rc : check_weights_of(&r, g);
    rc = rc ? rc : check_ids_of(&r, g);
    rc = rc ? rc : induced_subgraph(&r, &g);
    rc = rc ? rc : settle_numbers(&r, &g);
    rc = rc ? rc : bring_edges_of(&r, g);
    if (rc == SQLITE_OK) {
        g->references++;
        g->acquired = true;
        graph_touch(c, g);
        if (g->stamp)
            graph_drop_others(c, g, request);
        *ref = g;
    }
    reading_clear(&r);
    scope_close(c, &own);
    cache_trim(c);
    return rc;
}
