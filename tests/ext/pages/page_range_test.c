/* The page reader on ranges of rowids. It reads the rows of a range as in a read of the
** whole table. The only other rows that it reads are in the same leaves. */
#include "gpugraph_extension.h"
#include "suite.h"
#include "page_compare.h"

static intern all_texts, some_texts;

static int64_t rowid_of(const page_columns *c, int64_t i) {
    return c->rowid ? c->rowid[i] : i + 1;
}

static bool is_text(const page_columns *c, int k, int64_t i) {
    return c->text[k] && c->text[k][i / 8] >> i % 8 & 1;
}

/* The NULL ends of row i; *h moves along the list. */
static int64_t nulls_at(const page_columns *c, int64_t i, int64_t *h) {
    while (*h < c->halves && c->half[*h] >> 2 < i)
        ++*h;
    return *h < c->halves && c->half[*h] >> 2 == i ? c->half[*h] & 3 : 0;
}

static void check_end(const page_columns *all, int64_t i, const page_columns *some,
                      int64_t j, int k) {
    const int64_t a = page_id_at(all, k, i), b = page_id_at(some, k, j);
    ck_assert_int_eq(is_text(all, k, i), is_text(some, k, j));
    if (!is_text(all, k, i)) {
        ck_assert_int_eq(a, b);
        return;
    }
    const uint64_t length = all_texts.offset[a + 1] - all_texts.offset[a];
    ck_assert_uint_eq(length, some_texts.offset[b + 1] - some_texts.offset[b]);
    ck_assert_mem_eq(all_texts.bytes + all_texts.offset[a],
                     some_texts.bytes + some_texts.offset[b], length);
}

static double weight_at(const page_columns *c, int64_t i) {
    if (!c->weight && !c->weight32)
        return 0;
    return c->real ? real_of(c->weight[i]) : (double)page_weight_at(c, i);
}

/* Reads the range and compares its rows with those of the table. Returns their number. */
static int64_t check_range(const page_table *table, const page_columns *all, int threads,
                           int64_t low, int64_t high) {
    const int64_t range[2] = {low, high};
    page_table t = *table;
    page_columns some;
    const char *why;
    int64_t j = 0, h = 0, g = 0, rows = 0;
    t.range = range;
    t.texts = t.texts ? &some_texts : NULL;
    ck_assert_msg(page_read(&t, threads, NULL, NULL, &some, &why) == PAGE_READ, "%s",
                  why ? why : "interrupted");
    for (int64_t i = 0; i < all->count; i++) {
        if (rowid_of(all, i) < low || rowid_of(all, i) > high)
            continue;
        while (j < some.count && rowid_of(&some, j) < low)
            j++;
        rows++;
        ck_assert_int_lt(j, some.count);
        ck_assert_int_eq(rowid_of(all, i), rowid_of(&some, j));
        const int64_t nulls = nulls_at(all, i, &h);
        ck_assert_int_eq(nulls, nulls_at(&some, j, &g));
        for (int k = 0; k < 2; k++)
            if (!(nulls >> k & 1))
                check_end(all, i, &some, j, k);
        ck_assert(nulls || weight_at(all, i) == weight_at(&some, j));
        j++;
    }
    ck_assert(rows == 0 || j == some.count || rowid_of(&some, j) > high);
    page_columns_clear(&some);
    intern_clear(&some_texts);
    return rows;
}

static void check_ranges(page_table t, bool texts) {
    page_columns all;
    const char *why;
    t.texts = texts ? &all_texts : NULL;
    ck_assert_msg(page_read(&t, 1, NULL, NULL, &all, &why) == PAGE_READ, "%s", why);
    const int64_t least = all.count ? rowid_of(&all, 0) : 0,
                  most = all.count ? rowid_of(&all, all.count - 1) : 0;
    for (int64_t parts = 1; parts <= 7; parts += 2) {
        int64_t rows = 0;
        for (int64_t p = 0; p < parts; p++)
            rows += check_range(&t, &all, 1 + (int)p % 2,
                                least + (most - least + 1) * p / parts,
                                least + (most - least + 1) * (p + 1) / parts - 1);
        ck_assert_int_eq(rows, all.count);
    }
    for (int64_t at = least - 3; at < most + 3; at += 1 + (most - least) / 40) {
        check_range(&t, &all, 1, at, at);
        check_range(&t, &all, 2, at, INT64_MAX);
        check_range(&t, &all, 1, INT64_MIN, at);
    }
    page_columns_clear(&all);
    intern_clear(&all_texts);
}

