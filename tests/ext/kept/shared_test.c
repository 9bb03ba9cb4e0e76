/* All connections of a process that see equal rows share one packed graph; other
** connections must not. Each statement reads a query as an edge source again, so the
** query is the oracle.
**
**     connection 1    reads the table    ---\
**     connection 2    "share"            ----- one graph, three users
**     connection 3    "share"            ---/ */
#define _GNU_SOURCE
#include "database_file.h"
#include "base/ext_limits.h"
#include "expect.h"
#include "graphs.h"
#include "in_child.h"
#include "load/load.h"
#include "pages/reader.h"
#include "share.h"
#include "suite.h"
#include "workers.h"

#include <sys/stat.h>

enum { CONNECTIONS = 4 };

static sqlite3 *each[CONNECTIONS];

static int wait_for_others(void *unused, int count) {
    (void)unused;
    usleep(300);
    return count < 2000;
}

static sqlite3 *connect_one(void) {
    sqlite3 *c = database_connect("");
    sqlite3_busy_handler(c, wait_for_others, NULL);
    return c;
}

static void do_in(sqlite3 *c, const char *sql) {
    char *error = NULL;
    int rc = sqlite3_exec(c, sql, NULL, NULL, &error);
    expect(rc == SQLITE_OK, "%s: %s", sql, error);
}

static const char roads[] =
    "CREATE TABLE roads(id INTEGER PRIMARY KEY, src, dst, weight);"
    "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 900) "
    "INSERT INTO roads SELECT n, n * 7919 % 211, n * 104729 % 211, n % 17 + 1 FROM i";

static void open_all(const char *journal) {
    char pragma[64];
    database_make_folder();
    ext_limits.page_settled_ms = 0;
    ext_limits.graph_named_from = 0;
    snprintf(pragma, sizeof pragma, "PRAGMA journal_mode = %s", journal);
    for (int i = 0; i < CONNECTIONS; i++)
        each[i] = connect_one();
    do_in(each[0], pragma);
    do_in(each[0], roads);
}

static void open_rollback(void) {
    open_all("delete");
}

static void open_wal(void) {
    open_all("wal");
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

static bool took_part(sqlite3 *c) { /* the other connection's graph */
    return says(c, "SELECT count(*) FROM gpugraph_timings WHERE phase = 'share'", "1");
}

static bool is_locked(const char *answer) { /* for a writer that found readers */
    return strcmp(answer, "error: database is locked") == 0;
}

static void ask_right(sqlite3 *c, const char *after) {
    static const char *const question[][2] = {
        {"SELECT sum(vertex * distance), count(*) FROM gpu_sssp('roads', 1)",
         "SELECT sum(vertex * distance), count(*) FROM gpu_sssp('SELECT src, dst, weight "
         "FROM roads', 1)"},
        {"SELECT sum(vertex * depth), count(*) FROM gpu_bfs('roads', 1)",
         "SELECT sum(vertex * depth), count(*) FROM gpu_bfs('SELECT src, dst FROM "
         "roads', "
         "1)"}};
    for (int i = 0; i < 2; i++) {
        char *want = ask_in(c, question[i][1]);
        expect(strncmp(want, "error", 5) != 0 || is_locked(want), "after %s: %s", after,
               want);
        char *got = ask_in(c, question[i][0]);
        expect(strcmp(got, want) == 0 || is_locked(want), "after %s\n got  %s\n want %s",
               after, got, want);
        sqlite3_free(got);
        sqlite3_free(want);
    }
}

static const char breadth[] = "SELECT count(*) FROM gpu_bfs('roads', 1)";
static const char by_weight[] = "SELECT sum(distance) FROM gpu_sssp('roads', 1)";
static const char users[] = "SELECT connections FROM gpugraph_graphs";

START_TEST(connections_share) {
    do_in(each[0], by_weight);
    ck_assert(!took_part(each[0]));
    for (int i = 1; i < CONNECTIONS; i++) {
        char count[12];
        snprintf(count, sizeof count, "%d", i + 1);
        do_in(each[i], i % 2 ? by_weight : breadth); /* both have weights */
        expect(took_part(each[i]), "connection %d has read the table", i);
        expect(says(each[0], users, count), "not %s connections", count);
        ask_right(each[i], "sharing");
    }
    sqlite3_close(each[0]); /* the connection that has read it closes first */
    each[0] = connect_one();
    expect(says(each[1], users, "3"), "who has gone uses it still");
    do_in(each[1], by_weight);
    do_in(each[0], by_weight);
    expect(took_part(each[0]), "what others have kept is read again");
    do_in(each[2], "SELECT gpugraph_config('cache_limit', 0)");
    do_in(each[2], breadth); /* no search is kept here */
    expect(says(each[1], users, "3"), "a limit of one connection is one of all");
}
END_TEST

START_TEST(names_are_compared) {
    do_in(each[0], breadth);
    do_in(each[1], "SELECT count(*) FROM gpu_bfs('main.roads(src, dst)', 1)");
    expect(!took_part(each[1]), "columns that were not asked for");
    do_in(each[1], "SELECT count(*) FROM gpu_bfs('roads(src, dst, weight)', 1)");
    expect(took_part(each[1]), "the same columns by their names");
    do_in(each[2], "SELECT count(*) FROM gpu_bfs('roads(dst, src, weight)', 1)");
    expect(!took_part(each[2]), "other columns");
    do_in(each[2], by_weight);
    expect(took_part(each[2]), "weights that came with the ids");
    do_in(each[3], breadth);
    expect(took_part(each[3]), "a graph with weights that nobody asks for");
    ask_right(each[3], "all of them");
}
END_TEST

START_TEST(a_commit_ends_it) {
    static const char *const change[] = {
        "INSERT INTO roads(src, dst, weight) VALUES (1, 4000, 3)",
        "UPDATE roads SET weight = weight + 1 WHERE id = 7",
        "DELETE FROM roads WHERE id % 5 = 0",
        "ALTER TABLE roads ADD COLUMN more",
        "VACUUM",
        "PRAGMA schema_version = 77",
        "DROP TABLE roads; CREATE TABLE roads(src, dst, weight); INSERT INTO roads "
        "VALUES (1, 2, 3), (2, 5, 1)"};
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        do_in(each[0], by_weight);
        do_in(each[1], by_weight);
        do_in(each[i % 2], change[i]);
        ask_right(each[0], change[i]);
        ask_right(each[1], change[i]);
        do_in(each[2], by_weight);
        expect(took_part(each[2]), "%s: read again", change[i]);
        ask_right(each[2], change[i]);
    }
}
END_TEST

