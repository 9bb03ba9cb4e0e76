/* Downloads depths. Each depth crosses the bus as a byte if no depth needs more than a
** byte.
**
**     device    depths  --- a kernel, a piece at a time --->  pinned stage 0 1 2 3 0 ...
**     host      stage   --- several threads --------------->  the caller's array of words
**
** A search of a graph with hubs takes less time than the transfer of four bytes for each
** depth. */
#include "bfs.cuh"

/* Fewer depths are downloaded as words, because bytes need an additional kernel. */
#ifndef GG_BFS_BYTES_LEAST
#define GG_BFS_BYTES_LEAST (1 << 16)
#endif

enum {
    PIECE = 1 << 21,      /* depths of a piece */
    NARROWING_BLOCKS = 4, /* for each multiprocessor: they wait for the bus */
    NO_DEPTH = UINT8_MAX  /* in place of GPUGRAPH_NONE */
};
static_assert(PIECE <= GG_STAGE_BYTES, "a piece fits a stage");

static __device__ __forceinline__ uint32_t narrow_one(uint32_t d) {
    return d < NO_DEPTH ? d : (uint32_t)NO_DEPTH;
}

/* One thread narrows four depths. The first depth lies in the lowest byte. */
static __global__ void narrow_depths(const uint32_t *depth, uint32_t count,
                                     uint32_t *word) {
    const uint4 *four = (const uint4 *)depth;
    const uint32_t words = count / 4, left = count % 4;
    for (uint64_t i = gg_thread(); i < words; i += gg_threads_of_grid()) {
        const uint4 d = four[i];
        word[i] = narrow_one(d.x) | narrow_one(d.y) << 8 | narrow_one(d.z) << 16 |
                  narrow_one(d.w) << 24;
    }
    if (gg_thread() == 0 && left > 0) {
        uint32_t all = 0;
        for (uint32_t k = 0; k < left; k++)
            all |= narrow_one(depth[words * 4 + k]) << 8 * k;
        word[words] = all;
    }
}

static uint32_t piece_size(uint64_t n, uint64_t piece) {
    const uint64_t left = n - piece * PIECE;
    return (uint32_t)(left < PIECE ? left : (uint64_t)PIECE);
}

/* Pinned memory has the same address on the device. */
static bool queue_piece(cuda_job *job, const uint32_t *from, uint64_t n, uint64_t piece) {
    cuda_device *device = job->device;
    const int stage = (int)(piece % GG_STAGES);
    const uint32_t count = piece_size(n, piece);
    if (!gg_going(job))
        return false;
    return GG_LAUNCH(job, narrow_depths, gg_grid(job, count / 4 + 1, NARROWING_BLOCKS),
                     from + piece * PIECE, count, (uint32_t *)device->stage[stage]) &&
           gg_note(job, cudaEventRecord(device->staged[stage], job->stream),
                   "record an event");
}

static bool bring_as_bytes(cuda_job *job, uint32_t *to, const uint32_t *from,
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
        gg_widen(job->run, to + piece * PIECE, job->device->stage[stage],
                 piece_size(n, piece), n);
    }
    return gg_going(job);
}

bool gg_bfs_bring(cuda_job *job, uint32_t *to, const uint32_t *from, uint64_t n,
                  uint32_t deepest) {
    return n >= GG_BFS_BYTES_LEAST && deepest < NO_DEPTH
               ? bring_as_bytes(job, to, from, n)
               : gg_download(job, to, from, n * sizeof *to);
}
