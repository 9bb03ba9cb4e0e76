/* Times independent sets and breadth-first searches by processes, each with a device. For
** comparison it has the graphs, sources and checksums of bench_several.
**
**     mpirun -n P bench_mpi_drawn SCALE FACTOR FUNCTION ...
**
** FUNCTION: mis, bfs. Each process makes the rows of the whole graph and keeps its
** partition: about 30 GB of memory each for scale 26 and factor 16. The environment gives
** REPEATS (5) of each search and SOURCES (5) of bfs. A first round and the search for
** sources are not timed. A time is the milliseconds of the phase "search" in the slowest
** process. TIMES=1 also prints all times, in order.
**
**     MAKE,function,scale,factor,processes,partition ms,upload ms,arcs,ghosts
**     MPI,function,scale,factor,processes,repeats,median,least,most,sum,MB of rank 0 */
#include "drawn_part.h"
#include "gpugraph_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    int scale, repeats;
    uint64_t factor;
    struct drawn_rows rows;
    gpugraph_exchange *x;
    gpugraph_part *part;
    gpugraph_run run;
    double search_ms; /* time of the phase "search" */
    double *ms;
    int timed;
    uint64_t sent; /* by this process, in timed searches */
    uint8_t *member;
    uint32_t *depth, *hash;
};

