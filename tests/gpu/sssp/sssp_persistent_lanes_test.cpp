/* The engine "persistent" on CPU threads (cuda_lanes.h): distances from a source against
** Dijkstra's algorithm, and one shortest path from both ends. Several small blocks
** exercise all communication, with buckets of all widths. */
#define LANES_SHARED __thread
#include "cuda_lanes.h"

#define GG_PERSISTENT_BLOCK    64
#define GG_PERSISTENT_VERTICES 16
#define GG_PERSISTENT_SLICE    3 /* 8 arcs */

/* Warnings that nvcc does not give. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wextra"
#include "sssp/persistent.cu"

static_assert(sizeof(block_memory<real>) <= sizeof memory, "shared memory");

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
}
#include "lanes_graphs.h"

template <typename type> static bool run_if(const void *kernel, void *argument) {
    if (kernel != (const void *)find_distances<type>)
        return false;
    find_distances<type>(*static_cast<persistent<type> *>(argument));
    return true;
}

static void run_kernel(const void *kernel, void *argument) {
    bool ran = run_if<integer32>(kernel, argument) ||
               run_if<integer64>(kernel, argument) || run_if<real>(kernel, argument) ||
               run_if<both_ends<integer32>>(kernel, argument) ||
               run_if<both_ends<integer64>>(kernel, argument) ||
               run_if<both_ends<real>>(kernel, argument);
    if (!ran)
        abort();
}

/* ---- graphs ---- */

enum weights { SMALL, POSITIVE, SMALL_REAL, POSITIVE_REAL, LARGE, KINDS };

static gpugraph_graph *weighted_graph(const shape *s, enum weights weights,
                                      uint64_t seed) {
    std::vector<int64_t> whole(s->edges + 1);
    std::vector<double> tenths(s->edges + 1);
    bool is_real = weights == SMALL_REAL || weights == POSITIVE_REAL;
    for (int64_t e = 0; e < s->edges; e++) {
        whole[e] = (int64_t)(shape_random(&seed) % (seed % 3 ? 5 : 60));
        if (weights == LARGE)
            whole[e] = (int64_t)1 << shape_random(&seed) % 50;
        else if (weights == POSITIVE || weights == POSITIVE_REAL)
            whole[e]++;
        tenths[e] = (double)whole[e] * 0.1;
    }
    return shape_weighed(s, false, is_real ? NULL : whole.data(), tenths.data());
}

/* As words of the engine: unsigned, ascending with the distance, all bits if not reached;
** for REAL distances infinity. */
static uint64_t word_of(gpugraph_distance_type type, const void *distance, uint64_t v) {
    uint64_t bits = 0;
    size_t size = gg_distance_size(type);
    memcpy(&bits, (const char *)distance + v * size, size);
    return type == GPUGRAPH_UINT32 && bits == UINT32_MAX ? UINT64_MAX : bits;
}

struct right { /* result of Dijkstra's algorithm */
    gpugraph_distance_type type;
    std::vector<uint64_t> distance, edge;
};

static struct right ask(gpugraph_graph *graph, uint32_t source,
                        gpugraph_direction direction) {
    struct right r = {gpugraph_distance_type_of(graph), std::vector<uint64_t>(graph->n),
                      std::vector<uint64_t>(graph->n)};
    const gpugraph_search search = search_from(&source, direction);
    gpugraph_run run = gpugraph_run();
    run.backend = GPUGRAPH_CPU;
    gpugraph_sssp(graph, &search, &run, r.distance.data(), r.edge.data());
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    return r;
}

/* ---- searches ---- */

struct found {
    std::vector<unsigned char> distance;
    bool dropped;
};

/* Fixes arcs as gpu/graph/device_fixed.cu does. */
static std::vector<uint64_t> fix(const device_csr &g) {
    const uint32_t shift = gg_arc_places(g.n, g.m), places = 1u << shift;
    const uint32_t *weight = static_cast<const uint32_t *>(g.weight);
    std::vector<uint64_t> arc((size_t)g.n << shift, GPUGRAPH_NONE);
    for (uint32_t v = 0; v < g.n; v++) {
        const uint64_t begin = g.begin[v], arcs = g.end[v] - begin;
        uint64_t *row = &arc[(size_t)v << shift];
        for (uint32_t k = 0; k < places && k < arcs; k++)
            row[k] = (uint64_t)weight[begin + k] << 32 | g.target[begin + k];
        if (arcs > places)
            row[places - 1] = GG_FIXED_MORE;
    }
    return arc;
}

