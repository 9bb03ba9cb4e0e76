/* The loader, compared with the tables: the graph must hold the rows of SELECT, by
** quote() and rowid. Also every error about a row that is no edge. */
/* ctest: serial cells */
#include "graph_probe.h"
#include "sql.h"
#include "suite.h"
#include "base/intern.h"
#include <stdio.h>
#include <stdlib.h>

static probe p;

static void setup(void) {
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    probe_open(&p, db);
}

static void teardown(void) {
    probe_close(&p);
}

/* ---- any kind of table, any mixture of values ---- */

/* Compares the graph of `edges` with the rows that SQL gives. id: SQL of the edge id. */
static void compare(const char *edges, const char *from, const char *id,
                    const char *weight) {
    char *sql = sqlite3_mprintf("SELECT coalesce(group_concat(quote(a) || '>' || "
                                "quote(b) || '#' || id || %s, ' '), '') "
                                "FROM (SELECT a, b, w, %s AS id FROM %s ORDER BY id)",
                                weight, id, from);
    char *want = sqlite3_mprintf("%s", probe_get(&p, sql));
    sqlite3_free(sql);
    sql = sqlite3_mprintf("SELECT graph(%Q, NULL, %Q)", edges,
                          *weight == '\'' && weight[1] == '\'' ? "any" : "weights");
    const char *got = probe_get(&p, sql);
    ck_assert_msg(strcmp(got, want) == 0, "%s\n got %s\nwant %s", edges, got, want);
    sqlite3_free(sql);
    sqlite3_free(want);
}

static const char integer_weight[] = "'=' || w", no_weight[] = "''",
                  real_weight[] = "'=' || printf('%!.17g', w)";

/* Fills t(a, b, w, ...) with n random edges. */
static void fill(const char *table, int n, const char *a, const char *b, const char *w) {
    char *sql = sqlite3_mprintf(
        "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < %d) "
        "INSERT OR IGNORE INTO %s(a, b, w) SELECT %s, %s, %s FROM c",
        n, table, a, b, w);
    probe_run(&p, sql);
    sqlite3_free(sql);
}

static const char
    integers[] = "random() % 50",
    wide[] = "random()", texts[] = "'v' || (random() % 50)", no_text[] = "''",
    mixed[] = "CASE abs(random() % 3) WHEN 0 THEN random() % 9 "
              "WHEN 1 THEN CAST(random() % 9 AS TEXT) ELSE 'x' || char(0) || 'y' END";

START_TEST(kinds_of_tables) {
    static const char *const create[] = {
        "CREATE TABLE t(a, b, w)",
        "CREATE TABLE t(w, b, x DEFAULT 'padding', a)",
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, w)",
        "CREATE TABLE t(rowid TEXT, a, b, w)",
        "CREATE TEMP TABLE t(a, b, w)",
        "CREATE TABLE t(a, b, w, g AS (a || b), h AS (w) STORED)",
    };
    static const char *const values[] = {integers, wide, texts, no_text};
    for (size_t i = 0; i < sizeof create / sizeof *create; i++) {
        for (size_t j = 0; j < 4; j++) {
            probe_run(&p, "DROP TABLE IF EXISTS t");
            probe_run(&p, create[i]);
            compare("t(a, b, w)", "t", "_rowid_", no_weight);
            fill("t", 1500, values[j], values[(j + i) % 4], "abs(random())");
            compare("t(a, b)", "t", "_rowid_", no_weight);
            compare("t(a, b, w)", "t", "_rowid_", integer_weight);
            probe_run(&p, "DELETE FROM t WHERE _rowid_ % 7 = 3");
            compare("t(a, b, w)", "t", "_rowid_", integer_weight);
            probe_run(&p, "UPDATE t SET w = w / 3.0 WHERE _rowid_ % 11 = 5");
            compare("t(a, b, w)", "t", "_rowid_", real_weight);
        }
    }
}
END_TEST

