/* Searches that reach few vertices, whose answers are lists. The rows equal those of
** recursion in plain SQL, in any order of questions, and for any question to a kept
** answer. */
/* ctest: serial */
#include <stdio.h>
#include <string.h>

#include "sssp/sssp.h"
#include "share.h"
#include "sql.h"
#include "suite.h"
#include "base/limits.h"

/* The directions in which an edge can be followed: arcs(a, b, id, w). */
static const char *const directions[] = {"out", "in", "both"};
static const char *const arcs[] = {"SELECT src, dst, rowid, weight FROM g",
                                   "SELECT dst, src, rowid, weight FROM g",
                                   "SELECT src, dst, rowid, weight FROM g UNION ALL "
                                   "SELECT dst, src, rowid, weight FROM g"};

/* Searches by depth, and by weights of 1 to 9. */
static const struct kind {
    const char *function, *maximum;
    const char *value;  /* a column of the function, and of the table truth */
    const char *weight; /* the weight of an arc, in SQL */
    int most;           /* the bound on the value is this number for each step */
} kinds[] = {{"gpu_bfs", "max_depth", "depth", "1", 1},
             {"gpu_sssp", "max_distance", "distance", "w", 4}};

/* truth(source, vertex, depth, distance, parent, edge): up to `most` steps from each
** source. The graph may have parallel edges and loops. */
static void make_truth(const struct kind *k, int direction, int most) {
    run("DROP TABLE IF EXISTS arcs; DROP TABLE IF EXISTS near; DROP TABLE IF EXISTS "
        "truth; CREATE TABLE arcs(a, b, id, w); INSERT INTO arcs %s;"
        "CREATE INDEX a ON arcs(a); CREATE INDEX b ON arcs(b);",
        arcs[direction]);
    run("CREATE TABLE near(source, vertex, value, PRIMARY KEY(source, vertex));"
        "WITH RECURSIVE r(s, v, d) AS (SELECT v, v, 0 FROM ids WHERE v IN (SELECT src "
        "FROM g UNION SELECT dst FROM g) UNION SELECT s, b, d + %s FROM r, arcs WHERE a "
        "= "
        "v AND d + %s <= %d) INSERT INTO near SELECT s, v, min(d) FROM r GROUP BY s, v",
        k->weight, k->weight, most * k->most);
    run("CREATE TABLE truth AS SELECT source, vertex, value AS depth, value AS distance, "
        "NULL AS parent, (SELECT min(id) FROM arcs, near u WHERE b = n.vertex AND "
        "u.vertex = a AND u.source = n.source AND u.value = n.value - %s) AS edge FROM "
        "near n; UPDATE truth SET parent = (SELECT CASE WHEN dst = vertex THEN src ELSE "
        "dst END FROM g WHERE rowid = edge)",
        k->weight);
}

static void make_graph(int n, int m, unsigned seed) {
    static const char *const backends[] = {"auto", "cpu", "cuda"};
    gg_limits.reached_least = 0; /* so that a device makes lists, too */
    run("SELECT gpugraph_config('backend', '%s')",
        backends[suite_has_device() ? seed % 3 : seed % 3 > 0]);
    make_random("g", n, m, seed);
    run("CREATE TABLE ids(v); WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 7 "
        "FROM "
        "c WHERE i < %d) INSERT INTO ids SELECT i FROM c; INSERT INTO ids VALUES (NULL), "
        "(100000)",
        n);
}

