/* Updates a graph while a device has a copy: the copy must equal the copy of a new graph
** of the same edges. Edges, offsets and the rows of SIMPLE are compared byte by byte,
** other rows as sets of arcs, since their order is unspecified. Does nothing without a
** device. */
#include "graph/device_copy.cuh"
#include "device_rows.cuh"
#include "mis/mis.h"
#include "store/store.h"

extern "C" {
#include "edge_model.h"
#include "suite.h"
}

#include <stdio.h>
#include <stdlib.h>

struct heard {
    int patches, uploads, tables;
};

static void hear(void *listener, const char *name, double, int64_t, const char *) {
    struct heard *h = (struct heard *)listener;
    h->patches += strcmp(name, "patch") == 0;
    h->uploads += strcmp(name, "upload") == 0;
    h->tables += strcmp(name, "tables") == 0;
}

static gpugraph_run device_run(struct heard *h) {
    gpugraph_run run = gpugraph_run();
    run.backend = GPUGRAPH_CUDA;
    run.threads = 1;
    run.phase = hear;
    run.listener = h;
    return run;
}

/* Makes some rows on the device, by two bits of `which` for each kind: made, weighted. */
static void make_rows(gpugraph_graph *graph, gpugraph_run *run, uint64_t which) {
    struct cuda_job job;
    struct device_edges edges;
    struct device_csr view;
    gg_begin(run);
    ck_assert_msg(gg_job_open(&job, graph, run), "%s", run->message);
    ck_assert(gg_device_edges(&job, graph->weight && which & 256, &edges));
    for (int kind = 0; kind < CSR_KINDS; kind++, which >>= 2)
        if (which & 1)
            ck_assert(gg_device_csr(&job, (enum csr_kind)kind,
                                    which & 2 && graph->weight && kind != CSR_SIMPLE,
                                    &view));
    ck_assert_int_eq(gg_job_close(&job), GPUGRAPH_OK);
}

static void same_edges(gpugraph_graph *graph, const gpugraph_graph *want) {
    const struct device_copy *copy = gg_device_copy_of(graph);
    ck_assert_uint_eq(copy->n, want->n);
    ck_assert_uint_eq(copy->m, want->m);
    same_bytes(fetched<uint32_t>(copy->source, want->m).data(), want->source, want->m * 4,
               "source");
    same_bytes(fetched<uint32_t>(copy->target, want->m).data(), want->target, want->m * 4,
               "target");
    if (copy->weight)
        same_bytes(fetched<uint8_t>(copy->weight, want->m * copy->weight_size).data(),
                   want->weight, want->m * copy->weight_size, "weight");
}

/* SIMPLE has one order: its bytes equal those of a new copy. */
static void same_simple(gpugraph_graph *graph, gpugraph_graph *fresh, gpugraph_run *run) {
    std::vector<uint64_t> length[2];
    std::vector<uint32_t> target[2];
    gpugraph_graph *of[2] = {graph, fresh};
    for (int i = 0; i < 2; i++) {
        struct cuda_job job;
        struct device_csr view;
        ck_assert_msg(gg_job_open(&job, of[i], run), "%s", run->message);
        ck_assert(gg_device_csr(&job, CSR_SIMPLE, false, &view));
        const std::vector<uint64_t> begin = fetched<uint64_t>(view.begin, view.n),
                                    end = fetched<uint64_t>(view.end, view.n);
        const std::vector<uint32_t> places = fetched<uint32_t>(
            view.target, view.n ? *std::max_element(end.begin(), end.end()) : 0);
        ck_assert_int_eq(gg_job_close(&job), GPUGRAPH_OK);
        for (uint32_t v = 0; v < view.n; v++) {
            length[i].push_back(end[v] - begin[v]);
            target[i].insert(target[i].end(), places.begin() + (int64_t)begin[v],
                             places.begin() + (int64_t)end[v]);
        }
    }
    ck_assert(length[0] == length[1]);
    ck_assert(target[0] == target[1]);
}

/* Compares all that the device had before, and SIMPLE. */
static void same_copies(gpugraph_graph *graph, gpugraph_graph *fresh, gpugraph_run *run) {
    same_edges(graph, fresh);
    for (int kind = CSR_OUT; kind <= CSR_BOTH; kind++) {
        const struct device_rows *rows = &gg_device_copy_of(graph)->rows[kind];
        if (rows->made) {
            gpugraph_graph as_fresh = *fresh; /* the host's rows of the new graph */
            as_fresh.device = graph->device;
            same_rows(&as_fresh, run, (enum csr_kind)kind, rows->weight != NULL);
            memcpy(fresh->csr, as_fresh.csr, sizeof fresh->csr);
        }
    }
    same_simple(graph, fresh, run);
}

