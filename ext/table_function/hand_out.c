/* The column arrays. The program shares the arrays of the search. The graph may change or
** go, so everything that depends on it is computed here: ids of vertices, parents, ids of
** edges.
**
**     arrays of the search      depth[v]  tree_edge[v]  preorder[v]    shared
**     graph                     ids, ends of edges, edge ids           computed: vertex,
**                                                                      parent, edge */
#include "rows.h"
#include "base/module.h"
#include "brief_lock.h"
#include "gpugraph_extension.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MADE = 8 };

/* Vertices that a thread fills at a time, in about 0.1 ms. */
enum { FILLED_AT_ONCE = 1 << 15 };

typedef struct handed {
    gpugraph_arrays arrays; /* first, so that both structs have one address */
    struct handed *next;    /* in the list */
    sqlite3_int64 number;
    struct arrays *found;
    void *made[MOST_MADE]; /* from array_block_for */
    int made_count;
    gpugraph_run run; /* for the computed arrays */
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

/* ---- computed arrays ---- */

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

/* Arrays that threads fill from the tree; NULL: not needed. */
typedef struct filling {
    const gpugraph_graph *graph;
    const int64_t *edge_id; /* as in gpugraph_edge_list */
    const void *tree;
    uint32_t *parent;
    int64_t *edge;
} filling;

static void fill_hand_out(void *job, uint64_t low, uint64_t high) {
    const filling *f = job;
    for (uint64_t v = low; v < high; v++) {
        const uint64_t edge = gpugraph_edge_at(f->graph, f->tree, v);
        const bool none = edge == GPUGRAPH_NO_EDGE;
        if (f->parent)
            f->parent[v] =
                none ? GPUGRAPH_NONE : gpugraph_other_end(f->graph, edge, (uint32_t)v);
        if (f->edge)
            f->edge[v] = none ? 0 : f->edge_id ? f->edge_id[edge] : (int64_t)edge + 1;
    }
}

/* ---- columns ---- */

static void add_held(handed *h, const table_function *f) {
    static const gpugraph_array_kind kinds[] = {
        [OWN_NUMBER] = GPUGRAPH_ARRAY_NUMBER,
        [OWN_VERTEX] = GPUGRAPH_ARRAY_VERTEX,
        [OWN_COUNT] = GPUGRAPH_ARRAY_NUMBER,
        [OWN_REAL] = GPUGRAPH_ARRAY_REAL,
    };
    for (int i = 0; i < f->visible; i++) {
        const enum array_name array = column_array(f, f->field[i]);
        if (array != NO_ARRAY)
            add(h, field_name(f, f->field[i]), h->found->array[array],
                arrays_item_size(h->found, array), kinds[arrays_kind(h->found, array)]);
    }
    add(h, "member", h->found->array[A_MEMBER], 1, GPUGRAPH_ARRAY_MEMBER);
}

/* Adds parents, edge ids and sources. */
static void add_tree(handed *h, const arguments *a, const answer *s) {
    const arrays *found = h->found;
    const uint64_t n = h->arrays.count;
    filling f = {.graph = s->graph->graph, .tree = found->array[A_TREE_EDGE]};
    if (f.tree && a->plan & PLAN_PARENTS && !found->array[A_PARENT])
        f.parent = make_bytes(h, n, sizeof *f.parent);
    if (f.tree && a->plan & PLAN_EDGES && !s->graph->unnamed && !s->graph->row_ids) {
        f.edge_id = gpugraph_edges_of(f.graph)->edge_id;
        f.edge = make_bytes(h, n, sizeof *f.edge);
    }
    if (h->run.status != GPUGRAPH_OK)
        return;
    if (f.parent || f.edge)
        gg_chunks(gg_team_limit(s->by->c->config.threads), n, FILLED_AT_ONCE,
                  fill_hand_out, &f);
    if (a->plan & PLAN_PARENTS)
        add(h, "parent", f.parent ? f.parent : found->array[A_PARENT], 4,
            GPUGRAPH_ARRAY_VERTEX);
    add(h, "edge", f.edge, 8, GPUGRAPH_ARRAY_EDGE);
    if (a->plan & PLAN_ROOTS)
        add(h, "source", found->array[A_ROOT], 4, GPUGRAPH_ARRAY_VERTEX);
}

/* The run of the result has the status. NULL: no memory. */
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
    add_held(h, s->by->function);
    add_tree(h, a, s);
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
        function_fail(
            context,
            sqlite3_mprintf(
                "%s: the column arrays needs a whole search; leave the target out",
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
        gg_lock(&waiting.lock);
        h->next = waiting.first;
        waiting.first = h;
        gg_unlock(&waiting.lock);
        r->handed = c->handed = h->number;
    }
    sqlite3_result_int64(context, r->handed);
}
