/* Times the phases of whole queries, from a large edge table to a CSR on the device.
**
**     bench_table FILE MILLION-ROWS [BACKEND [THREADS [FUNCTION]]]
**
** Makes FILE with the table edges(src, dst, weight) if it is missing: an R-MAT graph of
** 2^22 vertices. Reads the file into the page cache. Then calls FUNCTION three times,
** each time in a new connection. The first call also starts the device. FUNCTION: gpu_bfs
** (the default, needs the CSR OUT), gpu_mis (SIMPLE) or gpu_sssp (OUT with weights).
** BACKEND: cuda, the default, cpu or auto; THREADS: 0, the default, means one for each
** core. Prints gpugraph_timings. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gpugraph_extension.h"

enum { SCALE = 22, QUERIES = 3 };

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Draws an edge with the probabilities of Graph500, in units of 1/256. A random word
** gives eight bits of both ends. */
static void rmat(uint64_t *state, int64_t *source, int64_t *target) {
    uint64_t r = 0, s = 0, t = 0;
    for (int bit = 0; bit < SCALE; bit++) {
        r = bit % 8 == 0 ? next_random(state) : r >> 8;
        unsigned u = r & 255;
        s = s << 1 | (u >= 195);
        t = t << 1 | ((u >= 146 && u < 195) || u >= 243);
    }
    /* An odd factor permutes the numbers below a power of two. */
    uint64_t mask = ((uint64_t)1 << SCALE) - 1;
    *source = (int64_t)(s * 0x9e3779b97f4a7c15 & mask);
    *target = (int64_t)(t * 0x9e3779b97f4a7c15 & mask);
}

static sqlite3 *open_file(const char *path) {
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK)
        die(db, path);
    return db;
}

static void make_table(sqlite3 *db, int64_t rows) {
    sqlite3_stmt *insert;
    uint64_t state = 1;
    run(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
            "CREATE TABLE edges(src INTEGER, dst INTEGER, weight INTEGER); BEGIN");
    if (sqlite3_prepare_v2(db, "INSERT INTO edges VALUES(?, ?, ?)", -1, &insert, NULL))
        die(db, "INSERT");
    for (int64_t i = 0; i < rows; i++) {
        int64_t source, target;
        rmat(&state, &source, &target);
        sqlite3_bind_int64(insert, 1, source);
        sqlite3_bind_int64(insert, 2, target);
        sqlite3_bind_int64(insert, 3, (source ^ target) % 255 + 1);
        sqlite3_step(insert);
        if (sqlite3_reset(insert) != SQLITE_OK)
            die(db, "INSERT");
    }
    sqlite3_finalize(insert);
    run(db, "COMMIT");
}

static bool has_table(sqlite3 *db) {
    sqlite3_stmt *asks;
    if (sqlite3_prepare_v2(db, "SELECT 1 FROM sqlite_schema WHERE name = 'edges'", -1,
                           &asks, NULL))
        die(db, "sqlite_schema");
    bool there = sqlite3_step(asks) == SQLITE_ROW;
    sqlite3_finalize(asks);
    return there;
}

static int print_row(void *query, int columns, char **value, char **names) {
    (void)columns, (void)names;
    printf("TABLE,%d,%s,%s,%s,%s\n", *(int *)query, value[0], value[1],
           value[2] ? value[2] : "", value[3] ? value[3] : "");
    return 0;
}

static void ask(const char *path, const char *function, const char *backend, int threads,
                int query) {
    sqlite3 *db = open_file(path);
    char *sql = sqlite3_mprintf(
        "SELECT gpugraph_config('backend', %Q), gpugraph_config('threads', %d)", backend,
        threads);
    run(db, sql);
    sqlite3_free(sql);
    bool mis = strcmp(function, "gpu_mis") == 0;
    sql = sqlite3_mprintf("SELECT count(*) FROM %s('edges'%s)", function,
                          mis ? "" : ", (SELECT src FROM edges LIMIT 1)");
    run(db, sql);
    sqlite3_free(sql);
    if (sqlite3_exec(db,
                     "SELECT phase, printf('%.2f', ms), items, detail "
                     "FROM gpugraph_timings",
                     print_row, &query, NULL))
        die(db, "gpugraph_timings");
    sqlite3_close(db);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: bench_table FILE MILLION-ROWS [cuda|cpu|auto [THREADS "
                        "[gpu_bfs|gpu_sssp|gpu_mis]]]\n");
        return 2;
    }
    sqlite3_auto_extension((void (*)(void))sqlite3_gpugraph_init);
    sqlite3 *db = open_file(argv[1]);
    if (!has_table(db))
        make_table(db, atoll(argv[2]) * 1000000);
    run(db, "SELECT sum(src) FROM edges"); /* into the page cache */
    sqlite3_close(db);
    for (int query = 1; query <= QUERIES; query++)
        ask(argv[1], argc > 5 ? argv[5] : "gpu_bfs", argc > 3 ? argv[3] : "cuda",
            argc > 4 ? atoi(argv[4]) : 0, query);
    return 0;
}
