/* A trigger sees the rows as they are while the statement that fires it runs, whichever
** trigger fires first. The text of that statement sees one graph.
**
**     trigger     queries the graph in every way, and the table, and stores both: `seen`
**     statement   changes one row, several, or none
**/
/* ctest: serial */
#include "follow_graph.h"
#include "suite.h"
#include "share.h"
#include <string.h>

/* ---- guards ---- */

/* roads is 1 -> 2 -> 3 -> 4, and x -> 1. */
static const char *const guards[] = {
    "CREATE TRIGGER guard AFTER DELETE ON roads WHEN NOT EXISTS (SELECT 1 FROM "
    "gpu_bfs('g', 1) WHERE vertex = 4) BEGIN SELECT raise(ABORT, 'cut off'); END",
    "CREATE TRIGGER guard AFTER DELETE ON roads BEGIN SELECT raise(ABORT, 'cut off') "
    "WHERE "
    "4 NOT IN (SELECT vertex FROM gpu_bfs('g', 1)); END",
    "CREATE TEMP TRIGGER guard AFTER DELETE ON roads BEGIN SELECT raise(ABORT, 'cut "
    "off') "
    "WHERE (SELECT count(*) FROM g WHERE src = 2 AND dst = 3) = 0; END",
    "CREATE TRIGGER guard AFTER DELETE ON roads BEGIN SELECT raise(ABORT, 'cut off') "
    "WHERE "
    "gpugraph_check('g') <> 'ok' OR (SELECT count(*) FROM g) < 4; END",
};

static void is_guarded(const char *sql) {
    char *said = ask("%s", sql);
    ck_assert_str_eq(said, "error: cut off");
    sqlite3_free(said);
}

START_TEST(a_guard_is_not_passed) {
    for (int older = 0; older < 2; older++) {
        open_graph();
        expect("4", "SELECT count(*) FROM gpu_bfs('g', 1)");
        run("%s", guards[_i]);
        if (older) /* the trigger is older than the graph */
            run("DROP TABLE g; CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, "
                "metres))");
        is_guarded("DELETE FROM roads WHERE a = 2");
        expect("4", "SELECT count(*) FROM roads");
        run("BEGIN");
        is_guarded("DELETE FROM roads WHERE a = 2");
        graph_is("g", "roads");
        run("COMMIT");
        expect("4", "SELECT count(*) FROM gpu_bfs('g', 1)");
        sql_close();
    }
}
END_TEST

/* A new trigger gives a statement of equal text another effect. After a ROLLBACK another
** schema gets the same version. */
START_TEST(the_same_text_does_more) {
    static const char *const more[] = {
        "CREATE TEMP TRIGGER deletes AFTER INSERT ON notes BEGIN DELETE FROM roads WHERE "
        "a = 2; END",
        "CREATE TRIGGER deletes AFTER INSERT ON notes BEGIN DELETE FROM roads WHERE a = "
        "2; END",
    };
    open_graph();
    run("CREATE TABLE notes(x); CREATE TEMP TABLE seen(edges); CREATE TRIGGER noted "
        "AFTER "
        "INSERT ON notes BEGIN SELECT count(*) FROM g; END; CREATE TEMP TRIGGER guard "
        "AFTER DELETE ON roads BEGIN INSERT INTO seen SELECT count(*) FROM g; END");
    expect("4", "SELECT count(*) FROM g");
    if (_i & 1)
        run("BEGIN; CREATE TEMP TRIGGER another AFTER INSERT ON notes BEGIN SELECT 1; "
            "END");
    run("INSERT INTO notes VALUES (1)");
    if (_i & 1)
        run("ROLLBACK");
    run("%s", more[_i / 2]);
    run("INSERT INTO notes VALUES (1)");
    expect("3", "SELECT edges FROM seen");
    graph_is("g", "roads");
    sql_close();
}
END_TEST

/* ---- every firing ---- */

