/* Binds values of a JSON array to a query's parameters.
**
**     SELECT a, b FROM roads WHERE city = :city AND km < ?2      params '["Oslo", 30]'
**
** The text of a query must stand in the statement itself. The values of its parameters
** may come from anywhere, because they cannot become SQL. */
#include "base/json_array.h"
#include "source.h"

#include <string.h>

/* "... has 2 parameters (:city and ?2), and params holds 3 values; ..." */
static int fail_count(sqlite3_stmt *query, int values, const query_params *p,
                      char **fault) {
    const int count = sqlite3_bind_parameter_count(query);
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "the query in %s has ", p->query);
    if (count == 0)
        sqlite3_str_appendall(text, "no parameter");
    else
        sqlite3_str_appendf(text, "%d parameter%s (", count, count == 1 ? "" : "s");
    for (int i = 0; i < count; i++) {
        const char *name = sqlite3_bind_parameter_name(query, i + 1);
        name_list_add(text, i, name ? name : "?");
    }
    if (count > 0) {
        name_list_end(text, count);
        sqlite3_str_appendall(text, ")");
    }
    sqlite3_str_appendf(text, ", and %s holds %d value%s; give one for each", p->name,
                        values, values == 1 ? "" : "s");
    *fault = sqlite3_str_finish(text);
    return *fault ? SQLITE_ERROR : SQLITE_NOMEM;
}

static int bind_element(sqlite3_stmt *query, const json_array *a, const query_params *p,
                        char **fault) {
    if (a->zero)
        return fail_with(fault, "%s holds \\u0000, where SQLite's JSON ends a text",
                         p->name);
    if (strcmp(a->type, "array") == 0 || strcmp(a->type, "object") == 0)
        return fail_with(fault,
                         "value %d of %s is an %s; a parameter takes a number, a text "
                         "or null",
                         a->place, p->name, a->type);
    return a->place > sqlite3_bind_parameter_count(query)
               ? SQLITE_OK
               : sqlite3_bind_value(query, a->place, a->value);
}

static int bind_array(sqlite3 *db, sqlite3_stmt *query, const query_params *p,
                      char **fault) {
    json_array a;
    int rc = json_array_open(db, &a, p->values, p->bytes);
    while (rc == SQLITE_OK && (rc = json_array_next(&a)) == SQLITE_ROW)
        rc = bind_element(query, &a, p, fault);
    if (rc == SQLITE_MISMATCH)
        rc = fail_with(fault,
                       "the argument %s must be a JSON array, as json_array() makes it, "
                       "not '%!.60q'",
                       p->name, p->values);
    else if (rc == SQLITE_ERROR && !*fault)
        rc = fail_with(fault, "%s cannot be read: %s", p->name, sqlite3_errmsg(db));
    if (rc == SQLITE_DONE)
        rc = a.place == sqlite3_bind_parameter_count(query)
                 ? SQLITE_OK
                 : fail_count(query, a.place, p, fault);
    json_array_close(&a);
    return rc;
}

int query_params_bind(sqlite3 *db, sqlite3_stmt *query, const query_params *p,
                      char **fault) {
    *fault = NULL;
    if (!query)
        return p->values ? fail_with(fault,
                                     "%s holds values for a query, and %s is none; leave "
                                     "%s out",
                                     p->name, p->query, p->name)
                         : SQLITE_OK;
    if (p->values)
        return bind_array(db, query, p, fault);
    return sqlite3_bind_parameter_count(query) > 0 ? fail_count(query, 0, p, fault)
                                                   : SQLITE_OK;
}
