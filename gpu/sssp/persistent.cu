/* Shortest paths on the device, engine "persistent": one cooperative launch, after the
** delta-stepping of Meyer and Sanders (J. Algorithms 49, 2003).
**
**     seed -> round's list --.
**        .---------<---------+---<--- vertices of the bucket that fell again
**        v                   |
**     walk | local ---> next round's list, buckets' lists, the rest, slices
**        |                                                            |
**        |   (slices of long rows: walked by all blocks)  <-----------'
**        v   the bucket stays empty
**     next bucket that has vertices; if none has, the rest is distributed over buckets
**
** After each grid barrier every block reads the same board and decides by itself what
** comes next. Rounds of few vertices stay within blocks (local), so that on roads the
** dozens of steps of a bucket need one grid barrier. */
#include "persistent_buckets.cuh"
#include "persistent_plan.cuh"

#include <stdio.h>

/* ---- kernel ---- */

template <typename type>
static __device__ void search_persistent(const persistent<type> &p,
                                         block_memory<type> &m) {
    place<type> at = {
        0,    (typename type::span)(1 / p.delta), 0, 0, 1, 0, type::unreached(), false,
        false};
    uint32_t barriers = 0, buckets = 0;
    uint64_t settled = 0;
    begin(p, m);
    if (!meet(p.state, &barriers, m))
        return;
    seed(p, at, m);
    close(p, at, m);
    if (!meet(p.state, &barriers, m))
        return;
    settled += m.board.round[1].settled;
    read_ends(p, at, m);
    begin_bucket(p, at, m);
    input in = {OF_ROUND, list_at(p, next_list(at)), m.board.round[1].vertices};
    bool more = in.count > 0, early = false;
    while (more && !early) {
        if (!finish_bucket(p, at, m, in, &settled, &barriers))
            return;
        buckets++;
        early = look_at_ends(p, at, m) || (!is_finishing(m) && !targets_wait(p, at)) ||
                (p.limit > 0 && settled >= p.limit);
        if (!early)
            more = next_bucket(p, at, m, &barriers);
        if (!more)
            break;
        const uint32_t list = is_finishing(m) ? m.paths.list : at.bucket;
        in = {OF_BUCKET, list_at(p, list), m.board.count[list]};
        begin_bucket(p, at, m);
    }
    early = early || is_finishing(m);
    if (early)
        reset_rest(p, at, m);
    if (threadIdx.x == 0) {
        atomicAdd(&p.state->served, (unsigned long long)m.served);
        if (blockIdx.x == 0) {
            p.state->early = early;
            p.state->rounds = at.round;
            p.state->buckets = buckets;
            p.state->barriers = barriers;
        }
    }
}

/* Cooperative. walk() and local() describe the lists, rows and lanes of their steps. */
template <typename type>
static __global__ void __launch_bounds__(GG_PERSISTENT_BLOCK, BLOCKS_TO_FIT)
    find_distances(const __grid_constant__ persistent<type> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    block_memory<type> &m = *reinterpret_cast<block_memory<type> *>(memory);
    if (gg_lane() < LISTS)
        m.stage[warp_of_block()].tally[gg_lane()] = 0;
    if (gg_lane() == 0)
        m.stage[warp_of_block()].staged = 0;
    if (threadIdx.x == 0) {
        m.settled = m.served = 0;
        forget_paths(p, m);
    }
    __syncthreads();
    search_persistent(p, m);
}

/* ---- driver ---- */

template <typename type>
static void carve_persistent(workspace *space, const sssp_search *s,
                             persistent<type> *p) {
    uint64_t n = (uint64_t)s->g.n * type::ends, arcs = s->g.m + s->back.m;
    p->state = gg_carve<struct persistent_state>(space, 1);
    p->list = gg_carve<uint32_t>(space, n * LISTS);
    p->mark = gg_carve<uint32_t>(space, n);
    p->slice_arcs = slice_of(arcs);
    p->slice = gg_carve<uint64_t>(space, 2 * (arcs >> p->slice_arcs) + 1);
    p->distance = static_cast<typename type::word *>(s->distance);
    p->ends = s->ends;
}

/* Vertices for which a block is worthwhile. */
#ifndef GG_PERSISTENT_VERTICES /* a test has fewer */
#define GG_PERSISTENT_VERTICES 64
#endif

template <typename type>
static bool search_by_buckets(cuda_job *job, sssp_search *s, workspace *space) {
    persistent<type> p;
    persistent_state state;
    const cooperative_kernel kernel = {(const void *)find_distances<type>,
                                       "find_distances", GG_PERSISTENT_BLOCK,
                                       sizeof(block_memory<type>)};
    carve_persistent(space, s, &p);
    set_up(s, &p);
    const unsigned blocks = gg_sssp_blocks(job, s, &kernel, GG_PERSISTENT_VERTICES);
    void *arguments[] = {&p};
    gg_mark(job, GG_BEGAN);
    gg_fill(job, p.state, 0, sizeof state);
    gg_fill(job, &p.state->least, 0xff,
            sizeof state.least + sizeof state.path + sizeof state.lightest);
    gg_launch_cooperative(job, &kernel, blocks, arguments);
    gg_mark(job, GG_ENDED);
    if (!gg_wait(job) || !gg_fetch(job, &state, p.state, sizeof state))
        return false;
    if (state.failed) {
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                "a block of the kernel find_distances did not reach the grid barrier "
                "after %u rounds",
                state.rounds);
        return false;
    }
    s->dropped = state.dropped;
    s->early = state.early;
    s->served = state.served;
    s->barriers = state.barriers;
    snprintf(
        s->more, sizeof s->more,
        "kernels %.3f ms; %u blocks, %u buckets of %.3g, %u rounds, %u grid barriers",
        gg_marked_ms(job), blocks, state.buckets, p.delta, state.rounds, state.barriers);
    return true;
}

uint64_t gg_sssp_persistent_bytes(cuda_job *, const sssp_search *s) {
    workspace space = {NULL, 0};
    persistent<integer32> any;
    persistent<both_ends<integer32>> any_both;
    if (s->back.begin)
        carve_persistent(&space, s, &any_both);
    else
        carve_persistent(&space, s, &any);
    return space.used;
}

bool gg_sssp_persistent(cuda_job *job, sssp_search *s, workspace *space) {
    return gg_by_distance_type(s->type, [&](auto plain) {
        typedef decltype(plain) type;
        return s->back.begin ? search_by_buckets<both_ends<type>>(job, s, space)
                             : search_by_buckets<type>(job, s, space);
    });
}
