#include "edge_model.h"
#include "graph/graph.h"
#include "ids/ids.h"

#include "graphs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *room_for(uint64_t count, size_t size) {
    void *block = calloc(count + 1, size);
    if (!block)
        abort();
    return block;
}

/* ---- the model ---- */

uint64_t model_below(edge_model *model, uint64_t limit) {
    return shape_random(&model->random) % limit;
}

void model_free(edge_model *model) {
    free(model->edge);
    model->edge = NULL;
}

edge_model model_copy(const edge_model *model) {
    edge_model copy = *model;
    copy.room = model->count;
    copy.edge = room_for((uint64_t)model->count, sizeof *copy.edge);
    memcpy(copy.edge, model->edge, (size_t)model->count * sizeof *copy.edge);
    return copy;
}

static int64_t random_weight(edge_model *model) {
    uint64_t r = shape_random(&model->random);
    if (model->weights == MODEL_HUGE)
        return (int64_t)(r % 3 ? r >> 1 : r % 7);
    if (model->weights == MODEL_TURNING)
        return (int64_t)(r % 29 == 0   ? UINT32_MAX / 2 - r % 3
                         : r % 31 == 0 ? UINT32_MAX - 1 + r % 2
                                       : r % 50);
    return (int64_t)(r % 100);
}

static model_edge random_edge(edge_model *model, int64_t id) {
    model_edge edge = {.id = id};
    edge.source = (uint32_t)model_below(model, model->universe);
    edge.target = (uint32_t)model_below(model, model->universe);
    if (model_below(model, 4) == 0) /* hubs and parallel edges */
        edge.source %= 3;
    edge.weight = random_weight(model);
    edge.real = model_below(model, 9) ? (double)edge.weight / 8 : -0.0;
    return edge;
}