/* The last row has a wide id. Ranges before it have ids of 4 bytes. */
START_TEST(test_wide_row) {
    const int64_t before[2] = {1, 800};
    page_table t = edges(db);
    page_columns c;
    const char *why;
    run_sql(db, "PRAGMA page_size = 512; CREATE TABLE e(src, dst, w)");
    fill(db, "e", 900);
    run_sql(db, "UPDATE e SET src = src %% 1000, dst = dst %% 1000;"
                "UPDATE e SET dst = 1 << 40 WHERE rowid = 900");
    check_ranges(edges(db), _i % 2);
    t.range = before;
    ck_assert_int_eq(page_read(&t, 1, NULL, NULL, &c, &why), PAGE_READ);
    ck_assert(c.id32[0] && c.id32[1] && c.count >= 800 && c.count < 900);
    page_columns_clear(&c);
}
END_TEST

static const char *const rowids[] = {"n", "n + 7000", "n * n - 90000", "n * 3 - 1000"};

START_TEST(test_numbers) {
    run_sql(db, "PRAGMA page_size = %d; CREATE TABLE e(src, dst, w)", 512 << _i % 4);
    check_ranges(edges(db), false); /* the table has no row */
    run_sql(db, "INSERT INTO e(rowid, src, dst, w) VALUES (5, 1, 2, 3)");
    check_ranges(edges(db), false); /* one leaf, which is the root */
    run_sql(db,
            "WITH RECURSIVE i(n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM i WHERE n < "
            "900) INSERT OR IGNORE INTO e(rowid, src, dst, w) SELECT %s, n * 77 %% 1000, "
            "-n, n %% 9 FROM i",
            rowids[_i / 4]);
    check_ranges(edges(db), false);
}
END_TEST

START_TEST(test_texts_and_nulls) {
    run_sql(db, "PRAGMA page_size = %d; CREATE TABLE e(src, dst, w)", 512 << _i % 4);
    run_sql(db,
            "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < "
            "900) INSERT OR IGNORE INTO e(rowid, src, dst, w) SELECT %s, "
            "CASE n %% 5 WHEN 0 THEN NULL WHEN 1 THEN 't' || n %% 31 ELSE n END, "
            "CASE n %% 7 WHEN 0 THEN NULL WHEN 3 THEN 'u' || n %% 13 ELSE -n END, "
            "CASE WHEN n > 700 THEN n * 0.5 ELSE n END FROM i",
            rowids[_i / 4]);
    check_ranges(edges(db), true);
}
END_TEST

static int64_t reads;

/* Called before each batch, so it sees pages being read. */
static int count_rows(void *rows_read) {
    reads = *(const int64_t *)rows_read > reads ? *(const int64_t *)rows_read : reads;
    return 0;
}

/* The range is a tenth of a table with many leaves. Only the leaves of the range are
** decoded. */
START_TEST(test_leaves_outside_are_not_read) {
    const int64_t range[2] = {40001, 48000};
    int64_t rows = 0;
    page_table t = edges(db);
    page_columns c;
    const char *why;
    run_sql(db, "CREATE TABLE e(src, dst, w)");
    fill(db, "e", 80000);
    /* A BLOB as an id in other leaves makes the reader give up when it reads them. */
    run_sql(db, "UPDATE e SET src = zeroblob(20) WHERE rowid IN (1, 80000)");
    ck_assert_int_eq(page_read(&t, 1, NULL, NULL, &c, &why), PAGE_NOT_USED);
    t.range = range;
    t.rows_read = &rows;
    ck_assert_int_eq(page_read(&t, 1, count_rows, &rows, &c, &why), PAGE_READ);
    ck_assert_int_ge(c.count, 8000);
    ck_assert_int_le(c.count, 8000 + 2 * 1000);
    ck_assert_int_le(reads, 8000 + 2 * 1000);
    page_columns_clear(&c);
}
END_TEST

const struct suite suite = {
    "page_range",
    {{"cases", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_numbers, 16},
                {&test_wide_row, 2},
                {&test_texts_and_nulls, 16},
                {&test_leaves_outside_are_not_read}}}},
};
