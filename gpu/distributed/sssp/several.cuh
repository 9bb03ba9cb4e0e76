/* Shortest paths on several devices. (several.cu) */
#ifndef GPUGRAPH_SSSP_SEVERAL_CUH
#define GPUGRAPH_SSSP_SEVERAL_CUH

#include "distributed/devices/several.cuh"

struct sssp_shared_outcome {
    void *distance[SEVERAL_MOST]; /* of own places, until the workspace is used again */
    bool lost;                    /* a sum left the range: there are no distances */
    double ms;                    /* time of the kernels */
    char more[200];               /* for the phase */
};

/* Searches along rows of a team, with weights of that type, and perhaps makes light arcs
** beside them. Sources and targets are those of gg_several_ends. False: the run must
** end. */
bool gg_sssp_on_team(struct several_team *team, struct several_parts *parts,
                     gpugraph_distance_type type, const gpugraph_search *search,
                     struct sssp_shared_outcome *outcome);

#endif
