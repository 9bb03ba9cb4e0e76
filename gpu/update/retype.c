/* Changes the type of weights before a batch: INTEGER weights become REAL if the batch
** adds REAL weights, and a graph that loses all its edges takes the type of the added
** ones.
**
** Rows keep their arcs and lose their weights, which the next search makes again. The old
** weights stay beside the new ones until the batch is done: an error restores them. */
#include "update.h"

typedef struct conversion {
    const gpugraph_edge_list *from;
    double *to;
    gpugraph_run *run;
} conversion;

static void convert_weights(void *of, uint64_t low, uint64_t high) {
    const conversion *c = of;
    const gpugraph_edge_list *from = c->from;
    for (uint64_t e = low; e < high && !gg_leave(c->run, e); e++)
        c->to[e] = from->weight32   ? (double)from->weight32[e]
                   : from->weight64 ? (double)from->weight64[e]
                                    : 0;
}

static gpugraph_distance_type first_distance_type(gpugraph_weight_type type) {
    return type == GPUGRAPH_REAL_WEIGHTS ? GPUGRAPH_REAL : GPUGRAPH_UINT32;
}

/* NULL: no memory. INTEGER weights are zeros, since the batch removes all edges that have
** other weights. */
static void *new_weights(const gpugraph_graph *graph, gpugraph_weight_type type,
                         gpugraph_run *run) {
    const size_t size = gg_distance_size(first_distance_type(type));
    if (type != GPUGRAPH_REAL_WEIGHTS)
        return gg_alloc_zero(run, graph->m, size);
    double *weight = gg_alloc_slack(run, graph->m, size);
    conversion c = {&graph->edges, weight, run};
    if (weight)
        gg_slices(gg_threads(run, graph->m), graph->m, convert_weights, &c);
    return weight;
}

static void use_weights(gpugraph_graph *graph, const old_weights *w) {
    graph->weight = w->weight;
    graph->distance_type = w->distance_type;
    graph->known.path_low = w->path_low;
    graph->known.path_high = w->path_high;
    gg_point_edges(graph, w->type);
}

bool gg_retype(gpugraph_graph *graph, gpugraph_weight_type type, gpugraph_run *run,
               old_weights *old) {
    if (gg_bring_edges(graph, run))
        return false;
    void *weight = type ? new_weights(graph, type, run) : NULL;
    if (gg_stopping(run)) {
        gg_release(weight);
        return false;
    }
    gpugraph_release_device(graph);
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        gg_release(graph->csr[kind].weight);
        graph->csr[kind].weight = NULL;
    }
    *old = (old_weights){graph->weight, graph->edges.weight_type, graph->distance_type,
                         graph->known.path_low, graph->known.path_high};
    use_weights(graph, &(old_weights){weight, type, first_distance_type(type), 0, 0});
    return true;
}

void gg_settle_type(gpugraph_graph *graph, old_weights *old, bool changed) {
    if (changed) {
        gg_release(old->weight);
        return;
    }
    gg_release(graph->weight);
    use_weights(graph, old);
}
