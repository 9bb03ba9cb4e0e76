/* The columns of an edge source, compared with plain SQL over the same rows.
**
** Every kind of source gives the same edges. A search from one vertex to its neighbours
** shows which of several edges it takes, and that edge's id. */
/* ctest: serial */
#include "sql.h"
#include "suite.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- edge ids ---- */

#define COUNT_TO(n)                                                                      \
    "WITH RECURSIVE c(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM c WHERE n < " #n ") "

/* Makes several edges from 0 to each of 1 .. 40. id: SQL for the edge id of row n. */
static void make_star(const char *id) {
    run("DELETE FROM star");
    run(COUNT_TO(300) "INSERT INTO star SELECT 0, 1 + n * 7919 %% 40, 1, %s FROM c", id);
}

/* All edges to a vertex are equally good, so a search takes the smallest id. An edge
** without an id comes last. */
static void expect_smallest(const char *edges) {
    char *got = sqlite3_mprintf("SELECT vertex, quote(edge) FROM gpu_bfs(%Q, 0) "
                                "WHERE vertex <> 0 ORDER BY vertex",
                                edges);
    expect_same(got,
                "SELECT b, (SELECT quote(id) FROM star AS s WHERE s.b = star.b ORDER BY "
                "id IS NULL, id LIMIT 1) FROM star GROUP BY b ORDER BY b");
    sqlite3_free(got);
}

START_TEST(ids_of_every_type) {
    static const char *const ids[] = {
        "n",
        "-n",
        "n % 7",
        "n << 55",
        "'v' || n",
        "'v' || n % 9",
        "CASE n % 3 WHEN 0 THEN 'x' || n WHEN 1 THEN n - 100 END",
        "CASE WHEN n % 5 THEN NULL ELSE n END",
        "NULL",
        "''",
        "CASE n % 4 WHEN 0 THEN CAST(n AS TEXT) ELSE n END",
        "'é' || char(n)",
        "n % 2",
    };
    run("CREATE TABLE star(a, b, w, id);"
        "CREATE VIEW stars AS SELECT a AS src, b AS dst, id FROM star;"
        "CREATE VIEW named AS SELECT a, b, w, id AS code FROM star");
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        make_star(ids[i]);
        expect_smallest("star(a, b, w, id)");
        expect_smallest("stars");
        expect_smallest("stars(src, dst)");
        expect_smallest("named(a, b, w, code)");
        expect_smallest("SELECT a, b, w, id FROM star");
        expect_smallest("SELECT a, b, w, id FROM star ORDER BY random()");
    }
}
END_TEST

/* The edges of a filtered view have the ids of their table or none. */
START_TEST(ids_of_a_filtered_view) {
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, src, dst, open);"
        "INSERT INTO roads VALUES (1, 1, 2, 0), (2, 1, 2, 1), (5, 2, 3, 1), (7, 3, 4, 0),"
        "(9, 3, 4, 1);"
        "CREATE VIEW open_roads AS SELECT * FROM roads WHERE open;"
        "CREATE VIEW nameless AS SELECT src, dst FROM roads WHERE open");
    expect("1|-;2|2;3|5;4|9", "SELECT vertex, edge FROM gpu_bfs('open_roads', 1)");
    expect("0",
           "SELECT count(*) FROM gpu_path('open_roads', 1, 4) AS p LEFT JOIN roads ON "
           "roads.id = p.edge WHERE seq > 0 AND (dst IS NOT vertex OR NOT open)");
    expect("1|-|-;2|1|-;3|2|-;4|3|-",
           "SELECT vertex, parent, edge FROM gpu_bfs('nameless', 1)");
    expect("1|-|-;2|1|-;3|2|-;4|3|-",
           "SELECT vertex, parent, edge FROM gpu_dfs('nameless', 1) WHERE ordered = 1");
    expect("0|-|-;1|-|1;2|-|1;3|-|1",
           "SELECT seq, edge, cost FROM gpu_path('nameless', 1, 4)");
    expect("1|-;2|-", "SELECT vertex, edge FROM gpu_bfs('SELECT 1, 2', 1)");
    expect("1|-;2|7", "SELECT vertex, edge FROM gpu_bfs('SELECT 1, 2, NULL, 7', 1)");
}
END_TEST

