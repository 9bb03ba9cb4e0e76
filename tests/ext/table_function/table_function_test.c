/* The table functions in SQL: columns, arguments, errors, ids, and answers compared with
** plain SQL. */
/* ctest: serial cells */
#include <stdio.h>
#include <stdlib.h>

#include "sql.h"
#include "suite.h"

/* ---- columns and defaults ---- */

/* The arguments of all functions. */
#define FOR_ALL                                                                          \
    "vertices params edge_filter edge_params vertex_filter vertex_params method backend"

/* The arguments in parentheses have columns of their own, which come first. */
START_TEST(columns_are_in_order) {
    static const char *const columns[][2] = {
        {"gpu_bfs",
         "vertex depth parent edge | (edges) (source) (target) (further) edges source "
         "target sources max_depth direction " FOR_ALL " arrays"},
        {"gpu_sssp",
         "vertex distance parent edge | (edges) (source) (target) (further) edges source "
         "target sources max_distance direction " FOR_ALL " arrays"},
        {"gpu_path", "seq vertex edge cost distance | (edges) (source) (target) "
                     "(further) edges source target direction weighted " FOR_ALL},
        {"gpu_dfs",
         "vertex depth parent edge preorder postorder | (edges) (source) (further) edges "
         "source ordered direction " FOR_ALL " arrays"},
        {"gpu_mis", "vertex | (edges) (further) edges priority seed " FOR_ALL " arrays"},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char *got =
            ask("SELECT group_concat(name, ' ') FILTER (WHERE hidden = 0) || ' | ' "
                "|| group_concat(name, ' ') FILTER (WHERE hidden = 1) "
                "FROM pragma_table_xinfo(%Q)",
                columns[i][0]);
        char *want = sqlite3_mprintf("'%s'", columns[i][1]);
        ck_assert_str_eq(got, want);
        sqlite3_free(got);
        sqlite3_free(want);
    }
    expect("'INTEGER'",
           "SELECT type FROM pragma_table_xinfo('gpu_bfs') WHERE name = 'depth'");
}
END_TEST

START_TEST(rows_of_a_small_graph) {
    make_roads();
    expect("1|0|-|-;2|1|1|1;3|1|1|3;4|2|3|4",
           "SELECT * FROM gpu_bfs('roads', 1) ORDER BY vertex");
    expect("1|0|-|-;2|5|1|1;3|12|2|2;4|13|3|4",
           "SELECT * FROM gpu_sssp('roads', 1) ORDER BY vertex");
    expect("0|1|-|-|0;1|2|1|5|5;2|3|2|7|12;3|4|4|1|13",
           "SELECT * FROM gpu_path('roads', 1, 4)");
    expect("0|1|-|-|0;1|3|3|1|1;2|4|4|1|2",
           "SELECT * FROM gpu_path('roads', 1, 4) WHERE weighted = 0");
    expect("0|1|-|-|0;1|3|3|1|1;2|4|4|1|2",
           "SELECT * FROM gpu_path('roads(src, dst)', 1, 4)");
    expect_error("gpu_path", "'roads(src, dst)' names no third column, the weight",
                 "SELECT * FROM gpu_path('roads(src, dst)', 1, 4) WHERE weighted = 1");
    expect("0|4|-|-|0", "SELECT * FROM gpu_path('roads', 4, 4)");
    expect("", "SELECT * FROM gpu_path('roads', 4, 1)");
    expect("0|4|-|-|0;1|3|4|1|1;2|2|2|7|8;3|1|1|5|13",
           "SELECT * FROM gpu_path('roads', 4, 1) WHERE direction = 'in'");
    expect("1|0|-|-|0|3;2|1|1|1|1|2;3|2|2|2|2|1;4|3|3|4|3|0",
           "SELECT * FROM gpu_dfs('roads', 1) WHERE ordered = 1 ORDER BY preorder");
    expect("8|0|4|5;9|1|5|4",
           "SELECT vertex, depth, preorder, postorder FROM gpu_dfs('roads') "
           "WHERE ordered = 1 AND vertex > 4 ORDER BY preorder");
    expect("1;4;8",
           "SELECT vertex FROM gpu_mis('roads') WHERE priority = 'id' ORDER BY vertex");
    expect("1", "SELECT gpugraph_triangles('roads')");
    expect("3", "SELECT count(*) FROM gpu_mis('roads')");
}
END_TEST

