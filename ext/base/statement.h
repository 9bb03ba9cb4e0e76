/* SQL statements that the extension runs for itself. */
#ifndef GPUGRAPH_STATEMENT_H
#define GPUGRAPH_STATEMENT_H

#include "ext.h"

/* Prepares the text that sqlite3_mprintf makes of the format. *statement is NULL after a
** failure. */
int statement_prepare(sqlite3 *db, sqlite3_stmt **statement, const char *format, ...);
/* Finishes the text and prepares it. */
int statement_prepare_text(sqlite3 *db, sqlite3_stmt **statement, sqlite3_str *text);
/* Finalizes the statement. Returns rc or, if that is SQLITE_OK, the statement's own
** error. */
int statement_end(sqlite3_stmt *statement, int rc);
/* Sets *value to the first column of the first row; without a row *value is unchanged. */
int statement_integer(sqlite3 *db, sqlite3_int64 *value, const char *format, ...);
/* Sets *text (sqlite3_free, also after a failure) to the first column of the first row.
** NULL gives "". Without a row *text is NULL. */
int statement_string(sqlite3 *db, char **text, const char *format, ...);
/* Runs SQL to its end; *error is SQLite's message (sqlite3_free). */
int statement_execute(sqlite3 *db, char **error, const char *format, ...);
/* The column as text, "" for NULL; valid until the next step. */
const char *statement_text(sqlite3_stmt *statement, int column);

/* ---- savepoints: all writes of a function are kept, or none ---- */

typedef struct savepoint {
    sqlite3 *db;
    sqlite3_stmt *nothing; /* a writing statement that changes nothing */
    bool open;
    bool alone; /* the savepoint began the transaction */
} savepoint;

/* Opens a savepoint before writes to this table. SQLITE_BUSY: a running statement of this
** connection writes, so no savepoint can be opened. */
int savepoint_open(savepoint *s, sqlite3 *db, const char *schema, const char *table,
                   char **error);
/* Keeps the writes if rc is SQLITE_OK, otherwise rolls them back. Returns rc, or the
** reason why they could not be kept. *error, if it was NULL, is then SQLite's message. */
int savepoint_close(savepoint *s, int rc, char **error);

#endif