/* The position of the first edge whose id is at least `id`. */
static int64_t place_of(const edge_model *model, int64_t id) {
    int64_t low = 0, high = model->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (model->edge[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void model_insert(edge_model *model, int64_t id) {
    int64_t at = place_of(model, id);
    if (model->count >= model->room) {
        model->room = 2 * model->count + 8;
        model->edge = realloc(model->edge, (size_t)model->room * sizeof *model->edge);
        if (!model->edge)
            abort();
    }
    memmove(model->edge + at + 1, model->edge + at,
            (size_t)(model->count - at) * sizeof *model->edge);
    model->edge[at] = random_edge(model, id);
    model->count++;
}

void model_remove(edge_model *model, int64_t i) {
    model->count--;
    memmove(model->edge + i, model->edge + i + 1,
            (size_t)(model->count - i) * sizeof *model->edge);
}

edge_model model_make(enum model_ids ids, enum model_weights weights, uint32_t universe,
                      int64_t count, uint64_t seed) {
    edge_model model = {ids, weights, universe, seed, 0, count, NULL};
    model.edge = room_for((uint64_t)count, sizeof *model.edge);
    for (int64_t e = 0; e < count; e++)
        model.edge[e] = random_edge(&model, e + 1);
    model.count = count;
    return model;
}

static void change_once(edge_model *model) {
    uint64_t dice = model_below(model, 10);
    int64_t last = model->count ? model->edge[model->count - 1].id : 0;
    if (model->count == 0 || dice < 2) {
        model_insert(model, last + 1 + (dice == 0 ? (int64_t)model_below(model, 3) : 0));
        return;
    }
    int64_t at = (int64_t)model_below(model, (uint64_t)model->count);
    model_edge *edge = &model->edge[at];
    if (dice < 4) { /* in a gap, if there is one here */
        int64_t id =
            at == 0 ? edge->id - 1 - (int64_t)model_below(model, 2) : edge->id - 1;
        if (at == 0 || model->edge[at - 1].id < id)
            model_insert(model, id);
    } else if (dice < 6) {
        model_edge new = random_edge(model, edge->id);
        edge->weight = new.weight;
        edge->real = new.real;
    } else if (dice < 7) {
        *edge = random_edge(model, edge->id);
    } else if (dice < 8) {
        edge->target = random_edge(model, 0).target;
    } else {
        model_remove(model, at);
    }
}

void model_change(edge_model *model, int changes) {
    for (int i = 0; i < changes; i++)
        change_once(model);
}

/* ---- columns ---- */

static int64_t integer_of(enum model_ids ids, uint32_t u) {
    switch (ids) {
    case MODEL_GAPS:
        return (int64_t)u * 5 - 40;
    case MODEL_WILD:
        return (int64_t)(u * 0x9e3779b97f4a7c15u);
    case MODEL_ENDS:
        return u % 2 ? INT64_MAX - u / 2 : INT64_MIN + u / 2;
    default:
        return (int64_t)u + 1;
    }
}

static uint64_t text_of(enum model_ids ids, uint32_t u, char *text) {
    static const char *const heads[] = {"", "/road/number/", "x", "\xc3\xa9"};
    if (ids == MODEL_MIXED)
        return (uint64_t)sprintf(text, "%u", u / 2 + 1);
    if (u == 0)
        return 0;
    uint64_t length = (uint64_t)sprintf(text, "%s%u", heads[u % 4], u / 4);
    if (u % 5 == 0)
        text[length++] = 0;
    return length;
}

static void put_id(const edge_model *model, uint32_t u, int64_t *number_of,
                   model_columns *to, int64_t *value, uint8_t *is_text, int64_t i) {
    gpugraph_texts *texts = &to->edges.texts;
    if (model->ids < MODEL_TEXTS || (model->ids == MODEL_MIXED && u % 2)) {
        value[i] = integer_of(model->ids, model->ids == MODEL_MIXED ? u / 2 : u);
        return;
    }
    if (number_of[u] < 0) {
        uint64_t at = to->text_offset[texts->count];
        number_of[u] = texts->count++;
        to->text_offset[texts->count] = at + text_of(model->ids, u, to->text_bytes + at);
    }
    value[i] = number_of[u];
    is_text[i / 8] |= (uint8_t)(1 << i % 8);
}

/* The values with 4 bytes each if they fit; otherwise NULL. */
static int32_t *narrow_of(const int64_t *value, int64_t count) {
    int32_t *narrow = room_for((uint64_t)count, sizeof *narrow);
    for (int64_t i = 0; i < count; i++) {
        narrow[i] = (int32_t)value[i];
        if (narrow[i] != value[i]) {
            free(narrow);
            return NULL;
        }
    }
    return narrow;
}

/* Gives every second source, every other pair of targets and every other four weights 4
** bytes an entry, since all readers of columns must take both widths in any mix. */
static void narrow_some(model_columns *c, int64_t count) {
    gpugraph_id_column *column[2] = {&c->edges.source, &c->edges.target};
    for (int k = 0; k < 2; k++) {
        c->narrow[k] =
            count >> k & 1 ? narrow_of(k ? c->target : c->source, count) : NULL;
        column[k]->value32 = c->narrow[k];
        if (c->narrow[k])
            column[k]->value = NULL;
    }
    if (c->edges.weight_type == GPUGRAPH_INTEGER_WEIGHTS && count >> 2 & 1)
        c->edges.weight32 = c->narrow[2] = narrow_of(c->integer, count);
    if (c->narrow[2])
        c->edges.weight = NULL;
}

model_columns model_columns_of(const edge_model *model, const model_edge *edge,
                               int64_t count) {
    enum { TEXT_ROOM = 40 };
    uint64_t m = (uint64_t)count;
    uint64_t texts = 2 * m < model->universe ? 2 * m : model->universe;
    int64_t *number_of = room_for(model->universe, sizeof *number_of);
    model_columns c = {
        .source = room_for(m, 8),
        .target = room_for(m, 8),
        .edge_id = room_for(m, 8),
        .integer = room_for(m, 8),
        .real = room_for(m, 8),
        .source_text = room_for(m / 8, 1),
        .target_text = room_for(m / 8, 1),
        .text_offset = room_for(texts + 1, 8),
        .text_bytes = room_for(texts + 1, TEXT_ROOM),
    };
    memset(number_of, -1, model->universe * sizeof *number_of);
    for (int64_t i = count - 1; i >= 0; i--) { /* texts are numbered from the end */
        put_id(model, edge[i].source, number_of, &c, c.source, c.source_text, i);
        put_id(model, edge[i].target, number_of, &c, c.target, c.target_text, i);
        c.edge_id[i] = edge[i].id;
        c.integer[i] = edge[i].weight;
        c.real[i] = edge[i].real;
    }
    free(number_of);
    c.edges.count = count;
    c.edges.source = (gpugraph_id_column){c.source, c.source_text};
    c.edges.target = (gpugraph_id_column){c.target, c.target_text};
    c.edges.edge_id = c.edge_id;
    c.edges.texts.offset = c.text_offset;
    c.edges.texts.bytes = c.text_bytes;
    if (model->weights == MODEL_REAL) {
        c.edges.weight_type = GPUGRAPH_REAL_WEIGHTS;
        c.edges.weight = c.real;
    } else if (model->weights != MODEL_UNWEIGHTED) {
        c.edges.weight_type = GPUGRAPH_INTEGER_WEIGHTS;
        c.edges.weight = c.integer;
    }
    narrow_some(&c, count);
    return c;
}

void model_columns_free(model_columns *c) {
    free(c->source);
    free(c->narrow[0]);
    free(c->narrow[1]);
    free(c->narrow[2]);
    free(c->target);
    free(c->edge_id);
    free(c->integer);
    free(c->real);
    free(c->source_text);
    free(c->target_text);
    free(c->text_offset);
    free(c->text_bytes);
}

gpugraph_graph *model_graph(const edge_model *model, int threads) {
    model_columns columns = model_columns_of(model, model->edge, model->count);
    gpugraph_run run = {.threads = threads};
    gpugraph_graph *graph;
    if (gpugraph_create(&columns.edges, &run, &graph)) {
        fprintf(stderr, "%s\n", run.message);
        abort();
    }
    model_columns_free(&columns);
    return graph;
}

/* ---- batches ---- */

static bool equal_edges(const model_edge *a, const model_edge *b) {
    return a->source == b->source && a->target == b->target && a->weight == b->weight &&
           memcmp(&a->real, &b->real, sizeof a->real) == 0;
}

model_batch model_batch_of(const edge_model *before, const edge_model *after) {
    model_batch batch = {.removed = room_for((uint64_t)before->count, 8)};
    model_edge *added = room_for((uint64_t)after->count, sizeof *added);
    int64_t removed = 0, i = 0, k = 0, more = 0;
    while (i < before->count || k < after->count) {
        const model_edge *old = i < before->count ? &before->edge[i] : NULL;
        const model_edge *new = k < after->count ? &after->edge[k] : NULL;
        if (old && (!new || old->id < new->id)) {
            batch.removed[removed++] = before->edge[i++].id;
        } else if (new && (!old || new->id < old->id)) {
            added[more++] = after->edge[k++];
        } else {
            if (!equal_edges(old, new)) {
                batch.removed[removed++] = old->id;
                added[more++] = *new;
            }
            i++;
            k++;
        }
    }
    batch.added = model_columns_of(after, added, more);
    free(added);
    batch.changes =
        (gpugraph_changes){.removed = batch.removed, .removed_count = removed};
    return batch;
}

void model_batch_free(model_batch *batch) {
    free(batch->removed);
    model_columns_free(&batch->added);
}

/* ---- parts of a graph ---- */

void model_make_slots(gpugraph_graph *graph, uint64_t which) {
    gpugraph_run run = {.threads = 1};
    csr view;
    gg_begin(&run);
    for (int kind = 0; kind < CSR_KINDS; kind++, which >>= 3)
        if (which & 1)
            gg_rows(graph, (enum csr_kind)kind, which & 2, which & 4, &run, &view);
    gg_limits.room_arcs = which & 8 ? 0 : gg_usual_limits.room_arcs;
    gg_limits.gap_shift = which & 8 ? (which & 2 ? 1 : 3) : gg_usual_limits.gap_shift;
    if (which & 1)
        gg_edge_rows(graph, &run);
    for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++)
        if ((which & (side ? 4 : 2)) && gpugraph_keeps_arcs(graph))
            gg_adjacency(graph, (gpugraph_direction)side, &run);
    if (run.status)
        abort();
}

typedef struct arc {
    uint32_t target;
    uint64_t weight;
} arc;

static int compare_arcs(const void *a, const void *b) {
    const arc *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

/* Gets the arcs of a row in order; rows marked as sorted must be in order of targets. */
static bool take_row(const struct csr_slot *slot, uint32_t v, size_t weight, arc *row) {
    uint64_t begin = slot->offset[v], count = gg_row_end(slot, v) - begin;
    bool falls = false;
    for (uint64_t k = 0; k < count; k++) {
        row[k] = (arc){slot->target[begin + k], 0};
        if (slot->weight)
            memcpy(&row[k].weight, (char *)slot->weight + (begin + k) * weight, weight);
        falls |= k > 0 && row[k - 1].target > row[k].target;
    }
    qsort(row, count, sizeof *row, compare_arcs);
    return !(falls && slot->sorted);
}

/* Checks that rows, slack and dead entries take all entries, and that all are in
** range. */
static bool room_is_sound(const struct csr_slot *slot, uint32_t n) {
    uint64_t arcs = 0, taken = slot->dead;
    for (uint32_t v = 0; v < n; v++) {
        uint64_t end = slot->end[v] + slot->spare[v];
        if (slot->offset[v] > slot->end[v] || end > slot->used)
            return false;
        arcs += slot->end[v] - slot->offset[v];
        taken += end - slot->offset[v];
    }
    for (uint64_t k = 0; k < slot->used; k++)
        if (slot->target[k] >= n)
            return false;
    return arcs == slot->m && taken == slot->used &&
           slot->used * sizeof *slot->target <= gg_room(slot->target);
}

static const char *compare_rows(const struct csr_slot *got, const struct csr_slot *wanted,
                                uint32_t n, size_t weight) {
    const char *differs = NULL;
    if (got->m != wanted->m)
        return "the number of arcs";
    if (got->end ? !room_is_sound(got, n)
                 : memcmp(got->offset, wanted->offset, (n + (size_t)1) * 8) != 0)
        return got->end ? "the room of rows" : "offsets";
    arc *a = room_for(got->m, sizeof *a), *b = room_for(got->m, sizeof *b);
    for (uint32_t v = 0; v < n && !differs; v++) {
        uint64_t count = gg_row_end(got, v) - got->offset[v];
        if (count != gg_row_end(wanted, v) - wanted->offset[v])
            differs = "the length of a row";
        else if (!take_row(got, v, weight, a) || !take_row(wanted, v, weight, b))
            differs = "the order of a row";
        else if (memcmp(a, b, count * sizeof *a) != 0)
            differs = "a row";
    }
    free(a);
    free(b);
    return differs;
}

/* Compares the degrees that changes keep. */
static const char *compare_degrees(const gpugraph_graph *got,
                                   const gpugraph_graph *wanted) {
    uint32_t *degree = calloc(wanted->n + (size_t)1, sizeof *degree);
    for (uint64_t e = 0; e < wanted->m; e++) {
        degree[wanted->source[e]]++;
        degree[wanted->target[e]]++;
    }
    const bool equal = !got->derived.degree ||
                       !memcmp(got->derived.degree, degree, wanted->n * sizeof *degree);
    free(degree);
    return equal ? NULL : "degrees";
}

static const char *compare_arc_lists(const gpugraph_arcs *a, const gpugraph_arcs *b) {
    if (a->count != b->count)
        return "how many arcs a vertex has";
    for (uint64_t i = 0; i < a->count; i++)
        if (a->target[i] != b->target[i] ||
            a->id[i] + a->first_id != b->id[i] + b->first_id)
            return "arcs by the ids of edges";
    return NULL;
}

/* Compares row by row, with any slack behind the rows. */
static const char *compare_adjacency(gpugraph_graph *got, gpugraph_graph *wanted,
                                     gpugraph_direction side) {
    const struct adjacency *made = &got->derived.adjacency[side];
    gpugraph_run run = {.threads = 1};
    gpugraph_arcs a, b;
    const char *differs = NULL;
    if (!gg_adjacency_made(got, side))
        return NULL;
    if (made->rows.end && !room_is_sound(&made->rows, got->n))
        return "the room for arcs";
    for (uint32_t v = 0; v < got->n && !differs; v++) {
        if (side == GPUGRAPH_IN ? gpugraph_arcs_into(got, v, &run, &a) ||
                                      gpugraph_arcs_into(wanted, v, &run, &b)
                                : gpugraph_arcs_from(got, v, &run, &a) ||
                                      gpugraph_arcs_from(wanted, v, &run, &b))
            return "arcs cannot be had";
        differs = compare_arc_lists(&a, &b);
    }
    return differs;
}

/* Compares edge rows that are made, sometimes after packing them. */
static const char *compare_edge_numbers(gpugraph_graph *got, gpugraph_graph *wanted) {
    gpugraph_run run = {.threads = 1};
    const size_t size = gg_edge_size(got->wide);
    const void *a, *b;
    uint64_t count;
    if (got->m % 4 == 0)
        return gpugraph_edges_by_source(got, &run, &a) ||
                       gpugraph_edges_by_source(wanted, &run, &b) ||
                       memcmp(a, b, got->m * size) != 0
                   ? "the order of all edge numbers"
                   : NULL;
    for (uint32_t v = 0; v < got->n; v++)
        if (gpugraph_edges_from(got, v, &run, &a, &count) ||
            gpugraph_edges_from(wanted, v, &run, &b, &count) ||
            memcmp(a, b, count * size) != 0)
            return "the order of edge numbers";
    return NULL;
}

static const char *compare_slots(gpugraph_graph *got, gpugraph_graph *wanted) {
    gpugraph_run run = {.threads = 2};
    size_t weight = gg_distance_size(got->distance_type);
    gg_begin(&run);
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        const struct csr_slot *slot = &got->csr[kind];
        csr view;
        if (!slot->made)
            continue;
        gg_rows(wanted, (enum csr_kind)kind, slot->weight != NULL, slot->sorted, &run,
                &view);
        const char *differs =
            compare_rows(slot, &wanted->csr[kind], got->n, slot->weight ? weight : 0);
        if (differs)
            return differs;
    }
    const struct csr_slot *rows = &got->derived.edge_rows,
                          *others = &wanted->derived.edge_rows;
    const char *differs = compare_degrees(got, wanted);
    if (!differs)
        differs = compare_adjacency(got, wanted, GPUGRAPH_OUT);
    if (!differs)
        differs = compare_adjacency(got, wanted, GPUGRAPH_IN);
    if (differs || !rows->made)
        return differs;
    gg_edge_rows(wanted, &run);
    differs = compare_rows(rows, others, got->n, gg_edge_size(got->wide));
    return differs ? differs : compare_edge_numbers(got, wanted);
}

static bool equal(const void *a, const void *b, uint64_t count, size_t size) {
    if (!a != !b)
        return false;
    return !a || count == 0 || memcmp(a, b, count * size) == 0;
}

const char *kept_texts_differ(const gpugraph_graph *graph) {
    const gpugraph_ids *ids = &graph->ids;
    for (uint64_t t = 0; t < (uint64_t)ids->texts.count; t++) {
        const gpugraph_id id = gpugraph_id_of(ids, ids->integer_count + (uint32_t)t);
        if (gg_number_of(graph, &id) != ids->integer_count + t ||
            gg_texts_below(&ids->texts, id.text, id.length) != t)
            return "the number of a text";
    }
    return NULL;
}

static uint32_t find_id(const gpugraph_graph *graph, const gpugraph_id *id) {
    return id->is_text ? gpugraph_find_text(graph, id->text, id->length)
                       : gpugraph_find_integer(graph, id->integer);
}

static bool same_id(const gpugraph_id *a, const gpugraph_id *b) {
    return a->is_text == b->is_text && a->integer == b->integer &&
           a->length == b->length &&
           (a->length == 0 || !memcmp(a->text, b->text, a->length));
}

/* number: of each vertex of `wanted`, its number in `got`. */
static const char *compare_ids(const gpugraph_graph *got, const gpugraph_graph *wanted,
                               uint32_t *number) {
    const uint32_t *tombstone;
    const uint64_t tombstones = gpugraph_tombstones(got, &tombstone);
    if (got->n - tombstones != wanted->n)
        return "the number of vertices";
    for (uint32_t v = 0; v < wanted->n; v++) {
        const gpugraph_id id = gpugraph_id_of(&wanted->ids, v);
        number[v] = find_id(got, &id);
        if (number[v] >= got->n)
            return "a vertex is not found";
        const gpugraph_id there = gpugraph_id_of(&got->ids, number[v]);
        if (!same_id(&id, &there))
            return "an id";
        if (!model_is_loose(got) && number[v] != v)
            return "the order of vertices";
    }
    for (uint64_t i = 0; i < tombstones; i++) {
        const gpugraph_id id = gpugraph_id_of(&got->ids, tombstone[i]);
        if ((i > 0 && tombstone[i] <= tombstone[i - 1]) ||
            find_id(got, &id) != GPUGRAPH_NONE)
            return "a tombstone";
    }
    return NULL;
}

/* Compares edges one by one, since they may have gaps between them. */
static const char *compare_each_edge(const gpugraph_graph *got,
                                     const gpugraph_graph *wanted) {
    for (uint64_t e = 0; e < wanted->m; e++) {
        const gpugraph_edge a = gpugraph_edge_of(got, e), b = gpugraph_edge_of(wanted, e);
        if (a.source != b.source || a.target != b.target || a.id != b.id)
            return "the ends or the id of an edge";
        if (a.weight != b.weight || memcmp(&a.real, &b.real, sizeof a.real) != 0)
            return "the weight of an edge";
        if (gpugraph_find_edge(got, b.id) != gpugraph_find_edge(wanted, b.id))
            return "the edge of an id";
    }
    return NULL;
}

/* Checks that no block has more edges than entries. */
static bool gaps_are_sound(const gpugraph_graph *graph) {
    const struct edge_gaps *g = &graph->gaps;
    bool sound = !g->made ||
                 (!graph->source && !graph->target && !graph->weight && !graph->edge_id &&
                  g->start[g->blocks] == graph->m && g->blocks <= g->block_room);
    for (uint64_t b = 0; g->made && b < g->blocks; b++) {
        const uint64_t count = g->start[b + 1] - g->start[b];
        sound &= g->start[b] <= g->start[b + 1] && count <= (uint64_t)1 << g->shift &&
                 (b << g->shift) + count <= g->places;
    }
    return sound;
}

/* A graph of the edges of `wanted` with the vertex numbers of `got`. */
static gpugraph_graph *renumbered(const gpugraph_graph *got, const gpugraph_graph *wanted,
                                  const uint32_t *number) {
    const uint64_t m = wanted->m;
    const bool real = wanted->edges.weight_type == GPUGRAPH_REAL_WEIGHTS;
    int64_t *block = room_for(4 * m + got->n, sizeof *block), *source = block,
            *target = block + m, *id = block + 2 * m, *weight = block + 3 * m,
            *all = block + 4 * m;
    for (uint64_t e = 0; e < m; e++) {
        const gpugraph_edge edge = gpugraph_edge_of(wanted, e);
        source[e] = number[edge.source];
        target[e] = number[edge.target];
        id[e] = edge.id;
        weight[e] = edge.weight;
        if (real)
            memcpy(&weight[e], &edge.real, sizeof edge.real);
    }
    for (uint32_t v = 0; v < got->n; v++)
        all[v] = v;
    const gpugraph_edges edges = {
        .count = (int64_t)m,
        .source = {source, NULL},
        .target = {target, NULL},
        .edge_id = wanted->edge_id ? id : NULL,
        .weight_type = wanted->edges.weight_type,
        .weight = wanted->edges.weight_type == GPUGRAPH_UNWEIGHTED ? NULL : weight,
        .vertex_count = got->n,
        .vertex = {all, NULL}};
    gpugraph_run run = {.threads = 1};
    gpugraph_graph *made;
    if (gpugraph_create(&edges, &run, &made))
        abort();
    free(block);
    return made;
}

static const char *compare_graphs(gpugraph_graph *got, gpugraph_graph *wanted) {
    const char *differs = NULL;
    if (got->m != wanted->m)
        return "the number of edges";
    if (!gaps_are_sound(got))
        return "the gaps between edges";
    if (gg_has_gaps(got))
        differs = compare_each_edge(got, wanted);
    if (!differs && gg_has_gaps(got) && got->m % 3)
        return compare_slots(got, wanted);
    if (differs)
        return differs;
    const gpugraph_edge_list *a = gpugraph_edges_of(got), *b = gpugraph_edges_of(wanted);
    if (got->wide != wanted->wide)
        return "the width of edge numbers";
    if (got->m != wanted->m || a->weight_type != b->weight_type ||
        got->distance_type != wanted->distance_type)
        return "the number of edges, or the type of weights";
    if (!equal(a->source, b->source, got->m, 4) ||
        !equal(a->target, b->target, got->m, 4))
        return "the ends of edges";
    if (!equal(a->edge_id, b->edge_id, got->m, 8))
        return "edge ids";
    if (!equal(a->weight32, b->weight32, got->m, 4) ||
        !equal(a->weight64, b->weight64, got->m, 8) ||
        !equal(a->weight_real, b->weight_real, got->m, 8))
        return "weights";
    if (a->source != got->source || a->target != got->target ||
        a->edge_id != got->edge_id)
        return "where the arrays are";
    if (got->host_bytes != gg_graph_bytes(got))
        return "the bytes that are held";
    return compare_slots(got, wanted);
}

bool model_is_loose(const gpugraph_graph *graph) {
    return gpugraph_tombstones(graph, NULL) > 0 || gpugraph_later_vertices(graph) > 0;
}

gpugraph_graph *model_in_numbers_of(const gpugraph_graph *got,
                                    const gpugraph_graph *wanted) {
    uint32_t *number = room_for(wanted->n, sizeof *number);
    gpugraph_graph *made =
        compare_ids(got, wanted, number) ? NULL : renumbered(got, wanted, number);
    free(number);
    return made;
}

const char *same_graph(gpugraph_graph *got, gpugraph_graph *wanted) {
    uint32_t *number = room_for(wanted->n, sizeof *number);
    const char *differs = compare_ids(got, wanted, number);
    gpugraph_graph *other = NULL;
    if (!differs && model_is_loose(got))
        other = renumbered(got, wanted, number);
    if (!differs)
        differs = compare_graphs(got, other ? other : wanted);
    gpugraph_free(other);
    free(number);
    return differs;
}

/* ---- answers ---- */

static const char *compare_search(gpugraph_graph *got, gpugraph_graph *wanted,
                                  const gpugraph_search *search, bool weighted) {
    gpugraph_run run = {.threads = 1, .backend = GPUGRAPH_CPU};
    uint64_t n = got->n;
    void *value[2] = {room_for(n, 8), room_for(n, 8)};
    size_t edge_size = gpugraph_edge_size(got);
    void *tree[2] = {room_for(n, edge_size), room_for(n, edge_size)};
    gpugraph_status status[2];
    for (int i = 0; i < 2; i++) {
        gpugraph_graph *graph = i ? wanted : got;
        status[i] = weighted ? gpugraph_sssp(graph, search, &run, value[i], tree[i])
                             : gpugraph_bfs(graph, search, &run, value[i], tree[i]);
    }
    bool differs = status[0] != status[1] ||
                   (!status[0] && (memcmp(value[0], value[1], n * 8) != 0 ||
                                   memcmp(tree[0], tree[1], n * edge_size) != 0));
    for (int i = 0; i < 2; i++) {
        free(value[i]);
        free(tree[i]);
    }
    return !differs ? NULL : weighted ? "shortest paths" : "breadth-first search";
}

static const char *compare_answers(gpugraph_graph *got, gpugraph_graph *wanted,
                                   uint64_t dice) {
    if (got->n == 0)
        return NULL;
    uint32_t source = (uint32_t)(dice % got->n);
    gpugraph_search search = {.source = &source,
                              .source_count = 1,
                              .direction = (gpugraph_direction)(dice / 7 % 3),
                              .max_depth = GPUGRAPH_NONE};
    gpugraph_run run = {.threads = 1, .backend = GPUGRAPH_CPU};
    const char *differs = compare_search(got, wanted, &search, false);
    if (!differs && gg_has_weights(got))
        differs = compare_search(got, wanted, &search, true);
    if (model_is_loose(got)) /* a set depends on the order of vertices */
        return differs;
    uint8_t *member[2] = {room_for(got->n, 1), room_for(got->n, 1)};
    gpugraph_mis(got, GPUGRAPH_BY_DEGREE, 1, &run, member[0]);
    gpugraph_mis(wanted, GPUGRAPH_BY_DEGREE, 1, &run, member[1]);
    if (!differs && memcmp(member[0], member[1], got->n) != 0)
        differs = "the independent set";
    free(member[0]);
    free(member[1]);
    return differs;
}

const char *same_answers(gpugraph_graph *got, gpugraph_graph *wanted, uint64_t dice) {
    if (!model_is_loose(got))
        return compare_answers(got, wanted, dice);
    gpugraph_graph *other = model_in_numbers_of(got, wanted);
    const char *differs = other ? compare_answers(got, other, dice) : "ids";
    gpugraph_free(other);
    return differs;
}
