/* Weights are read with the ids, so a search by weight after another search reads
** nothing. If a weight is bad, searches that need no weights work, and searches by weight
** get the error that they would get without an earlier search. */
#include "base/ext_limits.h"
#include "database_file.h"
#include "pages/reader.h"
#include "suite.h"

static void set_up(void) {
    database_make_folder();
    database_open("");
    ext_limits.page_settled_ms = 1000000; /* no connection takes another one's graph */
}

static void tear_down(void) {
    sql_close();
    database_remove_folder();
}

/* A table that is read by pages, and one that is read inside SQLite's scan. */
static const char *const kind[] = {"", "WITHOUT ROWID"};
enum { KINDS = 2 };

static void make_table_of(int i, const char *type, const char *weight) {
    run("DROP TABLE IF EXISTS e");
    run("CREATE TABLE e(id INTEGER PRIMARY KEY, src INTEGER, dst INTEGER, weight %s) %s",
        type, kind[i]);
    run("WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 500) "
        "INSERT INTO e SELECT n, n, n + 1, %s FROM i",
        weight);
}

static void make_table(const char *type, const char *weight) {
    make_table_of(0, type, weight);
}

static const char depths[] = "SELECT sum(depth), count(*) FROM gpu_bfs('e', 1)";
static const char reads[] = "SELECT count(*) FROM gpugraph_timings WHERE phase = 'read'";

static char *in_another(const char *sql) {
    sqlite3 *c = database_connect("");
    char *answer = ask_in(c, sql);
    sqlite3_close(c);
    return answer;
}

/* Compares a search after a breadth-first search with the same search in a new
** connection. */
static void same_either_way(const char *what) {
    static const char *const by_weight[] = {
        "SELECT sum(distance), typeof(max(distance)), sum(parent) FROM gpu_sssp('e', 1)",
        "SELECT max(distance), count(*) FROM gpu_path('e', 1, 400)"};
    expect("125250|501", depths);
    for (int i = 0; i < 2; i++) {
        char *want = in_another(by_weight[i]), *got = ask(by_weight[i]);
        ck_assert_msg(strcmp(got, want) == 0, "%s\n got  %s\n want %s", what, got, want);
        sqlite3_free(got);
        sqlite3_free(want);
    }
    expect("125250|501", depths);
}

START_TEST(plain_weights_come_along) {
    static const char *const plain[][2] = {{"INTEGER", "n % 7"},
                                           {"REAL", "n * 0.5"},
                                           {"", "n * 1.5"},
                                           {"", "CASE WHEN n < 300 THEN n ELSE 0.5 END"},
                                           {"INTEGER", "n * 9000000000000"},
                                           {"REAL", "n"},
                                           {"", "CASE n WHEN 77 THEN '1.5' ELSE n END"},
                                           {"TEXT", "n"}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        make_table_of(_i, plain[i][0], plain[i][1]);
        expect("125250|501", depths);
        expect("1", reads);
        run("SELECT max(distance) FROM gpu_sssp('e', 1)");
        expect("0", reads);
        same_either_way(plain[i][1]);
    }
}
END_TEST

