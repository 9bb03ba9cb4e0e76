/* gpugraph_delete_vertex: deletes all edges of a vertex or none.
**
**     vertex -> one DELETE in a savepoint, which triggers log
**
** The DELETE finds the rows
**
**     by indices on both ends    if the table has them, or has no rowids
**     by rowids from the graph   arcs that leave v and arcs that enter it; the first call
**                                makes them, and changes maintain them
**                                without arcs: a scan of all sources and targets
**
** The graph keeps arcs by the table's rowids, so edges with ids of their own have
** none. */
#include "source/source.h"
#include "functions.h"
#include "base/module.h"
#include "base/program.h"
#include "base/statement.h"
#include "load/row_ids.h"
#include "table_function/graph_values.h"
#include "brief_lock.h"
#include "team.h"

#include <string.h>

/* ---- the rowids of a vertex's edges, as a JSON array ---- */

static void add_rowid(sqlite3_str *rows, int64_t row) {
    sqlite3_str_appendf(rows, "%c%lld", sqlite3_str_length(rows) ? ',' : '[', row);
}

/* The row of an edge. */
static int64_t row_of(const graph_ref *g, const gpugraph_edge_list *edges, uint64_t e) {
    if (!g->row_ids)
        return edges->edge_id ? edges->edge_id[e] : (int64_t)e + 1;
    const int64_t row = row_ids_row(g->row_ids, e);
    return g->two_ways && !g->undirected ? row >> 1 : row;
}

enum {
    MANY = 1 << 16,    /* edges that make several threads worth it */
    PATIENCE = 1 << 26 /* edges between two polls */
};

/* A scan of the edges from `first` on. */
typedef struct edge_scan {
    const graph_ref *g;
    uint32_t v;
    const gpugraph_edge_list *edges;
    uint64_t first;
    gg_brief_lock lock; /* protects the rows */
    sqlite3_str *rows;
} edge_scan;

static void scan_edges(void *of, uint64_t low, uint64_t high) {
    edge_scan *s = of;
    const uint32_t v = s->v, *source = s->edges->source, *target = s->edges->target;
    for (uint64_t e = s->first + low; e < s->first + high; e++) {
        if (source[e] != v && target[e] != v)
            continue;
        gg_lock(&s->lock);
        add_rowid(s->rows, row_of(s->g, s->edges, e));
        gg_unlock(&s->lock);
    }
}

static int rows_by_scan(const graph_call *call, uint32_t v, sqlite3_str *rows) {
    const graph_ref *g = call->graph;
    const uint64_t count = gpugraph_edge_count(g->graph);
    const int threads = count > MANY ? gg_team_limit(call->c->config.threads) : 1;
    edge_scan s = {.g = g, .v = v, .edges = gpugraph_edges_of(g->graph), .rows = rows};
    for (; s.first < count; s.first += PATIENCE) {
        const uint64_t left = count - s.first;
        if (s.first > 0 && connection_interrupted(call->c))
            return SQLITE_INTERRUPT;
        gg_slices(threads, left < PATIENCE ? left : PATIENCE, scan_edges, &s);
    }
    return SQLITE_OK;
}

static int rows_by_arcs(const graph_call *call, uint32_t v, sqlite3_str *rows) {
    gpugraph_graph *graph = call->graph->graph;
    gpugraph_run run;
    gpugraph_arcs arcs;
    connection_run(call->c, &run);
    for (int into = 0; into < 2; into++) {
        gpugraph_status status = into ? gpugraph_arcs_into(graph, v, &run, &arcs)
                                      : gpugraph_arcs_from(graph, v, &run, &arcs);
        if (status != GPUGRAPH_OK)
            return code_of_status(status);
        for (uint64_t i = 0; i < arcs.count; i++)
            add_rowid(rows, (int64_t)((uint64_t)arcs.first_id + arcs.id[i]));
    }
    return SQLITE_OK;
}

/* A row may occur twice. */
static int bind_rowids(sqlite3_stmt *statement, const graph_call *call, uint32_t v) {
    const graph_ref *g = call->graph;
    sqlite3_str *rows = sqlite3_str_new(NULL);
    int rc = g->followed && !g->row_ids && gpugraph_keeps_arcs(g->graph)
                 ? rows_by_arcs(call, v, rows)
                 : rows_by_scan(call, v, rows);
    sqlite3_str_appendall(rows, sqlite3_str_length(rows) ? "]" : "[]");
    char *json = sqlite3_str_finish(rows);
    if (rc == SQLITE_OK && json)
        return sqlite3_bind_text64(statement, 2, json, strlen(json), sqlite3_free,
                                   SQLITE_UTF8);
    sqlite3_free(json);
    return rc ? rc : SQLITE_NOMEM;
}

/* ---- the deletion ---- */

/* Excludes rows with a NULL end or closed both ways, which are no edges. */
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