/* A transaction alone sees its writes, and a transaction that continues to read sees its
** snapshot. */
START_TEST(transactions_have_their_own) {
    do_in(each[0], by_weight);
    do_in(each[1], "BEGIN; DELETE FROM roads WHERE id > 40");
    ask_right(each[1], "a change of its own");
    ask_right(each[0], "a change of another one's");
    do_in(each[2], by_weight);
    expect(took_part(each[2]), "a change that is not committed");
    do_in(each[1], "ROLLBACK");
    ask_right(each[1], "ROLLBACK");
    do_in(each[3], "BEGIN; SELECT count(*) FROM roads");
    bool wal = says(each[3], "PRAGMA journal_mode", "'wal'");
    if (wal) {
        do_in(each[1], "UPDATE roads SET dst = 3 WHERE id < 300");
        do_in(each[0], by_weight);
        ask_right(each[3], "a commit of another one");
        do_in(each[1], "UPDATE roads SET dst = 7 WHERE id < 300");
        do_in(each[0], by_weight);
        ask_right(each[3], "another commit");
        do_in(each[2], "PRAGMA wal_checkpoint");
        ask_right(each[3], "a checkpoint");
    }
    do_in(each[3], "COMMIT");
    for (int i = 0; i < CONNECTIONS; i++)
        ask_right(each[i], "COMMIT");
}
END_TEST

/* Several commits under one lock change the change counter once. */
START_TEST(one_counter_for_two_commits) {
    do_in(each[1], "PRAGMA locking_mode = EXCLUSIVE");
    do_in(each[1], "UPDATE roads SET dst = 5 WHERE id < 50");
    ask_right(each[1], "the first");
    do_in(each[1], "SELECT count(*) FROM gpu_sssp('main.roads', 1)"); /* it is stale */
    do_in(each[1], "UPDATE roads SET dst = 6 WHERE id BETWEEN 50 AND 300");
    ask_right(each[1], "the second");
    do_in(each[1], "PRAGMA locking_mode = NORMAL");
    ask_right(each[1], "the lock's end");
    for (int i = 0; i < CONNECTIONS; i++)
        ask_right(each[i], "the lock's end");
}
END_TEST

static char *read_file(const char *path, size_t *size) {
    struct stat stats;
    FILE *in = fopen(path, "rb");
    ck_assert(in && fstat(fileno(in), &stats) == 0);
    *size = (size_t)stats.st_size;
    char *bytes = malloc(*size);
    ck_assert_uint_eq(fread(bytes, 1, *size, in), *size);
    fclose(in);
    return bytes;
}

