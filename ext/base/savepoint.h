/* Keeps all writes of a function, or none (savepoint.c). */
#ifndef GPUGRAPH_SAVEPOINT_H
#define GPUGRAPH_SAVEPOINT_H

#include "table_info.h"

typedef struct savepoint {
    sqlite3 *db;
    sqlite3_stmt *nothing; /* a writing statement that changes nothing */
    bool open;
    bool alone; /* the savepoint began the transaction */
} savepoint;

/* Opens a savepoint before writes to this table. SQLITE_BUSY: a running statement of this
** connection writes, so no savepoint can be opened. */
int savepoint_open(savepoint *s, sqlite3 *db, const table_info *table, char **error);
/* Keeps the writes if rc is SQLITE_OK, otherwise rolls them back. Returns rc, or the
** reason why they could not be kept. *error, if it was NULL, is then SQLite's message. */
int savepoint_close(savepoint *s, int rc, char **error);

#endif
