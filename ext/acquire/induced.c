/* Induced subgraphs: the vertices that the query vertex_filter lists, and the edges
** between them.
**
**     graph       1 -> 2 -> 3 -> 4        members    1 3 4
**     subgraph    1    3 -> 4
**
** The query runs for each search, since its tables may change at any time. A subgraph is
** a copy of the graph without the other vertices. It is kept until the graph changes, and
** serves all searches whose queries list its vertices. */
#include "induced.h"
#include "base/id_list.h"
#include "base/vertex_id.h"
#include "load/row_ids.h"
#include <stdlib.h>
#include <string.h>

/* ---- the members ---- */

typedef struct lookup {
    const gpugraph_graph *graph;
    uint32_t vertex;
} lookup;

static bool look_up(void *of, sqlite3_int64 integer, const char *text, size_t bytes) {
    lookup *l = of;
    l->vertex = text ? gpugraph_find_text(l->graph, text, bytes)
                     : gpugraph_find_integer(l->graph, integer);
    return l->vertex != GPUGRAPH_NONE;
}

static bool is_member(const uint8_t *members, uint32_t v) {
    return members[v / 8] >> v % 8 & 1;
}

static size_t member_bytes(const graph_ref *g) {
    return (size_t)gpugraph_vertex_count(g->graph) / 8 + 1;
}

/* Sets the bits of the vertices that the query lists. Ids that are no vertices are
** ignored. */
static int list_members(reading *r, const graph_ref *g, sqlite3_stmt *query,
                        uint8_t *members) {
    lookup found = {g->graph, GPUGRAPH_NONE};
    int rc = SQLITE_OK;
    while (rc == SQLITE_OK && (rc = sqlite3_step(query)) == SQLITE_ROW) {
        bool any;
        rc = argument_id_find(sqlite3_column_value(query, 0), g->ids.affinity, look_up,
                              &found, &any);
        if (rc == SQLITE_OK && any)
            members[found.vertex / 8] |= (uint8_t)(1u << found.vertex % 8);
    }
    if (rc == SQLITE_DONE)
        return SQLITE_OK;
    return rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT
               ? rc
               : explain_fault(r, rc,
                               sqlite3_mprintf("the query in vertex_filter cannot be "
                                               "read: %s",
                                               sqlite3_errmsg(r->c->db)));
}

/* Runs the query. *members: for free(). */
static int find_members(reading *r, const graph_ref *g, uint8_t **members) {
    const graph_request *q = r->request;
    const query_params params = {"vertex_filter", "vertex_params", q->vertex_params,
                                 q->vertex_params ? (int)strlen(q->vertex_params) : 0};
    edge_source text;
    row_source rows = {0};
    char *fault;
    int rc =
        edge_parse(q->vertex_filter, (int)strlen(q->vertex_filter), 1, &text, &fault);
    if (rc == SQLITE_OK && !text.query)
        fault = sqlite3_mprintf("vertex_filter must be a query of one column, as in "
                                "'SELECT id FROM places WHERE open'");
    if (rc == SQLITE_OK && !text.query)
        rc = SQLITE_ERROR;
    rc = explain_fault(r, rc, fault);
    if (rc == SQLITE_OK)
        rc = source_resolve(r->c, q->function, "vertex_filter", r->scope, &text, &rows,
                            r->error);
    if (rc == SQLITE_OK) {
        rc = query_params_bind(r->c->db, rows.query, &params, &fault);
        rc = explain_fault(r, rc, fault);
    }
    *members = rc == SQLITE_OK ? calloc(member_bytes(g), 1) : NULL;
    if (rc == SQLITE_OK)
        rc = *members ? list_members(r, g, rows.query, *members) : SQLITE_NOMEM;
    row_source_clear(&rows);
    edge_source_clear(&text);
    return rc;
}

/* ---- a kept subgraph ---- */

static graph_ref *find_subgraph(const connection *c, const graph_ref *g,
                                const uint8_t *members) {
    graph_ref *s = c->graphs;
    while (s && (s->dropped || s->induced_from != g->state ||
                 memcmp(s->members, members, member_bytes(g)) != 0))
        s = s->next;
    return s;
}

/* Drops the subgraphs of states that are past, and the one whose use is longest ago if
** there are too many. */
static void drop_subgraphs(connection *c) {
    enum { MOST_SUBGRAPHS = 8 };
    graph_ref *next, *oldest = NULL;
    int count = 0;
    for (graph_ref *s = c->graphs; s; s = next) {
        next = s->next;
        if (!s->induced_from || s->dropped)
            continue;
        if (strcmp(graph_state(c, s), "stale") == 0) {
            graph_drop(c, s);
            continue;
        }
        count++;
        oldest = !oldest || s->used < oldest->used ? s : oldest;
    }
    if (count >= MOST_SUBGRAPHS)
        graph_drop(c, oldest);
}

/* ---- a new subgraph ---- */

