/* Which rows would a new one take the place of? REPLACE deletes rows with equal keys without
** firing triggers, so that a trigger looks for them before.
**
**     CREATE UNIQUE INDEX i ON roads(b, lower(a) DESC) WHERE w > 4
**     "b" COLLATE "BINARY" = new."b" AND (lower(a)) COLLATE "BINARY" = (lower(new."a"))
**       AND (w > 4)
**
** which SQLite looks up in that index. */
#include "sql.h"
#include "base/sql_text.h"
#include "base/statement.h"
#include <string.h>

/* Is it made of numbers, signs and '..' alone, or the time? A default may be random(), and in
** DEFAULT heavy or DEFAULT "heavy" a name means a text, which in a trigger means a column. */
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

/* Where REPLACE meets a NULL in a NOT NULL column it takes the default instead, after
** BEFORE triggers have seen the NULL. A generated column may be made from such a one: of
** that, nothing is known. */
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

/* ---- expressions ---- */

/* Term `number` of CREATE INDEX ... ON table (term, term DESC, ...), without its direction;
** an empty text: it is not found. NULL: no memory. */
static char *term_of(const char *sql, int number) {
    const char *end = sql + strlen(sql), *at = sql, *start, *stop;
    sql_token token;
    int depth = 1;
    at = sql_find_word(at, end, "ON", &token);
    at = sql_next(at, end, &token); /* the table */
    at = sql_next(at, end, &token); /* its bracket */
    start = stop = at;
    while (number >= 0) {
        at = sql_next(at, end, &token);
        char mark = token.kind == SQL_OTHER ? *token.start : 0;
        bool cut = depth == 1 && (mark == ',' || mark == ')');
        if (token.kind == SQL_END || (cut && number-- == 0))
            break;
        depth += (mark == '(') - (mark == ')');
        if (cut)
            start = stop = token.end;
        else if (!sql_word_is(token.start, token.end, "ASC") &&
                 !sql_word_is(token.start, token.end, "DESC"))
            stop = token.end;
    }
    return sqlite3_mprintf("%.*s", number < 0 ? (int)(stop - start) : 0, start);
}

/* Of a word or quoted name in an expression: is it a column of the row? 1, 0; -1: no memory.
** What is not known here, as a rowid that is not given yet, makes *known false. */
static int is_column(const table_info *info, const sql_token *before,
                     const sql_token *token, const char *after, const char *end,
                     bool *known, char **name) {
    sql_token next;
    sql_next(after, end, &next);
    char mark = next.kind == SQL_OTHER ? *next.start : 0;
    *name = NULL;
    if ((token->kind != SQL_WORD && token->kind != SQL_QUOTED) || *token->start == '\'' ||
        mark == '(' || (next.kind == SQL_QUOTED && next.start == after) ||
        sql_word_is(before->start, before->end, "AS") ||
        sql_word_is(before->start, before->end, "COLLATE"))
        return 0;
    *name = sql_unquote(token);
    if (!*name)
        return -1;
    int column = table_column(info, *name);
    bool rowid = sqlite3_stricmp(*name, "rowid") == 0 ||
                 sqlite3_stricmp(*name, "oid") == 0 ||
                 sqlite3_stricmp(*name, "_rowid_") == 0;
    *known &= mark != '.' && !(before->kind == SQL_OTHER && *before->start == '.');
    *known &= column >= 0 ? column != info->integer_primary_key : !rowid;
    return column >= 0;
}

/* The expression with new."a" in the place of a. */
static int append_new_expression(sqlite3 *db, const definition *d, sqlite3_str *match,
                                 const char *sql, bool *known) {
    const char *end = sql + strlen(sql), *at = sql;
    sql_token token, before = {SQL_END, sql, sql};
    table_info info;
    char *error = NULL;
    int rc = table_find(db, d->schema, d->source.table, &info, &error);
    sqlite3_free(error);
    while (rc == SQLITE_OK) {
        const char *next = sql_next(at, end, &token);
        char *name;
        if (token.kind == SQL_END)
            break;
        int column = is_column(&info, &before, &token, next, end, known, &name);
        sqlite3_str_append(match, at, (int)(token.start - at));
        if (column < 0)
            rc = SQLITE_NOMEM;
        else if (column)
            rc = append_new_value(db, d, match, name, known);
        else
            sqlite3_str_append(match, token.start, (int)(next - token.start));
        sqlite3_free(name);
        before = token;
        at = next;
    }
    table_info_clear(&info);
    return rc;
}

static int append_expression(sqlite3 *db, const definition *d, const char *sql,
                             int number, const char *collation, sqlite3_str *match,
                             bool *known) {
    char *term = term_of(sql, number);
    if (!term)
        return SQLITE_NOMEM;
    *known &= *term != 0;
    sqlite3_str_appendf(match, "(%s\n) COLLATE \"%w\" = (", term, collation);
    int rc = append_new_expression(db, d, match, term, known);
    sqlite3_str_appendall(match, "\n)");
    sqlite3_free(term);
    return rc;
}

/* ---- a key ---- */

/* "a" COLLATE "BINARY" = new."a" AND ...: of the index that `sql` (NULL: a constraint) has
** made. */
static int append_match(sqlite3 *db, const definition *d, const char *index,
                        const char *sql, sqlite3_str *match, bool *known) {
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
        if (sqlite3_column_int(statement, 1) < 0) {
            rc = append_expression(db, d, sql, count - 1, collation, match, known);
            continue;
        }
        sqlite3_str_appendf(match, "\"%w\" COLLATE \"%w\" = ", column, collation);
        rc = append_new_value(db, d, match, column, known);
    }
    return statement_end(statement, rc);
}

/* Of an index on some rows: " AND (condition)", as written after WHERE, so that SQLite finds
** the rows by that index. What replaces whom is a matter of the rows that are in it. */
static void append_condition(const char *sql, sqlite3_str *match, bool *known) {
    sql_token token; /* no column of the index is called WHERE unless it is quoted */
    const char *at = sql_find_word(sql, sql + strlen(sql), "WHERE", &token);
    *known &= token.kind != SQL_END;
    sqlite3_str_appendf(match, " AND (%s\n)", at);
}

/* The CREATE INDEX; empty, or NULL, for what a constraint has made. */
static int index_sql(sqlite3 *db, const definition *d, const char *index, char **sql) {
    sqlite3_stmt *statement;
    int rc = statement_prepare(
        db, &statement,
        "SELECT sql FROM \"%w\".sqlite_schema WHERE type = 'index' AND name = "
        "%Q",
        d->schema, index);
    *sql = NULL;
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        *sql = sqlite3_mprintf("%s", statement_text(statement, 0));
        rc = *sql ? SQLITE_OK : SQLITE_NOMEM;
    }
    return statement_end(statement, rc);
}

int key_match(sqlite3 *db, const definition *d, const char *index, bool partial,
              char **match) {
    bool known = true;
    char *sql;
    sqlite3_str *text = sqlite3_str_new(NULL);
    int rc = index_sql(db, d, index, &sql);
    if (rc == SQLITE_OK)
        rc = append_match(db, d, index, sql ? sql : "", text, &known);
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
