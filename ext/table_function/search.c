/* The arrays that searches fill, and the steps that all searches have in common. */
#include "platform.h"
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays ---- */

enum array_name column_array(const table_function *f, enum field field) {
    if (field >= F_OWN && field <= F_OWN_LAST && f->own[field - F_OWN].kind <= OWN_REAL)
        return (enum array_name)(A_OWN + field - F_OWN);
    if ((field == F_DEPTH || field == F_DISTANCE) && !f->paths)
        return A_VALUE;
    return field == F_PREORDER    ? A_PREORDER
           : field == F_POSTORDER ? A_POSTORDER
                                  : NO_ARRAY;
}

enum own_kind arrays_kind(const arrays *a, enum array_name array) {
    static const enum own_kind values[] = {[GPUGRAPH_UINT32] = OWN_NUMBER,
                                           [GPUGRAPH_UINT64] = OWN_COUNT,
                                           [GPUGRAPH_REAL] = OWN_REAL};
    if (array == A_VALUE)
        return values[a->type];
    if (array >= A_OWN && array <= A_OWN_LAST)
        return a->function->own[array - A_OWN].kind;
    return array == A_ROOT || array == A_PARENT ? OWN_VERTEX : OWN_NUMBER;
}

size_t arrays_item_size(const arrays *a, enum array_name array) {
    const enum own_kind kind = arrays_kind(a, array);
    if (array == A_TREE_EDGE)
        return a->edge_size;
    return array == A_MEMBER ? 1 : kind == OWN_COUNT || kind == OWN_REAL ? 8 : 4;
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
    for (int i = 0; i <= ARRAYS; i++)
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
    for (int i = 0; i <= ARRAYS; i++)
        if (a->order[i].vertex)
            bytes += (sqlite3_int64)a->n * 4;
    if (a->listed)
        bytes += (sqlite3_int64)a->n * 4;
    bytes += (sqlite3_int64)(a->path_entries * a->edge_size);
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

void put_path_entry(arrays *a, uint32_t at, uint64_t entry) {
    if (a->edge_size == sizeof(uint32_t))
        ((uint32_t *)a->path)[at] = (uint32_t)entry;
    else
        ((uint64_t *)a->path)[at] = entry;
}

/* ---- memory for arrays ---- */

static void *new_block(size_t bytes) {
    const size_t whole = (bytes + GG_HUGE_PAGE - 1) / GG_HUGE_PAGE * GG_HUGE_PAGE;
    if (bytes < GG_HUGE_PAGE)
        return malloc(bytes);
    void *block = whole < bytes ? NULL : gg_alloc_huge(whole);
    if (block)
        gg_advise_pages(block, whole, true);
    return block;
}

static void *lacks(gpugraph_run *run, uint64_t bytes) {
    run->status = GPUGRAPH_NO_MEMORY;
    snprintf(run->message, sizeof run->message, "out of memory: %llu bytes were needed",
             (unsigned long long)bytes);
    return NULL;
}

void *array_block_for(gpugraph_run *run, uint64_t count, size_t size) {
    const uint64_t bytes = (count ? count : 1) * size;
    if (run->status != GPUGRAPH_OK || gpugraph_hold_memory(run, (int64_t)bytes))
        return NULL;
    void *block = new_block(bytes);
    return block ? block : lacks(run, bytes);
}

void *array_block_grown(gpugraph_run *run, void *block, uint64_t from, uint64_t to,
                        size_t size) {
    if (gpugraph_hold_memory(run, (int64_t)((to - from) * size)))
        return NULL;
    void *grown = realloc(block, to * size);
    return grown ? grown : lacks(run, to * size);
}

void *array_block_cut(void *block, size_t bytes) {
    void *kept = realloc(block, bytes > 0 ? bytes : 1);
    return kept ? kept : block;
}

/* ---- running a search ---- */

void *make_array(making *m, enum array_name array) {
    m->made->array[array] =
        array_block_for(m->run, m->made->n, arrays_item_size(m->made, array));
    return m->made->array[array];
}

void *make_wanted(making *m, enum array_name array) {
    return (m->q->wants >> array & 1) && !m->made->array[array] ? make_array(m, array)
                                                                : NULL;
}

void make_distances(making *m) {
    m->made->type = question_type(m);
    void *tree = make_wanted(m, A_TREE_EDGE), *root = make_wanted(m, A_ROOT);
    if (!m->made->array[A_VALUE] || tree) {
        void *value = make_array(m, A_VALUE);
        if (m->run->status != GPUGRAPH_OK)
            return;
        if (m->q->weighted)
            gpugraph_sssp(m->graph, &m->q->search, m->run, value, tree);
        else
            gpugraph_bfs(m->graph, &m->q->search, m->run, value, tree);
    }
    if (root && m->run->status == GPUGRAPH_OK)
        gpugraph_roots(m->graph, &m->q->search, m->run, m->made->array[A_TREE_EDGE],
                       root);
}

/* Tombstones have no rows. A search from sources does not reach them. */
static void leave_tombstones_out(making *m) {
    const uint32_t *tombstone;
    const uint64_t count = gpugraph_tombstones(m->graph, &tombstone);
    uint8_t *member = m->made->array[A_MEMBER];
    if (count == 0 || m->run->status != GPUGRAPH_OK)
        return;
    if (!member) {
        member = make_array(m, A_MEMBER);
        if (!member)
            return;
        memset(member, 1, m->made->n);
    }
    for (uint64_t i = 0; i < count; i++)
        member[tombstone[i]] = 0;
}

/* Frees new arrays that the base has, too. */
static void drop_doubles(arrays *a) {
    for (int i = 0; i < ARRAYS && a->base; i++)
        if (a->base->array[i] && a->array[i] != a->base->array[i]) {
            free(a->array[i]);
            a->array[i] = a->base->array[i];
        }
}

static void arrays_open(arrays *made, const gpugraph_graph *graph,
                        const table_function *f) {
    made->n = gpugraph_vertex_count(graph);
    made->function = f;
    made->edge_size = gpugraph_edge_size(graph);
}

gpugraph_status arrays_make(gpugraph_graph *graph, const table_function *f,
                            const question *q, gpugraph_run *run, arrays *made) {
    making m = {.graph = graph, .q = q, .run = run, .made = made};
    arrays_count(made, run);
    arrays_open(made, graph, f);
    run->status = GPUGRAPH_OK;
    /* Several paths need a whole search, which runs from the source only. */
    if (!q->path && run->method && strcmp(run->method, "bidirectional") == 0)
        run->method = NULL;
    for (int i = 0; i < OWN_COLUMNS && has_arrays(f) && f->own[i].name; i++)
        make_array(&m, (enum array_name)(A_OWN + i));
    if (q->path)
        make_path(&m);
    else if (run->status == GPUGRAPH_OK && !make_listed(&m))
        q->kind->make(&m);
    if (!f->needs_source)
        leave_tombstones_out(&m);
    /* Rows read edges, which may be device-resident. */
    if (run->status == GPUGRAPH_OK && (made->path || made->array[A_TREE_EDGE]))
        gpugraph_bring_edges(graph, run);
    drop_doubles(made);
    return run->status;
}

gpugraph_status arrays_make_each(gpugraph_graph *graph, const table_function *f,
                                 const question *q, gpugraph_run *run, arrays **each) {
    const uint32_t count = q->search.source_count;
    const bool wants_tree = q->wants & (1u << A_TREE_EDGE);
    run->status = GPUGRAPH_OK;
    uint32_t **depth = array_block_for(run, count, sizeof *depth);
    void **tree = array_block_for(run, count, sizeof *tree);
    for (uint32_t i = 0; i < count && run->status == GPUGRAPH_OK; i++) {
        making m = {.graph = graph, .q = q, .run = run, .made = each[i]};
        arrays_open(each[i], graph, f);
        each[i]->type = GPUGRAPH_UINT32;
        depth[i] = make_array(&m, A_VALUE);
        tree[i] = make_wanted(&m, A_TREE_EDGE);
    }
    if (run->status == GPUGRAPH_OK)
        q->kind->each(graph, &q->search, run, depth, wants_tree ? tree : NULL);
    if (run->status == GPUGRAPH_OK && wants_tree)
        gpugraph_bring_edges(graph, run);
    free(depth);
    free(tree);
    return run->status;
}
