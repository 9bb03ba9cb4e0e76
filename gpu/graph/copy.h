/* What the host asks of a device's copy of a graph. Empty where there is no nvcc. */
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
    /* Are the edges there for one device's searches? */
    bool (*has_copy)(const gpugraph_graph *graph, int device);
    /* Questions of this thread, outside of jobs, are about that device from now on; negative: about
    ** each graph's home (device/parts.cuh). Returns the one before. */
    int (*look_at)(int device);
    void (*release)(gpugraph_graph *graph);
    /* Before a graph changes: one copy is patched, that on `device` if there is one. The others go. */
    void (*keep_one)(gpugraph_graph *graph, int device);
    void (*rows_back)(gpugraph_graph *graph); /* gg_rows_back, where it is on a device */
    /* Of edges that are away: are they on that device, can they be brought, bring them (away.c),
    ** their weights become the graph's (weights.c). */
    bool (*are_on)(const gpugraph_graph *graph, int device);
    bool (*reaches)(const gpugraph_graph *graph);
    void (*bring)(gpugraph_graph *graph, gpugraph_run *run);
    void (*take_weights)(gpugraph_graph *graph, struct gg_cells *cells,
                         gpugraph_run *run);
};
extern const struct copy_services gg_copies;
/* The services that the library asks; a test may put its own in place. */
static inline const struct copy_services *gg_copies_asked(void) {
    return gg_limits.copies ? gg_limits.copies : &gg_copies;
}
/* Device bytes that a run carves and that the graph lacks on run->device (algorithm.h). (copy.c) */
int64_t gg_bytes_on_device(const gpugraph_graph *graph, const gpugraph_run *run,
                           int64_t (*bytes)(const gpugraph_graph *graph, bool frugal),
                           bool frugal);
/* Bytes that lie on run->device for the graph; is a copy among them? */
int64_t gg_held_on_device(const gpugraph_graph *graph, const gpugraph_run *run);
bool gg_copy_is_there(const gpugraph_graph *graph, const gpugraph_run *run);

/* Of INTEGER weights that are allowed: how wide are distances? Sets distance_type and the bounds on
** paths. longest: the sum over all vertices of the largest weight of their edges, asked for only
** where largest and total (gg_cell_weights) leave it in doubt. (weights.c) */
void gg_choose_width(gpugraph_graph *graph, uint64_t largest, uint64_t total,
                     uint64_t (*longest)(const void *of), const void *of);

#ifdef __cplusplus
}
#endif
#endif
