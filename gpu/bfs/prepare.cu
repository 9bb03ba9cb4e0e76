/* What the bottom-up look needs beside the transpose: made once for a graph and a
** direction, kept with the device's copy.
**
**     hub[v]    of the first GG_BFS_HUB_ARCS vertices with an arc to v the one with most arcs
**     closed    bit v: nobody has an arc to v, so no search finds it */
#include "bfs.cuh"
#include "graph/device_copy.cuh"

/* The degree and the number of a hub in one word: the larger wins. */
typedef unsigned long long candidate;

static __device__ __forceinline__ candidate larger(candidate a, candidate b) {
    return a > b ? a : b;
}

/* One warp to 32 rows, one row after the other; a bit of `closed` for each. */
static __global__ void find_hubs(const __grid_constant__ device_csr g,
                                 const __grid_constant__ device_csr rows, uint32_t *hub,
                                 uint32_t *closed, uint64_t words) {
    uint64_t word = gg_thread() / GG_WARP;
    for (; word < words; word += gg_threads_of_grid() / GG_WARP) {
        uint64_t v = word * 32 + gg_lane();
        uint64_t begin = v < rows.n ? rows.offset[v] : 0;
        uint64_t end = v < rows.n ? rows.offset[v + 1] : 0;
        uint32_t mine = GPUGRAPH_NONE;
        unsigned bits = __ballot_sync(ALL_LANES, begin == end);
        for (unsigned open = ~bits; open; open &= open - 1) {
            int row = __ffs(open) - 1;
            uint64_t first = __shfl_sync(ALL_LANES, (unsigned long long)begin, row);
            uint64_t last = __shfl_sync(ALL_LANES, (unsigned long long)end, row);
            if (last - first > GG_BFS_HUB_ARCS)
                last = first + GG_BFS_HUB_ARCS;
            candidate best = 0;
            for (uint64_t i = first + gg_lane(); i < last; i += GG_WARP) {
                uint32_t u = rows.target[i];
                uint32_t arcs = (uint32_t)(g.offset[u + 1] - g.offset[u]);
                best = larger(best, (candidate)arcs << 32 | ~u);
            }
            for (int step = GG_WARP / 2; step > 0; step /= 2)
                best = larger(best, __shfl_xor_sync(ALL_LANES, best, step));
            if ((int)gg_lane() == row)
                mine = ~(uint32_t)best;
        }
        if (v < rows.n)
            hub[v] = mine;
        if (gg_lane() == 0)
            closed[word] = bits;
    }
}

bool gg_bfs_below(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                  struct bfs_below *below) {
    if (!gg_device_csr(job, kind, false, &below->rows))
        return false;
    struct device_graph *copy = job->graph->device;
    struct device_hubs *hubs = &copy->hubs[kind];
    uint64_t words = gg_hub_words(copy->n);
    double started = gg_now_ms();
    if (!hubs->closed) {
        bool made = take(job, &hubs->hub, copy->n, sizeof *hubs->hub) &&
                    take(job, &hubs->closed, words, sizeof *hubs->closed);
        if (made) {
            find_hubs<<<gg_grid(job, words * 32, 8), GG_BLOCK, 0, job->stream>>>(
                *g, below->rows, hubs->hub, hubs->closed, words);
            made = gg_launched(job, "find_hubs") && gg_wait(job);
        }
        if (!made) { /* what a kernel that never ran has left would be taken for hubs */
            give(copy, hubs->hub, copy->n, sizeof *hubs->hub);
            give(copy, hubs->closed, words, sizeof *hubs->closed);
            *hubs = device_hubs();
            return false;
        }
        gg_phase(job->run, "prepare", started, copy->n,
                 "the neighbour with most arcs of each vertex, on the device");
    }
    below->hub = hubs->hub;
    below->closed = hubs->closed;
    return gg_going(job);
}
