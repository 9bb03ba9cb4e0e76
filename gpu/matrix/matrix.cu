/* A matrix on the device, many rows at once: the driver of steps.cuh. matrix.c describes
** the result. */
#include "base/words.h"
#include "matrix.h"
#include "steps.cuh"
#include "graph/graph.h"

/* The width of a step is the mean of MATRIX_SAMPLE weights, multiplied by
** MATRIX_THIN_DELTA for thin graphs and by MATRIX_DELTA for others. */
#define MATRIX_SAMPLE     4096
#define MATRIX_THIN_DELTA 8.0
#define MATRIX_DELTA      1.0
/* A prediction of memory assumes this number of rows at once. */
#define MATRIX_PLANNED_ROWS 4

/* ---- driver ---- */

template <typename type>
static void carve_matrix(struct workspace *space, uint32_t n, uint32_t rows,
                         uint32_t targets, struct matrix_rows<type> *r) {
    const uint64_t places = (uint64_t)rows * n;
    r->state = gg_carve<struct matrix_state>(space, 1);
    r->distance = gg_carve<typename type::word>(space, places);
    for (int i = 0; i < 2; i++) {
        r->near[i] = gg_carve<uint32_t>(space, places);
        r->far[i] = gg_carve<uint32_t>(space, places);
    }
    r->served = gg_carve<uint32_t>(space, places / 32 + 1);
    r->done = gg_carve<uint32_t>(space, rows);
    r->cell = gg_carve<typename type::word>(space, (uint64_t)rows * targets);
    r->source = gg_carve<uint32_t>(space, rows);
    r->target = gg_carve<uint32_t>(space, targets);
}

/* Rows that are searched at once. Place numbers have 32 bits. */
template <typename type>
static uint32_t rows_at_once(const struct cuda_job *job, const matrix *m) {
    const uint64_t n = job->graph->n, most = UINT32_MAX / n,
                   row =
                       n * (sizeof(typename type::word) + 17) + 4ull * m->to_count + 4096;
    const int64_t room = gg_device_room(job) / 10 * 9 - 4 * (int64_t)m->to_count;
    uint64_t rows = room > 0 ? (uint64_t)room / row : 0;
    rows = rows < most ? rows : most;
    rows = rows < m->from_count ? rows : m->from_count;
    return rows > 0 ? (uint32_t)rows : 1;
}

/* The mean of a sample of weights, spread over the edge list. */
static double mean_weight(const matrix *m) {
    const gpugraph_graph *graph = m->graph;
    const uint64_t step = graph->m / MATRIX_SAMPLE + 1;
    double sum = 0, count = 0;
    for (uint64_t e = 0; e < graph->m; e += step, count++) {
        uint64_t word = gg_word_weight(m->type, graph->weight, e);
        sum += m->type == GPUGRAPH_REAL ? gg_word_real(word) : (double)word;
    }
    return count > 0 ? sum / count : 0;
}

static double delta_of(const matrix *m) {
    if (!m->weighted)
        return 1;
    const double delta =
        mean_weight(m) * (gg_is_thin(m->graph) ? MATRIX_THIN_DELTA : MATRIX_DELTA);
    if (m->type == GPUGRAPH_REAL)
        return delta > 0 && delta <= DBL_MAX ? delta : 1;
    return delta < 1 ? 1 : delta;
}

template <typename type>
static bool start_matrix(struct cuda_job *job, const struct matrix_rows<type> *r) {
    const uint64_t places = (uint64_t)r->rows * r->arcs.n;
    struct matrix_state state = {};
    state.edge = type::from_real(r->delta);
    state.least = ~(matrix_word)0;
    state.near = r->rows;
    gg_fill(job, r->distance, 0xff, places * sizeof *r->distance);
    gg_fill(job, r->served, 0, (places / 32 + 1) * sizeof *r->served);
    gg_fill(job, r->done, 0, r->rows * sizeof *r->done);
    gg_upload(job, r->state, &state, sizeof state);
    if (!gg_going(job))
        return false;
    return GG_LAUNCH(job, begin_rows<type>, gg_grid(job, r->rows, 1), *r);
}

