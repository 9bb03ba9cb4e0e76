/* Tests followed graphs with changed names, missing parts, refused tables, restricted
** rights, other connections, and backups. */
/* ctest: serial */
#include "follow_graph.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- names and parts ---- */

START_TEST(renames) {
    open_graph();
    run("ALTER TABLE roads RENAME TO \"my streets\"");
    graph_is("g", "\"my streets\"");
    run("INSERT INTO \"my streets\" VALUES (8, 9, 1)");
    graph_is("g", "\"my streets\"");
    run("ALTER TABLE \"my streets\" RENAME TO roads; ALTER TABLE roads RENAME a TO "
        "\"from "
        "here\"");
    expect_same("SELECT src, dst FROM g", "SELECT \"from here\", b FROM roads");
    run("INSERT INTO roads VALUES (10, 9, 1)");
    expect_same("SELECT src, dst FROM g", "SELECT \"from here\", b FROM roads");
    run("ALTER TABLE roads RENAME \"from here\" TO a; ALTER TABLE g RENAME TO \"net "
        "\"\"1\"");
    graph_is("\"net \"\"1\"", "roads");
    run("INSERT INTO roads VALUES (11, 9, 1)");
    graph_is("\"net \"\"1\"", "roads");
    run("ALTER TABLE \"net \"\"1\" RENAME TO g");
    after("SELECT * FROM g; INSERT INTO roads VALUES (12, 9, 1)");
    run("ALTER TABLE roads ADD COLUMN more; INSERT INTO roads VALUES (1, 1, 1, 1)");
    graph_is("g", "roads");
    run("ALTER TABLE roads DROP COLUMN more");
    graph_is("g", "roads");
    char *refused = ask("ALTER TABLE roads DROP COLUMN metres");
    ck_assert_msg(strstr(refused, "g_moved") != NULL, "%s", refused);
    sqlite3_free(refused);
    graph_is("g", "roads");
    run("DELETE FROM roads WHERE rowid %% 2; VACUUM"); /* VACUUM renumbers rows */
    graph_is("g", "roads");
    run("DROP TABLE g");
    expect("'roads'", "SELECT name FROM sqlite_schema");
    run("INSERT INTO roads VALUES (12, 9, 1)");
    sql_close();
}
END_TEST

/* In triggers, ALTER TABLE also replaces `rowid` by the column's new name. */
START_TEST(the_rowid_gets_another_name) {
    sql_open();
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres, UNIQUE(a, b)); INSERT "
        "INTO roads VALUES (1, 1, 2, 3), (2, 2, 3, 4); CREATE VIRTUAL TABLE g USING "
        "gpugraph(roads(a, b, metres)); CREATE VIRTUAL TABLE h USING gpugraph(roads(id, "
        "b, metres))");
    run("ALTER TABLE roads RENAME id TO \"the number\"");
    expect("0", "SELECT count(*) FROM gpu_bfs('g', 'nowhere')");
    after("INSERT OR REPLACE INTO roads VALUES (7, 1, 2, 9), (8, 8, 9, 1)");
    after("UPDATE roads SET \"the number\" = 17 WHERE a = 8");
    run("ALTER TABLE roads RENAME \"the number\" TO nr; ALTER TABLE roads RENAME TO r; "
        "ALTER TABLE r RENAME TO roads");
    expect("'not loaded';'not loaded'",
           "SELECT iif(state IN ('not loaded', 'stale'), 'not loaded', state) FROM "
           "gpugraph_graphs WHERE kind = 'followed'");
    expect("0", "SELECT count(*) FROM gpu_bfs('g', 'nowhere')");
    after("DELETE FROM roads WHERE nr = 17");
    expect_same("SELECT src, dst, weight, edge FROM h ORDER BY edge",
                "SELECT nr, b, metres, nr FROM roads ORDER BY nr");
    sql_close();
}
END_TEST

