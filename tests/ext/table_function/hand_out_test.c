/* The column `arrays`, and the arrays that gpugraph_take_arrays returns for its value. */
/* ctest: wrap=memory */
#include "gpugraph_extension.h"
#include "failing_memory.h"
#include "suite.h"
#include "sql.h"
#include "gpugraph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static sqlite3_int64 number_of(const char *sql) {
    char *text = ask("%s", sql);
    sqlite3_int64 number = strtoll(text, NULL, 10);
    sqlite3_free(text);
    return number;
}

static const gpugraph_arrays *take(const char *sql) {
    const gpugraph_arrays *taken = gpugraph_take_arrays(number_of(sql));
    ck_assert_ptr_nonnull(taken);
    return taken;
}

static const gpugraph_array *column(const gpugraph_arrays *a, const char *name) {
    for (uint64_t i = 0; i < a->columns; i++)
        if (strcmp(a->column[i].name, name) == 0)
            return &a->column[i];
    return NULL;
}

static void numbers(const gpugraph_arrays *a, const char *name, const uint32_t *want) {
    const gpugraph_array *c = column(a, name);
    ck_assert_msg(c != NULL, "no column %s", name);
    ck_assert_int_eq(c->item_bytes, 4);
    ck_assert_mem_eq(c->item, want, a->count * 4);
}

enum { NO = -1 };
#define ROW(...)                                                                         \
    (const uint32_t[]) {                                                                 \
        __VA_ARGS__                                                                      \
    }

/* Opens a database for each backend in turn; false: the machine does not have this
** backend. */
enum { BACKENDS = 2 };
static bool open_roads(int turn) {
    static const char *const backends[BACKENDS] = {"cpu", "cuda"};
    const char *here = getenv("GPUGRAPH_TEST_BACKENDS");
    if (!strstr(here ? here : "cpu", backends[turn]))
        return false;
    sql_open();
    make_roads();
    run("SELECT gpugraph_config('backend', '%s')", backends[turn]);
    return true;
}

/* make_roads: 1 -> 2 -> 3 -> 4, 1 -> 3, 8 -> 9. */
START_TEST(each_column) {
    if (!open_roads(_i))
        return;
    const gpugraph_arrays *a =
        take("SELECT arrays, parent, edge FROM gpu_bfs('roads', 1)");
    ck_assert_uint_eq(a->count, 6);
    ck_assert_uint_eq(a->integer_count, 6);
    ck_assert_mem_eq(a->integer, ((const int64_t[]){1, 2, 3, 4, 8, 9}), 48);
    numbers(a, "depth", ROW(0, 1, 1, 2, NO, NO));
    numbers(a, "parent", ROW(NO, 0, 0, 2, NO, NO));
    ck_assert_mem_eq(column(a, "edge")->item, ((const int64_t[]){0, 1, 3, 4, 0, 0}), 48);
    ck_assert_ptr_null(column(a, "source"));
    gpugraph_free_arrays(a);
    a = take("SELECT arrays FROM gpu_bfs('roads', 1) LIMIT 1");
    ck_assert_uint_eq(a->columns, 1);
    numbers(a, "depth", ROW(0, 1, 1, 2, NO, NO));
    gpugraph_free_arrays(a);
    a = take("SELECT arrays, source FROM gpu_bfs('roads') WHERE sources = '[1, 8]'");
    numbers(a, "source", ROW(0, 0, 0, 0, 4, 4));
    gpugraph_free_arrays(a);
    a = take("SELECT arrays FROM gpu_bfs('roads', 2) WHERE vertex = 3");
    numbers(a, "depth", ROW(NO, 0, 1, 2, NO, NO));
    gpugraph_free_arrays(a);
    a = take("SELECT arrays FROM gpu_components('roads')");
    numbers(a, "component", ROW(0, 0, 0, 0, 4, 4));
    gpugraph_free_arrays(a);
    a = take("SELECT arrays, preorder FROM gpu_dfs('roads', 1) WHERE ordered = 1");
    numbers(a, "preorder", ROW(0, 1, 2, 3, NO, NO));
    gpugraph_free_arrays(a);
    sql_close();
}
END_TEST

