/* Connections that a host has set up in unusual ways: with low limits, with a shared
** cache, on a database that is in memory because sqlite3_deserialize put it there.
** Every function and a followed graph give the right rows or an error, and the database
** remains intact. */
#include "database_file.h"
#include "suite.h"
#include "share.h"

static const char *const reads[] = {
    "SELECT src, dst, weight, edge FROM g ORDER BY edge",
    "SELECT dst FROM g WHERE src = 1 ORDER BY dst",
    "SELECT src FROM g WHERE src IN (1, 2, 3) AND dst = 3",
    "SELECT vertex, depth FROM gpu_bfs('g', 1) ORDER BY vertex",
    "SELECT vertex, depth FROM gpu_bfs('roads(a, b)', 1) WHERE max_depth = 2 ORDER BY 1",
    "SELECT vertex, distance FROM gpu_sssp('SELECT a, b, metres FROM roads', 1) ORDER BY "
    "1",
    "SELECT vertex, distance FROM gpu_path('g', 1, 4)",
    "SELECT vertex FROM gpu_dfs('roads(a, b)') WHERE ordered = 1",
    "SELECT vertex FROM gpu_mis('g') ORDER BY vertex",
    "SELECT vertex, component FROM gpu_components('roads(a, b)') ORDER BY vertex",
    "SELECT vertex, rank FROM gpu_pagerank('g') ORDER BY vertex",
    "SELECT source, target, distance FROM gpu_matrix('g', '[1, 2, 3]') ORDER BY 1, 2",
    "SELECT vertex FROM gpu_paths('roads(a, b, metres)', 1, 4, 2)",
    "SELECT gpugraph_triangles('g')",
    "SELECT gpugraph_check('g')",
    "SELECT name, kind FROM gpugraph_graphs WHERE kind = 'followed' ORDER BY name",
};
enum { READS = sizeof reads / sizeof *reads };

static const char *const writes[] = {
    "INSERT INTO roads(a, b, metres) VALUES (4, 1, 2), (5, 6, 1)",
    "UPDATE roads SET id = id + 100, metres = metres + 1 WHERE a = 1",
    "INSERT OR REPLACE INTO roads(id, a, b, metres) VALUES (3, 1, 4, 9)",
    "DELETE FROM roads WHERE a = 2",
    "SELECT gpugraph_delete_vertex('g', 3)",
    "SELECT gpugraph_save('g')",
    "ALTER TABLE g RENAME TO k",
    "ALTER TABLE k RENAME TO g",
    "CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), where = 'metres > 1')",
    "DROP TABLE h",
};
enum { WRITES = sizeof writes / sizeof *writes };

static void make_graph(void) {
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres, UNIQUE(a, b)); INSERT "
        "INTO roads(a, b, metres) VALUES (1, 2, 3), (2, 3, 4), (3, 4, 5), (1, 3, 9), (2, "
        "4, 8), (4, 'x', 1)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), where = 'metres < "
        "90', "
        "persist = 1)");
}

/* Checks that the graph equals the table, also after failed statements. */
static void is_sound(const char *after) {
    char *graph = ask("SELECT name FROM sqlite_schema WHERE name IN ('g', 'k')");
    ck_assert_msg(graph[0] == '\'' && graph[2] == '\'', "%s: %s", after, graph);
    char *edges = sqlite3_mprintf("SELECT src, dst, weight, edge FROM %.1s ORDER BY edge",
                                  graph + 1);
    expect("'ok'", "SELECT gpugraph_check('%.1s')", graph + 1);
    expect_same(edges, "SELECT a, b, metres, id FROM roads ORDER BY id");
    expect("'ok'", "PRAGMA integrity_check");
    sqlite3_free(edges);
    sqlite3_free(graph);
}

/* ---- limits ---- */

static const struct {
    int limit;
    const char *name;
} limits[] = {{SQLITE_LIMIT_LENGTH, "length"},
              {SQLITE_LIMIT_SQL_LENGTH, "SQL length"},
              {SQLITE_LIMIT_COLUMN, "columns"},
              {SQLITE_LIMIT_EXPR_DEPTH, "depth of expressions"},
              {SQLITE_LIMIT_COMPOUND_SELECT, "compound SELECT"},
              {SQLITE_LIMIT_VDBE_OP, "instructions"},
              {SQLITE_LIMIT_FUNCTION_ARG, "arguments of functions"},
              {SQLITE_LIMIT_ATTACHED, "attached databases"},
              {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, "LIKE patterns"},
              {SQLITE_LIMIT_VARIABLE_NUMBER, "parameters"},
              {SQLITE_LIMIT_TRIGGER_DEPTH, "depth of triggers"},
              {SQLITE_LIMIT_WORKER_THREADS, "worker threads"}};
enum { LIMITS = sizeof limits / sizeof *limits };

static void check_read(const char *sql, const char *expected, const char *limit,
                       int value) {
    char *got = ask("%s", sql);
    ck_assert_msg(strcmp(got, expected) == 0 ||
                      (strncmp(got, "error: ", 7) == 0 && strlen(got) > 16),
                  "%s %d: %s\n%s\nnot %s", limit, value, sql, got, expected);
    sqlite3_free(got);
}

static void expect_all(char *const *expected, const char *limit, int value) {
    for (int i = 0; i < READS; i++) {
        char *got = ask("%s", reads[i]);
        ck_assert_msg(strcmp(got, expected[i]) == 0, "after %s %d: %s: %s", limit, value,
                      reads[i], got);
        sqlite3_free(got);
    }
}

