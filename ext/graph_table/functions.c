/* Functions of followed graphs: gpugraph_check and gpugraph_save; delete.c has
** gpugraph_delete_vertex.
**
**     'g' -> the virtual table g -> its definition, the graph as the statement sees it
**
**     gpugraph_check   table in the order of rowids  <-> mirror in the order of rowids
**     gpugraph_save    mirror -> blocks in the file
**/
#include "functions.h"
#include "base/scalar_functions.h"
#include "acquire/acquire.h"
#include "follow/blocks.h"
#include "load/loader.h"
#include "base/savepoint.h"
#include "table_function/graph_values.h"
#include "source/condition.h"
#include "base/statement.h"
#include <stdlib.h>
#include <string.h>

void graph_call_end(graph_call *call) {
    graph_release(call->c, call->graph);
    graph_release(call->c, call->both);
    definition_clear(&call->definition);
    row_source_clear(&call->rows);
    sqlite3_free(call->error);
}

/* Finds the virtual table that the text names. */
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
            "'%!.60s' is not a graph made by CREATE VIRTUAL TABLE ... USING gpugraph; "
            "gpugraph_graphs lists the graphs",
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

/* Acquires the graph for direction 'both', or the one for the others. */
static int acquire_functions(graph_call *call, sqlite3_context *context,
                             const char *edges, bool undirected, graph_ref **graph) {
    const graph_request request = {.function = call->function,
                                   .edges = edges,
                                   .edges_bytes = (int)strlen(edges),
                                   .weight = WEIGHT_NO,
                                   .undirected = undirected,
                                   .numbers = call->numbers,
                                   .edges_here = true,
                                   .backend = -1,
                                   .scope = statement_scope(context, call->c)};
    search_watch watch;
    if (!request.scope)
        return SQLITE_NOMEM;
    watch_begin(&watch, call->c);
    int rc = graph_acquire(call->c, &request, graph, &call->error);
    watch_end(&watch, call->c);
    return rc;
}

int graph_call_begin(graph_call *call, sqlite3_context *context, const char *function,
                     sqlite3_value *name, enum vertex_numbers numbers) {
    memset(call, 0, sizeof *call);
    call->numbers = numbers;
    call->c = sqlite3_user_data(context);
    call->function = function;
    if (sqlite3_value_type(name) != SQLITE_TEXT) {
        return fail_with(&call->error,
                         "%s: the first argument must be the name of a graph "
                         "made by CREATE VIRTUAL TABLE ... USING gpugraph",
                         function);
    }
    const char *edges = (const char *)sqlite3_value_text(name);
    const scope *scope = statement_scope(context, call->c);
    if (!edges || !scope)
        return SQLITE_NOMEM;
    int rc = find_graph_table(call, edges, sqlite3_value_bytes(name));
    if (rc == SQLITE_OK)
        rc = definition_resolve(call->c, function, scope, &call->definition, &call->rows,
                                &call->error);
    if (rc == SQLITE_OK)
        rc = acquire_functions(call, context, edges, false, &call->graph);
    if (rc == SQLITE_OK && call->graph->two_ways)
        rc = acquire_functions(call, context, edges, true, &call->both);
    return rc;
}

