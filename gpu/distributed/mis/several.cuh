/* Maximal independent sets on several devices. */
#ifndef GPUGRAPH_MIS_SEVERAL_CUH
#define GPUGRAPH_MIS_SEVERAL_CUH

#include "mis/mis.cuh"
#include "distributed/devices/several.cuh"

enum mis_step { MIS_COUNT, MIS_CODE, MIS_DECIDE };

struct mis_shared {
    struct several_view view;
    several_array<uint32_t> count;           /* bins of each member's sample */
    several_array<uint32_t> codes;           /* by place, four in a word */
    const uint64_t *offset_of[SEVERAL_MOST]; /* by owner, indexed by place; with peers */
    uint32_t *degree;                        /* by place; without peers */
    uint8_t *other[SEVERAL_MOST];            /* codes on the other devices, with peers */
    /* Hashes of ids by owner, indexed within its segment; NULL: computed from numbers. */
    const uint32_t *hash[SEVERAL_MOST];
    uint32_t vertices; /* in the own segment */
    uint32_t others;
    const uint64_t *offset; /* indexed by place; own rows only */
    const uint32_t *target;
    uint8_t *code;          /* the own copy */
    uint8_t *member;        /* by place within the segment */
    struct mis_graph order; /* for keys; its row numbers are vertex numbers */
    uint32_t first_share;
    struct mis_left *left;
    struct waiting *list;
    uint32_t room; /* of each warp's list, in entries */
    enum mis_step step;
};

struct mis_left {
    uint32_t open;   /* vertices that wait */
    uint32_t passes; /* most passes of a warp */
};

struct mis_question {
    gpugraph_priority priority;
    int64_t seed;
    uint64_t first_id;    /* if ids are consecutive */
    const uint32_t *hash; /* by number, on the host; NULL: ids are consecutive */
};

/* The answer, in the team's workspace: 1 for each place in the set. */
struct mis_answer {
    several_array<uint8_t> member;
    unsigned launches, passes;
    double ms; /* time of the kernels */
};

/* Finds the set of the graph with these rows (CSR_SIMPLE). False: the run must end. */
bool gg_mis_on_team(struct several_team *team, const struct several_parts *parts,
                    const struct mis_question *question, struct mis_answer *answer);

#endif
