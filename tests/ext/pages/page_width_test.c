/* Columns of ids and weights with 4 or 8 bytes in an entry. Each table gets the width
** that its values need. The first wide value may be in any row, also among other unusual
** values. page_compare.h compares the values with those of SELECT. */
#include "gpugraph_extension.h"
#include "pages/format.h"
#include "pages/wal_frames.h"
#include "share.h"
#include "suite.h"
#include "page_compare.h"

/* Reads the table. True: its ids have 4 bytes; *weights: its weights have 4 bytes. */
static bool is_narrow(const page_table *t, int threads, bool *weights) {
    page_columns c;
    const char *why;
    ck_assert_msg(page_read(t, threads, NULL, NULL, &c, &why) == PAGE_READ, "%s", why);
    const bool narrow = c.id32[0] != NULL;
    ck_assert(!c.id32[0] == !c.id32[1] && !c.id[0] == !c.id[1]);
    ck_assert(narrow ? !c.id[0] : c.id[0] != NULL);
    *weights = c.weight32 != NULL;
    ck_assert(!t->column[PAGE_WEIGHT] == !(c.weight || c.weight32));
    ck_assert(!*weights || !c.weight);
    if (t->texts)
        intern_clear(t->texts);
    page_columns_clear(&c);
    return narrow;
}

static void check_width(const page_table *t, bool narrow, const char *what) {
    bool weights;
    for (int threads = 1; threads <= 4; threads++)
        ck_assert_msg(is_narrow(t, threads, &weights) == narrow,
                      "%s: %s bytes, %d threads", what, narrow ? "8" : "4", threads);
    check_read(t);
}

/* Checks the width of weights; ids are small. */
static void check_weights(const page_table *t, bool narrow, const char *what) {
    bool weights;
    for (int threads = 1; threads <= 4; threads++) {
        ck_assert(is_narrow(t, threads, &weights));
        ck_assert_msg(weights == narrow, "%s: weights of %s bytes, %d threads", what,
                      narrow ? "8" : "4", threads);
    }
    check_read(t);
}

/* Makes rows with small ids; many rows make several batches. */
static void fill_small(int rows, const char *source, const char *target) {
    run_sql(db,
            "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)"
            " INSERT INTO e SELECT %s, %s, n %% 7 FROM i",
            rows, source, target);
}

static const struct {
    const char *id;
    bool narrow;
} values[] = {{"0", true},
              {"1", true},
              {"-1", true},
              {"8388607", true},
              {"2147483647", true},
              {"-2147483648", true},
              {"-2147483648.0", true},
              {"2147483648", false},
              {"-2147483649", false},
              {"4294967295", false},
              {"1099511627776", false},
              {"-140737488355329", false},
              {"9223372036854775807", false},
              {"-9223372036854775807 - 1", false},
              {"2147483648.0", false},
              {"-1e15", false}};
enum { VALUES = sizeof values / sizeof *values };

/* A wide id in the last row, in the only row and in the middle, as source and as
** target. */
START_TEST(test_each_value) {
    const char *id = values[_i].id;
    const bool narrow = values[_i].narrow;
    page_table t = edges(db);
    run_sql(db, "PRAGMA page_size = 1024; CREATE TABLE e(src, dst, w)");
    for (int k = 0; k < 2; k++) {
        run_sql(db, "DELETE FROM e");
        run_sql(db, "INSERT INTO e VALUES (%s, %s, 5)", k ? "1" : id, k ? id : "1");
        check_width(&t, narrow, id);
        fill_small(3000, "n", "-n");
        check_width(&t, narrow, id);
        run_sql(db, "DELETE FROM e WHERE rowid = 1");
        check_width(&t, true, id);
        run_sql(db, "INSERT INTO e VALUES (%s, %s, 5)", k ? "1" : id, k ? id : "1");
        check_width(&t, narrow, id);
        t.column[PAGE_WEIGHT] = NULL;
        check_width(&t, narrow, id);
        t.column[PAGE_WEIGHT] = "w";
    }
}
END_TEST

/* Sources that are rowids, and targets that are REALs, fit 4 bytes if their values do. */
START_TEST(test_rowids_and_reals) {
    page_table t = edges(db);
    run_sql(db, "CREATE TABLE e(src INTEGER PRIMARY KEY, dst, w)");
    fill_small(2000, "n * 1000000", "n * 1.0");
    check_width(&t, true, "a rowid of 31 bits");
    fill_small(200, "2147483600 + n", "n * 1.0");
    check_width(&t, false, "a rowid of 32 bits");
    run_sql(db, "DELETE FROM e WHERE src > 2147483647");
    check_width(&t, true, "a rowid of 31 bits");
    run_sql(db, "INSERT INTO e VALUES (-2147483649, 1, 1)");
    check_width(&t, false, "a rowid below -2^31");
}
END_TEST

