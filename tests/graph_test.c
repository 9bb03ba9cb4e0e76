/* Graphs from random edge columns against an oracle that knows nothing of gpu/: it sorts
** (id, row) records with qsort and looks everything up by bsearch.
**
** An input is a list of edges between ids; an id is an INTEGER or one of the texts. The
** same integer and text ('7' and 7) are two ids. */
#include "backend.h"
#include "memory_stream.h"
#include "share.h"
#include "suite.h"
#include "graphs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs ---- */

typedef struct id {
    bool text;
    int64_t integer; /* or the number of the text */
    const char *bytes;
    uint64_t length;
} id;

typedef struct input {
    uint64_t random;
    gpugraph_edges edges;
    int64_t *source, *target, *vertex, *edge_id;
    uint8_t *source_text, *target_text, *vertex_text;
    void *weight;
    uint64_t *text_offset;
    char *text_bytes;
} input;

enum integers { DENSE, GAPS, SPARSE, ENDS, WILD, ONE, INTEGER_KINDS };
enum texts { NO_TEXTS, DIGITS, BYTES, LONG_PREFIX, TEXT_KINDS };
enum edge_ids {
    PLAIN,
    ASCENDING,
    SHUFFLED,
    REPEATED,
    ALL_EQUAL,
    SHUFFLED_PLAIN,
    EDGE_ID_KINDS
};
enum weights { NO_WEIGHT, SMALL, ZERO, WIDE, HUGE_WEIGHT, REAL, WEIGHT_KINDS };

static uint64_t below(input *in, uint64_t limit) {
    return shape_random(&in->random) % limit;
}

static int64_t random_integer(input *in, enum integers kind, uint64_t spread) {
    uint64_t r = below(in, spread);
    switch (kind) {
    case DENSE:
        return (int64_t)r + 1;
    case GAPS:
        return (int64_t)r * 5 - 1000;
    case SPARSE:
        return (int64_t)(r * 1000003) - 12345678;
    case ENDS:
        return below(in, 2) ? INT64_MAX - (int64_t)r : INT64_MIN + (int64_t)r;
    case WILD:
        return (int64_t)(r * 0x9e3779b97f4a7c15u);
    default:
        return -77;
    }
}

static int compare_bytes(const char *a, uint64_t a_length, const char *b,
                         uint64_t b_length) {
    for (uint64_t i = 0; i < a_length && i < b_length; i++)
        if (a[i] != b[i])
            return (uint8_t)a[i] < (uint8_t)b[i] ? -1 : 1;
    return a_length < b_length ? -1 : a_length > b_length;
}

typedef struct text {
    char bytes[48];
    int length;
} text;

static int compare_texts(const void *a, const void *b) {
    const text *x = a, *y = b;
    return compare_bytes(x->bytes, (uint64_t)x->length, y->bytes, (uint64_t)y->length);
}

static text random_text(input *in, enum texts kind, uint64_t spread) {
    text t = {.length = 0};
    if (kind == DIGITS) {
        t.length =
            snprintf(t.bytes, sizeof t.bytes, "%lld", (long long)below(in, spread));
        return t;
    }
    if (kind == LONG_PREFIX)
        for (int common = (int)below(in, 3) * 9; t.length < common; t.length++)
            t.bytes[t.length] = "/straße/"[t.length % 9];
    static const char letters[] = {0, 0, 'a', 'b', (char)0xff, (char)0xc3};
    for (int more = (int)below(in, 19); more > 0; more--)
        t.bytes[t.length++] = letters[below(in, sizeof letters)];
    return t;
}

/* Up to `count` different texts in random order. */
static void random_texts(input *in, enum texts kind, int64_t count) {
    text *list = calloc((size_t)count + 1, sizeof *list);
    int64_t distinct = 0;
    uint64_t bytes = 0;
    for (int64_t i = 0; i < count; i++)
        list[i] = random_text(in, kind, (uint64_t)count * 3);
    qsort(list, (size_t)count, sizeof *list, compare_texts);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || compare_texts(&list[i], &list[distinct - 1]) != 0)
            list[distinct++] = list[i];
    for (int64_t i = distinct - 1; i > 0; i--) {
        int64_t k = (int64_t)below(in, (uint64_t)i + 1);
        text swap = list[i];
        list[i] = list[k];
        list[k] = swap;
    }
    in->text_offset = calloc((size_t)distinct + 1, sizeof *in->text_offset);
    in->text_bytes = malloc((size_t)distinct * sizeof list->bytes + 1);
    for (int64_t i = 0; i < distinct; i++) {
        memcpy(in->text_bytes + bytes, list[i].bytes, (size_t)list[i].length);
        bytes += (uint64_t)list[i].length;
        in->text_offset[i + 1] = bytes;
    }
    free(list);
    in->edges.texts = (gpugraph_texts){distinct, in->text_offset, in->text_bytes};
}

