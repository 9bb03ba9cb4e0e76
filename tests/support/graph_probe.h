/* SQL functions that show the graph of a statement, for tests of the layers below the
** table functions:
**
**     graph(edges [, vertices [, weights]])
**                                     each edge as source>destination#id=weight,
**                                     by edge number; then | and lone vertices;
**                                     weights: 'weights' (needed), or other text
**     probe.reads                     number of reads of rows since it was set to 0
**
** Like the table functions, they have one scope for each statement and release what they
** acquire. */
#ifndef GPUGRAPH_GRAPH_PROBE_H
#define GPUGRAPH_GRAPH_PROBE_H

#include "entry/entry.h"
#include "acquire/acquire.h"
#include "assertions.h"
#include <string.h>

typedef struct probe {
    connection c;
    int reads;
} probe;

typedef struct probe_scope {
    connection *c;
    scope scope;
} probe_scope;

static void probe_scope_free(void *pointer) {
    probe_scope *held = pointer;
    scope_close(held->c, &held->scope);
    sqlite3_free(held);
}

static const scope *probe_scope_of(sqlite3_context *context, connection *c) {
    probe_scope *held = sqlite3_get_auxdata(context, -1);
    if (!held) {
        held = sqlite3_malloc(sizeof *held);
        if (!held)
            return NULL;
        held->c = c;
        if (scope_open(c, &held->scope, NULL)) {
            sqlite3_free(held);
            return NULL;
        }
        sqlite3_set_auxdata(context, -1, held, probe_scope_free);
        held = sqlite3_get_auxdata(context, -1);
    }
    return held ? &held->scope : NULL;
}

static void probe_add_id(sqlite3_str *out, const gpugraph_ids *ids, uint32_t v) {
    if (v < ids->integer_count) {
        sqlite3_str_appendf(
            out, "%lld",
            (sqlite3_int64)(ids->integer ? ids->integer[v] : ids->first_integer + v));
        return;
    }
    const gpugraph_texts *texts = &ids->texts;
    uint64_t length;
    const char *text = gpugraph_text(texts, v - ids->integer_count, &length);
    sqlite3_str_appendf(out, "'%.*q'", (int)length, text);
}

static void probe_add_weight(sqlite3_str *out, const gpugraph_edge_list *edges,
                             uint32_t e) {
    if (edges->weight_type == GPUGRAPH_UNWEIGHTED)
        return;
    if (edges->weight_real)
        sqlite3_str_appendf(out, "=%!.17g", edges->weight_real[e]);
    else
        sqlite3_str_appendf(out, "=%lld",
                            edges->weight32 ? (sqlite3_int64)edges->weight32[e]
                                            : (sqlite3_int64)edges->weight64[e]);
}

static char *probe_describe(const gpugraph_graph *graph, bool weights) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    const gpugraph_ids *ids = gpugraph_vertex_ids(graph);
    uint64_t m = gpugraph_edge_count(graph);
    uint32_t n = gpugraph_vertex_count(graph);
    char *touched = sqlite3_malloc((int)n + 1);
    sqlite3_str *out = sqlite3_str_new(NULL);
    if (touched)
        memset(touched, 0, (size_t)n + 1);
    for (uint64_t e = 0; e < m && touched; e++) {
        sqlite3_str_appendall(out, e ? " " : "");
        probe_add_id(out, ids, edges->source[e]);
        sqlite3_str_appendall(out, ">");
        probe_add_id(out, ids, edges->target[e]);
        sqlite3_str_appendf(out, "#%lld",
                            edges->edge_id ? edges->edge_id[e] : (sqlite3_int64)e + 1);
        if (weights)
            probe_add_weight(out, edges, e);
        touched[edges->source[e]] = touched[edges->target[e]] = 1;
    }
    for (uint32_t v = 0, first = 1; v < n && touched; v++) {
        if (touched[v])
            continue;
        sqlite3_str_appendall(out, first ? "|" : " ");
        probe_add_id(out, ids, v);
        first = 0;
    }
    sqlite3_str_append(out, "", 0);
    sqlite3_free(touched);
    char *text = sqlite3_str_finish(out);
    return text ? text : sqlite3_mprintf("");
}

