/* PageRank and shortest paths on several devices have the same bits as on the CPU, with
** any number of members and any exchange. The test is skipped without a device. */
#include "graph/graph.h"
#include "pagerank/pagerank.h"
#include "sssp/sssp.h"
#include "distributed/devices/several.cuh"

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
}
#include "several_layouts.h"

#include <math.h>
#include <stdlib.h>

#include <algorithm>
#include <string>

static pagerank_entry *const rank_by_several =
    GG_CALL_OF(pagerank_entry, &gg_pagerank_distributed);
static sssp_entry *const search_by_several = GG_CALL_OF(sssp_entry, &gg_sssp_distributed);

enum weights { NONE, SMALL, LARGE, REAL_SMALL, WEIGHTS };

static gpugraph_graph *graph_of(const shape *s, enum weights kind, uint64_t seed) {
    std::vector<int64_t> whole((size_t)s->edges + 1);
    std::vector<double> real((size_t)s->edges + 1);
    for (int64_t e = 0; e < s->edges; e++) {
        whole[e] = (int64_t)(shape_random(&seed) % 40);
        real[e] = (double)whole[e] * 0.1;
        if (kind == LARGE)
            whole[e] = (int64_t)(shape_random(&seed) >> 24 >> seed % 40);
    }
    if (kind == NONE)
        return shape_graph(s);
    return shape_weighed(s, false, kind == REAL_SMALL ? NULL : whole.data(), real.data());
}

static gpugraph_run cpu_run() {
    gpugraph_run run = gpugraph_run();
    run.backend = GPUGRAPH_CPU;
    return run;
}

/* ---- ranks ---- */

/* Each graph uses only a few layouts, because each layout makes its own rows. */
static uint64_t turn;
static size_t at_a_time;

static std::vector<struct layout> next_layouts() {
    return layouts_in_turn(turn++, at_a_time);
}

static void check_ranks_of(const shape *s, gpugraph_graph *graph,
                           const std::vector<struct layout> &list,
                           const gpugraph_pagerank_options *how, const char *what) {
    std::vector<double> right(graph->n + 1), rank(graph->n + 1);
    gpugraph_run run = cpu_run();
    ck_assert_int_eq(gpugraph_pagerank(graph, how, &run, right.data()), GPUGRAPH_OK);
    for (const struct layout &l : list) {
        pagerank_end end = {0, 0};
        begin_layout(&run, &l);
        std::fill(rank.begin(), rank.end(), -1);
        rank_by_several(graph, &run, how, rank.data(), &end);
        layout_done(&run, &l);
        ck_assert(end.iterations <= how->iterations);
        for (uint32_t v = 0; v < graph->n; v++)
            expect(memcmp(&rank[v], &right[v], sizeof(double)) == 0,
                   "%s, %s, %d parts: rank %u is %.17g, not %.17g", s->name, what,
                   l.parts, v, rank[v], right[v]);
    }
}

static void check_ranks(const shape *s, uint64_t seed) {
    for (int kind = NONE; kind < WEIGHTS; kind++) {
        gpugraph_graph *graph = graph_of(s, (enum weights)kind, seed);
        const std::vector<struct layout> list = next_layouts();
        std::vector<uint32_t> source;
        for (uint32_t v = 0; v < graph->n; v++)
            if (shape_random(&seed) % 5 == 0)
                source.push_back(v);
        gpugraph_pagerank_options how = {0.85, 0, 7, kind != NONE};
        how.direction = (gpugraph_direction)(seed % 3);
        check_ranks_of(s, graph, list, &how, "all");
        how.source = source.data();
        how.source_count = (uint32_t)source.size();
        check_ranks_of(s, graph, list, &how, "personalised");
        how.source_count = 0;
        how.tolerance = 1e-3;
        how.iterations = 100;
        check_ranks_of(s, graph, list, &how, "to a tolerance");
        how.iterations = 0;
        check_ranks_of(s, graph, list, &how, "no iteration");
        gpugraph_free(graph);
    }
}

/* ---- shortest paths ---- */

static uint64_t bits_of(const void *distance, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, distance, size);
    return bits;
}

