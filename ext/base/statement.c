/* SQL statements that the extension runs for itself: see statement.h. */
#include "statement.h"

#include <stdarg.h>

int statement_prepare(sqlite3 *db, sqlite3_stmt **statement, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    *statement = NULL;
    int rc = sql ? sqlite3_prepare_v2(db, sql, -1, statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc;
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
