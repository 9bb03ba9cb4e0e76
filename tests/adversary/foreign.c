/* A statement must not run SQL text that another author has put into the database.
**
**     canary()    DIRECTONLY, like functions that write files; records the call
**
** A random schema has the query "SELECT 1, canary()" as the edges of a call: in a view, a
** trigger or a stored value. A statement that reads the schema also has this text at a
** random place: as a name, a value, a comment, an argument of another function, or a
** bound value. canary() may run only if the statement itself calls the function and has
** the text as the argument, as a literal or a parameter. */
#include "adversary.h"
#include <string.h>

static int calls;

static void canary(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc, (void)argv;
    calls++;
    sqlite3_result_int(context, 2);
}

int foreign_register(sqlite3 *db) {
    return sqlite3_create_function(db, "canary", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                   canary, NULL, NULL);
}

#define SONG "SELECT 1, canary()"

/* ---- statements that pass the text to a function themselves ---- */

static const char *const own[] = {
    "SELECT vertex FROM gpu_bfs('" SONG "', 1)",
    "SELECT vertex FROM gpu_bfs WHERE edges = '" SONG "' AND source = 1",
    "SELECT vertex FROM \"gpu_bfs\" AS b WHERE b.source = 1 AND '" SONG "' = b.edges",
    "SELECT vertex FROM Gpu_Bfs ( /* of */ '" SONG "' , 1)",
    "SELECT vertex FROM gpu_bfs(?1, 1)",
    "SELECT vertex FROM gpu_bfs(:song, 1)",
    "SELECT count(*) FROM gpu_mis('" SONG "')",
    "WITH x AS (SELECT * FROM gpu_bfs('" SONG "', 1)) SELECT * FROM x",
    "SELECT (SELECT count(*) FROM gpu_bfs(?, 1))",
    "SELECT vertex FROM gpu_bfs('VALUES (1, 2)', 1) WHERE vertices = 'SELECT canary()'",
};

/* ---- foreign schemas ---- */

/* Each makes a view or table "innocent" with columns x and y. */
static const char *const schemas[] = {
    "CREATE VIEW innocent AS SELECT vertex AS x, depth AS y FROM gpu_bfs('" SONG "', 1)",
    "CREATE VIEW innocent(\"" SONG "\", x, y) AS SELECT vertex, vertex, depth FROM "
    "gpu_bfs('" SONG "', 1)",
    "CREATE VIEW \"" SONG "\" AS SELECT vertex AS x, depth AS y FROM gpu_bfs('" SONG
    "', 1); CREATE VIEW innocent AS SELECT * FROM \"" SONG "\"",
    "CREATE TABLE note(x); INSERT INTO note VALUES ('" SONG "'); CREATE VIEW innocent AS "
    "SELECT n.x AS x, b.vertex AS y FROM note n JOIN gpu_bfs b ON b.edges = n.x AND "
    "b.source = 1",
    "CREATE TABLE note(x); INSERT INTO note VALUES ('" SONG "'); CREATE VIEW innocent AS "
    "SELECT x, (SELECT count(*) FROM gpu_bfs(note.x, 1)) AS y FROM note",
    "CREATE VIEW innocent AS SELECT edges AS x, vertex AS y FROM gpu_bfs WHERE source = "
    "1",
    "CREATE VIEW innocent AS SELECT b.edges AS edges, b.edges AS x, b.vertex AS y FROM "
    "gpu_bfs b WHERE b.source = 1",
    "CREATE VIEW innocent AS SELECT 1 AS x, gpugraph_triangles('" SONG "') AS y",
    "CREATE VIEW innocent AS SELECT vertex AS x, 1 AS y FROM gpu_mis('VALUES (1, 2)') "
    "WHERE vertices = 'SELECT canary()'",
    "CREATE VIEW innocent AS SELECT vertex AS x, seq AS y FROM gpu_path('" SONG
    "', 1, 2)",
    "CREATE TABLE sink(v); CREATE TABLE innocent(x, y); CREATE TRIGGER t AFTER INSERT ON "
    "innocent BEGIN INSERT INTO sink SELECT vertex FROM gpu_bfs(new.x, 1); END",
    "CREATE TABLE sink(v); CREATE TABLE innocent(x, y); CREATE TRIGGER t AFTER INSERT ON "
    "innocent BEGIN INSERT INTO sink SELECT vertex FROM gpu_bfs('" SONG "', 1); END",
    "CREATE TABLE sink(v); CREATE TABLE innocent(x, y); INSERT INTO innocent VALUES (1, "
    "2); CREATE TRIGGER t BEFORE UPDATE ON innocent BEGIN INSERT INTO sink SELECT vertex "
    "FROM gpu_bfs WHERE edges = new.x AND source = 1; END",
    "CREATE TABLE sink(v); CREATE VIEW innocent AS SELECT 1 AS x, 2 AS y; CREATE TRIGGER "
    "t INSTEAD OF INSERT ON innocent BEGIN INSERT INTO sink SELECT vertex FROM "
    "gpu_bfs(new.x, 1); END",
};

