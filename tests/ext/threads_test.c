/* Connections in separate threads each run every query, beside a connection that writes.
**
**     reader 1   BEGIN  version?  bfs sssp path dfs mis ...  COMMIT      answer[version]
**     reader 2   BEGIN  version?  bfs sssp path dfs mis ...  COMMIT      answer[version]
**     writer         more edges, version 1 | fewer edges, version 0 | ...
**
** One connection computes the expected answers before. The thread sanitizer runs this
** test, too: connections to one file share the packed graphs of a state that they see. */
/* ctest: long */
#include "sql.h"
#include "base/ext_limits.h"

#include "expect.h"
#include "questions.h"
#include "suite.h"
#include "share.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpugraph_extension.h"
#include "load/load.h"
#include "pages/reader.h"

enum { VERSIONS = 2, ROUNDS = SANITIZED_PART > 1 ? 1 : 3, READERS = 4 };

static char *answer[VERSIONS][MOST_QUESTIONS];

/* ---- connections ---- */

static int wait_for_the_other(void *unused, int count) {
    (void)unused, (void)count;
    usleep(500);
    return 1;
}

static sqlite3 *open_connection(const char *name) {
    sqlite3 *c;
    if (sqlite3_open(name, &c) != SQLITE_OK ||
        sqlite3_gpugraph_init(c, NULL, NULL) != SQLITE_OK)
        abort();
    sqlite3_busy_handler(c, wait_for_the_other, NULL);
    return c;
}

/* Runs statements that must work. */
static void do_in(sqlite3 *c, const char *sql) {
    char *error = NULL;
    if (sqlite3_exec(c, sql, NULL, NULL, &error) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", sql, error);
        abort();
    }
}

/* Enough edges for threads to share the work of a search, and more in version 1. */
static void make_database(sqlite3 *c, const char *journal) {
    char *sql = sqlite3_mprintf(
        "PRAGMA journal_mode = %s; PRAGMA synchronous = OFF; BEGIN;"
        "CREATE TABLE g(src, dst, weight); CREATE TABLE more(src, dst, weight);"
        "CREATE TABLE texts(src, dst); CREATE TABLE few(src, dst); CREATE TABLE "
        "state(version);"
        "CREATE VIEW roads AS SELECT src, dst, weight FROM g WHERE src < dst;"
        "INSERT INTO state VALUES (0);"
        "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < "
        "70000) "
        "INSERT INTO g SELECT i * 48271 %% 9001, i * 7919 %% 65537 %% 9001, i %% 13 + 1 "
        "FROM c;"
        "INSERT INTO more SELECT src, (src + dst * 3) %% 9100, 1 FROM g WHERE rowid %% "
        "40 = 0;"
        "INSERT INTO texts SELECT 'v' || src, 'v' || dst FROM g LIMIT 2000;"
        "INSERT INTO few SELECT src, dst FROM g WHERE rowid %% 9 = 0; COMMIT;"
        "CREATE VIRTUAL TABLE followed USING gpugraph(few(src, dst))",
        journal);
    do_in(c, sql);
    sqlite3_free(sql);
}

static const char *const change_to[VERSIONS] = {
    "BEGIN IMMEDIATE; DELETE FROM g WHERE rowid > 70000; UPDATE state SET version = 0; "
    "COMMIT",
    "BEGIN IMMEDIATE; INSERT INTO g SELECT * FROM more; UPDATE state SET version = 1; "
    "COMMIT",
};

/* The answers for both versions, by one thread on the CPU. */
static void find_answers(void) {
    sqlite3 *c = open_connection(":memory:");
    make_database(c, "MEMORY");
    do_in(c, "SELECT gpugraph_config('threads', 1), gpugraph_config('backend', 'cpu')");
    for (int version = 0; version < VERSIONS; version++) {
        do_in(c, change_to[version]);
        for (int q = 0; q < question_count; q++) {
            answer[version][q] = ask_in(c, questions[q]);
            expect(strncmp(answer[version][q], "error", 5) != 0, "%s: %s", questions[q],
                   answer[version][q]);
        }
    }
    ck_assert_str_ne(answer[0][0], answer[1][0]);
    sqlite3_close(c);
}

