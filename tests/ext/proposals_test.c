/* A proposal in an error message works when a user types it. Each row of the table is a
** statement that fails, the words of its sentence before a proposal, and a statement with
** the proposal at the place that the sentence names. */
#include "function_examples.h"
#include "sql.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* %s stands for the proposal. LITERAL: an SQL string, 'it''s'. VALUE: the content of that
** string. REST: everything up to the rest of the sentence, which begins with one of
** `ends`. */
enum form { LITERAL, VALUE, REST };

struct proposal {
    const char *wrong, *before;
    enum form form;
    const char *typed;
};

static void make_tables(void) {
    sql_open();
    run("ATTACH ':memory:' AS aux;"
        "CREATE TABLE roads(id INTEGER PRIMARY KEY, src, dst, length INTEGER);"
        "INSERT INTO roads VALUES (1, 1, 2, 4), (2, 2, 3, 1), (3, 5, 6, 1);"
        "CREATE TABLE \"my roads\"(id INTEGER PRIMARY KEY, \"from\" INTEGER, \"the end\" "
        "INTEGER, "
        "    \"way's length\" REAL);"
        "INSERT INTO \"my roads\" VALUES (1, 1, 2, 4), (2, 2, 3, 1);"
        "CREATE TABLE \"ring road\"(src, dst); INSERT INTO \"ring road\" VALUES (1, 2);"
        "CREATE TABLE \"it's\"(src, dst); INSERT INTO \"it's\" VALUES (1, 2);"
        "CREATE TABLE \"2024-roads\"(\"select\", b); INSERT INTO \"2024-roads\" VALUES "
        "(1, 2);"
        "CREATE TABLE \"values\"(src, dst); INSERT INTO \"values\" VALUES (1, 2);"
        "CREATE TABLE \"order\"(a, b); INSERT INTO \"order\" VALUES (1, 2);"
        "CREATE TABLE canals(src, dst, locks INTEGER); INSERT INTO canals VALUES (1, 2, "
        "3);"
        "CREATE TABLE \"my places\"(name, id); INSERT INTO \"my places\" VALUES ('x', 9);"
        "CREATE TABLE aux.rails(src, dst); INSERT INTO aux.rails VALUES (1, 2);"
        "CREATE TABLE aux.\"my lines\"(\"my a\", b, toll REAL);"
        "INSERT INTO aux.\"my lines\" VALUES (1, 2, 3.5);"
        "CREATE VIRTUAL TABLE \"my graph\" USING gpugraph(roads);"
        "CREATE VIRTUAL TABLE \"a ruin\" USING gpugraph(roads, persist = 1);"
        "DROP TRIGGER \"a ruin_moved\";"
        "CREATE VIRTUAL TABLE \"a stub\" USING gpugraph(roads, persist = 1);"
        "DROP TABLE \"a stub_log\";"
        "CREATE TABLE gone(src, dst);"
        "CREATE VIRTUAL TABLE \"an orphan\" USING gpugraph(gone, persist = 1);"
        "DROP TABLE gone;"
        "CREATE VIRTUAL TABLE canal_graph USING gpugraph(canals);"
        "CREATE VIRTUAL TABLE aux.\"his graph\" USING gpugraph(aux.rails)");
}

