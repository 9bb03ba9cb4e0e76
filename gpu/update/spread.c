/* Unused numbers all over the graph, so that vertices whose ids come between others find one near by (between.c).
**
**     ids     1 3 9 'ab' 'b'  ->  1 3 6 9 'ab' 'ab\0' 'b'     6 and 'ab\0' are nobody's: unused numbers
**
** All numbers move once for it, and again where unused numbers did not suffice twice. They go with all
** unused numbers, and then it takes some more such ids until they are spread again. */
#include "between.h"
#include "base/limits.h"

#include <string.h>

enum {
    /* Vertices for one spread number: as few as give way together, and between these
    ** bounds. */
    SPREAD_EVERY = 64,
    SPREAD_NEAR = 8,
    SPREAD_MOST = 65536, /* spread numbers: each change may have to write their list */
    SPREAD_HERE = 64,    /* where an id has just come between two others */
    SPREAD_LEAST = 1024  /* vertices: numbers of fewer move in no time */
};

/* So many vertices of so many edges each are within reach from both sides. */
static uint64_t spread_every(const gpugraph_graph *graph) {
    const uint64_t fewest = graph->n / SPREAD_MOST,
                   reach = gg_most_way_edges(graph) * graph->n / (graph->m + 1);
    uint64_t every = reach < SPREAD_EVERY ? reach : SPREAD_EVERY;
    if (gg_limits.spread_every > 0)
        return gg_limits.spread_every;
    every = every > SPREAD_NEAR ? every : SPREAD_NEAR;
    return every > fewest ? every : fewest;
}

/* ---- ids that are nobody's ---- */

typedef struct id_list {
    gpugraph_run *run;
    int64_t *value; /* INTEGERs, or numbers of texts */
    uint8_t *is_text;
    uint64_t count, texts, room; /* bytes there is room for */
    uint64_t *offset;
    char *bytes;
} id_list;

static void free_list(id_list *l) {
    gg_release(l->value);
    gg_release(l->is_text);
    gg_release(l->offset);
    gg_release(l->bytes);
}

static bool take_list(id_list *l, uint64_t most) {
    l->value = gg_alloc(l->run, most, sizeof *l->value);
    l->is_text = l->value ? gg_alloc_zero(l->run, most / 8 + 1, 1) : NULL;
    l->offset = l->is_text ? gg_alloc_zero(l->run, most + 1, sizeof *l->offset) : NULL;
    return l->offset != NULL;
}

/* Evenly between those of the vertices v - 1 and v. */
static uint64_t list_integers(const gpugraph_graph *graph, uint64_t v, uint64_t most,
                              id_list *l) {
    const int64_t *id = graph->ids.integer;
    const uint64_t gap = (uint64_t)id[v] - (uint64_t)id[v - 1],
                   count = gap - 1 < most ? gap - 1 : most;
    for (uint64_t i = 0; i < count; i++)
        l->value[l->count++] =
            (int64_t)((uint64_t)id[v - 1] + gap / (count + 1) * (i + 1));
    return count;
}

static bool make_room_of_spread(id_list *l, uint64_t bytes) {
    const uint64_t used = l->offset[l->texts];
    if (used + bytes <= l->room)
        return true;
    char *block = gg_alloc(l->run, 2 * (used + bytes), 1);
    if (!block)
        return false;
    if (used)
        memcpy(block, l->bytes, used);
    gg_release(l->bytes);
    l->bytes = block;
    l->room = 2 * (used + bytes);
    return true;
}

/* How many ids more, `step` apart, may lie beyond the farthest one: as `room` allows, up to the end of all INTEGERs, and
** without ids that lie close together becoming such as lie far apart. */
static uint64_t count_outside(const gpugraph_graph *graph, int64_t nearest,
                              int64_t farthest, uint64_t step, uint64_t room) {
    const bool before = farthest < nearest,
               listed = graph->id.integer && !graph->id.present; /* far apart already */
    uint64_t more = room / step < SPREAD_HERE ? room / step : SPREAD_HERE - 1;
    for (; more > 0 && !listed; more /= 2) {
        const uint64_t by = more * step;
        const int64_t end =
            (int64_t)(before ? (uint64_t)farthest - by : (uint64_t)farthest + by);
        if (before ? gg_close_together(graph->known.integer_ends, end, nearest)
                   : gg_close_together(graph->known.integer_ends, nearest, end))
            break;
    }
    return more;
}

/* One that comes before all others, and such as may come before it: as far apart as it is from these. */
static void list_in_front(const gpugraph_graph *graph, int64_t come, id_list *l) {
    const gpugraph_ids *ids = &graph->ids;
    const uint64_t step = (uint64_t)gg_integer_at(ids, 0) - (uint64_t)come,
                   room = (uint64_t)come - (uint64_t)INT64_MIN;
    const int64_t last = gg_integer_at(ids, ids->integer_count - (uint64_t)1);
    for (uint64_t i = count_outside(graph, last, come, step, room) + 1; i-- > 0;)
        l->value[l->count++] = (int64_t)((uint64_t)come - i * step);
}

/* One that comes behind all others, and such as may come behind it. */
static void list_behind(const gpugraph_graph *graph, int64_t come, id_list *l) {
    const gpugraph_ids *ids = &graph->ids;
    const int64_t last = gg_integer_at(ids, ids->integer_count - (uint64_t)1);
    const uint64_t step = (uint64_t)come - (uint64_t)last,
                   room = (uint64_t)INT64_MAX - (uint64_t)come,
                   more = count_outside(graph, gg_integer_at(ids, 0), come, step, room);
    for (uint64_t i = 0; i <= more; i++)
        l->value[l->count++] = (int64_t)((uint64_t)come + i * step);
}

