/* Functions of followed graphs: gpugraph_check, gpugraph_save; delete.c has
** gpugraph_delete_vertex.
**
**     'g' -> the virtual table g -> its definition, and the graph as the statement sees it
**
**     gpugraph_check   table in order of rowid  <-> mirror in order of edge id
**     gpugraph_save    mirror -> blocks in the file */
#include "functions.h"
#include "base/scalar_functions.h"
#include "acquire/acquire.h"
#include "graph_table.h"
#include "follow/blocks.h"
#include "base/savepoint.h"
#include "table_function/find_id.h"
#include "table_function/function_scope.h"
#include "source/condition.h"
#include <stdlib.h>
#include <string.h>

void graph_call_end(graph_call *call) {
    graph_release(call->c, call->graph);
    definition_clear(&call->definition);
    row_source_clear(&call->rows);
    sqlite3_free(call->error);
}

/* Names the virtual table. */
static int find_graph_table(graph_call *call, const char *text, int bytes) {
    edge_source source;
    table_info info = {0};
    char *error = NULL;
    int rc = edge_parse(text, bytes, EDGE_COLUMNS, &source, &error);
    if (rc == SQLITE_OK && (source.query || source.columns))
        rc = SQLITE_MISMATCH;
    else if (rc == SQLITE_OK)
        rc = table_find(call->c->db, source.schema, source.table, &info, &error);
    if (rc == SQLITE_OK && info.kind != 'g')
        rc = SQLITE_MISMATCH;
    if (rc == SQLITE_OK)
        rc = definition_read(call->c->db, info.schema, info.name, &call->definition,
                             &error);
    if (rc == SQLITE_MISMATCH) {
        error = sqlite3_mprintf(
            "'%.60s' is no graph made by CREATE VIRTUAL TABLE ... USING gpugraph; "
            "gpugraph_graphs lists those that there are",
            text);
        rc = SQLITE_ERROR;
    }
    if (rc && error)
        call->error = sqlite3_mprintf("%s: %s", call->function, error);
    sqlite3_free(error);
    table_info_clear(&info);
    edge_source_clear(&source);
    return rc;
}

int graph_call_begin(graph_call *call, sqlite3_context *context, const char *function,
                     sqlite3_value *name) {
    memset(call, 0, sizeof *call);
    call->c = sqlite3_user_data(context);
    call->function = function;
    if (sqlite3_value_type(name) != SQLITE_TEXT) {
        call->error =
            sqlite3_mprintf("%s: the first argument must be the name of a graph "
                            "made by CREATE VIRTUAL TABLE ... USING gpugraph",
                            function);
        return call->error ? SQLITE_ERROR : SQLITE_NOMEM;
    }
    graph_request request = {.function = function, .weight = WEIGHT_NO, .backend = -1};
    request.edges = (const char *)sqlite3_value_text(name);
    request.edges_bytes = sqlite3_value_bytes(name);
    request.scope = statement_scope(context, call->c);
    if (!request.edges || !request.scope)
        return SQLITE_NOMEM;
    int rc = find_graph_table(call, request.edges, request.edges_bytes);
    if (rc == SQLITE_OK)
        rc = definition_resolve(call->c, function, request.scope, &call->definition,
                                &call->rows, &call->error);
    if (rc)
        return rc;
    search_watch watch;
    watch_begin(&watch, call->c);
    rc = graph_acquire(call->c, &request, &call->graph, &call->error);
    watch_end(&watch, call->c);
    return rc;
}

void graph_call_result(sqlite3_context *context, graph_call *call, int rc) {
    if (rc == SQLITE_NOMEM) {
        sqlite3_result_error_nomem(context);
    } else if (rc != SQLITE_OK) {
        if (call->error && rc != SQLITE_INTERRUPT)
            sqlite3_result_error(context, call->error, -1);
        sqlite3_result_error_code(context, rc);
    }
    graph_call_end(call);
}

int graph_call_failure(graph_call *call, int rc, const char *what) {
    if (rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT)
        call->error = sqlite3_mprintf("%s: %s cannot be %s: %s", call->function,
                                      call->rows.name, what, sqlite3_errmsg(call->c->db));
    return rc;
}

void graph_call_reason(graph_call *call, int rc, const char *reason) {
    if (rc && rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT && reason && !call->error)
        call->error = sqlite3_mprintf("%s: %s", call->function, reason);
}

