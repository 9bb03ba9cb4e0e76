/* A database in its own file, opened as a test needs, with the extension. Query it by
** support/sql.h. */
#ifndef TEST_DATABASE_FILE_H
#define TEST_DATABASE_FILE_H

#include "gpugraph_extension.h"
#include "assertions.h"
#include "sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char database_file[64]; /* a path in its own folder */

static inline void database_make_folder(void) {
    char folder[] = "/tmp/gpugraph_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(database_file, sizeof database_file, "%s/t.db", folder);
}

/* Deletes the database, but not its folder. */
static inline void database_remove(void) {
    static const char *const ending[] = {"", "-journal", "-wal", "-shm"};
    char path[96];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", database_file, ending[i]);
        unlink(path);
    }
}

static inline void database_remove_folder(void) {
    database_remove();
    *strrchr(database_file, '/') = 0;
    ck_assert_int_eq(rmdir(database_file), 0);
}

/* parameters: of the URI, such as "?vfs=unix-none", or "". */
static inline sqlite3 *database_connect(const char *parameters) {
    sqlite3 *made;
    char uri[160];
    snprintf(uri, sizeof uri, "file:%s%s", database_file, parameters);
    int rc = sqlite3_open_v2(
        uri, &made, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL);
    ck_assert_msg(rc == SQLITE_OK, "%s: %s", uri, sqlite3_errmsg(made));
    ck_assert_int_eq(sqlite3_gpugraph_init(made, NULL, NULL), SQLITE_OK);
    return made;
}

/* Opens the database as `db`. */
static inline void database_open(const char *parameters) {
    db = database_connect(parameters);
}

/* roads(id, a, b, metres, note): ids are numbers and texts, some of which need overflow
** pages; weights have both types. */
static inline void make_long_roads(int rows) {
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres, note)");
    run("WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < %d) "
        "INSERT INTO roads SELECT n, n * 7919 %% 97, CASE WHEN n %% 53 THEN n * 104729 "
        "%% "
        "97 ELSE printf('%%.*c', n %% 9 * 700, 'x') || n %% 5 END, n %% 17 + n %% 3 * "
        "0.5, "
        "zeroblob(n %% 89 * (n %% 7 = 0)) FROM i",
        rows);
}

/* Compares every function over the table with the function over a query of its rows. */
static inline void searches_agree(const char *edges) {
    static const char *const call[] = {
        "SELECT * FROM gpu_bfs(%Q, 1) ORDER BY vertex",
        "SELECT * FROM gpu_sssp(%Q, 1) ORDER BY vertex",
        "SELECT * FROM gpu_path(%Q, 1, 'xxxx')",
        "SELECT * FROM gpu_dfs(%Q, 1) WHERE ordered = 1 ORDER BY vertex",
        "SELECT * FROM gpu_mis(%Q) ORDER BY vertex",
        "SELECT gpugraph_triangles(%Q)"};
    for (size_t i = 0; i < sizeof call / sizeof *call; i++) {
        char *got = sqlite3_mprintf(call[i], edges);
        char *want = sqlite3_mprintf(call[i], "SELECT a, b, metres, id FROM roads");
        expect_same(got, want);
        sqlite3_free(got);
        sqlite3_free(want);
    }
}

#endif
