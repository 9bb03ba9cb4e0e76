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

#endif
