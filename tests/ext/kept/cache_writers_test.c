/* The graph that a writing statement sees equals the table at that moment. SQLite counts
** the statement's changes only when the statement ends, and pages in the cache may be
** newer than the file. The oracle is fresh(), which reads the rows by SQL while the
** statement runs. */
/* ctest: serial */
#include "cache_fixture.h"
#include "suite.h"
#include "share.h"
#include <string.h>

enum { EDGES = 600 };

static const char now[] =
    "SELECT coalesce(group_concat(quote(src) || '>' || quote(dst) || '#' || rowid || '=' "
    "|| weight, ' '), '') FROM (SELECT rowid, * FROM roads ORDER BY rowid)";

static void fresh(sqlite3_context *context, int count, sqlite3_value **value) {
    sqlite3_stmt *statement;
    (void)count, (void)value;
    ck_assert_int_eq(sqlite3_prepare_v2(p.c.db, now, -1, &statement, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    sqlite3_result_value(context, sqlite3_column_value(statement, 0));
    sqlite3_finalize(statement);
}

/* run(sql), run(sql, x): runs a statement in the middle of another one. */
static void run(sqlite3_context *context, int count, sqlite3_value **value) {
    (void)count;
    probe_run(&p, (const char *)sqlite3_value_text(value[0]));
    sqlite3_result_int(context, 0);
}

/* agrees(a, b): 1 if the texts are equal; an error if they differ or one is NULL. */
static void agrees(sqlite3_context *context, int count, sqlite3_value **value) {
    const char *a = (const char *)sqlite3_value_text(value[0]);
    const char *b = (const char *)sqlite3_value_text(value[1]);
    (void)count;
    if (!a || !b || strcmp(a, b) != 0) {
        char *s = sqlite3_mprintf("graph %.300s, rows %.300s", a, b);
        sqlite3_result_error(context, s, -1);
        sqlite3_free(s);
        return;
    }
    sqlite3_result_int(context, 1);
}

static void add(const char *name, void (*f)(sqlite3_context *, int, sqlite3_value **)) {
    ck_assert_int_eq(
        sqlite3_create_function(p.c.db, name, -1, SQLITE_UTF8, NULL, f, NULL, NULL),
        SQLITE_OK);
}

#define SEEN  "graph('roads', NULL, 'weights')"
#define RIGHT "agrees(" SEEN ", fresh())"

static void prepare_rows(void) {
    add("fresh", fresh);
    add("run", run);
    add("agrees", agrees);
    probe_run(&p,
              "CREATE TABLE found(a, b); INSERT INTO found VALUES (1, 1);"
              "CREATE TABLE fired(x); CREATE TABLE spilled(x);"
              "CREATE TRIGGER t1 AFTER INSERT ON fired WHEN new.x = 1 BEGIN INSERT INTO "
              "roads VALUES (71, 72, 73); INSERT INTO found SELECT " RIGHT ", 2; END;"
              "CREATE TRIGGER t2 AFTER INSERT ON fired WHEN new.x = 2 BEGIN INSERT INTO "
              "found SELECT " RIGHT ", 2; END;");
    char sql[200];
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < "
             "%d) INSERT INTO roads SELECT i, i * 7 %% 1000, i %% 9 FROM n",
             EDGES);
    probe_run(&p, sql);
}

/* Makes the kept graph stale, if there is a file. */
static void forget(void) {
    static int version;
    char sql[60];
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", ++version);
    probe_run(&p, sql);
}

/* Statements that do not write to roads before they query. */
static const char *const quiet[] = {
    "CREATE TABLE made AS SELECT " RIGHT " AS a",
    "CREATE TABLE made AS SELECT i, " RIGHT
    " AS a FROM (SELECT rowid AS i FROM roads LIMIT 9)",
    "INSERT INTO found SELECT " RIGHT ", 1",
    "INSERT INTO found SELECT " RIGHT ", rowid FROM roads LIMIT 5",
    "INSERT INTO found VALUES (1, 2) RETURNING " RIGHT,
    "UPDATE found SET a = " RIGHT " WHERE rowid = 1",
    "DELETE FROM found WHERE rowid = 1 AND " RIGHT,
    "REPLACE INTO found(rowid, a) SELECT 1, " RIGHT,
    "INSERT INTO fired VALUES (2), (2)",
    /* More than the page cache holds: SQLite writes to the file, or its log, before the
    ** query. */
    "INSERT INTO spilled SELECT CASE WHEN rowid = 580 THEN " RIGHT
    " ELSE zeroblob(2000) END FROM roads",
};

/* Statements that write to roads, and statements that run while another one writes to
** it. */
static const char *const loud[] = {
    "INSERT INTO roads SELECT 5, 6, 7 RETURNING " RIGHT,
    "INSERT INTO roads SELECT src, dst, " RIGHT " FROM roads LIMIT 9",
    "UPDATE roads SET weight = weight + 1 WHERE rowid = 4 RETURNING " RIGHT,
    "UPDATE roads SET weight = 70 + " RIGHT " WHERE rowid = 4",
    "DELETE FROM roads WHERE rowid = 5 RETURNING " RIGHT,
    "INSERT INTO fired VALUES (1), (1), (2)",
    "INSERT INTO found SELECT run('INSERT INTO roads VALUES (8, 9, 10)'), " RIGHT,
    "INSERT INTO found SELECT run('UPDATE roads SET dst = 4 WHERE rowid = 2'), " RIGHT,
    "CREATE TABLE made AS SELECT run('DELETE FROM roads WHERE rowid = 7') AS a, " RIGHT
    " AS b",
};

static void check_statement(const char *sql, const char *before, bool kept) {
    if (kept)
        probe_expect(&p, "SELECT " RIGHT, "1");
    else
        forget();
    p.reads = 0;
    char *whole = sqlite3_mprintf("%s;%s", before, sql);
    probe_run(&p, whole);
    sqlite3_free(whole);
    probe_expect(&p, "SELECT " RIGHT, "1");
}

static void end(bool back) {
    if (!sqlite3_get_autocommit(p.c.db))
        probe_run(&p, back ? "ROLLBACK" : "COMMIT");
    probe_expect(&p, "SELECT " RIGHT, "1");
    probe_run(&p, "DROP TABLE IF EXISTS made");
}

static const char *const before[] = {
    "",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "BEGIN; INSERT INTO roads VALUES (31, 32, 33)",
    "BEGIN; UPDATE roads SET src = src + 1 WHERE rowid = 600",
    "BEGIN; ALTER TABLE roads RENAME COLUMN weight TO other; ALTER TABLE roads RENAME "
    "COLUMN other TO weight",
    "BEGIN; CREATE TABLE copy AS SELECT * FROM roads LIMIT 10; DROP TABLE roads; CREATE "
    "TABLE roads AS SELECT * FROM copy; DROP TABLE copy",
    "BEGIN; SAVEPOINT a; DELETE FROM roads; ROLLBACK TO a",
};
enum { BEFORE = sizeof before / sizeof *before };

START_TEST(at_any_time) {
    const char *const *of[] = {quiet, loud};
    const size_t count[] = {sizeof quiet / sizeof *quiet, sizeof loud / sizeof *loud};
    prepare_rows();
    probe_run(&p, "PRAGMA cache_size = 5; PRAGMA temp_store = memory");
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < count[l]; i++)
            for (int kept = 0; kept < 2; kept++)
                for (int back = 0; back < 2; back++) {
                    if (left_out_of(i + (size_t)_i, 3))
                        continue;
                    check_statement(of[l][i], before[_i], kept);
                    end(back);
                }
}
END_TEST

