/* Packed graphs: a graph that is read equals the one that was written; damaged bytes are
** refused; and damaged bytes with right checksums never cause an access outside of an
** array. */
/* ctest: wide-addresses=0 */
#include "edge_model.h"
#include "memory_stream.h"
#include "pack/packed.h"
#include "graph/graph.h"

#include "expect.h"
#include "share.h"
#include "suite.h"
#include <stdlib.h>
#include <string.h>

enum { KINDS = MODEL_IDS * MODEL_WEIGHTS };

static edge_model kind_of(int i, uint32_t universe, int64_t count, uint64_t seed) {
    return model_make((enum model_ids)(i % MODEL_IDS),
                      (enum model_weights)(i / MODEL_IDS), universe, count,
                      seed * 1000 + (uint64_t)i);
}

static gpugraph_graph *unpack(memory_file *file, gpugraph_run *run) {
    gpugraph_stream from = memory_reader(file);
    gpugraph_graph *graph;
    gpugraph_unpack(run, &from, file->size, &graph);
    expect(!file->strayed, "transfers are out of turn");
    expect((run->status == GPUGRAPH_OK) == (graph != NULL), "%d: a graph or none",
           (int)run->status);
    return graph;
}

static int by_source(const void *a, const void *b) {
    const model_edge *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* ---- round trips ---- */

static void check_round_trip(const edge_model *model, uint64_t slots, int threads) {
    gpugraph_graph *graph = model_graph(model, threads);
    gpugraph_run run = {.threads = threads};
    memory_file file;
    model_make_slots(graph, slots);
    memory_pack(graph, &file);
    gpugraph_graph *read = unpack(&file, &run);
    expect(read != NULL, "%s", run.message);
    const char *differs = same_graph(read, graph);
    if (!differs)
        differs = same_answers(read, graph, model->random);
    expect(!differs, "%s", differs);

    edge_model after = model_copy(model);
    model_change(&after, 5);
    model_batch batch = model_batch_of(model, &after);
    batch.changes.added = &batch.added.edges;
    expect(!gpugraph_update(read, &batch.changes, &run), "%s", run.message);
    gpugraph_graph *wanted = model_graph(&after, threads);
    differs = same_graph(read, wanted);
    expect(!differs, "after an update: %s", differs);
    model_batch_free(&batch);
    model_free(&after);
    gpugraph_free(wanted);
    gpugraph_free(read);
    gpugraph_free(graph);
    memory_file_free(&file);
}

static void check_both_orders(edge_model model, int threads) {
    check_round_trip(&model, 0, threads);
    check_round_trip(&model, 7, threads);
    qsort(model.edge, (size_t)model.count, sizeof *model.edge, by_source);
    for (int64_t e = 0; e < model.count; e++)
        model.edge[e].id = 3 * e - 50; /* ids that are listed */
    check_round_trip(&model, 0, threads);
    check_round_trip(&model, 7, threads);
    model_free(&model);
}

START_TEST(round_trips) {
    check_both_orders(kind_of(_i, 5, 0, 1), 1);
    check_both_orders(kind_of(_i, 1, 1, 1), 1);
    check_both_orders(kind_of(_i, 7, 30, 1), 1);
    check_both_orders(kind_of(_i, 500, 2001, 1), 1);
}
END_TEST

/* Several chunks, several threads; one kind of each sort of ids and of weights. */
START_TEST(large_round_trips) {
    if (left_out((uint64_t)_i + 5))
        return;
    edge_model model = kind_of(_i * 7, 90000, 300001, 2);
    if (_i % 2)
        qsort(model.edge, (size_t)model.count, sizeof *model.edge, by_source);
    for (int64_t e = 0; e < model.count; e++)
        model.edge[e].id = 3 * e - 50;
    check_round_trip(&model, 0, 2);
    model_free(&model);
}
END_TEST

/* Edges in the order of their sources share targets with the rows, until rows are sorted,
** which must not change the edges; and never with a copy. */
START_TEST(targets_in_common) {
    edge_model model = kind_of(_i, 40, 300, 8);
    qsort(model.edge, (size_t)model.count, sizeof *model.edge, by_source);
    for (int64_t e = 0; e < model.count; e++)
        model.edge[e].id = 3 * e - 50;
    gpugraph_graph *graph = model_graph(&model, 1), *copy;
    gpugraph_run run = {.threads = 1};
    memory_file file;
    csr view;
    memory_pack(graph, &file);
    gpugraph_graph *read = unpack(&file, &run);
    bool ordered = true;
    for (uint32_t e = 1; e < graph->m; e++)
        ordered &= graph->source[e - 1] <= graph->source[e];
    expect(ordered || _i % MODEL_IDS > MODEL_GAPS, "sources of kind %d are in no order",
           _i);
    expect(read && (read->csr[CSR_OUT].target == read->target) == ordered,
           ordered ? "two arrays of targets" : "one array of targets");
    expect(!gpugraph_clone(read, &run, &copy), "%s", run.message);
    expect(!gg_rows(read, CSR_OUT, true, true, &run, &view) && view.sorted, "no rows");
    expect(read->csr[CSR_OUT].target != read->target, "edges were sorted");
    const char *differs = same_graph(read, graph);
    expect(!differs, "after sorting rows: %s", differs);
    gpugraph_free(read);
    differs = same_graph(copy, graph);
    expect(!differs, "a copy: %s", differs);
    gpugraph_free(copy);
    gpugraph_free(graph);
    memory_file_free(&file);
    model_free(&model);
}
END_TEST

/* ---- damage ---- */

static void expect_refused(memory_file *file, const char *what, uint64_t where) {
    gpugraph_run run = {.threads = 1};
    gpugraph_graph *graph = unpack(file, &run);
    expect(!graph && run.status == GPUGRAPH_INVALID, "%s %llu: %d", what,
           (unsigned long long)where, (int)run.status);
    expect(strstr(run.message, "packed graph") != NULL, "%s", run.message);
}

START_TEST(every_byte_flipped) {
    edge_model model = kind_of(_i, 9, 21, 3);
    gpugraph_graph *graph = model_graph(&model, 1);
    memory_file file;
    memory_pack(graph, &file);
    for (uint64_t at = 0; at < file.size; at++)
        for (int bit = 0; bit < 8; bit++) {
            if (left_out(8 * at + (uint64_t)bit))
                continue;
            file.bytes[at] ^= (char)(1 << bit);
            expect_refused(&file, "flipped", at);
            file.bytes[at] ^= (char)(1 << bit);
        }
    memory_file_free(&file);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

START_TEST(every_length) {
    edge_model model = kind_of(_i, 9, 21, 4);
    gpugraph_graph *graph = model_graph(&model, 1);
    memory_file file;
    memory_pack(graph, &file);
    uint64_t size = file.size;
    char *whole = file.bytes;
    for (uint64_t length = 0; length < size; length++) {
        file.bytes = malloc(length + 1); /* so that a sanitizer knows its end */
        memcpy(file.bytes, whole, length);
        file.size = length;
        expect_refused(&file, "cut at", length);
        free(file.bytes);
    }
    file.bytes = calloc(size + 64, 1);
    memcpy(file.bytes, whole, size);
    for (uint64_t more = 1; more < 64; more++) {
        file.size = size + more;
        expect_refused(&file, "longer by", more);
    }
    free(file.bytes);
    free(whole);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* Runs functions that follow trees, whose edges need not be in the rows, and functions
** that read neighbours in sorted rows. */
static void use_trees(gpugraph_graph *graph, gpugraph_run *run) {
    uint32_t n = gpugraph_vertex_count(graph), source = 0, count, *part[5];
    uint64_t *distance = calloc(n + 1, 8), triangles;
    const void *edge;
    uint64_t edges;
    for (int i = 0; i < 5; i++)
        part[i] = calloc(n + 1, 8);
    for (uint32_t target = 0; target < n; target++) {
        gpugraph_search search = {.source = &source,
                                  .source_count = 1,
                                  .target = &target,
                                  .target_count = 1,
                                  .direction = (gpugraph_direction)(target % 3),
                                  .max_depth = GPUGRAPH_NONE};
        gpugraph_path(graph, &search, target % 2, run, part[0], &count);
        search.target_count = 0;
        if (!gpugraph_bfs(graph, &search, run, part[0], part[1]))
            gpugraph_roots(graph, &search, run, part[1], part[2]);
        if (!gpugraph_sssp(graph, &search, run, distance, part[1]))
            gpugraph_roots(graph, &search, run, part[1], part[2]);
        gpugraph_edges_from(graph, target, run, &edge, &edges);
        gpugraph_edges_between(graph, target, n - 1 - target, run, &edge, &edges);
    }
    for (int i = 0; i < 6; i++) {
        gpugraph_direction direction = (gpugraph_direction)(i % 3);
        gpugraph_dfs_tree all = {part[0], part[1], part[2], part[3], part[4]};
        gpugraph_dfs(graph, GPUGRAPH_NONE, i < 3, direction, run, &all);
        gpugraph_dfs_tree some = {part[0], part[1], NULL, NULL, NULL};
        if (!gpugraph_dfs(graph, GPUGRAPH_NONE, i < 3, direction, run, &some))
            gpugraph_complete_tree(graph, direction, run, &all);
    }
    gpugraph_mis(graph, GPUGRAPH_BY_DEGREE, 1, run, (uint8_t *)part[0]);
    gpugraph_triangles(graph, run, &triangles);
    for (int i = 0; i < 5; i++)
        free(part[i]);
    free(distance);
}

/* Runs all functions that numbers out of range could lead out of arrays. */
static void use(gpugraph_graph *graph, const edge_model *model) {
    gpugraph_run run = {.threads = 1, .backend = GPUGRAPH_CPU};
    uint32_t n = gpugraph_vertex_count(graph);
    uint32_t *depth = calloc(n + 1, 4), *tree = calloc(n + 1, 8);
    uint64_t *distance = calloc(n + 1, 8);
    uint32_t source = 0;
    for (int d = 0; d < 3 && n; d++) {
        gpugraph_search search = {.source = &source,
                                  .source_count = 1,
                                  .direction = (gpugraph_direction)d,
                                  .max_depth = GPUGRAPH_NONE};
        gpugraph_bfs(graph, &search, &run, depth, tree);
        gpugraph_sssp(graph, &search, &run, distance, tree);
    }
    gpugraph_dfs_tree dfs = {depth, tree, NULL, NULL, NULL};
    gpugraph_dfs(graph, GPUGRAPH_NONE, true, GPUGRAPH_OUT, &run, &dfs);
    use_trees(graph, &run);
    gpugraph_find_integer(graph, 3);
    gpugraph_find_text(graph, "x", 1);
    model_make_slots(graph, (1 << MODEL_SLOTS) - 1);
    edge_model after = model_copy(model);
    model_change(&after, 4);
    model_batch batch = model_batch_of(model, &after);
    batch.changes.added = &batch.added.edges;
    gpugraph_update(graph, &batch.changes, &run);
    depth = realloc(depth, ((size_t)gpugraph_vertex_count(graph) + 1) * 4);
    gpugraph_degrees(graph, GPUGRAPH_BOTH, &run, depth);
    model_batch_free(&batch);
    model_free(&after);
    free(depth);
    free(tree);
    free(distance);
}

/* Damage with right checksums: refused, or a graph that can be used. */
START_TEST(forged) {
    edge_model model = kind_of(_i, 9, 21, 5);
    gpugraph_graph *graph = model_graph(&model, 1);
    memory_file file;
    memory_pack(graph, &file);
    char *whole = malloc(file.size);
    memcpy(whole, file.bytes, file.size);
    int refusals = 0, graphs = 0;
    for (int round = 0; round < 400; round++) {
        memcpy(file.bytes, whole, file.size);
        for (uint64_t i = model_below(&model, 3) + 1; i > 0; i--) {
            uint64_t at = model_below(&model, file.size / 4) * 4;
            uint32_t word = (uint32_t)model_below(&model, round % 3 ? 16 : UINT32_MAX);
            memcpy(file.bytes + at, &word, sizeof word);
        }
        if (!memory_sign(&file))
            continue;
        gpugraph_run run = {.threads = 1};
        gpugraph_graph *read = unpack(&file, &run);
        refusals += read == NULL;
        graphs += read != NULL;
        if (read)
            use(read, &model);
        gpugraph_free(read);
    }
    ck_assert_int_gt(refusals, 20);
    ck_assert_int_gt(graphs, 20);
    free(whole);
    memory_file_free(&file);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* A page at the wrong place: chunks of equal size are exchanged. */
START_TEST(chunks_swapped) {
    edge_model model = kind_of(6, 400000, 600000, 6);
    gpugraph_graph *graph = model_graph(&model, 2);
    memory_file file;
    memory_pack(graph, &file);
    char *a = file.bytes + sizeof(packed_header), *b = a + PACKED_CHUNK;
    char *swap = malloc(PACKED_CHUNK);
    memcpy(swap, a, PACKED_CHUNK);
    memcpy(a, b, PACKED_CHUNK);
    memcpy(b, swap, PACKED_CHUNK);
    expect_refused(&file, "swapped", 0);
    free(swap);
    memory_file_free(&file);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* ---- streams that fail ---- */

static int asked;

static int interrupt_later(void *listener) {
    (void)listener;
    return asked-- <= 0;
}

START_TEST(failing_streams) {
    edge_model model = kind_of(_i, 9, 21, 7);
    gpugraph_graph *graph = model_graph(&model, 1), *read;
    memory_file file, other;
    memory_pack(graph, &file);
    int transfers = 0;
    for (bool failed = true; failed; transfers++) {
        gpugraph_run run = {.threads = 1};
        file.fail_after = transfers;
        read = unpack(&file, &run);
        failed = read == NULL;
        if (failed)
            ck_assert_ptr_nonnull(strstr(run.message, "could not be read, at byte"));
        gpugraph_free(read);
        gpugraph_stream to = memory_writer(&other, file.size);
        other.fail_after = transfers;
        if (gpugraph_pack(graph, &run, &to) == GPUGRAPH_INVALID)
            ck_assert_ptr_nonnull(strstr(run.message, "could not be written, at byte"));
        memory_file_free(&other);
    }
    ck_assert_int_gt(transfers, 4);
    file.fail_after = 2;
    asked = 0;
    gpugraph_run run = {.interrupted = interrupt_later};
    ck_assert_ptr_null(unpack(&file, &run));
    ck_assert_int_eq(run.status, GPUGRAPH_INTERRUPTED);
    memory_file_free(&file);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

const struct suite suite = {
    "pack",
    {{"all", .timeout = 240, .cases = {{&large_round_trips, 5}, {&chunks_swapped}}},
     {"no thread", .tags = "serial", .timeout = 240,
      .cases = {{&round_trips, KINDS},
                {&targets_in_common, KINDS},
                {&every_byte_flipped, KINDS},
                {&every_length, KINDS},
                {&forged, KINDS},
                {&failing_streams, KINDS}}}},
};
