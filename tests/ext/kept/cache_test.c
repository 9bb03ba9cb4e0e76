/* A statement must see a graph that equals the table. The test compares both after every
** kind of change, by this connection or another one. If nothing has changed, the table
** must not be read again. */
/* ctest: serial */
#include "cache_fixture.h"
#include "sqlite_memory.h"
#include "suite.h"
#include <stdlib.h>

static const char now_sql[] = "SELECT coalesce(group_concat(quote(src) || '>' || "
                              "quote(dst) || '#' || rowid, ' '), '') "
                              "FROM (SELECT rowid, * FROM roads ORDER BY rowid)";

static void by_other(const char *sql) {
    char *error = NULL;
    int rc = sqlite3_exec(other, sql, NULL, NULL, &error);
    ck_assert_msg(rc == SQLITE_OK, "%s: %s", sql, error);
}

/* Checks that the graph equals the table, and that a query reads it `reads` times. */
static void agrees(int reads) {
    char *want = sqlite3_mprintf("%s", probe_get(&p, now_sql));
    p.reads = 0;
    probe_expect(&p, "SELECT graph('roads')", want);
    ck_assert_int_eq(p.reads, reads);
    sqlite3_free(want);
}

/* Makes a change and queries twice; the second query reads nothing. */
static void after(const char *sql) {
    probe_run(&p, sql);
    agrees(1);
    agrees(0);
}

START_TEST(own_commits) {
    agrees(1);
    agrees(0);
    after("INSERT INTO roads VALUES (1, 2, 3), (2, 3, 4)");
    after("UPDATE roads SET dst = 9 WHERE src = 2");
    after("DELETE FROM roads WHERE src = 1");
    after("REPLACE INTO roads(rowid, src, dst) VALUES (2, 7, 8)");
    after("DELETE FROM roads");
    after("BEGIN; INSERT INTO roads VALUES (1, 2, 3); COMMIT");
    after("BEGIN; SAVEPOINT a; INSERT INTO roads VALUES (5, 6, 7); ROLLBACK TO a;"
          "INSERT INTO roads VALUES (8, 9, 7); COMMIT");
    after("DROP TABLE roads; CREATE TABLE roads(src, dst); INSERT INTO roads VALUES (3, "
          "4)");
    after("BEGIN; DROP TABLE roads; CREATE TABLE roads AS SELECT 5 AS src, 6 AS dst; "
          "COMMIT");
    after("ALTER TABLE roads ADD COLUMN weight DEFAULT 5");
    after("ALTER TABLE roads RENAME COLUMN weight TO cost");
    after("PRAGMA user_version = 9");
    after("VACUUM");
}
END_TEST

START_TEST(inside_a_transaction) {
    probe_run(&p, "INSERT INTO roads VALUES (1, 2, 3)");
    agrees(1);
    probe_run(&p, "BEGIN");
    agrees(0);
    probe_run(&p, "INSERT INTO roads VALUES (2, 3, 4)");
    agrees(1);
    probe_run(&p, "SAVEPOINT a; UPDATE roads SET dst = 77");
    agrees(1);
    probe_run(&p, "ROLLBACK TO a");
    agrees(1);
    probe_run(&p, "ROLLBACK");
    agrees(0); /* the graph that was read before the transaction */
    probe_run(&p, "BEGIN IMMEDIATE");
    agrees(0);
    probe_run(&p, "DROP TABLE roads; CREATE TABLE roads AS SELECT 5 AS src, 6 AS dst");
    agrees(1);
    probe_run(&p, "ROLLBACK");
    agrees(1); /* the ROLLBACK has expired prepared statements, as DETACH does */
    probe_run(&p, "BEGIN; INSERT INTO roads VALUES (4, 5, 6)");
    agrees(1);
    probe_run(&p, "COMMIT");
    agrees(1);
    agrees(0);
}
END_TEST