#define REACHED                                                                          \
    "(WITH RECURSIVE reached(v) AS (SELECT 1 WHERE EXISTS (SELECT 1 FROM roads WHERE 1 " \
    "IN (a, b)) UNION SELECT b FROM reached, roads WHERE a = v) SELECT count(*) FROM "   \
    "reached)"

/* Pairs of an answer of the graph and an answer of the table. */
#define LOOK                                                                             \
    "INSERT INTO seen SELECT json_array((SELECT count(*) FROM main.g), (SELECT "         \
    "count(*) FROM main.g WHERE src = 2), (SELECT count(*) FROM main.g WHERE src = 2 "   \
    "AND dst = 3), (SELECT sum(edge) FROM main.g), (SELECT count(*) FROM "               \
    "gpu_bfs('main.g', 1)), (SELECT count(*) FROM gpu_bfs('main.roads(a, b)', 1)), "     \
    "gpugraph_triangles('main.g') = gpugraph_triangles('main.roads(a, b)'), "            \
    "gpugraph_check('main.g')), json_array((SELECT count(*) FROM roads), (SELECT "       \
    "count(*) FROM roads WHERE a = 2), (SELECT count(*) FROM roads WHERE a = 2 AND b = " \
    "3), (SELECT sum(rowid) FROM roads), " REACHED ", " REACHED ", 1, 'ok')"

/* %s: the body of the trigger. */
static const char *const triggers[] = {
    "CREATE TRIGGER look AFTER DELETE ON roads BEGIN %s; END",
    "CREATE TRIGGER look AFTER INSERT ON roads BEGIN %s; END",
    "CREATE TRIGGER look AFTER UPDATE ON roads BEGIN %s; END",
    "CREATE TRIGGER look BEFORE DELETE ON roads BEGIN %s; END",
    "CREATE TRIGGER look BEFORE INSERT ON roads BEGIN %s; END",
    "CREATE TRIGGER look BEFORE UPDATE ON roads BEGIN %s; END",
    "CREATE TEMP TRIGGER look AFTER DELETE ON roads BEGIN %s; END",
    "CREATE TEMP TRIGGER look AFTER INSERT ON roads BEGIN %s; END",
    "CREATE TEMP TRIGGER look AFTER UPDATE ON roads BEGIN %s; END",
    /* by way of another table */
    "CREATE TRIGGER on_delete AFTER DELETE ON roads BEGIN INSERT INTO notes VALUES "
    "(old.a); END; CREATE TRIGGER look AFTER INSERT ON notes BEGIN %s; END",
    "CREATE TRIGGER on_insert AFTER INSERT ON roads WHEN new.metres < 50 BEGIN UPDATE "
    "roads SET metres = metres + 50 WHERE rowid = new.rowid; INSERT INTO notes VALUES "
    "(new.a); END; CREATE TRIGGER look AFTER INSERT ON notes BEGIN %s; END; CREATE "
    "TRIGGER look_too AFTER UPDATE ON roads BEGIN %s; END",
    /* a view */
    "CREATE VIEW ways AS SELECT rowid AS id, * FROM roads; CREATE TRIGGER by_view "
    "INSTEAD "
    "OF DELETE ON ways BEGIN %s; DELETE FROM roads WHERE rowid = old.id; %s; END",
    /* keys refer to roads */
    "CREATE TABLE keys(k INTEGER PRIMARY KEY REFERENCES roads(id) ON DELETE CASCADE ON "
    "UPDATE CASCADE); INSERT INTO keys SELECT rowid FROM roads; CREATE TRIGGER look "
    "AFTER "
    "DELETE ON keys BEGIN %s; END; CREATE TRIGGER look_too AFTER UPDATE ON keys BEGIN "
    "%s; "
    "END",
};

