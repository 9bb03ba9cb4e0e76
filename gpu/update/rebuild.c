/* A graph made anew from the edges of another and a batch of changes, by way of the ids.
**
**     edges that stay   + 2 . 5 7 .      their ids from the vertex numbers
**     edges added       +   3     9      their ids as given, texts that the graph has by its
**                         ---------      number for them, others after those
**     columns             2 3 5 7 9  ->  gpugraph_create
**
** and a column of vertices that need no edge: those that none names, and what the batch says. */
#include "ids/ids.h"
#include "update.h"

#include <string.h>

typedef struct rebuild {
    const gpugraph_graph *graph;
    const gpugraph_changes *changes;
    const gpugraph_edges *added; /* never NULL */
    gpugraph_run *run;
    int64_t m;
    int64_t *source, *target, *edge_id, *weight;
    uint8_t *source_text, *target_text;
    int64_t *text_number; /* of the added edges' texts among all */
    uint64_t *text_offset;
    char *text_bytes;
    int64_t texts;
    gpugraph_weight_type type;
    int64_t *lone; /* vertices that need no edge */
    uint8_t *lone_text;
    int64_t lone_count;
} rebuild;

static bool text_at(const gpugraph_id_column *column, int64_t i) {
    return column->is_text && (column->is_text[i / 8] >> (i % 8) & 1);
}

/* The graph's texts, then those of the added edges that it lacks. */
static void join_texts(rebuild *r) {
    const gpugraph_texts *mine = &r->graph->ids.texts, *more = &r->added->texts;
    uint64_t known = (uint64_t)mine->count, bytes = 0, length;
    uint64_t room = gg_text_bytes(mine) + gg_text_bytes(more);
    r->text_number = gg_alloc(r->run, (uint64_t)more->count, sizeof *r->text_number);
    if (r->text_number)
        r->text_offset =
            gg_alloc(r->run, known + (uint64_t)more->count + 1, sizeof *r->text_offset);
    if (r->text_offset)
        r->text_bytes = gg_alloc(r->run, room, 1);
    if (!r->text_bytes)
        return;
    r->text_offset[0] = 0;
    for (uint64_t t = 0; t < known; t++) {
        const char *text = gpugraph_text(mine, t, &length);
        if (length)
            memcpy(r->text_bytes + bytes, text, length);
        r->text_offset[t + 1] = bytes += length;
    }
    r->texts = mine->count;
    for (int64_t t = 0; t < more->count; t++) {
        const char *text = gpugraph_text(more, (uint64_t)t, &length);
        uint32_t v = gg_number_of_text(r->graph, text, length);
        r->text_number[t] =
            v == GPUGRAPH_NONE ? r->texts : (int64_t)v - r->graph->ids.integer_count;
        if (v != GPUGRAPH_NONE)
            continue;
        if (length)
            memcpy(r->text_bytes + bytes, text, length);
        r->text_offset[++r->texts] = bytes += length;
    }
}

static void put_known(const rebuild *r, int64_t at, uint32_t v, int64_t *value,
                      uint8_t *is_text) {
    const gpugraph_ids *ids = &r->graph->ids;
    if (v >= ids->integer_count) {
        value[at] = (int64_t)(v - ids->integer_count);
        is_text[at / 8] |= (uint8_t)(1 << at % 8);
    } else {
        value[at] = ids->integer ? ids->integer[v] : ids->first_integer + (int64_t)v;
    }
}

static bool put_added(const rebuild *r, int64_t at, const gpugraph_id_column *column,
                      int64_t i, int64_t *value, uint8_t *is_text) {
    value[at] = gg_id_at(column, (uint64_t)i);
    if (!text_at(column, i))
        return true;
    if (value[at] < 0 || value[at] >= r->added->texts.count) {
        gg_fail(r->run, GPUGRAPH_INVALID, "text number %lld is not one of the %lld texts",
                (long long)value[at], (long long)r->added->texts.count);
        return false;
    }
    value[at] = r->text_number[value[at]];
    is_text[at / 8] |= (uint8_t)(1 << at % 8);
    return true;
}