static const struct proposal proposals[] = {
    /* Columns. */
    {"SELECT * FROM gpu_bfs('\"my roads\"', 1)", "name its columns, as in ", LITERAL,
     "SELECT * FROM gpu_bfs(%s, 1)"},
    {"SELECT * FROM gpu_bfs('\"2024-roads\"', 1)", "name its columns, as in ", LITERAL,
     "SELECT * FROM gpu_bfs(%s, 1)"},
    {"SELECT * FROM gpu_bfs('\"order\"', 1)", "name its columns, as in ", LITERAL,
     "SELECT * FROM gpu_bfs(%s, 1)"},
    {"SELECT * FROM gpu_bfs('aux.\"my lines\"', 1)", "name its columns, as in ", LITERAL,
     "SELECT * FROM gpu_bfs(%s, 1)"},
    {"CREATE VIRTUAL TABLE g USING gpugraph(\"my roads\")", "name its columns, as in ",
     REST, "CREATE VIRTUAL TABLE g %s"},
    {"SELECT * FROM gpu_bfs('roads', 1) WHERE vertices = '\"my places\"'",
     "vertex ids, as in ", LITERAL,
     "SELECT * FROM gpu_bfs('roads', 1) WHERE vertices = %s"},
    {"SELECT * FROM gpu_bfs('roads', 1) WHERE vertices = 'canals'", "vertex ids, as in ",
     LITERAL, "SELECT * FROM gpu_bfs('roads', 1) WHERE vertices = %s"},

    /* Weights. */
    {"SELECT * FROM gpu_sssp('\"my roads\"(\"from\", \"the end\")', 1)",
     "holds numbers, as in ", LITERAL, "SELECT * FROM gpu_sssp(%s, 1)"},
    {"SELECT * FROM gpu_sssp('aux.\"my lines\"(\"my a\", b)', 1)",
     "holds numbers, as in ", LITERAL, "SELECT * FROM gpu_sssp(%s, 1)"},
    {"SELECT * FROM gpu_sssp('canals', 1)", "holds numbers, as in ", LITERAL,
     "SELECT * FROM gpu_sssp(%s, 1)"},
    {"SELECT * FROM gpu_path('canals', 1, 2)", "holds numbers, as in ", LITERAL,
     "SELECT * FROM gpu_path(%s, 1, 2)"},
    {"SELECT * FROM gpu_sssp('canal_graph', 1)", "holds numbers, as in ", LITERAL,
     "SELECT * FROM gpu_sssp(%s, 1)"},

    /* The nearest name. */
    {"SELECT * FROM gpu_bfs('rods', 1)", "the nearest name is ", LITERAL,
     "SELECT * FROM gpu_bfs(%s, 1)"},
    {"SELECT * FROM gpu_bfs('raods(src, dst)', 1)", "the nearest name is ", VALUE,
     "SELECT * FROM gpu_bfs('%s(src, dst)', 1)"},
    {"SELECT * FROM gpu_bfs('ROADDS', 1)", "the nearest name is ", LITERAL,
     "SELECT * FROM gpu_bfs(%s, 1)"},
    {"SELECT * FROM gpu_bfs('\"its\"', 1)", "the nearest name is ", LITERAL,
     "SELECT * FROM gpu_bfs(%s, 1)"},
    {"SELECT * FROM gpu_bfs('orders(a, b)', 1)", "the nearest name is ", VALUE,
     "SELECT * FROM gpu_bfs('%s(a, b)', 1)"},
    {"SELECT * FROM gpu_bfs('\"my graf\"', 1)", "the nearest name is ", LITERAL,
     "SELECT * FROM gpu_bfs(%s, 1)"},
    {"SELECT * FROM gpu_bfs('aux.rail', 1)", "the nearest name is ", LITERAL,
     "SELECT * FROM gpu_bfs(%s, 1)"},
    {"SELECT * FROM gpu_bfs('rail', 1)", "the nearest name is ", LITERAL,
     "SELECT * FROM gpu_bfs(%s, 1)"},
    {"SELECT * FROM gpu_bfs('auxx.rails', 1)", "the nearest name is ", VALUE,
     "SELECT * FROM gpu_bfs('%s.rails', 1)"},
    {"SELECT * FROM gpu_bfs('\"my roads\"(\"from\", \"the ende\")', 1)",
     "the nearest name is ", VALUE,
     "SELECT * FROM gpu_bfs('\"my roads\"(\"from\", %s)', 1)"},
    {"SELECT * FROM gpu_sssp('roads(src, dst, lenght)', 1)", "the nearest name is ",
     VALUE, "SELECT * FROM gpu_sssp('roads(src, dst, %s)', 1)"},
    {"SELECT gpugraph_check('\"my grapf\"')", "the nearest name is ", LITERAL,
     "SELECT gpugraph_check(%s)"},
    {"SELECT * FROM gpu_bfs('roads', 1) WHERE direction = 'boht'", "the nearest name is ",
     LITERAL, "SELECT * FROM gpu_bfs('roads', 1) WHERE direction = %s"},
    {"SELECT * FROM gpu_bfs('roads', 1) WHERE method = 'aut'", "the nearest name is ",
     LITERAL, "SELECT * FROM gpu_bfs('roads', 1) WHERE method = %s"},
    {"SELECT * FROM gpu_mis('roads') WHERE priority = 'degreeid'", "the nearest name is ",
     LITERAL, "SELECT * FROM gpu_mis('roads') WHERE priority = %s"},
    {"SELECT * FROM gpu_bfs('roads', 1) WHERE backend = 'cpus'", "the nearest name is ",
     LITERAL, "SELECT * FROM gpu_bfs('roads', 1) WHERE backend = %s"},
    {"SELECT * FROM gpu_components('roads') WHERE kind = 'srong'", "the nearest name is ",
     LITERAL, "SELECT * FROM gpu_components('roads') WHERE kind = %s"},
    {"CREATE VIRTUAL TABLE g USING gpugraph(rods)", "the nearest name is ", VALUE,
     "CREATE VIRTUAL TABLE g USING gpugraph(%s)"},
    {"CREATE VIRTUAL TABLE g USING gpugraph(roads, directon = 'in')",
     "the nearest name is ", VALUE,
     "CREATE VIRTUAL TABLE g USING gpugraph(roads, %s = 'in')"},
    {"CREATE VIRTUAL TABLE g USING gpugraph(roads, direction = 'boht')",
     "the nearest name is ", LITERAL,
     "CREATE VIRTUAL TABLE g USING gpugraph(roads, direction = %s)"},
    {"SELECT gpugraph_config('cachelimit')", "the nearest name is ", LITERAL,
     "SELECT gpugraph_config(%s)"},
    {"SELECT gpugraph_config('backend', 'atuo')", "the nearest name is ", LITERAL,
     "SELECT gpugraph_config('backend', %s)"},
    {"SELECT * FROM gpugraph_estimate('roads', 'gpu_bsf')", "the nearest name is ",
     LITERAL, "SELECT * FROM gpugraph_estimate('roads', %s)"},

    /* Calls. */
    {"SELECT * FROM gpu_bfs('\"it''s\"')", "as in ", REST, "SELECT * FROM %s"},
    {"SELECT * FROM gpu_sssp('roads')", "as in ", REST, "SELECT * FROM %s"},
    {"SELECT * FROM gpu_path('roads', 1)", "as in ", REST, "SELECT * FROM %s"},
    {"SELECT * FROM gpu_paths('roads', 1)", "as in ", REST, "SELECT * FROM %s"},
    {"SELECT * FROM gpu_matrix('roads')", "as in ", REST, "SELECT * FROM %s"},
    {"SELECT * FROM gpu_bfs", "as in ", REST, "SELECT * FROM %s"},
    {"SELECT * FROM gpu_dfs(NULL)", "as in ", REST, "SELECT * FROM %s"},
    {"SELECT * FROM roads r LEFT JOIN gpu_bfs ON edges = 'roads' AND source = r.src AND "
     "0",
     "as in ", REST, "SELECT * FROM %s"},
    {"SELECT * FROM gpugraph_estimate('roads')", "as in ", REST, "SELECT * FROM %s"},
    {"SELECT * FROM gpugraph_estimate", "as in ", REST, "SELECT * FROM %s"},
    {"SELECT gpugraph_triangles(7)", "as in ", REST, "SELECT %s"},

    /* Arguments. */
    {"SELECT * FROM gpu_bfs('roads') WHERE sources = '1, 2'", "such as ", LITERAL,
     "SELECT * FROM gpu_bfs('roads') WHERE sources = %s"},
    {"SELECT * FROM gpu_bfs('roads', 1) WHERE max_depth <= 2", "write ", REST,
     "SELECT * FROM gpu_bfs('roads', 1) WHERE %s"},
    {"SELECT * FROM gpu_bfs('roads', 1) WHERE max_depth < 2", "write ", REST,
     "SELECT * FROM gpu_bfs('roads', 1) WHERE %s"},
    {"SELECT * FROM gpu_bfs('roads', 1) WHERE max_depth BETWEEN 0 AND 2", "write ", REST,
     "SELECT * FROM gpu_bfs('roads', 1) WHERE %s"},
    {"SELECT * FROM gpu_sssp('roads', 1) WHERE max_distance <= 2.5", "write ", REST,
     "SELECT * FROM gpu_sssp('roads', 1) WHERE %s"},
    {"SELECT * FROM gpu_bfs('roads', 1) WHERE direction IS 'in'", "write ", REST,
     "SELECT * FROM gpu_bfs('roads', 1) WHERE %s"},
    {"SELECT * FROM gpu_bfs('roads', 1, max_depth = 2)", "as in ", REST,
     "SELECT * FROM gpu_bfs('roads', 1) %s"},
    {"SELECT * FROM gpugraph_estimate('roads', 'gpu_bfs') WHERE sources = 'x'", "as in ",
     REST, "SELECT * FROM gpugraph_estimate('roads', 'gpu_bfs') %s"},

    /* Followed graphs. */
    {"CREATE VIRTUAL TABLE g USING gpugraph(roads, 5)", "as in ", REST,
     "CREATE VIRTUAL TABLE g USING gpugraph(roads, %s)"},
    {"CREATE VIRTUAL TABLE \"my g\" USING gpugraph(aux.rails)", "write ", REST,
     "%s USING gpugraph(aux.rails)"},
    {"SELECT gpugraph_save('\"my graph\"')", "persist = 1; ", REST, "%s"},
    {"SELECT gpugraph_save('\"a ruin\"')", "changed (a ruin_moved); ", REST, "%s"},
    {"SELECT gpugraph_save('\"a stub\"')", "is missing; ", REST, "%s"},
    {"SELECT state || ' and create it' FROM gpugraph_graphs WHERE name = 'an orphan'",
     "is gone; ", REST, "%s"},
    {"SELECT gpugraph_save('aux.\"his graph\"')", "persist = 1; ", REST, "%s"},
};

