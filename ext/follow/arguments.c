/* What stands between the brackets of USING gpugraph(...), and whether a graph can follow its
** condition.
**
**     roads(a, b, metres), direction = 'both', persist = 1, where = 'open = 1'
**     ------------------   ------------------
**     edge source          options, in any order
**
** The condition is put into a trigger, so that it lives through changes of names, and is asked
** of rows that are read again one by one. So it must be about one row's columns, and its answer
** must depend on these columns alone: not on the time, the connection or other rows. It is
** checked when the graph is made, and again whenever it is found in a database. The statements
** that ask it run as top-level SQL, which may call functions that a schema may not: the author
** of a file must not gain them by a condition. */
#include "schema.h"
#include "base/sql_text.h"
#include "base/statement.h"
#include <string.h>

/* ---- arguments ---- */

static int fail(char **error, char *sentence) {
    *error = sentence;
    return sentence ? SQLITE_ERROR : SQLITE_NOMEM;
}

static const char *const options[3] = {"direction", "persist", "where"};

/* The same, and which of the three known words is nearest to the given one. Frees the
** sentence. */
static int fail_near(char **error, char *sentence, const char *given,
                     const char *const *known) {
    nearest near = {.given = given};
    for (int i = 0; i < 3; i++)
        nearest_look(&near, known[i], known[i]);
    char *end = nearest_end(&near);
    int rc = fail(error, sentence && end ? sqlite3_mprintf("%s%s", sentence, end) : NULL);
    sqlite3_free(sentence);
    sqlite3_free(end);
    return rc;
}

/* Sets *name and *value (sqlite3_free) of "name = value". */
static int split_option(const char *text, char **name, char **value, char **error) {
    const char *end = text + strlen(text);
    sql_token key, equals, given, rest;
    const char *at = sql_next(text, end, &key);
    at = sql_next(at, end, &equals);
    at = sql_next(at, end, &given);
    sql_next(at, end, &rest);
    if (key.kind != SQL_WORD || equals.kind != SQL_OTHER || *equals.start != '=' ||
        given.kind == SQL_END || given.kind == SQL_UNFINISHED || rest.kind != SQL_END)
        return fail(
            error, sqlite3_mprintf("'%!.40s' is no option; an option is written as in "
                                   "direction = 'both', and there are direction, persist "
                                   "and where",
                                   text));
    *name = sql_unquote(&key);
    *value = sql_unquote(&given);
    return *name && *value ? SQLITE_OK : SQLITE_NOMEM;
}

static int set_option(graph_arguments *made, const char *name, const char *value,
                      char **error) {
    static const char *const directions[] = {"out", "in", "both"};
    if (sqlite3_stricmp(name, "direction") == 0) {
        for (int i = 0; i < 3; i++) {
            if (sqlite3_stricmp(value, directions[i]) == 0) {
                made->direction = (gpugraph_direction)i;
                return SQLITE_OK;
            }
        }
        return fail_near(error,
                         sqlite3_mprintf("the option direction must be 'out', 'in' or "
                                         "'both', not '%!.40s'",
                                         value),
                         value, directions);
    }
    if (sqlite3_stricmp(name, "persist") == 0) {
        if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
            return fail(error,
                        sqlite3_mprintf("the option persist must be 0 or 1, not '%!.40s'",
                                        value));
        made->persist = *value == '1';
        return SQLITE_OK;
    }
    if (sqlite3_stricmp(name, "where") == 0) {
        sqlite3_free(made->source.where);
        made->source.where = sqlite3_mprintf("%s", value);
        return made->source.where ? SQLITE_OK : SQLITE_NOMEM;
    }
    return fail_near(error,
                     sqlite3_mprintf("there is no option '%!.40s'; there are direction, "
                                     "persist and where",
                                     name),
                     name, options);
}

/* given: a bit for each option that stood before. */
static int parse_option(const char *text, unsigned *given, graph_arguments *made,
                        char **error) {
    char *name = NULL, *value = NULL;
    int rc = split_option(text, &name, &value, error);
    for (unsigned i = 0; i < 3 && rc == SQLITE_OK; i++) {
        if (sqlite3_stricmp(name, options[i]) != 0)
            continue;
        if (*given & 1u << i)
            rc = fail(error, sqlite3_mprintf("the option %s is given more than once",
                                             options[i]));
        *given |= 1u << i;
    }
    if (rc == SQLITE_OK)
        rc = set_option(made, name, value, error);
    sqlite3_free(name);
    sqlite3_free(value);
    return rc;
}

