/* Turns settled arguments into the question that a search answers, and the question into
** the key by which a kept search is found.
**
**     key = the question | its sources | its targets
**
** The key contains all bytes of the question, so a new field is part of the key, too. The
** answer to a question without ends serves every target, bound and limit. */
#include "answer.h"

#include <string.h>

/* ---- keys ---- */

bool question_ends_early(const question *q) {
    return q->search.target_count > 0 || q->search.bounded || q->search.limit > 0;
}

/* Clears a field of the question in a key. */
#define CLEAR(key, field)                                                                \
    memset((key) + offsetof(question, field), 0, sizeof((question *)0)->field)

/* Copies bytes, so that the gaps between fields stay zeros (question_ask). */
int question_key(answer *s, const question *q, int *bytes) {
    const gpugraph_search *search = &q->search;
    const size_t sources = search->source_count * sizeof *search->source,
                 targets = search->target_count * sizeof *search->target;
    sqlite3_uint64 need = sizeof *q + (sqlite3_uint64)sources + targets;
    if (need > INT32_MAX)
        return SQLITE_TOOBIG;
    if ((int)need > s->key_capacity) {
        char *key = sqlite3_realloc64(s->key, need);
        if (!key)
            return SQLITE_NOMEM;
        s->key = key;
        s->key_capacity = (int)need;
    }
    char *at = s->key;
    memcpy(at, q, sizeof *q);
    CLEAR(at, search.source); /* the lists follow the question */
    CLEAR(at, search.target);
    CLEAR(at, wants); /* an answer grows */
    CLEAR(at, whole); /* a whole answer replaces a list */
    if (sources)
        memcpy(at + sizeof *q, search->source, sources);
    if (targets)
        memcpy(at + sizeof *q + sources, search->target, targets);
    *bytes = (int)need;
    return SQLITE_OK;
}

/* ---- questions ---- */

void question_ask(const arguments *a, const answer *s, question *q) {
    const table_function *f = a->by->function;
    const options *o = &a->options;
    memset(q, 0, sizeof *q);
    q->weighted = answer_is_weighted(s);
    q->kind = search_of(f, q->weighted);
    q->method = o->method;
    q->backend =
        (gpugraph_backend)(o->backend >= 0 ? o->backend : a->by->c->config.backend);
    q->wants = a->plan & PLAN_WANTS;
    q->whole = f->paths || f->cells || a->plan & PLAN_ARRAYS;
    q->seed = o->seed;
    memcpy(q->own, o->own, sizeof q->own);
    q->search.source = a->sources.item;
    q->search.source_count = a->sources.count;
    if (f->cells || f->many_paths) {
        q->search.target = a->targets.item;
        q->search.target_count = a->targets.count;
    }
    q->search.direction = o->direction;
    q->search.max_depth = GPUGRAPH_NONE;
}

/* Longer lists of `vertex IN (...)` end no search, because they would be part of its
** key. */
enum { FEW_VERTICES = 256 };

void question_for_part(const arguments *a, question *q) {
    const table_function *f = a->by->function;
    const numbers *ends = f->cells || a->plan & PLAN_ARRAYS ? NULL
                          : f->paths                        ? &a->targets
                                                            : a->asked;
    gpugraph_search *s = &q->search;
    if (!f->ends_early)
        return;
    if (ends && (a->has_target || ends->count <= FEW_VERTICES)) {
        s->target = ends->item;
        s->target_count = ends->count;
        q->path = f->paths && s->source_count == 1 && s->target_count == 1;
    }
    s->limit = f->cells ? 0 : a->limit_rows;
    s->bounded = a->bound.given && (q->weighted || a->bound.integer < GPUGRAPH_NONE);
    if (!s->bounded)
        return;
    s->max_distance = a->bound.integer;
    s->max_real_distance = a->bound.real;
    if (a->bound.integer < GPUGRAPH_NONE)
        s->max_depth = (uint32_t)a->bound.integer;
}

static void forget_targets(question *q) {
    q->search.target_count = 0;
    q->path = false;
}

static void forget_bounds(question *q) {
    q->search.bounded = false;
    q->search.max_depth = GPUGRAPH_NONE;
    q->search.max_distance = 0;
    q->search.max_real_distance = 0;
}

bool question_widen(const arguments *a, question *q) {
    bool targets = (a->plan & PLAN_VARIABLE_END) && q->search.target_count > 0;
    bool bounds = (a->plan & PLAN_VARIABLE_BOUND) && q->search.bounded;
    if (targets)
        forget_targets(q);
    if (bounds)
        forget_bounds(q);
    return targets || bounds;
}

/* Reads the question of a key, without its ends. */
static void read_open_question(const void *key, question *q) {
    memcpy(q, key, sizeof *q);
    forget_targets(q);
    forget_bounds(q);
    q->search.limit = 0;
}

bool question_was_asked(const answer *s) {
    question q, other, open;
    read_open_question(s->key, &q);
    const size_t sources = q.search.source_count * sizeof(uint32_t);
    for (const search_ref *kept = s->graph->searches; kept; kept = kept->next) {
        const shared_search *found = kept->found;
        if (found->key_bytes < (int)(sizeof q + sources))
            continue;
        memcpy(&other, found->key, sizeof other);
        read_open_question(found->key, &open);
        /* Gaps between fields are zeros (question_ask).
        ** NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
        if (question_ends_early(&other) && memcmp(&open, &q, sizeof q) == 0 &&
            memcmp(found->key + sizeof q, s->key + sizeof q, sources) == 0)
            return true;
    }
    return false;
}
