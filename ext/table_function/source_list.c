/* `source IN (...)`: one search for each source, rows of one source after those of another.
**
**     source_list   | 2 | 4 | 7 | 9 | ...       each vertex once
**                     ^       ^------------ made ahead: searched for together, kept with
**                     alone                 the graph as if each had been searched for
**
** The first source is searched for alone, so that its rows come at once, and nothing is made
** in vain where a statement ends with them. Breadth first, and by weight where several devices share
** them, those after it are searched for up to 64 at a time, when the first of them has its turn, as
** many as fit into half of what may be kept: depths alone as bytes, as long as that is enough for them. What is kept already is not made again. Searches that reach little
** (listed.c) are made alone: those after one that was, and of the ones ahead each that turns out to be. */
#include "question.h"

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

/* Searches whose values are bytes, or not; those of the answer at hand may be either. */
static uint32_t room_ahead(const answer *s, const arguments *a, bool as_bytes) {
    const arrays as = {.type = s->arrays->type, .byte_values = as_bytes};
    sqlite3_int64 per_vertex = (sqlite3_int64)arrays_item_size(&as, A_VALUE);
    if (a->plan & PLAN_TREE)
        per_vertex += (sqlite3_int64)arrays_item_size(s->arrays, A_TREE_EDGE);
    sqlite3_int64 bytes =
        per_vertex * (gpugraph_vertex_count(s->graph->graph) + (sqlite3_int64)1);
    const config *given = &s->by->c->config;
    sqlite3_int64 limit = given->cache_limit;
    if (given->host_memory_limit > 0 && given->host_memory_limit < limit)
        limit = given->host_memory_limit;
    sqlite3_int64 room = limit / 2 / bytes;
    return room < MOST_AHEAD ? (uint32_t)room : MOST_AHEAD;
}

static bool makes_bytes_ahead(const answer *s, const arguments *a) {
    const table_function *f = a->by->function;
    return makes_bytes(search_of(f, answer_is_weighted(s)), a->plan & PLAN_TREE);
}

/* The question that the call asks of that source. */
static int ask_of(const answer *s, arguments *a, uint32_t source, question *q) {
    int rc = numbers_set(&a->sources, source);
    question_ask(a, s, q);
    question_for_part(a, !(a->plan & PLAN_VARIABLE_VERTEX), q);
    return rc;
}

static int is_kept(answer *s, const question *q, bool *kept) {
    int bytes, rc = question_key(s, q, &bytes);
    if (rc != SQLITE_OK)
        return rc;
    search_ref *found = search_find(s->by->c, s->graph, s->key, bytes);
    *kept = found != NULL;
    search_release(s->by->c, found);
    return SQLITE_OK;
}

static bool contains(const uint32_t *list, uint32_t count, uint32_t number) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == number)
            return true;
    return false;
}

/* The sources to search for, from the one whose turn it is: none where that one is kept. */
static int gather_source_list(answer *s, arguments *a, uint32_t first, uint32_t *source,
                              uint32_t *count) {
    uint32_t room = room_ahead(s, a, makes_bytes_ahead(s, a));
    question q;
    *count = 0;
    for (uint32_t i = first; i < a->listed_sources.count && *count < room; i++) {
        uint32_t next = a->listed_sources.item[i];
        bool kept = false;
        if (contains(source, *count, next))
            continue;
        int rc = ask_of(s, a, next, &q);
        if (rc == SQLITE_OK)
            rc = is_kept(s, &q, &kept);
        if (rc != SQLITE_OK || (kept && *count == 0))
            return rc;
        if (!kept)
            source[(*count)++] = next;
    }
    return SQLITE_OK;
}

/* Keeps answer number i, which belongs to that source, and holds it until the list is
** read. */
static int keep_source_list(answer *s, arguments *a, uint32_t source, arrays *made) {
    question q;
    int bytes, rc = ask_of(s, a, source, &q);
    if (rc == SQLITE_OK)
        rc = question_key(s, &q, &bytes);
    if (rc != SQLITE_OK) {
        arrays_free(made);
        return rc;
    }
    search_ref *kept = answer_keep(s, bytes, made);
    if (!kept)
        return SQLITE_NOMEM;
    s->ahead[s->ahead_count++] = kept;
    return SQLITE_OK;
}

