/* Compares SQL functions with the oracles in sql/oracles/, which are algorithms in plain
** SQL. The test compares a function if an oracle has its name, and if the first lines of
** the oracle say that it reads only edge(id, src, dst) and makes a table with the columns
** of the function:
**
**     --   edge(id, src, dst)          the edges
**     --   -> cores(vertex, core) */
#include "function_examples.h"
#include "sql.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORACLE_BYTES = 1 << 16, GRAPHS = 6 };

/* The text of the oracle; NULL: there is none. */
static char *read_oracle(const char *name) {
    char path[400];
    snprintf(path, sizeof path, "%s/sql/oracles/%s.sql", GPUGRAPH_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *text = calloc(1, ORACLE_BYTES);
    ck_assert_uint_lt(fread(text, 1, ORACLE_BYTES - 1, file), ORACLE_BYTES - 1);
    fclose(file);
    return text;
}

/* The function's visible columns, "vertex, core". */
static void list_columns(const table_function *f, char *list, size_t size) {
    list[0] = 0;
    for (int i = 0; i < f->visible; i++)
        snprintf(list + strlen(list), size - strlen(list), "%s%s", i ? ", " : "",
                 field_name(f, f->field[i]));
}

static bool is_comparable(const char *oracle, const char *name, const char *columns) {
    char makes[300];
    snprintf(makes, sizeof makes, "\n--   -> %s(%s)\n", name, columns);
    return strstr(oracle, "\n--   edge(id, src, dst)          the edges\n") &&
           strstr(oracle, makes);
}

/* Makes random edges, with loops and parallel edges. */
static void make_edges(int graph) {
    make_random("drawn", 12 + 9 * graph, 30 + 40 * graph, (unsigned)graph + 1);
    run("DROP TABLE IF EXISTS edge;"
        "CREATE TABLE edge(id INTEGER PRIMARY KEY, src INTEGER, dst INTEGER);"
        "INSERT INTO edge SELECT rowid, src, dst FROM drawn; DROP TABLE drawn;"
        "INSERT INTO edge(src, dst) VALUES (1, 1), (1, 2), (1, 2), (2, 1), (70, 71)");
}

static void compare_with(const char *oracle, const table_function *f, const char *name,
                         const char *columns) {
    for (int graph = 0; graph < GRAPHS; graph++) {
        make_edges(graph);
        run("%s", oracle);
        expect("", "SELECT * FROM (SELECT %s FROM %s EXCEPT SELECT %s FROM %s('edge'))",
               columns, name, columns, f->name);
        expect("1",
               "SELECT (SELECT count(*) FROM %s) = (SELECT count(*) FROM %s('edge'))",
               name, f->name);
    }
}

START_TEST(functions_answer_as_oracles) {
    int compared = 0;
    for (int i = 0; i < table_function_count; i++) {
        const table_function *f = table_functions[i];
        const char *name = f->name + strlen("gpu_");
        char columns[200], *oracle = read_oracle(name);
        list_columns(f, columns, sizeof columns);
        if (oracle && is_comparable(oracle, name, columns)) {
            compare_with(oracle, f, name, columns);
            compared++;
        }
        free(oracle);
    }
    ck_assert_int_ge(compared, 2);
}
END_TEST

const struct suite suite = {
    "oracles",
    {{"oracles", .setup = sql_open, .teardown = sql_close,
      .cases = {{&functions_answer_as_oracles}}}},
};
