/* What the tests of kernels on CPU threads (cuda_lanes.h) ask of the host: rows as the device has them, and
** the CPU's depths. Included behind the kernels and expect.h. */
#ifndef TEST_LANES_GRAPHS_H
#define TEST_LANES_GRAPHS_H

static device_csr rows_of(gpugraph_graph *graph, int kind, bool weighted) {
    gpugraph_run run = gpugraph_run();
    csr rows;
    ck_assert_int_eq(gg_csr(graph, (enum csr_kind)kind, weighted, false, &run, &rows),
                     GPUGRAPH_OK);
    return device_csr{rows.n, rows.m, rows.offset, rows.target, rows.weight};
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

struct lighter { /* as gpu/graph/device_light_arcs.cu makes them */
    std::vector<uint32_t> offset;
    std::vector<uint64_t> arc;
};

static inline struct lighter lighten(const device_csr &g, uint32_t most) {
    struct lighter l;
    const uint32_t *weight = static_cast<const uint32_t *>(g.weight);
    for (uint32_t v = 0; v <= g.n; v++) {
        l.offset.push_back((uint32_t)l.arc.size());
        for (uint64_t i = g.offset[v]; v < g.n && i < g.offset[v + 1]; i++)
            if (weight[i] <= most)
                l.arc.push_back((uint64_t)weight[i] << 32 | g.target[i]);
    }
    l.arc.push_back(0); /* there is an array */
    return l;
}

#endif
