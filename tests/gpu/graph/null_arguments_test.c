/* Arguments that are NULL, invalid types of weights, and weights that are not numbers:
** every public function with a status reports GPUGRAPH_INVALID and a message that names
** the argument. If no entry is read or written, NULL is as good as any array. */
#include "expect.h"
#include "gpugraph.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static gpugraph_run run;

/* The call fails, and its message begins with `sentence`. */
static void refuse(const char *sentence, gpugraph_status status) {
    expect(status == GPUGRAPH_INVALID, "status %d for '%s': %s", (int)status, sentence,
           run.message);
    expect(strncmp(run.message, sentence, strlen(sentence)) == 0, "'%s', not '%s'",
           run.message, sentence);
}

static void allow(gpugraph_status status) {
    expect(status == GPUGRAPH_OK, "status %d: %s", (int)status, run.message);
}

/* ---- graphs ---- */

enum { VERTICES = 3, EDGES = 2 };

static const int64_t from[EDGES] = {1, 2}, to[EDGES] = {2, 3}, weights[EDGES] = {5, 6};
static const int64_t ids[EDGES] = {1, 2};

static gpugraph_edges columns(void) {
    return (gpugraph_edges){.count = EDGES,
                            .source = {.value = from},
                            .target = {.value = to},
                            .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                            .weight = weights,
                            .edge_id = ids};
}

static gpugraph_graph *graph;

static void make_graph(void) {
    const gpugraph_edges edges = columns();
    run = (gpugraph_run){.backend = GPUGRAPH_CPU};
    allow(gpugraph_create(&edges, &run, &graph));
}

static void free_graph(void) {
    gpugraph_free(graph);
}

static void refuse_edges(const char *sentence, const gpugraph_edges *edges) {
    gpugraph_graph *made;
    const gpugraph_changes changes = {.added = edges};
    refuse(sentence, gpugraph_create(edges, &run, &made));
    expect(made == NULL, "%s", sentence);
    refuse(sentence, gpugraph_update(graph, &changes, &run));
}

START_TEST(columns_of_edges) {
    const int64_t more[EDGES] = {3, 4};
    const double odd[EDGES] = {1, NAN}, negative[EDGES] = {1, -1},
                 endless[EDGES] = {1, INFINITY};
    const uint8_t is_text = 1;
    gpugraph_graph *made;
    gpugraph_edges e = columns();
    refuse("edges is NULL", gpugraph_create(NULL, &run, &made));
    refuse("graph is NULL", gpugraph_create(&e, &run, NULL));
    refuse("changes is NULL", gpugraph_update(graph, NULL, &run));
    e.edge_id = more;
    e.source.value = NULL;
    refuse_edges("source.value is NULL, and should have 2 entries", &e);
    e = columns();
    e.edge_id = more;
    e.target.value = NULL;
    refuse_edges("target.value is NULL", &e);
    e = columns();
    e.edge_id = more;
    e.vertex_count = 1;
    refuse_edges("vertex.value is NULL", &e);
    e = columns();
    e.edge_id = more;
    e.weight = NULL;
    refuse_edges("weight is NULL", &e);
    e.weight_type = GPUGRAPH_REAL_WEIGHTS;
    refuse_edges("weight is NULL", &e);
    e.weight_type = (gpugraph_weight_type)3;
    refuse_edges("weight_type is 3, not one of", &e);
    e.weight_type = (gpugraph_weight_type)-1;
    refuse_edges("weight_type is -1", &e);
    e.weight_type = GPUGRAPH_REAL_WEIGHTS;
    e.weight = odd;
    refuse_edges("edge 4 has a weight that is not a number", &e);
    e.weight = negative;
    refuse_edges("edge 4 has the negative weight -1", &e);
    e.weight = endless;
    refuse_edges("edge 4 has an infinite weight", &e);
    e = columns();
    e.edge_id = more;
    e.source.is_text = &is_text;
    e.texts.count = 2;
    refuse_edges("texts.offset is NULL", &e);
    e.texts.offset = (const uint64_t[]){0, 1, 2};
    refuse_edges("texts.bytes is NULL", &e);
    ck_assert_uint_eq(gpugraph_edge_count(graph), EDGES);
}
END_TEST

