/* The triangles of each vertex on the device: the arrays of a run, and rows that meet in a table on chip.
**
**     key      u  -  w  -  -  x       an open table of ahead[v]: a slot is a vertex or NONE
**     count    2  0  1  0  0  3       triangles that v, the slot's vertex and another one make
**     more     0  0  1  0  0  0       where directions count: arcs beyond one for each triangle
**
** All slots are empty again when a row is done. */
#ifndef GPUGRAPH_MEET_CUH
#define GPUGRAPH_MEET_CUH

#include "ahead.cuh"
#include "each.h"

enum {
    NONE = -1,
    FEW = 4,          /* ahead, up to which a lane looks at all pairs */
    WARP_ROW = 128,   /* ahead, that a warp's table is good for */
    BLOCK_ROW = 1024, /* ahead, that a block's is good for at a time */
    LEAST_SLOTS = 32, /* of a table that is in use */
    BLOCK_GROUP = 8,  /* rows that a warp of a block takes at a time */
    AT_ONCE = 4,      /* entries that a lane asks for together */
    GRID_BLOCKS = 32, /* for each multiprocessor */
    TAKEN = 4,        /* vertices that a warp takes at a time */
    UNASKED = 16,     /* times that it does so without a look at the stop flag */
    WARPS = GG_BLOCK / GG_WARP,
    FLAG_ARCS = 16 /* in a word of `there` */
};

#define TWICE 0x80000000u /* of a slot's count: v's edge there has both directions */

typedef unsigned long long word;

struct state {
    uint32_t warp_rows, block_rows; /* vertices in the lists */
    uint32_t taken;                 /* of the warps' list */
};

struct counting {
    struct device_csr simple;
    struct ahead ahead;
    struct state *state;
    uint32_t *warp_row, *block_row; /* lists of vertices */
    uint32_t *there;                /* along: two bits for each arc ahead */
    word *triangles, *more;         /* more: along */
    uint32_t *degree;
    double *coefficient;
    const uint32_t *stop;
};

/* ---- edges of both directions ---- */

static __device__ __forceinline__ bool both_ways(const counting &c, uint64_t arc) {
    return (c.there[arc / FLAG_ARCS] >> arc % FLAG_ARCS * 2 & 3) == 3;
}

static __device__ __forceinline__ uint32_t length_of(const ahead &a, uint32_t v) {
    return (uint32_t)(a.offset[v + 1] - a.offset[v]);
}

static __device__ __forceinline__ uint64_t degree_of(const counting &c, uint32_t v) {
    return c.simple.offset[v + 1] - c.simple.offset[v];
}

/* ---- tables on chip ---- */

/* Slots for each entry: with 4 of them a look-up is one look mostly; directions need the room for more. */
template <bool along> constexpr uint32_t spread = along ? 2 : 4;

struct table { /* of a warp, or of a block */
    uint32_t *key, *count, *more;
    uint32_t bits;
};

static __device__ __forceinline__ uint32_t slot_of(const table &t, uint32_t w) {
    return w * 0x9e3779b1u >> (32 - t.bits);
}

template <bool along>
static __device__ __forceinline__ uint32_t bits_for(uint32_t entries) {
    const uint32_t slots = max((uint32_t)LEAST_SLOTS, spread<along> * entries);
    return 32 - (uint32_t)__clz((int)(slots - 1));
}

static __device__ __forceinline__ void insert(const table &t, uint32_t w, bool twice) {
    const uint32_t last = (1u << t.bits) - 1;
    uint32_t at = slot_of(t, w);
    for (uint32_t looks = 0; looks <= last; looks++, at = (at + 1) & last)
        if (atomicCAS(&t.key[at], (uint32_t)NONE, w) == (uint32_t)NONE) {
            if (twice)
                atomicOr(&t.count[at], TWICE);
            return;
        }
}

/* NONE: it is not there. */
static __device__ __forceinline__ uint32_t find(const table &t, uint32_t w) {
    const uint32_t last = (1u << t.bits) - 1;
    uint32_t at = slot_of(t, w);
    for (uint32_t looks = 0; looks <= last; looks++, at = (at + 1) & last) {
        const uint32_t there = t.key[at];
        if (there == w)
            return at;
        if (there == (uint32_t)NONE)
            break;
    }
    return (uint32_t)NONE;
}

/* Entries first, first + step, ... of ahead[v], before end. */
template <bool along>
static __device__ __forceinline__ void fill(const counting &c, const table &t,
                                            uint64_t first, uint64_t end, uint32_t step) {
    for (uint64_t arc = first; arc < end; arc += step)
        insert(t, c.ahead.target[arc], along && both_ways(c, arc));
}

/* Tells memory what slots first, first + step, ... have counted, and leaves them empty. */
template <bool along>
static __device__ __forceinline__ void tell(const counting &c, const table &t,
                                            uint32_t first, uint32_t step) {
    for (uint32_t at = first; at < 1u << t.bits; at += step) {
        const uint32_t w = t.key[at], count = t.count[at] & ~TWICE;
        if (w != (uint32_t)NONE && count > 0)
            atomicAdd(&c.triangles[w], (word)count);
        t.key[at] = (uint32_t)NONE;
        t.count[at] = 0;
        if (along) {
            if (t.more[at] > 0)
                atomicAdd(&c.more[w], (word)t.more[at]);
            t.more[at] = 0;
        }
    }
}

