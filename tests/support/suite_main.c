/* The main() of every test program: makes a suite of Check from the program's table. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUITE_SKIPPED = 77 };

static void add_group(Suite *checks, const struct suite_group *group) {
    TCase *cases = tcase_create(group->name);
    if (group->tags)
        tcase_set_tags(cases, group->tags);
    if (group->timeout > 0)
        tcase_set_timeout(cases, group->timeout);
    if (group->setup || group->teardown)
        tcase_add_checked_fixture(cases, group->setup, group->teardown);
    for (int i = 0; i < SUITE_CASES && group->cases[i].test; i++) {
        const struct suite_case *c = &group->cases[i];
        int times = c->count ? c->count() : c->times;
        tcase_add_loop_test(cases, *c->test, 0, times ? times : 1);
    }
    suite_add_tcase(checks, cases);
}

/* False: the environment asks for what nothing would be other than without. */
static bool set_limits(void) {
    const char *narrow = getenv("GPUGRAPH_TEST_NARROW_EDGES");
    const char *sorted = getenv("GPUGRAPH_TEST_SORTED");
    if (narrow)
        gg_narrow_edges = strtoull(narrow, NULL, 10);
    if (sorted)
        gg_sorted_items = strtoull(sorted, NULL, 10);
    if (!getenv("GPUGRAPH_TEST_TREE_RANKS"))
        return true;
    gg_tree_ranks_limits = (struct tree_ranks_limits){0, 2, 0};
    return suite_has_device();
}

int main(int argc, char **argv) {
    if (suite.child && argc == 3 && strcmp(argv[1], "--child") == 0)
        return suite.child(argv[2]);
    if (!set_limits() || (suite.needs_device && !suite_has_device())) {
        puts("skipped: there is no CUDA device");
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
