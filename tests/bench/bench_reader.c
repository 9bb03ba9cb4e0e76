/* Times the steps from an edge table to a graph: rows per second of the three ways to
** read it, and milliseconds from arrays to vertex numbers and to CSR, with one and two
** threads.
**
**     bench_reader FOLDER [NAME ...]           the tables below, or those named
**     bench_reader make FILE MILLION-ROWS [sparse|text]
**                                              makes an R-MAT table `edges` and keeps it
**     bench_reader read FILE THREADS ...       reads `edges` of FILE by pages, with each
**                                              number of threads, from the page cache and
**                                              from the disk
**     bench_reader warm FILE THREADS ...       reads only from the page cache
**     bench_reader floor FILE THREADS ...      the limits of such a reader: copies the
**                                              file from the page cache by batches,
**                                              touches as many bytes of new huge pages,
**                                              and computes in registers
**     bench_reader beside FILE COUNT ...       compares one thread with COUNT threads of
**                                              a process, and with COUNT processes of one
**                                              thread; each reads for some seconds
**
** Tables have three integer columns, in files that the page cache holds: grids (like a
** road network: sources ascending, neighbours near, weights to 10000) and R-MAT graphs
** (like a social network: both ends scattered, a few ids far more frequent). "sparse" has
** 64-bit numbers instead of the ids of R20, "text" has texts. Prints the best of RUNS, of
** two readings from the disk, and for `beside` the mean. All ways must read equally many
** rows, and pages must give the sums of steps. The program deletes the files that it
** makes in FOLDER. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpugraph.h"
#include "gpugraph_extension.h"
#include "pages/reader.h"
#include "rmat.h"
#include "team.h"

enum { RUNS = 5, WIDTH = 2048 };

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

/* ---- the tables ---- */

enum ids { PLAIN, SPARSE, TEXT };

struct table {
    const char *name;
    int scale; /* R-MAT; 0: a grid */
    int64_t rows;
    enum ids ids;
};

static const struct table tables[] = {
    {"G1", 0, 730000, PLAIN},           {"G2", 0, 2700000, PLAIN},
    {"R20", R20_SCALE, 8388608, PLAIN}, {"R22", 22, 33554432, PLAIN},
    {"sparse", 20, 8388608, SPARSE},    {"text", 20, 8388608, TEXT}};

static struct edge grid_edge(int64_t i, uint64_t *state) {
    static const int64_t step[4] = {1, -1, WIDTH, -WIDTH};
    int64_t from = i / 3 + WIDTH + 1;
    uint64_t r = next_random(state);
    return (struct edge){from, from + step[r & 3], (int64_t)(r >> 8) % 10000 + 1};
}

static void bind_id(sqlite3_stmt *insert, int parameter, enum ids ids, int64_t id) {
    uint64_t state = (uint64_t)id;
    char text[32];
    if (ids == PLAIN) {
        sqlite3_bind_int64(insert, parameter, id);
    } else if (ids == SPARSE) {
        sqlite3_bind_int64(insert, parameter, (int64_t)next_random(&state));
    } else {
        snprintf(text, sizeof text, "v%lld", (long long)id);
        sqlite3_bind_text(insert, parameter, text, -1, SQLITE_TRANSIENT);
    }
}

static sqlite3 *make_table(const char *path, const struct table *table) {
    sqlite3 *db;
    sqlite3_stmt *insert;
    uint64_t state = 1;

    remove(path);
    if (sqlite3_open(path, &db) != SQLITE_OK)
        die(db, path);
    run(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
            "CREATE TABLE edges(src, dst, weight INTEGER); BEGIN");
    if (sqlite3_prepare_v2(db, "INSERT INTO edges VALUES(?, ?, ?)", -1, &insert, NULL))
        die(db, "INSERT");
    for (int64_t i = 0; i < table->rows; i++) {
        struct edge e =
            table->scale ? rmat_edge(table->scale, &state) : grid_edge(i, &state);
        bind_id(insert, 1, table->ids, e.source);
        bind_id(insert, 2, table->ids, e.target);
        sqlite3_bind_int64(insert, 3, e.weight);
        sqlite3_step(insert);
        if (sqlite3_reset(insert) != SQLITE_OK)
            die(db, "INSERT");
    }
    sqlite3_finalize(insert);
    run(db, "COMMIT");
    return db;
}

