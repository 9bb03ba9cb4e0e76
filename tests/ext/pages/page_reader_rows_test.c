/* The page reader on unusual rows: records with overflow pages, rows older than a column,
** weights that are texts. It must read all of them from pages, with the values of
** SELECT. */
#include "gpugraph_extension.h"
#include "suite.h"
#include "page_compare.h"
#include "base/value.h"
#include "share.h"

static intern texts;

static page_table with_texts(sqlite3 *db) {
    page_table t = edges(db);
    t.texts = &texts;
    return t;
}

/* ---- overflow pages ---- */

/* why: the reason for which the reader gives up; NULL: it reads the table. */
static void check_chains(const page_table *t, const char *why) {
    if (why)
        check_aside(t, why);
    else
        check_read(t);
}

START_TEST(test_overflow_pages) {
    if (left_out((uint64_t)_i))
        return;
    run_sql(db,
            "PRAGMA page_size = %d; PRAGMA auto_vacuum = %d;"
            "CREATE TABLE e(src, dst, w, note); CREATE TABLE late(note, src, dst, w);"
            "CREATE TABLE mid(src, a, dst, b, w);",
            512 << (_i % 8), _i % 3);
    page_table t = with_texts(db);
    run_sql(db, "INSERT INTO e VALUES(1, 2, 3, zeroblob(100000)), (4, 5, 6, 'x')");
    check_read(&t); /* the wanted columns are on the page */
    /* Lengths around each limit: one page, two pages, the bytes that stay on a leaf. */
    run_sql(db,
            "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < "
            "1500) INSERT INTO late SELECT zeroblob(n * 7 %% 3000 + n %% 4 * %d), n, "
            "n * n, n / 3 FROM i",
            512 << (_i % 8));
    /* with auto_vacuum the pointer map decides how chains continue */
    const char *map = _i % 3 ? "auto_vacuum" : NULL;
    t.table = "late";
    check_chains(&t, map);
    run_sql(db,
            "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < "
            "700) INSERT INTO mid SELECT hex(zeroblob(n)) || n, zeroblob(n * 5), "
            "substr(hex(zeroblob(n)), 1, n %% 40), NULL, n * 0.5 FROM i;"
            "INSERT INTO mid VALUES('far', zeroblob(2000000), 'away', 'x', 1e300)");
    t.table = "mid";
    check_chains(&t, map);
    t.column[2] = "src"; /* a long text as a weight */
    check_aside(&t, map ? map : "a weight");
    t.column[2] = NULL;
    t.column[1] =
        "src"; /* one chain in two roles, which has one page if pages are large */
    const char *why = compare(&t, NULL);
    ck_assert_msg(!why || (map && strstr(why, map)), "the reader gave up: %s", why);
}
END_TEST

/* The header of a record with very many columns continues on overflow pages. */
START_TEST(test_long_headers) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    run_sql(db, "PRAGMA page_size = 512");
    sqlite3_str_appendall(sql, "CREATE TABLE e(src, ");
    for (int i = 0; i < 1500; i++)
        sqlite3_str_appendf(sql, "c%d, ", i);
    sqlite3_str_appendall(sql, "dst, w)");
    char *text = sqlite3_str_finish(sql);
    run_sql(db, "%s", text);
    sqlite3_free(text);
    run_sql(db, "INSERT INTO e(src, dst, w, c7, c900) VALUES(1, 2, 3, 'x', NULL), "
                "(4, 'five', 6.5, zeroblob(900), 8), ('one', 70000, 2, NULL, 'y')");
    page_table t = with_texts(db);
    check_read(&t);
}
END_TEST

/* Writes four bytes of the file as a big-endian number. */
static void poke(long at, uint32_t value) {
    FILE *file = fopen(scratch, "r+b");
    const unsigned char bytes[4] = {(unsigned char)(value >> 24),
                                    (unsigned char)(value >> 16),
                                    (unsigned char)(value >> 8), (unsigned char)value};
    fseek(file, at, SEEK_SET);
    ck_assert_int_eq(fwrite(bytes, 4, 1, file), 1);
    fclose(file);
}