START_TEST(texts) {
    sql_open();
    run("CREATE TABLE t(src, dst); INSERT INTO t VALUES (7, 'bee'), ('bee', 'ant'), "
        "('', 7)");
    const gpugraph_arrays *a = take("SELECT arrays FROM gpu_mis('t')");
    ck_assert_uint_eq(a->count, 4);
    ck_assert_uint_eq(a->integer_count, 1);
    ck_assert_mem_eq(a->text_offset, ((const uint64_t[]){0, 0, 3, 6}), 32);
    ck_assert_mem_eq(a->text, "antbee", 6);
    ck_assert_int_eq(column(a, "member")->item_bytes, 1);
    gpugraph_free_arrays(a);
    sql_close();
}
END_TEST

/* Several callers share the arrays of a kept search. Arrays of a bounded search have no
** values beyond the bound, whether a wider search is kept or not. */
START_TEST(held_and_bounded) {
    static const char near[] = "SELECT arrays, parent FROM gpu_bfs('roads', 1) WHERE "
                               "max_depth = 1";
    static const char near_row[] =
        "SELECT arrays FROM gpu_bfs('roads', 1) WHERE depth <= 1";
    if (!open_roads(_i))
        return;
    const gpugraph_arrays *before = take(near);
    const gpugraph_arrays *a = take("SELECT arrays FROM gpu_bfs('roads', 1)");
    const gpugraph_arrays *b = take("SELECT arrays FROM gpu_bfs('roads', 1)");
    const gpugraph_arrays *after = take(near), *by_row = take(near_row);
    ck_assert_ptr_eq(column(a, "depth")->item, column(b, "depth")->item);
    numbers(a, "depth", ROW(0, 1, 1, 2, NO, NO));
    numbers(before, "depth", ROW(0, 1, 1, NO, NO, NO));
    numbers(after, "depth", ROW(0, 1, 1, NO, NO, NO));
    numbers(by_row, "depth", ROW(0, 1, 1, NO, NO, NO));
    numbers(before, "parent", ROW(NO, 0, 0, NO, NO, NO));
    numbers(after, "parent", ROW(NO, 0, 0, NO, NO, NO));
    gpugraph_free_arrays(a);
    gpugraph_free_arrays(before);
    numbers(b, "depth", ROW(0, 1, 1, 2, NO, NO));
    run("INSERT INTO roads VALUES (4, 8, 1)");
    expect("6", "SELECT count(*) FROM gpu_bfs('roads', 1)");
    numbers(b, "depth", ROW(0, 1, 1, 2, NO, NO));
    sql_close();
    numbers(b, "depth", ROW(0, 1, 1, 2, NO, NO));
    gpugraph_free_arrays(b);
    gpugraph_free_arrays(after);
    gpugraph_free_arrays(by_row);
    ck_assert_int_eq(sqlite3_memory_used(), 0);
}
END_TEST

/* A wider search is kept. */
START_TEST(bounded_from_a_wider_search) {
    if (!open_roads(_i))
        return;
    gpugraph_free_arrays(take("SELECT arrays, parent FROM gpu_sssp('roads', 1)"));
    gpugraph_free_arrays(take("SELECT arrays, parent, source FROM gpu_bfs('roads') WHERE "
                              "sources = '[1, 8]'"));
    const gpugraph_arrays *a = take(
        "SELECT arrays, parent, edge FROM gpu_sssp('roads', 1) WHERE max_distance = 5");
    numbers(a, "distance", ROW(0, 5, NO, NO, NO, NO));
    numbers(a, "parent", ROW(NO, 0, NO, NO, NO, NO));
    ck_assert_mem_eq(column(a, "edge")->item, ((const int64_t[]){0, 1, 0, 0, 0, 0}), 48);
    gpugraph_free_arrays(a);
    a = take("SELECT arrays, source FROM gpu_bfs('roads') WHERE sources = '[1, 8]' AND "
             "depth < 1");
    numbers(a, "depth", ROW(0, NO, NO, NO, 0, NO));
    numbers(a, "source", ROW(0, NO, NO, NO, 4, NO));
    gpugraph_free_arrays(a);
    sql_close();
}
END_TEST

