/* Compares whole queries, from the statement to its last row, with other solutions for
** users of SQLite.
**
**     bench_sql DATABASE-FOLDER [GRAPH.gr|R20]    all jobs, a table of ratios
**     bench_sql --job NAME DATABASE               one job in this process; prints lines
**                                                 of NAME, ms and rows
**
** Every job runs in a separate process (a first query is the first of its process), on a
** database file that the page cache holds. GRAPH.gr is a DIMACS file, also gzip'ed; by
** default a grid of the New York network's size replaces it. R20 is the R-MAT graph of
** bench_reader, for breadth-first searches from its hub. Jobs take turns, RUNS times. The
** program prints medians of the time and of the processor time of all threads, which
** depends less on other work of the machine.
**
** Peers: plain SQL, a few lines of C, and Boost if its headers exist
** (libboost-graph-dev). Other peers were measured elsewhere (docs/performance.md). */
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "peers/bfs_over_selects.h"
#include "gpugraph_extension.h"
#include "rmat.h"

#ifdef BENCH_BOOST
/* peers/boost_bfs.cpp */
sqlite3_int64 boost_bfs(sqlite3 *db);
sqlite3_int64 boost_packed_bfs(sqlite3 *db);
#endif

enum { RUNS = 5, STREAM_ROWS = 1000000 };

static double ms_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
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

/* Steps a statement to its end, and reads two columns of each row. */
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

/* A table-valued function that returns constants: the least time of any virtual table. */
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
    const char *name, *warm, *sql; /* warm: run first, not timed */
    sqlite3_int64 (*peer)(sqlite3 *db);
} job;

