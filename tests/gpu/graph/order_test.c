/* The order of vertices by values of a search, compared with qsort. */
#include "expect.h"
#include "graphs.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

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
    expect_equal(gpugraph_order(type, value, n, &run, order, &count), GPUGRAPH_OK);
    expect_equal(count, reached);
    for (uint32_t i = 0; i < reached; i++)
        expect_equal(order[i], want[i].v);
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

const struct suite suite = {
    "order",
    {{"all", .timeout = 60, .cases = {{&orders}}}},
};