/* ---- gpugraph_check ---- */

enum { SHOWN_DIFFERENCES = 10 };

typedef struct check {
    graph_call call;
    const gpugraph_edge_list *edges;
    uint64_t count, at; /* edges of the graph; the next to compare */
    char *lone;         /* by vertex: it stands beside a NULL end */
    sqlite3_str *said;
    sqlite3_int64 differences;
} check;

static sqlite3_int64 id_of(const check *k, uint64_t e) {
    return k->edges->edge_id ? k->edges->edge_id[e] : (sqlite3_int64)e + 1;
}

static void say(check *k, sqlite3_int64 id, const char *what) {
    if (k->differences++ < SHOWN_DIFFERENCES)
        sqlite3_str_appendf(k->said, "%sedge %lld %s", k->differences > 1 ? "; " : "", id,
                            what);
}

/* The row with this id: edges of the graph before it are in no row. */
static void compare_row(check *k, sqlite3_int64 id, sqlite3_value **value) {
    for (; k->at < k->count && id_of(k, k->at) < id; k->at++)
        say(k, id_of(k, k->at), "is in the graph and not in the table");
    if (k->at == k->count || id_of(k, k->at) != id) {
        say(k, id, "is in the table and not in the graph");
        return;
    }
    if (!row_is_edge(k->call.graph, k->at, value))
        say(k, id, "differs between table and graph");
    k->at++;
}

/* A row with a NULL end is no edge, but its other end is a vertex. */
static int compare_half(check *k, sqlite3_int64 id, sqlite3_value **value) {
    for (int end = 0; end < 2; end++) {
        uint32_t v;
        if (sqlite3_value_type(value[end]) == SQLITE_NULL)
            continue;
        int rc = find_vertex(k->call.graph->graph, 'A', value[end], &v);
        if (rc)
            return rc;
        if (v == GPUGRAPH_NONE)
            say(k, id, "has a NULL end, and its other end is no vertex of the graph");
        else
            k->lone[v] = 1;
    }
    return SQLITE_OK;
}

/* Vertices are the ends of rows and nothing else. */
static int compare_vertices(check *k) {
    uint32_t n = gpugraph_vertex_count(k->call.graph->graph), used = 0;
    char *seen = k->lone;
    for (uint64_t e = 0; e < k->count; e++)
        seen[k->edges->source[e]] = seen[k->edges->target[e]] = 1;
    for (uint32_t v = 0; v < n; v++)
        used += (uint32_t)seen[v];
    if (used != n && k->differences++ < SHOWN_DIFFERENCES)
        sqlite3_str_appendf(k->said, "%s%u vertices of the graph are on no edge",
                            k->differences > 1 ? "; " : "", n - used);
    return SQLITE_OK;
}

