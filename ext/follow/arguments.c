/* The arguments of USING gpugraph(...).
**
**     roads(a, b, metres), direction = 'both', persist = 1, where = 'open = 1'
**     ------------------   ------------------
**     edge source          options, in any order
**/
#include "follow.h"
#include "base/sql_text.h"
#include <string.h>

/* ---- options ---- */

enum { DIRECTION, PERSIST, WHERE, WORDS };
static const char *const options[WORDS] = {"direction", "persist", "where"};
static const char *const directions[WORDS] = {"out", "in", "both"};

/* The place of the word in a list; WORDS: the list does not have it. */
static int find_word(const char *const *list, const char *word) {
    int i = 0;
    while (i < WORDS && sqlite3_stricmp(list[i], word) != 0)
        i++;
    return i;
}

/* Reports the sentence and the known word nearest to the given one. Frees the
** sentence. */
static int fail_near(char **error, char *sentence, const char *given,
                     const char *const *known) {
    nearest near = {.given = given};
    for (int i = 0; i < WORDS; i++)
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

/* given: a bit for each option that has been set. *value: set to NULL if the definition
** takes it over. */
static int set_option(definition *d, const char *name, char **value, unsigned *given,
                      char **error) {
    const int option = find_word(options, name), word = find_word(directions, *value);
    if (option == WORDS)
        return fail_near(error,
                         sqlite3_mprintf("there is no option '%!.40s'; the options are "
                                         "direction, persist and where",
                                         name),
                         name, options);
    if (*given >> option & 1)
        return fail_with(error, "the option %s is given more than once", options[option]);
    *given |= 1u << option;
    if (option == DIRECTION && word == WORDS)
        return fail_near(error,
                         sqlite3_mprintf("the option direction must be 'out', 'in' or "
                                         "'both', not '%!.40s'",
                                         *value),
                         *value, directions);
    if (option == PERSIST && strcmp(*value, "0") != 0 && strcmp(*value, "1") != 0)
        return fail_with(error, "the option persist must be 0 or 1, not '%!.40s'",
                         *value);
    if (option == DIRECTION) {
        d->direction = (gpugraph_direction)word;
    } else if (option == PERSIST) {
        d->persist = **value == '1';
    } else {
        d->source.where = *value;
        *value = NULL;
    }
    return SQLITE_OK;
}

static int parse_option(definition *d, const char *text, unsigned *given, char **error) {
    char *name = NULL, *value = NULL;
    int rc = split_option(text, &name, &value, error);
    rc = rc ? rc : set_option(d, name, &value, given, error);
    sqlite3_free(name);
    sqlite3_free(value);
    return rc;
}

/* ---- arguments ---- */

int definition_parse(definition *d, int count, const char *const *argument,
                     char **error) {
    unsigned given = 0;
    *error = NULL;
    if (count == 0)
        return fail_with(error, "there is no table to follow; write its name, and "
                                "its columns if needed, in the parentheses");
    int rc = edge_parse(argument[0], (int)strlen(argument[0]), EDGE_COLUMNS, &d->source,
                        error);
    if (rc == SQLITE_OK && d->source.query)
        rc = fail_with(
            error, "a graph follows a plain table, not a query; follow the table that "
                   "the query reads, or give the query to the search itself");
    for (int i = 1; i < count && rc == SQLITE_OK; i++)
        rc = parse_option(d, argument[i], &given, error);
    d->by_name = d->source.columns == 0;
    return rc;
}

enum { MOST_ARGUMENTS = 8 };

/* Cuts the text after USING gpugraph at the commas outside inner parentheses. Returns the
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
