/* The virtual table of all table functions. A cursor settles its arguments, gets an
** answer, and steps through the rows of the answer. On the inner side of a join SQLite
** calls xFilter again and again; the cursor then keeps its graph and its answer as long
** as they serve.
**
**   xBestIndex  plan.c       constraints     -> idxNum (plan bits), idxStr (words)
**   xFilter     arguments.c  argv by words   -> struct arguments (arguments.h)
**               acquire.c    edges, vertices -> graph
**               resolve.c    ids, numbers    -> vertex numbers, bounds
**               answer.c     arguments    -> struct answer (answer.h): arrays of a search
**               rows.c       answer       -> struct rows (rows.h): a range, a list, paths
**   xNext, xColumn           read arrays */
#include "pages/wal_frames.h"
#include "rows.h"
#include "base/module.h"

#include <string.h>

typedef struct cursor {
    sqlite3_vtab_cursor base;
    caller by;
    arguments arguments;
    answer answer;
    rows rows;
} cursor;

/* ---- one call ---- */

/* True if each listed target has its own search. */
static bool lists_targets(const arguments *a) {
    return is_list(a, F_TARGET) && a->by->function->many_paths;
}

/* Sets the ends of the next search from the lists. */
static int set_search_ends(cursor *cur, uint32_t source, uint32_t target) {
    arguments *a = &cur->arguments;
    int rc = SQLITE_OK;
    if (is_list(a, F_SOURCE)) {
        if (target == 0)
            rc = answer_ahead(&cur->answer, a, source);
        a->source = a->listed_sources.item[source];
        rc = rc ? rc : numbers_set(&a->sources, a->source);
    }
    if (rc == SQLITE_OK && lists_targets(a))
        rc = numbers_set(&a->targets, a->listed_targets.item[target]);
    return rc;
}

/* Moves to the first row of the next source or target that has one. Without a list there
** is one search. */
static int next_search(cursor *cur) {
    arguments *a = &cur->arguments;
    rows *r = &cur->rows;
    const uint64_t sources = is_list(a, F_SOURCE) ? a->listed_sources.count : 1,
                   targets = lists_targets(a) ? a->listed_targets.count : 1;
    int rc = SQLITE_OK;
    r->position = r->end = 0;
    while (rc == SQLITE_OK && rows_at_end(r) && r->next_search < sources * targets) {
        rc = set_search_ends(cur, (uint32_t)(r->next_search / targets),
                             (uint32_t)(r->next_search % targets));
        r->next_search++;
        rc = rc ? rc : answer_find(&cur->answer, a);
        rc = rc ? rc : rows_start(r, a, &cur->answer);
    }
    if (rows_at_end(r))
        answer_drop_ahead(&cur->answer);
    return rc;
}

static int find_first_row(cursor *cur) {
    arguments *a = &cur->arguments;
    answer *s = &cur->answer;
    int rc = SQLITE_OK;
    if (!answer_has_graph(s, a)) {
        arguments_forget_graph(a);
        rc = answer_graph(s, a);
    }
    rc = rc ? rc : arguments_resolve(a, s->graph);
    if (rc != SQLITE_OK || a->no_rows || gpugraph_vertex_count(s->graph->graph) == 0)
        return rc;
    return next_search(cur);
}

static int answer_call(cursor *cur, int plan, const char *words, int argc,
                       sqlite3_value **argv) {
    unknown_ids *unknown = &cur->arguments.unknown;
    rows_reset(&cur->rows);
    int rc = arguments_read(&cur->arguments, plan, words, argc, argv);
    if (rc == SQLITE_OK && !cur->arguments.no_rows)
        rc = find_first_row(cur);
    unknown->calls += unknown->count > 0;
    if (rc == SQLITE_OK && unknown->count > 0 && !cur->answer.work.arguments_reported)
        answer_report_arguments(&cur->answer, unknown);
    return rc;
}

/* Ends a call. The error of a call that took too long names the setting time_limit_ms. */
static int end_call(cursor *cur, int rc) {
    const connection *c = cur->by.c;
    if (rc == SQLITE_INTERRUPT && connection_is_late(c))
        rc = caller_fail(&cur->by, SQLITE_ERROR, LATE_FAULT, c->config.time_limit_ms);
    answer_end(&cur->answer);
    return rc;
}

static int function_filter(sqlite3_vtab_cursor *base, int plan, const char *words,
                           int argc, sqlite3_value **argv) {
    cursor *cur = (cursor *)base;
    scope_settle(cur->by.c);
    answer_begin(&cur->answer);
    return end_call(cur, answer_call(cur, plan, words, argc, argv));
}

