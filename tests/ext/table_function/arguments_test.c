/* Arguments of all types that a host can bind, and ids that are no vertices. */
/* ctest: serial */
#include "sql.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

/* ---- types ---- */

START_TEST(whole_reals_are_integers) {
    run("CREATE TABLE whole(src INTEGER, dst INTEGER); INSERT INTO whole VALUES(1, 2), "
        "(2, 3);"
        "CREATE TABLE plain(src, dst); INSERT INTO plain SELECT * FROM whole;"
        "CREATE TABLE texts(src TEXT, dst TEXT); INSERT INTO texts VALUES('1', '2'), "
        "('2', '3'), ('5.0', '6'), ('5', '7')");
    static const char *const tables[] = {"whole", "plain", "texts"};
    for (int t = 0; t < 3; t++) {
        const char *q = t == 2 ? "'" : "", *name = tables[t];
        char rows[80];
        snprintf(rows, sizeof rows, "%s1%s;%s2%s;%s3%s", q, q, q, q, q, q);
        expect(rows, "SELECT vertex FROM gpu_bfs('%s', 1.0) ORDER BY depth", name);
        expect(rows,
               "SELECT vertex FROM gpu_bfs('%s') WHERE sources = '[1.0]' ORDER BY depth",
               name);
        expect(rows,
               "SELECT vertex FROM gpu_bfs('%s') WHERE source IN (1.0, 77.0) ORDER BY "
               "depth",
               name);
        expect(rows, "SELECT vertex FROM gpu_path('%s', 1.0, 3.0) ORDER BY seq", name);
        snprintf(rows, sizeof rows, "%s3%s", q, q);
        expect(rows, "SELECT vertex FROM gpu_bfs('%s', 1) WHERE target IN (3.0, 77.0)",
               name);
        expect(rows, "SELECT vertex FROM gpu_bfs('%s', 1) WHERE vertex = 3.0", name);
        expect(rows, "SELECT vertex FROM gpu_bfs('%s', 1) WHERE vertex IN (3.0, 77.0)",
               name);
    }
    expect("", "SELECT vertex FROM gpu_bfs('texts', 1e30)");
    /* The INTEGER is tried first, then the text that a TEXT column makes from the
    ** REAL. */
    expect("'7'", "SELECT vertex FROM gpu_bfs('texts', 5.0) WHERE depth = 1");
    run("DELETE FROM texts WHERE src = '5'");
    expect("'6'", "SELECT vertex FROM gpu_bfs('texts', 5.0) WHERE depth = 1");
}
END_TEST

START_TEST(what_can_be_no_id_is_explained) {
    make_roads();
    static const struct {
        const char *value, *sentence;
    } wrong[] = {
        {"1.5", "is the REAL 1.5; a vertex id is an INTEGER or a TEXT: CAST it to one of "
                "them"},
        {"x'31'",
         "is a BLOB; a vertex id is an INTEGER or a TEXT: CAST it to one of them"},
        {"x'0100000000000000'",
         "is a BLOB of 8 bytes (a NumPy integer, as Python binds it: "
         "pass int(x)); a vertex id is an INTEGER or a TEXT: CAST it "
         "to one of them"},
        {"x'01000000'",
         "is a BLOB of 4 bytes (a NumPy integer, as Python binds it: pass int(x))"},
    };
    static const char *const places[][2] = {
        {"source", "SELECT * FROM gpu_bfs('roads', %s)"},
        {"target", "SELECT * FROM gpu_bfs('roads', 1, %s)"},
        {"target", "SELECT * FROM gpu_path('roads', 1, %s)"},
        {"source", "SELECT * FROM gpu_dfs('roads', %s)"},
        {"vertex", "SELECT * FROM gpu_sssp('roads', 1) WHERE vertex = %s"},
        {"vertex", "SELECT * FROM gpu_mis('roads') WHERE vertex IN (1, %s)"},
        {"target", "SELECT * FROM gpu_sssp('roads', 1) WHERE target IN (1, %s)"},
        {"source", "SELECT * FROM gpu_bfs('roads') WHERE source IN (1, %s)"},
    };
    static const char *const functions[] = {"gpu_bfs",  "gpu_bfs", "gpu_path", "gpu_dfs",
                                            "gpu_sssp", "gpu_mis", "gpu_sssp", "gpu_bfs"};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            char sentence[240];
            snprintf(sentence, sizeof sentence, "%s: %s %s", functions[p], places[p][0],
                     wrong[w].sentence);
            expect_error(functions[p], sentence, places[p][1], wrong[w].value);
        }
    }
    expect_error("gpu_bfs",
                 "element 2 of the JSON array in sources is the REAL 1.5; a vertex id is",
                 "SELECT * FROM gpu_bfs('roads') WHERE sources = '[1, 1.5]'");
    expect_error("gpu_bfs", "element 2 of the JSON array in sources is of type null",
                 "SELECT * FROM gpu_bfs('roads') WHERE sources = '[1, null]'");
}
END_TEST

