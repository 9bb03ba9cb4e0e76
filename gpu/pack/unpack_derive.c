/* The parts of a graph that follow from the sections of its packed form: rows, bounds, an
** index of ids. Checks the sections against each other. */
#include "unpack.h"
#include "graph/copy.h"
#include "ids/ids.h"
#include "update/update.h"

static void list_sources(void *of, uint64_t low, uint64_t high) {
    gpugraph_graph *graph = of;
    const uint64_t *offset = graph->csr[CSR_OUT].offset;
    for (uint64_t v = low; v < high; v++)
        for (uint64_t e = offset[v]; e < offset[v + 1]; e++)
            graph->source[e] = (uint32_t)v;
}

/* Edges in the order of their sources are the rows themselves: both share the targets.
** The weights of the rows are left to the first search that needs them, which copies them
** (graph/csr.c). */
static void derive_rows(reader *r) {
    gpugraph_graph *graph = r->graph;
    struct csr_slot *out = &graph->csr[CSR_OUT];
    uint64_t n = r->header.n, m = r->header.m;
    enum { ROWS = 4096 }; /* rows that a thread takes at a time */
    graph->source = gg_alloc_roomy(r->run, m, sizeof *graph->source);
    out->target = graph->target;
    if (gg_stopping(r->run))
        return;
    gg_chunks(gg_threads(r->run, m), n, ROWS, list_sources, graph);
    r->integer_ends += n ? out->offset[r->header.integer_count] : 0;
    out->m = m;
    out->made = true;
    if (!gg_stopping(r->run))
        out->sorted = gg_rows_sorted(r->run, out, graph->n);
}

static uint64_t longest_path(const void *of) {
    const reader *r = of;
    return gg_longest_path(r->graph, r->run);
}

/* Computes the bounds of gpugraph_create (graph/weights.c), and refuses narrow weights
** that paths can exceed. */
static void bound_paths(reader *r) {
    gpugraph_graph *graph = r->graph;
    const gpugraph_distance_type type = graph->distance_type;
    if (r->header.weight_type != GPUGRAPH_INTEGER_WEIGHTS)
        return;
    gg_choose_width(graph, r->largest, r->total, longest_path, r);
    if (graph->distance_type > type && !gg_stopping(r->run))
        gg_unpack_refuse(r, "is too large for the type of distances", "weight");
    graph->distance_type = type;
}

static void point_ids(reader *r) {
    gpugraph_graph *graph = r->graph;
    const packed_header *h = &r->header;
    graph->ids.integer_count = (uint32_t)h->integer_count;
    graph->ids.first_integer = h->flags & PACKED_INTEGERS ? 0 : (int64_t)h->first_integer;
    graph->ids.integer = graph->id.integer;
    graph->ids.texts = (gpugraph_texts){.count = (int64_t)h->texts,
                                        .offset = graph->id.text_offset,
                                        .bytes = graph->id.text_bytes};
    if (h->flags & PACKED_INTEGERS)
        gg_index_integers(r->run, graph, r->integer_ends);
    else
        graph->id.span = h->integer_count;
}

typedef struct text_look {
    reader *r;
    bool falls; /* a text does not follow the one before it */
} text_look;

static void compare_some_texts(void *look, uint64_t low, uint64_t high) {
    text_look *l = look;
    const gpugraph_texts *texts = &l->r->graph->ids.texts;
    bool falls = false;
    for (uint64_t t = low ? low : 1; t < high && !gg_leave(l->r->run, t); t++) {
        const uint64_t *at = &texts->offset[t - 1];
        falls |= gg_compare_texts(texts->bytes + at[0], at[1] - at[0],
                                  texts->bytes + at[1], at[2] - at[1]) >= 0;
    }
    if (falls)
        __atomic_store_n(&l->falls, true, __ATOMIC_RELAXED);
}

static void check_texts(reader *r) {
    uint64_t count = (uint64_t)r->graph->ids.texts.count;
    text_look look = {r, false};
    gg_slices(gg_threads(r->run, count), count, compare_some_texts, &look);
    if (look.falls && !gg_stopping(r->run))
        gg_unpack_refuse(r, "is not in order", "text");
}

void gg_unpack_derive(reader *r) {
    gpugraph_graph *graph = r->graph;
    const packed_header *h = &r->header;
    graph->n = (uint32_t)h->n;
    graph->m = h->m;
    graph->wide = gg_is_wide(h->m);
    graph->distance_type = (gpugraph_distance_type)h->distance_type;
    graph->known.has_equal_edge_ids = h->flags & PACKED_EQUAL_EDGE_IDS;
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
