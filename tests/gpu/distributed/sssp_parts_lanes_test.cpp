/* The engine "persistent" on several devices, unchanged, on CPU threads (cuda_lanes.h).
** Each member has a grid of small blocks, and all grids run at once. They synchronise by
** devices/barrier.cuh, or return at each barrier as without peer access, and the test
** moves their messages. Distances are compared with Dijkstra's. */
#define LANES_SHARED __thread
#include "cuda_lanes.h"

#include "device/services.h"

#define GG_PERSISTENT_BLOCK    64
#define GG_PERSISTENT_VERTICES 16
#define GG_PERSISTENT_SLICE    3 /* 8 arcs */

/* Warnings that nvcc does not give, and names that it has built in. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wextra"
typedef void *cudaStream_t;
#include "distributed/devices/several.cuh"

/* As in several.cuh for nvcc. */
static uint64_t several_round(const several_view &v) {
    return v.barrier.desk[v.me]->round;
}
static bool several_barrier_wait(const several_view &v, uint64_t round) {
    static __thread bool on;
    if (!v.barrier.peers)
        return false;
    __syncthreads();
    if (threadIdx.x == 0)
        on = several_barrier_by_one(&v.barrier, blockIdx.x, round);
    __syncthreads();
    return on;
}

#include "distributed/sssp/persistent_parts.cuh"
#include "sssp/persistent_plan.cuh"

static_assert(sizeof(block_memory<in_parts<real>>) <= sizeof memory, "shared memory");

static void run_kernel(const void *, void *) {
    abort();
}

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"
}
#include "lanes_graphs.h"

enum { BLOCKS = 2 };

/* ---- graphs ---- */

enum weights { SMALL, LARGE, SMALL_REAL, KINDS };

static gpugraph_graph *weighted_graph(const shape *s, enum weights weights,
                                      uint64_t seed) {
    std::vector<int64_t> whole((size_t)s->edges + 1);
    std::vector<double> tenths((size_t)s->edges + 1);
    for (int64_t e = 0; e < s->edges; e++) {
        whole[e] = (int64_t)(shape_random(&seed) % (seed % 3 ? 5 : 60));
        tenths[e] = (double)whole[e] * 0.1;
        if (weights == LARGE)
            whole[e] = (int64_t)1 << shape_random(&seed) % 50;
    }
    return shape_weighed(s, false, weights == SMALL_REAL ? NULL : whole.data(),
                         tenths.data());
}

/* A member's rows, by place. */
struct rows {
    std::vector<uint64_t> offset;
    std::vector<uint32_t> target;
    std::vector<char> weight;
};

static struct rows rows_of_member(const device_csr &g, const several_places *places,
                                  uint32_t p, size_t size) {
    struct rows r;
    r.offset.push_back(0);
    for (uint32_t i = 0; i < several_vertices(places, p); i++) {
        const uint64_t v = several_number_of(places, p, i);
        ck_assert(v < places->n &&
                  several_place(places, (uint32_t)v) == several_first(places, p) + i);
        for (uint64_t k = g.begin[v]; k < g.end[v]; k++) {
            r.target.push_back(several_place(places, g.target[k]));
            r.weight.insert(r.weight.end(), (const char *)g.weight + k * size,
                            (const char *)g.weight + (k + 1) * size);
        }
        r.offset.push_back(r.target.size());
    }
    r.weight.resize(r.weight.size() + size);
    return r;
}

/* ---- a search ---- */

template <typename type> struct member {
    struct rows rows, turned;
    struct lighter light;
    std::vector<uint32_t> list, mark, ends;
    std::vector<typename type::word> distance;
    std::vector<uint64_t> slice;
    std::vector<struct letter<type>> inbox[2], outbox;
    std::unique_ptr<struct persistent_state> state;
    std::unique_ptr<struct parts_course<type>> course;
    std::unique_ptr<struct several_desk> desk;
    struct parts_search<type> search;
};

struct plan { /* a case */
    gpugraph_graph *graph;
    gpugraph_search *search;
    uint32_t parts;
    bool peers, pulls;
    uint64_t seed;
};

static const struct several_combining combined = {1u << LEAST_INVERTED, 0};

