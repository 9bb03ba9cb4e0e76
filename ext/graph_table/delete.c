/* gpugraph_delete_vertex: all edges of a vertex go, or none.
**
**     vertex -> its edges' rows -> one DELETE in a savepoint, which the log tells
**/
#include "source/condition.h"
#include "functions.h"
#include "row_list.h"
#include "base/program.h"
#include "base/savepoint.h"
#include "table_function/find_id.h"
#include "team.h"

#include <stdlib.h>

/* The row that an edge is one of. */
static sqlite3_int64 row_of(const graph_ref *g, const gpugraph_edge_list *edges,
                            uint64_t e) {
    if (!g->row_ids)
        return edges->edge_id ? edges->edge_id[e] : (sqlite3_int64)e + 1;
    const int64_t row = row_ids_row(g->row_ids, e);
    return g->two_ways && !g->undirected ? row >> 1 : row;
}

/* ---- the rows of all edges that touch a vertex ---- */

static int add_row(row_list *list, sqlite3_int64 *room, sqlite3_int64 row) {
    if (list->count == *room) {
        const sqlite3_int64 more = *room ? 2 * *room : 64;
        sqlite3_int64 *rows =
            sqlite3_realloc64(list->row, (sqlite3_uint64)more * sizeof *rows);
        if (!rows)
            return SQLITE_NOMEM;
        list->row = rows;
        *room = more;
    }
    list->row[list->count++] = row;
    return SQLITE_OK;
}

/* What one of the threads that look at all edges has found: edge numbers. */
typedef struct scan_part {
    uint64_t *edge, count, room;
    bool failed;
} scan_part;

typedef struct edge_scan {
    const gpugraph_edge_list *edges;
    uint64_t count;
    uint32_t v;
    int parts;
    scan_part *part;
} edge_scan;

static void add_edge(scan_part *part, uint64_t e) {
    if (part->count == part->room) {
        const uint64_t more = part->room ? 2 * part->room : 64;
        uint64_t *edge = realloc(part->edge, more * sizeof *edge);
        part->failed |= !edge;
        if (!edge)
            return;
        part->edge = edge;
        part->room = more;
    }
    part->edge[part->count++] = e;
}

static void scan_edges(void *of, uint64_t number) {
    const edge_scan *s = of;
    const uint32_t v = s->v, *source = s->edges->source, *target = s->edges->target;
    const uint64_t high = gg_slice(s->count, (int)number + 1, s->parts);
    for (uint64_t e = gg_slice(s->count, (int)number, s->parts);
         e < high && !s->part[number].failed; e++)
        if (source[e] == v || target[e] == v)
            add_edge(&s->part[number], e);
}

/* A look at all edges, by several threads. */
static int rows_of_all(connection *c, const graph_ref *g, uint32_t v, row_list *list) {
    enum { MANY = 1 << 16, PARTS = 64 };
    scan_part part[PARTS] = {{0}};
    edge_scan s = {gpugraph_edges_of(g->graph), gpugraph_edge_count(g->graph), v, 1,
                   part};
    if (s.count > MANY)
        s.parts = gg_team_limit(c->config.threads);
    s.parts = s.parts < PARTS ? s.parts : PARTS;
    sqlite3_int64 room = 0;
    int rc = SQLITE_OK;
    gg_parts(s.parts, (uint64_t)s.parts, scan_edges, &s);
    for (int i = 0; i < s.parts; i++) {
        rc = part[i].failed ? SQLITE_NOMEM : rc;
        for (uint64_t k = 0; k < part[i].count && rc == SQLITE_OK; k++)
            rc = add_row(list, &room, row_of(g, s.edges, part[i].edge[k]));
        free(part[i].edge);
    }
    return rc;
}

static int add_arcs(row_list *list, sqlite3_int64 *room, const gpugraph_arcs *arcs) {
    int rc = SQLITE_OK;
    for (uint64_t i = 0; i < arcs->count && rc == SQLITE_OK; i++)
        rc = add_row(list, room,
                     (sqlite3_int64)((uint64_t)arcs->first_id + (uint32_t)arcs->arc[i]));
    return rc;
}

/* A loop is there twice, which the statement does not mind. */
static int rows_of_arcs(connection *c, const graph_ref *g, uint32_t v, row_list *list) {
    gpugraph_run run;
    gpugraph_arcs arcs;
    sqlite3_int64 room = 0;
    connection_run(c, &run);
    int rc = code_of_status(gpugraph_arcs_from(g->graph, v, &run, &arcs));
    if (rc == SQLITE_OK)
        rc = add_arcs(list, &room, &arcs);
    if (rc == SQLITE_OK)
        rc = code_of_status(gpugraph_arcs_into(g->graph, v, &run, &arcs));
    return rc ? rc : add_arcs(list, &room, &arcs);
}

