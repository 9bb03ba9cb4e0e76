/* A connection's authorizer may deny or hide columns of a table. A followed graph then
** gives this connection the rows that the table gives. The test covers graphs in memory,
** in the file, and graphs that other connections have loaded. */
#include "database_file.h"
#include "base/ext_limits.h"
#include "load/loader.h"
#include "pages/reader.h"
#include "suite.h"
#include "share.h"

static struct {
    int answer;
    const char *column; /* NULL: the whole table */
} rule;

static int decide(void *unused, int action, const char *table, const char *column,
                  const char *schema, const char *trigger) {
    (void)unused, (void)schema, (void)trigger;
    if (action != SQLITE_READ || sqlite3_stricmp(table, "roads") != 0 ||
        (rule.column && sqlite3_stricmp(column, rule.column) != 0))
        return SQLITE_OK;
    return rule.answer;
}

/* Queries of a graph; from SEARCHES on, searches of any edges. */
static const char *const uses[] = {
    "SELECT src, dst, edge FROM %s ORDER BY edge",
    "SELECT dst FROM %s WHERE src = 1 ORDER BY dst",
    "SELECT src FROM %s WHERE src = 1 AND dst = 2",
    "SELECT src, weight FROM %s WHERE edge = 2",
    "SELECT dst FROM %s WHERE src IN (1, 2) ORDER BY dst",
    "SELECT vertex, depth, edge FROM gpu_bfs('%s', 1) ORDER BY vertex",
    "SELECT vertex, distance FROM gpu_sssp('%s', 1) ORDER BY vertex",
    "SELECT vertex, cost FROM gpu_path('%s', 1, 4)",
    "SELECT vertex FROM gpu_dfs('%s') ORDER BY vertex",
    "SELECT vertex FROM gpu_mis('%s') ORDER BY vertex",
    "SELECT vertex, component FROM gpu_components('%s') ORDER BY vertex",
    "SELECT source, target, distance FROM gpu_matrix('%s', '[1, 2]') ORDER BY 1, 2",
    "SELECT vertex FROM gpu_bfs('small(a, b)', 1) WHERE vertices = '%s(a)' ORDER BY 1",
    "SELECT gpugraph_triangles('%s')",
};
enum { USES = sizeof uses / sizeof *uses, SEARCHES = 5, VERTICES = 12 };

static const char *const options[] = {"", ", persist = 1", ", where = 'open = 1'",
                                      ", where = 'open = 1', persist = 1"};
static const struct {
    int answer;
    const char *column;
} rules[] = {{SQLITE_DENY, NULL},     {SQLITE_IGNORE, NULL},     {SQLITE_DENY, "b"},
             {SQLITE_IGNORE, "b"},    {SQLITE_DENY, "id"},       {SQLITE_DENY, "metres"},
             {SQLITE_IGNORE, "open"}, {SQLITE_IGNORE, "metres"}, {SQLITE_DENY, "open"}};
enum { OPTIONS = sizeof options / sizeof *options, RULES = sizeof rules / sizeof *rules };

static void set_rule(int i) {
    rule.answer = i < 0 ? SQLITE_OK : rules[i].answer;
    rule.column = i < 0 ? NULL : rules[i].column;
}

static void setup(void) {
    database_make_folder();
    ext_limits.graph_named_from = ext_limits.page_settled_ms = 0;
    set_rule(-1);
}

/* g has the options; h follows equal rows and is not saved. */
static void make(const char *option) {
    bool condition = strstr(option, "where") != NULL;
    database_open("");
    run("CREATE TABLE roads(id INTEGER PRIMARY KEY, a, b, metres, open); INSERT INTO "
        "roads(a, b, metres, open) VALUES (1, 2, 3, 1), (2, 3, 4, 1), (3, 4, 5, 1), (4, "
        "2, "
        "1, 1), (1, 9, 7, 0); CREATE TABLE small(a, b); INSERT INTO small VALUES (1, 2)");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres)%s)", option);
    run("CREATE VIRTUAL TABLE h USING gpugraph(roads(a, b, metres)%s)",
        condition ? ", where = 'open = 1'" : "");
}

/* The answer of a new connection, which has no graph in memory. */
static char *ask_fresh(const char *use, const char *edges) {
    sqlite3 *fresh = database_connect("");
    char *sql = sqlite3_mprintf(use, edges);
    sqlite3_set_authorizer(fresh, decide, NULL);
    char *rows = ask_in(fresh, sql);
    sqlite3_free(sql);
    sqlite3_close(fresh);
    return rows;
}

/* Two errors count as equal, because their messages name different edges and columns. */
static bool same_answer(const char *a, const char *b) {
    bool refused = strncmp(a, "error", 5) == 0;
    return refused ? strncmp(b, "error", 5) == 0 : strcmp(a, b) == 0;
}

static void agrees(const char *use, const char *edges, const char *otherwise,
                   bool refused) {
    char *got = ask(use, edges), *want = ask_fresh(use, otherwise);
    ck_assert_msg(same_answer(want, got), "%s of %s:\n%s\nof %s:\n%s", use, edges, got,
                  otherwise, want);
    ck_assert_msg(!refused || strstr(got, "prohibited"), "%s: %s", use, got);
    sqlite3_free(got);
    sqlite3_free(want);
}

