/* May a statement that writes have written what it has not logged yet?
**
**     DELETE of a row    the row is gone
**                          foreign keys: rows that refer to it go, their triggers fire
**                          RETURNING
**                          triggers, TEMP ones and the latest first ... that of the log
**
** So whoever is called from there must read the table. Not so who is called by the text of the
** statement itself: between two rows, the log has all. */
#include "mirror.h"
#include <string.h>

/* Kept as long as the mirror is, which goes with every change of schema, TEMP ones and those of a
** setting included: they expire the connection's statements. */
static int judge(reading *r, followed *f, sqlite3_stmt *statement) {
    const char *sql = sqlite3_sql(statement);
    if (f->judged && sql && strcmp(f->judged, sql) == 0)
        return SQLITE_OK;
    sqlite3_free(f->judged);
    f->judged = sql ? sqlite3_mprintf("%s", sql) : NULL;
    return sql && !f->judged ? SQLITE_NOMEM
                             : program_read(r->c->db, sql, &f->rows.table, &f->judgement);
}

static int judge_writer(reading *r, followed *f, sqlite3_stmt *statement,
                        bool *complete) {
    bool returning = sqlite3_column_count(statement) > 0;
    if (programs_begun(statement) == 1 && !returning)
        return SQLITE_OK;
    bool alone = r->scope->count == 1 && !r->scope->overflow;
    int rc = judge(r, f, statement);
    *complete &=
        !f->judgement.writes || (alone && !returning && !f->judgement.triggers_call);
    return rc;
}

int log_is_complete(reading *r, followed *f, bool *complete) {
    sqlite3_stmt *statement = NULL;
    int rc = SQLITE_OK;
    *complete = true;
    while (rc == SQLITE_OK && *complete &&
           (statement = sqlite3_next_stmt(r->c->db, statement)) != NULL)
        if (is_executing(statement) && !sqlite3_stmt_readonly(statement))
            rc = judge_writer(r, f, statement, complete);
    return rc;
}
