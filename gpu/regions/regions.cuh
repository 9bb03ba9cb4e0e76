/* A graph divided into regions. A region is a group of near vertices, few enough for a
** block to search in its shared memory. Regions are made once for a graph and a
** direction. In a graph with long paths, whose levels and buckets are small, a search
** then makes several steps between two accesses of device memory.
**
**     order     [ region 0 | region 1 | ... ]     vertices by region; position: rank
**     inner     arcs within a region: the target's place in it
**     outer     arcs that leave a region, side by side for each region
**
** make.cu makes regions, search.cu searches by them, queue.h chooses the next region. */
#ifndef GPUGRAPH_REGIONS_CUH
#define GPUGRAPH_REGIONS_CUH

#include "graph/graph.cuh"

/* A region: 32 bytes, loaded at once. */
struct alignas(16) region_place {
    uint32_t first, vertices;  /* ranks */
    uint32_t inner, inner_end; /* arcs within the region */
    uint32_t outer, outer_end; /* arcs that leave it */
    uint32_t nothing[2];
};

enum { REGION_PLACE_BITS = 12 }; /* a region has fewer than 2^12 vertices */

struct device_regions {
    uint32_t n, count;                 /* vertices, regions */
    uint32_t most_vertices, most_arcs; /* the largest regions; arcs: inner ones */
    uint32_t *rank;                    /* by vertex */
    struct region_place *place;        /* by region */
    uint32_t *inner;                   /* n + 1, by rank: where its inner arcs begin */
    uint16_t *target;                  /* of inner arcs: a place in the region */
    uint16_t *from;                    /* of outer arcs: a place in the region, */
    uint32_t *to, *to_region;          /* a rank, and its region */
    /* By weight, otherwise NULL: of inner arcs weight << REGION_PLACE_BITS | place, of
    ** outer arcs the weight. */
    uint32_t *arc, *length;
};

/* Notes that a search along these rows has gone through many small levels or buckets.
** (make.cu) */
void gg_note_long_way(struct cuda_job *job, const struct device_csr *g, bool by_weight);
/* True if regions are worth making after the searches that were noted. */
bool gg_wants_regions(const struct cuda_job *job, bool by_weight);
/* Makes regions on first need, if the graph suits and there is room beside `own` bytes:
** phase "prepare". by_weight: of rows with weights of 32 bits. False: the job must end.
** Regions are dropped when memory is short, so a caller looks for them after
** gg_workspace. */
bool gg_make_regions(struct cuda_job *job, enum csr_kind kind, const struct device_csr *g,
                     bool by_weight, int64_t own);
/* Finds regions. False: there are none. */
bool gg_regions(const gpugraph_graph *graph, enum csr_kind kind, bool by_weight,
                struct device_regions *regions);

/* True if the largest region fits into a block's shared memory, with weights or without.
** (search.cu) */
bool gg_regions_fit(const struct cuda_job *job, const struct device_regions *regions,
                    bool by_weight);

struct regions_outcome {
    uint64_t reached, visits, rounds;
    uint32_t deepest; /* largest depth or distance */
    uint32_t blocks;
    bool lost; /* a sum was out of the range of distances */
};
/* Device bytes of a search. */
uint64_t gg_regions_bytes(const struct device_regions *regions);
/* Finds the depth of each vertex from sources on the device, or its distance if the
** regions have weights; UINT32_MAX: there is no path. width: differences of depth or
** distance that do not count when the next region is chosen. The search lies between
** GG_BEGAN and GG_ENDED. (search.cu) */
bool gg_search_regions(struct cuda_job *job, const struct device_regions *regions,
                       const uint32_t *source, uint32_t sources, uint32_t width,
                       uint32_t *distance, struct workspace *space,
                       struct regions_outcome *out);

/* Describes a search for its phase. */
void gg_tell_regions(struct cuda_job *job, const struct device_regions *regions,
                     const struct regions_outcome *out, char *more, size_t size);

#endif