/* Compares with the CPU. After an early end, reported distances are right, and the
** requested ones are there. */
static void check_paths_of(const shape *s, gpugraph_graph *graph,
                           const std::vector<struct layout> &list,
                           const gpugraph_search *search, const char *what) {
    const size_t size = gg_distance_size(graph->distance_type);
    std::vector<char> right(graph->n * size + 8), found(graph->n * size + 8),
        far(size, (char)0xff);
    std::vector<uint64_t> right_tree(graph->n + 1), tree(graph->n + 1);
    const double infinity = INFINITY;
    gpugraph_run run = cpu_run();
    gpugraph_search whole = *search;
    whole.target_count = 0;
    whole.limit = 0;
    gpugraph_sssp(graph, &whole, &run, right.data(), right_tree.data());
    const gpugraph_status status = run.status;
    if (graph->distance_type == GPUGRAPH_REAL)
        memcpy(far.data(), &infinity, size);
    const bool early = search->target_count > 0 || search->limit > 0;
    for (const struct layout &l : list) {
        begin_layout(&run, &l);
        std::fill(found.begin(), found.end(), 1);
        search_by_several(graph, search, &run, found.data(), early ? NULL : tree.data());
        if (status == GPUGRAPH_RANGE) {
            ck_assert(early || run.status == GPUGRAPH_RANGE);
            end_layout();
            continue;
        }
        layout_done(&run, &l);
        uint64_t reached = 0, all = 0;
        for (uint32_t v = 0; v < graph->n; v++) {
            const char *one = &found[v * size], *other = &right[v * size];
            const bool is_far = memcmp(one, far.data(), size) == 0;
            reached += !is_far;
            all += memcmp(other, far.data(), size) != 0;
            expect(memcmp(one, other, size) == 0 || (early && is_far),
                   "%s, %s, %d parts, exchange %s: distance of %u is %llx, not %llx",
                   s->name, what, l.parts, l.exchange ? l.exchange : "as chosen", v,
                   (unsigned long long)bits_of(one, size),
                   (unsigned long long)bits_of(other, size));
        }
        for (uint32_t i = 0; i < search->target_count; i++) {
            const uint64_t at = search->target[i] * size;
            expect(memcmp(&found[at], &right[at], size) == 0, "%s: target %u", s->name,
                   search->target[i]);
        }
        expect(search->limit == 0 || reached >= std::min(search->limit, all),
               "%s: %llu within the limit", s->name, (unsigned long long)reached);
        expect(early || memcmp(tree.data(), right_tree.data(),
                               graph->n * gg_edge_size(graph->wide)) == 0,
               "%s, %s: another tree", s->name, what);
    }
}

static void check_paths(const shape *s, uint64_t seed) {
    for (int kind = SMALL; kind < WEIGHTS && s->vertices > 0; kind++) {
        gpugraph_graph *graph = graph_of(s, (enum weights)kind, seed);
        const std::vector<struct layout> list = next_layouts();
        uint32_t source[3], target[2];
        for (uint32_t &v : source)
            v = (uint32_t)(shape_random(&seed) % s->vertices);
        for (uint32_t &v : target)
            v = (uint32_t)(shape_random(&seed) % s->vertices);
        gpugraph_search search = gpugraph_search();
        search.source = source;
        search.source_count = 1;
        search.direction = (gpugraph_direction)(seed % 3);
        search.max_depth = GPUGRAPH_NONE;
        check_paths_of(s, graph, list, &search, "whole");
        search.source_count = 3;
        search.bounded = true;
        search.max_distance = 30;
        search.max_real_distance = 3;
        check_paths_of(s, graph, list, &search, "bounded, from three");
        search.bounded = false;
        search.source_count = 1;
        search.target = target;
        search.target_count = 2;
        check_paths_of(s, graph, list, &search, "to targets");
        search.target_count = 0;
        search.limit = s->vertices / 3 + 1;
        check_paths_of(s, graph, list, &search, "limited");
        gpugraph_free(graph);
    }
}

/* The detail of the last search's phase. */
static std::string told_of_search;
static void hear_search(void *, const char *name, double, int64_t, const char *detail) {
    if (strcmp(name, "search") == 0)
        told_of_search = detail;
}