void graph_call_result(sqlite3_context *context, graph_call *call, int rc) {
    if (rc != SQLITE_OK) {
        function_fail_with(context, rc, call->error);
        call->error = NULL;
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
    const graph_ref *graph; /* the graph of the call that is being checked */
    const gpugraph_graph
        *numbers;       /* the graph whose edge ids find edges: `graph` or its row_ids */
    uint64_t count, at; /* the number of edges; the next edge to compare */
    char *lone;         /* by vertex: 1 if a half row keeps it */
    sqlite3_str *said;
    sqlite3_int64 differences;
} check;

static sqlite3_int64 number_of_edge(const check *k, uint64_t at) {
    return gpugraph_edge_id_of(k->numbers, at);
}

static bool is_directed(const check *k) {
    return k->graph->two_ways && !k->graph->undirected;
}

static void say_difference(check *k, const char *format, ...) {
    va_list values;
    va_start(values, format);
    if (k->differences++ < SHOWN_DIFFERENCES) {
        sqlite3_str_appendall(k->said, k->differences > 1 ? "; " : "");
        sqlite3_str_vappendf(k->said, format, values);
    }
    va_end(values);
}

static void say_of_edge(check *k, sqlite3_int64 number, const char *what) {
    say_difference(k, "%s %lld %s", k->graph->row_ids ? "row" : "edge",
                   is_directed(k) ? number >> 1 : number, what);
}

static bool is_same(const check *k, sqlite3_int64 number, sqlite3_value **value,
                    sqlite3_value *id) {
    gpugraph_graph *rows = k->graph->row_ids;
    const uint64_t e = rows ? row_ids_edge(rows, number) : k->at;
    return e < k->count && row_is_edge(k->graph, e, value) &&
           (!rows || row_ids_same(rows, e, id));
}

/* Compares the edge with this number. Earlier edges of the graph that have not been
** compared are in no row. */
static void compare_edge(check *k, sqlite3_int64 number, sqlite3_value **value,
                         sqlite3_value *id) {
    for (; k->at < k->count && number_of_edge(k, k->at) < number; k->at++)
        say_of_edge(k, number_of_edge(k, k->at), "is in the graph and not in the table");
    if (k->at == k->count || number_of_edge(k, k->at) != number) {
        say_of_edge(k, number, "is in the table and not in the graph");
        return;
    }
    if (!is_same(k, number, value, id))
        say_of_edge(k, number, "differs between table and graph");
    k->at++;
}

/* Checks that the ends of a half row are vertices. */
static int compare_half(check *k, sqlite3_int64 id, sqlite3_value **value) {
    for (int end = 0; end < 2; end++) {
        uint32_t v;
        if (sqlite3_value_type(value[end]) == SQLITE_NULL)
            continue;
        int rc = find_vertex(k->graph->graph, 'A', value[end], &v);
        if (rc)
            return rc;
        if (v == GPUGRAPH_NONE)
            say_of_edge(k, id, "is no edge, and an end of it is no vertex of the graph");
        else
            k->lone[v] = 1;
    }
    return SQLITE_OK;
}

/* Compares a row with a reverse weight. */
static int compare_ways(check *k, sqlite3_int64 row, sqlite3_value **value,
                        sqlite3_value *id) {
    open_ways ways;
    sqlite3_value *weight[] = {value[2], value[3]};
    if (!two_ways_look(weight[0], weight[1], &ways))
        say_of_edge(k, row, "differs between table and graph");
    else if (!ways.open[0] && !ways.open[1])
        return compare_half(k, is_directed(k) ? 2 * row : row, value);
    else if (k->graph->undirected)
        compare_edge(k, row,
                     (sqlite3_value *[]){value[0], value[1], weight[ways.cheaper]}, id);
    for (int back = 0; back < 2 && !k->graph->undirected; back++)
        if (ways.open[back])
            compare_edge(k, 2 * row + back,
                         (sqlite3_value *[]){value[back], value[!back], weight[back]},
                         id);
    return SQLITE_OK;
}

enum { CHECKED_TOGETHER = 65536 }; /* edges or vertices between two polls */

/* Checks that all vertices but tombstones are ends of rows. */
static int compare_vertices_of_functions(check *k) {
    const uint32_t *tombstone;
    const uint64_t count = gpugraph_tombstones(k->graph->graph, &tombstone);
    uint32_t n = gpugraph_vertex_count(k->graph->graph), used = 0;
    char *seen = k->lone;
    for (uint64_t e = 0; e < k->count; e++) {
        const gpugraph_edge edge = gpugraph_edge_of(k->graph->graph, e);
        if (e % CHECKED_TOGETHER == 0 && connection_interrupted(k->call.c))
            return SQLITE_INTERRUPT;
        seen[edge.source] = seen[edge.target] = 1;
    }
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; i++) {
        wrong += (uint64_t)seen[tombstone[i]];
        seen[tombstone[i]] = 1;
    }
    if (wrong)
        say_difference(k, "%llu tombstones of the graph are on an edge", wrong);
    for (uint32_t v = 0; v < n; v++) {
        if (v % CHECKED_TOGETHER == 0 && connection_interrupted(k->call.c))
            return SQLITE_INTERRUPT;
        used += (uint32_t)seen[v];
    }
    if (used != n)
        say_difference(k, "%u vertices of the graph are on no edge", n - used);
    return SQLITE_OK;
}

