/* Loading the extension, and all kinds of statements, survive failed allocations. */
/* ctest: serial */
#include <stdlib.h>

#include "gpugraph_extension.h"
#include "sssp/found.h"
#include "suite.h"
#include "share.h"
#include "sql.h"
#include "sqlite_memory.h"

START_TEST(survives_each_failed_allocation) {
    static const char *const statements[] = {
        "SELECT * FROM gpu_bfs('roads') WHERE sources = '[1, \"x\", 8]' AND source >= 0 "
        "IS NOT 7 ORDER BY depth DESC",
        "SELECT parent, edge, source FROM gpu_sssp('roads') WHERE sources = '[1, 8]' AND "
        "vertices = 'places(id)'",
        "SELECT *, target FROM gpu_path('roads', '1') WHERE target IN (4, 3, '2')",
        "SELECT *, method FROM gpu_dfs('roads', 1) WHERE method = 'auto' ORDER BY "
        "preorder",
        "SELECT vertex FROM gpu_dfs('roads', 1) WHERE +direction = 'both'",
        "SELECT vertex FROM gpu_bfs('roads', 1) WHERE max_depth <= '2'",
        "SELECT source, vertex FROM gpu_bfs('roads') WHERE source IN ('1', '3')",
        "SELECT arrays, parent, edge FROM gpu_bfs('roads', 1) WHERE max_depth = 2",
        "SELECT vertex, priority FROM gpu_mis('texts') WHERE priority = 'id'",
        "SELECT b.depth FROM places p, gpu_bfs('texts', 'a', p.id) b WHERE b.depth < 3",
        "SELECT gpugraph_triangles('roads'), gpugraph_config('backend', 'cpu'), "
        "gpugraph_config('threads', '1')",
        "SELECT * FROM gpugraph_timings, gpugraph_graphs",
        "SELECT * FROM gpugraph_methods",
        "SELECT * FROM gpugraph_settings",
        "SELECT gpugraph_config('devices', 'all'), gpugraph_config('devices', '0,99')",
        "SELECT gpugraph_config('threads', 1.5)",
        "SELECT gpugraph_config('speed', x'00')",
        "SELECT * FROM gpu_bfs('roads', 1) WHERE direction = 'up'",
        "SELECT * FROM gpu_bfs('roads', 1) WHERE method = 'x'",
        "SELECT * FROM gpu_bfs('roads', 77, '1e') UNION ALL SELECT 5, 6, 7, detail FROM "
        "gpugraph_timings",
        "SELECT * FROM gpu_bfs('texts', 1.0) UNION ALL SELECT * FROM gpu_bfs('roads') "
        "WHERE source IN (5, 6, 7, 8, 8.5)",
        "SELECT * FROM gpu_sssp('roads', x'0100000000000000')",
        "SELECT * FROM gpu_bfs('roads', 1, max_depth = 2, direction = 'in')",
        "SELECT * FROM gpu_dfs('roads', 1, 2)",
        "SELECT b.* FROM gpu_bfs('roads', 1, p.id) b CROSS JOIN places p",
        "SELECT * FROM gpu_bfs('roads', 1) CROSS JOIN places WHERE max_depth = id",
        "SELECT * FROM places LEFT JOIN gpu_bfs('roads') ON source = id AND 0",
        "SELECT * FROM gpu_bfs('SELECT src, dst FROM roads', 1)",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        bool failed = true;
        for (long n = 1; failed; n++) {
            if (left_out_of((uint64_t)n + i, 7))
                continue;
            sql_open();
            make_roads();
            run("CREATE TABLE places(id); INSERT INTO places VALUES(1), ('b'); CREATE "
                "TABLE texts(src, dst); INSERT INTO "
                "texts VALUES('a', 'b'), ('b', 'c')");
            sqlite_countdown = n;
            char *rows = ask("%s", statements[i]);
            failed = sqlite_countdown == 0;
            sqlite_countdown = 0;
            sqlite3_free(rows);
            sqlite3_free(ask("%s", statements[i]));
            sql_close();
            ck_assert_msg(sqlite3_memory_used() == 0,
                          "%s: allocation %ld leaves %lld bytes", statements[i], n,
                          sqlite3_memory_used());
        }
    }
}
END_TEST

