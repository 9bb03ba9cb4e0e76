/* Maximal independent set: the public function and the CPU backend.
**
**     key[v]     a greedy pass takes vertices in the order of keys, equal keys by number
**                    by degree       distinct neighbours << 32 | hash
**                    by degree, id   distinct neighbours << 32 | v
**                    by random       hash << 32 | v
**                    by id           v
**     state[v]   OPEN -> JOINED (no earlier neighbour has joined), or DROPPED (a
**                neighbour has joined). The states lie in the caller's array `member`,
**                where DROPPED and JOINED are 0 and 1
**
** "greedy" sorts the vertices and looks at each vertex once. "rounds" looks at all open
** vertices again and again, on all threads. A vertex joins as soon as all earlier
** neighbours have dropped, and at once drops its neighbours. A state changes only once,
** for a reason that stays true. So the set is the set of the greedy pass whatever the
** threads see of each other, and a round needs no snapshot and no barrier except its end.
** After Luby (SIAM J. Comput. 15, 1986) and Blelloch, Fineman, Shun (SPAA 2012). Nke et
** al. (cuMIS, ICS 2026) also keep a list of the open vertices.
**
** In a chain of vertices that wait for each other (a path by id) a round decides few
** vertices. The greedy pass then decides the rest. */
#include "mis.h"
#include "graph/graph.h"
#include "ids/ids.h"

#include <stdio.h>
#include <string.h>

enum { DROPPED = 0, JOINED = 1, OPEN = 2 };

enum {
    CHUNK = 512, /* open vertices that a thread takes at a time */
    SLOW = 8     /* rounds end when one decides less than 1 / SLOW of the open vertices */
};

struct mis {
    csr g;
    gpugraph_run *run;
    gpugraph_priority priority;
    uint32_t *hash; /* NULL if the priority needs none */
    uint8_t *state;
    char more[100]; /* for the phase "search" */
};

static inline uint8_t mis_state_of(const struct mis *m, uint32_t v) {
    return __atomic_load_n(&m->state[v], __ATOMIC_RELAXED);
}

static inline uint64_t priority_key_of(const struct mis *m, uint32_t v) {
    uint64_t degree = m->g.end[v] - m->g.begin[v];
    switch (m->priority) {
    case GPUGRAPH_BY_DEGREE:
        return degree << 32 | m->hash[v];
    case GPUGRAPH_BY_DEGREE_ID:
        return degree << 32 | v;
    case GPUGRAPH_BY_RANDOM:
        return (uint64_t)m->hash[v] << 32 | v;
    default:
        return v;
    }
}

/* v joins and drops its neighbours. */
static inline void join_set(struct mis *m, uint32_t v) {
    __atomic_store_n(&m->state[v], JOINED, __ATOMIC_RELAXED);
    for (uint64_t i = m->g.begin[v]; i < m->g.end[v] && !gg_leave(m->run, i); i++) {
        uint32_t u = m->g.target[i];
        if (mis_state_of(m, u) != DROPPED)
            __atomic_store_n(&m->state[u], DROPPED, __ATOMIC_RELAXED);
    }
}

/* ---- greedy ---- */

/* Visits vertices in order. A vertex that is still open joins. order NULL: by number. */
static bool greedy_pass(struct mis *m, const uint32_t *order, uint32_t count) {
    int64_t until_poll = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = order ? order[i] : i;
        if (--until_poll < 0) {
            until_poll = GG_POLL_ITEMS;
            if (gg_poll(m->run))
                return false;
        }
        if (m->state[v] == OPEN) {
            until_poll -= (int64_t)(m->g.end[v] - m->g.begin[v]);
            join_set(m, v);
        }
    }
    return true;
}

/* Decides all vertices that are still open. */
static bool greedy(struct mis *m, uint32_t open) {
    if (m->priority == GPUGRAPH_BY_ID)
        return greedy_pass(m, NULL, m->g.n);
    uint64_t *key = gg_alloc(m->run, open, 2 * sizeof *key);
    uint32_t *order = gg_alloc(m->run, open, 2 * sizeof *order), count = 0;
    bool go = key && order;
    for (uint32_t v = 0; go && v < m->g.n; v++) {
        if (m->state[v] == OPEN) {
            key[count] = priority_key_of(m, v);
            order[count++] = v;
        }
        go = v % GG_POLL_ITEMS != 0 || !gg_poll(m->run);
    }
    go = go && gg_sort_pairs(m->run, false, count, key, order, key + open,
                             order + open) == GPUGRAPH_OK;
    gg_release(key);
    go = go && greedy_pass(m, order, count);
    gg_release(order);
    return go;
}