START_TEST(edge_ids) {
    probe_run(&p, "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, w);"
                  "INSERT INTO t VALUES (-9223372036854775808, 1, 2, 3), (-5, 1, 2, 3),"
                  "(0, 1, 2, 3), (9223372036854775807, 1, 2, 3)");
    compare("t(a, b, w)", "t", "id", integer_weight);
    probe_run(&p,
              "CREATE TABLE all3(rowid, oid, _rowid_, id INTEGER PRIMARY KEY, a, b, w);"
              "INSERT INTO all3(id, a, b, w) VALUES (7, 1, 2, 3), (9, 2, 3, 3)");
    compare("all3(a, b, w)", "all3", "id", integer_weight);
    probe_run(
        &p,
        "CREATE TABLE desc3(rowid, oid, _rowid_, id INTEGER PRIMARY KEY DESC, a, b, w);"
        "INSERT INTO desc3(id, a, b, w) VALUES (7, 1, 2, 3), (9, 2, 3, 3)");
    probe_expect(&p, "SELECT graph('desc3(a, b)')", "1>2#1 2>3#2");
}
END_TEST

START_TEST(without_rowid_views_and_virtual_tables) {
    probe_run(&p, "CREATE TABLE t(a, b, w, PRIMARY KEY(b, a)) WITHOUT ROWID");
    fill("t", 800, mixed, integers, "abs(random() % 1000)");
    compare("t(a, b, w)", "t", "row_number() OVER (ORDER BY b, a)", integer_weight);
    probe_run(&p,
              "CREATE VIEW v AS SELECT a AS source, b AS target, w, w AS cost FROM t");
    compare("v", "t", "row_number() OVER (ORDER BY b, a)", integer_weight);
    compare("v(source, target)", "t", "row_number() OVER (ORDER BY b, a)", no_weight);
    /* An edge has the same id whether or not weights are read. */
    probe_run(&p,
              "CREATE TABLE \"o \"\"1\"(a, b, w, k INT, PRIMARY KEY(k DESC)) WITHOUT "
              "ROWID; CREATE INDEX covering ON \"o \"\"1\"(b, a);"
              "INSERT INTO \"o \"\"1\" VALUES (1, 9, 5, 4), (1, 2, 6, 3), (1, 7, 7, 1);"
              "ALTER TABLE \"o \"\"1\" RENAME TO \"o \"\"2\"");
    probe_expect(&p, "SELECT graph('\"o \"\"2\"(a, b, w)', NULL, 'any')",
                 "1>9#1=5 1>2#2=6 1>7#3=7");
    probe_expect(&p, "SELECT graph('\"o \"\"2\"(a, b)')", "1>9#1 1>2#2 1>7#3");
    probe_expect(&p, "SELECT graph('\"o \"\"2\"(b, a)')", "9>1#1 2>1#2 7>1#3");
    if (!sql_has_module("rtree") || !sql_has_module("fts5"))
        return;
    probe_run(&p, "CREATE VIRTUAL TABLE r USING rtree(id, src, dst);"
                  "INSERT INTO r VALUES (1, 2, 3), (4, 5, 6)");
    probe_expect(&p, "SELECT graph('r')", "2>3#1 5>6#2");
    probe_run(&p, "CREATE VIRTUAL TABLE f USING fts5(src, dst);"
                  "INSERT INTO f VALUES ('a', 'b'), ('b', 'c')");
    probe_expect(&p, "SELECT graph('f')", "'a'>'b'#1 'b'>'c'#2");
    probe_expect(&p, "SELECT graph('f(src, f)')",
                 "gpu_test: main.f has no column 'f' (columns: src, dst)");
}
END_TEST

START_TEST(attached_and_temporary) {
    probe_run(&p, "ATTACH ':memory:' AS \"a x\"; CREATE TABLE \"a x\".t(a, b, w);"
                  "INSERT INTO \"a x\".t VALUES (1, 2, 3); CREATE TABLE u(a, b);"
                  "INSERT INTO u VALUES (4, 5); CREATE TEMP TABLE u(a, b);"
                  "INSERT INTO temp.u VALUES (6, 7)");
    probe_expect(&p, "SELECT graph('t(a, b)')", "1>2#1");
    probe_expect(&p, "SELECT graph('\"a x\".T(A, B, w)', NULL, 'any')", "1>2#1=3");
    probe_expect(&p, "SELECT graph('u(a, b)')", "6>7#1");
    probe_expect(&p, "SELECT graph('main.u(a, b)')", "4>5#1");
}
END_TEST

