/* The page reader, case by case. It must read plain cases from pages, by the fast
** decoder. In every other case it must give SELECT's rows, or give up for the reason that
** holds. Unusual rows: page_reader_rows_test.c. Files: page_reader_file_test.c and
** page_reader_wal_test.c. Random tables and damage: page_reader_random_test.c. */
/* ctest: long */
#include "page_compare.h"
#include "share.h"
#include "suite.h"

/* ---- the plain cases ---- */

START_TEST(test_page_sizes_and_vacuum) {
    static const int rows[] = {0, 1, 7, 3000, 70000};
    if (left_out((uint64_t)_i))
        return;
    run_sql(db,
            "PRAGMA page_size = %d; PRAGMA auto_vacuum = %d; PRAGMA encoding = '%s';"
            "CREATE TABLE e(src INTEGER, dst, w NUMERIC)",
            512 << (_i / 3), _i % 3, _i % 2 ? "UTF-16le" : "UTF-8");
    page_table t = edges(db);
    for (int i = 0; i < 5; i++) {
        run_sql(db, "DELETE FROM e");
        if (rows[i])
            fill(db, "e", rows[i]);
        check_used(&t);
    }
    page_columns c;
    const char *why;
    ck_assert_int_eq(page_read(&t, 2, NULL, NULL, &c, &why), PAGE_READ);
    ck_assert_ptr_null(c.rowid); /* rowids 1 to n are not stored */
    page_columns_clear(&c);
    run_sql(db, "DELETE FROM e WHERE rowid %% 7 = 3 AND rowid > 60000");
    check_used(&t);
    run_sql(db, "DELETE FROM e WHERE rowid BETWEEN 100 AND 9000; VACUUM");
    check_used(&t);
}
END_TEST

START_TEST(test_integers_of_every_width) {
    run_sql(db, "CREATE TABLE e(src, dst, w)");
    for (int bits = 0; bits < 64; bits++)
        for (int off = -1; off <= 1; off++) {
            sqlite3_int64 x = (sqlite3_int64)((1ull << bits) + (sqlite3_uint64)off);
            run_sql(db, "INSERT INTO e VALUES(%lld, %lld, %lld)", x,
                    (sqlite3_int64) - (sqlite3_uint64)x, x);
        }
    run_sql(db, "INSERT INTO e VALUES(0, 1, 0), (1, 0, 1), (-1, 0, 1)");
    page_table t = edges(db);
    check_used(&t);
    t.column[2] = NULL;
    check_used(&t);
    t.column[1] = "src"; /* one column in two roles */
    check_used(&t);
}
END_TEST

START_TEST(test_columns_anywhere) {
    run_sql(db, "CREATE TABLE e(note TEXT, w REAL, a, dst INT, b BLOB, src INT, tail);"
                "CREATE TABLE s(src, dst, w)");
    fill(db, "s", 20000);
    run_sql(db,
            "INSERT INTO e SELECT substr('somewhere', 1, src %% 9), w, NULL, dst, "
            "x'00ff', src, 'a tail of some sixty characters or so, as names of streets"
            " have it' FROM s");
    page_table t = edges(db);
    check_used(&t);
}
END_TEST

START_TEST(test_rowids) {
    static const char *const rowid[] = {"-9223372036854775807 - 1",
                                        "-1",
                                        "0",
                                        "1",
                                        "127",
                                        "128",
                                        "72057594037927935",
                                        "72057594037927936",
                                        "9223372036854775807"};
    run_sql(db, "CREATE TABLE e(id INTEGER PRIMARY KEY, src INT, dst INT, w INT)");
    page_table t = edges(db);
    for (int i = 0; i < 9; i++) {
        run_sql(db, "INSERT INTO e VALUES(%s, %d, %d, 1)", rowid[i], i, i + 1);
        check_read(&t);
    }
    t.column[0] = "id";
    check_read(&t);
    t.column[1] = "id";
    t.column[2] = "id";
    check_read(&t);
}
END_TEST

/* Rowids 1 to n over several batches, then one hole near the end, then holes
** everywhere. */
START_TEST(test_holes) {
    run_sql(db, "CREATE TABLE e(src, dst, w)");
    fill(db, "e", 200000);
    page_table t = edges(db);
    check_used(&t);
    run_sql(db, "DELETE FROM e WHERE rowid = 190000");
    check_used(&t);
    run_sql(db, "DELETE FROM e WHERE rowid %% 1000 = 500");
    check_used(&t);
    run_sql(db, "UPDATE e SET rowid = 0 - rowid WHERE rowid < 100");
    check_read(&t); /* page_cell decodes rowids of 9 bytes */
    run_sql(db, "UPDATE e SET rowid = rowid * 1000003 WHERE rowid > 0");
    check_read(&t);
}
END_TEST

