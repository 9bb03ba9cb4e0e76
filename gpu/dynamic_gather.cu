/* A large batch in no order, by ranges of its sources: what a wave of lanes reads and writes then
** lies close together, so that a sector is in the cache until all of its entries are there. One
** pass of a radix sort by the highest bits, which leaves items of one edge in their order. */
#include "dynamic.cuh"
#include "slab.h"

#include <cub/device/device_radix_sort.cuh>

enum {
    LEAST_ITEMS = 1 << 21, /* of a batch that is worth it */
    RANGE_BITS = 16,       /* of the sources: two passes */
    SAMPLES = 4096,
    MOST_IN_DISORDER = SAMPLES / 8
};

/* One block: how many of some neighbouring pairs of items are not in order. */
static __global__ void count_disorder(dynamic_batch b, uint32_t *disorder) {
    uint32_t mine = 0;
    for (uint64_t k = threadIdx.x; k < SAMPLES; k += blockDim.x) {
        uint64_t i = (b.count - 2) * k / SAMPLES;
        uint32_t u = b.source[i], next = b.source[i + 1];
        mine += u > next || (u == next && b.target[i] >= b.target[i + 1]);
    }
    mine = __reduce_add_sync(0xffffffffu, mine);
    if (threadIdx.x % GG_WARP == 0 && mine > 0)
        atomicAdd(disorder, mine);
}

/* Counted where the results will be. */
static bool in_disorder(struct cuda_job *job, const dynamic_batch &b) {
    uint32_t disorder = 0, *counter = b.result;
    gg_fill(job, counter, 0, sizeof *counter);
    count_disorder<<<1, GG_BLOCK, 0, job->stream>>>(b, counter);
    gg_launched(job, "look at a batch's order");
    return gg_fetch(job, &disorder, counter, sizeof disorder) &&
           disorder > MOST_IN_DISORDER;
}

static __global__ void pack(dynamic_batch b, uint64_t *pair) {
    for (uint64_t i = gg_thread(); i < b.count; i += gg_threads_of_grid())
        pair[i] = slab_pair(b.target[i], b.value[i]);
}

/* The arrays, and what the sort needs. */
struct gather_space {
    uint32_t *source, *target; /* target: of a set */
    uint64_t *packed, *pair;   /* of a map */
    void *scratch;
    size_t scratch_bytes;
};

static void carve(workspace *space, const dynamic_batch &b, bool valued,
                  gather_space *s) {
    s->source = gg_carve<uint32_t>(space, b.count);
    s->target = gg_carve<uint32_t>(space, valued ? 0 : b.count);
    s->packed = gg_carve<uint64_t>(space, valued ? b.count : 0);
    s->pair = gg_carve<uint64_t>(space, valued ? b.count : 0);
    s->scratch = gg_carve<unsigned char>(space, s->scratch_bytes);
}

static cudaError_t sort(const gather_space &s, void *scratch, size_t *bytes,
                        const dynamic_batch &b, bool valued, int bits,
                        cudaStream_t stream) {
    int begin = bits > RANGE_BITS ? bits - RANGE_BITS : 0;
    return valued ? cub::DeviceRadixSort::SortPairs(scratch, *bytes, b.source, s.source,
                                                    s.packed, s.pair, b.count, begin,
                                                    bits, stream)
                  : cub::DeviceRadixSort::SortPairs(scratch, *bytes, b.source, s.source,
                                                    b.target, s.target, b.count, begin,
                                                    bits, stream);
}

/* Is there so much memory, and what the batch itself may need: an arena of twice the size, and a
** sector for each item? */
static bool has_memory(const gpugraph_dynamic *d, uint64_t bytes, uint64_t items) {
    const uint64_t sector = SLAB_WORDS * sizeof(uint32_t);
    uint64_t arena = (2 * (uint64_t)d->end + items) * sector;
    return (int64_t)(bytes + arena) <= gg_device_room(d->job);
}

void gg_dynamic_gather(gpugraph_dynamic *d, dynamic_batch *b) {
    struct cuda_job *job = d->job;
    workspace space = {NULL, 0};
    gather_space s = {};
    int bits = 1;
    if (b->count < LEAST_ITEMS || !gg_going(job) || !in_disorder(job, *b))
        return;
    while (bits < 32 && (d->slabs.n - 1) >> bits)
        bits++;
    gg_note(job, sort(s, NULL, &s.scratch_bytes, *b, d->valued, bits, job->stream),
            "ask what a sort needs");
    carve(&space, *b, d->valued, &s);
    if (!has_memory(d, space.used, b->count) || !gg_workspace(job, &space))
        return;
    carve(&space, *b, d->valued, &s);
    if (d->valued) {
        unsigned grid = gg_grid(job, b->count, GG_DYNAMIC_GRID);
        pack<<<grid, GG_BLOCK, 0, job->stream>>>(*b, s.packed);
        gg_launched(job, "pack a batch");
    }
    gg_note(job, sort(s, s.scratch, &s.scratch_bytes, *b, d->valued, bits, job->stream),
            "sort a batch");
    b->source = s.source;
    b->target = s.target;
    b->pair = s.pair;
    b->unsorted = true;
}
