/* The column arrays. What the search has made is held, not copied. What belongs to the graph, which
** may change or go, is made anew here: ids of vertices, parents and edge ids from the tree.
**
**     arrays      depth[v]  tree_edge[v]  preorder[v]      held     as they are
**     graph       ids, ends of edges, edge ids             made     vertex, parent, edge
**
** Where a bound leaves out vertices that the search has reached (it may serve wider ones, too),
** values are copied without them, so that arrays say what rows would. */
#include "hand_out.h"
#include "array_block.h"
#include "base/scalar_functions.h"
#include "brief_lock.h"
#include "gpugraph_extension.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MADE = 8 };

/* Vertices that one thread fills at a time: a tenth of a millisecond of work. */
enum { FILLED_AT_ONCE = 1 << 15 };

typedef struct handed {
    gpugraph_arrays arrays; /* the first, so that its address is the whole's */
    struct handed *next;    /* in the list */
    sqlite3_int64 number;
    struct arrays *found;
    void *made[MOST_MADE]; /* from array_block_for */
    int made_count;
    gpugraph_run run; /* while they are made: its status */
} handed;

static struct {
    gg_brief_lock lock;
    handed *first;
} waiting;

static void handed_free(handed *h) {
    if (h->found)
        arrays_free(h->found);
    for (int i = 0; i < h->made_count; i++)
        free(h->made[i]);
    free(h);
}

static void list_hand_out(handed *h) {
    gg_lock(&waiting.lock);
    h->next = waiting.first;
    waiting.first = h;
    gg_unlock(&waiting.lock);
}

static handed *unlist(sqlite3_int64 number) {
    handed **at = &waiting.first, *h;
    gg_lock(&waiting.lock);
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    h = *at;
    if (h)
        *at = h->next;
    gg_unlock(&waiting.lock);
    return h;
}

__attribute__((visibility("default"))) const gpugraph_arrays *
gpugraph_take_arrays(sqlite3_int64 number) {
    handed *h = unlist(number);
    return h ? &h->arrays : NULL;
}

__attribute__((visibility("default"))) void
gpugraph_free_arrays(const gpugraph_arrays *arrays) {
    if (arrays)
        handed_free((handed *)arrays);
}

void hand_out_forget(connection *c) {
    handed *h = c->handed ? unlist(c->handed) : NULL;
    c->handed = 0;
    if (h)
        handed_free(h);
}

/* ---- what is made ---- */

static void *make_bytes(handed *h, uint64_t count, size_t size) {
    void *made = array_block_for(&h->run, count, size);
    if (made)
        h->made[h->made_count++] = made;
    return made;
}

static void add(handed *h, const char *name, const void *item, size_t size,
                gpugraph_array_kind kind) {
    if (item)
        h->arrays.column[h->arrays.columns++] =
            (gpugraph_array){name, item, (int32_t)size, (int32_t)kind};
}

static void make_ids(handed *h, const gpugraph_ids *ids) {
    const uint64_t integers = ids->integer_count, texts = h->arrays.count - integers;
    int64_t *integer = make_bytes(h, integers, sizeof *integer);
    uint64_t *offset = make_bytes(h, texts + 1, sizeof *offset);
    uint64_t bytes = 0, length;
    for (uint64_t t = 0; t < texts && h->run.status == GPUGRAPH_OK; t++) {
        gpugraph_text(&ids->texts, t, &length);
        offset[t] = bytes;
        bytes += length;
    }
    char *text = make_bytes(h, bytes, 1);
    if (h->run.status != GPUGRAPH_OK)
        return;
    if (ids->integer && integers)
        memcpy(integer, ids->integer, integers * sizeof *integer);
    for (uint64_t v = 0; v < integers && !ids->integer; v++)
        integer[v] = ids->first_integer + (int64_t)v;
    offset[texts] = bytes;
    for (uint64_t t = 0; t < texts; t++) {
        const char *from = gpugraph_text(&ids->texts, t, &length);
        if (length)
            memcpy(text + offset[t], from, length);
    }
    h->arrays.integer_count = integers;
    h->arrays.integer = integer;
    h->arrays.text_offset = offset;
    h->arrays.text = text;
}

