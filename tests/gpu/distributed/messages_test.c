/* Barriers and messages of several devices. A CPU thread replaces each block of a device.
** Every message arrives once, in the round after it was written, however late a device
** is. */
#include "distributed/devices/barrier.cuh"

#include "base/run.h"
#include "share.h"
#include "suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_PARTS = 5, MOST_BLOCKS = 3, STRIDE = 256, ROUNDS = 60, MOST_MESSAGES = 40 };

struct message {
    uint64_t round, value;
};

struct member {
    struct several_barrier barrier;
    struct several_desk desk;
    struct message inbox[2][MOST_PARTS * STRIDE];
    uint64_t received, messages; /* sum and number of values; block 0 counts */
    bool wrong;
};

struct block {
    struct member *all, *own;
    uint32_t number, blocks;
    uint64_t seed, sent, messages; /* sum and number of values */
};

static uint64_t dice(uint64_t *seed) {
    return gg_fixed_hash(*seed += 0x9e3779b97f4a7c15u);
}

static void read_messages(struct block *b, uint64_t round) {
    const struct several_barrier *m = &b->own->barrier;
    for (uint32_t p = 0; p < m->parts; p++) {
        const uint64_t count = p == m->me ? 0 : several_received_messages(m, round, p);
        for (uint64_t i = 0; i < count; i++) {
            const struct message *one =
                &b->own->inbox[round % 2][several_box(m->me, p, STRIDE) + i];
            if (one->round != round)
                __atomic_store_n(&b->own->wrong, true, __ATOMIC_RELAXED);
            b->own->received += one->value;
            b->own->messages++;
        }
    }
}

static void write_messages(struct block *b, uint64_t round) {
    const struct several_barrier *m = &b->own->barrier;
    const uint64_t some = dice(&b->seed) % MOST_MESSAGES;
    for (uint64_t i = 0; i < some; i++) {
        const uint32_t to = (uint32_t)(dice(&b->seed) % m->parts);
        const uint32_t count = 1 + (uint32_t)(dice(&b->seed) % 2);
        if (to == m->me)
            continue;
        const uint64_t first = several_reserve_messages(m, round, to, count);
        struct message *box =
            b->all[to].inbox[round % 2] + several_box(to, m->me, STRIDE);
        for (uint32_t k = 0; k < count; k++) {
            box[first + k] = (struct message){round, dice(&b->seed) >> 8};
            b->sent += box[first + k].value;
            b->messages++;
        }
    }
}

static void *run_block(void *block) {
    struct block *b = block;
    const struct timespec late = {0, 200000};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        if (round > 0 && b->number == 0)
            read_messages(b, round - 1);
        if (dice(&b->seed) % 16 == 0)
            nanosleep(&late, NULL);
        if (round < ROUNDS - 1)
            write_messages(b, round);
        several_report(&b->own->barrier, round, 0, 1);
        if (!several_barrier_by_one(&b->own->barrier, b->number, round)) {
            __atomic_store_n(&b->own->wrong, true, __ATOMIC_RELAXED);
            break;
        }
        if (several_received(&b->own->barrier, round, 0) !=
            (uint64_t)b->blocks * b->own->barrier.parts)
            __atomic_store_n(&b->own->wrong, true, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void exchange(uint32_t parts, uint32_t blocks, uint64_t seed) {
    static const uint32_t stop = 0;
    struct member *all = calloc(parts, sizeof *all);
    struct block block[MOST_PARTS * MOST_BLOCKS];
    pthread_t thread[MOST_PARTS * MOST_BLOCKS];
    uint64_t sent = 0, received = 0, written = 0, read = 0;
    for (uint32_t p = 0; p < parts; p++) {
        struct several_barrier *m = &all[p].barrier;
        *m = (struct several_barrier){.me = p, .parts = parts, .peers = 1};
        m->blocks = blocks;
        m->patience_ns = 60000000000u;
        m->stop = &stop;
        for (uint32_t q = 0; q < parts; q++)
            m->desk[q] = &all[q].desk;
    }
    for (uint32_t i = 0; i < parts * blocks; i++) {
        block[i] =
            (struct block){all, &all[i / blocks], i % blocks, blocks, seed + i, 0, 0};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, run_block, &block[i]), 0);
    }
    for (uint32_t i = 0; i < parts * blocks; i++) {
        pthread_join(thread[i], NULL);
        sent += block[i].sent;
        written += block[i].messages;
    }
    for (uint32_t p = 0; p < parts; p++) {
        ck_assert(!all[p].wrong);
        received += all[p].received;
        read += all[p].messages;
    }
    ck_assert_uint_eq(read, written);
    ck_assert_uint_eq(received, sent);
    ck_assert(written > 0 || parts == 1);
    free(all);
}

START_TEST(every_message_comes_once) {
    uint64_t turn = 0;
    for (uint32_t parts = 1; parts <= MOST_PARTS; parts++)
        for (uint32_t blocks = 1; blocks <= MOST_BLOCKS; blocks++)
            for (uint64_t seed = 1; seed <= 3; seed++)
                if (!left_out(turn++))
                    exchange(parts, blocks, seed);
}
END_TEST

const struct suite suite = {
    .name = "messages",
    .groups = {{.name = "messages",
                .timeout = 120,
                .cases = {{&every_message_comes_once}}}},
};