/* ---- typing them ---- */

static const char *const ends[] = {" (columns: ", ", or ", ", and ", ", not ",
                                   " and create "};

/* Finds the end of the proposal. */
static size_t length_of(const char *from, enum form form) {
    size_t length = form == REST ? strlen(from) : 1;
    for (int i = 0; i < (int)(sizeof ends / sizeof *ends) && form == REST; i++) {
        const char *end = strstr(from, ends[i]);
        if (end && (size_t)(end - from) < length)
            length = (size_t)(end - from);
    }
    while (form != REST && from[length] &&
           (from[length] != '\'' || from[length + 1] == '\''))
        length += from[length] == '\'' ? 2 : 1;
    return length + (form != REST);
}

/* The proposal, as a statement contains it; sqlite3_free. */
static char *proposal_in(const char *sentence, const struct proposal *p) {
    const char *from = strstr(sentence, p->before);
    if (!from)
        return NULL;
    from += strlen(p->before);
    ck_assert_msg(p->form == REST || *from == '\'', "no string follows in: %s", sentence);
    const size_t length = length_of(from, p->form);
    const int marks = p->form == VALUE;
    return sqlite3_mprintf("%.*s", (int)length - 2 * marks, from + marks);
}

static void type_back(const struct proposal *p) {
    char *sentence = ask("%s", p->wrong);
    char *proposal = proposal_in(sentence, p);
    ck_assert_msg(proposal != NULL, "%s: no \"%s\" in: %s", p->wrong, p->before,
                  sentence);
    char *statement = sqlite3_mprintf(p->typed, proposal);
    char *said = ask("%s", statement);
    ck_assert_msg(strncmp(said, "error: ", 7) != 0, "%s\nsays: %s\nbut %s\nsays: %s",
                  p->wrong, sentence, statement, said);
    sqlite3_free(sentence);
    sqlite3_free(proposal);
    sqlite3_free(statement);
    sqlite3_free(said);
}

