/* The steps of a matrix on the device, many rows at once.
**
**     distance   row 0: n entries | row 1: n entries | ...    place = row * n + vertex
**     near       places below `edge` whose distance fell since they were last served
**     far        places that were reached beyond `edge`, each once; some are stale
**     served     a bit for each place: it has been near, and is on no list
**
**     serve      relaxes arcs of near places; sums below `edge` go near, others far
**     advance    when no place is near: advances `edge` by delta, or to the least far
**                distance and delta; far places below it become near, and places of
**                done rows leave
**     look       with advance: a row is done if its targets are below the passed edge
**
** A launch is one step, and the step before decides which one. All rows share one edge,
** so a step serves all of them, and there are hardly more steps than for one row.
** Distances only fall. In any order of steps they end as the least sums, so they equal
** the distances of the CPU in all bits.
**
** A place is on at most one list. When its distance falls, the earlier distance decides:
** a place that was not reached is on no list, a place beyond the edge is on the far list,
** and a place below the edge is on the near list unless its bit is set. A thread that
** serves a place sets the bit before it reads the distance. A thread that lowers a
** distance does so before it reads the bit. One fence between both is enough for all arcs
** that a lane relaxes at once.
**
** After Davidson, Baxter, Garland and Owens, "Work-Efficient Parallel GPU Methods for
** Single-Source Shortest Paths" (IPDPS 2014). */
#ifndef GPUGRAPH_MATRIX_STEPS_CUH
#define GPUGRAPH_MATRIX_STEPS_CUH

#include "base/warp.h"
#include "graph/frontier.cuh"
#include "tree/distance.cuh"

enum {
    MATRIX_BLOCKS = 8,  /* for each multiprocessor */
    LONG_ARCS = 64,     /* degree from which a warp relaxes a row together */
    AT_ONCE = 4,        /* arcs that a lane relaxes at once */
    BLOCKS_TOGETHER = 4 /* on a multiprocessor; with five, registers spill to memory */
};

typedef unsigned long long matrix_word;

struct matrix_state {
    matrix_word edge;  /* near places have smaller distances */
    matrix_word least; /* the least distance of far places that stay far */
    matrix_word served;
    matrix_word added;       /* by this step: far places << 32 | near places */
    uint32_t near, far;      /* lengths of the lists that are read */
    uint32_t side, far_side; /* index of these lists */
    uint32_t ticket, look, over, steps;
};

template <typename type> struct matrix_rows {
    struct device_csr arcs;
    uint32_t rows, targets;
    typename type::word *distance;
    uint32_t *near[2], *far[2];
    uint32_t *served, *done; /* served: a bit for each place; done: by row */
    uint32_t *source, *target;
    typename type::word *cell;
    typename type::word bound;
    double delta;
    bool bounded;
    struct matrix_state *state;
};

/* ---- distances ---- */

/* The distance of a place that is not reached: all bits are set, in every type. */
template <typename type> static __device__ __forceinline__ typename type::word no_way() {
    return (typename type::word) ~(typename type::word)0;
}

/* The next edge. */
template <typename type>
static __device__ typename type::word moved_on(const matrix_rows<type> &r,
                                               typename type::word from) {
    const typename type::word to = type::past(from, r.delta);
    /* delta is lost to rounding */
    return to > from || from == no_way<type>() ? to : from + 1;
}

/* ---- lists ---- */

static __device__ __forceinline__ void set_bit(uint32_t *bits, uint32_t place) {
    atomicOr(&bits[place / 32], 1u << place % 32);
}

/* Clears a bit. Returns true if it was set. */
static __device__ __forceinline__ bool take_bit(uint32_t *bits, uint32_t place) {
    const uint32_t bit = 1u << place % 32;
    return atomicAnd(&bits[place / 32], ~bit) & bit;
}

/* Reserves room in both lists, and sets this lane's first positions. All lanes of the
** warp call. */
static __device__ __forceinline__ void reserve_some(matrix_word *added, uint32_t nears,
                                                    uint32_t fars, uint32_t *near_at,
                                                    uint32_t *far_at) {
    uint32_t both, all;
    matrix_word first = 0;
    /* A lane has few places, so both sums fit one word. */
    const uint32_t before = warp_sum_before(fars << 16 | nears, &both);
    all = both & 0xffff;
    if (both == 0)
        return;
    if (gg_lane() == 0)
        first = atomicAdd(added, (matrix_word)(both >> 16) << 32 | all);
    first = __shfl_sync(ALL_LANES, first, 0);
    *near_at += (uint32_t)first + (before & 0xffff);
    *far_at += (uint32_t)(first >> 32) + (before >> 16);
}

