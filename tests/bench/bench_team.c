/* Measures the time of a parallel region with a team of the pool (gpu/team.h) and, if the
** compiler has OpenMP, with a team of its runtime.
**
**     bench_team [threads]
**
** Each region adds up an array of WORDS numbers in equal slices, which takes some
** microseconds. Prints the median microseconds of a region. In each column the caller
** works alone for another time between two regions: after a short time the other threads
** are still awake, after a long time they sleep. */
#include "bench.h"
#include "team.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 16384, REGIONS = 301 };

static uint64_t word[WORDS], sum;

static void add(void *unused, uint64_t low, uint64_t high) {
    uint64_t here = 0;
    (void)unused;
    for (uint64_t i = low; i < high; i++)
        here += word[i] ^ i;
    __atomic_fetch_add(&sum, here, __ATOMIC_RELAXED);
}

static void by_pool(int threads) {
    gg_slices(threads, WORDS, add, NULL);
}

static void alone(int threads) {
    (void)threads;
    add(NULL, 0, WORDS);
}

#ifdef _OPENMP
static void by_openmp(int threads) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++)
        add(NULL, gg_slice(WORDS, t, threads), gg_slice(WORDS, t + 1, threads));
}
#endif

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_us(void (*region)(int threads), int threads, double between_us) {
    double us[REGIONS];
    for (int i = -10; i < REGIONS; i++) {
        double started = now_ms();
        region(threads);
        double ended = now_ms();
        if (i >= 0)
            us[i] = (ended - started) * 1e3;
        while ((now_ms() - ended) * 1e3 < between_us)
            ;
    }
    qsort(us, REGIONS, sizeof *us, ascending);
    return us[REGIONS / 2];
}

static void time_regions(const char *name, void (*region)(int threads), int threads) {
    static const double between_us[] = {0, 20, 100, 500, 2000};
    printf("%-8s", name);
    for (int i = 0; i < 5; i++)
        printf(" %8.1f", median_us(region, threads, between_us[i]));
    printf("\n");
}

int main(int argc, char **argv) {
    int threads = gg_team_limit(argc > 1 ? atoi(argv[1]) : 0);
    for (uint64_t i = 0; i < WORDS; i++)
        word[i] = i * 48271 % 65537;
    printf("%d threads, us between     0       20      100      500     2000\n", threads);
    time_regions("alone", alone, threads);
    time_regions("pool", by_pool, threads);
#ifdef _OPENMP
    time_regions("OpenMP", by_openmp, threads);
#endif
    return sum == 1;
}
