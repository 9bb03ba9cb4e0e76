/* Breadth-first search, on either side. */
#ifndef GPUGRAPH_BFS_H
#define GPUGRAPH_BFS_H

#include "algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct share_member; /* device/share.h */

/* Where depths of searches from several sources belong, a row for each, and trees. */
struct bfs_results {
    uint32_t *const *depth;
    uint8_t *const
        *bytes; /* in place of depth, where that is NULL; BFS_NO_BYTE: not reached */
    void *const *tree_edge; /* NULL: no trees; so with bytes */
};

enum { BFS_NO_BYTE = UINT8_MAX };

/* Searches of a graph before one of them may make the transpose for bottom-up levels: it
** costs some three searches. */
#define GG_BFS_REVERSE_AFTER 1

/* A depth of a search may be, or is known to be, one that a byte has no room for. */
static inline bool gg_bfs_may_be_long(const gpugraph_search *search) {
    return search->max_depth >= BFS_NO_BYTE;
}
/* Rows that the searches need not fill any more. */
static inline bool gg_bfs_too_long(const gpugraph_graph *graph,
                                   const gpugraph_search *search,
                                   const struct bfs_results *rows) {
    return rows->bytes && gg_bfs_may_be_long(search) && gg_knows(&graph->known.long_ways);
}
/* A row of `depth` to one of bytes. Where there is no room for a depth, the graph knows
** it from now on. (each.c) */
void gg_bfs_keep_bytes(gpugraph_graph *graph, const gpugraph_run *run,
                       const uint32_t *depth, uint8_t *bytes);

typedef gpugraph_status bfs_entry(gpugraph_graph *, const gpugraph_search *,
                                  gpugraph_run *, uint32_t *depth, void *tree_edge);
/* From the sources that the member takes, a device of those that share them. */
typedef void bfs_each_entry(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                            const struct bfs_results *rows, struct share_member *);

extern const gg_algorithm gg_bfs;
/* The methods of the CPU. Their functions take tasks of bfs.c. */
enum { BFS_MULTI_SOURCE = 2 };
extern const gg_method gg_bfs_methods[];
extern const algorithm_side gg_bfs_cuda;
/* By several devices. (distributed/bfs) */
extern const algorithm_side gg_bfs_distributed;

/* On the CPU. */
gpugraph_status gg_cpu_bfs(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                           uint32_t *depth, void *tree_edge);
gpugraph_status gg_cpu_bfs_each(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                                const struct bfs_results *rows);
void gg_cuda_bfs_each(gpugraph_graph *, const gpugraph_search *, gpugraph_run *,
                      const struct bfs_results *rows, struct share_member *);

/* ---- on the CPU, from many sources at once ---- */

/* Searches that go on together: a bit of a word each. */
enum { GG_LANES = 64 };

/* The depths of the searches from up to GG_LANES sources. Bytes are not defined where the
** graph, for a depth that is too long, knows of it now. Phase "search". (batch.c) */
gpugraph_status gg_bfs_batch(gpugraph_graph *graph, const gpugraph_search *search,
                             gpugraph_run *run, const struct bfs_results *rows);

/* The trees of up to GG_LANES searches from their depths, as gg_depth_tree makes each of
** them, in one pass over the edges. Phase "parents". */
gpugraph_status gg_depth_trees(const gpugraph_graph *graph, gpugraph_direction direction,
                               gpugraph_run *run, uint32_t searches,
                               uint32_t *const *depth, void *const *tree_edge);

#ifdef __cplusplus
}
#endif
#endif