/* What is made for each vertex by itself; NULL: not wanted. */
typedef struct filling {
    const gpugraph_graph *graph;
    const int64_t *edge_id; /* as in gpugraph_edge_list */
    const arrays *found;
    const bound *most;
    bool all; /* every vertex that was reached has a row */
    void *value;
    uint32_t *parent, *root;
    int64_t *edge;
} filling;

static void fill_value(const filling *f, bool counts, uint64_t v) {
    const void *from = f->found->array[A_VALUE];
    if (f->found->type == GPUGRAPH_UINT32)
        ((uint32_t *)f->value)[v] = counts ? ((const uint32_t *)from)[v] : UINT32_MAX;
    else if (f->found->type == GPUGRAPH_UINT64)
        ((uint64_t *)f->value)[v] = counts ? ((const uint64_t *)from)[v] : UINT64_MAX;
    else
        ((double *)f->value)[v] = counts ? ((const double *)from)[v] : INFINITY;
}

static void fill_hand_out(void *job, uint64_t low, uint64_t high) {
    const filling *f = job;
    const void *tree = f->found->array[A_TREE_EDGE];
    const uint32_t *root = f->found->array[A_ROOT];
    for (uint64_t v = low; v < high; v++) {
        const bool counts = f->all || row_counts(f->found, f->most, (uint32_t)v);
        uint64_t edge =
            tree && counts ? gpugraph_edge_at(f->graph, tree, v) : GPUGRAPH_NO_EDGE;
        bool none = edge == GPUGRAPH_NO_EDGE;
        if (f->parent)
            f->parent[v] =
                none ? GPUGRAPH_NONE : gpugraph_other_end(f->graph, edge, (uint32_t)v);
        if (f->edge)
            f->edge[v] = none ? 0 : f->edge_id ? f->edge_id[edge] : (int64_t)edge + 1;
        if (f->root)
            f->root[v] = counts ? root[v] : GPUGRAPH_NONE;
        if (f->value)
            fill_value(f, counts, v);
    }
}

/* ---- columns ---- */

static void add_number(handed *h, const char *name, enum array_name array) {
    add(h, name, h->found->array[array], 4, GPUGRAPH_ARRAY_NUMBER);
}

static void add_own(handed *h, const table_function *f) {
    static const gpugraph_array_kind kinds[] = {
        [OWN_NUMBER] = GPUGRAPH_ARRAY_NUMBER,
        [OWN_VERTEX] = GPUGRAPH_ARRAY_VERTEX,
        [OWN_COUNT] = GPUGRAPH_ARRAY_NUMBER,
        [OWN_REAL] = GPUGRAPH_ARRAY_REAL,
    };
    for (int i = 0; i < OWN_COLUMNS; i++) {
        const enum array_name array = (enum array_name)(A_OWN + i);
        if (f->own[i].name)
            add(h, f->own[i].name, h->found->array[array],
                arrays_item_size(h->found, array), kinds[f->own[i].kind]);
    }
}

static void add_value(handed *h, const table_function *f, const void *value) {
    for (int i = 0; i < f->visible; i++)
        if (f->field[i] == F_DEPTH || f->field[i] == F_DISTANCE)
            add(h, field_name(f, f->field[i]), value, arrays_item_size(h->found, A_VALUE),
                h->found->type == GPUGRAPH_REAL ? GPUGRAPH_ARRAY_REAL
                                                : GPUGRAPH_ARRAY_NUMBER);
}