static void probe_graph(sqlite3_context *context, int count, sqlite3_value **value) {
    probe *p = sqlite3_user_data(context);
    graph_ref *graph;
    char *error;
    graph_request request = {.function = "gpu_test",
                             .scope = probe_scope_of(context, &p->c)};
    request.edges = (const char *)sqlite3_value_text(value[0]);
    request.edges_bytes = sqlite3_value_bytes(value[0]);
    if (count > 1 && sqlite3_value_type(value[1]) != SQLITE_NULL) {
        request.vertices = (const char *)sqlite3_value_text(value[1]);
        request.vertices_bytes = sqlite3_value_bytes(value[1]);
    }
    if (count > 2)
        request.weight =
            strcmp((const char *)sqlite3_value_text(value[2]), "weights") == 0
                ? WEIGHT_YES
                : WEIGHT_IF_ANY;
    if (!request.scope || !request.edges) {
        sqlite3_result_error_nomem(context);
        return;
    }
    timings_clear(&p->c.timings);
    p->c.timings.open = true;
    int rc = graph_acquire(&p->c, &request, &graph, &error);
    for (int i = 0; i < p->c.timings.count; i++)
        p->reads += strcmp(p->c.timings.row[i].phase, "read") == 0;
    if (rc) {
        if (error)
            sqlite3_result_error(context, error, -1);
        sqlite3_result_error_code(context, rc);
        if (error)
            sqlite3_result_error(context, error, -1);
        sqlite3_free(error);
        return;
    }
    sqlite3_result_text(context, probe_describe(graph->graph, count > 2), -1,
                        sqlite3_free);
    graph_release(&p->c, graph);
}

/* Like sqlite3_gpugraph_init, with the probe instead of the table functions. */
static void probe_open(probe *p, sqlite3 *db) {
    memset(p, 0, sizeof *p);
    p->c.db = db;
    p->c.references = 1; /* the test holds it: the connection is not on the heap */
    p->c.ends = &connection_ends;
    p->c.config.cache_limit = 1 << 30;
    p->c.config.threads = 1;
    p->c.config.backend = GPUGRAPH_CPU;
    p->c.tables++;
    ck_assert_int_eq(loader_register(&p->c), SQLITE_OK);
    /* gpu_test names its requests: a query may stand only in a function of this name. */
    static const char *const names[] = {"graph", "gpu_test"};
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(sqlite3_create_function(db, names[i], -1, SQLITE_UTF8, p,
                                                 probe_graph, NULL, NULL),
                         SQLITE_OK);
}

static void probe_run(probe *p, const char *sql) {
    char *error = NULL;
    int rc = sqlite3_exec(p->c.db, sql, NULL, NULL, &error);
    ck_assert_msg(rc == SQLITE_OK, "%s: %s", sql, error);
}

/* The first column of the first row, or the error's message; valid until the next
** call. */
static const char *probe_get(probe *p, const char *sql) {
    static char *kept;
    sqlite3_stmt *statement = NULL;
    sqlite3_free(kept);
    kept = NULL;
    if (!sql)
        return NULL;
    if (sqlite3_prepare_v2(p->c.db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        kept = sqlite3_mprintf("%s", (const char *)sqlite3_column_text(statement, 0));
    if (sqlite3_finalize(statement) != SQLITE_OK || !kept) {
        sqlite3_free(kept);
        kept = sqlite3_mprintf("%s", sqlite3_errmsg(p->c.db));
    }
    return kept;
}

/* Closes the database too. */
static void probe_close(probe *p) {
    probe_get(p, NULL);
    connection_table_closed(&p->c);
    ck_assert_ptr_null(p->c.bindings);
    ck_assert_ptr_null(p->c.executions);
    p->c.ends->connection(&p->c);
    ck_assert_int_eq(sqlite3_close(p->c.db), SQLITE_OK);
    ck_assert_int_eq(p->c.references, 1);
}

#define probe_expect(p, sql, text) ck_assert_str_eq(probe_get(p, sql), text)

#endif