/* In graphs with hubs and arcs in both directions, far vertices pull. From the second
** search on the graph has light arcs. Tests this with every exchange. */
START_TEST(far_vertices_pull) {
    shape s = shape_rmat(14, 12, 4);
    gpugraph_graph *graph = graph_of(&s, SMALL, 3);
    std::vector<uint32_t> distance(graph->n), right(graph->n);
    uint64_t seed = 9;
    for (const struct layout &l : several_layouts()) {
        gpugraph_run run = cpu_run();
        gpugraph_release_device(graph);
        for (int turn = 0; turn < 4; turn++) {
            const uint32_t source = graph->edges.source[shape_random(&seed) % graph->m];
            gpugraph_search search = gpugraph_search();
            search.source = &source;
            search.source_count = 1;
            search.direction = GPUGRAPH_BOTH;
            search.max_depth = GPUGRAPH_NONE;
            run = cpu_run();
            gpugraph_sssp(graph, &search, &run, right.data(), NULL);
            begin_layout(&run, &l);
            run.phase = hear_search;
            search_by_several(graph, &search, &run, distance.data(), NULL);
            layout_done(&run, &l);
            ck_assert_msg(distance == right, "%d parts, exchange %s, turn %d", l.parts,
                          l.exchange ? l.exchange : "as chosen", turn);
            const char *wanted =
                turn == 0 ? "; far vertices pull" : "; far vertices pull, light arcs";
            const size_t at = told_of_search.find("; far");
            ck_assert_msg(at != std::string::npos && told_of_search.substr(at) == wanted,
                          "%d parts, turn %d: %s", l.parts, turn, told_of_search.c_str());
        }
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* ---- shapes ---- */

static void check_all(const shape *s, uint64_t seed, size_t layouts) {
    turn = seed * 9; /* so that each kind of graph gets all layouts */
    at_a_time = layouts;
    check_ranks(s, seed);
    check_paths(s, seed);
}

START_TEST(small_shapes) {
    shape s;
    for (int i = 0; shape_small(i, 1, &s); i++) {
        if (!left_out((uint64_t)i))
            check_all(&s, (uint64_t)i + 1, 1);
        shape_free(&s);
    }
}
END_TEST

/* Long paths, hubs whose rows blocks share, many components, rows that are split. */
START_TEST(larger_shapes) {
    shape list[] = {shape_rmat(14, 10, 4), shape_star(60000),
                    shape_grid(150, 130),  shape_comb(3000, 3),
                    shape_empty(30000),    shape_path(3000),
                    shape_complete(300),   shape_random_edges(30000, 50000, 8)};
    uint64_t seed = 5;
    for (shape &s : list) {
        check_all(&s, seed++, 2);
        shape_free(&s);
    }
}
END_TEST

/* Sums of weights that leave the range: the CPU reports the error. */
START_TEST(out_of_range) {
    shape s = shape_path(40);
    std::vector<int64_t> whole(40, INT64_MAX / 4);
    gpugraph_graph *graph = shape_weighed(&s, false, whole.data(), NULL);
    const uint32_t source = 0;
    std::vector<uint64_t> distance(40);
    gpugraph_search search = gpugraph_search();
    search.source = &source;
    search.source_count = 1;
    search.max_depth = GPUGRAPH_NONE;
    for (const struct layout &l : several_layouts()) {
        gpugraph_run run;
        begin_layout(&run, &l);
        search_by_several(graph, &search, &run, distance.data(), NULL);
        ck_assert_int_eq(run.status, GPUGRAPH_RANGE);
        end_layout();
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

static int asked;
static int interrupt_later(void *) {
    return ++asked > 5;
}

START_TEST(interrupts) {
    shape s = shape_rmat(16, 12, 4);
    gpugraph_graph *graph = graph_of(&s, SMALL, 3);
    std::vector<double> rank(graph->n);
    const uint32_t source = 1;
    gpugraph_search search = gpugraph_search();
    search.source = &source;
    search.source_count = 1;
    search.max_depth = GPUGRAPH_NONE;
    for (const struct layout &l : several_layouts())
        for (int which = 0; which < 2; which++) {
            gpugraph_pagerank_options how = {0.85, 0, 100000000, false};
            pagerank_end end = {0, 0};
            gpugraph_run run;
            begin_layout(&run, &l);
            run.interrupted = interrupt_later;
            asked = which == 0 ? 0 : 5;
            const double began = gg_now_ms();
            if (which == 0)
                rank_by_several(graph, &run, &how, rank.data(), &end);
            else
                search_by_several(graph, &search, &run, rank.data(), NULL);
            /* A search may end before the first question whether to stop. */
            ck_assert(run.status == GPUGRAPH_INTERRUPTED ||
                      (which > 0 && run.status == GPUGRAPH_OK));
            ck_assert_msg(gg_now_ms() - began < 1500, "after %.0f ms",
                          gg_now_ms() - began);
            end_layout();
        }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

START_TEST(no_memory_and_then_enough) {
    shape s = shape_rmat(15, 12, 4);
    gpugraph_graph *graph = graph_of(&s, SMALL, 3);
    std::vector<uint32_t> distance(graph->n), right(graph->n);
    const uint32_t source = 1;
    gpugraph_search search = gpugraph_search();
    search.source = &source;
    search.source_count = 1;
    search.max_depth = GPUGRAPH_NONE;
    gpugraph_run run = cpu_run();
    gpugraph_sssp(graph, &search, &run, right.data(), NULL);
    for (const struct layout &l : several_layouts()) {
        int refused = 0;
        if (l.exchange) /* it needs no memory of its own */
            continue;
        for (int64_t limit = 65536; limit < INT64_C(1) << 32; limit *= 4) {
            begin_layout(&run, &l);
            run.memory_limit = limit;
            gpugraph_release_device(graph);
            search_by_several(graph, &search, &run, distance.data(), NULL);
            refused += run.status == GPUGRAPH_DEVICE_MEMORY;
            if (run.status != GPUGRAPH_DEVICE_MEMORY) {
                layout_done(&run, &l);
                ck_assert(distance == right);
            }
            end_layout();
        }
        ck_assert_int_gt(refused, 0);
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

extern const struct suite suite = {
    .name = "several_searches",
    .groups = {{.name = "small", .timeout = 240, .cases = {{&small_shapes}}},
               {.name = "larger",
                .timeout = 240,
                .cases = {{&larger_shapes}, {&far_vertices_pull}, {&out_of_range}}},
               {.name = "ends",
                .timeout = 120,
                .cases = {{&interrupts}, {&no_memory_and_then_enough}}}},
    .needs_device = true,
};
