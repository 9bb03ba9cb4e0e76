/* Letters: entries that a device writes into another one's memory in one round, and that this one reads in the
** next.
**
**     inbox[turn]    in the receiver's memory: a box for each sender but itself, `stride` entries
**     turn           round % 2: a sender may be a round ahead of a receiver that still reads
**
**     sender    reserves places in its box at the receiver, stores letters there, meets
**     receiver  meets; the box holds as many as it was told (several_told_letters)
**
** How many there are is the tally's own word for that receiver: it hands out places, and is told with the
** rest. Letters themselves need no order but the meeting's (meet.cuh). */
#ifndef GPUGRAPH_SEVERAL_LETTERS_H
#define GPUGRAPH_SEVERAL_LETTERS_H

#include "distributed/partition/places.h"
#include "meet.cuh"

/* The first entry of the box for `other` in what `own` has: nobody writes to itself. */
PLACES_FUNCTION uint64_t several_box(uint32_t own, uint32_t other, uint32_t stride) {
    return (uint64_t)(other < own ? other : other - 1) * stride;
}

/* Places for so many letters to that receiver; returns the first. One lane, for whoever writes with it. */
WARP_FUNCTION uint64_t several_reserve_letters(const struct several_meeting *m,
                                               uint64_t round, uint32_t receiver,
                                               uint32_t count) {
    uint64_t *told = &m->desk[m->me]->tally[round % 3].letters[receiver];
#ifdef __CUDACC__
    return atomicAdd((unsigned long long *)told, (unsigned long long)count);
#else
    return __atomic_fetch_add(told, count, __ATOMIC_RELAXED);
#endif
}

#endif