START_TEST(missing_parts_are_named) {
    open_graph();
    run("DROP TRIGGER g_deleted; DELETE FROM roads WHERE a = 1");
    graph_is("g", "roads");
    run("DELETE FROM roads WHERE a = 2");
    graph_is("g", "roads");
    expect("1",
           "SELECT state LIKE 'read afresh each time%%g_deleted%%' FROM gpugraph_graphs "
           "WHERE kind = 'followed'");
    run("DROP TABLE g; CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    after("SELECT * FROM g; DELETE FROM roads WHERE a = 3");
    run("CREATE UNIQUE INDEX later ON roads(b)");
    run("INSERT OR REPLACE INTO roads VALUES (5, 1, 5)");
    graph_is("g", "roads");
    expect("1", "SELECT state LIKE '%%REPLACE deletes by the key later%%' FROM "
                "gpugraph_graphs WHERE kind = 'followed'");
    run("DROP INDEX later");
    after("SELECT * FROM g; INSERT INTO roads VALUES (6, 1, 5)");
    run("DROP TABLE g_log");
    expect("1", "SELECT state LIKE '%%its log g_log is missing%%' FROM gpugraph_graphs");
    expect("2", "SELECT count(*) FROM g");
    run("DROP TABLE g");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    run("CREATE TABLE copy AS SELECT * FROM roads; DROP TABLE roads; ALTER TABLE copy "
        "RENAME "
        "TO roads; INSERT INTO roads VALUES (1, 2, 3)");
    graph_is("g", "roads");
    run("DROP TABLE roads");
    expect_error("gpu_bfs", "no table or view 'roads'", "SELECT * FROM gpu_bfs('g', 1)");
    expect("1", "SELECT state LIKE '%%is gone%%' FROM gpugraph_graphs "
                "WHERE kind = 'followed'");
    run("DROP TABLE g");
    expect("0", "SELECT count(*) FROM sqlite_schema");
    sql_close();
}
END_TEST

/* The newest AFTER trigger fires first, and may keep older triggers from firing. */
START_TEST(triggers_that_end_early) {
    static const char *const early[][2] = {
        {"CREATE TRIGGER t AFTER INSERT ON roads BEGIN SELECT RAISE(IGNORE); END",
         "INSERT INTO roads VALUES (50, 51, 1)"},
        {"CREATE TRIGGER t AFTER INSERT ON roads WHEN raise ( fail, 'no') BEGIN SELECT "
         "1; END",
         "INSERT INTO roads VALUES (50, 51, 1)"},
        {"CREATE TRIGGER t AFTER UPDATE OF b ON roads BEGIN SELECT RAISE(IGNORE); END",
         "UPDATE roads SET b = 60 WHERE a = 2"},
        {"CREATE TRIGGER t AFTER DELETE ON roads BEGIN SELECT RAISE(IGNORE); END",
         "DELETE FROM roads WHERE a = 3"},
        {"CREATE TRIGGER t AFTER INSERT ON roads BEGIN INSERT INTO seen VALUES (1); END",
         "INSERT OR FAIL INTO roads VALUES (50, 51, 1)"},
    };
    static const char *const late[] = {
        "CREATE TRIGGER t AFTER INSERT ON roads WHEN new.a < 0 BEGIN SELECT RAISE(ABORT, "
        "'no'); END",
        "CREATE TRIGGER t BEFORE INSERT ON roads BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TRIGGER t BEFORE UPDATE ON roads BEGIN INSERT OR IGNORE INTO seen VALUES "
        "(1); END",
        "CREATE VIRTUAL TABLE t USING gpugraph(roads(b, a))",
    };
    open_graph();
    run("CREATE TABLE seen(x UNIQUE); INSERT INTO seen VALUES (1)");
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        run("%s", early[i][0]);
        graph_is("g", "roads");
        sqlite3_free(ask("%s", early[i][1])); /* the statement may fail */
        graph_is("g", "roads");
        expect("'read afresh each time, since the trigger t was made after its own and "
               "may end before they fire; DROP TABLE g and create it again'",
               "SELECT state FROM gpugraph_graphs WHERE kind = 'followed'");
        run("DROP TABLE g; CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
        expect("0", "SELECT count(*) FROM gpu_bfs('g', 'nowhere')");
        sqlite3_free(ask("%s", early[i][1]));
        expect("0", "SELECT count(*) FROM gpu_bfs('g', 'nowhere')");
        expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
        graph_is("g", "roads");
        run("DROP TRIGGER t");
    }
    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        run("%s", late[i]);
        sqlite3_free(ask("INSERT INTO roads VALUES (%d, 71, 1)", 70 + (int)i));
        after("SELECT * FROM g; UPDATE roads SET metres = 4 WHERE rowid = 1");
        run("DROP %s t", i < 3 ? "TRIGGER" : "TABLE");
    }
    sql_close();
}
END_TEST

