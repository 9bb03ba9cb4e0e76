/* Several connections use the searches of a graph: one of them makes a search, each may
** add to it without the others, and the last one frees it. Each statement reads a query
** as an edge source again, so the query is the oracle.
**
**     connection 1    gpu_bfs('roads', 1)            makes the search
**     connection 2    gpu_bfs('roads', 1)            takes it
**     connection 3    equal, with its parents        makes another one from it */
#define _GNU_SOURCE
#include "database_file.h"
#include "base/ext_limits.h"
#include "expect.h"
#include "graphs.h"
#include "in_child.h"
#include "load/load.h"
#include "pages/reader.h"
#include "sqlite_memory.h"
#include "suite.h"
#include "share.h"
#include "workers.h"

enum { CONNECTIONS = 4, THREADS = 8, ROUNDS = 60 };

static sqlite3 *each[CONNECTIONS];

static void do_in(sqlite3 *c, const char *sql) {
    char *error = NULL;
    int rc = sqlite3_exec(c, sql, NULL, NULL, &error);
    expect(rc == SQLITE_OK, "%s: %s", sql, error);
}

static void set_up(void) {
    database_make_folder();
    ext_limits.page_settled_ms = 0;
    ext_limits.graph_named_from = 0;
    for (int i = 0; i < CONNECTIONS; i++)
        each[i] = database_connect("");
    do_in(each[0],
          "CREATE TABLE roads(id INTEGER PRIMARY KEY, src, dst, weight);"
          "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 900) "
          "INSERT INTO roads SELECT n, n * 7919 % 211, n * 104729 % 211, n % 17 + 1 FROM "
          "i");
}

static void tear_down(void) {
    for (int i = 0; i < CONNECTIONS; i++)
        ck_assert_int_eq(sqlite3_close(each[i]), SQLITE_OK);
    database_remove_folder();
}

static const char total[] = "SELECT ms FROM gpugraph_timings WHERE phase = 'total'";

/* True if the call searches. A call whose answer is kept leaves the timings of the latest
** search alone. */
static bool searches(sqlite3 *c, const char *sql) {
    char *before = ask_in(c, total);
    do_in(c, sql);
    char *after = ask_in(c, total);
    bool same = strcmp(before, after) == 0;
    sqlite3_free(before);
    sqlite3_free(after);
    return !same;
}

/* Searches of the edges that are named there. */
static const char *const question[] = {
    "SELECT sum(vertex * depth) FROM gpu_bfs(%Q, 1)",
    "SELECT sum(vertex * parent) FROM gpu_bfs(%Q, 1)",
    "SELECT sum(vertex * distance) FROM gpu_sssp(%Q, 1)",
    "SELECT sum(vertex * parent) FROM gpu_sssp(%Q, 1)",
    "SELECT group_concat(vertex) FROM (SELECT vertex FROM gpu_sssp(%Q, 1) ORDER BY "
    "distance, "
    "vertex LIMIT 9)",
    "SELECT group_concat(vertex) FROM (SELECT vertex FROM gpu_bfs(%Q, 1) ORDER BY depth, "
    "vertex)",
    "SELECT sum(vertex * preorder) FROM gpu_dfs(%Q, 1) WHERE ordered = 1",
    "SELECT sum(vertex * postorder) FROM gpu_dfs(%Q, 1) WHERE ordered = 1",
    "SELECT sum(edge * (1 + seq)) FROM gpu_path(%Q, 1, 100)",
    "SELECT sum(vertex) FROM gpu_mis(%Q)",
    "SELECT gpugraph_triangles(%Q)",
    /* Lists, to which later calls add a tree, an order or all arrays. */
    "SELECT sum(vertex * depth) FROM gpu_bfs(%Q, 3) WHERE max_depth = 2",
    "SELECT sum(vertex * parent) FROM gpu_bfs(%Q, 3) WHERE max_depth = 2",
    "SELECT group_concat(vertex) FROM (SELECT vertex FROM gpu_bfs(%Q, 3) WHERE max_depth "
    "= 2 ORDER BY depth DESC, vertex)",
    "SELECT sum(vertex * (arrays > 0)) FROM gpu_bfs(%Q, 3) WHERE max_depth = 2",
    "SELECT sum(vertex * distance) FROM gpu_sssp(%Q, 3) WHERE max_distance = 14",
    "SELECT sum(vertex * edge) FROM gpu_sssp(%Q, 3) WHERE max_distance = 14",
};
enum { QUESTIONS = sizeof question / sizeof *question };

