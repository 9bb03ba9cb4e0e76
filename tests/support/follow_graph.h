/* A table of roads and the graph g that follows it, for tests of followed graphs. */
#ifndef TEST_FOLLOW_GRAPH_H
#define TEST_FOLLOW_GRAPH_H

#include "gpugraph_extension.h"
#include "assertions.h"
#include "sql.h"

static inline void open_graph(void) {
    sql_open();
    run("CREATE TABLE roads(a, b, metres)");
    run("INSERT INTO roads VALUES (1, 2, 5), (2, 3, 7), (3, 4, 1), ('x', 1, 2)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
}

static inline void graph_is(const char *schema_graph, const char *table) {
    char *on_graph = sqlite3_mprintf(
        "SELECT src, dst, weight * 1.0, edge FROM %s ORDER BY edge", schema_graph);
    char *on_table =
        sqlite3_mprintf("SELECT a, b, metres * 1.0, rowid FROM %s ORDER BY rowid", table);
    expect_same(on_graph, on_table);
    sqlite3_free(on_graph);
    sqlite3_free(on_table);
    expect("'ok'", "SELECT gpugraph_check('%q')", schema_graph);
}

/* Runs changes and checks that the table is not read as a whole. */
static inline void after(const char *sql) {
    run("%s", sql);
    expect("0", "SELECT count(*) FROM gpu_bfs('g', 'nowhere')");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
    graph_is("g", "roads");
}

#endif
