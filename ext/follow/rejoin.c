/* Mirrors that were separated by a change share one graph again.
**
**     connection 1   own graph, patched --- quiet --> offers it -----------\
**     connection 2   own graph, patched --- quiet --> equal state: takes --- shared_graph
**                                                     it, frees its own
**
** After the next change all but the last of these mirrors leave the graph and read the
** table. So a mirror shares only after a pause without changes, and the pause doubles
** each time that the mirror has had to leave. A connection that alone uses a graph that
** it has offered takes the graph out of the list and changes it. */
#include "mirror.h"
#include "base/ext_limits.h"

#include <string.h>

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
