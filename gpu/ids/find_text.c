/* From a text to its vertex number: by halving; by a hash table once that has been asked for often
** enough to pay for one.
**
**     slot     hash's upper half, text's number     a power of two of them, half of them taken
**              all ones: nothing                    a text lies in the first free one behind its
**                                                   hash's lower bits */
#include "backend.h"

#include <string.h>

/* One in so many texts must have been asked for, and so many in any case. */
enum { TEXTS_FOR_ONE = 16, LEAST_ASKED = 64 };

#define NO_TEXT UINT64_MAX

struct text_index {
    uint64_t mask;
    uint64_t slot[];
};

static uint64_t slots_for(uint64_t texts) {
    uint64_t slots = 2;
    while (slots < 2 * texts)
        slots *= 2;
    return slots;
}

uint64_t gg_text_index_bytes(const gpugraph_graph *graph) {
    const struct text_index *index =
        __atomic_load_n(&graph->text_index, __ATOMIC_ACQUIRE);
    return index ? sizeof *index + (index->mask + 1) * sizeof *index->slot : 0;
}

static struct text_index *make_index(const gpugraph_texts *texts) {
    gpugraph_run run = {0}; /* nobody's: without a table texts are found all the same */
    uint64_t count = (uint64_t)texts->count, slots = slots_for(count);
    struct text_index *index = gg_alloc(&run, slots + 1, sizeof *index->slot);
    if (!index)
        return NULL;
    index->mask = slots - 1;
    memset(index->slot, 0xff, slots * sizeof *index->slot);
    for (uint64_t t = 0; t < count; t++) {
        uint64_t begin = texts->offset[t];
        uint64_t hash =
            gg_hash_text(texts->bytes + begin, texts->offset[t + 1] - begin, 0);
        uint64_t at = hash & index->mask;
        while (index->slot[at] != NO_TEXT)
            at = (at + 1) & index->mask;
        index->slot[at] = hash >> 32 << 32 | t;
    }
    return index;
}

/* The one who asks for the last time that is needed makes it. (A graph is a variable, whoever
** promises not to change it: what is kept here changes no answer.) */
static const struct text_index *index_of(const gpugraph_graph *graph) {
    gpugraph_graph *keeper = (gpugraph_graph *)graph;
    struct text_index *index = __atomic_load_n(&keeper->text_index, __ATOMIC_ACQUIRE);
    uint64_t enough = (uint64_t)graph->ids.texts.count / TEXTS_FOR_ONE + LEAST_ASKED;
    if (index || __atomic_add_fetch(&keeper->texts_asked, 1, __ATOMIC_RELAXED) != enough)
        return index;
    index = make_index(&graph->ids.texts);
    __atomic_store_n(&keeper->text_index, index, __ATOMIC_RELEASE);
    return index;
}

void gg_drop_text_index(gpugraph_graph *graph) {
    gg_release(graph->text_index);
    graph->text_index = NULL;
    graph->texts_asked = 0;
}

static uint32_t find_by_hash(const gpugraph_graph *graph, const struct text_index *index,
                             const char *bytes, size_t length) {
    const gpugraph_texts *texts = &graph->ids.texts;
    uint64_t hash = gg_hash_text(bytes, length, 0), at = hash & index->mask;
    for (; index->slot[at] != NO_TEXT; at = (at + 1) & index->mask) {
        uint32_t t = (uint32_t)index->slot[at];
        if (index->slot[at] >> 32 != hash >> 32)
            continue;
        uint64_t begin = texts->offset[t];
        if (texts->offset[t + (uint64_t)1] - begin == length &&
            (length == 0 || memcmp(texts->bytes + begin, bytes, length) == 0))
            return graph->ids.integer_count + t;
    }
    return GPUGRAPH_NONE;
}

static uint32_t find_by_halving(const gpugraph_graph *graph, const char *bytes,
                                size_t length) {
    const gpugraph_texts *texts = &graph->ids.texts;
    uint64_t low = 0, high = (uint64_t)texts->count;
    while (low < high) {
        uint64_t middle = (low + high) / 2, at = texts->offset[middle];
        int order = gg_compare_texts(texts->bytes + at, texts->offset[middle + 1] - at,
                                     bytes, length);
        if (order == 0)
            return graph->ids.integer_count + (uint32_t)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return GPUGRAPH_NONE;
}

uint32_t gpugraph_find_text(const gpugraph_graph *graph, const char *bytes,
                            size_t length) {
    const uint32_t v = gg_number_of_text(graph, bytes, length);
    uint64_t place;
    return v != GPUGRAPH_NONE && gg_find_unused(graph, v, &place) ? GPUGRAPH_NONE : v;
}

uint32_t gg_number_of_text(const gpugraph_graph *graph, const char *bytes,
                           size_t length) {
    const struct text_index *index = index_of(graph);
    return index ? find_by_hash(graph, index, bytes, length)
                 : find_by_halving(graph, bytes, length);
}
