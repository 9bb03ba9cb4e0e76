/* Values for the parameters of a query that is an edge source. They come from a JSON
** array, wherever it comes from, as SQLite's JSON functions give them. Each array makes
** another graph. */
/* ctest: serial */
#include "gpugraph_extension.h"
#include "suite.h"
#include "sql.h"
#include "sqlite_memory.h"

#include <string.h>

static void setup(void) {
    sql_open();
    run("CREATE TABLE roads(a, b, km, city);"
        "INSERT INTO roads VALUES (1, 2, 5, 'Oslo'), (2, 3, 50, 'Oslo'), (1, 4, 5, "
        "'Bergen'),"
        " (4, 5, 2.5, 'Bergen'), (1, 6, 1, NULL), (1, 7, 1, 'it''s'), (1, 8, 1, 7);"
        "CREATE TABLE cities(city, most); INSERT INTO cities VALUES ('Oslo', 10),"
        " ('Bergen', 10), (NULL, NULL)");
}

#define QUERY "'SELECT a, b, km FROM roads WHERE city = :city'"

START_TEST(all_functions_take_params) {
    expect("1;2;3", "SELECT vertex FROM gpu_bfs(" QUERY ", 1) WHERE params = "
                    "json_array('Oslo') ORDER BY 1");
    expect("1|0;4|5.0;5|7.5",
           "SELECT vertex, CASE vertex WHEN 1 THEN 0 ELSE distance END FROM "
           "gpu_sssp(" QUERY ", 1) WHERE params = '[\"Bergen\"]' ORDER BY 1");
    expect("1;2;3", "SELECT vertex FROM gpu_path(" QUERY ", 1, 3) WHERE params = "
                    "json_array('Oslo') ORDER BY seq");
    expect("1;4;5", "SELECT vertex FROM gpu_dfs(" QUERY ", 1) WHERE params = "
                    "json_array('Bergen') ORDER BY 1");
    expect("1;3",
           "SELECT vertex FROM gpu_mis(" QUERY ") WHERE params = json_array('Oslo') "
           "AND priority = 'id' ORDER BY 1");
    expect("'[\"Oslo\"]'",
           "SELECT DISTINCT params FROM gpu_bfs(" QUERY ", 1) WHERE params = "
           "json_array('Oslo')");
}
END_TEST

/* Every type that SQLite's JSON has. ?3, ?1 and :x in the places of their numbers. */
START_TEST(values_and_their_places) {
    static const char *const values[][2] = {
        {"null", "'null'"},
        {"1", "'integer'"},
        {"-9223372036854775808", "'integer'"},
        {"1.5", "'real'"},
        {"2.0", "'real'"},
        {"\"x\"", "'text'"},
        {"\"\"", "'text'"},
        {"true", "'integer'"},
        {"\"[1]\"", "'text'"},
        {"\"it''s\"", "'text'"},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        expect(values[i][1],
               "SELECT vertex FROM gpu_bfs('SELECT 1, typeof(?1)', 1) WHERE "
               "params = '[%s]' AND depth = 1",
               values[i][0]);
        char *got =
            ask("SELECT vertex FROM gpu_bfs('SELECT 1, quote(?)', 1) WHERE params = "
                "'[%s]' AND depth = 1",
                values[i][0]);
        char *want = ask("SELECT quote(value) FROM json_each('[%s]')", values[i][0]);
        ck_assert_str_eq(got, want);
        sqlite3_free(got);
        sqlite3_free(want);
    }
    expect("'bac'",
           "SELECT vertex FROM gpu_bfs('SELECT 1, ?2 || ?1 || :x', 1) WHERE params "
           "= json_array('a', 'b', 'c') AND depth = 1");
    expect("'aba'",
           "SELECT vertex FROM gpu_bfs('SELECT 1, @x || $y || @x', 1) WHERE params "
           "= json_array('a', 'b') AND depth = 1");
    expect("2", "SELECT vertex FROM gpu_bfs('SELECT 1, 2', 1) WHERE params = '[ ]' AND "
                "depth = 1");
    expect("2", "SELECT vertex FROM gpu_bfs('SELECT 1, 2', 1) WHERE params = NULL AND "
                "depth = 1");
}
END_TEST

