/* A writer is killed at random moments, in the middle of transactions and commits. Then
** two connections compare graph and table: one that has followed the table throughout,
** and a new one. */
/* ctest: serial */
#include "expect.h"
#include "suite.h"
#include "gpugraph_extension.h"
#include <signal.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char file[64];

static const char writes[] =
    "BEGIN;"
    "INSERT INTO roads SELECT abs(random() % 50), abs(random() % 50), abs(random() % 9) "
    "FROM "
    "roads LIMIT 40;"
    "INSERT OR REPLACE INTO roads VALUES (abs(random() % 50), abs(random() % 50), 1);"
    "UPDATE OR REPLACE roads SET b = b + 1 WHERE abs(random() % 20) = 0;"
    "SAVEPOINT s;"
    "UPDATE OR IGNORE roads SET rowid = rowid + 100 WHERE abs(random() % 20) = 0;"
    "DELETE FROM roads WHERE abs(random() % 9) = 0;";

/* Writes until it is killed, without the extension. */
static int be_the_writer(const char *path) {
    sqlite3 *own;
    if (sqlite3_open(path, &own) != SQLITE_OK)
        return 1;
    sqlite3_busy_timeout(own, 10000);
    sqlite3_exec(own, "PRAGMA synchronous = off; PRAGMA cache_size = 5", NULL, NULL,
                 NULL);
    for (unsigned turn = 0;; turn++) {
        sqlite3_exec(own, writes, NULL, NULL, NULL);
        sqlite3_exec(own,
                     turn % 5 == 0   ? "ROLLBACK"
                     : turn % 3 == 0 ? "ROLLBACK TO s; COMMIT"
                                     : "COMMIT",
                     NULL, NULL, NULL);
        if (turn == 2 && write(1, "!", 1) != 1) /* three transactions have ended */
            return 1;
    }
}

static void kill_a_writer(unsigned microseconds) {
    int out[2];
    char ready;
    ck_assert_int_eq(pipe(out), 0);
    pid_t writer = fork();
    if (writer == 0) {
        dup2(out[1], 1);
        execl("/proc/self/exe", "follow_crash_test", "--child", file, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_eq(read(out[0], &ready, 1), 1);
    close(out[0]);
    close(out[1]);
    usleep(microseconds);
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
}

static sqlite3 *open_reader(void) {
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    return db;
}

static sqlite3_int64 integer(sqlite3 *db, const char *sql) {
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(s);
    expect(rc == SQLITE_ROW, "%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_int64 value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return value;
}

static void agree(sqlite3 *db) {
    expect(integer(db,
                   "SELECT count(*) FROM (SELECT src, dst, weight, edge FROM g EXCEPT "
                   "SELECT a, b, metres, rowid FROM roads)") == 0,
           "the graph has what the table has not");
    expect(integer(db,
                   "SELECT (SELECT count(*) FROM g) = (SELECT count(*) FROM roads) AND "
                   "gpugraph_check('g') = 'ok'") == 1,
           "the table has what the graph has not");
}

START_TEST(killed_writers) {
    static const char *const journals[] = {"delete", "wal", "truncate"};
    char sql[200];
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-crash-%d.db", (int)getpid());
    unlink(file);
    sqlite3 *follower = open_reader();
    snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s", journals[_i]);
    sqlite3_exec(follower, sql, NULL, NULL, NULL);
    int rc =
        sqlite3_exec(follower,
                     "CREATE TABLE roads(a, b, metres, UNIQUE(a, b));"
                     "INSERT OR IGNORE INTO roads WITH RECURSIVE c(i) AS (VALUES (1) "
                     "UNION ALL SELECT i + 1 FROM c WHERE i < 100) SELECT i % 17, i % "
                     "29, i FROM c;"
                     "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))",
                     NULL, NULL, NULL);
    ck_assert_int_eq(rc, SQLITE_OK);
    sqlite3_int64 log = 0, moved = 0;
    for (unsigned i = 0; i < 12; i++) {
        kill_a_writer(3000 + i * 7919 % 40 * 1000);
        agree(follower);
        sqlite3 *fresh = open_reader();
        agree(fresh);
        sqlite3_int64 now = integer(fresh, "SELECT max(rowid) FROM g_log");
        moved += now > log;
        log = now;
        ck_assert_int_eq(sqlite3_close(fresh), SQLITE_OK);
    }
    ck_assert_int_gt(moved, 0); /* the writers have written */
    ck_assert_int_eq(sqlite3_close(follower), SQLITE_OK);
    unlink(file);
}
END_TEST

const struct suite suite = {
    "follow_crash",
    {{"crashes", .timeout = 120, .cases = {{&killed_writers, 3}}}},
    .child = be_the_writer,
};
