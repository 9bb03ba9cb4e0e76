/* Searches of `source IN (...)` and later calls that use them: rows, orders, bounds,
** arrays and trees equal those of recursion in plain SQL, for depths on both sides of
** 255. */
/* ctest: serial wrap=memory */
#include "gpugraph_extension.h"
#include "failing_memory.h"
#include "sql.h"
#include "suite.h"
#include "gpugraph.h"

#include <stdlib.h>
#include <string.h>

/* ids(v): sources. truth(s, v, d): depths from each of them, level by level. */
static void make_truth(int sources) {
    run("CREATE TABLE ids(v INTEGER PRIMARY KEY);"
        "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < %d) "
        "INSERT INTO ids SELECT i FROM c",
        sources);
    run("CREATE INDEX by_src ON g(src);"
        "CREATE TABLE truth(s, v, d, PRIMARY KEY (s, v)) WITHOUT ROWID;"
        "INSERT INTO truth SELECT v, v, 0 FROM ids WHERE v IN (SELECT src FROM g UNION "
        "SELECT dst FROM g)");
    for (int depth = 0;; depth++) {
        run("INSERT OR IGNORE INTO truth SELECT s, dst, %d FROM truth JOIN g ON src = v "
            "WHERE d = %d",
            depth + 1, depth);
        if (sqlite3_changes(db) == 0)
            return;
    }
}

static void make_path(int vertices) {
    run("CREATE TABLE g(src INTEGER, dst INTEGER);"
        "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < %d) "
        "INSERT INTO g SELECT i, i + 1 FROM c",
        vertices - 1);
}

enum { GRAPHS = 7 };

/* A graph of few levels with unreachable vertices; paths whose largest depth is 253 to
** 399; a graph with one long path. */
static void make_graph(int which) {
    static const int vertices[] = {254, 255, 256, 257, 400};
    sql_open();
    run("SELECT gpugraph_config('backend', 'cpu')");
    if (which == 0)
        make_random("g", 200, 420, 5);
    else if (which <= 5)
        make_path(vertices[which - 1]);
    else {
        make_random("g", 40, 90, 9);
        run("WITH RECURSIVE c(i) AS (VALUES (1000) UNION ALL SELECT i + 1 FROM c WHERE i "
            "< 1300) INSERT INTO g SELECT i, i + 1, 1 FROM c;"
            "INSERT INTO g VALUES (17, 1000, 1)");
    }
    make_truth(40);
}

