/* Arguments in brackets that have no value when the search begins, and the sentence for them.
**
**     gpu_bfs('roads', 1, max_depth = 2)     brackets hold (target) = (max_depth = 2), which
**                                            waits for a row of the search itself
**     gpu_bfs('roads', n.id) CROSS JOIN n    a row that is read after the search
**     n RIGHT JOIN gpu_bfs('roads', 1)       here SQLite drops what brackets hold
**
** All of these look alike to xBestIndex, and in a plain filter no row would pass. */
#include "arguments.h"

static int fail_further(const arguments *a) {
    const table_function *f = a->by->function;
    sqlite3_str *names = sqlite3_str_new(NULL);
    for (int i = 0; i < f->bracketed; i++)
        sqlite3_str_appendf(names, "%s%s",
                            i == 0                  ? ""
                            : i == f->bracketed - 1 ? " and "
                                                    : ", ",
                            field_name(f, f->field[f->visible + i]));
    char *list = sqlite3_str_finish(names);
    int rc = list ? caller_fail(a->by, SQLITE_ERROR,
                                "the brackets take %s alone; give other arguments after "
                                "WHERE, as in WHERE %s",
                                list, f->option)
                  : SQLITE_NOMEM;
    sqlite3_free(list);
    return rc;
}

int arguments_astray(const arguments *a) {
    const table_function *f = a->by->function;
    if (a->plan & PLAN_FURTHER)
        return fail_further(a);
    for (int i = 0; i < f->bracketed; i++)
        if (a->plan >> (PLAN_UNFED_SHIFT + i) & 1)
            return caller_fail(
                a->by, SQLITE_ERROR,
                "the argument %s in the brackets has no value when the search begins; "
                "put "
                "a table that it comes from before %s, and in place of a RIGHT JOIN to "
                "%s "
                "write %s LEFT JOIN; a comparison in the brackets sets nothing: give an "
                "option as in WHERE %s",
                field_name(f, f->field[f->visible + i]), f->name, f->name, f->name,
                f->option);
    return SQLITE_OK;
}