/* Compares a set of columns for a list of sources and for a call from each source. */
static void compare(const struct kind *k, const char *columns, int direction, int most) {
    char *calls[] = {
        sqlite3_mprintf(
            "SELECT %s FROM %s('g') t WHERE source IN (SELECT v FROM ids) AND "
            "%s = %d",
            columns, k->function, k->maximum, most * k->most),
        sqlite3_mprintf("SELECT %s FROM ids CROSS JOIN %s('g', v) t WHERE %s <= %d",
                        columns, k->function, k->value, most * k->most),
        sqlite3_mprintf(
            "SELECT %s FROM ids CROSS JOIN %s('g') t ON source = v AND +%s >= "
            "0 AND %s < 1 + %d",
            columns, k->function, k->value, k->value, most * k->most)};
    char *truth = ask("SELECT %s FROM truth t ORDER BY source, vertex", columns);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char *rows = ask("%s AND direction = '%s' ORDER BY source, vertex", calls[i],
                         directions[direction]);
        ck_assert_msg(strcmp(rows, truth) == 0, "%s: %.300s, not %.300s", calls[i], rows,
                      truth);
        sqlite3_free(rows);
        sqlite3_free(calls[i]);
    }
    sqlite3_free(truth);
}

/* Sparse and dense graphs: some searches end as lists, others do not. */
START_TEST(rows_of_many_sources) {
    static const char *const columns[] = {
        "t.source, vertex", "vertex, %s", "vertex, parent, t.source",
        "vertex, edge",     "edge, %s",   "t.source, vertex, %s, parent, edge"};
    static const int edges[] = {100, 250, 400, 1500};
    for (int i = 0; i < 24; i++) {
        const int direction = i % 3, most = i / 2 % 4;
        const struct kind *k = &kinds[i / 3 % 2];
        if (left_out((uint64_t)i))
            continue;
        sql_open();
        make_graph(250, edges[(i + _i) % 4], (unsigned)(i + 20 * _i + 1));
        make_truth(k, direction, most);
        for (int c = 0; c < 6; c++) {
            char *wanted = sqlite3_mprintf(columns[(c + i) % 6], k->value);
            compare(k, wanted, direction, most);
            sqlite3_free(wanted);
        }
        sql_close();
    }
}
END_TEST

/* Questions to a kept list from one source: targets, single vertices, orders, a tree,
** arrays by vertex, paths. %s is the value. */
static const char *const asked[][2] = {
    {"vertex, %s", "1 ORDER BY vertex"},
    {"vertex, %s", "1 ORDER BY vertex DESC"},
    {"%s, vertex", "1 ORDER BY 1, vertex"},
    {"%s, vertex", "1 ORDER BY 1 DESC, vertex DESC"},
    {"%s, vertex, parent, edge", "1 ORDER BY 1, vertex"},
    {"vertex, edge", "vertex = 9"},
    {"vertex, %s", "vertex IN (3, 9, 17, 44, 100000) ORDER BY vertex"},
    {"%s, vertex, edge", "vertex IN (SELECT v FROM ids) ORDER BY vertex"},
    {"%s, i.v, vertex", "vertex = i.v ORDER BY i.v"},
    {"vertex, %s", "+vertex > 30 ORDER BY vertex"},
    {"count(*), sum(%s), max(edge)", "1"},
};
enum { ASKED = sizeof asked / sizeof *asked };

static void ask_both(const struct kind *k, int which, int direction, int most) {
    const char *where = asked[which][1];
    char *columns = sqlite3_mprintf(asked[which][0], k->value);
    const char *from = strstr(columns, "i.v") ? "ids i CROSS JOIN" : "";
    char *list = sqlite3_mprintf(
        "SELECT %s FROM %s %s('g', 1) t WHERE %s = %d AND direction = '%s' "
        "AND %s",
        columns, from, k->function, k->maximum, most * k->most, directions[direction],
        where);
    char *truth = sqlite3_mprintf("SELECT %s FROM %s truth t WHERE t.source = 1 AND %s",
                                  columns, from, where);
    expect_same(list, truth);
    sqlite3_free(columns);
    sqlite3_free(list);
    sqlite3_free(truth);
}