START_TEST(ids_that_are_the_rowid) {
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, src, dst, weight, code TEXT);"
        "INSERT INTO roads VALUES (3, 1, 2, 4, 'b'), (8, 1, 2, 4, 'a')");
    expect("3", "SELECT edge FROM gpu_sssp('roads', 1, 2)");
    expect("3", "SELECT edge FROM gpu_sssp('roads(src, dst, weight, id)', 1, 2)");
    expect("3", "SELECT edge FROM gpu_sssp('roads(src, dst, weight, rowid)', 1, 2)");
    expect("'a'", "SELECT edge FROM gpu_sssp('roads(src, dst, weight, code)', 1, 2)");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    expect_error("gpu_bfs", "has no column 'rowid'",
                 "SELECT * FROM gpu_bfs('roads(src, rowid)', 1)");
    run("CREATE TABLE hidden(rowid TEXT, src, dst, w);"
        "INSERT INTO hidden VALUES ('z', 1, 2, 1), ('y', 1, 2, 1)");
    expect("'y'", "SELECT edge FROM gpu_bfs('hidden(src, dst, w, rowid)', 1, 2)");
    expect("1", "SELECT edge FROM gpu_bfs('hidden(src, dst, w, oid)', 1, 2)");
}
END_TEST

/* Without edge ids a search takes the first of equally good edges, by key or by row. */
START_TEST(order_without_ids) {
    run("CREATE TABLE keyed(k PRIMARY KEY, src, dst) WITHOUT ROWID;"
        "INSERT INTO keyed VALUES (9, 1, 4), (5, 2, 4), (7, 3, 4), (1, 0, 1), (2, 0, 2),"
        "(3, 0, 3);"
        "CREATE INDEX covering ON keyed(dst, src)");
    expect("2|-", "SELECT parent, edge FROM gpu_bfs('keyed', 0, 4)");
    expect("3|1",
           "SELECT parent, edge FROM gpu_bfs('SELECT src, dst, 1, k - 6 FROM keyed "
           "WHERE k > 5 OR src = 0 ORDER BY abs(k - 8)', 0) WHERE vertex = 4");
    expect("1|-",
           "SELECT parent, edge FROM gpu_bfs('SELECT src, dst FROM keyed ORDER BY k "
           "DESC', 0, 4)");
    /* If ids are equal, the order of rows also decides. */
    expect("3|7",
           "SELECT parent, edge FROM gpu_bfs('SELECT src, dst, 1, 7 FROM keyed WHERE k "
           "<> 5 ORDER BY k', 0, 4)");
    expect("1|7",
           "SELECT parent, edge FROM gpu_bfs('SELECT src, dst, 1, 7 FROM keyed WHERE k "
           "<> 5 ORDER BY k DESC', 0, 4)");
}
END_TEST

START_TEST(ids_that_are_none) {
    run("CREATE TABLE t(a, b, w, id); INSERT INTO t VALUES (1, 2, 3, 4), (2, 3, 4, 1.5)");
    expect("error: gpu_bfs: the edge id of row 2 in main.t (column id) is the REAL "
           "1.5; an edge id is an INTEGER or a TEXT: CAST it to one of them, in a "
           "view or a query",
           "SELECT * FROM gpu_bfs('t(a, b, w, id)', 1)");
    run("UPDATE t SET id = x'41' WHERE a = 2");
    expect(
        "error: gpu_bfs: the edge id of row 2 in main.t (column id) is a BLOB; an edge "
        "id is an INTEGER or a TEXT: CAST it to one of them, in a view or a query",
        "SELECT * FROM gpu_bfs('t(a, b, w, id)', 1)");
    run("UPDATE t SET id = 'odd', w = 'far' WHERE a = 2");
    expect("error: gpu_sssp: the weight of edge 'odd' in main.t (column w) is the text "
           "'far'; "
           "a weight is a number, finite and not negative: correct it, or leave "
           "the row out, in a view or a query",
           "SELECT * FROM gpu_sssp('t(a, b, w, id)', 1)");
    expect_error("gpu_bfs", "more than five columns",
                 "SELECT * FROM gpu_bfs('t(a, b, w, id, w, w)', 1)");
}
END_TEST

/* ---- ends that are NULL ---- */

/* The edges, without rows that have a NULL end; then the other ends of these rows as
** vertices. */
#define WHOLE_ROWS "SELECT a, b, w, id FROM %s WHERE a IS NOT NULL AND b IS NOT NULL"
#define OTHER_ENDS "SELECT coalesce(a, b) FROM %s WHERE coalesce(a, b) IS NOT NULL"

