/* Reads and checks what a followed graph has in the database; make.c makes and drops it.
**
**     sqlite_schema   table     g      CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b))
**                     table     g_log  an ordinary table, which triggers write. Under
**                                      SQLITE_DBCONFIG_DEFENSIVE no trigger could write a
**                                      shadow table
**                     trigger   g_inserted, g_deleted, ... on roads
**
** ALTER TABLE rewrites triggers, but not the arguments of g. So the triggers say what g
** follows, and the arguments count only if no trigger is left.
**
** Other triggers may keep the log's triggers from firing. SQLite fires the latest first:
**
**     sqlite_schema, in order   back      AFTER INSERT ON roads ...    harmless
**                               g_...     the log's triggers
**                               audit     AFTER INSERT ON roads ...    fires before g_...
**
** RAISE(IGNORE) in an AFTER trigger ends the row's other triggers, and the row stays.
** RAISE(FAIL), and a constraint under INSERT OR FAIL that the trigger's own write
** violates, have the same effect. In a BEFORE trigger they prevent the row itself. */
#include "sql.h"
#include "source/source.h"
#include "base/room.h"
#include "base/sql_text.h"
#include "base/statement.h"
#include <string.h>

/* ---- the triggers in the database ---- */

static int present_add(trigger_list *list, sqlite3_stmt *row) {
    struct trigger *t = trigger_list_add(list);
    if (!t)
        return SQLITE_NOMEM;
    t->name = sqlite3_mprintf("%s", statement_text(row, 0));
    t->table = sqlite3_mprintf("%s", statement_text(row, 1));
    t->sql = sqlite3_mprintf("%s", statement_text(row, 2));
    t->row = sqlite3_column_int64(row, 3);
    return t->name && t->table && t->sql ? SQLITE_OK : SQLITE_NOMEM;
}

int present_read(sqlite3 *db, const char *schema, const char *log, trigger_list *list) {
    sqlite3_stmt *statement;
    memset(list, 0, sizeof *list);
    int rc = statement_prepare(
        db, &statement,
        "SELECT name, tbl_name, sql, rowid FROM \"%w\".sqlite_schema WHERE type = "
        "'trigger'",
        schema);
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        if (trigger_is_own(statement_text(statement, 0), statement_text(statement, 2),
                           log))
            rc = present_add(list, statement);
    }
    rc = statement_end(statement, rc);
    if (rc)
        trigger_list_clear(list);
    return rc;
}

/* ---- the definition ---- */

void definition_clear(definition *d) {
    sqlite3_free(d->schema);
    sqlite3_free(d->name);
    sqlite3_free(d->log);
    sqlite3_free(d->key);
    sqlite3_free(d->reads);
    sqlite3_free(d->trouble);
    edge_source_clear(&d->source);
    memset(d, 0, sizeof *d);
}

int definition_resolve(connection *c, const char *function, const scope *s,
                       const definition *d, row_source *rows, char **error) {
    int rc = source_resolve(c, function, "edges", s, &d->source, rows, error);
    rows->followed = true;
    if (rc == SQLITE_OK && d->by_name && !rows->column[WEIGHT_COLUMN])
        source_doubt_weight(rows);
    return rc;
}

int definition_start(definition *d, const char *schema, const char *name) {
    memset(d, 0, sizeof *d);
    d->schema = sqlite3_mprintf("%s", schema);
    d->name = sqlite3_mprintf("%s", name);
    d->log = sqlite3_mprintf("%s_log", name);
    return d->schema && d->name && d->log ? SQLITE_OK : SQLITE_NOMEM;
}

int definition_set_schema(definition *d) {
    sqlite3_free(d->source.schema);
    d->source.schema = sqlite3_mprintf("%s", d->schema);
    return d->source.schema ? SQLITE_OK : SQLITE_NOMEM;
}

static int read_arguments(sqlite3 *db, definition *d, char **error) {
    char *sql;
    int rc = statement_string(
        db, &sql,
        "SELECT sql FROM \"%w\".sqlite_schema WHERE type = 'table' AND name = "
        "%Q COLLATE NOCASE",
        d->schema, d->name);
    if (rc == SQLITE_OK && !sql)
        rc = fail_with(error, "there is no graph '%s' in %s", d->name, d->schema);
    rc = rc ? rc : definition_parse_sql(d, sql, error);
    rc = rc ? rc : definition_set_schema(d);
    sqlite3_free(sql);
    return rc;
}