static int function_next(sqlite3_vtab_cursor *base) {
    cursor *cur = (cursor *)base;
    int rc = rows_next(&cur->rows, &cur->arguments, &cur->answer);
    if (rc != SQLITE_OK || !rows_at_end(&cur->rows))
        return rc;
    answer_begin(&cur->answer);
    return end_call(cur, next_search(cur));
}

static int function_eof(sqlite3_vtab_cursor *base) {
    return rows_at_end(&((const cursor *)base)->rows);
}

static int function_column(sqlite3_vtab_cursor *base, sqlite3_context *context,
                           int column) {
    cursor *cur = (cursor *)base;
    row_column(context, &cur->rows, &cur->arguments, &cur->answer, column);
    return SQLITE_OK;
}

static int function_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
    cursor *cur = (cursor *)base;
    cur->rows.rowid_read = true;
    *rowid = row_id(&cur->rows, &cur->arguments, &cur->answer);
    return SQLITE_OK;
}

/* ---- the module ---- */

static int function_open(sqlite3_vtab *base, sqlite3_vtab_cursor **made) {
    const module_table *t = (const module_table *)base;
    cursor *cur = sqlite3_malloc64(sizeof *cur);
    if (!cur)
        return SQLITE_NOMEM;
    memset(cur, 0, sizeof *cur);
    cur->by = (caller){.c = t->c, .function = t->of, .vtab = base};
    cur->arguments.by = cur->answer.by = &cur->by;
    int rc = scope_open(t->c, &cur->by.scope, t);
    if (rc != SQLITE_OK) {
        sqlite3_free(cur);
        return rc;
    }
    *made = &cur->base;
    return SQLITE_OK;
}

static int function_close(sqlite3_vtab_cursor *base) {
    cursor *cur = (cursor *)base;
    answer_close(&cur->answer);
    scope_close(cur->by.c, &cur->by.scope);
    arguments_clear(&cur->arguments);
    rows_clear(&cur->rows);
    sqlite3_free(cur);
    return SQLITE_OK;
}

static int function_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    const module_table *t = (const module_table *)base;
    wal_notes_take(&t->c->logs, t->c->db); /* before the statement begins */
    connection_note(t->c);
    return plan_choose(&(caller){.c = t->c, .function = t->of, .vtab = base}, info);
}

/* "CREATE TABLE x(vertex, depth INTEGER, ..., "(edges)" BLOB HIDDEN, ..., edges BLOB
** HIDDEN, ...)"; sqlite3_free. The type BLOB has no affinity. The type HIDDEN alone would
** have NUMERIC affinity, and `source IN ('01', 2)` would mean 1 and 2. */
static char *schema_of(const table_function *f) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "CREATE TABLE x(");
    for (int i = 0; i < column_count(f); i++) {
        enum field field = column_field(f, i);
        sqlite3_str_appendf(sql, column_is_positional(f, i) ? "%s\"(%s)\"" : "%s%s",
                            i ? ", " : "", field_name(f, field));
        sqlite3_str_appendf(
            sql, " %s", field < F_FIRST_ARGUMENT ? field_type(f, field) : "BLOB HIDDEN");
    }
    sqlite3_str_appendall(sql, ")");
    return sqlite3_str_finish(sql);
}

/* INNOCUOUS: a table function reads only tables and views that its caller may read. A
** query may do more, and is refused unless it is in top-level SQL. */
static int function_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                            sqlite3_vtab **made, char **error) {
    (void)db, (void)argc, (void)argv, (void)error;
    char *schema = schema_of(((const module_table *)aux)->of);
    int rc =
        schema ? module_connect(aux, schema, SQLITE_VTAB_INNOCUOUS, made) : SQLITE_NOMEM;
    sqlite3_free(schema);
    return rc;
}

static const sqlite3_module function_module = {
    .xConnect = function_connect, /* without xCreate the table exists from the start */
    .xBestIndex = function_best_index,
    .xDisconnect = module_disconnect,
    .xDestroy = module_disconnect,
    .xOpen = function_open,
    .xClose = function_close,
    .xFilter = function_filter,
    .xNext = function_next,
    .xEof = function_eof,
    .xColumn = function_column,
    .xRowid = function_rowid,
};

int table_functions_register(connection *c) {
    int rc = SQLITE_OK;
    for (int i = 0; i < table_function_count && rc == SQLITE_OK; i++)
        rc = module_register(c, table_functions[i]->name, &function_module,
                             table_functions[i]);
    return rc;
}
