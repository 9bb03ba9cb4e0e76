/* Compares what a device makes of a graph with what the host makes: vertex numbers and
** tables of ids must be equal byte by byte, and the rows of every CSR must have equal
** arcs. Does nothing without a device. */
#include "device_rows.cuh"

extern "C" {
#include "suite.h"
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

static uint64_t random_below(uint64_t *state, uint64_t limit) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % limit;
}

/* ---- inputs ---- */

enum shape { DENSE, GAPS, SPARSE_IDS, NEGATIVE, ENDS, WILD, ONE, IN_ORDER, SHAPES };
enum edge_ids { PLAIN, HOLES, SHUFFLED, REPEATED, EDGE_IDS };
enum weights { NONE, SMALL, WIDE, REAL, WEIGHTS };

static int64_t id_of(uint64_t *state, int shape, uint64_t spread, uint64_t i) {
    uint64_t r = random_below(state, spread);
    switch (shape) {
    case DENSE:
        return (int64_t)r + 7;
    case GAPS:
        return (int64_t)r * 5 - 1000;
    case SPARSE_IDS:
        return (int64_t)(r * 1000003) - 12345678;
    case NEGATIVE:
        return -(int64_t)(r * r) - 1;
    case ENDS:
        return r % 2 ? INT64_MAX - (int64_t)r : INT64_MIN + (int64_t)r;
    case WILD:
        return (int64_t)(r * 0x9e3779b97f4a7c15u);
    case ONE:
        return -77;
    default:
        return (int64_t)(i / 3);
    }
}

struct input {
    uint64_t m, extra;
    std::vector<int64_t> source, target, vertex, edge_id, weight;
    std::vector<double> real;
};

static struct input make_input(uint64_t seed, int shape, int edge_ids, int weights,
                               uint64_t m, uint64_t extra, uint64_t spread) {
    struct input in;
    uint64_t state = seed;
    in.m = m;
    in.extra = extra;
    for (uint64_t i = 0; i < m; i++) {
        in.source.push_back(id_of(&state, shape, spread, i));
        bool loop = random_below(&state, 8) == 0;
        in.target.push_back(loop ? in.source[i] : id_of(&state, shape, spread, i + 4));
        if (edge_ids == HOLES)
            in.edge_id.push_back((int64_t)(3 * i) - 50);
        else if (edge_ids == SHUFFLED)
            in.edge_id.push_back((int64_t)((i * 0x9e3779b97f4a7c15u) >> 1));
        else if (edge_ids == REPEATED)
            in.edge_id.push_back((int64_t)random_below(&state, m / 3 + 1));
        int64_t weight = (int64_t)random_below(&state, 1000);
        in.weight.push_back(weights == WIDE ? weight << 40 : weight);
        in.real.push_back((double)weight / 8);
    }
    for (uint64_t i = 0; i < extra; i++)
        in.vertex.push_back(id_of(&state, shape, 2 * spread, i));
    return in;
}

static int64_t *block(const std::vector<int64_t> &from) {
    int64_t *copy = (int64_t *)malloc((from.size() + 1) * sizeof *copy);
    ck_assert_ptr_nonnull(copy);
    std::copy(from.begin(), from.end(), copy);
    return copy;
}

struct phases {
    int on_device, contexts;
    char csr[100];
};

static void hear(void *listener, const char *name, double ms, int64_t,
                 const char *detail) {
    struct phases *p = (struct phases *)listener;
    ck_assert(ms >= 0);
    if (strcmp(name, "map") == 0)
        p->on_device += strstr(detail, "on the device") != NULL;
    if (strcmp(name, "csr") == 0)
        snprintf(p->csr, sizeof p->csr, "%s", detail);
}

/* The column with 4 bytes an entry, if the ids fit. */
static void narrow(gpugraph_id_column *column, const std::vector<int64_t> &ids,
                   std::vector<int32_t> *own, bool take_over) {
    own->assign(ids.begin(), ids.end());
    if (!std::equal(ids.begin(), ids.end(), own->begin()))
        return;
    if (take_over) {
        free((void *)column->value);
        int32_t *copy = (int32_t *)malloc((ids.size() + 1) * sizeof *copy);
        ck_assert_ptr_nonnull(copy);
        std::copy(own->begin(), own->end(), copy);
        column->value32 = copy;
    } else {
        column->value32 = own->data();
    }
    column->value = NULL;
}

