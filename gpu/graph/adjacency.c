/* Rows with the arcs of each vertex and the ids of their edges. Rows of outgoing and of
** incoming arcs are made separately, each on demand.
**
**     row of v   target        | 3  7  7  7  9 |     ascending
**                id - first_id | 5  0  2  4  1 |     ascending among equal targets
**
** A deletion changes edge numbers, but no edge ids. So an update changes only the rows of
** vertices whose edges change. These rows get slack and change in place like other rows
** (`graph/slack.c`, `update/slack.c`). */
#include "graph.h"

/* ---- ids ---- */

static void id_range(const gpugraph_graph *graph, int64_t *low, int64_t *high) {
    const bool given = graph->m > 0;
    *low = given ? gg_edge_id(graph, 0) : 1;
    *high = given ? gg_edge_id(graph, graph->m - 1) : 0;
    *high = *high < *low ? *low : *high;
}

bool gpugraph_keeps_arcs(const gpugraph_graph *graph) {
    int64_t low, high;
    id_range(graph, &low, &high);
    return !graph->known.has_equal_edge_ids &&
           (uint64_t)high - (uint64_t)low < UINT32_MAX;
}

/* Returns a first_id that leaves equal space below the smallest and above the largest
** id. */
static int64_t choose_first_id(const gpugraph_graph *graph) {
    int64_t low, high;
    id_range(graph, &low, &high);
    const uint64_t span = (uint64_t)high - (uint64_t)low, spare = (UINT32_MAX - span) / 2,
                   below = (uint64_t)low - (uint64_t)INT64_MIN;
    return below < spare ? INT64_MIN : (int64_t)((uint64_t)low - spare);
}

/* ---- making ---- */

static void fill_ids(void *column, uint64_t low, uint64_t high) {
    const struct edge_column *c = column;
    const int64_t *id = c->graph->edge_id;
    uint32_t *to = c->entry;
    for (uint64_t e = low; e < high && !gg_leave(c->run, e); e++)
        to[e] = (uint32_t)((id ? (uint64_t)id[e] : e + 1) - (uint64_t)c->first_id);
}

/* Discards the rows if a nested call has made rows meanwhile. */
static void make_adjacency(gpugraph_graph *graph, gpugraph_direction side,
                           gpugraph_run *run) {
    struct adjacency *to = &graph->derived.adjacency[side];
    const double start = gg_now_ms();
    const struct edge_column ids = {.graph = graph,
                                    .run = run,
                                    .fill = fill_ids,
                                    .size = sizeof(uint32_t),
                                    .first_id = choose_first_id(graph)};
    struct csr_slot rows = {0};
    if (gg_edges_to_rows(graph, side, &ids, run, &rows) ||
        gg_adjacency_made(graph, side)) {
        gg_release_slot(&rows);
        return;
    }
    to->first_id = ids.first_id;
    gg_publish_rows(&to->rows, &rows);
    gg_phase(run, "csr", start, (int64_t)graph->m, "%s, by the ids of edges",
             side == GPUGRAPH_IN ? "in" : "out");
}

gpugraph_status gg_adjacency(gpugraph_graph *graph, gpugraph_direction side,
                             gpugraph_run *run) {
    if (gg_adjacency_made(graph, side) || gg_bring_edges(graph, run))
        return run->status;
    if (!gpugraph_keeps_arcs(graph))
        return gg_fail(
            run, GPUGRAPH_INVALID,
            "arcs are not kept, since edge ids repeat or differ by 2^32 or more");
    if (!gg_begin_making(graph, run))
        return run->status;
    if (!gg_adjacency_made(graph, side))
        make_adjacency(graph, side, run);
    gg_end_making(graph);
    return run->status;
}

/* ---- looking up ---- */

static gpugraph_status arcs_at(gpugraph_graph *graph, gpugraph_direction side, uint32_t v,
                               gpugraph_run *run, gpugraph_arcs *arcs) {
    const struct adjacency *a = &graph->derived.adjacency[side];
    gg_begin(run);
    if (!gg_needs(run, arcs, 1, "arcs"))
        return run->status;
    *arcs = (gpugraph_arcs){0};
    if (v >= graph->n)
        return gg_fail(run, GPUGRAPH_INVALID, "vertex %u is not below %u", v, graph->n);
    if (!gg_adjacency(graph, side, run)) {
        const uint64_t begin = a->rows.offset[v], end = gg_row_end(&a->rows, v);
        *arcs =
            (gpugraph_arcs){a->rows.target + begin, (uint32_t *)a->rows.weight + begin,
                            end - begin, a->first_id};
    }
    return run->status;
}

gpugraph_status gpugraph_arcs_from(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                   gpugraph_arcs *arcs) {
    return arcs_at(graph, GPUGRAPH_OUT, v, run, arcs);
}

