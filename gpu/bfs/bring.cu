/* Depths on their way home: half a byte each where no depth is larger than that has room for, or a byte.
**
**     device    depths  --- a kernel, a piece at a time --->  stage 0 1 2 3 0 ...     pinned memory
**     host      stage   --- several threads --------------->  the caller's array, of four bytes or of one
**
** A search of a graph with hubs takes less time than its depths on the bus and in the host's memory,
** where several devices meet: an eighth or a quarter of the bytes comes over both. Beside the kernels of another
** search narrow depths that one kernel has made before are copied to the stages. */
#include "bfs.cuh"
#include "tuning.h"

enum {
    NIBBLE = 4,
    BYTE = 8,
    WORD = 32,             /* bits of a depth */
    PIECE_BYTES = 1 << 20, /* that are brought at a time */
    BLOCKS = 4             /* for each multiprocessor: they wait for the bus */
};
static_assert(PIECE_BYTES <= GG_STAGE_BYTES, "a piece fits a stage");
static_assert(2 * GG_BFS_PIECES <= GG_STAGES, "the next ones are on their way meanwhile");
static_assert(GG_BFS_PIECES <= GG_WIDEN_PIECES, "a team takes them");

/* In place of GPUGRAPH_NONE. */
static __host__ __device__ constexpr uint32_t none_of(int bits) {
    return (1u << bits) - 1;
}

template <int bits> static __device__ __forceinline__ uint32_t narrow_one(uint32_t d) {
    return d < none_of(bits) ? d : none_of(bits);
}

template <int bits> static __device__ __forceinline__ uint32_t narrow_four(uint4 d) {
    return narrow_one<bits>(d.x) | narrow_one<bits>(d.y) << bits |
           narrow_one<bits>(d.z) << 2 * bits | narrow_one<bits>(d.w) << 3 * bits;
}

/* One thread to as many depths as make four bytes; the first ones lie in the lowest bits. */
template <int bits>
static __global__ void narrow_depths(const uint32_t *depth, uint32_t count,
                                     uint32_t *word) {
    enum { EACH = WORD / bits };
    const uint4 *four = (const uint4 *)depth;
    const uint64_t words = count / EACH, left = count % EACH;
    for (uint64_t i = gg_thread(); i < words; i += gg_threads_of_grid()) {
        uint32_t all = narrow_four<bits>(four[i * EACH / 4]);
        if (bits == NIBBLE)
            all |= narrow_four<bits>(four[i * EACH / 4 + 1]) << 4 * NIBBLE;
        word[i] = all;
    }
    if (gg_thread() == 0 && left > 0) {
        uint32_t all = 0;
        for (uint64_t k = 0; k < left; k++)
            all |= narrow_one<bits>(depth[words * EACH + k]) << bits * k;
        word[words] = all;
    }
}

/* n depths of so many bits on the way; one of both, on the device. */
struct origin {
    uint64_t n;
    int bits;
    const uint32_t *depth;
    const uint8_t *narrow;
};

static uint64_t piece_entries(const struct origin *from) {
    return (uint64_t)PIECE_BYTES * BYTE / from->bits;
}

static uint32_t piece_size(const struct origin *from, uint64_t piece) {
    const uint64_t most = piece_entries(from), left = from->n - piece * most;
    return (uint32_t)(left < most ? left : most);
}

static bool queue_narrowing(struct cuda_job *job, const uint32_t *depth, uint32_t count,
                            int bits, void *to) {
    if (!gg_going(job))
        return false;
    const uint64_t words = ((uint64_t)count * bits + WORD - 1) / WORD;
    const auto kernel = bits == NIBBLE ? narrow_depths<NIBBLE> : narrow_depths<BYTE>;
    kernel<<<gg_grid(job, words, BLOCKS), GG_BLOCK, 0, job->stream>>>(depth, count,
                                                                      (uint32_t *)to);
    return gg_launched(job, "narrow_depths");
}

/* Pinned memory has the same address on the device. */
static bool queue_piece(struct cuda_job *job, const struct origin *from, uint64_t piece) {
    struct cuda_device *device = job->device;
    const int stage = (int)(piece % GG_STAGES);
    const uint64_t count = piece_size(from, piece);
    if (from->narrow)
        gg_note(job,
                cudaMemcpyAsync(device->stage[stage], from->narrow + piece * PIECE_BYTES,
                                (count * from->bits + BYTE - 1) / BYTE,
                                cudaMemcpyDeviceToHost, device->aside),
                "send data");
    else
        queue_narrowing(job, from->depth + piece * piece_entries(from), (uint32_t)count,
                        from->bits, device->stage[stage]);
    return gg_going(job) &&
           gg_note(job,
                   cudaEventRecord(device->staged[stage],
                                   from->narrow ? device->aside : job->stream),
                   "record an event");
}

