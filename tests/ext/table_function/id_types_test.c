/* Ids and the declared types of their columns: the rule for ids as arguments, the error
** for an id in two types, and reverse weights that are found by name. */
#include "gpugraph_extension.h"
#include "suite.h"
#include "sql.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- ids as arguments ---- */

static void make_bought(void) {
    run("CREATE TABLE bought(customer TEXT, item INTEGER);"
        "INSERT INTO bought VALUES ('ann', 1), ('ann', 2), ('bob', 2), ('cid', 3);"
        "CREATE TABLE items(id INTEGER PRIMARY KEY, name);"
        "INSERT INTO items VALUES (1, 'pen'), (2, 'ink'), (3, 'pad')");
}

#define BOUGHT "'bought(customer, item)'"

START_TEST(both_ends_can_be_named) {
    make_bought();
    static const char *const twos[] = {"2", "2.0", "'2'", "' 2'"};
    for (int i = 0; i < 4; i++) {
        const char *two = twos[i];
        expect("2|0;'ann'|1;'bob'|1",
               "SELECT vertex, depth FROM gpu_bfs(" BOUGHT
               ", %s) WHERE direction = 'in' ORDER BY depth, vertex",
               two);
        expect("2|1", "SELECT vertex, depth FROM gpu_bfs(" BOUGHT ", 'ann', %s)", two);
        expect("2", "SELECT vertex FROM gpu_bfs(" BOUGHT ", 'ann') WHERE vertex = %s",
               two);
        expect("2",
               "SELECT vertex FROM gpu_bfs(" BOUGHT ", 'ann') WHERE vertex IN (%s, 2, 9)",
               two);
        expect("2", "SELECT count(*) FROM gpu_path(" BOUGHT ", 'ann', %s)", two);
        expect("2",
               "SELECT vertex FROM gpu_bfs(" BOUGHT ", 'ann') WHERE target IN (%s, "
               "'2', 2)",
               two);
        expect("2|2;2|'ann';2|'bob'",
               "SELECT source, vertex FROM gpu_bfs(" BOUGHT ") WHERE source IN (%s, 2, "
               "2.0) AND direction = 'in' ORDER BY depth, vertex",
               two);
        expect("1", "SELECT component FROM gpu_components(" BOUGHT ") WHERE vertex = %s",
               two);
    }
    expect("'ann'|2|1;'bob'|2|1",
           "SELECT source, target, distance FROM gpu_matrix(" BOUGHT
           ", '[\"ann\", \"bob\"]', '[2, 2.0, \"2\"]')");
    expect("6", "SELECT count(*) FROM gpu_pagerank(" BOUGHT ") WHERE sources = '[2]'");
    /* The columns are in the other order. */
    expect("2|0;'ann'|1;'bob'|1", "SELECT vertex, depth FROM gpu_bfs('bought(item, "
                                  "customer)', '2') ORDER BY depth, vertex");
    expect_error("gpu_bfs", "is a BLOB", "SELECT * FROM gpu_bfs(" BOUGHT ", x'32')");
    expect("", "SELECT * FROM gpu_bfs(" BOUGHT ", 2.5)"); /* '2.5' may be a customer */
}
END_TEST

START_TEST(every_plan_of_a_join_finds_the_rows) {
    make_bought();
    static const char *const joins[] = {"gpu_bfs(" BOUGHT ", 'ann') CROSS JOIN items",
                                        "items CROSS JOIN gpu_bfs(" BOUGHT ", 'ann')",
                                        "items JOIN gpu_bfs(" BOUGHT ", 'ann')"};
    for (int i = 0; i < 3; i++)
        expect("'ink';'pen'", "SELECT name FROM %s ON id = vertex ORDER BY 1", joins[i]);
    expect("3",
           "SELECT count(*) FROM items JOIN gpu_pagerank(" BOUGHT ") ON id = vertex");
    expect("3", "SELECT count(component) FROM items LEFT JOIN gpu_components(" BOUGHT
                ") ON id = vertex");
}
END_TEST

