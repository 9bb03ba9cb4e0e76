/* Numbers for vertices whose ids come between others. Numbers are in the order of ids, so such a vertex moves all
** numbers behind its own, unless one near by is unused: then the vertices up to that one give way.
**
**     number      0  1  2  3  4  5
**     ids         1  3  4  6  _  9      number 4 is unused; 5 comes
**     6 gives way 1  3  4  _  6  9      its edges get another end: 4 in place of 3
**     afterwards  1  3  4  5  6  9
**
** To give way is a change by itself: edges of these vertices get other ends, which is all that it costs. Afterwards
** the graph has the same edges and vertices, and the new id has an unused number, in its place.
**
** Numbers of INTEGERs and of TEXTs do not mix, so these give way by themselves. Whoever has had all numbers move twice
** gets unused ones all over the graph (spread.c). */
#include "between.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Vertices, and their edges, that give way to an id between two others. */
    WAY_VERTICES = 256,
    WAY_EDGES = 1024,
    WAY_SHARE = 1024, /* of the edges: one in 1,024 takes as long as moving all numbers */
    WAY_BATCH = 256   /* edges of a batch for which vertices give way */
};

/* The vertices low .. high - 1 get the numbers one further up, or down; `free`, which was unused, gets used, and
** what is unused then is low, or high - 1. */
typedef struct way {
    uint64_t low, high, free;
    uint64_t edges; /* of all of them, those that leave one and enter another twice */
} way;

/* More take as long as if all numbers move. */
uint64_t gg_most_way_edges(const gpugraph_graph *graph) {
    const uint64_t most = graph->m / WAY_SHARE;
    if (gg_limits.way_edges > 0)
        return gg_limits.way_edges;
    return most < WAY_EDGES ? most : WAY_EDGES;
}

/* ---- ids that come between others ---- */

/* Or outside of those of its kind; but those behind all others are but put there. */
static bool comes_between(const gpugraph_graph *graph, const struct vertex_id *id) {
    const gpugraph_ids *ids = &graph->ids;
    if (id->text)
        return gg_numbers_below(graph, id) < graph->n;
    return ids->integer_count > 0 &&
           (ids->texts.count > 0 ||
            id->integer < gg_integer_at(ids, ids->integer_count - (uint64_t)1));
}

static bool same_id(const struct vertex_id *a, const struct vertex_id *b) {
    if (a->text != b->text || !a->text)
        return a->text == b->text && a->integer == b->integer;
    return a->length == b->length &&
           (a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0);
}

static bool is_listed(const struct named_numbers *named, const struct vertex_id *id) {
    for (uint64_t i = 0; i < named->ids; i++)
        if (same_id(&named->id[i], id))
            return true;
    return false;
}

/* Takes down the id, if it is one, or that of an unused number, which nobody else is to get; false: they are too
** many. */
static bool note_id(const gpugraph_graph *graph, const struct vertex_id *id,
                    struct named_numbers *named) {
    const uint32_t v = gg_number_of(graph, id);
    uint64_t place;
    if (v != GPUGRAPH_NONE ? !gg_find_unused(graph, v, &place)
                           : !comes_between(graph, id))
        return true;
    if (is_listed(named, id))
        return true;
    if (named->ids == GG_WAY_IDS)
        return false;
    named->id[named->ids++] = *id;
    return true;
}

static bool note_column(const gpugraph_graph *graph, const gpugraph_texts *texts,
                        const gpugraph_id_column *column, int64_t entries,
                        struct named_numbers *named) {
    for (int64_t i = 0; i < entries; i++) {
        const int64_t value = gg_id_at(column, (uint64_t)i);
        struct vertex_id id = {.text = gg_text_at(column, (uint64_t)i), .integer = value};
        if (id.text && (value < 0 || value >= texts->count))
            continue; /* it is complained of later */
        if (id.text)
            id.bytes = gpugraph_text(texts, (uint64_t)value, &id.length);
        if (!note_id(graph, &id, named))
            return false;
    }
    return true;
}

