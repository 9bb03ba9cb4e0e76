/* Hosts that fork, that cannot make more threads, and that have many threads. This file
** defines pthread_create. Shared libraries find it before the system's function, so it
** can also refuse threads to OpenMP. */
#define _GNU_SOURCE
#include "hosts.h"
#include "adversary.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREADS_ARE_WATCHED /* the sanitizer's pthread_create must stay in place */
#endif
#endif

static __thread int refused_from;

void refuse_threads_from(int n) {
    refused_from = n;
}

#ifndef THREADS_ARE_WATCHED
__attribute__((visibility("default"))) int
pthread_create(pthread_t *made, const pthread_attr_t *attributes, void *(*begin)(void *),
               void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (refused_from == 1)
        return EAGAIN;
    if (refused_from > 1)
        refused_from--;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return real(made, attributes, begin, argument);
}
#endif

/* ---- the large table: one thread computes the expected answers ---- */

static const char *const questions[] = {
    "SELECT count(*), sum(depth), max(edge) FROM gpu_bfs('large', 1)",
    "SELECT count(*), sum(distance), max(parent) FROM gpu_sssp('large', 1)",
    "SELECT count(*), sum(vertex) FROM gpu_mis('large')",
    "SELECT count(*), max(vertex) FROM gpu_dfs('large', 1)",
    "SELECT gpugraph_triangles('large')",
    "SELECT count(*), max(depth) FROM gpu_bfs('large', 1) WHERE direction = 'both'",
};
enum { QUESTIONS = sizeof questions / sizeof *questions };
static char *expected[QUESTIONS];

/* Free with sqlite3_free. */
static char *rows_of(sqlite3 *db, const char *sql) {
    answer a = {0};
    answer_add(&a, db, sql);
    char *text = answer_text(&a);
    answer_clear(&a);
    return text;
}

static sqlite3 *open_with_threads(int threads) {
    char sql[80];
    sqlite3 *db = world_open(w.file, true);
    sqlite3_busy_timeout(db, 10000);
    snprintf(sql, sizeof sql, "SELECT gpugraph_config('threads', %d)", threads);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
    return db;
}

/* Makes enough rows for several threads of the page reader and of a search. */
void large_make(void) {
    w.large = true;
    must(
        PLAIN,
        "CREATE TABLE large(src INTEGER, dst INTEGER, weight INTEGER); WITH RECURSIVE "
        "c(i) "
        "AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 90000) INSERT INTO large "
        "SELECT i * 48271 %% 6007 + 1, i * 7919 %% 65537 %% 6007 + 1, i %% 13 + 1 FROM "
        "c");
    sqlite3 *db = open_with_threads(1);
    for (int i = 0; i < QUESTIONS; i++) {
        expected[i] = rows_of(db, questions[i]);
        if (strstr(expected[i], "error"))
            wrong("%s: %s", questions[i], expected[i]);
    }
    sqlite3_close(db);
}

void large_free(void) {
    for (int i = 0; i < QUESTIONS; i++) {
        sqlite3_free(expected[i]);
        expected[i] = NULL;
    }
}

/* Asks questions of the large table, and reports a wrong answer. */
static void ask_large(sqlite3 *db, const char *label, uint32_t first, int count_of) {
    for (int i = 0; i < count_of; i++) {
        uint32_t at = (first + (uint32_t)i) % QUESTIONS;
        char *rows = rows_of(db, questions[at]);
        if (strcmp(rows, expected[at]) != 0)
            wrong("%s: %s\n    got    %s\n    wanted %s", label, questions[at], rows,
                  expected[at]);
        sqlite3_free(rows);
    }
}

static void ask_in_new_connection(const char *label, int threads, uint32_t first,
                                  int count_of) {
    sqlite3 *db = open_with_threads(threads);
    ask_large(db, label, first, count_of);
    sqlite3_close(db);
}

/* ---- a child ---- */

