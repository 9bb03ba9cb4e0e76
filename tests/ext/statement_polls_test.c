/* Statements let the progress handler run often enough: between two of its calls the
** extension enters at most MOST_FOR_IDS basic blocks (support/blocks.h). Arguments,
** reading, maps of ids, searches, orders, rows, and what keeps a followed graph up to
** date.
**
** SQLite itself is not counted: it calls the handler by its own count of steps. The
** extension polls by a clock, which leaps whenever it is read (--wrap). One thread
** runs. */
/* ctest: unsanitized wrap=clock_gettime */
#include "blocks.h"
#include "leaping_clock.h"
#include "sql.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpugraph_extension.h"

/* A typed value, a JSON element or a text takes more blocks than an arc. */
enum { MOST_FOR_IDS = 2 * MOST_BLOCKS };
enum { STEPS = 20 }; /* of SQLite's machine between two calls of the handler */

static char file[80];
static bool shows; /* the longest gap of each statement */

static int end_gap(void *unused) {
    (void)unused;
    blocks_end_gap();
    return 0;
}

/* Edges with whole numbers and with text at their ends. Without a cycle: i -> i + 1,
** and forward jumps. */
static void make_tables(void) {
    run("CREATE TABLE g(src INTEGER, dst INTEGER, weight INTEGER);"
        "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < "
        "300000) "
        "INSERT INTO g SELECT i %% 150000, i %% 150000 + 1 + (i / 150000) * (i * 48271 "
        "%% "
        "1000), i %% 13 + 1 FROM c;"
        "CREATE TABLE texts(src TEXT, dst TEXT);"
        "INSERT INTO texts SELECT 'v' || src, 'v' || dst FROM g;"
        "CREATE TABLE list(ids);"
        "INSERT INTO list SELECT json_group_array(src) FROM g;"
        "CREATE TABLE star(src, dst);"
        "INSERT INTO star SELECT 1, src + 2 FROM g");
}

static void open_file(void) {
    shows = getenv("GPUGRAPH_TEST_VERBOSE");
    snprintf(file, sizeof file, "/tmp/gpugraph-statement-polls-%d.db", (int)getpid());
    unlink(file);
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    run("PRAGMA synchronous = OFF; SELECT gpugraph_config('cache_limit', 0), "
        "gpugraph_config('threads', 1)");
    make_tables();
    sqlite3_progress_handler(db, STEPS, end_gap, NULL);
}

static void close_file(void) {
    sqlite3_progress_handler(db, 0, NULL, NULL);
    sql_close();
    unlink(file);
}

/* Asks statement by statement. */
static void expect_polls(const char *script) {
    while (*script) {
        sqlite3_stmt *statement;
        const char *rest;
        int rc;
        leaping = true;
        blocks_begin();
        ck_assert_msg(!sqlite3_prepare_v2(db, script, -1, &statement, &rest), "%s: %s",
                      script, sqlite3_errmsg(db));
        char *rows = statement ? rows_of(statement, &rc) : NULL;
        rc = sqlite3_finalize(statement);
        const uint64_t longest = blocks_end();
        leaping = false;
        ck_assert_msg(rc == SQLITE_OK, "%.*s: %s", (int)(rest - script), script,
                      sqlite3_errmsg(db));
        if (shows)
            fprintf(stderr, "%9llu  %.*s\n", (unsigned long long)longest,
                    (int)(rest - script), script);
        ck_assert_msg(longest <= MOST_FOR_IDS, "%llu blocks without a poll: %.*s",
                      (unsigned long long)longest, (int)(rest - script), script);
        sqlite3_free(rows);
        script = rest;
    }
}