/* ---- rounds ---- */

struct waiting { /* an open vertex; its first `passed` neighbours need no second look */
    uint32_t vertex, passed;
};

struct rounds {
    struct mis *m;
    uint64_t *key;
    struct waiting *list, *next; /* list NULL: all vertices */
    uint64_t count, next_count, taken;
    uint32_t done;
    int threads;
};

/* Looks at an open vertex. Returns true if the vertex must wait for an earlier
** neighbour. */
static inline bool must_wait(struct rounds *r, struct waiting *w) {
    struct mis *m = r->m;
    uint32_t v = w->vertex;
    if (mis_state_of(m, v) != OPEN)
        return false;
    const uint32_t *arc = m->g.target + m->g.begin[v];
    uint32_t degree = (uint32_t)(m->g.end[v] - m->g.begin[v]);
    uint64_t key = r->key[v];
    for (uint32_t i = w->passed; i < degree; i++) {
        uint32_t u = arc[i];
        uint8_t state = mis_state_of(m, u);
        if (state == DROPPED)
            continue;
        if (state == JOINED) {
            __atomic_store_n(&m->state[v], DROPPED, __ATOMIC_RELAXED);
            return false;
        }
        if (r->key[u] < key || (r->key[u] == key && u < v)) {
            w->passed = i;
            return true;
        }
    }
    join_set(m, v);
    return false;
}

/* One thread of a round takes chunks of the list and keeps the vertices that wait. */
static void look_at_chunks(void *rounds, int member, int team) {
    struct rounds *r = rounds;
    (void)member, (void)team;
    struct waiting kept[CHUNK];
    uint64_t since = 0, i, end;
    while (!gg_pause(r->m->run) && gg_take_chunk(&r->taken, r->count, CHUNK, &i, &end)) {
        uint64_t keep = 0;
        for (; i < end; i++) {
            struct waiting w = {(uint32_t)i, 0};
            if (r->list)
                w = r->list[i];
            if (must_wait(r, &w))
                kept[keep++] = w;
            if (gg_worked(r->m->run, &since,
                          r->m->g.end[w.vertex] - r->m->g.begin[w.vertex] + 1))
                return;
        }
        uint64_t at = __atomic_fetch_add(&r->next_count, keep, __ATOMIC_RELAXED);
        if (keep)
            memcpy(r->next + at, kept, keep * sizeof *kept);
    }
}

/* Runs one round over the list. The vertices that wait become the list. */
static bool one_round(struct rounds *r, struct waiting *spare) {
    uint64_t chunks = (r->count + CHUNK - 1) / CHUNK;
    int threads = chunks < (uint64_t)r->threads ? (int)chunks : r->threads;
    r->taken = r->next_count = 0;
    gg_team(threads, look_at_chunks, r);
    struct waiting *old = r->list ? r->list : spare;
    r->list = r->next;
    r->next = old;
    r->count = r->next_count;
    r->done++;
    return !gg_stopping(r->m->run);
}

static void make_keys_of(void *rounds, uint64_t low, uint64_t high) {
    const struct rounds *r = rounds;
    for (uint64_t v = low; v < high && !gg_leave(r->m->run, v); v++)
        r->key[v] = priority_key_of(r->m, (uint32_t)v);
}

/* *rest: vertices left to the greedy pass. */
static bool find_in_rounds(struct mis *m, int threads, uint32_t *done, uint32_t *rest) {
    struct rounds r = {.m = m, .count = m->g.n, .threads = threads};
    struct waiting *lists = gg_alloc(m->run, m->g.n, 2 * sizeof *lists);
    r.key = gg_alloc(m->run, m->g.n, sizeof *r.key);
    r.next = lists;
    bool slow = false;
    if (lists && r.key)
        gg_slices(threads, m->g.n, make_keys_of, &r);
    bool go = !gg_stopping(m->run);
    while (go && r.count > 0 && !slow) {
        uint64_t before = r.count;
        go = one_round(&r, lists + m->g.n);
        slow = before - r.count < before / SLOW;
    }
    gg_release(lists);
    gg_release(r.key);
    *done = r.done;
    *rest = (uint32_t)r.count;
    return go && (r.count == 0 || greedy(m, *rest));
}

