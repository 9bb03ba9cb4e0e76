/* The graphs of a mirror, made by a whole read or from blocks in the file.
**
**     roads(a, b, metres)            one graph
**     roads(a, b, metres, id)        one graph, and the row of each edge (load/row_ids.h)
**     roads(a, b, metres, id, back)  two of these: one with an edge for each row, for the
**                                    direction 'both', and one with an edge for each open
**                                    direction
**
** The two graphs are changed by equal batches, and a statement that sees one of them is
** bound to the other, too. */
#include "base/ext_limits.h"
#include "mirror.h"
#include <string.h>

static void settle_mirror(connection *c, graph_ref *before) {
    if (!before)
        return;
    before->followed = false;
    before->place = NULL;
    graph_settle(c, before);
}

void mirror_set(connection *c, followed *f, graph_ref *g, graph_ref *both) {
    graph_ref *before[] = {f->graph, f->both};
    f->graph = g;
    f->both = both;
    if (g)
        g->followed = true;
    if (both)
        both->followed = true;
    if (before[0] != g)
        settle_mirror(c, before[0]);
    if (before[1] != both)
        settle_mirror(c, before[1]);
}

/* ---- a whole read ---- */

/* Makes a graph of the mirror. It takes over `got` and, unless NULL, `shared`, which then
** owns the graph. NULL: no memory. */
static graph_ref *mirror_take(const followed *f, bool undirected, shared_graph *shared,
                              loaded *got) {
    graph_ref *g = graph_frame(sqlite3_mprintf("\"%w\".\"%w\"", f->schema, f->name),
                               &f->rows, NULL, f->direction, undirected);
    if (!g && shared)
        shared_release(shared);
    else if (!g)
        loaded_clear(got);
    if (!g)
        return NULL;
    graph_take(g, got);
    g->shared = shared;
    return g;
}

/* Makes the graphs the mirror. A missing graph means that there was no memory. */
static int take_mirror(connection *c, followed *f, graph_ref *g, graph_ref *both) {
    if (!g || (f->rows.column[REVERSE_COLUMN] && !both)) {
        graph_free(g);
        graph_free(both);
        return SQLITE_NOMEM;
    }
    graph_list(c, g);
    if (both)
        graph_list(c, both);
    mirror_set(c, f, g, both);
    return SQLITE_OK;
}

/* ---- other connections' mirrors ----
**
** All connections of the process that reach a committed state by a whole read share its
** graph (kept/shared.h). A batch changes a graph in place, so a mirror first takes a
** shared graph out of the list, if it is the only user. Otherwise it leaves the graph to
** the others and reads the table again. That pays only if changes are rare, so a mirror
** that has left some times keeps a private graph until changes pause. */

/* True if this transaction sees a committed state of which other connections may have a
** graph. *name: the name of that graph. */
static bool mirror_name(const reading *r, const followed *f, graph_name *name) {
    *name = (graph_name){.source = f->rows.name, .followed = true};
    return !f->persist && !f->filter && !f->rows.column[REVERSE_COLUMN] &&
           !source_has_row_ids(&f->rows) && source_rowid(&f->rows) && r->hold &&
           !stamp_writing(r->hold) && graph_identify(r->c, &f->rows, &name->rows);
}

static int load_rows(reading *r, followed *f, loaded *got, loaded *other) {
    graph_request request = *r->request;
    request.undirected = false;
    request.edges_here = true;
    return graph_load(r->c, &request, &f->rows, NULL, TRY_WEIGHTS, got, other, r->error);
}

typedef struct shared_read {
    reading *r;
    followed *f;
} shared_read;

static int load_for_all(void *of, loaded *got) {
    const shared_read *w = of;
    return load_rows(w->r, w->f, got, NULL);
}

/* *shared: the owner of got->graph, or NULL. A shared graph has no second graph beside
** it. */
static int load_mirror(reading *r, followed *f, loaded *got, loaded *other,
                       shared_graph **shared) {
    graph_name name;
    shared_read read = {r, f};
    *shared = NULL;
    if (f->left >= ext_limits.mirror_times_to_leave || !mirror_name(r, f, &name))
        return load_rows(r, f, got, other);
    return shared_load(r->c, &name, load_for_all, &read, got, shared);
}

bool mirror_make_own(followed *f) {
    if (f->graph->shared && shared_withdraw(f->graph->shared))
        f->graph->shared = NULL;
    f->left += f->graph->shared != NULL;
    return !f->graph->shared;
}

bool mirror_is_foreign(const followed *f) {
    return f->graph && f->graph->shared && shared_is_foreign(f->graph->shared);
}

