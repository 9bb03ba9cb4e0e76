/* Finds the arrays that answer a call: the arrays of a kept search, or of a search that
** runs now.
**
** If targets, bounds or the value of `vertex = ?` come from a join, the number of calls
** is unknown. The first call ends its search early. The second call, if all else is
** equal, runs the full search, which serves all later calls. If the full search meets a
** distance that is out of range, each call runs its own search. A kept answer grows: a
** tree, roots or an order that a later plan needs is added. */
#include "answer.h"
#include "graph_values.h"
#include "acquire/acquire.h"

#include <stdlib.h>
#include <string.h>

/* ---- timings ---- */

void answer_begin(answer *s) {
    watch_begin(&s->work.earlier, s->by->c);
    s->work.begun_ms = s->by->c->timings.started_ms;
    s->work.arguments_reported = s->work.out_of_range = false;
}

void answer_end(answer *s) {
    watch_end(&s->work.earlier, s->by->c);
}

/* ---- the graph ---- */

static void drop_search(answer *s) {
    search_release(s->by->c, s->search);
    s->search = NULL;
    s->arrays = NULL;
}

void answer_drop(answer *s) {
    answer_drop_ahead(s);
    drop_search(s);
    graph_release(s->by->c, s->graph);
    s->graph = NULL;
}

void answer_close(answer *s) {
    answer_drop(s);
    for (int i = 0; i < GRAPH_NAMES; i++)
        text_clear(&s->name[i]);
    sqlite3_free(s->key);
}

static enum weight_need weight_wanted(const arguments *a) {
    const int weighted = a->options.weighted; /* -1: not given */
    return weighted == 0  ? WEIGHT_NO
           : weighted > 0 ? WEIGHT_YES
                          : a->by->function->weight;
}

static int acquire(answer *s, const arguments *a) {
    const table_function *f = s->by->function;
    graph_request request = {
        .function = f->name,
        .edges = s->name[NAME_EDGES].bytes,
        .edges_bytes = s->name[NAME_EDGES].count,
        .vertices = s->name[NAME_VERTICES].bytes,
        .vertices_bytes = s->name[NAME_VERTICES].count,
        .params = s->name[NAME_PARAMS].bytes,
        .params_bytes = s->name[NAME_PARAMS].count,
        .vertex_filter = s->name[NAME_VERTEX_FILTER].bytes,
        .vertex_params = s->name[NAME_VERTEX_PARAMS].bytes,
        .weight = s->weight,
        .undirected = s->undirected,
        .numbers = a->plan & PLAN_ARRAYS ? NUMBERS_COMPACT : f->search->numbers,
        .by_graph = s->by_graph,
        .backend = a->options.backend,
        .scope = &s->by->scope,
    };
    char *error = NULL, *filter = NULL;
    int rc = filter_close(s->by->c->db, s->name[NAME_EDGE_FILTER].bytes,
                          s->name[NAME_EDGE_PARAMS].bytes, &filter, &error);
    if (rc)
        return error ? caller_fail(s->by, rc, "%z", error) : rc;
    request.filter = filter;
    rc = graph_acquire(s->by->c, &request, &s->graph, &error);
    sqlite3_free(filter);
    s->work.begun_ms = gg_now_ms();
    if (rc == SQLITE_OK)
        return SQLITE_OK;
    s->graph = NULL;
    return caller_fail_with(s->by, rc, error);
}

static const enum field name_field[GRAPH_NAMES] = {
    [NAME_EDGES] = F_EDGES,
    [NAME_VERTICES] = F_VERTICES,
    [NAME_PARAMS] = F_PARAMS,
    [NAME_EDGE_FILTER] = F_EDGE_FILTER,
    [NAME_EDGE_PARAMS] = F_EDGE_PARAMS,
    [NAME_VERTEX_FILTER] = F_VERTEX_FILTER,
    [NAME_VERTEX_PARAMS] = F_VERTEX_PARAMS,
};

bool answer_has_graph(const answer *s, const arguments *a) {
    bool has = s->graph && s->weight == weight_wanted(a) &&
               s->undirected == (a->options.direction == GPUGRAPH_BOTH) &&
               s->by_graph == direction_is_the_graphs(a);
    for (int i = 0; i < GRAPH_NAMES && has; i++)
        has = text_is(&s->name[i], a->given.value[name_field[i]]);
    return has;
}