START_TEST(hidden_columns_return_what_was_given) {
    make_roads();
    expect("'roads'|1|1",
           "SELECT edges, source, target FROM gpu_bfs('roads', 1) LIMIT 1");
    expect("'roads'|1|4|'2'|'BOTH'",
           "SELECT edges, source, target, max_depth, direction FROM "
           "gpu_bfs('roads', 1, 4) WHERE max_depth = '2' AND direction = 'BOTH'");
    expect("0",
           "SELECT DISTINCT weighted FROM gpu_path('roads', 1, 4) WHERE weighted = 0");
    expect("-|'CPU'", "SELECT DISTINCT priority, backend FROM gpu_mis('roads') WHERE "
                      "priority = NULL AND backend = 'CPU'");
    expect("1|'auto'", "SELECT DISTINCT source, method FROM gpu_sssp('roads', 1) "
                       "WHERE method = 'auto'");
    expect("1|1;2|1;3|1;4|1;8|8;9|8", "SELECT vertex, source FROM gpu_bfs('roads') WHERE "
                                      "sources = '[8, 1]' ORDER BY vertex");
    expect("2.5", "SELECT DISTINCT max_distance FROM gpu_sssp('roads', 8) WHERE "
                  "max_distance = 2.5");
    run("CREATE TABLE whole(src INTEGER, dst INTEGER); INSERT INTO whole VALUES (1, 2), "
        "(2, 3)");
    expect(
        "'1'|1;'1'|2;'1'|3;2|2;2|3",
        "SELECT source, vertex FROM gpu_bfs('whole') WHERE source IN (2, '1') ORDER BY "
        "source = 2, vertex");
    expect("2|2;'3'|3", "SELECT target, vertex FROM gpu_bfs('whole', 1) WHERE target IN "
                        "(2, '3') ORDER BY vertex");
}
END_TEST

START_TEST(null_and_unknown_ids_give_no_rows) {
    make_roads();
    expect("", "SELECT * FROM gpu_bfs('roads', NULL)");
    expect("", "SELECT * FROM gpu_bfs('roads', 77)");
    expect("", "SELECT * FROM gpu_bfs('roads', 1, NULL)");
    expect("", "SELECT * FROM gpu_bfs('roads', 1, 77)");
    expect("", "SELECT * FROM gpu_bfs('roads', 1) WHERE vertex = NULL");
    expect("", "SELECT * FROM gpu_bfs('roads', 1) WHERE vertex = 77");
    expect("", "SELECT * FROM gpu_bfs('roads', 1) WHERE depth <= NULL");
    expect("", "SELECT * FROM gpu_path('roads', 1, NULL)");
    expect("", "SELECT * FROM gpu_path('roads', NULL, 1)");
    expect("", "SELECT * FROM gpu_dfs('roads', NULL)");
    expect("", "SELECT * FROM gpu_bfs('roads') WHERE sources = '[]'");
    expect("", "SELECT * FROM gpu_bfs('roads') WHERE sources = '[70, \"x\"]'");
    expect("4",
           "SELECT count(*) FROM gpu_bfs('roads', 1) WHERE max_depth = NULL AND "
           "direction = NULL "
           "AND sources = NULL AND vertices = NULL AND method = NULL AND backend = NULL");
    expect("1;3",
           "SELECT target FROM gpu_bfs('roads', 1) WHERE target IN (1, NULL, 3, 77)");
    expect("", "SELECT * FROM gpu_bfs('roads', 1) WHERE target IN (NULL, 77)");
    run("CREATE TABLE empty(src, dst, weight)");
    expect("", "SELECT * FROM gpu_dfs('empty')");
    expect("", "SELECT * FROM gpu_mis('empty')");
    expect("0", "SELECT gpugraph_triangles('empty')");
}
END_TEST