static const struct pair {
    const char *asked, *right; /* after SELECT; %s: the sources */
} pairs[] = {
    {"source, vertex, depth FROM gpu_bfs('g') WHERE source IN (%s) ORDER BY 1, 2",
     "s, v, d FROM truth WHERE s IN (%s) ORDER BY 1, 2"},
    {"source, vertex FROM gpu_bfs('g') WHERE source IN (%s) AND depth <= 3 ORDER BY 1, 2",
     "s, v FROM truth WHERE s IN (%s) AND d <= 3 ORDER BY 1, 2"},
    {"source, vertex, depth FROM gpu_bfs('g') WHERE source IN (%s) AND max_depth = 2 "
     "ORDER BY 1, 2",
     "s, v, d FROM truth WHERE s IN (%s) AND d <= 2 ORDER BY 1, 2"},
    {"source, vertex, depth FROM gpu_bfs('g') WHERE source IN (%s) AND max_depth = 254 "
     "ORDER BY 1, 2",
     "s, v, d FROM truth WHERE s IN (%s) AND d <= 254 ORDER BY 1, 2"},
    {"source, vertex, depth FROM gpu_bfs('g') WHERE source IN (%s) AND max_depth = 255 "
     "ORDER BY 1, 2",
     "s, v, d FROM truth WHERE s IN (%s) AND d <= 255 ORDER BY 1, 2"},
    {"source, vertex, depth FROM gpu_bfs('g') WHERE source IN (%s) AND depth BETWEEN 252 "
     "AND 256 ORDER BY 1, 2",
     "s, v, d FROM truth WHERE s IN (%s) AND d BETWEEN 252 AND 256 ORDER BY 1, 2"},
    {"source, vertex FROM gpu_bfs('g') WHERE source IN (%s) AND depth = 1 ORDER BY 1, 2",
     "s, v FROM truth WHERE s IN (%s) AND d = 1 ORDER BY 1, 2"},
    {"source, depth FROM gpu_bfs('g') WHERE source IN (%s) AND vertex = 30 ORDER BY 1",
     "s, d FROM truth WHERE s IN (%s) AND v = 30 ORDER BY 1"},
    {"source, vertex, depth FROM gpu_bfs('g') WHERE source IN (%s) AND vertex IN (3, 9, "
     "31, 256, 7777) ORDER BY 1, 2",
     "s, v, d FROM truth WHERE s IN (%s) AND v IN (3, 9, 31, 256) ORDER BY 1, 2"},
    {"source, target, depth FROM gpu_bfs('g') WHERE source IN (%s) AND target IN (3, 20, "
     "31) ORDER BY 1, 2",
     "s, v, d FROM truth WHERE s IN (%s) AND v IN (3, 20, 31) ORDER BY 1, 2"},
    {"depth, source, vertex FROM gpu_bfs('g') WHERE source IN (%s) ORDER BY 1, 2, 3",
     "d, s, v FROM truth WHERE s IN (%s) ORDER BY 1, 2, 3"},
    {"depth FROM gpu_bfs('g') WHERE source IN (%s) ORDER BY depth DESC LIMIT 9",
     "d FROM truth WHERE s IN (%s) ORDER BY d DESC LIMIT 9"},
    {"source, count(*), min(depth), max(depth), sum(depth), count(DISTINCT depth) FROM "
     "gpu_bfs('g') WHERE source IN (%s) GROUP BY source ORDER BY 1",
     "s, count(*), min(d), max(d), sum(d), count(DISTINCT d) FROM truth WHERE s IN (%s) "
     "GROUP BY s ORDER BY 1"},
    {"count(*) FROM gpu_bfs('g') WHERE source IN (%s)",
     "count(*) FROM truth WHERE s IN (%s)"},
};

static void compare(const struct pair *p, const char *sources) {
    char *asked = sqlite3_mprintf(p->asked, sources);
    char *right = sqlite3_mprintf(p->right, sources);
    char *select_asked = sqlite3_mprintf("SELECT %s", asked);
    char *select_right = sqlite3_mprintf("SELECT %s", right);
    expect_same(select_asked, select_right);
    sqlite3_free(asked);
    sqlite3_free(right);
    sqlite3_free(select_asked);
    sqlite3_free(select_right);
}

static const char all_ids[] = "SELECT v FROM ids";

/* Each statement runs without kept searches, and with those of the first statement. */
START_TEST(rows_of_every_graph) {
    make_graph(_i);
    for (int kept = 0; kept < 2; kept++)
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            if (!kept)
                run("DELETE FROM g WHERE rowid = 0; INSERT INTO g SELECT * FROM g WHERE "
                    "rowid = 1"); /* a parallel edge: another graph */
            compare(&pairs[i], i % 3 == 2 ? "2, 5, 17, 33, 39, 5555" : all_ids);
        }
    sql_close();
}
END_TEST

