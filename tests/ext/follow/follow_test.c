/* Graphs that follow their table: the extension follows changes without reading the table
** again, and statements and transactions see the right state. follow_schema_test.c tests
** definitions, follow_table_test.c queries, and follow_random_test.c looks for unexpected
** faults. */
/* ctest: gaps long */
#include "follow_graph.h"
#include "suite.h"

/* ---- changes ---- */

START_TEST(every_way_to_change) {
    open_graph();
    expect("1", "SELECT count(*) > 0 FROM gpu_bfs('g', 1)");
    after("INSERT INTO roads VALUES (4, 5, 6), (5, 'x', 7)");
    after("INSERT INTO roads(rowid, a, b, metres) VALUES (-7, 1, 1, 1), "
          "(9223372036854775807, "
          "2, 2, 2)");
    after("DELETE FROM roads WHERE rowid = 9223372036854775807");
    after("UPDATE roads SET a = 'y' WHERE a = 'x'");
    after("UPDATE roads SET rowid = 77 WHERE rowid = 2");
    after("UPDATE roads SET rowid = rowid + 1000");
    after("REPLACE INTO roads(rowid, a, b, metres) VALUES (1077, 8, 9, 1)");
    after("INSERT INTO roads SELECT b, a, metres FROM roads");
    after("DELETE FROM roads WHERE a = 1");
    after("UPDATE roads SET metres = 2.5 WHERE rowid % 2"); /* INTEGER to REAL */
    after("DELETE FROM roads");
    after("INSERT INTO roads VALUES (1, 1, 1)");
    after("PRAGMA user_version = 5; BEGIN; INSERT INTO roads VALUES (1, 2, 3); SAVEPOINT "
          "s; "
          "DELETE FROM roads; ROLLBACK TO s; COMMIT");
    sql_close();
}
END_TEST

/* The extension looks up changed rows in groups. The test has columns with misleading
** names, many changed rows, and several limits on the variables of a statement. */
START_TEST(many_changes_at_once) {
    for (int limit = 1; limit <= 250; limit += 83) {
        sql_open();
        run("CREATE TABLE roads(column1, rowid, column2)");
        run("WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < "
            "3000) INSERT INTO roads SELECT i, i + 1, 5 FROM c");
        run("CREATE VIRTUAL TABLE g USING gpugraph(roads(column1, rowid, column2))");
        expect("3000", "SELECT count(*) FROM g");
        sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, limit);
        run("UPDATE roads SET column2 = 7 WHERE column1 %% 30 = 1; DELETE FROM roads "
            "WHERE "
            "column1 %% 40 = 3; INSERT INTO roads VALUES ('a', 'b', 1), ('b', 'c', 2)");
        expect("0", "SELECT count(*) FROM gpu_bfs('g', 'nowhere')");
        expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
        expect("177", "SELECT items FROM gpugraph_timings WHERE phase = 'follow'");
        expect_same("SELECT column1, rowid, column2, oid FROM roads ORDER BY oid",
                    "SELECT * FROM g ORDER BY edge");
        sql_close();
    }
}
END_TEST

START_TEST(rows_that_replace_deletes) {
    sql_open();
    run("CREATE TABLE roads(a, b UNIQUE, metres COLLATE NOCASE, UNIQUE(a, metres))");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b))");
    run("INSERT INTO roads VALUES (1, 2, 'm'), (1, 3, 'n'), (2, 4, 'm'), (5, 5, 'm')");
    for (int recursive = 0; recursive < 2; recursive++) {
        run("PRAGMA recursive_triggers = %d", recursive);
        expect_same("SELECT a, b, rowid FROM roads", "SELECT src, dst, edge FROM g");
        run("INSERT OR REPLACE INTO roads VALUES (1, 4, 'M')"); /* replaces two rows */
        expect_same("SELECT a, b, rowid FROM roads", "SELECT src, dst, edge FROM g");
        run("UPDATE OR REPLACE roads SET b = 3 WHERE a = 5");
        expect_same("SELECT a, b, rowid FROM roads", "SELECT src, dst, edge FROM g");
        run("INSERT OR IGNORE INTO roads VALUES (1, 4, 'q')");
        run("INSERT INTO roads VALUES (1, 9, 'M') ON CONFLICT DO UPDATE SET b = 99");
        run("INSERT INTO roads VALUES (1, 2, 'm%d'), (2, 4, 'm%d') ON CONFLICT DO "
            "NOTHING",
            recursive, recursive);
        expect_same("SELECT a, b, rowid FROM roads", "SELECT src, dst, edge FROM g");
        expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    }
    sql_close();
}
END_TEST

