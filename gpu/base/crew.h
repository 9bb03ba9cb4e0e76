/* A crew: threads that help the calling one with steps of a search, where they can.
**
**     caller    | alone |  step 1  | alone |  step 2  | ...        crew_share opens a step
**     helper            |  enters, works, leaves |   late: did not come, is not missed
**
** A barrier waits for every thread, also for one that the system has put aside for another
** program: on a busy machine each costs a scheduler's slice, and a search has hundreds of
** steps. Here the caller waits only for those that have entered a step, and works it to its
** end itself if nobody comes. So a step must hand its work out in portions (an atomic
** counter), and be done when they are.
**
** Everything written before crew_share is seen in the step, and everything that the step
** wrote is seen after it. */
#ifndef GPUGRAPH_CREW_H
#define GPUGRAPH_CREW_H

#include "platform.h"
#include "team.h"

#include <stdbool.h>
#include <stdint.h>

typedef void crew_step(void *job, int member);

struct crew { /* zeroed but for job; members are numbered from 0, the caller */
    void *job;
    crew_step *step;
    uint64_t steps;  /* begun so far */
    uint64_t open;   /* number of the step that may be entered, 0: none */
    uint32_t inside; /* helpers that have entered, or are looking whether they may */
    bool dismissed;
};

/* The caller: does the step, with whoever comes. */
static inline void crew_share(struct crew *crew, crew_step *step) {
    crew->step = step;
    __atomic_store_n(&crew->open, ++crew->steps, __ATOMIC_SEQ_CST);
    step(crew->job, 0);
    __atomic_store_n(&crew->open, 0, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&crew->inside, __ATOMIC_SEQ_CST) > 0)
        gg_yield();
}

/* The caller: sends the helpers home. */
static inline void crew_dismiss(struct crew *crew) {
    __atomic_store_n(&crew->dismissed, true, __ATOMIC_RELEASE);
}

/* A helper with nothing to do: first yields, and after about a millisecond of that sleeps,
** which lets the processor go but costs up to 0.1 ms when a step opens. */
static inline void crew_idle(uint32_t *turns) {
    const double nap_ms = 0.05;
    if (++*turns < 4000)
        gg_yield();
    else
        gg_sleep(nap_ms);
}

/* A helper: takes part in steps until it is dismissed. It enters before it looks again
** whether the step is open; the caller closes it before looking who is inside: so one of
** them sees the other. */
static inline void crew_attend(struct crew *crew, int member) {
    uint64_t done = 0;
    uint32_t turns = 0;
    while (!__atomic_load_n(&crew->dismissed, __ATOMIC_ACQUIRE)) {
        uint64_t open = __atomic_load_n(&crew->open, __ATOMIC_ACQUIRE);
        if (open == 0 || open == done) {
            crew_idle(&turns);
            continue;
        }
        __atomic_fetch_add(&crew->inside, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&crew->open, __ATOMIC_SEQ_CST) == open) {
            crew->step(crew->job, member);
            done = open;
            turns = 0;
        }
        __atomic_fetch_sub(&crew->inside, 1, __ATOMIC_SEQ_CST);
    }
}

struct crew_led {
    struct crew *crew;
    void (*lead)(void *job);
};

static inline void crew_member(void *led, int member, int team) {
    const struct crew_led *l = led;
    (void)team;
    if (member > 0) {
        crew_attend(l->crew, member);
    } else {
        l->lead(l->crew->job);
        crew_dismiss(l->crew);
    }
}

/* lead(job) by the caller, with a team of at most `threads` that helps with its steps. */
static inline void crew_lead(struct crew *crew, int threads, void (*lead)(void *job)) {
    struct crew_led led = {crew, lead};
    gg_team(threads, crew_member, &led);
}

#endif