/* ---- rows that meet ---- */

struct found { /* of a lane */
    uint32_t own, more;
};

/* Looks entries first, first + step, ... of a row up. vu_twice: v's edge to u has both directions. Sums of this lane
** for u come back, those for v grow in *v. */
template <bool along>
static __device__ __forceinline__ found meet(const counting &c, const table &t,
                                             uint64_t first, uint64_t end, uint32_t step,
                                             bool vu_twice, found *v) {
    found u = {0, 0};
    for (uint64_t i = first; i < end; i += (uint64_t)AT_ONCE * step) {
        uint32_t w[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const uint64_t arc = i + (uint64_t)k * step;
            w[k] = arc < end ? c.ahead.target[arc] : (uint32_t)NONE;
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const uint32_t at = w[k] != (uint32_t)NONE ? find(t, w[k]) : (uint32_t)NONE;
            if (at == (uint32_t)NONE)
                continue;
            u.own++;
            if (!along) {
                atomicAdd(&t.count[at], 1u);
                continue;
            }
            u.more += atomicAdd(&t.count[at], 1u) >> 31;
            v->more += both_ways(c, i + (uint64_t)k * step);
            if (vu_twice)
                atomicAdd(&t.more[at], 1u);
        }
    }
    v->own += u.own;
    return u;
}

/* What the lanes of a row have found for u: in its slot, or where it has none in memory. */
template <bool along>
static __device__ __forceinline__ void tell_middle(const counting &c, const table &t,
                                                   uint32_t at, uint32_t u, found f) {
    if (f.own == 0)
        return;
    if (at != (uint32_t)NONE)
        atomicAdd(&t.count[at], f.own);
    else
        atomicAdd(&c.triangles[u], (word)f.own);
    if (along && f.more > 0) {
        if (at != (uint32_t)NONE)
            atomicAdd(&t.more[at], f.more);
        else
            atomicAdd(&c.more[u], (word)f.more);
    }
}

/* Lanes for each row, by the mean length of those that the warp has: a power of two. */
static __device__ __forceinline__ uint32_t lanes_of_row(uint32_t length, uint32_t rows) {
    const uint32_t sum = __reduce_add_sync(ALL_LANES, length);
    return sum >= 24 * rows ? 32 : sum >= 12 * rows ? 16 : sum >= 6 * rows ? 8 : 4;
}

/* The rows of arcs first .. first + rows - 1 of v, by a warp; at most 32. */
template <bool along>
static __device__ __forceinline__ void
meet_rows(const counting &c, const table &t, uint64_t first, uint32_t rows, found *v) {
    const bool live = gg_lane() < rows;
    const uint32_t u = live ? c.ahead.target[first + gg_lane()] : 0;
    const uint64_t begin = live ? c.ahead.offset[u] : 0;
    const uint32_t length = live ? (uint32_t)(c.ahead.offset[u + 1] - begin) : 0;
    const uint32_t at = length > 0 ? find(t, u) : (uint32_t)NONE;
    const bool twice = along && length > 0 && both_ways(c, first + gg_lane());
    const uint32_t lanes = lanes_of_row(length, rows), mine = gg_lane() % lanes;
    for (uint32_t row = 0; row < rows; row += GG_WARP / lanes) {
        const int from = (int)(row + gg_lane() / lanes);
        const uint64_t row_begin = __shfl_sync(ALL_LANES, begin, from);
        const uint32_t row_length = __shfl_sync(ALL_LANES, length, from),
                       row_at = __shfl_sync(ALL_LANES, at, from),
                       row_u = __shfl_sync(ALL_LANES, u, from);
        const bool row_twice = along && __shfl_sync(ALL_LANES, (int)twice, from);
        const found f = meet<along>(c, t, row_begin + mine, row_begin + row_length, lanes,
                                    row_twice, v);
        tell_middle<along>(c, t, row_at, row_u, f);
    }
}

/* What the lanes of a warp have found for v. */
template <bool along>
static __device__ __forceinline__ void tell_lowest(const counting &c, uint32_t v,
                                                   found f) {
    const uint32_t own = __reduce_add_sync(ALL_LANES, f.own),
                   more = along ? __reduce_add_sync(ALL_LANES, f.more) : 0;
    if (gg_lane() == 0 && own > 0)
        atomicAdd(&c.triangles[v], (word)own);
    if (gg_lane() == 0 && more > 0)
        atomicAdd(&c.more[v], (word)more);
}

static __device__ __forceinline__ void empty(const table &t, uint32_t first,
                                             uint32_t slots, uint32_t step, bool along) {
    for (uint32_t at = first; at < slots; at += step) {
        t.key[at] = (uint32_t)NONE;
        t.count[at] = 0;
        if (along)
            t.more[at] = 0;
    }
}

#endif
