/* A kept graph equals its table within a transaction that writes. Neither of SQLite's
** versions moves there, and not every write is counted. */
/* ctest: serial */
#include "cache_fixture.h"
#include "sql.h"
#include "suite.h"
#include <string.h>

static const char weighted_now[] =
    "SELECT coalesce(group_concat(quote(src) || '>' || quote(dst) || '#' || rowid || '=' "
    "|| "
    "weight, ' '), '') FROM (SELECT rowid, * FROM roads ORDER BY rowid)";

/* With weights, which are read when a search needs them. */
static void agrees_with_weights(const char *after) {
    char *want = sqlite3_mprintf("%s", probe_get(&p, weighted_now));
    const char *got = probe_get(&p, "SELECT graph('roads', NULL, 'weights')");
    ck_assert_msg(strcmp(got, want) == 0, "after %s\n got  %s\n want %s", after, got,
                  want);
    sqlite3_free(want);
}

static sqlite3_blob *write_blob(const char *column, sqlite3_int64 row, const char *text) {
    sqlite3_blob *blob;
    ck_assert_int_eq(sqlite3_blob_open(p.c.db, "main", "roads", column, row, 1, &blob),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_blob_write(blob, text, (int)strlen(text), 0), SQLITE_OK);
    return blob;
}

START_TEST(blobs_written_in_a_transaction) {
    static const char *const begin[] = {"BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT a"};
    static const char *const column[] = {"src", "dst", "weight"};
    probe_run(&p, "INSERT INTO roads VALUES ('1a', '2b', '10'), ('2b', '3c', 20)");
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            for (int kept = 0; kept < 2; kept++) {
                if (kept)
                    agrees_with_weights("nothing");
                probe_run(&p, begin[i]);
                sqlite3_blob *blob = write_blob(column[k], 1, "99");
                agrees_with_weights("a write");
                sqlite3_blob_close(blob);
                agrees_with_weights("its end");
                probe_run(&p, k == 1 ? "COMMIT" : "ROLLBACK");
                agrees_with_weights("the transaction");
            }
        }
        probe_run(&p, "UPDATE roads SET dst = '2b' WHERE rowid = 1");
    }
}
END_TEST

/* A blob handle cannot write to numbers. */
START_TEST(numbers_are_known_in_a_transaction) {
    probe_run(&p, "INSERT INTO roads VALUES (1, 2, 1.5), (2, 3, 4.5)");
    agrees_with_weights("nothing");
    p.reads = 0;
    probe_run(&p, "BEGIN IMMEDIATE");
    for (int i = 0; i < 3; i++)
        agrees_with_weights("nothing");
    ck_assert_int_eq(p.reads, 0);
    probe_run(&p, "COMMIT; UPDATE roads SET weight = '5.5' WHERE rowid = 2");
    agrees_with_weights("an update");
    p.reads = 0;
    probe_run(&p, "BEGIN IMMEDIATE");
    for (int i = 1; i < 3; i++) {
        agrees_with_weights("nothing");
        ck_assert_int_eq(p.reads, i);
    }
    probe_run(&p, "COMMIT");
}
END_TEST

