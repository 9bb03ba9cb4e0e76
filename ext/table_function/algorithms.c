/* One descriptor for each SQL function, and one run function for each search of the
** graph library.
**
** To add a function: its columns, a line in algorithms[]; for a new search also a kind
** with a run function that fills the arrays of struct answer, and what of them a
** column shows (table_function.c). */
#include "table_function.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

const struct field_text field_text[FIELDS] = {
    [F_VERTEX] = {"vertex", ""},
    [F_DEPTH] = {"depth", "INTEGER"},
    [F_DISTANCE] = {"distance", ""},
    [F_PARENT] = {"parent", ""},
    [F_EDGE] = {"edge", ""},
    [F_SEQ] = {"seq", "INTEGER"},
    [F_COST] = {"cost", ""},
    [F_PREORDER] = {"preorder", "INTEGER"},
    [F_POSTORDER] = {"postorder", "INTEGER"},
    [F_EDGES] = {"edges", ""},
    [F_SOURCE] = {"source", ""},
    [F_TARGET] = {"target", ""},
    [F_SOURCES] = {"sources", ""},
    [F_MAX_DEPTH] = {"max_depth", ""},
    [F_MAX_DISTANCE] = {"max_distance", ""},
    [F_DIRECTION] = {"direction", ""},
    [F_WEIGHTED] = {"weighted", ""},
    [F_ORDERED] = {"ordered", ""},
    [F_PRIORITY] = {"priority", ""},
    [F_SEED] = {"seed", ""},
    [F_VERTICES] = {"vertices", ""},
    [F_PARAMS] = {"params", ""},
    [F_METHOD] = {"method", ""},
    [F_BACKEND] = {"backend", ""},
    [F_FURTHER] = {"further", ""},
};

static const unsigned char bfs_fields[] = {
    F_VERTEX,  F_DEPTH,     F_PARENT,    F_EDGE,     F_EDGES,  F_SOURCE, F_TARGET,
    F_SOURCES, F_MAX_DEPTH, F_DIRECTION, F_VERTICES, F_PARAMS, F_METHOD, F_BACKEND,
};
static const unsigned char sssp_fields[] = {
    F_VERTEX,  F_DISTANCE,     F_PARENT,    F_EDGE,     F_EDGES,  F_SOURCE, F_TARGET,
    F_SOURCES, F_MAX_DISTANCE, F_DIRECTION, F_VERTICES, F_PARAMS, F_METHOD, F_BACKEND,
};
static const unsigned char path_fields[] = {
    F_SEQ,    F_VERTEX,    F_EDGE,     F_COST,     F_DISTANCE, F_EDGES,  F_SOURCE,
    F_TARGET, F_DIRECTION, F_WEIGHTED, F_VERTICES, F_PARAMS,   F_METHOD, F_BACKEND,
};
static const unsigned char dfs_fields[] = {
    F_VERTEX, F_DEPTH,   F_PARENT,    F_EDGE,     F_PREORDER, F_POSTORDER, F_EDGES,
    F_SOURCE, F_ORDERED, F_DIRECTION, F_VERTICES, F_PARAMS,   F_METHOD,    F_BACKEND,
};
static const unsigned char mis_fields[] = {
    F_VERTEX, F_EDGES, F_PRIORITY, F_SEED, F_VERTICES, F_PARAMS, F_METHOD, F_BACKEND,
};

/* ---- functions ---- */

const algorithm algorithms[] = {
    {.name = "gpu_bfs",
     .field = bfs_fields,
     .fields = sizeof bfs_fields,
     .visible = 4,
     .bracketed = 3,
     .option = "max_depth = 2",
     .ends_early = true,
     .needs_source = true,
     .kind = SEARCH_BFS,
     .unweighted_kind = SEARCH_BFS,
     .weight = WEIGHT_NO,
     .example = "gpu_bfs('roads', 1)"},
    {.name = "gpu_sssp",
     .field = sssp_fields,
     .fields = sizeof sssp_fields,
     .visible = 4,
     .bracketed = 3,
     .option = "max_distance = 1000",
     .ends_early = true,
     .needs_source = true,
     .kind = SEARCH_SSSP,
     .unweighted_kind = SEARCH_SSSP,
     .weight = WEIGHT_YES,
     .example = "gpu_sssp('roads', 1)"},
    {.name = "gpu_path",
     .field = path_fields,
     .fields = sizeof path_fields,
     .visible = 5,
     .bracketed = 3,
     .option = "weighted = 0",
     .paths = true,
     .ends_early = true,
     .needs_source = true,
     .kind = SEARCH_SSSP,
     .unweighted_kind = SEARCH_BFS,
     .weight = WEIGHT_IF_CLEAR,
     .example = "gpu_path('roads', 1, 5)"},
    {.name = "gpu_dfs",
     .field = dfs_fields,
     .fields = sizeof dfs_fields,
     .visible = 6,
     .bracketed = 2,
     .option = "ordered = 1",
     .kind = SEARCH_DFS,
     .unweighted_kind = SEARCH_DFS,
     .weight = WEIGHT_NO,
     .example = "gpu_dfs('roads', 1)"},
    {.name = "gpu_mis",
     .field = mis_fields,
     .fields = sizeof mis_fields,
     .visible = 1,
     .bracketed = 1,
     .option = "priority = 'id'",
     .kind = SEARCH_MIS,
     .unweighted_kind = SEARCH_MIS,
     .weight = WEIGHT_NO,
     .example = "gpu_mis('roads')"},
};
const int algorithm_count = sizeof algorithms / sizeof *algorithms;