START_TEST(nothing_needs_nothing) {
    const gpugraph_edges none = {.weight_type = GPUGRAPH_REAL_WEIGHTS};
    const gpugraph_changes changes = {.added = &none};
    gpugraph_graph *made;
    uint32_t count;
    allow(gpugraph_create(&none, &run, &made));
    allow(gpugraph_update(made, &changes, &run));
    allow(gpugraph_components(made, GPUGRAPH_WEAK, &run, NULL));
    allow(gpugraph_degrees(made, GPUGRAPH_OUT, &run, NULL));
    allow(gpugraph_mis(made, GPUGRAPH_BY_ID, 0, &run, NULL));
    allow(gpugraph_dfs(made, GPUGRAPH_NONE, false, GPUGRAPH_OUT, &run,
                       &(gpugraph_dfs_tree){0}));
    allow(gpugraph_order(GPUGRAPH_UINT32, NULL, 0, &run, NULL, &count));
    allow(gpugraph_spanning_forest(made, false, &run, NULL, &count, NULL));
    gpugraph_free(made);
}
END_TEST

static int transfer(void *context, void *bytes, size_t count, uint64_t at) {
    (void)context, (void)bytes, (void)count, (void)at;
    return 1;
}

START_TEST(graphs) {
    const gpugraph_stream no_transfer = {NULL, NULL}, stream = {transfer, NULL};
    const void *edge;
    uint64_t count;
    gpugraph_changes changes = {.removed_count = 2};
    gpugraph_graph *made;
    refuse("removed is NULL, and should have 2 entries",
           gpugraph_update(graph, &changes, &run));
    changes = (gpugraph_changes){.kept_count = 1};
    refuse("kept is NULL", gpugraph_update(graph, &changes, &run));
    changes = (gpugraph_changes){.loose_count = 1};
    refuse("loose is NULL", gpugraph_update(graph, &changes, &run));
    refuse("copy is NULL", gpugraph_clone(graph, &run, NULL));
    refuse("edge is NULL", gpugraph_edges_from(graph, 0, &run, NULL, &count));
    refuse("count is NULL", gpugraph_edges_from(graph, 0, &run, &edge, NULL));
    refuse("edge is NULL", gpugraph_edges_between(graph, 0, 1, &run, NULL, &count));
    refuse("count is NULL", gpugraph_edges_between(graph, 0, 1, &run, &edge, NULL));
    refuse("arcs is NULL", gpugraph_arcs_from(graph, 0, &run, NULL));
    refuse("arcs is NULL", gpugraph_arcs_between(graph, 0, 1, &run, NULL));
    refuse("arcs is NULL", gpugraph_arcs_into(graph, 0, &run, NULL));
    refuse("edge is NULL", gpugraph_check_arcs(graph, &run, NULL));
    refuse("stream is NULL", gpugraph_pack(graph, &run, NULL));
    refuse("stream.transfer is NULL", gpugraph_pack(graph, &run, &no_transfer));
    refuse("stream is NULL", gpugraph_unpack(&run, NULL, 100, &made));
    refuse("stream.transfer is NULL", gpugraph_unpack(&run, &no_transfer, 100, &made));
    refuse("graph is NULL", gpugraph_unpack(&run, &stream, 100, NULL));
    ck_assert_uint_eq(gpugraph_find_text(graph, NULL, 1), GPUGRAPH_NONE);
    ck_assert_int_eq(gpugraph_estimates(NULL, NULL, graph, NULL, &run, NULL), 0);
}
END_TEST

/* ---- searches ---- */