START_TEST(temp_tables) {
    probe_run(&p, "CREATE TEMP TABLE links(src, dst); INSERT INTO links VALUES (1, 2)");
    probe_expect(&p, "SELECT graph('links')", "1>2#1");
    p.reads = 0;
    probe_expect(&p, "SELECT graph('links')", "1>2#1");
    ck_assert_int_eq(p.reads, 0);
    probe_run(&p, "INSERT INTO links VALUES (2, 3)");
    probe_expect(&p, "SELECT graph('links')", "1>2#1 2>3#2");
    /* A temporary table hides a table of its name. */
    probe_run(&p, "INSERT INTO roads VALUES (8, 9, 1)");
    probe_expect(&p, "SELECT graph('roads')", "8>9#1");
    probe_run(&p,
              "CREATE TEMP TABLE roads(src, dst); INSERT INTO temp.roads VALUES (1, 1)");
    probe_expect(&p, "SELECT graph('roads')", "1>1#1");
    probe_run(&p, "DROP TABLE temp.roads");
    probe_expect(&p, "SELECT graph('roads')", "8>9#1");
}
END_TEST

START_TEST(views_and_queries_are_never_kept) {
    probe_run(&p, "INSERT INTO roads VALUES (1, 2, 3); CREATE VIEW v AS SELECT src, dst "
                  "FROM roads; CREATE VIEW five AS SELECT 5");
    for (int i = 1; i <= 2; i++) {
        p.reads = 0;
        probe_expect(&p, "SELECT graph('v') = graph('v')", "1");
        probe_expect(&p, "SELECT gpu_test('SELECT src, dst FROM roads')", "1>2#1");
        ck_assert_int_eq(p.reads, 2);
        ck_assert_ptr_null(p.c.graphs);
    }
    p.reads = 0;
    probe_expect(&p, "SELECT graph('roads', 'five')", "1>2#1|5");
    probe_expect(&p, "SELECT graph('roads', 'five')", "1>2#1|5");
    ck_assert_int_eq(p.reads, 4);
}
END_TEST

START_TEST(one_reading_in_a_statement) {
    probe_run(&p, "CREATE VIEW v AS SELECT abs(random()) AS src, 1 AS dst;"
                  "INSERT INTO roads VALUES (1, 2, 3), (2, 3, 4), (3, 4, 5)");
    p.reads = 0;
    probe_expect(&p, "SELECT count(DISTINCT g) FROM (SELECT graph('v') AS g FROM roads)",
                 "1");
    probe_expect(
        &p, "SELECT count(DISTINCT (SELECT graph('v') WHERE src > 0)) FROM roads", "1");
    probe_expect(&p, "SELECT graph('v') = (SELECT graph('v'))", "1");
    ck_assert_int_eq(p.reads, 3);
}
END_TEST

START_TEST(a_statement_that_writes_what_it_reads) {
    probe_run(&p, "INSERT INTO roads VALUES (1, 2, 3), (2, 3, 4)");
    agrees(1);
    p.reads = 0;
    probe_run(&p, "INSERT INTO roads SELECT graph('roads'), src, 1 FROM roads");
    probe_expect(&p, "SELECT count(DISTINCT src) FROM roads WHERE rowid > 2", "1");
    ck_assert_int_eq(p.reads, 1);
    agrees(1);
    /* A trigger writes and changes every counter, but the statement keeps its graph. */
    probe_run(
        &p,
        "DELETE FROM roads; INSERT INTO roads VALUES (1, 2, 3), (2, 3, 4);"
        "CREATE TABLE log(x);"
        "CREATE TRIGGER tr AFTER INSERT ON roads BEGIN INSERT INTO log VALUES (1); END");
    p.reads = 0;
    probe_run(&p, "INSERT INTO roads SELECT graph('roads'), src, 1 FROM roads");
    probe_expect(&p, "SELECT count(DISTINCT src) FROM roads WHERE rowid > 2", "1");
    ck_assert_int_eq(p.reads, 1);
    probe_run(&p, "UPDATE roads SET dst = graph('roads')");
    probe_expect(&p, "SELECT count(DISTINCT dst) FROM roads", "1");
    agrees(1);
}
END_TEST

