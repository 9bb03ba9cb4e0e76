/* Resolves the names of an edge source.
**
**     edge_source   the parsed text     'roads(a, b)'
**     row_source    what it names       kind 't', main.roads, its columns and types */
#include "source.h"
#include "base/sql_text.h"
#include <stdarg.h>
#include <string.h>

/* Usual names of the ends, in order of preference. */
static const char *const pairs[][2] = {{"src", "dst"}, {"source", "target"},
                                       {"from", "to"}, {"from_id", "to_id"},
                                       {"u", "v"},     {"parent", "child"}};

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

/* Sets the error: the function's name and this sentence. */
static int fail(resolver *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    *r->error = text ? sqlite3_mprintf("%s: %z", r->function, text) : NULL;
    return *r->error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Sets the error, followed by the column nearest to the misspelt one (which may be NULL)
** and a list of all columns. Frees the sentence. */
static int fail_columns(resolver *r, char *sentence, const char *misspelt) {
    const table_info *table = &r->rows->table;
    sqlite3_str *list = sqlite3_str_new(r->c->db);
    nearest near = {.given = misspelt};
    int rc = SQLITE_OK;
    for (int i = 0; i < table->columns && rc == SQLITE_OK; i++)
        rc = name_list_add_table(list, i, NULL, table->column[i], &near);
    name_list_end(list, table->columns);
    char *text = say_with_names(sentence, &near, "columns", list);
    if (rc == SQLITE_OK && text)
        return fail(r, "%z", text);
    sqlite3_free(text);
    return SQLITE_NOMEM;
}

/* Sets the error "SENTENCE; name WHAT, as in 'roads(a, b)'", for a followed graph without
** the quotes. Frees the sentence. */
static int fail_naming(resolver *r, char *sentence, const char *what,
                       const char *const *column, int columns) {
    const bool followed = strcmp(r->function, "gpugraph") == 0;
    char *typed = source_as_typed(r->rows, column, columns), *text = NULL;
    if (sentence && typed)
        text = sqlite3_mprintf(followed ? "%s; name %s, as in USING gpugraph(%s)"
                                        : "%s; name %s, as in %Q",
                               sentence, what, typed);
    sqlite3_free(sentence);
    sqlite3_free(typed);
    return fail_columns(r, text, NULL);
}

/* ---- tables and views ---- */

static int column_as_named(resolver *r, int i) {
    const char *name = r->source->column[i];
    int column = table_column(&r->rows->table, name);
    if (column < 0)
        return fail_columns(
            r, sqlite3_mprintf("%s has no column '%s'", r->rows->name, name), name);
    r->rows->column[i] = r->rows->table.column[column];
    return SQLITE_OK;
}

/* True if the name is the rowid's: an SQL name that no column hides, or the column that
** is the rowid. */
static bool names_rowid(const table_info *table, const char *name) {
    static const char *const names[] = {"rowid", "oid", "_rowid_"};
    int column = table_column(table, name);
    for (int i = 0; i < COUNT(names) && column < 0; i++)
        if (sqlite3_stricmp(name, names[i]) == 0)
            return true;
    return column >= 0 && column == table->integer_primary_key;
}

/* Sets the named columns. If the edge id is the rowid, its column stays NULL. */
static int columns_as_named(resolver *r) {
    row_source *rows = r->rows;
    const edge_source *source = r->source;
    const bool has_id = source->columns > EDGE_ID_COLUMN && rows->kind == 't' &&
                        names_rowid(&rows->table, source->column[EDGE_ID_COLUMN]);
    for (int i = 0; i < source->columns; i++) {
        int rc = has_id && i == EDGE_ID_COLUMN ? SQLITE_OK : column_as_named(r, i);
        if (rc)
            return rc;
    }
    return SQLITE_OK;
}

/* Proposes the first two columns that are not the primary key, if there are two. */
static int no_pair(resolver *r) {
    const table_info *table = &r->rows->table;
    const char *end[2];
    int ends = 0;
    char *sentence =
        sqlite3_mprintf("%s has no pair of columns src and dst, source and target, from "
                        "and to, from_id and to_id, u and v, or parent and child",
                        r->rows->name);
    for (int i = 0; i < table->columns && ends < 2; i++)
        if (i != table->integer_primary_key &&
            sqlite3_stricmp(table->column[i], "id") != 0)
            end[ends++] = table->column[i];
    return ends == 2 ? fail_naming(r, sentence, "its columns", end, ends)
                     : fail_columns(r, sentence, NULL);
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
        return no_pair(r);
    source_find_weight(rows);
    return SQLITE_OK;
}

/* Finds the edge id if the source does not name it: column `id` of a view, or column
** `edge` of a followed graph. */
static void find_edge_id(row_source *rows) {
    int column = rows->kind == 'v'   ? table_column(&rows->table, "id")
                 : rows->kind == 'g' ? table_column(&rows->table, "edge")
                                     : -1;
    if (column >= 0)
        rows->column[EDGE_ID_COLUMN] = rows->table.column[column];
}

static int column_of_vertices(resolver *r) {
    const table_info *table = &r->rows->table;
    const int id = table_column(table, "id");
    if (table->columns > 1) {
        const char *proposed = table->column[id < 0 ? 0 : id];
        return fail_naming(r,
                           sqlite3_mprintf("%s has more than one column", r->rows->name),
                           "the one that holds vertex ids", &proposed, 1);
    }
    if (table->columns == 0)
        return fail(r, "%s has no column", r->rows->name);
    r->rows->column[0] = table->column[0];
    return SQLITE_OK;
}

static int resolve_table(resolver *r) {
    const edge_source *source = r->source;
    row_source *rows = r->rows;
    char *problem = NULL;
    int rc = table_find(r->c->db, source->schema, source->table, &rows->table, &problem);
    if (rc) {
        return problem && fail(r, "%z", problem) == SQLITE_NOMEM ? SQLITE_NOMEM : rc;
    }
    rows->kind = rows->table.kind;
    rows->searched = source->schema == NULL;
    rows->name = sqlite3_mprintf("%s.%s", rows->table.schema, rows->table.name);
    if (!rows->name)
        return SQLITE_NOMEM;
    rows->columns_named = source->columns > 0;
    if (source->columns)
        rc = columns_as_named(r);
    else
        rc = wants_edges(r) ? columns_by_name(r) : column_of_vertices(r);
    if (rc)
        return rc;
    if (wants_edges(r) && source->columns <= EDGE_ID_COLUMN)
        find_edge_id(rows);
    return SQLITE_OK;
}

static int resolve_condition(resolver *r) {
    row_source *rows = r->rows;
    char *problem = NULL;
    rows->where = sqlite3_mprintf("%s", r->source->where);
    if (!rows->where)
        return SQLITE_NOMEM;
    int rc = condition_check(r->c->db, &rows->table, rows->where, &rows->where_reads,
                             &problem);
    return problem ? fail(r, "%z", problem) : rc;
}

/* ---- the filter of a call ---- */

/* Sets the error for a filter that is not allowed, and frees `fault`. */
static int fail_filter(resolver *r, char *fault) {
    static const char unknown[] = "is not allowed: no such column: ",
                      rule[] = "; it may use only columns of one row, constants and "
                               "SQLite's own deterministic functions";
    const size_t length = sizeof unknown - 1;
    const bool misspelt = strncmp(fault, unknown, length) == 0;
    char *sentence =
        misspelt ? sqlite3_mprintf("edge_filter '%!.80s' reads the column '%s', which "
                                   "%s does not have",
                                   r->source->filter, fault + length, r->rows->name)
                 : sqlite3_mprintf("edge_filter '%!.80s' %s%s", r->source->filter, fault,
                                   strchr(fault, ';') ? "" : rule);
    int rc = SQLITE_NOMEM;
    if (sentence)
        rc = misspelt ? fail_columns(r, sentence, fault + length)
                      : fail(r, "%z", sentence);
    sqlite3_free(fault);
    return rc;
}

static int resolve_filter(resolver *r) {
    row_source *rows = r->rows;
    char *fault = NULL;
    bool *reads = sqlite3_malloc(rows->table.columns);
    rows->filter = sqlite3_mprintf("%s", r->source->filter);
    if (!rows->filter || !reads) {
        sqlite3_free(reads);
        return SQLITE_NOMEM;
    }
    memset(reads, 0, (size_t)rows->table.columns);
    int rc = expression_check(r->c->db, &rows->table, rows->filter, reads, &fault);
    for (int i = 0; i < rows->table.columns && rows->where_reads; i++)
        reads[i] |= rows->where_reads[i];
    sqlite3_free(rows->where_reads);
    rows->where_reads = reads;
    return fault ? fail_filter(r, fault) : rc == SQLITE_ERROR ? SQLITE_NOMEM : rc;
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
    int most = wants_edges(r) ? EDGE_COLUMNS : 1, least = wants_edges(r) ? 2 : 1;
    int columns = query ? sqlite3_column_count(query) : 0;
    if (!is_blank(tail))
        return fail(
            r,
            "the query in %s is more than one statement; write one SELECT, WITH or "
            "VALUES",
            r->what);
    if (!query || !sqlite3_stmt_readonly(query) || sqlite3_stmt_isexplain(query))
        return fail(r, "the query in %s writes; it must only read", r->what);
    if (strcmp(r->what, "vertices") == 0 && sqlite3_bind_parameter_count(query) > 0)
        return fail(
            r,
            "the query in %s has a parameter (%s), and params is for the one in edges; "
            "write the value into the text",
            r->what,
            sqlite3_bind_parameter_name(query, 1) ? sqlite3_bind_parameter_name(query, 1)
                                                  : "?");
    if (columns < least || columns > most)
        return fail(
            r,
            wants_edges(r)
                ? "the query in %s must have 2 to 5 columns (source, destination, "
                  "weight, edge id, reverse weight), not %d"
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
    int found = scope_has_query(r->c, r->scope, r->function, r->what, r->source->query);
    if (found < 0)
        return SQLITE_NOMEM;
    if (!found)
        return fail(
            r,
            "a query must stand in the call itself, as one string literal or a "
            "parameter; the one in %s comes from a view, a trigger or a stored or "
            "computed value: %s",
            r->what,
            strcmp(r->what, "vertex_filter") == 0
                ? "write it into the call, and its values into vertex_params"
                : "make it a view and give the view's name");
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
    for (int i = 0; i < sqlite3_column_count(rows->query); i++) {
        const char *type = sqlite3_column_decltype(rows->query, i);
        rc = table_add_column(&rows->table, sqlite3_column_name(rows->query, i),
                              type ? type : "");
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
    if (source->query)
        return resolve_query(&r);
    int rc = resolve_table(&r);
    if (rc == SQLITE_OK && source->where)
        rc = resolve_condition(&r);
    const bool plain = rows->kind == 't' || rows->kind == 'w';
    return rc || !source->filter || !plain ? rc : resolve_filter(&r);
}

char *source_as_typed(const row_source *rows, const char *const *column, int columns) {
    sqlite3_str *text = sqlite3_str_new(NULL);
    /* names main, too, because a TEMP table of that name comes first */
    if (!rows->searched) {
        append_sql_name(text, rows->table.schema);
        sqlite3_str_appendall(text, ".");
    }
    append_sql_name(text, rows->table.name);
    for (int i = 0; i < columns; i++) {
        sqlite3_str_appendall(text, i > 0 ? ", " : "(");
        append_sql_name(text, column[i]);
    }
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

bool source_has_row_ids(const row_source *rows) {
    return rows->followed &&
           (rows->column[EDGE_ID_COLUMN] || rows->column[REVERSE_COLUMN]);
}

const char *source_rowid(const row_source *rows) {
    return rows->column[EDGE_ID_COLUMN] ? NULL : source_row_name(rows);
}

const char *source_row_name(const row_source *rows) {
    if (rows->kind != 't')
        return NULL;
    if (rows->table.rowid_name[0])
        return rows->table.rowid_name;
    int key = rows->table.integer_primary_key;
    return key >= 0 ? rows->table.column[key] : NULL;
}

void row_source_clear(row_source *rows) {
    sqlite3_finalize(rows->query);
    table_info_clear(&rows->table);
    sqlite3_free(rows->name);
    sqlite3_free(rows->where);
    sqlite3_free(rows->filter);
    sqlite3_free(rows->where_reads);
    memset(rows, 0, sizeof *rows);
}
