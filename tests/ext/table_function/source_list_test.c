/* gpu_bfs with `source IN (...)` gives the rows of one call for each source: for each set
** of columns, and whether searches run ahead, are kept or neither. The method
** bidirectional of gpu_path gives the rows of the other methods. */
/* ctest: serial */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"
#include "suite.h"

/* ids(v): sources; 5000 is no vertex. The graph has two loops, and may have parallel
** edges. */
static void make_graph(int n, int m) {
    make_random("g", n, m, 7);
    run("INSERT INTO g SELECT 3, 3, 1 UNION ALL SELECT 5, 5, 1;"
        "CREATE TABLE ids(v); WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 "
        "FROM c WHERE i < 100) INSERT INTO ids SELECT i FROM c;"
        "INSERT INTO ids VALUES (5000), (NULL)");
}

/* Compares a list with a join. */
static void compare(const char *columns, const char *sources, const char *where) {
    char *list = sqlite3_mprintf(
        "SELECT %s FROM gpu_bfs('g') b WHERE b.source IN (SELECT v FROM ids WHERE %s) "
        "AND %s ORDER BY b.source, b.vertex",
        columns, sources, where);
    char *each = sqlite3_mprintf(
        "SELECT %s FROM (SELECT v FROM ids WHERE %s) a CROSS JOIN gpu_bfs('g', a.v) b "
        "WHERE %s ORDER BY b.source, b.vertex",
        columns, sources, where);
    expect_same(list, each);
    sqlite3_free(list);
    sqlite3_free(each);
}

static const char *const wheres[] = {
    "1",
    "max_depth = 2",
    "depth <= 3",
    "depth = 1",
    "target = 17",
    "target IN (4, 17, 99)",
    "vertex = 12",
    "direction = 'in'",
    "direction = 'both' AND max_depth = 1",
    "method = 'multi-source'",
    "method = 'multi-source' AND target = 40",
    "method = 'top-down' AND max_depth = 4",
};

/* Each subset of the columns needs other arrays. */
START_TEST(every_set_of_columns) {
    static const char *const column[] = {"vertex", "depth", "parent", "edge", "b.source"};
    make_graph(200, 500);
    for (int set = 1; set < 32; set++) {
        char columns[100] = "count(*) OVER ()";
        for (int i = 0; i < 5; i++)
            if (set >> i & 1)
                strcat(strcat(columns, ", "), column[i]);
        run("UPDATE g SET weight = %d WHERE rowid = 1", set); /* outdates kept graphs */
        compare(columns, set % 2 ? "v <= 70" : "v % 9 = 1", wheres[set % 12]);
    }
}
END_TEST

START_TEST(every_restriction) {
    static const char *const sources[] = {
        "1", "v IN (3, 5, 8, 5000)", "v = 5000", "v IS NULL", "v < 0", "v = 4"};
    make_graph(200, 1200);
    run("SELECT gpugraph_config('cache_limit', %d)", _i == 0   ? 1 << 30
                                                     : _i == 1 ? 0
                                                               : 200000);
    for (size_t i = 0; i < sizeof wheres / sizeof *wheres; i++)
        for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
            compare("vertex, depth, parent, edge, b.source, b.target", sources[s],
                    wheres[i]);
}
END_TEST

