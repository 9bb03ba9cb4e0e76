/* The steps of a matrix on the device, many rows at once.
**
**     distance   row 0: n entries | row 1: n entries | ...        place = row * n + vertex
**     near       places whose distance is below `edge` and fell since they were last served
**     far        places that were beyond it when they were reached, each once; some are stale
**     served     a bit for each place: it has been near, and is on no list
**
**     serve      relaxes the arcs of all near places; sums below `edge` go near, others far
**     advance    when nothing is near: moves `edge` on by delta, or to the least far distance and delta; far places below
**                it become near, those of rows that are done go
**     look       beside it: rows whose targets are all below the edge that is passed are done
**
** A launch is one step, and the step before has said which. All rows share one edge, so a step serves all of them, and there
** are hardly more steps than one row would take. Distances only fall, and end as the least sums whatever the order, so that every bit is
** the CPU's. A place is in a list once. What it was before it fell says most of it: a place that was not reached is on no list, one
** that was beyond the edge is on the far list alone. One that lay below the edge is on the near list unless its bit
** is set. That bit is set before the distance is read; who makes a distance fall does so before a look at the bit. A fence stands
** between both, one for all arcs that lanes take at once. After Davidson, Baxter, Garland and Owens, "Work-Efficient Parallel
** GPU Methods for Single-Source Shortest Paths" (IPDPS 2014). */
#ifndef GPUGRAPH_MATRIX_STEPS_CUH
#define GPUGRAPH_MATRIX_STEPS_CUH

#include "relax.cuh"

template <typename number>
static __global__ void begin_rows(const __grid_constant__ matrix_rows<number> r) {
    for (uint64_t row = gg_thread(); row < r.rows; row += gg_threads_of_grid()) {
        const uint32_t place = (uint32_t)(row * r.arcs.n + r.source[row]);
        r.distance[place] = 0;
        r.near[0][row] = place;
    }
}

/* A lane for each near place, the whole warp for those with many arcs. */
template <typename number> static __device__ void serve(const matrix_rows<number> &r) {
    struct matrix_state *s = r.state;
    const uint32_t count = s->near, n = r.arcs.n;
    const uint32_t *list = r.near[s->side];
    const matrix_word edge = s->edge;
    const uint64_t whole = gg_whole_warps(count);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        uint64_t arc = 0, end = 0;
        uint32_t first = 0;
        matrix_word from = 0;
        if (i < count) {
            const uint32_t place = list[i], row = place / n;
            first = row * n;
            set_bit(r.served, place);
            if (!r.done[row]) {
                arc = r.arcs.offset[place - first];
                end = r.arcs.offset[place - first + 1];
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
            const matrix_word its = __shfl_sync(ALL_LANES, from, owner);
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

/* A block for each row: are all of its targets final? */
template <typename number>
static __device__ void look(const matrix_rows<number> &r, matrix_word edge) {
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

template <typename number> static __device__ void advance(const matrix_rows<number> &r) {
    struct matrix_state *s = r.state;
    const uint32_t from = s->far_side, count = s->far, n = r.arcs.n;
    const matrix_word passed = s->edge, edge = moved_on(r, passed);
    matrix_word least = ~(matrix_word)0;
    const uint64_t whole = gg_whole_warps(count);
    if (count == 0)
        return; /* for all blocks: nobody changes it before all are done */
    look(r, passed);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        const bool live = i < count;
        const uint32_t place = live ? r.far[from][i] : 0;
        const matrix_word d = live ? r.distance[place] : 0;
        /* Below the edge that is passed: it has come near and was served. */
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
        /* Nothing came near: on to the least that is far, next time. */
        s->edge = s->near > 0 || far == ~(matrix_word)0 ? edge : far;
        s->look = s->near == 0;
        s->least = ~(matrix_word)0;
    }
}

/* One of both, which is the same one for all blocks: the last one changes the state. */
template <typename number>
static __global__ void __launch_bounds__(GG_BLOCK)
    take_step(const __grid_constant__ matrix_rows<number> r) {
    if (r.state->look)
        advance(r);
    else
        serve(r);
}

template <typename number>
static __global__ void gather_cells(const __grid_constant__ matrix_rows<number> r,
                                    uint64_t cells, number none) {
    for (uint64_t i = gg_thread(); i < cells; i += gg_threads_of_grid()) {
        const uint64_t row = i / r.targets;
        number d = r.distance[row * r.arcs.n + r.target[i % r.targets]];
        r.cell[i] = d == no_way<number>() ? none : d;
    }
}

#endif
