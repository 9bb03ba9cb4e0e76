/* Numbers for vertices whose ids come between others. Numbers are in the order of ids, so such a vertex moves all
** numbers behind its own, unless one near by is unused: then the vertices up to that one give way.
**
**     number      0  1  2  3  4  5
**     ids         1  3  4  6  _  9      number 4 is unused; 5 comes
**     6 gives way 1  3  4  _  6  9      its edges get another end: 4 in place of 3
**     afterwards  1  3  4  5  6  9
**
** To give way is a change by itself, of edges that get other ends. After it the graph has the edges and vertices
** that it had, and there is an unused number, with the new id, where the new vertex belongs. It costs what it costs
** to change the edges of the vertices that give way.
**
** Whoever has had all numbers move twice gets unused ones all over the graph (spread), at the cost of one more
** such move, and again where they did not suffice twice. They go with all unused numbers, and then it takes some
** more such ids until they are spread again. */
#include "update.h"

#include <stdlib.h>
#include <string.h>

uint64_t gg_spread_every, gg_way_edges;

/* The vertices low .. high - 1 get the numbers one further up, or down; `free`, which was unused, gets used, and
** what is unused then is low, or high - 1. */
typedef struct way {
    uint64_t low, high, free;
    uint64_t edges; /* of all of them, those that leave one and enter another twice */
} way;

/* More take as long as if all numbers move. */
static uint64_t most_edges(const gpugraph_graph *graph) {
    const uint64_t most = graph->m / GG_WAY_SHARE;
    if (gg_way_edges > 0)
        return gg_way_edges;
    return most < GG_WAY_EDGES ? most : GG_WAY_EDGES;
}

/* So many vertices of so many edges each are within reach from both sides. */
static uint64_t spread_every(const gpugraph_graph *graph) {
    const uint64_t fewest = graph->n / GG_SPREAD_MOST,
                   reach = most_edges(graph) * graph->n / (graph->m + 1);
    uint64_t every = reach < GG_SPREAD_EVERY ? reach : GG_SPREAD_EVERY;
    if (gg_spread_every > 0)
        return gg_spread_every;
    every = every > GG_SPREAD_NEAR ? every : GG_SPREAD_NEAR;
    return every > fewest ? every : fewest;
}

/* ---- ids that come between others ---- */

/* Takes down the id, if it is one, or that of an unused number, which nobody else is to get; false: they are too
** many. */
static bool note_id(const gpugraph_graph *graph, int64_t id, int64_t *list,
                    uint64_t *count) {
    const gpugraph_ids *ids = &graph->ids;
    if (id <= ids->integer[0] || id >= ids->integer[ids->integer_count - 1] ||
        gpugraph_find_integer(graph, id) != GPUGRAPH_NONE)
        return true;
    for (uint64_t i = 0; i < *count; i++)
        if (list[i] == id)
            return true;
    if (*count == GG_WAY_IDS)
        return false;
    list[(*count)++] = id;
    return true;
}

static bool note_column(const gpugraph_graph *graph, const gpugraph_id_column *column,
                        int64_t entries, int64_t *list, uint64_t *count) {
    for (int64_t i = 0; i < entries; i++)
        if (!gg_text_at(column, (uint64_t)i) &&
            !note_id(graph, gg_id_at(column, (uint64_t)i), list, count))
            return false;
    return true;
}

/* How many; 0 also where they, or the edges that name them, are many: then all numbers may as well move. */
static uint64_t list_between(const gpugraph_graph *graph, const gpugraph_edges *added,
                             int64_t *list) {
    uint64_t count = 0;
    if (!added || added->count + added->vertex_count > GG_WAY_BATCH)
        return 0;
    return note_column(graph, &added->source, added->count, list, &count) &&
                   note_column(graph, &added->target, added->count, list, &count) &&
                   note_column(graph, &added->vertex, added->vertex_count, list, &count)
               ? count
               : 0;
}

