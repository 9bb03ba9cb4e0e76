/* The mapping of ids to numbers on the device while it is under way, what ids.cu and sparse.cu
** share; and what it leaves there. */
#ifndef GPUGRAPH_IDS_CUH
#define GPUGRAPH_IDS_CUH

#include "device/parts.cuh"
#include "ids.h"

/* The edges' ends as vertex numbers, left on the device for the graph's copy there, which takes the
** arrays over and leaves NULL. */
struct device_ends {
    struct device_part part;
    uint64_t m;
    uint32_t *source, *target; /* NULL: taken over */
    void *weight; /* of decoded pages, once they are narrowed (graph/device_weights.cu) */
    size_t weight_size;
};
/* NULL: none were left. (ids.cu) */
struct device_ends *gg_device_ends(const gpugraph_graph *graph);

struct id_job {
    struct cuda_job job;
    struct id_mapper *mapper;
    uint64_t m, entries; /* edges; ids in all columns */
    int64_t *id;         /* on the device */
    uint64_t id_bytes;
    int64_t first;
    uint64_t span;
    struct device_ends *ends;
    double moved_ms;
};

/* The graph has n vertices, all of them INTEGERs: makes the arrays of ends. (ids.cu) */
bool gg_make_ends(struct id_job *w, uint64_t n);
/* Numbers ids that are far apart. (sparse.cu) */
void gg_number_by_sorting(struct id_job *w);

/* An array of the graph that comes from the device. */
template <typename type>
static inline bool bring(struct id_job *w, type **array, const type *from,
                         uint64_t count) {
    *array = (type *)gg_alloc(w->job.run, count, sizeof **array);
    return *array && gg_download(&w->job, *array, from, count * sizeof **array);
}

#endif
