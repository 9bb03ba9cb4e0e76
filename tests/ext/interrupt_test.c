/* A statement is interrupted in each of its phases, and the next one works.
**
**     phases     read | map | csr | search | parents | order        as timings_add is
**                                                                   told
**     callbacks  . . .   .     .    . . . .     . .      .
**                                   ^ the k-th of phase j: interrupt here
**
** The extension steps a statement of its own to hear of interrupts, so the connection's
** progress handler is called wherever it listens. The handler of this test counts its
** calls in each phase, and at the chosen one hands over to another thread, which calls
** sqlite3_interrupt. No clock decides where: only the alarm of a test that hangs is one.
** The extension listens every 10 ms, so its clock (--wrap) is made to
** leap by more each time it is read: a phase that looks often enough is heard however
** fast it is. */
/* ctest: wrap=clock_gettime wrap=timings_add long */
#include "function_examples.h"
#include "sql.h"

#include "expect.h"
#include "leaping_clock.h"
#include "share.h"
#include "suite.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/connection.h"
#include "gpugraph_extension.h"

/* Threads that search: one has no races. */
#if defined(__SANITIZE_THREAD__)
enum { FEWEST = 2 };
#else
enum { FEWEST = 1 };
#endif

/* ---- where a statement is ---- */

enum { PHASES = 96 };

static int finished;            /* phases of the statement so far */
static char phase[PHASES][24];  /* their names */
static int callbacks;           /* since the last of them */
static int stop_phase, stop_at; /* interrupt there; stop_phase -1: nowhere */
static bool stopped;

void __real_timings_add(timings *t, const char *name, double ms, sqlite3_int64 items,
                        const char *detail);
void __wrap_timings_add(timings *t, const char *name, double ms, sqlite3_int64 items,
                        const char *detail);

void __wrap_timings_add(timings *t, const char *name, double ms, sqlite3_int64 items,
                        const char *detail) {
    __real_timings_add(t, name, ms, items, detail);
    if (finished < PHASES)
        sqlite3_snprintf(sizeof phase[0], phase[finished], "%s", name);
    finished++;
    callbacks = 0;
}

static bool
    leap; /* is the clock to leap while a statement runs? (Check has timers of its own) */

/* ---- two ways to interrupt ---- */

static sem_t asked, done;
static bool leave;

static void *interrupter(void *connection) {
    for (;;) {
        sem_wait(&asked);
        if (leave)
            return NULL;
        sqlite3_interrupt(connection);
        sem_post(&done);
    }
}

static bool chosen(void) {
    callbacks++;
    return !stopped && finished == stop_phase && callbacks == stop_at;
}

static int interrupt_by_thread(void *unused) {
    (void)unused;
    if (chosen()) {
        stopped = true;
        sem_post(&asked);
        sem_wait(&done);
    }
    return 0;
}

static int interrupt_by_handler(void *unused) {
    (void)unused;
    if (chosen())
        stopped = true;
    return stopped;
}

/* VDBE steps between two calls of the handler: fewer than the extension's probe takes. */
enum { STEPS = 60 };

static void handle_by(int (*handler)(void *)) {
    sqlite3_progress_handler(db, STEPS, handler, NULL);
}

/* ---- the graph ---- */

static char file[80];
static pthread_t helper;

static void make_graph(const char *name, int vertices, int edges) {
    run("CREATE TABLE %s(src, dst, weight); WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL "
        "SELECT i + 1 FROM c WHERE i < %d) INSERT INTO %s SELECT i * 48271 %% %d, i * "
        "7919 "
        "%% 65537 %% %d, i %% 13 + 1 FROM c",
        name, edges, name, vertices, vertices);
}

static void open_file(void) {
    snprintf(file, sizeof file, "/tmp/gpugraph-interrupt-test-%d.db", (int)getpid());
    unlink(file);
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    run("PRAGMA synchronous = OFF; SELECT gpugraph_config('cache_limit', 0), "
        "gpugraph_config('threads', 2)");
    sem_init(&asked, 0, 0);
    sem_init(&done, 0, 0);
    leave = false;
    pthread_create(&helper, NULL, interrupter, db);
}

static void close_file(void) {
    leave = true;
    sem_post(&asked);
    pthread_join(helper, NULL);
    sql_close();
    unlink(file);
}

static bool present(const char *backend) {
    const char *backends = getenv("GPUGRAPH_TEST_BACKENDS");
    return strstr(backends ? backends : "cpu", backend) != NULL;
}

static const char *const backends[] = {"cpu", "cuda"};