static int take_columns_of_schema(definition *d, const char *sql) {
    char *column[EDGE_COLUMNS] = {NULL};
    int count = trigger_columns(sql, column);
    for (int i = 0; i < EDGE_COLUMNS; i++) {
        sqlite3_free(count > 0 ? d->source.column[i] : column[i]);
        if (count > 0)
            d->source.column[i] = column[i];
    }
    if (count <= 0)
        return count < 0 ? SQLITE_NOMEM : SQLITE_OK;
    d->source.columns = count;
    char *condition;
    int rc = condition_of_trigger(sql, &condition);
    if (condition) {
        sqlite3_free(d->source.where);
        d->source.where = condition;
    }
    return rc;
}

/* Takes the table and the columns from the triggers. */
static int take_triggers(definition *d, const trigger_list *list) {
    int rc = SQLITE_OK;
    for (int i = 0; i < list->count && rc == SQLITE_OK; i++) {
        const struct trigger *t = &list->item[i];
        d->latest_trigger = t->row > d->latest_trigger ? t->row : d->latest_trigger;
        if (sqlite3_stricmp(t->table, d->log) == 0)
            continue;
        char *table = sqlite3_mprintf("%s", t->table);
        if (!table)
            return SQLITE_NOMEM;
        sqlite3_free(d->source.table);
        d->source.table = table;
        rc = take_columns_of_schema(d, t->sql);
    }
    return rc;
}

/* Sets d->trouble. Takes over the reason (NULL: no memory). */
static int blame(definition *d, char *reason) {
    char *typed = table_as_sql(d->schema, d->name);
    if (reason && typed)
        d->trouble = sqlite3_mprintf("read afresh each time, since %s; DROP TABLE %s and "
                                     "create it again",
                                     reason, typed);
    sqlite3_free(reason);
    sqlite3_free(typed);
    return d->trouble ? SQLITE_OK : SQLITE_NOMEM;
}

/* Sets d->trouble if triggers are missing or were changed. */
static int find_trouble(sqlite3 *db, definition *d, const trigger_list *list,
                        char **error) {
    trigger_list needed;
    sqlite3_str *missing = sqlite3_str_new(NULL);
    int count = 0, rc = follow_triggers(db, d, &needed, error);
    for (int i = 0; i < needed.count && rc == SQLITE_OK; i++) {
        bool found = false;
        for (int j = 0; j < list->count && !found; j++)
            found = trigger_same(d, needed.item[i].sql, list->item[j].sql);
        if (!found)
            name_list_add(missing, count++, needed.item[i].name);
    }
    trigger_list_clear(&needed);
    char *names = sqlite3_str_finish(missing);
    if (rc == SQLITE_OK && count)
        return blame(
            d, names ? sqlite3_mprintf("triggers are missing or were changed (%z)", names)
                     : NULL);
    sqlite3_free(names);
    return rc;
}

/* True if the table exists, has the other column, and `rowid` is its INTEGER key. */
static bool table_is_there(sqlite3 *db, const char *schema, const char *table,
                           const char *rowid, const char *column) {
    const char *type = NULL;
    int key = 0;
    return sqlite3_table_column_metadata(db, schema, table, rowid, &type, NULL, NULL,
                                         &key, NULL) == SQLITE_OK &&
           key && type && sqlite3_stricmp(type, "INTEGER") == 0 &&
           sqlite3_table_column_metadata(db, schema, table, column, NULL, NULL, NULL,
                                         NULL, NULL) == SQLITE_OK;
}

/* SQLite chooses random marks only while the row with the largest rowid exists. */
static int first_mark_is_there(sqlite3 *db, const char *schema, const char *marks,
                               bool *there) {
    sqlite3_int64 found = 0;
    int rc = statement_integer(
        db, &found, "SELECT 1 FROM \"%w\".\"%w\" WHERE mark = 9223372036854775807",
        schema, marks);
    *there = found != 0;
    return rc;
}

static int find_log(sqlite3 *db, definition *d) {
    char *marks = sqlite3_mprintf("%s_marks", d->name);
    if (!marks)
        return SQLITE_NOMEM;
    bool marked = table_is_there(db, d->schema, marks, "mark", "unused");
    bool logged = table_is_there(db, d->schema, d->log, "rowid", "edge") &&
                  table_is_there(db, d->schema, d->log, "rowid", "mark");
    int rc = marked ? first_mark_is_there(db, d->schema, marks, &marked) : SQLITE_OK;
    sqlite3_free(marks);
    if (rc == SQLITE_OK && !logged)
        return blame(d, sqlite3_mprintf("its log %s is missing", d->log));
    if (rc == SQLITE_OK && !marked)
        return blame(d,
                     sqlite3_mprintf("its table of marks %s_marks is missing", d->name));
    return rc;
}

/* ---- other triggers ---- */

