/* Shared by the tests of the page reader: databases in a scratch folder, and a comparison
** of page_read with SELECT. */
#ifndef PAGE_COMPARE_H
#define PAGE_COMPARE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "cells_threads.h"
#include "expect.h"
#include "graphs.h"
#include "pages/reader.h"

static char scratch[64]; /* a path in its own folder */

#ifdef TEST_ON_DEVICE
enum { ON_DEVICE = true };
#else
enum { ON_DEVICE = false };
#endif

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

/* Runs SQL that is formatted as by sqlite3_mprintf. Returns the result code. */
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
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "SELECT \"%w\"", t->rowid);
    for (int k = 0; k < PAGE_COLUMNS; k++)
        if (t->column[k])
            sqlite3_str_appendf(text, ", \"%w\"", t->column[k]);
        else
            sqlite3_str_appendall(text, ", 'not wanted'");
    sqlite3_str_appendf(text, ", CASE WHEN %s\n THEN 1 ELSE 0 END",
                        t->filter ? t->filter : "1");
    sqlite3_str_appendf(text, " FROM \"%w\".\"%w\" NOT INDEXED ORDER BY 1", t->schema,
                        t->table);
    char *sql = sqlite3_str_finish(text);
    sqlite3_prepare_v2(t->db, sql, -1, &rows, NULL);
    sqlite3_free(sql);
    return rows;
}

