/* Arguments that never reach the search, because SQLite compares them with rows of the
** search or drops them. Each statement fails with a sentence that says what to write, or
** has the intended rows. Joins that pass arguments work. */
/* ctest: serial */
#include "gpugraph_extension.h"
#include "suite.h"
#include "sql.h"

#include <string.h>

static void setup(void) {
    sql_open();
    make_roads();
    run("CREATE TABLE nodes(id); INSERT INTO nodes VALUES (1), (3), (9);"
        "CREATE TABLE bounds(most, way); INSERT INTO bounds VALUES (1, 'in')");
}

START_TEST(comparisons_in_parentheses) {
    static const char *const calls[][4] = {
        {"gpu_bfs", "'roads', 1, max_depth = 2", "target", "max_depth = 2"},
        {"gpu_bfs", "'roads', 1, max_depth = 2) b WHERE (b.depth >= 0", "target",
         "max_depth = 2"},
        {"gpu_bfs", "'roads', 1, NULL, direction = 'in'", NULL, "max_depth = 2"},
        {"gpu_bfs", "'roads', 1, gpu_bfs.max_depth = 2", "target", "max_depth = 2"},
        {"gpu_bfs", "'roads', source = 1", "source", "max_depth = 2"},
        {"gpu_bfs", "edges = 'roads', source = 1", "edges", "max_depth = 2"},
        {"gpu_bfs", "'roads', 1, vertex = 3", "target", "max_depth = 2"},
        {"gpu_bfs", "'roads', 1, vertex", "target", "max_depth = 2"},
        {"gpu_bfs", "'roads', 1, 2 + b.depth) b WHERE (1", "target", "max_depth = 2"},
        {"gpu_sssp", "'roads', 1, max_distance = 2", "target", "max_distance = 1000"},
        {"gpu_path", "'roads', 1, 4, weighted = 0", NULL, "weighted = 0"},
        {"gpu_path", "'roads', 1, target = 4", "target", "weighted = 0"},
        {"gpu_dfs", "'roads', 1, ordered = 1", NULL, "ordered = 1"},
        {"gpu_dfs", "'roads', ordered = 1", "source", "ordered = 1"},
        {"gpu_mis", "'roads', seed = 1", NULL, "priority = 'id'"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char *sql = sqlite3_mprintf("%s(%s)", calls[i][0], calls[i][1]);
        char *part = sqlite3_mprintf(
            calls[i][2]
                ? "the argument %s in the parentheses has no value when the search "
                  "begins"
                : "the parentheses take",
            calls[i][2]);
        char *option = sqlite3_mprintf("as in WHERE %s", calls[i][3]);
        static const char *const forms[] = {
            "SELECT * FROM %s",
            "SELECT depth FROM gpu_bfs('roads', 1), (SELECT 1 FROM %s)",
            "SELECT (SELECT count(*) FROM %s) FROM nodes",
        };
        for (int k = 0; k < 3; k++) {
            expect_error(calls[i][0], part, forms[k], sql);
            expect_error(calls[i][0], option, forms[k], sql);
        }
        sqlite3_free(part);
        sqlite3_free(option);
        sqlite3_free(sql);
    }
    /* Columns of the function that have the names of another table's columns. */
    run("CREATE TABLE pairs(source, target); INSERT INTO pairs VALUES (1, 3)");
    expect_error("gpu_bfs", "the argument source in the parentheses has no value",
                 "SELECT (SELECT count(*) FROM gpu_bfs('roads', source)) FROM pairs");
    expect("3", "SELECT (SELECT count(*) FROM gpu_bfs('roads', pairs.target)"
                " WHERE max_depth = 9) + 1 FROM pairs");
}
END_TEST

START_TEST(parentheses_take_so_much) {
    expect_error("gpu_bfs",
                 "the parentheses take 3 arguments; give others "
                 "after WHERE, as in WHERE max_depth = 2",
                 "SELECT * FROM gpu_bfs('roads', 1, 4, '[1]')");
    expect_error("gpu_bfs", "the parentheses take 3 arguments",
                 "SELECT * FROM nodes n, gpu_bfs('roads', 1, 4, n.id)");
    expect_error("gpu_path", "as in WHERE weighted = 0",
                 "SELECT * FROM gpu_path('roads', 1, 4, NULL, 5)");
    expect_error("gpu_dfs",
                 "the parentheses take 2 arguments; give others "
                 "after WHERE, as in WHERE ordered = 1",
                 "SELECT * FROM gpu_dfs('roads', 1, 1)");
    expect_error("gpu_mis",
                 "the parentheses take 1 argument; give others after "
                 "WHERE, as in WHERE priority = 'id'",
                 "SELECT * FROM gpu_mis('roads', 'id')");
}
END_TEST

START_TEST(views_and_triggers) {
    run("CREATE VIEW v AS SELECT * FROM gpu_bfs('roads', 1, max_depth = 2);"
        "CREATE VIEW w AS SELECT * FROM gpu_dfs('roads', 1, ordered = 1);"
        "CREATE VIEW x AS SELECT * FROM gpu_bfs('roads', 1, 4, max_depth = 2);"
        "CREATE TRIGGER t AFTER INSERT ON nodes BEGIN"
        " INSERT INTO bounds SELECT vertex, 1 FROM gpu_bfs('roads', 1, max_depth = 2); "
        "END");
    expect_error("gpu_bfs", "as in WHERE max_depth = 2", "SELECT * FROM v");
    expect_error("gpu_dfs", "as in WHERE ordered = 1", "SELECT count(*) FROM w");
    expect_error("gpu_bfs", "as in WHERE max_depth = 2", "SELECT * FROM x");
    expect_error("gpu_bfs", "as in WHERE max_depth = 2", "INSERT INTO nodes VALUES (2)");
}
END_TEST

START_TEST(tables_that_come_after) {
    expect_same(
        "SELECT b.*, n.id FROM nodes n JOIN gpu_sssp('roads', 1, n.id) b ORDER BY 1",
        "SELECT b.*, n.id FROM gpu_sssp('roads', 1) b CROSS JOIN nodes n "
        "WHERE b.target = n.id ORDER BY 1");
    expect("1;3;9",
           "SELECT n.id FROM nodes n LEFT JOIN gpu_bfs('roads', 1, n.id) b ORDER BY 1");
    /* Newer versions of SQLite refuse these statements. */
    static const char *const late[][2] = {
        {"source", "gpu_bfs('roads', n.id) b CROSS JOIN nodes n"},
        {"source", "gpu_bfs('roads', n.id) b LEFT JOIN nodes n ON 1"},
        {"edges", "gpu_bfs(n.id, 1) b CROSS JOIN nodes n"},
        {"target", "gpu_bfs('roads', 1, n.id) b CROSS JOIN nodes n"},
        {"target", "gpu_path('roads', 1, n.id) b CROSS JOIN nodes n"},
        {"source", "gpu_dfs('roads', n.id) b CROSS JOIN nodes n"},
    };
    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        char *part = sqlite3_mprintf(
            "the argument %s in the parentheses has no value when the search begins",
            late[i][0]);
        char *got = ask("SELECT * FROM %s", late[i][1]);
        ck_assert_msg(strstr(got, part) || strstr(got, "references tables to its right"),
                      "%s: %s", late[i][1], got);
        sqlite3_free(got);
        sqlite3_free(part);
    }
}
END_TEST

