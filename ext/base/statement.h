/* SQL statements that the extension runs for itself. */
#ifndef GPUGRAPH_STATEMENT_H
#define GPUGRAPH_STATEMENT_H

#include "ext.h"

/* Prepares what sqlite3_mprintf makes of the format. *statement is NULL after a failure. */
int statement_prepare(sqlite3 *db, sqlite3_stmt **statement, const char *format, ...);
/* Prepares the text, which it finishes. */
int statement_prepare_text(sqlite3 *db, sqlite3_stmt **statement, sqlite3_str *text);
/* Finalizes the statement. Returns rc or, where that is SQLITE_OK, the statement's own error. */
int statement_end(sqlite3_stmt *statement, int rc);
/* Sets *value to the first column of the first row; without a row it stays what it is. */
int statement_integer(sqlite3 *db, sqlite3_int64 *value, const char *format, ...);
/* Runs SQL to its end; *error is SQLite's own message (sqlite3_free). */
int statement_execute(sqlite3 *db, char **error, const char *format, ...);
/* The column as text, "" where it is NULL; until the next step. */
const char *statement_text(sqlite3_stmt *statement, int column);

#endif
