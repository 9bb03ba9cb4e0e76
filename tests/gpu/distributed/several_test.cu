/* A graph on several devices: rows, barriers and answers are those of one device, with
** any number of members and any exchange. On a machine with one device the members share
** it, and the host moves their data; with two devices, kernels do. Skipped without a
** device. */
#include "graph/graph.h"
#include "bfs/bfs.h"
#include "mis/mis.h"
#include "distributed/devices/several.cuh"

extern "C" {
#include "graphs.h"
#include "several_number.h"
#include "share.h"
#include "suite.h"
}
#include "several_layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

static mis_entry *const find_by_several = GG_CALL_OF(mis_entry, &gg_mis_distributed);
static bfs_entry *const search_by_several = GG_CALL_OF(bfs_entry, &gg_bfs_distributed);

enum { PRIORITIES = 4 };

/* ---- rows ---- */

struct arc {
    uint32_t source, target;
    uint64_t weight;
    bool operator<(const arc &other) const {
        return source != other.source   ? source < other.source
               : target != other.target ? target < other.target
                                        : weight < other.weight;
    }
    bool operator==(const arc &other) const {
        return source == other.source && target == other.target && weight == other.weight;
    }
};

static uint64_t weight_at(const void *weight, size_t bytes, uint64_t i) {
    uint64_t value = 0;
    if (weight)
        memcpy(&value, (const char *)weight + i * bytes, bytes);
    return value;
}

/* Made by the CPU. */
static std::vector<arc> arcs_of_graph(gpugraph_graph *graph, int kind, bool weighted) {
    gpugraph_run run = gpugraph_run();
    csr g;
    std::vector<arc> list;
    gg_begin(&run);
    ck_assert_int_eq(gg_rows(graph, (enum csr_kind)kind, weighted, false, &run, &g),
                     GPUGRAPH_OK);
    for (uint32_t v = 0; v < g.n; v++)
        for (uint64_t i = g.begin[v]; i < g.end[v]; i++)
            list.push_back({v, g.target[i],
                            weight_at(weighted ? g.weight : NULL,
                                      gg_distance_size(graph->distance_type), i)});
    std::sort(list.begin(), list.end());
    return list;
}

/* Arcs of all members. Checks that every vertex is there once, that gaps are empty, and
** that SIMPLE rows are sorted. */
static std::vector<arc> arcs_of_parts(struct several_team *team,
                                      const struct several_parts *parts, int kind) {
    std::vector<arc> list;
    std::vector<uint8_t> seen(parts->places.n, 0);
    uint64_t longest = 0;
    for (int p = 0; p < team->parts; p++) {
        const struct several_rows *rows = &parts->rows[p];
        std::vector<uint64_t> offset(parts->places.stride + 1);
        std::vector<uint32_t> target(rows->arcs + 1);
        std::vector<char> weight(rows->arcs * parts->weight_bytes + 1);
        struct cuda_job *job = gg_several_on(team, p);
        gg_download(job, offset.data(), rows->offset, offset.size() * 8);
        gg_download(job, target.data(), rows->target, rows->arcs * 4);
        if (rows->weight)
            gg_download(job, weight.data(), rows->weight,
                        rows->arcs * parts->weight_bytes);
        ck_assert(gg_several_going(team));
        ck_assert_uint_eq(offset[0], 0);
        ck_assert_uint_eq(offset.back(), rows->arcs);
        for (uint32_t i = 0; i < parts->places.stride; i++) {
            uint64_t v = several_number_of(&parts->places, (uint32_t)p, i);
            ck_assert(offset[i] <= offset[i + 1]);
            ck_assert(v < parts->places.n || offset[i] == offset[i + 1]);
            if (v >= parts->places.n)
                continue;
            seen[v]++;
            longest = std::max(longest, offset[i + 1] - offset[i]);
            for (uint64_t k = offset[i]; k < offset[i + 1]; k++) {
                ck_assert(kind != CSR_SIMPLE || k == offset[i] ||
                          target[k - 1] < target[k]);
                list.push_back({(uint32_t)v,
                                (uint32_t)several_number(&parts->places, target[k]),
                                weight_at(rows->weight ? weight.data() : NULL,
                                          parts->weight_bytes, k)});
            }
        }
    }
    ck_assert(std::count(seen.begin(), seen.end(), 1) == (int64_t)parts->places.n);
    ck_assert_uint_eq(longest, parts->most_arcs);
    ck_assert_uint_eq(list.size(), parts->arcs);
    std::sort(list.begin(), list.end());
    return list;
}

