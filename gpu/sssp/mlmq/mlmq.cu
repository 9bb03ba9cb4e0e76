/* Shortest paths on the device, engine "multi-level multi-queue": kernel and driver.
** mlmq.h describes the queues, work.h the warps.
**
**     reset  ->  one cooperative launch: workers and a manager  ->  reports
**
** As many blocks run as the parameters ask for and the device can hold at once. Every
** warp stays until the manager finds that all accounts are balanced. */
#include "sssp/sssp.cuh"
#include "work.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* Elements of L2 for each vertex, and a constant number in addition. */
#define ROOM_FOR_VERTEX 2
#define ROOM_AT_LEAST   65536
/* One more element for this many arcs, at most as many as for vertices. */
#define ROOM_ARCS 8
/* Vertices for which one more block is worthwhile. */
#define BLOCK_VERTICES 256
/* log2 of the elements of a segment: 2 KiB. */
#define SEGMENT_SHIFT 8
/* Blocks on a multiprocessor, for the compiler's choice of registers. */
#define BLOCKS_FIT 3

struct mlmq_launch {
    mlmq m;
    cooperative_kernel kernel;
    unsigned blocks;
    mlmq_sizes size;
};

/* ---- kernels ---- */

/* One warp per worker, until the search is over. Warp 0 of the grid is the manager. */
static __global__ void __launch_bounds__(GG_BLOCK, BLOCKS_FIT)
    mlmq_works(const __grid_constant__ mlmq m) {
    const int warps = GG_BLOCK / GG_WARP;
    __shared__ mlmq_shared shared[warps];
    unsigned warp = threadIdx.x / GG_WARP;
    mlmq_run_warp(&m, &shared[warp], blockIdx.x * warps + warp);
}

/* ---- sizes ---- */

static uint32_t between(uint32_t value, uint32_t least, uint32_t most) {
    return value < least ? least : value < most ? value : most;
}

static void plan_queues(cuda_job *job, const sssp_search *s, mlmq_launch *l) {
    const sssp_parameters *p = &s->parameters;
    mlmq *m = &l->m;
    *l = mlmq_launch();
    m->n = s->g.n;
    m->begin = s->g.begin;
    m->end = s->g.end;
    m->target = s->g.target;
    m->weight = static_cast<const uint32_t *>(s->g.weight);
    m->distance = static_cast<uint32_t *>(s->distance);
    m->host_stop = s->stop;
    m->l0 = p->l0;
    m->l1_capacity = between(p->l1_capacity, 1, MLMQ_L1_MOST);
    m->write_back = p->write_back;
    m->cooperative = between(p->cooperative, 1, 1u << 26);
    const bool one_fifo = p->kind == SSSP_L1V_L2V;
    m->bnum = one_fifo ? 1 : between(p->bnum, 1, MLMQ_RING - 1);
    m->scale = mlmq_scale_of(one_fifo ? INFINITY : p->delta);
    m->shift = SEGMENT_SHIFT;
    const sssp_bound bound = gg_sssp_bound(s->wanted, GPUGRAPH_UINT32);
    m->most = (uint32_t)bound.most;
    m->tight = bound.tight;
    m->source = s->ends;
    m->sources = bound.none ? 0 : s->wanted->source_count;
    l->kernel = {(const void *)mlmq_works, "mlmq_works", GG_BLOCK, 0};
    l->blocks = gg_sssp_blocks(job, s, &l->kernel, BLOCK_VERTICES);
    m->warps = l->blocks * l->kernel.threads / GG_WARP;
    uint64_t room = (uint64_t)m->n * ROOM_FOR_VERTEX;
    room += s->g.m / ROOM_ARCS < room ? s->g.m / ROOM_ARCS : room;
    room += ROOM_AT_LEAST;
    l->size = mlmq_size(m, p->l2_capacity ? p->l2_capacity : room, GG_WARP);
}

/* The arrays that begin as 0 lie together at the end. */
static void carve_queues(workspace *space, mlmq_launch *l, uint64_t *zero_from) {
    mlmq *m = &l->m;
    const mlmq_sizes *size = &l->size;
    m->slot = gg_carve<uint64_t>(space, size->slots);
    m->next = gg_carve<uint32_t>(space, size->segments);
    *zero_from = space->used;
    m->consumed = gg_carve<uint32_t>(space, size->directory);
    m->directory = gg_carve<uint64_t>(space, size->directory);
    m->control = gg_carve<struct mlmq_control>(space, 1);
}

/* ---- a search ---- */

static bool start_queues(cuda_job *job, mlmq_launch *l, unsigned char *zero,
                         uint64_t zeros) {
    mlmq_control control = mlmq_control();
    gg_fill(job, l->m.slot, 0xff, l->size.slots * sizeof *l->m.slot);
    gg_fill(job, zero, 0, zeros);
    mlmq_start(&l->m, &control);
    gg_upload(job, l->m.control, &control, sizeof control);
    gg_fill(job, l->m.distance, 0xff, (uint64_t)l->m.n * sizeof *l->m.distance);
    void *arguments[] = {&l->m};
    return gg_launch_cooperative(job, &l->kernel, l->blocks, arguments);
}

static bool finish_queues(cuda_job *job, const mlmq_launch *l, sssp_search *s) {
    mlmq_control control;
    const size_t reports = offsetof(struct mlmq_control, failed);
    static_assert(sizeof control - offsetof(struct mlmq_control, failed) <= GG_MAILBOX,
                  "the mailbox holds the reports");
    if (!gg_fetch(job, &control.over, &l->m.control->over, sizeof control.over) ||
        !gg_fetch(job, &control.failed, &l->m.control->failed, sizeof control - reports))
        return false;
    s->full = control.over == MLMQ_FULL;
    if (control.over != MLMQ_DONE && !s->full) {
        gg_fail(
            job->run, GPUGRAPH_DEVICE_FAILED,
            "a warp of a multi-level multi-queue waited too long (%u, %u): report this "
            "graph, please",
            control.over, control.failed);
        return false;
    }
    s->dropped = control.dropped != 0;
    s->served = control.served;
    snprintf(s->more, sizeof s->more,
             "%u blocks, %.2f relaxations a vertex, %llu checks of accounts", l->blocks,
             (double)control.served / (l->m.n ? l->m.n : 1),
             (unsigned long long)control.rounds);
    return true;
}

uint64_t gg_sssp_mlmq_bytes(cuda_job *job, const sssp_search *s) {
    mlmq_launch l;
    workspace space = {NULL, 0};
    uint64_t zero_from;
    plan_queues(job, s, &l);
    carve_queues(&space, &l, &zero_from);
    return space.used;
}

bool gg_sssp_mlmq(cuda_job *job, sssp_search *s, workspace *space) {
    mlmq_launch l;
    uint64_t zero_from;
    plan_queues(job, s, &l);
    carve_queues(space, &l, &zero_from);
    return start_queues(job, &l, space->base + zero_from, space->used - zero_from) &&
           finish_queues(job, &l, s);
}
