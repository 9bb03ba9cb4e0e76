/* Internals of the device's copy of a graph, for the files that make it (device_copy.cu,
** device_rows*.cu), change it, or check its symmetry. */
#ifndef GPUGRAPH_DEVICE_COPY_CUH
#define GPUGRAPH_DEVICE_COPY_CUH

#include "device/parts.cuh"
#include "graph.cuh"
#include "graph_data.h"

struct device_rows { /* owns the arrays of one CSR */
    bool made;
    uint64_t arcs;
    /* Entries of target and weight; with slack, entries up to the end of the last row. */
    uint64_t room, used;
    uint64_t offset_room; /* entries of offset, and of end and spare if they exist */
    uint64_t *offset;     /* the begin of each row */
    /* For rows with slack, which a change makes: the end of each row, and its unused
    ** entries (update/row_pool.h). NULL: each row ends where the next one begins, and
    ** offset has one entry more. */
    uint64_t *end;
    uint32_t *spare;
    uint32_t *target;
    void *weight; /* NULL: not made yet */
};

struct device_copy {
    struct device_part part;
    uint32_t n;
    uint64_t m;
    uint64_t edge_room; /* edges that source, target and weight hold */
    size_t weight_size; /* bytes of a weight; 0: no weights */
    uint32_t *source, *target;
    void *weight;
    enum symmetry symmetry; /* of OUT (device_symmetry.cu) */
    struct device_rows rows[CSR_KINDS];
};

/* Returns the graph's copy, made empty on first need; NULL if the job must end. */
struct device_copy *gg_device_copy(struct cuda_job *job);
/* Returns NULL if the graph has no copy. */
struct device_copy *gg_device_copy_of(const gpugraph_graph *graph);
/* True if the edges' ends are on the device, in the copy or in device_ends. */
bool gg_has_device_ends(const gpugraph_graph *graph);

static inline struct device_csr gg_view_of_rows(const struct device_copy *copy,
                                                const struct device_rows *rows) {
    return device_csr{copy->n,      rows->arcs,
                      rows->offset, rows->end ? rows->end : rows->offset + 1,
                      rows->target, rows->weight};
}
void gg_free_device_rows(struct device_copy *copy, struct device_rows *rows);

/* Clears *there, calls launch(there), which launches a kernel that writes to *there, and
** fetches the result. Returns false if the job must end. */
template <typename type, typename launching>
static bool gg_fetch_result(struct cuda_job *job, type *result, launching launch) {
    type *there;
    if (!gg_take_arrays(
            job, [&](struct workspace *space) { there = gg_carve<type>(space, 1); }))
        return false;
    const bool done = gg_fill(job, there, 0, sizeof *there) && launch(there) &&
                      gg_fetch(job, result, there, sizeof *there);
    job->working = false;
    return done;
}

/* Compares the copy, if it exists, with the host's edges, and its rows with its edges.
** GPUGRAPH_INVALID if they differ. False: the job must end. (device_check.cu) */
bool gg_check_device_copy(struct cuda_job *job);

/* The arcs that an edge makes; in BOTH a loop makes only one. */
struct arc_ends {
    bool forward, backward;
};
static inline struct arc_ends arcs_of(enum csr_kind kind) {
    return arc_ends{kind != CSR_IN, kind != CSR_OUT};
}

/* Counts the edges at each vertex, a loop twice: degree[n], on the host.
** (device_rows.cu) */
void gg_device_degrees(struct cuda_job *job, uint32_t *degree);
/* Makes OUT, IN or BOTH from the edges. After a failure the caller frees the arrays in
** `rows`. *how: a text for the phase. (device_rows.cu) */
bool gg_device_rows(struct cuda_job *job, enum csr_kind kind, bool weighted,
                    struct device_rows *rows, const char **how);

/* Makes SIMPLE. After a failure the caller frees the arrays in `rows`.
** (device_simple.cu) */
bool gg_device_simple(struct cuda_job *job, struct device_rows *rows);

/* Bits of a key that is at most `largest`; at least 1. */
static inline int gg_key_bits(uint32_t largest) {
    return largest == 0 ? 1 : 32 - __builtin_clz(largest);
}

/* Arcs as keys, row << bits | column; their order is the order of rows. */
#define NO_ARC UINT64_MAX
struct arc_keys {
    uint64_t count;
    int bits; /* for every row and one more number, so that NO_ARC is the largest key */
    uint64_t *key, *other, *unique; /* arrays of count, count and 1 entries */
    unsigned char *cub;
    size_t cub_bytes;
    uint64_t distinct; /* valid after sorting */
};
/* k->count and k->bits must be set. */
void gg_carve_keys(struct workspace *space, struct arc_keys *k);
/* Sorts k->key and removes repeated keys; sets k->distinct. */
bool gg_sort_keys(struct cuda_job *job, struct arc_keys *k);
/* Computes offset[0 .. rows]; *arcs is the last entry. */
bool gg_offsets_of_keys(struct cuda_job *job, const struct arc_keys *k, uint32_t rows,
                        uint64_t *offset, uint64_t *arcs);
bool gg_targets_of_keys(struct cuda_job *job, const struct arc_keys *k, uint64_t arcs,
                        uint32_t *target);

struct row_sort { /* the edges from which rows are made */
    struct device_edges edges;
    struct arc_ends make;
    bool both, weighted;
    bool in_order;        /* edges have the order of the rows */
    uint64_t arcs;        /* including loops that BOTH drops */
    const uint32_t *row;  /* the edges' column with the rows of OUT or IN */
    const uint32_t *ends; /* the edges' other column */
};

/* Makes the rows in existing arrays, by a copy or a sort. Returns false if the job must
** end, or if memory is too short for a sort. (device_rows_sort.cu) */
bool gg_rows_by_sorting(struct cuda_job *job, const struct row_sort *s,
                        struct device_rows *rows);

#endif
