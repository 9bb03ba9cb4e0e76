/* Rows per second of the two ways to read an edge table: a sqlite3_step loop, and
** page_read with one and two threads.
**
**     bench_reader FOLDER [MILLION-ROWS]      default 5; leaves no file behind
**
** Two tables of three integer columns in files that the page cache holds: "grid", a road
** network's shape (sources ascending, neighbours near, weights to 10000), and "rmat",
** a social network's (both ends scattered, a few low ids far more often). The best of
** RUNS counts, and every way must give the same sums. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "page_reader.h"

enum { RUNS = 5, GRID_WIDTH = 2048, RMAT_SCALE = 22 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(sqlite3 *db, const char *what) {
    fprintf(stderr, "bench_reader: %s: %s\n", what, db ? sqlite3_errmsg(db) : "failed");
    exit(1);
}

static void run(sqlite3 *db, const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        die(db, sql);
}

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* ---- the tables ---- */

struct edge {
    int64_t source, target, weight;
};

static struct edge grid_edge(int64_t i, uint64_t *state) {
    static const int64_t step[4] = {1, -1, GRID_WIDTH, -GRID_WIDTH};
    int64_t from = i / 3 + GRID_WIDTH + 1;
    uint64_t r = next_random(state);
    return (struct edge){from, from + step[r & 3], (int64_t)(r >> 8) % 10000 + 1};
}

static struct edge rmat_edge(int64_t i, uint64_t *state) {
    struct edge e = {0, 0, (int64_t)(next_random(state) % 255) + 1};
    (void)i;
    for (int bit = 0; bit < RMAT_SCALE; bit++) {
        uint64_t r = next_random(state) % 100;
        e.source = e.source << 1 | (r >= 76);
        e.target = e.target << 1 | ((r >= 57 && r < 76) || r >= 95);
    }
    return e;
}

static sqlite3 *make_table(const char *path, struct edge (*edge)(int64_t, uint64_t *),
                           int64_t rows) {
    sqlite3 *db;
    sqlite3_stmt *insert;
    uint64_t state = 1;

    remove(path);
    if (sqlite3_open(path, &db) != SQLITE_OK)
        die(db, path);
    run(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
            "CREATE TABLE edges(src INTEGER, dst INTEGER, weight INTEGER); BEGIN");
    if (sqlite3_prepare_v2(db, "INSERT INTO edges VALUES(?, ?, ?)", -1, &insert, NULL))
        die(db, "INSERT");
    for (int64_t i = 0; i < rows; i++) {
        struct edge e = edge(i, &state);
        sqlite3_bind_int64(insert, 1, e.source);
        sqlite3_bind_int64(insert, 2, e.target);
        sqlite3_bind_int64(insert, 3, e.weight);
        sqlite3_step(insert);
        if (sqlite3_reset(insert) != SQLITE_OK)
            die(db, "INSERT");
    }
    sqlite3_finalize(insert);
    run(db, "COMMIT");
    return db;
}

/* ---- the ways ---- */

struct reading {
    int64_t rows;
    uint64_t sum;
    double seconds;
};

static struct reading by_steps(sqlite3 *db) {
    struct reading r = {.seconds = now()};
    sqlite3_stmt *scan;
    if (sqlite3_prepare_v2(db, "SELECT rowid, src, dst, weight FROM edges NOT INDEXED",
                           -1, &scan, NULL))
        die(db, "SELECT");
    for (; sqlite3_step(scan) == SQLITE_ROW; r.rows++)
        for (int k = 0; k < 4; k++)
            r.sum += (uint64_t)sqlite3_column_int64(scan, k) * (uint64_t)(k + 1);
    sqlite3_finalize(scan);
    r.seconds = now() - r.seconds;
    return r;
}

static struct reading by_pages(sqlite3 *db, int threads) {
    const page_table table = {.db = db,
                              .schema = "main",
                              .table = "edges",
                              .rowid = "rowid",
                              .column = {"src", "dst", "weight"}};
    struct reading r = {.seconds = now()};
    page_columns c;
    const char *why;
    if (page_read(&table, threads, NULL, NULL, &c, &why) != PAGE_READ)
        die(NULL, why ? why : "interrupted");
    r.seconds = now() - r.seconds;
    r.rows = c.count;
    for (int64_t i = 0; i < c.count; i++)
        r.sum += (uint64_t)(c.rowid ? c.rowid[i] : i + 1) + (uint64_t)c.source[i] * 2 +
                 (uint64_t)c.target[i] * 3 + (uint64_t)c.weight[i] * 4;
    page_columns_clear(&c);
    return r;
}

static struct reading best(sqlite3 *db, int threads) {
    struct reading best = {.seconds = 1e9};
    for (int i = 0; i < RUNS; i++) {
        struct reading r = threads ? by_pages(db, threads) : by_steps(db);
        if (r.seconds < best.seconds)
            best = r;
    }
    return best;
}

static void measure(const char *name, sqlite3 *db) {
    struct reading step = best(db, 0), one = best(db, 1), two = best(db, 2);
    if (one.sum != step.sum || two.sum != step.sum || one.rows != step.rows)
        die(NULL, "the ways disagree");
    double m = 1e-6 * (double)step.rows;
    printf("%-5s %8.1f %8.1f %8.1f M rows/s   pages/steps %5.1f   2 threads/1 %5.2f\n",
           name, m / step.seconds, m / one.seconds, m / two.seconds,
           step.seconds / one.seconds, one.seconds / two.seconds);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: bench_reader FOLDER [MILLION-ROWS]\n");
        return 2;
    }
    int64_t rows = (argc > 2 ? atoll(argv[2]) : 5) * 1000000;
    struct {
        const char *name;
        struct edge (*edge)(int64_t, uint64_t *);
    } tables[] = {{"grid", grid_edge}, {"rmat", rmat_edge}};

    printf("table    steps 1 thread 2 threads\n");
    for (int i = 0; i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/bench_reader_%s.db", argv[1], tables[i].name);
        sqlite3 *db = make_table(path, tables[i].edge, rows);
        measure(tables[i].name, db);
        sqlite3_close(db);
        remove(path);
    }
    return 0;
}
