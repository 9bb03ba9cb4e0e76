/* Constraints, orders and limits in plans never change the rows, and they save work.
** Other tests read the lists that show the state of the extension. */
/* ctest: serial */
#include "gpugraph_extension.h"
#include "suite.h"
#include "sql.h"
#include "gpugraph.h"

START_TEST(pushed_conditions_change_nothing) {
    make_random("g", 60, 110, 5);
    run("CREATE TABLE bfs AS SELECT * FROM gpu_bfs('g', 1);"
        "CREATE TABLE sssp AS SELECT * FROM gpu_sssp('g', 1);"
        "CREATE TABLE dfs AS SELECT * FROM gpu_dfs('g', 1) WHERE ordered = 1;"
        "CREATE TABLE mis AS SELECT * FROM gpu_mis('g');"
        "CREATE TABLE path AS SELECT * FROM gpu_path('g', 1, 11);"
        "CREATE TABLE cores AS SELECT * FROM gpu_cores('g');"
        "CREATE TABLE pieces AS SELECT * FROM gpu_components('g');"
        "CREATE TABLE ranks AS SELECT * FROM gpu_pagerank('g');"
        "CREATE TABLE corners AS SELECT * FROM gpu_triangles('g')");
    static const char *const from[][2] = {
        {"bfs", "(SELECT * FROM gpu_bfs('g', 1))"},
        {"sssp", "(SELECT * FROM gpu_sssp('g', 1))"},
        {"dfs", "(SELECT * FROM gpu_dfs('g', 1) WHERE ordered = 1)"},
        {"mis", "(SELECT * FROM gpu_mis('g'))"},
        {"path", "(SELECT * FROM gpu_path('g', 1, 11))"},
        {"cores", "(SELECT * FROM gpu_cores('g'))"},
        {"pieces", "(SELECT * FROM gpu_components('g'))"},
        {"ranks", "(SELECT * FROM gpu_pagerank('g'))"},
        {"corners", "(SELECT * FROM gpu_triangles('g'))"},
        {"corners", "(SELECT * FROM gpu_triangles('g'))"},
    };
    static const char *const value[] = {"depth",     "distance",   "depth",     "vertex",
                                        "seq",       "core",       "component", "rank",
                                        "triangles", "coefficient"};
    static const char *const conditions[] = {
        "1",
        "vertex = 11",
        "vertex IN (3, 11, 12, 13)",
        "%s <= 3",
        "%s < 3",
        "%s <= 2.5",
        "%s < 2.0",
        "%s < -1",
        "%s <= 'x'",
        "%s <= x'00'",
        "%s = 2",
        "%s > 2",
        "%s <= 4 AND %s < 4.5",
        "vertex > 10 AND %s < 6",
        "vertex = 11 OR %s = 1",
        "%s <= 9e99",
        "%s <= -9e99",
        "%s BETWEEN 1 AND 3",
        "%s <= 1 + vertex / 10",
    };
    static const char *const orders[] = {
        "vertex",          "vertex DESC",     "%s, vertex", "%s DESC, vertex DESC",
        "%s, vertex DESC", "%s DESC, vertex", "vertex, %s", "+%s, vertex",
        "-vertex",
    };
    static const char *const limits[] = {"",
                                         "LIMIT 5",
                                         "LIMIT 3 OFFSET 2",
                                         "LIMIT -1 OFFSET 4",
                                         "LIMIT 0",
                                         "LIMIT 1000 OFFSET 1",
                                         "LIMIT 2 OFFSET 1000",
                                         "LIMIT 4 OFFSET -3"};
    for (size_t f = 0; f < sizeof from / sizeof *from; f++) {
        for (size_t c = 0; c < sizeof conditions / sizeof *conditions; c++) {
            for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
                for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
                    char *format =
                        sqlite3_mprintf("SELECT * FROM %%s WHERE %s ORDER BY %s %s",
                                        conditions[c], orders[o], limits[l]);
                    char *sql[2];
                    for (int k = 0; k < 2; k++)
                        sql[k] = sqlite3_mprintf(format, from[f][k], value[f], value[f],
                                                 value[f]);
                    expect_same(sql[1], sql[0]);
                    sqlite3_free(sql[0]);
                    sqlite3_free(sql[1]);
                    sqlite3_free(format);
                }
            }
        }
    }
}
END_TEST