static void expect_half_rows(const char *edges, const char *table) {
    static const char *const asked[] = {
        "SELECT vertex, typeof(vertex), edge, depth FROM gpu_bfs WHERE source = 3 AND "
        "direction = 'both'",
        "SELECT vertex, typeof(vertex), edge, distance FROM gpu_sssp WHERE source = 3 "
        "AND "
        "direction = 'both'",
        "SELECT vertex, typeof(vertex), edge, preorder FROM gpu_dfs WHERE ordered = 1",
        "SELECT vertex, typeof(vertex) FROM gpu_mis WHERE priority = 'id'",
    };
    char *whole = sqlite3_mprintf(WHOLE_ROWS, table);
    char *ends = sqlite3_mprintf(OTHER_ENDS, table);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char *got = sqlite3_mprintf("%s AND edges = %Q ORDER BY vertex", asked[i], edges);
        char *want = sqlite3_mprintf(
            "%s AND edges = %Q AND vertices = %Q ORDER BY vertex", asked[i], whole, ends);
        expect_same(got, want);
        sqlite3_free(got);
        sqlite3_free(want);
    }
    sqlite3_free(whole);
    sqlite3_free(ends);
}

START_TEST(ends_that_are_null) {
    static const char *const ends[] = {
        "CASE WHEN n % 7 THEN n * 31 % 60 END",
        "CASE WHEN n % 3 THEN 'v' || n % 50 END",
        "n % 80",
        "NULL",
        "CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN 'x' || n % 9 ELSE n % 40 END",
        "CASE WHEN n % 5 THEN n % 50 * 1.0 END",
        "CASE n WHEN 1 THEN NULL WHEN 500 THEN NULL ELSE n % 70 END",
    };
    enum { ENDS = sizeof ends / sizeof *ends };
    char file[] = "/tmp/edge_columns_XXXXXX";
    ck_assert_int_ge(mkstemp(file), 0);
    run("ATTACH %Q AS f; CREATE TABLE f.pages(a, b, w, id); CREATE TABLE rows(a, b, w, "
        "id);"
        "CREATE TABLE keyed(a, b, w, id PRIMARY KEY) WITHOUT ROWID;"
        "CREATE VIEW seen AS SELECT * FROM rows;"
        "CREATE TABLE reals(a REAL, b REAL, w, id)",
        file);
    for (int i = 0; i < ENDS * ENDS; i++) {
        run("DELETE FROM f.pages; DELETE FROM rows; DELETE FROM keyed; DELETE FROM "
            "reals");
        run(COUNT_TO(
                500) "INSERT INTO f.pages SELECT %s, %s, CASE WHEN n %% 9 THEN n %% 5 "
                     "END, "
                     "1000 - n FROM c; UPDATE f.pages SET w = 4 WHERE w IS NULL AND a IS "
                     "NOT NULL AND "
                     "b IS NOT NULL; INSERT INTO rows SELECT * FROM f.pages; INSERT INTO "
                     "keyed SELECT * "
                     "FROM f.pages; INSERT OR IGNORE INTO reals SELECT * FROM f.pages",
            ends[i / ENDS], ends[i % ENDS]);
        expect_half_rows("f.pages(a, b, w, id)", "f.pages");
        expect_half_rows("rows(a, b, w, id)", "rows");
        expect_half_rows("keyed(a, b, w, id)", "keyed");
        expect_half_rows("reals(a, b, w, id)", "reals");
        expect_half_rows("seen(a, b, w)", "rows");
        expect_half_rows("SELECT * FROM f.pages ORDER BY random()", "f.pages");
    }
    unlink(file);
}
END_TEST

/* Edges keep their rowids if rows between them are no edges. */
START_TEST(half_rows_have_numbers) {
    run("CREATE TABLE emp(id INTEGER PRIMARY KEY, name, manager_id);"
        "INSERT INTO emp VALUES (1, 'Ada', NULL), (2, 'Bo', 1), (3, 'Cy', 1), (4, 'Di', "
        "3),"
        "(5, 'Ed', NULL)");
    expect("1|0|-;2|1|2;3|1|3;4|2|4",
           "SELECT vertex, depth, edge FROM gpu_bfs('emp(manager_id, id)', 1)");
    expect("3|1",
           "SELECT items, detail LIKE '%%; 2 of its rows have a NULL end and are no "
           "edges' FROM gpugraph_timings WHERE phase = 'read'");
    expect("5|0", "SELECT vertex, depth FROM gpu_bfs('emp(manager_id, id)', 5)");
    run("INSERT INTO emp VALUES (6, 'Flo', 0.5); CREATE VIEW v AS SELECT manager_id AS "
        "src, "
        "name AS dst FROM emp ORDER BY id");
    expect(
        "error: gpu_bfs: the source of row 6 in main.v (column src) is the REAL 0.5; "
        "a vertex id is an INTEGER or a TEXT: CAST it to one of them, or leave the row "
        "out, in a view or a query",
        "SELECT * FROM gpu_bfs('v', 1)");
}
END_TEST

