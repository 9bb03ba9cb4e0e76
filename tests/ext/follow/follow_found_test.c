/* The extension finds logged rows in their pages. The graph then equals the table,
** whatever its other rows are, with a write-ahead log and without one. */
#include "database_file.h"
#include "base/ext_limits.h"
#include "follow/mirror.h"
#include "share.h"
#include "sql.h"
#include "sqlite_memory.h"
#include "suite.h"
#include <string.h>

enum { ROWS = 4000 };

/* Texts, NULLs, REALs, rows with overflow pages, rows older than a column. */
static const char *const odd[] = {
    "UPDATE roads SET a = 'x' || a WHERE id % 397 = 0",
    "UPDATE roads SET b = NULL WHERE id % 389 = 0",
    "UPDATE roads SET note = zeroblob(9000) WHERE id % 383 = 0",
    "UPDATE roads SET a = 7.0 WHERE id % 379 = 0",
};

static const char *const changes[] = {
    "UPDATE roads SET b = b + 1 WHERE id % 31 = 0",
    "DELETE FROM roads WHERE id % 37 = 1",
    "INSERT INTO roads(id, a, b, w) SELECT id + 10000, b, a, w FROM roads WHERE id % 41 "
    "= 0",
    "UPDATE roads SET w = w + 1 WHERE id % 29 = 3",
    "UPDATE roads SET id = id + 1000000 WHERE id % 43 = 2",
    "UPDATE roads SET a = 'y' WHERE id % 59 = 7",
    "UPDATE roads SET w = 2.5 WHERE id % 61 = 0",
    "DELETE FROM roads WHERE id > 10000",
    "INSERT OR REPLACE INTO roads(id, a, b, w) SELECT id, 5, 6, 7 FROM roads WHERE id % "
    "47 = 0",
};

static void looks(void) {
    expect_same(
        "SELECT count(*), total(edge), total(src), total(dst), total(weight), "
        "total(edge * weight % 101) FROM g WHERE src IS NOT NULL",
        "SELECT count(*), total(id), total(a), total(b), total(w), total(id * w % "
        "101) FROM roads WHERE b IS NOT NULL");
    expect("'ok'", "SELECT gpugraph_check('g')");
}

static bool were_found(void) {
    char *phases =
        ask("SELECT count(*) FROM gpugraph_timings WHERE detail LIKE '%%found in "
            "their pages'");
    const bool found = strcmp(phases, "1") == 0;
    sqlite3_free(phases);
    return found;
}

/* _i: bits for odd rows, for a write-ahead log and for an open transaction of this
** connection. */
START_TEST(found) {
    int times = 0;
    ext_limits.mirror_find_from = 10;
    database_make_folder();
    database_open("");
    run("PRAGMA page_size = 512; PRAGMA journal_mode = %s", _i & 2 ? "wal" : "delete");
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, w); WITH RECURSIVE i(n) AS "
        "(SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d) INSERT INTO roads SELECT "
        "n, "
        "n * 7919 %% 911, n * 10429 %% 911, n %% 17 FROM i; ALTER TABLE roads ADD COLUMN "
        "note",
        ROWS);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, w))");
    looks();
    for (size_t k = 0; _i & 1 && k < sizeof odd / sizeof *odd; k++) {
        run("%s", odd[k]);
        looks();
    }
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        if (_i & 4)
            run("BEGIN");
        run("%s", changes[k]);
        if (_i & 4) {
            looks();
            ck_assert(!were_found()); /* rows in the connection's cache alone */
            run("%s", k % 3 ? "COMMIT" : "ROLLBACK");
        }
        if (k % 2) /* else pages of the log may be newer than the snapshot */
            sqlite3_free(ask("PRAGMA wal_checkpoint"));
        sqlite3_free(ask("SELECT count(*) FROM g WHERE src = 1"));
        times += were_found();
        looks();
    }
    ck_assert_int_ge(times, 2);
    sql_close();
    database_remove_folder();
    ext_limits.mirror_find_from = 1000;
}
END_TEST

/* SQLite's n-th allocation fails, for many n, in a query that finds its rows in
** pages. */
START_TEST(allocations) {
    bool done = false;
    ext_limits.mirror_find_from = 10;
    database_make_folder();
    for (long n = 1, turn = 0; !done; n += 1 + n / 20, turn++) {
        if (left_out((uint64_t)turn))
            continue;
        database_remove();
        database_open("");
        run("CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, w); WITH RECURSIVE i(n) AS "
            "(SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 900) INSERT INTO roads "
            "SELECT "
            "n, n %% 31, n %% 37, n FROM i; CREATE VIRTUAL TABLE g USING "
            "gpugraph(roads(a, "
            "b, w))");
        looks();
        sqlite3_free(ask("SELECT count(*) FROM g WHERE src = 1")); /* makes rows */
        run("UPDATE roads SET b = b + 1 WHERE id %% 31 = 0");
        sqlite_countdown = n;
        char *said = ask("SELECT count(*) FROM g WHERE src = 1");
        done = sqlite_countdown > 0;
        sqlite_countdown = 0;
        ck_assert_msg(!done || strncmp(said, "error", 5) != 0, "%s", said);
        ck_assert(!done || were_found());
        sqlite3_free(said);
        looks();
        sql_close();
    }
    database_remove_folder();
    ext_limits.mirror_find_from = 1000;
}
END_TEST

const struct suite suite = {
    "follow_found",
    {{"all", .cases = {{&found, 8}, {&allocations}}}},
    .begin = sqlite_memory_may_fail,
};
