/* Depths on their way home: a byte each, where no depth is larger than a byte has room for.
**
**     device    depths  --- a kernel, a piece at a time --->  stage 0 1 2 3 0 ...     pinned memory
**     host      stage   --- several threads --------------->  the caller's array
**
** A search of a graph with hubs takes less time than its depths on the bus and in the host's memory,
** where several devices meet: a quarter of the bytes comes over both. */
#include "bfs.cuh"
#include "tuning.h"

enum {
    UNREACHED = UINT8_MAX, /* in place of GPUGRAPH_NONE */
    PIECE = 1 << 20,       /* depths that are brought at a time */
    BLOCKS = 4,            /* for each multiprocessor: they wait for the bus */
    RUN = 64               /* depths of a loop that the compiler makes vectors of */
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

struct widening {
    uint32_t *to;
    const uint8_t *from;
};

static inline uint32_t widen(uint8_t d) {
    return d == UNREACHED ? GPUGRAPH_NONE : d;
}

static void widen_run(uint32_t *__restrict__ to, const uint8_t *__restrict__ from) {
    for (int k = 0; k < RUN; k++)
        to[k] = widen(from[k]);
}

static void widen_slice(void *job, uint64_t low, uint64_t high) {
    const struct widening *w = (const struct widening *)job;
    for (; high - low >= RUN; low += RUN)
        widen_run(w->to + low, w->from + low);
    for (; low < high; low++)
        w->to[low] = widen(w->from[low]);
}

static uint32_t piece_size(uint64_t n, uint64_t piece) {
    const uint64_t left = n - piece * PIECE;
    return left < PIECE ? (uint32_t)left : (uint32_t)PIECE;
}

/* Pinned memory has the same address on the device. */
static bool queue_piece(struct cuda_job *job, const uint32_t *from, uint64_t n,
                        uint64_t piece) {
    const int stage = (int)(piece % GG_STAGES);
    const uint32_t count = piece_size(n, piece);
    if (!gg_going(job))
        return false;
    narrow_depths<<<gg_grid(job, (count + 3) / 4, BLOCKS), GG_BLOCK, 0, job->stream>>>(
        from + piece * PIECE, count,
        reinterpret_cast<uint32_t *>(job->device->stage[stage]));
    return gg_launched(job, "narrow_depths") &&
           gg_note(job, cudaEventRecord(job->device->staged[stage], job->stream),
                   "record an event");
}

static bool bring_bytes(struct cuda_job *job, uint32_t *to, const uint32_t *from,
                        uint64_t n) {
    const uint64_t pieces = (n + PIECE - 1) / PIECE;
    uint64_t queued = 0;
    for (uint64_t piece = 0; piece < pieces; piece++) {
        const int stage = (int)(piece % GG_STAGES);
        while (queued < pieces && queued < piece + GG_STAGES)
            if (!queue_piece(job, from, n, queued++))
                return false;
        if (!gg_wait_for(job, job->device->staged[stage]))
            return false;
        struct widening w = {to + piece * PIECE, job->device->stage[stage]};
        const uint32_t count = piece_size(n, piece);
        const int threads = gg_threads(job->run, count);
        gg_slices(threads < GG_COPY_THREADS ? threads : GG_COPY_THREADS, count,
                  widen_slice, &w);
    }
    return gg_going(job);
}

bool gg_bfs_bring(struct cuda_job *job, uint32_t *to, const uint32_t *from, uint64_t n,
                  uint32_t deepest) {
    if (deepest >= UNREACHED || n < GG_BFS_BYTES_LEAST)
        return gg_download(job, to, from, n * sizeof *to);
    return bring_bytes(job, to, from, n);
}
