/* The inside of the device's copy of a graph, for the files that make it (device_copy.cu,
** device_rows*.cu) and for those that change it or ask about its symmetry. */
#ifndef GPUGRAPH_DEVICE_COPY_CUH
#define GPUGRAPH_DEVICE_COPY_CUH

#include "device/parts.cuh"
#include "graph.cuh"
#include "graph_data.h"

struct device_rows { /* owns the arrays of one CSR */
    bool made;
    uint64_t arcs;        /* there are */
    uint64_t room, used;  /* arcs that target and weight hold; places that rows with slack
                          ** have taken of these */
    uint64_t offset_room; /* entries of offset; of end and spare, where they are */
    uint64_t *offset;     /* the beginning of each row */
    /* Of rows with slack, which a change has made: where they end, and how many places
    ** behind that they may take (update/row_pool.h). NULL: each row ends where the next one
    ** begins, and offset has an entry more. */
    uint64_t *end;
    uint32_t *spare;
    uint32_t *target;
    void *weight; /* NULL: not asked for yet */
};

struct device_copy {
    struct device_part part;
    uint32_t n;
    uint64_t m;
    uint64_t edge_room; /* edges that source, target and weight hold */
    size_t weight_size; /* bytes of a weight; 0: the graph has none */
    uint32_t *source, *target;
    void *weight;
    enum symmetry symmetry; /* of OUT (device_symmetry.cu) */
    bool changed, rested;   /* since it was copied; and asked for its symmetry since */
    struct device_rows rows[CSR_KINDS];
};

/* The graph's copy, empty at first; NULL when the job must end. */
struct device_copy *gg_device_copy(struct cuda_job *job);
/* NULL: none was made. */
struct device_copy *gg_device_copy_of(const gpugraph_graph *graph);
/* Do the edges' ends lie on the device, in the copy or for it? */
bool gg_has_device_ends(const gpugraph_graph *graph);

static inline struct device_csr gg_view_of_rows(const struct device_copy *copy,
                                                const struct device_rows *rows) {
    return device_csr{copy->n,      rows->arcs,
                      rows->offset, rows->end ? rows->end : rows->offset + 1,
                      rows->target, rows->weight};
}
void gg_free_device_rows(struct device_copy *copy, struct device_rows *rows);

/* Is the copy, if there is one, that of the host's edges, and are its rows those of its edges?
** GPUGRAPH_INVALID and a sentence where they are not; false when the job must end.
** (device_check.cu) */
bool gg_check_device_copy(struct cuda_job *job);

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

/* Makes SIMPLE. After a failure the caller frees the arrays in `rows`.
** (device_simple.cu) */
bool gg_device_simple(struct cuda_job *job, struct device_rows *rows);

/* Arcs as keys, row << bits | column; their order is that of rows. */
#define NO_ARC UINT64_MAX
struct arc_keys {
    uint64_t count;
    int bits; /* that hold every row and one more number, so that NO_ARC is the largest */
    uint64_t *key, *other, *unique; /* count, count, one number */
    unsigned char *cub;
    size_t cub_bytes;
    uint64_t distinct; /* once sorted */
};
int gg_key_bits(uint32_t n);
/* Needs count and bits. */
void gg_carve_keys(struct workspace *space, struct arc_keys *k);
/* Leaves sorted, distinct keys in k->key. */
bool gg_sort_keys(struct cuda_job *job, struct arc_keys *k);
/* offset[0 .. rows], and the number of arcs, which is the last. */
bool gg_offsets_of_keys(struct cuda_job *job, const struct arc_keys *k, uint32_t rows,
                        uint64_t *offset, uint64_t *arcs);
bool gg_targets_of_keys(struct cuda_job *job, const struct arc_keys *k, uint64_t arcs,
                        uint32_t *target);

/* Makes the rows by sorting. False: not made; if the job still goes, counting is faster, or memory
** suffices for counting only. (device_rows_sort.cu) */
bool gg_rows_by_sorting(struct cuda_job *job, enum csr_kind kind, bool weighted,
                        const struct device_edges *edges, struct device_rows *rows,
                        const char **how);

#endif