START_TEST(one_graph_for_each_array) {
    expect("'Bergen'|3;'Oslo'|3;-|0",
           "SELECT city, (SELECT count(*) FROM gpu_bfs(" QUERY ", 1) WHERE params = "
           "json_array(city)) FROM cities ORDER BY city IS NULL, city");
    expect("'Bergen'|1;'Bergen'|4;'Bergen'|5;'Oslo'|1;'Oslo'|2;'Oslo'|3",
           "SELECT city, vertex FROM cities, gpu_bfs(" QUERY ", 1) WHERE params = "
           "json_array(city) ORDER BY 1, 2");
    expect(
        "'Oslo'|2;'Bergen'|3",
        "SELECT city, count(*) FROM cities, gpu_bfs('SELECT a, b FROM roads WHERE city = "
        "?1 AND km < ?2', 1) WHERE params = json_array(city, most) GROUP BY city ORDER "
        "BY "
        "2");
    expect("3|3|7",
           "SELECT (SELECT count(*) FROM gpu_bfs(" QUERY ", 1) WHERE params = "
           "'[\"Oslo\"]'), (SELECT count(*) FROM gpu_bfs(" QUERY ", 1) WHERE params "
           "= '[\"Bergen\"]'), (SELECT count(*) FROM gpu_bfs('SELECT a, b FROM "
           "roads WHERE :city OR 1', 1) WHERE params = '[1]') - 1");
    expect("1;2;3;4;5",
           "SELECT DISTINCT vertex FROM gpu_bfs(" QUERY ", 1) WHERE params IN "
           "('[\"Oslo\"]', '[\"Bergen\"]') ORDER BY 1");
    /* Equal arrays share one graph and one search. */
    run("SELECT gpugraph_config('cache_limit', NULL)");
    expect("1",
           "SELECT count(DISTINCT (SELECT group_concat(vertex) FROM gpu_bfs('SELECT 1, "
           "random() + :x', 1) WHERE params = '[0]')) FROM roads");
    expect("2",
           "SELECT count(DISTINCT (SELECT group_concat(vertex) FROM gpu_bfs('SELECT 1, "
           "random() + :x', 1) WHERE params = json_array(r.a > 1))) FROM roads r");
}
END_TEST

START_TEST(values_are_values) {
    /* Stored, computed or through a view: no value becomes SQL. */
    run("CREATE TABLE stored(q); INSERT INTO stored VALUES ('x'' UNION SELECT 1, 9 --')");
    expect("1", "SELECT count(*) FROM stored, gpu_bfs('SELECT 1, :x', 1) WHERE params = "
                "json_array(q) AND vertex = q");
    /* No value becomes a query inside the query. */
    run("UPDATE stored SET q = 'SELECT 1, 9'");
    static const char *const nested[] = {
        "SELECT * FROM stored, gpu_bfs('SELECT vertex, 3 FROM gpu_bfs(:inner, 1)', 1)"
        " WHERE params = json_array(q)",
        "SELECT * FROM gpu_bfs('SELECT vertex, 3 FROM gpu_bfs(:inner, 1)', 1)"
        " WHERE params = json_array('SELECT 1, 9')",
    };
    for (int i = 0; i < 2; i++) {
        char *rows = ask("%s", nested[i]);
        ck_assert_msg(strstr(rows, "a query must stand in the call itself") != NULL,
                      "%s: %s", nested[i], rows);
        sqlite3_free(rows);
    }
    expect("2",
           "SELECT count(*) FROM gpu_bfs('SELECT vertex, 3 FROM gpu_bfs(:inner, 1)', 1)"
           " WHERE params = json_array('roads(a, b)')");
}
END_TEST