/* None also where they, or the edges that name them, are many: then all numbers may as well move. */
static void list_between(const gpugraph_graph *graph, const gpugraph_edges *added,
                         struct named_numbers *named) {
    if (added && added->count + added->vertex_count <= WAY_BATCH &&
        !(note_column(graph, &added->texts, &added->source, added->count, named) &&
          note_column(graph, &added->texts, &added->target, added->count, named) &&
          note_column(graph, &added->texts, &added->vertex, added->vertex_count, named)))
        named->ids = 0;
}

/* ---- which vertices give way ---- */

/* Edges of those vertices; UINT64_MAX: they are too many, or one has none, which nothing but its number says. */
static uint64_t weigh_between(const gpugraph_graph *graph, uint64_t low, uint64_t high) {
    const struct adjacency *out = &graph->derived.adjacency[GPUGRAPH_OUT];
    uint64_t edges = 0;
    if (high - low > WAY_VERTICES || (low < high && (!out->made || !out->in)))
        return UINT64_MAX;
    for (uint64_t v = low; v < high; v++) {
        const uint64_t own = (uint64_t)out->row[v].count + out->in[v];
        edges += own;
        if (own == 0 || edges > gg_most_way_edges(graph))
            return UINT64_MAX;
    }
    return edges;
}

/* The id of vertex v. */
static struct vertex_id id_of(const gpugraph_graph *graph, uint64_t v) {
    const gpugraph_ids *ids = &graph->ids;
    struct vertex_id id = {.text = gg_is_text(graph, v)};
    if (id.text)
        id.bytes = gpugraph_text(&ids->texts, v - ids->integer_count, &id.length);
    else
        id.integer = gg_integer_at(ids, v);
    return id;
}

/* Unused number `place` of the list, if it is one, is for such ids, is neither the first nor the last INTEGER, which say
** how far these go, and is not kept for another id of the batch: *free. */
static bool is_free(const gpugraph_graph *graph, const struct named_numbers *named,
                    bool text, uint64_t place, uint64_t *free) {
    const struct unused_numbers *unused = &graph->id.unused;
    if (place >= unused->count)
        return false;
    *free = unused->vertex[place];
    if (gg_is_text(graph, *free) != text ||
        (!text && (*free == 0 || *free + 1 == graph->ids.integer_count)))
        return false;
    const struct vertex_id id = id_of(graph, *free);
    return !is_listed(named, &id);
}

/* Towards the unused number above, or below, whichever is the shorter way. False: there is none. */
static bool find_way(const gpugraph_graph *graph, const struct named_numbers *named,
                     const struct vertex_id *id, way *w) {
    const uint64_t at = gg_numbers_below(graph, id);
    uint64_t place, free;
    const bool outside = at == 0 || at == graph->ids.integer_count;
    if (!id->text && (!graph->id.integer || (graph->id.present && outside)))
        return false; /* they would have to be listed, or the bitmap to be longer */
    gg_find_unused(graph, (uint32_t)at, &place);
    w->edges = UINT64_MAX;
    if (is_free(graph, named, id->text, place, &free))
        *w = (way){at, free, free, weigh_between(graph, at, free)};
    if (place > 0 && is_free(graph, named, id->text, place - 1, &free)) {
        const uint64_t edges = weigh_between(graph, free + 1, at);
        if (edges < w->edges)
            *w = (way){free + 1, at, free, edges};
    }
    return w->edges < UINT64_MAX;
}

static bool goes_up(const way *w) {
    return w->free >= w->high;
}

/* The number that is unused once they have given way. */
static uint64_t number_of(const way *w) {
    return goes_up(w) ? w->low : w->high - 1;
}

/* ---- ids move along numbers ---- */

static void set_present(gpugraph_graph *graph, int64_t id, bool present) {
    const uint64_t place = (uint64_t)id - (uint64_t)graph->ids.first_integer,
                   bit = (uint64_t)1 << place % 64;
    if (present)
        graph->id.present[place / 64] |= bit;
    else
        graph->id.present[place / 64] &= ~bit;
}

