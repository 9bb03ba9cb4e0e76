/* How the device searches for shortest paths: which engine, which queues, and every
** number that they are run with. One struct, filled in one place (choice.c), read by
** all engines.
**
**     gpugraph_graph --- gg_device_features ---> features      of the paper's Table 2, and some more
**                                                 |
**     kind, features ----- gg_sssp_choose ---> parameters  --> sssp/sssp.cu --> an engine
**                                                 ^
**                              a benchmark's adjust function may change them
*/
#ifndef GPUGRAPH_SSSP_CHOICE_H
#define GPUGRAPH_SSSP_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Typical weights that a bucket of multi-queues is wide, divided by the average
** degree. */
#define GG_MLMQ_DELTA 20.0

#ifdef __cplusplus
extern "C" {
#endif

/* The methods of the device, in the order of their table (sssp/sssp.cu). */
enum sssp_kind {
    SSSP_PERSISTENT, /* delta-stepping in one launch, rounds between grid barriers */
    SSSP_REGIONS,    /* regions of near vertices, which blocks search by themselves */
    /* Multi-level multi-queues, one launch without rounds: a FIFO of each warp in shared
    ** memory (L1V) over a FIFO or buckets of all warps in device memory (L2V, L2DQ). The
    ** names are those of Hu et al., "Beyond a Single Queue". */
    SSSP_L1V_L2V,
    SSSP_L1V_L2DQ,
    SSSP_AUTO /* gg_sssp_choose decides */
};

/* Widths are in units of distance. */
struct sssp_parameters {
    enum sssp_kind kind;
    double delta;         /* width of a bucket, distance between two thresholds */
    double blocks;        /* of 256 threads for each multiprocessor; may be below 1 */
    uint32_t cooperative; /* arcs over which a whole warp relaxes one vertex */
    bool local;           /* small rounds stay within a block */
    double fall;          /* of the rest, below which buckets become wider; 0: never */
    double
        pull; /* distance behind a bucket of many vertices from which on others pull; 0: never */
    uint32_t turn_after; /* searches after which the transpose is made for that */
    /* multi-queues alone */
    uint32_t write_back;  /* L1V: writes after which L1 is emptied into L2; 0: never */
    bool l0;              /* a thread keeps an element in registers */
    uint32_t l1_capacity; /* elements of a warp */
    uint32_t bnum;        /* L2DQ: buckets that are read, of MLMQ_BUCKETS */
    uint64_t l2_capacity; /* elements in device memory; 0: by the graph's size */
};

struct sssp_features {
    uint64_t vertices, arcs;
    double degree, degree_deviation, most_degree;
    double weight, weight_deviation; /* of edges evenly spread */
    double typical_weight;           /* median of the positive ones among these */
    double ball_depth; /* mean of log2(levels to 1,024 vertices + 1): features.cu */
};

/* Sets parameters->kind to the kind, or to one that is predicted to be quickest, and the
** other parameters by the features. */
void gg_sssp_choose(const struct sssp_features *features, enum sssp_kind kind,
                    struct sssp_parameters *parameters);
static inline bool gg_sssp_has_queues(const struct sssp_parameters *p) {
    return p->kind == SSSP_L1V_L2V || p->kind == SSSP_L1V_L2DQ;
}

/* For one path from both ends, by the engine "persistent". */
void gg_path_choose(const struct sssp_features *features,
                    struct sssp_parameters *parameters);
/* Has the graph so few arcs, and no hubs, that a ball grows slowly: roads, meshes? */
bool gg_path_is_thin(const struct sssp_features *features);

/* Candidate i of those that "auto" chooses from; false past the last. */
bool gg_sssp_candidate(size_t i, const struct sssp_features *features,
                       struct sssp_parameters *parameters);

#ifdef __cplusplus
}
#endif
#endif
