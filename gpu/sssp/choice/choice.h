/* How the device searches for shortest paths: the engine, its queues, and all numbers
** that they depend on. choice.c fills one struct, and all engines read it.
**
**     gpugraph_graph --- gg_device_features ---> features      those of the paper's
**                                                  |           Table 2, and more
**     kind, features ----- gg_sssp_choose ---> parameters  --> sssp/sssp.cu --> an engine
**                                                  ^
**                               a benchmark's adjust function may change them */
#ifndef GPUGRAPH_SSSP_CHOICE_H
#define GPUGRAPH_SSSP_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bucket width of multi-queues in typical weights, to be divided by the mean degree. */
#define GG_MLMQ_DELTA 20.0

#ifdef __cplusplus
extern "C" {
#endif

/* The methods of the device, in the order of their table (sssp/sssp.cu). */
enum sssp_kind {
    SSSP_PERSISTENT, /* delta-stepping in one launch, rounds between grid barriers */
    SSSP_REGIONS,    /* regions of near vertices, each searched by one block */
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
    double delta;  /* width of a bucket */
    double blocks; /* blocks of 256 threads for each multiprocessor; may be below 1 */
    uint32_t cooperative; /* degree from which a whole warp relaxes one vertex */
    bool local;           /* small rounds stay within a block */
    double fall; /* buckets become wider once the rest falls below this share; 0: never */
    /* from the end of a large bucket to a bound; vertices beyond it pull; 0: no bound */
    double pull;
    uint32_t turn_after; /* searches before the transpose is made for the pull */
    /* of multi-queues only */
    uint32_t write_back;  /* L1V: writes between two moves of all of L1 to L2; 0: never */
    bool l0;              /* each thread keeps an element in registers */
    uint32_t l1_capacity; /* elements of a warp */
    uint32_t bnum;        /* L2DQ: buckets that may be read, of MLMQ_RING */
    uint64_t l2_capacity; /* elements in device memory; 0: by the graph's size */
};

struct sssp_features {
    uint64_t vertices, arcs;
    double degree, degree_deviation, most_degree;
    double weight, weight_deviation; /* by a sample of edges */
    double typical_weight;           /* median of the positive weights of the sample */
    double ball_depth; /* mean of log2(levels until 1,024 vertices are reached + 1) */
};

/* Sets parameters->kind to `kind`, or for SSSP_AUTO to the kind predicted to be fastest,
** and the other parameters by the features. */
void gg_sssp_choose(const struct sssp_features *features, enum sssp_kind kind,
                    struct sssp_parameters *parameters);
static inline bool gg_sssp_has_queues(const struct sssp_parameters *p) {
    return p->kind == SSSP_L1V_L2V || p->kind == SSSP_L1V_L2DQ;
}

/* Sets the parameters of a search from both ends by the engine "persistent". */
void gg_path_choose(const struct sssp_features *features,
                    struct sssp_parameters *parameters);
/* True if the graph has a low degree and no hubs, as roads and meshes, so that balls grow
** slowly. */
bool gg_path_is_thin(const struct sssp_features *features);

/* Candidate i of `auto`. False: there are fewer. */
bool gg_sssp_candidate(size_t i, const struct sssp_features *features,
                       struct sssp_parameters *parameters);

#ifdef __cplusplus
}
#endif
#endif