/* One id is there in place of another one. */
static void replace_present(gpugraph_graph *graph, int64_t gone, int64_t come) {
    if (!graph->id.present)
        return;
    const uint64_t first = (uint64_t)graph->ids.first_integer,
                   low = ((uint64_t)(gone < come ? gone : come) - first) / 64,
                   high = ((uint64_t)(gone < come ? come : gone) - first) / 64;
    set_present(graph, gone, false);
    set_present(graph, come, true);
    for (uint64_t word = low + 1; word <= high; word++) {
        if (come < gone)
            graph->id.rank[word]++;
        else
            graph->id.rank[word]--;
    }
}

/* Number `from` is taken out of the list of ids, and `id` put in as number `at`. */
static void move_integers(gpugraph_graph *graph, uint64_t from, uint64_t at, int64_t id) {
    int64_t *list = graph->id.integer;
    replace_present(graph, list[from], id);
    if (at < from)
        memmove(list + at + 1, list + at, (from - at) * sizeof *list);
    else
        memmove(list + from, list + from + 1, (at - from) * sizeof *list);
    list[at] = id;
}

/* An id as the graph keeps it. */
struct kept_id {
    int64_t integer;
    uint64_t begin; /* of a TEXT, in the graph's block */
    uint32_t length;
};

/* False: it cannot be had, for an error, or as there may be such texts. */
static bool keep_id(gpugraph_graph *graph, const struct vertex_id *id, gpugraph_run *run,
                    struct kept_id *kept) {
    *kept = (struct kept_id){id->integer, 0, (uint32_t)id->length};
    if (!id->text)
        return true;
    if (!gg_take_text_room(graph, id->length, run, &kept->begin))
        return false;
    if (id->length)
        memcpy(graph->id.text_bytes + kept->begin, id->bytes, id->length);
    return true;
}

static struct kept_id kept_id_of(const gpugraph_graph *graph, uint64_t v) {
    const uint64_t t = v - graph->ids.integer_count;
    if (!gg_is_text(graph, v))
        return (struct kept_id){.integer = graph->ids.integer[v]};
    return (struct kept_id){0, graph->id.text_offset[t], graph->id.text_length[t]};
}

static void move_ids(gpugraph_graph *graph, uint64_t from, uint64_t at,
                     const struct kept_id *id) {
    const uint32_t first = graph->ids.integer_count;
    if (gg_is_text(graph, from))
        gg_replace_text(graph, (uint32_t)from - first, (uint32_t)at - first, id->begin,
                        id->length);
    else
        move_integers(graph, from, at, id->integer);
}

/* ---- their edges get other ends ---- */

typedef struct moved_edges {
    uint64_t count;
    int64_t *id, *source, *target, *integer;
    double *real;
    uint64_t *number;
    gpugraph_edge *edge;
    uint8_t *source_text, *target_text;
    /* ends that are TEXTs: where they are in the graph's block */
    uint64_t texts, *text_offset;
    uint32_t *text_length;
} moved_edges;

static void free_edges(moved_edges *e) {
    void *blocks[] = {e->id,          e->source,      e->target,     e->integer,
                      e->real,        e->number,      e->edge,       e->source_text,
                      e->target_text, e->text_offset, e->text_length};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
}

static bool take_edges_of_between(gpugraph_run *run, uint64_t most, moved_edges *e) {
    e->id = gg_alloc(run, most, sizeof *e->id);
    e->source = e->id ? gg_alloc(run, most, sizeof *e->source) : NULL;
    e->target = e->source ? gg_alloc(run, most, sizeof *e->target) : NULL;
    e->integer = e->target ? gg_alloc(run, most, sizeof *e->integer) : NULL;
    e->real = e->integer ? gg_alloc(run, most, sizeof *e->real) : NULL;
    e->number = e->real ? gg_alloc(run, most, sizeof *e->number) : NULL;
    e->edge = e->number ? gg_alloc(run, most, sizeof *e->edge) : NULL;
    e->source_text = e->edge ? gg_alloc_zero(run, most / 8 + 1, 1) : NULL;
    e->target_text = e->source_text ? gg_alloc_zero(run, most / 8 + 1, 1) : NULL;
    e->text_offset =
        e->target_text ? gg_alloc(run, 2 * most, sizeof *e->text_offset) : NULL;
    e->text_length =
        e->text_offset ? gg_alloc(run, 2 * most, sizeof *e->text_length) : NULL;
    return e->text_length != NULL;
}

