/* Followed graphs whose edges have ids from a column, or whose rows have a reverse
** weight. Batches change such graphs like others, and the graphs equal the table. */
#include "gpugraph_extension.h"
#include "sql.h"
#include "suite.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Compares levels, distances and trees in each direction with those of the table. */
static void same_answers(const char *source) {
    static const char *const searches[] = {
        "SELECT vertex, distance, parent, edge FROM gpu_sssp('%s', 1) WHERE direction = "
        "'%s' ORDER BY typeof(vertex), vertex",
        "SELECT vertex, depth, parent, edge FROM gpu_bfs('%s', 1) WHERE direction = '%s' "
        "ORDER BY typeof(vertex), vertex",
        "SELECT vertex, parent, edge, preorder FROM gpu_dfs('%s') WHERE ordered = 1 AND "
        "direction = '%s' ORDER BY typeof(vertex), vertex"};
    static const char *const directions[] = {"out", "in", "both"};
    for (int i = 0; i < 9; i++) {
        char *of_graph = sqlite3_mprintf(searches[i / 3], "g", directions[i % 3]);
        char *of_table = sqlite3_mprintf(searches[i / 3], source, directions[i % 3]);
        expect_same(of_graph, of_table);
        sqlite3_free(of_graph);
        sqlite3_free(of_table);
    }
    expect("'ok'", "SELECT gpugraph_check('g')");
}

/* Changes rows and compares. The table must not be read as a whole. */
static void after(const char *change, const char *edges, const char *source) {
    run("%s", change);
    expect(edges, "SELECT src, dst, weight, edge FROM g");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    same_answers(source);
}

START_TEST(ids_of_all_kinds) {
    const char *source = "t(a, b, w, id)";
    sql_open();
    run("CREATE TABLE t(a, b, w, id); INSERT INTO t VALUES (1, 2, 4, 'x'), (2, 3, 5, 7), "
        "(1, 3, 9, NULL), (3, 4, 1, 7), (4, NULL, 2, 8), (1, 2, 4, 'a');"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b, w, id))");
    expect("2|3|5|7;3|4|1|7;1|2|4|'a';1|2|4|'x';1|3|9|-", "SELECT * FROM g");
    after("INSERT INTO t VALUES (3, 1, 2, 7), (9, 1, 3, 'm')",
          "2|3|5|7;3|4|1|7;3|1|2|7;1|2|4|'a';9|1|3|'m';1|2|4|'x';1|3|9|-", source);
    after("UPDATE t SET id = 'b' WHERE id = 'x'",
          "2|3|5|7;3|4|1|7;3|1|2|7;1|2|4|'a';1|2|4|'b';9|1|3|'m';1|3|9|-", source);
    after("UPDATE t SET id = '7' WHERE a = 3 AND b = 4",
          "2|3|5|7;3|1|2|7;3|4|1|'7';1|2|4|'a';1|2|4|'b';9|1|3|'m';1|3|9|-", source);
    after("UPDATE t SET rowid = 100 WHERE rowid = 2", /* equal ids are in order of rows */
          "3|1|2|7;2|3|5|7;3|4|1|'7';1|2|4|'a';1|2|4|'b';9|1|3|'m';1|3|9|-", source);
    after("UPDATE t SET id = 7.0, b = 4 WHERE id IS NULL",
          "1|4|9|7;3|1|2|7;2|3|5|7;3|4|1|'7';1|2|4|'a';1|2|4|'b';9|1|3|'m'", source);
    after("UPDATE t SET a = NULL WHERE id = 'a'",
          "1|4|9|7;3|1|2|7;2|3|5|7;3|4|1|'7';1|2|4|'b';9|1|3|'m'", source);
    after("BEGIN; DELETE FROM t WHERE id = 'm'; UPDATE t SET w = w + 1",
          "1|4|10|7;3|1|3|7;2|3|6|7;3|4|2|'7';1|2|5|'b'", source);
    after("ROLLBACK", "1|4|9|7;3|1|2|7;2|3|5|7;3|4|1|'7';1|2|4|'b';9|1|3|'m'", source);
    after("UPDATE t SET w = 2.5 WHERE id = 'm'",
          "1|4|9.0|7;3|1|2.0|7;2|3|5.0|7;3|4|1.0|'7';1|2|4.0|'b';9|1|2.5|'m'", source);
    after("DELETE FROM t", "", source);
    after("INSERT INTO t VALUES (1, 1, 1, NULL), (1, 1, 1, NULL), (1, 2, 1, '')",
          "1|2|1|'';1|1|1|-;1|1|1|-", source);
    sql_close();
}
END_TEST

