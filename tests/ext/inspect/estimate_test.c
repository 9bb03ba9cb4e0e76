/* gpugraph_estimate: predictions for unread tables and for kept graphs, the rows that an
** estimate reads, and bad arguments. */
#include "backend/model.h"
#include "bfs/bfs.h"
#include "sql.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const char *sql) {
    char *rows = ask("%s", sql), *end;
    double value = strtod(rows, &end);
    ck_assert_msg(end > rows && !*end, "%s: %s", sql, rows);
    sqlite3_free(rows);
    return value;
}

#define ESTIMATE(column, edges, function)                                                \
    "SELECT " column " FROM gpugraph_estimate('" edges "', '" function                   \
    "') WHERE backend = 'cpu'"

#define MANY_ROWS                                                                        \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000) "
#define FEWER_ROWS                                                                       \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000) "

/* The table has 300,000 edges and 50,000 vertices. Its rowids are consecutive, far apart,
** or in two clusters. */
START_TEST(a_table_is_sized_by_a_sample) {
    static const char *const rowid[] = {"i", "i * 1000000",
                                        "i + (i > 150000) * 1000000000"};
    char sql[500];
    snprintf(sql, sizeof sql,
             "CREATE TABLE roads(id INTEGER PRIMARY KEY, src, dst);" MANY_ROWS
             "INSERT INTO roads SELECT %s, i * 7919 %% 50000, i * 104729 %% 50000 FROM n",
             rowid[_i]);
    run("%s", sql);
    double before = number(ESTIMATE("ms", "roads", "gpu_bfs"));
    double bytes = number(ESTIMATE("host_bytes", "roads", "gpu_bfs"));
    ck_assert(number("SELECT count(*) FROM gpugraph_graphs") == 0);
    ck_assert(number("SELECT count(*) FROM gpu_bfs('roads', 1)") > 0);
    double edges = number("SELECT edges FROM gpugraph_graphs");
    ck_assert(edges == 300000);
    double after = number(ESTIMATE("ms", "roads", "gpu_bfs"));
    double bytes_after = number(ESTIMATE("host_bytes", "roads", "gpu_bfs"));
    ck_assert_msg(after < before, "%g and then %g ms", before, after);
    /* For rowids in two distant clusters the estimate may be four times too high. */
    ck_assert_msg(bytes > bytes_after * 0.8 && bytes < bytes_after * (_i == 2 ? 4 : 1.2),
                  "%g and then %g bytes", bytes, bytes_after);
}
END_TEST

static int steps;

static int count_steps(void *unused) {
    (void)unused;
    steps++;
    return 0;
}

START_TEST(a_table_is_not_read) {
    run("CREATE TABLE roads(src, dst);" MANY_ROWS
        "INSERT INTO roads SELECT 'a' || i %% 977, i %% 1009 FROM n");
    sqlite3_progress_handler(db, 100, count_steps, NULL);
    number(ESTIMATE("ms", "roads", "gpu_mis"));
    ck_assert_int_lt(steps * 100, 300000 / 5); /* steps of SQLite's virtual machine */
}
END_TEST

START_TEST(of_every_function) {
    run("CREATE TABLE roads(src, dst, length); CREATE TABLE none(src, dst);"
        "INSERT INTO roads VALUES (1, 2, 3), (2, 'x', NULL), (NULL, 4, 1);"
        "CREATE TABLE keyed(src, dst, PRIMARY KEY(src, dst)) WITHOUT ROWID;"
        "INSERT INTO keyed SELECT src, dst FROM roads WHERE src NOT NULL;"
        "CREATE VIRTUAL TABLE graph USING gpugraph(roads(src, dst))");
    ck_assert(number("SELECT count(*) = (SELECT count(DISTINCT function) FROM "
                     "gpugraph_methods) FROM (SELECT DISTINCT function AS name FROM "
                     "gpugraph_methods) f, gpugraph_estimate('roads', f.name) e WHERE "
                     "e.backend = 'cpu' AND e.method IN (SELECT method FROM "
                     "gpugraph_methods m WHERE m.function = f.name AND m.backend = "
                     "'cpu') AND ms > 0 AND devices = 0 AND device_bytes = 0") == 1);
    ck_assert(number(ESTIMATE("chosen", "none", "gpu_path")) == 1);
    ck_assert(number(ESTIMATE("chosen", "keyed", "GPU_DFS")) == 1);
    number("SELECT count(*) FROM graph");
    ck_assert(number(ESTIMATE("chosen", "graph", "gpu_mis")) == 1);
    ck_assert(number("SELECT chosen FROM gpugraph_estimate WHERE function = "
                     "'gpu_bfs' AND edges = 'roads(dst, src)' AND backend = 'cpu'") == 1);
}
END_TEST