/* Kept searches of a list serve calls from one source with an order, a tree or other
** bounds. */
START_TEST(one_source_afterwards) {
    static const char *const wheres[] = {"1", "depth <= 2", "max_depth = 254",
                                         "depth > 250", "vertex = 20"};
    static const char *const rights[] = {"1", "d <= 2", "d <= 254", "d > 250", "v = 20"};
    make_graph(_i);
    compare(&pairs[0], all_ids);
    for (int source = 1; source <= 40; source += 8)
        for (size_t i = 0; i < sizeof wheres / sizeof *wheres; i++)
            for (int down = 0; down < 2; down++) {
                const char *order = down ? "DESC" : "ASC";
                char *asked = sqlite3_mprintf(
                    "SELECT vertex, depth FROM gpu_bfs('g', %d) WHERE %s ORDER BY depth "
                    "%s, vertex %s",
                    source, wheres[i], order, order);
                char *right = sqlite3_mprintf(
                    "SELECT v, d FROM truth WHERE s = %d AND %s ORDER BY d %s, v %s",
                    source, rights[i], order, order);
                expect_same(asked, right);
                sqlite3_free(asked);
                sqlite3_free(right);
                asked = sqlite3_mprintf(
                    "SELECT depth FROM gpu_bfs('g', %d) WHERE %s ORDER BY depth %s",
                    source, wheres[i], order);
                right = sqlite3_mprintf(
                    "SELECT d FROM truth WHERE s = %d AND %s ORDER BY d %s", source,
                    rights[i], order);
                expect_same(asked, right);
                sqlite3_free(asked);
                sqlite3_free(right);
            }
    /* The searches serve paths, too. A vertex that is not reached has no path. */
    expect_same("SELECT p.target, max(p.seq) FROM ids a, gpu_path('g', 33, a.v) p WHERE "
                "weighted = 0 GROUP BY 1 ORDER BY 1",
                "SELECT v, d FROM truth WHERE s = 33 AND v IN (SELECT v FROM ids) ORDER "
                "BY 1");
    for (int source = 2; source <= 40; source += 9) {
        expect("0",
               "SELECT count(*) FROM gpu_bfs('g', %d) b WHERE depth > 0 AND NOT EXISTS "
               "(SELECT 1 FROM truth t, g WHERE t.s = %d AND t.v = b.parent AND t.d = "
               "b.depth - 1 AND g.rowid = b.edge AND g.src = b.parent AND g.dst = "
               "b.vertex)",
               source, source);
        char *asked = sqlite3_mprintf(
            "SELECT vertex, depth FROM gpu_bfs('g', %d) ORDER BY vertex", source);
        char *right =
            sqlite3_mprintf("SELECT v, d FROM truth WHERE s = %d ORDER BY v", source);
        expect_same(asked, right);
        sqlite3_free(asked);
        sqlite3_free(right);
    }
    sql_close();
}
END_TEST

/* ---- room ---- */

/* The graph has 300 vertices. The search from the first of 31 sources runs alone, and
** half of the cache has space for 5 searches. */
static void make_room(void) {
    run("SELECT gpugraph_config('backend', 'cpu')");
    run("SELECT gpugraph_config('cache_limit', %d)", 2 * 20 * 301 + 8);
}

/* The timings describe the last batch, which has the remaining sources. */
static void expect_last_batch(int sources) {
    expect("1",
           "SELECT count(*) FROM gpugraph_timings WHERE phase = 'search' AND detail LIKE "
           "'%%; %d source%% at once%%'",
           sources);
}

START_TEST(room_for_batches) {
    sql_open();
    make_room();
    run("CREATE TABLE g(src INTEGER, dst INTEGER);"
        "WITH RECURSIVE c(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM c WHERE i < 300) "
        "INSERT INTO g SELECT 1, i FROM c UNION ALL SELECT i, 1 FROM c");
    make_truth(31);
    expect("9300", "SELECT count(depth) FROM gpu_bfs('g') WHERE method = 'multi-source' "
                   "AND source IN (SELECT v FROM ids)");
    expect_last_batch(5);
    /* With tree edges each vertex takes twice as many bytes. */
    run("INSERT INTO g VALUES (1, 2)");
    expect("9269", "SELECT count(parent) FROM gpu_bfs('g') WHERE method = 'multi-source' "
                   "AND source IN (SELECT v FROM ids)");
    expect_last_batch(2);
    sql_close();
}
END_TEST

/* ---- arrays ---- */

