/* The grid barrier of several devices: their kernels wait for each other and report
** numbers, without the host. Each device runs one cooperative kernel, and all of its
** blocks call several_barrier_by_one.
**
**     blocks of a device   add to words of the tally, arrive, wait for the next round
**     block 0              waits for them, writes its device's tally to every device's
**                          desk, waits for all tallies on its own desk, combines them,
**                          opens the next round
**
**     tally[3]     in own memory: one is filled, one was sent, one is cleared
**     slot[2][p]   in own memory, written by device p: its report, and a flag
**     outcome[2]   in own memory: the combined words
**
** A device can be one round ahead of another one, which then still reads the previous
** round. So two slots and two outcomes suffice. A stopped device says so in its report,
** and all leave after that barrier. Waiting polls the stop word and is bounded in time,
** so a device that never arrives ends the others.
**
** A block's stores into another device's memory before it arrives are visible there after
** the barrier. Without peer access a kernel returns at the barrier, and the host combines
** the tallies. The code uses base/warp.h, so that tests run it on CPU threads, a thread
** for each block. */
#ifndef GPUGRAPH_SEVERAL_BARRIER_CUH
#define GPUGRAPH_SEVERAL_BARRIER_CUH

#include "base/warp.h"
#include "distributed/partition/places.h"

#ifndef __CUDACC__
#include "platform.h"
#endif

enum {
    SEVERAL_MOST = 16, /* devices at a barrier */
    SEVERAL_WORDS = 8, /* numbers in a report */
    /* SEVERAL_LOOKS: polls of a word between two looks at the clock and at the stop word,
    ** which is across the bus. SEVERAL_LOOK: rounds between two looks at the stop word
    ** alone. */
    SEVERAL_LOOKS = 256,
    SEVERAL_LOOK = 16
};

/* What a device reports at one barrier. */
struct several_tally {
    uint64_t word[SEVERAL_WORDS];    /* for all devices */
    uint64_t messages[SEVERAL_MOST]; /* how many messages go to each receiver */
};

struct several_slot {
    uint64_t word[SEVERAL_WORDS];
    uint64_t messages;
    uint64_t stop;   /* the sender ends */
    uint64_t flag;   /* round + 1: the slot is complete */
    uint64_t pad[5]; /* a slot is a multiple of a cache line */
};

/* The combined reports of all devices. */
struct several_outcome {
    uint64_t word[SEVERAL_WORDS];    /* combined */
    uint64_t messages[SEVERAL_MOST]; /* from each sender */
};

enum several_trouble { SEVERAL_STOPPED = 1, SEVERAL_ABSENT = 2 };

struct several_desk { /* starts as zeros */
    struct several_slot slot[2][SEVERAL_MOST];
    struct several_tally tally[3];
    struct several_outcome outcome[2];
    uint64_t arrived; /* blocks, summed over all rounds of a launch */
    uint64_t opened;  /* twice the completed rounds of a launch; odd: all devices end */
    uint64_t round;   /* the first round of the launch, after barriers on the host */
    uint32_t trouble; /* enum several_trouble, in bits */
    uint32_t absent;  /* the device that did not arrive */
};

/* How words of all devices are combined. Bit i of `largest`: word i is their maximum. Bit
** i of `carried`: words i and i + 1 are the halves of a 128-bit sum, the low one first.
** Other words are 64-bit sums. */
struct several_combining {
    uint32_t largest, carried;
};

/* A kernel's argument, by value. */
struct several_barrier {
    struct several_desk *desk[SEVERAL_MOST]; /* by device; without peers only desk[me] */
    uint32_t me, parts;
    uint32_t peers;  /* kernels reach each other's memory */
    uint32_t blocks; /* of this device's kernel */
    struct several_combining combining;
    uint64_t patience_ns; /* how long a device waits for another one */
    const uint32_t *stop; /* set by the host */
};

/* ---- reporting: by any thread, before its block arrives ---- */

WARP_FUNCTION void several_report(const struct several_barrier *m, uint64_t round,
                                  unsigned word, uint64_t more) {
    device_add_64(&m->desk[m->me]->tally[round % 3].word[word], more);
}
WARP_FUNCTION void several_report_largest(const struct several_barrier *m, uint64_t round,
                                          unsigned word, uint64_t value) {
    device_max_64(&m->desk[m->me]->tally[round % 3].word[word], value);
}
WARP_FUNCTION void several_report_messages(const struct several_barrier *m,
                                           uint64_t round, unsigned receiver,
                                           uint64_t more) {
    device_add_64(&m->desk[m->me]->tally[round % 3].messages[receiver], more);
}

/* ---- the report of a completed round ---- */

