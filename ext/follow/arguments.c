/* The arguments of USING gpugraph(...).
**
**     roads(a, b, metres), direction = 'both', persist = 1, where = 'open = 1'
**     ------------------   ------------------
**     edge source          options, in any order
**/
#include "follow.h"
#include "base/sql_text.h"
#include <string.h>

/* ---- arguments ---- */

static const char *const options[3] = {"direction", "persist", "where"};

/* Reports the sentence and the known word nearest to the given one. Frees the
** sentence. */
static int fail_near(char **error, char *sentence, const char *given,
                     const char *const *known) {
    nearest near = {.given = given};
    for (int i = 0; i < 3; i++)
        nearest_look(&near, known[i], known[i]);
    return sentence ? fail_with(error, "%z%s", sentence, near.told) : SQLITE_NOMEM;
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
        return fail_with(error,
                         "'%!.40s' is not an option; the options are direction, "
                         "persist and where, as in direction = 'both'",
                         text);
    *name = sql_unquote(&key);
    *value = sql_unquote(&given);
    return *name && *value ? SQLITE_OK : SQLITE_NOMEM;
}

static int set_option(definition *made, const char *name, const char *value,
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
            return fail_with(error, "the option persist must be 0 or 1, not '%!.40s'",
                             value);
        made->persist = *value == '1';
        return SQLITE_OK;
    }
    if (sqlite3_stricmp(name, "where") == 0) {
        sqlite3_free(made->source.where);
        made->source.where = sqlite3_mprintf("%s", value);
        return made->source.where ? SQLITE_OK : SQLITE_NOMEM;
    }
    return fail_near(error,
                     sqlite3_mprintf("there is no option '%!.40s'; the options are "
                                     "direction, persist and where",
                                     name),
                     name, options);
}

/* given: a bit for each option parsed so far. */
static int parse_option(const char *text, unsigned *given, definition *made,
                        char **error) {
    char *name = NULL, *value = NULL;
    int rc = split_option(text, &name, &value, error);
    for (unsigned i = 0; i < 3 && rc == SQLITE_OK; i++) {
        if (sqlite3_stricmp(name, options[i]) != 0)
            continue;
        if (*given & 1u << i)
            rc = fail_with(error, "the option %s is given more than once", options[i]);
        *given |= 1u << i;
    }
    if (rc == SQLITE_OK)
        rc = set_option(made, name, value, error);
    sqlite3_free(name);
    sqlite3_free(value);
    return rc;
}

int definition_parse(definition *d, int count, const char *const *argument,
                     char **error) {
    unsigned given = 0;
    *error = NULL;
    if (count == 0)
        return fail_with(error, "there is no table to follow; write its name, and "
                                "its columns if needed, in the brackets");
    int rc = edge_parse(argument[0], (int)strlen(argument[0]), EDGE_COLUMNS, &d->source,
                        error);
    if (rc == SQLITE_OK && d->source.query)
        rc = fail_with(
            error, "a graph follows a plain table, not a query; follow the table that "
                   "the query reads, or give the query to the search itself");
    for (int i = 1; i < count && rc == SQLITE_OK; i++)
        rc = parse_option(argument[i], &given, d, error);
    d->by_name = d->source.columns == 0;
    return rc;
}

enum { MOST_ARGUMENTS = 8 };

/* Cuts the text after USING gpugraph at the commas outside inner brackets. Returns the
** number of arguments; -1: no memory. */
static int cut_arguments(const char *sql, char **argument) {
    const char *end = sql + strlen(sql), *start = NULL, *at = sql;
    int depth = 0, count = 0;
    sql_token token;
    at = sql_find_word(at, end, "USING", &token);
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

int definition_parse_sql(definition *d, const char *sql, char **error) {
    char *argument[MOST_ARGUMENTS] = {NULL};
    int count = cut_arguments(sql, argument);
    int rc = count < 0 ? SQLITE_NOMEM
                       : definition_parse(d, count, (const char *const *)argument, error);
    for (int i = 0; i < MOST_ARGUMENTS; i++)
        sqlite3_free(argument[i]);
    return rc;
}