static const char *const changes[] = {
    "DELETE FROM roads WHERE a = 2",
    "DELETE FROM roads WHERE rowid % 2",
    "DELETE FROM roads",
    "DELETE FROM roads WHERE a IN (SELECT vertex FROM gpu_bfs('g', 2))",
    "DELETE FROM roads WHERE b < 4 RETURNING a",
    "UPDATE roads SET b = 7 WHERE a = 2",
    "UPDATE roads SET b = b + 1 WHERE typeof(b) = 'integer'",
    "UPDATE OR REPLACE roads SET rowid = rowid + 1",
    "UPDATE roads SET metres = (SELECT depth FROM gpu_bfs('g', 1) WHERE vertex = "
    "roads.b)",
    "INSERT INTO roads(a, b, metres) VALUES (4, 5, 1), (5, 6, 1), (2, 3, 1)",
    "INSERT INTO roads(a, b, metres) SELECT b, a, 1 FROM roads",
    "INSERT INTO roads(a, b, metres) SELECT vertex, 1, depth FROM gpu_bfs('g', 1)",
    "INSERT OR REPLACE INTO roads(rowid, a, b, metres) VALUES (1, 4, 5, 1), (2, 5, 6, 1)",
    "REPLACE INTO roads(a, b, metres) VALUES (4, 5, 99), (5, 6, 99), (5, 6, 98)",
    "INSERT INTO roads(rowid, a, b, metres) VALUES (1, 4, 5, 1), (2, 5, 6, 1) ON "
    "CONFLICT "
    "DO UPDATE SET b = excluded.b",
    "INSERT INTO roads(a, b, metres) VALUES (4, 5, 1) RETURNING (SELECT count(*) FROM g)",
    "DELETE FROM ways WHERE id % 2",
    "DELETE FROM ways",
};

static const char *const tables[] = {
    "CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres)",
    "CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres, UNIQUE(a, b))",
    "CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres UNIQUE ON CONFLICT REPLACE)",
};

static void make_all(const char *table, const char *trigger, bool older, bool recursive) {
    sql_open();
    run("PRAGMA foreign_keys = on; PRAGMA recursive_triggers = %d", recursive);
    run("%s; INSERT INTO roads(a, b, metres) VALUES (1, 2, 5), (2, 3, 7), (3, 4, 1), "
        "('x', 1, 2); CREATE TABLE notes(n); CREATE TABLE seen(graph, rows); CREATE "
        "TABLE "
        "place(p)",
        table);
    char *made = sqlite3_mprintf(trigger, LOOK, LOOK);
    if (older)
        run("%s", made);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    if (!older)
        run("%s", made);
    sqlite3_free(made);
}

/* Runs the statement, which may fail. */
static void attempt(const char *change) {
    sqlite3_free(ask("%s", change));
    expect("-", "SELECT group_concat(graph || ' is not ' || rows) FROM seen WHERE graph "
                "<> rows");
}

START_TEST(every_firing_sees_the_rows) {
    const char *change = changes[_i];
    const int count = sizeof triggers / sizeof *triggers;
    int fired = 0;
    for (int t = 0; t < count; t++) {
        for (int kind = 0; kind < 3; kind++) {
            if (left_out_of((uint64_t)(t + kind + _i), 3))
                continue;
            bool older = (t + kind + _i) & 1;
            make_all(tables[kind], triggers[t], older, _i & 1);
            if (kind & 1) /* with and without a mirror */
                expect("4", "SELECT count(*) FROM gpu_bfs('g', 1)");
            run("SAVEPOINT before");
            attempt(change);
            run("ROLLBACK TO before");
            attempt(change);
            run("RELEASE before");
            graph_is("g", "roads");
            attempt(change);
            graph_is("g", "roads");
            char *seen = ask("SELECT 1 FROM seen LIMIT 1");
            fired += *seen == '1';
            sqlite3_free(seen);
            sql_close();
        }
    }
    ck_assert_int_gt(fired, 0);
}
END_TEST

