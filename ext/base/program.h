/* What a statement may do while it runs (program.c). */
#ifndef GPUGRAPH_PROGRAM_H
#define GPUGRAPH_PROGRAM_H

#include "ext.h"

typedef struct program {
    /* an error may end the statement and leave the work that is done: RAISE(FAIL) and ON
    ** CONFLICT FAIL */
    bool may_stop;
    bool writes; /* it may write to the table that was asked about */
    /* it may write anywhere: through a virtual table, or to a whole file */
    bool writes_past;
    bool triggers_call; /* a trigger may call this extension */
} program;

/* Reads the program of a statement, triggers and foreign keys included. table (with or
** without rowids) in schema may be NULL. If SQLite does not tell, all fields are true.
** SQLITE_OK or SQLITE_NOMEM. */
int program_read(sqlite3 *db, const char *sql, const char *schema, const char *table,
                 program *made);

#endif