static int loose; /* batches that have left tombstones or later vertices */

static void update(gpugraph_graph *graph, const edge_model *before,
                   const edge_model *after, gpugraph_run *run) {
    model_batch batch = model_batch_of(before, after);
    if (batch.added.edges.count)
        batch.changes.added = &batch.added.edges;
    gpugraph_update(graph, &batch.changes, run);
    model_batch_free(&batch);
}

static bool with_tables;
static int tables_first; /* batches that tables have applied */
static int looks = 1;    /* copies are compared after every so many batches */

/* A new graph of the model's edges, on no device, with the same vertex numbers. */
static gpugraph_graph *fresh_graph(const gpugraph_graph *graph, const edge_model *model) {
    gpugraph_graph *fresh = NULL;
    gpugraph_run run = gpugraph_run();
    if (!model_is_loose(graph))
        return model_graph(model, 1);
    loose++;
    ck_assert_msg(!gpugraph_clone(graph, &run, &fresh), "%s", run.message);
    return fresh;
}

static void change_many_times(int ids, int weights, uint32_t universe, int64_t edges,
                              int batches, int changes) {
    edge_model model = model_make((enum model_ids)ids, (enum model_weights)weights,
                                  universe, edges, 17 + (uint64_t)edges);
    gpugraph_graph *graph = model_graph(&model, 1);
    struct heard h = {0, 0, 0};
    gpugraph_run run = device_run(&h);
    int patched = 0;
    for (int i = 0; i < batches; i++) {
        edge_model before = model_copy(&model);
        if (i % 4 == 0)
            make_rows(graph, &run, model_below(&model, 512));
        if (with_tables && i % 3 == 0)
            ck_assert_msg(!gpugraph_make_tables(graph, &run), "%s", run.message);
        model_change(&model, 1 + (int)model_below(&model, (uint64_t)changes));
        h = heard();
        update(graph, &before, &model, &run);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        gpugraph_graph *fresh = fresh_graph(graph, &model);
        ck_assert_int_eq(h.patches, graph->device != NULL);
        if (graph->device) {
            if (i % looks == 0)
                same_copies(graph, fresh, &run);
            patched++;
            tables_first += h.tables;
            if (i % 3 == 2) /* closes gaps on the host */
                ck_assert_msg(!gpugraph_check_copy(graph, &run), "%s", run.message);
        } else { /* weights have another width */
            ck_assert_int_eq(weights, MODEL_TURNING);
            make_rows(graph, &run, 511);
        }
        model_free(&before);
        gpugraph_free(fresh);
    }
    ck_assert_int_gt(patched, 0);
    gpugraph_free(graph);
    model_free(&model);
}

START_TEST(random_batches) {
    for (int ids = 0; ids < MODEL_IDS; ids++)
        for (int weights = 0; weights < MODEL_WEIGHTS; weights++) {
            change_many_times(ids, weights, 3, 4, 8, 3);
            change_many_times(ids, weights, 40, 60, 8, 20);
        }
}
END_TEST

START_TEST(larger_graphs) {
    for (int weights = 0; weights < MODEL_WEIGHTS; weights++) {
        change_many_times(MODEL_GAPS, weights, 900, 30000, 6, 3000);
        change_many_times(MODEL_DENSE, weights, 50000, 400000, 4, 100);
        change_many_times(MODEL_WILD, weights, 12, 100000, 3, 300); /* rows of hubs */
    }
}
END_TEST

/* Tables apply each batch first, and rows that change are read from them. */
START_TEST(tables) {
    with_tables = true;
    tables_first = 0;
    for (int weights = 0; weights < MODEL_WEIGHTS; weights++) {
        change_many_times(MODEL_DENSE, weights, 3, 40, 8, 3);
        change_many_times(MODEL_GAPS, weights, 40, 900, 8, 20);
        change_many_times(MODEL_TEXTS, weights, 40, 900, 8, 20);
        change_many_times(MODEL_GAPS, weights, 900, 30000, 6, 3000);
        change_many_times(MODEL_WILD, weights, 12, 100000, 3, 300);
    }
    ck_assert_int_gt(tables_first, 0);
    with_tables = false;
}
END_TEST