START_TEST(a_statement_run_again) {
    sqlite3_stmt *statement;
    probe_run(&p, "CREATE TABLE seen(g)");
    sqlite3_prepare_v2(p.c.db, "INSERT INTO seen SELECT graph('roads')", -1, &statement,
                       NULL);
    for (int i = 0; i < 3; i++) {
        probe_run(&p, "INSERT INTO roads VALUES (1, 2, 3)");
        ck_assert_int_eq(sqlite3_step(statement), SQLITE_DONE);
        sqlite3_reset(statement);
    }
    probe_run(&p, "SAVEPOINT a; INSERT INTO roads VALUES (8, 9, 1)");
    sqlite3_step(statement);
    sqlite3_reset(statement);
    probe_run(&p, "ROLLBACK TO a");
    sqlite3_step(statement);
    sqlite3_finalize(statement);
    probe_run(&p, "COMMIT");
    probe_expect(&p, "SELECT group_concat(length(g)) FROM seen", "5,11,17,17");
}
END_TEST

START_TEST(triggers_see_the_table_as_it_is) {
    probe_run(&p, "CREATE TABLE seen(g); CREATE TRIGGER tr AFTER INSERT ON roads BEGIN "
                  "INSERT INTO seen SELECT graph('roads'); END");
    probe_run(&p, "INSERT INTO roads VALUES (1, 2, 1), (2, 3, 1), (3, 4, 1)");
    probe_expect(&p, "SELECT group_concat(g, ';') FROM seen",
                 "1>2#1;1>2#1 2>3#2;1>2#1 2>3#2 3>4#3");
    agrees(1);
}
END_TEST

START_TEST(rows_written_between_two_steps) {
    sqlite3_stmt *statement;
    probe_run(&p, "INSERT INTO roads VALUES (1, 2, 1); CREATE TABLE n(i); INSERT INTO n "
                  "VALUES (1), (2)");
    agrees(1);
    sqlite3_prepare_v2(p.c.db, "SELECT graph('roads', NULL, i) FROM n", -1, &statement,
                       NULL);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    probe_run(&p, "INSERT INTO roads VALUES (2, 3, 1)");
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    ck_assert_str_eq((const char *)sqlite3_column_text(statement, 0), "1>2#1=1");
    agrees(1); /* another statement runs meanwhile */
    sqlite3_finalize(statement);
    agrees(0);
    /* The weights are those of the rows that the statement has already read without
    ** weights. */
    probe_run(&p, "UPDATE roads SET weight = '1' WHERE src = 1");
    sqlite3_prepare_v2(
        p.c.db,
        "SELECT CASE i WHEN 1 THEN graph('roads') ELSE graph('roads', NULL, "
        "'weights') END FROM n",
        -1, &statement, NULL);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    probe_run(&p, "INSERT INTO roads VALUES (3, 4, 1)");
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    ck_assert_str_eq((const char *)sqlite3_column_text(statement, 0), "1>2#1=1 2>3#2=1");
    sqlite3_reset(statement);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    ck_assert_str_eq((const char *)sqlite3_column_text(statement, 0),
                     "1>2#1=1 2>3#2=1 3>4#3=1");
    sqlite3_finalize(statement);
}
END_TEST

START_TEST(beside_a_statement_that_is_not_done) {
    sqlite3_stmt *writer;
    probe_run(&p, "INSERT INTO roads VALUES (1, 2, 1)");
    agrees(1);
    probe_run(&p, "BEGIN IMMEDIATE");
    sqlite3_prepare_v2(p.c.db,
                       "INSERT INTO roads VALUES (5, 6, 1), (6, 7, 1) RETURNING src", -1,
                       &writer, NULL);
    ck_assert_int_eq(sqlite3_step(writer), SQLITE_ROW);
    agrees(1);
    sqlite3_finalize(writer);
    agrees(1);
    probe_run(&p, "COMMIT");
    agrees(1);
}
END_TEST

