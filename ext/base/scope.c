/* Finds the execution of the statement that calls the extension.
**
**     executing statements   busy, and in the middle of sqlite3_step: no row to hand out
**       each has a record    {statement, serial, pins}: one pin for each open cursor
**     scope                  the (statement, serial) of the caller and of its callers
**
** SQLite gives no notice when a statement ends, and it reuses the address. But SQLite
** closes the cursors of a statement exactly when the statement ends, and the cursors of a
** trigger's body after each firing. So an execution lasts while it has an open cursor.
**
** A statement that writes may fire triggers while its own text has open cursors. Each
** firing is a separate execution, which sees the rows as they are at that moment. The
** caller belongs to
**
**     an open execution       if two counts are unchanged since its start: changes, and
**                             programs that have begun (`run`, which includes triggers)
**     a cursor's execution    if the caller's cursor replaces that cursor, which SQLite
**                             closes right after it has opened the new one
**     an open execution       if no trigger of the statement can call this extension
**     a new execution         otherwise
**/
#include "program.h"
#include "connection.h"
#include "query_origin.h"
#include <string.h>

struct execution {
    struct execution *next;
    sqlite3_stmt *statement;
    unsigned long long serial;
    int run;
    sqlite3_int64 changes; /* total changes at its start; 0 if the statement only reads */
    int pins;
};

bool is_executing(sqlite3_stmt *statement) {
    return sqlite3_stmt_busy(statement) && sqlite3_data_count(statement) == 0;
}

int programs_begun(sqlite3_stmt *statement) {
    return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0);
}

/* Finds the record of the execution that the caller belongs to. *found NULL: there is no
** record yet. */
static int find_execution(connection *c, sqlite3_stmt *statement, int run,
                          sqlite3_int64 changes, struct execution **found) {
    struct execution *other = NULL, *e;
    *found = NULL;
    for (e = c->executions; e; e = e->next) {
        if (e->statement == statement && e->run == run && e->changes == changes)
            break;
        if (e->statement == statement)
            other = e;
    }
    *found = e;
    if (e || !other || sqlite3_stmt_readonly(statement))
        return SQLITE_OK;
    program p;
    int rc = program_read(c->db, sqlite3_sql(statement), NULL, NULL, &p);
    if (rc == SQLITE_OK && !p.triggers_call)
        *found = other;
    return rc;
}

static int execution_of(connection *c, sqlite3_stmt *statement, struct execution **made) {
    int run = programs_begun(statement);
    sqlite3_int64 changes =
        sqlite3_stmt_readonly(statement) ? 0 : sqlite3_total_changes64(c->db);
    int rc = find_execution(c, statement, run, changes, made);
    if (rc || *made)
        return rc;
    struct execution *e = sqlite3_malloc(sizeof *e);
    if (!e)
        return SQLITE_NOMEM;
    *e = (struct execution){c->executions, statement, ++c->clock, run, changes, 0};
    *made = c->executions = e;
    return SQLITE_OK;
}

/* True if every busy statement shows a row. SQLite versions after 3.40 still show the
** last row while they look for the next one, so a caller that has returned rows seems to
** wait. The caller is then a busy statement, and there is rarely more than one. */
static bool all_hold_rows(connection *c) {
    sqlite3_stmt *statement = NULL;
    while ((statement = sqlite3_next_stmt(c->db, statement)) != NULL) {
        if (is_executing(statement))
            return false;
    }
    return true;
}

int scope_open(connection *c, scope *s, const void *table) {
    memset(s, 0, sizeof *s);
    s->table = table;
    const int most = sizeof s->entry / sizeof s->entry[0];
    const bool unsure = all_hold_rows(c);
    sqlite3_stmt *statement = NULL;
    while ((statement = sqlite3_next_stmt(c->db, statement)) != NULL) {
        struct execution *e;
        if (unsure ? !sqlite3_stmt_busy(statement) : !is_executing(statement))
            continue;
        if (s->count == most) {
            s->overflow = true;
            break;
        }
        int rc = execution_of(c, statement, &e);
        if (rc) {
            scope_close(c, s);
            return rc;
        }
        e->pins++;
        s->entry[s->count].statement = statement;
        s->entry[s->count++].serial = e->serial;
    }
    if (table)
        c->opened = s;
    return SQLITE_OK;
}

static void unpin(connection *c, unsigned long long serial) {
    struct execution **at = &c->executions;
    while (*at && (*at)->serial != serial)
        at = &(*at)->next;
    struct execution *e = *at;
    if (!e || --e->pins > 0)
        return;
    *at = e->next;
    sqlite3_free(e);
    c->ends->execution(c, serial);
}

void scope_settle(connection *c) {
    c->opened = NULL;
}