/* ---- the CPU backend ---- */

static bool prepare_mis_states(struct mis *m, int64_t seed, gpugraph_graph *graph) {
    for (uint64_t v = 0; v < m->g.n; v += GG_POLL_ITEMS) {
        uint64_t count = m->g.n - v < GG_POLL_ITEMS ? m->g.n - v : GG_POLL_ITEMS;
        memset(m->state + v, OPEN, count);
        if (gg_poll(m->run))
            return false;
    }
    if (m->priority != GPUGRAPH_BY_DEGREE && m->priority != GPUGRAPH_BY_RANDOM)
        return true;
    m->hash = gg_alloc(m->run, m->g.n, sizeof *m->hash);
    return m->hash && gg_hash_ids(graph, seed, m->run, m->hash) == GPUGRAPH_OK;
}

/* Rounds pay even with one thread, unless the vertices are already in the order of
** priority and need no sort. */
static bool needs_sort(const void *task) {
    const struct mis *m = task;
    return m->priority != GPUGRAPH_BY_ID;
}

static bool run_rounds(void *task) {
    struct mis *m = task;
    const uint64_t work = gg_method_is_auto(m->run) ? m->g.m + m->g.n : UINT64_MAX;
    const int threads = gg_threads(m->run, work);
    uint32_t done = 0, rest = 0;
    const bool go = find_in_rounds(m, threads, &done, &rest);
    snprintf(m->more, sizeof m->more,
             "%d thread(s), %u rounds, %u vertices left to greedy", threads, done, rest);
    return go;
}

static bool run_greedy(void *task) {
    struct mis *m = task;
    snprintf(m->more, sizeof m->more, "one thread");
    return greedy(m, m->g.n);
}

static const gg_method methods[] = {
    {.is = {"mis", "rounds", "cpu",
            "threads decide every vertex that comes before all its undecided neighbours"},
     .may = needs_sort,
     .run = run_rounds},
    {.is = {"mis", "greedy", "cpu", "one thread takes vertices in order of priority"},
     .may = gg_may_always,
     .run = run_greedy},
    {.is = {0}},
};

static gpugraph_status find_mis_on_cpu(gpugraph_graph *graph, gpugraph_priority priority,
                                       int64_t seed, gpugraph_run *run, uint8_t *member) {
    struct mis m = {.run = run, .priority = priority, .state = member};
    if (gg_rows(graph, CSR_SIMPLE, false, true, run, &m.g) != GPUGRAPH_OK)
        return run->status;
    double start = gg_now_ms();
    if (prepare_mis_states(&m, seed, graph))
        gg_settle_method(run, methods, &m)->run(&m);
    gg_release(m.hash);
    return gg_search_phase(run, start, m.g.n, "%s", m.more);
}

/* ---- the descriptor ---- */

static const algorithm_side cpu_side = {.methods = methods,
                                        .call = GG_CALLS(mis_entry, find_mis_on_cpu)};

const gg_algorithm gg_mis = {
    .name = "mis",
    .brings_edges = true,
    .rows = CSR_SIMPLE,
    .arcs = gg_arcs_twice,
    .cpu_ns = 3, /* R-MATs of scale 16 and 20, and a grid; the CPU beside an H200 */
    .cuda_ns = 0.15,
    .step_us = 500,
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &gg_mis_cuda},
    .several = &gg_mis_distributed,
};

/* ---- the public function ---- */

gpugraph_status gpugraph_mis(gpugraph_graph *graph, gpugraph_priority priority,
                             int64_t seed, gpugraph_run *run, uint8_t *member) {
    gg_enter_graph(graph, run);
    if ((unsigned)priority > GPUGRAPH_BY_ID)
        gg_fail(run, GPUGRAPH_INVALID,
                "priority is %d, not one of GPUGRAPH_BY_DEGREE, _BY_DEGREE_ID, "
                "_BY_RANDOM and _BY_ID",
                (int)priority);
    else if (gg_needs(run, member, graph->n, "member"))
        GG_RUN(mis_entry, &gg_mis, NULL, graph, run,
               (graph, priority, seed, run, member));
    return gg_leave_graph(graph, run);
}
