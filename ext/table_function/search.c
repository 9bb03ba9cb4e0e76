/* The arrays that searches fill, and what all searches share in filling them. */
#include "array_block.h"
#include "search.h"

#include <string.h>

/* ---- arrays ---- */

size_t arrays_item_size(const arrays *a, enum array_name array) {
    if (array == A_VALUE && a->type != GPUGRAPH_UINT32)
        return 8;
    if (array == A_VALUE && a->byte_values)
        return 1;
    if (array == A_TREE_EDGE)
        return a->edge_size;
    if (array >= A_OWN && array <= A_OWN_LAST)
        return a->own_wide >> (array - A_OWN) & 1 ? 8 : 4;
    return array == A_MEMBER ? 1 : 4;
}

void arrays_hold(arrays *a) {
    __atomic_fetch_add(&a->holders, 1, __ATOMIC_RELAXED);
}

void arrays_free(void *pointer) {
    static const arrays none;
    arrays *a = pointer;
    if (__atomic_fetch_sub(&a->holders, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    const arrays *before = a->base ? a->base : &none;
    for (int i = 0; i < ARRAYS; i++)
        if (a->array[i] != before->array[i])
            array_block_give(a->array[i]);
    for (int i = 0; i < ORDERS_MADE; i++)
        if (a->order[i].vertex != before->order[i].vertex)
            array_block_give(a->order[i].vertex);
    if (a->listed != before->listed)
        array_block_give(a->listed);
    if (a->path != before->path)
        array_block_give(a->path);
    if (a->base)
        arrays_free(a->base);
    sqlite3_free(a);
}

arrays *arrays_upon(arrays *base) {
    arrays *a = arrays_new();
    if (!a)
        return NULL;
    memcpy(a, base, offsetof(arrays, holders));
    a->base = base;
    arrays_hold(base);
    return a;
}

sqlite3_int64 arrays_bytes(const arrays *a) {
    sqlite3_int64 bytes = sizeof *a;
    for (int i = 0; i < ARRAYS; i++)
        if (a->array[i])
            bytes += (sqlite3_int64)(a->n * arrays_item_size(a, (enum array_name)i));
    if (a->listed)
        bytes += (sqlite3_int64)a->n * 4;
    for (int i = 0; i < ORDERS_MADE; i++)
        if (a->order[i].vertex)
            bytes += (sqlite3_int64)a->n * 4;
    if (a->path && a->path_edges != GPUGRAPH_NONE)
        bytes += (sqlite3_int64)(a->path_edges * a->edge_size);
    return bytes;
}

void arrays_count(const arrays *a, gpugraph_run *run) {
    run->host_memory = arrays_bytes(a) - (sqlite3_int64)sizeof *a;
}

arrays *arrays_new(void) {
    arrays *a = sqlite3_malloc64(sizeof *a);
    if (a)
        memset(a, 0, sizeof *a);
    return a;
}

/* ---- a search under way ---- */

void *make_array(making *m, enum array_name array) {
    m->made.array[array] =
        array_block_for(m->run, m->made.n, arrays_item_size(&m->made, array));
    return m->made.array[array];
}

void *make_wanted(making *m, enum array_name array) {
    return (m->q->wants >> array & 1) && !m->have->array[array] ? make_array(m, array)
                                                                : NULL;
}

void *make_own(making *m, const table_function *f, int place) {
    const enum own_kind kind = f->own[place].kind;
    if (kind == OWN_COUNT || kind == OWN_REAL)
        m->made.own_wide |= 1u << place;
    return make_array(m, (enum array_name)(A_OWN + place));
}

void note_where(making *m) {
    m->made.method = m->run->used_method;
    m->made.backend = m->run->used_backend;
}

void make_distances(making *m, gpugraph_distance_type type, distance_search *search) {
    m->made.type = type;
    void *tree = make_wanted(m, A_TREE_EDGE), *root = make_wanted(m, A_ROOT);
    if (!m->have->array[A_VALUE] || tree) {
        void *value = make_array(m, A_VALUE);
        if (m->run->status != GPUGRAPH_OK)
            return;
        search(m->graph, &m->q->search, m->run, value, tree);
        note_where(m);
    }
    if (root && m->run->status == GPUGRAPH_OK)
        gpugraph_roots(m->graph, &m->q->search, m->run,
                       tree ? tree : m->have->array[A_TREE_EDGE], root);
}

/* Makes the array of all sources, for as long as memory lasts; place[i]: source i's. */
static void make_arrays(const question *q, gpugraph_run *run, arrays **each,
                        enum array_name array, void **place) {
    for (uint32_t i = 0; i < q->search.source_count; i++) {
        place[i] = each[i]->array[array] =
            array_block_for(run, each[i]->n, arrays_item_size(each[i], array));
        if (!place[i])
            return;
    }
}

void make_distances_each(gpugraph_graph *graph, const question *q, gpugraph_run *run,
                         arrays **each, gpugraph_distance_type type,
                         distance_searches *search) {
    const bool wants_tree = q->wants & (1u << A_TREE_EDGE);
    const uint32_t count = q->search.source_count;
    void **value = array_block_for(run, 2 * count, sizeof *value), **tree;
    if (!value)
        return;
    tree = value + count;
    for (uint32_t i = 0; i < count; i++)
        each[i]->type = type;
    make_arrays(q, run, each, A_VALUE, value);
    if (wants_tree)
        make_arrays(q, run, each, A_TREE_EDGE, tree);
    if (run->status == GPUGRAPH_OK)
        search(graph, &q->search, run, value, wants_tree ? tree : NULL);
    array_block_give(value);
}

bool make_bytes_each(gpugraph_graph *graph, const question *q, gpugraph_run *run,
                     arrays **each, byte_searches *search) {
    const uint32_t count = q->search.source_count;
    void **value = array_block_for(run, count, sizeof *value);
    bool fits = true;
    if (!value)
        return fits;
    for (uint32_t i = 0; i < count; i++) {
        each[i]->type = GPUGRAPH_UINT32;
        each[i]->byte_values = true;
    }
    make_arrays(q, run, each, A_VALUE, value);
    if (run->status == GPUGRAPH_OK)
        fits = search(graph, &q->search, run, value);
    array_block_give(value);
    return fits;
}

/* Rows do: they may be on a device alone. What the search ran on is still told afterwards. */
static void look_search_at_edges(gpugraph_graph *graph, gpugraph_run *run) {
    const char *method = run->used_method, *backend = run->used_backend;
    gpugraph_bring_edges(graph, run);
    run->used_method = method;
    run->used_backend = backend;
}

making making_of(gpugraph_graph *graph, const question *q, gpugraph_run *run,
                 arrays *have) {
    making m = {.graph = graph, .q = q, .run = run, .have = have};
    arrays_count(have, run);
    m.made.n = gpugraph_vertex_count(graph);
    m.made.edge_size = gpugraph_edge_size(graph);
    run->status = GPUGRAPH_OK;
    return m;
}

/* Numbers that no vertex has get no rows. */
static void leave_unused_out(making *m) {
    const uint32_t *unused;
    const uint64_t count = gpugraph_unused_numbers(m->graph, &unused);
    uint8_t *member = m->made.array[A_MEMBER];
    if (count == 0 || m->run->status != GPUGRAPH_OK)
        return;
    if (!member) {
        member = make_array(m, A_MEMBER);
        if (!member)
            return;
        memset(member, 1, m->made.n);
    }
    for (uint64_t i = 0; i < count; i++)
        member[unused[i]] = 0;
}

gpugraph_status arrays_make(gpugraph_graph *graph, const question *q, gpugraph_run *run,
                            arrays *have) {
    making m = making_of(graph, q, run, have);
    /* A search that serves several paths is a whole one. */
    if (!q->path && run->method && strcmp(run->method, "bidirectional") == 0)
        run->method = NULL;
    if (q->path)
        make_path(&m);
    else if (!make_listed(&m))
        q->kind->make(&m);
    if (q->kind->leaves_unused_out)
        leave_unused_out(&m);
    if (run->status == GPUGRAPH_OK && (q->path || m.made.array[A_TREE_EDGE]))
        look_search_at_edges(graph, run);
    for (int i = 0; i < ARRAYS; i++) {
        if (run->status == GPUGRAPH_OK && !have->array[i])
            have->array[i] = m.made.array[i];
        else
            array_block_give(m.made.array[i]);
    }
    if (run->status != GPUGRAPH_OK)
        array_block_give(m.made.listed);
    if (run->status == GPUGRAPH_OK && q->path) {
        have->path = m.made.path;
        have->path_edges = m.made.path_edges;
    } else {
        array_block_give(m.made.path);
    }
    if (run->status == GPUGRAPH_OK && m.made.method) {
        have->n = m.made.n;
        have->listed = m.made.listed;
        have->edge_size = m.made.edge_size;
        have->type = m.made.type;
        have->own_wide |= m.made.own_wide;
        have->method = m.made.method;
        have->backend = m.made.backend;
    }
    have->cycle = m.made.cycle;
    return run->status;
}

static void begin_each(gpugraph_graph *graph, uint32_t count, gpugraph_run *run,
                       arrays **each) {
    run->status = GPUGRAPH_OK;
    for (uint32_t i = 0; i < count; i++) {
        each[i]->n = gpugraph_vertex_count(graph);
        each[i]->edge_size = gpugraph_edge_size(graph);
    }
}

/* What was made stays, or all are empty again. */
static void end_each(uint32_t count, const gpugraph_run *run, arrays **each, bool stays) {
    for (uint32_t i = 0; i < count; i++) {
        each[i]->method = run->used_method;
        each[i]->backend = run->used_backend;
        if (stays)
            continue;
        array_block_give(each[i]->array[A_VALUE]);
        array_block_give(each[i]->array[A_TREE_EDGE]);
        memset(each[i], 0, sizeof *each[i]);
    }
}

gpugraph_status arrays_make_each(gpugraph_graph *graph, const question *q,
                                 gpugraph_run *run, arrays **each) {
    const uint32_t count = q->search.source_count;
    begin_each(graph, count, run, each);
    q->kind->make_each(graph, q, run, each);
    if (run->status == GPUGRAPH_OK && count > 0 && each[0]->array[A_TREE_EDGE])
        look_search_at_edges(graph, run);
    end_each(count, run, each, run->status == GPUGRAPH_OK);
    return run->status;
}

bool makes_bytes(const search_kind *kind, bool tree) {
    return kind->make_each_bytes && !tree;
}

gpugraph_status arrays_make_each_bytes(gpugraph_graph *graph, const question *q,
                                       gpugraph_run *run, arrays **each, bool *fits) {
    const uint32_t count = q->search.source_count;
    begin_each(graph, count, run, each);
    *fits = q->kind->make_each_bytes(graph, q, run, each);
    end_each(count, run, each, run->status == GPUGRAPH_OK && *fits);
    return run->status;
}
