/* Without ORDER BY SQLite may give rows in any order, and PRAGMA
** reverse_unordered_selects reverses it. Answers must not depend on this order, because
** edges come in the order of rowids or of the primary key. */
/* ctest: serial */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpugraph_extension.h"
#include "graphs.h"
#include "suite.h"
#include "sql.h"

static const char *const kinds[] = {
    "CREATE TABLE e(src, dst, weight)",
    "CREATE TABLE e(src TEXT, dst TEXT, weight); CREATE INDEX i ON e(src DESC, dst, "
    "weight)",
    "CREATE TABLE e(src, dst, weight, n INTEGER PRIMARY KEY)",
    "CREATE TABLE e(src, dst, weight, PRIMARY KEY(src, dst, weight)) WITHOUT ROWID",
    "CREATE TABLE e(src, dst, weight, PRIMARY KEY(dst DESC, weight, src)) WITHOUT ROWID",
    "CREATE TABLE e(src TEXT, dst TEXT, weight, PRIMARY KEY(weight DESC, src COLLATE "
    "NOCASE, dst "
    "COLLATE RTRIM DESC)) WITHOUT ROWID; CREATE INDEX i ON e(dst, src, weight)",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *const questions[] = {
    "SELECT vertex, depth, parent, edge FROM gpu_bfs('e', 1)",
    "SELECT vertex, distance, parent, edge FROM gpu_sssp('e', 1)",
    "SELECT vertex, parent, edge, source FROM gpu_sssp('e') WHERE sources = '[5, 3, 1]'",
    "SELECT * FROM gpu_path('e', 1) WHERE target IN (2, 3, 4, 5, 6, 7)",
    "SELECT * FROM gpu_dfs('e', 1) WHERE ordered = 1",
    "SELECT * FROM gpu_mis('e')",
    "SELECT vertex FROM gpu_bfs('e', 1) WHERE vertices = 'e(weight)'",
    "SELECT src, dst, weight, edge FROM f ORDER BY edge",
    "SELECT dst, edge FROM f WHERE src = 1",
    "SELECT vertex, distance, parent, edge FROM gpu_sssp('f', 1)",
    "SELECT gpugraph_check('f')",
    "SELECT vertex, parent, edge FROM gpu_bfs('e(src, dst, weight, weight)', 1)",
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* Makes edges with many equally good paths. */
static void fill(uint64_t seed) {
    for (int i = 0; i < 40; i++) {
        uint64_t x = shape_random(&seed);
        run("INSERT OR IGNORE INTO e(src, dst, weight) VALUES(%d, %d, %d)",
            (int)(x % 7 + 1), (int)(x / 7 % 7 + 1), (int)(x / 49 % 3));
    }
}

static void ask_all(char *rows[QUESTIONS]) {
    run("SELECT gpugraph_config('cache_limit', 0); SELECT gpugraph_config('cache_limit', "
        "NULL)");
    for (int i = 0; i < QUESTIONS; i++)
        rows[i] = ask("%s", questions[i]);
}

static void free_all(char *rows[QUESTIONS]) {
    for (int i = 0; i < QUESTIONS; i++)
        sqlite3_free(rows[i]);
}

static void same_both_ways(const char *kind) {
    char *forward[QUESTIONS], *backward[QUESTIONS];
    run("PRAGMA reverse_unordered_selects = OFF");
    ask_all(forward);
    run("PRAGMA reverse_unordered_selects = ON");
    ask_all(backward);
    for (int i = 0; i < QUESTIONS; i++)
        ck_assert_msg(strcmp(forward[i], backward[i]) == 0, "%s\n %s\n %s\n %s", kind,
                      questions[i], forward[i], backward[i]);
    free_all(forward);
    free_all(backward);
}

START_TEST(reversed_unordered_selects) {
    char file[64];
    snprintf(file, sizeof file, "/tmp/gpugraph-order-test-%d.db", (int)getpid());
    for (int in_file = 0; in_file < 2; in_file++) {
        unlink(file);
        ck_assert_int_eq(sqlite3_open(in_file ? file : ":memory:", &db), SQLITE_OK);
        ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
        run("%s", kinds[_i]);
        run("CREATE VIRTUAL TABLE f USING gpugraph(e(src, dst, weight))");
        for (int round = 0; round < 6; round++) {
            fill((uint64_t)round);
            same_both_ways(kinds[_i]);
            run("DELETE FROM e WHERE weight = 1 AND src < 4"); /* under the pragma */
            same_both_ways(kinds[_i]);
        }
        sql_close();
        unlink(file);
    }
}
END_TEST

const struct suite suite = {
    "row_order",
    {{"row_order", .timeout = 60, .cases = {{&reversed_unordered_selects, KINDS}}}},
};
