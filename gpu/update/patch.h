/* Applies a batch of changes to the copy of a graph on a device.
**
**     host                                    device
**     the batch                 ----------->  slab tables of the edges (patch_store.cu)
**     pieces of remaining       ----------->  source, target, weight (patch.cu)
**     edges, added edges
**     numbers of vertices whose ----------->  rows, read from the tables and written
**     rows change                             into a pool (rewrite.cu, row_pool.h)
**
** If there are no tables, or the pool is full, rows are freed, and rebuilt from the edges
** on need. This header also computes positions in the arrays of edges. */
#ifndef GPUGRAPH_PATCH_H
#define GPUGRAPH_PATCH_H

#include "splice.h"
#include "base/warp.h"
#include "graph_data.h"

#ifdef __cplusplus
extern "C" {
#endif

struct update;

/* Applies the batch to the device copy; fails only if the run must end. */
void gg_cuda_follow(struct update *u);
/* Compares the copy with the graph (gpugraph_check_copy). */
gpugraph_status gg_cuda_check_copy(gpugraph_graph *graph, gpugraph_run *run);
/* Makes the tables of an existing copy; fails only if the run must end. */
void gg_cuda_make_store(gpugraph_graph *graph, gpugraph_run *run);
/* The functions above, for the host; NULL without nvcc. */
struct patch_services {
    void (*follow)(struct update *);
    gpugraph_status (*check)(gpugraph_graph *, gpugraph_run *);
    void (*make)(gpugraph_graph *, gpugraph_run *);
};
extern const struct patch_services gg_patches;

#ifdef __cplusplus
}
#endif

/* ---- positions ---- */

#define PATCH_NEW UINT64_MAX /* no old position: an inserted element */

/* Returns the number of pieces that begin at or before new position `to`. */
WARP_FUNCTION uint64_t patch_pieces_to(const splice_piece *piece, uint64_t pieces,
                                       uint64_t to) {
    uint64_t low = 0, high = pieces;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (piece[middle].to <= to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the old position of the element at new position `to`. The caller may leave out
** pieces that cannot contain `to`. */
WARP_FUNCTION uint64_t patch_old_place(const splice_piece *piece, uint64_t pieces,
                                       uint64_t to) {
    uint64_t begun = patch_pieces_to(piece, pieces, to);
    if (begun == 0)
        return PATCH_NEW;
    const splice_piece *in = &piece[begun - 1];
    return to - in->to < in->count ? in->from + (to - in->to) : PATCH_NEW;
}

/* Returns the first piece that overlaps positions `to` and later. */
WARP_FUNCTION uint64_t patch_first_piece(const splice_piece *piece, uint64_t pieces,
                                         uint64_t to) {
    uint64_t begun = patch_pieces_to(piece, pieces, to);
    return begun ? begun - 1 : 0;
}

/* Returns the first new position of a moved element; s->after if no element moves. */
static inline uint64_t patch_first_moved(const splice *s) {
    for (uint64_t k = 0; k < s->pieces && !s->still; k++)
        if (s->piece[k].to != s->piece[k].from)
            return s->piece[k].to;
    return s->after;
}

#endif
