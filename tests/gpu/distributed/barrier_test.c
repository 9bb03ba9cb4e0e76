/* Places and barriers of several devices on CPU threads, a thread for each block. The
** thread sanitizer checks the order that a barrier gives. */
#include <stdint.h>
#include <stdlib.h>

static void jitter(void);
#define WARP_JITTER() jitter()
#include "distributed/devices/barrier.cuh"
#include "distributed/partition/places.h"
#include "graphs.h"
#include "several_number.h"
#include "share.h"
#include "suite.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

static _Thread_local uint64_t dice;

/* Makes a thread late sometimes. */
static void jitter(void) {
    if (shape_random(&dice) % 16 == 0)
        sched_yield();
}

/* ---- places ---- */

static void check_places(uint32_t n, uint32_t parts, uint32_t shift) {
    struct several_places p;
    ck_assert(several_lay_out(&p, n, parts, shift));
    ck_assert_uint_eq(p.stride % SEVERAL_UNIT, 0);
    uint8_t *taken = calloc(several_all_places(&p), 1);
    uint32_t *has = calloc(parts, sizeof *has);
    bool right = true;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t s = several_place(&p, v), owner = several_owner(&p, s);
        right = right && s < several_all_places(&p) && !taken[s]++ &&
                several_number(&p, s) == v &&
                several_number_of(&p, owner, s - several_first(&p, owner)) == v;
        has[owner]++;
    }
    ck_assert_msg(right, "%u vertices, %u parts: a place or a number", n, parts);
    for (uint32_t q = 0; q < parts; q++) {
        /* Owners have one block of each group, so they differ by at most a block. */
        ck_assert(has[q] + (2u << shift) > n / parts &&
                  has[q] < n / parts + (2u << shift));
        for (uint32_t i = 0; i < p.stride; i++)
            right = right && !taken[several_first(&p, q) + i] == (i >= has[q]) &&
                    (several_number_of(&p, q, i) >= n) == (i >= has[q]);
        ck_assert_msg(right, "%u vertices, %u parts: gaps come last", n, parts);
    }
    free(has);
    free(taken);
}

START_TEST(every_vertex_has_one_place) {
    uint64_t seed = 7;
    for (uint32_t parts = 1; parts <= SEVERAL_MOST; parts++)
        for (uint32_t shift = 5; shift <= 10; shift++) {
            if (left_out(parts + shift))
                continue;
            check_places(0, parts, shift);
            check_places(1, parts, shift);
            check_places((1u << shift) * parts, parts, shift);
            check_places((1u << shift) * parts * 3 + 1, parts, shift);
            for (int i = 0; i < 3; i++)
                check_places((uint32_t)(shape_random(&seed) % 30000), parts, shift);
        }
}
END_TEST

START_TEST(too_many_vertices) {
    struct several_places p;
    ck_assert(!several_lay_out(&p, UINT32_MAX - 1, 16, 5));
    ck_assert(several_lay_out(&p, UINT32_MAX - 65536, 16, 5));
    uint32_t last = UINT32_MAX - 65537;
    ck_assert_uint_eq(several_number(&p, several_place(&p, last)), last);
}
END_TEST

/* ---- combining ---- */

START_TEST(sums_of_128_bits) {
    const struct several_combining ways = {.largest = 1u << 7,
                                           .carried = 1u << 0 | 1u << 3};
    uint64_t seed = 3;
    for (int turn = 0; turn < 2000; turn++) {
        uint64_t word[SEVERAL_WORDS] = {0}, plain = 0, most = 0;
        unsigned __int128 low = 0, high = 0;
        for (int p = 0; p < 5; p++) {
            uint64_t other[SEVERAL_WORDS];
            for (int i = 0; i < SEVERAL_WORDS; i++) {
                other[i] = shape_random(&seed);
                if (turn % 3 == 0) /* sums at the limit */
                    other[i] = other[i] % 3 - 1;
            }
            low += (unsigned __int128)other[1] << 64 | other[0];
            high += (unsigned __int128)other[4] << 64 | other[3];
            plain += other[5];
            most = other[7] > most ? other[7] : most;
            several_combine(&ways, word, other);
        }
        ck_assert(word[0] == (uint64_t)low && word[1] == (uint64_t)(low >> 64));
        ck_assert(word[3] == (uint64_t)high && word[4] == (uint64_t)(high >> 64));
        ck_assert(word[5] == plain && word[7] == most);
    }
}
END_TEST

/* ---- barriers ---- */

enum { BLOCKS = 3, ROUNDS = 60, MOST_THREADS = SEVERAL_MOST * BLOCKS };

struct hall {
    struct several_barrier barrier[SEVERAL_MOST];
    struct several_desk *desk[SEVERAL_MOST];
    /* Not atomic: what block b of device p has written into device q's memory in even and
    ** odd rounds. */
    uint64_t note[SEVERAL_MOST][SEVERAL_MOST][BLOCKS][2];
    uint32_t stop[SEVERAL_MOST];
    uint32_t parts, wrong, ended;
    int late;   /* this device is late in each round; -1: none */
    int absent; /* this device never arrives */
};

struct guest {
    struct hall *hall;
    uint32_t device, block;
};

static uint64_t noted(uint32_t p, uint32_t q, uint32_t b, uint64_t round) {
    return ((uint64_t)p << 40) + ((uint64_t)q << 32) + ((uint64_t)b << 24) + round + 1;
}

