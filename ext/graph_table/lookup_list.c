/* From the ids in WHERE src IN (...), or WHERE edge IN (...), to edges.
**
**     ids      1        '1'      7
**     edges    4 9 12   4 12     3        what each finds: 1 may mean '1', too
**     list     3 4 9 12                   each once
**
** SQLite then compares each with the whole list, by the types of both sides. */
#include "lookup.h"

#include <stdlib.h>
#include <string.h>

/* Arcs or edge numbers; settled, in order and each once. */
typedef struct edge_set {
    uint64_t *edge, count, room;
} edge_set;

static int make_room_of_lookup_list(edge_set *s, uint64_t more) {
    if (s->room - s->count >= more)
        return SQLITE_OK;
    const uint64_t room = 2 * s->room + more + 64;
    uint64_t *grown = sqlite3_realloc64(s->edge, room * sizeof *grown);
    if (!grown)
        return SQLITE_NOMEM;
    s->edge = grown;
    s->room = room;
    return SQLITE_OK;
}

static int compare_edges(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void settle_lookup_list(edge_set *s) {
    uint64_t kept = 0;
    if (s->count)
        qsort(s->edge, s->count, sizeof *s->edge, compare_edges);
    for (uint64_t i = 0; i < s->count; i++)
        if (kept == 0 || s->edge[i] != s->edge[kept - 1])
            s->edge[kept++] = s->edge[i];
    s->count = kept;
}

/* The set becomes what is found: arcs as they are, edge numbers as wide as the graph's own lists have them. */
static int hand_over(const gpugraph_graph *graph, edge_set *s, bool arcs,
                     edges_found *found) {
    int rc = make_room_of_lookup_list(s, 1); /* so that there is a block */
    if (rc)
        return rc;
    if (!arcs && gpugraph_edge_size(graph) == sizeof(uint32_t)) {
        for (uint64_t i = 0; i < s->count; i++) {
            const uint32_t edge = (uint32_t)s->edge[i];
            memcpy((char *)s->edge + i * sizeof edge, &edge, sizeof edge);
        }
    }
    found->merged = s->edge;
    found->count = s->count;
    found->arc = arcs ? s->edge : NULL;
    found->list = arcs ? NULL : s->edge;
    *s = (edge_set){0};
    return SQLITE_OK;
}

/* ---- by their ends ---- */

static int add_found(const gpugraph_graph *graph, const edges_found *here, edge_set *s) {
    int rc = make_room_of_lookup_list(s, here->count);
    for (uint64_t i = 0; rc == SQLITE_OK && i < here->count; i++)
        s->edge[s->count++] =
            here->arc ? here->arc[i] : gpugraph_edge_at(graph, here->list, i);
    return rc;
}

int lookup_edges_of_list(connection *c, graph_ref *of, const char *affinity, int ids,
                         sqlite3_value **id, int list, edges_found *found, char **error) {
    const bool arcs = !of->row_ids && gpugraph_keeps_arcs(of->graph);
    edge_set s = {0};
    sqlite3_value *one[2] = {id[0], ids > 1 ? id[1] : NULL};
    *found = (edges_found){0};
    int rc = sqlite3_vtab_in_first(id[list], &one[list]);
    while (rc == SQLITE_OK && one[list]) {
        edges_found here;
        rc = lookup_edges(c, of, affinity, ids, one, &here, error);
        rc = rc ? rc : add_found(of->graph, &here, &s);
        if (here.arc)
            found->first_id = here.first_id;
        sqlite3_free(here.merged);
        rc = rc ? rc : sqlite3_vtab_in_next(id[list], &one[list]);
    }
    rc = rc == SQLITE_DONE ? SQLITE_OK : rc;
    settle_lookup_list(&s);
    rc = rc ? rc : hand_over(of->graph, &s, arcs, found);
    sqlite3_free(s.edge);
    return rc;
}

/* ---- by ids of their own ---- */

static int add_named(graph_ref *of, sqlite3_value *id, edge_set *s, bool *misses) {
    row_ids_range range[ROW_IDS_MEANINGS];
    int ranges = 0;
    int rc = lookup_misses_ids(of, id, misses);
    if (rc == SQLITE_OK && !*misses)
        rc = row_ids_find(of->row_ids, id, range, &ranges);
    for (int k = 0; rc == SQLITE_OK && k < ranges; k++) {
        rc = make_room_of_lookup_list(s, range[k].count);
        for (uint64_t i = 0; rc == SQLITE_OK && i < range[k].count; i++)
            s->edge[s->count++] = range[k].first + i;
    }
    return rc;
}

int lookup_named_of_list(graph_ref *of, sqlite3_value *ids, edges_found *found,
                         bool *misses) {
    edge_set s = {0};
    sqlite3_value *id;
    *found = (edges_found){0};
    *misses = false;
    int rc = sqlite3_vtab_in_first(ids, &id);
    while (rc == SQLITE_OK && id && !*misses) {
        rc = add_named(of, id, &s, misses);
        rc = rc ? rc : sqlite3_vtab_in_next(ids, &id);
    }
    rc = rc == SQLITE_DONE ? SQLITE_OK : rc;
    settle_lookup_list(&s);
    if (rc == SQLITE_OK && !*misses)
        rc = hand_over(of->graph, &s, false, found);
    sqlite3_free(s.edge);
    return rc;
}
