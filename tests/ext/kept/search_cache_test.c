/* Searches run once and are kept, within a statement and between statements. The test
** counts searches by the totals that gpugraph_timings shows from row to row, since each
** search has its own total. */
/* ctest: serial */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpugraph_extension.h"
#include "suite.h"
#include "sql.h"

/* Counts the searches of a statement: the distinct totals in its last column. */
static int searches_of(const char *format, ...) {
    va_list values;
    va_start(values, format);
    char *sql = sqlite3_vmprintf(format, values), last[64] = "";
    va_end(values);
    int searches = 0;
    sqlite3_stmt *statement;
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK,
                  "%s: %s", sql, sqlite3_errmsg(db));
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *total = (const char *)sqlite3_column_text(
            statement, sqlite3_column_count(statement) - 1);
        if (total && strcmp(total, last) != 0)
            searches++;
        snprintf(last, sizeof last, "%s", total ? total : "");
    }
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    return searches;
}

#define TOTAL(column)                                                                    \
    "(SELECT ms || '' FROM gpugraph_timings WHERE phase = 'total' AND " column           \
    " IS NOT NULL)"

START_TEST(joins_and_subqueries_share_searches) {
    make_random("g", 60, 200, 5);
    run("CREATE TABLE t(id); INSERT INTO t SELECT DISTINCT src FROM g; CREATE TABLE "
        "two(id); INSERT INTO two VALUES(1), "
        "(2); CREATE VIEW v AS SELECT src, dst, weight FROM g");
    /* The first target or vertex ends its search early; the second makes the search that
    ** serves all others. */
    ck_assert_int_eq(
        searches_of("SELECT b.depth, " TOTAL("t.id") " FROM t, gpu_bfs('g', 1, t.id) b"),
        2);
    ck_assert_int_eq(searches_of("SELECT b.distance, " TOTAL(
                         "t.id") " FROM t, gpu_sssp('v', 1, t.id) b"),
                     2);
    ck_assert_int_eq(
        searches_of("SELECT p.seq, " TOTAL("t.id") " FROM t, gpu_path('v', 1, t.id) p"),
        2);
    ck_assert_int_eq(
        searches_of(
            "SELECT (SELECT depth FROM gpu_bfs('v', 1, t.id)), " TOTAL("t.id") " FROM t"),
        2);
    ck_assert_int_eq(
        searches_of(
            "SELECT (SELECT depth FROM gpu_bfs('v', 1) WHERE vertex = t.id), " TOTAL(
                "t.id") " FROM t"),
        2);
    ck_assert_int_eq(searches_of("SELECT b.depth, " TOTAL(
                         "t.id") " FROM t CROSS JOIN gpu_bfs('v', 1) b ON b.vertex = "
                                 "t.id"),
                     2);
    ck_assert_int_eq(searches_of("SELECT b.depth, " TOTAL(
                         "t.id") " FROM t CROSS JOIN gpu_bfs('v', 1) b ON b.depth <= "
                                 "t.id"),
                     2);
    ck_assert_int_eq(searches_of("SELECT vertex, " TOTAL(
                         "vertex") " FROM gpu_bfs('v', 1) WHERE target IN (SELECT id "
                                   "FROM t)"),
                     1);
    ck_assert_int_eq(searches_of("SELECT vertex, " TOTAL(
                         "vertex") " FROM gpu_path('v', 1) WHERE target IN (3, 4, 5, "
                                   "6)"),
                     1);
    ck_assert_int_eq(searches_of("SELECT vertex, " TOTAL(
                         "vertex") " FROM gpu_bfs('v', 1) WHERE vertex IN (3, 4, 5)"),
                     1);
    /* The first source alone, then the others together. */
    ck_assert_int_eq(searches_of("SELECT b.vertex, " TOTAL(
                         "b.vertex") " FROM gpu_bfs('v') b WHERE source IN (1, 2, 3)"),
                     2);
    ck_assert_int_eq(
        searches_of(
            "SELECT two.id, (SELECT sum(depth) FROM gpu_bfs('v', two.id)), " TOTAL(
                "two.id") " FROM "
                          "two, t ORDER BY two.id + 0"),
        2);
    ck_assert_int_eq(
        searches_of("SELECT b.depth, " TOTAL("t.id") " FROM t, gpu_dfs('v', 1) b"), 1);
    ck_assert_int_eq(
        searches_of("SELECT gpugraph_triangles('v'), " TOTAL("t.id") " FROM t"), 1);
    /* A known bound remains a bound when targets vary. */
    ck_assert_int_eq(searches_of("SELECT b.depth, " TOTAL(
                         "t.id") " FROM t, gpu_bfs('v', 1, t.id) b WHERE max_depth = 30"),
                     2);
    /* The rows equal those of a fresh search. */
    expect_same(
        "SELECT t.id, b.depth FROM t LEFT JOIN gpu_bfs('g', 1, t.id) b ORDER BY t.id",
        "SELECT t.id, b.depth FROM t LEFT JOIN (SELECT * FROM gpu_bfs('g', 1) LIMIT -1) "
        "b ON b.vertex = t.id "
        "ORDER BY t.id");
    expect_same("SELECT t.id, b.depth FROM t JOIN gpu_bfs('g', 1) b ON b.target = t.id "
                "AND b.depth < 3 ORDER BY t.id",
                "SELECT t.id, b.depth FROM t JOIN (SELECT * FROM gpu_bfs('g', 1) LIMIT "
                "-1) b ON b.vertex = t.id "
                "WHERE b.depth < 3 ORDER BY t.id");
    expect_same("SELECT id, (SELECT group_concat(vertex) FROM gpu_path('g', 1, id)) FROM "
                "t ORDER BY id",
                "SELECT id, (SELECT group_concat(vertex) FROM (SELECT vertex FROM "
                "gpu_path('g', 1) WHERE target IN (SELECT "
                "id FROM t) AND +target = t.id ORDER BY seq)) FROM t ORDER BY id");
}
END_TEST

