/* The triangles of each vertex on the device: the arrays of a run, and rows that are
** looked up in a table on chip.
**
**     key      u  -  w  -  -  x     an open table of ahead[v]: a slot is a vertex or NONE
**     count    2  0  1  0  0  3     triangles of v, the slot's vertex and another one
**     more     0  0  1  0  0  0     if directions count: arcs beyond one a triangle
**
**     line     aaaaaaabbbbbcddddd...  up to 32 rows of neighbours, one behind the other
**              0123...31 0123...31    Each lane of the warp takes entries 32 apart. A bit
**                                     where a row begins tells which row an entry belongs
**                                     to.
**
** All slots are empty again when v is done. */
#ifndef GPUGRAPH_TRIANGLES_TABLES_CUH
#define GPUGRAPH_TRIANGLES_TABLES_CUH

#include "graph/frontier.cuh"
#include "triangles.h"
#include "base/warp.h"

enum {
    NONE = -1,
    FEW = 4,          /* neighbours ahead up to which a lane looks at all pairs */
    WARP_ROW = 128,   /* neighbours ahead that a warp's table can hold */
    WARP_ARCS = 1024, /* neighbours of a vertex that one warp handles */
    PART_ARCS = 4096, /* neighbours of a vertex that a block takes at a time */
    LEAST_SLOTS = 32, /* slots of a table in use, at least */
    AT_ONCE = 4,      /* entries that a lane loads together */
    GRID_BLOCKS = 32, /* for each multiprocessor */
    TAKEN = 4,        /* vertices that a warp takes at a time */
    UNASKED = 16,     /* turns between two checks of the stop flag */
    WARPS = GG_BLOCK / GG_WARP,
    FLAG_ARCS = 16 /* arcs in a word of `there` */
};

/* In a slot's count: the edge from v to it has both directions. */
#define TWICE 0x80000000u

typedef unsigned long long word;

/* ---- rows of neighbours that rank higher (ahead.cu) ---- */

/* ahead[v]: the neighbours of v that rank higher, ascending by number. Vertices rank by
** degree, those of equal degree by number. */
struct ahead {
    uint32_t *count;  /* n + 1 */
    uint64_t *offset; /* n + 1 */
    uint32_t *target;
    unsigned char *scan;
    uint64_t scan_bytes;
};

/* For rows of CSR_SIMPLE. */
void gg_carve_ahead(struct workspace *space, const struct device_csr *g, struct ahead *a);
bool gg_device_ahead(struct cuda_job *job, const struct device_csr *g,
                     const struct ahead *a);

static __device__ __forceinline__ bool gg_ranks_higher(const device_csr &g, uint32_t u,
                                                       uint64_t degree, uint32_t v) {
    const uint64_t other = g.end[u] - g.begin[u];
    return other > degree || (other == degree && u > v);
}

