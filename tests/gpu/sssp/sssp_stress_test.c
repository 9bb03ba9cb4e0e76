/* Thousands of small searches with parameters that no choice would take: buckets of all
** widths, few and many blocks, both ways of the engine "persistent", and multi-level
** multi-queues of all sizes, many of which have too little room. Distances are compared
** with Dijkstra's algorithm on the CPU. The timeout ends a search that hangs. Without a
** device the CPU's own methods are compared. */
#include "expect.h"
#include "suite.h"
#include "graphs.h"
#include "sssp/choice/choice.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static double pick(const double *from, size_t count) {
    return from[shape_random(&seed) % count];
}

/* The hook has no arguments, so these are global. */
static double scale;
static bool large; /* the queue must have room for every vertex of this graph */

static uint32_t pick_count(uint32_t most) {
    return (uint32_t)(shape_random(&seed) % (most + 1));
}

/* The least is one segment in device memory and one element of a warp. */
static void upset_queues(struct sssp_parameters *p) {
    static const double rooms[] = {0, 1, 600, 3000};
    static const double rows[] = {1, 16, 128, 1e6};
    p->l0 = pick_count(1);
    p->l1_capacity = pick_count(1) ? 1 + pick_count(63) : 1;
    p->write_back = pick_count(3);
    p->bnum = 1 + pick_count(30);
    p->cooperative = (uint32_t)pick(rows, 4);
    p->l2_capacity = large ? 0 : (uint64_t)pick(rooms, 4);
}

static void upset(struct sssp_parameters *p) {
    static const double widths[] = {0.1, 0.3, 1, 3, 10, 100, 1e6};
    static const double blocks[] = {1e-3, 0.1, 1, 2, 4, 100};
    static const double falls[] = {0, 0.875, 1e6};
    static const double reaches[] = {0.1, 1, 4};
    p->delta = scale * pick(widths, 7);
    p->blocks = pick(blocks, 6);
    if (gg_sssp_has_queues(p))
        upset_queues(p);
    if (p->kind != SSSP_PERSISTENT)
        return;
    p->fall = pick(falls, 3);
    p->pull = shape_random(&seed) % 3 ? p->delta * pick(reaches, 3) : 0;
    p->turn_after = 0;
    p->local = shape_random(&seed) % 2;
}

static gpugraph_graph *weighted(const shape *s, int kind) {
    int64_t *whole = malloc((size_t)(s->edges + 1) * sizeof *whole);
    int64_t *vertex = malloc((s->vertices + 1) * sizeof *vertex);
    double *real = malloc((size_t)(s->edges + 1) * sizeof *real);
    for (int64_t e = 0; e < s->edges; e++) {
        uint64_t dice = shape_random(&seed) >> 8;
        whole[e] = (int64_t)(kind == 0   ? dice % 256
                             : kind == 1 ? dice % 4 / 3
                                         : dice >> 16 >> dice % 40);
        real[e] = (double)(dice % 100000) / 777.0;
    }
    gpugraph_edges edges = shape_edges(s, vertex);
    edges.weight_type = kind == 3 ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_INTEGER_WEIGHTS;
    edges.weight = kind == 3 ? (void *)real : (void *)whole;
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    gpugraph_create(&edges, &run, &graph);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    scale = kind == 2 ? 1e9 : kind == 1 ? 1 : 100;
    free(whole);
    free(vertex);
    free(real);
    return graph;
}

static shape draw_shape(int i) {
    uint32_t n = (uint32_t)(shape_random(&seed) % (i % 50 ? 300 : 20000)) + 2;
    switch (i % 7) {
    case 0:
        return shape_star(n * 10);
    case 1:
        return shape_grid(n / 16 + 1, 16);
    case 2:
        return shape_rmat(8, 16, seed);
    case 3:
        return shape_comb(n / 8 + 1, 8);
    case 4:
        return shape_path(n);
    case 5:
        return shape_complete(n % 120 + 2);
    default:
        return shape_random_edges(n, 5 * (int64_t)n, seed);
    }
}

/* All methods except the reference. */
static void search_all(gpugraph_graph *graph, const gpugraph_search *search,
                       const void *right, void *distance, size_t bytes,
                       const char *name) {
    const gpugraph_method *method;
    for (int i = 0; (method = gpugraph_method_at(i)) != NULL; i++) {
        bool cuda = strcmp(method->backend, "cuda") == 0;
        if (strcmp(method->function, "sssp") != 0 ||
            strcmp(method->name, "dijkstra") == 0 ||
            (cuda && !gpugraph_cuda_usable(NULL)))
            continue;
        gpugraph_run run = {.method = method->name,
                            .threads = 2,
                            .backend = cuda ? GPUGRAPH_CUDA : GPUGRAPH_CPU};
        memset(distance, 0xee, bytes);
        gpugraph_sssp(graph, search, &run, distance, NULL);
        expect(run.status == GPUGRAPH_OK, "%s, %s: %s", name, method->name, run.message);
        expect(memcmp(distance, right, bytes) == 0, "%s, %s: distances", name,
               method->name);
    }
}

START_TEST(small_searches) {
    gg_limits.sssp_adjust = upset;
    for (int i = 0; i < 400; i++) {
        shape s = draw_shape(i);
        large = s.vertices > 4000;
        gpugraph_graph *graph = weighted(&s, i % 4);
        bool narrow = gpugraph_distance_type_of(graph) == GPUGRAPH_UINT32;
        size_t bytes = (size_t)s.vertices * (narrow ? 4 : 8);
        void *right = malloc(bytes), *distance = malloc(bytes);
        for (int k = 0; k < 3; k++) {
            uint32_t source = (uint32_t)(shape_random(&seed) % s.vertices);
            gpugraph_search search = {
                .source = &source, .source_count = 1, .direction = (gpugraph_direction)k};
            gpugraph_run run = {.backend = GPUGRAPH_CPU, .method = "dijkstra"};
            gpugraph_sssp(graph, &search, &run, right, NULL);
            ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
            search_all(graph, &search, right, distance, bytes, s.name);
        }
        free(right);
        free(distance);
        gpugraph_free(graph);
        shape_free(&s);
    }
    gg_limits.sssp_adjust = NULL;
}
END_TEST

const struct suite suite = {
    "sssp stress",
    {{"sssp stress", .timeout = 480, .cases = {{&small_searches}}}},
};