int column_count(const algorithm *a) {
    return a->fields + (a->bracketed > 0 ? a->bracketed + 1 : 0);
}

enum field column_field(const algorithm *a, int column) {
    if (column < a->visible + a->bracketed || a->bracketed == 0)
        return a->field[column];
    column -= a->bracketed + 1;
    return column < a->visible ? F_FURTHER : a->field[column];
}

bool column_is_bracketed(const algorithm *a, int column) {
    return column >= a->visible && column <= a->visible + a->bracketed &&
           a->bracketed > 0;
}

/* ---- searches ---- */

/* One search under way: what is asked, what is there already, what is made now. */
typedef struct making {
    gpugraph_graph *graph;
    const question *q;
    gpugraph_run *run;
    const answer *have;
    answer made;
} making;

size_t answer_item_size(const answer *a, enum answer_array array) {
    if (array == A_VALUE && a->type != GPUGRAPH_UINT32)
        return 8;
    if (array == A_TREE_EDGE)
        return a->edge_size;
    return array == A_MEMBER ? 1 : 4;
}

/* Result arrays come from malloc: sqlite3_malloc64 gives no block of 2 GiB. */
static void *make_array(making *m, enum answer_array array) {
    size_t bytes = (m->made.n ? m->made.n : 1) * answer_item_size(&m->made, array);
    if (m->run->status != GPUGRAPH_OK)
        return NULL;
    m->made.array[array] = malloc(bytes);
    if (!m->made.array[array])
        m->run->status = GPUGRAPH_NO_MEMORY;
    return m->made.array[array];
}

/* Makes the array if the plan wants it and it is not there; else NULL, "not wanted". */
static void *make_wanted(making *m, enum answer_array array) {
    return (m->q->wants >> array & 1) && !m->have->array[array] ? make_array(m, array)
                                                                : NULL;
}

static void note_where(making *m) {
    m->made.method = m->run->used_method;
    m->made.backend = m->run->used_backend;
}

static void make_distances(making *m) {
    const gpugraph_search *search = &m->q->search;
    bool by_depth = m->q->kind == SEARCH_BFS;
    m->made.type = by_depth ? GPUGRAPH_UINT32 : gpugraph_distance_type_of(m->graph);
    void *tree = make_wanted(m, A_TREE_EDGE), *root = make_wanted(m, A_ROOT);
    if (!m->have->array[A_VALUE] || tree) {
        void *value = make_array(m, A_VALUE);
        if (m->run->status != GPUGRAPH_OK)
            return;
        if (by_depth)
            gpugraph_bfs(m->graph, search, m->run, value, tree);
        else
            gpugraph_sssp(m->graph, search, m->run, value, tree);
        note_where(m);
    }
    if (root && m->run->status == GPUGRAPH_OK)
        gpugraph_roots(m->graph, search, m->run,
                       tree ? tree : m->have->array[A_TREE_EDGE], root);
}

/* The array is cut to what the path needs: kept, it is small. */
static void make_path(making *m) {
    bool by_depth = m->q->kind == SEARCH_BFS;
    void *path = malloc((m->made.n ? m->made.n : 1) * m->made.edge_size);
    uint32_t count = 0;
    m->made.type = by_depth ? GPUGRAPH_UINT32 : gpugraph_distance_type_of(m->graph);
    if (path)
        gpugraph_path(m->graph, &m->q->search, !by_depth, m->run, path, &count);
    else
        m->run->status = GPUGRAPH_NO_MEMORY;
    if (m->run->status == GPUGRAPH_OK) {
        bool none = count == GPUGRAPH_NONE || count == 0;
        note_where(m);
        m->made.path_edges = count;
        m->made.path = realloc(path, (none ? 1 : count) * m->made.edge_size);
        if (m->made.path)
            return;
        m->run->status = GPUGRAPH_NO_MEMORY;
    }
    free(path);
}

/* An unordered tree is another one each time it is searched for, and a statement is to
** see one: what is wanted later is found from the parents. The ordered tree is
** searched for again. */
static void make_dfs(making *m) {
    const question *q = m->q;
    bool found = m->have->array[A_VALUE] && !q->ordered;
    m->made.type = GPUGRAPH_UINT32;
    gpugraph_dfs_tree tree = {
        .depth = found ? m->have->array[A_VALUE] : make_array(m, A_VALUE),
        .parent = found ? m->have->array[A_PARENT] : make_array(m, A_PARENT),
        .tree_edge = make_wanted(m, A_TREE_EDGE),
        .preorder = make_wanted(m, A_PREORDER),
        .postorder = make_wanted(m, A_POSTORDER),
    };
    if (m->run->status != GPUGRAPH_OK)
        return;
    if (found) {
        gpugraph_complete_tree(m->graph, q->search.direction, m->run, &tree);
    } else {
        uint32_t source =
            q->search.source_count > 0 ? q->search.source[0] : GPUGRAPH_NONE;
        gpugraph_dfs(m->graph, source, q->ordered, q->search.direction, m->run, &tree);
        note_where(m);
    }
}

