/* Makes, searches and checks a graph whose edge numbers do not fit 32 bits, on every
** backend of the machine.
**
**     bench_wide [bits [vertex_bits]]
**
**     edges below 2^bits     number e = j << vertex_bits | s:
**                            s -> 3 s + j (mod 2^vertex_bits)
**     edges from there on    v -> 2^vertex_bits + v: the only edge to that vertex
**
** bits: 32 by default; edge numbers are wide from 2^bits edges on, so a smaller value
** makes the run possible on a small machine. vertex_bits: 22 by default. With 32 bits the
** program takes about 90 GB of memory, of which 69 GB are columns that become the graph;
** a device needs 110 GB.
**
** The tree edge of a vertex is the smallest edge from a vertex of the depth before. The
** formula gives this edge, so the program checks all tree edges. It checks the depths of
** the predecessors for one vertex in 16. Prints each phase with its milliseconds. */
#define _GNU_SOURCE
#include "base/limits.h"
#include "gpugraph.h"
#include "team.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LOOK_AT = 16, HUGE_PAGE = 2 << 20 };

typedef struct formula {
    uint64_t regular; /* edges below 2^bits */
    uint32_t half;    /* vertices of regular edges; 2 half in all */
} formula;

static uint64_t edge_count(const formula *f) {
    return f->regular + f->half;
}

static uint32_t source_of(const formula *f, uint64_t e) {
    return (uint32_t)(e & (f->half - 1));
}

static uint32_t target_of(const formula *f, uint64_t e) {
    uint32_t s = source_of(f, e);
    return e < f->regular ? (3 * s + (uint32_t)(e / f->half)) & (f->half - 1)
                          : f->half + s;
}

/* The source of the regular edge to v for this j (see the formula above). */
static uint32_t source_to(const formula *f, uint32_t v, uint32_t j) {
    const uint32_t third = 0xaaaaaaabu; /* 3 * third is 1 (mod 2^32) */
    return (v - j) * third & (f->half - 1);
}

/* ---- making ---- */