/* Pieces from `first` on, which have been queued. */
struct arrivals {
    struct cuda_job *job;
    uint64_t first;
};

static bool has_come(void *of, int piece, bool wait) {
    const struct arrivals *a = (struct arrivals *)of;
    const cudaEvent_t staged = a->job->device->staged[(a->first + piece) % GG_STAGES];
    if (wait)
        return gg_wait_for(a->job, staged);
    const bool has = cudaEventQuery(staged) == cudaSuccess;
    cudaGetLastError();
    return has;
}

/* One team for two pieces: what it costs to call one, and to wait for the last member, is half then. */
static bool widen_some(struct cuda_job *job, const struct bfs_result *to,
                       const struct origin *from, uint64_t first, uint64_t pieces) {
    const uint64_t entries = piece_entries(from);
    const uint64_t left = from->n - first * entries;
    const struct gg_widening how = {from->bits, to->depth ? 4 : 1, GG_BFS_WIDENERS,
                                    from->n >= GG_PAST_CACHES};
    void *begin = to->depth ? (void *)(to->depth + first * entries)
                            : (void *)(to->bytes + first * entries);
    struct arrivals a = {job, first};
    struct gg_pieces come = {{}, entries, has_come, &a};
    for (uint64_t i = 0; i < pieces; i++)
        come.from[i] = job->device->stage[(first + i) % GG_STAGES];
    if (pieces > 1)
        return gg_widen_pieces(job->run, begin,
                               left < pieces * entries ? left : pieces * entries, &come,
                               &how);
    if (!has_come(&a, 0, true))
        return false;
    gg_widen(job->run, begin, come.from[0], piece_size(from, first), &how);
    return true;
}

static bool bring(struct cuda_job *job, const struct bfs_result *to,
                  const struct origin *from) {
    const uint64_t entries = piece_entries(from);
    const uint64_t pieces = (from->n + entries - 1) / entries;
    uint64_t queued = 0;
    for (uint64_t piece = 0; piece < pieces; piece += GG_BFS_PIECES) {
        const uint64_t left = pieces - piece;
        while (queued < pieces && queued < piece + GG_STAGES)
            if (!queue_piece(job, from, queued++))
                return false;
        if (!widen_some(job, to, from, piece,
                        left < GG_BFS_PIECES ? left : GG_BFS_PIECES))
            return false;
    }
    return gg_going(job);
}

int gg_bfs_home_bits(uint64_t n, uint32_t deepest) {
    if (n < GG_BFS_BYTES_LEAST || deepest >= none_of(BYTE))
        return 0;
    return GG_BFS_NIBBLES && deepest < none_of(NIBBLE) ? NIBBLE : BYTE;
}

/* Depths that come as they are, to a row of bytes: by way of a row of numbers. */
static bool bring_to_bytes(struct cuda_job *job, uint8_t *bytes, const uint32_t *from,
                           uint64_t n) {
    uint32_t *spare = (uint32_t *)gg_alloc(job->run, n, sizeof *spare);
    if (spare && gg_download(job, spare, from, n * sizeof *spare))
        gg_bfs_keep_bytes(job->graph, job->run, spare, bytes);
    gg_release(spare);
    return gg_going(job);
}

bool gg_bfs_bring(struct cuda_job *job, const struct bfs_result *to, const uint32_t *from,
                  uint64_t n, uint32_t deepest) {
    const struct origin narrow = {n, gg_bfs_home_bits(n, deepest), from, NULL};
    if (narrow.bits > 0)
        return bring(job, to, &narrow);
    return to->depth ? gg_download(job, to->depth, from, n * sizeof *to->depth)
                     : bring_to_bytes(job, to->bytes, from, n);
}

bool gg_bfs_hand_over(struct cuda_job *job, uint8_t *narrow, const uint32_t *from,
                      uint32_t n, int bits) {
    return queue_narrowing(job, from, n, bits, narrow) &&
           gg_note(job, cudaEventRecord(job->device->handed_over, job->stream),
                   "record an event") &&
           gg_note(job,
                   cudaStreamWaitEvent(job->device->aside, job->device->handed_over, 0),
                   "wait for an event");
}

bool gg_bfs_bring_aside(struct cuda_job *job, const struct bfs_result *to,
                        const uint8_t *narrow, uint64_t n, int bits) {
    const struct origin from = {n, bits, NULL, narrow};
    return bring(job, to, &from);
}
