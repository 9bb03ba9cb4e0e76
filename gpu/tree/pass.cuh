/* What passes over the edges share that make tree edges: tree.cu and distance.cu. */
#ifndef GPUGRAPH_TREE_PASS_CUH
#define GPUGRAPH_TREE_PASS_CUH

#include "graph/frontier.cuh"
#include "tree.cuh"

/* Edge numbers of 64 bits, as atomics know them. `number` below is this or uint32_t. */
typedef unsigned long long wide_number;

/* e is offered to v. No edge is the largest number, so it loses against all. */
template <typename number>
static __device__ __forceinline__ void offer(number *tree_edge, uint32_t v, number e) {
    if (e < gg_peek(&tree_edge[v]))
        atomicMin(&tree_edge[v], e);
}

struct ways { /* in which an edge may be travelled */
    bool forward, backward;
};

static inline struct ways ways_of(gpugraph_direction direction) {
    return ways{direction != GPUGRAPH_IN, direction != GPUGRAPH_OUT};
}

enum { EDGES_A_THREAD = 4 };

/* Four entries of an array that begins at a multiple of 16 bytes, as streams are read. */
template <typename type>
static __device__ __forceinline__ void load_four(const type *from,
                                                 type (&to)[EDGES_A_THREAD]) {
    const int parts = sizeof to / sizeof(uint4);
    static_assert(parts * sizeof(uint4) == sizeof to, "whole reads");
#pragma unroll
    for (int i = 0; i < parts; i++)
        reinterpret_cast<uint4 *>(to)[i] =
            __ldcs(reinterpret_cast<const uint4 *>(from) + i);
}

/* The edges, and no tree edge for any vertex. */
static inline bool gg_begin_tree(struct cuda_job *job, bool weighted,
                                 struct device_edges *edges, void *tree_edge) {
    return gg_device_edges(job, weighted, edges) &&
           gg_fill(job, tree_edge, 0xff, gg_tree_bytes(job, true));
}

#endif
