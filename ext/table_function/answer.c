/* From settled arguments to the arrays that answer them: kept from an earlier call
** where that is possible, made now where not.
**
** Where targets or bounds come from a join, nobody knows how many will follow: the
** first ends its search early, the second, with all else equal, makes the full search
** that serves the rest. A join on `vertex = ?` makes the full search at once. An
** answer grows: a tree, roots or an order that a later plan wants is added to what is
** kept. */
#include "table_function.h"

#include <stdlib.h>
#include <string.h>

/* ---- timings ----
** A call that everything is kept for leaves the timings of the latest search alone. So
** does one inside another's reading of a query: the outer one counts its time. */

/* Has a kept graph been looked at, and nothing else been done? */
static bool is_idle(const timings *t) {
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->row[i].phase, "check") != 0)
            return false;
    return !t->failed;
}

void watch_begin(search_watch *watch, connection *c) {
    watch->earlier = c->timings;
    memset(&c->timings, 0, sizeof c->timings);
    timings_start(&c->timings);
}

void watch_end(search_watch *watch, connection *c) {
    if (is_idle(&c->timings) || watch->earlier.open) {
        timings_clear(&c->timings);
        c->timings = watch->earlier;
    } else {
        timings_finish(&c->timings);
        timings_clear(&watch->earlier);
    }
}

/* The first work of a call: its time is counted from the call's beginning. */
static void begin_work(cursor *cur) {
    if (cur->working)
        return;
    cur->working = true;
    watch_begin(&cur->watch, cur->c);
    cur->c->timings.started_ms = cur->begun_ms;
}

void answer_begin(cursor *cur) {
    cur->begun_ms = now_ms();
    cur->acquiring_ms = 0;
}

void answer_end(cursor *cur) {
    if (cur->working)
        watch_end(&cur->watch, cur->c);
    cur->working = false;
}

/* ---- the graph ---- */

static void drop_search(cursor *cur) {
    if (cur->search)
        search_release(cur->c, cur->graph, cur->search);
    cur->search = NULL;
    cur->answer = NULL;
}

void answer_drop(cursor *cur) {
    sources_drop(cur);
    drop_search(cur);
    if (cur->graph)
        graph_release(cur->c, cur->graph);
    cur->graph = NULL;
}

static enum weight_need weight_wanted(const cursor *cur) {
    const int weighted = cur->arguments.weighted; /* -1: not said */
    return weighted == 0 ? WEIGHT_NO : weighted > 0 ? WEIGHT_YES : cur->algorithm->weight;
}

static int acquire(cursor *cur) {
    graph_request request = {
        .function = cur->algorithm->name,
        .edges = cur->edges.bytes,
        .edges_bytes = cur->edges.count,
        .vertices = cur->vertices.bytes,
        .vertices_bytes = cur->vertices.count,
        .params = cur->params.bytes,
        .params_bytes = cur->params.count,
        .weight = cur->weight,
        .undirected = cur->undirected,
        .backend = cur->arguments.backend,
        .scope = &cur->scope,
    };
    char *error = NULL;
    double begun = now_ms();
    begin_work(cur);
    int rc = graph_acquire(cur->c, &request, &cur->graph, &error);
    cur->acquiring_ms = now_ms() - begun;
    if (rc != SQLITE_OK) {
        cur->graph = NULL;
        return cursor_fail_with(cur, rc, error);
    }
    return SQLITE_OK;
}

int answer_graph(cursor *cur) {
    arguments *a = &cur->arguments;
    const bool undirected = a->direction == GPUGRAPH_BOTH;
    if (cur->graph && cur->weight == weight_wanted(cur) &&
        cur->undirected == undirected && text_is(&cur->edges, a->value[F_EDGES]) &&
        text_is(&cur->vertices, a->value[F_VERTICES]) &&
        text_is(&cur->params, a->value[F_PARAMS]))
        return SQLITE_OK;
    answer_drop(cur);
    text_clear(&cur->sources_text);
    cur->weight = weight_wanted(cur);
    cur->undirected = undirected;
    int rc = text_set(&cur->edges, a->value[F_EDGES]);
    if (rc == SQLITE_OK)
        rc = text_set(&cur->vertices, a->value[F_VERTICES]);
    if (rc == SQLITE_OK)
        rc = text_set(&cur->params, a->value[F_PARAMS]);
    return rc == SQLITE_OK ? acquire(cur) : rc;
}

/* ---- making ---- */

void answer_free(void *answer_pointer) {
    answer *a = answer_pointer;
    for (int i = 0; i < ANSWER_ARRAYS; i++)
        free(a->array[i]);
    for (int i = 0; i < 3; i++)
        free(a->order[i].vertex);
    free(a->path);
    sqlite3_free(a);
}

static sqlite3_int64 answer_bytes(const answer *a) {
    sqlite3_int64 bytes = sizeof *a;
    for (int i = 0; i < ANSWER_ARRAYS; i++)
        if (a->array[i])
            bytes += (sqlite3_int64)(a->n * answer_item_size(a, (enum answer_array)i));
    for (int i = 0; i < 3; i++)
        if (a->order[i].vertex)
            bytes += (sqlite3_int64)a->n * 4;
    if (a->path && a->path_edges != GPUGRAPH_NONE)
        bytes += (sqlite3_int64)(a->path_edges * a->edge_size);
    return bytes;
}

int answer_failed(cursor *cur, const gpugraph_run *run) {
    int rc = code_of_status(run->status);
    return rc == SQLITE_ERROR ? cursor_fail(cur, rc, "%s", run->message) : rc;
}