START_TEST(test_weights) {
    run_sql(db, "CREATE TABLE e(src INT, dst INT, w)");
    fill(db, "e", 100000);
    page_table t = edges(db);
    /* a REAL almost at the end */
    run_sql(db, "UPDATE e SET w = 0.5 WHERE rowid = 99999");
    check_used(&t);
    run_sql(db, "UPDATE e SET w = rowid * 0.37; UPDATE e SET w = 9e999 WHERE rowid = 3;"
                "UPDATE e SET w = -0.0 WHERE rowid = 4;"
                "UPDATE e SET w = 9007199254740993 WHERE rowid = 5");
    check_used(&t);
    t.column[2] = NULL;
    check_used(&t);
}
END_TEST

START_TEST(test_stored_generated_column) {
    run_sql(db, "CREATE TABLE e(v AS (src + 1), src INT, g INT AS (src * 2) STORED, "
                "dst INT, w INT); INSERT INTO e(src, dst, w) VALUES(1, 2, 3), (4, 5, 6)");
    page_table t = edges(db);
    check_used(&t); /* a virtual column takes no space in records */
    t.column[1] = "g";
    check_used(&t);
    t.column[1] = "v";
    check_aside(&t, "plain scan");
}
END_TEST

START_TEST(test_journal_modes) {
    static const char *const mode[] = {"DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF"};
    run_sql(db,
            "PRAGMA journal_mode = %s; PRAGMA mmap_size = %d;"
            "CREATE TABLE e(src, dst, w); CREATE INDEX i ON e(src, dst, w);"
            "CREATE INDEX j ON e(dst, src)",
            mode[_i % 5], _i < 5 ? 0 : 100000);
    fill(db, "e", 30000);
    page_table t = edges(db);
    check_used(&t);
    run_sql(db, "PRAGMA locking_mode = EXCLUSIVE; UPDATE e SET src = src + 1");
    check_used(&t);
    run_sql(db, "PRAGMA reverse_unordered_selects = 1");
    check_used(&t);
}
END_TEST

START_TEST(test_names_and_schemas) {
    run_sql(db, "ATTACH ':memory:' AS mem; CREATE TABLE mem.e(src, dst, w);"
                "CREATE TABLE \"a \"\" b\"(rowid, \"s \"\" '\", \"select\", w);"
                "INSERT INTO \"a \"\" b\" VALUES(7, 1, 2, 3)");
    page_table t = {.db = db,
                    .schema = "main",
                    .table = "a \" b",
                    .rowid = "oid",
                    .column = {"s \" '", "select", "w"}};
    check_used(&t);
    t.rowid = "rowid"; /* an ordinary column here */
    check_aside(&t, "plain scan");
    t.rowid = "";
    check_aside(&t, "hide every name");
    t = edges(db);
    t.schema = "mem";
    check_aside(&t, "in memory");
    t.schema = "nowhere";
    check_aside(&t, "in memory");
    run_sql(db,
            "ATTACH '%q' AS again; CREATE TABLE again.e(src, dst, w);"
            "INSERT INTO again.e VALUES(1, 2, 3)",
            scratch);
    t.schema = "again";
    check_used(&t);
}
END_TEST

START_TEST(test_reserved_bytes) {
    int reserve = 40;
    ck_assert_int_eq(
        sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve),
        SQLITE_OK);
    run_sql(db, "PRAGMA page_size = 1024; VACUUM; CREATE TABLE e(src, dst, w)");
    fill(db, "e", 5000);
    page_table t = edges(db);
    check_used(&t);
}
END_TEST

START_TEST(test_texts) {
    intern texts = {0};
    if (left_out((uint64_t)_i))
        return;
    run_sql(db,
            "PRAGMA page_size = %d; CREATE TABLE e(src, dst, w);"
            "CREATE TABLE p(dst TEXT, f, src TEXT, w REAL)",
            512 << _i);
    fill(db, "e", 70000);
    page_table t = edges(db);
    t.texts = &texts;
    check_used(&t);
    run_sql(db, "UPDATE e SET dst = 'a late one' WHERE rowid = 69000");
    check_used(&t);
    run_sql(db, "UPDATE e SET src = 'node ' || src % 5000, dst = CASE WHEN dst % 2 THEN "
                "dst ELSE substr('0123456789012345', 1, 1 + w) || dst END");
    check_used(&t);
    t.column[2] = NULL;
    check_used(&t);
    t.texts = NULL;
    check_aside(&t, "an id");
    t = edges(db);
    t.texts = &texts;
    t.table = "p";
    run_sql(db, "INSERT INTO p SELECT dst, rowid, src, w / 2.0 FROM e");
    check_used(&t);
    run_sql(db, "UPDATE p SET src = hex(zeroblob(600)) WHERE rowid = 4000");
    check_read(&t); /* on overflow pages, where pages are small */
    run_sql(db, "UPDATE p SET src = x'41' WHERE rowid = 69999");
    check_aside(&t, "an id");
}
END_TEST

/* ---- reasons to give up ---- */