/* Reads with the limit, then without it, twice. So graphs that were loaded with the limit
** serve calls without it, and the reverse. Then writes with the limit. */
static void try_limit(int limit, const char *name, int value, char *const *expected) {
    const int before = sqlite3_limit(db, limit, value);
    for (int loaded = 0; loaded < 2; loaded++) {
        for (int i = 0; i < READS; i++)
            check_read(reads[i], expected[i], name, value);
        sqlite3_limit(db, limit, before);
        expect_all(expected, name, value);
        sqlite3_limit(db, limit, value);
    }
    for (int i = 0; i < WRITES; i++) {
        sqlite3_free(ask("%s", writes[i]));
        sqlite3_limit(db, limit, before);
        is_sound(writes[i]);
        sqlite3_limit(db, limit, value);
    }
}

START_TEST(test_limits) {
    static const int values[] = {0, 1, 2, 3, 5, 8, 12, 30, 60, 100, 150, 250, 500, 1000};
    char *expected[READS] = {NULL};
    database_make_folder();
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        if (left_out_of(v + (size_t)_i, 3))
            continue;
        database_open("");
        run("PRAGMA synchronous = OFF");
        make_graph();
        for (int i = 0; i < READS; i++) {
            sqlite3_free(expected[i]);
            expected[i] = ask("%s", reads[i]);
        }
        sql_close();
        database_open("");
        run("PRAGMA synchronous = OFF");
        try_limit(limits[_i].limit, limits[_i].name, values[v], expected);
        sql_close();
        database_remove();
    }
    for (int i = 0; i < READS; i++)
        sqlite3_free(expected[i]);
    database_remove_folder();
}
END_TEST

/* ---- a shared cache ---- */

/* Two connections share a cache; the reader may see what the writer has not committed
** (read_uncommitted). A third connection has a cache of its own. */
START_TEST(test_shared_cache) {
    const bool uncommitted = _i % 2;
    sqlite3 *writer, *apart;
    database_make_folder();
    writer = database_connect("?cache=shared");
    db = writer;
    run("PRAGMA journal_mode = %s", _i / 2 ? "WAL" : "DELETE");
    make_graph();
    database_open("?cache=shared");
    apart = database_connect("");
    sqlite3 *reader = db;
    run("PRAGMA read_uncommitted = %d", (int)uncommitted);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < READS; i++)
            sqlite3_free(ask("%s", reads[i]));
        is_sound("reading");
        for (int i = 0; i < WRITES; i++) {
            db = writer;
            run("BEGIN");
            sqlite3_free(ask("%s", writes[i]));
            db = reader;
            for (int k = 0; k < READS; k++) /* or LOCKED */
                sqlite3_free(ask("%s", reads[k]));
            char *graph = ask("SELECT src, dst, weight FROM g ORDER BY edge"),
                 *table = ask("SELECT a, b, metres FROM roads ORDER BY id");
            if (strncmp(graph, "error", 5) && strncmp(table, "error", 5))
                ck_assert_str_eq(graph, table);
            sqlite3_free(graph);
            sqlite3_free(table);
            db = writer;
            run(round % 2 ? "COMMIT" : "ROLLBACK");
            db = reader;
            is_sound(writes[i]);
            db = apart;
            is_sound(writes[i]);
            db = reader;
        }
    }
    sqlite3_close(apart);
    sqlite3_close(reader);
    db = writer;
    is_sound("all");
    sql_close();
    database_remove_folder();
}
END_TEST

/* ---- a deserialized database ---- */

static unsigned char *serialize(sqlite3_int64 *bytes) {
    unsigned char *image = sqlite3_serialize(db, "main", bytes, 0);
    ck_assert_ptr_nonnull(image);
    return image;
}

static void deserialize(unsigned char *image, sqlite3_int64 bytes, unsigned flags) {
    ck_assert_int_eq(sqlite3_deserialize(db, "main", image, bytes, bytes, flags),
                     SQLITE_OK);
}

/* An image of a file is a database in memory, once writable and once read-only. Then
** another image replaces it. The test calls no table function after that, because SQLite
** 3.40 does not notice that its tables belong to another file. */
START_TEST(test_deserialized) {
    sqlite3_int64 bytes, other_bytes;
    char *expected[READS];
    database_make_folder();
    database_open("");
    make_graph();
    for (int i = 0; i < READS; i++)
        expected[i] = ask("%s", reads[i]);
    unsigned char *image = serialize(&bytes);
    run("UPDATE roads SET a = 4 - a WHERE a IN (1, 3)");
    unsigned char *other = serialize(&other_bytes);
    sql_close();
    sql_open();
    deserialize(image, bytes,
                SQLITE_DESERIALIZE_FREEONCLOSE |
                    (_i ? SQLITE_DESERIALIZE_READONLY : SQLITE_DESERIALIZE_RESIZEABLE));
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < READS; i++) {
            char *got = ask("%s", reads[i]);
            ck_assert_msg(strcmp(got, expected[i]) == 0, "%s: %s, not %s", reads[i], got,
                          expected[i]);
            sqlite3_free(got);
        }
    for (int i = 0; i < WRITES; i++) {
        char *got = ask("%s", writes[i]);
        ck_assert_msg(_i || strncmp(got, "error", 5) != 0, "%s: %s", writes[i], got);
        sqlite3_free(got);
        is_sound(writes[i]);
    }
    deserialize(other, other_bytes,
                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    is_sound("another image");
    run("INSERT INTO roads(a, b, metres) VALUES (7, 8, 9)");
    is_sound("another row");
    for (int i = 0; i < READS; i++)
        sqlite3_free(expected[i]);
    sql_close();
    database_remove_folder();
}
END_TEST

const struct suite suite = {
    "unusual_connections",
    {{"all", .timeout = 120,
      .cases = {{&test_limits, LIMITS},
                {&test_shared_cache, 4},
                {&test_deserialized, 2}}}},
};