/* A statement that is prepared once and runs often. */
START_TEST(prepared_once) {
    make_all(tables[0], triggers[_i], false, false);
    sqlite3_stmt *statement[3];
    static const char *const sql[] = {
        "INSERT INTO roads(a, b, metres) VALUES (1, ?1 % 4, 1), (2, ?1 % 3, 1)",
        "UPDATE roads SET b = b + 1 WHERE rowid > ?1 AND typeof(b) = 'integer'",
        "DELETE FROM roads WHERE rowid % 7 = ?1 % 7"};
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(sqlite3_prepare_v2(db, sql[k], -1, &statement[k], NULL), 0);
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++) {
            sqlite3_bind_int(statement[k], 1, i);
            ck_assert_int_eq(sqlite3_step(statement[k]), SQLITE_DONE);
            sqlite3_reset(statement[k]);
            attempt("SELECT 1");
        }
        if (i == 3)
            run("BEGIN");
    }
    run("COMMIT");
    graph_is("g", "roads");
    for (int k = 0; k < 3; k++)
        sqlite3_finalize(statement[k]);
    sql_close();
}
END_TEST

/* ---- cascades ---- */

/* The nodes of a tree refer to their parents: the triggers of children fire after the
** parent is deleted and before its own triggers fire. */
START_TEST(cascades_of_the_table_itself) {
    sql_open();
    run("PRAGMA foreign_keys = on; PRAGMA recursive_triggers = %d", _i);
    run("CREATE TABLE roads(b INTEGER PRIMARY KEY, a REFERENCES roads(b) ON DELETE "
        "CASCADE ON UPDATE CASCADE, metres); INSERT INTO roads VALUES (1, 1, 1), (2, 1, "
        "1), "
        "(3, 2, 1), (4, 2, 1), (5, 4, 1); CREATE TABLE seen(graph, rows)");
    run("CREATE TRIGGER look AFTER DELETE ON roads BEGIN %s; END", LOOK);
    run("CREATE TRIGGER look_too AFTER UPDATE ON roads BEGIN %s; END", LOOK);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    expect("5", "SELECT count(*) FROM gpu_bfs('g', 1)");
    attempt("UPDATE roads SET b = 20 WHERE b = 2");
    attempt("DELETE FROM roads WHERE b = 20");
    graph_is("g", "roads");
    expect("1", "SELECT count(*) >= 6 FROM seen");
    attempt("DELETE FROM roads");
    graph_is("g", "roads");
    sql_close();
}
END_TEST

/* ---- the statement's own text ---- */

/* A statement sees one graph, while its triggers query other states. */
START_TEST(own_text_sees_one_graph) {
    static const char *const names[] = {"g", "roads(a, b)"};
    for (int t = 0; t < 9; t++) {
        make_all(tables[0], triggers[t], false, false);
        run("INSERT INTO roads(a, b, metres) VALUES (4, 5, 1), (5, 6, 1)");
        run("DELETE FROM seen");
        char *depths = ask("SELECT a, b, ifnull((SELECT depth FROM gpu_bfs(%Q, 1) WHERE "
                           "vertex = roads.b), -1) FROM roads",
                           names[_i]);
        char *update = sqlite3_mprintf(
            "UPDATE roads SET b = b + 10, metres = ifnull((SELECT depth FROM gpu_bfs(%Q, "
            "1) WHERE vertex = roads.b), -1)",
            names[_i]);
        sqlite3_stmt *statement;
        ck_assert_int_eq(sqlite3_prepare_v2(db, update, -1, &statement, NULL), 0);
        for (int again = 0; again < 3; again++) {
            run("SAVEPOINT before");
            ck_assert_int_eq(sqlite3_step(statement), SQLITE_DONE);
            sqlite3_reset(statement);
            expect(depths, "SELECT a, b - 10, metres FROM roads");
            attempt("SELECT 1");
            run("ROLLBACK TO before; RELEASE before");
        }
        sqlite3_finalize(statement);
        sqlite3_free(update);
        sqlite3_free(depths);
        sql_close();
    }
}
END_TEST