WARP_FUNCTION uint64_t several_received(const struct several_barrier *m, uint64_t round,
                                        unsigned word) {
    return device_load_64(&m->desk[m->me]->outcome[round % 2].word[word]);
}
/* Loads all words of a round at once. */
WARP_FUNCTION void several_received_all(const struct several_barrier *m, uint64_t round,
                                        uint64_t word[SEVERAL_WORDS]) {
    WARP_UNROLL
    for (unsigned i = 0; i < SEVERAL_WORDS; i++)
        word[i] = device_load_64(&m->desk[m->me]->outcome[round % 2].word[i]);
}
WARP_FUNCTION uint64_t several_received_messages(const struct several_barrier *m,
                                                 uint64_t round, unsigned sender) {
    return device_load_64(&m->desk[m->me]->outcome[round % 2].messages[sender]);
}

/* Combines other[] into word[]. */
GG_ANYWHERE void several_combine(const struct several_combining *combining,
                                 uint64_t *word, const uint64_t *other) {
    uint64_t carry = 0;
    for (unsigned i = 0; i < SEVERAL_WORDS; i++) {
        uint64_t before = word[i];
        if (combining->largest >> i & 1) {
            word[i] = other[i] > before ? other[i] : before;
            carry = 0;
            continue;
        }
        word[i] = before + other[i] + carry;
        bool over = carry ? word[i] <= before : word[i] < before;
        carry = over && (combining->carried >> i & 1) ? 1 : 0;
    }
}

/* ---- the barrier ---- */

WARP_FUNCTION uint64_t several_clock_ns(void) {
#ifdef __CUDACC__
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#else
    return (uint64_t)(gg_now_ms() * 1e6);
#endif
}

/* For all devices, whatever this thread has seen precedes its later stores. One fence
** serves the flags of all devices; CPU threads store each flag with a release. */
WARP_FUNCTION void several_fence(void) {
#ifdef __CUDACC__
    asm volatile("fence.acq_rel.sys;" ::: "memory");
#endif
}
WARP_FUNCTION void several_publish(uint64_t *at, uint64_t value) {
#ifdef __CUDACC__
    system_store_64(at, value);
#else
    system_publish_64(at, value);
#endif
}

/* Makes stores visible that their thread made before it stored *at. far: a thread of
** another device. One fence is cheaper than another load with acquire semantics. */
WARP_FUNCTION void several_acquire(uint64_t *at, bool far) {
#ifdef __CUDACC__
    (void)at;
    if (far)
        asm volatile("fence.acq_rel.sys;" ::: "memory");
    else
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
#else
    (void)far;
    system_acquire_64(at);
#endif
}

/* Waits until *at is `value` or more; several_acquire makes earlier stores visible.
** False: this device ends. Block 0 watches the stop word and the clock, and sets
** `trouble`, which all blocks watch. */
WARP_FUNCTION bool several_await(const struct several_barrier *m, uint64_t *at,
                                 uint64_t value, bool watch) {
    struct several_desk *own = m->desk[m->me];
    uint64_t began = 0;
    for (uint32_t looks = 1; system_load_64(at) < value; looks++) {
#ifndef __CUDACC__
        gg_yield();
#endif
        if (looks % SEVERAL_LOOKS != 0)
            continue;
        if (watch) {
            uint64_t now = several_clock_ns();
            began = began ? began : now;
            if (host_load(m->stop) != 0)
                device_or(&own->trouble, SEVERAL_STOPPED);
            else if (now - began > m->patience_ns)
                device_or(&own->trouble, SEVERAL_ABSENT);
        }
        if (device_load(&own->trouble) != 0)
            return false;
    }
    return true;
}

/* A device's report in registers, whose loads overlap. */
struct several_sent {
    uint64_t word[SEVERAL_WORDS], messages, stop;
};

/* Block 0 sends the report after all blocks have arrived. The device's own report needs
** no slot. */
WARP_FUNCTION struct several_sent several_put_tally(const struct several_barrier *m,
                                                    uint64_t round) {
    struct several_desk *own = m->desk[m->me];
    struct several_tally *tally = &own->tally[round % 3];
    struct several_sent t;
    uint64_t messages[SEVERAL_MOST];
    t.stop = device_load(&own->trouble) != 0 ||
             (round % SEVERAL_LOOK == 0 && host_load(m->stop) != 0);
    t.messages = device_load_64(&tally->messages[m->me]);
    WARP_UNROLL
    for (unsigned i = 0; i < SEVERAL_WORDS; i++)
        t.word[i] = device_load_64(&tally->word[i]);
    WARP_UNROLL
    for (uint32_t q = 0; q < SEVERAL_MOST; q++)
        messages[q] = q < m->parts ? device_load_64(&tally->messages[q]) : 0;
    WARP_UNROLL
    for (uint32_t q = 0; q < SEVERAL_MOST; q++) {
        if (q >= m->parts)
            break;
        if (q == m->me)
            continue;
        struct several_slot *slot = &m->desk[q]->slot[round % 2][m->me];
        WARP_UNROLL
        for (unsigned i = 0; i < SEVERAL_WORDS; i++)
            system_store_64(&slot->word[i], t.word[i]);
        system_store_64(&slot->messages, messages[q]);
        system_store_64(&slot->stop, t.stop);
    }
    if (m->parts > 1)
        several_fence();
    for (uint32_t q = 0; q < m->parts; q++)
        if (q != m->me)
            several_publish(&m->desk[q]->slot[round % 2][m->me].flag, round + 1);
    return t;
}

