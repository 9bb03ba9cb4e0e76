/* A matrix row by row: method "rows" on the CPU.
**
**     next row   0  1  2  3 ...      a thread takes the next row when it is done
**     thread     A  B  A  A
**
** By weight a row is a search by the buckets of gpugraph_sssp (sssp/row.c), in arrays of
** its thread. The search ends when all targets are final. By depth rows are breadth-first
** searches, as many at once as bfs/each.c finds worthwhile. The work of the rows made so
** far predicts the work of the other rows. */
#include "base/words.h"
#include "bfs/bfs.h"
#include "graph/graph.h"
#include "matrix.h"
#include "sssp/work.h"

#include <stdio.h>

/* Searches by depth whose arrays are held at once, and bytes of these arrays. */
enum { MOST_DEPTHS = 64 };
#define DEPTH_BYTES ((uint64_t)256 << 20)
/* Searches by depth run at once if the first one reaches one vertex in this many.
** Searches that end after a few vertices share little (R-MAT 18, 8 near places: 9.3 ms at
** once, 6.3 one by one). */
enum { REACHED_SHARE = 4 };
/* Nanoseconds of one thread for a vertex that is served, and for one of its arcs. */
#define WEIGHT_VERTEX_NS 12.0
#define WEIGHT_ARC_NS    10.0
#define DEPTH_VERTEX_NS  5.0
#define DEPTH_ARC_NS     4.0

struct row_maker {
    matrix *m;
    uint32_t made, end;      /* rows; `end`: the first row that is not made now */
    uint64_t vertices, arcs; /* that all rows have visited */
    double spent_ms;         /* on all rows */
    int threads;
    gpugraph_search search; /* without sources */
    /* by weight */
    struct sssp plan, *of_thread;
    bool *is_open;
    /* by depth */
    uint32_t *depth[MOST_DEPTHS], at_once;
};

/* ---- by weight ---- */

static bool open_by_weight(row_maker *r) {
    const matrix *m = r->m;
    if (!gg_sssp_plan_rows(&r->plan, m->graph, &r->search, m->run))
        return false;
    const csr *arcs = &r->plan.arcs;
    r->threads = gg_threads(m->run, (arcs->m + arcs->n) * m->from_count);
    r->threads = (uint32_t)r->threads < m->from_count ? r->threads : (int)m->from_count;
    r->of_thread = gg_alloc(m->run, (uint64_t)r->threads, sizeof *r->of_thread);
    r->is_open = gg_alloc_zero(m->run, (uint64_t)r->threads, sizeof *r->is_open);
    return r->of_thread && r->is_open;
}

static void write_row(const matrix *m, uint32_t row, const void *distance) {
    for (uint32_t j = 0; j < m->to_count; j++)
        gg_put_word(m->type, m->cell, gg_cell(m, row, j),
                    gg_word_at(m->type, distance, m->to[j]));
}

/* Makes rows until none is left. A thread without memory makes no row, and the run has
** failed. */
static void take_rows(void *job, int member, int team) {
    row_maker *r = job;
    matrix *m = r->m;
    struct sssp *s = &r->of_thread[member];
    (void)team;
    if (!r->is_open[member]) {
        *s = r->plan;
        r->is_open[member] = true;
        if (!gg_sssp_open_row(s))
            return;
    }
    const uint64_t vertices = s->tally.vertices, arcs = s->tally.arcs;
    while (!gg_stopping(m->run)) {
        uint32_t row = __atomic_fetch_add(&r->made, 1, __ATOMIC_RELAXED);
        if (row >= r->end)
            break;
        gg_sssp_search_row(s, m->from[row]);
        if (!gg_stopping(m->run))
            write_row(m, row, s->distance);
        gg_sssp_clear_row(s);
    }
    if (s->over && !m->bounded)
        __atomic_store_n(&m->over, true, __ATOMIC_RELAXED);
    __atomic_fetch_add(&r->vertices, s->tally.vertices - vertices, __ATOMIC_RELAXED);
    __atomic_fetch_add(&r->arcs, s->tally.arcs - arcs, __ATOMIC_RELAXED);
}

/* The number of threads for more rows, from the work of the rows made so far. */
static int threads_for(const row_maker *r, uint32_t rows) {
    const uint64_t each =
        r->made > 0 ? (r->vertices + r->arcs) / r->made : r->plan.arcs.m + r->plan.arcs.n;
    int threads = gg_threads(r->m->run, each * rows);
    threads = threads < r->threads ? threads : r->threads;
    return (uint32_t)threads < rows ? threads : (int)rows;
}

/* ---- by depth ---- */

