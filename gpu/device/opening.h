/* A device that is opened in a thread of its own, while the caller continues.
**
**                 begin                        open() returned
**    CLOSED  ----------------->  UNDER_WAY  -------------------->  OPEN
**       ^                           |    \
**       | no thread: for a second   |     `-- with false ------->  FAILED, with reason
**       +---------------------------+
**
** struct opening_steps has the function that opens the device: devices.cu defines CUDA's;
** those of tests are slow, fail, or never return. The two threads communicate by one
** word, on which a waiting caller sleeps. A child of fork() has no such thread. There, an
** opening that began before fork() has failed; any other opening may begin.
**
** exit() and fork() wait for the thread, at most for a multiple of the usual time. exit()
** waits in a handler of atexit(). A driver registers handlers of its own while it starts,
** and these run before the library's. So the opening registers the library's handler
** again after each step (gg_await_openings_at_exit). */
#ifndef GPUGRAPH_OPENING_H
#define GPUGRAPH_OPENING_H

#include "base/run.h"

GG_BEGIN_C

enum opening_state { OPENING_CLOSED, OPENING_UNDER_WAY, OPENING_OPEN, OPENING_FAILED };

struct opening_steps {
    /* Opens the device, in the opening's thread. Between long steps it asks
    ** gg_process_ends, and returns early if the process ends. If it returns false, *why
    ** is a sentence that stays valid. */
    bool (*open)(int ordinal, const char **why);
    double usual_ms; /* usual time of `open` */
};

struct opening {
    const struct opening_steps *steps;
    int ordinal;
    /* private to opening.c */
    uint32_t state;   /* enum opening_state; callers sleep on it */
    uint32_t process; /* gg_this_process() of the process that began; 0: none */
    uint32_t thread;  /* the system's number of the opening's thread; 0: none yet */
    const char *why;
    double began_ms;
    double again_ms;   /* after a failed start of a thread: the time to try again */
    uint32_t given_up; /* 1: a caller has waited too long */
};

/* Returns the state for this process. *why (unless NULL): the reason of a failure,
** otherwise "". */
enum opening_state gg_opening_state(const struct opening *o, const char **why);
/* Begins the opening unless it has begun. Never waits. Returns false if it is neither
** under way nor open. */
bool gg_opening_begin(struct opening *o);
/* Returns the predicted milliseconds until the device is open; infinite if a caller has
** waited too long. */
double gg_opening_left_ms(const struct opening *o);
/* Returns the predicted rest of an opening that usually takes `usual` milliseconds, after
** `elapsed`. Near the usual end the rest is uncertain: the prediction is at least a tenth
** of the usual time. For a late opening it is this tenth plus the delay. */
static inline double gg_left_ms(double usual, double elapsed) {
    double left = usual - elapsed, more = usual / 10 + (left < 0 ? -left : 0);
    return left > more ? left : more;
}
/* Returns true if exit() has begun. Then no opening begins. */
bool gg_process_ends(void);
/* Registers the handler that waits for openings, so that it runs before all handlers that
** are registered now. */
void gg_await_openings_at_exit(void);
/* Waits while the opening is under way, at most `ms` milliseconds (negative: no limit),
** or until the run must end. Returns the state. */
enum opening_state gg_opening_wait(struct opening *o, double ms, gpugraph_run *run);

GG_END_C
#endif
