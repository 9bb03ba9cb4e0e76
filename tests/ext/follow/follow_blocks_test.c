/* A connection loads the packed graph in the file if it is valid, and otherwise reads the
** table. Queries never write the packed graph. */
#include "gpugraph_extension.h"
#include "luck.h"
#include "memory_stream.h"
#include "share.h"
#include "suite.h"
#include "sql.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[64];

static void open_again(void) {
    if (db)
        sql_close();
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
}

static void make(const char *table, const char *rows) {
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-blocks-%d.db", (int)getpid());
    unlink(file);
    db = NULL;
    open_again();
    run("%s; %s", table, rows);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), persist = 1)");
}

static void done(void) {
    sql_close();
    unlink(file);
}

/* A new connection gets the graph by `phase`: unpacks the blocks or reads the table. */
static void graph_comes_by(const char *phase) {
    open_again();
    expect("1", "SELECT count(*) >= 0 FROM gpu_bfs('g', 1)");
    char *phases =
        ask("SELECT group_concat(phase, ' ') FROM gpugraph_timings WHERE phase IN "
            "('unpack', 'read')");
    ck_assert_msg(strstr(phases, phase) &&
                      (strcmp(phase, "read") == 0 || !strstr(phases, "read")),
                  "%s, not %s", phases, phase);
    sqlite3_free(phases);
    expect_same("SELECT src, dst, weight * 1.0, edge FROM g ORDER BY edge",
                "SELECT a, b, metres * 1.0, rowid FROM roads ORDER BY rowid");
    expect("'ok'", "SELECT gpugraph_check('g')");
}

static const char *const kinds[][2] = {
    {"CREATE TABLE roads(a, b, metres)",
     "INSERT INTO roads VALUES (1, 2, 3), (2, 3, 4), (1, 3, 9), (3, 3, 0), (1, 2, 3)"},
    {"CREATE TABLE roads(a, b, metres)",
     "INSERT INTO roads VALUES ('x', 1, 2.5), (1, 'yy', 4), ('', 'x', 0.0)"},
    {"CREATE TABLE roads(a, b, metres)", ""},
    {"CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres)",
     "INSERT INTO roads VALUES (-5, 1, 9223372036854775807, 5000000000), (7, -1, 2, 3)"},
    {"CREATE TABLE roads(a INTEGER, b INTEGER, metres INTEGER)",
     "WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 400000) "
     "INSERT INTO roads SELECT i % 70001, i * 7919 % 70001, i % 100 FROM c"},
};

START_TEST(survives) {
    make(kinds[_i][0], kinds[_i][1]);
    graph_comes_by("unpack");
    run("INSERT INTO roads(a, b, metres) VALUES (1, 77, 1), (77, 1, 1); DELETE FROM "
        "roads WHERE "
        "rowid = 2");
    graph_comes_by("unpack"); /* and the log has the later changes */
    run("BEGIN; DELETE FROM roads WHERE rowid %% 2; ROLLBACK");
    graph_comes_by("unpack");
    expect("1", "SELECT gpugraph_save('g') > 0");
    graph_comes_by("unpack");
    run("DELETE FROM g_log");
    graph_comes_by("read"); /* the position is beyond the log */
    done();
}
END_TEST

START_TEST(schema_and_vacuum) {
    make(kinds[0][0], kinds[0][1]);
    run("DELETE FROM roads WHERE rowid = 2; VACUUM");
    graph_comes_by("read");
    expect("1", "SELECT gpugraph_save('main.g') > 0");
    graph_comes_by("unpack");
    run("CREATE TABLE another(x)");
    graph_comes_by("read");
    run("SELECT gpugraph_save('g')");
    run("ALTER TABLE g RENAME TO h; ALTER TABLE h RENAME TO g");
    graph_comes_by("read");
    run("SELECT gpugraph_save('g')");
    graph_comes_by("unpack");
    run("DROP TABLE g; DROP TABLE another");
    expect("'roads'", "SELECT group_concat(name) FROM sqlite_schema");
    done();
}
END_TEST

