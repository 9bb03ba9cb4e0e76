/* Later vertices, whose numbers follow those of the vertices in order of ids; tombstones.
**
**     id            1  3  7  'a'     5  'c'  2      in order; later, by arrival
**     number        0  1  2   3      4   5   6
**     later.order                    2   0   1      positions in order of ids
**     tombstones    1                               id 3 is deleted
**
** A look-up searches the ids in order first, then the later ids by binary search. */
#include "ids.h"

int gg_compare_ids(const gpugraph_id *a, const gpugraph_id *b) {
    if (a->is_text != b->is_text)
        return a->is_text ? 1 : -1;
    if (a->is_text)
        return gg_compare_texts(a->text, a->length, b->text, b->length);
    return (a->integer > b->integer) - (a->integer < b->integer);
}

uint64_t gg_later_below(const struct later_ids *later, const gpugraph_id *id) {
    uint64_t low = 0, high = later->count;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (gg_compare_ids(&later->id[later->order[middle]], id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void gg_free_later(struct later_ids *later) {
    for (uint32_t i = 0; i < later->count; i++)
        gg_release((void *)later->id[i].text);
    gg_release(later->id);
    gg_release(later->order);
    *later = (struct later_ids){NULL, NULL, 0};
}

uint32_t gpugraph_later_vertices(const gpugraph_graph *graph) {
    return graph->id.later.count;
}

/* ---- tombstones ---- */

bool gg_find_tombstone(const gpugraph_graph *graph, uint32_t v, uint64_t *place) {
    const struct tombstones *tombstones = &graph->id.tombstones;
    *place = gg_first_arc(tombstones->vertex, 0, tombstones->count, v);
    return *place < tombstones->count && tombstones->vertex[*place] == v;
}

uint64_t gpugraph_tombstones(const gpugraph_graph *graph, const uint32_t **vertex) {
    if (vertex)
        *vertex = graph->id.tombstones.vertex;
    return graph->id.tombstones.count;
}

/* ---- order of ids ---- */

static uint64_t integers_below(const gpugraph_ids *ids, int64_t id) {
    uint64_t low = 0, high = ids->integer_count;
    if (!ids->integer) {
        const uint64_t below = (uint64_t)id - (uint64_t)ids->first_integer;
        return id < ids->first_integer ? 0 : below < high ? below : high;
    }
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (ids->integer[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t gg_texts_below(const gpugraph_texts *texts, const char *bytes, uint64_t length) {
    uint64_t low = 0, high = (uint64_t)texts->count, other_length;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        const char *other = gpugraph_text(texts, middle, &other_length);
        if (gg_compare_texts(other, other_length, bytes, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t gg_ids_below(const gpugraph_ids *ids, const gpugraph_id *id) {
    return id->is_text
               ? ids->integer_count + gg_texts_below(&ids->texts, id->text, id->length)
               : integers_below(ids, id->integer);
}

static uint32_t listed_at(const uint32_t *vertex, uint64_t place) {
    return vertex ? vertex[place] : (uint32_t)place;
}

/* The first `early` vertices are in order already. The loop takes the later ids in order,
** and puts each of them behind the early vertices with smaller ids. */
gpugraph_status gpugraph_sort_by_id(const gpugraph_graph *graph, const uint32_t *vertex,
                                    uint32_t count, gpugraph_run *run, uint32_t *place) {
    const struct later_ids *later = &graph->id.later;
    const uint32_t in_order = gg_ids_in_order(graph);
    gg_begin(run);
    if (count > 0 && !gg_needs(run, place, 1, "place"))
        return run->status;
    const uint64_t early = vertex             ? gg_first_arc(vertex, 0, count, in_order)
                           : count < in_order ? count
                                              : in_order;
    uint32_t next = 0, to = 0;
    for (uint32_t i = 0; i < later->count && !gg_leave(run, i); i++) {
        const uint32_t v = in_order + later->order[i];
        uint64_t at = vertex ? gg_first_arc(vertex, early, count, v) : v;
        if (at >= count || listed_at(vertex, at) != v)
            continue;
        const uint64_t below = gg_ids_below(&graph->ids, &later->id[later->order[i]]);
        while (next < early && listed_at(vertex, next) < below)
            place[to++] = next++;
        for (; at < count && listed_at(vertex, at) == v; at++)
            place[to++] = (uint32_t)at;
    }
    while (next < early)
        place[to++] = next++;
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}

/* The vertex whose number is a label has this label itself, so its entry receives the
** later vertex that replaces the label. The last loop changes this entry last, because
** the other vertices with the label have larger numbers. */
void gg_label_by_id(const gpugraph_graph *graph, uint32_t *label) {
    const struct later_ids *later = &graph->id.later;
    for (uint32_t i = 0; i < later->count; i++) {
        const uint32_t v = gg_ids_in_order(graph) + later->order[i], first = label[v];
        const gpugraph_id id = gpugraph_id_of(&graph->ids, first);
        if (label[first] == first && gg_compare_ids(&later->id[later->order[i]], &id) < 0)
            label[first] = v;
    }
    for (uint32_t v = graph->n; later->count > 0 && v-- > 0;)
        label[v] = label[label[v]];
}
