/* Deleted vertices leave tombstones. Every query gives the answer of a table that is not
** followed: by functions that tolerate tombstones, as searches from sources do, and by
** the others, for which the graph is compacted. The test compares between statements and
** inside statements that use the graph. */
#include "gpugraph_extension.h"
#include "graphs.h"
#include "share.h"
#include "sql.h"
#include "suite.h"
#include <stdlib.h>
#include <string.h>

enum { VERTICES = 60 };

/* %Q: the graph, or its table. */
static const char *const from_sources[] = {
    "SELECT vertex, depth, parent, edge FROM gpu_bfs(%Q, 500)",
    "SELECT count(*) FROM gpu_bfs(%Q, 610)",
    "SELECT vertex, depth FROM gpu_bfs(%Q) WHERE sources = '[500, 530, 700]'",
    "SELECT source, vertex, depth FROM gpu_bfs(%Q) WHERE source IN (510, 520, 905)",
    "SELECT vertex, distance, parent, edge FROM gpu_sssp(%Q, 520)",
    "SELECT seq, vertex, edge FROM gpu_path(%Q, 500, 540)",
    "SELECT vertex, distance FROM gpu_sssp(%Q, 520) ORDER BY distance, vertex LIMIT 25",
    "SELECT vertex, distance FROM gpu_sssp(%Q, 520) ORDER BY vertex DESC",
    "SELECT vertex, depth FROM gpu_bfs(%Q, 500) WHERE max_depth = 2 ORDER BY depth DESC, "
    "vertex DESC",
    "SELECT vertex, depth FROM gpu_bfs(%Q, 500) WHERE vertex IN (503, 504, 520, 521, "
    "610)",
    "SELECT * FROM gpu_paths(%Q, 500, 540, 3)",
    "SELECT vertex, depth FROM gpu_bfs(%Q, 505) WHERE direction = 'both' LIMIT 7",
    "SELECT * FROM gpu_matrix(%Q) WHERE sources = '[500, 610]' AND targets = '[520]'",
    "SELECT * FROM gpu_matrix(%Q, '[500, 503, 505, 510, 520, 530, 540, 602, 610]')",
    "SELECT distance FROM gpu_matrix(%Q, "
    "'[500, 503, 505, 510, 520, 530, 540, 602, 610]') ORDER BY distance",
};
/* Answers for each vertex that do not depend on vertices without edges. */
static const char *const of_vertices[] = {
    "SELECT vertex FROM gpu_mis(%Q)",
    "SELECT vertex FROM gpu_mis(%Q) WHERE seed = 3 AND priority = 'degree-id'",
    "SELECT count(*) FROM gpu_mis(%Q) WHERE priority = 'id'",
    "SELECT vertex, component FROM gpu_components(%Q)",
    "SELECT component, count(*) FROM gpu_components(%Q) GROUP BY component",
    "SELECT vertex, component FROM gpu_components(%Q) WHERE kind = 'strong'",
    "SELECT vertex, component FROM gpu_components(%Q) ORDER BY component, vertex",
    "SELECT vertex, component FROM gpu_components(%Q) ORDER BY component DESC LIMIT 9",
    "SELECT vertex, out_degree FROM gpu_degrees(%Q) ORDER BY out_degree, vertex LIMIT 30",
    "SELECT count(*) FROM gpu_components(%Q)",
    "SELECT vertex, core FROM gpu_cores(%Q)",
    "SELECT vertex, core FROM gpu_cores(%Q) ORDER BY core DESC, vertex LIMIT 20",
    "SELECT core, count(*) FROM gpu_cores(%Q) GROUP BY core",
    "SELECT vertex, core FROM gpu_cores(%Q) WHERE vertex IN (500, 503, 510, 602)",
    "SELECT vertex, label FROM gpu_label_propagation(%Q)",
    "SELECT vertex, triangles, degree, coefficient FROM gpu_triangles(%Q)",
    "SELECT vertex, triangles FROM gpu_triangles(%Q) WHERE vertex = 520",
    "SELECT vertex, triangles FROM gpu_triangles(%Q) ORDER BY triangles, vertex",
    "SELECT gpugraph_triangles(%Q)",
};
static const char *const of_all[] = {
    "SELECT vertex, preorder FROM gpu_dfs(%Q) WHERE ordered = 1",
    "SELECT vertex, component FROM gpu_components(%Q)",
    "SELECT vertex, rank FROM gpu_pagerank(%Q)",
    "SELECT vertex, core FROM gpu_cores(%Q)",
    "SELECT edge, component FROM gpu_spanning_forest(%Q)",
};