gpugraph_status gpugraph_arcs_into(gpugraph_graph *graph, uint32_t v, gpugraph_run *run,
                                   gpugraph_arcs *arcs) {
    return arcs_at(graph, GPUGRAPH_IN, v, run, arcs);
}

gpugraph_status gpugraph_arcs_between(gpugraph_graph *graph, uint32_t v, uint32_t to,
                                      gpugraph_run *run, gpugraph_arcs *arcs) {
    if (gpugraph_arcs_from(graph, v, run, arcs))
        return run->status;
    const uint64_t low = gg_first_arc(arcs->target, 0, arcs->count, to);
    arcs->count = gg_first_arc(arcs->target, low, arcs->count, to + (uint64_t)1) - low;
    arcs->target += low;
    arcs->id += low;
    return run->status;
}

/* ---- comparison with the edges ---- */

static bool has_arc(const struct adjacency *a, uint32_t v, uint32_t to, int64_t id) {
    const uint32_t *ids = a->rows.weight;
    const uint64_t end = gg_row_end(&a->rows, v);
    const uint64_t low = gg_first_arc(a->rows.target, a->rows.offset[v], end, to);
    const uint64_t high = gg_first_arc(a->rows.target, low, end, to + (uint64_t)1);
    uint64_t offset;
    if (!gg_arc_id(a, id, &offset))
        return false;
    const uint64_t at = gg_first_arc(ids, low, high, offset);
    return at < high && ids[at] == offset && a->rows.target[at] == to;
}

/* The arcs of a row are distinct. So if each edge has an arc, and there are as many arcs
** as edges, the arcs are the edges. */
static gpugraph_status check_side(const gpugraph_graph *graph, gpugraph_direction side,
                                  gpugraph_run *run, uint64_t *edge) {
    const bool in = side == GPUGRAPH_IN;
    const struct adjacency *a = &graph->derived.adjacency[side];
    uint64_t arcs = 0;
    for (uint32_t v = 0; v < graph->n; v++)
        arcs += gg_row_end(&a->rows, v) - a->rows.offset[v];
    for (uint64_t e = 0; e < graph->m; e++) {
        const gpugraph_edge here = gpugraph_edge_of(graph, e);
        if (gg_leave(run, e))
            return gg_stopped(run);
        if (has_arc(a, in ? here.target : here.source, in ? here.source : here.target,
                    here.id))
            continue;
        *edge = e;
        return gg_fail(run, GPUGRAPH_INVALID, "edge %lld has no arc", (long long)here.id);
    }
    if (arcs != graph->m)
        gg_fail(run, GPUGRAPH_INVALID, "the rows have %llu arcs of %llu edges",
                (unsigned long long)arcs, (unsigned long long)graph->m);
    return run->status;
}

static gpugraph_status check_degrees(gpugraph_graph *graph, gpugraph_run *run) {
    const uint32_t *degree = graph->derived.degree;
    if (!degree || gg_bring_edges(graph, run))
        return run->status;
    uint32_t *counted = gg_alloc(run, graph->n, sizeof *counted);
    if (counted)
        gg_count_degrees(graph, GPUGRAPH_BOTH, run, counted);
    for (uint32_t v = 0; counted && v < graph->n && !run->status; v++)
        if (degree[v] != counted[v])
            gg_fail(run, GPUGRAPH_INVALID, "vertex number %lu has %lu edges, not %lu",
                    (unsigned long)v, (unsigned long)counted[v],
                    (unsigned long)degree[v]);
    gg_release(counted);
    return run->status;
}

gpugraph_status gpugraph_check_arcs(gpugraph_graph *graph, gpugraph_run *run,
                                    uint64_t *edge) {
    gg_begin(run);
    if (!gg_needs(run, edge, 1, "edge"))
        return run->status;
    *edge = GPUGRAPH_NO_EDGE;
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN && !run->status; side++)
        if (gg_adjacency_made(graph, (gpugraph_direction)side))
            check_side(graph, (gpugraph_direction)side, run, edge);
    return run->status ? run->status : check_degrees(graph, run);
}

/* ---- memory ---- */

void gg_list_arcs(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                  void *listener) {
    static const char *const name[] = {"edge ids by ends, out", "edge ids by ends, in"};
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++) {
        const struct adjacency *a = &graph->derived.adjacency[side];
        if (gg_adjacency_made(graph, (gpugraph_direction)side))
            hear(listener, name[side], -1,
                 (int64_t)gg_slot_bytes(&a->rows, graph->n, sizeof(uint32_t)));
    }
    if (graph->derived.degree)
        hear(listener, "degrees", -1, (int64_t)(graph->n * sizeof(uint32_t)));
}

void gg_free_adjacency(gpugraph_graph *graph, gpugraph_direction side) {
    gg_release_slot(&graph->derived.adjacency[side].rows);
}
