/* Graphs that follow their table: what is made and taken away, where it works and where it
** says why not; that changes are followed and not read anew; what statements, transactions
** and connections see. follow_random_test.c looks for what nobody thought of. */
#include "gpugraph_extension.h"
#include "suite.h"
#include "sql.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[64];

static void open_graph(void) {
    sql_open();
    run("CREATE TABLE roads(a, b, metres)");
    run("INSERT INTO roads VALUES (1, 2, 5), (2, 3, 7), (3, 4, 1), ('x', 1, 2)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
}

static sqlite3 *open_file(int flags) {
    sqlite3 *opened;
    ck_assert_int_eq(sqlite3_open_v2(file, &opened, flags, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(opened, NULL, NULL), SQLITE_OK);
    return opened;
}

/* The same in a file, so that there can be other connections. */
static void open_graph_file(void) {
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-test-%d.db", (int)getpid());
    unlink(file);
    db = open_file(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    run("PRAGMA journal_mode = wal");
    run("CREATE TABLE roads(a, b, metres)");
    run("INSERT INTO roads VALUES (1, 2, 5), (2, 3, 7), (3, 4, 1), ('x', 1, 2)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
}

static void close_file(void) {
    sql_close();
    unlink(file);
}

/* Runs something on another connection. */
static void on(sqlite3 *other, const char *sql) {
    char *error = NULL;
    int rc = sqlite3_exec(other, sql, NULL, NULL, &error);
    ck_assert_msg(rc == SQLITE_OK, "%s: %s", sql, error);
}

static void expect_on(sqlite3 *other, const char *rows, const char *sql) {
    sqlite3 *own = db;
    db = other;
    expect(rows, "%s", sql);
    db = own;
}

static void graph_is(const char *schema_graph, const char *table) {
    char *on_graph = sqlite3_mprintf(
        "SELECT src, dst, weight * 1.0, edge FROM %s ORDER BY edge", schema_graph);
    char *on_table =
        sqlite3_mprintf("SELECT a, b, metres * 1.0, rowid FROM %s ORDER BY rowid", table);
    expect_same(on_graph, on_table);
    sqlite3_free(on_graph);
    sqlite3_free(on_table);
    expect("'ok'", "SELECT gpugraph_check('%q')", schema_graph);
}

/* Changes, and looks: the table is not read as a whole. */
static void after(const char *sql) {
    run("%s", sql);
    expect("0", "SELECT count(*) FROM gpu_bfs('g', 'nowhere')");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    graph_is("g", "roads");
}

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

/* Rows are looked up by the dozen: whatever columns are called, however many rows there
** are, and however few values a statement may be given. */
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
        run("INSERT OR REPLACE INTO roads VALUES (1, 4, 'M')"); /* takes two rows away */
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

/* Triggers of the user and actions of foreign keys write, too. */
/* UNIQUE indexes on some rows and on expressions: what REPLACE deletes is followed, and found
** by the index. */
START_TEST(keys_of_all_kinds) {
    static const char *const keys[] = {
        "(b) WHERE metres > 2",
        "(b) WHERE metres > 2 -- heavy ones",
        "(lower(b))",
        "(b COLLATE NOCASE DESC, (metres + 1) / 100 DESC)",
        "(substr(\"b\", 1, 1) COLLATE NOCASE) WHERE (a < 100)",
        "(CAST(b AS TEXT) /* , */ , x'41' || [b], ')' || a % 1)",
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

/* Keys of which the trigger cannot know: everything is read again. */
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
    run("ROLLBACK TO one; INSERT INTO roads VALUES (20, 21, 1)"); /* the log's numbers again */
    graph_is("g", "roads");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    run("ROLLBACK");
    graph_is("g", "roads");
    run("INSERT INTO roads VALUES (30, 31, 1), (32, 33, 1)"); /* and again */
    graph_is("g", "roads");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    /* A search that nothing has changed is found again, even while writing. */
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
    /* The first look at a graph, inside a transaction. */
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
    /* Whichever way the statement names the graph: as it was before the first row changed. */
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

/* ---- as a table ---- */

START_TEST(lookups_compare_as_the_table_does) {
    static const char *const types[] = {"", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"};
    static const char *const values[] = {"1",   "'1'",  "1.0",   "'1.0'", "' 1'", "'x'",
                                         "1.5", "NULL", "x'31'", "'1e0'", "2"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        sql_open();
        run("CREATE TABLE roads(a %s, b %s, metres)", types[i],
            types[(i + 1) % (sizeof types / sizeof *types)]);
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
                                values[v]);
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
                                values[v]);
            expect_same(graph, table);
            sqlite3_free(graph);
            sqlite3_free(table);
        }
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
    expect("1|'both';2|'both';3|'both'", "SELECT vertex, direction FROM gpu_bfs('g', 1)");
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

/* Every function says of the graph what it says of the table, before and after a change. */
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

/* ---- the schema ---- */

START_TEST(renames) {
    open_graph();
    run("ALTER TABLE roads RENAME TO \"my streets\"");
    graph_is("g", "\"my streets\"");
    run("INSERT INTO \"my streets\" VALUES (8, 9, 1)");
    graph_is("g", "\"my streets\"");
    run("ALTER TABLE \"my streets\" RENAME TO roads; ALTER TABLE roads RENAME a TO "
        "\"from "
        "here\"");
    expect_same("SELECT src, dst FROM g", "SELECT \"from here\", b FROM roads");
    run("INSERT INTO roads VALUES (10, 9, 1)");
    expect_same("SELECT src, dst FROM g", "SELECT \"from here\", b FROM roads");
    run("ALTER TABLE roads RENAME \"from here\" TO a; ALTER TABLE g RENAME TO \"net "
        "\"\"1\"");
    graph_is("\"net \"\"1\"", "roads");
    run("INSERT INTO roads VALUES (11, 9, 1)");
    graph_is("\"net \"\"1\"", "roads");
    run("ALTER TABLE \"net \"\"1\" RENAME TO g");
    after("SELECT * FROM g; INSERT INTO roads VALUES (12, 9, 1)");
    run("ALTER TABLE roads ADD COLUMN more; INSERT INTO roads VALUES (1, 1, 1, 1)");
    graph_is("g", "roads");
    run("ALTER TABLE roads DROP COLUMN more");
    graph_is("g", "roads");
    char *refused = ask("ALTER TABLE roads DROP COLUMN metres");
    ck_assert_msg(strstr(refused, "g_moved") != NULL, "%s", refused);
    sqlite3_free(refused);
    graph_is("g", "roads");
    run("DELETE FROM roads WHERE rowid %% 2; VACUUM"); /* renumbers rows */
    graph_is("g", "roads");
    run("DROP TABLE g");
    expect("'roads'", "SELECT name FROM sqlite_schema");
    run("INSERT INTO roads VALUES (12, 9, 1)");
    sql_close();
}
END_TEST

START_TEST(missing_parts_are_named) {
    open_graph();
    run("DROP TRIGGER g_deleted; DELETE FROM roads WHERE a = 1");
    graph_is("g", "roads");
    run("DELETE FROM roads WHERE a = 2");
    graph_is("g", "roads");
    expect("1",
           "SELECT state LIKE 'read afresh each time%%g_deleted%%' FROM gpugraph_graphs "
           "WHERE kind = 'followed'");
    run("DROP TABLE g; CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    after("SELECT * FROM g; DELETE FROM roads WHERE a = 3");
    run("CREATE UNIQUE INDEX later ON roads(b)");
    run("INSERT OR REPLACE INTO roads VALUES (5, 1, 5)");
    graph_is("g", "roads");
    expect("1", "SELECT state LIKE '%%REPLACE takes away by the key later%%' FROM "
                "gpugraph_graphs WHERE kind = 'followed'");
    run("DROP INDEX later");
    after("SELECT * FROM g; INSERT INTO roads VALUES (6, 1, 5)");
    run("DROP TABLE g_log");
    expect("1", "SELECT state LIKE '%%its log g_log is missing%%' FROM gpugraph_graphs");
    expect("2", "SELECT count(*) FROM g");
    run("DROP TABLE g");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    run("CREATE TABLE copy AS SELECT * FROM roads; DROP TABLE roads; ALTER TABLE copy "
        "RENAME "
        "TO roads; INSERT INTO roads VALUES (1, 2, 3)");
    graph_is("g", "roads");
    run("DROP TABLE roads");
    expect_error("gpu_bfs", "no table or view 'roads'", "SELECT * FROM gpu_bfs('g', 1)");
    expect("1", "SELECT state LIKE '%%is gone%%' FROM gpugraph_graphs "
                "WHERE kind = 'followed'");
    run("DROP TABLE g");
    expect("0", "SELECT count(*) FROM sqlite_schema");
    sql_close();
}
END_TEST

START_TEST(refusals) {
    static const char *const refused[][2] = {
        {"CREATE VIRTUAL TABLE temp.h USING gpugraph(roads(a, b))", "cannot be TEMP"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(v(a, b))", "main.v is a view"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(g)", "main.g is a graph"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(words(src, dst))", "virtual table"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(other.roads(a, b))",
         "schema of its table"},
        {"CREATE VIRTUAL TABLE other.h USING gpugraph(main.roads(a, b))",
         "schema of its table"},
        {"CREATE VIRTUAL TABLE other.h USING gpugraph(places(a, b))", "no table or view"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(nosuch(a, b))",
         "in main to follow (tables there: k_log, roads)"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(H(a, b))",
         "no table or view 'H' in main to follow (tables there: k_log, roads)"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(SELECT a, b FROM roads)", "not a query"},
        {"CREATE VIRTUAL TABLE h USING gpugraph", "no table to follow"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, z))", "no column 'z'"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads)", "no pair of columns"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), direction = 'up')", "'up'"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), persist = 2)", "0 or 1"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), speed = 2)", "'speed'"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), fast)", "no option"},
        {"CREATE VIRTUAL TABLE k USING gpugraph(roads(a, b))", "k_log"},
    };
    open_graph();
    run("ATTACH ':memory:' AS other; CREATE TABLE other.roads(a, b); CREATE VIEW v AS "
        "SELECT "
        "* FROM roads; CREATE TABLE k_log(x); CREATE VIRTUAL TABLE words USING fts5(src, "
        "dst)");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *said = ask("%s", refused[i][0]);
        ck_assert_msg(strstr(said, "gpugraph: ") && strstr(said, refused[i][1]), "%s: %s",
                      refused[i][0], said);
        sqlite3_free(said);
    }
    expect("0", "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'h%%'");
    run("CREATE VIRTUAL TABLE other.h USING gpugraph(roads(a, b)); INSERT INTO "
        "other.roads "
        "VALUES (1, 2)");
    expect("1|2", "SELECT src, dst FROM other.h");
    expect("'g';'other.h'", "SELECT name FROM gpugraph_graphs WHERE kind = 'followed'");
    expect("2", "SELECT count(*) FROM gpu_bfs('other.h', 1)");
    run("DETACH other");
    expect_error("gpu_bfs", "no database", "SELECT count(*) FROM gpu_bfs('other.h', 1)");
    sql_close();
}
END_TEST

START_TEST(rights) {
    open_graph_file();
    run("CREATE VIEW v AS SELECT * FROM g WHERE src = 1");
    run("CREATE VIEW w AS SELECT gpugraph_delete_vertex('g', 1)");
    for (int trusted = 0; trusted < 2; trusted++) {
        run("PRAGMA trusted_schema = %d", trusted);
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, trusted, NULL);
        run("INSERT INTO roads VALUES (%d, 9, 9)", 100 + trusted);
        expect("1", "SELECT count(*) FROM v");
        graph_is("g", "roads");
        char *said = ask("SELECT * FROM w");
        ck_assert_msg(strstr(said, "unsafe use of gpugraph_delete_vertex") != NULL, "%s",
                      said);
        sqlite3_free(said);
    }
    sqlite3 *plain; /* knows nothing of the extension */
    ck_assert_int_eq(sqlite3_open(file, &plain), SQLITE_OK);
    on(plain, "PRAGMA trusted_schema = off; INSERT INTO roads VALUES (7, 7, 7)");
    graph_is("g", "roads");
    sqlite3_db_config(plain, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    on(plain,
       "REPLACE INTO roads(rowid, a, b, metres) VALUES (1, 7, 7, 7); DELETE FROM roads "
       "WHERE a = 3");
    graph_is("g", "roads");
    sqlite3_close(plain);
    sqlite3 *reader = open_file(SQLITE_OPEN_READONLY);
    expect_on(reader, "'ok'", "SELECT gpugraph_check('g')");
    run("INSERT INTO roads VALUES (8, 8, 8)");
    expect_on(reader, "'ok'", "SELECT gpugraph_check('g')");
    expect_on(reader, "8|8", "SELECT src, weight FROM g WHERE src = 8");
    sqlite3_close(reader);
    close_file();
}
END_TEST

START_TEST(connections) {
    open_graph_file();
    sqlite3 *other = open_file(SQLITE_OPEN_READWRITE);
    expect_on(other, "4", "SELECT count(*) FROM g");
    /* A reader keeps its snapshot while others commit. */
    on(other, "BEGIN; SELECT count(*) FROM roads");
    run("INSERT INTO roads VALUES (5, 6, 7)");
    expect_on(other, "4", "SELECT count(*) FROM g");
    expect_on(other, "'ok'", "SELECT gpugraph_check('g')");
    expect("5", "SELECT count(*) FROM g");
    on(other, "COMMIT");
    expect_on(other, "5", "SELECT count(*) FROM g");
    /* What is not committed is the writer's alone. */
    run("BEGIN; DELETE FROM roads");
    expect("0", "SELECT count(*) FROM g");
    expect_on(other, "5", "SELECT count(*) FROM g");
    run("COMMIT");
    expect_on(other, "0", "SELECT count(*) FROM g");
    /* Changes of schema by somebody else. */
    run("INSERT INTO roads VALUES (1, 2, 3), (2, 3, 4), (3, 4, 5)");
    expect_on(other, "3", "SELECT count(*) FROM g");
    run("DELETE FROM roads WHERE a = 1; VACUUM");
    expect_on(other, "1;2", "SELECT edge FROM g");
    run("DROP TABLE g; CREATE VIRTUAL TABLE g USING gpugraph(roads(b, a))");
    expect_on(other, "3|2;4|3", "SELECT src, dst FROM g");
    run("DROP TABLE g");
    expect_on(other, "error: no such table: g", "SELECT * FROM g");
    /* Under another name. */
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    on(other, "ATTACH ':memory:' AS here");
    sqlite3_close(other);
    ck_assert_int_eq(sqlite3_open(":memory:", &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(other, NULL, NULL), SQLITE_OK);
    char *attach = sqlite3_mprintf("ATTACH %Q AS there", file);
    on(other, attach);
    expect_on(other, "2|3;3|4", "SELECT src, dst FROM there.g");
    expect_on(other, "3", "SELECT count(*) FROM gpu_bfs('g', 2)");
    on(other, "INSERT INTO there.roads VALUES (4, 5, 6); DELETE FROM roads WHERE a = 2");
    expect_on(other, "3|4;4|5", "SELECT src, dst FROM there.g");
    expect("3|4;4|5", "SELECT src, dst FROM g");
    on(other, "DETACH there; ATTACH ':memory:' AS there; CREATE TABLE there.g(src, dst)");
    expect_on(other, "0", "SELECT count(*) FROM gpu_bfs('there.g', 3)");
    sqlite3_free(attach);
    sqlite3_close(other);
    close_file();
}
END_TEST

static void copy_file(const char *from, const char *to) {
    sqlite3 *a, *b;
    ck_assert_int_eq(sqlite3_open(from, &a), SQLITE_OK);
    ck_assert_int_eq(sqlite3_open(to, &b), SQLITE_OK);
    sqlite3_backup *backup = sqlite3_backup_init(b, "main", a, "main");
    ck_assert_int_eq(sqlite3_backup_step(backup, -1), SQLITE_DONE);
    sqlite3_backup_finish(backup);
    sqlite3_close(a);
    sqlite3_close(b);
}

START_TEST(a_backup_comes_back) {
    open_graph_file();
    char saved[80];
    snprintf(saved, sizeof saved, "%s-saved", file);
    unlink(saved);
    copy_file(file, saved);
    run("INSERT INTO roads VALUES (10, 11, 1), (11, 12, 1)");
    graph_is("g", "roads");
    copy_file(saved, file);
    run("INSERT INTO roads VALUES (20, 21, 1), (21, 22, 1)"); /* the same rowids and numbers */
    graph_is("g", "roads");
    expect("0", "SELECT count(*) FROM g WHERE src = 10");
    unlink(saved);
    close_file();
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
    expect_error("gpugraph_check", "no graph", "SELECT gpugraph_check('roads')");
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
    expect("0", "SELECT gpugraph_delete_vertex('w', 1.0)");
    expect_error("gpugraph_delete_vertex", "a BLOB",
                 "SELECT gpugraph_delete_vertex('w', x'31')");
    expect_error("gpugraph_delete_vertex", "the id 3.5 is REAL",
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
        expect_error("gpugraph_delete_vertex", "vertex ids are INTEGER or TEXT",
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
    run("CREATE TABLE keyed(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID; INSERT INTO keyed "
        "VALUES "
        "(1, 2), (2, 3), (3, 1), ('2', 5); CREATE VIRTUAL TABLE k USING "
        "gpugraph(keyed(a, b))");
    expect("2", "SELECT gpugraph_delete_vertex('k', 2)");
    expect("3|1|1;'2'|5|2", "SELECT src, dst, edge FROM k");
    expect("'ok'", "SELECT gpugraph_check('k')");
    /* The rowid's own names are taken, but a column is the rowid. */
    run("CREATE TABLE hidden(rowid, oid, _rowid_, id INTEGER PRIMARY KEY, src, dst);"
        "INSERT INTO hidden(id, src, dst) VALUES (10, 1, 2), (-5, 3, 4);"
        "CREATE VIRTUAL TABLE h USING gpugraph(hidden)");
    expect("3|4|-5;1|2|10", "SELECT src, dst, edge FROM h");
    expect("'ok'", "SELECT gpugraph_check('h')");
    sql_close();
}
END_TEST

int main(void) {
    const TTest *const tests[] = {every_way_to_change,
                                  many_changes_at_once,
                                  rows_that_replace_deletes,
                                  keys_of_all_kinds,
                                  keys_that_are_not_known,
                                  writes_by_triggers,
                                  kinds_of_weights,
                                  transactions,
                                  log_is_bounded,
                                  a_statement_sees_one_graph,
                                  names_share_one_mirror,
                                  lookups_compare_as_the_table_does,
                                  plans_and_orders,
                                  directions_and_vertices,
                                  every_function_takes_a_graph,
                                  renames,
                                  missing_parts_are_named,
                                  refusals,
                                  rights,
                                  connections,
                                  a_backup_comes_back,
                                  check_reports_differences,
                                  ids_to_delete_are_as_stored,
                                  vertices_are_deleted};
    Suite *suite = suite_create("follow");
    TCase *cases = tcase_create("follow");
    tcase_set_timeout(cases, 60);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(cases, tests[i]);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
