/* Mirrors of one followed graph in several connections share a packed graph while they
** have the same committed state; otherwise each has its own. The oracle is a query as an
** edge source, because each statement reads a query again.
**
**     connection 1    reads the table    ---\        changes a row    --- its own
**     connection 2    "share"            ----- one graph, three users
**     connection 3    "share"            ---/ */
#define _GNU_SOURCE
#include "database_file.h"
#include "base/ext_limits.h"
#include "expect.h"
#include "follow/mirror.h"
#include "in_child.h"
#include "pages/reader.h"
#include "share.h"
#include "suite.h"

enum { CONNECTIONS = 4, STEPS = 120, SEEDS = 30 };

static sqlite3 *each[CONNECTIONS];

static bool do_in(sqlite3 *c, const char *sql) {
    char *error = NULL;
    int rc = sqlite3_exec(c, sql, NULL, NULL, &error);
    expect(rc == SQLITE_OK || rc == SQLITE_BUSY, "%s: %s", sql, error);
    sqlite3_free(error);
    return rc == SQLITE_OK;
}

static void open_all(const char *journal, const char *options) {
    char sql[160];
    database_make_folder();
    ext_limits.graph_named_from = ext_limits.page_settled_ms = 0;
    for (int i = 0; i < CONNECTIONS; i++)
        each[i] = database_connect("");
    snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s", journal);
    do_in(each[0], sql);
    do_in(each[0],
          "CREATE TABLE roads(id INTEGER PRIMARY KEY, src, dst, weight, name);"
          "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 900) "
          "INSERT INTO roads SELECT n, n * 7919 % 211, n * 104729 % 211, n % 17 + 1, n "
          "FROM "
          "i");
    snprintf(sql, sizeof sql, "CREATE VIRTUAL TABLE g USING gpugraph(roads%s)", options);
    do_in(each[0], sql);
}

static void open_rollback(void) {
    open_all("delete", "");
}

static void open_wal(void) {
    open_all("wal", "");
}

static void close_all(void) {
    for (int i = 0; i < CONNECTIONS; i++)
        ck_assert_int_eq(sqlite3_close(each[i]), SQLITE_OK);
    database_remove_folder();
}

static bool says(sqlite3 *c, const char *sql, const char *want) {
    char *got = ask_in(c, sql);
    bool same = strcmp(got, want) == 0;
    sqlite3_free(got);
    return same;
}

static bool has_phase(sqlite3 *c, const char *name) {
    char sql[100];
    snprintf(sql, sizeof sql,
             "SELECT count(*) > 0 FROM gpugraph_timings WHERE phase = '%s'", name);
    return says(c, sql, "1");
}

static const char by_weight[] = "SELECT sum(distance) FROM gpu_sssp('g', 1)";
static const char users[] = "SELECT max(connections) FROM gpugraph_graphs";

static bool is_locked(const char *answer) {
    return strcmp(answer, "error: database is locked") == 0;
}

static void ask_right(sqlite3 *c, const char *after) {
    static const char *const question[][2] = {
        {"SELECT sum(vertex * distance), count(*), sum(edge) FROM gpu_sssp('g', 1)",
         "SELECT sum(vertex * distance), count(*), sum(edge) FROM gpu_sssp('SELECT src, "
         "dst, weight, id FROM roads ORDER BY id', 1)"},
        {"SELECT count(*), sum(dst), total(weight), sum(edge) FROM g WHERE src = 5",
         "SELECT count(*), sum(dst), total(weight), sum(id) FROM roads WHERE src = 5"}};
    for (int i = 0; i < 2; i++) {
        char *want = ask_in(c, question[i][1]), *got = ask_in(c, question[i][0]);
        expect(strcmp(got, want) == 0 || is_locked(got) || is_locked(want),
               "after %s\n got  %s\n want %s", after, got, want);
        sqlite3_free(got);
        sqlite3_free(want);
    }
}

static void all_share(void) {
    for (int i = 0; i < CONNECTIONS; i++) {
        do_in(each[i], by_weight);
        expect(has_phase(each[i], "share") == (i > 0), "connection %d", i);
        ask_right(each[i], "sharing");
    }
    expect(says(each[0], users, "4"), "not four users");
}

START_TEST(mirrors_are_shared) {
    all_share();
    sqlite3_close(each[0]); /* the connection that has read the graph closes first */
    each[0] = database_connect("");
    do_in(each[0], by_weight);
    expect(has_phase(each[0], "share"), "what others have kept is read again");
    do_in(each[1], "CREATE TABLE other(x)"); /* equal rows under another schema */
    for (int i = 0; i < CONNECTIONS; i++)
        ask_right(each[i], "a change of the schema");
    do_in(each[2], "INSERT INTO other VALUES(1)");
    for (int i = 0; i < CONNECTIONS; i++)
        ask_right(each[i], "a commit of other rows");
    expect(says(each[0], users, "4"), "a commit of other rows parts them");
}
END_TEST

