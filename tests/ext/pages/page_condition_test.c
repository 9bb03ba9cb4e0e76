/* Compares filters that are evaluated from the bytes of records with SQLite. */
#include "page_compare.h"
#include "random_condition.h"
#include "share.h"
#include "suite.h"

enum { SEEDS = 300, ROWS = 60, CONDITIONS = 40 };

static uint64_t random_state;

uint32_t pick(uint32_t below) {
    return split_mix(&random_state) % below;
}

START_TEST(test_random_conditions) {
    sqlite3 *memory = open_db(":memory:", 0, NULL);
    for (int seed = 0; seed < SEEDS; seed++) {
        char *condition;
        random_state = (uint64_t)seed;
        if (left_out((uint64_t)seed))
            continue;
        const char *fault = compare_conditions(memory, ROWS, CONDITIONS, &condition);
        ck_assert_msg(!fault, "seed %d: %s: %s", seed, fault, condition);
        sqlite3_free(condition);
    }
    ck_assert_int_eq(sqlite3_close(memory), SQLITE_OK);
    ck_assert(conditions_refused > 0 || share_now() > 1);
    ck_assert_int_gt(conditions_compared, 10 * conditions_refused);
}
END_TEST

/* ---- filters in the page reader ---- */

/* Adds rows of numbers and NULL ends, with a kind, a flag and a long text between them.
 */
static void fill_roads(int rows) {
    run_sql(db,
            "CREATE TABLE e(src, dst INT, note, kind TEXT COLLATE NOCASE, w, open REAL)");
    run_sql(db,
            "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)"
            " INSERT INTO e SELECT n * 7919 %% 97, CASE WHEN n %% 50 THEN n %% 89 END, "
            "CASE WHEN n %% 31 = 0 THEN zeroblob(n * 37 %% 20000) END, "
            "CASE n %% 3 WHEN 0 THEN 'Track' WHEN 1 THEN 'road' END, n %% 7, n %% 2 FROM "
            "i",
            rows);
}

START_TEST(test_rows_out) {
    static const char *const filter[] = {"open",
                                         "NOT open",
                                         "kind = 'TRACK'",
                                         "kind <> 'track' AND w BETWEEN 2 AND 5",
                                         "kind IS NULL OR open = 1",
                                         "src IN (1, 5, 7, 11, 13) AND note IS NULL",
                                         "dst IS NULL",
                                         "w >= 100",
                                         "w < 100",
                                         "note > x'00' AND open = 0"};
    fill_roads(7000);
    page_table t = edges(db);
    for (size_t i = 0; i < sizeof filter / sizeof *filter; i++) {
        t.filter = filter[i];
        check_read(&t);
        t.column[PAGE_WEIGHT] = i % 3 ? "w" : NULL;
        t.column[PAGE_REVERSE] = i % 3 == 1 ? "open" : NULL;
        t.column[PAGE_EDGE_ID] = i % 4 == 2 ? "rowid" : NULL;
    }
}
END_TEST

/* A row that is no edge may have any weight. */
START_TEST(test_weights_of_rows_out) {
    page_columns c;
    const char *why;
    fill_roads(5000);
    run_sql(db, "UPDATE e SET w = CASE rowid %% 4 WHEN 0 THEN 'far' WHEN 1 THEN 2.5 WHEN "
                "2 THEN 1 << 40 END WHERE kind = 'road'");
    page_table t = edges(db);
    check_aside(&t, "a weight");
    t.filter = "kind = 'track'";
    check_read(&t);
    ck_assert_int_eq(page_read(&t, 2, NULL, NULL, &c, &why), PAGE_READ);
    ck_assert(!c.real && c.weight32);
    page_columns_clear(&c);
    run_sql(db, "UPDATE e SET w = 2.5 WHERE rowid = 3");
    check_read(&t);
}
END_TEST

