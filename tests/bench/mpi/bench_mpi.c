/* Times searches by processes, each with a device, on R-MATs. Each process draws its
** share of the edges; no table is read.
**
**     mpirun -n P bench_mpi SCALE FACTOR FUNCTION ...
**
** FUNCTION: mis, bfs (each edge both ways, as in bench_several, which runs in one
** process) or sssp (along edges), on devices; after the word cpu on the processes' cores.
** The first search of each kind is not timed. REPEATS (5, in the environment) searches
** are timed, from the source of the first edge, without trees.
**
**     MAKE,function,scale,factor,processes,ms of the partition,ms to the device,arcs here
**     MPI,function,scale,factor,processes,backend,repeats,median,least,most,sum,MB,waits
**
** Times are in milliseconds. MB: sent by process 0 in a search; waits: how often it
** waited for other processes. sum: a checksum of all entries with their vertex numbers,
** equal for every backend and number of processes. */
#include "gpugraph_mpi.h"
#include "distributed/partition/part.h"
#include "base/run.h"
#include "base/words.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    int scale, repeats;
    uint64_t factor, first, count, drawn; /* edges of this process */
    uint64_t *source, *target;
    int64_t *weight, *edge_id;
    gpugraph_exchange *x;
    gpugraph_run run;
};

static void need(struct bench *b, bool well) {
    if (well && b->run.status == GPUGRAPH_OK)
        return;
    fprintf(stderr, "bench_mpi: %s\n", b->run.message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- edges ---- */

static uint64_t mix(uint64_t x) { /* splitmix64, as bench_graphs.h has it */
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void draw(struct bench *b, uint64_t i) {
    const uint64_t e = b->first + i, n = (uint64_t)1 << b->scale;
    uint64_t u = 0, v = 0;
    for (int bit = 0; bit < b->scale; bit++) {
        const uint64_t dice = mix(e * 64 + (uint64_t)bit) % 100;
        u = u << 1 | (dice >= 76);
        v = v << 1 | ((dice >= 57 && dice < 76) || dice >= 95);
    }
    b->source[i] = u * 0x9e3779b97f4a7c15u % n;
    b->target[i] = v * 0x9e3779b97f4a7c15u % n;
    b->weight[i] = (int64_t)(mix(e * 3 + 1) % 255) + 1;
    b->edge_id[i] = (int64_t)e;
}

static void draw_share(void *bench, int member, int members) {
    enum { PORTION = 1 << 16 };
    struct bench *b = bench;
    (void)member, (void)members;
    for (;;) {
        const uint64_t at = __atomic_fetch_add(&b->drawn, PORTION, __ATOMIC_RELAXED);
        for (uint64_t i = at; i < at + PORTION && i < b->count; i++)
            draw(b, i);
        if (at + PORTION >= b->count)
            return;
    }
}

static void make_edges(struct bench *b) {
    const uint64_t all = b->factor << b->scale, parts = b->x->parts, part = b->x->part;
    b->first = all * part / parts;
    b->count = all * (part + 1) / parts - b->first;
    b->source = malloc(b->count * sizeof *b->source + 8);
    b->target = malloc(b->count * sizeof *b->target + 8);
    b->weight = malloc(b->count * sizeof *b->weight + 8);
    b->edge_id = malloc(b->count * sizeof *b->edge_id + 8);
    if (!b->source || !b->target || !b->weight || !b->edge_id)
        gg_fail(&b->run, GPUGRAPH_NO_MEMORY, "no memory for %llu edges",
                (unsigned long long)b->count);
    need(b, true);
    gg_team(gg_team_limit(0), draw_share, b);
}

/* ---- searches ---- */

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Searches once, and writes the entries of masters to `found`, 8 bytes each. */
static void search(struct bench *b, gpugraph_part *part, const char *function,
                   uint32_t *narrow, uint64_t *found) {
    const uint32_t masters = gpugraph_part_masters(part);
    uint64_t first = b->x->part == 0 ? b->source[0] : 0;
    gg_combine(b->x, &b->run, GPUGRAPH_SUM, &first, 1);
    if (strcmp(function, "mis") == 0)
        gpugraph_part_mis(part, GPUGRAPH_BY_DEGREE_ID, NULL, &b->run, (uint8_t *)narrow);
    else if (strcmp(function, "bfs") == 0)
        gpugraph_part_bfs(part, &first, 1, GPUGRAPH_NONE - 1, &b->run, narrow, NULL);
    else
        gpugraph_part_sssp(part, &first, 1, NULL, &b->run, found, NULL);
    for (uint32_t v = 0; v < masters && function[0] != 's'; v++)
        found[v] = function[0] == 'm' ? ((uint8_t *)narrow)[v] : narrow[v];
}

struct phases {
    double ms;
};

/* Keeps the time of the phase "search". */
static void keep_phase(void *listener, const char *phase, double ms, int64_t items,
                       const char *detail) {
    (void)items, (void)detail;
    if (strcmp(phase, "search") == 0)
        ((struct phases *)listener)->ms = ms;
}

static void time_searches(struct bench *b, gpugraph_part *part, const char *function,
                          bool cuda) {
    const uint32_t masters = gpugraph_part_masters(part);
    const uint64_t *number = gpugraph_part_numbers(part);
    uint32_t *narrow = gg_alloc_zero(&b->run, (uint64_t)masters + 1, sizeof *narrow);
    uint64_t *found = gg_alloc_zero(&b->run, (uint64_t)masters + 1, sizeof *found),
             sum = 0;
    double *ms = gg_alloc(&b->run, (uint64_t)b->repeats + 1, sizeof *ms);
    struct phases phases = {0};
    uint64_t sent = 0, waits = 0;
    need(b, narrow && found && ms);
    b->run.phase = keep_phase;
    b->run.listener = &phases;
    for (int i = 0; i <= b->repeats; i++) {
        const uint64_t sent_before = b->x->sent, met_before = b->x->waits;
        search(b, part, function, narrow, found);
        need(b, true);
        sent = b->x->sent - sent_before;
        waits = b->x->waits - met_before;
        uint64_t slowest = (uint64_t)(phases.ms * 1e6); /* maximum over all processes */
        gg_combine(b->x, &b->run, GPUGRAPH_MOST, &slowest, 1);
        ms[i] = (double)slowest * 1e-6;
    }
    b->run.phase = NULL;
    for (uint32_t v = 0; v < masters; v++)
        sum += gg_fixed_hash(found[v] * 0x9e3779b97f4a7c15u + number[v]);
    gg_combine(b->x, &b->run, GPUGRAPH_SUM, &sum, 1);
    qsort(ms + 1, (size_t)b->repeats, sizeof *ms, compare);
    if (b->x->part == 0)
        printf("MPI,%s,%d,%llu,%u,%s,%d,%.3f,%.3f,%.3f,%016llx,%.2f,%llu\n", function,
               b->scale, (unsigned long long)b->factor, b->x->parts,
               cuda ? "cuda" : "cpu", b->repeats, ms[1 + b->repeats / 2], ms[1],
               ms[b->repeats], (unsigned long long)sum, (double)sent * 1e-6,
               (unsigned long long)waits);
    fflush(stdout);
    gg_release(narrow);
    gg_release(found);
    gg_release(ms);
}

static void bench_function(struct bench *b, const char *function, bool cuda, int place) {
    const bool mis = strcmp(function, "mis") == 0, sssp = strcmp(function, "sssp") == 0;
    const gpugraph_share share = {
        .vertices = (uint64_t)1 << b->scale,
        .count = b->count,
        .source = b->source,
        .target = b->target,
        .weight_type = sssp ? GPUGRAPH_INTEGER_WEIGHTS : GPUGRAPH_UNWEIGHTED,
        .weight = sssp ? b->weight : NULL,
        .edge_id = mis ? NULL : b->edge_id,
    };
    gpugraph_part *part = NULL;
    const double began = gg_now_ms();
    gpugraph_part_create(b->x, &share,
                         mis || cuda ? GPUGRAPH_BY_SOURCE : GPUGRAPH_BY_TARGET,
                         sssp ? GPUGRAPH_OUT : GPUGRAPH_BOTH, mis, &b->run, &part);
    need(b, true);
    const double made = gg_now_ms();
    if (cuda)
        gpugraph_part_to_device(part, place, &b->run);
    need(b, true);
    if (b->x->part == 0)
        printf("MAKE,%s,%d,%llu,%u,%.0f,%.0f,%llu\n", function, b->scale,
               (unsigned long long)b->factor, b->x->parts, made - began,
               gg_now_ms() - made, (unsigned long long)part->arcs);
    time_searches(b, part, function, cuda);
    gpugraph_part_free(part);
}

int main(int count, char **word) {
    struct bench b = {.repeats = getenv("REPEATS") ? atoi(getenv("REPEATS")) : 5,
                      .run = {.backend = GPUGRAPH_CPU}};
    bool cuda = true;
    int place = 0;
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &place);
    if (count < 4) {
        fprintf(stderr, "mpirun -n P bench_mpi SCALE FACTOR FUNCTION ...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    b.scale = atoi(word[1]);
    b.factor = strtoull(word[2], NULL, 10);
    b.x = gpugraph_mpi_open(MPI_COMM_WORLD);
    if (!b.x)
        MPI_Abort(MPI_COMM_WORLD, 1);
    make_edges(&b);
    for (int i = 3; i < count; i++)
        if (strcmp(word[i], "cpu") == 0)
            cuda = false;
        else
            bench_function(&b, word[i], cuda, place);
    gpugraph_mpi_close(b.x);
    MPI_Finalize();
    return 0;
}