/* ---- ways to read ---- */

struct reading {
    int64_t rows;
    uint64_t sum; /* of INTEGER ids, rowids and weights */
    double seconds, map_ms, csr_ms;
};

static void keep_best(struct reading *best, const struct reading *r) {
    best->rows = r->rows;
    best->sum = r->sum;
    best->seconds = r->seconds < best->seconds ? r->seconds : best->seconds;
    best->map_ms = r->map_ms < best->map_ms ? r->map_ms : best->map_ms;
    best->csr_ms = r->csr_ms < best->csr_ms ? r->csr_ms : best->csr_ms;
}

/* The sum counts a text as its length. */
static struct reading by_steps(sqlite3 *db, bool texts) {
    struct reading r = {.seconds = now()};
    sqlite3_stmt *scan;
    if (sqlite3_prepare_v2(db, "SELECT rowid, src, dst, weight FROM edges NOT INDEXED",
                           -1, &scan, NULL))
        die(db, "SELECT");
    for (; sqlite3_step(scan) == SQLITE_ROW; r.rows++)
        for (int k = 0; k < 4; k++) {
            bool text = texts && sqlite3_column_type(scan, k) == SQLITE_TEXT &&
                        sqlite3_column_text(scan, k);
            r.sum += (uint64_t)(k + 1) * (text ? (uint64_t)sqlite3_column_bytes(scan, k)
                                               : (uint64_t)sqlite3_column_int64(scan, k));
        }
    sqlite3_finalize(scan);
    r.seconds = now() - r.seconds;
    return r;
}

static uint64_t value_of(const page_columns *c, const intern *texts, int k, int64_t i) {
    int64_t value = page_id_at(c, k, i);
    if (!c->text[k] || !(c->text[k][i / 8] >> i % 8 & 1))
        return (uint64_t)value;
    return texts->offset[value + 1] - texts->offset[value];
}

static void keep_phase(void *reading, const char *phase, double ms, int64_t items,
                       const char *detail) {
    struct reading *r = reading;
    (void)items, (void)detail;
    if (strcmp(phase, "map") == 0)
        r->map_ms = ms;
    else if (strcmp(phase, "csr") == 0)
        r->csr_ms = ms;
}

/* Makes a graph of the columns, and its CSR. */
static void build(struct reading *r, page_columns *c, const intern *texts, int threads) {
    gpugraph_edges edges = {
        .count = c->count,
        .source = {c->id[0], c->text[0], c->id32[0]},
        .target = {c->id[1], c->text[1], c->id32[1]},
        .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
        .weight = c->weight,
        .weight32 = c->weight32,
        .edge_id = c->rowid,
        .texts = {.count = texts->count, .offset = texts->offset, .bytes = texts->bytes},
        .take_over = true};
    gpugraph_run run = {
        .backend = GPUGRAPH_CPU, .threads = threads, .phase = keep_phase, .listener = r};
    gpugraph_graph *graph;
    *c = (page_columns){0};
    if (gpugraph_create(&edges, &run, &graph))
        die(NULL, run.message);
    uint32_t source = 0, *depth = malloc(sizeof *depth * gpugraph_vertex_count(graph));
    gpugraph_search search = {
        .source = &source, .source_count = 1, .max_depth = 0, .limit = 1};
    if (!depth || gpugraph_bfs(graph, &search, &run, depth, NULL))
        die(NULL, run.message);
    free(depth);
    gpugraph_free(graph);
}

/* Returns the seconds. */
static double read_pages(sqlite3 *db, int threads, intern *texts, page_columns *c) {
    const page_table table = {.db = db,
                              .schema = "main",
                              .table = "edges",
                              .rowid = "rowid",
                              .column = {"src", "dst", "weight"},
                              .texts = texts};
    const double began = now();
    const char *why;
    if (page_read(&table, threads, NULL, NULL, c, &why) != PAGE_READ)
        die(NULL, why ? why : "interrupted");
    return now() - began;
}

