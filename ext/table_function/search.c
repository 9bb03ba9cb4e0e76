/* The arrays that searches fill, and what all searches share in filling them. */
#include "array_block.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

/* ---- arrays ---- */

size_t arrays_item_size(const arrays *a, enum array_name array) {
    if (array == A_VALUE && a->type != GPUGRAPH_UINT32)
        return 8;
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
            free(a->array[i]);
    for (int i = 0; i < ORDERS_MADE; i++)
        if (a->order[i].vertex != before->order[i].vertex)
            free(a->order[i].vertex);
    if (a->listed != before->listed)
        free(a->listed);
    if (a->path != before->path)
        free(a->path);
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

void *make_own(making *m, int place) {
    const enum own_kind kind = m->function->own[place].kind;
    if (kind == OWN_COUNT || kind == OWN_REAL)
        m->made.own_wide |= 1u << place;
    return make_array(m, (enum array_name)(A_OWN + place));
}

static void make_own_columns(making *m) {
    for (int i = 0; i < OWN_COLUMNS && has_arrays(m->function); i++)
        if (m->function->own[i].name)
            make_own(m, i);
}

void make_distances(making *m, gpugraph_distance_type type, distance_search *search) {
    m->made.type = type;
    void *tree = make_wanted(m, A_TREE_EDGE), *root = make_wanted(m, A_ROOT);
    if (!m->have->array[A_VALUE] || tree) {
        void *value = make_array(m, A_VALUE);
        if (m->run->status != GPUGRAPH_OK)
            return;
        search(m->graph, &m->q->search, m->run, value, tree);
    }
    if (root && m->run->status == GPUGRAPH_OK)
        gpugraph_roots(m->graph, &m->q->search, m->run,
                       tree ? tree : m->have->array[A_TREE_EDGE], root);
}

/* Tombstones get no rows. A search from sources does not reach them. */
static void leave_tombstones_out(making *m) {
    const uint32_t *tombstone;
    const uint64_t count = gpugraph_tombstones(m->graph, &tombstone);
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
        member[tombstone[i]] = 0;
}

gpugraph_status arrays_make(gpugraph_graph *graph, const table_function *f,
                            const question *q, gpugraph_run *run, arrays *have) {
    making m = {.graph = graph, .function = f, .q = q, .run = run, .have = have};
    arrays_count(have, run);
    m.made.n = gpugraph_vertex_count(graph);
    m.made.edge_size = gpugraph_edge_size(graph);
    run->status = GPUGRAPH_OK;
    /* A search that serves several paths is a whole one. */
    if (!q->path && run->method && strcmp(run->method, "bidirectional") == 0)
        run->method = NULL;
    make_own_columns(&m);
    if (q->path)
        make_path(&m);
    else if (run->status == GPUGRAPH_OK && !make_listed(&m))
        q->kind->make(&m);
    if (!f->needs_source)
        leave_tombstones_out(&m);
    /* Rows read edges, which may be on a device alone. */
    if (run->status == GPUGRAPH_OK && (m.made.path || m.made.array[A_TREE_EDGE]))
        gpugraph_bring_edges(graph, run);
    have->cycle = m.made.cycle;
    const bool made = run->status == GPUGRAPH_OK;
    for (int i = 0; i < ARRAYS; i++) {
        if (made && !have->array[i])
            have->array[i] = m.made.array[i];
        else
            free(m.made.array[i]);
    }
    if (made) {
        have->n = m.made.n;
        have->listed = m.made.listed;
        have->type = m.made.type;
        have->own_wide |= m.made.own_wide;
        have->edge_size = m.made.edge_size;
        have->path = m.made.path;
        have->path_edges = m.made.path_edges;
    } else {
        free(m.made.listed);
        free(m.made.path);
    }
    return run->status;
}

gpugraph_status arrays_make_each(gpugraph_graph *graph, const question *q,
                                 gpugraph_run *run, arrays **each) {
    const uint32_t n = gpugraph_vertex_count(graph), count = q->search.source_count;
    const bool wants_tree = q->wants & (1u << A_TREE_EDGE);
    const size_t edge_size = gpugraph_edge_size(graph);
    run->status = GPUGRAPH_OK;
    uint32_t **depth = array_block_for(run, count, sizeof *depth);
    void **tree = array_block_for(run, count, sizeof *tree);
    for (uint32_t i = 0; i < count && run->status == GPUGRAPH_OK; i++) {
        each[i]->n = n;
        each[i]->type = GPUGRAPH_UINT32;
        each[i]->edge_size = edge_size;
        depth[i] = each[i]->array[A_VALUE] = array_block_for(run, n, sizeof **depth);
        if (wants_tree)
            tree[i] = each[i]->array[A_TREE_EDGE] = array_block_for(run, n, edge_size);
    }
    if (run->status == GPUGRAPH_OK)
        q->kind->each(graph, &q->search, run, depth, wants_tree ? tree : NULL);
    if (run->status == GPUGRAPH_OK && wants_tree)
        gpugraph_bring_edges(graph, run);
    free(depth);
    free(tree);
    return run->status;
}
