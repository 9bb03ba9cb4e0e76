/* A device that is opened in a thread of its own, while the caller goes on.
**
**                  begin                        open() came back
**     CLOSED  ----------------->  UNDER_WAY  -------------------->  OPEN
**        ^                           |    \
**        | no thread: for a second   |     `-- with false ------->  FAILED, and why
**        +---------------------------+
**
** What opens is behind a const struct of functions: CUDA's is in devices.cu, the tests' are
** slow, fail, or never come back. All that the two threads say to each other is one word, on which
** a waiting caller sleeps (a futex). A child of fork() has no such thread: what was begun before
** has failed there, and what was not may be begun.
**
** exit() waits for the thread, and so does fork(), for a multiple of the usual time at most. The wait happens
** in a handler of atexit(). A driver registers handlers of its own while it starts, which run earlier than ours:
** the opening's steps then register ours again (gg_await_openings_at_exit). */
#ifndef GPUGRAPH_OPENING_H
#define GPUGRAPH_OPENING_H

#include "base/run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum opening_state { OPENING_CLOSED, OPENING_UNDER_WAY, OPENING_OPEN, OPENING_FAILED };

struct opening_steps {
    /* In the opening's thread. Between long steps it asks gg_process_ends, and then returns early.
    ** False: *why is a sentence that stays. */
    bool (*open)(int ordinal, const char **why);
    double usual_ms; /* that it takes */
};

struct opening {
    const struct opening_steps *steps;
    int ordinal;
    /* private to opening.c */
    uint32_t state;   /* enum opening_state, slept on */
    uint32_t process; /* gg_this_process() of who has begun; 0: nobody has */
    uint32_t thread;  /* the kernel's number of the opening's thread; 0: none yet */
    bool listed;      /* among those that exit() waits for */
    const char *why;
    double began_ms;
    double again_ms;   /* when there was no thread: the time to try again */
    uint32_t given_up; /* 1: somebody has waited in vain */
};

/* As this process sees it. *why (unless NULL): a sentence where it has failed, else "". */
enum opening_state gg_opening_state(const struct opening *o, const char **why);
/* Begins where nobody has. Never waits. False: it is neither under way nor open. */
bool gg_opening_begin(struct opening *o);
/* Predicted milliseconds until it is open; no end where somebody has waited in vain. */
double gg_opening_left_ms(const struct opening *o);
/* The same, `elapsed` milliseconds after the beginning, of what usually takes `usual`. Near the end of
** that nobody knows: it is taken to need a tenth more, and once it is late, to be as late again. */
static inline double gg_left_ms(double usual, double elapsed) {
    double left = usual - elapsed, more = usual / 10 + (left < 0 ? -left : 0);
    return left > more ? left : more;
}
/* Has exit() begun? Then no opening begins. */
bool gg_process_ends(void);
/* From now on exit() waits for openings before it runs any handler that is registered already. */
void gg_await_openings_at_exit(void);
/* Waits while it is under way, for `ms` milliseconds at most (negative: for as long as it takes), and until
** the run is to end. */
enum opening_state gg_opening_wait(struct opening *o, double ms, gpugraph_run *run);

#ifdef __cplusplus
}
#endif
#endif
