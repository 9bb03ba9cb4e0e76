/* What a process has paid for having no device open: like a rent, until opening one is worth its
** price. Every search that ran on the CPU adds what it would have saved on a device. */
#ifndef GPUGRAPH_RENT_H
#define GPUGRAPH_RENT_H

#include "cost.h"

#include <stdbool.h>
#include <stdint.h>

struct rent {
    int64_t microseconds; /* from any thread */
};

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

/* Is it time to open what usually takes so long? worth_ms: what is about to be saved. lasts_ms: how long the
** process is predicted to search from now on. exit() would wait for the rest of an opening that takes longer. */
static inline bool gg_opening_pays(double rent_ms, double worth_ms, double lasts_ms,
                                   double usual_ms) {
    return worth_ms > 0 && rent_ms + worth_ms >= usual_ms * GG_OPENING_SHARE &&
           lasts_ms >= usual_ms;
}

#endif