/* Rows come in the order of one of the function's own columns, so SQLite need not
** sort. */
START_TEST(own_columns_need_no_sort) {
    static const char *const statements[] = {
        "SELECT vertex FROM gpu_pagerank('g') ORDER BY rank DESC LIMIT 3",
        "SELECT vertex FROM gpu_cores('g') ORDER BY core, vertex",
        "SELECT component, count(*) FROM gpu_components('g') GROUP BY component",
        "SELECT degree, avg(coefficient) FROM gpu_triangles('g') GROUP BY degree",
        "SELECT label FROM gpu_label_propagation('g') ORDER BY label DESC, vertex DESC",
        "SELECT vertex FROM gpu_topological_order('d') ORDER BY position",
    };
    make_random("g", 60, 110, 5);
    run("CREATE TABLE d AS SELECT min(src, dst) AS src, max(src, dst) AS dst FROM g "
        "WHERE src <> dst");
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        char *plan = ask("EXPLAIN QUERY PLAN %s", statements[i]);
        ck_assert_msg(!strstr(plan, "error") && !strstr(plan, "B-TREE"), "%s: %s",
                      statements[i], plan);
        sqlite3_free(plan);
    }
    expect_same("SELECT vertex, level, position FROM gpu_topological_order('d') ORDER BY "
                "level DESC, vertex",
                "SELECT vertex, level, position FROM (SELECT * FROM "
                "gpu_topological_order('d') LIMIT -1) ORDER BY level DESC, vertex");
    run("CREATE TABLE names AS SELECT CASE WHEN src %% 3 THEN 'n' || src ELSE src END AS "
        "src, "
        "CASE WHEN dst %% 3 THEN 'n' || dst ELSE dst END AS dst FROM g WHERE src %% 4");
    expect_same(
        "SELECT component, vertex FROM gpu_components('names') ORDER BY component "
        "DESC, vertex",
        "SELECT component, vertex FROM (SELECT * FROM gpu_components('names') "
        "LIMIT -1) ORDER BY component DESC, vertex");
    expect_same("SELECT label, count(*) FROM gpu_label_propagation('g') GROUP BY label",
                "SELECT label, count(*) FROM (SELECT * FROM gpu_label_propagation('g') "
                "LIMIT -1) GROUP BY label");
}
END_TEST

START_TEST(limits_stop_early_and_lose_nothing) {
    make_random("g", 60, 110, 5);
    run("CREATE TABLE bfs AS SELECT * FROM gpu_bfs('g', 1); CREATE TABLE sssp AS SELECT "
        "* FROM gpu_sssp('g', 1)");
    static const char *const wheres[] = {"1", "%s <= 3", "%s > 1", "vertex > 7"};
    for (int f = 0; f < 2; f++) {
        const char *function = f ? "sssp" : "bfs", *value = f ? "distance" : "depth";
        for (int w = 0; w < 4; w++) {
            for (int limit = 0; limit < 60; limit += 7) {
                for (int offset = 0; offset < 20; offset += 6) {
                    char *where = sqlite3_mprintf(wheres[w], value);
                    /* The order of ties is free, so only values are compared. */
                    char *got = sqlite3_mprintf(
                        "SELECT %s FROM gpu_%s('g', 1) WHERE %s ORDER BY %s LIMIT %d "
                        "OFFSET %d",
                        value, function, where, value, limit, offset);
                    char *truth = sqlite3_mprintf(
                        "SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT %d OFFSET %d",
                        value, function, where, value, limit, offset);
                    expect_same(got, truth);
                    sqlite3_free(got);
                    sqlite3_free(truth);
                    /* Without an order only the number of rows is compared. */
                    got = sqlite3_mprintf("SELECT count(*), count(DISTINCT vertex), "
                                          "sum((vertex, %s, parent) IN "
                                          "(SELECT vertex, %s, parent FROM %s) OR parent "
                                          "IS NULL) FROM (SELECT * FROM "
                                          "gpu_%s('g', 1) WHERE %s LIMIT %d OFFSET %d)",
                                          value, value, function, function, where, limit,
                                          offset);
                    truth = sqlite3_mprintf("SELECT count(*), count(*), sum(1) FROM "
                                            "(SELECT * FROM %s WHERE %s LIMIT "
                                            "%d OFFSET %d)",
                                            function, where, limit, offset);
                    expect_same(got, truth);
                    sqlite3_free(got);
                    sqlite3_free(truth);
                    sqlite3_free(where);
                }
            }
        }
    }
    expect("1", "SELECT count(*) FROM (SELECT * FROM gpu_bfs('g', 1, 11) LIMIT 5)");
    expect_same("SELECT count(*) FROM (SELECT vertex FROM gpu_bfs('g', 1) UNION ALL "
                "SELECT vertex FROM "
                "gpu_bfs('g', 2) LIMIT 70 OFFSET 3)",
                "SELECT min(70, (SELECT count(*) FROM gpu_bfs('g', 1)) + (SELECT "
                "count(*) FROM gpu_bfs('g', 2)) - 3)");
}
END_TEST

