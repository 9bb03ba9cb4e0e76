/* Copies a graph's data on the host, array by array, with all rows that exist. */
#include "graph/graph.h"
#include "ids/ids.h"

static void copy_slot(gpugraph_run *run, const struct csr_slot *from, uint32_t n,
                      size_t weight_size, struct csr_slot *to) {
    const uint64_t arcs = from->end ? from->used : from->m;
    *to = (struct csr_slot){.m = from->m,
                            .made = from->made,
                            .sorted = from->sorted,
                            .used = from->used,
                            .dead = from->dead};
    to->offset =
        gg_copy_array(run, from->offset, (uint64_t)n + !from->end, sizeof *to->offset);
    to->end = gg_copy_array(run, from->end, n, sizeof *to->end);
    to->spare = gg_copy_array(run, from->spare, n, sizeof *to->spare);
    to->target = gg_copy_array(run, from->target, arcs, sizeof *to->target);
    to->weight = gg_copy_array(run, from->weight, arcs, weight_size);
}

static void copy_edges(gpugraph_run *run, const gpugraph_graph *from,
                       gpugraph_graph *to) {
    uint64_t m = from->m;
    to->source = gg_copy_array(run, from->source, m, sizeof *to->source);
    to->target = gg_copy_array(run, from->target, m, sizeof *to->target);
    to->edge_id = gg_copy_array(run, from->edge_id, m, sizeof *to->edge_id);
    to->weight =
        gg_copy_array(run, from->weight, m, gg_distance_size(from->distance_type));
    gg_point_edges(to, from->edges.weight_type);
}

/* to->count is the number of ids whose texts are copied. */
static void copy_later_ids(gpugraph_run *run, const struct later_ids *from,
                           struct later_ids *to) {
    *to = (struct later_ids){NULL, NULL, 0};
    to->order = gg_copy_array(run, from->order, from->count, sizeof *to->order);
    to->id = gg_copy_array(run, from->id, from->count, sizeof *to->id);
    for (; to->id && to->count < from->count; to->count++) {
        gpugraph_id *id = &to->id[to->count];
        if (id->is_text)
            id->text = gg_copy_array(run, id->text, id->length + 1, 1);
        if (id->is_text && !id->text)
            return;
    }
}

static void copy_ids(gpugraph_run *run, const gpugraph_graph *from, gpugraph_graph *to) {
    uint64_t words = (from->id.span + 63) / 64, texts = (uint64_t)from->ids.texts.count;
    to->id.integer = gg_copy_array(run, from->id.integer, from->ids.integer_count,
                                   sizeof *to->id.integer);
    to->id.present = gg_copy_array(run, from->id.present, words, sizeof *to->id.present);
    to->id.rank = gg_copy_array(run, from->id.rank, words, sizeof *to->id.rank);
    to->id.text_offset =
        gg_copy_array(run, from->id.text_offset, texts + 1, sizeof *to->id.text_offset);
    to->id.text_bytes =
        gg_copy_array(run, from->id.text_bytes, gg_text_bytes(&from->ids.texts), 1);
    to->id.tombstones.vertex =
        gg_copy_array(run, from->id.tombstones.vertex, from->id.tombstones.count,
                      sizeof *to->id.tombstones.vertex);
    copy_later_ids(run, &from->id.later, &to->id.later);
    to->ids.later = to->id.later.id;
    to->ids.integer = to->id.integer;
    to->ids.texts.offset = to->id.text_offset;
    to->ids.texts.bytes = to->id.text_bytes;
}

gpugraph_status gpugraph_clone(const gpugraph_graph *graph, gpugraph_run *run,
                               gpugraph_graph **copy) {
    gg_begin(run);
    if (!gg_needs(run, copy, 1, "copy"))
        return run->status;
    *copy = NULL;
    if (gg_bring_edges((gpugraph_graph *)graph, run))
        return run->status;
    gpugraph_graph *made = gg_alloc(run, 1, sizeof *made);
    if (!made)
        return run->status;
    *made = *graph;
    made->gate = (struct graph_gate){0};
    made->device = NULL;
    made->derived.tables_settled = false;
    made->id.text_index = NULL;
    made->id.texts_asked = 0;
    copy_edges(run, graph, made);
    copy_ids(run, graph, made);
    for (int kind = 0; kind < CSR_KINDS; kind++)
        copy_slot(run, &graph->csr[kind], graph->n,
                  gg_distance_size(graph->distance_type), &made->csr[kind]);
    copy_slot(run, &graph->derived.edge_rows, graph->n, gg_edge_size(graph->wide),
              &made->derived.edge_rows);
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++)
        copy_slot(run, &graph->derived.adjacency[side].rows, graph->n, sizeof(uint32_t),
                  &made->derived.adjacency[side].rows);
    made->derived.degree =
        gg_copy_array(run, graph->derived.degree, graph->n, sizeof *made->derived.degree);
    if (gg_stopping(run)) {
        gpugraph_free(made);
        return gg_stopped(run);
    }
    *copy = made;
    return run->status;
}