START_TEST(searches) {
    const uint32_t one[] = {0};
    const gpugraph_search search = {.source = one,
                                    .source_count = 1,
                                    .target = one,
                                    .target_count = 1,
                                    .max_depth = GPUGRAPH_NONE};
    gpugraph_search no_source = search, no_target = search;
    uint32_t depth[VERTICES], other[VERTICES], count;
    uint32_t *rows[] = {depth}, *no_rows[] = {NULL};
    void *no_trees[] = {NULL};
    no_source.source = NULL;
    no_target.target = NULL;
#define SEARCHES(call)                                                                   \
    do {                                                                                 \
        const gpugraph_search *s = NULL;                                                 \
        refuse("search is NULL", call);                                                  \
        s = &no_source;                                                                  \
        refuse("source is NULL", call);                                                  \
        s = &no_target;                                                                  \
        refuse("target is NULL", call);                                                  \
    } while (0)
    SEARCHES(gpugraph_bfs(graph, s, &run, depth, NULL));
    refuse("depth is NULL, and should have 3 entries",
           gpugraph_bfs(graph, &search, &run, NULL, other));
    SEARCHES(gpugraph_bfs_each(graph, s, &run, rows, NULL));
    refuse("depth is NULL", gpugraph_bfs_each(graph, &search, &run, NULL, NULL));
    refuse("depth[0] is NULL, and should have 3 entries",
           gpugraph_bfs_each(graph, &search, &run, no_rows, NULL));
    refuse("tree_edge[0] is NULL",
           gpugraph_bfs_each(graph, &search, &run, rows, no_trees));
    SEARCHES(gpugraph_bfs_list(graph, s, &run, 3, depth, other, NULL, &count));
    refuse("vertex is NULL",
           gpugraph_bfs_list(graph, &search, &run, 3, NULL, depth, NULL, &count));
    refuse("depth is NULL",
           gpugraph_bfs_list(graph, &search, &run, 3, depth, NULL, NULL, &count));
    refuse("count is NULL",
           gpugraph_bfs_list(graph, &search, &run, 3, depth, other, NULL, NULL));
    SEARCHES(gpugraph_sssp(graph, s, &run, depth, NULL));
    refuse("distance is NULL", gpugraph_sssp(graph, &search, &run, NULL, NULL));
    SEARCHES(gpugraph_sssp_list(graph, s, &run, 3, depth, other, NULL, &count));
    refuse("vertex is NULL",
           gpugraph_sssp_list(graph, &search, &run, 3, NULL, depth, NULL, &count));
    refuse("distance is NULL",
           gpugraph_sssp_list(graph, &search, &run, 3, depth, NULL, NULL, &count));
    refuse("count is NULL",
           gpugraph_sssp_list(graph, &search, &run, 3, depth, other, NULL, NULL));
    SEARCHES(gpugraph_path(graph, s, true, &run, depth, &count));
    refuse("edge is NULL", gpugraph_path(graph, &search, true, &run, NULL, &count));
    refuse("count is NULL", gpugraph_path(graph, &search, false, &run, depth, NULL));
    SEARCHES(gpugraph_matrix(graph, s, true, &run, depth));
    refuse("distance is NULL", gpugraph_matrix(graph, &search, true, &run, NULL));
    SEARCHES(gpugraph_paths(graph, s, true, 2, &run, NULL, NULL));
    refuse("take_path is NULL",
           gpugraph_paths(graph, &search, true, 2, &run, NULL, NULL));
    SEARCHES(gpugraph_roots(graph, s, &run, depth, other));
    refuse("tree_edge is NULL", gpugraph_roots(graph, &search, &run, NULL, other));
    refuse("root is NULL", gpugraph_roots(graph, &search, &run, depth, NULL));
}
END_TEST