/* A wide id after rows that make the reader start again: texts, NULL ends, REAL weights,
** text weights, an added column. */
static const char *const odd_rows[] = {
    "SELECT 1",
    "INSERT INTO e SELECT 'a' || rowid % 50, dst, w FROM e WHERE rowid % 3 = 0",
    "INSERT INTO e SELECT src, 'a' || rowid % 50, w FROM e WHERE rowid % 3 = 0",
    "INSERT INTO e SELECT NULL, dst, w FROM e WHERE rowid % 4 = 0",
    "INSERT INTO e SELECT src, NULL, 0.5 FROM e WHERE rowid % 4 = 0",
    "UPDATE e SET w = '1e3' WHERE rowid % 100 = 7",
    "INSERT INTO e SELECT 'a' || rowid % 50, NULL, 1.5 FROM e WHERE rowid % 7 = 0",
    "INSERT INTO e SELECT hex(zeroblob(rowid % 3000)), dst, w FROM e WHERE rowid % 9 = 0",
    "ALTER TABLE e ADD COLUMN late DEFAULT 7"};
enum { ODD_ROWS = sizeof odd_rows / sizeof *odd_rows };

START_TEST(test_restarts) {
    static const char *const journal[] = {"DELETE", "WAL"};
    intern texts = {0};
    wal_notes notes = {0};
    page_table t = edges(db);
    if (left_out((uint64_t)_i))
        return;
    t.texts = &texts;
    t.wal = &notes;
    run_sql(db,
            "PRAGMA page_size = 4096; PRAGMA journal_mode = %s;"
            "PRAGMA wal_autocheckpoint = 0; CREATE TABLE e(src, dst, w)",
            journal[_i % 2]);
    fill_small(60000, "n * 31 % 4001", "n");
    run_sql(db, "%s", odd_rows[_i / 2]);
    if (strstr(odd_rows[_i / 2], "late"))
        t.column[PAGE_TARGET] = "late";
    wal_notes_take(&notes, db);
    check_width(&t, true, odd_rows[_i / 2]);
    for (int k = 0; k < 2; k++) {
        const char *end = k ? t.column[PAGE_TARGET] : "src";
        run_sql(db, "INSERT INTO e(src, dst, w) VALUES (1, 2, 3)");
        run_sql(db, "UPDATE e SET %s = 1 << 40 WHERE rowid = (SELECT max(rowid) FROM e)",
                end);
        wal_notes_take(&notes, db);
        check_width(&t, false, odd_rows[_i / 2]);
        run_sql(db, "DELETE FROM e WHERE rowid = (SELECT max(rowid) FROM e)");
        wal_notes_take(&notes, db);
        check_width(&t, true, odd_rows[_i / 2]);
    }
    wal_notes_clear(&notes);
}
END_TEST

/* ---- weights ---- */

/* Weights as numbers and as texts that SQLite or the reader converts. */
static const struct {
    const char *weight;
    bool narrow;
} weights[] = {{"0", true},
               {"1", true},
               {"200", true},
               {"40000", true},
               {"8388608", true},
               {"2147483647", true},
               {"-1", true}, /* the loader reports it */
               {"-2147483648", true},
               {"'2147483647'", true},
               {"' 17 '", true},
               {"2147483648", false},
               {"4294967295", false},
               {"-2147483649", false},
               {"1 << 40", false},
               {"1 << 50", false},
               {"9223372036854775807", false},
               {"'2147483648'", false},
               {"' 4294967296 '", false}};
enum { WEIGHTS = sizeof weights / sizeof *weights };

/* A wide weight in the only row, the last row, the middle and the first row. Ids keep 4
** bytes. */
START_TEST(test_each_weight) {
    const char *weight = weights[_i].weight;
    const bool narrow = weights[_i].narrow;
    page_table t = edges(db);
    run_sql(db, "PRAGMA page_size = 1024; CREATE TABLE e(src, dst, w)");
    run_sql(db, "INSERT INTO e VALUES (1, 2, %s)", weight);
    check_weights(&t, narrow, weight);
    fill_small(3000, "n", "-n");
    check_weights(&t, narrow, weight);
    run_sql(db, "UPDATE e SET w = 3 WHERE rowid = 1");
    check_weights(&t, true, weight);
    for (int row = 1500; row <= 3001; row += 1501) {
        run_sql(db, "UPDATE e SET w = %s WHERE rowid = %d", weight, row);
        check_weights(&t, narrow, weight);
        /* the row is no edge */
        run_sql(db, "UPDATE e SET src = NULL WHERE rowid = %d", row);
        check_weights(&t, true, weight);
        run_sql(db, "UPDATE e SET src = 1, w = 3 WHERE rowid = %d", row);
    }
    /* Wide ids and wide weights, which begin in different rows. */
    run_sql(db, "UPDATE e SET w = %s WHERE rowid = 2000", weight);
    run_sql(db, "UPDATE e SET dst = 1 << 40 WHERE rowid = 1000");
    check_width(&t, false, weight);
    bool of_weights;
    ck_assert(!is_narrow(&t, 3, &of_weights) && of_weights == narrow);
}
END_TEST