/* Is entry n of source (k 0) or target (k 1) that of the statement's row? *seen: the
** number of texts so far, which are numbered by first occurrence. */
static inline bool same_id(const page_columns *c, int k, int64_t n, const intern *texts,
                           int64_t *seen, sqlite3_stmt *row) {
    int64_t value = page_id_at(c, k, n);
    if (sqlite3_column_type(row, 1 + k) == SQLITE_FLOAT) {
        double real = sqlite3_column_double(row, 1 + k);
        return real == (double)value && real >= -0x1p63 && real < 0x1p63;
    }
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

static inline double real_of(int64_t bits) {
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* Is weight n (k PAGE_WEIGHT) or reverse weight n that of the statement's row, converted
** as by sqlite3_value_numeric_type? Sets *real_seen if it is REAL. */
static inline bool same_weight(const page_table *t, const page_columns *c, int k,
                               int64_t n, sqlite3_stmt *row, bool *real_seen) {
    if (!t->column[k])
        return !(k == PAGE_WEIGHT ? c->weight || c->weight32 : c->reverse != NULL);
    const int64_t integer = k == PAGE_WEIGHT ? page_weight_at(c, n) : c->reverse[n];
    const double real = real_of(integer);
    sqlite3_value *value = sqlite3_column_value(row, 1 + k);
    int type = sqlite3_value_numeric_type(value);
    bool same = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    bool closed = t->column[PAGE_REVERSE] &&
                  (type == SQLITE_NULL || sqlite3_column_double(row, 1 + k) < 0);
    *real_seen |= type == SQLITE_FLOAT && !closed;
    if (closed)
        same = (type == SQLITE_NULL || same) && (c->real ? real : (double)integer) < 0;
    else if (c->real)
        same &= sqlite3_value_double(value) == real;
    else
        same &= type == SQLITE_INTEGER && sqlite3_value_int64(value) == integer;
    return same;
}

/* The NULL ends of the row, as bits. */
static inline int nulls_in(sqlite3_stmt *row) {
    return (sqlite3_column_type(row, 1) == SQLITE_NULL) |
           (sqlite3_column_type(row, 2) == SQLITE_NULL) << 1;
}

/* Is row n the statement's row? *halves: the number of earlier half rows. */
static inline bool same_row(const page_table *t, const page_columns *c, int64_t n,
                            int64_t *halves, int64_t *seen, sqlite3_stmt *row,
                            bool *real_seen) {
    const int nulls = nulls_in(row);
    const bool half = nulls || !sqlite3_column_int(row, 1 + PAGE_COLUMNS);
    if (n >= c->count || sqlite3_column_int64(row, 0) != (c->rowid ? c->rowid[n] : n + 1))
        return false;
    if (half && (*halves >= c->halves || c->half[(*halves)++] != (n << 2 | nulls)))
        return false;
    for (int k = 0; k < 2; k++)
        if (!(nulls >> k & 1) && !same_id(c, k, n, t->texts, seen, row))
            return false;
    if (!t->column[PAGE_EDGE_ID] != !c->edge_id)
        return false;
    if (c->edge_id && (sqlite3_column_type(row, 1 + PAGE_EDGE_ID) != SQLITE_INTEGER ||
                       sqlite3_column_int64(row, 1 + PAGE_EDGE_ID) != c->edge_id[n]))
        return false;
    return half || (same_weight(t, c, PAGE_WEIGHT, n, row, real_seen) &&
                    same_weight(t, c, PAGE_REVERSE, n, row, real_seen));
}

/* Checks that no text has two numbers, and that all texts were seen. */
static inline void check_texts(intern *texts, int64_t seen) {
    ck_assert_int_eq(seen, texts->count);
    for (int64_t i = 0; i < texts->count; i++) {
        uint64_t at = texts->offset[i];
        expect(intern_text(texts, texts->bytes + at, texts->offset[i + 1] - at) == i,
               "text %lld has two numbers", (long long)i);
    }
}

/* Does a column of weights have type REAL? */
static inline bool column_is_real(const page_table *t) {
    bool real = false;
    for (int k = PAGE_WEIGHT; k < PAGE_COLUMNS; k++) {
        const char *type = "";
        if (t->column[k] && k != PAGE_EDGE_ID)
            sqlite3_table_column_metadata(t->db, t->schema, t->table, t->column[k], &type,
                                          NULL, NULL, NULL, NULL);
        real |= type && strstr(type, "REAL");
    }
    return real;
}

/* Compares every value with SELECT's. The test ends at the first difference. */
static inline void check_columns(const page_table *t, const page_columns *c) {
    sqlite3_stmt *rows = select_rows(t);
    bool real_seen = false;
    int64_t n = 0, seen = 0, halves = 0;
    int rc;

    ck_assert_ptr_nonnull(rows);
    for (; (rc = sqlite3_step(rows)) == SQLITE_ROW; n++) {
        if (!same_row(t, c, n, &halves, &seen, rows, &real_seen))
            ck_abort_msg("row %lld differs", (long long)n);
    }
    ck_assert_int_eq(halves, c->halves);
    ck_assert_msg(rc == SQLITE_DONE, "SELECT fails where page_read does not: %d", rc);
    ck_assert_int_eq(n, c->count);
    sqlite3_finalize(rows);
    if (t->texts)
        check_texts(t->texts, seen);
    /* Weights are REAL only if their column or some value is. */
    ck_assert(!c->real || n == halves || real_seen || column_is_real(t));
}

/* tables that a device or its model has decoded, and leaves that it left to the host */
static int64_t decoded_there, unusual_leaves;

/* Checks the facts that the device reports about weights that stay there. */
static inline void check_weighed(const page_columns *c, const gg_cell_weights *w) {
    uint64_t largest = 0, total = 0;
    for (int64_t i = 0; i < c->count; i++) {
        if (w->real) {
            const double real = real_of(c->weight[i]);
            ck_assert(real >= 0 && real <= __DBL_MAX__);
            continue;
        }
        const uint64_t weight = (uint64_t)c->weight[i];
        ck_assert_int_ge(c->weight[i], 0);
        largest = weight > largest ? weight : largest;
        total += weight < UINT32_MAX ? weight : UINT32_MAX;
    }
    ck_assert_uint_eq(w->bad, (uint64_t)c->count);
    ck_assert(w->real || (w->largest == largest && w->total == total));
}

static inline void bring_weights_here(page_columns *c) {
    gg_cells *cells = c->cells;
    c->weight = malloc((cells->rows + 1) * sizeof *c->weight);
    ck_assert(cells->place->bring(cells, CELL_WEIGHT, 0, cells->rows, c->weight));
    check_weighed(c, &cells->weights);
}

/* Downloads the columns that a device has. */
static inline void bring_ends_here(page_columns *c) {
    gg_cells *cells = c->cells;
    if (cells->weights.stay)
        bring_weights_here(c);
    int64_t **to[2] = {&c->id[0], &c->id[1]};
    for (int k = 0; k < 2; k++) {
        *to[k] = malloc((cells->rows + 1) * sizeof **to[k]);
        ck_assert(cells->place->bring(cells, k == 0 ? CELL_SOURCE : CELL_TARGET, 0,
                                      cells->rows, *to[k]));
    }
    cells->place->free(cells);
    c->cells = NULL;
    decoded_there++;
}

/* Pages go only to an open device, and a search opens it. */
static inline void open_device(void) {
    static bool open;
    shape s = shape_path(2);
    gpugraph_graph *graph = open ? NULL : shape_graph(&s);
    gpugraph_run run = {.backend = GPUGRAPH_CUDA};
    uint32_t degree[2];
    if (graph)
        ck_assert_int_eq(gpugraph_degrees(graph, GPUGRAPH_OUT, &run, degree),
                         GPUGRAPH_OK);
    open = true;
    gpugraph_free(graph);
    shape_free(&s);
}

/* The decoder: this thread or, with TEST_ON_DEVICE, a device, whatever the size of the
** table. */
static inline const gg_cell_place *find_place(gpugraph_run *run) {
#ifdef TEST_ON_DEVICE
    gg_limits.cells_least = 0;
    run->backend = GPUGRAPH_CUDA;
    open_device();
    return gg_cells_for(run);
#else
    (void)run;
    return &cells_here;
#endif
}

/* Compares the decoder for devices with the page reader on one thread: both give equal
** columns, or one sentence. */
static inline void compare_there(const page_table *table, const char *why_not,
                                 int64_t slow) {
    gpugraph_run run = {0};
    page_table t = *table;
    page_columns c;
    const char *why;
    t.place = find_place(&run);
    t.run = &run;
    ck_assert_ptr_nonnull(t.place);
    enum page_outcome outcome = page_read(&t, 1, NULL, NULL, &c, &why);
    ck_assert_int_eq(outcome, why_not ? PAGE_NOT_USED : PAGE_READ);
    ck_assert_msg(why == why_not, "there \"%s\", here \"%s\"", why ? why : "used",
                  why_not ? why_not : "used");
    if (c.cells) {
        unusual_leaves += c.cells->unusual;
        bring_ends_here(&c);
    }
    if (outcome == PAGE_READ) {
        ck_assert_int_eq(c.slow_rows, slow);
        check_columns(&t, &c);
    }
    if (t.texts)
        intern_clear(t.texts);
    page_columns_clear(&c);
}

static int64_t of_width[2]; /* tables with ids of 8 bytes and of 4 bytes */

/* Reads with one thread, with three threads and by the decoder for devices, and compares.
** Returns the reason for which the reader gives up, or NULL. *slow, if not NULL, becomes
** the number of rows that page_cell decoded. */
static inline const char *compare(const page_table *t, int64_t *slow) {
    const char *why = NULL, *before = NULL;
    for (int threads = 1; threads <= 3; threads += 2) {
        page_columns c;
        enum page_outcome outcome = page_read(t, threads, NULL, NULL, &c, &why);
        ck_assert_int_ne(outcome, PAGE_INTERRUPTED);
        ck_assert_int_eq(outcome == PAGE_NOT_USED, why != NULL);
        if (outcome == PAGE_READ)
            check_columns(t, &c);
        of_width[c.id32[0] != NULL] += outcome == PAGE_READ;
        ck_assert(outcome == PAGE_READ || !t->texts || !t->texts->bytes);
        if (t->texts)
            intern_clear(t->texts);
        if (slow)
            *slow = c.slow_rows;
        const int64_t careful = c.slow_rows;
        page_columns_clear(&c);
        if (threads == 1)
            compare_there(t, why, careful);
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
    ck_assert_msg(why == NULL, "the reader gave up: %s", why);
    ck_assert_int_eq(slow, 0);
}

/* Checks that the table is read from pages. */
static inline void check_read(const page_table *t) {
    const char *why = compare(t, NULL);
    ck_assert_msg(why == NULL, "the reader gave up: %s", why);
}

static inline void check_aside(const page_table *t, const char *part_of_reason) {
    const char *why = compare(t, NULL);
    ck_assert_msg(why && strstr(why, part_of_reason), "wanted \"%s\", got \"%s\"",
                  part_of_reason, why ? why : "used");
}

/* ---- fixture for tests of single cases ---- */

static inline page_table edges(sqlite3 *db) {
    return (page_table){.db = db,
                        .schema = "main",
                        .table = "e",
                        .rowid = "rowid",
                        .column = {"src", "dst", "w"}};
}

static sqlite3 *db; /* the database of the running test */

static inline void setup(void) {
    scratch_make();
    db = open_db(scratch, 0, NULL);
}

static inline void teardown(void) {
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
    scratch_remove();
}

/* Adds rows of (src, dst, w) with numbers of all widths: 0, 1, and -2^x to 2^x. */
static inline void fill(sqlite3 *to, const char *table, int rows) {
    run_sql(to,
            "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d)"
            " INSERT INTO %s SELECT (n * 2654435761) >> (n %% 33), 0 - ((n * 40503) >> "
            "(n %% 17)), n * n %% 5 FROM i",
            rows, table);
}

#endif