/* The text of vertex v - 1 with one byte more: those of them that come before the text of vertex v. */
static uint64_t list_texts(const gpugraph_graph *graph, uint64_t v, uint64_t most,
                           id_list *l) {
    const gpugraph_texts *texts = &graph->ids.texts;
    const uint64_t t = v - graph->ids.integer_count;
    uint64_t length, next_length, count = 0;
    const char *text = gpugraph_text(texts, t - 1, &length),
               *next = gpugraph_text(texts, t, &next_length);
    for (; count < most && make_room_of_spread(l, length + 1); count++) {
        char *to = l->bytes + l->offset[l->texts];
        if (length)
            memcpy(to, text, length);
        to[length] = (char)count;
        if (gg_compare_texts(to, length + 1, next, next_length) >= 0)
            break;
        l->is_text[l->count / 8] |= (uint8_t)(1 << l->count % 8);
        l->value[l->count++] = (int64_t)l->texts;
        l->offset[l->texts + 1] = l->offset[l->texts] + length + 1;
        l->texts++;
    }
    return count;
}

/* Up to `most` ids between those of the vertices v - 1 and v. Returns how many. */
static uint64_t list_before(const gpugraph_graph *graph, uint64_t v, uint64_t most,
                            id_list *l) {
    return gg_is_text(graph, v) ? list_texts(graph, v, most, l)
                                : list_integers(graph, v, most, l);
}

/* One after every so many of the vertices low .. high - 1, as far as there are such, and several where one has just
** come. */
static void choose_ids(const gpugraph_graph *graph, uint64_t low, uint64_t high,
                       uint64_t here, id_list *l) {
    const uint64_t every = spread_every(graph);
    bool here_too = here <= low || here >= high;
    for (uint64_t first = low + every / 2 + 1; first < high; first += every) {
        const uint64_t end = high < first + every ? high : first + every;
        uint64_t v = first;
        if (!here_too && here < end) {
            list_before(graph, here, SPREAD_HERE, l);
            here_too = true;
            v = v > here ? v : here + 1;
        }
        while (v < end && list_before(graph, v, 1, l) == 0 && !gg_stopping(l->run))
            v++;
    }
    if (!here_too)
        list_before(graph, here, SPREAD_HERE, l);
}

static void choose_all(const gpugraph_graph *graph, const struct vertex_id *come,
                       id_list *l) {
    const uint64_t integers = graph->ids.integer_count,
                   here = gg_numbers_below(graph, come);
    if (here == 0 && !come->text)
        list_in_front(graph, come->integer, l);
    if (graph->ids.integer)
        choose_ids(graph, 0, integers, here, l);
    if (here == integers && !come->text)
        list_behind(graph, come->integer, l);
    if (integers < graph->n)
        choose_ids(graph, integers, graph->n, here, l);
}

/* ---- all of it ---- */

/* Those of the ids; what was unused before has gone with the change that brought them. */
static void leave_unused(gpugraph_graph *graph, const gpugraph_edges *added,
                         uint32_t *vertex) {
    const uint64_t count = (uint64_t)added->vertex_count;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t value = (uint64_t)added->vertex.value[i];
        struct vertex_id id = {gg_text_at(&added->vertex, i), (int64_t)value, NULL, 0};
        if (id.text)
            id.bytes = gpugraph_text(&added->texts, value, &id.length);
        vertex[i] = gg_number_of(graph, &id);
    }
    gg_release(graph->id.unused.vertex);
    graph->id.unused.vertex = vertex;
    graph->id.unused.count = graph->id.spread = count;
    graph->known.integer_ends -= count - (uint64_t)added->texts.count;
}

static bool spread(gpugraph_graph *graph, const struct vertex_id *come, id_list *l,
                   uint32_t *vertex) {
    const double started = gg_now_ms();
    choose_all(graph, come, l);
    const gpugraph_edges added = {
        .vertex_count = (int64_t)l->count,
        .vertex = {l->value, l->is_text, NULL},
        .texts = {.count = (int64_t)l->texts, .offset = l->offset, .bytes = l->bytes}};
    const gpugraph_changes changes = {.added = &added};
    if (l->count > 0 && !gg_stopping(l->run))
        gg_change_unheard(graph, &changes, l->run);
    if (l->count == 0 || gg_stopping(l->run))
        return false;
    leave_unused(graph, &added, vertex);
    gg_phase(l->run, "update", started, (int64_t)l->count,
             "unused numbers are spread, so that ids may come between others");
    gg_adjacency(graph, GPUGRAPH_OUT, l->run); /* says what edges vertices have */
    return true;
}

bool gg_spread_unused(gpugraph_graph *graph, const struct named_numbers *named,
                      const struct vertex_id *come, gpugraph_run *run) {
    const uint64_t most = graph->n / spread_every(graph) + 2 + SPREAD_HERE;
    id_list list = {.run = run};
    if (graph->n < SPREAD_LEAST && gg_limits.spread_every == 0)
        return false;
    graph->id.between = 0;
    /* Others that the batch names would have to be found again. */
    if (named->changes.kept_count + named->changes.loose_count > 0)
        return false;
    uint32_t *vertex =
        take_list(&list, most) ? gg_alloc(run, most, sizeof *vertex) : NULL;
    const bool done = vertex && spread(graph, come, &list, vertex);
    if (!done)
        gg_release(vertex);
    free_list(&list);
    return done;
}