START_TEST(numbers_are_for_once) {
    sql_open();
    make_roads();
    sqlite3_int64 first = number_of("SELECT arrays FROM gpu_cores('roads')");
    gpugraph_free_arrays(gpugraph_take_arrays(first));
    ck_assert_ptr_null(gpugraph_take_arrays(first));
    first = number_of("SELECT arrays FROM gpu_cores('roads')");
    sqlite3_int64 second = number_of("SELECT arrays FROM gpu_mis('roads')");
    ck_assert_int_ne(first, second);
    ck_assert_ptr_null(
        gpugraph_take_arrays(first)); /* a later statement asked for other arrays */
    ck_assert_ptr_null(gpugraph_take_arrays(0));
    gpugraph_free_arrays(NULL);
    expect("1", "SELECT count(DISTINCT arrays) FROM gpu_bfs('roads', 1)");
    expect("2",
           "SELECT count(DISTINCT arrays) FROM gpu_bfs('roads') WHERE source IN (1, 8)");
    sql_close(); /* frees the last arrays */
    ck_assert_int_eq(sqlite3_memory_used(), 0);
    ck_assert_ptr_null(gpugraph_take_arrays(second));
    sql_open();
    make_roads();
    expect_error("gpu_bfs", "leave the target out",
                 "SELECT arrays FROM gpu_bfs('roads', 1, 3)");
    expect("0", "SELECT count(arrays) FROM gpu_bfs('roads', 77)");
    /* Only functions with a row for each vertex have the column. */
    static const char *const others[] = {"path('roads', 1, 3)", "paths('roads', 1, 3)",
                                         "matrix('roads', '[1]')",
                                         "spanning_forest('roads')"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect("error: no such column: arrays", "SELECT arrays FROM gpu_%s", others[i]);
    sql_close();
}
END_TEST

static void *free_it(void *arrays) {
    gpugraph_free_arrays(arrays);
    return NULL;
}

/* Another thread frees arrays while this thread's connection keeps, reads and releases
** them. */
START_TEST(freed_elsewhere) {
    for (int round = 0; round < 20; round++) {
        pthread_t thread;
        sql_open();
        make_roads();
        const gpugraph_arrays *a = take("SELECT arrays FROM gpu_bfs('roads', 1)");
        ck_assert_int_eq(pthread_create(&thread, NULL, free_it, (void *)a), 0);
        expect("4", "SELECT count(parent) + 1 FROM gpu_bfs('roads', 1)");
        run("DELETE FROM roads");
        expect("0", "SELECT count(*) FROM gpu_bfs('roads', 1)");
        sql_close();
        ck_assert_int_eq(pthread_join(thread, NULL), 0);
    }
    ck_assert_int_eq(sqlite3_memory_used(), 0);
}
END_TEST

/* When any allocation fails, the statement fails and no memory leaks. */
START_TEST(without_memory) {
    static const char *const asked[] = {
        "SELECT arrays, parent, edge FROM gpu_sssp('roads', 1) WHERE max_distance = 6",
        "SELECT arrays, parent, source FROM gpu_bfs('roads') WHERE sources = '[1, 8]' "
        "AND "
        "max_depth = 1",
        "SELECT arrays FROM gpu_triangles('roads')",
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        long blocks = 0;
        bool failed = true;
        for (int n = 1; failed; n++) {
            sql_open();
            make_roads();
            run("SELECT gpugraph_config('threads', 1)");
            fail_from(n, false);
            char *text = ask("%s", asked[i]);
            failed = fail_no_more();
            sqlite3_free(text);
            gpugraph_free_arrays(take(asked[i]));
            sql_close();
            if (n > 2)
                ck_assert_msg(heap_blocks() <= blocks, "allocation %d leaves blocks", n);
            blocks = heap_blocks();
        }
    }
}
END_TEST

const struct suite suite = {"hand_out",
                            {{"arrays", .timeout = 60,
                              .cases = {{&each_column, BACKENDS},
                                        {&texts},
                                        {&held_and_bounded, BACKENDS},
                                        {&bounded_from_a_wider_search, BACKENDS},
                                        {&numbers_are_for_once},
                                        {&freed_elsewhere},
                                        {&without_memory}}}}};