static void all_agree(const char *option, int i) {
    bool plain = !strstr(option, "where"),
         refused = i >= 0 && rules[i].answer == SQLITE_DENY &&
                   (!rules[i].column || strcmp(rules[i].column, "b") == 0);
    for (int use = 0; use < USES; use++) {
        if (use != VERTICES)
            agrees(uses[use], "g", "h", refused);
        if (use >= SEARCHES && use != VERTICES && plain)
            agrees(uses[use], "g", "roads(a, b, metres)", refused);
        if (use == VERTICES)
            agrees(uses[use], "roads", "roads", refused && !rules[i].column);
        if (use >= SEARCHES && use != VERTICES) /* the graph that is kept for a table */
            agrees(uses[use], "roads(a, b, metres)", "roads(a, b, metres)", refused);
    }
}

/* A connection with the right to write makes the change. */
static void add_row(void) {
    sqlite3 *writer = database_connect("");
    ck_assert_int_eq(
        sqlite3_exec(writer, "INSERT INTO roads(a, b, metres, open) VALUES (4, 5, 6, 1)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(writer);
}

static void load_all(sqlite3 *c) {
    for (int use = 0; use < USES; use++) {
        char *sql = sqlite3_mprintf(uses[use], use == VERTICES ? "roads" : "g");
        sqlite3_free(ask_in(c, sql));
        sqlite3_free(sql);
    }
}

/* The authorizer is set once and changes its answers, or it is set before each check and
** removed after it. */
START_TEST(test_loaded_before) {
    const char *option = options[_i % OPTIONS];
    bool comes = _i / OPTIONS;
    make(option);
    if (!comes)
        sqlite3_set_authorizer(db, decide, NULL);
    for (int i = 0; i < RULES; i++) {
        if (left_out_of((uint64_t)(i + _i), 3))
            continue;
        set_rule(-1);
        load_all(db);
        set_rule(i);
        if (comes)
            sqlite3_set_authorizer(db, decide, NULL);
        all_agree(option, i);
        add_row();
        all_agree(option, i);
        if (comes)
            sqlite3_set_authorizer(db, NULL, NULL);
    }
    set_rule(-1);
    all_agree(option, -1);
    sql_close();
    database_remove_folder();
}
END_TEST

START_TEST(test_loaded_by_others) {
    const char *option = options[_i % OPTIONS];
    make(option);
    sqlite3 *other = db;
    for (int i = 0; i < RULES; i++) {
        if (left_out_of((uint64_t)(i + _i), 3))
            continue;
        set_rule(-1);
        load_all(other);
        database_open("");
        sqlite3_set_authorizer(db, decide, NULL);
        set_rule(i);
        all_agree(option, i);
        set_rule(-1);
        all_agree(option, -1);
        sql_close();
    }
    sqlite3_close(other);
    database_remove_folder();
}
END_TEST

/* A statement compiled before the authorizer was set obeys it, as on a table: SQLite then
** compiles the statement again. */
START_TEST(test_compiled_before) {
    sqlite3_stmt *statement;
    make(options[_i]);
    ck_assert_int_eq(
        sqlite3_prepare_v2(db, "SELECT dst FROM g WHERE src = 2", -1, &statement, NULL),
        SQLITE_OK);
    for (int round = 0; round < 3; round++) {
        ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
        sqlite3_reset(statement);
        set_rule(0);
        sqlite3_set_authorizer(db, decide, NULL);
        ck_assert_int_ne(sqlite3_step(statement), SQLITE_ROW);
        ck_assert_ptr_nonnull(strstr(sqlite3_errmsg(db), "prohibited"));
        sqlite3_reset(statement);
        set_rule(-1);
        sqlite3_set_authorizer(db, round ? decide : NULL, NULL);
    }
    sqlite3_finalize(statement);
    sql_close();
    database_remove_folder();
}
END_TEST

/* A connection with hidden columns cannot write blocks. */
START_TEST(test_hidden_columns_are_not_saved) {
    make(", persist = 1");
    run("UPDATE roads SET b = 7 WHERE id = 1");
    sqlite3_set_authorizer(db, decide, NULL);
    rule.answer = SQLITE_IGNORE;
    for (int i = 0; i < 2; i++) {
        rule.column = i ? "b" : NULL;
        expect_error("gpugraph_save", "hides columns", "SELECT gpugraph_save('g')");
        expect_error(
            "gpugraph", "hides columns",
            "CREATE VIRTUAL TABLE k USING gpugraph(roads(a, b, metres), persist = "
            "1)");
    }
    set_rule(-1);
    expect("'ok'", "SELECT gpugraph_check('g')");
    expect("1", "SELECT gpugraph_save('g') > 0");
    sql_close();
    database_open("");
    expect("'ok'", "SELECT gpugraph_check('g')");
    sql_close();
    database_remove_folder();
}
END_TEST

const struct suite suite = {
    "follow_authorizer",
    {{"all", .timeout = 60, .setup = setup,
      .cases = {{&test_loaded_before, 2 * OPTIONS},
                {&test_loaded_by_others, OPTIONS},
                {&test_compiled_before, OPTIONS},
                {&test_hidden_columns_are_not_saved}}}},
};