/* stay: the device may keep the ends. Cycles through the eight combinations of 4-byte id
** columns that a device may get, with weights of 8 bytes and then of 4. */
static gpugraph_graph *create(const struct input *in, int weights, bool take_over,
                              gpugraph_run *run, bool stay = false) {
    gpugraph_edges edges = gpugraph_edges();
    gpugraph_graph *graph;
    edges.count = (int64_t)in->m;
    edges.source.value = take_over ? block(in->source) : in->source.data();
    edges.target.value = take_over ? block(in->target) : in->target.data();
    edges.vertex_count = (int64_t)in->extra;
    edges.vertex.value = in->vertex.data();
    static unsigned turn;
    std::vector<int32_t> own[3];
    const unsigned widths = run->backend == GPUGRAPH_CUDA ? turn++ : 0;
    if (widths & 1)
        narrow(&edges.source, in->source, &own[0], take_over);
    if (widths & 2)
        narrow(&edges.target, in->target, &own[1], take_over);
    if (widths & 4)
        narrow(&edges.vertex, in->vertex, &own[2], false);
    if (!in->edge_id.empty())
        edges.edge_id = take_over ? block(in->edge_id) : in->edge_id.data();
    std::vector<int64_t> bits(in->m);
    memcpy(bits.data(), in->real.data(), in->m * sizeof bits[0]);
    const std::vector<int64_t> &weight = weights == REAL ? bits : in->weight;
    if (weights != NONE) {
        edges.weight_type =
            weights == REAL ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_INTEGER_WEIGHTS;
        edges.weight = take_over ? block(weight) : weight.data();
    }
    gpugraph_id_column whole = {(const int64_t *)edges.weight, NULL, NULL};
    std::vector<int32_t> own_weight;
    if (weights != NONE && weights != REAL && widths >> 3 & 1)
        narrow(&whole, in->weight, &own_weight, take_over);
    edges.weight = whole.value;
    edges.weight32 = whole.value32;
    edges.take_over = take_over;
    edges.stay = stay;
    gpugraph_create(&edges, run, &graph);
    ck_assert_msg(run->status == GPUGRAPH_OK, "%s", run->message);
    return graph;
}

/* ---- ids ---- */

static void same_graphs(const gpugraph_graph *a, const gpugraph_graph *b) {
    ck_assert_uint_eq(a->n, b->n);
    ck_assert_uint_eq(a->m, b->m);
    ck_assert_uint_eq(a->ids.integer_count, b->ids.integer_count);
    ck_assert_int_eq(a->ids.first_integer, b->ids.first_integer);
    same_bytes(a->ids.integer, b->ids.integer, a->ids.integer_count * sizeof(int64_t),
               "integer");
    ck_assert(!a->id.present || a->id.span == b->id.span);
    size_t words = (size_t)((a->id.span + 63) / 64);
    same_bytes(a->id.present, b->id.present, words * sizeof(uint64_t), "id_present");
    same_bytes(a->id.rank, b->id.rank, words * sizeof(uint32_t), "id_rank");
    same_bytes(a->source, b->source, a->m * sizeof(uint32_t), "source");
    same_bytes(a->target, b->target, a->m * sizeof(uint32_t), "target");
    same_bytes(a->edge_id, b->edge_id, a->m * sizeof(int64_t), "edge_id");
    ck_assert_int_eq(a->distance_type, b->distance_type);
    same_bytes(a->weight, b->weight, a->m * gg_distance_size(a->distance_type), "weight");
    ck_assert_int_eq(a->host_bytes, b->host_bytes);
}

/* ---- device-resident ends ---- */

static std::vector<uint32_t> depths_of(gpugraph_graph *graph, gpugraph_run *run) {
    const uint32_t first = 0;
    std::vector<uint32_t> depth(graph->n + 1);
    if (graph->n == 0)
        return depth;
    gpugraph_search search = gpugraph_search();
    search.source = &first;
    search.source_count = 1;
    search.max_depth = GPUGRAPH_NONE;
    gpugraph_bfs(graph, &search, run, depth.data(), NULL);
    ck_assert_msg(run->status == GPUGRAPH_OK, "%s", run->message);
    return depth;
}

