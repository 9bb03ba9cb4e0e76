/* SQL with two devices: the searches that use them, the timings, rows that equal those of
** the CPU, and connections on different devices that do not wait for each other. Skipped
** on machines with fewer devices. */
#include "sql.h"
#include "suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpugraph_extension.h"

enum { VERTICES = 3000, EDGES = 20000 };

static void setup(void) {
    sql_open();
    make_random("roads", VERTICES, EDGES, 7);
    run("SELECT gpugraph_config('backend', 'cuda')");
}

#define SOURCES(backend)                                                                 \
    "SELECT vertex, depth, parent, edge, source FROM gpu_bfs WHERE edges = 'roads' AND " \
    "source IN (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233) AND backend = '" backend    \
    "' ORDER BY source, vertex"
#define MATRIX(backend)                                                                  \
    "SELECT source, target, distance FROM gpu_matrix('roads', '[1,2,3,4,5,6]', "         \
    "'[7,8,9,10,11,12,13]') WHERE backend = '" backend "' ORDER BY source, target"

static void expect_phase(const char *phase, const char *part) {
    char *detail = ask("SELECT group_concat(detail, ' / ') FROM gpugraph_timings WHERE "
                       "phase = %Q",
                       phase);
    ck_assert_msg(strstr(detail, part) != NULL, "%s: %s", phase, detail);
    sqlite3_free(detail);
}

/* Lists of all kinds come at once; of a join one source comes after the other. */
START_TEST(lists_are_shared) {
    static const char *const lists[] = {
        "source IN (SELECT value FROM json_each('[1,2,3,4,5]'))",
        "source IN (SELECT v FROM ids)", "source IN (1, 2, 3, 4, 5)"};
    run("CREATE TABLE ids(v); INSERT INTO ids VALUES (1), (2), (3), (4), (5)");
    run("SELECT gpugraph_config('devices', '0,1')");
    char *join = ask("SELECT vertex, parent, s.source FROM ids, gpu_bfs('roads', v) s "
                     "ORDER BY s.source, vertex");
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'devices'");
    for (int i = 0; i < 3; i++) {
        run("SELECT gpugraph_config('cache_limit', 0)");
        run("SELECT gpugraph_config('cache_limit', 1000000000)");
        char *list = ask("SELECT vertex, parent, source FROM gpu_bfs WHERE edges = "
                         "'roads' AND %s ORDER BY source, vertex",
                         lists[i]);
        ck_assert_str_eq(join, list);
        expect_phase("devices", "4 searches: ");
        sqlite3_free(list);
    }
    sqlite3_free(join);
}
END_TEST

START_TEST(sources_are_shared) {
    run("SELECT gpugraph_config('devices', '0,1')");
    expect_same(SOURCES("cpu"), SOURCES("cuda"));
    expect_phase("devices", "11 searches: ");
    expect_phase("devices", " on device 1");
    expect_same(MATRIX("cpu"), MATRIX("cuda"));
    expect_phase("devices", "6 searches: 3 on device 0, 3 on device 1");
    run("SELECT gpugraph_config('devices', '1'), gpugraph_config('cache_limit', 0)");
    expect_same(MATRIX("cpu"), MATRIX("cuda"));
    expect("0", "SELECT count(*) FROM gpugraph_timings WHERE phase = 'devices'");
}
END_TEST

/* The list of devices begins with the other device. */
START_TEST(a_list_begins_with_any) {
    run("SELECT gpugraph_config('devices', '1,0')");
    expect_same(MATRIX("cpu"), MATRIX("cuda"));
    expect_phase("devices", "on device 1, ");
    expect("1", "SELECT gpugraph_config('device')");
}
END_TEST

START_TEST(an_estimate_counts_them) {
    run("SELECT count(*) FROM gpu_mis('roads')");
    expect("1", "SELECT devices FROM gpugraph_estimate('roads', 'gpu_dfs') WHERE "
                "backend = 'cuda'");
    run("SELECT gpugraph_config('devices', 'all')");
    expect("1", "SELECT devices = (SELECT count(*) FROM gpugraph_devices WHERE backend = "
                "'cuda') FROM gpugraph_estimate('roads', 'gpu_mis') WHERE backend "
                "= 'cuda'");
    expect("1", "SELECT devices FROM gpugraph_estimate('roads', 'gpu_dfs') WHERE "
                "backend = 'cuda'");
}
END_TEST

START_TEST(one_search_is_shared) {
    run("SELECT gpugraph_config('devices', '0,1')");
    expect_same("SELECT vertex FROM gpu_mis('roads') WHERE backend = 'cpu'",
                "SELECT vertex FROM gpu_mis('roads') WHERE backend = 'cuda'");
    expect_phase("search", "several on cuda, 2 devices");
}
END_TEST

