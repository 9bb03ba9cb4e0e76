/* The graph as a statement must see it: the one that it has seen, a kept one that is current, the
** mirror of a followed one, or one that is read now. */
#include "acquire.h"
#include "read.h"
#include "pages/wal_frames.h"

/* A kept graph whose tables are unchanged, with the read transaction to hold on to. */
static int find_kept_of_acquire(reading *r, graph_ref **found) {
    connection *c = r->c;
    graph_ref *next;
    for (graph_ref *g = c->graphs; g; g = next) {
        next = g->next;
        if (!g->stamp || g->dropped || !graph_named(g, r->request))
            continue;
        int rc = stamp_retake(c, g->stamp, &r->hold);
        if (rc == SQLITE_OK && graph_is_current(g, r->hold)) {
            *found = g;
            return SQLITE_OK;
        }
        bool writing = r->hold && stamp_writing(r->hold);
        stamp_free(r->hold);
        r->hold = NULL;
        if (rc == SQLITE_NOMEM || rc == SQLITE_INTERRUPT || (rc & 0xff) == SQLITE_BUSY)
            return explain_lock(r, rc, g->edges);
        r->why = "the table has changed since its graph was read";
        if (!writing) /* else it may serve again, after a ROLLBACK */
            graph_drop(c, g);
    }
    return SQLITE_OK;
}

/* From now on the statement sees it, and the other one where there are two. */
static int bind_found(reading *r, graph_ref *found) {
    int rc = graph_bind(r->c, r->scope, r->request, found, r->hold);
    r->hold = NULL;
    if (rc)
        graph_settle(r->c, found);
    if (r->twin && rc == SQLITE_OK)
        rc = graph_bind(r->c, r->scope, r->request, r->twin, NULL);
    if (r->twin && rc)
        graph_settle(r->c, r->twin);
    return rc;
}

/* The graph for a statement that has not seen it yet. */
static int find_or_read(reading *r, graph_ref **found) {
    *found = NULL;
    r->why = "no graph is kept under this name";
    int rc = find_kept_of_acquire(r, found);
    if (rc == SQLITE_OK && *found) {
        r->why = "the kept graph is current";
        check_done(r);
    } else if (rc == SQLITE_OK) {
        rc = followed_find(r, found);
        if (rc == SQLITE_OK && !*found)
            rc = read_graph(r, found);
    }
    return rc ? rc : bind_found(r, *found);
}

static int find_graph(reading *r, graph_ref **found) {
    struct binding *b = binding_find(r->c, r->scope, r->request);
    if (!b && r->request->followed) {
        *found = graph_seen(r->c, r->scope, r->request->edges, r->request);
        if (!*found) {
            *found = followed_graph(r->request->followed, r->request);
            r->twin = followed_other(r->request->followed, *found);
        }
        return bind_found(r, *found);
    }
    if (!b)
        return find_or_read(r, found);
    *found = b->graph;
    return SQLITE_OK;
}

/* A followed graph may have numbers that are no vertex's. For who cannot do with them it is one without: itself, where nobody
** else looks at it, or a copy that the statement sees from now on. */
static int give_up_unused(reading *r, graph_ref **found) {
    graph_ref *g = *found, *made;
    if (r->request->unused_numbers || gpugraph_unused_numbers(g->graph, NULL) == 0)
        return SQLITE_OK;
    if (!g->shared && g->references == 0 && g->bindings == 1)
        return graph_give_up_unused(r->c, g);
    int rc = graph_copy(r->c, g, &made);
    if (rc == SQLITE_OK)
        rc = graph_give_up_unused(r->c, made);
    if (rc) {
        if (made)
            graph_free(made);
        return rc;
    }
    graph_list(r->c, made);
    struct binding *b = binding_find(r->c, r->scope, r->request);
    b->graph = made;
    made->bindings++;
    g->bindings--;
    graph_settle(r->c, g);
    *found = made;
    return SQLITE_OK;
}

/* Weights that are asked for and are not there. */
static int check_weights_of(reading *r, const graph_ref *g) {
    enum weight_need need = r->request->weight;
    bool unclear = need == WEIGHT_IF_CLEAR && g->weight_unclear;
    bool must = need == WEIGHT_YES || g->weight_column || unclear;
    if (need == WEIGHT_NO || !g->weight_error || !must)
        return SQLITE_OK;
    *r->error = sqlite3_mprintf("%s: %s%s", r->request->function, g->weight_error,
                                unclear ? SOURCE_OR_NO_WEIGHT : "");
    return *r->error ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Ids that are numbers in one column and texts in another one. */
static int check_ids_of(reading *r, graph_ref *g) {
    char *fault;
    int rc = mixed_ids_check(r->c, g, &fault);
    return explain_fault(r, rc, fault);
}

/* Edges may be on a device alone: of a graph that was read for a search, also under the name of one that is followed. */
static int bring_edges_of(reading *r, const graph_ref *g) {
    gpugraph_run run;
    if (!r->request->edges_here)
        return SQLITE_OK;
    connection_run(r->c, &run);
    gpugraph_bring_edges(g->graph, &run);
    return code_of_run(&run, r->request->function, r->error);
}

int graph_acquire(connection *c, const graph_request *request, graph_ref **ref,
                  char **error) {
    scope own = {0};
    *ref = NULL;
    *error = NULL;
    if (!request->scope && scope_open(c, &own, NULL))
        return SQLITE_NOMEM;
    reading r = {.c = c,
                 .request = request,
                 .scope = request->scope ? request->scope : &own,
                 .started_ms = gg_now_ms(),
                 .error = error};
    graph_ref *g;
    wal_notes_take(&c->logs, c->db);
    connection_note(c);
    int rc = find_graph(&r, &g);
    if (rc == SQLITE_OK)
        rc = check_weights_of(&r, g);
    if (rc == SQLITE_OK)
        rc = check_ids_of(&r, g);
    if (rc == SQLITE_OK)
        rc = give_up_unused(&r, &g);
    if (rc == SQLITE_OK)
        rc = bring_edges_of(&r, g);
    if (rc == SQLITE_OK) {
        g->references++;
        graph_touch(c, g);
        if (g->stamp)
            graph_drop_others(c, g, request);
        *ref = g;
    }
    reading_clear(&r);
    scope_close(c, &own);
    cache_trim(c);
    return rc;
}