/* Result arrays come from malloc, not from SQLite's allocator. In this test only blocks
** with their sizes fail. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { ARRAY_VERTICES = 1009, FIRST_STEPS = 64 * 16 };
/* Sizes of a list's blocks (listed.c, sssp/found.h): its capacity, the entries that a
** search to depth 70 finds, the vertices of its table, and its second table. */
enum {
    LIST_ROOM = ARRAY_VERTICES / 64 + 64,
    LISTED = 71,
    FOUND = LIST_ROOM * sizeof(struct found_vertex),
    TABLE = 4 * FOUND_FIRST_TABLE * sizeof(uint64_t)
};
static long arrays_until_failure;

static bool array_fails(size_t bytes) {
    bool is_array = bytes == ARRAY_VERTICES || bytes == ARRAY_VERTICES * 4 ||
                    bytes == ARRAY_VERTICES * 8 || bytes == FIRST_STEPS ||
                    bytes == LIST_ROOM * 4 || bytes == LISTED * 4 || bytes == FOUND ||
                    bytes == TABLE;
    return is_array && arrays_until_failure > 0 && --arrays_until_failure == 0;
}

extern void *__libc_malloc(size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);

void *malloc(size_t bytes) {
    return array_fails(bytes) ? NULL : __libc_malloc(bytes);
}

void *realloc(void *block, size_t bytes) {
    return array_fails(bytes) ? NULL : __libc_realloc(block, bytes);
}

START_TEST(survives_each_failed_array) {
    static const char *const statements[] = {
        "SELECT parent, source FROM gpu_bfs('g') WHERE sources = '[1, 2]' ORDER BY depth",
        "SELECT parent, source FROM gpu_sssp('g') WHERE sources = '[1, 2]' ORDER BY "
        "distance",
        "SELECT * FROM gpu_dfs('g', 1) ORDER BY postorder DESC",
        "SELECT a.parent FROM gpu_dfs('g', 1) a, gpu_dfs('g', 1) b WHERE a.vertex = "
        "b.vertex AND b.preorder < 5",
        "SELECT * FROM gpu_mis('g')",
        "SELECT * FROM gpu_path('g', 1, 1009)",
        "SELECT vertex, depth FROM gpu_bfs('g', 1) WHERE max_depth = 70 AND backend = "
        "'cpu' ORDER BY depth DESC",
    };
    sql_open();
    run("CREATE TABLE g(src, dst, weight); WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL "
        "SELECT i + 1 FROM c WHERE i < "
        "1008) INSERT INTO g SELECT i, i + 1, 1 FROM c");
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        char *truth = ask("%s", statements[i]), *rows;
        for (long n = 1;; n++) {
            run("SELECT gpugraph_config('cache_limit', 0); SELECT "
                "gpugraph_config('cache_limit', NULL)");
            arrays_until_failure = n;
            rows = ask("%s", statements[i]);
            if (arrays_until_failure > 0)
                break;
            ck_assert_msg(strstr(rows, "out of memory") || strcmp(rows, truth) == 0,
                          "%s, array %ld: %s", statements[i], n, rows);
            sqlite3_free(rows);
        }
        arrays_until_failure = 0;
        ck_assert_str_eq(rows, truth);
        sqlite3_free(rows);
        sqlite3_free(truth);
    }
    sql_close();
}
END_TEST
#define TEST_ARRAYS 1
#endif

START_TEST(loading_survives_each_failed_allocation) {
    bool failed = true;
    for (long n = 1; failed; n++) {
        if (left_out_of((uint64_t)n, 7))
            continue;
        sqlite_countdown = n;
        sqlite3 *opened = NULL;
        if (sqlite3_open(":memory:", &opened) == SQLITE_OK)
            sqlite3_gpugraph_init(opened, NULL, NULL);
        failed = sqlite_countdown == 0;
        sqlite_countdown = 0;
        ck_assert_int_eq(sqlite3_close(opened), SQLITE_OK);
        ck_assert_int_eq(sqlite3_memory_used(), 0);
    }
}
END_TEST

const struct suite suite = {
    "plan_faults",
    {{"memory", .timeout = 120,
      .cases = {{&survives_each_failed_allocation},
#ifdef TEST_ARRAYS
                {&survives_each_failed_array},
#endif
                {&loading_survives_each_failed_allocation}}}},
    .begin = sqlite_memory_may_fail,
};