START_TEST(arms_of_or_do_not_shadow_each_other) {
    make_random("g", 40, 80, 2);
    expect_same("SELECT source, vertex, depth FROM gpu_bfs WHERE (edges = 'g' AND source "
                "= 1 AND depth < 3) OR (edges = "
                "'g' AND source = 2 AND depth < 2) OR (edges = 'g' AND source = 2 AND "
                "vertex = 39) ORDER BY 1, 2",
                "SELECT 1, vertex, depth FROM gpu_bfs('g', 1) WHERE depth < 3 UNION ALL "
                "SELECT 2, vertex, depth FROM "
                "gpu_bfs('g', 2) WHERE depth < 2 ORDER BY 1, 2");
    expect_same("SELECT target, vertex FROM gpu_path WHERE (edges = 'g' AND source = 1 "
                "AND target = 39) OR (edges = 'g' "
                "AND source = 1 AND target = 2) OR (edges = 'g' AND source = 2 AND "
                "target IN (39)) ORDER BY 1, 2",
                "SELECT 2, vertex FROM gpu_path('g', 1, 2) UNION ALL SELECT 39, vertex "
                "FROM gpu_path('g', 1, 39) UNION "
                "ALL SELECT 39, vertex FROM gpu_path('g', 2, 39) ORDER BY 1, 2");
    /* A term that all arms share may stand outside of the OR. */
    expect_same("SELECT source, vertex, depth FROM gpu_bfs('g') WHERE (source = 1 AND "
                "max_depth = 2 AND direction = NULL) OR (source = 2 AND direction = 'in' "
                "AND max_depth = NULL) ORDER BY 1, 2",
                "SELECT 1, vertex, depth FROM gpu_bfs('g', 1) WHERE depth <= 2 UNION ALL "
                "SELECT 2, vertex, depth FROM gpu_bfs('g', 2) WHERE direction = 'in' "
                "ORDER BY 1, 2");
    expect_same("SELECT target, vertex FROM gpu_path('g') WHERE (source = 1 AND target = "
                "39) OR (source = 2 AND target = 2) ORDER BY 1, 2",
                "SELECT 39, vertex FROM gpu_path('g', 1, 39) UNION ALL SELECT 2, vertex "
                "FROM gpu_path('g', 2, 2) ORDER BY 1, 2");
    expect_same("SELECT count(DISTINCT rowid) FROM gpu_bfs('g', 1)",
                "SELECT count(*) FROM gpu_bfs('g', 1)");
    expect_same("SELECT vertex, depth FROM gpu_bfs('g', 1) WHERE vertex = 5 OR depth < 2 "
                "OR vertex = 6 ORDER BY 1",
                "SELECT vertex, depth FROM (SELECT * FROM gpu_bfs('g', 1) LIMIT -1) "
                "WHERE vertex = 5 OR depth < 2 OR "
                "vertex = 6 ORDER BY 1");
}
END_TEST