START_TEST(test_defaults_in_a_filter) {
    fill_roads(3000);
    page_table t = edges(db);
    run_sql(db, "ALTER TABLE e ADD COLUMN toll TEXT DEFAULT 5; UPDATE e SET toll = 'no' "
                "WHERE rowid %% 3 = 1; ALTER TABLE e ADD COLUMN lanes REAL DEFAULT '2'; "
                "UPDATE e SET lanes = 3 WHERE rowid %% 5 = 0;"
                "ALTER TABLE e ADD COLUMN name");
    t.filter = "toll = 5 AND lanes = 2";
    check_read(&t);
    t.filter = "toll = 'no' OR lanes > 2.5 OR name IS NOT NULL";
    check_read(&t);
    t.column[PAGE_WEIGHT] = "lanes";
    t.filter = "name IS NULL AND lanes BETWEEN 2 AND 2.5";
    check_read(&t);
}
END_TEST

START_TEST(test_filters_left_to_sqlite) {
    page_columns c;
    const char *why;
    fill_roads(3000);
    page_table t = edges(db);
    t.filter = "kind AND w > 1";
    check_aside(&t, "filter for some row");
    run_sql(db, "ALTER TABLE e ADD COLUMN \"true\" ANY DEFAULT 3");
    t.filter = "w = TRUE"; /* the column */
    check_aside(&t, "evaluate the filter");
    t.filter = "w + 1 > 2";
    check_aside(&t, "evaluate the filter");
    t.filter = "w > 1 AND kind GLOB 'r*'";
    check_aside(&t, "evaluate the filter");
    sqlite3_str *list = sqlite3_str_new(NULL);
    for (int i = 0; i < 65; i++)
        sqlite3_str_appendf(list, "%s%d", i ? ", " : "w IN (", i);
    sqlite3_str_appendall(list, ")");
    char *many = sqlite3_str_finish(list);
    t.filter = many;
    check_aside(&t, "evaluate the filter");
    sqlite3_free(many);
    char *deep = sqlite3_mprintf("%.*c w = 1 %.*c", 60, '(', 60, ')');
    t.filter = deep;
    check_aside(&t, "evaluate the filter");
    sqlite3_free(deep);
    run_sql(db, "CREATE TABLE g(src, dst, w, twice AS (2 * w), kept AS (3 * w) STORED);"
                "INSERT INTO g SELECT src, dst, w FROM e; CREATE TABLE other(x)");
    page_table generated = edges(db);
    generated.table = "g";
    generated.filter = "twice > 5";
    check_aside(&generated, "plain scan");
    generated.filter = "kept > 5";
    check_read(&generated);
    /* sqlite3_blob_write changes a text without a trace. */
    t.unwritten = true;
    run_sql(db, "BEGIN; INSERT INTO other VALUES(1)");
    t.schema_version = 0;
    sqlite3_stmt *version;
    sqlite3_prepare_v2(db, "PRAGMA schema_version", -1, &version, NULL);
    ck_assert_int_eq(sqlite3_step(version), SQLITE_ROW);
    t.schema_version = sqlite3_column_int(version, 0);
    sqlite3_finalize(version);
    t.filter = "w > 1 AND open = 1";
    check_read(&t);
    t.filter = "w > 1 AND kind = 'road'";
    ck_assert_int_eq(page_read(&t, 1, NULL, NULL, &c, &why), PAGE_NOT_USED);
    ck_assert_ptr_nonnull(strstr(why, "filter for some row"));
    run_sql(db, "COMMIT");
}
END_TEST

/* The first of these databases has long headers and values on overflow pages. */
START_TEST(test_unusual_records) {
    sqlite3_str *columns = sqlite3_str_new(NULL);
    for (int i = 0; i < 600; i++)
        sqlite3_str_appendf(columns, "c%d%s, ", i, i % 2 ? " DEFAULT 'abcdef'" : "");
    char *more = sqlite3_str_finish(columns);
    run_sql(db, "PRAGMA page_size = 512; CREATE TABLE e(src, dst, %s w, kind, open)",
            more);
    sqlite3_free(more);
    run_sql(
        db,
        "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 99)"
        "INSERT INTO e(src, dst, w, kind, open) SELECT n, n * n, 1, "
        "iif(n %% 3, 'road', hex(zeroblob(300)) || n %% 5), nullif(n %% 4, 0) FROM i");
    page_table t = edges(db);
    t.filter = "kind > '0' AND open <> 2";
    check_read(&t);
    t.filter = "open IS NULL";
    check_read(&t);
}
END_TEST

