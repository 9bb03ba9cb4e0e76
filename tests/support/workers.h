/* Threads that start together and may be stopped by a word that they read. */
#ifndef GPUGRAPH_TEST_WORKERS_H
#define GPUGRAPH_TEST_WORKERS_H

#include "expect.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>

enum { ALL_WORKERS = 64 };

struct worker {
    pthread_t id;
    pthread_barrier_t *start;
    void (*work)(void *memory, uint32_t number);
    void *memory;
    uint32_t number;
};

static inline void *one_worker(void *argument) {
    struct worker *worker = argument;
    pthread_barrier_wait(worker->start);
    worker->work(worker->memory, worker->number);
    return NULL;
}

/* Runs work(memory, 0 .. workers - 1), each in a thread. stop_after_us: when *stop
** becomes 1; 0: never. */
static inline void run_workers(uint32_t workers,
                               void (*work)(void *memory, uint32_t number), void *memory,
                               uint32_t *stop, uint32_t stop_after_us) {
    struct worker worker[ALL_WORKERS];
    pthread_barrier_t start;
    ck_assert_uint_le(workers, ALL_WORKERS);
    pthread_barrier_init(&start, NULL, workers);
    for (uint32_t i = 0; i < workers; i++) {
        worker[i] = (struct worker){0, &start, work, memory, i};
        ck_assert_int_eq(pthread_create(&worker[i].id, NULL, one_worker, &worker[i]), 0);
    }
    if (stop_after_us) {
        struct timespec pause = {0, (long)stop_after_us * 1000};
        nanosleep(&pause, NULL);
        __atomic_store_n(stop, 1, __ATOMIC_RELAXED);
    }
    for (uint32_t i = 0; i < workers; i++)
        pthread_join(worker[i].id, NULL);
    pthread_barrier_destroy(&start);
}

#endif