START_TEST(columns_by_name) {
    probe_run(&p,
              "CREATE TABLE a(length, weight, TARGET, source, dst); INSERT INTO a "
              "VALUES (1, 2, 3, 4, 5);"
              "CREATE TABLE b(\"from\", \"to\", dst, length); INSERT INTO b VALUES "
              "(1, 2, 3, 4);"
              "CREATE TABLE c(from_id, to_id); INSERT INTO c VALUES (1, 2);"
              "CREATE TABLE g(child, parent, u); INSERT INTO g VALUES (1, 2, 3);"
              "CREATE TABLE h(child, parent, v, u); INSERT INTO h VALUES (1, 2, 3, 4);"
              "CREATE TABLE d(src, dst, source, target, cost, length); INSERT INTO d "
              "VALUES (1, 2, 3, 4, 5, 6);"
              "CREATE TABLE e(src, target)");
    probe_expect(&p, "SELECT graph('a', NULL, 'any')", "4>3#1=2");
    probe_expect(&p, "SELECT graph('b', NULL, 'any')", "1>2#1=4");
    probe_expect(&p, "SELECT graph('c', NULL, 'any')", "1>2#1");
    probe_expect(&p, "SELECT graph('d', NULL, 'any')", "1>2#1=5");
    probe_expect(&p, "SELECT graph('g', NULL, 'any')", "2>1#1");
    probe_expect(&p, "SELECT graph('h', NULL, 'any')", "4>3#1");
    probe_expect(
        &p, "SELECT graph('e')",
        "gpu_test: main.e has no pair of columns src and dst, source and target, from "
        "and to, from_id and to_id, u and v, or parent and child; name its columns, as "
        "in "
        "'e(src, target)' (columns: src, target)");
    probe_expect(
        &p, "SELECT graph('c', NULL, 'weights')",
        "gpu_test: main.c has no weight column; name one that holds numbers, or let a "
        "column be called weight, cost, length, distance, metres, "
        "meters, km, miles, seconds, minutes or duration");
    probe_expect(&p, "SELECT graph('c')", "1>2#1"); /* no incomplete graph was kept */
    probe_expect(&p, "SELECT graph('a(source, target)', NULL, 'weights')",
                 "gpu_test: 'a(source, TARGET)' names no third column, the weight; name "
                 "one that holds numbers, as in 'a(source, TARGET, weight)'");
}
END_TEST

START_TEST(texts_and_numbers) {
    probe_run(
        &p,
        "CREATE TABLE t(a, b, w); INSERT INTO t VALUES (1, '1', '2'), ('', 'é', ' 7 '),"
        "(9223372036854775807, -9223372036854775808, '0')");
    probe_expect(&p, "SELECT graph('t(a, b, w)', NULL, 'weights')",
                 "1>'1'#1=2 ''>'é'#2=7 9223372036854775807>-9223372036854775808#3=0");
    probe_run(&p, "INSERT INTO t VALUES (2, 3, '1e2')");
    probe_expect(
        &p, "SELECT graph('t(a, b, w)', NULL, 'weights')",
        "1>'1'#1=2.0 ''>'é'#2=7.0 9223372036854775807>-9223372036854775808#3=0.0 "
        "2>3#4=100.0");
}
END_TEST

START_TEST(many_texts) {
    /* Lengths around 8 bytes, which decide how a text is found, and zeros at the end of a
    ** text. */
    intern texts;
    memset(&texts, 0, sizeof texts);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 60000; i++) {
            char text[24];
            int length = snprintf(text, sizeof text, i % 3 ? "%d" : "vertex-%d", i);
            length += i % 3 == 1 ? 3 : 0;
            memset(text + (i % 3 == 1 ? length - 3 : length), 0, i % 3 == 1 ? 3 : 0);
            if (intern_text(&texts, text, (size_t)length) != i)
                ck_abort_msg("text %d", i);
        }
    }
    ck_assert_int_eq(texts.count, 60000);
    ck_assert_int_eq(intern_text(&texts, "", 0), 60000);
    ck_assert_int_eq(intern_text(&texts, "\0", 1), 60001);
    ck_assert_int_eq(intern_text(&texts, "", 0), 60000);
    intern_clear(&texts);
}
END_TEST

