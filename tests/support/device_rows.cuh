/* Compares the rows of a graph on a device with those of the host. */
#ifndef GPUGRAPH_TEST_DEVICE_ROWS_CUH
#define GPUGRAPH_TEST_DEVICE_ROWS_CUH

#include "graph/graph.cuh"
#include "graph/graph.h"
#include "assertions.h"

#include <string.h>

#include <algorithm>
#include <vector>

static void same_bytes(const void *a, const void *b, size_t bytes, const char *what) {
    ck_assert_msg((a == NULL) == (b == NULL), "%s is there on one side alone", what);
    if (a)
        ck_assert_msg(memcmp(a, b, bytes) == 0, "%s differs", what);
}

struct arc {
    uint32_t target;
    uint64_t weight;
    bool operator<(const arc &other) const {
        return target != other.target ? target < other.target : weight < other.weight;
    }
    bool operator==(const arc &other) const {
        return target == other.target && weight == other.weight;
    }
};

static uint64_t weight_at(const void *weight, size_t size, uint64_t i) {
    return !weight     ? 0
           : size == 4 ? ((const uint32_t *)weight)[i]
                       : ((const uint64_t *)weight)[i];
}

template <typename type>
static std::vector<type> fetched(const void *from, uint64_t count) {
    std::vector<type> to(count + 1);
    ck_assert_int_eq(
        cudaMemcpy(to.data(), from, count * sizeof(type), cudaMemcpyDeviceToHost),
        cudaSuccess);
    return to;
}

static void same_rows(gpugraph_graph *graph, gpugraph_run *run, enum csr_kind kind,
                      bool weighted) {
    struct cuda_job job;
    struct device_csr there;
    csr here;
    weighted = weighted && graph->weight && kind != CSR_SIMPLE;
    size_t size = gg_distance_size(graph->distance_type);
    gg_begin(run);
    ck_assert_int_eq(gg_rows(graph, kind, weighted, true, run, &here), GPUGRAPH_OK);
    ck_assert_msg(gg_job_open(&job, graph, run), "%s", run->message);
    ck_assert_msg(gg_device_csr(&job, kind, weighted, &there), "%s", run->message);
    ck_assert_uint_eq(there.n, here.n);
    ck_assert_uint_eq(there.m, here.m);
    std::vector<uint64_t> begin = fetched<uint64_t>(there.begin, here.n),
                          end = fetched<uint64_t>(there.end, here.n);
    const uint64_t places = here.n ? *std::max_element(end.begin(), end.end()) : 0;
    std::vector<uint32_t> target = fetched<uint32_t>(there.target, places);
    std::vector<uint8_t> weight; /* bytes */
    if (weighted)
        weight = fetched<uint8_t>(there.weight, places * size);
    ck_assert_int_eq(gg_job_close(&job), GPUGRAPH_OK);
    for (uint64_t v = 0; v < here.n; v++) {
        std::vector<arc> have, want;
        for (uint64_t k = here.begin[v]; k < here.end[v]; k++)
            want.push_back(
                {here.target[k], weight_at(weighted ? here.weight : NULL, size, k)});
        for (uint64_t k = begin[v]; k < end[v]; k++)
            have.push_back(
                {target[k], weight_at(weighted ? weight.data() : NULL, size, k)});
        std::sort(have.begin(), have.end());
        std::sort(want.begin(), want.end());
        ck_assert_msg(have == want, "row %llu of kind %d differs", (unsigned long long)v,
                      (int)kind);
    }
}

#endif