static uint32_t peek(long at) {
    unsigned char bytes[4];
    FILE *file = fopen(scratch, "rb");
    fseek(file, at, SEEK_SET);
    ck_assert_int_eq(fread(bytes, 4, 1, file), 1);
    fclose(file);
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           bytes[3];
}

/* A chain that ends early, leaves the file, points to the first page, or has a cycle. */
START_TEST(test_damaged_chains) {
    enum { PAGE = 512, ROOT = 2, CHAIN = 3 };
    run_sql(db, "PRAGMA page_size = 512; CREATE TABLE e(note, src, dst, w);"
                "INSERT INTO e VALUES(zeroblob(40000), 1, 2, 3)");
    page_table t = with_texts(db);
    check_read(&t);
    sqlite3_close(db);
    const long second = (CHAIN - 1) * PAGE + 3 * PAGE; /* the fourth page of the chain */
    ck_assert_int_eq(peek(second), CHAIN + 4);
    const uint32_t bad[] = {0, 1, 1000000, 0xffffffff, CHAIN, CHAIN + 2, CHAIN + 3};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        poke(second, bad[i]);
        db = t.db = open_db(scratch, 0, NULL);
        check_aside(&t, "damaged");
        sqlite3_close(db);
    }
    poke(second, CHAIN + 4);
    db = t.db = open_db(scratch, 0, NULL);
    check_read(&t);
}
END_TEST

/* ---- UTF-16 ---- */

/* SQLite reads ids and weights that are UTF-16 texts; numbers are read from pages. */
START_TEST(test_utf_16) {
    run_sql(db,
            "PRAGMA encoding = '%s'; CREATE TABLE e(src, dst, w);"
            "INSERT INTO e VALUES(1, 2, 3), (2, 3, 0.5)",
            _i ? "UTF-16be" : "UTF-16le");
    page_table t = with_texts(db);
    check_read(&t);
    run_sql(db, "UPDATE e SET w = '12' WHERE rowid = 2");
    check_aside(&t, "UTF-16");
    run_sql(db, "UPDATE e SET w = 12, dst = 'x'");
    check_aside(&t, "UTF-16");
    run_sql(db, "UPDATE e SET dst = NULL, w = 'no edge, no weight'");
    check_read(&t);
}
END_TEST

/* ---- rows older than a column ---- */

static const char *const defaults[] = {"5",
                                       "-9223372036854775808",
                                       "'some text'",
                                       "''",
                                       "2.5",
                                       "9e999",
                                       "'12'",
                                       "'1.50'",
                                       "+7",
                                       "-0.0",
                                       "TRUE",
                                       "'caf\u00e9 \U0001f600'",
                                       "x'3132'",
                                       "NULL",
                                       "1e3",
                                       "'0x10'",
                                       "0"};
enum { DEFAULTS = sizeof defaults / sizeof *defaults };
static const char *const types[] = {"", "INT", "TEXT", "REAL", "NUMERIC", "BLOB"};

