/* The end of every test program's main.
**
**     GPUGRAPH_TEST_NARROW_EDGES=3     graphs of more than 3 edges have edge numbers of 64
**                                      bits, as those of more than 2^32 - 2 have
**     GPUGRAPH_TEST_SORTED=3           dynamic graphs sort batches of 3 insertions and more
**     GPUGRAPH_TEST_TREE_RANKS=1       trees by weight on a device come from ranked rows
**                                      wherever these can be made, from the first on */
#ifndef TEST_SUITE_H
#define TEST_SUITE_H

#include "backend.h"

#include <check.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SUITE_SKIPPED = 77 };

/* Asked for in another process: CUDA does not survive a fork. */
static inline bool suite_has_device(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(gpugraph_cuda_usable(NULL) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static inline int run_suite_as(Suite *suite, enum fork_status forks) {
    const char *narrow = getenv("GPUGRAPH_TEST_NARROW_EDGES");
    if (narrow)
        gg_narrow_edges = strtoull(narrow, NULL, 10);
    const char *sorted = getenv("GPUGRAPH_TEST_SORTED");
    if (sorted)
        gg_sorted_items = strtoull(sorted, NULL, 10);
    if (getenv("GPUGRAPH_TEST_TREE_RANKS") && !suite_has_device())
        return SUITE_SKIPPED; /* nothing would be other than without */
    if (getenv("GPUGRAPH_TEST_TREE_RANKS"))
        gg_tree_ranks_limits = (struct tree_ranks_limits){0, 2, 0};
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, forks);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Runs the suite and frees it; the program's exit status. */
static inline int run_suite(Suite *suite) {
    return run_suite_as(suite, CK_FORK_GETENV);
}

/* The same where a device is in use already: CUDA does not survive a fork. */
static inline int run_suite_without_forks(Suite *suite) {
    return run_suite_as(suite, CK_NOFORK);
}

#endif