/* In a call with `sources`, a join may compare the column `source` of the answer. A value
** for the argument `source` is an error. */
START_TEST(a_join_on_the_nearest_source) {
    run("CREATE TABLE g(src, dst, weight); INSERT INTO g VALUES(1, 2, 1), (2, 3, 1), (9, "
        "3, 1);"
        "CREATE TABLE l(node, name); INSERT INTO l VALUES(1, 'one'), (9, 'nine')");
    expect("1|'one';2|'one';3|'nine';9|'nine'",
           "SELECT vertex, name FROM gpu_bfs('g') b JOIN l ON l.node = b.source "
           "WHERE sources = '[1, 9]' ORDER BY vertex");
    expect_error("gpu_bfs", "both source and sources are given",
                 "SELECT vertex FROM gpu_bfs('g', 1) WHERE sources = '[1, 9]'");
}
END_TEST

/* A search that a running statement needs again is kept, however low the limit. */
START_TEST(subqueries_share_searches_without_a_cache) {
    make_random("g", 60, 200, 5);
    run("CREATE TABLE t(id); INSERT INTO t SELECT DISTINCT src FROM g;"
        "SELECT gpugraph_config('cache_limit', 0)");
    ck_assert_int_eq(searches_of("SELECT (SELECT depth FROM gpu_bfs('g', 1) WHERE vertex "
                                 "= t.id), " TOTAL("t.id") " FROM t"),
                     2);
    /* Two searches in the first row, which shows the second of them, and one in the next
    ** row. */
    ck_assert_int_eq(searches_of("SELECT (SELECT distance FROM gpu_sssp('g', 1, t.id)), "
                                 "(SELECT depth FROM gpu_bfs('g', 2) WHERE vertex = "
                                 "t.id), " TOTAL("t.id") " FROM t"),
                     2);
    ck_assert_int_eq(
        searches_of("SELECT gpugraph_triangles('g'), " TOTAL("t.id") " FROM t"), 1);
    expect("0", "SELECT count(*) FROM gpugraph_graphs");
}
END_TEST

/* A key distinguishes a bound of 0 from no bound, although the number is 0 in both. */
START_TEST(a_bound_of_nothing_is_kept_apart) {
    run("CREATE TABLE g(src, dst, weight); INSERT INTO g VALUES(1, 2, 5), (2, 3, 5)");
    expect("", "SELECT vertex FROM gpu_sssp('g', 1, 2) WHERE max_distance = 0");
    expect("2|5", "SELECT vertex, distance FROM gpu_sssp('g', 1, 2)");
    expect("", "SELECT vertex FROM gpu_sssp('g', 1, 3) WHERE distance < 0.5");
    expect("3|10", "SELECT vertex, distance FROM gpu_sssp('g', 1, 3)");
}
END_TEST

/* An unordered tree does not serve a call for the ordered tree. */
START_TEST(an_ordered_tree_is_kept_apart) {
    run("CREATE TABLE g(src, dst); INSERT INTO g VALUES(1, 9), (1, 2), (2, 9), (9, 2), "
        "(1, 5), "
        "(5, 2), (9, 5)");
    run("SELECT parent, preorder FROM gpu_dfs('g', 1)");
    expect("1|-|0;2|1|1;5|9|3;9|2|2",
           "SELECT vertex, parent, preorder FROM gpu_dfs('g', 1) WHERE ordered = 1");
}
END_TEST

static int bytes_after(const char *sql) {
    run("%s", sql);
    char *bytes = ask("SELECT host_bytes FROM gpugraph_graphs");
    int count = atoi(bytes);
    sqlite3_free(bytes);
    return count;
}

