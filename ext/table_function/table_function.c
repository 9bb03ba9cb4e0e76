/* The virtual table that all table functions are: a cursor settles its arguments, gets
** an answer, and hands out the rows that are read from it. A cursor that is asked
** again (the inner side of a join) keeps its graph and its answer for as long as they
** serve. */
#include "pages/wal_frames.h"
#include "table_function.h"

#include <stdlib.h>
#include <string.h>

typedef struct table {
    sqlite3_vtab base;
    connection *c;
    const algorithm *algorithm;
} table;

/* ---- sentences ---- */

static int set_error(cursor *cur, int rc, char *error) {
    sqlite3_vtab *vtab = cur->base.pVtab;
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = error;
    return error ? rc : SQLITE_NOMEM;
}

int cursor_fail(cursor *cur, int rc, const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *sentence = sqlite3_vmprintf(format, values);
    va_end(values);
    char *error =
        sentence ? sqlite3_mprintf("%s: %s", cur->algorithm->name, sentence) : NULL;
    sqlite3_free(sentence);
    return set_error(cur, rc, error);
}

int cursor_fail_with(cursor *cur, int rc, char *error) {
    if (error && rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT)
        return set_error(cur, rc, error);
    sqlite3_free(error);
    return rc;
}

/* ---- one call ---- */

static int find_rows(cursor *cur, int plan, const char *words, int argc,
                     sqlite3_value **argv) {
    int rc = arguments_read(cur, plan, words, argc, argv);
    if (rc != SQLITE_OK || cur->arguments.no_rows)
        return rc;
    rc = answer_graph(cur);
    if (rc == SQLITE_OK && !argument_given(&cur->arguments, F_DIRECTION))
        cur->arguments.direction = cur->graph->direction;
    if (rc == SQLITE_OK)
        rc = arguments_resolve(cur);
    if (rc != SQLITE_OK || cur->arguments.no_rows ||
        gpugraph_vertex_count(cur->graph->graph) == 0)
        return rc;
    if (cur->arguments.source_list)
        return sources_start(cur);
    rc = answer_find(cur);
    return rc == SQLITE_OK ? rows_start(cur) : rc;
}

static int answer_call(cursor *cur, int plan, const char *words, int argc,
                       sqlite3_value **argv) {
    strangers *s = &cur->strangers;
    cur->position = cur->end = 0;
    cur->next_target = 0;
    cur->targets.count = 0;
    s->count = 0;
    s->text[0] = '\0';
    s->told = false;
    int rc = find_rows(cur, plan, words, argc, argv);
    s->calls += s->count > 0;
    if (rc == SQLITE_OK && s->count > 0 && !s->told)
        answer_arguments(cur);
    return rc;
}

static int function_filter(sqlite3_vtab_cursor *base, int plan, const char *words,
                           int argc, sqlite3_value **argv) {
    cursor *cur = (cursor *)base;
    scope_settle(cur->c);
    answer_begin(cur);
    int rc = answer_call(cur, plan, words, argc, argv);
    answer_end(cur);
    return rc;
}

static int function_next(sqlite3_vtab_cursor *base) {
    cursor *cur = (cursor *)base;
    cur->position += cur->direction;
    int rc = rows_settle(cur);
    if (rc != SQLITE_OK || cur->position != cur->end || !cur->arguments.source_list)
        return rc;
    answer_begin(cur);
    rc = sources_go_on(cur);
    answer_end(cur);
    return rc;
}

static int function_eof(sqlite3_vtab_cursor *base) {
    const cursor *cur = (const cursor *)base;
    return cur->position == cur->end;
}

static int function_column(sqlite3_vtab_cursor *base, sqlite3_context *context,
                           int column) {
    row_column((const cursor *)base, context, column);
    return SQLITE_OK;
}

static int function_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
    *rowid = row_id((const cursor *)base);
    return SQLITE_OK;
}

/* ---- the module ---- */

static int function_open(sqlite3_vtab *base, sqlite3_vtab_cursor **made) {
    const table *t = (const table *)base;
    cursor *cur = sqlite3_malloc64(sizeof *cur);
    if (!cur)
        return SQLITE_NOMEM;
    memset(cur, 0, sizeof *cur);
    cur->c = t->c;
    cur->algorithm = t->algorithm;
    int rc = scope_open(t->c, &cur->scope, t);
    if (rc != SQLITE_OK) {
        sqlite3_free(cur);
        return rc;
    }
    *made = &cur->base;
    return SQLITE_OK;
}