/* SQLite compares outer terms of an OR with the columns of arguments again. */
START_TEST(outer_terms_of_or_hold_again) {
    run("CREATE TABLE t(a, b, w); INSERT INTO t VALUES (9, 2, 1), (2, 3, 1);"
        "CREATE TABLE im(src TEXT, dst TEXT); INSERT INTO im VALUES (1, 2), (2, 3);"
        "CREATE TABLE whole(src INTEGER, dst INTEGER); INSERT INTO whole SELECT * FROM "
        "im;"
        "CREATE TABLE q(x); INSERT INTO q VALUES (9)");
    static const char *const same[][2] = {
        {"edges = 't(a, b)' AND direction = 'BOTH'", "direction = 'both'"},
        {"edges = 't(a, b)' AND backend = 'CPU'", ""},
        {"edges = 't(a, b)' AND method = 'AUTO'", ""},
        {"edges = 't(a, b)' AND vertices = 'q(x)'", ""},
        {"edges IN ('t(a, b)') AND direction IN ('OUT')", ""},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char *arms = sqlite3_mprintf("SELECT vertex, depth FROM gpu_bfs WHERE %s AND "
                                     "(source = 9 AND max_depth = 1 "
                                     "OR source = 2 AND max_depth = '0') ORDER BY 2, 1",
                                     same[i][0]);
        char *alone = sqlite3_mprintf(
            "SELECT vertex, depth FROM (SELECT * FROM gpu_bfs('t(a, b)', 9) WHERE "
            "max_depth = 1%s%s UNION ALL SELECT * FROM gpu_bfs('t(a, b)', 2) WHERE "
            "max_depth = 0%s%s) ORDER BY 2, 1",
            *same[i][1] ? " AND " : "", same[i][1], *same[i][1] ? " AND " : "",
            same[i][1]);
        expect_same(alone, arms);
        sqlite3_free(arms);
        sqlite3_free(alone);
    }
    expect(
        "2|0;9|0;2|1;3|1",
        "SELECT vertex, depth FROM gpu_bfs WHERE edges = 't(a, b)' AND max_depth = '1' "
        "AND (source = 9 AND direction = 'out' OR source = 2 AND direction = 'out') "
        "ORDER BY depth, vertex");
    expect("2|0;9|0;2|1",
           "SELECT vertex, depth FROM gpu_bfs WHERE direction = 'OUT' AND "
           "(edges = 't(a, b)' AND source = 9 AND depth <= 1 OR edges = "
           "'t(a, b)' AND source = 2 AND depth = 0) ORDER BY depth, vertex");
    /* Targets and sources whose type differs from that of the ids. */
    expect(
        "'3'|1;'3'|2",
        "SELECT vertex, depth FROM gpu_bfs WHERE edges = 'im' AND target = 3 AND "
        "(source = 1 AND direction = 'out' OR source = 2 AND direction = 'out') ORDER BY "
        "depth");
    static const char *const lists[] = {
        "target = '3'",
        "target IN ('3', 77)",
        "target IN (3)",
        "target IN ('3.0', '3')",
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        expect("3|1;3|2",
               "SELECT vertex, depth FROM gpu_bfs WHERE edges = 'whole' AND %s AND "
               "(source = 1 AND direction = 'out' OR source = '2' AND direction = 'out') "
               "ORDER BY depth",
               lists[i]);
        expect("1|3;2|2",
               "SELECT CAST(source AS INTEGER), count(*) FROM gpu_path WHERE edges = "
               "'whole' AND %s AND (source = 1 AND direction = 'out' OR source = '2' AND "
               "direction = 'out') GROUP BY 1",
               lists[i]);
        expect(
            "1|3;2|2",
            "SELECT CAST(source AS INTEGER), count(*) FROM gpu_paths WHERE edges = "
            "'whole' AND k = '1' AND %s AND (source = 1 AND direction = 'out' OR source "
            "= '2' AND direction = 'out') GROUP BY 1",
            lists[i]);
    }
    expect(
        "'1'|2|2;'1'|3|3;2|2|1;2|3|2",
        "SELECT source, target, count(*) FROM gpu_path WHERE edges = 'whole' AND source "
        "IN ('1', 2.0) AND (target = 3 AND direction = 'out' OR target = 2 AND direction "
        "= 'out') GROUP BY 1, 2 ORDER BY source = 2, 2");
    /* Conditions on results, which some versions of SQLite plan as arms. */
    static const char *const conditions[][2] = {
        {"gpu_bfs('im', 1) WHERE", "vertex = '2' OR depth <= 0"},
        {"gpu_bfs('t(a, b)', 9) WHERE direction = 'OUT' AND", "vertex = 2 OR depth <= 0"},
        {"gpu_bfs('t(a, b)', 9) WHERE backend = 'CPU' AND", "vertex = 2 OR depth <= 0"},
        {"gpu_bfs('t(a, b)', (SELECT x FROM q)) WHERE", "vertex = 2 OR depth <= 0"},
        {"gpu_bfs('t(a, b)') WHERE source IN (SELECT x FROM q) AND",
         "vertex = 2 OR depth <= 0"},
        {"gpu_bfs('t(a, b)') WHERE source IN (SELECT x FROM q) AND",
         "vertex = 2 OR vertex "
         "= 9"},
        {"gpu_bfs('t(a, b)') WHERE sources = (SELECT '[9]') AND",
         "vertex = 2 AND depth = 1 "
         "OR vertex = 9"},
        {"gpu_sssp('t(a, b, w)', 9) WHERE max_distance = '1' AND",
         "vertex = 2 OR distance <= 0"},
        {"gpu_components('t(a, b)') WHERE kind = 'WEAK' AND",
         "vertex = 2 OR vertex IN (9) AND component > 0"},
        {"gpu_label_propagation('t(a, b)') WHERE iterations = '3' AND",
         "vertex = 2 OR vertex = 9 AND label > 0"},
    };
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        expect("2", "SELECT count(*) FROM %s (%s)", conditions[i][0], conditions[i][1]);
}
END_TEST