static void check_rows(const shape *s, const std::vector<int64_t> &weight,
                       const struct layout *l) {
    gpugraph_graph *graph =
        weight.empty() ? shape_graph(s) : shape_weighed(s, false, weight.data(), NULL);
    struct several_team team;
    gpugraph_run run;
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        struct several_parts parts;
        bool weighted = !weight.empty() && kind != CSR_SIMPLE;
        begin_layout(&run, l);
        ck_assert_msg(gg_several_open(&team, graph, &run, l->ordinal, l->parts), "%s",
                      run.message);
        ck_assert_msg(gg_several_rows(&team, (enum csr_kind)kind, weighted, &parts), "%s",
                      run.message);
        bool same =
            arcs_of_parts(&team, &parts, kind) == arcs_of_graph(graph, kind, weighted);
        ck_assert_msg(same, "%s, kind %d, %d parts: other arcs", s->name, kind, l->parts);
        ck_assert_int_eq(gg_several_close(&team), GPUGRAPH_OK);
    }
    gg_limits.several_exchange = NULL;
    gpugraph_free(graph);
}

static std::vector<int64_t> some_weights(const shape *s, uint64_t seed, int64_t most) {
    std::vector<int64_t> weight((size_t)s->edges + 1);
    for (int64_t &w : weight)
        w = (int64_t)(shape_random(&seed) % (uint64_t)most);
    return weight;
}

START_TEST(rows_of_small_shapes) {
    shape s;
    for (int i = 0; shape_small(i, 3, &s); i++) {
        std::vector<int64_t> weight;
        if (i % 2)
            weight = some_weights(&s, (uint64_t)i, i % 4 == 1 ? 200 : INT64_C(1) << 40);
        for (const struct layout &l : layouts_in_turn((uint64_t)i, 2))
            if (!left_out((uint64_t)i))
                check_rows(&s, weight, &l);
        shape_free(&s);
    }
}
END_TEST

START_TEST(rows_of_larger_shapes) {
    shape shapes[] = {shape_rmat(13, 8, 4), shape_star(30000), shape_grid(120, 90)};
    uint64_t turn = 0;
    for (shape &s : shapes) {
        for (const struct layout &l : layouts_in_turn(turn++, 3)) {
            check_rows(&s, std::vector<int64_t>(), &l);
            check_rows(&s, some_weights(&s, 5, 100), &l);
        }
        shape_free(&s);
    }
}
END_TEST

/* ---- barriers ---- */

enum { BARRIERS = 2000 };

struct waiter {
    struct several_view view;
    uint32_t *wrong;
    uint64_t expected;
};

/* Every block of every member reports its number; the sums are compared. */
static __global__ void wait_often(const __grid_constant__ waiter m) {
    const several_view &v = m.view;
    for (uint64_t round = several_round(v); round < BARRIERS; round++) {
        if (threadIdx.x == 0) {
            if (round > several_round(v) &&
                (several_received(&v.barrier, round - 1, 0) != m.expected + round - 1 ||
                 several_received(&v.barrier, round - 1, 1) != v.places.parts ||
                 several_received_messages(&v.barrier, round - 1, 0) != round - 1))
                atomicAdd(m.wrong, 1u);
            several_report(&v.barrier, round, 0, blockIdx.x);
            several_report_largest(&v.barrier, round, 1, v.me + 1);
            if (blockIdx.x == 0 && v.me == 0) {
                several_report(&v.barrier, round, 0, round);
                for (uint32_t q = 0; q < v.places.parts; q++)
                    several_report_messages(&v.barrier, round, q, round);
            }
        }
        if (!several_barrier_wait(v, round))
            return;
    }
}

static const struct cooperative_kernel barrier = {(const void *)wait_often, "wait_often",
                                                  GG_BLOCK, 0};

struct waiters {
    struct several_team team;
    struct several_view view[SEVERAL_MOST];
    several_array<uint32_t> wrong;
    gpugraph_run run;
};