/* Users give their own objects names that parts of the graph could have. */
START_TEST(names_of_others) {
    open_graph();
    run("CREATE TABLE g_blocks(mine); CREATE TABLE places(id); CREATE TRIGGER notes "
        "AFTER "
        "INSERT ON places BEGIN INSERT INTO places SELECT 'g_log', new.id; END; CREATE "
        "TRIGGER g_notes AFTER DELETE ON places BEGIN SELECT 'g_log'; END");
    graph_is("g", "roads");
    after("SELECT * FROM g; INSERT INTO roads VALUES (7, 8, 9)");
    run("ALTER TABLE g RENAME TO h");
    graph_is("h", "roads");
    run("DROP TABLE h");
    expect("'g_blocks';'g_notes';'notes';'places';'roads'",
           "SELECT name FROM sqlite_schema ORDER BY name");
    sql_close();
}
END_TEST

/* Errors about a misspelt name list all tables except the internal tables of graphs. */
START_TEST(lists_are_of_tables) {
    open_graph();
    run("DROP TABLE g; CREATE TABLE audit_log(x); CREATE TABLE words_marks(x); CREATE "
        "%s; "
        "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b), persist = 1); CREATE VIRTUAL "
        "TABLE \"My G\" USING gpugraph(roads(a, b)); CREATE VIEW v AS SELECT 1",
        sql_has_module("fts5") ? "VIRTUAL TABLE words USING fts5(src, dst)"
                               : "VIEW words AS SELECT 1");
    for (int i = 0; i < 2; i++) {
        char *said = ask("SELECT * FROM gpu_bfs('%snosuch', 1)", i ? "main." : "");
        char *list = strchr(said, '(');
        static const char *const there[] = {"roads", "audit_log", "words_marks", "g",
                                            "My G",  "v",         "words"};
        int names = 1;
        for (const char *at = list; at && (at = strstr(at, ", ")) != NULL; at++)
            names++;
        for (size_t k = 0; list && k < sizeof there / sizeof *there; k++)
            ck_assert_msg(strstr(list, there[k]), "%s: %s", there[k], said);
        ck_assert_msg(names == 7 && !strstr(said, "g_") && !strstr(said, "G_"), "%s",
                      said);
        sqlite3_free(said);
    }
    expect_error("gpugraph", "(tables there: audit_log, roads, words_marks)",
                 "CREATE VIRTUAL TABLE h USING gpugraph(nosuch(a, b))");
    run("DROP TABLE g; DROP TABLE \"My G\"; CREATE TABLE g_log(x)");
    expect_error("gpugraph", "(tables there: audit_log, g_log, roads, words_marks)",
                 "CREATE VIRTUAL TABLE h USING gpugraph(nosuch(a, b))");
    sql_close();
}
END_TEST

START_TEST(refusals) {
    static const char *const refused[][2] = {
        {"CREATE VIRTUAL TABLE temp.h USING gpugraph(roads(a, b))", "cannot be TEMP"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(v(a, b))", "main.v is a view"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(g)", "main.g is a graph"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(other.roads(a, b))",
         "schema of its table"},
        {"CREATE VIRTUAL TABLE other.h USING gpugraph(main.roads(a, b))",
         "schema of its table"},
        {"CREATE VIRTUAL TABLE other.h USING gpugraph(places(a, b))", "no table or view"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(nosuch(a, b))",
         "in main to follow (tables there: k_log, roads)"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(H(a, b))",
         "no table or view 'H' in main to follow (tables there: k_log, roads)"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(SELECT a, b FROM roads)",
         "not a query; follow the table that the query reads"},
        {"CREATE VIRTUAL TABLE h USING gpugraph", "no table to follow"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, z))", "no column 'z'"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads)", "no pair of columns"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), direction = 'up')", "'up'"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), persist = 2)", "0 or 1"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), speed = 2)", "'speed'"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), fast)", "not an option"},
        {"CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b), persist = 1, PERSIST = 0)",
         "the option persist is given more than once"},
        {"CREATE VIRTUAL TABLE k USING gpugraph(roads(a, b))", "k_log"},
    };
    open_graph();
    run("ATTACH ':memory:' AS other; CREATE TABLE other.roads(a, b); CREATE VIEW v AS "
        "SELECT * FROM roads; CREATE TABLE k_log(x)");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *said = ask("%s", refused[i][0]);
        ck_assert_msg(strstr(said, "gpugraph: ") && strstr(said, refused[i][1]), "%s: %s",
                      refused[i][0], said);
        sqlite3_free(said);
    }
    if (sql_has_module("fts5")) {
        run("CREATE VIRTUAL TABLE words USING fts5(src, dst)");
        expect_error("gpugraph", "virtual table",
                     "CREATE VIRTUAL TABLE h USING gpugraph(words(src, dst))");
    }
    expect("0", "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'h%%'");
    run("CREATE VIRTUAL TABLE other.h USING gpugraph(roads(a, b)); INSERT INTO "
        "other.roads "
        "VALUES (1, 2)");
    expect("1|2", "SELECT src, dst FROM other.h");
    expect("'g';'other.h'", "SELECT name FROM gpugraph_graphs WHERE kind = 'followed'");
    expect("2", "SELECT count(*) FROM gpu_bfs('other.h', 1)");
    run("DETACH other");
    expect_error("gpu_bfs", "no database", "SELECT count(*) FROM gpu_bfs('other.h', 1)");
    sql_close();
}
END_TEST

