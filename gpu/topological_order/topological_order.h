/* Topological orders on the CPU and on a device. */
#ifndef GPUGRAPH_TOPOLOGICAL_ORDER_H
#define GPUGRAPH_TOPOLOGICAL_ORDER_H

#include "algorithm.h"

/* Levels of vertices. If there is a cycle, fewer than n vertices have a level, and the
** others have NONE. */
struct order_levels {
    uint32_t *level;
    uint32_t settled; /* vertices that have a level */
    uint32_t levels;  /* all levels are below */
};

typedef gpugraph_status order_entry(gpugraph_graph *, gpugraph_run *, gpugraph_direction,
                                    struct order_levels *);

extern const gg_algorithm gg_topological_order;
extern const algorithm_side gg_topological_order_cuda;

/* cycle.c: finds a cycle among the vertices without a level, and fails with a sentence
** that lists it. */
gpugraph_status gg_report_cycle(const gpugraph_graph *graph, gpugraph_direction direction,
                                const uint32_t *level, gpugraph_run *run,
                                gpugraph_cycle *cycle);

#endif