/* As bytes where that is possible. Otherwise there may be less room: those beyond it are left empty. */
static gpugraph_status make_together(gpugraph_graph *graph, question *q,
                                     gpugraph_run *run, arrays **each, uint32_t room) {
    bool fits = false;
    if (makes_bytes(q->kind, q->wants & (1u << A_TREE_EDGE)))
        arrays_make_each_bytes(graph, q, run, each, &fits);
    if (run->status != GPUGRAPH_OK || fits)
        return run->status;
    if (q->search.source_count > room)
        q->search.source_count = room;
    return q->search.source_count > 0 ? arrays_make_each(graph, q, run, each)
                                      : run->status;
}

/* Those that reach little by themselves, the others together. room: for others whose values are no bytes. */
static gpugraph_status make_ahead(gpugraph_graph *graph, const question *all,
                                  gpugraph_run *run, arrays **each, uint32_t room) {
    uint32_t source[MOST_AHEAD], left = 0;
    arrays *rest[MOST_AHEAD];
    question q;
    memcpy(&q, all, sizeof q);
    q.search.source_count = 1;
    run->status = GPUGRAPH_OK;
    for (uint32_t i = 0; i < all->search.source_count && run->status == GPUGRAPH_OK;
         i++) {
        q.search.source = &all->search.source[i];
        if (arrays_make_listed(graph, &q, run, each[i]))
            continue;
        source[left] = all->search.source[i];
        rest[left++] = each[i];
    }
    q.search.source = source;
    q.search.source_count = left;
    return run->status == GPUGRAPH_OK && left > 0
               ? make_together(graph, &q, run, rest, room)
               : run->status;
}

static bool is_made(const arrays *a) {
    return a->array[A_VALUE] != NULL;
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
        const uint32_t room = room_ahead(s, a, false);
        if (make_ahead(s->graph->graph, &q, &run, each, room) != GPUGRAPH_OK)
            rc = answer_failed(s, &run);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (rc == SQLITE_OK && is_made(each[i]))
            rc = keep_source_list(s, a, source[i], each[i]);
        else if (each[i])
            arrays_free(each[i]);
    }
    return rc;
}

/* Where targets or bounds come from a join, and there has been a call before: answer_find
** then makes searches that serve the calls to come. */
static int others_followed(answer *s, arguments *a, uint32_t next, bool *followed) {
    question q;
    int bytes;
    *followed = false;
    if (!(a->plan & (PLAN_VARIABLE_TARGET | PLAN_VARIABLE_BOUND)))
        return SQLITE_OK;
    int rc = ask_of(s, a, a->listed_sources.item[next], &q);
    if (rc == SQLITE_OK)
        rc = question_key(s, &q, &bytes);
    *followed = rc == SQLITE_OK && question_was_asked(s);
    return rc;
}

/* Are there devices that could share searches of which the last one has run on a device? */
static bool devices_share(const answer *s, const arguments *a) {
    const config *given = &a->by->c->config;
    gpugraph_device device;
    return s->arrays && s->arrays->backend && strcmp(s->arrays->backend, "cuda") == 0 &&
           given->ids != 1 && gpugraph_device_at(2, &device);
}

static bool makes_ahead(const answer *s, const arguments *a) {
    const search_kind *kind = a->by->function->search;
    return kind->make_each && !a->by->function->paths && a->limit_rows == 0 &&
           !(s->arrays && s->arrays->listed) &&
           (!kind->each_on_devices || devices_share(s, a));
}

/* Not under a limit, where the next source may not be wanted. */
int answer_ahead(answer *s, arguments *a, uint32_t next) {
    uint32_t source[MOST_AHEAD], count;
    bool followed;
    if (next == 0 || !makes_ahead(s, a))
        return SQLITE_OK;
    int rc = others_followed(s, a, next, &followed);
    if (rc != SQLITE_OK || followed)
        return rc;
    rc = gather_source_list(s, a, next, source, &count);
    return rc == SQLITE_OK && count > 1 ? search_ahead(s, a, source, count) : rc;
}
