/* Features of a graph and the choice of an engine, its queues and their parameters: see
** sssp_choice.h. */
#include "sssp_choice.h"

#include <stdlib.h>
#include <string.h>

static void (*adjuster)(struct sssp_parameters *parameters);

void gg_sssp_adjust(void (*adjust)(struct sssp_parameters *parameters)) {
    adjuster = adjust;
}

/* ---- features ---- */

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double weight_of(const gpugraph_graph *graph, uint64_t e) {
    switch (graph->distance_type) {
    case GPUGRAPH_UINT32:
        return ((const uint32_t *)graph->weight)[e];
    case GPUGRAPH_UINT64:
        return (double)((const int64_t *)graph->weight)[e];
    default:
        return ((const double *)graph->weight)[e];
    }
}

/* Weights spread over all edges: their median (of the positive ones) and largest. */
static void look_at_weights(const gpugraph_graph *graph, struct sssp_features *f) {
    double sample[GG_SSSP_WEIGHTS];
    uint64_t step = graph->m / GG_SSSP_WEIGHTS + 1, looks = 0;
    size_t count = 0;
    for (uint64_t e = 0; e < graph->m; e += step) {
        double weight = weight_of(graph, e);
        looks++;
        f->weight += (weight - f->weight) / (double)looks;
        if (weight > 0)
            sample[count++] = weight;
    }
    qsort(sample, count, sizeof *sample, compare_doubles);
    if (count) {
        f->typical_weight = sample[count / 2];
        f->most_weight = sample[count - 1];
    }
}

void gg_sssp_features(const gpugraph_graph *graph, gpugraph_direction direction,
                      struct sssp_features *f) {
    memset(f, 0, sizeof *f);
    f->vertices = graph->n;
    f->arcs = direction == GPUGRAPH_BOTH ? 2 * (uint64_t)graph->m : graph->m;
    f->degree = graph->n ? (double)f->arcs / graph->n : 0;
    look_at_weights(graph, f);
}

/* ---- choice ---- */

/* The first is "auto". */
static const struct {
    const char *name;
    enum sssp_engine engine;
    enum mlmq_l1 l1;
    enum mlmq_l2 l2;
} known[] = {{"frontier", SSSP_FRONTIER, MLMQ_L1V, MLMQ_L2V},
             {"L1V-L2V", SSSP_MLMQ, MLMQ_L1V, MLMQ_L2V},
             {"L1NF-L2V", SSSP_MLMQ, MLMQ_L1NF, MLMQ_L2V},
             {"L1FQ-L2V", SSSP_MLMQ, MLMQ_L1FQ, MLMQ_L2V},
             {"L1SLF-L2V", SSSP_MLMQ, MLMQ_L1SLF, MLMQ_L2V},
             {"L1V-L2DQ", SSSP_MLMQ, MLMQ_L1V, MLMQ_L2DQ},
             {"L1NF-L2DQ", SSSP_MLMQ, MLMQ_L1NF, MLMQ_L2DQ},
             {"L1FQ-L2DQ", SSSP_MLMQ, MLMQ_L1FQ, MLMQ_L2DQ},
             {"L1SLF-L2DQ", SSSP_MLMQ, MLMQ_L1SLF, MLMQ_L2DQ},
             {"L1V-L2PQ", SSSP_MLMQ, MLMQ_L1V, MLMQ_L2PQ},
             {"L1NF-L2PQ", SSSP_MLMQ, MLMQ_L1NF, MLMQ_L2PQ},
             {"L1FQ-L2PQ", SSSP_MLMQ, MLMQ_L1FQ, MLMQ_L2PQ},
             {"L1SLF-L2PQ", SSSP_MLMQ, MLMQ_L1SLF, MLMQ_L2PQ},
             {"L1V-L2MPQ", SSSP_MLMQ, MLMQ_L1V, MLMQ_L2MPQ},
             {"L1NF-L2MPQ", SSSP_MLMQ, MLMQ_L1NF, MLMQ_L2MPQ},
             {"L1FQ-L2MPQ", SSSP_MLMQ, MLMQ_L1FQ, MLMQ_L2MPQ},
             {"L1SLF-L2MPQ", SSSP_MLMQ, MLMQ_L1SLF, MLMQ_L2MPQ}};

/* Typical weights between two thresholds, divided by the average degree where that is
** over 1. */
static double width(const struct sssp_features *f, double weights) {
    double delta = f->typical_weight * weights / (f->degree > 1 ? f->degree : 1);
    return delta > 0 && delta < 1e300 ? delta : 1;
}

static void set_queues(const struct sssp_features *f, struct sssp_parameters *p) {
    p->delta = width(f, GG_MLMQ_DELTA);
    p->near_far = p->delta;
    p->filter = p->delta;
    p->blocks = GG_MLMQ_BLOCKS;
    p->cooperative = GG_MLMQ_COOPERATIVE;
    p->write_back = GG_MLMQ_WRITE_BACK;
    p->l0 = GG_MLMQ_L0;
    p->l1_capacity = GG_MLMQ_L1;
    p->bnum = GG_MLMQ_BNUM;
    p->queues = GG_MLMQ_QUEUES;
}

const char *gg_sssp_choose(const struct sssp_features *f, const char *method,
                           struct sssp_parameters *p) {
    const size_t count = sizeof known / sizeof *known;
    size_t i = 0;
    while (i < count && method && strcmp(known[i].name, method) != 0)
        i++;
    i = i < count ? i : 0;
    memset(p, 0, sizeof *p);
    p->engine = known[i].engine;
    p->l1 = known[i].l1;
    p->l2 = known[i].l2;
    if (p->engine == SSSP_MLMQ)
        set_queues(f, p);
    else
        p->delta = width(f, GG_SSSP_FRONTIER_DELTA);
    if (adjuster)
        adjuster(p);
    return known[i].name;
}
