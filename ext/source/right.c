/* Tests whether the connection may read the columns that a table's graph uses.
**
**     SELECT e."a", e."b", e."rowid" FROM "main"."roads" AS e LIMIT 0
**
**     SQLITE_DENY      the statement does not compile
**     SQLITE_IGNORE    the column is NULL, and its result is named by the text: e."a"
**     SQLITE_OK        the result has the name of the column: a
**
** SQLite asks an authorizer when it compiles a statement. A graph in memory may serve a
** statement only after this test. */
#include "source.h"
#include "base/sql_text.h"
#include <string.h>

char *right_text(const row_source *rows) {
    const char *rowid = source_row_name(rows);
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "SELECT e.\"%w\"", rows->column[SOURCE_COLUMN]);
    for (int i = TARGET_COLUMN; i < EDGE_COLUMNS; i++)
        if (rows->column[i])
            sqlite3_str_appendf(text, ", e.\"%w\"", rows->column[i]);
    for (int i = 0; i < rows->table.columns && rows->where_reads; i++)
        if (rows->where_reads[i])
            sqlite3_str_appendf(text, ", e.\"%w\"", rows->table.column[i]);
    if (rowid)
        sqlite3_str_appendf(text, ", e.\"%w\"", rowid);
    sqlite3_str_appendf(text, " FROM \"%w\".\"%w\" AS e LIMIT 0", rows->table.schema,
                        rows->table.name);
    return sqlite3_str_finish(text);
}

/* True if the name of some result column is its text. */
static bool hides_some(sqlite3_stmt *statement, const char *text) {
    const char *end = text + strlen(text), *at = text;
    sql_token point, column, between;
    bool hidden = false;
    at = sql_next(at, end, &between);
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *start = sql_skip_space(at, end),
                   *name = sqlite3_column_name(statement, i);
        at = sql_next(at, end, &point); /* e */
        at = sql_next(at, end, &point);
        at = sql_next(at, end, &column);
        const size_t length = (size_t)(column.end - start);
        hidden |= !name || (strlen(name) == length && memcmp(name, start, length) == 0);
        at = sql_next(at, end, &between);
    }
    return hidden;
}

int right_holds(sqlite3 *db, const char *text, sqlite3_stmt **kept, bool *holds) {
    sqlite3_stmt *statement = kept ? *kept : NULL;
    int rc = SQLITE_OK;
    if (statement) { /* SQLite compiles it again if an authorizer has been set */
        sqlite3_step(statement);
        rc = sqlite3_reset(statement);
    } else {
        rc = sqlite3_prepare_v3(db, text, -1, kept ? SQLITE_PREPARE_PERSISTENT : 0,
                                &statement, NULL);
    }
    *holds = rc == SQLITE_OK && !hides_some(statement, text);
    if (kept)
        *kept = statement;
    else
        sqlite3_finalize(statement);
    return rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT ? rc : SQLITE_OK;
}
