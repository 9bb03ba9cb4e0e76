/* Reads what a statement may do while it runs (program.c). */
#ifndef GPUGRAPH_PROGRAM_H
#define GPUGRAPH_PROGRAM_H

#include "ext.h"

typedef struct program {
    /* RAISE(FAIL) or ON CONFLICT FAIL: an error may end the statement and keep its
    ** finished changes */
    bool may_stop;
    bool writes;        /* it may write to the table */
    bool writes_past;   /* it may write through a virtual table, or to a whole file */
    bool triggers_call; /* a trigger may call this extension */
} program;

/* Reads the program of a statement, triggers and foreign keys included. table: a table in
** schema, with or without rowids, or NULL. If SQLite does not show the program, all
** fields are true. Returns SQLITE_OK or SQLITE_NOMEM. */
int program_read(sqlite3 *db, const char *sql, const char *schema, const char *table,
                 program *made);

#endif