static void need(struct bench *b, bool well) {
    if (well && b->run.status == GPUGRAPH_OK)
        return;
    fprintf(stderr, "bench_mpi_drawn: %s\n", b->run.message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int in_environment(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

/* The finalizer of MurmurHash3, as in bench_several. */
static uint64_t hash(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

static void sum_over_parts(struct bench *b, uint64_t *word, uint32_t words) {
    need(b, gg_combine(b->x, &b->run, GPUGRAPH_SUM, word, words) == GPUGRAPH_OK);
}

/* Keeps the time of the phase "search". */
static void keep_phase(void *bench, const char *phase, double ms, int64_t items,
                       const char *detail) {
    (void)items, (void)detail;
    if (strcmp(phase, "search") == 0)
        ((struct bench *)bench)->search_ms = ms;
}

/* ---- one search ---- */

static void note_time(struct bench *b, uint64_t sent_before) {
    uint64_t slowest = (uint64_t)(b->search_ms * 1e6);
    b->sent += b->x->sent - sent_before;
    need(b, gg_combine(b->x, &b->run, GPUGRAPH_MOST, &slowest, 1) == GPUGRAPH_OK);
    b->ms[b->timed++] = (double)slowest * 1e-6;
}

static void find_set(struct bench *b, bool timed) {
    const uint64_t before = b->x->sent;
    gpugraph_part_mis(b->part, GPUGRAPH_BY_DEGREE, b->hash, &b->run, b->member);
    need(b, true);
    if (timed)
        note_time(b, before);
}

static void find_depths(struct bench *b, uint64_t source, bool timed) {
    const uint64_t before = b->x->sent;
    gpugraph_part_bfs(b->part, &source, 1, GPUGRAPH_NONE - 1, &b->run, b->depth, NULL);
    need(b, true);
    if (timed)
        note_time(b, before);
}

/* word[]: the checksum, and the number of entries. */
static void sum_up(struct bench *b, uint64_t word[2]) {
    const uint64_t *number = gpugraph_part_numbers(b->part);
    word[0] = word[1] = 0;
    for (uint32_t v = 0; v < gpugraph_part_masters(b->part); v++) {
        const bool there = b->depth ? b->depth[v] != GPUGRAPH_NONE : b->member[v] != 0;
        if (!there)
            continue;
        word[0] += hash(number[v] * 0x9e3779b97f4a7c15u + (b->depth ? b->depth[v] : 0));
        word[1]++;
    }
    sum_over_parts(b, word, 2);
}

/* ---- all of a kind ---- */

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(struct bench *b, const char *function, uint64_t sum) {
    const bool all = b->x->part == 0 && getenv("TIMES");
    if (all)
        printf("TIMES,%s", function);
    for (int i = 0; all && i < b->timed; i++)
        printf(",%.3f%s", b->ms[i], i + 1 == b->timed ? "\n" : "");
    qsort(b->ms, (size_t)b->timed, sizeof *b->ms, compare);
    if (b->x->part == 0)
        printf("MPI,%s,%d,%llu,%u,%d,%.3f,%.3f,%.3f,%016llx,%.2f\n", function, b->scale,
               (unsigned long long)b->factor, b->x->parts, b->timed, b->ms[b->timed / 2],
               b->ms[0], b->ms[b->timed - 1], (unsigned long long)sum,
               (double)b->sent * 1e-6 / b->timed);
    fflush(stdout);
}

static void time_sets(struct bench *b) {
    uint64_t word[2];
    const uint32_t masters = gpugraph_part_masters(b->part);
    const uint64_t salt = gg_fixed_hash(1 + 0x9e3779b97f4a7c15u);
    b->member = gg_alloc(&b->run, (uint64_t)masters + 1, 1);
    b->hash = gg_alloc(&b->run, (uint64_t)masters + 1, sizeof *b->hash);
    need(b, b->member && b->hash);
    for (uint32_t v = 0; v < masters; v++)
        b->hash[v] = (uint32_t)(gg_fixed_hash(gg_fixed_hash(
                                    salt ^ gpugraph_part_numbers(b->part)[v])) >>
                                32);
    for (int i = 0; i <= b->repeats; i++)
        find_set(b, i > 0);
    sum_up(b, word);
    tell(b, "mis", word[0]);
}

static void time_depths(struct bench *b) {
    const int wanted = in_environment("SOURCES", 5);
    uint64_t *source = gg_alloc(&b->run, (uint64_t)wanted, sizeof *source), sum = 0,
             word[2];
    int sources = 0;
    b->depth = gg_alloc(&b->run, (uint64_t)gpugraph_part_masters(b->part) + 1, 4);
    need(b, source && b->depth);
    for (uint64_t i = 0; sources < wanted && i < 1000; i++) {
        const uint64_t v = hash(i) % b->rows.of.n;
        find_depths(b, v, false);
        sum_up(b, word);
        if (word[1] > b->rows.of.n / 10) { /* in the largest component */
            source[sources++] = v;
            sum += word[0];
        }
    }
    for (int i = 0; i < (b->repeats + 1) * sources; i++)
        find_depths(b, source[i % sources], i >= sources);
    gg_release(source);
    tell(b, "bfs", sum);
}

static void bench_function(struct bench *b, const char *function) {
    const bool mis = strcmp(function, "mis") == 0;
    const double began = gg_now_ms();
    b->part = drawn_part(&b->rows, b->x, &b->run);
    need(b, b->part != NULL);
    const double made = gg_now_ms();
    gpugraph_part_to_device(b->part, (int)b->x->part, &b->run);
    need(b, true);
    if (b->x->part == 0)
        printf("MAKE,%s,%d,%llu,%u,%.0f,%.0f,%llu,%u\n", function, b->scale,
               (unsigned long long)b->factor, b->x->parts, made - began,
               gg_now_ms() - made, (unsigned long long)b->part->arcs,
               b->part->locals - b->part->masters);
    b->timed = 0;
    b->sent = 0;
    if (mis)
        time_sets(b);
    else
        time_depths(b);
    gg_release(b->member);
    gg_release(b->hash);
    gg_release(b->depth);
    b->member = NULL;
    b->hash = b->depth = NULL;
    gpugraph_part_free(b->part);
}

int main(int count, char **word) {
    struct bench b = {.repeats = in_environment("REPEATS", 5)};
    MPI_Init(&count, &word);
    b.x = gpugraph_mpi_open(MPI_COMM_WORLD);
    if (count < 4 || !b.x) {
        fprintf(stderr, "mpirun -n P bench_mpi_drawn SCALE FACTOR FUNCTION ...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    b.scale = atoi(word[1]);
    b.factor = strtoull(word[2], NULL, 10);
    b.ms =
        malloc((size_t)b.repeats * (size_t)in_environment("SOURCES", 5) * sizeof *b.ms +
               (size_t)b.repeats * sizeof *b.ms);
    need(&b, b.ms != NULL);
    need(&b, drawn_rows_open(&b.rows, b.scale, b.factor, (int)b.x->part, &b.run));
    b.run.phase = keep_phase;
    b.run.listener = &b;
    for (int i = 3; i < count; i++)
        bench_function(&b, word[i]);
    free(b.ms);
    drawn_rows_close(&b.rows);
    gpugraph_mpi_close(b.x);
    MPI_Finalize();
    return 0;
}
