/* Columns of 4 bytes an entry make the graph that columns of 8 make, for all ids,
** weights, owners and numbers of threads. After a failure no memory leaks. */
/* ctest: wrap=memory wrap=clock_gettime */
#include "graph/graph.h"
#include "edge_input.h"
#include "expect.h"
#include "failing_memory.h"
#include "leaping_clock.h"
#include "share.h"
#include "suite.h"

enum { BOTH_ENDS = INTEGER_KINDS, NEGATIVE, COUNTED, HALF_FAR, NARROW_KINDS };

/* Ids of no kind of edge_input.h: the ends of int32_t, negative, from 0 on, far apart. */
static int64_t narrow_integer(uint64_t r, int kind) {
    switch (kind) {
    case BOTH_ENDS:
        return r % 2 ? INT32_MAX - (int64_t)(r / 2 % 50)
                     : INT32_MIN + (int64_t)(r / 2 % 50);
    case NEGATIVE:
        return -(int64_t)(r % 3000) - 5;
    case COUNTED:
        return (int64_t)(r % 400);
    default:
        return (int32_t)(uint32_t)(r % 4000 * 2654435761u);
    }
}

static void change_integers(input *in, int kind) {
    int64_t *const value[] = {in->source, in->target, in->vertex};
    uint8_t *const text[] = {in->source_text, in->target_text, in->vertex_text};
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < (k == 2 ? in->edges.vertex_count : in->edges.count); i++)
            if (!(text[k][i / 8] >> i % 8 & 1))
                value[k][i] = narrow_integer(shape_random(&in->random), kind);
}

/* NULL if a value does not fit. */
static int32_t *narrowed(const int64_t *value, int64_t count) {
    int32_t *to = malloc((size_t)(count + 1) * sizeof *to);
    for (int64_t i = 0; i < count; i++) {
        to[i] = (int32_t)value[i];
        if (to[i] != value[i]) {
            free(to);
            return NULL;
        }
    }
    return to;
}

static void *copied(const void *from, size_t bytes) {
    void *to = from ? malloc(bytes + 1) : NULL;
    if (to)
        memcpy(to, from, bytes);
    return to;
}

/* The columns with 4 bytes an entry: bit k. */
enum { WEIGHTS = 8, ALL_WIDTHS = 16 };
typedef struct widths {
    gpugraph_edges edges;
    int32_t *narrow[4];
} widths;

static gpugraph_id_column *column_of(gpugraph_edges *edges, int k) {
    return k == 0 ? &edges->source : k == 1 ? &edges->target : &edges->vertex;
}

/* False: an id or a weight does not fit. */
static bool narrow_columns(const input *in, unsigned which, widths *to) {
    *to = (widths){.edges = in->edges};
    for (int k = 0; k < 3; k++) {
        gpugraph_id_column *column = column_of(&to->edges, k);
        const int64_t count = k == 2 ? in->edges.vertex_count : in->edges.count;
        if (!(which >> k & 1))
            continue;
        to->narrow[k] = narrowed(column->value, count);
        if (!to->narrow[k])
            return false;
        column->value32 = to->narrow[k];
        column->value = NULL;
    }
    if (!(which & WEIGHTS))
        return true;
    if (in->edges.weight_type == GPUGRAPH_INTEGER_WEIGHTS)
        to->narrow[3] = narrowed(in->weight, in->edges.count);
    to->edges.weight32 = to->narrow[3];
    to->edges.weight = NULL;
    return to->narrow[3];
}

static void free_columns(widths *w) {
    for (int k = 0; k < 4; k++)
        free(w->narrow[k]);
}

/* Copies in memory of malloc, which the library takes over. */
static gpugraph_edges given_away(const gpugraph_edges *from) {
    gpugraph_edges to = *from;
    const size_t count = (size_t)from->count;
    for (int k = 0; k < 2; k++) {
        gpugraph_id_column *column = column_of(&to, k);
        column->value = copied(column->value, count * 8);
        column->value32 = copied(column->value32, count * 4);
        column->is_text = copied(column->is_text, count / 8 + 1);
    }
    to.weight = copied(to.weight, count * 8);
    to.weight32 = copied(to.weight32, count * 4);
    to.edge_id = copied(to.edge_id, count * 8);
    to.take_over = true;
    return to;
}

static void same_words(const uint32_t *a, const uint32_t *b, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        expect(a[i] == b[i], "entry %llu is %u, not %u", (unsigned long long)i, b[i],
               a[i]);
}