/* Names that need quotes stand in the brackets, not in a string. Leaves *error alone
** where that is not what is wrong. */
static int quote_names(const char *text, char **error) {
    char *quoted = edge_quoted(text, (int)strlen(text), EDGE_COLUMNS);
    if (!quoted)
        return SQLITE_ERROR;
    sqlite3_free(*error);
    int rc =
        fail(error, sqlite3_mprintf("'%!.40s' is no table with its columns; quote the "
                                    "name, as in USING gpugraph(%s)",
                                    text, quoted));
    sqlite3_free(quoted);
    return rc;
}

int graph_arguments_parse(int count, const char *const *argument, graph_arguments *made,
                          char **error) {
    unsigned given = 0;
    memset(made, 0, sizeof *made);
    *error = NULL;
    if (count == 0)
        return fail(error,
                    sqlite3_mprintf("there is no table to follow; write its name, and "
                                    "its columns where needed, into the brackets"));
    int rc = edge_parse(argument[0], (int)strlen(argument[0]), EDGE_COLUMNS,
                        &made->source, error);
    if (rc == SQLITE_ERROR)
        rc = quote_names(argument[0], error);
    if (rc == SQLITE_OK && made->source.query)
        rc = fail(error,
                  sqlite3_mprintf(
                      "a graph follows a plain table, not a query; follow the table that "
                      "the query reads, or give the query to the search itself"));
    for (int i = 1; i < count && rc == SQLITE_OK; i++)
        rc = parse_option(argument[i], &given, made, error);
    if (rc)
        graph_arguments_clear(made);
    return rc;
}

void graph_arguments_clear(graph_arguments *arguments) {
    edge_source_clear(&arguments->source);
}

enum { MOST_ARGUMENTS = 8 };

/* Cuts the text after USING gpugraph at the commas outside brackets. Returns how many
** arguments there are, -1: no memory. */
static int cut_arguments(const char *sql, char **argument) {
    const char *end = sql + strlen(sql), *start = NULL, *at = sql;
    int depth = 0, count = 0;
    sql_token token;
    do {
        at = sql_next(at, end, &token);
    } while (token.kind != SQL_END && !sql_word_is(token.start, token.end, "USING"));
    at = sql_next(at, end, &token); /* gpugraph */
    while (count < MOST_ARGUMENTS) {
        at = sql_next(at, end, &token);
        char mark = token.kind == SQL_OTHER ? *token.start : 0;
        bool cut = token.kind == SQL_END || (mark == ',' && depth == 1) ||
                   (mark == ')' && depth == 1);
        if (cut && start) {
            argument[count] = sqlite3_mprintf("%.*s", (int)(token.start - start), start);
            if (!argument[count++])
                return -1;
        }
        depth += (mark == '(') - (mark == ')');
        if (token.kind == SQL_END || depth == 0)
            break;
        if (cut || !start)
            start = at;
    }
    return count;
}

int graph_arguments_of_sql(const char *sql, graph_arguments *made, char **error) {
    char *argument[MOST_ARGUMENTS] = {NULL};
    memset(made, 0, sizeof *made);
    *error = NULL;
    int count = cut_arguments(sql, argument);
    int rc = count < 0 ? SQLITE_NOMEM
                       : graph_arguments_parse(count, (const char *const *)argument, made,
                                               error);
    for (int i = 0; i < MOST_ARGUMENTS; i++)
        sqlite3_free(argument[i]);
    return rc;
}

/* ---- a condition ---- */

typedef struct checking {
    sqlite3 *db;
    const char *condition;
    char **error;
} checking;

static int refuse(const checking *k, const char *why, const char *what) {
    *k->error = sqlite3_mprintf(
        "gpugraph: the condition '%!.80s' %s%s; it must be about the columns of one row, "
        "and say the same of it at any time, for every program that writes to the table",
        k->condition, why, what);
    return *k->error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* What SQLite says: its rule for the WHERE of an index is the same. The index is not made. */
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

/* ---- what SQLite lets pass in one ---- */

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

/* ---- names of columns in one ---- */

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