/* The host's edges have gaps between them, in small blocks, and the copy's have none. */
START_TEST(gaps) {
    const unsigned usual = gg_limits.gap_shift;
    const uint64_t room = gg_limits.room_arcs;
    gg_limits.gap_shift = _i % 2 ? 1 : 4;
    gg_limits.room_arcs = 0;
    with_tables = _i >= 2;
    for (int weights = 0; weights < MODEL_WEIGHTS; weights++) {
        change_many_times(MODEL_DENSE, weights, 8, 60, 20, 3);
        change_many_times(MODEL_GAPS, weights, 40, 900, 20, 5);
        change_many_times(MODEL_TEXTS, weights, 40, 900, 20, 20);
        change_many_times(MODEL_GAPS, weights, 900, 30000, 12, 300);
        change_many_times(MODEL_WILD, weights, 12, 10000, 12, 30);
    }
    gg_limits.gap_shift = usual;
    gg_limits.room_arcs = room;
    with_tables = false;
}
END_TEST

/* The host's rows get slack and its edges get gaps, whatever their number. */
static uint64_t give_room(void) {
    const uint64_t usual = gg_limits.room_arcs;
    gg_limits.room_arcs = 0;
    looks = 3;
    return usual;
}

static void as_usual(uint64_t room) {
    gg_limits.room_arcs = room;
    looks = 1;
    with_tables = false;
}

/* Vertices leave tombstones and fill them again; new ones come between others. */
START_TEST(numbers_stay) {
    const uint64_t usual = _i % 2 ? give_room() : gg_limits.room_arcs;
    with_tables = _i % 4 >= 2;
    loose = 0;
    for (int weights = 0; weights < MODEL_WEIGHTS; weights++) {
        change_many_times(MODEL_DENSE, weights, 40, 60, 20, 10);
        change_many_times(MODEL_TEXTS, weights, 200, 300, 20, 10);
        change_many_times(MODEL_GAPS, weights, 900, 1500, 20, 30);
        change_many_times(MODEL_GAPS, weights, 9000, 30000, 12, 3000);
    }
    ck_assert_int_gt(loose, 100);
    as_usual(usual);
}
END_TEST

/* If only weights change, data derived from the ends of edges stays. */
START_TEST(weights_alone) {
    edge_model model = model_make(MODEL_GAPS, MODEL_SMALL, 500, 5000, 3), after;
    gpugraph_graph *graph = model_graph(&model, 1);
    struct heard h = {0, 0, 0};
    gpugraph_run run = device_run(&h);
    make_rows(graph, &run, 511);
    ck_assert_msg(!gpugraph_make_tables(graph, &run), "%s", run.message);
    after = model_copy(&model);
    for (int64_t e = 0; e < after.count; e += 7)
        after.edge[e].weight = after.edge[e].weight / 2 + 1;
    const uint32_t *simple = gg_device_copy_of(graph)->rows[CSR_SIMPLE].target;
    update(graph, &model, &after, &run);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    ck_assert_ptr_eq(gg_device_copy_of(graph)->rows[CSR_SIMPLE].target, simple);
    for (int kind = CSR_OUT; kind <= CSR_BOTH; kind++)
        ck_assert(gg_device_copy_of(graph)->rows[kind].made);
    gpugraph_graph *fresh = model_graph(&after, 1);
    same_copies(graph, fresh, &run);
    gpugraph_free(fresh);
    gpugraph_free(graph);
    model_free(&model);
    model_free(&after);
}
END_TEST

/* gpugraph_check_copy detects an edge or a row that differs from the graph. */
START_TEST(damage_is_seen) {
    edge_model model = model_make(MODEL_GAPS, MODEL_SMALL, 500, 5000, 3);
    for (int part = 0; part <= CSR_KINDS; part++) {
        gpugraph_graph *graph = model_graph(&model, 1);
        struct heard h = {0, 0, 0};
        gpugraph_run run = device_run(&h);
        make_rows(graph, &run, 511);
        ck_assert_msg(!gpugraph_check_copy(graph, &run), "%s", run.message);
        const struct device_copy *copy = gg_device_copy_of(graph);
        uint32_t *damaged = part < CSR_KINDS ? copy->rows[part].target : copy->target;
        const uint32_t other = 499;
        uint32_t is = fetched<uint32_t>(damaged, 1)[0];
        ck_assert_uint_ne(is, other);
        cudaMemcpy(damaged, &other, sizeof other, cudaMemcpyHostToDevice);
        ck_assert_int_eq(gpugraph_check_copy(graph, &run), GPUGRAPH_INVALID);
        ck_assert_ptr_nonnull(strstr(run.message, "from those of the graph"));
        gpugraph_free(graph);
    }
    model_free(&model);
}
END_TEST

