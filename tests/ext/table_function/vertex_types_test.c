/* `vertex = x` in its two plans: a look-up, which converts x as the source column would,
** and SQLite's comparison with rows. The plans agree if x has the type of the ids, or if
** the column has no type, as docs/edge_sources.md says. */
/* ctest: serial */
#include "gpugraph_extension.h"
#include "suite.h"
#include "sql.h"

#include <string.h>

static void setup(void) {
    sql_open();
    run("CREATE TABLE integers(src INTEGER, dst INTEGER); INSERT INTO integers VALUES "
        "(1, 2);"
        "CREATE TABLE texts(src TEXT, dst TEXT); INSERT INTO texts VALUES ('1', '2'),"
        " ('1', '02');"
        "CREATE TABLE plain(src, dst); INSERT INTO plain VALUES (1, 2), (1, '2'), (1, "
        "'02');"
        "CREATE TABLE wanted(n INTEGER PRIMARY KEY, x);"
        "INSERT INTO wanted(x) VALUES (2), ('2'), ('02'), (2.0), ('2.0'), (NULL), "
        " (3), (9007199254740993)");
}

/* Rows of the join, with the function before or after the other table. */
static char *joined(const char *edges, const char *x, bool looked_up) {
    static const char select[] = "SELECT n, quote(vertex) FROM ";
    char *call = sqlite3_mprintf("gpu_bfs('%s', 1) b", edges);
    char *sql = looked_up
                    ? sqlite3_mprintf("%swanted CROSS JOIN %s ON b.vertex = %s ORDER "
                                      "BY 1, 2",
                                      select, call, x)
                    : sqlite3_mprintf("%s%s CROSS JOIN wanted ON b.vertex = %s ORDER "
                                      "BY 1, 2",
                                      select, call, x);
    char *plan = ask("EXPLAIN QUERY PLAN %s", sql), *rows = ask("%s", sql);
    ck_assert_msg((strstr(plan, "AND vertex=?") != NULL) == looked_up, "%s: %s", sql,
                  plan);
    sqlite3_free(plan);
    sqlite3_free(call);
    sqlite3_free(sql);
    return rows;
}

static void expect_plans(const char *edges, const char *x, const char *looked_up,
                         const char *compared) {
    char *first = joined(edges, x, true), *other = joined(edges, x, false);
    ck_assert_msg(strcmp(first, looked_up) == 0, "%s, %s: looked up %s", edges, x, first);
    ck_assert_msg(strcmp(other, compared) == 0, "%s, %s: compared %s", edges, x, other);
    sqlite3_free(first);
    sqlite3_free(other);
}

START_TEST(plans_agree_where_types_do) {
    static const char *const same[][3] = {
        {"integers", "CAST(wanted.x AS INTEGER)", "1|'2';2|'2';3|'2';4|'2';5|'2'"},
        {"texts", "CAST(wanted.x AS TEXT)", "1|''2'';2|''2'';3|''02''"},
        {"plain", "wanted.x", "1|'2';2|''2'';3|''02'';4|'2'"},
        {"SELECT src, dst FROM plain", "wanted.x", "1|'2';2|''2'';3|''02'';4|'2'"},
        {"SELECT +src, +dst FROM integers", "CAST(wanted.x AS INTEGER)",
         "1|'2';2|'2';3|'2';4|'2';5|'2'"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        expect_plans(same[i][0], same[i][1], same[i][2], same[i][2]);
}
END_TEST

START_TEST(plans_differ_where_types_do) {
    expect_plans("integers", "wanted.x", "1|'2';2|'2';3|'2';4|'2';5|'2'", "1|'2';4|'2'");
    expect_plans("texts", "wanted.x", "1|''2'';2|''2'';3|''02'';4|''2''",
                 "2|''2'';3|''02''");
    /* The other column gives the comparison an affinity. */
    run("CREATE TABLE typed(n INTEGER PRIMARY KEY, x INTEGER); INSERT INTO typed(x) "
        "VALUES "
        "(2)");
    expect("'2'",
           "SELECT b.vertex FROM typed CROSS JOIN gpu_bfs('texts', 1) b ON b.vertex = "
           "typed.x");
    expect("'02';'2'", "SELECT b.vertex FROM gpu_bfs('texts', 1) b CROSS JOIN typed ON "
                       "b.vertex = typed.x ORDER BY 1");
}
END_TEST

START_TEST(what_is_looked_up) {
    static const char *const conditions[][3] = {
        /* the rows of a look-up, and of a comparison; NULL: SQLite never chooses it */
        {"vertex = '2'", "2", NULL},
        {"vertex IN ('2', '9')", "2", NULL},
        {"vertex = '2' OR vertex = '9'", "2", NULL}, /* SQLite makes it an IN */
        {"'2' = vertex AND depth < 9", "2", NULL},
        {"vertex = '2' OR depth = 7", "2", ""}, /* versions of SQLite differ */
        {"vertex = 2 OR depth = 7", "2", "2"},
        {"+vertex = '2'", NULL, ""},
        {"vertex = '2' COLLATE NOCASE", NULL, ""},
        {"vertex BETWEEN '2' AND '2'", NULL, ""},
        {"vertex IS '2'", NULL, ""},
        {"+vertex = 2", NULL, "2"},
    };
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        const char *where = conditions[i][0];
        char *plan =
            ask("EXPLAIN QUERY PLAN SELECT vertex FROM gpu_bfs('integers', 1) WHERE %s",
                where);
        const char *rows = conditions[i][strstr(plan, "AND vertex") != NULL ? 1 : 2];
        ck_assert_msg(rows != NULL, "%s: %s", where, plan);
        expect(rows, "SELECT vertex FROM gpu_bfs('integers', 1) WHERE %s", where);
        sqlite3_free(plan);
    }
}
END_TEST

const struct suite suite = {
    "vertex_types",
    {{"plans", .setup = setup, .teardown = sql_close,
      .cases = {{&plans_agree_where_types_do},
                {&plans_differ_where_types_do},
                {&what_is_looked_up}}}},
};
