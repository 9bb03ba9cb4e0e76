/* Each allocation of each function over partitions fails once. All partitions must then
** end with one error; no partition waits forever, and no memory leaks. */
/* ctest: wrap=memory */
#include "part_threads.h"
#include "distributed/partition/part.h"
#include "base/limits.h"

#include "expect.h"
#include "failing_memory.h"
#include "graphs.h"
#include "share.h"
#include "suite.h"

enum { VERTICES = 60, EDGES = 150, PARTS = 3, FUNCTIONS = 6 };

static uint64_t source[EDGES], target[EDGES];
static int64_t weight[EDGES], edge_id[EDGES];
static uint32_t hash[VERTICES];

static void draw_edges(void) {
    uint64_t seed = 5;
    for (int e = 0; e < EDGES; e++) {
        source[e] = shape_random(&seed) % VERTICES;
        target[e] = shape_random(&seed) % VERTICES;
        weight[e] = (int64_t)(shape_random(&seed) % 4);
        edge_id[e] = e;
    }
}

struct job {
    int function;
    gpugraph_partition partition;
};

static gpugraph_status search(const struct job *j, gpugraph_part *p, gpugraph_run *run) {
    static const uint64_t from[1] = {7};
    static const gpugraph_part_ranks how = {0.85, 0, 3, NULL, 0};
    uint64_t value[VERTICES], parent[VERTICES];
    int64_t edge[VERTICES];
    const gpugraph_part_tree tree = {parent, edge};
    uint32_t depth[VERTICES], iterations;
    uint8_t member[VERTICES];
    double change;
    switch (j->function) {
    case 0:
        return gpugraph_part_bfs(p, from, 1, UINT32_MAX, run, depth, &tree);
    case 1:
        return gpugraph_part_sssp(p, from, 1, NULL, run, value, &tree);
    case 2:
        return gpugraph_part_mis(p, GPUGRAPH_BY_DEGREE, hash, run, member);
    case 3:
        return gpugraph_part_components(p, GPUGRAPH_WEAK, run, value);
    case 4:
        return gpugraph_part_components(p, GPUGRAPH_STRONG, run, value);
    default:
        return gpugraph_part_pagerank(p, &how, run, (double *)value, &iterations,
                                      &change);
    }
}

static gpugraph_status run_part(void *job, gpugraph_exchange *x, gpugraph_run *run) {
    const struct job *j = job;
    const uint64_t low = gg_slice(EDGES, (int)x->part, PARTS),
                   high = gg_slice(EDGES, (int)x->part + 1, PARTS);
    const gpugraph_share share = {.vertices = VERTICES,
                                  .count = high - low,
                                  .source = source + low,
                                  .target = target + low,
                                  .weight_type = GPUGRAPH_INTEGER_WEIGHTS,
                                  .weight = weight + low,
                                  .edge_id = edge_id + low};
    const bool simple = j->function == 2;
    gpugraph_part *p;
    if (gpugraph_part_create(x, &share, j->partition,
                             simple ? GPUGRAPH_BOTH : GPUGRAPH_OUT, simple, run,
                             &p) != GPUGRAPH_OK)
        return run->status;
    const gpugraph_status status = search(j, p, run);
    gpugraph_part_free(p);
    return status;
}

START_TEST(allocations) {
    struct job j = {_i % FUNCTIONS, (gpugraph_partition)(_i / FUNCTIONS)};
    bool hit = true;
    draw_edges();
    gg_limits.part_gathered = j.partition == GPUGRAPH_GRID ? 1 << 20 : 0;
    for (int n = 1; hit; n++) {
        if (n > 3 && left_out((uint64_t)n) && n % 5)
            continue;
        gpugraph_run run = {.threads = 1};
        const long held = heap_blocks();
        fail_from(n, n % 3 == 0);
        const gpugraph_status status = gpugraph_in_parts(PARTS, run_part, &j, &run);
        hit = fail_no_more();
        expect(status == (hit ? GPUGRAPH_NO_MEMORY : GPUGRAPH_OK),
               "function %d, partition %d, allocation %d: %s", j.function, j.partition, n,
               run.message);
        expect(heap_blocks() == held, "function %d, allocation %d: %ld blocks leak",
               j.function, n, heap_blocks() - held);
    }
}
END_TEST

const struct suite suite = {
    "parts_faults",
    {{"parts_faults", .timeout = 120, .cases = {{&allocations, 3 * FUNCTIONS}}}},
};
