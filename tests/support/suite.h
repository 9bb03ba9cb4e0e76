/* A test program is a table of Check's tests, and support/suite_main.c its main().
**
**     START_TEST(small_shapes) { ... } END_TEST
**     START_TEST(every_shape) { ... one of them, _i ... } END_TEST
**
**     const struct suite suite = {
**         "bfs",                                           the suite's name
**         {{"bfs", .timeout = 240,                         a group (a TCase of Check)
**           .cases = {{&small_shapes},                     once
**                     {&every_shape, SHAPES}}}}};          _i from 0 to SHAPES - 1
**
** Omitted fields are 0. Check's own variables have effect (CK_FORK, CK_RUN_CASE,
** CK_EXCLUDE_TAGS, CK_TIMEOUT_MULTIPLIER, ...), and these:
**
**     GPUGRAPH_TEST_NARROW_EDGES=3     graphs of more than 3 edges have 64-bit numbers,
**                                      like graphs of more than 2^32 - 2 edges
**     GPUGRAPH_TEST_GAPS=1             edges get gaps, in blocks of 1 << 1 entries, and
**                                      rows get slack, also in the smallest graphs
**     GPUGRAPH_TEST_WHOLE_BATCHES=3    dynamic graphs announce batches from 3 insertions
**     GPUGRAPH_TEST_SERIAL=1           all groups are "serial"
**     GPUGRAPH_TEST_TURNS=3            of a case with more turns than 3: 2, 5, 8, ...
**     GPUGRAPH_TEST_CELLS=1            a requested device decodes tables of any size */
#ifndef TEST_SUITE_H
#define TEST_SUITE_H

#include "assertions.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SUITE_GROUPS = 8, SUITE_CASES = 24 };

struct suite_case {
    const TTest *const *test; /* START_TEST(name) defines a pointer of that name */
    int times;                /* 0: once */
    int (*count)(void);       /* the number, if it is known only at run time */
};

/* The thread sanitizer skips cases with the tag "serial", and .ci/run does not show them
** there. They have no threads and fail if a worker is left; or they also have the tag
** "forks": a child of fork() makes threads, which that sanitizer does not allow. */
struct suite_group {
    const char *name;
    const char *tags;
    double timeout;      /* of each case, in seconds; 0: Check's own */
    void (*setup)(void); /* around each case, in its process */
    void (*teardown)(void);
    struct suite_case cases[SUITE_CASES];
};

struct suite {
    const char *name;
    struct suite_group groups[SUITE_GROUPS];
    void (*begin)(void);             /* before the first case, in the program's process */
    void (*end)(void);               /* after the last one */
    int (*child)(const char *other); /* the exit status of "PROGRAM --child OTHER" */
    bool needs_device;               /* skipped without one */
    int needs_devices;               /* skipped with fewer */
    bool no_forks; /* the program's process uses CUDA, or shares memory */
};

extern const struct suite suite;

/* Checks in another process, since CUDA does not survive a fork. */
bool suite_has_device(void);
int suite_devices(void);

#ifdef __cplusplus
}
#endif

#endif
