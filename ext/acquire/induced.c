/* Induced subgraphs: the vertices that the query vertex_filter lists, and the edges
** between them.
**
**     graph       1 -> 2 -> 3 -> 4        members    1 3 4
**     subgraph    1    3 -> 4
**
** The query runs for each search, since its tables may change at any time. A subgraph is
** a graph of its own. It is kept until the graph changes, and serves all searches whose
** queries list its vertices. */
#include "induced.h"
#include "base/id_list.h"
#include "base/intern.h"
#include "base/vertex_id.h"
#include "load/row_ids.h"
#include <stdlib.h>
#include <string.h>

/* ---- the members ---- */

static bool is_member(const uint8_t *members, uint32_t v) {
    return members[v / 8] >> v % 8 & 1;
}

static size_t member_bytes(const graph_ref *g) {
    return (size_t)gpugraph_vertex_count(g->graph) / 8 + 1;
}

/* Sets the bits of the vertices that the query lists. Values that are no vertices are
** ignored. */
static int list_members(reading *r, const graph_ref *g, sqlite3_stmt *query,
                        uint8_t *members) {
    int rc = SQLITE_OK;
    while (rc == SQLITE_OK && (rc = sqlite3_step(query)) == SQLITE_ROW) {
        uint32_t v;
        rc = find_argument(g->graph, g->ids.affinity, sqlite3_column_value(query, 0), &v);
        if (rc == SQLITE_OK && v != GPUGRAPH_NONE)
            members[v / 8] |= (uint8_t)(1u << v % 8);
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

/* The columns of the subgraph. An id is an INTEGER or, with its bit, a number of a
** text. */
typedef struct columns {
    const gpugraph_graph *graph;
    const uint8_t *members;
    intern texts;
    int64_t *id; /* of each vertex of the graph; set for members */
    uint8_t *id_is_text;
    int64_t count, vertex_count, *end[2], *edge_id, *vertex;
    uint8_t *is_text[3]; /* of source, target, vertex */
    union weight {
        int64_t integer;
        double real;
    } * weight;
    id_list gone; /* with row_ids: the rows of the other edges */
} columns;

static void set_bit(uint8_t *bits, int64_t i, bool bit) {
    bits[i / 8] |= (uint8_t)(bit << i % 8);
}

static bool take_columns(columns *s) {
    const size_t n = (size_t)gpugraph_vertex_count(s->graph) + 1,
                 m = (size_t)gpugraph_edge_count(s->graph) + 1;
    s->id = malloc(n * sizeof *s->id);
    s->vertex = malloc(n * sizeof *s->vertex);
    s->id_is_text = calloc(n / 8 + 1, 1);
    s->is_text[2] = calloc(n / 8 + 1, 1);
    for (int k = 0; k < 2; k++) {
        s->end[k] = malloc(m * sizeof **s->end);
        s->is_text[k] = calloc(m / 8 + 1, 1);
    }
    s->edge_id = malloc(m * sizeof *s->edge_id);
    s->weight = malloc(m * sizeof *s->weight);
    return s->id && s->vertex && s->id_is_text && s->is_text[2] && s->end[0] &&
           s->end[1] && s->is_text[0] && s->is_text[1] && s->edge_id && s->weight;
}

static void free_columns(columns *s) {
    void *const blocks[] = {s->id,         s->id_is_text, s->end[0],     s->end[1],
                            s->edge_id,    s->vertex,     s->is_text[0], s->is_text[1],
                            s->is_text[2], s->weight};
    for (int i = 0; i < COUNT(blocks); i++)
        free(blocks[i]);
    intern_clear(&s->texts);
    id_list_clear(&s->gone);
}

static int add_vertices(columns *s) {
    const gpugraph_ids *ids = gpugraph_vertex_ids(s->graph);
    for (uint32_t v = 0; v < gpugraph_vertex_count(s->graph); v++) {
        if (!is_member(s->members, v))
            continue;
        const gpugraph_id id = gpugraph_id_of(ids, v);
        s->id[v] = id.is_text ? intern_text(&s->texts, id.text, id.length) : id.integer;
        if (id.is_text && s->id[v] < 0)
            return SQLITE_NOMEM;
        set_bit(s->id_is_text, v, id.is_text);
        set_bit(s->is_text[2], s->vertex_count, id.is_text);
        s->vertex[s->vertex_count++] = s->id[v];
    }
    return SQLITE_OK;
}

static int add_edges(columns *s, gpugraph_graph *row_ids) {
    const bool real = gpugraph_weights(s->graph) == GPUGRAPH_REAL_WEIGHTS;
    for (uint64_t e = 0; e < gpugraph_edge_count(s->graph); e++) {
        const gpugraph_edge edge = gpugraph_edge_of(s->graph, e);
        const uint32_t end[2] = {edge.source, edge.target};
        if (!is_member(s->members, end[0]) || !is_member(s->members, end[1])) {
            if (row_ids && id_list_add(&s->gone, row_ids_row(row_ids, e)))
                return SQLITE_NOMEM;
            continue;
        }
        for (int k = 0; k < 2; k++) {
            s->end[k][s->count] = s->id[end[k]];
            set_bit(s->is_text[k], s->count, is_member(s->id_is_text, end[k]));
        }
        if (real)
            s->weight[s->count].real = edge.real;
        else
            s->weight[s->count].integer = edge.weight;
        s->edge_id[s->count++] = edge.id;
    }
    return SQLITE_OK;
}

static int create_subgraph(connection *c, columns *s, const graph_ref *g,
                           gpugraph_graph **made) {
    gpugraph_run run;
    connection_run(c, &run);
    run.phase = NULL; /* the caller reports one phase for the whole subgraph */
    intern_close(&s->texts);
    const bool numbered = g->unnamed || g->row_ids;
    const gpugraph_edges edges = {.count = s->count,
                                  .source = {s->end[0], s->is_text[0], NULL},
                                  .target = {s->end[1], s->is_text[1], NULL},
                                  .weight_type = gpugraph_weights(g->graph),
                                  .weight = s->weight,
                                  .edge_id = numbered ? NULL : s->edge_id,
                                  .texts = {.count = s->texts.count,
                                            .offset = s->texts.offset,
                                            .bytes = s->texts.bytes},
                                  .vertex_count = s->vertex_count,
                                  .vertex = {s->vertex, s->is_text[2], NULL}};
    return code_of_status(gpugraph_create(&edges, &run, made));
}

/* Copies the rows of the edges that stay. */
static int copy_row_ids(connection *c, columns *s, const graph_ref *g,
                        gpugraph_graph **made) {
    gpugraph_run run;
    if (!g->row_ids)
        return SQLITE_OK;
    connection_run(c, &run);
    run.phase = NULL;
    int rc = id_list_sort(&s->gone);
    const gpugraph_changes gone = {.removed = s->gone.item,
                                   .removed_count = s->gone.count};
    rc = rc ? rc : code_of_status(gpugraph_clone(g->row_ids, &run, made));
    if (rc == SQLITE_OK && gone.removed_count)
        rc = code_of_status(gpugraph_update(*made, &gone, &run));
    return rc ? rc : row_ids_settle(c, *made);
}

/* Makes the subgraph, which is in no list. It takes over `members` after a success. */
static int make_subgraph(connection *c, const graph_ref *g, uint8_t *members,
                         graph_ref **made) {
    columns s = {.graph = g->graph, .members = members};
    gpugraph_run run;
    const double started = gg_now_ms();
    graph_ref *to = graph_frame_of(g);
    connection_run(c, &run);
    int rc = to && take_columns(&s) ? code_of_status(gpugraph_bring_edges(g->graph, &run))
                                    : SQLITE_NOMEM;
    rc = rc ? rc : add_vertices(&s);
    rc = rc ? rc : add_edges(&s, g->row_ids);
    rc = rc ? rc : create_subgraph(c, &s, g, &to->graph);
    rc = rc ? rc : copy_row_ids(c, &s, g, &to->row_ids);
    free_columns(&s);
    if (rc) {
        graph_free(to);
        return rc;
    }
    to->members = members;
    to->induced_from = g->state;
    *made = to;
    timings_add(&c->timings, "filter", gg_now_ms() - started, s.count,
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