static void open_waiters(struct waiters *m, const struct layout *l) {
    struct several_places places;
    struct several_space space = {l->parts, {}, 0};
    ck_assert(several_lay_out(&places, 1000, (uint32_t)l->parts, SEVERAL_BLOCK_BITS));
    ck_assert_msg(gg_several_open(&m->team, NULL, &m->run, l->ordinal, l->parts), "%s",
                  m->run.message);
    const struct several_combining ways = {1u << 1, 0};
    gg_several_begin(&m->team, ways, &places, &barrier, m->view);
    m->wrong = gg_several_carve<uint32_t>(&space, 1);
    gg_several_workspace(&m->team, &space);
    m->wrong = gg_several_carve<uint32_t>(&space, 1);
    for (int p = 0; p < l->parts; p++)
        gg_fill(gg_several_on(&m->team, p), m->wrong.at[p], 0, 4);
    ck_assert(gg_several_going(&m->team));
}

/* Barriers of kernels, and barriers on the host, one for each launch. */
static void check_barriers(const struct layout *l, bool peers) {
    struct waiters m = {};
    uint64_t expected = 0;
    begin_layout(&m.run, l);
    gg_limits.several_exchange = peers ? "peer" : "copies";
    open_waiters(&m, l);
    for (int p = 0; p < l->parts; p++) {
        uint64_t blocks = m.view[p].barrier.blocks;
        expected += blocks * (blocks - 1) / 2;
    }
    struct waiter one[SEVERAL_MOST];
    for (int p = 0; p < l->parts; p++)
        one[p] = {m.view[p], m.wrong.at[p], expected};
    double began = gg_now_ms();
    if (peers) {
        ck_assert_msg(gg_several_launch(&m.team, m.view, one, sizeof *one), "%s",
                      m.run.message);
        printf("%d parts: a barrier takes %.2f us\n", l->parts,
               (gg_now_ms() - began) * 1e3 / (double)BARRIERS);
    } else {
        struct several_outcome outcome;
        for (uint64_t round = 0; round < 5; round++) {
            ck_assert(gg_several_launch(&m.team, m.view, one, sizeof *one));
            ck_assert(gg_several_barrier_on_host(&m.team, &outcome));
            ck_assert_uint_eq(outcome.word[0], expected + round);
            ck_assert_uint_eq(outcome.word[1], (uint64_t)l->parts);
        }
    }
    for (int p = 0; p < l->parts; p++) {
        uint32_t wrong = 1;
        gg_fetch(gg_several_on(&m.team, p), &wrong, m.wrong.at[p], 4);
        ck_assert_uint_eq(wrong, 0);
    }
    ck_assert_int_eq(gg_several_close(&m.team), GPUGRAPH_OK);
    gg_limits.several_exchange = NULL;
}

START_TEST(all_pass_barriers) {
    for (const struct layout &l : several_layouts()) {
        bool apart = true;
        if (l.exchange)
            continue;
        for (int p = 1; p < l.parts; p++)
            apart = apart && l.ordinal[p] != l.ordinal[p - 1];
        if (apart)
            check_barriers(&l, true);
        check_barriers(&l, false);
    }
}
END_TEST

static int asked;
static int interrupt_later(void *) {
    return ++asked > 5;
}

/* Launches one of two members only. */
static void wait_for_absent(struct waiters *m) {
    const struct layout pair = {2, {0, 0}, NULL};
    gg_limits.several_exchange = "peer";
    open_waiters(m, &pair);
    m->view[0].barrier.blocks = 1;
    struct waiter one = {m->view[0], m->wrong.at[0], 0};
    void *argument = &one;
    struct cuda_job *job = gg_several_on(&m->team, 0);
    gg_launch_cooperative(job, &barrier, 1, &argument);
}