/* ---- statements that read them ---- */

static const char *const readers[] = {
    "SELECT * FROM innocent",
    "SELECT \"" SONG "\" FROM innocent",
    "SELECT '" SONG "', * FROM innocent",
    "SELECT x AS \"" SONG "\", y FROM innocent",
    "SELECT x AS '" SONG "', y FROM innocent",
    "SELECT * FROM \"" SONG "\"",
    "SELECT * FROM innocent AS \"" SONG "\"",
    "SELECT * FROM innocent WHERE x = '" SONG "'",
    "SELECT * FROM innocent WHERE x = ?1",
    "SELECT * FROM innocent WHERE x IN ('" SONG "', 'z')",
    "SELECT * FROM innocent WHERE y = '" SONG "'",
    "SELECT * FROM innocent WHERE edges = '" SONG "'",
    "SELECT * FROM innocent WHERE edges = ?1",
    "SELECT * FROM innocent AS gpu_bfs WHERE gpu_bfs.edges = '" SONG "'",
    "SELECT * FROM innocent AS gpu_bfs WHERE gpu_bfs.x = '" SONG "'",
    "SELECT * FROM innocent /* gpu_bfs('" SONG "', 1) */",
    "SELECT * FROM innocent -- '" SONG "'",
    "SELECT 'gpu_bfs(''" SONG "'', 1)', * FROM innocent",
    "SELECT 'gpu_bfs(', '" SONG "', * FROM innocent",
    "SELECT ?1, * FROM innocent",
    "SELECT length('" SONG "'), y FROM innocent",
    "SELECT * FROM innocent JOIN (SELECT '" SONG "' AS q) ON x = q",
    "SELECT * FROM (SELECT '" SONG "' AS q) CROSS JOIN innocent ON x = q",
    "WITH q(x) AS (VALUES ('" SONG "')) SELECT * FROM q JOIN innocent USING (x)",
    "WITH gpu_bfs(edges, source) AS (VALUES ('" SONG
    "', 1)) SELECT * FROM gpu_bfs, innocent",
    "SELECT * FROM gpu_bfs('VALUES (1, 2)', 1), innocent WHERE x = '" SONG "'",
    "INSERT INTO innocent VALUES ('" SONG "', 1)",
    "INSERT INTO innocent VALUES (?1, 1)",
    "INSERT INTO innocent(x) SELECT '" SONG "'",
    "UPDATE innocent SET x = '" SONG "'",
    "UPDATE innocent SET x = ?1 WHERE y = 2",
    "DELETE FROM innocent WHERE x = '" SONG "'",
    "SELECT vertex FROM gpu_bfs((SELECT '" SONG "' AS q), 1), innocent",
    "SELECT * FROM gpu_bfs('SELECT 1, ' || 'canary()', 1)",
    "SELECT b.* FROM innocent i, gpu_bfs(i.x, 1) b",
    "SELECT b.* FROM innocent i, gpu_bfs b WHERE b.edges = i.x AND b.source = 1 AND i.x "
    "= "
    "'" SONG "'",
};

static void run_bound(sqlite3 *db, const char *sql, int *rc) {
    sqlite3_stmt *s = NULL;
    *rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    if (*rc == SQLITE_OK) {
        for (int i = 0; i < sqlite3_bind_parameter_count(s); i++)
            sqlite3_bind_text(s, i + 1, SONG, -1, SQLITE_STATIC);
        while ((*rc = sqlite3_step(s)) == SQLITE_ROW)
            ;
    }
    sqlite3_finalize(s);
}

/* Runs a random statement on a random schema. Each statement of `own` must call canary(),
** and no statement of `readers` may call it. */
void foreign_any(void) {
    int rc;
    bool owned = pick(4) == 0;
    sqlite3 *db = world_open(":memory:", true);
    const char *schema = schemas[pick(sizeof schemas / sizeof *schemas)];
    const char *sql = owned ? own[pick(sizeof own / sizeof *own)]
                            : readers[pick(sizeof readers / sizeof *readers)];
    count_kind("foreign");
    count(COUNT_COMPARISONS);
    trace("foreign", schema, "schema");
    if (sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK)
        wrong("foreign schema: %s", sqlite3_errmsg(db));
    if (pick(4) == 0)
        sqlite3_exec(db, "PRAGMA trusted_schema = OFF", NULL, NULL, NULL);
    calls = 0;
    trace("foreign", sql, "asked");
    run_bound(db, sql, &rc);
    if (owned && (rc != SQLITE_DONE || calls == 0))
        wrong("a statement's own query does not run: %s: %s", sql, sqlite3_errmsg(db));
    if (!owned && calls > 0)
        wrong("foreign text has run:\n    %s\n    %s", schema, sql);
    if (sqlite3_close(db) != SQLITE_OK)
        wrong("a foreign database cannot be closed");
}