/* Weights that always have 8 bytes: REAL ones, and those of rows with a reverse
** weight. */
START_TEST(test_other_weights) {
    page_table t = edges(db);
    run_sql(db, "CREATE TABLE e(src, dst, w, back)");
    run_sql(db, "INSERT INTO e VALUES (1, 2, 3, 4), (2, 3, 4, -1)");
    check_weights(&t, true, "INTEGERs");
    t.column[PAGE_REVERSE] = "back";
    check_weights(&t, false, "two ways");
    run_sql(db, "UPDATE e SET w = 1 << 40 WHERE rowid = 2");
    check_weights(&t, false, "two ways");
    t.column[PAGE_REVERSE] = NULL;
    run_sql(db, "UPDATE e SET w = 0.5 WHERE rowid = 1");
    check_weights(&t, false, "a REAL");
    t.column[PAGE_WEIGHT] = NULL;
    check_weights(&t, false, "no weights");
}
END_TEST

/* ---- wide ids among others ---- */

/* A wide id in the first leaf, the last, some or each, also with a hole in the rowids. */
START_TEST(test_widened) {
    enum { ROWS = 9000 };
    static const char *const where[] = {"rowid = 1", "rowid = %d",
                                        "rowid %% (%d / 5) = 7", "1"};
    page_table t = edges(db);
    run_sql(db, "PRAGMA page_size = 1024; CREATE TABLE e(src, dst, w)");
    fill_small(ROWS, "n", "-n");
    run_sql(db, "ALTER TABLE e ADD COLUMN more; UPDATE e SET more = zeroblob(250)");
    check_width(&t, true, "no wide id");
    if (_i % 2)
        run_sql(db, "DELETE FROM e WHERE rowid = %d", ROWS / 2);
    for (int i = 0; i < 8; i++) {
        char rows[64];
        snprintf(rows, sizeof rows, where[i % 4], ROWS);
        run_sql(db,
                "UPDATE e SET src = src + (%d << 40), dst = dst - (%d << 40) WHERE %s",
                1 - i / 4, i / 4, rows);
        check_width(&t, false, rows);
        run_sql(db, "UPDATE e SET src = rowid, dst = -rowid");
    }
}
END_TEST

/* Wide ids among texts, NULLs and rows with overflow pages. */
START_TEST(test_widened_among_odd_rows) {
    intern texts = {0};
    page_table t = edges(db);
    t.texts = &texts;
    run_sql(db, "PRAGMA page_size = 512; CREATE TABLE e(src, dst, w)");
    fill_small(3000,
               "CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN 'v' || n WHEN 2 THEN n "
               "ELSE hex(zeroblob(n)) END",
               "CASE n % 3 WHEN 0 THEN n * 1.0 ELSE n END");
    check_width(&t, true, "texts");
    run_sql(db, "UPDATE e SET dst = 1 << 31 WHERE rowid = 3000");
    check_width(&t, false, "texts, and a wide id");
    run_sql(db, "UPDATE e SET dst = 1 << 31 WHERE rowid = 1500");
    check_width(&t, false, "texts, and a wide id between");
}
END_TEST

/* ---- interrupts ---- */

static int questions, stop_at;

static int count_questions(void *listener) {
    (void)listener;
    return ++questions == stop_at;
}

/* An interrupt at each poll, in the first attempt to read and in the second. An
** interrupted read leaves no memory. */
START_TEST(test_interrupted) {
    enum { ROWS = 40000 / SANITIZED_PART };
    intern texts = {0};
    int64_t rows = 0;
    page_table t = edges(db);
    page_columns c;
    const char *why;
    enum page_outcome outcome = PAGE_INTERRUPTED;
    t.texts = &texts;
    t.rows_read = &rows;
    run_sql(db, "CREATE TABLE e(src, dst, w)");
    fill_small(ROWS, "'v' || n", "n");
    run_sql(db, "INSERT INTO e VALUES ('v1', 1 << 40, 1)");
    for (stop_at = 1; outcome == PAGE_INTERRUPTED; stop_at++) {
        questions = 0;
        outcome = page_read(&t, 1 + _i, count_questions, NULL, &c, &why);
        ck_assert_int_ne(outcome, PAGE_NOT_USED);
        ck_assert_int_ge(rows, 0);
        ck_assert_int_le(rows, ROWS + 1);
        if (outcome == PAGE_INTERRUPTED) {
            const page_columns none = {0};
            ck_assert_mem_eq(&c, &none, sizeof c);
            ck_assert(texts.count == 0 && !texts.bytes);
        }
    }
    /* Attempts without and with texts. One of two threads polls, and may find nothing
    ** left to read. */
    ck_assert_int_gt(stop_at, _i == 0 ? 3 : 1);
    ck_assert(c.id[0] && c.text[0] && c.id[1][ROWS] == (int64_t)1 << 40);
    ck_assert_int_eq(texts.count, ROWS);
    page_columns_clear(&c);
    intern_clear(&texts);
}
END_TEST

