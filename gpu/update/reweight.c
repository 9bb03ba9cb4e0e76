/* Edges of which a batch changes nothing but the weight: removed and added under one id, with
** the same ends. They stay where they are.
**
**     removed   3 5 7 | 4 9        edges that go | edges whose weight changes
**     added     5 8   | 4 9        edges that come | the same edges
**
** What changes in vertices, ids, edges and rows without weights is found out from the first
** parts alone; in rows with weights, their arcs go and come like others, so that of parallel
** arcs with equal weights each is found once. */
#include "update.h"

#include <string.h>

static bool is_vertex(const gpugraph_graph *graph, const gpugraph_texts *texts,
                      const gpugraph_id_column *column, uint64_t i, uint32_t v) {
    const gpugraph_ids *ids = &graph->ids;
    int64_t value = column->value[i];
    if (!gg_text_at(column, i))
        return v < ids->integer_count &&
               value == (ids->integer ? ids->integer[v]
                                      : (int64_t)((uint64_t)ids->first_integer + v));
    if (v < ids->integer_count || value < 0 || value >= texts->count)
        return false;
    uint64_t at = texts->offset[value], known = ids->texts.offset[v - ids->integer_count];
    uint64_t length = ids->texts.offset[v - ids->integer_count + 1] - known;
    return texts->offset[value + 1] - at == length &&
           (!length || memcmp(texts->bytes + at, ids->texts.bytes + known, length) == 0);
}

/* Is added edge i removed edge r with another weight? */
static bool reweights(const update *u, uint64_t i, uint64_t r) {
    const gpugraph_edges *added = u->added;
    uint64_t e = u->removed[r];
    return added->edge_id[i] == u->removed_id[r] &&
           is_vertex(u->graph, &added->texts, &added->source, i, u->graph->source[e]) &&
           is_vertex(u->graph, &added->texts, &added->target, i, u->graph->target[e]);
}

/* Which ones: of_added[i], of_removed[r]. */
static uint64_t mark(const update *u, uint8_t *of_added, uint8_t *of_removed) {
    uint64_t count = 0;
    for (uint64_t i = 0, r = 0; i < u->added_count; i++) {
        while (r < u->removed_count && u->removed_id[r] < u->added->edge_id[i])
            r++;
        if (r < u->removed_count && reweights(u, i, r)) {
            of_added[i] = of_removed[r] = 1;
            count++;
        }
    }
    return count;
}

/* 8-byte entries, those that are marked after the others. */
static void part(void *of, const void *from, const uint8_t *marked, uint64_t count,
                 uint64_t rest) {
    uint64_t *to = of, plain = 0;
    for (uint64_t i = 0; i < count; i++)
        to[marked[i] ? rest++ : plain++] = ((const uint64_t *)from)[i];
}

static void part_texts(uint8_t *to, const gpugraph_id_column *from, const uint8_t *marked,
                       uint64_t count) {
    for (uint64_t i = 0, plain = 0; i < count; i++)
        if (!marked[i]) {
            to[plain / 8] |= (uint8_t)(gg_text_at(from, i) << (plain % 8));
            plain++;
        }
}

static bool take_parts(update *u) {
    gpugraph_run *run = u->run;
    struct update_parts *p = &u->parts;
    uint64_t go = u->removed_count, come = u->added_count, size = sizeof(uint64_t);
    p->removed = gg_alloc(run, go, size);
    p->removed_id = p->removed ? gg_alloc(run, go, size) : NULL;
    p->added_at = p->removed_id ? gg_alloc(run, come, size) : NULL;
    p->edge_id = p->added_at ? gg_alloc(run, come, size) : NULL;
    p->source = p->edge_id ? gg_alloc(run, come, size) : NULL;
    p->target = p->source ? gg_alloc(run, come, size) : NULL;
    p->weight = p->target ? gg_alloc(run, come, size) : NULL;
    p->source_text = p->weight ? gg_alloc_zero(run, come / 8 + 1, 1) : NULL;
    p->target_text = p->source_text ? gg_alloc_zero(run, come / 8 + 1, 1) : NULL;
    return p->target_text != NULL;
}

static void part_all(update *u, const uint8_t *of_added, const uint8_t *of_removed) {
    struct update_parts *p = &u->parts;
    const gpugraph_edges *given = u->added;
    uint64_t go = u->removed_count, come = u->added_count, first = come - u->reweighted;
    part(p->removed, u->removed, of_removed, go, go - u->reweighted);
    part(p->removed_id, u->removed_id, of_removed, go, go - u->reweighted);
    part(p->added_at, u->added_at, of_added, come, first);
    part(p->edge_id, given->edge_id, of_added, come, first);
    part(p->source, given->source.value, of_added, come, first);
    part(p->target, given->target.value, of_added, come, first);
    if (given->weight)
        part(p->weight, given->weight, of_added, come, first);
    part_texts(p->source_text, &given->source, of_added, come);
    part_texts(p->target_text, &given->target, of_added, come);
    u->rest = *given;
    u->rest.count = (int64_t)first;
    u->rest.edge_id = p->edge_id;
    u->rest.source = (gpugraph_id_column){p->source, p->source_text};
    u->rest.target = (gpugraph_id_column){p->target, p->target_text};
    u->rest.weight = given->weight ? p->weight : NULL;
    u->added = &u->rest;
    u->added_count = first;
    u->removed_count -= u->reweighted;
    u->removed_id = p->removed_id;
    gg_release(u->removed);
    gg_release(u->added_at);
    u->removed = p->removed;
    u->added_at = p->added_at;
    p->removed = p->added_at = NULL;
}

void gg_update_reweight(update *u) {
    uint8_t *of_added = gg_alloc_zero(u->run, u->added_count, 1);
    uint8_t *of_removed = of_added ? gg_alloc_zero(u->run, u->removed_count, 1) : NULL;
    if (of_removed) {
        uint64_t count = mark(u, of_added, of_removed);
        if (count && take_parts(u)) {
            u->reweighted = count;
            part_all(u, of_added, of_removed);
        }
    }
    gg_release(of_added);
    gg_release(of_removed);
}

void gg_update_place_reweighted(update *u) {
    const splice_piece *piece = u->edges.piece;
    for (uint64_t k = 0; k < u->reweighted; k++) {
        uint64_t i = u->added_count + k, e = u->removed[u->removed_count + k];
        while (e >= piece->from + piece->count)
            piece++;
        u->added_edge[i] = e - piece->from + piece->to;
        for (uint64_t side = 0; side < 2; side++) {
            uint32_t v = side ? u->graph->target[e] : u->graph->source[e];
            u->end[2 * i + side] =
                (added_end){.old = v, .place = v, .new = gg_renumber(&u->vertices, v)};
        }
    }
}