START_TEST(wrong_params_are_explained) {
    static const char *const wrong[][3] = {
        {QUERY, "NULL",
         "the query in edges has 1 parameter (:city), and params holds 0 "
         "values; give one for each"},
        {QUERY, "'[]'",
         "the query in edges has 1 parameter (:city), and params holds 0 "
         "values; give one for each"},
        {QUERY, "'[1, 2]'",
         "the query in edges has 1 parameter (:city), and params holds 2 "
         "values; give one for each"},
        {"'SELECT ?, ?2 + :x'", "'[1]'",
         "has 3 parameters (?, ?2, :x), and params holds 1 "
         "value; give one for each"},
        {"'SELECT 1, 2'", "'[1]'",
         "the query in edges has no parameter, and params holds 1 "
         "value"},
        {"'SELECT 1, ?5'", "'[1]'", "has 5 parameters ("},
        {QUERY, "'[1'",
         "the argument params must be a JSON array, as json_array() "
         "makes it, not '[1'"},
        {QUERY, "'\"Oslo\"'", "must be a JSON array"},
        {QUERY, "'{\"city\": 1}'", "must be a JSON array"},
        {QUERY, "''", "must be a JSON array"},
        {QUERY, "1", "must be a JSON array, as json_array() makes it, not 1"},
        {QUERY, "x'5b315d'",
         "must be a JSON array, as json_array() makes it, not a "
         "BLOB"},
        {QUERY, "'[[1]]'",
         "value 1 of params is an array; a parameter takes a number, a "
         "text or null"},
        {QUERY, "'[1, {}]'", "value 2 of params is an object"},
        {QUERY, "'[\"a\\u0000b\"]'",
         "params holds \\u0000, where SQLite's JSON ends a text"},
        {"'roads(a, b)'", "'[1]'",
         "params holds values for a query, and edges is none; leave "
         "params out"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_error("gpu_bfs", wrong[i][2],
                     "SELECT * FROM gpu_bfs(%s, 1) WHERE params = %s", wrong[i][0],
                     wrong[i][1]);
    expect_error(
        "gpu_mis",
        "the query in vertices has a parameter (?), and params is for the one in "
        "edges",
        "SELECT * FROM gpu_mis('SELECT 1, :x') WHERE vertices = 'SELECT ?' AND "
        "params = '[1]'");
    expect("1;2",
           "SELECT vertex FROM gpu_bfs('SELECT 1, ''a\\u0000''', 1) WHERE depth = 0 "
           "UNION SELECT vertex FROM gpu_bfs('SELECT 2, :x', 2) WHERE params = "
           "'[\"\\\\u0000\"]' AND depth = 0 ORDER BY 1");
    /* A followed graph, and a table that was read before, take no params either. */
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b));"
        "SELECT count(*) FROM gpu_bfs('g', 1); SELECT count(*) FROM gpu_bfs('g', 1);"
        "SELECT count(*) FROM gpu_bfs('roads(a, b)', 1)");
    expect_error("gpu_bfs", "edges is none",
                 "SELECT * FROM gpu_bfs('g', 1) WHERE params = '[]'");
    expect_error("gpu_bfs", "edges is none",
                 "SELECT (SELECT count(*) FROM gpu_bfs('roads(a, b)', 1)), * FROM "
                 "gpu_bfs('roads(a, b)', 1) WHERE params = '[]'");
}
END_TEST