/* Orders, limits, DISTINCT and joins around a list. */
START_TEST(around_the_list) {
    make_graph(60, 200);
    expect_same(
        "SELECT depth, vertex, source FROM gpu_bfs('g') WHERE source IN (1, 2, 3) "
        "ORDER BY depth, vertex, source",
        "SELECT * FROM (SELECT depth, vertex, 1 s FROM gpu_bfs('g', 1) UNION ALL "
        "SELECT depth, vertex, 2 FROM gpu_bfs('g', 2) UNION ALL SELECT depth, "
        "vertex, 3 FROM gpu_bfs('g', 3)) ORDER BY depth, vertex, s");
    expect_same(
        "SELECT depth FROM gpu_bfs('g') WHERE source IN (1, 2) ORDER BY depth DESC",
        "SELECT depth FROM (SELECT depth FROM gpu_bfs('g', 1) UNION ALL SELECT "
        "depth FROM gpu_bfs('g', 2)) ORDER BY depth DESC");
    expect_same(
        "SELECT count(*) FROM (SELECT * FROM gpu_bfs('g') WHERE source IN (1, 2, "
        "3) LIMIT 100 OFFSET 7)",
        "SELECT min(100, max(0, count(*) - 7)) FROM (SELECT v FROM ids WHERE v <= "
        "3) a, gpu_bfs('g', a.v)");
    expect_same(
        "SELECT DISTINCT vertex FROM gpu_bfs('g') WHERE source IN (1, 2, 3) ORDER "
        "BY vertex",
        "SELECT vertex FROM gpu_bfs WHERE edges = 'g' AND sources = '[1, 2, 3]' "
        "ORDER BY vertex");
    expect_same(
        "SELECT a.v, b.source, b.depth FROM ids a, gpu_bfs('g') b WHERE b.source "
        "IN (1, 2, 9) AND b.vertex = a.v AND b.edges = 'g' ORDER BY 1, 2",
        "SELECT a.v, s.v, b.depth FROM ids a, (SELECT v FROM ids WHERE v IN (1, 2, "
        "9)) s, gpu_bfs('g', s.v) b WHERE b.vertex = a.v ORDER BY 1, 2");
    expect_same(
        "SELECT a.v, b.source, b.depth FROM ids a, gpu_bfs('g') b WHERE b.source "
        "IN (1, 2, 9, 11) AND b.target = a.v ORDER BY 1, 2",
        "SELECT a.v, s.v, b.depth FROM ids a, (SELECT v FROM ids WHERE v IN (1, 2, "
        "9, 11)) s, gpu_bfs('g', s.v, a.v) b ORDER BY 1, 2");
    expect("1", "SELECT EXISTS (SELECT 1 FROM gpu_bfs('g') WHERE source IN (1, 2, 3))");
    expect("", "SELECT vertex FROM gpu_bfs('g') WHERE source IN (NULL)");
    /* The statement sees one graph although its table grows meanwhile. */
    expect_same("SELECT count(*) FROM gpu_bfs('g') WHERE source IN (1, 2, 3, 4)",
                "SELECT count(*) FROM ids, gpu_bfs('g', v) WHERE v <= 4");
    char *before = ask("SELECT count(*) FROM gpu_bfs('g') WHERE source IN (1, 2, 3, 4)");
    run("INSERT INTO g SELECT source, 1000 + vertex, 1 FROM gpu_bfs('g') WHERE source IN "
        "(1, 2, 3, 4)");
    char *added = ask("SELECT count(*) FROM g WHERE dst > 1000");
    ck_assert_str_eq(before, added);
    sqlite3_free(before);
    sqlite3_free(added);
}
END_TEST

/* An INTEGER column makes one vertex of 1, '1' and ' 1', so there is one answer. */
START_TEST(the_same_vertex_twice) {
    static const char *const calls[] = {"vertex, depth, edge FROM gpu_bfs('whole')",
                                        "vertex, distance, edge FROM gpu_sssp('whole')",
                                        "vertex, preorder, edge FROM gpu_dfs('whole')",
                                        "target, vertex, edge FROM gpu_path('whole')"};
    static const char *const ends[] = {"1", "ordered = 1", "target IN (3, '3', 9)"};
    make_graph(60, 200);
    run("CREATE TABLE whole(src INTEGER, dst INTEGER, weight); INSERT INTO whole SELECT "
        "* "
        "FROM g; CREATE TABLE wanted(v, t); INSERT INTO wanted VALUES (1, ' 1'), (2, "
        "'2')");
    for (int i = 0; i < 4; i++) {
        const char *end = ends[i < 2 ? 0 : i - 1];
        char *list = sqlite3_mprintf(
            "SELECT source, %s WHERE %s AND source IN (1, '1', 2, ' 1', 5000, 'x') ORDER "
            "BY 1, 2, 3, 4",
            calls[i], end);
        char *each = sqlite3_mprintf("SELECT v, %s, wanted WHERE %s AND source = v ORDER "
                                     "BY 1, 2, 3, 4",
                                     calls[i], end);
        char *join =
            sqlite3_mprintf("SELECT source, %s, wanted WHERE %s AND source IN (v, "
                            "t) ORDER BY 1, 2, 3, 4",
                            calls[i], end);
        expect_same(list, each);
        expect_same(join, each);
        sqlite3_free(list);
        sqlite3_free(each);
        sqlite3_free(join);
    }
    expect_same("SELECT vertex, depth FROM gpu_bfs('whole', 1) WHERE vertex IN (2, '2', "
                "3, NULL, 5000) ORDER BY vertex",
                "SELECT vertex, depth FROM gpu_bfs('whole', 1) WHERE +vertex IN (2, 3) "
                "ORDER BY vertex");
    expect_same(
        "SELECT source, vertex FROM gpu_sssp('whole') WHERE vertex IN (2, '2', 7) "
        "AND source IN (1, '1') AND target IN (3, 7, '7') ORDER BY distance",
        "SELECT source, vertex FROM gpu_sssp('whole', 1, 7)");
    expect_same("SELECT * FROM gpu_path('whole', 1, 7) WHERE vertex IN ('7', 1, '1')",
                "SELECT * FROM gpu_path('whole', 1, 7) WHERE +vertex IN (1, 7)");
    expect_same(
        "SELECT t, vertex FROM wanted LEFT JOIN gpu_mis('whole') ON vertex IN (v, "
        "t, v + 10) ORDER BY 1, 2",
        "SELECT t, vertex FROM wanted LEFT JOIN gpu_mis('whole') ON +vertex IN "
        "(v, v + 10) ORDER BY 1, 2");
    expect_same("SELECT vertex, preorder FROM gpu_dfs('whole') WHERE ordered = 1 AND "
                "vertex IN (SELECT t FROM wanted) ORDER BY vertex DESC",
                "SELECT vertex, preorder FROM gpu_dfs('whole') WHERE ordered = 1 AND "
                "+vertex IN (SELECT v FROM wanted) ORDER BY vertex DESC");
}
END_TEST