/* Searches some rows. `cell` is on the host. */
template <typename type>
static bool search_rows(struct cuda_job *job, struct matrix_rows<type> *r,
                        const uint32_t *from, typename type::word *cell,
                        struct matrix_state *end) {
    const uint64_t cells = (uint64_t)r->rows * r->targets;
    const unsigned grid = gg_grid(job, (uint64_t)r->rows * r->arcs.n, MATRIX_BLOCKS);
    auto queue_step = [&] { GG_LAUNCH(job, take_step<type>, grid, *r); };
    auto is_over = [&] { return end->near == 0 && end->far == 0; };
    gg_upload(job, r->source, from, r->rows * sizeof *r->source);
    if (!start_matrix(job, r) ||
        !gg_run_rounds(job, end, r->state, sizeof *end, queue_step, is_over))
        return false;
    return GG_LAUNCH(job, gather_cells<type>, gg_grid(job, cells, MATRIX_BLOCKS), *r,
                     cells) &&
           gg_download(job, cell, r->cell, cells * sizeof *cell);
}

/* Copies rows to the caller's cells. They are columns there if the matrix is
** transposed. */
template <typename type>
static void copy_cells(const matrix *m, const typename type::word *cell, uint32_t first,
                       uint32_t rows) {
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < m->to_count; j++)
            ((typename type::word *)m->cell)[gg_cell(m, first + i, j)] =
                cell[i * m->to_count + j];
}

template <typename type> static bool find_all(struct cuda_job *job, matrix *m) {
    struct matrix_rows<type> r = {};
    struct matrix_state end = {};
    matrix_word served = 0, steps = 0;
    if (!gg_device_csr(job, gg_forward_kind(m->direction), m->weighted, &r.arcs))
        return false;
    if (!m->weighted)
        r.arcs.weight = NULL;
    const uint32_t at_once = rows_at_once<type>(job, m);
    auto carve = [&](workspace *s) {
        carve_matrix(s, job->graph->n, at_once, m->to_count, &r);
    };
    auto *cell = static_cast<typename type::word *>(
        gg_alloc(m->run, (uint64_t)at_once * m->to_count, sizeof(typename type::word)));
    if (!cell || !gg_take_arrays(job, carve)) {
        gg_release(cell);
        return false;
    }
    r.targets = m->to_count;
    r.bound = (typename type::word)m->bound;
    r.bounded = m->bounded;
    r.delta = delta_of(m);
    double started = gg_now_ms();
    gg_upload(job, r.target, m->to, (uint64_t)m->to_count * sizeof *r.target);
    for (uint32_t i = 0; i < m->from_count && gg_going(job); i += r.rows) {
        r.rows = m->from_count - i < at_once ? m->from_count - i : at_once;
        if (!search_rows(job, &r, m->from + i, cell, &end))
            break;
        copy_cells<type>(m, cell, i, r.rows);
        m->over |= end.over != 0;
        served += end.served;
        steps += end.steps;
    }
    gg_release(cell);
    if (!gg_going(job))
        return false;
    gg_search_phase(m->run, started, (int64_t)served,
                    "%u searches, %u at once, %llu vertices served, %llu steps",
                    m->from_count, at_once, served, steps);
    return true;
}

static void find_matrix_on_device(matrix *m) {
    struct cuda_job job;
    if (!gg_job_open(&job, m->graph, m->run))
        return;
    gg_by_distance_type(m->type,
                        [&](auto one) { return find_all<decltype(one)>(&job, m); });
    gg_job_close(&job);
}

/* Device bytes of some rows by weight; frugal: of one row. */
static int64_t bytes_matrix(const gpugraph_graph *graph, bool frugal) {
    struct workspace space = {NULL, 0};
    struct matrix_rows<integer64> r = {};
    carve_matrix(&space, graph->n, frugal ? 1 : MATRIX_PLANNED_ROWS, GG_PLANNED_ENDS, &r);
    return gg_device_graph_lacks(graph, CSR_OUT,
                                 graph->edges.weight_type != GPUGRAPH_UNWEIGHTED) +
           (int64_t)space.used;
}

static const gg_method methods[] = {
    {.is = {"matrix", "rows", "cuda",
            "searches for as many rows at once as memory holds"}},
    {},
};

extern const algorithm_side gg_matrix_cuda = {
    .methods = methods,
    .call = GG_CALLS(matrix_entry, find_matrix_on_device),
    .bytes = bytes_matrix,
};
