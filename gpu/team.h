/* Teams: the one pool of threads of a process, and the loops that share it.
**
**     host thread A   gg_team(4, ...)   | member 0 |          works, waits for the others, goes on
**     host thread B   gg_team(4, ...)        | member 0 |     finds one idle: a team of 2
**                                       +----+-----+---------------
**     pool: worker 0                    | A's member 1 |  idle
**           worker 1                    | A's member 2 |  idle
**           worker 2                         | B's member 1 |  idle
**
** Workers are made when a team first needs them, as many as the largest team has asked for
** less its caller, and stay: an idle one looks for work for a moment and then sleeps. Callers
** share them. Who finds fewer idle than it wants works with those, or alone; so does who
** wants more than the system gives threads. So a team may be smaller than asked for, and
** nothing that runs in one may count on a size. A member may open a team of its own.
**
** A child of fork() has no worker, and begins with an empty pool, whatever the threads of
** its parent were doing. */
#ifndef GPUGRAPH_TEAM_H
#define GPUGRAPH_TEAM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Threads of a team, whatever a caller asks for: arrays with a row for each thread stay
** small. */
#define GG_MOST_THREADS 256

/* Threads for a caller who asks for that many; 0 or less: for all there are, which is what
** OMP_NUM_THREADS said when the library was loaded, else the processors that this process
** may use, some of them left to those who share them. At most GG_MOST_THREADS. */
int gg_team_limit(int asked);
/* From now on until that time of gg_now_ms (0: no longer), a thread that is no team's has work of
** its own: a driver that is started. */
void gg_share_cores(double until_ms);

/* Forks between the process that loaded the library and this one. */
uint32_t gg_forks(void);
/* Tells a process from its parent; not 0. */
static inline uint32_t gg_this_process(void) {
    return 1 + gg_forks();
}
/* Around work that a child must not find half done: a fork() of another thread waits for its end. It must
** end, and wait for no thread that may fork. Several threads may be in such work. */
void gg_hold_forks(void);
void gg_let_forks(void);

/* body(job, member, team) by the members of a team of at most `threads`, numbered from 0, the
** calling thread. Returns when all who have begun are done. A member that has not begun by the
** time the caller's own part is done is called off: so a body hands its work out in portions,
** and nobody waits for another one to begin. */
typedef void gg_team_body(void *job, int member, int team);
void gg_team(int threads, gg_team_body *body, void *job);

/* The loops: every item once, by whoever is free, on at most `threads` threads. What one does
** is seen after the loop, and not before by the others. */

/* part(job, i) for each i of 0 .. parts - 1. */
typedef void gg_part(void *job, uint64_t i);
void gg_parts(int threads, uint64_t parts, gg_part *part, void *job);
/* range(job, low, high) for `threads` equal slices of 0 .. count - 1. */
typedef void gg_span(void *job, uint64_t low, uint64_t high);
void gg_slices(int threads, uint64_t count, gg_span *range, void *job);
/* The same for pieces of `chunk` items: where some items are more work than others. */
void gg_chunks(int threads, uint64_t count, uint64_t chunk, gg_span *range, void *job);

/* The next items [*low, *high) of `count`, `chunk` at most, behind *taken, for a member of a
** team. False: none are left. */
static inline bool gg_take_chunk(uint64_t *taken, uint64_t count, uint64_t chunk,
                                 uint64_t *low, uint64_t *high) {
    *low = __atomic_fetch_add(taken, chunk, __ATOMIC_RELAXED);
    *high = *low + chunk < count ? *low + chunk : count;
    return *low < count;
}

/* Where part number `part` of `parts` equal slices of n items begins. */
static inline uint64_t gg_slice(uint64_t n, int part, int parts) {
    return n / (uint64_t)parts * (uint64_t)part +
           n % (uint64_t)parts * (uint64_t)part / (uint64_t)parts;
}

/* What several members find together: smallest, largest. (A sum is __atomic_fetch_add.) */
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

#ifdef __cplusplus
}
#endif
#endif