START_TEST(vertices_join_the_graph) {
    make_roads();
    run("CREATE TABLE places(id INTEGER); INSERT INTO places VALUES(1),(5),(6)");
    expect("5|0",
           "SELECT vertex, depth FROM gpu_bfs('roads', 5) WHERE vertices = 'places(id)'");
    expect("'places(id)'",
           "SELECT vertices FROM gpu_bfs('roads', 5) WHERE vertices = 'places(id)'");
    expect("5;6", "SELECT vertex FROM gpu_mis('roads') WHERE vertices = 'places(id)' AND "
                  "vertex IN (5, 6) "
                  "ORDER BY vertex");
}
END_TEST

/* ---- sentences ---- */

START_TEST(wrong_arguments_are_explained) {
    make_roads();
    expect_error("gpu_bfs", "edges is missing", "SELECT * FROM gpu_bfs");
    expect_error("gpu_bfs", "edges is NULL", "SELECT * FROM gpu_bfs(NULL, 1)");
    expect_error("gpu_bfs", "not 5", "SELECT * FROM gpu_bfs(5, 1)");
    expect_error("gpu_bfs", "no source", "SELECT * FROM gpu_bfs('roads')");
    expect_error("gpu_sssp", "no source", "SELECT * FROM gpu_sssp('roads')");
    expect_error("gpu_sssp", "no source",
                 "SELECT * FROM gpu_sssp('roads') WHERE sources = NULL");
    expect_error("gpu_path", "no source", "SELECT * FROM gpu_path('roads')");
    expect_error("gpu_path", "no target", "SELECT * FROM gpu_path('roads', 1)");
    expect_error("gpu_bfs", "both source and sources",
                 "SELECT * FROM gpu_bfs('roads', 1) WHERE sources = '[2]'");
    expect_error("gpu_bfs", "'out', 'in' or 'both', not 'up'",
                 "SELECT * FROM gpu_bfs('roads', 1) WHERE direction = 'up'");
    expect_error("gpu_bfs", "'out', 'in' or 'both', not 1",
                 "SELECT * FROM gpu_bfs('roads', 1) WHERE direction = 1");
    expect_error("gpu_mis", "'degree', 'degree-id', 'random' or 'id'",
                 "SELECT * FROM gpu_mis('roads') WHERE priority = 'x'");
    expect_error("gpu_bfs", "'auto', 'cpu' or 'cuda'",
                 "SELECT * FROM gpu_bfs('roads', 1) WHERE backend = 'tpu'");
    expect_error("gpu_bfs", "'top-down'",
                 "SELECT * FROM gpu_bfs('roads', 1) WHERE method = 'dijkstra'");
    expect_error("gpu_path", "'dijkstra'",
                 "SELECT * FROM gpu_path('roads', 1, 4) WHERE method = 'x'");
    /* A method of both backends is listed once. */
    const char *first = strstr(sqlite3_errmsg(db), "'direction-optimizing'");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "'direction-optimizing'"));
    expect_error("gpu_bfs", "max_depth must be a number that is 0 or more, not -1",
                 "SELECT * FROM gpu_bfs('roads', 1) WHERE max_depth = -1");
    expect_error("gpu_sssp", "max_distance must be",
                 "SELECT * FROM gpu_sssp('roads', 1) WHERE max_distance = 'x'");
    expect_error("gpu_sssp", "a BLOB",
                 "SELECT * FROM gpu_sssp('roads', 1) WHERE max_distance = x'31'");
    expect_error("gpu_dfs", "ordered must be 0 or 1, not 2",
                 "SELECT * FROM gpu_dfs('roads', 1) WHERE ordered = 2");
    expect_error("gpu_path", "weighted must be 0 or 1, not 0.5",
                 "SELECT * FROM gpu_path('roads', 1, 4) WHERE weighted = 0.5");
    expect_error("gpu_mis", "seed must be an INTEGER",
                 "SELECT * FROM gpu_mis('roads') WHERE seed = 'abc'");
    expect_error("gpu_bfs", "JSON array",
                 "SELECT * FROM gpu_bfs('roads') WHERE sources = '{\"a\": 1}'");
    expect_error("gpu_bfs", "JSON array",
                 "SELECT * FROM gpu_bfs('roads') WHERE sources = '[1, 2'");
    expect_error("gpu_bfs", "JSON array",
                 "SELECT * FROM gpu_bfs('roads') WHERE sources = 5");
    expect_error("gpu_bfs", "element 2",
                 "SELECT * FROM gpu_bfs('roads') WHERE sources = '[1, null]'");
    expect_error("gpu_bfs", "element 1",
                 "SELECT * FROM gpu_bfs('roads') WHERE sources = '[1.5]'");
    expect_error("gpu_bfs", "element 1",
                 "SELECT * FROM gpu_bfs('roads') WHERE sources = '[[1]]'");
    expect_error("gpu_bfs", "no_such", "SELECT * FROM gpu_bfs('no_such', 1)");
    run("CREATE TABLE bare(src, dst)");
    run("INSERT INTO bare VALUES(1, 2)");
    expect_error("gpu_sssp", "weight", "SELECT * FROM gpu_sssp('bare', 1)");
    expect("error: gpugraph_triangles: the argument edges must be the name of a table, a "
           "view or a query of "
           "edges, as in gpugraph_triangles('roads'), not NULL",
           "SELECT gpugraph_triangles(NULL)");
    expect_error("gpugraph_triangles", "no_such", "SELECT gpugraph_triangles('no_such')");
}
END_TEST

