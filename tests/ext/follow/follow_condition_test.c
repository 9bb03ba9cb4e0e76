/* The option where = '...' of followed graphs: rows that the condition excludes are no
** edges and add no vertices, in all ways to read, keep, check and query a graph. */
/* ctest: serial gaps */
#include "gpugraph_extension.h"
#include "sql.h"
#include "suite.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const tables[] = {
    "CREATE TABLE roads(a, b, metres, open, \"kind of\" COLLATE NOCASE)",
    "CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres, open INTEGER, \"kind of\" "
    "TEXT COLLATE NOCASE, \"end\", UNIQUE(a, b, open))",
    "CREATE TABLE roads(a, b, metres, open, \"kind of\" COLLATE NOCASE, PRIMARY KEY(a, "
    "b)) "
    "WITHOUT ROWID",
};

/* The condition, and an equal condition in the SQL of a test. */
static const char *const conditions[] = {
    "open = 1",
    "open",
    "\"kind of\" = 'PATH' -- of whatever case",
    "open IS NOT NULL AND \"kind of\" NOT IN ('track', 'path') OR metres > 4",
    "CASE WHEN open THEN metres < 5 ELSE \"kind of\" GLOB 'p*' END",
    "length(\"kind of\") BETWEEN 4 AND 5 AND abs(metres) + 1.5 > 2",
};

static char condition[200];

static void make(const char *table, const char *where, const char *options) {
    run("%s; INSERT INTO roads(a, b, metres, open, \"kind of\") VALUES (1, 2, 5, 1, "
        "'path'), (2, 3, 7, 0, 'Path'), (3, 4, 1, '1', 'track'), ('x', 1, 2, NULL, "
        "'street')",
        table);
    char *quoted = sqlite3_mprintf("%Q", where);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), where = %s%s)",
        quoted, options);
    sqlite3_free(quoted);
    snprintf(condition, sizeof condition, "%s\n", where);
}

static void same(const char *on_graph, const char *graph, const char *on_table,
                 const char *table, const char *where) {
    char *first = sqlite3_mprintf(on_graph, graph),
         *second = sqlite3_mprintf(on_table, table, where, table, where);
    expect_same(first, second);
    sqlite3_free(first);
    sqlite3_free(second);
}

static void looks(const char *graph, const char *table, const char *where) {
    same("SELECT src, dst, weight * 1.0 FROM %s ORDER BY 1, 2, 3", graph,
         "SELECT a, b, metres * 1.0 FROM %s WHERE (%s) ORDER BY 1, 2, 3", table, where);
    same("SELECT vertex FROM gpu_dfs('%s') ORDER BY 1", graph,
         "SELECT a FROM %s WHERE (%s) UNION SELECT b FROM %s WHERE (%s) ORDER BY 1",
         table, where);
    same("SELECT dst FROM %s WHERE src = 2 ORDER BY 1", graph,
         "SELECT b FROM %s WHERE (%s) AND a = 2 ORDER BY 1", table, where);
    expect("'ok'", "SELECT gpugraph_check('%q')", graph);
}

static const char *const changes[] = {
    "UPDATE roads SET open = 1 WHERE a = 2",
    "UPDATE roads SET open = NULL WHERE a = 1",
    "UPDATE roads SET open = 1 - open",
    "UPDATE roads SET \"kind of\" = 'pATh' WHERE open",
    "INSERT INTO roads(a, b, metres, open, \"kind of\") VALUES (7, 8, 1, 0, 'track'), "
    "(8, 9, "
    "6, 1, 'path')",
    "INSERT OR REPLACE INTO roads(a, b, metres, open, \"kind of\") VALUES (7, 8, 1, 1, "
    "'PATH')",
    "UPDATE roads SET metres = metres + 3",
    "DELETE FROM roads WHERE open",
};

START_TEST(rows_come_and_go) {
    const int count = sizeof conditions / sizeof *conditions;
    sql_open();
    make(tables[_i / count], conditions[_i % count], "");
    looks("g", "roads", condition);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run("SAVEPOINT s; %s", changes[i]);
        looks("g", "roads", condition);
        run("ROLLBACK TO s");
        looks("g", "roads", condition);
        run("%s; RELEASE s", changes[i]);
        looks("g", "roads", condition);
    }
    sql_close();
}
END_TEST