static void random_column(input *in, enum integers integers, uint64_t spread,
                          int64_t count, int64_t **value, uint8_t **is_text) {
    *value = calloc((size_t)count + 1, sizeof **value);
    *is_text = calloc((size_t)count / 8 + 1, 1);
    for (int64_t i = 0; i < count; i++) {
        if (in->edges.texts.count && below(in, 3)) {
            (*is_text)[i / 8] |= (uint8_t)(1 << i % 8);
            /* Some texts are in the list and never used. */
            uint64_t used = (uint64_t)in->edges.texts.count * 7 / 8 + 1;
            (*value)[i] = (int64_t)below(in, used);
        } else {
            (*value)[i] = random_integer(in, integers, spread);
        }
    }
}

static void random_edge_ids(input *in, enum edge_ids kind, int64_t m) {
    int64_t *edge_id = in->edge_id = calloc((size_t)m + 1, sizeof *edge_id);
    for (int64_t i = 0; i < m; i++) {
        if (kind == PLAIN || kind == SHUFFLED_PLAIN)
            edge_id[i] = i + 1;
        else if (kind == ASCENDING || kind == SHUFFLED)
            edge_id[i] = i == 0 ? INT64_MIN : i == m - 1 ? INT64_MAX : i * 3 - m;
        else
            edge_id[i] = kind == ALL_EQUAL ? 42 : (int64_t)below(in, (uint64_t)m / 3 + 1);
    }
    for (int64_t i = m - 1; i > 0 && (kind == SHUFFLED || kind == SHUFFLED_PLAIN); i--) {
        int64_t k = (int64_t)below(in, (uint64_t)i + 1), swap = edge_id[i];
        edge_id[i] = edge_id[k];
        edge_id[k] = swap;
    }
    in->edges.edge_id = edge_id;
}

static void random_weights(input *in, enum weights kind, int64_t m) {
    int64_t *integer = in->weight = calloc((size_t)m + 1, sizeof *integer);
    double *real = in->weight;
    for (int64_t i = 0; i < m; i++) {
        if (kind == REAL)
            real[i] = below(in, 5) ? (double)below(in, 1000) / 8 : -0.0;
        else if (kind == SMALL)
            integer[i] = (int64_t)below(in, 100);
        else if (kind == WIDE)
            integer[i] = (int64_t)(UINT32_MAX / 20 + below(in, 1000));
        else if (kind == HUGE_WEIGHT)
            integer[i] = (int64_t)(shape_random(&in->random) >> 1);
        else
            integer[i] = 0;
    }
    in->edges.weight = in->weight;
    in->edges.weight_type =
        kind == REAL ? GPUGRAPH_REAL_WEIGHTS : GPUGRAPH_INTEGER_WEIGHTS;
}

typedef struct recipe {
    enum integers integers;
    enum texts texts;
    enum edge_ids edge_ids;
    enum weights weights;
    int64_t m, extra;
    uint64_t spread; /* different integers, about */
} recipe;

static input make_input(recipe r, uint64_t seed) {
    input in = {.random = seed};
    if (r.texts != NO_TEXTS)
        random_texts(&in, r.texts, (int64_t)r.spread + 1);
    random_column(&in, r.integers, r.spread, r.m, &in.source, &in.source_text);
    random_column(&in, r.integers, r.spread, r.m, &in.target, &in.target_text);
    random_column(&in, r.integers, r.spread * 2, r.extra, &in.vertex, &in.vertex_text);
    bool texts = r.texts != NO_TEXTS;
    in.edges.count = r.m;
    in.edges.vertex_count = r.extra;
    in.edges.source = (gpugraph_id_column){in.source, texts ? in.source_text : NULL};
    in.edges.target = (gpugraph_id_column){in.target, texts ? in.target_text : NULL};
    in.edges.vertex = (gpugraph_id_column){in.vertex, texts ? in.vertex_text : NULL};
    if (r.edge_ids != PLAIN || below(&in, 2))
        random_edge_ids(&in, r.edge_ids, r.m);
    if (r.weights != NO_WEIGHT)
        random_weights(&in, r.weights, r.m);
    return in;
}

