/* Failures in followed graphs. One test lets SQLite's n-th allocation fail, for many n,
** in triggers that query a graph, in graphs with a condition, in the deletion of a vertex
** and while blocks are written and read. Another test interrupts a query at many steps.
** The statement reports the failure, and all later answers are right. */
/* ctest: serial gaps */
#include "follow_graph.h"
#include "share.h"
#include "sqlite_memory.h"
#include "suite.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char file[64];

static void open_again(void) {
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
}

static const char *const statements[] = {
    /* the text queries the graph after two rows are updated, and in RETURNING; no
    ** trigger queries it */
    "UPDATE roads SET metres = CASE WHEN rowid > 2 THEN (SELECT count(*) FROM "
    "gpu_bfs('g', "
    "1)) ELSE (SELECT count(*) FROM g) END RETURNING (SELECT count(*) FROM g)",
    "INSERT INTO noted VALUES (1)",
    "DELETE FROM roads WHERE a = 3",
    "UPDATE roads SET a = NULL WHERE a = 2 RETURNING (SELECT count(*) FROM g)",
    "SELECT gpugraph_delete_vertex('g', 3)",
    "INSERT INTO plain SELECT gpugraph_delete_vertex('g', 3)",
    "SELECT count(*) FROM g WHERE src IN (1, 3, '2')",
    "SELECT gpugraph_save('g')",
    "ALTER TABLE g RENAME TO h",
    "SELECT count(*), gpugraph_check('g'), gpugraph_triangles('g') FROM gpu_bfs('g', 1)",
    "CREATE VIRTUAL TABLE i USING gpugraph(roads(a, b), where = 'abs(metres) > 1 AND "
    "open "
    "COLLATE NOCASE = 1', persist = 1)",
};

START_TEST(every_allocation) {
    bool done = false;
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-faults-%d.db", (int)getpid());
    for (long n = 1, turn = 0; !done && n < 100000; n += 1 + n / 60, turn++) {
        if (left_out((uint64_t)turn))
            continue;
        unlink(file);
        open_again();
        run("PRAGMA synchronous = off; CREATE TABLE roads(a, b, metres, open DEFAULT 1); "
            "CREATE TABLE noted(n); CREATE TABLE plain(n); INSERT INTO roads(a, b, "
            "metres) "
            "VALUES (1, 2, 5), (2, 3, 7), (3, 4, 1), (3, 3, 1); INSERT INTO roads VALUES "
            "(9, 9, 9, 0), (NULL, 7, NULL, 1), (3, NULL, 1, 1); CREATE TRIGGER note "
            "AFTER INSERT ON noted BEGIN UPDATE roads "
            "SET "
            "metres = 3; INSERT INTO plain SELECT vertex FROM gpu_bfs('g', 1); END; "
            "CREATE "
            "TRIGGER guard AFTER DELETE ON roads BEGIN INSERT INTO plain SELECT src FROM "
            "g; "
            "END; CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), where = "
            "'open "
            "= 1', persist = 1)");
        if (turn & 2)
            run("CREATE INDEX into_ ON roads(b)");
        if (n & 1)
            expect("4", "SELECT count(*) FROM gpu_bfs('g', 1)");
        sqlite_countdown = n;
        char *said = ask("%s", statements[_i]);
        done = sqlite_countdown > 0;
        sqlite_countdown = 0;
        bool failed = strncmp(said, "error", 5) == 0;
        ck_assert_msg(!done || !failed, "%s", said);
        sqlite3_free(said);
        const char *graph = strstr(statements[_i], "RENAME") && !failed ? "h" : "g";
        for (int again = 0; again < 2; again++) {
            char *rows =
                sqlite3_mprintf("SELECT src, dst, edge FROM %s ORDER BY edge", graph);
            expect_same(rows,
                        "SELECT a, b, rowid FROM roads WHERE open AND a NOTNULL AND b "
                        "NOTNULL ORDER BY rowid");
            sqlite3_free(rows);
            expect("'ok'", "SELECT gpugraph_check('%s')", graph);
            sql_close();
            open_again();
        }
        sql_close();
    }
    ck_assert(done);
    unlink(file);
}
END_TEST

static int run_out(void *left) {
    return --*(int *)left == 0;
}

/* A connection's first query, its first query after a change, and its first query after
** the log has been emptied, too. */
static const char *const changes[] = {
    NULL,
    "UPDATE roads SET b = 1 WHERE rowid = 3",
    "UPDATE roads SET b = 1 WHERE rowid = 3; DELETE FROM g_log; DELETE FROM g_marks",
};

START_TEST(every_interrupt) {
    bool done = false;
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-faults-%d.db", (int)getpid());
    for (int n = 1, turn = 0; !done && n < 100000000; n += 1 + n / 16, turn++) {
        if (left_out((uint64_t)turn))
            continue;
        unlink(file);
        open_again();
        run("PRAGMA synchronous = off; CREATE TABLE roads(a, b, metres); INSERT INTO "
            "roads VALUES (1, 2, 5), (2, 3, 7), (3, 4, 1); CREATE VIRTUAL TABLE g USING "
            "gpugraph(roads(a, b, metres)%s)",
            _i & 1 ? ", persist = 1" : "");
        if (changes[_i / 2]) {
            expect("4", "SELECT count(*) FROM gpu_bfs('g', 1)");
            run("%s", changes[_i / 2]);
        } else {
            sql_close();
            open_again();
        }
        int left = n;
        sqlite3_progress_handler(db, 1, run_out, &left);
        char *said = ask("SELECT count(*) FROM gpu_bfs('g', 1)");
        sqlite3_progress_handler(db, 0, NULL, NULL);
        done = left > 0;
        if (strcmp(said, "error: interrupted") !=
            0) /* the interrupted step ran again, or was not needed */
            ck_assert_str_eq(said, _i / 2 ? "3" : "4");
        sqlite3_free(said);
        expect_same("SELECT src, dst, edge FROM g ORDER BY edge",
                    "SELECT a, b, rowid FROM roads ORDER BY rowid");
        expect_same(
            "SELECT vertex, depth FROM gpu_bfs('g', 1) ORDER BY vertex",
            "SELECT vertex, depth FROM gpu_bfs('roads(a, b)', 1) ORDER BY vertex");
        expect("'ok'", "SELECT gpugraph_check('g')");
        sql_close();
    }
    ck_assert(done);
    unlink(file);
}
END_TEST

const struct suite suite = {
    "follow_faults",
    {{"faults", .timeout = 120,
      .cases = {{&every_allocation, sizeof statements / sizeof *statements},
                {&every_interrupt, 2 * sizeof changes / sizeof *changes}}}},
    .begin = sqlite_memory_may_fail,
};