/* Rows that the condition excludes may have any values. */
START_TEST(what_is_left_out_is_not_looked_at) {
    sql_open();
    make(tables[0], "open = 1", "");
    run("INSERT INTO roads VALUES (2.5, x'00', 'heavy', 0, ''), (NULL, 99, -1, 0, '')");
    looks("g", "roads", condition);
    expect("0", "SELECT count(*) FROM gpu_bfs('g', 99)");
    run("UPDATE roads SET open = 1 WHERE b = 99");
    expect("1", "SELECT count(*) FROM gpu_bfs('g', 99)");
    run("UPDATE roads SET open = 0 WHERE b = 99");
    expect("0", "SELECT count(*) FROM gpu_bfs('g', 99)");
    run("UPDATE roads SET open = 1 WHERE a = 2.5");
    char *said = ask("SELECT * FROM gpu_bfs('g', 1)");
    ck_assert_msg(strncmp(said, "error", 5) == 0, "%s", said);
    sqlite3_free(said);
    run("UPDATE roads SET open = NULL WHERE a = 2.5");
    looks("g", "roads", condition);
    /* A REAL weight that is left out makes no distance REAL. */
    run("INSERT INTO roads VALUES (50, 51, 1.5, 0, ''), (51, 52, 2, 1, '')");
    expect("51|0;52|2", "SELECT vertex, distance FROM gpu_sssp('g', 51)");
    run("UPDATE roads SET open = 1 WHERE a = 50");
    expect("51|0.0;52|2.0", "SELECT vertex, distance FROM gpu_sssp('g', 51)");
    run("UPDATE roads SET open = 0 WHERE a = 50");
    expect("51|0;52|2", "SELECT vertex, distance FROM gpu_sssp('g', 51)");
    expect("1", "SELECT gpugraph_delete_vertex('g', 52)");
    run("INSERT INTO roads VALUES (60, 61, 1, 0, ''), (60, 62, 1, 1, '')");
    expect("1", "SELECT gpugraph_delete_vertex('g', 60)");
    expect("61", "SELECT b FROM roads WHERE a = 60");
    sql_close();
}
END_TEST

START_TEST(names_change) {
    char file[64];
    snprintf(file, sizeof file, "/tmp/gpugraph-follow-condition-%d.db", (int)getpid());
    unlink(file);
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    run("PRAGMA synchronous = off");
    make(tables[_i], "open = 1 AND \"kind of\" <> 'open'", ", persist = 1");
    looks("g", "roads", condition);
    run("ALTER TABLE roads RENAME COLUMN open TO \"closed or not\"");
    looks("g", "roads", "\"closed or not\" = 1 AND \"kind of\" <> 'open'");
    run("ALTER TABLE roads RENAME COLUMN \"kind of\" TO open; ALTER TABLE roads RENAME "
        "TO "
        "streets; ALTER TABLE g RENAME TO h");
    looks("h", "streets", "\"closed or not\" = 1 AND open <> 'open'");
    run("UPDATE streets SET \"closed or not\" = 1");
    looks("h", "streets", "\"closed or not\" = 1 AND open <> 'open'");
    if (_i < 2)
        expect("1", "SELECT gpugraph_save('h') > 0");
    sql_close();
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    looks("h", "streets", "\"closed or not\" = 1 AND open <> 'open'");
    char *said = ask("ALTER TABLE streets DROP COLUMN open");
    ck_assert_msg(strstr(said, "h_moved") != NULL, "%s", said);
    sqlite3_free(said);
    run("DROP TRIGGER h_moved");
    expect("1", "SELECT state LIKE '%%h_moved%%' OR state LIKE '%%no such column%%' FROM "
                "gpugraph_graphs");
    run("DROP TABLE h");
    expect("'streets'",
           "SELECT group_concat(name) FROM sqlite_schema WHERE type <> 'index'");
    sql_close();
    unlink(file);
}
END_TEST