/* NULL is an option's default, and no column equals it. */
START_TEST(null_options_beside_or_are_explained) {
    make_roads();
    expect("1|-;3|-",
           "SELECT vertex, direction FROM gpu_bfs('roads', 1) WHERE direction = "
           "NULL AND (vertex = 3 OR vertex = 1) ORDER BY vertex");
    expect_error(
        "gpu_bfs",
        "the argument direction is NULL, and SQLite compares it again for OR, where NULL "
        "equals nothing; leave direction out, or give a value",
        "SELECT vertex FROM gpu_bfs('roads') WHERE direction = NULL AND (source = "
        "1 AND max_depth = 1 OR source = 3 AND max_depth = 0)");
}
END_TEST

/* In UTF-16 SQLite sorts by bytes: U+0100 before 'a'. */
START_TEST(texts_in_utf_16_are_sorted_by_sqlite) {
    run("PRAGMA encoding = 'UTF-16le'; CREATE TABLE g(src, dst); INSERT INTO g VALUES "
        "('a', 'b'), ('b', char(256)), (char(256), 'z'), ('a', 'z'), ('a', char(256));"
        "CREATE VIRTUAL TABLE followed USING gpugraph(g)");
    expect_same(
        "SELECT vertex FROM gpu_bfs('g', 'a') ORDER BY vertex",
        "SELECT column1 FROM (VALUES ('a'), ('b'), ('z'), (char(256))) ORDER BY 1");
    expect_same("SELECT vertex FROM gpu_bfs('g', 'a') ORDER BY depth, vertex",
                "SELECT column1 FROM (VALUES ('a', 0), ('b', 1), ('z', 1), (char(256), "
                "1)) ORDER BY column2, 1");
    expect_same(
        "SELECT label, vertex FROM gpu_label_propagation('g') WHERE iterations = 0 "
        "ORDER BY label",
        "SELECT label, vertex FROM (SELECT * FROM gpu_label_propagation('g') WHERE "
        "iterations = 0 LIMIT -1) ORDER BY label");
    expect("3", "SELECT count(*) FROM (SELECT vertex FROM gpu_bfs('g', 'a') INTERSECT "
                "SELECT dst FROM g ORDER BY 1)");
    expect("3", "SELECT count(*) FROM (SELECT dst FROM followed WHERE src = 'a' UNION "
                "SELECT dst FROM g ORDER BY 1)");
}
END_TEST

