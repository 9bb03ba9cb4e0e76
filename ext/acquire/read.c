/* From the texts that name a graph to the graph.
**
**     parse     'roads(a, b)'  ->  edge_source
**     resolve                  ->  row_source: main.roads, columns a, b
**     hold                     ->  read transactions of plain tables, and their stamp
**     resolve                      again, now that nothing moves
**     load                     ->  graph */
#include "read.h"
#include "kept/shared.h"
#include "source/query_params.h"
#include <string.h>

static int parse_texts(reading *r) {
    const graph_request *q = r->request;
    char *sentence;
    int rc =
        edge_parse(q->edges, q->edges_bytes, EDGE_COLUMNS, &r->edges_text, &sentence);
    if (rc == SQLITE_OK && q->vertices)
        rc = edge_parse(q->vertices, q->vertices_bytes, 1, &r->vertices_text, &sentence);
    return explain_fault(r, rc, sentence);
}

static int resolve(reading *r) {
    const char *function = r->request->function;
    row_source_clear(&r->edges);
    row_source_clear(&r->vertices);
    int rc = source_resolve(r->c, function, "edges", r->scope, &r->edges_text, &r->edges,
                            r->error);
    if (rc == SQLITE_OK) {
        char *fault;
        rc = query_params_bind(r->c->db, r->edges.query, r->request, &fault);
        rc = explain_fault(r, rc, fault);
    }
    if (rc == SQLITE_OK && r->edges.kind == 'g' && r->edges_text.columns == 0)
        rc = followed_redirect(r);
    if (rc == SQLITE_OK && r->request->vertices)
        rc = source_resolve(r->c, function, "vertices", r->scope, &r->vertices_text,
                            &r->vertices, r->error);
    return rc;
}

static bool is_plain(const row_source *rows) {
    return rows->kind == 't' || rows->kind == 'w';
}

/* Opens the read transactions of plain tables, and looks the names up again inside
** them. */
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
    rc = resolve(r);
    bool moved =
        rc == SQLITE_OK && (strcmp(name, r->edges.name) != 0 || !is_plain(&r->edges) ||
                            (vertices && !is_plain(vertices)));
    sqlite3_free(name);
    if (rc == SQLITE_OK && !moved)
        r->edges.unwritten = stamp_unwritten(r->hold, &r->edges.schema_version);
    if (moved) { /* another process has changed the schema: keep nothing */
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

/* Not in the list yet: a query that is read may ask for graphs itself, and look at the list. */
static graph_ref *new_graph(const reading *r) {
    const graph_request *q = r->request;
    graph_ref *g =
        graph_frame(r->c, copy_text(q->edges, q->edges_bytes), &r->edges,
                    q->vertices ? &r->vertices : NULL,
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

/* Makes the stamp of a graph that may be kept; none where it may not. */
static int stamp_graph(reading *r, graph_ref *g) {
    if (!r->hold || !stamp_keepable(r->c, r->hold))
        return SQLITE_OK;
    int rc = stamp_retake(r->c, r->hold, &g->stamp);
    if (rc == SQLITE_OK)
        stamp_settle(g->stamp);
    return rc;
}

/* Sources that are read in one another: no honest one is so deep, and a view that reads
** itself ends here. */
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
                             sqlite3_mprintf("%s is read in the course of reading %d "
                                             "other edge sources: a view or query "
                                             "reads itself; make it read tables",
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

/* The graph of a stamp that is kept is the process's, where its rows have a name. */
static int find_or_load(reading *r, graph_ref *g) {
    graph_name name = {.source = r->edges.name,
                       .undirected = r->request->undirected && g->two_ways};
    loaded got;
    if (!g->stamp || r->follow || r->request->vertices ||
        !graph_identify(r->c, &r->edges, &name.rows))
        return read_rows_into(r, g);
    int rc = shared_load(r->c, &name, r->edges.name, load_for_all, r, &got, &g->shared);
    if (rc == SQLITE_OK)
        graph_take(g, &got);
    return rc;
}

/* Weights that are needed, of a source that has none, or where it is not clear which. */
static int check_weight(reading *r) {
    const row_source *edges = &r->edges;
    enum weight_need need = r->request->weight;
    bool unclear = need == WEIGHT_IF_CLEAR && edges->weight_unclear;
    if (edges->column[WEIGHT_COLUMN] || (need != WEIGHT_YES && !unclear))
        return SQLITE_OK;
    char *sentence = source_without_weight(edges);
    if (sentence && unclear)
        sentence = sqlite3_mprintf("%z" SOURCE_OR_NO_WEIGHT, sentence);
    return explain_fault(r, SQLITE_ERROR, sentence);
}

/* Reads the graph that the texts name. */
int read_graph(reading *r, graph_ref **made) {
    int rc = parse_texts(r);
    if (rc == SQLITE_OK)
        rc = resolve(r);
    if (rc == SQLITE_OK)
        rc = hold_tables(r);
    if (rc == SQLITE_OK)
        rc = check_weight(r);
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
    rc = stamp_graph(r, g);
    check_done(r);
    if (rc == SQLITE_OK)
        rc = find_or_load(r, g);
    if (rc) {
        graph_free(g);
        return rc;
    }
    graph_list(r->c, g);
    *made = g;
    return SQLITE_OK;
}

void reading_clear(reading *r) {
    edge_source_clear(&r->edges_text);
    edge_source_clear(&r->vertices_text);
    row_source_clear(&r->edges);
    row_source_clear(&r->vertices);
    if (r->follow)
        definition_clear(r->follow);
    sqlite3_free(r->follow);
    stamp_free(r->hold);
}
