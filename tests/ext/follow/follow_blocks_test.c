/* The packed graph in the file: loaded where it holds, read anew where it does not, never
** written by a reader. */
#include "gpugraph_extension.h"
#include "suite.h"
#include "sql.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[64];

static void open_again(void) {
    if (db)
        sql_close();
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
}

static void make(const char *table, const char *rows) {
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-blocks-%d.db", (int)getpid());
    unlink(file);
    db = NULL;
    open_again();
    run("%s; %s", table, rows);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), persist = 1)");
}

static void done(void) {
    sql_close();
    unlink(file);
}

/* A new connection sees the table, and got there by unpacking or by reading. */
static void graph_comes_by(const char *phase) {
    open_again();
    expect("1", "SELECT count(*) >= 0 FROM gpu_bfs('g', 1)");
    char *phases =
        ask("SELECT group_concat(phase, ' ') FROM gpugraph_timings WHERE phase IN "
            "('unpack', 'read')");
    ck_assert_msg(strstr(phases, phase) &&
                      (strcmp(phase, "read") == 0 || !strstr(phases, "read")),
                  "%s, not %s", phases, phase);
    sqlite3_free(phases);
    expect_same("SELECT src, dst, weight * 1.0, edge FROM g ORDER BY edge",
                "SELECT a, b, metres * 1.0, rowid FROM roads ORDER BY rowid");
    expect("'ok'", "SELECT gpugraph_check('g')");
}

static const char *const kinds[][2] = {
    {"CREATE TABLE roads(a, b, metres)",
     "INSERT INTO roads VALUES (1, 2, 3), (2, 3, 4), (1, 3, 9), (3, 3, 0), (1, 2, 3)"},
    {"CREATE TABLE roads(a, b, metres)",
     "INSERT INTO roads VALUES ('x', 1, 2.5), (1, 'yy', 4), ('', 'x', 0.0)"},
    {"CREATE TABLE roads(a, b, metres)", ""},
    {"CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres)",
     "INSERT INTO roads VALUES (-5, 1, 9223372036854775807, 5000000000), (7, -1, 2, 3)"},
    {"CREATE TABLE roads(a INTEGER, b INTEGER, metres INTEGER)",
     "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 400000) "
     "INSERT INTO roads SELECT i % 70001, i * 7919 % 70001, i % 100 FROM c"},
};

START_TEST(survives) {
    make(kinds[_i][0], kinds[_i][1]);
    graph_comes_by("unpack");
    run("INSERT INTO roads(a, b, metres) VALUES (1, 77, 1), (77, 1, 1); DELETE FROM "
        "roads WHERE "
        "rowid = 2");
    graph_comes_by("unpack"); /* and the log tells the rest */
    run("BEGIN; DELETE FROM roads WHERE rowid %% 2; ROLLBACK");
    graph_comes_by("unpack");
    expect("1", "SELECT gpugraph_save('g') > 0");
    graph_comes_by("unpack");
    run("DELETE FROM g_log");
    graph_comes_by("read"); /* the position is beyond the log */
    done();
}
END_TEST

START_TEST(schema_and_vacuum) {
    make(kinds[0][0], kinds[0][1]);
    run("DELETE FROM roads WHERE rowid = 2; VACUUM");
    graph_comes_by("read");
    expect("1", "SELECT gpugraph_save('main.g') > 0");
    graph_comes_by("unpack");
    run("CREATE TABLE another(x)");
    graph_comes_by("read");
    run("SELECT gpugraph_save('g')");
    run("ALTER TABLE g RENAME TO h; ALTER TABLE h RENAME TO g");
    graph_comes_by("read");
    run("SELECT gpugraph_save('g')");
    graph_comes_by("unpack");
    run("DROP TABLE g; DROP TABLE another");
    expect("'roads'", "SELECT group_concat(name) FROM sqlite_schema");
    done();
}
END_TEST