/* The ids have that type. */
static void make_graph(const char *type) {
    sql_open();
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, src %s, dst %s, weight INTEGER)",
        type, type);
    run("WITH n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
        "INSERT INTO roads(src, dst, weight) SELECT 500 + 2 * i, 500 + 2 * ((i * 7 + 3) "
        "%% 55), "
        "i %% 9 FROM n UNION ALL SELECT 500 + 2 * i, 502 + 2 * i, i %% 5 FROM n",
        VERTICES);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(src, dst, weight))");
}

static void alike(const char *query) {
    char *followed = sqlite3_mprintf(query, "g"),
         *plain = sqlite3_mprintf(query, "roads");
    expect_same(followed, plain);
    sqlite3_free(followed);
    sqlite3_free(plain);
}

#define ALL_ALIKE(list)                                                                  \
    for (size_t k = 0; k < sizeof(list) / sizeof *(list); k++)                           \
    alike((list)[k])

static uint64_t dice;
static int draw(int most) {
    return (int)(shape_random(&dice) % (uint64_t)most);
}

/* Ids that exist, that were deleted and that never existed; between other ids and after
** all of them. */
static int some_vertex(void) {
    return draw(8) == 0 ? 900 + draw(40) : 500 + draw(2 * VERTICES);
}

static void change(void) {
    const int v = some_vertex();
    switch (draw(5)) {
    case 0:
        run("SELECT gpugraph_delete_vertex('g', %d)", v);
        break;
    case 1:
        run("DELETE FROM roads WHERE src = %d OR dst = %d", v, v);
        break;
    case 2:
        run("UPDATE roads SET dst = %d WHERE id = %d", v, draw(2 * VERTICES));
        break;
    default:
        run("INSERT INTO roads(src, dst, weight) VALUES (%d, %d, %d)", v, some_vertex(),
            draw(9));
    }
}

/* True if the latest statement has compacted the graph. */
static bool has_compacted(void) {
    char *rows = ask("SELECT count(*) FROM gpugraph_timings WHERE phase = 'compact'");
    const bool some = strcmp(rows, "1") == 0;
    sqlite3_free(rows);
    return some;
}

START_TEST(changes_at_random) {
    int compacted = 0;
    make_graph(_i % 2 ? "INTEGER" : "TEXT");
    run("SELECT count(*) FROM gpu_bfs('g', 500)");
    dice = (uint64_t)_i + 1;
    for (int turn = 0; turn < 60; turn++) {
        const bool inside = draw(6) == 0;
        if (inside)
            run("BEGIN");
        for (int i = draw(3); i >= 0; i--)
            change();
        ALL_ALIKE(from_sources);
        run("SELECT count(*) FROM g WHERE src = 500");
        expect("'ok'", "SELECT gpugraph_check('g')");
        expect_same(
            "SELECT vertices FROM gpugraph_graphs WHERE name = 'g'",
            "SELECT count(*) FROM (SELECT src FROM roads UNION SELECT dst FROM roads)");
        if (inside && draw(2) == 0)
            run("ROLLBACK");
        else if (inside)
            run("COMMIT");
        if (inside)
            ALL_ALIKE(from_sources);
        if (draw(4) > 0)
            continue;
        ALL_ALIKE(of_vertices);
        run("SELECT count(*) FROM gpu_pagerank('g')");
        compacted += has_compacted();
        ALL_ALIKE(of_all);
        expect("'ok'", "SELECT gpugraph_check('g')");
    }
    ck_assert_int_gt(compacted, 0);
    sql_close();
}
END_TEST