static struct reading by_pages(sqlite3 *db, int threads) {
    intern texts = {0};
    page_columns c;
    struct reading r = {.seconds = read_pages(db, threads, &texts, &c)};
    r.rows = c.count;
    for (int64_t i = 0; i < c.count; i++)
        r.sum += (uint64_t)(c.rowid ? c.rowid[i] : i + 1) +
                 value_of(&c, &texts, 0, i) * 2 + value_of(&c, &texts, 1, i) * 3 +
                 (uint64_t)page_weight_at(&c, i) * 4;
    build(&r, &c, &texts, threads);
    page_columns_clear(&c);
    intern_clear(&texts);
    return r;
}

/* Reads by gpugraph_collect, as in an open write transaction. The time is the phase
** "read" of a search without rows. */
static struct reading by_collect(sqlite3 *db) {
    struct reading r = {0};
    sqlite3_stmt *timing;
    run(db, "BEGIN IMMEDIATE; SELECT * FROM gpu_bfs('edges(src, dst, weight)', -1)");
    if (sqlite3_prepare_v2(db,
                           "SELECT items, ms FROM gpugraph_timings "
                           "WHERE phase = 'read' AND detail LIKE 'rows%'",
                           -1, &timing, NULL) ||
        sqlite3_step(timing) != SQLITE_ROW)
        die(db, "gpugraph_timings");
    r.rows = sqlite3_column_int64(timing, 0);
    r.seconds = sqlite3_column_double(timing, 1) * 1e-3;
    sqlite3_finalize(timing);
    run(db, "COMMIT");
    return r;
}

enum way { STEPS, COLLECT, PAGES };

static struct reading best_of(sqlite3 *db, enum way way, int threads, bool texts) {
    struct reading best = {.seconds = 1e9, .map_ms = 1e9, .csr_ms = 1e9};
    for (int i = 0; i < RUNS; i++) {
        struct reading r = way == STEPS     ? by_steps(db, texts)
                           : way == COLLECT ? by_collect(db)
                                            : by_pages(db, threads);
        keep_best(&best, &r);
    }
    return best;
}

static void measure(const struct table *table, sqlite3 *db) {
    const bool texts = table->ids == TEXT;
    struct reading step = best_of(db, STEPS, 0, texts),
                   collect = best_of(db, COLLECT, 0, texts),
                   one = best_of(db, PAGES, 1, texts), two = best_of(db, PAGES, 2, texts);
    if (one.sum != step.sum || two.sum != step.sum || one.rows != step.rows ||
        collect.rows != step.rows)
        die(NULL, "the ways disagree");
    double m = 1e-6 * (double)step.rows, s = step.seconds;
    printf("%-6s %6.2f | %6.1f %7.1f %4.2fx %7.1f %5.2fx %7.1f %5.2fx |"
           " %7.1f %7.1f | %7.1f %7.1f\n",
           table->name, m, m / s, m / collect.seconds, s / collect.seconds,
           m / one.seconds, s / one.seconds, m / two.seconds, s / two.seconds, one.map_ms,
           two.map_ms, one.csr_ms, two.csr_ms);
    fflush(stdout);
}

/* ---- pages alone ---- */

/* Drops the file from the page cache. */
static void forget_file(const char *path) {
    int file = open(path, O_RDONLY);
    if (file < 0 || fdatasync(file) || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED))
        die(NULL, path);
    close(file);
}

/* Reads the file once. Returns the seconds, and adds the number of rows to *rows. */
static double read_once(const char *path, int threads, int64_t *rows) {
    intern texts = {0};
    page_columns c;
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL))
        die(db, path);
    const double seconds = read_pages(db, threads, &texts, &c);
    *rows += c.count;
    page_columns_clear(&c);
    intern_clear(&texts);
    sqlite3_close(db);
    return seconds;
}

static void read_file(const char *path, int threads, bool cold) {
    double best = 1e9;
    int64_t rows = 0;
    for (int i = 0; i < (cold ? 2 : RUNS); i++) {
        if (cold)
            forget_file(path);
        rows = 0;
        const double seconds = read_once(path, threads, &rows);
        best = seconds < best ? seconds : best;
    }
    printf("%-5s %2d threads %8.1f ms %8.1f M rows/s\n", cold ? "disk" : "cache", threads,
           best * 1e3, (double)rows * 1e-6 / best);
    fflush(stdout);
}

