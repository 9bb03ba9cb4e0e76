/* Lines on a terminal: phases of the library as they end, and within a search its round, once a second.
**
**     gpugraph-mpi:   level 214, 431 meetings, 12.8 MB sent
**
** Launchers give a process a pipe for its stderr: whether somebody looks, theirs says. */
#include "progress.h"
#include "base/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES_MS = 1000 }; /* between two lines */

static double between_ms(void) {
    const char *given = getenv("GPUGRAPH_TEST_PROGRESS");
    return given ? strtod(given, NULL) : LINES_MS;
}

/* ---- is there a terminal? ---- */

/* The process's name and its parent. */
static bool read_stat(long process, char name[64], long *parent) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    const bool read = file && fscanf(file, "%*d (%63[^)]) %*c %ld", name, parent) == 2;
    if (file)
        fclose(file);
    return read;
}

static bool writes_to_terminal(long process) {
    char path[64], target[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/2", process);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return false;
    target[length] = 0;
    return strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0;
}

/* MPICH has a process of its own between its launcher and this one. */
bool progress_is_seen(void) {
    char name[64];
    long launcher = getppid(), parent;
    if (isatty(STDERR_FILENO))
        return true;
    if (!read_stat(launcher, name, &parent))
        return false;
    if (strncmp(name, "hydra_pmi", 9) == 0)
        launcher = parent;
    else if (strcmp(name, "mpirun") != 0 && strcmp(name, "mpiexec") != 0 &&
             strcmp(name, "orterun") != 0 && strcmp(name, "prterun") != 0 &&
             strcmp(name, "prun") != 0)
        return false;
    return writes_to_terminal(launcher);
}

/* ---- lines ---- */

void progress_begin(progress *p, const options *o, const gpugraph_exchange *x) {
    *p = (progress){.o = o, .x = x, .shown = progress_is_seen()};
    p->next_ms = gg_now_ms() + between_ms();
}

void progress_phase(void *progress_given, const char *name, double ms, int64_t items,
                    const char *detail) {
    const progress *p = progress_given;
    if (p->shown)
        fprintf(stderr, "gpugraph-mpi:   %s %.1f ms, %s\n", name, ms, detail);
    if (p->o->timings)
        printf("within   %s %.3f ms, %lld items, %s\n", name, ms, (long long)items,
               detail);
}

int progress_look(void *progress_given) {
    progress *p = progress_given;
    const gpugraph_exchange *x = p->x;
    if (!p->shown || !x->step || x->round == p->told || gg_now_ms() < p->next_ms)
        return 0;
    fprintf(stderr, "gpugraph-mpi:   %s %llu, %llu meetings, %.1f MB sent\n", x->step,
            (unsigned long long)x->round, (unsigned long long)x->meetings,
            (double)x->sent * 1e-6);
    p->told = x->round;
    p->next_ms = gg_now_ms() + between_ms();
    return 0;
}
