/* SQL with two devices: which searches use them, what is told of it, that rows are those of the CPU, and
** that connections on different devices do not wait for each other. Skipped where there are fewer. */
#include "sql.h"
#include "suite.h"

#include <string.h>

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

/* The same by the devices that are the others' first. */
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

/* All that several can share, by a method of theirs or one of one device's: the rows are the CPU's. */
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

/* Neither is room for, and each was asked for. */
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
      .cases = {{&sources_are_shared},
                {&a_list_begins_with_any},
                {&an_estimate_counts_them},
                {&one_search_is_shared},
                {&rows_are_the_same},
                {&a_limit_of_each}}}},
    .needs_devices = 2,
};
