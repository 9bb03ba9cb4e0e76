/* What of a graph follows from the sections of its packed form: rows, bounds, an index of ids.
** What they say together is checked here. */
#include "unpack.h"

/* Edges in the order of their sources are the rows themselves: targets serve for both. Weights
** of the rows are left for the first search that needs them: then they are one copy (csr.c). */
static void derive_rows(reader *r) {
    gpugraph_graph *graph = r->graph;
    struct csr_slot *out = &graph->csr[CSR_OUT];
    uint64_t n = r->header.n, m = r->header.m;
    graph->source = gg_alloc_roomy(r->run, m, sizeof *graph->source);
    out->target = graph->target;
    if (gg_stopping(r->run))
        return;
    int threads = gg_threads(r->run, m);
    uint64_t ends = 0, integers = r->header.integer_count;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096)
    for (uint64_t v = 0; v < n; v++)
        for (uint64_t e = out->offset[v]; e < out->offset[v + 1]; e++)
            graph->source[e] = (uint32_t)v;
    ends = n ? out->offset[integers] : 0;
    r->integer_ends += ends;
    out->m = m;
    out->made = true;
    out->sorted = r->header.flags & PACKED_ROWS_SORTED;
    if (!gg_stopping(r->run) && out->sorted && !gg_rows_sorted(r->run, out, graph->n))
        gg_unpack_refuse(r, "is not in order", "target");
}

/* The bounds of gpugraph_create (graph.c). Narrow weights must show that they are. */
static void bound_paths(reader *r) {
    gpugraph_graph *graph = r->graph;
    uint64_t by_largest = r->largest * r->header.n;
    graph->path_low = r->largest;
    graph->path_high = UINT64_MAX;
    if (r->header.weight_type != GPUGRAPH_INTEGER_WEIGHTS)
        return;
    if (r->largest < UINT32_MAX && by_largest < UINT32_MAX)
        graph->path_high = by_largest;
    else if (r->largest < UINT32_MAX && gg_sum_holds(r->header.m, r->largest) &&
             r->total < UINT32_MAX / 2)
        graph->path_high = 2 * r->total;
    else if (graph->distance_type == GPUGRAPH_UINT32)
        graph->path_low = graph->path_high = gg_longest_path(graph, r->run);
    if (graph->distance_type == GPUGRAPH_UINT32 && graph->path_high >= UINT32_MAX &&
        !gg_stopping(r->run))
        gg_unpack_refuse(r, "is too large for the type of distances", "weight");
}

static void point_ids(reader *r) {
    gpugraph_graph *graph = r->graph;
    const packed_header *h = &r->header;
    graph->ids.integer_count = (uint32_t)h->integer_count;
    graph->ids.first_integer = h->flags & PACKED_INTEGERS ? 0 : (int64_t)h->first_integer;
    graph->ids.integer = graph->id_integer;
    graph->ids.texts =
        (gpugraph_texts){(int64_t)h->texts, graph->id_text_offset, graph->id_text_bytes};
    if (h->flags & PACKED_INTEGERS)
        gg_index_integers(r->run, graph, r->integer_ends);
    else
        graph->id_span = h->integer_count;
    graph->integer_ends = r->integer_ends;
}

static void check_texts(reader *r) {
    const gpugraph_texts *texts = &r->graph->ids.texts;
    int falls = 0, threads = gg_threads(r->run, (uint64_t)texts->count);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : falls)
    for (int64_t t = 1; t < texts->count; t++) {
        const uint64_t *at = &texts->offset[t - 1];
        if (!gg_leave(r->run, (uint64_t)t))
            falls |= gg_compare_texts(texts->bytes + at[0], at[1] - at[0],
                                      texts->bytes + at[1], at[2] - at[1]) >= 0;
    }
    if (falls && !gg_stopping(r->run))
        gg_unpack_refuse(r, "is not in order", "text");
}

void gg_unpack_derive(reader *r) {
    gpugraph_graph *graph = r->graph;
    const packed_header *h = &r->header;
    graph->n = (uint32_t)h->n;
    graph->m = h->m;
    graph->wide = gg_is_wide(h->m);
    graph->distance_type = (gpugraph_distance_type)h->distance_type;
    graph->has_equal_edge_ids = h->flags & PACKED_EQUAL_EDGE_IDS;
    if (h->flags & PACKED_IN_ORDER)
        derive_rows(r);
    if (!gg_stopping(r->run))
        gg_bound_degrees(graph, 0, r->run);
    if (!gg_stopping(r->run))
        bound_paths(r);
    if (!gg_stopping(r->run))
        point_ids(r);
    if (!gg_stopping(r->run))
        check_texts(r);
    gg_point_edges(graph, (gpugraph_weight_type)h->weight_type);
    graph->host_bytes = gg_graph_bytes(graph);
}
