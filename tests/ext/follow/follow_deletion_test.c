/* gpugraph_delete_vertex deletes all edges of a vertex, or none if an error or interrupt
** stops the deletion half way. */
/* ctest: serial gaps */
#include "follow_graph.h"
#include "suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The trigger prevents the deletion of a second edge at vertex 2. */
static const char *const half_way[] = {
    "CREATE TRIGGER half BEFORE DELETE ON roads WHEN old.a = 2 BEGIN SELECT raise(FAIL, "
    "'half'); END",
    "CREATE TABLE once(x UNIQUE ON CONFLICT FAIL); CREATE TRIGGER half BEFORE DELETE ON "
    "roads BEGIN INSERT INTO once VALUES ('half'); END",
    "CREATE TABLE once(x UNIQUE); CREATE TRIGGER half BEFORE DELETE ON roads BEGIN "
    "INSERT "
    "OR FAIL INTO once VALUES (1); END",
    "CREATE TABLE never(x NOT NULL ON CONFLICT FAIL); CREATE TRIGGER half BEFORE DELETE "
    "ON "
    "roads BEGIN INSERT INTO never SELECT NULL WHERE old.a = 2; END",
};

START_TEST(none_goes_where_one_cannot) {
    open_graph();
    run("%s", half_way[_i]);
    const char *const before = "1|2|5;2|3|7;3|4|1;'x'|1|2";
    for (int inside = 0; inside < 2; inside++) {
        if (inside)
            run("BEGIN; INSERT INTO roads VALUES (8, 9, 1)");
        expect_error("gpugraph_delete_vertex", "main.roads cannot be written",
                     "SELECT gpugraph_delete_vertex('g', 2)");
        ck_assert_int_eq(sqlite3_get_autocommit(db), !inside);
        expect(before, "SELECT * FROM roads WHERE a <> 8");
        graph_is("g", "roads");
        if (inside)
            run("COMMIT");
    }
    expect("5", "SELECT count(*) FROM roads");
    sql_close();
}
END_TEST

/* While a statement writes, SQLite opens no savepoint. If a trigger could stop a deletion
** half way, the function therefore deletes nothing and fails. Other deletions succeed. */
START_TEST(none_goes_in_a_statement_that_writes) {
    open_graph();
    run("CREATE TABLE done(n)");
    run("INSERT INTO done VALUES (gpugraph_delete_vertex('g', 4))");
    expect("1", "SELECT n FROM done");
    run("%s", half_way[_i]);
    const char *const before = ask("SELECT * FROM roads");
    for (int inside = 0; inside < 2; inside++) {
        if (inside)
            run("BEGIN");
        expect_error("gpugraph_delete_vertex",
                     "main.roads has a trigger that may stop half way",
                     "INSERT INTO done VALUES (gpugraph_delete_vertex('g', 2))");
        expect(before, "SELECT * FROM roads");
        graph_is("g", "roads");
        if (inside)
            run("COMMIT");
    }
    expect("1", "SELECT n FROM done");
    sqlite3_free((char *)before);
    sql_close();
}
END_TEST

/* Deletes one vertex after the other, and inserts edges in between. After each deletion
** the table has all edges except those of that vertex. Loop: plain; each edge has a
** reverse edge; the graph already has the transpose. */
START_TEST(every_vertex_goes) {
    open_graph();
    run("DELETE FROM roads; WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 "
        "FROM c "
        "WHERE i < 900) INSERT INTO roads SELECT i * 31 %% 60, i * i * 7 %% 60, i FROM "
        "c");
    if (_i == 2) /* the search leaves rows of the transpose */
        sqlite3_free(ask("SELECT count(*) FROM gpu_bfs('g', 1) WHERE direction = 'in'"));
    if (_i == 1)
        run("INSERT INTO roads SELECT b, a, metres FROM roads");
    run("CREATE TABLE model AS SELECT rowid AS r, * FROM roads");
    for (int v = 0; v < 60; v++) {
        run("DELETE FROM model WHERE a = %d OR b = %d", v, v);
        sqlite3_free(ask("SELECT gpugraph_delete_vertex('g', %d)", v));
        expect("0", "SELECT count(*) FROM (SELECT rowid, a, b, metres FROM roads EXCEPT "
                    "SELECT r, a, b, metres FROM model)");
        expect("0",
               "SELECT count(*) FROM (SELECT r, a, b, metres FROM model EXCEPT SELECT "
               "rowid, a, b, metres FROM roads)");
        run("INSERT INTO roads VALUES (%d, %d, 1), (%d, %d, 2)", 59 - v / 2, 59, 58, 58);
        run("INSERT INTO model SELECT rowid, * FROM roads WHERE rowid NOT IN (SELECT r "
            "FROM "
            "model)");
        graph_is("g", "roads");
    }
    sql_close();
}
END_TEST