START_TEST(utf16) {
    probe_close(&p);
    setup();
    probe_run(&p, "PRAGMA encoding = 'UTF-16be'; CREATE TABLE \"ä\"(src, dst);"
                  "INSERT INTO \"ä\" VALUES ('größe', '𝄞')");
    probe_expect(&p, "SELECT graph('ä')", "'größe'>'𝄞'#1");
}
END_TEST

START_TEST(vertices_added) {
    probe_run(&p, "CREATE TABLE t(src, dst); INSERT INTO t VALUES (1, 'a'), (2, 3);"
                  "CREATE TABLE places(id, name); INSERT INTO places VALUES (2, 'x'), "
                  "(9, 'y'), ('b', 'z');"
                  "CREATE TABLE one(id); INSERT INTO one VALUES (8), (8);"
                  "CREATE VIEW v AS SELECT 7 AS id");
    probe_expect(&p, "SELECT graph('t', 'places(id)')", "1>'a'#1 2>3#2|9 'b'");
    probe_expect(&p, "SELECT graph('t', 'one')", "1>'a'#1 2>3#2|8");
    probe_expect(&p, "SELECT graph('t', 'v')", "1>'a'#1 2>3#2|7");
    probe_expect(
        &p, "SELECT graph('t', 'places')",
        "gpu_test: main.places has more than one column; name the one that holds vertex "
        "ids, as in 'places(id)' (columns: id, name)");
    probe_run(&p, "INSERT INTO one VALUES (2.5)");
    probe_expect(&p, "SELECT graph('t', 'one')",
                 "gpu_test: the vertex id of row 3 in main.one (column id) is the REAL "
                 "2.5; a vertex id is an INTEGER or a TEXT: CAST it to one of them, or "
                 "leave the row out, in a view or a query");
}
END_TEST

/* ---- queries ---- */

START_TEST(queries) {
    probe_run(&p, "CREATE TABLE t(a INT, b, w); INSERT INTO t VALUES (1, 2, 3), (4, 5, "
                  "6.5), (7, 8, 9)");
    probe_expect(&p, "SELECT gpu_test('SELECT a, b FROM t')", "1>2#1 4>5#2 7>8#3");
    probe_expect(&p, "SELECT gpu_test('SELECT a, b, w FROM t', NULL, 'any')",
                 "1>2#1=3.0 4>5#2=6.5 7>8#3=9.0");
    probe_expect(
        &p, "SELECT gpu_test('SELECT a, b, w, -rowid FROM t;  -- all ;;', NULL, 'any')",
        "7>8#-3=9.0 4>5#-2=6.5 1>2#-1=3.0");
    probe_expect(&p, "SELECT gpu_test('/* c */ VALUES (1, ''x''), (''x'', ''it''''s'')')",
                 "1>'x'#1 'x'>'it''s'#2");
    probe_expect(&p, "SELECT gpu_test('WITH x AS (SELECT 5 AS i) SELECT i, i FROM x')",
                 "5>5#1");
    probe_expect(&p, "SELECT gpu_test('SELECT a, b FROM t WHERE 0')", "");
}
END_TEST