static bool raises(const char *at, const char *end) {
    sql_token token;
    at = sql_next(at, end, &token); /* the parenthesis */
    sql_next(at, end, &token);
    return sql_word_is(token.start, token.end, "IGNORE") ||
           sql_word_is(token.start, token.end, "FAIL");
}

/* True if the trigger (CREATE TRIGGER name AFTER INSERT ...) writes or may end early. */
static bool may_end_early(const char *sql) {
    static const char *const writes[] = {"INSERT", "UPDATE", "DELETE", "REPLACE"};
    const char *end = sql + strlen(sql), *at = sql;
    sql_token token;
    for (int i = 0; i < 4; i++)
        at = sql_next(at, end, &token);
    if (!sql_word_is(token.start, token.end, "AFTER"))
        return false;
    at = sql_next(at, end, &token); /* the event */
    while (at = sql_next(at, end, &token), token.kind != SQL_END) {
        if (sql_word_is(token.start, token.end, "RAISE") && raises(at, end))
            return true;
        for (int i = 0; i < 4; i++)
            if (sql_word_is(token.start, token.end, writes[i]))
                return true;
    }
    return false;
}

/* 1 if it is a trigger of another graph, which writes a log and nothing else; 0 if not;
** -1: no memory. */
static int of_graph(sqlite3 *db, const char *schema, const char *name, const char *sql) {
    const char *suffix = strrchr(name, '_');
    table_info info;
    char *error = NULL;
    if (!suffix)
        return 0;
    char *log = sqlite3_mprintf("%.*s_log", (int)(suffix - name), name);
    int of = log ? trigger_is_own(name, sql, log) : -1;
    if (of > 0) {
        log[suffix - name] = 0;
        int rc = table_find(db, schema, log, &info, &error);
        of = rc == SQLITE_NOMEM ? -1 : rc == SQLITE_OK && info.kind == 'g';
        table_info_clear(&info);
    }
    sqlite3_free(error);
    sqlite3_free(log);
    return of;
}

static int find_early_triggers(sqlite3 *db, definition *d) {
    sqlite3_stmt *statement;
    bool later = false;
    int rc =
        statement_prepare(db, &statement,
                          "SELECT name, sql FROM \"%w\".sqlite_schema WHERE type = "
                          "'trigger' AND tbl_name = %Q COLLATE NOCASE ORDER BY rowid",
                          d->schema, d->source.table);
    while (rc == SQLITE_OK && !d->trouble && sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = statement_text(statement, 0),
                   *sql = statement_text(statement, 1);
        const bool own = trigger_is_own(name, sql, d->log);
        later |= own;
        if (own || !later || !may_end_early(sql))
            continue;
        const int of = of_graph(db, d->schema, name, sql);
        rc = of < 0 ? SQLITE_NOMEM : SQLITE_OK;
        if (of == 0)
            rc = blame(d, sqlite3_mprintf("the trigger %s was made after its own and may "
                                          "end before they fire",
                                          name));
    }
    return statement_end(statement, rc);
}

/* ---- reading the definition ---- */

int definition_read(sqlite3 *db, const char *schema, const char *name, definition *made,
                    char **error) {
    trigger_list list = {NULL, 0, 0};
    *error = NULL;
    int rc = definition_start(made, schema, name);
    rc = rc ? rc : read_arguments(db, made, error);
    rc = rc ? rc : present_read(db, schema, made->log, &list);
    rc = rc ? rc : take_triggers(made, &list);
    rc = rc ? rc : find_log(db, made);
    if (rc == SQLITE_OK && !made->trouble) {
        rc = find_trouble(db, made, &list, error);
        if (rc == SQLITE_ERROR && !*error) { /* the followed table does not exist */
            char *typed = table_as_sql(schema, name);
            if (typed)
                made->trouble =
                    sqlite3_mprintf("%s.%s, which it follows, is gone; DROP TABLE %z",
                                    schema, made->source.table, typed);
            rc = made->trouble ? SQLITE_OK : SQLITE_NOMEM;
        }
    }
    if (rc == SQLITE_OK && !made->trouble)
        rc = find_early_triggers(db, made);
    trigger_list_clear(&list);
    const bool persist = made->persist;
    if (rc)
        definition_clear(made);
    made->persist = persist;
    return rc;
}

int definition_read_renamed(sqlite3 *db, const char *log, definition *d, char **error) {
    trigger_list list;
    int rc = read_arguments(db, d, error);
    if (rc)
        return rc;
    rc = present_read(db, d->schema, log, &list);
    if (rc)
        return rc;
    char *made = d->log;
    d->log = (char *)log;
    rc = take_triggers(d, &list);
    d->log = made;
    trigger_list_clear(&list);
    return rc;
}
