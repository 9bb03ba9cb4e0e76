/* Gathers the ends and weights of the edges that a batch removes.
**
**     removed   3 5 7                numbers, in order
**     source, target, weight         entries scattered over the arrays
**     gone_end        a b c d e f    side by side: 2 * i the source, 2 * i + 1 the target
**     gone_weight     4 1 7          as in the graph's array
**
** Every step of the update reads these, some of them several times. Each read from the
** arrays would wait for memory; here many reads overlap. */
#include "update.h"

typedef struct gathering {
    const update *u;
    const uint32_t *source, *target;
    const void *weight;
    size_t size; /* bytes of a weight; 0: no weights */
} gathering;

static void gather_some(const gathering *g, uint64_t low, uint64_t high) {
    uint64_t at[GG_FETCH_AHEAD];
    for (uint64_t i = low; i < high; i++) {
        const uint64_t place = gg_edge_place(g->u->graph, g->u->removed[i]);
        at[i - low] = place;
        gg_fetch(&g->source[place]);
        gg_fetch(&g->target[place]);
        if (g->size)
            gg_fetch((const char *)g->weight + place * g->size);
    }
    for (uint64_t i = low; i < high; i++) {
        const uint64_t place = at[i - low];
        g->u->gone_end[2 * i] = g->source[place];
        g->u->gone_end[2 * i + 1] = g->target[place];
        if (g->size)
            g->u->gone_weight[i] = gg_weight_at(g->weight, place, g->size);
    }
}

static void gather_gone(void *of, uint64_t low, uint64_t high) {
    for (uint64_t i = low, end; i < high; i = end) {
        end = high - i < GG_FETCH_AHEAD ? high : i + GG_FETCH_AHEAD;
        gather_some(of, i, end);
    }
}

void gg_look_at_gone(update *u) {
    const gpugraph_graph *graph = u->graph;
    const uint64_t count = u->removed_count;
    const gathering g = {
        .u = u,
        .source = gg_sources_of(graph),
        .target = gg_targets_of(graph),
        .weight = gg_weights_of(graph),
        .size = gg_weights_of(graph) ? gg_distance_size(graph->distance_type) : 0};
    u->gone_end = gg_alloc(u->run, 2 * count, sizeof *u->gone_end);
    u->gone_weight = u->gone_end ? gg_alloc(u->run, count, sizeof *u->gone_weight) : NULL;
    if (u->gone_weight)
        gg_slices(gg_threads(u->run, count * GG_FETCH_ITEMS), count, gather_gone,
                  (void *)&g);
}
