/* Queries of a followed graph: as a table, by functions that take a graph, and by the
** functions of followed graphs. */
/* ctest: serial */
#include "follow_graph.h"
#include "suite.h"

#include <string.h>

/* ---- as a table ---- */

/* A whole REAL is an INTEGER id, though SQL's comparison with a TEXT column makes '1.0'
** of that REAL. */
static const char *in_table(const char *value, const char *type) {
    return strcmp(type, "TEXT") == 0 && strcmp(value, "1.0") == 0 ? "1" : value;
}

START_TEST(lookups_compare_as_the_table_does) {
    static const char *const types[] = {"", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"};
    static const char *const values[] = {"1",   "'1'",  "1.0",   "'1.0'", "' 1'", "'x'",
                                         "1.5", "NULL", "x'31'", "'1e0'", "2"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        sql_open();
        const char *type = types[i],
                   *next = types[(i + 1) % (sizeof types / sizeof *types)];
        run("CREATE TABLE roads(a %s, b %s, metres)", type, next);
        if (strcmp(types[i], "REAL") != 0 && strcmp(types[i], "INTEGER") != 0)
            run("INSERT OR IGNORE INTO roads VALUES (1, 'x', 1), ('1', 'x', 2), ('x', "
                "'y', 3)");
        run("INSERT INTO roads VALUES ('x', 'y', 4), ('x', 'z', 4), ('x', 'y', 5)");
        run("DELETE FROM roads WHERE typeof(a) NOT IN ('integer', 'text') OR typeof(b) "
            "NOT IN "
            "('integer', 'text')");
        run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            char *graph =
                sqlite3_mprintf("SELECT src, dst, weight, edge FROM g WHERE src = "
                                "%s ORDER BY edge",
                                values[v]);
            char *table =
                sqlite3_mprintf("SELECT a, b, metres, rowid FROM roads WHERE a = %s "
                                "ORDER BY rowid",
                                in_table(values[v], type));
            expect_same(graph, table);
            sqlite3_free(graph);
            sqlite3_free(table);
            graph = sqlite3_mprintf(
                "SELECT edge FROM g WHERE dst = %s AND src = 'x' ORDER BY "
                "edge",
                values[v]);
            table =
                sqlite3_mprintf("SELECT rowid FROM roads WHERE b = %s AND a = 'x' ORDER "
                                "BY rowid",
                                in_table(values[v], next));
            expect_same(graph, table);
            sqlite3_free(graph);
            sqlite3_free(table);
        }
        sql_close();
    }
}
END_TEST