/* The weight of a row that is no edge does not make distances REAL, with either
** reader. */
START_TEST(weights_of_half_rows) {
    run("CREATE TABLE one(a, b, w); INSERT INTO one VALUES (NULL, 1, 7.0);"
        "CREATE TABLE some(a, b, w); INSERT INTO some VALUES (1, 2, 3), (NULL, 1, 7.5);"
        "CREATE VIEW one_row AS SELECT * FROM one;"
        "CREATE VIEW some_rows AS SELECT * FROM some");
    static const char *const sources[] = {"one", "some", "one_row", "some_rows"};
    for (int i = 0; i < 4; i++) {
        char *sql = sqlite3_mprintf(
            "SELECT vertex, typeof(distance) FROM gpu_sssp('%s(a, b, w)', "
            "1) WHERE vertex = 1",
            sources[i]);
        expect("1|'integer'", sql);
        sqlite3_free(sql);
    }
}
END_TEST

START_TEST(null_vertices_are_a_fault) {
    run("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, NULL), (2, 3);"
        "CREATE TABLE places(id); INSERT INTO places VALUES (7), (NULL)");
    expect("error: gpu_mis: the vertex id of row 2 in main.places (column id) is NULL; a "
           "vertex id is an INTEGER or a TEXT: CAST it to one of them, or leave the row "
           "out, "
           "in a view or a query",
           "SELECT * FROM gpu_mis('t(a, b)') WHERE vertices = 'places(id)'");
}
END_TEST

START_TEST(half_rows_of_followed_graphs) {
    run("CREATE TABLE emp(id INTEGER PRIMARY KEY, manager_id, w REAL);"
        "INSERT INTO emp VALUES (1, NULL, 1), (2, 1, 2), (3, 1, 1), (4, 3, 1), (5, NULL, "
        "0.5);"
        "CREATE VIRTUAL TABLE g USING gpugraph(emp(manager_id, id, w))");
    static const char *const changes[] = {
        "SELECT 1",
        "UPDATE emp SET manager_id = 4 WHERE id = 5",
        "UPDATE emp SET manager_id = NULL WHERE id = 4",
        "UPDATE emp SET manager_id = NULL WHERE id = 3",
        "DELETE FROM emp WHERE id = 4",
        "INSERT INTO emp VALUES (9, NULL, NULL), (10, NULL, 4), (11, 10, 2)",
        "UPDATE emp SET manager_id = 2 WHERE id = 10",
        "BEGIN; UPDATE emp SET manager_id = NULL; SELECT 1",
        "ROLLBACK",
        "DELETE FROM emp WHERE manager_id IS NULL",
        "INSERT INTO emp VALUES (20, 21, 1)",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run("%s", changes[i]);
        expect_same(
            "SELECT src, dst, weight, edge FROM g ORDER BY edge",
            "SELECT manager_id, id, w, id FROM emp WHERE manager_id IS NOT NULL ORDER "
            "BY id");
        expect_same(
            "SELECT vertex FROM gpu_mis('g') WHERE priority = 'id' ORDER BY vertex",
            "SELECT vertex FROM gpu_mis('emp(manager_id, id)') WHERE priority = 'id' "
            "ORDER BY vertex");
        expect("'ok'", "SELECT gpugraph_check('g')");
    }
}
END_TEST