static unsigned pulled,
    lightly; /* members that pulled, and that had light arcs, in all searches */

template <typename type>
static void make_member(const struct plan *plan, const several_places *places,
                        std::vector<struct member<type>> &all, uint32_t p,
                        const uint32_t *stop) {
    struct member<type> &m = all[p];
    const device_csr g =
        rows_of(plan->graph, gg_forward_kind(plan->search->direction), true);
    const uint64_t n = several_all_places(places);
    const size_t size = gg_distance_size(gpugraph_distance_type_of(plan->graph));
    m.rows = rows_of_member(g, places, p, size);
    for (uint32_t i = 0; i < plan->search->source_count; i++)
        m.ends.push_back(several_place(places, plan->search->source[i]));
    for (uint32_t i = 0; i < plan->search->target_count; i++)
        m.ends.push_back(several_place(places, plan->search->target[i]));
    struct sssp_search planned = sssp_search();
    planned.g =
        gg_packed_rows(several_vertices(places, p), m.rows.target.size(),
                       m.rows.offset.data(), m.rows.target.data(), m.rows.weight.data());
    planned.wanted = plan->search;
    planned.stop = stop;
    planned.parameters.fall = plan->seed % 2 ? 1e6 : 0;
    planned.parameters.delta = std::is_same<type, real>::value
                                   ? 0.3 * (double)(plan->seed % 40 + 1)
                                   : (double)(1ull << plan->seed % 9);
    if (plan->pulls) {
        m.turned = rows_of_member(
            rows_of(plan->graph, gg_reverse_kind(plan->search->direction), true), places,
            p, size);
        planned.transpose =
            gg_packed_rows(planned.g.n, planned.g.m, m.turned.offset.data(),
                           m.turned.target.data(), m.turned.weight.data());
        planned.parameters.pull =
            planned.parameters.delta * (double)(plan->seed / 3 % 4) / 2 + 1e-9;
    }
    if (plan->pulls && size == sizeof(uint32_t) && plan->seed % 7 > 0) {
        m.light = lighten(planned.g, gg_light_limit(&planned.parameters));
        planned.light =
            light_arcs{m.light.offset.data() - several_first(places, p),
                       m.light.arc.data(), gg_light_limit(&planned.parameters)};
    }
    m.distance.resize(n);
    m.list.resize(n * LISTS);
    m.mark.resize(n);
    m.slice.resize(2 * (m.rows.target.size() >> slice_of(g.m)) + 1);
    for (int turn = 0; turn < 2; turn++)
        m.inbox[turn].resize((uint64_t)places->stride * (plan->parts - 1) + 1);
    m.outbox.resize(m.inbox[0].size());
    m.state.reset(new struct persistent_state());
    m.course.reset(new struct parts_course<type>());
    m.desk.reset(new struct several_desk());
    struct persistent<type> *to = &m.search.p;
    to->state = m.state.get();
    to->distance = m.distance.data();
    to->list = m.list.data();
    to->mark = m.mark.data();
    to->slice = m.slice.data();
    to->slice_arcs = slice_of(g.m);
    to->ends = m.ends.data();
    set_up(&planned, to);
    to->vertices = n;
    to->first = several_first(places, p);
    to->crowd = plan->seed % 3 * places->n / 32;
    m.course->at.round = 1;
    m.course->at.bound = type::unreached();
    m.course->at.per_bucket = (typename type::span)(1 / to->delta);
}

/* Sets each member's pointers to the others, once all exist. */
template <typename type>
static void introduce(const struct plan *plan, const several_places *places,
                      std::vector<struct member<type>> &all, const uint32_t *stop) {
    for (uint32_t p = 0; p < plan->parts; p++) {
        struct parts_search<type> *s = &all[p].search;
        s->view = several_view();
        s->view.places = *places;
        s->view.me = s->view.barrier.me = p;
        s->view.first = several_first(places, p);
        s->view.barrier.parts = plan->parts;
        s->view.barrier.peers = plan->peers;
        s->view.barrier.blocks = BLOCKS;
        s->view.barrier.combining = combined;
        s->view.barrier.patience_ns = 60000000000u;
        s->view.barrier.stop = stop;
        for (uint32_t q = 0; q < plan->parts; q++) {
            s->distance.at[q] = all[q].distance.data();
            s->view.barrier.desk[q] = all[q].desk.get();
            s->inbox[0].at[q] = all[q].inbox[0].data();
            s->inbox[1].at[q] = all[q].inbox[1].data();
        }
        s->outbox = all[p].outbox.data();
        s->course = all[p].course.get();
    }
}

