/* Edges that do not make a graph: errors and their messages. */
/* ctest: serial wide=0 */
#include "graph_data.h"
#include "memory_stream.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static const int64_t two_sources[] = {1, 2}, two_targets[] = {2, 3}, two_ids[] = {9, 5};

static gpugraph_edges two_edges(void) {
    return (gpugraph_edges){.count = 2,
                            .source = {two_sources, NULL},
                            .target = {two_targets, NULL},
                            .edge_id = two_ids};
}

static void expect_weight_error(gpugraph_weight_type type, const void *weight,
                                const char *words) {
    gpugraph_edges edges = two_edges();
    gpugraph_run run = {0};
    gpugraph_graph *graph = (gpugraph_graph *)&run;
    edges.weight_type = type;
    edges.weight = weight;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_INVALID);
    ck_assert_ptr_null(graph);
    ck_assert_msg(strstr(run.message, words) != NULL, "%s", run.message);
}

START_TEST(bad_weights) {
    expect_weight_error(GPUGRAPH_INTEGER_WEIGHTS, (int64_t[]){4, -3},
                        "edge 5 has the negative weight -3");
    /* Both are invalid: the message names the first by edge id, not by row. */
    expect_weight_error(GPUGRAPH_REAL_WEIGHTS, (double[]){-1.5, NAN},
                        "edge 5 has a weight that is not a number");
    expect_weight_error(GPUGRAPH_REAL_WEIGHTS, (double[]){-1.5, 2},
                        "edge 9 has the negative weight -1.5");
    expect_weight_error(GPUGRAPH_REAL_WEIGHTS, (double[]){2, INFINITY},
                        "edge 5 has an infinite weight");
}
END_TEST

START_TEST(negative_count) {
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    gpugraph_edges edges = {.count = -1};
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_INVALID);
    ck_assert_ptr_null(graph);
}
END_TEST

/* A star whose middle has `edges` edges, one of them a loop. */
static gpugraph_status star(int64_t edges, gpugraph_run *run, gpugraph_graph **graph) {
    int64_t source[8] = {0}, target[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    int64_t id[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    gpugraph_edges columns = {.count = edges,
                              .source = {source, NULL},
                              .target = {target, NULL},
                              .edge_id = id};
    return gpugraph_create(&columns, run, graph);
}

/* Counters of 32 bits can hold every degree; here the limit is three. A loop counts
** twice. */
START_TEST(too_many_at_one_vertex) {
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    int64_t source[2] = {0, 9}, target[2] = {9, 8}, id[2] = {9, 10};
    gpugraph_edges more = {
        .count = 1, .source = {source, NULL}, .target = {target, NULL}, .edge_id = id};
    gpugraph_changes add = {.added = &more};
    gg_limits.most_degree = 7;
    ck_assert_int_eq(star(7, &run, &graph), GPUGRAPH_TOO_LARGE);
    ck_assert_ptr_nonnull(strstr(run.message, "more than 7 edges"));
    ck_assert_ptr_null(graph);
    ck_assert_int_eq(star(5, &run, &graph), GPUGRAPH_OK);
    ck_assert_uint_eq(graph->known.degree_high, 6);
    ck_assert_int_eq(gpugraph_update(graph, &add, &run), GPUGRAPH_TOO_LARGE);
    ck_assert_ptr_nonnull(strstr(run.message, "more than 7 edges"));
    ck_assert_uint_eq(gpugraph_edge_count(graph), 5);
    memory_file file = {0};
    memory_pack(graph, &file);
    gpugraph_free(graph);
    gpugraph_stream from = memory_reader(&file);
    gg_limits.most_degree = 5;
    ck_assert_int_eq(gpugraph_unpack(&run, &from, file.size, &graph), GPUGRAPH_TOO_LARGE);
    memory_file_free(&file);
    gg_limits.most_degree = 12;
    ck_assert_int_eq(star(5, &run, &graph), GPUGRAPH_OK);
    ck_assert_int_eq(gpugraph_update(graph, &add, &run), GPUGRAPH_OK);
    more.edge_id++;
    ck_assert_int_eq(gpugraph_update(graph, &add, &run), GPUGRAPH_OK);
    ck_assert_uint_eq(gpugraph_edge_count(graph), 7);
    gpugraph_free(graph);
    gg_limits.most_degree = UINT32_MAX;
}
END_TEST

START_TEST(bad_text_number) {
    gpugraph_edges edges = two_edges();
    const uint8_t text = 2;
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    edges.source.is_text = &text;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_INVALID);
    ck_assert_ptr_null(graph);
}
END_TEST

START_TEST(first_failure_stands) {
    gpugraph_run run = {0};
    gg_begin(&run);
    gg_fail(&run, GPUGRAPH_RANGE, "first");
    ck_assert_int_eq(gg_fail(&run, GPUGRAPH_INVALID, "second"), GPUGRAPH_RANGE);
    ck_assert_int_eq(gg_stopped(&run), GPUGRAPH_RANGE);
    ck_assert_str_eq(run.message, "first");
    gg_begin(&run);
    ck_assert_ptr_null(gg_alloc(&run, UINT64_MAX / 2, 4));
    ck_assert_int_eq(run.status, GPUGRAPH_NO_MEMORY);
    ck_assert(strstr(run.message, "bytes") != NULL);
}
END_TEST

const struct suite suite = {
    "graph_errors",
    {{"all", .cases = {{&bad_weights},
                       {&negative_count},
                       {&too_many_at_one_vertex},
                       {&bad_text_number},
                       {&first_failure_stands}}}},
};