/* ---- arcs ---- */

/* Computes the sum along an arc. False: the sum is beyond the bound. */
template <typename type>
static __device__ __forceinline__ bool sum_of(const matrix_rows<type> &r,
                                              typename type::word from, uint64_t arc,
                                              typename type::word *sum) {
    const auto *weight = static_cast<const typename type::weight *>(r.arcs.weight);
    *sum = type::add(from, weight ? __ldg(weight + arc) : 1);
    if (*sum <= r.bound)
        return true;
    if (!r.bounded)
        r.state->over = 1;
    return false;
}

/* Relaxes arcs arc, arc + step, ... of this lane before end, from a place of the row that
** begins at `first`. All lanes of the warp call. A place is listed if it was not reached,
** or falls below the edge. A place that lay below the edge is on the list already, unless
** it was served. */
template <typename type>
static __device__ __forceinline__ void relax(const matrix_rows<type> &r, matrix_word edge,
                                             typename type::word from, uint32_t first,
                                             uint64_t arc, uint64_t end, uint32_t step) {
    struct matrix_state *s = r.state;
    uint32_t *near = r.near[s->side ^ 1], *far = r.far[s->far_side];
    for (; __any_sync(ALL_LANES, arc < end); arc += AT_ONCE * step) {
        typename type::word sum[AT_ONCE] = {};
        uint32_t place[AT_ONCE], nears = 0, fars = 0, near_at = 0, far_at = s->far;
        bool falls[AT_ONCE], again[AT_ONCE], any = false;
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            const uint64_t a = arc + k * step;
            falls[k] = a < end && sum_of(r, from, a, &sum[k]);
            place[k] = first + (a < end ? __ldg(&r.arcs.target[a]) : 0);
        }
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++)
            falls[k] = falls[k] && sum[k] < gg_peek(&r.distance[place[k]]);
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            typename type::word was = 0;
            if (falls[k])
                was = atomicMin(&r.distance[place[k]], sum[k]);
            falls[k] = falls[k] && sum[k] < was;
            again[k] = falls[k] && was != no_way<type>() && was < edge;
            any |= again[k];
            if (sum[k] >= edge && was != no_way<type>())
                falls[k] = false; /* it is on the far list already */
        }
        if (__any_sync(ALL_LANES, any)) {
            __threadfence();
#pragma unroll
            for (uint32_t k = 0; k < AT_ONCE; k++)
                if (again[k])
                    falls[k] = take_bit(r.served, place[k]);
        }
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            nears += falls[k] && sum[k] < edge;
            fars += falls[k] && sum[k] >= edge;
        }
        reserve_some(&s->added, nears, fars, &near_at, &far_at);
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++)
            if (falls[k] && sum[k] < edge)
                near[near_at++] = place[k];
            else if (falls[k])
                far[far_at++] = place[k];
    }
}

/* ---- steps ---- */

template <typename type>
static __global__ void begin_rows(const __grid_constant__ matrix_rows<type> r) {
    for (uint64_t row = gg_thread(); row < r.rows; row += gg_threads_of_grid()) {
        const uint32_t place = (uint32_t)(row * r.arcs.n + r.source[row]);
        r.distance[place] = 0;
        r.near[0][row] = place;
    }
}

