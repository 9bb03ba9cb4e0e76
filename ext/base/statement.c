/* SQL statements that the extension runs for itself: see statement.h. */
#include "statement.h"

#include <stdarg.h>

static int prepare_owned(sqlite3 *db, sqlite3_stmt **statement, char *sql) {
    *statement = NULL;
    int rc = sql ? sqlite3_prepare_v2(db, sql, -1, statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc;
}

int statement_prepare(sqlite3 *db, sqlite3_stmt **statement, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    return prepare_owned(db, statement, sql);
}

int statement_prepare_text(sqlite3 *db, sqlite3_stmt **statement, sqlite3_str *text) {
    return prepare_owned(db, statement, sqlite3_str_finish(text));
}

int statement_end(sqlite3_stmt *statement, int rc) {
    const int end = sqlite3_finalize(statement);
    return rc ? rc : end;
}

int statement_integer(sqlite3 *db, sqlite3_int64 *value, const char *format, ...) {
    sqlite3_stmt *statement;
    va_list arguments;
    va_start(arguments, format);
    int rc = prepare_owned(db, &statement, sqlite3_vmprintf(format, arguments));
    va_end(arguments);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        *value = sqlite3_column_int64(statement, 0);
    return statement_end(statement, rc);
}

int statement_string(sqlite3 *db, char **text, const char *format, ...) {
    sqlite3_stmt *statement;
    va_list arguments;
    va_start(arguments, format);
    int rc = prepare_owned(db, &statement, sqlite3_vmprintf(format, arguments));
    va_end(arguments);
    *text = NULL;
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        *text = sqlite3_mprintf("%s", statement_text(statement, 0));
        rc = *text ? SQLITE_OK : SQLITE_NOMEM;
    }
    return statement_end(statement, rc);
}

const char *statement_text(sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

int statement_execute(sqlite3 *db, char **error, const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *sql = sqlite3_vmprintf(format, values);
    va_end(values);
    if (!sql)
        return SQLITE_NOMEM;
    sqlite3_free(*error);
    *error = NULL;
    int rc = sqlite3_exec(db, sql, NULL, NULL, error);
    sqlite3_free(sql);
    return rc;
}

/* ---- savepoints: all writes of a function are kept, or none ----
**
**     in a transaction    SAVEPOINT ... RELEASE, or ROLLBACK TO and RELEASE
**     outside of one      the savepoint begins a transaction: RELEASE commits; after any
**                         failure, also of RELEASE, ROLLBACK
**
** SQLite rolls back the whole transaction when a statement that writes is interrupted or
** finds the disk full. The savepoint is then gone. */

int savepoint_open(savepoint *s, sqlite3 *db, const char *schema, const char *table,
                   char **error) {
    *s = (savepoint){.db = db, .alone = sqlite3_get_autocommit(db) != 0};
    int rc = statement_prepare(db, &s->nothing, "DELETE FROM \"%w\".\"%w\" WHERE 0",
                               schema, table);
    if (rc == SQLITE_OK)
        rc = statement_execute(db, error, "SAVEPOINT gpugraph");
    else
        *error = sqlite3_mprintf("%s", sqlite3_errmsg(db));
    s->open = rc == SQLITE_OK;
    return rc;
}

/* An interrupt stops ROLLBACK, too. But SQLite rolls back the whole transaction when it
** interrupts a statement that writes. This statement must be prepared in advance. */
static void roll_savepoint_back(const savepoint *s) {
    char *error = NULL;
    int rc = SQLITE_OK;
    if (!sqlite3_get_autocommit(s->db))
        rc = statement_execute(s->db, &error,
                               s->alone ? "ROLLBACK"
                                        : "ROLLBACK TO gpugraph; RELEASE gpugraph");
    if (rc == SQLITE_INTERRUPT)
        sqlite3_step(s->nothing);
    sqlite3_free(error);
}

int savepoint_close(savepoint *s, int rc, char **error) {
    if (s->open && rc == SQLITE_OK)
        rc = statement_execute(s->db, error, "RELEASE gpugraph");
    if (s->open && rc)
        roll_savepoint_back(s);
    sqlite3_finalize(s->nothing);
    *s = (savepoint){.db = s->db};
    return rc;
}
