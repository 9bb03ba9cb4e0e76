/* A matrix row by row: method "rows" on the CPU.
**
**     next row   0  1  2  3 ...      each thread takes the next one when it is done with one
**     thread     A  B  A  A
**
** By weight each row is a search by Dijkstra's algorithm in arrays of its thread's own, which ends
** when all targets are settled. A sum of REAL weights is made from the source on, as in gpugraph_sssp,
** and the least of them does not depend on the order of the search. By depth all rows are breadth-first
** searches, as many at once as bfs/each.c finds worth it. */
#include "base/words.h"
#include "bfs/bfs.h"
#include "matrix.h"

#include <stdio.h>

/* Searches by depth whose arrays are held at once, and bytes that they may take. */
enum { MOST_DEPTHS = 64 };
#define DEPTH_BYTES ((uint64_t)256 << 20)

typedef struct rows {
    matrix *m;
    csr arcs;
    uint64_t *is_end; /* bit v: one of m->to */
    uint32_t ends;    /* so many of them differ */
    uint32_t next;    /* row */
    uint64_t settled;
} rows;

typedef struct searcher { /* a thread's own */
    rows *r;
    uint64_t *distance; /* infinite but for those that were touched */
    uint32_t *touched;
    uint64_t count, room; /* of touched */
    gg_heap heap;
    uint64_t settled, looked;
} searcher;

/* ---- by weight ---- */

static bool reach(searcher *s, uint32_t v, uint64_t word) {
    gpugraph_run *run = s->r->m->run;
    if (s->distance[v] == GG_INFINITE) {
        void *block = s->touched;
        bool made = gg_make_room(run, &block, s->count, &s->room, sizeof *s->touched);
        s->touched = block;
        if (!made)
            return false;
        s->touched[s->count++] = v;
    }
    s->distance[v] = word;
    return gg_heap_put(run, &s->heap, v, word);
}

/* Relaxes the arcs of u. False when the run must end. */
static inline __attribute__((always_inline)) bool
relax(searcher *s, gpugraph_distance_type type, uint32_t u, uint64_t from) {
    matrix *m = s->r->m;
    const csr *arcs = &s->r->arcs;
    for (uint64_t arc = arcs->begin[u]; arc < arcs->end[u] && !gg_leave(m->run, arc);
         arc++) {
        uint32_t v = arcs->target[arc];
        uint64_t sum = gg_word_sum(type, from, gg_word_weight(type, arcs->weight, arc));
        if (sum < s->distance[v] && sum <= m->bound) {
            if (!reach(s, v, sum))
                return false;
        } else if (sum == GG_INFINITE && !m->bounded) {
            __atomic_store_n(&m->over, true, __ATOMIC_RELAXED);
        }
    }
    return !gg_stopping(m->run) &&
           !gg_worked(m->run, &s->looked, arcs->end[u] - arcs->begin[u] + 1);
}

static inline __attribute__((always_inline)) bool
search_of(searcher *s, gpugraph_distance_type type, uint32_t source) {
    rows *r = s->r;
    uint32_t left = r->ends;
    if (!reach(s, source, 0))
        return false;
    while (s->heap.count > 0 && left > 0) {
        gg_waiting next = gg_heap_take(&s->heap);
        if (next.word != s->distance[next.vertex])
            continue; /* stale */
        s->settled++;
        left -= r->is_end[next.vertex >> 6] >> (next.vertex & 63) & 1;
        if (!relax(s, type, next.vertex, next.word))
            return false;
    }
    return true;
}

static bool search_from(searcher *s, uint32_t source) {
    switch (s->r->m->type) {
    case GPUGRAPH_UINT32:
        return search_of(s, GPUGRAPH_UINT32, source);
    case GPUGRAPH_UINT64:
        return search_of(s, GPUGRAPH_UINT64, source);
    default:
        return search_of(s, GPUGRAPH_REAL, source);
    }
}

/* Vertices that wait when all targets are settled may be reached no nearer, so that only what is settled
** counts: and all targets that can be reached are. */
static void write_row(searcher *s, uint32_t row) {
    const matrix *m = s->r->m;
    for (uint32_t j = 0; j < m->to_count && !gg_leave(m->run, j); j++)
        gg_put_word(m->type, m->cell, gg_cell(m, row, j), s->distance[m->to[j]]);
    for (uint64_t i = 0; i < s->count; i++)
        s->distance[s->touched[i]] = GG_INFINITE;
    s->count = s->heap.count = 0;
}