/* Every default with every affinity, as source, destination and weight. The reader gives
** up only if the default is no id or no weight. */
START_TEST(test_defaults) {
    static const char *const role[] = {"src", "dst", "w"};
    const char *type = types[_i];
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < DEFAULTS; d++) {
            if (left_out((uint64_t)(d + _i + k)))
                continue;
            run_sql(db, "DROP TABLE IF EXISTS e; CREATE TABLE e(x%s)",
                    k == 0   ? ", dst, w"
                    : k == 1 ? ", src, w"
                             : ", src, dst");
            run_sql(db, "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i "
                        "WHERE n < 500) INSERT INTO e SELECT n, n, n FROM i;"
                        "UPDATE e SET x = zeroblob(5000) WHERE x %% 100 = 0");
            run_sql(db, "ALTER TABLE e ADD COLUMN \"%s\" %s DEFAULT %s", role[k], type,
                    defaults[d]);
            page_table t = with_texts(db);
            sqlite3_stmt *one;
            char *sql = sqlite3_mprintf("SELECT %s FROM e LIMIT 1", role[k]);
            sqlite3_prepare_v2(db, sql, -1, &one, NULL);
            sqlite3_free(sql);
            ck_assert_int_eq(sqlite3_step(one), SQLITE_ROW);
            sqlite3_value *value = sqlite3_column_value(one, 0);
            int is =
                k == 2 ? sqlite3_value_numeric_type(value) : sqlite3_value_type(value);
            double real = sqlite3_value_double(value);
            int64_t integer;
            bool whole = whole_number(real, &integer);
            sqlite3_finalize(one);
            bool good = is == SQLITE_INTEGER ||
                        (k == 2 ? is == SQLITE_FLOAT
                                : is == SQLITE_TEXT || is == SQLITE_NULL ||
                                      (is == SQLITE_FLOAT && whole));
            if (good)
                check_read(&t);
            else
                check_aside(&t, k == 2 ? "a weight" : "an id");
            /* A mixture: some rows are written again with another type of value. */
            run_sql(db, "UPDATE e SET \"%s\" = rowid || %s WHERE rowid %% 3 = 1", role[k],
                    k == 2 ? "'.25'" : "''");
            if (good)
                check_read(&t);
            run_sql(db, "UPDATE e SET \"%s\" = 8", role[k]);
            if (k == 2 || strcmp(type, "REAL") != 0)
                check_read(&t);
        }
}
END_TEST

START_TEST(test_alter_table) {
    run_sql(db,
            "CREATE TABLE e(x); INSERT INTO e VALUES(1), (4); ALTER TABLE e ADD COLUMN "
            "src DEFAULT 3; INSERT INTO e VALUES(7, 'seven'); ALTER TABLE e ADD COLUMN "
            "dst TEXT DEFAULT 12; INSERT INTO e VALUES(8, 9, 'ten'); ALTER TABLE e ADD "
            "COLUMN w REAL DEFAULT 7; INSERT INTO e VALUES(1, 2, 3, 4)");
    page_table t = with_texts(db);
    check_read(&t);
    t.column[2] = NULL;
    check_read(&t);
    t.column[2] = "w";
    run_sql(db, "UPDATE e SET w = 8");
    check_used(&t);
    run_sql(db, "ALTER TABLE e RENAME COLUMN dst TO d; ALTER TABLE e DROP COLUMN x;"
                "ALTER TABLE e RENAME TO f");
    t.table = "f";
    t.column[1] = "d";
    check_used(&t);
}
END_TEST

/* ---- weights that are texts ---- */

START_TEST(test_text_weights) {
    static const char *const number[] = {"7",
                                         "-0",
                                         "007",
                                         " 5",
                                         "5 ",
                                         "+5",
                                         "1e3",
                                         "1.50",
                                         ".5",
                                         "5.",
                                         "-2",
                                         "0x10",
                                         "1e999",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "-9223372036854775808",
                                         "999999999999999999",
                                         "1000000000000000000",
                                         "0.1",
                                         "1e-320",
                                         "3e0",
                                         "123456789.123456789",
                                         "2.2250738585072011e-308",
                                         "\n8\t",
                                         "1_0",
                                         "",
                                         " ",
                                         "-",
                                         "far",
                                         "1 2",
                                         "1e",
                                         "NaN",
                                         "\uff11"};
    enum { NUMBERS = sizeof number / sizeof *number };
    run_sql(db, "CREATE TABLE e(src, dst, w %s)", _i ? "TEXT" : "");
    fill(db, "e", 40000);
    run_sql(db, "UPDATE e SET w = CAST(rowid %% 1000 AS TEXT) WHERE rowid %% 2");
    page_table t = with_texts(db);
    check_read(&t);
    int aside = 0, taken = 0;
    for (int i = 0; i < NUMBERS; i++) {
        if (left_out((uint64_t)(i + _i)))
            continue;
        run_sql(db, "UPDATE e SET w = '%q' WHERE rowid = 30001", number[i]);
        const char *why = compare(&t, NULL);
        sqlite3_stmt *one;
        sqlite3_prepare_v2(db, "SELECT w FROM e WHERE rowid = 30001", -1, &one, NULL);
        sqlite3_step(one);
        sqlite3_value *value = sqlite3_column_value(one, 0);
        bool is_number = sqlite3_value_numeric_type(value) != SQLITE_TEXT;
        sqlite3_finalize(one);
        ck_assert_msg(is_number == !why, "'%s': %s", number[i], why ? why : "used");
        aside += !is_number;
        taken++;
    }
    /* Both kinds must occur, but not in a share of one or two. */
    ck_assert(taken < 3 || (aside > 0 && aside < taken));
}
END_TEST