/* Parents, edge ids and sources from the tree; values, where a bound leaves some out. */
static void add_filled(handed *h, const arguments *a, const answer *s) {
    const arrays *found = h->found;
    const gpugraph_graph *graph = s->graph->graph;
    const uint64_t n = h->arrays.count;
    const bool tree = found->array[A_TREE_EDGE], bounded = a->bound.given;
    filling f = {.graph = graph, .found = found, .most = &a->bound, .all = !bounded};
    if (tree && a->plan & PLAN_PARENTS && !found->array[A_PARENT])
        f.parent = make_bytes(h, n, sizeof *f.parent);
    if (tree && a->plan & PLAN_EDGES && !s->graph->unnamed && !s->graph->row_ids) {
        f.edge_id = gpugraph_edges_of(graph)->edge_id;
        f.edge = make_bytes(h, n, sizeof *f.edge);
    }
    if (found->array[A_ROOT] && a->plan & PLAN_ROOTS && bounded)
        f.root = make_bytes(h, n, sizeof *f.root);
    if (found->array[A_VALUE] && bounded)
        f.value = make_bytes(h, n, arrays_item_size(found, A_VALUE));
    if (h->run.status != GPUGRAPH_OK)
        return;
    if (f.parent || f.edge || f.root || f.value)
        gg_chunks(gg_team_limit(s->by->c->config.threads), n, FILLED_AT_ONCE,
                  fill_hand_out, &f);
    if (found->array[A_VALUE])
        add_value(h, s->by->function, f.value ? f.value : found->array[A_VALUE]);
    if (a->plan & PLAN_PARENTS)
        add(h, "parent", f.parent ? f.parent : found->array[A_PARENT], 4,
            GPUGRAPH_ARRAY_VERTEX);
    add(h, "edge", f.edge, 8, GPUGRAPH_ARRAY_EDGE);
    if (a->plan & PLAN_ROOTS)
        add(h, "source", f.root ? (const void *)f.root : found->array[A_ROOT], 4,
            GPUGRAPH_ARRAY_VERTEX);
}

/* Its run says how it went. NULL: no memory. */
static handed *hand_out(const arguments *a, const answer *s) {
    handed *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    connection_run(s->by->c, &h->run);
    arrays_count(s->arrays, &h->run);
    arrays_hold(s->arrays);
    h->found = s->arrays;
    h->arrays.count = s->arrays->n;
    make_ids(h, gpugraph_vertex_ids(s->graph->graph));
    add_filled(h, a, s);
    if (a->plan & PLAN_PREORDER)
        add_number(h, "preorder", A_PREORDER);
    if (a->plan & PLAN_POSTORDER)
        add_number(h, "postorder", A_POSTORDER);
    add(h, "member", s->arrays->array[A_MEMBER], 1, GPUGRAPH_ARRAY_MEMBER);
    add_own(h, s->by->function);
    return h;
}

static void hand_out_failed(sqlite3_context *context, const answer *s, handed *h) {
    char *sentence =
        h ? sqlite3_mprintf("%s: %s", s->by->function->name, h->run.message) : NULL;
    function_fail_with(context, sentence ? code_of_status(h->run.status) : SQLITE_NOMEM,
                       sentence);
    if (h)
        handed_free(h);
}

void result_arrays(sqlite3_context *context, rows *r, const arguments *a,
                   const answer *s) {
    connection *c = s->by->c;
    if (a->has_target) {
        function_fail(context,
                      sqlite3_mprintf("%s: arrays are those of a whole search: leave "
                                      "the target out",
                                      s->by->function->name));
        return;
    }
    if (r->handed == 0) {
        hand_out_forget(c);
        handed *h = hand_out(a, s);
        if (!h || h->run.status != GPUGRAPH_OK) {
            hand_out_failed(context, s, h);
            return;
        }
        while (h->number == 0) {
            sqlite3_randomness(sizeof h->number, &h->number);
            h->number &= INT64_MAX;
        }
        list_hand_out(h);
        r->handed = c->handed = h->number;
    }
    sqlite3_result_int64(context, r->handed);
}