/* The only user of a graph changes it in place. Other connections leave their graph, and
** share the next graph. */
START_TEST(a_change_is_met_together) {
    all_share();
    do_in(each[1], "UPDATE roads SET weight = 100 WHERE id = 7");
    for (int i = 0; i < CONNECTIONS; i++) {
        const bool last = i == CONNECTIONS - 1;
        do_in(each[i], by_weight);
        expect(has_phase(each[i], "share") == (i > 0 && !last), "connection %d", i);
        expect(has_phase(each[i], "update") == last, "connection %d", i);
        ask_right(each[i], "a change");
    }
    expect(says(each[0], users, "3"), "not three users");
}
END_TEST

/* If changes continue, each connection has its own graph in the end, and none of them
** reads the table again. */
START_TEST(many_changes_part_them) {
    all_share();
    for (int k = 0; k < 3 * ext_limits.mirror_times_to_leave; k++) {
        do_in(each[k % 2], "UPDATE roads SET weight = weight + 1 WHERE id = 9");
        for (int i = 0; i < CONNECTIONS; i++)
            ask_right(each[i], "one of many changes");
    }
    do_in(each[0], "UPDATE roads SET weight = weight + 1 WHERE id = 9");
    for (int i = 0; i < CONNECTIONS; i++) {
        do_in(each[i], by_weight);
        expect(!has_phase(each[i], "read") && has_phase(each[i], "update"),
               "connection %d reads the table again", i);
    }
}
END_TEST

/* When changes pause, the connections share one graph again, also if others have
** committed to other tables and if vertices were deleted. The next change separates
** them. */
START_TEST(a_pause_joins_them) {
    all_share();
    do_in(each[0], "CREATE TABLE other(x)");
    for (int k = 0; k < 2 * ext_limits.mirror_times_to_leave; k++) {
        char *gone = sqlite3_mprintf("DELETE FROM roads WHERE src = %d OR dst = %d",
                                     20 + k, 20 + k);
        do_in(each[0], gone);
        sqlite3_free(gone);
        for (int i = 0; i < CONNECTIONS; i++)
            ask_right(each[i], "one of many changes");
    }
    for (int round = 0; round < 3; round++) {
        expect(says(each[0], users, "1"), "they have not parted");
        ext_limits.mirror_rejoins_after_ms = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            do_in(each[i], by_weight);
            ask_right(each[i], "a pause");
        }
        expect(says(each[0], users, "4"), "they have not come together");
        do_in(each[1], "INSERT INTO other VALUES(1)");
        for (int i = 0; i < CONNECTIONS; i++)
            ask_right(each[i], "a commit of other rows");
        expect(says(each[0], users, "4"), "a commit of other rows parts them");
        ext_limits.mirror_rejoins_after_ms = 1e9;
        do_in(each[2], "UPDATE roads SET dst = dst + 1 WHERE id % 50 = 9");
        for (int i = 0; i < CONNECTIONS; i++)
            ask_right(each[i], "a change after a pause");
    }
}
END_TEST

