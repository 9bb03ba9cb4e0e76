/* From the ids in WHERE src = ? AND dst = ?, or WHERE edge = ?, to edges.
**
**     value   column     vertices
**     7       INTEGER    7
**     7       TEXT       '7'
**     7       no type    7 '7'      a 7 out of a column of numbers equals both
**     7.0     TEXT       '7', or else '7.0'
**     7.0     no type    7 '7'
**     7       no type    all edges are compared if there are odd numerals: '07', '7.0'
**
** SQLite does not say where a value comes from. So every vertex that may be meant is
** looked up, and SQLite compares again. For a TEXT column a value is converted to a text,
** wherever it comes from: comparing would cost as much again as the look-up.
**
**     src IN (1, '1', 7)    1        '1'      7
**     edges                 4 9 12   4 12     3        of each value: 1 may mean '1', too
**     set                   3 4 9 12                   each edge once
**/
#include "functions.h"
#include "base/id_list.h"
#include "base/value.h"
#include "table_function/graph_values.h"

bool lookup_is_exact(char affinity) {
    return affinity != 'A';
}

uint64_t found_edge(const gpugraph_graph *graph, const edges_found *found, uint64_t i) {
    if (found->edge)
        return (uint64_t)found->edge[i];
    if (found->arcs.target)
        return gpugraph_find_edge(
            graph, (int64_t)((uint64_t)found->arcs.first_id + found->arcs.id[i]));
    return found->list ? gpugraph_edge_at(graph, found->list, i) : i;
}

/* ---- edges of several look-ups ---- */

/* The edges of the first look-up are the graph's own list. Further look-ups make a set of
** edge numbers. */
typedef struct lookup {
    connection *c;
    graph_ref *of;
    bool by_arcs;
    edges_found *found;
    id_list set;
    char **error;
} lookup;

static int add_to_set(lookup *l, const edges_found *part) {
    int rc = SQLITE_OK;
    for (uint64_t i = 0; rc == SQLITE_OK && i < part->count; i++)
        rc = id_list_add(&l->set, (int64_t)found_edge(l->of->graph, part, i));
    return rc;
}

static int add_found(lookup *l, const edges_found *part) {
    int rc = SQLITE_OK;
    if (part->count == 0)
        return rc;
    if (l->found->count == 0) {
        *l->found = *part;
        return rc;
    }
    if (l->set.count == 0)
        rc = add_to_set(l, l->found);
    return rc ? rc : add_to_set(l, part);
}

/* The set becomes the result, with each edge once. */
static int end_lookup(lookup *l, int rc) {
    if (rc == SQLITE_OK && !l->found->all)
        rc = id_list_sort(&l->set);
    if (rc || l->found->all) {
        *l->found = (edges_found){.all = l->found->all};
    } else if (l->set.count > 0) {
        *l->found = (edges_found){.count = (uint64_t)l->set.count, .edge = l->set.item};
        l->set.item = NULL;
    }
    id_list_clear(&l->set);
    return rc;
}

/* ---- numerals that SQLite would not write ---- */

