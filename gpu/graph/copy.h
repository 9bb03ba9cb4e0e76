/* What the host asks of a device's copy of a graph. Empty where there is no nvcc. */
#ifndef GPUGRAPH_COPY_H
#define GPUGRAPH_COPY_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct copy_services {
    int64_t (*held)(const gpugraph_graph *graph); /* bytes */
    void (*release)(gpugraph_graph *graph);
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
/* Whom edges that are away are asked of: gg_copies. Tests put their own there, nobody else. (away.c) */
extern const struct copy_services *gg_copies_asked;

/* Of INTEGER weights that are allowed: how wide are distances? Sets distance_type and the bounds on
** paths. longest: the sum over all vertices of the largest weight of their edges, asked for only
** where largest and total (gg_cell_weights) leave it in doubt. (weights.c) */
void gg_choose_width(gpugraph_graph *graph, uint64_t largest, uint64_t total,
                     uint64_t (*longest)(const void *of), const void *of);

#ifdef __cplusplus
}
#endif
#endif