START_TEST(one_kept_list) {
    for (int first = 0; first < 2 * ASKED; first++) {
        const int direction = first % 3, most = 1 + (first + _i) % 3;
        const struct kind *k = &kinds[first % 2];
        sql_open();
        make_graph(250, _i ? 400 : 900, (unsigned)(first + 1));
        make_truth(k, direction, most);
        if (_i) /* makes the rows for trees */
            run("SELECT sum(edge) FROM %s('g') WHERE source IN (SELECT v FROM ids)",
                k->function);
        for (int i = 0; i < ASKED; i++)
            ask_both(k, (first + i * 5) % ASKED, direction, most);
        run("SELECT arrays, parent, edge FROM %s('g', 1) WHERE %s = %d AND direction = "
            "'%s'",
            k->function, k->maximum, most * k->most, directions[direction]);
        for (int i = 0; i < ASKED; i++)
            ask_both(k, (first + i * 3) % ASKED, direction, most);
        sql_close();
    }
}
END_TEST

/* The method shows which searches are lists. */
/* Expects that the statement's search runs on the CPU by the method. */
static void expect_method(const char *method, const char *statement) {
    run("%s", statement);
    expect("1",
           "SELECT count(*) FROM gpugraph_timings WHERE phase = 'search' AND detail LIKE "
           "'%s on cpu%%'",
           method);
}

START_TEST(what_is_a_list) {
    make_graph(250, 400, 1);
    run("SELECT gpugraph_config('backend', 'cpu')");
    expect_method("top-down", "SELECT vertex FROM gpu_bfs('g', 1) WHERE max_depth = 2");
    expect_method("top-down", "SELECT vertex FROM gpu_bfs('g', 1) WHERE depth < 2");
    expect_method("top-down", "SELECT vertex FROM gpu_bfs('g', 3) LIMIT 1");
    expect_method("direction-optimizing",
                  "SELECT * FROM gpu_bfs('g', 3) WHERE arrays > 0 "
                  "AND max_depth = 1 LIMIT 1");
    expect("1", "SELECT count(*) > 0 FROM gpu_sssp('g', 1) WHERE distance <= 5");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'search' AND detail "
                "LIKE 'dijkstra on cpu; a list%%'");
    expect_method("direction-optimizing",
                  "SELECT vertex FROM gpu_bfs('g', 1) WHERE max_depth = 90");
    expect_method("direction-optimizing",
                  "SELECT * FROM gpu_bfs('g', 1) WHERE max_depth = "
                  "1 AND method = 'direction-optimizing'");
    expect("1", "SELECT count(DISTINCT source) > 30 FROM gpu_bfs('g') WHERE source IN "
                "(SELECT v FROM ids) AND max_depth = 2");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'search' AND detail "
                "LIKE 'top-down on cpu; a list%%'");
}
END_TEST

static void ask_by_two(const char *question, int from, int most, const char *weight,
                       const char *arrays, const char *list) {
    char *asks = sqlite3_mprintf(question, from, most, weight);
    char *first = sqlite3_mprintf("SELECT * FROM %s AND method = '%s'", asks, arrays);
    char *second = sqlite3_mprintf("SELECT * FROM %s AND method = '%s'", asks, list);
    expect_same(first, second);
    sqlite3_free(first);
    sqlite3_free(second);
    sqlite3_free(asks);
}

/* A search by weight makes rows with weights. A search by depth must not use the
** weights. */
START_TEST(depths_beside_weights) {
    const char *reached = "SELECT count(*), sum(vertex * depth) FROM gpu_bfs('g', 1) "
                          "WHERE max_depth = 3";
    make_graph(250, 400, 1);
    run("SELECT gpugraph_config('backend', 'cpu')");
    run("SELECT count(*) FROM gpu_sssp('g', 1)");
    char *right = ask("%s AND method = 'direction-optimizing'", reached);
    expect_method("top-down", reached);
    expect(right, "%s", reached);
    sqlite3_free(right);
}
END_TEST

