/* The execution of the statement that calls the extension.
**
** A statement is executing if it is busy and holds no row (sqlite3_data_count 0). The
** executing statements are the caller and the statements around it. An execution lives as
** long as it has an open cursor of this extension: SQLite closes all cursors when a
** statement ends, or the firing of a trigger, and does not close the last one earlier.
**
**     entry   [0] SELECT, serial 7      the caller's statements, each with its execution
**             [1] INSERT, serial 9      a trigger of this one may be the caller
**/
#ifndef GPUGRAPH_SCOPE_H
#define GPUGRAPH_SCOPE_H

#include "ext.h"

typedef struct scope {
    int count;
    struct scope_entry {
        sqlite3_stmt *statement;
        /* identifies the execution, because the statement may run again */
        unsigned long long serial;
    } entry[8];
    /* nested too deeply: this scope equals no other scope */
    bool overflow;
    const void *table; /* the cursor's virtual table */
} scope;

typedef struct connection connection; /* connection.h */

/* Every cursor holds the scope in which it was opened: xOpen calls scope_open, xFilter
** calls scope_settle, and xClose calls scope_close. table: the cursor's table. A scalar
** function keeps a scope for its statement by sqlite3_set_auxdata, with table NULL.
** scope_close does nothing on a closed or zeroed scope. */
int scope_open(connection *c, scope *s, const void *table);
void scope_settle(connection *c);
void scope_close(connection *c, scope *s);
bool scope_equal(const scope *a, const scope *b);
/* The scope of the statement in which a scalar function runs. SQLite releases the scope
** when the statement ends. NULL: no memory. */
const scope *statement_scope(sqlite3_context *context, connection *c);
/* SQL texts of this extension begin with this comment, for people who read logs of
** statements. The code never relies on it, since any program may write it. */
#define OWN_SQL "/* gpugraph */ "
/* 1 if an executing statement contains the query as this argument ("edges", "vertices")
** of a call of this function (base/query_origin.h); 0 if none does; -1: no memory. */
int scope_has_query(connection *c, const scope *s, const char *function,
                    const char *argument, const char *query);
/* True if the statement is in the middle of sqlite3_step. */
bool is_executing(sqlite3_stmt *statement);
/* The number of programs that the statement has begun: one for each run, and one for each
** trigger that has fired. */
int programs_begun(sqlite3_stmt *statement);

#endif