static bool open_by_depth(row_maker *r) {
    const matrix *m = r->m;
    csr rows; /* made here, in a separate phase */
    const uint64_t fit = DEPTH_BYTES / ((uint64_t)m->graph->n * sizeof(uint32_t) + 1);
    r->at_once = fit < 1 || gg_is_thin(m->graph) ? 1 /* frontiers share little */
                 : fit < MOST_DEPTHS             ? (uint32_t)fit
                                                 : MOST_DEPTHS;
    r->search.max_depth = m->bounded ? (uint32_t)m->bound : GPUGRAPH_NONE;
    r->threads = 1; /* a search's own threads are part of its measured time */
    return !gg_rows(m->graph, gg_forward_kind(m->direction), false, false, m->run, &rows);
}

static void write_depths(row_maker *r, uint32_t row, const uint32_t *depth) {
    const matrix *m = r->m;
    uint64_t reached = 0;
    for (uint32_t j = 0; j < m->to_count; j++)
        ((uint32_t *)m->cell)[gg_cell(m, row, j)] = depth[m->to[j]];
    for (uint32_t v = 0; v < m->graph->n && !gg_leave(m->run, v); v++)
        reached += depth[v] != GPUGRAPH_NONE;
    r->vertices += reached;
    if (m->graph->n > 0)
        r->arcs += reached * m->graph->m / m->graph->n;
}

/* Makes rows by depth. The phase of all rows includes the phases of the searches. */
static void make_depths(row_maker *r) {
    matrix *m = r->m;
    gpugraph_run *run = m->run;
    const char *used = run->used_method, *asked = run->method;
    gpugraph_search *part = &r->search;
    void (*const phase)(void *, const char *, double, int64_t, const char *) = run->phase;
    run->phase = NULL;
    run->method = NULL; /* breadth-first search chooses its method */
    for (; r->made < r->end && !run->status; r->made += part->source_count) {
        const uint32_t left = r->end - r->made;
        if (r->made == 1 && r->vertices < m->graph->n / REACHED_SHARE)
            r->at_once = 1;
        part->source = m->from + r->made;
        part->source_count = r->made == 0 ? 1 : left < r->at_once ? left : r->at_once;
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
    run->phase = phase;
}

/* ---- both ---- */

row_maker *gg_open_rows(matrix *m) {
    row_maker *r = gg_alloc_zero(m->run, 1, sizeof *r);
    if (!r)
        return NULL;
    r->m = m;
    r->search = *m->search;
    r->search.target = m->to;
    r->search.target_count = m->to_count;
    r->search.direction = m->direction;
    r->search.limit = 0;
    if (m->weighted ? open_by_weight(r) : open_by_depth(r))
        return r;
    gg_close_rows(r);
    return NULL;
}

bool gg_make_rows(row_maker *r, uint32_t end) {
    matrix *m = r->m;
    const double started = gg_now_ms();
    const int threads = m->weighted ? threads_for(r, end - r->made) : 1;
    r->end = end;
    if (m->weighted) {
        gg_team(threads, take_rows, r);
        r->made = end;
    } else {
        make_depths(r);
    }
    r->spent_ms += gg_now_ms() - started;
    if (gg_stopping(m->run))
        gg_stopped(m->run);
    return !m->run->status;
}

double gg_rows_ns(const row_maker *r, uint32_t rows) {
    const bool weighted = r->m->weighted;
    const double ns =
        (double)r->vertices * (weighted ? WEIGHT_VERTEX_NS : DEPTH_VERTEX_NS) +
        (double)r->arcs * (weighted ? WEIGHT_ARC_NS : DEPTH_ARC_NS);
    return ns / r->made * rows / (weighted ? threads_for(r, rows) : 1);
}

double gg_describe_rows(const row_maker *r, char *text, size_t size) {
    snprintf(text, size, "%u searches, %llu vertices served", r->made,
             (unsigned long long)r->vertices);
    return r->spent_ms;
}

void gg_tell_rows(const row_maker *r) {
    char more[120];
    const double ms = gg_describe_rows(r, more, sizeof more);
    gg_search_phase(r->m->run, gg_now_ms() - ms, (int64_t)r->vertices, "%s", more);
}

void gg_rest_rows(row_maker *r) {
    for (int t = 0; r->is_open && t < r->threads; t++)
        if (r->is_open[t]) {
            gg_sssp_close_row(&r->of_thread[t]);
            r->is_open[t] = false;
        }
    for (uint32_t i = 0; i < MOST_DEPTHS; i++) {
        gg_release(r->depth[i]);
        r->depth[i] = NULL;
    }
}

void gg_close_rows(row_maker *r) {
    gg_rest_rows(r);
    gg_release(r->of_thread);
    gg_release(r->is_open);
    gg_release(r);
}