/* A search that a limit ends may end elsewhere in another run, with a tree of other
** vertices. So the extension adds a tree to the answer of a whole search, and replaces
** the answer of a search with a limit. */
START_TEST(what_a_limit_has_cut_does_not_grow) {
    make_random("g", 60, 200, 5);
    for (int limit = 0; limit < 2; limit++) {
        run("SELECT gpugraph_config('cache_limit', 0), gpugraph_config('cache_limit', "
            "NULL)");
        const char *tail = limit ? "ORDER BY distance LIMIT 5" : "ORDER BY distance";
        char *first = sqlite3_mprintf("SELECT vertex FROM gpu_sssp('g', 2) %s", tail);
        char *second =
            sqlite3_mprintf("SELECT vertex, parent FROM gpu_sssp('g', 2) %s", tail);
        int none = bytes_after(
            "SELECT gpugraph_triangles('g'); SELECT vertex FROM gpu_sssp('g', "
            "1)");
        int one = bytes_after(first), two = bytes_after(second),
            again = bytes_after(first);
        ck_assert_int_eq(two - one > one - none, limit);
        ck_assert_int_eq(again, two);
        sqlite3_free(first);
        sqlite3_free(second);
    }
}
END_TEST

START_TEST(kept_searches_leave_the_timings) {
    make_random("g", 60, 200, 5);
    run("SELECT * FROM gpu_bfs('g', 1)");
    char *first = ask("SELECT * FROM gpugraph_timings");
    run("SELECT * FROM gpu_bfs('g', 1); SELECT vertex FROM gpu_bfs('g', 1) WHERE vertex "
        "= 4; SELECT 1 FROM "
        "gpu_bfs('g', 1, 5)");
    expect(first, "SELECT * FROM gpugraph_timings");
    run("SELECT * FROM gpu_bfs('g', 2)");
    char *second = ask("SELECT * FROM gpugraph_timings");
    ck_assert_str_ne(first, second);
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'total'");
    expect("1", "SELECT sum(ms) <= 2 * max(ms) + 0.001 FROM gpugraph_timings");
    sqlite3_free(first);
    sqlite3_free(second);
    /* An edge source is a query that itself searches. The time of this search is part of
    ** the phase "read", and there is one total. */
    run("SELECT * FROM gpu_bfs('SELECT parent, vertex FROM gpu_bfs(''g'', 3) WHERE "
        "parent IS NOT NULL', 3)");
    expect("1|1",
           "SELECT sum(phase = 'total'), sum(phase = 'read') FROM gpugraph_timings");
    run("INSERT INTO g VALUES(1, 100, 1)");
    expect("1", "SELECT depth FROM gpu_bfs('g', 1, 100)");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
}
END_TEST

/* The work of other calls is reported as a separate search or not at all, but never after
** the total. */
START_TEST(timings_go_on_after_other_work) {
    static const char phases[] = "SELECT group_concat(phase = 'total', '') LIKE '%%01', "
                                 "sum(phase = '%s') FROM gpugraph_timings";
    run("CREATE TABLE g(src INTEGER, dst INTEGER); INSERT INTO g VALUES(1, 2), (2, 3);"
        "CREATE VIRTUAL TABLE f USING gpugraph(g(src, dst), persist=1)");
    expect("1|1", phases, "read");
    run("SELECT * FROM gpu_bfs('f', 1)");
    expect("1|1", phases, "search");
    expect("2", "SELECT dst FROM f WHERE src = 1");
    expect("1|1", phases, "csr");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'search'");
    char *first = ask("SELECT * FROM gpugraph_timings");
    expect("3", "SELECT dst FROM f WHERE src = 2");
    expect(first, "SELECT * FROM gpugraph_timings");
    sqlite3_free(first);
    run("SELECT gpugraph_save('f'); SELECT gpugraph_check('f')");
    expect("1|1", phases, "follow");
    run("SELECT * FROM gpu_bfs('f', 2)");
    expect("1|1", phases, "search");
    run("INSERT INTO g VALUES(3, 4)");
    expect("4", "SELECT dst FROM f WHERE src = 3");
    expect("1|1", phases, "follow");
    run("SELECT * FROM gpu_bfs('f', 3)");
    expect("1|1", phases, "search");
}
END_TEST