static int read_alone(int argc, char **argv) {
    const int ways = strcmp(argv[1], "warm") == 0 ? 1 : 2;
    for (int cold = 0; cold < ways; cold++)
        for (int i = 3; i < argc; i++)
            read_file(argv[2], atoi(argv[i]), cold);
    return 0;
}

/* ---- threads compared with processes ---- */

enum { SECONDS = 5 };

/* Rows per second of the readings that end before the deadline. Reading continues after
** the deadline, so that other processes do not run alone. */
static double read_until(const char *path, int threads, double deadline) {
    double seconds = 0;
    int64_t rows = 0;
    while (now() < deadline) {
        int64_t here = 0;
        const double took = read_once(path, threads, &here);
        if (now() > deadline && rows > 0)
            break;
        seconds += took;
        rows += here;
    }
    return (double)rows / seconds;
}

/* Rows per second of all processes, which have one thread each and start together. */
static double read_by_processes(const char *path, int count) {
    int result[2];
    double sum = 0;
    const double deadline = now() + SECONDS;
    if (pipe(result))
        die(NULL, "pipe");
    fflush(stdout); /* otherwise each process would write the buffer */
    for (int i = 0; i < count; i++) {
        const pid_t child = fork();
        if (child < 0)
            die(NULL, "fork");
        if (child > 0)
            continue;
        const double rate = read_until(path, 1, deadline);
        _exit(write(result[1], &rate, sizeof rate) != sizeof rate);
    }
    close(result[1]); /* so that reading ends when all processes have ended */
    for (int i = 0; i < count; i++) {
        double rate;
        if (read(result[0], &rate, sizeof rate) != sizeof rate)
            die(NULL, "a process");
        sum += rate;
    }
    while (wait(NULL) > 0)
        ;
    close(result[0]);
    return sum;
}

static int read_beside(int argc, char **argv) {
    const double alone = read_until(argv[2], 1, now() + SECONDS);
    printf(" 1 thread     %8.1f M rows/s\n", alone * 1e-6);
    for (int i = 3; i < argc; i++) {
        const int count = atoi(argv[i]);
        const double processes = read_by_processes(argv[2], count),
                     threads = read_until(argv[2], count, now() + SECONDS);
        printf("%2d processes %8.1f M rows/s, %4.1f times\n", count, processes * 1e-6,
               processes / alone);
        printf("%2d threads   %8.1f M rows/s, %4.1f times\n", count, threads * 1e-6,
               threads / alone);
        fflush(stdout);
    }
    return 0;
}

/* ---- limits of a reader ---- */

enum { BATCH = 512 << 10, HUGE = 2 << 20 };

struct floor {
    int file;
    char *fresh;
    atomic_llong copied;
    atomic_ullong sum;
};

static void copy_piece(void *of, uint64_t i) {
    struct floor *f = of;
    static _Thread_local char to[BATCH];
    const ssize_t got = pread(f->file, to, BATCH, (off_t)i * BATCH);
    atomic_fetch_add(&f->copied, got);
}

static void touch_piece(void *of, uint64_t i) {
    ((volatile char *)((struct floor *)of)->fresh)[i * HUGE] = 1;
}

static double copy_all(struct floor *f, int threads, size_t bytes) {
    atomic_store(&f->copied, 0);
    const double began = now();
    gg_parts(threads, (bytes + BATCH - 1) / BATCH, copy_piece, f);
    if (atomic_load(&f->copied) != (long long)bytes)
        die(NULL, "pread");
    return now() - began;
}

static double touch_all(struct floor *f, int threads, size_t bytes) {
    const size_t room = bytes / HUGE * HUGE + 2 * (size_t)HUGE;
    char *block =
        mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        die(NULL, "mmap");
    f->fresh = (char *)(((uintptr_t)block + HUGE - 1) / HUGE * HUGE);
    madvise(f->fresh, room - HUGE, MADV_HUGEPAGE);
    const double began = now();
    gg_parts(threads, bytes / HUGE, touch_piece, f);
    const double seconds = now() - began;
    munmap(block, room);
    return seconds;
}

