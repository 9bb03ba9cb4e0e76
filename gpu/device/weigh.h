/* Chooses between CPU and device for one search, by numbers alone.
**
**     stakes     the predicted times of the search on CPU and device
**     outlook    whether and when a device is open; the time lost so far without it
**        |  gg_weigh
**        v
**     course     where the search runs, how long it waits, whether a device is opened
**
** Two decisions are like renting and buying. If a search runs on the CPU but would be
** faster on a device, the lost time is the rent. Two conditions open the device. First,
** the rent reaches a share of the opening time; the share is small because searches do
** not wait for the opening. Second, the process is predicted to search for as long as the
** opening takes, because exit() waits for the opening's end. A graph's copy follows the
** first rule: until the lost time reaches a share of the copy's time, searches may run on
** the CPU although the device is open.
**
** gg_weigh reads no clock, graph or device, so tests can simulate sessions
** (weigh_test.c). */
#ifndef GPUGRAPH_WEIGH_H
#define GPUGRAPH_WEIGH_H

#include "cost.h"
#include "opening.h"

GG_BEGIN_C

/* Milliseconds, except for searches. */
struct stakes {
    double cpu, cuda;             /* the whole search, with an open device */
    double cpu_stays, cuda_stays; /* the part that later searches find: rows, a copy */
    double searches; /* earlier searches of the graph, assumed to be like this one */
    double ahead;    /* time that the device will certainly save right afterwards */
};

struct outlook {
    enum opening_state state;
    double left_ms, usual_ms; /* until the device is open; the usual opening time */
    double rent_ms;           /* lost time of this process so far */
    /* Since the first search; the session is predicted to last as long again. */
    double session_ms;
};

struct course {
    bool on_device;
    bool begin;     /* begin to open a device */
    double wait_ms; /* the longest wait for the device; if it opens, on_device; 0: none */
    double rent;    /* lost time to add if the search runs on the CPU */
};

struct course gg_weigh(const struct stakes *s, const struct outlook *o);

/* ---- in this process ---- */

/* The time that this process has lost because a device was not open. Every search adds
** the time that it would have saved on the device; opening pays once the sum is large
** enough. */
double gg_rent_ms(void);
void gg_rent_add(double ms);

/* Returns true if it is time to open a device that usually takes `usual_ms`. worth_ms:
** the time about to be saved. lasts_ms: how long the process is predicted to search from
** now on; exit() would wait for the rest of a longer opening. */
static inline bool gg_opening_pays(double rent_ms, double worth_ms, double lasts_ms,
                                   double usual_ms) {
    return worth_ms > 0 && rent_ms + worth_ms >= usual_ms * GG_OPENING_SHARE &&
           lasts_ms >= usual_ms;
}

/* Returns the milliseconds since the first call in this process. */
double gg_session_ms(void);
/* Returns the outlook for run->device in this process. */
struct outlook gg_look_at_session(const gpugraph_run *run);
/* Applies gg_weigh to run->device and this process, and acts: it begins to open the
** device, waits for it (phase "context"), or adds to the lost time. The result has
** on_device set if the device is open and the search must use it. */
struct course gg_take_course(gpugraph_run *run, const struct stakes *s);

GG_END_C
#endif