/* Tables in which some rows may be no edges, and the condition for those that are. */
static const struct kind {
    const char *table, *rows, *graph, *is_edge;
} kinds[] = {
    {"roads(a, b, metres)", "SELECT i * 7 % 40, i * i % 40, i FROM c",
     "roads(a, b, metres)", "1"},
    {"roads(a, b, metres)", "SELECT i * 7 % 40, nullif(i * i % 40, 9), i FROM c",
     "roads(a, b, metres)", "a IS NOT NULL AND b IS NOT NULL"},
    {"roads(a, b, metres)", "SELECT i * 7 % 40, i * i % 40, i FROM c",
     "roads(a, b, metres), where = 'metres % 3 = 1'", "metres % 3 = 1"},
    {"roads(a TEXT, b TEXT, metres)", "SELECT i * 7 % 40, i * i % 40, i FROM c",
     "roads(a, b, metres)", "1"},
    {"roads(a, b COLLATE NOCASE, metres)",
     "SELECT i * 7 % 40, substr('aA1', i % 3 + 1, 1), i FROM c", "roads(a, b, metres)",
     "1"},
    {"roads(id INTEGER PRIMARY KEY, a, b, metres)",
     "SELECT i * 9000000000, i * 7 % 40, i * i % 40, i FROM c", "roads(a, b, metres)",
     "1"},
    {"roads(a, b, metres, code)",
     "SELECT i * 7 % 40, i * i % 40, i, 'c' || i % 50 FROM c",
     "roads(a, b, metres, code)", "1"},
    {"roads(a, b, metres, code, back)",
     "SELECT i * 7 % 40, i * i % 40, CASE i % 3 WHEN 0 THEN -1 WHEN 1 THEN 5 END, 'c' || "
     "i % 50, nullif(i % 4 - 1, "
     "2) FROM c",
     "roads(a, b, metres, code, back)", "metres >= 0 OR back >= 0"},
    {"roads(a, b, metres, code, back, id INTEGER PRIMARY KEY) WITHOUT ROWID",
     "SELECT i * 7 % 40, nullif(i * i % 40, 9), CASE i % 3 WHEN 0 THEN '-1' WHEN 1 THEN "
     "'5' END, 'c' || i % 50, "
     "nullif(i % 4 - 1, 2), i FROM c",
     "roads(a, b, metres, code, back)",
     "a IS NOT NULL AND b IS NOT NULL AND (CAST(metres AS REAL) >= 0 OR back >= 0)"},
    {"roads(id INTEGER PRIMARY KEY, a, b, metres) WITHOUT ROWID",
     "SELECT i, nullif(i * 7 % 40, 8), nullif(i * i % 40, 9), i FROM c",
     "roads(a, b, metres)", "a IS NOT NULL AND b IS NOT NULL"},
};
static const char *const indices[] = {
    "SELECT 1", "CREATE INDEX into_ ON roads(b)",
    "CREATE INDEX into_ ON roads(b COLLATE BINARY); CREATE INDEX out_ ON roads(a)",
    "CREATE INDEX both_ ON roads(a, b)",
    "CREATE INDEX some_ ON roads(b) WHERE metres % 3 = 1"};
enum { KINDS = sizeof kinds / sizeof *kinds, INDICES = sizeof indices / sizeof *indices };

/* Deletes the edges of a vertex and no other rows, with every kind of index. */
START_TEST(edges_alone_go) {
    const struct kind *k = &kinds[_i / INDICES];
    sql_open();
    run("CREATE TABLE %s", k->table);
    run("WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 300) "
        "INSERT INTO roads %s",
        k->rows);
    run("%s; CREATE VIRTUAL TABLE g USING gpugraph(%s)", indices[_i % INDICES], k->graph);
    run("CREATE TABLE model AS SELECT * FROM roads");
    for (int v = 0; v < 24; v++) {
        const char *id = v % 4 == 3 ? "'a'" : "17";
        char *number = sqlite3_mprintf("%d", v * 7 % 40);
        id = v % 4 == 2 || v % 4 == 3 ? id : number;
        run("DELETE FROM model WHERE (%s) AND (a = %s OR b = %s COLLATE BINARY)",
            k->is_edge, id, id);
        char *gone = ask("SELECT gpugraph_delete_vertex('g', %s)", id),
             *model = ask("SELECT changes()");
        ck_assert_str_eq(gone, model);
        expect_same("SELECT * FROM roads NOT INDEXED", "SELECT * FROM model");
        expect("'ok'", "SELECT gpugraph_check('g')");
        sqlite3_free(gone);
        sqlite3_free(model);
        sqlite3_free(number);
    }
    sql_close();
}
END_TEST

static int64_t host_bytes(void) {
    char *said = ask("SELECT host_bytes FROM gpugraph_graphs");
    const int64_t bytes = atoll(said);
    sqlite3_free(said);
    return bytes;
}

