/* Iteration over the edges of a dynamic graph; the host holds one portion of them.
**
**     vertices    first ... | at .. next - 1 | ... end
**                             the rows of these: offset, target, value or id and
**                             weight; edge number `edge` of them is next
**
** A portion is as many vertices as have few edges together, or one vertex with many
** edges. */
#include "multigraph.h"
#include "base/run.h"

enum {
    PORTION_EDGES = 1 << 16,
    PORTION_VERTICES = 1 << 12 /* vertices whose degrees are requested at a time */
};

struct gpugraph_edge_iterator {
    gpugraph_dynamic *graph;       /* one of these two is not NULL */
    gpugraph_multigraph *parallel; /* may have parallel edges */
    uint32_t at, next, end;        /* vertices */
    uint64_t edge, edges;          /* edges of the portion */
    uint32_t name[PORTION_VERTICES];
    uint64_t offset[PORTION_VERTICES + 1];
    uint32_t *target, *value;
    int64_t *id, *weight;
};

/* ---- portions ---- */

static void drop_arrays(gpugraph_edge_iterator *it) {
    gg_release(it->target);
    gg_release(it->value);
    gg_release(it->id);
    gg_release(it->weight);
    it->target = it->value = NULL;
    it->id = it->weight = NULL;
}

static void take_arrays(gpugraph_edge_iterator *it, uint64_t edges, gpugraph_run *run) {
    it->target = gg_alloc(run, edges, sizeof *it->target);
    if (it->graph && it->graph->valued)
        it->value = gg_alloc(run, edges, sizeof *it->value);
    if (it->parallel) {
        it->id = gg_alloc(run, edges, sizeof *it->id);
        it->weight = gg_alloc(run, edges, sizeof *it->weight);
    }
}

/* Fetches the rows of vertices name[0 .. count - 1]: into the arrays that exist, and
** always into offset. */
static gpugraph_status ask_rows(gpugraph_edge_iterator *it, uint64_t count,
                                gpugraph_run *run) {
    return it->graph
               ? gpugraph_dynamic_rows_of(it->graph, count, it->name, run, it->offset,
                                          it->target, it->value)
               : gpugraph_multigraph_rows_of(it->parallel, count, it->name, run,
                                             it->offset, it->target, it->id, it->weight);
}

/* Fetches the next portion, which may be empty. After an error the portion can be fetched
** again. */
static gpugraph_status fetch(gpugraph_edge_iterator *it, gpugraph_run *run) {
    const uint32_t left = it->end - it->next;
    uint64_t count = left < PORTION_VERTICES ? left : PORTION_VERTICES, fit = 1;
    it->edge = it->edges = 0;
    drop_arrays(it);
    for (uint64_t i = 0; i < count; i++)
        it->name[i] = it->next + (uint32_t)i;
    if (ask_rows(it, count, run))
        return run->status;
    while (fit < count && it->offset[fit + 1] <= PORTION_EDGES)
        fit++;
    const uint64_t edges = it->offset[fit];
    if (edges)
        take_arrays(it, edges, run);
    if (run->status || (edges && ask_rows(it, fit, run)))
        return run->status;
    it->edges = edges;
    it->at = it->next;
    it->next += (uint32_t)fit;
    return GPUGRAPH_OK;
}

/* ---- public ---- */

static gpugraph_status iterate_edges(gpugraph_dynamic *graph,
                                     gpugraph_multigraph *parallel, uint32_t first,
                                     uint32_t end, gpugraph_run *run,
                                     gpugraph_edge_iterator **made) {
    const uint32_t n = gpugraph_dynamic_vertex_count(graph ? graph : parallel->pairs);
    const uint32_t asked = end;
    gg_begin(run);
    if (!gg_needs(run, made, 1, "made"))
        return run->status;
    *made = NULL;
    end = end < n ? end : n;
    if (first > end)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "edges of vertices %u to %u are requested, but the graph has %u",
                       first, asked, n);
    gpugraph_edge_iterator *it = gg_alloc_zero(run, 1, sizeof *it);
    if (!it)
        return run->status;
    it->graph = graph;
    it->parallel = parallel;
    it->at = it->next = first;
    it->end = end;
    *made = it;
    return GPUGRAPH_OK;
}

gpugraph_status gpugraph_dynamic_iterate(gpugraph_dynamic *graph, uint32_t first,
                                         uint32_t end, gpugraph_run *run,
                                         gpugraph_edge_iterator **made) {
    return iterate_edges(graph, NULL, first, end, run, made);
}

gpugraph_status gpugraph_multigraph_iterate(gpugraph_multigraph *graph, uint32_t first,
                                            uint32_t end, gpugraph_run *run,
                                            gpugraph_edge_iterator **made) {
    return iterate_edges(NULL, graph, first, end, run, made);
}

bool gpugraph_next_edge(gpugraph_edge_iterator *it, gpugraph_run *run,
                        gpugraph_dynamic_edge *edge) {
    if (!edge) {
        gg_begin(run);
        return gg_needs(run, edge, 1, "edge");
    }
    while (it->edge == it->edges) {
        gg_begin(run);
        if (it->next == it->end || fetch(it, run))
            return false;
    }
    const uint64_t i = it->edge++;
    uint64_t row = it->at - it->name[0];
    while (it->offset[row + 1] <= i)
        row++;
    it->at = it->name[row];
    *edge = (gpugraph_dynamic_edge){.source = it->at,
                                    .target = it->target[i],
                                    .value = it->value ? it->value[i] : 0,
                                    .id = it->id ? it->id[i] : 0,
                                    .weight = it->weight ? it->weight[i] : 0};
    return true;
}

void gpugraph_edge_iterator_free(gpugraph_edge_iterator *it) {
    if (!it)
        return;
    drop_arrays(it);
    gg_release(it);
}
