/* Inside of making rows: make.cu has the passes, room.cu the memory, route.cu the way of edges to their
** owners, sort.cu that from arcs to rows.
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

struct several_share { /* of one member: edges first .. first + count - 1 */
    uint64_t first, count;
    uint64_t room; /* edges that the arrays have room for */
    uint32_t *source, *target;
    unsigned char *weight;
};

struct several_making {
    struct several_team *team;
    const struct several_source *source;
    struct several_parts *parts;
    struct several_bits bits;
    bool forward, backward, simple;
    bool stays; /* shares lie on the devices whole */
    bool filled;
    uint64_t chunk, chunks; /* edges of one; of the largest share */
    struct several_share share[SEVERAL_MOST];
    uint64_t (*bin)[SEVERAL_BINS]; /* arcs of each owner's bins */
    uint64_t arcs[SEVERAL_MOST];   /* of each owner */
    uint32_t ranges;
    uint64_t range_arcs; /* of one range of one owner, at most */
    uint64_t bytes[SEVERAL_MOST], peak;
    struct {
        several_array<unsigned long long> bin; /* SEVERAL_BINS */
        several_array<uint32_t> count;         /* of arcs in out, by owner */
        several_array<uint64_t> out;           /* gg_several_chunk_arcs for each owner */
        several_array<unsigned char> out_weight;
        several_array<uint64_t> key, other, one;
        several_array<unsigned char> weight, other_weight, cub;
    } a;
    size_t cub_bytes;
};

/* ---- room.cu ---- */

/* Arcs that the edges of a chunk make, at most. */
uint64_t gg_several_chunk_arcs(const struct several_making *m);
/* The members' shares: whole where a quarter of the room suffices for them and they would have to come again. */
bool gg_several_take_shares(struct several_making *m);
void gg_several_give_shares(struct several_making *m);
/* whole: what ranges are made in, too. */
bool gg_several_take_scratch(struct several_making *m, bool whole);
bool gg_several_take_rows(struct several_making *m);

/* ---- route.cu ---- */

struct several_route { /* how an edge becomes arcs, and which of them are wanted */
    struct several_places places;
    struct several_bits bits;
    bool forward, backward, simple;
    uint32_t low[SEVERAL_MOST], high[SEVERAL_MOST]; /* rows by owner */
};

struct route_edges {
    const uint32_t *source, *target;
    const void *weight;
    uint64_t count;
};

struct route_out { /* room entries for each owner */
    uint64_t *key;
    void *weight;
    uint64_t room;
    uint32_t *count;
};

/* Adds to bin, of SEVERAL_BINS. */
bool gg_several_count(struct cuda_job *job, const struct several_route *r,
                      const struct route_edges *e, unsigned long long *bin);
/* Arcs of wanted rows, to out, whose counts begin anew. */
bool gg_several_route(struct cuda_job *job, const struct several_route *r,
                      const struct route_edges *e, const struct route_out *out,
                      size_t weight_bytes);

/* ---- sort.cu ---- */

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