START_TEST(ids_of_followed_graphs) {
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, w, code);"
        "INSERT INTO roads VALUES (4, 1, 2, 3, 'x'), (6, 2, 3, 4, 'y');"
        "CREATE TABLE keyed(k PRIMARY KEY, a, b) WITHOUT ROWID;"
        "INSERT INTO keyed VALUES (4, 1, 2), (6, 2, 3)");
    run("CREATE VIRTUAL TABLE coded USING gpugraph(roads(a, b, w, code))");
    expect("1|2|3|'x';2|3|4|'y'", "SELECT * FROM coded");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, w, id))");
    expect("1|2|3|4;2|3|4|6", "SELECT * FROM g ORDER BY edge");
    run("INSERT INTO roads VALUES (5, 1, 3, 2, 'z')");
    expect("1|-;2|4;3|5", "SELECT vertex, edge FROM gpu_bfs('g', 1)");
    expect("1|-;2|'x';3|'z'", "SELECT vertex, edge FROM gpu_bfs('coded', 1)");
    expect("'ok'|'ok'", "SELECT gpugraph_check('g'), gpugraph_check('coded')");
    run("CREATE VIRTUAL TABLE h USING gpugraph(keyed(a, b))");
    expect("1|2|-|-;2|3|-|-", "SELECT * FROM h");
    expect("", "SELECT * FROM h WHERE edge = 1");
    run("INSERT INTO keyed VALUES (5, 3, 4)");
    expect("1|-;2|-;3|-;4|-", "SELECT vertex, edge FROM gpu_bfs('h', 1)");
    expect("'ok'", "SELECT gpugraph_check('h')");
}
END_TEST

/* ---- weights ---- */

START_TEST(weights_by_name) {
    static const char *const names[] = {"weight",  "cost",    "length",  "distance",
                                        "metres",  "meters",  "km",      "miles",
                                        "seconds", "minutes", "duration"};
    enum { NAMES = sizeof names / sizeof *names };
    /* Each turn drops the first of the names, so the next name becomes the weight. */
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "CREATE TABLE roads(src, dst");
    for (int i = NAMES - 1; i >= 0; i--)
        sqlite3_str_appendf(sql, ", \"%s\" INT DEFAULT %d", names[i], i + 1);
    char *text = sqlite3_str_finish(sql);
    run("%s); INSERT INTO roads(src, dst) VALUES (1, 2), (2, 3)", text);
    sqlite3_free(text);
    for (int i = 0; i < NAMES; i++) {
        char *distance = sqlite3_mprintf("%d", 2 * (i + 1));
        expect(distance, "SELECT distance FROM gpu_sssp('roads', 1, 3)");
        expect(distance, "SELECT max(distance) FROM gpu_path('roads', 1, 3)");
        expect(distance,
               "SELECT max(distance) FROM gpu_path('roads', 1, 3) WHERE weighted = 1");
        sqlite3_free(distance);
        run("ALTER TABLE roads DROP COLUMN %s", names[i]);
    }
    expect("2", "SELECT max(distance) FROM gpu_path('roads', 1, 3)");
    expect_error("gpu_sssp", "main.roads has no weight column",
                 "SELECT * FROM gpu_sssp('roads', 1)");
    expect_error("gpu_path", "main.roads has no weight column",
                 "SELECT * FROM gpu_path('roads', 1, 3) WHERE weighted = 1");
}
END_TEST

static void expect_not_clear(const char *sentence) {
    expect(sentence, "SELECT * FROM gpu_path('g', 1, 2)");
    expect("1", "SELECT max(distance) FROM gpu_path('g', 1, 2) WHERE weighted = 0");
    expect("1", "SELECT depth FROM gpu_bfs('g', 1, 2)");
    expect("1|2|-|1", "SELECT * FROM g WHERE src = 1");
    expect("1", "SELECT max(distance) FROM gpu_path('named', 1, 2)");
}

/* A graph that follows `roads` and names no columns gives the same error as the table:
** when it is new, after a change, and when each query reads the table. */
static void weights_of_a_graph_are_not_clear(void) {
    char *table = ask("SELECT * FROM gpu_path('roads', 1, 2)");
    ck_assert_ptr_nonnull(strstr(table, "as in 'roads(src, dst, toll)'"));
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads); CREATE VIRTUAL TABLE named USING "
        "gpugraph(roads(src, dst))");
    expect_not_clear(table);
    run("INSERT INTO roads(src, dst) VALUES (3, 4)");
    expect_not_clear(table);
    run("DROP TRIGGER g_inserted");
    expect_not_clear(table);
    run("ALTER TABLE roads ADD COLUMN weight");
    expect_error("gpu_path",
                 "'roads(src, dst)' names no third column, the weight; name one that "
                 "holds numbers, as in "
                 "'roads(src, dst, weight)'",
                 "SELECT * FROM gpu_path('g', 1, 2)");
    run("DROP TABLE g; DROP TABLE named");
    sqlite3_free(table);
}