static void write_file(const char *path, const char *bytes, size_t size) {
    FILE *out = fopen(path, "r+b");
    out = out ? out : fopen(path, "wb");
    ck_assert(out && fwrite(bytes, 1, size, out) == size);
    fclose(out);
}

/* Another file replaces the path's file, with an equal first page: a connection that has
** the old one open continues with it. */
START_TEST(a_file_renamed_over) {
    char other[96], sql[200];
    size_t size;
    snprintf(other, sizeof other, "%s2", database_file);
    do_in(each[0], by_weight);
    char *bytes = read_file(database_file, &size);
    write_file(other, bytes, size);
    snprintf(sql, sizeof sql, "ATTACH %s%s%s AS two", "'", other, "'");
    do_in(each[3], sql);
    do_in(each[3], "UPDATE two.roads SET dst = 9 WHERE id < 500; DETACH two");
    write_file(other, bytes, 100);
    free(bytes);
    ck_assert_int_eq(rename(other, database_file), 0);
    sqlite3_close(each[1]);
    each[1] = connect_one();
    ask_right(each[1], "another file");
    ask_right(each[0], "the file's end");
    do_in(each[2], by_weight);
    ask_right(each[2], "the file's end");
    ck_assert(!took_part(each[2])); /* the file of the path is unknown */
}
END_TEST

/* An equal file name, an equal first page, and other rows, written past SQLite while no
** connection has the file open: the file's change time shows it. */
START_TEST(a_file_written_over) {
    char other[96], sql[200];
    size_t size, same;
    ext_limits.page_settled_ms = 25;
    snprintf(other, sizeof other, "%s2", database_file);
    snprintf(sql, sizeof sql, "ATTACH '%s' AS two", other);
    char *one = read_file(database_file, &size);
    write_file(other, one, size);
    do_in(each[0], sql);
    do_in(each[0], "UPDATE two.roads SET dst = 9 WHERE id < 500; DETACH two");
    char *two = read_file(other, &same);
    ck_assert_uint_eq(size, same);
    memcpy(two, one, 100);
    write_file(other, one, size);
    usleep(60000);
    static const char *const by[] = {
        "SELECT sum(vertex * distance) FROM gpu_sssp('two.roads', 1)",
        "SELECT sum(vertex * distance) FROM gpu_sssp('SELECT src, dst, weight FROM "
        "two.roads', 1)"};
    do_in(each[0], sql);
    do_in(each[0], by[0]);
    do_in(each[2], sql);
    do_in(each[2], by[0]);
    expect(took_part(each[2]), "a file that nobody writes");
    do_in(each[2], "DETACH two");
    do_in(each[0], "DETACH two");
    write_file(other, two, size);
    usleep(60000);
    do_in(each[1], sql);
    char *got = ask_in(each[1], by[0]), *want = ask_in(each[1], by[1]);
    expect(strcmp(got, want) == 0, "got %s, not %s", got, want);
    expect(!took_part(each[1]), "another file's graph");
    sqlite3_free(got);
    sqlite3_free(want);
    do_in(each[1], "DETACH two");
    unlink(other);
    free(one);
    free(two);
}
END_TEST

/* Graphs whose rows may differ between connections are not shared. */
static void twice(sqlite3_context *context, int count, sqlite3_value **value) {
    sqlite3_int64 times = (sqlite3_int64)(intptr_t)sqlite3_user_data(context);
    (void)count;
    sqlite3_result_int64(context, sqlite3_value_int64(value[0]) * times);
}

static int hide_weights(void *unused, int what, const char *table, const char *column,
                        const char *schema, const char *trigger) {
    (void)unused, (void)table, (void)schema, (void)trigger;
    return what == SQLITE_READ && strcmp(column, "weight") == 0 ? SQLITE_DENY : SQLITE_OK;
}

START_TEST(what_differs_is_not_shared) {
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(sqlite3_create_function_v2(
                             each[i], "twice", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                             (void *)(intptr_t)(i + 2), twice, NULL, NULL, NULL),
                         SQLITE_OK);
    do_in(each[0], "CREATE TABLE made(src, low, dst AS (twice(low)));"
                   "INSERT INTO made VALUES (1, 1), (2, 2), (3, 2)");
    static const char far[] = "SELECT max(vertex) FROM gpu_bfs('made', 1)";
    char *first = ask_in(each[0], far), *second = ask_in(each[1], far);
    expect(strcmp(first, "4") == 0, "%s", first);
    expect(strcmp(second, "6") == 0, "%s", second);
    sqlite3_free(first);
    sqlite3_free(second);
    do_in(each[0], by_weight);
    sqlite3_set_authorizer(each[1], hide_weights, NULL);
    char *refused = ask_in(each[1], by_weight);
    expect(strncmp(refused, "error", 5) == 0, "%s", refused);
    sqlite3_free(refused);
    sqlite3_set_authorizer(each[1], NULL, NULL);
    do_in(each[2], breadth);
    sqlite3_limit(each[3], SQLITE_LIMIT_LENGTH, 100000);
    do_in(each[3], breadth);
    ck_assert(took_part(each[2]) && !took_part(each[3]));
}
END_TEST