/* The graph follows rows that REPLACE deletes by partial or descending UNIQUE indexes. */
START_TEST(keys_of_all_kinds) {
    static const char *const keys[] = {
        "(b) WHERE metres > 2",
        "(b) WHERE metres > 2 -- heavy ones",
        "(b COLLATE NOCASE DESC) WHERE (a < 100)",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        open_graph();
        run("DELETE FROM roads; CREATE UNIQUE INDEX one ON roads%s", keys[i]);
        run("DROP TABLE g; CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
        run("INSERT INTO roads VALUES (1, 'a', 5), (2, 'b', 6), (3, 'c', 7)");
        expect("3", "SELECT count(*) FROM g");
        after("REPLACE INTO roads VALUES (7, 'b', 8)");
        after("UPDATE OR REPLACE roads SET b = 'c' WHERE b = 'a'");
        expect("2", "SELECT count(*) FROM roads");
        after("INSERT OR IGNORE INTO roads VALUES (9, 'c', 9)");
        after("INSERT INTO roads VALUES (NULL, 1, 1) ON CONFLICT DO NOTHING; DELETE FROM "
              "roads WHERE a IS NULL");
        sql_close();
    }
}
END_TEST

/* Keys that the trigger cannot compute: the table is read again. */
START_TEST(keys_on_expressions) {
    static const char *const keys[] = {
        "(lower(b))", "(b COLLATE NOCASE DESC, (metres + 1) / 100 DESC)",
        "(substr(\"b\", 1, 1) COLLATE NOCASE) WHERE (a < 100)"};
    sql_open();
    run("CREATE TABLE roads(a, b, metres); CREATE UNIQUE INDEX one ON roads%s; CREATE "
        "VIRTUAL TABLE g USING gpugraph(roads(a, b, metres)); INSERT INTO roads VALUES "
        "(1, 'a', 5), (2, 'b', 6), (3, 'c', 7)",
        keys[_i]);
    expect("3", "SELECT count(*) FROM g");
    run("REPLACE INTO roads VALUES (7, 'b', 8)");
    expect_same("SELECT a, b, rowid FROM roads", "SELECT src, dst, edge FROM g");
    run("UPDATE OR REPLACE roads SET b = 'c' WHERE b = 'a'");
    expect("2", "SELECT count(*) FROM g");
    expect_same("SELECT a, b, rowid FROM roads", "SELECT src, dst, edge FROM g");
    sql_close();
}
END_TEST

START_TEST(keys_that_are_not_known) {
    sql_open();
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, c AS (a + 1)); CREATE UNIQUE "
        "INDEX one ON roads(b, id %% 2); CREATE VIRTUAL TABLE g USING gpugraph(roads(a, "
        "b)); "
        "INSERT INTO roads(id, a, b) VALUES (1, 1, 2), (2, 1, 2)");
    expect("2", "SELECT count(*) FROM g");
    run("REPLACE INTO roads(a, b) VALUES (5, 2)");
    expect_same("SELECT a, b, id FROM roads ORDER BY id", "SELECT src, dst, edge FROM g");
    run("DROP TABLE g; DROP INDEX one; CREATE UNIQUE INDEX one ON roads(b + c); CREATE "
        "VIRTUAL TABLE g USING gpugraph(roads(a, b)); REPLACE INTO roads(a, b) VALUES "
        "(7, "
        "9)");
    expect_same("SELECT a, b, id FROM roads ORDER BY id", "SELECT src, dst, edge FROM g");
    run("REPLACE INTO roads(a, b) VALUES (8, 8)");
    expect_same("SELECT a, b, id FROM roads ORDER BY id", "SELECT src, dst, edge FROM g");
    sql_close();
}
END_TEST

