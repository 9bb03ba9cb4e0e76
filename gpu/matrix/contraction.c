/* A matrix from a contracted graph: method "contraction".
**
**             root              root      each end has its chain of parents, root first,
**             /  \             /    \     and the distances to (or from) all of them
**            a    .           a      .
**           / \              / \        a shortest path has a top vertex, on both chains:
**       source  .       target   .      the cell is the least sum over common vertices
**
** Distances are integers, so the order of additions does not matter. */
#include "contraction.h"

#include <string.h>

/* A chain of parents, root first. */
typedef struct chain {
    uint32_t *vertex, *distance;
    uint32_t count;
} chain;

typedef struct asking {
    matrix *m;
    const contracted *c;
    chain *to; /* by index in m->to */
    uint32_t next;
    bool of_targets; /* threads take targets, not sources */
} asking;

/* ---- chains ---- */

static void free_chain(chain *w) {
    gg_release(w->vertex);
    gg_release(w->distance);
}

/* Fills the chain of `end`. forward: with distances from `end` to the vertices of the
** chain; otherwise to `end`. False: the run must end. */
static bool climb_chain(const asking *q, uint32_t end, bool forward, chain *w,
                        uint64_t *since) {
    const contracted *c = q->c;
    const uint32_t count = c->depth[end] + 1;
    w->count = count;
    w->vertex = gg_alloc(q->m->run, count, sizeof *w->vertex);
    w->distance = gg_alloc(q->m->run, count, sizeof *w->distance);
    if (!w->vertex || !w->distance)
        return false;
    memset(w->distance, 0xff, count * sizeof *w->distance);
    w->distance[c->depth[end]] = 0;
    for (uint32_t v = end; v != GPUGRAPH_NONE; v = c->parent[v]) {
        const up_arcs arcs = gg_up_arcs(c, v);
        const uint32_t *length = forward ? arcs.out : arcs.in;
        const uint32_t from = w->distance[c->depth[v]];
        w->vertex[c->depth[v]] = v;
        if (gg_worked(q->m->run, since, c->count[v] + 1))
            return false;
        for (uint32_t i = 0; from != UINT32_MAX && i < c->count[v]; i++) {
            uint32_t sum = gg_add_distances(from, length[i]);
            uint32_t *place = &w->distance[c->depth[arcs.to[i]]];
            *place = sum < *place ? sum : *place;
        }
    }
    return true;
}

/* ---- cells ---- */

/* The number of vertices that two chains have in common, from the root on. */
static uint32_t in_common(const chain *a, const chain *b) {
    uint32_t low = 0, high = a->count < b->count ? a->count : b->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a->vertex[middle] == b->vertex[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t least_sum(const uint32_t *a, const uint32_t *b, uint32_t count) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sum = gg_add_distances(a[i], b[i]);
        least = sum < least ? sum : least;
    }
    return least;
}

static void write_cells(const asking *q, uint32_t row, const chain *from,
                        uint64_t *since) {
    const matrix *m = q->m;
    uint32_t *cell = m->cell;
    for (uint32_t j = 0; j < m->to_count; j++) {
        const chain *to = &q->to[j];
        if (gg_worked(m->run, since, from->count))
            return;
        uint32_t least = least_sum(from->distance, to->distance, in_common(from, to));
        cell[gg_cell(m, row, j)] = least <= m->bound ? least : UINT32_MAX;
    }
}

/* ---- driver ---- */

static void take_ends(void *job, int member, int team) {
    asking *q = job;
    matrix *m = q->m;
    uint64_t since = 0;
    const uint32_t count = q->of_targets ? m->to_count : m->from_count;
    (void)member, (void)team;
    while (!gg_pause(m->run)) {
        uint32_t i = __atomic_fetch_add(&q->next, 1, __ATOMIC_RELAXED);
        if (i >= count)
            break;
        chain row = {.count = 0};
        if (q->of_targets)
            climb_chain(q, m->to[i], false, &q->to[i], &since);
        else if (climb_chain(q, m->from[i], true, &row, &since))
            write_cells(q, i, &row, &since);
        free_chain(&row);
    }
}

static void ask_contraction(asking *q) {
    matrix *m = q->m;
    const int threads = gg_threads(m->run, (uint64_t)m->from_count * m->to_count * 64);
    q->to = gg_alloc_zero(m->run, m->to_count, sizeof *q->to);
    if (!q->to)
        return;
    q->of_targets = true;
    gg_team(threads, take_ends, q);
    q->of_targets = false;
    q->next = 0;
    if (!gg_stopping(m->run))
        gg_team(threads, take_ends, q);
    for (uint32_t j = 0; j < m->to_count; j++)
        free_chain(&q->to[j]);
    gg_release(q->to);
}

bool gg_matrix_by_contraction(matrix *m, const contraction_limit *most,
                              const row_maker *before) {
    contracted c;
    asking q = {.m = m, .c = &c};
    char more[120] = "";
    double started = gg_now_ms();
    const bool done = gg_contract(m, most, &c);
    gg_phase(m->run, "contract", started, m->graph->n, "%s%llu arcs looked at",
             done ? "" : "given up: ", (unsigned long long)c.work);
    started = gg_now_ms();
    if (done)
        ask_contraction(&q);
    gg_free_contracted(&c);
    if (gg_stopping(m->run))
        gg_stopped(m->run);
    if (!done || m->run->status)
        return false;
    if (before)
        started -= gg_describe_rows(before, more, sizeof more);
    gg_search_phase(m->run, started, (int64_t)m->from_count * m->to_count, "%s", more);
    return true;
}
