/* `source IN (...)`: one search for each source, rows of one source after those of another.
**
**     source_list   | 2 | 4 | 7 | 9 | ...       each vertex once
**                     ^       ^------------ made ahead: searched for together, kept with
**                     alone                 the graph as if each had been searched for
**
** The first source is searched for alone, so that its rows come at once, and nothing is made
** in vain where a statement ends with them. Breadth first, those after it are searched for up
** to 64 at a time, when the first of them has its turn, as many as fit into half of what may be
** kept. What is kept already is not made again. */
#include "table_function.h"

#include <string.h>

enum { MOST_AHEAD = 64 };

void sources_drop(cursor *cur) {
    for (int i = 0; i < cur->ahead_count; i++)
        search_release(cur->c, cur->graph, cur->ahead[i]);
    sqlite3_free(cur->ahead);
    cur->ahead = NULL;
    cur->ahead_count = 0;
}

/* ---- searches ahead ---- */

static uint32_t room_ahead(const cursor *cur) {
    sqlite3_int64 arrays = cur->arguments.plan & PLAN_TREE ? 2 : 1;
    sqlite3_int64 bytes = arrays * 4 * (cur->answer->n + (sqlite3_int64)1);
    sqlite3_int64 room = cur->c->config.cache_limit / 2 / bytes;
    return room < MOST_AHEAD ? (uint32_t)room : MOST_AHEAD;
}

/* The question that the call asks of that source. */
static int ask_of(cursor *cur, uint32_t source, question *q) {
    int rc = numbers_set(&cur->sources, source);
    question_ask(cur, q);
    question_for_part(cur, q);
    return rc;
}

static int is_kept(cursor *cur, const question *q, bool *kept) {
    int bytes, rc = question_key(cur, q, &bytes);
    if (rc != SQLITE_OK)
        return rc;
    search_ref *found = search_find(cur->c, cur->graph, cur->key, bytes);
    *kept = found != NULL;
    search_release(cur->c, cur->graph, found);
    return SQLITE_OK;
}

static bool contains(const uint32_t *list, uint32_t count, uint32_t number) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == number)
            return true;
    return false;
}

/* The sources to search for, from the one whose turn it is: none where that one is kept. */
static int gather(cursor *cur, uint32_t *source, uint32_t *count) {
    uint32_t room = room_ahead(cur);
    question q;
    *count = 0;
    for (uint32_t i = cur->next_source; i < cur->source_list.count && *count < room;
         i++) {
        uint32_t next = cur->source_list.item[i];
        bool kept = false;
        if (contains(source, *count, next))
            continue;
        int rc = ask_of(cur, next, &q);
        if (rc == SQLITE_OK)
            rc = is_kept(cur, &q, &kept);
        if (rc != SQLITE_OK || (kept && *count == 0))
            return rc;
        if (!kept)
            source[(*count)++] = next;
    }
    return SQLITE_OK;
}

/* Keeps answer number i, which belongs to that source, and holds it until the list is
** read. */
static int keep(cursor *cur, uint32_t source, answer *made) {
    question q;
    int bytes, rc = ask_of(cur, source, &q);
    if (rc == SQLITE_OK)
        rc = question_key(cur, &q, &bytes);
    if (rc != SQLITE_OK) {
        answer_free(made);
        return rc;
    }
    search_ref *kept = answer_keep(cur, bytes, made);
    if (!kept)
        return SQLITE_NOMEM;
    cur->ahead[cur->ahead_count++] = kept;
    return SQLITE_OK;
}

static int search_ahead(cursor *cur, const uint32_t *source, uint32_t count) {
    answer *each[MOST_AHEAD] = {NULL};
    gpugraph_run run;
    question q;
    int rc = ask_of(cur, source[0], &q);
    q.search.source = source;
    q.search.source_count = count;
    sources_drop(cur);
    cur->ahead = sqlite3_malloc64(count * sizeof *cur->ahead);
    if (!cur->ahead)
        rc = SQLITE_NOMEM;
    for (uint32_t i = 0; i < count && rc == SQLITE_OK; i++) {
        each[i] = sqlite3_malloc64(sizeof *each[i]);
        if (each[i])
            memset(each[i], 0, sizeof *each[i]);
        else
            rc = SQLITE_NOMEM;
    }
    if (rc == SQLITE_OK) {
        answer_run(cur, &q, &run);
        if (answer_make_each(cur->graph->graph, &q, &run, each) != GPUGRAPH_OK)
            rc = answer_failed(cur, &run);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (rc == SQLITE_OK)
            rc = keep(cur, source[i], each[i]);
        else if (each[i])
            answer_free(each[i]);
    }
    return rc;
}

/* Where targets or bounds come from a join, and there has been a call before: answer_find
** then makes searches that serve the calls to come. */
static int others_followed(cursor *cur, bool *followed) {
    question q;
    int bytes;
    *followed = false;
    if (!(cur->arguments.plan & (PLAN_VARIABLE_TARGET | PLAN_VARIABLE_BOUND)))
        return SQLITE_OK;
    int rc = ask_of(cur, cur->source_list.item[cur->next_source], &q);
    if (rc == SQLITE_OK)
        rc = question_key(cur, &q, &bytes);
    *followed = rc == SQLITE_OK && question_was_asked(cur);
    return rc;
}

/* Not under a limit, where the next source may not be wanted. */
static int look_ahead(cursor *cur) {
    const algorithm *a = cur->algorithm;
    uint32_t source[MOST_AHEAD], count;
    bool followed;
    if (a->kind != SEARCH_BFS || a->paths || cur->next_source == 0 ||
        cur->arguments.limit_rows > 0)
        return SQLITE_OK;
    int rc = others_followed(cur, &followed);
    if (rc != SQLITE_OK || followed)
        return rc;
    rc = gather(cur, source, &count);
    return rc == SQLITE_OK && count > 1 ? search_ahead(cur, source, count) : rc;
}

/* ---- one source after the other ---- */

int sources_go_on(cursor *cur) {
    int rc = SQLITE_OK;
    cur->position = cur->end = 0;
    while (rc == SQLITE_OK && cur->position == cur->end &&
           cur->next_source < cur->source_list.count) {
        rc = look_ahead(cur);
        cur->arguments.source = cur->source_list.item[cur->next_source++];
        if (rc == SQLITE_OK)
            rc = numbers_set(&cur->sources, cur->arguments.source);
        if (rc == SQLITE_OK)
            rc = answer_find(cur);
        if (rc == SQLITE_OK)
            rc = rows_start(cur);
    }
    if (cur->position == cur->end)
        sources_drop(cur);
    return rc;
}

int sources_start(cursor *cur) {
    cur->next_source = 0;
    return sources_go_on(cur);
}
