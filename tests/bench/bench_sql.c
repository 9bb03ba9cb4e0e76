/* Whole queries against the ways SQLite users have today, statement in to last row out.
**
**     bench_sql DATABASE-FOLDER [GRAPH.gr]        all jobs, a table of ratios
**     bench_sql --job NAME DATABASE               one job in this process, prints "NAME
*ms rows"
**
** Every job runs in a process of its own (a first query is the first of its process), on
*a database
** file that the page cache holds. GRAPH.gr is a DIMACS file, gzip'ed or not; without it a
*grid of the
** New York network's size stands in. Each job runs RUNS times; the median counts.
**
** Peers: plain SQL and a few lines of C here; others were measured elsewhere, see
*docs/performance.md. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpugraph_extension.h"

enum { RUNS = 5, STREAM_ROWS = 1000000 };

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void die(sqlite3 *db, const char *what) {
    fprintf(stderr, "bench_sql: %s: %s\n", what, db ? sqlite3_errmsg(db) : "failed");
    exit(1);
}

static void run(sqlite3 *db, const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        die(db, sql);
}

/* Steps a statement to its end, touching two columns of each row. */
static sqlite3_int64 step_all(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement;
    sqlite3_int64 rows = 0, sum = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        die(db, sql);
    int columns = sqlite3_column_count(statement);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        sum += sqlite3_column_int64(statement, 0);
        if (columns > 1)
            sum += sqlite3_column_int64(statement, 1);
        rows++;
    }
    if (sqlite3_finalize(statement) != SQLITE_OK)
        die(db, sql);
    return rows + (sum == 42);
}

/* ---- the peers ---- */

/* A table-valued function that emits constants: the floor under every virtual table. */
typedef struct constant_cursor {
    sqlite3_vtab_cursor base;
    sqlite3_int64 row;
} constant_cursor;

static int constant_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                            sqlite3_vtab **table, char **error) {
    (void)aux, (void)argc, (void)argv, (void)error;
    *table = sqlite3_malloc(sizeof **table);
    memset(*table, 0, sizeof **table);
    return sqlite3_declare_vtab(db, "CREATE TABLE x(a INTEGER, b INTEGER)");
}
static int constant_disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}
static int constant_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    info->estimatedCost = STREAM_ROWS;
    return SQLITE_OK;
}
static int constant_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
    (void)table;
    *cursor = sqlite3_malloc(sizeof(constant_cursor));
    memset(*cursor, 0, sizeof(constant_cursor));
    return SQLITE_OK;
}
static int constant_close(sqlite3_vtab_cursor *cursor) {
    sqlite3_free(cursor);
    return SQLITE_OK;
}
static int constant_filter(sqlite3_vtab_cursor *cursor, int number, const char *text,
                           int argc, sqlite3_value **argv) {
    (void)number, (void)text, (void)argc, (void)argv;
    ((constant_cursor *)cursor)->row = 0;
    return SQLITE_OK;
}
static int constant_next(sqlite3_vtab_cursor *cursor) {
    ((constant_cursor *)cursor)->row++;
    return SQLITE_OK;
}
static int constant_eof(sqlite3_vtab_cursor *cursor) {
    return ((constant_cursor *)cursor)->row >= STREAM_ROWS;
}
static int constant_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context,
                           int column) {
    (void)cursor;
    sqlite3_result_int64(context, column + 7);
    return SQLITE_OK;
}
static int constant_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid) {
    *rowid = ((constant_cursor *)cursor)->row;
    return SQLITE_OK;
}
static const sqlite3_module constant_module = {
    .xConnect = constant_connect,
    .xBestIndex = constant_best_index,
    .xDisconnect = constant_disconnect,
    .xOpen = constant_open,
    .xClose = constant_close,
    .xFilter = constant_filter,
    .xNext = constant_next,
    .xEof = constant_eof,
    .xColumn = constant_column,
    .xRowid = constant_rowid,
};

/* Dijkstra with a binary heap over one prepared SELECT of the neighbours, ids dense
 * from 1. */
typedef struct heap_entry {
    sqlite3_int64 distance;
    int vertex;
} heap_entry;