static const gpugraph_arrays *take(const char *sql) {
    char *text = ask("%s", sql);
    const gpugraph_arrays *taken = gpugraph_take_arrays(strtoll(text, NULL, 10));
    ck_assert_msg(taken != NULL, "%s", text);
    sqlite3_free(text);
    return taken;
}

static void expect_depths(const char *sql, const uint32_t *right) {
    const gpugraph_arrays *a = take(sql);
    uint64_t i = 0;
    while (i < a->columns && strcmp(a->column[i].name, "depth") != 0)
        i++;
    ck_assert_uint_lt(i, a->columns);
    ck_assert_int_eq(a->column[i].item_bytes, 4);
    ck_assert_mem_eq(a->column[i].item, right, a->count * 4);
    gpugraph_free_arrays(a);
}

START_TEST(arrays_of_depths) {
    enum { NO = -1 };
    sql_open();
    make_roads(); /* 1, 2, 3, 4, 8, 9 */
    run("SELECT gpugraph_config('backend', 'cpu')");
    expect("9", "SELECT count(*) FROM gpu_bfs('roads') WHERE source IN (1, 2, 3, 8) AND "
                "depth < 2");
    expect("11", "SELECT count(*) FROM gpu_bfs('roads') WHERE source IN (1, 2, 3, 8)");
    expect_depths("SELECT arrays FROM gpu_bfs('roads', 2)",
                  (const uint32_t[]){NO, 0, 1, 2, NO, NO});
    expect_depths("SELECT arrays FROM gpu_bfs('roads', 8)",
                  (const uint32_t[]){NO, NO, NO, NO, 0, 1});
    expect_depths("SELECT arrays FROM gpu_bfs('roads', 2) WHERE depth <= 1",
                  (const uint32_t[]){NO, 0, 1, NO, NO, NO});
    expect_depths("SELECT arrays, parent, edge FROM gpu_bfs('roads', 2)",
                  (const uint32_t[]){NO, 0, 1, 2, NO, NO});
    expect_depths("SELECT arrays FROM gpu_bfs('roads', 2)",
                  (const uint32_t[]){NO, 0, 1, 2, NO, NO});
    expect("2;3", "SELECT count(*) FROM gpu_bfs('roads', 8) UNION ALL SELECT count(*) "
                  "FROM gpu_bfs('roads', 2)");
    sql_close();
    ck_assert_int_eq(sqlite3_memory_used(), 0);
}
END_TEST

/* ---- memory ---- */

/* When any allocation fails, the statement fails and no memory leaks. */
START_TEST(without_memory) {
    static const char *const asked[] = {
        "SELECT count(*) FROM gpu_bfs('roads') WHERE source IN (1, 2, 3, 8)",
        "SELECT source, depth FROM gpu_bfs('roads') WHERE source IN (1, 2, 3, 8) AND "
        "method = 'top-down' ORDER BY depth",
        "SELECT max(arrays) FROM gpu_bfs('roads') WHERE source IN (1, 2, 3, 8)",
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        long blocks = 0;
        bool failed = true;
        for (int n = 1; failed; n++) {
            sql_open();
            make_roads();
            run("SELECT gpugraph_config('threads', 1)");
            fail_from(n, false);
            char *text = ask("%s", asked[i]);
            failed = fail_no_more();
            sqlite3_free(text);
            expect("0;1;2", "SELECT depth FROM gpu_bfs('roads', 2) ORDER BY depth");
            sql_close();
            if (n > 2)
                ck_assert_msg(heap_blocks() <= blocks, "allocation %d leaves blocks", n);
            blocks = heap_blocks();
        }
    }
}
END_TEST

const struct suite suite = {
    "source_depths",
    {{"source depths", .timeout = 120,
      .cases = {{&rows_of_every_graph, GRAPHS},
                {&one_source_afterwards, GRAPHS},
                {&room_for_batches},
                {&arrays_of_depths},
                {&without_memory}}}},
};