/* Values from columns, whose types count as well. */
START_TEST(joins_compare_as_the_table_does) {
    static const char *const types[] = {"", "INTEGER", "BLOB", "TEXT"};
    static const char *const columns[] = {"i", "t", "+p.i", "p.i + 0", "r", "x"};
    static const char *const sides[][2] = {
        {"g.src = %s", "e.a = %s"},
        {"g.src = %s AND g.dst = %s", "e.a = %s AND e.b = %s"},
        {"g.src IN (%s, 'x')", "e.a IN (%s, 'x')"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        sql_open();
        run("CREATE TABLE roads(a %s, b %s, metres)", types[i], types[i]);
        run("INSERT INTO roads VALUES (1, 3, 1), ('1', 1, 2), ('1', '1', 3), (1, '2', "
            "4), "
            "('x', 1, 5), (2, 2, 6), ('2', 2, 7), (1, 1, 8), ('1', 2, 9)");
        run("CREATE TABLE places(i INTEGER, r REAL, t TEXT, x); INSERT INTO places "
            "VALUES "
            "(1, 1.0, '1', 1), (2, 2.5, 'x', '2'), (3, 2.0, '3', x'31'), (4, 1e300, '', "
            "NULL)");
        run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
        size_t names = sizeof columns / sizeof *columns - (i == 3 ? 2 : 0);
        for (size_t k = 0; k < names * 3; k++) {
            const char *name = columns[k / 3];
            char *value = sqlite3_mprintf("%s%s", strchr(name, '.') ? "" : "p.", name);
            char *graph = sqlite3_mprintf(sides[k % 3][0], value, value),
                 *table = sqlite3_mprintf(sides[k % 3][1], value, value);
            char *on_graph =
                     sqlite3_mprintf("SELECT p.i, edge FROM places p CROSS JOIN g "
                                     "WHERE %s ORDER BY 1, 2",
                                     graph),
                 *on_table =
                     sqlite3_mprintf("SELECT p.i, e.rowid FROM places p CROSS JOIN "
                                     "roads e WHERE %s ORDER BY 1, 2",
                                     table);
            expect_same(on_graph, on_table);
            sqlite3_free(value);
            sqlite3_free(graph);
            sqlite3_free(table);
            sqlite3_free(on_graph);
            sqlite3_free(on_table);
        }
        /* The type of a list's column counts, too, and each edge comes once. */
        static const char *const lists[] = {"i", "t", "x", "r"};
        static const char *const in[][2] = {
            {"src IN (%s)", "a IN (%s)"},
            {"dst IN (%s)", "b IN (%s)"},
            {"src IN (%s UNION ALL SELECT 1 UNION ALL SELECT '1')",
             "a IN (%s UNION ALL SELECT 1 UNION ALL SELECT '1')"},
            {"src IN (%s) AND dst = 1", "a IN (%s) AND b = 1"},
            {"src = '1' AND dst IN (%s)", "a = '1' AND b IN (%s)"},
            {"src IN (%s) AND dst IN ('2', 1, 2)", "a IN (%s) AND b IN ('2', 1, 2)"},
            {"src IN (%s) AND src = 1", "a IN (%s) AND a = 1"}};
        const size_t forms = sizeof in / sizeof *in;
        for (size_t k = 0; k < (i == 3 ? 3 : 4) * forms; k++) {
            char *list = sqlite3_mprintf("SELECT %s FROM places", lists[k / forms]),
                 *graph = sqlite3_mprintf("SELECT edge FROM g WHERE %z ORDER BY edge",
                                          sqlite3_mprintf(in[k % forms][0], list)),
                 *table = sqlite3_mprintf("SELECT rowid FROM roads WHERE %z ORDER BY 1",
                                          sqlite3_mprintf(in[k % forms][1], list));
            expect_same(graph, table);
            sqlite3_free(list);
            sqlite3_free(graph);
            sqlite3_free(table);
        }
        expect_same(
            "SELECT typeof(src), src, dst, edge FROM g WHERE src > 1 OR dst = '1' "
            "ORDER BY edge",
            "SELECT typeof(a), a, b, rowid FROM roads WHERE a > 1 OR b = '1' "
            "ORDER BY rowid");
        expect_same("SELECT dst FROM g, places WHERE i = 1 AND src = i ORDER BY dst",
                    "SELECT b FROM roads, places WHERE i = 1 AND a = i ORDER BY b");
        expect_same(
            "SELECT edge FROM g, places WHERE i = 1 AND src = i AND dst = i ORDER "
            "BY edge",
            "SELECT roads.rowid FROM roads, places WHERE i = 1 AND a = i AND b = i "
            "ORDER BY 1");
        sql_close();
    }
}
END_TEST

START_TEST(plans_and_orders) {
    open_graph();
    run("INSERT INTO roads VALUES (1, 9, 1), (1, 2, 4), (1, 'x', 1), (1, 3, 9)");
    char *detail = ask("EXPLAIN QUERY PLAN SELECT * FROM g WHERE src = 1");
    ck_assert_msg(strstr(detail, "src=?") != NULL, "%s", detail);
    sqlite3_free(detail);
    detail = ask("EXPLAIN QUERY PLAN SELECT * FROM g WHERE dst = 2 AND src = 1");
    ck_assert_msg(strstr(detail, "src=? AND dst=?") != NULL, "%s", detail);
    sqlite3_free(detail);
    detail = ask("EXPLAIN QUERY PLAN SELECT * FROM g WHERE edge = 1 ORDER BY edge");
    ck_assert_msg(strstr(detail, "edge=?") && !strstr(detail, "B-TREE"), "%s", detail);
    sqlite3_free(detail);
    expect("2|1;2|6;3|8;9|5;'x'|7",
           "SELECT dst, edge FROM g WHERE src = 1 ORDER BY dst, edge");
    expect("2;2;3;9;'x'", "SELECT dst FROM g WHERE src = 1 ORDER BY dst");
    expect("1;6", "SELECT edge FROM g WHERE src = 1 AND dst = 2 ORDER BY edge");
    expect("8;7;6;5;4;3;2;1", "SELECT edge FROM g ORDER BY edge DESC");
    expect("3|3", "SELECT rowid, edge FROM g WHERE rowid = 3");
    expect("3", "SELECT edge FROM g WHERE edge = '3'");
    expect("", "SELECT edge FROM g WHERE edge = 3.5");
    expect("", "SELECT edge FROM g WHERE edge = 99");
    expect("1;2;5",
           "SELECT DISTINCT edge FROM g WHERE src IN (1, 2) AND dst IN (2, 3, 9) AND "
           "edge < 6 ORDER BY 1");
    detail = ask("EXPLAIN QUERY PLAN SELECT * FROM g WHERE src IN (1, 2)");
    ck_assert_msg(strstr(detail, "src IN (?)") != NULL, "%s", detail);
    sqlite3_free(detail);
    expect("1;2;5;6;7;8", "SELECT edge FROM g WHERE src IN (2, '1', NULL, 1.0, 1.5, "
                          "x'31', 1) ORDER BY edge");
    expect("1", "SELECT count(*) FROM g WHERE src IN (2, 2)");
    expect("4", "SELECT edge FROM g WHERE src = 'X' COLLATE NOCASE");
    expect("", "SELECT edge FROM g WHERE src = 'X'");
    expect("8", "SELECT count(*) FROM g");
    char *refused = ask("DELETE FROM g");
    ck_assert_msg(strstr(refused, "may not be modified") != NULL, "%s", refused);
    sqlite3_free(refused);
    sql_close();
}
END_TEST

START_TEST(directions_and_vertices) {
    sql_open();
    run("CREATE TABLE roads(a, b); INSERT INTO roads VALUES (1, 2), (3, 2)");
    run("CREATE TABLE places(id); INSERT INTO places VALUES (2), (99)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b), direction = 'both')");
    run("CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), direction='in')");
    expect("1;2;3", "SELECT vertex FROM gpu_bfs('g', 1)");
    expect("1;2", "SELECT vertex FROM gpu_bfs('g', 1) WHERE direction = 'out'");
    expect("1;2;3", "SELECT vertex FROM gpu_bfs('h', 2)");
    expect("2", "SELECT vertex FROM gpu_bfs('h', 2) WHERE direction = 'out'");
    expect("1;3;99", "SELECT vertex FROM gpu_mis('g') WHERE vertices = 'places(id)'");
    expect("2;1;3",
           "SELECT vertex FROM gpu_bfs('g', 2) WHERE vertices = 'places(id)' ORDER BY "
           "depth, vertex");
    run("INSERT INTO roads VALUES (1, 3); INSERT INTO places VALUES (77)");
    expect("1", "SELECT gpugraph_triangles('g')");
    sql_close();
}
END_TEST

/* Each question has equal answers for the graph and the table, before and after a
** change. */
START_TEST(every_function_takes_a_graph) {
    static const char *const questions[] = {
        "SELECT * FROM gpu_bfs('%s', 1) ORDER BY vertex",
        "SELECT *, source FROM gpu_sssp WHERE edges = '%s' AND sources = '[1, 4]' ORDER "
        "BY "
        "vertex",
        "SELECT * FROM gpu_path('%s', 1, 4)",
        "SELECT * FROM gpu_path('%s', 1, 4) WHERE weighted = 0",
        "SELECT * FROM gpu_dfs('%s', 1) WHERE ordered = 1 ORDER BY preorder",
        "SELECT * FROM gpu_mis('%s') ORDER BY vertex",
        "SELECT * FROM gpu_label_propagation('%s') ORDER BY vertex",
        "SELECT * FROM gpu_triangles('%s') WHERE direction = 'in' ORDER BY vertex",
        "SELECT gpugraph_triangles('%s')",
        "SELECT id, vertex FROM places, gpu_bfs('%s', places.id) ORDER BY 1, 2",
    };
    open_graph();
    run("CREATE TABLE places(id); INSERT INTO places VALUES (1), (3), ('x')");
    run("CREATE VIEW light AS SELECT src, dst FROM g WHERE weight < 6");
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
            char *graph = sqlite3_mprintf(questions[i], "g");
            char *table = sqlite3_mprintf(questions[i], "roads(a, b, metres)");
            expect_same(graph, table);
            sqlite3_free(graph);
            sqlite3_free(table);
        }
        expect_same("SELECT vertex FROM gpu_bfs('g(dst, src)', 3) ORDER BY 1",
                    "SELECT vertex FROM gpu_bfs('roads(b, a)', 3) ORDER BY 1");
        expect_same(
            "SELECT vertex FROM gpu_bfs('light', 1) ORDER BY 1",
            "SELECT vertex FROM gpu_bfs('SELECT a, b FROM roads WHERE metres < 6', 1) "
            "ORDER BY 1");
        expect_same(
            "SELECT vertex FROM gpu_bfs('SELECT src, dst, weight, edge FROM g', 1) "
            "ORDER BY 1",
            "SELECT vertex FROM gpu_bfs('roads(a, b)', 1) ORDER BY 1");
        run("DELETE FROM roads WHERE rowid = 3; INSERT INTO roads VALUES (3, 'x', 2), "
            "(%d, 4, "
            "1)",
            turn);
    }
    sql_close();
}
END_TEST

