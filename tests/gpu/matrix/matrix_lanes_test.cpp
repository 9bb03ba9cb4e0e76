/* The steps of a matrix on a device (gpu/matrix/steps.cuh) on CPU threads (cuda_lanes.h):
** cells against the CPU's, by every kind of weight and by depth. After each step no place
** may be on a list twice, and no place on the near list may be served. Several blocks
** lower places that others serve. */
#include "cuda_lanes.h"
#include "graph/graph.h"

#define GPUGRAPH_WARP_H /* the part of the warp layer that the steps call */
static inline void device_store(uint32_t *at, uint32_t value) {
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}
static inline uint32_t warp_sum_before(uint32_t value, uint32_t *total) {
    uint32_t sum = value;
    for (unsigned step = 1; step < GG_WARP; step *= 2) {
        const uint32_t other = __shfl_up_sync(ALL_LANES, sum, step);
        sum += gg_lane() >= step ? other : 0;
    }
    *total = __shfl_sync(ALL_LANES, sum, GG_WARP - 1);
    return sum - value;
}
/* graph/frontier.cuh */
static inline bool gg_last_block(uint32_t *ticket) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        if (last)
            *ticket = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}

/* Warnings that nvcc does not give. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wextra"
#include "matrix/steps.cuh"

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
}
#include "lanes_graphs.h"

enum { BLOCKS = 3, THREADS = 64, ROWS = 6, TARGETS = 5 };

static void run_kernel(const void *, void *) {} /* no kernel is cooperative */

struct arrays {
    std::vector<uint32_t> near[2], far[2], served, done;
    struct matrix_state state;
};

/* A list has each place once, and none of the near places was served. */
static void expect_list(const std::vector<uint32_t> &list, uint32_t count,
                        uint64_t places, const uint32_t *served, const char *name) {
    std::vector<bool> there(places);
    for (uint32_t i = 0; i < count; i++) {
        expect(!there[list[i]], "place %u is twice on the %s list", list[i], name);
        there[list[i]] = true;
        if (served)
            expect(!(served[list[i] / 32] >> list[i] % 32 & 1), "place %u is served",
                   list[i]);
    }
}

template <typename type>
static void search(matrix_rows<type> *r, struct arrays *a,
                   std::vector<typename type::word> *distance) {
    const uint64_t places = (uint64_t)r->rows * r->arcs.n;
    distance->assign(places, no_way<type>());
    a->served.assign(places / 32 + 1, 0);
    a->done.assign(r->rows, 0);
    a->state = matrix_state();
    a->state.edge = type::from_real(r->delta);
    a->state.least = ~(matrix_word)0;
    a->state.near = r->rows;
    for (int i = 0; i < 2; i++) {
        a->near[i].assign(places, 0);
        a->far[i].assign(places, 0);
        r->near[i] = a->near[i].data();
        r->far[i] = a->far[i].data();
    }
    r->distance = distance->data();
    r->served = a->served.data();
    r->done = a->done.data();
    r->state = &a->state;
    run_grid(1, THREADS, [=] { begin_rows(*r); });
    while (a->state.near > 0 || a->state.far > 0) {
        run_grid(BLOCKS, THREADS, [=] { take_step(*r); });
        expect_list(a->near[a->state.side], a->state.near, places, r->served, "near");
        expect_list(a->far[a->state.far_side], a->state.far, places, NULL, "far");
    }
}

template <typename type>
static void check(gpugraph_graph *graph, gpugraph_search *s, bool weighted,
                  double delta) {
    std::vector<typename type::word> right((size_t)ROWS * TARGETS), distance;
    gpugraph_run run = gpugraph_run();
    run.backend = GPUGRAPH_CPU;
    matrix_rows<type> r = {};
    struct arrays a;
    gpugraph_matrix(graph, s, weighted, &run, right.data());
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    r.arcs = rows_of(graph, gg_forward_kind(s->direction), weighted);
    if (!weighted)
        r.arcs.weight = NULL;
    r.rows = ROWS;
    r.targets = TARGETS;
    r.source = const_cast<uint32_t *>(s->source);
    r.target = const_cast<uint32_t *>(s->target);
    r.bound = s->bounded ? (typename type::word)s->max_distance : type::unreached() - 1;
    r.bounded = s->bounded;
    r.delta = delta;
    search(&r, &a, &distance);
    for (uint32_t i = 0; i < ROWS * TARGETS; i++) {
        auto d = distance[(uint64_t)(i / TARGETS) * r.arcs.n + s->target[i % TARGETS]];
        d = d == no_way<type>() ? type::unreached() : d;
        expect(d == right[i], "cell %u: %llx, not %llx", i, (unsigned long long)d,
               (unsigned long long)right[i]);
    }
}

/* ---- graphs ---- */

static void check_shape(shape s, uint64_t seed) {
    std::vector<int64_t> small(s.edges + 1), large(s.edges + 1);
    std::vector<double> tenths(s.edges + 1);
    uint32_t source[ROWS], target[TARGETS];
    uint64_t luck = seed;
    for (int64_t e = 0; e < s.edges; e++) {
        small[e] = (int64_t)(shape_random(&luck) % 9);
        large[e] = small[e] << 33;
        tenths[e] = (double)small[e] * 0.1;
    }
    for (uint32_t &v : source)
        v = (uint32_t)(shape_random(&luck) % s.vertices);
    for (uint32_t &v : target)
        v = (uint32_t)(shape_random(&luck) % s.vertices);
    gpugraph_search search = search_from(source, (gpugraph_direction)(seed % 3));
    search.source_count = ROWS;
    search.target = target;
    search.target_count = TARGETS;
    gpugraph_graph *by_small = shape_weighed(&s, false, small.data(), NULL),
                   *by_large = shape_weighed(&s, false, large.data(), NULL),
                   *by_real = shape_weighed(&s, false, NULL, tenths.data());
    for (uint64_t delta = 1; delta <= 16; delta *= 16) {
        check<integer32>(by_small, &search, true, (double)delta);
        check<integer64>(by_large, &search, true, (double)(delta << 33));
        check<real>(by_real, &search, true, (double)delta * 0.1);
    }
    check<integer32>(by_small, &search, false, 1);
    search.bounded = true;
    search.max_distance = 11;
    check<integer32>(by_small, &search, true, 4);
    gpugraph_free(by_small);
    gpugraph_free(by_large);
    gpugraph_free(by_real);
    shape_free(&s);
}

START_TEST(grids) {
    for (uint64_t seed = 1; seed <= 3; seed++)
        if (!left_out(seed)) {
            shape grid = shape_grid(19, 23);
            shape_renumber(&grid, seed);
            check_shape(grid, seed);
        }
}
END_TEST

/* Some rows have many arcs, so that a warp takes them. */
START_TEST(random_ones) {
    for (uint64_t seed = 1; seed <= 6; seed++)
        if (!left_out(seed))
            check_shape(
                shape_random_edges(seed % 2 ? 300 : 20, seed % 2 ? 900 : 2000, seed),
                seed);
}
END_TEST

START_TEST(chains_and_what_is_apart) {
    check_shape(shape_path(200), 1);
    check_shape(shape_random_edges(200, 120, 5), 2);
}
END_TEST

const struct suite suite = {
    .name = "matrix_lanes",
    .groups = {{.name = "matrix_lanes",
                .timeout = 240,
                .cases = {{&grids}, {&random_ones}, {&chains_and_what_is_apart}}}},
};
