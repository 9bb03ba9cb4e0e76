/* From settled arguments to the question that a search answers, and to its key, by which
** an earlier answer is found.
**
**     key = head | sources [ | targets ]   head: search, direction, method, shape, ...
**            shape FULL                    serves every target, bound and limit
**            shape PART, where it ends     serves the same question again */
#include "table_function.h"

#include <string.h>

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

int question_backend(const cursor *cur) {
    if (cur->arguments.backend >= 0)
        return cur->arguments.backend;
    for (int i = 1; i < 3; i++)
        if (strcmp(cur->c->config.backend, backend_names[i]) == 0)
            return i;
    return GPUGRAPH_AUTO;
}

bool question_ends_early(const question *q) {
    return q->search.target_count > 0 || q->search.bounded || q->search.limit > 0;
}

/* Writes the question's key into cur->key; *bytes is its length. */
int question_key(cursor *cur, const question *q, int *bytes) {
    const gpugraph_search *s = &q->search;
    uint32_t targets = s->target_count;
    int shape = question_ends_early(q) ? SHAPE_PART : SHAPE_FULL;
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
    head.backend = (unsigned char)question_backend(cur);
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

void question_ask(const cursor *cur, question *q) {
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
void question_for_part(const cursor *cur, question *q) {
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
bool question_widen(const cursor *cur, question *q) {
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

/* Has a search like that of cur->key, but for where it ended, been made before? */
bool question_was_asked(const cursor *cur) {
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