int answer_graph(answer *s, const arguments *a) {
    answer_drop(s);
    s->weight = weight_wanted(a);
    s->undirected = a->options.direction == GPUGRAPH_BOTH;
    s->by_graph = direction_is_the_graphs(a);
    int rc = SQLITE_OK;
    for (int i = 0; i < GRAPH_NAMES && rc == SQLITE_OK; i++)
        rc = text_set(&s->name[i], a->given.value[name_field[i]]);
    return rc == SQLITE_OK ? acquire(s, a) : rc;
}

bool answer_is_weighted(const answer *s) {
    return s->weight != WEIGHT_NO && s->graph->has_weight;
}

/* ---- searching ---- */

int answer_failed(const answer *s, const gpugraph_run *run) {
    int rc = code_of_status(run->status);
    return rc == SQLITE_ERROR || (rc == SQLITE_NOMEM && run->message[0])
               ? caller_fail(s->by, rc, "%s", run->message)
               : rc;
}

void answer_report_arguments(answer *s, const unknown_ids *unknown) {
    const int more = unknown->count - UNKNOWN_NAMED;
    char number[24] = "";
    if (more > 0)
        sqlite3_snprintf(sizeof number, number, "; and %d more", more);
    char *detail = sqlite3_mprintf("%s%s", unknown->text, number);
    timings_add(&s->by->c->timings, "arguments", gg_now_ms() - s->work.begun_ms, 1,
                detail);
    sqlite3_free(detail);
    s->work.arguments_reported = true;
}

void answer_run(answer *s, const arguments *a, const question *q, gpugraph_run *run) {
    connection_run(s->by->c, run);
    run->backend = q->backend;
    run->method = q->method;
    answer_report_arguments(s, &a->unknown);
}

/* Lists the ids of a cycle's edges, or of the vertices where the edges begin. Clears *all
** if an edge has no id. NULL: no memory. */
static char *list_cycle(const answer *s, const gpugraph_cycle *cycle, bool vertices,
                        bool *all) {
    const gpugraph_graph *graph = s->graph->graph;
    sqlite3_str *list = sqlite3_str_new(s->by->c->db);
    for (uint64_t i = 0; i < cycle->count && i < GPUGRAPH_CYCLE_EDGES; i++) {
        if (i > 0)
            sqlite3_str_appendall(list, ", ");
        if (vertices)
            append_vertex(list, gpugraph_vertex_ids(graph),
                          gpugraph_edge_of(graph, cycle->edge[i]).source);
        else
            *all &= append_edge_id(list, s->graph, cycle->edge[i]);
    }
    if (cycle->count > GPUGRAPH_CYCLE_EDGES)
        sqlite3_str_appendf(list, " and %lld more",
                            (sqlite3_int64)(cycle->count - GPUGRAPH_CYCLE_EDGES));
    return sqlite3_str_finish(list);
}

/* The library's sentence, with edge ids that the library does not know, or with vertices
** if an edge has no id. */
static int cycle_failed(const answer *s, const gpugraph_cycle *cycle) {
    bool all = true;
    char *list = list_cycle(s, cycle, false, &all);
    if (!all) {
        sqlite3_free(list);
        list = list_cycle(s, cycle, true, &all);
    }
    if (!list)
        return SQLITE_NOMEM;
    int rc = caller_fail(s->by, SQLITE_ERROR,
                         "there is no topological order: edges form a cycle%s %s",
                         all ? ", with edge id(s)" : " through", list);
    sqlite3_free(list);
    return rc;
}

/* Runs the search for the arrays that the question needs and that are NULL. */
static int make(answer *s, const arguments *a, const question *q, arrays *made) {
    gpugraph_run run;
    answer_run(s, a, q, &run);
    arrays_make(s->graph->graph, s->by->function, q, &run, made);
    s->work.out_of_range = run.status == GPUGRAPH_RANGE;
    /* The first change of a followed graph needs tables of edges on the device. A later
    ** change could not make them while other connections use the graph. */
    if (run.status == GPUGRAPH_OK && s->graph->followed)
        gpugraph_make_tables(s->graph->graph, &run);
    if (run.status == GPUGRAPH_OK)
        return SQLITE_OK;
    if (made->cycle.count > 0 && (s->graph->unnamed || s->graph->row_ids))
        return cycle_failed(s, &made->cycle);
    return answer_failed(s, &run);
}

