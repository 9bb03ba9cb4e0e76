/* The choice between CPU and device, by numbers alone: of one search, and of the session it is part of.
**
**     stakes     what the search is predicted to take on either side, and what of that stays
**     outlook    is a device open, when will it be, what has been paid for having none
**        |  gg_weigh
**        v
**     course     where it runs, how long a device is waited for, whether one is begun to be opened
**
** Two things are rented or bought. A device is rented, so to speak, as long as searches run on the CPU
** that would have been faster there; it is bought, opened, once the rent has come to a share of the
** price, small since searches do not wait for it, and once the process is predicted to search for as long as opening
** takes: exit() waits for the rest of it. So is a graph's copy: its first searches may run on the CPU
** although the device is open, until what they took beyond has come to what the copy costs.
**
** gg_weigh knows no time, no graph and no device, so tests can play sessions (weigh_test.c). */
#ifndef GPUGRAPH_WEIGH_H
#define GPUGRAPH_WEIGH_H

#include "cost.h"
#include "opening.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Milliseconds but for searches. */
struct stakes {
    double cpu, cuda;             /* all of it; the device is open */
    double cpu_stays, cuda_stays; /* of that: rows, a copy, which later searches find */
    double searches;              /* of the graph, before this one: taken to be like it */
    double ahead;                 /* that the device will surely save right afterwards */
};

struct outlook {
    enum opening_state state;
    double left_ms,
        usual_ms;   /* until it is open; that opening takes, from its beginning */
    double rent_ms; /* that this process has paid */
    double
        session_ms; /* since its first search: as long again it is predicted to search */
};

struct course {
    bool on_device;
    bool begin;     /* to open a device */
    double wait_ms; /* for it at most; 0: not at all. If it then is open: on_device */
    double rent;    /* to be added to the process's, if the search then runs on the CPU */
};

struct course gg_weigh(const struct stakes *s, const struct outlook *o);

/* ---- in this process ---- */

/* The time that this process has lost because a device was not open. Every search adds the
** time that it would have saved on that device; opening pays once the sum is large enough. */
struct rent {
    int64_t microseconds; /* from any thread */
};
extern struct rent gg_rent_paid;

static inline double gg_rent_ms(const struct rent *r) {
    return (double)__atomic_load_n(&r->microseconds, __ATOMIC_RELAXED) * 1e-3;
}

static inline void gg_rent_add(struct rent *r, double ms) {
    const double most_ms = 1e9; /* of one search, whatever is predicted */
    if (ms > 0)
        __atomic_add_fetch(&r->microseconds,
                           (int64_t)((ms < most_ms ? ms : most_ms) * 1e3),
                           __ATOMIC_RELAXED);
}

/* Is it time to open what usually takes so long? worth_ms: what is about to be saved.
** lasts_ms: how long the process is predicted to search from now on. exit() would wait for
** the rest of an opening that takes longer. */
static inline bool gg_opening_pays(double rent_ms, double worth_ms, double lasts_ms,
                                   double usual_ms) {
    return worth_ms > 0 && rent_ms + worth_ms >= usual_ms * GG_OPENING_SHARE &&
           lasts_ms >= usual_ms;
}

/* Milliseconds since this process first asked. */
double gg_session_ms(void);
/* How things stand with run->device and in this process. */
struct outlook gg_look_at_session(const gpugraph_run *run);
/* gg_weigh in view of run->device and of this process; and what follows is done: a device is begun to
** be opened, waited for (phase "context"), or its lack is added to the rent. What comes back says on_device
** where the device is there and is to be taken. */
struct course gg_take_course(gpugraph_run *run, const struct stakes *s);

#ifdef __cplusplus
}
#endif
#endif
