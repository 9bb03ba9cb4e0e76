/* The n-th malloc, calloc or realloc of a query fails, for every n. The query must end
** with SQLITE_NOMEM or its rows, nothing may leak, and the next query must work.
** Sanitizers have an allocator of their own, so they leave out this test. */
/* ctest: serial unsanitized */
#include "graph_probe.h"
#include "suite.h"
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);

static int countdown; /* the allocation that fails; 0: none */

static bool fails(void) {
    if (countdown > 0 && --countdown == 0) {
        errno = ENOMEM;
        return true;
    }
    return false;
}

void *malloc(size_t bytes) {
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes) {
    return fails() ? NULL : __libc_realloc(block, bytes);
}

static probe p;

/* Less than the smallest column, but more than the growth of SQLite's own caches. */
enum { COLUMN_BYTES = 6000 };

/* Runs the query once for each of its allocations, and lets that allocation fail. */
static void faults(const char *file, const char *make, const char *sql) {
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    probe_open(&p, db);
    probe_run(&p, make);
    char *want = sqlite3_mprintf("%s", probe_get(&p, sql));
    ck_assert_int_ne(*want, 'g'); /* "gpu_test: ..." */
    p.c.config.cache_limit = 0;
    bool failed = true;
    size_t held = 0;
    for (int n = 1; failed; n++) {
        sqlite3_stmt *statement;
        probe_run(&p, "UPDATE roads SET src = src"); /* so that the graph is read again */
        ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
        countdown = n;
        int rc = sqlite3_step(statement);
        failed = countdown == 0;
        countdown = 0;
        if (rc != SQLITE_NOMEM && rc != SQLITE_ROW)
            ck_abort_msg("%s: allocation %d: %d, %s", sql, n, rc, sqlite3_errmsg(db));
        sqlite3_finalize(statement);
        ck_assert_ptr_null(p.c.bindings);
        if (n % 8 == 0) {
            probe_expect(&p, sql, want);
            size_t holds = mallinfo2().uordblks; /* SQLite's own caches grow and shrink */
            if (held && holds > held + COLUMN_BYTES)
                ck_abort_msg("%s: allocation %d: %zu bytes are held, were %zu", sql, n,
                             holds, held);
            held = holds > held ? holds : held;
        }
    }
    probe_expect(&p, sql, want);
    sqlite3_free(want);
    probe_close(&p);
}

static const char roads[] =
    "CREATE TABLE roads(src, dst, weight); INSERT INTO roads VALUES (1, 2, 3), (5, 6, 7);"
    "CREATE TABLE places(id); INSERT INTO places VALUES ('x');"
    "CREATE VIEW v AS SELECT * FROM roads";

START_TEST(tables) {
    faults(":memory:", roads, "SELECT graph('roads', 'places', 'weights')");
}
END_TEST

START_TEST(texts) {
    char *sql = sqlite3_mprintf("%s; WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT "
                                "i + 1 FROM c WHERE i < 3000) "
                                "INSERT INTO roads(rowid, src, dst, weight) SELECT 2 * i "
                                "+ 9, 'vertex-' || i, 'x', i / 2.0 "
                                "FROM c",
                                roads);
    faults(":memory:", sql, "SELECT graph('roads', NULL, 'weights')");
    sqlite3_free(sql);
}
END_TEST

START_TEST(views_and_queries) {
    faults(":memory:", roads,
           "SELECT graph('v') || gpu_test('SELECT src, dst, weight, 7 FROM v')");
}
END_TEST

START_TEST(pages) {
    char file[64];
    snprintf(file, sizeof file, "/tmp/gpugraph-memory-test-%d.db", (int)getpid());
    unlink(file);
    faults(file, roads, "SELECT graph('roads')");
    unlink(file);
    char *sql = sqlite3_mprintf("%s; INSERT INTO roads VALUES (7, 1 << 40, 8)", roads);
    faults(file, sql, "SELECT graph('roads')"); /* columns of ids become wide */
    sqlite3_free(sql);
    unlink(file);
    sql = sqlite3_mprintf("%s; INSERT INTO roads VALUES (7, 8, 1 << 40)", roads);
    /* columns of weights become wide */
    faults(file, sql, "SELECT graph('roads', NULL, 'weights')");
    sqlite3_free(sql);
    unlink(file);
}
END_TEST

const struct suite suite = {
    "loader_memory",
    {{"malloc", .timeout = 120,
      .cases = {{&tables}, {&texts}, {&views_and_queries}, {&pages}}}},
};
