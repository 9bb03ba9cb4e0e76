/* host_memory_limit: if the limit is too small, every function fails with one sentence.
** With a larger limit it gives its rows on the same connection.
**
**     limit    1   2   4   8  ...  2^k        0
**              x   x   x   x       rows       rows       x: "host_memory_limit is
**                                                        exhausted: ..." */
#include "function_examples.h"
#include "sql.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

static void open_tables(void) {
    sql_open();
    run("CREATE TABLE t(src, dst, weight); WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL "
        "SELECT "
        "i + 1 FROM c LIMIT 900) INSERT INTO t SELECT i %% 300, i * 7919 %% 65537 %% "
        "301, i %% "
        "9 + 1 "
        "FROM c;"
        "CREATE VIRTUAL TABLE f USING gpugraph(t(src, dst, weight));"
        "CREATE TABLE roads AS SELECT src, dst, weight FROM t WHERE src < dst;"
        "SELECT gpugraph_config('cache_limit', 0), gpugraph_config('backend', 'cpu')");
}

/* %s: the table, or the graph that follows it. */
static const char *const statements[] = {
    "SELECT *, source FROM gpu_bfs('%s', 1)",
    "SELECT vertex FROM gpu_bfs('%s', 1) WHERE method = 'multi-source' ORDER BY depth",
    "SELECT vertex, depth FROM gpu_bfs('%s', 1) WHERE max_depth = 1",
    "SELECT source, vertex, depth FROM gpu_bfs('%s') WHERE source IN (1, 2, 3, 8)",
    "SELECT *, source FROM gpu_sssp('%s', 1) ORDER BY distance",
    "SELECT vertex, distance FROM gpu_sssp('%s', 1) WHERE method = 'dijkstra'",
    "SELECT source, vertex, edge FROM gpu_sssp('%s') WHERE source IN (1, 2, 3, 8)",
    "SELECT * FROM gpu_path('%s', 1, 9)",
    "SELECT * FROM gpu_path('%s', 1, 9) WHERE method = 'bidirectional'",
    "SELECT vertex FROM gpu_path('%s', 1) WHERE target IN (3, 4, 9)",
    "SELECT * FROM gpu_paths('%s', 1, 9, 20)",
    "SELECT * FROM gpu_matrix('%s', '[1, 8, 3]', '[3, 4, 1, 99]')",
    "SELECT * FROM gpu_matrix('%s', '[1, 8, 3]') WHERE method = 'contraction'",
    "SELECT * FROM gpu_matrix('%s', '[1, 8, 3]') WHERE weighted = 0",
    "SELECT * FROM gpu_dfs('%s', 1) WHERE ordered = 1",
    "SELECT vertex FROM gpu_dfs('%s')",
    "SELECT * FROM gpu_mis('%s') WHERE method = 'greedy'",
    "SELECT * FROM gpu_components('%s') WHERE kind = 'strong'",
    "SELECT * FROM gpu_pagerank('%s') WHERE weighted = 1 ORDER BY rank DESC",
    "SELECT gpugraph_triangles('%s')",
};

enum { STATEMENTS = sizeof statements / sizeof *statements };

static void set_limit(sqlite3_int64 bytes) {
    run("SELECT gpugraph_config('host_memory_limit', %lld)", bytes);
}

/* Doubles the limit until the statement works. Returns the number of failures. */
static int raise_limits(const char *sql) {
    set_limit(0);
    char *wanted = ask("%s", sql);
    int refused = 0;
    ck_assert_msg(strncmp(wanted, "error", 5) != 0, "%s: %s", sql, wanted);
    for (sqlite3_int64 limit = 1;; limit *= 2, refused++) {
        set_limit(limit);
        char *got = ask("%s", sql);
        const bool done = strcmp(got, wanted) == 0;
        ck_assert_msg(done || (strstr(got, ": host_memory_limit is exhausted: ") &&
                               strstr(got, " bytes more are needed, ")),
                      "%s\nlimit %lld: %s", sql, limit, got);
        sqlite3_free(got);
        set_limit(0);
        got = ask("%s", sql);
        ck_assert_msg(strcmp(got, wanted) == 0, "%s\nafter limit %lld: %s", sql, limit,
                      got);
        sqlite3_free(got);
        if (done)
            break;
    }
    sqlite3_free(wanted);
    return refused;
}

START_TEST(every_function) {
    char sql[400];
    const char *const graphs[] = {"t", "f"};
    for (int i = 0; i < 2; i++) {
        sqlite3_snprintf(sizeof sql, sql, statements[_i], graphs[i]);
        for (int threads = 1; threads <= 2; threads++) {
            run("SELECT gpugraph_config('threads', %d)", threads);
            ck_assert_msg(raise_limits(sql) > 4, "%s", sql);
        }
    }
}
END_TEST

START_TEST(every_example) {
    char sql[EXAMPLE_BYTES];
    ck_assert_msg(raise_limits(example_of(_i, sql)) > 4, "%s", sql);
}
END_TEST

/* A call for all paths: more than the memory of a machine can hold. */
START_TEST(all_paths) {
    set_limit(10000000);
    expect_error("gpu_paths", " of 10000000 are in use; raise host_memory_limit",
                 "SELECT count(*) FROM gpu_paths('t', 1, 9, 1000000000)");
}
END_TEST

/* The limit does not count the memory for following a change of the table. */
START_TEST(a_followed_graph_follows) {
    char *wanted = ask("SELECT count(*) FROM gpu_components('f')");
    set_limit(1);
    run("INSERT INTO t(src, dst, weight) VALUES (1, 2, 3)");
    expect_error("gpu_bfs", "host_memory_limit is exhausted",
                 "SELECT * FROM gpu_bfs('f', 1)");
    expect("'ok'", "SELECT gpugraph_check('f')");
    set_limit(0);
    expect(wanted, "SELECT count(*) FROM gpu_components('f')");
    sqlite3_free(wanted);
}
END_TEST

START_TEST(values) {
    expect("0", "SELECT gpugraph_config('host_memory_limit')");
    expect_error("gpugraph_config", "host_memory_limit takes bytes",
                 "SELECT gpugraph_config('host_memory_limit', -1)");
    expect_error("gpugraph_config", "host_memory_limit takes bytes",
                 "SELECT gpugraph_config('host_memory_limit', '2 GB')");
    expect("1000", "SELECT gpugraph_config('host_memory_limit', 1000)");
    expect("0", "SELECT gpugraph_config('host_memory_limit', NULL)");
}
END_TEST

const struct suite suite = {
    "host_memory",
    {{"host_memory", .timeout = 120, .setup = open_tables, .teardown = sql_close,
      .cases = {{&every_function, STATEMENTS},
                {&every_example, .count = example_count},
                {&all_paths},
                {&a_followed_graph_follows},
                {&values}}}},
};
