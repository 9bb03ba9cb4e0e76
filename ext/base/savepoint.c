/* Keeps all writes of a function, or none.
**
**     in a transaction    SAVEPOINT ... RELEASE, or ROLLBACK TO and RELEASE
**     outside of one      the savepoint begins a transaction: RELEASE commits; after any
**                         failure, also of RELEASE, ROLLBACK
**
** SQLite rolls back the whole transaction when a statement that writes is interrupted or
** finds the disk full. The savepoint is then gone. */
#include "savepoint.h"
#include "statement.h"

int savepoint_open(savepoint *s, sqlite3 *db, const table_info *table, char **error) {
    *s = (savepoint){.db = db, .alone = sqlite3_get_autocommit(db) != 0};
    int rc = statement_prepare(db, &s->nothing, "DELETE FROM \"%w\".\"%w\" WHERE 0",
                               table->schema, table->name);
    if (rc == SQLITE_OK)
        rc = statement_execute(db, error, "SAVEPOINT gpugraph");
    else
        *error = sqlite3_mprintf("%s", sqlite3_errmsg(db));
    s->open = rc == SQLITE_OK;
    return rc;
}

/* An interrupt stops ROLLBACK, too. But SQLite rolls back the whole transaction when it
** interrupts a statement that writes. This statement must be prepared in advance. */
static void roll_savepoint_back(const savepoint *s) {
    char *error = NULL;
    int rc = SQLITE_OK;
    if (!sqlite3_get_autocommit(s->db))
        rc = statement_execute(s->db, &error,
                               s->alone ? "ROLLBACK"
                                        : "ROLLBACK TO gpugraph; RELEASE gpugraph");
    if (rc == SQLITE_INTERRUPT)
        sqlite3_step(s->nothing);
    sqlite3_free(error);
}

int savepoint_close(savepoint *s, int rc, char **error) {
    if (s->open && rc == SQLITE_OK)
        rc = statement_execute(s->db, error, "RELEASE gpugraph");
    if (s->open && rc)
        roll_savepoint_back(s);
    sqlite3_finalize(s->nothing);
    *s = (savepoint){.db = s->db};
    return rc;
}
