/* What the text of `edges` or `vertices` says. No database is touched.
**
**     'roads'                          table
**     'aux.[my roads](a, "b", cost)'   schema . table ( column , ... )
**     'SELECT a, b FROM roads'         query: first word SELECT, WITH or VALUES
**
** Names are written as in SQL: bare, or in "..", [..], `..` or '..', the closing mark
** doubled inside (not for brackets). Space and comments may stand between the parts. */
#include "source.h"
#include "base/sql_text.h"
#include <string.h>

typedef struct parser {
    const char *what; /* "edges" or "vertices" */
    const char *text, *at, *end;
    int max_columns;
    int rc; /* sticky */
    char **error;
    bool final; /* a sentence proposes no other text */
} parser;

/* What to do. A name that needs quotes is the usual cause. */
static char *cure(const parser *p) {
    char *quoted =
        p->final ? NULL : edge_quoted(p->text, (int)(p->end - p->text), p->max_columns);
    char *text =
        quoted
            ? sqlite3_mprintf("quote the name, as in %Q", quoted)
            : sqlite3_mprintf("write the name of a table or view, with its column%s in "
                              "brackets where needed, or a query that begins with "
                              "SELECT, WITH or VALUES",
                              p->max_columns == 1 ? "" : "s");
    sqlite3_free(quoted);
    return text;
}

/* Stops parsing. found: what stands there; may be NULL. */
static void fail_edge_source(parser *p, const char *problem, const char *found,
                             int bytes) {
    if (p->rc)
        return;
    const char *dots = bytes > 40 ? "..." : "";
    if (bytes > 40) {
        for (bytes = 40; bytes > 0 && (found[bytes] & 0xC0) == 0x80;)
            bytes--;
    }
    char *then = cure(p);
    if (then)
        *p->error = found ? sqlite3_mprintf("%s in %s at '%.*s%s'; %s", problem, p->what,
                                            bytes, found, dots, then)
                          : sqlite3_mprintf("%s %s; %s", p->what, problem, then);
    sqlite3_free(then);
    p->rc = *p->error ? SQLITE_ERROR : SQLITE_NOMEM;
}

static void skip_space(parser *p) {
    p->at = sql_skip_space(p->at, p->end);
}

