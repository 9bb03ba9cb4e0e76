/* A search on a device whose answer is short comes home as a list: what is reached within the bound, by vertex.
**
**     device   distances   - 4 1 - - - 3 - ...      an entry for each vertex
**     host     vertex      1 2 6                    reached.cu
**              value       4 1 3
**
** Where a dozen of fifteen million vertices are wanted, these alone cross the bus, and nobody on the host looks through
** the others. */
#ifndef GPUGRAPH_REACHED_H
#define GPUGRAPH_REACHED_H

#include "gpugraph.h"

#ifdef __cplusplus
extern "C" {
#endif

struct reached_list {
    uint32_t room;
    uint32_t *vertex; /* ascending */
    void *value;      /* depths, or distances of the graph's type */
    void *tree_edge;  /* as wide as gpugraph_edge_size says; NULL: not wanted */
    uint32_t count;   /* GPUGRAPH_NONE: there is no room, or no list can be made */
};

/* Are targets all that ends the search, and so all that is asked for? */
static inline bool gg_is_for_targets(const gpugraph_search *search, bool bounded) {
    return !bounded && search->limit == 0 && search->target_count > 0;
}

#ifdef __cplusplus
}
#endif
#endif
