/* Measures how long a change of one edge makes a writer wait.
**
**     bench_pauses [SIDE [changes]]
**
** Makes a grid of SIDE * SIDE vertices (default 1414: 8 M edges) with edges both ways,
** not in the order of their sources. The graph has the derived data of a followed graph:
** OUT and IN with weights, SIMPLE, and the arcs of each vertex by edge ids. Then makes
** 10,000 changes of one edge, each kind in turn. Prints for each kind the quantiles of
** gpugraph_update, the longest call and its number. Finally adds an edge from a new
** vertex whose id is the smallest, and measures gpugraph_compact, five times. */
#include "graph/graph.h"
#include "bench.h"
#include "graphs.h"

#include <stdio.h>
#include <stdlib.h>

enum kind { APPENDED, MOVED, REMOVED, PUT_BACK, REWEIGHTED, KINDS };
static const char *const names[KINDS] = {"appended", "another target", "removed",
                                         "put back", "another weight"};

typedef struct columns {
    int64_t count;
    int64_t *source, *target, *weight, *id;
} columns;

static void check(const gpugraph_run *run) {
    if (run->status) {
        fprintf(stderr, "bench_pauses: %s\n", run->message);
        exit(1);
    }
}

static void *need(void *block) {
    if (!block)
        exit(1);
    return block;
}

/* Makes edges both ways between neighbours. Edge i is number i * step mod 4 * side * side
** of all possible edges. */
static void make_grid(columns *c, int64_t side) {
    static const int64_t dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    const int64_t most = 4 * side * side;
    c->source = need(malloc((size_t)most * 8));
    c->target = need(malloc((size_t)most * 8));
    c->weight = need(malloc((size_t)most * 8));
    c->id = need(malloc((size_t)most * 8));
    for (int64_t i = 0; i < most; i++) {
        const int64_t at = (int64_t)((unsigned __int128)i * 1000003 % (uint64_t)most);
        const int64_t v = at / 4, x = v % side + dx[at % 4], y = v / side + dy[at % 4];
        if (x < 0 || y < 0 || x >= side || y >= side)
            continue;
        c->source[c->count] = v;
        c->target[c->count] = y * side + x;
        c->weight[c->count] = v % 255 + 1;
        c->id[c->count] = c->count + 1;
        c->count++;
    }
}

static gpugraph_edges edges_of(const columns *c) {
    return (gpugraph_edges){.count = c->count,
                            .source = {c->source, NULL},
                            .target = {c->target, NULL},
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = c->weight,
                            .edge_id = c->id};
}

static void make_rows(gpugraph_graph *graph, gpugraph_run *run) {
    csr view;
    gpugraph_arcs arcs;
    gpugraph_arcs_from(graph, 0, run, &arcs);
    check(run);
    gg_rows(graph, CSR_OUT, true, false, run, &view);
    gg_rows(graph, CSR_IN, true, false, run, &view);
    gg_rows(graph, CSR_SIMPLE, false, false, run, &view);
    check(run);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double one_change(gpugraph_graph *graph, gpugraph_run *run, const columns *all,
                         enum kind kind, int64_t e, int64_t *last, uint64_t *random) {
    int64_t id = all->id[e], source = all->source[e], target = all->target[e];
    int64_t weight = (int64_t)(shape_random(random) % 900);
    if (kind == APPENDED)
        id = ++*last;
    if (kind == MOVED || kind == APPENDED)
        target = all->target[shape_random(random) % (uint64_t)all->count];
    columns one = {1, &source, &target, &weight, &id};
    gpugraph_edges edges = edges_of(&one);
    gpugraph_changes changes = {.removed = &id,
                                .removed_count = kind != APPENDED && kind != PUT_BACK,
                                .added = kind == REMOVED ? NULL : &edges};
    const double start = now_ms();
    gpugraph_update(graph, &changes, run);
    const double ms = now_ms() - start;
    check(run);
    return ms;
}

static void change_all(gpugraph_graph *graph, gpugraph_run *run, const columns *all,
                       int changes) {
    double *ms = need(malloc((size_t)changes * KINDS * sizeof *ms)), longest[KINDS] = {0};
    int count[KINDS] = {0}, when[KINDS] = {0};
    int64_t last = all->id[all->count - 1], gone = 0;
    uint64_t random = 7;
    for (int i = 0; i < changes; i++) {
        static const enum kind turns[] = {APPENDED, MOVED, REWEIGHTED, REMOVED, PUT_BACK};
        const enum kind kind = turns[i % KINDS];
        int64_t e = (int64_t)(shape_random(&random) % (uint64_t)all->count);
        if (kind == PUT_BACK)
            e = gone;
        gone = e;
        const double took = one_change(graph, run, all, kind, e, &last, &random);
        ms[(size_t)kind * changes + count[kind]++] = took;
        if (took > 3)
            printf("change %d, %s: %.1f ms\n", i, names[kind], took);
        if (took > longest[kind]) {
            longest[kind] = took;
            when[kind] = i;
        }
    }
    printf("%-16s %9s %9s %9s %9s\n", "ms", "median", "99 %", "longest", "which");
    for (int k = 0; k < KINDS; k++) {
        double *of = ms + (size_t)k * changes;
        qsort(of, (size_t)count[k], sizeof *of, ascending);
        printf("%-16s %9.4f %9.4f %9.3f %9d\n", names[k], of[count[k] / 2],
               of[count[k] * 99 / 100], longest[k], when[k]);
    }
    free(ms);
}

/* Each time all vertices get another number. */
static void compact(gpugraph_graph *graph, gpugraph_run *run, int64_t last) {
    for (int64_t i = 1; i <= 5; i++) {
        int64_t id = last + i, source = -i, target = 0, weight = 1;
        const columns one = {1, &source, &target, &weight, &id};
        const gpugraph_edges edges = edges_of(&one);
        const gpugraph_changes changes = {.added = &edges};
        gpugraph_update(graph, &changes, run);
        check(run);
        const double start = now_ms();
        gpugraph_compact(graph, run);
        check(run);
        printf("compaction: %.0f ms\n", now_ms() - start);
    }
}

int main(int argc, char **argv) {
    const int64_t side = argc > 1 ? atoll(argv[1]) : 1414;
    gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = 2};
    gpugraph_graph *graph;
    columns all = {0};
    make_grid(&all, side);
    gpugraph_edges edges = edges_of(&all);
    gpugraph_create(&edges, &run, &graph);
    check(&run);
    const double start = now_ms();
    make_rows(graph, &run);
    printf("%u vertices, %lld edges; rows made in %.0f ms\n",
           gpugraph_vertex_count(graph), (long long)all.count, now_ms() - start);
    const int changes = argc > 2 ? atoi(argv[2]) : 10000;
    change_all(graph, &run, &all, changes);
    compact(graph, &run, all.id[all.count - 1] + changes);
    gpugraph_free(graph);
    return 0;
}