/* Searches that run ahead run once, and are kept. */
START_TEST(searches_ahead) {
    make_graph(300, 3000);
    run("SELECT gpugraph_config('backend', 'cpu')");
    run("SELECT count(*) FROM gpu_bfs('g') WHERE method = 'multi-source' AND source IN "
        "(SELECT v FROM ids WHERE v <= 30)");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'search' AND detail "
                "LIKE 'multi-source on cpu; 29 sources at once%%'");
    run("SELECT count(*) FROM gpu_bfs('g', 17) WHERE method = 'multi-source'");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'search' AND detail "
                "LIKE 'multi-source on cpu; 29 sources at once%%'");
    run("SELECT count(*) FROM gpu_bfs('g') WHERE source IN (5, 6) AND method = "
        "'multi-source'");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'search' AND detail "
                "LIKE 'multi-source on cpu%%'");
}
END_TEST

START_TEST(paths_from_both_ends) {
    make_graph(120, 260);
    static const char sql[] =
        "SELECT a.v, b.v, p.seq, p.vertex, p.edge, p.cost, p.distance FROM ids a, ids b, "
        "gpu_path('g', a.v, b.v) p WHERE weighted = %d AND direction = '%s' AND method = "
        "'%s' AND a.v <= 12 ORDER BY 1, 2, 3";
    static const char *const directions[] = {"out", "in", "both"};
    for (int weighted = 0; weighted < 2; weighted++) {
        const char *by_search = weighted ? "dijkstra" : "top-down";
        char *search = sqlite3_mprintf(sql, weighted, directions[_i], by_search);
        char *both = sqlite3_mprintf(sql, weighted, directions[_i], "bidirectional");
        expect_same(search, both);
        sqlite3_free(search);
        sqlite3_free(both);
    }
    run("UPDATE g SET weight = 2 WHERE rowid = 1");
    run("SELECT * FROM gpu_path('g', 1, 1) WHERE weighted = 0 AND method = "
        "'bidirectional'");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'search' AND detail "
                "LIKE 'bidirectional on cpu%%'");
    expect_error("gpu_sssp", "not 'bidirectional'",
                 "SELECT * FROM gpu_sssp('g', 1) WHERE method = 'bidirectional'");
}
END_TEST

const struct suite suite = {
    "source_list",
    {{"source_list", .timeout = 240, .setup = sql_open, .teardown = sql_close,
      .cases = {{&every_set_of_columns},
                {&every_restriction, 3},
                {&around_the_list},
                {&the_same_vertex_twice},
                {&searches_ahead},
                {&paths_from_both_ends, 3}}}},
};