/* If both 1 and '1' are vertices, an argument finds the vertex of its own type. */
START_TEST(own_type_comes_first) {
    run("CREATE TABLE e(src TEXT, dst); INSERT INTO e VALUES ('1', 'text'), ('x', 1), "
        "('2', 'y');"
        "CREATE VIRTUAL TABLE g USING gpugraph(e(src, dst))");
    expect("'1';'text'", "SELECT vertex FROM gpu_bfs('e', '1') ORDER BY depth");
    expect("1", "SELECT vertex FROM gpu_bfs('e', 1)");
    expect("'2';'y'", "SELECT vertex FROM gpu_bfs('e', 2) ORDER BY depth");
    /* src is a TEXT column of the graph's table, so a comparison converts 1 to '1'. */
    expect("'text'", "SELECT dst FROM g WHERE src = 1");
    expect("'x'", "SELECT src FROM g WHERE dst = 1");
}
END_TEST

START_TEST(a_vertex_is_deleted_by_its_own_type) {
    for (int i = 0; i < 2; i++) {
        run("CREATE TABLE e(src TEXT, dst%s; INSERT INTO e VALUES ('2', 'a'), ('x', 2), "
            "('y', '2');"
            "CREATE VIRTUAL TABLE g USING gpugraph(e(src, dst))",
            i ? ", PRIMARY KEY(src, dst)) WITHOUT ROWID" : ")");
        expect("1", "SELECT gpugraph_delete_vertex('g', 2)");
        expect("'2'|'a';'y'|'2'", "SELECT src, dst FROM e ORDER BY 1");
        expect("2", "SELECT gpugraph_delete_vertex('g', '2')");
        expect("0", "SELECT count(*) FROM e");
        run("DROP TABLE g; DROP TABLE e");
    }
}
END_TEST

START_TEST(whole_reals_mean_one_vertex_everywhere) {
    run("CREATE TABLE imported(src TEXT, dst TEXT);"
        "INSERT INTO imported VALUES ('1', 'one'), ('2', 'two');"
        "CREATE VIRTUAL TABLE g USING gpugraph(imported(src, dst))");
    expect("2", "SELECT count(*) FROM gpu_bfs('imported', 1.0)");
    expect("2", "SELECT count(*) FROM gpu_bfs('imported') WHERE sources = '[1.0]'");
    expect("'1'", "SELECT vertex FROM gpu_bfs('imported', '1') WHERE vertex = 1.0");
    expect("'one'", "SELECT dst FROM g WHERE src = 1.0");
    expect("'one'", "SELECT dst FROM g WHERE src IN (1.0, 1)");
    expect("1", "SELECT gpugraph_delete_vertex('g', 1.0)");
    expect("'2'", "SELECT src FROM imported");
}
END_TEST

/* ---- one id in two types ---- */

static const char two_vertices[] = "1 and '1' would be two vertices, since column ";