static bool is_number(sqlite3_value *id) {
    const int type = sqlite3_value_type(id);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* True if the number may equal a text that SQLite would not write for it. *odd remembers
** whether there is such a text. skip: bytes before each text. */
static bool may_be_odd(sqlite3_value *id, const gpugraph_texts *texts, uint64_t skip,
                       enum odd_numerals *odd) {
    if (!is_number(id))
        return false;
    for (int64_t t = 0; *odd == ODD_UNKNOWN && t < texts->count; t++) {
        uint64_t length;
        double value;
        const char *text = gpugraph_text(texts, (uint64_t)t, &length);
        if (length > skip && odd_numeral(text + skip, (size_t)(length - skip), &value))
            *odd = ODD_SOME;
    }
    if (*odd == ODD_UNKNOWN)
        *odd = ODD_NONE;
    return *odd == ODD_SOME;
}

/* ---- by ids of their ends ---- */

enum { MEANINGS = 2 };

/* Finds the vertices that the id may mean. */
static int find_meanings(lookup *l, char affinity, sqlite3_value *id,
                         uint32_t vertex[MEANINGS], int *count) {
    const gpugraph_graph *graph = l->of->graph;
    const gpugraph_texts *texts = &gpugraph_vertex_ids(graph)->texts;
    const bool exact = lookup_is_exact(affinity) || !is_number(id) || texts->count == 0;
    uint32_t v;
    *count = 0;
    int rc = find_vertex(graph, affinity, id, &v);
    if (rc == SQLITE_OK && v != GPUGRAPH_NONE)
        vertex[(*count)++] = v;
    if (rc || exact)
        return rc;
    l->found->all |= may_be_odd(id, texts, 0, &l->of->odd_vertices);
    rc = find_vertex(graph, 'B', id, &v);
    if (rc == SQLITE_OK && v != GPUGRAPH_NONE && (*count == 0 || vertex[0] != v))
        vertex[(*count)++] = v;
    return rc;
}

/* Finds the edges of a pair of vertices; to NULL: all edges from the first. */
static gpugraph_status find_part(const lookup *l, uint32_t from, const uint32_t *to,
                                 gpugraph_run *run, edges_found *part) {
    gpugraph_graph *graph = l->of->graph;
    gpugraph_status status;
    *part = (edges_found){.count = 0};
    if (!l->by_arcs)
        return to ? gpugraph_edges_between(graph, from, *to, run, &part->list,
                                           &part->count)
                  : gpugraph_edges_from(graph, from, run, &part->list, &part->count);
    status = to ? gpugraph_arcs_between(graph, from, *to, run, &part->arcs)
                : gpugraph_arcs_from(graph, from, run, &part->arcs);
    part->count = part->arcs.count;
    return status;
}

static int add_part(lookup *l, uint32_t from, const uint32_t *to) {
    edges_found part;
    gpugraph_run run;
    connection_run(l->c, &run);
    const gpugraph_status status = find_part(l, from, to, &run, &part);
    if (status == GPUGRAPH_OK)
        return add_found(l, &part);
    *l->error = sqlite3_mprintf("%s", run.message);
    return code_of_status(status);
}

static int add_edges_of(lookup *l, const char *affinity, int ids, sqlite3_value **id) {
    uint32_t vertex[2][MEANINGS];
    int count[2] = {0, 1}, rc = SQLITE_OK;
    for (int i = 0; i < ids && rc == SQLITE_OK; i++)
        rc = find_meanings(l, affinity[i], id[i], vertex[i], &count[i]);
    for (int i = 0; i < count[0] && !l->found->all; i++)
        for (int j = 0; j < count[1] && rc == SQLITE_OK; j++)
            rc = add_part(l, vertex[0][i], ids > 1 ? &vertex[1][j] : NULL);
    return rc;
}

int lookup_edges(connection *c, graph_ref *of, const char *affinity, int ids,
                 sqlite3_value **id, int list, edges_found *found, char **error) {
    /* Edges with ids of their own have no arcs by rowids. */
    lookup l = {.c = c,
                .of = of,
                .by_arcs = !of->row_ids && gpugraph_keeps_arcs(of->graph),
                .found = found,
                .error = error};
    sqlite3_value *one[2] = {id[0], ids > 1 ? id[1] : NULL};
    *found = (edges_found){.count = 0};
    int rc = list < 0 ? SQLITE_OK : sqlite3_vtab_in_first(id[list], &one[list]);
    while (rc == SQLITE_OK && (list < 0 || one[list]) && !found->all) {
        rc = add_edges_of(&l, affinity, ids, one);
        if (list < 0)
            break;
        rc = rc ? rc : sqlite3_vtab_in_next(id[list], &one[list]);
    }
    return end_lookup(&l, rc == SQLITE_DONE ? SQLITE_OK : rc);
}

/* ---- by ids of their own ---- */

static int add_named(lookup *l, sqlite3_value *id) {
    graph_ref *of = l->of;
    row_ids_range range[ROW_IDS_MEANINGS];
    int ranges = 0, rc = SQLITE_OK;
    l->found->all |=
        may_be_odd(id, &gpugraph_vertex_ids(of->row_ids)->texts, 1, &of->odd_ids);
    if (!l->found->all)
        rc = row_ids_find(of->row_ids, id, range, &ranges);
    for (int k = 0; k < ranges; k++)
        for (uint64_t i = 0; rc == SQLITE_OK && i < range[k].count; i++)
            rc = id_list_add(&l->set, (int64_t)(range[k].first + i));
    return rc;
}

int lookup_named(graph_ref *of, sqlite3_value *id, bool list, edges_found *found) {
    lookup l = {.of = of, .found = found};
    *found = (edges_found){.count = 0};
    if (!list)
        return end_lookup(&l, add_named(&l, id));
    sqlite3_value *one;
    int rc = sqlite3_vtab_in_first(id, &one);
    while (rc == SQLITE_OK && one && !found->all) {
        rc = add_named(&l, one);
        rc = rc ? rc : sqlite3_vtab_in_next(id, &one);
    }
    return end_lookup(&l, rc == SQLITE_DONE ? SQLITE_OK : rc);
}