/* Joins that pass arguments, and statements that read hidden columns. */
START_TEST(what_is_no_fault) {
    static const char *const fine[] = {
        "SELECT b.vertex FROM gpu_bfs('roads', 1) b JOIN bounds o WHERE b.max_depth = "
        "o.most",
        "SELECT vertex FROM bounds, gpu_bfs('roads', 1) WHERE max_depth = most",
        "SELECT vertex FROM bounds CROSS JOIN gpu_bfs('roads', most) WHERE max_depth = "
        "most",
        "SELECT vertex FROM bounds LEFT JOIN gpu_bfs('roads', 1) ON max_depth = most",
        "SELECT vertex FROM bounds, nodes, gpu_bfs('roads', nodes.id) WHERE nodes.id = 1 "
        "AND "
        "max_depth = bounds.most",
        "SELECT vertex FROM (SELECT vertex, depth, source, target, edges FROM "
        "gpu_bfs('roads', 1)) WHERE depth < 2",
        "SELECT vertex FROM (SELECT vertex, depth, max_depth, direction, method, "
        "backend, "
        "vertices, sources FROM gpu_bfs('roads', 1)) WHERE depth < 2", /* none is used */
        "SELECT vertex FROM gpu_bfs('roads', 1) WHERE depth < 2 AND target = vertex",
        "SELECT vertex FROM gpu_bfs('roads', (SELECT 1 FROM gpu_bfs('roads', 1) WHERE "
        "depth = 0)) WHERE max_depth = 1",
        "SELECT vertex FROM gpu_bfs('roads', (SELECT min(source) FROM gpu_bfs('roads', "
        "1)))"
        " WHERE max_depth = 1",
        "SELECT b.vertex FROM gpu_bfs('roads', 1) a JOIN gpu_bfs('roads', a.source, "
        "b.vertex) b WHERE 0 UNION SELECT 1 UNION SELECT 2 UNION SELECT 3",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        char *sql = sqlite3_mprintf("%s ORDER BY 1", fine[i]);
        expect("1;2;3", sql);
        sqlite3_free(sql);
    }
    expect("1|1;2|2;3|3;4|4",
           "SELECT vertex, target FROM gpu_bfs('roads', 1) ORDER BY 1");
}
END_TEST

