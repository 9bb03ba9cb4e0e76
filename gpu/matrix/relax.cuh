/* A matrix on the device: the arrays of its rows, and the arcs that lanes relax, some at once. */
#ifndef GPUGRAPH_MATRIX_RELAX_CUH
#define GPUGRAPH_MATRIX_RELAX_CUH

#include "base/warp.h"
#include "graph/frontier.cuh"

enum {
    MATRIX_BLOCKS = 8, /* for each multiprocessor */
    LONG_ARCS = 64,    /* from which a warp takes a row together */
    AT_ONCE = 4        /* arcs that a lane asks for together */
};

typedef unsigned long long matrix_word;

struct matrix_state {
    matrix_word edge;  /* near places lie below */
    matrix_word least; /* of the far places that stay far */
    matrix_word served;
    matrix_word added;       /* by this step: far places << 32 | near ones */
    uint32_t near, far;      /* places in the lists that are read */
    uint32_t side, far_side; /* which of both these are */
    uint32_t ticket, look, over, steps;
};

template <typename number> struct matrix_rows {
    struct device_csr arcs;
    uint32_t rows, targets;
    number *distance; /* UINT64 and REAL: words */
    uint32_t *near[2], *far[2];
    uint32_t *served, *done; /* served: a bit for each place; done[row] */
    const uint32_t *source, *target;
    number *cell;
    matrix_word bound, delta;
    bool real, bounded;
    struct matrix_state *state;
};

/* ---- numbers ---- */

template <typename number> static __device__ __forceinline__ number no_way() {
    return (number) ~(number)0;
}

static __device__ __forceinline__ uint32_t least_of(uint32_t *place, uint32_t sum) {
    return atomicMin(place, sum);
}
static __device__ __forceinline__ matrix_word least_of(matrix_word *place,
                                                       matrix_word sum) {
    return atomicMin(place, sum);
}

static __device__ __forceinline__ double real_of(matrix_word word) {
    return __longlong_as_double((long long)word);
}
static __device__ __forceinline__ matrix_word word_of(double d) {
    return (matrix_word)__double_as_longlong(d);
}

/* ~0: it leaves the range. */
template <typename number>
static __device__ __forceinline__ matrix_word sum_along(const matrix_rows<number> &r,
                                                        matrix_word from, uint64_t arc) {
    const void *weight = r.arcs.weight;
    if (!weight)
        return from + 1;
    if (sizeof(number) == sizeof(uint32_t))
        return from + __ldg((const uint32_t *)weight + arc);
    if (r.real) {
        double sum = __dadd_rn(real_of(from), __ldg((const double *)weight + arc));
        return sum <= DBL_MAX ? word_of(sum) : ~(matrix_word)0;
    }
    matrix_word sum = from + (matrix_word)__ldg((const long long *)weight + arc);
    return sum > INT64_MAX ? ~(matrix_word)0 : sum;
}

/* The next edge: words of REAL distances are added as numbers. */
template <typename number>
static __device__ matrix_word moved_on(const matrix_rows<number> &r, matrix_word from) {
    if (!r.real)
        return from + r.delta < from ? ~(matrix_word)0 : from + r.delta;
    matrix_word to = word_of(__dadd_rn(real_of(from), real_of(r.delta)));
    return to > from ? to : from + 1; /* delta is lost to rounding */
}

/* ---- lists ---- */

static __device__ __forceinline__ void set_bit(uint32_t *bits, uint32_t place) {
    atomicOr(&bits[place / 32], 1u << place % 32);
}

/* Was it set? */
static __device__ __forceinline__ bool take_bit(uint32_t *bits, uint32_t place) {
    const uint32_t bit = 1u << place % 32;
    return atomicAnd(&bits[place / 32], ~bit) & bit;
}

/* This lane's first places in both lists, behind what the step has added before; all lanes of the warp call. */
static __device__ __forceinline__ void reserve_some(matrix_word *added, uint32_t nears,
                                                    uint32_t fars, uint32_t *near_at,
                                                    uint32_t *far_at) {
    uint32_t both, all;
    matrix_word first = 0;
    /* A lane has few: the sums of both fit one word. */
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

/* The sum along an arc; false: it is of no use. */
template <typename number>
static __device__ __forceinline__ bool
sum_of(const matrix_rows<number> &r, matrix_word from, uint64_t arc, matrix_word *sum) {
    *sum = sum_along(r, from, arc);
    if (*sum == ~(matrix_word)0 && !r.bounded)
        r.state->over = 1;
    return *sum <= r.bound;
}

/* Arcs arc, arc + step, ... of this lane before end, from a place of the row that begins at `first`. All
** lanes of the warp call. A place that nobody had reached goes on a list, and so does one that comes below the edge;
** one that lay below it already waits on the list, unless it was served. */
template <typename number>
static __device__ __forceinline__ void
relax(const matrix_rows<number> &r, matrix_word edge, matrix_word from, uint32_t first,
      uint64_t arc, uint64_t end, uint32_t step) {
    struct matrix_state *s = r.state;
    uint32_t *near = r.near[s->side ^ 1], *far = r.far[s->far_side];
    for (; __any_sync(ALL_LANES, arc < end); arc += AT_ONCE * step) {
        matrix_word sum[AT_ONCE] = {};
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
            falls[k] = falls[k] && (number)sum[k] < gg_peek(&r.distance[place[k]]);
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            number was = 0;
            if (falls[k])
                was = least_of(&r.distance[place[k]], (number)sum[k]);
            falls[k] = falls[k] && (number)sum[k] < was;
            again[k] = falls[k] && was != no_way<number>() && was < edge;
            any |= again[k];
            if (sum[k] >= edge && was != no_way<number>())
                falls[k] = false; /* it is far already */
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

#endif