static void free_answers(void) {
    for (int version = 0; version < VERSIONS; version++)
        for (int q = 0; q < question_count; q++)
            sqlite3_free(answer[version][q]);
}

/* ---- threads ---- */

typedef struct reader {
    pthread_t thread;
    const char *file, *backend;
    bool own; /* the database must be made */
    char *wrong;
} reader;

static void compare(reader *r, sqlite3 *c, int version, int q) {
    char *got = ask_in(c, questions[q]);
    if (!r->wrong && strcmp(got, answer[version][q]) != 0)
        r->wrong = sqlite3_mprintf("%s, version %d\n expected %s\n got      %s",
                                   questions[q], version, answer[version][q], got);
    sqlite3_free(got);
}

static void *read_all(void *reader_pointer) {
    reader *r = reader_pointer;
    sqlite3 *c = open_connection(r->file);
    if (r->own)
        make_database(c, "MEMORY");
    char *sql = sqlite3_mprintf("SELECT gpugraph_config('backend', %Q), "
                                "gpugraph_config('threads', 2)",
                                r->backend);
    do_in(c, sql);
    sqlite3_free(sql);
    for (int round = 0; round < ROUNDS && !r->wrong; round++) {
        do_in(c, "BEGIN");
        char *version = ask_in(c, "SELECT version FROM state");
        for (int q = 0; q < question_count; q++)
            compare(r, c, atoi(version), q);
        sqlite3_free(version);
        do_in(c, "COMMIT");
    }
    sqlite3_close(c);
    return NULL;
}

static bool readers_done;

/* Changes versions until the readers are done. */
static void *write_on(void *file) {
    sqlite3 *c = open_connection(file);
    for (int version = 1; !__atomic_load_n(&readers_done, __ATOMIC_ACQUIRE);
         version = !version) {
        do_in(c, change_to[version]);
        usleep(2000);
    }
    sqlite3_close(c);
    return NULL;
}

static bool present(const char *backend) {
    const char *backends = getenv("GPUGRAPH_TEST_BACKENDS");
    return strstr(backends ? backends : "cpu", backend) != NULL;
}

/* Readers on each backend that is present, and of several also on different ones. */
static void read_in_threads(const char *file, bool own, int count) {
    static const char *const pairs[][2] = {
        {"cpu", "cpu"}, {"cuda", "cuda"}, {"cuda", "cpu"}};
    for (int p = 0; p < 3; p++) {
        reader readers[READERS];
        if (!present(pairs[p][0]) || !present(pairs[p][1]))
            continue;
        for (int i = 0; i < count; i++) {
            readers[i] = (reader){.file = file, .backend = pairs[p][i % 2], .own = own};
            ck_assert_int_eq(
                pthread_create(&readers[i].thread, NULL, read_all, &readers[i]), 0);
        }
        for (int i = 0; i < count; i++)
            pthread_join(readers[i].thread, NULL);
        for (int i = 0; i < count; i++)
            expect(!readers[i].wrong, "%s: %s", readers[i].backend, readers[i].wrong);
    }
}

START_TEST(own_databases) {
    read_in_threads(":memory:", true, 2);
}
END_TEST

static const char *const journals[] = {"DELETE", "WAL"};

START_TEST(one_file_and_a_writer) {
    char file[80], side[100];
    snprintf(file, sizeof file, "/tmp/gpugraph-threads-test-%d.db", (int)getpid());
    unlink(file);
    sqlite3 *c = open_connection(file);
    make_database(c, journals[_i]);
    sqlite3_close(c);
    pthread_t writer;
    readers_done = false;
    ext_limits.page_settled_ms = 0;
    ext_limits.graph_named_from = 0;
    ck_assert_int_eq(pthread_create(&writer, NULL, write_on, file), 0);
    read_in_threads(file, false, READERS);
    __atomic_store_n(&readers_done, true, __ATOMIC_RELEASE);
    pthread_join(writer, NULL);
    static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
    for (int i = 0; i < 4; i++) {
        snprintf(side, sizeof side, "%s%s", file, ends[i]);
        unlink(side);
    }
}
END_TEST

const struct suite suite = {
    "threads",
    {{"threads", .timeout = 250, .setup = find_answers, .teardown = free_answers,
      .cases = {{&own_databases}, {&one_file_and_a_writer, 2}}}},
};