START_TEST(statements_of_all_sorts) {
    make_roads();
    expect("1;2;3;4", "WITH reached AS (SELECT vertex FROM gpu_bfs('roads', 1)) SELECT "
                      "vertex FROM reached ORDER BY 1");
    run("CREATE VIEW near AS SELECT vertex, distance FROM gpu_sssp('roads', 1)");
    expect("1|0;2|5", "SELECT * FROM near WHERE distance <= 5");
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    expect("1|0;2|5", "SELECT * FROM near WHERE distance <= 5");
    run("CREATE VIEW lists AS SELECT * FROM gpugraph_methods; CREATE VIEW sets AS SELECT "
        "gpugraph_config('threads', 3)");
    expect("1", "SELECT count(*) > 3 FROM lists");
    expect("error: unsafe use of gpugraph_config()", "SELECT * FROM sets");
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, NULL);
    run("CREATE TABLE depots(node); INSERT INTO depots VALUES(8), (NULL), (3), (77)");
    expect("8|8|0;8|9|2;-|-|-;3|3|0;3|4|1;77|-|-",
           "SELECT d.node, s.vertex, s.distance FROM depots d LEFT JOIN "
           "gpu_sssp('roads', d.node) s ORDER BY d.rowid, 3");
    expect("8|9;3|4", "SELECT d.node, (SELECT max(vertex) FROM gpu_bfs('roads', d.node)) "
                      "FROM depots d WHERE node IN (3, "
                      "8)");
    expect("1|4;8|2", "SELECT source, count(*) FROM gpu_bfs('roads') WHERE source IN (1, "
                      "8) GROUP BY source");
    expect("1|1;8|8;8|9", "SELECT source, vertex FROM gpu_bfs('roads') WHERE source IN "
                          "(8, 1) AND vertex IN (1, 8, 9) "
                          "ORDER BY 1, 2");
    expect(
        "0|1|3;1|2|3;2|3|3;0|1|4;1|2|4;2|3|4;3|4|4",
        "SELECT seq, vertex, target FROM gpu_path('roads', 1) WHERE target IN (4, 3, 9)");
    expect("3|4", "SELECT seq, target FROM gpu_path('roads', 1) WHERE target IN (4, 3) "
                  "AND vertex = 4");
    expect("3;2;1;0", "SELECT seq FROM gpu_path('roads', 1, 4) ORDER BY seq DESC");
    run("INSERT INTO roads SELECT vertex, 50 + vertex, 1 FROM gpu_bfs('roads', 1)");
    expect("8", "SELECT count(*) FROM gpu_bfs('roads', 1)");
    run("DELETE FROM roads WHERE src IN (SELECT vertex FROM gpu_bfs('roads', 3))");
    expect("1;2;3;51;52", "SELECT vertex FROM gpu_bfs('roads', 1) ORDER BY 1");
}
END_TEST