START_TEST(edges_by_their_ids) {
    sql_open();
    run("CREATE TABLE t(a, b, w, id); INSERT INTO t VALUES (1, 2, 4, 7), (2, 3, 5, '7'), "
        "(1, 3, 9, '7.0'), (3, 4, 1, 7), (4, 1, 2, NULL);"
        "CREATE TABLE u(a, b, w, id TEXT); INSERT INTO u SELECT * FROM t;"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b, w, id));"
        "CREATE VIRTUAL TABLE h USING gpugraph(u(a, b, w, id));"
        "CREATE TABLE numbers(n INTEGER, r REAL, x TEXT); INSERT INTO numbers VALUES (7, "
        "7.0, '7')");
    expect("1|2;3|4", "SELECT src, dst FROM g WHERE edge = 7");
    expect("1|2;3|4", "SELECT src, dst FROM g WHERE edge = 7.0");
    expect("2|3", "SELECT src, dst FROM g WHERE edge = '7'");
    expect("-", "SELECT max(src) FROM g WHERE edge = NULL");
    expect("4|1", "SELECT src, dst FROM g WHERE edge IS NULL");
    for (int i = 0; i < 3; i++) { /* the comparison uses a column's affinity */
        const char *column = ((const char *[]){"n", "r", "x"})[i];
        for (int k = 0; k < 2; k++) {
            char *found = sqlite3_mprintf("SELECT src, dst, edge FROM numbers, %s WHERE "
                                          "edge = %s ORDER BY src, dst",
                                          k ? "h" : "g", column);
            char *wanted =
                sqlite3_mprintf("SELECT a, b, id FROM numbers, %s WHERE id = %s "
                                "ORDER BY a, b",
                                k ? "u" : "t", column);
            expect_same(found, wanted);
            sqlite3_free(found);
            sqlite3_free(wanted);
        }
    }
    /* a numeral that SQLite would not write, when the graph is the inner one */
    expect("1|2;1|3;2|3;3|4",
           "SELECT src, dst FROM numbers CROSS JOIN h WHERE edge = n ORDER BY src, dst");
    run("UPDATE u SET id = 7 WHERE id = '7.0'");
    expect("1|2;1|3;2|3;3|4",
           "SELECT src, dst FROM numbers CROSS JOIN h WHERE edge = n ORDER BY src, dst");
    run("UPDATE u SET id = '7.0' WHERE b = 3 AND a = 1");
    expect("1|2;1|3;2|3;3|4",
           "SELECT src, dst FROM numbers CROSS JOIN h WHERE edge = n ORDER BY src, dst");
    expect("'7';'7';'7';'7.0';-", "SELECT edge FROM h ORDER BY edge NULLS LAST");
    expect("-;'7';'7';'7';'7.0'", "SELECT edge FROM h ORDER BY edge");
    expect("5;4;3;2;1", "SELECT rowid FROM h ORDER BY rowid DESC");
    sql_close();
}
END_TEST

