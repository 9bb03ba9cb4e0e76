/* Degrees: the smallest algorithm, and the one to copy for a new one. Here are the public
** function and the CPU backend; degrees.cu has the same for the device.
**
**     edges     0 -> 1   1 -> 1   1 -> 2          degree  OUT   1  2  0
**                                                         IN    0  2  1
**                                                         BOTH  1  4  1
**
** Threads share the edge list and count at its ends. */
#include "backend.h"
#include "tuning.h"

#include <omp.h>
#include <string.h>

/* ---- small steps ---- */

/* Adds one to degree[vertex[e]] for every edge. A team of one needs no locked writes. */
static void count_ends(gpugraph_run *run, const uint32_t *vertex, uint64_t m,
                       uint32_t *degree) {
    int threads = gg_threads(run, m);
#pragma omp parallel num_threads(threads)
    {
        int t = omp_get_thread_num(), team = omp_get_num_threads();
        uint64_t end = gg_slice(m, t + 1, team);
        for (uint64_t e = gg_slice(m, t, team); e < end && !gg_leave(run, e); e++) {
            if (team == 1)
                degree[vertex[e]]++;
            else
                __atomic_fetch_add(&degree[vertex[e]], 1, __ATOMIC_RELAXED);
        }
    }
}

/* ---- drivers ---- */

gpugraph_status gg_cpu_degrees(gpugraph_graph *graph, gpugraph_direction direction,
                               gpugraph_run *run, uint32_t *degree) {
    double start = gg_now_ms();
    memset(degree, 0, sizeof *degree * graph->n);
    if (direction != GPUGRAPH_IN)
        count_ends(run, graph->source, graph->m, degree);
    if (direction != GPUGRAPH_OUT)
        count_ends(run, graph->target, graph->m, degree);
    if (gg_stopping(run))
        return gg_stopped(run);
    gg_search_phase(run, start, graph->m, NULL);
    return run->status;
}

gpugraph_status gpugraph_degrees(gpugraph_graph *graph, gpugraph_direction direction,
                                 gpugraph_run *run, uint32_t *degree) {
    gg_begin(run);
    if ((unsigned)direction > GPUGRAPH_BOTH)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "direction is %d, not one of GPUGRAPH_OUT, _IN and _BOTH",
                       (int)direction);
    bool fallback = false;
    const backend *on = gg_choose(graph, "degrees", run, &fallback);
    if (!on)
        return run->status;
    on->degrees(graph, direction, run, degree);
    if (gg_fall_back(run, "degrees", fallback))
        gg_cpu_degrees(graph, direction, run, degree);
    return run->status;
}
