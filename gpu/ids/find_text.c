/* From a text to its vertex number: by halving; by a hash table once that has been asked for often
** enough to pay for one.
**
**     slot     hash's upper half, text's number     a power of two of them, half of them taken, at most
**              all ones: nothing                    three in four once texts have come; a text lies in
**              a lower half of ones: gone           the first free one behind its hash's lower bits */
#include "backend.h"

#include <string.h>

/* One in so many texts must have been asked for, and so many in any case. */
enum { TEXTS_FOR_ONE = 16, LEAST_ASKED = 64 };

#define NO_TEXT UINT64_MAX

/* Slots of a text that is gone, so that others are looked for beyond it. */
#define GONE_TEXT UINT32_MAX

struct text_index {
    uint64_t mask, taken;
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

static uint64_t hash_of(const gpugraph_texts *texts, uint64_t t) {
    uint64_t length;
    const char *text = gpugraph_text(texts, t, &length);
    return gg_hash_text(text, length, 0);
}

static void put(struct text_index *index, uint64_t hash, uint64_t t) {
    uint64_t at = hash & index->mask;
    while (index->slot[at] != NO_TEXT)
        at = (at + 1) & index->mask;
    index->slot[at] = hash >> 32 << 32 | t;
    index->taken++;
}

static struct text_index *make_index(const gpugraph_texts *texts) {
    gpugraph_run run = {0}; /* nobody's: without a table texts are found all the same */
    uint64_t count = (uint64_t)texts->count, slots = slots_for(count);
    struct text_index *index = gg_alloc(&run, slots + 2, sizeof *index->slot);
    if (!index)
        return NULL;
    index->mask = slots - 1;
    index->taken = 0;
    memset(index->slot, 0xff, slots * sizeof *index->slot);
    for (uint64_t t = 0; t < count; t++)
        put(index, hash_of(texts, t), t);
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

static uint64_t *slot_of(struct text_index *index, uint64_t hash, uint32_t t) {
    uint64_t at = hash & index->mask;
    while (index->slot[at] != (hash >> 32 << 32 | t))
        at = (at + 1) & index->mask;
    return &index->slot[at];
}

void gg_text_index_move(gpugraph_graph *graph, uint32_t from, uint32_t to) {
    if (!graph->text_index)
        return;
    const uint64_t hash = hash_of(&graph->ids.texts, from);
    *slot_of(graph->text_index, hash, from) = hash >> 32 << 32 | to;
}

void gg_text_index_remove(gpugraph_graph *graph, uint32_t t) {
    if (graph->text_index)
        *slot_of(graph->text_index, hash_of(&graph->ids.texts, t), t) = GONE_TEXT;
}

void gg_text_index_add(gpugraph_graph *graph, uint32_t t) {
    struct text_index *index = graph->text_index;
    if (!index)
        return;
    if (4 * (index->taken + 1) > 3 * (index->mask + 1))
        gg_drop_text_index(graph);
    else
        put(index, hash_of(&graph->ids.texts, t), t);
}

static uint32_t find_by_hash(const gpugraph_graph *graph, const struct text_index *index,
                             const char *bytes, size_t length) {
    const gpugraph_texts *texts = &graph->ids.texts;
    uint64_t hash = gg_hash_text(bytes, length, 0), at = hash & index->mask, other_length;
    for (; index->slot[at] != NO_TEXT; at = (at + 1) & index->mask) {
        uint32_t t = (uint32_t)index->slot[at];
        if (index->slot[at] >> 32 != hash >> 32 || t == GONE_TEXT)
            continue;
        const char *other = gpugraph_text(texts, t, &other_length);
        if (other_length == length && (length == 0 || memcmp(other, bytes, length) == 0))
            return graph->ids.integer_count + t;
    }
    return GPUGRAPH_NONE;
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

static uint32_t find_by_halving(const gpugraph_graph *graph, const char *bytes,
                                size_t length) {
    const gpugraph_texts *texts = &graph->ids.texts;
    uint64_t low = gg_texts_below(texts, bytes, length), other_length;
    if (low == (uint64_t)texts->count)
        return GPUGRAPH_NONE;
    const char *other = gpugraph_text(texts, low, &other_length);
    return other_length == length && (length == 0 || memcmp(other, bytes, length) == 0)
               ? graph->ids.integer_count + (uint32_t)low
               : GPUGRAPH_NONE;
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