START_TEST(refused_queries) {
    static const char *const refused[][2] = {
        {"SELECT 1, 2; SELECT 3, 4", "the query in edges is more than one statement"},
        {"WITH x AS (SELECT 1) INSERT INTO t SELECT 1, 2, 3 FROM x",
         "the query in edges writes"},
        {"SELECT ?, 2",
         "the query in edges has 1 parameter (?), and params holds 0 values"},
        {"SELECT :a, 2",
         "the query in edges has 1 parameter (:a), and params holds 0 values"},
        {"SELECT 1", "the query in edges must have 2 to 5 columns"},
        {"SELECT 1, 2, 3, 4, 5, 6", "weight, edge id, reverse weight), not 6"},
        {"SELECT a, nosuch FROM t",
         "the query in edges cannot be prepared: no such column"},
        {"SELECT 1 2 3", "the query in edges cannot be prepared"},
        {"SELECT 1, 2, 3, x'00'",
         "the edge id of row 1 in the query in edges (column x'00') is a BLOB"},
        {"SELECT a, abs(b) FROM u",
         "the query in edges cannot be read: integer overflow"},
        {"EXPLAIN SELECT 1, 2", "there is more than a name and its columns"},
        {"-- all\nDELETE FROM t", "there is more than a name and its columns"},
        {"PRAGMA table_list", "there is more than a name and its columns"},
        {"t u", "there is more than a name and its columns"},
    };
    probe_run(&p, "CREATE TABLE t(a, b, w); CREATE TABLE u(a, b);"
                  "INSERT INTO u VALUES (1, -9223372036854775808)");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *sql = sqlite3_mprintf("SELECT gpu_test(%Q)", refused[i][0]);
        const char *got = probe_get(&p, sql);
        ck_assert_msg(strncmp(got, "gpu_test: ", 10) == 0 &&
                          strstr(got, refused[i][1]) != NULL,
                      "%s: %s", sql, got);
        sqlite3_free(sql);
    }
}
END_TEST

START_TEST(where_a_query_may_come_from) {
    static const char refusal[] =
        "gpu_test: a query must stand in the call itself, as one string literal or a "
        "parameter; the one in edges comes from a view, a trigger or a stored or "
        "computed value: make it a view and give the view's name";
    probe_run(&p, "CREATE TABLE q(text); INSERT INTO q VALUES ('SELECT 1, 2');"
                  "CREATE VIEW v AS SELECT gpu_test('SELECT 1, 2') AS g");
    probe_expect(&p, "SELECT g FROM v", refusal);
    probe_expect(&p, "SELECT gpu_test(text) FROM q", refusal);
    /* The name of a view may look like a query. The loader's own SQL must not make it
    ** one. */
    probe_run(&p, "CREATE VIEW w AS SELECT gpu_test('SELECT 1, 2') AS src, 2 AS dst;"
                  "CREATE VIEW \"gpu_test('SELECT 1, 2')\" AS SELECT src, dst FROM w");
    char *unread = sqlite3_mprintf(
        "gpu_test: main.gpu_test('SELECT 1, 2') cannot be read: %s", refusal);
    probe_expect(&p, "SELECT gpu_test('\"gpu_test(''SELECT 1, 2'')\"')", unread);
    sqlite3_free(unread);
}
END_TEST

/* ---- sentences about rows, names and places ---- */

