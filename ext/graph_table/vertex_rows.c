/* The rows of a vertex's edges.
**
**     indices on both ends            SELECT rowid ... WHERE a IS ?1, and likewise for b
**     else, if the graph keeps arcs   the arcs that leave v and those that enter it; the
**                                     first call makes them, and changes maintain them
**     else                            a scan of the sources and targets of all edges
**
** The graph keeps arcs by the table's rowids, so edges with ids of their own have none.
** Rows that an index names count if the graph has them, since the graph knows which rows
** are edges. */
#include "functions.h"
#include "base/room.h"
#include "base/statement.h"
#include "load/row_ids.h"
#include "source/condition.h"
#include "table_function/graph_values.h"
#include "brief_lock.h"
#include "team.h"

#include <string.h>

typedef struct finding {
    graph_call *call;
    const graph_ref *g;
    uint32_t v;
    row_list *list;
    int64_t room;
} finding;

static int add_row(finding *f, sqlite3_int64 row) {
    row_list *list = f->list;
    if (!room_for_one(&list->row, list->count, &f->room, sizeof *list->row))
        return SQLITE_NOMEM;
    list->row[list->count++] = row;
    return SQLITE_OK;
}

/* ---- by an index of the table ---- */

/* The SELECT of the rows with vertex ?1 in a column. NULL: no memory. */
static char *rows_with(const graph_call *call, int column) {
    const row_source *rows = &call->rows;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(
        sql, OWN_SQL "SELECT \"%w\" FROM \"%w\".\"%w\" WHERE \"%w\" IS ?1 COLLATE BINARY",
        call->definition.rowid, rows->table.schema, rows->table.name,
        rows->column[column]);
    condition_append(sql, "AND", rows->where);
    return sqlite3_str_finish(sql);
}

/* True if SQLite finds the rows by an index. An index whose first column is another one
** ("ANY") has to be walked. */
static bool is_search(sqlite3 *db, const char *sql) {
    enum { DETAIL = 3 };
    sqlite3_stmt *plan;
    bool search = false;
    if (statement_prepare(db, &plan, "EXPLAIN QUERY PLAN %s", sql) == SQLITE_OK &&
        sqlite3_step(plan) == SQLITE_ROW) {
        const char *detail = statement_text(plan, DETAIL);
        search = strncmp(detail, "SEARCH ", 7) == 0 && !strstr(detail, "(ANY(");
    }
    sqlite3_finalize(plan);
    return search;
}

/* True if edge number e is an edge of v. */
static bool is_at(const finding *f, uint64_t e) {
    if (e == GPUGRAPH_NO_EDGE)
        return false;
    const gpugraph_edge edge = gpugraph_edge_of(f->g->graph, e);
    return edge.source == f->v || edge.target == f->v;
}

static bool has_row(const finding *f, sqlite3_int64 row) {
    if (!f->g->row_ids)
        return is_at(f, gpugraph_find_edge(f->g->graph, row));
    if (!f->g->two_ways || f->g->undirected)
        return is_at(f, row_ids_edge(f->g->row_ids, row));
    return row >= ROW_LEAST && row <= ROW_MOST &&
           (is_at(f, row_ids_edge(f->g->row_ids, 2 * row)) ||
            is_at(f, row_ids_edge(f->g->row_ids, 2 * row + 1)));
}

static int read_rows(finding *f, const char *sql) {
    sqlite3_stmt *rows;
    int step = SQLITE_DONE, rc = statement_prepare(f->call->c->db, &rows, "%s", sql);
    if (rc == SQLITE_OK)
        rc = bind_vertex(rows, 1, gpugraph_vertex_ids(f->g->graph), f->v);
    while (rc == SQLITE_OK && (step = sqlite3_step(rows)) == SQLITE_ROW)
        if (has_row(f, sqlite3_column_int64(rows, 0)))
            rc = add_row(f, sqlite3_column_int64(rows, 0));
    sqlite3_finalize(rows);
    return rc ? rc : step == SQLITE_DONE ? SQLITE_OK : step;
}