template <typename type> static void launch(std::vector<struct member<type>> &all) {
    std::vector<std::thread> devices;
    for (struct member<type> &m : all) {
        const struct parts_search<type> *s = &m.search;
        devices.emplace_back([=] {
            run_grid(BLOCKS, GG_PERSISTENT_BLOCK, [=] { find_shared_distances(*s); });
        });
    }
    for (std::thread &one : devices)
        one.join();
}

/* Moves messages and segments, as the host does if kernels do not reach each other. */
template <typename type>
static void carry(std::vector<struct member<type>> &all, uint32_t stride, uint64_t met) {
    struct several_outcome outcome = several_outcome();
    const uint32_t parts = (uint32_t)all.size(), turn = all[0].course->at.round % 2;
    for (struct member<type> &m : all)
        several_combine(&combined, outcome.word, m.desk->tally[met % 3].word);
    for (uint32_t p = 0; all[0].course->step == STEP_SHARE && p < parts; p++)
        for (struct member<type> &m : all)
            std::copy_n(all[p].distance.begin() + (long)p * stride, stride,
                        m.distance.begin() + (long)p * stride);
    for (uint32_t q = 0; q < parts; q++) {
        for (uint32_t p = 0; p < parts; p++) {
            const uint64_t count = all[p].desk->tally[met % 3].messages[q];
            outcome.messages[p] = count;
            if (p != q)
                std::copy_n(all[p].outbox.begin() + (long)several_box(p, q, stride),
                            count,
                            all[q].inbox[turn].begin() + (long)several_box(q, p, stride));
        }
        all[q].desk->outcome[met % 2] = outcome;
        all[q].desk->round = met + 1;
        all[q].desk->tally[(met + 2) % 3] = several_tally();
    }
}

/* Distances by number. False: a sum left the range. */
template <typename type>
static bool search_with(const struct plan *plan,
                        std::vector<typename type::word> &distance) {
    several_places places;
    std::vector<struct member<type>> all(plan->parts);
    static const uint32_t stop = 0;
    bool dropped = false;
    ck_assert(several_lay_out(&places, plan->graph->n, plan->parts, 5));
    for (uint32_t p = 0; p < plan->parts; p++)
        make_member(plan, &places, all, p, &stop);
    introduce(plan, &places, all, &stop);
    launch(all);
    for (uint64_t met = 0; !plan->peers && all[0].course->step != STEP_OVER; met++) {
        carry(all, places.stride, met);
        launch(all);
    }
    for (uint32_t p = 0; p < plan->parts; p++) {
        ck_assert(all[p].course->step == STEP_OVER && !all[p].state->failed);
        pulled += all[p].course->at.pulled;
        lightly += all[p].course->at.pulled && all[p].search.p.light.offset;
        dropped = dropped || (all[p].state->dropped && !all[p].course->early);
        for (uint32_t i = 0; i < several_vertices(&places, p); i++)
            distance[several_number_of(&places, p, i)] =
                all[p].distance[several_first(&places, p) + i];
    }
    return !dropped;
}

/* ---- the cases ---- */

