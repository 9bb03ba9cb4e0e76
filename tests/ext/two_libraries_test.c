/* The loaded file serves only one SQLite library of a process. The test calls the entry
** point also with the function table of a second library. That table is a copy of the
** first one, in which all functions that the file must not call end the test. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3ext.h>

#include "suite.h"
#include "gpugraph.h"

enum { THREADS = 8, FUNCTIONS = sizeof(sqlite3_api_routines) / sizeof(void (*)(void)) };

typedef int entry_point(sqlite3 *, char **, const sqlite3_api_routines *);

static const sqlite3_api_routines *first;
static sqlite3_api_routines second;
static entry_point *load;

static int take_table(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
    (void)db, (void)error;
    first = api;
    return SQLITE_OK;
}

static sqlite3 *open_memory(void) {
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    return db;
}

static void setup(void) {
    void *file = dlopen(GPUGRAPH_LOADABLE, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(file != NULL, "%s", dlerror());
    *(void **)&load = dlsym(file, "sqlite3_gpugraph_init");
    ck_assert(load != NULL);
    sqlite3_auto_extension((void (*)(void))take_table);
    sqlite3_close(open_memory());
    sqlite3_cancel_auto_extension((void (*)(void))take_table);
    ck_assert(first != NULL);
    second = *first;
}

static const char *other_version(void) {
    return "3.99.0";
}

static int other_version_number(void) {
    return 3099000;
}

static const char *old_version(void) {
    return "3.31.1";
}

static int old_version_number(void) {
    return 3031001;
}

static void may_not_be_called(void) {
    abort();
}

/* The functions for the error message remain allowed. */
static void forbid_the_second(void) {
    void (*forbidden[FUNCTIONS])(void);
    for (int i = 0; i < FUNCTIONS; i++)
        forbidden[i] = may_not_be_called;
    memcpy(&second, forbidden, sizeof second);
    second.mprintf = first->mprintf;
    second.libversion = other_version;
    second.libversion_number = other_version_number;
}

static void expect_path(sqlite3 *db) {
    sqlite3_stmt *statement;
    ck_assert_int_eq(sqlite3_prepare_v2(db,
                                        "SELECT max(depth) FROM gpu_bfs('SELECT 1, 2 "
                                        "UNION ALL SELECT 2, 3', 1)",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    ck_assert_int_eq(sqlite3_column_int(statement, 0), 2);
    sqlite3_finalize(statement);
}

START_TEST(test_second_library) {
    sqlite3 *one = open_memory(), *two = open_memory(), *three = open_memory();
    char *error = NULL;
    forbid_the_second();
    ck_assert_int_eq(load(one, &error, first), SQLITE_OK_LOAD_PERMANENTLY);
    ck_assert_int_eq(load(two, &error, &second), SQLITE_ERROR);
    char *sentence = sqlite3_mprintf(
        "gpugraph: another SQLite library of this process (%s) has loaded this file, "
        "which serves one library; let this one (3.99.0) load a copy of the file in "
        "another folder",
        sqlite3_libversion());
    ck_assert_str_eq(error, sentence);
    sqlite3_free(sentence);
    sqlite3_free(error);
    expect_path(one);
    ck_assert_int_eq(load(three, &error, first), SQLITE_OK_LOAD_PERMANENTLY);
    expect_path(three);
    sqlite3_close(one);
    sqlite3_close(two);
    sqlite3_close(three);
}
END_TEST

/* After a library that is too old has been refused, another library can load the file. */
START_TEST(test_old_library_first) {
    sqlite3 *one = open_memory(), *two = open_memory();
    char *error = NULL;
    forbid_the_second();
    second.libversion = old_version;
    second.libversion_number = old_version_number;
    ck_assert_int_eq(load(one, &error, &second), SQLITE_ERROR);
    ck_assert_str_eq(error, "gpugraph needs SQLite 3.40.1 or later, and this is 3.31.1");
    sqlite3_free(error);
    error = NULL;
    ck_assert_int_eq(load(two, &error, first), SQLITE_OK_LOAD_PERMANENTLY);
    expect_path(two);
    sqlite3_close(one);
    sqlite3_close(two);
}
END_TEST

/* ---- both at once ---- */

static pthread_barrier_t start;

static void *load_in_thread(void *which) {
    sqlite3 *db;
    char *error = NULL;
    sqlite3_open(":memory:", &db);
    pthread_barrier_wait(&start);
    int rc = load(db, &error, which);
    if (rc == SQLITE_OK_LOAD_PERMANENTLY)
        sqlite3_exec(db, "SELECT * FROM gpu_bfs('SELECT 1, 2', 1)", NULL, NULL, NULL);
    sqlite3_free(error);
    sqlite3_close(db);
    return rc == SQLITE_OK_LOAD_PERMANENTLY ? which : NULL;
}

START_TEST(test_both_at_once) {
    pthread_t thread[THREADS];
    void *loaded[THREADS], *winner = NULL;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, load_in_thread,
                       i % 2 ? (void *)&second : (void *)first);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &loaded[i]);
        winner = loaded[i] ? loaded[i] : winner;
    }
    ck_assert(winner != NULL);
    for (int i = 0; i < THREADS; i++) {
        void *own = i % 2 ? (void *)&second : (void *)first;
        ck_assert_ptr_eq(loaded[i], own == winner ? own : NULL);
    }
    pthread_barrier_destroy(&start);
}
END_TEST

const struct suite suite = {
    "two_libraries",
    {{"cases", .setup = setup,
      .cases = {{&test_second_library},
                {&test_old_library_first},
                {&test_both_at_once, 20}}}},
};
