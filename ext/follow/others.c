/* Triggers of others on a followed table that may keep the log's own from firing.
**
**     sqlite_schema, in order   back      AFTER INSERT ON roads ...    harmless
**                               g_...     the log's own
**                               audit     AFTER INSERT ON roads ...    fires before g_...
**
** SQLite fires the latest first. RAISE(IGNORE) ends the row's other triggers and leaves the
** row; so does RAISE(FAIL), and a constraint that what the trigger writes does not meet
** under INSERT OR FAIL. BEFORE triggers that end so leave no row. */
#include "schema.h"
#include "sql.h"
#include "base/sql_text.h"
#include "base/statement.h"
#include <string.h>

static bool raises(const char *at, const char *end) {
    sql_token token;
    at = sql_next(at, end, &token); /* its bracket */
    sql_next(at, end, &token);
    return sql_word_is(token.start, token.end, "IGNORE") ||
           sql_word_is(token.start, token.end, "FAIL");
}

/* Does an AFTER trigger write, or end early? Of CREATE TRIGGER name AFTER INSERT ... */
static bool may_end_early(const char *sql) {
    static const char *const writes[] = {"INSERT", "UPDATE", "DELETE", "REPLACE"};
    const char *end = sql + strlen(sql), *at = sql;
    sql_token token;
    for (int i = 0; i < 4; i++)
        at = sql_next(at, end, &token);
    if (!sql_word_is(token.start, token.end, "AFTER"))
        return false;
    at = sql_next(at, end, &token); /* the event */
    while (at = sql_next(at, end, &token), token.kind != SQL_END) {
        if (sql_word_is(token.start, token.end, "RAISE") && raises(at, end))
            return true;
        for (int i = 0; i < 4; i++)
            if (sql_word_is(token.start, token.end, writes[i]))
                return true;
    }
    return false;
}

/* Is it a trigger of another graph? That writes a log and nothing else. 1, 0; -1: no
** memory. */
static int of_graph(sqlite3 *db, const char *schema, const char *name, const char *sql) {
    const char *suffix = strrchr(name, '_');
    table_info info;
    char *error = NULL;
    if (!suffix)
        return 0;
    char *log = sqlite3_mprintf("%.*s_log", (int)(suffix - name), name);
    int of = log ? trigger_is_own(name, sql, log) : -1;
    if (of == 1) {
        log[suffix - name] = 0;
        int rc = table_find(db, schema, log, &info, &error);
        of = rc == SQLITE_NOMEM ? -1 : rc == SQLITE_OK && info.kind == 'g';
        table_info_clear(&info);
    }
    sqlite3_free(error);
    sqlite3_free(log);
    return of;
}

static int blame(definition *d, const char *name) {
    d->trouble = sqlite3_mprintf("read afresh each time, since the trigger %s was made "
                                 "after its own and may end before they fire; DROP "
                                 "TABLE %s and create it again",
                                 name, d->name);
    return d->trouble ? SQLITE_OK : SQLITE_NOMEM;
}

int find_early_triggers(sqlite3 *db, definition *d) {
    sqlite3_stmt *statement;
    bool later = false;
    int rc =
        statement_prepare(db, &statement,
                          "SELECT name, sql FROM \"%w\".sqlite_schema WHERE type = "
                          "'trigger' AND tbl_name = %Q COLLATE NOCASE ORDER BY rowid",
                          d->schema, d->source.table);
    while (rc == SQLITE_OK && !d->trouble && sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = statement_text(statement, 0),
                   *sql = statement_text(statement, 1);
        int own = trigger_is_own(name, sql, d->log);
        later |= own == 1;
        if (own == 0 && later && may_end_early(sql))
            own = of_graph(db, d->schema, name, sql);
        else if (own == 0)
            continue;
        rc = own < 0 ? SQLITE_NOMEM : own == 0 ? blame(d, name) : SQLITE_OK;
    }
    int finish = sqlite3_finalize(statement);
    return rc ? rc : finish;
}
