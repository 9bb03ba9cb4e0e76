/* gpugraph_delete_vertex: deletes all edges of a vertex or none.
**
**     vertex -> its edges' rows -> one DELETE in a savepoint, which triggers log
**/
#include "source/condition.h"
#include "functions.h"
#include "base/scalar_functions.h"
#include "base/program.h"
#include "base/savepoint.h"
#include "table_function/graph_values.h"

#include <string.h>

/* Without rowids the graph does not say which rows are edges, so the statement excludes
** rows with a NULL end or closed both ways. */
static void append_edges_only(sqlite3_str *sql, const row_source *rows) {
    sqlite3_str_appendf(sql, " AND \"%w\" IS NOT NULL AND \"%w\" IS NOT NULL",
                        rows->column[SOURCE_COLUMN], rows->column[TARGET_COLUMN]);
    if (rows->column[REVERSE_COLUMN])
        sqlite3_str_appendf(sql, " AND (\"%w\" + 0 >= 0 OR \"%w\" + 0 >= 0)",
                            rows->column[WEIGHT_COLUMN], rows->column[REVERSE_COLUMN]);
}

/* IS applies the column's affinity, but 7 and '7' are two vertices. */
static void append_is_vertex(sqlite3_str *sql, const char *column) {
    sqlite3_str_appendf(sql,
                        "(\"%w\" IS ?1 COLLATE BINARY AND (typeof(\"%w\") = 'text') = "
                        "(typeof(?1) = 'text'))",
                        column, column);
}

/* The DELETE of the rows that touch vertex ?1, found by their rowids ?2, a JSON array, if
** they have rowids. The ends are compared even then: the rowids come from the graph as it
** was when the statement began, and the statement may have given a rowid to another row
** since. */
static char *deletion(const row_source *rows, const char *rowid) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, OWN_SQL "DELETE FROM \"%w\".\"%w\" WHERE (",
                        rows->table.schema, rows->table.name);
    append_is_vertex(sql, rows->column[SOURCE_COLUMN]);
    sqlite3_str_appendall(sql, " OR ");
    append_is_vertex(sql, rows->column[TARGET_COLUMN]);
    sqlite3_str_appendall(sql, ")");
    condition_append(sql, "AND", rows->where);
    if (*rowid)
        sqlite3_str_appendf(sql, " AND \"%w\" IN (SELECT value FROM json_each(?2))",
                            rowid);
    else
        append_edges_only(sql, rows);
    return sqlite3_str_finish(sql);
}

static int bind_rows(sqlite3_stmt *statement, const row_list *rows) {
    sqlite3_str *json = sqlite3_str_new(NULL);
    sqlite3_str_appendall(json, "[");
    for (sqlite3_int64 i = 0; i < rows->count; i++)
        sqlite3_str_appendf(json, "%s%lld", i ? "," : "", rows->row[i]);
    sqlite3_str_appendall(json, "]");
    char *text = sqlite3_str_finish(json);
    return text ? sqlite3_bind_text64(statement, 2, text, strlen(text), sqlite3_free,
                                      SQLITE_UTF8)
                : SQLITE_NOMEM;
}

/* Runs the deletion. */
static int delete_edges(graph_call *call, uint32_t v, const char *sql,
                        sqlite3_int64 *deleted) {
    bool by_rowid = *call->definition.rowid != 0;
    sqlite3_stmt *statement = NULL;
    row_list rows = {NULL, 0};
    int rc = by_rowid ? vertex_rows(call, v, &rows) : SQLITE_OK;
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(call->c->db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK)
        rc = bind_vertex(statement, 1, gpugraph_vertex_ids(call->graph->graph), v);
    if (rc == SQLITE_OK && by_rowid)
        rc = bind_rows(statement, &rows);
    if (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_DONE)
        rc = SQLITE_OK;
    if (rc == SQLITE_OK)
        *deleted = sqlite3_changes64(call->c->db);
    else
        graph_call_failure(call, rc, "written");
    sqlite3_finalize(statement);
    sqlite3_free(rows.row);
    return rc;
}

/* Inside a statement that writes no savepoint can be opened. A failing statement takes
** back its work, unless it may stop half way. */
static int check_deletion(graph_call *call, const char *sql) {
    program deletion;
    int rc = program_read(call->c->db, sql, NULL, NULL, &deletion);
    if (rc || !deletion.may_stop)
        return rc;
    return fail_with(&call->error,
                     "%s: %s has a trigger that may stop half way "
                     "(RAISE(FAIL) or ON CONFLICT FAIL), which cannot be "
                     "taken back inside a statement that writes; call %s in "
                     "a SELECT",
                     call->function, call->rows.name, call->function);
}

static int delete_all(graph_call *call, uint32_t v, sqlite3_int64 *deleted) {
    savepoint s;
    char *error = NULL, *sql = deletion(&call->rows, call->definition.rowid);
    if (!sql)
        return SQLITE_NOMEM;
    int rc = savepoint_open(&s, call->c->db, &call->rows.table, &error);
    if (rc == SQLITE_BUSY)
        rc = check_deletion(call, sql);
    if (rc == SQLITE_OK)
        rc = delete_edges(call, v, sql, deleted);
    rc = savepoint_close(&s, rc, &error);
    graph_call_reason(call, rc, error);
    sqlite3_free(error);
    sqlite3_free(sql);
    return rc;
}

static int find_vertex_to_delete(graph_call *call, sqlite3_value *id, uint32_t *v) {
    char *fault;
    int rc = find_id(call->graph->graph, call->graph->ids.affinity, id, v, &fault);
    if (fault)
        call->error = sqlite3_mprintf("%s: the id %s", call->function, fault);
    sqlite3_free(fault);
    return rc == SQLITE_ERROR && !call->error ? SQLITE_NOMEM : rc;
}

void gpugraph_delete_vertex(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    graph_call call;
    uint32_t v = GPUGRAPH_NONE;
    sqlite3_int64 deleted = 0;
    if (function_is_refused(context, "gpugraph_delete_vertex"))
        return;
    int rc = graph_call_begin(&call, context, "gpugraph_delete_vertex", argv[0], true);
    if (rc == SQLITE_OK)
        rc = find_vertex_to_delete(&call, argv[1], &v);
    if (rc == SQLITE_OK && v != GPUGRAPH_NONE)
        rc = delete_all(&call, v, &deleted);
    if (rc == SQLITE_OK)
        sqlite3_result_int64(context, deleted);
    graph_call_result(context, &call, rc);
}
