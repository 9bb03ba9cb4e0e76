/* Maps an INTEGER id to its vertex number, by arithmetic, the bitmap or binary search
** (layouts: ids.c); and makes the bitmap of ids in order. TEXT ids: find_text.c. */
#include "ids.h"

uint32_t gpugraph_find_integer(const gpugraph_graph *graph, int64_t id) {
    const uint32_t v = gg_number_of_integer(graph, id);
    uint64_t place;
    return v != GPUGRAPH_NONE && gg_find_tombstone(graph, v, &place) ? GPUGRAPH_NONE : v;
}

static uint32_t find_in_order(const gpugraph_graph *graph, int64_t id) {
    const gpugraph_ids *ids = &graph->ids;
    uint64_t place = (uint64_t)id - (uint64_t)ids->first_integer;
    if (!ids->integer)
        return id >= ids->first_integer && place < ids->integer_count ? (uint32_t)place
                                                                      : GPUGRAPH_NONE;
    if (graph->id.present) {
        if (id < ids->first_integer || place >= graph->id.span ||
            !(graph->id.present[place / 64] >> (place % 64) & 1))
            return GPUGRAPH_NONE;
        return gg_id_rank(graph, place);
    }
    uint64_t low = 0, high = ids->integer_count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (ids->integer[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ids->integer_count && ids->integer[low] == id ? (uint32_t)low
                                                               : GPUGRAPH_NONE;
}

uint32_t gg_number_of_integer(const gpugraph_graph *graph, int64_t id) {
    const uint32_t v = find_in_order(graph, id);
    const gpugraph_id later = {.integer = id};
    return v == GPUGRAPH_NONE && graph->id.later.count > 0 ? gg_find_later(graph, &later)
                                                           : v;
}

void gg_index_integers(gpugraph_run *run, gpugraph_graph *to, uint64_t ends) {
    uint64_t count = to->ids.integer_count, v = 0;
    const int64_t *id = to->id.integer;
    if (!count || !gg_close_together(ends, id[0], id[count - 1]))
        return;
    to->ids.first_integer = id[0];
    to->id.span = (uint64_t)id[count - 1] - (uint64_t)id[0] + 1;
    uint64_t words = (to->id.span + 63) / 64;
    to->id.present = gg_alloc(run, words, sizeof *to->id.present);
    to->id.rank = to->id.present ? gg_alloc(run, words, sizeof *to->id.rank) : NULL;
    for (uint64_t w = 0; to->id.rank && w < words && !gg_leave(run, w); w++) {
        uint64_t bits = 0;
        to->id.rank[w] = (uint32_t)v;
        for (; v < count; v++) {
            uint64_t place = (uint64_t)id[v] - (uint64_t)id[0];
            if (place / 64 != w)
                break;
            bits |= (uint64_t)1 << (place % 64);
        }
        to->id.present[w] = bits;
    }
}
