/* What the tests of the page reader share: databases in a scratch folder, and the one
** check that matters: page_read gives what SELECT gives, or steps aside. */
#ifndef PAGE_COMPARE_H
#define PAGE_COMPARE_H

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"
#include "page_reader.h"

static char scratch[64]; /* a path in a folder of its own */

static inline void scratch_make(void) {
    char folder[] = "/tmp/page_reader_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(scratch, sizeof scratch, "%s/t.db", folder);
}

static inline void scratch_remove(void) {
    static const char *const ending[] = {"", "-journal", "-wal", "-shm"};
    char path[128];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", scratch, ending[i]);
        unlink(path);
    }
    *strrchr(scratch, '/') = 0;
    ck_assert_int_eq(rmdir(scratch), 0);
}

static inline sqlite3 *open_db(const char *path, int flags, const char *vfs) {
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open_v2(path, &db,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                         SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | flags,
                                     vfs),
                     SQLITE_OK);
    sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    return db;
}

/* Runs SQL made by sqlite3_mprintf's rules; returns the result code. */
static inline int try_sql(sqlite3 *db, const char *format, ...) {
    va_list list;
    va_start(list, format);
    char *sql = sqlite3_vmprintf(format, list);
    va_end(list);
    int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return rc;
}

#define run_sql(db, ...)                                                                 \
    ck_assert_msg(try_sql(db, __VA_ARGS__) == SQLITE_OK, "%s", sqlite3_errmsg(db))

static inline sqlite3_stmt *select_rows(const page_table *t) {
    sqlite3_stmt *rows = NULL;
    char *sql =
        t->column[2]
            ? sqlite3_mprintf("SELECT \"%w\", \"%w\", \"%w\", \"%w\" FROM "
                              "\"%w\".\"%w\" NOT INDEXED ORDER BY 1",
                              t->rowid, t->column[0], t->column[1], t->column[2],
                              t->schema, t->table)
            : sqlite3_mprintf("SELECT \"%w\", \"%w\", \"%w\" FROM \"%w\".\"%w\" "
                              "NOT INDEXED ORDER BY 1",
                              t->rowid, t->column[0], t->column[1], t->schema, t->table);
    sqlite3_prepare_v2(t->db, sql, -1, &rows, NULL);
    sqlite3_free(sql);
    return rows;
}

/* Is entry n of source (k 0) or target (k 1) what the statement stands on? *seen: texts so
** far, which are numbered in the order of their coming. */
static inline bool same_id(const page_columns *c, int k, int64_t n, const intern *texts,
                           int64_t *seen, sqlite3_stmt *row) {
    int64_t value = k == 0 ? c->source[n] : c->target[n];
    if (!c->text[k] || !(c->text[k][n / 8] >> n % 8 & 1))
        return sqlite3_column_type(row, 1 + k) == SQLITE_INTEGER &&
               sqlite3_column_int64(row, 1 + k) == value;
    if (sqlite3_column_type(row, 1 + k) != SQLITE_TEXT || value > *seen)
        return false;
    *seen += value == *seen;
    uint64_t at = texts->offset[value], bytes = texts->offset[value + 1] - at;
    const void *text = sqlite3_column_text(row, 1 + k);
    return bytes == (uint64_t)sqlite3_column_bytes(row, 1 + k) &&
           memcmp(texts->bytes + at, text, (size_t)bytes) == 0;
}

/* Is the weight of entry n that of the statement's row, a text being what
** sqlite3_value_numeric_type makes of it? *type: what it is. */
static inline bool same_weight(const page_columns *c, int64_t n, sqlite3_stmt *row,
                               int *type) {
    sqlite3_value *value = sqlite3_column_value(row, 3), *copy = NULL;
    *type = sqlite3_value_type(value);
    if (*type == SQLITE_TEXT) {
        value = copy = sqlite3_value_dup(value);
        *type = sqlite3_value_numeric_type(value);
    }
    bool same = *type == SQLITE_INTEGER || *type == SQLITE_FLOAT;
    if (c->real_weight)
        same &= !c->weight && sqlite3_value_double(value) == c->real_weight[n];
    else
        same &= *type == SQLITE_INTEGER && sqlite3_value_int64(value) == c->weight[n];
    sqlite3_value_free(copy);
    return same;
}

