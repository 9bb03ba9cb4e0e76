/* Connections in threads, each with its own mirror or a shared one. Readers compare graph
** and table in one statement, while writers change the table, compare, and commit or roll
** back. The thread sanitizer runs this test, too. */
/* ctest: gaps-threads */
#include "expect.h"
#include "base/ext_limits.h"
#include "suite.h"
#include "follow/mirror.h"
#include "gpugraph_extension.h"
#include "pages/reader.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READERS = 3, ROUNDS = 60 };

static char file[64];
static int writing = 1; /* __atomic */

static sqlite3 *open_connection(void) {
    sqlite3 *db;
    if (sqlite3_open(file, &db) != SQLITE_OK ||
        sqlite3_gpugraph_init(db, NULL, NULL) != SQLITE_OK)
        abort();
    sqlite3_busy_timeout(db, 20000);
    return db;
}

/* Returns NULL, or a message about a difference. */
static const char *look(sqlite3 *db) {
    sqlite3_stmt *s = NULL;
    const char *problem = NULL;
    const char sql[] =
        "SELECT (SELECT count(*) FROM (SELECT src, dst, weight, edge FROM g EXCEPT "
        "SELECT a, "
        "b, metres, rowid FROM roads)) + abs((SELECT count(*) FROM g) - (SELECT count(*) "
        "FROM "
        "roads)), (SELECT count(*) FROM gpu_bfs('g', 1)) = (SELECT count(*) FROM "
        "gpu_bfs('roads(a, b)', 1))";
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK ||
        sqlite3_step(s) != SQLITE_ROW)
        problem = sqlite3_errmsg(db);
    else if (sqlite3_column_int(s, 0) != 0)
        problem = "edges differ";
    else if (sqlite3_column_int(s, 1) != 1)
        problem = "searches differ";
    if (problem)
        problem = sqlite3_mprintf("%s", problem);
    sqlite3_finalize(s);
    return problem;
}

static void *read_rounds(void *unused) {
    (void)unused;
    sqlite3 *db = open_connection();
    const char *problem = NULL;
    for (int i = 0; i < ROUNDS && !problem; i++)
        problem = look(db);
    sqlite3_close(db);
    return (void *)problem;
}

static void *write_rounds(void *unused) {
    (void)unused;
    sqlite3 *db = open_connection();
    const char *problem = NULL;
    for (int i = 0; __atomic_load_n(&writing, __ATOMIC_RELAXED) && !problem; i++) {
        sqlite3_exec(
            db,
            "BEGIN IMMEDIATE; DELETE FROM roads WHERE abs(random() % 9) = 0; INSERT "
            "INTO roads SELECT abs(random() % 60), abs(random() % 60), 1 FROM roads "
            "LIMIT 30",
            NULL, NULL, NULL);
        if (i % 4 == 0)
            problem = look(db); /* uncommitted changes */
        sqlite3_exec(db, i % 3 ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
        usleep(1000);
    }
    sqlite3_close(db);
    return (void *)problem;
}

START_TEST(mirrors_in_threads) {
    if (_i) {
        ext_limits.graph_named_from = ext_limits.page_settled_ms = 0;
        ext_limits.mirror_times_to_leave = _i == 1 ? ROUNDS : 0;
        ext_limits.mirror_rejoins_after_ms = _i == 1 ? 1e9 : 0;
    }
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-threads-%d.db", (int)getpid());
    unlink(file);
    sqlite3 *db = open_connection();
    int rc =
        sqlite3_exec(db,
                     "PRAGMA journal_mode = wal; PRAGMA synchronous = off;"
                     "CREATE TABLE roads(a, b, metres);"
                     "INSERT INTO roads WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL "
                     "SELECT i + 1 FROM c WHERE i < 200) SELECT i % 17, i % 29, i FROM c;"
                     "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))",
                     NULL, NULL, NULL);
    ck_assert_int_eq(rc, SQLITE_OK);
    pthread_t reader[READERS], writer[2];
    void *problem;
    for (int i = 0; i < 2; i++)
        pthread_create(&writer[i], NULL, write_rounds, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_create(&reader[i], NULL, read_rounds, NULL);
    for (int i = 0; i < READERS; i++) {
        pthread_join(reader[i], &problem);
        ck_assert_msg(!problem, "a reader: %s", (char *)problem);
    }
    __atomic_store_n(&writing, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++) {
        pthread_join(writer[i], &problem);
        ck_assert_msg(!problem, "a writer: %s", (char *)problem);
    }
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
    unlink(file);
}
END_TEST

const struct suite suite = {
    "follow_threads",
    {{"threads", .timeout = 120, .cases = {{&mirrors_in_threads, 3}}}},
};
