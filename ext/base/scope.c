/* Which execution of which statement is calling.
**
**     executing statements   busy, and in the middle of sqlite3_step: no row to hand out
**       each has a record    {statement, serial, pins}: one pin for each cursor it has open
**     scope                  the (statement, serial) of them all: the caller, its callers
**
** SQLite tells nobody when a statement ends, and hands out its address again. What can be
** relied on is that the cursors a statement has opened are closed exactly when it ends, and
** those of a trigger's body after each firing. So an execution is the time during which
** some cursor is open.
**
** A statement that writes may fire triggers while its own text holds cursors. Each firing
** is an execution of its own, which sees the rows as they then are:
**
**     RUN      counts the programs that have begun, those of triggers included. While it
**              stands still, and no part of a trigger has counted its changes, the caller
**              is who it was
**     a cursor that takes another's place    belongs where that one did: SQLite closes the
**              old one right after it has opened the new one
**     else     it is another execution, if a trigger of the statement can call us at all */
#include "program.h"
#include "connection.h"
#include "query_origin.h"
#include <string.h>

struct execution {
    struct execution *next;
    sqlite3_stmt *statement;
    unsigned long long serial;
    int run;
    sqlite3_int64 changes; /* counted by then; of writers alone */
    int pins;
};

bool is_executing(sqlite3_stmt *statement) {
    return sqlite3_stmt_busy(statement) && sqlite3_data_count(statement) == 0;
}

int programs_begun(sqlite3_stmt *statement) {
    return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0);
}

/* A record of the statement that the caller belongs to; *found NULL: there is none yet. */
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

/* Later versions than 3.40 go on showing a statement's last row while they look for the next:
** a caller that has handed out rows cannot be told from one that waits. Where nobody else is
** calling, it is one of the busy ones, which are nearly always one. */
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

/* The scope's statements that are still there, one after the other, from NULL to NULL. A caller may
** have ended before the cursor it was waiting for, so an address is not followed unless the statement
** is still there. */
static sqlite3_stmt *scope_next(connection *c, const scope *s, sqlite3_stmt *statement) {
    while ((statement = sqlite3_next_stmt(c->db, statement)) != NULL) {
        for (int i = 0; i < s->count; i++) {
            if (s->entry[i].statement == statement)
                return statement;
        }
    }
    return NULL;
}

/* Looks for it as it is written first: bound values have to be written out. SQLite does so for
** the outermost statement alone, which is well: a query that is read here has values that
** need not be the statement's own (source/query_params.h), and may hold calls with parameters. */
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
