/* The edges of a changing graph: fill, change, read rows, compare with the graph. */
#include "store.h"
#include "base/words.h"
#include "graph/graph.h"

/* Number of edges that one query compares. */
#define CHECKED_EDGES ((uint64_t)1 << 20)

enum { SIDES = GPUGRAPH_IN + 1 };

/* ---- fill, free ---- */

gpugraph_status gg_store_fill(edge_store *store, uint32_t vertices,
                              const struct chain_edges *edges, const dynamic_place *place,
                              struct cuda_job *job, gpugraph_run *run) {
    const gpugraph_dynamic_options options = {.vertices = vertices};
    gpugraph_multigraph **out = &store->side[GPUGRAPH_OUT];
    if (gg_multigraph_new(&options, place, job, run, out))
        return run->status;
    if (!gg_multigraph_put(*out, edges, run) &&
        gpugraph_multigraph_edge_count(*out) != edges->count)
        gg_fail(run, GPUGRAPH_INVALID, "edges between the same two vertices share an id");
    return run->status;
}

void gg_store_lend(edge_store *store, struct cuda_job *job) {
    for (int side = 0; side < SIDES; side++)
        if (store->side[side]) {
            store->side[side]->pairs->held = true;
            store->side[side]->pairs->lent = job;
        }
}

int64_t gg_store_bytes(const edge_store *store) {
    int64_t bytes = 0;
    for (int side = 0; side < SIDES; side++)
        bytes += store->side[side] ? gpugraph_multigraph_bytes(store->side[side]) : 0;
    return bytes;
}

/* Frees the mirror first, since it refers to the other side. */
void gg_store_free(edge_store *store) {
    for (int side = SIDES - 1; side >= 0; side--) {
        gpugraph_multigraph_free(store->side[side]);
        store->side[side] = NULL;
    }
}

/* ---- changes ---- */

static void reserve(edge_store *store, uint32_t vertices, gpugraph_run *run) {
    for (int side = 0; side < SIDES && !run->status; side++)
        if (store->side[side] &&
            vertices > gpugraph_multigraph_vertex_count(store->side[side]))
            gpugraph_multigraph_reserve(store->side[side], vertices, run);
}

gpugraph_status gg_store_change(edge_store *store, const store_changes *c,
                                gpugraph_run *run) {
    gpugraph_multigraph *m = store->side[GPUGRAPH_OUT];
    uint64_t removed = 0;
    reserve(store, c->vertices, run);
    if (!run->status && c->gone > 0)
        gpugraph_multigraph_delete(m, c->gone, c->gone_source, c->gone_target, c->gone_id,
                                   run, &removed);
    if (!run->status && removed != c->gone)
        gg_fail(run, GPUGRAPH_INVALID,
                "the batch deletes %llu edges, but the tables have %llu of them",
                (unsigned long long)c->gone, (unsigned long long)removed);
    if (!run->status && c->come > 0)
        gpugraph_multigraph_insert(m, c->come, c->come_source, c->come_target, c->come_id,
                                   c->come_weight, run, NULL);
    return run->status;
}

/* ---- comparison with the graph ---- */

struct portion { /* of edges, on the host */
    uint32_t *source, *target;
    int64_t *id, *weight;
    bool *found;
};

static void check_portion(edge_store *store, int side, const gpugraph_graph *graph,
                          uint64_t first, uint64_t count, const struct portion *p,
                          gpugraph_run *run) {
    gpugraph_multigraph *m = store->side[side];
    const bool in = side == GPUGRAPH_IN;
    const void *weight = graph->weight;
    for (uint64_t i = 0; i < count; i++) {
        p->source[i] = graph->source[first + i];
        p->target[i] = graph->target[first + i];
        p->id[i] = gg_edge_id(graph, first + i);
    }
    gpugraph_multigraph_query(m, count, in ? p->target : p->source,
                              in ? p->source : p->target, p->id, run, p->found,
                              p->weight);
    for (uint64_t i = 0; i < count && !run->status; i++) {
        if (!p->found[i])
            gg_fail(run, GPUGRAPH_INVALID, "edge %lld is not in the tables",
                    (long long)p->id[i]);
        else if (weight && (uint64_t)p->weight[i] !=
                               gg_word_weight(graph->distance_type, weight, first + i))
            gg_fail(run, GPUGRAPH_INVALID, "edge %lld has another weight in the tables",
                    (long long)p->id[i]);
    }
}

/* Edge ids are distinct: if each edge is found, equal counts mean equal edges. */
static void check_side(edge_store *store, int side, const gpugraph_graph *graph,
                       const struct portion *p, gpugraph_run *run) {
    uint64_t edges = gpugraph_multigraph_edge_count(store->side[side]), count;
    for (uint64_t first = 0; first < graph->m && !run->status; first += count) {
        count = graph->m - first;
        count = count < CHECKED_EDGES ? count : CHECKED_EDGES;
        check_portion(store, side, graph, first, count, p, run);
    }
    if (!run->status && edges != graph->m)
        gg_fail(run, GPUGRAPH_INVALID,
                "the tables have %llu edges, and the graph has %llu",
                (unsigned long long)edges, (unsigned long long)graph->m);
}

/* The mirror has the pair of each edge: equal counts mean equal pairs. */
static void check_pairs(edge_store *store, gpugraph_run *run) {
    const uint64_t out = gg_multigraph_pairs(store->side[GPUGRAPH_OUT], run),
                   in = gg_multigraph_pairs(store->side[GPUGRAPH_IN], run);
    if (!run->status && out != in)
        gg_fail(run, GPUGRAPH_INVALID,
                "the tables connect %llu pairs of vertices, and their mirror %llu",
                (unsigned long long)out, (unsigned long long)in);
}

gpugraph_status gg_store_check(edge_store *store, const gpugraph_graph *graph,
                               gpugraph_run *run) {
    const uint64_t count = graph->m < CHECKED_EDGES ? graph->m : CHECKED_EDGES;
    struct portion p = {.source = gg_alloc(run, count, sizeof *p.source),
                        .target = gg_alloc(run, count, sizeof *p.target),
                        .id = gg_alloc(run, count, sizeof *p.id),
                        .weight = gg_alloc(run, count, sizeof *p.weight),
                        .found = gg_alloc(run, count, sizeof *p.found)};
    for (int side = 0; side < SIDES && !run->status; side++)
        if (store->side[side])
            check_side(store, side, graph, &p, run);
    if (!run->status && store->side[GPUGRAPH_IN])
        check_pairs(store, run);
    gg_release(p.source);
    gg_release(p.target);
    gg_release(p.id);
    gg_release(p.weight);
    gg_release(p.found);
    return run->status;
}