/* REPLACE replaces a NULL by the column's default. */
START_TEST(keys_with_defaults) {
    static const char *const defaults[][2] = {
        {"7", "7"},
        {"-7.5e0", "-7"},
        {"'w'", "'w'"},
        {"(1 + 2 * 3)", "7"},
        {"\"metres\"", "'metres'"},
        {"metres", "'metres'"},
        {"(abs(random()) % 1)", "0"},
        {"x'37'", "'7'"},
        {"CURRENT_DATE", "CURRENT_DATE"},
    };
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        sql_open();
        run("CREATE TABLE roads(a, b, k NOT NULL DEFAULT %s UNIQUE, metres)",
            defaults[i][0]);
        run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
        run("INSERT INTO roads VALUES (1, 2, %s, 3), (2, 3, x'37', 4), (3, 4, -7.5, 5), "
            "(4, 5, 'metres', 1)",
            i == 4 || i == 5 ? "''" : defaults[i][1]);
        graph_is("g", "roads");
        run("REPLACE INTO roads VALUES (5, 6, NULL, 7)");
        expect("4", "SELECT count(*) FROM roads");
        graph_is("g", "roads");
        run("UPDATE OR REPLACE roads SET k = NULL WHERE metres = 4");
        graph_is("g", "roads");
        sql_close();
    }
}
END_TEST

/* Triggers of the user and actions of foreign keys write, too. */
START_TEST(writes_by_triggers) {
    sql_open();
    run("PRAGMA foreign_keys = on");
    run("CREATE TABLE places(id INTEGER PRIMARY KEY); INSERT INTO places VALUES (1), "
        "(2), "
        "(3)");
    run("CREATE TABLE roads(a REFERENCES places ON DELETE CASCADE ON UPDATE CASCADE, b, "
        "metres)");
    run("CREATE TRIGGER back AFTER INSERT ON roads WHEN new.a < 3 BEGIN INSERT INTO "
        "roads "
        "VALUES (3, new.a, 1); END");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    run("INSERT INTO roads VALUES (1, 2, 3), (2, 1, 3)");
    graph_is("g", "roads");
    run("UPDATE places SET id = 9 WHERE id = 1");
    graph_is("g", "roads");
    run("DELETE FROM places WHERE id = 2");
    graph_is("g", "roads");
    expect("9|2|3|1;3|1|1|2;3|2|1|4", "SELECT * FROM g");
    sql_close();
}
END_TEST

