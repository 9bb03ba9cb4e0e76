/* Host functions for tests of kernels on CPU threads (cuda_lanes.h): rows in the device's
** layout, and the CPU's depths. Include it behind the kernels and expect.h. */
#ifndef TEST_LANES_GRAPHS_H
#define TEST_LANES_GRAPHS_H

#include <list>

/* Rows of a changed graph: in another order, with slack between them. */
struct row_pool {
    std::vector<uint64_t> begin, end;
    std::vector<uint32_t> target;
    std::vector<unsigned char> weight;
};

static device_csr scattered(const csr &rows, size_t weight_size) {
    static std::list<struct row_pool> pools; /* lives as long as the test */
    pools.emplace_back();
    struct row_pool &pool = pools.back();
    const unsigned char *weight = static_cast<const unsigned char *>(rows.weight);
    pool.begin.resize(rows.n + 1);
    pool.end.resize(rows.n + 1);
    for (uint32_t i = 0; i < rows.n; i++) {
        const uint32_t v = rows.n - 1 - i;
        const uint64_t first = rows.begin[v], end = rows.end[v];
        pool.begin[v] = pool.target.size();
        pool.target.insert(pool.target.end(), rows.target + first, rows.target + end);
        if (weight)
            pool.weight.insert(pool.weight.end(), weight + first * weight_size,
                               weight + end * weight_size);
        pool.end[v] = pool.target.size();
        pool.target.resize(pool.target.size() + v % 3, UINT32_MAX);
        pool.weight.resize(pool.target.size() * weight_size, 0xff);
    }
    return device_csr{rows.n,
                      rows.m,
                      pool.begin.data(),
                      pool.end.data(),
                      pool.target.data(),
                      weight ? pool.weight.data() : NULL};
}

/* Makes packed and scattered rows in turns. */
static device_csr rows_of(gpugraph_graph *graph, int kind, bool weighted) {
    static unsigned asked;
    gpugraph_run run = gpugraph_run();
    csr rows;
    ck_assert_int_eq(gg_rows(graph, (enum csr_kind)kind, weighted, false, &run, &rows),
                     GPUGRAPH_OK);
    if (asked++ % 2)
        return scattered(rows, gg_distance_size(graph->distance_type));
    return gg_packed_rows(rows.n, rows.m, rows.begin, rows.target, rows.weight);
}

static inline gpugraph_search search_from(const uint32_t *source,
                                          gpugraph_direction direction) {
    gpugraph_search search = gpugraph_search();
    search.source = source;
    search.source_count = 1;
    search.direction = direction;
    search.max_depth = GPUGRAPH_NONE;
    return search;
}

static inline std::vector<uint32_t> depths_of(gpugraph_graph *graph, uint32_t source,
                                              gpugraph_direction direction) {
    std::vector<uint32_t> depth(graph->n);
    const gpugraph_search search = search_from(&source, direction);
    gpugraph_run run = gpugraph_run();
    run.backend = GPUGRAPH_CPU;
    gpugraph_bfs(graph, &search, &run, depth.data(), NULL);
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    return depth;
}

struct lighter { /* made like gpu/sssp/light_arcs.cu */
    std::vector<uint32_t> offset;
    std::vector<uint64_t> arc;
};

static inline struct lighter lighten(const device_csr &g, uint32_t most) {
    struct lighter l;
    const uint32_t *weight = static_cast<const uint32_t *>(g.weight);
    for (uint32_t v = 0; v <= g.n; v++) {
        l.offset.push_back((uint32_t)l.arc.size());
        for (uint64_t i = v < g.n ? g.begin[v] : 0; v < g.n && i < g.end[v]; i++)
            if (weight[i] <= most)
                l.arc.push_back((uint64_t)weight[i] << 32 | g.target[i]);
    }
    l.arc.push_back(0); /* the array must exist */
    return l;
}

#endif
