/* The inside of the device's copy of a graph, for the files that make it (device_copy.cu,
** device_rows*.cu) and for those that change it or ask about its symmetry. */
#ifndef GPUGRAPH_DEVICE_COPY_CUH
#define GPUGRAPH_DEVICE_COPY_CUH

#include "device/parts.cuh"
#include "graph.cuh"
#include "graph_data.h"

struct device_rows { /* owns the arrays of one CSR */
    bool made;
    uint64_t arcs, room;  /* there are; the arrays hold */
    uint64_t offset_room; /* entries */
    uint64_t *offset;
    uint32_t *target;
    void *weight; /* NULL: not asked for yet */
};

struct device_copy { /* only SIMPLE and symmetry depend on the edges */
    struct device_part part;
    uint32_t n;
    uint64_t m;
    uint64_t edge_room; /* edges that source, target and weight hold */
    size_t weight_size; /* bytes of a weight; 0: the graph has none */
    uint32_t *source, *target;
    void *weight;
    enum symmetry symmetry; /* of OUT (device_symmetry.cu) */
    bool keeps_simple;      /* SIMPLE follows the change of edges that is under way */
    bool changed, rested;   /* since it was copied; and asked for its symmetry since */
    struct device_rows rows[CSR_KINDS];
};

/* The graph's copy, empty at first; NULL when the job must end. */
struct device_copy *gg_device_copy(struct cuda_job *job);
/* NULL: none was made. */
struct device_copy *gg_device_copy_of(const gpugraph_graph *graph);
/* Do the edges' ends lie on the device, in the copy or for it? */
bool gg_has_device_ends(const gpugraph_graph *graph);

/* Which arcs an edge makes; in BOTH a loop makes one alone. */
struct arc_ends {
    bool forward, backward;
};
static inline struct arc_ends arcs_of(enum csr_kind kind) {
    return arc_ends{kind != CSR_IN, kind != CSR_OUT};
}

/* Makes OUT, IN or BOTH from the edges; what it has made of `rows` is the caller's to free
** when it fails. *how: a phrase for the phase. (device_rows.cu) */
bool gg_device_rows(struct cuda_job *job, enum csr_kind kind, bool weighted,
                    struct device_rows *rows, const char **how);

/* The same by sorting. False: not done; if the job is going still, counting is better or all that
** there is room for. (device_rows_sort.cu) */
bool gg_rows_by_sorting(struct cuda_job *job, enum csr_kind kind, bool weighted,
                        const struct device_edges *edges, struct device_rows *rows,
                        const char **how);

#endif