/* ---- functions ---- */

START_TEST(check_reports_differences) {
    open_graph();
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    expect("'ok'", "SELECT gpugraph_check('g')");
    run("DELETE FROM roads WHERE rowid = 2; INSERT INTO roads VALUES (7, 8, 9); UPDATE "
        "roads "
        "SET metres = 6 WHERE rowid = 1");
    expect(
        "'edge 1 differs between table and graph; edge 2 is in the graph and not in the "
        "table; edge 5 is in the table and not in the graph'",
        "SELECT gpugraph_check('g')");
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL);
    run("UPDATE roads SET metres = metres; DELETE FROM roads WHERE rowid = 2");
    run("INSERT INTO roads(rowid, a, b) VALUES (2, 1, 1); DELETE FROM roads WHERE rowid "
        "= 2");
    expect("'ok'", "SELECT gpugraph_check('g')");
    expect_error("gpugraph_check", "not a graph", "SELECT gpugraph_check('roads')");
    expect_error("gpugraph_check", "first argument", "SELECT gpugraph_check(5)");
    expect_error("gpugraph_check", "no table or view",
                 "SELECT gpugraph_check('nowhere')");
    sql_close();
}
END_TEST

/* An id takes the affinity of the source column first. */
START_TEST(ids_to_delete_are_as_stored) {
    sql_open();
    run("CREATE TABLE words(a TEXT, b); INSERT INTO words VALUES ('3.5', 1), (1, 2)");
    run("CREATE TABLE numbers(a INTEGER, b); INSERT INTO numbers VALUES (1, 2), ('x', "
        "1)");
    run("CREATE VIRTUAL TABLE w USING gpugraph(words(a, b)); CREATE VIRTUAL TABLE n "
        "USING "
        "gpugraph(numbers(a, b))");
    expect("1", "SELECT gpugraph_delete_vertex('w', 3.5)");
    expect("1", "SELECT gpugraph_delete_vertex('w', 1.0)");
    expect_error("gpugraph_delete_vertex", "a BLOB",
                 "SELECT gpugraph_delete_vertex('w', x'31')");
    expect_error("gpugraph_delete_vertex", "the id is the REAL 3.5",
                 "SELECT gpugraph_delete_vertex('n', '3.5')");
    expect("1", "SELECT gpugraph_delete_vertex('n', 'x')");
    expect("1", "SELECT gpugraph_delete_vertex('n', '1')");
    sql_close();
}
END_TEST

