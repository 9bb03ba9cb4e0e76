/* Maximal independent sets on several devices. */
#ifndef GPUGRAPH_MIS_SEVERAL_CUH
#define GPUGRAPH_MIS_SEVERAL_CUH

#include "mis.cuh"
#include "several/several.cuh"

struct mis_question {
    gpugraph_priority priority;
    int64_t seed;
    uint64_t first_id;    /* of consecutive ids */
    const uint32_t *hash; /* by number, on the host; NULL: ids are consecutive */
};

/* In the team's workspace: of each member's places, is it in the set? */
struct mis_answer {
    several_array<uint8_t> member;
    unsigned launches, passes;
    double ms; /* of the kernels */
};

/* The set of the graph in those parts (CSR_SIMPLE). */
bool gg_mis_on_team(struct several_team *team, const struct several_parts *parts,
                    const struct mis_question *question, struct mis_answer *answer);
/* Method "several": on the devices of these ordinals, as gg_several_open has them. */
gpugraph_status gg_mis_several(gpugraph_graph *graph, gpugraph_priority priority,
                               int64_t seed, gpugraph_run *run, const int *ordinal,
                               int parts, uint8_t *member);
int64_t gg_mis_several_bytes(const gpugraph_graph *graph, int parts);

#endif
