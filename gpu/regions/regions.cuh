/* A graph in regions: vertices near each other, few enough that a block searches among them in its shared
** memory. Made once for a graph and a direction; by these a long graph, whose levels and buckets are small, is
** searched in several steps between two trips to device memory.
**
**     order     [ region 0 | region 1 | ... ]     vertices by region; a vertex' place here is its rank
**     inner     arcs within a region: the target's place in it
**     outer     arcs that lead out of one, of each region side by side
**
** make.cu makes them, search.cu searches by them, queue.h says which region is searched next. */
#ifndef GPUGRAPH_REGIONS_CUH
#define GPUGRAPH_REGIONS_CUH

#include "graph/graph.cuh"

/* A region: 32 bytes, read at once. */
struct alignas(16) region_place {
    uint32_t first, vertices;  /* ranks */
    uint32_t inner, inner_end; /* arcs within it */
    uint32_t outer, outer_end; /* arcs that lead out */
    uint32_t nothing[2];
};

enum { REGION_PLACE_BITS = 12 }; /* a region has fewer vertices than they can number */

struct device_regions {
    uint32_t n, count;                 /* vertices, regions */
    uint32_t most_vertices, most_arcs; /* of a region; arcs: inner ones */
    uint32_t *rank;                    /* of each vertex */
    struct region_place *place;        /* of each region */
    uint32_t *inner;                   /* n + 1, by rank: where its inner arcs begin */
    uint16_t *target;                  /* of inner arcs, a place in the region */
    uint16_t *from;                    /* of outer arcs: a place in the region, */
    uint32_t *to, *to_region;          /* a rank and its region, */
    /* By weight, else NULL: of inner arcs weight << REGION_PLACE_BITS | place, of outer arcs the weight. */
    uint32_t *arc, *length;
};

/* A search along those rows, by depth or by weight, has gone through many small levels or buckets. (make.cu) */
void gg_note_long_way(struct cuda_job *job, const struct device_csr *g, bool by_weight);
/* As many have as would have paid for regions. */
bool gg_wants_regions(const struct cuda_job *job, bool by_weight);
/* Made on first need where there is room beside `own` bytes, and the graph suits: phase "prepare". by_weight: of rows with
** weights of 32 bits; what is made so serves searches by depth, too. False when the job must end. They go when memory
** is short: who uses them asks behind gg_workspace. */
bool gg_make_regions(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                     bool by_weight, int64_t own);
/* False: there are none, or some weight is too large for them. */
bool gg_regions(const gpugraph_graph *graph, enum csr_kind kind, bool by_weight,
                struct device_regions *regions);

/* Do they find room in a block's shared memory, with weights or without? Of vertices and arcs alone. (search.cu) */
bool gg_regions_fit(const struct cuda_job *job, const struct device_regions *regions,
                    bool by_weight);

struct regions_outcome {
    uint64_t reached, visits, rounds;
    uint32_t deepest; /* the largest depth or distance */
    uint32_t blocks;
    bool lost; /* a sum left the range of distances */
};
/* Bytes of a search. */
uint64_t gg_regions_bytes(const struct device_regions *regions);
/* From some sources, on the device, to the depth of each vertex, or its distance where the regions have weights; UINT32_MAX:
** there is no way. width: depths or distances that are as good as equal when the next region is chosen. Between GG_BEGAN
** and GG_ENDED. (search.cu) */
bool gg_search_regions(struct cuda_job *job, const struct device_regions *regions,
                       const uint32_t *source, uint32_t sources, uint32_t width,
                       uint32_t *distance, struct workspace *space,
                       struct regions_outcome *out);

/* For the phase of the search. */
void gg_tell_regions(struct cuda_job *job, const struct device_regions *regions,
                     const struct regions_outcome *out, char *more, size_t size);

#endif