static int compare_ids(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void note_arcs(const gpugraph_arcs *arcs, moved_edges *e) {
    for (uint64_t i = 0; i < arcs->count; i++)
        e->id[e->count++] =
            (int64_t)((uint64_t)arcs->first_id + (arcs->arc[i] & UINT32_MAX));
}

/* Each once, by ids. */
static bool list_edges(gpugraph_graph *graph, const way *w, gpugraph_run *run,
                       moved_edges *e) {
    gpugraph_arcs arcs;
    uint64_t kept = 0;
    for (uint64_t v = w->low; v < w->high; v++) {
        if (gpugraph_arcs_from(graph, (uint32_t)v, run, &arcs))
            return false;
        note_arcs(&arcs, e);
        if (gpugraph_arcs_into(graph, (uint32_t)v, run, &arcs))
            return false;
        note_arcs(&arcs, e);
    }
    qsort(e->id, e->count, sizeof *e->id, compare_ids);
    for (uint64_t i = 0; i < e->count; i++)
        if (i == 0 || e->id[i] != e->id[kept - 1])
            e->id[kept++] = e->id[i];
    e->count = kept;
    return true;
}

/* The end of edge i by its id. */
static void name_end(const gpugraph_graph *graph, uint64_t i, uint32_t v, int64_t *value,
                     uint8_t *is_text, moved_edges *e) {
    if (!gg_is_text(graph, v)) {
        value[i] = gg_integer_at(&graph->ids, v);
        return;
    }
    const uint32_t t = v - graph->ids.integer_count;
    uint64_t length;
    e->text_offset[e->texts] = graph->ids.texts.offset[t];
    gpugraph_text(&graph->ids.texts, t, &length);
    e->text_length[e->texts] = (uint32_t)length;
    value[i] = (int64_t)e->texts++;
    is_text[i / 8] |= (uint8_t)(1 << i % 8);
}

static void name_ends(const gpugraph_graph *graph, moved_edges *e) {
    gpugraph_find_edges(graph, e->id, (int64_t)e->count, e->number, e->edge);
    for (uint64_t i = 0; i < e->count; i++) {
        const gpugraph_edge *edge = &e->edge[i];
        name_end(graph, i, edge->source, e->source, e->source_text, e);
        name_end(graph, i, edge->target, e->target, e->target_text, e);
        e->integer[i] = edge->weight;
        e->real[i] = edge->real;
    }
}

static gpugraph_changes change_of(const gpugraph_graph *graph, const moved_edges *e,
                                  gpugraph_edges *added) {
    const gpugraph_weight_type type = graph->edges.weight_type;
    *added =
        (gpugraph_edges){.count = (int64_t)e->count,
                         .source = {e->source, e->source_text, NULL},
                         .target = {e->target, e->target_text, NULL},
                         .texts = {(int64_t)e->texts, e->text_offset,
                                   graph->id.text_bytes, e->text_length},
                         .edge_id = e->id,
                         .weight_type = type,
                         .weight = type == GPUGRAPH_REAL_WEIGHTS ? (void *)e->real
                                   : type == GPUGRAPH_UNWEIGHTED ? NULL
                                                                 : (void *)e->integer};
    return (gpugraph_changes){.removed = e->id,
                              .removed_count = (int64_t)e->count,
                              .added = added,
                              .keep_numbers = true};
}

void gg_change_unheard(gpugraph_graph *graph, const gpugraph_changes *changes,
                       gpugraph_run *run) {
    const gpugraph_run before = *run;
    run->phase = NULL;
    gg_change_graph(graph, changes, true, run);
    run->phase = before.phase;
}

/* False, for an error: all is as it was. */
static bool let_give_way(gpugraph_graph *graph, const way *w, const struct kept_id *id,
                         gpugraph_run *run) {
    const struct kept_id free_id = kept_id_of(graph, w->free);
    const uint64_t at = number_of(w);
    moved_edges e = {.count = 0};
    gpugraph_edges added;
    bool done = take_edges_of_between(run, w->edges, &e) && list_edges(graph, w, run, &e);
    if (done) {
        const double started = gg_now_ms();
        name_ends(graph, &e);
        move_ids(graph, w->free, at, id);
        const gpugraph_changes changes = change_of(graph, &e, &added);
        gg_change_unheard(graph, &changes, run);
        done = !gg_stopping(run);
        if (!done)
            move_ids(graph, at, w->free, &free_id);
        else
            gg_phase(run, "update", started, (int64_t)e.count,
                     "%llu vertices give way to a new one: %llu edges get other ends",
                     (unsigned long long)(w->high - w->low), (unsigned long long)e.count);
    }
    free_edges(&e);
    return done;
}

/* Numbers that the batch names. */
static void follow_way(const way *w, uint32_t *number, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (number[i] >= w->low && number[i] < w->high)
            number[i] = goes_up(w) ? number[i] + 1 : number[i] - 1;
}

/* The id is that of an unused number afterwards. */
static bool make_place(gpugraph_graph *graph, const struct vertex_id *id,
                       struct named_numbers *named, gpugraph_run *run) {
    struct kept_id kept;
    way w = {.edges = UINT64_MAX};
    if (gg_number_of(graph, id) != GPUGRAPH_NONE)
        return true;
    if (!find_way(graph, named, id, &w) || !keep_id(graph, id, run, &kept))
        return false;
    named->moved = true;
    if (w.low == w.high) {
        move_ids(graph, w.free, w.free, &kept);
        return true;
    }
    if (!let_give_way(graph, &w, &kept, run))
        return false;
    follow_way(&w, named->kept, named->changes.kept_count);
    follow_way(&w, named->loose, named->changes.loose_count);
    return true;
}

/* ---- before a batch ---- */

static bool may_give_way(const gpugraph_graph *graph, const gpugraph_changes *changes) {
    return changes->keep_numbers && !changes->before && gpugraph_keeps_arcs(graph);
}

/* Numbers that the batch names may change. */
static bool copy_named(const gpugraph_changes *changes, struct named_numbers *named,
                       gpugraph_run *run) {
    const size_t kept = (size_t)changes->kept_count, loose = (size_t)changes->loose_count;
    named->kept = gg_alloc(run, kept, sizeof *named->kept);
    named->loose = named->kept ? gg_alloc(run, loose, sizeof *named->loose) : NULL;
    if (!named->loose)
        return false;
    if (kept > 0)
        memcpy(named->kept, changes->kept, kept * sizeof *named->kept);
    if (loose > 0)
        memcpy(named->loose, changes->loose, loose * sizeof *named->loose);
    named->changes = *changes;
    named->changes.kept = named->kept;
    named->changes.loose = named->loose;
    return true;
}

const gpugraph_changes *gg_make_places(gpugraph_graph *graph,
                                       const gpugraph_changes *changes,
                                       struct named_numbers *named, gpugraph_run *run) {
    bool placed = true;
    *named = (struct named_numbers){.kept = NULL};
    if (!may_give_way(graph, changes))
        return changes;
    list_between(graph, changes->added, named);
    if (named->ids == 0 || !copy_named(changes, named, run))
        return changes;
    for (uint64_t i = 0; i < named->ids && placed && !gg_stopping(run); i++) {
        const struct vertex_id *id = &named->id[i];
        placed = make_place(graph, id, named, run);
        if (!placed && !gg_stopping(run) && ++graph->id.between > 1)
            placed = gg_spread_unused(graph, named, id, run) &&
                     make_place(graph, id, named, run);
    }
    return &named->changes;
}

void gg_free_named(struct named_numbers *named) {
    gg_release(named->kept);
    gg_release(named->loose);
}
