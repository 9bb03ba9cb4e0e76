/* Which execution of which statement is calling.
**
**     executing statements   busy, and in the middle of sqlite3_step: no row to hand out
**       each has a record    {statement, serial, pins}: one pin for each cursor it has open
**     scope                  the (statement, serial) of them all: the caller, its callers
**
** SQLite tells nobody when a statement ends, and hands out its address again; its RUN
** counter moves with every trigger that fires. What can be relied on is that the cursors
** a statement has opened are closed exactly when it ends, and that a scalar subquery
** which opens its cursor anew opens the new one before it closes the old. So an execution
** is the time during which some cursor is open. The cursors of a trigger's body are
** closed after each firing: every firing sees the rows as they are then, unless the
** statement that fired it holds a graph itself. */
#include "ext.h"
#include "sql_text.h"
#include <string.h>

struct execution {
    struct execution *next;
    sqlite3_stmt *statement;
    unsigned long long serial;
    int run; /* the statement's RUN counter, of readers alone: those fire no triggers */
    int pins;
};

static struct execution *execution_of(connection *c, sqlite3_stmt *statement) {
    int run = sqlite3_stmt_readonly(statement)
                  ? sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0)
                  : 0;
    struct execution *e = c->executions;
    while (e && (e->statement != statement || e->run != run))
        e = e->next;
    if (e)
        return e;
    e = sqlite3_malloc(sizeof *e);
    if (!e)
        return NULL;
    *e = (struct execution){c->executions, statement, ++c->clock, run, 0};
    return c->executions = e;
}

static bool is_executing(sqlite3_stmt *statement) {
    return sqlite3_stmt_busy(statement) && sqlite3_data_count(statement) == 0;
}

int scope_open(connection *c, scope *s) {
    memset(s, 0, sizeof *s);
    const int most = sizeof s->entry / sizeof s->entry[0];
    sqlite3_stmt *statement = NULL;
    while ((statement = sqlite3_next_stmt(c->db, statement)) != NULL) {
        if (!is_executing(statement))
            continue;
        if (s->count == most) {
            s->overflow = true;
            break;
        }
        struct execution *e = execution_of(c, statement);
        if (!e) {
            scope_close(c, s);
            return SQLITE_NOMEM;
        }
        e->pins++;
        s->entry[s->count].statement = statement;
        s->entry[s->count++].serial = e->serial;
    }
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
    cache_execution_ended(c, serial);
}

void scope_close(connection *c, scope *s) {
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

/* The scope's statements, one after the other. A caller may have ended before the cursor
** it was waiting for, so an address is not followed unless the statement is still
** there. */
static sqlite3_stmt *next_of(connection *c, const scope *s, sqlite3_stmt *statement) {
    while ((statement = sqlite3_next_stmt(c->db, statement)) != NULL) {
        for (int i = 0; i < s->count; i++) {
            if (s->entry[i].statement == statement)
                return statement;
        }
    }
    return NULL;
}

bool scope_writes(connection *c, const scope *s) {
    sqlite3_stmt *statement = NULL;
    while ((statement = next_of(c, s, statement)) != NULL) {
        if (!sqlite3_stmt_readonly(statement))
            return true;
    }
    return false;
}

/* The readers of loader.c begin so. Their names come from the schema: nobody has written
** them here. */
static bool is_own(const char *sql) {
    return strncmp(sql, OWN_SQL, sizeof OWN_SQL - 1) == 0;
}

int scope_has_text(connection *c, const scope *s, const char *text) {
    sqlite3_stmt *statement = NULL;
    while ((statement = next_of(c, s, statement)) != NULL) {
        const char *sql = sqlite3_sql(statement);
        if (!sql || is_own(sql))
            continue;
        if (sql_has_literal(sql, text))
            return 1;
        char *expanded = sqlite3_expanded_sql(statement);
        if (!expanded)
            return -1;
        bool found = sql_has_literal(expanded, text);
        sqlite3_free(expanded);
        if (found)
            return 1;
    }
    return 0;
}
