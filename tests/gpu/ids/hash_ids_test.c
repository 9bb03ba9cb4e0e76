/* Hashes of ids: they depend on the id, not on the number, and are spread evenly. */
/* ctest: serial */
#include "ids/ids.h"
#include "edge_input.h"
#include "suite.h"

#include <string.h>

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
        uint32_t w;
        uint64_t length;
        if (v < ids->integer_count)
            w = gpugraph_find_integer(whole, ids->integer ? ids->integer[v]
                                                          : ids->first_integer + v);
        else {
            const char *text =
                gpugraph_text(&ids->texts, v - ids->integer_count, &length);
            w = gpugraph_find_text(whole, text, length);
        }
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

/* Finds every text, and no other, with any number of look-ups: the table is made
** meanwhile, again in a copy, and again after texts have changed. */
static void look_for_all(const gpugraph_graph *graph) {
    const gpugraph_ids *ids = gpugraph_vertex_ids(graph);
    const uint64_t count = (uint64_t)ids->texts.count;
    for (int turn = 0; turn < 3; turn++) {
        for (uint32_t t = 0; t < count; t++) {
            uint64_t length;
            const char *text = gpugraph_text(&ids->texts, t, &length);
            char other[200];
            ck_assert_uint_eq(gpugraph_find_text(graph, text, length),
                              ids->integer_count + t);
            ck_assert_uint_lt(length, sizeof other - 9);
            memcpy(other, text, length);
            memcpy(other + length, "\1nowhere", 9);
            ck_assert_uint_eq(gpugraph_find_text(graph, other, length + 9),
                              GPUGRAPH_NONE);
        }
    }
    ck_assert((6 * count >= count / 16 + 64) == (gg_text_index_bytes(graph) > 0));
}

/* Adds an edge between two new texts, and compacts the graph: their numbers are not
** the last. */
static void add_texts(gpugraph_graph *graph, gpugraph_run *run) {
    const char bytes[] = "\1 new!new";
    const uint64_t offset[] = {0, 6, 9};
    const int64_t number[] = {0, 1}, id[] = {(int64_t)gpugraph_edge_count(graph) + 1};
    const uint8_t text = 1;
    gpugraph_edges added = {.count = 1,
                            .source = {number, &text},
                            .target = {number + 1, &text},
                            .edge_id = id,
                            .texts = {.count = 2, .offset = offset, .bytes = bytes}};
    gpugraph_changes changes = {.added = &added};
    uint64_t before = (uint64_t)gpugraph_vertex_ids(graph)->texts.count;
    ck_assert_int_eq(gpugraph_update(graph, &changes, run), GPUGRAPH_OK);
    ck_assert_uint_eq(gpugraph_later_vertices(graph), 2);
    ck_assert_uint_eq(gpugraph_vertex_ids(graph)->texts.count, before);
    ck_assert_int_eq(gpugraph_compact(graph, run), GPUGRAPH_OK);
    ck_assert_uint_eq(gpugraph_vertex_ids(graph)->texts.count, before + 2);
    ck_assert_uint_eq(gg_text_index_bytes(graph), 0);
}

START_TEST(texts_are_found_by_hash) {
    static const uint32_t sizes[] = {1, 30, 300, 2000};
    for (int i = 0; i < 12; i++) {
        recipe r = {SPARSE, DIGITS + i % 3, PLAIN, NO_WEIGHT, sizes[i / 3], 0, 1000};
        input in = make_input(r, 5 + (uint64_t)i);
        gpugraph_run run = {0};
        gpugraph_graph *graph, *copy;
        int64_t before, after, device;
        ck_assert_int_eq(gpugraph_create(&in.edges, &run, &graph), GPUGRAPH_OK);
        gpugraph_memory(graph, &before, &device);
        look_for_all(graph);
        gpugraph_memory(graph, &after, &device);
        ck_assert_int_eq(after - before, (int64_t)gg_text_index_bytes(graph));
        ck_assert_int_eq(gpugraph_clone(graph, &run, &copy), GPUGRAPH_OK);
        ck_assert_uint_eq(gg_text_index_bytes(copy), 0);
        look_for_all(copy);
        add_texts(copy, &run);
        look_for_all(copy);
        gpugraph_free(copy);
        look_for_all(graph);
        gpugraph_free(graph);
        free_input(&in);
    }
}
END_TEST

const struct suite suite = {
    "hash_ids",
    {{"all", .cases = {{&hashes_belong_to_ids}, {&texts_are_found_by_hash}}}},
};
