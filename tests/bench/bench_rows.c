/* Measures the time of a row of a kept search: nanoseconds of CPU, the least of RUNS (5).
**
**     bench_rows [GRAPH [RUNS [STATEMENT]]]     GRAPH: as in bench_graphs.h, default
**                                               rmat:20:8
**
** With a statement, only this statement runs, for example under `perf record`:
**     perf record bench_rows rmat:20:8 50 "SELECT sum(depth) FROM gpu_bfs('edges', 0)"
**
**     from       gpu_bfs   rows of a search
**                bare      a virtual table that only reads the same two arrays: the least
**                          that SQLite takes for a row of any virtual table
**                table     an ordinary table with the same rows */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_graphs.h"
#include "gpugraph_extension.h"

static double cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- bare ---- */

static struct {
    int64_t count;
    int64_t *vertex, *depth;
} rows;

typedef struct bare_cursor {
    sqlite3_vtab_cursor base;
    int64_t row;
} bare_cursor;

static int bare_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **made, char **error) {
    (void)aux, (void)argc, (void)argv, (void)error;
    *made = need(calloc(1, sizeof **made));
    return sqlite3_declare_vtab(db, "CREATE TABLE x(vertex, depth INTEGER)");
}

static int bare_disconnect(sqlite3_vtab *base) {
    free(base);
    return SQLITE_OK;
}

static int bare_best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    (void)base;
    info->estimatedCost = (double)rows.count;
    return SQLITE_OK;
}

static int bare_open(sqlite3_vtab *base, sqlite3_vtab_cursor **made) {
    (void)base;
    *made = need(calloc(1, sizeof(bare_cursor)));
    return SQLITE_OK;
}

static int bare_close(sqlite3_vtab_cursor *base) {
    free(base);
    return SQLITE_OK;
}

static int bare_filter(sqlite3_vtab_cursor *base, int plan, const char *words, int argc,
                       sqlite3_value **argv) {
    (void)plan, (void)words, (void)argc, (void)argv;
    ((bare_cursor *)base)->row = 0;
    return SQLITE_OK;
}

static int bare_next(sqlite3_vtab_cursor *base) {
    ((bare_cursor *)base)->row++;
    return SQLITE_OK;
}

static int bare_eof(sqlite3_vtab_cursor *base) {
    return ((const bare_cursor *)base)->row >= rows.count;
}

static int bare_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    int64_t row = ((const bare_cursor *)base)->row;
    sqlite3_result_int64(context, column ? rows.depth[row] : rows.vertex[row]);
    return SQLITE_OK;
}