START_TEST(bad_weights_are_errors_of_searches_by_weight) {
    static const char *const odd[][2] = {{"", "CASE n WHEN 77 THEN -1 ELSE n END"},
                                         {"", "CASE n WHEN 77 THEN NULL ELSE n END"},
                                         {"", "CASE n WHEN 77 THEN x'00' ELSE n END"},
                                         {"", "CASE n WHEN 77 THEN 'far' ELSE n END"},
                                         {"REAL", "CASE n WHEN 77 THEN 9e999 ELSE n END"},
                                         {"REAL", "CASE n WHEN 77 THEN -0.5 ELSE n END"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        make_table_of(_i, odd[i][0], odd[i][1]);
        expect("125250|501", depths);
        expect("1", reads);
        same_either_way(odd[i][1]);
        same_either_way(odd[i][1]); /* the sentence is the same each time */
    }
}
END_TEST

/* With two faults, each search names the fault that it would name alone. */
START_TEST(each_names_its_own) {
    make_table("", "CASE n WHEN 77 THEN -1 ELSE n END");
    run("UPDATE e SET dst = x'01' WHERE id = 300");
    char *breadth = ask(depths), *alone = in_another(depths);
    ck_assert_str_eq(breadth, alone);
    ck_assert_ptr_nonnull(strstr(breadth, "edge 300"));
    sqlite3_free(breadth);
    sqlite3_free(alone);
    static const char distances[] = "SELECT sum(distance) FROM gpu_sssp('e', 1)";
    char *by_weight = ask(distances);
    ck_assert_ptr_nonnull(strstr(by_weight, "edge 77"));
    sqlite3_free(by_weight);
}
END_TEST

static void in_other(sqlite3 *c, const char *sql) {
    ck_assert_int_eq(sqlite3_exec(c, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* A row changes after the weights have been read, by this connection or another one. Each
** later read sees the change. */
START_TEST(a_row_that_changes_in_between) {
    static const char farthest[] = "SELECT max(distance) FROM gpu_sssp('e', 1)";
    make_table("INTEGER", "n");
    sqlite3 *other = database_connect("");
    expect("125250|501", depths);
    in_other(other, "UPDATE e SET weight = 1007 WHERE id = 7");
    expect("126250", farthest);
    expect("1", reads);
    run("UPDATE e SET weight = 2007 WHERE id = 7");
    expect("127250", farthest);
    same_either_way("a changed weight");
    sqlite3_close(other);
}
END_TEST

/* A write transaction sees its own weights and leaves none behind. A read transaction
** sees the weights from its beginning. */
START_TEST(weights_of_transactions) {
    static const char farthest[] = "SELECT max(distance) FROM gpu_sssp('e', 1)";
    run("PRAGMA journal_mode = wal");
    make_table("INTEGER", "n");
    sqlite3 *other = database_connect("");
    expect("125250|501", depths);
    run("BEGIN");
    run("UPDATE e SET weight = 1007 WHERE id = 7");
    expect("125250|501", depths);
    expect("126250", farthest);
    char *outside = ask_in(other, farthest);
    ck_assert_str_eq(outside, "125250");
    sqlite3_free(outside);
    run("ROLLBACK");
    expect("125250", farthest);
    run("BEGIN");
    expect("125250|501", depths);
    in_other(other, "UPDATE e SET weight = 3007 WHERE id = 7");
    expect("125250", farthest);
    run("COMMIT");
    expect("128250", farthest);
    same_either_way("after transactions");
    sqlite3_close(other);
}
END_TEST

static int denied;
static int hide_weights(void *unused, int what, const char *table, const char *column,
                        const char *schema, const char *trigger) {
    (void)unused, (void)table, (void)schema, (void)trigger;
    bool mine = what == SQLITE_READ && strcmp(column, "weight") == 0;
    denied += mine;
    return mine ? SQLITE_DENY : SQLITE_OK;
}

/* The load does not read a column that the connection may not read. */
START_TEST(a_column_that_is_hidden) {
    make_table_of(_i, "INTEGER", "n");
    sqlite3_set_authorizer(db, hide_weights, NULL);
    expect("125250|501", depths);
    expect("1", reads);
    ck_assert_int_gt(denied, 0);
    sqlite3_set_authorizer(db, NULL, NULL);
    same_either_way("no authorizer");
}
END_TEST

static bool out_of_order;

static void later(sqlite3_context *context, int count, sqlite3_value **value) {
    (void)count;
    if (out_of_order)
        sqlite3_result_error(context, "out of order", -1);
    else
        sqlite3_result_int64(context, sqlite3_value_int64(value[0]) + 1);
}

/* In the third case, reading the weights is an error. */
START_TEST(a_column_that_is_made) {
    sqlite3_create_function_v2(db, "later", 1,
                               SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                               NULL, later, NULL, NULL, NULL);
    run("CREATE TABLE e(id INTEGER PRIMARY KEY, src, dst, low, weight AS (%s)) %s;"
        "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 500) "
        "INSERT INTO e SELECT n, n, n + 1, n FROM i",
        _i < 2 ? "low + 1" : "later(low)", kind[_i > 0]);
    out_of_order = _i == 2;
    expect("125250|501", depths);
    expect("1", reads);
    if (_i < 2)
        same_either_way("a generated column");
    else
        expect("error: gpu_sssp: main.e cannot be read: out of order",
               "SELECT sum(distance) FROM gpu_sssp('e', 1)");
}
END_TEST

const struct suite suite = {
    "weights beside",
    {{"weights", .setup = set_up, .teardown = tear_down,
      .cases = {{&plain_weights_come_along, KINDS},
                {&bad_weights_are_errors_of_searches_by_weight, KINDS},
                {&each_names_its_own},
                {&a_row_that_changes_in_between},
                {&weights_of_transactions},
                {&a_column_that_is_hidden, KINDS},
                {&a_column_that_is_made, 3}}}},
};
