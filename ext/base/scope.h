/* The execution of a statement that is calling.
**
** The executing statements are those that are busy and hold no row (sqlite3_data_count
** 0): the caller and the statements that it is nested in. An execution lives as long as
** the cursors of this extension that it has opened: SQLite closes them all when a
** statement ends (those of a trigger's body when its firing ends), and never closes the
** last of them earlier.
**
**     entry   [0] SELECT, serial 7      the caller's statements, each with its execution
**             [1] INSERT, serial 9      a trigger of this one may be asking
**/
#ifndef GPUGRAPH_SCOPE_H
#define GPUGRAPH_SCOPE_H

#include "ext.h"

typedef struct scope {
    int count;
    struct scope_entry {
        sqlite3_stmt *statement;
        /* identifies the execution: the statement may run again */
        unsigned long long serial;
    } entry[8];
    /* nested too deeply: this scope equals no other one and shares nothing */
    bool overflow;
    const void *table; /* the cursor's virtual table */
} scope;

typedef struct connection connection; /* connection.h */

/* Every cursor holds the scope that it was opened in: scope_open in xOpen, scope_settle
** in xFilter, scope_close in xClose; table: the cursor's. A scalar function keeps a scope
** for its statement by sqlite3_set_auxdata, with table NULL. scope_close does nothing on
** a closed or zeroed scope. */
int scope_open(connection *c, scope *s, const void *table);
void scope_settle(connection *c);
void scope_close(connection *c, scope *s);
bool scope_equal(const scope *a, const scope *b);
/* The beginning of SQL texts that this extension makes, for people who read logs of
** statements. The code never relies on it, since anybody may write it. */
#define OWN_SQL "/* gpugraph */ "
/* 1 if an executing statement contains the query as this argument ("edges", "vertices")
** of a call of this function (base/query_origin.h); 0 if none does; -1: no memory. */
int scope_has_query(connection *c, const scope *s, const char *function,
                    const char *argument, const char *query);
/* True if the statement is in the middle of sqlite3_step. */
bool is_executing(sqlite3_stmt *statement);
/* The number of programs that the statement has begun in its life: its own at each run,
** and one for each trigger that fires. */
int programs_begun(sqlite3_stmt *statement);

#endif
