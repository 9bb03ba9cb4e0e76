/* Tree edges on the device: tree.c beside this has the rules.
**
**     edges by number   ->   tree_edge[v] = the smallest number of an edge u -> v where
**         depths        depth[u] + 1 = depth[v]
**         parents       u = parent[v]
**
** One pass over the edge list, an atomic minimum for each edge that fits; a load looks
** first, for most edges come too late. What costs is the gather of two values for each
** edge, so as few and as narrow ones as will do: of depths a byte, depth mod 255, from tables
** that mostly stay in the second-level cache. The pass is cut into parts; a vertex that has
** its edge after a part loses its byte, since all further edges have larger numbers.
**
** distance.cu makes the trees of distances. */
#include "pass.cuh"

/* ---- kernels: one thread per edge ---- */

/* Byte of a depth; NO_BYTE: not reached, or an edge is known. */
#define NO_BYTE 255u
enum { PARTS = 3, PART_GROWTH = 4 };

struct depth_bytes { /* of the vertices where an edge begins, and where it ends */
    uint8_t *from, *to;
    const uint32_t *depth; /* NULL: the bytes are the depths */
};

/* One thread per vertex. */
static __global__ void write_bytes(const uint32_t *depth, uint32_t n, depth_bytes b) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        b.from[v] = b.to[v] =
            (uint8_t)(depth[v] == GPUGRAPH_NONE ? NO_BYTE : depth[v] % NO_BYTE);
}

/* One thread per vertex. */
template <typename number>
static __global__ void drop_bytes(const number *tree_edge, uint32_t n, depth_bytes b) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        if (tree_edge[v] != ~(number)0)
            b.to[v] = NO_BYTE;
}

static __device__ __forceinline__ bool one_deeper(const depth_bytes &b, uint32_t from,
                                                  uint32_t to, uint32_t u, uint32_t v) {
    uint32_t next = from + 1 == NO_BYTE ? 0 : from + 1;
    return from != NO_BYTE && to == next && (!b.depth || b.depth[v] == b.depth[u] + 1);
}

/* One thread to four edges, from `begin`, a multiple of four, to `end`. */
template <typename number>
static __global__ void depth_tree(device_edges edges, ways ways, depth_bytes b,
                                  uint64_t begin, uint64_t end, number *tree_edge) {
    const uint64_t step = gg_threads_of_grid() * EDGES_A_THREAD;
    for (uint64_t e = begin + gg_thread() * EDGES_A_THREAD; e < end; e += step) {
        uint32_t s[EDGES_A_THREAD], t[EDGES_A_THREAD], from[EDGES_A_THREAD],
            to[EDGES_A_THREAD], back_from[EDGES_A_THREAD], back_to[EDGES_A_THREAD];
        uint32_t count = end - e < EDGES_A_THREAD ? (uint32_t)(end - e) : EDGES_A_THREAD;
        if (count == EDGES_A_THREAD) {
            load_four(edges.source + e, s);
            load_four(edges.target + e, t);
        }
#pragma unroll
        for (uint32_t i = 0; i < EDGES_A_THREAD; i++) {
            if (count < EDGES_A_THREAD) {
                s[i] = edges.source[e + (i < count ? i : 0)];
                t[i] = edges.target[e + (i < count ? i : 0)];
            }
            from[i] = ways.forward ? b.from[s[i]] : NO_BYTE;
            to[i] = ways.forward ? b.to[t[i]] : NO_BYTE;
            back_from[i] = ways.backward ? b.from[t[i]] : NO_BYTE;
            back_to[i] = ways.backward ? b.to[s[i]] : NO_BYTE;
        }
#pragma unroll
        for (uint32_t i = 0; i < EDGES_A_THREAD; i++) {
            if (i >= count)
                continue;
            if (one_deeper(b, from[i], to[i], s[i], t[i]))
                offer(tree_edge, t[i], (number)e + i);
            if (one_deeper(b, back_from[i], back_to[i], t[i], s[i]))
                offer(tree_edge, s[i], (number)e + i);
        }
    }
}

template <typename number>
static __global__ void parent_edges(device_edges edges, ways ways, const uint32_t *parent,
                                    number *tree_edge) {
    for (uint64_t e = gg_thread(); e < edges.m; e += gg_threads_of_grid()) {
        uint32_t s = edges.source[e], t = edges.target[e];
        if (ways.forward && parent[t] == s)
            offer(tree_edge, t, (number)e);
        if (ways.backward && parent[s] == t)
            offer(tree_edge, s, (number)e);
    }
}

/* ---- steps ---- */

template <typename number>
static bool make_depth_tree(struct cuda_job *job, gpugraph_direction direction,
                            const uint32_t *depth, uint32_t deepest, uint8_t *scratch,
                            number *tree_edge) {
    struct device_edges edges;
    if (!gg_begin_tree(job, false, &edges, tree_edge))
        return false;
    depth_bytes bytes = {scratch, scratch + edges.n, deepest < NO_BYTE ? NULL : depth};
    unsigned list = gg_grid(job, edges.n, 16);
    write_bytes<<<list, GG_BLOCK, 0, job->stream>>>(depth, edges.n, bytes);
    gg_launched(job, "write_bytes");
    uint64_t low = 0, high = edges.m;
    for (int part = 1; part < PARTS; part++)
        high /= PART_GROWTH;
    for (int part = 0; part < PARTS && gg_going(job); part++) {
        uint64_t end =
            part == PARTS - 1 ? edges.m : high / EDGES_A_THREAD * EDGES_A_THREAD;
        if (part > 0)
            drop_bytes<<<list, GG_BLOCK, 0, job->stream>>>(tree_edge, edges.n, bytes);
        depth_tree<<<gg_grid(job, (end - low) / EDGES_A_THREAD + 1, 8), GG_BLOCK, 0,
                     job->stream>>>(edges, ways_of(direction), bytes, low, end,
                                    tree_edge);
        gg_launched(job, "depth_tree");
        low = end;
        high *= PART_GROWTH;
    }
    return gg_going(job);
}

bool gg_device_depth_tree(struct cuda_job *job, gpugraph_direction direction,
                          const uint32_t *depth, uint32_t deepest, uint8_t *scratch,
                          void *tree_edge) {
    return job->graph->wide ? make_depth_tree(job, direction, depth, deepest, scratch,
                                              static_cast<wide_number *>(tree_edge))
                            : make_depth_tree(job, direction, depth, deepest, scratch,
                                              static_cast<uint32_t *>(tree_edge));
}

template <typename number>
static bool find_parent_edges(struct cuda_job *job, gpugraph_direction direction,
                              const uint32_t *parent, number *tree_edge) {
    struct device_edges edges;
    if (!gg_begin_tree(job, false, &edges, tree_edge))
        return false;
    return GG_LAUNCH(job, parent_edges, gg_grid(job, edges.m, 16), edges,
                     ways_of(direction), parent, tree_edge);
}

bool gg_device_parent_edges(struct cuda_job *job, gpugraph_direction direction,
                            const uint32_t *parent, void *tree_edge) {
    return job->graph->wide ? find_parent_edges(job, direction, parent,
                                                static_cast<wide_number *>(tree_edge))
                            : find_parent_edges(job, direction, parent,
                                                static_cast<uint32_t *>(tree_edge));
}