START_TEST(conditions_that_sqlite_takes_away) {
    static const char part[] = "in the parentheses, as in gpu_bfs('roads', 1)";
    expect_error("gpu_bfs", part,
                 "SELECT * FROM nodes n LEFT JOIN gpu_bfs b ON b.edges = 'roads' AND "
                 "b.source = n.id AND 0");
    expect_error(
        "gpu_bfs", part,
        "SELECT * FROM nodes n LEFT JOIN gpu_bfs('roads') b ON b.source = n.id AND "
        "1 = 1 AND 0");
    expect_error(
        "gpu_bfs", part,
        "SELECT * FROM gpu_bfs WHERE edges = 'roads' AND (source = 1 OR depth = 0)");
    expect_error("gpu_bfs", "in the parentheses, as in gpu_bfs('it''s', 1)",
                 "SELECT * FROM gpu_bfs('it''s')");
    expect_error("gpu_bfs", "the argument edges is missing",
                 "SELECT * FROM nodes n LEFT JOIN gpu_bfs b ON 1 = 0");
    expect("1|-;3|-;9|-", "SELECT n.id, b.vertex FROM nodes n LEFT JOIN gpu_bfs('roads', "
                          "n.id) b ON 1 = 0 ORDER BY 1");
    expect("1|-;3|-;9|-", "SELECT n.id, b.vertex FROM nodes n LEFT JOIN gpu_bfs('roads', "
                          "n.id) b ON n.id = b.vertex AND NULL ORDER BY 1");
    expect("", "SELECT * FROM nodes n, gpu_bfs b WHERE b.edges = 'roads' AND 0");
    expect("1|0;3|1;9|-",
           "SELECT n.id, b.depth FROM gpu_bfs('roads', 1) b RIGHT JOIN nodes n "
           "ON n.id = b.vertex ORDER BY 1");
    /* In an outer join to the function, SQLite's version decides which constraints it
    ** passes. */
    static const char *const onto[] = {
        "SELECT n.id, b.depth FROM nodes n RIGHT JOIN gpu_bfs('roads', 1) b ON n.id = "
        "b.vertex"
        " ORDER BY b.vertex",
        "SELECT n.id, b.depth FROM nodes n RIGHT JOIN gpu_bfs b ON n.id = b.vertex"
        " WHERE b.edges = 'roads' AND b.source = 1 ORDER BY b.vertex",
        "SELECT n.id, b.depth FROM nodes n RIGHT JOIN gpu_bfs b ON n.id = b.vertex"
        " AND b.edges = 'roads' AND b.source = 1 ORDER BY b.vertex",
    };
    for (int i = 0; i < 3; i++) {
        char *got = ask(onto[i]);
        bool explained =
            strstr(got, "error: gpu_bfs: the argument edges in the parentheses has no "
                        "value") != NULL ||
            strstr(got, part) != NULL;
        ck_assert_msg(explained || strcmp(got, "1|0;-|1;3|1;-|2") == 0, "%s: %s", onto[i],
                      got);
        sqlite3_free(got);
    }
}
END_TEST