void scope_close(connection *c, scope *s) {
    scope *opened = c->opened;
    c->opened = NULL;
    if (opened && opened != s && opened->table == s->table) {
        scope taken = *s;
        *s = *opened;
        *opened = taken;
    }
    for (int i = 0; i < s->count; i++)
        unpin(c, s->entry[i].serial);
    memset(s, 0, sizeof *s);
}

static bool scope_contains(const scope *s, unsigned long long serial) {
    for (int i = 0; i < s->count; i++) {
        if (s->entry[i].serial == serial)
            return true;
    }
    return false;
}

bool scope_equal(const scope *a, const scope *b) {
    if (a->overflow || b->overflow || a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++) {
        if (!scope_contains(b, a->entry[i].serial))
            return false;
    }
    return true;
}

/* Iterates over the scope's statements that still exist, from NULL to NULL. An outer
** statement may have ended before the cursor, so the function looks for addresses of the
** scope among the statements that SQLite lists. */
static sqlite3_stmt *scope_next(connection *c, const scope *s, sqlite3_stmt *statement) {
    while ((statement = sqlite3_next_stmt(c->db, statement)) != NULL) {
        for (int i = 0; i < s->count; i++) {
            if (s->entry[i].statement == statement)
                return statement;
        }
    }
    return NULL;
}

/* Looks for the query first in the text as written, because sqlite3_expanded_sql takes
** time. SQLite writes out the bound values of the outermost statement only. This is
** enough, because a query that the extension reads has its own parameters
** (source/query_params.h). 1: found, 0: not found, -1: no memory. */
static int stands_in(sqlite3_stmt *statement, const query *query) {
    const char *sql = sqlite3_sql(statement);
    sql_list list;
    if (!sql)
        return 0;
    if (!sql_list_make(&list, sql))
        return -1;
    int found = query_stands_in(&list, query);
    if (!found && list.parameters > 0) {
        char *expanded = sqlite3_expanded_sql(statement);
        if (expanded) {
            sql_list_bind(&list, expanded);
            found = query_stands_in(&list, query);
        } else {
            found = -1;
        }
        sqlite3_free(expanded);
    }
    sql_list_clear(&list);
    return found;
}

int scope_has_query(connection *c, const scope *s, const char *function,
                    const char *argument, const char *text) {
    query q = {text, function, argument};
    sqlite3_stmt *statement = NULL;
    int found = 0;
    while (!found && (statement = scope_next(c, s, statement)) != NULL)
        found = stands_in(statement, &q);
    return found;
}

/* ---- the scope of a scalar function's calls, in SQLite's auxiliary data ----
**
**     OF_THIS_CALL    one call in the statement's text, over all rows
**     OF_ALL_CALLS    all calls in the text; each firing of a trigger has its own
**
** SQLite releases both when the statement or the firing ends. A call sees one graph for
** all rows. Several calls in a text see the same graph, unless a trigger fires between
** them. */

/* Keys of auxiliary data. Other functions in the text may use small negative numbers. */
enum { OF_ALL_CALLS = -20230817, OF_THIS_CALL = 0 };

typedef struct held_scope {
    connection *c;
    scope scope;
    int holders;
} held_scope;

static void release_function_scope(void *pointer) {
    held_scope *held = pointer;
    if (--held->holders > 0)
        return;
    scope_close(held->c, &held->scope);
    sqlite3_free(held);
}

/* Returns the scope that all calls share. Opens a new one if the old one is no longer
** current. Adds a holder. NULL: no memory. */
static held_scope *find_or_open(sqlite3_context *context, connection *c) {
    scope now;
    if (scope_open(c, &now, NULL) != SQLITE_OK)
        return NULL;
    held_scope *held = sqlite3_get_auxdata(context, OF_ALL_CALLS);
    if (held && scope_equal(&held->scope, &now)) {
        scope_close(c, &now);
        held->holders++;
        return held;
    }
    held = sqlite3_malloc64(sizeof *held);
    if (!held) {
        scope_close(c, &now);
        return NULL;
    }
    *held = (held_scope){c, now, 2};
    sqlite3_set_auxdata(context, OF_ALL_CALLS, held, release_function_scope);
    return held;
}

const scope *statement_scope(sqlite3_context *context, connection *c) {
    held_scope *held = sqlite3_get_auxdata(context, OF_THIS_CALL);
    if (held)
        return &held->scope;
    held = find_or_open(context, c);
    if (!held)
        return NULL;
    sqlite3_set_auxdata(context, OF_THIS_CALL, held, release_function_scope);
    held = sqlite3_get_auxdata(context, OF_THIS_CALL); /* NULL: SQLite had no memory */
    return held ? &held->scope : NULL;
}