/* host: a graph that the host has made of the columns. A search on the device leaves the
** ends there, and afterwards the graph is like any other. */
static void check_stay(gpugraph_graph *host, const struct input *in, int weights,
                       bool take_over, bool sorted) {
    gpugraph_run cpu = gpugraph_run(), device = gpugraph_run();
    cpu.backend = GPUGRAPH_CPU;
    device.backend = GPUGRAPH_CUDA;
    gpugraph_graph *graph = create(in, weights, take_over, &device, true);
    const bool away = !sorted && in->m + in->extra > 0;
    ck_assert_int_eq(graph->device_resident, away);
    ck_assert(!graph->source == away && !graph->edges.target == away);
    ck_assert(depths_of(graph, &device) == depths_of(host, &cpu));
    ck_assert_int_eq(graph->device_resident, away);
    ck_assert_int_eq(gpugraph_bring_edges(graph, &device), GPUGRAPH_OK);
    same_graphs(host, graph);
    gpugraph_free(graph);
}

/* ---- tests ---- */

static void check_input(uint64_t seed, int shape, int edge_ids, int weights, uint64_t m,
                        uint64_t extra, uint64_t spread) {
    struct input in = make_input(seed, shape, edge_ids, weights, m, extra, spread);
    struct phases heard = {0, 0, ""};
    gpugraph_run host = gpugraph_run(), device = gpugraph_run();
    host.backend = GPUGRAPH_CPU;
    device.backend = GPUGRAPH_CUDA;
    device.phase = hear;
    device.listener = &heard;
    gpugraph_graph *a = create(&in, weights, false, &host);
    gpugraph_graph *b = create(&in, weights, seed % 2, &device);
    ck_assert_int_eq(heard.on_device, m + extra > 0);
    same_graphs(a, b);
    /* The numbers are still there, unless the edges were reordered. */
    int64_t host_bytes, device_bytes;
    gpugraph_memory(b, &host_bytes, &device_bytes);
    bool ascending = true;
    for (uint64_t i = 1; i < in.edge_id.size(); i++)
        ascending &= in.edge_id[i - 1] <= in.edge_id[i];
    ck_assert_int_eq(device_bytes > 0, m + extra > 0 && ascending);
    check_stay(a, &in, weights, seed % 3, !ascending);
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        same_rows(b, &device, (enum csr_kind)kind, false);
        same_rows(b, &device, (enum csr_kind)kind, true);
    }
    gpugraph_free(a);
    gpugraph_free(b);
}

START_TEST(small_graphs) {
    uint64_t state = 1;
    for (int i = 0; i < 150; i++) {
        uint64_t m = random_below(&state, 40), extra = random_below(&state, 10);
        uint64_t spread = 1 + random_below(&state, 60);
        check_input(state, i % SHAPES, i / SHAPES % EDGE_IDS, i % 7 % WEIGHTS,
                    i % 9 ? m : 0, i % 4 ? 0 : extra, spread);
    }
}
END_TEST

START_TEST(one_edge_and_none) {
    for (int shape = 0; shape < SHAPES; shape++)
        for (uint64_t m = 0; m < 2; m++)
            for (uint64_t extra = 0; extra < 2; extra++)
                check_input(5, shape, PLAIN, SMALL, m, extra, 9);
}
END_TEST

START_TEST(large_graphs) {
    for (int i = 0; i < 2 * SHAPES; i++)
        check_input(100 + (uint64_t)i, i % SHAPES, i % EDGE_IDS, i % WEIGHTS,
                    100000 + 7777 * (uint64_t)i, i % 3 ? 0 : 5000, i % 2 ? 300 : 70000);
}
END_TEST

/* Memory suffices for counting, but not for sorting. */
START_TEST(rows_where_memory_is_short) {
    struct input in = make_input(3, DENSE, PLAIN, SMALL, 400000, 0, 300000);
    struct phases heard = {0, 0, ""};
    gpugraph_run run = gpugraph_run();
    run.backend = GPUGRAPH_CUDA;
    run.phase = hear;
    run.listener = &heard;
    gpugraph_graph *graph = create(&in, SMALL, false, &run);
    for (int kind = CSR_OUT; kind <= CSR_BOTH; kind++) {
        run.memory_limit = 0;
        gpugraph_release_device(graph);
        same_rows(graph, &run, (enum csr_kind)kind, true);
        ck_assert_msg(strstr(heard.csr, "by sorting") != NULL, "%s", heard.csr);
        gpugraph_release_device(graph);
        run.memory_limit =
            gg_device_graph_lacks(graph, (enum csr_kind)kind, true) + 65536;
        same_rows(graph, &run, (enum csr_kind)kind, true);
        ck_assert_msg(strstr(heard.csr, "by counting") != NULL, "%s", heard.csr);
    }
    gpugraph_free(graph);
}
END_TEST