/* False if a device did not arrive, or this one ends. */
WARP_FUNCTION bool several_await_tallies(const struct several_barrier *m,
                                         uint64_t round) {
    struct several_desk *own = m->desk[m->me];
    for (uint32_t p = 0; p < m->parts; p++) {
        if (p != m->me &&
            !several_await(m, &own->slot[round % 2][p].flag, round + 1, true)) {
            device_store(&own->absent, p);
            return false;
        }
    }
    for (uint32_t p = 0; p < m->parts; p++)
        if (p != m->me)
            several_acquire(&own->slot[round % 2][p].flag, true);
    return true;
}

/* Combines the reports of all devices. True if any of them ends. */
WARP_FUNCTION bool several_add_up(const struct several_barrier *m, uint64_t round,
                                  struct several_sent *t) {
    struct several_desk *own = m->desk[m->me];
    struct several_outcome *outcome = &own->outcome[round % 2];
    device_store_64(&outcome->messages[m->me], t->messages);
    for (uint32_t p = 0; p < m->parts; p++) {
        struct several_slot *slot = &own->slot[round % 2][p];
        uint64_t word[SEVERAL_WORDS];
        if (p == m->me)
            continue;
        WARP_UNROLL
        for (unsigned i = 0; i < SEVERAL_WORDS; i++)
            word[i] = system_load_64(&slot->word[i]);
        uint64_t messages = system_load_64(&slot->messages);
        t->stop |= system_load_64(&slot->stop);
        several_combine(&m->combining, t->word, word);
        device_store_64(&outcome->messages[p], messages);
    }
    WARP_UNROLL
    for (unsigned i = 0; i < SEVERAL_WORDS; i++)
        device_store_64(&outcome->word[i], t->word[i]);
    return t->stop != 0;
}

/* Clears the tally of the previous round for the round after next. */
WARP_FUNCTION void several_clear_tally(const struct several_barrier *m, uint64_t round) {
    struct several_tally *tally = &m->desk[m->me]->tally[(round + 2) % 3];
    for (unsigned i = 0; i < SEVERAL_WORDS; i++)
        device_store_64(&tally->word[i], 0);
    for (uint32_t q = 0; q < m->parts; q++)
        device_store_64(&tally->messages[q], 0);
}

/* Called by one thread of each block, when its block is done with the round. False: all
** devices end. A block's stores into another device's memory are ordered before its
** arrival, which block 0 acquires; so the fence before the flags covers them. An odd
** `opened` ends all. */
WARP_FUNCTION bool several_barrier_by_one(const struct several_barrier *m, uint32_t block,
                                          uint64_t round) {
    struct several_desk *own = m->desk[m->me];
    device_arrive_64(&own->arrived, 1);
    if (block > 0) {
        if (!several_await(m, &own->opened, 2 * (round + 1), false))
            return false;
        several_acquire(&own->opened, false);
        return system_load_64(&own->opened) % 2 == 0;
    }
    if (!several_await(m, &own->arrived, (round + 1) * m->blocks, true))
        return false;
    several_acquire(&own->arrived, false);
    struct several_sent t = several_put_tally(m, round);
    several_clear_tally(m, round);
    if (!several_await_tallies(m, round))
        return false;
    const bool stops = several_add_up(m, round, &t);
    device_publish_64(&own->opened, 2 * (round + 1) + stops);
    return !stops;
}

/* ---- messages ----
**
**     inbox[turn]    in the receiver's memory: a box of `stride` entries for each sender
**     turn           round % 2: a sender may be a round ahead of a receiver
**
** A sender reserves entries of its box by its tally's counter for that receiver, and
** stores messages there before it arrives. In the next round the receiver reads as many
** entries as several_received_messages says. Messages need no other ordering than the
** barrier. */

/* The first entry of the box for `other` in an inbox or outbox of `own`. `own` has no box
** for itself. */
GG_ANYWHERE uint64_t several_box(uint32_t own, uint32_t other, uint32_t stride) {
    return (uint64_t)(other < own ? other : other - 1) * stride;
}

/* Reserves entries for `count` messages to that receiver and returns the first. One lane
** calls for all that write with it. */
WARP_FUNCTION uint64_t several_reserve_messages(const struct several_barrier *m,
                                                uint64_t round, uint32_t receiver,
                                                uint32_t count) {
    uint64_t *counter = &m->desk[m->me]->tally[round % 3].messages[receiver];
#ifdef __CUDACC__
    return atomicAdd((unsigned long long *)counter, (unsigned long long)count);
#else
    return __atomic_fetch_add(counter, count, __ATOMIC_RELAXED);
#endif
}

#endif
