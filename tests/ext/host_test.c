/* A host may do much to a process in which queries run on several threads: fork before
** and in the middle of queries, limit its threads or its address space, and query in many
** threads at once.
**
**     parent    every question with threads, the answers kept
**     child     every question with threads: the same answers
**
** A file with an edge table that takes several threads to read, and every function. */
/* ctest: cells wrap=pthread_create */
#include "sql.h"
#include "gpugraph.h"

#include "gpugraph_extension.h"
#include "in_child.h"
#include "questions.h"
#include "suite.h"
#include "unwilling_threads.h"
#include "workers.h"
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { THREADS = 4 };

static bool has_device;
static char *answer[MOST_QUESTIONS];
static char file[80];

static sqlite3 *open_file(int threads) {
    char set[80];
    sqlite3 *c;
    snprintf(set, sizeof set, "SELECT gpugraph_config('threads', %d)", threads);
    if (sqlite3_open(file, &c) != SQLITE_OK ||
        sqlite3_gpugraph_init(c, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(c, set, NULL, NULL, NULL) != SQLITE_OK)
        abort();
    return c;
}

static void make_file(void) {
    char *error = NULL;
    snprintf(file, sizeof file, "/tmp/gpugraph-host-test-%d.db", (int)getpid());
    unlink(file);
    sqlite3 *c = open_file(THREADS);
    sqlite3_exec(
        c,
        "PRAGMA synchronous = OFF; BEGIN; CREATE TABLE g(src, dst, weight);"
        "CREATE TABLE texts(src, dst); CREATE TABLE few(src, dst);"
        "CREATE VIEW roads AS SELECT src, dst, weight FROM g WHERE src < dst;"
        "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i "
        "< 50000) INSERT INTO g SELECT i * 48271 % 20011, "
        "i * 7919 % 65537 % 20011, i % 13 + 1 FROM c;"
        "INSERT INTO texts SELECT 'v' || src, 'v' || dst FROM g;"
        "INSERT INTO few SELECT src, dst FROM g WHERE rowid % 9 = 0; COMMIT;"
        "CREATE VIRTUAL TABLE followed USING gpugraph(few(src, dst))",
        NULL, NULL, &error);
    expect(!error, "%s", error);
    for (int q = 0; q < question_count; q++) {
        answer[q] = ask_in(c, questions[q]);
        expect(strncmp(answer[q], "error", 5) != 0, "%s: %s", questions[q], answer[q]);
    }
    sqlite3_close(c);
}

static void remove_file(void) {
    for (int q = 0; q < question_count; q++)
        sqlite3_free(answer[q]);
    unlink(file);
}

/* Runs in a separate connection; may_lack: an answer may be that there is no memory. */
static void ask_all(int threads, bool may_lack) {
    sqlite3 *c = open_file(threads);
    for (int q = 0; q < question_count; q++) {
        char *got = ask_in(c, questions[q]);
        bool lacks = may_lack && strstr(got, "memory");
        expect(lacks || strcmp(got, answer[q]) == 0, "%s\n expected %s\n got      %s",
               questions[q], answer[q], got);
        sqlite3_free(got);
    }
    sqlite3_close(c);
}

/* ---- the queries ---- */

/* The list above has every function that searches. */
START_TEST(all_functions_are_asked) {
    sqlite3 *c = open_file(THREADS);
    sqlite3_stmt *names;
    sqlite3_prepare_v2(c,
                       "SELECT name FROM pragma_module_list WHERE name LIKE 'gpu\\_%' "
                       "ESCAPE '\\' OR name LIKE 'gpugraph\\_%' ESCAPE '\\'",
                       -1, &names, NULL);
    int count = 0;
    for (; sqlite3_step(names) == SQLITE_ROW; count++) {
        const char *name = (const char *)sqlite3_column_text(names, 0);
        bool asked = false;
        for (int q = 0; q < question_count; q++)
            asked |= strstr(questions[q], name) != NULL;
        expect(asked, "nothing is asked of %s", name);
    }
    ck_assert_int_ge(count, 8);
    sqlite3_finalize(names);
    sqlite3_close(c);
}
END_TEST

/* ---- fork ---- */

static void ask_in_generations(int left) {
    ask_all(THREADS, false);
    if (left > 0)
        in_child(ask_in_generations, left - 1);
}

START_TEST(fork_after_use) {
    ask_in_generations(3);
}
END_TEST

/* A device does not survive fork(): 'cuda' reports it, 'auto' takes the CPU and gives the
** reason. */
static void ask_for_the_device(int unused) {
    (void)unused;
    sqlite3 *c = open_file(THREADS);
    const char *const refused[] = {
        "SELECT gpugraph_config('backend', 'cuda')",
        "SELECT count(*) FROM gpu_bfs('g', 1) WHERE backend = 'cuda'",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *error = ask_in(c, refused[i]);
        expect(strstr(error, "this process is a fork of one that had used CUDA"),
               "%s: %s", refused[i], error);
        sqlite3_free(error);
    }
    sqlite3_close(c);
    ask_all(THREADS, false);
}

START_TEST(fork_after_use_of_a_device) {
    if (!has_device)
        return;
    sqlite3 *c = open_file(THREADS);
    sqlite3_free(ask_in(c, "SELECT gpugraph_config('backend', 'cuda')"));
    char *got = ask_in(c, questions[0]);
    ck_assert_str_eq(got, answer[0]);
    sqlite3_free(got);
    in_child(ask_for_the_device, 0);
    sqlite3_close(c);
}
END_TEST

static sqlite3 *inherited;

static void ask_inherited(int unused) {
    (void)unused;
    char *got = ask_in(inherited, "SELECT count(*), sum(depth) FROM gpu_bfs('t', 1)");
    ck_assert_str_eq(got, "70000|2449965000");
    sqlite3_free(got);
}

/* A database in memory, and its kept graph. */
START_TEST(fork_with_a_connection) {
    ck_assert_int_eq(sqlite3_open(":memory:", &inherited), SQLITE_OK);
    sqlite3_gpugraph_init(inherited, NULL, NULL);
    sqlite3_free(ask_in(inherited, "SELECT gpugraph_config('threads', 4)"));
    sqlite3_free(ask_in(inherited, "CREATE TABLE t AS WITH RECURSIVE c(i) AS (VALUES(1) "
                                   "UNION ALL SELECT i + 1 FROM c WHERE i < 69999) "
                                   "SELECT i AS src, i + 1 AS dst FROM c"));
    ask_inherited(0);
    in_child(ask_inherited, 0);
    in_child(ask_inherited, 0);
    ask_inherited(0);
    sqlite3_close(inherited);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* at a fork its allocator may be locked */
/* A thread that makes a graph and stops inside the call, from the n-th query of the
** library to its host on. */
struct stayer {
    int until, asked;
    sem_t there, go_on;
};

static int stay(void *listener) {
    struct stayer *s = listener;
    if (++s->asked == s->until) {
        sem_post(&s->there);
        sem_wait(&s->go_on);
    }
    return 0;
}

static void *make_graph(void *stayer) {
    enum { EDGES = 400000 };
    struct stayer *s = stayer;
    int64_t *end = malloc(EDGES * sizeof *end);
    gpugraph_run run = {.threads = THREADS, .interrupted = stay, .listener = s};
    gpugraph_edges edges = {.count = EDGES, .source = {end, NULL}, .target = {end, NULL}};
    gpugraph_graph *graph = NULL;
    for (int64_t i = 0; i < EDGES; i++)
        end[i] = i * 7919 % 1000003 * 1000003;
    while (s->asked < s->until) {
        gpugraph_free(graph);
        gpugraph_create(&edges, &run, &graph);
        expect(graph != NULL, "%s", run.message);
    }
    expect_equal(gpugraph_edge_count(graph), EDGES);
    gpugraph_free(graph);
    free(end);
    return NULL;
}

static void ask_with_threads(int threads) {
    ask_all(threads, false);
}

START_TEST(fork_in_the_middle) {
    struct stayer s = {.until = 1 + _i};
    pthread_t thread;
    sem_init(&s.there, 0, 0);
    sem_init(&s.go_on, 0, 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, make_graph, &s), 0);
    sem_wait(&s.there);
    in_child(ask_with_threads, THREADS);
    sem_post(&s.go_on);
    pthread_join(thread, NULL);
}
END_TEST
#endif

/* ---- missing threads and missing memory ---- */

static void ask_with_few_threads(int given) {
    threads_asked_for = 0;
    threads_given = given;
    ask_all(16, false);
    ck_assert_int_le(threads_alive(), 1 + given);
}

START_TEST(few_threads) {
    in_child(ask_with_few_threads, _i);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Limits the address space to its present size and more_kib KiB. */
static void ask_in_little_space(int more_kib) {
    long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    ck_assert_int_eq(fscanf(sizes, "%ld", &pages), 1);
    fclose(sizes);
    rlim_t bytes =
        (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)more_kib * 1024;
    struct rlimit limit = {bytes, bytes};
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    ask_all(16, true);
}

START_TEST(little_address_space) {
    for (int more_kib = 2048; more_kib < 1 << 18; more_kib += more_kib / 2)
        in_child(ask_in_little_space, more_kib);
}
END_TEST
#endif

/* ---- many callers ---- */

/* The first caller counts threads after all have queried, while all exist. */
struct callers {
    pthread_barrier_t asked, counted;
    int threads;
};

static void ask_as_one_of_many(void *callers, uint32_t number) {
    struct callers *c = callers;
    ask_all(16, false);
    pthread_barrier_wait(&c->asked);
    if (number == 0)
        c->threads = threads_alive();
    pthread_barrier_wait(&c->counted);
}

START_TEST(many_callers) {
#ifdef __SANITIZE_THREAD__ /* this caller has a thread of its own */
    enum { CALLERS = 3, MOST = 17 };
#else
    enum { CALLERS = 30, MOST = 16 };
#endif
    struct callers callers;
    pthread_barrier_init(&callers.asked, NULL, CALLERS);
    pthread_barrier_init(&callers.counted, NULL, CALLERS);
    run_workers(CALLERS, ask_as_one_of_many, &callers, NULL, 0);
    ck_assert_int_le(callers.threads, 1 + CALLERS + MOST - 1);
    pthread_barrier_destroy(&callers.asked);
    pthread_barrier_destroy(&callers.counted);
}
END_TEST

/* Runs before the first query. */
static void look_for_a_device(void) {
    has_device = suite_has_device();
}

const struct suite suite = {
    "host",
    {{"threads", .timeout = 250, .setup = make_file, .teardown = remove_file,
      .cases = {{&all_functions_are_asked}, {&many_callers}}},
     /* The thread sanitizer does not follow a fork of a process with threads. */
     {"forks", "serial forks", 250, make_file, remove_file,
      .cases = {{&fork_after_use},
                {&fork_after_use_of_a_device},
                {&fork_with_a_connection},
#ifndef __SANITIZE_ADDRESS__
                {&fork_in_the_middle, 5},
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
                {&little_address_space},
#endif
                {&few_threads, 4}}}},
    .begin = look_for_a_device,
};