static const struct {
    const char *where, *why;
} refused[] = {
    {"random() > 0", "function of one row: random"},
    {"open = (SELECT 1)", "subqueries"},
    {"EXISTS (SELECT 1)", "subqueries"},
    {"a IN roads", "subqueries"},
    {"max(a) > 1", "aggregate"},
    {"count(*) > 1", "count"},
    {"open = ?1", "parameters"},
    {"open = :x", "parameters"},
    {"row_number() OVER () = 1", "row_number"},
    {"gpugraph_version() = ''", "not SQLite's own: gpugraph_version"},
    {"foreign_function(a)", "not SQLite's own: foreign_function"},
    {"\"foreign_function\"(a)", "not SQLite's own: foreign_function"},
    {"upper(a) = 'X'", "not SQLite's own: upper"},
    {"a REGEXP 'x'", "not SQLite's own: REGEXP"},
    {"a MATCH 'x'", "not SQLite's own: match"},
    {"a LIKE 'x%'", "use GLOB"},
    {"a NOT LIKE 'x%' ESCAPE '!'", "use GLOB"},
    {"\"like\"('x%', a)", "use GLOB"},
    {"date(a) > '2020'", "time: date"},
    {"\"date\"('now') > a", "time: date"},
    {"[strftime]('%Y', 'now') > a", "time: strftime"},
    {"a > CURRENT_TIMESTAMP", "current_timestamp"},
    {"opened = 1", "no such column: opened"},
    {"rowid = 1", "no such column: rowid"},
    {"_rowid_ = 1", "no such column: _rowid_"},
    {"roads.open = 1", "roads.open"},
    {"main.roads.open = 1", "main.roads.open"},
    {"row.open = 1", "operator"},
    {"open = 1) OR (1", "syntax"},
    {"open = 1 THEN 1 WHEN open", "syntax"},
    {"open = 1; DROP TABLE roads", "syntax"},
    {"open = 'x", "unrecognized"},
    {"open = 1)", "syntax"},
    {"open /* = 1", "incomplete"},
    {"", "syntax"},
    {"open =", "syntax"},
    {"open = 1, a", "row value"},
    {"a COLLATE other = 1", "collation"},
    {"a COLLATE backwards = 1", "collation"},
    {"signed = 'x'", "collation"},
    {"load_extension('x')", "load_extension"},
    {"changes() > 1", "changes"},
    {"sqlite_version() > ''", "sqlite_version"},
    {"\"text\" = a", "no such column: "},
};

static int calls;
static void evil(sqlite3_context *context, int argc, sqlite3_value **argv) {
    (void)argc, (void)argv;
    calls++;
    sqlite3_result_int(context, 1);
}

static int backwards(void *unused, int n, const void *a, int m, const void *b) {
    (void)unused, (void)n, (void)m;
    return memcmp(b, a, 1);
}

/* Functions and a collation of an application, some under names that SQLite uses, too. */
static void add_functions(void) {
    static const char *const names[] = {"foreign_function", "upper", "regexp", "match"};
    for (int i = 0; i < 4; i++)
        for (int arguments = 1; arguments <= 2; arguments++)
            sqlite3_create_function(db, names[i], arguments,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, evil, NULL,
                                    NULL);
    sqlite3_create_collation(db, "backwards", SQLITE_UTF8, NULL, backwards);
}

START_TEST(conditions_are_refused) {
    sql_open();
    add_functions();
    run("CREATE TABLE roads(a, b, open, signed COLLATE backwards)");
    char *said = ask("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b), where = %Q)",
                     refused[_i].where);
    ck_assert_msg(strstr(said, "error: gpugraph: the condition") == said &&
                      strstr(said, refused[_i].why) != NULL,
                  "%s: %s", refused[_i].where, said);
    sqlite3_free(said);
    expect("'roads'", "SELECT group_concat(name) FROM sqlite_schema");
    sql_close();
}
END_TEST

/* A condition in a file cannot call functions that the file may not call. */
START_TEST(a_foreign_condition_is_checked) {
    sql_open();
    calls = 0;
    sqlite3_create_function(db, "evil", 0,
                            SQLITE_UTF8 | SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC, NULL,
                            evil, NULL, NULL);
    make(tables[0], "open = 1", "");
    static const char *const foreign[] = {
        "UPDATE sqlite_schema SET sql = replace(sql, 'AND (open = 1', 'AND (evil()')",
        "UPDATE sqlite_schema SET sql = replace(sql, 'AND (open = 1', 'AND (1 IN (SELECT "
        "evil())')",
        "UPDATE sqlite_schema SET sql = replace(sql, 'open = 1', 'evil()') WHERE name = "
        "'g'; "
        "DELETE FROM sqlite_schema WHERE type = 'trigger'"};
    char *before = ask("SELECT group_concat(sql, ';') FROM sqlite_schema");
    ck_assert_ptr_nonnull(strstr(before, "AND (open = 1"));
    sqlite3_free(before);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    run("PRAGMA writable_schema = on; %s; PRAGMA writable_schema = reset", foreign[_i]);
    char *said = ask("SELECT * FROM gpu_bfs('g', 1)");
    ck_assert_msg(strstr(said, "the condition") != NULL, "%s", said);
    sqlite3_free(said);
    sqlite3_free(ask("SELECT * FROM g"));
    sqlite3_free(ask("SELECT gpugraph_check('g')"));
    sqlite3_free(ask("SELECT state FROM gpugraph_graphs"));
    ck_assert_int_eq(calls, 0);
    sql_close();
}
END_TEST

