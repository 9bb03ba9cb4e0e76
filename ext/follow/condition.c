/* where = '...': is it a condition that can be followed?
**
** It is put into a trigger, so that it lives through changes of names, and is asked of rows that
** are read again one by one. So it must be about one row's columns, and its answer must
** depend on these columns alone: not on the time, the connection or other rows.
**
** It is checked when the graph is made, and again whenever it is found in a database: the
** statements that ask it are top-level SQL, and whoever has written the file must not gain
** what only that may do. */
#include "schema.h"
#include "sql.h"
#include "base/sql_text.h"
#include "base/statement.h"
#include <string.h>

typedef struct checking {
    sqlite3 *db;
    const char *condition;
    char **error;
} checking;

static int refuse(const checking *k, const char *why, const char *what) {
    *k->error = sqlite3_mprintf(
        "gpugraph: the condition '%.80s' %s%s; it must be about the columns of one row, "
        "and say the same of it at any time, for every program that writes to the table",
        k->condition, why, what);
    return *k->error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* ---- what SQLite says ---- */

/* Its rule for the WHERE of an index is the same. The index is not made. */
static int ask_sqlite(const checking *k, const definition *d) {
    static const char context[] = " in partial index WHERE clauses";
    sqlite3_stmt *index;
    int rc = statement_prepare(
        k->db, &index,
        "CREATE INDEX \"%w\".\"%w_condition\" ON \"%w\"(\"%w\") WHERE (%s\n)", d->schema,
        d->name, d->source.table, d->source.column[0], k->condition);
    sqlite3_finalize(index);
    if (rc != SQLITE_ERROR)
        return rc;
    char *message = sqlite3_mprintf("%s", sqlite3_errmsg(k->db));
    if (!message)
        return SQLITE_NOMEM;
    char *end = strstr(message, context);
    if (end)
        *end = 0;
    rc = refuse(k, "is none that can be followed: ", message);
    sqlite3_free(message);
    return rc;
}

/* ---- what SQLite lets pass ---- */

static const char *const keywords[] = {
    "AND",     "OR",     "NOT",      "IN",     "IS",      "NULL", "LIKE",
    "GLOB",    "REGEXP", "MATCH",    "ESCAPE", "CASE",    "WHEN", "THEN",
    "ELSE",    "CAST",   "AS",       "ISNULL", "NOTNULL", "FROM", "TRUE",
    "BETWEEN", "FALSE",  "DISTINCT", "COLLATE"};

static bool is_one_of(const sql_token *token, const char *const *words, int count) {
    bool found = false;
    for (int i = 0; i < count && token->kind == SQL_WORD; i++)
        found |= sql_word_is(token->start, token->end, words[i]);
    return found;
}
#define IS_ONE_OF(token, words)                                                          \
    is_one_of(token, words, (int)(sizeof(words) / sizeof *(words)))

/* Has every program that uses SQLite this function, and does it say the same each time? */
static int look_up(sqlite3 *db, const char *name, bool *built_in, bool *same) {
    enum { NAME, BUILT_IN, TYPE, FLAGS = 5 };
    sqlite3_stmt *row;
    int rc = statement_prepare(db, &row, "PRAGMA function_list");
    *built_in = true;
    *same = false;
    while (rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
        if (sqlite3_stricmp(statement_text(row, NAME), name) != 0)
            continue;
        *built_in &= sqlite3_column_int(row, BUILT_IN) != 0;
        *same |= *statement_text(row, TYPE) == 's' &&
                 (sqlite3_column_int(row, FLAGS) & SQLITE_DETERMINISTIC);
    }
    int finish = sqlite3_finalize(row);
    return rc ? rc : finish;
}

static int check_function(const checking *k, const sql_token *token) {
    static const char *const of_time[] = {
        "DATE", "TIME", "DATETIME", "JULIANDAY", "UNIXEPOCH", "STRFTIME", "TIMEDIFF"};
    bool built_in, same;
    char *name = sql_unquote(token);
    if (!name)
        return SQLITE_NOMEM;
    int rc = look_up(k->db, name, &built_in, &same);
    if (rc == SQLITE_OK && !built_in)
        rc = refuse(k, "calls a function that is not SQLite's own: ", name);
    else if (rc == SQLITE_OK && !same)
        rc = refuse(k, "calls what is no deterministic function of one row: ", name);
    else if (rc == SQLITE_OK && IS_ONE_OF(token, of_time))
        rc = refuse(k, "calls a function that may ask for the time: ", name);
    sqlite3_free(name);
    return rc;
}

static int check_collation(const checking *k, const sql_token *token) {
    static const char *const known[] = {"BINARY", "NOCASE", "RTRIM"};
    char *name = sql_unquote(token);
    bool fine = false;
    if (!name)
        return SQLITE_NOMEM;
    for (int i = 0; i < 3; i++)
        fine |= sqlite3_stricmp(name, known[i]) == 0;
    int rc = fine ? SQLITE_OK
                  : refuse(k, "compares by a collation that is not SQLite's own: ", name);
    sqlite3_free(name);
    return rc;
}

/* ---- names of columns ---- */

typedef struct naming {
    const checking *k;
    const table_info *table;
    sqlite3_str *made;
    sql_token before;
    int brackets, cases; /* CASE ... END that are open: else `end` may be a column */
} naming;

static bool is_keyword(naming *n, const sql_token *token) {
    bool end = token->kind == SQL_WORD && n->cases > 0 &&
               sql_word_is(token->start, token->end, "END");
    if (token->kind == SQL_WORD && sql_word_is(token->start, token->end, "CASE"))
        n->cases++;
    n->cases -= end;
    return end || IS_ONE_OF(token, keywords);
}

/* A word or a quoted name: that of a column gets new. before it. */
static int take_name(naming *n, const sql_token *token, const char *after) {
    sql_token next;
    char *name = NULL;
    sql_next(after, after + strlen(after), &next);
    char mark = next.kind == SQL_OTHER ? *next.start : 0;
    bool point = n->before.kind == SQL_OTHER && *n->before.start == '.';
    if (sql_word_is(n->before.start, n->before.end, "COLLATE"))
        return check_collation(n->k, token);
    if (mark == '(' && !is_keyword(n, token))
        return check_function(n->k, token);
    if (is_keyword(n, token) || sql_word_is(n->before.start, n->before.end, "AS"))
        return SQLITE_OK;
    name = sql_unquote(token);
    if (!name)
        return SQLITE_NOMEM;
    int rc = SQLITE_OK, column = table_column(n->table, name);
    if (mark == '.' || point)
        rc = refuse(n->k, "names a column by more than its own name: ", name);
    else if (column < 0 && sqlite3_stricmp(name, "end") != 0)
        rc = refuse(n->k, "names what is no column of the table: ", name);
    else if (column >= 0)
        sqlite3_str_appendall(n->made, "new.");
    sqlite3_free(name);
    return rc;
}

static int take_token(naming *n, const sql_token *token, const char *after) {
    static const char *const others[] = {"SELECT", "WITH",   "VALUES", "EXISTS",
                                         "OVER",   "FILTER", "RAISE"};
    char mark = token->kind == SQL_OTHER ? *token->start : 0;
    bool in = sql_word_is(n->before.start, n->before.end, "IN");
    if (IS_ONE_OF(token, others) || (in && mark != '('))
        return refuse(n->k, "looks at more than one row", "");
    if (mark && strchr("?:@$", mark))
        return refuse(n->k, "has a parameter", "");
    n->brackets += (mark == '(') - (mark == ')');
    if (token->kind == SQL_UNFINISHED || mark == ';' || n->brackets < 0)
        return refuse(n->k, "is no single expression", "");
    if (token->kind == SQL_WORD || (token->kind == SQL_QUOTED && *token->start != '\''))
        return take_name(n, token, after);
    return SQLITE_OK;
}

/* Comments are left out. */
static int name_columns(naming *n, const char *condition) {
    const char *end = condition + strlen(condition), *at = condition;
    sql_token token;
    int rc = SQLITE_OK;
    n->before = (sql_token){SQL_END, condition, condition};
    while (rc == SQLITE_OK && (at = sql_next(at, end, &token), token.kind != SQL_END)) {
        bool apart = n->before.end != token.start;
        if (apart && n->before.kind != SQL_END)
            sqlite3_str_appendall(n->made, " ");
        rc = take_token(n, &token, at);
        sqlite3_str_append(n->made, token.start, (int)(token.end - token.start));
        n->before = token;
    }
    return rc == SQLITE_OK && n->brackets != 0
               ? refuse(n->k, "is no single expression", "")
               : rc;
}

int condition_settle(sqlite3 *db, definition *d, bool making, char **error) {
    checking k = {db, d->source.where, error};
    table_info table;
    if (!d->source.where)
        return SQLITE_OK;
    int rc = table_find(db, d->schema, d->source.table, &table, error);
    naming n = {.k = &k, .table = &table, .made = sqlite3_str_new(NULL)};
    if (rc == SQLITE_OK)
        rc = name_columns(&n, k.condition);
    char *made = sqlite3_str_finish(n.made);
    if (rc == SQLITE_OK && making)
        rc = ask_sqlite(&k, d);
    table_info_clear(&table);
    if (rc == SQLITE_OK) {
        sqlite3_free(d->source.where);
        d->source.where = made;
        return made ? SQLITE_OK : SQLITE_NOMEM;
    }
    sqlite3_free(made);
    return rc;
}