/* The reader of arrays by vertex skips entries without rows in groups. The rows equal
** those of lists, for each type of value. A long path has stretches without a row, and
** rows close together in the middle. */
START_TEST(arrays_of_few_rows) {
    static const char *const weights[] = {"1", "20000000000", "0.25"};
    run("SELECT gpugraph_config('backend', 'cpu')");
    run("CREATE TABLE p(a INTEGER, b INTEGER, w); CREATE INDEX p_a ON p(a)");
    for (int type = 0; type < 3; type++) {
        run("DELETE FROM p; WITH RECURSIVE c(i) AS (VALUES(0) UNION ALL SELECT i + 1 "
            "FROM c "
            "WHERE i < 1200) INSERT INTO p SELECT i * 7919 %% 1201, (i + 1) * 7919 %% "
            "1201, "
            "%s FROM c; INSERT INTO p SELECT a, (a + 1) %% 1201, w FROM p WHERE a > 600 "
            "AND "
            "a < 640",
            weights[type]);
        for (int most = 0; most < 40; most += 1 + most / 5) {
            const int from = most * 97 % 1201;
            ask_by_two("gpu_bfs('p(a, b)', %d) WHERE max_depth = %d * %s", from, most,
                       "1", "direction-optimizing", "top-down");
            ask_by_two("gpu_sssp('p(a, b, w)', %d) WHERE max_distance = %d * %s", from,
                       most, weights[type], "delta-stepping", "dijkstra");
        }
    }
}
END_TEST

/* A device finds the rows of the CPU, as a list. */
START_TEST(lists_of_a_device) {
    static const char *const questions[] = {
        "SELECT vertex, depth FROM gpu_bfs('g', 1) WHERE max_depth = 2",
        "SELECT vertex, depth, parent, edge FROM gpu_bfs('g', 2) WHERE depth < 3 ORDER "
        "BY "
        "vertex DESC",
        "SELECT vertex, distance, edge FROM gpu_sssp('g', 1) WHERE distance <= 9 ORDER "
        "BY "
        "distance, vertex",
        "SELECT vertex, distance FROM gpu_sssp('f', 1) WHERE distance <= 9",
        "SELECT count(*) FROM gpu_sssp('g', 1) WHERE max_distance = 0",
        "SELECT vertex, depth FROM gpu_bfs('g', 3) WHERE vertex = 77",
        "SELECT distance, parent, edge FROM gpu_sssp('f', 3) WHERE vertex = 78",
        "SELECT vertex, distance FROM gpu_sssp('g', 3) WHERE target IN (9, 5, 1300, "
        "2001) "
        "ORDER BY 1",
        "SELECT depth FROM gpu_bfs('g', 3) WHERE vertex = 3 AND direction = 'in'",
    };
    if (!suite_has_device())
        return;
    make_graph(3000, 9000, 5);
    run("CREATE TABLE f AS SELECT src, dst, weight * 0.75 AS weight FROM g");
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        run("SELECT gpugraph_config('backend', 'cpu')");
        char *right = ask("%s", questions[i]);
        run("SELECT gpugraph_config('backend', 'cuda')");
        char *rows = ask("%s", questions[i]);
        ck_assert_msg(strcmp(rows, right) == 0, "%s: %.300s, not %.300s", questions[i],
                      rows, right);
        char *phases = ask("SELECT group_concat(detail, '; ') FROM gpugraph_timings "
                           "WHERE phase = 'download'");
        ck_assert_msg(strncmp(phases, "'a list", 7) == 0 ||
                          strncmp(phases, "'targets", 8) == 0,
                      "%s: %s", questions[i], phases);
        sqlite3_free(phases);
        sqlite3_free(rows);
        sqlite3_free(right);
    }
}
END_TEST

/* A search ends after the level in which it reaches the limit. Its rows are the nearest
** vertices. */
START_TEST(limits) {
    make_graph(250, 400, 4);
    make_truth(&kinds[0], 0, 9);
    for (int limit = 1; limit < 90; limit += 4) {
        char *list = sqlite3_mprintf(
            "SELECT depth FROM gpu_bfs('g', 1) ORDER BY depth LIMIT %d OFFSET 3", limit);
        char *truth = sqlite3_mprintf("SELECT depth FROM truth WHERE source = 1 ORDER BY "
                                      "depth LIMIT %d OFFSET 3",
                                      limit);
        expect_same(list, truth);
        sqlite3_free(list);
        sqlite3_free(truth);
    }
}
END_TEST

