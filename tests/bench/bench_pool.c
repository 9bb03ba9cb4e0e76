/* Measures a pool of connections to one file: memory, first answers, and simultaneous
** searches.
**
**     bench_pool FILE EDGES SOURCE [CONNECTIONS [ROUNDS]]
**
** EDGES: as for gpu_sssp, such as 'roads(src, dst, weight)', or a followed graph. Opens
** CONNECTIONS (8) and runs on each a breadth-first search and shortest paths from SOURCE.
** Prints the milliseconds, the process's memory, and the bytes of graphs and kept
** searches, each shared graph once. Then each connection, in a separate thread and with
** one search thread, finds shortest paths from ROUNDS (20) sources. The connections of
** the first pool take no file locks. So the states that they see have no names, and they
** share no graphs. The second pool has ordinary connections. */
#include "bench.h"
#include "gpugraph_extension.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 64 };

static const char *file, *edges, *source;
static int connections = 8, rounds = 20;
static sqlite3 *pool[MOST];

static double resident_mb(void) {
    long pages = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    if (!in || fscanf(in, "%*d %ld", &pages) != 1)
        pages = 0;
    if (in)
        fclose(in);
    return (double)(pages * sysconf(_SC_PAGESIZE)) / (1 << 20);
}

static double number(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        die(db, sql);
    double value = sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static double graph_bytes(void) {
    double bytes = 0;
    for (int i = 0; i < connections && pool[i]; i++)
        bytes += number(pool[i], "SELECT total(1.0 * host_bytes / connections) FROM "
                                 "gpugraph_graphs");
    return bytes;
}

static void ask(sqlite3 *db, const char *function, int step) {
    char *sql = sqlite3_mprintf("SELECT count(*) FROM %s(%Q, %s + %d)", function, edges,
                                source, step);
    number(db, sql);
    sqlite3_free(sql);
}

static void open_one(int i, const char *parameters) {
    char *uri = sqlite3_mprintf("file:%s%s", file, parameters);
    if (sqlite3_open_v2(uri, &pool[i], SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) !=
            SQLITE_OK ||
        sqlite3_gpugraph_init(pool[i], NULL, NULL) != SQLITE_OK)
        die(pool[i], uri);
    sqlite3_free(uri);
    double begun = now_ms();
    ask(pool[i], "gpu_bfs", 0);
    ask(pool[i], "gpu_sssp", 0);
    printf("  connection %d: %8.1f ms, %8.1f MiB resident, %8.1f MiB of graphs\n", i + 1,
           now_ms() - begun, resident_mb(), graph_bytes() / (1 << 20));
}

/* Each connection has its own sources, because connections share searches. */
static void *search_on(void *slot) {
    sqlite3 **db = slot;
    const int first = 1 + (int)(db - pool) * rounds;
    for (int i = 0; i < rounds; i++)
        ask(*db, "gpu_sssp", first + i);
    return NULL;
}

static void all_at_once(void) {
    pthread_t thread[MOST];
    for (int i = 0; i < connections; i++)
        run(pool[i], "SELECT gpugraph_config('threads', 1)");
    double begun = now_ms();
    for (int i = 0; i < connections; i++)
        if (pthread_create(&thread[i], NULL, search_on, &pool[i]) != 0)
            die(NULL, "a thread");
    for (int i = 0; i < connections; i++)
        pthread_join(thread[i], NULL);
    printf("  all at once: %.1f searches a second\n",
           connections * rounds * 1e3 / (now_ms() - begun));
}

/* Runs in a separate process, which starts without memory of an earlier pool. */
static void try_pool(const char *what, const char *parameters) {
    int status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child != 0) {
        waitpid(child, &status, 0);
        if (status != 0)
            exit(1);
        return;
    }
    printf("%s: %.1f MiB resident before\n", what, resident_mb());
    for (int i = 0; i < connections; i++)
        open_one(i, parameters);
    all_at_once();
    for (int i = 0; i < connections; i++) {
        sqlite3_close(pool[i]);
        pool[i] = NULL;
    }
    exit(0);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: bench_pool FILE EDGES SOURCE [CONNECTIONS [ROUNDS]]\n");
        return 2;
    }
    file = argv[1];
    edges = argv[2];
    source = argv[3];
    connections = argc > 4 ? atoi(argv[4]) : connections;
    rounds = argc > 5 ? atoi(argv[5]) : rounds;
    if (connections < 1 || connections > MOST)
        die(NULL, "1 to 64 connections");
    try_pool("each for itself", "?vfs=unix-none");
    try_pool("shared", "");
    return 0;
}
