/* Maps a TEXT id to its vertex number: by binary search, or by a hash table once look-ups
** are frequent enough to pay for it.
**
**     slot     upper half of the hash, number of the text; or all ones: empty
**
** The number of slots is a power of two. The table is at most half full, 3/4 after
** insertions. A text takes the first free slot from the lower bits of its hash on. */
#include "ids.h"

#include <string.h>

/* Look-ups before the table is made: one for every 16 texts, and 64 more. */
enum { TEXTS_FOR_ONE = 16, LEAST_ASKED = 64 };

#define NO_TEXT UINT64_MAX

/* Each look-up makes a part of the index. A look-up has no run that it could poll for
** interrupts, so it must be short. */
enum { TEXTS_AT_ONCE = 4096, SLOTS_AT_ONCE = 65536 };

struct text_index {
    struct gg_placing placing;
    uint64_t mask, taken;
    uint64_t cleared, put; /* slots cleared, texts inserted so far */
    uint32_t busy, whole;  /* 1: a call is making the index; all texts are in it */
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
        __atomic_load_n(&graph->id.text_index, __ATOMIC_ACQUIRE);
    return index ? sizeof *index + (index->mask + 1) * sizeof *index->slot : 0;
}

static uint64_t hash_of(const struct text_index *index, const gpugraph_texts *texts,
                        uint64_t t) {
    uint64_t length;
    const char *text = gpugraph_text(texts, t, &length);
    return gg_place_text(index->placing, text, length);
}

static void put(struct text_index *index, uint64_t hash, uint64_t t) {
    uint64_t at = hash & index->mask;
    while (index->slot[at] != NO_TEXT)
        at = (at + 1) & index->mask;
    index->slot[at] = hash >> 32 << 32 | t;
    index->taken++;
}

static struct text_index *begin_index(uint64_t texts) {
    /* its errors are ignored: without a table, binary search finds texts */
    gpugraph_run run = {0};
    const uint64_t slots = slots_for(texts);
    struct text_index *index = gg_alloc(
        &run, sizeof *index / sizeof *index->slot + 1 + slots, sizeof *index->slot);
    if (index)
        *index = (struct text_index){.placing = gg_placing(), .mask = slots - 1};
    return index;
}

static uint64_t less_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Makes a part of the index unless another thread does. True if the index is complete. */
static bool go_on(struct text_index *index, const gpugraph_texts *texts) {
    const uint64_t slots = index->mask + 1, count = (uint64_t)texts->count;
    if (__atomic_exchange_n(&index->busy, 1, __ATOMIC_ACQUIRE))
        return false;
    const uint64_t clear = less_of(slots - index->cleared, SLOTS_AT_ONCE);
    memset(index->slot + index->cleared, 0xff, clear * sizeof *index->slot);
    index->cleared += clear;
    const uint64_t end =
        index->cleared < slots ? 0 : less_of(count, index->put + TEXTS_AT_ONCE);
    for (; index->put < end; index->put++)
        put(index, hash_of(index, texts, index->put), index->put);
    const bool whole = index->cleared == slots && index->put == count;
    if (whole)
        __atomic_store_n(&index->whole, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&index->busy, 0, __ATOMIC_RELEASE);
    return whole;
}

/* NULL: there is no complete index yet. (The cast from const is safe: graphs are never
** constants, and the index changes no answer.) */
static const struct text_index *index_of(const gpugraph_graph *graph) {
    gpugraph_graph *keeper = (gpugraph_graph *)graph;
    const gpugraph_texts *texts = &graph->ids.texts;
    struct text_index *index = __atomic_load_n(&keeper->id.text_index, __ATOMIC_ACQUIRE);
    const uint64_t enough = (uint64_t)texts->count / TEXTS_FOR_ONE + LEAST_ASKED;
    if (!index) {
        if (__atomic_add_fetch(&keeper->id.texts_asked, 1, __ATOMIC_RELAXED) != enough)
            return NULL;
        index = begin_index((uint64_t)texts->count);
        __atomic_store_n(&keeper->id.text_index, index, __ATOMIC_RELEASE);
    }
    return index && (__atomic_load_n(&index->whole, __ATOMIC_ACQUIRE) ||
                     go_on(index, texts))
               ? index
               : NULL;
}

/* For changes, when no other thread uses the graph. Drops an incomplete index. */
static struct text_index *whole_index(gpugraph_graph *graph) {
    if (graph->id.text_index && !graph->id.text_index->whole)
        gg_drop_text_index(graph);
    return graph->id.text_index;
}

void gg_drop_text_index(gpugraph_graph *graph) {
    gg_release(graph->id.text_index);
    graph->id.text_index = NULL;
    graph->id.texts_asked = 0;
}

void gg_text_index_add(gpugraph_graph *graph, uint32_t t) {
    struct text_index *index = whole_index(graph);
    if (!index)
        return;
    if (4 * (index->taken + 1) > 3 * (index->mask + 1))
        gg_drop_text_index(graph);
    else
        put(index, hash_of(index, &graph->ids.texts, t), t);
}

static uint32_t find_by_hash(const gpugraph_graph *graph, const struct text_index *index,
                             const char *bytes, size_t length) {
    const gpugraph_texts *texts = &graph->ids.texts;
    const uint64_t hash = gg_place_text(index->placing, bytes, length);
    uint64_t at = hash & index->mask, other_length;
    for (; index->slot[at] != NO_TEXT; at = (at + 1) & index->mask) {
        uint32_t t = (uint32_t)index->slot[at];
        if (index->slot[at] >> 32 != hash >> 32)
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
    if (!bytes && length > 0)
        return GPUGRAPH_NONE;
    const uint32_t v = gg_number_of_text(graph, bytes, length);
    uint64_t place;
    return v != GPUGRAPH_NONE && gg_find_tombstone(graph, v, &place) ? GPUGRAPH_NONE : v;
}

uint32_t gg_number_of_text(const gpugraph_graph *graph, const char *bytes,
                           size_t length) {
    const struct text_index *index = index_of(graph);
    const uint32_t v = index ? find_by_hash(graph, index, bytes, length)
                             : find_by_halving(graph, bytes, length);
    const gpugraph_id later = {.is_text = true, .text = bytes, .length = length};
    return v == GPUGRAPH_NONE && graph->id.later.count > 0 ? gg_find_later(graph, &later)
                                                           : v;
}