/* Is row n what the statement stands on? */
static inline bool same_row(const page_columns *c, int64_t n, const intern *texts,
                            int64_t *seen, sqlite3_stmt *row, bool weighted, int *type) {
    if (n >= c->count ||
        sqlite3_column_int64(row, 0) != (c->rowid ? c->rowid[n] : n + 1) ||
        !same_id(c, 0, n, texts, seen, row) || !same_id(c, 1, n, texts, seen, row))
        return false;
    return weighted ? same_weight(c, n, row, type) : !c->weight && !c->real_weight;
}

/* No text has two numbers, and all were seen. */
static inline void check_texts(intern *texts, int64_t seen) {
    ck_assert_int_eq(seen, texts->count);
    for (int64_t i = 0; i < texts->count; i++) {
        uint64_t at = texts->offset[i];
        expect(intern_text(texts, texts->bytes + at, texts->offset[i + 1] - at) == i,
               "text %lld has two numbers", (long long)i);
    }
}

/* Every value against SELECT's; ends the test at the first difference. */
static inline void check_columns(const page_table *t, const page_columns *c) {
    sqlite3_stmt *rows = select_rows(t);
    bool real_seen = false, weighted = t->column[2] != NULL;
    int64_t n = 0, seen = 0;
    int rc;

    ck_assert_ptr_nonnull(rows);
    for (; (rc = sqlite3_step(rows)) == SQLITE_ROW; n++) {
        int type = SQLITE_INTEGER;
        if (!same_row(c, n, t->texts, &seen, rows, weighted, &type))
            ck_abort_msg("row %lld differs", (long long)n);
        real_seen |= type == SQLITE_FLOAT;
    }
    ck_assert_msg(rc == SQLITE_DONE, "SELECT fails where page_read does not: %d", rc);
    ck_assert_int_eq(n, c->count);
    sqlite3_finalize(rows);
    if (t->texts)
        check_texts(t->texts, seen);
    /* REAL weights only where the column or one value is REAL. */
    ck_assert(!c->real_weight || n == 0 || real_seen);
}

/* Reads with one and with three threads and compares. Returns the reason for stepping
** aside, NULL where the pages were used; *slow, if wanted, the rows decoded carefully. */
static inline const char *compare(const page_table *t, int64_t *slow) {
    const char *why = NULL, *before = NULL;
    for (int threads = 1; threads <= 3; threads += 2) {
        page_columns c;
        enum page_outcome outcome = page_read(t, threads, NULL, NULL, &c, &why);
        ck_assert_int_ne(outcome, PAGE_INTERRUPTED);
        ck_assert_int_eq(outcome == PAGE_NOT_USED, why != NULL);
        if (outcome == PAGE_READ)
            check_columns(t, &c);
        ck_assert(outcome == PAGE_READ || !t->texts || !t->texts->bytes);
        if (t->texts)
            intern_clear(t->texts);
        if (slow)
            *slow = c.slow_rows;
        page_columns_clear(&c);
        ck_assert_msg(threads == 1 || (why != NULL) == (before != NULL),
                      "used depends on the threads: %s, %s", why ? why : "used",
                      before ? before : "used");
        before = why;
    }
    return why;
}

static inline void check_used(const page_table *t) {
    int64_t slow = -1;
    const char *why = compare(t, &slow);
    ck_assert_msg(why == NULL, "stepped aside: %s", why);
    ck_assert_int_eq(slow, 0);
}

/* Read from pages, be it with care. */
static inline void check_read(const page_table *t) {
    const char *why = compare(t, NULL);
    ck_assert_msg(why == NULL, "stepped aside: %s", why);
}

static inline void check_aside(const page_table *t, const char *part_of_reason) {
    const char *why = compare(t, NULL);
    ck_assert_msg(why && strstr(why, part_of_reason), "wanted \"%s\", got \"%s\"",
                  part_of_reason, why ? why : "used");
}

/* ---- the fixture of the tests case by case ---- */

static inline page_table edges(sqlite3 *db) {
    return (page_table){.db = db,
                        .schema = "main",
                        .table = "e",
                        .rowid = "rowid",
                        .column = {"src", "dst", "w"}};
}

static sqlite3 *db; /* of the test that runs */

static inline void setup(void) {
    scratch_make();
    db = open_db(scratch, 0, NULL);
}

static inline void teardown(void) {
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
    scratch_remove();
}

/* rows of (src, dst, w) that differ in width: 0, 1, and -2^x .. 2^x. */
static inline void fill(sqlite3 *to, const char *table, int rows) {
    run_sql(to,
            "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)"
            " INSERT INTO %s SELECT (n * 2654435761) >> (n %% 33), 0 - ((n * 40503) >> "
            "(n %% 17)), n * n %% 5 FROM i",
            rows, table);
}

#endif