/* A statement with both kinds of queries sees one graph, whichever comes first. A cursor
** that is open during a compaction returns the rows that it began with. */
START_TEST(in_one_statement) {
    make_graph("INTEGER");
    alike("SELECT count(*) FROM gpu_bfs(%Q, 500)");
    for (int turn = 0; turn < 12; turn++) {
        run("SELECT gpugraph_delete_vertex('g', %d)", 504 + 6 * turn);
        alike("SELECT count(*) FROM gpu_bfs(%Q, 500)");
        switch (turn % 4) {
        case 0:
            alike("SELECT (SELECT sum(vertex * depth) FROM gpu_bfs(%Q, 500)), (SELECT "
                  "sum(vertex) FROM gpu_mis('g'))");
            break;
        case 1:
            alike("SELECT (SELECT sum(vertex) FROM gpu_mis('g')), (SELECT sum(vertex * "
                  "depth) FROM gpu_bfs(%Q, 500))");
            break;
        case 2:
            expect_same("SELECT m.vertex, b.depth FROM gpu_bfs('g', 500) b JOIN "
                        "gpu_mis('g') m ON m.vertex = b.vertex ORDER BY 1",
                        "SELECT m.vertex, b.depth FROM gpu_bfs('roads', 500) b JOIN "
                        "gpu_mis('roads') m ON m.vertex = b.vertex ORDER BY 1");
            break;
        default: {
            sqlite3_stmt *rows;
            int rc;
            ck_assert(!sqlite3_prepare_v2(
                db, "SELECT vertex, depth FROM gpu_bfs('g', 500)", -1, &rows, NULL));
            ck_assert_int_eq(sqlite3_step(rows), SQLITE_ROW);
            char *first = sqlite3_mprintf("%d|%d", sqlite3_column_int(rows, 0),
                                          sqlite3_column_int(rows, 1));
            ALL_ALIKE(of_all);
            char *rest = rows_of(rows, &rc),
                 *plain = ask("SELECT vertex, depth FROM gpu_bfs('roads', 500)"),
                 *both = sqlite3_mprintf("%s;%s", first, rest);
            ck_assert_int_eq(rc, SQLITE_DONE);
            ck_assert_str_eq(both, plain);
            sqlite3_finalize(rows);
            sqlite3_free(first);
            sqlite3_free(rest);
            sqlite3_free(plain);
            sqlite3_free(both);
        }
        }
        ALL_ALIKE(from_sources);
    }
    sql_close();
}
END_TEST

/* Arrays have an entry for each vertex and none for tombstones. */
START_TEST(in_arrays) {
    make_graph("INTEGER");
    alike("SELECT count(*) FROM gpu_bfs(%Q, 500)");
    run("SELECT gpugraph_delete_vertex('g', 504)");
    alike("SELECT count(*) FROM gpu_bfs(%Q, 500)");
    char *number = ask("SELECT arrays FROM gpu_bfs('g', 500) LIMIT 1"),
         *vertices = ask("SELECT count(*) FROM (SELECT src FROM roads UNION SELECT dst "
                         "FROM roads)");
    const gpugraph_arrays *taken = gpugraph_take_arrays(strtoll(number, NULL, 10));
    ck_assert_ptr_nonnull(taken);
    ck_assert_uint_eq(taken->count, strtoull(vertices, NULL, 10));
    gpugraph_free_arrays(taken);
    sqlite3_free(number);
    sqlite3_free(vertices);
    sql_close();
}
END_TEST

/* A saved graph has no tombstones, and it is loaded as it is. */
START_TEST(saved) {
    sql_open();
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, src INTEGER, dst INTEGER, weight "
        "INTEGER)");
    run("INSERT INTO roads(src, dst, weight) VALUES (1, 2, 3), (2, 3, 4), (3, 4, 1), (4, "
        "9, 2)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(src, dst, weight), persist = 1)");
    alike("SELECT vertex, depth FROM gpu_bfs(%Q, 2)");
    run("DELETE FROM roads WHERE dst = 2");
    alike("SELECT vertex, depth FROM gpu_bfs(%Q, 2)");
    run("SELECT gpugraph_save('g')");
    alike("SELECT vertex, depth FROM gpu_bfs(%Q, 2)");
    alike("SELECT vertex FROM gpu_mis(%Q)");
    ck_assert(!has_compacted());
    expect("'ok'", "SELECT gpugraph_check('g')");
    sql_close();
}
END_TEST

const struct suite suite = {
    "follow_loose",
    {{"follow_loose", .timeout = 120,
      .cases = {{&changes_at_random, 12}, {&in_one_statement}, {&in_arrays}, {&saved}}}},
};