/* Makes a kept search, whose reference is taken over, the answer to the question. */
static void take_search(answer *s, const question *q, search_ref *kept) {
    kept->irreproducible = q->kind->varies_by_default && !q->own[0];
    drop_search(s);
    s->search = kept;
    s->arrays = kept->found->result;
}

static int make_and_keep(answer *s, const arguments *a, const question *q) {
    int key_bytes, rc = question_key(s, q, &key_bytes);
    if (rc != SQLITE_OK)
        return rc;
    arrays *made = arrays_new();
    if (!made)
        return SQLITE_NOMEM;
    rc = make(s, a, q, made);
    if (rc != SQLITE_OK) {
        arrays_free(made);
        return rc;
    }
    search_ref *kept = search_keep(s->by->c, s->graph, s->key, key_bytes, made,
                                   arrays_bytes(made), arrays_free);
    if (!kept)
        return SQLITE_NOMEM;
    take_search(s, q, kept);
    return SQLITE_OK;
}

/* ---- finding ---- */

static int find_kept_answer(answer *s, const question *q, bool *found) {
    int bytes, rc = question_key(s, q, &bytes);
    if (rc != SQLITE_OK)
        return rc;
    const search_ref *now = s->search;
    if (now && now->found->key_bytes == bytes &&
        memcmp(now->found->key, s->key, (size_t)bytes) == 0) {
        *found = true;
        return SQLITE_OK;
    }
    search_ref *kept = search_find(s->by->c, s->graph, s->key, bytes);
    *found = kept != NULL;
    if (kept)
        take_search(s, q, kept);
    return SQLITE_OK;
}

/* Replaces the arrays of the kept search by `to`, which contain them. After an error, and
** if `to` is NULL because memory is short, the search is unchanged. */
static int end_growth(answer *s, arrays *to, int rc) {
    if (to && rc == SQLITE_OK)
        rc = search_grow(s->graph, s->search, to, arrays_bytes(to));
    else if (to)
        arrays_free(to);
    s->arrays = s->search->found->result;
    return to ? rc : SQLITE_NOMEM;
}

/* Adds the arrays that this plan needs and the kept answer lacks. A search that a limit
** has ended may end elsewhere when it runs again, and a list may outgrow its capacity.
** The new search then replaces the answer. */
static int grow_answer(answer *s, const arguments *a, question *q) {
    unsigned there = 0;
    s->arrays = s->search->found->result; /* another cursor may have replaced them */
    for (int i = A_TREE_EDGE; i <= A_POSTORDER; i++)
        there |= s->arrays->array[i] ? 1u << i : 0;
    const bool listed = s->arrays->listed;
    if (q->path || (!(q->wants & ~there) && !(listed && q->whole)))
        return SQLITE_OK;
    if (q->search.limit > 0 || listed) {
        q->wants |= there;
        return make_and_keep(s, a, q);
    }
    arrays *to = arrays_upon(s->arrays);
    return end_growth(s, to, to ? make(s, a, q, to) : SQLITE_NOMEM);
}

int answer_find(answer *s, const arguments *a) {
    question all, part, wide;
    bool found = false;
    question_ask(a, s, &all);
    memcpy(&part, &all, sizeof all); /* padding included: it is part of the key */
    question_for_part(a, &part);
    memcpy(&wide, &part, sizeof part);
    /* A program takes whole arrays, so their search must have the bounds of the call. */
    const bool exact = a->plan & PLAN_ARRAYS;
    bool others_may_follow = !exact && question_widen(a, &wide);
    question *q = &wide; /* the part itself, unless others may follow */
    int rc = find_kept_answer(s, q, &found);
    if (rc == SQLITE_OK && !found && !exact && question_ends_early(q))
        rc = find_kept_answer(s, q = &all, &found);
    if (rc == SQLITE_OK && !found && others_may_follow)
        rc = find_kept_answer(s, q = &part, &found);
    if (rc != SQLITE_OK)
        return rc;
    if (found)
        return grow_answer(s, a, q);
    /* s->key is the key of the part or of `all`. question_was_asked ignores what
    ** differs. */
    if (others_may_follow && question_was_asked(s)) {
        rc = make_and_keep(s, a, &wide);
        if (rc == SQLITE_OK || !s->work.out_of_range)
            return rc;
        caller_forgive(s->by); /* this call may not need that distance */
    }
    return make_and_keep(s, a, &part);
}

