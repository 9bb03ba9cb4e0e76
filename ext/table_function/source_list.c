/* `source IN (...)`: one search from each source; the rows of one source follow those of
** another.
**
**     source_list   | 2 | 4 | 7 | 9 | ...       each vertex once
**                     ^       ^------------ ahead: searches that run together, and are
**                     alone                 kept with the graph like single searches
**
** The first search runs alone, so that its rows come at once and no work is lost if the
** statement ends with them. Breadth-first searches from later sources run together, up to
** 64 at a time, as many as fit into half of the cache, unless the next one is kept. */
#include "answer.h"

#include <string.h>

enum { MOST_AHEAD = 64 };

void answer_drop_ahead(answer *s) {
    for (int i = 0; i < s->ahead_count; i++)
        search_release(s->by->c, s->ahead[i]);
    sqlite3_free(s->ahead);
    s->ahead = NULL;
    s->ahead_count = 0;
}

/* ---- searches ahead ---- */

static uint32_t room_ahead(const answer *s, const arguments *a) {
    const gpugraph_graph *graph = s->graph->graph;
    const config *given = &s->by->c->config;
    sqlite3_int64 per_vertex = sizeof(uint32_t), limit = given->cache_limit;
    if (a->plan & PLAN_TREE)
        per_vertex += (sqlite3_int64)gpugraph_edge_size(graph);
    if (given->host_memory_limit > 0 && given->host_memory_limit < limit)
        limit = given->host_memory_limit;
    sqlite3_int64 room =
        limit / 2 / (per_vertex * (gpugraph_vertex_count(graph) + (sqlite3_int64)1));
    return room < MOST_AHEAD ? (uint32_t)room : MOST_AHEAD;
}

/* Asks the call's question for that source. */
static int ask_of(const answer *s, arguments *a, uint32_t source, question *q) {
    int rc = numbers_set(&a->sources, source);
    question_ask(a, s, q);
    question_for_part(a, q);
    return rc;
}

/* Keeps the answer for that source, and holds it until the list has been read. */
static int keep_source_list(answer *s, arguments *a, uint32_t source, arrays *made) {
    question q;
    int bytes, rc = ask_of(s, a, source, &q);
    rc = rc ? rc : question_key(s, &q, &bytes);
    if (rc != SQLITE_OK) {
        arrays_free(made);
        return rc;
    }
    search_ref *kept = search_keep(s->by->c, s->graph, s->key, bytes, made,
                                   arrays_bytes(made), arrays_free);
    if (!kept)
        return SQLITE_NOMEM;
    s->ahead[s->ahead_count++] = kept;
    return SQLITE_OK;
}

static int search_ahead(answer *s, arguments *a, const uint32_t *source, uint32_t count) {
    arrays *each[MOST_AHEAD] = {NULL};
    gpugraph_run run;
    question q;
    int rc = ask_of(s, a, source[0], &q);
    q.search.source = source;
    q.search.source_count = count;
    answer_drop_ahead(s);
    s->ahead = sqlite3_malloc64(count * sizeof *s->ahead);
    if (!s->ahead)
        rc = SQLITE_NOMEM;
    for (uint32_t i = 0; i < count && rc == SQLITE_OK; i++) {
        each[i] = arrays_new();
        if (!each[i])
            rc = SQLITE_NOMEM;
    }
    if (rc == SQLITE_OK) {
        answer_run(s, a, &q, &run);
        if (arrays_make_each(s->graph->graph, s->by->function, &q, &run, each) !=
            GPUGRAPH_OK)
            rc = answer_failed(s, &run);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (rc == SQLITE_OK)
            rc = keep_source_list(s, a, source[i], each[i]);
        else if (each[i])
            arrays_free(each[i]);
    }
    return rc;
}

/* Searches that may end early run one by one: most of them reach few vertices (listed.c),
** or answer_find runs one search that serves later calls. */
int answer_ahead(answer *s, arguments *a, uint32_t next) {
    const table_function *f = a->by->function;
    const uint32_t left = a->listed_sources.count - next, room = room_ahead(s, a),
                   count = left < room ? left : room;
    search_ref *kept = NULL;
    question q;
    if (next == 0 || count < 2 || !f->search->each || f->paths ||
        a->plan & (PLAN_VARIABLE_BOUND | PLAN_VARIABLE_END))
        return SQLITE_OK;
    int bytes, rc = ask_of(s, a, a->listed_sources.item[next], &q);
    rc = rc ? rc : question_key(s, &q, &bytes);
    if (rc == SQLITE_OK)
        kept = search_find(s->by->c, s->graph, s->key, bytes);
    search_release(s->by->c, kept);
    return rc || kept || question_ends_early(&q)
               ? rc
               : search_ahead(s, a, a->listed_sources.item + next, count);
}