static void free_input(input *in) {
    void *blocks[] = {in->source,      in->target,      in->vertex, in->edge_id,
                      in->source_text, in->target_text, in->weight, in->vertex_text,
                      in->text_offset, in->text_bytes};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

/* ---- the oracle ---- */

typedef struct arc {
    uint32_t row, column;
    double weight;
} arc;

typedef struct edge {
    int64_t edge_id, row;
    uint32_t source, target;
} edge;

typedef struct oracle {
    id *ids;
    uint32_t n;
    edge *edges;
} oracle;

static id id_of(const input *in, const gpugraph_id_column *column, int64_t i) {
    id result = {.text = column->is_text && (column->is_text[i / 8] >> i % 8 & 1),
                 .integer = column->value[i]};
    if (result.text) {
        result.bytes = in->text_bytes + in->text_offset[result.integer];
        result.length =
            in->text_offset[result.integer + 1] - in->text_offset[result.integer];
    }
    return result;
}

static int compare_ids(const void *a, const void *b) {
    const id *x = a, *y = b;
    if (x->text != y->text)
        return x->text ? 1 : -1;
    if (x->text)
        return compare_bytes(x->bytes, x->length, y->bytes, y->length);
    return x->integer < y->integer ? -1 : x->integer > y->integer;
}

static int compare_edges(const void *a, const void *b) {
    const edge *x = a, *y = b;
    if (x->edge_id != y->edge_id)
        return x->edge_id < y->edge_id ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static uint32_t oracle_find(const oracle *o, id wanted) {
    const id *found = bsearch(&wanted, o->ids, o->n, sizeof wanted, compare_ids);
    return found ? (uint32_t)(found - o->ids) : GPUGRAPH_NONE;
}

static oracle make_oracle(const input *in) {
    int64_t m = in->edges.count, extra = in->edges.vertex_count;
    oracle o = {calloc((size_t)(2 * m + extra) + 1, sizeof(id)), 0,
                calloc((size_t)m + 1, sizeof(edge))};
    for (int64_t i = 0; i < m; i++) {
        o.ids[2 * i] = id_of(in, &in->edges.source, i);
        o.ids[2 * i + 1] = id_of(in, &in->edges.target, i);
    }
    for (int64_t i = 0; i < extra; i++)
        o.ids[2 * m + i] = id_of(in, &in->edges.vertex, i);
    qsort(o.ids, (size_t)(2 * m + extra), sizeof(id), compare_ids);
    for (int64_t i = 0; i < 2 * m + extra; i++)
        if (o.n == 0 || compare_ids(&o.ids[i], &o.ids[o.n - 1]) != 0)
            o.ids[o.n++] = o.ids[i];
    for (int64_t i = 0; i < m; i++)
        o.edges[i] = (edge){in->edge_id ? in->edge_id[i] : i + 1, i,
                            oracle_find(&o, id_of(in, &in->edges.source, i)),
                            oracle_find(&o, id_of(in, &in->edges.target, i))};
    qsort(o.edges, (size_t)m, sizeof(edge), compare_edges);
    return o;
}

static void free_oracle(oracle *o) {
    free(o->ids);
    free(o->edges);
}

static gpugraph_distance_type oracle_type(const input *in, const oracle *o) {
    const int64_t *weight = in->weight;
    if (in->edges.weight_type != GPUGRAPH_INTEGER_WEIGHTS)
        return in->edges.weight_type == GPUGRAPH_REAL_WEIGHTS ? GPUGRAPH_REAL
                                                              : GPUGRAPH_UINT32;
    uint64_t *top = calloc((size_t)o->n + 1, sizeof *top);
    long double sum = 0;
    for (int64_t e = 0; e < in->edges.count; e++) {
        uint64_t w = (uint64_t)weight[o->edges[e].row];
        uint32_t ends[] = {o->edges[e].source, o->edges[e].target};
        for (int i = 0; i < 2; i++)
            top[ends[i]] = w > top[ends[i]] ? w : top[ends[i]];
    }
    for (uint32_t v = 0; v < o->n; v++)
        sum += (long double)top[v];
    free(top);
    return sum < 4294967295.0L ? GPUGRAPH_UINT32 : GPUGRAPH_UINT64;
}

static double stored_weight(gpugraph_distance_type type, const void *weight, uint64_t i) {
    if (!weight)
        return 0;
    return type == GPUGRAPH_REAL     ? ((const double *)weight)[i]
           : type == GPUGRAPH_UINT64 ? (double)((const int64_t *)weight)[i]
                                     : (double)((const uint32_t *)weight)[i];
}

/* ---- comparisons ---- */

/* ck_assert tells a pipe about every call: too slow for millions of comparisons. */
static void same_at(uint64_t have, uint64_t want, int line) {
    if (have != want)
        ck_abort_msg("line %d: have %llu, want %llu", line, (unsigned long long)have,
                     (unsigned long long)want);
}
#define same(have, want) same_at((uint64_t)(have), (uint64_t)(want), __LINE__)

static void check_ids(const gpugraph_graph *graph, const oracle *o) {
    const gpugraph_ids *ids = gpugraph_vertex_ids(graph);
    same(gpugraph_vertex_count(graph), o->n);
    same(ids->integer_count + (uint64_t)ids->texts.count, o->n);
    for (uint32_t v = 0; v < o->n; v++) {
        const id *want = &o->ids[v];
        same(want->text, v >= ids->integer_count);
        if (!want->text) {
            int64_t have = ids->integer ? ids->integer[v] : ids->first_integer + v;
            same(have, want->integer);
            same(gpugraph_find_integer(graph, have), v);
            for (int step = -1; step <= 1; step += 2) {
                id near = {.integer = (int64_t)((uint64_t)have + (uint64_t)step)};
                same(gpugraph_find_integer(graph, near.integer), oracle_find(o, near));
            }
        } else {
            uint64_t at = ids->texts.offset[v - ids->integer_count];
            uint64_t end = ids->texts.offset[v - ids->integer_count + 1];
            same(end - at, want->length);
            same(memcmp(ids->texts.bytes + at, want->bytes, want->length), 0);
            same(gpugraph_find_text(graph, want->bytes, want->length), v);
            char longer[64] = {0};
            memcpy(longer, want->bytes, want->length);
            id near = {.text = true, .bytes = longer, .length = want->length + 1};
            same(gpugraph_find_text(graph, longer, near.length), oracle_find(o, near));
        }
    }
    int64_t far[] = {0, -1, INT64_MIN, INT64_MAX, -77, 1};
    for (int i = 0; i < 6; i++)
        same(gpugraph_find_integer(graph, far[i]),
             oracle_find(o, (id){.integer = far[i]}));
    same(gpugraph_find_text(graph, "", 0),
         oracle_find(o, (id){.text = true, .bytes = ""}));
}

static void check_edges(const gpugraph_graph *graph, const input *in, const oracle *o) {
    const gpugraph_edge_list *edges = gpugraph_edges_of(graph);
    gpugraph_distance_type type = gpugraph_distance_type_of(graph);
    bool plain = true;
    same(gpugraph_edge_count(graph), in->edges.count);
    same(edges->weight_type, in->edges.weight_type);
    same(gpugraph_weights(graph), in->edges.weight_type);
    same(type, oracle_type(in, o));
    bool weighted = in->edges.weight_type != GPUGRAPH_UNWEIGHTED;
    same(edges->weight32 != NULL, weighted && type == GPUGRAPH_UINT32);
    same(edges->weight64 != NULL, weighted && type == GPUGRAPH_UINT64);
    same(edges->weight_real != NULL, weighted && type == GPUGRAPH_REAL);
    const void *weight = edges->weight32   ? (const void *)edges->weight32
                         : edges->weight64 ? (const void *)edges->weight64
                                           : (const void *)edges->weight_real;
    for (int64_t e = 0; e < in->edges.count; e++) {
        const edge *want = &o->edges[e];
        same(edges->source[e], want->source);
        same(edges->target[e], want->target);
        same(edges->edge_id ? edges->edge_id[e] : e + 1, want->edge_id);
        plain = plain && want->edge_id == e + 1;
        if (!weighted)
            continue;
        double have = stored_weight(type, weight, (uint64_t)e);
        if (type == GPUGRAPH_REAL) {
            same(true, have == ((const double *)in->weight)[want->row]);
            same(true, !signbit(have));
        } else if (type == GPUGRAPH_UINT64) {
            same(edges->weight64[e], ((int64_t *)in->weight)[want->row]);
        } else {
            same(edges->weight32[e], ((int64_t *)in->weight)[want->row]);
        }
    }
    same(plain, edges->edge_id == NULL);
}

static int compare_arcs(const void *a, const void *b) {
    const arc *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

/* The arcs of a kind, naively, sorted. */
static uint64_t oracle_arcs(const gpugraph_graph *graph, enum csr_kind kind, arc *arcs) {
    gpugraph_distance_type type = gpugraph_distance_type_of(graph);
    uint64_t count = 0, distinct = 0;
    for (uint32_t e = 0; e < graph->m; e++) {
        uint32_t s = graph->edges.source[e], t = graph->edges.target[e];
        double w = kind == CSR_SIMPLE ? 0 : stored_weight(type, graph->weight, e);
        bool loop = s == t;
        if (kind != CSR_IN && !(kind == CSR_SIMPLE && loop))
            arcs[count++] = (arc){s, t, w};
        if (kind == CSR_IN || (kind >= CSR_BOTH && !loop))
            arcs[count++] = (arc){t, s, w};
    }
    qsort(arcs, count, sizeof *arcs, compare_arcs);
    if (kind != CSR_SIMPLE)
        return count;
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || compare_arcs(&arcs[i], &arcs[i - 1]) != 0)
            arcs[distinct++] = arcs[i];
    return distinct;
}

static void check_csr(gpugraph_graph *graph, gpugraph_run *run, enum csr_kind kind,
                      bool weighted, bool sorted) {
    csr view;
    gpugraph_distance_type type = gpugraph_distance_type_of(graph);
    same(gg_csr(graph, kind, weighted, sorted, run, &view), GPUGRAPH_OK);
    same(true, gg_csr_made(graph, kind));
    weighted = weighted && graph->weight && kind != CSR_SIMPLE;
    if (weighted)
        ck_assert_ptr_nonnull(view.weight);
    arc *want = calloc((size_t)graph->m * 2 + 1, sizeof *want);
    arc *have = calloc((size_t)graph->m * 2 + 1, sizeof *have);
    uint64_t count = oracle_arcs(graph, kind, want);
    same(view.n, graph->n);
    same(view.m, count);
    same(view.offset[0], 0);
    same(view.offset[graph->n], count);
    for (uint32_t v = 0; v < graph->n; v++) {
        same(true, view.offset[v] <= view.offset[v + 1]);
        for (uint64_t k = view.offset[v]; k < view.offset[v + 1]; k++) {
            have[k] = (arc){v, view.target[k],
                            weighted ? stored_weight(type, view.weight, k) : 0};
            if (sorted && k > view.offset[v])
                same(true, view.target[k - 1] <= view.target[k]);
        }
    }
    same(true, !sorted || view.sorted);
    qsort(have, count, sizeof *have, compare_arcs);
    for (uint64_t i = 0; i < count; i++) {
        same(have[i].row, want[i].row);
        same(have[i].column, want[i].column);
        if (weighted)
            same(true, have[i].weight == want[i].weight);
    }
    free(want);
    free(have);
}

static void check_degrees(gpugraph_graph *graph, gpugraph_run *run) {
    uint32_t *have = calloc((size_t)graph->n + 1, sizeof *have);
    uint32_t *want = calloc((size_t)graph->n + 1, sizeof *want);
    for (int direction = 0; direction < 3; direction++) {
        memset(want, 0, sizeof *want * graph->n);
        for (uint32_t e = 0; e < graph->m; e++) {
            want[graph->edges.source[e]] += direction != GPUGRAPH_IN;
            want[graph->edges.target[e]] += direction != GPUGRAPH_OUT;
        }
        ck_assert_int_eq(
            gpugraph_degrees(graph, (gpugraph_direction)direction, run, have),
            GPUGRAPH_OK);
        ck_assert_int_eq(memcmp(have, want, sizeof *want * graph->n), 0);
    }
    free(have);
    free(want);
}

static struct counted { int map, csr, search, other; } phases;

static void count_phase(void *listener, const char *name, double ms, int64_t items,
                        const char *detail) {
    (void)listener;
    ck_assert_ptr_nonnull(detail);
    ck_assert(ms >= 0 && items >= 0);
    int *counter = strcmp(name, "map") == 0      ? &phases.map
                   : strcmp(name, "csr") == 0    ? &phases.csr
                   : strcmp(name, "search") == 0 ? &phases.search
                                                 : &phases.other;
    ++*counter;
}

static void check_input(recipe r, uint64_t seed, int threads) {
    input in = make_input(r, seed);
    oracle o = make_oracle(&in);
    gpugraph_run run = {.threads = threads, .phase = count_phase};
    gpugraph_graph *graph;
    phases = (struct counted){0};
    gpugraph_create(&in.edges, &run, &graph);
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    ck_assert_int_eq(phases.map, 1);
    check_ids(graph, &o);
    check_edges(graph, &in, &o);
    int rounds = r.m > 1000 ? 3 : 12; /* the oracle sorts slowly */
    for (int i = 0; i < rounds; i++)
        check_csr(graph, &run, (enum csr_kind)below(&in, 4), below(&in, 2),
                  below(&in, 2));
    int made = phases.csr;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        check_csr(graph, &run, (enum csr_kind)kind, true, true);
    ck_assert_int_le(phases.csr, made + CSR_KINDS);
    made = phases.csr;
    for (int kind = 0; kind < CSR_KINDS; kind++)
        check_csr(graph, &run, (enum csr_kind)kind, kind & 1, kind & 2);
    ck_assert_int_eq(phases.csr, made);
    ck_assert_int_eq(phases.map + phases.other, 1);
    check_degrees(graph, &run);
    int64_t host, device;
    gpugraph_memory(graph, &host, &device);
    ck_assert_int_ge(host, (int64_t)in.edges.count * 8);
    gpugraph_free(graph);
    free_oracle(&o);
    free_input(&in);
}

START_TEST(small_inputs) {
    uint64_t seed = 1;
    for (int repeat = 0; repeat < 3000; repeat++) {
        uint64_t r = shape_random(&seed);
        recipe small = {.integers = r % INTEGER_KINDS,
                        .texts = r / 8 % TEXT_KINDS,
                        .edge_ids = r / 64 % EDGE_ID_KINDS,
                        .weights = r / 1024 % WEIGHT_KINDS,
                        .m = (int64_t)(r / 65536 % 60),
                        .extra = (int64_t)(r >> 24) % 3 * ((int64_t)(r >> 32) % 10),
                        .spread = 1 + (r >> 40) % 50};
        check_input(small, r, 1 + (int)(r >> 50) % 3);
    }
}
END_TEST

/* Large enough for every parallel path, on one thread and several. */
START_TEST(large_inputs) {
    uint64_t seed = 2;
    for (int repeat = 0; repeat < 12; repeat++) {
        uint64_t r = shape_random(&seed);
        recipe large = {.integers = repeat % INTEGER_KINDS,
                        .texts = repeat / 3 % TEXT_KINDS,
                        .edge_ids = repeat * 5 % 7 % EDGE_ID_KINDS,
                        .weights = (repeat + repeat / 6) % WEIGHT_KINDS,
                        .m = 90000 + (int64_t)(r >> 40) % 50000,
                        .extra = 20000,
                        .spread = 1 + (r >> 20) % (repeat % 3 ? 100000 : 300)};
        if (!left_out((uint64_t)repeat + 2)) /* of those that have several threads */
            check_input(large, r, 1 + repeat / 2 % 3 * 2);
    }
}
END_TEST

/* ---- what must fail, and how ---- */

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
    /* Both are bad: the first by edge id is told, not the first row. */
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

/* Counters of 32 bits hold every degree, here as if they were of three. A loop counts
** twice. */
START_TEST(too_many_at_one_vertex) {
    gpugraph_run run = {0};
    gpugraph_graph *graph;
    int64_t source[2] = {0, 9}, target[2] = {9, 8}, id[2] = {9, 10};
    gpugraph_edges more = {
        .count = 1, .source = {source, NULL}, .target = {target, NULL}, .edge_id = id};
    gpugraph_changes add = {.added = &more};
    gg_most_degree = 7;
    ck_assert_int_eq(star(7, &run, &graph), GPUGRAPH_TOO_LARGE);
    ck_assert_ptr_nonnull(strstr(run.message, "more than 7 edges"));
    ck_assert_ptr_null(graph);
    ck_assert_int_eq(star(5, &run, &graph), GPUGRAPH_OK);
    ck_assert_uint_eq(graph->degree_high, 6);
    ck_assert_int_eq(gpugraph_update(graph, &add, &run), GPUGRAPH_TOO_LARGE);
    ck_assert_ptr_nonnull(strstr(run.message, "more than 7 edges"));
    ck_assert_uint_eq(gpugraph_edge_count(graph), 5);
    memory_file file = {0};
    memory_pack(graph, &file);
    gpugraph_free(graph);
    gpugraph_stream from = memory_reader(&file);
    gg_most_degree = 5;
    ck_assert_int_eq(gpugraph_unpack(&run, &from, file.size, &graph), GPUGRAPH_TOO_LARGE);
    memory_file_free(&file);
    gg_most_degree = 12;
    ck_assert_int_eq(star(5, &run, &graph), GPUGRAPH_OK);
    ck_assert_int_eq(gpugraph_update(graph, &add, &run), GPUGRAPH_OK);
    more.edge_id++;
    ck_assert_int_eq(gpugraph_update(graph, &add, &run), GPUGRAPH_OK);
    ck_assert_uint_eq(gpugraph_edge_count(graph), 7);
    gpugraph_free(graph);
    gg_most_degree = UINT32_MAX;
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

/* Stops at the n-th question. The clock does not matter: each call asks at least once. */
static int questions_left;

static int interrupt(void *listener) {
    (void)listener;
    return questions_left-- <= 0;
}

START_TEST(interrupts) {
    recipe r = {SPARSE, BYTES, SHUFFLED, SMALL, 150000, 1000, 100000};
    input in = make_input(r, 3);
    gpugraph_run run = {.threads = 2, .interrupted = interrupt};
    gpugraph_graph *graph;
    questions_left = 0;
    ck_assert_int_eq(gpugraph_create(&in.edges, &run, &graph), GPUGRAPH_INTERRUPTED);
    ck_assert_str_eq(run.message, "interrupted");
    ck_assert_ptr_null(graph);
    questions_left = 1000000;
    ck_assert_int_eq(gpugraph_create(&in.edges, &run, &graph), GPUGRAPH_OK);
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        csr view;
        gg_begin(&run);
        questions_left = 0;
        ck_assert_int_eq(gg_csr(graph, (enum csr_kind)kind, true, true, &run, &view),
                         GPUGRAPH_INTERRUPTED);
        ck_assert(!gg_csr_made(graph, (enum csr_kind)kind));
        gg_begin(&run);
        questions_left = 1000000;
        check_csr(graph, &run, (enum csr_kind)kind, true, true);
    }
    uint32_t *array = calloc(graph->n, sizeof *array), *order = malloc(graph->n * 4),
             count;
    questions_left = 0;
    ck_assert_int_eq(gpugraph_degrees(graph, GPUGRAPH_OUT, &run, array),
                     GPUGRAPH_INTERRUPTED);
    questions_left = 0;
    ck_assert_int_eq(
        gpugraph_order(GPUGRAPH_UINT32, array, graph->n, &run, order, &count),
        GPUGRAPH_INTERRUPTED);
    free(array);
    free(order);
    gpugraph_free(graph);
    free_input(&in);
}
END_TEST

/* ---- order ---- */

typedef struct ranked {
    double value;
    uint64_t integer;
    uint32_t v;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->integer != y->integer)
        return x->integer < y->integer ? -1 : 1;
    return x->v < y->v ? -1 : 1;
}

static void check_order(gpugraph_distance_type type, uint32_t n, uint64_t limit,
                        int threads, uint64_t *random) {
    uint32_t *narrow = calloc(n + 1, sizeof *narrow), *order = calloc(n + 1, 4), count;
    uint64_t *wide = calloc(n + 1, sizeof *wide);
    double *real = calloc(n + 1, sizeof *real);
    ranked *want = calloc(n + 1, sizeof *want);
    uint32_t reached = 0;
    for (uint32_t v = 0; v < n; v++) {
        bool is_reached = shape_random(random) % 4 != 0;
        uint64_t r = shape_random(random) % limit;
        narrow[v] = is_reached ? (uint32_t)r : UINT32_MAX;
        wide[v] = is_reached ? r : UINT64_MAX;
        real[v] = is_reached ? (double)r / 7 : INFINITY;
        if (is_reached)
            want[reached++] = (ranked){type == GPUGRAPH_REAL ? real[v] : 0,
                                       type == GPUGRAPH_REAL ? 0 : r, v};
    }
    qsort(want, reached, sizeof *want, compare_ranked);
    const void *value = type == GPUGRAPH_UINT32   ? (const void *)narrow
                        : type == GPUGRAPH_UINT64 ? (const void *)wide
                                                  : (const void *)real;
    gpugraph_run run = {.threads = threads};
    same(gpugraph_order(type, value, n, &run, order, &count), GPUGRAPH_OK);
    same(count, reached);
    for (uint32_t i = 0; i < reached; i++)
        same(order[i], want[i].v);
    free(narrow);
    free(order);
    free(wide);
    free(real);
    free(want);
}

START_TEST(orders) {
    static const uint32_t sizes[] = {0, 1, 2, 17, 300, 9000, 150000};
    static const uint64_t limits[] = {1, 40, 16384, 100000, UINT32_MAX, INT64_MAX};
    uint64_t random = 4;
    for (int size = 0; size < 7; size++)
        for (int limit = 0; limit < 6; limit++)
            for (int type = GPUGRAPH_UINT32; type <= GPUGRAPH_REAL; type++)
                if (type != GPUGRAPH_UINT32 || limits[limit] <= UINT32_MAX)
                    check_order((gpugraph_distance_type)type, sizes[size], limits[limit],
                                1 + limit % 3, &random);
}
END_TEST

/* ---- hashes ---- */

START_TEST(hashes_belong_to_ids) {
    recipe r = {SPARSE, BYTES, PLAIN, NO_WEIGHT, 300, 0, 200};
    input in = make_input(r, 5);
    gpugraph_run run = {0};
    gpugraph_graph *whole, *part;
    ck_assert_int_eq(gpugraph_create(&in.edges, &run, &whole), GPUGRAPH_OK);
    in.edges.count = 100;
    ck_assert_int_eq(gpugraph_create(&in.edges, &run, &part), GPUGRAPH_OK);
    ck_assert_uint_lt(part->n, whole->n);
    uint32_t *a = calloc(whole->n, 4), *b = calloc(part->n, 4), *c = calloc(whole->n, 4);
    gg_hash_ids(whole, 7, &run, a);
    gg_hash_ids(part, 7, &run, b);
    gg_hash_ids(whole, 8, &run, c);
    const gpugraph_ids *ids = gpugraph_vertex_ids(part);
    uint32_t same = 0, low = 0;
    for (uint32_t v = 0; v < part->n; v++) {
        uint32_t t = v - ids->integer_count, w;
        if (v < ids->integer_count)
            w = gpugraph_find_integer(whole, ids->integer ? ids->integer[v]
                                                          : ids->first_integer + v);
        else
            w = gpugraph_find_text(whole, ids->texts.bytes + ids->texts.offset[t],
                                   ids->texts.offset[t + 1] - ids->texts.offset[t]);
        ck_assert_uint_eq(a[w], b[v]);
    }
    for (uint32_t v = 0; v < whole->n; v++) {
        same += a[v] == c[v] || (v > 0 && a[v] == a[v - 1]);
        low += a[v] < UINT32_MAX / 2;
    }
    ck_assert_uint_le(same, 1);
    ck_assert(low > whole->n / 3 && low < whole->n * 2 / 3);
    free(a);
    free(b);
    free(c);
    gpugraph_free(whole);
    gpugraph_free(part);
    free_input(&in);
}
END_TEST

/* ---- dispatch ---- */

static gpugraph_status degrees_by(gpugraph_backend on, const char *method,
                                  gpugraph_run *run) {
    gpugraph_edges edges = two_edges();
    gpugraph_graph *graph;
    uint32_t degree[3];
    ck_assert_int_eq(gpugraph_create(&edges, run, &graph), GPUGRAPH_OK);
    run->backend = on;
    run->method = method;
    gpugraph_status status = gpugraph_degrees(graph, GPUGRAPH_BOTH, run, degree);
    if (!status)
        ck_assert(degree[0] == 1 && degree[1] == 2 && degree[2] == 1);
    gpugraph_free(graph);
    return status;
}

START_TEST(methods_and_backends) {
    gpugraph_run run = {0};
    ck_assert_int_eq(degrees_by(GPUGRAPH_AUTO, NULL, &run), GPUGRAPH_OK);
    ck_assert_str_eq(run.used_backend, "cpu"); /* two edges never start a device */
    ck_assert_str_eq(run.used_method, "count");
    ck_assert_int_eq(degrees_by(GPUGRAPH_CPU, "auto", &run), GPUGRAPH_OK);
    ck_assert_int_eq(degrees_by(GPUGRAPH_CPU, "count", &run), GPUGRAPH_OK);
    ck_assert_int_eq(degrees_by(GPUGRAPH_AUTO, "guess", &run), GPUGRAPH_INVALID);
    ck_assert(strstr(run.message, "degrees has no method 'guess'") != NULL);
    ck_assert(strstr(run.message, "auto, count") != NULL);
    ck_assert_int_eq(degrees_by((gpugraph_backend)9, NULL, &run), GPUGRAPH_INVALID);
    const char *why = NULL;
    if (gpugraph_cuda_usable(&why)) {
        ck_assert_int_eq(degrees_by(GPUGRAPH_CUDA, NULL, &run), GPUGRAPH_OK);
        ck_assert_str_eq(run.used_backend, "cuda");
    } else {
        ck_assert(why && *why);
        ck_assert_int_eq(degrees_by(GPUGRAPH_CUDA, NULL, &run), GPUGRAPH_NO_DEVICE);
        ck_assert(strstr(run.message, why) != NULL);
    }
}
END_TEST

START_TEST(lists) {
    static const char *const functions[] = {"bfs", "path",      "sssp",   "dfs",
                                            "mis", "triangles", "degrees"};
    uint32_t served = 0; /* by the CPU: bit i is function i */
    int count = 0;
    for (const gpugraph_method *m; (m = gpugraph_method_at(count)) != NULL; count++) {
        ck_assert(*m->function && *m->name && *m->description);
        for (int i = 0; i < 7; i++)
            if (strcmp(m->function, functions[i]) == 0 && strcmp(m->backend, "cpu") == 0)
                served |= 1u << i;
        for (int i = 0; i < count; i++) {
            const gpugraph_method *other = gpugraph_method_at(i);
            ck_assert(strcmp(m->function, other->function) ||
                      strcmp(m->name, other->name) || strcmp(m->backend, other->backend));
        }
    }
    ck_assert_uint_eq(served, 0x7f);
    ck_assert_ptr_null(gpugraph_method_at(-1));
    ck_assert_ptr_null(gpugraph_method_at(count + 1));
    gpugraph_device device;
    ck_assert(gpugraph_device_at(0, &device));
    ck_assert_str_eq(device.backend, "cpu");
    ck_assert(*device.name && device.memory > 0 && device.free > 0);
    ck_assert(!gpugraph_device_at(-1, &device) && !gpugraph_device_at(99, &device));
    for (int s = GPUGRAPH_OK; s <= GPUGRAPH_TOO_LARGE; s++)
        ck_assert_str_ne(gpugraph_status_name((gpugraph_status)s), "unknown");
}
END_TEST

START_TEST(falling_back) {
    gpugraph_run run = {.used_method = "count", .used_backend = "cuda"};
    ck_assert(!gg_fall_back(&run, "degrees", true));
    gg_fail(&run, GPUGRAPH_DEVICE_MEMORY, "12 bytes are needed and %d are free", 3);
    ck_assert(gg_stopping(&run));
    ck_assert(!gg_fall_back(&run, "degrees", false));
    ck_assert(gg_fall_back(&run, "degrees", true));
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    ck_assert(!gg_stopping(&run));
    ck_assert_str_eq(run.used_backend, "cpu");
    ck_assert(strstr(run.why, "12 bytes are needed and 3 are free") != NULL);
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

/* Rows of all lengths that are sorted in ways of their own, over parts that one thread or
** several take in turn; what is there twice makes parts shrink by different shares. */
START_TEST(simple_rows) {
    shape list[] = {shape_rmat(13, 16, 3), shape_star(70000), shape_complete(300),
                    shape_random_edges(3000, 60000, 5), shape_grid(100, 100)};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        shape *s = &list[i];
        for (int64_t e = 0, m = s->edges; e < m; e += 1 + e / (m / 4 + 1))
            shape_add(s, (uint32_t)s->target[e], (uint32_t)s->source[e]);
        shape_shuffle(s, 7);
        shape_renumber(s, 8);
        gpugraph_graph *graph = shape_graph(s);
        for (int threads = 1; threads <= 4; threads++) {
            gpugraph_run run = {.threads = threads};
            check_csr(graph, &run, CSR_SIMPLE, false, true);
            gg_free_csr(graph);
        }
        gpugraph_free(graph);
        shape_free(s);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("graph");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 240);
    tcase_add_test(all, small_inputs);
    tcase_add_test(all, large_inputs);
    tcase_add_test(all, simple_rows);
    tcase_add_test(all, bad_weights);
    tcase_add_test(all, negative_count);
    tcase_add_test(all, too_many_at_one_vertex);
    tcase_add_test(all, bad_text_number);
    tcase_add_test(all, interrupts);
    tcase_add_test(all, orders);
    tcase_add_test(all, hashes_belong_to_ids);
    tcase_add_test(all, methods_and_backends);
    tcase_add_test(all, lists);
    tcase_add_test(all, falling_back);
    tcase_add_test(all, first_failure_stands);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