/* Sources ascend: OUT is a copy, and other kinds are sorted. */
START_TEST(rows_of_edges_in_order) {
    static const char *const how[] = {"edges in order", "by sorting", "by sorting"};
    struct input in = make_input(8, IN_ORDER, PLAIN, WIDE, 300000, 0, 1);
    struct phases heard = {0, 0, ""};
    gpugraph_run run = gpugraph_run();
    run.backend = GPUGRAPH_CUDA;
    run.phase = hear;
    run.listener = &heard;
    gpugraph_graph *graph = create(&in, WIDE, false, &run);
    for (int kind = CSR_OUT; kind <= CSR_BOTH; kind++) {
        same_rows(graph, &run, (enum csr_kind)kind, true);
        ck_assert_msg(strstr(heard.csr, how[kind]) != NULL, "%s", heard.csr);
    }
    gpugraph_free(graph);
}
END_TEST

/* Too little memory to map on the device: the host maps the ids, without an error. */
START_TEST(mapping_falls_back) {
    struct input in = make_input(4, WILD, PLAIN, SMALL, 50000, 100, 50000);
    gpugraph_run host = gpugraph_run(), run = gpugraph_run();
    struct phases heard = {0, 0, ""};
    run.backend = GPUGRAPH_CUDA;
    run.memory_limit = 400000;
    run.phase = hear;
    run.listener = &heard;
    host.backend = GPUGRAPH_CPU;
    gpugraph_graph *a = create(&in, SMALL, true, &host);
    for (int limit = 0; limit < 30; limit++) {
        run.memory_limit = 100000 + 200000 * (int64_t)limit;
        gpugraph_graph *b = create(&in, SMALL, true, &run);
        same_graphs(a, b);
        gpugraph_free(b);
    }
    ck_assert_int_gt(heard.on_device, 0);
    ck_assert_int_lt(heard.on_device, 30);
    gpugraph_free(a);
}
END_TEST

/* Weights do not fit on the device beside the ends, which can still be used. */
START_TEST(ends_survive_a_lack_of_room) {
    struct input in = make_input(9, GAPS, PLAIN, SMALL, 300000, 0, 90000);
    gpugraph_run host = gpugraph_run(), run = gpugraph_run();
    struct cuda_job job;
    struct device_csr view;
    int64_t host_bytes;
    host.backend = GPUGRAPH_CPU;
    run.backend = GPUGRAPH_CUDA;
    gpugraph_graph *a = create(&in, SMALL, false, &host);
    gpugraph_graph *b = create(&in, SMALL, true, &run, true);
    gpugraph_memory(b, &host_bytes, &run.memory_limit);
    gg_begin(&run);
    ck_assert(gg_job_open(&job, b, &run));
    ck_assert(!gg_device_csr(&job, CSR_OUT, true, &view));
    ck_assert_int_eq(gg_job_close(&job), GPUGRAPH_DEVICE_MEMORY);
    ck_assert_int_eq(gpugraph_bring_edges(b, &run), GPUGRAPH_OK);
    same_graphs(a, b);
    gpugraph_free(a);
    gpugraph_free(b);
}
END_TEST

static int questions_left;

static int stop_at_last(void *) {
    return questions_left-- <= 0;
}

START_TEST(interrupts) {
    struct input in = make_input(6, WILD, PLAIN, NONE, 200000, 0, 100000);
    for (questions_left = 0; questions_left < 3;) {
        int questions = questions_left;
        gpugraph_run run = gpugraph_run();
        gpugraph_edges edges = gpugraph_edges();
        gpugraph_graph *graph;
        run.backend = GPUGRAPH_CUDA;
        run.interrupted = stop_at_last;
        edges.count = (int64_t)in.m;
        edges.source.value = block(in.source);
        edges.target.value = block(in.target);
        edges.take_over = true;
        gpugraph_status status = gpugraph_create(&edges, &run, &graph);
        ck_assert(status == GPUGRAPH_INTERRUPTED || (status == GPUGRAPH_OK && questions));
        gpugraph_free(graph);
        questions_left = questions + 1;
    }
}
END_TEST

const struct suite suite = {
    .name = "device_graph",
    .groups = {{.name = "small",
                .cases = {{&small_graphs}, {&one_edge_and_none}, {&mapping_falls_back}}},
               {.name = "large",
                .cases = {{&large_graphs},
                          {&rows_where_memory_is_short},
                          {&rows_of_edges_in_order},
                          {&ends_survive_a_lack_of_room},
                          {&interrupts}}}},
    .needs_device = true,
    .no_forks = true,
};