/* The type of a list's column counts, too: ids '7' and 7 both match a list of INTEGERs,
** and each edge comes once. */
START_TEST(lists_of_ids) {
    static const char *const lists[] = {"SELECT n FROM numbers",
                                        "SELECT x FROM numbers",
                                        "SELECT r FROM numbers",
                                        "SELECT y FROM numbers",
                                        "7, '7', 'x7'",
                                        "NULL, 8",
                                        "SELECT n FROM numbers WHERE n > 90"};
    static const char *const types[] = {"", "BLOB", "INTEGER"};
    for (int i = 0; i < 3; i++) {
        sql_open();
        run("CREATE TABLE t(a, b, w, id %s); INSERT INTO t VALUES (1, 2, 1, 7), (2, 3, "
            "1, '7'), (3, 4, 1, '7'), (4, 5, 1, "
            "'x7'), (5, 6, 1, 8), (6, 7, 1, NULL), (7, 8, 1, '8.0'), (8, 9, 1, 9)",
            types[i]);
        run("CREATE VIRTUAL TABLE g USING gpugraph(t(a, b, w, id)); CREATE TABLE "
            "numbers(n INTEGER, r REAL, x TEXT, y); "
            "INSERT INTO numbers VALUES (7, 7.0, '7', 7), (8, 8.5, 'x7', '8'), (7, 8.0, "
            "NULL, NULL)");
        for (int odd = 0; odd < 2; odd++) {
            for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
                char *graph = sqlite3_mprintf(
                         "SELECT src, dst FROM g WHERE edge IN (%s) ORDER BY src",
                         lists[k]),
                     *table = sqlite3_mprintf(
                         "SELECT a, b FROM t WHERE id IN (%s) ORDER BY a", lists[k]);
                expect_same(graph, table);
                sqlite3_free(graph);
                sqlite3_free(table);
            }
            /* a numeral that SQLite would not write; the graph is the inner table of the
            ** join */
            run("INSERT INTO t VALUES (9, 1, 1, '07')");
        }
        sql_close();
    }
}
END_TEST

/* Columns without a type hold both ids, and a number from a numeric column equals
** each. */
START_TEST(vertices_that_are_numerals) {
    sql_open();
    run("CREATE TABLE t(a, b); INSERT INTO t VALUES (7, 1), ('7', 2), ('07', 3), (' 7', "
        "4), ('7.0', 5), ('x7', 6), ('+7', 7), ('7e0', 8), ('8', '07'), (9, '8.0');"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b));"
        "CREATE TABLE numbers(n INTEGER, r REAL, x TEXT, y); INSERT INTO numbers VALUES "
        "(7, 7.0, '7', 7), (8, 8.0, '07', '8')");
    for (int i = 0; i < 4; i++) {
        const char *column = ((const char *[]){"n", "r", "x", "y"})[i];
        char *found[2], *wanted[2];
        for (int k = 0; k < 2; k++) {
            const char *to = k ? " AND %s.%s IN (SELECT n FROM numbers)" : "%s%s";
            found[k] = sqlite3_mprintf("SELECT src, dst FROM numbers CROSS JOIN g WHERE "
                                       "src = %s%z ORDER BY edge",
                                       column,
                                       sqlite3_mprintf(to, k ? "g" : "", k ? "dst" : ""));
            wanted[k] =
                sqlite3_mprintf("SELECT a, b FROM numbers CROSS JOIN t WHERE "
                                "a = %s%z ORDER BY t.rowid",
                                column, sqlite3_mprintf(to, k ? "t" : "", k ? "b" : ""));
            expect_same(found[k], wanted[k]);
            sqlite3_free(found[k]);
            sqlite3_free(wanted[k]);
        }
    }
    sql_close();
}
END_TEST