START_TEST(every_kind_of_write_in_a_transaction) {
    static const char *const writes[] = {
        "DELETE FROM roads",
        "DELETE FROM town", /* cascades */
        "UPDATE town SET id = id + 10",
        "REPLACE INTO named VALUES (1, 'n2', 2, 6, 1)",
        "UPDATE OR REPLACE named SET name = 'n3' WHERE name = 'n1'",
        "INSERT INTO town VALUES (9)",  /* a trigger writes to roads */
        "INSERT INTO fires VALUES (1)", /* a statement that deletes without a condition */
        "INSERT INTO roads SELECT src, dst, weight FROM roads",
        "INSERT INTO roads VALUES (1, 2, 1) ON CONFLICT DO NOTHING",
        "UPDATE roads SET dst = 5 WHERE rowid = 2",
        "UPDATE roads SET weight = weight + 1",
        "SAVEPOINT b; DELETE FROM roads; ROLLBACK TO b; RELEASE b",
        "PRAGMA user_version = 7",
        "UPDATE aux.links SET dst = 8",
        "ALTER TABLE roads ADD COLUMN more DEFAULT 3",
        "DROP TABLE roads; CREATE TABLE roads AS SELECT 7 AS src, 8 AS dst, 9 AS weight",
        "ANALYZE",
        "REINDEX",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
        "INSERT INTO roads SELECT i, i + 1, 1 FROM n",
        "CREATE TABLE more(x); DROP TABLE more",
        "INSERT INTO rows_of(rows_of) VALUES ('rebuild')",
    };
    probe_run(
        &p, "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = OFF;"
            "ATTACH ':memory:' AS aux; CREATE TABLE aux.links(src, dst);"
            "INSERT INTO aux.links VALUES (1, 2);"
            "CREATE TABLE town(id INTEGER PRIMARY KEY);"
            "CREATE TABLE named(id INTEGER PRIMARY KEY, name UNIQUE, src REFERENCES town "
            "ON DELETE CASCADE ON UPDATE CASCADE, dst, weight);"
            "CREATE TABLE fires(x);"
            "CREATE TRIGGER tr AFTER INSERT ON town BEGIN INSERT INTO roads VALUES "
            "(new.id, new.id, 0); END;"
            "CREATE TRIGGER tf AFTER INSERT ON fires BEGIN DELETE FROM roads; END;"
            "CREATE TABLE wide(a, b, weight, PRIMARY KEY(a, b)) WITHOUT ROWID;"
            "INSERT INTO wide VALUES (1, 2, 3), (2, 3, 4)");
    probe_run(&p, sql_has_module("fts5") ? "CREATE VIRTUAL TABLE rows_of USING fts5(x)"
                                         : "CREATE TABLE rows_of(rows_of)");
    probe_run(
        &p, "INSERT INTO town VALUES (1), (2), (3); DELETE FROM roads;"
            "INSERT INTO roads VALUES (1, 2, 3), (2, 3, 4);"
            "INSERT INTO named VALUES (1, 'n1', 1, 2, 3), (2, 'n2', 2, 3, 4), (3, 'n3', "
            "3, 1, 1)");
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        for (int begin = 0; begin < 2; begin++) {
            static const char named[] =
                "SELECT graph('named') IS (SELECT coalesce(group_concat(src || '>' || "
                "dst || "
                "'#' || id, ' '), '') FROM (SELECT * FROM named ORDER BY id))";
            agrees_with_weights("nothing");
            probe_expect(&p, named, "1");
            probe_run(&p, begin ? "BEGIN IMMEDIATE" : "BEGIN");
            probe_run(&p, writes[i]);
            agrees_with_weights(writes[i]);
            ck_assert_msg(strcmp(probe_get(&p, named), "1") == 0, "%s", writes[i]);
            probe_run(&p, "ROLLBACK");
            agrees_with_weights(writes[i]);
            probe_expect(&p, named, "1");
        }
    }
}
END_TEST

const struct suite suite = {
    "cache_writes",
    {{"memory", .setup = setup_memory, .teardown = teardown,
      .cases = {{&blobs_written_in_a_transaction},
                {&numbers_are_known_in_a_transaction},
                {&every_kind_of_write_in_a_transaction}}},
     {"rollback journal", .setup = setup_rollback, .teardown = teardown,
      .cases = {{&blobs_written_in_a_transaction},
                {&numbers_are_known_in_a_transaction},
                {&every_kind_of_write_in_a_transaction}}},
     {"wal", .setup = setup_wal, .teardown = teardown,
      .cases = {{&blobs_written_in_a_transaction},
                {&numbers_are_known_in_a_transaction},
                {&every_kind_of_write_in_a_transaction}}}},
};