static int prepare_scan(check *k, const char *rowid, sqlite3_stmt **scan) {
    const row_source *rows = &k->call.rows;
    sqlite3_str *text = sqlite3_str_new(k->call.c->db);
    sqlite3_str_appendall(text, OWN_SQL "SELECT ");
    for (int i = 0; i < 3 && rows->column[i]; i++)
        sqlite3_str_appendf(text, "%s\"%w\"", i ? ", " : "", rows->column[i]);
    if (rowid)
        sqlite3_str_appendf(text, ", \"%w\"", rowid);
    sqlite3_str_appendall(text, " FROM ");
    append_table_in_order(text, &rows->table, rows->where);
    char *sql = sqlite3_str_finish(text);
    *scan = NULL;
    int rc = sql ? sqlite3_prepare_v2(k->call.c->db, sql, -1, scan, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc;
}

static int compare(check *k) {
    sqlite3_stmt *scan;
    sqlite3_int64 row = 0;
    const char *rowid = source_rowid(&k->call.rows);
    int step = SQLITE_DONE, rc = prepare_scan(k, rowid, &scan);
    int columns = rc ? 0 : sqlite3_column_count(scan) - (rowid != NULL);
    while (rc == SQLITE_OK && (step = sqlite3_step(scan)) == SQLITE_ROW) {
        sqlite3_value *value[3] = {NULL, NULL, NULL};
        for (int i = 0; i < columns; i++)
            value[i] = sqlite3_column_value(scan, i);
        bool half = sqlite3_column_type(scan, 0) == SQLITE_NULL ||
                    sqlite3_column_type(scan, 1) == SQLITE_NULL;
        row += !half;
        sqlite3_int64 id = rowid ? sqlite3_column_int64(scan, columns) : row;
        if (half)
            rc = compare_half(k, id, value);
        else
            compare_row(k, id, value);
    }
    rc = rc ? rc : step == SQLITE_DONE ? SQLITE_OK : step;
    if (rc)
        graph_call_failure(&k->call, rc, "read");
    sqlite3_finalize(scan);
    for (; rc == SQLITE_OK && k->at < k->count; k->at++)
        say(k, id_of(k, k->at), "is in the graph and not in the table");
    return rc ? rc : compare_vertices(k);
}

/* gpugraph_check(graph): 'ok', or the first differences. */
static void check_graph(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    check k = {.said = sqlite3_str_new(NULL)};
    int rc = graph_call_begin(&k.call, context, "gpugraph_check", argv[0]);
    if (rc == SQLITE_OK) {
        k.edges = gpugraph_edges_of(k.call.graph->graph);
        k.count = gpugraph_edge_count(k.call.graph->graph);
        k.lone = calloc((size_t)gpugraph_vertex_count(k.call.graph->graph) + 1, 1);
        rc = k.lone ? compare(&k) : SQLITE_NOMEM;
    }
    if (k.differences > SHOWN_DIFFERENCES)
        sqlite3_str_appendf(k.said, "; and %lld more", k.differences - SHOWN_DIFFERENCES);
    else if (k.differences == 0)
        sqlite3_str_appendall(k.said, "ok");
    char *said = sqlite3_str_finish(k.said);
    if (rc == SQLITE_OK && said)
        sqlite3_result_text(context, said, -1, SQLITE_TRANSIENT);
    graph_call_result(context, &k.call, rc == SQLITE_OK && !said ? SQLITE_NOMEM : rc);
    free(k.lone);
    sqlite3_free(said);
}

/* ---- gpugraph_save ---- */

static int save_in_savepoint(graph_call *call, uint64_t *bytes) {
    const block_graphs graphs = {call->graph->graph, call->graph->half_rows};
    savepoint s;
    char *error = NULL;
    int rc = savepoint_open(&s, call->c->db, &call->rows.table, &error);
    if (rc == SQLITE_OK)
        rc = blocks_write(call->c, &call->definition, &graphs, bytes, &error);
    rc = savepoint_close(&s, rc, &error);
    graph_call_reason(call, rc, error);
    sqlite3_free(error);
    return rc;
}

/* gpugraph_save(graph): the bytes of the packed graph, which is now in the file. */
static void save_graph(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    graph_call call;
    uint64_t bytes = 0;
    int rc = graph_call_begin(&call, context, "gpugraph_save", argv[0]);
    char *why_not = NULL;
    if (rc == SQLITE_OK && !call.definition.persist)
        why_not =
            sqlite3_mprintf("%s was made without persist = 1; DROP TABLE %s and create "
                            "it with that option",
                            call.definition.name, call.definition.name);
    else if (rc == SQLITE_OK && call.definition.trouble)
        why_not =
            sqlite3_mprintf("%s is %s", call.definition.name, call.definition.trouble);
    else if (rc == SQLITE_OK && call.graph->weight_column && !call.graph->has_weight)
        why_not = sqlite3_mprintf("%s", call.graph->weight_error);
    if (why_not) {
        call.error = sqlite3_mprintf("gpugraph_save: %s", why_not);
        rc = SQLITE_ERROR;
    }
    sqlite3_free(why_not);
    if (rc == SQLITE_OK)
        rc = save_in_savepoint(&call, &bytes);
    if (rc == SQLITE_OK)
        sqlite3_result_int64(context, (sqlite3_int64)bytes);
    graph_call_result(context, &call, rc);
}

int graph_functions_register(connection *c) {
    static const scalar_function functions[] = {
        {"gpugraph_check", 1, SQLITE_INNOCUOUS, check_graph},
        {"gpugraph_delete_vertex", 2, SQLITE_DIRECTONLY, gpugraph_delete_vertex},
        {"gpugraph_save", 1, SQLITE_DIRECTONLY, save_graph},
    };
    return scalar_functions_register(c, functions, sizeof functions / sizeof *functions);
}