START_TEST(whole_graphs) {
    const gpugraph_pagerank_options how = {.damping = 0.85, .iterations = 1},
                                    sources = {.damping = 0.85, .source_count = 2};
    gpugraph_dfs_tree tree = {NULL, NULL, NULL, NULL, NULL};
    uint32_t array[VERTICES], count;
    double rank[VERTICES];
    refuse("tree is NULL", gpugraph_dfs(graph, 0, false, GPUGRAPH_OUT, &run, NULL));
    refuse("tree.depth is NULL",
           gpugraph_dfs(graph, 0, false, GPUGRAPH_OUT, &run, &tree));
    refuse("tree is NULL", gpugraph_complete_tree(graph, GPUGRAPH_OUT, &run, NULL));
    refuse("tree.depth is NULL",
           gpugraph_complete_tree(graph, GPUGRAPH_OUT, &run, &tree));
    tree.depth = array;
    refuse("tree.parent is NULL",
           gpugraph_complete_tree(graph, GPUGRAPH_OUT, &run, &tree));
    refuse("member is NULL", gpugraph_mis(graph, GPUGRAPH_BY_ID, 0, &run, NULL));
    refuse("component is NULL", gpugraph_components(graph, GPUGRAPH_WEAK, &run, NULL));
    refuse("component is NULL", gpugraph_components(graph, GPUGRAPH_STRONG, &run, NULL));
    refuse("how is NULL", gpugraph_pagerank(graph, NULL, &run, rank));
    refuse("how.source is NULL", gpugraph_pagerank(graph, &sources, &run, rank));
    refuse("rank is NULL", gpugraph_pagerank(graph, &how, &run, NULL));
    refuse("label is NULL",
           gpugraph_label_propagation(graph, 1, GPUGRAPH_BOTH, &run, NULL));
    refuse("level is NULL",
           gpugraph_topological_order(graph, GPUGRAPH_OUT, &run, NULL, array, NULL));
    refuse("core is NULL", gpugraph_cores(graph, &run, NULL));
    refuse("edge is NULL",
           gpugraph_spanning_forest(graph, true, &run, NULL, &count, NULL));
    refuse("count is NULL",
           gpugraph_spanning_forest(graph, true, &run, array, NULL, NULL));
    refuse("count is NULL", gpugraph_triangles(graph, &run, NULL));
    refuse("counts is NULL", gpugraph_vertex_triangles(graph, GPUGRAPH_BOTH, &run, NULL));
    refuse("degree is NULL", gpugraph_degrees(graph, GPUGRAPH_OUT, &run, NULL));
    refuse("value is NULL",
           gpugraph_order(GPUGRAPH_UINT32, NULL, 3, &run, array, &count));
    refuse("order is NULL",
           gpugraph_order(GPUGRAPH_UINT32, array, 3, &run, NULL, &count));
    refuse("count is NULL", gpugraph_order(GPUGRAPH_UINT32, array, 3, &run, array, NULL));
}
END_TEST

/* ---- graphs that change ---- */

START_TEST(dynamic_graphs) {
    const gpugraph_dynamic_options options = {.vertices = 4, .valued = true};
    const uint32_t v[2] = {0, 1};
    uint32_t out[8];
    uint64_t offset[5];
    gpugraph_dynamic *d;
    refuse("options is NULL", gpugraph_dynamic_create(NULL, &run, &d));
    refuse("graph is NULL", gpugraph_dynamic_create(&options, &run, NULL));
    allow(gpugraph_dynamic_create(&options, &run, &d));
    refuse("vertex is NULL", gpugraph_dynamic_add_vertex(d, &run, NULL));
    refuse("source is NULL", gpugraph_dynamic_insert(d, 2, NULL, v, v, &run, NULL));
    refuse("target is NULL", gpugraph_dynamic_insert(d, 2, v, NULL, v, &run, NULL));
    refuse("value is NULL", gpugraph_dynamic_insert(d, 2, v, v, NULL, &run, NULL));
    refuse("source is NULL", gpugraph_dynamic_delete(d, 2, NULL, v, &run, NULL));
    refuse("target is NULL", gpugraph_dynamic_delete(d, 2, v, NULL, &run, NULL));
    refuse("source is NULL", gpugraph_dynamic_query(d, 2, NULL, v, &run, out));
    refuse("target is NULL", gpugraph_dynamic_query(d, 2, v, NULL, &run, out));
    refuse("value is NULL", gpugraph_dynamic_query(d, 2, v, v, &run, NULL));
    refuse("vertex is NULL", gpugraph_dynamic_delete_vertices(d, NULL, 2, NULL, &run));
    refuse("offset is NULL", gpugraph_dynamic_rows(d, &run, NULL, out, NULL));
    refuse("vertex is NULL",
           gpugraph_dynamic_rows_of(d, 2, NULL, &run, offset, NULL, NULL));
    refuse("offset is NULL", gpugraph_dynamic_rows_of(d, 2, v, &run, NULL, NULL, NULL));
    refuse("count is NULL", gpugraph_dynamic_triangles(d, &run, NULL));
    allow(gpugraph_dynamic_insert(d, 0, NULL, NULL, NULL, &run, NULL));
    allow(gpugraph_dynamic_delete(d, 0, NULL, NULL, &run, NULL));
    allow(gpugraph_dynamic_query(d, 0, NULL, NULL, &run, NULL));
    allow(gpugraph_dynamic_reserve(d, 5, &run));
    allow(gpugraph_dynamic_clean(d, &run));
    gpugraph_dynamic_free(d);
}
END_TEST

