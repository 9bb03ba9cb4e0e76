/* Teams: the pool of threads of a process, and the loops that share it.
**
**     host thread A   gg_team(4, ...)   | member 0 |          works, waits for the others
**     host thread B   gg_team(4, ...)        | member 0 |     one is idle: a team of 2
**                                       +----+-----+---------------
**     pool: worker 0                    | A's member 1 |  idle
**           worker 1                    | A's member 2 |  idle
**           worker 2                         | B's member 1 |  idle
**
** The pool has as many workers as the largest team requested, without its caller; a team
** creates workers that are missing. An idle worker polls for work for a moment and then
** sleeps. All callers share the workers. A caller that finds fewer idle workers than it
** wants works with these workers, or alone. The system may also refuse to provide a
** thread. So a team may be smaller than requested, and no body may depend on its size.
** A member may start a team of its own.
**
** A child of fork() starts with an empty pool. */
#ifndef GPUGRAPH_TEAM_H
#define GPUGRAPH_TEAM_H

#include "language.h"

#include <stdbool.h>
#include <stdint.h>

GG_BEGIN_C

/* The most threads of a team: arrays with a row for each thread stay small. */
#define GG_MOST_THREADS 256

/* Returns the number of threads for a caller that asks for `asked` threads. 0 or less
** means all: OMP_NUM_THREADS when the library was loaded, or the processors that this
** process may use, less those that other threads use (gg_share_cores). At most
** GG_MOST_THREADS. */
int gg_team_limit(int asked);
/* Announces that a thread outside teams, which starts a driver, needs processors until
** this time of gg_now_ms. 0: it needs them no longer. */
void gg_share_cores(double until_ms);

/* Returns 1 plus the number of forks between the process that loaded the library and this
** process: a number that differs between a process and its parent. */
uint32_t gg_this_process(void);
/* Both calls surround work that a child must not find half done: fork() in another thread
** waits until the work ends. The work must not wait for a thread that may fork. Several
** threads may hold forks at the same time. */
void gg_hold_forks(void);
void gg_let_forks(void);

/* Runs body(job, member, team) in the members of a team of at most `threads` members;
** member 0 is the calling thread. Returns when all members that have begun are done. If a
** member has not begun when member 0 is done, it never begins. So a body must distribute
** its work in portions, and no member may wait for another member to begin. */
typedef void gg_team_body(void *job, int member, int team);
void gg_team(int threads, gg_team_body *body, void *job);

/* Loops: each item is processed once, by any member, on at most `threads` threads.
** Results become visible to other members only after the loop. */

/* Runs part(job, i) for each i of 0 .. parts - 1. */
typedef void gg_part(void *job, uint64_t i);
void gg_parts(int threads, uint64_t parts, gg_part *part, void *job);
/* Runs range(job, low, high) for `threads` equal slices of 0 .. count - 1. */
typedef void gg_span(void *job, uint64_t low, uint64_t high);
void gg_slices(int threads, uint64_t count, gg_span *range, void *job);
/* Runs range(job, low, high) for pieces of `chunk` items: for items of unequal cost. */
void gg_chunks(int threads, uint64_t count, uint64_t chunk, gg_span *range, void *job);

/* A member takes the next items, at most `chunk`, of `count` items: *low .. *high - 1.
** *taken counts the items that members have taken. Returns false if none are left. */
static inline bool gg_take_chunk(uint64_t *taken, uint64_t count, uint64_t chunk,
                                 uint64_t *low, uint64_t *high) {
    *low = __atomic_fetch_add(taken, chunk, __ATOMIC_RELAXED);
    *high = *low + chunk < count ? *low + chunk : count;
    return *low < count;
}

/* Returns the first item of slice number `part` of `parts` equal slices of n items. */
static inline uint64_t gg_slice(uint64_t n, int part, int parts) {
    return n / (uint64_t)parts * (uint64_t)part +
           n % (uint64_t)parts * (uint64_t)part / (uint64_t)parts;
}

/* Several members find a minimum with gg_lower and a maximum with gg_raise (a sum with
** __atomic_fetch_add). */
static inline void gg_lower(uint64_t *least, uint64_t value) {
    uint64_t old = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (value < old &&
           !__atomic_compare_exchange_n(least, &old, value, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}
static inline void gg_raise(uint64_t *most, uint64_t value) {
    uint64_t old = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (value > old &&
           !__atomic_compare_exchange_n(most, &old, value, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

GG_END_C
#endif