/* A matrix costs more with more cells. With many sources a contraction is the cheapest
** method. An ordered depth-first search is serial. Strong components cost more than weak
** ones. */
START_TEST(of_options) {
    static const char *const dear[][2] = {
        {"('roads', 'gpu_matrix') WHERE sources = '[1]'",
         "('roads', 'gpu_matrix') WHERE sources = '[1, 2, 3, 4]'"},
        {"('roads', 'gpu_matrix') WHERE sources = '[1, 2]'",
         "('roads', 'gpu_matrix') WHERE sources = '[1, 2, 3, 4]' AND targets = '[5, 6, "
         "7]'"},
        {"('roads', 'gpu_components') WHERE kind = 'weak'",
         "('roads', 'gpu_components') WHERE kind = 'strong'"}};
    run("CREATE TABLE roads(src, dst, weight);" FEWER_ROWS
        "INSERT INTO roads SELECT i * 7919 %% 50000, i * 104729 %% 50000, i FROM n");
    for (size_t i = 0; i < sizeof dear / sizeof *dear; i++) {
        double ms[2];
        for (int k = 0; k < 2; k++) {
            char *sql = sqlite3_mprintf(
                "SELECT ms FROM gpugraph_estimate%s AND backend = 'cpu'", dear[i][k]);
            ms[k] = number(sql);
            sqlite3_free(sql);
        }
        ck_assert_msg(ms[0] < ms[1], "%s: %g ms, %s: %g", dear[i][0], ms[0], dear[i][1],
                      ms[1]);
    }
    expect(
        "'serial'",
        "SELECT method FROM gpugraph_estimate('roads', 'gpu_dfs') WHERE ordered = 1 AND "
        "backend = 'cpu'");
    run("CREATE TABLE chain(src INTEGER, dst INTEGER, weight INTEGER);" FEWER_ROWS
        "INSERT INTO chain SELECT i, i + 1, i %% 7 FROM n");
    ck_assert(number("SELECT count(*) FROM gpu_sssp('chain', 1, 9)") == 1);
    for (int rows = 2; rows <= 200; rows *= 100) {
        char *sql = sqlite3_mprintf(
            "SELECT method FROM gpugraph_estimate('chain', 'gpu_matrix') WHERE sources = "
            "(WITH RECURSIVE p(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM p LIMIT %d) "
            "SELECT json_group_array(i) FROM p) AND backend = 'cpu'",
            rows);
        expect(rows == 2 ? "'rows'" : "'contraction'", sql);
        sqlite3_free(sql);
    }
    expect("7|3", "SELECT target, max_depth FROM gpugraph_estimate('roads', 'gpu_bfs') "
                  "WHERE target = 7 "
                  "AND max_depth = 3 AND backend = 'cpu'");
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH,
                  1000); /* the list is not part of the statement's text */
    expect("1", "SELECT count(*) FROM gpugraph_estimate('roads', 'gpu_matrix') WHERE "
                "sources = (SELECT json_group_array(rowid) FROM roads WHERE rowid < 999) "
                "AND backend = 'cpu'");
}
END_TEST

