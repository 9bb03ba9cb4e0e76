/* Bytes, and nibbles, that become rows of numbers of four bytes, or of one, in the host's memory, as depths do that
** come home from several devices at the same time: what of that the host can take.
**
**     bench_widen [MILLIONS [ROWS]]        entries of a row (4), rows (64)
**
**     WIDEN,bits,bytes of a number,callers,threads,ms,GB written in a second,ms past the caches,GB in a second,
**         ms so with a team for two pieces of 1 MiB in place of one,GB in a second    (all in one line)
**
** of all rows, the best of three. Callers share the rows, each with so many threads. Rows are in memory before. */
#include "base/run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLERS = 4, PIECE = 1 << 20 /* bytes that come at a time */ };

static uint64_t entries = 4 << 20;
static uint32_t rows = 64, next_row;
static void **row;
static enum way { PLAINLY, PAST_CACHES, TWO_PIECES } way;
static int bits, size, threads;

static bool is_there(void *of, int piece, bool wait) {
    (void)of, (void)piece, (void)wait;
    return true;
}

static void widen_row(const gpugraph_run *run, char *to, const uint8_t *stage) {
    const struct gg_widening how = {bits, size, threads, way != PLAINLY};
    const uint64_t piece = PIECE * 8 / (uint64_t)bits;
    const uint64_t each = way == TWO_PIECES ? 2 * piece : piece;
    const struct gg_pieces two = {{stage, stage}, piece, is_there, NULL};
    for (uint64_t at = 0; at < entries; at += each) {
        const uint64_t count = entries - at < each ? entries - at : each;
        if (way == TWO_PIECES)
            gg_widen_pieces(run, to + at * (uint64_t)size, count, &two, &how);
        else
            gg_widen(run, to + at * (uint64_t)size, stage, count, &how);
    }
}

static void *widen_rows(void *stage) {
    const gpugraph_run run = {0};
    for (;;) {
        const uint32_t i = __atomic_fetch_add(&next_row, 1, __ATOMIC_RELAXED);
        if (i >= rows)
            return NULL;
        widen_row(&run, row[i], stage);
    }
}

static double time_once(int callers, uint8_t *const *stage) {
    pthread_t thread[MOST_CALLERS];
    const double began = gg_now_ms();
    next_row = 0;
    for (int i = 1; i < callers; i++)
        if (pthread_create(&thread[i], NULL, widen_rows, stage[i]))
            exit(1);
    widen_rows(stage[0]);
    for (int i = 1; i < callers; i++)
        pthread_join(thread[i], NULL);
    return gg_now_ms() - began;
}

static double best(int callers, uint8_t *const *stage, enum way as) {
    double least = 1e30;
    way = as;
    for (int i = 0; i < 3; i++) {
        const double ms = time_once(callers, stage);
        least = ms < least ? ms : least;
    }
    return least;
}

static void time_all(int callers, uint8_t *const *stage) {
    const double gb = (double)entries * rows * size / 1e9;
    const double plain = best(callers, stage, PLAINLY),
                 past = best(callers, stage, PAST_CACHES),
                 two = best(callers, stage, TWO_PIECES);
    printf("WIDEN,%d,%d,%d,%d,%.2f,%.1f,%.2f,%.1f,%.2f,%.1f\n", bits, size, callers,
           threads, plain, gb / plain * 1e3, past, gb / past * 1e3, two, gb / two * 1e3);
    fflush(stdout);
}

int main(int argc, char **argv) {
    uint8_t *stage[MOST_CALLERS];
    if (argc > 1)
        entries = strtoull(argv[1], NULL, 10) << 20;
    if (argc > 2)
        rows = (uint32_t)atoi(argv[2]);
    row = malloc(rows * sizeof *row);
    for (uint32_t i = 0; i < rows; i++)
        memset(row[i] = malloc(entries * sizeof(uint32_t)), 1,
               entries * sizeof(uint32_t));
    for (int i = 0; i < MOST_CALLERS; i++)
        memset(stage[i] = malloc(PIECE), i, PIECE);
    for (int kind = 0; kind < 4; kind++) {
        bits = kind % 2 ? 4 : 8;
        size = kind < 2 ? 4 : 1;
        for (int callers = 1; callers <= MOST_CALLERS; callers *= 2)
            for (threads = 2; threads <= 16; threads *= 2)
                time_all(callers, stage);
    }
    for (uint32_t i = 0; i < rows; i++)
        free(row[i]);
    free(row);
    for (int i = 0; i < MOST_CALLERS; i++)
        free(stage[i]);
    return 0;
}