START_TEST(saves_in_transactions) {
    make(kinds[0][0], kinds[0][1]);
    run("BEGIN; INSERT INTO roads VALUES (5, 6, 7)");
    expect("1", "SELECT gpugraph_save('g') > 0");
    run("ROLLBACK; INSERT INTO roads VALUES (8, 9, 7)"); /* reuses a rowid of the log */
    graph_comes_by("unpack");
    run("BEGIN; INSERT INTO roads VALUES (5, 6, 7)");
    expect("1", "SELECT gpugraph_save('g') > 0");
    run("COMMIT");
    graph_comes_by("unpack");
    run("UPDATE roads SET metres = -1 WHERE rowid = 1");
    expect_error("gpugraph_save", "edge 1", "SELECT gpugraph_save('g')");
    run("UPDATE roads SET metres = 1 WHERE rowid = 1");
    run("CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b))");
    expect_error("gpugraph_save", "persist", "SELECT gpugraph_save('h')");
    run("INSERT INTO roads VALUES (0.5, 2, 3)");
    char *said = ask("CREATE VIRTUAL TABLE i USING gpugraph(roads(a, b), persist = 1)");
    ck_assert_msg(strstr(said, "0.5") != NULL, "%s", said);
    sqlite3_free(said);
    expect("0", "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'i%%'");
    done();
}
END_TEST

START_TEST(damage_is_noticed) {
    make(kinds[0][0], kinds[0][1]);
    static const char *const damages[] = {
        "UPDATE g_blocks SET data = zeroblob(length(data)) WHERE rowid = 3",
        "UPDATE g_blocks SET data = substr(data, 1, length(data) / 2) WHERE rowid = 3",
        "UPDATE g_blocks SET data = 'no blob' WHERE rowid = 3",
        "UPDATE g_blocks SET data = 5 WHERE rowid = 3",
        "UPDATE g_blocks SET data = replace(data, ' ', ' 9') WHERE rowid = 2",
        "UPDATE g_blocks SET data = 'gpugraph 1 1 1' WHERE rowid = 2",
        "UPDATE g_blocks SET data = data || '9' WHERE rowid = 2",
        "UPDATE g_blocks SET data = NULL WHERE rowid = 2",
        "DELETE FROM g_blocks WHERE rowid = 3",
        "DELETE FROM g_blocks",
        "UPDATE g_blocks SET rowid = rowid - 1"};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        run("SELECT gpugraph_save('g')");
        run("%s", damages[i]);
        graph_comes_by("read");
    }
    run("SELECT gpugraph_save('g')");
    graph_comes_by("unpack");
    /* The graph is right after a change of any byte; the test samples the bytes. */
    char *length = ask("SELECT length(data) FROM g_blocks WHERE rowid = 3");
    int bytes = atoi(length);
    sqlite3_free(length);
    for (int at = 1; at <= bytes; at += 1 + bytes / 150) {
        run("SELECT gpugraph_save('g')");
        run("UPDATE g_blocks SET data = CAST(substr(data, 1, %d - 1) || x'5a' || "
            "substr(data, "
            "%d + 1) AS BLOB) WHERE rowid = 3 AND hex(substr(data, %d, 1)) <> '5A'",
            at, at, at);
        open_again();
        expect("'ok'", "SELECT gpugraph_check('g')");
    }
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    char *said = ask("DELETE FROM g_blocks");
    ck_assert_msg(strstr(said, "may not be modified") != NULL, "%s", said);
    sqlite3_free(said);
    expect("1", "SELECT gpugraph_save('g') > 0");
    run("INSERT INTO roads VALUES (5, 6, 7)");
    graph_comes_by("unpack");
    done();
}
END_TEST

