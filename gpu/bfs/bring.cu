/* Depths on their way home: a byte each, where no depth is larger than a byte has room for.
**
**     device    depths  --- a kernel, a piece at a time --->  stage 0 1 2 3 0 ...     pinned memory
**     host      stage   --- several threads --------------->  the caller's array
**
** A search of a graph with hubs takes less time than its depths on the bus and in the host's memory,
** where several devices meet: a quarter of the bytes comes over both. Beside the kernels of another search
** bytes that one kernel has made before are copied to the stages. */
#include "bfs.cuh"
#include "tuning.h"

enum {
    UNREACHED = UINT8_MAX, /* in place of GPUGRAPH_NONE */
    PIECE = 1 << 20,       /* depths that are brought at a time */
    BLOCKS = 4             /* for each multiprocessor: they wait for the bus */
};
static_assert(PIECE <= GG_STAGE_BYTES, "a piece fits a stage");

/* One thread to four depths. */
static __global__ void narrow_depths(const uint32_t *depth, uint32_t count,
                                     uint32_t *four) {
    const uint64_t quads = ((uint64_t)count + 3) / 4;
    for (uint64_t i = gg_thread(); i < quads; i += gg_threads_of_grid()) {
        uint32_t bytes = 0;
#pragma unroll
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t d = i * 4 + k < count ? depth[i * 4 + k] : 0;
            bytes |= (d < UNREACHED ? d : UNREACHED) << 8 * k;
        }
        four[i] = bytes;
    }
}

/* One of both, on the device. */
struct origin {
    const uint32_t *depth;
    const uint8_t *bytes;
};

static uint32_t piece_size(uint64_t n, uint64_t piece) {
    const uint64_t left = n - piece * PIECE;
    return left < PIECE ? (uint32_t)left : (uint32_t)PIECE;
}

static bool queue_narrowing(struct cuda_job *job, const uint32_t *depth, uint32_t count,
                            void *to) {
    if (!gg_going(job))
        return false;
    narrow_depths<<<gg_grid(job, ((uint64_t)count + 3) / 4, BLOCKS), GG_BLOCK, 0,
                    job->stream>>>(depth, count, (uint32_t *)to);
    return gg_launched(job, "narrow_depths");
}

/* Pinned memory has the same address on the device. */
static bool queue_piece(struct cuda_job *job, struct origin from, uint64_t n,
                        uint64_t piece) {
    struct cuda_device *device = job->device;
    const int stage = (int)(piece % GG_STAGES);
    const uint64_t first = piece * PIECE;
    const uint32_t count = piece_size(n, piece);
    if (from.bytes)
        gg_note(job,
                cudaMemcpyAsync(device->stage[stage], from.bytes + first, count,
                                cudaMemcpyDeviceToHost, device->aside),
                "send data");
    else
        queue_narrowing(job, from.depth + first, count, device->stage[stage]);
    return gg_going(job) &&
           gg_note(job,
                   cudaEventRecord(device->staged[stage],
                                   from.bytes ? device->aside : job->stream),
                   "record an event");
}

static bool bring(struct cuda_job *job, uint32_t *to, struct origin from, uint64_t n) {
    const uint64_t pieces = (n + PIECE - 1) / PIECE;
    uint64_t queued = 0;
    for (uint64_t piece = 0; piece < pieces; piece++) {
        const int stage = (int)(piece % GG_STAGES);
        while (queued < pieces && queued < piece + GG_STAGES)
            if (!queue_piece(job, from, n, queued++))
                return false;
        if (!gg_wait_for(job, job->device->staged[stage]))
            return false;
        gg_widen(job->run, to + piece * PIECE, job->device->stage[stage],
                 piece_size(n, piece), GG_COPY_THREADS, n >= GG_PAST_CACHES);
    }
    return gg_going(job);
}

bool gg_bfs_fits_bytes(uint64_t n, uint32_t deepest) {
    return deepest < UNREACHED && n >= GG_BFS_BYTES_LEAST;
}

bool gg_bfs_bring(struct cuda_job *job, uint32_t *to, const uint32_t *from, uint64_t n,
                  uint32_t deepest) {
    if (!gg_bfs_fits_bytes(n, deepest))
        return gg_download(job, to, from, n * sizeof *to);
    return bring(job, to, {from, NULL}, n);
}

bool gg_bfs_hand_over(struct cuda_job *job, uint8_t *bytes, const uint32_t *from,
                      uint32_t n) {
    return queue_narrowing(job, from, n, bytes) &&
           gg_note(job, cudaEventRecord(job->device->handed_over, job->stream),
                   "record an event") &&
           gg_note(job,
                   cudaStreamWaitEvent(job->device->aside, job->device->handed_over, 0),
                   "wait for an event");
}

bool gg_bfs_bring_aside(struct cuda_job *job, uint32_t *to, const uint8_t *bytes,
                        uint64_t n) {
    return bring(job, to, {NULL, bytes}, n);
}