static int function_close(sqlite3_vtab_cursor *base) {
    cursor *cur = (cursor *)base;
    answer_drop(cur);
    scope_close(cur->c, &cur->scope);
    text_clear(&cur->edges);
    text_clear(&cur->vertices);
    text_clear(&cur->params);
    text_clear(&cur->sources_text);
    sqlite3_free(cur->sources.item);
    sqlite3_free(cur->targets.item);
    sqlite3_free(cur->only.item);
    sqlite3_free(cur->source_list.item);
    sqlite3_free(cur->key);
    free(cur->step);
    sqlite3_free(cur);
    return SQLITE_OK;
}

static int function_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    connection *c = ((table *)base)->c;
    wal_notes_take(&c->logs, c->db); /* the statement has not begun */
    return plan_choose(((table *)base)->algorithm, c->db, base, info);
}

/* "CREATE TABLE x(vertex, depth INTEGER, ..., "(edges)" BLOB HIDDEN, ..., edges BLOB HIDDEN,
** ...)"; sqlite3_free. For SQLite a type of HIDDEN alone has NUMERIC affinity, and
** `source IN ('01', 2)` would be asked as 1 and 2. */
static char *schema_of(const algorithm *a) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "CREATE TABLE x(");
    for (int i = 0; i < column_count(a); i++) {
        enum field field = column_field(a, i);
        const struct field_text *f = &field_text[field];
        sqlite3_str_appendf(sql, column_is_bracketed(a, i) ? "%s\"(%s)\"" : "%s%s",
                            i ? ", " : "", f->name);
        sqlite3_str_appendf(sql, " %s",
                            field < F_FIRST_ARGUMENT ? f->type : "BLOB HIDDEN");
    }
    sqlite3_str_appendall(sql, ")");
    return sqlite3_str_finish(sql);
}

/* One for each module, so that its tables know their function. */
typedef struct registration {
    connection *c;
    const algorithm *algorithm;
} registration;

/* INNOCUOUS: a table function reads tables and views that its caller may read as well;
** a query, which may do more, is refused unless top-level SQL holds it. */
static int function_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                            sqlite3_vtab **made, char **error) {
    (void)argc, (void)argv, (void)error;
    const registration *r = aux;
    char *schema = schema_of(r->algorithm);
    if (!schema)
        return SQLITE_NOMEM;
    int rc = sqlite3_declare_vtab(db, schema);
    sqlite3_free(schema);
    if (rc == SQLITE_OK)
        rc = sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    if (rc != SQLITE_OK)
        return rc;
    table *t = sqlite3_malloc64(sizeof *t);
    if (!t)
        return SQLITE_NOMEM;
    memset(t, 0, sizeof *t);
    t->c = r->c;
    t->algorithm = r->algorithm;
    connection_addref(t->c); /* loaded again, SQLite drops the module before its tables */
    connection_table_opened(t->c);
    *made = &t->base;
    return SQLITE_OK;
}

static int function_disconnect(sqlite3_vtab *base) {
    connection_table_closed(((table *)base)->c);
    connection_unref(((table *)base)->c);
    sqlite3_free(base);
    return SQLITE_OK;
}

static const sqlite3_module function_module = {
    .xConnect =
        function_connect, /* no xCreate: the table is there without being created */
    .xBestIndex = function_best_index,
    .xDisconnect = function_disconnect,
    .xDestroy = function_disconnect,
    .xOpen = function_open,
    .xClose = function_close,
    .xFilter = function_filter,
    .xNext = function_next,
    .xEof = function_eof,
    .xColumn = function_column,
    .xRowid = function_rowid,
};

static void registration_free(void *aux) {
    registration *r = aux;
    connection_unref(r->c);
    sqlite3_free(r);
}

int table_functions_register(connection *c) {
    for (int i = 0; i < algorithm_count; i++) {
        registration *r = sqlite3_malloc64(sizeof *r);
        if (!r)
            return SQLITE_NOMEM;
        *r = (registration){c, &algorithms[i]};
        connection_addref(c);
        int rc = sqlite3_create_module_v2(c->db, algorithms[i].name, &function_module, r,
                                          registration_free);
        if (rc != SQLITE_OK)
            return rc;
    }
    return SQLITE_OK;
}
