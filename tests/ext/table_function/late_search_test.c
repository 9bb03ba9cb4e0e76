/* Searches that begin after their statement has returned rows. SQLite versions after 3.40
** still show the last row while they look for the next one. The extension must still find
** the statement, which must see one graph all the time and release everything when it
** ends. */
/* ctest: serial */
#include "database_file.h"
#include "suite.h"

static void setup(void) {
    database_make_folder();
    database_open("");
    run("CREATE TABLE roads(src, dst, weight); INSERT INTO roads VALUES (1, 2, 5), (2, "
        "3, "
        "7); CREATE VIRTUAL TABLE g USING gpugraph(roads)");
}

static void teardown(void) {
    sql_close();
    database_remove_folder();
}

static const struct late {
    const char *rows, *sql;
} late[] = {
    {"3;2", "SELECT count(*) FROM gpu_bfs('roads', 1) UNION ALL "
            "SELECT count(*) FROM gpu_bfs('roads', 2)"},
    {"3;2", "SELECT count(*) FROM gpu_bfs('g', 1) UNION ALL "
            "SELECT count(*) FROM gpu_bfs('g', 2)"},
    {"0;3;3", "SELECT 0 UNION ALL SELECT count(*) FROM gpu_bfs('SELECT 1, 2 UNION SELECT "
              "2, 3', 1) UNION ALL SELECT count(*) FROM gpu_bfs('g', 1)"},
    {"-;3;12", "SELECT CASE i.column1 WHEN 1 THEN NULL WHEN 2 THEN (SELECT count(*) FROM "
               "gpu_sssp('roads', 1)) ELSE (SELECT max(distance) FROM gpu_sssp('roads', "
               "1)) END FROM (VALUES (1), (2), (3)) i"},
    {"0;3", "SELECT 0 UNION ALL SELECT count(*) FROM g, gpu_bfs('g', g.src) b WHERE "
            "b.vertex = 3 OR b.vertex = 1"},
    {"0;0", "SELECT 0 UNION ALL SELECT gpugraph_triangles('roads')"},
};

/* The connection holds no lock, so that others can write. */
START_TEST(test_late) {
    for (int again = 0; again < 2; again++) {
        expect(late[_i].rows, "%s", late[_i].sql);
        ck_assert_int_eq(sqlite3_txn_state(db, "main"), SQLITE_TXN_NONE);
    }
    sqlite3 *first = db;
    database_open("");
    run("INSERT INTO roads VALUES (8, 9, 1)");
    sql_close();
    db = first;
    expect(late[_i].rows, "%s", late[_i].sql);
}
END_TEST

/* A statement that waits between two rows does not affect other statements. */
START_TEST(test_two_at_once) {
    sqlite3_stmt *waiting, *other;
    sqlite3_prepare_v2(db, late[_i].sql, -1, &waiting, NULL);
    ck_assert_int_eq(sqlite3_step(waiting), SQLITE_ROW);
    run("INSERT INTO roads VALUES (3, 4, 1), (2, 1, 1)");
    expect("4", "SELECT count(*) FROM gpu_bfs('roads', 1)");
    expect("4;4;4",
           "SELECT count(*) FROM gpu_bfs('roads', 1) UNION ALL SELECT count(*) FROM "
           "gpu_bfs('roads', 2) UNION ALL SELECT count(*) FROM gpu_bfs('g', 2)");
    sqlite3_prepare_v2(db, "SELECT vertex FROM gpu_bfs('g', 1)", -1, &other, NULL);
    ck_assert_int_eq(sqlite3_step(other), SQLITE_ROW);
    int rc;
    sqlite3_free(rows_of(waiting, &rc));
    ck_assert_int_eq(rc, SQLITE_DONE);
    sqlite3_free(rows_of(other, &rc));
    ck_assert_int_eq(rc, SQLITE_DONE);
    sqlite3_finalize(other);
    sqlite3_finalize(waiting);
    ck_assert_int_eq(sqlite3_txn_state(db, "main"), SQLITE_TXN_NONE);
}
END_TEST

const struct suite suite = {
    "late_search",
    {{"cases", .setup = setup, .teardown = teardown,
      .cases = {{&test_late, sizeof late / sizeof *late},
                {&test_two_at_once, sizeof late / sizeof *late}}}},
};