/* Options that a statement has but SQLite does not pass to the function: in outer joins,
** from a later table, in an arm of an OR, in an expression. */
START_TEST(options_that_do_not_reach_the_search) {
    run("CREATE TABLE none(id)");
    static const char *const lost[][3] = {
        {"gpu_bfs", "direction",
         "nodes n LEFT JOIN gpu_bfs('roads', 1) b ON b.vertex = n.id WHERE direction = "
         "'both'"},
        {"gpu_bfs", "direction",
         "none n LEFT JOIN gpu_bfs('roads', 1) b ON b.vertex = n.id WHERE direction = "
         "'both'"},
        {"gpu_bfs", "direction",
         "nodes n LEFT JOIN gpu_bfs b ON b.edges = 'roads' AND b.source = n.id WHERE "
         "direction = 'both'"},
        {"gpu_bfs", "max_depth",
         "nodes n RIGHT JOIN gpu_bfs('roads', 1) b ON b.vertex = n.id AND max_depth = 1"},
        {"gpu_bfs", "max_depth",
         "gpu_bfs('roads', 1) b RIGHT JOIN nodes n ON b.vertex = n.id AND max_depth = 1"},
        {"gpu_bfs", "max_depth",
         "gpu_bfs('roads', 1) b RIGHT JOIN nodes n ON b.vertex = n.id WHERE max_depth = "
         "1"},
        {"gpu_sssp", "method",
         "gpu_sssp('roads', 1) b FULL JOIN nodes n ON b.vertex = n.id AND method = "
         "'auto'"},
        {"gpu_sssp", "backend",
         "none n FULL JOIN gpu_sssp('roads', 1) b ON b.vertex = n.id AND backend = "
         "'cpu'"},
        {"gpu_components", "kind",
         "nodes n LEFT JOIN gpu_components('roads') c ON c.vertex = n.id WHERE kind = "
         "'strong'"},
        {"gpu_dfs", "source",
         "nodes n LEFT JOIN gpu_dfs('roads') d ON d.vertex = n.id WHERE source = 1"},
        {"gpu_path", "weighted",
         "nodes n LEFT JOIN gpu_path('roads', 1, n.id) p ON 1 WHERE weighted = 0"},
        {"gpu_dfs", "source",
         "gpu_dfs('roads') b CROSS JOIN nodes n WHERE b.source = n.id"},
        {"gpu_bfs", "max_depth",
         "gpu_bfs('roads', 1) b CROSS JOIN bounds o WHERE b.max_depth = o.most"},
        {"gpu_bfs", "max_depth",
         "gpu_bfs('roads', 1) b LEFT JOIN bounds o ON 1 WHERE o.most + 0 = b.max_depth"},
        {"gpu_bfs", "direction",
         "gpu_bfs('roads', 1) CROSS JOIN bounds ON direction = way"},
        {"gpu_bfs", "max_depth", "gpu_bfs('roads', 1) WHERE max_depth = depth"},
        {"gpu_bfs", "max_depth", "gpu_bfs('roads', 1) WHERE +max_depth = 1"},
        {"gpu_bfs", "direction",
         "gpu_bfs('roads') WHERE source = 1 AND max_depth = 1 OR source = 8 AND "
         "max_depth "
         "= 1 AND direction = 'in'"},
        {"gpu_bfs", "direction",
         "gpu_bfs('roads') WHERE direction = (SELECT 'in') AND (source = 1 AND depth < 2 "
         "OR source = 3 AND depth < 1)"},
    };
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        char *part = sqlite3_mprintf(
            "the statement uses the column %s, but no value for it reaches the search; "
            "write %s = value in WHERE outside of an OR, in the ON of a LEFT JOIN or in "
            "a "
            "subquery, and put a table that the value comes from before %s",
            lost[i][1], lost[i][1], lost[i][0]);
        expect_error(lost[i][0], part, "SELECT 1 FROM %s", lost[i][2]);
        sqlite3_free(part);
    }
    expect_error("gpu_bfs", "the statement uses the column max_depth",
                 "SELECT max_depth FROM gpu_bfs('roads', 1)");
    expect_error("gpu_bfs", "before gpu_bfs; gpugraph_timings says what was chosen",
                 "SELECT method FROM gpu_bfs('roads', 1)");
    /* The statements that the sentence proposes. */
    expect(
        "1|0;3|1;9|-",
        "SELECT n.id, b.depth FROM nodes n LEFT JOIN gpu_bfs('roads', 1) b ON b.vertex = "
        "n.id AND direction = 'both' ORDER BY 1");
    expect(
        "1|0;3|1",
        "SELECT n.id, b.depth FROM nodes n JOIN gpu_bfs('roads', 1) b ON b.vertex = n.id "
        "WHERE direction = 'both' ORDER BY 1");
    expect(
        "1|0;3|1;9|-",
        "SELECT n.id, b.depth FROM (SELECT * FROM gpu_bfs('roads', 1) WHERE direction = "
        "'both') b RIGHT JOIN nodes n ON b.vertex = n.id ORDER BY 1");
    expect(
        "1|1|0;1|3|1;3|3|0;3|1|1",
        "SELECT source, vertex, depth FROM gpu_bfs('roads') WHERE vertex IN (1, 3) AND "
        "(source = 1 AND direction = 'out' AND depth < 2 OR source = 3 AND direction = "
        "'in' AND depth < 2) ORDER BY source, depth");
}
END_TEST

