/* Filters: every function with a filter gives the rows of the same function over a query
** that has the condition, for tables, for followed graphs after any change, and for kinds
** of rows: reverse weights, ids of their own, NULL ends, conditions of the graph itself.
*/
/* ctest: wrap=memory */
#include "failing_memory.h"
#include "gpugraph_extension.h"
#include "graphs.h"
#include "share.h"
#include "sql.h"
#include "suite.h"
#include <string.h>

enum { VERTICES = 40 };

/* %s: the edges, and the further conditions of WHERE. */
static const char *const calls[] = {
    "SELECT vertex, depth, parent, edge FROM gpu_bfs(%s, 3) WHERE %s ORDER BY vertex",
    "SELECT vertex, depth FROM gpu_bfs(%s, 3) WHERE direction = 'in' AND %s",
    "SELECT vertex, depth, edge FROM gpu_bfs(%s, 3, 9) WHERE direction = 'both' AND %s",
    "SELECT source, vertex, depth FROM gpu_bfs(%s) WHERE sources = '[3, 7, 50]' AND %s",
    "SELECT vertex, distance, parent, edge FROM gpu_sssp(%s, 3) WHERE %s",
    "SELECT vertex, distance FROM gpu_sssp(%s, 3) WHERE direction = 'both' AND %s ORDER "
    "BY distance, vertex LIMIT 9",
    "SELECT seq, vertex, edge, cost, distance FROM gpu_path(%s, 3, 8) WHERE %s",
    "SELECT path, seq, vertex, edge FROM gpu_paths(%s, 3, 8, 3) WHERE %s",
    "SELECT source, target, distance FROM gpu_matrix(%s, '[3, 4, 5, 90]') WHERE %s",
    "SELECT vertex, preorder, parent, edge FROM gpu_dfs(%s, 3) WHERE ordered = 1 AND %s",
    "SELECT vertex, depth FROM gpu_dfs(%s) WHERE ordered = 1 AND %s",
    "SELECT vertex FROM gpu_mis(%s) WHERE %s",
    "SELECT vertex, component FROM gpu_components(%s) WHERE %s",
    "SELECT vertex, component FROM gpu_components(%s) WHERE kind = 'strong' AND %s",
    "SELECT vertex, rank FROM gpu_pagerank(%s) WHERE %s",
    "SELECT vertex, label FROM gpu_label_propagation(%s) WHERE %s",
    "SELECT vertex, triangles, degree, coefficient FROM gpu_triangles(%s) WHERE %s",
    "SELECT vertex, core FROM gpu_cores(%s) WHERE %s",
    "SELECT vertex, out_degree, in_degree, degree FROM gpu_degrees(%s) WHERE %s",
    "SELECT edge, source, target, weight, component FROM gpu_spanning_forest(%s) WHERE "
    "%s",
};
enum { CALLS = sizeof calls / sizeof *calls };

static const char *const filters[] = {
    "toll = 0",
    "NOT toll",
    "height >= 3",
    "height BETWEEN 2 AND 3.5 AND kind <> 'foot'",
    "kind IN ('car', 'bus') OR toll",
    "kind IS NULL",
    "length(kind) > 3 -- not simple",
    "height > toll + 2.5",
    "1",
    "NULL",
};
enum { FILTERS = sizeof filters / sizeof *filters };

static uint64_t dice;
static int draw(int most) {
    return (int)(shape_random(&dice) % (uint64_t)most);
}

