/* edge_parse: every form of section "Edge sources", every way of quoting, every
** sentence. */
#include "ext.h"
#include "suite.h"
#include "sql_text.h"
#include <stdlib.h>
#include <string.h>

/* "schema.table(a,b,c)" or "query: ..." or the sentence */
static char *parsed(const char *text, int max_columns) {
    edge_source s;
    char *error, *out;
    int rc = edge_parse(text, (int)strlen(text), max_columns, &s, &error);
    if (rc != SQLITE_OK) {
        ck_assert_int_eq(rc, SQLITE_ERROR);
        ck_assert_ptr_null(s.table);
        return error;
    }
    ck_assert_ptr_null(error);
    if (s.query)
        out = sqlite3_mprintf("query: %s", s.query);
    else
        out = sqlite3_mprintf("%s.%s(%s,%s,%s)%d", s.schema ? s.schema : "", s.table,
                              s.column[0] ? s.column[0] : "",
                              s.column[1] ? s.column[1] : "",
                              s.column[2] ? s.column[2] : "", s.columns);
    edge_source_clear(&s);
    return out;
}

static void expect(const char *text, int max_columns, const char *want) {
    char *got = parsed(text, max_columns);
    ck_assert_str_eq(got, want);
    sqlite3_free(got);
}

static void refuse(const char *text, int max_columns, const char *part) {
    char *got = parsed(text, max_columns);
    ck_assert_msg(strstr(got, part) != NULL, "'%s' gave: %s", text, got);
    sqlite3_free(got);
}

START_TEST(names) {
    expect("roads", 3, ".roads(,,)0");
    expect("  roads  ", 3, ".roads(,,)0");
    expect("aux.roads", 3, "aux.roads(,,)0");
    expect("aux . roads ( a , b )", 3, "aux.roads(a,b,)2");
    expect("roads(a,b,metres)", 3, ".roads(a,b,metres)3");
    expect("\"my roads\"", 3, ".my roads(,,)0");
    expect("[my roads](`a b`, 'c''d', \"e\"\"f\")", 3, ".my roads(a b,c'd,e\"f)3");
    expect("\"a.b\".\"c(d)\"", 3, "a.b.c(d)(,,)0");
    expect("order(from, to)", 3, ".order(from,to,)2");
    expect("straße(größe, b$1, _x)", 3, ".straße(größe,b$1,_x)3");
    expect("roads /* which */ (a, -- source\n b)", 3, ".roads(a,b,)2");
    expect("selected", 3, ".selected(,,)0");
    expect("[a\"b]", 3, ".a\"b(,,)0");
    expect("\"\"", 3, ".(,,)0");
}
END_TEST

START_TEST(queries) {
    expect("SELECT 1, 2", 3, "query: SELECT 1, 2");
    expect(" -- mine\n /* and */ select a, b from t", 3,
           "query:  -- mine\n /* and */ select a, b from t");
    expect("With x AS (SELECT 1) SELECT * FROM x, x", 3,
           "query: With x AS (SELECT 1) SELECT * FROM x, x");
    expect("values(1,2)", 3, "query: values(1,2)");
    expect("SELECT/**/1,2", 3, "query: SELECT/**/1,2");
    expect("SELECT id FROM places", 1, "query: SELECT id FROM places");
}
END_TEST

START_TEST(vertices) {
    expect("places", 1, ".places(,,)0");
    expect("aux.places(id)", 1, "aux.places(id,,)1");
    refuse("places(a, b)", 1, "there is more than one column in vertices");
    refuse("", 1, "vertices is empty; write a table or view with its column");
}
END_TEST

START_TEST(refusals) {
    refuse("", 3, "edges is empty");
    refuse("  -- nothing", 3, "edges is empty");
    refuse("roads(", 3, "the name of a column is missing in edges (roads(");
    refuse("roads()", 3, "a name is missing, or must be quoted in edges ())");
    refuse("roads(a)", 3, "the destination column is missing");
    refuse("roads(a,b,c,d)", 3, "more than three columns");
    refuse("roads(a b)", 3, "a comma or a closing bracket is missing");
    refuse("roads(a, b", 3, "a comma or a closing bracket is missing");
    refuse("roads.", 3, "the name of a table is missing in edges (roads.)");
    refuse("\"roads", 3, "a quotation mark is never closed in edges (\"roads)");
    refuse("my-roads", 3, "there is more than a name and its columns in edges (-roads)");
    refuse("a.b.c", 3, "more than a name");
    refuse("roads; DROP TABLE roads", 3, "more than a name");
    refuse("INSERT INTO roads VALUES (1, 2)", 3, "begins with SELECT, WITH or VALUES");
    refuse("(SELECT 1, 2)", 3, "a name is missing, or must be quoted");
    refuse("1roads", 3, "a name is missing, or must be quoted");
    refuse("roads(a, b) WHERE open and something that is very long indeed", 3,
           "(WHERE open and something that is very lo...)");
}
END_TEST

START_TEST(zero_bytes) {
    edge_source s;
    char *error;
    ck_assert_int_eq(edge_parse("ro\0ads", 6, 3, &s, &error), SQLITE_ERROR);
    ck_assert_str_eq(error,
                     "edges holds a zero byte; write a table or view, as in 'roads' or "
                     "'roads(a, b, cost)', or a query that begins with SELECT, WITH or "
                     "VALUES");
    sqlite3_free(error);
}
END_TEST

START_TEST(every_name_comes_back) {
    /* A name quoted in each style is read as it was, whatever bytes it has. */
    srand(7);
    for (int round = 0; round < 2000; round++) {
        char name[12], quoted[64];
        int length = rand() % 10;
        for (int i = 0; i < length; i++)
            name[i] = "ab'\"`.,( )[-/*\xc3\xa9 "[rand() % 16];
        name[length] = 0;
        char mark = "'\"`"[round % 3];
        int at = 0;
        quoted[at++] = mark;
        for (int i = 0; i < length; i++) {
            if (name[i] == mark)
                quoted[at++] = mark;
            quoted[at++] = name[i];
        }
        quoted[at++] = mark;
        edge_source s;
        char *error;
        ck_assert_int_eq(edge_parse(quoted, at, 3, &s, &error), SQLITE_OK);
        ck_assert_str_eq(s.table, name);
        edge_source_clear(&s);
    }
}
END_TEST

START_TEST(literals) {
    ck_assert(sql_has_literal("SELECT f('x')", "x"));
    ck_assert(sql_has_literal("SELECT f(\"x\")", "x"));
    ck_assert(sql_has_literal("SELECT f('it''s')", "it's"));
    ck_assert(sql_has_literal("SELECT f('')", ""));
    ck_assert(!sql_has_literal("SELECT f('xy', 'yx', x)", "x"));
    ck_assert(!sql_has_literal("SELECT f() -- 'x'\n", "x"));
    ck_assert(!sql_has_literal("SELECT f() /* 'x' */", "x"));
    ck_assert(!sql_has_literal("SELECT \"a 'x' b\"", "x"));
    ck_assert(!sql_has_literal("SELECT [x], `x`", "x"));
    ck_assert(!sql_has_literal("SELECT 'x", "x"));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("edge_source");
    TCase *tests = tcase_create("parse");
    tcase_add_test(tests, names);
    tcase_add_test(tests, queries);
    tcase_add_test(tests, vertices);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, zero_bytes);
    tcase_add_test(tests, every_name_comes_back);
    tcase_add_test(tests, literals);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