START_TEST(bad_rows) {
    static const char *const bad[][2] = {
        {"1, 2.5, 1",
         "the destination of edge 3 in main.t (column b) is the REAL 2.5; a "
         "vertex id is an INTEGER or a TEXT: CAST it to one of them, or leave "
         "the row out, in a view or a query"},
        {"1, x'00', 1",
         "the destination of edge 3 in main.t (column b) is a BLOB; a vertex id "
         "is an INTEGER or a TEXT: CAST it to one of them, or leave the row out, "
         "in a view or a query"},
        {"1, 2, -1",
         "the weight of edge 3 in main.t (column w) is -1; a weight is a number, "
         "finite and not negative: correct it, or leave the row out, in a view "
         "or a query"},
        {"1, 2, -0.5",
         "the weight of edge 3 in main.t (column w) is the REAL -0.5; a weight "
         "is a number, finite and not negative: correct it, or leave the row "
         "out, in a view or a query"},
        {"1, 2, 1e999",
         "the weight of edge 3 in main.t (column w) is the REAL Inf; a weight is "
         "a number, finite and not negative: correct it, or leave the row out, "
         "in a view or a query"},
        {"1, 2, NULL",
         "the weight of edge 3 in main.t (column w) is NULL; a weight is a "
         "number, finite and not negative: correct it, or leave the row out, in "
         "a view or a query"},
        {"1, 2, 'far'",
         "the weight of edge 3 in main.t (column w) is the text 'far'; a weight "
         "is a number, finite and not negative: correct it, or leave the row "
         "out, in a view or a query"},
        {"1, 2, x'31'",
         "the weight of edge 3 in main.t (column w) is a BLOB; a weight is a "
         "number, finite and not negative: correct it, or leave the row out, in "
         "a view or a query"},
        {"1, 2, '0x10'",
         "the weight of edge 3 in main.t (column w) is the text '0x10'; a weight "
         "is a number, finite and not negative: correct it, or leave the row "
         "out, in a view or a query"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *sql = sqlite3_mprintf("DROP TABLE IF EXISTS t; CREATE TABLE t(a, b, w); "
                                    "INSERT INTO t VALUES (1, 2, 3),"
                                    "(2, 3, 1.5), (%s), (NULL, NULL, NULL)",
                                    bad[i][0]);
        probe_run(&p, sql);
        sqlite3_free(sql);
        char *want = sqlite3_mprintf("gpu_test: %s", bad[i][1]);
        probe_expect(&p, "SELECT graph('t(a, b, w)', NULL, 'weights')", want);
        sqlite3_free(want);
    }
    probe_expect(&p, "SELECT graph('t(a, b, w)')", "1>2#1 2>3#2 1>2#3");
}
END_TEST

START_TEST(a_bad_weight_nobody_needs) {
    probe_run(&p, "CREATE TABLE t(src, dst, weight); CREATE VIEW v AS SELECT * FROM t;"
                  "INSERT INTO t VALUES (1, 2, 3), (2, 3, NULL), (3, 4, 5)");
    probe_expect(&p, "SELECT graph('v')", "1>2#1 2>3#2 3>4#3");
    probe_expect(&p, "SELECT graph('t')", "1>2#1 2>3#2 3>4#3");
    static const char view[] =
        "gpu_test: the weight of row 2 in main.v (column weight) is NULL; a "
        "weight is a number, finite and not negative: correct it, or leave the "
        "row out, in a view or a query";
    probe_expect(&p, "SELECT graph('v', NULL, 'weights')", view);
    probe_expect(&p, "SELECT graph('v', NULL, 'any')", view);
    p.reads = 0;
    probe_expect(&p, "SELECT graph('v') || graph('v', NULL, 'weights')", view);
    ck_assert_int_eq(p.reads, 1);
    probe_expect(&p, "SELECT graph('t') || graph('t', NULL, 'weights')",
                 "gpu_test: the weight of edge 2 in main.t (column weight) is NULL; a "
                 "weight is a number, finite and not negative: correct it, or leave the "
                 "row out, in a view or a query");
}
END_TEST

START_TEST(names_that_are_not_there) {
    probe_run(&p, "CREATE TABLE roads(a, b); ATTACH ':memory:' AS aux; CREATE TABLE "
                  "aux.rails(a, b)");
    probe_expect(&p, "SELECT graph('roadz')",
                 "gpu_test: there is no table or view 'roadz'; the nearest name is "
                 "'roads' (tables: roads, aux.rails)");
    probe_expect(&p, "SELECT graph('main.roadz')",
                 "gpu_test: there is no table or view 'roadz' in main; the nearest name "
                 "is 'roads' (tables there: roads)");
    probe_expect(
        &p, "SELECT graph('temp.roads')",
        "gpu_test: there is no table or view 'roads' in temp (tables there: none)");
    probe_expect(
        &p, "SELECT graph('other.roads')",
        "gpu_test: there is no database 'other' (attached: main, \"temp\", aux)");
    probe_expect(&p, "SELECT graph('roads(a, c)')",
                 "gpu_test: main.roads has no column 'c' (columns: a, b)");
    probe_expect(&p, "SELECT graph('roads(')",
                 "gpu_test: the name of a column is missing in edges at 'roads('; write "
                 "the name of a table or view, with its columns in parentheses where "
                 "needed, or a query that begins with SELECT, WITH or VALUES; a name "
                 "that is not one plain word stands in double quotes");
    probe_run(&p, "CREATE VIEW broken AS SELECT a, b FROM roads; DROP TABLE roads");
    ck_assert_ptr_nonnull(
        strstr(probe_get(&p, "SELECT graph('broken')"), "no such table"));
    probe_run(
        &p,
        "CREATE TABLE many(c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14)");
    probe_expect(
        &p, "SELECT graph('many(x, y)')",
        "gpu_test: main.many has no column 'x' (columns: c1, c2, c3, c4, c5, c6, c7, c8, "
        "c9, c10, c11, c12 and 2 more)");
}
END_TEST

START_TEST(collect_is_not_for_everyone) {
    ck_assert_str_eq(probe_get(&p, "SELECT gpugraph_collect(1, 2, 3, 4)"),
                     "gpugraph_collect: only gpugraph itself calls this; call gpu_bfs or "
                     "another of its functions");
    ck_assert_str_eq(probe_get(&p, "SELECT gpugraph_collect(NULL)"),
                     "gpugraph_collect: only gpugraph itself calls this; call gpu_bfs or "
                     "another of its functions");
    probe_run(&p,
              "CREATE VIEW v AS SELECT gpugraph_collect(1, 2, 3, 4) AS src, 1 AS dst");
    ck_assert_ptr_nonnull(
        strstr(probe_get(&p, "SELECT graph('v')"), "unsafe use of gpugraph_collect()"));
}
END_TEST

START_TEST(affinities) {
    static const struct {
        const char *type;
        char affinity;
    } cases[] = {
        {"INTEGER", 'D'},  {"CHARINT", 'D'}, {"varchar(9)", 'B'},    {"", 'A'},
        {NULL, 'A'},       {"BLOB", 'A'},    {"DOUBLE", 'E'},        {"NUMERIC", 'C'},
        {"anything", 'C'}, {"text", 'B'},    {"FLOATING POINT", 'D'}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(affinity_of_type(cases[i].type), cases[i].affinity);
}
END_TEST

/* ---- interrupts ---- */

static int interrupt_later(void *count) {
    if (++*(int *)count == 40)
        sqlite3_interrupt(p.c.db);
    return 0;
}

START_TEST(interrupts) {
    probe_run(&p, "CREATE TABLE t(a, b, w)");
    fill("t", 200000, mixed, mixed, "1");
    int count = 0;
    sqlite3_progress_handler(p.c.db, 1000, interrupt_later, &count);
    probe_expect(&p, "SELECT graph('t(a, b)')", "interrupted");
    count = 0;
    probe_expect(&p, "SELECT gpu_test('SELECT a, b FROM t')", "interrupted");
    sqlite3_progress_handler(p.c.db, 0, NULL, NULL);
    probe_run(&p, "DELETE FROM t WHERE rowid > 1; UPDATE t SET a = 1, b = 2");
    probe_expect(&p, "SELECT graph('t(a, b)')", "1>2#1");
}
END_TEST

static void probe_interrupted(sqlite3_context *context, int count,
                              sqlite3_value **value) {
    (void)count, (void)value;
    int before = connection_interrupted(&p.c);
    sqlite3_interrupt(p.c.db);
    sqlite3_result_int(context, before * 10 + connection_interrupted(&p.c));
    ck_assert_int_eq(before * 10 + connection_interrupted(&p.c), 1);
}

START_TEST(an_interrupt_is_seen) {
    sqlite3_create_function(p.c.db, "interrupted", 0, SQLITE_UTF8, NULL,
                            probe_interrupted, NULL, NULL);
    probe_get(&p, "SELECT interrupted()");
    probe_expect(&p, "SELECT 'usable'", "usable");
}
END_TEST

const struct suite suite = {
    "loader",
    {{"all", .timeout = 60, .setup = setup, .teardown = teardown,
      .cases = {{&kinds_of_tables},
                {&edge_ids},
                {&without_rowid_views_and_virtual_tables},
                {&attached_and_temporary},
                {&columns_by_name},
                {&texts_and_numbers},
                {&many_texts},
                {&utf16},
                {&vertices_added},
                {&queries},
                {&refused_queries},
                {&where_a_query_may_come_from},
                {&bad_rows},
                {&a_bad_weight_nobody_needs},
                {&names_that_are_not_there},
                {&collect_is_not_for_everyone},
                {&affinities},
                {&interrupts},
                {&an_interrupt_is_seen}}}},
};