/* The row that REPLACE deletes takes the updated row with it, by a foreign key. Then no
** trigger after the update fires. */
START_TEST(updated_rows_that_replace_deletes) {
    static const char *const tables[] = {
        "(id INTEGER PRIMARY KEY, a, b, metres, %s)",
        "(a, b, metres, id UNIQUE, %s)",
        "(a, b, metres, id PRIMARY KEY, %s) WITHOUT ROWID",
    };
    char *columns =
        sqlite3_mprintf(tables[_i], "up REFERENCES roads(id) ON DELETE CASCADE");
    sql_open();
    run("PRAGMA foreign_keys = on");
    run("CREATE TABLE roads%s", columns);
    run("INSERT INTO roads(id, a, b, metres, up) VALUES (4, 5, 'a', 6, NULL), (8, 2, 3, "
        "1, NULL), (9, 3, 5, 7, 4), (10, 1, 2, 1, 4)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    expect("4", "SELECT count(*) FROM g");
    run("UPDATE OR REPLACE roads SET id = 4 WHERE id = 9");
    expect("8|2|3", "SELECT id, a, b FROM roads");
    expect("2|3|1", "SELECT src, dst, weight FROM g");
    sqlite3_free(columns);
    sql_close();
}
END_TEST

START_TEST(kinds_of_weights) {
    open_graph();
    expect("'integer'", "SELECT DISTINCT typeof(distance) FROM gpu_sssp('g', 1)");
    run("UPDATE roads SET metres = 5.5 WHERE rowid = 1");
    expect("'real'", "SELECT DISTINCT typeof(distance) FROM gpu_sssp('g', 1)");
    run("UPDATE roads SET metres = 7.5 WHERE rowid = 2");
    run("UPDATE roads SET metres = 6 WHERE rowid = 1");
    expect("'real'", "SELECT DISTINCT typeof(distance) FROM gpu_sssp('g', 1)");
    run("DELETE FROM roads WHERE rowid = 2"); /* the last REAL one */
    expect("'integer'", "SELECT DISTINCT typeof(distance) FROM gpu_sssp('g', 1)");
    run("UPDATE roads SET metres = '8' WHERE rowid = 1");
    expect("8", "SELECT distance FROM gpu_sssp('g', 1, 2)");
    run("UPDATE roads SET metres = NULL WHERE rowid = 3");
    expect_error("gpu_sssp", "edge 3", "SELECT * FROM gpu_sssp('g', 1)");
    expect_error("g", "edge 3", "SELECT weight FROM g");
    expect("1|2;3|4;'x'|1", "SELECT src, dst FROM g");
    expect("2", "SELECT count(*) FROM gpu_bfs('g', 1)");
    run("UPDATE roads SET metres = 4 WHERE rowid = 3");
    expect("4", "SELECT distance FROM gpu_sssp('g', 3, 4)");
    run("UPDATE roads SET a = 1.5 WHERE rowid = 3");
    expect_error("gpu_bfs", "edge 3", "SELECT * FROM gpu_bfs('g', 1)");
    run("DELETE FROM roads WHERE rowid = 3");
    graph_is("g", "roads");
    run("UPDATE roads SET metres = 4.5 WHERE rowid = 1"); /* REAL, then none at all */
    expect("4.5", "SELECT distance FROM gpu_sssp('g', 1, 2)");
    run("DELETE FROM roads");
    expect("", "SELECT distance FROM gpu_sssp('g', 1, 2)");
    run("INSERT INTO roads(rowid, a, b, metres) VALUES (8, 1, 2, 5), (9, 2, 3, 2)");
    expect("5", "SELECT distance FROM gpu_sssp('g', 1, 2)");
    run("UPDATE roads SET metres = 2.5 WHERE rowid = 9");
    expect("5.0", "SELECT distance FROM gpu_sssp('g', 1, 2)");
    run("DELETE FROM roads WHERE rowid = 9");
    expect("5", "SELECT distance FROM gpu_sssp('g', 1, 2)");
    graph_is("g", "roads");
    sql_close();
}
END_TEST

START_TEST(transactions) {
    open_graph();
    expect("4", "SELECT count(*) FROM g");
    run("BEGIN; INSERT INTO roads VALUES (10, 11, 1)");
    graph_is("g", "roads");
    run("SAVEPOINT one; DELETE FROM roads WHERE rowid < 3");
    graph_is("g", "roads");
    run("ROLLBACK TO one; INSERT INTO roads VALUES (20, 21, 1)"); /* rowids recur */
    graph_is("g", "roads");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    run("ROLLBACK");
    graph_is("g", "roads");
    run("INSERT INTO roads VALUES (30, 31, 1), (32, 33, 1)"); /* rowids recur again */
    graph_is("g", "roads");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    /* Equal searches in one write transaction. */
    run("BEGIN; INSERT INTO roads VALUES (40, 41, 1)");
    expect("1", "SELECT count(*) > 0 FROM gpu_bfs('g', 40)");
    expect("1", "SELECT count(*) > 0 FROM gpu_bfs('g', 40)");
    run("ROLLBACK");
    /* Changes of schema that are rolled back. */
    run("BEGIN; ALTER TABLE roads RENAME COLUMN a TO von; INSERT INTO roads VALUES (50, "
        "51, "
        "1)");
    expect_same("SELECT von, b FROM roads", "SELECT src, dst FROM g");
    run("ROLLBACK; INSERT INTO roads VALUES (60, 61, 1)");
    graph_is("g", "roads");
    /* A transaction is the first to query a graph. */
    run("CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b, metres)); BEGIN; INSERT INTO "
        "roads VALUES (70, 71, 1)");
    graph_is("h", "roads");
    run("DELETE FROM roads WHERE a = 70");
    graph_is("h", "roads");
    run("ROLLBACK");
    graph_is("h", "roads");
    run("BEGIN; DROP TABLE h; ROLLBACK");
    graph_is("h", "roads");
    run("BEGIN; DROP TABLE h; CREATE VIRTUAL TABLE h USING gpugraph(roads(b, a)); "
        "COMMIT");
    expect_same("SELECT b, a FROM roads", "SELECT src, dst FROM h");
    sql_close();
}
END_TEST

START_TEST(log_is_bounded) {
    open_graph();
    expect("4", "SELECT count(*) FROM g");
    run("BEGIN");
    run("WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < "
        "400000) "
        "INSERT INTO roads SELECT i %% 1000, i %% 777, 1 FROM c");
    graph_is("g", "roads");
    expect("1", "SELECT count(*) <= 327680 FROM g_log");
    run("ROLLBACK");
    graph_is("g", "roads");
    for (int i = 0; i < 5; i++)
        run("WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < "
            "100000) INSERT INTO roads SELECT i %% 1000, i %% 777, 1 FROM c");
    run("UPDATE roads SET metres = 2 WHERE rowid = 5");
    graph_is("g", "roads");
    expect("1", "SELECT count(*) BETWEEN 262144 AND 327680 FROM g_log");
    after("UPDATE roads SET metres = 3 WHERE rowid < 1000");
    sql_close();
}
END_TEST

/* ---- one statement, one graph ---- */

START_TEST(a_statement_sees_one_graph) {
    open_graph();
    int rc;
    sqlite3_stmt *first, *second;
    sqlite3_prepare_v2(db, "SELECT src FROM g", -1, &first, NULL);
    ck_assert_int_eq(sqlite3_step(first), SQLITE_ROW);
    run("INSERT INTO roads VALUES (6, 7, 8); DELETE FROM roads WHERE rowid = 2");
    sqlite3_prepare_v2(db, "SELECT src FROM g", -1, &second, NULL);
    char *rows = rows_of(second, &rc);
    ck_assert_str_eq(rows, "1;3;'x';6");
    sqlite3_free(rows);
    rows = rows_of(first, &rc);
    ck_assert_str_eq(rows, "2;3;'x'");
    sqlite3_free(rows);
    sqlite3_finalize(first);
    sqlite3_finalize(second);
    graph_is("g", "roads");
    /* Statements that write the table while they read the graph. */
    run("INSERT INTO roads SELECT dst, src, weight FROM g");
    expect("8", "SELECT count(*) FROM g");
    run("INSERT INTO roads SELECT 50, v.vertex, (SELECT count(*) FROM g) FROM "
        "gpu_bfs('g', 1) "
        "v");
    expect("8", "SELECT DISTINCT weight FROM g WHERE src = 50");
    graph_is("g", "roads");
    run("DELETE FROM roads WHERE rowid IN (SELECT edge FROM g WHERE src = 50)");
    expect("8", "SELECT count(*) FROM g");
    /* However the statement names the graph, it sees the graph as it was before the first
    ** row changed. */
    run("UPDATE roads SET a = 60, metres = (SELECT count(*) FROM g WHERE src = 60) + "
        "CASE WHEN "
        "rowid > 2 THEN (SELECT count(*) FROM gpu_bfs('g', 60)) + (SELECT count(*) FROM "
        "gpu_bfs('main.g', 60)) ELSE 0 END");
    expect("0", "SELECT DISTINCT weight FROM g WHERE src = 60");
    run("UPDATE roads SET a = rowid, b = rowid + 1");
    expect("1", "SELECT count(*) FROM g WHERE src = 3");
    /* Joins of the graph with itself and with searches. */
    expect_same("SELECT x.src, y.dst FROM g x JOIN g y ON y.src = x.dst ORDER BY 1, 2",
                "SELECT x.a, y.b FROM roads x JOIN roads y ON y.a = x.b ORDER BY 1, 2");
    expect_same(
        "SELECT g.edge FROM gpu_bfs('g', 1) v, g WHERE g.src = v.vertex ORDER BY 1",
        "SELECT roads.rowid FROM gpu_bfs('roads(a, b)', 1) v, roads WHERE a = "
        "v.vertex ORDER BY 1");
    sql_close();
}
END_TEST

/* gpu_paths keeps the rows of one direction while it makes sorted ones. */
START_TEST(paths_after_a_change) {
    sql_open();
    run("CREATE TABLE roads(a, b); INSERT INTO roads VALUES (1, 2), (2, 3), (1, 3), "
        "(3, 4), (2, 4); CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b))");
    expect("3", "SELECT count(*) FROM gpu_path('g', 4, 1) WHERE direction = 'in'");
    run("INSERT INTO roads VALUES (4, 5)");
    expect("4", "SELECT count(*) FROM gpu_path('g', 5, 1) WHERE direction = 'in'");
    expect("13", "SELECT count(*) FROM gpu_paths('g', 5, 1, 9) WHERE direction = 'in'");
    sql_close();
}
END_TEST

START_TEST(names_share_one_mirror) {
    open_graph();
    expect("1", "SELECT count(*) > 0 FROM gpu_bfs('g', 1)");
    const char *const names[] = {"main.g", "\"g\"", "G", "g", "main.\"g\""};
    for (int i = 0; i < 5; i++) {
        expect("1", "SELECT count(*) >= 0 FROM gpu_bfs('%q', %d)", names[i], 2 + i);
        expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    }
    expect("4", "SELECT count(*) FROM g");
    expect("'g'|'followed'|5|4|'cpu'|'current'",
           "SELECT name, kind, vertices, edges, backend, state FROM gpugraph_graphs");
    run("SELECT gpugraph_config('cache_limit', 0)");
    expect("1", "SELECT count(*) > 0 FROM gpu_bfs('g', 2)");
    expect("'current'", "SELECT state FROM gpugraph_graphs");
    /* A temporary table of the same name comes first. */
    run("CREATE TEMP TABLE g(src, dst); INSERT INTO temp.g VALUES (1, 100)");
    expect("1;100", "SELECT vertex FROM gpu_bfs('g', 1)");
    expect("1;2;3;4", "SELECT vertex FROM gpu_bfs('main.g', 1)");
    run("DROP TABLE temp.g");
    expect("1;2;3;4", "SELECT vertex FROM gpu_bfs('g', 1)");
    sql_close();
}
END_TEST

const struct suite suite = {
    "follow",
    {{"follow", .timeout = 60, .cases = {{&log_is_bounded}}},
     {"no thread", .tags = "serial", .timeout = 60,
      .cases = {{&every_way_to_change},
                {&many_changes_at_once},
                {&rows_that_replace_deletes},
                {&keys_of_all_kinds},
                {&keys_on_expressions, 3},
                {&keys_that_are_not_known},
                {&keys_with_defaults},
                {&writes_by_triggers},
                {&updated_rows_that_replace_deletes, 3},
                {&kinds_of_weights},
                {&transactions},
                {&a_statement_sees_one_graph},
                {&paths_after_a_change},
                {&names_share_one_mirror}}}},
};