/* What goes from the copy, and the vertices that stay although edges at them go. */
typedef struct removal {
    const uint8_t *members;
    id_list edges; /* edge ids or, with row_ids, edge numbers plus one */
    id_list rows;  /* with row_ids */
    uint32_t *kept, *loose;
    int64_t kept_count, loose_count;
} removal;

static int list_edges(removal *r, graph_ref *g) {
    const uint64_t m = gpugraph_edge_count(g->graph);
    int rc = SQLITE_OK;
    for (uint64_t e = 0; e < m && rc == SQLITE_OK; e++) {
        const gpugraph_edge edge = gpugraph_edge_of(g->graph, e);
        const bool from = is_member(r->members, edge.source),
                   to = is_member(r->members, edge.target);
        if (from && to)
            continue;
        rc = id_list_add(&r->edges, g->row_ids ? (int64_t)e + 1 : edge.id);
        if (rc == SQLITE_OK && g->row_ids)
            rc = id_list_add(&r->rows, row_ids_row(g->row_ids, e));
        if (from || to)
            r->kept[r->kept_count++] = from ? edge.source : edge.target;
    }
    return rc;
}

static int list_removal(removal *r, graph_ref *g) {
    const uint32_t n = gpugraph_vertex_count(g->graph);
    r->kept = malloc((gpugraph_edge_count(g->graph) + 1) * sizeof *r->kept);
    r->loose = malloc(((size_t)n + 1) * sizeof *r->loose);
    if (!r->kept || !r->loose)
        return SQLITE_NOMEM;
    for (uint32_t v = 0; v < n; v++)
        if (!is_member(r->members, v))
            r->loose[r->loose_count++] = v;
    return list_edges(r, g);
}

static int remove_others(connection *c, graph_ref *g, removal *r) {
    gpugraph_run run;
    connection_run(c, &run);
    run.phase = NULL; /* one phase for the whole subgraph */
    if (g->row_ids && r->rows.count) {
        int rc = id_list_sort(&r->rows);
        const gpugraph_changes rows = {.removed = r->rows.item,
                                       .removed_count = r->rows.count};
        rc = rc ? rc : code_of_status(gpugraph_update(g->row_ids, &rows, &run));
        rc = rc ? rc : row_ids_settle(c, g->row_ids);
        if (rc)
            return rc;
    }
    const gpugraph_changes batch = {.removed = r->edges.item,
                                    .removed_count = r->edges.count,
                                    .kept = r->kept,
                                    .kept_count = r->kept_count,
                                    .loose = r->loose,
                                    .loose_count = r->loose_count};
    gpugraph_status status = gpugraph_update(g->graph, &batch, &run);
    if (status == GPUGRAPH_OK)
        status = gpugraph_compact(g->graph, &run);
    return code_of_status(status);
}

/* Makes the subgraph, which is in no list. It takes over `members` after a success. */
static int make_subgraph(connection *c, const graph_ref *g, uint8_t *members,
                         graph_ref **made) {
    removal r = {.members = members};
    const double started = gg_now_ms();
    int rc = graph_copy(c, g, made);
    if (rc == SQLITE_OK) {
        gpugraph_free((*made)->half_rows);
        (*made)->half_rows = NULL;
        rc = list_removal(&r, *made);
    }
    rc = rc ? rc : remove_others(c, *made, &r);
    id_list_clear(&r.edges);
    id_list_clear(&r.rows);
    free(r.kept);
    free(r.loose);
    if (rc) {
        graph_free(*made);
        *made = NULL;
        return rc;
    }
    (*made)->members = members;
    (*made)->induced_from = g->state;
    timings_add(&c->timings, "filter", gg_now_ms() - started,
                (sqlite3_int64)gpugraph_edge_count((*made)->graph),
                "the subgraph of the vertices that vertex_filter lists");
    return SQLITE_OK;
}

/* Fails if there is no graph that a filter applies to, or no filter for the values. */
static int check_request(reading *r, const graph_ref *g) {
    const char *fault = NULL;
    if (!r->request->vertex_filter && r->request->vertex_params)
        fault = "vertex_params holds values for vertex_filter, and there is none; leave "
                "vertex_params out";
    else if (r->request->vertex_filter && !g->of_table)
        fault = "vertex_filter is for tables and followed graphs; put the condition into "
                "the query in edges";
    return fault ? explain_fault(r, SQLITE_ERROR, sqlite3_mprintf("%s", fault))
                 : SQLITE_OK;
}

int induced_subgraph(reading *r, graph_ref **g) {
    uint8_t *members = NULL;
    graph_ref *found;
    int rc = check_request(r, *g);
    if (rc || !r->request->vertex_filter)
        return rc;
    rc = find_members(r, *g, &members);
    found = rc == SQLITE_OK ? find_subgraph(r->c, *g, members) : NULL;
    if (rc || found) {
        free(members);
        *g = found ? found : *g;
        return rc;
    }
    drop_subgraphs(r->c);
    rc = make_subgraph(r->c, *g, members, &found);
    if (rc) {
        free(members);
        return rc;
    }
    graph_list(r->c, found);
    *g = found;
    return SQLITE_OK;
}