/* Decimals of every length. The reader must give SQLite's own rounding. */
START_TEST(test_decimal_weights) {
    run_sql(db, "CREATE TABLE e(src, dst, w TEXT)");
    fill(db, "e", 60000);
    run_sql(db, "UPDATE e SET w = CASE rowid %% 4 "
                "WHEN 0 THEN (random() & 0xffffffffffff) || '.' || (random() & 0xffffff) "
                "WHEN 1 THEN '0.' || (random() & 0x7fffffffffffff) "
                "WHEN 2 THEN (random() & 0x7fffffff) || 'e' || (rowid %% 600 - 320) "
                "ELSE (random() & 0xffff) || '.' || rowid %% 100 END");
    page_table t = with_texts(db);
    check_read(&t);
}
END_TEST

/* ---- usual cells ---- */

/* Rowids around each length of a varint, consecutive and with holes. Ids and weights of
** all lengths follow each other, with and without columns behind them. The fast path for
** runs of usual cells must give the values of each cell. */
START_TEST(test_cells_in_a_row) {
    static const char *const more[] = {"", ", more", ", more, still, 'x', NULL, 7.5"};
    static const char *const table[] = {"src, dst, w", "src, dst, w, m",
                                        "src, dst, w, m, n, o, p, q"};
    const int wide = _i % 3, step = _i / 3 % 2 ? 3 : 1, lengths = 8;
    run_sql(db, "CREATE TABLE e(%s)", table[wide]);
    for (int bits = 7; bits < 7 * lengths; bits += 7)
        run_sql(
            db,
            "WITH RECURSIVE n(i, more, still) AS (SELECT (1 << %d) - 300, i, i FROM "
            "(SELECT 5 AS i) UNION ALL SELECT i + %d, i, i * i FROM n WHERE i < (1 << "
            "%d) + 300) INSERT OR IGNORE INTO e(rowid, %s) SELECT i, (i * 7919) >> (i "
            "* 31 %% 60), -i >> (i * 17 %% 50), CASE i / 9 %% 4 WHEN 0 THEN i %% 3 "
            "WHEN 1 THEN 1 WHEN 2 THEN i >> (i %% 40) ELSE 200 END%s FROM n WHERE i > "
            "0",
            bits, step, bits, table[wide], more[wide]);
    page_table t = edges(db);
    check_read(&t);
    t.column[2] = NULL;
    check_read(&t);
    /* 255 is 81 7f. 16388 is 81 80 04, which looks like the next rowid before a header of
    ** 4. */
    run_sql(db,
            "DELETE FROM e; INSERT INTO e(rowid, src, dst, w) VALUES (254, 5, 6, 1 << "
            "30), (255, 5, 6, 1 << 30), (16388, 5, 6, 1 << 30)");
    check_read(&t);
    t.column[2] = "w";
    check_read(&t);
}
END_TEST

/* ---- sentences for users ---- */

static char *error_of(const char *sql) {
    char *error = NULL;
    sqlite3_exec(db, sql, NULL, NULL, &error);
    return error;
}

static char *reader(void) {
    sqlite3_stmt *one;
    sqlite3_prepare_v2(db, "SELECT detail FROM gpugraph_timings WHERE phase = 'read'", -1,
                       &one, NULL);
    char *detail = sqlite3_step(one) == SQLITE_ROW
                       ? sqlite3_mprintf("%s", sqlite3_column_text(one, 0))
                       : NULL;
    sqlite3_finalize(one);
    return detail;
}