/* ---- other connections, other files ---- */

static char file[64];

static sqlite3 *open_file(int flags) {
    sqlite3 *opened;
    ck_assert_int_eq(sqlite3_open_v2(file, &opened, flags, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(opened, NULL, NULL), SQLITE_OK);
    return opened;
}

/* Creates the graph in a file, which other connections can open. */
static void open_graph_file(void) {
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-test-%d.db", (int)getpid());
    unlink(file);
    db = open_file(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    run("PRAGMA journal_mode = wal");
    run("CREATE TABLE roads(a, b, metres)");
    run("INSERT INTO roads VALUES (1, 2, 5), (2, 3, 7), (3, 4, 1), ('x', 1, 2)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
}

static void close_file(void) {
    sql_close();
    unlink(file);
}

/* Runs a statement on another connection. */
static void on(sqlite3 *other, const char *sql) {
    char *error = NULL;
    int rc = sqlite3_exec(other, sql, NULL, NULL, &error);
    ck_assert_msg(rc == SQLITE_OK, "%s: %s", sql, error);
}

static void expect_on(sqlite3 *other, const char *rows, const char *sql) {
    sqlite3 *own = db;
    db = other;
    expect(rows, "%s", sql);
    db = own;
}

START_TEST(rights) {
    open_graph_file();
    run("CREATE VIEW v AS SELECT * FROM g WHERE src = 1");
    run("CREATE VIEW w AS SELECT gpugraph_delete_vertex('g', 1)");
    for (int trusted = 0; trusted < 2; trusted++) {
        run("PRAGMA trusted_schema = %d", trusted);
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, trusted, NULL);
        run("INSERT INTO roads VALUES (%d, 9, 9)", 100 + trusted);
        expect("1", "SELECT count(*) FROM v");
        graph_is("g", "roads");
        char *said = ask("SELECT * FROM w");
        ck_assert_msg(strstr(said, "unsafe use of gpugraph_delete_vertex") != NULL, "%s",
                      said);
        sqlite3_free(said);
    }
    sqlite3 *plain; /* a connection without the extension */
    ck_assert_int_eq(sqlite3_open(file, &plain), SQLITE_OK);
    on(plain, "PRAGMA trusted_schema = off; INSERT INTO roads VALUES (7, 7, 7)");
    graph_is("g", "roads");
    sqlite3_db_config(plain, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    on(plain,
       "REPLACE INTO roads(rowid, a, b, metres) VALUES (1, 7, 7, 7); DELETE FROM roads "
       "WHERE a = 3");
    graph_is("g", "roads");
    sqlite3_close(plain);
    sqlite3 *reader = open_file(SQLITE_OPEN_READONLY);
    expect_on(reader, "'ok'", "SELECT gpugraph_check('g')");
    run("INSERT INTO roads VALUES (8, 8, 8)");
    expect_on(reader, "'ok'", "SELECT gpugraph_check('g')");
    expect_on(reader, "8|8", "SELECT src, weight FROM g WHERE src = 8");
    sqlite3_close(reader);
    close_file();
}
END_TEST

START_TEST(connections) {
    open_graph_file();
    sqlite3 *other = open_file(SQLITE_OPEN_READWRITE);
    expect_on(other, "4", "SELECT count(*) FROM g");
    /* A reader keeps its snapshot while others commit. */
    on(other, "BEGIN; SELECT count(*) FROM roads");
    run("INSERT INTO roads VALUES (5, 6, 7)");
    expect_on(other, "4", "SELECT count(*) FROM g");
    expect_on(other, "'ok'", "SELECT gpugraph_check('g')");
    expect("5", "SELECT count(*) FROM g");
    on(other, "COMMIT");
    expect_on(other, "5", "SELECT count(*) FROM g");
    /* Only the writer sees uncommitted changes. */
    run("BEGIN; DELETE FROM roads");
    expect("0", "SELECT count(*) FROM g");
    expect_on(other, "5", "SELECT count(*) FROM g");
    run("COMMIT");
    expect_on(other, "0", "SELECT count(*) FROM g");
    /* Another connection changes the schema. */
    run("INSERT INTO roads VALUES (1, 2, 3), (2, 3, 4), (3, 4, 5)");
    expect_on(other, "3", "SELECT count(*) FROM g");
    run("DELETE FROM roads WHERE a = 1; VACUUM");
    expect_on(other, "1;2", "SELECT edge FROM g");
    run("DROP TABLE g; CREATE VIRTUAL TABLE g USING gpugraph(roads(b, a))");
    expect_on(other, "3|2;4|3", "SELECT src, dst FROM g");
    run("DROP TABLE g");
    expect_on(other, "error: no such table: g", "SELECT * FROM g");
    /* The file is attached under another name. */
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    on(other, "ATTACH ':memory:' AS here");
    sqlite3_close(other);
    ck_assert_int_eq(sqlite3_open(":memory:", &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(other, NULL, NULL), SQLITE_OK);
    char *attach = sqlite3_mprintf("ATTACH %Q AS there", file);
    on(other, attach);
    expect_on(other, "2|3;3|4", "SELECT src, dst FROM there.g");
    expect_on(other, "3", "SELECT count(*) FROM gpu_bfs('g', 2)");
    on(other, "INSERT INTO there.roads VALUES (4, 5, 6); DELETE FROM roads WHERE a = 2");
    expect_on(other, "3|4;4|5", "SELECT src, dst FROM there.g");
    expect("3|4;4|5", "SELECT src, dst FROM g");
    on(other, "DETACH there; ATTACH ':memory:' AS there; CREATE TABLE there.g(src, dst)");
    expect_on(other, "0", "SELECT count(*) FROM gpu_bfs('there.g', 3)");
    sqlite3_free(attach);
    sqlite3_close(other);
    close_file();
}
END_TEST

static void copy_file(const char *from, const char *to) {
    sqlite3 *a, *b;
    ck_assert_int_eq(sqlite3_open(from, &a), SQLITE_OK);
    ck_assert_int_eq(sqlite3_open(to, &b), SQLITE_OK);
    sqlite3_backup *backup = sqlite3_backup_init(b, "main", a, "main");
    ck_assert_int_eq(sqlite3_backup_step(backup, -1), SQLITE_DONE);
    sqlite3_backup_finish(backup);
    sqlite3_close(a);
    sqlite3_close(b);
}

START_TEST(a_backup_comes_back) {
    open_graph_file();
    char saved[80];
    snprintf(saved, sizeof saved, "%s-saved", file);
    unlink(saved);
    copy_file(file, saved);
    run("INSERT INTO roads VALUES (10, 11, 1), (11, 12, 1)");
    graph_is("g", "roads");
    copy_file(saved, file);
    /* The new rows get the rowids of rows that the backup lacks. */
    run("INSERT INTO roads VALUES (20, 21, 1), (21, 22, 1)");
    graph_is("g", "roads");
    expect("0", "SELECT count(*) FROM g WHERE src = 10");
    unlink(saved);
    close_file();
}
END_TEST

const struct suite suite = {
    "follow_schema",
    {{"follow_schema", .timeout = 60,
      .cases = {{&renames},
                {&the_rowid_gets_another_name},
                {&missing_parts_are_named},
                {&triggers_that_end_early},
                {&names_of_others},
                {&lists_are_of_tables},
                {&refusals},
                {&rights},
                {&connections},
                {&a_backup_comes_back}}}},
};
