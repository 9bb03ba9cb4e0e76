/* edge_parse: all forms of edge sources, all ways to quote names, all error messages. */
/* ctest: serial */
#include "source/source.h"
#include "suite.h"
#include "base/sql_text.h"
#include <stdlib.h>
#include <string.h>

/* The names and the number of columns: "schema.table(a,b,c)3". */
static char *named(const edge_source *s) {
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendf(out, "%s.%s(", s->schema ? s->schema : "", s->table);
    for (int i = 0; i < s->columns; i++)
        sqlite3_str_appendf(out, "%s%s", i ? "," : "", s->column[i]);
    for (int i = s->columns; i < EDGE_COLUMNS; i++)
        ck_assert_ptr_null(s->column[i]);
    sqlite3_str_appendf(out, ")%d", s->columns);
    return sqlite3_str_finish(out);
}

/* "schema.table(a,b,c)3", "query: ..." or the error message. */
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
        out = named(&s);
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
    expect("roads", EDGE_COLUMNS, ".roads()0");
    expect("  roads  ", EDGE_COLUMNS, ".roads()0");
    expect("aux.roads", EDGE_COLUMNS, "aux.roads()0");
    expect("aux . roads ( a , b )", EDGE_COLUMNS, "aux.roads(a,b)2");
    expect("roads(a,b,metres,id)", EDGE_COLUMNS, ".roads(a,b,metres,id)4");
    expect("roads(a,b,metres)", EDGE_COLUMNS, ".roads(a,b,metres)3");
    expect("\"my roads\"", EDGE_COLUMNS, ".my roads()0");
    expect("[my roads](`a b`, 'c''d', \"e\"\"f\")", EDGE_COLUMNS,
           ".my roads(a b,c'd,e\"f)3");
    expect("\"a.b\".\"c(d)\"", EDGE_COLUMNS, "a.b.c(d)()0");
    expect("order(from, to)", EDGE_COLUMNS, ".order(from,to)2");
    expect("straße(größe, b$1, _x)", EDGE_COLUMNS, ".straße(größe,b$1,_x)3");
    expect("roads /* which */ (a, -- source\n b)", EDGE_COLUMNS, ".roads(a,b)2");
    expect("selected", EDGE_COLUMNS, ".selected()0");
    expect("[a\"b]", EDGE_COLUMNS, ".a\"b()0");
    expect("\"\"", EDGE_COLUMNS, ".()0");
}
END_TEST

START_TEST(queries) {
    expect("SELECT 1, 2", EDGE_COLUMNS, "query: SELECT 1, 2");
    expect(" -- mine\n /* and */ select a, b from t", EDGE_COLUMNS,
           "query:  -- mine\n /* and */ select a, b from t");
    expect("With x AS (SELECT 1) SELECT * FROM x, x", EDGE_COLUMNS,
           "query: With x AS (SELECT 1) SELECT * FROM x, x");
    expect("values(1,2)", EDGE_COLUMNS, "query: values(1,2)");
    expect("SELECT/**/1,2", EDGE_COLUMNS, "query: SELECT/**/1,2");
    expect("SELECT id FROM places", 1, "query: SELECT id FROM places");
}
END_TEST

START_TEST(vertices) {
    expect("places", 1, ".places()0");
    expect("aux.places(id)", 1, "aux.places(id)1");
    refuse("places(a, b)", 1, "there is more than one column in vertices");
    refuse("", 1,
           "vertices is empty; write the name of a table or view, with its column in");
}
END_TEST

START_TEST(refusals) {
    refuse("", EDGE_COLUMNS, "edges is empty");
    refuse("  -- nothing", EDGE_COLUMNS, "edges is empty");
    refuse("roads(", EDGE_COLUMNS,
           "the name of a column is missing in edges at 'roads('");
    refuse("roads()", EDGE_COLUMNS,
           "a name is missing, or must be quoted in edges at ')'");
    refuse("roads(a)", EDGE_COLUMNS, "the destination column is missing");
    expect("roads(a,b,c,d,e)", EDGE_COLUMNS, ".roads(a,b,c,d,e)5");
    refuse("roads(a,b,c,d,e,f)", EDGE_COLUMNS, "more than five columns");
    refuse("roads(a b)", EDGE_COLUMNS, "a comma or a closing parenthesis is missing");
    refuse("roads(a, b", EDGE_COLUMNS, "a comma or a closing parenthesis is missing");
    refuse("roads.", EDGE_COLUMNS, "the name of a table is missing in edges at 'roads.'");
    refuse("\"roads", EDGE_COLUMNS,
           "a quotation mark is never closed in edges at '\"roads'");
    refuse("my-roads", EDGE_COLUMNS,
           "there is more than a name and its columns in edges at '-roads'");
    refuse("a.b.c", EDGE_COLUMNS, "more than a name");
    refuse("roads; DROP TABLE roads", EDGE_COLUMNS, "more than a name");
    refuse("INSERT INTO roads VALUES (1, 2)", EDGE_COLUMNS,
           "begins with SELECT, WITH or VALUES");
    refuse("(SELECT 1, 2)", EDGE_COLUMNS, "a name is missing, or must be quoted");
    refuse("1roads", EDGE_COLUMNS, "a name is missing, or must be quoted");
    refuse("roads(a, b) WHERE open and something that is very long indeed", EDGE_COLUMNS,
           "'WHERE open and something that is very lo...'");
}
END_TEST

START_TEST(zero_bytes) {
    edge_source s;
    char *error;
    ck_assert_int_eq(edge_parse("ro\0ads", 6, EDGE_COLUMNS, &s, &error), SQLITE_ERROR);
    ck_assert_str_eq(
        error,
        "edges holds a zero byte; write the name of a table or view, with its columns in "
        "parentheses where needed, or a query that begins with SELECT, WITH or VALUES; a "
        "name that is not one plain word stands in double quotes");
    sqlite3_free(error);
}
END_TEST

START_TEST(every_name_comes_back) {
    /* A name quoted in each style is read unchanged, whatever bytes it has. */
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

const struct suite suite = {
    "edge_source",
    {{"parse", .cases = {{&names},
                         {&queries},
                         {&vertices},
                         {&refusals},
                         {&zero_bytes},
                         {&every_name_comes_back}}}},
};