/* The searches that several devices can share have the rows of the CPU. */
START_TEST(rows_are_the_same) {
    static const char *const queries[] = {
        "vertex, depth, parent, edge FROM gpu_bfs('roads', 1) WHERE 1",
        "vertex, distance, parent, edge FROM gpu_sssp('roads', 1) WHERE 1",
        "vertex, rank FROM gpu_pagerank('roads') WHERE 1",
        "vertex, component FROM gpu_components('roads') WHERE 1",
        "vertex, component FROM gpu_components('roads') WHERE kind = 'strong'",
        "vertex, core FROM gpu_cores('roads') WHERE 1",
    };
    run("SELECT gpugraph_config('devices', '0,1')");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char *cpu =
            sqlite3_mprintf("SELECT %s AND backend = 'cpu' ORDER BY vertex", queries[i]);
        char *cuda =
            sqlite3_mprintf("SELECT %s AND backend = 'cuda' ORDER BY vertex", queries[i]);
        expect_same(cpu, cuda);
        sqlite3_free(cpu);
        sqlite3_free(cuda);
    }
}
END_TEST

/* A followed graph: each change patches the copy of one device. Afterwards each device,
** and both together, find the rows of a fresh read. */
START_TEST(changes_reach_both) {
    static const char *const changes[] = {
        "INSERT INTO roads SELECT dst, src, 3 FROM roads WHERE rowid % 50 = 1",
        "DELETE FROM roads WHERE rowid % 60 = 2",
        "UPDATE roads SET weight = weight + 1, dst = dst % 60 + 1 WHERE rowid % 70 = 3",
        "INSERT INTO roads VALUES (7, 100001, 1)",
    };
    static const char *const devices[] = {"0", "1", "0,1"};
    static const char *const queries[] = {
        "SELECT vertex, distance, edge FROM gpu_sssp(%Q, 1) ORDER BY vertex",
        "SELECT vertex FROM gpu_mis(%Q) ORDER BY vertex",
        "SELECT source, vertex, depth, edge FROM gpu_bfs WHERE edges = %Q AND source IN "
        "(1, 2, 3, 4, 5) ORDER BY source, vertex",
    };
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(src, dst, weight))");
    for (int i = 0; i < 12; i++) {
        run("%s", changes[i % 4]);
        for (int k = 0; k < 9; k++) {
            run("SELECT gpugraph_config('backend', 'cuda'), gpugraph_config('devices', "
                "%Q)",
                devices[(k / 3 + i) % 3]);
            char *followed = ask(queries[k % 3], "g");
            run("SELECT gpugraph_config('backend', 'cpu')");
            char *fresh = ask(queries[k % 3], "roads(src, dst, weight)");
            ck_assert_msg(strcmp(fresh, followed) == 0, "%s on %s after %s",
                          queries[k % 3], devices[(k / 3 + i) % 3], changes[i % 4]);
            sqlite3_free(fresh);
            sqlite3_free(followed);
        }
    }
    run("DROP TABLE g");
}
END_TEST

/* ---- connections beside each other ---- */

enum { CONNECTIONS = 3, TURNS = 8 };

static const char *const asked_often[] = {
    "SELECT vertex, distance, parent FROM gpu_sssp('roads', 1) ORDER BY vertex",
    "SELECT vertex FROM gpu_mis('roads') ORDER BY vertex",
    "SELECT source, vertex, depth FROM gpu_bfs WHERE edges = 'roads' AND source IN (1, "
    "2, "
    "3, 4) ORDER BY source, vertex",
};

struct neighbour {
    sqlite3 *c;
    char *const *right;
    char *wrong; /* the first wrong answer */
};

static void *ask_often(void *neighbour) {
    struct neighbour *n = neighbour;
    for (int i = 0; i < 3 * TURNS && !n->wrong; i++) {
        char *got = ask_in(n->c, asked_often[i % 3]);
        if (strcmp(got, n->right[i % 3]) == 0)
            sqlite3_free(got);
        else
            n->wrong = got;
    }
    return NULL;
}

/* A copy of the database on these devices, without kept searches. */
static sqlite3 *connect_to(const char *devices) {
    sqlite3 *c;
    char *sql = sqlite3_mprintf("SELECT gpugraph_config('backend', 'cuda'), "
                                "gpugraph_config('cache_limit', 0), "
                                "gpugraph_config('devices', %Q)",
                                devices);
    ck_assert_int_eq(sqlite3_open(":memory:", &c), SQLITE_OK);
    sqlite3_backup *copy = sqlite3_backup_init(c, "main", db, "main");
    ck_assert_int_eq(sqlite3_backup_step(copy, -1), SQLITE_DONE);
    sqlite3_backup_finish(copy);
    ck_assert_int_eq(sqlite3_gpugraph_init(c, NULL, NULL), SQLITE_OK);
    sqlite3_free(ask_in(c, sql));
    sqlite3_free(sql);
    return c;
}

