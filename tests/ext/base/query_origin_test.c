/* Queries as edge sources run as top-level SQL, so they must stand in the statement. The
** query of this test calls a function that only top-level SQL may call, and counts the
** calls. The owner of the schema tries to run the query: from views, triggers and stored
** values, and by a text that a statement contains for another purpose. */
/* ctest: serial */
#include "gpugraph_extension.h"
#include "luck.h"
#include "base/query_origin.h"
#include "share.h"
#include "suite.h"
#include "sql.h"

#include <math.h>
#include <string.h>

static const char alarming[] = "SELECT alarm(), 2";
static int alarms;

static void alarm_rings(sqlite3_context *context, int count, sqlite3_value **value) {
    (void)count, (void)value;
    alarms++;
    sqlite3_result_int(context, 1);
}

/* Runs a separate statement, like extensions that keep tables in tables. */
static void evaluate(sqlite3_context *context, int count, sqlite3_value **value) {
    (void)count;
    sqlite3_stmt *statement = NULL;
    const char *sql = (const char *)sqlite3_value_text(value[0]);
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW)
        sqlite3_result_value(context, sqlite3_column_value(statement, 0));
    if (rc != SQLITE_ROW)
        sqlite3_result_error(context, sqlite3_errmsg(db), -1);
    sqlite3_finalize(statement);
}

static const char schema[] =
    "CREATE TABLE roads(src, dst);"
    "INSERT INTO roads VALUES (1, 2), (2, 3);"
    "CREATE TABLE places(id); INSERT INTO places VALUES (1);"
    "CREATE TABLE stored(name, edges, vertices);"
    "INSERT INTO stored VALUES ('it', 'SELECT alarm(), 2', 'SELECT alarm()');"
    /* Views that run a query: a stored query, or a query from the view's columns. */
    "CREATE VIEW evil AS SELECT vertex FROM gpu_bfs('SELECT alarm(), 2', 1);"
    "CREATE VIEW evil_scalar AS SELECT gpugraph_triangles('SELECT alarm(), 2') AS n;"
    "CREATE VIEW evil_vertices AS SELECT vertex FROM gpu_mis('roads')"
    " WHERE vertices = 'SELECT alarm()';"
    "CREATE VIEW evil_compared AS SELECT vertex FROM gpu_bfs"
    " WHERE edges = 'SELECT alarm(), 2' AND source = 1;"
    "CREATE VIEW relay AS SELECT name, edges, vertices,"
    " (SELECT count(*) FROM gpu_bfs(stored.edges, 1)) AS n FROM stored;"
    "CREATE VIEW named(\"SELECT alarm(), 2\") AS"
    " SELECT vertex FROM gpu_bfs('SELECT alarm(), 2', 1);"
    "CREATE VIEW \"SELECT alarm(), 2\" AS"
    " SELECT vertex FROM gpu_bfs('SELECT alarm(), 2', 1);"
    "CREATE TABLE inbox(x, edges); CREATE TABLE log(n);"
    "CREATE TRIGGER inbox_read AFTER INSERT ON inbox BEGIN"
    " INSERT INTO log SELECT count(*) FROM gpu_bfs(new.x, 1); END;"
    "CREATE TRIGGER inbox_kept AFTER UPDATE ON inbox BEGIN"
    " INSERT INTO log SELECT count(*) FROM gpu_bfs('SELECT alarm(), 2', 1); END;"
    "CREATE TRIGGER inbox_left BEFORE DELETE ON inbox BEGIN"
    " INSERT INTO log SELECT count(*) FROM gpu_bfs WHERE edges = old.x AND source = 1; "
    "END;"
    "CREATE VIEW outbox AS SELECT x, edges FROM inbox;"
    "CREATE TRIGGER outbox_write INSTEAD OF INSERT ON outbox BEGIN"
    " INSERT INTO log SELECT count(*) FROM gpu_bfs(new.x, 1); END;";

