/* What the files of one shortest path on the device share:
**
**     path.cu             one call: a search, then the way back
**     both_ends.cu   the search from both ends
**     rows.cu        the way back along rows, without a tree
**     numbered_rows.cu    these rows */
#ifndef GPUGRAPH_PATH_CUH
#define GPUGRAPH_PATH_CUH

#include "bfs/bfs.cuh"
#include "sssp/sssp.cuh"

/* Distances, or depths, of one search that lie on the device. */
struct path_search {
    const gpugraph_search *wanted;
    bool weighted, both_ends;
    bool found;     /* the target is reached */
    uint32_t steps; /* by depth: to the target */
    struct sssp_outcome by_weight;
    struct bfs_outcome by_depth;
};

static inline const void *gg_path_distances(const struct path_search *s) {
    return s->weighted ? s->by_weight.distance : s->by_depth.depth;
}
/* Room for as many edge numbers as there are vertices: the tree's, while there is none. */
static inline void *gg_path_room(const struct path_search *s) {
    return s->weighted ? s->by_weight.tree : s->by_depth.tree;
}

/* path.cu: sets `found` and, by depth, `steps` from the distances of the search. */
bool gg_look_at_target(struct cuda_job *job, gpugraph_distance_type type,
                       const void *distance, struct path_search *s);

/* A device's way back to the source has come to `vertex`, after so many steps. */
struct path_walk {
    uint32_t steps, vertex;
};
enum { PATH_HEAD = 2 }; /* numbers before the edges, which go from the target on */

/* numbered_rows.cu: the arcs that lead to a vertex when edges are travelled in a
** direction; two kinds in BOTH. */
struct device_arcs_to {
    const uint64_t *offset;
    const uint32_t *other, *number; /* where from, which edge; ascending by number */
    const void *weight;             /* NULL: the graph has none */
};
/* Returns how many kinds; 0: they are not there. */
int gg_device_arcs_to(const struct cuda_job *job, gpugraph_direction direction,
                      struct device_arcs_to kind[2]);
/* Makes them where there is room, while nothing lies in the workspace yet; without
** them the job goes on. They stay as long as the edges do, or until memory is short.
** None where edge numbers are wide. */
bool gg_make_numbered_rows(struct cuda_job *job, gpugraph_direction direction);

/* rows.cu: from the target along rows that are there (gg_device_arcs_to), no more than `most`
** steps; `room` as walk_up's. It ends at a vertex all of whose edges tie, too. */
bool gg_walk_back(struct cuda_job *job, const struct path_search *s, uint32_t most,
                  void *room, struct path_walk *walk);

/* both_ends.cu. *open: the search from the source has to find it; else *s is set. */
bool gg_search_from_both_ends(struct cuda_job *job, const gpugraph_search *search,
                              bool weighted, struct path_search *s, bool *open);
/* By weight: is the way likely to have many steps? */
bool gg_way_is_long(const struct cuda_job *job, gpugraph_direction direction);
/* Does `auto` search from both ends? */
bool gg_both_ends_suit(struct cuda_job *job, const gpugraph_search *search,
                       bool weighted);

#endif