static void make_mis(making *m) {
    uint8_t *member = make_array(m, A_MEMBER);
    if (!member)
        return;
    gpugraph_mis(m->graph, m->q->priority, m->q->seed, m->run, member);
    note_where(m);
}

static const struct {
    const char *name; /* in gpugraph_method */
    void (*make)(making *m);
} searches[] = {
    [SEARCH_BFS] = {"bfs", make_distances},
    [SEARCH_SSSP] = {"sssp", make_distances},
    [SEARCH_DFS] = {"dfs", make_dfs},
    [SEARCH_MIS] = {"mis", make_mis},
};

gpugraph_status answer_make(gpugraph_graph *graph, const question *q, gpugraph_run *run,
                            answer *have) {
    making m = {.graph = graph, .q = q, .run = run, .have = have};
    m.made.n = gpugraph_vertex_count(graph);
    m.made.edge_size = gpugraph_edge_size(graph);
    run->status = GPUGRAPH_OK;
    /* A search that serves several paths is a whole one. */
    if (!q->path && run->method && strcmp(run->method, "bidirectional") == 0)
        run->method = NULL;
    if (q->path)
        make_path(&m);
    else
        searches[q->kind].make(&m);
    for (int i = 0; i < ANSWER_ARRAYS; i++) {
        if (run->status == GPUGRAPH_OK && !have->array[i])
            have->array[i] = m.made.array[i];
        else
            free(m.made.array[i]);
    }
    if (run->status == GPUGRAPH_OK && q->path) {
        have->path = m.made.path;
        have->path_edges = m.made.path_edges;
    } else {
        free(m.made.path);
    }
    if (run->status == GPUGRAPH_OK && m.made.method) {
        have->n = m.made.n;
        have->edge_size = m.made.edge_size;
        have->type = m.made.type;
        have->method = m.made.method;
        have->backend = m.made.backend;
    }
    return run->status;
}

/* Makes the array of all answers, for as long as memory lasts. */
static void make_arrays(const question *q, gpugraph_run *run, answer **each,
                        enum answer_array array) {
    for (uint32_t i = 0; i < q->search.source_count; i++) {
        size_t size = answer_item_size(each[i], array);
        each[i]->array[array] = malloc((each[i]->n ? each[i]->n : 1) * size);
        if (!each[i]->array[array])
            run->status = GPUGRAPH_NO_MEMORY;
    }
}

static void search_each(gpugraph_graph *graph, const question *q, gpugraph_run *run,
                        answer **each) {
    const bool wants_tree = q->wants & PLAN_TREE;
    uint32_t count = q->search.source_count, **depth = malloc(count * sizeof *depth);
    void **tree = malloc(count * sizeof *tree);
    make_arrays(q, run, each, A_VALUE);
    if (wants_tree)
        make_arrays(q, run, each, A_TREE_EDGE);
    if (!depth || !tree)
        run->status = GPUGRAPH_NO_MEMORY;
    for (uint32_t i = 0; i < count && run->status == GPUGRAPH_OK; i++) {
        depth[i] = each[i]->array[A_VALUE];
        tree[i] = each[i]->array[A_TREE_EDGE];
    }
    if (run->status == GPUGRAPH_OK)
        gpugraph_bfs_each(graph, &q->search, run, depth, wants_tree ? tree : NULL);
    free(depth);
    free(tree);
}

gpugraph_status answer_make_each(gpugraph_graph *graph, const question *q,
                                 gpugraph_run *run, answer **each) {
    uint32_t count = q->search.source_count;
    run->status = GPUGRAPH_OK;
    for (uint32_t i = 0; i < count; i++) {
        each[i]->n = gpugraph_vertex_count(graph);
        each[i]->edge_size = gpugraph_edge_size(graph);
        each[i]->type = GPUGRAPH_UINT32;
    }
    search_each(graph, q, run, each);
    for (uint32_t i = 0; i < count; i++) {
        each[i]->method = run->used_method;
        each[i]->backend = run->used_backend;
        if (run->status == GPUGRAPH_OK)
            continue;
        free(each[i]->array[A_VALUE]);
        free(each[i]->array[A_TREE_EDGE]);
        memset(each[i], 0, sizeof *each[i]);
    }
    return run->status;
}

bool algorithm_uses(const algorithm *a, const char *method_function) {
    return (a->paths && strcmp(method_function, "path") == 0) ||
           strcmp(searches[a->kind].name, method_function) == 0 ||
           strcmp(searches[a->unweighted_kind].name, method_function) == 0;
}