/* Serves the near places: one lane for each, the whole warp for those of high degree. */
template <typename type> static __device__ void serve(const matrix_rows<type> &r) {
    struct matrix_state *s = r.state;
    const uint32_t count = s->near, n = r.arcs.n;
    const uint32_t *list = r.near[s->side];
    const auto edge = (typename type::word)s->edge;
    const uint64_t whole = gg_whole_warps(count);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        uint64_t arc = 0, end = 0;
        uint32_t first = 0;
        typename type::word from = 0;
        if (i < count) {
            const uint32_t place = list[i], row = place / n;
            first = row * n;
            set_bit(r.served, place);
            if (!r.done[row]) {
                arc = r.arcs.begin[place - first];
                end = r.arcs.end[place - first];
            }
            __threadfence();
            from = gg_peek(&r.distance[place]);
        }
        unsigned large = __ballot_sync(ALL_LANES, end - arc >= LONG_ARCS);
        relax(r, edge, from, first, arc, end - arc < LONG_ARCS ? end : arc, 1);
        for (; large; large &= large - 1) {
            const int owner = __ffs((int)large) - 1;
            const uint64_t low = __shfl_sync(ALL_LANES, arc, owner),
                           high = __shfl_sync(ALL_LANES, end, owner);
            const typename type::word its = __shfl_sync(ALL_LANES, from, owner);
            const uint32_t of_row = __shfl_sync(ALL_LANES, first, owner);
            relax(r, edge, its, of_row, low + gg_lane(), high, GG_WARP);
        }
    }
    if (gg_last_block(&s->ticket) && threadIdx.x == 0) {
        s->served += count;
        s->steps++;
        s->side ^= 1;
        s->near = (uint32_t)s->added;
        s->far += (uint32_t)(s->added >> 32);
        s->added = 0;
        s->look = s->near == 0;
    }
}

/* Tests whether all targets of a row are final. One block per row. */
template <typename type>
static __device__ void look(const matrix_rows<type> &r, typename type::word edge) {
    for (uint32_t row = blockIdx.x; row < r.rows; row += gridDim.x) {
        bool left = false;
        if (!gg_peek(&r.done[row]))
            for (uint32_t j = threadIdx.x; j < r.targets; j += GG_BLOCK)
                left |= r.distance[(uint64_t)row * r.arcs.n + r.target[j]] >= edge;
        left = __syncthreads_or(left);
        if (threadIdx.x == 0 && !left)
            device_store(&r.done[row], 1);
    }
}

template <typename type> static __device__ void advance(const matrix_rows<type> &r) {
    struct matrix_state *s = r.state;
    const uint32_t from = s->far_side, count = s->far, n = r.arcs.n;
    const auto passed = (typename type::word)s->edge;
    const typename type::word edge = moved_on(r, passed);
    matrix_word least = ~(matrix_word)0;
    const uint64_t whole = gg_whole_warps(count);
    if (count == 0)
        return; /* in all blocks: no block changes the count before all are done */
    look(r, passed);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        const bool live = i < count;
        const uint32_t place = live ? r.far[from][i] : 0;
        const matrix_word d = live ? r.distance[place] : 0;
        /* A place below the passed edge was near, and was served. */
        const bool useful = live && d >= passed && !gg_peek(&r.done[place / n]);
        const bool comes = useful && d < edge, stays = useful && d >= edge;
        uint32_t near_at = 0, far_at = 0;
        reserve_some(&s->added, comes, stays, &near_at, &far_at);
        if (comes)
            r.near[s->side][near_at] = place;
        if (stays) {
            r.far[from ^ 1][far_at] = place;
            least = d < least ? d : least;
        }
    }
    for (int step = GG_WARP / 2; step > 0; step /= 2) {
        matrix_word other = __shfl_xor_sync(ALL_LANES, least, step);
        least = other < least ? other : least;
    }
    if (gg_lane() == 0 && least != ~(matrix_word)0)
        atomicMin(&s->least, least);
    if (gg_last_block(&s->ticket) && threadIdx.x == 0) {
        const matrix_word far = *(volatile matrix_word *)&s->least;
        s->far_side = from ^ 1;
        s->near = (uint32_t)s->added;
        s->far = (uint32_t)(s->added >> 32);
        s->added = 0;
        /* No place is near: the next step advances to the least far distance. */
        s->edge = s->near > 0 || far == ~(matrix_word)0 ? edge : far;
        s->look = s->near == 0;
        s->least = ~(matrix_word)0;
    }
}

/* Runs the step that the last block of the step before has chosen. All blocks read the
** same state. */
template <typename type>
static __global__ void __launch_bounds__(GG_BLOCK, BLOCKS_TOGETHER)
    take_step(const __grid_constant__ matrix_rows<type> r) {
    if (r.state->look)
        advance(r);
    else
        serve(r);
}

template <typename type>
static __global__ void gather_cells(const __grid_constant__ matrix_rows<type> r,
                                    uint64_t cells) {
    for (uint64_t i = gg_thread(); i < cells; i += gg_threads_of_grid()) {
        const uint64_t row = i / r.targets;
        const typename type::word d =
            r.distance[row * r.arcs.n + r.target[i % r.targets]];
        r.cell[i] = d == no_way<type>() ? type::unreached() : d;
    }
}

#endif