START_TEST(test_values_that_are_no_numbers) {
    static const struct {
        const char *sql, *reason;
    } bad[] = {{"UPDATE e SET src = '7' WHERE rowid = 5000", "an id"},
               {"UPDATE e SET dst = x'31' WHERE rowid = 5000", "an id"},
               {"UPDATE e SET dst = 1.5 WHERE rowid = 5000", "an id"},
               {"UPDATE e SET w = NULL WHERE rowid = 5000", "a weight"},
               {"UPDATE e SET w = 'far' WHERE rowid = 5000", "a weight"},
               {"UPDATE e SET w = x'' WHERE rowid = 5000", "a weight"}};
    run_sql(db, "CREATE TABLE e(src, dst, w)");
    fill(db, "e", 9000);
    run_sql(db, "%s", bad[_i].sql);
    page_table t = edges(db);
    check_aside(&t, bad[_i].reason);
    run_sql(db, "DELETE FROM e WHERE rowid = 5000");
    check_used(&t);
}
END_TEST

/* A NULL end, and a whole REAL, also in a REAL column that stores INTEGERs. The weight of
** a row that is no edge does not matter. */
START_TEST(test_ends_that_are_null_or_whole) {
    run_sql(db, "CREATE TABLE e(src REAL, dst, w)");
    fill(db, "e", 9000);
    page_table t = edges(db);
    check_read(&t);
    run_sql(db, "UPDATE e SET dst = dst * 1.0 WHERE rowid %% 5 = 0");
    check_read(&t);
    run_sql(db, "UPDATE e SET src = NULL WHERE rowid %% 7 = 3;"
                "UPDATE e SET dst = NULL WHERE rowid %% 11 = 3 OR rowid IN (1, 9000)");
    check_read(&t);
    run_sql(
        db,
        "UPDATE e SET w = CASE rowid %% 3 WHEN 0 THEN NULL WHEN 1 THEN 'far' ELSE 2.5 "
        "END WHERE src IS NULL OR dst IS NULL");
    check_read(&t);
    run_sql(db, "UPDATE e SET w = 2.5 WHERE rowid = 2");
    check_read(&t);
    run_sql(db, "UPDATE e SET src = 0.5 WHERE rowid = 5000");
    check_aside(&t, "an id");
    run_sql(db, "UPDATE e SET src = 1e19 WHERE rowid = 5000");
    check_aside(&t, "an id");
}
END_TEST

START_TEST(test_edge_ids_and_ways_back) {
    run_sql(db, "CREATE TABLE e(src, dst, w, id, back)");
    run_sql(
        db,
        "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 9000)"
        " INSERT INTO e SELECT n, n %% 77, n %% 9, -n << 20, n %% 5 FROM i");
    page_table t = edges(db);
    t.column[PAGE_EDGE_ID] = "id";
    check_used(&t);
    t.column[PAGE_REVERSE] = "back";
    check_used(&t);
    t.column[PAGE_WEIGHT] = t.column[PAGE_REVERSE] = NULL;
    check_used(&t);
    t.column[PAGE_WEIGHT] = "w";
    t.column[PAGE_REVERSE] = "back";
    run_sql(db,
            "UPDATE e SET back = CASE rowid %% 4 WHEN 0 THEN NULL WHEN 1 THEN -1 ELSE "
            "'0.' || rowid END; UPDATE e SET w = NULL WHERE rowid %% 3 = 0;"
            "UPDATE e SET src = NULL WHERE rowid %% 100 = 7");
    check_read(&t);
    t.column[PAGE_REVERSE] = NULL;
    check_aside(&t, "a weight");
    run_sql(db, "UPDATE e SET w = 1, id = 'x' WHERE rowid = 6");
    t.column[PAGE_REVERSE] = "back";
    check_aside(&t, "an edge id");
}
END_TEST

START_TEST(test_tables_of_another_kind) {
    run_sql(db, "CREATE TABLE w(src, dst, w, PRIMARY KEY(src, dst)) WITHOUT ROWID;"
                "CREATE TABLE b(src, dst, w); INSERT INTO b VALUES(1, 2, 3);"
                "CREATE VIEW v AS SELECT dst AS src, src AS dst, w FROM b");
    page_table t = edges(db);
    t.table = "v"; /* its rowid is NULL or, in some versions, no column */
    check_aside(&t, "");
    if (sqlite3_exec(db, "CREATE VIRTUAL TABLE f USING fts5(src, dst, w)", NULL, NULL,
                     NULL) == SQLITE_OK) {
        t.table = "f";
        check_aside(&t, "plain scan");
    }
    t.table = "w";
    check_aside(&t, "does not open"); /* no rowid */
    t.rowid = "src";
    check_aside(&t, "plain scan");
    t.table = "nothing";
    check_aside(&t, "does not open");
}
END_TEST

const struct suite suite = {
    "page_reader",
    {{"cases", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_page_sizes_and_vacuum, 24},
                {&test_columns_anywhere},
                {&test_holes},
                {&test_weights},
                {&test_texts, 8},
                {&test_journal_modes, 10}}},
     {"no thread", .tags = "serial", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_integers_of_every_width},
                {&test_rowids},
                {&test_stored_generated_column},
                {&test_names_and_schemas},
                {&test_reserved_bytes},
                {&test_values_that_are_no_numbers, 6},
                {&test_ends_that_are_null_or_whole},
                {&test_edge_ids_and_ways_back},
                {&test_tables_of_another_kind}}}},
};
