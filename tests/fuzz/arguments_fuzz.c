/* Takes any bytes as a statement that calls gpu_ functions. The statement must not crash,
** leak or hang, and every failure must have a sentence.
**
**     input      one byte for each choice of the grammar below, 0 past the end
**     grammar    SELECT columns FROM call [JOIN call | , places] WHERE constraints
**                [GROUP BY] [ORDER BY] [LIMIT]
**
** Most words are valid, so that most statements get past the parser. Some literals are
** allowed by the documentation, and others are forbidden. Seeds: arguments_fuzz/ beside
** this file. */
#include "gpugraph_extension.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHOICE(b, list) choice(b, list, sizeof list / sizeof *list)

typedef struct bytes {
    const uint8_t *at, *end;
} bytes;

static unsigned next(bytes *b) {
    return b->at < b->end ? *b->at++ : 0;
}

static const char *choice(bytes *b, const char *const *list, size_t count) {
    return list[next(b) % count];
}

static void check(int holds) {
    if (!holds)
        abort();
}

/* ---- words ---- */

static const char *const functions[] = {"gpu_bfs", "gpu_sssp", "gpu_path", "gpu_dfs",
                                        "gpu_mis"};

static const char *const edges[] = {
    "'roads'",
    "'main.roads'",
    "'roads(src, dst)'",
    "'\"roads\"(dst, src, weight)'",
    "'texts'",
    "'reals'",
    "'v'",
    "'empty'",
    "'keyed(a, b)'",
    "'bad'",
    "'none'",
    "'SELECT src, dst FROM roads'",
    "'SELECT 1, 2, 3, 4'",
    "'SELECT 1, :a'",
    "'SELECT ?2, ?1'",
    "'VALUES (1, 2), (2, ''b'')'",
    "'roads('",
    "NULL",
    "7",
    "x'00'",
    "''",
    "'SELECT vertex, parent FROM gpu_bfs(''roads'', 1) WHERE parent > 0'",
    "(SELECT 'roads')",
    "'WITH c(i) AS (SELECT 1) SELECT i, i FROM c'",
    "'gpugraph_methods'",
    "places.name",
};

static const char *const values[] = {
    "1",
    "2",
    "9",
    "'a'",
    "'1'",
    "NULL",
    "-1",
    "0",
    "1.0",
    "1.5",
    "9e999",
    "-0.0",
    "x'31'",
    "x'0100000000000000'",
    "9223372036854775807",
    "-9223372036854775808",
    "''",
    "'a' || char(0) || 'b'",
    "'\xc3\xa9'",
    "places.id",
    "(SELECT id FROM places LIMIT 1)",
    "'2.0'",
    "'  3 '",
    "4294967296",
    "abs(-3)",
    "'[1, 2]'",
    "zeroblob(3)",
};

static const char *const lists[] = {
    "(1)",
    "(1, 2, 3)",
    "(1, 'a', NULL, 1)",
    "()",
    "(SELECT id FROM places)",
    "(SELECT src FROM roads)",
    "(NULL)",
    "(1, 1.0, '1', x'31')",
    "(SELECT vertex FROM gpu_mis('roads'))",
};

/* Appends an argument with a word that may be right for it. */
static const char *const options[] = {
    "direction = 'out'",
    "direction = 'in'",
    "direction = 'both'",
    "direction = 'up'",
    "sources = '[1, 2]'",
    "sources = '[1, \"a\", 1]'",
    "sources = '[]'",
    "sources = '[1.5]'",
    "sources = '{\"a\": 1}'",
    "sources = '[1'",
    "sources = '[[1]]'",
    "sources = NULL",
    "max_depth = 2",
    "max_depth = 0",
    "max_depth = -1",
    "max_distance = 3",
    "max_distance = 0.5",
    "max_distance = 9e999",
    "weighted = 0",
    "weighted = 1",
    "ordered = 1",
    "ordered = 0",
    "ordered = 2",
    "priority = 'degree'",
    "priority = 'degree-id'",
    "priority = 'random'",
    "priority = 'id'",
    "priority = 'fame'",
    "seed = 5",
    "seed = 'x'",
    "vertices = 'places(id)'",
    "vertices = 'places'",
    "vertices = 'SELECT 1'",
    "vertices = ''",
    "params = '[1]'",
    "params = json_array(places.id, 'x')",
    "params = '[[1]]'",
    "params = '1'",
    "method = 'auto'",
    "method = 'top-down'",
    "method = 'direction-optimizing'",
    "method = 'delta-stepping'",
    "method = 'dijkstra'",
    "method = 'serial'",
    "method = 'work-stealing'",
    "method = 'greedy'",
    "method = 'rounds'",
    "backend = 'cpu'",
    "backend = 'auto'",
    "backend = 'cuda'",
    "backend = 'tpu'",
};