START_TEST(detached_and_attached) {
    char sql[400], path[2][80];
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "/tmp/gpugraph-attach-test-%d-%d.db",
                 (int)getpid(), i);
        unlink(path[i]);
        snprintf(sql, sizeof sql,
                 "ATTACH '%s' AS aux; CREATE TABLE aux.links(src, dst);"
                 "INSERT INTO aux.links VALUES (%d, 5); DETACH aux",
                 path[i], i);
        probe_run(&p, sql);
    }
    for (int i = 0; i < 6; i++) {
        snprintf(sql, sizeof sql, "ATTACH '%s' AS aux", path[i % 2]);
        probe_run(&p, sql);
        probe_expect(&p, "SELECT graph('links')", i % 2 ? "1>5#1" : "0>5#1");
        p.reads = 0;
        probe_expect(&p, "SELECT graph('aux.links')", i % 2 ? "1>5#1" : "0>5#1");
        probe_expect(&p, "SELECT graph('aux.links')", i % 2 ? "1>5#1" : "0>5#1");
        ck_assert_int_le(p.reads, 1); /* it may be the graph of 'links' */
        probe_run(&p, "DETACH aux");
    }
    ck_assert_ptr_nonnull(
        strstr(probe_get(&p, "SELECT graph('aux.links')"), "no database 'aux'"));
    for (int i = 0; i < 3; i++) {
        snprintf(sql, sizeof sql,
                 "ATTACH ':memory:' AS aux; CREATE TABLE aux.links(src, dst);"
                 "INSERT INTO aux.links VALUES (7, %d)",
                 i);
        probe_run(&p, sql);
        snprintf(sql, sizeof sql, "7>%d#1", i);
        probe_expect(&p, "SELECT graph('links')", sql);
        probe_run(&p, "DETACH aux");
    }
    unlink(path[0]);
    unlink(path[1]);
}
END_TEST

static unsigned char *serialized(const char *sql, sqlite3_int64 *bytes) {
    sqlite3 *db;
    sqlite3_open(":memory:", &db);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    unsigned char *image = sqlite3_serialize(db, "main", bytes, 0);
    sqlite3_close(db);
    return image;
}

START_TEST(replaced_from_outside_sql) {
    static const char *const made[] = {
        "CREATE TABLE roads(src, dst); INSERT INTO roads VALUES (1, 2)",
        "CREATE TABLE roads(src, dst); INSERT INTO roads VALUES (3, 4)"};
    agrees(1);
    for (int i = 0; i < 4; i++) {
        sqlite3_int64 bytes;
        unsigned char *image = serialized(made[i % 2], &bytes);
        ck_assert_int_eq(sqlite3_deserialize(p.c.db, "main", image, bytes, bytes,
                                             SQLITE_DESERIALIZE_FREEONCLOSE),
                         SQLITE_OK);
        agrees(1);
        agrees(1); /* all images look equal, so no graph is kept */
    }
}
END_TEST

START_TEST(restored_by_backup) {
    sqlite3 *source;
    agrees(1);
    for (int i = 0; i < 2; i++) {
        sqlite3_open(":memory:", &source);
        sqlite3_exec(source,
                     i ? "CREATE TABLE roads(src, dst); INSERT INTO roads VALUES (1, 2)"
                       : "CREATE TABLE roads(src, dst); INSERT INTO roads VALUES (3, 4)",
                     NULL, NULL, NULL);
        sqlite3_backup *backup = sqlite3_backup_init(p.c.db, "main", source, "main");
        sqlite3_backup_step(backup, -1);
        ck_assert_int_eq(sqlite3_backup_finish(backup), SQLITE_OK);
        sqlite3_close(source);
        agrees(1);
        agrees(0);
    }
}
END_TEST

START_TEST(others_commits) {
    agrees(1);
    by_other("INSERT INTO roads VALUES (1, 2, 3)");
    agrees(1);
    agrees(0);
    by_other("BEGIN; DELETE FROM roads; INSERT INTO roads VALUES (5, 6, 7)");
    agrees(0);
    by_other("COMMIT");
    agrees(1);
    by_other("BEGIN; DELETE FROM roads; ROLLBACK");
    agrees(0);
    by_other("DROP TABLE roads; CREATE TABLE roads AS SELECT 3 AS src, 4 AS dst");
    agrees(1);
    by_other("VACUUM");
    agrees(1);
    agrees(0);
}
END_TEST