/* Weights are read with the ids, also if no search needs them yet, and if one is a
** text. */
START_TEST(weights_are_read_for_all) {
    do_in(each[0], "UPDATE roads SET weight = '1.5' WHERE id = 600");
    for (int i = 0; i < 2; i++) {
        do_in(each[i], breadth);
        expect(took_part(each[i]) == i, "connection %d", i);
    }
    for (int i = 0; i < 2; i++) {
        do_in(each[i], by_weight);
        ask_right(each[i], "weights");
        expect(says(each[i], users, "2"), "connection %d", i);
    }
}
END_TEST

START_TEST(a_small_file_is_read) {
    ext_limits.graph_named_from = 1 << 20;
    do_in(each[0], by_weight);
    do_in(each[1], by_weight);
    ck_assert(!took_part(each[1]));
    ext_limits.graph_named_from = 0;
}
END_TEST

START_TEST(a_young_file_waits) {
    ext_limits.page_settled_ms = 1000000;
    do_in(each[0], by_weight);
    do_in(each[1], by_weight);
    ck_assert(!took_part(each[1]));
    ext_limits.page_settled_ms = 0;
}
END_TEST

/* ---- everything at random ---- */

static const char *const steps[] = {
    "INSERT INTO roads(src, dst, weight) SELECT abs(random()) % 60, abs(random()) % 60, "
    "abs(random()) % 9 FROM (VALUES(1), (2), (3))",
    "UPDATE roads SET dst = abs(random()) % 60 WHERE id IN (SELECT id FROM roads ORDER "
    "BY random() LIMIT 3)",
    "DELETE FROM roads WHERE id IN (SELECT id FROM roads ORDER BY random() LIMIT 9)",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "ROLLBACK TO s",
    "RELEASE s",
    "PRAGMA wal_checkpoint",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA journal_mode = delete",
    "PRAGMA journal_mode = persist",
    "PRAGMA journal_mode = wal",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA locking_mode = NORMAL",
    "VACUUM",
    "CREATE TABLE IF NOT EXISTS roads_2 AS SELECT * FROM roads; DROP TABLE roads_2",
    "PRAGMA schema_version = 1234",
};

static int give_up(void *unused, int count) {
    (void)unused, (void)count;
    return 0;
}

/* A thread that finds the file locked leaves the step out. */
static void step_at_random(uint64_t *random, int *shared) {
    sqlite3 **c = &each[shape_random(random) % CONNECTIONS];
    uint64_t what = shape_random(random) % 60;
    if (what < sizeof steps / sizeof *steps) {
        sqlite3_exec(*c, steps[what], NULL, NULL, NULL);
    } else if (what == 59) {
        sqlite3_close(*c);
        *c = connect_one();
        sqlite3_busy_handler(*c, give_up, NULL);
    } else if (sqlite3_exec(*c, "SELECT count(*) FROM roads", NULL, NULL, NULL) ==
               SQLITE_OK) {
        ask_right(*c, "steps at random");
        *shared += says(*c, "SELECT max(connections) > 1 FROM gpugraph_graphs", "1");
    }
}

START_TEST(at_random) {
    uint64_t random = (uint64_t)_i + 17;
    int shared = 0;
    if (left_out((uint64_t)_i))
        return;
    for (int i = 0; i < CONNECTIONS; i++)
        sqlite3_busy_handler(each[i], give_up, NULL);
    for (int i = 0; i < 400; i++)
        step_at_random(&random, &shared);
    expect(shared > 0, "seed %d: nothing was shared", _i);
}
END_TEST

/* ---- several threads ---- */

enum { THREADS = 8 };

typedef struct crowd {
    sqlite3 *c[THREADS];
    int read; /* the number of connections that have read the table */
} crowd;

static void ask_at_once(void *memory, uint32_t number) {
    crowd *crowd = memory;
    ask_right(crowd->c[number], "all at once");
    do_in(crowd->c[number], by_weight);
}

static void read_at_once(void *memory, uint32_t number) {
    crowd *crowd = memory;
    do_in(crowd->c[number], by_weight);
    if (!took_part(crowd->c[number]))
        __atomic_fetch_add(&crowd->read, 1, __ATOMIC_RELAXED);
}