START_TEST(arguments_take_equality_alone) {
    make_roads();
    static const char *const wrong[][2] = {
        {"source > 1", ""},
        {"source BETWEEN 1 AND 2", ""},
        {"source IS 1", "; write source = 1"},
        {"source <> 1", ""},
        {"direction LIKE 'o%'", ""},
        {"direction IS 'in'", "; write direction = 'in'"},
        {"target IS NULL", ""},
        {"target IS NOT NULL", ""},
        {"edges GLOB 'r*'", ""},
        {"max_depth <= 2", "; write max_depth = 2"},
        {"2 >= max_depth", "; write max_depth = 2"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *part = sqlite3_mprintf("can be compared by = or IN alone%s", wrong[i][1]);
        expect_error("gpu_bfs", part, "SELECT * FROM gpu_bfs('roads', 1) WHERE %s",
                     wrong[i][0]);
        sqlite3_free(part);
    }
    expect("4", "SELECT count(*) FROM gpu_bfs('roads', 1) WHERE +source BETWEEN 1 AND 2");
    expect("0", "SELECT count(*) FROM gpu_bfs('roads', 1) WHERE source = 2");
}
END_TEST

/* ---- ids ---- */

START_TEST(ids_take_the_affinity_of_the_source_column) {
    run("CREATE TABLE whole(src INTEGER, dst INTEGER); INSERT INTO whole VALUES(1, 2);"
        "CREATE TABLE texts(src TEXT, dst TEXT); INSERT INTO texts VALUES('1', '2'), "
        "('2', 'b');"
        "CREATE TABLE plain(src, dst); INSERT INTO plain VALUES(1, 2), ('1', '2');"
        "CREATE TABLE reals(src REAL, dst REAL)");
    expect("2", "SELECT vertex FROM gpu_bfs('whole', '1') WHERE depth = 1");
    expect("2", "SELECT vertex FROM gpu_bfs('whole', ' 1.0 ') WHERE depth = 1");
    expect("2", "SELECT vertex FROM gpu_bfs('whole', 1.0) WHERE depth = 1");
    expect_error("gpu_bfs",
                 "source is the REAL 1.5; a vertex id is an INTEGER or a TEXT: CAST",
                 "SELECT * FROM gpu_bfs('whole', 1.5)");
    expect_error("gpu_bfs", "source is the REAL 1.5",
                 "SELECT * FROM gpu_bfs('whole') WHERE source IN ('x', '1.5')");
    expect_error("gpu_path", "target is the REAL -0.5",
                 "SELECT * FROM gpu_path('whole', 1, -0.5)");
    expect("", "SELECT vertex FROM gpu_bfs('texts', 1.5)");
    expect("", "SELECT vertex FROM gpu_bfs('whole', 'x')");
    expect_error("gpu_bfs", "source is a BLOB", "SELECT * FROM gpu_bfs('whole', x'31')");
    expect("2", "SELECT vertex FROM gpu_bfs('whole', 1) WHERE vertex = '2'");
    expect("1|2", "SELECT source, vertex FROM gpu_bfs('whole') WHERE sources = '[\"1\"]' "
                  "AND depth = 1");
    expect("'2'", "SELECT vertex FROM gpu_bfs('texts', 1) WHERE depth = 1");
    expect("'2'", "SELECT vertex FROM gpu_bfs('texts', '1') WHERE vertex = 2");
    expect("'b'", "SELECT vertex FROM gpu_bfs('texts', 1, 'b')");
    expect("'1';'2'", "SELECT vertex FROM gpu_bfs('texts', 1.0) WHERE depth < 2");
    expect("'2'", "SELECT vertex FROM gpu_bfs('texts', 1.0) WHERE vertex = 2.0");
    expect("'2'", "SELECT vertex FROM gpu_bfs('texts', 1.0, 2.0)");
    expect("'1';'2'",
           "SELECT vertex FROM gpu_bfs('texts') WHERE sources = '[1]' AND depth < 2");
    expect("2", "SELECT vertex FROM gpu_bfs('plain', 1) WHERE depth = 1");
    expect("'2'", "SELECT vertex FROM gpu_bfs('plain', '1') WHERE depth = 1");
    expect("2", "SELECT vertex FROM gpu_bfs('plain', 1.0) WHERE depth = 1");
    expect_error("gpu_bfs", "target is a BLOB",
                 "SELECT * FROM gpu_bfs('plain', 1) WHERE target = x'31'");
    /* ANY means no affinity in a STRICT table, and NUMERIC affinity in others. */
    run("CREATE TABLE any(src ANY, dst ANY) STRICT; INSERT INTO any SELECT * FROM plain;"
        "CREATE TABLE loose(src ANY, dst ANY); INSERT INTO loose SELECT * FROM plain;"
        "CREATE VIRTUAL TABLE g USING gpugraph(any)");
    expect("'2'", "SELECT vertex FROM gpu_bfs('any', '1') WHERE depth = 1");
    expect("'2'", "SELECT dst FROM g WHERE src = '1'");
    expect("2", "SELECT vertex FROM gpu_bfs('g', 1) WHERE depth = 1");
    expect("2", "SELECT vertex FROM gpu_bfs('loose', '1') WHERE depth = 1");
    /* IN passes its values unchanged, as = does. */
    run("INSERT INTO plain VALUES('01', 3), ('1e0', 4)");
    expect("'01'|3;'1'|'2';'1e0'|4;1|2",
           "SELECT source, vertex FROM gpu_bfs('plain') WHERE source IN ('01', '1', 1, "
           "'1e0') AND depth = 1 ORDER BY typeof(source) DESC, source");
    expect("'1'|'2';1|2", "SELECT source, vertex FROM gpu_sssp('SELECT src, dst, 1 FROM "
                          "plain') WHERE source IN (SELECT src FROM plain WHERE dst IN "
                          "(2, '2')) AND distance = 1 ORDER BY typeof(source) DESC");
    expect("'01'|0", "SELECT target, depth FROM gpu_bfs('plain', '01') WHERE target IN "
                     "('01', 1)");
    expect("'01';3", "SELECT vertex FROM gpu_path('plain') WHERE source IN ('01', '9') "
                     "AND target IN ('3', 3) ORDER BY seq");
    /* The constant is not converted for its other uses. */
    expect("'1'|'1'", "SELECT '1', source FROM gpu_bfs('whole', '1') WHERE depth = 1");
    expect("1|1", "SELECT 1, source FROM gpu_bfs('texts', 1) WHERE depth = 1");
}
END_TEST

START_TEST(collations_do_not_reach_ids) {
    run("CREATE TABLE t(src, dst); INSERT INTO t VALUES('a', 'B'), ('B', 'b'), ('b', "
        "'c')");
    expect("'B'", "SELECT vertex FROM gpu_bfs('t', 'a') WHERE vertex = 'B'");
    expect("'B';'b'", "SELECT vertex FROM gpu_bfs('t', 'a') WHERE vertex = 'B' COLLATE "
                      "NOCASE ORDER BY vertex");
    expect("'B';'a';'b';'c'", "SELECT vertex FROM gpu_bfs('t', 'a') ORDER BY vertex");
    expect("'a';'B';'b';'c'",
           "SELECT vertex FROM gpu_bfs('t', 'a') ORDER BY vertex COLLATE NOCASE, depth");
    run("INSERT INTO t VALUES('c', 10), (10, -3), (-3, 'c' || char(0) || 'd')");
    expect("-3;10;'B';'a';'b';'c';'c'",
           "SELECT vertex FROM gpu_bfs('t', 'a') ORDER BY vertex");
    expect("3", "SELECT length(CAST(vertex AS BLOB)) FROM gpu_bfs('t', 'a', 'c' || "
                "char(0) || 'd')");
}
END_TEST

/* ---- truth ---- */

START_TEST(depths_and_distances_agree_with_sql) {
    for (unsigned seed = 1; seed <= 4; seed++) {
        char name[8];
        snprintf(name, sizeof name, "g%u", seed);
        make_random(name, 30, 20 + 20 * (int)seed, seed);
        static const char *const arcs[3][2] = {
            {"out", "SELECT src a, dst b, weight w FROM %s"},
            {"in", "SELECT dst a, src b, weight w FROM %s"},
            {"both", "SELECT src a, dst b, weight w FROM %s UNION ALL SELECT dst, src, "
                     "weight FROM %s"},
        };
        for (int d = 0; d < 3; d++) {
            char *of = sqlite3_mprintf(arcs[d][1], name, name);
            run("DROP TABLE IF EXISTS arcs; CREATE TABLE arcs AS %s", of);
            sqlite3_free(of);
            for (int source = 1; source <= 30; source += 7) {
                char *got = sqlite3_mprintf("SELECT vertex, depth FROM gpu_bfs('%s', %d) "
                                            "WHERE direction = '%s' ORDER BY vertex",
                                            name, source, arcs[d][0]);
                char *truth =
                    sqlite3_mprintf("WITH RECURSIVE r(v, d) AS (SELECT %d, 0 WHERE %d IN "
                                    "(SELECT a FROM arcs UNION SELECT b FROM "
                                    "arcs) UNION SELECT b, d + 1 FROM r JOIN arcs ON a = "
                                    "v WHERE d < 30) SELECT v, min(d) FROM r "
                                    "GROUP BY v ORDER BY v",
                                    source, source);
                expect_same(got, truth);
                sqlite3_free(got);
                sqlite3_free(truth);
                got = sqlite3_mprintf("SELECT vertex, distance FROM gpu_sssp('%s', %d) "
                                      "WHERE direction = '%s' ORDER BY vertex",
                                      name, source, arcs[d][0]);
                truth = sqlite3_mprintf("WITH RECURSIVE r(v, d) AS (SELECT %d, 0 WHERE "
                                        "%d IN (SELECT a FROM arcs UNION SELECT b FROM "
                                        "arcs) UNION SELECT b, d + w FROM r JOIN arcs ON "
                                        "a = v WHERE d < 60) SELECT v, min(d) FROM r "
                                        "GROUP BY v HAVING min(d) < 60 ORDER BY v",
                                        source, source);
                char *bounded =
                    sqlite3_mprintf("SELECT * FROM (%s) WHERE distance < 60", got);
                expect_same(bounded, truth);
                sqlite3_free(bounded);
                sqlite3_free(got);
                sqlite3_free(truth);
            }
        }
    }
}
END_TEST

START_TEST(trees_and_paths_hold_together) {
    make_random("g", 40, 120, 9);
    /* Each parent is nearer by the weight of the edge that the row names. */
    expect("", "SELECT * FROM gpu_sssp('g', 3) b LEFT JOIN gpu_sssp('g', 3) p ON "
               "p.vertex = b.parent "
               "LEFT JOIN g ON g.rowid = b.edge WHERE b.parent IS NOT NULL AND NOT "
               "coalesce(g.src = b.parent "
               "AND g.dst = b.vertex AND p.distance + g.weight = b.distance, 0)");
    /* Paths end at their target with its distance, and their steps are connected. */
    expect_same("SELECT target, max(distance) FROM (SELECT vertex v FROM gpu_sssp('g', "
                "3)) t, gpu_path('g', 3, t.v) "
                "GROUP BY target ORDER BY target",
                "SELECT vertex, distance FROM gpu_sssp('g', 3) ORDER BY vertex");
    expect(
        "",
        "SELECT * FROM (SELECT vertex v FROM gpu_sssp('g', 3)) t, (SELECT seq, vertex, "
        "edge, cost, distance, "
        "target, lag(vertex) OVER w previous, lag(distance) OVER w before FROM gpu_path "
        "WHERE edges = 'g' AND source = 3 AND target IN (SELECT DISTINCT dst FROM g) "
        "WINDOW w AS (PARTITION BY target ORDER BY seq)) p JOIN g ON g.rowid = p.edge "
        "WHERE p.target = t.v AND p.seq > 0 AND NOT (g.src = previous AND g.dst = "
        "p.vertex AND "
        "g.weight = p.cost AND before + p.cost = p.distance)");
    /* In depth-first trees parents are one level up, and intervals are nested. */
    for (int ordered = 0; ordered < 2; ordered++) {
        run("DROP TABLE IF EXISTS t; CREATE TABLE t AS SELECT * FROM gpu_dfs('g') WHERE "
            "ordered = %d",
            ordered);
        expect_same("SELECT vertex FROM t ORDER BY 1",
                    "SELECT src FROM g UNION SELECT dst FROM g ORDER BY 1");
        expect("", "SELECT * FROM t JOIN t p ON p.vertex = t.parent LEFT JOIN g ON "
                   "g.rowid = t.edge WHERE NOT "
                   "coalesce(p.depth + 1 = t.depth AND p.preorder < t.preorder AND "
                   "p.postorder > t.postorder "
                   "AND g.src = p.vertex AND g.dst = t.vertex, 0)");
        expect_same(
            "SELECT count(*), count(*) - 1, count(*) - 1 FROM t",
            "SELECT count(DISTINCT preorder), max(preorder), max(postorder) FROM t");
    }
    /* The set must be independent and maximal. */
    run("CREATE TABLE m AS SELECT vertex FROM gpu_mis('g') WHERE seed = 5");
    expect("0", "SELECT count(*) FROM g WHERE src <> dst AND src IN m AND dst IN m");
    expect("", "SELECT v FROM (SELECT src v FROM g UNION SELECT dst FROM g) WHERE v NOT "
               "IN m AND NOT EXISTS "
               "(SELECT 1 FROM g WHERE src <> dst AND ((src = v AND dst IN m) OR (dst = "
               "v AND src IN m)))");
}
END_TEST

START_TEST(one_unordered_tree_in_a_statement) {
    make_random("g", 300, 900, 3);
    expect("1", "SELECT count(*) > 100 AND count(*) = sum(a.parent IS b.parent AND "
                "a.depth = b.depth AND a.depth = "
                "c.depth AND a.edge IS c.edge) AND count(*) = count(DISTINCT c.preorder) "
                "AND count(*) = "
                "count(DISTINCT b.postorder) FROM gpu_dfs('g', 1) a, gpu_dfs('g', 1) b, "
                "gpu_dfs('g', 1) c "
                "WHERE b.vertex = a.vertex AND c.vertex = a.vertex");
    expect_same("SELECT * FROM gpu_dfs('g', 1) WHERE ordered = 1 ORDER BY postorder",
                "SELECT * FROM (SELECT * FROM gpu_dfs('g', 1) WHERE ordered = 1) ORDER "
                "BY +postorder");
}
END_TEST

START_TEST(real_and_large_distances) {
    run("CREATE TABLE r(src, dst, weight); INSERT INTO r VALUES(1, 2, 0.5), (2, 3, 1)");
    expect("1|0.0;2|0.5;3|1.5", "SELECT vertex, distance FROM gpu_sssp('r', 1)");
    expect(
        "'real'|'real'",
        "SELECT typeof(cost), typeof(distance) FROM gpu_path('r', 1, 3) WHERE seq = 2");
    expect("1;2", "SELECT vertex FROM gpu_sssp('r', 1) WHERE max_distance = 1.25");
    expect("1", "SELECT vertex FROM gpu_sssp('r', 1) WHERE distance < 0.5");
    expect("1;2", "SELECT vertex FROM gpu_sssp('r', 1) WHERE distance <= 0.5");
    run("CREATE TABLE l(src, dst, weight); INSERT INTO l VALUES(1, 2, 4000000000), (2, "
        "3, 4000000000),"
        "(3, 4, 9007199254740993)");
    expect("1|0;2|4000000000;3|8000000000;4|9007207254740993",
           "SELECT vertex, distance FROM gpu_sssp('l', 1) ORDER BY distance");
    expect("3",
           "SELECT count(*) FROM gpu_sssp('l', 1) WHERE max_distance = 9007207254740992");
    expect("4",
           "SELECT count(*) FROM gpu_sssp('l', 1) WHERE max_distance = 9007207254740993");
    expect("9007199254740993", "SELECT cost FROM gpu_path('l', 1, 4) WHERE seq = 3");
    run("INSERT INTO l VALUES(4, 5, 9223372036854775807)");
    expect_error("gpu_sssp", "", "SELECT * FROM gpu_sssp('l', 1)");
}
END_TEST

const struct suite suite = {
    "table_function",
    {{"table functions", .timeout = 60, .setup = sql_open, .teardown = sql_close,
      .cases = {{&columns_are_in_order},
                {&rows_of_a_small_graph},
                {&hidden_columns_return_what_was_given},
                {&null_and_unknown_ids_give_no_rows},
                {&vertices_join_the_graph},
                {&wrong_arguments_are_explained},
                {&arguments_take_equality_alone},
                {&ids_take_the_affinity_of_the_source_column},
                {&collations_do_not_reach_ids},
                {&depths_and_distances_agree_with_sql},
                {&trees_and_paths_hold_together},
                {&one_unordered_tree_in_a_statement},
                {&real_and_large_distances}}}},
};
