/* The inside of the device's copy of a graph, for the files that make it: device_copy.cu,
** device_rows*.cu, device_pinned.cu, tree/ranked_rows.cu, ids/ids.cu, ids/sparse.cu and patch*.cu. */
#ifndef GPUGRAPH_DEVICE_GRAPH_CUH
#define GPUGRAPH_DEVICE_GRAPH_CUH

#include "device/cuda.cuh"
#include "sssp/choice/choice.h"

enum order { ORDER_UNKNOWN, ORDER_NONE, ORDER_ASCENDING };

struct device_rows { /* owns the arrays of one CSR */
    bool made;
    enum order order;     /* of the targets in each row (tree/depth_rows.cu) */
    uint64_t arcs, room;  /* there are; the arrays hold */
    uint64_t offset_room; /* entries */
    uint64_t *offset;
    uint32_t *target;
    void *weight; /* NULL: not asked for yet */
    bool features_known;
    struct sssp_features features; /* of these rows (sssp/choice/features.cu) */
};

/* Sides of edges: which end a tree edge leads to. */
enum ranked_side { RANKED_TARGETS, RANKED_SOURCES, RANKED_SIDES };

struct device_ranked { /* owns the arrays of tree/ranked_rows.h, for one side */
    bool made;
    uint64_t arcs, tiles;
    uint32_t vertices; /* vertices that arcs lead to */
    uint32_t *head, *before, *vertex, *other, *number;
    uint64_t *offset; /* n + 1: where the arcs of each vertex begin */
    void *weight;     /* in whole tiles; NULL: the graph has none */
};

struct tree_habit { /* of trees by weight in one direction */
    uint32_t trees; /* so far, that ranked rows would have suited */
    double share;   /* of arcs that could be tight by weight and where they lead */
};

struct device_hubs { /* of the rows of one kind, see bfs/prepare.cu; NULL: not made */
    uint32_t *hub, *closed;
};

/* Words of a bitmap of all vertices, whole reads of four. */
static inline uint64_t gg_hub_words(uint32_t n) {
    return ((uint64_t)n + 127) / 128 * 4;
}

struct pinned_array { /* host memory that the device reads */
    void *block;      /* NULL: there is none */
    uint64_t bytes;
    bool lent; /* the graph's own array, registered; else a copy */
};

struct pinned_rows { /* CSR_SIMPLE */
    bool made;
    uint64_t arcs;
    uint64_t *offset; /* on the device; NULL: offsets, which are pinned */
    struct pinned_array offsets, target;
};

struct device_graph {
    int ordinal;
    uint32_t n;
    uint64_t m;
    uint64_t edge_room; /* edges that source, target and weight hold */
    size_t weight_size; /* bytes of a weight; 0: the graph has none */
    int64_t bytes;
    uint32_t *source, *target;
    void *weight;
    enum order edge_order; /* by (source, target) (tree/depth_rows.cu) */
    struct device_rows rows[CSR_KINDS];
    uint32_t *hash; /* of gg_hash_ids for hash_seed; NULL: not made */
    int64_t hash_seed;
    struct pinned_rows pinned;
    struct device_ranked ranked[RANKED_SIDES];
    struct tree_habit habit[3]; /* by gpugraph_direction */
    struct device_hubs hubs[CSR_KINDS];
    bool explodes[CSR_KINDS]; /* a breadth-first search has had a use for hubs */
};

/* The graph's copy, empty at first; NULL when the job must end. */
struct device_graph *gg_device_copy(struct cuda_job *job);

/* Gives back what hangs on which edges there are: SIMPLE, hubs, pinned rows; and, where
** vertices change, the hashes of their ids. */
void gg_device_graph_drop_made(gpugraph_graph *graph, bool vertices);

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

static inline uint64_t block_bytes(uint64_t count, size_t size) {
    uint64_t bytes = count * size;
    return bytes == 0 ? 256 : (bytes + 255) / 256 * 256;
}

/* An array that belongs to the copy; false when the job must end. */
template <typename type>
static inline bool take(struct cuda_job *job, type **array, uint64_t count, size_t size) {
    uint64_t bytes = block_bytes(count, size);
    *array = static_cast<type *>(gg_take(job, bytes));
    if (*array)
        job->graph->device->bytes += (int64_t)bytes;
    return *array != NULL;
}

static inline void give(struct device_graph *copy, void *array, uint64_t count,
                        size_t size) {
    if (!array)
        return;
    gg_free_block(array, block_bytes(count, size));
    copy->bytes -= (int64_t)block_bytes(count, size);
}

#endif
