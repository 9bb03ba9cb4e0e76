/* The filter of one call: edge_filter, with the values of edge_params in it.
**
**     edge_filter      height >= ? AND kind <> :kind
**     edge_params      [4.0, "track"]
**     filter           height >= 4.0 AND kind <> 'track'
**
** The filter is a part of the graph's name, so equal filters with equal values find one
** kept graph. A row for which the filter is not true is no edge, but its ends are
** vertices (load/half_rows.c). */
#include "source.h"
#include "base/json_array.h"
#include "base/sql_text.h"
#include <math.h>
#include <string.h>

/* ---- values ---- */

/* Appends a space and the value as SQL has it: without the space, a minus sign could
** begin a comment. %!.17g keeps every bit of a REAL. */
static void append_literal(sqlite3_str *sql, sqlite3_value *value) {
    sqlite3_str_appendchar(sql, 1, ' ');
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        sqlite3_str_appendf(sql, "%lld", sqlite3_value_int64(value));
        break;
    case SQLITE_FLOAT:
        if (isinf(sqlite3_value_double(value)))
            sqlite3_str_appendall(sql,
                                  sqlite3_value_double(value) < 0 ? "-9e999" : "9e999");
        else
            sqlite3_str_appendf(sql, "%!.17g", sqlite3_value_double(value));
        break;
    case SQLITE_TEXT:
        sqlite3_str_appendf(sql, "%Q", sqlite3_value_text(value));
        break;
    default:
        sqlite3_str_appendall(sql, "NULL");
    }
}

/* Appends value number `place` of params, from 1. *count: the number of values. */
static int append_value(sqlite3 *db, const char *params, int place, sqlite3_str *sql,
                        int *count, char **fault) {
    json_array a;
    int rc = params ? json_array_open(db, &a, params, (int)strlen(params)) : SQLITE_DONE;
    *count = 0;
    while (params && rc == SQLITE_OK && (rc = json_array_next(&a)) == SQLITE_ROW) {
        *count = a.place;
        rc = SQLITE_OK;
        if (a.zero)
            rc = fail_with(fault, "edge_params holds \\u0000, where SQLite's JSON ends a "
                                  "text");
        else if (strcmp(a.type, "array") == 0 || strcmp(a.type, "object") == 0)
            rc = fail_with(fault,
                           "value %d of edge_params is an %s; a parameter takes a "
                           "number, a text or null",
                           a.place, a.type);
        else if (a.place == place)
            append_literal(sql, a.value);
    }
    if (rc == SQLITE_MISMATCH)
        rc = fail_with(fault,
                       "the argument edge_params must be a JSON array, as json_array() "
                       "makes it, not '%!.60q'",
                       params);
    else if (rc == SQLITE_ERROR && !*fault)
        rc = fail_with(fault, "edge_params cannot be read: %s", sqlite3_errmsg(db));
    if (params)
        json_array_close(&a);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* ---- parameters ---- */

enum { MOST_NAMES = 32 };

/* The parameters met so far. SQLite numbers them in this way: `?` gets the number after
** the highest one, ?7 is number 7, and a name gets a number where it is first met. */
typedef struct numbering {
    int highest, names;
    sql_token name[MOST_NAMES];
    int number[MOST_NAMES];
} numbering;

static bool same_text(const sql_token *a, const sql_token *b) {
    const size_t length = (size_t)(a->end - a->start);
    return length == (size_t)(b->end - b->start) &&
           memcmp(a->start, b->start, length) == 0;
}

static int number_of_name(numbering *n, const sql_token *name, int *number,
                          char **fault) {
    int i = 0;
    while (i < n->names && !same_text(&n->name[i], name))
        i++;
    if (i == MOST_NAMES)
        return fail_with(fault, "edge_filter has more than %d named parameters",
                         MOST_NAMES);
    if (i == n->names) {
        n->name[n->names] = *name;
        n->number[n->names++] = ++n->highest;
    }
    *number = n->number[i];
    return SQLITE_OK;
}

/* Sets *number to the number of the parameter at the token, and *end to its end; 0: the
** token begins no parameter. */
static int find_number(numbering *n, const sql_token *token, const char *text_end,
                       int *number, const char **end, char **fault) {
    const char mark = token->kind == SQL_OTHER ? *token->start : 0, *at = token->end;
    *number = 0;
    if (mark == '?') {
        const char *digits = skip_digits(at, text_end);
        *number = digits > at ? 0 : ++n->highest;
        for (const char *d = at; d < digits; d++)
            *number = *number > 32766 ? *number : *number * 10 + (*d - '0');
        if (*number < 1 || *number > 32766)
            return fail_with(fault,
                             "edge_filter has the parameter ?%.*s; numbers go "
                             "from ?1 to ?32766",
                             (int)(digits - at), at);
        n->highest = *number > n->highest ? *number : n->highest;
        *end = digits;
        return SQLITE_OK;
    }
    if (mark != ':' && mark != '@' && mark != '$')
        return SQLITE_OK;
    while (at < text_end && sql_in_word(*at))
        at++;
    *end = at;
    return number_of_name(n, &(sql_token){SQL_OTHER, token->start, at}, number, fault);
}

/* Appends the text with the values in the places of the parameters. */
static int append_closed(sqlite3 *db, const char *text, const char *params,
                         sqlite3_str *sql, char **fault) {
    const char *end = text + strlen(text), *copied = text, *at = text, *after = text;
    numbering n = {.highest = 0};
    int number, count, rc = SQLITE_OK;
    sql_token token;
    while (rc == SQLITE_OK && (at = sql_next(at, end, &token), token.kind != SQL_END)) {
        rc = find_number(&n, &token, end, &number, &after, fault);
        if (rc || number == 0)
            continue;
        sqlite3_str_append(sql, copied, (int)(token.start - copied));
        rc = append_value(db, params, number, sql, &count, fault);
        copied = at = after;
    }
    sqlite3_str_append(sql, copied, (int)(end - copied));
    if (rc == SQLITE_OK)
        rc = append_value(db, params, 0, sql, &count, fault);
    if (rc == SQLITE_OK && count != n.highest)
        rc =
            fail_with(fault,
                      "edge_filter has %d parameter%s, and edge_params holds %d "
                      "value%s; give one for each",
                      n.highest, n.highest == 1 ? "" : "s", count, count == 1 ? "" : "s");
    return rc;
}

int filter_close(sqlite3 *db, const char *text, const char *params, char **filter,
                 char **fault) {
    *filter = *fault = NULL;
    if (!text)
        return params ? fail_with(fault, "edge_params holds values for edge_filter, and "
                                         "there is none; leave edge_params out")
                      : SQLITE_OK;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    int rc = append_closed(db, text, params, sql, fault);
    rc = rc ? rc : sqlite3_str_errcode(sql);
    *filter = sqlite3_str_finish(sql);
    if (rc == SQLITE_OK && *filter)
        return SQLITE_OK;
    sqlite3_free(*filter);
    *filter = NULL;
    return rc ? rc : SQLITE_NOMEM;
}

/* `IS TRUE` would read a column that is named "true". */
void filter_append(sqlite3_str *sql, const char *filter) {
    sqlite3_str_appendf(sql, ", CASE WHEN (%s\n) THEN 1 END", filter);
}