/* ---- which vertices give way ---- */

/* Edges of those vertices; UINT64_MAX: they are too many, or one has none, which nothing but its number says. */
static uint64_t weigh(const gpugraph_graph *graph, uint64_t low, uint64_t high) {
    const struct adjacency *out = &graph->adjacency[GPUGRAPH_OUT];
    uint64_t edges = 0;
    if (high - low > GG_WAY_VERTICES || (low < high && (!out->made || !out->in)))
        return UINT64_MAX;
    for (uint64_t v = low; v < high; v++) {
        const uint64_t own = (uint64_t)out->row[v].count + out->in[v];
        edges += own;
        if (own == 0 || edges > most_edges(graph))
            return UINT64_MAX;
    }
    return edges;
}

/* Unused number `place` of the list, if it is one, is neither the first nor the last INTEGER, which say how far ids
** go, and is not kept for another id of the batch: *free. */
static bool is_free(const gpugraph_graph *graph, const struct named_numbers *named,
                    uint64_t place, uint64_t *free) {
    const struct unused_numbers *unused = &graph->unused;
    if (place >= unused->count || unused->vertex[place] == 0 ||
        unused->vertex[place] + (uint64_t)1 >= graph->ids.integer_count)
        return false;
    *free = unused->vertex[place];
    for (uint64_t i = 0; i < named->ids; i++)
        if (named->id[i] == graph->ids.integer[*free])
            return false;
    return true;
}

