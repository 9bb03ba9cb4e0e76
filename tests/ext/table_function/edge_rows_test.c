/* gpu_spanning_forest in SQL: rows are edges as they are stored, for all kinds of ids. */
#include "sql.h"
#include "suite.h"

START_TEST(weights) {
    run("CREATE TABLE e(id INTEGER PRIMARY KEY, src, dst, weight);"
        "INSERT INTO e VALUES (7,'c',2,3),(9,2,'c',3),(3,2,2,0),(4,1,2,5),(5,'c',1,4),"
        "(6,NULL,8,1)");
    expect("5|'c'|1|4|1;7|'c'|2|3|1", "SELECT * FROM gpu_spanning_forest('e')");
    expect("4|1|2|1|1;5|'c'|1|1|1",
           "SELECT * FROM gpu_spanning_forest('e(src, dst)') ORDER BY edge");
    expect("-|'c'|2|1.5|1;-|'c'|1|2.0|1",
           "SELECT * FROM gpu_spanning_forest('SELECT src, dst, weight / 2.0 FROM e') "
           "ORDER BY weight");
    expect(
        "'integer';'real'",
        "SELECT typeof(weight) FROM (SELECT weight FROM gpu_spanning_forest('e') LIMIT "
        "1) UNION ALL SELECT typeof(weight) FROM (SELECT weight FROM "
        "gpu_spanning_forest('SELECT 1, 2, 0.5'))");
    expect("", "SELECT * FROM gpu_spanning_forest('SELECT 1, 2 WHERE 0')");
    expect("", "SELECT * FROM gpu_spanning_forest('SELECT 1, 1, 3') WHERE vertices = "
               "'SELECT 5'");
    expect_error("gpu_spanning_forest", "is -2",
                 "SELECT * FROM gpu_spanning_forest('SELECT 1, 2, -2')");
    expect_error("gpu_spanning_forest", "is NULL",
                 "SELECT * FROM gpu_spanning_forest('SELECT 1, 2, NULL')");
    expect_error("gpu_spanning_forest", "parentheses take 1 argument",
                 "SELECT * FROM gpu_spanning_forest('e', 1)");
    run("CREATE TABLE u(src, dst, a INTEGER)");
    expect_error("gpu_spanning_forest", "has no weight column",
                 "SELECT * FROM gpu_spanning_forest('u')");
    run("DROP TABLE e; DROP TABLE u");
}
END_TEST

/* Sums of weights exceed the range of a distance, but a forest needs no sums. */
START_TEST(large_weights) {
    run("CREATE TABLE e(src, dst, weight);"
        "INSERT INTO e VALUES (1,2,9223372036854775807),(2,3,9223372036854775806),"
        "(1,3,9223372036854775807)");
    expect("1|1|2|9223372036854775807|1;2|2|3|9223372036854775806|1",
           "SELECT * FROM gpu_spanning_forest('e')");
    run("UPDATE e SET weight = weight * 1e289");
    expect("2|1", "SELECT count(*), max(component) FROM gpu_spanning_forest('e')");
    run("DROP TABLE e");
}
END_TEST

/* A row with two weights is one edge with the weight of the cheaper open direction. */
START_TEST(two_ways) {
    run("CREATE TABLE n(a, b, w, name, back);"
        "INSERT INTO n VALUES (1,2,9,'u',1),(2,3,NULL,'v',4),(3,1,2,'w',-1),"
        "(3,1,-1,'x',NULL)");
    expect("'u'|1|2|1|1;'w'|3|1|2|1",
           "SELECT * FROM gpu_spanning_forest('n(a, b, w, name, back)')");
    run("CREATE VIRTUAL TABLE g USING gpugraph(n(a, b, w, name, back))");
    expect("'u'|1|2|1|1;'w'|3|1|2|1", "SELECT * FROM gpu_spanning_forest('g')");
    run("DROP TABLE g; DROP TABLE n");
}
END_TEST

START_TEST(followed_graphs) {
    run("CREATE TABLE e(id INTEGER PRIMARY KEY, src, dst, weight);"
        "INSERT INTO e VALUES (1,1,2,3),(2,2,3,1),(3,1,3,2),(4,5,6,1)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(e, where = 'id <> 9')");
    expect("2|2|3|1|1;3|1|3|2|1;4|5|6|1|5", "SELECT * FROM gpu_spanning_forest('g')");
    run("UPDATE e SET weight = 0 WHERE id = 1; INSERT INTO e VALUES (8,3,5,7),(9,1,6,0)");
    expect("1|1|2|0|1;2|2|3|1|1;4|5|6|1|1;8|3|5|7|1",
           "SELECT * FROM gpu_spanning_forest('g')");
    run("DELETE FROM e WHERE id = 8");
    expect("3|6", "SELECT count(*), sum(component) - 1 FROM gpu_spanning_forest('g')");
    run("DROP TABLE g; DROP TABLE e");
}
END_TEST

/* Several statements read one kept answer. */
START_TEST(rows_of_it) {
    run("CREATE TABLE e(src, dst, weight); INSERT INTO e VALUES "
        "(1,2,4),(2,3,1),(3,1,9),(7,8,2)");
    expect("7|8",
           "SELECT source, target FROM gpu_spanning_forest('e') WHERE component = 7");
    expect("1", "SELECT count(*) FROM gpu_spanning_forest('e') WHERE source = 2");
    expect("4;2;1", "SELECT weight FROM gpu_spanning_forest('e') ORDER BY weight DESC");
    expect("2", "SELECT edge FROM gpu_spanning_forest('e') LIMIT 1 OFFSET 1");
    expect("3", "SELECT count(*) FROM e JOIN gpu_spanning_forest('e') f ON f.edge = "
                "e.rowid AND f.source = e.src AND f.target = e.dst AND f.weight = "
                "e.weight");
    run("SELECT * FROM gpu_spanning_forest('e') WHERE backend = 'cpu'");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE detail LIKE 'filter-kruskal "
                "on cpu%%'");
    expect("'filter-kruskal'", "SELECT method FROM gpugraph_estimate('e', "
                               "'gpu_spanning_forest') WHERE backend = 'cpu'");
    expect_error("gpu_spanning_forest", "'guess'",
                 "SELECT * FROM gpu_spanning_forest('e') WHERE method = 'guess'");
    run("DROP TABLE e");
}
END_TEST

const struct suite suite = {
    "edge_rows",
    {{"sql", .setup = sql_open, .teardown = sql_close,
      .cases = {{&weights},
                {&large_weights},
                {&two_ways},
                {&followed_graphs},
                {&rows_of_it}}}},
};