static heap_entry heap_pop(heap_entry *heap, int *count) {
    heap_entry top = heap[0], last = heap[--*count];
    int hole = 0;
    for (int child = 1; child < *count; child = 2 * hole + 1) {
        if (child + 1 < *count && heap[child + 1].distance < heap[child].distance)
            child++;
        if (heap[child].distance >= last.distance)
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = last;
    return top;
}

static void heap_push(heap_entry *heap, int *count, heap_entry entry) {
    int hole = (*count)++;
    for (; hole > 0 && heap[(hole - 1) / 2].distance > entry.distance;
         hole = (hole - 1) / 2)
        heap[hole] = heap[(hole - 1) / 2];
    heap[hole] = entry;
}

static sqlite3_int64 dijkstra_over_selects(sqlite3 *db) {
    sqlite3_stmt *neighbours, *size;
    sqlite3_prepare_v2(db, "SELECT max(max(src), max(dst)), count(*) FROM roads", -1,
                       &size, NULL);
    sqlite3_step(size);
    int n = sqlite3_column_int(size, 0) + 1, m = sqlite3_column_int(size, 1);
    sqlite3_finalize(size);
    sqlite3_int64 *distance = malloc(sizeof *distance * n), rows = 0;
    heap_entry *heap = malloc(sizeof *heap * (m + 1));
    int count = 0;
    for (int v = 0; v < n; v++)
        distance[v] = INT64_MAX;
    if (sqlite3_prepare_v2(db, "SELECT dst, weight FROM roads WHERE src = ?", -1,
                           &neighbours, NULL) != SQLITE_OK)
        die(db, "prepare");
    distance[1] = 0;
    heap_push(heap, &count, (heap_entry){0, 1});
    while (count > 0) {
        heap_entry top = heap_pop(heap, &count);
        if (top.distance != distance[top.vertex])
            continue;
        rows++;
        sqlite3_bind_int(neighbours, 1, top.vertex);
        while (sqlite3_step(neighbours) == SQLITE_ROW) {
            int to = sqlite3_column_int(neighbours, 0);
            sqlite3_int64 through = top.distance + sqlite3_column_int64(neighbours, 1);
            if (through < distance[to]) {
                distance[to] = through;
                heap_push(heap, &count, (heap_entry){through, to});
            }
        }
        sqlite3_reset(neighbours);
    }
    sqlite3_finalize(neighbours);
    free(heap);
    free(distance);
    return rows;
}

/* ---- the jobs ---- */

#define REACH                                                                            \
    "WITH RECURSIVE r(v) AS (VALUES(1) UNION SELECT dst FROM r JOIN roads ON src = v) "  \
    "SELECT v FROM r"

typedef struct job {
    const char *name, *warm, *sql; /* warm: run first, not timed; sql NULL: C code */
} job;

static const job jobs[] = {
    {"recursive-cte-reach", NULL, REACH},
    {"dijkstra-over-selects", NULL, NULL},
    {"step-loop-3-columns", NULL, "SELECT src, dst, weight FROM roads NOT INDEXED"},
    {"constants", NULL, "SELECT a, b FROM constants"},
    {"constants-aggregate", NULL, "SELECT sum(a), sum(b) FROM constants"},
    {"bfs-first", NULL, "SELECT vertex, depth FROM gpu_bfs('roads', 1)"},
    {"bfs-first-cpu", NULL,
     "SELECT vertex, depth FROM gpu_bfs('roads', 1) WHERE backend = 'cpu'"},
    {"bfs-later", "SELECT count(*) FROM gpu_bfs('roads', 2)",
     "SELECT vertex, depth FROM gpu_bfs('roads', 1)"},
    {"bfs-later-aggregate", "SELECT count(*) FROM gpu_bfs('roads', 2)",
     "SELECT max(vertex), max(depth) FROM gpu_bfs('roads', 1)"},
    {"sssp-first", NULL, "SELECT vertex, distance FROM gpu_sssp('roads', 1)"},
    {"sssp-later", "SELECT count(*) FROM gpu_sssp('roads', 2)",
     "SELECT vertex, distance FROM gpu_sssp('roads', 1)"},
    {"stream", "SELECT count(*) FROM gpu_bfs('line', 1)",
     "SELECT vertex, depth FROM gpu_bfs('line', 1)"},
    {"stream-aggregate", "SELECT count(*) FROM gpu_bfs('line', 1)",
     "SELECT sum(vertex), sum(depth) FROM gpu_bfs('line', 1)"},
    {"join-100000", "SELECT count(*) FROM gpu_sssp('roads', 2)",
     "SELECT count(s.distance), 0 FROM (SELECT DISTINCT src FROM roads LIMIT 100000) p "
     "CROSS JOIN gpu_sssp('roads', 1, p.src) s"},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

static int run_job(const char *name, const char *file) {
    sqlite3 *db;
    if (sqlite3_open(file, &db) != SQLITE_OK)
        die(db, file);
    run(db, "PRAGMA cache_size = -200000; PRAGMA mmap_size = 1000000000; PRAGMA "
            "temp_store = memory");
    sqlite3_gpugraph_init(db, NULL, NULL);
    sqlite3_create_module(db, "constants", &constant_module, NULL);
    run(db, "SELECT count(*) FROM sqlite_schema");
    for (int i = 0; i < JOBS; i++) {
        if (strcmp(jobs[i].name, name) != 0)
            continue;
        if (jobs[i].warm)
            step_all(db, jobs[i].warm);
        double start = now_ms();
        sqlite3_int64 rows =
            jobs[i].sql ? step_all(db, jobs[i].sql) : dijkstra_over_selects(db);
        printf("%s %.3f %lld\n", name, now_ms() - start, rows);
        if (strcmp(name, "sssp-first") == 0) {
            sqlite3_stmt *timings;
            sqlite3_prepare_v2(db, "SELECT ms FROM gpugraph_timings WHERE phase = 'read'",
                               -1, &timings, NULL);
            if (sqlite3_step(timings) == SQLITE_ROW)
                printf("read %.3f 0\n", sqlite3_column_double(timings, 0));
            sqlite3_finalize(timings);
        }
    }
    sqlite3_close(db);
    return 0;
}

/* ---- the database ---- */

static void fill_from_dimacs(sqlite3 *db, const char *graph) {
    char command[4200];
    snprintf(command, sizeof command, "gzip -dcf '%s'", graph);
    FILE *in = popen(command, "r");
    sqlite3_stmt *insert;
    sqlite3_prepare_v2(db, "INSERT INTO roads VALUES(?, ?, ?)", -1, &insert, NULL);
    char line[256];
    long long a, b, w;
    while (in && fgets(line, sizeof line, in)) {
        if (sscanf(line, "a %lld %lld %lld", &a, &b, &w) != 3)
            continue;
        sqlite3_bind_int64(insert, 1, a);
        sqlite3_bind_int64(insert, 2, b);
        sqlite3_bind_int64(insert, 3, w);
        sqlite3_step(insert);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    if (!in || pclose(in) != 0)
        die(NULL, graph);
}

static void make_database(const char *file, const char *graph) {
    sqlite3 *db;
    unlink(file);
    if (sqlite3_open(file, &db) != SQLITE_OK)
        die(db, file);
    run(db,
        "PRAGMA journal_mode = off; BEGIN; CREATE TABLE roads(src INTEGER, dst INTEGER, "
        "weight INTEGER)");
    if (graph)
        fill_from_dimacs(db, graph);
    else
        run(db, "WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i "
                "< 262143) "
                "INSERT INTO roads SELECT i + 1, i + 2, 1 + i * 7919 % 4000 FROM c WHERE "
                "i % 512 < 511 "
                "UNION ALL SELECT i + 2, i + 1, 1 + i * 7919 % 4000 FROM c WHERE i % 512 "
                "< 511 "
                "UNION ALL SELECT i + 1, i + 513, 1 + i * 6857 % 4000 FROM c WHERE i < "
                "261632 "
                "UNION ALL SELECT i + 513, i + 1, 1 + i * 6857 % 4000 FROM c WHERE i < "
                "261632");
    run(db, "CREATE INDEX roads_covering ON roads(src, dst, weight);"
            "CREATE TABLE line(src INTEGER, dst INTEGER);"
            "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < "
            "999999) "
            "INSERT INTO line SELECT i, i + 1 FROM c; COMMIT; ANALYZE");
    sqlite3_close(db);
}

/* ---- all jobs ---- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median of RUNS processes of this program; *read gets the read phase where the job tells
 * one. */
static double measure(const char *self, const char *name, const char *file,
                      double *read) {
    double ms[RUNS], reads[RUNS];
    int got = 0;
    for (int i = 0; i < RUNS; i++) {
        char command[10000], label[64];
        double value, rows;
        snprintf(command, sizeof command, "'%s' --job %s '%s'", self, name, file);
        FILE *in = popen(command, "r");
        while (in && fscanf(in, "%63s %lf %lf", label, &value, &rows) == 3) {
            if (strcmp(label, name) == 0)
                ms[i] = value, got++;
            else
                reads[i] = value;
        }
        if (!in || pclose(in) != 0 || got != i + 1)
            die(NULL, name);
    }
    qsort(ms, RUNS, sizeof *ms, ascending);
    if (read) {
        qsort(reads, RUNS, sizeof *reads, ascending);
        *read = reads[RUNS / 2];
    }
    return ms[RUNS / 2];
}

typedef struct comparison {
    const char *job, *peer; /* peer NULL: peer_ms was measured elsewhere */
    double peer_ms;
    const char *peer_name;
    double at_least; /* how many times faster; below 1: at most that much slower */
} comparison;

static const comparison comparisons[] = {
    {"bfs-first", "recursive-cte-reach", 0, "recursive CTE, reach only", 5},
    {"bfs-first", NULL, 350, "closure.c", 4},
    {"bfs-later", NULL, 350, "closure.c", 12},
    {"bfs-later-aggregate", NULL, 350, "closure.c", 15},
    {"sssp-first", "dijkstra-over-selects", 0, "Dijkstra over SELECTs", 8},
    {"sssp-first", NULL, 1475, "pgRouting", 14},
    {"stream", "constants", 0, "constants", 1 / 1.3},
    {"stream-aggregate", "constants-aggregate", 0, "constants, aggregate", 1 / 1.3},
    {"join-100000", "sssp-later", 0, "one gpu_sssp", 0},
};

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "--job") == 0)
        return run_job(argv[2], argv[3]);
    if (argc < 2) {
        fprintf(stderr, "usage: bench_sql DATABASE-FOLDER [GRAPH.gr]\n");
        return 2;
    }
    char file[4096];
    double ms[JOBS], read = 0;
    snprintf(file, sizeof file, "%.4000s/bench_sql.db", argv[1]);
    make_database(file, argc > 2 ? argv[2] : NULL);
    for (int i = 0; i < JOBS; i++) {
        ms[i] = measure(argv[0], jobs[i].name, file,
                        strcmp(jobs[i].name, "sssp-first") == 0 ? &read : NULL);
        printf("%-24s %10.2f ms\n", jobs[i].name, ms[i]);
    }
    printf("\n%-22s %-28s %10s %10s %8s %8s\n", "job", "peer", "ms", "peer ms", "ratio",
           "wanted");
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        const comparison *c = &comparisons[i];
        double mine = 0, peer = c->peer_ms;
        for (int j = 0; j < JOBS; j++) {
            if (strcmp(jobs[j].name, c->job) == 0)
                mine = ms[j];
            if (c->peer && strcmp(jobs[j].name, c->peer) == 0)
                peer = ms[j];
        }
        printf("%-22s %-28s %10.2f %10.2f %8.2f %8.2f\n", c->job, c->peer_name, mine,
               peer, peer / mine, c->at_least);
    }
    double loop = 0;
    for (int j = 0; j < JOBS; j++)
        if (strcmp(jobs[j].name, "step-loop-3-columns") == 0)
            loop = ms[j];
    printf("%-22s %-28s %10.2f %10.2f %8.2f %8.2f\n", "read (3 columns)", "step loop",
           read, loop, loop / read, 1.4);
    unlink(file);
    return 0;
}