static const job jobs[] = {
    {"recursive-cte-reach", .sql = REACH},
    {"bfs-over-selects", .peer = bfs_over_selects},
#ifdef BENCH_BOOST
    {"boost-bfs", .peer = boost_bfs},
    {"boost-packed-bfs", .peer = boost_packed_bfs},
#endif
    {"dijkstra-over-selects", .peer = dijkstra_over_selects},
    {"step-loop-3-columns", .sql = "SELECT src, dst, weight FROM roads NOT INDEXED"},
    {"constants", .sql = "SELECT a, b FROM constants"},
    {"constants-aggregate", .sql = "SELECT sum(a), sum(b) FROM constants"},
    {"bfs-first", .sql = "SELECT vertex, depth FROM gpu_bfs('roads', 1)"},
    {"bfs-first-cpu",
     .sql = "SELECT vertex, depth FROM gpu_bfs('roads', 1) WHERE backend = 'cpu'"},
    {"bfs-later", .warm = "SELECT count(*) FROM gpu_bfs('roads', 2)",
     .sql = "SELECT vertex, depth FROM gpu_bfs('roads', 1)"},
    {"bfs-later-aggregate", .warm = "SELECT count(*) FROM gpu_bfs('roads', 2)",
     .sql = "SELECT max(vertex), max(depth) FROM gpu_bfs('roads', 1)"},
    {"sssp-first", .sql = "SELECT vertex, distance FROM gpu_sssp('roads', 1)"},
    {"sssp-later", .warm = "SELECT count(*) FROM gpu_sssp('roads', 2)",
     .sql = "SELECT vertex, distance FROM gpu_sssp('roads', 1)"},
    {"stream", .warm = "SELECT count(*) FROM gpu_bfs('line', 1)",
     .sql = "SELECT vertex, depth FROM gpu_bfs('line', 1)"},
    {"stream-aggregate", .warm = "SELECT count(*) FROM gpu_bfs('line', 1)",
     .sql = "SELECT sum(vertex), sum(depth) FROM gpu_bfs('line', 1)"},
    {"join-100000", .warm = "SELECT count(*) FROM gpu_sssp('roads', 2)",
     .sql = "SELECT count(s.distance), 0 FROM (SELECT DISTINCT src FROM roads LIMIT "
            "100000) p "
            "CROSS JOIN gpu_sssp('roads', 1, p.src) s"},
    {"within-two-10000", .warm = "SELECT count(*) FROM gpu_bfs('roads', 2)",
     .sql = "SELECT count(*), sum(b.vertex) FROM (SELECT DISTINCT src FROM roads LIMIT "
            "10000) p CROSS JOIN gpu_bfs('roads', p.src) b WHERE b.depth <= 2"},
    {"within-two-in-sql",
     .sql =
         "WITH RECURSIVE p(s) AS (SELECT DISTINCT src FROM roads LIMIT 10000), r(s, v, "
         "d) AS (SELECT s, s, 0 FROM p UNION SELECT s, dst, d + 1 FROM r JOIN roads ON "
         "src = v WHERE d < 2) SELECT count(*), sum(v) FROM (SELECT DISTINCT s, v FROM "
         "r)"},
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
        double start = ms_of(CLOCK_MONOTONIC);
        double processor = ms_of(CLOCK_PROCESS_CPUTIME_ID);
        sqlite3_int64 rows = jobs[i].peer ? jobs[i].peer(db) : step_all(db, jobs[i].sql);
        printf("%s %.3f %lld\n", name, ms_of(CLOCK_MONOTONIC) - start, rows);
        printf("processor %.3f 0\n", ms_of(CLOCK_PROCESS_CPUTIME_ID) - processor);
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

static void fill_from_rmat(sqlite3 *db) {
    sqlite3_stmt *insert;
    uint64_t state = 1;
    sqlite3_prepare_v2(db, "INSERT INTO roads VALUES(?, ?, ?)", -1, &insert, NULL);
    for (int64_t i = 0; i < (int64_t)8 << R20_SCALE; i++) {
        struct edge e = rmat_edge(R20_SCALE, &state);
        sqlite3_bind_int64(insert, 1, e.source + 1); /* the hub is 1 */
        sqlite3_bind_int64(insert, 2, e.target + 1);
        sqlite3_bind_int64(insert, 3, e.weight);
        sqlite3_step(insert);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
}

static bool is_r20(const char *graph) {
    return graph && strcmp(graph, "R20") == 0;
}

static void make_database(const char *file, const char *graph) {
    sqlite3 *db;
    unlink(file);
    if (sqlite3_open(file, &db) != SQLITE_OK)
        die(db, file);
    run(db,
        "PRAGMA journal_mode = off; BEGIN; CREATE TABLE roads(src INTEGER, dst INTEGER, "
        "weight INTEGER)");
    if (is_r20(graph))
        fill_from_rmat(db);
    else if (graph)
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

/* Touches memory and frees it before each job. The host of a virtual machine reclaims
** free memory, and the next process that touches it waits for the host, much longer than
** the kernel takes to clear it. So all jobs start with memory that the machine has. */
static void touch_memory(void) {
    const size_t bytes = (size_t)1 << 30;
    char *block =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return;
    madvise(block, bytes, MADV_HUGEPAGE);
    memset(block, 1, bytes);
    munmap(block, bytes);
}

/* Runs a job in one process of this program. *read does not change if the job does not
** print it. */
static void measure(const char *self, int job, const char *file, double *ms,
                    double *processor, double *read) {
    char command[10000], label[64];
    double value, rows;
    bool got = false;
    touch_memory();
    snprintf(command, sizeof command, "'%s' --job %s '%s'", self, jobs[job].name, file);
    FILE *in = popen(command, "r");
    while (in && fscanf(in, "%63s %lf %lf", label, &value, &rows) == 3) {
        if (strcmp(label, "processor") == 0)
            *processor = value;
        else if (strcmp(label, "read") == 0)
            *read = value;
        else
            *ms = value, got = true;
    }
    if (!in || pclose(in) != 0 || !got)
        die(NULL, jobs[job].name);
}

static double median(double *values) {
    qsort(values, RUNS, sizeof *values, ascending);
    return values[RUNS / 2];
}

typedef struct comparison {
    const char *job, *peer; /* peer NULL: peer_ms was measured elsewhere */
    double peer_ms;
    const char *peer_name;
    double at_least; /* required: the peer's time divided by the job's */
} comparison;

static const comparison comparisons[] = {
    {"bfs-first", "recursive-cte-reach", 0, "recursive CTE, reach only", 5},
    {"bfs-first", "bfs-over-selects", 0, "BFS over SELECTs", 8},
    {"bfs-first", "boost-bfs", 0, "Boost, adjacency_list", 2.3},
    {"bfs-first", "boost-packed-bfs", 0, "Boost, packed, no rows", 0},
    {"bfs-later", "bfs-over-selects", 0, "BFS over SELECTs", 12},
    {"bfs-later-aggregate", "bfs-over-selects", 0, "BFS over SELECTs", 15},
    {"sssp-first", "dijkstra-over-selects", 0, "Dijkstra over SELECTs", 8},
    {"sssp-first", NULL, 1475, "pgRouting", 14},
    {"stream", "constants", 0, "constants", 1 / 1.3},
    {"stream-aggregate", "constants-aggregate", 0, "constants, aggregate", 1 / 1.3},
    {"join-100000", "sssp-later", 0, "one gpu_sssp", 0},
    {"within-two-10000", "within-two-in-sql", 0, "recursive CTE", 4},
};

static const comparison r20_comparisons[] = {
    {"bfs-first", "bfs-over-selects", 0, "BFS over SELECTs", 14},
    {"bfs-first", "boost-bfs", 0, "Boost, adjacency_list", 6},
    {"bfs-first", "boost-packed-bfs", 0, "Boost, packed, no rows", 0},
};

/* The number of a job, or -1 if this build has no job of that name. */
static int job_of(const char *name) {
    for (int j = 0; j < JOBS; j++)
        if (strcmp(jobs[j].name, name) == 0)
            return j;
    return -1;
}

static void compare(const comparison *c, const double *ms, const double *processor) {
    int mine = job_of(c->job), theirs = c->peer ? job_of(c->peer) : -1;
    if (c->peer && theirs < 0)
        return;
    double peer = c->peer ? ms[theirs] : c->peer_ms;
    printf("%-22s %-28s %10.2f %10.2f %8.2f %8.2f", c->job, c->peer_name, ms[mine], peer,
           peer / ms[mine], c->at_least);
    if (c->peer)
        printf(" %8.2f", processor[theirs] / processor[mine]);
    printf("\n");
}

static bool asked(int job, bool r20) {
    if (!r20)
        return true;
    for (size_t i = 0; i < sizeof r20_comparisons / sizeof *r20_comparisons; i++)
        if (job == job_of(r20_comparisons[i].job) ||
            job == job_of(r20_comparisons[i].peer))
            return true;
    return false;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "--job") == 0)
        return run_job(argv[2], argv[3]);
    if (argc < 2) {
        fprintf(stderr, "usage: bench_sql DATABASE-FOLDER [GRAPH.gr|R20]\n");
        return 2;
    }
    char file[4096];
    static double ms[JOBS][RUNS], processor[JOBS][RUNS], reads[JOBS][RUNS];
    double ms_of_job[JOBS], processor_of_job[JOBS];
    const bool r20 = is_r20(argc > 2 ? argv[2] : NULL);
    snprintf(file, sizeof file, "%.4000s/bench_sql.db", argv[1]);
    make_database(file, argc > 2 ? argv[2] : NULL);
    for (int k = 0; k < RUNS; k++)
        for (int i = 0; i < JOBS; i++)
            if (asked(i, r20))
                measure(argv[0], i, file, &ms[i][k], &processor[i][k], &reads[i][k]);
    printf("%-24s %10s    %10s\n", "job", "ms", "processor");
    for (int i = 0; i < JOBS; i++) {
        ms_of_job[i] = median(ms[i]);
        processor_of_job[i] = median(processor[i]);
        if (asked(i, r20))
            printf("%-24s %10.2f ms %10.2f\n", jobs[i].name, ms_of_job[i],
                   processor_of_job[i]);
    }
    printf("\n%-22s %-28s %10s %10s %8s %8s %8s\n", "job", "peer", "ms", "peer ms",
           "ratio", "wanted", "(proc.)");
    if (r20) {
        for (size_t i = 0; i < sizeof r20_comparisons / sizeof *r20_comparisons; i++)
            compare(&r20_comparisons[i], ms_of_job, processor_of_job);
    } else {
        for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
            compare(&comparisons[i], ms_of_job, processor_of_job);
        double read = median(reads[job_of("sssp-first")]);
        double loop = ms_of_job[job_of("step-loop-3-columns")];
        printf("%-22s %-28s %10.2f %10.2f %8.2f %8.2f\n", "read (3 columns)", "step loop",
               read, loop, loop / read, 1.4);
    }
    unlink(file);
    return 0;
}
