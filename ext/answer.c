/* From settled arguments to the arrays that answer them: kept from an earlier call
** where that is possible, made now where not.
**
**     key = head | sources [ | targets ]   head: search, direction, method, shape, ...
**            shape FULL                    serves every target, bound and limit
**            shape PART, where it ends     serves the same question again
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

static bool in_progress(const timings *t) {
    return t->started_ms > 0 && !t->failed &&
           (t->count == 0 || strcmp(t->row[t->count - 1].phase, "total") != 0);
}

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
    if (is_idle(&c->timings) || in_progress(&watch->earlier)) {
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
    drop_search(cur);
    if (cur->graph)
        graph_release(cur->c, cur->graph);
    cur->graph = NULL;
}

static enum weight_need weight_wanted(const cursor *cur) {
    return cur->arguments.weighted == 0 ? WEIGHT_NO : cur->algorithm->weight;
}

static int acquire(cursor *cur) {
    graph_request request = {
        .function = cur->algorithm->name,
        .edges = cur->edges.bytes,
        .edges_bytes = cur->edges.count,
        .vertices = cur->vertices.bytes,
        .vertices_bytes = cur->vertices.count,
        .weight = cur->weight,
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
    if (cur->graph && cur->weight == weight_wanted(cur) &&
        text_is(&cur->edges, a->value[F_EDGES]) &&
        text_is(&cur->vertices, a->value[F_VERTICES]))
        return SQLITE_OK;
    answer_drop(cur);
    text_clear(&cur->sources_text);
    cur->weight = weight_wanted(cur);
    int rc = text_set(&cur->edges, a->value[F_EDGES]);
    if (rc == SQLITE_OK)
        rc = text_set(&cur->vertices, a->value[F_VERTICES]);
    return rc == SQLITE_OK ? acquire(cur) : rc;
}

/* ---- keys ---- */

enum { SHAPE_FULL, SHAPE_PART };

typedef struct key_head {
    sqlite3_int64 seed;
    uint64_t most_integer, limit;
    double most_real;
    const char *method; /* the list's own string, or NULL */
    uint32_t sources, targets;
    unsigned char kind, direction, ordered, priority, backend, shape, path;
} key_head;

static int effective_backend(const cursor *cur) {
    if (cur->arguments.backend >= 0)
        return cur->arguments.backend;
    for (int i = 1; i < 3; i++)
        if (strcmp(cur->c->config.backend, backend_names[i]) == 0)
            return i;
    return GPUGRAPH_AUTO;
}

static bool ends_early(const question *q) {
    return q->search.target_count > 0 || q->search.bounded || q->search.limit > 0;
}

/* Writes the question's key into cur->key; *bytes is its length. */
static int write_key(cursor *cur, const question *q, int *bytes) {
    const gpugraph_search *s = &q->search;
    uint32_t targets = s->target_count;
    int shape = ends_early(q) ? SHAPE_PART : SHAPE_FULL;
    sqlite3_uint64 need =
        sizeof(key_head) + 4 * ((sqlite3_uint64)s->source_count + targets);
    if (need > INT32_MAX)
        return SQLITE_TOOBIG;
    if ((int)need > cur->key_room) {
        char *key = sqlite3_realloc64(cur->key, need);
        if (!key)
            return SQLITE_NOMEM;
        cur->key = key;
        cur->key_room = (int)need;
    }
    key_head head;
    memset(&head, 0, sizeof head); /* the gaps are compared too */
    head.seed = q->seed;
    head.method = cur->arguments.method;
    head.sources = s->source_count;
    head.targets = targets;
    head.kind = (unsigned char)q->kind;
    head.direction = (unsigned char)s->direction;
    head.ordered = q->ordered;
    head.priority = (unsigned char)q->priority;
    head.backend = (unsigned char)effective_backend(cur);
    head.shape = (unsigned char)shape;
    head.path = q->path;
    if (shape == SHAPE_PART) {
        head.limit = s->limit;
        head.most_integer = q->kind == SEARCH_BFS ? s->max_depth : s->max_distance;
        head.most_real = s->max_real_distance;
    }
    char *at = cur->key;
    memcpy(at, &head, sizeof head);
    if (s->source_count > 0)
        memcpy(at + sizeof head, s->source, s->source_count * sizeof *s->source);
    if (targets > 0)
        memcpy(at + sizeof head + s->source_count * sizeof *s->source, s->target,
               targets * sizeof *s->target);
    *bytes = (int)need;
    return SQLITE_OK;
}

/* ---- questions ---- */

static void ask(const cursor *cur, question *q) {
    const arguments *a = &cur->arguments;
    bool weighted = cur->weight != WEIGHT_NO && cur->graph->has_weight;
    memset(q, 0, sizeof *q);
    q->kind = weighted ? cur->algorithm->kind : cur->algorithm->unweighted_kind;
    q->wants = a->plan & PLAN_WANTS;
    q->ordered = a->ordered;
    q->priority = a->priority;
    q->seed = a->seed;
    q->search.source = cur->sources.item;
    q->search.source_count = cur->sources.count;
    q->search.direction = a->direction;
    q->search.max_depth = GPUGRAPH_NONE;
}