START_TEST(vertices_are_deleted) {
    open_graph();
    run("INSERT INTO roads VALUES (2, 2, 1), (2, 2, 1)");
    expect("0", "SELECT gpugraph_delete_vertex('g', 77)");
    expect("0", "SELECT gpugraph_delete_vertex('g', NULL)");
    static const char *const no_ids[] = {"3.5", "x'01'", "9e99", "-0.5"};
    for (size_t i = 0; i < sizeof no_ids / sizeof *no_ids; i++)
        expect_error("gpugraph_delete_vertex", "a vertex id is an INTEGER or a TEXT",
                     "SELECT gpugraph_delete_vertex('g', %s)", no_ids[i]);
    expect("4", "SELECT gpugraph_delete_vertex('g', 2.0)");
    expect("3|4;'x'|1", "SELECT src, dst FROM g");
    graph_is("g", "roads");
    expect("1", "SELECT gpugraph_delete_vertex('main.g', 'x')");
    graph_is("g", "roads");
    run("BEGIN");
    expect("1", "SELECT gpugraph_delete_vertex('g', 3)");
    expect("0", "SELECT count(*) FROM g");
    run("ROLLBACK");
    expect("1", "SELECT count(*) FROM g");
    run("CREATE TRIGGER no BEFORE DELETE ON roads BEGIN SELECT raise(ABORT, 'not this "
        "one'); "
        "END");
    expect_error("gpugraph_delete_vertex", "not this one",
                 "SELECT gpugraph_delete_vertex('g', 3)");
    graph_is("g", "roads");
    /* While the statement runs, another row gets the rowid of a deleted one. */
    run("DROP TRIGGER no; DELETE FROM roads; DROP TABLE g; CREATE TRIGGER more AFTER "
        "DELETE ON roads BEGIN INSERT INTO "
        "roads VALUES (8, 9, 1); END; CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, "
        "metres)); INSERT INTO roads VALUES (5, 6, 1), (1, 2, 1); CREATE TABLE gone(v); "
        "INSERT INTO gone VALUES (1), (2)");
    expect("1;0", "SELECT gpugraph_delete_vertex('g', v) FROM gone");
    expect("5|6|1;8|9|1", "SELECT * FROM roads");
    graph_is("g", "roads");
    run("CREATE TABLE keyed(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID; INSERT INTO keyed "
        "VALUES "
        "(1, 2), (2, 3), (3, 1), ('2', 5); CREATE VIRTUAL TABLE k USING "
        "gpugraph(keyed(a, b))");
    expect("2", "SELECT gpugraph_delete_vertex('k', 2)");
    expect("3|1|-;'2'|5|-", "SELECT src, dst, edge FROM k");
    expect("'ok'", "SELECT gpugraph_check('k')");
    /* Columns have the names of the rowid, but one column is the rowid. */
    run("CREATE TABLE hidden(rowid, oid, _rowid_, id INTEGER PRIMARY KEY, src, dst);"
        "INSERT INTO hidden(id, src, dst) VALUES (10, 1, 2), (-5, 3, 4);"
        "CREATE VIRTUAL TABLE h USING gpugraph(hidden)");
    expect("3|4|-5;1|2|10", "SELECT src, dst, edge FROM h");
    expect("'ok'", "SELECT gpugraph_check('h')");
    sql_close();
}
END_TEST

