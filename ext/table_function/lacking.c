/* Errors for an argument that the statement uses and that has no value when the search
** begins.
**
**     gpu_bfs('roads', 1, max_depth = 2)     the target is the comparison max_depth = 2,
**                                            which needs a row of the search
**     gpu_bfs('roads', n.id) CROSS JOIN n    SQLite reads n after the search
**     n RIGHT JOIN gpu_bfs('roads', 1)       SQLite does not pass the parentheses
**     n LEFT JOIN gpu_bfs('roads', 1)
**       WHERE direction = 'in'               SQLite does not pass WHERE
**
** xBestIndex cannot tell these statements apart. Without an error they would have no
** rows. */
#include "plan.h"

static int fail_option(const caller *by, int field) {
    const char *name = field_name(by->function, field);
    const bool chosen = field == F_METHOD || field == F_BACKEND;
    return caller_fail(
        by, SQLITE_ERROR,
        "the statement uses the column %s, but no value for it reaches the "
        "search; write %s = value in WHERE outside of an OR, in the ON of a "
        "LEFT JOIN or in a subquery, and put a table that the value comes "
        "from before %s%s",
        name, name, by->function->name,
        chosen ? "; gpugraph_timings says what was chosen" : "");
}

int plan_fail_lacking(const caller *by, int plan) {
    const table_function *f = by->function;
    const int field = plan_lacks(plan);
    if (!(plan & PLAN_POSITIONAL))
        return fail_option(by, field);
    if (field == F_FURTHER)
        return caller_fail(by, SQLITE_ERROR,
                           "the parentheses take %d argument%s; give others after "
                           "WHERE, as in WHERE %s",
                           f->positional, f->positional == 1 ? "" : "s", f->option);
    return caller_fail(
        by, SQLITE_ERROR,
        "the argument %s in the parentheses has no value when the search begins; put a "
        "table that it comes from before %s, and in place of a RIGHT JOIN to %s write %s "
        "LEFT JOIN; a comparison in the parentheses sets nothing: give an option as in "
        "WHERE %s",
        field_name(f, field), f->name, f->name, f->name, f->option);
}