/* Compares the reports of the previous round, and what other devices have written
** here. */
static bool is_right(struct hall *h, const struct guest *g, uint64_t round) {
    const struct several_barrier *m = &h->barrier[g->device];
    const uint64_t parts = h->parts, blocks = parts * BLOCKS;
    uint64_t word[SEVERAL_WORDS];
    several_received_all(m, round, word);
    bool right = word[0] == blocks * (round + 1) && word[1] == parts - 1 + round &&
                 several_received(m, round, 0) == word[0];
    for (uint32_t p = 0; p < parts; p++) {
        right = right && several_received_messages(m, round, p) ==
                             BLOCKS * (uint64_t)(p * 100 + g->device);
        for (uint32_t b = 0; b < BLOCKS; b++)
            right = right &&
                    h->note[g->device][p][b][round % 2] == noted(p, g->device, b, round);
    }
    return right;
}

static void *attend(void *job) {
    const struct guest *g = job;
    struct hall *h = g->hall;
    const struct several_barrier *m = &h->barrier[g->device];
    dice = g->device * 1000 + g->block;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        if (round > 0 && !is_right(h, g, round - 1))
            __atomic_fetch_add(&h->wrong, 1, __ATOMIC_RELAXED);
        if (h->late == (int)g->device)
            for (int i = 0; i < 20; i++)
                sched_yield();
        several_report(m, round, 0, round + 1);
        several_report_largest(m, round, 1, g->device + round);
        for (uint32_t q = 0; q < h->parts; q++) {
            several_report_messages(m, round, q, g->device * 100 + q);
            h->note[q][g->device][g->block][round % 2] =
                noted(g->device, q, g->block, round);
        }
        if (!several_barrier_by_one(m, g->block, round)) {
            __atomic_fetch_add(&h->ended, 1, __ATOMIC_RELAXED);
            break;
        }
    }
    return NULL;
}

static struct hall *open_hall(uint32_t parts, uint64_t patience_ns) {
    struct hall *h = calloc(1, sizeof *h);
    h->parts = parts;
    h->late = h->absent = -1;
    for (uint32_t p = 0; p < parts; p++)
        h->desk[p] = calloc(1, sizeof *h->desk[p]);
    for (uint32_t p = 0; p < parts; p++) {
        struct several_barrier *m = &h->barrier[p];
        memcpy(m->desk, h->desk, sizeof h->desk);
        m->me = p;
        m->parts = parts;
        m->peers = 1;
        m->blocks = BLOCKS;
        m->combining = (struct several_combining){.largest = 1u << 1};
        m->patience_ns = patience_ns;
        m->stop = &h->stop[p];
    }
    return h;
}

static void close_hall(struct hall *h) {
    for (uint32_t p = 0; p < h->parts; p++)
        free(h->desk[p]);
    free(h);
}

/* All devices but the absent one arrive. stops: the host stops them after a moment. */
static void hold(struct hall *h, bool stops) {
    pthread_t thread[MOST_THREADS];
    struct guest guest[MOST_THREADS];
    uint32_t count = 0;
    for (uint32_t p = 0; p < h->parts; p++)
        for (uint32_t b = 0; b < BLOCKS && (int)p != h->absent; b++) {
            guest[count] = (struct guest){h, p, b};
            ck_assert_int_eq(pthread_create(&thread[count], NULL, attend, &guest[count]),
                             0);
            count++;
        }
    if (stops)
        for (uint32_t p = 0; p < h->parts; p++)
            __atomic_store_n(&h->stop[p], 1, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    ck_assert_uint_eq(h->wrong, 0);
}

START_TEST(all_hear_what_all_tell) {
    for (uint32_t parts = 1; parts <= SEVERAL_MOST;
         parts = parts < 4 ? parts + 1 : parts * 2) {
        if (left_out(parts))
            continue;
        for (int late = -1; late < (int)parts && late < 2; late++) {
            struct hall *h = open_hall(parts, UINT64_MAX);
            h->late = late;
            hold(h, false);
            ck_assert_uint_eq(h->ended, 0);
            close_hall(h);
        }
    }
}
END_TEST

/* All devices leave whenever they see the stop word, and none waits for one that has
** left. */
START_TEST(stopped) {
    for (uint32_t parts = 1; parts <= 5; parts++) {
        struct hall *h = open_hall(parts, UINT64_MAX);
        h->absent = parts > 1 ? (int)parts - 1 : -1;
        hold(h, true);
        ck_assert(parts == 1 || h->ended == (parts - 1) * BLOCKS);
        close_hall(h);
    }
}
END_TEST

START_TEST(one_that_never_comes) {
    for (uint32_t parts = 2; parts <= 5; parts++) {
        struct hall *h = open_hall(parts, 20000000);
        h->absent = (int)parts / 2;
        hold(h, false);
        ck_assert_uint_eq(h->ended, (parts - 1) * BLOCKS);
        for (uint32_t p = 0; p < parts; p++)
            if ((int)p != h->absent)
                ck_assert_uint_eq(h->desk[p]->trouble, SEVERAL_ABSENT);
        ck_assert_int_eq(h->desk[0]->absent == (uint32_t)h->absent || h->absent == 0, 1);
        close_hall(h);
    }
}
END_TEST

const struct suite suite = {
    .name = "barrier",
    .groups =
        {{.name = "places",
          .tags = "serial",
          .timeout = 60,
          .cases = {{&every_vertex_has_one_place},
                    {&too_many_vertices},
                    {&sums_of_128_bits}}},
         {.name = "barriers",
          .timeout = 240,
          .cases = {{&all_hear_what_all_tell}, {&stopped}, {&one_that_never_comes}}}},
};