/* If a graph is kept, a statement that does not write to its table does not read the
** table again. */
START_TEST(kept_graphs_serve_writers) {
    prepare_rows();
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        if (strstr(quiet[i], "fired")) /* a trigger may write to roads */
            continue;
        probe_expect(&p, "SELECT " RIGHT, "1");
        p.reads = 0;
        probe_run(&p, quiet[i]);
        ck_assert_msg(p.reads == 0, "%s: %d reads", quiet[i], p.reads);
        probe_run(&p, "DROP TABLE IF EXISTS made");
    }
}
END_TEST

static bool pages_were_read(void) {
    for (int i = 0; i < p.c.timings.count; i++)
        if (strcmp(p.c.timings.row[i].phase, "read") == 0)
            return strncmp(p.c.timings.row[i].detail, "pages", 5) == 0;
    return false;
}

/* Calls connection_note before the statement, as virtual tables of the extension do. */
static void run_noted(const char *sql) {
    connection_note(&p.c);
    probe_run(&p, sql);
}

START_TEST(pages_are_read_by_writers) {
    prepare_rows();
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        if (strstr(quiet[i], "fired") || strstr(quiet[i], "LIMIT")) /* queries twice */
            continue;
        probe_run(&p, "DROP TABLE IF EXISTS made");
        forget();
        run_noted(quiet[i]);
        ck_assert_msg(pages_were_read(), "%s", quiet[i]);
        forget();
        probe_run(&p, "BEGIN; REPLACE INTO found(rowid) VALUES (1); DROP TABLE IF EXISTS "
                      "made");
        probe_run(&p, quiet[i]);
        ck_assert_msg(!pages_were_read(), "%s", quiet[i]);
        probe_run(&p, "ROLLBACK");
    }
    for (size_t i = 0; i < sizeof loud / sizeof *loud; i++) {
        probe_run(&p, "DROP TABLE IF EXISTS made");
        forget();
        run_noted(loud[i]);
        if (!strstr(loud[i], "fired") && !strstr(loud[i], "LIMIT"))
            ck_assert_msg(!pages_were_read(), "%s", loud[i]);
    }
}
END_TEST