/* The position of x in an ascending row, or the length of the row. */
static __device__ __forceinline__ uint32_t gg_place_in(const uint32_t *row,
                                                       uint32_t length, uint32_t x) {
    uint32_t low = 0, high = length;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (row[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < length && row[low] == x ? low : length;
}

/* ---- the arrays of a run ---- */

struct state {
    uint32_t warp_rows, block_parts; /* entries of the lists */
    uint32_t warp_taken, block_taken;
    word corners; /* sum over all vertices: three for each triangle */
};

struct counting {
    struct device_csr simple;
    struct ahead ahead;
    struct state *state;
    uint32_t *warp_row;     /* a list of vertices */
    uint64_t *block_part;   /* vertex << 32 | part of its neighbours */
    uint32_t *there;        /* along: two bits for each arc ahead */
    word *triangles, *more; /* more: along */
    uint32_t *degree;
    double *coefficient;
    const uint32_t *stop;
    uint32_t odd; /* the odd number of the placing hash */
};

/* ---- edges of both directions ---- */

static __device__ __forceinline__ bool both_ways(const counting &c, uint64_t arc) {
    return (c.there[arc / FLAG_ARCS] >> arc % FLAG_ARCS * 2 & 3) == 3;
}

static __device__ __forceinline__ uint32_t ahead_length(const ahead &a, uint32_t v) {
    return (uint32_t)(a.offset[v + 1] - a.offset[v]);
}

static __device__ __forceinline__ uint64_t simple_degree(const counting &c, uint32_t v) {
    return c.simple.end[v] - c.simple.begin[v];
}

/* ---- tables on chip ---- */

/* Slots for each entry. With 4 slots a look-up usually reads one slot. Directions need
** the memory for `more`. A block's table has at least two slots for each entry. */
template <bool along> constexpr uint32_t spread = along ? 2 : 4;
template <bool along> constexpr uint32_t block_slots = along ? 2048 : 4096;

struct table { /* belongs to a warp or to a block */
    uint32_t *key, *count, *more;
    uint32_t bits, odd; /* odd: of the placing hash */
};

static __device__ __forceinline__ uint32_t table_slot(const table &t, uint32_t w) {
    return gg_place_number(t.odd, w) >> (32 - t.bits);
}

template <bool along>
static __device__ __forceinline__ uint32_t table_bits(uint32_t entries) {
    const uint32_t slots =
        min(block_slots<along>, max((uint32_t)LEAST_SLOTS, spread<along> * entries));
    return 32 - (uint32_t)__clz((int)(slots - 1));
}

static __device__ __forceinline__ void insert(const table &t, uint32_t w, bool twice) {
    const uint32_t last = (1u << t.bits) - 1;
    uint32_t at = table_slot(t, w);
    for (uint32_t looks = 0; looks <= last; looks++, at = (at + 1) & last)
        if (atomicCAS(&t.key[at], (uint32_t)NONE, w) == (uint32_t)NONE) {
            if (twice)
                atomicOr(&t.count[at], TWICE);
            return;
        }
}

/* Finds the slot of w, beginning with slot `at`, which holds `there`. NONE: w is not in
** the table. At most half of a table is in use, so an empty slot exists. */
static __device__ __forceinline__ uint32_t find_from(const table &t, uint32_t at,
                                                     uint32_t there, uint32_t w) {
    const uint32_t last = (1u << t.bits) - 1;
    while (there != w && there != (uint32_t)NONE) {
        at = (at + 1) & last;
        there = t.key[at];
    }
    return there == w ? at : (uint32_t)NONE;
}

/* Inserts entries first, first + step, ... of ahead[v], before end. */
template <bool along>
static __device__ __forceinline__ void fill_table(const counting &c, const table &t,
                                                  uint64_t first, uint64_t end,
                                                  uint32_t step) {
    for (uint64_t arc = first; arc < end; arc += step)
        insert(t, c.ahead.target[arc], along && both_ways(c, arc));
}

/* Adds the counts of slots first, first + step, ... to the arrays in memory, and empties
** the slots. */
template <bool along>
static __device__ __forceinline__ void flush_table(const counting &c, const table &t,
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

/* ---- looking rows up ---- */

struct found { /* counts of a lane */
    uint32_t own, more;
};

/* In shared memory: a warp's vertices whose rows wait for the look-up, and the number of
** triangles that the look-up has found in each row. */
struct waiting_rows {
    uint32_t vertex[2 * GG_WARP], own[GG_WARP];
};

/* True if v and x are joined in both directions. */
static __device__ __forceinline__ bool twice_between(const counting &c, uint32_t v,
                                                     uint32_t x) {
    const bool x_high = gg_ranks_higher(c.simple, x, simple_degree(c, v), v);
    const uint32_t low = x_high ? v : x;
    const uint64_t first = c.ahead.offset[low];
    return both_ways(c, first + gg_place_in(c.ahead.target + first,
                                            ahead_length(c.ahead, low), x_high ? x : v));
}

/* A line of rows, one row for each lane. */
struct row_line {
    uint32_t first, total; /* entries before this lane's row, and of all rows */
    uint64_t
        origin;     /* entry i of the line is arc origin + i, if the row is this lane's */
    uint32_t begun; /* rows that begin among the entries already distributed */
    unsigned live,
        twice; /* lanes with a row; lanes whose edge to v has both directions */
};

/* The row of entry from + lane of the line. Entries before `from` are already
** distributed. */
static __device__ __forceinline__ uint32_t ahead_row(row_line *line, uint32_t from) {
    const bool begins = (line->live >> gg_lane() & 1) && line->first - from < GG_WARP;
    const uint32_t begin =
        __reduce_or_sync(ALL_LANES, begins ? 1u << (line->first - from) : 0);
    const uint32_t row = line->begun + __popc(begin & ((2u << gg_lane()) - 1)) - 1;
    line->begun += __popc(begin);
    return row;
}

/* w is in the table of v at `at`: adds a triangle with the owner of the row. */
template <bool along>
static __device__ __forceinline__ void
add_triangle(const counting &c, const table &t, uint32_t at, uint64_t arc, uint32_t row,
             bool vx_twice, waiting_rows *w, uint32_t *more, found *v) {
    v->own++;
    atomicAdd(&w->own[row], 1u);
    if (!along) {
        atomicAdd(&t.count[at], 1u);
        return;
    }
    if (atomicAdd(&t.count[at], 1u) & TWICE)
        atomicAdd(&more[row], 1u);
    v->more += both_ways(c, arc);
    if (vx_twice)
        atomicAdd(&t.more[at], 1u);
}

/* Looks up the entries of a line of rows in the table of v. Each lane looks up some
** entries together, which may belong to different rows. */
template <bool along>
static __device__ __forceinline__ void look_up_line(const counting &c, const table &t,
                                                    row_line line, waiting_rows *w,
                                                    uint32_t *more, found *v) {
    for (uint32_t base = 0; base < line.total; base += AT_ONCE * GG_WARP) {
        uint32_t row[AT_ONCE], x[AT_ONCE], slot[AT_ONCE], there[AT_ONCE];
        uint64_t arc[AT_ONCE];
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            const uint32_t entry = base + k * GG_WARP + gg_lane();
            row[k] = ahead_row(&line, base + k * GG_WARP);
            arc[k] = __shfl_sync(ALL_LANES, line.origin, (int)row[k]) + entry;
            x[k] = gg_load_now(c.ahead.target + arc[k], entry < line.total);
        }
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            slot[k] = table_slot(t, x[k]);
            there[k] = base + k * GG_WARP + gg_lane() < line.total ? t.key[slot[k]]
                                                                   : (uint32_t)NONE;
        }
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            const uint32_t at = find_from(t, slot[k], there[k], x[k]);
            if (at != (uint32_t)NONE)
                add_triangle<along>(c, t, at, arc[k], row[k], line.twice >> row[k] & 1, w,
                                    more, v);
        }
    }
}

