/* The texts of vertices while some are replaced: nothing of the size of all texts moves for one of them.
**
**     texts       a cc d       offset 0 1 3 4                    in order: each ends where the next one begins
**     b comes, and d goes
**                 a b cc       offset 0 4 1     length 1 1 2     the block: a c c d b
**
** What is taken of the block and no text's goes when the block would have to grow, if it is half of that, and when all
** texts are laid out anew. */
#include "ids.h"

#include <string.h>

uint64_t gg_text_bytes(const gpugraph_texts *texts) {
    uint64_t bytes = 0;
    if (texts->count && !texts->length)
        return texts->offset[texts->count] - texts->offset[0];
    for (int64_t t = 0; t < texts->count; t++)
        bytes += texts->length[t];
    return bytes;
}

uint64_t gg_text_bytes_used(const gpugraph_graph *graph) {
    if (graph->id.text_length)
        return graph->id.text_used;
    return graph->ids.texts.count ? graph->id.text_offset[graph->ids.texts.count] : 0;
}

/* Another block of bytes, and none but the texts' in it. offset: where each begins there. */
static void lay_loose_texts_out(const gpugraph_texts *texts, uint64_t *offset,
                                char *bytes) {
    uint64_t at = 0, length;
    for (uint64_t t = 0; t < (uint64_t)texts->count; t++) {
        const char *text = gpugraph_text(texts, t, &length);
        if (length)
            memcpy(bytes + at, text, length);
        offset[t] = at;
        at += length;
    }
}

static void take_bytes(gpugraph_graph *graph, char *bytes) {
    gg_release(graph->id.text_bytes);
    graph->id.text_bytes = bytes;
    graph->ids.texts.bytes = bytes;
}

gpugraph_status gg_pack_texts(gpugraph_graph *graph, gpugraph_run *run) {
    const uint64_t count = (uint64_t)graph->ids.texts.count;
    if (!graph->id.text_length)
        return run->status;
    uint64_t *offset = gg_alloc_roomy(run, count + 1, sizeof *offset);
    char *bytes = offset ? gg_alloc_roomy(run, graph->id.text_live, 1) : NULL;
    if (!bytes) {
        gg_release(offset);
        return run->status;
    }
    lay_loose_texts_out(&graph->ids.texts, offset, bytes);
    offset[count] = graph->id.text_live;
    take_bytes(graph, bytes);
    gg_release(graph->id.text_offset);
    gg_release(graph->id.text_length);
    graph->id.text_offset = offset;
    graph->id.text_length = NULL;
    graph->ids.texts.offset = offset;
    graph->ids.texts.length = NULL;
    return run->status;
}

/* Each with a length of its own. */
static bool loosen(gpugraph_graph *graph, gpugraph_run *run) {
    const uint64_t count = (uint64_t)graph->ids.texts.count,
                   *offset = graph->id.text_offset;
    uint64_t all = 0;
    if (graph->id.text_length)
        return true;
    uint32_t *length = gg_alloc_roomy(run, count, sizeof *length);
    for (uint64_t t = 0; length && t < count; t++) {
        length[t] = (uint32_t)(offset[t + 1] - offset[t]);
        all += length[t];
    }
    if (!length || all != offset[count]) { /* one is longer than any that SQLite has */
        gg_release(length);
        return false;
    }
    graph->id.text_used = graph->id.text_live = graph->id.text_offset[count];
    graph->id.text_length = length;
    graph->ids.texts.length = length;
    return true;
}

/* A block with room for so many bytes more. */
static bool make_room_of_loose_texts(gpugraph_graph *graph, uint64_t bytes,
                                     gpugraph_run *run) {
    const uint64_t used = graph->id.text_used, live = graph->id.text_live;
    const bool anew = used - live >= live;
    if (used + bytes <= gg_room(graph->id.text_bytes))
        return true;
    char *block = gg_alloc_roomy(run, (anew ? live : used) + bytes, 1);
    if (!block)
        return false;
    if (anew) {
        lay_loose_texts_out(&graph->ids.texts, graph->id.text_offset, block);
        graph->id.text_used = live;
    } else {
        gg_copy(run, block, graph->id.text_bytes, used);
    }
    take_bytes(graph, block);
    return true;
}

bool gg_take_text_room(gpugraph_graph *graph, uint64_t length, gpugraph_run *run,
                       uint64_t *at) {
    if (length > UINT32_MAX || !loosen(graph, run) ||
        !make_room_of_loose_texts(graph, length, run))
        return false;
    *at = graph->id.text_used;
    graph->id.text_used += length;
    return true;
}

void gg_replace_text(gpugraph_graph *graph, uint32_t from, uint32_t to, uint64_t at,
                     uint32_t length) {
    uint64_t *offset = graph->id.text_offset;
    uint32_t *lengths = graph->id.text_length;
    graph->id.text_live += length;
    graph->id.text_live -= lengths[from];
    gg_text_index_remove(graph, from);
    for (uint32_t t = from; t > to; t--)
        gg_text_index_move(graph, t - 1, t);
    for (uint32_t t = from; t < to; t++)
        gg_text_index_move(graph, t + 1, t);
    if (to < from) {
        memmove(offset + to + 1, offset + to, (from - to) * sizeof *offset);
        memmove(lengths + to + 1, lengths + to, (from - to) * sizeof *lengths);
    } else {
        memmove(offset + from, offset + from + 1, (to - from) * sizeof *offset);
        memmove(lengths + from, lengths + from + 1, (to - from) * sizeof *lengths);
    }
    offset[to] = at;
    lengths[to] = length;
    gg_text_index_add(graph, to);
}