/* Too little memory to grow: the copy is freed, and the update has no error. */
START_TEST(memory_is_short) {
    const uint64_t usual = _i < 2 ? gg_limits.room_arcs : give_room();
    edge_model model = model_make(MODEL_DENSE, MODEL_SMALL, 3000, 20000, 5);
    gpugraph_graph *graph = model_graph(&model, 1);
    struct heard h = {0, 0, 0};
    gpugraph_run run = device_run(&h);
    int gone = 0, stayed = 0;
    for (int i = 0; i < 20; i++) {
        edge_model before = model_copy(&model);
        run.memory_limit = 0;
        make_rows(graph, &run, 511);
        if (_i % 2 && i % 2)
            gpugraph_make_tables(graph, &run);
        for (int k = 0; k < 2000; k++)
            model_insert(&model, model.edge[model.count - 1].id + 1);
        run.memory_limit =
            gg_device_part_bytes(graph, PART_GROUNDS) + 200000 * (int64_t)i;
        update(graph, &before, &model, &run);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        gone += graph->device == NULL;
        stayed += graph->device != NULL;
        run.memory_limit = 0;
        make_rows(graph, &run, 511);
        gpugraph_graph *fresh = model_graph(&model, 1);
        same_copies(graph, fresh, &run);
        gpugraph_free(fresh);
        model_free(&before);
    }
    ck_assert(_i > 0 || gone > 0); /* tables are freed first */
    ck_assert_int_gt(stayed, 0);
    as_usual(usual);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

static int questions_left;

static int stop_at_last(void *) {
    return questions_left-- <= 0;
}

/* After an interrupt the graph is unchanged, and its copy is unchanged or freed. */
START_TEST(interrupts) {
    const uint64_t usual = _i < 2 ? gg_limits.room_arcs : give_room();
    edge_model model = model_make(MODEL_DENSE, MODEL_SMALL, 70000, 600000, 5), after;
    struct heard h = {0, 0, 0};
    after = model_copy(&model);
    model_change(&after, _i < 2 ? 20000 : 40);
    for (int questions = 0, done = 0; !done; questions++) {
        gpugraph_graph *graph = model_graph(&model, 1), *fresh;
        gpugraph_run run = device_run(&h);
        make_rows(graph, &run, 511);
        if (_i % 2)
            gpugraph_make_tables(graph, &run);
        run.interrupted = stop_at_last;
        questions_left = questions;
        update(graph, &model, &after, &run);
        done = run.status == GPUGRAPH_OK;
        ck_assert(done || run.status == GPUGRAPH_INTERRUPTED);
        run.interrupted = NULL;
        fresh = model_graph(done ? &after : &model, 1);
        make_rows(graph, &run, 511);
        same_copies(graph, fresh, &run);
        gpugraph_free(fresh);
        gpugraph_free(graph);
    }
    as_usual(usual);
    model_free(&model);
    model_free(&after);
}
END_TEST

/* Searches on the device after updates, compared with a new graph on the CPU. */
START_TEST(answers) {
    const uint64_t usual = _i < 2 ? gg_limits.room_arcs : give_room();
    edge_model model = model_make(MODEL_GAPS, MODEL_SMALL, 2000, 9000, 6);
    gpugraph_graph *graph = model_graph(&model, 1);
    struct heard h = {0, 0, 0};
    gpugraph_run run = device_run(&h), host = gpugraph_run();
    host.backend = GPUGRAPH_CPU;
    for (int i = 0; i < (_i < 2 ? 12 : 36); i++) {
        edge_model before = model_copy(&model);
        if (_i % 2)
            gpugraph_make_tables(graph, &run);
        model_change(&model, _i < 2 || i % 6 == 0 ? 200 : 4);
        update(graph, &before, &model, &run);
        gpugraph_graph *fresh = model_graph(&model, 1);
        gpugraph_graph *renumbered = model_in_numbers_of(graph, fresh);
        ck_assert_ptr_nonnull(renumbered);
        uint32_t n = gpugraph_vertex_count(graph), source = (uint32_t)(i * 7) % n;
        gpugraph_search search = gpugraph_search();
        search.source = &source;
        search.source_count = 1;
        search.max_depth = GPUGRAPH_NONE;
        search.direction = (gpugraph_direction)(i % 3);
        std::vector<uint32_t> depth[2] = {std::vector<uint32_t>(n),
                                          std::vector<uint32_t>(n)};
        std::vector<uint32_t> tree[2] = {std::vector<uint32_t>(n),
                                         std::vector<uint32_t>(n)};
        std::vector<uint32_t> distance[2] = {std::vector<uint32_t>(n),
                                             std::vector<uint32_t>(n)};
        for (int side = 0; side < 2; side++) {
            gpugraph_graph *g = side ? renumbered : graph;
            gpugraph_run *r = side ? &host : &run;
            h = heard();
            ck_assert_int_eq(
                gpugraph_bfs(g, &search, r, depth[side].data(), tree[side].data()), 0);
            ck_assert_int_eq(gpugraph_sssp(g, &search, r, distance[side].data(), NULL),
                             0);
            ck_assert(side || i == 0 || h.uploads == 0);
        }
        ck_assert(depth[0] == depth[1]);
        ck_assert(tree[0] == tree[1]);
        ck_assert(distance[0] == distance[1]);
        gpugraph_free(renumbered);
        gpugraph_free(fresh);
        model_free(&before);
    }
    as_usual(usual);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

/* Independent sets after updates, from undirected rows that tables have written, compared
** with a new graph on the CPU. */
START_TEST(sets) {
    static const char *const methods[] = {"one-launch", "one-launch-balanced"};
    const uint64_t usual = give_room();
    const int kinds[] = {MODEL_DENSE, MODEL_GAPS, MODEL_WILD}; /* wild: hubs */
    edge_model model = model_make((enum model_ids)kinds[_i], MODEL_UNWEIGHTED,
                                  _i == 2 ? 12 : 900, 6000, 40 + (uint64_t)_i);
    gpugraph_graph *graph = model_graph(&model, 1);
    struct heard h = {0, 0, 0};
    gpugraph_run run = device_run(&h), host = gpugraph_run();
    int kept = 0;
    host.backend = GPUGRAPH_CPU;
    for (int i = 0; i < 60; i++) {
        const gpugraph_priority priority = (gpugraph_priority)(i % 4);
        gpugraph_graph *fresh = model_graph(&model, 1);
        const uint32_t n = gpugraph_vertex_count(fresh);
        std::vector<uint8_t> member(n), want(n);
        run.method = methods[i % 2];
        gg_limits.mis_word_bytes = i % 4 == 3 ? 1 : 0; /* codes */
        ck_assert_msg(!gpugraph_mis(graph, priority, i, &run, member.data()), "%s",
                      run.message);
        gg_limits.mis_word_bytes = 0;
        ck_assert_int_eq(gpugraph_mis(fresh, priority, i, &host, want.data()), 0);
        ck_assert(member == want);
        run.method = NULL;
        if (i % 15 == 14)
            same_simple(graph, fresh, &run);
        gpugraph_free(fresh);
        ck_assert_msg(!gpugraph_make_tables(graph, &run), "%s", run.message);
        edge_model before = model_copy(&model);
        model_change(&model, i % 7 == 6 ? 300 : 4);
        update(graph, &before, &model, &run);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        kept += gg_device_copy_of(graph)->rows[CSR_SIMPLE].made;
        model_free(&before);
    }
    ck_assert_int_gt(kept, 40);
    as_usual(usual);
    gpugraph_free(graph);
    model_free(&model);
}
END_TEST

const struct suite suite = {
    .name = "patch_device",
    .groups = {{.name = "small",
                .cases = {{&random_batches},
                          {&weights_alone},
                          {&damage_is_seen},
                          {&memory_is_short, 4}}},
               {.name = "large",
                .timeout = 240,
                .cases = {{&larger_graphs}, {&interrupts, 4}, {&tables}, {&gaps, 4}}},
               {.name = "room",
                .timeout = 240,
                .cases = {{&numbers_stay, 4}, {&answers, 4}, {&sets, 3}}}},
    .needs_device = true,
    .no_forks = true,
};
