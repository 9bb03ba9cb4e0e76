/* What a function writes, as a whole or not at all: savepoint.c. */
#ifndef GPUGRAPH_SAVEPOINT_H
#define GPUGRAPH_SAVEPOINT_H

#include "table_info.h"

typedef struct savepoint {
    sqlite3 *db;
    sqlite3_stmt *nothing; /* a statement that writes, and changes nothing */
    bool open;
    bool alone; /* the transaction is the savepoint's own */
} savepoint;

/* For what will be written to this table. SQLITE_BUSY: a statement of this connection
** writes, and none can be opened meanwhile. */
int savepoint_open(savepoint *s, sqlite3 *db, const table_info *table, char **error);
/* Keeps what was written where rc is SQLITE_OK, else takes it back. Returns rc, or why it
** could not be kept; *error, where it is NULL, is then SQLite's own message. */
int savepoint_close(savepoint *s, int rc, char **error);

#endif