static void setup(void) {
    sql_open();
    ck_assert_int_eq(sqlite3_create_function(db, "alarm", 0,
                                             SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                             alarm_rings, NULL, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_create_function(db, "evaluate", 1,
                                             SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL,
                                             evaluate, NULL, NULL),
                     SQLITE_OK);
    run(schema);
    alarms = 0;
}

/* Binds the query to all parameters except those that have a name below, as :vertices and
** :n... do. Returns the last sqlite3_errmsg, or "" if all is well. Counts the rows. */
static const char *attempt(const char *sql, int *rows) {
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    *rows = 0;
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
        const char *name = sqlite3_bind_parameter_name(statement, i);
        if (name && strncmp(name, ":n", 2) == 0)
            sqlite3_bind_int(statement, i, 1);
        else if (name && strcmp(name, ":real") == 0)
            sqlite3_bind_double(statement, i, -1.5e300);
        else if (name && strcmp(name, ":inf") == 0)
            sqlite3_bind_double(statement, i, -INFINITY);
        else if (name && strcmp(name, ":zero") == 0)
            sqlite3_bind_text(statement, i, "it's \0 :q", 9, SQLITE_STATIC);
        else if (name && strcmp(name, ":null") == 0)
            sqlite3_bind_null(statement, i);
        else if (name && strcmp(name, ":blob") == 0)
            sqlite3_bind_blob(statement, i, alarming, sizeof alarming - 1, SQLITE_STATIC);
        else if (name && strcmp(name, ":zeros") == 0)
            sqlite3_bind_zeroblob(statement, i, 12);
        else
            sqlite3_bind_text(statement, i,
                              !name                            ? alarming
                              : strcmp(name, ":roads") == 0    ? "roads"
                              : strcmp(name, ":vertices") == 0 ? "SELECT alarm()"
                                                               : alarming,
                              -1, SQLITE_STATIC);
    }
    if (rc == SQLITE_OK)
        while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
            ++*rows;
    sqlite3_finalize(statement);
    return rc == SQLITE_DONE ? "" : sqlite3_errmsg(db);
}

static const char refusal[] = ": a query must stand in the call itself, as one string "
                              "literal or a parameter; the one in ";

static void expect_own(const char *sql) {
    int rows;
    alarms = 0;
    const char *error = attempt(sql, &rows);
    ck_assert_msg(!*error && alarms > 0 && rows > 0, "%s: %d alarms, %d rows, %s", sql,
                  alarms, rows, error);
}

static void expect_refused(const char *sql) {
    int rows;
    alarms = 0;
    const char *error = attempt(sql, &rows);
    ck_assert_msg(alarms == 0 && strstr(error, refusal), "%s: %d alarms, %d rows, %s",
                  sql, alarms, rows, error);
}

#define Q "'SELECT alarm(), 2'"

