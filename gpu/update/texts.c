/* The TEXT ids of a graph after a batch.
**
**     old texts that stay, in pieces   a cc . f        + fresh ones at their places
**     offset, bytes                    a cc d f        made anew as a whole
**     those behind all others          a cc d f + g    are but put there
 */
#include "update.h"
#include "ids/ids.h"

#include <string.h>

static const char *fresh_text(const update *u, uint64_t i, uint64_t *length) {
    return gpugraph_text(&u->added->texts, (uint64_t)u->fresh_id[i], length);
}

static uint64_t bytes_of_fresh(const update *u) {
    uint64_t bytes = 0, length;
    for (uint64_t i = u->fresh_integers; i < u->fresh; i++) {
        fresh_text(u, i, &length);
        bytes += length;
    }
    return bytes;
}

/* ---- all of them anew ---- */

static void put_fresh(update *u, uint64_t t, uint64_t i) {
    uint64_t at = u->ids.id.text_offset[t], length;
    const char *text = fresh_text(u, i, &length);
    if (length)
        memcpy(u->ids.id.text_bytes + at, text, length);
    u->ids.id.text_offset[t + 1] = at + length;
}

/* Old texts low .. high - 1 become those from t on. */
static void put_in_order(update *u, uint64_t t, uint64_t low, uint64_t high) {
    const gpugraph_texts *texts = &u->graph->ids.texts;
    uint64_t *offset = u->ids.id.text_offset, at = offset[t];
    uint64_t begin = texts->offset[low], length = texts->offset[high] - begin;
    if (length)
        gg_copy(u->run, u->ids.id.text_bytes + at, texts->bytes + begin, length);
    for (uint64_t k = low; k < high && !gg_leave(u->run, k); k++)
        offset[t + k + 1 - low] = texts->offset[k + 1] - begin + at;
}

/* Pieces and fresh texts in order of their new places. */
static void fill(update *u, uint64_t first) {
    uint64_t was = u->graph->ids.integer_count, i = u->fresh_integers, t = 0;
    u->ids.id.text_offset[0] = 0;
    for (uint64_t k = 0; k <= u->vertices.pieces && !gg_stopping(u->run); k++) {
        const splice_piece *piece = &u->vertices.piece[k];
        uint64_t begin = k < u->vertices.pieces ? piece->to : u->vertices.after;
        for (; i < u->fresh && u->fresh_new[i] < begin; i++, t++)
            put_fresh(u, u->fresh_new[i] - first, i);
        if (k == u->vertices.pieces || piece->from + piece->count <= was)
            continue;
        uint64_t low = piece->from > was ? piece->from - was : 0;
        uint64_t high = piece->from + piece->count - was;
        put_in_order(u, t, low, high);
        t += high - low;
    }
}

static void lay_out(update *u) {
    const uint64_t integers = u->ids.ids.integer_count,
                   texts = u->vertices.after - integers,
                   room = gg_text_bytes(&u->graph->ids.texts) + bytes_of_fresh(u);
    u->ids.id.text_offset =
        gg_alloc_roomy(u->run, texts + 1, sizeof *u->ids.id.text_offset);
    if (u->ids.id.text_offset)
        u->ids.id.text_bytes = gg_alloc_roomy(u->run, room, 1);
    if (u->ids.id.text_bytes)
        fill(u, integers);
    u->ids.ids.texts = (gpugraph_texts){.count = (int64_t)texts,
                                        .offset = u->ids.id.text_offset,
                                        .bytes = u->ids.id.text_bytes};
}

/* ---- those that come behind all others ---- */

static bool come_behind(const update *u) {
    const gpugraph_graph *graph = u->graph;
    return u->vanished == 0 && u->fresh_integers == 0 && graph->ids.texts.count > 0 &&
           u->fresh_at[0] == graph->n;
}

static void plan_behind(update *u) {
    const gpugraph_graph *graph = u->graph;
    gpugraph_graph *to = &u->ids;
    const uint64_t count = (uint64_t)graph->ids.texts.count, after = count + u->fresh,
                   used = graph->id.text_offset[count];
    to->id.text_offset = gg_longer(u, graph->id.text_offset, count + 1, after + 1,
                                   sizeof *to->id.text_offset);
    to->id.text_bytes =
        gg_longer(u, graph->id.text_bytes, used, used + bytes_of_fresh(u), 1);
}

static void commit_behind(update *u) {
    gpugraph_graph *graph = u->graph, *to = &u->ids;
    gpugraph_texts *texts = &graph->ids.texts;
    uint64_t at = graph->id.text_offset[texts->count];
    gg_take_longer((void **)&graph->id.text_offset, (void **)&to->id.text_offset);
    gg_take_longer((void **)&graph->id.text_bytes, (void **)&to->id.text_bytes);
    *texts = (gpugraph_texts){texts->count, graph->id.text_offset, graph->id.text_bytes};
    for (uint64_t i = 0; i < u->fresh; i++) {
        uint64_t length;
        const char *text = fresh_text(u, i, &length);
        const int64_t t = texts->count++;
        if (length)
            memcpy(graph->id.text_bytes + at, text, length);
        graph->id.text_offset[t] = at;
        at += length;
        graph->id.text_offset[t + 1] = at;
        gg_text_index_add(graph, (uint32_t)t);
    }
}

/* ---- all together ---- */

static bool texts_vanish(const update *u) {
    return u->vanished && u->vanished_at[u->vanished - 1] >= u->graph->ids.integer_count;
}

void gg_update_texts(update *u) {
    if (u->fresh == u->fresh_integers && !texts_vanish(u))
        return;
    u->texts_behind = come_behind(u);
    u->texts_change = !u->texts_behind;
    if (u->texts_behind)
        plan_behind(u);
    else
        lay_out(u);
}

void gg_commit_texts(update *u) {
    gpugraph_graph *graph = u->graph, *to = &u->ids;
    if (u->texts_behind)
        commit_behind(u);
    if (!u->texts_change)
        return;
    gg_release(graph->id.text_offset);
    gg_release(graph->id.text_bytes);
    gg_drop_text_index(graph);
    graph->id.text_offset = to->id.text_offset;
    graph->id.text_bytes = to->id.text_bytes;
    graph->ids.texts = to->ids.texts;
    to->id.text_offset = NULL;
    to->id.text_bytes = NULL;
}