static char *ask_of(sqlite3 *c, int k, const char *edges) {
    char *sql = sqlite3_mprintf(question[k], edges), *got = ask_in(c, sql);
    sqlite3_free(sql);
    return got;
}

static void ask_right(sqlite3 *c, int k) {
    char *want = ask_of(c, k, "SELECT src, dst, weight, id FROM roads"),
         *got = ask_of(c, k, "roads");
    expect(strcmp(got, want) == 0, "%s\n got  %s\n want %s", question[k], got, want);
    sqlite3_free(got);
    sqlite3_free(want);
}

static const char depths[] = "SELECT sum(depth) FROM gpu_bfs('roads', 2)";
static const char parents[] = "SELECT sum(parent) FROM gpu_bfs('roads', 2)";

/* All connections have the graph, and each a search that no other connection uses. */
static void all_share(void) {
    for (int i = 0; i < CONNECTIONS; i++) {
        char sql[80];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM gpu_sssp('roads', %d)", 10 + i);
        do_in(each[i], sql);
    }
}

START_TEST(made_once) {
    all_share();
    ck_assert(searches(each[0], depths));
    ck_assert(!searches(each[1], depths));
    ck_assert(searches(each[2], "SELECT sum(depth) FROM gpu_bfs('roads', 3)"));
    sqlite3_close(each[0]); /* the connection that has made it closes first */
    each[0] = database_connect("");
    ck_assert(!searches(each[2], depths));
    ck_assert(!searches(each[1], depths));
    do_in(each[1], "UPDATE roads SET dst = 5 WHERE id < 100");
    ck_assert(searches(each[1], depths));
    do_in(each[2], depths);
    for (int k = 0; k < QUESTIONS; k++)
        for (int i = 0; i < CONNECTIONS; i++)
            ask_right(each[i], k);
}
END_TEST

/* A statement that reads an answer continues with it, also if its own connection or
** another one extends the answer meanwhile. */
START_TEST(added_to_by_each) {
    sqlite3_stmt *reads;
    int rows = 0, all = 0;
    all_share();
    do_in(each[0], depths);
    do_in(each[1], depths);
    ck_assert(sqlite3_prepare_v2(each[1], "SELECT depth FROM gpu_bfs('roads', 2)", -1,
                                 &reads, NULL) == SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(reads), SQLITE_ROW);
    ck_assert(searches(each[1], parents));
    ck_assert(!searches(each[1], parents));
    ck_assert(!searches(each[3], parents));
    for (int i = 0; i < CONNECTIONS; i++)
        for (int k = 0; k < QUESTIONS; k++)
            ask_right(each[i], k);
    while (sqlite3_step(reads) == SQLITE_ROW)
        rows++;
    sqlite3_finalize(reads);
    char *count = ask_in(each[0], "SELECT count(*) - 1 FROM gpu_bfs('roads', 2)");
    all = atoi(count);
    sqlite3_free(count);
    ck_assert_int_eq(rows, all);
}
END_TEST

/* A connection that may keep nothing takes nothing from other connections. */
START_TEST(forgotten_by_one) {
    all_share();
    do_in(each[0], depths);
    do_in(each[1], depths);
    do_in(each[0], "SELECT gpugraph_config('cache_limit', 0)");
    do_in(each[0], depths);
    ck_assert(!searches(each[1], depths));
    ck_assert(!searches(each[2], depths));
}
END_TEST

/* Another run may give another tree, but a statement sees one tree, whichever connection
** has made it. */
START_TEST(a_tree_that_varies) {
    static const char twice[] =
        "SELECT count(*) FROM gpu_dfs('roads', 1) a, gpu_dfs('roads', 1) b ON a.vertex = "
        "b.vertex AND a.parent IS NOT b.parent";
    all_share();
    for (int i = 0; i < CONNECTIONS; i++) {
        char *got = ask_in(each[i], twice);
        ck_assert_str_eq(got, "0");
        sqlite3_free(got);
    }
}
END_TEST

