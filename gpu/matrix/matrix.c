/* Distances between many pairs: the public function, its checks, and the choice of a
** method on the CPU. */
#include "matrix.h"
#include "base/words.h"
#include "device/share.h"
#include "sssp/sssp.h"
#include "graph/graph.h"

/* `auto` makes FIRST_ROWS rows before it predicts the time of the others. It may contract
** a graph with at least LEAST_VERTICES vertices. */
enum { FIRST_ROWS = 1, LEAST_VERTICES = 1000 };
/* Rows, and arcs of each, that are sampled to estimate the number of edges. Graphs worth
** contracting have few rows with more arcs. */
enum { SAMPLED_VERTICES = 1000, SAMPLED_ARCS = 64 };

/* ---- the task ---- */

static void set_bound_of_matrix(matrix *m) {
    const gpugraph_search *s = m->search;
    if (!m->weighted) {
        m->bounded = s->max_depth != GPUGRAPH_NONE;
        m->bound = m->bounded ? s->max_depth : UINT32_MAX - 1;
        return;
    }
    const struct sssp_bound bound = gg_sssp_bound(s, m->type);
    m->bounded = bound.tight;
    m->bound = bound.most;
}

static void set_ends(matrix *m) {
    const gpugraph_search *s = m->search;
    m->transposed = m->type != GPUGRAPH_REAL && s->target_count < s->source_count;
    m->from = m->transposed ? s->target : s->source;
    m->to = m->transposed ? s->source : s->target;
    m->from_count = m->transposed ? s->target_count : s->source_count;
    m->to_count = m->transposed ? s->source_count : s->target_count;
    m->all = m->from_count;
    m->direction = m->transposed ? gg_opposite(s->direction) : s->direction;
}

/* ---- sums that leave the range ---- */

/* True if a cell of the row has no distance. */
static bool lacks_cell(const matrix *m, uint32_t row) {
    const uint64_t targets = m->search->target_count;
    for (uint64_t j = 0; j < targets; j++)
        if (gg_word_at(m->type, m->cell, row * targets + j) == GG_INFINITE)
            return true;
    return false;
}

/* Called if a sum was out of range. For each row that lacks a cell, gg_cpu_sssp searches,
** and fails if the distance of a cell is lost. Otherwise there is no path to the cell. */
static void check_lost_cells(matrix *m) {
    const gpugraph_search *s = m->search;
    void *distance = gg_alloc(m->run, m->graph->n, gg_distance_size(m->type));
    gpugraph_search one = *s;
    one.source_count = 1;
    one.limit = 0;
    for (uint32_t i = 0; distance && i < s->source_count && !m->run->status; i++) {
        one.source = s->source + i;
        if (lacks_cell(m, i))
            gg_cpu_sssp(m->graph, &one, m->run, distance, NULL);
    }
    gg_release(distance);
}

/* ---- the CPU's methods ---- */

/* Bytes that a contraction may take: 2.25 times the bytes of edges and of rows with
** weights, and 8 MiB. A process without contraction needs about as many. */
static uint64_t most_bytes(const matrix *m) {
    const uint64_t edges = m->graph->m,
                   arcs = m->direction == GPUGRAPH_BOTH ? 2 * edges : edges;
    const uint64_t graph = 12 * edges + 8 * (arcs + m->graph->n);
    return graph / 4 * 9 + (8 << 20);
}

/* True if `to` is among the first arcs of a row. */
static bool has_arc(const csr *rows, uint32_t from, uint32_t to) {
    for (uint64_t at = rows->begin[from], i = 0; at < rows->end[from] && i < SAMPLED_ARCS;
         at++, i++)
        if (rows->target[at] == to)
            return true;
    return false;
}