/* The weight of one edge as 64 bits of the columns' type. */
static int64_t weight_bits(gpugraph_weight_type from, gpugraph_weight_type to,
                           int64_t integer, double real) {
    int64_t bits = integer;
    if (to != GPUGRAPH_REAL_WEIGHTS)
        return bits;
    if (from == GPUGRAPH_INTEGER_WEIGHTS)
        real = (double)integer;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static void put_edge(const rebuild *r, int64_t at, int64_t old, int64_t new) {
    const gpugraph_edge_list *mine = &r->graph->edges;
    const gpugraph_edges *added = r->added;
    if (new < 0) {
        put_known(r, at, mine->source[old], r->source, r->source_text);
        put_known(r, at, mine->target[old], r->target, r->target_text);
        r->edge_id[at] = r->changes->before ? at + 1
                         : mine->edge_id    ? mine->edge_id[old]
                                            : old + 1;
        if (r->type)
            r->weight[at] = weight_bits(mine->weight_type, r->type,
                                        mine->weight32   ? (int64_t)mine->weight32[old]
                                        : mine->weight64 ? mine->weight64[old]
                                                         : 0,
                                        mine->weight_real ? mine->weight_real[old] : 0);
        return;
    }
    if (!put_added(r, at, &added->source, new, r->source, r->source_text) ||
        !put_added(r, at, &added->target, new, r->target, r->target_text))
        return;
    r->edge_id[at] = r->changes->before ? at + 1 : added->edge_id[new];
    if (r->type)
        r->weight[at] = weight_bits(added->weight_type, r->type,
                                    added->weight_type == GPUGRAPH_INTEGER_WEIGHTS
                                        ? gg_integer_weight(added, (uint64_t) new)
                                        : 0,
                                    added->weight_type == GPUGRAPH_REAL_WEIGHTS
                                        ? ((const double *)added->weight)[new]
                                        : 0);
}

/* Of the edge of this number and id: does the added one come first? */
static bool comes_before(const rebuild *r, int64_t added, int64_t e, int64_t id) {
    return r->changes->before ? r->changes->before[added] <= (uint64_t)e
                              : r->added->edge_id[added] < id;
}

static void fill_columns(const rebuild *r) {
    const gpugraph_edge_list *mine = &r->graph->edges;
    int64_t removed = 0, added = 0, at = 0;
    for (int64_t e = 0; e < (int64_t)r->graph->m && !gg_leave(r->run, (uint64_t)e); e++) {
        int64_t id = mine->edge_id ? mine->edge_id[e] : e + 1;
        if (removed < r->changes->removed_count && r->changes->removed[removed] == id) {
            removed++;
            continue;
        }
        while (added < r->added->count && comes_before(r, added, e, id))
            put_edge(r, at++, 0, added++);
        put_edge(r, at++, e, -1);
    }
    while (added < r->added->count)
        put_edge(r, at++, 0, added++);
}

/* ---- vertices that need no edge ---- */

static void mark(uint64_t *marks, uint32_t v) {
    marks[v / 64] |= (uint64_t)1 << v % 64;
}

/* Marks the vertices that need not stay: edges name them now, they are loose, or gone already. Those that
** edges go on naming come by these; those that are kept are put beside them. */
static uint64_t *mark_others(const rebuild *r) {
    const gpugraph_graph *graph = r->graph;
    uint64_t *marks = gg_alloc_zero(r->run, graph->n / 64 + (uint64_t)1, sizeof *marks);
    for (uint64_t e = 0; marks && e < graph->m && !gg_leave(r->run, e); e++) {
        mark(marks, graph->source[e]);
        mark(marks, graph->target[e]);
    }
    for (int64_t i = 0; marks && i < r->changes->loose_count; i++)
        mark(marks, r->changes->loose[i]);
    for (uint64_t i = 0; marks && i < graph->id.unused.count; i++)
        mark(marks, graph->id.unused.vertex[i]);
    return marks;
}

static void fill_lone(rebuild *r, const uint64_t *marks) {
    const gpugraph_changes *changes = r->changes;
    for (uint32_t v = 0; v < r->graph->n; v++)
        if (!(marks[v / 64] >> v % 64 & 1))
            put_known(r, r->lone_count++, v, r->lone, r->lone_text);
    for (int64_t i = 0; i < changes->kept_count; i++)
        put_known(r, r->lone_count++, changes->kept[i], r->lone, r->lone_text);
    for (int64_t i = 0; i < r->added->vertex_count; i++)
        if (!put_added(r, r->lone_count++, &r->added->vertex, i, r->lone, r->lone_text))
            return;
}

static void list_lone(rebuild *r) {
    uint64_t *marks = mark_others(r);
    uint64_t most =
        r->graph->n + (uint64_t)r->changes->kept_count + (uint64_t)r->added->vertex_count;
    r->lone = marks ? gg_alloc(r->run, most, sizeof *r->lone) : NULL;
    r->lone_text = r->lone ? gg_alloc_zero(r->run, most / 8 + 1, 1) : NULL;
    if (r->lone_text && !gg_stopping(r->run))
        fill_lone(r, marks);
    gg_release(marks);
}

/* ---- all of it ---- */

static void make_rebuild(rebuild *r, gpugraph_graph **graph) {
    uint64_t m = (uint64_t)r->m;
    join_texts(r);
    r->source = gg_stopping(r->run) ? NULL : gg_alloc(r->run, m, sizeof *r->source);
    r->target = r->source ? gg_alloc(r->run, m, sizeof *r->target) : NULL;
    r->edge_id = r->target ? gg_alloc(r->run, m, sizeof *r->edge_id) : NULL;
    r->weight = r->edge_id ? gg_alloc(r->run, m, sizeof *r->weight) : NULL;
    r->source_text = r->weight ? gg_alloc_zero(r->run, m / 8 + 1, 1) : NULL;
    r->target_text = r->source_text ? gg_alloc_zero(r->run, m / 8 + 1, 1) : NULL;
    if (!r->target_text)
        return;
    fill_columns(r);
    if (!gg_stopping(r->run))
        list_lone(r);
    if (gg_stopping(r->run))
        return;
    gpugraph_edges edges = {
        .count = r->m,
        .source = {r->source, r->source_text, NULL},
        .target = {r->target, r->target_text, NULL},
        .weight_type = r->type,
        .weight = r->type ? r->weight : NULL,
        .edge_id = r->edge_id,
        .texts = {.count = r->texts, .offset = r->text_offset, .bytes = r->text_bytes},
        .vertex = {r->lone, r->lone_text, NULL},
        .vertex_count = r->lone_count,
    };
    gpugraph_create(&edges, r->run, graph);
}

gpugraph_status gg_rebuild(const gpugraph_graph *graph, const gpugraph_changes *changes,
                           gpugraph_weight_type type, gpugraph_run *run,
                           gpugraph_graph **rebuilt) {
    static const gpugraph_edges none;
    rebuild r = {.graph = graph, .changes = changes, .run = run, .type = type};
    r.added = changes->added ? changes->added : &none;
    r.m = (int64_t)graph->m - changes->removed_count + r.added->count;
    *rebuilt = NULL;
    make_rebuild(&r, rebuilt);
    gg_release(r.source);
    gg_release(r.target);
    gg_release(r.edge_id);
    gg_release(r.weight);
    gg_release(r.source_text);
    gg_release(r.target_text);
    gg_release(r.text_number);
    gg_release(r.text_offset);
    gg_release(r.text_bytes);
    gg_release(r.lone);
    gg_release(r.lone_text);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}