/* A scalar function has no WHERE, so params is its second argument. */
START_TEST(triangles_take_params) {
#define CITY "'SELECT a, b FROM corners WHERE city = :city'"
    run("CREATE TABLE corners(a, b, city); INSERT INTO corners VALUES (1, 2, 'Oslo'), "
        "(2, "
        "3, 'Oslo'), (3, 1, 'Oslo'), (1, 2, 'Bergen'), (2, 4, NULL)");
    expect("'Bergen'|0;'Oslo'|1;-|0", "SELECT city, gpugraph_triangles(" CITY
                                      ", json_array(city)) FROM cities ORDER "
                                      "BY city IS NULL, city");
    expect("1|1|1", "SELECT gpugraph_triangles('corners(a, b)', NULL), "
                    "gpugraph_triangles('SELECT a, b FROM corners', '[]'), "
                    "gpugraph_triangles('SELECT a, b FROM corners')");
    for (int i = 0; i < 2; i++)
        expect_error("gpugraph_triangles",
                     "the query in edges has 1 parameter (:city), and params holds 0 "
                     "values; give one for each",
                     "SELECT gpugraph_triangles(" CITY "%s)", i ? ", NULL" : "");
    expect_error("gpugraph_triangles", "and params holds 2 values; give one for each",
                 "SELECT gpugraph_triangles(" CITY ", '[1, 2]')");
    expect_error("gpugraph_triangles",
                 "the argument params must be a JSON array, as json_array() makes "
                 "it, not 7",
                 "SELECT gpugraph_triangles(" CITY ", 7)");
    expect_error("gpugraph_triangles", "edges is none; leave params out",
                 "SELECT gpugraph_triangles('corners(a, b)', '[1]')");
    expect_error("gpugraph_triangles", "a query must stand in the call itself",
                 "SELECT gpugraph_triangles('SEL' || 'ECT 1, 2', '[1]')");
#undef CITY
}
END_TEST

START_TEST(sources_with_a_zero_byte) {
    run("CREATE TABLE z(src, dst); INSERT INTO z VALUES ('a', 1), ('a' || char(0) || "
        "'b', 2)");
    expect_error("gpu_bfs", "sources contains \\u0000",
                 "SELECT * FROM gpu_bfs('z') WHERE sources = '[\"a\\u0000b\"]'");
    expect("2", "SELECT count(*) FROM gpu_bfs('z', 'a' || char(0) || 'b')");
}
END_TEST

START_TEST(survives_each_failed_allocation) {
    static const char *const statements[] = {
        "SELECT vertex FROM gpu_bfs(" QUERY ", 1) WHERE params = json_array('Oslo')",
        "SELECT vertex FROM gpu_bfs(" QUERY ", 1) WHERE params = json_array(1, 2)",
        "SELECT vertex FROM gpu_bfs(" QUERY ", 1) WHERE params = '[[1]]'",
        "SELECT vertex FROM gpu_bfs(" QUERY ", 1)",
        "SELECT gpugraph_triangles(" QUERY ", json_array('Oslo'))",
        "SELECT gpugraph_triangles(" QUERY ", 7)",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        char *truth = NULL;
        bool failed = true;
        for (long n = 0; failed; n++) {
            setup();
            sqlite_countdown = n;
            char *rows = ask("%s", statements[i]);
            failed = n == 0 || sqlite_countdown == 0;
            sqlite_countdown = 0;
            if (!truth)
                truth = sqlite3_mprintf("%s", rows);
            /* The allocations of the test itself are among them. */
            bool own = !rows || !*rows || strstr(rows, "not an error") ||
                       strstr(rows, "SQL logic error");
            ck_assert_msg(own || strcmp(rows, truth) == 0 ||
                              strstr(rows, "out of memory"),
                          "%s: %s", statements[i], rows);
            sqlite3_free(rows);
            sql_close();
        }
        sqlite3_free(truth);
    }
}
END_TEST

const struct suite suite = {
    "query_params",
    {{"params", .setup = setup, .teardown = sql_close,
      .cases = {{&all_functions_take_params},
                {&values_and_their_places},
                {&one_graph_for_each_array},
                {&values_are_values},
                {&wrong_params_are_explained},
                {&triangles_take_params},
                {&sources_with_a_zero_byte}}},
     {"memory", .timeout = 60, .cases = {{&survives_each_failed_allocation}}}},
    .begin = sqlite_memory_may_fail,
};