/* Estimates the number of pairs of vertices with an edge, from rows spread over the
** graph. A pair counts half in each of its two rows, or 1 if only one row has it. */
static double sampled_pairs(const matrix *m) {
    csr rows;
    double pairs = 0;
    uint32_t seen = 0;
    if (gg_rows(m->graph, gg_forward_kind(m->direction), false, false, m->run, &rows))
        return 0;
    const uint32_t step = rows.n / SAMPLED_VERTICES + 1;
    for (uint64_t v = 0; v < rows.n && !gg_pause(m->run); v += step, seen++) {
        const uint64_t begin = rows.begin[v];
        for (uint64_t at = begin; at < rows.end[v] && at - begin < SAMPLED_ARCS; at++) {
            const uint32_t to = rows.target[at];
            bool counts = to != v;
            for (uint64_t before = begin; counts && before < at; before++)
                counts = rows.target[before] != to;
            if (counts)
                pairs += has_arc(&rows, to, (uint32_t)v) ? 0.5 : 1;
        }
    }
    return pairs / seen * rows.n;
}

/* Contracts instead of making the remaining rows, if that is predicted to be as fast.
** True: the matrix is complete. */
static bool contracts_instead(matrix *m, row_maker *r, uint32_t left) {
    const uint32_t n = m->graph->n;
    const contraction_limit most = {gg_rows_ns(r, left), most_bytes(m)};
    if (gg_contraction_ns(n, n) > most.ns ||
        gg_contraction_ns(n, (uint64_t)sampled_pairs(m)) > most.ns)
        return false;
    gg_rest_rows(r);
    m->looks = false; /* a second attempt would fail, too */
    m->run->used_method = "contraction";
    if (gg_matrix_by_contraction(m, &most, r))
        return true;
    m->run->used_method = "rows";
    return false;
}

/* Makes rows. If a contraction may be faster, the function compares predictions after the
** first row, and whenever the number of rows has doubled. */
static bool run_rows(void *task) {
    matrix *m = task;
    row_maker *r = gg_open_rows(m);
    bool contracted = false;
    for (uint32_t made = 0; r && made < m->from_count && !contracted;) {
        const uint32_t some = made > 0 ? made : FIRST_ROWS, left = m->from_count - made;
        made += m->looks && some < left ? some : left;
        if (!gg_make_rows(r, made))
            break;
        if (m->looks && made < m->from_count)
            contracted = contracts_instead(m, r, m->from_count - made);
    }
    if (r && !contracted && !m->run->status)
        gg_tell_rows(r);
    if (r)
        gg_close_rows(r);
    return !m->run->status;
}

static bool run_contraction(void *task) {
    static const contraction_limit none = {INFINITY, UINT64_MAX};
    matrix *m = task;
    if (m->type != GPUGRAPH_UINT32)
        gg_fail(m->run, GPUGRAPH_INVALID,
                "method 'contraction' needs INTEGER weights and distances below "
                "4294967295; use method 'rows' or 'auto'");
    else if (!gg_matrix_by_contraction(m, &none, NULL) && !gg_stopping(m->run))
        gg_fail(m->run, GPUGRAPH_NO_MEMORY,
                "method 'contraction' needs more than 16 GiB for this graph; use "
                "method 'rows' or 'auto'");
    return !m->run->status;
}

static const gg_method methods[] = {
    {.is = {"matrix", "rows", "cpu",
            "a search for each row, as many at once as there are threads"},
     .may = gg_may_always,
     .run = run_rows},
    {.is =
         {"matrix", "contraction", "cpu",
          "contracts all vertices, then adds up distances along chains; INTEGER weights"},
     .run = run_contraction},
    {.is = {0}},
};

static void find_matrix_on_cpu(matrix *m) {
    m->looks = gg_method_is_auto(m->run) && m->type == GPUGRAPH_UINT32 &&
               gg_is_thin(m->graph) && m->graph->n >= LEAST_VERTICES;
    gg_settle_method(m->run, methods, m)->run(m);
}

/* ---- the descriptor ---- */

static double searches_of(const gpugraph_search *search) {
    return search->source_count < search->target_count ? search->source_count
                                                       : search->target_count;
}