/* Each statement reads the table of a graph that has lost a trigger, and a search leaves
** the edges on the device where it ran. */
START_TEST(edges_are_here_for_whoever_lists_them) {
    static const char *const first[] = {NULL, "SELECT count(*) FROM gpu_bfs('g', 2)",
                                        "SELECT gpugraph_check('g')",
                                        "SELECT count(*) FROM g WHERE dst = 3"};
    const char *backend = suite_has_device() ? "cuda" : "cpu";
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        sql_open();
        run("CREATE TABLE roads(a, b, metres);"
            "INSERT INTO roads VALUES (2, 3, 1), (3, 7, 2), (9, 2, 5);"
            "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres));"
            "DROP TRIGGER g_deleted; SELECT gpugraph_config('backend', '%s')",
            backend);
        if (i > 0)
            run("%s", first[i]);
        expect("2|3|1;3|7|2;9|2|5", "SELECT src, dst, weight FROM g ORDER BY edge");
        run("DELETE FROM roads WHERE a = 3");
        if (i > 0)
            run("%s", first[i]);
        expect("'ok'", "SELECT gpugraph_check('g')");
        expect("9|2", "SELECT src, dst FROM g WHERE src = 9");
        expect("2", "SELECT sum(depth) + count(*) - 1 FROM gpu_bfs('g', 2)");
        sql_close();
    }
}
END_TEST

const struct suite suite = {
    "follow_table",
    {{"follow_table", .timeout = 60,
      .cases = {{&lookups_compare_as_the_table_does},
                {&joins_compare_as_the_table_does},
                {&plans_and_orders},
                {&directions_and_vertices},
                {&every_function_takes_a_graph},
                {&check_reports_differences},
                {&edges_are_here_for_whoever_lists_them},
                {&ids_to_delete_are_as_stored},
                {&vertices_are_deleted}}}},
};
