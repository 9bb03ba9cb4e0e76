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
