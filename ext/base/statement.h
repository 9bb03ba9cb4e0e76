/* SQL statements that the extension runs for itself. */
#ifndef GPUGRAPH_STATEMENT_H
#define GPUGRAPH_STATEMENT_H

#include "ext.h"

/* Prepares what sqlite3_mprintf makes of the format. *statement is NULL after a failure. */
int statement_prepare(sqlite3 *db, sqlite3_stmt **statement, const char *format, ...);
/* Runs SQL to its end; *error is SQLite's own message (sqlite3_free). */
int statement_execute(sqlite3 *db, char **error, const char *format, ...);
/* The column as text, "" where it is NULL; until the next step. */
const char *statement_text(sqlite3_stmt *statement, int column);

#endif