void fork_any(void) {
    enum { SECONDS = 20 };
    int status = 0;
    uint32_t first = pick(QUESTIONS);
    count_kind("fork");
    world_settle();
    ask_in_new_connection("before a fork", 4, pick(QUESTIONS), 1);
    trace("parent", "-- fork: a child asks of the table large", questions[first]);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS * (getenv("CK_TIMEOUT_MULTIPLIER")
                             ? (unsigned)atoi(getenv("CK_TIMEOUT_MULTIPLIER"))
                             : 1));
        ask_in_new_connection("in a child", 4, first, 2);
        _exit(EXIT_SUCCESS);
    }
    count(COUNT_COMPARISONS);
    if (child < 0 || waitpid(child, &status, 0) != child)
        wrong("no child");
    if (WIFSIGNALED(status))
        wrong("a child %s: %s", WTERMSIG(status) == SIGALRM ? "hangs" : "crashes",
              questions[first]);
    if (WEXITSTATUS(status) != EXIT_SUCCESS)
        _exit(WEXITSTATUS(status)); /* the child has reported the error */
    ask_in_new_connection("after a fork", 4, pick(QUESTIONS), 1);
}

/* ---- threads of the host ---- */

typedef struct host {
    int threads, refused_from;
    uint32_t first;
    pthread_barrier_t *asked, *counted;
} host;

static void *be_host(void *argument) {
    const host *h = argument;
    sqlite3 *db = open_with_threads(h->threads);
    refuse_threads_from(h->refused_from);
    ask_large(db, "a host's thread", h->first, 2);
    refuse_threads_from(0);
    if (h->asked) {
        pthread_barrier_wait(h->asked);
        pthread_barrier_wait(h->counted);
    }
    sqlite3_close(db);
    return NULL;
}

/* The system refuses all or most new threads. Searches use the threads that exist. */
void threads_any(void) {
    host h = {4 + (int)pick(8), 1 + (int)pick(4), pick(QUESTIONS), NULL, NULL};
    pthread_t thread;
    char told[100];
    count_kind("threads");
    count(COUNT_COMPARISONS);
    world_settle();
    snprintf(told, sizeof told, "-- a thread with threads = %d, of which from %d on fail",
             h.threads, h.refused_from);
    trace("threads", told, questions[h.first]);
    if (pthread_create(&thread, NULL, be_host, &h) != 0)
        wrong("no thread");
    pthread_join(thread, NULL);
    trace_outcome("answered");
}

static int threads_alive(void) {
    DIR *tasks = opendir("/proc/self/task");
    int threads = -2; /* . and .. */
    while (tasks && readdir(tasks))
        threads++;
    if (tasks)
        closedir(tasks);
    return threads;
}

/* Many threads of the host search at once, each with several threads of the library. The
** library has one pool, which is as large as the largest team so far. */
void crowd_any(void) {
    enum { HOSTS = 16, EACH = 4, POOL = 11, MOST = HOSTS + 1 + POOL };
    pthread_barrier_t asked, all_counted;
    pthread_t thread[HOSTS];
    host h[HOSTS];
    char told[40];
    count_kind("crowd");
    count(COUNT_COMPARISONS);
    world_settle();
    pthread_barrier_init(&asked, NULL, HOSTS + 1);
    pthread_barrier_init(&all_counted, NULL, HOSTS + 1);
    trace("crowd", "-- 16 threads ask with threads = 4", "");
    for (int i = 0; i < HOSTS; i++) {
        h[i] = (host){EACH, 0, pick(QUESTIONS), &asked, &all_counted};
        if (pthread_create(&thread[i], NULL, be_host, &h[i]) != 0)
            wrong("no thread");
    }
    pthread_barrier_wait(&asked);
    int alive = threads_alive();
    pthread_barrier_wait(&all_counted);
    for (int i = 0; i < HOSTS; i++)
        pthread_join(thread[i], NULL);
    if (alive > MOST)
        wrong("%d threads are alive, with %d of the host's and threads = %d", alive,
              HOSTS, EACH);
    sqlite3_snprintf(sizeof told, told, "%d threads were alive", alive);
    trace_outcome(told);
    pthread_barrier_destroy(&asked);
    pthread_barrier_destroy(&all_counted);
}