void answer_arguments(cursor *cur) {
    strangers *s = &cur->strangers;
    const int more = s->count - STRANGERS_NAMED;
    char detail[sizeof s->text + 40];
    begin_work(cur);
    sqlite3_snprintf(sizeof detail, detail, more > 0 ? "%s; and %d more" : "%s", s->text,
                     more);
    timings_add(&cur->c->timings, "arguments",
                now_ms() - cur->begun_ms - cur->acquiring_ms, 1, detail);
    s->told = true;
}

void answer_run(cursor *cur, const question *q, gpugraph_run *run) {
    begin_work(cur);
    connection_run(cur->c, run);
    run->backend = q->backend;
    run->method = q->method;
    answer_arguments(cur);
}

/* Makes what *a lacks for the question. */
static int make(cursor *cur, const question *q, answer *a) {
    gpugraph_run run;
    answer_run(cur, q, &run);
    if (answer_make(cur->graph->graph, q, &run, a) != GPUGRAPH_OK)
        return answer_failed(cur, &run);
    return SQLITE_OK;
}

search_ref *answer_keep(cursor *cur, int key_bytes, answer *a) {
    return search_keep(cur->c, cur->graph, cur->key, key_bytes, a, answer_bytes(a),
                       answer_free);
}

static int make_and_keep(cursor *cur, const question *q) {
    int key_bytes, rc = question_key(cur, q, &key_bytes);
    answer *a = sqlite3_malloc64(sizeof *a);
    if (!a || rc != SQLITE_OK) {
        sqlite3_free(a);
        return a ? rc : SQLITE_NOMEM;
    }
    memset(a, 0, sizeof *a);
    rc = make(cur, q, a);
    if (rc != SQLITE_OK) {
        answer_free(a);
        return rc;
    }
    search_ref *kept = answer_keep(cur, key_bytes, a);
    if (!kept)
        return SQLITE_NOMEM;
    kept->irreproducible = q->kind == SEARCH_DFS && !q->ordered;
    drop_search(cur);
    cur->search = kept;
    cur->answer = kept->result;
    return SQLITE_OK;
}

/* ---- finding ---- */

static int find_kept(cursor *cur, const question *q, bool *found) {
    int bytes, rc = question_key(cur, q, &bytes);
    if (rc != SQLITE_OK)
        return rc;
    const search_ref *now = cur->search;
    if (now && now->key_bytes == bytes &&
        memcmp(now->key, cur->key, (size_t)bytes) == 0) {
        *found = true;
        return SQLITE_OK;
    }
    search_ref *kept = search_find(cur->c, cur->graph, cur->key, bytes);
    *found = kept != NULL;
    if (kept) {
        drop_search(cur);
        cur->search = kept;
        cur->answer = kept->result;
    }
    return SQLITE_OK;
}

/* Adds what this plan wants and the kept answer lacks. A search that a limit has ended may end
** elsewhere when it is made again: its answer is left as it is, and another one made. */
static int grow(cursor *cur, question *q) {
    unsigned there = 0;
    for (int i = A_TREE_EDGE; i <= A_POSTORDER; i++)
        there |= cur->answer->array[i] ? 1u << i : 0;
    if (q->path || !(q->wants & ~there))
        return SQLITE_OK;
    if (q->search.limit > 0) {
        q->wants |= there;
        return make_and_keep(cur, q);
    }
    int rc = make(cur, q, cur->answer);
    cur->search->bytes = answer_bytes(cur->answer);
    return rc;
}

int answer_find(cursor *cur) {
    question all, part, wide;
    question_ask(cur, &all);
    memcpy(&part, &all, sizeof all); /* the gaps too: they are in the key */
    question_for_part(cur, &part);
    memcpy(&wide, &part, sizeof part);
    bool others_may_follow = question_widen(cur, &wide), found = false;
    question *q = &wide; /* where nothing may follow, the part itself */
    int rc = find_kept(cur, q, &found);
    if (rc == SQLITE_OK && !found && question_ends_early(q))
        rc = find_kept(cur, q = &all, &found);
    if (rc == SQLITE_OK && !found && others_may_follow)
        rc = find_kept(cur, q = &part, &found);
    if (rc != SQLITE_OK)
        return rc;
    if (found)
        return grow(cur, q);
    /* cur->key is that of the part, or of everything, which differ in nothing that
    ** matters here. */
    return make_and_keep(cur,
                         others_may_follow && question_was_asked(cur) ? &wide : &part);
}

/* ---- orders ---- */

int answer_order(cursor *cur, int order) {
    static const enum answer_array sorted_by[] = {[ORDER_VALUE] = A_VALUE,
                                                  [ORDER_PREORDER] = A_PREORDER,
                                                  [ORDER_POSTORDER] = A_POSTORDER};
    answer *a = cur->answer;
    if (a->order[order].vertex)
        return SQLITE_OK;
    gpugraph_run run;
    begin_work(cur);
    connection_run(cur->c, &run);
    uint32_t count, *vertex = malloc((a->n ? a->n : 1) * sizeof *vertex);
    if (!vertex)
        return SQLITE_NOMEM;
    gpugraph_distance_type type = order == ORDER_VALUE ? a->type : GPUGRAPH_UINT32;
    if (gpugraph_order(type, a->array[sorted_by[order]], a->n, &run, vertex, &count) !=
        GPUGRAPH_OK) {
        free(vertex);
        return answer_failed(cur, &run);
    }
    a->order[order] = (struct order){vertex, count};
    cur->search->bytes = answer_bytes(a);
    return SQLITE_OK;
}