static void ask_in_child(int unused) {
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < QUESTIONS; k++)
            ask_right(each[i], k);
    sqlite3_close(each[1]);
}

START_TEST(in_a_child) {
    all_share();
    for (int i = 0; i < CONNECTIONS; i++)
        do_in(each[i], depths);
    in_child(ask_in_child, 0);
    for (int i = 0; i < CONNECTIONS; i++)
        ck_assert(!searches(each[i], depths));
}
END_TEST

/* Each allocation of SQLite's allocator fails in turn, in the connection that takes the
** search and extends it. */
START_TEST(without_memory) {
    int failed = 0;
    for (long n = 1; n < 4000; n++) {
        if (left_out_of((uint64_t)n, 7))
            continue;
        do_in(each[0], "SELECT gpugraph_config('cache_limit', 0)");
        do_in(each[0], depths);
        do_in(each[0], "SELECT gpugraph_config('cache_limit', 1 << 30)");
        do_in(each[0], depths);
        sqlite3 *c = database_connect("");
        do_in(c, "SELECT count(*) FROM gpu_sssp('roads', 9)");
        sqlite_countdown = n;
        int rc = sqlite3_exec(c, depths, NULL, NULL, NULL);
        if (rc == SQLITE_OK)
            rc = sqlite3_exec(c, parents, NULL, NULL, NULL);
        bool all_given = sqlite_countdown > 0;
        sqlite_countdown = 0;
        expect(rc == SQLITE_OK || rc == SQLITE_NOMEM, "allocation %ld: %d", n, rc);
        failed += rc != SQLITE_OK;
        ask_right(c, 1);
        sqlite3_close(c);
        ask_right(each[0], 1);
        if (all_given)
            break;
    }
    expect(failed > 5, "%d allocations have failed", failed);
}
END_TEST

/* ---- several threads ---- */

typedef struct crowd {
    sqlite3 *c[THREADS];
    char *want[QUESTIONS];
} crowd;

static void ask_at_random(void *memory, uint32_t number) {
    const crowd *crowd = memory;
    uint64_t random = number + 1;
    for (int i = 0; i < ROUNDS; i++) {
        const int k = (int)(shape_random(&random) % QUESTIONS);
        char *got = ask_of(crowd->c[number], k, "roads");
        expect(strcmp(got, crowd->want[k]) == 0, "%s\n got  %s\n want %s", question[k],
               got, crowd->want[k]);
        sqlite3_free(got);
        if (shape_random(&random) % 8 == 0)
            do_in(crowd->c[number], "SELECT gpugraph_config('cache_limit', 0), "
                                    "gpugraph_config('cache_limit', 1 << 30)");
    }
}

START_TEST(all_at_once) {
    crowd crowd;
    for (int k = 0; k < QUESTIONS; k++)
        crowd.want[k] = ask_of(each[0], k, "SELECT src, dst, weight, id FROM roads");
    for (int i = 0; i < THREADS; i++) {
        crowd.c[i] = database_connect("");
        do_in(crowd.c[i], "SELECT gpugraph_config('threads', 2)");
    }
    run_workers(THREADS, ask_at_random, &crowd, NULL, 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(sqlite3_close(crowd.c[i]), SQLITE_OK);
    for (int k = 0; k < QUESTIONS; k++)
        sqlite3_free(crowd.want[k]);
}
END_TEST

const struct suite suite = {
    "searches of several connections",
    {{"one after the other", .setup = set_up, .teardown = tear_down, .timeout = 60,
      .cases = {{&made_once},
                {&added_to_by_each},
                {&forgotten_by_one},
                {&a_tree_that_varies}}},
     {"memory", .setup = set_up, .teardown = tear_down, .timeout = 120,
      .cases = {{&without_memory}}},
     {"fork", .tags = "serial", .setup = set_up, .teardown = tear_down,
      .cases = {{&in_a_child}}},
     {"threads", .setup = set_up, .teardown = tear_down, .timeout = 120,
      .cases = {{&all_at_once}}}},
    .begin = sqlite_memory_may_fail};