/* ---- every phase of every statement ---- */

typedef struct question {
    const char *sql;
    /* By one thread on the CPU. More threads may be too quick for the one that polls. */
    const char *heard_in;
} question;

static const question questions[] = {
    {"SELECT count(*), sum(depth), sum(parent), sum(edge) FROM gpu_bfs('g', 1)",
     "read map csr search parents"},
    {"SELECT count(*), sum(distance), sum(parent) FROM gpu_sssp('g', 1) WHERE direction "
     "= "
     "'both'",
     "read map csr search parents"},
    {"SELECT sum(vertex), max(distance) FROM gpu_path('g', 1, 77)",
     "read map csr parents"},
    {"SELECT count(*) FROM gpu_dfs('g', 1) WHERE preorder >= 0", "read map csr search"},
    {"SELECT count(*), sum(parent * postorder) FROM gpu_dfs('g') WHERE ordered = 1",
     "read map csr search"},
    {"SELECT count(*), sum(vertex) FROM gpu_mis('g')", "read map csr search"},
    {"SELECT gpugraph_triangles('g')", "read map csr search"},
    {"SELECT count(*), sum(core), sum(vertex) FROM gpu_cores('g')",
     "read map csr search"},
    /* A graph without a cycle. */
    {"SELECT count(*), sum(level), sum(vertex * position) FROM "
     "gpu_topological_order('SELECT src, dst FROM g WHERE src < dst')",
     "read map csr search"},
    {"SELECT sum(edge), sum(component) FROM gpu_spanning_forest('g')", "read map search"},
    {"SELECT count(*), sum(depth * rank) FROM (SELECT depth, row_number() OVER () rank "
     "FROM "
     "(SELECT depth FROM gpu_bfs('g', 1) ORDER BY depth))",
     "read map csr search order"},
    /* By rows, not pages; text. */
    {"SELECT count(*), sum(depth) FROM gpu_bfs('SELECT src, dst FROM g', 1)",
     "read map csr search"},
    {"SELECT count(*), sum(depth) FROM gpu_bfs('texts', 'v1')", "read map csr"},
    /* From many sources at once. */
    {"SELECT count(*), sum(depth), sum(parent), sum(edge), sum(source) FROM gpu_bfs('g') "
     "WHERE source IN (SELECT DISTINCT src FROM g LIMIT 3) AND method = 'multi-source'",
     "read map csr search parents"},
    {"SELECT sum(vertex), max(seq) FROM gpu_path('g', 1, 77) WHERE weighted = 0 AND "
     "method = 'bidirectional' AND backend = 'cpu'",
     "read map csr"},
    {"SELECT sum(vertex), max(seq) FROM gpu_path('g', 1, 77) WHERE method = "
     "'bidirectional' AND backend = 'cpu'",
     "read map csr"},
    /* Many searches, and many rows of one. */
    {"SELECT count(*), sum(b.depth) FROM (SELECT DISTINCT src FROM g LIMIT 9) a, "
     "gpu_bfs('g', "
     "a.src) b",
     "read map csr search arguments"},
};

enum { QUESTIONS = sizeof questions / sizeof *questions };

/* Asks; the rows, or NULL after an interrupt. */
static char *rows_unless_stopped(const char *sql) {
    sqlite3_stmt *statement;
    int rc;
    finished = callbacks = 0;
    stopped = false;
    ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    __atomic_store_n(&leaping, leap, __ATOMIC_RELAXED);
    char *rows = rows_of(statement, &rc);
    __atomic_store_n(&leaping, false, __ATOMIC_RELAXED);
    expect(rc == (stopped ? SQLITE_INTERRUPT : SQLITE_DONE), "%s: %d, %s", sql, rc,
           sqlite3_errmsg(db));
    sqlite3_finalize(statement);
    if (stopped) {
        sqlite3_free(rows);
        rows = NULL;
    }
    return rows;
}

static void expect_rows(const char *sql, const char *wanted) {
    stop_phase = -1;
    char *rows = rows_unless_stopped(sql);
    expect(strcmp(rows, wanted) == 0, "%s\n expected %s\n got      %s", sql, wanted,
           rows);
    sqlite3_free(rows);
}

/* Interrupts at the first, 16th, 256th ... callback of a phase, as long as it has so
** many. true: it was heard. */
static bool interrupt_phase(const char *sql, const char *wanted, int j) {
    bool heard = false;
    for (int k = 1;; k *= 16) {
        stop_phase = j;
        stop_at = k;
        char *rows = rows_unless_stopped(sql);
        if (rows) {
            expect(strcmp(rows, wanted) == 0, "%s: %s", sql, rows);
            sqlite3_free(rows);
            return heard;
        }
        heard = true;
        expect_rows(sql, wanted);
    }
}