START_TEST(a_proposal_works) {
    type_back(&proposals[_i]);
}
END_TEST

/* The example of a call, and the example of an argument that parentheses do not take. */
START_TEST(an_example_works) {
    const char *name = table_functions[_i]->name;
    char *nothing = sqlite3_mprintf("SELECT * FROM %s", name);
    char *too_much = sqlite3_mprintf("SELECT * FROM %s('roads', 1, 1, 1, 1, 1)", name);
    type_back(&(struct proposal){nothing, "as in ", REST, "SELECT * FROM %s"});
    char *sentence = ask("%s", nothing);
    char *call = proposal_in(sentence, &(struct proposal){nothing, "as in ", REST, NULL});
    char *typed = sqlite3_mprintf("SELECT * FROM %s %%s", call);
    type_back(&(struct proposal){too_much, "as in ", REST, typed});
    sqlite3_free(nothing);
    sqlite3_free(too_much);
    sqlite3_free(sentence);
    sqlite3_free(call);
    sqlite3_free(typed);
}
END_TEST

const struct suite suite = {
    "proposals",
    {{"proposals", .tags = "serial", .setup = make_tables, .teardown = sql_close,
      .cases = {{&a_proposal_works, sizeof proposals / sizeof *proposals},
                {&an_example_works, .count = example_count}}}}};