/* ---- ids that are no vertices ---- */

START_TEST(timings_name_ids_that_are_no_vertices) {
    make_roads();
    run("CREATE TABLE texts(src TEXT, dst TEXT); INSERT INTO texts VALUES('a', 'b');"
        "CREATE TABLE plain(src, dst); INSERT INTO plain VALUES(1, '2')");
    static const struct {
        const char *sql, *detail;
    } calls[] = {
        {"gpu_bfs('roads', 77)", "source 77 is no vertex"},
        {"gpu_bfs('roads', 1, 78)", "target 78 is no vertex"},
        {"gpu_bfs('roads', 77, 78)", "source 77 is no vertex; target 78 is no vertex"},
        {"gpu_sssp('roads', 'x')", "source 'x' is no vertex"},
        {"gpu_dfs('roads', 77)", "source 77 is no vertex"},
        {"gpu_path('roads', 1, 77)", "target 77 is no vertex"},
        {"gpu_bfs('texts', 'c')", "source 'c' is no vertex"},
        {"gpu_bfs('roads') WHERE sources = '[1, 77, \"x\"]'",
         "77 in sources is no vertex; 'x' in sources is no vertex"},
        {"gpu_bfs('roads') WHERE sources = '[77]'", "77 in sources is no vertex"},
        {"gpu_bfs('roads') WHERE sources = '[70, 71, 72, 73, 74]'",
         "70 in sources is no vertex; 71 in sources is no vertex; 72 in sources is no "
         "vertex; and 2 more"},
        {"gpu_bfs('roads') WHERE source IN (70, 71)",
         "source 70 is no vertex; source 71 is no vertex"},
        {"gpu_bfs('roads') WHERE source IN (1, 8, 70)", "source 70 is no vertex"},
        {"gpu_path('roads', 1) WHERE target IN (4, 70)", "target 70 is no vertex"},
        {"gpu_bfs('roads', 70.0)", "source 70.0 is no vertex"},
        {"gpu_bfs('plain', '1')", "source '1' is no vertex, though the INTEGER is one"},
        {"gpu_bfs('plain', 2)", "source 2 is no vertex, though the TEXT is one"},
        {"gpu_bfs('plain', 3)", "source 3 is no vertex"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        /* The first turn has a new graph, the second a kept search. */
        for (int again = 0; again < 2; again++) {
            run("SELECT gpugraph_config('cache_limit', %s)", again ? "NULL" : "0");
            run("SELECT * FROM gpu_mis('texts')");
            run("SELECT * FROM %s", calls[i].sql);
            char *detail =
                ask("SELECT detail FROM gpugraph_timings WHERE phase = 'arguments'");
            char *quoted = sqlite3_mprintf("'%s'", calls[i].detail);
            ck_assert_str_eq(detail, quoted);
            sqlite3_free(quoted);
            sqlite3_free(detail);
            expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'total'");
        }
    }
    /* The timings name neither NULL nor a condition on rows. */
    run("SELECT * FROM gpu_sssp('roads', 1); SELECT * FROM gpu_bfs('roads', NULL);"
        "SELECT * FROM gpu_sssp('roads', 1) WHERE vertex = 77");
    expect("0",
           "SELECT count(*) FROM gpugraph_timings WHERE detail LIKE '%%no vertex%%'");
    /* In a join only the first three calls report unknown ids, each in new timings. */
    run("SELECT * FROM (VALUES (60), (61), (62), (63), (64)) AS v, gpu_bfs('roads', "
        "v.column1)");
    expect("'source 62 is no vertex'",
           "SELECT detail FROM gpugraph_timings WHERE phase = 'arguments'");
    run("SELECT * FROM gpu_bfs('roads') WHERE sources = '[1, 70]'");
    expect(
        "'70 in sources is no vertex'|1",
        "SELECT detail, (SELECT count(*) FROM gpugraph_timings WHERE phase = 'search') "
        "FROM gpugraph_timings WHERE phase = 'arguments'");
}
END_TEST

START_TEST(words_ignore_case) {
    make_roads();
    expect("2", "SELECT count(*) FROM gpu_bfs('roads', 2) WHERE direction = 'IN'");
    expect("4", "SELECT count(*) FROM gpu_dfs('roads', 2) WHERE direction = 'Both'");
    expect_same("SELECT vertex FROM gpu_mis('roads') WHERE priority = 'degree-id'",
                "SELECT vertex FROM gpu_mis('roads') WHERE priority = 'Degree-ID'");
    expect("4", "SELECT count(*) FROM gpu_sssp('roads', 1) WHERE method = 'DIJKSTRA' AND "
                "backend = 'Cpu'");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'search' AND detail "
                "LIKE 'dijkstra on cpu%%'");
    expect("4",
           "SELECT count(*) FROM gpu_bfs('roads', 1) WHERE method = 'Auto' AND backend "
           "= 'AUTO'");
    /* A method of both backends is listed once. */
    expect_error("gpu_bfs", "method must be 'auto', 'direction-optimizing', 'top-down'",
                 "SELECT * FROM gpu_bfs('roads', 1) WHERE method = 'up'");
}
END_TEST

