/* Followed graphs of tables with a NULL end in some rows. Batches change such graphs like
** others, and the graphs have all vertices of the table. */
/* ctest: gaps */
#include "random_sql.h"
#include "share.h"
#include "sql.h"
#include "suite.h"
#include "gpugraph_extension.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t chance;

uint32_t pick(uint32_t below) {
    return split_mix(&chance) % below;
}

/* Checks that graph and table have equal edges and vertices, and that the graph was
** updated from the log instead of being read again. */
static void agree(void) {
    run("SELECT count(*) FROM gpu_bfs('VALUES (1, 2)', 1); SELECT count(*) FROM g");
    expect("0",
           "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read' AND detail NOT "
           "LIKE '%%a query%%'");
    expect("'ok'", "SELECT gpugraph_check('g')");
    expect_same("SELECT vertex FROM gpu_dfs('t(a, b)') ORDER BY typeof(vertex), vertex",
                "SELECT vertex FROM gpu_dfs('g') ORDER BY typeof(vertex), vertex");
    expect_same(
        "SELECT src, dst, edge FROM g ORDER BY edge",
        "SELECT a, b, rowid FROM t WHERE a IS NOT NULL AND b IS NOT NULL ORDER BY "
        "rowid");
}

/* Makes a change and checks the vertices. */
static void after(const char *change, const char *vertices) {
    run("%s", change);
    expect(vertices, "SELECT group_concat(vertex, ' ') FROM (SELECT vertex FROM "
                     "gpu_dfs('g') ORDER BY typeof(vertex), vertex)");
    agree();
}

START_TEST(a_table_of_employees) {
    sql_open();
    run("CREATE TABLE t(a, b); INSERT INTO t VALUES (NULL, 1), (1, 2), (1, 3), (2, 4);"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b)); SELECT count(*) FROM g");
    after("DELETE FROM t WHERE b = 4", "'1 2 3'");
    after("UPDATE t SET a = NULL", "'1 2 3'"); /* no row has a manager */
    after("INSERT INTO t VALUES (NULL, 9), (7, NULL), (NULL, NULL)", "'1 2 3 7 9'");
    after("UPDATE t SET a = 9 WHERE b = 2", "'1 2 3 7 9'");
    after("DELETE FROM t WHERE a IS NULL AND b = 9", "'1 2 3 7 9'"); /* 9 -> 2 */
    after("UPDATE t SET a = NULL WHERE b = 2", "'1 2 3 7'");
    after("INSERT INTO t VALUES (3, NULL)", "'1 2 3 7'");
    after("DELETE FROM t WHERE b = 3", "'1 2 3 7'"); /* (3, NULL) keeps the vertex */
    after("DELETE FROM t WHERE a = 3", "'1 2 7'");
    after("UPDATE t SET b = 'x' WHERE a = 7", "'1 2 7 x'");
    after("UPDATE t SET a = NULL WHERE a = 7", "'1 2 x'");
    after("UPDATE t SET rowid = 100 WHERE b = 'x'", "'1 2 x'");
    after("BEGIN; DELETE FROM t WHERE a IS NULL", "-");
    after("SAVEPOINT s; INSERT INTO t VALUES (NULL, 'y')", "'y'");
    after("ROLLBACK TO s", "-");
    after("ROLLBACK", "'1 2 x'");
    after("DELETE FROM t", "-");
    after("INSERT INTO t VALUES (NULL, 5)", "'5'");
    sql_close();
}
END_TEST

/* A running statement continues to see the graph as it was. */
START_TEST(a_statement_under_way) {
    sqlite3_stmt *looking;
    int rc;
    sql_open();
    run("CREATE TABLE t(a, b); INSERT INTO t VALUES (NULL, 1), (1, 2), (NULL, 2);"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b))");
    sqlite3_prepare_v2(db, "SELECT vertex FROM gpu_dfs('g') ORDER BY +vertex", -1,
                       &looking, NULL);
    ck_assert_int_eq(sqlite3_step(looking), SQLITE_ROW);
    after("DELETE FROM t WHERE b = 2", "'1'");
    after("INSERT INTO t VALUES (8, NULL)", "'1 8'");
    char *rest = rows_of(looking, &rc);
    ck_assert_str_eq(rest, "2");
    sqlite3_free(rest);
    sqlite3_finalize(looking);
    after("DELETE FROM t WHERE a = 8", "'1'");
    sql_close();
}
END_TEST

/* A value that is no id is reported when the table is read. */
START_TEST(ends_that_are_no_ids) {
    sql_open();
    run("CREATE TABLE t(a, b); INSERT INTO t VALUES (NULL, 1), (1, 2);"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b)); SELECT count(*) FROM g");
    after("UPDATE t SET b = 3.0 WHERE a IS NULL", "'1 2 3'");
    run("INSERT INTO t VALUES (NULL, x'00')");
    expect_error("gpu_bfs", "the destination of edge 3 in main.t (column b) is a BLOB",
                 "SELECT * FROM gpu_bfs('g', 1)");
    run("DELETE FROM t WHERE rowid = 3");
    expect("3", "SELECT count(*) FROM gpu_dfs('g')");
    expect("'ok'", "SELECT gpugraph_check('g')");
    sql_close();
}
END_TEST

/* ---- at random ---- */

static const char *end_of_row(void) {
    return ONE_OF("NULL", "NULL", "1", "2", "3", "5", "8", "1000000007", "'a'", "'b'",
                  "''", "'3'");
}