/* ---- orders ---- */

bool answer_is_in_order(const answer *s) {
    return !has_arrays(s->by->function) || gpugraph_later_vertices(s->graph->graph) == 0;
}

/* Replaces vertices by their positions in order of ids. Every vertex has an entry. */
static void replace_by_ranks(gpugraph_run *run, const uint32_t *place, uint32_t count,
                             uint32_t *value) {
    uint32_t *rank = array_block_for(run, count, sizeof *rank);
    for (uint32_t i = 0; rank && i < count; i++)
        rank[place[i]] = i;
    for (uint32_t i = 0; rank && i < count; i++)
        value[i] = rank[value[i]];
    free(rank);
}

/* Sorts entries by the values of an array, and entries of equal values by vertex id.
** place: the entries in order of their vertices' ids. NULL: entries are in that order. */
static void sort_by_value(const arrays *made, enum array_name by, const uint32_t *place,
                          gpugraph_run *run, struct order *order) {
    static const gpugraph_distance_type types[] = {[OWN_NUMBER] = GPUGRAPH_UINT32,
                                                   [OWN_VERTEX] = GPUGRAPH_UINT32,
                                                   [OWN_COUNT] = GPUGRAPH_UINT64,
                                                   [OWN_REAL] = GPUGRAPH_REAL};
    const enum own_kind kind = arrays_kind(made, by);
    const size_t size = arrays_item_size(made, by);
    const char *from = made->array[by];
    char *value = place ? array_block_for(run, made->n, size) : NULL;
    for (uint32_t i = 0; value && i < made->n; i++)
        memcpy(value + i * size, from + place[i] * size, size);
    if (value && kind == OWN_VERTEX)
        replace_by_ranks(run, place, made->n, (uint32_t *)value);
    if (run->status == GPUGRAPH_OK)
        gpugraph_order(types[kind], value ? value : from, made->n, run, order->vertex,
                       &order->count);
    for (uint32_t i = 0; value && run->status == GPUGRAPH_OK && i < order->count; i++)
        order->vertex[i] = place[order->vertex[i]];
    free(value);
}

static void sort_entries(const answer *s, const arrays *made, enum array_name by,
                         gpugraph_run *run, struct order *order) {
    const bool by_vertex = by == NO_ARRAY, in_order = answer_is_in_order(s);
    uint32_t *place = by_vertex  ? order->vertex
                      : in_order ? NULL
                                 : array_block_for(run, made->n, sizeof *place);
    order->count = made->n;
    if (place)
        gpugraph_sort_by_id(s->graph->graph, made->listed, made->n, run, place);
    if (!by_vertex && run->status == GPUGRAPH_OK)
        sort_by_value(made, by, place, run, order);
    if (!by_vertex)
        free(place);
}

static int make_order(answer *s, enum array_name by, arrays *made) {
    gpugraph_run run;
    connection_run(s->by->c, &run);
    arrays_count(made, &run);
    struct order order = {.vertex = array_block_for(&run, made->n, sizeof *order.vertex)};
    if (order.vertex)
        sort_entries(s, made, by, &run, &order);
    if (run.status != GPUGRAPH_OK) {
        free(order.vertex);
        return answer_failed(s, &run);
    }
    made->order[by] = order;
    return SQLITE_OK;
}

int answer_order(answer *s, enum array_name order) {
    s->arrays = s->search->found->result;
    if (s->arrays->order[order].vertex)
        return SQLITE_OK;
    arrays *to = arrays_upon(s->arrays);
    return end_growth(s, to, to ? make_order(s, order, to) : SQLITE_NOMEM);
}