/* All ids are written with leading zeros: each is found by its number only. */
START_TEST(many_odd_numerals) {
    sql_open();
    run("CREATE TABLE t(a, b, w, id); WITH r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM "
        "r "
        "WHERE i < 3000) INSERT INTO t SELECT printf('%%06d', i), '-', 1, "
        "printf('%%05d.0', "
        "i / 2) FROM r;"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b)); CREATE VIRTUAL TABLE h USING "
        "gpugraph(t(a, b, w, id)); CREATE TABLE numbers(n INTEGER); INSERT INTO numbers "
        "SELECT rowid * 7 FROM t WHERE rowid < 600");
    expect_same("SELECT src, n FROM numbers CROSS JOIN g WHERE src = n ORDER BY n",
                "SELECT a, n FROM numbers CROSS JOIN t WHERE a = n ORDER BY n");
    expect_same(
        "SELECT src, n FROM numbers CROSS JOIN h WHERE edge = n AND n < 70 "
        "ORDER BY n, src",
        "SELECT a, n FROM numbers CROSS JOIN t WHERE id = n AND n < 70 ORDER BY n, "
        "a");
    expect("428", "SELECT count(*) FROM numbers CROSS JOIN g WHERE src = n");
    sql_close();
}
END_TEST

START_TEST(a_weight_for_each_way) {
    const char *source = "t(a, b, w, id, r)";
    sql_open();
    run("CREATE TABLE t(a, b, w, id, r); INSERT INTO t VALUES (1, 2, 4, 'u', 9), (2, 3, "
        "5, "
        "'v', -1), (3, 4, NULL, 'w', -1), (5, 3, NULL, 'x', 2), (6, NULL, 1, 'y', 1);"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b, w, id, r));"
        "CREATE VIRTUAL TABLE b USING gpugraph(t(a, b, w, id, r), direction = 'both')");
    expect("1|2|4|'u';2|1|9|'u';2|3|5|'v';3|5|2|'x'", "SELECT * FROM g");
    expect("1|2|4|'u';2|3|5|'v';5|3|2|'x'", "SELECT * FROM b");
    same_answers(source);
    after("UPDATE t SET r = 1 WHERE id = 'w'", /* one direction is open */
          "1|2|4|'u';2|1|9|'u';2|3|5|'v';4|3|1|'w';3|5|2|'x'", source);
    after("UPDATE t SET r = 3 WHERE id = 'u'",
          "1|2|4|'u';2|1|3|'u';2|3|5|'v';4|3|1|'w';3|5|2|'x'", source);
    expect("1|2|3|'u';2|3|5|'v';3|4|1|'w';5|3|2|'x'", "SELECT * FROM b");
    after("UPDATE t SET w = NULL, r = NULL WHERE id IN ('u', 'w')", /* vertices stay */
          "2|3|5|'v';3|5|2|'x'", source);
    after("DELETE FROM t WHERE id = 'w'", "2|3|5|'v';3|5|2|'x'", source);
    expect("0", "SELECT count(*) FROM gpu_mis('g') WHERE vertex = 4");
    after("UPDATE t SET b = 1, id = NULL WHERE id = 'y'",
          "2|3|5|'v';3|5|2|'x';6|1|1|-;1|6|1|-", source);
    after(
        "UPDATE t SET w = 1, r = 1, b = 'x', a = 'x' WHERE id = 'u'", /* a loop, twice */
        "'x'|'x'|1|'u';'x'|'x'|1|'u';2|3|5|'v';3|5|2|'x';6|1|1|-;1|6|1|-", source);
    expect("'ok'", "SELECT gpugraph_check('b')");
    expect("2", "SELECT gpugraph_delete_vertex('g', 3)");
    expect("'x'|'x'|1|'u';6|1|1|-", "SELECT * FROM b");
    run("INSERT INTO t VALUES (1, 2, 3, 4, 'heavy')");
    expect_error("gpu_bfs", "is the text 'heavy'", "SELECT * FROM gpu_bfs('g', 1)");
    run("UPDATE t SET r = 1.5 WHERE r = 'heavy'");
    expect("1|2|3.0|4;2|1|1.5|4;'x'|'x'|1.0|'u';'x'|'x'|1.0|'u';6|1|1.0|-;1|6|1.0|-",
           "SELECT * FROM g");
    same_answers(source);
    sql_close();
}
END_TEST