/* The test reports that searches with an early end were five times as fast as predicted.
** Afterwards only the estimates of such searches are lower. */
START_TEST(of_searches_that_end_early) {
    run("CREATE TABLE roads(src, dst);" FEWER_ROWS
        "INSERT INTO roads SELECT i * 7919 %% 50000, i * 104729 %% 50000 FROM n");
    run("SELECT count(*) FROM gpu_bfs('roads', 1)"); /* builds the CSR */
    const struct prediction predicted = {.search_ms = 100};
    gg_unlearn();
    for (int i = 0; i < LEARNED_RATIOS; i++) /* both classes of such searches */
        for (int like = 2; like <= 3; like++)
            gg_report_time(&gg_bfs, like, GPUGRAPH_CPU, &predicted, 20);
    double whole = number(ESTIMATE("ms", "roads", "gpu_bfs"));
    double part = number(ESTIMATE("ms", "roads", "gpu_bfs") " AND max_depth = 1");
    double target = number(ESTIMATE("ms", "roads", "gpu_bfs") " AND target = 9");
    ck_assert_msg(part < whole / 2, "%g ms, bounded %g", whole, part);
    ck_assert_msg(target == part, "%g ms with a bound, %g with a target", part, target);
    gg_unlearn();
}
END_TEST

START_TEST(bad_arguments) {
    run("CREATE TABLE roads(src, dst); CREATE VIEW ways AS SELECT * FROM roads;"
        "CREATE VIRTUAL TABLE graph USING gpugraph(roads(src, dst))");
#define FROM "SELECT * FROM gpugraph_estimate"
    expect_error("gpugraph_estimate", "the argument edges is missing", "%s", FROM);
    expect_error("gpugraph_estimate", "the argument function is missing", "%s",
                 FROM "('roads')");
    expect_error("gpugraph_estimate", "the argument function is missing", "%s",
                 FROM "('roads', NULL)");
    expect_error("gpugraph_estimate", "edges must be a text, not 7", "%s",
                 FROM "(7, 'gpu_bfs')");
    expect_error("gpugraph_estimate", "function must be a text, not a BLOB", "%s",
                 FROM "('roads', x'00')");
    expect_error("gpugraph_estimate",
                 "there is no function 'bfs' to estimate; there are gpu_bfs, "
                 "gpu_components, gpu_cores, gpu_degrees, gpu_dfs",
                 "%s", FROM "('roads', 'bfs')");
    expect_error("gpugraph_estimate", "no table or view 'road'", "%s",
                 FROM "('road', 'gpu_bfs')");
    expect_error("gpugraph_estimate", "a", "%s", FROM "('roads(a, b)', 'gpu_bfs')");
    expect_error("gpugraph_estimate", "name a table", "%s",
                 FROM "('SELECT 1, 2', 'gpu_bfs')");
    expect_error("gpugraph_estimate", "gpu_mis has no option max_depth", "%s",
                 FROM "('roads', 'gpu_mis') WHERE max_depth = 2");
    expect_error("gpugraph_estimate", "gpugraph_triangles has no option kind", "%s",
                 FROM "('roads', 'gpugraph_triangles') WHERE kind = 'weak'");
    expect_error("gpugraph_estimate", "sources must be a JSON array", "%s",
                 FROM "('roads', 'gpu_matrix') WHERE sources = 7");
    expect_error("gpugraph_estimate", "max_depth must be a number that is 0 or more",
                 "%s", FROM "('roads', 'gpu_bfs') WHERE max_depth = 'x'");
    expect_error("gpugraph_estimate", "max_distance must be a number that is 0 or more",
                 "%s", FROM "('roads', 'gpu_sssp') WHERE max_distance = -1");
    expect_error("gpugraph_estimate", "kind must be 'weak' or 'strong'", "%s",
                 FROM "('roads', 'gpu_components') WHERE kind = 'odd'");
    expect_error("gpugraph_estimate", "the number of edges of main.ways", "%s",
                 FROM "('ways', 'gpu_bfs')");
}
END_TEST

const struct suite suite = {
    "estimate",
    {{"all", .timeout = 60, .setup = sql_open, .teardown = sql_close,
      .cases = {{&a_table_is_sized_by_a_sample, 3},
                {&a_table_is_not_read},
                {&of_every_function},
                {&of_options},
                {&of_searches_that_end_early},
                {&bad_arguments}}}},
};
