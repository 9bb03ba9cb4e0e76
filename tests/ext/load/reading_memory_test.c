/* The memory that reading takes, at its peak and afterwards, in bytes for each edge:
**
**     columns while rows come   8 for each wanted column: source, destination, weight,
**                               and edge ids unless they are 1, 2, 3, ...; from pages 4
**                               for source and destination if all ids fit, and for
**                               INTEGER weights that fit
**     the graph                 4 for each column, 8 for edge ids
**     ids far apart             8 more for source and for target while they are mapped
**
** Columns become the graph's arrays in place, so the peak is that of the columns, plus
** SLACK bytes for buffers, ids and the C library. Sanitizers keep freed memory, so they
** leave out this test. */
/* ctest: unsanitized */
#include "graph_probe.h"
#include "suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 4500000, VERTICES = 100000, SLACK = 24 << 20 };

static probe p;
static char file[64];

/* Returns "VmRSS" or "VmHWM" in bytes, or -1 if the system does not report it. */
static long long memory(const char *name) {
    char line[200];
    long long kilobytes = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, name, strlen(name)) == 0)
            kilobytes = atoll(line + strlen(name) + 1);
    if (status)
        fclose(status);
    return kilobytes < 0 ? -1 : kilobytes * 1024;
}

/* Sets VmHWM to VmRSS. */
static bool forget_peak(void) {
    FILE *refs = fopen("/proc/self/clear_refs", "w");
    bool done = refs && fputs("5", refs) >= 0;
    return refs && fclose(refs) == 0 && done;
}

static void make_file(void) {
    sqlite3 *db;
    snprintf(file, sizeof file, "/tmp/gpugraph-reading-test-%d.db", (int)getpid());
    unlink(file);
    char *sql = sqlite3_mprintf(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
        "CREATE TABLE roads(src, dst, weight); CREATE TABLE holes(src, dst, weight);"
        "CREATE TABLE names(src TEXT, dst TEXT, weight); CREATE TABLE far(src, dst, "
        "weight); CREATE TABLE apart(src, dst, weight);"
        "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < %d) "
        "INSERT INTO roads SELECT i %% %d, i * 7 %% %d, i %% 100 FROM c;"
        "INSERT INTO holes(rowid, src, dst, weight) SELECT 2 * rowid, * FROM roads;"
        "INSERT INTO far SELECT src * 1000003, dst * 1000003, weight FROM roads;"
        "INSERT INTO apart SELECT src * 20011, dst * 20011, weight FROM roads;"
        "INSERT INTO names SELECT 'vertex ' || src, 'vertex ' || dst, weight FROM roads",
        ROWS, VERTICES, VERTICES);
    if (sqlite3_open(file, &db) || sqlite3_exec(db, sql, NULL, NULL, NULL))
        fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    sqlite3_free(sql);
    sqlite3_close(db);
}

static void setup(void) {
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    probe_open(&p, db);
}

static void teardown(void) {
    probe_close(&p);
}

/* Reads the table and measures the bytes for each edge. */
static void load(const char *name, enum weight_reading weights, double *peak,
                 double *after) {
    edge_source source;
    row_source rows;
    loaded got;
    char *error = NULL;
    ck_assert_int_eq(edge_parse(name, (int)strlen(name), 3, &source, &error), SQLITE_OK);
    ck_assert_int_eq(
        source_resolve(&p.c, "gpu_test", "edges", NULL, &source, &rows, &error),
        SQLITE_OK);
    long long before = memory("VmRSS");
    ck_assert(forget_peak());
    const graph_request request = {.function = "gpu_test", .backend = -1};
    ck_assert_int_eq(graph_load(&p.c, &request, &rows, NULL, weights, &got, NULL, &error),
                     SQLITE_OK);
    *peak = (double)(memory("VmHWM") - before) / ROWS;
    *after = (double)(memory("VmRSS") - before) / ROWS;
    ck_assert_int_eq(gpugraph_edge_count(got.graph), ROWS);
    gpugraph_free(got.graph);
    row_source_clear(&rows);
    edge_source_clear(&source);
}

/* Each read has a process of its own, because malloc keeps freed memory. Even cases read
** by pages. Odd cases read inside SQLite's scan, because a write transaction is open. */
START_TEST(reading) {
    static const struct {
        const char *table;
        enum weight_reading weights;
        int pages, rows, graph;
    } cases[] = {
        {"roads", READ_WEIGHTS, 12, 24, 12}, {"roads", READ_NO_WEIGHTS, 8, 16, 8},
        {"holes", READ_WEIGHTS, 20, 32, 20}, {"names", READ_WEIGHTS, 12, 24, 12},
        {"far", READ_WEIGHTS, 36, 40, 12},   {"apart", READ_WEIGHTS, 28, 40, 12}};
    double peak, after, slack = (double)SLACK / ROWS;
    if (memory("VmHWM") < 0 || !forget_peak())
        return;
    if (_i % 2)
        probe_run(&p, "BEGIN IMMEDIATE");
    load(cases[_i / 2].table, cases[_i / 2].weights, &peak, &after);
    if (_i % 2)
        probe_run(&p, "COMMIT");
    printf("%s%s by %s: %.1f bytes for each edge at the peak, %.1f afterwards\n",
           cases[_i / 2].table,
           cases[_i / 2].weights == READ_WEIGHTS ? ", with weights," : "",
           _i % 2 ? "rows" : "pages", peak, after);
    ck_assert_double_lt(peak,
                        (_i % 2 ? cases[_i / 2].rows : cases[_i / 2].pages) + slack);
    ck_assert_double_lt(after, cases[_i / 2].graph + slack);
}
END_TEST

static void remove_file(void) {
    unlink(file);
}

const struct suite suite = {
    "reading_memory",
    {{"peak", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&reading, 12}}}},
    .begin = make_file,
    .end = remove_file,
};
