/* The condition that rows must meet to be edges of a followed graph.
**
**     as given           open = 1 AND "kind of" <> 'track'
**     in the trigger     SELECT new."a", new."b" FROM "roads" WHERE 0 AND (CONDITION)
**     for a row          SELECT ... FROM "roads" WHERE (CONDITION)
**
** The trigger's text is authoritative, because ALTER TABLE rewrites the trigger when a
** column is renamed. The trigger's statement reads no row.
**
** The extension reads rows one by one, so the condition may depend only on the columns of
** one row, not on the time, the connection or other rows. The condition also runs in
** top-level SQL, which may call more functions than a schema may. The author of a file
** must not gain that right. */
#include "source.h"
#include "base/sql_text.h"
#include <string.h>

void condition_append(sqlite3_str *sql, const char *before, const char *condition) {
    if (condition)
        sqlite3_str_appendf(sql, " %s (%s\n)", before, condition);
}

/* Takes the next token. Returns false if it is not `text`. */
static bool take_sql_token(const char **at, const char *end, const char *text) {
    sql_token token;
    *at = sql_next(*at, end, &token);
    return sqlite3_strnicmp(token.start, text, (int)strlen(text)) == 0 &&
           (size_t)(token.end - token.start) == strlen(text);
}

/* Moves past the keyword. Returns false if `until` or the end comes first. */
static bool skip(const char **at, const char *end, const char *keyword, char until) {
    sql_token token;
    do {
        *at = sql_next(*at, end, &token);
        if (token.kind == SQL_END || *token.start == until)
            return false;
    } while (!sql_word_is(token.start, token.end, keyword));
    return true;
}

int condition_of_trigger(const char *sql, char **condition) {
    const char *at = sql, *end = sql + strlen(sql), *start;
    sql_token token = {SQL_END, sql, sql};
    int depth = 1;
    *condition = NULL;
    if (!skip(&at, end, "SELECT", 0) || !skip(&at, end, "FROM", ';'))
        return SQLITE_OK;
    at = sql_next(at, end, &token); /* the table */
    if (!take_sql_token(&at, end, "WHERE") || !take_sql_token(&at, end, "0") ||
        !take_sql_token(&at, end, "AND") || !take_sql_token(&at, end, "("))
        return SQLITE_OK;
    for (start = at; depth > 0 && at < end;) {
        at = sql_next(at, end, &token);
        char mark = token.kind == SQL_OTHER ? *token.start : 0;
        depth += (mark == '(') - (mark == ')');
    }
    *condition = sqlite3_mprintf("%.*s", (int)(token.start - start), start);
    return *condition ? SQLITE_OK : SQLITE_NOMEM;
}

int condition_check(sqlite3 *db, const table_info *table, const char *condition,
                    bool **used, char **error) {
    char *fault = NULL;
    *used = sqlite3_malloc(table->columns);
    if (!*used)
        return SQLITE_NOMEM;
    memset(*used, 0, (size_t)table->columns);
    int rc = expression_check(db, table, condition, *used, &fault);
    if (fault)
        *error =
            sqlite3_mprintf("the condition '%!.80s' %s; it may use only columns of one "
                            "row, and must give every program that writes to the table "
                            "the same answer at any time",
                            condition, fault);
    sqlite3_free(fault);
    return rc == SQLITE_ERROR && !*error ? SQLITE_NOMEM : rc;
}

/* A table WITHOUT ROWID ignores NOT INDEXED, so its key index is named. */
void append_table_in_order(sqlite3_str *sql, const table_info *info, const char *where) {
    sqlite3_str_appendf(sql, "\"%w\".\"%w\"", info->schema, info->name);
    if (info->key_index)
        sqlite3_str_appendf(sql, " INDEXED BY \"%w\"", info->key_index);
    else
        sqlite3_str_appendall(sql, " NOT INDEXED");
    condition_append(sql, "WHERE", where);
    if (info->key_order)
        sqlite3_str_appendf(sql, " ORDER BY %s", info->key_order);
}