/* Rows with a reverse weight and the rowid as edge id; rowids that cannot be doubled. */
START_TEST(rowids_with_a_way_back) {
    const char *source = "t(a, b, w, rowid, r)";
    sql_open();
    run("CREATE TABLE t(a, b, w, r); INSERT INTO t VALUES (1, 2, 4, 9), (2, 3, 5, -1);"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b, w, rowid, r))");
    expect("1|2|4|1;2|1|9|1;2|3|5|2", "SELECT * FROM g");
    after("UPDATE t SET rowid = -5 WHERE rowid = 2", "2|3|5|-5;1|2|4|1;2|1|9|1", source);
    after(
        "INSERT INTO t(rowid, a, b, w, r) VALUES (-4611686018427387904, 3, 1, 1, 1), "
        "(4611686018427387903, 3, 1, 1, NULL)",
        "3|1|1|-4611686018427387904;1|3|1|-4611686018427387904;2|3|5|-5;1|2|4|1;2|1|9|1;"
        "3|1|1|4611686018427387903",
        source);
    run("INSERT INTO t(rowid, a, b, w, r) VALUES (4611686018427387904, 1, 2, 3, 4)");
    expect_error("gpu_bfs", "takes rowids from -2^62 to 2^62 - 1",
                 "SELECT * FROM gpu_bfs('g', 1)");
    run("DELETE FROM t WHERE rowid > 4611686018427387903");
    expect("'ok'", "SELECT gpugraph_check('g')");
    run("CREATE TABLE k(id INTEGER PRIMARY KEY, a, b, w, r); INSERT INTO k VALUES (3, 1, "
        "2, "
        "4, 5); CREATE VIRTUAL TABLE h USING gpugraph(k(a, b, w, id, r)); ALTER TABLE k "
        "RENAME COLUMN id TO number");
    expect("1|2|4|3;2|1|5|3", "SELECT * FROM h");
    expect("'current'", "SELECT state FROM gpugraph_graphs WHERE name = 'h'");
    sql_close();
}
END_TEST

/* A running statement continues to see the earlier graph, in both directions. */
START_TEST(while_a_cursor_is_open) {
    sqlite3_stmt *open;
    sql_open();
    run("CREATE TABLE t(a, b, w, id, r); INSERT INTO t VALUES (1, 2, 4, 'u', 9), (2, 3, "
        "5, "
        "'v', 6); CREATE VIRTUAL TABLE g USING gpugraph(t(a, b, w, id, r))");
    ck_assert_int_eq(
        sqlite3_prepare_v2(db,
                           "SELECT edge, (SELECT group_concat(edge) FROM "
                           "gpu_bfs('g', 1) WHERE direction = 'both') FROM g",
                           -1, &open, NULL),
        SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(open), SQLITE_ROW);
    run("UPDATE t SET id = 'z' WHERE id = 'u'; INSERT INTO t VALUES (3, 4, 1, 'a', 1)");
    expect("'a';'a';'v';'v';'z';'z'", "SELECT edge FROM g");
    int rc, rows = 1;
    for (; (rc = sqlite3_step(open)) == SQLITE_ROW; rows++)
        ck_assert_str_eq((const char *)sqlite3_column_text(open, 1), "u,v");
    ck_assert_int_eq(rc, SQLITE_DONE);
    ck_assert_int_eq(rows, 4);
    sqlite3_finalize(open);
    expect("'ok'", "SELECT gpugraph_check('g')");
    sql_close();
}
END_TEST

static void open_file(const char *file) {
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
}