/* ---- sentences ---- */

static bool is_utf8(const char *text) {
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int more = *at < 0x80       ? 0
                   : *at >> 5 == 6  ? 1
                   : *at >> 4 == 14 ? 2
                   : *at >> 3 == 30 ? 3
                                    : 9;
        for (at++; more > 0 && *at >> 6 == 2; at++)
            more--;
        if (more)
            return false;
    }
    return true;
}

/* An error cuts a quoted value between characters, because a host cannot decode half a
** character. */
START_TEST(quoted_texts_are_cut_between_characters) {
    static const char *const statements[] = {
        "SELECT * FROM gpu_sssp('bad(src, dst, weight)', 1)",
        "SELECT * FROM gpu_sssp('bad(src, dst, weight, weight)', 1)",
        "SELECT * FROM gpu_bfs('bad', 1) WHERE method = '%s'",
        "SELECT * FROM gpu_bfs('SELECT ?, 1', 1) WHERE params = '%s'",
        "SELECT gpugraph_config('%s')",
        "SELECT gpugraph_config('devices', '%s')",
        "SELECT gpugraph_check('(bad) %s')",
        "SELECT gpugraph_check('\"%s\"')",
        "SELECT * FROM gpu_bfs('bad(src, dst) %s', 1)",
        "CREATE VIRTUAL TABLE g USING gpugraph(bad, %s)",
        "CREATE VIRTUAL TABLE g USING gpugraph(bad, %s = 1)",
        "CREATE VIRTUAL TABLE g USING gpugraph(bad, direction = '%s')",
        "CREATE VIRTUAL TABLE g USING gpugraph(bad, persist = '%s')",
        "CREATE VIRTUAL TABLE g USING gpugraph(bad, where = 'src > \"%s\"')",
    };
    for (int shift = 0; shift < 3; shift++) {
        char text[250];
        memset(text, 'x', sizeof text);
        for (size_t i = (size_t)shift; i + 3 < sizeof text; i += 3)
            snprintf(text + i, sizeof text - i, "\xe2\x82\xac");
        run("CREATE TABLE bad(src, dst, weight); INSERT INTO bad VALUES (1, 2, '%s')",
            text);
        for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
            char *said = ask(statements[i], text);
            ck_assert_msg(strncmp(said, "error", 5) == 0, "%s: %s", statements[i], said);
            ck_assert_msg(is_utf8(said), "%s: %s", statements[i], said);
            sqlite3_free(said);
        }
        run("DROP TABLE bad");
    }
}
END_TEST

const struct suite suite = {
    "arguments",
    {{"arguments", .timeout = 60, .setup = sql_open, .teardown = sql_close,
      .cases = {{&whole_reals_are_integers},
                {&what_can_be_no_id_is_explained},
                {&timings_name_ids_that_are_no_vertices},
                {&words_ignore_case},
                {&quoted_texts_are_cut_between_characters}}}},
};