START_TEST(multigraphs) {
    const gpugraph_dynamic_options options = {.vertices = 4};
    const uint32_t v[2] = {0, 1};
    uint64_t offset[5];
    bool found[2];
    gpugraph_multigraph *m;
    refuse("options is NULL", gpugraph_multigraph_create(NULL, &run, &m));
    refuse("graph is NULL", gpugraph_multigraph_create(&options, &run, NULL));
    allow(gpugraph_multigraph_create(&options, &run, &m));
    refuse("source is NULL",
           gpugraph_multigraph_insert(m, 2, NULL, v, ids, NULL, &run, NULL));
    refuse("target is NULL",
           gpugraph_multigraph_insert(m, 2, v, NULL, ids, NULL, &run, NULL));
    refuse("id is NULL", gpugraph_multigraph_insert(m, 2, v, v, NULL, NULL, &run, NULL));
    refuse("source is NULL", gpugraph_multigraph_delete(m, 2, NULL, v, ids, &run, NULL));
    refuse("target is NULL", gpugraph_multigraph_delete(m, 2, v, NULL, ids, &run, NULL));
    refuse("id is NULL", gpugraph_multigraph_delete(m, 2, v, v, NULL, &run, NULL));
    refuse("source is NULL",
           gpugraph_multigraph_query(m, 2, NULL, v, ids, &run, found, NULL));
    refuse("target is NULL",
           gpugraph_multigraph_query(m, 2, v, NULL, ids, &run, found, NULL));
    refuse("id is NULL", gpugraph_multigraph_query(m, 2, v, v, NULL, &run, found, NULL));
    refuse("found is NULL", gpugraph_multigraph_query(m, 2, v, v, ids, &run, NULL, NULL));
    refuse("offset is NULL", gpugraph_multigraph_rows(m, &run, NULL, NULL, NULL, NULL));
    refuse("vertex is NULL",
           gpugraph_multigraph_rows_of(m, 2, NULL, &run, offset, NULL, NULL, NULL));
    refuse("offset is NULL",
           gpugraph_multigraph_rows_of(m, 2, v, &run, NULL, NULL, NULL, NULL));
    allow(gpugraph_multigraph_insert(m, 0, NULL, NULL, NULL, NULL, &run, NULL));
    allow(gpugraph_multigraph_reserve(m, 5, &run));
    gpugraph_multigraph_free(m);
}
END_TEST

const struct suite suite = {
    "null_arguments",
    {{"all", .setup = make_graph, .teardown = free_graph,
      .cases = {{&columns_of_edges},
                {&nothing_needs_nothing},
                {&graphs},
                {&searches},
                {&whole_graphs},
                {&dynamic_graphs},
                {&multigraphs}}}},
};