/* ---- graphs ---- */

static char *answer(const char *question) {
    sqlite3_stmt *all;
    sqlite3_str *text = sqlite3_str_new(NULL);
    ck_assert_msg(sqlite3_prepare_v2(db, question, -1, &all, NULL) == SQLITE_OK, "%s",
                  sqlite3_errmsg(db));
    while (sqlite3_step(all) == SQLITE_ROW)
        sqlite3_str_appendf(text, "%s|", sqlite3_column_text(all, 0));
    ck_assert_msg(sqlite3_finalize(all) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    return sqlite3_str_finish(text);
}

/* Reads a graph by pages, and by rows inside a write transaction. Then reads it again
** with ids above 2^40. */
START_TEST(test_graphs) {
    static const char *const asked[] = {
        "SELECT CASE WHEN typeof(vertex) = 'text' THEN vertex ELSE vertex %% (1 << 40) "
        "END "
        "|| ' ' || (vertex IS component) FROM gpu_components('%s')"
        " ORDER BY typeof(vertex), vertex",
        "SELECT CASE WHEN typeof(vertex) = 'text' THEN vertex ELSE vertex %% (1 << 40) "
        "END "
        "|| ' ' || distance FROM gpu_sssp('%s', %lld) WHERE direction = 'both'"
        " ORDER BY typeof(vertex), vertex"};
    static const char *const sources[] = {"e(src, dst, w)", "e(src, dst, w, id, back)"};
    char *none = NULL;
    ck_assert_int_eq(sqlite3_gpugraph_init(db, &none, NULL), SQLITE_OK);
    run_sql(db, "CREATE TABLE e(id INTEGER PRIMARY KEY, src, dst, w, back)");
    run_sql(db,
            "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < "
            "5000) INSERT INTO e SELECT n, n * 31 %% 1000, n * 7 %% 300 + 1, n %% 5, n "
            "%% 4 - 1 FROM i;"
            "UPDATE e SET dst = NULL WHERE rowid %% 10 = 3;"
            "UPDATE e SET src = NULL WHERE rowid %% 14 = 5");
    if (_i % 2)
        run_sql(db, "UPDATE e SET src = 'v' || src WHERE src %% 5 = 1;"
                    "UPDATE e SET dst = 'v' || dst WHERE dst %% 5 = 1");
    char *first = NULL;
    for (int way = 0; way < 4; way++) {
        const sqlite3_int64 base = way / 2 ? (sqlite3_int64)1 << 40 : 0;
        char *sql = sqlite3_mprintf(asked[_i / 4], sources[_i / 2 % 2], base + 2);
        run_sql(db, way % 2 ? "BEGIN IMMEDIATE; UPDATE e SET w = w" : "SELECT 1");
        char *got = answer(sql);
        run_sql(db, way % 2 ? "COMMIT" : "SELECT 1");
        if (way == 1)
            run_sql(db,
                    "UPDATE e SET src = src + (1 << 40) WHERE typeof(src) = 'integer';"
                    "UPDATE e SET dst = dst + (1 << 40) WHERE typeof(dst) = 'integer'");
        ck_assert_msg(strlen(got) > 100, "%s: %s", sql, got);
        if (first)
            ck_assert_str_eq(first, got);
        else
            first = got;
        if (way)
            sqlite3_free(got);
        sqlite3_free(sql);
    }
    sqlite3_free(first);
}
END_TEST

const struct suite suite = {
    "page_width",
    {{"width", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_each_value, VALUES},
                {&test_rowids_and_reals},
                {&test_restarts, 2 * ODD_ROWS},
                {&test_each_weight, WEIGHTS},
                {&test_other_weights},
                {&test_widened, 2},
                {&test_widened_among_odd_rows},
                {&test_interrupted, 3},
                {&test_graphs, 8}}}},
    .needs_device = ON_DEVICE,
    .no_forks = ON_DEVICE,
};
