/* A source whose names are settled: which table, which columns, which query.
**
**     edge_source   what the text says        'roads(a, b)'
**     row_source    what that is, here        kind 't', main.roads, columns a, b, affinity
**/
#include "ext.h"
#include "sql_text.h"
#include <stdarg.h>
#include <string.h>

/* The pairs that a table without named columns is searched for, in this order; and the
** weights. */
static const char *const pairs[][2] = {
    {"src", "dst"}, {"source", "target"}, {"from", "to"}, {"from_id", "to_id"}};
static const char *const weights[] = {"weight", "cost", "length"};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct resolver {
    connection *c;
    const char *function, *what; /* what: "edges" or "vertices" */
    const scope *scope;
    const edge_source *source;
    row_source *rows;
    char **error;
} resolver;

static bool wants_edges(const resolver *r) {
    return strcmp(r->what, "edges") == 0;
}

/* Sets the sentence, after the function's name. */
static int fail(resolver *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    *r->error = text ? sqlite3_mprintf("%s: %s", r->function, text) : NULL;
    sqlite3_free(text);
    return *r->error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* The same, followed by the table's columns. */
static int fail_columns(resolver *r, const char *sentence) {
    if (!sentence)
        return SQLITE_NOMEM;
    const table_info *table = &r->rows->table;
    sqlite3_str *list = sqlite3_str_new(r->c->db);
    for (int i = 0; i < table->columns; i++)
        name_list_add(list, i, table->column[i]);
    name_list_end(list, table->columns);
    char *names = sqlite3_str_finish(list);
    int rc = names ? fail(r, "%s (columns: %s)", sentence, names) : SQLITE_NOMEM;
    sqlite3_free(names);
    return rc;
}

static int fail_columns_with(resolver *r, char *sentence) {
    int rc = fail_columns(r, sentence);
    sqlite3_free(sentence);
    return rc;
}

/* ---- tables and views ---- */

static int columns_as_named(resolver *r) {
    for (int i = 0; i < r->source->columns; i++) {
        int column = table_column(&r->rows->table, r->source->column[i]);
        if (column < 0)
            return fail_columns_with(r, sqlite3_mprintf("%s has no column '%s'",
                                                        r->rows->name,
                                                        r->source->column[i]));
        r->rows->column[i] = r->rows->table.column[column];
    }
    return SQLITE_OK;
}

static int columns_by_name(resolver *r) {
    row_source *rows = r->rows;
    for (int i = 0; i < COUNT(pairs) && !rows->column[0]; i++) {
        int a = table_column(&rows->table, pairs[i][0]);
        int b = table_column(&rows->table, pairs[i][1]);
        if (a >= 0 && b >= 0) {
            rows->column[0] = rows->table.column[a];
            rows->column[1] = rows->table.column[b];
        }
    }
    if (!rows->column[0])
        return fail_columns_with(
            r, sqlite3_mprintf(
                   "%s has no pair of columns src and dst, source and target, from "
                   "and to, or from_id and to_id; name its columns, as in '%s(a, b)'",
                   rows->name, rows->table.name));
    for (int i = 0; i < COUNT(weights) && !rows->column[2]; i++) {
        int column = table_column(&rows->table, weights[i]);
        if (column >= 0)
            rows->column[2] = rows->table.column[column];
    }
    if (rows->kind == 'g') { /* it hands out its edges with their ids */
        int column = table_column(&rows->table, "edge");
        rows->column[3] = column >= 0 ? rows->table.column[column] : NULL;
    }
    return SQLITE_OK;
}

static int column_of_vertices(resolver *r) {
    if (r->rows->table.columns != 1)
        return fail_columns_with(
            r,
            sqlite3_mprintf("%s has more than one column; name the one that holds vertex "
                            "ids, as in '%s(id)'",
                            r->rows->name, r->rows->table.name));
    r->rows->column[0] = r->rows->table.column[0];
    return SQLITE_OK;
}

static int resolve_table(resolver *r) {
    const edge_source *source = r->source;
    row_source *rows = r->rows;
    char *problem = NULL;
    int rc = table_find(r->c->db, source->schema, source->table, &rows->table, &problem);
    if (rc) {
        if (problem)
            rc = fail(r, "%s", problem) == SQLITE_NOMEM ? SQLITE_NOMEM : rc;
        sqlite3_free(problem);
        return rc;
    }
    rows->kind = rows->table.kind;
    rows->searched = source->schema == NULL;
    rows->name = sqlite3_mprintf("%s.%s", rows->table.schema, rows->table.name);
    if (!rows->name)
        return SQLITE_NOMEM;
    if (source->columns)
        rc = columns_as_named(r);
    else
        rc = wants_edges(r) ? columns_by_name(r) : column_of_vertices(r);
    if (rc)
        return rc;
    int first = table_column(&rows->table, rows->column[0]);
    rows->affinity = affinity_of_type(rows->table.type[first]);
    return SQLITE_OK;
}

/* ---- queries ---- */

static bool is_blank(const char *sql) {
    const char *end = sql + strlen(sql);
    while ((sql = sql_skip_space(sql, end)) < end && *sql == ';')
        sql++;
    return sql == end;
}

static int check_query(resolver *r, const char *tail) {
    sqlite3_stmt *query = r->rows->query;
    int most = wants_edges(r) ? 4 : 1, least = wants_edges(r) ? 2 : 1;
    int columns = query ? sqlite3_column_count(query) : 0;
    if (!is_blank(tail))
        return fail(
            r,
            "the query in %s is more than one statement; write one SELECT, WITH or "
            "VALUES",
            r->what);
    if (!query || !sqlite3_stmt_readonly(query) || sqlite3_stmt_isexplain(query))
        return fail(r, "the query in %s writes; it must only read", r->what);
    if (sqlite3_bind_parameter_count(query) > 0)
        return fail(
            r,
            "the query in %s has a parameter (%s), which nothing can be bound to; "
            "write the value into the text",
            r->what,
            sqlite3_bind_parameter_name(query, 1) ? sqlite3_bind_parameter_name(query, 1)
                                                  : "?");
    if (columns < least || columns > most)
        return fail(
            r,
            wants_edges(r)
                ? "the query in %s must have 2 to 4 columns (source, destination, "
                  "weight, edge id), not %d"
                : "the query in %s must have one column, the vertex ids, not %d",
            r->what, columns);
    return SQLITE_OK;
}

static int resolve_query(resolver *r) {
    row_source *rows = r->rows;
    rows->kind = 'q';
    rows->name = sqlite3_mprintf("the query in %s", r->what);
    if (!rows->name)
        return SQLITE_NOMEM;
    int found = scope_has_text(r->c, r->scope, r->source->query);
    if (found < 0)
        return SQLITE_NOMEM;
    if (!found)
        return fail(
            r,
            "a query must stand in the statement itself or be bound to it; the one in "
            "%s comes from a view, a trigger or a stored or computed value: make it a "
            "view and give the view's name",
            r->what);
    const char *tail = "";
    int rc = sqlite3_prepare_v3(r->c->db, r->source->query, -1, 0, &rows->query, &tail);
    if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT)
        return rc;
    if (rc)
        return fail(r, "the query in %s cannot be prepared: %s", r->what,
                    sqlite3_errmsg(r->c->db));
    rc = check_query(r, tail);
    if (rc)
        return rc;
    rows->affinity = affinity_of_type(sqlite3_column_decltype(rows->query, 0));
    for (int i = 0; i < sqlite3_column_count(rows->query); i++) {
        rc = table_add_column(&rows->table, sqlite3_column_name(rows->query, i), "");
        if (rc)
            return rc;
        rows->column[i] = rows->table.column[i];
    }
    return SQLITE_OK;
}

int source_resolve(connection *c, const char *function, const char *what, const scope *s,
                   const edge_source *source, row_source *rows, char **error) {
    memset(rows, 0, sizeof *rows);
    resolver r = {c, function, what, s, source, rows, error};
    return source->query ? resolve_query(&r) : resolve_table(&r);
}

const char *source_rowid(const row_source *rows) {
    if (rows->kind != 't')
        return NULL;
    if (rows->table.rowid_name[0])
        return rows->table.rowid_name;
    int key = rows->table.integer_primary_key;
    return key >= 0 ? rows->table.column[key] : NULL;
}

char *source_without_weight(const row_source *rows) {
    if (rows->kind == 'q')
        return sqlite3_mprintf("the query in edges has no third column, the weight");
    return sqlite3_mprintf(
        "%s has no weight column; name one, as in '%s(%s, %s, metres)', or "
        "let a column be called weight, cost or length",
        rows->name, rows->table.name, rows->column[0], rows->column[1]);
}

void row_source_clear(row_source *rows) {
    sqlite3_finalize(rows->query);
    table_info_clear(&rows->table);
    sqlite3_free(rows->name);
    memset(rows, 0, sizeof *rows);
}