START_TEST(a_device_that_never_comes) {
    const struct layout pair = {2, {0, 0}, NULL};
    struct waiters m = {};
    uint32_t trouble[2];
    begin_layout(&m.run, &pair);
    wait_for_absent(&m); /* with the usual patience: until the stop word */
    __atomic_store_n(m.team.member[0].job.device->stop, 1u, __ATOMIC_RELEASE);
    ck_assert(gg_several_wait(&m.team));
    gg_fetch(gg_several_on(&m.team, 0), trouble, &m.team.member[0].desk->trouble, 8);
    ck_assert_uint_eq(trouble[0], SEVERAL_STOPPED);
    gg_several_close(&m.team);

    memset(&m, 0, sizeof m);
    begin_layout(&m.run, &pair);
    gg_limits.several_exchange = "peer";
    open_waiters(&m, &pair);
    m.view[0].barrier.blocks = 1;
    m.view[0].barrier.patience_ns = 50000000;
    struct waiter one = {m.view[0], m.wrong.at[0], 0};
    void *argument = &one;
    double began = gg_now_ms();
    gg_launch_cooperative(gg_several_on(&m.team, 0), &barrier, 1, &argument);
    ck_assert(gg_several_wait(&m.team));
    ck_assert(gg_now_ms() - began < 1000);
    gg_fetch(gg_several_on(&m.team, 0), trouble, &m.team.member[0].desk->trouble, 8);
    ck_assert_uint_eq(trouble[0], SEVERAL_ABSENT);
    ck_assert_uint_eq(trouble[1], 1);
    gg_several_close(&m.team);
    gg_limits.several_exchange = NULL;
}
END_TEST

START_TEST(an_interrupt_ends_the_waiting) {
    const struct layout pair = {2, {0, 0}, NULL};
    struct waiters m = {};
    begin_layout(&m.run, &pair);
    m.run.interrupted = interrupt_later;
    asked = 0;
    wait_for_absent(&m);
    ck_assert(!gg_several_wait(&m.team));
    ck_assert_int_eq(gg_several_close(&m.team), GPUGRAPH_INTERRUPTED);
    gg_limits.several_exchange = NULL;
}
END_TEST

/* ---- sets ---- */

static std::vector<uint8_t> set_by_cpu(gpugraph_graph *graph, int priority,
                                       int64_t seed) {
    std::vector<uint8_t> member(graph->n + 1, 7);
    gpugraph_run run = gpugraph_run();
    run.backend = GPUGRAPH_CPU;
    gpugraph_mis(graph, (gpugraph_priority)priority, seed, &run, member.data());
    ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    return member;
}

static void check_set(gpugraph_graph *graph, int priority, int64_t seed,
                      const struct layout *l, const std::vector<uint8_t> &right,
                      const char *name) {
    std::vector<uint8_t> member(graph->n + 1, 7);
    gpugraph_run run = gpugraph_run();
    begin_layout(&run, l);
    find_by_several(graph, (gpugraph_priority)priority, seed, &run, member.data());
    layout_done(&run, l);
    ck_assert_msg(member == right, "%s, priority %d, %d parts, exchange %s: another set",
                  name, priority, l->parts, l->exchange ? l->exchange : "as chosen");
}

static void check_sets(const shape *s, int64_t seed, uint64_t turn, size_t layouts) {
    gpugraph_graph *graph = shape_graph(s);
    for (int priority = 0; priority < PRIORITIES; priority++) {
        const std::vector<uint8_t> right = set_by_cpu(graph, priority, seed);
        for (const struct layout &l : layouts_in_turn(turn, layouts))
            check_set(graph, priority, seed, &l, right, s->name);
    }
    gpugraph_free(graph);
}

START_TEST(sets_of_small_shapes) {
    shape s;
    for (int i = 0; shape_small(i, 1, &s); i++) {
        if (!left_out((uint64_t)i))
            check_sets(&s, i - 2, (uint64_t)i, 1);
        shape_free(&s);
    }
}
END_TEST

START_TEST(sets_of_larger_shapes) {
    shape list[] = {shape_path(5000),      shape_star(100000),
                    shape_comb(2000, 3),   shape_grid(100, 100),
                    shape_rmat(16, 12, 4), shape_complete(300),
                    shape_empty(70000),    shape_random_edges(50000, 120000, 8)};
    uint64_t turn = 0;
    for (shape &s : list) {
        check_sets(&s, 5, turn++, 3);
        shape_free(&s);
    }
}
END_TEST

/* Two neighbours of equal degree and equal word: hashes decide, then numbers. */
START_TEST(ties) {
    shape s = shape_empty(40000);
    for (uint32_t v = 0; v + 1 < s.vertices; v += 2)
        shape_add(&s, v + 1, v);
    shape_renumber(&s, 3);
    check_sets(&s, 11, 0, 10);
    shape_free(&s);
}
END_TEST

