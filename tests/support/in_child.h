/* Runs a part of a test in a child of fork(), which must succeed in time. */
#ifndef TEST_IN_CHILD_H
#define TEST_IN_CHILD_H

#include "expect.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SECONDS = 60 };

static inline void in_child(void (*work)(int argument), int argument) {
    int status = -1;
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        signal(SIGALRM, SIG_DFL); /* Check's handler would kill the parent, too */
        alarm(CHILD_SECONDS);     /* a hang is a failure */
        work(argument);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    expect(status == 0, "the child ended with status %x", (unsigned)status);
}

#endif
