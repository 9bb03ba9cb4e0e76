/* Later vertices, which changes add after the vertices in order of ids, and tombstones.
**
**     id            1  3  7  'a'     5  'c'  2      in order; later, by arrival
**     number        0  1  2   3      4   5   6
**     later.order                    2   0   1      positions in order of ids
**     tombstones    1                               id 3 is deleted
**
** A look-up searches the ids in order first, then the later ids by binary search. */
#include "ids.h"

#include <string.h>

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

uint32_t gg_find_later(const gpugraph_graph *graph, const gpugraph_id *id) {
    const struct later_ids *later = &graph->id.later;
    const uint64_t at = gg_later_below(later, id);
    return at < later->count && gg_compare_ids(&later->id[later->order[at]], id) == 0
               ? gg_ids_in_order(graph) + later->order[at]
               : GPUGRAPH_NONE;
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

uint32_t gg_find_in_order(const gpugraph_ids *ids, const gpugraph_id *id) {
    const uint64_t at = gg_ids_below(ids, id);
    const uint64_t count = ids->integer_count + (uint64_t)ids->texts.count;
    if (at >= count)
        return GPUGRAPH_NONE;
    const gpugraph_id there = gpugraph_id_of(ids, (uint32_t)at);
    return gg_compare_ids(&there, id) == 0 ? (uint32_t)at : GPUGRAPH_NONE;
}

/* Sorts vertices: the first `early` are in order already; later vertices follow. */
typedef struct id_sorter {
    const gpugraph_graph *graph;
    const uint32_t *vertex;
    uint32_t count, early;
    uint32_t *rank;       /* of each later id: its position in later.order */
    uint64_t *key, *swap; /* for the later vertices */
    uint32_t *value, *value_swap;
} id_sorter;

static uint32_t vertex_of(const id_sorter *s, uint32_t place) {
    return s->vertex ? s->vertex[place] : place;
}

static void sort_later(id_sorter *s, gpugraph_run *run) {
    const struct later_ids *later = &s->graph->id.later;
    const uint32_t count = s->count - s->early, first_later = gg_ids_in_order(s->graph);
    s->rank = gg_alloc(run, later->count, sizeof *s->rank);
    s->key = s->rank ? gg_alloc(run, count, sizeof *s->key) : NULL;
    s->swap = s->key ? gg_alloc(run, count, sizeof *s->swap) : NULL;
    s->value = s->swap ? gg_alloc(run, count, sizeof *s->value) : NULL;
    s->value_swap = s->value ? gg_alloc(run, count, sizeof *s->value_swap) : NULL;
    if (!s->value_swap)
        return;
    for (uint32_t i = 0; i < later->count; i++)
        s->rank[later->order[i]] = i;
    for (uint32_t i = 0; i < count; i++) {
        s->key[i] = s->rank[vertex_of(s, s->early + i) - first_later];
        s->value[i] = s->early + i;
    }
    gg_sort_pairs(run, count, s->key, s->value, s->swap, s->value_swap);
}

static void merge_later(const id_sorter *s, uint32_t *place) {
    const struct later_ids *later = &s->graph->id.later;
    uint32_t next = 0, to = 0;
    for (uint32_t i = 0; i < s->count - s->early; i++) {
        const gpugraph_id *id = &later->id[later->order[s->key[i]]];
        const uint64_t below = gg_ids_below(&s->graph->ids, id);
        while (next < s->early && vertex_of(s, next) < below)
            place[to++] = next++;
        place[to++] = s->value[i];
    }
    while (next < s->early)
        place[to++] = next++;
}

static gpugraph_status sort_by_id(const gpugraph_graph *graph, const uint32_t *vertex,
                                  uint32_t count, gpugraph_run *run, uint32_t *place) {
    const uint32_t in_order = gg_ids_in_order(graph);
    id_sorter s = {.graph = graph, .vertex = vertex, .count = count};
    s.early = vertex             ? (uint32_t)gg_first_arc(vertex, 0, count, in_order)
              : count < in_order ? count
                                 : in_order;
    sort_later(&s, run);
    if (!gg_stopping(run))
        merge_later(&s, place);
    gg_release(s.rank);
    gg_release(s.key);
    gg_release(s.swap);
    gg_release(s.value);
    gg_release(s.value_swap);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}

gpugraph_status gpugraph_sort_by_id(const gpugraph_graph *graph, const uint32_t *vertex,
                                    uint32_t count, gpugraph_run *run, uint32_t *place) {
    gg_begin(run);
    if (count > 0 && !gg_needs(run, place, 1, "place"))
        return run->status;
    return sort_by_id(graph, vertex, count, run, place);
}

gpugraph_status gg_label_by_id(const gpugraph_graph *graph, gpugraph_run *run,
                               uint32_t *label) {
    const uint32_t n = graph->n;
    if (graph->id.later.count == 0 || run->status)
        return run->status;
    uint32_t *vertex = gg_alloc(run, n, sizeof *vertex);
    uint32_t *first = vertex ? gg_alloc(run, n, sizeof *first) : NULL;
    if (first && !sort_by_id(graph, NULL, n, run, vertex)) {
        memset(first, 0xff, n * sizeof *first);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t *of_label = &first[label[vertex[i]]];
            *of_label = *of_label == GPUGRAPH_NONE ? vertex[i] : *of_label;
        }
        for (uint32_t v = 0; v < n; v++)
            label[v] = first[label[v]];
    }
    gg_release(vertex);
    gg_release(first);
    return run->status;
}