START_TEST(one_id_in_two_types) {
    static const struct {
        const char *table, *rows, *edges, *part; /* part NULL: no error */
    } cases[] = {
        {"e(a TEXT, b INTEGER)", "('1', 2), ('x', 1)", "e(a, b)",
         "b of main.e is INTEGER and column a of main.e is TEXT; CAST one of them in "
         "a query to merge ids, or put a prefix before the ids of one to keep them "
         "apart"},
        {"e(a INTEGER, b VARCHAR(9))", "(1, '2'), (3, '1')", "main.e(a, b)",
         "a of main.e is INTEGER and column b of main.e is VARCHAR(9); CAST one of them "
         "in a query to merge ids"},
        {"e(a TEXT, b NUMERIC)", "('1', 'x'), ('y', '1')", "e(a, b)", "b of main.e is"},
        {"e(a REAL, b TEXT)", "('1', 'x'), ('y', '1')", "e(a, b)",
         "a of main.e is REAL and column b of main.e is TEXT"},
        {"e(a TEXT, b INTEGER)", "(NULL, 1), ('1', 7)", "e(a, b)", ""},
        {"e(a TEXT, b INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID", "('1', 2), ('x', 1)",
         "e(a, b)", ""},
        {"e(a TEXT, b INTEGER)", "('1', 2), ('x', 1)", "SELECT a, b FROM e",
         "b of the query in edges is INTEGER and column a of the query in edges is TEXT; "
         "CAST one of them in a query to merge ids, or put"},
        {"e(a TEXT, b INTEGER); CREATE VIEW v AS SELECT a, b FROM e",
         "('1', 2), ('x', 1)", "v(a, b)", "b of main.v is"},
        /* No id is in both columns. */
        {"e(a TEXT, b INTEGER)", "('1', 2), ('x', 3)", "e(a, b)", NULL},
        {"e(a TEXT, b INTEGER)", "('01', 1), (' 1', 2), ('1.5', 2)", "e(a, b)", NULL},
        /* The columns declare no type, or equal types. */
        {"e(a, b)", "('1', 2), ('x', 1)", "e(a, b)", NULL},
        {"e(a TEXT, b)", "('1', 2), ('x', 1)", "e(a, b)", NULL},
        {"e(a BLOB, b INTEGER)", "('1', 2), ('x', 1)", "e(a, b)", NULL},
        {"e(a TEXT, b TEXT)", "('1', 2), ('x', 1)", "e(a, b)", NULL},
        {"e(a TEXT, b INTEGER)", "('1', 2), ('x', 1)", "SELECT +a, +b FROM e", NULL},
        {"e(a TEXT, b INTEGER)", "('1', 2), ('x', 1)", "SELECT a, CAST(b AS TEXT) FROM e",
         NULL},
        {"e(a TEXT, b INTEGER)", "('1', 2), ('x', 1)", "SELECT ''c'' || a, b FROM e",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool keyed = strstr(cases[i].table, "WITHOUT ROWID") != NULL;
        run("CREATE TABLE %s", cases[i].table);
        run("INSERT INTO e VALUES %s", keyed ? "('1', 2), ('x', 1)" : cases[i].rows);
        if (cases[i].part) {
            expect_error("gpu_components", two_vertices,
                         "SELECT * FROM gpu_components('%s')", cases[i].edges);
            expect_error("gpu_components", cases[i].part,
                         "SELECT * FROM gpu_components('%s')", cases[i].edges);
            expect_error("gpu_bfs", two_vertices, "SELECT * FROM gpu_bfs('%s', 1)",
                         cases[i].edges);
        } else {
            char *rows =
                ask("SELECT count(*) > 0 FROM gpu_components('%s')", cases[i].edges);
            ck_assert_msg(strcmp(rows, "1") == 0, "%s: %s", cases[i].edges, rows);
            sqlite3_free(rows);
        }
        run("DROP VIEW IF EXISTS v; DROP TABLE e");
    }
}
END_TEST

/* A TEXT column turns the REAL into '1.0'. */
START_TEST(a_text_of_a_real_counts) {
    run("CREATE TABLE e(a REAL, b TEXT); INSERT INTO e VALUES (1, 1.0)");
    expect_error("gpu_bfs", "1 and '1.0' would be two vertices",
                 "SELECT * FROM gpu_bfs('e(a, b)', 1)");
}
END_TEST

START_TEST(vertices_count_too) {
    run("CREATE TABLE e(src TEXT, dst TEXT); INSERT INTO e VALUES ('1', 'b');"
        "CREATE TABLE places(id INTEGER); INSERT INTO places VALUES (1), (77)");
    expect_error(
        "gpu_components",
        "id of main.places is INTEGER and column src of main.e is TEXT; CAST one "
        "of them in a query to merge ids",
        "SELECT * FROM gpu_components('e') WHERE vertices = 'places'");
    expect("3", "SELECT count(*) FROM gpu_components('e') WHERE vertices = 'SELECT "
                "CAST(id AS TEXT) FROM places'");
    run("DELETE FROM places WHERE id = 1");
    expect("3", "SELECT count(*) FROM gpu_components('e') WHERE vertices = 'places'");
}
END_TEST

/* The page reader finds the error, also for a second connection. */
START_TEST(a_file_with_one_id_in_two_types) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/gpugraph-id-types-%d.db", (int)getpid());
    unlink(path);
    for (int i = 0; i < 2; i++) {
        run("ATTACH '%s' AS f", path);
        run("CREATE TABLE IF NOT EXISTS f.e(a TEXT, b INTEGER)");
        if (i == 0)
            run("WITH r(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM r WHERE i < 30000) "
                "INSERT INTO f.e SELECT CASE i WHEN 29000 THEN '28' ELSE 'c' || i END, i "
                "FROM r");
        expect_error("gpu_components", "28 and '28' would be two vertices",
                     "SELECT count(*) FROM gpu_components('f.e(a, b)')");
        if (i == 0)
            sql_close();
        if (i == 0)
            sql_open();
    }
    run("UPDATE f.e SET a = 'none' WHERE a = '28'; BEGIN; SELECT 1 FROM f.e LIMIT 1");
    expect("60000", "SELECT count(*) FROM gpu_components('f.e(a, b)')");
    expect("1", "SELECT detail LIKE 'pages:%%' FROM gpugraph_timings WHERE phase = "
                "'read'");
    run("COMMIT");
    unlink(path);
}
END_TEST