static void change_at_random(void) {
    const char *a = end_of_row(), *b = end_of_row();
    switch (pick(8)) {
    case 0:
        run("DELETE FROM t WHERE rowid %% 3 = %u AND b IS %s", pick(3), b);
        break;
    case 1:
        run("UPDATE t SET a = %s WHERE rowid %% 4 = %u", a, pick(4));
        break;
    case 2:
        run("UPDATE t SET b = %s WHERE a IS %s", b, a);
        break;
    case 3:
        run("DELETE FROM t WHERE (SELECT count(*) FROM t) > 20 AND rowid %% 2");
        break;
    case 4:
        run(sqlite3_get_autocommit(db) ? "BEGIN" : ONE_OF("COMMIT", "ROLLBACK"));
        break;
    default:
        run("INSERT OR REPLACE INTO t(rowid, a, b) VALUES (%u, %s, %s)", pick(40), a, b);
    }
}

START_TEST(random_changes) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        if (left_out_of(seed, 15))
            continue;
        chance = seed;
        sql_open();
        run("CREATE TABLE t(a, b)%s; CREATE VIRTUAL TABLE g USING gpugraph(t(a, b)); "
            "SELECT count(*) FROM g",
            pick(2) ? "; INSERT INTO t VALUES (NULL, 1), ('a', NULL)" : "");
        for (int i = 0; i < 120; i++) {
            change_at_random();
            agree();
        }
        sql_close();
    }
}
END_TEST

/* ---- in the file ---- */

static char file[64];

static void open_again(void) {
    sql_close();
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    run("SELECT count(*) FROM gpu_bfs('g', 1)");
}

START_TEST(kept_in_the_file) {
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-halves-%d.db", (int)getpid());
    unlink(file);
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    run("CREATE TABLE t(a, b); INSERT INTO t VALUES (NULL, 1), (1, 2), (2, 'x'), (3, "
        "NULL),"
        "(NULL, 2); CREATE VIRTUAL TABLE g USING gpugraph(t(a, b), persist = 1)");
    open_again();
    agree();
    after("DELETE FROM t WHERE b = 'x'", "'1 2 3'");
    open_again();
    after("DELETE FROM t WHERE b IN (1, 2) AND a IS NULL", "'1 2 3'");
    after("INSERT INTO t VALUES ('z', NULL)", "'1 2 3 z'");
    expect("1", "SELECT gpugraph_save('g') > 0");
    open_again();
    after("DELETE FROM t WHERE a IN ('z', 3)", "'1 2'");
    expect("1", "SELECT gpugraph_save('g') > 0");
    open_again();
    after("INSERT INTO t VALUES (4, NULL)", "'1 2 4'");
    run("BEGIN; DELETE FROM t");
    expect("1", "SELECT gpugraph_save('g') > 0");
    run("ROLLBACK");
    open_again();
    after("DELETE FROM t WHERE a = 1", "'4'");
    /* Many rows, in several pieces of the file. */
    run("WITH RECURSIVE c(i) AS (VALUES (10) UNION ALL SELECT i + 1 FROM c WHERE i < "
        "300000) INSERT INTO t SELECT CASE WHEN i %% 3 THEN i * 7919 %% 300007 END, CASE "
        "WHEN i %% 3 <> 1 THEN i END FROM c");
    expect("1", "SELECT gpugraph_save('g') > 6000000");
    open_again();
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    run("DELETE FROM t WHERE rowid %% 1000 = 1; UPDATE t SET a = NULL WHERE rowid %% "
        "1000 "
        "= 2");
    expect("'ok'", "SELECT gpugraph_check('g')");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    sql_close();
    unlink(file);
}
END_TEST

/* The only edge and a half row have REAL weights. After the deletion of the edge,
** distances are INTEGERs. */
START_TEST(no_edge_is_real) {
    sql_open();
    run("CREATE TABLE t(a, b, w); INSERT INTO t VALUES (1, 2, 0.5), (NULL, 1, 2.5);"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b, w))");
    const char *type = "SELECT typeof(distance) FROM gpu_sssp('g', 1) WHERE vertex = 1";
    expect("'real'", type);
    run("DELETE FROM t WHERE a = 1");
    expect("'integer'", type);
    sql_close();
}
END_TEST

/* The table is read if the blocks have another version, or damaged half rows. */
START_TEST(blocks_of_another_kind) {
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-halves-%d.db", (int)getpid());
    unlink(file);
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    run("CREATE TABLE t(a, b); INSERT INTO t VALUES (NULL, 1), (1, 2), (3, NULL);"
        "CREATE VIRTUAL TABLE g USING gpugraph(t(a, b), persist = 1)");
    static const char *const damage[] = {
        "data = replace(data, 'gpugraph 4', 'gpugraph 3') WHERE rowid = 2",
        "data = substr(data, 1, length(data) - 8) || x'0102030405060708' WHERE rowid = 3",
        "data = substr(data, 1, length(data) - 8) WHERE rowid = 3",
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        open_again();
        expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
        run("UPDATE g_blocks SET %s", damage[i]);
        open_again();
        expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
        after("INSERT INTO t VALUES (NULL, 4)", "'1 2 3 4'");
        run("DELETE FROM t WHERE b = 4");
        expect("1", "SELECT gpugraph_save('g') > 0");
    }
    sql_close();
    unlink(file);
}
END_TEST

const struct suite suite = {
    "follow_halves",
    {{"all", .timeout = 120, .cases = {{&kept_in_the_file}}},
     {"no thread", .tags = "serial", .timeout = 120,
      .cases = {{&a_table_of_employees},
                {&a_statement_under_way},
                {&ends_that_are_no_ids},
                {&random_changes},
                {&no_edge_is_real},
                {&blocks_of_another_kind}}}},
};
