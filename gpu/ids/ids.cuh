/* The state of a mapping of ids to numbers on a device, which ids.cu and sparse.cu share;
** and the arrays that it leaves there. */
#ifndef GPUGRAPH_IDS_CUH
#define GPUGRAPH_IDS_CUH

#include "device/parts.cuh"
#include "ids.h"

/* The ends of edges as vertex numbers, left on the device. The graph's copy there takes
** the arrays over and sets them to NULL. */
struct device_ends {
    struct device_part part;
    uint64_t m;
    uint32_t *source, *target;
    void *weight; /* decoded from pages and narrowed (graph/device_weights.cu) */
    size_t weight_size;
};
/* NULL: the mapping left no ends. (ids.cu) */
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

/* Makes the arrays of ends for a graph with n vertices, all INTEGERs. (ids.cu) */
bool gg_make_ends(struct id_job *w, uint64_t n);
/* Numbers ids that are far apart. (sparse.cu) */
void gg_number_by_sorting(struct id_job *w);

/* Downloads an array of the graph. */
template <typename type>
static inline bool bring(struct id_job *w, type **array, const type *from,
                         uint64_t count) {
    *array = (type *)gg_alloc(w->job.run, count, sizeof **array);
    return *array && gg_download(&w->job, *array, from, count * sizeof **array);
}

#endif