static void interrupt_everywhere(const question *q, bool surely, int (*handler)(void *)) {
    char heard[PHASES * 24] = "", names[PHASES][24];
    stop_phase = -1;
    leap = true;
    handle_by(handler);
    char *wanted = rows_unless_stopped(q->sql);
    int phases = finished;
    expect(phases <= PHASES, "%s: %d phases", q->sql, phases);
    memcpy(names, phase, sizeof names);
    for (int j = 0; j < phases; j++) {
        if (interrupt_phase(q->sql, wanted, j)) {
            strcat(heard, names[j]);
            strcat(heard, " ");
        }
    }
    char list[80], *rest = list;
    strcpy(list, surely ? q->heard_in : "read"); /* a device may be through at once */
    for (char *name; (name = strtok_r(rest, " ", &rest));)
        expect(strstr(heard, name), "%s\nis not heard in %s; is in %s", q->sql, name,
               heard);
    if (getenv("GPUGRAPH_TEST_VERBOSE"))
        fprintf(stderr, "%s\n  heard in: %s\n", q->sql, heard);
    sqlite3_free(wanted);
}

static void all_backends(const question *q, int (*handler)(void *)) {
    make_graph("g", 30000, 80000);
    run("CREATE TABLE texts(src, dst); INSERT INTO texts SELECT 'v' || src, 'v' || dst "
        "FROM g "
        "LIMIT 30000");
    for (int b = 0; b < 2; b++) {
        if (!present(backends[b]))
            continue;
        for (int threads = FEWEST; threads <= 2; threads++) {
            run("SELECT gpugraph_config('backend', '%s'), gpugraph_config('threads', %d)",
                backends[b], threads);
            interrupt_everywhere(q, b == 0 && threads == 1, handler);
        }
    }
    handle_by(NULL);
}

START_TEST(by_another_thread) {
    if (!left_out((uint64_t)_i))
        all_backends(&questions[_i], interrupt_by_thread);
}
END_TEST

/* The example of each function. */
START_TEST(an_example) {
    char sql[EXAMPLE_BYTES];
    const question q = {example_of(_i, sql), "read"};
    if (left_out((uint64_t)_i))
        return;
    make_graph("wide", 30000, 160000);
    run("CREATE TABLE roads AS SELECT * FROM wide WHERE src < dst");
    interrupt_everywhere(&q, false, interrupt_by_thread);
    handle_by(NULL);
}
END_TEST

enum { SOME = 3 };

START_TEST(by_the_progress_handler) {
    static const int some[SOME] = {0, 7, 9};
    all_backends(&questions[some[_i]], interrupt_by_handler);
}
END_TEST

/* ---- rows under way ---- */

START_TEST(while_rows_come) {
    static const char *const streams[] = {
        "SELECT vertex, depth FROM gpu_bfs('g', 1)",
        "SELECT vertex, distance, parent FROM gpu_sssp('g', 1) ORDER BY distance",
        "SELECT vertex FROM gpu_dfs('g', 1)",
        "SELECT vertex FROM gpu_mis('g')",
    };
    make_graph("g", 4000, 9000);
    for (int i = 0; i < 4; i++) {
        char *wanted = ask("SELECT count(*) FROM (%s)", streams[i]);
        sqlite3_stmt *statement;
        int rc = SQLITE_ROW;
        ck_assert_int_eq(sqlite3_prepare_v2(db, streams[i], -1, &statement, NULL),
                         SQLITE_OK);
        for (int row = 0; row < 100; row++)
            ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
        sem_post(&asked);
        sem_wait(&done);
        rc = sqlite3_step(statement);
        ck_assert_int_eq(rc, SQLITE_INTERRUPT);
        sqlite3_finalize(statement);
        char *got = ask("SELECT count(*) FROM (%s)", streams[i]);
        ck_assert_str_eq(got, wanted);
        sqlite3_free(got);
        sqlite3_free(wanted);
    }
}
END_TEST

const struct suite suite = {
    "interrupt",
    {{"interrupt", .timeout = 250, .setup = open_file, .teardown = close_file,
      .cases =
          {
              {&by_another_thread, QUESTIONS},
              {&an_example, .count = example_count},
              {&by_the_progress_handler, SOME},
              {&while_rows_come},
          }}},
};
