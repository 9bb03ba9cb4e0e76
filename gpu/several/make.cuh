/* Inside of making rows, for make.cu (the way of edges to their owners) and sort.cu (from arcs to
** rows).
**
**     a member's share of the edges, chunk by chunk
**        |  route     key = row << bits | target, behind each other by owner
**     out[owner]
**        |  copies between devices
**     arcs[]        at the owner, unordered
**        |  sort.cu
**     offset, target, weight
**
** Where an owner's arcs are too many to be sorted at once they come in ranges of rows: for each
** the edges are gone through again. */
#ifndef GPUGRAPH_SEVERAL_MAKE_CUH
#define GPUGRAPH_SEVERAL_MAKE_CUH

#include "several.cuh"

/* Rows are counted in bins, of all owners together so many: a block has room for the counters. */
enum { SEVERAL_BINS = 4096 };

struct several_bits {
    uint32_t place; /* of a target in a key */
    uint32_t row;   /* of a row by its owner's places */
    uint32_t bin;   /* rows of a bin: 1 << bin */
    uint32_t bins;  /* of an owner */
};

struct several_arcs {      /* of one member, in its memory */
    uint64_t *key, *other; /* `room` entries each */
    unsigned char *weight, *other_weight;
    unsigned char *cub;
    size_t cub_bytes;
    uint64_t *count; /* one number */
    uint64_t room;
};

/* Bytes of the scratch of sorting. */
size_t gg_several_sort_bytes(uint64_t arcs, struct several_bits bits,
                             size_t weight_bytes);
/* Rows low .. high - 1, and their arcs behind the first `before`, from `arcs` keys. *made: arcs
** that are left. */
bool gg_several_sort(struct cuda_job *job, const struct several_arcs *a, uint64_t arcs,
                     struct several_bits bits, bool simple, size_t weight_bytes,
                     uint32_t low, uint32_t high, uint64_t before,
                     struct several_rows *rows, uint64_t *made);
/* The most arcs of a row; count is one number in the member's memory. */
bool gg_several_longest(struct cuda_job *job, const struct several_rows *rows,
                        uint32_t count_of_rows, uint64_t *count, uint64_t *most);

#endif