/* Looks up the rows of waiting vertices first .. first + rows - 1, at most 32. */
template <bool along>
static __device__ __forceinline__ void
look_up_rows(const counting &c, const table &t, uint32_t v, waiting_rows *w,
             uint32_t *more, uint32_t first, uint32_t rows, found *own) {
    const bool live = gg_lane() < rows;
    const uint32_t x = live ? w->vertex[first + gg_lane()] : 0;
    const uint32_t length = live ? c.ahead.count[x] : 0;
    row_line line;
    line.first = warp_sum_before(length, &line.total);
    line.origin = live ? c.ahead.offset[x] - line.first : 0;
    line.begun = 0;
    line.live = __ballot_sync(ALL_LANES, live);
    line.twice = along ? __ballot_sync(ALL_LANES, live && twice_between(c, v, x)) : 0;
    w->own[gg_lane()] = 0;
    if (along)
        more[gg_lane()] = 0;
    __syncwarp();
    look_up_line<along>(c, t, line, w, more, own);
    __syncwarp();
    if (w->own[gg_lane()] > 0)
        atomicAdd(&c.triangles[x], (word)w->own[gg_lane()]);
    if (along && more[gg_lane()] > 0)
        atomicAdd(&c.more[x], (word)more[gg_lane()]);
}

/* True if the row of x is looked up in the table of v. */
static __device__ __forceinline__ bool is_looked_up(const counting &c, uint32_t v,
                                                    uint32_t length, uint32_t x) {
    const uint32_t other = c.ahead.count[x];
    if (other == 0 || other > length || (other == length && x < v))
        return false;
    return other > FEW || gg_ranks_higher(c.simple, x, simple_degree(c, v), v);
}

/* Looks up the rows of neighbours first, first + step, ... of v, before end. Each step
** covers the 32 lanes of the warp. */
template <bool along>
static __device__ __forceinline__ void
look_up_neighbours(const counting &c, const table &t, uint32_t v, uint64_t first,
                   uint64_t end, uint64_t step, waiting_rows *w, uint32_t *more,
                   found *own) {
    const uint32_t length = c.ahead.count[v];
    uint32_t count = 0;
    for (uint64_t at = first; at < end; at += step) {
        const bool live = at + gg_lane() < end;
        const uint32_t x = live ? c.simple.target[at + gg_lane()] : 0;
        const bool wanted = live && is_looked_up(c, v, length, x);
        const unsigned mask = __ballot_sync(ALL_LANES, wanted);
        if (wanted)
            w->vertex[count + __popc(mask & ((1u << gg_lane()) - 1))] = x;
        __syncwarp();
        count += __popc(mask);
        if (count < GG_WARP)
            continue;
        count -= GG_WARP;
        look_up_rows<along>(c, t, v, w, more, count, GG_WARP, own);
        __syncwarp();
    }
    if (count > 0)
        look_up_rows<along>(c, t, v, w, more, 0, count, own);
}

/* Adds the counts that the lanes of a warp have found for v. */
template <bool along>
static __device__ __forceinline__ void add_to_owner(const counting &c, uint32_t v,
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