/* The statement's text queries the graph after it has written other rows, and after
** triggers have fired that do not query. */
START_TEST(own_text_looks_late) {
    static const char *const names[] = {"g", "roads(a, b)"};
    make_all(tables[0],
             "CREATE TRIGGER note AFTER UPDATE ON roads BEGIN INSERT INTO notes "
             "VALUES (datetime('now')); END",
             true, false);
    const char *name = names[_i % 2];
    expect("4", "SELECT count(*) FROM gpu_bfs('g', 1)");
    if (_i / 2)
        run("BEGIN; DELETE FROM notes");
    run("UPDATE roads SET b = b + 10, metres = CASE WHEN rowid > 2 THEN (SELECT count(*) "
        "FROM gpu_bfs(%Q, 2)) ELSE (SELECT count(*) FROM gpu_bfs(%Q, 1)) END",
        name, name);
    expect("4;4;3;3", "SELECT metres FROM roads");
    run("UPDATE roads SET b = b - 10");
    /* RETURNING queries after a row is written and before any trigger has fired for
    ** it. */
    expect(
        "1;1;1",
        "DELETE FROM roads WHERE a < 4 RETURNING CASE WHEN a = 2 THEN (SELECT count(*) "
        "FROM gpu_bfs(%Q, 'x')) = (SELECT count(*) FROM gpu_bfs('SELECT a, b FROM "
        "roads', 'x')) ELSE 1 END",
        name);
    expect("1",
           "INSERT INTO roads(a, b, metres) VALUES (1, 2, 1) RETURNING (SELECT count(*) "
           "FROM gpu_bfs(%Q, 'x')) = 3",
           name);
    graph_is("g", "roads");
    sql_close();
}
END_TEST

/* Queries in triggers of other tables, and in the text, update the graph from the log. */
START_TEST(what_cannot_be_half_done_is_followed) {
    static const char *const writes[] = {
        "INSERT INTO temp.made SELECT vertex FROM gpu_bfs('g', 1)",
        "INSERT INTO notes SELECT vertex FROM gpu_bfs('g', 1)",
        "INSERT INTO place VALUES (1), (2)",
        "UPDATE roads SET metres = (SELECT depth FROM gpu_bfs('g', 1) WHERE vertex = b)",
        "DELETE FROM roads WHERE b IN (SELECT vertex FROM gpu_bfs('g', 1, 4))",
        "INSERT INTO roads(a, b, metres) SELECT vertex, 1, 1 FROM gpu_bfs('g', 1)",
    };
    sqlite3_stmt *statement;
    make_all(tables[0], "", false, false);
    run("CREATE TRIGGER placed AFTER INSERT ON place BEGIN INSERT INTO notes SELECT "
        "vertex FROM gpu_bfs('g', new.p); END; CREATE TEMP TABLE made(v)");
    expect("4", "SELECT count(*) FROM gpu_bfs('g', 1)");
    for (int inside = 0; inside < 2; inside++) {
        ck_assert_int_eq(sqlite3_prepare_v2(db, writes[_i], -1, &statement, NULL), 0);
        for (int again = 0; again < 3; again++) {
            run("INSERT INTO roads(a, b, metres) VALUES (1, 50, 1)");
            ck_assert_int_eq(sqlite3_step(statement), SQLITE_DONE);
            sqlite3_reset(statement);
            expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
            graph_is("g", "roads");
        }
        run("CREATE TABLE made%d AS SELECT * FROM gpu_bfs('g', 1)", inside);
        expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'");
        sqlite3_finalize(statement);
        graph_is("g", "roads"); /* the schema has changed */
        if (!inside)
            run("BEGIN");
    }
    run("COMMIT");
    sql_close();
}
END_TEST

const struct suite suite = {
    "follow_firing",
    {{"firing", .timeout = 120,
      .cases = {{&the_same_text_does_more, 4},
                {&a_guard_is_not_passed, sizeof guards / sizeof *guards},
                {&every_firing_sees_the_rows, sizeof changes / sizeof *changes},
                {&prepared_once, sizeof triggers / sizeof *triggers},
                {&cascades_of_the_table_itself, 2},
                {&own_text_sees_one_graph, 2},
                {&own_text_looks_late, 4},
                {&what_cannot_be_half_done_is_followed, 6}}}},
};