/* *indexed: SQLite finds the rows of both ends by an index. */
static int rows_by_index(finding *f, bool *indexed) {
    int rc = SQLITE_OK;
    char *sql[2] = {NULL, NULL};
    *indexed = true;
    for (int i = 0; i < 2 && rc == SQLITE_OK && *indexed; i++) {
        sql[i] = rows_with(f->call, i ? TARGET_COLUMN : SOURCE_COLUMN);
        rc = sql[i] ? SQLITE_OK : SQLITE_NOMEM;
        *indexed = rc == SQLITE_OK && is_search(f->call->c->db, sql[i]);
    }
    for (int i = 0; i < 2 && rc == SQLITE_OK && *indexed; i++)
        rc = read_rows(f, sql[i]);
    sqlite3_free(sql[0]);
    sqlite3_free(sql[1]);
    return rc;
}

/* ---- by a scan of all edges ---- */

/* The row of an edge. */
static sqlite3_int64 row_of(const graph_ref *g, const gpugraph_edge_list *edges,
                            uint64_t e) {
    if (!g->row_ids)
        return edges->edge_id ? edges->edge_id[e] : (sqlite3_int64)e + 1;
    const int64_t row = row_ids_row(g->row_ids, e);
    return g->two_ways && !g->undirected ? row >> 1 : row;
}

enum {
    MANY = 1 << 16,
    PATIENCE = 1 << 26
}; /* MANY edges make several threads worth it; PATIENCE edges lie between two polls */

/* The edges from `first` on. */
typedef struct edge_scan {
    finding *f;
    const gpugraph_edge_list *edges;
    uint64_t first;
    gg_brief_lock lock; /* protects the list of rows and rc */
    int rc;
} edge_scan;

static void scan_edges(void *of, uint64_t low, uint64_t high) {
    edge_scan *s = of;
    const uint32_t v = s->f->v, *source = s->edges->source, *target = s->edges->target;
    for (uint64_t e = s->first + low; e < s->first + high; e++) {
        if (source[e] != v && target[e] != v)
            continue;
        gg_lock(&s->lock);
        if (s->rc == SQLITE_OK)
            s->rc = add_row(s->f, row_of(s->f->g, s->edges, e));
        gg_unlock(&s->lock);
    }
}

static int rows_by_scan(finding *f) {
    const uint64_t count = gpugraph_edge_count(f->g->graph);
    const int threads = count > MANY ? gg_team_limit(f->call->c->config.threads) : 1;
    edge_scan s = {.f = f, .edges = gpugraph_edges_of(f->g->graph)};
    for (; s.first < count && s.rc == SQLITE_OK; s.first += PATIENCE) {
        const uint64_t left = count - s.first;
        if (s.first > 0 && connection_interrupted(f->call->c))
            return SQLITE_INTERRUPT;
        gg_slices(threads, left < PATIENCE ? left : PATIENCE, scan_edges, &s);
    }
    return s.rc;
}

/* ---- by arcs ---- */

static int add_arcs(finding *f, const gpugraph_arcs *arcs) {
    int rc = SQLITE_OK;
    for (uint64_t i = 0; i < arcs->count && rc == SQLITE_OK; i++)
        rc = add_row(f, (sqlite3_int64)((uint64_t)arcs->first_id + arcs->id[i]));
    return rc;
}

static int rows_by_arcs(finding *f, graph_ref *g) {
    gpugraph_run run;
    gpugraph_arcs arcs;
    connection_run(f->call->c, &run);
    int rc = code_of_status(gpugraph_arcs_from(g->graph, f->v, &run, &arcs));
    if (rc == SQLITE_OK)
        rc = add_arcs(f, &arcs);
    if (rc == SQLITE_OK)
        rc = code_of_status(gpugraph_arcs_into(g->graph, f->v, &run, &arcs));
    return rc ? rc : add_arcs(f, &arcs);
}

int vertex_rows(graph_call *call, uint32_t v, row_list *list) {
    graph_ref *g = call->graph;
    finding f = {call, g, v, list, 0};
    bool indexed = false;
    int rc = rows_by_index(&f, &indexed);
    if (rc || indexed)
        return rc;
    const bool keeps_arcs = g->followed && !g->row_ids && gpugraph_keeps_arcs(g->graph);
    return keeps_arcs ? rows_by_arcs(&f, g) : rows_by_scan(&f);
}