/* Creating a table moves pages of other tables in a database with auto_vacuum. */
START_TEST(pages_that_move) {
    probe_run(&p, "DROP TABLE roads; PRAGMA auto_vacuum = FULL; VACUUM;"
                  "CREATE TABLE roads(src, dst, weight)");
    prepare_rows();
    for (size_t i = 0; i < 3; i += 2) {
        probe_run(&p, "DROP TABLE IF EXISTS made");
        forget();
        run_noted(quiet[i]);
        ck_assert(!pages_were_read());
    }
}
END_TEST

/* sqlite3_blob_write may change a text in place; no counter shows the change. */
START_TEST(texts_changed_in_place) {
    prepare_rows();
    probe_run(&p, "UPDATE roads SET dst = '2b' WHERE rowid = 20");
    for (int kept = 0; kept < 2; kept++) {
        sqlite3_blob *blob;
        if (kept)
            probe_expect(&p, "SELECT " RIGHT, "1");
        else
            forget();
        connection_note(&p.c);
        probe_run(&p, "BEGIN");
        ck_assert_int_eq(sqlite3_blob_open(p.c.db, "main", "roads", "dst", 20, 1, &blob),
                         SQLITE_OK);
        ck_assert_int_eq(sqlite3_blob_write(blob, kept ? "9" : "8", 1, 0), SQLITE_OK);
        sqlite3_blob_close(blob);
        probe_run(&p, quiet[0]);
        probe_run(&p, "COMMIT; DROP TABLE made");
    }
}
END_TEST

static sqlite3_stmt *begin_statement(const char *sql) {
    sqlite3_stmt *statement;
    ck_assert_msg(sqlite3_prepare_v2(p.c.db, sql, -1, &statement, NULL) == SQLITE_OK &&
                      sqlite3_step(statement) == SQLITE_ROW,
                  "%s: %s", sql, sqlite3_errmsg(p.c.db));
    return statement;
}

/* Queries while a writer has not ended. It writes to the table or to another table, also
** by a trigger that is dropped before the writer ends. */
START_TEST(beside_writers) {
    static const char *const writers[] = {
        "INSERT INTO roads VALUES (41, 42, 43), (51, 52, 53) RETURNING 1",
        "INSERT INTO found VALUES (41, 42), (51, 52) RETURNING 1",
        "INSERT INTO spilled VALUES (1), (2) RETURNING 1",
        "UPDATE roads SET weight = weight + 1 WHERE rowid % 3 = 0 RETURNING 1",
    };
    static const char *const trigger[] = {
        "CREATE TRIGGER gone AFTER INSERT ON spilled BEGIN INSERT INTO roads VALUES (1, "
        "2, "
        "3); END",
        "CREATE TEMP TRIGGER gone AFTER INSERT ON main.spilled BEGIN INSERT INTO roads "
        "VALUES (1, 2, 3); END",
        "SELECT 1",
    };
    prepare_rows();
    for (size_t w = 0; w < sizeof writers / sizeof *writers; w++)
        for (size_t t = 0; t < sizeof trigger / sizeof *trigger; t++)
            for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
                for (int kept = 0; kept < 2; kept++) {
                    if (left_out_of(w + t + i, 3))
                        continue;
                    probe_run(&p, trigger[t]);
                    if (kept)
                        probe_expect(&p, "SELECT " RIGHT, "1");
                    else
                        forget();
                    connection_note(&p.c);
                    sqlite3_stmt *writer = begin_statement(writers[w]);
                    probe_expect(&p, "SELECT " RIGHT, "1");
                    sqlite3_exec(p.c.db, "DROP TRIGGER gone", NULL, NULL, NULL);
                    probe_expect(&p, "SELECT " RIGHT, "1");
                    if (strncmp(quiet[i], "CREATE", 6) != 0)
                        probe_run(&p, quiet[i]);
                    sqlite3_finalize(writer);
                    probe_expect(&p, "SELECT " RIGHT, "1");
                    probe_run(&p, "DROP TRIGGER IF EXISTS gone");
                }
}
END_TEST

#define CASES                                                                            \
    {                                                                                    \
        {&at_any_time, BEFORE}, {&texts_changed_in_place}, {                             \
            &beside_writers                                                              \
        }                                                                                \
    }
#define FILE_CASES                                                                       \
    {                                                                                    \
        {&at_any_time, BEFORE}, {&texts_changed_in_place}, {&beside_writers},            \
            {&kept_graphs_serve_writers}, {&pages_are_read_by_writers}, {                \
            &pages_that_move                                                             \
        }                                                                                \
    }

const struct suite suite = {
    "cache_writers",
    {{"memory", .timeout = 120, .setup = setup_memory, .teardown = teardown,
      .cases = CASES},
     {"rollback journal", .timeout = 120, .setup = setup_rollback, .teardown = teardown,
      .cases = FILE_CASES},
     {"wal", .timeout = 120, .setup = setup_wal, .teardown = teardown,
      .cases = FILE_CASES}},
};