/* Kinds of tables. `query` and `source` name the columns in both forms. */
static const struct {
    const char *declared, *source, *query;
} kinds[] = {
    {"id INTEGER PRIMARY KEY, src INTEGER, dst INTEGER, weight INTEGER",
     "roads(src, dst, weight)", "src, dst, weight, id"},
    {"id INTEGER PRIMARY KEY, src, dst, weight REAL", "roads(src, dst, weight)",
     "src, dst, weight, id"},
    {"id INTEGER PRIMARY KEY, src INTEGER, dst INTEGER, weight INTEGER, name TEXT",
     "roads(src, dst, weight, name)", "src, dst, weight, name"},
    {"id INTEGER PRIMARY KEY, src INTEGER, dst INTEGER, weight INTEGER, back INTEGER",
     "roads(src, dst, weight, id, back)", "src, dst, weight, id, back"},
    {"id INTEGER PRIMARY KEY, src INTEGER, dst INTEGER, weight INTEGER) WITHOUT ROWID --",
     "roads(src, dst, weight, id)", "src, dst, weight, id"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void add_rows(int kind, int count) {
    static const char *const ways[] = {"car", "bus", "foot", "train"};
    for (int i = 0; i < count; i++) {
        char *kind_text = draw(6) == 0 ? NULL : sqlite3_mprintf("%s", ways[draw(4)]);
        run("INSERT INTO roads(id, src, dst, weight, toll, height, kind) SELECT "
            "ifnull(max(id), 0) + 1, %d, %d, %d, %d, %d.5, %Q FROM roads",
            draw(VERTICES), draw(VERTICES), draw(9), draw(2), draw(5), kind_text);
        sqlite3_free(kind_text);
    }
    if (kind == 2)
        run("UPDATE roads SET name = 'e' || id WHERE name IS NULL");
    if (kind == 3)
        run("UPDATE roads SET back = abs(random() %% 9) - 2 WHERE back IS NULL");
}

static void make_tables(int kind) {
    static const char more[] = "toll INTEGER, height REAL, kind TEXT, \"true\" DEFAULT 0";
    const char *declared = kinds[kind].declared, *end = strstr(declared, ") WITHOUT");
    sql_open();
    if (end)
        run("CREATE TABLE roads(%.*s, %s%s\n", (int)(end - declared), declared, more,
            ") WITHOUT ROWID");
    else
        run("CREATE TABLE roads(%s, %s)", declared, more);
    add_rows(kind, 3 * VERTICES);
    run("CREATE TABLE places(id INTEGER PRIMARY KEY, open INTEGER);"
        "WITH n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT "
        "INTO "
        "places SELECT i, i %% 4 > 0 FROM n WHERE i %% 7",
        VERTICES + 9);
}

/* Queries of vertices; NULL: all of them. */
static const char *const members[] = {
    NULL,
    NULL,
    "SELECT id FROM places",
    "SELECT id FROM places WHERE open",
    "SELECT 3 UNION ALL SELECT src FROM roads WHERE toll",
    "SELECT 3 WHERE 0",
};
enum { MEMBERS = sizeof members / sizeof *members };

/* The rows of `roads` and their ends that a filter, a query of vertices (NULL: none) and
** the condition of a followed graph leave. */
static char *rows_left(int kind, const char *filter, const char *list,
                       const char *where) {
    return sqlite3_mprintf("SELECT %s FROM roads WHERE (%s\n) AND (%s) AND (src IN (%s)) "
                           "AND (dst IN (%s))",
                           kinds[kind].query, filter, where, list ? list : "src",
                           list ? list : "dst");
}

static char *ends_left(const char *list, const char *where) {
    return sqlite3_mprintf("SELECT src FROM roads WHERE (%s) AND src IN (%s) UNION "
                           "SELECT dst FROM roads WHERE (%s) AND dst IN (%s)",
                           where, list ? list : "src", where, list ? list : "dst");
}

/* Compares a call with filters and the call over a query. name: the edges of the first
** call. */
static void compare(int kind, int call, const char *name, const char *filter,
                    const char *where) {
    const char *list = members[draw(MEMBERS)];
    char *query = rows_left(kind, filter, list, where), *ends = ends_left(list, where),
         *edges = sqlite3_mprintf("%Q", name), *plain = sqlite3_mprintf("%Q", query),
         *with = sqlite3_mprintf(list ? "edge_filter = %Q AND vertex_filter = %Q"
                                      : "edge_filter = %Q",
                                 filter, list),
         *without = sqlite3_mprintf("vertices = %Q", ends),
         *kept = sqlite3_mprintf(calls[call], edges, with),
         *fresh = sqlite3_mprintf(calls[call], plain, without);
    expect_same(kept, fresh);
    sqlite3_free(query);
    sqlite3_free(ends);
    sqlite3_free(edges);
    sqlite3_free(plain);
    sqlite3_free(with);
    sqlite3_free(without);
    sqlite3_free(kept);
    sqlite3_free(fresh);
}

START_TEST(every_function) {
    const int kind = _i % KINDS;
    dice = (uint64_t)_i + 1;
    make_tables(kind);
    run("INSERT INTO roads(id, src, dst, weight, toll) VALUES (9999, NULL, 90, 1, 0)");
    if (kind == 2)
        run("UPDATE roads SET name = 'half' WHERE name IS NULL");
    for (int call = 0; call < CALLS; call++)
        for (int f = 0; f < FILTERS; f++)
            if (!left_out((uint64_t)(call * FILTERS + f)))
                compare(kind, call, kinds[kind].source, filters[f], "1");
    sql_close();
}
END_TEST

/* ---- followed graphs ---- */

static void change(int kind) {
    const int row = 1 + draw(4 * VERTICES);
    switch (draw(10)) {
    case 0:
        run("DELETE FROM roads WHERE src = %d OR dst = %d", draw(VERTICES),
            draw(VERTICES));
        break;
    case 1:
        run("UPDATE roads SET toll = 1 - toll WHERE id = %d", row);
        break;
    case 2:
        run("UPDATE roads SET height = %d.5, kind = 'bus' WHERE id BETWEEN %d AND %d",
            draw(5), row, row + 3);
        break;
    case 3:
        run("UPDATE roads SET dst = %d WHERE id = %d", draw(2 * VERTICES), row);
        break;
    case 4:
        run("UPDATE roads SET src = NULL WHERE id = %d", row);
        break;
    case 5:
        run("DELETE FROM roads WHERE id = %d", row);
        break;
    case 6:
        run("UPDATE OR REPLACE roads SET id = %d WHERE id = %d", row + 1, row);
        break;
    case 7:
        run("UPDATE places SET open = 1 - open WHERE id = %d", draw(VERTICES));
        break;
    default:
        add_rows(kind, 1 + draw(3));
    }
}

START_TEST(followed) {
    const int kind = _i % (KINDS - 1); /* a graph reads a table without rowids again */
    const bool conditional = _i / (KINDS - 1) % 2;
    const char *where = conditional ? "id % 3 > 0" : "1";
    dice = (uint64_t)_i + 100;
    make_tables(kind);
    run("CREATE VIRTUAL TABLE g USING gpugraph(%s%s)", kinds[kind].source,
        conditional ? ", where = 'id % 3 > 0'" : "");
    for (int turn = 0; turn < 40; turn++) {
        const bool inside = draw(5) == 0;
        if (inside)
            run("BEGIN");
        for (int i = draw(4); i > 0; i--)
            change(kind);
        for (int i = 0; i < 6; i++)
            compare(kind, draw(CALLS), "g", filters[draw(4)], where);
        if (inside)
            run(draw(2) ? "ROLLBACK" : "COMMIT");
        compare(kind, draw(CALLS), "g", filters[draw(FILTERS)], where);
        expect("'ok'", "SELECT gpugraph_check('g')");
    }
    sql_close();
}
END_TEST

/* Changes rows of every kind, and asks while allocation number n fails. The answer is
** right or an error, and so is the next one. */
START_TEST(failing_allocations) {
    static const char *const asked[] = {
        "SELECT vertex, edge FROM gpu_bfs('g', 3) WHERE edge_filter = 'toll = 0'",
        "SELECT vertex, depth FROM gpu_bfs('g', 3) WHERE edge_filter = 'toll = 0' AND "
        "vertex_filter = 'SELECT id FROM places'"};
    const char *query = asked[_i % 2];
    bool failed = true;
    dice = 7;
    make_tables(_i / 2);
    run("CREATE VIRTUAL TABLE g USING gpugraph(%s)", kinds[_i / 2].source);
    for (int n = 1; failed; n += 1 + n / 40) {
        sqlite3_free(ask("%s", query));
        run("UPDATE roads SET toll = 1 - toll WHERE id %% 9 = %d", n % 9);
        run("UPDATE roads SET dst = dst + 1 WHERE id %% 11 = %d", n % 11);
        fail_from(n, n % 2);
        char *said = ask("%s", query);
        failed = fail_no_more();
        char *right = ask("%s", query);
        if (strncmp(said, "error", 5) != 0)
            ck_assert_str_eq(said, right);
        else
            ck_assert(failed);
        sqlite3_free(said);
        sqlite3_free(right);
        compare(_i / 2, n % CALLS, "g", "toll = 0", "1");
    }
    sql_close();
}
END_TEST

/* ---- parameters and errors ---- */

static void make_few(void) {
    sql_open();
    run("CREATE TABLE roads(a, b, m, kind TEXT);"
        "INSERT INTO roads VALUES (1, 2, 1, 'car'), (2, 3, 2, 'it''s'), (3, 4, 0.1, "
        "NULL)");
}

#define FILTERED "SELECT group_concat(vertex) FROM gpu_bfs('roads(a, b, m)', 1) WHERE "

START_TEST(parameters) {
    make_few();
    expect("'1,2'", FILTERED "edge_filter = 'm = ?' AND edge_params = '[1]'");
    expect("'1,2,3'", FILTERED
           "edge_filter = 'kind = ? OR m = ?' AND edge_params = '[\"it''s\", 1]'");
    expect("'1,2,3'",
           FILTERED "edge_filter = 'm > :least AND m < ?3 AND :least = ?1' AND "
                    "edge_params = '[0.5, null, 9]'");
    expect("'1,2,3,4'", FILTERED "edge_filter = 'm - ? > 0 -- ?' AND edge_params = "
                                 "'[-5]'");
    expect("'1,2,3,4'",
           FILTERED "edge_filter = 'm >= $x OR ''?'' = kind' AND edge_params "
                    "= json_array(0.1)");
    expect("'1,2,3,4'", FILTERED "edge_filter = NULL AND edge_params = NULL");
    /* a value cannot become SQL */
    expect("'1'",
           FILTERED "edge_filter = 'kind = ?' AND edge_params = json_array('x'' OR "
                    "1 --')");
    sql_close();
}
END_TEST

static const struct {
    const char *arguments, *part;
} errors[] = {
    {"edge_filter = 'm = ?'",
     "edge_filter has 1 parameter, and edge_params holds 0 values; give one for each"},
    {"edge_filter = 'm = ?' AND edge_params = '[1, 2]'", "edge_params holds 2 values"},
    {"edge_params = '[1]'", "leave edge_params out"},
    {"edge_filter = 'm = ?' AND edge_params = '{\"a\": 1}'", "must be a JSON array"},
    {"edge_filter = 'm = ?' AND edge_params = '[[1]]'", "value 1 of edge_params is an "
                                                        "array"},
    {"edge_filter = 'm = ?' AND edge_params = '[\"\\u0000\"]'", "holds \\u0000"},
    {"edge_filter = 'm = ?99999' AND edge_params = '[1]'", "?1 to ?32766"},
    {"edge_filter = 'knid = 1'", "reads the column 'knid', which main.roads does not "
                                 "have; the nearest name is 'kind' (columns: a, b, m, "
                                 "kind)"},
    {"edge_filter = 'm = random()'", "not a deterministic function"},
    {"edge_filter = 'kind LIKE ''c%'''", "case_sensitive_like"},
    {"edge_filter = 'm IN (SELECT 1)'", "subqueries"},
    {"edge_filter = 'sum(m)'", "not a deterministic function"},
    {"edge_filter = 'm = 1) OR (1'", "syntax error"},
    {"edge_filter = ''", "syntax error"},
    {"edge_filter = 'm ='", "syntax error"},
    {"edge_filter = 1", "must be an SQL condition, as in 'toll = 0', not 1"},
    {"edge_filter = 'm' AND edge_params = 5", "must be a JSON array"},
};

START_TEST(sentences) {
    make_few();
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        expect_error("gpu_bfs", errors[i].part, FILTERED "%s", errors[i].arguments);
    expect_error("gpu_bfs", "put the condition into the query",
                 "SELECT * FROM gpu_bfs('SELECT a, b FROM roads', 1) WHERE edge_filter = "
                 "'m = 1'");
    run("CREATE VIEW ways AS SELECT * FROM roads");
    expect_error("gpu_bfs", "main.ways is a view",
                 "SELECT * FROM gpu_bfs('ways(a, b)', 1) WHERE edge_filter = 'm = 1'");
    sql_close();
}
END_TEST

/* A bad weight of a row that the filter leaves out is no error. */
START_TEST(bad_weights) {
    make_few();
    run("INSERT INTO roads VALUES (4, 5, -1, 'bad'), (4, 6, 'x', 'bad')");
    expect_error("gpu_sssp", "edge 4", "SELECT * FROM gpu_sssp('roads(a, b, m)', 1)");
    expect("1|0;2|1;3|3", "SELECT vertex, distance FROM gpu_sssp('roads(a, b, m)', "
                          "1) WHERE edge_filter = 'kind <> ''bad'''");
    expect("6", "SELECT count(*) FROM gpu_components('roads(a, b, m)') WHERE edge_filter "
                "= 'kind <> ''bad'''");
    sql_close();
}
END_TEST

const struct suite suite = {
    "filter",
    {{"filter", .timeout = 120,
      .cases = {{&every_function, KINDS},
                {&followed, 2 * (KINDS - 1)},
                {&failing_allocations, 2 * (KINDS - 1)},
                {&parameters},
                {&sentences},
                {&bad_weights}}}},
};