static void same_graphs(const gpugraph_graph *a, const gpugraph_graph *b) {
    const gpugraph_ids *x = gpugraph_vertex_ids(a), *y = gpugraph_vertex_ids(b);
    const gpugraph_edge_list *e = gpugraph_edges_of(a), *f = gpugraph_edges_of(b);
    const uint64_t m = gpugraph_edge_count(a);
    expect_equal(gpugraph_vertex_count(a), gpugraph_vertex_count(b));
    expect_equal(m, gpugraph_edge_count(b));
    expect_equal(x->integer_count, y->integer_count);
    expect_equal(x->texts.count, y->texts.count);
    expect_equal(!x->integer, !y->integer);
    expect_equal(x->first_integer, y->first_integer);
    for (uint32_t v = 0; x->integer && v < x->integer_count; v++)
        expect_equal(x->integer[v], y->integer[v]);
    for (int64_t t = 0; t < x->texts.count; t++)
        expect_equal(x->texts.offset[t + 1], y->texts.offset[t + 1]);
    if (x->texts.count)
        expect_equal(memcmp(x->texts.bytes, y->texts.bytes,
                            (size_t)x->texts.offset[x->texts.count]),
                     0);
    same_words(e->source, f->source, m);
    same_words(e->target, f->target, m);
    expect_equal(gpugraph_distance_type_of(a), gpugraph_distance_type_of(b));
    expect_equal(memcmp(a->weight, b->weight, m * gg_distance_size(a->distance_type)), 0);
    expect_equal(!e->edge_id, !f->edge_id);
}

static int checked;       /* graphs of columns of 4 bytes */
static int of_long_paths; /* those whose weights of 4 bytes became 8 */

/* Compares columns of every width, kept and given away, with columns of 8 bytes. */
static void check_widths(const input *in) {
    gpugraph_run one = {.threads = 1};
    gpugraph_graph *wide, *narrow;
    ck_assert_int_eq(gpugraph_create(&in->edges, &one, &wide), GPUGRAPH_OK);
    for (unsigned which = 1; which < ALL_WIDTHS; which++)
        for (int threads = 1; threads <= 4; threads += 3)
            for (int away = 0; away < 2; away++) {
                gpugraph_run run = {.threads = threads};
                widths w;
                if (narrow_columns(in, which, &w)) {
                    const gpugraph_edges edges = away ? given_away(&w.edges) : w.edges;
                    ck_assert_msg(gpugraph_create(&edges, &run, &narrow) == GPUGRAPH_OK,
                                  "%s", run.message);
                    same_graphs(wide, narrow);
                    of_long_paths +=
                        w.narrow[3] && narrow->distance_type == GPUGRAPH_UINT64;
                    gpugraph_free(narrow);
                    checked++;
                }
                free_columns(&w);
            }
    gpugraph_free(wide);
}

static input input_of(int kind, int texts, int64_t m, uint64_t seed) {
    static const enum edge_ids edge_ids[] = {PLAIN, ASCENDING, SHUFFLED};
    static const enum weights weights[] = {REAL, SMALL, HUGE_WEIGHT, WIDE};
    recipe r = {kind < INTEGER_KINDS ? kind : DENSE,
                texts,
                edge_ids[seed % 3],
                weights[seed % 4],
                m,
                (int64_t)(seed % 4) * 20,
                1 + seed * 37 % 2000};
    input in = make_input(r, seed);
    if (kind >= INTEGER_KINDS)
        change_integers(&in, kind);
    return in;
}

START_TEST(small_columns) {
    for (int kind = 0; kind < NARROW_KINDS; kind++)
        for (int texts = 0; texts < TEXT_KINDS; texts++)
            for (int64_t m = 0; m < 400; m = m * 3 + 1) {
                input in = input_of(kind, texts, m, (uint64_t)(m + texts + 7 * kind));
                check_widths(&in);
                free_input(&in);
            }
    /* Without edges every id fits: these kinds have ids beyond int32_t. */
    ck_assert_int_gt(checked, 4 * 7 * 6 * (NARROW_KINDS - 3) * TEXT_KINDS);
    ck_assert_int_gt(of_long_paths, 100);
}
END_TEST

/* For every path of several threads, with several portions of a column for each. */
START_TEST(large_columns) {
    static const int kinds[] = {DENSE, GAPS, BOTH_ENDS, NEGATIVE, COUNTED, HALF_FAR, ONE};
    const int kind = kinds[_i / 2];
    if (left_out((uint64_t)_i))
        return;
    input in = input_of(kind, _i % 2 ? DIGITS : NO_TEXTS, 150000, (uint64_t)_i + 3);
    check_widths(&in);
    /* Ids of each width, and weights if they fit. */
    ck_assert_int_eq(checked, _i % 2 ? 28 : 28 + 32);
    free_input(&in);
}
END_TEST