START_TEST(others_commit_within_a_statement) {
    sqlite3_stmt *statement;
    probe_run(&p, "INSERT INTO roads VALUES (1, 2, 3)");
    sqlite3_prepare_v2(
        p.c.db,
        "WITH n(i) AS (VALUES (1), (2)) SELECT CASE i WHEN 1 THEN graph('roads') "
        "ELSE graph('roads', NULL, 'weights') END FROM n",
        -1, &statement, NULL);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    by_other("INSERT INTO roads VALUES (2, 3, 4)");
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    ck_assert_str_eq((const char *)sqlite3_column_text(statement, 0), "1>2#1=3");
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_DONE);
    sqlite3_finalize(statement);
    agrees(1);
}
END_TEST

START_TEST(a_locked_table) {
    by_other("BEGIN EXCLUSIVE");
    probe_expect(&p, "SELECT graph('main.roads')",
                 "gpu_test: the schema of 'roads' cannot be read: database is locked");
    by_other("COMMIT");
    agrees(1);
    by_other("BEGIN EXCLUSIVE");
    probe_expect(&p, "SELECT graph('roads')",
                 "gpu_test: roads cannot be read: database is locked");
    by_other("COMMIT");
    agrees(0);
}
END_TEST

/* ---- what is kept, and for how long ---- */

static int graphs_kept(void) {
    int count = 0;
    for (graph_ref *g = p.c.graphs; g; g = g->next)
        count++;
    return count;
}

START_TEST(the_limit) {
    char sql[200];
    p.c.config.cache_limit = 20000;
    for (int i = 0; i < 50; i++) {
        snprintf(sql, sizeof sql,
                 "CREATE TABLE t%d(src, dst); INSERT INTO t%d VALUES (1, 2)", i, i);
        probe_run(&p, sql);
        for (int j = 0; j <= i; j += 10) {
            snprintf(sql, sizeof sql, "SELECT graph('t%d')", j);
            probe_expect(&p, sql, "1>2#1");
        }
    }
    int kept = graphs_kept();
    p.c.config.cache_limit = 0;
    probe_expect(&p, "SELECT graph('t0') || graph('t0')", "1>2#11>2#1");
    ck_assert_int_eq(graphs_kept(), 0);
    ck_assert_int_le(kept, 50);
}
END_TEST

static int freed;

static void free_result(void *result) {
    freed++;
    free(result);
}

static void use_searches(sqlite3_context *context, int count, sqlite3_value **value) {
    (void)count, (void)value;
    const scope *s = probe_scope_of(context, &p.c);
    graph_request request = {
        .function = "f", .edges = "roads", .edges_bytes = 5, .scope = s};
    graph_ref *graph;
    char *error;
    ck_assert_int_eq(graph_acquire(&p.c, &request, &graph, &error), SQLITE_OK);
    ck_assert_ptr_null(search_find(&p.c, graph, "none", 4));
    for (int i = 0; i < 200; i++) {
        search_ref *s =
            search_keep(&p.c, graph, &i, sizeof i, malloc(1), 100, free_result);
        s->irreproducible = i == 0;
        search_ref *again = search_find(&p.c, graph, &i, sizeof i);
        ck_assert_ptr_eq(again, s);
        search_release(&p.c, again);
        search_release(&p.c, s);
    }
    int key = 0;
    search_ref *first = search_find(&p.c, graph, &key, sizeof key);
    ck_assert_ptr_nonnull(first);
    search_release(&p.c, first);
    key = 1;
    ck_assert_ptr_null(search_find(&p.c, graph, &key, sizeof key));
    ck_assert_int_ge(freed, 100);
    graph_release(&p.c, graph);
}

START_TEST(searches) {
    sqlite3_create_function(p.c.db, "use_searches", 0, SQLITE_UTF8, NULL, use_searches,
                            NULL, NULL);
    freed = 0;
    probe_get(&p, "SELECT use_searches()");
    p.c.config.cache_limit = 0;
    cache_trim(&p.c);
    ck_assert_int_eq(freed, 200);
    ck_assert_int_eq(graphs_kept(), 0);
}
END_TEST

