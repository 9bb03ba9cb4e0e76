/* Teams: the pool of threads of a process, and the loops that share it.
**
**     host thread A   gg_team(4, ...)   | member 0 |          works, waits for the others
**     host thread B   gg_team(4, ...)        | member 0 |     finds one idle: a team of 2
**                                       +----+-----+---------------
**     pool: worker 0                    | A's member 1 |  idle
**           worker 1                    | A's member 2 |  idle
**           worker 2                         | B's member 1 |  idle
**
** A team creates workers on first need: as many as the largest team has asked for,
** without its caller. Workers stay: an idle worker looks for work for a moment and then
** sleeps. All callers share the workers. A caller that finds fewer idle workers than it
** wants works with these workers, or alone. The system may also refuse to provide a
** thread. So a team may be smaller than requested, and no body may depend on its size.
** A member may start a team of its own.
**
** A child of fork() starts with an empty pool, whatever the threads of its parent did. */
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
/* Announces that until this time of gg_now_ms (0: no longer) a thread outside teams has
** work of its own: the start of a driver. */
void gg_share_cores(double until_ms);

/* Returns 1 plus the number of forks between the process that loaded the library and this
** process: a number that differs between a process and its parent. */
uint32_t gg_this_process(void);
/* Surround work that a child must not find half done: fork() in another thread waits for
** its end. The work must end, and must not wait for a thread that may fork. Several
** threads may be in such work. */
void gg_hold_forks(void);
void gg_let_forks(void);

/* Runs body(job, member, team) in the members of a team of at most `threads` members;
** member 0 is the calling thread. Returns when all members that have begun are done. A
** member that has not begun when the caller's part is done is called off. So a body
** distributes its work in portions, and no member waits for another one to begin. */
typedef void gg_team_body(void *job, int member, int team);
void gg_team(int threads, gg_team_body *body, void *job);

/* Loops: each item is processed once, by any member, on at most `threads` threads.
** Results are visible after the loop, and not to other members before. */

/* Runs part(job, i) for each i of 0 .. parts - 1. */
typedef void gg_part(void *job, uint64_t i);
void gg_parts(int threads, uint64_t parts, gg_part *part, void *job);
/* Runs range(job, low, high) for `threads` equal slices of 0 .. count - 1. */
typedef void gg_span(void *job, uint64_t low, uint64_t high);
void gg_slices(int threads, uint64_t count, gg_span *range, void *job);
/* Runs range(job, low, high) for pieces of `chunk` items: for items of unequal cost. */
void gg_chunks(int threads, uint64_t count, uint64_t chunk, gg_span *range, void *job);

/* Takes the next items [*low, *high) of `count`, at most `chunk`, behind *taken, for a
** member of a team. Returns false if none are left. */
static inline bool gg_take_chunk(uint64_t *taken, uint64_t count, uint64_t chunk,
                                 uint64_t *low, uint64_t *high) {
    *low = __atomic_fetch_add(taken, chunk, __ATOMIC_RELAXED);
    *high = *low + chunk < count ? *low + chunk : count;
    return *low < count;
}

/* Returns where part number `part` of `parts` equal slices of n items begins. */
static inline uint64_t gg_slice(uint64_t n, int part, int parts) {
    return n / (uint64_t)parts * (uint64_t)part +
           n % (uint64_t)parts * (uint64_t)part / (uint64_t)parts;
}

/* The smallest and the largest value that several members find. (A sum is
** __atomic_fetch_add.) */
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
