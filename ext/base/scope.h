/* Which execution of which statement is calling.
**
** The executing statements are those that are busy and hold no row (sqlite3_data_count
** 0): the caller and whatever it is nested in. An execution lives as long as cursors of
** this extension that it opened: SQLite closes them all when a statement ends (those of a
** trigger's body when that firing ends), and never closes the last of them before.
**
**     entry   [0] SELECT, serial 7      the caller's statements, each with its execution
**             [1] INSERT, serial 9      a trigger of it may ask, too */
#ifndef GPUGRAPH_SCOPE_H
#define GPUGRAPH_SCOPE_H

#include "ext.h"

typedef struct scope {
    int count;
    struct scope_entry {
        sqlite3_stmt *statement;
        unsigned long long serial; /* names the execution: the statement may run again */
    } entry[8];
    bool overflow; /* nested deeper: equal to no scope, so nothing is shared with it */
    const void *table; /* of a cursor: its virtual table */
} scope;

typedef struct connection connection; /* connection.h */

/* Every cursor holds the scope it was opened in: scope_open in xOpen, scope_settle in
** xFilter, scope_close in xClose; table: the cursor's. A scalar function keeps one for its
** statement by sqlite3_set_auxdata; table is NULL there. After scope_close, or on a zeroed
** scope, scope_close does nothing. */
int scope_open(connection *c, scope *s, const void *table);
void scope_settle(connection *c);
void scope_close(connection *c, scope *s);
bool scope_equal(const scope *a, const scope *b);
/* How SQL text of this extension's own making begins, for those who look at statements.
** No other meaning hangs on it: anybody may write it. */
#define OWN_SQL "/* gpugraph */ "
/* Does an executing statement contain the query as this argument ("edges", "vertices") of a
** call of this function (base/query_origin.h)? 1, 0, or -1: no memory. */
int scope_has_query(connection *c, const scope *s, const char *function,
                    const char *argument, const char *query);
/* Is it in the middle of sqlite3_step? */
bool is_executing(sqlite3_stmt *statement);
/* How many programs the statement has begun, ever: each time it runs its own, and that of
** each trigger that fires. */
int programs_begun(sqlite3_stmt *statement);

#endif