START_TEST(prepared_statements_run_again) {
    make_roads();
    sqlite3_stmt *statement;
    int rc;
    ck_assert_int_eq(
        sqlite3_prepare_v2(
            db,
            "SELECT vertex, depth FROM gpu_bfs(?1, ?2, ?3) WHERE max_depth = ?4 AND "
            "depth < ?5",
            -1, &statement, NULL),
        SQLITE_OK);
    static const struct {
        const char *edges;
        int source, target, max_depth, depth;
        const char *rows;
    } runs[] = {
        {"roads", 1, 4, 9, 9, "4|2"}, {"roads", 1, 3, 9, 9, "3|1"},
        {"roads", 1, 4, 1, 9, ""},    {"roads", 1, 4, 9, 2, ""},
        {"roads", 2, 4, 9, 9, "4|2"}, {"others", 2, 4, 9, 9, "4|1"},
        {"others", 2, 1, 9, 9, ""},   {"roads", 1, 1, 0, 1, "1|0"},
    };
    run("CREATE TABLE others(src, dst); INSERT INTO others VALUES(1, 2), (2, 4)");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        sqlite3_bind_text(statement, 1, runs[i].edges, -1, SQLITE_STATIC);
        sqlite3_bind_int(statement, 2, runs[i].source);
        sqlite3_bind_int(statement, 3, runs[i].target);
        sqlite3_bind_int(statement, 4, runs[i].max_depth);
        sqlite3_bind_int(statement, 5, runs[i].depth);
        char *rows = rows_of(statement, &rc);
        ck_assert_str_eq(rows, runs[i].rows);
        ck_assert_int_eq(rc, SQLITE_DONE);
        sqlite3_free(rows);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
}
END_TEST

/* ---- looking inside ---- */

START_TEST(lists_show_what_there_is) {
    make_roads();
    expect("'" GPUGRAPH_VERSION "'", "SELECT gpugraph_version()");
    run("SELECT * FROM gpu_sssp('roads', 1)");
    expect("'roads'|'cached'|6|6|1|'current'",
           "SELECT name, kind, vertices, edges, host_bytes > 100, state FROM "
           "gpugraph_graphs");
    run("SELECT gpugraph_config('cache_limit', 0)");
    expect("", "SELECT * FROM gpugraph_graphs");
    expect("0|'cpu'", "SELECT id, backend FROM gpugraph_devices LIMIT 1");
    expect_same("SELECT name FROM pragma_module_list WHERE name LIKE 'gpu\\_%%' ESCAPE "
                "'\\' UNION SELECT 'gpugraph_triangles' ORDER BY 1",
                "SELECT DISTINCT function FROM gpugraph_methods ORDER BY 1");
    expect("0", "SELECT count(*) FROM gpugraph_methods WHERE method IS NULL OR "
                "description IS NULL OR backend NOT IN "
                "('cpu', 'cuda')");
    expect("1", "SELECT count(*) > 0 FROM gpugraph_timings WHERE phase = 'search' AND "
                "detail LIKE '%%cpu%%'");
    expect_same(
        "SELECT function, count(*) FROM gpugraph_methods WHERE function = 'gpu_path'",
        "SELECT 'gpu_path', count(DISTINCT backend) + count(*) FROM gpugraph_methods "
        "WHERE function IN ('gpu_bfs', 'gpu_sssp')"); /* and 'bidirectional', on each */
    /* Every listed method is accepted, and all have the same rows. */
    char *methods = ask("SELECT group_concat(method, ' ') FROM gpugraph_methods WHERE "
                        "function = 'gpu_sssp' AND backend = "
                        "'cpu'");
    char *end = strrchr(methods, '\'');
    *end = '\0';
    for (char *name = strtok(methods + 1, " "); name; name = strtok(NULL, " "))
        expect("1|0;2|5;3|12;4|13",
               "SELECT vertex, distance FROM gpu_sssp('roads', 1) WHERE method = %Q",
               name);
    sqlite3_free(methods);
}
END_TEST

/* ---- interrupts ---- */

static int always(void *counter) {
    return ++*(int *)counter > 3;
}

START_TEST(interrupts_leave_everything_usable) {
    make_random("g", 60, 200, 5);
    int calls = 0;
    sqlite3_progress_handler(db, 50, always, &calls);
    expect("error: interrupted",
           "SELECT count(*) FROM gpu_bfs('g', 1), gpu_bfs('g', 2), gpu_bfs('g', 3)");
    sqlite3_progress_handler(db, 0, NULL, NULL);
    expect_same("SELECT count(*) FROM gpu_bfs('g', 1)",
                "SELECT count(*) FROM (SELECT DISTINCT vertex FROM gpu_bfs('g', "
                "1))");
}
END_TEST