/* An id that fits only the other width: 2^31 and INT32_MIN are different vertices. */
START_TEST(mixed_widths) {
    int64_t source[] = {INT32_MAX, (int64_t)INT32_MAX + 1, -1, UINT32_MAX};
    int32_t target[] = {INT32_MIN, INT32_MAX, -1, 0};
    gpugraph_edges edges = {.count = 4, .source.value = source, .target.value32 = target};
    gpugraph_run run = {.threads = 1};
    gpugraph_graph *graph;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_OK);
    const int64_t sorted[] = {INT32_MIN, -1, 0, INT32_MAX, (int64_t)INT32_MAX + 1,
                              UINT32_MAX};
    ck_assert_uint_eq(gpugraph_vertex_count(graph), 6);
    for (uint32_t v = 0; v < 6; v++)
        ck_assert_uint_eq(gpugraph_find_integer(graph, sorted[v]), v);
    const uint32_t from[] = {3, 4, 1, 5}, to[] = {0, 3, 1, 2};
    ck_assert_mem_eq(gpugraph_edges_of(graph)->source, from, sizeof from);
    ck_assert_mem_eq(gpugraph_edges_of(graph)->target, to, sizeof to);
    gpugraph_free(graph);
}
END_TEST

START_TEST(bad_text_number) {
    const int32_t source[] = {0, -1}, target[] = {0, 0};
    const uint8_t is_text = 2;
    const uint64_t offset[] = {0, 1};
    gpugraph_edges edges = {.count = 2,
                            .source = {.value32 = source, .is_text = &is_text},
                            .target.value32 = target,
                            .texts = {1, offset, "a"}};
    gpugraph_run run = {.threads = 1};
    gpugraph_graph *graph;
    ck_assert_int_eq(gpugraph_create(&edges, &run, &graph), GPUGRAPH_INVALID);
    ck_assert_str_eq(run.message, "text number -1 is not one of the 1 texts");
}
END_TEST

/* ---- failures ---- */

static int questions_left;

static int ask(void *listener) {
    (void)listener;
    return questions_left-- <= 0;
}

/* Every kind of mapping: consecutive, bitmap, hashing, texts; columns are given away. */
static const int failing[] = {COUNTED, GAPS, HALF_FAR, NEGATIVE};
enum { FAILING = sizeof failing / sizeof *failing };

START_TEST(allocations) {
    bool hit = true;
    input in = input_of(failing[_i / 2], _i % 2 ? BYTES : NO_TEXTS, 200,
                        _i % 3 ? 7 : 5); /* long paths, or short ones */
    for (int n = 1; hit; n++) {
        widths w;
        gpugraph_run run = {.threads = 1};
        gpugraph_graph *graph;
        ck_assert(narrow_columns(&in, 3 | WEIGHTS, &w));
        const long held = heap_blocks();
        const gpugraph_edges edges = given_away(&w.edges);
        fail_from(n, n % 2);
        const gpugraph_status status = gpugraph_create(&edges, &run, &graph);
        hit = fail_no_more();
        gpugraph_free(graph);
        const long leak = heap_blocks() - held; /* before Check allocates blocks */
        ck_assert_int_eq(status, hit ? GPUGRAPH_NO_MEMORY : GPUGRAPH_OK);
        ck_assert_int_eq(leak, 0);
        free_columns(&w);
    }
    free_input(&in);
}
END_TEST

START_TEST(interrupts) {
    if (left_out((uint64_t)_i))
        return;
    input in = input_of(failing[_i], NO_TEXTS, 200000, _i % 2 ? 7 : 5);
    gpugraph_status status = GPUGRAPH_INTERRUPTED;
    int n;
    for (n = 0; status == GPUGRAPH_INTERRUPTED; n++) {
        widths w;
        gpugraph_run run = {.backend = GPUGRAPH_CPU, .threads = 1, .interrupted = ask};
        gpugraph_graph *graph;
        ck_assert(narrow_columns(&in, 3 | WEIGHTS, &w));
        const long held = heap_blocks();
        const gpugraph_edges edges = given_away(&w.edges);
        questions_left = n;
        leaping = true;
        status = gpugraph_create(&edges, &run, &graph);
        leaping = false;
        const bool made = graph != NULL;
        gpugraph_free(graph);
        const long leak = heap_blocks() - held;
        ck_assert(status == (made ? GPUGRAPH_OK : GPUGRAPH_INTERRUPTED));
        ck_assert_int_eq(leak, 0);
        free_columns(&w);
    }
    ck_assert_int_gt(n, 8); /* ids of a column are surveyed and numbered in portions */
    free_input(&in);
}
END_TEST

const struct suite suite = {
    "narrow_ids",
    {{"all", .timeout = 120,
      .cases = {{&small_columns},
                {&large_columns, 14},
                {&mixed_widths},
                {&bad_text_number},
                {&allocations, 2 * FAILING},
                {&interrupts, FAILING}}}},
};