static void expect_mixed(const char *text) {
    char part[80];
    snprintf(part, sizeof part, "%s would be two vertices", text);
    expect_error("gpu_components", part, "SELECT * FROM gpu_components('g')");
    expect_error("g", part, "SELECT * FROM g");
    expect_error("gpugraph_check", part, "SELECT gpugraph_check('g')");
    expect_error("gpugraph_delete_vertex", part, "SELECT gpugraph_delete_vertex('g', 1)");
}

/* The graph answers again without another read of the table. */
static void expect_corrected(const char *vertices) {
    expect(vertices, "SELECT count(*) FROM gpu_components('g')");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    expect("'ok'", "SELECT gpugraph_check('g')");
}

START_TEST(a_followed_graph_fails_until_it_is_corrected) {
    static const char *const options[] = {"", ", persist = 1", ", direction = 'both'"};
    for (int i = 0; i < 3; i++) {
        run("CREATE TABLE emp(id INTEGER PRIMARY KEY, boss TEXT);"
            "INSERT INTO emp VALUES (1, NULL), (2, 'x'), (3, 'y');"
            "CREATE VIRTUAL TABLE g USING gpugraph(emp(boss, id)%s)",
            options[i]);
        expect("5", "SELECT count(*) FROM gpu_components('g')");
        run("INSERT INTO emp VALUES (4, '3')");
        expect_mixed("3 and '3'");
        run("INSERT INTO emp VALUES (5, 'z')");
        expect_mixed("3 and '3'");
        run("UPDATE emp SET boss = 'w' WHERE id = 4");
        expect_corrected("9");
        run("UPDATE emp SET boss = '5.0' WHERE id = 4");
        expect_mixed("5 and '5.0'");
        run("DELETE FROM emp WHERE id = 5");
        expect_corrected("7");
        run("INSERT INTO emp VALUES (6, '2'), (7, '1')");
        expect_mixed("1 and '1'");
        run("UPDATE emp SET boss = 'x' WHERE id = 7");
        expect_mixed("2 and '2'");
        run("BEGIN; DELETE FROM emp WHERE id = 6");
        expect("8", "SELECT count(*) FROM gpu_components('g')");
        run("ROLLBACK");
        expect_mixed("2 and '2'");
        run("DROP TABLE g; DROP TABLE emp");
    }
}
END_TEST

START_TEST(a_graph_is_made_of_a_table_to_be_corrected) {
    run("CREATE TABLE emp(id INTEGER PRIMARY KEY, boss TEXT);"
        "INSERT INTO emp VALUES (1, NULL), (2, '1');"
        "CREATE VIRTUAL TABLE g USING gpugraph(emp(boss, id), persist = 1)");
    expect_mixed("1 and '1'");
    expect_error("gpugraph_save",
                 "CAST one of them in another table to merge ids, or put",
                 "SELECT gpugraph_save('g')");
    run("UPDATE emp SET boss = 'none'");
    expect_corrected("3");
}
END_TEST

/* ---- reverse weights by name ---- */

#define WAYS                                                                             \
    "(1, 10, 'A', 1, 2, 0.1, 0.1), (2, 20, 'B', 3, 2, 0.2, 0.2), (3, 30, 'C', 3, 4, "    \
    "0.3, -0.3)"

