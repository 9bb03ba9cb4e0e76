/* The main() of every test program: makes a suite of Check from the program's table. */
#include "cells.h"
#include "suite.h"
#include "base/limits.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUITE_SKIPPED = 77 };

/* Workers of the library's pool stay until the process ends, so this can count them. */
static void no_thread_has_run(void) {
#ifndef __SANITIZE_THREAD__ /* it has its own thread */
    int threads = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));)
        threads += task->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    ck_assert_msg(threads <= 1,
                  "%d threads in a case with the tag serial (suite.h): the thread "
                  "sanitizer does not run such cases",
                  threads);
#endif
}

/* A device's driver has its own threads. A call that lists devices starts them, too. */
static bool is_serial(const char *tags) {
    const bool called = getenv("GPUGRAPH_TEST_SERIAL") ||
                        (tags && strstr(tags, "serial") && !strstr(tags, "forks"));
    return called && access("/dev/nvidiactl", F_OK) != 0;
}

/* 1: all turns of a case; otherwise the last of every turns_each turns. */
static int turns_each = 1;

static void add_group(Suite *checks, const struct suite_group *group) {
    TCase *cases = tcase_create(group->name);
    if (group->tags)
        tcase_set_tags(cases, group->tags);
    if (group->timeout > 0)
        tcase_set_timeout(cases, group->timeout);
    if (group->setup || group->teardown)
        tcase_add_checked_fixture(cases, group->setup, group->teardown);
    if (is_serial(group->tags))
        tcase_add_checked_fixture(cases, NULL, no_thread_has_run);
    for (int i = 0; i < SUITE_CASES && group->cases[i].test; i++) {
        const struct suite_case *c = &group->cases[i];
        int times = c->count ? c->count() : c->times;
        int each = times > turns_each ? turns_each : 1;
        for (int turn = each - 1; turn == 0 || turn < times; turn += each)
            tcase_add_loop_test(cases, *c->test, turn, turn + 1);
    }
    suite_add_tcase(checks, cases);
}

/* False: a requested setting has no effect. */
static bool set_limits(void) {
    const char *narrow = getenv("GPUGRAPH_TEST_NARROW_EDGES");
    const char *gaps = getenv("GPUGRAPH_TEST_GAPS");
    const char *whole = getenv("GPUGRAPH_TEST_WHOLE_BATCHES");
    const char *turns = getenv("GPUGRAPH_TEST_TURNS");
    if (turns && atoi(turns) > 1)
        turns_each = atoi(turns);
    if (narrow)
        gg_limits.narrow_edges = strtoull(narrow, NULL, 10);
    if (gaps) { /* gaps between edges and slack in rows, also in the smallest graphs */
        gg_limits.gap_shift = (unsigned)atoi(gaps);
        gg_limits.room_arcs = 0;
    }
    if (whole)
        gg_limits.announced_items = strtoull(whole, NULL, 10);
    const bool cells = getenv("GPUGRAPH_TEST_CELLS");
    if (cells)
        gg_limits.cells_least = 0;
    return !cells || suite_has_device();
}

int main(int argc, char **argv) {
    if (suite.child && argc == 3 && strcmp(argv[1], "--child") == 0)
        return suite.child(argv[2]);
    if (!set_limits() || (suite.needs_device && !suite_has_device())) {
        puts("skipped: there is no CUDA device");
        return SUITE_SKIPPED;
    }
    if (suite.needs_devices > 0 && suite_devices() < suite.needs_devices) {
        printf("skipped: there are fewer than %d CUDA devices\n", suite.needs_devices);
        return SUITE_SKIPPED;
    }
    if (suite.begin)
        suite.begin();
    Suite *checks = suite_create(suite.name);
    for (int i = 0; i < SUITE_GROUPS && suite.groups[i].name; i++)
        add_group(checks, &suite.groups[i]);
    SRunner *runner = srunner_create(checks);
    srunner_set_fork_status(runner, suite.no_forks ? CK_NOFORK : CK_FORK_GETENV);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (suite.end)
        suite.end();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