/* The scan's columns: source, destination [, weight [, reverse]] [, edge id] [,
** rowid]. */
static int prepare_scan(check *k, const char *rowid, sqlite3_stmt **scan) {
    static const int order[] = {SOURCE_COLUMN, TARGET_COLUMN, WEIGHT_COLUMN,
                                REVERSE_COLUMN, EDGE_ID_COLUMN};
    const row_source *rows = &k->call.rows;
    sqlite3_str *text = sqlite3_str_new(k->call.c->db);
    sqlite3_str_appendall(text, OWN_SQL "SELECT ");
    for (int i = 0; i < EDGE_COLUMNS; i++)
        if (rows->column[order[i]])
            sqlite3_str_appendf(text, "%s\"%w\"", i ? ", " : "", rows->column[order[i]]);
    if (rowid)
        sqlite3_str_appendf(text, ", \"%w\"", rowid);
    sqlite3_str_appendall(text, " FROM ");
    append_table_in_order(text, &rows->table, rows->where);
    return statement_prepare_text(k->call.c->db, scan, text);
}

/* Compares the scan's row. *row counts the rows that may be edges. */
static int compare_row(check *k, sqlite3_stmt *scan, bool has_rowid, sqlite3_int64 *row) {
    sqlite3_value *value[EDGE_COLUMNS + 1] = {NULL};
    const int columns = sqlite3_column_count(scan);
    for (int i = 0; i < columns; i++)
        value[i] = sqlite3_column_value(scan, i);
    const bool half = sqlite3_column_type(scan, 0) == SQLITE_NULL ||
                      sqlite3_column_type(scan, 1) == SQLITE_NULL,
               has_id = k->call.rows.column[EDGE_ID_COLUMN] != NULL;
    *row += !half;
    const sqlite3_int64 number =
        has_rowid ? sqlite3_column_int64(scan, columns - 1) : *row;
    sqlite3_value *id = value[columns - 1 - (has_id && has_rowid)];
    if (half)
        return compare_half(k, is_directed(k) ? 2 * number : number, value);
    if (k->graph->two_ways)
        return compare_ways(k, number, value, id);
    compare_edge(k, number, value, id);
    return SQLITE_OK;
}

static int compare(check *k) {
    sqlite3_stmt *scan;
    sqlite3_int64 row = 0;
    const char *rowid = source_row_name(&k->call.rows);
    int step = SQLITE_DONE, rc = prepare_scan(k, rowid, &scan);
    while (rc == SQLITE_OK && (step = sqlite3_step(scan)) == SQLITE_ROW)
        rc = compare_row(k, scan, rowid != NULL, &row);
    rc = rc ? rc : step == SQLITE_DONE ? SQLITE_OK : step;
    if (rc)
        graph_call_failure(&k->call, rc, "read");
    sqlite3_finalize(scan);
    for (; rc == SQLITE_OK && k->at < k->count; k->at++)
        say_of_edge(k, number_of_edge(k, k->at), "is in the graph and not in the table");
    return rc ? rc : compare_vertices_of_functions(k);
}

/* Compares the arcs that look-ups read with the edges. */
static int compare_arcs_of_functions(check *k) {
    gpugraph_run run;
    uint64_t e;
    connection_run(k->call.c, &run);
    const gpugraph_status status = gpugraph_check_arcs(k->graph->graph, &run, &e);
    if (status != GPUGRAPH_INVALID)
        return code_of_status(status);
    if (e != GPUGRAPH_NO_EDGE)
        say_of_edge(k, number_of_edge(k, e),
                    "cannot be looked up in the graph by its ends");
    else
        say_difference(k, "%s", run.message);
    return SQLITE_OK;
}