START_TEST(reverse_cost_is_found_by_name) {
    run("CREATE TABLE ways(gid INTEGER PRIMARY KEY, length REAL, name TEXT, source "
        "INTEGER, "
        "target INTEGER, cost REAL, reverse_cost REAL);"
        "INSERT INTO ways VALUES " WAYS ";"
        "CREATE VIEW seen AS SELECT gid AS id, source, target, cost, reverse_cost FROM "
        "ways;"
        "CREATE VIEW nameless AS SELECT source, target, cost, Reverse_Cost FROM ways;"
        "CREATE TABLE keyed(source, target, cost, reverse_cost, PRIMARY KEY(source, "
        "target)) "
        "WITHOUT ROWID;"
        "INSERT INTO keyed SELECT source, target, cost, reverse_cost FROM ways;"
        "CREATE VIRTUAL TABLE g USING gpugraph(ways)");
    static const char all[] = "1|-;2|1;3|2;4|3", none[] = "1|-;2|-;3|-;4|-";
    static const char *const named[][2] = {
        {"ways", all},      {"ways(source, target, cost, gid, reverse_cost)", all},
        {"seen", all},      {"g", all},
        {"nameless", none}, {"keyed", none}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        expect(named[i][1], "SELECT vertex, edge FROM gpu_path('%s', 1, 4) ORDER BY seq",
               named[i][0]);
        expect(named[i][1], "SELECT vertex, edge FROM gpu_bfs('%s', 1) ORDER BY depth",
               named[i][0]);
        expect("4|0.0", "SELECT vertex, distance FROM gpu_sssp('%s', 4)", named[i][0]);
        expect("3", "SELECT count(*) FROM gpu_spanning_forest('%s')", named[i][0]);
    }
    run("UPDATE ways SET reverse_cost = 0.4 WHERE gid = 3; INSERT INTO ways VALUES "
        "(9, 1, 'D', 4, 5, -1, NULL)");
    expect("4", "SELECT count(*) FROM gpu_sssp('g', 4)");
    expect("'ok'", "SELECT gpugraph_check('g')");
}
END_TEST

START_TEST(reverse_cost_goes_with_cost_alone) {
    run("CREATE TABLE e(source, target, weight, cost, reverse_cost);"
        "INSERT INTO e VALUES (1, 2, 5, 6, 7);"
        "CREATE TABLE f(source, target, length, reverse_cost);"
        "INSERT INTO f VALUES (1, 2, 5, 7)");
    expect("2", "SELECT vertex FROM gpu_sssp('e', 2)");
    expect("2", "SELECT vertex FROM gpu_sssp('f', 2)");
    expect("5", "SELECT distance FROM gpu_sssp('e', 1, 2)");
}
END_TEST

START_TEST(a_graph_without_rowids_asks_for_an_edge_id) {
    run("CREATE TABLE w(k PRIMARY KEY, source, target, cost, reverse_cost) WITHOUT ROWID;"
        "INSERT INTO w VALUES ('a', 1, 2, 3, 4)");
    expect_error("gpugraph",
                 "name the columns, as in 'main.w(source, target, cost, k, "
                 "reverse_cost)'",
                 "CREATE VIRTUAL TABLE g USING gpugraph(w)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(main.w(source, target, cost, k, "
        "reverse_cost))");
    expect("2|0|-;1|4|'a'",
           "SELECT vertex, distance, edge FROM gpu_sssp('g', 2) ORDER BY "
           "distance");
}
END_TEST

const struct suite suite = {
    "id_types",
    {{"id types", .timeout = 60, .setup = sql_open, .teardown = sql_close,
      .cases = {{&both_ends_can_be_named},
                {&every_plan_of_a_join_finds_the_rows},
                {&own_type_comes_first},
                {&a_vertex_is_deleted_by_its_own_type},
                {&whole_reals_mean_one_vertex_everywhere},
                {&one_id_in_two_types},
                {&a_text_of_a_real_counts},
                {&vertices_count_too},
                {&a_file_with_one_id_in_two_types},
                {&a_followed_graph_fails_until_it_is_corrected},
                {&a_graph_is_made_of_a_table_to_be_corrected},
                {&reverse_cost_is_found_by_name},
                {&reverse_cost_goes_with_cost_alone},
                {&a_graph_without_rowids_asks_for_an_edge_id}}}},
};
