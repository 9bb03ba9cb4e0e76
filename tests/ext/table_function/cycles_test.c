/* gpu_topological_order in SQL: followed graphs as an edge source, and errors that name
** the edges of a cycle by the ids that SQL knows. */
#include "suite.h"
#include "sql.h"

START_TEST(orders) {
    run("CREATE TABLE e(id INTEGER PRIMARY KEY, src, dst);"
        "INSERT INTO e VALUES (1,'c',2),(2,2,1),(3,'c',1),(4,7,'c')");
    expect("7|0|0;'c'|1|1;2|2|2;1|3|3",
           "SELECT * FROM gpu_topological_order('e') ORDER BY position");
    expect("1|0|0;2|1|1;'c'|2|2;7|3|3", "SELECT * FROM gpu_topological_order('e') "
                                        "WHERE direction = 'in' ORDER BY position");
    expect("'x'|0|1", "SELECT * FROM gpu_topological_order('e') WHERE vertices = 'SELECT "
                      "''x''' AND vertex = 'x'");
    expect_error("gpu_topological_order", "'both'",
                 "SELECT * FROM gpu_topological_order('e') WHERE direction = 'both'");
    expect("", "SELECT * FROM gpu_topological_order('SELECT 1, 2 WHERE 0')");
    run("CREATE VIRTUAL TABLE g USING gpugraph(e)");
    expect("4", "SELECT count(*) FROM gpu_topological_order('g')");
    run("INSERT INTO e VALUES (9, 1, 8)");
    expect("8|4|4", "SELECT * FROM gpu_topological_order('g') WHERE vertex = 8");
    run("INSERT INTO e VALUES (10, 8, 7)");
    expect_error("gpu_topological_order", "with edge id(s) 1, 2, 9, 10, 4",
                 "SELECT * FROM gpu_topological_order('g')");
    run("DELETE FROM e WHERE id = 10");
    expect("5", "SELECT count(*) FROM gpu_topological_order('g')");
    run("DROP TABLE g; DROP TABLE e");
}
END_TEST

START_TEST(cycles) {
    run("CREATE TABLE e(src, dst, name, w DEFAULT 1);"
        "INSERT INTO e(src, dst, name) VALUES (1,2,'u'),(2,3,'w'),(3,1,'v'),(3,9,7)");
    expect_error("gpu_topological_order", "with edge id(s) 1, 2, 3",
                 "SELECT * FROM gpu_topological_order('e(src, dst)')");
    expect_error("gpu_topological_order", "with edge id(s) u, w, v",
                 "SELECT * FROM gpu_topological_order('e(src, dst, w, name)')");
    expect_error("gpu_topological_order", "with edge id(s) u, w, v",
                 "SELECT * FROM gpu_topological_order('e(src, dst, w, name)') WHERE "
                 "direction = 'in'");
    run("UPDATE e SET name = NULL WHERE name = 'v'");
    expect_error("gpu_topological_order", "edges form a cycle through 1, 2, 3",
                 "SELECT * FROM gpu_topological_order('e(src, dst, w, name)')");
    run("CREATE VIRTUAL TABLE g USING gpugraph(e(src, dst, w, name))");
    expect_error("gpu_topological_order", "edges form a cycle through 1, 2, 3",
                 "SELECT * FROM gpu_topological_order('g')");
    run("DROP TABLE g");
    run("INSERT INTO e(src, dst, name) VALUES (5,5,'loop')");
    run("DELETE FROM e WHERE name IS NULL");
    expect_error("gpu_topological_order", "with edge id(s) loop",
                 "SELECT * FROM gpu_topological_order('e(src, dst, w, name)')");
    run("DELETE FROM e; WITH RECURSIVE i(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i "
        "WHERE i < 11) INSERT INTO e(src, dst, name) SELECT i, (i + 1) %% 12, 'n' || "
        "char(97 + i) FROM i");
    expect_error("gpu_topological_order",
                 "with edge id(s) na, nb, nc, nd, ne, nf, ng, nh, ni, nj and 2 more",
                 "SELECT * FROM gpu_topological_order('e(src, dst, w, name)')");
    expect_error("gpu_topological_order",
                 "with edge id(s) 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more",
                 "SELECT * FROM gpu_topological_order('e(src, dst)')");
    run("DROP TABLE e");
}
END_TEST

/* The cycle begins at the source of its smallest edge, and is in the order of travel. */
START_TEST(cycles_of_edges_without_ids) {
    run("CREATE TABLE d(pkg TEXT, needs, PRIMARY KEY(pkg, needs)) WITHOUT ROWID;"
        "INSERT INTO d VALUES ('a','b'), ('b','c'), ('c','a'), ('c','d'), (7,9)");
    expect_error("gpu_topological_order",
                 "there is no topological order: edges form a cycle through a, b, c",
                 "SELECT * FROM gpu_topological_order('d(pkg, needs)')");
    expect_error(
        "gpu_topological_order", "through a, b, c",
        "SELECT * FROM gpu_topological_order('d(pkg, needs)') WHERE direction = 'in'");
    expect_error("gpu_topological_order", "through a, b, c",
                 "SELECT * FROM gpu_topological_order('SELECT pkg, needs FROM d')");
    run("DELETE FROM d; INSERT INTO d VALUES ('x','x')");
    expect_error("gpu_topological_order", "through x",
                 "SELECT * FROM gpu_topological_order('d(pkg, needs)')");
    run("DELETE FROM d; WITH RECURSIVE i(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM i "
        "WHERE i < 21) INSERT INTO d SELECT 'v' || i, 'v' || (10 + (i - 9) %% 12) FROM "
        "i");
    expect_error("gpu_topological_order",
                 "through v10, v11, v12, v13, v14, v15, v16, v17, v18, v19 and 2 more",
                 "SELECT * FROM gpu_topological_order('d(pkg, needs)')");
    run("DROP TABLE d");
}
END_TEST

const struct suite suite = {
    "cycles",
    {{"sql", .setup = sql_open, .teardown = sql_close,
      .cases = {{&orders}, {&cycles}, {&cycles_of_edges_without_ids}}}},
};
