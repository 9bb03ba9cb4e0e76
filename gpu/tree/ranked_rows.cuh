/* Ranked rows on the device: arcs in the order of where they lead, with their edges' numbers
** (ranked_rows.h). */
#ifndef GPUGRAPH_RANKED_ROWS_CUH
#define GPUGRAPH_RANKED_ROWS_CUH

#include "device/cuda.cuh"

/* Makes them for trees by weight, where that pays, or for `path`s, and there is room, while
** nothing lies in the workspace yet; without them the job goes on. They stay as long as the edges
** do, or until memory is short. None where edge numbers are wide. */
bool gg_make_ranked_rows(struct cuda_job *job, gpugraph_direction direction, bool path);
/* Is it there? And is it worth it, by the last tree? */
bool gg_has_ranked_rows(const struct cuda_job *job, gpugraph_direction direction);
bool gg_ranked_rows_suit(const struct cuda_job *job, gpugraph_direction direction);
/* tree_edge: all none. most: room for so many distances as there are vertices. smallest: all bits
** before, then the smallest distance that is more than 0, if there is one. */
bool gg_tree_by_ranks(struct cuda_job *job, gpugraph_direction direction,
                      const void *distance, void *most, uint64_t *smallest,
                      uint32_t *tree_edge);
/* A tree was made, and that share of the arcs may be tight by weight and where they lead. */
void gg_note_tree(struct cuda_job *job, gpugraph_direction direction, double share);
/* The arcs that lead to a vertex when edges are travelled in a direction; two kinds in BOTH. */
struct device_arcs_to {
    const uint64_t *offset;
    const uint32_t *other, *number; /* where from, which edge; ascending by number */
    const void *weight;             /* NULL: the graph has none */
};
/* Returns how many kinds; 0: they are not there. */
int gg_device_arcs_to(const struct cuda_job *job, gpugraph_direction direction,
                      struct device_arcs_to kind[2]);

#endif