int mirror_renew(reading *r, followed *f, const char *why) {
    shared_graph *shared;
    loaded got, other = {.graph = NULL};
    const bool two = f->rows.column[REVERSE_COLUMN] != NULL;
    r->why = why;
    check_done(r);
    int rc = load_mirror(r, f, &got, two ? &other : NULL, &shared);
    if (rc)
        return rc;
    graph_ref *g = mirror_take(f, false, shared, &got),
              *both = two ? mirror_take(f, true, NULL, &other) : NULL;
    f->has_real = false;
    f->changed_ms = gg_now_ms();
    return take_mirror(r->c, f, g, both);
}

/* ---- from blocks ---- */

/* Clears *good if the parts of a graph from the file do not fit together. Damaged files
** may have such parts, and lookups in them could fail. */
static int check_saved(connection *c, const graph_ref *g, bool *good) {
    const uint64_t edges = gpugraph_edge_count(g->graph);
    const bool weighted = gpugraph_weights(g->graph) != GPUGRAPH_UNWEIGHTED;
    *good &= edges == 0 || weighted == g->weight_column;
    *good &= !g->row_ids || gpugraph_edge_count(g->row_ids) == edges;
    return g->row_ids ? row_ids_settle(c, g->row_ids) : SQLITE_OK;
}

int mirror_load_blocks(reading *r, followed *f) {
    loaded saved[2];
    const bool two = f->rows.column[REVERSE_COLUMN] != NULL,
               named = source_has_row_ids(&f->rows);
    int rc = blocks_read(r->c, r->follow, saved, &f->position, &f->mark);
    bool good = rc == SQLITE_OK;
    for (int k = 0; k < 2; k++) {
        const bool needed = k == 0 || two;
        good &= !saved[k].graph == !needed && !saved[k].row_ids == !(needed && named);
        saved[k].unnamed = !named && !source_rowid(&f->rows);
        saved[k].has_weight = f->rows.column[WEIGHT_COLUMN] != NULL;
    }
    if (!good || !two)
        loaded_clear(&saved[1]);
    if (!good) {
        loaded_clear(&saved[0]);
        return rc;
    }
    graph_ref *g = mirror_take(f, false, NULL, &saved[0]),
              *both = two ? mirror_take(f, true, NULL, &saved[1]) : NULL;
    if (g)
        rc = check_saved(r->c, g, &good);
    if (both && rc == SQLITE_OK)
        rc = check_saved(r->c, both, &good);
    if (rc == SQLITE_OK && good)
        return take_mirror(r->c, f, g, both);
    graph_free(g);
    graph_free(both);
    return rc;
}

/* ---- sharing again ----
**
**     connection 1   own graph, patched --- quiet --> offers it -----------\
**     connection 2   own graph, patched --- quiet --> equal state: takes --- shared_graph
**                                                     it, frees its own
**
** After the next change all but the last of these mirrors leave the graph and read the
** table. So a mirror shares only after a pause without changes, and the pause doubles
** each time that the mirror has had to leave. A connection that alone uses a graph that
** it has offered takes the graph out of the list and changes it. */

static bool is_quiet(const followed *f) {
    enum { MOST_DOUBLINGS = 20 };
    const int doublings = f->left < MOST_DOUBLINGS ? f->left : MOST_DOUBLINGS;
    return gg_now_ms() - f->changed_ms >=
           ext_limits.mirror_rejoins_after_ms * (double)(1 << doublings);
}

/* True if the graph depends on the rows alone, and no running statement looks at it. */
static bool may_be_replaced(const graph_ref *g) {
    return g->references == 0 && g->bindings == 0 && !g->half_rows && !g->row_ids &&
           !g->unnamed && !g->weight_error &&
           !(g->shared && shared_is_foreign(g->shared));
}

/* Kept searches stay valid: in compact graphs equal rows give vertices equal numbers. */
static void take_over(connection *c, followed *f, shared_graph *shared) {
    loaded got = shared_loaded(shared);
    graph_ref *g = mirror_take(f, false, shared, &got);
    if (!g)
        return;
    g->searches = f->graph->searches;
    f->graph->searches = NULL;
    graph_list(c, g);
    mirror_set(c, f, g, NULL);
}

void mirror_rejoin(reading *r, followed *f) {
    graph_ref *g = f->graph;
    if (!f->may_rejoin || f->both || !is_quiet(f) || !may_be_replaced(g))
        return;
    const bool loose =
        gpugraph_tombstones(g->graph, NULL) > 0 || gpugraph_later_vertices(g->graph) > 0;
    /* Compaction takes time, and a lone connection does not share. */
    if (loose && !connections_are_several())
        return;
    f->may_rejoin = false; /* until the base changes */
    const loaded own = {
        .graph = g->graph, .has_weight = g->has_weight, .has_text = g->has_text};
    graph_name name;
    if (!mirror_name(r, f, &name) || (loose && graph_compact(r->c, g)))
        return;
    shared_graph *offered = shared_offer(&name, g->shared, &own);
    if (offered && offered != g->shared && shared_loaded(offered).graph != g->graph)
        take_over(r->c, f, offered);
    else if (offered)
        g->shared = offered;
}