START_TEST(a_statement_has_queries_of_its_own) {
    static const char *const own[] = {
        "SELECT * FROM gpu_bfs(" Q ", 1)",
        "SELECT * FROM gpu_bfs(?, 1)",
        "SELECT * FROM gpu_bfs(?1, 1)",
        "SELECT * FROM gpu_bfs(:q, :n)",
        "SELECT * FROM gpu_bfs(@q, 1)",
        "SELECT * FROM gpu_bfs($q::a(b), 1)",
        "SELECT * FROM gpu_bfs(:q(1), 1)",
        "SELECT :n+1, :n, :real, :null, :blob, :zeros, :roads, * FROM gpu_bfs(:q, 1)",
        "SELECT :n+ :real-:n AS x, :q'y' FROM roads, gpu_bfs(" Q ", 1)",
        "SELECT ':q', :zero, :inf /* :q */, :zero AS \":q\", [:q] FROM (SELECT 1 AS "
        "[:q]), "
        "gpu_bfs(:q, 1) -- :q",
        "select * from GPU_BFS(" Q ",1)",
        "SELECT * FROM gpu_bfs ( /* ( */ " Q " -- ,\n , 1 )",
        "SELECT * FROM gpu_bfs((" Q "), 1)",
        "SELECT * FROM gpu_bfs(((:q)), (1))",
        "SELECT * FROM \"gpu_bfs\"(" Q ", 1)",
        "SELECT * FROM [gpu_bfs](" Q ", 1)",
        "SELECT * FROM `gpu_bfs`(" Q ", 1)",
        "SELECT * FROM main.gpu_bfs(" Q ", 1)",
        "SELECT * FROM gpu_mis(" Q ")",
        "SELECT * FROM gpu_mis((:q))",
        "SELECT * FROM gpu_path(" Q ", 1, 2)",
        "SELECT * FROM gpu_dfs(" Q ", 1) AS d WHERE d.ordered = 1",
        "SELECT * FROM gpu_sssp('SELECT alarm(), 2, 3', 1)",
        "SELECT gpugraph_triangles(" Q ")",
        "SELECT 1 + gpugraph_triangles ( :q ) * 2 AS n",
        "SELECT gpugraph_triangles(" Q ", json_array())",
        "SELECT gpugraph_triangles(:q, NULL)",
        "SELECT * FROM roads ORDER BY gpugraph_triangles(" Q ")",
        "VALUES (gpugraph_triangles(" Q "))",
        /* as a column */
        "SELECT * FROM gpu_bfs WHERE edges = " Q " AND source = 1",
        "SELECT * FROM gpu_bfs WHERE source = 1 AND edges = :q",
        "SELECT * FROM gpu_bfs() WHERE source = 1 AND edges == :q ORDER BY vertex LIMIT "
        "5",
        "SELECT * FROM gpu_bfs WHERE " Q " = edges AND source = 1",
        "SELECT * FROM gpu_bfs WHERE (edges = (" Q ")) AND (source = 1 AND 1)",
        "SELECT * FROM gpu_bfs WHERE EDGES = " Q
        " AND source = 1 AND depth BETWEEN 0 AND 9",
        "SELECT * FROM gpu_bfs WHERE depth BETWEEN 0 AND 9 AND edges = " Q
        " AND source = 1",
        "SELECT * FROM gpu_bfs b WHERE b.edges = " Q " AND b.source = 1",
        "SELECT * FROM gpu_bfs AS b WHERE b.edges = ? AND b.source = 1",
        "SELECT * FROM gpu_bfs AS \"a b\" WHERE \"a b\".\"edges\" = ? AND source = 1",
        "SELECT * FROM main.gpu_bfs WHERE gpu_bfs.edges = ? AND source = 1",
        "SELECT * FROM gpu_bfs WHERE edges IN (" Q ") AND source = 1",
        "SELECT * FROM gpu_bfs WHERE edges IN ('roads', :q) AND source = 1",
        "SELECT * FROM gpu_bfs WHERE edges IN (('roads'), (:q)) AND source = 1",
        "SELECT * FROM gpu_bfs WHERE (edges = 'roads' AND source = 2) OR "
        "(edges = " Q " AND source = 1)",
        "SELECT * FROM roads r, gpu_bfs b WHERE b.edges = :q AND b.source = r.src",
        "SELECT * FROM roads r JOIN gpu_bfs b ON b.edges = :q AND b.source = r.src",
        "SELECT * FROM roads r LEFT JOIN gpu_bfs b ON b.edges = :q AND b.source = r.src "
        "WHERE r.src = 1",
        "SELECT * FROM roads r JOIN gpu_bfs b ON b.edges = :q AND source = r.src "
        "JOIN roads x ON x.src = b.vertex, roads y",
        "SELECT * FROM roads r, gpu_bfs(" Q ", r.src) b WHERE r.src = 1",
        "SELECT * FROM (SELECT * FROM gpu_bfs(" Q ", 1))",
        "SELECT (SELECT count(*) FROM gpu_bfs(:q, r.src)) FROM roads r",
        "WITH a AS (SELECT * FROM gpu_bfs(" Q ", 1)) SELECT * FROM a",
        "SELECT 1 WHERE 2 IN (SELECT vertex FROM gpu_bfs(:q, 1))",
        "SELECT 1 UNION ALL SELECT vertex FROM gpu_bfs WHERE edges = :q AND source = 1",
        "SELECT vertex FROM gpu_bfs WHERE edges = " Q " AND source = 1 UNION SELECT 1",
        "SELECT * FROM gpu_mis('roads') WHERE vertices = 'SELECT alarm()'",
        "SELECT * FROM gpu_mis('roads') m WHERE m.vertices = :vertices",
        "SELECT * FROM gpu_mis('roads') m WHERE vertices IN (:vertices)",
        /* inside a query, and by functions of another author */
        "SELECT * FROM gpu_bfs('SELECT vertex, 3 FROM gpu_bfs(''SELECT alarm(), 2'', 1)',"
        " 1)",
        "SELECT evaluate('SELECT count(*) FROM gpu_bfs(''SELECT alarm(), 2'', 1)')",
        /* beside another author's query: the author of the statement has written the
        ** query */
        "SELECT * FROM evil, gpu_bfs(" Q ", 1)",
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        expect_own(own[i]);
    run("CREATE TABLE found AS SELECT * FROM gpu_bfs(" Q ", 1);"
        "INSERT INTO found SELECT * FROM gpu_bfs(" Q ", 1);"
        "UPDATE found SET depth = 0 FROM gpu_bfs b WHERE b.edges = " Q
        " AND b.source = 1 AND b.vertex = found.vertex;"
        "DELETE FROM found WHERE vertex IN (SELECT vertex FROM gpu_bfs(" Q ", 1))");
    expect("0", "SELECT count(*) FROM found");
}
END_TEST

START_TEST(nothing_else_is_a_query) {
    static const char *const refused[] = {
        "SELECT * FROM evil",
        "SELECT * FROM evil_scalar",
        "SELECT * FROM evil_vertices",
        "SELECT * FROM evil_compared",
        "SELECT n FROM relay",
        /* names */
        "SELECT \"SELECT alarm(), 2\" FROM named",
        "SELECT [SELECT alarm(), 2] FROM named",
        "SELECT 'SELECT alarm(), 2' FROM named",
        "SELECT vertex AS " Q " FROM evil",
        "SELECT vertex " Q " FROM evil",
        "SELECT * FROM \"SELECT alarm(), 2\"",
        "SELECT * FROM " Q,
        "SELECT * FROM main." Q,
        "SELECT * FROM evil " Q,
        "WITH gpu_bfs(" Q ") AS (SELECT 1) SELECT * FROM evil",
        "WITH x AS (SELECT 1), gpu_bfs(" Q ") AS NOT MATERIALIZED (SELECT 1) "
        "SELECT * FROM evil",
        "WITH gpu_bfs(edges) AS (SELECT 1) SELECT * FROM gpu_bfs, evil WHERE edges <> 2 "
        "OR "
        "edges = " Q,
        "WITH gpu_bfs(edges) AS (SELECT edges FROM stored) SELECT evil.* FROM gpu_bfs, "
        "evil "
        "WHERE edges = :q",
        "SELECT gpugraph_triangles(x.edges) FROM stored AS x WHERE x.edges = " Q,
        /* values for another function */
        "SELECT gpugraph_triangles(edges, " Q ") FROM stored",
        "SELECT gpugraph_triangles((SELECT edges FROM stored), :q)",
        "SELECT " Q ", n FROM relay",
        "SELECT n FROM relay WHERE edges = " Q,
        "SELECT n FROM relay WHERE edges = :q",
        "SELECT n FROM relay WHERE edges IN (:q)",
        "SELECT n FROM relay gpu_bfs WHERE gpu_bfs.edges = :q",
        "SELECT n FROM relay AS gpu_bfs WHERE edges = :q",
        "SELECT n FROM relay b WHERE b.edges = :q AND EXISTS (SELECT 1 FROM "
        "gpu_bfs('roads', 1) b)",
        "SELECT n FROM gpu_bfs b JOIN relay r ON r.edges = :q WHERE b.edges = 'roads' "
        "AND "
        "b.source = 1",
        "SELECT n FROM gpu_bfs b, relay r WHERE r.edges = :q AND b.edges = :roads AND "
        "source = 1",
        "SELECT (SELECT n FROM relay WHERE edges = :q) FROM gpu_bfs('roads', 1)",
        "SELECT n FROM gpu_bfs, (SELECT n, edges AS e FROM relay WHERE edges = :q) WHERE "
        "edges = 'roads' AND source = 1",
        "SELECT n FROM relay WHERE edges = (SELECT :q FROM gpu_bfs('roads', 1))",
        "SELECT n FROM relay WHERE name = 'it' AND gpugraph_triangles('roads') + :q = 0",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b WHERE +b.edges <> :q",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b WHERE b.edges = 'roads' OR :q",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b WHERE NOT b.edges = :q",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b WHERE NOT (b.edges = :q)",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b WHERE (b.edges = :q) = 0",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b WHERE b.edges = :q COLLATE nocase OR "
        "1",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b WHERE b.edges = :q || ''  OR 1",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b WHERE b.edges || :q = :q OR 1",
        "SELECT n FROM relay, gpu_bfs b WHERE b.source = 1 AND b.edges = 'roads' AND "
        "CASE "
        "WHEN 1 THEN 1 AND 2 WHEN b.edges AND b.edges = :q AND 1 THEN 2 ELSE 3 END",
        "SELECT n FROM relay, gpu_bfs b WHERE b.source = 1 AND b.edges = 'roads' AND "
        "(1 BETWEEN b.depth AND b.edges = :q OR 1)",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b ORDER BY b.edges = :q",
        "SELECT n, b.edges = :q FROM relay, gpu_bfs('roads', 1) b",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b GROUP BY b.vertex HAVING b.edges = "
        ":q "
        "OR 1",
        "SELECT count(*) FILTER (WHERE b.edges = :q), n FROM relay, gpu_bfs('roads', 1) "
        "b",
        "SELECT n FROM relay JOIN gpu_bfs b USING (edges) WHERE edges = :q AND source = "
        "1",
        /* the right text as another argument, or as an argument of another function */
        "SELECT n FROM relay LEFT JOIN gpu_bfs('roads', :q)",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b WHERE +b.source = :q OR 1",
        "SELECT n FROM relay, gpu_bfs('roads', 1) b WHERE b.vertices = NULL AND "
        "(+b.vertices = :q OR 1)",
        "SELECT vertex FROM evil_vertices, (SELECT gpugraph_triangles('SELECT 1, 2')) "
        "WHERE 'SELECT alarm()' <> ''",
        /* computed */
        "SELECT * FROM gpu_bfs('SELECT alarm()' || ', 2', 1)",
        "SELECT * FROM gpu_bfs(" Q " || '', 1)",
        "SELECT * FROM gpu_bfs(+" Q ", 1)",
        "SELECT * FROM gpu_bfs(:q || '', 1)",
        "SELECT * FROM gpu_bfs(CAST(" Q " AS TEXT), 1)",
        "SELECT * FROM gpu_bfs(CASE WHEN 1 THEN " Q " END, 1)",
        "SELECT * FROM gpu_bfs((SELECT " Q "), 1)",
        "SELECT * FROM gpu_bfs(coalesce(" Q ", 'x'), 1)",
        "SELECT * FROM gpu_bfs(\"SELECT alarm(), 2\", 1)",
        "SELECT * FROM gpu_bfs(CAST(x'53454c45435420616c61726d28292c2032' AS TEXT), 1)",
        "SELECT * FROM gpu_bfs WHERE edges = \"SELECT alarm(), 2\" AND source = 1",
        "SELECT * FROM gpu_bfs WHERE (edges, source) = (" Q ", 1)",
        "SELECT * FROM gpu_bfs WHERE edges IN (SELECT " Q ") AND source = 1",
        "SELECT * FROM gpu_bfs WHERE edges IN (" Q " || '') AND source = 1",
        "WITH q(t) AS (VALUES (" Q ")) SELECT b.* FROM q, gpu_bfs(q.t, 1) b",
        "SELECT b.* FROM stored s, gpu_bfs(s.edges, 1) b WHERE s.edges = " Q,
        /* comments, and texts that begin like statements of this extension */
        "SELECT * FROM evil -- gpu_bfs(" Q ", 1)",
        "SELECT * /* gpu_bfs(" Q ", 1) */ FROM evil",
        "/* gpugraph */ SELECT * FROM evil",
        "/* gpugraph */ SELECT gpugraph_triangles(edges) FROM stored WHERE edges = " Q,
        "SELECT ' gpu_bfs('" Q "', 1)' FROM evil",
        "SELECT 'gpu_bfs('''||" Q "||''', 1)' FROM evil",
        /* triggers */
        "INSERT INTO inbox VALUES (" Q ", NULL)",
        "INSERT INTO inbox VALUES (:q, :q)",
        "INSERT INTO inbox(x, edges) SELECT :q, edges FROM gpu_bfs('roads', 1) WHERE "
        "edges "
        "= 'roads'",
        "INSERT INTO outbox VALUES (:q, 1)",
        "INSERT INTO inbox AS gpu_bfs VALUES (:q, 1)",
        /* functions of another author */
        "SELECT evaluate('SELECT * FROM evil')",
        "SELECT evaluate('SELECT n FROM relay'), " Q,
        "SELECT evaluate('SELECT n FROM relay WHERE edges = ''SELECT alarm(), 2''')",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_refused(refused[i]);
    run("DROP TRIGGER inbox_read; INSERT INTO inbox VALUES ('SELECT alarm(), 2', 1)");
    expect_refused("UPDATE inbox SET x = :q WHERE edges = 1");
    expect_refused("DELETE FROM inbox WHERE x = :q");
    expect_refused("DELETE FROM inbox AS gpu_bfs WHERE gpu_bfs.x = :q");
    int rows;
    alarms = 0;
    ck_assert_str_eq(attempt("EXPLAIN SELECT * FROM gpu_bfs(:q, 1)", &rows), "");
    ck_assert_str_eq(attempt("EXPLAIN QUERY PLAN SELECT * FROM gpu_bfs(:q, 1)", &rows),
                     "");
    ck_assert_int_eq(alarms, 0);
}
END_TEST

/* Tables may have the name of a function, and columns that of a query. */
START_TEST(tables_with_the_names_of_functions) {
    run("CREATE TABLE gpugraph_triangles(x, edges, " Q ");"
        "INSERT INTO gpugraph_triangles VALUES (1, " Q ", 1);"
        "CREATE TRIGGER t AFTER DELETE ON gpugraph_triangles BEGIN"
        " INSERT INTO log SELECT gpugraph_triangles(old.edges); END;"
        "CREATE TRIGGER u AFTER UPDATE ON gpugraph_triangles BEGIN"
        " INSERT INTO log SELECT gpugraph_triangles(new.edges); END;"
        "CREATE TRIGGER i AFTER INSERT ON gpugraph_triangles BEGIN"
        " INSERT INTO log SELECT gpugraph_triangles('SELECT alarm(), 2'); END");
    expect_refused("INSERT INTO gpugraph_triangles(" Q ") VALUES (1)");
    expect_refused("INSERT INTO main.gpugraph_triangles(" Q ") SELECT src FROM roads");
    expect_refused("INSERT INTO stored SELECT 1, 2, gpugraph_triangles(edges) FROM "
                   "stored WHERE edges = :q");
    expect_refused("DELETE FROM gpugraph_triangles WHERE edges = :q");
    expect_refused("UPDATE gpugraph_triangles SET edges = :q WHERE edges = :q");
    expect_refused("UPDATE gpugraph_triangles AS gpu_bfs SET x = 2 WHERE edges = " Q);
    expect_refused("INSERT INTO gpugraph_triangles(edges) SELECT vertex FROM gpu_bfs b "
                   "WHERE b.edges = 'roads' AND source = 1 ON CONFLICT DO UPDATE SET "
                   "edges = :q AND edges = :q WHERE edges = :q");
}
END_TEST

/* ---- at random ---- */

/* One part of a statement, chosen from several. "~" stands for the query: a literal or a
** parameter. */
typedef struct choice {
    const char *text;
    bool own;
} choice;

#define PICK(list) list[draw(sizeof list / sizeof *list)]

static const choice tables[] = {
    {"gpu_bfs(~, 1) AS f", true},
    {"gpu_bfs /* ( */ ((~), 1) f", true},
    {"\"gpu_bfs\"(~, 1) f", true},
    {"(SELECT * FROM gpu_bfs(~, 1)) f", true},
    {"(SELECT * FROM gpu_bfs WHERE edges = ~ AND source = 1) f", true},
    {"gpu_bfs('roads', 1) f", false},
    {"gpu_bfs('roads', ~) f", false},
    {"gpu_bfs((SELECT 'ro' || 'ads'), 1) f", false},
    {"(SELECT *, ~ AS edges FROM gpu_bfs('roads', 1)) f", false},
    {"(SELECT *, ~ FROM gpu_bfs('roads', 1)) AS f", false},
    {"roads AS f", false},
    {"stored f", false},
};
static const choice conditions[] = {
    {"1", false},
    {"edges = ~", false}, /* a column of any table */
    {"s.edges = ~", false},
    {"~ = s.edges", false},
    {"s.edges IN ('x', ~)", false},
    {"(s.edges) = (~)", false},
    {"s.name <> ~", false},
    {"s.edges BETWEEN '' AND s.edges = ~", false},
    {"CASE WHEN s.edges = ~ THEN 1 ELSE 2 END", false},
    {"EXISTS (SELECT 1 FROM stored AS gpu_bfs WHERE gpu_bfs.edges = ~)", false},
    {"EXISTS (SELECT 1 FROM stored WHERE edges = ~ AND name = 'it')", false},
    {"2 IN (SELECT vertex FROM gpu_bfs(~, 1))", true},
    {"EXISTS (SELECT 1 FROM gpu_bfs g WHERE g.edges = ~ AND g.source = 1)", true},
    {"EXISTS (SELECT 1 FROM roads r JOIN gpu_bfs ON edges IN (~) AND source = r.src)",
     true},
};
static const char *const attackers[] = {
    "relay s",
    "relay AS s JOIN evil",
    "relay s, evil AS gpu_bfs",
    "evil NATURAL JOIN relay s",
};
static const char *const columns[] = {
    "*",
    "s.n",
    "s.n, ~",
    "~ AS x, s.n",
    "s.n AS ~",
    "s.n, s.edges = ~",
    "count(*), s.n",
    "s.n, 'gpu_bfs(' || ~ || ', 1)'",
};
static const char *const prefixes[] = {
    "",
    "",
    "/* gpugraph */ ",
    "WITH gpu_mis(edges) AS (SELECT ~) ",
    "-- gpu_bfs(~, 1)\n",
    "WITH q AS (SELECT ~ AS edges) ",
};

/* Puts the query in the place of each "~". */
static char *filled(const char *text, const char *with) {
    sqlite3_str *made = sqlite3_str_new(db);
    for (; *text; text++)
        if (*text == '~')
            sqlite3_str_appendall(made, with);
        else
            sqlite3_str_append(made, text, 1);
    return sqlite3_str_finish(made);
}

static char *random_statement(bool *own) {
    const choice table = PICK(tables), one = PICK(conditions), two = PICK(conditions);
    char *plan = sqlite3_mprintf(
        "%sSELECT %s FROM %s%s%s WHERE %s %s %s%s", PICK(prefixes), PICK(columns),
        draw(2) ? PICK(attackers) : table.text, draw(2) ? ", " : " JOIN ", "%", one.text,
        draw(2) ? "AND" : "OR", two.text, draw(3) ? "" : " ORDER BY s.edges = ~");
    bool table_first = strstr(plan, table.text) != NULL;
    char *at = strstr(plan, "%"), *rest = sqlite3_mprintf("%s", at + 1);
    *at = 0;
    char *whole =
        sqlite3_mprintf("%s%s%s", plan, table_first ? PICK(attackers) : table.text, rest);
    *own = table.own || one.own || two.own;
    static const char *const forms[] = {"'SELECT alarm(), 2'", "'SELECT alarm(), 2'",
                                        ":q", "?"};
    char *sql = filled(whole, PICK(forms));
    sqlite3_free(plan);
    sqlite3_free(rest);
    sqlite3_free(whole);
    return sql;
}

START_TEST(random_statements) {
    int ran = 0, refused = 0, rows;
    for (unsigned seed = 0; seed < 12000; seed++) {
        if (left_out(seed))
            continue;
        luck = seed;
        bool own;
        char *sql = random_statement(&own);
        alarms = 0;
        const char *error = attempt(sql, &rows);
        bool refuses = strstr(error, refusal) != NULL;
        if (!own)
            ck_assert_msg(alarms == 0, "seed %u: %s: %d alarms, %s", seed, sql, alarms,
                          error);
        else
            ck_assert_msg(!refuses, "seed %u: %s: %s", seed, sql, error);
        ran += own && alarms > 0;
        refused += refuses;
        sqlite3_free(sql);
    }
    ck_assert_msg(ran > 5 && refused > 5, "%d ran, %d refused", ran, refused);
}
END_TEST

/* Searches random texts, and binds parameters by another random text. */
START_TEST(random_texts) {
    static const char *const pieces[] = {
        "FROM",     "WHERE",
        "(",        ")",
        ",",        "=",
        "gpu_bfs",  "edges",
        "'q'",      "\"q\"",
        ".",        "AND",
        "OR",       "BETWEEN",
        "CASE",     "JOIN",
        "LEFT",     "ON",
        "USING",    "AS",
        "IN",       "SELECT",
        "WITH",     ":q",
        "?",        "$a::b(c",
        ":a(b)",    "'q",
        "[q",       "/*",
        "--",       "\n",
        "q",        "\xEF\xBB\xBF",
        "NOT",      "INDEXED",
        "NATURAL",  "zeroblob(3)",
        "x'00'",    "NULL",
        "-1.5e+20", "Inf",
    };
    for (unsigned seed = 0; seed < 40000; seed++) {
        char text[2][400] = {"", ""};
        luck = seed;
        for (int k = 0; k < 2; k++)
            for (int i = draw(24); i > 0; i--)
                strcat(strcat(text[k], PICK(pieces)), draw(4) ? " " : "");
        sql_list list;
        ck_assert(sql_list_make(&list, text[0]));
        query_stands_in(&list, &(struct query){"q", "gpu_bfs", "edges"});
        sql_list_bind(&list, text[1]);
        query_stands_in(&list, &(struct query){"q", "gpu_bfs", "vertices"});
        sql_list_clear(&list);
    }
}
END_TEST

const struct suite suite = {
    "query_origin",
    {{"statements", .setup = setup, .teardown = sql_close,
      .cases = {{&a_statement_has_queries_of_its_own},
                {&nothing_else_is_a_query},
                {&tables_with_the_names_of_functions},
                {&random_statements},
                {&random_texts}}}},
};