static int bare_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
    *rowid = ((const bare_cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module bare = {.xConnect = bare_connect,
                                    .xBestIndex = bare_best_index,
                                    .xDisconnect = bare_disconnect,
                                    .xDestroy = bare_disconnect,
                                    .xOpen = bare_open,
                                    .xClose = bare_close,
                                    .xFilter = bare_filter,
                                    .xNext = bare_next,
                                    .xEof = bare_eof,
                                    .xColumn = bare_column,
                                    .xRowid = bare_rowid};

/* ---- data ---- */

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *made;
    if (sqlite3_prepare_v2(db, sql, -1, &made, NULL) != SQLITE_OK)
        die(db, sql);
    return made;
}

static void insert_edges(sqlite3 *db, const char *name) {
    struct columns c = {0};
    fill(&c, name);
    run(db, "CREATE TABLE edges(src INTEGER, dst INTEGER); BEGIN");
    sqlite3_stmt *insert = prepare(db, "INSERT INTO edges VALUES(?, ?)");
    for (int64_t e = 0; e < c.count; e++) {
        sqlite3_bind_int64(insert, 1, c.source[e]);
        sqlite3_bind_int64(insert, 2, c.target[e]);
        sqlite3_step(insert);
        if (sqlite3_reset(insert) != SQLITE_OK)
            die(db, "INSERT");
    }
    sqlite3_finalize(insert);
    run(db, "COMMIT");
    free_columns(&c);
}

#define BFS "gpu_bfs('edges', 0)"

/* Copies the rows of the search for `bare` and `table`. */
static void copy_rows(sqlite3 *db) {
    run(db, "CREATE TABLE found(vertex INTEGER, depth INTEGER);"
            "INSERT INTO found SELECT vertex, depth FROM " BFS);
    sqlite3_stmt *all = prepare(db, "SELECT vertex, depth FROM found");
    sqlite3_stmt *count = prepare(db, "SELECT count(*) FROM found");
    sqlite3_step(count);
    size_t bytes = (size_t)(sqlite3_column_int64(count, 0) + 1) * sizeof *rows.vertex;
    sqlite3_finalize(count);
    rows.vertex = need(malloc(bytes));
    rows.depth = need(malloc(bytes));
    for (; sqlite3_step(all) == SQLITE_ROW; rows.count++) {
        rows.vertex[rows.count] = sqlite3_column_int64(all, 0);
        rows.depth[rows.count] = sqlite3_column_int64(all, 1);
    }
    sqlite3_finalize(all);
}

/* ---- measuring ---- */

/* Steps through the statement, and reads all columns, as a program does. */
static void measure(sqlite3 *db, const char *from, const char *sql, int runs) {
    double least = 0;
    for (int i = 0; i < runs; i++) {
        run(db, "DROP TABLE IF EXISTS copy");
        run(db,
            "SELECT count(*) FROM " BFS); /* searches again if the database has changed */
        sqlite3_stmt *query = prepare(db, sql);
        int rc, columns = sqlite3_column_count(query);
        int64_t sum = 0;
        double began = cpu_ns();
        while ((rc = sqlite3_step(query)) == SQLITE_ROW)
            for (int k = 0; k < columns; k++)
                sum += sqlite3_column_int64(query, k);
        double took = cpu_ns() - began;
        if (rc != SQLITE_DONE || sum == -1)
            die(db, sql);
        least = i == 0 || took < least ? took : least;
        sqlite3_finalize(query);
    }
    printf("ROWS,%s,%.1f,%s\n", from, least / (double)rows.count, sql);
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *graph = argc > 1 ? argv[1] : "rmat:20:8";
    int runs = argc > 2 ? atoi(argv[2]) : 5;
    static const char *const forms[] = {
        "SELECT count(*) FROM %s",
        "SELECT sum(depth) FROM %s",
        "SELECT sum(vertex), sum(depth) FROM %s",
        "SELECT vertex, depth FROM %s",
        "SELECT depth, count(*) FROM %s GROUP BY depth",
        "SELECT vertex, depth FROM %s ORDER BY depth",
        "SELECT vertex, depth FROM %s ORDER BY vertex DESC",
        "CREATE TABLE copy AS SELECT vertex, depth FROM %s",
    };
    static const char *const more[] = {
        "SELECT vertex, depth FROM " BFS " LIMIT 10",
        "SELECT vertex, depth FROM " BFS " WHERE vertex = 1",
        "SELECT vertex, depth FROM " BFS " WHERE depth <= 1",
        "SELECT sum(vertex), sum(depth), sum(parent), sum(edge) FROM " BFS,
    };
    static const struct {
        const char *name, *sql;
    } sources[] = {{"gpu_bfs", BFS}, {"bare", "bare"}, {"table", "found"}};
    sqlite3 *db;
    if (argc > 4) {
        fprintf(stderr, "usage: bench_rows [GRAPH [RUNS [STATEMENT]]]\n");
        return 2;
    }
    sqlite3_auto_extension((void (*)(void))sqlite3_gpugraph_init);
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        die(db, "open");
    if (sqlite3_create_module(db, "bare", &bare, NULL) != SQLITE_OK)
        die(db, "bare");
    insert_edges(db, graph);
    copy_rows(db);
    printf("ROWS,from,ns,statement: %s, %lld rows\n", graph, (long long)rows.count);
    if (argc > 3)
        measure(db, "STATEMENT", argv[3], runs);
    for (size_t f = 0; argc <= 3 && f < sizeof forms / sizeof *forms; f++)
        for (size_t s = 0; s < sizeof sources / sizeof *sources; s++) {
            char sql[200];
            snprintf(sql, sizeof sql, forms[f], sources[s].sql);
            measure(db, sources[s].name, sql, runs);
        }
    for (size_t f = 0; argc <= 3 && f < sizeof more / sizeof *more; f++)
        measure(db, "gpu_bfs", more[f], runs);
    sqlite3_close(db);
    free(rows.vertex);
    free(rows.depth);
    return 0;
}