START_TEST(test_integers_in_a_real_column) {
    page_table t = edges(db);
    run_sql(db, "CREATE TABLE e(src, dst, w, big INT);"
                "INSERT INTO e VALUES(1, 2, 1, 9007199254740993);"
                "INSERT INTO e VALUES(2, 3, 1, 9007199254740994);"
                "PRAGMA writable_schema = 1;"
                "UPDATE sqlite_schema SET sql = replace(sql, 'INT', 'REAL');"
                "PRAGMA writable_schema = RESET");
    t.filter = "big = 9007199254740992";
    check_read(&t);
    t.filter = "big = 9007199254740993";
    check_read(&t);
}
END_TEST

START_TEST(test_values_of_another_affinity) {
    page_table t = edges(db);
    run_sql(db, "CREATE TABLE e(src, dst, w, a TEXTS, b NUM);"
                "INSERT INTO e VALUES(1, 2, 1, '5', 5), (2, 3, 1, '5 km', x'00');"
                "PRAGMA writable_schema = 1; UPDATE sqlite_schema "
                "SET sql = replace(replace(sql, 'TEXTS', 'INT'), 'NUM', 'TEXT');"
                "PRAGMA writable_schema = RESET");
    t.filter = "a IS NOT NULL AND b NOTNULL";
    check_read(&t);
    t.filter = "a = 5";
    check_aside(&t, "filter for some row");
    t.filter = "b <> '5'";
    check_aside(&t, "filter for some row");
    run_sql(db, "UPDATE e SET a = a, b = b");
    check_read(&t);
    t.filter = "a = '5'";
    check_read(&t);
}
END_TEST

START_TEST(test_utf_16) {
    page_table t = edges(db);
    run_sql(db, "PRAGMA encoding = 'UTF-16le'");
    fill_roads(500);
    t.filter = "w > 1 AND open = 1";
    check_read(&t);
    t.filter = "kind = 'road'";
    check_aside(&t, "filter for some row");
}
END_TEST

START_TEST(test_some_rows) {
    enum { WANTED = 1000 };
    int64_t rowid[WANTED], value[PAGE_FOUND_COLUMNS][WANTED];
    uint8_t state[WANTED];
    page_found found = {
        .count = WANTED, .state = state, .value = {value[0], value[1], value[2]}};
    const char *why;
    fill_roads(3000);
    page_table t = edges(db);
    t.filter = "kind = 'road' AND dst > 3";
    for (int i = 0; i < WANTED; i++)
        rowid[i] = 3 * i + i % 2;
    ck_assert_int_eq(page_find(&t, rowid, 2, NULL, NULL, &found, &why), PAGE_READ);
    for (int i = 0; i < WANTED; i++) {
        sqlite3_stmt *row;
        char *sql = sqlite3_mprintf("SELECT (%s) IS TRUE FROM e WHERE rowid = %lld",
                                    t.filter, (long long)rowid[i]);
        sqlite3_prepare_v2(db, sql, -1, &row, NULL);
        const enum page_row wanted = sqlite3_step(row) != SQLITE_ROW ? PAGE_ROW_ABSENT
                                     : sqlite3_column_int(row, 0)    ? PAGE_ROW_NUMBERS
                                                                     : PAGE_ROW_ODD;
        ck_assert_msg(state[i] == wanted, "row %lld", (long long)rowid[i]);
        sqlite3_finalize(row);
        sqlite3_free(sql);
    }
}
END_TEST

const struct suite suite = {
    "page_condition",
    {{"evaluator", .tags = "serial", .timeout = 120,
      .cases = {{&test_random_conditions}}},
     {"reader", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_rows_out},
                {&test_weights_of_rows_out},
                {&test_defaults_in_a_filter},
                {&test_filters_left_to_sqlite},
                {&test_unusual_records},
                {&test_integers_in_a_real_column},
                {&test_values_of_another_affinity},
                {&test_utf_16},
                {&test_some_rows}}}}};