static void expect_plan(const char *part, const char *sql) {
    char *plan = ask("EXPLAIN QUERY PLAN %s", sql);
    ck_assert_msg(strstr(plan, part) != NULL, "%s: %s", sql, plan);
    sqlite3_free(plan);
}

START_TEST(plans_name_the_arguments) {
    expect_plan(":edges=? AND source=?'", "SELECT * FROM gpu_bfs('roads', 1)");
    expect_plan(
        ":edges=? AND source=? AND max_depth=? AND direction=?'",
        "SELECT * FROM gpu_bfs('roads', 1) WHERE direction = 'in' AND max_depth = 3");
    expect_plan(":edges=? AND source=? AND target IN (?)'",
                "SELECT * FROM gpu_bfs('roads', 1) WHERE target IN (3, 4)");
    expect_plan(":edges=? AND source=? AND depth<? AND depth<=?'",
                "SELECT * FROM gpu_bfs('roads', 1) WHERE depth < 3 AND depth <= 5");
    expect_plan(":edges=? AND source=? LIMIT ? OFFSET ?'",
                "SELECT * FROM gpu_bfs('roads', 1) LIMIT 2 "
                "OFFSET 1");
    expect_plan(":edges=? AND source=? AND vertex=?'",
                "SELECT * FROM nodes n JOIN gpu_sssp('roads', 1) s ON s.vertex = n.id");
    expect_plan(":edges=? AND seed=? AND priority=?'",
                "SELECT * FROM gpu_mis('roads') WHERE seed = 1 AND priority = 'random'");
}
END_TEST

const struct suite suite = {
    "lacking",
    {{"arguments", .setup = setup, .teardown = sql_close,
      .cases = {{&comparisons_in_parentheses},
                {&parentheses_take_so_much},
                {&views_and_triggers},
                {&tables_that_come_after},
                {&what_is_no_fault},
                {&conditions_that_sqlite_takes_away},
                {&options_that_do_not_reach_the_search},
                {&plans_name_the_arguments}}}},
};