/* Unless both ends have an index, the graph keeps arcs in both directions, which take
** memory. */
START_TEST(indices_spare_the_arcs) {
    int64_t before[2], after[2];
    for (int indexed = 0; indexed < 2; indexed++) {
        open_graph();
        run("DELETE FROM roads; WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + "
            "1 FROM c WHERE i < 9000) "
            "INSERT INTO roads SELECT i, i + 1, 1 FROM c");
        if (indexed)
            run("CREATE INDEX out_ ON roads(a); CREATE INDEX into_ ON roads(b)");
        expect("9000", "SELECT count(*) FROM g");
        before[indexed] = host_bytes();
        for (int i = 0; i < 20; i++)
            expect("2", "SELECT gpugraph_delete_vertex('g', %d)", 10 * i + 20);
        after[indexed] = host_bytes();
        expect("8960", "SELECT count(*) FROM g");
        sql_close();
    }
    ck_assert_int_eq(before[0], before[1]);
    ck_assert_int_gt(after[0], after[1] + 8 * 8000);
}
END_TEST

/* Another connection reads the file, so the commit cannot get its lock and fails. */
START_TEST(none_goes_where_the_commit_fails) {
    char file[64];
    sqlite3 *reader;
    sqlite3_stmt *reading;
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-deletion-%d.db", (int)getpid());
    unlink(file);
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    run("CREATE TABLE roads(a, b, metres); INSERT INTO roads VALUES (1, 2, 5), (2, 3, "
        "7)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), persist = 1)");
    ck_assert_int_eq(sqlite3_open(file, &reader), SQLITE_OK);
    sqlite3_prepare_v2(reader, "SELECT * FROM roads", -1, &reading, NULL);
    ck_assert_int_eq(sqlite3_step(reading), SQLITE_ROW);
    expect_error("gpugraph_delete_vertex", "locked",
                 "SELECT gpugraph_delete_vertex('g', 2)");
    ck_assert_int_eq(sqlite3_get_autocommit(db), 1);
    expect("2", "SELECT count(*) FROM roads");
    expect_error("gpugraph_save", "locked", "SELECT gpugraph_save('g')");
    ck_assert_int_eq(sqlite3_get_autocommit(db), 1);
    ck_assert_int_eq(sqlite3_txn_state(db, NULL), SQLITE_TXN_NONE);
    sqlite3_finalize(reading);
    sqlite3_close(reader);
    expect("2", "SELECT gpugraph_delete_vertex('g', 2)");
    sql_close();
    unlink(file);
}
END_TEST

/* Interrupts the connection when a statement or trigger whose text begins with `text`
** runs for the n-th time. */
static struct moment {
    const char *text;
    int n;
} moment;
static int interrupt(unsigned kind, void *context, void *statement, void *text) {
    (void)kind, (void)context, (void)statement;
    const char *sql = text;
    while (strncmp(sql, "-- ", 3) == 0) /* SQLite marks a statement inside another one */
        sql += 3;
    if (strncmp(sql, moment.text, strlen(moment.text)) == 0 && --moment.n == 0)
        sqlite3_interrupt(db);
    return 0;
}

/* The trigger "half" fails when it fires for the second time. An interrupt at that moment
** does not hide the failure, and the rollback runs on an interrupted connection. An
** interrupt in RELEASE comes too late: SQLite notices it after all work. */
START_TEST(none_goes_after_an_interrupt) {
    static const struct moment moments[] = {
        {"SAVEPOINT", 1},    {"/* gpugraph */ DELETE", 1}, {"TRIGGER half", 1},
        {"TRIGGER half", 2}, {"TRIGGER g_deleted", 1},     {"ROLLBACK TO", 1},
        {"RELEASE", 1}};
    bool failing = _i & 1, inside = _i & 2;
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        open_graph();
        if (failing)
            run("%s", half_way[0]);
        char *before = ask("SELECT * FROM roads");
        if (inside)
            run("BEGIN");
        moment = moments[i];
        sqlite3_trace_v2(db, SQLITE_TRACE_STMT, interrupt, NULL);
        char *said = ask("SELECT gpugraph_delete_vertex('g', 2)");
        sqlite3_trace_v2(db, 0, NULL, NULL);
        char *now = ask("SELECT * FROM roads");
        bool gone = strcmp(now, "3|4|1;'x'|1|2") == 0;
        ck_assert_msg(gone ? !failing : strcmp(now, before) == 0, "%s: %s, %s",
                      moments[i].text, said, now);
        graph_is("g", "roads");
        if (!sqlite3_get_autocommit(db))
            run("COMMIT");
        sqlite3_free(said);
        sqlite3_free(before);
        sqlite3_free(now);
        sql_close();
    }
}
END_TEST

const struct suite suite = {
    "follow_deletion",
    {{"deletion", .timeout = 60,
      .cases = {{&none_goes_where_one_cannot, sizeof half_way / sizeof *half_way},
                {&none_goes_in_a_statement_that_writes,
                 sizeof half_way / sizeof *half_way},
                {&every_vertex_goes, 3},
                {&edges_alone_go, KINDS *INDICES},
                {&indices_spare_the_arcs},
                {&none_goes_where_the_commit_fails},
                {&none_goes_after_an_interrupt, 4}}}},
};