/* Names of operators and constants, which SQLite takes for columns if a table has such
** columns; keywords; names in the extension's own SQL. */
static const char *const odd_names[] = {"match", "like", "glob",    "regexp",  "true",
                                        "false", "end",  "column1", "row",     "c2",
                                        "x",     "e",    "\"new\"", "\"from\""};

START_TEST(columns_with_odd_names) {
    const char *name = odd_names[_i];
    char written[120];
    snprintf(written, sizeof written, "%s = 1 AND 'a' GLOB 'a' AND b <> x'00'", name);
    sql_open();
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres, %s)", name);
    run("INSERT INTO roads(a, b, metres, %s) VALUES (1, 2, 3, 1), (2, 3, 4, 0), (3, 4, "
        "5, "
        "1)",
        name);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), where = %Q)",
        written);
    looks("g", "roads", written);
    run("UPDATE roads SET b = b + 1");
    looks("g", "roads", written);
    run("UPDATE roads SET id = id + 10, %s = 1 WHERE a = 2", name);
    looks("g", "roads", written);
    run("ALTER TABLE roads RENAME COLUMN %s TO renamed", name);
    run("UPDATE roads SET renamed = 0 WHERE a = 3");
    looks("g", "roads", "renamed = 1 AND b <> x'00'");
    run("ALTER TABLE roads RENAME COLUMN renamed TO true; ALTER TABLE g RENAME TO h");
    run("UPDATE roads SET id = id + 10, true = 0 WHERE a = 1");
    looks("h", "roads", "true = 1");
    run("DROP TABLE h; UPDATE roads SET b = 3");
    sql_close();
}
END_TEST

static void change_schema(const char *from, const char *to) {
    char *before = ask("SELECT group_concat(sql, ';') FROM sqlite_schema");
    ck_assert_msg(strstr(before, from) != NULL, "%s", before);
    sqlite3_free(before);
    run("PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = replace(sql, %Q, "
        "%Q); "
        "PRAGMA writable_schema = reset",
        from, to);
}

/* A graph with a condition that another version accepted: queries are refused, writers
** continue, and the graph can be dropped. */
START_TEST(a_stored_condition_is_refused) {
    sql_open();
    make(tables[1], "open GLOB 1", "");
    change_schema("open GLOB 1", "open LIKE 1");
    static const char *const uses[] = {
        "SELECT * FROM g", "SELECT * FROM gpu_bfs('g', 1)", "SELECT gpugraph_check('g')",
        "SELECT gpugraph_delete_vertex('g', 1)", "ALTER TABLE g RENAME TO h"};
    for (int i = 0; i < 5; i++) {
        char *said = ask("%s", uses[i]);
        ck_assert_msg(strncmp(said, "error", 5) == 0 && strstr(said, "use GLOB"),
                      "%s: %s", uses[i], said);
        sqlite3_free(said);
    }
    run("UPDATE roads SET id = id + 10");
    run("DROP TABLE g");
    expect("'roads'",
           "SELECT group_concat(name) FROM sqlite_schema WHERE type <> 'index'");
    sql_close();
}
END_TEST

/* If the trigger's condition has another form, the graph uses that of its arguments. */
START_TEST(a_trigger_of_another_form) {
    sql_open();
    make(tables[1], "open = 1", "");
    change_schema("FROM \"roads\" WHERE 0 AND (open = 1", "WHERE (new.\"open\" = 1");
    same("SELECT src, dst FROM %s ORDER BY 1, 2", "g",
         "SELECT a, b FROM %s WHERE (%s) ORDER BY 1, 2", "roads", condition);
    expect("1", "SELECT max(state LIKE '%%g_moved%%create it again') FROM "
                "gpugraph_graphs");
    sql_close();
}
END_TEST

const struct suite suite = {
    "follow_condition",
    {{"condition", .timeout = 60,
      .cases = {{&rows_come_and_go, 3 * sizeof conditions / sizeof *conditions},
                {&what_is_left_out_is_not_looked_at},
                {&names_change, 3},
                {&conditions_are_refused, sizeof refused / sizeof *refused},
                {&a_foreign_condition_is_checked, 3},
                {&columns_with_odd_names, sizeof odd_names / sizeof *odd_names},
                {&a_stored_condition_is_refused},
                {&a_trigger_of_another_form}}}},
};