/* If a column may be the weight, but its name does not say so, weighted paths fail. */
START_TEST(weights_that_are_not_clear) {
    static const char *const types[] = {"REAL", "INT", "NUMERIC(5, 2)", "DECIMAL",
                                        "DOUBLE"};
    static const char *const others[] = {"TEXT", "", "BLOB", "BOOLEAN", "DATE"};
    for (int i = 0; i < 5; i++) {
        run("DROP VIEW IF EXISTS v; DROP TABLE IF EXISTS roads; CREATE TABLE roads(id "
            "INTEGER "
            "PRIMARY KEY, src, dst, name TEXT, toll %s); INSERT INTO roads VALUES (1, 1, "
            "2, 'a', "
            "7); CREATE VIEW v AS SELECT id, src, dst, toll FROM roads",
            types[i]);
        for (int k = 0; k < 2; k++) {
            const char *table = k ? "v" : "roads";
            char *sentence = sqlite3_mprintf(
                "main.%s has no weight column; name one that holds numbers, as "
                "in '%s(src, dst, toll)', or let a column be called weight, cost, "
                "length, "
                "distance, metres, meters, km, miles, seconds, minutes or duration",
                table, table);
            expect_error("gpu_path", sentence, "SELECT * FROM gpu_path('%s', 1, 2)",
                         table);
            expect_error("gpu_path", ", or name the two ends alone to count edges",
                         "SELECT * FROM gpu_path('%s', 1, 2)", table);
            expect_error("gpu_path", sentence,
                         "SELECT * FROM gpu_path('%s', 1, 2) WHERE weighted = 1", table);
            expect_error("gpu_sssp", sentence, "SELECT * FROM gpu_sssp('%s', 1)", table);
            expect("1",
                   "SELECT distance FROM gpu_path('%s', 1, 2) WHERE weighted = 0 AND seq "
                   "= 1",
                   table);
            expect_error("gpu_path", sentence, "SELECT * FROM gpu_path('%s', 1, 2)",
                         table);
            expect("1", "SELECT depth FROM gpu_bfs('%s', 1, 2)", table);
            expect("1", "SELECT max(distance) FROM gpu_path('%s(src, dst)', 1, 2)",
                   table);
            expect("7",
                   "SELECT CAST(max(distance) AS INT) FROM gpu_path('%s(src, dst, "
                   "toll)', 1, 2)",
                   table);
            sqlite3_free(sentence);
        }
        run("DROP VIEW v");
        weights_of_a_graph_are_not_clear();
        run("DROP TABLE roads; CREATE TABLE roads(id INTEGER PRIMARY KEY, "
            "src, dst, "
            "what %s); INSERT INTO roads VALUES (1, 1, 2, 7)",
            others[i]);
        expect("1", "SELECT max(distance) FROM gpu_path('roads', 1, 2)");
    }
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads)");
    expect("1", "SELECT max(distance) FROM gpu_path('g', 1, 2)");
    expect_error("gpu_path",
                 "main.roads has no weight column; name one that holds numbers",
                 "SELECT * FROM gpu_path('g', 1, 2) WHERE weighted = 1");
    expect_error("gpu_path", "third column, the weight",
                 "SELECT * FROM gpu_path('SELECT 1, 2', 1, 2) WHERE weighted = 1");
    expect("1", "SELECT max(distance) FROM gpu_path('SELECT 1, 2', 1, 2)");
}
END_TEST

/* ---- reverse weights ---- */

/* The arcs of ways(a, b, w, id, back) as plain rows: forward, then back, with one edge
** id. For direction 'both': the cheaper open direction of each row. */
#define ARCS                                                                             \
    "SELECT a, b, w, id FROM (SELECT a, b, w, id, n, 0 AS back FROM ways WHERE w >= 0 "  \
    "UNION ALL SELECT b, a, back, id, n, 1 FROM ways WHERE back >= 0) ORDER BY n, back"
#define EDGES                                                                            \
    "SELECT a, b, CASE WHEN w >= 0 AND (back IS NULL OR back < 0 OR w <= back) THEN w "  \
    "ELSE back END, id FROM ways WHERE w >= 0 OR back >= 0 ORDER BY n"
#define ENDS "SELECT a FROM ways UNION SELECT b FROM ways"