static const char *const columns[] = {
    "f.vertex",    "f.depth",       "f.distance",     "f.parent",    "f.edge",
    "f.seq",       "f.cost",        "f.preorder",     "f.postorder", "f.source",
    "f.target",    "f.edges",       "f.sources",      "f.max_depth", "f.direction",
    "f.method",    "f.backend",     "f.priority",     "f.seed",      "f.ordered",
    "f.vertices",  "f.weighted",    "f.max_distance", "f.rowid",     "f.params",
    "\"(edges)\"", "\"(further)\"",
};

static const char *const comparisons[] = {"=", "<", "<=", ">", ">=", "IS", "<>", "=="};

static const char *const collations[] = {"", "", "", " COLLATE NOCASE", " COLLATE RTRIM"};

/* ---- grammar ---- */

static void add_call(bytes *b, sqlite3_str *sql, const char *name) {
    unsigned arguments = next(b) % 5;
    sqlite3_str_appendall(sql, CHOICE(b, functions));
    if (arguments > 0)
        sqlite3_str_appendf(sql, "(%s", CHOICE(b, edges));
    for (unsigned i = 1; i < arguments; i++)
        sqlite3_str_appendf(sql, ", %s",
                            next(b) % 8 ? CHOICE(b, values) : CHOICE(b, options));
    sqlite3_str_appendf(sql, "%s AS %s", arguments > 0 ? ")" : "", name);
}

static void add_constraint(bytes *b, sqlite3_str *sql) {
    switch (next(b) % 7) {
    case 0:
        sqlite3_str_appendf(sql, "f.edges = %s", CHOICE(b, edges));
        break;
    case 1:
    case 2:
        sqlite3_str_appendf(sql, "f.%s", CHOICE(b, options));
        break;
    case 3:
        sqlite3_str_appendall(sql, CHOICE(b, columns));
        sqlite3_str_appendf(sql, " IN %s", CHOICE(b, lists));
        break;
    case 4:
        sqlite3_str_appendf(sql, "%s BETWEEN ", CHOICE(b, columns));
        sqlite3_str_appendf(sql, "%s AND ", CHOICE(b, values));
        sqlite3_str_appendall(sql, CHOICE(b, values));
        break;
    default:
        sqlite3_str_appendall(sql, CHOICE(b, columns));
        sqlite3_str_appendf(sql, " %s ", CHOICE(b, comparisons));
        sqlite3_str_appendall(sql, CHOICE(b, values));
        sqlite3_str_appendall(sql, CHOICE(b, collations));
    }
}

static void add_select(bytes *b, sqlite3_str *sql) {
    unsigned shape = next(b);
    sqlite3_str_appendall(sql, shape & 1 ? "SELECT *" : "SELECT ");
    if (!(shape & 1))
        sqlite3_str_appendf(sql, shape & 2 ? "count(%s)" : "%s", CHOICE(b, columns));
    sqlite3_str_appendall(sql, " FROM ");
    if (shape & 4)
        sqlite3_str_appendall(sql, "places, ");
    add_call(b, sql, "f");
    if (shape & 8) {
        sqlite3_str_appendall(sql, shape & 16 ? " LEFT JOIN " : " JOIN ");
        add_call(b, sql, "g");
        sqlite3_str_appendf(sql, " ON g.vertex = %s", CHOICE(b, columns));
    }
    for (unsigned i = 0, count = next(b) % 5; i < count; i++) {
        sqlite3_str_appendall(sql, i ? (next(b) % 8 ? " AND " : " OR ") : " WHERE ");
        add_constraint(b, sql);
    }
    if (shape & 32)
        sqlite3_str_appendf(sql, " ORDER BY %s%s", CHOICE(b, columns),
                            shape & 64 ? " DESC" : "");
    if (shape & 128)
        sqlite3_str_appendf(sql, " LIMIT %d OFFSET %d", (int)(next(b) % 6) - 1,
                            (int)(next(b) % 3));
}

static void add_scalar(bytes *b, sqlite3_str *sql) {
    static const char *const keys[] = {"'threads'", "'cache_limit'", "'memory_limit'",
                                       "'device'",  "'progress'",    "'none'",
                                       "'devices'", "'backend'",     "NULL"};
    static const char *const looks[] = {"gpugraph_graphs", "gpugraph_timings",
                                        "gpugraph_methods", "gpugraph_settings"};
    switch (next(b) % 4) {
    case 0:
        sqlite3_str_appendf(sql, "SELECT gpugraph_triangles(%s) FROM places",
                            CHOICE(b, edges));
        break;
    case 1:
        sqlite3_str_appendf(sql, "SELECT gpugraph_config(%s)", CHOICE(b, keys));
        break;
    case 2: /* not 'threads': a thousand of them take long to start */
        sqlite3_str_appendf(sql, "SELECT gpugraph_config('cache_limit', %s) FROM places",
                            CHOICE(b, values));
        break;
    default:
        sqlite3_str_appendf(sql, "SELECT * FROM %s", CHOICE(b, looks));
    }
}

