/* Adds the ids of new vertices. A new vertex gets the next number, so its id is appended
** to a list:
**
**     ids in order    1 3 7         if the new ids are of one kind, and follow all ids
**     later ids       5 2           otherwise (ids/later.c)
**
** After the first later id every new id is a later id, until gpugraph_compact. */
#include "update.h"
#include "ids/ids.h"

#include <string.h>

static gpugraph_id new_id(const update *u, uint32_t f) {
    gpugraph_id id = {.is_text = f >= u->fresh_integers};
    if (id.is_text)
        id.text = gpugraph_text(&u->added->texts, (uint64_t)u->fresh_id[f], &id.length);
    else
        id.integer = u->fresh_id[f];
    return id;
}

void *gg_longer(const update *u, void *block, uint64_t count, uint64_t after,
                size_t size) {
    if (gg_stopping(u->run) || after * size <= gg_room(block))
        return NULL;
    void *longer = gg_alloc_slack(u->run, after, size);
    if (longer)
        gg_copy(u->run, longer, block, count * size);
    return longer;
}

void gg_take_longer(void **array, void **longer) {
    if (!*longer)
        return;
    gg_release(*array);
    *array = *longer;
    *longer = NULL;
}

/* True if the new ids are all INTEGERs or all TEXTs, the graph has ids of this kind, and
** the new ids follow all its ids. */
static bool come_behind(const update *u) {
    const gpugraph_ids *ids = &u->graph->ids;
    const gpugraph_id first = new_id(u, 0);
    const uint32_t of_kind =
        first.is_text ? (uint32_t)ids->texts.count : ids->integer_count;
    return u->graph->id.later.count == 0 && of_kind > 0 &&
           u->fresh_integers == (first.is_text ? 0 : u->fresh) &&
           (first.is_text || ids->texts.count == 0) &&
           gg_ids_below(ids, &first) == gg_ids_in_order(u->graph);
}

/* ---- INTEGERs in order ---- */

static uint64_t words_of(uint64_t span) {
    return (span + 63) / 64;
}

/* Returns false if the new ids do not fit the layout of ids in order. */
static bool plan_integers(update *u) {
    const gpugraph_graph *graph = u->graph;
    struct new_ids *to = &u->new_ids;
    const int64_t first = graph->ids.first_integer, last = u->fresh_id[u->fresh - 1];
    const uint64_t count = graph->ids.integer_count, after = count + u->fresh,
                   span = (uint64_t)last - (uint64_t)first + 1;
    if (!graph->id.integer)
        return span == after;
    if (graph->id.present && !gg_close_together(2 * u->edges.after, first, last))
        return false;
    to->integer = gg_longer(u, graph->id.integer, count, after, sizeof *to->integer);
    if (!graph->id.present)
        return true;
    const uint64_t words = words_of(graph->id.span), words_after = words_of(span);
    to->present =
        gg_longer(u, graph->id.present, words, words_after, sizeof *to->present);
    to->rank = gg_longer(u, graph->id.rank, words, words_after, sizeof *to->rank);
    return true;
}

/* Appends an INTEGER; INTEGERs ascend. */
static void put_integer(struct graph_ids *id, int64_t first, uint32_t v,
                        int64_t integer) {
    const uint64_t place = (uint64_t)integer - (uint64_t)first;
    id->integer[v] = integer;
    if (!id->present)
        return;
    for (uint64_t words = words_of(id->span); words <= place / 64; words++) {
        id->present[words] = 0;
        id->rank[words] = v;
    }
    id->present[place / 64] |= (uint64_t)1 << (place % 64);
    id->span = place + 1;
}

static void commit_integers(update *u) {
    gpugraph_graph *graph = u->graph;
    struct new_ids *to = &u->new_ids;
    gg_take_longer((void **)&graph->id.integer, (void **)&to->integer);
    gg_take_longer((void **)&graph->id.present, (void **)&to->present);
    gg_take_longer((void **)&graph->id.rank, (void **)&to->rank);
    graph->ids.integer = graph->id.integer;
    for (uint32_t f = 0; graph->id.integer && f < u->fresh; f++)
        put_integer(&graph->id, graph->ids.first_integer, graph->ids.integer_count + f,
                    u->fresh_id[f]);
    graph->ids.integer_count += u->fresh;
    if (!graph->id.integer)
        graph->id.span += u->fresh;
}

/* ---- TEXTs in order ---- */