static const char *const questions[] = {
    "SELECT vertex, depth, parent, edge FROM gpu_bfs WHERE source = 3",
    "SELECT vertex, distance, typeof(distance), parent, edge FROM gpu_sssp WHERE source "
    "= 3",
    "SELECT seq, vertex, edge, cost, distance FROM gpu_path WHERE source = 3 AND target "
    "= 7",
    "SELECT seq, vertex, edge, cost FROM gpu_path WHERE source = 5 AND target = 3 AND "
    "weighted "
    "= 0",
    "SELECT vertex, depth, parent, edge, preorder FROM gpu_dfs WHERE ordered = 1",
    "SELECT vertex, 1, 1 FROM gpu_mis WHERE priority = 'degree-id'",
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static void expect_ways(const char *edges) {
    static const char *const directions[] = {"out", "in", "both"};
    for (int q = 0; q < QUESTIONS; q++) {
        for (int d = 0; d < 3; d++) {
            char *direction =
                q == QUESTIONS - 1
                    ? sqlite3_mprintf("")
                    : sqlite3_mprintf(" AND direction = '%s'", directions[d]);
            char *got = sqlite3_mprintf("%s AND edges = %Q%s ORDER BY 1, 2, 3",
                                        questions[q], edges, direction);
            char *want =
                sqlite3_mprintf("%s AND edges = %Q AND vertices = %Q%s ORDER BY 1, 2, 3",
                                questions[q], d == 2 ? EDGES : ARCS, ENDS, direction);
            expect_same(got, want);
            sqlite3_free(direction);
            sqlite3_free(got);
            sqlite3_free(want);
        }
    }
    char *triangles = ask("SELECT gpugraph_triangles(%Q)", edges);
    expect(triangles, "SELECT gpugraph_triangles(%Q)", EDGES);
    sqlite3_free(triangles);
}

START_TEST(reverse_weights) {
    static const char *const weights[] = {
        "n * 7919 % 13",
        "n * 31 % 9 - 2",
        "CASE WHEN n % 5 THEN n * 77 % 11 END",
        "n * 0.5",
        "-1",
        "NULL",
        "CASE n % 4 WHEN 0 THEN -1.0 WHEN 1 THEN NULL ELSE n % 6 END",
        "CAST(n % 8 AS TEXT)",
        "CASE n % 9 WHEN 0 THEN '1.25' WHEN 1 THEN -0.5 ELSE n % 3 END",
    };
    enum { WEIGHTS = sizeof weights / sizeof *weights };
    static const char *const ids[] = {"n", "1000 - n", "n % 9", "'e' || n"};
    char file[] = "/tmp/edge_columns_XXXXXX";
    ck_assert_int_ge(mkstemp(file), 0);
    run("ATTACH %Q AS f; CREATE TABLE f.pages(n INTEGER PRIMARY KEY, a, b, w, id, back);"
        "CREATE TABLE rows(n INTEGER PRIMARY KEY, a, b, w, id, back);"
        "CREATE TABLE keyed(n PRIMARY KEY, a, b, w, id, back) WITHOUT ROWID;"
        "CREATE TEMP VIEW ways AS SELECT n, a, b, w + 0 AS w, id, back + 0 AS back FROM "
        "f.pages;"
        "CREATE TEMP VIEW seen AS SELECT * FROM rows ORDER BY n",
        file);
    for (int i = 0; i < WEIGHTS * WEIGHTS; i++) {
        run("DELETE FROM f.pages; DELETE FROM rows; DELETE FROM keyed");
        run(COUNT_TO(
                60) "INSERT INTO f.pages SELECT n, n * 7 %% 23, n * n %% 19, %s, %s, %s "
                    "FROM c",
            weights[i / WEIGHTS], ids[i % 4], weights[i % WEIGHTS]);
        run("INSERT INTO rows SELECT * FROM f.pages; INSERT INTO keyed SELECT * FROM "
            "f.pages");
        expect_ways("f.pages(a, b, w, id, back)");
        expect_ways("rows(a, b, w, id, back)");
        expect_ways("keyed(a, b, w, id, back)");
        expect_ways("seen(a, b, w, id, back)");
        expect_ways("SELECT a, b, w, id, back FROM rows ORDER BY n");
    }
    unlink(file);
}
END_TEST

START_TEST(reverse_weights_of_a_few_streets) {
    run("CREATE TABLE ways(gid INTEGER PRIMARY KEY, a, b, cost, reverse_cost);"
        "INSERT INTO ways VALUES (1, 1, 2, 5, 3), (2, 2, 3, 4, -1), (3, 3, 4, NULL, 2),"
        "(4, 8, 9, -1, NULL), (5, 1, NULL, 1, 1)");
#define WAYS "ways(a, b, cost, gid, reverse_cost)"
    expect("1|0|-;2|5|1;3|9|2",
           "SELECT vertex, distance, edge FROM gpu_sssp('" WAYS "', 1)");
    expect("1|3|1;2|0|-;3|4|2",
           "SELECT vertex, distance, edge FROM gpu_sssp('" WAYS "', 2)");
    expect("3|2|3;4|0|-", "SELECT vertex, distance, edge FROM gpu_sssp('" WAYS "', 4)");
    expect("1|9|1;2|4|2;3|0|-;4|2|3", "SELECT vertex, distance, edge FROM gpu_sssp('" WAYS
                                      "', 3) WHERE direction = 'in'");
    expect("1|9|1;2|6|2;3|2|3;4|0|-",
           "SELECT vertex, distance, edge FROM gpu_sssp('" WAYS "', 4) WHERE direction = "
           "'both'");
    expect("0|1|-|-|0;1|2|1|5|5;2|3|2|4|9", "SELECT * FROM gpu_path('" WAYS "', 1, 3)");
    expect("0|3|-|-|0", "SELECT * FROM gpu_path('" WAYS "', 3, 3)");
    expect("", "SELECT * FROM gpu_path('" WAYS "', 3, 1)");
    expect("0|3|-|-|0;1|2|2|4|4;2|1|1|3|7",
           "SELECT * FROM gpu_path('" WAYS "', 3, 1) WHERE direction = 'both'");
    expect("8|0", "SELECT vertex, depth FROM gpu_bfs('" WAYS "', 8)");
    expect("1;3;8;9",
           "SELECT vertex FROM gpu_mis('" WAYS "') WHERE priority = 'id' ORDER BY "
           "vertex");
}
END_TEST

/* One read of the rows makes the graphs for all directions. */
START_TEST(reverse_weights_are_read_once) {
    run("CREATE TABLE ways(a, b, w, id, back); INSERT INTO ways VALUES (1, 2, 5, 7, 3);"
        "CREATE VIEW seen AS SELECT * FROM ways; CREATE TABLE log(way, distance)");
    expect("5|3",
           "SELECT (SELECT distance FROM gpu_sssp('seen(a, b, w, id, back)', 1, 2)), "
           "(SELECT distance FROM gpu_sssp('seen(a, b, w, id, back)', 1, 2) WHERE "
           "direction = 'both')");
    expect("1", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'total'");
    run("INSERT INTO ways SELECT 2, 3, 1, 8, -1 FROM gpu_sssp('ways(a, b, w, id, back)', "
        "1) "
        "UNION ALL SELECT vertex, 'both', 1, 9, 9 FROM gpu_sssp('ways(a, b, w, id, "
        "back)', 2) "
        "WHERE direction = 'both'");
    expect("1|'both';2|3;2|3;2|'both'",
           "SELECT a, b FROM ways WHERE rowid > 1 ORDER BY a, typeof(b), b");
}
END_TEST

START_TEST(reverse_weights_that_are_none) {
    run("CREATE TABLE ways(a, b, w, id, back); INSERT INTO ways VALUES (1, 2, 5, 7, "
        "'far')");
    expect("error: gpu_bfs: the reverse weight of edge 7 in main.ways (column back) is "
           "the text "
           "'far'; a weight is a finite number, or NULL or negative to close this "
           "direction: correct it, or leave the row out, in a view or a query",
           "SELECT * FROM gpu_bfs('ways(a, b, w, id, back)', 1)");
    run("UPDATE ways SET back = 1, w = 9e999");
    expect_error("gpu_bfs",
                 "the weight of edge 7 in main.ways (column w) is the REAL Inf",
                 "SELECT * FROM gpu_bfs('ways(a, b, w, id, back)', 1)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(ways(a, b, w, rowid, back))");
    expect_error("gpu_bfs",
                 "the weight of edge 1 in main.ways (column w) is the REAL Inf",
                 "SELECT * FROM gpu_bfs('g', 1)");
    run("DROP TABLE g");
}
END_TEST

const struct suite suite = {
    "edge_columns",
    {{"all", .timeout = 60, .setup = sql_open, .teardown = sql_close,
      .cases = {{&ids_of_every_type},
                {&ids_of_a_filtered_view},
                {&ids_that_are_the_rowid},
                {&order_without_ids},
                {&ids_that_are_none},
                {&ids_of_followed_graphs},
                {&ends_that_are_null},
                {&half_rows_have_numbers},
                {&weights_of_half_rows},
                {&null_vertices_are_a_fault},
                {&half_rows_of_followed_graphs},
                {&weights_by_name},
                {&weights_that_are_not_clear},
                {&reverse_weights},
                {&reverse_weights_of_a_few_streets},
                {&reverse_weights_are_read_once},
                {&reverse_weights_that_are_none}}}},
};