static bool take_edge_source(parser *p, char c) {
    skip_space(p);
    if (p->rc || p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* A name, unquoted, in memory of its own. */
static char *take_name(parser *p, const char *missing) {
    skip_space(p);
    if (p->rc)
        return NULL;
    sql_token token;
    p->at = sql_next(p->at, p->end, &token);
    int bytes = (int)(p->end - token.start);
    if (token.kind == SQL_END) {
        fail_edge_source(p, missing, p->text, (int)(p->end - p->text));
    } else if (token.kind == SQL_UNFINISHED) {
        fail_edge_source(p, "a quotation mark is never closed", token.start, bytes);
    } else if (token.kind == SQL_OTHER) {
        fail_edge_source(p, "a name is missing, or must be quoted", token.start, bytes);
    } else {
        char *name = sql_unquote(&token);
        p->rc = name ? SQLITE_OK : SQLITE_NOMEM;
        return name;
    }
    return NULL;
}

static void take_columns_of_edge_source(parser *p, edge_source *source) {
    do {
        if (source->columns == p->max_columns) {
            fail_edge_source(
                p,
                p->max_columns == 1
                    ? "there is more than one column"
                    : "there are more than five columns (source, destination, weight, "
                      "edge id, reverse weight)",
                p->text, (int)(p->end - p->text));
            return;
        }
        char *name = take_name(p, "the name of a column is missing");
        if (!name)
            return;
        source->column[source->columns++] = name;
    } while (take_edge_source(p, ','));
    if (!take_edge_source(p, ')'))
        fail_edge_source(p, "a comma or a closing bracket is missing", p->text,
                         (int)(p->end - p->text));
    else if (p->max_columns > 1 && source->columns == 1)
        fail_edge_source(p, "the destination column is missing", p->text,
                         (int)(p->end - p->text));
}

static bool is_other_statement(const parser *p) {
    static const char *const words[] = {"INSERT", "UPDATE", "DELETE", "REPLACE",
                                        "CREATE", "DROP",   "ALTER",  "PRAGMA",
                                        "ATTACH", "DETACH", "EXPLAIN"};
    const char *first = sql_skip_space(p->text, p->end);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (sql_word_is(first, p->end, words[i]))
            return true;
    }
    return false;
}

static void take_table(parser *p, edge_source *source) {
    source->table = take_name(p, "the name of a table is missing");
    if (take_edge_source(p, '.')) {
        source->schema = source->table;
        source->table = take_name(p, "the name of a table is missing");
    }
    if (take_edge_source(p, '('))
        take_columns_of_edge_source(p, source);
    skip_space(p);
    if (p->rc != SQLITE_OK || p->at == p->end)
        return;
    p->final |= is_other_statement(p);
    if (is_other_statement(p))
        fail_edge_source(p, "is not a query that only reads", NULL, 0);
    else
        fail_edge_source(p, "there is more than a name and its columns", p->at,
                         (int)(p->end - p->at));
}

static bool is_query(const char *at, const char *end) {
    return sql_word_is(at, end, "SELECT") || sql_word_is(at, end, "WITH") ||
           sql_word_is(at, end, "VALUES");
}

static void parse(parser *p, edge_source *source) {
    memset(source, 0, sizeof *source);
    *p->error = NULL;
    skip_space(p);
    if (p->at == p->end) {
        fail_edge_source(p, "is empty", NULL, 0);
    } else if (memchr(p->text, 0, (size_t)(p->end - p->text))) {
        fail_edge_source(p, "holds a zero byte", NULL, 0);
    } else if (is_query(p->at, p->end)) {
        source->query = sqlite3_mprintf("%.*s", (int)(p->end - p->text), p->text);
        p->rc = source->query ? SQLITE_OK : SQLITE_NOMEM;
    } else {
        take_table(p, source);
    }
    if (p->rc)
        edge_source_clear(source);
}

static parser parser_of(const char *text, int bytes, int max_columns, char **error) {
    return (parser){.what = max_columns == 1 ? "vertices" : "edges",
                    .text = text,
                    .at = text,
                    .end = text + bytes,
                    .max_columns = max_columns,
                    .error = error};
}

int edge_parse(const char *text, int bytes, int max_columns, edge_source *source,
               char **error) {
    parser p = parser_of(text, bytes, max_columns, error);
    parse(&p, source);
    return p.rc;
}

/* ---- names that need quotes ---- */

/* Appends what stands between, without the space around it, in double quotes where SQL
** needs them. */
static int append_name(sqlite3_str *to, const char *from, const char *end) {
    while (from < end && (unsigned char)*from <= ' ')
        from++;
    while (end > from && (unsigned char)end[-1] <= ' ')
        end--;
    if (from == end || memchr(from, '(', (size_t)(end - from)) ||
        memchr(from, ')', (size_t)(end - from)))
        return SQLITE_MISMATCH;
    char *name = sqlite3_mprintf("%.*s", (int)(end - from), from);
    char *typed = name ? name_as_sql(name) : NULL;
    sqlite3_str_appendall(to, typed ? typed : "");
    int rc = typed ? SQLITE_OK : SQLITE_NOMEM;
    sqlite3_free(name);
    sqlite3_free(typed);
    return rc;
}

/* A schema is what stands before a point. */
static int append_table(sqlite3_str *to, const char *from, const char *end) {
    const char *point = memchr(from, '.', (size_t)(end - from));
    int rc = point ? append_name(to, from, point) : SQLITE_OK;
    sqlite3_str_appendall(to, point ? "." : "");
    return rc == SQLITE_OK ? append_name(to, point ? point + 1 : from, end) : rc;
}

/* table(column, column): the table is what stands before the first bracket, a column
** what stands between commas. */
static int append_quoted(sqlite3_str *to, const char *text, const char *end) {
    const char *open = memchr(text, '(', (size_t)(end - text));
    const char *close = end;
    int rc = append_table(to, text, open ? open : end);
    while (close > text && (unsigned char)close[-1] <= ' ')
        close--;
    if (!open || close[-1] != ')')
        return open ? SQLITE_MISMATCH : rc;
    for (const char *at = open + 1; at < close && rc == SQLITE_OK;) {
        const char *comma = memchr(at, ',', (size_t)(close - at));
        const char *next = comma ? comma : close - 1;
        sqlite3_str_appendall(to, at == open + 1 ? "(" : ", ");
        rc = append_name(to, at, next);
        at = next + 1;
    }
    sqlite3_str_appendall(to, ")");
    return rc;
}

/* A text with quotation marks is left alone: its author knows how to quote names. */
char *edge_quoted(const char *text, int bytes, int max_columns) {
    if (memchr(text, 0, (size_t)bytes) || memchr(text, '"', (size_t)bytes) ||
        memchr(text, '`', (size_t)bytes) || memchr(text, '[', (size_t)bytes))
        return NULL;
    sqlite3_str *made = sqlite3_str_new(NULL);
    int rc = append_quoted(made, text, text + bytes);
    char *quoted = sqlite3_str_finish(made), *error = NULL;
    edge_source source;
    if (quoted && rc == SQLITE_OK) {
        parser p = parser_of(quoted, (int)strlen(quoted), max_columns, &error);
        p.final = true;
        parse(&p, &source);
        rc = p.rc == SQLITE_OK && !source.query && *source.table ? SQLITE_OK
                                                                 : SQLITE_ERROR;
        edge_source_clear(&source);
    }
    sqlite3_free(error);
    if (rc == SQLITE_OK)
        return quoted;
    sqlite3_free(quoted);
    return NULL;
}

void edge_source_clear(edge_source *source) {
    sqlite3_free(source->query);
    sqlite3_free(source->schema);
    sqlite3_free(source->table);
    sqlite3_free(source->where);
    for (int i = 0; i < EDGE_COLUMNS; i++)
        sqlite3_free(source->column[i]);
    memset(source, 0, sizeof *source);
}