/* Each target has its own paths, numbered from 1. */
START_TEST(paths_to_each_target_in_turn) {
    run("CREATE TABLE e(src, dst, weight);"
        "INSERT INTO e VALUES (1,2,1),(2,3,1),(1,3,5),(3,4,1),(2,4,9);"
        "CREATE TABLE goal(id, name); INSERT INTO goal VALUES (4,'x'),(3,'y'),(77,'z')");
    static const char *const forms[] = {
        "SELECT target, path, seq, vertex, edge, distance FROM gpu_paths('e', 1) WHERE "
        "k = 3 AND target IN (4, 3, 77)",
        "SELECT target, path, seq, vertex, edge, distance FROM gpu_paths('e', 1) WHERE "
        "k = 3 AND target IN (SELECT id FROM goal)",
        "SELECT id, path, seq, vertex, edge, distance FROM goal, gpu_paths('e', 1, "
        "goal.id, 3)",
        "SELECT id, path, seq, vertex, edge, distance FROM gpu_paths('e', 1) p JOIN goal "
        "ON p.target = goal.id AND k = 3",
        "SELECT target, path, seq, vertex, edge, distance FROM gpu_paths('e', 1) WHERE "
        "k = 3 AND (target = 3 OR target = 4)",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *sql = sqlite3_mprintf("SELECT * FROM (%s) ORDER BY 1, 2, 3", forms[i]);
        expect_same("SELECT 3, path, seq, vertex, edge, distance FROM gpu_paths('e', 1, "
                    "3, 3) UNION ALL SELECT 4, path, seq, vertex, edge, distance FROM "
                    "gpu_paths('e', 1, 4, 3) ORDER BY 1, 2, 3",
                    sql);
        sqlite3_free(sql);
    }
    expect("3|2;4|3", "SELECT target, max(path) FROM gpu_paths('e', 1) WHERE k = 9 AND "
                      "target IN (3, 4) GROUP BY target");
}
END_TEST

/* In an INTEGER column 3 and '3' name one vertex, and the paths to it come once. */
START_TEST(paths_to_a_target_listed_twice) {
    run("CREATE TABLE f(src INTEGER, dst INTEGER, weight);"
        "INSERT INTO f VALUES (1,2,1),(2,3,1),(1,3,5),(3,4,1),(2,4,9)");
    expect_same(
        "SELECT target, path, seq, vertex FROM gpu_paths('f', 1, 3, 2)",
        "SELECT CAST(target AS INTEGER), path, seq, vertex FROM gpu_paths('f', 1) "
        "WHERE k = 2 AND target IN (3, '3')");
    expect(
        "1|3|2;1|4|2;2|3|1;2|4|2",
        "SELECT CAST(source AS INTEGER), CAST(target AS INTEGER), count(DISTINCT path) "
        "FROM gpu_paths('f') WHERE k = 2 "
        "AND seq = 0 AND source IN (2, '1', 1) AND target IN ('4', 77, 3, 4, '3') "
        "GROUP BY 1, 2 HAVING count(*) = count(DISTINCT path)");
    expect(
        "4|2|0;4|2|1;4|2|2;4|1|0",
        "SELECT target, path, seq FROM gpu_paths('f', 1) WHERE k = 2 AND target IN (4, "
        "'3', 3) ORDER BY target DESC, path DESC, seq LIMIT 4");
    expect("", "SELECT target FROM gpu_paths('f', 1) WHERE k = 2 AND target IN (77, "
               "NULL)");
}
END_TEST

const struct suite suite = {
    "plans",
    {{"plans", .timeout = 60, .setup = sql_open, .teardown = sql_close,
      .cases = {{&pushed_conditions_change_nothing},
                {&own_columns_need_no_sort},
                {&limits_stop_early_and_lose_nothing},
                {&arms_of_or_do_not_shadow_each_other},
                {&outer_terms_of_or_hold_again},
                {&null_options_beside_or_are_explained},
                {&texts_in_utf_16_are_sorted_by_sqlite},
                {&statements_of_all_sorts},
                {&prepared_statements_run_again},
                {&lists_show_what_there_is},
                {&paths_to_each_target_in_turn},
                {&paths_to_a_target_listed_twice},
                {&interrupts_leave_everything_usable}}}},
};