START_TEST(connections_beside_each_other) {
    static const char *const devices[CONNECTIONS] = {"0", "1", "0,1"};
    struct neighbour neighbour[CONNECTIONS];
    pthread_t thread[CONNECTIONS];
    char *right[3];
    run("SELECT gpugraph_config('backend', 'cpu')");
    for (int q = 0; q < 3; q++)
        right[q] = ask("%s", asked_often[q]);
    for (int i = 0; i < CONNECTIONS; i++) {
        neighbour[i] = (struct neighbour){connect_to(devices[i]), right, NULL};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, ask_often, &neighbour[i]), 0);
    }
    for (int i = 0; i < CONNECTIONS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_msg(!neighbour[i].wrong, "on %s: %.300s", devices[i],
                      neighbour[i].wrong);
        ck_assert_int_eq(sqlite3_close(neighbour[i].c), SQLITE_OK);
    }
    for (int q = 0; q < 3; q++)
        sqlite3_free(right[q]);
}
END_TEST

/* ---- an interrupt ---- */

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double interrupted_at;

static void *interrupt_soon(void *ms) {
    usleep(*(const unsigned *)ms * 1000);
    interrupted_at = now_s();
    sqlite3_interrupt(db);
    return NULL;
}

/* Ranks that would never end, by both devices. Afterwards the connection works. */
START_TEST(an_interrupt_within_half_a_second) {
    static const unsigned after_ms[] = {200, 700, 10};
    run("SELECT gpugraph_config('devices', '0,1')");
    expect_same("SELECT vertex FROM gpu_mis('roads') WHERE backend = 'cpu'",
                "SELECT vertex FROM gpu_mis('roads') WHERE backend = 'cuda'");
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        unsigned ms = after_ms[i];
        ck_assert_int_eq(pthread_create(&thread, NULL, interrupt_soon, &ms), 0);
        char *got = ask("SELECT count(*) FROM gpu_pagerank('roads') WHERE iterations = "
                        "2000000000 AND tolerance = 0");
        const double ended = now_s();
        pthread_join(thread, NULL);
        ck_assert_str_eq(got, "error: interrupted");
        ck_assert_msg(ended - interrupted_at < 0.5, "after %.3f s",
                      ended - interrupted_at);
        sqlite3_free(got);
        expect_same("SELECT vertex FROM gpu_mis('roads') WHERE backend = 'cpu'",
                    "SELECT vertex FROM gpu_mis('roads') WHERE backend = 'cuda'");
    }
}
END_TEST

/* ---- exchanges ---- */

/* Exchanges by copies, which kernels would not need. */
START_TEST(copies) {
    static const char *const queries[] = {
        "SELECT vertex, depth, parent, edge FROM gpu_bfs('roads', 1) WHERE backend = %Q "
        "ORDER BY vertex",
        "SELECT vertex, distance, parent, edge FROM gpu_sssp('roads', 1) WHERE backend = "
        "%Q ORDER BY vertex",
        "SELECT vertex, rank FROM gpu_pagerank('roads') WHERE backend = %Q ORDER BY "
        "vertex",
        "SELECT vertex, component FROM gpu_components('roads') WHERE backend = %Q ORDER "
        "BY vertex",
        "SELECT vertex FROM gpu_mis('roads') WHERE backend = %Q ORDER BY vertex",
    };
    setenv("GPUGRAPH_EXCHANGE", "copies", 1);
    run("SELECT gpugraph_config('devices', '0,1')");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char *cuda = ask(queries[i], "cuda"), *cpu = ask(queries[i], "cpu");
        ck_assert_msg(strcmp(cpu, cuda) == 0, "%s: %.300s", queries[i], cuda);
        sqlite3_free(cuda);
        sqlite3_free(cpu);
    }
    run("SELECT gpugraph_config('cache_limit', 0)");
    char *cuda = ask(queries[4], "cuda");
    expect_phase("search", "exchange copies");
    sqlite3_free(cuda);
    unsetenv("GPUGRAPH_EXCHANGE");
}
END_TEST

/* Neither device has enough memory, and both are required. */
START_TEST(a_limit_of_each) {
    run("SELECT gpugraph_config('devices', 'all'), gpugraph_config('memory_limit', "
        "1000)");
    expect_error("gpu_mis", "on each of several devices",
                 "SELECT * FROM gpu_mis('roads')");
    expect("1", "SELECT count(*) > 0 FROM gpu_mis('roads') WHERE backend = 'auto'");
}
END_TEST

const struct suite suite = {
    "several_devices",
    {{"several_devices", .timeout = 120, .setup = setup, .teardown = sql_close,
      .cases = {{&lists_are_shared},
                {&sources_are_shared},
                {&changes_reach_both},
                {&connections_beside_each_other},
                {&an_interrupt_within_half_a_second},
                {&copies},
                {&a_list_begins_with_any},
                {&an_estimate_counts_them},
                {&one_search_is_shared},
                {&rows_are_the_same},
                {&a_limit_of_each}}}},
    .needs_devices = 2,
};
