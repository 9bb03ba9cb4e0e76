/* Runs the check for symmetry on graphs whose symmetry is known. The program includes a
** second copy of the check, whose hash is always 0, so that its sum excludes no graph. */
#include <set>
#include <utility>
#include <vector>

extern "C" {
#include "expect.h"
#include "graphs.h"
#include "suite.h"
}
#undef fail /* a macro of Check, and a member of C++ streams */
#include "graph/frontier.cuh"

#define gg_fixed_hash(x)   ((uint64_t)0 * (x))
#define gg_device_symmetry symmetry_by_transpose
#define gg_known_symmetric known_by_transpose
#include "graph/device_symmetry.cu"
#undef gg_fixed_hash
#undef gg_device_symmetry
#undef gg_known_symmetric

typedef std::vector<std::pair<int64_t, int64_t>> pairs;

/* Tests both copies of the check, each on a new graph. */
static void check(const pairs &edges, int64_t n, bool symmetric, const char *name) {
    std::vector<int64_t> id, source, target;
    for (int64_t v = 0; v < n; v++)
        id.push_back(v);
    for (const auto &edge : edges) {
        source.push_back(edge.first);
        target.push_back(edge.second);
    }
    for (int by_transpose = 0; by_transpose < 2; by_transpose++) {
        gpugraph_edges list = gpugraph_edges();
        list.count = (int64_t)edges.size();
        list.source.value = source.data();
        list.target.value = target.data();
        list.vertex_count = n;
        list.vertex.value = id.data();
        gpugraph_run run = gpugraph_run();
        gpugraph_graph *graph;
        gpugraph_create(&list, &run, &graph);
        ck_assert_msg(run.status == GPUGRAPH_OK, "%s", run.message);
        struct cuda_job job;
        enum symmetry found;
        ck_assert_msg(gg_job_open(&job, graph, &run), "%s", run.message);
        for (int again = 0; again < 2; again++) {
            bool done = by_transpose ? symmetry_by_transpose(&job, &found)
                                     : gg_device_symmetry(&job, &found);
            ck_assert_msg(done, "%s: %s", name, run.message);
            expect((found == SYMMETRIC) == symmetric && found != SYMMETRY_UNKNOWN,
                   "%s is%s symmetric, by the transpose %d", name,
                   symmetric ? "" : " not", by_transpose);
        }
        expect(gg_known_symmetric(graph) == symmetric, "%s: not remembered", name);
        gg_job_close(&job);
        gpugraph_free(graph);
    }
}

/* A graph has arcs in both directions, in order, with some loops. Then one arc is
** removed, doubled, moved, or out of order. */
START_TEST(nearly_symmetric) {
    uint64_t seed = (uint64_t)_i + 1;
    for (int64_t n : {1, 2, 33, 700}) {
        std::set<std::pair<int64_t, int64_t>> all;
        for (int64_t i = 0; i < 3 * n; i++) {
            int64_t u = (int64_t)(shape_random(&seed) % (uint64_t)n);
            int64_t v = (int64_t)(shape_random(&seed) % (uint64_t)n);
            all.insert({u, v});
            all.insert({v, u});
        }
        pairs right(all.begin(), all.end());
        check(right, n, true, "both ways");
        size_t at = shape_random(&seed) % right.size();
        for (size_t i = 0; i < right.size() && right[at].first == right[at].second; i++)
            at = (at + 1) % right.size();
        if (right[at].first == right[at].second)
            continue;
        pairs wrong = right;
        wrong.erase(wrong.begin() + (int64_t)at);
        check(wrong, n, false, "an arc is missing");
        wrong = right;
        wrong.insert(wrong.begin() + (int64_t)at, wrong[at]);
        check(wrong, n, false, "an arc is there twice");
        std::set<std::pair<int64_t, int64_t>> moved = all;
        moved.erase(right[at]);
        for (int64_t v = 0; v < n && moved.size() < all.size(); v++)
            if (!all.count({right[at].first, v}) && v != right[at].first)
                moved.insert({right[at].first, v});
        if (moved.size() == all.size())
            check(pairs(moved.begin(), moved.end()), n, false, "an arc is elsewhere");
        wrong = right;
        std::swap(wrong[at], wrong[at ? at - 1 : 1]);
        check(wrong, n, false, "out of order");
    }
    check(pairs(), 5, true, "no edges");
}
END_TEST

const struct suite suite = {
    .name = "device_symmetry",
    .groups = {{.name = "device_symmetry",
                .timeout = 60,
                .cases = {{&nearly_symmetric, 6}}}},
    .needs_device = true,
    .no_forks = true,
};