START_TEST(no_memory_and_then_enough) {
    shape s = shape_rmat(16, 12, 4);
    gpugraph_graph *graph = shape_graph(&s);
    const std::vector<uint8_t> right = set_by_cpu(graph, 0, 1);
    for (const struct layout &l : several_layouts()) {
        if (l.exchange)
            continue;
        std::vector<uint8_t> member(graph->n);
        int refused = 0;
        for (int64_t limit = 65536; limit < INT64_C(1) << 32; limit *= 4) {
            gpugraph_run run;
            begin_layout(&run, &l);
            run.memory_limit = limit;
            gpugraph_release_device(graph);
            find_by_several(graph, GPUGRAPH_BY_DEGREE, 1, &run, member.data());
            ck_assert_msg(run.status == GPUGRAPH_OK ||
                              run.status == GPUGRAPH_DEVICE_MEMORY,
                          "%s", run.message);
            end_layout();
            refused += run.status != GPUGRAPH_OK;
            if (run.status == GPUGRAPH_OK)
                ck_assert(memcmp(member.data(), right.data(), graph->n) == 0);
        }
        ck_assert_int_gt(refused, 0);
        check_set(graph, 0, 1, &l, right, s.name);
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

START_TEST(interrupts) {
    shape s = shape_rmat(16, 12, 4);
    gpugraph_graph *graph = shape_graph(&s);
    const std::vector<uint8_t> right = set_by_cpu(graph, 0, 1);
    for (const struct layout &l : several_layouts()) {
        if (l.exchange)
            continue;
        std::vector<uint8_t> member(graph->n);
        gpugraph_run run;
        gpugraph_release_device(graph);
        begin_layout(&run, &l);
        run.interrupted = interrupt_later;
        asked = 5;
        find_by_several(graph, GPUGRAPH_BY_DEGREE, 1, &run, member.data());
        end_layout();
        ck_assert_int_eq(run.status, GPUGRAPH_INTERRUPTED);
        check_set(graph, 0, 1, &l, right, s.name);
    }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

/* ---- depths ---- */

struct depths {
    std::vector<uint32_t> depth, edge;
    bool operator==(const depths &other) const {
        return depth == other.depth && edge == other.edge;
    }
};

/* Depths by the CPU, or by a team with the layout l. */
static struct depths depths_of(gpugraph_graph *graph, const gpugraph_search *search,
                               const struct layout *l) {
    struct depths d = {std::vector<uint32_t>(graph->n + 1, 7),
                       std::vector<uint32_t>(graph->n + 1, 7)};
    gpugraph_run run = gpugraph_run();
    ck_assert(!graph->wide);
    if (l) {
        begin_layout(&run, l);
        search_by_several(graph, search, &run, d.depth.data(), d.edge.data());
        layout_done(&run, l);
    } else {
        run.backend = GPUGRAPH_CPU;
        gpugraph_bfs(graph, search, &run, d.depth.data(), d.edge.data());
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
    }
    return d;
}

/* After a search that may end early, targets have their depths, or as many vertices as
** the limit says, and no vertex has a wrong depth. */
static void check_early(const shape *s, const gpugraph_search *search,
                        const struct depths &got, const struct depths &full) {
    uint64_t reached = 0, final = 0;
    for (uint32_t v = 0; v < s->vertices; v++) {
        reached += full.depth[v] != GPUGRAPH_NONE;
        final += got.depth[v] != GPUGRAPH_NONE;
        ck_assert_msg(got.depth[v] == GPUGRAPH_NONE || got.depth[v] == full.depth[v],
                      "%s: %u has depth %u", s->name, v, got.depth[v]);
    }
    for (uint32_t i = 0; i < search->target_count; i++)
        ck_assert_uint_eq(got.depth[search->target[i]], full.depth[search->target[i]]);
    ck_assert(search->target_count > 0 || final >= std::min(reached, search->limit));
}

/* Every direction, several times, because later searches also go bottom-up. */
static void check_depths(const shape *s, uint64_t seed, size_t layouts) {
    gpugraph_graph *graph = shape_graph(s);
    const std::vector<struct layout> list = layouts_in_turn(seed, layouts);
    for (int turn = 0; turn < 9 && s->vertices > 0; turn++) {
        uint32_t ends[6];
        for (uint32_t &end : ends)
            end = (uint32_t)(shape_random(&seed) % s->vertices);
        gpugraph_search search = {};
        search.source = ends;
        search.source_count = turn == 8 ? 3 : 1;
        search.direction = (gpugraph_direction)(turn % 3);
        search.max_depth = turn == 4 ? 2 : GPUGRAPH_NONE;
        search.target = ends + 3;
        search.target_count = turn == 5 || turn == 8 ? 3 : 0;
        search.limit = turn == 6 ? s->vertices / 3 + 1 : 0;
        gpugraph_search whole = search;
        whole.target_count = 0;
        whole.limit = 0;
        const bool early = search.target_count > 0 || search.limit > 0;
        const struct depths right = depths_of(graph, &whole, NULL);
        for (const struct layout &l : list) {
            const struct depths got = depths_of(graph, &search, &l);
            if (early)
                check_early(s, &search, got, right);
            else
                ck_assert_msg(got == right,
                              "%s, turn %d, %d parts, exchange %s: other depths", s->name,
                              turn, l.parts, l.exchange ? l.exchange : "as chosen");
        }
    }
    gpugraph_free(graph);
}

START_TEST(depths_of_small_shapes) {
    shape s;
    for (int i = 0; shape_small(i, 1, &s); i++) {
        if (!left_out((uint64_t)i))
            check_depths(&s, (uint64_t)i, 1);
        shape_free(&s);
    }
}
END_TEST

START_TEST(depths_of_larger_shapes) {
    shape list[] = {shape_path(100),       shape_star(100000),
                    shape_comb(40, 3),     shape_grid(30, 30),
                    shape_rmat(16, 12, 4), shape_complete(300),
                    shape_empty(70000),    shape_random_edges(50000, 120000, 8)};
    uint64_t seed = 5;
    for (shape &s : list) {
        check_depths(&s, seed++, 3);
        shape_free(&s);
    }
}
END_TEST

/* Kernels that use the same memory for different rows and copies, in turn. */
START_TEST(forms_in_turn) {
    shape s = shape_rmat(14, 12, 4);
    gpugraph_graph *graph = shape_graph(&s);
    const uint32_t source = 1;
    gpugraph_search search = {};
    search.source = &source;
    search.source_count = 1;
    search.max_depth = GPUGRAPH_NONE;
    const struct depths right = depths_of(graph, &search, NULL);
    const std::vector<uint8_t> set = set_by_cpu(graph, 0, 1);
    for (int turn = 0; turn < 3; turn++)
        for (const struct layout &l : several_layouts()) {
            if (l.exchange)
                continue;
            gpugraph_run run;
            std::vector<uint32_t> depth(graph->n);
            ck_assert(depths_of(graph, &search, &l) == right);
            check_set(graph, 0, 1, &l, set, s.name);
            begin_layout(&run, &l);
            ck_assert_int_eq(gpugraph_bfs(graph, &search, &run, depth.data(), NULL),
                             GPUGRAPH_OK);
            ck_assert(std::equal(depth.begin(), depth.end(), right.depth.begin()));
        }
    gpugraph_free(graph);
    shape_free(&s);
}
END_TEST

extern const struct suite suite = {
    .name = "several",
    .groups = {{.name = "rows",
                .timeout = 240,
                .cases = {{&rows_of_small_shapes}, {&rows_of_larger_shapes}}},
               {.name = "barrier",
                .timeout = 60,
                .cases = {{&all_pass_barriers},
                          {&a_device_that_never_comes},
                          {&an_interrupt_ends_the_waiting}}},
               {.name = "sets",
                .timeout = 240,
                .cases = {{&sets_of_small_shapes},
                          {&sets_of_larger_shapes},
                          {&ties},
                          {&no_memory_and_then_enough},
                          {&interrupts}}},
               {.name = "depths",
                .timeout = 240,
                .cases = {{&depths_of_small_shapes},
                          {&depths_of_larger_shapes},
                          {&forms_in_turn}}}},
    .needs_device = true,
};
