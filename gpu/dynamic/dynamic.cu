/* The slabs of a dynamic graph on a device: memory, transfers, and the order of its
** steps. The kernels: edges.cu, gather.cu, rows.cu. Batches: dynamic.c. */
#include "dynamic.cuh"
#include "device/block_sum.cuh"
#include "graph/graph.cuh"

#include <new>

/* A batch with this many insertions may be announced even if the graph has many edges. */
enum { SLAB_ANNOUNCED = 1 << 18 };

/* ---- the place ---- */

static bool open_cuda(gpugraph_dynamic *d, gpugraph_run *run) {
    if (d->held) {
        d->job = d->lent;
        return d->job && gg_going(d->job);
    }
    struct cuda_job *job = new (std::nothrow) cuda_job();
    if (!job) {
        gg_fail(run, GPUGRAPH_NO_MEMORY, "memory for a job is exhausted");
        return false;
    }
    if (!gg_job_open(job, NULL, run)) {
        delete job;
        return false;
    }
    d->job = job;
    return true;
}

static void close_cuda(gpugraph_dynamic *d, gpugraph_run *) {
    if (d->job && !d->held) {
        gg_job_close(d->job);
        delete d->job;
    }
    d->job = NULL;
}

static void *take_cuda(gpugraph_dynamic *d, uint64_t bytes) {
    return gg_take(d->job, bytes);
}

static void give_cuda(gpugraph_dynamic *d, void *block, uint64_t bytes) {
    if (!d->job && d->held)
        gg_free_block(block, bytes); /* no kernel runs there */
    if (!d->job)
        return; /* the device is lost, and its memory with it */
    cudaStreamSynchronize(d->job->stream);
    gg_give(d->job, block, bytes);
}

static void fill_cuda(gpugraph_dynamic *d, void *block, int byte, uint64_t bytes) {
    if (bytes > 0 && gg_going(d->job))
        gg_fill(d->job, block, byte, bytes);
}

static void copy_cuda(gpugraph_dynamic *d, void *to, const void *from, uint64_t bytes) {
    gg_copy_there(d->job, to, from, bytes);
}

static void upload_cuda(gpugraph_dynamic *d, void *to, const void *from, uint64_t bytes) {
    if (bytes > 0 && gg_going(d->job))
        gg_upload(d->job, to, from, bytes);
}

static void download_cuda(gpugraph_dynamic *d, void *to, const void *from,
                          uint64_t bytes) {
    if (bytes == 0 || !gg_going(d->job))
        return;
    gg_fetch(d->job, to, from, bytes);
}

/* No time is measured in a lent job without a phase callback. */
static bool is_timed(const gpugraph_dynamic *d) {
    return !d->held || d->run->phase;
}

static void mark_cuda(gpugraph_dynamic *d, int which) {
    if (is_timed(d))
        gg_mark(d->job, which == 0 ? GG_BEGAN : GG_ENDED);
}

static double elapsed_cuda(gpugraph_dynamic *d) {
    if (!is_timed(d))
        return 0;
    return gg_going(d->job) && gg_wait(d->job) ? gg_marked_ms(d->job) : 0;
}

/* ---- steps ---- */

static void step_cuda(gpugraph_dynamic *d, enum dynamic_step step,
                      const struct dynamic_batch *b) {
    if (!gg_going(d->job))
        return; /* no step waits: no interrupt separates STEP_INSERT from STEP_SETTLE */
    if (!gg_dynamic_edge_step(d, step, *b))
        gg_dynamic_row_step(d, step, *b);
    gg_launched(d->job, "step of a dynamic graph");
}

/* Adds up at most GG_BLOCK rows, in one block. */
static __global__ void add_up_few(const uint32_t *count, uint64_t *offset, uint32_t n) {
    __shared__ block_sums<uint64_t> sums;
    uint64_t all;
    const uint64_t before = gg_sum_before<GG_BLOCK, uint64_t>(
        threadIdx.x < n ? count[threadIdx.x] : 0, &all, &sums);
    if (threadIdx.x < n)
        offset[threadIdx.x] = before;
    if (threadIdx.x == 0)
        offset[n] = all;
}

static void offsets_cuda(gpugraph_dynamic *d, const struct dynamic_batch *b) {
    struct workspace space = {NULL, 0};
    if (b->count <= GG_BLOCK) {
        add_up_few<<<1, GG_BLOCK, 0, d->job->stream>>>(b->row_count, b->row_offset,
                                                       (uint32_t)b->count);
        gg_launched(d->job, "add_up_few");
        return;
    }
    uint64_t bytes = gg_offsets_scratch((uint32_t)b->count);
    gg_carve<unsigned char>(&space, bytes);
    if (!gg_workspace(d->job, &space))
        return;
    unsigned char *scratch = gg_carve<unsigned char>(&space, bytes);
    gg_offsets(d->job, b->row_count, b->row_offset, (uint32_t)b->count, scratch, bytes);
    d->job->working = false;
}

static const dynamic_place place = {
    open_cuda,         close_cuda,  take_cuda,     give_cuda, fill_cuda,
    copy_cuda,         upload_cuda, download_cuda, step_cuda, offsets_cuda,
    gg_dynamic_gather, mark_cuda,   elapsed_cuda,  false,     SLAB_ANNOUNCED,
};
extern "C" const dynamic_place *const gg_cuda_dynamic = &place;
