/* Hashes of ids: of the value, not of the number, and spread evenly. */
#include "backend.h"
#include "edge_input.h"
#include "suite.h"

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

int main(void) {
    Suite *suite = suite_create("hash_ids");
    TCase *all = tcase_create("all");
    tcase_add_test(all, hashes_belong_to_ids);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
