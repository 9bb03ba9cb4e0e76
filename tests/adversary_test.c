/* Worlds, each of a seed and in a process of its own, and a report: see
** adversary/adversary.h.
**
**     GPUGRAPH_ADVERSARY_SEED          the first seed (1)
**     GPUGRAPH_ADVERSARY_STATEMENTS    statements of each world (4000)
**     GPUGRAPH_ADVERSARY_SECONDS       worlds until that is over; else as many as WORLDS
**     GPUGRAPH_ADVERSARY_ONLY, ..._WITHOUT    features, by the names in adversary.h
**     GPUGRAPH_ADVERSARY_TRACE         a file for every statement of the latest world
**
** A world that crashes, hangs or is wrong leaves its latest statements, and the
** command that repeats it. */
/* ctest: serial wrap=memory long */
#include "adversary/shared.h"
#include "share.h"
#include "suite.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORLDS = 40, STATEMENTS = 4000, WORLD_SECONDS = 60 };

static long number_of(const char *variable, long otherwise) {
    const char *text = getenv(variable);
    return text ? atol(text) : otherwise;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- a world ---- */

static const struct deed {
    int weight;           /* of about 1000 */
    enum feature feature; /* ALL_FEATURES: always */
    void (*act)(void);
} deeds[] = {
    {5, ALL_FEATURES, change_from_search},
    {60, F_transactions, transaction_any},
    {40, F_triggers, trigger_any},
    {12, F_schema, schema_any},
    {30, F_blobs, blob_any},
    {8, F_restore, restore_any},
    {2, F_move, move_any},
    {12, F_vertices, delete_vertex_any},
    {10, F_follow, check_any},
    {20, F_timings, timings_any},
    {10, F_zeros, zero_any},
    {10, F_held, held_any},
    {3, F_fork, fork_any},
    {3, F_threads, threads_any},
    {2, F_crowd, crowd_any},
    {40, F_memory, memory_any},
    {30, F_interrupts, interrupt_any},
    {15, F_authorizer, authorizer_any},
    {25, F_foreign, foreign_any},
};

static void step(void) {
    int dice = (int)pick(1000);
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        const struct deed *d = &deeds[i];
        if (d->feature != ALL_FEATURES && !has(d->feature))
            continue;
        if (dice < d->weight) {
            d->act();
            return;
        }
        dice -= d->weight;
    }
    if (dice < w.writes) {
        change_any();
        return;
    }
    ask_any(pick(5) ? KEEPER : SECOND);
}

static void live(uint64_t seed) {
    world_begin(seed);
    uint64_t most = (uint64_t)number_of("GPUGRAPH_ADVERSARY_STATEMENTS", STATEMENTS);
    while (notes->steps < most)
        step();
    if (has(F_forged))
        forge_any();
    world_end();
}

/* ---- a process for it ---- */

static void tell(uint64_t seed, int status) {
    char *features = getenv("GPUGRAPH_ADVERSARY_ONLY");
    char *without = getenv("GPUGRAPH_ADVERSARY_WITHOUT");
    fprintf(stderr, "\n");
    for (uint64_t i = notes->traced > TRACED ? notes->traced - TRACED : 0;
         i < notes->traced; i++) {
        const struct traced *line = &notes->line[i % TRACED];
        fprintf(stderr, "-- %s: %s\n%s;\n", line->who, line->outcome, line->text);
    }
    fprintf(stderr, "after %" PRIu64 " statements of seed %" PRIu64 ": %s\n",
            notes->steps, seed,
            WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "it hangs"
            : WIFSIGNALED(status)                              ? "it crashed"
                                                               : "it is wrong");
    fprintf(stderr, "%s\n", notes->problem);
    fprintf(stderr,
            "again: %s%s%s%s GPUGRAPH_ADVERSARY_SEED=%" PRIu64
            " GPUGRAPH_ADVERSARY_STATEMENTS=%ld GPUGRAPH_ADVERSARY_WORLDS=1 "
            "build/tests/adversary_test\n",
            features ? "GPUGRAPH_ADVERSARY_ONLY=" : "", features ? features : "",
            without ? " GPUGRAPH_ADVERSARY_WITHOUT=" : "", without ? without : "", seed,
            number_of("GPUGRAPH_ADVERSARY_STATEMENTS", STATEMENTS));
}

static void run_world(uint64_t seed) {
    int status = 0;
    notes_begin();
    pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL); /* Check's own handler ends its parent, too */
        alarm((unsigned)(WORLD_SECONDS * number_of("CK_TIMEOUT_MULTIPLIER", 1)));
        live(seed);
        exit(EXIT_SUCCESS);
    }
    ck_assert(child > 0 && waitpid(child, &status, 0) == child);
    if (status == 0)
        return;
    tell(seed, status);
    ck_abort_msg("seed %" PRIu64 ", status %x: %.600s", seed, (unsigned)status,
                 notes->problem);
}

START_TEST(worlds) {
    uint64_t seed = (uint64_t)number_of("GPUGRAPH_ADVERSARY_SEED", 1) + (uint64_t)_i;
    double end = now() + (double)number_of("GPUGRAPH_ADVERSARY_SECONDS", 0);
    if (left_out((uint64_t)_i) && !getenv("GPUGRAPH_ADVERSARY_WORLDS"))
        return;
    do
        run_world(seed++);
    while (now() < end);
}
END_TEST

static void report(double seconds) {
    uint64_t statements = counted(COUNT_STATEMENTS);
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    printf("%" PRIu64 " statements, %" PRIu64 " comparisons (%" PRIu64
           " of errors) in %.0f seconds, %.0f of CPU; %.0f statements a second of CPU:",
           statements, counted(COUNT_COMPARISONS), counted(COUNT_ERRORS), seconds, cpu,
           (double)statements / cpu);
    for (int i = 0; i < MOST_KINDS && notes->kind[i].name[0]; i++)
        printf(" %s %" PRIu64, notes->kind[i].name, notes->kind[i].count);
    printf("\n");
}

static double began;

static void begin(void) {
    began = now();
    notes_make();
}

static void end(void) {
    report(now() - began);
}

static int count_worlds(void) {
    return getenv("GPUGRAPH_ADVERSARY_SECONDS")
               ? 1
               : (int)number_of("GPUGRAPH_ADVERSARY_WORLDS", WORLDS);
}

const struct suite suite = {
    "adversary",      {{"worlds", .cases = {{&worlds, .count = count_worlds}}}},
    .begin = begin,   .end = end,
    .no_forks = true, /* each world has a child of its own, and notes that it shares */
};