/* The DELETE of the rows that touch vertex ?1. rowid: the DELETE finds them by their
** rowids ?2, a JSON array; NULL: by their ends. The ends are compared in any case: the
** rowids come from the graph as it was when the statement began, and the statement may
** have given a rowid to another row since. */
static char *deletion(const row_source *rows, const char *rowid) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, OWN_SQL "DELETE FROM \"%w\".\"%w\" WHERE ",
                        rows->table.schema, rows->table.name);
    if (!rowid) /* newer versions of SQLite use indices only for plain comparisons */
        sqlite3_str_appendf(sql, "(\"%w\" = ?1 OR \"%w\" = ?1) AND ",
                            rows->column[SOURCE_COLUMN], rows->column[TARGET_COLUMN]);
    sqlite3_str_appendall(sql, "(");
    append_is_vertex(sql, rows->column[SOURCE_COLUMN]);
    sqlite3_str_appendall(sql, " OR ");
    append_is_vertex(sql, rows->column[TARGET_COLUMN]);
    sqlite3_str_appendall(sql, ")");
    condition_append(sql, "AND", rows->where);
    if (rowid)
        sqlite3_str_appendf(sql, " AND \"%w\" IN (SELECT value FROM json_each(?2))",
                            rowid);
    else
        append_edges_only(sql, rows);
    return sqlite3_str_finish(sql);
}

/* True if SQLite finds the rows by an index for each end. An index whose first column is
** another one ("ANY") would be walked. */
static bool is_search(sqlite3 *db, const char *sql) {
    enum { DETAIL = 3 };
    sqlite3_stmt *plan;
    bool search =
        statement_prepare(db, &plan, "EXPLAIN QUERY PLAN %s", sql) == SQLITE_OK &&
        sqlite3_step(plan) == SQLITE_ROW &&
        strcmp(statement_text(plan, DETAIL), "MULTI-INDEX OR") == 0;
    while (search && sqlite3_step(plan) == SQLITE_ROW)
        search = !strstr(statement_text(plan, DETAIL), "(ANY(");
    sqlite3_finalize(plan);
    return search;
}

/* Runs the deletion. */
static int delete_edges(graph_call *call, uint32_t v, const char *sql, bool by_rowid,
                        sqlite3_int64 *deleted) {
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(call->c->db, sql, -1, &statement, NULL);
    rc = rc ? rc : bind_vertex(statement, 1, gpugraph_vertex_ids(call->graph->graph), v);
    if (rc == SQLITE_OK && by_rowid)
        rc = bind_rowids(statement, call, v);
    if (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_DONE)
        rc = SQLITE_OK;
    if (rc == SQLITE_OK)
        *deleted = sqlite3_changes64(call->c->db);
    else if (rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT)
        call->error = sqlite3_mprintf("%s: %s cannot be written: %s", call->function,
                                      call->rows.name, sqlite3_errmsg(call->c->db));
    sqlite3_finalize(statement);
    return rc;
}

/* No savepoint can be opened inside a statement that writes. A failing statement takes
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
    const char *rowid = call->definition.rowid;
    char *error = NULL, *sql = deletion(&call->rows, NULL);
    const bool by_rowid = sql && *rowid && !is_search(call->c->db, sql);
    if (by_rowid) {
        sqlite3_free(sql);
        sql = deletion(&call->rows, rowid);
    }
    if (!sql)
        return SQLITE_NOMEM;
    int rc = savepoint_open(&s, call->c->db, call->rows.table.schema,
                            call->rows.table.name, &error);
    if (rc == SQLITE_BUSY)
        rc = check_deletion(call, sql);
    rc = rc ? rc : delete_edges(call, v, sql, by_rowid, deleted);
    rc = savepoint_close(&s, rc, &error);
    graph_call_reason(call, rc, error);
    sqlite3_free(error);
    sqlite3_free(sql);
    return rc;
}

static int find_vertex_to_delete(graph_call *call, sqlite3_value *id, uint32_t *v) {
    char *fault;
    int rc = find_id(call->graph->graph, call->graph->ids.affinity, id, v, &fault);
    return fault ? fail_with(&call->error, "%s: the id %z", call->function, fault) : rc;
}

void gpugraph_delete_vertex(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc;
    graph_call call;
    uint32_t v = GPUGRAPH_NONE;
    sqlite3_int64 deleted = 0;
    if (function_is_refused(context, "gpugraph_delete_vertex"))
        return;
    int rc = graph_call_begin(&call, context, "gpugraph_delete_vertex", argv[0],
                              NUMBERS_IN_ORDER);
    rc = rc ? rc : find_vertex_to_delete(&call, argv[1], &v);
    if (rc == SQLITE_OK && v != GPUGRAPH_NONE)
        rc = delete_all(&call, v, &deleted);
    if (rc == SQLITE_OK)
        sqlite3_result_int64(context, deleted);
    graph_call_result(context, &call, rc);
}
