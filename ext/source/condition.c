/* The condition on the rows that are edges of a followed graph, as its trigger holds it.
**
**     as given           open = 1 AND "kind of" <> 'track'
**     in the trigger     new."open" = 1 AND new."kind of" <> 'track'      what is kept of it
**     for a row of e     e."open" = 1 AND e."kind of" <> 'track'
**
** ALTER TABLE rewrites a trigger when a column gets another name. follow/arguments.c makes the
** second of the first. */
#include "condition.h"
#include "base/sql_text.h"
#include <string.h>

/* Copies the tokens from `at` to `end`, with `row` for each `new.`; stops before a bracket that
** was not opened here. Returns where it stopped. */
static const char *copy(sqlite3_str *sql, const char *at, const char *end,
                        const char *row) {
    sql_token token, point;
    int depth = 0;
    for (;;) {
        const char *next = sql_next(at, end, &token);
        char mark = token.kind == SQL_OTHER ? *token.start : 0;
        depth += (mark == '(') - (mark == ')');
        if (token.kind == SQL_END || depth < 0)
            return token.start;
        const char *after = sql_next(next, end, &point);
        bool is_new = sql_word_is(token.start, token.end, "NEW") &&
                      point.kind == SQL_OTHER && *point.start == '.';
        sqlite3_str_append(sql, at, (int)(token.start - at));
        if (is_new)
            sqlite3_str_appendall(sql, row);
        else
            sqlite3_str_append(sql, token.start, (int)(token.end - token.start));
        at = is_new ? after : next;
    }
}

void condition_append(sqlite3_str *sql, const char *before, const char *condition,
                      const char *row) {
    if (!condition)
        return;
    sqlite3_str_appendf(sql, " %s (", before);
    copy(sql, condition, condition + strlen(condition), row);
    sqlite3_str_appendall(sql, "\n)");
}

/* SELECT new."a", new."b" WHERE (...); */
int condition_of_trigger(const char *sql, char **condition) {
    const char *end = sql + strlen(sql), *at = sql;
    sql_token token, bracket;
    *condition = NULL;
    do {
        at = sql_next(at, end, &token);
    } while (token.kind != SQL_END && !sql_word_is(token.start, token.end, "SELECT"));
    while (at = sql_next(at, end, &token),
           token.kind != SQL_END && *token.start != ';' &&
               !sql_word_is(token.start, token.end, "WHERE"))
        ;
    if (!sql_word_is(token.start, token.end, "WHERE"))
        return SQLITE_OK;
    at = sql_next(at, end, &bracket);
    sqlite3_str *text = sqlite3_str_new(NULL);
    copy(text, at, end, "");
    *condition = sqlite3_str_finish(text);
    return *condition ? SQLITE_OK : SQLITE_NOMEM;
}

/* NOT INDEXED has no effect on a table WITHOUT ROWID. */
void append_table_in_order(sqlite3_str *sql, const table_info *info, const char *where) {
    sqlite3_str_appendf(sql, "\"%w\".\"%w\"", info->schema, info->name);
    if (info->key_index)
        sqlite3_str_appendf(sql, " INDEXED BY \"%w\"", info->key_index);
    else
        sqlite3_str_appendall(sql, " NOT INDEXED");
    condition_append(sql, "WHERE", where, "");
    if (info->key_order)
        sqlite3_str_appendf(sql, " ORDER BY %s", info->key_order);
}