START_TEST(saves_in_transactions) {
    make(kinds[0][0], kinds[0][1]);
    run("BEGIN; INSERT INTO roads VALUES (5, 6, 7)");
    expect("1", "SELECT gpugraph_save('g') > 0");
    run("ROLLBACK; INSERT INTO roads VALUES (8, 9, 7)"); /* the same number in the log */
    graph_comes_by("unpack");
    run("BEGIN; INSERT INTO roads VALUES (5, 6, 7)");
    expect("1", "SELECT gpugraph_save('g') > 0");
    run("COMMIT");
    graph_comes_by("unpack");
    run("UPDATE roads SET metres = -1 WHERE rowid = 1");
    expect_error("gpugraph_save", "edge 1", "SELECT gpugraph_save('g')");
    run("UPDATE roads SET metres = 1 WHERE rowid = 1");
    run("CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b))");
    expect_error("gpugraph_save", "persist", "SELECT gpugraph_save('h')");
    run("INSERT INTO roads VALUES (0.5, 2, 3)");
    char *said = ask("CREATE VIRTUAL TABLE i USING gpugraph(roads(a, b), persist = 1)");
    ck_assert_msg(strstr(said, "0.5") != NULL, "%s", said);
    sqlite3_free(said);
    expect("0", "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'i%%'");
    done();
}
END_TEST

START_TEST(damage_is_noticed) {
    make(kinds[0][0], kinds[0][1]);
    static const char *const damages[] = {
        "UPDATE g_blocks SET data = zeroblob(length(data)) WHERE rowid = 3",
        "UPDATE g_blocks SET data = substr(data, 1, length(data) / 2) WHERE rowid = 3",
        "UPDATE g_blocks SET data = 'no blob' WHERE rowid = 3",
        "UPDATE g_blocks SET data = 5 WHERE rowid = 3",
        "UPDATE g_blocks SET data = replace(data, ' ', ' 9') WHERE rowid = 2",
        "UPDATE g_blocks SET data = 'gpugraph 1 1 1' WHERE rowid = 2",
        "UPDATE g_blocks SET data = data || '9' WHERE rowid = 2",
        "UPDATE g_blocks SET data = NULL WHERE rowid = 2",
        "DELETE FROM g_blocks WHERE rowid = 3",
        "DELETE FROM g_blocks",
        "UPDATE g_blocks SET rowid = rowid - 1"};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        run("SELECT gpugraph_save('g')");
        run("%s", damages[i]);
        graph_comes_by("read");
    }
    run("SELECT gpugraph_save('g')");
    graph_comes_by("unpack");
    /* Every byte counts. */
    char *length = ask("SELECT length(data) FROM g_blocks WHERE rowid = 3");
    int bytes = atoi(length);
    sqlite3_free(length);
    for (int at = 1; at <= bytes; at += 1 + bytes / 150) {
        run("SELECT gpugraph_save('g')");
        run("UPDATE g_blocks SET data = CAST(substr(data, 1, %d - 1) || x'5a' || "
            "substr(data, "
            "%d + 1) AS BLOB) WHERE rowid = 3 AND hex(substr(data, %d, 1)) <> '5A'",
            at, at, at);
        open_again();
        expect("'ok'", "SELECT gpugraph_check('g')");
    }
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    char *said = ask("DELETE FROM g_blocks");
    ck_assert_msg(strstr(said, "may not be modified") != NULL, "%s", said);
    sqlite3_free(said);
    expect("1", "SELECT gpugraph_save('g') > 0");
    run("INSERT INTO roads VALUES (5, 6, 7)");
    graph_comes_by("unpack");
    done();
}
END_TEST

START_TEST(readers_do_not_write) {
    make(kinds[0][0], kinds[0][1]);
    run("INSERT INTO roads VALUES (5, 6, 7)");
    sql_close();
    ck_assert_int_eq(sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    expect("6", "SELECT count(*) FROM g");
    expect("'ok'", "SELECT gpugraph_check('g')");
    expect_error("gpugraph_save", "readonly", "SELECT gpugraph_save('g')");
    done();
}
END_TEST

const struct suite suite = {
    "follow_blocks",
    {{"blocks", .timeout = 120, .cases = {{&survives, sizeof kinds / sizeof *kinds}}},
     {"no thread", .tags = "serial", .timeout = 120,
      .cases = {{&schema_and_vacuum},
                {&saves_in_transactions},
                {&damage_is_noticed},
                {&readers_do_not_write}}}},
};