static void plan_texts(update *u) {
    const gpugraph_graph *graph = u->graph;
    struct new_ids *to = &u->new_ids;
    const uint64_t count = (uint64_t)graph->ids.texts.count, after = count + u->fresh,
                   used = graph->id.text_offset[count];
    uint64_t bytes = used;
    for (uint32_t f = 0; f < u->fresh; f++)
        bytes += new_id(u, f).length;
    to->text_offset = gg_longer(u, graph->id.text_offset, count + 1, after + 1,
                                sizeof *to->text_offset);
    to->text_bytes = gg_longer(u, graph->id.text_bytes, used, bytes, 1);
}

static void commit_texts(update *u) {
    gpugraph_graph *graph = u->graph;
    struct new_ids *to = &u->new_ids;
    gpugraph_texts *texts = &graph->ids.texts;
    gg_take_longer((void **)&graph->id.text_offset, (void **)&to->text_offset);
    gg_take_longer((void **)&graph->id.text_bytes, (void **)&to->text_bytes);
    *texts = (gpugraph_texts){texts->count, graph->id.text_offset, graph->id.text_bytes};
    for (uint32_t f = 0; f < u->fresh; f++) {
        const gpugraph_id id = new_id(u, f);
        const int64_t t = texts->count++;
        const uint64_t at = graph->id.text_offset[t];
        if (id.length)
            memcpy(graph->id.text_bytes + at, id.text, id.length);
        graph->id.text_offset[t + 1] = at + id.length;
        gg_text_index_add(graph, (uint32_t)t);
    }
}

/* ---- later ids ---- */

/* Each text gets its own block. */
static void copy_new_ids(update *u) {
    struct later_ids *to = &u->new_ids.copies;
    to->id = gg_alloc(u->run, u->fresh, sizeof *to->id);
    for (; to->id && to->count < u->fresh; to->count++) {
        const gpugraph_id id = to->id[to->count] = new_id(u, to->count);
        if (!id.is_text)
            continue;
        char *text = gg_alloc(u->run, id.length + 1, 1);
        if (!text)
            return;
        if (id.length)
            memcpy(text, id.text, id.length);
        text[id.length] = '\0';
        to->id[to->count].text = text;
    }
}

static void plan_later(update *u) {
    const struct later_ids *later = &u->graph->id.later;
    struct new_ids *to = &u->new_ids;
    const uint64_t after = (uint64_t)later->count + u->fresh;
    copy_new_ids(u);
    to->later = gg_longer(u, later->id, later->count, after, sizeof *to->later);
    to->order = gg_longer(u, later->order, later->count, after, sizeof *to->order);
}

static void commit_later(update *u) {
    gpugraph_graph *graph = u->graph;
    struct new_ids *to = &u->new_ids;
    struct later_ids *later = &graph->id.later;
    gg_take_longer((void **)&later->id, (void **)&to->later);
    gg_take_longer((void **)&later->order, (void **)&to->order);
    graph->ids.later = later->id;
    const gpugraph_id *id = to->copies.id;
    memcpy(later->id + later->count, id, u->fresh * sizeof *id);
    to->copies.count = 0; /* the graph owns the texts */
    /* Merges both lists in order of ids, from the last id to the first. */
    const uint32_t before = later->count;
    for (uint32_t f = u->fresh; f-- > 0;) {
        const uint64_t below = gg_later_below(later, &id[f]);
        memmove(later->order + below + f + 1, later->order + below,
                (later->count - below) * sizeof *later->order);
        later->order[below + f] = before + f;
        later->count = (uint32_t)below; /* ids still to merge */
    }
    later->count = before + u->fresh;
}

/* ---- all new ids ---- */

void gg_update_ids(update *u) {
    struct new_ids *to = &u->new_ids;
    if (u->fresh == 0)
        return;
    to->how = LATER_IDS;
    if (come_behind(u) && u->fresh_integers == 0) {
        to->how = TEXTS_IN_ORDER;
        plan_texts(u);
    } else if (come_behind(u) && plan_integers(u)) {
        to->how = IDS_IN_ORDER;
    } else {
        plan_later(u);
    }
}

void gg_commit_ids(update *u) {
    if (u->new_ids.how == IDS_IN_ORDER)
        commit_integers(u);
    else if (u->new_ids.how == TEXTS_IN_ORDER)
        commit_texts(u);
    else if (u->new_ids.how == LATER_IDS)
        commit_later(u);
}

void gg_free_new_ids(struct new_ids *ids) {
    gg_free_later(&ids->copies);
    void *blocks[] = {ids->integer,    ids->present, ids->rank, ids->text_offset,
                      ids->text_bytes, ids->later,   ids->order};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
    *ids = (struct new_ids){.how = NO_IDS};
}