static const char *const scripts[] = {
    /* every function, read from pages */
    "SELECT count(*), sum(depth), sum(parent), sum(edge) FROM gpu_bfs('g', 1);",
    "SELECT count(*), sum(distance), sum(parent) FROM gpu_sssp('g', 1);",
    "SELECT count(*) FROM gpu_path('g', 1, 140000);",
    "SELECT count(*) FROM gpu_paths('g', 1, 140000, 2);",
    "SELECT count(*), sum(preorder * postorder) FROM gpu_dfs('g', 1);",
    "SELECT count(*), sum(preorder) FROM gpu_dfs('g') WHERE ordered = 1;",
    "SELECT count(*), sum(vertex) FROM gpu_mis('g');",
    "SELECT count(*), sum(component) FROM gpu_components('g');",
    "SELECT count(*), sum(component) FROM gpu_components('g') WHERE kind = 'strong';",
    "SELECT count(*), sum(rank) FROM gpu_pagerank('g') WHERE iterations = 2;",
    "SELECT count(*), sum(label) FROM gpu_label_propagation('g') WHERE iterations = 1;",
    "SELECT count(*), sum(core) FROM gpu_cores('g');",
    "SELECT count(*), sum(triangles) FROM gpu_triangles('g');",
    "SELECT gpugraph_triangles('g');",
    "SELECT count(*), sum(level) FROM gpu_topological_order('g');",
    "SELECT sum(edge), sum(component) FROM gpu_spanning_forest('g');",
    "SELECT sum(distance) FROM gpu_matrix('g') WHERE sources = '[1, 2, 3]' AND targets = "
    "'[140000, 7]';",
    /* other sources */
    "SELECT count(*), sum(depth) FROM gpu_bfs('SELECT src, dst FROM g', 1);",
    "SELECT count(*), max(vertex) FROM gpu_bfs('texts', 'v1');",
    "SELECT count(*), max(vertex) FROM gpu_bfs('SELECT src, dst FROM texts', 'v1');",
    "SELECT count(*), sum(depth) FROM gpu_bfs('star', 1);",
    "SELECT count(*), sum(distance) FROM gpu_sssp('SELECT src, dst, 1 FROM star', 1);",
    /* lists of many ids */
    "SELECT count(*) FROM gpu_bfs('g') WHERE sources = (SELECT ids FROM list);",
    "SELECT count(*) FROM gpu_bfs('g', 1) WHERE target IN (SELECT src FROM g);",
    "SELECT count(*) FROM gpu_sssp('g') WHERE sources = (SELECT ids FROM list);",
    "SELECT count(*) FROM gpu_matrix('g') WHERE sources = '[1]' AND targets = (SELECT "
    "ids "
    "FROM list);",
    "SELECT count(*) FROM gpu_pagerank('g') WHERE sources = (SELECT ids FROM list) AND "
    "iterations = 1;",
    "SELECT count(*) FROM gpu_bfs('g') WHERE source IN (SELECT src FROM g LIMIT 3);",
    /* orders and rows */
    "SELECT sum(depth * n) FROM (SELECT depth, row_number() OVER () n FROM (SELECT depth "
    "FROM gpu_bfs('g', 1) ORDER BY depth));",
    "SELECT sum(distance * n) FROM (SELECT distance, row_number() OVER () n FROM (SELECT "
    "distance FROM gpu_sssp('g', 1) ORDER BY distance DESC));",
    "SELECT vertex, distance FROM gpu_sssp('g', 1) ORDER BY distance LIMIT 10;",
    "SELECT max(vertex) FROM (SELECT vertex FROM gpu_bfs('texts', 'v1') ORDER BY "
    "vertex);",
    "SELECT count(*) FROM gpu_bfs('g', 1) WHERE vertex = 77;",
    "SELECT count(*) FROM gpu_bfs('g', 1) WHERE vertex BETWEEN 70 AND 100000;",
    /* followed graphs */
    "CREATE VIRTUAL TABLE f USING gpugraph(g(src, dst, weight), persist = 1);"
    "SELECT count(*), sum(depth) FROM gpu_bfs('f', 1);"
    "SELECT count(*) FROM f;"
    "SELECT count(*) FROM f WHERE src = 7;"
    "INSERT INTO g SELECT src + 7, dst + 11, weight FROM g LIMIT 200000;"
    "SELECT count(*), sum(distance) FROM gpu_sssp('f', 1);"
    "UPDATE g SET weight = weight + 1 WHERE rowid % 2 = 0;"
    "SELECT count(*), sum(distance) FROM gpu_sssp('f', 1);"
    "DELETE FROM g WHERE rowid % 3 = 0;"
    "SELECT count(*), sum(depth) FROM gpu_bfs('f', 1);"
    "SELECT gpugraph_check('f');"
    "SELECT gpugraph_save('f') > 0;"
    "DROP TABLE f;",
    "CREATE VIRTUAL TABLE t USING gpugraph(texts(src, dst));"
    "SELECT count(*), max(vertex) FROM gpu_bfs('t', 'v1');"
    "INSERT INTO texts SELECT 'w' || src, dst FROM texts LIMIT 100000;"
    "SELECT count(*), max(vertex) FROM gpu_bfs('t', 'v1');"
    "SELECT gpugraph_check('t');"
    "DROP TABLE t;",
};

enum { SCRIPTS = sizeof scripts / sizeof *scripts };

START_TEST(statements_poll) {
    expect_polls(scripts[_i]);
}
END_TEST

/* Another connection unpacks what was saved. */
START_TEST(opening_a_saved_graph_polls) {
    run("CREATE VIRTUAL TABLE f USING gpugraph(g(src, dst, weight), persist = 1);"
        "SELECT count(*) FROM gpu_bfs('f', 1)");
    sql_close();
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    run("SELECT gpugraph_config('threads', 1)");
    sqlite3_progress_handler(db, STEPS, end_gap, NULL);
    expect_polls("SELECT count(*), sum(depth) FROM gpu_bfs('f', 1);");
}
END_TEST

const struct suite suite = {
    "statement_polls",
    {{"statement_polls", .timeout = 120, .setup = open_file, .teardown = close_file,
      .cases = {{&statements_poll, SCRIPTS}, {&opening_a_saved_graph_polls}}}},
};
