/* Rows of neighbours that rank higher, on the device. Counting triangles begins with
** them.
**
**     rank       vertices by degree, equal degrees by number
**     ahead[v]   the neighbours of v that rank higher, ascending by number */
#ifndef GPUGRAPH_AHEAD_CUH
#define GPUGRAPH_AHEAD_CUH

#include "graph/frontier.cuh"

struct ahead {
    uint32_t *count;  /* n + 1 */
    uint64_t *offset; /* n + 1 */
    uint32_t *target;
    unsigned char *scan;
    uint64_t scan_bytes;
};

/* For rows of CSR_SIMPLE. */
void gg_carve_ahead(struct workspace *space, const struct device_csr *g, struct ahead *a);
bool gg_device_ahead(struct cuda_job *job, const struct device_csr *g,
                     const struct ahead *a);

static __device__ __forceinline__ bool gg_ranks_higher(const device_csr &g, uint32_t u,
                                                       uint64_t degree, uint32_t v) {
    const uint64_t other = g.end[u] - g.begin[u];
    return other > degree || (other == degree && u > v);
}

/* The place of x in an ascending row, or the length of the row. */
static __device__ __forceinline__ uint32_t gg_place_in(const uint32_t *row,
                                                       uint32_t length, uint32_t x) {
    uint32_t low = 0, high = length;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (row[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < length && row[low] == x ? low : length;
}

#endif
