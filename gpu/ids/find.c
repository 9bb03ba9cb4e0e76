/* Maps an id to its vertex number.
**
**     INTEGER    a subtraction if ids are consecutive, the bitmap if there is one
**                (ids.c), otherwise binary search
**     TEXT       binary search; after many look-ups a hash table
**     later      binary search (later.c)
**
**     slot of the table     upper half of the hash, number of the text; all ones: empty
**
** The number of slots is a power of two. A new table is at most half full; after
** additions at most 3/4. A text probes from the lower bits of its hash to a free slot. */
#include "ids.h"

#include <string.h>

/* ---- integers ---- */

static uint32_t find_by_bitmap(const gpugraph_graph *graph, int64_t id) {
    const uint64_t place = (uint64_t)id - (uint64_t)graph->ids.first_integer;
    return id >= graph->ids.first_integer && place < graph->id.span &&
                   graph->id.present[place / 64] >> (place % 64) & 1
               ? gg_id_rank(graph, place)
               : GPUGRAPH_NONE;
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

/* ---- texts ---- */

/* Look-ups before the table is made: one for every 16 texts, plus 64. */
enum { TEXTS_FOR_ONE = 16, LEAST_ASKED = 64 };

#define NO_TEXT UINT64_MAX

/* Each look-up makes a part of the index. A look-up must be short, since it has no run
** and cannot poll for interrupts. */
enum { TEXTS_AT_ONCE = 4096, SLOTS_AT_ONCE = 65536 };

struct text_index {
    struct gg_placing placing;
    uint64_t mask, taken;
    uint64_t cleared, put;   /* slots cleared, texts inserted so far */
    uint32_t busy, complete; /* 1: a call is making the index; all texts are in it */
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
    /* ignores errors of this run: without a table, binary search finds texts */
    gpugraph_run run = {0};
    const uint64_t slots = slots_for(texts);
    struct text_index *index = gg_alloc(
        &run, sizeof *index / sizeof *index->slot + 1 + slots, sizeof *index->slot);
    if (index)
        *index = (struct text_index){.placing = gg_placing(), .mask = slots - 1};
    return index;
}

static uint64_t lesser_count(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Makes a part of the index unless another thread is at it. Returns true if the index is
** complete. */
static bool go_on(struct text_index *index, const gpugraph_texts *texts) {
    const uint64_t slots = index->mask + 1, count = (uint64_t)texts->count;
    if (__atomic_exchange_n(&index->busy, 1, __ATOMIC_ACQUIRE))
        return false;
    const uint64_t clear = lesser_count(slots - index->cleared, SLOTS_AT_ONCE);
    memset(index->slot + index->cleared, 0xff, clear * sizeof *index->slot);
    index->cleared += clear;
    const uint64_t end =
        index->cleared < slots ? 0 : lesser_count(count, index->put + TEXTS_AT_ONCE);
    for (; index->put < end; index->put++)
        put(index, hash_of(index, texts, index->put), index->put);
    const bool complete = index->cleared == slots && index->put == count;
    if (complete)
        __atomic_store_n(&index->complete, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&index->busy, 0, __ATOMIC_RELEASE);
    return complete;
}

/* Returns NULL if there is no complete index yet. (The cast from const is safe: graphs
** are never constants, and the index changes no answer.) */
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
    return index && (__atomic_load_n(&index->complete, __ATOMIC_ACQUIRE) ||
                     go_on(index, texts))
               ? index
               : NULL;
}

void gg_text_index_add(gpugraph_graph *graph, uint32_t t) {
    struct text_index *index = graph->id.text_index;
    if (!index)
        return;
    if (index->complete && 4 * (index->taken + 1) <= 3 * (index->mask + 1)) {
        put(index, hash_of(index, &graph->ids.texts, t), t);
        return;
    }
    gg_release(index);
    graph->id.text_index = NULL;
    graph->id.texts_asked = 0;
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

/* ---- ids ---- */

static uint32_t find_in_order(const gpugraph_ids *ids, const gpugraph_id *id) {
    const uint64_t at = gg_ids_below(ids, id);
    if (at >= ids->integer_count + (uint64_t)ids->texts.count)
        return GPUGRAPH_NONE;
    const gpugraph_id there = gpugraph_id_of(ids, (uint32_t)at);
    return gg_compare_ids(&there, id) == 0 ? (uint32_t)at : GPUGRAPH_NONE;
}

static uint32_t find_later(const gpugraph_graph *graph, const gpugraph_id *id) {
    const struct later_ids *later = &graph->id.later;
    const uint64_t at = gg_later_below(later, id);
    return at < later->count && gg_compare_ids(&later->id[later->order[at]], id) == 0
               ? gg_ids_in_order(graph) + later->order[at]
               : GPUGRAPH_NONE;
}

uint32_t gg_number_of(const gpugraph_graph *graph, const gpugraph_id *id) {
    const struct text_index *index = id->is_text ? index_of(graph) : NULL;
    const uint32_t v = index ? find_by_hash(graph, index, id->text, id->length)
                       : graph->id.present && !id->is_text
                           ? find_by_bitmap(graph, id->integer)
                           : find_in_order(&graph->ids, id);
    return v == GPUGRAPH_NONE ? find_later(graph, id) : v;
}

static uint32_t find_live(const gpugraph_graph *graph, const gpugraph_id *id) {
    const uint32_t v = gg_number_of(graph, id);
    uint64_t place;
    return v != GPUGRAPH_NONE && gg_find_tombstone(graph, v, &place) ? GPUGRAPH_NONE : v;
}

uint32_t gpugraph_find_integer(const gpugraph_graph *graph, int64_t id) {
    return find_live(graph, &(gpugraph_id){.integer = id});
}

uint32_t gpugraph_find_text(const gpugraph_graph *graph, const char *bytes,
                            size_t length) {
    if (!bytes && length > 0)
        return GPUGRAPH_NONE;
    return find_live(graph,
                     &(gpugraph_id){.is_text = true, .text = bytes, .length = length});
}