START_TEST(nothing_is_kept_without_a_connected_table) {
    connection_table_closed(&p.c);
    agrees(1);
    agrees(1);
    ck_assert_ptr_null(p.c.graphs);
    ck_assert_ptr_null(sqlite3_next_stmt(p.c.db, NULL));
    p.c.tables++;
    agrees(1);
    agrees(0);
    ck_assert_str_eq(graph_state(&p.c, p.c.graphs), "current");
    probe_run(&p, "INSERT INTO roads VALUES (1, 2, 3)");
    ck_assert_str_eq(graph_state(&p.c, p.c.graphs), "stale");
    /* The count of the next probe differs from the count of this one. */
    agrees(1);
    connection_table_closed(&p.c);
    probe_run(&p, "ATTACH ':memory:' AS x; DETACH x");
    p.c.tables++;
    agrees(1);
}
END_TEST

/* ---- failures of allocations ---- */

static void memory_faults(const char *make, const char *sql, const char *want) {
    for (int n = 1;; n++) {
        setup_memory();
        probe_run(&p, make);
        sqlite3_stmt *statement;
        ck_assert_int_eq(sqlite3_prepare_v2(p.c.db, sql, -1, &statement, NULL),
                         SQLITE_OK);
        sqlite_countdown = n;
        int rc = sqlite3_step(statement);
        bool failed = sqlite_countdown == 0;
        sqlite_countdown = 0;
        ck_assert_msg(rc == SQLITE_NOMEM || rc == SQLITE_ROW, "%d: %d", n, rc);
        sqlite3_finalize(statement);
        probe_expect(&p, sql, want);
        teardown();
        ck_assert_int_eq(sqlite3_memory_used(), 0);
        if (!failed)
            break;
    }
}

START_TEST(sqlite_memory) {
    sqlite3_shutdown();
    sqlite_memory_may_fail();
    memory_faults("INSERT INTO roads VALUES (1, 'two', 3), (5, 6, 7.5);"
                  "CREATE TABLE p(id); INSERT INTO p VALUES ('x')",
                  "SELECT graph('roads', 'p', 'weights')", "1>'two'#1=3.0 5>6#2=7.5|'x'");
    memory_faults(
        "INSERT INTO roads VALUES (1, 2, NULL); CREATE VIEW v AS SELECT * FROM roads",
        "SELECT graph('v') || gpu_test('SELECT 1, 2')", "1>2#11>2#1");
    memory_faults(
        "PRAGMA reverse_unordered_selects = ON; CREATE TABLE w(a, b, PRIMARY KEY(a "
        "DESC, b)) WITHOUT ROWID; INSERT INTO w VALUES (1, 2), (2, 3), (2, 4)",
        "SELECT graph('w(a, b)')", "2>3#1 2>4#2 1>2#3");
}
END_TEST

/* Tests that run in memory, with a rollback journal and with a WAL. */
/* clang-format off */
#define ANYWHERE \
    {&own_commits}, \
    {&inside_a_transaction}, \
    {&temp_tables}, \
    {&views_and_queries_are_never_kept}, \
    {&one_reading_in_a_statement}, \
    {&a_statement_that_writes_what_it_reads}, \
    {&a_statement_run_again}, \
    {&triggers_see_the_table_as_it_is}, \
    {&rows_written_between_two_steps}, \
    {&beside_a_statement_that_is_not_done}, \
    {&detached_and_attached}, \
    {&restored_by_backup}, \
    {&the_limit}, \
    {&searches}, \
    {&nothing_is_kept_without_a_connected_table}
/* clang-format on */

const struct suite suite = {
    "cache",
    {{"memory", .timeout = 120, .setup = setup_memory, .teardown = teardown,
      .cases = {ANYWHERE, {&replaced_from_outside_sql}}},
     {"rollback journal", .timeout = 120, .setup = setup_rollback, .teardown = teardown,
      .cases = {ANYWHERE, {&others_commits}, {&a_locked_table}}},
     {"wal", .timeout = 120, .setup = setup_wal, .teardown = teardown,
      .cases = {ANYWHERE, {&others_commits}, {&others_commit_within_a_statement}}},
     {"faults", .timeout = 120, .cases = {{&sqlite_memory}}}},
};