/* The arcs that leave v, and those back from where they end: *all if no others enter it, as on a road map. Nothing
** but v's own edges and the rows of its neighbours is looked at. */
static int rows_back(connection *c, const graph_ref *g, uint32_t v, row_list *list,
                     bool *all) {
    gpugraph_run run;
    gpugraph_arcs out, back;
    uint64_t entering = 0, found = 0;
    sqlite3_int64 room = 0;
    connection_run(c, &run);
    int rc = code_of_status(gpugraph_count_into(g->graph, v, &run, &entering));
    if (rc == SQLITE_OK)
        rc = code_of_status(gpugraph_arcs_from(g->graph, v, &run, &out));
    if (rc == SQLITE_OK)
        rc = add_arcs(list, &room, &out);
    for (uint64_t i = 0; rc == SQLITE_OK && found < entering && i < out.count; i++) {
        const uint32_t to = (uint32_t)(out.arc[i] >> 32);
        if (i > 0 && out.arc[i - 1] >> 32 == to)
            continue;
        rc = code_of_status(gpugraph_arcs_between(g->graph, to, v, &run, &back));
        if (rc == SQLITE_OK && to != v)
            rc = add_arcs(list, &room, &back);
        found += rc == SQLITE_OK ? back.count : 0;
    }
    *all = found == entering;
    if (!*all)
        list->count = 0;
    return rc;
}

/* Arcs into vertices take as long to make as LOOKS looks at all edges; arcs are not kept where edges
** have ids of their own. */
static int rows_at(connection *c, graph_ref *g, uint32_t v, row_list *list) {
    enum { LOOKS = 16 };
    const bool kept = g->followed && !g->row_ids && gpugraph_keeps_arcs(g->graph);
    bool all = false;
    int rc = kept && g->looks < LOOKS ? rows_back(c, g, v, list, &all) : SQLITE_OK;
    if (rc || all)
        return rc;
    g->looks += g->looks < LOOKS;
    return kept && g->looks == LOOKS ? rows_of_arcs(c, g, v, list)
                                     : rows_of_all(c, g, v, list);
}

/* ---- the deletion ---- */

static int bind_id(sqlite3_stmt *statement, const graph_ref *g, uint32_t v) {
    const gpugraph_ids *ids = gpugraph_vertex_ids(g->graph);
    if (v < ids->integer_count)
        return sqlite3_bind_int64(
            statement, 1, ids->integer ? ids->integer[v] : ids->first_integer + v);
    uint32_t t = v - ids->integer_count;
    return sqlite3_bind_text64(statement, 1, ids->texts.bytes + ids->texts.offset[t],
                               ids->texts.offset[t + 1] - ids->texts.offset[t],
                               SQLITE_STATIC, SQLITE_UTF8);
}

/* DELETE of the rows that touch vertex ?1, found by their rowids ?2 where they have some.
** The ends are compared even where rowids are given: these come from the graph as it was when
** the statement began, and the statement may have given a rowid to another row since. */
static char *deletion(const row_source *rows, const char *rowid) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql,
                        OWN_SQL "DELETE FROM \"%w\".\"%w\" WHERE (\"%w\" IS ?1 COLLATE "
                                "BINARY OR \"%w\" IS ?1 COLLATE BINARY)",
                        rows->table.schema, rows->table.name, rows->column[0],
                        rows->column[1]);
    condition_append(sql, "AND", rows->where, "");
    if (*rowid)
        sqlite3_str_appendf(sql, " AND \"%w\" IN (SELECT row FROM " ROW_LIST "(?2))",
                            rowid);
    return sqlite3_str_finish(sql);
}

/* Runs the deletion. */
static int delete_edges(graph_call *call, uint32_t v, const char *sql,
                        sqlite3_int64 *deleted) {
    bool by_rowid = *call->definition.rowid != 0;
    sqlite3_stmt *statement = NULL;
    row_list rows = {NULL, 0};
    int rc = by_rowid ? rows_at(call->c, call->graph, v, &rows) : SQLITE_OK;
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(call->c->db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK)
        rc = bind_id(statement, call->graph, v);
    if (rc == SQLITE_OK && by_rowid)
        rc = row_list_bind(statement, 2, &rows);
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

/* Inside a statement that writes there are no savepoints, but a statement that fails takes
** back what it has done: unless it is one that may stop half way. */
static int check_deletion(graph_call *call, const char *sql) {
    program deletion;
    int rc = program_read(call->c->db, sql, NULL, NULL, &deletion);
    if (rc || !deletion.may_stop)
        return rc;
    call->error = sqlite3_mprintf("%s: %s has a trigger that may stop half way "
                                  "(RAISE(FAIL) or ON CONFLICT FAIL), which cannot be "
                                  "taken back inside a statement that writes; call %s in "
                                  "a SELECT",
                                  call->function, call->rows.name, call->function);
    return call->error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* All of the vertex's edges or none. */
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
    int rc = find_id(call->graph->graph, call->graph->source_affinity, id, v, &fault);
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
    int rc = graph_call_begin(&call, context, "gpugraph_delete_vertex", argv[0]);
    if (rc == SQLITE_OK)
        rc = find_vertex_to_delete(&call, argv[1], &v);
    if (rc == SQLITE_OK && v != GPUGRAPH_NONE)
        rc = delete_all(&call, v, &deleted);
    if (rc == SQLITE_OK)
        sqlite3_result_int64(context, deleted);
    graph_call_result(context, &call, rc);
}