static int64_t *column(uint64_t count) {
    size_t bytes = count * sizeof(int64_t);
    void *block = NULL;
    if (posix_memalign(&block, HUGE_PAGE,
                       (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE))
        abort();
    madvise(block, bytes, MADV_HUGEPAGE);
    return block;
}

static void print_phase(void *listener, const char *name, double ms, int64_t items,
                        const char *detail) {
    (void)listener;
    printf("%-10s %10.1f ms  %lld  %s\n", name, ms, (long long)items, detail);
    fflush(stdout);
}

static void give_up(const gpugraph_run *run) {
    if (run->status == GPUGRAPH_OK)
        return;
    fprintf(stderr, "bench_wide: %s\n", run->message);
    exit(1);
}

struct columns {
    const formula *f;
    int64_t *source, *target;
};

static void fill_columns(void *job, uint64_t low, uint64_t high) {
    const struct columns *c = job;
    for (uint64_t e = low; e < high; e++) {
        c->source[e] = source_of(c->f, e);
        c->target[e] = target_of(c->f, e);
    }
}

static gpugraph_graph *make(const formula *f, gpugraph_run *run) {
    uint64_t m = edge_count(f);
    double started = now_ms();
    int64_t *source = column(m), *target = column(m);
    struct columns columns = {f, source, target};
    gg_slices(gg_team_limit(0), m, fill_columns, &columns);
    print_phase(NULL, "columns", now_ms() - started, (int64_t)m, "");
    gpugraph_edges edges = {.count = (int64_t)m,
                            .source = {source, NULL},
                            .target = {target, NULL},
                            .take_over = true};
    gpugraph_graph *graph;
    gpugraph_create(&edges, run, &graph);
    give_up(run);
    return graph;
}

/* ---- checking ---- */

/* The correct tree edge of v. */
static uint64_t right_edge(const formula *f, const uint32_t *depth, uint32_t v) {
    if (depth[v] == 0)
        return GPUGRAPH_NO_EDGE;
    if (v >= f->half)
        return f->regular + (v - f->half);
    for (uint32_t j = 0; j < f->regular / f->half; j++) {
        uint32_t s = source_to(f, v, j);
        if (depth[s] + 1 == depth[v])
            return (uint64_t)j * f->half + s;
    }
    return GPUGRAPH_NO_EDGE;
}

/* True if a predecessor of v has a depth that is smaller by more than one. */
static bool too_deep(const formula *f, const uint32_t *depth, uint32_t v) {
    for (uint32_t j = 0; j < f->regular / f->half; j++)
        if (depth[source_to(f, v, j)] + 1 < depth[v])
            return true;
    return false;
}

struct tree_check {
    const formula *f;
    const gpugraph_graph *graph;
    const uint32_t *depth;
    const void *tree;
    uint64_t wrong, beyond;
};

static void check_vertices(void *job, uint64_t low, uint64_t high) {
    struct tree_check *c = job;
    const formula *f = c->f;
    const uint32_t *depth = c->depth;
    uint64_t wrong = 0, beyond = 0;
    for (uint64_t at = low; at < high; at++) {
        uint32_t v = (uint32_t)at;
        uint64_t e = gpugraph_edge_at(c->graph, c->tree, v);
        wrong += depth[v] == GPUGRAPH_NONE || e != right_edge(f, depth, v);
        wrong += v < f->half && v % LOOK_AT == 0 && too_deep(f, depth, v);
        wrong += v >= f->half && depth[v] != depth[v - f->half] + 1;
        beyond += e != GPUGRAPH_NO_EDGE && e > gg_limits.narrow_edges;
    }
    __atomic_fetch_add(&c->wrong, wrong, __ATOMIC_RELAXED);
    __atomic_fetch_add(&c->beyond, beyond, __ATOMIC_RELAXED);
}

static void check_tree(const formula *f, const gpugraph_graph *graph,
                       const uint32_t *depth, const void *tree) {
    double started = now_ms();
    struct tree_check c = {f, graph, depth, tree, 0, 0};
    gg_chunks(gg_team_limit(0), 2 * (uint64_t)f->half, 4096, check_vertices, &c);
    uint64_t wrong = c.wrong, beyond = c.beyond;
    printf("%-10s %10.1f ms  %llu wrong, %llu tree edges beyond %llu\n", "check",
           now_ms() - started, (unsigned long long)wrong, (unsigned long long)beyond,
           (unsigned long long)gg_limits.narrow_edges);
    if (wrong || beyond < f->half - 1)
        exit(1);
}

static void check_degrees(const formula *f, gpugraph_graph *graph, gpugraph_run *run,
                          uint32_t *degree) {
    gpugraph_degrees(graph, GPUGRAPH_OUT, run, degree);
    give_up(run);
    for (uint32_t v = 0; v < 2 * f->half; v++)
        if (degree[v] != (v < f->half ? f->regular / f->half + 1 : 0))
            exit(1);
}

static void search(const formula *f, gpugraph_graph *graph, gpugraph_run *run) {
    uint32_t source = 0, target = 2 * f->half - 1, n = 2 * f->half, steps = 0;
    uint32_t *depth = malloc((size_t)n * sizeof *depth);
    void *edge = malloc(n * gpugraph_edge_size(graph));
    gpugraph_search s = {
        .source = &source, .source_count = 1, .max_depth = GPUGRAPH_NONE};
    if (!depth || !edge)
        abort();
    for (int i = 0; i < 2; i++) { /* the first one makes the rows */
        double started = now_ms();
        gpugraph_bfs(graph, &s, run, depth, edge);
        give_up(run);
        print_phase(NULL, "bfs", now_ms() - started, n, run->used_backend);
    }
    check_tree(f, graph, depth, edge);
    s.target = &target;
    s.target_count = 1;
    gpugraph_path(graph, &s, false, run, edge, &steps);
    give_up(run);
    if (steps != depth[target] ||
        gpugraph_edge_at(graph, edge, steps - 1) != edge_count(f) - 1)
        exit(1);
    run->method = NULL;
    check_degrees(f, graph, run, depth);
    free(depth);
    free(edge);
}

int main(int argc, char **argv) {
    int bits = argc > 1 ? atoi(argv[1]) : 32, vertex_bits = argc > 2 ? atoi(argv[2]) : 22;
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .phase = print_phase};
    if (bits < vertex_bits || bits > 40 || vertex_bits < 2 || vertex_bits > 30) {
        fprintf(stderr, "usage: bench_wide [bits [vertex_bits]], vertex_bits 2 .. 30 and "
                        "no more than bits\n");
        return 2;
    }
    formula f = {(uint64_t)1 << bits, (uint32_t)1 << vertex_bits};
    if (bits < 32)
        gg_limits.narrow_edges = f.regular - 1;
    gpugraph_graph *graph = make(&f, &run);
    if (gpugraph_edge_count(graph) != edge_count(&f) ||
        gpugraph_find_edge(graph, (int64_t)edge_count(&f)) != edge_count(&f) - 1)
        return 1;
    run.method = "top-down"; /* the transpose would take as much memory as the rows */
    search(&f, graph, &run);
    if (gpugraph_cuda_usable(NULL)) {
        run.backend = GPUGRAPH_CUDA;
        search(&f, graph, &run);
    }
    gpugraph_free(graph);
    return 0;
}
