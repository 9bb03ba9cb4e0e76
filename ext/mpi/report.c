/* The report of --timings: time, messages and memory of all processes. */
#include "answer.h"
#include "base/run.h"
#include "distributed/exchange/post.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

void phases_mark(phases *p, const gpugraph_exchange *x, const char *name) {
    if (p->marks < MARKS)
        p->mark[p->marks++] = (struct mark){name, gg_now_ms(), x->sent, x->received};
}

struct report {
    phases phases;
    uint64_t memory;
};

static double ms_of_phase(const struct report *r, int i) {
    return r->phases.mark[i].ms - r->phases.mark[i - 1].ms;
}

static void print_phase(const struct report *all, uint32_t parts, int i) {
    uint32_t slow = 0, fast = 0;
    uint64_t sent = 0, received = 0;
    for (uint32_t q = 0; q < parts; q++) {
        const struct mark *end = &all[q].phases.mark[i], *begin = end - 1;
        sent += end->sent - begin->sent;
        received += end->received - begin->received;
        slow = ms_of_phase(&all[q], i) > ms_of_phase(&all[slow], i) ? q : slow;
        fast = ms_of_phase(&all[q], i) < ms_of_phase(&all[fast], i) ? q : fast;
    }
    printf("%-8s %12.1f %8u %12.1f %8u %14llu %14llu\n", all[0].phases.mark[i].name,
           ms_of_phase(&all[slow], i), slow, ms_of_phase(&all[fast], i), fast,
           (unsigned long long)sent, (unsigned long long)received);
}

static void print_report(const struct report *all, uint32_t parts) {
    uint64_t most = 0, least = UINT64_MAX;
    printf("%-8s %12s %8s %12s %8s %14s %14s\n", "phase", "slowest ms", "process",
           "fastest ms", "process", "bytes sent", "received");
    for (int i = 1; i < all[0].phases.marks; i++)
        print_phase(all, parts, i);
    for (uint32_t q = 0; q < parts; q++) {
        most = all[q].memory > most ? all[q].memory : most;
        least = all[q].memory < least ? all[q].memory : least;
    }
    printf("memory   largest %llu bytes, smallest %llu bytes, of %u process%s\n",
           (unsigned long long)most, (unsigned long long)least, parts,
           parts == 1 ? "" : "es");
}

void phases_report(const phases *p, gpugraph_exchange *x, gpugraph_run *run) {
    struct report mine = {.phases = *p};
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    mine.memory = (uint64_t)usage.ru_maxrss * 1024;
    struct report *all = gg_alloc(run, x->parts, sizeof *all);
    if (!all)
        x->calls->fail(x, run);
    else if (gg_gather(x, run, &mine, sizeof mine, all) == GPUGRAPH_OK && x->part == 0)
        print_report(all, x->parts);
    gg_release(all);
}