static void take_rows(void *job, int member, int team) {
    rows *r = job;
    matrix *m = r->m;
    searcher s = {.r = r};
    (void)member, (void)team;
    s.distance = gg_alloc(m->run, m->graph->n, sizeof *s.distance);
    for (uint64_t v = 0; s.distance && v < m->graph->n && !gg_leave(m->run, v); v++)
        s.distance[v] = GG_INFINITE;
    while (s.distance && !gg_stopping(m->run)) {
        uint32_t row = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
        if (row >= m->from_count || !search_from(&s, m->from[row]))
            break;
        write_row(&s, row);
        __atomic_fetch_add(&r->settled, s.settled, __ATOMIC_RELAXED);
        s.settled = 0;
    }
    gg_release(s.distance);
    gg_release(s.touched);
    gg_release(s.heap.item);
}

static bool mark_ends(rows *r) {
    const matrix *m = r->m;
    r->is_end = gg_alloc_zero(m->run, (uint64_t)m->graph->n / 64 + 1, sizeof *r->is_end);
    for (uint32_t j = 0; r->is_end && j < m->to_count; j++) {
        uint64_t *word = &r->is_end[m->to[j] >> 6], bit = (uint64_t)1 << (m->to[j] & 63);
        r->ends += !(*word & bit);
        *word |= bit;
    }
    return r->is_end != NULL;
}

/* Threads that find no memory leave their rows to nobody: the run has failed. */
static void by_weight(matrix *m) {
    rows r = {.m = m};
    char more[80];
    if (gg_rows(m->graph, gg_forward_kind(m->direction), true, false, m->run, &r.arcs))
        return;
    double started = gg_now_ms();
    int threads = gg_threads(m->run, (r.arcs.m + r.arcs.n) * m->from_count);
    threads = (uint32_t)threads > m->from_count ? (int)m->from_count : threads;
    if (mark_ends(&r))
        gg_team(threads, take_rows, &r);
    gg_release(r.is_end);
    if (gg_stopping(m->run)) {
        gg_stopped(m->run);
        return;
    }
    snprintf(more, sizeof more, "%u searches, %llu vertices settled", m->from_count,
             (unsigned long long)r.settled);
    gg_search_phase(m->run, started, (int64_t)r.settled, more);
}

/* ---- by depth ---- */

static void by_depth(matrix *m) {
    const uint64_t fit = DEPTH_BYTES / ((uint64_t)m->graph->n * sizeof(uint32_t) + 1);
    const uint32_t at_once = fit < 1             ? 1
                             : fit < MOST_DEPTHS ? (uint32_t)fit
                                                 : MOST_DEPTHS;
    uint32_t *depth[MOST_DEPTHS] = {NULL};
    const struct bfs_results rows = {.depth = depth};
    gpugraph_search part = {.target = m->to,
                            .target_count = m->to_count,
                            .direction = m->direction,
                            .max_depth = m->bounded ? (uint32_t)m->bound : GPUGRAPH_NONE};
    const char *used = m->run->used_method, *asked = m->run->method;
    m->run->method = NULL; /* breadth-first search chooses its own */
    for (uint32_t i = 0; i < m->from_count && i < at_once; i++)
        depth[i] = gg_alloc(m->run, m->graph->n, sizeof *depth[i]);
    for (uint32_t i = 0; i < m->from_count && m->run->status == GPUGRAPH_OK;
         i += part.source_count) {
        const uint32_t left = m->from_count - i;
        part.source = m->from + i;
        part.source_count = left < at_once ? left : at_once;
        m->run->used_method = "direction-optimizing";
        if (gg_cpu_bfs_each(m->graph, &part, m->run, &rows))
            break;
        for (uint32_t k = 0; k < part.source_count; k++)
            for (uint32_t j = 0; j < m->to_count && !gg_leave(m->run, j); j++)
                ((uint32_t *)m->cell)[gg_cell(m, i + k, j)] = depth[k][m->to[j]];
    }
    for (uint32_t i = 0; i < at_once; i++)
        gg_release(depth[i]);
    if (gg_stopping(m->run))
        gg_stopped(m->run);
    m->run->method = asked;
    m->run->used_method = used;
}

void gg_matrix_by_rows(matrix *m) {
    if (m->weighted)
        by_weight(m);
    else
        by_depth(m);
}