/* The predicted time of a contraction, if `auto` may contract. */
static double contraction_ms(const gpugraph_graph *graph, const gpugraph_search *search) {
    const bool may = searches_of(search) > FIRST_ROWS && graph->n >= LEAST_VERTICES &&
                     graph->distance_type == GPUGRAPH_UINT32 && gg_is_thin(graph);
    return may ? gg_contraction_ns(graph->n, graph->m) * 1e-6 : INFINITY;
}

static const algorithm_side cpu_side = {
    .methods = methods, .call = GG_CALLS(matrix_entry, find_matrix_on_cpu)};

const gg_algorithm gg_matrix = {
    .name = "matrix",
    .rows = CSR_OUT,
    .arcs = gg_arcs_once,
    .steps = gg_sssp_rounds,
    .times = searches_of,
    .second_ms = contraction_ms,
    /* Predictions for the search of one row. */
    .cpu_ns = 20,
    .cuda_ns = 0.1,
    .step_us = 8,
    .side = {[GPUGRAPH_CPU] = &cpu_side, [GPUGRAPH_CUDA] = &gg_matrix_cuda},
};

/* ---- on several devices ---- */

struct shared_rows {
    const matrix *m;
    bool over;
};

static void find_portion(void *shared, gpugraph_run *run, uint32_t low, uint32_t high) {
    struct shared_rows *rows = shared;
    matrix part = *rows->m;
    part.run = run;
    part.from += low;
    part.from_count = high - low;
    part.first = low;
    GG_CALL_OF(matrix_entry, gg_matrix.side[GPUGRAPH_CUDA])(&part);
    if (part.over)
        __atomic_store_n(&rows->over, true, __ATOMIC_RELAXED);
}

/* Gives each device one portion of equal size, because rows that are searched at once
** cost less each. */
static void share_rows(matrix *m) {
    const uint32_t devices = (uint32_t)m->run->used_devices;
    struct shared_rows rows = {.m = m};
    const struct shared_work work = {.items = m->from_count,
                                     .portion = (m->from_count + devices - 1) / devices,
                                     .part = find_portion,
                                     .of = &rows};
    gg_share_out(m->run, &work);
    m->over = rows.over;
}

/* ---- the public function ---- */

static bool check_matrix(const matrix *m) {
    const gpugraph_search *s = m->search;
    gpugraph_run *run = m->run;
    if (m->weighted && gpugraph_weights(m->graph) == GPUGRAPH_UNWEIGHTED)
        gg_fail(run, GPUGRAPH_INVALID,
                "distances by weight need weights, but the graph has none");
    else if (!gg_check_search(m->graph, s, run) && s->target_count == 0)
        gg_fail(run, GPUGRAPH_INVALID, "a matrix needs a target, and target_count is 0");
    else if (!run->status && s->bounded && isnan(s->max_real_distance))
        gg_fail(run, GPUGRAPH_INVALID, "max_distance is not a number");
    return !run->status &&
           gg_needs(run, m->cell, (uint64_t)s->source_count * s->target_count,
                    "distance");
}

static void find_matrix(matrix *m) {
    bool fallback = false;
    if (!check_matrix(m))
        return;
    set_bound_of_matrix(m);
    set_ends(m);
    gpugraph_backend on =
        gg_choose(m->graph, &gg_matrix, m->search, m->from_count, m->run, &fallback);
    if (!on || gg_bring_edges(m->graph, m->run))
        return;
    if (m->run->used_devices > 1)
        share_rows(m);
    else
        GG_CALL_OF(matrix_entry, gg_matrix.side[on])(m);
    if (gg_fall_back(m->run, &gg_matrix, fallback))
        find_matrix_on_cpu(m);
    if (!m->run->status && m->over)
        check_lost_cells(m);
}

gpugraph_status gpugraph_matrix(gpugraph_graph *graph, const gpugraph_search *search,
                                bool weighted, gpugraph_run *run, void *distance) {
    matrix m = {.graph = graph,
                .search = search,
                .run = run,
                .cell = distance,
                .weighted = weighted,
                .type = weighted ? graph->distance_type : GPUGRAPH_UINT32};
    gg_enter_graph(graph, run);
    find_matrix(&m);
    return gg_leave_graph(graph, run);
}
