/* Parses the text of `edges` or `vertices`. It does not use the database.
**
**     'roads'                          table
**     'aux.[my roads](a, "b", cost)'   schema . table ( column , ... )
**     'SELECT a, b FROM roads'         query: first word SELECT, WITH or VALUES
**
** Names are written as in SQL: bare, or in "..", [..], `..` or '..'. A closing quotation
** mark inside a name is doubled; a name in [..] has no ']'. Space and comments may stand
** between the parts. */
#include "source.h"
#include "base/sql_text.h"
#include <string.h>

typedef struct parser {
    const char *what; /* "edges" or "vertices" */
    const char *text, *at, *end;
    int max_columns;
    int rc; /* sticky */
    char **error;
} parser;

/* Stops the parser. found: the place at which it stops, or NULL. */
static void fail_parser(parser *p, const char *problem, const char *found) {
    int bytes = found ? (int)(p->end - found) : 0;
    if (p->rc)
        return;
    const char *dots = bytes > 40 ? "..." : "";
    if (bytes > 40) {
        for (bytes = 40; bytes > 0 && (found[bytes] & 0xC0) == 0x80;)
            bytes--;
    }
    sqlite3_str *text = sqlite3_str_new(NULL);
    if (found)
        sqlite3_str_appendf(text, "%s in %s at '%.*s%s'", problem, p->what, bytes, found,
                            dots);
    else
        sqlite3_str_appendf(text, "%s %s", p->what, problem);
    sqlite3_str_appendf(text,
                        "; write the name of a table or view, with its column%s in "
                        "parentheses where needed, or a query that begins with SELECT, "
                        "WITH or VALUES; a name that is not one plain word stands in "
                        "double quotes",
                        p->max_columns == 1 ? "" : "s");
    *p->error = sqlite3_str_finish(text);
    p->rc = *p->error ? SQLITE_ERROR : SQLITE_NOMEM;
}

static void skip_space(parser *p) {
    p->at = sql_skip_space(p->at, p->end);
}

static bool take_mark(parser *p, char c) {
    skip_space(p);
    if (p->rc || p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* A name without its quotation marks, in memory of its own. */
static char *take_name(parser *p, const char *missing) {
    if (p->rc)
        return NULL;
    sql_token token;
    p->at = sql_next(p->at, p->end, &token);
    if (token.kind == SQL_END) {
        fail_parser(p, missing, p->text);
    } else if (token.kind == SQL_UNFINISHED) {
        fail_parser(p, "a quotation mark is never closed", token.start);
    } else if (token.kind == SQL_OTHER) {
        fail_parser(p, "a name is missing, or must be quoted", token.start);
    } else {
        char *name = sql_unquote(&token);
        p->rc = name ? SQLITE_OK : SQLITE_NOMEM;
        return name;
    }
    return NULL;
}

static void parse_columns(parser *p, edge_source *source) {
    do {
        if (source->columns == p->max_columns) {
            fail_parser(
                p,
                p->max_columns == 1
                    ? "there is more than one column"
                    : "there are more than five columns (source, destination, weight, "
                      "edge id, reverse weight)",
                p->text);
            return;
        }
        char *name = take_name(p, "the name of a column is missing");
        if (!name)
            return;
        source->column[source->columns++] = name;
    } while (take_mark(p, ','));
    if (!take_mark(p, ')'))
        fail_parser(p, "a comma or a closing parenthesis is missing", p->text);
    else if (p->max_columns > 1 && source->columns == 1)
        fail_parser(p, "the destination column is missing", p->text);
}

static void take_table(parser *p, edge_source *source) {
    source->table = take_name(p, "the name of a table is missing");
    if (take_mark(p, '.')) {
        source->schema = source->table;
        source->table = take_name(p, "the name of a table is missing");
    }
    if (take_mark(p, '('))
        parse_columns(p, source);
    skip_space(p);
    if (p->rc != SQLITE_OK || p->at == p->end)
        return;
    fail_parser(p, "there is more than a name and its columns", p->at);
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
        fail_parser(p, "is empty", NULL);
    } else if (memchr(p->text, 0, (size_t)(p->end - p->text))) {
        fail_parser(p, "holds a zero byte", NULL);
    } else if (is_query(p->at, p->end)) {
        source->query = sqlite3_mprintf("%.*s", (int)(p->end - p->text), p->text);
        p->rc = source->query ? SQLITE_OK : SQLITE_NOMEM;
    } else {
        take_table(p, source);
    }
    if (p->rc)
        edge_source_clear(source);
}

int edge_parse(const char *text, int bytes, int max_columns, edge_source *source,
               char **error) {
    parser p = {.what = max_columns == 1 ? "vertices" : "edges",
                .text = text,
                .at = text,
                .end = text + bytes,
                .max_columns = max_columns,
                .error = error};
    parse(&p, source);
    return p.rc;
}

void edge_source_clear(edge_source *source) {
    sqlite3_free(source->query);
    sqlite3_free(source->schema);
    sqlite3_free(source->table);
    sqlite3_free(source->where);
    sqlite3_free(source->filter);
    for (int i = 0; i < EDGE_COLUMNS; i++)
        sqlite3_free(source->column[i]);
    memset(source, 0, sizeof *source);
}