static void add_statement(bytes *b, sqlite3_str *sql) {
    switch (next(b) % 8) {
    case 0:
        add_scalar(b, sql);
        break;
    case 1:
        sqlite3_str_appendall(sql, "SELECT id, (");
        add_select(b, sql);
        sqlite3_str_appendall(sql, ") FROM places");
        break;
    case 2:
        add_select(b, sql);
        sqlite3_str_appendall(sql, " UNION ALL ");
        add_select(b, sql);
        break;
    case 3:
        sqlite3_str_appendall(sql, "INSERT INTO roads(src) ");
        add_select(b, sql);
        break;
    default:
        add_select(b, sql);
    }
}

/* ---- the database ---- */

/* Cross joins that the fuzzer makes may take forever. */
static int stop(void *left) {
    return --*(int *)left < 0;
}

static sqlite3 *open_database(void) {
    sqlite3 *db;
    check(sqlite3_open(":memory:", &db) == SQLITE_OK);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    check(sqlite3_gpugraph_init(db, NULL, NULL) == SQLITE_OK);
    check(
        sqlite3_exec(
            db,
            "CREATE TABLE roads(src, dst, weight);"
            "INSERT INTO roads VALUES (1, 2, 3), (2, 3, 0), (3, 1, 5), (2, 9, 1), (4, 4, "
            "1);"
            "CREATE TABLE texts(src TEXT, dst TEXT, weight);"
            "INSERT INTO texts VALUES ('a', 'b', 1), ('b', '1', 2), ('1', '\xc3\xa9', "
            "'3');"
            "CREATE TABLE reals(src, dst, weight REAL);"
            "INSERT INTO reals VALUES (1, 2, 0.5), (2, 'a', 1e308), ('a', 3, 1e308);"
            "CREATE TABLE keyed(a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;"
            "INSERT INTO keyed VALUES (1, 2), (2, 'x');"
            "CREATE TABLE bad(src, dst, weight); INSERT INTO bad VALUES (1, 2, -1), "
            "(1.5, "
            "x'00', NULL);"
            "CREATE TABLE empty(src, dst, weight); CREATE VIEW v AS SELECT * FROM roads;"
            "CREATE TABLE places(id, name);"
            "INSERT INTO places VALUES (1, 'roads'), (9, 'texts'), ('a', 'reals')",
            NULL, NULL, NULL) == SQLITE_OK);
    return db;
}

/* Reads text and blob of every column, as a program would. */
static void read_row(sqlite3_stmt *statement) {
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const unsigned char *text = sqlite3_column_text(statement, i);
        int length = sqlite3_column_bytes(statement, i);
        check((text != NULL) == (sqlite3_column_type(statement, i) != SQLITE_NULL));
        check(!text || text[length] == 0);
    }
}

static void ask(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    int left = 3000;
    sqlite3_progress_handler(db, 100, stop, &left);
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK)
        while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
            read_row(statement);
    check(rc == SQLITE_DONE || rc == SQLITE_ERROR || rc == SQLITE_INTERRUPT ||
          rc == SQLITE_MISMATCH);
    check(rc == SQLITE_DONE || *sqlite3_errmsg(db));
    check(rc != SQLITE_ERROR || strcmp(sqlite3_errmsg(db), "SQL logic error") != 0);
    sqlite3_finalize(statement);
    sqlite3_progress_handler(db, 0, NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static sqlite3 *db;
    bytes b = {data, data + size};
    if (!db)
        db = open_database();
    /* Each input begins without kept graphs and with the default settings. */
    check(sqlite3_exec(db,
                       "SELECT gpugraph_config('cache_limit', 0);"
                       "SELECT gpugraph_config('cache_limit', NULL); BEGIN",
                       NULL, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < 3 && b.at < b.end; i++) {
        sqlite3_str *text = sqlite3_str_new(db);
        add_statement(&b, text);
        char *sql = sqlite3_str_finish(text);
        check(sql != NULL);
        if (getenv("GPUGRAPH_FUZZ_SHOW"))
            fprintf(stderr, "%s\n", sql);
        ask(db, sql);
        sqlite3_free(sql);
    }
    check(sqlite3_get_autocommit(db) ||
          sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK);
    return 0;
}