enum { PIECES = 256, ROUNDS = 1 << 20 };

static void reckon_piece(void *of, uint64_t i) {
    uint64_t a = i, b = 3, c = 5;
    for (uint64_t k = 0; k < ROUNDS; k++) {
        a = a * 3 + b;
        b ^= c + k;
        c = c * 5 + (a >> 3);
    }
    atomic_fetch_add(&((struct floor *)of)->sum, a + b + c);
}

static double reckon_all(struct floor *f, int threads) {
    const double began = now();
    gg_parts(threads, PIECES, reckon_piece, f);
    return now() - began;
}

static int measure_floor(int argc, char **argv) {
    struct floor f = {.file = open(argv[2], O_RDONLY)};
    struct stat status;
    if (f.file < 0 || fstat(f.file, &status))
        die(NULL, argv[2]);
    const size_t bytes = (size_t)status.st_size;
    for (int i = 3; i < argc; i++) {
        double copied = 1e9, touched = 1e9, reckoned = 1e9;
        for (int k = 0; k < RUNS; k++) {
            const double copy = copy_all(&f, atoi(argv[i]), bytes);
            const double touch = touch_all(&f, atoi(argv[i]), bytes);
            copied = copy < copied ? copy : copied;
            touched = touch < touched ? touch : touched;
            const double reckon = reckon_all(&f, atoi(argv[i]));
            reckoned = reckon < reckoned ? reckon : reckoned;
        }
        printf("%2d threads: copies %6.1f GB/s, fresh pages %6.1f GB/s, arithmetic %6.2f "
               "G rounds/s\n",
               atoi(argv[i]), (double)bytes * 1e-9 / copied,
               (double)bytes * 1e-9 / touched, (double)PIECES * ROUNDS * 1e-9 / reckoned);
        fflush(stdout);
    }
    close(f.file);
    return 0;
}

static bool wanted(const char *name, char **names, int count) {
    bool found = count == 0;
    for (int i = 0; i < count; i++)
        found |= strcmp(name, names[i]) == 0;
    return found;
}

int main(int argc, char **argv) {
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "make") == 0) {
        const enum ids ids = argc == 4                        ? PLAIN
                             : strcmp(argv[4], "sparse") == 0 ? SPARSE
                                                              : TEXT;
        struct table table = {"", 22, atoll(argv[3]) * 1000000, ids};
        return sqlite3_close(make_table(argv[2], &table));
    }
    if (argc > 3 && (strcmp(argv[1], "read") == 0 || strcmp(argv[1], "warm") == 0))
        return read_alone(argc, argv);
    if (argc > 3 && strcmp(argv[1], "beside") == 0)
        return read_beside(argc, argv);
    if (argc > 3 && strcmp(argv[1], "floor") == 0)
        return measure_floor(argc, argv);
    if (argc < 2) {
        fprintf(stderr, "usage: bench_reader FOLDER [NAME ...]\n"
                        "       bench_reader make FILE MILLION-ROWS [sparse|text]\n"
                        "       bench_reader read FILE THREADS ...\n"
                        "       bench_reader warm FILE THREADS ...\n"
                        "       bench_reader floor FILE THREADS ...\n"
                        "       bench_reader beside FILE COUNT ...\n");
        return 2;
    }
    sqlite3_auto_extension((void (*)(void))sqlite3_gpugraph_init);
    printf("       rows   | M rows/s, and times the step loop                   |"
           " to numbers, ms  | to CSR, ms\n"
           "table  M      |  steps collect      1 thread       2 threads      |"
           "  1 thr    2 thr  |  1 thr    2 thr\n");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char path[4096];
        if (!wanted(tables[i].name, argv + 2, argc - 2))
            continue;
        snprintf(path, sizeof path, "%s/bench_reader_%s.db", argv[1], tables[i].name);
        sqlite3 *db = make_table(path, &tables[i]);
        measure(&tables[i], db);
        sqlite3_close(db);
        remove(path);
    }
    return 0;
}