/* Before the pause is long enough, no connection offers or takes a graph; a connection
** keeps the searches of its own graph. */
START_TEST(a_pause_takes_its_time) {
    static const char seven[] = "SELECT sum(distance) FROM gpu_sssp('g', 7)";
    static const char total[] = "SELECT ms FROM gpugraph_timings WHERE phase = 'total'";
    all_share();
    for (int k = 0; k < 2 * ext_limits.mirror_times_to_leave; k++) {
        do_in(each[0], "UPDATE roads SET weight = weight + 1 WHERE id = 9");
        for (int i = 0; i < CONNECTIONS; i++)
            do_in(each[i], by_weight);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        do_in(each[i], i % 2 ? seven : by_weight);
    expect(says(each[0], users, "1"), "they have come together at once");
    ext_limits.mirror_rejoins_after_ms = 0;
    char *before = ask_in(each[1], total);
    do_in(each[0], by_weight);
    do_in(each[1], by_weight); /* takes the graph of the first connection */
    expect(says(each[0], users, "2"), "they have not come together");
    do_in(each[1], seven);
    expect(says(each[1], total, before), "a search is made again");
    sqlite3_free(before);
}
END_TEST

START_TEST(transactions_have_their_own_view) {
    all_share();
    do_in(each[0],
          "BEGIN; INSERT INTO roads VALUES(1000, 1, 5, 1, 0), (1001, 5, 4000, 2, 0)");
    ask_right(each[0], "changes of its own");
    expect(says(each[0], users, "1"), "a view of its own is nobody else's");
    ask_right(each[1], "changes that are not committed");
    expect(says(each[1], users, "3"), "not three users");
    do_in(each[0], "SAVEPOINT s; DELETE FROM roads WHERE id < 500");
    ask_right(each[0], "more of them");
    do_in(each[0], "ROLLBACK TO s");
    ask_right(each[0], "some rolled back");
    do_in(each[0], "ROLLBACK");
    for (int i = 0; i < CONNECTIONS; i++)
        ask_right(each[i], "all rolled back");
}
END_TEST

/* A connection does not share a saved mirror or a mirror of several graphs. */
START_TEST(others_are_not_shared) {
    static const char *const options[] = {", persist = 1", "(src, dst, weight, name)"};
    close_all();
    open_all("wal", options[_i]);
    for (int i = 0; i < CONNECTIONS; i++)
        do_in(each[i], by_weight);
    expect(says(each[0], users, "1"), "%s is shared", options[_i]);
}
END_TEST

/* A child of fork() does not use the shared graphs of its parent's connections. */
static void ask_in_child(int unused) {
    (void)unused;
    sqlite3 *c = database_connect("");
    for (int i = 0; i < 2; i++)
        ask_right(each[i], "a fork");
    expect(says(each[0], users, "2"), "a child uses its parent's graph");
    ask_right(c, "a fork, in a new connection");
    sqlite3_close(c);
}

START_TEST(a_child_reads_for_itself) {
    all_share();
    in_child(ask_in_child, 0);
    for (int i = 0; i < CONNECTIONS; i++)
        ask_right(each[i], "a child");
    expect(says(each[0], users, "4"), "the child has taken a user away");
}
END_TEST

static uint64_t draw(uint64_t *random, uint64_t below) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (*random >> 33) % below;
}

static void random_step(uint64_t *random, int *shared) {
    static const char *const what[] = {
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT s",
        "ROLLBACK TO s",
        "INSERT INTO roads(src, dst, weight) VALUES(%llu %% 230, 5, %llu %% 9)",
        "UPDATE roads SET weight = %llu %% 50 WHERE id = %llu %% 900",
        "UPDATE roads SET weight = %llu / 8.0 WHERE id = %llu %% 900",
        "UPDATE roads SET dst = %llu %% 211 WHERE id = %llu %% 900",
        "DELETE FROM roads WHERE id = %llu %% 900 OR id = %llu %% 900",
        "UPDATE roads SET src = NULL WHERE id = %llu %% 900 AND %llu %% 5 = 0",
        "DELETE FROM g_log",
    };
    const uint64_t k = draw(random, sizeof what / sizeof *what * 2);
    sqlite3 *c = each[draw(random, CONNECTIONS)];
    if (k < sizeof what / sizeof *what) {
        char sql[160];
        const uint64_t a = draw(random, 100000), b = draw(random, 100000);
        sqlite3_snprintf(sizeof sql, sql, what[k], a, b);
        sqlite3_exec(c, sql, NULL, NULL, NULL); /* BEGIN in a transaction, a lock ... */
    }
    ask_right(c, "a random step");
    *shared += !says(c, users, "1");
}

START_TEST(random_steps) {
    uint64_t random = (uint64_t)_i * 77 + 5;
    int shared = 0;
    if (left_out((uint64_t)_i))
        return;
    ext_limits.mirror_times_to_leave = _i % 3 ? STEPS : 4;
    ext_limits.mirror_rejoins_after_ms = _i % 2 ? 0 : 1e9;
    for (int i = 0; i < STEPS; i++)
        random_step(&random, &shared);
    for (int i = 0; i < CONNECTIONS; i++)
        sqlite3_exec(each[i], "ROLLBACK", NULL, NULL, NULL);
    expect(shared > 0, "seed %d: nothing was shared", _i);
}
END_TEST

const struct suite suite = {
    "followed graphs of several connections",
    {{"wal", .setup = open_wal, .teardown = close_all, .timeout = 120,
      .cases = {{&mirrors_are_shared},
                {&a_change_is_met_together},
                {&many_changes_part_them},
                {&a_pause_joins_them},
                {&a_pause_takes_its_time},
                {&transactions_have_their_own_view},
                {&others_are_not_shared, 2},
                {&random_steps, SEEDS}}},
     {"rollback", .setup = open_rollback, .teardown = close_all, .timeout = 120,
      .cases = {{&mirrors_are_shared},
                {&a_change_is_met_together},
                {&random_steps, SEEDS}}},
     {"fork", .tags = "serial", .setup = open_wal, .teardown = close_all,
      .cases = {{&a_child_reads_for_itself}}}}};
