/* Ids that come between others: between.c, spread.c. */
#ifndef GPUGRAPH_UPDATE_BETWEEN_H
#define GPUGRAPH_UPDATE_BETWEEN_H

#include "update.h"
#include "ids/ids.h"

/* Numbers of INTEGERs come first. */
static inline bool gg_is_text(const gpugraph_graph *graph, uint64_t v) {
    return v >= graph->ids.integer_count;
}

/* The number of that id, be it unused; or GPUGRAPH_NONE. */
static inline uint32_t gg_number_of(const gpugraph_graph *graph,
                                    const struct vertex_id *id) {
    return id->text ? gg_number_of_text(graph, id->bytes, id->length)
                    : gg_number_of_integer(graph, id->integer);
}

/* How many numbers have ids that come before that one, which no number has. */
static inline uint64_t gg_numbers_below(const gpugraph_graph *graph,
                                        const struct vertex_id *id) {
    return id->text ? graph->ids.integer_count +
                          gg_texts_below(&graph->ids.texts, id->bytes, id->length)
                    : gg_integers_below(&graph->ids, id->integer);
}

/* A change whose phases nobody hears of: the caller has one of its own. */
void gg_change_unheard(gpugraph_graph *graph, const gpugraph_changes *changes,
                       gpugraph_run *run);

/* Edges of the vertices that give way for one id, at most. */
uint64_t gg_most_way_edges(const gpugraph_graph *graph);

/* Unused numbers all over the graph, and several where the id comes: all numbers move for it. False: there are none, or a
** failure is in the run's status. */
bool gg_spread_unused(gpugraph_graph *graph, const struct named_numbers *named,
                      const struct vertex_id *come, gpugraph_run *run);

#endif
