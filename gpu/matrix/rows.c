/* A matrix row by row: method "rows" on the CPU.
**
**     next row   0  1  2  3 ...      each thread takes the next one when it is done with one
**     thread     A  B  A  A
**
** By weight a row is a search by the buckets of gpugraph_sssp (sssp/row.c) in arrays of its thread's own,
** which ends when all targets are final. By depth all rows are breadth-first searches, as many at once as
** bfs/each.c finds worth it. */
#include "base/words.h"
#include "bfs/bfs.h"
#include "matrix.h"
#include "sssp/work.h"

#include <stdio.h>
#include <string.h>

/* Searches by depth whose arrays are held at once, and bytes that they may take. */
enum { MOST_DEPTHS = 64 };
#define DEPTH_BYTES ((uint64_t)256 << 20)
/* Searches by depth run at once if the first one serves this share of the vertices: searches
** that end after a few share little (R-MAT 18, 8 near places: 9.3 ms at once, 6.3 one by one). */
enum { MEETING_SHARE = 4 };

typedef struct row_maker {
    matrix *m;
    uint32_t made;          /* rows; by weight those that a thread has taken */
    uint64_t vertices;      /* that all rows have served */
    double other_ms;        /* of phases that are no search */
    gpugraph_search search; /* from no source yet */
    /* by weight */
    struct sssp plan;
    /* by depth */
    uint32_t *depth[MOST_DEPTHS];
    /* The run's, while searches by depth report to the row maker. */
    void (*phase)(void *, const char *, double, int64_t, const char *);
    int (*interrupted)(void *);
    void *listener;
} row_maker;

/* ---- by weight ---- */

static void write_row(const matrix *m, uint32_t row, const void *distance) {
    for (uint32_t j = 0; j < m->to_count; j++)
        gg_put_word(m->type, m->cell, gg_cell(m, row, j),
                    gg_word_at(m->type, distance, m->to[j]));
}

/* A thread that finds no memory leaves its rows to nobody: the run has failed. */
static void take_rows(void *job, int member, int team) {
    row_maker *r = job;
    matrix *m = r->m;
    struct sssp s = r->plan;
    bool open = gg_sssp_open_row(&s, m->type);
    (void)member, (void)team;
    while (open && !gg_stopping(m->run)) {
        uint32_t row = __atomic_fetch_add(&r->made, 1, __ATOMIC_RELAXED);
        if (row >= m->from_count)
            break;
        gg_sssp_search_row(&s, m->from[row]);
        if (!gg_stopping(m->run))
            write_row(m, row, s.distance);
        gg_sssp_clear_row(&s);
    }
    if (s.over && !m->bounded)
        __atomic_store_n(&m->over, true, __ATOMIC_RELAXED);
    __atomic_fetch_add(&r->vertices, s.tally.vertices, __ATOMIC_RELAXED);
    gg_sssp_close_row(&s);
}

static void make_distances(row_maker *r) {
    const matrix *m = r->m;
    const csr *arcs = &r->plan.arcs;
    const int threads = gg_threads(m->run, (arcs->m + arcs->n) * m->from_count);
    gg_team((uint32_t)threads < m->from_count ? threads : (int)m->from_count, take_rows,
            r);
}

/* ---- by depth ---- */

/* Searches at once. */
static uint32_t depths_at_once(const gpugraph_graph *graph) {
    const uint64_t fit = DEPTH_BYTES / ((uint64_t)graph->n * sizeof(uint32_t) + 1);
    if (fit < 1 || gg_is_thin(graph)) /* their frontiers would not meet */
        return 1;
    return fit < MOST_DEPTHS ? (uint32_t)fit : MOST_DEPTHS;
}

static void write_depths(const row_maker *r, uint32_t row, const uint32_t *depth) {
    const matrix *m = r->m;
    for (uint32_t j = 0; j < m->to_count; j++)
        ((uint32_t *)m->cell)[gg_cell(m, row, j)] = depth[m->to[j]];
}

/* The phase of a search is a part of the phase of all, and tells how far it got; other phases have their own
** time. */
static void hear_rows(void *row_maker_pointer, const char *name, double ms, int64_t items,
                      const char *detail) {
    row_maker *r = row_maker_pointer;
    if (strcmp(name, "search") == 0) {
        r->vertices += (uint64_t)items;
        return;
    }
    r->other_ms += ms;
    if (r->phase)
        r->phase(r->listener, name, ms, items, detail);
}

static int ask_listener(void *row_maker_pointer) {
    const row_maker *r = row_maker_pointer;
    return r->interrupted(r->listener);
}

static void make_depths(row_maker *r) {
    matrix *m = r->m;
    gpugraph_run *run = m->run;
    const char *used = run->used_method, *asked = run->method;
    gpugraph_search *part = &r->search;
    uint32_t at_once = depths_at_once(m->graph);
    part->max_depth = m->bounded ? (uint32_t)m->bound : GPUGRAPH_NONE;
    r->phase = run->phase;
    r->interrupted = run->interrupted;
    r->listener = run->listener;
    run->phase = hear_rows;
    run->interrupted = run->interrupted ? ask_listener : NULL;
    run->listener = r;
    run->method = NULL; /* breadth-first search chooses its own */
    for (; r->made < m->from_count && !run->status; r->made += part->source_count) {
        const uint32_t left = m->from_count - r->made;
        if (r->made == 1 && r->vertices < m->graph->n / MEETING_SHARE)
            at_once = 1;
        part->source = m->from + r->made;
        part->source_count = r->made == 0 ? 1 : left < at_once ? left : at_once;
        for (uint32_t i = 0; i < part->source_count; i++)
            if (!r->depth[i])
                r->depth[i] = gg_alloc(run, m->graph->n, sizeof *r->depth[i]);
        run->used_method = "direction-optimizing";
        if (run->status || gg_cpu_bfs_each(m->graph, part, run, r->depth, NULL))
            break;
        for (uint32_t i = 0; i < part->source_count; i++)
            write_depths(r, r->made + i, r->depth[i]);
    }
    run->method = asked;
    run->used_method = used;
    run->phase = r->phase;
    run->interrupted = r->interrupted;
    run->listener = r->listener;
    for (uint32_t i = 0; i < MOST_DEPTHS; i++)
        gg_release(r->depth[i]);
}

/* ---- both ---- */

void gg_matrix_by_rows(matrix *m) {
    char more[120];
    row_maker r = {.m = m, .search = *m->search};
    r.search.target = m->to;
    r.search.target_count = m->to_count;
    r.search.direction = m->direction;
    r.search.limit = 0;
    if (m->weighted && !gg_sssp_plan_rows(&r.plan, m->graph, &r.search, m->run))
        return;
    const double started = gg_now_ms();
    if (m->weighted)
        make_distances(&r);
    else
        make_depths(&r);
    if (gg_stopping(m->run))
        gg_stopped(m->run);
    if (m->run->status)
        return;
    snprintf(more, sizeof more, "%u searches, %llu vertices served", m->from_count,
             (unsigned long long)r.vertices);
    gg_search_phase(m->run, started + r.other_ms, (int64_t)r.vertices, more);
}