/* The same question, for no more than will be looked at. */
static void ask_for_part(const cursor *cur, question *q) {
    const arguments *a = &cur->arguments;
    gpugraph_search *s = &q->search;
    if (!cur->algorithm->ends_early)
        return;
    if (a->has_target) {
        s->target = cur->targets.item;
        s->target_count = cur->targets.count;
        q->path = cur->algorithm->paths && s->source_count == 1 && s->target_count == 1;
    } else if (a->only_vertex != GPUGRAPH_NONE && !(a->plan & PLAN_JOINED)) {
        s->target = &a->only_vertex;
        s->target_count = 1;
    }
    s->limit = a->limit_rows;
    s->bounded =
        a->bound.given && (q->kind == SEARCH_SSSP || a->bound.integer < GPUGRAPH_NONE);
    if (!s->bounded)
        return;
    s->max_distance = a->bound.integer;
    s->max_real_distance = a->bound.real;
    if (a->bound.integer < GPUGRAPH_NONE)
        s->max_depth = (uint32_t)a->bound.integer;
}

/* The part, without those ends that may be others in the next call. Returns false
** where there are none. */
static bool widen(const cursor *cur, question *q) {
    unsigned plan = cur->arguments.plan;
    bool targets = (plan & PLAN_VARIABLE_TARGET) && q->search.target_count > 0;
    bool bounds = (plan & PLAN_VARIABLE_BOUND) && q->search.bounded;
    if (targets) {
        q->search.target_count = 0;
        q->path = false;
    }
    if (bounds) {
        q->search.bounded = false;
        q->search.max_depth = GPUGRAPH_NONE;
        q->search.max_distance = 0;
        q->search.max_real_distance = 0;
    }
    return targets || bounds;
}

/* ---- making ---- */

static void free_answer(void *answer_pointer) {
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
        bytes += (sqlite3_int64)a->path_edges * 4;
    return bytes;
}

static int fail_with_run(cursor *cur, const gpugraph_run *run) {
    int rc = code_of_status(run->status);
    return rc == SQLITE_ERROR ? cursor_fail(cur, rc, "%s", run->message) : rc;
}

/* Makes what *a lacks for the question. */
static int make(cursor *cur, const question *q, answer *a) {
    gpugraph_run run;
    begin_work(cur);
    connection_run(cur->c, &run);
    run.backend = (gpugraph_backend)effective_backend(cur);
    run.method = cur->arguments.method;
    timings_add(&cur->c->timings, "arguments",
                now_ms() - cur->begun_ms - cur->acquiring_ms, 1, "");
    if (answer_make(cur->graph->graph, q, &run, a) != GPUGRAPH_OK)
        return fail_with_run(cur, &run);
    return SQLITE_OK;
}

static int make_and_keep(cursor *cur, const question *q) {
    int key_bytes, rc = write_key(cur, q, &key_bytes);
    answer *a = sqlite3_malloc64(sizeof *a);
    if (!a || rc != SQLITE_OK) {
        sqlite3_free(a);
        return a ? rc : SQLITE_NOMEM;
    }
    memset(a, 0, sizeof *a);
    rc = make(cur, q, a);
    if (rc != SQLITE_OK) {
        free_answer(a);
        return rc;
    }
    search_ref *kept = search_keep(cur->c, cur->graph, cur->key, key_bytes, a,
                                   answer_bytes(a), free_answer);
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
    int bytes, rc = write_key(cur, q, &bytes);
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

/* Has a search like that of cur->key, but for where it ended, been made before? */
static bool part_was_made(const cursor *cur) {
    key_head head, other;
    memcpy(&head, cur->key, sizeof head);
    for (const search_ref *s = cur->graph->searches; s; s = s->next) {
        if (s->key_bytes < (int)(sizeof head + head.sources * sizeof(uint32_t)))
            continue;
        memcpy(&other, s->key, sizeof other);
        if (other.shape != SHAPE_PART)
            continue;
        other.targets = head.targets;
        other.limit = head.limit;
        other.most_integer = head.most_integer;
        other.most_real = head.most_real;
        if (memcmp(&other, &head, sizeof head) == 0 &&
            memcmp((const char *)s->key + sizeof head, cur->key + sizeof head,
                   head.sources * sizeof(uint32_t)) == 0)
            return true;
    }
    return false;
}

/* Adds what this plan wants and the kept answer lacks. */
static int grow(cursor *cur, const question *q) {
    unsigned lacking = 0;
    if (q->path)
        return SQLITE_OK;
    for (int i = A_TREE_EDGE; i <= A_POSTORDER; i++)
        lacking |= (q->wants >> i & 1) && !cur->answer->array[i];
    if (!lacking)
        return SQLITE_OK;
    int rc = make(cur, q, cur->answer);
    cur->search->bytes = answer_bytes(cur->answer);
    return rc;
}

int answer_find(cursor *cur) {
    question all, part, wide;
    ask(cur, &all);
    part = all;
    ask_for_part(cur, &part);
    wide = part;
    bool others_may_follow = widen(cur, &wide), found = false;
    const question *q = &wide; /* where nothing may follow, the part itself */
    int rc = find_kept(cur, q, &found);
    if (rc == SQLITE_OK && !found && ends_early(q))
        rc = find_kept(cur, q = &all, &found);
    if (rc == SQLITE_OK && !found && others_may_follow)
        rc = find_kept(cur, q = &part, &found);
    if (rc != SQLITE_OK)
        return rc;
    if (found)
        return grow(cur, q);
    /* cur->key is that of the part, or of everything, which differ in nothing that
    ** matters here. */
    return make_and_keep(cur, others_may_follow && part_was_made(cur) ? &wide : &part);
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
        return fail_with_run(cur, &run);
    }
    a->order[order] = (struct order){vertex, count};
    cur->search->bytes = answer_bytes(a);
    return SQLITE_OK;
}