template <typename type> static void check_search(const char *name, struct plan *plan) {
    typedef typename type::word word;
    const uint32_t n = plan->graph->n;
    std::vector<word> right(n), found(n);
    gpugraph_run run = gpugraph_run();
    gpugraph_search whole = *plan->search;
    whole.target_count = 0;
    whole.limit = 0;
    run.backend = GPUGRAPH_CPU;
    gpugraph_sssp(plan->graph, &whole, &run, right.data(), NULL);
    const bool within = search_with<in_parts<type>>(plan, found);
    if (run.status == GPUGRAPH_RANGE) {
        ck_assert(!within || plan->search->target_count > 0 || plan->search->limit > 0);
        return;
    }
    ck_assert(within);
    const bool early = plan->search->target_count > 0 || plan->search->limit > 0;
    uint64_t reached = 0, all = 0;
    for (uint32_t v = 0; v < n; v++) {
        reached += found[v] != type::unreached();
        all += right[v] != type::unreached();
        expect(found[v] == right[v] || (early && found[v] == type::unreached()),
               "%s, seed %llu, %u parts, peers %d: %u is at %llx, not %llx", name,
               (unsigned long long)plan->seed, plan->parts, plan->peers, v,
               (unsigned long long)found[v], (unsigned long long)right[v]);
    }
    for (uint32_t i = 0; i < plan->search->target_count; i++)
        expect(found[plan->search->target[i]] == right[plan->search->target[i]],
               "%s: target %u", name, plan->search->target[i]);
    expect(reached >= (plan->search->limit < all ? plan->search->limit : all),
           "%s: %llu in the limit", name, (unsigned long long)reached);
}

/* Takes a share of each kind of weights, so that the share is never empty. */
static void check_shape(const shape *s, bool pulls, uint64_t seed) {
    static uint64_t graphs;
    for (int kind = 0; kind < KINDS; kind++) {
        if (left_out(graphs++))
            continue;
        gpugraph_graph *graph = weighted_graph(s, (enum weights)kind, seed);
        for (int turn = 0; turn < 3; turn++) {
            uint32_t source[2], target;
            for (uint32_t &v : source)
                v = (uint32_t)(shape_random(&seed) % s->vertices);
            target = (uint32_t)(shape_random(&seed) % s->vertices);
            gpugraph_search search =
                search_from(source, (gpugraph_direction)(shape_random(&seed) % 3));
            search.source_count = turn == 1 ? 2 : 1;
            search.target = &target;
            search.target_count = turn == 2 && seed % 2;
            search.limit = turn == 2 && seed % 2 == 0 ? s->vertices / 2 + 1 : 0;
            search.bounded = turn == 1;
            search.max_distance = 12;
            search.max_real_distance = 1.2;
            struct plan plan = {
                graph, &search, (uint32_t)(seed / 5 % 4 + 1), seed / 3 % 3 > 0,
                pulls, seed};
            if (gpugraph_distance_type_of(graph) == GPUGRAPH_UINT32)
                check_search<integer32>(s->name, &plan);
            else if (gpugraph_distance_type_of(graph) == GPUGRAPH_UINT64)
                check_search<integer64>(s->name, &plan);
            else
                check_search<real>(s->name, &plan);
        }
        gpugraph_free(graph);
    }
}

START_TEST(random_graphs) {
    uint64_t seed = 3;
    for (int i = 0; i < 7; i++) {
        uint32_t n = (uint32_t)(shape_random(&seed) % 300) + 2;
        shape s = shape_random_edges(n, (int64_t)(shape_random(&seed) % (5 * n)), seed);
        check_shape(&s, i % 2 > 0, seed);
        shape_free(&s);
    }
}
END_TEST

/* Long paths, hubs, rows that are split into slices. */
START_TEST(shapes) {
    shape shapes[] = {shape_grid(13, 17), shape_rmat(8, 8, 5), shape_path(400),
                      shape_star(1500),   shape_comb(9, 5),    shape_rmat(9, 2, 9)};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_shape(&shapes[i], false, 5 * i + 1);
        shape_free(&shapes[i]);
    }
}
END_TEST

/* Vertices beyond a bound pull, with all sizes of crowds and all numbers of members. */
START_TEST(pulling) {
    pulled = lightly = 0;
    for (uint64_t i = 0; i < 8; i++) {
        shape s = i % 2 ? shape_rmat(8, 6, i) : shape_random_edges(200, 900, i);
        check_shape(&s, true, i);
        shape_free(&s);
    }
    if (!getenv("GPUGRAPH_TEST_SHARE")) { /* few seeds may have none */
        ck_assert_uint_gt(pulled, 0);
        ck_assert_uint_gt(lightly, 0);
    }
}
END_TEST

const struct suite suite = {
    .name = "sssp_parts_lanes",
    .groups = {{.name = "sssp_parts_lanes",
                .timeout = 240,
                .cases = {{&random_graphs}, {&shapes}, {&pulling}}}},
};