START_TEST(readers_do_not_write) {
    make(kinds[0][0], kinds[0][1]);
    run("INSERT INTO roads VALUES (5, 6, 7)");
    sql_close();
    ck_assert_int_eq(sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    expect("6", "SELECT count(*) FROM g");
    expect("'ok'", "SELECT gpugraph_check('g')");
    expect_error("gpugraph_save", "readonly", "SELECT gpugraph_save('g')");
    done();
}
END_TEST

/* ---- forged blocks ---- */

static const struct {
    const char *table, *rows, *graph;
} forgeries[] = {
    {"CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres, name, back)",
     "INSERT INTO roads(a, b, metres, name, back) VALUES (1, 2, 3, 'p', 4), (2, 3, 4, "
     "'q', "
     "-1), ('x', 1, 9, 7, 2), (3, 'x', 0, 8, 1), (1, 3, 2, 'r', 2), (NULL, 5, 1, 's', 1)",
     "roads(a, b, metres)"},
    {NULL, NULL, "roads(a, b)"},
    {NULL, NULL, "roads(a, b, metres, name)"},
    {NULL, NULL, "roads(a, b, metres, name, back)"},
};

static const char *const uses[] = {
    "SELECT src, dst, weight, edge FROM g",
    "SELECT * FROM g WHERE src = 1",
    "SELECT * FROM g WHERE src IN (1, 'x') AND dst = 3",
    "SELECT * FROM g WHERE edge = 2",
    "SELECT * FROM g WHERE edge IN ('q', 7, 1)",
    "SELECT * FROM gpu_bfs('g', 1)",
    "SELECT * FROM gpu_sssp('g', 1) WHERE direction = 'both'",
    "SELECT * FROM gpu_path('g', 1, 'x')",
    "SELECT * FROM gpu_dfs('g')",
    "SELECT * FROM gpu_mis('g')",
    "SELECT * FROM gpu_components('g') WHERE kind = 'strong'",
    "SELECT * FROM gpu_spanning_forest('g')",
    "SELECT * FROM gpu_paths('g', 1, 'x', 3)",
    "SELECT gpugraph_triangles('g')",
    "SELECT gpugraph_check('g')",
    "UPDATE roads SET b = 1, metres = 7 WHERE id % 2",
    "SELECT * FROM g",
    "INSERT INTO roads(a, b, metres, name, back) VALUES (7, 8, 9, 'new', 1), (NULL, 1, "
    "1, "
    "'one', 1)",
    "SELECT * FROM gpu_bfs('g', 1) WHERE direction = 'both'",
    "SELECT gpugraph_delete_vertex('g', 3)",
    "DELETE FROM roads WHERE id = 6",
    "SELECT gpugraph_check('g')",
    "SELECT gpugraph_save('g')",
};

/* Reads the header's words and the packed graphs from the file. */
static void read_blocks(char **header, memory_file *whole) {
    sqlite3_stmt *row;
    char *text = ask("SELECT data FROM g_blocks WHERE rowid = 2");
    *header = sqlite3_mprintf("%.*s", (int)strlen(text) - 2, text + 1);
    sqlite3_free(text);
    ck_assert_int_eq(sqlite3_prepare_v2(db, "SELECT data FROM g_blocks WHERE rowid = 3",
                                        -1, &row, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    whole->size = (uint64_t)sqlite3_column_bytes(row, 0);
    whole->bytes = malloc(whole->size);
    memcpy(whole->bytes, sqlite3_column_blob(row, 0), whole->size);
    sqlite3_finalize(row);
}

static void write_blocks(const char *header, const memory_file *whole) {
    sqlite3_stmt *update;
    run("UPDATE g_blocks SET data = %Q WHERE rowid = 2", header);
    ck_assert_int_eq(sqlite3_prepare_v2(db,
                                        "UPDATE g_blocks SET data = ? WHERE rowid = 3",
                                        -1, &update, NULL),
                     SQLITE_OK);
    sqlite3_bind_blob(update, 1, whole->bytes, (int)whole->size, SQLITE_STATIC);
    ck_assert_int_eq(sqlite3_step(update), SQLITE_DONE);
    sqlite3_finalize(update);
}

/* Overwrites some words of a packed graph and corrects its checksums. False: there is no
** such graph, or its sections no longer fit its size. */
static bool forge(const char *header, memory_file *whole, uint64_t which, bool small) {
    enum { BEFORE_SIZES = 6, GRAPHS = 6 };
    uint64_t start = 0;
    const char *at = header;
    for (int word = 0; word < BEFORE_SIZES; word++)
        at = strchr(at, ' ') + 1;
    for (uint64_t k = 0; k < which; k++) {
        char *next;
        start += strtoull(at, &next, 10);
        at = next;
    }
    memory_file graph = {.bytes = whole->bytes + start, .size = strtoull(at, NULL, 10)};
    if (graph.size == 0)
        return false;
    for (uint32_t i = draw(3) + 1; i > 0; i--) {
        uint32_t word = small ? draw(16) : draw(UINT32_MAX);
        memcpy(graph.bytes + 4 * (uint64_t)draw((uint32_t)(graph.size / 4)), &word,
               sizeof word);
    }
    return memory_sign(&graph);
}

/* Replaces one number of the header. */
static char *forge_header(const char *header) {
    static const char *const numbers[] = {"0",    "1",          "8",
                                          "4096", "4294967296", "9223372036854775807"};
    const char *at = header;
    for (uint32_t word = draw(10) + 2; word > 0; word--)
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : at;
    return sqlite3_mprintf("%.*s%s%s", (int)(at - header), header, numbers[draw(6)],
                           at + strcspn(at, " "));
}

/* Any bytes under correct checksums cause no crash and no endless loop, and the table
** keeps the rows that its writers have left. */
START_TEST(forged) {
    memory_file whole, copy;
    char *header;
    int forged = 0;
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-blocks-%d.db", (int)getpid());
    unlink(file);
    db = NULL;
    open_again();
    run("PRAGMA synchronous = OFF; %s; %s; CREATE VIRTUAL TABLE g USING gpugraph(%s, "
        "persist "
        "= 1)",
        forgeries[0].table, forgeries[0].rows, forgeries[_i].graph);
    read_blocks(&header, &whole);
    copy = whole;
    copy.bytes = malloc(whole.size);
    for (uint64_t round = 0; round < 600; round++) {
        if (left_out(round))
            continue;
        luck = round + 1;
        memcpy(copy.bytes, whole.bytes, whole.size);
        char *other = draw(10) ? NULL : forge_header(header);
        if (!other && !forge(header, &copy, draw(6), draw(3) != 0))
            continue;
        run("BEGIN");
        write_blocks(other ? other : header, &copy);
        run("COMMIT");
        open_again();
        run("PRAGMA synchronous = OFF");
        for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
            if (i == 15)
                run("BEGIN");
            sqlite3_free(ask("%s", uses[i]));
        }
        run("ROLLBACK");
        expect("'ok'", "PRAGMA integrity_check");
        expect("6", "SELECT count(*) FROM roads");
        sqlite3_free(other);
        forged++;
    }
    ck_assert_int_gt(forged, 0);
    write_blocks(header, &whole);
    open_again();
    expect("'ok'", "SELECT gpugraph_check('g')");
    sqlite3_free(header);
    free(whole.bytes);
    free(copy.bytes);
    done();
}
END_TEST

const struct suite suite = {
    "follow_blocks",
    {{"blocks", .timeout = 120, .cases = {{&survives, sizeof kinds / sizeof *kinds}}},
     {"no thread", .tags = "serial", .timeout = 120,
      .cases = {{&schema_and_vacuum},
                {&saves_in_transactions},
                {&damage_is_noticed},
                {&readers_do_not_write},
                {&forged, sizeof forgeries / sizeof *forgeries}}}},
};