/* The list describes the graph that was read. A followed graph has the numbers of new
** edges at once. */
START_TEST(edges_that_change) {
    make_graph(250, 400, 2);
    run("CREATE VIRTUAL TABLE net USING gpugraph(g(src, dst))");
    for (int i = 0; i < 12; i++) {
        make_truth(&kinds[0], 2, 2);
        for (int again = 0; again < 2; again++) {
            expect_same(
                "SELECT vertex, depth, parent, edge FROM ids CROSS JOIN "
                "gpu_bfs('net', v) WHERE max_depth = 2 AND direction = 'both' ORDER "
                "BY v, vertex",
                "SELECT vertex, depth, parent, edge FROM truth ORDER BY source, "
                "vertex");
        }
        run("DELETE FROM g WHERE rowid %% 17 = %d; INSERT INTO g SELECT src, 251 - dst, "
            "1 "
            "FROM g WHERE rowid %% 19 = %d",
            i, i);
    }
}
END_TEST

/* A search that outgrows its list makes no rows with edge numbers for a tree. */
START_TEST(no_rows_in_vain) {
    run("SELECT gpugraph_config('backend', 'cpu'); CREATE TABLE g(src, dst, weight);"
        "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 200) "
        "INSERT INTO g SELECT i, i %% 200 + 1, 1 FROM c");
    for (int k = 0; k < 2; k++) {
        expect("181",
               "SELECT count(*) FROM %s('g', 1) WHERE %s = 90 AND direction = "
               "'both'",
               kinds[k].function, kinds[k].maximum);
        for (int i = 2; i < 30; i++) {
            expect("181|180",
                   "SELECT count(*), count(edge) FROM %s('g', %d) WHERE %s = 90 "
                   "AND direction = 'both'",
                   kinds[k].function, i, kinds[k].maximum);
            expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'csr'");
        }
    }
    expect("3|2", "SELECT count(*), count(edge) FROM gpu_bfs('g', 1) WHERE max_depth = 1 "
                  "AND direction = 'both'");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'csr'");
}
END_TEST

/* A distance that exceeds its range is no error if it lies beyond the bounds and targets
** of a join. Earlier searches do not change this. */
START_TEST(distances_that_no_row_asks_for) {
    run("CREATE TABLE g(src, dst, weight); INSERT INTO g VALUES (1, 2, 3), (2, 3, "
        "9223372036854775807); CREATE TABLE b(most, target); INSERT INTO b VALUES (0, "
        "2), "
        "(4, 1), (3, 2), (9, 2)");
    expect("0|1;4|2;3|2;9|2", "SELECT most, count(*) FROM b CROSS JOIN gpu_sssp('g', 1) "
                              "WHERE distance <= most GROUP BY b.rowid");
    expect("0|1;4|2;3|2;9|2", "SELECT most, count(*) FROM b CROSS JOIN gpu_sssp('g', 1) "
                              "WHERE max_distance = most GROUP BY b.rowid");
    expect("3;0;3;3",
           "SELECT distance FROM b CROSS JOIN gpu_sssp('g', 1) t ON t.target = "
           "b.target");
    char *error = ask("SELECT count(*) FROM gpu_sssp('g', 1)");
    ck_assert_ptr_nonnull(strstr(error, "over the INTEGER range"));
    sqlite3_free(error);
}
END_TEST

const struct suite suite = {
    "listed",
    {{"opens", .timeout = 240,
      .cases = {{&rows_of_many_sources, 4}, {&one_kept_list, 2}}},
     {"listed", .timeout = 240, .setup = sql_open, .teardown = sql_close,
      .cases = {{&what_is_a_list},
                {&depths_beside_weights},
                {&arrays_of_few_rows},
                {&lists_of_a_device},
                {&limits},
                {&edges_that_change},
                {&no_rows_in_vain},
                {&distances_that_no_row_asks_for}}}},
};