START_TEST(trees_and_orders_are_added_to_what_is_kept) {
    make_random("g", 60, 200, 5);
    expect_same("SELECT vertex, depth FROM gpu_bfs('g', 1)",
                "SELECT vertex, depth FROM gpu_bfs('g', 1) WHERE edge IS "
                "edge");
    expect_same("SELECT a.vertex, b.parent FROM gpu_bfs('g', 1) a, gpu_bfs('g', 1) b "
                "WHERE a.vertex = b.vertex",
                "SELECT vertex, parent FROM gpu_bfs('g', 1)");
    expect_same("SELECT vertex, source FROM gpu_sssp('g') WHERE sources = '[1, 2]' AND "
                "distance = 0",
                "SELECT vertex, vertex FROM gpu_sssp('g') WHERE sources = '[1, 2]' AND "
                "distance = 0");
    expect_same("SELECT a.vertex FROM gpu_dfs('g', 1) a JOIN gpu_dfs('g', 1) b "
                "USING(vertex) ORDER BY b.preorder",
                "SELECT vertex FROM gpu_dfs('g', 1) ORDER BY preorder");
}
END_TEST

/* Runs a statement for this vertex, and checks the depth in the first row. Returns the
** number of vertices that the latest search has reached. */
static int looked_at(sqlite3_stmt *statement, int vertex, int depth) {
    sqlite3_bind_int(statement, 1, vertex);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    ck_assert_int_eq(sqlite3_column_int(statement, 0), depth);
    while (sqlite3_step(statement) == SQLITE_ROW)
        ;
    sqlite3_reset(statement);
    char *items = ask("SELECT max(items) FROM gpugraph_timings WHERE phase = 'search'");
    int count = atoi(items);
    sqlite3_free(items);
    return count;
}

/* A parameter has one value during a run of the statement, so the first search ends at
** this vertex. The search for another vertex is whole and serves all later runs. */
START_TEST(a_vertex_by_parameter_ends_the_search) {
    static const char *const statements[] = {
        "SELECT depth FROM gpu_bfs('%s', 1) WHERE vertex = ?1",
        "SELECT b.depth FROM gpu_bfs('%s', 1) b WHERE ?1 = b.vertex",
        "SELECT depth FROM gpu_bfs('%s', 1) WHERE vertex = (SELECT max(?1, 0))",
        "SELECT depth FROM gpu_bfs('%s', 1) AS b WHERE (SELECT +?1) = b.vertex",
        "SELECT max(depth) FROM gpu_bfs('%s', 1) WHERE vertex IN (?1, 3)",
        "SELECT max(depth) FROM gpu_bfs('%s', 1) b WHERE b.vertex IN (SELECT max(?1, 0))",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        char name[20];
        snprintf(name, sizeof name, "path%zu", i);
        run("CREATE TABLE %s(src, dst); INSERT INTO %s WITH RECURSIVE c(i) AS (VALUES "
            "(1) UNION ALL SELECT i + 1 FROM c WHERE i < 999) SELECT i, i + 1 FROM c",
            name, name);
        char *sql = sqlite3_mprintf(statements[i], name);
        sqlite3_stmt *s;
        ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, "%s: %s",
                      sql, sqlite3_errmsg(db));
        ck_assert_int_eq(looked_at(s, 5, 4), 5);
        ck_assert_int_eq(looked_at(s, 5, 4), 5);
        ck_assert_int_eq(looked_at(s, 7, 6), 1000);
        ck_assert_int_eq(looked_at(s, 900, 899), 1000);
        sqlite3_finalize(s);
        sqlite3_free(sql);
    }
    run("CREATE TABLE far(src, dst); INSERT INTO far SELECT * FROM path0");
    ck_assert_int_eq(searches_of("SELECT depth, " TOTAL(
                         "src") " FROM far CROSS JOIN "
                                "gpu_bfs('far', 1) b ON b.vertex = src"),
                     2);
    ck_assert_int_eq(
        searches_of("SELECT (SELECT max(depth) FROM gpu_bfs('far', 1) WHERE vertex IN "
                    "(src, dst)), " TOTAL("src") " FROM far"),
        1);
    ck_assert_int_eq(
        searches_of("SELECT (SELECT max(depth) FROM gpu_bfs('far', 2) WHERE vertex IN "
                    "(4, 5, 'x')), " TOTAL("src") " FROM far"),
        1);
    expect("4", "SELECT max(items) FROM gpugraph_timings WHERE phase = 'search'");
}
END_TEST

const struct suite suite = {
    "search_cache",
    {{"search_cache", .timeout = 60, .setup = sql_open, .teardown = sql_close,
      .cases = {{&joins_and_subqueries_share_searches},
                {&a_join_on_the_nearest_source},
                {&a_vertex_by_parameter_ends_the_search},
                {&subqueries_share_searches_without_a_cache},
                {&a_bound_of_nothing_is_kept_apart},
                {&an_ordered_tree_is_kept_apart},
                {&what_a_limit_has_cut_does_not_grow},
                {&kept_searches_leave_the_timings},
                {&timings_go_on_after_other_work},
                {&trees_and_orders_are_added_to_what_is_kept}}}},
};