START_TEST(blocks) {
    char file[64];
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-ids-%d.db", (int)getpid());
    unlink(file);
    open_file(file);
    run("CREATE TABLE t(a, b, w, id, r); INSERT INTO t VALUES (1, 2, 4, 'u', 9), (2, 3, "
        "5, "
        "NULL, -1), (3, 4, -1, 'w', -1), (5, NULL, 1, 'y', 1);"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b, w, id, r), persist = 1)");
    sql_close();
    for (int round = 0; round < 3; round++) {
        open_file(file);
        if (round)
            run("INSERT INTO t VALUES (4, 1, %d, %d, 2); DELETE FROM t WHERE id = 'w'",
                round, round);
        run("SELECT count(*) FROM gpu_bfs('g', 1)");
        expect("1", "SELECT count(*) > 0 FROM gpugraph_timings WHERE phase = 'unpack'");
        expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
        same_answers("t(a, b, w, id, r)");
        if (round == 1)
            expect("1", "SELECT gpugraph_save('g') > 0");
        sql_close();
    }
    unlink(file);
}
END_TEST

/* Columns are renamed, and a column of the graph cannot be dropped. Without one of its
** triggers the graph is read again. */
START_TEST(changes_of_schema) {
    sql_open();
    run("CREATE TABLE t(a, b, w, id, r, open DEFAULT 1); INSERT INTO t VALUES (1, 2, 4, "
        "'u', "
        "9, 1), (2, 3, 5, 'v', -1, 0);"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b, w, id, r), where = 'open = 1')");
    expect("1|2|4|'u';2|1|9|'u'", "SELECT * FROM g");
    run("ALTER TABLE t RENAME COLUMN id TO code; ALTER TABLE t RENAME COLUMN r TO back; "
        "UPDATE t SET open = 1 - open");
    expect("2|3|5|'v'", "SELECT * FROM g");
    expect("'current'", "SELECT state FROM gpugraph_graphs WHERE name = 'g'");
    char *said = ask("ALTER TABLE t DROP COLUMN back");
    ck_assert_ptr_nonnull(strstr(said, "error in trigger g_moved"));
    sqlite3_free(said);
    run("DROP TRIGGER g_inserted; ALTER TABLE t RENAME COLUMN code TO id; ALTER TABLE t "
        "RENAME COLUMN back TO r; INSERT INTO t VALUES (3, 1, 1, 2, 1, 1)");
    /* The graph is read again. */
    expect("3|1|1|2;1|3|1|2;2|3|5|'v'", "SELECT * FROM g");
    expect("3|1|1|2;1|3|1|2", "SELECT * FROM g WHERE edge = 2");
    same_answers("SELECT a, b, w, id, r FROM t WHERE open");
    run("CREATE TABLE k(a, b, w, id, r, PRIMARY KEY(a, b)) WITHOUT ROWID; INSERT INTO k "
        "VALUES (2, 1, 3, 'x', 1), (1, 2, 4, 'x', NULL); CREATE VIRTUAL TABLE h USING "
        "gpugraph(k(a, b, w, id, r))");
    expect("1|2|4|'x';2|1|3|'x';1|2|1|'x'", "SELECT * FROM h");
    run("INSERT INTO k VALUES (0, 1, 1, NULL, 1), (1, 0, 1, 5, NULL)");
    expect("1|0|1|5;1|2|4|'x';2|1|3|'x';1|2|1|'x';0|1|1|-;1|0|1|-", "SELECT * FROM h");
    expect("'ok'", "SELECT gpugraph_check('h')");
    sql_close();
}
END_TEST

const struct suite suite = {
    "follow_ids",
    {{"ids", .timeout = 60,
      .cases = {{&ids_of_all_kinds},
                {&edges_by_their_ids},
                {&lists_of_ids},
                {&vertices_that_are_numerals},
                {&many_odd_numerals},
                {&a_weight_for_each_way},
                {&rowids_with_a_way_back},
                {&while_a_cursor_is_open},
                {&blocks},
                {&changes_of_schema}}}},
};
