/* What the predictions of algorithms have in common: how many arcs a graph has, and whether it is
** as thin as a road network. */
#include "algorithm.h"

/* Edges for each vertex below which a graph counts as thin: roads, chains. */
enum { THIN_DEGREE = 4 };

double gg_arcs_once(const gpugraph_graph *graph) {
    return (double)graph->m;
}

double gg_arcs_twice(const gpugraph_graph *graph) {
    return 2 * (double)graph->m;
}

bool gg_is_thin(const gpugraph_graph *graph) {
    return (double)graph->m < (double)graph->n * THIN_DEGREE;
}

double gg_one_step(const gpugraph_graph *graph) {
    (void)graph;
    return 1;
}

double gg_few_steps(const gpugraph_graph *graph) {
    (void)graph;
    return GG_FEW_LEVELS;
}