/* Towards the unused number above, or below, whichever is the shorter way. False: there is none. */
static bool find_way(const gpugraph_graph *graph, const struct named_numbers *named,
                     int64_t id, way *w) {
    const uint64_t at = gg_integers_below(&graph->ids, id);
    uint64_t place, free;
    gg_find_unused(graph, (uint32_t)at, &place);
    w->edges = UINT64_MAX;
    if (is_free(graph, named, place, &free))
        *w = (way){at, free, free, weigh(graph, at, free)};
    if (place > 0 && is_free(graph, named, place - 1, &free)) {
        const uint64_t edges = weigh(graph, free + 1, at);
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
        graph->id_present[place / 64] |= bit;
    else
        graph->id_present[place / 64] &= ~bit;
}

/* One id is there in place of another one. */
static void replace_present(gpugraph_graph *graph, int64_t gone, int64_t come) {
    if (!graph->id_present)
        return;
    const uint64_t first = (uint64_t)graph->ids.first_integer,
                   low = ((uint64_t)(gone < come ? gone : come) - first) / 64,
                   high = ((uint64_t)(gone < come ? come : gone) - first) / 64;
    set_present(graph, gone, false);
    set_present(graph, come, true);
    for (uint64_t word = low + 1; word <= high; word++) {
        if (come < gone)
            graph->id_rank[word]++;
        else
            graph->id_rank[word]--;
    }
}

/* Number `from` is taken out of the list of ids, and `id` put in as number `at`. */
static void move_ids(gpugraph_graph *graph, uint64_t from, uint64_t at, int64_t id) {
    int64_t *list = graph->id_integer;
    replace_present(graph, list[from], id);
    if (at < from)
        memmove(list + at + 1, list + at, (from - at) * sizeof *list);
    else
        memmove(list + from, list + from + 1, (at - from) * sizeof *list);
    list[at] = id;
}

/* ---- their edges get other ends ---- */

typedef struct moved_edges {
    uint64_t count;
    int64_t *id, *source, *target, *integer;
    double *real;
    uint64_t *number;
    gpugraph_edge *edge;
} moved_edges;

static void free_edges(moved_edges *e) {
    void *blocks[] = {e->id,   e->source, e->target, e->integer,
                      e->real, e->number, e->edge};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
}

static bool take_edges(gpugraph_run *run, uint64_t most, moved_edges *e) {
    e->id = gg_alloc(run, most, sizeof *e->id);
    e->source = e->id ? gg_alloc(run, most, sizeof *e->source) : NULL;
    e->target = e->source ? gg_alloc(run, most, sizeof *e->target) : NULL;
    e->integer = e->target ? gg_alloc(run, most, sizeof *e->integer) : NULL;
    e->real = e->integer ? gg_alloc(run, most, sizeof *e->real) : NULL;
    e->number = e->real ? gg_alloc(run, most, sizeof *e->number) : NULL;
    e->edge = e->number ? gg_alloc(run, most, sizeof *e->edge) : NULL;
    return e->edge != NULL;
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

/* Their ends by ids. False: one is a TEXT. */
static bool name_ends(const gpugraph_graph *graph, moved_edges *e) {
    const gpugraph_ids *ids = &graph->ids;
    gpugraph_find_edges(graph, e->id, (int64_t)e->count, e->number, e->edge);
    for (uint64_t i = 0; i < e->count; i++) {
        const gpugraph_edge *edge = &e->edge[i];
        if (e->number[i] == GPUGRAPH_NO_EDGE || edge->source >= ids->integer_count ||
            edge->target >= ids->integer_count)
            return false;
        e->source[i] = ids->integer[edge->source];
        e->target[i] = ids->integer[edge->target];
        e->integer[i] = edge->weight;
        e->real[i] = edge->real;
    }
    return true;
}

static gpugraph_changes change_of(const gpugraph_graph *graph, const moved_edges *e,
                                  gpugraph_edges *added) {
    const gpugraph_weight_type type = graph->edges.weight_type;
    *added =
        (gpugraph_edges){.count = (int64_t)e->count,
                         .source = {.value = e->source},
                         .target = {.value = e->target},
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

/* One phase tells of it all. */
static void change_unheard(gpugraph_graph *graph, const gpugraph_changes *changes,
                           gpugraph_run *run) {
    const gpugraph_run before = *run;
    run->phase = NULL;
    gg_change_graph(graph, changes, true, run);
    run->phase = before.phase;
}

/* False: all is as it was, for an error, or since one of the edges leads to a TEXT. */
static bool let_give_way(gpugraph_graph *graph, const way *w, int64_t id,
                         gpugraph_run *run) {
    const int64_t free_id = graph->ids.integer[w->free];
    const uint64_t at = number_of(w);
    moved_edges e = {.count = 0};
    gpugraph_edges added;
    bool done = take_edges(run, w->edges, &e) && list_edges(graph, w, run, &e) &&
                name_ends(graph, &e);
    if (done) {
        const double started = gg_now_ms();
        move_ids(graph, w->free, at, id);
        const gpugraph_changes changes = change_of(graph, &e, &added);
        change_unheard(graph, &changes, run);
        done = !gg_stopping(run);
        if (!done)
            move_ids(graph, at, w->free, free_id);
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
static bool make_place(gpugraph_graph *graph, int64_t id, struct named_numbers *named,
                       gpugraph_run *run) {
    way w;
    if (gg_number_of_integer(graph, id) != GPUGRAPH_NONE)
        return true;
    if (!find_way(graph, named, id, &w))
        return false;
    named->moved = true;
    if (w.low == w.high) {
        move_ids(graph, w.free, w.free, id);
        return true;
    }
    if (!let_give_way(graph, &w, id, run))
        return false;
    follow_way(&w, named->kept, named->changes.kept_count);
    follow_way(&w, named->loose, named->changes.loose_count);
    return true;
}

/* ---- unused numbers all over the graph ---- */

/* Up to `most` ids that are none, evenly between those of the vertices v - 1 and v. */
static uint64_t ids_before(const gpugraph_graph *graph, uint64_t v, uint64_t most,
                           int64_t *id) {
    const int64_t *list = graph->ids.integer;
    const uint64_t gap = (uint64_t)list[v] - (uint64_t)list[v - 1],
                   count = gap - 1 < most ? gap - 1 : most;
    for (uint64_t i = 0; i < count; i++)
        id[i] = (int64_t)((uint64_t)list[v - 1] + gap / (count + 1) * (i + 1));
    return count;
}

/* One after every so many vertices, as far as there are such, and several where one has just come. */
static uint64_t choose_ids(const gpugraph_graph *graph, int64_t come, int64_t *id) {
    const uint64_t every = spread_every(graph), n = graph->ids.integer_count,
                   here = gg_integers_below(&graph->ids, come);
    uint64_t count = 0;
    bool here_too = false;
    for (uint64_t first = every / 2 + 1; first < n; first += every) {
        uint64_t v = first;
        while (v < n && v < first + every && ids_before(graph, v, 1, id + count) == 0)
            v++;
        if (v == n || v == first + every)
            continue;
        if (!here_too && here <= v) {
            count += ids_before(graph, here, GG_SPREAD_HERE, id + count);
            here_too = true;
        }
        if (v != here)
            count += ids_before(graph, v, 1, id + count);
    }
    return here_too ? count : count + ids_before(graph, here, GG_SPREAD_HERE, id + count);
}

/* Those of the ids; what was unused before has gone with the change that brought them. */
static void leave_unused(gpugraph_graph *graph, const int64_t *id, uint64_t count,
                         uint32_t *vertex) {
    for (uint64_t i = 0; i < count; i++)
        vertex[i] = gg_number_of_integer(graph, id[i]);
    gg_release(graph->unused.vertex);
    graph->unused.vertex = vertex;
    graph->unused.count = graph->spread = count;
    graph->integer_ends -= count;
}

static bool spread(gpugraph_graph *graph, const struct named_numbers *named, int64_t come,
                   gpugraph_run *run) {
    const double started = gg_now_ms();
    const uint64_t most = graph->n / spread_every(graph) + 1 + GG_SPREAD_HERE;
    if (graph->n < GG_SPREAD_LEAST && gg_spread_every == 0)
        return false;
    int64_t *id = gg_alloc(run, most, sizeof *id);
    uint32_t *vertex = id ? gg_alloc(run, most, sizeof *vertex) : NULL;
    const uint64_t count = vertex ? choose_ids(graph, come, id) : 0;
    const gpugraph_edges added = {.vertex_count = (int64_t)count,
                                  .vertex = {.value = id}};
    const gpugraph_changes changes = {.added = &added};
    /* Others that the batch names would have to be found again. */
    const bool named_some = named->changes.kept_count + named->changes.loose_count > 0;
    bool done = false;
    if (count > 0 && !named_some) {
        change_unheard(graph, &changes, run);
        done = !gg_stopping(run);
    }
    graph->between = 0;
    if (done) {
        leave_unused(graph, id, count, vertex);
        vertex = NULL;
        gg_phase(run, "update", started, (int64_t)count,
                 "unused numbers are spread, so that ids may come between others");
        gg_adjacency(graph, GPUGRAPH_OUT, run); /* says what edges vertices have */
    }
    gg_release(id);
    gg_release(vertex);
    return done;
}

/* ---- before a batch ---- */

static bool may_give_way(const gpugraph_graph *graph, const gpugraph_changes *changes) {
    return changes->keep_numbers && !changes->before && graph->id_integer &&
           graph->ids.integer_count > 1 && gpugraph_keeps_arcs(graph);
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
    named->ids = list_between(graph, changes->added, named->id);
    if (named->ids == 0 || !copy_named(changes, named, run))
        return changes;
    for (uint64_t i = 0; i < named->ids && placed && !gg_stopping(run); i++) {
        const int64_t id = named->id[i];
        placed = make_place(graph, id, named, run);
        if (!placed && !gg_stopping(run) && ++graph->between > 1)
            placed = spread(graph, named, id, run) && make_place(graph, id, named, run);
    }
    return &named->changes;
}

void gg_free_named(struct named_numbers *named) {
    gg_release(named->kept);
    gg_release(named->loose);
}
