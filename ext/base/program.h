/* What a statement may do while it runs: program.c. */
#ifndef GPUGRAPH_PROGRAM_H
#define GPUGRAPH_PROGRAM_H

#include "ext.h"

typedef struct program {
    bool may_stop; /* an error may end it half way and leave what it has done: RAISE(FAIL)
                   ** and ON CONFLICT FAIL */
    bool writes;   /* to the table that was asked about */
    bool
        writes_past; /* to whatever it likes: through a virtual table, or to a whole file */
    bool triggers_call; /* what a trigger does may call this extension */
} program;

/* Of one statement's text, with whatever triggers and foreign keys add. table (a rowid table
** or one WITHOUT ROWID), in schema, may be NULL. Where SQLite does not tell, all of it may be:
** SQLITE_OK or SQLITE_NOMEM. */
int program_read(sqlite3 *db, const char *sql, const char *schema, const char *table,
                 program *made);

#endif
