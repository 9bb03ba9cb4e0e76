/* gpugraph-mpi runs the functions of the extension in several processes. No process has
** the whole graph.
**
**     options -> columns (a share of the rows) -> dictionary (numbers) -> partition
**             -> search -> numbers to ids -> rows -> --out
**
** If all processes know of a failure, each process ends by itself, and process 0 prints
** the message. If one process alone fails, it sends the failure to the others, which
** stop. Process 0 then prints the message and ends all processes. If process 0 does not
** do so within PATIENCE_S, another process does. */
#include "answer.h"
#include "gpugraph_mpi.h"
#include "distributed/exchange/post.h"
#include "base/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 3 }; /* seconds that other processes wait for process 0 */

static int print_error(int rank, const char *sentence) {
    if (rank == 0)
        fprintf(stderr, "gpugraph-mpi: %s\n", sentence);
    return 1;
}

/* Divides the cores and devices of this host among its processes. */
static void take_share(options *o) {
    MPI_Comm here;
    int processes = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &processes);
    MPI_Comm_rank(here, &o->place);
    MPI_Comm_free(&here);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (o->threads == 0)
        o->threads = cores > processes ? (int)(cores / processes) : 1;
}

/* Prints a step of process 0 within a phase. */
static void print_phase(void *listener, const char *name, double ms, int64_t items,
                        const char *detail) {
    (void)listener;
    printf("within   %s %.3f ms, %lld items, %s\n", name, ms, (long long)items, detail);
}

static void run_all(const options *o, gpugraph_exchange *x, gpugraph_run *run) {
    answer a;
    phases p;
    memset(&a, 0, sizeof a);
    memset(&p, 0, sizeof p);
    const bool good = result_check(o, x, run) && answer_make(&a, o, x, run, &p) &&
                      result_write(&a, o, x, run);
    phases_mark(&p, x, "write");
    if (good && o->given[GIVEN_TIMINGS])
        phases_report(&p, x, run);
    answer_clear(&a);
}

/* Ends all processes after a failure that some of them may not know of. */
static void end_all(int rank, const gpugraph_run *run) {
    if (rank != 0)
        sleep(PATIENCE_S);
    print_error(0, run->message);
    fflush(NULL);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int work_main(options *o, int rank) {
    gpugraph_exchange *x = gpugraph_mpi_open(MPI_COMM_WORLD);
    gpugraph_run run = {.backend = GPUGRAPH_CPU};
    char *error = NULL;
    const char *why = "";
    if (!x) {
        snprintf(run.message, sizeof run.message,
                 "the memory of a process does not suffice");
        end_all(rank, &run);
        return 1;
    }
    take_share(o);
    run.threads = o->threads;
    if (rank == 0 && o->given[GIVEN_TIMINGS])
        run.phase = print_phase;
    if (!options_find_files(o, &error))
        gg_fail(&run, GPUGRAPH_INVALID, "%s", error ? error : "no memory");
    if (o->cuda && !gpugraph_cuda_usable(&why))
        gg_fail(&run, GPUGRAPH_NO_DEVICE, "%s", why);
    sqlite3_free(error);
    if (gg_all_agree(x, &run))
        run_all(o, x, &run);
    if (run.status != GPUGRAPH_OK && !x->agreed)
        end_all(rank, &run);
    gpugraph_mpi_close(x);
    return run.status == GPUGRAPH_OK ? 0 : print_error(rank, run.message);
}

int main(int count, char **word) {
    options o;
    char *error = NULL;
    int rank = 0, status;
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!options_read(&o, count, word, &error) ||
        (!o.given[GIVEN_HELP] && !options_check(&o, &error))) {
        status = print_error(rank, error ? error : "no memory");
    } else if (o.given[GIVEN_HELP]) {
        if (rank == 0)
            options_help();
        status = 0;
    } else {
        status = work_main(&o, rank);
    }
    sqlite3_free(error);
    options_clear(&o);
    MPI_Finalize();
    return status;
}
