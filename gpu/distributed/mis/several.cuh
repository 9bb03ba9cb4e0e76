/* Maximal independent sets on several devices. */
#ifndef GPUGRAPH_MIS_SEVERAL_CUH
#define GPUGRAPH_MIS_SEVERAL_CUH

#include "mis/mis.cuh"
#include "distributed/devices/several.cuh"

enum mis_step { MIS_COUNT, MIS_CODE, MIS_DECIDE };

struct mis_shared {
    struct several_view view;
    several_array<uint32_t> count; /* of each member: the bins of its sample */
    several_array<uint32_t> codes; /* by place, four in a word */
    const uint64_t
        *offset_of[SEVERAL_MOST]; /* by owner, then by place: where peers are */
    uint32_t *degree;             /* by place: where they are not */
    uint8_t *other[SEVERAL_MOST]; /* the other devices' codes, likewise */
    /* By owner, of its places: hashes of ids; else NULL. */
    const uint32_t *hash[SEVERAL_MOST];
    uint32_t vertices; /* of the own places */
    uint32_t others;
    const uint64_t *offset; /* by place: only own ones */
    const uint32_t *target;
    uint8_t *code;          /* the own copy */
    uint8_t *member;        /* by place - first */
    struct mis_graph order; /* what keys are made of; takes numbers for rows */
    uint32_t first_share;
    struct mis_left *left;
    struct waiting *list;
    uint32_t room; /* entries of the list, for each warp */
    enum mis_step step;
};

struct mis_left {
    uint32_t open;   /* vertices that wait */
    uint32_t passes; /* of the warp that had most */
};

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

#endif