static struct found search_with(gpugraph_graph *graph, gpugraph_search *search,
                                bool from_both, bool pulls, uint64_t seed) {
    struct sssp_search s = sssp_search();
    gpugraph_run run = gpugraph_run();
    cuda_device device = {3, 0, 0};
    cuda_job job = {&run, &device, NULL};
    uint32_t stop = 0, ends[2] = {search->source[0], 0};
    workspace space = {NULL, 0};
    if (search->target_count > 0)
        ends[1] = search->target[0];
    s.g = rows_of(graph, gg_forward_kind(search->direction), true);
    if (from_both)
        s.back = rows_of(graph, gg_reverse_kind(search->direction), true);
    else if (pulls)
        s.transpose = rows_of(graph, gg_reverse_kind(search->direction), true);
    s.wanted = search;
    s.type = gpugraph_distance_type_of(graph);
    s.ends = ends;
    s.stop = &stop;
    struct found f = {
        std::vector<unsigned char>(2 * (size_t)graph->n * gg_distance_size(s.type)),
        false};
    s.distance = f.distance.data();
    s.parameters.kind = SSSP_PERSISTENT;
    s.parameters.fall = seed / 150 % 2 ? 1e6 : 0;
    s.parameters.delta = s.type == GPUGRAPH_REAL
                             ? 0.3 * (double)(seed % 40 + 1)
                             : (double)(1ull << seed % (graph->n % 2 ? 8 : 50));
    s.parameters.blocks = 4;
    s.parameters.local = seed / 50 % 3 == 1;
    std::vector<uint64_t> arcs;
    if (s.parameters.local && s.type == GPUGRAPH_UINT32 && !from_both && seed % 5 > 0) {
        arcs = fix(s.g);
        s.fixed = arcs.data();
    }
    if (pulls) {
        s.parameters.local = false;
        s.parameters.pull = s.parameters.delta * (double)(seed / 3 % 4) / 2 + 1e-9;
    }
    struct lighter light;
    if (pulls && s.type == GPUGRAPH_UINT32 && seed % 7 > 0) {
        /* As many light arcs as are needed, or too few, which the search must not use. */
        const double most = (s.parameters.delta + s.parameters.pull) * 1.01 + 2;
        s.light.most = seed % 7 == 1    ? (uint32_t)(s.parameters.delta / 2)
                       : most < 4000000 ? (uint32_t)most
                                        : 4000000;
        light = lighten(s.g, s.light.most);
        s.light.offset = light.offset.data();
        s.light.arc = light.arc.data();
    }
    std::vector<unsigned char> block(gg_sssp_persistent_bytes(&job, &s) + 256);
    space.base = block.data() + (256 - (uintptr_t)block.data() % 256) % 256;
    ck_assert_msg(gg_sssp_persistent(&job, &s, &space),
                  "%s (%u vertices, %llu arcs, both %d, local %d, buckets "
                  "of %g)",
                  run.message, s.g.n, (unsigned long long)s.g.m, from_both,
                  s.parameters.local, s.parameters.delta);
    f.dropped = s.dropped && !s.early;
    if (from_both)
        f.dropped = s.dropped;
    return f;
}

static void check_whole(const shape *s, gpugraph_graph *graph, uint32_t source,
                        gpugraph_direction direction, bool pulls, uint64_t seed) {
    gpugraph_search search = gpugraph_search();
    search.source = &source;
    search.source_count = 1;
    search.direction = direction;
    const struct right right = ask(graph, source, direction);
    const struct found f = search_with(graph, &search, false, pulls, seed);
    ck_assert(!f.dropped);
    for (uint32_t v = 0; v < graph->n; v++)
        expect(word_of(right.type, f.distance.data(), v) ==
                   word_of(right.type, right.distance.data(), v),
               "%s, seed %llu: %u", s->name, (unsigned long long)seed, v);
}

