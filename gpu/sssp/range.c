/* Names a vertex whose distance a search has lost because a sum left the range of
** distances. */
#include "work.h"

#include <stdio.h>

static void name_vertex(const gpugraph_graph *graph, uint32_t v, char *name,
                        size_t room) {
    const gpugraph_id id = gpugraph_id_of(gpugraph_vertex_ids(graph), v);
    if (id.is_text)
        snprintf(name, room, "'%.*s'", id.length < 60 ? (int)id.length : 60, id.text);
    else
        snprintf(name, room, "%lld", (long long)id.integer);
}

/* Marks in `beyond` every vertex that is not reached although a path leads to it. */
static gpugraph_status mark_beyond(struct sssp *s, uint8_t *beyond) {
    uint32_t n = s->arcs.n, tail = 0;
    uint32_t *queue = gg_alloc(s->run, n, sizeof *queue);
    if (!queue)
        return s->run->status;
    /* Starts from all reached vertices, and continues with the marked ones. */
    for (uint64_t i = 0; i < (uint64_t)n + tail && !pause_now(s, &s->tally); i++) {
        uint32_t u = i < n ? (uint32_t)i : queue[i - n];
        if (i < n && !gg_sssp_reached(s, u))
            continue;
        s->tally.arcs += s->arcs.end[u] - s->arcs.begin[u];
        for (uint64_t arc = s->arcs.begin[u];
             arc < s->arcs.end[u] && !gg_leave(s->run, arc); arc++) {
            uint32_t v = s->arcs.target[arc];
            if (!beyond[v] && !gg_sssp_reached(s, v)) {
                beyond[v] = 1;
                queue[tail++] = v;
            }
        }
    }
    gg_release(queue);
    return gg_stopping(s->run) ? gg_stopped(s->run) : GPUGRAPH_OK;
}

gpugraph_status gg_check_range(struct sssp *s, const gpugraph_graph *graph) {
    uint8_t *beyond = gg_alloc_zero(s->run, s->arcs.n, 1);
    if (!beyond || mark_beyond(s, beyond)) {
        gg_release(beyond);
        return s->run->status;
    }
    const gpugraph_search *search = s->search;
    uint32_t wanted = search->target_count ? search->target_count : s->arcs.n;
    uint32_t lost = GPUGRAPH_NONE;
    for (uint32_t i = 0; i < wanted && lost == GPUGRAPH_NONE; i++) {
        uint32_t v = search->target_count ? search->target[i] : i;
        if (beyond[v])
            lost = v;
    }
    gg_release(beyond);
    if (lost == GPUGRAPH_NONE)
        return GPUGRAPH_OK;
    char name[80];
    const bool is_real = graph->distance_type == GPUGRAPH_REAL;
    name_vertex(graph, lost, name, sizeof name);
    return gg_fail(s->run, GPUGRAPH_RANGE,
                   "the distance of vertex %s is over the %s; %s or bound the search by "
                   "max_distance",
                   name,
                   is_real ? "range of a REAL (1.79769e+308)"
                           : "INTEGER range (9223372036854775807)",
                   is_real ? "scale the weights down" : "use smaller or REAL weights");
}