/* Compares the copy on a device with the edges. */
static int compare_tables(check *k) {
    gpugraph_run run;
    connection_run(k->call.c, &run);
    const gpugraph_status status = gpugraph_check_copy(k->graph->graph, &run);
    if (status != GPUGRAPH_INVALID)
        return code_of_status(status);
    say_difference(k, "%s", run.message);
    return SQLITE_OK;
}

static int check_one(check *k, const graph_ref *graph) {
    k->graph = graph;
    k->numbers = graph->row_ids ? graph->row_ids : graph->graph;
    k->count = gpugraph_edge_count(graph->graph);
    k->at = 0;
    k->lone = calloc((size_t)gpugraph_vertex_count(graph->graph) + 1, 1);
    int rc = k->lone ? compare(k) : SQLITE_NOMEM;
    free(k->lone);
    rc = rc ? rc : compare_arcs_of_functions(k);
    return rc ? rc : compare_tables(k);
}

/* gpugraph_check(graph): 'ok', or the first differences. */
static void check_graph(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    check k = {.said = sqlite3_str_new(NULL)};
    int rc = graph_call_begin(&k.call, context, "gpugraph_check", argv[0], NUMBERS_ANY);
    if (rc == SQLITE_OK)
        rc = check_one(&k, k.call.graph);
    if (rc == SQLITE_OK && k.call.both)
        rc = check_one(&k, k.call.both);
    if (k.differences > SHOWN_DIFFERENCES)
        sqlite3_str_appendf(k.said, "; and %lld more", k.differences - SHOWN_DIFFERENCES);
    else if (k.differences == 0)
        sqlite3_str_appendall(k.said, "ok");
    char *said = sqlite3_str_finish(k.said);
    if (rc == SQLITE_OK && said)
        sqlite3_result_text(context, said, -1, SQLITE_TRANSIENT);
    graph_call_result(context, &k.call, rc == SQLITE_OK && !said ? SQLITE_NOMEM : rc);
    sqlite3_free(said);
}

/* ---- gpugraph_save ---- */

static int save_in_savepoint(graph_call *call, uint64_t *bytes) {
    const graph_ref *g = call->graph, *both = call->both;
    block_graphs graphs = {{g->graph, g->half_rows, g->row_ids}};
    if (both) {
        graphs.of[BLOCK_BOTH] = both->graph;
        graphs.of[BLOCK_BOTH_HALF_ROWS] = both->half_rows;
        graphs.of[BLOCK_BOTH_ROW_IDS] = both->row_ids;
    }
    savepoint s;
    char *error = NULL;
    int rc = savepoint_open(&s, call->c->db, &call->rows.table, &error);
    if (rc == SQLITE_OK)
        rc =
            blocks_write(call->c, &call->definition, &call->rows, &graphs, bytes, &error);
    rc = savepoint_close(&s, rc, &error);
    graph_call_reason(call, rc, error);
    sqlite3_free(error);
    return rc;
}

static int check_savable(graph_call *call) {
    const definition *d = &call->definition;
    const graph_ref *g = call->graph;
    if (!d->persist) {
        char *typed = table_as_sql(d->schema, d->name);
        int rc = typed ? fail_with(&call->error,
                                   "gpugraph_save: %s was made without persist = 1; DROP "
                                   "TABLE %s and create it with that option",
                                   d->name, typed)
                       : SQLITE_NOMEM;
        sqlite3_free(typed);
        return rc;
    }
    if (d->trouble)
        return fail_with(&call->error, "gpugraph_save: %s is %s", d->name, d->trouble);
    if (g->weight_column && !g->has_weight)
        return fail_with(&call->error, "gpugraph_save: %s", g->weight_error);
    return SQLITE_OK;
}

/* gpugraph_save(graph): writes the packed graph to the file; returns its bytes. */
static void save_graph(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    graph_call call;
    uint64_t bytes = 0;
    if (function_is_refused(context, "gpugraph_save"))
        return;
    int rc = graph_call_begin(&call, context, "gpugraph_save", argv[0], NUMBERS_COMPACT);
    if (rc == SQLITE_OK)
        rc = check_savable(&call);
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