/* Both readers give an equal sentence about a bad weight. In a transaction that has
** written to the table, SQLite reads the rows. */
START_TEST(test_sentences) {
    static const char *const weight[] = {"'-5'",    "-5",    "'-5.50'", "-5.5",
                                         "'1e999'", "9e999", "'x'",     "NULL",
                                         "x'31'",   "''",    "'5 5'",   "'-0.0001'"};
    static const char search[] = "SELECT count(*) FROM gpu_sssp('e(src, dst, w)', 1)";
    char *none = NULL;
    ck_assert_int_eq(sqlite3_gpugraph_init(db, &none, NULL), SQLITE_OK);
    run_sql(db, "CREATE TABLE e(src, dst, w)");
    fill(db, "e", 3000);
    for (int real = 0; real < 2; real++) {
        run_sql(db, "UPDATE e SET w = %s WHERE rowid = 5", real ? "0.5" : "1");
        for (size_t i = 0; i < sizeof weight / sizeof *weight; i++) {
            run_sql(db, "UPDATE e SET w = %s WHERE rowid = 2000", weight[i]);
            char *by_pages = error_of(search);
            run_sql(db, "BEGIN; UPDATE e SET src = src WHERE rowid = 1");
            char *by_rows = error_of(search), *how = reader();
            run_sql(db, "COMMIT");
            ck_assert(how && strstr(how, "rows") == how);
            ck_assert_ptr_nonnull(by_rows);
            ck_assert_str_eq(by_pages, by_rows);
            sqlite3_free(by_pages);
            sqlite3_free(by_rows);
            sqlite3_free(how);
        }
    }
}
END_TEST

/* A table without rows has no REAL weight, although the column declares REAL. */
START_TEST(test_no_weights) {
    char *none = NULL;
    ck_assert_int_eq(sqlite3_gpugraph_init(db, &none, NULL), SQLITE_OK);
    run_sql(db, "CREATE TABLE e(src, dst, w REAL)");
    for (int writing = 0; writing < 2; writing++) {
        sqlite3_stmt *one;
        run_sql(db, writing ? "BEGIN IMMEDIATE" : "SELECT 1");
        sqlite3_prepare_v2(db,
                           "SELECT typeof(distance) FROM gpu_sssp('e(src, dst, w)', 1) "
                           "WHERE vertices = 'SELECT 1'",
                           -1, &one, NULL);
        ck_assert_int_eq(sqlite3_step(one), SQLITE_ROW);
        ck_assert_str_eq((const char *)sqlite3_column_text(one, 0), "integer");
        sqlite3_finalize(one);
    }
}
END_TEST

/* SQLite opens the transaction of a statement before it calls the extension. So the
** extension notes the state of the log when the statement is prepared. */
START_TEST(test_statement_in_wal_mode) {
    char *none = NULL;
    ck_assert_int_eq(sqlite3_gpugraph_init(db, &none, NULL), SQLITE_OK);
    run_sql(db, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
                "CREATE TABLE e(src, dst, w)");
    for (int i = 0; i < 4; i++) {
        fill(db, "e", 3000);
        run_sql(db, "SELECT count(*) FROM gpu_bfs('e(src, dst)', 1)");
        char *how = reader();
        ck_assert_msg(strstr(how, "pages") == how, "%s", how);
        sqlite3_free(how);
        if (i % 2)
            run_sql(db, "PRAGMA wal_checkpoint(%s)", i == 1 ? "PASSIVE" : "TRUNCATE");
    }
}
END_TEST

static void free_all(void) {
    intern_clear(&texts);
    teardown();
}

const struct suite suite = {
    "page_reader_rows",
    {{"cases", .timeout = 120, .setup = setup, .teardown = free_all,
      .cases = {{&test_overflow_pages, 24},
                {&test_utf_16, 2},
                {&test_text_weights, 2},
                {&test_decimal_weights}}},
     {"no thread", .tags = "serial", .timeout = 120, .setup = setup, .teardown = free_all,
      .cases = {{&test_long_headers},
                {&test_cells_in_a_row, 6},
                {&test_damaged_chains},
                {&test_defaults, 6},
                {&test_alter_table},
                {&test_sentences},
                {&test_no_weights},
                {&test_statement_in_wal_mode}}}},
    .needs_device = ON_DEVICE,
    .no_forks = ON_DEVICE,
};