/* Every vertex on the path in the whole search's tree must have its distance. */
static void check_path(const shape *s, gpugraph_graph *graph, uint32_t source,
                       uint32_t target, gpugraph_direction direction, uint64_t seed) {
    gpugraph_search search = gpugraph_search();
    search.source = &source;
    search.target = &target;
    search.source_count = search.target_count = 1;
    search.direction = direction;
    if (source == target)
        return;
    const struct right right = ask(graph, source, direction);
    const struct found f = search_with(graph, &search, true, false, seed);
    ck_assert(!f.dropped);
    uint64_t e;
    for (uint32_t v = target;; v = gpugraph_other_end(graph, e, v)) {
        uint64_t got = word_of(right.type, f.distance.data(), v);
        uint64_t wanted = word_of(right.type, right.distance.data(), v);
        expect(got == wanted,
               "%s, seed %llu, %u to %u, direction %d: %u is at %llx, not %llx", s->name,
               (unsigned long long)seed, source, target, (int)direction, v,
               (unsigned long long)got, (unsigned long long)wanted);
        e = gg_edge_at(right.edge.data(), graph->wide, v);
        if (e == GPUGRAPH_NO_EDGE)
            break;
    }
}

/* ---- the cases ---- */

static void check_shape(const shape *s, uint64_t seed, int pairs) {
    for (int kind = 0; kind < KINDS; kind++) {
        gpugraph_graph *graph = weighted_graph(s, (enum weights)kind, seed);
        for (int i = 0; i < pairs; i++) {
            uint32_t source = (uint32_t)(shape_random(&seed) % s->vertices);
            uint32_t target = (uint32_t)(shape_random(&seed) % s->vertices);
            gpugraph_direction direction = (gpugraph_direction)(shape_random(&seed) % 3);
            check_path(s, graph, source, target, direction, seed);
            if (i % 3 == 0)
                check_whole(s, graph, source, direction, false, seed);
            check_whole(s, graph, source, direction, true, seed);
        }
        gpugraph_free(graph);
    }
}

START_TEST(random_graphs) {
    uint64_t seed = 3;
    for (int i = 0; i < 25; i++) {
        uint32_t n = (uint32_t)(shape_random(&seed) % 60) + 2;
        shape s = shape_random_edges(n, (int64_t)(shape_random(&seed) % (5 * n)), seed);
        if (!left_out((uint64_t)i))
            check_shape(&s, seed, 4);
        shape_free(&s);
    }
}
END_TEST

/* Long paths, hubs, rows that are cut into slices, and ends without arcs to them. */
START_TEST(shapes) {
    shape shapes[] = {shape_grid(13, 17), shape_rmat(7, 8, 5), shape_path(150),
                      shape_star(1500),   shape_comb(9, 5),    shape_rmat(8, 2, 9)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_shape(&shapes[i], i + 1, 3);
        shape_free(&shapes[i]);
    }
}
END_TEST

/* The sum of three weights exceeds the INTEGER range, the sum of two does not. The search
** must report that, unless there is no path at all. */
START_TEST(range) {
    shape s = shape_path(4);
    const int64_t whole[] = {INT64_MAX / 2, INT64_MAX / 2, INT64_MAX / 2};
    gpugraph_graph *graph = shape_weighed(&s, false, whole, NULL);
    for (uint64_t seed = 0; seed < 150; seed++)
        for (uint32_t source = 0; source < 4; source++)
            for (uint32_t target = 0; target < 4; target++) {
                gpugraph_search search = gpugraph_search();
                search.source = &source;
                search.target = &target;
                search.source_count = search.target_count = 1;
                if (source == target || seed % 7 != source)
                    continue;
                const struct found f = search_with(graph, &search, true, false, seed);
                uint64_t d = word_of(GPUGRAPH_UINT64, f.distance.data(), target);
                bool near = source < target && target - source < 3;
                ck_assert_uint_eq(d, near ? (target - source) * (uint64_t)whole[0]
                                          : UINT64_MAX);
                if (source == 0 && target == 3)
                    ck_assert(f.dropped);
                else if (target == 0 || source == 3)
                    ck_assert(!f.dropped);
            }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

const struct suite suite = {
    .name = "sssp_persistent_lanes",
    .groups = {{.name = "sssp_persistent_lanes",
                .timeout = 240,
                .cases = {{&random_graphs}, {&shapes}, {&range}}}},
};
