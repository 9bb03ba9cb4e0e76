/* Functions of a device's copy of a graph for the host. Without nvcc they are NULL. */
#ifndef GPUGRAPH_COPY_H
#define GPUGRAPH_COPY_H

#include "gpugraph.h"
#include "base/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

struct copy_services {
    void (*list_parts)(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                       void *listener);
    int64_t (*held_on)(const gpugraph_graph *graph, int device);
    /* True if that device holds the edges' ends. */
    bool (*has_copy)(const gpugraph_graph *graph, int device);
    /* Selects the device of this thread's queries outside of jobs; negative: each graph's
    ** primary device (device/parts.cuh). Returns the previous one. */
    int (*look_at)(int device);
    void (*release)(gpugraph_graph *graph);
    /* Before a graph changes: keeps one copy, preferably on `device`, and drops the
    ** others. */
    void (*keep_one)(gpugraph_graph *graph, int device);
    /* gg_rows_back, for rows that a device reads */
    void (*rows_back)(gpugraph_graph *graph);
    /* Counts the edges at each vertex, a loop twice, on a device that holds the ends of
    ** edges. Returns false if there is none, or after an error; the run goes on. */
    bool (*count_degrees)(gpugraph_graph *graph, gpugraph_run *run, uint32_t *degree);
    /* For device-resident edges. are_on: true if that device holds them; reaches: true if
    ** they can be downloaded; download: downloads them (device_resident.c); take_weights:
    ** gives their weights to the graph (weights.c). */
    bool (*are_on)(const gpugraph_graph *graph, int device);
    bool (*reaches)(const gpugraph_graph *graph);
    void (*download)(gpugraph_graph *graph, gpugraph_run *run);
    void (*take_weights)(gpugraph_graph *graph, struct gg_cells *cells,
                         gpugraph_run *run);
};
extern const struct copy_services gg_copies;
/* The services that the library uses; a test may replace them. */
static inline const struct copy_services *gg_copies_asked(void) {
    return gg_limits.copies ? gg_limits.copies : &gg_copies;
}
/* Device bytes that a run on run->device still needs (algorithm.h). (copy.c) */
int64_t gg_bytes_on_device(const gpugraph_graph *graph, const gpugraph_run *run,
                           int64_t (*bytes)(const gpugraph_graph *graph, bool frugal),
                           bool frugal);
/* Bytes of the graph on run->device. gg_copy_is_there: true if they include a copy. */
int64_t gg_held_on_device(const gpugraph_graph *graph, const gpugraph_run *run);
bool gg_copy_is_there(const gpugraph_graph *graph, const gpugraph_run *run);

/* Chooses the width of distances for valid INTEGER weights: sets distance_type and the
** bounds on paths. longest: the sum over all vertices of the largest weight of their
** edges; called only if largest and total (gg_cell_weights) do not decide. (weights.c) */
void gg_choose_width(gpugraph_graph *graph, uint64_t largest, uint64_t total,
                     uint64_t (*longest)(const void *of), const void *of);

#ifdef __cplusplus
}
#endif
#endif
