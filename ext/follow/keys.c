/* The rows that a new one replaces. REPLACE deletes rows with equal keys without firing
** triggers, so a trigger looks for these rows first.
**
**     CREATE UNIQUE INDEX i ON roads(b, a DESC) WHERE w > 4
**     "b" COLLATE "BINARY" = new."b" AND "a" COLLATE "BINARY" = new."a" AND (w > 4)
**
** SQLite finds them by that index. */
#include "sql.h"
#include "base/sql_text.h"
#include "base/statement.h"
#include <string.h>

/* True if a default consists of numbers, signs and '..' alone, or is the time. Other
** defaults are not constant: one may be random(), and in DEFAULT heavy or DEFAULT "heavy"
** the name means a text, which in a trigger means a column. */
static bool is_constant(const char *sql) {
    static const char *const times[] = {"NULL", "CURRENT_TIME", "CURRENT_DATE",
                                        "CURRENT_TIMESTAMP"};
    const char *end = sql + strlen(sql), *at = sql;
    sql_token token;
    bool constant = true;
    while (at = sql_next(at, end, &token), constant && token.kind != SQL_END) {
        constant =
            token.kind == SQL_OTHER || (token.kind == SQL_QUOTED && *token.start == '\'');
        for (int i = 0; i < 4; i++)
            constant |= sql_word_is(token.start, token.end, times[i]);
    }
    return constant;
}

/* For a NULL in a NOT NULL column REPLACE takes the default, after BEFORE triggers have
** seen the NULL. A generated column may depend on such a column, so its new value is
** unknown. */
static int append_new_value(sqlite3 *db, const definition *d, sqlite3_str *match,
                            const char *column, bool *known) {
    sqlite3_stmt *statement;
    int rc = statement_prepare(db, &statement, "PRAGMA \"%w\".table_xinfo(%Q)", d->schema,
                               d->source.table);
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        if (sqlite3_stricmp(statement_text(statement, 1), column) != 0)
            continue;
        const char *otherwise = statement_text(statement, 4);
        bool replaced = sqlite3_column_int(statement, 3) && *otherwise;
        *known &= sqlite3_column_int(statement, 6) == 0 &&
                  (!replaced || is_constant(otherwise));
        if (replaced)
            sqlite3_str_appendf(match, "ifnull(new.\"%w\", (%s))", column, otherwise);
        else
            sqlite3_str_appendf(match, "new.\"%w\"", column);
    }
    return statement_end(statement, rc);
}

/* ---- a key ---- */

/* Appends "a" COLLATE "BINARY" = new."a" AND ... A key on an expression is unknown. */
static int append_match(sqlite3 *db, const definition *d, const char *index,
                        sqlite3_str *match, bool *known) {
    sqlite3_stmt *statement;
    int count = 0;
    int rc = statement_prepare(db, &statement, "PRAGMA \"%w\".index_xinfo(%Q)", d->schema,
                               index);
    while (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        if (!sqlite3_column_int(statement, 5))
            continue;
        const char *column = statement_text(statement, 2),
                   *collation = statement_text(statement, 4);
        sqlite3_str_appendall(match, count++ ? " AND " : "");
        *known &= sqlite3_column_int(statement, 1) >= 0;
        sqlite3_str_appendf(match, "\"%w\" COLLATE \"%w\" = ", column, collation);
        rc = append_new_value(db, d, match, column, known);
    }
    return statement_end(statement, rc);
}

/* For a partial index: appends " AND (condition)", as written after WHERE, so that SQLite
** finds the rows by that index. Only rows in the index are replaced. */
static void append_condition(const char *sql, sqlite3_str *match, bool *known) {
    sql_token token; /* no column of the index is called WHERE unless it is quoted */
    const char *at = sql_find_word(sql, sql + strlen(sql), "WHERE", &token);
    *known &= token.kind != SQL_END;
    sqlite3_str_appendf(match, " AND (%s\n)", at);
}

int key_match(sqlite3 *db, const definition *d, const char *index, bool partial,
              char **match) {
    bool known = true;
    char *sql; /* empty or NULL for an index that a constraint has made */
    sqlite3_str *text = sqlite3_str_new(NULL);
    int rc = statement_string(
        db, &sql,
        "SELECT sql FROM \"%w\".sqlite_schema WHERE type = 'index' AND name = %Q",
        d->schema, index);
    rc = rc ? rc : append_match(db, d, index, text, &known);
    if (rc == SQLITE_OK && partial)
        append_condition(sql ? sql : "", text, &known);
    *match = sqlite3_str_finish(text);
    if (rc == SQLITE_OK && !*match)
        rc = SQLITE_NOMEM;
    if (rc || !known) {
        sqlite3_free(*match);
        *match = NULL;
    }
    sqlite3_free(sql);
    return rc;
}