/* A connection that comes while another one reads waits for it. */
START_TEST(read_once) {
    crowd crowd = {.read = 0};
    do_in(each[0],
          "INSERT INTO roads(src, dst, weight) SELECT a.src, b.dst, 3 FROM roads "
          "a, roads b LIMIT 200000");
    for (int i = 0; i < THREADS; i++) {
        crowd.c[i] = connect_one();
        do_in(crowd.c[i], "SELECT gpugraph_config('threads', 2), count(*) FROM roads");
    }
    run_workers(THREADS, read_at_once, &crowd, NULL, 0);
    expect(crowd.read == 1, "%d connections have read the table", crowd.read);
    expect(says(crowd.c[0], users, "8"), "they do not share it");
    for (int round = 0; round < 3; round++) {
        do_in(each[0], "DELETE FROM roads WHERE id % 7 = 0");
        run_workers(THREADS, ask_at_once, &crowd, NULL, 0);
    }
    for (int i = 0; i < THREADS; i++)
        sqlite3_close(crowd.c[i]);
}
END_TEST

/* While one connection reads, two others ask from its progress handler: a second one in
** the same thread, which must not wait for the first, and a third one in another thread,
** which waits and is interrupted. */
static int inside, interrupted_waits;
static struct timespec asked;

/* A connection that does not wait is done by then. */
static int late(void *unused) {
    struct timespec now;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - asked.tv_sec) * 1e3 +
               (double)(now.tv_nsec - asked.tv_nsec) * 1e-6 >
           300;
}

static void *wait_in_vain(void *unused) {
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &asked);
    if (sqlite3_exec(each[2], by_weight, NULL, NULL, NULL) == SQLITE_INTERRUPT)
        interrupted_waits++;
    return NULL;
}

static int ask_inside(void *unused) {
    pthread_t thread;
    (void)unused;
    if (inside++ > 40)
        return 0;
    ask_right(each[1], "a question from a progress handler");
    if (interrupted_waits > 0)
        return 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_in_vain, NULL), 0);
    pthread_join(thread, NULL);
    return 0;
}

START_TEST(nobody_waits_in_a_circle) {
    for (int i = 1; i < 3; i++)
        do_in(each[i], "SELECT gpugraph_config('cache_limit', 0)");
    do_in(each[2], breadth);
    sqlite3_progress_handler(each[2], 100, late, NULL);
    sqlite3_progress_handler(each[0], 200, ask_inside, NULL);
    do_in(each[0], by_weight);
    sqlite3_progress_handler(each[0], 0, NULL, NULL);
    expect(inside > 1 && interrupted_waits == 1, "%d questions, %d interrupts", inside,
           interrupted_waits);
    ask_right(each[0], "all of that");
}
END_TEST

/* ---- a child of fork() ---- */

static void ask_in_child(int argument) {
    (void)argument;
    sqlite3 *c = connect_one();
    ask_right(c, "fork");
    expect(says(c, users, "1"), "a parent's graph is used");
    sqlite3_close(c);
}

START_TEST(a_child_shares_nothing) {
    do_in(each[0], by_weight);
    in_child(ask_in_child, 0);
    do_in(each[1], by_weight);
    ck_assert(took_part(each[1]));
}
END_TEST

#define EVERY                                                                            \
    {                                                                                    \
        {&connections_share}, {&names_are_compared}, {&a_commit_ends_it},                \
            {&transactions_have_their_own}, {&what_differs_is_not_shared},               \
            {&weights_are_read_for_all}, {&at_random, 9}, {                              \
            &read_once                                                                   \
        }                                                                                \
    }

const struct suite suite = {
    "shared",
    {{"rollback", .timeout = 120, .setup = open_rollback, .teardown = close_all,
      .cases = EVERY},
     {"wal", .timeout = 120, .setup = open_wal, .teardown = close_all, .cases = EVERY},
     {"files", .timeout = 60, .setup = open_rollback, .teardown = close_all,
      .cases = {{&one_counter_for_two_commits},
                {&a_file_renamed_over},
                {&a_file_written_over},
                {&a_young_file_waits},
                {&a_small_file_is_read},
                {&nobody_waits_in_a_circle}}},
     {"fork", .tags = "serial", .timeout = 60, .setup = open_rollback,
      .teardown = close_all, .cases = {{&a_child_shares_nothing}}},
     {"fork, wal", .tags = "serial", .timeout = 60, .setup = open_wal,
      .teardown = close_all, .cases = {{&a_child_shares_nothing}}}},
};
